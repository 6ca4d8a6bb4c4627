//! Games in which opponents play the seats that are not the learner's.

use std::ffi::c_void;
use std::sync::Arc;

use numpy::prelude::*;
use numpy::{PyArray1, PyArray2, PyUntypedArray};
use pacman2_batch::{GameRng, SlotState, seed_of_game};
use pacman2_bots::Agent;
use pacman2_rules::{Action, BySeat, Game, Seat};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::buffers::shape_text;
use crate::bot_spec::LoadedBot;
use crate::convert::{self, shown, wrong_type, wrong_value};
use crate::known_mazes::KnownMaze;
use crate::options::{Named, impl_named, named};

/// A player that can be chosen for a seat.
pub(super) enum Opponent {
    /// The learner, which plays this seat, too.
    Learner,
    /// A built-in bot.
    BuiltIn(Box<LoadedBot>),
    /// A Python function of observations and action masks.
    Policy(Py<PyAny>),
}

impl Opponent {
    /// Returns whether this is the same bot with the same options, or the same Python object.
    pub(super) fn is_same(&self, other: &Opponent) -> bool {
        match (self, other) {
            (Opponent::Learner, Opponent::Learner) => true,
            (Opponent::BuiltIn(bot), Opponent::BuiltIn(other)) => bot.spec.to_string() == other.spec.to_string(),
            (Opponent::Policy(policy), Opponent::Policy(other)) => policy.is(other),
            _ => false,
        }
    }
}

/// The opponents from which those of a game are chosen.
pub(super) struct Lineup {
    pub(super) entries: Vec<Arc<Opponent>>,
    /// How likely each is to be drawn for a seat; `None` if the three entries are for the three seats after the learner's.
    pub(super) weights: Option<Vec<f64>>,
}

/// How the opponents of a game are chosen.
#[derive(Clone, Copy)]
pub(crate) enum OpponentsMode {
    /// One for each seat.
    Seats,
    /// Each seat draws one.
    Drawn,
}

impl OpponentsMode {
    pub(crate) const ALL: [OpponentsMode; 2] = [OpponentsMode::Seats, OpponentsMode::Drawn];

    /// Returns the name in Python.
    pub(crate) fn name(self) -> &'static str {
        match self {
            OpponentsMode::Seats => "seats",
            OpponentsMode::Drawn => "drawn",
        }
    }
}

/// What messages call the results of a policy.
const POLICY: &str = "the result of a policy";

/// How the learner's seat is chosen.
#[derive(Clone, Copy)]
pub(super) enum SeatChoice {
    Fixed(Seat),
    Random,
    /// The next seat with each game of a slot.
    Rotating,
}

/// An opponent in a game.
#[derive(Clone)]
pub(super) struct Chosen {
    /// Its index in the list from which it was chosen.
    pub(super) index: usize,
    pub(super) opponent: Arc<Opponent>,
}

/// The players of a game.
#[derive(Clone)]
pub(super) struct Players {
    /// The seed of the bots.
    pub(super) seed: i32,
    /// The learner's seat; with several learners, the first.
    pub(super) first: Seat,
    /// By seat; `None` for learners.
    pub(super) opponents: BySeat<Option<Chosen>>,
}

/// A game with its history and its players.
pub(super) struct LearnerGame {
    pub(super) game: Game,
    pub(super) players: Players,
    /// Whether the episode is over for the learners, and the game waits for a reset.
    pub(super) is_over: bool,
    /// The actions of the coming turn.
    pub(super) actions: BySeat<Action>,
    agents: BySeat<Option<Agent>>,
    pub(super) known: KnownMaze,
}

impl SeatChoice {
    /// Converts 0 to 3, `"random"` or `"rotate"`.
    pub(super) fn from_python(given: &Bound<'_, PyAny>) -> PyResult<SeatChoice> {
        let expected = "a whole number from 0 to 3, \"random\" or \"rotate\"";
        match given.extract::<String>().as_deref() {
            Ok("random") => Ok(SeatChoice::Random),
            Ok("rotate") => Ok(SeatChoice::Rotating),
            Ok(_) => Err(wrong_value("seat", expected, shown(given))),
            Err(_) => match given.extract::<i64>() {
                Ok(number @ 0..4) => Ok(SeatChoice::Fixed(Seat::ALL[number as usize])),
                Err(error) if !error.is_instance_of::<PyOverflowError>(given.py()) => Err(wrong_type("seat", expected, given)),
                _ => Err(wrong_value("seat", expected, shown(given))),
            },
        }
    }
}

