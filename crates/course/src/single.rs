//! One submission, judged by the rules of a tournament.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_botzone::words::Bilingual;
use pacman2_tournament::{BotId, Store};
use serde::{Deserialize, Serialize};

use super::admission::Rules;
use super::submissions::{self, Submission};

/// What a submission was taken to be.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Taken {
    /// The file of the bot.
    pub file: String,
    /// Its language, if it is known.
    pub language: Option<String>,
    /// The command that repeats its compilation in the folder of its copy, if it is a source.
    pub compilation: Option<String>,
}

/// A submission that is to be judged.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// What was handed in: a file, a folder or an archive.
    pub path: &'a Path,
    /// The name of its bot, as [`usable_name`] makes it.
    pub name: &'a str,
    /// The version of its bot.
    pub version: &'a str,
    /// Its number, which no other submission has.
    pub number: usize,
    /// The folder in which what is judged is copied, into a folder of that number.
    pub copies: &'a Path,
}

/// What became of a submission.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// What it was taken to be.
    pub taken: Taken,
    /// Its bot in the arena, or why there is none.
    pub bot: Result<BotId, Bilingual>,
}

/// Returns a name with what names of bots cannot have replaced.
///
/// ```
/// assert_eq!(pacman2_course::single::usable_name(" a@b "), "a_b");
/// ```
#[must_use]
pub fn usable_name(name: &str) -> String {
    submissions::sanitized(name.as_ref())
}

/// Copies, compiles and tries a submission, and adds its bot to an arena. Returns `None` if `stop` was set meanwhile.
///
/// # Errors
///
/// If something is wrong with this machine; a bad submission has a reason in place of its bot.
pub fn judge(store: &mut Store, policy: &SandboxPolicy, entry: Entry<'_>, stop: &AtomicBool) -> anyhow::Result<Option<Judged>> {
    let Entry { path, name, version, number, copies } = entry;
    let folder = path.parent().unwrap_or(path);
    let mut submission = Submission::at(path, folder, name.to_owned(), true)?;
    submission.number = number;
    let judged = Rules { policy, standard: None, entries: copies, stop }.judge(store, &submission, Some(version))?;
    Ok(judged.map(|judged| Judged { taken: judged.taken, bot: judged.bot.map_err(|rejection| rejection.explanation()) }))
}
