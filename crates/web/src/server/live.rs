//! One match for those who watch it: while it is played, and for as long as the server remembers it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use pacman2_maps::Map;
use pacman2_match::record::{diagnostics, limits_info, record};
use pacman2_match::referee::MatchTurn;
use pacman2_replay::{Replay, SeatInfo, TurnInfo};
use pacman2_rules::{BySeat, Score};
use pacman2_runner::{Limits, Tier};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::error::ApiError;
use crate::human::{HumanInput, Waiting};

/// How many events a listener may be behind before it gets the whole replay again.
const MAX_QUEUED_EVENTS: usize = 64;

/// An event of a match's stream.
#[derive(Clone)]
pub(super) struct MatchEvent {
    /// `film`, `turn`, `asked` or `end`.
    pub(super) kind: &'static str,
    /// JSON.
    pub(super) data: Arc<str>,
}

pub(super) struct LiveMatch {
    pub(super) id: String,
    /// Where the match's humans are asked for their actions.
    pub(super) humans: Arc<HumanInput>,
    /// Set when the match is abandoned.
    pub(super) stop: AtomicBool,
    began: SystemTime,
    names: [String; 4],
    turn_limit: u32,
    /// Since when it has waited for a human in this turn while no page listened.
    unattended: Mutex<Option<(u32, Instant)>>,
    progress: Mutex<Progress>,
    events: broadcast::Sender<MatchEvent>,
}

/// What changes while the match is played.
struct Progress {
    replay: ReplayState,
    turns: usize,
    scores: Option<[f64; 4]>,
    outcome: Option<Outcome>,
}

enum ReplayState {
    Growing(Box<Replay>),
    /// The text of a finished match.
    Finished(Arc<str>),
}

/// How the match ended.
struct Outcome {
    /// The file name of its replay, if one was saved.
    replay: Option<String>,
    /// Why none was saved.
    error: Option<ApiError>,
}

impl LiveMatch {
    pub(super) fn new(id: String, map: &Map, seats: BySeat<SeatInfo>, limits: Limits, tiers: BySeat<Option<Tier>>) -> LiveMatch {
        let events = broadcast::Sender::new(MAX_QUEUED_EVENTS);
        let sender = events.clone();
        let humans = HumanInput::new(move |waiting| drop(sender.send(asked_event(waiting))));
        LiveMatch {
            id,
            humans: Arc::new(humans),
            stop: AtomicBool::new(false),
            began: SystemTime::now(),
            names: seats.0.clone().map(|seat| seat.name),
            turn_limit: map.maze.ruleset().turn_limit,
            unattended: Mutex::default(),
            progress: Mutex::new(Progress {
                replay: ReplayState::Growing(Box::new(record(map, seats, limits_info(limits), tiers, &[]))),
                turns: 0,
                scores: None,
                outcome: None,
            }),
            events,
        }
    }

    /// Begins with the turns of another match.
    pub(super) fn begin_with(&self, past: Replay) {
        let mut progress = self.progress();
        progress.turns = past.public.turns.len();
        if let ReplayState::Growing(replay) = &mut progress.replay {
            replay.public.turns = past.public.turns;
            replay.private.turns = past.private.turns;
        }
    }

    /// Adds a turn that was played.
    pub(super) fn push(&self, played: &MatchTurn) {
        let (turn, diagnostics) = (TurnInfo::from_turn(&played.turn), diagnostics(played));
        let data = json!({ "turn": turn, "backstage": diagnostics }).to_string();
        let mut progress = self.progress();
        progress.turns += 1;
        progress.scores = played.turn.scores.map(|scores| scores.0.map(Score::points));
        let scores = progress.scores;
        if let ReplayState::Growing(replay) = &mut progress.replay {
            replay.public.turns.push(turn);
            replay.public.scores = scores;
            replay.private.turns.push(diagnostics);
        }
        // Sent under the lock, so that a new listener gets each turn exactly once.
        let _ = self.events.send(MatchEvent { kind: "turn", data: data.into() });
    }

    /// Returns the replay so far.
    pub(super) fn replay(&self) -> Arc<str> {
        self.progress().replay.text()
    }

