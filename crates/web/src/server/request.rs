//! What handlers of requests share: parsed bodies, and work that may take long.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::body;
use super::connections::Peer;
use super::error::ApiError;

/// Runs work that may take long on a thread where it delays no other request.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| ApiError::ServerFailed {})
}

/// The parameters in the path of a request. A path that is no UTF-8, or has something else in their place, leads nowhere.
pub struct UrlPath<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for UrlPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<UrlPath<T>, ApiError> {
        let found = Path::from_request_parts(parts, state).await;
        found
            .map(|Path(parameters)| UrlPath(parameters))
            .map_err(|_| ApiError::NothingThere { path: parts.uri.path().to_owned() })
    }
}

/// The body of a request as it arrives, with the time limit of the server.
pub struct RawBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<RawBody, ApiError> {
        let Peer { body_timeout, .. } = *request.extensions().get().expect("every connection adds it");
        let body = timeout(body_timeout, Bytes::from_request(request, state)).await.map_err(|_| ApiError::RequestTooSlow {})?;
        body.map(RawBody).map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::RequestTooLarge {},
            _ => ApiError::RequestCutOff {},
        })
    }
}

/// The body of a request, parsed as JSON.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<JsonBody<T>, ApiError> {
        let RawBody(bytes) = RawBody::from_request(request, state).await?;
        body::read(&bytes).map(JsonBody)
    }
}
