//! The server behind `pacman2 serve`: it shows the replays of a folder, plays matches, and lets humans play in them.
//!
//! [`Server`] is the entry point. What only the program around it can do (find bots, keep replays, run an engine) comes
//! through the trait [`Backend`]. `routes` lists all requests; the module `auth` decides who may make them.

mod analysis;
mod arena;
mod auth;
mod folder;
mod live;
mod match_request;
mod matches;
mod response;
mod stream;

use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path as UrlPath, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use pacman2_match::player::Player;
use pacman2_replay::SeatInfo;
use pacman2_rules::{Ruleset, Seat};
use pacman2_runner::{Limits, Tier};
use pacman2_tournament::Store;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::human::HumanAction;
use crate::page::{self, Host, Page};
use analysis::Analyses;
pub use analysis::{AnalysisEffort, AnalysisRequest};
use arena::Arena;
use auth::Auth;
use folder::Folder;
use match_request::MatchRequest;
use matches::Matches;
use response::{ApiError, JsonBody, json};
use stream::Streams;

/// How long running requests may go on after the server was asked to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);
/// The largest body that starts a match.
const MATCH_REQUEST_BYTES: usize = 1024 * 1024;
/// The largest body with a human's action.
const ACTION_BYTES: usize = 16 * 1024;

/// A server that listens, but does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    folder: PathBuf,
    token: String,
    arena: Option<Store>,
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
    /// assert!(server.url().starts_with("http://127.0.0.1:"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(listener: TcpListener, folder: &Path, token: String) -> io::Result<Server> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Server { listener, address, folder: folder.to_owned(), token, arena: None })
    }

    /// Shows an arena, too.
    #[must_use]
    pub fn with_arena(mut self, arena: Store) -> Server {
        self.arena = Some(arena);
        self
    }

    /// Returns the address to open in a browser. It contains the token.
    pub fn url(&self) -> String {
        // A browser cannot connect to the unspecified address.
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        format!("http://{host}:{}/#token={}", self.address.port(), self.token)
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
        let app = Arc::new(AppState {
            page: page::html(Host::Server { folder: &self.folder, bots: &bots }, None),
            botzone_player: page::html(Host::Botzone, None),
            auth: Auth::new(self.address, self.token),
            folder: Arc::new(Folder::new(self.folder)),
            matches,
            analyses: Analyses::new(),
            streams: Streams::new(),
            arena: self.arena.map(|store| Arc::new(Arena::new(store))),
            stop: stop.clone(),
        });
        tokio::spawn(stream::watch_folder(Arc::clone(&app)));
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let shutdown = stop.clone();
        let serving = axum::serve(listener, routes(app)).with_graceful_shutdown(async move { shutdown.requested().await });
        tokio::select! {
            result = serving => result,
            () = async { stop.requested().await; tokio::time::sleep(SHUTDOWN_GRACE).await } => Ok(()),
        }
    }
}

/// What the server leaves to the program that runs it.
pub trait Backend: Send + Sync + 'static {
    /// Finds the bot that `text` names and starts it for a match. `lineup` are the four texts of the match, including
    /// `human`. The call may take long: it may compile a program.
    ///
    /// # Errors
    /// Returns in one sentence why the bot cannot play. The server answers 400 with this sentence.
    fn seat_bot(&self, text: &str, lineup: &[String; 4], options: &MatchOptions) -> Result<SeatedBot, BackendError>;

    /// Returns the names that [`Backend::seat_bot`] always accepts, for the page's list.
    fn built_in_bots(&self) -> Vec<&'static str>;

    /// Saves a replay in the server's folder, and returns its file name.
    ///
    /// # Errors
    /// Returns in one sentence why the replay cannot be saved. The match's page shows it.
    fn save_replay(&self, replay: &str) -> Result<String, BackendError>;

    /// Analyses a position with an engine and returns the analysis as a JSON object. The engine thinks until the effort
    /// is spent or `keep_going` returns `false`.
    fn analyse(&self, request: &AnalysisRequest<'_>, keep_going: &dyn Fn() -> bool) -> Value;
}

/// Why a [`Backend`] could not do something. The server only reports it.
pub type BackendError = Box<dyn Error + Send + Sync>;

/// How the bots of a match are run.
#[derive(Clone, Copy, Debug)]
pub struct MatchOptions {
    /// Limits of each bot, before the time factor of its language.
    pub limits: Limits,
    /// The rules of the match, as far as its init data does not give them: the forfeit ruling above all.
    pub ruleset: Ruleset,
}

/// A bot that is ready to play.
pub struct SeatedBot {
    /// What the replay says about it.
    pub info: SeatInfo,
    /// The bot as the referee sees it.
    pub player: Box<dyn Player>,
    /// The tier of its sandbox; `None` if it is no process.
    pub tier: Option<Tier>,
}

