//! Dialogues with the judge, which is started afresh for every turn and is given the whole match.

mod common;

use common::{CLOCK, FIELD, Match, Whims, actions_item, item, judged, map, random_map, says, seat_0};
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
fn the_judge_knows_no_other_turn_limit() {
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
fn a_map_that_cannot_be_played_is_refused() {
    let mut initdata = init_data::write(&map(FIELD));
    initdata["width"] = json!(7);
    initdata["static"] = json!([[0], [0]]);
    initdata["content"][0][0] = json!(64);
    let error = error(&json!({ "initdata": initdata }).to_string());
    assert!(error.starts_with("the init data cannot be played: static has 2 rows; the height is 6; static row 0"), "{error}");
    assert!(error.contains("content at row 0, column 0 is 64"), "{error}");
}

#[test]
fn settings_that_no_game_can_have_are_refused() {
    let error = error(&json!({ "initdata": { "GENERATOR_INTERVAL": 0 } }).to_string());
    let reason = "GENERATOR_INTERVAL must be a whole number between 1 and 10000, got 0";
    assert_eq!(error, format!("the init data cannot be played: {reason}"));
}

// Which map a match is played on.

#[test]
fn the_judges_own_initdata_hold_from_the_second_turn_on() {
    // The match is started without a seed, and the clock has gone on.
    let mut begun = Match::with(json!({}), ForfeitRuling::Sample);
    begun.hears(json!({}));
    let later = judge::answer(&begun.input().to_string(), Ruleset::default(), CLOCK + 1);
    assert_eq!(later.as_ref(), Ok(begun.output()));
}

#[test]
fn a_log_without_initdata_has_them_in_its_display() {
    let mut first = Match::on(FIELD).log()[0].clone();
    first["output"].as_object_mut().expect("an output is an object").remove("initdata");
    let input = json!({ "log": [first, actions_item([1, -1, -1, -1])], "initdata": { "seed": 1 } });
    assert_eq!(judged(&input), Match::on(FIELD).acts([1, -1, -1, -1]));
}

// A later turn.

#[test]
fn a_later_output_has_the_actions_and_the_trace() {
    let output = Match::on(FIELD).acts([-1, 3, 0, -1]);
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
fn the_dying_are_shown_and_the_dead_are_not() {
    let mut begun = Match::on(FIELD);
    let output = begun.acts([-1, 0, -1, -1]);
    let request = json!({ "0": { "action": -1 }, "1": { "action": 0 }, "2": { "action": -1 }, "3": { "action": -1 } });
    assert_eq!(output["content"], json!({ "0": request, "2": request, "3": request }));
    let output = begun.acts([-1, 3, -1, -1]);
    let request = json!({ "0": { "action": -1 }, "1": null, "2": { "action": -1 }, "3": { "action": -1 } });
    assert_eq!(output["content"], json!({ "0": request, "2": request, "3": request }));
    assert_eq!(output["display"]["1"], Value::Null);
}

#[test]
fn who_says_nothing_is_shown_with_the_verdict() {
    for verdict in Verdict::ALL {
        let silent = json!({ "memory": 0, "time": 1000, "verdict": verdict.name(), "response": null });
        check_unreadable(silent, verdict.name());
    }
}

#[test]
fn a_response_does_not_help_who_was_stopped() {
    let stopped = json!({ "verdict": "TLE", "response": { "action": -1 } });
    check_unreadable(stopped, "TLE");
}

#[test]
fn who_is_not_in_the_log_said_nothing() {
    let output = Match::on(FIELD).hears(json!({ "1": says(json!({ "action": -1 })), "2": null, "3": 5 }));
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
        let output = Match::on(FIELD).acts([number, -1, -1, -1]);
        assert_eq!(output["content"]["1"]["0"], json!({ "action": number }));
        check_forfeited(&output, number);
    }
}

#[test]
fn an_action_is_a_whole_number_of_32_bits() {
    for action in [json!("1"), json!(1.5), json!(true), json!([1]), json!({}), json!(null), json!(2_147_483_648_i64), json!(1e99)]
    {
        check_unreadable(says(json!({ "action": action })), "OK");
    }
}

#[test]
fn a_response_is_an_object_with_an_action() {
    for response in [json!(1), json!([1]), json!([{ "action": 1 }]), json!({ "Action": 1 }), json!({}), json!(true)] {
        check_unreadable(says(response), "OK");
    }
}

#[test]
fn numbers_with_a_fraction_of_nothing_are_whole() {
    // JavaScript, in which Botzone's platform is written, does not tell 1.0 from 1.
    check_heard(says(json!({ "action": 1.0 })), json!({ "action": 1 }));
}

#[test]
fn a_response_may_be_a_string_that_holds_json() {
    check_heard(says(json!("{\"action\": 1, \"tauntText\": \"hi\"}")), json!({ "action": 1, "tauntText": "hi" }));
    for text in ["", "1", "{\"action\": ", "\"{\\\"action\\\": 1}\""] {
        check_unreadable(says(json!(text)), "OK");
    }
}

#[test]
fn content_counts_where_there_is_no_response() {
    check_heard(json!({ "content": { "action": 1 } }), json!({ "action": 1 }));
    check_heard(json!({ "response": null, "content": "{\"action\": 1}" }), json!({ "action": 1 }));
    check_heard(json!({ "response": { "action": 1 }, "content": { "action": 2 } }), json!({ "action": 1 }));
    check_unreadable(json!({ "response": {}, "content": { "action": 2 } }), "OK");
}

#[test]
fn a_humans_time_out_is_forgiven_once() {
    for late in [json!({ "error": "Timeout" }), json!({ "content": { "error": "Timeout" } })] {
        let mut begun = Match::on(FIELD);
        let output = begun.hears(seat_0(late.clone()));
        assert_eq!(output["display"]["0"], json!({ "action": -1 }));
        assert_eq!(output["display"]["trace"]["change"], json!([1, 0, 0, 1]));
        begun.acts([1, -1, -1, -1]);
        check_forfeited(&begun.hears(seat_0(late)), -10);
    }
}

#[test]
fn each_human_is_forgiven_once() {
    let late = json!({ "error": "Timeout" });
    let mut begun = Match::on(FIELD);
    begun.hears(seat_0(late.clone()));
    let mut answers = actions_item([-1; 4]);
    answers["2"] = late;
    assert_eq!(begun.hears(answers)["display"]["2"], json!({ "action": -1 }));
}

// Taunts.

#[test]
fn taunts_are_displayed_and_not_sent_to_bots() {
    let taunt = json!({ "action": 1, "tauntText": "Hello, cruel world" });
    let output = check_heard(says(taunt.clone()), taunt);
    assert_eq!(output["content"]["1"]["0"], json!({ "action": 1 }));
}

#[test]
fn a_taunt_that_is_no_text_is_none() {
    check_heard(says(json!({ "action": 1, "tauntText": 5 })), json!({ "action": 1 }));
    check_heard(says(json!({ "action": 1, "tauntText": null })), json!({ "action": 1 }));
}

#[test]
fn taunt_cut() {
    let check = |taunt: &str, cut: &str| {
        check_heard(says(json!({ "action": 1, "tauntText": taunt })), json!({ "action": 1, "tauntText": cut }));
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
    let mut begun = Match::on(
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
    begun.acts([-1; 4]);
    let output = begun.acts([1, -1, -1, -1]);
    assert_eq!(output["content"]["0"]["0"], json!({ "action": 1 }));
    check_trace(&output, [-1, -1, -1, -1], [0; 4], [0; 4]);
}

#[test]
fn the_trace_keeps_the_last_action_of_the_dead() {
    let mut begun = Match::on(FIELD);
    check_trace(&begun.acts([9, -1, -1, -1]), [9, -1, -1, -1], [16, 0, 0, 1], [-1, 0, 0, 1]);
    check_trace(&begun.acts([1, 2, -1, -1]), [9, 2, -1, -1], [0; 4], [0; 4]);
    let output = begun.hears(json!({ "2": says(json!({ "action": -1 })), "3": says(json!({ "action": -1 })) }));
    check_trace(&output, [9, -10, -1, -1], [0, 16, 0, 0], [0, -1, 0, 0]);
}

#[test]
fn the_trace_tells_what_was_eaten_and_what_ended() {
    let mut begun = Match::on(
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
    check_trace(&begun.acts([-1; 4]), [-1; 4], [1, 2 | 4, 0, 0], [1, 10, 0, 0]);
    check_trace(&begun.acts([-1, 6, -1, -1]), [-1, 6, -1, -1], [0, 4, 0, 8], [0, -4 + 6 - 10, 0, -1]);
}

// The end.

#[test]
fn the_last_one_standing_ends_the_match() {
    let output = Match::on(FIELD).acts([-1, 0, 9, 2]);
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
    let output = Match::on(FIELD).acts([9; 4]);
    assert_eq!(output["content"], json!({ "0": 10.0, "1": 10.0, "2": 10.0, "3": 10.0 }));
}

#[test]
fn turn_100_ends_the_match() {
    let mut begun = Match::on(FIELD);
    for _ in 1..100 {
        assert_eq!(begun.acts([-1; 4])["command"], "request");
    }
    let output = begun.acts([-1; 4]);
    assert_eq!(output["command"], "finish");
    // Strengths 2, 1, 1, 2: a third and a sixth of all, cut to hundredths of a percent.
    assert_eq!(output["content"], json!({ "0": 63.33, "1": 26.66, "2": 26.66, "3": 63.33 }));
    assert_eq!(output["display"]["result"], output["content"]);
}

// Whole games.

#[test]
fn a_judge_started_afresh_for_every_turn_plays_the_same_game() {
    for seed in 0..3 {
        let mut table = Session::new(random_map(seed));
        let mut begun = Match::with(json!({ "seed": seed }), ForfeitRuling::Sample);
        let mut whims = Whims::new(seed as u64);
        while !table.game().is_over() {
            let heard = whims.hear(table.game());
            let turn = table.play(&heard).expect("the game goes on");
            let output = begun.hears(item(&heard));
            assert_eq!(output["display"], turn.display());
            let asked: Vec<Seat> = Seat::ALL.into_iter().filter(|seat| output["content"][seat.to_string()].is_object()).collect();
            let alive: Vec<Seat> = table.game().state().alive.iter().collect();
            assert_eq!(asked, if table.game().is_over() { Vec::new() } else { alive });
        }
        assert_eq!(begun.output()["command"], "finish");
    }
}

#[test]
fn numbers_of_the_dead_do_not_matter() {
    let mut silent = Match::on(FIELD);
    let mut loud = silent.clone();
    for begun in [&mut silent, &mut loud] {
        begun.acts([9, -1, -1, -1]);
    }
    let all = actions_item([1; 4]);
    let living = json!({ "1": all["1"], "2": all["2"], "3": all["3"] });
    assert_eq!(silent.hears(living), loud.hears(all));
}

#[test]
fn a_table_does_not_hear_the_dead() {
    let mut table = Session::new(map(FIELD));
    let says = |numbers: [i32; 4]| BySeat(numbers.map(|number| Some(ParsedResponse::Action { number, taunt: None })));
    table.play(&says([9, -1, -1, -1]));
    let turn = table.play(&says([1, -1, -1, -1])).expect("the game goes on");
    assert_eq!(turn.heard[Seat::S0], None);
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
fn light_on_the_forfeited_who_stood_alone() {
    // Only the prose lets player 1 be hit.
    check_rulings([-1; 4], [5, 0, -1, -1], [[-4, -1, 0, 0], [-4, -1, 0, 0], [-4 + 6, -1, 0, 0]]);
}

#[test]
fn light_on_the_forfeited_beside_the_living() {
    // Player 3 stands in the same cell: for the judge player 1 is hit and stays negative.
    let hit_both = -4 + 6 + 6;
    check_rulings([-1, -1, -1, 0], [5, 0, -1, -1], [[-4 + 6, -1, 0, -1], [hit_both, -1 - 6, 0, -1], [hit_both, -1, 0, -1]]);
}

#[test]
fn light_on_the_living_is_no_matter_of_rulings() {
    check_rulings([-1, -1, -1, 0], [5, -1, -1, -1], [[-4 + 6 + 6, -1, 0, -1]; 3]);
}

#[test]
fn the_forfeited_in_no_light_are_no_matter_of_rulings() {
    check_rulings([-1, -1, -1, 0], [4, 0, -1, -1], [[-4, -1, 0, 0]; 3]);
}

#[test]
fn without_forfeits_all_rulings_play_the_same_game() {
    let heard_in = |ruling| {
        let mut begun = Match::with(json!({ "seed": 5 }), ruling);
        let mut table = Session::new(random_map(5));
        let mut whims = Whims::new(1);
        while !table.game().is_over() {
            let mut heard = whims.hear(table.game());
            // The nonsense among the whims is what rulings are about.
            heard = heard.map(|heard| heard.filter(|heard| heard.action() != Action::Invalid).or_else(stay));
            table.play(&heard);
            begun.hears(item(&heard));
        }
        begun.log().to_vec()
    };
    let [sample, judge, prose] = ForfeitRuling::ALL.map(heard_in);
    assert!(sample == judge && judge == prose);
}

// What is no input for a judge.

#[test]
fn the_input_is_json() {
    let error = error("{\"log\": [}");
    assert!(error.starts_with("the input is not JSON ("), "{error}");
    assert!(error.ends_with("); one object with log and initdata is wanted"), "{error}");
}

#[test]
fn the_log_is_a_list() {
    for log in [json!({}), json!("[]"), json!(0)] {
        assert_eq!(
            error(&json!({ "log": log }).to_string()),
            "log is not a list; the outputs of the judge and the players' answers in turn are wanted"
        );
    }
}

#[test]
fn the_log_ends_with_the_game() {
    let mut begun = Match::on(FIELD);
    begun.acts([9; 4]);
    let mut input = begun.input();
    input["log"].as_array_mut().expect("the log is a list").push(actions_item([-1; 4]));
    assert_eq!(error(&input.to_string()), "the log goes on after the end of the game");
}

fn stay() -> Option<ParsedResponse> {
    Some(ParsedResponse::Action { number: -1, taunt: None })
}

#[track_caller]
fn check_first(input: &Value, map: &Map) {
    let output = judged(input);
    let want = init_data::write(map);
    assert_eq!((&output["initdata"], &output["display"]), (&want, &want));
    assert_eq!(output, judge::first_output(map));
}

#[track_caller]
fn check_initdata(initdata: Value, map: &Map) {
    check_first(&json!({ "log": [], "initdata": initdata }), map);
}

/// Holds what is displayed of seat 0, of which the log says this; the player lives on.
#[track_caller]
fn check_heard(item: Value, display: Value) -> Value {
    let output = Match::on(FIELD).hears(seat_0(item));
    assert_eq!(output["display"]["0"], display);
    assert!(output["content"]["0"].is_object(), "player 0 has died");
    output
}

/// Wants seat 0 to have died of something that could not be read.
#[track_caller]
fn check_unreadable(item: Value, verdict: &str) {
    let output = Match::on(FIELD).hears(seat_0(item.clone()));
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

/// Holds the strengths gained in the second of two turns against those for `sample`, `judge` and `prose`.
#[track_caller]
fn check_rulings(first: [i32; 4], second: [i32; 4], want: [[i32; 4]; 3]) {
    for (ruling, want) in ForfeitRuling::ALL.into_iter().zip(want) {
        let mut begun = Match::with(init_data::write(&map(LINE)), ruling);
        begun.acts(first);
        let output = begun.acts(second);
        assert_eq!(output["display"]["trace"]["strengthDelta"], json!(want), "{}", ruling.name());
    }
}

#[track_caller]
fn error(input: &str) -> String {
    let error: JudgeError = judge::answer(input, Ruleset::default(), CLOCK).expect_err("the judge is to refuse this");
    error.to_string()
}
