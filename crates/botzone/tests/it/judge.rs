//! Dialogues with a judge that is started afresh for every turn and receives the whole match.

use crate::support::{CLOCK, Dialogue, FIELD, RandomPlayers, actions_item, item, judged, map, only_seat_0, ran, random_map};
use pacman2_botzone::init_data;
use pacman2_botzone::judge::{self, JudgeError};
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::Session;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, ForfeitRuling, Ruleset, Seat};
use serde_json::{Value, json};

// Before the first turn.

#[test]
fn the_first_output_is_the_map_of_the_seed() {
    let field = json!({
        "seed": 3,
        "width": 7,
        "height": 6,
        "GENERATOR_INTERVAL": 20,
        "LARGE_FRUIT_DURATION": 10,
        "LARGE_FRUIT_ENHANCEMENT": 10,
        "SKILL_COST": 4,
        "static": [
            [31, 11, 9, 0, 3, 11, 31],
            [11, 10, 14, 10, 14, 10, 11],
            [4, 0, 1, 4, 1, 0, 4],
            [1, 0, 4, 1, 4, 0, 1],
            [14, 10, 11, 10, 11, 10, 14],
            [31, 14, 12, 0, 6, 14, 31],
        ],
        "content": [
            [0, 16, 0, 0, 0, 16, 0],
            [1, 0, 32, 0, 32, 0, 2],
            [0, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 0],
            [4, 0, 32, 0, 32, 0, 8],
            [0, 16, 0, 0, 0, 16, 0],
        ],
    });
    let request = |id: i32| {
        let mut request = field.clone();
        request["id"] = id.into();
        request
    };
    let output = judged(&json!({ "log": [], "initdata": { "seed": 3 } }));
    assert_eq!(
        output,
        json!({
            "command": "request",
            "content": { "0": request(0), "1": request(1), "2": request(2), "3": request(3) },
            "display": field,
            "initdata": field,
        })
    );
}

#[test]
fn an_empty_input_begins_a_match_with_the_clocks_seed() {
    check_first(&json!({}), &random_map(CLOCK));
    check_first(&json!({ "log": null, "initdata": null }), &random_map(CLOCK));
    check_first(&json!({ "log": [] }), &random_map(CLOCK));
}

#[test]
fn initdata_may_be_a_string_that_holds_json() {
    check_initdata(json!("{\"seed\": 12}"), &random_map(12));
}

#[test]
fn any_other_initdata_counts_as_empty() {
    for junk in [json!("junk"), json!(""), json!("5"), json!("[1]"), json!(5), json!(true), json!([{ "seed": 12 }])] {
        check_initdata(junk, &random_map(CLOCK));
    }
}

#[test]
fn a_seed_is_a_whole_number_of_32_bits_or_ignored() {
    check_initdata(json!({ "seed": i32::MIN }), &random_map(i32::MIN));
    check_initdata(json!({ "seed": i32::MAX }), &random_map(i32::MAX));
    for junk in [json!(2_147_483_648_i64), json!(1.5), json!("12"), json!([12]), json!(true), json!(1e300)] {
        check_initdata(json!({ "seed": junk }), &random_map(CLOCK));
    }
}

#[test]
fn a_side_is_6_to_11_or_ignored() {
    let wide = MapSize { width: Some(11), height: None };
    let map = Map::generate(1, wide, Ruleset::default()).expect("11 is possible");
    for junk in [json!(12), json!(5), json!(-1), json!("6"), json!(6.5), json!(null)] {
        check_initdata(json!({ "seed": 1, "width": 11, "height": junk }), &map);
    }
}

#[test]
fn settings_are_whole_numbers_or_ignored() {
    let settings = Ruleset { skill_cost: 2, large_fruit_duration: 3, ..Ruleset::default() };
    let map = Map::generate(1, MapSize::default(), settings).expect("these settings are possible");
    check_initdata(
        json!({
            "seed": 1,
            "SKILL_COST": 2,
            "LARGE_FRUIT_DURATION": 3,
            "LARGE_FRUIT_ENHANCEMENT": "7",
            "GENERATOR_INTERVAL": 2.5,
        }),
        &map,
    );
}

#[test]
fn another_turn_limit_is_ignored() {
    check_initdata(json!({ "seed": 1, "MAX_TURN": 5 }), &random_map(1));
}

