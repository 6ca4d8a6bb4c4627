//! The tiers of the sandbox.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A tier of the sandbox, from the strongest to none at all. `docs/SECURITY.md` says what each of them promises.
///
/// ```
/// use pacman2_runner::Tier;
///
/// assert!(Tier::A < Tier::AMinus && Tier::AMinus < Tier::C, "a better tier comes first");
/// assert_eq!("B".parse(), Ok(Tier::B));
/// assert_eq!(Tier::B.to_string(), "B");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Namespaces of its own, Landlock and seccomp.
    A,
    /// The same without Landlock, for kernels that do not have it.
    #[serde(rename = "A-")]
    AMinus,
    /// Landlock and seccomp.
    B,
    /// No sandbox: the program has all the rights of the user who started it.
    C,
}

impl Tier {
    /// All tiers, the strongest first.
    pub const ALL: [Tier; 4] = [Tier::A, Tier::AMinus, Tier::B, Tier::C];

    /// Returns `A`, `A-`, `B` or `C`.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::A => "A",
            Tier::AMinus => "A-",
            Tier::B => "B",
            Tier::C => "C",
        }
    }

    /// Returns whether a program has namespaces of its own, and sees no files but those that it is given.
    ///
    /// ```
    /// use pacman2_runner::Tier;
    ///
    /// assert!(Tier::AMinus.has_namespaces() && !Tier::AMinus.has_landlock());
    /// ```
    pub const fn has_namespaces(self) -> bool {
        matches!(self, Tier::A | Tier::AMinus)
    }

    /// Returns whether Landlock restricts a program.
    pub const fn has_landlock(self) -> bool {
        matches!(self, Tier::A | Tier::B)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tier {
    type Err = ParseTierError;

    fn from_str(name: &str) -> Result<Tier, ParseTierError> {
        Tier::ALL.into_iter().find(|tier| tier.name() == name).ok_or_else(|| ParseTierError(name.to_owned()))
    }
}

/// A text that names no [`Tier`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown tier \"{0}\"; expected A, A-, B or C")]
pub struct ParseTierError(String);