    /// Marks the match as over. `saved` is the file name of its replay; `None` for a match without turns.
    pub(super) fn end(&self, saved: Result<Option<String>, ApiError>) {
        let mut progress = self.progress();
        progress.replay = ReplayState::Finished(progress.replay.text());
        let (replay, error) = match saved {
            Ok(name) => (name, None),
            Err(error) => (None, Some(error)),
        };
        progress.outcome = Some(Outcome { replay, error });
        let _ = self.events.send(progress.end_event().expect("the outcome was just set"));
    }

    pub(super) fn is_over(&self) -> bool {
        self.progress().outcome.is_some()
    }

    /// Asks the match to end as soon as possible.
    pub(super) fn abandon(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Abandons the match if it has waited for this long for a human without a clock while no page listened. Must be called
    /// from time to time.
    pub(super) fn abandon_if_unattended(&self, now: Instant, limit: Duration) {
        let waiting = self.humans.waiting();
        let is_attended = waiting.seats.is_empty() || waiting.time_left.is_some() || self.events.receiver_count() > 0;
        let mut unattended = self.unattended.lock().unwrap_or_else(PoisonError::into_inner);
        let since = match *unattended {
            _ if is_attended => None,
            // A script may play without listening: each turn begins anew.
            Some((turn, since)) if turn == waiting.turn => Some((turn, since)),
            _ => Some((waiting.turn, now)),
        };
        *unattended = since;
        if since.is_some_and(|(_, since)| now.duration_since(since) >= limit) {
            self.abandon();
        }
    }

    /// Returns the size of the replay that is kept in memory after the match.
    pub(super) fn remembered_bytes(&self) -> usize {
        match &self.progress().replay {
            ReplayState::Growing(_) => 0,
            ReplayState::Finished(text) => text.len(),
        }
    }

    /// Returns events that bring a new listener up to date, and a receiver for all later events.
    pub(super) fn subscribe(&self) -> (Vec<MatchEvent>, broadcast::Receiver<MatchEvent>) {
        let progress = self.progress();
        let later = self.events.subscribe();
        let (replay, end) = (MatchEvent { kind: "film", data: progress.replay.text() }, progress.end_event());
        drop(progress);
        // The lock is released here: `asked` may come twice, but never too late.
        let now = end.unwrap_or_else(|| asked_event(&self.humans.waiting()));
        (vec![replay, now], later)
    }

    /// Returns the match as an item of the page's list.
    pub(super) fn summary(&self) -> Value {
        let progress = self.progress();
        let began = self.began.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut summary = json!({
            "id": self.id,
            "seats": self.names,
            "began_ms": began.as_millis() as u64,
            "turns": progress.turns,
            "turn_limit": self.turn_limit,
            "running": progress.outcome.is_none(),
            "scores": progress.scores,
            "replay": progress.outcome.as_ref().and_then(|outcome| outcome.replay.as_ref()),
        });
        add_error(&mut summary, progress.outcome.as_ref().and_then(|outcome| outcome.error.as_ref()));
        summary
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress {
    fn end_event(&self) -> Option<MatchEvent> {
        let Outcome { replay, error } = self.outcome.as_ref()?;
        let mut data = json!({ "scores": self.scores, "replay": replay });
        add_error(&mut data, error.as_ref());
        Some(MatchEvent { kind: "end", data: data.to_string().into() })
    }
}

impl ReplayState {
    fn text(&self) -> Arc<str> {
        match self {
            ReplayState::Growing(replay) => replay.write().into(),
            ReplayState::Finished(text) => Arc::clone(text),
        }
    }
}

/// Adds `error` to an object, with `code` and `params` if there is an error.
fn add_error(object: &mut Value, error: Option<&ApiError>) {
    match error.map(ApiError::to_json) {
        Some(Value::Object(error)) => object.as_object_mut().expect("it is an object").extend(error),
        _ => object["error"] = Value::Null,
    }
}

fn asked_event(waiting: &Waiting) -> MatchEvent {
    let seats: Vec<usize> = waiting.seats.iter().map(|seat| seat.index()).collect();
    let deadline_ms = waiting.time_left.map(|left| left.as_millis() as u64);
    let data = json!({ "turn": waiting.turn, "seats": seats, "deadline_ms": deadline_ms }).to_string();
    MatchEvent { kind: "asked", data: data.into() }
}
