//! The arguments of `pacman2 replay`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pacman2_rules::ForfeitRuling;

use super::values::{ruling, whole};

#[derive(Subcommand)]
pub(crate) enum ReplayVerb {
    /// Replay a match and report the first turn that differs from the rules
    Verify(VerifyArgs),
    /// Show the position after a turn
    Show(ShowArgs),
    /// Watch a replay or a Botzone match log in a browser
    Open(OpenArgs),
    /// Convert between replays and Botzone match logs, or make a page with the viewer
    Convert(ConvertArgs),
}

#[derive(Args)]
#[command(after_help = "Example:\n  pacman2 replay verify replays/last.json")]
pub(crate) struct VerifyArgs {
    /// The replay; "-" reads stdin
    pub(crate) file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "Example:\n  pacman2 replay open replays/last.json")]
pub(crate) struct OpenArgs {
    /// A replay or a Botzone match log; "-" reads stdin
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 replay show replays/last.json
  pacman2 replay show replays/last.json --turn 17")]
pub(crate) struct ShowArgs {
    /// A replay or a Botzone match log; "-" reads stdin
    pub(crate) file: PathBuf,
    /// Show the position after N turns; 0 is the start [default: the last turn]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..))]
    pub(crate) turn: Option<usize>,
    /// Draw a picture that this project's tests can read, instead of the sample program's
    #[arg(long)]
    pub(crate) picture: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 replay convert replays/last.json botzone.json     replay to match log
  pacman2 replay convert botzone.json replay.json           match log to replay
  pacman2 replay convert replays/last.json match.html       replay to a page with the viewer")]
pub(crate) struct ConvertArgs {
    /// A replay or a Botzone match log; "-" reads stdin
    pub(crate) from: PathBuf,
    /// File to write: the other format, or a page if it ends in .html; "-" writes stdout
    pub(crate) to: PathBuf,
    /// Replace the file even if this program did not write it
    #[arg(long)]
    pub(crate) force: bool,
    /// Whether light hits a player that forfeits, for a match log [default: the first ruling that agrees with the log]
    #[arg(long, value_name = "NAME", value_parser = ruling())]
    pub(crate) ruling: Option<ForfeitRuling>,
}
