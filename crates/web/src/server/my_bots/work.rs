//! Work on the user's own bots that takes a while. Its progress is streamed, and it ends when the client goes away.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream;
use pacman2_botzone::problem::Problem;
use pacman2_replay::Replay;
use pacman2_rules::Seat;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::folder::OwnBot;
use super::{MyBots, Shown};
use crate::server::analysis::MAX_SIMULATIONS;
use crate::server::backend::BackendError;
use crate::server::error::ApiError;
use crate::server::match_request::{PastSource, SeatRequest};
use crate::server::request::{JsonBody, UrlPath, blocking};
use crate::server::stop_signal::StopSignal;
use crate::server::stream::sse_response;

/// How many events may wait for a client.
const MAX_QUEUED: usize = 16;
/// How long a task may take. Then it ends with what it has.
const MAX_TIME: Duration = Duration::from_secs(1800);

/// A bot that something is done with.
#[derive(Clone, Debug)]
pub struct TaskBot {
    /// The bot as the command line takes it; of the user's own bots, the path.
    pub text: String,
    /// What it is called; a version of the user's own bots has its number behind its name.
    pub label: String,
}

/// What is done with bots.
#[derive(Debug)]
pub enum BotTask {
    /// Find a bot's faults, as `pacman2 check` does.
    Check(TaskBot),
    /// Ask a bot the questions of a recorded match, as `pacman2 rerun` does.
    Rerun {
        /// The bot.
        bot: TaskBot,
        /// The match.
        replay: Box<Replay>,
        /// Whose questions it is asked.
        seat: Seat,
        /// How many simulations for each turn in which the answers differ; `None` for the usual number.
        simulations: Option<u32>,
    },
    /// Play until it is decided whether a bot is better than another, as `pacman2 arena compare` does.
    Compare {
        /// The new bot.
        new: TaskBot,
        /// The old one.
        old: TaskBot,
    },
}

/// The result of a task.
pub struct TaskResult {
    /// What the command prints as JSON.
    pub result: Value,
    /// The faults that a check has found, in both languages: `what`, and `place` with `file` and `line`, among others.
    pub faults: Vec<Value>,
}

/// The body of a request for a check or a comparison.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VersionBody {
    version: Option<u32>,
}

/// The body of a request for a rerun.
#[derive(Deserialize)]
pub(super) struct RerunBody {
    bot: SeatRequest,
    #[serde(flatten)]
    source: PastSource,
    seat: usize,
    simulations: Option<u32>,
}

/// Finds faults of a bot, and remembers how many there are.
pub(super) async fn check(
    bots: Shown,
    UrlPath(name): UrlPath<String>,
    JsonBody(VersionBody { version }): JsonBody<VersionBody>,
) -> Result<Response, ApiError> {
    run(bots, move |bots| {
        let bot = bots.folder()?.find_version(&name, version)?;
        Ok((BotTask::Check(bot.to_task()), Some(bot)))
    })
    .await
}

/// Compares a bot with a version of it, by default the last one.
pub(super) async fn compare(
    bots: Shown,
    UrlPath(name): UrlPath<String>,
    JsonBody(VersionBody { version }): JsonBody<VersionBody>,
) -> Result<Response, ApiError> {
    run(bots, move |bots| {
        let folder = bots.folder()?;
        let new = folder.find(&name)?;
        let last = || folder.last_version(&new).unwrap_or(1);
        let old = folder.find_version(&name, Some(version.unwrap_or_else(last)))?;
        Ok((BotTask::Compare { new: new.to_task(), old: old.to_task() }, Some(new)))
    })
    .await
}

/// Asks any bot the questions of a recorded match.
pub(super) async fn rerun(bots: Shown, JsonBody(body): JsonBody<RerunBody>) -> Result<Response, ApiError> {
    run(bots, move |bots| {
        let RerunBody { bot, source, seat, simulations } = body;
        let seat = Seat::new(seat).ok_or(ApiError::NoSuchSeat { seat })?;
        if let Some(got) = simulations.filter(|&number| number > MAX_SIMULATIONS) {
            return Err(ApiError::OutOfRange { name: "simulations", min: 0, max: MAX_SIMULATIONS.into(), got: got.to_string() });
        }
        let (bot, own) = match bot {
            SeatRequest::Text(text) => (TaskBot { label: text.clone(), text }, None),
            SeatRequest::Mine(mine) => {
                let own = bots.folder()?.find_version(&mine.mine, mine.version)?;
                (own.to_task(), Some(own))
            }
        };
        let replay = Box::new(source.read(&bots.replays)?);
        Ok((BotTask::Rerun { bot, replay, seat, simulations }, own))
    })
    .await
}

