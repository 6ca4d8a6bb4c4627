//! The referee: plays a match turn by turn.

use std::iter;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use pacman2_botzone::JsonText;
use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::Map;
use pacman2_replay::{Replay, ReplayDifference};
use pacman2_rules::{Action, BySeat, Cause, Event, Seat};
use serde_json::Value;

use crate::complaint::Complaint;
use crate::player::{Player, Request, Response};

/// The four players of a match.
pub type Players = BySeat<Box<dyn Player>>;

/// How many players are asked at the same time. Humans always are, because they need no processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AskMode {
    /// All at the same time, as on Botzone.
    #[default]
    AtOnce,
    /// Two at a time: fair where there are two or three cores.
    TwoAtATime,
    /// One after another: fair where there is one core.
    OneByOne,
}

impl AskMode {
    /// Returns the mode in which this machine has a core for each player that is asked.
    ///
    /// ```
    /// use pacman2_match::referee::AskMode;
    ///
    /// let cores = std::thread::available_parallelism().map_or(1, usize::from);
    /// assert_eq!(AskMode::from_this_machine() == AskMode::AtOnce, cores >= 4);
    /// ```
    pub fn from_this_machine() -> AskMode {
        match thread::available_parallelism().map_or(1, usize::from) {
            1 => AskMode::OneByOne,
            2 | 3 => AskMode::TwoAtATime,
            _ => AskMode::AtOnce,
        }
    }

    fn players_at_a_time(self) -> usize {
        match self {
            AskMode::AtOnce => Seat::ALL.len(),
            AskMode::TwoAtATime => 2,
            AskMode::OneByOne => 1,
        }
    }
}

/// A turn that has been played, with all responses.
#[derive(Clone, Debug)]
pub struct MatchTurn {
    /// What happened.
    pub turn: SessionTurn,
    /// The responses of the players that were alive.
    pub responses: BySeat<Option<Response>>,
}

/// Returns the first response of a seat that is complained about, with its turn, counted from 1.
#[must_use]
pub fn first_fault(turns: &[MatchTurn], seat: Seat) -> Option<(usize, &Response, &Complaint)> {
    (1..).zip(turns).find_map(|(number, turn)| {
        let response = turn.responses[seat].as_ref()?;
        Some((number, response, response.complaint.as_ref()?))
    })
}

/// The machine failed to run a bot. It is no fault of the bot's, so the match does not count.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the machine failed to run the bot on seat {seat}: {reason}; the match does not count")]
pub struct MachineFault {
    /// The bot's seat.
    pub seat: Seat,
    /// What failed.
    pub reason: String,
}

impl MachineFault {
    /// Returns the fault that shows in the response of a seat, if there is one.
    #[must_use]
    pub fn from_response(seat: Seat, response: &Response) -> Option<MachineFault> {
        response.fault_of_machine.clone().map(|reason| MachineFault { seat, reason })
    }
}

/// Plays a match and returns its turns. `watch` sees each turn when it is over.
///
/// The match ends by the rules, or when `stop` is set, which abandons it in the middle of a turn.
///
/// # Errors
/// Fails if the machine fails to run a bot.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use pacman2_botzone::bot::{BotReply, BotView};
/// use pacman2_maps::Map;
/// use pacman2_match::player::InProcess;
/// use pacman2_match::referee::{AskMode, Players, play};
/// use pacman2_rules::{BySeat, picture};
///
/// let (maze, start) = picture::read("
///     turn 0/4
///     +----+----+----+
///     | 0    1       |
///     +    +    +    +
///     |              |
///     +    +    +    +
///     | 2         3. |
///     +----+----+----+
/// ")?;
/// let stay = |_: &BotView<'_>| BotReply::default();
/// let mut players: Players = BySeat::from_fn(|_| Box::new(InProcess::new(stay, String::new())) as _);
/// let mut watched = 0;
/// let map = Map { seed: 0, maze, start };
/// let turns = play(map, &mut players, AskMode::OneByOne, &AtomicBool::new(false), |_, _| watched += 1)?;
/// assert_eq!((turns.len(), watched), (4, 4));
/// assert!(turns[3].turn.scores.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn play(
    map: Map,
    players: &mut Players,
    mode: AskMode,
    stop: &AtomicBool,
    watch: impl FnMut(&Session, &MatchTurn),
) -> Result<Vec<MatchTurn>, MachineFault> {
    play_on(Past::from_map(map), players, mode, stop, watch)
}

