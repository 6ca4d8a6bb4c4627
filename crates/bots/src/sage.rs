//! `sage`: a search through the joint orders of all four, as deep as its time allows.
//!
//! Decoupled UCT: in each position every seat picks its own order by what came of its orders so far, none knowing what the
//! others pick. Where the tree ends, a small net says what all four may expect, in official points, and everybody on the way
//! learns from it.

mod opponent_model;
mod tree;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pacman2_rules::{Action, BySeat, Game, Maze, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use crate::distance_tables::DistanceTables;
use crate::evaluation::{evaluate, exact};
use crate::joint::{Choices, Table};
use crate::net::Net;
use crate::policy::quick_action;
use crate::{BuiltIn, Effort, chance};
use opponent_model::{OpponentModel, Simple, expected};
use tree::{Pick, Tree};

/// What one may think without being told otherwise: it leaves a fifth of Botzone's second for all else.
pub const DEFAULT_TIME: Duration = Duration::from_millis(800);

/// How much what was little tried is preferred, in points.
const EXPLORATION: f32 = 12.0;
/// How much of the promise goes to what the quick policy would do; the rest is for all alike.
const QUICK: f32 = 0.4;
/// How much the models of the others are believed.
const TRUST: f32 = 0.5;
/// The clock is asked after so many simulations.
const ASK_EVERY: u32 = 32;
/// Every so many simulations the first order is the one that was tried least: of who asks, or of each seat in turn. What a few
/// simulations made of an order can be far off, and the search alone would not come back to it.
const LOOK_EVERYWHERE: u32 = 16;
/// No way through the tree is longer.
const DEEPEST: usize = 60;

/// A part of the search that can be left out, to see what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Component {
    /// The learned net; the hand-made evaluation judges instead.
    Net,
    /// The models of the others; they are taken for searchers too.
    Others,
    /// The exact values of the last turn.
    LastTurn,
    /// That futile orders are not looked at.
    Pruning,
    /// That what the quick policy would do seems more promising.
    Promise,
}

impl Component {
    /// All parts.
    pub const ALL: [Component; 5] =
        [Component::Net, Component::Others, Component::LastTurn, Component::Pruning, Component::Promise];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Component::Net => "net",
            Component::Others => "others",
            Component::LastTurn => "last-turn",
            Component::Pruning => "pruning",
            Component::Promise => "promise",
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// Simulations that were played.
    pub simulations: u32,
    /// The official points that each seat may expect.
    pub points: BySeat<f32>,
    /// What each seat may do; nothing for the dead.
    pub options: BySeat<Vec<RootAction>>,
}

/// An order, and what came of it in a search.
#[derive(Clone, PartialEq, Debug)]
pub struct RootAction {
    /// The order.
    pub action: Action,
    /// In how many simulations it was given.
    pub visits: u32,
    /// The official points that its seat may expect after it, in the mean of these.
    pub points: f32,
    /// The standard error of that mean.
    pub error: f32,
    /// What is expected to be ordered, from this turn on.
    pub line: Vec<BySeat<Action>>,
}

/// A searcher at a table. It keeps what it learns of the map and of the others.
pub struct Sage {
    effort: Effort,
    without: Vec<Component>,
    net: Arc<Net>,
    /// The map that it knows.
    known: Option<(Arc<Maze>, DistanceTables)>,
    others: OpponentModel,
    tree: Tree,
}

impl Sage {
    /// A searcher that thinks so much in every turn.
    pub fn new(effort: Effort) -> Sage {
        Sage {
            effort,
            without: Vec::new(),
            net: Arc::new(Net::built_in()),
            known: None,
            others: OpponentModel::new(),
            tree: Tree::new(),
        }
    }

    /// The same without a part of it.
    pub fn without(mut self, part: Component) -> Sage {
        self.without.push(part);
        self
    }

    /// The same with another net.
    pub fn with_net(mut self, net: Arc<Net>) -> Sage {
        self.net = net;
        self
    }

    /// The order for a seat that is alive, in a game that is not over.
    pub fn decide(&mut self, game: &Game, seat: Seat, seed: i32) -> Action {
        let thought = self.think(game, Some(seat), seed, Instant::now(), || true);
        let best = thought.options[seat].iter().max_by_key(|option| option.visits);
        best.map_or(Action::Stay, |option| option.action)
    }

    /// Searches a game that is not over, for all seats at once, for as long as `goes_on` and the effort last. `own` is who
    /// asks: then the others are taken for what they showed themselves to be, and the search ends when nothing can change its
    /// mind. Without, everybody is taken for a searcher, and every legal order is looked at.
    pub fn think(
        &mut self,
        game: &Game,
        own: Option<Seat>,
        seed: i32,
        begin: Instant,
        mut goes_on: impl FnMut() -> bool,
    ) -> SearchResult {
        let (maze, state) = (game.maze(), game.state());
        if !self.known.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, maze) || **known == **maze) {
            self.known = Some((Arc::clone(maze), DistanceTables::new(maze)));
            self.others = OpponentModel::new();
        }
        let Some((_, knowledge)) = &self.known else { unreachable!("it was just learned") };
        self.tree.clear();
        let mut simple = [[0.0; 3]; 4];
        if let Some(own) = own.filter(|_| !self.without.contains(&Component::Others)) {
            self.others.watch(knowledge, game);
            for seat in state.alive.iter().filter(|&seat| seat != own) {
                simple[seat.index()] = self.others.simple(seat);
            }
        }
        let random = chance(game, own.unwrap_or(Seat::S0), seed);
        let mut search = Search {
            knowledge,
            maze,
            tree: &mut self.tree,
            without: &self.without,
            net: &self.net,
            own,
            random,
            simple,
            root: *state,
        };
        search.run(self.effort, begin, &mut goes_on)
    }
}

