//! The questions of a recorded match, asked again: what another bot, or a new version of the same one, would have answered.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_botzone::action::{self, UNREADABLE};
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_replay::{Replay, ReplayDifference, TurnInfo};
use pacman2_rules::{Action, BySeat, Seat};

use crate::player::{Player, Request, Response};
use crate::referee::{MachineFault, explain, recorded_response};

/// Whether a bot may keep running between the questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RerunMode {
    /// As in a match: it keeps running if it asks to.
    #[default]
    AsInMatch,
    /// It starts afresh for every question, with the whole history.
    Afresh,
}

/// A question of a recorded match that was asked again.
#[derive(Clone, Debug)]
pub struct RerunTurn {
    /// The turn, counted from 1.
    pub turn: usize,
    /// The recorded action as Botzone's number; −10 where none could be read. `None` in the question after the last turn.
    pub recorded: Option<i32>,
    /// The answer of the bot. It has a complaint if its action would have been illegal.
    pub response: Response,
    /// The verdict that the answer would have had.
    pub verdict: Verdict,
}

/// Why questions cannot be asked again.
#[derive(Debug, thiserror::Error)]
pub enum RerunError {
    /// The replay differs from the rules.
    #[error(transparent)]
    Replay(#[from] ReplayDifference),
    /// The machine failed to run the bot.
    #[error(transparent)]
    Machine(#[from] MachineFault),
}

impl RerunTurn {
    /// Returns the action that the bot answered as Botzone's number; −10 if none could be read.
    #[must_use]
    pub fn action(&self) -> i32 {
        self.response.parsed.number().unwrap_or(UNREADABLE)
    }

    /// Returns whether the bot answered another action than the recorded one.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.recorded.is_some_and(|recorded| recorded != self.action())
    }
}

/// Asks a player every question that a seat was asked in a recorded match. Whatever it answers, the match goes on as recorded: in
/// each question, the history has the recorded responses as if they had been its own. What it stores in `data`, it gets again. If the
/// match has not ended, the last question is the one after its last turn, as in an input that an author saved.
///
/// `watch` sees each answer and may end the rerun. Setting `stop` ends it in the middle of a question, whose answer is dropped.
///
/// # Errors
/// Fails if the replay differs from the rules, and nothing is asked then, or if the machine fails to run the bot.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::atomic::AtomicBool;
/// use pacman2_botzone::bot::{BotReply, BotView};
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_match::player::InProcess;
/// use pacman2_match::record::{limits_info, record};
/// use pacman2_match::referee::{AskMode, Players, play};
/// use pacman2_match::rerun::{RerunMode, rerun};
/// use pacman2_replay::SeatInfo;
/// use pacman2_rules::{BySeat, Ruleset, Seat};
/// use pacman2_runner::Limits;
///
/// let stay = |_: &BotView<'_>| BotReply::default();
/// let mut players: Players = BySeat::from_fn(|_| Box::new(InProcess::new(stay, String::new())) as _);
/// let (map, never) = (Map::generate(7, MapSize::default(), Ruleset::default()).unwrap(), AtomicBool::new(false));
/// let turns = play(map.clone(), &mut players, AskMode::OneByOne, &never, |_, _| ()).unwrap();
/// let seats = BySeat::from_fn(|seat| SeatInfo::named(format!("bot {seat}")));
/// let replay = record(&map, seats, limits_info(Limits::NONE), BySeat::default(), &turns);
///
/// let mut same = InProcess::new(stay, String::new());
/// let answers = rerun(&replay, Seat::S1, &mut same, RerunMode::AsInMatch, &never, |_| ControlFlow::Continue(())).unwrap();
/// assert_eq!(answers.len(), turns.len());
/// assert!(!answers.iter().any(|answer| answer.differs()));
/// ```
pub fn rerun(
    replay: &Replay,
    seat: Seat,
    player: &mut dyn Player,
    mode: RerunMode,
    stop: &AtomicBool,
    mut watch: impl FnMut(&RerunTurn) -> ControlFlow<()>,
) -> Result<Vec<RerunTurn>, RerunError> {
    let mut session = Session::new(replay.public.map.clone());
    let mut last: Option<SessionTurn> = None;
    let mut answers = Vec::new();
    for (index, played) in replay.verify()?.into_iter().map(Some).chain([None]).enumerate() {
        if session.game().state().alive.contains(seat) && !session.game().is_over() {
            if mode == RerunMode::Afresh {
                player.restart();
            }
            let response = player.ask(&Request { session: &session, seat, last: last.as_ref(), stop });
            if stop.load(Ordering::Relaxed) {
                return Ok(answers);
            }
            if let Some(fault) = MachineFault::from_response(seat, &response) {
                return Err(fault.into());
            }
            if let Some(played) = &played {
                player.overrule(&recorded_response(replay, index, seat, played));
            }
            let (response, verdict) = judged(&session, seat, played.as_ref(), response);
            let recorded = replay.public.turns.get(index).map(|turn| turn.actions[seat.index()].unwrap_or(UNREADABLE));
            let answer = RerunTurn { turn: index + 1, recorded, response, verdict };
            let flow = watch(&answer);
            answers.push(answer);
            if flow.is_break() {
                return Ok(answers);
            }
        }
        let Some(played) = played else { break };
        session.play(&played.responses);
        last = Some(played);
    }
    Ok(answers)
}

/// Asks a player the question that a seat was asked in one turn of a recorded match, counted from 1. Its history is the recorded one; it
/// has no `data`.
///
/// # Errors
/// Fails if the replay differs from the rules, or if the machine fails to run the bot.
///
/// # Panics
/// Panics if the match has no such turn, or if the seat is dead before it.
pub fn ask_at(
    replay: &Replay,
    seat: Seat,
    turn: usize,
    player: &mut dyn Player,
    stop: &AtomicBool,
) -> Result<RerunTurn, RerunError> {
    let mut session = Session::new(replay.public.map.clone());
    let turns = replay.verify()?;
    let mut last: Option<&SessionTurn> = None;
    for (index, played) in turns.iter().enumerate().take(turn - 1) {
        player.recall(&Request { session: &session, seat, last, stop }, &recorded_response(replay, index, seat, played));
        session.play(&played.responses);
        last = Some(played);
    }
    let response = player.ask(&Request { session: &session, seat, last, stop });
    if let Some(fault) = MachineFault::from_response(seat, &response) {
        return Err(fault.into());
    }
    let (response, verdict) = judged(&session, seat, turns.get(turn - 1), response);
    let recorded = replay.public.turns.get(turn - 1).map(|turn| turn.actions[seat.index()].unwrap_or(UNREADABLE));
    Ok(RerunTurn { turn, recorded, response, verdict })
}

/// Plays the turn with this response in place of the recorded one; all others stay if there is none. Returns the response with a
/// complaint if its action is illegal, and its verdict.
fn judged(session: &Session, seat: Seat, played: Option<&SessionTurn>, mut response: Response) -> (Response, Verdict) {
    let stay = ParsedResponse::Action { number: action::to_number(Action::Stay), taunt: None };
    let mut parsed = played.map_or_else(|| BySeat::from_fn(|_| Some(stay.clone())), |played| played.responses.clone());
    parsed[seat] = Some(response.parsed.clone());
    let mut after = session.clone();
    let turn = after.play(&parsed).expect("the game is not over");
    explain(&mut response, seat, session.map(), &turn);
    let verdict = TurnInfo::from_turn(&turn).verdicts[seat.index()].expect("it was alive");
    (response, verdict)
}