#[test]
fn a_map_is_taken_if_static_and_content_are_lists() {
    let drawn = map(FIELD);
    check_initdata(init_data::write(&drawn), &drawn);
    for (missing, junk) in [("static", json!(null)), ("static", json!("[]")), ("content", json!(5)), ("content", json!({}))] {
        let mut initdata = init_data::write(&drawn);
        initdata[missing] = junk;
        let size = MapSize { width: Some(6), height: Some(6) };
        check_initdata(initdata, &Map::generate(7, size, Ruleset::default()).expect("6 is possible"));
    }
}

#[test]
fn a_map_that_cannot_be_played_is_rejected() {
    let mut initdata = init_data::write(&map(FIELD));
    initdata["width"] = json!(7);
    initdata["static"] = json!([[0], [0]]);
    initdata["content"][0][0] = json!(64);
    let error = error(&json!({ "initdata": initdata }).to_string());
    assert!(
        error.starts_with("the init data cannot be played: static must have 6 rows, as the height says, got 2; static row 0"),
        "{error}"
    );
    assert!(error.contains("content at row 0, column 0 must be a whole number between 0 and 63, got 64"), "{error}");
}

#[test]
fn settings_out_of_range_are_rejected() {
    let error = error(&json!({ "initdata": { "GENERATOR_INTERVAL": 0 } }).to_string());
    let reason = "GENERATOR_INTERVAL must be a whole number between 1 and 10000, got 0";
    assert_eq!(error, format!("the init data cannot be played: {reason}"));
}

// Which map a match is played on.

#[test]
fn the_judges_own_initdata_hold_from_the_second_turn_on() {
    // The match is started without a seed, and the clock has gone on.
    let mut dialogue = Dialogue::with(json!({}), ForfeitRuling::Sample);
    dialogue.respond(json!({}));
    let later = judge::answer(&dialogue.input().to_string(), Ruleset::default(), CLOCK + 1);
    assert_eq!(later.unwrap(), *dialogue.output());
}

#[test]
fn a_log_without_initdata_has_them_in_its_display() {
    let mut first = Dialogue::on(FIELD).log()[0].clone();
    first["output"].as_object_mut().expect("an output is an object").remove("initdata");
    let input = json!({ "log": [first, actions_item([1, -1, -1, -1])], "initdata": { "seed": 1 } });
    assert_eq!(judged(&input), Dialogue::on(FIELD).act([1, -1, -1, -1]));
}

// A later turn.

#[test]
fn a_later_output_has_the_actions_and_the_trace() {
    let output = Dialogue::on(FIELD).act([-1, 3, 0, -1]);
    let request = json!({ "0": { "action": -1 }, "1": { "action": 3 }, "2": { "action": 0 }, "3": { "action": -1 } });
    let mut display = request.clone();
    display["trace"] = json!({ "actions": [-1, 3, 0, -1], "change": [1, 0, 0, 1], "strengthDelta": [1, 0, 0, 1] });
    assert_eq!(
        output,
        json!({
            "command": "request",
            "content": { "0": request, "1": request, "2": request, "3": request },
            "display": display,
        })
    );
}

#[test]
fn the_dying_are_displayed_and_the_dead_are_not() {
    let mut dialogue = Dialogue::on(FIELD);
    let output = dialogue.act([-1, 0, -1, -1]);
    let request = json!({ "0": { "action": -1 }, "1": { "action": 0 }, "2": { "action": -1 }, "3": { "action": -1 } });
    assert_eq!(output["content"], json!({ "0": request, "2": request, "3": request }));
    let output = dialogue.act([-1, 3, -1, -1]);
    let request = json!({ "0": { "action": -1 }, "1": null, "2": { "action": -1 }, "3": { "action": -1 } });
    assert_eq!(output["content"], json!({ "0": request, "2": request, "3": request }));
    // A dead player has a null in the request, and no key at all in the display.
    let keys = |output: &Value| -> Vec<String> {
        output["display"].as_object().expect("a display is an object").keys().cloned().collect()
    };
    assert_eq!(keys(&output), ["0", "2", "3", "trace"]);
    // Players 2 and 3 leave, so that the match ends long after the first death.
    let output = dialogue.act([-1, -1, 9, 9]);
    assert_eq!(
        (&output["command"], keys(&output)),
        (&json!("finish"), ["0", "2", "3", "result", "trace"].map(str::to_owned).into())
    );
}

