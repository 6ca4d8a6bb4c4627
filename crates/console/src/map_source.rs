//! Where maps come from: seeds, and files with init data.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pacman2_botzone::init_data::InitDataWarning;
use pacman2_botzone::saved_input::SavedInput;
use pacman2_botzone::{HeldJson, Json, JsonText, checked_pasted};
use pacman2_maps::{Map, MapSize};
use pacman2_replay::games::{JsonForm, Remark};
use pacman2_rules::{Maze, Ruleset};

use crate::error::bad_input;
use crate::files;
use crate::text::sanitize;

/// Makes Botzone's map of a seed.
pub fn generate(seed: i32, size: MapSize, ruleset: Ruleset) -> anyhow::Result<Map> {
    Map::generate(seed, size, ruleset).map_err(bad_input)
}

/// Returns the maze with this turn limit, or as it is if none is given.
pub fn with_turn_limit(maze: Maze, turn_limit: Option<u32>) -> anyhow::Result<Maze> {
    let Some(turn_limit) = turn_limit else { return Ok(maze) };
    let ruleset = Ruleset { turn_limit, ..*maze.ruleset() };
    maze.with_ruleset(ruleset).map_err(bad_input)
}

/// The seed of a map that is read from a file.
#[derive(Clone, Copy)]
pub struct Seed {
    /// Takes precedence over the seed in the init data.
    pub given: Option<i32>,
    /// Is used if the init data has no seed.
    pub default: i32,
}

/// Returns a seed that is drawn from the clock.
pub fn random_seed() -> i32 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (now.as_nanos() / 1000 % (1 << 31)) as i32
}

/// Reads the map in a file of init data or of a bot's input. `base` are the rules that the file does not set. Warnings go to
/// stderr.
pub fn read(file: &Path, seed: Seed, base: Ruleset) -> anyhow::Result<Map> {
    let file = InitData::read(file)?;
    let (map, warnings) = file.map(seed, base)?;
    file.warn(&warnings);
    Ok(map)
}

/// Returns the init data in a file of JSON. A match is rejected: otherwise its map would be a random one, for want of known keys.
fn find_init_data(file: &Path, json: Json<'_>) -> anyhow::Result<JsonText> {
    let file = file.display();
    match JsonForm::from_json(json) {
        Some(JsonForm::Replay) => Err(bad_input(format!(
            "{file}: expected a map as init data, got a replay; save the value of public.init in it as a file of its own"
        ))),
        Some(JsonForm::MatchLog) => Err(bad_input(format!(
            "{file}: expected a map as init data, got a Botzone match log; convert it with \"pacman2 replay convert {file} replay.json\", then save the value of public.init in the replay as a file of its own"
        ))),
        Some(JsonForm::SavedInput) => Ok(SavedInput::init_data(json)),
        _ => Ok(json.into()),
    }
}

/// Returns a bot's input in the first line, if further requests or anything else of what a bot has read follows.
fn first_input(text: &str) -> Option<(HeldJson<'_>, bool)> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    checked_pasted(line).ok().filter(|(input, _)| SavedInput::recognises(input.json()))
}

/// A file of init data, not yet checked.
pub struct InitData {
    file: PathBuf,
    text: JsonText,
}

impl InitData {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is no JSON, or is a match.
    pub fn read(file: &Path) -> anyhow::Result<InitData> {
        let text = files::read(file)?;
        let (held, has_line_breaks) = checked_pasted(&text)
            .or_else(|error| first_input(&text).ok_or(error))
            .map_err(|error| bad_input(format!("{}: not JSON: {error}", file.display())))?;
        if has_line_breaks {
            eprintln!("pacman2: warning: {}: {}", file.display(), Remark::RawLineBreaks);
        }
        Ok(InitData { file: file.to_owned(), text: find_init_data(file, held.json())? })
    }

    /// Whether the map is generated from its seed. Otherwise the file spells it out.
    pub fn is_generated(&self) -> bool {
        self.text.json().get_all(["static", "content"]) == [None, None]
    }

    /// Returns the map, and warnings about it. `base` are the rules that the file does not set.
    pub fn map(&self, seed: Seed, base: Ruleset) -> anyhow::Result<(Map, Vec<InitDataWarning>)> {
        let json = self.text.json();
        // Of several values of a key the last counts.
        let given = seed.given.zip(json.as_str().strip_suffix('}'));
        let with_seed = given.map(|(seed, members)| {
            let separator = if members == "{" { "" } else { "," };
            format!("{members}{separator}\"seed\":{seed}}}")
        });
        let init_data = with_seed.as_deref().map_or(Ok(json), Json::parse).map_err(bad_input)?;
        pacman2_botzone::init_data::read_json(init_data, seed.default, base)
            .map_err(|error| bad_input(format!("{}: {error}", self.file.display())))
    }

    /// Prints warnings to stderr.
    pub fn warn(&self, warnings: &[InitDataWarning]) {
        for warning in warnings {
            eprintln!("pacman2: warning: {}: {}", self.file.display(), sanitize(&warning.to_string()));
        }
    }
}
