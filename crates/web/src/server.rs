//! The server behind `pacman2 serve`: it shows the replays of a folder, plays matches, and lets humans play in them.
//!
//! [`Server`] is the entry point. What only the program around it can do (find bots, keep replays, run an engine) comes
//! through the trait [`Backend`]. `routes` lists all requests; the module `auth` decides who may make them, and `error` lists all
//! errors.

mod analysis;
mod arena;
mod auth;
mod backend;
mod body;
mod compression;
mod connections;
mod error;
mod folder;
mod live;
mod match_request;
mod matches;
mod my_bots;
pub mod parts;
mod request;
mod response;
mod sessions;
mod stop_signal;
mod stream;
mod timeouts;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use pacman2_rules::Seat;
use pacman2_tournament::Store;
use serde_json::json;

use crate::human::HumanAction;
use crate::page::{self, Host};
use analysis::Analyses;
use arena::Arena;
use auth::Auth;
pub use backend::{AnalysisEffort, AnalysisRequest, Backend, BackendError, MatchOptions, SeatedBot};
use compression::{KeptGzip, KeptPage};
use error::ApiError;
use folder::{Content, Folder};
use match_request::MatchRequest;
pub use matches::MAX_RUNNING;
use matches::Matches;
use my_bots::MyBots;
pub use my_bots::{BotTask, BotTemplate, BotWorkshop, TaskBot, TaskResult};
use request::{JsonBody, UrlPath};
use response::json;
use sessions::Sessions;
pub use sessions::new_token;
pub use stop_signal::StopSignal;
use stream::Streams;
pub use timeouts::Timeouts;

/// How long running requests may go on after the server was asked to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);
/// How many times the server looks for unattended matches until it abandons one.
const ATTENDANCE_CHECKS: u32 = 100;
/// The largest body with a code.
const SESSION_BYTES: usize = 1024;
/// The largest body that starts a match.
const MATCH_REQUEST_BYTES: usize = 1024 * 1024;
/// The largest body with a human's action.
const ACTION_BYTES: usize = 16 * 1024;

/// A server that listens, but does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    folder: PathBuf,
    arena: Option<Store>,
    bots: Option<PathBuf>,
    workshop: Option<Box<dyn BotWorkshop>>,
    timeouts: Timeouts,
    sessions: Arc<Sessions>,
}

impl Server {
    /// Creates a server on `listener` that shows the replays in `folder`. Requests that change anything need `token`.
    ///
    /// # Errors
    /// Fails if the listener cannot be made non-blocking, or its address cannot be read.
    ///
    /// # Examples
    /// ```
    /// use std::net::TcpListener;
    /// use std::path::Path;
    ///
    /// use pacman2_web::server::{Server, new_token};
    ///
    /// let server = Server::new(TcpListener::bind("127.0.0.1:0")?, Path::new("replays"), new_token()?)?;
    /// assert!(server.url()?.starts_with("http://127.0.0.1:"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(listener: TcpListener, folder: &Path, token: String) -> io::Result<Server> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (sessions, timeouts) = (Arc::new(Sessions::new(token)), Timeouts::default());
        Ok(Server { listener, address, folder: folder.to_owned(), arena: None, bots: None, workshop: None, sessions, timeouts })
    }

    /// Shows an arena, too.
    #[must_use]
    pub fn with_arena(mut self, arena: Store) -> Server {
        self.arena = Some(arena);
        self
    }

    /// Shows the user's own bots in this folder, and lets those with the token change them and add others.
    #[must_use]
    pub fn with_bots(mut self, folder: PathBuf) -> Server {
        self.bots = Some(folder);
        self
    }

    /// Sets what works on the user's own bots, and reruns matches.
    #[must_use]
    pub fn with_workshop(mut self, workshop: impl BotWorkshop) -> Server {
        self.workshop = Some(Box::new(workshop));
        self
    }

    /// Sets how long the server waits for clients.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> Server {
        self.timeouts = timeouts;
        self
    }

    /// Returns an address to open in a browser. It contains a new code, which works once.
    ///
    /// # Errors
    /// Fails if the operating system has no random numbers.
    pub fn url(&self) -> io::Result<String> {
        let code = self.sessions.new_code(Instant::now(), self.timeouts.code)?;
        Ok(format!("{}/#code={code}", url_of(self.address)))
    }

    /// Serves until `stop` is requested, and abandons the running matches before it returns.
    ///
    /// # Errors
    /// Fails if the asynchronous runtime cannot be started or the listener breaks.
    pub fn run(self, backend: impl Backend, stop: &StopSignal) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let matches = Arc::new(Matches::new(backend));
        let result = runtime.block_on(self.serve(Arc::clone(&matches), stop));
        matches.close();
        // Does not wait for a request that is still compiling a bot.
        runtime.shutdown_background();
        result
    }

    async fn serve(self, matches: Arc<Matches>, stop: &StopSignal) -> io::Result<()> {
        let bots = matches.backend().built_in_bots();
        let mine = self.bots.as_deref();
        let page = page::html(Host::Server { folder: &self.folder, bots: &bots, mine, arena: self.arena.is_some() }, None);
        let folder = Arc::new(Folder::new(self.folder));
        let my_bots = |workshop| Arc::new(MyBots::new(self.bots, Arc::clone(&folder), workshop, stop.clone()));
        let my_bots = self.workshop.map(my_bots);
        let app = Arc::new(AppState {
            page: KeptPage::new(page),
            botzone_player: KeptPage::new(page::html(Host::Botzone, None)),
            botzone_preview: KeptPage::new(page::botzone_preview()),
            file_page: KeptPage::new(page::html(Host::File, None)),
            analysis_script_gzip: KeptGzip::default(),
            editor_script_gzip: KeptGzip::default(),
            auth: Arc::new(Auth::new(self.address, Arc::clone(&self.sessions))),
            sessions: self.sessions,
            analyses: Arc::new(Analyses::new(Arc::clone(&folder), Arc::clone(&matches), stop.clone())),
            streams: Arc::new(Streams::new(Arc::clone(&folder), Arc::clone(&matches), stop.clone())),
            folder,
            matches,
            my_bots: my_bots.clone(),
            arena: self.arena.map(|store| Arc::new(Arena::new(store, crate::arena::live_page()))),
        });
        tokio::spawn(stream::watch_folder(Arc::clone(&app.streams)));
        tokio::spawn(watch_attendance(Arc::clone(&app.matches), self.timeouts.unattended));
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        serve_until(stop, listener, routes(app), self.timeouts).await;
        if let Some(my_bots) = my_bots {
            my_bots.close().await;
        }
        Ok(())
    }
}

