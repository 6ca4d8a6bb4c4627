//! The arguments of `pacman2 simulate`.

use clap::Args;
use pacman2_engines::simulate::SimulateOptions;
use pacman2_rules::ForfeitRuling;

use super::values::{ruling, seed, whole};

#[derive(Args)]
#[command(after_help = "\
Input lines:
  init data                      start a game
  {\"actions\": [0, -1, 4, null]}  play a turn: -1 to 7, null for a dead player; anything else is an illegal action
  {\"undo\": 3}                    take back three turns
Each line is answered by a line with the position, or by {\"error\": …}, which leaves the game as it was.

With --against, another engine plays games of built-in bots on Botzone's maps. It is started for each
game, with all your rights, and gets the lines of the game: init data, then the actions of each turn.
It prints a line after each; \"players\" is enough, and what else a line has is compared, too. The first
turn that differs is shown, and the exit code is 1.

Examples:
  (pacman2 map --seed 42 --json; echo '{\"actions\": [-1, -1, -1, -1]}') | pacman2 simulate
  pacman2 simulate --against 'python3 engine.py'")]
pub(crate) struct SimulateArgs {
    /// Whether light hits a player that forfeits this turn
    #[arg(long, value_name = "NAME", default_value = "sample", value_parser = ruling())]
    pub(crate) ruling: ForfeitRuling,
    /// Compare the engine that this command runs with the rules
    #[arg(long, value_name = "COMMAND")]
    pub(crate) against: Option<String>,
    /// Number of games to compare
    #[arg(long, value_name = "N", default_value_t = 100, requires = "against", value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) games: u32,
    /// Seed of the first game; each has the seed after the last game's
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed, requires = "against", allow_negative_numbers = true)]
    pub(crate) seed: i32,
}

impl SimulateArgs {
    /// Returns the same as options.
    pub(crate) fn options(self) -> SimulateOptions {
        let SimulateArgs { ruling, against, games, seed } = self;
        SimulateOptions { ruling, against, games, seed }
    }
}
