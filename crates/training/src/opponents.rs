//! The opponents of self-play: the shares of the seats that each kind of player takes, and the table from which opponents are drawn.

use std::fmt;
use std::str::FromStr;

use pacman2_bots::style::STYLES;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::draw;
use crate::league_player::LeaguePlayer;
use crate::standings::Standings;

/// The largest share of a kind.
const MAX_SHARE: u32 = 1000;

/// The styles that play best. They come more often than the others.
pub(crate) const STRONG: [&str; 8] =
    ["clever-lead", "careful-lead", "points-3", "lead-3", "lurking-sniper", "clever-points", "careful-points", "points-2"];

/// A kind of opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpponentKind {
    /// The newest net.
    Newest,
    /// An earlier net; the hand-made evaluation while there is none.
    Past,
    /// `sage` with the hand-made evaluation.
    HandMade,
    /// `hunter`.
    Hunter,
    /// `greedy`.
    Greedy,
    /// One of the styles that play best.
    StrongStyles,
    /// Any style that does not search.
    Styles,
    /// The net that the run trains against.
    Frozen,
    /// One of the styles that search.
    Searchers,
}

impl OpponentKind {
    /// All kinds, in the order in which they are drawn.
    pub const ALL: [OpponentKind; 9] = [
        OpponentKind::Newest,
        OpponentKind::Past,
        OpponentKind::HandMade,
        OpponentKind::Hunter,
        OpponentKind::Greedy,
        OpponentKind::StrongStyles,
        OpponentKind::Styles,
        OpponentKind::Frozen,
        OpponentKind::Searchers,
    ];

    /// Returns the kind's name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            OpponentKind::Newest => "newest",
            OpponentKind::Past => "past",
            OpponentKind::HandMade => "hand-made",
            OpponentKind::Hunter => "hunter",
            OpponentKind::Greedy => "greedy",
            OpponentKind::StrongStyles => "strong-styles",
            OpponentKind::Styles => "styles",
            OpponentKind::Frozen => "frozen",
            OpponentKind::Searchers => "searchers",
        }
    }
}

/// How the seats of opponents are divided among the kinds.
///
/// ```
/// use pacman2_training::{OpponentKind, OpponentShares};
///
/// let shares: OpponentShares = "past=1,newest=3".parse()?;
/// assert_eq!((shares.of(OpponentKind::Newest), shares.of(OpponentKind::Styles)), (3, 0));
/// assert_eq!(shares.to_string(), "newest=3,past=1");
/// # Ok::<(), pacman2_training::SharesError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpponentShares([u32; OpponentKind::ALL.len()]);

impl OpponentShares {
    /// The shares of a net that only learns to beat a frozen one.
    pub const EXPLOITER: OpponentShares = OpponentShares([25, 0, 0, 0, 0, 0, 0, 75, 0]);

    /// Returns the share of a kind.
    #[must_use]
    pub fn of(&self, kind: OpponentKind) -> u32 {
        self.0[kind as usize]
    }
}

impl Default for OpponentShares {
    fn default() -> OpponentShares {
        OpponentShares([28, 10, 6, 10, 4, 20, 22, 0, 0])
    }
}

impl fmt::Display for OpponentShares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = OpponentKind::ALL.into_iter().filter(|&kind| self.of(kind) > 0);
        for (number, kind) in kinds.enumerate() {
            write!(f, "{}{}={}", if number > 0 { "," } else { "" }, kind.name(), self.of(kind))?;
        }
        Ok(())
    }
}

/// The error for a text that does not describe shares.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SharesError {
    /// There is no such kind, or no share.
    #[error("expected KIND=SHARE with one of the kinds {}, got \"{part}\"", OpponentKind::ALL.map(OpponentKind::name).join(", "))]
    Kind {
        /// The text in place of a kind and its share.
        part: String,
    },
    /// The share is not a number that is possible.
    #[error("expected a whole number from 0 to {MAX_SHARE} as the share of {0}, got \"{1}\"")]
    Share(&'static str, String),
    /// A kind has two shares.
    #[error("expected one share of {0}, got two")]
    Twice(&'static str),
    /// No kind has a share.
    #[error("expected a share above 0, got none")]
    Nothing,
}

impl FromStr for OpponentShares {
    type Err = SharesError;

    fn from_str(text: &str) -> Result<OpponentShares, SharesError> {
        let mut shares = [None; OpponentKind::ALL.len()];
        for part in text.split(',') {
            let unknown = || SharesError::Kind { part: part.to_owned() };
            let (name, share) = part.split_once('=').ok_or_else(unknown)?;
            let kind = OpponentKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(unknown)?;
            let number = share.parse().ok().filter(|number| *number <= MAX_SHARE);
            let number = number.ok_or_else(|| SharesError::Share(kind.name(), share.to_owned()))?;
            if shares[kind as usize].replace(number).is_some() {
                return Err(SharesError::Twice(kind.name()));
            }
        }
        let shares = shares.map(Option::unwrap_or_default);
        if shares.iter().all(|&share| share == 0) { Err(SharesError::Nothing) } else { Ok(OpponentShares(shares)) }
    }
}

/// The table from which the opponents of a game are drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Opponents {
    groups: Vec<OpponentGroup>,
}

