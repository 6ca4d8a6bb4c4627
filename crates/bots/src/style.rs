//! Styles: many simple ways to play, against which stronger bots are tested and from which they learn what opponents do.
//!
//! `"style NAME"` is a bot like any other. Each style is a row of [`STYLES`]: a method with parameters, and how often it slips.

mod planner;
mod pool;
mod walker;

use std::sync::Arc;

use pacman2_rules::{Action, Game, Maze, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use crate::built_in::{BuiltIn, Method, turn_rng};
use crate::config::Agent;
use crate::distance_tables::DistanceTables;
use crate::playout::pick_uniform;
use crate::{greedy, sample};
use planner::{Joint, Lookahead};
pub use pool::STYLES;
use walker::Walker;

/// A simple way to play.
///
/// ```
/// use pacman2_bots::style::Style;
/// use pacman2_bots::BotSpec;
///
/// let sniper = Style::named("sniper").expect("there is one");
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
    method: StyleMethod,
    /// The probability of a uniformly random action instead, in percent.
    slip_percent: u32,
}

/// How a style decides.
#[derive(PartialEq, Debug)]
enum StyleMethod {
    /// As `greedy`.
    Greedy,
    /// Rates each action by a weighted sum of what it leads to, one turn ahead.
    Walker(Walker),
    /// Tries its own actions several turns ahead, against others that follow the quick policy.
    Lookahead(Lookahead),
    /// Tries all joint actions of the next turn.
    Joint(Joint),
    /// Plays this many random games of this many turns after the first, and takes the action with the best mean share of strength.
    Playouts { games: u32, turns: u32 },
}

impl Style {
    /// Returns the style of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Style> {
        STYLES.iter().find(|style| style.name == name)
    }

    /// Starts a match.
    #[must_use]
    pub fn start(&'static self) -> Agent {
        let mut known: Option<(Arc<Maze>, DistanceTables)> = None;
        Box::new(move |game, seat, seed| {
            let maze = game.maze();
            if !known.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, maze) || **known == **maze) {
                known = Some((Arc::clone(maze), DistanceTables::new(maze)));
            }
            let Some((_, tables)) = &known else { unreachable!("the tables were just made") };
            self.decide(tables, game, seat, seed)
        })
    }

    fn decide(&self, tables: &DistanceTables, game: &Game, seat: Seat, seed: i32) -> Action {
        let (maze, state) = (game.maze(), game.state());
        // Other random numbers than those of the methods, which would otherwise depend on the slips.
        let mut rng = turn_rng(game, seat, !seed);
        if rng.next_u64() % 100 < u64::from(self.slip_percent) {
            return pick_uniform(state.legal_actions(maze, seat), &mut rng);
        }
        match &self.method {
            StyleMethod::Greedy => greedy::decide(game, seat, seed),
            StyleMethod::Walker(walker) => walker.decide(tables, maze, state, seat, &mut rng),
            StyleMethod::Lookahead(lookahead) => lookahead.decide(tables, maze, state, seat, &mut rng),
            StyleMethod::Joint(joint) => joint.decide(tables, maze, state, seat, &mut rng),
            &StyleMethod::Playouts { games, turns } => sample::decide_by_short_games(game, seat, seed, games, turns),
        }
    }
}

/// Returns a number from 0 to 1.
fn unit(rng: &mut Xoshiro256PlusPlus) -> f32 {
    (rng.next_u64() >> 40) as f32 / (1 << 24) as f32
}

/// Returns the action with the largest value, each plus up to `noise`.
fn best(valued: impl Iterator<Item = (Action, f32)>, noise: f32, rng: &mut Xoshiro256PlusPlus) -> Action {
    let noisy = valued.map(|(action, value)| (action, value + noise * unit(rng)));
    noisy.max_by(|one, other| one.1.total_cmp(&other.1)).map_or(Action::Stay, |(action, _)| action)
}

/// The bot that needs the name of a style.
pub(crate) const STYLE: BuiltIn = BuiltIn {
    name: "style",
    description: "one of many simple ways to play, by name: \"style sniper\"",
    method: Method::Style,
    at_once: true,
    decide: |game, seat, seed| STYLES[0].start()(game, seat, seed),
};
