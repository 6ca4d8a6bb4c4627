//! What staff did, and when.

use rusqlite::{Connection, params};
use serde::Serialize;

use crate::database::{Database, DatabaseError, now};
use crate::people::PersonId;

/// The most entries that are shown.
const SHOWN: u32 = 500;

/// What a member of staff did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// Added people or changed them by a list; the detail is their number.
    People,
    /// Made a link for a person.
    Invite,
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Action::People => "people",
            Action::Invite => "invite",
        }
    }
}

/// An entry of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Entry {
    /// When, in seconds since 1970.
    pub time: i64,
    /// Who did it; `None` for the start of the server.
    pub who: Option<String>,
    /// What was done.
    pub action: String,
    /// To whom.
    pub subject: Option<String>,
    /// What else is to say.
    pub detail: String,
}

/// The log of a contest.
pub struct Log<'a>(pub(crate) &'a Database);

impl Log<'_> {
    /// Returns the last entries, newest first.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn last(&self) -> Result<Vec<Entry>, DatabaseError> {
        let query = "SELECT time, by.name, action, subject.name, detail FROM log LEFT JOIN people AS by ON by.id = log.person
            LEFT JOIN people AS subject ON subject.id = log.subject ORDER BY log.id DESC LIMIT ?1";
        self.0.with(|database| {
            let entry = |row: &rusqlite::Row<'_>| {
                Ok(Entry { time: row.get(0)?, who: row.get(1)?, action: row.get(2)?, subject: row.get(3)?, detail: row.get(4)? })
            };
            database.prepare_cached(query)?.query_map([SHOWN], entry)?.collect()
        })
    }
}

/// Adds an entry. It belongs in the transaction of the change that it describes.
pub(crate) fn add(
    database: &Connection,
    by: Option<PersonId>,
    action: Action,
    subject: Option<PersonId>,
    detail: &str,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO log (time, person, action, subject, detail) VALUES (?1, ?2, ?3, ?4, ?5)";
    database.prepare_cached(sql)?.execute(params![now(), by, action.name(), subject, detail]).map(drop)
}
