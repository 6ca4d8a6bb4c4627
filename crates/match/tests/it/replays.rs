//! Replays: written, read and verified; also invalid replays of strangers.

use std::sync::atomic::AtomicBool;

use pacman2_botzone::JsonText;
use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_botzone::match_log::MatchLog;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_maps::Map;
#[cfg(unix)]
use pacman2_maps::MapSize;
use pacman2_match::complaint::Complaint;
use pacman2_match::player::{InProcess, Player, Request, Response};
use pacman2_match::record::record;
use pacman2_match::referee::{AskMode, Players, play, recall};
#[cfg(unix)]
use pacman2_match::{
    player::BotProgram,
    record::limits_info,
    referee::{MatchTurn, play_on},
};
#[cfg(unix)]
use pacman2_replay::TurnInfo;
use pacman2_replay::{LimitsInfo, Replay, SeatInfo};
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset, Seat, picture};
use pacman2_runner::Tier;
#[cfg(unix)]
use pacman2_runner::{Limits, Program};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A player that takes these actions in turn; an error is a response that cannot be parsed.
struct Scripted(Vec<Result<(i32, &'static str), Verdict>>);

impl Player for Scripted {
    fn ask(&mut self, request: &Request<'_>) -> Response {
        let response = InProcess::new(|_: &BotView| BotReply::default(), String::new()).ask(request);
        match self.0.remove(0) {
            Ok((number, taunt)) => {
                let action = json!({ "action": number, "tauntText": taunt });
                Response {
                    parsed: ParsedResponse::from_response(&action, Verdict::Ok),
                    debug: Some(json!({ "n": number }).into()),
                    ..response
                }
            }
            Err(verdict) => {
                let complaint = Some(Complaint::Other("something was wrong".to_owned()));
                let (output, stderr) = ("{\u{1b}".to_owned(), "out of ideas\n".to_owned());
                Response { parsed: ParsedResponse::Nothing(verdict), complaint, output, stderr, ..response }
            }
        }
    }
}

/// A match with every kind of answer, and its replay.
fn replay(ruling: ForfeitRuling) -> Replay {
    let drawn = format!(
        "
        turn 0/3, forfeited {}
        +----+----+----+----+----+----+
        | 0o   1                      |
        +----+----+----+----+----+----+
        |                             |
        +----+----+----+----+----+----+
        |                             |
        +----+----+----+----+----+----+
        |                             |
        +----+----+----+----+----+----+
        |                             |
        +----+----+----+----+----+----+
        | 2                        3. |
        +----+----+----+----+----+----+
        ",
        ruling.name()
    );
    let (maze, start) = picture::read(&drawn).unwrap_or_else(|error| panic!("{error}"));
    let map = Map { seed: -7, maze, start };
    let mut players: Players = BySeat([
        Box::new(Scripted(vec![Ok((-1, "嘿")), Ok((5, "")), Ok((5, "\"\\\n"))])),
        Box::new(Scripted(vec![Ok((1, "")), Ok((99, "no!"))])),
        Box::new(Scripted(vec![Err(Verdict::Ok)])),
        Box::new(Scripted(vec![Ok((3, "")), Ok((1, "")), Err(Verdict::Nj)])),
    ]);
    let turns = play(map.clone(), &mut players, AskMode::OneByOne, &AtomicBool::new(false), |_, _| ()).unwrap();
    assert_eq!(turns.len(), 3);
    let seats = BySeat::from_fn(|seat: Seat| SeatInfo::named(format!("bot {seat}")));
    let limits = LimitsInfo { time_ms: Some(1000), memory_mb: None, output_bytes: Some(5) };
    record(&map, seats, limits, BySeat([Some(Tier::A), None, Some(Tier::C), Some(Tier::B)]), &turns)
}

#[test]
fn a_replay_reads_back() {
    for ruling in ForfeitRuling::ALL {
        let replay = replay(ruling);
        assert_eq!(Replay::read(&replay.write()).unwrap(), replay);
    }
}

#[test]
fn what_the_viewer_adds_is_kept_as_it_is() {
    let text = replay(ForfeitRuling::Sample).write();
    let with = |key: &str, added: &str| format!("{},\n\"{key}\":{added}}}\n", text.trim_end().strip_suffix('}').unwrap());
    for (key, added, other) in [
        ("branches", r#"[{"number":1,"parent":0},"whatever"]"#, "7"),
        ("rerun", r#"{"bot":"new","whatever":[1]}"#, "[]"),
        ("notes", r#"[{"text":"why?","turn":1},"whatever"]"#, "{}"),
    ] {
        let read = Replay::read(&with(key, added)).unwrap();
        assert_eq!(read.write(), with(key, added));
        assert_eq!(read.verify().unwrap().len(), 3);
        assert_eq!(Replay::read(&with(key, other)).unwrap().write(), text, "{key} of another kind is left out");
    }
}

#[test]
fn a_replay_is_the_match() {
    for ruling in ForfeitRuling::ALL {
        let replay = replay(ruling);
        let map = &replay.public.map;
        assert_eq!((map.seed, map.maze.ruleset().forfeit_ruling, map.maze.ruleset().turn_limit), (-7, ruling, 3));
        let turns = replay.verify().unwrap();
        assert_eq!(turns.len(), 3);
        assert_eq!(turns[0].responses[Seat::S0], Some(ParsedResponse::Action { number: -1, taunt: Some("嘿".to_owned()) }));
    }
}

#[test]
fn each_kind_of_answer_has_its_verdict() {
    let replay = replay(ForfeitRuling::Sample);
    let public_turns: Vec<Value> =
        replay.public.turns.iter().map(|turn| json!([turn.actions, turn.verdicts, turn.taunts])).collect();
    assert_eq!(
        public_turns,
        [
            json!([[-1, 1, -10, 3], ["OK", "OK", "ILLEGAL", "OK"], ["嘿", null, null, null]]),
            json!([[5, 99, null, 1], ["OK", "ILLEGAL", null, "OK"], [null, "no!", null, null]]),
            json!([[5, null, null, -10], ["OK", null, null, "NJ"], ["\"\\\n", null, null, null]]),
        ]
    );
}

#[test]
fn a_line_is_a_turn() {
    let text = replay(ForfeitRuling::Sample).write();
    assert!(text.starts_with("{\"format\":\"pacman2 replay\",\"version\":1,\"public\":{\n\"init\":{"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("{\"actions\":[")).count(), 3);
    assert_eq!(text.lines().filter(|line| line.starts_with("[{\"wall_us\":")).count(), 3);
    assert!(text.ends_with("]}}\n"));
}

#[test]
fn faulty_output_is_kept_and_other_output_is_not() {
    let replay = replay(ForfeitRuling::Sample);
    let diagnostics = |turn: usize, seat: usize| replay.private.turns[turn][seat].clone().unwrap();
    assert_eq!((diagnostics(0, 2).output.as_str(), diagnostics(0, 2).stderr.as_str()), ("{\u{1b}", "out of ideas\n"));
    assert_eq!(diagnostics(1, 1).complaint.as_deref(), Some("unknown action 99; expected -1 to 7"));
    assert_eq!((diagnostics(0, 0).output.as_str(), diagnostics(0, 0).debug), ("", Some(json!({ "n": -1 }).into())));
    assert!(replay.private.turns[1][2].is_none());
}

#[test]
fn the_tier_of_each_seat_is_written_where_it_is_known() {
    let mut replay = replay(ForfeitRuling::Sample);
    let text = replay.write();
    let (public, private) = text.split_once("\n\"private\":").unwrap();
    assert!(private.starts_with("{\"sandbox\":[\"A\",null,\"C\",\"B\"],\"turns\":[\n"), "{private}");
    assert!(!public.contains("sandbox"), "it differs from machine to machine");
    check_serialized(&replay);

    replay.private.sandbox = [None; 4];
    let text = replay.write();
    assert!(!text.contains("sandbox"), "a replay without processes has no sandbox key");
    check_serialized(&replay);
    assert_eq!(Replay::read(&text).unwrap(), replay);
    let none = text.replacen("\"private\":{", "\"private\":{\"sandbox\":null,", 1);
    assert_eq!(Replay::read(&none).unwrap(), replay);
}

/// Checks that the parts serialize as the replay is written; an arena stores them on their own.
#[track_caller]
fn check_serialized(replay: &Replay) {
    let written: Value = serde_json::from_str(&replay.write()).unwrap();
    assert_eq!(serde_json::to_value(&replay.public).unwrap(), written["public"]);
    assert_eq!(serde_json::to_value(&replay.private).unwrap(), written["private"]);
}

#[test]
fn an_unknown_tier_is_rejected_with_its_path() {
    let replay = replay(ForfeitRuling::Sample).write();
    for (sandbox, reason) in [
        (json!(["A", null, "D", "C"]), "[2]: expected \"A\", \"A-\", \"B\", \"C\" or null, got \"D\""),
        (json!(["a", null, null, null]), "[0]: expected \"A\", \"A-\", \"B\", \"C\" or null, got \"a\""),
        (json!([null, null, null, 1]), "[3]: expected \"A\", \"A-\", \"B\", \"C\" or null, got 1"),
        (json!(["A", "B", "C"]), ": expected a list of four, got a list of 3"),
        (json!("A"), ": expected a list, got \"A\""),
    ] {
        let mut value: Value = serde_json::from_str(&replay).unwrap();
        value["private"]["sandbox"] = sandbox;
        let error = Replay::read(&value.to_string()).unwrap_err().to_string();
        assert_eq!(error, format!("private.sandbox{reason}"));
    }
}

#[test]
fn unknown_keys_are_ignored_and_the_private_part_may_be_missing() {
    let mut value: Value = serde_json::from_str(&replay(ForfeitRuling::Sample).write()).unwrap();
    value.as_object_mut().unwrap().remove("private");
    value["colour"] = json!("red");
    value["public"]["weather"] = json!({ "rain": true });
    value["public"]["turns"][0]["mood"] = json!([1]);
    let read = Replay::read(&value.to_string()).unwrap();
    assert_eq!(read.public, replay(ForfeitRuling::Sample).public);
    assert!(read.verify().is_ok() && read.private.turns.is_empty());
}

#[test]
fn a_match_log_brings_it_back() {
    for ruling in ForfeitRuling::ALL {
        let replay = replay(ruling);
        let log = replay.to_match_log().unwrap().write();
        let back = Replay::from_match_log(&MatchLog::read(&log, Ruleset::default().with_forfeit_ruling(ruling)).unwrap());
        assert_eq!((&back.public.turns, back.public.scores), (&replay.public.turns, replay.public.scores));
        assert_eq!(back.public.map, replay.public.map);
        assert_eq!(back.public.seats.map(|seat| seat.name), ["bot 0", "bot 1", "bot 2", "bot 3"]);
        assert_eq!(back.private.turns[0][0].clone().unwrap().debug, Some(json!({ "n": -1 }).into()));
        assert_eq!(back.private.sandbox, [None; 4], "a log does not record sandboxes");
    }
}

#[test]
fn the_documents_example_is_a_replay() {
    for text in [include_str!("../../../../docs/REPLAY.md"), include_str!("../../../../docs/REPLAY.zh.md")] {
        let (_, example) = text.split_once("```json\n").expect("the document has an example");
        let (example, _) = example.split_once("```").unwrap();
        let replay = Replay::read(example).unwrap_or_else(|error| panic!("{error}"));
        replay.verify().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(replay.write(), example);
    }
}

// Reading and verifying a file succeeds or returns an error; it never panics.

/// Checks what must hold for any text.
fn check_any(text: &str) {
    let Ok(replay) = Replay::read(text) else { return };
    assert_eq!(Replay::read(&replay.write()).unwrap(), replay, "a replay that was read can be written");
    let verified = replay.verify();
    let Ok(log) = replay.to_match_log() else { return assert!(verified.is_err()) };
    let ruling = replay.public.map.maze.ruleset().forfeit_ruling;
    let back =
        MatchLog::read(&log.write(), Ruleset::default().with_forfeit_ruling(ruling)).expect("a log that we wrote can be read");
    Replay::from_match_log(&back).verify().expect("a log that we wrote follows the rules");
}

/// Returns the value at a path in a tree of JSON. Each number of the path selects a branch.
fn value_at<'a>(value: &'a mut Value, path: &[usize]) -> &'a mut Value {
    let branches = match value {
        Value::Array(items) => items.len(),
        Value::Object(entries) => entries.len(),
        _ => 0,
    };
    let Some((index, rest)) = path.split_first().filter(|_| branches > 0) else { return value };
    let branch = match value {
        Value::Array(items) => items.get_mut(index % branches),
        Value::Object(entries) => entries.values_mut().nth(index % branches),
        _ => None,
    };
    value_at(branch.expect("the index is in range"), rest)
}

fn junk() -> impl Strategy<Value = Value> {
    let number = |number: i64| json!(number);
    prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!({})),
        any::<bool>().prop_map(Value::from),
        (-12_i64..130).prop_map(number),
        any::<i64>().prop_map(number),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(vec!["OK", "ILLEGAL", "TLE", "NJ", "", "sample", "prose", "\u{1b}", "0000000000000000"])
            .prop_map(Value::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn a_replay_with_other_values_causes_no_panic(
        changes in prop::collection::vec((prop::collection::vec(0_usize..200, 0..8), junk()), 1..4)
    ) {
        let mut value: Value = serde_json::from_str(&replay(ForfeitRuling::Prose).write()).unwrap();
        for (path, junk) in changes {
            *value_at(&mut value, &path) = junk;
        }
        check_any(&value.to_string());
    }

    #[test]
    fn a_replay_with_other_bytes_causes_no_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), "[ -~]{0,3}"), 1..6),
        end in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut text: Vec<char> = replay(ForfeitRuling::Judge).write().chars().collect();
        for (at, junk) in changes {
            let at = at.index(text.len());
            text.splice(at..at + 1, junk.chars());
        }
        if is_cut {
            text.truncate(end.index(text.len()));
        }
        check_any(&text.into_iter().collect::<String>());
    }
}

