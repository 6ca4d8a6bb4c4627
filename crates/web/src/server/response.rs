//! Responses: pages, JSON, and errors as `{"error": "a sentence"}`.

use std::fmt::Display;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::page::Page;

/// An error as the client sees it: a status and one sentence.
#[derive(Debug)]
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

    /// A limit on simultaneous work is reached.
    pub(super) fn too_many(sentence: impl Display) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, sentence)
    }

    pub(super) fn internal(sentence: impl Display) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, sentence)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        json(self.status, &json!({ "error": self.sentence }))
    }
}

/// Makes a JSON response.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).expect("plain data always has a JSON form");
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Makes a response of a page, with its policy.
pub(super) fn html_response(page: &Page) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()), (header::CONTENT_SECURITY_POLICY, page.csp.clone())];
    (headers, page.html.clone()).into_response()
}

/// Runs work that may take long on a thread where it delays no other request.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    let result = tokio::task::spawn_blocking(work).await;
    result.map_err(|_| ApiError::internal("the server failed while it worked on this; its terminal shows why"))
}

/// The body of a request, parsed as JSON.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<JsonBody<T>, ApiError> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"),
            status => ApiError::new(status, "the request ended early"),
        })?;
        let value = serde_json::from_slice(&bytes);
        value.map(JsonBody).map_err(|error| ApiError::bad_request(format!("invalid request: {error}")))
    }
}
