//! The arguments of `pacman2 export`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

/// The languages by the extension of their files.
const LANGUAGES: [&str; 1] = ["cpp"];

#[derive(Args)]
#[command(after_help = "\
The file needs no library. It decides as the built-in bot does, with the same seed. Nets that you trained
with PyTorch become files by pacman2.export of the Python package.

Examples:
  pacman2 export hunter --lang cpp -o hunter.cpp
  pacman2 export greedy --lang cpp -o - --seed 7")]
pub(crate) struct ExportArgs {
    /// The built-in bot: greedy or hunter
    #[arg(value_name = "BOT")]
    pub(crate) bot: String,
    /// Language of the file
    #[arg(long, value_name = "LANGUAGE", value_parser = PossibleValuesParser::new(LANGUAGES))]
    pub(crate) lang: String,
    /// File to write; "-" writes stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Seed of the bot's random numbers
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: i32,
    /// Replace the file even if this program did not write it
    #[arg(long)]
    pub(crate) force: bool,
}
