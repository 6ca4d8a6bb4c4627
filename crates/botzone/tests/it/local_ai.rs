//! Local AI: what a server sends, and what the client makes of it.

use pacman2_botzone::local_ai::*;
use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::{Session, first_request};
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset, Seat};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{FIELD, map};

const STAY: i32 = -1;
const UP: i32 = 0;
const RIGHT: i32 = 1;

fn rules() -> Ruleset {
    Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge)
}

/// A match on Botzone, as far as Local AI sees it.
struct Server {
    session: Session,
    requests: Vec<Value>,
}

impl Server {
    fn new(seat: Seat) -> Server {
        let session = Session::new(map(FIELD));
        Server { requests: vec![first_request(session.map(), seat)], session }
    }

    /// Plays a turn in which the players ask for these actions, and returns the bare request after it.
    fn play(&mut self, actions: [i32; 4]) -> Message {
        let responses = BySeat(actions.map(|number| Some(ParsedResponse::Action { number, taunt: None })));
        let turn = self.session.play(&responses).expect("the game goes on");
        self.requests.push(turn.request());
        self.bare()
    }

    fn bare(&self) -> Message {
        Message::parse(&self.requests.last().unwrap().to_string()).unwrap()
    }

    fn envelope(&self) -> Message {
        let text = json!({ "requests": self.requests, "responses": vec![json!({ "action": STAY }); self.requests.len() - 1] });
        Message::parse(&text.to_string()).unwrap()
    }
}

/// Answers, and takes in the reply that acknowledges it.
#[track_caller]
fn exchange(game: &mut LocalMatch, action: i32, reply: &Message) -> Received {
    game.answer(json!({ "action": action }).into());
    game.delivered();
    game.receive(reply, true).unwrap()
}

// A match.

#[test]
fn bare_requests_make_a_match() {
    let mut server = Server::new(Seat::S0);
    let mut game = LocalMatch::begin(&server.bare(), rules()).unwrap();
    for actions in [[RIGHT, STAY, STAY, STAY], [STAY; 4], [RIGHT, 2, 0, 3]] {
        assert!(game.awaits_answer());
        assert_eq!(exchange(&mut game, actions[0], &server.play(actions)), Received::NewTurn);
    }
    assert_eq!(game.session().game().state(), server.session.game().state());
    assert_eq!((game.turns().len(), game.responses().len()), (3, 3));
}

#[test]
fn an_envelope_continues_a_match_after_a_restart() {
    let mut server = Server::new(Seat::S1);
    server.play([RIGHT, STAY, STAY, STAY]);
    server.play([RIGHT, STAY, STAY, STAY]);
    let game = LocalMatch::begin(&server.envelope(), rules()).unwrap();
    assert_eq!(game.session().game().state(), server.session.game().state());
    assert_eq!(game.seat(), Seat::S1);
    assert!(game.awaits_answer());

    let own = game.envelope(&json!("plan").into());
    let Ok(Message::Envelope(kept)) = Message::parse(&own.to_string()) else { panic!("it is an envelope") };
    assert_eq!(kept.data, json!("plan"));
    let again = LocalMatch::begin(&Message::Envelope(kept), rules()).unwrap();
    assert_eq!(again.envelope(&json!("plan").into()), own);
}

#[test]
fn a_bare_request_of_an_unknown_match_cannot_begin_it() {
    let mut server = Server::new(Seat::S0);
    let error = LocalMatch::begin(&server.play([STAY; 4]), rules()).unwrap_err();
    assert_eq!(error, RequestError::NoBeginning);
}

#[test]
fn an_envelope_that_is_ahead_catches_up() {
    let mut server = Server::new(Seat::S0);
    let mut game = LocalMatch::begin(&server.bare(), rules()).unwrap();
    server.play([STAY; 4]);
    server.play([RIGHT, STAY, STAY, STAY]);
    assert_eq!(game.receive(&server.envelope(), false), Ok(Received::NewTurn));
    assert_eq!(game.session().game().state(), server.session.game().state());
}

#[test]
fn an_envelope_with_another_past_replaces_ours() {
    let mut ours = Server::new(Seat::S0);
    let mut game = LocalMatch::begin(&ours.bare(), rules()).unwrap();
    exchange(&mut game, STAY, &ours.play([STAY; 4]));
    let mut theirs = Server::new(Seat::S0);
    theirs.play([RIGHT, STAY, STAY, STAY]);
    assert_eq!(game.receive(&theirs.envelope(), false), Ok(Received::Replaced));
    assert_eq!(game.session().game().state(), theirs.session.game().state());
}

// Repeated requests.

