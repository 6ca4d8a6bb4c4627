//! Who takes part: people with a name, a number, a class and a role. A list in CSV adds them.

use std::fmt;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use serde::{Deserialize, Serialize};

use crate::database::{Database, DatabaseError, now};
use crate::log::{self, Action};

/// The most people of a contest.
const MAX_PEOPLE: usize = 5000;
/// The most characters of a name, number or class.
const MAX_CHARACTERS: usize = 60;

/// A person of a contest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersonId(pub(crate) i64);

/// What a person may do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Hands in versions, and sees standings and games.
    Student,
    /// Sees the people and the log, too, and makes links for students.
    Assistant,
    /// Adds people, and makes links for everybody.
    Teacher,
}

impl Role {
    const ALL: [Role; 3] = [Role::Student, Role::Assistant, Role::Teacher];

    /// Returns the name of the role in the database and in requests.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::Student => "student",
            Role::Assistant => "assistant",
            Role::Teacher => "teacher",
        }
    }

    /// Returns whether a person with this role may make a link for one with the role `other`. A link opens the account.
    #[must_use]
    pub fn may_invite(self, other: Role) -> bool {
        match self {
            Role::Student => false,
            Role::Assistant => other == Role::Student,
            Role::Teacher => true,
        }
    }

    fn from_list(text: &str) -> Option<Role> {
        match text {
            "" | "学生" => Some(Role::Student),
            "助教" => Some(Role::Assistant),
            "教师" | "老师" => Some(Role::Teacher),
            _ => Role::ALL.into_iter().find(|role| role.name().eq_ignore_ascii_case(text)),
        }
    }
}

impl FromSql for Role {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Role> {
        let name = value.as_str()?;
        Role::ALL.into_iter().find(|role| role.name() == name).ok_or(FromSqlError::InvalidType)
    }
}

impl ToSql for Role {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.name().into())
    }
}

/// A person, as staff see them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Person {
    /// The person.
    pub id: PersonId,
    /// The name.
    pub name: String,
    /// What the person signs in with.
    pub number: String,
    /// The class or group; empty if there is none.
    pub class: String,
    /// The role.
    pub role: Role,
    /// Whether the person has chosen a password.
    pub has_password: bool,
}

/// A line of a list of people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    name: String,
    number: String,
    class: String,
    role: Role,
}

/// What is wrong with a list of people.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize)]
#[serde(tag = "code", content = "params", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ListError {
    /// The list is no CSV.
    #[error("line {line}: expected the same number of fields in every line")]
    ListForm {
        /// The line, counted from 1.
        line: u64,
    },
    /// The first line lacks a column.
    #[error("the first line must name the columns name and number, and may name group and role")]
    ListColumns {},
    /// A field is empty or too long.
    #[error("line {line}: {column} must have 1 to {max} characters, and none that is invisible")]
    ListField {
        /// The line.
        line: u64,
        /// The column.
        column: &'static str,
        /// The most characters.
        max: usize,
    },
    /// There is no such role.
    #[error("line {line}: role must be student, assistant or teacher, got {got:?}")]
    ListRole {
        /// The line.
        line: u64,
        /// What is there.
        got: String,
    },
    /// Two lines are about one number.
    #[error("line {line}: the number {number} is in the list already")]
    ListTwice {
        /// The line.
        line: u64,
        /// The number.
        number: String,
    },
    /// The list is empty.
    #[error("the list has no people")]
    ListEmpty {},
    /// The list is too long.
    #[error("a list may have at most {max} people")]
    ListLong {
        /// The most people.
        max: usize,
    },
}

/// The people of a contest.
pub struct People<'a>(pub(crate) &'a Database);

impl People<'_> {
    /// Adds the people of a list, and an entry to the log. Those whose number is known get the list's name, class and role.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn add(&self, list: &[Listed], by: Option<PersonId>) -> Result<(), DatabaseError> {
        self.0.with(|database| {
            let transaction = database.transaction()?;
            for person in list {
                insert(&transaction, person)?;
            }
            log::add(&transaction, by, Action::People, None, &list.len().to_string())?;
            transaction.commit()
        })
    }

    /// Returns all people: staff first, then by class and number.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn all(&self) -> Result<Vec<Person>, DatabaseError> {
        let query = "SELECT * FROM people ORDER BY role = 'student', class, number";
        self.0.with(|database| database.prepare_cached(query)?.query_map([], person_of)?.collect())
    }

    /// Returns a person.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn find(&self, id: PersonId) -> Result<Option<Person>, DatabaseError> {
        self.0.with(|database| database.query_row("SELECT * FROM people WHERE id = ?1", [id], person_of).optional())
    }

    /// Returns the first teacher, who is added if there is none yet, and has no password then.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn first_teacher(&self) -> Result<Person, DatabaseError> {
        let teacher = Listed { name: "Teacher".into(), number: "teacher".into(), class: String::new(), role: Role::Teacher };
        let query = "SELECT * FROM people WHERE role = 'teacher' ORDER BY password IS NULL, id LIMIT 1";
        self.0.with(|database| {
            let transaction = database.transaction()?;
            let found = transaction.query_row(query, [], person_of).optional()?;
            if found.is_none() {
                insert(&transaction, &teacher)?;
            }
            let person = found.map_or_else(|| transaction.query_row(query, [], person_of), Ok)?;
            transaction.commit()?;
            Ok(person)
        })
    }
}