/// Serves until `stop` is requested, and a little longer for the requests that are running then.
async fn serve_until(stop: &StopSignal, listener: tokio::net::TcpListener, routes: Router, timeouts: Timeouts) {
    tokio::select! {
        () = connections::serve(listener, routes, timeouts, stop) => {}
        () = async { stop.requested().await; tokio::time::sleep(SHUTDOWN_GRACE).await } => {}
    }
}

/// Returns where a browser of this machine finds a server that listens on an address.
#[must_use]
pub fn url_of(address: SocketAddr) -> String {
    // A browser cannot connect to the unspecified address.
    let host = match address.ip() {
        ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    format!("http://{host}:{}", address.port())
}

/// Abandons matches whose humans have left, for as long as the server runs.
async fn watch_attendance(matches: Arc<Matches>, limit: Duration) {
    loop {
        tokio::time::sleep(limit / ATTENDANCE_CHECKS).await;
        matches.abandon_unattended(Instant::now(), limit);
    }
}

/// The parts of a server. The handlers in this file get all of them, and the handlers of a part get that part.
struct AppState {
    page: KeptPage,
    botzone_player: KeptPage,
    botzone_preview: KeptPage,
    /// The page that becomes a file with a match in it.
    file_page: KeptPage,
    analysis_script_gzip: KeptGzip,
    editor_script_gzip: KeptGzip,
    auth: Arc<Auth>,
    sessions: Arc<Sessions>,
    folder: Arc<Folder>,
    matches: Arc<Matches>,
    analyses: Arc<Analyses>,
    streams: Arc<Streams>,
    my_bots: Option<Arc<MyBots>>,
    arena: Option<Arc<Arena>>,
}

type App = State<Arc<AppState>>;

const SCRIPT: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")];

fn routes(app: Arc<AppState>) -> Router {
    let (analyses, streams) = (Arc::clone(&app.analyses), Arc::clone(&app.streams));
    let (arena, my_bots, auth) = (app.arena.clone(), app.my_bots.clone(), Arc::clone(&app.auth));
    let routes = Router::new()
        .route(auth::PAGE, get(|app: App| async move { app.page.response() }))
        .route(auth::FRAMED_PAGE, get(|app: App| async move { app.botzone_player.response() }))
        .route(auth::PREVIEW, get(|app: App| async move { app.botzone_preview.response() }))
        .route("/file.html", get(|app: App| async move { app.file_page.response() }))
        .route(auth::SESSION, post(open_session).layer(DefaultBodyLimit::max(SESSION_BYTES)))
        .route("/api/replays", get(list_replays))
        .route("/api/replays/{name}", get(read_replay))
        .route("/api/replays/{name}/log", get(read_log))
        .route("/api/events", get(stream::list_changes).with_state(Arc::clone(&streams)))
        .route("/api/matches", get(list_matches).post(start_match).layer(DefaultBodyLimit::max(MATCH_REQUEST_BYTES)))
        .route("/api/matches/{id}/events", get(stream::match_events).with_state(streams))
        .route("/api/matches/{id}/seats/{seat}", post(choose_action).layer(DefaultBodyLimit::max(ACTION_BYTES)))
        .route("/api/matches/{id}/abandon", post(abandon_match))
        .route(
            "/analysis.js",
            get(|app: App| async move { (Extension(app.analysis_script_gzip.clone()), SCRIPT, page::analysis_script()) }),
        )
        .route(
            "/editor.js",
            get(|app: App| async move { (Extension(app.editor_script_gzip.clone()), SCRIPT, page::editor_script()) }),
        )
        .route("/server-errors.js", get(|| async { (SCRIPT, page::errors_script()) }))
        .route(
            "/api/decide",
            post(analysis::decide).layer(DefaultBodyLimit::max(analysis::BODY_BYTES)).with_state(Arc::clone(&analyses)),
        )
        .route("/api/analyse", post(analysis::analyse).layer(DefaultBodyLimit::max(analysis::BODY_BYTES)).with_state(analyses))
        .with_state(app)
        .merge(arena::routes(arena))
        .merge(my_bots::routes(my_bots));
    accounted(routes).layer(middleware::from_fn_with_state(auth, auth::guard))
}

/// Adds to routes what each server does with every request, but for the checks of who makes it.
fn accounted(routes: Router) -> Router {
    routes
        .fallback(|uri: Uri| async move { ApiError::NothingThere { path: uri.path().to_owned() } })
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed {} })
        .layer(middleware::from_fn(compression::compress))
        .layer(middleware::from_fn(connections::account))
}

