//! The league of self-play: the newest net, earlier nets, and bots that are not trained.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use pacman2_bots::net::Net;
use pacman2_bots::sage::{Component, Sage};
use pacman2_bots::style::{STYLES, Style};
use pacman2_bots::{Agent, BotConfig, BuiltIn, Effort};
use pacman2_rules::BySeat;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{below, shuffle};

/// A player of the league.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LeaguePlayer {
    /// `sage` with the net of this generation, counted from 1.
    Net(u32),
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
        f.write_str("unknown player; expected \"net N\", \"hand-made\", \"hunter\", \"greedy\" or \"style NAME\"")
    }
}

impl std::error::Error for UnknownPlayerError {}

impl FromStr for LeaguePlayer {
    type Err = UnknownPlayerError;

    fn from_str(name: &str) -> Result<LeaguePlayer, UnknownPlayerError> {
        let player = match name.split_once(' ') {
            Some(("net", number)) => number.parse().ok().map(LeaguePlayer::Net),
            Some(("style", style)) => Style::named(style).map(LeaguePlayer::Style),
            None if name == "hand-made" => Some(LeaguePlayer::HandMade),
            None if name == "hunter" => Some(LeaguePlayer::Hunter),
            None if name == "greedy" => Some(LeaguePlayer::Greedy),
            _ => None,
        };
        player.ok_or(UnknownPlayerError)
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

    /// Draws the players of a game: the newest on at least one seat, random opponents on the others.
    pub(crate) fn seating(&self, rng: &mut Xoshiro256PlusPlus) -> BySeat<LeaguePlayer> {
        let mut seating = BySeat([self.newest(); 4]);
        seating.0[1..].fill_with(|| self.draw_opponent(rng));
        shuffle(&mut seating.0, rng);
        seating
    }

    fn draw_opponent(&self, rng: &mut Xoshiro256PlusPlus) -> LeaguePlayer {
        match below(rng, 100) {
            0..28 => self.newest(),
            28..38 if self.nets.len() > 1 => LeaguePlayer::Net(1 + below(rng, self.nets.len() as u32 - 1)),
            28..44 => LeaguePlayer::HandMade,
            44..54 => LeaguePlayer::Hunter,
            54..58 => LeaguePlayer::Greedy,
            58..78 => draw_style(rng, |style| STRONG.contains(&style.name)),
            _ => draw_style(rng, |_| true),
        }
    }

    /// Starts a match of this player.
    ///
    /// # Panics
    ///
    /// If the league does not have the player's net.
    pub(crate) fn start(&self, player: LeaguePlayer, simulations: u32) -> Entrant {
        let sage = || Sage::new(Effort::Simulations(simulations));
        let direct = |name: &str| Entrant::Direct(BotConfig::new(BuiltIn::named(name).expect("it is built in")).start());
        match player {
            LeaguePlayer::Net(generation) => {
                let net = (generation as usize).checked_sub(1).and_then(|index| self.nets.get(index));
                let net =
                    net.unwrap_or_else(|| panic!("expected a net of generations 1 to {}, got {generation}", self.nets.len()));
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

/// The styles that play best. They come more often than the others.
pub(crate) const STRONG: [&str; 8] =
    ["clever-lead", "careful-lead", "points-3", "lead-3", "lurking-sniper", "clever-points", "careful-points", "points-2"];

fn draw_style(rng: &mut Xoshiro256PlusPlus, is_meant: impl Fn(&Style) -> bool) -> LeaguePlayer {
    let meant: Vec<&'static Style> = STYLES.iter().filter(|style| is_meant(style)).collect();
    LeaguePlayer::Style(meant[below(rng, meant.len() as u32) as usize])
}
