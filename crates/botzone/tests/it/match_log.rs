//! Match logs: read in both of Botzone's forms, and written.

use crate::support::{CLOCK, Dialogue, FIELD, RandomPlayers, actions_item, item, map, only_seat_0, ran, random_map};
use pacman2_botzone::action::UNREADABLE;
use pacman2_botzone::match_log::{LoggedPlayer, MatchLog};
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::{JsonText, init_data, judge};
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset, Seat};
use serde_json::{Value, json};

// Both forms.

#[test]
fn a_log_has_the_map_and_the_turns() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([1, -1, 9, -1]);
    dialogue.act([2, 3, -1, -1]);
    let log = read(&downloaded(&dialogue));
    assert_eq!(log.map, map(FIELD));
    assert_eq!(numbers(&log), [[Some(1), Some(-1), Some(9), Some(-1)], [Some(2), Some(3), None, Some(-1)]]);
}

#[test]
fn the_light_form_has_the_same_turns() {
    let full = downloaded(&play(21));
    let light = light(&full);
    assert_eq!(light["logs"][0].as_object().map(serde_json::Map::len), Some(1));
    let (full, light) = (read(&full), read(&light));
    assert_eq!((light.id, light.names), (None, BySeat::default()));
    assert_eq!((light.map, light.turns), (full.map, full.turns));
}

#[test]
fn a_log_has_the_players_names() {
    let mut value = downloaded(&Dialogue::on(FIELD));
    value["_id"] = json!("5f0c5d2bd3e3f32d6ad0e8d5");
    value["players"] = json!([
        { "type": "bot", "bot": "a7dc8ca" },
        { "type": "bot", "bot": { "name": "zhouhy", "_id": "9ff54a4" } },
        { "type": "bot", "bot": { "_id": "27a4605" } },
        { "type": "human", "name": "zys" },
    ]);
    let log = read(&value);
    assert_eq!(log.id.as_deref(), Some("5f0c5d2bd3e3f32d6ad0e8d5"));
    assert_eq!(log.names.0, ["a7dc8ca", "zhouhy", "27a4605", "zys"].map(|name| Some(name.to_owned())));
}

#[test]
fn an_export_of_a_database_wraps_the_ids() {
    let mut value = downloaded(&Dialogue::on(FIELD));
    value["_id"] = json!({ "$oid": "5f0c5d2bd3e3f32d6ad0e8d5" });
    value["players"] = json!([{ "bot": { "$oid": "a7dc8ca" } }, { "bot": { "_id": { "$oid": "9ff54a4" } } }, {}, {}]);
    let log = read(&value);
    assert_eq!(log.id.as_deref(), Some("5f0c5d2bd3e3f32d6ad0e8d5"));
    assert_eq!(log.names.0, [Some("a7dc8ca"), Some("9ff54a4"), None, None].map(|name| name.map(str::to_owned)));
}

#[test]
fn a_log_may_have_no_names() {
    let mut value = downloaded(&Dialogue::on(FIELD));
    for players in [json!(null), json!([]), json!("four"), json!([{}, null, 5, { "bot": 5 }])] {
        value["players"] = players;
        assert_eq!(read(&value).names, BySeat::default());
    }
}

#[test]
fn initdata_may_be_a_string_of_the_match() {
    // Older judges may not have written the init data that they played with.
    let drawn = map(FIELD);
    for initdata in [json!(init_data::write(&drawn).to_string()), init_data::write(&drawn)] {
        let value = json!({ "initdata": initdata, "log": [{ "output": { "command": "request" } }, actions_item([-1; 4])] });
        let log = read(&value);
        assert_eq!((log.map, log.turns.len()), (drawn.clone(), 1));
    }
}

#[test]
fn the_judges_own_initdata_count() {
    let mut value = downloaded(&Dialogue::on(FIELD));
    value["initdata"] = json!("{\"seed\": 1}");
    assert_eq!(read(&value).map, map(FIELD));
}

#[test]
fn logs_are_recognised() {
    assert!(MatchLog::recognises(JsonText::from(downloaded(&Dialogue::on(FIELD))).json()));
    assert!(MatchLog::recognises(JsonText::from(light(&downloaded(&Dialogue::on(FIELD)))).json()));
    for other in [json!({}), json!([]), json!({ "log": [] }), json!({ "log": {} }), json!({ "format": "pacman2 replay" })] {
        assert!(!MatchLog::recognises(JsonText::from(&other).json()), "{other}");
    }
}

