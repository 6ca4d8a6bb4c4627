//! The core of `pacman2.Search`: searches of many games, whose leaves Python evaluates in batches.

use std::sync::{Mutex, PoisonError};

use numpy::ndarray::{Array3, ArrayD, IxDyn};
use numpy::prelude::*;
use numpy::{PyArray3, PyArrayDyn, PyReadonlyArrayDyn};
use pacman2_batch::observe;
use pacman2_bots::sage::{GuidedSearch, LeafEvaluation};
use pacman2_rules::{Action, Seat, State};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::bot;
use crate::convert::{self, refuse, shown, wrong_value};
use crate::game::Game;
use crate::known_mazes::KnownMaze;
use crate::numbers::Numbers;
use crate::observation::{self, Content, Dtype, ObservationFormat, Position};
use crate::options::Named;
use crate::search_result::SearchResult;
use crate::vec::reward::{GameEnd, Reward, shares};
use crate::vec::threads::Threads;

const SEATS: usize = 4;
const ACTIONS: usize = Action::ALL.len();

/// What the values of a search are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    /// The share of the total strength at the end of the game.
    Share,
    /// What the reward of this name is at the end.
    Reward(Reward),
}

impl ValueKind {
    fn from_reward(reward: Reward) -> ValueKind {
        if reward == Reward::Share { ValueKind::Share } else { ValueKind::Reward(reward) }
    }

    /// Returns the function of final positions.
    fn outcome(self) -> fn(&State) -> [f32; 4] {
        fn at_end<const REWARD: usize>(state: &State) -> [f32; 4] {
            Reward::ALL[REWARD].at_end(&GameEnd::from_strength(state.strength.0))
        }
        match self {
            ValueKind::Share => |state| shares(&state.strength.0),
            ValueKind::Reward(Reward::Score) => at_end::<1>,
            ValueKind::Reward(Reward::Rank) => at_end::<2>,
            ValueKind::Reward(_) => at_end::<3>,
        }
    }

    /// Returns the default exploration: that of `sage`, 7 points, in this unit.
    fn exploration(self) -> f32 {
        match self {
            ValueKind::Share => 0.07,
            ValueKind::Reward(Reward::Rank) => 0.21,
            ValueKind::Reward(_) => 7.0,
        }
    }
}

/// Searches many games at once and hands out the leaves of all of them for evaluation.
#[pyclass(module = "pacman2._engine")]
pub(crate) struct SearchCore {
    simulations: u32,
    format: ObservationFormat,
    per_seat: bool,
    value: ValueKind,
    exploration: f32,
    leaves: usize,
    threads: Threads,
    games: Mutex<Vec<GameSearch>>,
    /// The number of leaves that wait for their evaluation.
    waiting: usize,
}

/// The search of one game, and the leaves that wait for their evaluation.
struct GameSearch {
    search: GuidedSearch,
    root: State,
    /// The last actions before the root.
    past: Vec<[u8; 4]>,
    known: KnownMaze,
    leaves: Vec<State>,
    /// The observations of the leaves; those that are not of the dtype stay empty.
    bytes: Vec<u8>,
    floats: Vec<f32>,
    masks: Vec<bool>,
    evaluations: Vec<LeafEvaluation>,
}

