//! Submissions: kept as they came, judged in a fair order, with the reason of a refusal.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pacman2_botzone::words::Bilingual;
use pacman2_course::single::Taken;
use pacman2_tournament::BotId;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde::Serialize;

use crate::contest::Contest;
use crate::database::{DatabaseError, now};
use crate::people::PersonId;
use crate::settings::Quota;

/// The folder of what was handed in, in the folder of a contest.
pub(crate) const FOLDER: &str = "submissions";
/// What the names of folders begin with that are not complete.
pub(crate) const UNFINISHED: &str = ".unfinished-";
/// The time for which quotas count.
const HOUR: i64 = 3600;
/// The most versions that are listed.
const LISTED: u32 = 100;
/// The longest name of a file, in bytes and in characters. File systems allow 255 bytes.
const MAX_NAME_BYTES: usize = 200;
const MAX_NAME_LENGTH: usize = 100;
const BYTES_PER_MB: u64 = 1024 * 1024;

/// A submission.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize)]
#[serde(transparent)]
pub struct SubmissionId(pub(crate) i64);

/// What a person hands in.
#[derive(Clone, Debug)]
pub struct Upload {
    /// The name of the file, which says what it is. A stranger's text.
    pub name: String,
    /// The file: a source, a program or an archive.
    pub bytes: Vec<u8>,
}

/// Why something was not handed in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HandInError {
    /// The file is larger than the settings allow.
    #[error("expected a file of at most {max_mb} MB, got {bytes} bytes")]
    TooLarge {
        /// The limit in megabytes.
        max_mb: u64,
        /// The size.
        bytes: u64,
    },
    /// The person has handed in enough in the last hour.
    #[error("expected at most {per_hour} versions in an hour; the next one is possible in {seconds} s")]
    Quota {
        /// How many versions are allowed in an hour.
        per_hour: u32,
        /// In how many seconds the next one is possible.
        seconds: i64,
    },
    /// The name of the file cannot be used.
    #[error("expected the name of a file with at most {MAX_NAME_LENGTH} characters that begins with no dot")]
    Name,
    /// The file cannot be kept.
    #[error("cannot keep the file: {0}")]
    File(#[from] io::Error),
    /// The database cannot be read or written.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// A submission, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SubmissionState {
    /// Its number.
    pub id: SubmissionId,
    /// Its number among those of its author, from 1: the version of its bot.
    pub version: u32,
    /// When it was handed in, in seconds since 1970.
    pub time: i64,
    /// The name of the file. A stranger's text.
    pub file: String,
    /// What it was taken to be, once it was judged.
    pub taken: Option<Taken>,
    /// What became of it.
    pub state: State,
}

/// What became of a submission.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is in the queue.
    Waiting,
    /// It is compiled and tried now.
    Judging,
    /// It can play.
    Passed {
        /// Its bot in the arena.
        bot: BotId,
    },
    /// It cannot play.
    Refused {
        /// The reason in Chinese, perhaps with lines of a compiler.
        zh: String,
        /// The same in English.
        en: String,
    },
}

/// The submissions of a contest.
pub struct Submissions<'a> {
    pub(crate) contest: &'a Contest,
}

/// A submission that is to be judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Waiting {
    pub(crate) id: SubmissionId,
    pub(crate) person: PersonId,
    pub(crate) version: u32,
}

