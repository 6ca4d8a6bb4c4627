//! The arguments of `pacman2 bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use pacman2_batch::InstructionSet;
use pacman2_engines::bench::BenchOptions;
use pacman2_maps::MapSize;

use super::values::{instruction_set, map_size, seconds};

#[derive(Args)]
#[command(after_help = "\
A turn is measured with actions given and with actions drawn, of 1024 games side by side on 256 maps of
this size (with --map, all on that map), and of games one after another. All results are checked while
they are timed.

The baseline is a command that plays random games on the same map, such as an engine of your own. It
runs with all your rights. Its standard input is the map as a bot gets it, in one line:
{\"requests\": [INIT], \"responses\": []}. Within 60 s it has to print a line that contains
  N turns … T s    the number of turns played, and the seconds they took; or
  X Mturn/s        millions of turns per second.
It runs once in each of five rounds, alternating with the other measurements. A ratio is the median
of the five rounds' ratios.

Examples:
  pacman2 bench --json --seconds 5
  pacman2 bench --size 8x9 --baseline 'bin/playouts 20000'")]
pub(crate) struct BenchArgs {
    /// Read the map from a file with init data [default: Botzone's map of seed 1]
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    pub(crate) map: Option<PathBuf>,
    /// Columns and rows of the map of seed 1, 6 to 11 each [default: drawn from the seed]
    #[arg(long, value_name = "WxH", value_parser = map_size)]
    pub(crate) size: Option<MapSize>,
    /// Measure for this long, not counting the baseline
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Instruction set for many games at once [default: the best this machine has]
    #[arg(long, value_name = "NAME", value_parser = instruction_set())]
    pub(crate) instruction_set: Option<InstructionSet>,
    /// Command to compare with
    #[arg(long, value_name = "COMMAND")]
    pub(crate) baseline: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl BenchArgs {
    /// Returns the same as options of the measurement.
    pub(crate) fn options(self) -> BenchOptions {
        let BenchArgs { map, size, seconds, instruction_set, baseline, json } = self;
        BenchOptions { map, size, time: Duration::from_secs_f64(seconds), instruction_set, baseline, json }
    }
}
