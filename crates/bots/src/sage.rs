//! `sage`: a tree search over the joint actions of all four players.
//!
//! It is decoupled UCT: in each node every seat selects its own action from its own statistics, independently of the others. At a leaf
//! a small net estimates the official points of all four seats, and the estimate is backed up along the path. Another net says which
//! actions are likely: it is the prior of the search, and draws some of the opponents' actions.

mod guided;
mod opponent_model;
mod player_model;
mod result;
mod root;
mod tree;

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pacman2_rules::{Action, BySeat, Game, Maze, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::built_in::{BuiltIn, Effort, Method, turn_rng};
use crate::choice::unit;
use crate::distance_tables::{DistanceTables, KnownMap};
use crate::evaluation::{evaluate, exact};
use crate::joint::{Candidates, PayoffTable};
use crate::net::Net;
use crate::policy_net::{OWN_STYLE, PolicyNet, PolicyPosition, QuantisedNet, QuantisedPlayer, last_actions};
pub use guided::{GuidedSearch, Leaf, LeafEvaluation};
use opponent_model::OpponentModel;
pub use player_model::PlayerModel;
pub use result::{RootAction, SearchResult};
use root::{Root, RootSums};
use tree::{MAX_DEPTH, Node, PickModes, Tree};

/// The default time per turn. It leaves a fifth of Botzone's second for everything else.
pub const DEFAULT_TIME: Duration = Duration::from_millis(800);

/// A clock: returns the time since a moment of its own choice.
pub type MonotonicClock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Returns the clock of the operating system. Where there is none, as in WebAssembly, it panics.
#[must_use]
pub fn system_clock() -> MonotonicClock {
    let begin = Instant::now();
    Arc::new(move || begin.elapsed())
}

/// The exploration constant of PUCT, in points.
const EXPLORATION: f32 = 7.0;
/// The part of the prior that is uniform. The rest is the policy net's. For opponents it is fitted to what they do.
const PRIOR_FLOOR: f32 = 0.2;
/// How often an opponent's action is drawn from the policy net, instead of searched: that of a player that looks ahead, of one that follows
/// a fixed rule, and of one that searches as `sage` does. A rule follower does not answer threats as a search would expect; a searcher
/// finds what the search finds.
const TRUST: f32 = 0.5;
const TRUST_RULE_FOLLOWER: f32 = 0.95;
const TRUST_SEARCHER: f32 = 0.2;
/// Simulations between two looks at the clock.
const CLOCK_INTERVAL: u32 = 32;
/// In one of this many simulations, the first action is the least tried one: of the searching seat, or of each seat in turn. The
/// estimate from a few visits can be far off, and selection alone would not return to such an action.
const LEAST_TRIED_INTERVAL: u32 = 16;

/// A component of the search that can be turned off to measure what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Component {
    /// The learned net. Without it, the hand-made evaluation is used.
    Net,
    /// The models of the opponents. Without them, every opponent is assumed to search like `sage`.
    OpponentModel,
    /// The exact solution of the last turn.
    LastTurn,
    /// The pruning of futile actions.
    Pruning,
    /// The prior of those who search, by the policy net. Without it, all actions have the same.
    Prior,
}

impl Component {
    /// All components.
    pub const ALL: [Component; 5] =
        [Component::Net, Component::OpponentModel, Component::LastTurn, Component::Pruning, Component::Prior];

    /// Returns the component's name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Component::Net => "net",
            Component::OpponentModel => "others",
            Component::LastTurn => "last-turn",
            Component::Pruning => "pruning",
            Component::Prior => "promise",
        }
    }
}

/// The error for a name that no component has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no component of this name")]
pub struct UnknownComponentError;

impl FromStr for Component {
    type Err = UnknownComponentError;