#[test]
fn a_request_that_comes_again_while_the_bot_thinks_changes_nothing() {
    let mut server = Server::new(Seat::S0);
    let mut game = LocalMatch::begin(&server.bare(), rules()).unwrap();
    assert_eq!(game.receive(&server.bare(), false), Ok(Received::Repeated));
    exchange(&mut game, STAY, &server.play([STAY; 4]));
    for message in [server.bare(), server.envelope()] {
        assert_eq!(game.receive(&message, false), Ok(Received::Repeated));
    }
    assert!(game.awaits_answer());
    assert_eq!(game.turns().len(), 1);
}

#[test]
fn an_answer_that_got_lost_is_sent_again() {
    let mut server = Server::new(Seat::S0);
    let mut game = LocalMatch::begin(&server.bare(), rules()).unwrap();
    exchange(&mut game, STAY, &server.play([STAY; 4]));
    // Botzone still shows the last turn, in which we stayed. We have answered something else since.
    assert_eq!(exchange(&mut game, RIGHT, &server.bare()), Received::Repeated);
    assert_eq!(*game.unsent().unwrap(), json!({ "action": RIGHT }));
    game.delivered();
    assert_eq!(game.unsent(), None);
    assert_eq!(game.receive(&server.play([RIGHT, STAY, STAY, STAY]), true), Ok(Received::NewTurn));
}

#[test]
fn the_first_request_again_is_never_a_new_turn() {
    let server = Server::new(Seat::S0);
    let mut game = LocalMatch::begin(&server.bare(), rules()).unwrap();
    assert_eq!(exchange(&mut game, STAY, &server.bare()), Received::Repeated);
    assert!(game.unsent().is_some());
}

#[test]
fn two_turns_with_the_same_request_are_two_turns() {
    let mut server = Server::new(Seat::S0);
    let mut game = LocalMatch::begin(&server.bare(), rules()).unwrap();
    for _ in 0..3 {
        assert_eq!(exchange(&mut game, STAY, &server.play([STAY; 4])), Received::NewTurn);
    }
    assert_eq!(game.turns().len(), 3);
}

#[test]
fn an_older_request_means_nothing() {
    let mut server = Server::new(Seat::S0);
    let (first, envelope) = (server.bare(), server.envelope());
    let mut game = LocalMatch::begin(&first, rules()).unwrap();
    exchange(&mut game, STAY, &server.play([STAY; 4]));
    exchange(&mut game, RIGHT, &server.play([RIGHT, STAY, STAY, STAY]));
    for message in [first, envelope] {
        assert_eq!(game.receive(&message, false), Ok(Received::Older));
    }
    assert_eq!(game.turns().len(), 2);
}

#[test]
fn botzone_may_go_on_without_our_answer() {
    let mut server = Server::new(Seat::S0);
    let mut game = LocalMatch::begin(&server.bare(), rules()).unwrap();
    game.answer(json!({ "action": RIGHT, "tauntText": "late" }).into());
    assert_eq!(game.receive(&server.play([STAY; 4]), false), Ok(Received::NewTurn));
    assert_eq!(game.responses()[0], json!({ "action": STAY }));
    assert_eq!(game.unsent(), None, "the old answer is not sent for the new turn");
}

// What cannot be played.

#[test]
fn requests_that_cannot_be_played_leave_the_match_as_it_was() {
    let mut server = Server::new(Seat::S0);
    let mut game = LocalMatch::begin(&server.bare(), rules()).unwrap();
    exchange(&mut game, STAY, &server.play([STAY; 4]));
    let before = game.envelope(&json!("").into());
    for (request, expected) in [
        (json!({ "0": { "action": 1 } }), "turn 2: expected an action of player 1, which is alive, got null"),
        (json!(7), "turn 2: expected an action of player 0, which is alive, got null"),
        (json!({ "id": 0, "seed": 1 }), "the request begins another match under the same id"),
        // Our player runs into a wall and dies; it is asked no more.
        (
            json!({ "0": { "action": UP }, "1": { "action": -1 }, "2": { "action": -1 }, "3": { "action": -1 } }),
            "turn 3: a request came although the bot is dead",
        ),
    ] {
        let error = game.receive(&Message::Turn(request), true).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(game.envelope(&json!("").into()), before);
    }
}

#[test]
fn requests_of_other_games_begin_no_match() {
    for request in [json!({ "x": 1 }), json!([]), json!({ "id": 9, "seed": 3 }), json!({ "id": 0, "width": 99 }), json!("x")] {
        assert!(LocalMatch::begin(&Message::Turn(request), rules()).is_err());
    }
}

// Replies.

#[test]
fn replies_are_read_with_any_line_ends() {
    let poll = Poll::parse("2 1\r\na1\r\n{\"id\":0}\r\nb2\r\n0 1 2\r\nc3 0 0\r\n\r\n").unwrap();
    assert_eq!(poll.requests[0].1.as_ref().unwrap(), &Message::Turn(json!({ "id": 0 })));
    assert!(poll.requests[1].1.is_err(), "the request of another game is no JSON");
    assert_eq!(poll.ended, [MatchEnd { id: "c3".parse().unwrap(), seat: 0, scores: vec![] }]);
}

