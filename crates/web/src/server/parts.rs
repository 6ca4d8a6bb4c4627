//! What a server with other routes shares with this one: connections with limits, the checks of a request's origin, compression,
//! headers, errors and the page of an arena.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::Response;
use axum::{Router, middleware};
use pacman2_tournament::Store;
use tokio::time::timeout;

use super::auth::Place;
pub use super::auth::only_value;
use super::compression;
pub use super::connections::{Client, Peer};
pub use super::error::ApiError;
pub use super::request::{JsonBody, UrlPath, blocking};
pub use super::response::json;
use super::{SHUTDOWN_GRACE, StopSignal, Timeouts, arena, auth, connections};
pub use crate::page::Page;

/// The body of a request as it arrives, with the time limit of the server.
pub struct RawBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<RawBody, ApiError> {
        let limit: Duration = request.extensions().get::<Peer>().expect("every connection adds it").body_timeout;
        let body = timeout(limit, Bytes::from_request(request, state)).await.map_err(|_| ApiError::RequestTooSlow {})?;
        body.map(RawBody).map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::RequestTooLarge {},
            _ => ApiError::RequestCutOff {},
        })
    }
}

/// A page that is compressed once.
#[derive(Clone)]
pub struct KeptPage(Arc<compression::KeptPage>);

impl KeptPage {
    /// Keeps a page.
    #[must_use]
    pub fn new(page: Page) -> KeptPage {
        KeptPage(Arc::new(compression::KeptPage::new(page)))
    }

    /// Returns the page as a response.
    #[must_use]
    pub fn response(&self) -> Response {
        self.0.response()
    }
}

/// Returns the routes of the page of an arena whose server has other pages: `/arena`, `/arena/games/{id}` and `/api/arena/…`.
pub fn arena_routes(store: Store) -> Router {
    arena::contest_routes(store)
}

/// Returns where a browser of this machine finds a server that listens on an address.
#[must_use]
pub fn url_of(address: SocketAddr) -> String {
    super::url_of(address)
}

/// Serves routes until `stop` is requested. Browsers reach the server by address, by the name of this machine, or by one of `names`.
///
/// # Errors
/// Fails if the asynchronous runtime cannot be started or the listener breaks.
pub fn serve(listener: TcpListener, names: &[String], routes: Router, timeouts: Timeouts, stop: &StopSignal) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let place = Arc::new(Place::new(listener.local_addr()?, names));
    let routes = routes
        .fallback(super::nothing_there)
        .method_not_allowed_fallback(|| async { ApiError::MethodNotAllowed {} })
        .layer(middleware::from_fn(compression::compress))
        .layer(middleware::from_fn(connections::account))
        .layer(middleware::from_fn_with_state(place, auth::guard_place));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::select! {
            () = connections::serve(listener, routes, timeouts, stop) => {}
            () = async { stop.requested().await; tokio::time::sleep(SHUTDOWN_GRACE).await } => {}
        }
        Ok(())
    })
}
