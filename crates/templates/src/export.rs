//! Built-in bots as one file for Botzone.
//!
//! Tests compare the decisions of these files with those of the built-in bots: of `greedy` and `hunter` in the Python package, of `sage`
//! in the program.

use std::fs;

use anyhow::Context;
use pacman2_bot_source::built_in::read_net;
use pacman2_bot_source::bundle::cpp::{self, CppOptions};
use pacman2_bot_source::source_files::MainSource;
use pacman2_bots::BotSpec;

use crate::weights;

/// The bots, and their sources in C++, which include the headers.
pub const SOURCES: [(&str, &str); 3] = [
    ("greedy", include_str!("../files/export/greedy.cpp")),
    ("hunter", include_str!("../files/export/hunter.cpp")),
    ("sage", include_str!("../files/export/sage.cpp")),
];
const HEADER: &str = include_str!("../../../cpp/pacman2.hpp");
/// The lines of a source that contain its options.
const SEED: &str = "seed = 0; // [seed]\n";
const SIMULATIONS: &str = "simulations = 0; // [simulations]\n";
const TIME: &str = "milliseconds = 800; // [time]\n";

/// Returns the weights of a bot's net, or of the built-in nets, as C++.
///
/// # Errors
///
/// If there is no net in the file.
pub fn weights_of(spec: &BotSpec) -> anyhow::Result<String> {
    let Some(path) = &spec.net else { return Ok(weights::built_in()) };
    let (net, hash) = read_net(path).with_context(|| path.display().to_string())?;
    Ok(weights::text(&net, &format!("a net whose file has the SHA-256 {hash}")))
}

/// Returns a source with its options, and with what it uses of the headers and weights.
///
/// # Errors
///
/// If the temporary folder cannot be used.
pub fn joined(spec: &BotSpec, source: &str, seed: i32, weights: Option<String>) -> anyhow::Result<Vec<u8>> {
    // A number of simulations is played in full, however slow the machine is.
    let (most_simulations, default) = match spec.simulations {
        Some(most) => (most, *BotSpec::TIME_MS.end()),
        None => (0, pacman2_bots::sage::DEFAULT_TIME.as_millis() as u64),
    };
    let options = [
        (SEED, format!("seed = {seed};\n")),
        (SIMULATIONS, format!("simulations = {most_simulations};\n")),
        (TIME, format!("milliseconds = {};\n", spec.time_ms.unwrap_or(default))),
    ];
    let source = options.into_iter().fold(source.to_owned(), |source, (line, own)| source.replace(line, &own));
    let folder = tempfile::Builder::new().prefix("pacman2-").tempdir().context("cannot create a temporary folder")?;
    let file = folder.path().join(format!("{}.cpp", spec.built_in.name));
    fs::write(&file, source)?;
    fs::write(folder.path().join("pacman2.hpp"), HEADER)?;
    if let Some(weights) = weights {
        fs::write(folder.path().join("sage.hpp"), weights::SEARCH)?;
        fs::write(folder.path().join(weights::FILE), weights)?;
    }
    Ok(cpp::bundle(&MainSource { path: &file, own_folder: file.parent() }, &CppOptions::default())?.text)
}
