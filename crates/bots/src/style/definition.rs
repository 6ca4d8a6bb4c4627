//! What a style is, and how it decides.

use std::str::FromStr;

use pacman2_rules::{Action, Game, Seat};
use rand_xoshiro::rand_core::Rng;

use super::planner::{Expectimax, Joint, Lookahead};
use super::pool::STYLES;
use super::rule_follower::RuleFollower;
use super::searcher::{Evolution, QuickGames, TreeSearch};
use super::turn::Turn;
use crate::built_in::{Agent, turn_rng};
use crate::choice::best;
use crate::distance_tables::{DistanceTables, KnownMap};
use crate::playout::pick_uniform;
use crate::{greedy, sample};

/// A simple way to play.
///
/// ```
/// use pacman2_bots::style::Style;
/// use pacman2_bots::BotSpec;
///
/// let sniper = "sniper".parse().expect("there is one");
/// let bot: BotSpec = "style sniper".parse()?;
/// assert_eq!(bot.style, Some(sniper));
/// # Ok::<(), pacman2_bots::ParseBotError>(())
/// ```
#[derive(PartialEq, Debug)]
pub struct Style {
    /// The name, as in `"style NAME"`.
    pub name: &'static str,
    /// What it does, in a phrase.
    pub description: &'static str,
    pub(super) method: StyleMethod,
    /// The probability of a uniformly random action instead, in percent.
    pub(super) slip_percent: u32,
}

/// How a style decides.
#[derive(PartialEq, Debug)]
pub(super) enum StyleMethod {
    /// As `greedy`.
    Greedy,
    /// Rates each action by a weighted sum of what it leads to, one turn ahead.
    RuleFollower(RuleFollower),
    /// Tries its own actions several turns ahead, against others that follow the quick policy.
    Lookahead(Lookahead),
    /// Tries all joint actions of the next turn.
    Joint(Joint),
    /// Plays this many random games of this many turns after the first, and takes the action with the best mean share of strength.
    Playouts { games: u32, turns: u32 },
    /// Tries its actions of two turns against replies that are drawn.
    Expectimax(Expectimax),
    /// Plays games of the quick policy and takes the action with the best mean value.
    QuickGames(QuickGames),
    /// Evolves a plan.
    Evolution(Evolution),
    /// Searches a tree of joint actions.
    TreeSearch(TreeSearch),
}

/// The error for a name that no style has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no style of this name")]
pub struct UnknownStyleError;

impl FromStr for &'static Style {
    type Err = UnknownStyleError;

    fn from_str(name: &str) -> Result<&'static Style, UnknownStyleError> {
        STYLES.iter().find(|style| style.name == name).ok_or(UnknownStyleError)
    }
}

impl Style {
    /// Starts a match.
    #[must_use]
    pub fn start(&'static self) -> Agent {
        let mut known = KnownMap::default();
        Box::new(move |game, seat, seed| self.decide(known.learn(game.maze()).0, game, seat, seed))
    }

    /// Returns whether it looks more than one of its own actions ahead, or at what others may do.
    #[must_use]
    pub fn looks_ahead(&self) -> bool {
        !matches!(self.method, StyleMethod::Greedy | StyleMethod::RuleFollower(_))
    }

    /// Returns whether it tries replies of two turns, games of the quick policy, plans that evolve, or a tree. `pacman2 train` draws these
    /// styles apart from the others.
    #[must_use]
    pub fn searches(&self) -> bool {
        use StyleMethod::{Evolution, Expectimax, QuickGames, TreeSearch};
        matches!(self.method, Expectimax(_) | QuickGames(_) | Evolution(_) | TreeSearch(_))
    }

    fn decide(&self, tables: &DistanceTables, game: &Game, seat: Seat, seed: i32) -> Action {
        let (maze, state) = (game.maze(), game.state());
        // Other random numbers than those of the methods, which would otherwise depend on the slips.
        let mut rng = turn_rng(game, seat, !seed);
        if rng.next_u64() % 100 < u64::from(self.slip_percent) {
            return pick_uniform(state.legal_actions(maze, seat), &mut rng);
        }
        let turn = Turn { tables, maze, state, seat };
        match &self.method {
            StyleMethod::Greedy => greedy::decide(game, seat, seed),
            StyleMethod::RuleFollower(rules) => best(rules.valued(&turn), rules.noise, &mut rng),
            StyleMethod::Lookahead(lookahead) => best(lookahead.valued(&turn).into_iter(), lookahead.noise, &mut rng),
            StyleMethod::Joint(joint) => best(joint.valued(&turn).into_iter(), joint.noise, &mut rng),
            StyleMethod::Expectimax(expectimax) => best(expectimax.valued(&turn, &mut rng).into_iter(), 0.0, &mut rng),
            StyleMethod::QuickGames(games) => best(games.valued(&turn, &mut rng).into_iter(), 0.0, &mut rng),
            StyleMethod::Evolution(evolution) => evolution.decide(&turn, &mut rng),
            StyleMethod::TreeSearch(search) => search.decide(&turn, &mut rng),
            &StyleMethod::Playouts { games, turns } => sample::decide_by_short_games(game, seat, seed, games, turns),
        }
    }
}
