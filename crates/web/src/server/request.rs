//! What handlers of requests share: parsed bodies, and work that may take long.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::body;
use super::connections::Peer;
use super::error::ApiError;

/// Runs work that may take long on a thread where it delays no other request.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| ApiError::ServerFailed {})
}

/// The body of a request, parsed as JSON.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<JsonBody<T>, ApiError> {
        let peer: Peer = *request.extensions().get().expect("every connection adds it");
        let body = timeout(peer.body_timeout, Bytes::from_request(request, state)).await;
        let bytes = body.map_err(|_| ApiError::RequestTooSlow {})?.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::RequestTooLarge {},
            _ => ApiError::RequestCutOff {},
        })?;
        body::read(&bytes).map(JsonBody)
    }
}
