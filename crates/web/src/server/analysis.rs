//! Analyses: what an engine says of positions, turn by turn, for as long as somebody listens.
//!
//! An engine takes as much of a machine as it is given. So only who has the token may ask, only so many are at work at a time,
//! each for a bounded time, and work for who has gone away ends at once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use axum::http::{StatusCode, header};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use pacman2_botzone::match_log::MatchLog;
use pacman2_replay::{Playback, Replay};
use pacman2_rules::{Game, Seat};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::response::{ApiError, JsonBody, aside};
use super::stream::respond;
use super::{Backend, House, InHouse};
use crate::page;

/// The largest question: the public part of a long match.
pub(super) const QUESTION_BYTES: usize = 8 * 1024 * 1024;
/// How long somebody waits for a place: who has just asked for something else still has one for a moment.
const WAIT: Duration = Duration::from_secs(1);
/// For how long a turn is thought over if nobody says, and at most.
const TURN: Duration = Duration::from_millis(100);
const TURN_AT_MOST: Duration = Duration::from_secs(10);
/// How many simulations may be asked for; time is the bound that counts.
const SIMULATIONS_AT_MOST: u32 = 10_000_000;
/// How long all turns of a question take at most; whoever wants the rest asks again.
const WHOLE_AT_MOST: Duration = Duration::from_secs(600);

/// What an engine is asked.
pub struct AnalysisRequest<'a> {
    /// The position before the turn.
    pub game: &'a Game,
    /// The turn that comes next, 1 for the first.
    pub turn: u32,
    /// What was ordered in it, in Botzone's numbers, if it was played; `None` for the dead.
    pub given: Option<[Option<i32>; 4]>,
    /// How much it may think.
    pub effort: AnalysisEffort,
}

/// How much an engine may think about a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnalysisEffort {
    /// So long.
    Time(Duration),
    /// So many simulations.
    Simulations(u32),
}

/// Where analyses find a place.
pub(super) struct Analyses {
    places: Arc<Semaphore>,
}

impl Analyses {
    pub(super) fn new() -> Analyses {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Analyses { places: Arc::new(Semaphore::new(cores)) }
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let place = tokio::time::timeout(WAIT, Arc::clone(&self.places).acquire_owned()).await;
        let full = "as many analyses are under way as this machine has cores; wait for one to end";
        place.ok().and_then(Result::ok).ok_or_else(|| ApiError::too_many(full))
    }
}

/// What somebody wants to know. Of `film`, `replay` and `match` one is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wish {
    /// A replay, or one of Botzone's match logs.
    film: Option<Value>,
    /// The name of one in the folder.
    replay: Option<String>,
    /// The id of a match that is being played, for a hint to the human on `seat`.
    #[serde(rename = "match")]
    live: Option<String>,
    seat: Option<usize>,
    /// The turns, in the order in which they are wanted; all if it is missing.
    turns: Option<Vec<u32>>,
    time_ms: Option<u64>,
    simulations: Option<u32>,
}

/// The script that asks for analyses, for the page of a server.
pub(super) async fn script() -> Response {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], page::analysis_script()).into_response()
}

/// Answers with a stream of events `turn`. When nobody reads it any more, the work ends.
pub(super) async fn analyse(house: InHouse, JsonBody(wish): JsonBody<Wish>) -> Result<Response, ApiError> {
    let place = house.analyses.place().await?;
    let asked = Arc::clone(&house);
    let work = aside(move || wish.work(&asked)).await??;
    // One turn may wait to be read while the next one is thought over.
    let (teller, told) = mpsc::channel(1);
    let outside = house.hall.outside();
    tokio::task::spawn_blocking(move || {
        work.tell_all(&*outside, &teller);
        drop(place);
    });
    Ok(respond(stream::unfold((told, house.stop.clone()), |(mut told, stop)| async move {
        let turn: String = tokio::select! {
            turn = told.recv() => turn?,
            () = stop.requested() => return None,
        };
        Some((Ok(Event::default().event("turn").data(turn)), (told, stop)))
    })))
}

/// What is to be analysed.
struct Work {
    /// The last position, and the way back.
    last: Game,
    given: Vec<[Option<i32>; 4]>,
    turns: Vec<u32>,
    /// The only seat that is told of.
    only: Option<Seat>,
    effort: AnalysisEffort,
}

impl Wish {
    fn work(self, house: &House) -> Result<Work, ApiError> {
        let effort = self.effort()?;
        let Wish { film, replay, live, seat, turns, .. } = self;
        match (film, replay, live) {
            (Some(film), None, None) => Work::of_film(&film, turns, seat, effort),
            (None, Some(name), None) => {
                let film: Value = serde_json::from_str(&house.folder.read(&name)?)
                    .map_err(|error| ApiError::bad_request(format!("{name}: it is not JSON: {error}")))?;
                Work::of_film(&film, turns, seat, effort)
            }
            (None, None, Some(_)) if turns.is_some() => {
                Err(ApiError::bad_request("turns: in a match there are hints for the turn that is being played only"))
            }
            (None, None, Some(id)) => Work::of_match(house, &id, seat, effort),
            _ => Err(ApiError::bad_request("one of film, replay and match is to be given")),
        }
    }

