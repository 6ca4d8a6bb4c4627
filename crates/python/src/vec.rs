//! `pacman2.VecEngine`: many games for learning, written into NumPy arrays.

mod actions;
mod arguments;
mod buffers;
mod learners;
mod maps;
pub(crate) mod opponents;
pub(crate) mod reward;
mod rows;
mod saved_learners;
mod saved_state;
pub(crate) mod state;
pub(crate) mod threads;

use std::sync::Arc;

use numpy::{PyArray1, PyUntypedArray};
use pyo3::PyClass;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::False;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use self::buffers::Buffers;
pub(crate) use self::learners::LearnerEngine;
use self::reward::Reward;
use self::rows::Rows;
use self::state::{Autoreset, VecConfig, VecState};
use self::threads::Threads;
use crate::convert::{self, refuse};
use crate::game::Game;
use crate::observation::{self, Content, ObservationFormat};
use crate::options::Named;
use crate::rules::RuleKeywords;

/// A batch of games that writes its results into NumPy arrays: the engine of :class:`pacman2.VecEnv`, without Gymnasium.
///
/// Each row is one seat of one game: row ``4 * game + seat``. Every method that plays or resets writes into the same arrays and
/// returns the same tuple of them; copy what you want to keep or change. Other Python threads can run during a method. They may read the
/// arrays, where old and new numbers are then mixed, but must not write to them or resize them with ``refcheck=False``. A call
/// from a second thread while a method runs raises ``RuntimeError``.
///
/// Args:
///     num_games: the number of games, 1 to 4194304.
///     seed: -2147483648 to 4294967295; determines all maps and random numbers, game by game.
///     observation: "compact", "planes", "planes_centred", "features" or "action_features".
///     dtype: "uint8", or "float32" for scaled numbers; None means "uint8", and "float32" for "features".
///     history: how many of the last turns' actions follow in the observation, 0 to 64; None means 0.
///     window: the side of "planes_centred", an odd number from 11 to 63; None means 11.
///     reward: "share", "score", "rank" or "zero_sum".
///     autoreset_mode: "NextStep", "SameStep" or "Disabled": when the next game of a slot starts.
///     threads: the number of threads that play a step, 1 to 1024.
///     maps: how many maps are generated (1024 if None), "fresh" for a new one each game, or a list of seeds and init data.
///     size: a side of generated maps, 6 to 11, or (width, height). None: chosen by the seed.
///     buffers: arrays to write into, by the names of ``arrays``. The others are allocated.
///     instruction_set: the instructions to use, such as "avx2", for comparisons; None: the fastest that this CPU has.
///     turns, generator_interval, large_fruit_duration, large_fruit_enhancement, skill_cost, ruling: as for ``Game``.
///
/// Raises:
///     TypeError: an argument has a wrong type.
///     ValueError: a value is out of range, a name is unknown, a map cannot be played, or a buffer does not fit.
///
/// Examples:
///     >>> engine = pacman2.VecEngine(2, seed=1)
///     >>> observations, rewards, terminations, truncations, infos = engine.step(engine.random_actions())
///     >>> observations.shape, rewards.shape, infos["action_mask"].shape
///     ((8, 150), (8,), (8, 9))
#[pyclass(module = "pacman2._engine")]
pub(crate) struct VecEngine {
    world: VecState,
    buffers: Buffers,
    threads: Threads,
    actions: Vec<[u8; 4]>,
    step_output: Py<PyTuple>,
    reset_output: Py<PyTuple>,
}

