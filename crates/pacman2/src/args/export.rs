//! The arguments of `pacman2 export`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use pacman2_bots::BotSpec;

use super::values::{milliseconds, seed, whole};

/// The languages by the extension of their files.
const LANGUAGES: [&str; 1] = ["cpp"];

#[derive(Args)]
#[command(after_help = "\
The file needs no library. It decides as the built-in bot does, with the same seed; sage also with the same
number of simulations. Nets that you trained with PyTorch become files by pacman2.export of the Python
package.

Examples:
  pacman2 export sage --lang cpp -o sage.cpp
  pacman2 export --net run/sage.net --lang cpp -o mine.cpp
      a net that pacman2 train made
  pacman2 export --net run/sage.net --lang cpp --only-weights -o my/weights.hpp
  pacman2 export greedy --lang cpp -o - --seed 7")]
pub(crate) struct ExportArgs {
    /// The built-in bot: greedy, hunter or sage [default: sage, with --net]
    #[arg(value_name = "BOT")]
    pub(crate) bot: Option<String>,
    /// Language of the file
    #[arg(long, value_name = "LANGUAGE", value_parser = PossibleValuesParser::new(LANGUAGES))]
    pub(crate) lang: String,
    /// File to write; "-" writes stdout
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Evaluate positions with the net in this weights file; sage only
    #[arg(long, value_name = "FILE")]
    pub(crate) net: Option<PathBuf>,
    /// Run N simulations per turn instead of using a clock; sage only
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = whole::<u32>(1..))]
    pub(crate) simulations: Option<u32>,
    /// Think for this long per turn, in milliseconds; sage only (default 800)
    #[arg(long, value_name = "MS", value_parser = milliseconds(BotSpec::TIME_MS))]
    pub(crate) time: Option<u64>,
    /// Write only the weights, as a header for bots with sage.hpp; sage only
    #[arg(long, conflicts_with_all = ["seed", "simulations", "time"])]
    pub(crate) only_weights: bool,
    /// Seed of the bot's random numbers
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: i32,
    /// Replace the file even if this program did not write it
    #[arg(long)]
    pub(crate) force: bool,
}