impl Submissions<'_> {
    /// Keeps what a person hands in, to be judged.
    ///
    /// # Errors
    ///
    /// If it is too large or one too many, has a name that no file can have, or cannot be kept.
    pub fn hand_in(&self, person: PersonId, upload: Upload) -> Result<SubmissionId, HandInError> {
        let quota = &self.contest.settings().submissions;
        let bytes = upload.bytes.len() as u64;
        if bytes > quota.max_mb * BYTES_PER_MB {
            return Err(HandInError::TooLarge { max_mb: quota.max_mb, bytes });
        }
        let name = usable_name(&upload.name).ok_or(HandInError::Name)?;
        let folder = self.contest.folder().join(FOLDER);
        // Under a temporary name until it is complete: what is in the table is in the folder.
        let unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(&folder)?;
        let mut file = File::create_new(unfinished.path().join(&name))?;
        file.write_all(&upload.bytes)?;
        file.sync_all()?;
        let added = self.contest.database().with(|database| {
            let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if let Some(seconds) = wait_for_quota(&change, person, quota, now())? {
                return Ok(Err(HandInError::Quota { per_hour: quota.per_hour, seconds }));
            }
            let id = add(&change, person, &name, now())?;
            let kept = folder.join(id.0.to_string());
            if let Err(error) = replace(unfinished.path(), &kept) {
                return Ok(Err(HandInError::File(error)));
            }
            change.commit()?;
            Ok(Ok(id))
        });
        added?
    }

    /// Returns what a person has handed in, newest first, at most 100.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn of_person(&self, person: PersonId) -> Result<Vec<SubmissionState>, DatabaseError> {
        let judged_now = self.contest.judged_now();
        self.contest.database().with(|database| {
            let query = "SELECT id, version, time, file, state, taken, reason_zh, reason_en, bot FROM submissions
                         WHERE person = ?1 ORDER BY version DESC LIMIT ?2";
            let state = |row: &Row<'_>| state_of(row, judged_now);
            database.prepare_cached(query)?.query_map(params![person.0, LISTED], state)?.collect()
        })
    }

    /// Returns the file of a submission as it was handed in.
    pub(crate) fn file(&self, id: SubmissionId) -> io::Result<PathBuf> {
        let mut entries = fs::read_dir(self.contest.folder().join(FOLDER).join(id.0.to_string()))?;
        entries.next().unwrap_or_else(|| Err(io::ErrorKind::NotFound.into())).map(|entry| entry.path())
    }

    /// Returns what waits to be judged, next first: of those of whom fewest were judged in the last hour, and who has waited longest.
    pub(crate) fn queue(&self) -> Result<Vec<Waiting>, DatabaseError> {
        self.contest.database().with(|database| queue(database, now()))
    }

    /// Stores that a submission can play.
    pub(crate) fn pass(&self, id: SubmissionId, taken: &Taken, bot: BotId) -> Result<(), DatabaseError> {
        let query = "UPDATE submissions SET state = 'passed', taken = ?2, bot = ?3 WHERE id = ?1";
        self.contest.database().with(|database| database.execute(query, params![id.0, json_of(taken), bot.0])).map(drop)
    }

    /// Stores why a submission cannot play.
    pub(crate) fn refuse(&self, id: SubmissionId, taken: &Taken, reason: &Bilingual) -> Result<(), DatabaseError> {
        let query = "UPDATE submissions SET state = 'refused', taken = ?2, reason_zh = ?3, reason_en = ?4 WHERE id = ?1";
        let values = params![id.0, json_of(taken), reason.zh, reason.en];
        self.contest.database().with(|database| database.execute(query, values)).map(drop)
    }
}

/// Returns the name of a file that a stranger gave, if a file can have it here.
fn usable_name(name: &str) -> Option<String> {
    // Some browsers send a path.
    let name = name.rsplit(['/', '\\']).next()?.trim();
    let is_long = name.len() > MAX_NAME_BYTES || name.chars().count() > MAX_NAME_LENGTH;
    let replaced = |c: char| if c.is_control() || ":*?\"<>|".contains(c) { '_' } else { c };
    (!name.is_empty() && !is_long && !name.starts_with('.')).then(|| name.chars().map(replaced).collect())
}

