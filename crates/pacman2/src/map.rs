//! `pacman2 map`: look at a map.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Maze, Ruleset, picture};
use serde_json::Value;

use crate::args::MapArgs;
use crate::board::harmless;
use crate::failure::bad_input;
use crate::files;

pub(crate) fn run(args: &MapArgs) -> anyhow::Result<ExitCode> {
    let map = match (&args.map, args.seed) {
        (Some(file), seed) => read(file, Seed { given: seed, otherwise: 0 }, Ruleset::default())?,
        (None, seed) => generate(seed.unwrap_or(0), args.size.unwrap_or_default(), Ruleset::default())?,
    };
    let mut text = match args {
        MapArgs { json: true, .. } => pacman2_botzone::init_data::write(&map).to_string(),
        MapArgs { picture: true, .. } => picture::write(&map.maze, &map.start),
        _ => picture::debug_print(&map.maze, &map.start),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The map of a seed.
pub(crate) fn generate(seed: i32, size: MapSize, settings: Ruleset) -> anyhow::Result<Map> {
    Map::generate(seed, size, settings).map_err(bad_input)
}

/// The arena, with this limit of turns if one is given.
pub(crate) fn with_turns(arena: Maze, turns: Option<u32>) -> anyhow::Result<Maze> {
    let Some(turn_limit) = turns else { return Ok(arena) };
    let settings = Ruleset { turn_limit, ..*arena.ruleset() };
    arena.with_ruleset(settings).map_err(bad_input)
}

/// Where a map's seed comes from.
pub(crate) struct Seed {
    /// It goes before that in the init data.
    pub(crate) given: Option<i32>,
    /// It is taken where the init data has none.
    pub(crate) otherwise: i32,
}

/// The map in a file of init data, or of a bot's input; what looks odd about it is told on stderr.
pub(crate) fn read(file: &Path, seed: Seed, base: Ruleset) -> anyhow::Result<Map> {
    let file = InitData::read(file)?;
    let (map, warnings) = file.map(seed, base)?;
    file.warn(&warnings);
    Ok(map)
}

/// A file of init data, before the door.
pub(crate) struct InitData<'a> {
    file: &'a Path,
    value: Value,
}

impl InitData<'_> {
    pub(crate) fn read(file: &Path) -> anyhow::Result<InitData<'_>> {
        let value = files::read_json(file)?;
        Ok(InitData { file, value: value["requests"].get(0).unwrap_or(&value).clone() })
    }

    /// Whether the map is Botzone's of its seed, not one that is written down.
    pub(crate) fn is_made_from_seed(&self) -> bool {
        ["static", "content"].into_iter().all(|key| self.value.get(key).is_none())
    }

    /// Its map, and what looks odd about it.
    pub(crate) fn map(&self, seed: Seed, base: Ruleset) -> anyhow::Result<(Map, Vec<String>)> {
        let mut init_data = Cow::Borrowed(&self.value);
        if let Some(given) = seed.given
            && init_data.is_object()
        {
            init_data.to_mut()["seed"] = given.into();
        }
        pacman2_botzone::init_data::read(&init_data, seed.otherwise, base)
            .map_err(|refusal| bad_input(format!("{}: {refusal}", self.file.display())))
    }

    /// Tells on stderr what looks odd.
    pub(crate) fn warn(&self, warnings: &[String]) {
        for warning in warnings {
            eprintln!("pacman2: warning: {}: {}", self.file.display(), harmless(warning));
        }
    }
}