/// The turns of a match that were played before.
#[derive(Clone, Debug)]
pub struct Past {
    session: Session,
    last: Option<SessionTurn>,
}

impl Past {
    /// Returns the past of a match that begins on this map: no turns.
    pub fn from_map(map: Map) -> Past {
        Past { session: Session::new(map), last: None }
    }
}

/// Plays the turns of a replay again, so that other players can play on from there. Each remembers the turns as if the recorded
/// responses had been its own; what a program stored in `data` is not restored.
///
/// # Errors
/// Fails if a turn differs from the rules.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use pacman2_botzone::bot::{BotReply, BotView};
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_match::player::InProcess;
/// use pacman2_match::record::{limits_info, record};
/// use pacman2_match::referee::{AskMode, Players, play, play_on, recall};
/// use pacman2_replay::SeatInfo;
/// use pacman2_rules::{BySeat, Ruleset};
/// use pacman2_runner::Limits;
///
/// let stay = |_: &BotView<'_>| BotReply::default();
/// let mut players: Players = BySeat::from_fn(|_| Box::new(InProcess::new(stay, String::new())) as _);
/// let (map, never) = (Map::generate(7, MapSize::default(), Ruleset::default()).unwrap(), AtomicBool::new(false));
/// let turns = play(map.clone(), &mut players, AskMode::OneByOne, &never, |_, _| ()).unwrap();
/// let seats = BySeat::from_fn(|seat| SeatInfo::named(format!("bot {seat}")));
///
/// let mut replay = record(&map, seats, limits_info(Limits::NONE), BySeat::default(), &turns);
/// replay.public.turns.truncate(60);
/// let past = recall(&replay, &mut players).unwrap();
/// assert_eq!(play_on(past, &mut players, AskMode::OneByOne, &never, |_, _| ()).unwrap().len(), 40);
/// ```
pub fn recall(replay: &Replay, players: &mut Players) -> Result<Past, ReplayDifference> {
    let mut past = Past::from_map(replay.public.map.clone());
    for (index, turn) in replay.public.turns.iter().enumerate() {
        let before = past.session.clone();
        let differs = |mismatch| ReplayDifference::Turn { turn: index + 1, mismatch };
        let played = turn.play(&mut past.session).map_err(differs)?;
        let alive = before.game().state().alive;
        for seat in Seat::ALL.into_iter().filter(|&seat| alive.contains(seat)) {
            let response = recorded_response(replay, index, seat, &played);
            let request = Request { session: &before, seat, last: past.last.as_ref(), stop: &AtomicBool::new(false) };
            players[seat].recall(&request, &response);
        }
        past.last = Some(played);
    }
    Ok(past)
}

/// Returns a response of a recorded turn as its bot sees it again in later turns; `index` counts from 0.
pub(crate) fn recorded_response(replay: &Replay, index: usize, seat: Seat, played: &SessionTurn) -> JsonText {
    let own = replay.private.turns.get(index).and_then(|seats| seats[seat.index()].as_ref()?.response.clone());
    own.unwrap_or_else(|| played.responses[seat].as_ref().map_or(Value::Null, ParsedResponse::plain).into())
}