#[test]
fn a_missing_response_is_displayed_with_the_verdict() {
    for verdict in Verdict::OF_RUNS {
        let silent = json!({ "memory": 0, "time": 1000, "verdict": verdict.name(), "response": null });
        check_unreadable(silent, verdict.name());
    }
}

#[test]
fn a_response_does_not_count_without_the_verdict_ok() {
    let stopped = json!({ "verdict": "TLE", "response": { "action": -1 } });
    check_unreadable(stopped, "TLE");
}

#[test]
fn a_player_missing_from_the_log_gave_no_response() {
    let output = Dialogue::on(FIELD).respond(json!({ "1": ran(json!({ "action": -1 })), "2": null, "3": 5 }));
    let nothing = json!({ "action": -10, "reason": "INVALID_INPUT_VERDICT_OK" });
    let request = json!({ "0": nothing, "1": { "action": -1 }, "2": nothing, "3": nothing });
    // Player 1 is left, and the match is over.
    assert_eq!(output["command"], "finish");
    let mut display = output["display"].clone();
    for key in ["trace", "result"] {
        display.as_object_mut().expect("a display is an object").remove(key);
    }
    assert_eq!(display, request);
}

#[test]
fn illegal_numbers_are_echoed() {
    // Into the wall, a light without strength, and numbers that name no action.
    for number in [0, 3, 4, 8, 9, -2, -10, i32::MAX, i32::MIN] {
        let output = Dialogue::on(FIELD).act([number, -1, -1, -1]);
        assert_eq!(output["content"]["1"]["0"], json!({ "action": number }));
        check_forfeited(&output, number);
    }
}

#[test]
fn an_action_is_a_whole_number_of_32_bits() {
    for action in [json!("1"), json!(1.5), json!(true), json!([1]), json!({}), json!(null), json!(2_147_483_648_i64), json!(1e99)]
    {
        check_unreadable(ran(json!({ "action": action })), "OK");
    }
}

#[test]
fn a_response_is_an_object_with_an_action() {
    for response in [json!(1), json!([1]), json!([{ "action": 1 }]), json!({ "Action": 1 }), json!({}), json!(true)] {
        check_unreadable(ran(response), "OK");
    }
}

#[test]
fn numbers_with_a_zero_fraction_are_whole() {
    // Botzone's platform is written in JavaScript, for which 1.0 is 1.
    check_displayed(ran(json!({ "action": 1.0 })), json!({ "action": 1 }));
}

#[test]
fn a_response_may_be_a_string_that_holds_json() {
    check_displayed(ran(json!("{\"action\": 1, \"tauntText\": \"hi\"}")), json!({ "action": 1, "tauntText": "hi" }));
    for text in ["", "1", "{\"action\": ", "\"{\\\"action\\\": 1}\""] {
        check_unreadable(ran(json!(text)), "OK");
    }
}

#[test]
fn content_counts_where_there_is_no_response() {
    check_displayed(json!({ "content": { "action": 1 } }), json!({ "action": 1 }));
    check_displayed(json!({ "response": null, "content": "{\"action\": 1}" }), json!({ "action": 1 }));
    check_displayed(json!({ "response": { "action": 1 }, "content": { "action": 2 } }), json!({ "action": 1 }));
    check_unreadable(json!({ "response": {}, "content": { "action": 2 } }), "OK");
}

#[test]
fn a_humans_time_out_is_forgiven_once() {
    for late in [json!({ "error": "Timeout" }), json!({ "content": { "error": "Timeout" } })] {
        let mut dialogue = Dialogue::on(FIELD);
        let output = dialogue.respond(only_seat_0(late.clone()));
        assert_eq!(output["display"]["0"], json!({ "action": -1 }));
        assert_eq!(output["display"]["trace"]["change"], json!([1, 0, 0, 1]));
        dialogue.act([1, -1, -1, -1]);
        check_forfeited(&dialogue.respond(only_seat_0(late)), -10);
    }
}

#[test]
fn each_human_is_forgiven_once() {
    let late = json!({ "error": "Timeout" });
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.respond(only_seat_0(late.clone()));
    let mut answers = actions_item([-1; 4]);
    answers["2"] = late;
    assert_eq!(dialogue.respond(answers)["display"]["2"], json!({ "action": -1 }));
}

