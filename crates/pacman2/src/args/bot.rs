//! The arguments of `pacman2 bot`.

use std::path::PathBuf;

use clap::Args;
use pacman2_bots::BotSpec;
use pacman2_bots::sage::{Component, Sage};
use pacman2_rules::ForfeitRuling;

use super::values::{component, milliseconds, ruling, seed, whole};

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 play \"pacman2 bot greedy --keep-running\" random random random
  pacman2 play \"pacman2 bot sage --time 300 --keep-running\" greedy greedy greedy")]
pub(crate) struct BotArgs {
    /// The built-in bot: random, sample, greedy, hunter, sage, or style with a NAME
    pub(crate) name: String,
    /// The name of a style, such as sniper
    #[arg(value_name = "STYLE")]
    pub(crate) style: Option<String>,
    #[command(flatten)]
    pub(crate) options: BotOptions,
    /// Seed of the bot [default: the map's]
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: Option<i32>,
    /// Ask to keep running after the first turn
    #[arg(long)]
    pub(crate) keep_running: bool,
    /// Whether light hits a player that forfeits this turn
    #[arg(long, value_name = "NAME", default_value = "sample", value_parser = ruling())]
    pub(crate) ruling: ForfeitRuling,
}

/// Options of a built-in bot, which may follow its name wherever a BOT is expected
#[derive(Clone, Args)]
pub(crate) struct BotOptions {
    /// Run N simulations per turn instead of using a clock; sage and sample only
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = whole::<u32>(1..))]
    pub(crate) simulations: Option<u32>,
    /// Think for this long per turn, in milliseconds; sage (default 800) and sample only
    #[arg(long, value_name = "MS", value_parser = milliseconds(BotSpec::TIME_MS))]
    pub(crate) time: Option<u64>,
    /// Search with N threads, which share the work and the memory; sage only
    #[arg(long, value_name = "N", value_parser = whole::<usize>(Sage::THREADS))]
    pub(crate) threads: Option<usize>,
    /// Disable a component of the search, to measure its worth; sage only, may be repeated
    #[arg(long, value_name = "PART", value_parser = component())]
    pub(crate) without: Vec<Component>,
    /// Evaluate positions with the net in this weights file; sage only
    #[arg(long, value_name = "FILE")]
    pub(crate) net: Option<PathBuf>,
}
