//! The server: the viewer at home on this machine. It shows the replays of a folder, plays matches and lets humans sit
//! down. What it may be asked is in `route`; who may ask it, in `door`.

mod analysis;
mod arena;
mod auth;
mod folder;
mod live;
mod match_request;
mod matches;
mod response;
mod stream;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path as InPath, State};
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
use crate::page::{self, Page};
use analysis::Analyses;
pub use analysis::{AnalysisEffort, AnalysisRequest};
use arena::Arena;
use auth::Door;
use folder::Folder;
use match_request::MatchRequest;
use matches::Hall;
use response::{ApiError, JsonBody, json};
use stream::Streams;

/// How long answers that are under way may take when the server ends.
const FAREWELL: Duration = Duration::from_secs(1);
/// The largest description of a match.
const WISH_BYTES: usize = 1024 * 1024;
/// The largest order.
const ORDER_BYTES: usize = 16 * 1024;

/// What the server leaves to the program that runs it.
pub trait Backend: Send + Sync + 'static {
    /// Finds the bot that `text` names and lets it sit down at a table of four, or tells in a sentence why not. It may
    /// take long.
    fn sit(&self, text: &str, table: &[String; 4], manner: &MatchOptions) -> Result<SeatedBot, String>;

    /// The names of the bots that are always there, for `sit`.
    fn built_in(&self) -> Vec<&'static str>;

    /// Keeps a replay in the folder, and returns its name there.
    fn keep(&self, replay: &str) -> Result<String, String>;

    /// Has an engine think a position over, for as long as `goes_on` and the question's effort last, and returns what it says,
    /// as an object in JSON. The server has no engine itself.
    fn analyse(&self, question: &AnalysisRequest<'_>, goes_on: &dyn Fn() -> bool) -> Value;
}

/// How bots are run.
#[derive(Clone, Copy, Debug)]
pub struct MatchOptions {
    /// What they may use.
    pub limits: Limits,
    /// The rules of the match, as far as its init data does not give them: the forfeit ruling above all.
    pub ruleset: Ruleset,
}

/// Who sat down.
pub struct SeatedBot {
    /// As the replay knows it.
    pub info: SeatInfo,
    /// As the referee asks it.
    pub player: Box<dyn Player>,
    /// How well it is shut in; `None` if it is no process.
    pub tier: Option<Tier>,
}

/// Asks a server to end; every clone asks the same one.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Asks.
    pub fn request(&self) {
        self.0.send_replace(true);
    }

    /// Waits until it is asked for.
    async fn requested(&self) {
        let _ = self.0.subscribe().wait_for(|asked| *asked).await;
    }
}

/// A token that nobody can guess.
pub fn new_token() -> io::Result<String> {
    let [high, low] = [getrandom::u64()?, getrandom::u64()?];
    Ok(format!("{high:016x}{low:016x}"))
}

/// A server that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    folder: PathBuf,
    token: String,
    arena: Option<Store>,
}

impl Server {
    /// A server on `listener` that shows the replays in `folder`, and does something only for who knows the `token`.
    pub fn new(listener: TcpListener, folder: &Path, token: String) -> io::Result<Server> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Server { listener, address, folder: folder.to_owned(), token, arena: None })
    }

    /// Shows an arena too.
    pub fn with_arena(mut self, arena: Store) -> Server {
        self.arena = Some(arena);
        self
    }

    /// Where a browser finds it, with the token.
    pub fn address(&self) -> String {
        // Nobody can go to "any address".
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            std::net::IpAddr::V4(ip) => ip.to_string(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        };
        format!("http://{host}:{}/#token={}", self.address.port(), self.token)
    }

    /// Serves until `stop` asks it to end; then no match is running any more.
    pub fn run(self, outside: impl Backend, stop: &Stop) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let hall = Arc::new(Hall::new(outside));
        let served = runtime.block_on(self.serve(Arc::clone(&hall), stop));
        hall.close();
        // Whoever is still looking for a bot, or compiling it, is not waited for.
        runtime.shutdown_background();
        served
    }

    async fn serve(self, hall: Arc<Hall>, stop: &Stop) -> io::Result<()> {
        let home = json!({
            "home": "server",
            "version": env!("CARGO_PKG_VERSION"),
            "folder": self.folder.display().to_string(),
            "bots": hall.outside().built_in(),
        });
        let house = Arc::new(House {
            page: page::html(&home, None),
            botzone_player: page::botzone_player(),
            door: Door::new(self.address, self.token),
            folder: Arc::new(Folder::new(self.folder)),
            hall,
            analyses: Analyses::new(),
            streams: Streams::new(),
            arena: self.arena.map(|store| Arc::new(Arena::new(store))),
            stop: stop.clone(),
        });
        tokio::spawn(stream::watch_folder(Arc::clone(&house)));
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let asked = stop.clone();
        let serving = axum::serve(listener, route(house)).with_graceful_shutdown(async move { asked.requested().await });
        tokio::select! {
            served = serving => served,
            () = async { stop.requested().await; tokio::time::sleep(FAREWELL).await } => Ok(()),
        }
    }
}