// Taunts.

#[test]
fn taunts_are_displayed_and_not_sent_to_bots() {
    let taunt = json!({ "action": 1, "tauntText": "Hello, cruel world" });
    let output = check_displayed(ran(taunt.clone()), taunt);
    assert_eq!(output["content"]["1"]["0"], json!({ "action": 1 }));
}

#[test]
fn a_taunt_that_is_not_a_string_is_ignored() {
    check_displayed(ran(json!({ "action": 1, "tauntText": 5 })), json!({ "action": 1 }));
    check_displayed(ran(json!({ "action": 1, "tauntText": null })), json!({ "action": 1 }));
}

#[test]
fn taunt_cut() {
    let check = |taunt: &str, cut: &str| {
        check_displayed(ran(json!({ "action": 1, "tauntText": taunt })), json!({ "action": 1, "tauntText": cut }));
    };
    check(&"x".repeat(41), &"x".repeat(40));
    // Three bytes a character: thirteen are 39 bytes, and the fourteenth would be cut at its first byte.
    check(&"金".repeat(20), &"金".repeat(13));
    check(&format!("x{}", "金".repeat(13)), &format!("x{}", "金".repeat(13)));
    check(&"😀".repeat(11), &"😀".repeat(10));
}

// The trace.

#[test]
fn the_trace_has_the_actions_after_fright() {
    let mut dialogue = Dialogue::on(
        "
        +----+----+----+----+----+----+
        | 0    1.                     |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        | 2                        3  |
        +----+----+----+----+----+----+
        ",
    );
    dialogue.act([-1; 4]);
    let output = dialogue.act([1, -1, -1, -1]);
    assert_eq!(output["content"]["0"]["0"], json!({ "action": 1 }));
    check_trace(&output, [-1, -1, -1, -1], [0; 4], [0; 4]);
}

#[test]
fn the_trace_keeps_the_last_action_of_the_dead() {
    let mut dialogue = Dialogue::on(FIELD);
    check_trace(&dialogue.act([9, -1, -1, -1]), [9, -1, -1, -1], [16, 0, 0, 1], [-1, 0, 0, 1]);
    check_trace(&dialogue.act([1, 2, -1, -1]), [9, 2, -1, -1], [0; 4], [0; 4]);
    let output = dialogue.respond(json!({ "2": ran(json!({ "action": -1 })), "3": ran(json!({ "action": -1 })) }));
    check_trace(&output, [9, -10, -1, -1], [0, 16, 0, 0], [0, -1, 0, 0]);
}

#[test]
fn the_trace_has_what_was_eaten_and_what_ended() {
    let mut dialogue = Dialogue::on(
        "
        boost 10 for 2
        +----+----+----+----+----+----+
        | 0.                       1o |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        |                             |
        +    +    +    +    +    +    +
        | 2                        3  |
        +----+----+----+----+----+----+
        ",
    );
    check_trace(&dialogue.act([-1; 4]), [-1; 4], [1, 2 | 4, 0, 0], [1, 10, 0, 0]);
    check_trace(&dialogue.act([-1, 6, -1, -1]), [-1, 6, -1, -1], [0, 4, 0, 8], [0, -4 + 6 - 10, 0, -1]);
}

// The end.

#[test]
fn the_last_one_standing_ends_the_match() {
    let output = Dialogue::on(FIELD).act([-1, 0, 9, 2]);
    // Player 0 ate a fruit and receives the one under player 3.
    let scores = json!({ "0": 140.0, "1": 10.0, "2": 10.0, "3": 10.0 });
    assert_eq!(
        output,
        json!({
            "command": "finish",
            "content": scores,
            "display": {
                "0": { "action": -1 },
                "1": { "action": 0 },
                "2": { "action": 9 },
                "3": { "action": 2 },
                "trace": { "actions": [-1, 0, 9, 2], "change": [1, 16, 16, 16], "strengthDelta": [2, -1, -1, -1] },
                "result": scores,
            },
        })
    );
}

#[test]
fn a_match_may_end_without_survivors() {
    let output = Dialogue::on(FIELD).act([9; 4]);
    assert_eq!(output["content"], json!({ "0": 10.0, "1": 10.0, "2": 10.0, "3": 10.0 }));
}