/// Moves a folder to the place of one that a process has left that was killed before it was in the table.
fn replace(from: &Path, to: &Path) -> io::Result<()> {
    match fs::remove_dir_all(to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::rename(from, to)
}

/// Returns in how many seconds a person may hand in the next version, if it is not possible now.
fn wait_for_quota(change: &Transaction<'_>, person: PersonId, quota: &Quota, now: i64) -> rusqlite::Result<Option<i64>> {
    let query = "SELECT time FROM submissions WHERE person = ?1 ORDER BY version DESC LIMIT 1 OFFSET ?2";
    let first: Option<i64> = change.query_row(query, params![person.0, quota.per_hour - 1], |row| row.get(0)).optional()?;
    Ok(first.map(|first| first + HOUR - now).filter(|&seconds| seconds > 0))
}

fn json_of(taken: &Taken) -> Option<String> {
    serde_json::to_string(taken).ok()
}

fn add(change: &Transaction<'_>, person: PersonId, file: &str, now: i64) -> rusqlite::Result<SubmissionId> {
    let query = "INSERT INTO submissions (person, version, time, file, state)
                 SELECT ?1, 1 + coalesce(max(version), 0), ?2, ?3, 'waiting' FROM submissions WHERE person = ?1";
    change.execute(query, params![person.0, now, file])?;
    Ok(SubmissionId(change.last_insert_rowid()))
}

fn queue(database: &Connection, now: i64) -> rusqlite::Result<Vec<Waiting>> {
    let query = "SELECT id, person, version FROM submissions AS one WHERE state = 'waiting' ORDER BY
                 (SELECT count(*) FROM submissions WHERE person = one.person AND state <> 'waiting' AND time > ?1), time, id";
    let waiting =
        |row: &Row<'_>| Ok(Waiting { id: SubmissionId(row.get(0)?), person: PersonId(row.get(1)?), version: row.get(2)? });
    database.prepare_cached(query)?.query_map([now - HOUR], waiting)?.collect()
}

fn state_of(row: &Row<'_>, judged_now: Option<SubmissionId>) -> rusqlite::Result<SubmissionState> {
    let id = SubmissionId(row.get(0)?);
    let state = match row.get_ref(4)?.as_str()? {
        "passed" => State::Passed { bot: BotId(row.get(8)?) },
        "refused" => State::Refused { zh: row.get(6)?, en: row.get(7)? },
        _ if judged_now == Some(id) => State::Judging,
        _ => State::Waiting,
    };
    let taken: Option<String> = row.get(5)?;
    let taken = taken.as_deref().and_then(|taken| serde_json::from_str(taken).ok());
    Ok(SubmissionState { id, version: row.get(1)?, time: row.get(2)?, file: row.get(3)?, taken, state })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Database;

    /// Returns a database with the people 1 to 3.
    fn with_people(test: impl FnOnce(&mut Connection)) {
        let folder = tempfile::tempdir().unwrap();
        let add = "INSERT INTO people (name, number, class, role, added)
                   VALUES ('a', '1', '', 'student', 0), ('b', '2', '', 'student', 0), ('c', '3', '', 'student', 0)";
        let database = Database::open(folder.path()).unwrap();
        database.with(|database| database.execute_batch(add).map(|()| test(database))).unwrap();
    }

    fn hand_in(database: &mut Connection, person: i64, now: i64) -> SubmissionId {
        let change = database.transaction().unwrap();
        let id = add(&change, PersonId(person), "bot.py", now).unwrap();
        change.commit().unwrap();
        id
    }

    #[test]
    fn whoever_hands_in_often_waits_for_the_others() {
        with_people(|database| {
            for (person, time) in [(1, 100), (1, 101), (1, 102), (2, 103), (2, 104), (3, 105)] {
                hand_in(database, person, time);
            }
            let mut order = Vec::new();
            while let Some(next) = queue(database, 200).unwrap().first() {
                order.push((next.person.0, next.version));
                database.execute("UPDATE submissions SET state = 'refused' WHERE id = ?1", [next.id.0]).unwrap();
            }
            assert_eq!(order, [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3)]);
        });
    }

    #[test]
    fn quotas_count_for_an_hour_and_for_one_person() {
        let quota = Quota { per_hour: 2, max_mb: 1 };
        with_people(|database| {
            hand_in(database, 1, 1000);
            hand_in(database, 1, 2000);
            let mut wait = |person, now| {
                let change = database.transaction().unwrap();
                wait_for_quota(&change, PersonId(person), &quota, now).unwrap()
            };
            assert_eq!([wait(1, 3000), wait(1, 4599), wait(1, 4600), wait(2, 3000)], [Some(1600), Some(1), None, None]);
        });
    }

    #[test]
    fn names_of_files_stay_in_their_folder() {
        let long = format!("{}.py", "长".repeat(97));
        let names = ["bot.py", "C:\\a\\bot.py", "../../etc/x y.py", "机器人.cpp", "a\n.py"];
        let usable = names.map(|name| usable_name(name).unwrap());
        assert_eq!(usable, ["bot.py", "bot.py", "x y.py", "机器人.cpp", "a_.py"]);
        assert_eq!(["", ".", "..", "a/..", "a/", ".bashrc", &long].map(usable_name), [const { None }; 7]);
    }
}