#[pymethods]
impl VecEngine {
    #[new]
    #[pyo3(signature = (
        num_games, seed, *, observation = "compact", dtype = None, history = None, window = None, reward = "share",
        autoreset_mode = "NextStep", threads = 1, maps = None, size = None, buffers = None,
        instruction_set = None, **rules,
    ))]
    #[allow(clippy::too_many_arguments, reason = "these are Python's keywords")]
    fn new(
        py: Python<'_>,
        num_games: &Bound<'_, PyAny>,
        seed: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = observation::observation)] observation: &str,
        dtype: Option<&Bound<'_, PyAny>>,
        history: Option<&Bound<'_, PyAny>>,
        window: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = reward::reward)] reward: &str,
        #[pyo3(from_py_with = state::autoreset_mode)] autoreset_mode: &str,
        #[pyo3(from_py_with = threads::threads)] threads: usize,
        maps: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
        buffers: Option<&Bound<'_, PyAny>>,
        instruction_set: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<VecEngine> {
        let num_games = convert::whole_number("num_games", num_games, 1..=MOST_GAMES)? as usize;
        let seed = convert::seed("seed", seed)?.into();
        let config = VecConfig {
            format: ObservationFormat::from_python(Content::from_name(observation), dtype, history, window)?,
            reward: Reward::from_name(reward),
            autoreset: Autoreset::from_name(autoreset_mode),
            instruction_set: arguments::instruction_set(instruction_set)?,
        };
        let maps = arguments::maps(py, maps, size, &RuleKeywords::read("VecEngine", &OPTIONS, rules)?, seed)?;
        let threads = Threads::new(threads).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let buffers = Buffers::new(py, 4 * num_games, &config.format, config.autoreset, buffers)?;
        let (step_output, reset_output) = tuples(py, &buffers, buffers.ended.array(py))?;
        let world = py.detach(|| VecState::new(config, num_games, seed, maps));
        let mut engine = VecEngine { world, buffers, threads, actions: vec![[0; 4]; num_games], step_output, reset_output };
        engine.write_outputs(py)?;
        Ok(engine)
    }

    /// The number of games.
    #[getter]
    fn num_games(&self) -> usize {
        self.world.games.count()
    }

    /// The name of the observation.
    #[getter]
    fn observation(&self) -> &'static str {
        self.world.config.format.content.name()
    }

    /// The shape of the observation of one row.
    #[getter]
    fn observation_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.world.config.format.shape())
    }

    /// The type of the numbers of observations.
    #[getter]
    fn observation_dtype(&self) -> &'static str {
        self.world.config.format.dtype.name()
    }

    /// The least and the greatest numbers of the observation of one row: two arrays of its shape.
    #[getter]
    fn observation_bounds<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, Bound<'py, PyAny>) {
        observation::bounds(py, &self.world.config.format)
    }

    /// The number of turns whose actions are part of an observation.
    #[getter]
    fn history(&self) -> usize {
        self.world.config.format.history
    }

    /// The rows and columns of cells of an observation.
    #[getter]
    fn window(&self) -> usize {
        self.world.config.format.window
    }

    /// The name of the reward.
    #[getter]
    fn reward(&self) -> &'static str {
        self.world.config.reward.name()
    }

    /// The autoreset mode: the value of Gymnasium's ``AutoresetMode``.
    #[getter]
    fn autoreset_mode(&self) -> &'static str {
        self.world.config.autoreset.name()
    }

    /// The number of threads that play the steps.
    #[getter]
    fn threads(&self) -> usize {
        self.threads.count()
    }

    /// The name of the instruction set.
    #[getter]
    fn instruction_set(&self) -> &'static str {
        self.world.config.instruction_set.name()
    }

    /// The arrays by name: a new dict of the same arrays each time.
    #[getter]
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.buffers.dict(py)
    }

    /// The number of games that are over and wait for their reset, with ``"NextStep"`` and ``"Disabled"``; 0 with
    /// ``"SameStep"``.
    #[getter]
    fn num_over(&self) -> usize {
        self.world.over.len()
    }

    /// The number of games that ended in the last step.
    #[getter]
    fn num_ended(&self) -> usize {
        self.world.num_ended
    }

    /// The infos of steps and resets: the same dict of the same arrays each time.
    #[getter]
    fn infos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.reset_output.bind(py).get_item(1)
    }

    /// Plays one turn of all games and returns ``(observations, rewards, terminations, truncations, infos)``: the same tuple
    /// of the same arrays each time.
    ///
    /// Args:
    ///     actions: an array of whole numbers 0 to 8, ``(4 * num_games,)`` or ``(num_games, 4)``, of any integer dtype.
    ///
    /// Raises:
    ///     TypeError: it is not an array of integers.
    ///     ValueError: it has a wrong shape or contains another number. Nothing is played.
    fn step(slf: &Bound<'_, Self>, actions: &Bound<'_, PyAny>) -> PyResult<Py<PyTuple>> {
        let mut engine = borrow_engine(slf)?;
        let rows = engine.rows();
        actions::read(actions, rows, engine.actions.as_flattened_mut())?;
        engine.play(slf.py())
    }

    /// Resets games and returns ``(observations, infos)``.
    ///
    /// ``seed`` is one number for all games, a list with a number or ``None`` for each game, or ``None``. A game without a seed is
    /// followed by the next game of its slot. ``mask`` selects the games to reset, with ``num_games`` or ``4 * num_games`` bools.
    #[pyo3(signature = (seed = None, mask = None))]
    fn reset(slf: &Bound<'_, Self>, seed: Option<&Bound<'_, PyAny>>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyTuple>> {
        let py = slf.py();
        let mut engine = borrow_engine(slf)?;
        let count = engine.world.games.count();
        let seeds = arguments::seeds(seed, count)?;
        let mask = mask.map(|mask| arguments::mask(mask, engine.rows())).transpose()?;
        let world = &mut engine.world;
        py.detach(|| world.reset(&seeds, mask.as_deref()));
        engine.write_outputs(py)?;
        Ok(engine.reset_output.clone_ref(py))
    }

    /// Draws a uniformly random legal action for each row, and stay for dead players, from the random state of each game. Writes
    /// the actions into ``out`` if given, otherwise into a new array of ``uint8``.
    #[pyo3(signature = (out = None))]
    fn random_actions<'py>(slf: &Bound<'py, Self>, out: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let mut engine = borrow_engine(slf)?;
        let rows = engine.rows();
        let VecEngine { world, actions, .. } = &mut *engine;
        out.as_ref().map(|out| actions::out(out, rows)).transpose()?;
        py.detach(|| world.random_actions(actions));
        to_array(py, rows, actions.as_flattened(), out)
    }

    /// Samples an action for each row from the masked softmax of its logits, with the random state of each game, and returns
    /// the actions and their log-probabilities.
    ///
    /// ``logits`` is ``float32`` of shape ``(4 * num_games, 9)`` or ``(num_games, 4, 9)``. An action whose logit is NaN or -∞ is
    /// not drawn while another action is legal. ``out`` and ``log_prob`` are arrays to write into; ``log_prob`` is ``float32``.
    #[pyo3(signature = (logits, out = None, log_prob = None))]
    fn sample<'py>(
        slf: &Bound<'py, Self>,
        logits: &Bound<'py, PyAny>,
        out: Option<Bound<'py, PyAny>>,
        log_prob: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let mut engine = borrow_engine(slf)?;
        let rows = engine.rows();
        let VecEngine { world, actions, .. } = &mut *engine;
        let logits = arguments::logits(logits, rows)?;
        let (log_prob, mut log_prob_view) = arguments::log_prob(py, log_prob, rows)?;
        out.as_ref().map(|out| actions::out(out, rows)).transpose()?;
        let (logits, log_probs) = (logits.as_slice()?, log_prob_view.as_slice_mut()?);
        py.detach(|| world.games.sample(logits, actions, Some(log_probs)));
        drop(log_prob_view);
        Ok((to_array(py, rows, actions.as_flattened(), out)?, log_prob))
    }

    /// Returns the position of the game ``index`` as a ``Game`` that is independent of this engine. A negative index counts from
    /// the end; raises ``IndexError`` if there is no such game.
    fn game(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<Game> {
        let engine = borrow_engine(slf)?;
        let game = arguments::game(index, engine.world.games.count())?;
        let (maze, state) = engine.world.position(game);
        Ok(Game::from_position(Arc::clone(maze), state))
    }

    /// Replaces the game ``index`` by the position of ``game``. The random state of the slot and the games that follow do not
    /// change.
    fn put(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>, game: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(game) = game.cast::<Game>() else { return Err(convert::wrong_type("game", "a pacman2.Game", game)) };
        let game = game.try_borrow()?;
        let mut engine = borrow_engine(slf)?;
        let place = arguments::game(index, engine.world.games.count())?;
        let game = game.rules();
        engine.world.put(place, game);
        engine.write_outputs(slf.py())
    }

    /// Returns the complete state of all games as bytes, such that the same actions lead to the same future.
    fn get_state<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyBytes>> {
        let engine = borrow_engine(slf)?;
        Ok(PyBytes::new(slf.py(), &saved_state::write(&engine.world)))
    }

    /// Continues from ``state``, the bytes of :meth:`get_state` of an engine with the same number of games. Raises ``ValueError``
    /// for other bytes; the games are then unchanged.
    fn set_state(slf: &Bound<'_, Self>, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let state = convert::bytes("state", state)?;
        let mut engine = borrow_engine(slf)?;
        engine.world = saved_state::read(&state, &engine.world)
            .map_err(|error| refuse(format!("expected a saved state of a VecEnv, got other bytes: {error}")))?;
        engine.write_outputs(slf.py())
    }
}