impl Lineup {
    /// Converts a list of names of bots, functions and `None`, with weights if they are drawn.
    pub(super) fn from_python(given: &Bound<'_, PyAny>, mode: &str, weights: Option<&Bound<'_, PyAny>>) -> PyResult<Lineup> {
        let is_drawn = matches!(OpponentsMode::from_name(mode), OpponentsMode::Drawn);
        let Ok(given) = given.cast::<PyList>() else { return Err(wrong_type("opponents", "a bot, a policy or a list", given)) };
        let given: Vec<_> = given.iter().collect();
        let weights = weights.map(|weights| {
            let numbers = weights.extract::<Vec<f64>>().ok().filter(|_| !weights.is_instance_of::<PyBytes>());
            numbers.ok_or_else(|| wrong_type("opponent_weights", "a list of numbers or None", weights))
        });
        let weights = weights.transpose()?;
        let read = |(place, given): (usize, &Bound<'_, PyAny>)| opponent(place, given).map(Arc::new);
        let entries: Vec<Arc<Opponent>> = given.iter().enumerate().map(read).collect::<PyResult<_>>()?;
        let is_learner = |entry: &Arc<Opponent>| matches!(**entry, Opponent::Learner);
        if !is_drawn {
            if entries.len() != 3 {
                let found = entries.len();
                let hint = "or opponents_mode=\"drawn\" to draw from any number";
                let expected = format!("3, one for each seat after the learner's, {hint}");
                return Err(wrong_value("opponents", expected, found));
            }
            if weights.is_some() {
                return Err(wrong_value("opponent_weights", "None unless opponents_mode=\"drawn\"", "weights"));
            }
            return Ok(Lineup { entries, weights: None });
        }
        if entries.is_empty() {
            return Err(wrong_value("opponents", "at least one to draw from", "an empty list"));
        }
        if let Some(place) = entries.iter().position(is_learner) {
            let name = format!("opponents[{place}]");
            return Err(wrong_value(&name, "a bot or a policy", "None, the learner, which cannot be drawn"));
        }
        let weights = weights.unwrap_or_else(|| vec![1.0; entries.len()]);
        if weights.len() != entries.len() || !can_draw(&weights) {
            let expected = format!("{} numbers of at least 0, not all of them 0", entries.len());
            return Err(wrong_value("opponent_weights", expected, format!("{weights:?}")));
        }
        Ok(Lineup { entries, weights: Some(weights) })
    }

    /// Returns whether games can be played: three entries for the seats, or weights to draw by and no learner.
    pub(super) fn is_valid(&self) -> bool {
        let Some(weights) = &self.weights else { return self.entries.len() == 3 };
        let has_learner = self.entries.iter().any(|entry| matches!(**entry, Opponent::Learner));
        !has_learner && weights.len() == self.entries.len() && can_draw(weights)
    }

    /// Returns the number of seats that learners play.
    pub(super) fn learners(&self) -> usize {
        match self.weights {
            Some(_) => 1,
            None => 1 + self.entries.iter().filter(|entry| matches!(***entry, Opponent::Learner)).count(),
        }
    }

    /// Chooses the players of a slot's game. They follow from the slot's seed and the number of games begun there.
    pub(super) fn players(&self, slot: SlotState, place: usize, seat: SeatChoice) -> Players {
        let mut rng = GameRng::new(seed_of_game(!slot.seed, slot.games_begun));
        let seed = rng.word() as i32;
        let drawn_seat = Seat::ALL[rng.word() as usize >> 30];
        let first = match seat {
            SeatChoice::Fixed(seat) => seat,
            SeatChoice::Random => drawn_seat,
            SeatChoice::Rotating => Seat::ALL[(place as u64).wrapping_add(slot.games_begun).wrapping_sub(1) as usize % 4],
        };
        let mut opponents = BySeat::from_fn(|_| None);
        for after in 1..4 {
            let index = self.draw(after - 1, rng.word());
            let opponent = &self.entries[index];
            if !matches!(**opponent, Opponent::Learner) {
                opponents[seat_after(first, after)] = Some(Chosen { index, opponent: Arc::clone(opponent) });
            }
        }
        Players { seed, first, opponents }
    }

    fn draw(&self, after: usize, word: u32) -> usize {
        let Some(weights) = &self.weights else { return after };
        let mut rest = f64::from(word) / (f64::from(u32::MAX) + 1.0) * weights.iter().sum::<f64>();
        let drawn = weights.iter().position(|weight| {
            rest -= weight;
            rest < 0.0
        });
        drawn.unwrap_or_else(|| weights.iter().rposition(|weight| *weight > 0.0).unwrap_or_default())
    }
}

/// Returns whether an index can be drawn by these weights.
fn can_draw(weights: &[f64]) -> bool {
    weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0) && weights.iter().any(|weight| *weight > 0.0)
}

