//! The arguments of `pacman2 man`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[command(after_help = "\
Each command gets a page: pacman2.1, pacman2-match.1 and so on.

Examples:
  pacman2 man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder; it is created if it is missing
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Replace files, whatever they contain
    #[arg(long)]
    pub(crate) force: bool,
}
