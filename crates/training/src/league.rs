//! The league of self-play: the newest net, earlier nets, and bots that are not trained.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use pacman2_bots::Effort;
use pacman2_bots::net::Net;
use pacman2_bots::sage::{Component, Sage};
use pacman2_rules::BySeat;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{below, shuffle};

/// A player of the league.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaguePlayer {
    /// `sage` with the net of this generation, counted from 1.
    Net(u32),
    /// `sage` with the hand-made evaluation.
    HandMade,
    /// `hunter`.
    Hunter,
    /// `greedy`.
    Greedy,
}

impl fmt::Display for LeaguePlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeaguePlayer::Net(generation) => write!(f, "net {generation}"),
            LeaguePlayer::HandMade => f.write_str("hand-made"),
            LeaguePlayer::Hunter => f.write_str("hunter"),
            LeaguePlayer::Greedy => f.write_str("greedy"),
        }
    }
}

/// The error for a name that is not a league player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownPlayerError;

impl fmt::Display for UnknownPlayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown player; expected \"net N\", \"hand-made\", \"hunter\" or \"greedy\"")
    }
}

impl std::error::Error for UnknownPlayerError {}

impl FromStr for LeaguePlayer {
    type Err = UnknownPlayerError;

    fn from_str(name: &str) -> Result<LeaguePlayer, UnknownPlayerError> {
        match name {
            "hand-made" => Ok(LeaguePlayer::HandMade),
            "hunter" => Ok(LeaguePlayer::Hunter),
            "greedy" => Ok(LeaguePlayer::Greedy),
            _ => {
                name.strip_prefix("net ").and_then(|number| number.parse().ok()).map(LeaguePlayer::Net).ok_or(UnknownPlayerError)
            }
        }
    }
}

/// The nets trained so far.
#[derive(Clone, Debug)]
pub struct League {
    nets: Vec<Arc<Net>>,
}

impl League {
    /// Creates a league from the nets of generations 1, 2 and so on.
    ///
    /// ```
    /// use pacman2_training::{League, LeaguePlayer};
    ///
    /// assert_eq!(League::new(Vec::new()).newest(), LeaguePlayer::HandMade);
    /// ```
    #[must_use]
    pub fn new(nets: Vec<Arc<Net>>) -> League {
        League { nets }
    }

    /// Returns the player to improve: the newest net, or the hand-made evaluation if there is no net yet.
    #[must_use]
    pub fn newest(&self) -> LeaguePlayer {
        match self.nets.len() {
            0 => LeaguePlayer::HandMade,
            nets => LeaguePlayer::Net(nets as u32),
        }
    }

    /// Draws the players of a game: the newest on at least two seats, random opponents on the others.
    pub(crate) fn seating(&self, rng: &mut Xoshiro256PlusPlus) -> BySeat<LeaguePlayer> {
        let mut seating = BySeat([self.newest(), self.newest(), self.draw_opponent(rng), self.draw_opponent(rng)]);
        shuffle(&mut seating.0, rng);
        seating
    }

    fn draw_opponent(&self, rng: &mut Xoshiro256PlusPlus) -> LeaguePlayer {
        match below(rng, 100) {
            0..40 => self.newest(),
            40..65 if self.nets.len() > 1 => LeaguePlayer::Net(1 + below(rng, self.nets.len() as u32 - 1)),
            40..80 => LeaguePlayer::HandMade,
            80..90 => LeaguePlayer::Hunter,
            _ => LeaguePlayer::Greedy,
        }
    }

    /// Returns the player's search; `None` if the player does not search or its net is not in this league.
    pub(crate) fn sage(&self, player: LeaguePlayer, simulations: u32) -> Option<Sage> {
        let sage = Sage::new(Effort::Simulations(simulations));
        match player {
            LeaguePlayer::Net(generation) => {
                let net = self.nets.get((generation as usize).checked_sub(1)?)?;
                Some(sage.with_net(Arc::clone(net)))
            }
            LeaguePlayer::HandMade => Some(sage.without(Component::Net)),
            LeaguePlayer::Hunter | LeaguePlayer::Greedy => None,
        }
    }
}
