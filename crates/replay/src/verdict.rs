//! The verdict on a player's turn.

use std::fmt;

use pacman2_botzone::response::Verdict;
use serde::{Serialize, Serializer};

/// The verdict on a player's turn: Botzone's verdict on the run, or that the action is illegal, for which Botzone's own
/// verdict is `OK`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TurnVerdict {
    /// Botzone's verdict on the run. If it is `OK`, the action is legal.
    Run(Verdict),
    /// The run was `OK`, but the action is not legal.
    Illegal,
}

impl TurnVerdict {
    /// Returns the verdict's name in replays: `OK`, `TLE`, `MLE`, `OLE`, `NJ`, `RE` or `ILLEGAL`.
    ///
    /// ```
    /// use pacman2_replay::TurnVerdict;
    ///
    /// assert_eq!(TurnVerdict::Illegal.name(), "ILLEGAL");
    /// assert_eq!(TurnVerdict::from_name("ILLEGAL"), Some(TurnVerdict::Illegal));
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TurnVerdict::Run(verdict) => verdict.name(),
            TurnVerdict::Illegal => "ILLEGAL",
        }
    }

    /// Returns whether the run was `OK` and the action legal; the player forfeits otherwise.
    #[must_use]
    pub fn is_ok(self) -> bool {
        self == TurnVerdict::Run(Verdict::Ok)
    }

    /// Returns the verdict with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<TurnVerdict> {
        if name == TurnVerdict::Illegal.name() {
            return Some(TurnVerdict::Illegal);
        }
        Verdict::from_name(name).map(TurnVerdict::Run)
    }
}

impl fmt::Display for TurnVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for TurnVerdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