/// The body with a one-time code or the long-lived token.
#[derive(serde::Deserialize)]
struct SessionBody {
    secret: String,
}

async fn open_session(app: App, JsonBody(SessionBody { secret }): JsonBody<SessionBody>) -> Result<Response, ApiError> {
    let token = app.sessions.open(&secret, Instant::now()).map_err(ApiError::no_randomness)?;
    Ok(json(StatusCode::CREATED, &json!({ "token": token.ok_or(ApiError::WrongSecret {})? })))
}

async fn list_replays(app: App) -> Result<Response, ApiError> {
    let folder = Arc::clone(&app.folder);
    Ok(json(StatusCode::OK, &request::blocking(move || folder.list()).await??))
}

async fn read_replay(app: App, UrlPath(name): UrlPath<String>) -> Result<Response, ApiError> {
    let folder = Arc::clone(&app.folder);
    let content = request::blocking(move || folder.content(&name)).await??;
    let body = match content {
        Content::Text(text) => Body::from(text),
        Content::Large(file) => Body::from_stream(stream::pieces(file)),
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// Returns the first match of a file as Botzone logs it.
async fn read_log(app: App, UrlPath(name): UrlPath<String>) -> Result<Response, ApiError> {
    let folder = Arc::clone(&app.folder);
    let log = request::blocking(move || Ok::<_, ApiError>(folder.replay(&name)?.to_match_log()?.write())).await??;
    Ok(json(StatusCode::OK, &log))
}

async fn list_matches(app: App) -> Response {
    json(StatusCode::OK, &app.matches.list())
}

async fn start_match(app: App, JsonBody(request): JsonBody<MatchRequest>) -> Result<Response, ApiError> {
    let (matches, folder, own) = (Arc::clone(&app.matches), Arc::clone(&app.folder), app.my_bots.clone());
    let started = request::blocking(move || matches.start(&request, &folder, own.as_deref())).await??;
    Ok(json(StatusCode::CREATED, &started))
}

/// The body with a human's action.
#[derive(serde::Deserialize)]
struct ActionBody {
    turn: u32,
    action: i32,
    taunt: Option<String>,
}

async fn choose_action(
    app: App,
    UrlPath((id, seat)): UrlPath<(String, usize)>,
    JsonBody(ActionBody { turn, action, taunt }): JsonBody<ActionBody>,
) -> Result<Response, ApiError> {
    let live = app.matches.find(&id)?;
    let seat = Seat::new(seat).ok_or(ApiError::NoSuchSeat { seat })?;
    live.humans.choose(seat, turn, HumanAction { action, taunt })?;
    Ok(json(StatusCode::OK, &json!({})))
}

async fn abandon_match(app: App, UrlPath(id): UrlPath<String>) -> Result<Response, ApiError> {
    app.matches.find(&id)?.abandon();
    Ok(json(StatusCode::OK, &json!({})))
}
