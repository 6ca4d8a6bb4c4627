//! `pacman2 map`: shows a map.

use std::io::Write;
use std::process::ExitCode;

use pacman2_console::map_source::{self, Seed};
use pacman2_console::stdout::stdout;
use pacman2_rules::{Ruleset, picture};

use crate::args::MapArgs;

pub(crate) fn run(args: &MapArgs) -> anyhow::Result<ExitCode> {
    let map = match (&args.map, args.seed) {
        (Some(file), seed) => map_source::read(file, Seed { given: seed, default: 0 }, Ruleset::default())?,
        (None, seed) => map_source::generate(seed.unwrap_or(0), args.size.unwrap_or_default(), Ruleset::default())?,
    };
    let mut text = match args {
        MapArgs { json: true, .. } => pacman2_botzone::init_data::write(&map).to_string(),
        MapArgs { sample: true, .. } => picture::debug_print(&map.maze, &map.start),
        _ => picture::write(&map.maze, &map.start),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
