//! The referee with players in this process: the order of requests, their content, and what follows from responses.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use pacman2_botzone::JsonText;
use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_maps::Map;
use pacman2_match::complaint::Complaint;
use pacman2_match::player::{InProcess, Player, Request, Response};
use pacman2_match::referee::{AskMode, MatchTurn, Players, play};
use pacman2_rules::{Action, BySeat, Direction, Seat, picture};
use serde_json::json;

const FIELD: &str = "
    turn 0/4
    +----+----+----+
    | 0    1       |
    +    +    +    +
    |              |
    +    +    +    +
    | 2         3. |
    +----+----+----+
";

fn map(drawn: &str) -> Map {
    let (maze, start) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}"));
    Map { seed: 7, maze, start }
}

fn player(decide: impl FnMut(&BotView) -> BotReply + Send + 'static) -> Box<dyn Player> {
    Box::new(InProcess::new(decide, String::new()))
}

fn acting(action: Action) -> Box<dyn Player> {
    player(move |_| BotReply::action(action))
}

fn staying() -> Players {
    BySeat::from_fn(|_| acting(Action::Stay))
}

fn play_on(drawn: &str, players: &mut Players) -> Vec<MatchTurn> {
    play(map(drawn), players, AskMode::AtOnce, &AtomicBool::new(false), |_, _| ()).unwrap()
}

#[test]
fn a_match_is_played_to_its_end() {
    let mut watched = Vec::new();
    let turns = play(map(FIELD), &mut staying(), AskMode::AtOnce, &AtomicBool::new(false), |session, played| {
        watched.push((session.game().state().turn, played.turn.scores.is_some()));
    })
    .unwrap();
    assert_eq!(watched, [(1, false), (2, false), (3, false), (4, true)]);
    assert_eq!(turns.len(), 4);
    let response = turns[3].responses[Seat::S3].as_ref().unwrap();
    assert_eq!((response.verdict(), &response.complaint), (Verdict::Ok, &None));
}

#[test]
fn the_dead_are_not_asked() {
    let mut players = staying();
    players[Seat::S1] = acting(Action::Invalid);
    let turns = play_on(FIELD, &mut players);
    let asked: Vec<bool> = turns.iter().map(|played| played.responses[Seat::S1].is_some()).collect();
    assert_eq!(asked, [true, false, false, false]);
    assert_eq!(turns[1].turn.responses[Seat::S1], None);
}

#[test]
fn a_match_ends_when_one_player_is_left() {
    let mut players = BySeat::from_fn(|_| acting(Action::Invalid));
    players[Seat::S2] = acting(Action::Stay);
    let turns = play_on(FIELD, &mut players);
    assert_eq!(turns.len(), 1);
    assert!(turns[0].turn.scores.is_some());
}

/// The requests that a player received: the number of turns played, and the last turn.
type Requests = Arc<Mutex<Vec<(u32, Option<String>)>>>;

/// A player that records its requests.
struct Recording {
    requests: Requests,
}

impl Player for Recording {
    fn ask(&mut self, request: &Request<'_>) -> Response {
        let last = request.last.map(|turn| turn.request().to_string());
        self.requests.lock().unwrap().push((request.session.game().state().turn, last));
        InProcess::new(|_| BotReply::default(), String::new()).ask(request)
    }
}

#[test]
fn requests_contain_the_previous_turn() {
    let requests = Requests::default();
    let mut players = staying();
    players[Seat::S0] = acting(Action::Shoot(Direction::Up));
    players[Seat::S3] = Box::new(Recording { requests: Arc::clone(&requests) });
    play_on(FIELD, &mut players);
    let first = r#"{"0":{"action":4},"1":{"action":-1},"2":{"action":-1},"3":{"action":-1}}"#;
    let later = r#"{"0":null,"1":{"action":-1},"2":{"action":-1},"3":{"action":-1}}"#;
    let last = |text: &str| Some(text.to_owned());
    assert_eq!(*requests.lock().unwrap(), [(0, None), (1, last(first)), (2, last(later)), (3, last(later))]);
}

#[test]
fn by_default_all_think_at_the_same_time() {
    // No player answers before all are thinking.
    let barrier = Arc::new(Barrier::new(4));
    let mut players = BySeat::from_fn(|_| {
        let barrier = Arc::clone(&barrier);
        player(move |_| {
            barrier.wait();
            BotReply::default()
        })
    });
    assert_eq!(play_on(FIELD, &mut players).len(), 4);
}

#[test]
fn one_by_one_only_one_player_thinks_at_a_time() {
    let thinking = Arc::new(AtomicUsize::new(0));
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut players = BySeat::from_fn(|seat| {
        let (thinking, order) = (Arc::clone(&thinking), Arc::clone(&order));
        player(move |_| {
            assert_eq!(thinking.fetch_add(1, Ordering::SeqCst), 0);
            order.lock().unwrap().push(seat);
            std::thread::yield_now();
            thinking.fetch_sub(1, Ordering::SeqCst);
            BotReply::default()
        })
    });
    play(map(FIELD), &mut players, AskMode::OneByOne, &AtomicBool::new(false), |_, _| ()).unwrap();
    assert_eq!(order.lock().unwrap()[..4], Seat::ALL);
}