impl VecEngine {
    fn rows(&self) -> Rows {
        Rows { games: self.world.games.count(), seats: 4 }
    }

    /// Plays one turn with the actions that were read.
    #[expect(unsafe_code, reason = "lends the arrays while the interpreter is released")]
    fn play(&mut self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        let VecEngine { world, buffers, threads, actions, step_output, .. } = self;
        follow_fork(threads)?;
        // SAFETY: this engine is borrowed mutably until the step is done. Its documentation forbids other writes, as NumPy does for
        // its own functions that release the interpreter's lock.
        let mut outputs = unsafe { buffers.lend(py)? };
        if world.games.count() < DETACH_FROM {
            world.step(actions, threads, &mut outputs);
        } else {
            py.detach(|| world.step(actions, threads, &mut outputs));
        }
        Ok(step_output.clone_ref(py))
    }

    /// Writes the current observations into the arrays.
    #[expect(unsafe_code, reason = "lends the arrays while the interpreter is released")]
    fn write_outputs(&mut self, py: Python<'_>) -> PyResult<()> {
        let VecEngine { world, buffers, threads, .. } = self;
        follow_fork(threads)?;
        // SAFETY: as in `step`.
        let mut outputs = unsafe { buffers.lend(py)? };
        py.detach(|| world.write_current(threads, &mut outputs));
        Ok(())
    }
}

