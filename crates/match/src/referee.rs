//! The referee: plays a match turn by turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::Map;
use pacman2_rules::{Action, BySeat, Cause, Event, Seat, SeatSet};

use crate::player::{Player, Request, Response};

/// The four players of a match.
pub type Players = BySeat<Box<dyn Player>>;

/// When the players of a turn think.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AskMode {
    /// All at the same time, as on Botzone.
    #[default]
    AtOnce,
    /// One after another: fair where there are fewer cores than players.
    OneByOne,
}

/// A turn that has been played, with all that was said in it.
#[derive(Clone, Debug)]
pub struct MatchTurn {
    /// What came of it.
    pub turn: SessionTurn,
    /// What the living said.
    pub said: BySeat<Option<Response>>,
}

/// Plays a match to its end, or until `stop` is set, which abandons it in the middle of a turn. `watch` is shown each turn
/// when it is over.
pub fn play(
    map: Map,
    players: &mut Players,
    thinking: AskMode,
    stop: &AtomicBool,
    mut watch: impl FnMut(&Session, &MatchTurn),
) -> Vec<MatchTurn> {
    let mut table = Session::new(map);
    let mut all: Vec<MatchTurn> = Vec::new();
    loop {
        let said = hear_all(&table, players, all.last().map(|played| &played.turn), thinking, stop);
        if stop.load(Ordering::Relaxed) {
            return all;
        }
        let heard = BySeat::from_fn(|seat| said[seat].as_ref().map(|said| said.heard.clone()));
        let Some(turn) = table.play(&heard) else { return all };
        let said = explain(said, &table, &turn);
        let played = MatchTurn { turn, said };
        watch(&table, &played);
        let over = played.turn.scores.is_some();
        all.push(played);
        if over {
            return all;
        }
    }
}

fn hear_all(
    table: &Session,
    players: &mut Players,
    last: Option<&SessionTurn>,
    thinking: AskMode,
    stop: &AtomicBool,
) -> BySeat<Option<Response>> {
    let alive = table.game().state().alive;
    let asked = |seat| Request { map: table.map(), game: table.game(), seat, last, stop };
    let mut said = BySeat::from_fn(|_| None);
    let slow = SeatSet::from_fn(|seat| alive.contains(seat) && !players[seat].answers_at_once());
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for (seat, player) in Seat::ALL.into_iter().zip(&mut players.0).filter(|(seat, _)| alive.contains(*seat)) {
            if thinking == AskMode::AtOnce && slow.contains(seat) && slow.len() > 1 {
                threads.push((seat, scope.spawn(move || player.ask(&asked(seat)))));
            } else {
                said[seat] = Some(player.ask(&asked(seat)));
            }
        }
        for (seat, thread) in threads {
            match thread.join() {
                Ok(answer) => said[seat] = Some(answer),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    said
}

/// Adds to what was said in a turn what was wrong with an order that was understood, but not legal.
pub fn explain(mut said: BySeat<Option<Response>>, table: &Session, turn: &SessionTurn) -> BySeat<Option<Response>> {
    for event in &turn.report.events {
        let &Event::Died { seat, lost: strength, cause: Cause::IllegalAction { action }, .. } = event else { continue };
        let Some(said) = &mut said[seat] else { continue };
        let complaint = match (action, &turn.responses[seat]) {
            (Action::Move(direction), _) => format!("it cannot go {direction}: a wall is there"),
            (Action::Shoot(_), _) => {
                let cost = table.map().maze.ruleset().skill_cost;
                format!("it cannot shoot: a light needs more strength than {cost}, and it has {strength}")
            }
            (_, Some(ParsedResponse::Action { number, .. })) => format!("there is no action {number}; -1 to 7 are possible"),
            _ => continue,
        };
        said.complaint.get_or_insert(complaint);
    }
    said
}
