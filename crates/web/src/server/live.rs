//! A match that is being played, or was: everything about it for who watches, from the beginning on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use pacman2_maps::Map;
use pacman2_match::record::{diagnostics, limits_info, record};
use pacman2_match::referee::MatchTurn;
use pacman2_replay::{Replay, SeatInfo, TurnInfo};
use pacman2_rules::BySeat;
use pacman2_runner::{Limits, Tier};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::human::{HumanInput, Waiting};

/// How much news a watcher may be behind before it is told everything anew.
const NEWS_AT_MOST: usize = 64;

/// A piece of news about a match.
#[derive(Clone)]
pub(super) struct News {
    /// `film`, `turn`, `asked` or `end`.
    pub(super) kind: &'static str,
    /// JSON.
    pub(super) data: Arc<str>,
}

/// One match.
pub(super) struct Live {
    pub(super) id: String,
    /// Where its humans are asked.
    pub(super) desk: Arc<HumanInput>,
    /// Set when the match is abandoned.
    pub(super) stop: AtomicBool,
    began: SystemTime,
    names: [String; 4],
    turn_limit: u32,
    state: Mutex<State>,
    news: broadcast::Sender<News>,
}

/// What changes while it is played.
struct State {
    film: Film,
    turns: usize,
    scores: Option<[f64; 4]>,
    end: Option<End>,
}

enum Film {
    Growing(Box<Replay>),
    Whole(Arc<str>),
}

/// How it ended.
struct End {
    /// The name of its replay, if it could be kept.
    replay: Option<String>,
    /// What went wrong.
    error: Option<String>,
}

impl Live {
    pub(super) fn new(id: String, map: &Map, seats: BySeat<SeatInfo>, limits: Limits, tiers: BySeat<Option<Tier>>) -> Live {
        let news = broadcast::Sender::new(NEWS_AT_MOST);
        let told = news.clone();
        let desk = HumanInput::new(move |waiting| drop(told.send(asked(waiting))));
        Live {
            id,
            desk: Arc::new(desk),
            stop: AtomicBool::new(false),
            began: SystemTime::now(),
            names: seats.0.clone().map(|seat| seat.name),
            turn_limit: map.maze.ruleset().turn_limit,
            state: Mutex::new(State {
                film: Film::Growing(Box::new(record(map, seats, limits_info(limits), tiers, &[]))),
                turns: 0,
                scores: None,
                end: None,
            }),
            news,
        }
    }

    /// A turn has been played.
    pub(super) fn go_on(&self, played: &MatchTurn) {
        let (turn, backstage) = (TurnInfo::of(&played.turn), diagnostics(played));
        let data = json!({ "turn": turn, "backstage": backstage }).to_string();
        let mut state = self.state();
        state.turns += 1;
        state.scores = played.turn.scores.map(|scores| scores.0.map(|score| score.hundredths as f64 / 100.0));
        let scores = state.scores;
        if let Film::Growing(replay) = &mut state.film {
            replay.public.turns.push(turn);
            replay.public.scores = scores;
            replay.private.turns.push(backstage);
        }
        // Under the lock, so that who joins has each turn exactly once.
        let _ = self.news.send(News { kind: "turn", data: data.into() });
    }

    /// The replay so far, and how many turns it has.
    pub(super) fn replay(&self) -> (Arc<str>, usize) {
        let state = self.state();
        (state.film.text(), state.turns)
    }

    /// The match is over, or given up; `kept` is the name of its replay.
    pub(super) fn end(&self, kept: Result<Option<String>, String>) {
        let mut state = self.state();
        state.film = Film::Whole(state.film.text());
        let (replay, error) = match kept {
            Ok(name) => (name, None),
            Err(error) => (None, Some(error)),
        };
        state.end = Some(End { replay, error });
        let _ = self.news.send(state.end_news().expect("it has just ended"));
    }

    pub(super) fn is_over(&self) -> bool {
        self.state().end.is_some()
    }

    pub(super) fn abandon(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// How many bytes are kept of it, now that it is over.
    pub(super) fn weight(&self) -> usize {
        match &self.state().film {
            Film::Growing(_) => 0,
            Film::Whole(text) => text.len(),
        }
    }

    /// All news so far in short, and those to come.
    pub(super) fn join(&self) -> (Vec<News>, broadcast::Receiver<News>) {
        let state = self.state();
        let coming = self.news.subscribe();
        let (film, end) = (News { kind: "film", data: state.film.text() }, state.end_news());
        drop(state);
        // Whom it waits for may be told twice, but never too late.
        let now = end.unwrap_or_else(|| asked(&self.desk.waiting()));
        (vec![film, now], coming)
    }

    /// The match in a few words, for lists.
    pub(super) fn outline(&self) -> Value {
        let state = self.state();
        let began = self.began.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        json!({
            "id": self.id,
            "seats": self.names,
            "began_ms": began.as_millis() as u64,
            "turns": state.turns,
            "turn_limit": self.turn_limit,
            "running": state.end.is_none(),
            "scores": state.scores,
            "replay": state.end.as_ref().and_then(|end| end.replay.as_ref()),
            "error": state.end.as_ref().and_then(|end| end.error.as_ref()),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn end_news(&self) -> Option<News> {
        let End { replay, error } = self.end.as_ref()?;
        let data = json!({ "scores": self.scores, "replay": replay, "error": error }).to_string();
        Some(News { kind: "end", data: data.into() })
    }
}

impl Film {
    fn text(&self) -> Arc<str> {
        match self {
            Film::Growing(replay) => replay.write().into(),
            Film::Whole(text) => Arc::clone(text),
        }
    }
}

fn asked(waiting: &Waiting) -> News {
    let seats: Vec<usize> = waiting.seats.iter().map(|seat| seat.index()).collect();
    let left_ms = waiting.left.map(|left| left.as_millis() as u64);
    let data = json!({ "turn": waiting.turn, "seats": seats, "deadline_ms": left_ms }).to_string();
    News { kind: "asked", data: data.into() }
}
