//! The referee, with players within this process: who is asked when, with what, and what is made of it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_maps::Map;
use pacman2_match::complaint::Complaint;
use pacman2_match::player::{InProcess, Player, Request, Response};
use pacman2_match::referee::{AskMode, MatchTurn, Players, play};
use pacman2_rules::{Action, BySeat, Direction, Seat, picture};

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

fn deciding(decide: impl FnMut(&BotView) -> BotReply + Send + 'static) -> Box<dyn Player> {
    Box::new(InProcess::new(decide, String::new()))
}

fn ordering(action: Action) -> Box<dyn Player> {
    deciding(move |_| BotReply::action(action))
}

fn staying() -> Players {
    BySeat::from_fn(|_| ordering(Action::Stay))
}

fn play_on(drawn: &str, players: &mut Players) -> Vec<MatchTurn> {
    play(map(drawn), players, AskMode::AtOnce, &AtomicBool::new(false), |_, _| ())
}

#[test]
fn a_match_is_played_to_its_end() {
    let mut watched = Vec::new();
    let turns = play(map(FIELD), &mut staying(), AskMode::AtOnce, &AtomicBool::new(false), |table, played| {
        watched.push((table.game().state().turn, played.turn.scores.is_some()));
    });
    assert_eq!(watched, [(1, false), (2, false), (3, false), (4, true)]);
    assert_eq!(turns.len(), 4);
    let said = turns[3].responses[Seat::S3].as_ref().unwrap();
    assert_eq!((said.verdict, &said.complaint), (Verdict::Ok, &None));
}

#[test]
fn the_dead_are_not_asked() {
    let mut players = staying();
    players[Seat::S1] = ordering(Action::Invalid);
    let turns = play_on(FIELD, &mut players);
    let asked: Vec<bool> = turns.iter().map(|played| played.responses[Seat::S1].is_some()).collect();
    assert_eq!(asked, [true, false, false, false]);
    assert_eq!(turns[1].turn.responses[Seat::S1], None);
}

#[test]
fn a_match_ends_when_one_is_left() {
    let mut players = BySeat::from_fn(|_| ordering(Action::Invalid));
    players[Seat::S2] = ordering(Action::Stay);
    let turns = play_on(FIELD, &mut players);
    assert_eq!(turns.len(), 1);
    assert!(turns[0].turn.scores.is_some());
}

/// What a player was asked with, turn by turn: how many turns were played, and what is told of the last.
type Questions = Arc<Mutex<Vec<(u32, Option<String>)>>>;

struct Curious {
    asked: Questions,
}

impl Player for Curious {
    fn ask(&mut self, asked: &Request<'_>) -> Response {
        let last = asked.last.map(|turn| turn.request().to_string());
        self.asked.lock().unwrap().push((asked.game.state().turn, last));
        InProcess::new(|_| BotReply::default(), String::new()).ask(asked)
    }
}

#[test]
fn players_are_told_of_the_turn_before() {
    let asked = Questions::default();
    let mut players = staying();
    players[Seat::S0] = ordering(Action::Shoot(Direction::Up));
    players[Seat::S3] = Box::new(Curious { asked: Arc::clone(&asked) });
    play_on(FIELD, &mut players);
    let first = r#"{"0":{"action":4},"1":{"action":-1},"2":{"action":-1},"3":{"action":-1}}"#;
    let later = r#"{"0":null,"1":{"action":-1},"2":{"action":-1},"3":{"action":-1}}"#;
    let told = |text: &str| Some(text.to_owned());
    assert_eq!(*asked.lock().unwrap(), [(0, None), (1, told(first)), (2, told(later)), (3, told(later))]);
}

#[test]
fn by_default_all_think_at_the_same_time() {
    // Nobody answers before all are thinking.
    let barrier = Arc::new(Barrier::new(4));
    let mut players = BySeat::from_fn(|_| {
        let barrier = Arc::clone(&barrier);
        deciding(move |_| {
            barrier.wait();
            BotReply::default()
        })
    });
    assert_eq!(play_on(FIELD, &mut players).len(), 4);
}