/// Players that share some of the seats.
#[derive(Clone, PartialEq, Debug)]
pub struct OpponentGroup {
    /// Its share of the seats, relative to those of the other groups.
    pub share: u32,
    /// Its players.
    pub players: GroupPlayers,
}

/// The players of a group.
#[derive(Clone, PartialEq, Debug)]
pub enum GroupPlayers {
    /// A single one, which is not drawn.
    One(LeaguePlayer),
    /// Players that are drawn in proportion to their weights.
    Drawn(Vec<(LeaguePlayer, u32)>),
}

impl GroupPlayers {
    /// Returns all players.
    #[must_use]
    pub fn all(&self) -> Vec<LeaguePlayer> {
        match self {
            GroupPlayers::One(player) => vec![*player],
            GroupPlayers::Drawn(players) => players.iter().map(|&(player, _)| player).collect(),
        }
    }
}

impl Opponents {
    /// Creates a table. Returns `None` if a sum of shares or weights is 0 or exceeds 32 bits.
    #[must_use]
    pub fn new(groups: Vec<OpponentGroup>) -> Option<Opponents> {
        let is_possible = |group: &OpponentGroup| match &group.players {
            GroupPlayers::One(_) => true,
            GroupPlayers::Drawn(players) => sum(players.iter().map(|&(_, weight)| weight)).is_some(),
        };
        let is_table = sum(groups.iter().map(|group| group.share)).is_some() && groups.iter().all(is_possible);
        is_table.then_some(Opponents { groups })
    }

    /// Creates the table of a league with this newest net and these earlier ones. With `standings`, those who do well against the
    /// newest net come more often.
    pub(crate) fn by_shares(
        shares: &OpponentShares,
        newest: LeaguePlayer,
        past: &[LeaguePlayer],
        standings: Option<&Standings>,
    ) -> Opponents {
        let weighed = |player: LeaguePlayer| (player, standings.map_or(1, |standings| standings.weight(player)));
        let drawn = |players: &mut dyn Iterator<Item = LeaguePlayer>| GroupPlayers::Drawn(players.map(weighed).collect());
        let group = |kind: OpponentKind| {
            let players = match kind {
                OpponentKind::Newest => GroupPlayers::One(newest),
                OpponentKind::Past if !past.is_empty() => drawn(&mut past.iter().copied()),
                OpponentKind::Past | OpponentKind::HandMade => GroupPlayers::One(LeaguePlayer::HandMade),
                OpponentKind::Hunter => GroupPlayers::One(LeaguePlayer::Hunter),
                OpponentKind::Greedy => GroupPlayers::One(LeaguePlayer::Greedy),
                OpponentKind::StrongStyles => {
                    let strong = STYLES.iter().filter(|style| STRONG.contains(&style.name));
                    drawn(&mut strong.map(LeaguePlayer::Style))
                }
                OpponentKind::Styles | OpponentKind::Searchers => {
                    let searches = kind == OpponentKind::Searchers;
                    let styles = STYLES.iter().filter(|style| style.searches() == searches);
                    drawn(&mut styles.map(LeaguePlayer::Style))
                }
                OpponentKind::Frozen => GroupPlayers::One(LeaguePlayer::Frozen),
            };
            OpponentGroup { share: shares.of(kind), players }
        };
        let groups = OpponentKind::ALL.into_iter().filter(|&kind| shares.of(kind) > 0).map(group);
        Opponents { groups: groups.collect() }
    }

    /// Returns the groups.
    #[must_use]
    pub fn groups(&self) -> &[OpponentGroup] {
        &self.groups
    }

    /// Draws an opponent.
    pub(crate) fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> LeaguePlayer {
        let group = draw(&self.groups, |group| group.share, rng).expect("a share is positive");
        match &group.players {
            GroupPlayers::One(player) => *player,
            GroupPlayers::Drawn(players) => draw(players, |&(_, weight)| weight, rng).expect("a weight is positive").0,
        }
    }
}

/// Returns a positive sum that fits into 32 bits.
fn sum(mut numbers: impl Iterator<Item = u32>) -> Option<u32> {
    numbers.try_fold(0u32, u32::checked_add).filter(|&sum| sum > 0)
}
