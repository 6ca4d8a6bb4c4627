//! The league of self-play: the newest net, earlier nets, a net that does not change, and bots that are not trained.

use std::sync::Arc;

use pacman2_bots::net::Net;
use pacman2_bots::sage::{Component, Sage};
use pacman2_bots::{Agent, BotConfig, Effort};
use pacman2_rules::BySeat;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::league_player::LeaguePlayer;
use crate::opponents::{OpponentShares, Opponents};
use crate::shuffle;
use crate::standings::Standings;

/// The nets trained so far, and those that were given.
#[derive(Clone, Debug)]
pub struct League {
    nets: Vec<Arc<Net>>,
    start: Option<Arc<Net>>,
    frozen: Option<Arc<Net>>,
    /// From what the opponents are drawn, if not from the default.
    opponents: Option<Opponents>,
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
        League { nets, start: None, frozen: None, opponents: None }
    }

    /// Sets the net, if any, from which the first generation learns on. It is the player `Net(0)`.
    #[must_use]
    pub fn with_start(self, net: impl Into<Option<Arc<Net>>>) -> League {
        League { start: net.into(), ..self }
    }

    /// Sets a net to train against, if any, which does not change.
    #[must_use]
    pub fn with_frozen(self, net: impl Into<Option<Arc<Net>>>) -> League {
        League { frozen: net.into(), ..self }
    }

    /// Has the opponents drawn from this table.
    #[must_use]
    pub fn with_opponents(self, opponents: Opponents) -> League {
        League { opponents: Some(opponents), ..self }
    }

    /// Returns the player to improve: the newest net, or the hand-made evaluation if there is no net yet.
    #[must_use]
    pub fn newest(&self) -> LeaguePlayer {
        match self.nets.len() {
            0 if self.start.is_none() => LeaguePlayer::HandMade,
            nets => LeaguePlayer::Net(nets as u32),
        }
    }

    /// Returns the nets before the newest one.
    fn past(&self) -> Vec<LeaguePlayer> {
        let first = if self.start.is_some() { 0 } else { 1 };
        (first..self.nets.len() as u32).map(LeaguePlayer::Net).collect()
    }

    /// Returns whether the league has this player's net, if it needs one.
    #[must_use]
    pub fn has(&self, player: LeaguePlayer) -> bool {
        match player {
            LeaguePlayer::Net(_) | LeaguePlayer::Frozen => self.net(player).is_some(),
            _ => true,
        }
    }

    /// Returns the table from which opponents are drawn by these shares. With `standings`, past nets and styles come the more often,
    /// the better they do against the newest net.
    #[must_use]
    pub fn opponents(&self, shares: &OpponentShares, standings: Option<&Standings>) -> Opponents {
        Opponents::by_shares(shares, self.newest(), &self.past(), standings)
    }

    /// Returns the table that [`with_opponents`](League::with_opponents) set.
    #[must_use]
    pub fn special_opponents(&self) -> Option<&Opponents> {
        self.opponents.as_ref()
    }

    /// Returns whether two players are the same or have the same net.
    #[must_use]
    pub fn plays_alike(&self, one: LeaguePlayer, other: LeaguePlayer) -> bool {
        one == other || self.net(one).is_some_and(|net| self.net(other) == Some(net))
    }

    /// Draws the players of a game: the newest on at least one seat, random opponents on the others.
    pub(crate) fn seating(&self, rng: &mut Xoshiro256PlusPlus) -> BySeat<LeaguePlayer> {
        let by_default;
        let opponents = match &self.opponents {
            Some(opponents) => opponents,
            None => {
                by_default = self.opponents(&OpponentShares::default(), None);
                &by_default
            }
        };
        let mut seating = BySeat([self.newest(); 4]);
        seating.0[1..].fill_with(|| opponents.draw(rng));
        shuffle(&mut seating.0, rng);
        seating
    }

    fn net(&self, player: LeaguePlayer) -> Option<&Arc<Net>> {
        match player {
            LeaguePlayer::Net(0) => self.start.as_ref(),
            LeaguePlayer::Net(generation) => self.nets.get(generation as usize - 1),
            LeaguePlayer::Frozen => self.frozen.as_ref(),
            _ => None,
        }
    }

    /// Starts a match of this player.
    ///
    /// # Panics
    ///
    /// If the league does not have the player's net.
    pub(crate) fn start(&self, player: LeaguePlayer, simulations: u32) -> Entrant {
        let sage = || Sage::new(Effort::Simulations(simulations));
        let direct = |name: &str| Entrant::Direct(BotConfig::new(name.parse().expect("it is built in")).start());
        match player {
            LeaguePlayer::Net(_) | LeaguePlayer::Frozen => {
                let net = self.net(player).unwrap_or_else(|| panic!("the league does not have the player \"{player}\""));
                Entrant::Searching(Box::new(sage().with_net(Arc::clone(net))))
            }
            LeaguePlayer::HandMade => Entrant::Searching(Box::new(sage().without(Component::Net))),
            LeaguePlayer::Hunter => direct("hunter"),
            LeaguePlayer::Greedy => direct("greedy"),
            LeaguePlayer::Style(style) => Entrant::Direct(style.start()),
        }
    }
}

/// A player in a match.
pub(crate) enum Entrant {
    Searching(Box<Sage>),
    Direct(Agent),
}
