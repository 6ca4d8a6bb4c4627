//! The arguments of `pacman2 judge`.

use clap::Args;
use pacman2_rules::ForfeitRuling;

use super::values::ruling;

#[derive(Args)]
#[command(after_help = "Example:\n  echo '{\"log\": [], \"initdata\": {\"seed\": 42}}' | pacman2 judge")]
pub(crate) struct JudgeArgs {
    /// Whether light hits a player that forfeits this turn
    #[arg(long, value_name = "NAME", default_value = "judge", value_parser = ruling())]
    pub(crate) ruling: ForfeitRuling,
}
