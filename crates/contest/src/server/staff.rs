//! What staff see and do: the people, their links, and the log.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use pacman2_web::server::parts::{JsonBody, blocking, json};
use serde::Deserialize;
use serde_json::json;

use super::error::ContestError;
use super::guard::{Staff, Teacher};
use super::link;
use crate::contest::Contest;
use crate::invitations::Invitations;
use crate::log::Log;
use crate::people::{People, Person, PersonId, Role, read_list};
use crate::secret::Secret;

pub(super) async fn list_people(State(contest): State<Arc<Contest>>, _: Staff) -> Result<Response, ContestError> {
    Ok(json(StatusCode::OK, &blocking(move || People(contest.database()).all()).await??))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PeopleList {
    csv: String,
}

pub(super) async fn add_people(
    State(contest): State<Arc<Contest>>,
    Teacher(teacher): Teacher,
    JsonBody(PeopleList { csv }): JsonBody<PeopleList>,
) -> Result<Response, ContestError> {
    let list = read_list(&csv)?;
    let count = list.len();
    blocking(move || People(contest.database()).add(&list, Some(teacher.id))).await??;
    Ok(json(StatusCode::OK, &json!({ "people": count })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkRequest {
    people: Vec<PersonId>,
}

/// Makes a link for each of some people. A link opens the account, so assistants make them for students only.
pub(super) async fn make_links(
    State(contest): State<Arc<Contest>>,
    Staff(staff): Staff,
    JsonBody(LinkRequest { people }): JsonBody<LinkRequest>,
) -> Result<Response, ContestError> {
    let links = blocking(move || {
        let mut links = Vec::new();
        let mut shown = Vec::new();
        for id in people {
            let person = People(contest.database()).find(id)?.ok_or(ContestError::NoSuchPerson {})?;
            let secret = draw_for(&staff, &person)?;
            shown.push(json!({ "name": person.name, "number": person.number, "class": person.class, "link": link(&secret) }));
            links.push((id, secret));
        }
        Invitations(contest.database()).make(&links, Some(staff.id))?;
        Ok::<_, ContestError>(shown)
    });
    Ok(json(StatusCode::CREATED, &links.await??))
}

fn draw_for(staff: &Person, person: &Person) -> Result<Secret, ContestError> {
    if !Role::may_invite(staff.role, person.role) {
        return Err(ContestError::TeachersOnly {});
    }
    Secret::draw().map_err(|error| ContestError::failed(&error))
}

pub(super) async fn show_log(State(contest): State<Arc<Contest>>, _: Staff) -> Result<Response, ContestError> {
    Ok(json(StatusCode::OK, &blocking(move || Log(contest.database()).last()).await??))
}