#[test]
fn turn_100_ends_the_match() {
    let mut dialogue = Dialogue::on(FIELD);
    for _ in 1..100 {
        assert_eq!(dialogue.act([-1; 4])["command"], "request");
    }
    let output = dialogue.act([-1; 4]);
    assert_eq!(output["command"], "finish");
    // Strengths 2, 1, 1, 2: a third and a sixth of all, cut to hundredths of a percent.
    assert_eq!(output["content"], json!({ "0": 63.33, "1": 26.66, "2": 26.66, "3": 63.33 }));
    assert_eq!(output["display"]["result"], output["content"]);
}

// Whole games.

#[test]
fn a_judge_started_afresh_for_every_turn_plays_the_same_game() {
    for seed in 0..3 {
        let mut session = Session::new(random_map(seed));
        let mut dialogue = Dialogue::with(json!({ "seed": seed }), ForfeitRuling::Sample);
        let mut players = RandomPlayers::new(seed as u64);
        while !session.game().is_over() {
            let responses = players.responses(session.game());
            let turn = session.play(&responses).expect("the game goes on");
            let output = dialogue.respond(item(&responses));
            assert_eq!(output["display"], turn.display());
            let asked: Vec<Seat> = Seat::ALL.into_iter().filter(|seat| output["content"][seat.to_string()].is_object()).collect();
            let alive: Vec<Seat> = session.game().state().alive.iter().collect();
            assert_eq!(asked, if session.game().is_over() { Vec::new() } else { alive });
        }
        assert_eq!(dialogue.output()["command"], "finish");
    }
}

#[test]
fn numbers_of_the_dead_do_not_matter() {
    let mut silent = Dialogue::on(FIELD);
    let mut loud = silent.clone();
    for dialogue in [&mut silent, &mut loud] {
        dialogue.act([9, -1, -1, -1]);
    }
    let all = actions_item([1; 4]);
    let living = json!({ "1": all["1"], "2": all["2"], "3": all["3"] });
    assert_eq!(silent.respond(living), loud.respond(all));
}

#[test]
fn a_session_ignores_the_dead() {
    let mut session = Session::new(map(FIELD));
    let ran = |numbers: [i32; 4]| BySeat(numbers.map(|number| Some(ParsedResponse::Action { number, taunt: None })));
    session.play(&ran([9, -1, -1, -1]));
    let turn = session.play(&ran([1, -1, -1, -1])).expect("the game goes on");
    assert_eq!(turn.responses[Seat::S0], None);
    assert_eq!(turn.request()["0"], Value::Null);
}

// Rulings.

/// After the first turn player 0 has strength 11.
const LINE: &str = "
    +----+----+----+----+----+----+
    | 0o   1                      |
    +    +    +    +    +    +    +
    |      3                      |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    | 2                           |
    +----+----+----+----+----+----+
";

#[test]
fn light_on_a_forfeiting_player_alone_in_its_cell() {
    // Only the prose lets player 1 be hit.
    check_rulings([-1; 4], [5, 0, -1, -1], [[-4, -1, 0, 0], [-4, -1, 0, 0], [-4 + 6, -1, 0, 0]]);
}

#[test]
fn light_on_a_forfeiting_player_beside_a_living_one() {
    // Player 3 stands in the same cell: for the judge player 1 is hit and stays negative.
    let hit_both = -4 + 6 + 6;
    check_rulings([-1, -1, -1, 0], [5, 0, -1, -1], [[-4 + 6, -1, 0, -1], [hit_both, -1 - 6, 0, -1], [hit_both, -1, 0, -1]]);
}

#[test]
fn light_on_the_living_is_the_same_under_all_rulings() {
    check_rulings([-1, -1, -1, 0], [5, -1, -1, -1], [[-4 + 6 + 6, -1, 0, -1]; 3]);
}

#[test]
fn a_forfeit_without_light_is_the_same_under_all_rulings() {
    check_rulings([-1, -1, -1, 0], [4, 0, -1, -1], [[-4, -1, 0, 0]; 3]);
}