/// All that the answers need.
struct House {
    page: Page,
    botzone_player: Page,
    door: Door,
    folder: Arc<Folder>,
    hall: Arc<Hall>,
    analyses: Analyses,
    streams: Streams,
    arena: Option<Arc<Arena>>,
    stop: Stop,
}

type InHouse = State<Arc<House>>;

fn route(house: Arc<House>) -> Router {
    Router::new()
        .route(auth::PAGE, get(|house: InHouse| async move { show(&house.page) }))
        .route(auth::FRAMED_PAGE, get(|house: InHouse| async move { show(&house.botzone_player) }))
        .route("/api/replays", get(list_replays))
        .route("/api/replays/{name}", get(read_replay))
        .route("/api/events", get(stream::of_house))
        .route("/api/matches", get(list_matches).post(start_match).layer(DefaultBodyLimit::max(WISH_BYTES)))
        .route("/api/matches/{id}/events", get(stream::of_match))
        .route("/api/matches/{id}/seats/{seat}", post(choose).layer(DefaultBodyLimit::max(ORDER_BYTES)))
        .route("/api/matches/{id}/abandon", post(abandon))
        .route("/analysis.js", get(analysis::script))
        .route("/api/analyse", post(analysis::analyse).layer(DefaultBodyLimit::max(analysis::QUESTION_BYTES)))
        .merge(arena::routes())
        .fallback(|uri: Uri| async move { ApiError::not_found(format!("there is nothing at {}", uri.path())) })
        .method_not_allowed_fallback(|| async { ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "this cannot be done here") })
        .layer(middleware::from_fn_with_state(Arc::clone(&house), auth::guard))
        .with_state(house)
}

fn show(page: &Page) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()), (header::CONTENT_SECURITY_POLICY, page.csp.clone())];
    (headers, page.html.clone()).into_response()
}

async fn list_replays(house: InHouse) -> Result<Response, ApiError> {
    let folder = Arc::clone(&house.folder);
    Ok(json(StatusCode::OK, &response::aside(move || folder.list()).await??))
}

async fn read_replay(house: InHouse, InPath(name): InPath<String>) -> Result<Response, ApiError> {
    let folder = Arc::clone(&house.folder);
    let text = response::aside(move || folder.read(&name)).await??;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

async fn list_matches(house: InHouse) -> Response {
    json(StatusCode::OK, &house.hall.list())
}

async fn start_match(house: InHouse, JsonBody(wish): JsonBody<MatchRequest>) -> Result<Response, ApiError> {
    let hall = Arc::clone(&house.hall);
    let started = response::aside(move || hall.start(wish)).await??;
    Ok(json(StatusCode::CREATED, &started))
}

/// A human's order.
#[derive(serde::Deserialize)]
struct Ordered {
    turn: u32,
    action: i32,
    taunt: Option<String>,
}

async fn choose(
    house: InHouse,
    InPath((id, seat)): InPath<(String, usize)>,
    JsonBody(Ordered { turn, action, taunt }): JsonBody<Ordered>,
) -> Result<Response, ApiError> {
    let live = house.hall.find(&id)?;
    let seat = Seat::new(seat).ok_or_else(|| ApiError::not_found(format!("there is no seat {seat}; 0 to 3 are possible")))?;
    live.desk
        .choose(seat, turn, HumanAction { action, taunt })
        .map_err(|not_asked| ApiError::new(StatusCode::CONFLICT, not_asked))?;
    Ok(json(StatusCode::OK, &json!({})))
}

async fn abandon(house: InHouse, InPath(id): InPath<String>) -> Result<Response, ApiError> {
    house.hall.find(&id)?.abandon();
    Ok(json(StatusCode::OK, &json!({})))
}
