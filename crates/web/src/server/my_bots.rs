//! The user's own bots: listed, made, edited and kept in versions, in a folder that the user named.
//!
//! Sources are private, so that every request needs the token, also those that change nothing.

mod folder;
mod history;
mod new_bot;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::analysis;
use super::backend::BackendError;
use super::error::ApiError;
use super::folder::Folder;
use super::request::{JsonBody, UrlPath, blocking};
use super::response::json;
use super::stop_signal::StopSignal;
use folder::{BotsFolder, SaveBody};
use new_bot::NewBotBody;
pub use work::{BotTask, TaskBot, TaskResult};

/// The beginning of the paths of all requests about the user's own bots.
pub(super) const PATH: &str = "/api/bots";
/// The largest body with a new bot: all of its files in Base64, and what is around them.
const NEW_BOT_BYTES: usize = 24 * 1024 * 1024;
/// The largest body with a source, in which each character may be escaped.
const SAVE_BYTES: usize = 6 * 1024 * 1024;
/// The largest body that names a task.
const TASK_BYTES: usize = 1024;
/// How long a server that stops waits for the work on a bot to end. Only compilers and trials cannot be stopped.
const WORK_GRACE: Duration = Duration::from_secs(5);

/// What the server leaves to the program that runs it, for the user's own bots and for reruns.
pub trait BotWorkshop: Send + Sync + 'static {
    /// Returns the templates for new bots.
    fn templates(&self) -> Vec<BotTemplate>;

    /// Writes a bot in a language into its folder, which is empty. Without a kind, it is the usual one.
    ///
    /// # Errors
    /// Returns why there is no such template, or why it cannot be written. The server answers 400 with this reason.
    fn write_template(&self, language: &str, kind: Option<&str>, folder: &Path, name: &str) -> Result<(), BackendError>;

    /// Does a task until it is done or `stop` is set. `report` gets objects that say how far it is.
    ///
    /// # Errors
    /// Returns why a bot cannot be used. A cause may have `diagnostics`: what a compiler says of lines.
    fn work(&self, task: &BotTask, stop: &Arc<AtomicBool>, report: &dyn Fn(Value)) -> Result<TaskResult, BackendError>;
}

/// A template for new bots.
#[derive(Clone, Debug, Serialize)]
pub struct BotTemplate {
    /// The name of the language on the command line.
    pub language: &'static str,
    /// The name of the language for people.
    pub title: &'static str,
    /// The kind of bot unless the user chooses one.
    pub usual: &'static str,
    /// All kinds.
    pub kinds: Vec<&'static str>,
}

/// The folder, and what works on bots.
pub(super) struct MyBots {
    folder: Option<BotsFolder>,
    replays: Arc<Folder>,
    workshop: Box<dyn BotWorkshop>,
    /// One task at a time, because it may use all of the machine.
    working: Arc<Semaphore>,
    stop: StopSignal,
}

impl MyBots {
    pub(super) fn new(folder: Option<PathBuf>, replays: Arc<Folder>, workshop: Box<dyn BotWorkshop>, stop: StopSignal) -> MyBots {
        MyBots { folder: folder.map(BotsFolder::new), replays, workshop, working: Arc::new(Semaphore::new(1)), stop }
    }

    fn folder(&self) -> Result<&BotsFolder, ApiError> {
        self.folder.as_ref().ok_or(ApiError::NoBotsFolder {})
    }

    /// Finds a bot, or a version of it.
    pub(super) fn find(&self, name: &str, version: Option<u32>) -> Result<TaskBot, ApiError> {
        self.folder()?.find_version(name, version).map(|bot| bot.to_task())
    }

    /// Waits for the task that is running. Its client is gone, or the server stops.
    pub(super) async fn close(&self) {
        let _ = tokio::time::timeout(WORK_GRACE, self.working.acquire()).await;
    }
}

type Shown = State<Option<Arc<MyBots>>>;

/// Returns the requests about the user's own bots. Without a folder, each is answered with how to get one.
pub(super) fn routes(bots: Option<Arc<MyBots>>) -> Router {
    Router::new()
        .route(PATH, get(list).post(create).layer(DefaultBodyLimit::max(NEW_BOT_BYTES)))
        .route("/api/bots/{name}", get(show))
        .route("/api/bots/{name}/source", get(read).post(save).layer(DefaultBodyLimit::max(SAVE_BYTES)))
        .route("/api/bots/{name}/check", post(work::check).layer(DefaultBodyLimit::max(TASK_BYTES)))
        .route("/api/bots/{name}/compare", post(work::compare).layer(DefaultBodyLimit::max(TASK_BYTES)))
        .route("/api/rerun", post(work::rerun).layer(DefaultBodyLimit::max(analysis::BODY_BYTES)))
        .with_state(bots)
}

/// Answers with what a function finds out, on a thread where it delays no other request.
async fn answer<T: Serialize + Send + 'static>(
    State(bots): Shown,
    status: StatusCode,
    find: impl FnOnce(&BotsFolder, &dyn BotWorkshop) -> Result<T, ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let bots = bots.ok_or(ApiError::NoBotsFolder {})?;
    Ok(json(status, &blocking(move || find(bots.folder()?, &*bots.workshop)).await??))
}

async fn list(bots: Shown) -> Result<Response, ApiError> {
    answer(bots, StatusCode::OK, |folder, workshop| {
        Ok(json!({ "folder": folder.path(), "bots": folder.list()?, "templates": workshop.templates() }))
    })
    .await
}

async fn create(bots: Shown, JsonBody(body): JsonBody<NewBotBody>) -> Result<Response, ApiError> {
    answer(bots, StatusCode::CREATED, |folder, workshop| {
        let name = new_bot::create(folder, workshop, body)?;
        folder.show(&name)
    })
    .await
}

async fn show(bots: Shown, UrlPath(name): UrlPath<String>) -> Result<Response, ApiError> {
    answer(bots, StatusCode::OK, move |folder, _| folder.show(&name)).await
}

/// The query of a request for a source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceQuery {
    file: Option<String>,
    version: Option<u32>,
}

async fn read(
    bots: Shown,
    UrlPath(name): UrlPath<String>,
    query: Result<Query<SourceQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(SourceQuery { file, version }) = query.map_err(|_| ApiError::UnknownParameter { expected: "file and version" })?;
    answer(bots, StatusCode::OK, move |folder, _| folder.read(&name, file.as_deref(), version)).await
}

async fn save(bots: Shown, UrlPath(name): UrlPath<String>, JsonBody(body): JsonBody<SaveBody>) -> Result<Response, ApiError> {
    answer(bots, StatusCode::OK, move |folder, _| folder.save(&name, body)).await
}