#[test]
fn without_forfeits_all_rulings_play_the_same_game() {
    let log_under = |ruling| {
        let mut dialogue = Dialogue::with(json!({ "seed": 5 }), ruling);
        let mut session = Session::new(random_map(5));
        let mut players = RandomPlayers::new(1);
        while !session.game().is_over() {
            let mut responses = players.responses(session.game());
            // Without illegal actions no player forfeits.
            responses =
                responses.map(|responses| responses.filter(|responses| responses.action() != Action::Invalid).or_else(stay));
            session.play(&responses);
            dialogue.respond(item(&responses));
        }
        dialogue.log().to_vec()
    };
    let [sample, judge, prose] = ForfeitRuling::ALL.map(log_under);
    assert!(sample == judge && judge == prose);
}

// Input that the judge rejects.

#[test]
fn input_that_is_not_json() {
    let error = error("{\"log\": [}");
    assert!(error.starts_with("the input is not JSON ("), "{error}");
    assert!(error.ends_with("); expected one object with log and initdata"), "{error}");
}

#[test]
fn a_log_that_is_not_a_list() {
    for log in [json!({}), json!("[]"), json!(0)] {
        assert_eq!(
            error(&json!({ "log": log }).to_string()),
            "log: expected a list that alternates between the judge's outputs and the players' responses"
        );
    }
}

#[test]
fn a_log_that_goes_on_after_the_game() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([9; 4]);
    let mut input = dialogue.input();
    input["log"].as_array_mut().expect("the log is a list").push(actions_item([-1; 4]));
    assert_eq!(error(&input.to_string()), "the log goes on after the end of the game, in turn 2");
}

fn stay() -> Option<ParsedResponse> {
    Some(ParsedResponse::Action { number: -1, taunt: None })
}

#[track_caller]
fn check_first(input: &Value, map: &Map) {
    let output = judged(input);
    let expected = init_data::write(map);
    assert_eq!((&output["initdata"], &output["display"]), (&expected, &expected));
    assert_eq!(output, judge::first_output(map));
}

#[track_caller]
fn check_initdata(initdata: Value, map: &Map) {
    check_first(&json!({ "log": [], "initdata": initdata }), map);
}

/// Checks what is displayed for seat 0 after this log item. The player must survive.
#[track_caller]
fn check_displayed(item: Value, display: Value) -> Value {
    let output = Dialogue::on(FIELD).respond(only_seat_0(item));
    assert_eq!(output["display"]["0"], display);
    assert!(output["content"]["0"].is_object(), "player 0 has died");
    output
}

/// Checks that seat 0 died because this log item could not be read.
#[track_caller]
fn check_unreadable(item: Value, verdict: &str) {
    let output = Dialogue::on(FIELD).respond(only_seat_0(item.clone()));
    let shown = json!({ "action": -10, "reason": format!("INVALID_INPUT_VERDICT_{verdict}") });
    assert_eq!(output["content"]["1"]["0"], shown, "{item}");
    assert_eq!(output["display"]["0"], shown, "{item}");
    check_forfeited(&output, -10);
}

#[track_caller]
fn check_forfeited(output: &Value, number: i32) {
    let trace = &output["display"]["trace"];
    assert_eq!((&trace["actions"][0], &trace["change"][0]), (&json!(number), &json!(16)));
    assert_eq!(output["content"]["0"], Value::Null);
}

#[track_caller]
fn check_trace(output: &Value, actions: [i32; 4], change: [u8; 4], strength_delta: [i32; 4]) {
    let trace = json!({ "actions": actions, "change": change, "strengthDelta": strength_delta });
    assert_eq!(output["display"]["trace"], trace);
}

/// Checks the changes of strength in the second of two turns under `sample`, `judge` and `prose`.
#[track_caller]
fn check_rulings(first: [i32; 4], second: [i32; 4], expected: [[i32; 4]; 3]) {
    for (ruling, expected) in ForfeitRuling::ALL.into_iter().zip(expected) {
        let mut dialogue = Dialogue::with(init_data::write(&map(LINE)), ruling);
        dialogue.act(first);
        let output = dialogue.act(second);
        assert_eq!(output["display"]["trace"]["strengthDelta"], json!(expected), "{}", ruling.name());
    }
}

#[track_caller]
fn error(input: &str) -> String {
    let error: JudgeError = judge::answer(input, Ruleset::default(), CLOCK).expect_err("the input must be rejected");
    error.to_string()
}
