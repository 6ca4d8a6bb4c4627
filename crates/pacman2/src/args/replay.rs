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
    /// Watch a replay, a Botzone match log or a link in a browser
    Open(OpenArgs),
    /// Convert between replays and Botzone match logs, or make a page with the viewer or a link
    Convert(ConvertArgs),
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 replay verify replays/last.json
  pacman2 replay verify 'https://example.org/pacman2/#g=2kgH…'    a game in a link; quote it because of the #")]
pub(crate) struct VerifyArgs {
    /// The replay, or a link with a game; "-" reads stdin
    pub(crate) file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 replay open replays/last.json
  pacman2 replay open 'https://example.org/pacman2/#g=2kgH…'    a game in a link; quote it because of the #")]
pub(crate) struct OpenArgs {
    /// A replay, a Botzone match log, or a link with a game; "-" reads stdin
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 replay show replays/last.json
  pacman2 replay show replays/last.json --turn 17")]
pub(crate) struct ShowArgs {
    /// A replay, a Botzone match log, or a link with a game; "-" reads stdin
    pub(crate) file: PathBuf,
    /// Show the position after N turns; 0 is the start [default: the turn of the link, or else the last turn]
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
  pacman2 replay convert replays/last.json match.html       replay to a page with the viewer
  pacman2 replay convert replays/last.json --link           replay to a link, #g=…
  pacman2 replay convert '#g=2kgH…' replay.json             link to replay")]
pub(crate) struct ConvertArgs {
    /// A replay, a Botzone match log, or a link with a game; "-" reads stdin
    pub(crate) from: PathBuf,
    /// File to write: the other format (of a link, a replay), or a page if it ends in .html; "-" writes stdout
    #[arg(required_unless_present = "link")]
    pub(crate) to: Option<PathBuf>,
    /// Print the game as a link, after the address BASE of a page with the viewer if it is given
    #[arg(long, value_name = "BASE", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = base, conflicts_with_all = ["to", "force"])]
    pub(crate) link: Option<String>,
    /// The turn at which the link opens [default: the start]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..), requires = "link", conflicts_with = "to")]
    pub(crate) turn: Option<usize>,
    /// Replace the file even if this program did not write it
    #[arg(long)]
    pub(crate) force: bool,
    /// Whether light hits a player that forfeits, for a match log [default: the first ruling that agrees with the log]
    #[arg(long, value_name = "NAME", value_parser = ruling())]
    pub(crate) ruling: Option<ForfeitRuling>,
}

/// Reads the address that a link begins with.
fn base(text: &str) -> Result<String, String> {
    if text.contains(|c: char| c == '#' || c.is_whitespace() || c.is_control()) {
        return Err("expected the address of a page, without # and spaces".to_owned());
    }
    Ok(text.to_owned())
}
