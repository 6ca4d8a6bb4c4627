//! Who is signed in: passwords, browsers with a cookie, and programs with a token.

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use rusqlite::{Connection, OptionalExtension, params};

use crate::database::{Database, DatabaseError, now};
use crate::people::{Person, PersonId, person_of};
use crate::secret::Secret;

/// How long a browser stays signed in, and how long a token works.
const BROWSER_LIFETIME_S: i64 = 30 * 24 * 3600;
const TOKEN_LIFETIME_S: i64 = 180 * 24 * 3600;
/// The most browsers of a person; the next one signs out the one that expires first. A token replaces the one before.
const MAX_BROWSERS: u32 = 10;
/// How long a password may be.
pub(crate) const PASSWORD_CHARACTERS: std::ops::RangeInclusive<usize> = 8..=200;

/// What is signed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SessionKind {
    Browser,
    Token,
}

impl SessionKind {
    fn name(self) -> &'static str {
        match self {
            SessionKind::Browser => "browser",
            SessionKind::Token => "token",
        }
    }

    pub(crate) fn lifetime_s(self) -> i64 {
        match self {
            SessionKind::Browser => BROWSER_LIFETIME_S,
            SessionKind::Token => TOKEN_LIFETIME_S,
        }
    }

    fn most(self) -> u32 {
        match self {
            SessionKind::Browser => MAX_BROWSERS,
            SessionKind::Token => 1,
        }
    }
}

/// The sessions of a contest.
pub(crate) struct Sessions<'a>(pub(crate) &'a Database);

impl Sessions<'_> {
    pub(crate) fn add(&self, secret: &Secret, person: PersonId, kind: SessionKind) -> Result<(), DatabaseError> {
        self.0.with(|database| {
            let transaction = database.transaction()?;
            add(&transaction, secret, person, kind)?;
            transaction.commit()
        })
    }

    /// Returns who is signed in with a secret.
    pub(crate) fn find(&self, secret: &Secret, kind: SessionKind) -> Result<Option<Person>, DatabaseError> {
        let query =
            "SELECT people.* FROM sessions JOIN people ON people.id = person WHERE secret = ?1 AND kind = ?2 AND expires > ?3";
        self.0.with(|database| {
            database.prepare_cached(query)?.query_row(params![secret.hash(), kind.name(), now()], person_of).optional()
        })
    }

    pub(crate) fn end(&self, secret: &Secret) -> Result<(), DatabaseError> {
        self.0.with(|database| database.execute("DELETE FROM sessions WHERE secret = ?1", [secret.hash()])).map(drop)
    }

    /// Returns who has a number and its password. It takes as long if there is no such number.
    pub(crate) fn check(&self, number: &str, password: &str) -> Result<Option<PersonId>, DatabaseError> {
        let query = "SELECT id, password FROM people WHERE number = ?1 AND password IS NOT NULL";
        let get = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, String>(1)?));
        let found = self.0.with(|database| database.query_row(query, [number], get).optional())?;
        let (person, hash) = found.map_or((None, NOBODY.to_owned()), |(person, hash)| (Some(person), hash));
        let is_right = is_right(password, &hash);
        Ok(person.filter(|_| is_right))
    }
}

/// Adds a session within a transaction.
pub(crate) fn add(database: &Connection, secret: &Secret, person: PersonId, kind: SessionKind) -> rusqlite::Result<()> {
    let sql = "INSERT INTO sessions (secret, person, kind, expires) VALUES (?1, ?2, ?3, ?4)";
    database.execute(sql, params![secret.hash(), person, kind.name(), now() + kind.lifetime_s()])?;
    let sql = "DELETE FROM sessions WHERE secret IN (SELECT secret FROM sessions WHERE person = ?1 AND kind = ?2
        ORDER BY secret = ?3 DESC, expires DESC LIMIT -1 OFFSET ?4)";
    database.execute(sql, params![person, kind.name(), secret.hash(), kind.most()])?;
    database.execute("DELETE FROM sessions WHERE expires <= ?1", [now()]).map(drop)
}

/// Returns the hash of a password: argon2id with the library's parameters, 19 MiB and two passes.
pub(crate) fn hash_password(password: &str) -> Result<String, argon2::password_hash::Error> {
    Ok(Argon2::default().hash_password(password.as_bytes())?.to_string())
}

/// The hash of an unknown password, with the same parameters.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b1dWRWJTmaaJObGAAAAAAAAAAA";

fn is_right(password: &str, hash: &str) -> bool {
    argon2::password_hash::phc::PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::{People, read_list};

    #[test]
    fn only_the_right_password_of_a_person_signs_in() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        People(&database).add(&read_list("name,number\nAda,1\nBob,2\n").unwrap(), None).unwrap();
        let hash = hash_password("correct horse").unwrap();
        database.with(|database| database.execute("UPDATE people SET password = ?1 WHERE id = 1", [hash])).unwrap();
        let check = |number, password| Sessions(&database).check(number, password).unwrap();
        assert_eq!(check("1", "correct horse"), Some(PersonId(1)));
        for (number, password) in [("1", "wrong horse"), ("1", ""), ("2", "correct horse"), ("2", ""), ("3", "correct horse")] {
            assert_eq!(check(number, password), None, "{number} {password}");
        }
    }

    #[test]
    fn the_hash_of_nobody_costs_as_much_as_others() {
        let parameters = |hash: &str| hash.split('$').take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(parameters(NOBODY), parameters(&hash_password("x").unwrap()));
        assert!(argon2::password_hash::phc::PasswordHash::new(NOBODY).is_ok());
    }

    #[test]
    fn the_oldest_browser_is_signed_out_and_a_token_replaces_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        People(&database).add(&read_list("name,number\nAda,1\n").unwrap(), None).unwrap();
        let sessions = Sessions(&database);
        for kind in [SessionKind::Browser, SessionKind::Token] {
            let secrets: Vec<Secret> = (0..=kind.most()).map(|_| Secret::draw().unwrap()).collect();
            for secret in &secrets {
                sessions.add(secret, PersonId(1), kind).unwrap();
            }
            let live = secrets.iter().filter(|secret| sessions.find(secret, kind).unwrap().is_some()).count();
            assert_eq!(live, kind.most() as usize);
            assert!(sessions.find(secrets.last().unwrap(), kind).unwrap().is_some(), "the newest one is in");
        }
        let token = Secret::draw().unwrap();
        sessions.add(&token, PersonId(1), SessionKind::Token).unwrap();
        assert!(sessions.find(&token, SessionKind::Browser).unwrap().is_none(), "a token is no cookie");
    }
}
