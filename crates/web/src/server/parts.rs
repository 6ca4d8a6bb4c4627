//! What a server with other routes shares with this one: connections with limits, the checks of a request's origin, compression,
//! headers, errors and the page of an arena.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use axum::{Router, middleware};

pub use super::arena::contest_routes;
use super::auth::Place;
pub use super::auth::only_value;
pub use super::compression::KeptPage;
pub use super::connections::{Client, Peer};
pub use super::error::ApiError;
pub use super::request::{JsonBody, RawBody, UrlPath, blocking};
pub use super::response::json;
use super::{StopSignal, Timeouts, accounted, auth, serve_until};
pub use crate::page::Page;

/// Serves routes until `stop` is requested. Browsers reach the server by address, by the name of this machine, or by one of `names`.
///
/// # Errors
/// Fails if the asynchronous runtime cannot be started or the listener breaks.
pub fn serve(listener: TcpListener, names: &[String], routes: Router, timeouts: Timeouts, stop: &StopSignal) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let place = Arc::new(Place::new(listener.local_addr()?, names));
    let routes = accounted(routes).layer(middleware::from_fn_with_state(place, auth::guard_place));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    runtime.block_on(async {
        serve_until(stop, tokio::net::TcpListener::from_std(listener)?, routes, timeouts).await;
        Ok(())
    })
}
