//! Work on the user's own bots that takes a while. Its progress is streamed, and it ends when the client goes away.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::State;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream;
use pacman2_botzone::problem::Problem;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::folder::OwnBot;
use super::{MyBots, Shown};
use crate::server::backend::BackendError;
use crate::server::error::ApiError;
use crate::server::request::{JsonBody, UrlPath, blocking};
use crate::server::stop_signal::StopSignal;
use crate::server::stream::sse_response;

/// How many events may wait for a client.
const MAX_QUEUED: usize = 16;

/// A bot of the user's own that something is done with.
#[derive(Clone, Debug)]
pub struct TaskBot {
    /// Its name, with the version if it is one.
    pub label: String,
    /// Its file, folder or archive.
    pub path: PathBuf,
}

/// What is done with the user's own bots.
#[derive(Debug)]
pub enum BotTask {
    /// Find a bot's faults, as `pacman2 check` does.
    Check(TaskBot),
}

/// The result of a task.
pub struct TaskResult {
    /// What the command prints as JSON.
    pub result: Value,
    /// What is wrong at lines of the bot: `file`, `line`, `column`, `severity` and `message`.
    pub problems: Vec<Value>,
}

/// The body of a request for a check.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckBody {
    version: Option<u32>,
}

/// Finds faults of a bot, and remembers how many there are.
pub(super) async fn check(
    State(bots): Shown,
    UrlPath(name): UrlPath<String>,
    JsonBody(CheckBody { version }): JsonBody<CheckBody>,
) -> Result<Response, ApiError> {
    let work = Work::begin(bots, name, version).await?;
    let task = BotTask::Check(work.bot.to_task());
    Ok(work.run(task))
}

/// A task that may begin: no other one is running.
struct Work {
    bots: Arc<MyBots>,
    bot: OwnBot,
    permit: OwnedSemaphorePermit,
}

impl Work {
    async fn begin(bots: Option<Arc<MyBots>>, name: String, version: Option<u32>) -> Result<Work, ApiError> {
        let bots = bots.ok_or(ApiError::NoBotsFolder {})?;
        let permit = Arc::clone(&bots.working).try_acquire_owned().map_err(|_| ApiError::BotWorkRunning {})?;
        let folder = Arc::clone(&bots);
        let bot = blocking(move || folder.folder.find_version(&name, version)).await??;
        Ok(Work { bots, bot, permit })
    }

    /// Works on another thread, and returns the stream of what happens.
    fn run(self, task: BotTask) -> Response {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED);
        let stop = Arc::new(AtomicBool::new(false));
        let events = events(receiver, StopOnDrop(Arc::clone(&stop)), self.bots.stop.clone());
        tokio::spawn(async move {
            let Work { bots, bot, permit } = self;
            let progress = sender.clone();
            let work = move || {
                let report = |event: Value| drop(progress.blocking_send(("progress", event)));
                let modified_ms = bot.modified_ms();
                let end = end_of(&bot, bots.workshop.work(&task, &stop, &report));
                if let (BotTask::Check(_), false) = (&task, stop.load(Ordering::Relaxed)) {
                    bots.folder.remember_check(&bot, &end, modified_ms)?;
                }
                Ok(end)
            };
            let end = blocking(work).await.and_then(|end| end);
            let end = end.unwrap_or_else(|error| json!({ "result": null, "error": error.to_json(), "problems": [] }));
            let _ = sender.send(("end", end)).await;
            drop(permit);
        });
        sse_response(events)
    }
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
    stream::unfold((receiver, stop, server_stops), |(mut receiver, stop, server_stops)| async move {
        let (kind, data) = tokio::select! {
            event = receiver.recv() => event?,
            () = server_stops.requested() => return None,
        };
        Some((Ok(Event::default().event(kind).data(data.to_string())), (receiver, stop, server_stops)))
    })
}

/// Returns the last event. Its problems name files as the bot's files are called.
fn end_of(bot: &OwnBot, result: Result<TaskResult, BackendError>) -> Value {
    let (result, error, mut problems) = match result {
        Ok(TaskResult { result, problems }) => (result, Value::Null, problems),
        Err(BackendError { reason, causes, .. }) => {
            let problems = causes.iter().flat_map(diagnostics).collect();
            (Value::Null, ApiError::BotUnusable { reason, causes }.to_json(), problems)
        }
    };
    for problem in &mut problems {
        let file = problem["file"].as_str().map(|file| bot.inner_name(file));
        problem["file"] = file.into();
    }
    json!({ "result": result, "error": error, "problems": problems })
}

/// Returns what a compiler says of lines.
fn diagnostics(cause: &Problem) -> Vec<Value> {
    cause.params.get("diagnostics").and_then(Value::as_array).cloned().unwrap_or_default()
}
