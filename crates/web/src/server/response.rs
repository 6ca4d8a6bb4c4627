//! Responses: pages and JSON.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::page::Page;

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
