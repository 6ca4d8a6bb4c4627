//! The arguments of `pacman2 analyse`.

use std::path::PathBuf;

use clap::Args;

use super::values::{milliseconds, whole};

#[derive(Args)]
#[command(after_help = "\
Without --turn, every turn of the match is analysed on all cores, and each seat's most costly
actions are listed. With --turn, all legal actions of that turn are listed, the best first: the
expected official score with its standard error, and the expected continuation. Of a map, turn 1
is analysed.
The output is the same every time, except with --time. With --cache, analyses are kept in the
folder .pacman2-analyses beside the file, where pacman2 serve keeps its own, and used again.

Exit codes: 0 success, 2 bad input, 130 interrupted; partial results are printed all the same.

Examples:
  pacman2 analyse replays/last.json
      find costly actions
  pacman2 analyse replays/last.json --seat 2 --time 1000
      those of one seat, more precisely
  pacman2 analyse replays/last.json --turn 37
      every action of a turn
  pacman2 analyse map.json --simulations 20000 --json
      the first turn on a map, as JSON")]
pub(crate) struct AnalyseArgs {
    /// A replay, a Botzone match log or its page, a bot's saved input, a match of a pack (PACK#ID), a link, or a map as init data; "-"
    /// reads stdin
    #[arg(value_name = "REPLAY|INIT")]
    pub(crate) file: PathBuf,
    /// Analyse turn N, before its actions; 1 is the first
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..))]
    pub(crate) turn: Option<usize>,
    /// Analyse this seat only, 0 to 3
    #[arg(long, value_name = "S", value_parser = whole::<u8>(0..=3))]
    pub(crate) seat: Option<u8>,
    /// Spend this time in milliseconds on each turn instead of a number of simulations
    #[arg(long, value_name = "MS", value_parser = milliseconds(1..=3_600_000))]
    pub(crate) time: Option<u64>,
    /// Run N simulations per turn [default: 200000 for a single turn, 20000 for each turn of a match]
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = whole::<u32>(1..))]
    pub(crate) simulations: Option<u32>,
    /// Keep analyses beside the file, and use those that are there
    #[arg(long, conflicts_with = "time")]
    pub(crate) cache: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