#[test]
fn one_by_one_nobody_thinks_while_another_does() {
    let thinking = Arc::new(AtomicUsize::new(0));
    let action = Arc::new(Mutex::new(Vec::new()));
    let mut players = BySeat::from_fn(|seat| {
        let (thinking, action) = (Arc::clone(&thinking), Arc::clone(&action));
        deciding(move |_| {
            assert_eq!(thinking.fetch_add(1, Ordering::SeqCst), 0);
            action.lock().unwrap().push(seat);
            std::thread::yield_now();
            thinking.fetch_sub(1, Ordering::SeqCst);
            BotReply::default()
        })
    });
    play(map(FIELD), &mut players, AskMode::OneByOne, &AtomicBool::new(false), |_, _| ());
    assert_eq!(action.lock().unwrap()[..4], Seat::ALL);
}

#[test]
fn a_stopped_match_is_abandoned_in_the_middle_of_a_turn() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut players = staying();
    let to_stop = Arc::clone(&stop);
    players[Seat::S0] = deciding(move |seen| {
        to_stop.store(seen.game.state().turn == 2, Ordering::SeqCst);
        BotReply::default()
    });
    let turns = play(map(FIELD), &mut players, AskMode::AtOnce, &stop, |_, _| ());
    assert_eq!(turns.len(), 2);
    assert!(turns[1].turn.scores.is_none());
    assert!(play(map(FIELD), &mut staying(), AskMode::AtOnce, &stop, |_, _| ()).is_empty());
}

#[test]
fn what_is_illegal_is_explained() {
    let complaint = |action| {
        let mut players = staying();
        players[Seat::S0] = ordering(action);
        let turns = play_on(FIELD, &mut players);
        turns[0].responses[Seat::S0].as_ref().unwrap().complaint.as_ref().map(ToString::to_string).unwrap_or_default()
    };
    assert_eq!(complaint(Action::Move(Direction::Left)), "it cannot go left: a wall is there");
    let expensive = "it cannot shoot: a light needs more strength than 4, and it has 1";
    assert_eq!(complaint(Action::Shoot(Direction::Down)), expensive);
    assert_eq!(complaint(Action::Invalid), "unknown action -10; expected -1 to 7");
    assert_eq!(complaint(Action::Move(Direction::Right)), "");
}

/// A player that is not understood.
struct Mumbling;

impl Player for Mumbling {
    fn ask(&mut self, asked: &Request<'_>) -> Response {
        let said = InProcess::new(|_| BotReply::default(), String::new()).ask(asked);
        Response {
            parsed: ParsedResponse::Nothing(Verdict::Tle),
            verdict: Verdict::Tle,
            complaint: Some(Complaint::Other("too late".to_owned())),
            ..said
        }
    }
}

#[test]
fn a_players_own_complaint_stays() {
    let mut players = staying();
    players[Seat::S2] = Box::new(Mumbling);
    let turns = play_on(FIELD, &mut players);
    let said = turns[0].responses[Seat::S2].as_ref().unwrap();
    assert_eq!((said.verdict, said.complaint.clone()), (Verdict::Tle, Some(Complaint::Other("too late".to_owned()))));
    assert_eq!(turns[0].turn.report.actions[Seat::S2], Some(Action::Invalid));
}

#[test]
fn a_player_within_remembers_globaldata() {
    let decide = |seen: &BotView| {
        let debug = Some(seen.globaldata.into());
        let globaldata = (seen.game.state().turn == 1).then(|| "new".to_owned());
        BotReply { debug, globaldata, taunt: "ä".repeat(30), ..BotReply::default() }
    };
    let mut players = staying();
    players[Seat::S1] = Box::new(InProcess::new(decide, "old".to_owned()));
    let turns = play_on(FIELD, &mut players);
    let told: Vec<_> = turns.iter().map(|played| played.responses[Seat::S1].clone().unwrap().debug.unwrap()).collect();
    assert_eq!((told, players[Seat::S1].globaldata()), (["old", "old", "new", "new"].map(Into::into).to_vec(), "new"));
    let shouted = ParsedResponse::Action { number: -1, taunt: Some("ä".repeat(20)) };
    assert_eq!(turns[0].turn.responses[Seat::S1], Some(shouted));
}

#[test]
fn the_line_that_asks_to_keep_running_is_botzones() {
    assert_eq!(pacman2_botzone::KEEP_RUNNING, ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
}
