//! Games from which the policy net learns: `sage` among the styles.

use std::sync::Arc;

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::policy_net::{ActionRows, PolicyNet, PolicyPosition};
use pacman2_bots::sage::{RootAction, Sage};
use pacman2_bots::style::{STYLES, Style};
use pacman2_bots::{BotConfig, BotSpec, BuiltIn, Effort};
use pacman2_maps::MapError;
use pacman2_rules::{Action, BySeat, Game, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::league::Entrant;
use crate::opponents::STRONG;
use crate::record::begin;
use crate::self_play::draw_by_visits;
use crate::{below, part_rng};

/// A player of one game, and all its decisions among several actions.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyPlayer {
    /// Its name.
    pub name: String,
    /// Whether it is `sage` itself, whose style is known.
    pub is_own: bool,
    /// Whether it follows a fixed rule and does not look ahead. `None` if this is not known.
    pub follows_rule: Option<bool>,
    /// The weight of its decisions in training.
    pub weight: f32,
    /// Its decisions in order.
    pub decisions: Vec<PolicyDecision>,
}

/// A decision.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyDecision {
    /// The legal actions.
    pub actions: Vec<ActionRows>,
    /// The index of the action taken.
    pub taken: usize,
    /// The probabilities to learn: of the action taken 1, or the shares of a search's visits.
    pub target: [f32; 9],
}

impl PolicyDecision {
    /// Creates the decision of a living seat for one of its actions. Returns `None` if there was no choice, or the action is not legal.
    ///
    /// ```
    /// use pacman2_bots::distance_tables::DistanceTables;
    /// use pacman2_maps::{Map, MapSize};
    /// use pacman2_rules::{Action, Game, Ruleset, Seat};
    /// use pacman2_training::PolicyDecision;
    ///
    /// let map = Map::generate(1, MapSize::default(), Ruleset::default())?;
    /// let tables = DistanceTables::new(&map.maze);
    /// let game = Game::new(map.maze, map.start);
    /// let decision = PolicyDecision::new(&tables, &game, Seat::S0, Action::Stay).expect("a choice");
    /// assert_eq!(decision.target[decision.taken], 1.0);
    /// # Ok::<(), pacman2_maps::MapError>(())
    /// ```
    #[must_use]
    pub fn new(tables: &DistanceTables, game: &Game, seat: Seat, action: Action) -> Option<PolicyDecision> {
        let legal = game.state().legal_actions(game.maze(), seat);
        let taken = legal.iter().position(|&other| other == action).filter(|_| legal.len() > 1)?;
        let actions = PolicyPosition::from_game(tables, game).rows(seat, legal)[..legal.len()].to_vec();
        let mut target = [0.0; 9];
        target[taken] = 1.0;
        Some(PolicyDecision { actions, taken, target })
    }

    /// Replaces the target by the shares of visits of a search, of each legal action.
    fn aim_at(&mut self, visits: &[u32]) {
        let total = visits.iter().sum::<u32>().max(1) as f32;
        for (target, &visits) in self.target.iter_mut().zip(visits) {
            *target = visits as f32 / total;
        }
    }
}

/// A game to learn from. The positions follow from the map and the actions.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyGame {
    /// The seed of Botzone's map.
    pub map: i32,
    /// The players' names by seat.
    pub names: [String; 4],
    /// All turns in order.
    pub turns: Vec<PolicyTurn>,
}

/// A turn of such a game.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyTurn {
    /// What the players did.
    pub actions: BySeat<Action>,
    /// How often the search of a seat's `sage` tried each legal action; empty for others.
    pub visits: BySeat<Vec<u32>>,
}

impl PolicyGame {
    /// Returns the players of the game. Those with visits are `sage` itself.
    ///
    /// # Errors
    ///
    /// If Botzone makes no map from the seed.
    pub fn players(&self) -> Result<[PolicyPlayer; 4], MapError> {
        let mut game = begin(self.map)?;
        let tables = DistanceTables::new(game.maze());
        let is_own = |seat: usize| self.turns.iter().any(|turn| !turn.visits.0[seat].is_empty());
        let mut players = std::array::from_fn(|seat| PolicyPlayer {
            name: self.names[seat].clone(),
            is_own: is_own(seat),
            follows_rule: follows_rule(&self.names[seat]),
            weight: 1.0,
            decisions: Vec::new(),
        });
        for PolicyTurn { actions, visits } in &self.turns {
            for seat in game.state().alive.iter() {
                let Some(mut decision) = PolicyDecision::new(&tables, &game, seat, actions[seat]) else {
                    continue;
                };
                if !visits[seat].is_empty() {
                    decision.aim_at(&visits[seat]);
                }
                players[seat.index()].decisions.push(decision);
            }
            game.play(actions);
        }
        Ok(players)
    }
}

