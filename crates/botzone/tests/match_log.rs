//! Match logs: read as Botzone hands them out, in both forms, and written.

mod common;

use common::{CLOCK, FIELD, Match, Whims, actions_item, item, map, random_map, says, seat_0};
use pacman2_botzone::match_log::{LoggedPlayer, MatchLog};
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::{init_data, judge};
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset, Seat};
use serde_json::{Value, json};

// Both forms.

#[test]
fn a_log_has_the_map_and_the_turns() {
    let mut begun = Match::on(FIELD);
    begun.acts([1, -1, 9, -1]);
    begun.acts([2, 3, -1, -1]);
    let log = read(&downloaded(&begun));
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
fn a_log_tells_who_played() {
    let mut value = downloaded(&Match::on(FIELD));
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
fn a_log_may_not_tell_who_played() {
    let mut value = downloaded(&Match::on(FIELD));
    for players in [json!(null), json!([]), json!("four"), json!([{}, null, 5, { "bot": 5 }])] {
        value["players"] = players;
        assert_eq!(read(&value).names, BySeat::default());
    }
}

#[test]
fn initdata_may_be_a_string_of_the_match() {
    // Older judges may not have said what they made of it.
    let drawn = map(FIELD);
    for initdata in [json!(init_data::write(&drawn).to_string()), init_data::write(&drawn)] {
        let value = json!({ "initdata": initdata, "log": [{ "output": { "command": "request" } }, actions_item([-1; 4])] });
        let log = read(&value);
        assert_eq!((log.map, log.turns.len()), (drawn.clone(), 1));
    }
}

#[test]
fn what_the_judge_made_of_the_initdata_counts() {
    let mut value = downloaded(&Match::on(FIELD));
    value["initdata"] = json!("{\"seed\": 1}");
    assert_eq!(read(&value).map, map(FIELD));
}

#[test]
fn logs_are_recognised() {
    assert!(MatchLog::recognises(&downloaded(&Match::on(FIELD))));
    assert!(MatchLog::recognises(&light(&downloaded(&Match::on(FIELD)))));
    for other in [json!({}), json!([]), json!({ "log": [] }), json!({ "log": {} }), json!({ "format": "pacman2 replay" })] {
        assert!(!MatchLog::recognises(&other), "{other}");
    }
}

// Matches that did not end well.

#[test]
fn a_log_may_be_unfinished() {
    let mut begun = Match::on(FIELD);
    begun.acts([1, -1, -1, -1]);
    let mut value = downloaded(&begun);
    check_turns(&value, 1);
    // The players have answered, and the judge has not yet.
    push(&mut value, actions_item([-1; 4]));
    check_turns(&value, 2);
    assert_eq!(read(&value).scores(), None);
    value["log"].as_array_mut().expect("the log is a list").truncate(1);
    check_turns(&value, 0);
}

#[test]
fn a_log_has_who_was_stopped() {
    let mut begun = Match::on(FIELD);
    let mut answers = actions_item([-1; 4]);
    answers["1"] = json!({ "verdict": "TLE", "time": 1001, "memory": 3 });
    answers["3"] = json!({ "verdict": "RE", "time": 1, "memory": 0, "response": null, "debug": "segfault" });
    begun.hears(answers);
    let log = read(&downloaded(&begun));
    let stopped = |verdict, time_ms, memory_mb, debug| LoggedPlayer {
        heard: ParsedResponse::Nothing(verdict),
        verdict,
        response: Value::Null,
        debug,
        time_ms: Some(time_ms),
        memory_mb: Some(memory_mb),
    };
    assert_eq!(log.turns[0][Seat::S1], Some(stopped(Verdict::Tle, 1001, 3, None)));
    assert_eq!(log.turns[0][Seat::S3], Some(stopped(Verdict::Re, 1, 0, Some(json!("segfault")))));
}

#[test]
fn a_log_has_humans() {
    let mut begun = Match::on(FIELD);
    begun.hears(seat_0(json!({ "content": { "action": 1 } })));
    let log = read(&downloaded(&begun));
    let human = LoggedPlayer {
        heard: ParsedResponse::Action { number: 1, taunt: None },
        verdict: Verdict::Ok,
        response: json!({ "action": 1 }),
        debug: None,
        time_ms: None,
        memory_mb: None,
    };
    assert_eq!(log.turns[0][Seat::S0], Some(human));
}

#[test]
fn a_time_out_is_forgiven_once_in_both_forms() {
    let mut begun = Match::on(FIELD);
    begun.hears(seat_0(json!({ "error": "Timeout" })));
    begun.hears(seat_0(json!({ "content": { "error": "Timeout" } })));
    let full = downloaded(&begun);
    for value in [light(&full), full] {
        let log = read(&value);
        assert_eq!(log.turns[0][Seat::S0].as_ref().map(|logged| &logged.heard), Some(&stay()));
        assert_eq!(log.turns[1][Seat::S0].as_ref().map(|logged| &logged.heard), Some(&ParsedResponse::Nothing(Verdict::Ok)));
    }
}

#[test]
fn what_the_judge_displayed_counts() {
    // A judge with other ideas of what can be forgiven.
    let mut begun = Match::on(FIELD);
    begun.acts([-1; 4]);
    let mut value = downloaded(&begun);
    value["log"][1]["0"] = json!({ "verdict": "OK", "response": "?" });
    value["log"][1]["1"] = says(json!({ "action": 2 }));
    assert_eq!(numbers(&read(&value)), [[Some(-1); 4]]);
}

#[test]
fn taunt_cut() {
    // Botzone's judge cuts at byte 40, here within the fourteenth character.
    let mut begun = Match::on(FIELD);
    begun.acts([-1; 4]);
    let mut value = downloaded(&begun);
    value["log"][2]["output"]["display"]["0"]["tauntText"] = json!("金".repeat(13) + "\u{fffd}");
    let heard = read(&value).turns[0][Seat::S0].clone().map(|logged| logged.heard);
    assert_eq!(heard, Some(ParsedResponse::Action { number: -1, taunt: Some("金".repeat(13)) }));
}

// Logs that cannot be read.

#[test]
fn a_log_has_a_list_of_items() {
    for value in [json!(null), json!({ "log": "…" }), json!({ "logs": [] })] {
        check_refused(&value, "the match log has no list of log (or logs) items");
    }
}

#[test]
fn a_log_without_a_map_is_refused() {
    let message = "the match log's init data cannot be played: init data must be a JSON object, got null";
    check_refused(&json!({ "log": [{}] }), message);
    check_refused(&json!({ "log": [{}], "initdata": "nonsense" }), message);
    check_refused(
        &json!({ "log": [{}], "initdata": { "width": 12 } }),
        "the match log's init data cannot be played: width must be a whole number between 6 and 11, got 12",
    );
}

#[test]
fn a_log_that_contradicts_the_rules_is_refused() {
    let mut begun = Match::on(FIELD);
    begun.acts([-1; 4]);
    begun.acts([1, -1, -1, -1]);
    let mut value = downloaded(&begun);
    value["log"][4]["output"]["display"]["trace"]["strengthDelta"] = json!([0, 0, 5, 0]);
    check_refused(&value, "turn 2: the log says that strengths changed by [0,0,5,0], the rules say [0, 0, 0, 0]");
}

#[test]
fn a_log_of_another_ruling_is_refused() {
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
    let mut begun = Match::with(init_data::write(&map(drawn)), ForfeitRuling::Judge);
    begun.acts([-1; 4]);
    begun.acts([5, 0, -1, -1]);
    let value = downloaded(&begun);
    let log = MatchLog::read(&value, Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(log.map.maze.ruleset().forfeit_ruling, ForfeitRuling::Judge);
    check_refused(&value, "turn 2: the log says that strengths changed by [8,-7,0,-1], the rules say [2, -1, 0, -1]");

    let log = MatchLog::read_by_any_ruling(&value).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(log.map.maze.ruleset().forfeit_ruling, ForfeitRuling::Judge);
}

#[test]
fn where_every_ruling_agrees_it_is_the_samples() {
    let mut begun = Match::on(FIELD);
    begun.acts([-1; 4]);
    let log = MatchLog::read_by_any_ruling(&downloaded(&begun)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(log.map.maze.ruleset().forfeit_ruling, ForfeitRuling::Sample);
}

#[test]
fn a_log_with_other_scores_is_refused() {
    let mut begun = Match::on(FIELD);
    begun.acts([9; 4]);
    let mut value = downloaded(&begun);
    value["log"][2]["output"]["display"]["result"]["2"] = json!(10.01);
    check_refused(
        &value,
        r#"turn 1: the log says that the scores are {"0":10.0,"1":10.0,"2":10.01,"3":10.0}, the rules say {"0":10.0,"1":10.0,"2":10.0,"3":10.0}"#,
    );
}

#[test]
fn a_log_ends_with_the_game() {
    let mut begun = Match::on(FIELD);
    begun.acts([9; 4]);
    let mut value = downloaded(&begun);
    push(&mut value, actions_item([-1; 4]));
    check_refused(&value, "turn 2 comes after the end of the game");
}

// Written logs.

#[test]
fn a_written_log() {
    let mut begun = Match::on(FIELD);
    let mut answers = actions_item([1, -1, 9, -1]);
    answers["1"]["debug"] = json!({ "depth": 3 });
    begun.hears(answers);
    let mut log = read(&downloaded(&begun));
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
                { "memory": 0, "time": 0, "verdict": "OK", "output": begun.log()[0]["output"] },
                { "0": acted(1), "1": debugged, "2": acted(9), "3": acted(-1) },
                { "memory": 0, "time": 0, "verdict": "OK", "output": begun.log()[2]["output"] },
            ],
        })
    );
}

