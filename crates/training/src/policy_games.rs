//! Games from which the policy net learns: `sage` among the styles.

use std::sync::Arc;

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::policy_net::{ActionRows, PolicyNet, PolicyPosition};
use pacman2_bots::sage::{RootAction, Sage};
use pacman2_bots::style::STYLES;
use pacman2_bots::{Agent, BotConfig, BotSpec, Effort};
use pacman2_maps::{Map, MapError, MapSize};
use pacman2_rules::{Action, BySeat, Game, Maze, Ruleset, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::league::STRONG;
use crate::self_play::sample_by_visits;
use crate::{below, part_rng};

/// A player of one game, and all its decisions among several actions.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyPlayer {
    /// Its name.
    pub name: String,
    /// Whether it is `sage` itself, whose style is known.
    pub is_own: bool,
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
    /// use pacman2_rules::{Action, Ruleset, Seat};
    /// use pacman2_training::PolicyDecision;
    ///
    /// let map = Map::generate(1, MapSize::default(), Ruleset::default())?;
    /// let tables = DistanceTables::new(&map.maze);
    /// let decision = PolicyDecision::new(&tables, &map.maze, &map.start, Seat::S0, Action::Stay).expect("a choice");
    /// assert_eq!(decision.target[decision.taken], 1.0);
    /// # Ok::<(), pacman2_maps::MapError>(())
    /// ```
    #[must_use]
    pub fn new(tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat, action: Action) -> Option<PolicyDecision> {
        let legal = state.legal_actions(maze, seat);
        let taken = legal.iter().position(|&other| other == action).filter(|_| legal.len() > 1)?;
        let actions = PolicyPosition::new(tables, maze, state).rows(seat, legal)[..legal.len()].to_vec();
        let mut target = [0.0; 9];
        target[taken] = 1.0;
        Some(PolicyDecision { actions, taken, target })
    }

    /// Replaces the target by the shares of visits of a search.
    fn aim_at(&mut self, legal: &[Action], options: &[RootAction]) {
        let total: u32 = options.iter().map(|option| option.visits).sum();
        for (target, action) in self.target.iter_mut().zip(legal) {
            let option = options.iter().find(|option| option.action == *action);
            *target = option.map_or(0.0, |option| option.visits as f32 / total.max(1) as f32);
        }
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

/// A player at the table.
enum Entrant {
    Sage(Box<Sage>),
    Bot(Agent),
}

impl PolicyGames {
    /// Plays the game on Botzone's map of this seed and returns its players.
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
    /// let players = games.play(7)?;
    /// assert!(players.iter().any(|player| player.is_own));
    /// # Ok::<(), pacman2_maps::MapError>(())
    /// ```
    pub fn play(&self, map: i32) -> Result<Vec<PolicyPlayer>, MapError> {
        let Map { maze, start, .. } = Map::generate(map, MapSize::default(), Ruleset::default())?;
        let tables = DistanceTables::new(&maze);
        let mut game = Game::new(maze, start);
        let mut rng = part_rng(self.seed, map as u32);
        let bots = seating(&mut rng);
        let mut entrants = bots.each_ref().map(|(_, bot)| match bot {
            Some(bot) => Entrant::Bot(bot.start()),
            None => Entrant::Sage(Box::new(Sage::new(Effort::Simulations(self.simulations)).with_policy(Arc::clone(&self.net)))),
        });
        let mut players =
            bots.map(|(name, bot)| PolicyPlayer { name, is_own: bot.is_none(), weight: 1.0, decisions: Vec::new() });
        while !game.is_over() {
            let state = *game.state();
            let mut actions = BySeat([Action::Stay; 4]);
            for seat in state.alive.iter() {
                let index = seat.index();
                let legal = state.legal_actions(game.maze(), seat);
                let mut options = Vec::new();
                actions[seat] = match &mut entrants[index] {
                    Entrant::Bot(agent) => agent(&game, seat, map),
                    Entrant::Sage(sage) => {
                        options = sage.search(&game, Some(seat), map, || true).options[seat].clone();
                        choose(&options, state.turn, &mut rng)
                    }
                };
                if let Some(mut decision) = PolicyDecision::new(&tables, game.maze(), &state, seat, actions[seat]) {
                    if players[index].is_own {
                        decision.aim_at(legal, &options);
                    }
                    players[index].decisions.push(decision);
                }
            }
            game.play(&actions);
        }
        Ok(players.into())
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
            _ => style(STYLES[below(rng, STYLES.len() as u32) as usize].name),
        }
    })
}

fn choose(options: &[RootAction], turn: u32, rng: &mut Xoshiro256PlusPlus) -> Action {
    let is_sampled = below(rng, if turn < OPENING { 3 } else { 25 }) == 0;
    let sampled = sample_by_visits(options, rng);
    let most = options.iter().max_by_key(|option| option.visits);
    sampled.filter(|_| is_sampled).or(most).map_or(Action::Stay, |option| option.action)
}