/// Returns whether the bot of this name follows a fixed rule, or `None` if it is not built in.
fn follows_rule(name: &str) -> Option<bool> {
    match name.split_once(' ') {
        Some(("style", style)) => style.parse().ok().map(|style: &Style| !style.looks_ahead()),
        Some(("sage", _)) => Some(false),
        _ => name.parse().ok().map(|bot: BuiltIn| matches!(bot.name, "greedy" | "random")),
    }
}

/// In this many turns at the beginning, one of three actions of `sage` is drawn by its visits, so that games differ; later one of 25.
const OPENING: u32 = 5;

/// The settings of the games.
#[derive(Clone, Debug)]
pub struct PolicyGames {
    /// The policy net of `sage`.
    pub net: Arc<PolicyNet>,
    /// Simulations per search.
    pub simulations: u32,
    /// The seed of everything random except the maps.
    pub seed: u32,
}

impl PolicyGames {
    /// Plays the game on Botzone's map of this seed.
    ///
    /// # Errors
    ///
    /// If Botzone makes no map from this seed.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use pacman2_bots::policy_net::PolicyNet;
    /// use pacman2_training::PolicyGames;
    ///
    /// let games = PolicyGames { net: PolicyNet::built_in(), simulations: 2, seed: 1 };
    /// let players = games.play(7)?.players()?;
    /// assert!(players.iter().any(|player| player.is_own));
    /// # Ok::<(), pacman2_maps::MapError>(())
    /// ```
    pub fn play(&self, map: i32) -> Result<PolicyGame, MapError> {
        let mut game = begin(map)?;
        let mut rng = part_rng(self.seed, map as u32);
        let bots = seating(&mut rng);
        let mut entrants = bots.each_ref().map(|(_, bot)| match bot {
            Some(bot) => Entrant::Direct(bot.start()),
            None => {
                Entrant::Searching(Box::new(Sage::new(Effort::Simulations(self.simulations)).with_policy(Arc::clone(&self.net))))
            }
        });
        let mut turns = Vec::new();
        while !game.is_over() {
            let state = *game.state();
            let mut turn = PolicyTurn { actions: BySeat([Action::Stay; 4]), visits: BySeat::default() };
            for seat in state.alive.iter() {
                turn.actions[seat] = match &mut entrants[seat.index()] {
                    Entrant::Direct(agent) => agent(&game, seat, map),
                    Entrant::Searching(sage) => {
                        let options = sage.search(&game, Some(seat), map, || true).options[seat].clone();
                        let visits =
                            |action| options.iter().find(|option| option.action == action).map_or(0, |option| option.visits);
                        turn.visits[seat] = state.legal_actions(game.maze(), seat).iter().map(|&action| visits(action)).collect();
                        choose(&options, state.turn, &mut rng)
                    }
                };
            }
            game.play(&turn.actions);
            turns.push(turn);
        }
        Ok(PolicyGame { map, names: bots.map(|(name, _)| name), turns })
    }
}

/// Draws the players of a game: at least one `sage`, which is `None`.
fn seating(rng: &mut Xoshiro256PlusPlus) -> [(String, Option<BotConfig>); 4] {
    let own = below(rng, 4) as usize;
    std::array::from_fn(|seat| {
        let bot = |name: String| {
            let config = name.parse::<BotSpec>().ok().and_then(|spec| spec.config().ok());
            assert!(config.is_some(), "{name} is built in");
            (name, config)
        };
        let style = |name: &str| bot(format!("style {name}"));
        match below(rng, 100) {
            _ if seat == own => ("sage".to_owned(), None),
            0..16 => ("sage".to_owned(), None),
            16..26 => bot("hunter".to_owned()),
            26..28 => bot("greedy".to_owned()),
            28..44 => style(STRONG[below(rng, STRONG.len() as u32) as usize]),
            _ => {
                let others: Vec<_> = STYLES.iter().filter(|style| !style.searches()).collect();
                style(others[below(rng, others.len() as u32) as usize].name)
            }
        }
    })
}

fn choose(options: &[RootAction], turn: u32, rng: &mut Xoshiro256PlusPlus) -> Action {
    let is_sampled = below(rng, if turn < OPENING { 3 } else { 25 }) == 0;
    let sampled = draw_by_visits(options, rng);
    let most = options.iter().max_by_key(|option| option.visits);
    sampled.filter(|_| is_sampled).or(most).map_or(Action::Stay, |option| option.action)
}
