//! Who plays in a league, and their names.

use std::fmt;
use std::str::FromStr;

use pacman2_bots::style::Style;

/// A player of the league.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LeaguePlayer {
    /// `sage` with the net of this generation, counted from 1; 0 is the net that the run started from.
    Net(u32),
    /// `sage` with the net that the run trains against.
    Frozen,
    /// `sage` with the hand-made evaluation.
    HandMade,
    /// `hunter`.
    Hunter,
    /// `greedy`.
    Greedy,
    /// `style NAME`.
    Style(&'static Style),
}

impl fmt::Display for LeaguePlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeaguePlayer::Net(generation) => write!(f, "net {generation}"),
            LeaguePlayer::Frozen => f.write_str("frozen net"),
            LeaguePlayer::HandMade => f.write_str("hand-made"),
            LeaguePlayer::Hunter => f.write_str("hunter"),
            LeaguePlayer::Greedy => f.write_str("greedy"),
            LeaguePlayer::Style(style) => write!(f, "style {}", style.name),
        }
    }
}

/// The error for a name that is not a league player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownPlayerError;

impl fmt::Display for UnknownPlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown player; expected \"net N\", \"frozen net\", \"hand-made\", \"hunter\", \"greedy\" or \"style NAME\"")
    }
}

impl std::error::Error for UnknownPlayerError {}

impl FromStr for LeaguePlayer {
    type Err = UnknownPlayerError;

    fn from_str(name: &str) -> Result<LeaguePlayer, UnknownPlayerError> {
        let player = match name.split_once(' ') {
            Some(("net", number)) => number.parse().ok().map(LeaguePlayer::Net),
            Some(("frozen", "net")) => Some(LeaguePlayer::Frozen),
            Some(("style", style)) => style.parse().ok().map(LeaguePlayer::Style),
            None if name == "hand-made" => Some(LeaguePlayer::HandMade),
            None if name == "hunter" => Some(LeaguePlayer::Hunter),
            None if name == "greedy" => Some(LeaguePlayer::Greedy),
            _ => None,
        };
        player.ok_or(UnknownPlayerError)
    }
}