#[pymethods]
impl SearchCore {
    #[new]
    #[pyo3(signature = (
        simulations, leaves, *, observation = "compact", dtype = None, history = None, window = None, per_seat = true,
        value = "zero_sum", exploration = None, threads = 1,
    ))]
    #[allow(clippy::too_many_arguments, reason = "these are Python's keywords")]
    fn new(
        simulations: &Bound<'_, PyAny>,
        leaves: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = observation::observation)] observation: &str,
        dtype: Option<&Bound<'_, PyAny>>,
        history: Option<&Bound<'_, PyAny>>,
        window: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = per_seat)] per_seat: bool,
        #[pyo3(from_py_with = crate::vec::reward::value)] value: &str,
        exploration: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = crate::vec::threads::threads)] threads: usize,
    ) -> PyResult<SearchCore> {
        let value = ValueKind::from_reward(Reward::from_name(value));
        let exploration = exploration.map(|given| {
            let expected = "a number of at least 0 or None";
            let number: f32 = given.extract().map_err(|_| convert::wrong_type("exploration", expected, given))?;
            let is_fine = number.is_finite() && number >= 0.0;
            if is_fine { Ok(number) } else { Err(wrong_value("exploration", expected, shown(given))) }
        });
        let exploration = exploration.transpose()?;
        Ok(SearchCore {
            simulations: convert::whole_number("simulations", simulations, 1..=u32::MAX.into())? as u32,
            format: ObservationFormat::from_python(Content::from_name(observation), dtype, history, window)?,
            per_seat,
            value,
            exploration: exploration.unwrap_or(value.exploration()),
            leaves: convert::whole_number("leaves", leaves, 1..=1 << 16)? as usize,
            threads: Threads::new(threads).map_err(|error| PyRuntimeError::new_err(error.to_string()))?,
            games: Mutex::new(Vec::new()),
            waiting: 0,
        })
    }

    /// The constant of PUCT, in the unit of the values.
    #[getter]
    fn exploration(&self) -> f32 {
        self.exploration
    }

    /// Begins to search these games. `noise`, float32 (games, 4, 9), is mixed into the priors of the roots with weight `part`.
    #[pyo3(signature = (games, part = 0.0, noise = None))]
    fn begin(&mut self, games: &Bound<'_, PyAny>, part: f32, noise: Option<&Bound<'_, PyArray3<f32>>>) -> PyResult<()> {
        let games = bot::games(games)?;
        let noise = noise.map(|noise| noise.try_readonly()).transpose()?;
        let search = |(place, game): (usize, &Bound<'_, Game>)| {
            let game = game.try_borrow()?;
            let (maze, state) = (game.rules().maze(), game.rules().state());
            if game.rules().is_over() {
                let got = format!("one that is over after turn {}", state.turn);
                return Err(wrong_value(&format!("games[{place}]"), "a game that is not over", got));
            }
            let outcome = self.value.outcome();
            let search = GuidedSearch::new(std::sync::Arc::clone(maze), *state, self.simulations, self.exploration, outcome);
            let search = match &noise {
                None => search,
                Some(noise) => {
                    let noise = noise.as_array();
                    search.with_noise(
                        part,
                        Seat::ALL.map(|seat| std::array::from_fn(|action| noise[(place, seat.index(), action)])),
                    )
                }
            };
            Ok(GameSearch {
                search,
                root: *state,
                past: observation::past_of(game.rules(), self.format.history),
                known: KnownMaze::default(),
                leaves: Vec::new(),
                bytes: Vec::new(),
                floats: Vec::new(),
                masks: Vec::new(),
                evaluations: Vec::new(),
            })
        };
        let games = games.iter().enumerate().map(search).collect::<PyResult<Vec<_>>>()?;
        (self.games, self.waiting) = (Mutex::new(games), 0);
        Ok(())
    }

    /// Returns the observations of leaves and their action masks, or None when all searches are over.
    fn select<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let (format, per_seat, most) = (self.format, self.per_seat, self.leaves);
        self.threads.follow_fork().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let SearchCore { games, threads, .. } = self;
        let games = games.get_mut().unwrap_or_else(PoisonError::into_inner);
        py.detach(|| threads.for_each(games, |game| game.select(most, &format, per_seat)));
        let count: usize = games.iter().map(|game| game.leaves.len()).sum();
        self.waiting = count;
        if count == 0 {
            return Ok(None);
        }
        let seats: &[usize] = if per_seat { &[SEATS] } else { &[] };
        let shape = [&[count], seats, &format.shape()].concat();
        let (mut bytes, mut floats, mut masks) = (Vec::new(), Vec::new(), Vec::with_capacity(count * SEATS * ACTIONS));
        for game in games {
            bytes.append(&mut game.bytes);
            floats.append(&mut game.floats);
            masks.append(&mut game.masks);
        }
        let shape = IxDyn(&shape);
        let complete = "every leaf has its observations";
        let seen = match format.dtype {
            Dtype::Uint8 => PyArrayDyn::from_owned_array(py, ArrayD::from_shape_vec(shape, bytes).expect(complete)).into_any(),
            Dtype::Float32 => PyArrayDyn::from_owned_array(py, ArrayD::from_shape_vec(shape, floats).expect(complete)).into_any(),
        };
        let masks = Array3::from_shape_vec((count, SEATS, ACTIONS), masks).expect("every leaf has its masks");
        (seen, PyArray3::from_owned_array(py, masks)).into_pyobject(py).map(Some)
    }

    /// Backs up the evaluations of the leaves: logits (leaves, 4, 9) and values (leaves, 4).
    fn evaluate(&mut self, py: Python<'_>, logits: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let count = self.waiting;
        let logits = floats("logits", logits, &[count, SEATS, ACTIONS])?;
        let values = floats("values", values, &[count, SEATS])?;
        let (logits, values) = (logits.as_slice()?, values.as_slice()?);
        if logits.iter().any(|logit| logit.is_nan() || *logit == f32::INFINITY) {
            return Err(refuse("policy_value: expected logits that are numbers or -inf, got NaN or infinity"));
        }
        if !values.iter().all(|value| value.is_finite()) {
            return Err(refuse("policy_value: expected finite values, got NaN or infinity"));
        }
        let SearchCore { games, threads, waiting, .. } = self;
        let games = games.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut rows = logits.as_chunks::<ACTIONS>().0.as_chunks::<SEATS>().0.iter().zip(values.as_chunks::<SEATS>().0);
        for game in &mut *games {
            let rows = rows.by_ref().take(game.leaves.len());
            game.evaluations.extend(rows.map(|(&logits, &values)| LeafEvaluation { logits, values }));
        }
        *waiting = 0;
        py.detach(|| threads.for_each(games, GameSearch::evaluate));
        Ok(())
    }

    /// Returns what was found: a `SearchResult` for each game.
    fn results(&mut self) -> Vec<SearchResult> {
        let games = self.games.get_mut().unwrap_or_else(PoisonError::into_inner);
        games.iter().map(|game| SearchResult::new(None, game.search.result())).collect()
    }
}