/// The limit of games. Their observations already exceed the memory of any machine in use.
const MOST_GAMES: i64 = 1 << 22;
/// The options besides the rules.
const OPTIONS: [&str; 13] = [
    "num_games",
    "seed",
    "observation",
    "dtype",
    "history",
    "window",
    "reward",
    "autoreset_mode",
    "threads",
    "maps",
    "size",
    "buffers",
    "instruction_set",
];
/// The number of games from which steps release the interpreter. For fewer games, releasing it takes longer than the step.
const DETACH_FROM: usize = 64;

/// Borrows the engine mutably, or raises `RuntimeError` if another thread uses it.
fn borrow_engine<'py, T: PyClass<Frozen = False>>(engine: &Bound<'py, T>) -> PyResult<PyRefMut<'py, T>> {
    engine
        .try_borrow_mut()
        .map_err(|_| PyRuntimeError::new_err("this environment is in use by another thread; create one environment per thread"))
}

fn follow_fork(threads: &mut Threads) -> PyResult<()> {
    threads.follow_fork().map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Returns actions as an array: `out` if given, otherwise a new one.
fn to_array<'py>(py: Python<'py>, rows: Rows, actions: &[u8], out: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out else { return Ok(PyArray1::from_slice(py, actions).into_any()) };
    actions::write(&out, rows, actions)?;
    Ok(out)
}

/// Returns the tuples that steps and resets return.
fn tuples(
    py: Python<'_>,
    buffers: &Buffers,
    has_final_observation: &Bound<'_, PyUntypedArray>,
) -> PyResult<(Py<PyTuple>, Py<PyTuple>)> {
    let all = PyArray1::<bool>::zeros(py, buffers.alive.len(), false);
    all.call_method1("fill", (true,))?;
    all.getattr("flags")?.setattr("writeable", false)?;
    let ended = buffers.ended.array(py);
    let infos = PyDict::new(py);
    for (name, array) in [("action_mask", &buffers.action_mask), ("alive", &buffers.alive)] {
        infos.set_item(name, array.array(py))?;
        infos.set_item(format!("_{name}"), &all)?;
    }
    let final_infos = PyDict::new(py);
    for (name, array) in [("final_score", buffers.final_score.array(py)), ("rank", buffers.rank.array(py))] {
        final_infos.set_item(name, array)?;
        final_infos.set_item(format!("_{name}"), ended)?;
    }
    infos.update(final_infos.as_mapping())?;
    if let Some(last) = &buffers.final_observations {
        infos.set_item("final_obs", last.array(py))?;
        infos.set_item("_final_obs", has_final_observation)?;
        infos.set_item("final_info", &final_infos)?;
        infos.set_item("_final_info", ended)?;
    }
    let observations = buffers.observations.array(py);
    let step_output =
        (observations, buffers.rewards.array(py), buffers.terminations.array(py), buffers.truncations.array(py), &infos);
    let reset_output = (observations, &infos);
    Ok((step_output.into_pyobject(py)?.unbind(), reset_output.into_pyobject(py)?.unbind()))
}
