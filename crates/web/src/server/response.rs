//! Answers: JSON, and what goes wrong as one sentence in JSON.

use std::fmt::Display;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// Why something was not done.
pub(super) struct ApiError {
    status: StatusCode,
    sentence: String,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, sentence: impl Display) -> ApiError {
        ApiError { status, sentence: sentence.to_string() }
    }

    pub(super) fn bad_request(sentence: impl Display) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, sentence)
    }

    pub(super) fn not_found(sentence: impl Display) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, sentence)
    }

    /// There are as many as there may be.
    pub(super) fn too_many(sentence: impl Display) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, sentence)
    }

    pub(super) fn broken(sentence: impl Display) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        json(self.status, &json!({ "error": self.sentence }))
    }
}

/// An answer in JSON.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).expect("plain data always has a JSON form");
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Does what may take long where nobody waits for it but who asked.
pub(super) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| ApiError::broken("this server has failed at it; its terminal says more"))
}

/// What a request tells in its body, as JSON.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<JsonBody<T>, ApiError> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"),
            status => ApiError::new(status, "the request could not be read to its end"),
        })?;
        let told = serde_json::from_slice(&bytes);
        told.map(JsonBody).map_err(|error| ApiError::bad_request(format!("the request cannot be understood: {error}")))
    }
}
