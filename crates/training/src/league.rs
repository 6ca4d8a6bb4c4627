//! Who plays: the newest net, older ones, and bots that were not learned.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use bots::Effort;
use bots::net::Net;
use bots::sage::{Part, Sage};
use rand_xoshiro::Xoshiro256PlusPlus;
use rules::BySeat;

use crate::below;

/// Somebody who sits at a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Player {
    /// `sage` with the net of this generation, counted from 1.
    Net(u32),
    /// `sage` with the hand-made evaluation.
    HandMade,
    /// `hunter`.
    Hunter,
    /// `greedy`.
    Greedy,
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Player::Net(generation) => write!(f, "net {generation}"),
            Player::HandMade => f.write_str("hand-made"),
            Player::Hunter => f.write_str("hunter"),
            Player::Greedy => f.write_str("greedy"),
        }
    }
}

/// A name that no player has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownPlayer;

impl fmt::Display for UnknownPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("players are \"net 1\" and so on, \"hand-made\", \"hunter\" and \"greedy\"")
    }
}

impl std::error::Error for UnknownPlayer {}

impl FromStr for Player {
    type Err = UnknownPlayer;

    fn from_str(name: &str) -> Result<Player, UnknownPlayer> {
        match name {
            "hand-made" => Ok(Player::HandMade),
            "hunter" => Ok(Player::Hunter),
            "greedy" => Ok(Player::Greedy),
            _ => name.strip_prefix("net ").and_then(|number| number.parse().ok()).map(Player::Net).ok_or(UnknownPlayer),
        }
    }
}

/// The nets so far.
#[derive(Clone, Debug)]
pub struct League {
    nets: Vec<Arc<Net>>,
}

impl League {
    /// A league of the nets of generations 1, 2 and so on.
    pub fn new(nets: Vec<Arc<Net>>) -> League {
        League { nets }
    }

    /// Who is to become better: the newest net, or before the first the hand-made evaluation.
    pub fn newest(&self) -> Player {
        match self.nets.len() {
            0 => Player::HandMade,
            nets => Player::Net(nets as u32),
        }
    }

    /// Who sits where in a game: the newest on two seats or more, whoever chance sends on the others.
    pub(crate) fn seating(&self, random: &mut Xoshiro256PlusPlus) -> BySeat<Player> {
        let mut seating = BySeat([self.newest(), self.newest(), self.guest(random), self.guest(random)]);
        for end in (2..=4).rev() {
            seating.0.swap(end as usize - 1, below(random, end) as usize);
        }
        seating
    }

    fn guest(&self, random: &mut Xoshiro256PlusPlus) -> Player {
        match below(random, 100) {
            0..40 => self.newest(),
            40..65 if self.nets.len() > 1 => Player::Net(1 + below(random, self.nets.len() as u32 - 1)),
            40..80 => Player::HandMade,
            80..90 => Player::Hunter,
            _ => Player::Greedy,
        }
    }

    /// The searcher that a player is; `None` for one that does not search, and for a net that is not in this league.
    pub(crate) fn sage(&self, player: Player, simulations: u32) -> Option<Sage> {
        let sage = Sage::new(Effort::Simulations(simulations));
        match player {
            Player::Net(generation) => {
                let net = self.nets.get((generation as usize).checked_sub(1)?)?;
                Some(sage.with_net(Arc::clone(net)))
            }
            Player::HandMade => Some(sage.without(Part::Net)),
            Player::Hunter | Player::Greedy => None,
        }
    }
}