#[test]
fn a_dead_player_may_have_a_null_in_the_display_or_no_key() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([-1, 0, -1, -1]);
    dialogue.act([1, -1, -1, -1]);
    dialogue.act([-1; 4]);
    let value = downloaded(&dialogue);
    let mut with_nulls = value.clone();
    for turn in [4, 6] {
        let display = &mut with_nulls["log"][turn]["output"]["display"];
        assert_eq!(display.get("1"), None);
        display["1"] = Value::Null;
    }
    for (value, with_nulls) in [(&value, &with_nulls), (&light(&value), &light(&with_nulls))] {
        assert_eq!(read(value).turns, read(with_nulls).turns);
        assert_eq!(read(with_nulls).turns[2][Seat::S1], None);
    }
}

// Unfinished matches, and players that gave no response.

#[test]
fn a_log_may_be_unfinished() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([1, -1, -1, -1]);
    let mut value = downloaded(&dialogue);
    check_turns(&value, 1);
    // The players have answered, but the judge has not.
    push(&mut value, actions_item([-1; 4]));
    check_turns(&value, 2);
    assert_eq!(read(&value).scores(), None);
    value["log"].as_array_mut().expect("the log is a list").truncate(1);
    check_turns(&value, 0);
}

#[test]
fn a_log_has_players_that_were_stopped() {
    let mut dialogue = Dialogue::on(FIELD);
    let mut answers = actions_item([-1; 4]);
    answers["1"] = json!({ "verdict": "TLE", "time": 1001, "memory": 3 });
    answers["3"] = json!({ "verdict": "RE", "time": 1, "memory": 0, "response": null, "debug": "segfault" });
    dialogue.respond(answers);
    let log = read(&downloaded(&dialogue));
    let stopped = |verdict, time_ms, memory_mb, debug| LoggedPlayer {
        parsed: ParsedResponse::Nothing(verdict),
        verdict,
        response: Value::Null.into(),
        debug,
        time_ms: Some(time_ms),
        memory_mb: Some(memory_mb),
    };
    assert_eq!(log.turns[0][Seat::S1], Some(stopped(Verdict::Tle, 1001, 3, None)));
    assert_eq!(log.turns[0][Seat::S3], Some(stopped(Verdict::Re, 1, 0, Some(json!("segfault").into()))));
}

#[test]
fn a_log_has_humans() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.respond(only_seat_0(json!({ "content": { "action": 1 } })));
    let log = read(&downloaded(&dialogue));
    let human = LoggedPlayer {
        parsed: ParsedResponse::Action { number: 1, taunt: None },
        verdict: Verdict::Ok,
        response: json!({ "action": 1 }).into(),
        debug: None,
        time_ms: None,
        memory_mb: None,
    };
    assert_eq!(log.turns[0][Seat::S0], Some(human));
}

#[test]
fn a_time_out_is_forgiven_once_in_both_forms() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.respond(only_seat_0(json!({ "error": "Timeout" })));
    dialogue.respond(only_seat_0(json!({ "content": { "error": "Timeout" } })));
    let full = downloaded(&dialogue);
    for value in [light(&full), full] {
        let log = read(&value);
        assert_eq!(log.turns[0][Seat::S0].as_ref().map(|logged| &logged.parsed), Some(&stay()));
        assert_eq!(log.turns[1][Seat::S0].as_ref().map(|logged| &logged.parsed), Some(&ParsedResponse::Nothing(Verdict::Ok)));
    }
}

#[test]
fn the_displayed_action_counts() {
    // A judge that forgives other things.
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([-1; 4]);
    let mut value = downloaded(&dialogue);
    value["log"][1]["0"] = json!({ "verdict": "OK", "response": "?" });
    value["log"][1]["1"] = ran(json!({ "action": 2 }));
    assert_eq!(numbers(&read(&value)), [[Some(-1); 4]]);
}

#[test]
fn taunt_cut() {
    // Botzone's judge cuts after byte 40, here within the fourteenth character.
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([-1; 4]);
    let mut value = downloaded(&dialogue);
    value["log"][2]["output"]["display"]["0"]["tauntText"] = json!("金".repeat(13) + "\u{fffd}");
    let responses = read(&value).turns[0][Seat::S0].clone().map(|logged| logged.parsed);
    assert_eq!(responses, Some(ParsedResponse::Action { number: -1, taunt: Some("金".repeat(13)) }));
}

// Logs that cannot be read.

#[test]
fn a_log_without_items_is_rejected() {
    for value in [json!(null), json!({ "log": "…" }), json!({ "logs": [] })] {
        check_rejected(&value, "expected a match log with a non-empty list log (or logs)");
    }
}