/// Plays on from a position, like [`play`]. Returns the turns since then.
///
/// # Errors
/// Fails if the machine fails to run a bot.
pub fn play_on(
    past: Past,
    players: &mut Players,
    mode: AskMode,
    stop: &AtomicBool,
    mut watch: impl FnMut(&Session, &MatchTurn),
) -> Result<Vec<MatchTurn>, MachineFault> {
    let Past { mut session, last } = past;
    let mut turns: Vec<MatchTurn> = Vec::new();
    loop {
        let mut responses = ask_all(&session, players, turns.last().map(|turn| &turn.turn).or(last.as_ref()), mode, stop);
        if stop.load(Ordering::Relaxed) {
            return Ok(turns);
        }
        let fault = |seat: Seat| MachineFault::from_response(seat, responses[seat].as_ref()?);
        if let Some(fault) = Seat::ALL.into_iter().find_map(fault) {
            return Err(fault);
        }
        let parsed = BySeat::from_fn(|seat| responses[seat].as_ref().map(|response| response.parsed.clone()));
        let Some(turn) = session.play(&parsed) else { return Ok(turns) };
        for (seat, response) in Seat::ALL.into_iter().zip(&mut responses.0) {
            if let Some(response) = response {
                explain(response, seat, session.map(), &turn);
            }
        }
        let turn = MatchTurn { responses, turn };
        watch(&session, &turn);
        let is_over = turn.turn.scores.is_some();
        turns.push(turn);
        if is_over {
            return Ok(turns);
        }
    }
}

fn ask_all(
    session: &Session,
    players: &mut Players,
    last: Option<&SessionTurn>,
    mode: AskMode,
    stop: &AtomicBool,
) -> BySeat<Option<Response>> {
    let alive = session.game().state().alive;
    let players = Seat::ALL.into_iter().zip(&mut players.0).filter(|(seat, _)| alive.contains(*seat));
    let (humans, bots): (Vec<_>, Vec<_>) = players.partition(|(_, player)| player.is_human());
    let asks_at_a_time = bots.iter().filter(|(_, bot)| !bot.answers_at_once()).count().min(mode.players_at_a_time());
    // Each thread asks one bot after another, until none is left.
    let bots = Mutex::new(bots.into_iter());
    let ask = |(seat, player): (Seat, &mut Box<dyn Player>)| (seat, player.ask(&Request { session, seat, last, stop }));
    let next_bot = || bots.lock().expect("no thread panics while it takes a bot").next();
    let ask_bots = || iter::from_fn(next_bot).map(ask).collect::<Vec<_>>();
    let mut responses = BySeat::from_fn(|_| None);
    thread::scope(|scope| {
        let humans = humans.into_iter().map(|human| scope.spawn(move || vec![ask(human)]));
        // The other threads do the work of one that the system does not allow.
        let others = (1..asks_at_a_time).filter_map(|_| thread::Builder::new().spawn_scoped(scope, ask_bots).ok());
        let threads: Vec<_> = humans.chain(others).collect();
        let here = ask_bots();
        let there = threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        for (seat, response) in here.into_iter().chain(there) {
            responses[seat] = Some(response);
        }
    });
    responses
}

/// Adds to a response of this turn why its action is not legal, if it was understood.
pub fn explain(response: &mut Response, seat: Seat, map: &Map, turn: &SessionTurn) {
    let cause = turn.report.events.iter().find_map(|event| match *event {
        Event::Died { seat: dead, lost, cause: Cause::IllegalAction { action }, .. } if dead == seat => Some((action, lost)),
        _ => None,
    });
    let complaint = match (cause, &turn.responses[seat]) {
        (Some((Action::Move(direction), _)), _) => Complaint::Wall { direction },
        (Some((Action::Shoot(_), strength)), _) => Complaint::TooWeak { cost: map.maze.ruleset().skill_cost, strength },
        (Some(_), Some(ParsedResponse::Action { number, .. })) => Complaint::UnknownAction { action: *number },
        _ => return,
    };
    response.complaint.get_or_insert(complaint);
}
