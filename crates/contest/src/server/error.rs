//! What can be wrong with a request to a contest. Responses have a code with parameters, and a sentence in English; the page words
//! the codes in Chinese (`../web/contest/errors.js`).

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use pacman2_web::server::parts::{ApiError, json};
use serde::Serialize;

use crate::database::DatabaseError;
use crate::people::ListError;
use crate::submissions::HandInError;

/// An error as a client sees it.
#[derive(Debug, thiserror::Error, Serialize)]
#[serde(tag = "code", content = "params", rename_all = "kebab-case")]
pub(super) enum ContestError {
    #[error("sign in first")]
    SignInNeeded {},
    #[error("only staff may do this")]
    StaffOnly {},
    #[error("only teachers may do this")]
    TeachersOnly {},
    #[error("the number or the password is wrong")]
    WrongPassword {},
    #[error("too many wrong attempts; try again in {minutes} minutes")]
    TooManyGuesses { minutes: u64 },
    #[error("this link was used, has expired or was replaced by a newer one; ask for a new link")]
    WrongInvitation {},
    #[error("a password must have {min} to {max} characters")]
    PasswordLength { min: usize, max: usize },
    #[error("the request must say which page it comes from; use a browser of this decade")]
    OriginNeeded {},
    #[error("there is no such person")]
    NoSuchPerson {},
    #[error("the request needs the name of a file: ?file=NAME")]
    FileNeeded {},
    #[error("expected a file of at most {max_mb} MB, got {bytes} bytes")]
    FileTooLarge { max_mb: u64, bytes: u64 },
    #[error("at most {per_hour} versions in an hour; the next one is possible in {seconds} s")]
    Quota { per_hour: u32, seconds: i64 },
    #[error("the name of the file is too long or begins with a dot")]
    FileName {},
    #[error("the server failed while it worked on this; its terminal shows why")]
    ContestFailed {},
    #[error(transparent)]
    #[serde(untagged)]
    List(#[from] ListError),
    #[error(transparent)]
    #[serde(untagged)]
    Shared(#[from] ApiError),
}

impl ContestError {
    /// Returns the error for work that failed for no fault of the client, and prints the reason in the terminal.
    pub(super) fn failed(reason: &dyn std::fmt::Display) -> ContestError {
        super::warn(reason);
        ContestError::ContestFailed {}
    }

    fn status(&self) -> StatusCode {
        match self {
            ContestError::SignInNeeded {} => StatusCode::UNAUTHORIZED,
            ContestError::StaffOnly {}
            | ContestError::TeachersOnly {}
            | ContestError::WrongPassword {}
            | ContestError::WrongInvitation {}
            | ContestError::OriginNeeded {} => StatusCode::FORBIDDEN,
            ContestError::TooManyGuesses { .. } | ContestError::Quota { .. } => StatusCode::TOO_MANY_REQUESTS,
            ContestError::FileTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            ContestError::NoSuchPerson {} => StatusCode::NOT_FOUND,
            ContestError::ContestFailed {} => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

impl IntoResponse for ContestError {
    fn into_response(self) -> Response {
        if let ContestError::Shared(error) = self {
            return error.into_response();
        }
        let mut object = serde_json::to_value(&self).expect("plain data always has a JSON form");
        object["error"] = self.to_string().into();
        json(self.status(), &object)
    }
}

impl From<DatabaseError> for ContestError {
    fn from(error: DatabaseError) -> ContestError {
        ContestError::failed(&error)
    }
}

impl From<HandInError> for ContestError {
    fn from(error: HandInError) -> ContestError {
        match error {
            HandInError::TooLarge { max_mb, bytes } => ContestError::FileTooLarge { max_mb, bytes },
            HandInError::Quota { per_hour, seconds } => ContestError::Quota { per_hour, seconds },
            HandInError::Name => ContestError::FileName {},
            other => ContestError::failed(&other),
        }
    }
}
