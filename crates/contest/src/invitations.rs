//! Links with which people choose a password. Each works once, and a person's new link replaces the one before. With such a link, staff
//! also help a person who has forgotten a password.

use rusqlite::{Connection, OptionalExtension, params};

use crate::database::{Database, DatabaseError, now};
use crate::log::{self, Action};
use crate::people::{Person, PersonId, person_of};
use crate::secret::Secret;
use crate::sessions::{self, SessionKind};

/// How long a link works.
const LIFETIME_S: i64 = 14 * 24 * 3600;

/// The invitations of a contest.
pub(crate) struct Invitations<'a>(pub(crate) &'a Database);

impl Invitations<'_> {
    /// Stores a link for each of these people, and what was done in the log.
    pub(crate) fn make(&self, links: &[(PersonId, Secret)], by: Option<PersonId>) -> Result<(), DatabaseError> {
        self.0.with(|database| {
            let transaction = database.transaction()?;
            for (person, secret) in links {
                transaction.execute("DELETE FROM invitations WHERE person = ?1", [person])?;
                let sql = "INSERT INTO invitations (secret, person, expires) VALUES (?1, ?2, ?3)";
                transaction.execute(sql, params![secret.hash(), person, now() + LIFETIME_S])?;
                log::add(&transaction, by, Action::Invite, Some(*person), "")?;
            }
            transaction.commit()
        })
    }

    /// Returns whom a link is for, if it works.
    pub(crate) fn find(&self, secret: &Secret) -> Result<Option<Person>, DatabaseError> {
        self.0.with(|database| find(database, secret, now()))
    }

    /// Uses a link: the person gets this password, everything that was signed in before is signed out, and a new browser is in.
    pub(crate) fn accept(&self, secret: &Secret, password: &str, session: &Secret) -> Result<Option<Person>, DatabaseError> {
        self.0.with(|database| {
            let transaction = database.transaction()?;
            let Some(person) = find(&transaction, secret, now())? else { return Ok(None) };
            transaction.execute("UPDATE people SET password = ?2 WHERE id = ?1", params![person.id, password])?;
            transaction.execute("DELETE FROM invitations WHERE person = ?1", [person.id])?;
            transaction.execute("DELETE FROM sessions WHERE person = ?1", [person.id])?;
            sessions::add(&transaction, session, person.id, SessionKind::Browser)?;
            transaction.commit()?;
            Ok(Some(person))
        })
    }
}

fn find(database: &Connection, secret: &Secret, now: i64) -> rusqlite::Result<Option<Person>> {
    let query = "SELECT people.* FROM invitations JOIN people ON people.id = person WHERE secret = ?1 AND expires > ?2";
    database.query_row(query, params![secret.hash(), now], person_of).optional()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::{People, read_list};
    use crate::sessions::Sessions;

    fn database() -> (tempfile::TempDir, Database) {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        People(&database).add(&read_list("name,number\nAda,1\nBob,2\n").unwrap(), None).unwrap();
        (folder, database)
    }

    fn secrets<const N: usize>() -> [Secret; N] {
        [(); N].map(|()| Secret::draw().unwrap())
    }

    #[test]
    fn a_link_works_once_and_signs_out_what_was_in_before() {
        let (_folder, database) = database();
        let (invitations, ada) = (Invitations(&database), PersonId(1));
        let [first, second, old, new] = secrets();
        let copy = Secret::presented(second.reveal());
        invitations.make(&[(ada, first)], None).unwrap();
        let first = Secret::presented("0");
        assert!(invitations.find(&first).unwrap().is_none());
        Sessions(&database).add(&old, ada, SessionKind::Browser).unwrap();
        invitations.make(&[(ada, second)], None).unwrap();
        assert_eq!(invitations.find(&copy).unwrap().unwrap().name, "Ada");
        assert!(invitations.accept(&copy, "hash", &new).unwrap().is_some());
        assert!(invitations.accept(&copy, "hash", &old).unwrap().is_none(), "used");
        assert!(Sessions(&database).find(&old, SessionKind::Browser).unwrap().is_none(), "signed out");
        assert_eq!(Sessions(&database).find(&new, SessionKind::Browser).unwrap().unwrap().id, ada);
    }

    #[test]
    fn a_new_link_replaces_the_one_before_and_each_expires() {
        let (_folder, database) = database();
        let [first, second] = secrets();
        let [first_copy, second_copy] = [&first, &second].map(|secret| Secret::presented(secret.reveal()));
        Invitations(&database).make(&[(PersonId(1), first)], None).unwrap();
        Invitations(&database).make(&[(PersonId(1), second)], None).unwrap();
        assert!(Invitations(&database).find(&first_copy).unwrap().is_none());
        let at = |time| database.with(|database| find(database, &second_copy, time)).unwrap();
        assert!(at(now() + LIFETIME_S - 10).is_some());
        assert!(at(now() + LIFETIME_S + 10).is_none());
    }
}