/// A task, and the bot whose files its problems are in, if that is one of the user's own.
type Prepared = (BotTask, Option<OwnBot>);

/// Prepares a task and works on it on another thread, unless another one is running. Answers with the stream of what happens.
async fn run(
    State(bots): Shown,
    prepare: impl FnOnce(&MyBots) -> Result<Prepared, ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let bots = bots.ok_or(ApiError::NoBotsFolder {})?;
    let permit = Arc::clone(&bots.working).try_acquire_owned().map_err(|_| ApiError::BotWorkRunning {})?;
    let preparing = Arc::clone(&bots);
    let (task, own) = blocking(move || prepare(&preparing)).await??;
    let (sender, receiver) = mpsc::channel(MAX_QUEUED);
    let stop = Arc::new(AtomicBool::new(false));
    let events = events(receiver, StopOnDrop(Arc::clone(&stop)), bots.stop.clone());
    tokio::spawn(async move {
        let progress = sender.clone();
        let work = move || {
            let report = |event: Value| drop(progress.blocking_send(("progress", event)));
            let modified_ms = own.as_ref().map_or(0, OwnBot::modified_ms);
            let end = end_of(own.as_ref(), bots.workshop.work(&task, &stop, &report));
            if let (BotTask::Check(_), Some(bot), false) = (&task, &own, stop.load(Ordering::Relaxed)) {
                bots.folder()?.remember_check(bot, &end, modified_ms)?;
            }
            Ok(end)
        };
        let end = blocking(work).await.and_then(|end| end);
        let end = end.unwrap_or_else(|error| json!({ "result": null, "error": error.to_json(), "faults": [], "problems": [] }));
        // Before the end is known, so that the next task can begin at once.
        drop(permit);
        let _ = sender.send(("end", end)).await;
    });
    Ok(sse_response(events))
}

/// Ends the work when the stream is dropped: the client has gone away, or the server stops.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn events(
    receiver: mpsc::Receiver<(&'static str, Value)>,
    stop: StopOnDrop,
    server_stops: StopSignal,
) -> impl stream::Stream<Item = Result<Event, Infallible>> {
    let deadline = Instant::now() + MAX_TIME;
    stream::unfold((receiver, stop, server_stops), move |(mut receiver, stop, server_stops)| async move {
        let (kind, data) = tokio::select! {
            event = receiver.recv() => event?,
            () = server_stops.requested() => return None,
            () = tokio::time::sleep_until(deadline) => {
                stop.0.store(true, Ordering::Relaxed);
                receiver.recv().await?
            }
        };
        Some((Ok(Event::default().event(kind).data(data.to_string())), (receiver, stop, server_stops)))
    })
}

/// Returns the last event. Its problems name files as the bot's files are called.
fn end_of(bot: Option<&OwnBot>, result: Result<TaskResult, BackendError>) -> Value {
    let (result, error, faults, mut problems) = match result {
        Ok(TaskResult { result, faults }) => {
            let problems = faults.iter().filter_map(from_fault).collect();
            (result, Value::Null, faults, problems)
        }
        Err(BackendError { reason, causes, .. }) => {
            let problems: Vec<Value> = causes.iter().flat_map(diagnostics).collect();
            (Value::Null, ApiError::BotUnusable { reason, causes }.to_json(), Vec::new(), problems)
        }
    };
    for problem in &mut problems {
        if let (Some(bot), Some(file)) = (bot, problem["file"].as_str()) {
            problem["file"] = bot.inner_name(file).into();
        }
    }
    json!({ "result": result, "error": error, "faults": faults, "problems": problems })
}

/// Returns a fault as a problem of a line, if that is known.
fn from_fault(fault: &Value) -> Option<Value> {
    let place = fault["place"].as_object()?;
    let (what, severity) = (&fault["what"], "error");
    let [file, line] = ["file", "line"].map(|key| place.get(key));
    Some(json!({
        "file": file, "line": line, "column": null, "severity": severity, "message": what["en"], "message_zh": what["zh"],
    }))
}

/// Returns what a compiler says of lines.
fn diagnostics(cause: &Problem) -> Vec<Value> {
    cause.params.get("diagnostics").and_then(Value::as_array).cloned().unwrap_or_default()
}