#[test]
fn two_are_asked_at_a_time() {
    let (thinking, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let both = Arc::new(Barrier::new(2));
    let mut players = BySeat::from_fn(|_| {
        let (thinking, most, both) = (Arc::clone(&thinking), Arc::clone(&most), Arc::clone(&both));
        player(move |_| {
            most.fetch_max(1 + thinking.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
            // A single player would wait here for ever.
            both.wait();
            thinking.fetch_sub(1, Ordering::SeqCst);
            BotReply::default()
        })
    });
    let turns = play(map(FIELD), &mut players, AskMode::TwoAtATime, &AtomicBool::new(false), |_, _| ()).unwrap();
    assert_eq!((turns.len(), most.load(Ordering::SeqCst)), (4, 2));
    assert!(Seat::ALL.into_iter().all(|seat| turns[3].responses[seat].is_some()));
}

#[test]
fn a_stopped_match_is_abandoned_in_the_middle_of_a_turn() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut players = staying();
    let to_stop = Arc::clone(&stop);
    players[Seat::S0] = player(move |seen| {
        to_stop.store(seen.game.state().turn == 2, Ordering::SeqCst);
        BotReply::default()
    });
    let turns = play(map(FIELD), &mut players, AskMode::AtOnce, &stop, |_, _| ()).unwrap();
    assert_eq!(turns.len(), 2);
    assert!(turns[1].turn.scores.is_none());
    assert!(play(map(FIELD), &mut staying(), AskMode::AtOnce, &stop, |_, _| ()).unwrap().is_empty());
}

#[test]
fn illegal_actions_are_explained() {
    let complaint = |action| {
        let mut players = staying();
        players[Seat::S0] = acting(action);
        let turns = play_on(FIELD, &mut players);
        turns[0].responses[Seat::S0].as_ref().unwrap().complaint.as_ref().map(ToString::to_string).unwrap_or_default()
    };
    assert_eq!(complaint(Action::Move(Direction::Left)), "it cannot go left: a wall is there");
    let expensive = "it cannot shoot: a light needs more strength than 4, and it has 1";
    assert_eq!(complaint(Action::Shoot(Direction::Down)), expensive);
    assert_eq!(complaint(Action::Invalid), "unknown action -10; expected -1 to 7");
    assert_eq!(complaint(Action::Move(Direction::Right)), "");
}

/// A player whose response cannot be parsed.
struct Unparsable;

impl Player for Unparsable {
    fn ask(&mut self, request: &Request<'_>) -> Response {
        let response = InProcess::new(|_| BotReply::default(), String::new()).ask(request);
        Response {
            parsed: ParsedResponse::Nothing(Verdict::Tle),
            complaint: Some(Complaint::Other("too late".to_owned())),
            ..response
        }
    }
}

#[test]
fn a_players_own_complaint_stays() {
    let mut players = staying();
    players[Seat::S2] = Box::new(Unparsable);
    let turns = play_on(FIELD, &mut players);
    let response = turns[0].responses[Seat::S2].as_ref().unwrap();
    assert_eq!((response.verdict(), response.complaint.clone()), (Verdict::Tle, Some(Complaint::Other("too late".to_owned()))));
    assert_eq!(turns[0].turn.report.actions[Seat::S2], Some(Action::Invalid));
}

#[test]
fn an_in_process_player_keeps_globaldata() {
    let decide = |seen: &BotView| {
        let debug = Some(seen.globaldata.into());
        let globaldata = (seen.game.state().turn == 1).then(|| "new".to_owned());
        BotReply { debug, globaldata, taunt: "ä".repeat(30), ..BotReply::default() }
    };
    let mut players = staying();
    players[Seat::S1] = Box::new(InProcess::new(decide, "old".to_owned()));
    let turns = play_on(FIELD, &mut players);
    let seen_globaldata: Vec<_> = turns.iter().map(|played| played.responses[Seat::S1].clone().unwrap().debug.unwrap()).collect();
    assert_eq!(
        (seen_globaldata, players[Seat::S1].globaldata()),
        (["old", "old", "new", "new"].map(|text| json!(text).into()).to_vec(), json!("new").into())
    );
    let taunted = ParsedResponse::Action { number: -1, taunt: Some("ä".repeat(20)) };
    assert_eq!(turns[0].turn.responses[Seat::S1], Some(taunted));
}

#[test]
fn the_line_that_asks_to_keep_running_is_botzones() {
    assert_eq!(pacman2_botzone::KEEP_RUNNING, ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
}

#[cfg(unix)]
#[test]
fn responses_are_remembered_up_to_a_limit() {
    use pacman2_match::player::BotProgram;
    use pacman2_runner::{Limits, Program};

    let script = r#"cat >&2; printf '{"response":{"essay":"%s", "action":-1}}' $(head -c 99000 /dev/zero | tr '\0' x)"#;
    let program = Program::new(vec!["/bin/sh".into(), "-c".into(), script.into()], Limits::NONE);
    let mut players = staying();
    players[Seat::S2] = Box::new(BotProgram::new(program, JsonText::default()));
    let turns = play_on(FIELD, &mut players);
    let responses = turns.iter().map(|turn| turn.responses[Seat::S2].clone().unwrap());
    let whole = json!({ "action": -1, "essay": "x".repeat(99_000) });
    for (turn, response) in (1..).zip(responses) {
        let seen_later = response.response.unwrap();
        assert!(if turn < 4 { seen_later == whole } else { seen_later == json!({ "action": -1 }) }, "turn {turn}");
        // It writes its whole input to standard error, of which 96 KiB are kept in the first turns.
        assert_eq!(response.stderr.contains(" bytes left out … "), turn > 1, "turn {turn}");
    }
}
