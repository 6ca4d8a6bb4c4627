//! Who makes a request: a browser with a cookie, or a program with a token.
//!
//! Other pages cannot use the cookie: it is `SameSite=Strict`, the server refuses requests of foreign origins, and a request that
//! changes something with the cookie must say which page it comes from.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use cookie::{Cookie, SameSite, time::Duration};
use pacman2_web::server::parts::{blocking, only_value};

use super::VERSIONS;
use super::error::ContestError;
use crate::contest::Contest;
use crate::people::{Person, Role};
use crate::secret::Secret;
use crate::sessions::{SessionKind, Sessions};

/// The name of the cookie.
const COOKIE: &str = "pacman2-contest";

/// The person who makes a request. Every request that needs a sign-in has it as an extension.
#[derive(Clone)]
pub(super) struct SignedIn(pub(super) Arc<Person>);

/// A member of staff who makes a request.
pub(super) struct Staff(pub(super) Arc<Person>);

/// A teacher who makes a request.
pub(super) struct Teacher(pub(super) Arc<Person>);

/// What a request presents to show who makes it.
type Credentials = Result<(Secret, SessionKind), ContestError>;

/// Rejects requests without a sign-in. Browsers that asked for a page are led to where they can sign in.
pub(super) async fn require_person(State(contest): State<Arc<Contest>>, mut request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    match find_person(contest, credentials(&request)).await {
        Ok(person) => {
            request.extensions_mut().insert(SignedIn(Arc::new(person)));
            next.run(request).await
        }
        Err(ContestError::SignInNeeded {}) if !is_api => Redirect::to("/").into_response(),
        Err(error) => error.into_response(),
    }
}

/// Returns the person who makes a request; `None` without a sign-in.
pub(super) async fn person_of(contest: Arc<Contest>, credentials: Credentials) -> Result<Option<Person>, ContestError> {
    match find_person(contest, credentials).await {
        Err(ContestError::SignInNeeded {}) => Ok(None),
        found => found.map(Some),
    }
}

async fn find_person(contest: Arc<Contest>, credentials: Credentials) -> Result<Person, ContestError> {
    let (secret, kind) = credentials?;
    let found = blocking(move || Sessions(contest.database()).find(&secret, kind)).await??;
    found.ok_or(ContestError::SignInNeeded {})
}

/// Returns what a request presents to show who makes it.
pub(super) fn credentials(request: &Request) -> Credentials {
    let headers = request.headers();
    let (secret, kind) = presented(headers).ok_or(ContestError::SignInNeeded {})?;
    let only_reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if kind == SessionKind::Token && request.uri().path() != VERSIONS {
        return Err(ContestError::SignInNeeded {});
    }
    // That the origin is this server was checked before.
    if kind == SessionKind::Browser
        && !only_reads
        && !headers.contains_key(header::ORIGIN)
        && !headers.contains_key("sec-fetch-site")
    {
        return Err(ContestError::OriginNeeded {});
    }
    Ok((secret, kind))
}

fn presented(headers: &HeaderMap) -> Option<(Secret, SessionKind)> {
    if let Some((scheme, token)) = only_value(headers, &header::AUTHORIZATION).and_then(|value| value.split_once(' ')) {
        return scheme.eq_ignore_ascii_case("bearer").then(|| (Secret::presented(token), SessionKind::Token));
    }
    cookie_of(headers).map(|secret| (secret, SessionKind::Browser))
}

/// Returns the secret in the cookie of a browser.
pub(super) fn cookie_of(headers: &HeaderMap) -> Option<Secret> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let own = cookies.flat_map(Cookie::split_parse).flatten().find(|cookie| cookie.name() == COOKIE)?;
    Some(Secret::presented(own.value()))
}

/// Returns the header that signs a browser in, or out without a secret.
pub(super) fn set_cookie(secret: Option<&Secret>) -> [(header::HeaderName, HeaderValue); 1] {
    let lifetime = secret.map_or(0, |_| SessionKind::Browser.lifetime_s());
    let cookie = Cookie::build((COOKIE, secret.map_or("", Secret::reveal)))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .max_age(Duration::seconds(lifetime));
    [(header::SET_COOKIE, cookie.to_string().parse().expect("a cookie of hexadecimal digits is a header"))]
}

fn signed_in(parts: &Parts) -> Result<Arc<Person>, ContestError> {
    parts.extensions.get::<SignedIn>().map(|SignedIn(person)| Arc::clone(person)).ok_or(ContestError::SignInNeeded {})
}

impl<S: Send + Sync> FromRequestParts<S> for SignedIn {
    type Rejection = ContestError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<SignedIn, ContestError> {
        signed_in(parts).map(SignedIn)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Staff {
    type Rejection = ContestError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Staff, ContestError> {
        let person = signed_in(parts)?;
        if person.role >= Role::Assistant { Ok(Staff(person)) } else { Err(ContestError::StaffOnly {}) }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Teacher {
    type Rejection = ContestError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Teacher, ContestError> {
        let person = signed_in(parts)?;
        if person.role == Role::Teacher { Ok(Teacher(person)) } else { Err(ContestError::TeachersOnly {}) }
    }
}