#[test]
fn what_is_written_is_read() {
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
fn what_was_not_measured_is_not_invented() {
    let mut begun = Match::on(FIELD);
    begun.hears(seat_0(json!({ "content": { "action": 1 } })));
    let log = read(&downloaded(&begun));
    assert_eq!(read(&log.write()).turns, log.turns);
}

#[test]
fn another_turn_limit_is_written_and_read() {
    let settings = Ruleset { turn_limit: 2, ..Ruleset::default() };
    let mut log = read(&downloaded(&Match::on(FIELD)));
    log.map.maze = log.map.maze.with_ruleset(settings).expect("2 is possible");
    let stay = LoggedPlayer {
        heard: stay(),
        verdict: Verdict::Ok,
        response: json!({ "action": -1 }),
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
fn the_judge_agrees_with_what_is_written() {
    let mut late = Match::on(FIELD);
    late.hears(seat_0(json!({ "error": "Timeout" })));
    late.hears(seat_0(json!({ "verdict": "TLE" })));
    for begun in [play(21), late] {
        let written = read(&downloaded(&begun)).write();
        let items = written["log"].as_array().expect("the log is a list");
        let judged = judge::answer(&json!({ "log": items[..items.len() - 1] }).to_string(), Ruleset::default(), CLOCK);
        assert_eq!(judged.as_ref(), Ok(&items[items.len() - 1]["output"]));
    }
}

// Replays.

#[test]
fn a_log_can_be_played_again() {
    let begun = play(21);
    let log = read(&downloaded(&begun));
    let displayed: Vec<Value> = log.replay().iter().map(|turn| turn.display()).collect();
    let logged: Vec<Value> = begun.log()[2..].iter().step_by(2).map(|item| item["output"]["display"].clone()).collect();
    assert_eq!(displayed, logged);
    let scores = log.scores().expect("the match was played to its end");
    assert_eq!(pacman2_botzone::session::result(&scores), begun.output()["content"]);
}

/// A whole match.
fn play(seed: i32) -> Match {
    let mut begun = Match::with(json!({ "seed": seed }), ForfeitRuling::Sample);
    let mut game = pacman2_rules::Game::new(random_map(seed).maze, random_map(seed).start);
    let mut whims = Whims::new(seed as u64);
    while !game.is_over() {
        let heard = whims.hear(&game);
        begun.hears(item(&heard));
        game.play(&BySeat::from_fn(|seat| heard[seat].as_ref().map(ParsedResponse::action).unwrap_or_default()));
    }
    begun
}

/// The match as Botzone lets users download it.
fn downloaded(begun: &Match) -> Value {
    json!({ "_id": "5f0c", "initdata": "", "log": begun.log() })
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
    let number = |logged: &Option<LoggedPlayer>| match logged.as_ref()?.heard {
        ParsedResponse::Action { number, .. } => Some(number),
        ParsedResponse::Nothing(_) => Some(pacman2_botzone::action::UNREADABLE),
    };
    log.turns.iter().map(|turn| BySeat::from_fn(|seat| number(&turn[seat])).0).collect()
}

#[track_caller]
fn check_turns(value: &Value, turns: usize) {
    assert_eq!(read(value).turns.len(), turns);
}

#[track_caller]
fn check_refused(value: &Value, message: &str) {
    let error = MatchLog::read(value, Ruleset::default()).expect_err("this log is to be refused");
    assert_eq!(error.to_string(), message);
}
