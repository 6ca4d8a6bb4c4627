//! Analyses: an engine's view of positions, streamed turn by turn for as long as the client listens.
//!
//! An engine uses as much of the machine as it gets. So only clients with the token may ask, the number of simultaneous
//! analyses and the time of each are limited, and work stops as soon as the client goes away.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream;
use pacman2_replay::{Playback, Replay, games};
use pacman2_rules::{Game, Seat};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::backend::{AnalysisEffort, AnalysisRequest, Backend, BackendError};
use super::error::ApiError;
use super::folder::Folder;
use super::matches::Matches;
use super::request::{JsonBody, blocking};
use super::response::json as json_response;
use super::stop_signal::StopSignal;
use super::stream::sse_response;

/// The largest body: it has room for the public part of a long match.
pub(super) const BODY_BYTES: usize = 8 * 1024 * 1024;
/// How long a request waits for a free core. A page that asks anew has often just closed its last request.
const PERMIT_WAIT: Duration = Duration::from_secs(1);
const MAX_TIME_PER_TURN: Duration = Duration::from_secs(10);
/// The most simulations per turn. The time limit ends large numbers earlier.
pub(super) const MAX_SIMULATIONS: u32 = 10_000_000;
/// The time for all turns of a request. A client asks again for the rest.
const MAX_TIME_PER_REQUEST: Duration = Duration::from_secs(600);

/// The analyses of a server: what they may be about, and how many may run, one for each core.
pub(super) struct Analyses {
    folder: Arc<Folder>,
    matches: Arc<Matches>,
    stop: StopSignal,
    permits: Arc<Semaphore>,
    cores: usize,
}

impl Analyses {
    pub(super) fn new(folder: Arc<Folder>, matches: Arc<Matches>, stop: StopSignal) -> Analyses {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Analyses { folder, matches, stop, permits: Arc::new(Semaphore::new(cores)), cores }
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let permit = tokio::time::timeout(PERMIT_WAIT, Arc::clone(&self.permits).acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or(ApiError::TooManyAnalyses { limit: self.cores })
    }
}

/// The body of a request. Exactly one of `film`, `replay` and `match` must be present.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnalysisBody {
    /// A replay, or a match log from Botzone.
    film: Option<Value>,
    /// The name of such a file in the folder.
    replay: Option<String>,
    /// The id of a match in progress, for a hint to the human on `seat`.
    #[serde(rename = "match")]
    live: Option<String>,
    seat: Option<usize>,
    /// The turns in the order in which the client wants them. Default: all.
    turns: Option<Vec<u32>>,
    time_ms: Option<u64>,
    simulations: Option<u32>,
}

/// Answers with a stream of events `turn`. The work ends when the client closes the stream.
pub(super) async fn analyse(
    State(analyses): State<Arc<Analyses>>,
    JsonBody(body): JsonBody<AnalysisBody>,
) -> Result<Response, ApiError> {
    let permit = analyses.permit().await?;
    let (folder, matches) = (Arc::clone(&analyses.folder), Arc::clone(&analyses.matches));
    let job = blocking(move || body.job(&folder, &matches)).await??;
    // One analysed turn may wait to be sent while the engine works on the next.
    let (sender, receiver) = mpsc::channel(1);
    let backend = analyses.matches.backend();
    tokio::task::spawn_blocking(move || {
        job.run(&*backend, &sender);
        drop(permit);
    });
    Ok(sse_response(stream::unfold((receiver, analyses.stop.clone()), |(mut receiver, stop)| async move {
        let turn: String = tokio::select! {
            turn = receiver.recv() => turn?,
            () = stop.requested() => return None,
        };
        Some((Ok(Event::default().event("turn").data(turn)), (receiver, stop)))
    })))
}

/// Answers with the action that a built-in bot chooses, for games under What if.
pub(super) async fn decide(
    State(analyses): State<Arc<Analyses>>,
    JsonBody(query): JsonBody<serde_json::Map<String, Value>>,
) -> Result<Response, ApiError> {
    let permit = analyses.permit().await?;
    let backend = analyses.matches.backend();
    let decided = blocking(move || {
        let decided = backend.decide(query);
        drop(permit);
        decided
    });
    let action = decided.await?.map_err(|BackendError { reason, causes, .. }| ApiError::NothingDecided { reason, causes })?;
    Ok(json_response(StatusCode::OK, &json!({ "action": action })))
}

/// A validated request.
struct AnalysisJob {
    /// The last position; it knows all earlier ones.
    last: Game,
    actions: Vec<[Option<i32>; 4]>,
    turns: Vec<u32>,
    /// The seat to report, if not all.
    only: Option<Seat>,
    effort: Option<AnalysisEffort>,
}