#[test]
fn unusual_settings_are_kept() {
    let settings = Ruleset { skill_cost: 9, generator_interval: 3, turn_limit: 1, ..Ruleset::default() };
    let map = Map::generate(5, pacman2_maps::MapSize::default(), settings).unwrap();
    let mut players: Players = BySeat::from_fn(|_| Box::new(Scripted(vec![Ok((-1, ""))])) as Box<dyn Player>);
    let turns = play(map.clone(), &mut players, AskMode::AtOnce, &AtomicBool::new(false), |_, _| ()).unwrap();
    let seats = BySeat::from_fn(|_| SeatInfo { program: Some("x".to_owned()), time_factor: Some(3), ..SeatInfo::named("") });
    let replay = record(&map, seats, LimitsInfo::default(), BySeat::from_fn(|_| None), &turns);
    assert_eq!(Replay::read(&replay.write()).unwrap().public.map, map);
}

/// A program that reports a checksum of everything it was asked with.
#[cfg(unix)]
fn checksumming_program() -> Box<dyn Player> {
    let script = r#"read -r asked; echo "{\"response\":{\"action\":-1},\"debug\":\"$(printf %s "$asked" | cksum)\"}""#;
    let program = Program::new(vec!["/bin/sh".into(), "-c".into(), script.into()], Limits::NONE);
    Box::new(BotProgram::new(program, JsonText::default()))
}