#[test]
fn a_log_without_a_map_is_rejected() {
    let message = "expected a match log with the map of the match, its init data, in the first output or in initdata; got none";
    check_rejected(&json!({ "log": [{}] }), message);
    check_rejected(&json!({ "log": [{}], "initdata": "nonsense" }), message);
    check_rejected(
        &json!({ "log": [{}], "initdata": { "width": 12 } }),
        "the match log's init data cannot be played: width must be a whole number between 6 and 11, got 12",
    );
}

#[test]
fn a_log_that_contradicts_the_rules_is_rejected() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([-1; 4]);
    dialogue.act([1, -1, -1, -1]);
    let mut value = downloaded(&dialogue);
    value["log"][4]["output"]["display"]["trace"]["strengthDelta"] = json!([0, 0, 5, 0]);
    check_rejected(&value, "turn 2: by the rules strengths change by [0, 0, 0, 0], in the log by [0,0,5,0]");
}

#[test]
fn a_log_of_another_ruling_is_rejected() {
    // Player 1 forfeits in the cell of player 3, and player 0 shoots at both.
    let drawn = "
        +----+----+----+----+----+----+
        | 0o   13                     |
        +    +    +    +    +    +    +
        |                             |
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
    let mut dialogue = Dialogue::with(init_data::write(&map(drawn)), ForfeitRuling::Judge);
    dialogue.act([-1; 4]);
    dialogue.act([5, 0, -1, -1]);
    let value = downloaded(&dialogue);
    let log = MatchLog::read(&value, Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(log.map.maze.ruleset().forfeit_ruling, ForfeitRuling::Judge);
    check_rejected(&value, "turn 2: by the rules strengths change by [2, -1, 0, -1], in the log by [8,-7,0,-1]");

    let log = MatchLog::read_json(JsonText::from(&value).json(), None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(log.map.maze.ruleset().forfeit_ruling, ForfeitRuling::Judge);
}

#[test]
fn if_every_ruling_agrees_it_is_sample() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([-1; 4]);
    let log = MatchLog::read_json(JsonText::from(downloaded(&dialogue)).json(), None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(log.map.maze.ruleset().forfeit_ruling, ForfeitRuling::Sample);
}

#[test]
fn a_log_with_other_scores_is_rejected() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([9; 4]);
    let mut value = downloaded(&dialogue);
    value["log"][2]["output"]["display"]["result"]["2"] = json!(10.01);
    check_rejected(
        &value,
        r#"turn 1: by the rules the scores are {"0":10.0,"1":10.0,"2":10.0,"3":10.0}, in the log {"0":10.0,"1":10.0,"2":10.01,"3":10.0}"#,
    );
}

#[test]
fn a_log_that_goes_on_after_the_game() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.act([9; 4]);
    let mut value = downloaded(&dialogue);
    push(&mut value, actions_item([-1; 4]));
    check_rejected(&value, "turn 2 comes after the end of the game");
}

// Written logs.

#[test]
fn a_written_log() {
    let mut dialogue = Dialogue::on(FIELD);
    let mut answers = actions_item([1, -1, 9, -1]);
    answers["1"]["debug"] = json!({ "depth": 3 });
    dialogue.respond(answers);
    let mut log = read(&downloaded(&dialogue));
    log.names = BySeat(["greedy", "sample", "random", "stay"].map(|name| Some(name.to_owned())));
    let field = init_data::write(&map(FIELD));
    let acted = |number: i32| json!({ "memory": 2, "time": 11, "verdict": "OK", "response": { "action": number } });
    let mut debugged = acted(-1);
    debugged["debug"] = json!({ "depth": 3 });
    assert_eq!(
        log.write(),
        json!({
            "_id": "5f0c",
            "players": [{ "bot": "greedy" }, { "bot": "sample" }, { "bot": "random" }, { "bot": "stay" }],
            "initdata": field.to_string(),
            "log": [
                { "memory": 0, "time": 0, "verdict": "OK", "output": dialogue.log()[0]["output"] },
                { "0": acted(1), "1": debugged, "2": acted(9), "3": acted(-1) },
                { "memory": 0, "time": 0, "verdict": "OK", "output": dialogue.log()[2]["output"] },
            ],
        })
    );
}

#[test]
fn a_written_log_is_read() {
    for seed in 21..24 {
        let mut log = read(&downloaded(&play(seed)));
        log.names[Seat::S3] = Some("sample".to_owned());
        let back = read(&log.write());
        assert_eq!((&back.id, &back.map, &back.turns), (&log.id, &log.map, &log.turns));
        assert_eq!(back.names.0, ["player 0", "player 1", "player 2", "sample"].map(|name| Some(name.to_owned())));
        assert_eq!(back.write(), log.write());
    }
}