/// Returns the seat this many seats after another.
fn seat_after(seat: Seat, after: usize) -> Seat {
    Seat::ALL[(seat.index() + after) % 4]
}

fn opponent(place: usize, given: &Bound<'_, PyAny>) -> PyResult<Opponent> {
    if given.is_none() {
        return Ok(Opponent::Learner);
    }
    let name = format!("opponents[{place}]");
    if let Ok(typed) = given.extract::<String>() {
        let bot = LoadedBot::parse(&typed);
        return bot
            .map(|bot| Opponent::BuiltIn(Box::new(bot)))
            .map_err(|error| wrong_value(&name, "a built-in bot as on the command line", format!("\"{typed}\": {error}")));
    }
    if given.is_callable() {
        return Ok(Opponent::Policy(given.clone().unbind()));
    }
    let expected = "a built-in bot as on the command line, a function, or None for the learner";
    Err(wrong_type(&name, expected, given))
}

impl Players {
    /// Iterates over the learners' seats, in the order of their rows.
    pub(super) fn learners(&self) -> impl Iterator<Item = Seat> + '_ {
        (0..4).map(|after| seat_after(self.first, after)).filter(|&seat| self.opponents[seat].is_none())
    }

    /// Returns the index of the opponent on each of the three seats after another; -1 for a learner.
    pub(super) fn indices_after(&self, seat: Seat) -> [i32; 3] {
        [1, 2, 3].map(|after| self.opponents[seat_after(seat, after)].as_ref().map_or(-1, |chosen| chosen.index as i32))
    }
}

impl LearnerGame {
    /// Begins or continues a game. The bots learn from the turns that were played, as if they had played them.
    pub(super) fn new(game: Game, players: Players) -> LearnerGame {
        let agents = BySeat::from_fn(|seat| match players.opponents[seat].as_ref().map(|chosen| &*chosen.opponent) {
            Some(Opponent::BuiltIn(bot)) => Some(bot.config.start()),
            _ => None,
        });
        let mut new = LearnerGame {
            game,
            players,
            is_over: false,
            actions: BySeat([Action::Stay; 4]),
            agents,
            known: KnownMaze::default(),
        };
        new.is_over = new.is_over_for_learners();
        new
    }

    /// Returns whether the game is over or no learner is alive.
    pub(super) fn is_over_for_learners(&self) -> bool {
        let alive = self.game.state().alive;
        self.game.is_over() || !self.players.learners().any(|seat| alive.contains(seat))
    }

    /// Sets the actions of the built-in bots for the coming turn.
    pub(super) fn choose(&mut self) {
        let LearnerGame { game, players, agents, actions, .. } = self;
        for seat in game.state().alive.iter() {
            if let Some(agent) = &mut agents[seat] {
                actions[seat] = agent(game, seat, players.seed);
            }
        }
    }

    /// Plays the coming turn.
    pub(super) fn play(&mut self) {
        self.game.play_with(&self.actions, &mut ());
        self.actions = BySeat([Action::Stay; 4]);
    }

    /// Plays on until the game is over or a policy has to act.
    pub(super) fn play_without_policies(&mut self) {
        while !self.game.is_over() && self.policies().next().is_none() {
            self.choose();
            self.play();
        }
    }

    /// Iterates over the living seats that policies play.
    fn policies(&self) -> impl Iterator<Item = (Seat, &Py<PyAny>)> {
        self.game.state().alive.iter().filter_map(|seat| match &*self.players.opponents[seat].as_ref()?.opponent {
            Opponent::Policy(policy) => Some((seat, policy)),
            _ => None,
        })
    }
}

/// A policy and the seats that it plays, each with the index of its game.
type PolicyRows<'py> = (Bound<'py, PyAny>, Vec<(usize, Seat)>);

