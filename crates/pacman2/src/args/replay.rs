//! The arguments of `pacman2 replay`.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use pacman2_rules::ForfeitRuling;

use super::values::{ruling, whole};

#[derive(Subcommand)]
pub(crate) enum ReplayVerb {
    /// Replay a match and report the first turn that differs from the rules
    Verify(VerifyArgs),
    /// Show the position after a turn
    Show(ShowArgs),
    /// The old name of "pacman2 open"
    #[command(hide = true)]
    Open(OpenArgs),
    /// Convert between replays and Botzone match logs, or make a page with the viewer or a link
    Convert(ConvertArgs),
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 replay verify replays/last.json
  pacman2 replay verify Pacman2-2020-3.zip
      all matches of a pack, a line for each
  pacman2 replay verify 'https://example.org/pacman2/#g=2kgH…'
      a game in a link; quote it because of the #")]
pub(crate) struct VerifyArgs {
    /// A replay, a Botzone match log or its page, a pack of matches, or a link with a game; "-" reads stdin
    pub(crate) file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 open replays/last.json
  pacman2 open 'https://example.org/pacman2/#g=2kgH…'
      a game in a link; quote it because of the #")]
pub(crate) struct OpenArgs {
    /// A replay, a Botzone match log or its page, a bot's saved input, a match of a pack (PACK#ID), or a link with a game; "-" reads
    /// stdin
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 replay show replays/last.json
  pacman2 replay show replays/last.json --turn 17
  pacman2 replay show Pacman2-2020-3.zip#2 --json
      every turn of the second match of a pack")]
pub(crate) struct ShowArgs {
    /// A replay, a Botzone match log or its page, a bot's saved input, a match of a pack (PACK#ID), or a link with a game; "-" reads
    /// stdin
    pub(crate) file: PathBuf,
    /// Show the position after N turns; 0 is the start [default: the turn of the link, or else the last turn]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..))]
    pub(crate) turn: Option<usize>,
    /// Print what the wiki's sample program prints, in Chinese, instead of a picture
    #[arg(long)]
    pub(crate) sample: bool,
    /// Print a picture, which is the default
    #[arg(long, hide = true, conflicts_with = "sample")]
    picture: bool,
    /// Print JSON as "pacman2 simulate" does: a line for the start and for each turn, or only that of --turn
    #[arg(long, conflicts_with_all = ["picture", "sample"])]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 replay convert replays/last.json botzone.json
      replay to match log
  pacman2 replay convert botzone.json replay.json
      match log to replay
  pacman2 replay convert replays/last.json match.html
      replay to a page with the viewer
  pacman2 replay convert replays/last.json --link
      replay to a link, #g=…
  pacman2 replay convert '#g=2kgH…' replay.json
      link to replay
  pacman2 replay convert Pacman2-2020-3.zip matches
      all matches of a pack to replays in a folder
  pacman2 replay convert Pacman2-2020-3.zip best --filter bot=5f0c5d2b,score=60")]
pub(crate) struct ConvertArgs {
    /// A replay, a Botzone match log or its page, a bot's saved input, a pack of matches, or a link with a game; "-" reads stdin
    pub(crate) from: PathBuf,
    /// File to write: the other format (of all but replays, a replay), or a page if it ends in .html; "-" writes stdout. Of a pack,
    /// the folder for its replays
    #[arg(required_unless_present = "link")]
    pub(crate) to: Option<PathBuf>,
    /// Print the game as a link, after the address BASE of a page with the viewer if it is given
    #[arg(long, value_name = "BASE", num_args = 0..=1, require_equals = true, default_missing_value = "", value_parser = base, conflicts_with_all = ["to", "force"])]
    pub(crate) link: Option<String>,
    /// The turn at which the link opens [default: the start]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..), requires = "link", conflicts_with = "to")]
    pub(crate) turn: Option<usize>,
    /// Of a pack, keep only these matches: bot=NAME in which this bot played, score=MIN, MIN.., ..MAX or MIN..MAX in which it, or anybody if no
    /// bot is named, had such a score; several are joined by commas
    #[arg(long, value_name = "FILTER", value_parser = str::parse::<MatchFilter>, conflicts_with_all = ["link", "turn"])]
    pub(crate) filter: Option<MatchFilter>,
    /// Replace the file even if this program did not write it
    #[arg(long)]
    pub(crate) force: bool,
    /// Whether light hits a player that forfeits, for a match log [default: the first ruling that agrees with the log]
    #[arg(long, value_name = "NAME", value_parser = ruling())]
    pub(crate) ruling: Option<ForfeitRuling>,
}

/// Which matches of a pack are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MatchFilter {
    /// The names of bots that all played.
    pub(crate) bots: Vec<String>,
    /// The scores that one of them had.
    pub(crate) score: Option<RangeInclusive<f64>>,
}

/// A text that selects no matches.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum MatchFilterError {
    #[error("expected bot=NAME or score=RANGE, such as score=20..60, once, got \"{0}\"")]
    Part(String),
    #[error("expected the lower score first, got {0}")]
    Order(String),
    #[error("expected a least score such as 60, or a range such as 20..60, 20.. or ..60, got \"{0}\"")]
    Range(String),
}

impl FromStr for MatchFilter {
    type Err = MatchFilterError;

    fn from_str(text: &str) -> Result<MatchFilter, MatchFilterError> {
        let mut filter = MatchFilter::default();
        for part in text.split(',') {
            match part.split_once('=') {
                Some(("bot", name)) if !name.is_empty() => filter.bots.push(name.to_owned()),
                Some(("score", range)) if filter.score.is_none() => filter.score = Some(scores(range)?),
                _ => return Err(MatchFilterError::Part(part.to_owned())),
            }
        }
        Ok(filter)
    }
}

/// Reads a range of scores, which may have no bound on either side.
fn scores(range: &str) -> Result<RangeInclusive<f64>, MatchFilterError> {
    let (min, max) = range.split_once("..").unwrap_or((range, ""));
    let bound = |text: &str, none: f64| match text.trim() {
        "" => Some(none),
        text => text.parse().ok().filter(|score: &f64| score.is_finite()),
    };
    match (bound(min, f64::NEG_INFINITY), bound(max.trim_start_matches('='), f64::INFINITY)) {
        (Some(min), Some(max)) if min > max => Err(MatchFilterError::Order(range.to_owned())),
        (Some(min), Some(max)) if (min, max) != (f64::NEG_INFINITY, f64::INFINITY) => Ok(min..=max),
        _ => Err(MatchFilterError::Range(range.to_owned())),
    }
}

/// Reads the address that a link begins with.
fn base(text: &str) -> Result<String, String> {
    if text.contains(|c: char| c == '#' || c.is_whitespace() || c.is_control()) {
        return Err("expected the address of a page, without # and spaces".to_owned());
    }
    Ok(text.to_owned())
}
