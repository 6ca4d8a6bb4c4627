//! Signing in and out, and links with which people choose a password.

use std::sync::Arc;
use std::time::Instant;

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use pacman2_web::server::parts::{Client, JsonBody, Peer, blocking, json};
use serde::Deserialize;
use serde_json::json;

use super::error::ContestError;
use super::guard::{self, SignedIn, cookie_of, set_cookie};
use super::guesses::Guesses;
use super::{App, Limits};
use crate::contest::Contest;
use crate::invitations::Invitations;
use crate::people::{People, Person};
use crate::secret::Secret;
use crate::sessions::{PASSWORD_CHARACTERS, SessionKind, Sessions, hash_password};

type Shared<T> = State<Arc<T>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignIn {
    number: String,
    password: String,
}

pub(super) async fn sign_in(
    State(App { contest, guesses, limits, .. }): State<App>,
    Extension(Peer { client, .. }): Extension<Peer>,
    JsonBody(SignIn { number, password }): JsonBody<SignIn>,
) -> Result<Response, ContestError> {
    // No account has longer ones, which would only cost time and memory.
    if number.len() > SMALL_TEXT || password.len() > SMALL_TEXT {
        return Err(ContestError::WrongPassword {});
    }
    guesses.begin(Some(&number), client, Instant::now())?;
    let _turn = limits.hashing.acquire().await;
    let signed = blocking(move || sign_in_now(&contest, &number, &password).map(|found| (found, number))).await??;
    let (Some((person, secret)), number) = signed else { return Err(ContestError::WrongPassword {}) };
    guesses.right(Some(&number), client);
    Ok((set_cookie(Some(&secret)), json(StatusCode::OK, &public(&person))).into_response())
}

/// The most bytes of a number or password.
const SMALL_TEXT: usize = 1024;

fn sign_in_now(contest: &Contest, number: &str, password: &str) -> Result<Option<(Person, Secret)>, ContestError> {
    let sessions = Sessions(contest.database());
    let Some(id) = sessions.check(number, password)? else { return Ok(None) };
    let secret = draw()?;
    sessions.add(&secret, id, SessionKind::Browser)?;
    Ok(People(contest.database()).find(id)?.map(|person| (person, secret)))
}

pub(super) async fn sign_out(State(contest): Shared<Contest>, headers: HeaderMap) -> Result<Response, ContestError> {
    if let Some(secret) = cookie_of(&headers) {
        blocking(move || Sessions(contest.database()).end(&secret)).await??;
    }
    Ok((set_cookie(None), json(StatusCode::OK, &json!({}))).into_response())
}

/// Returns the person who is signed in, or `null`.
pub(super) async fn me(State(contest): Shared<Contest>, request: Request) -> Result<Response, ContestError> {
    let found = guard::person_of(contest, guard::credentials(&request)).await?;
    Ok(json(StatusCode::OK, &found.as_ref().map(public)))
}

/// Makes the token with which a program hands in versions of this person. It replaces the one before.
pub(super) async fn new_token(State(contest): Shared<Contest>, SignedIn(person): SignedIn) -> Result<Response, ContestError> {
    let secret = draw()?;
    let token = secret.reveal().to_owned();
    blocking(move || Sessions(contest.database()).add(&secret, person.id, SessionKind::Token)).await??;
    Ok(json(StatusCode::CREATED, &json!({ "token": token })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Invitation {
    secret: String,
}

pub(super) async fn show_invitation(
    State(App { contest, guesses, .. }): State<App>,
    Extension(Peer { client, .. }): Extension<Peer>,
    JsonBody(Invitation { secret }): JsonBody<Invitation>,
) -> Result<Response, ContestError> {
    let find = move || Invitations(contest.database()).find(&Secret::presented(&secret));
    let person = guess_link(&guesses, client, blocking(find)).await?;
    Ok(json(StatusCode::OK, &public(&person)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Acceptance {
    secret: String,
    password: String,
}

pub(super) async fn accept_invitation(
    State(App { contest, guesses, limits, .. }): State<App>,
    Extension(Peer { client, .. }): Extension<Peer>,
    JsonBody(Acceptance { secret, password }): JsonBody<Acceptance>,
) -> Result<Response, ContestError> {
    if !PASSWORD_CHARACTERS.contains(&password.chars().count()) {
        let (min, max) = PASSWORD_CHARACTERS.into_inner();
        return Err(ContestError::PasswordLength { min, max });
    }
    let secret = Secret::presented(&secret);
    let (database, find) = (Arc::clone(&contest), Secret::presented(secret.reveal()));
    // Without a link, a client cannot make the server hash passwords.
    guess_link(&guesses, client, blocking(move || Invitations(database.database()).find(&find))).await?;
    let session = draw()?;
    let cookie = set_cookie(Some(&session));
    let hash = hash(&limits, password).await?;
    let accepted = blocking(move || Invitations(contest.database()).accept(&secret, &hash, &session)).await??;
    let person = accepted.ok_or(ContestError::WrongInvitation {})?;
    Ok((cookie, json(StatusCode::OK, &public(&person))).into_response())
}

async fn hash(limits: &Limits, password: String) -> Result<String, ContestError> {
    let _turn = limits.hashing.acquire().await;
    blocking(move || hash_password(&password)).await?.map_err(|error| ContestError::failed(&error))
}

/// Finds whom a link is for, as a guess that is limited.
async fn guess_link<E: Into<ContestError>, F: Into<ContestError>>(
    guesses: &Guesses,
    client: Client,
    find: impl Future<Output = Result<Result<Option<Person>, E>, F>>,
) -> Result<Person, ContestError> {
    guesses.begin(None, client, Instant::now())?;
    let found = find.await.map_err(Into::into)?.map_err(Into::into)?;
    let person = found.ok_or(ContestError::WrongInvitation {})?;
    guesses.right(None, client);
    Ok(person)
}

fn draw() -> Result<Secret, ContestError> {
    Secret::draw().map_err(|error| ContestError::failed(&error))
}

/// What a person sees of the own account.
fn public(Person { name, number, role, .. }: &Person) -> serde_json::Value {
    json!({ "name": name, "number": number, "role": role })
}