#[test]
fn missing_measurements_stay_missing() {
    let mut dialogue = Dialogue::on(FIELD);
    dialogue.respond(only_seat_0(json!({ "content": { "action": 1 } })));
    let log = read(&downloaded(&dialogue));
    assert_eq!(read(&log.write()).turns, log.turns);
}

#[test]
fn another_turn_limit_is_written_and_read() {
    let settings = Ruleset { turn_limit: 2, ..Ruleset::default() };
    let mut log = read(&downloaded(&Dialogue::on(FIELD)));
    log.map.maze = log.map.maze.with_ruleset(settings).expect("2 is possible");
    let stay = LoggedPlayer {
        parsed: stay(),
        verdict: Verdict::Ok,
        response: json!({ "action": -1 }).into(),
        debug: None,
        time_ms: None,
        memory_mb: None,
    };
    log.turns = vec![BySeat::from_fn(|_| Some(stay.clone())); 2];
    assert!(log.scores().is_some());
    assert!(read(&log.write()).scores().is_some());
}

#[test]
fn turns_after_the_end_are_not_written() {
    let mut log = read(&downloaded(&play(21)));
    let written = log.write();
    log.turns.push(log.turns[0].clone());
    assert_eq!(log.write(), written);
}

#[test]
fn the_judge_agrees_with_a_written_log() {
    let mut late = Dialogue::on(FIELD);
    late.respond(only_seat_0(json!({ "error": "Timeout" })));
    late.respond(only_seat_0(json!({ "verdict": "TLE" })));
    for dialogue in [play(21), late] {
        let written = read(&downloaded(&dialogue)).write();
        let items = written["log"].as_array().expect("the log is a list");
        let judged = judge::answer(&json!({ "log": items[..items.len() - 1] }).to_string(), Ruleset::default(), CLOCK);
        assert_eq!(judged.unwrap(), items[items.len() - 1]["output"]);
    }
}

// Replays.

#[test]
fn a_log_can_be_played_again() {
    let dialogue = play(21);
    let log = read(&downloaded(&dialogue));
    let displayed: Vec<Value> = log.replay().iter().map(|turn| turn.display()).collect();
    let logged: Vec<Value> = dialogue.log()[2..].iter().step_by(2).map(|item| item["output"]["display"].clone()).collect();
    assert_eq!(displayed, logged);
    let scores = log.scores().expect("the match was played to its end");
    assert_eq!(pacman2_botzone::session::result(&scores), dialogue.output()["content"]);
}

/// Plays a whole match.
fn play(seed: i32) -> Dialogue {
    let mut dialogue = Dialogue::with(json!({ "seed": seed }), ForfeitRuling::Sample);
    let mut game = pacman2_rules::Game::new(random_map(seed).maze, random_map(seed).start);
    let mut players = RandomPlayers::new(seed as u64);
    while !game.is_over() {
        let responses = players.responses(&game);
        dialogue.respond(item(&responses));
        game.play(&BySeat::from_fn(|seat| responses[seat].as_ref().map(ParsedResponse::action).unwrap_or_default()));
    }
    dialogue
}

/// Returns the match as Botzone lets users download it.
fn downloaded(dialogue: &Dialogue) -> Value {
    json!({ "_id": "5f0c", "initdata": "", "log": dialogue.log() })
}

fn light(full: &Value) -> Value {
    let of_item = |item: &Value| match item.get("output") {
        Some(output) => json!({ "output": { "display": output["display"] } }),
        None => item.clone(),
    };
    json!({ "logs": full["log"].as_array().expect("the log is a list").iter().map(of_item).collect::<Vec<_>>() })
}

fn push(value: &mut Value, item: Value) {
    value["log"].as_array_mut().expect("the log is a list").push(item);
}

fn stay() -> ParsedResponse {
    ParsedResponse::Action { number: -1, taunt: None }
}

#[track_caller]
fn read(value: &Value) -> MatchLog {
    MatchLog::read(value, Ruleset::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn numbers(log: &MatchLog) -> Vec<[Option<i32>; 4]> {
    let number = |logged: &Option<LoggedPlayer>| Some(logged.as_ref()?.parsed.number().unwrap_or(UNREADABLE));
    log.turns.iter().map(|turn| BySeat::from_fn(|seat| number(&turn[seat])).0).collect()
}

#[track_caller]
fn check_turns(value: &Value, turns: usize) {
    assert_eq!(read(value).turns.len(), turns);
}

#[track_caller]
fn check_rejected(value: &Value, message: &str) {
    let error = MatchLog::read(value, Ruleset::default()).expect_err("the log must be rejected");
    assert_eq!(error.to_string(), message);
}
