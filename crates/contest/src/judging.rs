//! Judges what is handed in, one submission after another, by the rules of a tournament.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use pacman2_arena::candidate::{BotToAdd, find_or_add_bot};
use pacman2_arena::store::open_store;
use pacman2_bots::BUILT_IN;
use pacman2_console::text::sanitize;
use pacman2_course::single::{self, Entry, usable_name};
use pacman2_tournament::{BotId, Store};
use rusqlite::{Connection, Row};

use crate::contest::{Contest, Halt};
use crate::people::PersonId;
use crate::submissions::{SubmissionId, Waiting};

/// The folder in which submissions are compiled and tried.
const COPIES: &str = "judging";
/// How often to look for something new.
const IDLE: Duration = Duration::from_millis(300);
/// How long a submission waits that could not be judged because of something that this machine lacks.
const POSTPONED: Duration = Duration::from_secs(60);

/// Judges until `stop` is set.
pub(crate) fn run(contest: &Contest, stop: &AtomicBool) -> anyhow::Result<()> {
    let mut store = open_store(contest.arena())?;
    let marks = add_marks(contest, &mut store)?;
    set_players(contest, &mut store, &marks)?;
    let mut postponed: BTreeMap<SubmissionId, Instant> = BTreeMap::new();
    while !stop.load(Ordering::Relaxed) {
        postponed.retain(|_, since| since.elapsed() < POSTPONED);
        let queue = contest.submissions().queue()?;
        let Some(next) = queue.into_iter().find(|waiting| !postponed.contains_key(&waiting.id)) else {
            Halt::wait(stop, IDLE);
            continue;
        };
        contest.set_judged_now(Some(next.id));
        let judged = judge(contest, &mut store, &next, stop).and_then(|()| set_players(contest, &mut store, &marks));
        contest.set_judged_now(None);
        if let Err(error) = judged {
            eprintln!("pacman2: submission {} was not judged: {}", next.id.0, sanitize(&format!("{error:#}")));
            postponed.insert(next.id, Instant::now());
        }
    }
    Ok(())
}

/// Adds the built-in bots that always play.
fn add_marks(contest: &Contest, store: &mut Store) -> anyhow::Result<Vec<BotId>> {
    let add = |mark: &String| {
        let bot = mark.parse().with_context(|| format!("the built-in bot {mark} cannot play"))?;
        let added = BotToAdd { name: Some(mark), ..BotToAdd::new(&bot) };
        Ok(find_or_add_bot(store, contest.policy(), &added)?.id)
    };
    contest.settings().ladder.marks.iter().map(add).collect()
}

/// Judges a submission, unless `stop` is set meanwhile. If this process is killed, it is judged again: the arena knows its bot then.
fn judge(contest: &Contest, store: &mut Store, waiting: &Waiting, stop: &AtomicBool) -> anyhow::Result<()> {
    let submissions = contest.submissions();
    let file = submissions.file(waiting.id).context("its file is missing")?;
    let name = contest.database().with(|database| bot_name(database, &contest.settings().ladder.marks, waiting.person))?;
    let (copies, version) = (contest.folder().join(COPIES), waiting.version.to_string());
    let number = usize::try_from(waiting.id.0)?;
    let entry = Entry { path: &file, name: &name, version: &version, number, copies: &copies };
    let judged = single::judge(store, contest.policy(), entry, stop);
    fs::remove_dir_all(&copies).or_else(|error| if copies.exists() { Err(error) } else { Ok(()) })?;
    let Some(judged) = judged? else { return Ok(()) };
    match judged.bot {
        Ok(bot) => submissions.pass(waiting.id, &judged.taken, bot)?,
        Err(reason) => submissions.refuse(waiting.id, &judged.taken, &reason)?,
    }
    Ok(())
}

/// Returns the name of the bots of a person: that of the person, with a number if an earlier person or a built-in bot has it.
fn bot_name(database: &Connection, marks: &[String], person: PersonId) -> rusqlite::Result<String> {
    let built_in = BUILT_IN.iter().map(|bot| bot.name.to_owned());
    let mut taken: BTreeSet<String> = marks.iter().cloned().chain(built_in).map(|name| name.to_lowercase()).collect();
    let people: Vec<(i64, String)> = database
        .prepare_cached("SELECT id, name FROM people WHERE id <= ?1 ORDER BY id")?
        .query_map([person.0], |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut name = String::new();
    for (_, person) in people {
        let usable = usable_name(&person);
        let numbered = (2..).map(|number| format!("{usable} {number}"));
        let mut names = std::iter::once(usable.clone()).chain(numbered);
        // There is always a free number.
        name = names.find(|name| taken.insert(name.to_lowercase())).unwrap_or(usable);
    }
    Ok(name)
}

/// Lets the newest version of each person play that has passed, and the built-in bots, and no others.
fn set_players(contest: &Contest, store: &mut Store, marks: &[BotId]) -> anyhow::Result<()> {
    let newest: Vec<i64> = contest.database().with(|database| {
        // SQLite takes the bot from the row with the greatest version.
        let query = "SELECT bot, max(version) FROM submissions WHERE state = 'passed' GROUP BY person";
        database.prepare_cached(query)?.query_map([], |row| row.get(0))?.collect()
    })?;
    for bot in store.bots()? {
        let plays = marks.contains(&bot.id) || newest.contains(&bot.id.0);
        if bot.is_active != plays {
            store.set_active(bot.id, plays)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_bots_differ() {
        let database = Connection::open_in_memory().unwrap();
        let people = "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
                      INSERT INTO people (name) VALUES ('张三'), ('sage'), ('a@b'), ('张三'), ('张三 2'), ('A_B');";
        database.execute_batch(people).unwrap();
        let name = |person| bot_name(&database, &["random".to_owned()], PersonId(person)).unwrap();
        assert_eq!([1, 2, 3, 4, 5, 6].map(name), ["张三", "sage 2", "a_b", "张三 2", "张三 2 2", "A_B 2"]);
    }
}
