//! The arguments of `pacman2 map`.

use std::path::PathBuf;

use clap::Args;
use pacman2_maps::MapSize;

use super::values::{map_size, seed};

#[derive(Args)]
#[command(group(clap::ArgGroup::new("source").args(["seed", "map"]).required(true).multiple(true)), after_help = "\
Examples:
  pacman2 map --seed 42
  pacman2 map --seed 42 --size 8x9 --json > map.json
  pacman2 map --map map.json")]
pub(crate) struct MapArgs {
    /// Seed of the map: 32 bits, with a sign or without
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: Option<i32>,
    /// Columns and rows, 6 to 11 each [default: drawn from the seed]
    #[arg(long, value_name = "WxH", value_parser = map_size, conflicts_with = "map")]
    pub(crate) size: Option<MapSize>,
    /// Check and show the init data in FILE instead; "-" reads stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Print the map as init data: one line of JSON
    #[arg(long, conflicts_with_all = ["picture", "sample"])]
    pub(crate) json: bool,
    /// Print what the wiki's sample program prints, in Chinese, instead of a picture
    #[arg(long)]
    pub(crate) sample: bool,
    /// Print a picture, which is the default
    #[arg(long, hide = true, conflicts_with = "sample")]
    picture: bool,
}