/// Tells a running [`Server`] to stop. All clones of a signal are the same signal.
///
/// # Examples
/// ```
/// use std::net::TcpListener;
/// use std::path::Path;
///
/// use pacman2_web::server::{AnalysisRequest, Backend, BackendError, MatchOptions, SeatedBot, Server, StopSignal, new_token};
///
/// /// A backend without bots.
/// struct Spectators;
///
/// impl Backend for Spectators {
///     fn seat_bot(&self, _: &str, _: &[String; 4], _: &MatchOptions) -> Result<SeatedBot, BackendError> {
///         Err("no bot can play here".into())
///     }
///     fn built_in_bots(&self) -> Vec<&'static str> {
///         Vec::new()
///     }
///     fn save_replay(&self, _: &str) -> Result<String, BackendError> {
///         Err("replays are not saved here".into())
///     }
///     fn analyse(&self, _: &AnalysisRequest<'_>, _: &dyn Fn() -> bool) -> serde_json::Value {
///         serde_json::Value::Null
///     }
/// }
///
/// let server = Server::new(TcpListener::bind("127.0.0.1:0")?, Path::new("."), new_token()?)?;
/// let stop = StopSignal::default();
/// let remote = stop.clone();
/// let running = std::thread::spawn(move || server.run(Spectators, &stop));
/// remote.request();
/// running.join().unwrap()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<watch::Sender<bool>>);

impl StopSignal {
    /// Asks the server to stop. Further calls have no effect.
    pub fn request(&self) {
        self.0.send_replace(true);
    }

    /// Waits until the signal is given.
    async fn requested(&self) {
        let _ = self.0.subscribe().wait_for(|requested| *requested).await;
    }
}

/// Returns a random token of 32 hexadecimal digits.
///
/// # Errors
/// Fails if the operating system has no random numbers.
///
/// # Examples
/// ```
/// let token = pacman2_web::server::new_token()?;
/// assert_eq!(token.len(), 32);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn new_token() -> io::Result<String> {
    let [high, low] = [getrandom::u64()?, getrandom::u64()?];
    Ok(format!("{high:016x}{low:016x}"))
}

/// What the request handlers share.
struct AppState {
    page: Page,
    botzone_player: Page,
    auth: Auth,
    folder: Arc<Folder>,
    matches: Arc<Matches>,
    analyses: Analyses,
    streams: Streams,
    arena: Option<Arc<Arena>>,
    stop: StopSignal,
}

type App = State<Arc<AppState>>;

fn routes(app: Arc<AppState>) -> Router {
    Router::new()
        .route(auth::PAGE, get(|app: App| async move { html_response(&app.page) }))
        .route(auth::FRAMED_PAGE, get(|app: App| async move { html_response(&app.botzone_player) }))
        .route("/api/replays", get(list_replays))
        .route("/api/replays/{name}", get(read_replay))
        .route("/api/events", get(stream::list_changes))
        .route("/api/matches", get(list_matches).post(start_match).layer(DefaultBodyLimit::max(MATCH_REQUEST_BYTES)))
        .route("/api/matches/{id}/events", get(stream::match_events))
        .route("/api/matches/{id}/seats/{seat}", post(choose_action).layer(DefaultBodyLimit::max(ACTION_BYTES)))
        .route("/api/matches/{id}/abandon", post(abandon_match))
        .route("/analysis.js", get(analysis::script))
        .route("/api/analyse", post(analysis::analyse).layer(DefaultBodyLimit::max(analysis::BODY_BYTES)))
        .merge(arena::routes())
        .fallback(|uri: Uri| async move { ApiError::not_found(format!("there is nothing at {}", uri.path())) })
        .method_not_allowed_fallback(|| async {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "this method is not allowed here; see the list of requests")
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&app), auth::guard))
        .with_state(app)
}

fn html_response(page: &Page) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()), (header::CONTENT_SECURITY_POLICY, page.csp.clone())];
    (headers, page.html.clone()).into_response()
}

async fn list_replays(app: App) -> Result<Response, ApiError> {
    let folder = Arc::clone(&app.folder);
    Ok(json(StatusCode::OK, &response::blocking(move || folder.list()).await??))
}

async fn read_replay(app: App, UrlPath(name): UrlPath<String>) -> Result<Response, ApiError> {
    let folder = Arc::clone(&app.folder);
    let text = response::blocking(move || folder.read(&name)).await??;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

async fn list_matches(app: App) -> Response {
    json(StatusCode::OK, &app.matches.list())
}

async fn start_match(app: App, JsonBody(request): JsonBody<MatchRequest>) -> Result<Response, ApiError> {
    let matches = Arc::clone(&app.matches);
    let started = response::blocking(move || matches.start(&request)).await??;
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
    let seat = Seat::new(seat).ok_or_else(|| ApiError::not_found(format!("seat must be between 0 and 3, got {seat}")))?;
    live.humans.choose(seat, turn, HumanAction { action, taunt }).map_err(|error| ApiError::new(StatusCode::CONFLICT, error))?;
    Ok(json(StatusCode::OK, &json!({})))
}

async fn abandon_match(app: App, UrlPath(id): UrlPath<String>) -> Result<Response, ApiError> {
    app.matches.find(&id)?.abandon();
    Ok(json(StatusCode::OK, &json!({})))
}
