//! The arguments of `pacman2 simulate`.

use clap::Args;
use pacman2_rules::ForfeitRuling;

use super::values::ruling;

#[derive(Args)]
#[command(after_help = "\
Input lines:
  init data                        start a game
  {\"actions\": [0, -1, 4, null]}  play a turn: -1 to 7, null for a dead player; anything else is an illegal action
  {\"undo\": 3}                    take back three turns
Each line is answered by a line with the position, or by {\"error\": …}, which leaves the game as it was.

Example:
  (pacman2 map --seed 42 --json; echo '{\"actions\": [-1, -1, -1, -1]}') | pacman2 simulate")]
pub(crate) struct SimulateArgs {
    /// Whether light hits a player that forfeits this turn
    #[arg(long, value_name = "NAME", default_value = "sample", value_parser = ruling())]
    pub(crate) ruling: ForfeitRuling,
}