impl GameSearch {
    fn select(&mut self, most: usize, format: &ObservationFormat, per_seat: bool) {
        self.leaves.clear();
        self.leaves.extend(self.search.select(most).iter().map(|leaf| leaf.state));
        let maze = self.search.maze();
        let each = if per_seat { SEATS * format.len() } else { format.len() };
        let (bytes, floats) = match format.dtype {
            Dtype::Uint8 => (each * self.leaves.len(), 0),
            Dtype::Float32 => (0, each * self.leaves.len()),
        };
        self.bytes.resize(bytes, 0);
        self.floats.resize(floats, 0.0);
        for (index, state) in self.leaves.iter().enumerate() {
            let mut past = self.past.clone();
            if !past.is_empty() {
                let mut before = self.root;
                for actions in self.search.line(index) {
                    observation::record(&mut past, before.alive, &actions);
                    before.play(maze, &actions, &mut ());
                }
            }
            let mut into = match format.dtype {
                Dtype::Uint8 => Numbers::Bytes(&mut self.bytes),
                Dtype::Float32 => Numbers::Floats(&mut self.floats),
            };
            let into = into.part(index * each, each);
            let position = Position { maze, state, known: &self.known, past: &past };
            if per_seat {
                position.observe_all(format, into);
            } else {
                position.observe(format, Seat::S0, into);
            }
            for seat in Seat::ALL {
                self.masks.extend(observe::action_mask(maze, state, seat).map(|legal| legal != 0));
            }
        }
    }

    fn evaluate(&mut self) {
        if !self.leaves.is_empty() {
            self.search.evaluate(&self.evaluations);
            self.leaves.clear();
            self.evaluations.clear();
        }
    }
}

/// Converts an array of floats of this shape; the first two sides may be one.
fn floats<'py>(name: &str, given: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (given,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let found: Vec<usize> = array.getattr("shape")?.extract()?;
    if kind != "f" {
        let dtype = array.getattr("dtype")?;
        return Err(PyTypeError::new_err(format!("policy_value: expected floats as {name}, got dtype {dtype}")));
    }
    let flat = [&[shape[0] * shape[1]], &shape[2..]].concat();
    if found != shape && found != flat {
        let text = |shape: &[usize]| PyTuple::new(given.py(), shape).map(|shape| shown(&shape));
        let (found, shape, flat) = (text(&found)?, text(shape)?, text(&flat)?);
        return Err(refuse(format!("policy_value: expected {name} of shape {shape} or {flat}, got {found}")));
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "float32"))?;
    Ok(array.cast::<PyArrayDyn<f32>>()?.try_readonly()?)
}

/// Converts the argument `per_seat`.
fn per_seat(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    convert::flag("per_seat", given)
}
