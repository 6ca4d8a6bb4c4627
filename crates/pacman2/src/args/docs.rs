//! The arguments of `pacman2 docs`.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::docs;

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 docs
  pacman2 docs lessons")]
pub(crate) struct DocsArgs {
    /// The part to begin at
    #[arg(value_name = "PART", ignore_case = true, value_parser = PossibleValuesParser::new(docs::names()))]
    pub(crate) part: Option<String>,
}