    fn from_str(name: &str) -> Result<Component, UnknownComponentError> {
        Component::ALL.into_iter().find(|component| component.name() == name).ok_or(UnknownComponentError)
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The searching bot. It keeps what it learns about the map and the opponents during a match.
///
/// ```
/// use pacman2_bots::Effort;
/// use pacman2_bots::sage::Sage;
/// use pacman2_rules::{Game, Seat, picture};
///
/// let (maze, state) = picture::read(
///     "
///      +---+---+---+---+---+---+
///      | 0   .   .   .   .   1 |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      | 2                   3 |
///      +---+---+---+---+---+---+",
/// )?;
/// let game = Game::new(maze, state);
/// let mut sage = Sage::new(Effort::Simulations(200));
/// let action = sage.decide(&game, Seat::S0, 1);
/// assert!(game.state().is_legal(game.maze(), Seat::S0, action));
/// # Ok::<(), pacman2_rules::picture::PictureError>(())
/// ```
pub struct Sage {
    effort: Effort,
    clock: MonotonicClock,
    without: Vec<Component>,
    net: Arc<Net>,
    policy: Arc<PolicyNet>,
    /// The policy net as the search uses it.
    quantised_policy: QuantisedNet,
    known: KnownMap,
    others: OpponentModel,
    /// A tree for each thread.
    trees: Vec<Tree>,
}

impl Sage {
    /// Creates a bot that spends this effort on every turn.
    #[must_use]
    pub fn new(effort: Effort) -> Sage {
        Sage::with_clock(effort, system_clock())
    }

    /// Creates a bot that measures its time by this clock.
    #[must_use]
    pub fn with_clock(effort: Effort, clock: MonotonicClock) -> Sage {
        let policy = PolicyNet::built_in();
        Sage {
            effort,
            clock,
            without: Vec::new(),
            net: Arc::new(Net::built_in()),
            quantised_policy: QuantisedNet::new(&policy),
            policy,
            known: KnownMap::default(),
            others: OpponentModel::default(),
            trees: vec![Tree::one_of(1)],
        }
    }

    /// Turns a component off.
    #[must_use]
    pub fn without(mut self, component: Component) -> Sage {
        self.without.push(component);
        self
    }

    /// The possible numbers of threads.
    pub const THREADS: RangeInclusive<usize> = 1..=64;

    /// Searches with this number of threads, each in a tree of its own, and adds up what they found. Together, the trees take as much
    /// memory as one alone at most. Simulations are divided among the threads, so the result does not depend on how fast each of them runs.
    ///
    /// # Panics
    ///
    /// If the number is not in [`Sage::THREADS`].
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Sage {
        assert!(Sage::THREADS.contains(&threads), "{threads} threads");
        self.trees = (0..threads).map(|_| Tree::one_of(threads)).collect();
        self
    }

    /// Replaces the effort for the turns to come.
    pub fn set_effort(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// Replaces the net.
    #[must_use]
    pub fn with_net(mut self, net: Arc<Net>) -> Sage {
        self.net = net;
        self
    }

    /// Replaces the policy net.
    #[must_use]
    pub fn with_policy(mut self, policy: Arc<PolicyNet>) -> Sage {
        self.quantised_policy = QuantisedNet::new(&policy);
        self.policy = policy;
        self
    }

    /// Returns the action for a living seat in a game that is not over.
    pub fn decide(&mut self, game: &Game, seat: Seat, seed: i32) -> Action {
        let result = self.search(game, Some(seat), seed, || true);
        let best = result.options[seat].iter().max_by_key(|option| option.visits);
        best.map_or(Action::Stay, |option| option.action)
    }

    /// Returns the probability of each of a living seat's legal actions, by what it did in the game so far.
    ///
    /// ```
    /// use pacman2_bots::Effort;
    /// use pacman2_bots::sage::Sage;
    /// use pacman2_rules::{Game, Seat, picture};
    ///
    /// let (maze, state) = picture::read(
    ///     "
    ///      +---+---+---+---+---+---+
    ///      | 0   .               1 |
    ///      +   +   +   +   +   +   +
    ///      |                       |
    ///      +   +   +   +   +   +   +
    ///      |                       |
    ///      +   +   +   +   +   +   +
    ///      |                       |
    ///      +   +   +   +   +   +   +
    ///      |                       |
    ///      +   +   +   +   +   +   +
    ///      | 2                   3 |
    ///      +---+---+---+---+---+---+",
    /// )?;
    /// let expected = Sage::new(Effort::Simulations(1)).expected_actions(&Game::new(maze, state), Seat::S0);
    /// let most = expected.iter().max_by(|one, other| one.1.total_cmp(&other.1)).expect("there is a legal action");
    /// assert_eq!(most.0.to_string(), "right");
    /// # Ok::<(), pacman2_rules::picture::PictureError>(())
    /// ```
    pub fn expected_actions(&mut self, game: &Game, seat: Seat) -> Vec<(Action, f32)> {
        let (tables, is_new) = self.known.learn(game.maze());
        if is_new {
            self.others = OpponentModel::default();
        }
        self.others.observe(&self.policy, tables, game);
        let likely = self.others.probabilities(&self.policy, tables, game, seat);
        game.state().legal_actions(game.maze(), seat).iter().copied().zip(likely).collect()
    }

    /// Searches a game that is not over, for all seats at once, until the effort is spent or `goes_on` returns false.
    ///
    /// With `own`, the search decides for that seat: it models the opponents from their actions so far and ends early once no further
    /// simulation can change the choice. Without `own`, it assumes that every player searches and examines every legal action.
    pub fn search(&mut self, game: &Game, own: Option<Seat>, seed: i32, mut goes_on: impl FnMut() -> bool) -> SearchResult {
        let begin = (self.clock)();
        let (maze, state) = (game.maze(), game.state());
        let (tables, is_new) = self.known.learn(maze);
        if is_new {
            self.others = OpponentModel::default();
        }
        let mut players = std::array::from_fn(|_| self.policy.player(self.policy.style(OWN_STYLE)));
        let mut trust = [0.0; 4];
        let mut floors = [PRIOR_FLOOR; 4];
        if let Some(own) = own.filter(|_| !self.without.contains(&Component::OpponentModel)) {
            self.others.observe(&self.policy, tables, game);
            for seat in state.alive.iter().filter(|&seat| seat != own) {
                players[seat.index()] = self.others.player(&self.policy, seat);
                floors[seat.index()] = self.others.random_share(&self.policy, seat);
                let rule_follower = self.others.rule_follower_probability(&self.policy, seat);
                let searcher = self.others.searcher_probability(&self.policy, seat);
                trust[seat.index()] = TRUST + (TRUST_RULE_FOLLOWER - TRUST) * rule_follower + (TRUST_SEARCHER - TRUST) * searcher;
            }
        }
        let policy = &self.quantised_policy;
        let players = players.map(|player| policy.player(&player));
        let (clock, net, without) = (&self.clock, &*self.net, &*self.without);
        let threads = self.trees.len();
        let mut random = turn_rng(game, own.unwrap_or(Seat::S0), seed);
        let nodes = match self.effort {
            Effort::Simulations(most) => most as usize / threads + 1,
            Effort::Time(_) => usize::MAX,
        };
        let mut searches = self.trees.iter_mut().map(|tree| {
            tree.clear(nodes);
            let own_random = random.clone();
            random.jump();
            let players = players.clone();
            Search {
                tables,
                maze,
                tree,
                threads,
                without,
                net,
                own,
                random: own_random,
                policy,
                players,
                trust,
                floors,
                root: *state,
                last: last_actions(game),
            }
        });
        let first = searches.next().expect("there is at least one thread");
        let (effort, stop) = (self.effort, AtomicBool::new(false));
        let spent = || clock().saturating_sub(begin);
        thread::scope(|scope| {
            let others = (1..).zip(searches).filter_map(|(number, search)| {
                let (effort, spent, stop) = (effort.of_thread(number, threads), &spent, &stop);
                let run = move || search.run(effort, spent, &mut || !stop.load(Ordering::Relaxed));
                // Where the system allows no more threads, fewer have to do.
                thread::Builder::new().spawn_scoped(scope, run).ok()
            });
            let others: Vec<_> = others.collect();
            let mut check = || {
                let goes_on = goes_on();
                stop.store(!goes_on, Ordering::Relaxed);
                goes_on
            };
            let found = first.run(effort.of_thread(0, threads), &spent, &mut check);
            let others = others.into_iter().map(|thread| thread.join().expect("a search does not panic"));
            others.fold(found, SearchResult::and)
        })
    }
}

/// A search in progress.
struct Search<'a> {
    tables: &'a DistanceTables,
    maze: &'a Maze,
    tree: &'a mut Tree,
    /// The number of threads that search at the same time.
    threads: usize,
    without: &'a [Component],
    net: &'a Net,
    own: Option<Seat>,
    random: Xoshiro256PlusPlus,
    policy: &'a QuantisedNet,
    /// How each seat is expected to play.
    players: [QuantisedPlayer; 4],
    /// How often each seat's action is drawn from the policy.
    trust: [f32; 4],
    /// The part of each seat's prior that is uniform.
    floors: [f32; 4],
    root: State,
    /// What the players did in the turn before the root.
    last: BySeat<Action>,
}

/// Returns an upper bound for the simulations that still fit into the time.
fn max_remaining(simulations: u32, spent: Duration, time: Duration) -> u32 {
    let left = time.saturating_sub(spent);
    if left.is_zero() {
        return 0;
    }
    // The search may become faster than it was so far.
    (2.0 * f64::from(simulations) * left.as_secs_f64() / spent.as_secs_f64().max(1e-6)).ceil() as u32
}

impl Search<'_> {
    fn run(mut self, effort: Effort, spent: &impl Fn() -> Duration, goes_on: &mut impl FnMut() -> bool) -> SearchResult {
        let hash = tree::hash(&self.root);
        self.tree.add(hash);
        let root = self.expand(hash, &self.root.clone(), self.last);
        let mut sums = RootSums::default();
        let most = if let Effort::Simulations(most) = effort { most.max(1) } else { u32::MAX };
        let mut simulations = 0;
        while simulations < most {
            if simulations % CLOCK_INTERVAL == 0 {
                let left = match effort {
                    Effort::Simulations(_) => most - simulations,
                    Effort::Time(_) if simulations == 0 => u32::MAX,
                    Effort::Time(time) => max_remaining(simulations, spent(), time),
                };
                if left == 0 || !goes_on() || simulations > 0 && self.is_settled(root, left) {
                    break;
                }
            }
            self.simulate(root, simulations, &mut sums);
            simulations += 1;
        }
        let root = Root { tree: self.tree, maze: self.maze, state: &self.root, node: root };
        root.result(&sums, simulations)
    }

    /// Returns whether `left` more simulations cannot change the choice of the searching seat.
    fn is_settled(&self, root: Node, left: u32) -> bool {
        let Some(own) = self.own else { return false };
        if self.tree.trials(root, own).nth(1).is_none() {
            return true;
        }
        if self.threads > 1 {
            // The others may find something else.
            return false;
        }
        let (mut most, mut second) = (0, 0);
        for tried in self.tree.trials(root, own) {
            if tried.visits > most {
                (most, second) = (tried.visits, most);
            } else {
                second = second.max(tried.visits);
            }
        }
        most - second > left
    }

    fn simulate(&mut self, root: Node, number: u32, sums: &mut RootSums) {
        let mut state = self.root;
        let mut way = [[0u32; 4]; MAX_DEPTH];
        let mut depth = 0;
        let mut node = root;
        let points = loop {
            let modes = self.pick_modes();
            let mut picks = self.tree.pick(node, &modes, EXPLORATION);
            if depth == 0 && number.is_multiple_of(LEAST_TRIED_INTERVAL) {
                let in_turn = Seat::ALL[(number / LEAST_TRIED_INTERVAL) as usize % 4];
                let seat = self.own.unwrap_or(in_turn);
                picks[seat.index()] = self.tree.least_tried(root, seat);
            }
            way[depth] = picks;
            depth += 1;
            let actions = BySeat::from_fn(|seat| self.tree.action(seat, picks[seat.index()]));
            if !state.play(self.maze, &actions, &mut ()) {
                break exact(&state);
            }
            if depth == MAX_DEPTH {
                break self.evaluate_leaf(&state);
            }
            let hash = tree::hash(&state);
            match self.tree.find(hash) {
                Some(next) if next.is_expanded() => node = next,
                // Most positions are visited once, so a position gets its actions with the second visit.
                Some(_) if self.tree.can_expand() => node = self.expand(hash, &state, actions),
                found => {
                    if found.is_none() && self.tree.has_room() {
                        self.tree.add(hash);
                    }
                    break self.evaluate_leaf(&state);
                }
            }
        };
        for picks in &way[..depth] {
            for seat in Seat::ALL {
                self.tree.update(seat, picks[seat.index()], points[seat.index()]);
            }
        }
        sums.add(root, &way[0], points);
    }

    /// Draws how each seat selects in this turn: by search, or from the policy.
    #[inline]
    fn pick_modes(&mut self) -> PickModes {
        let mut modes = PickModes::SEARCH;
        for seat in Seat::ALL {
            let trust = self.trust[seat.index()];
            if trust != 0.0 {
                modes.set_sampled_with(seat, trust, unit(&mut self.random));
            }
        }
        modes
    }

    /// Estimates the points of all four seats in a game that is not over.
    fn evaluate_leaf(&mut self, state: &State) -> [f32; 4] {
        if self.maze.ruleset().turn_limit - state.turn == 1 && !self.without.contains(&Component::LastTurn) {
            return self.last_turn(state);
        }
        match self.without.contains(&Component::Net) {
            false => self.net.evaluate(self.tables, self.maze, state),
            true => evaluate(self.tables, self.maze, state),
        }
    }

    /// Returns the value of the last turn in the quantal response equilibrium of its payoff table.
    fn last_turn(&self, state: &State) -> [f32; 4] {
        let choices = Candidates::sensible(self.tables, self.maze, state);
        let table = PayoffTable::new(self.maze, state, &choices, |after| exact(&after));
        table.expected(&table.quantal_response())
    }

    /// Gives the node of a position with this hash its actions. Their priors depend on what the players did in the turn before; where
    /// several ways lead to a position, the first one counts.
    fn expand(&mut self, hash: u64, state: &State, last: BySeat<Action>) -> Node {
        let mut actions = [[(Action::Stay, 0.0); 9]; 4];
        let examines_all = self.own.is_none() && *state == self.root;
        let choices = match self.without.contains(&Component::Pruning) || examines_all {
            true => Candidates::legal(self.maze, state),
            false => Candidates::sensible(self.tables, self.maze, state),
        };
        let has_prior = |seat: Seat| {
            choices.of(seat).len() > 1 && (self.trust[seat.index()] > 0.0 || !self.without.contains(&Component::Prior))
        };
        let position = PolicyPosition::new(self.tables, self.maze, state).after(last);
        for seat in Seat::ALL {
            let of_seat = choices.of(seat);
            let count = of_seat.len() as f32;
            let likely = if has_prior(seat) {
                let rows = &position.rows(seat, of_seat)[..of_seat.len()];
                let likely = self.policy.probabilities(rows, &self.players[seat.index()]);
                let floor = self.floors[seat.index()];
                likely.map(|likely| floor / count + (1.0 - floor) * likely)
            } else {
                [1.0 / count; 9]
            };
            for ((place, &action), likely) in actions[seat.index()].iter_mut().zip(of_seat).zip(likely) {
                // A little noise, so that four copies do not move symmetrically.
                let noise = unit(&mut self.random) * 0.02;
                *place = (action, likely * (0.98 + noise));
            }
        }
        self.tree.expand(hash, &actions, Seat::ALL.map(|seat| choices.of(seat).len() as u8))
    }
}

pub(crate) const SAGE: BuiltIn = BuiltIn {
    name: "sage",
    description: "searches joint actions for 0.8 s, evaluates with a learned net, and models its opponents",
    method: Method::Search,
    at_once: false,
    decide,
};

fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    Sage::new(Effort::Time(DEFAULT_TIME)).decide(game, seat, seed)
}