    fn effort(&self) -> Result<AnalysisEffort, ApiError> {
        let most_ms = TURN_AT_MOST.as_millis() as u64;
        match (self.time_ms, self.simulations) {
            (Some(_), Some(_)) => Err(ApiError::bad_request("time_ms and simulations cannot both be given")),
            (Some(ms), None) if !(1..=most_ms).contains(&ms) => {
                Err(ApiError::bad_request(format!("time_ms is {ms}; 1 to {most_ms} is possible")))
            }
            (None, Some(number)) if !(1..=SIMULATIONS_AT_MOST).contains(&number) => {
                Err(ApiError::bad_request(format!("simulations is {number}; 1 to {SIMULATIONS_AT_MOST} is possible")))
            }
            (None, Some(number)) => Ok(AnalysisEffort::Simulations(number)),
            (ms, None) => Ok(AnalysisEffort::Time(ms.map_or(TURN, Duration::from_millis))),
        }
    }
}

impl Work {
    /// A match as far as it agrees with the rules.
    fn of_film(film: &Value, turns: Option<Vec<u32>>, seat: Option<usize>, effort: AnalysisEffort) -> Result<Work, ApiError> {
        let replay = if MatchLog::recognises(film) {
            MatchLog::read_by_any_ruling(film).map(|log| Replay::from_match_log(&log)).map_err(ApiError::bad_request)?
        } else {
            Replay::from_json(film).map_err(ApiError::bad_request)?
        };
        let Playback { session, turns: played, .. } = replay.play_back();
        let last = session.game().clone();
        let given = replay.public.turns.iter().take(played.len()).map(|turn| turn.actions).collect();
        let mut work = Work { last, given, turns: Vec::new(), only: seat.map(seat_of).transpose()?, effort };
        let possible = 1..=work.last.last_turn() as u32;
        if let Some(turn) = turns.iter().flatten().find(|turn| !possible.contains(turn)) {
            let last = possible.end();
            return Err(ApiError::bad_request(format!("turn {turn} cannot be analysed; the match has turns 1 to {last}")));
        }
        let mut seen = BTreeSet::new();
        work.turns = turns.unwrap_or_else(|| possible.collect()).into_iter().filter(|&turn| seen.insert(turn)).collect();
        Ok(work)
    }

    /// The turn that a human is asked about. What the others have ordered in it is not in the film, so no hint can tell it.
    fn of_match(house: &House, id: &str, seat: Option<usize>, effort: AnalysisEffort) -> Result<Work, ApiError> {
        let live = house.hall.find(id)?;
        let seat = seat_of(seat.ok_or_else(|| ApiError::bad_request("seat: a hint is for the human on one seat"))?)?;
        let waiting = live.desk.waiting();
        if !waiting.seats.contains(&seat) {
            let not_asked = format!("player {seat} is not asked for an order now, so there is no hint");
            return Err(ApiError::new(StatusCode::CONFLICT, not_asked));
        }
        let film = serde_json::from_str(&live.replay().0).map_err(ApiError::broken)?;
        Work::of_film(&film, Some(vec![waiting.turn]), Some(seat.index()), effort)
    }

    /// Tells turn after turn, until somebody has heard them all, nobody listens any more, or the time is up.
    fn tell_all(&self, engine: &dyn Backend, teller: &mpsc::Sender<String>) {
        let deadline = Instant::now() + WHOLE_AT_MOST;
        for &turn in &self.turns {
            let until = deadline.min(Instant::now() + TURN_AT_MOST);
            let given = self.given.get(turn as usize - 1).copied();
            let question = AnalysisRequest { game: &self.last.before(turn as usize), turn, given, effort: self.effort };
            let mut told = engine.analyse(&question, &|| !teller.is_closed() && Instant::now() < until);
            if teller.is_closed() || Instant::now() >= deadline {
                return;
            }
            if let Some(only) = self.only {
                keep_only(&mut told, only);
            }
            if teller.blocking_send(told.to_string()).is_err() {
                return;
            }
        }
    }
}

fn seat_of(number: usize) -> Result<Seat, ApiError> {
    Seat::new(number).ok_or_else(|| ApiError::bad_request(format!("there is no seat {number}; 0 to 3 are possible")))
}

/// Leaves of what is told of seats only what is told of this one.
fn keep_only(told: &mut Value, only: Seat) {
    for seat in Seat::ALL.into_iter().filter(|&seat| seat != only) {
        for (key, nothing) in [("seats", json!([])), ("loss", Value::Null)] {
            if let Some(value) = told.get_mut(key).and_then(|seats| seats.get_mut(seat.index())) {
                *value = nothing;
            }
        }
    }
}
