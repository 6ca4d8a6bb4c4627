//! Responses: pages and JSON.

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Makes a JSON response.
pub fn json(status: StatusCode, value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).expect("plain data always has a JSON form");
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Returns the policy of a page as a header.
pub(super) fn policy(csp: &str) -> HeaderValue {
    csp.parse().expect("a policy is a header")
}

/// Makes a response of a page that is kept, with its policy.
pub(super) fn html_response(html: Bytes, csp: HeaderValue) -> Response {
    let html_type = HeaderValue::from_static("text/html; charset=utf-8");
    ([(header::CONTENT_TYPE, html_type), (header::CONTENT_SECURITY_POLICY, csp)], html).into_response()
}