fn insert(database: &Connection, Listed { name, number, class, role }: &Listed) -> rusqlite::Result<()> {
    let sql = "INSERT INTO people (name, number, class, role, added) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (number) DO UPDATE SET name = ?1, class = ?3, role = ?4";
    database.prepare_cached(sql)?.execute(params![name, number, class, role, now()]).map(drop)
}

pub(crate) fn person_of(row: &Row<'_>) -> rusqlite::Result<Person> {
    Ok(Person {
        id: row.get("id")?,
        name: row.get("name")?,
        number: row.get("number")?,
        class: row.get("class")?,
        role: row.get("role")?,
        has_password: row.get::<_, Option<String>>("password")?.is_some(),
    })
}

impl FromSql for PersonId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<PersonId> {
        value.as_i64().map(PersonId)
    }
}

impl ToSql for PersonId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.into())
    }
}

impl fmt::Display for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Reads a list of people. Its first line names the columns, in English or Chinese.
///
/// # Errors
///
/// If anything in it is wrong: nothing of such a list is taken.
///
/// # Examples
/// ```
/// use pacman2_contest::people::read_list;
///
/// assert_eq!(read_list("name,number,group\nAda,1001,A\n").unwrap().len(), 1);
/// assert_eq!(read_list("姓名,学号,班级\n张三,1001,1\n").unwrap().len(), 1);
/// assert_eq!(read_list("name,number\nAda,\n").unwrap_err().to_string(), "line 2: number must have 1 to 60 characters, and none that is invisible");
/// ```
pub fn read_list(text: &str) -> Result<Vec<Listed>, ListError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let headers = reader.headers().map_err(form_error)?;
    let column = |names: [&str; 3]| headers.iter().position(|header| names.contains(&header.to_lowercase().as_str()));
    let (Some(name), Some(number)) = (column(["name", "姓名", "名字"]), column(["number", "学号", "编号"])) else {
        return Err(ListError::ListColumns {});
    };
    let (class, role) = (column(["group", "班级", "class"]), column(["role", "角色", "身份"]));
    let mut list: Vec<Listed> = Vec::new();
    let mut numbers = std::collections::HashSet::new();
    for record in reader.records() {
        let record = record.map_err(form_error)?;
        let line = record.position().map_or(0, csv::Position::line);
        let text = |column: Option<usize>| column.and_then(|column| record.get(column)).unwrap_or_default().to_owned();
        let field = |name, column, min| check_field(line, name, text(column), min);
        let got = text(role);
        let role = Role::from_list(&got).ok_or(ListError::ListRole { line, got })?;
        let (name, number) = (field("name", Some(name), 1)?, field("number", Some(number), 1)?);
        if !numbers.insert(number.clone()) {
            return Err(ListError::ListTwice { line, number });
        }
        if list.len() == MAX_PEOPLE {
            return Err(ListError::ListLong { max: MAX_PEOPLE });
        }
        list.push(Listed { name, number, class: field("group", class, 0)?, role });
    }
    if list.is_empty() { Err(ListError::ListEmpty {}) } else { Ok(list) }
}

fn check_field(line: u64, column: &'static str, text: String, min: usize) -> Result<String, ListError> {
    // Characters that change the direction of text, or have no width, would make two names look alike.
    let is_invisible = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let is_right = (min..=MAX_CHARACTERS).contains(&text.chars().count()) && !text.chars().any(is_invisible);
    if is_right { Ok(text) } else { Err(ListError::ListField { line, column, max: MAX_CHARACTERS }) }
}

fn form_error(error: csv::Error) -> ListError {
    ListError::ListForm { line: error.position().map_or(1, csv::Position::line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_which_line_is_wrong() {
        let error = |text: &str| read_list(text).unwrap_err();
        assert_eq!(error("number\n1\n"), ListError::ListColumns {});
        assert_eq!(error(""), ListError::ListColumns {});
        assert_eq!(error("name,number\n"), ListError::ListEmpty {});
        assert_eq!(error("name,number\nAda,1\nBob\n"), ListError::ListForm { line: 3 });
        assert_eq!(error("name,number,role\nAda,1,king\n"), ListError::ListRole { line: 2, got: "king".into() });
        assert_eq!(error("name,number\nAda,1\nBob,1\n"), ListError::ListTwice { line: 3, number: "1".into() });
        for name in ["", "a\u{202e}b", &"x".repeat(61)] {
            let found = error(&format!("name,number\n{name},1\n"));
            assert_eq!(found, ListError::ListField { line: 2, column: "name", max: 60 }, "{name:?}");
        }
    }

    #[test]
    fn a_list_changes_people_with_a_known_number() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        let people = People(&database);
        people.add(&read_list("\u{feff}姓名,学号,班级,角色\n张三,1,一班,\n李四,2,,助教\n").unwrap(), None).unwrap();
        people.add(&read_list("number,name,group\n1,Ada,2\n").unwrap(), None).unwrap();
        let found: Vec<(String, Role)> = people.all().unwrap().into_iter().map(|person| (person.name, person.role)).collect();
        assert_eq!(found, [("李四".to_owned(), Role::Assistant), ("Ada".to_owned(), Role::Student)]);
    }

    #[test]
    fn only_teachers_open_the_accounts_of_staff() {
        let pairs = Role::ALL.map(|role| Role::ALL.map(|other| role.may_invite(other)));
        assert_eq!(pairs, [[false; 3], [true, false, false], [true; 3]]);
    }
}
