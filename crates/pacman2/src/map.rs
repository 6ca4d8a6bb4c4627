//! `pacman2 map`: look at a map.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use maps::{Map, Size};
use rules::{LightOnTheForfeited, Settings, picture};

use crate::args::MapArgs;
use crate::board::harmless;
use crate::failure::bad_input;
use crate::files;

pub(crate) fn run(args: &MapArgs) -> anyhow::Result<ExitCode> {
    let map = match (&args.map, args.seed) {
        (Some(file), seed) => read(file, Seed { given: seed, otherwise: 0 }, LightOnTheForfeited::Sample)?,
        (None, seed) => generate(seed.unwrap_or(0), args.size.unwrap_or_default(), Settings::default())?,
    };
    let mut text = match args {
        MapArgs { json: true, .. } => botzone::init_data::write(&map).to_string(),
        MapArgs { picture: true, .. } => picture::write(&map.arena, &map.start),
        _ => picture::debug_print(&map.arena, &map.start),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The map of a seed.
pub(crate) fn generate(seed: i32, size: Size, settings: Settings) -> anyhow::Result<Map> {
    Map::generate(seed, size, settings).map_err(bad_input)
}

/// Where a map's seed comes from.
pub(crate) struct Seed {
    /// It goes before that in the init data.
    pub(crate) given: Option<i32>,
    /// It is taken where the init data has none.
    pub(crate) otherwise: i32,
}

/// The map in a file of init data, or of a bot's input; what looks odd about it is told on stderr.
pub(crate) fn read(file: &Path, seed: Seed, light_on_the_forfeited: LightOnTheForfeited) -> anyhow::Result<Map> {
    let value = files::read_json(file)?;
    let mut init_data = value["requests"].get(0).unwrap_or(&value).clone();
    if let (Some(given), Some(init_data)) = (seed.given, init_data.as_object_mut()) {
        init_data.insert("seed".to_owned(), given.into());
    }
    let (map, warnings) = botzone::init_data::read(&init_data, seed.otherwise, light_on_the_forfeited)
        .map_err(|refusal| bad_input(format!("{}: {refusal}", file.display())))?;
    for warning in warnings {
        eprintln!("pacman2: warning: {}: {}", file.display(), harmless(&warning));
    }
    Ok(map)
}
