//! The server of a contest: the pages of people and staff, and those of the arena.
//!
//! `routes` lists all requests, the module `guard` decides who may make them, and `error` lists what can be wrong.

mod accounts;
mod error;
mod guard;
mod guesses;
mod staff;
mod versions;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, FromRef, State};
use axum::routing::{get, post};
use axum::{Router, middleware};
use pacman2_tournament::Store;
use pacman2_web::contest as page;
use pacman2_web::server::parts::{self, KeptPage};
use pacman2_web::server::{StopSignal, Timeouts};
use tokio::sync::Semaphore;

use crate::contest::Contest;
use crate::invitations::Invitations;
use crate::people::People;
use crate::secret::Secret;
use guesses::Guesses;

/// Where versions are handed in: the only requests that a token is good for.
const VERSIONS: &str = "/api/contest/versions";
const MB: usize = 1024 * 1024;
/// The largest body with a name, a password or a list of links to make.
const SMALL_BYTES: usize = 64 * 1024;
/// The largest list of people.
const LIST_BYTES: usize = MB;
/// How many passwords are hashed at a time: each needs 19 MiB and a core.
const HASHED_AT_ONCE: usize = 2;
/// How many files arrive at a time, because each is in memory.
const UPLOADED_AT_ONCE: usize = 8;

/// The server of a contest, which listens, but does not answer yet.
pub struct ContestServer {
    listener: TcpListener,
    contest: Arc<Contest>,
    arena: Store,
    timeouts: Timeouts,
}

impl ContestServer {
    /// Creates a server on `listener`.
    #[must_use]
    pub fn new(listener: TcpListener, contest: Arc<Contest>, arena: Store) -> ContestServer {
        ContestServer { listener, contest, arena, timeouts: Timeouts::default() }
    }

    /// Sets how long the server waits for clients.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: Timeouts) -> ContestServer {
        self.timeouts = timeouts;
        self
    }

    /// Serves until `stop` is requested.
    ///
    /// # Errors
    /// Fails if the asynchronous runtime cannot be started or the listener breaks.
    pub fn run(self, stop: &StopSignal) -> io::Result<()> {
        let names = self.contest.settings().hosts.clone();
        parts::serve(self.listener, &names, routes(self.contest, self.arena), self.timeouts, stop)
    }
}

/// Returns what follows the server's address in the first teacher's link, if no teacher has a password yet.
///
/// # Errors
///
/// If the database fails, or the operating system has no random numbers.
pub fn first_link(contest: &Contest) -> anyhow::Result<Option<String>> {
    let teacher = People(contest.database()).first_teacher()?;
    if teacher.has_password {
        return Ok(None);
    }
    let secret = Secret::draw()?;
    let link = link(&secret);
    Invitations(contest.database()).make(&[(teacher.id, secret)], None)?;
    Ok(Some(link))
}

/// What follows the server's address in a link. Browsers send nothing of it to a server.
fn link(secret: &Secret) -> String {
    format!("/#invitation={}", secret.reveal())
}

fn warn(reason: &dyn std::fmt::Display) {
    eprintln!("pacman2: warning: a request failed: {reason}");
}

/// What handlers share.
#[derive(Clone, FromRef)]
struct App {
    contest: Arc<Contest>,
    guesses: Arc<Guesses>,
    limits: Arc<Limits>,
    page: Arc<KeptPage>,
}

/// What is done a few times at once only.
struct Limits {
    hashing: Semaphore,
    uploads: Semaphore,
}

fn routes(contest: Arc<Contest>, arena: Store) -> Router {
    let limits = Limits { hashing: Semaphore::new(HASHED_AT_ONCE), uploads: Semaphore::new(UPLOADED_AT_ONCE) };
    let page = Arc::new(KeptPage::new(page::page()));
    let app = App { contest: Arc::clone(&contest), guesses: Arc::default(), limits: Arc::new(limits), page };
    let small = || DefaultBodyLimit::max(SMALL_BYTES);
    // These requests need no sign-in. All others do.
    let open = Router::new()
        .route("/", get(|State(page): State<Arc<KeptPage>>| async move { page.response() }))
        .route("/api/contest/me", get(accounts::me))
        .route("/api/contest/sign-in", post(accounts::sign_in).layer(small()))
        .route("/api/contest/invitation", post(accounts::show_invitation).layer(small()))
        .route("/api/contest/invitation/accept", post(accounts::accept_invitation).layer(small()));
    // A file that is a little too large gets an answer with the limit.
    let upload_bytes = (contest.settings().submissions.max_mb as usize + 1) * MB;
    let own = Router::new()
        .route("/api/contest/sign-out", post(accounts::sign_out).layer(small()))
        .route("/api/contest/token", post(accounts::new_token).layer(small()))
        .route(VERSIONS, get(versions::list).post(versions::hand_in).layer(DefaultBodyLimit::max(upload_bytes)))
        .route("/api/contest/people", get(staff::list_people).post(staff::add_people).layer(DefaultBodyLimit::max(LIST_BYTES)))
        .route("/api/contest/links", post(staff::make_links).layer(small()))
        .route("/api/contest/log", get(staff::show_log));
    let closed = own.with_state(app.clone()).merge(parts::contest_routes(arena));
    let closed = closed.layer(middleware::from_fn_with_state(contest, guard::require_person));
    open.with_state(app).merge(closed)
}