impl AnalysisBody {
    fn job(self, folder: &Folder, matches: &Matches) -> Result<AnalysisJob, ApiError> {
        let effort = self.effort()?;
        let AnalysisBody { film, replay, live, seat, turns, .. } = self;
        match (film, replay, live) {
            (Some(replay), None, None) => AnalysisJob::of_replay(&games::from_json(&replay)?, turns, seat, effort),
            (None, Some(name), None) => AnalysisJob::of_replay(&folder.replay(&name)?, turns, seat, effort),
            (None, None, Some(_)) if turns.is_some() => Err(ApiError::HintWithTurns {}),
            (None, None, Some(id)) => AnalysisJob::of_match(matches, &id, seat, effort),
            _ => Err(ApiError::AnalysisSource {}),
        }
    }

    fn effort(&self) -> Result<Option<AnalysisEffort>, ApiError> {
        let max_ms = MAX_TIME_PER_TURN.as_millis() as u64;
        match (self.time_ms, self.simulations) {
            (Some(_), Some(_)) => Err(ApiError::TwoEfforts {}),
            (Some(ms), None) if !(1..=max_ms).contains(&ms) => {
                Err(ApiError::OutOfRange { name: "time_ms", min: 1, max: max_ms, got: ms.to_string() })
            }
            (None, Some(number)) if !(1..=MAX_SIMULATIONS).contains(&number) => {
                let max = MAX_SIMULATIONS.into();
                Err(ApiError::OutOfRange { name: "simulations", min: 1, max, got: number.to_string() })
            }
            (None, Some(number)) => Ok(Some(AnalysisEffort::Simulations(number))),
            (ms, None) => Ok(ms.map(|ms| AnalysisEffort::Time(Duration::from_millis(ms)))),
        }
    }
}

impl AnalysisJob {
    /// Analyses a match, up to the turn in which its replay differs from the rules.
    fn of_replay(
        replay: &Replay,
        turns: Option<Vec<u32>>,
        seat: Option<usize>,
        effort: Option<AnalysisEffort>,
    ) -> Result<AnalysisJob, ApiError> {
        let Playback { session, turns: played, .. } = replay.play_back();
        let last = session.game().clone();
        let actions = replay.public.turns.iter().take(played.len()).map(|turn| turn.actions).collect();
        let last_turn = last.last_turn() as u32;
        if let Some(&turn) = turns.iter().flatten().find(|turn| !(1..=last_turn).contains(turn)) {
            let (max, got) = (last_turn.into(), turn.to_string());
            return Err(ApiError::OutOfRange { name: "turns", min: 1, max, got });
        }
        let mut seen = BTreeSet::new();
        let turns = turns.unwrap_or_else(|| (1..=last_turn).collect()).into_iter().filter(|&turn| seen.insert(turn)).collect();
        Ok(AnalysisJob { last, actions, turns, only: seat.map(parse_seat).transpose()?, effort })
    }

    /// Analyses the turn for which a match waits for a human. The replay does not have the others' actions in this turn
    /// yet, so a hint cannot reveal them.
    fn of_match(
        matches: &Matches,
        id: &str,
        seat: Option<usize>,
        effort: Option<AnalysisEffort>,
    ) -> Result<AnalysisJob, ApiError> {
        let live = matches.find(id)?;
        let seat = parse_seat(seat.ok_or(ApiError::HintWithoutSeat {})?)?;
        let waiting = live.humans.waiting();
        if !waiting.seats.contains(&seat) {
            return Err(ApiError::NoHint { seat: seat.index() });
        }
        let replay = Replay::read(&live.replay())?;
        AnalysisJob::of_replay(&replay, Some(vec![waiting.turn]), Some(seat.index()), effort)
    }

    /// Sends turn after turn until all are analysed, the client has gone, or the time is up.
    fn run(&self, engine: &dyn Backend, sender: &mpsc::Sender<String>) {
        let deadline = Instant::now() + MAX_TIME_PER_REQUEST;
        for &turn in &self.turns {
            let turn_deadline = deadline.min(Instant::now() + MAX_TIME_PER_TURN);
            let actions = self.actions.get(turn as usize - 1).copied();
            let request = AnalysisRequest { game: &self.last, turn, actions, effort: self.effort };
            let mut analysis = engine.analyse(&request, &|| !sender.is_closed() && Instant::now() < turn_deadline);
            if sender.is_closed() || Instant::now() >= deadline {
                return;
            }
            if let Some(only) = self.only {
                keep_only(&mut analysis, only);
            }
            if sender.blocking_send(analysis.to_string()).is_err() {
                return;
            }
        }
    }
}

fn parse_seat(number: usize) -> Result<Seat, ApiError> {
    Seat::new(number).ok_or(ApiError::OutOfRange { name: "seat", min: 0, max: 3, got: number.to_string() })
}

/// Removes from an analysis what it says about the other seats.
fn keep_only(analysis: &mut Value, only: Seat) {
    for seat in Seat::ALL.into_iter().filter(|&seat| seat != only) {
        for (key, empty) in [("seats", json!([])), ("loss", Value::Null), ("accuracy", Value::Null), ("why", Value::Null)] {
            if let Some(value) = analysis.get_mut(key).and_then(|seats| seats.get_mut(seat.index())) {
                *value = empty;
            }
        }
    }
}