/// Asks each policy once for its actions in the selected games. `observe` returns the observations and action masks of seats.
///
/// # Errors
///
/// The exception of a policy, or `TypeError` or `ValueError` if it returns no actions. Only actions of the coming turn are then set.
pub(super) fn ask_policies<'py>(
    py: Python<'py>,
    games: &mut [LearnerGame],
    is_asked: impl Fn(usize, &LearnerGame) -> bool,
    observe: impl Fn(&[LearnerGame], &[(usize, Seat)]) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
) -> PyResult<()> {
    let mut all: Vec<PolicyRows<'py>> = Vec::new();
    let mut places: std::collections::HashMap<*mut c_void, usize> = Default::default();
    for (place, game) in games.iter().enumerate().filter(|(place, game)| is_asked(*place, game)) {
        for (seat, policy) in game.policies() {
            let rows = *places.entry(policy.as_ptr().cast()).or_insert_with(|| {
                all.push((policy.bind(py).clone(), Vec::new()));
                all.len() - 1
            });
            all[rows].1.push((place, seat));
        }
    }
    for (policy, rows) in all {
        let (observations, masks) = observe(games, &rows)?;
        let answer = policy.call1((observations, masks))?;
        for ((place, seat), choice) in rows.iter().zip(choices(&answer, rows.len())?) {
            let game = &mut games[*place];
            game.actions[*seat] = match choice {
                Choice::Action(action) => action,
                Choice::Logits(logits) => draw(game, *seat, &logits),
            };
        }
    }
    Ok(())
}

/// The answer of a policy for one row.
enum Choice {
    Action(Action),
    Logits([f32; 9]),
}

/// Converts the answer of a policy: an action for each row, or logits.
fn choices(answer: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Choice>> {
    let array = answer.py().import("numpy")?.call_method1("asarray", (answer,))?;
    let array = array.cast::<PyUntypedArray>()?;
    let (shape, kind) = (array.shape(), array.dtype().kind());
    if *shape == [count] && matches!(kind, b'i' | b'u') {
        let numbers = array.call_method1("astype", ("int64",))?;
        let numbers = numbers.cast::<PyArray1<i64>>()?.to_vec()?;
        let action = |(row, number): (usize, i64)| {
            let action = usize::try_from(number).ok().and_then(|number| Action::ALL.get(number).copied());
            let refused = || wrong_value(POLICY, "actions from 0 to 8", format!("{number} in row {row}"));
            action.map(Choice::Action).ok_or_else(refused)
        };
        return numbers.into_iter().enumerate().map(action).collect();
    }
    if *shape == [count, 9] && kind == b'f' {
        let logits = array.call_method1("astype", ("float32",))?;
        let logits = logits.cast::<PyArray2<f32>>()?.to_vec()?;
        return Ok(logits.as_chunks::<9>().0.iter().map(|logits| Choice::Logits(*logits)).collect());
    }
    let (shape, dtype) = (shape_text(shape), array.dtype());
    let expected = format!("actions, whole numbers of shape ({count},), or logits, floats of shape ({count}, 9)");
    let sentence = format!("{POLICY}: expected {expected}, got an array of shape {shape} and dtype {dtype}");
    Err(PyTypeError::new_err(sentence))
}

/// Draws an action from the softmax of its logits over the legal ones. NaN counts as -∞; without a finite logit, the draw is uniform.
fn draw(game: &LearnerGame, seat: Seat, logits: &[f32; 9]) -> Action {
    let state = game.game.state();
    let legal = state.legal_actions(game.game.maze(), seat);
    let logit = |action: &Action| {
        let logit = logits[usize::from(convert::action_index(*action))];
        if logit.is_nan() { f32::NEG_INFINITY } else { logit }
    };
    let most = legal.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
    let weight = |action: &Action| match most {
        f32::NEG_INFINITY => 1.0,
        f32::INFINITY => f64::from(u8::from(logit(action) == most)),
        _ => f64::from(logit(action) - most).exp(),
    };
    let turn = u64::from(state.turn) << 2 | seat.index() as u64;
    let mut rng = GameRng::new(seed_of_game(u64::from(game.players.seed as u32), turn));
    let mut rest = f64::from(rng.word()) / (f64::from(u32::MAX) + 1.0) * legal.iter().map(weight).sum::<f64>();
    let drawn = legal.iter().find(|action| {
        rest -= weight(action);
        rest < 0.0
    });
    drawn.or(legal.last()).copied().unwrap_or(Action::Stay)
}

impl_named!(OpponentsMode);

/// Converts the argument `opponents_mode`.
pub(crate) fn opponents_mode(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<OpponentsMode>("opponents_mode", given).map(OpponentsMode::name)
}
