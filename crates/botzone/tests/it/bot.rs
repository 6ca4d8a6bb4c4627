//! The library for bots, driven by a real judge, in each of the three interactions.

use crate::support::{FIELD, RandomPlayers, action, map, random_map};
use pacman2_botzone::bot::{self, BotError, BotReply, BotView, RunOptions};
use pacman2_botzone::session::{Session, first_request};
use pacman2_botzone::{KEEP_RUNNING, init_data};
use pacman2_maps::Map;
use pacman2_rules::{Action, Direction, ForfeitRuling, Ruleset, Seat, State};
use serde_json::{Value, json};

const ONE_TURN: RunOptions = RunOptions { keep_running: false, ruleset: Ruleset::BOTZONE };
const KEPT: RunOptions = RunOptions { keep_running: true, ..ONE_TURN };

// JSON interaction.

#[test]
fn an_answer_is_one_line_of_json() {
    let input = json!({ "requests": [first(Seat::S0)], "responses": [] });
    assert_eq!(
        answers(&input.to_string(), ONE_TURN, |_| BotReply::action(action(1))),
        [r#"{"data":"","response":{"action":1,"tauntText":""}}"#]
    );
}

#[test]
fn an_answer_has_everything_that_the_bot_replies() {
    let input = json!({ "requests": [first(Seat::S0)] });
    let reply = BotReply {
        action: Action::Shoot(Direction::Left),
        taunt: "你好\nhello".to_owned(),
        debug: Some(json!({ "depth": 3 })),
        data: "a \"line\"\nand another".to_owned(),
        globaldata: Some("wins: 1".to_owned()),
    };
    let lines = answers(&input.to_string(), ONE_TURN, |_| reply.clone());
    let [answer] = &lines[..] else { panic!("expected one line, got {lines:?}") };
    assert_eq!(
        parse(answer),
        json!({
            "response": { "action": 7, "tauntText": "你好\nhello" },
            "debug": { "depth": 3 },
            "data": "a \"line\"\nand another",
            "globaldata": "wins: 1",
        })
    );
}

#[test]
fn the_bot_sees_its_seat_and_its_data() {
    let input = json!({
        "requests": [first(Seat::S2)],
        "responses": [],
        "data": "last turn",
        "globaldata": "last match",
        "time_limit": 1,
        "memory_limit": 256,
    });
    check_view(&input.to_string(), ONE_TURN, |view| {
        assert_eq!((view.seat, view.seed, view.data, view.globaldata), (Seat::S2, 7, "last turn", "last match"));
    });
}

#[test]
fn data_that_was_never_stored_is_empty() {
    for stored in [json!({}), json!({ "data": null, "globaldata": null })] {
        let mut input = stored;
        input["requests"] = json!([first(Seat::S0)]);
        check_view(&input.to_string(), ONE_TURN, |view| assert_eq!((view.data, view.globaldata), ("", "")));
    }
}

#[test]
fn empty_lines_before_the_request_are_skipped() {
    check_view(&format!("\n \r\n{}\r\n\n", json!({ "requests": [first(Seat::S0)] })), ONE_TURN, |_| {});
}

#[test]
fn the_bot_plays_with_the_settings_of_its_request() {
    let mut request = first(Seat::S0);
    request["SKILL_COST"] = json!(2);
    request["MAX_TURN"] = json!(30);
    check_view(&json!({ "requests": [request] }).to_string(), ONE_TURN, |view| {
        let expected = Ruleset { skill_cost: 2, turn_limit: 30, ..Ruleset::default() };
        assert_eq!(*view.game.maze().ruleset(), expected);
    });
}

#[test]
fn the_bot_can_follow_another_ruling() {
    let options = RunOptions { ruleset: Ruleset::BOTZONE.with_forfeit_ruling(ForfeitRuling::Judge), ..ONE_TURN };
    check_view(&json!({ "requests": [first(Seat::S0)] }).to_string(), options, |view| {
        assert_eq!(view.game.maze().ruleset().forfeit_ruling, ForfeitRuling::Judge);
    });
}

#[test]
fn a_bot_that_is_started_afresh_sees_the_judges_game() {
    let played = play(11);
    for seat in Seat::ALL {
        for turn in 0..played.turns_of(seat) {
            check_view(&json!({ "requests": played.requests(seat, turn) }).to_string(), ONE_TURN, |view| {
                assert_eq!((view.seat, view.game.state()), (seat, &played.states[turn]));
            });
        }
    }
}

// Keep running.

#[test]
fn a_bot_asks_to_be_kept_running_after_each_answer() {
    let input = lines(&[json!({ "requests": [first(Seat::S0)] }), all_stay()]);
    let stay = r#"{"data":"","response":{"action":-1,"tauntText":""}}"#;
    assert_eq!(answers(&input, KEPT, |_| BotReply::default()), [stay, KEEP_RUNNING, stay, KEEP_RUNNING]);
}

#[test]
fn a_bot_that_does_not_ask_answers_once() {
    let input = lines(&[json!({ "requests": [first(Seat::S0)] }), all_stay()]);
    assert_eq!(answers(&input, ONE_TURN, |_| BotReply::default()).len(), 1);
}

#[test]
fn a_bot_that_is_kept_running_sees_the_judges_game() {
    let played = play(12);
    for seat in Seat::ALL {
        let requests = played.requests(seat, played.turns_of(seat) - 1);
        let (first, later) = requests.split_first().expect("there is a first request");
        let input = lines(&[json!({ "requests": [first] })]) + &lines(later);
        check_turns(&input, KEPT, &played.states[..requests.len()]);
    }
}

#[test]
fn a_bot_can_be_kept_running_from_any_turn_on() {
    let played = play(12);
    let requests = played.requests(Seat::S0, 5);
    let input = lines(&[json!({ "requests": requests[..4] }), requests[4].clone(), requests[5].clone()]);
    check_turns(&input, KEPT, &played.states[3..6]);
}

#[test]
fn a_later_line_may_have_requests_too() {
    let played = play(12);
    let requests = played.requests(Seat::S0, 2);
    let input = lines(&[
        json!({ "requests": requests[..1] }),
        json!({ "requests": [requests[1]] }),
        // All that came before may be in it as well.
        json!({ "requests": requests, "responses": [] }),
    ]);
    check_turns(&input, KEPT, &played.states[..3]);
}

#[test]
fn a_bot_that_is_kept_running_remembers_its_data() {
    let input = lines(&[json!({ "requests": [first(Seat::S0)], "data": "1" }), all_stay(), all_stay()]);
    let mut data = Vec::new();
    answers(&input, KEPT, |view| {
        data.push(view.data.to_owned());
        BotReply { data: format!("{}1", view.data), ..BotReply::default() }
    });
    assert_eq!(data, ["1", "11", "111"]);
}

// Simplified interaction.

#[test]
fn a_simplified_answer_is_four_lines() {
    let input = simplified(&[first(Seat::S0)], "", "");
    let reply = BotReply {
        action: action(2),
        taunt: "ha".to_owned(),
        debug: Some(json!("seen\n3 turns")),
        data: "a\r\nb".to_owned(),
        globaldata: Some("wins".to_owned()),
    };
    assert_eq!(
        answers(&input, ONE_TURN, |_| reply.clone()),
        [r#"{"action":2,"tauntText":"ha"}"#, "seen 3 turns", "a  b", "wins"]
    );
}

#[test]
fn a_simplified_answer_without_globaldata_keeps_the_old_one() {
    let input = simplified(&[first(Seat::S0)], "last turn", "last match");
    assert_eq!(answers(&input, ONE_TURN, |_| BotReply::default()), [r#"{"action":-1,"tauntText":""}"#, "", "", "last match"]);
}

#[test]
fn data_and_globaldata_are_the_last_two_lines() {
    let input = simplified(&[first(Seat::S1), all_stay()], " last turn ", "last match");
    check_view(&input, ONE_TURN, |view| {
        assert_eq!((view.seat, view.data, view.globaldata), (Seat::S1, " last turn ", "last match"));
    });
    check_view(&input.replace('\n', "\r\n"), ONE_TURN, |view| {
        assert_eq!((view.data, view.globaldata), (" last turn ", "last match"));
    });
}

#[test]
fn the_lines_of_data_may_be_empty_or_missing() {
    for end in ["\n\n", "\n", ""] {
        let input = format!("1\n{}\n{end}", first(Seat::S0));
        check_view(&input, ONE_TURN, |view| assert_eq!((view.data, view.globaldata), ("", "")));
    }
    let input = format!("1\n{}\n\nlast match\n", first(Seat::S0));
    check_view(&input, ONE_TURN, |view| assert_eq!((view.data, view.globaldata), ("", "last match")));
}

#[test]
fn a_bot_in_simplified_interaction_sees_the_judges_game() {
    let played = play(15);
    for seat in Seat::ALL {
        for turn in 0..played.turns_of(seat) {
            check_view(&simplified(&played.requests(seat, turn), "", ""), ONE_TURN, |view| {
                assert_eq!((view.seat, view.game.state()), (seat, &played.states[turn]));
            });
        }
    }
}

// The documentation.

#[test]
fn the_manual_has_the_example_of_the_library() {
    let source = include_str!("../../src/bot.rs");
    let (_, example) = source.split_once("//! ```no_run\n").expect("the library has an example");
    let (example, _) = example.split_once("//! ```\n").expect("the example has an end");
    let example: String = example
        .lines()
        .map(|line| line.trim_start_matches("//!").strip_prefix(' ').unwrap_or_default().to_owned() + "\n")
        .collect();
    for manual in [include_str!("../../../../docs/PROTOCOL.md"), include_str!("../../../../docs/PROTOCOL.zh.md")] {
        assert!(manual.contains(&format!("```rust\n{example}```\n")), "expected in the manual:\n{example}");
    }
}

// Input that does not follow the protocol.

#[test]
fn no_input() {
    check_error("", ONE_TURN, "no input; expected a request in one line of JSON");
    check_error("\n\n", ONE_TURN, "no input; expected a request in one line of JSON");
}

#[test]
fn a_request_that_is_not_json() {
    check_error("{", ONE_TURN, "the request is not JSON: EOF while parsing an object at line 1 column 1");
}

#[test]
fn input_without_requests() {
    for input in ["{}", "[]", "null", "-1", r#"{"requests":{}}"#, r#"{"requests":[]}"#] {
        check_error(input, ONE_TURN, "expected an object with a non-empty list of requests");
    }
}

#[test]
fn a_first_request_that_is_not_a_map() {
    check_error(
        r#"{"requests":[5]}"#,
        ONE_TURN,
        "the init data of the first request cannot be played: init data must be a JSON object, got 5",
    );
    check_error(
        r#"{"requests":[{"width":5,"id":0}]}"#,
        ONE_TURN,
        "the init data of the first request cannot be played: width must be a whole number between 6 and 11, got 5",
    );
}

#[test]
fn a_first_request_without_a_seat() {
    for id in [json!(null), json!(4), json!(-1), json!("0"), json!(0.5)] {
        let mut request = init_data::write(&map(FIELD));
        request["id"] = id.clone();
        let expected = format!("the first request has no seat: expected an id from 0 to 3, got {id}");
        check_error(&json!({ "requests": [request] }).to_string(), ONE_TURN, &expected);
    }
}

#[test]
fn a_request_without_actions() {
    for request in [json!(5), json!({}), json!([]), json!({ "requests": [] }), first(Seat::S0)] {
        let input = json!({ "requests": [first(Seat::S0), request] }).to_string();
        check_error(&input, ONE_TURN, "a request has no actions; expected those of the last turn, by seat");
    }
}

#[test]
fn a_request_after_the_end() {
    let all_die = json!({ "0": { "action": 9 }, "1": { "action": 9 }, "2": { "action": 9 }, "3": { "action": 9 } });
    let requests = json!({ "requests": [first(Seat::S0), all_die, all_stay()] });
    check_error(&requests.to_string(), ONE_TURN, "a request came after the end of the game");
    let input = lines(&[json!({ "requests": [first(Seat::S0), all_die] }), all_stay()]);
    check_error(&input, KEPT, "a request came after the end of the game");
}

#[test]
fn a_later_line_that_is_not_json() {
    let input = lines(&[json!({ "requests": [first(Seat::S0)] })]) + "nonsense\n";
    check_error(&input, KEPT, "the request is not JSON: expected ident at line 1 column 2");
}

#[test]
fn turns_of_simplified_interaction_count_from_1() {
    check_error("0\n", ONE_TURN, "expected a turn of 1 or more in simplified interaction, got 0");
}

#[test]
fn simplified_history_that_ends_too_early() {
    check_error(&format!("2\n{}\nresponse\n", first(Seat::S0)), ONE_TURN, "expected 3 lines of history, got 2");
}

#[test]
fn a_turn_that_no_game_reaches() {
    check_error(&format!("{}\n", usize::MAX), ONE_TURN, "expected 18446744073709551614 lines of history, got 0");
}

#[test]
fn a_broken_pipe_is_an_error() {
    /// A judge that has exited.
    struct Gone;
    impl std::io::Write for Gone {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let input = json!({ "requests": [first(Seat::S0)] }).to_string();
    let result = bot::run(input.as_bytes(), Gone, KEPT, |_| BotReply::default());
    let Err(BotError::Io(error)) = result else { panic!("{result:?} is not a broken pipe") };
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}

/// A game that a judge has played.
struct Played {
    map: Map,
    /// The request after each turn.
    requests: Vec<Value>,
    /// The positions in which bots had to decide.
    states: Vec<State>,
}

fn play(seed: i32) -> Played {
    let map = random_map(seed);
    let mut session = Session::new(map.clone());
    let mut players = RandomPlayers::new(seed as u64);
    let mut played = Played { map, requests: Vec::new(), states: vec![*session.game().state()] };
    while let Some(turn) = session.play(&players.responses(session.game())) {
        played.requests.push(turn.request());
        played.states.push(turn.state);
    }
    // No bot has to decide when the game is over.
    played.states.pop();
    assert!(played.states.len() > 20, "the game of seed {seed} is too short for the tests");
    played
}

impl Played {
    /// Returns the number of turns in which this seat had to decide.
    fn turns_of(&self, seat: Seat) -> usize {
        self.states.iter().take_while(|state| state.alive.contains(seat)).count()
    }

    /// Returns the requests up to a turn, counted from 0.
    fn requests(&self, seat: Seat, turn: usize) -> Vec<Value> {
        std::iter::once(first_request(&self.map, seat)).chain(self.requests[..turn].iter().cloned()).collect()
    }
}

fn first(seat: Seat) -> Value {
    first_request(&map(FIELD), seat)
}

fn all_stay() -> Value {
    json!({ "0": { "action": -1 }, "1": { "action": -1 }, "2": { "action": -1 }, "3": { "action": -1 } })
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// Returns the input of simplified interaction. Its responses do not matter.
fn simplified(requests: &[Value], data: &str, globaldata: &str) -> String {
    let history: Vec<String> = requests.iter().map(Value::to_string).collect();
    format!("{}\n{}\n{data}\n{globaldata}\n", requests.len(), history.join("\n{\"action\":-1}\n"))
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{line} is not JSON: {error}"))
}

/// Returns the lines that the bot writes.
#[track_caller]
fn answers(input: &str, options: RunOptions, decide: impl FnMut(&BotView) -> BotReply) -> Vec<String> {
    let mut output = Vec::new();
    bot::run(input.as_bytes(), &mut output, options, decide).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(output).expect("bots write UTF-8").lines().map(str::to_owned).collect()
}

/// Checks that the bot decides once, and what it sees.
#[track_caller]
fn check_view(input: &str, options: RunOptions, mut check: impl FnMut(&BotView)) {
    let mut asked = 0;
    answers(input, options, |view| {
        asked += 1;
        check(view);
        BotReply::default()
    });
    assert_eq!(asked, 1, "the bot must decide once");
}

/// Checks that the bot decides in exactly these positions.
#[track_caller]
fn check_turns(input: &str, options: RunOptions, states: &[State]) {
    let mut states_seen = Vec::new();
    answers(input, options, |view| {
        states_seen.push(*view.game.state());
        BotReply::default()
    });
    assert!(states_seen == states, "the bot saw another game");
}

#[track_caller]
fn check_error(input: &str, options: RunOptions, expected: &str) {
    let mut output = Vec::new();
    let result = bot::run(input.as_bytes(), &mut output, options, |_| BotReply::default());
    assert_eq!(result.expect_err("the input must be rejected").to_string(), expected);
}
