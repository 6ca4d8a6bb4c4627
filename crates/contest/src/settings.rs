//! The settings of a contest, in `contest.toml`.

use std::path::Path;

use anyhow::Context;
use pacman2_bots::{BUILT_IN, BotSpec};
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_rules::Ruleset;
use pacman2_tournament::store::ArenaSettings;
use serde::Deserialize;

/// The file of the settings in the folder of a contest.
pub(crate) const FILE: &str = "contest.toml";
/// The size limit of the file.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// What a new contest has.
const DEFAULT: &str = include_str!("contest.toml");
/// The largest upload that the settings may allow, in megabytes.
const MAX_UPLOAD_MB: u64 = 64;

/// The settings of a contest.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Names under which browsers reach the server, besides addresses and the name of this machine.
    pub hosts: Vec<String>,
    /// The limits of all games. They cannot be changed once there are games.
    pub limits: Limits,
    /// What a person may hand in.
    pub submissions: Quota,
    /// What is played.
    pub ladder: Play,
}

/// The limits of all games.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Time per response in milliseconds, before the factor of the language.
    pub time_ms: u64,
    /// Memory for a bot in megabytes.
    pub memory_mb: u64,
    /// After how many turns games end.
    pub turns: u32,
}

/// What a person may hand in.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quota {
    /// How many versions in an hour.
    pub per_hour: u32,
    /// How large each may be, in megabytes.
    pub max_mb: u64,
}

/// What is played.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Play {
    /// The built-in bots that always play.
    pub marks: Vec<String>,
    /// After how many games of a version no more are played for its sake. It is an opponent of others all the same.
    pub games_per_version: u32,
    /// How many games are played at the same time; by default what the cores allow.
    pub games_at_once: Option<usize>,
}

impl Default for Settings {
    fn default() -> Settings {
        let (limits, submissions, ladder) = (Limits::default(), Quota::default(), Play::default());
        Settings { hosts: Vec::new(), limits, submissions, ladder }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time_ms: 1000, memory_mb: 256, turns: 100 }
    }
}

impl Default for Quota {
    fn default() -> Quota {
        Quota { per_hour: 10, max_mb: 8 }
    }
}

impl Default for Play {
    fn default() -> Play {
        let marks = ["random", "greedy", "hunter"].map(str::to_owned).to_vec();
        Play { marks, games_per_version: 2000, games_at_once: None }
    }
}

impl Settings {
    /// Reads the settings of the contest in a folder, and writes the file if there is none.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written, or a setting is wrong.
    pub(crate) fn read_or_write(folder: &Path) -> anyhow::Result<Settings> {
        let path = folder.join(FILE);
        if !path.exists() {
            files::write(&path, DEFAULT)?;
        }
        Settings::parse(&files::read_up_to(&path, MAX_FILE_BYTES)?).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> anyhow::Result<Settings> {
        let settings: Settings = toml::from_str(text).map_err(|error| bad_input(error.to_string().trim_end().to_owned()))?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> anyhow::Result<()> {
        let in_range = |key: &str, value: u64, least: u64, most: u64| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(bad_input(format!("{key}: expected a number from {least} to {most}, got {value}")))
        };
        let Settings { limits: Limits { time_ms, memory_mb, turns }, submissions: Quota { per_hour, max_mb }, ladder, .. } = self;
        in_range("limits.time_ms", *time_ms, 1, 600_000)?;
        in_range("limits.memory_mb", *memory_mb, 16, 1 << 20)?;
        in_range("limits.turns", u64::from(*turns), 1, 10_000)?;
        in_range("submissions.per_hour", u64::from(*per_hour), 1, 1000)?;
        in_range("submissions.max_mb", *max_mb, 1, MAX_UPLOAD_MB)?;
        in_range("ladder.games_per_version", u64::from(ladder.games_per_version), 4, 1_000_000)?;
        in_range("ladder.games_at_once", ladder.games_at_once.unwrap_or(1) as u64, 1, 4096)?;
        let is_built_in = |mark: &&String| mark.parse::<BotSpec>().is_ok_and(|spec| spec.net.is_none());
        if let Some(mark) = ladder.marks.iter().find(|mark| !is_built_in(mark)) {
            let known = BUILT_IN.map(|bot| bot.name).join(", ");
            return Err(bad_input(format!("ladder.marks: expected built-in bots ({known}), got \"{mark}\"")));
        }
        Ok(())
    }

    /// Returns the settings of the arena.
    pub(crate) fn arena(&self) -> ArenaSettings {
        let Limits { time_ms, memory_mb, turns } = self.limits;
        ArenaSettings { time_ms, memory_mb, turns, ruling: Ruleset::default().forfeit_ruling }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_contest_has_the_settings_of_an_empty_file() {
        assert_eq!(Settings::parse(DEFAULT).unwrap(), Settings::parse("").unwrap());
    }
}