#[cfg(unix)]
#[test]
fn programs_play_on_from_a_replay_as_if_they_had_played_all_of_it() {
    let map = Map::generate(3, MapSize::default(), Ruleset { turn_limit: 8, ..Ruleset::default() }).unwrap();
    let stop = AtomicBool::new(false);
    let walk = |view: &BotView| BotReply::action(view.game.state().legal_actions(view.game.maze(), view.seat)[1]);
    let players = || -> Players {
        BySeat([
            checksumming_program(),
            checksumming_program(),
            Box::new(InProcess::new(walk, String::new())),
            checksumming_program(),
        ])
    };
    let turns = play(map.clone(), &mut players(), AskMode::AtOnce, &stop, |_, _| ()).unwrap();
    let seats = BySeat::from_fn(|seat| SeatInfo::named(format!("player {seat}")));
    let whole = record(&map, seats, limits_info(Limits::NONE), BySeat::default(), &turns);
    for past_turns in [0, 1, 5] {
        let mut players = players();
        let mut first = whole.clone();
        first.public.turns.truncate(past_turns);
        let past = recall(&first, &mut players).unwrap();
        let rest = play_on(past, &mut players, AskMode::AtOnce, &stop, |_, _| ()).unwrap();
        let debug_of = |turn: &MatchTurn| turn.responses.0.each_ref().map(|response| response.as_ref()?.debug.clone());
        let facts = |turns: &[MatchTurn]| -> Vec<_> {
            turns.iter().map(|turn| (TurnInfo::from_turn(&turn.turn), debug_of(turn))).collect()
        };
        assert_eq!(facts(&rest), facts(&turns[past_turns..]), "after {past_turns} turns");
    }
}

#[test]
fn a_replay_that_differs_from_the_rules_cannot_be_played_on() {
    let mut replay = replay(ForfeitRuling::default());
    replay.public.turns[1].position ^= 1;
    let mut players: Players = BySeat::from_fn(|_| Box::new(Scripted(Vec::new())) as _);
    assert!(recall(&replay, &mut players).is_err());
    replay.public.turns.truncate(1);
    assert!(recall(&replay, &mut players).is_ok());
}