#[test]
fn a_request_may_be_json_in_a_string() {
    let text = Value::from(r#"{"0":{"action":1}}"#).to_string();
    assert_eq!(Message::parse(&text).unwrap(), Message::Turn(json!({ "0": { "action": 1 } })));
    let wrapped = r#"{"requests":[{"0":{"action":1}}]}"#;
    assert_eq!(Message::parse(wrapped).unwrap(), Message::Turn(json!({ "0": { "action": 1 } })));
}

#[test]
fn replies_that_are_garbage_are_errors() {
    for (body, expected) in [
        ("", "the reply is cut off after 0 lines"),
        ("<html>", "expected a first line with the numbers of requests and of matches that ended, got \"<html>\""),
        ("1", "expected a first line with the numbers of requests and of matches that ended, got \"1\""),
        ("1 2 3", "expected a first line with the numbers of requests and of matches that ended, got \"1 2 3\""),
        ("-1 0", "expected a first line with the numbers of requests and of matches that ended, got \"-1 0\""),
        ("99999999999 0", "expected at most 1000 requests and ended matches, got 99999999999"),
        ("1 0\na1\n{\"0\":{\"act", "the reply is cut off after 3 lines"),
        ("0 1\n", "the reply is cut off after 1 lines"),
        ("0 1\na1 0 4 1 2 3", "line 2: expected a match id, a player's number, a count and as many scores, got \"a1 0 4 1 2 3\""),
        ("0 1\na1 0 1 NaN", "line 2: expected a match id, a player's number, a count and as many scores, got \"a1 0 1 NaN\""),
        ("1 0\n../x\n{}", "line 2: expected an id of 1 to 64 letters, digits, - and _, got \"../x\""),
    ] {
        assert_eq!(Poll::parse(body).unwrap_err().to_string(), expected, "{body:?}");
    }
}

proptest! {
    #[test]
    fn no_reply_panics(body in "[01 ]{0,4}\n(a1\n)?([{}\\[\\]\",:0-9a-z\n ]|\"id\"|\"requests\"|\"0\"){0,40}") {
        if let Ok(poll) = Poll::parse(&body) {
            for message in poll.requests.iter().filter_map(|(_, message)| message.as_ref().ok()) {
                let _ = LocalMatch::begin(message, rules());
            }
        }
    }
}

// Headers.

#[test]
fn answers_are_ascii_in_one_line() {
    let id: MatchId = "a1".parse().unwrap();
    let (name, value) = answer_header(&id, &json!({ "action": 2, "tauntText": "吃\n😀\u{7f}" }).into());
    assert_eq!(name, "X-Match-a1");
    assert_eq!(value, r#"{"action":2,"tauntText":"\u5403\n\ud83d\ude00\u007f"}"#);
    assert_eq!(serde_json::from_str::<Value>(&value).unwrap()["tauntText"], "吃\n😀\u{7f}");
}

#[test]
fn a_long_answer_is_sent_as_its_action_and_taunt() {
    let id: MatchId = "a1".parse().unwrap();
    let long = json!({ "action": 2, "tauntText": "\u{1}".repeat(100), "notes": "x".repeat(MAX_ANSWER_BYTES) });
    let (_, value) = answer_header(&id, &long.into());
    assert!(value.len() <= MAX_ANSWER_BYTES, "{value}");
    assert_eq!(serde_json::from_str::<Value>(&value).unwrap(), json!({ "action": 2, "tauntText": "\u{1}".repeat(40) }));
    let (_, value) = answer_header(&id, &json!("x".repeat(MAX_ANSWER_BYTES)).into());
    assert_eq!(value, "{}");
}

#[test]
fn a_new_match_is_asked_for_in_headers() {
    let [one, other] = ["5f3a", "5f3b"].map(|id| MatchPlayer::parse(id).unwrap());
    let new = NewMatch::new(BySeat([one.clone(), MatchPlayer::Me, other.clone(), one])).unwrap();
    let new = new.with_init_data(Some(json!({ "seed": 3, "name": "吃" }))).with_time_limit(Some(5));
    let lines: Vec<String> = new.headers().iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(
        lines,
        [
            "X-Game: Pacman2",
            "X-Player-0: 5f3a",
            "X-Player-1: me",
            "X-Player-2: 5f3b",
            "X-Player-3: 5f3a",
            "X-UseSimpleIO: false",
            "X-Initdata: {\"name\":\"\\u5403\",\"seed\":3}",
            "X-Timelimit: 5",
        ]
    );
    let twice = NewMatch::new(BySeat([MatchPlayer::Me, MatchPlayer::Me, other.clone(), other])).unwrap_err();
    assert_eq!(twice.to_string(), "expected \"me\" exactly once among the players, got it 2 times");
}
