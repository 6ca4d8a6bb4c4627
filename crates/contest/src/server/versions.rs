//! The versions of the person who asks. Those of others are not shown here.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use pacman2_web::server::parts::{RawBody, blocking, json};
use serde::Deserialize;
use serde_json::json;

use super::App;
use super::error::ContestError;
use super::guard::SignedIn;
use crate::contest::Contest;
use crate::submissions::Upload;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UploadQuery {
    file: String,
}

pub(super) async fn list(State(contest): State<Arc<Contest>>, SignedIn(person): SignedIn) -> Result<Response, ContestError> {
    Ok(json(StatusCode::OK, &blocking(move || contest.submissions().of_person(person.id)).await??))
}

/// Takes a file. The name is in the query, the bytes are the body.
pub(super) async fn hand_in(
    State(App { contest, limits, .. }): State<App>,
    SignedIn(person): SignedIn,
    query: Result<Query<UploadQuery>, QueryRejection>,
    request: Request,
) -> Result<Response, ContestError> {
    let Query(UploadQuery { file }) = query.map_err(|_| ContestError::FileNeeded {})?;
    let _turn = limits.uploads.acquire().await;
    let RawBody(bytes) = RawBody::from_request(request, &()).await?;
    let upload = Upload { name: file, bytes: bytes.into() };
    let id = blocking(move || contest.submissions().hand_in(person.id, upload)).await??;
    Ok(json(StatusCode::CREATED, &json!({ "id": id })))
}