/// A search in progress.
struct Search<'a> {
    knowledge: &'a DistanceTables,
    maze: &'a Maze,
    tree: &'a mut Tree,
    without: &'a [Component],
    net: &'a Net,
    own: Option<Seat>,
    random: Xoshiro256PlusPlus,
    /// How likely the simple ways to play are, by seat.
    simple: [Simple; 4],
    root: State,
}

/// How many simulations there is still time for, at most.
fn still_to_come(simulations: u32, spent: Duration, time: Duration) -> u32 {
    let left = time.saturating_sub(spent);
    if left.is_zero() {
        return 0;
    }
    // What was slow so far may become faster.
    (2.0 * f64::from(simulations) * left.as_secs_f64() / spent.as_secs_f64().max(1e-6)).ceil() as u32
}

/// Sums over the simulations from the root.
#[derive(Default)]
struct Sums {
    points: [f64; 4],
    /// Squares by seat and trial.
    squares: [[f64; 9]; 4],
}

impl Search<'_> {
    fn run(&mut self, effort: Effort, begin: Instant, goes_on: &mut impl FnMut() -> bool) -> SearchResult {
        let root = self.add(&self.root.clone(), tree::hash(&self.root));
        let mut sums = Sums::default();
        let most = if let Effort::Simulations(most) = effort { most.max(1) } else { u32::MAX };
        let mut simulations = 0;
        while simulations < most {
            if simulations % ASK_EVERY == 0 {
                let left = match effort {
                    Effort::Simulations(_) => most - simulations,
                    Effort::Time(_) if simulations == 0 => u32::MAX,
                    Effort::Time(time) => still_to_come(simulations, begin.elapsed(), time),
                };
                if left == 0 || !goes_on() || simulations > 0 && self.is_decided(root, left) {
                    break;
                }
            }
            self.simulate(root, simulations, &mut sums);
            simulations += 1;
        }
        self.thought(root, &sums, simulations)
    }

    /// Whether who asks would order the same, whatever came of so many more simulations.
    fn is_decided(&self, root: u32, left: u32) -> bool {
        let Some(own) = self.own else { return false };
        if self.tree.tried(root, own).nth(1).is_none() {
            return true;
        }
        let (mut most, mut second) = (0, 0);
        for tried in self.tree.tried(root, own) {
            if tried.visits > most {
                (most, second) = (tried.visits, most);
            } else {
                second = second.max(tried.visits);
            }
        }
        most - second > left
    }

    fn simulate(&mut self, root: u32, number: u32, sums: &mut Sums) {
        let mut state = self.root;
        let mut way = [[0u32; 4]; DEEPEST];
        let mut depth = 0;
        let mut node = root;
        let points = loop {
            let mut picks = Seat::ALL.map(|seat| {
                let pick = self.manner(seat);
                self.tree.pick(node, seat, pick, EXPLORATION)
            });
            if depth == 0 && number.is_multiple_of(LOOK_EVERYWHERE) {
                let in_turn = Seat::ALL[(number / LOOK_EVERYWHERE) as usize % 4];
                let seat = self.own.unwrap_or(in_turn);
                picks[seat.index()] = self.tree.least_tried(root, seat);
            }
            way[depth] = picks;
            depth += 1;
            let actions = BySeat::from_fn(|seat| self.tree.action(picks[seat.index()]));
            if !state.play(self.maze, &actions, &mut ()) {
                break exact(&state);
            }
            if depth == DEEPEST {
                break self.judge(&state);
            }
            let hash = tree::hash(&state);
            match self.tree.find(hash) {
                Some(next) => node = next,
                None => {
                    if self.tree.has_room() {
                        self.add(&state, hash);
                    }
                    break self.judge(&state);
                }
            }
        };
        for picks in &way[..depth] {
            for (&trial, points) in picks.iter().zip(points) {
                self.tree.learn(trial, points);
            }
        }
        let mut first = 0;
        for seat in Seat::ALL {
            let points = points[seat.index()];
            sums.points[seat.index()] += f64::from(points);
            sums.squares[seat.index()][(way[0][seat.index()] - first) as usize] += f64::from(points * points);
            first += self.tree.tried(root, seat).count() as u32;
        }
    }

    /// How a seat picks this time: as a searcher, or in one of the simple ways that it may have.
    #[inline]
    fn manner(&mut self, seat: Seat) -> Pick {
        let simple: f32 = self.simple[seat.index()].iter().sum::<f32>() * TRUST;
        if simple < 0.02 {
            return Pick::Search;
        }
        let chance = (self.random.next_u64() >> 40) as f32 / (1 << 24) as f32;
        if chance < simple { Pick::Expected(chance / simple) } else { Pick::Search }
    }

    /// What all four may expect of a game that is not over.
    fn judge(&mut self, state: &State) -> [f32; 4] {
        if self.maze.ruleset().turn_limit - state.turn == 1 && !self.without.contains(&Component::LastTurn) {
            return self.last_turn(state);
        }
        match self.without.contains(&Component::Net) {
            false => self.net.evaluate(self.knowledge, self.maze, state),
            true => evaluate(self.knowledge, self.maze, state),
        }
    }

    /// The exact value of the last turn, if everybody answers what the others are likely to do.
    fn last_turn(&self, state: &State) -> [f32; 4] {
        let choices = Choices::sensible(self.knowledge, self.maze, state);
        let table = Table::new(self.maze, state, &choices, |after| exact(&after));
        table.expected(&table.likely_actions())
    }

    /// A new node for a position.
    fn add(&mut self, state: &State, hash: u64) -> u32 {
        let mut actions = [[(Action::Stay, 0.0); 9]; 4];
        let mut counts = [0; 4];
        let is_everything_asked = self.own.is_none() && *state == self.root;
        let choices = match self.without.contains(&Component::Pruning) || is_everything_asked {
            true => Choices::legal(self.maze, state),
            false => Choices::sensible(self.knowledge, self.maze, state),
        };
        for seat in Seat::ALL {
            let of_seat = choices.of(seat);
            counts[seat.index()] = of_seat.len();
            let quick = quick_action(self.knowledge, self.maze, state, seat);
            let extra = if self.without.contains(&Component::Promise) || !of_seat.contains(&quick) { 0.0 } else { QUICK };
            let ways = &self.simple[seat.index()];
            let searcher = 1.0 - ways.iter().sum::<f32>();
            let alike = (1.0 - extra) / of_seat.len() as f32;
            let likely = expected(ways, self.knowledge, self.maze, state, seat, of_seat);
            for ((place, &action), likely) in actions[seat.index()].iter_mut().zip(of_seat).zip(likely) {
                // A breath of chance, so that four of these do not move as in a mirror.
                let breath = (self.random.next_u64() >> 40) as f32 / (1 << 24) as f32 * 0.02;
                let promise = alike + if action == quick { extra } else { 0.0 };
                *place = (action, (likely + searcher * promise) * (0.98 + breath));
            }
        }
        let [first, second, third, fourth] = &actions;
        self.tree.add(hash, [&first[..counts[0]], &second[..counts[1]], &third[..counts[2]], &fourth[..counts[3]]])
    }

    fn thought(&self, root: u32, sums: &Sums, simulations: u32) -> SearchResult {
        let options = BySeat::from_fn(|seat| {
            if !self.root.alive.contains(seat) {
                return Vec::new();
            }
            let tried = self.tree.tried(root, seat).zip(sums.squares[seat.index()]);
            let weighed = tried.map(|(tried, squares)| {
                let visits = f64::from(tried.visits.max(1));
                let variance = (squares / visits - f64::from(tried.mean).powi(2)).max(0.0);
                RootAction {
                    action: tried.action,
                    visits: tried.visits,
                    points: tried.mean,
                    error: (variance / visits).sqrt() as f32,
                    line: self.line(root, seat, tried.action),
                }
            });
            weighed.collect()
        });
        let points = BySeat(sums.points.map(|points| (points / f64::from(simulations.max(1))) as f32));
        SearchResult { simulations, points, options }
    }

    /// What is tried most, from the root on, if a seat begins with this order.
    fn line(&self, root: u32, seat: Seat, action: Action) -> Vec<BySeat<Action>> {
        let mut line = Vec::new();
        let (mut state, mut node) = (self.root, Some(root));
        while let Some(here) = node {
            let most_tried = |seat| {
                let best = self.tree.tried(here, seat).max_by_key(|tried| tried.visits);
                best.filter(|best| best.visits > 0).map(|best| best.action)
            };
            let Some(mut actions) = Seat::ALL.into_iter().map(most_tried).collect::<Option<Vec<_>>>() else { break };
            if line.is_empty() {
                actions[seat.index()] = action;
            }
            let actions = BySeat::from_fn(|seat| actions[seat.index()]);
            line.push(actions);
            if !state.play(self.maze, &actions, &mut ()) || line.len() == DEEPEST {
                break;
            }
            node = self.tree.find(tree::hash(&state));
        }
        line
    }
}

pub(crate) const SAGE: BuiltIn = BuiltIn {
    name: "sage",
    description: "searches the joint orders of all four for 0.8 s, judges by a learned net, and learns how the others play",
    at_once: false,
    decide,
};

fn decide(game: &Game, seat: Seat, seed: i32) -> Action {
    Sage::new(Effort::Time(DEFAULT_TIME)).decide(game, seat, seed)
}
