//! Many games for learners, written into arrays of numpy: `pacman2.VecEngine`.

mod actions;
mod arguments;
mod buffers;
mod maps;
pub(crate) mod reward;
mod saved_state;
mod state;
mod threads;

use std::str::FromStr;
use std::sync::Arc;

use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use self::buffers::Buffers;
use self::state::{VecConfig, VecState};
use self::threads::Threads;
use crate::convert::{self, refuse};
use crate::game::Game;

/// Games that play side by side, and arrays that tell of them.
///
/// Rows are seats, game by game: row ``4 * game + seat``. Every method that plays or resets writes into the same arrays and
/// returns the same tuple of them; whoever wants to keep what they say copies it. While a method runs, the interpreter is
/// free for other threads; those may read the arrays, and find old and new numbers mixed, but may not write to them, nor
/// resize them with ``refcheck=False``. An engine that is at work raises ``RuntimeError`` if a second thread asks it.
#[pyclass(module = "pacman2._engine")]
pub(crate) struct VecEngine {
    world: VecState,
    buffers: Buffers,
    threads: Threads,
    actions: Vec<[u8; 4]>,
    told: Py<PyTuple>,
    seen: Py<PyTuple>,
}

#[pymethods]
impl VecEngine {
    #[new]
    #[pyo3(signature = (
        num_games, seed, *, observation = "compact", reward = "share", autoreset_mode = "NextStep", threads = 1,
        maps = None, size = None, turns = None, buffers = None,
    ))]
    #[allow(clippy::too_many_arguments, reason = "these are Python's keywords")]
    fn new(
        py: Python<'_>,
        num_games: &Bound<'_, PyAny>,
        seed: &Bound<'_, PyAny>,
        observation: &str,
        reward: &str,
        autoreset_mode: &str,
        threads: i64,
        maps: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
        turns: Option<&Bound<'_, PyAny>>,
        buffers: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<VecEngine> {
        let num_games = convert::whole_number("num_games", num_games, 1..=MOST_GAMES)? as usize;
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(refuse(format!("threads is {threads}; 1 to {MOST_THREADS} is possible")));
        }
        let seed = arguments::seed(seed)?;
        let config = VecConfig {
            view: named("observation", observation)?,
            reward: named("reward", reward)?,
            autoreset: named("autoreset_mode", autoreset_mode)?,
        };
        let maps = arguments::maps(py, maps, size, turns, seed)?;
        let threads = Threads::new(threads as usize).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let buffers = Buffers::new(py, num_games, config.view, config.autoreset, buffers)?;
        let (told, seen) = tuples(py, &buffers)?;
        let world = py.detach(|| VecState::new(config, num_games, seed, maps));
        let mut engine = VecEngine { world, buffers, threads, actions: vec![[0; 4]; num_games], told, seen };
        engine.tell(py)?;
        Ok(engine)
    }

    /// How many games there are.
    #[getter]
    fn num_games(&self) -> usize {
        self.world.games.count()
    }

    /// The observation's name.
    #[getter]
    fn observation(&self) -> &'static str {
        self.world.config.view.name()
    }

    /// The shape of one row's observation.
    #[getter]
    fn observation_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.world.config.view.shape())
    }

    /// The reward's name.
    #[getter]
    fn reward(&self) -> &'static str {
        self.world.config.reward.name()
    }

    /// The autoreset mode: the value of Gymnasium's ``AutoresetMode``.
    #[getter]
    fn autoreset_mode(&self) -> &'static str {
        self.world.config.autoreset.name()
    }

    /// On how many threads steps are played.
    #[getter]
    fn threads(&self) -> usize {
        self.threads.count()
    }

    /// The arrays by name, the same ones each time, in a new dict.
    #[getter]
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arrays = PyDict::new(py);
        for (name, array) in self.buffers.arrays(py) {
            arrays.set_item(name, array)?;
        }
        Ok(arrays)
    }

    /// How many games are over: with ``"NextStep"`` and ``"Disabled"`` those that wait for their reset, with ``"SameStep"``
    /// none.
    #[getter]
    fn num_over(&self) -> usize {
        self.world.over.len()
    }

    /// How many games ended in the last step.
    #[getter]
    fn num_ended(&self) -> usize {
        self.world.num_ended
    }

    /// What steps and resets return as infos: the same dict of the same arrays each time.
    #[getter]
    fn infos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.seen.bind(py).get_item(1)
    }

    /// Plays a turn of all games, and returns ``(observations, rewards, terminations, truncations, infos)``: the same tuple
    /// of the same arrays each time.
    fn step(slf: &Bound<'_, Self>, actions: &Bound<'_, PyAny>) -> PyResult<Py<PyTuple>> {
        let py = slf.py();
        let mut engine = alone(slf)?;
        let given = actions;
        let VecEngine { world, buffers, threads, actions, told: result, .. } = &mut *engine;
        actions::read(given, actions)?;
        follow_fork(threads)?;
        // SAFETY: this engine is borrowed mutably until the step is done, and what its users may not do is said in its
        // documentation, as numpy says it of its own functions that work without the interpreter's lock.
        let mut told = unsafe { buffers.lend(py)? };
        if world.games.count() < DETACH_FROM {
            world.step(actions, threads, &mut told);
        } else {
            py.detach(|| world.step(actions, threads, &mut told));
        }
        Ok(result.clone_ref(py))
    }

    /// Begins games anew, and returns ``(observations, infos)``.
    ///
    /// ``seed`` is a number for all games, or a list with a number or ``None`` for each, or ``None``: then each place goes on
    /// to its next game. ``mask`` says which games are meant, by ``num_games`` or ``4 * num_games`` bools.
    #[pyo3(signature = (seed = None, mask = None))]
    fn reset(slf: &Bound<'_, Self>, seed: Option<&Bound<'_, PyAny>>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyTuple>> {
        let py = slf.py();
        let mut engine = alone(slf)?;
        let count = engine.world.games.count();
        let seeds = arguments::seeds(seed, count)?;
        let mask = mask.map(|mask| arguments::mask(mask, count)).transpose()?;
        let world = &mut engine.world;
        py.detach(|| world.reset(&seeds, mask.as_deref()));
        engine.tell(py)?;
        Ok(engine.seen.clone_ref(py))
    }

    /// Draws a legal action for each row, all as likely, and no-ops for the dead; from each game's own chance. Writes them
    /// into ``out`` if there is one, and else into a new array of ``uint8``.
    #[pyo3(signature = (out = None))]
    fn random_actions<'py>(slf: &Bound<'py, Self>, out: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let mut engine = alone(slf)?;
        let VecEngine { world, actions, .. } = &mut *engine;
        if let Some(out) = &out {
            actions::out(out, actions.len())?;
        }
        py.detach(|| world.random_actions(actions));
        give(py, actions, out)
    }

    /// Draws an action for each row from the softmax of its logits over its mask, by each game's own chance, and returns the
    /// actions and the logarithms of their probabilities.
    ///
    /// ``logits`` is ``float32``, ``(4 * num_games, 9)`` or ``(num_games, 4, 9)``. What is NaN or -∞ is not drawn while
    /// something else is legal. ``out`` and ``log_prob`` are arrays to write into, the second of ``float32``.
    #[pyo3(signature = (logits, out = None, log_prob = None))]
    fn sample<'py>(
        slf: &Bound<'py, Self>,
        logits: &Bound<'py, PyAny>,
        out: Option<Bound<'py, PyAny>>,
        log_prob: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let mut engine = alone(slf)?;
        let VecEngine { world, actions, .. } = &mut *engine;
        let logits = arguments::logits(logits, actions.len())?;
        let log_prob = match log_prob {
            Some(log_prob) => log_prob,
            None => PyArray1::<f32>::zeros(py, 4 * actions.len(), false).into_any(),
        };
        let mut room = arguments::log_prob(&log_prob, actions.len())?;
        if let Some(out) = &out {
            actions::out(out, actions.len())?;
        }
        let (given, told) = (logits.as_slice()?, room.as_slice_mut()?);
        py.detach(|| world.games.sample(given, actions, Some(told)));
        drop(room);
        Ok((give(py, actions, out)?, log_prob))
    }

    /// The position of a game as a ``Game``, which knows nothing of this engine any more.
    fn game(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<Game> {
        let engine = alone(slf)?;
        let game = arguments::game(index, engine.world.games.count())?;
        let (maze, state) = engine.world.position(game);
        Ok(Game::of_position(Arc::clone(maze), state))
    }

    /// Puts the position of a ``Game`` in the place of a game. What the place draws and which games follow does not change.
    fn put(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>, game: &Game) -> PyResult<()> {
        let mut engine = alone(slf)?;
        let place = arguments::game(index, engine.world.games.count())?;
        let game = game.rules();
        engine.world.put(place, pacman2_batch::StartPosition::new(Arc::clone(game.maze()), *game.state()));
        engine.tell(slf.py())
    }

    /// All that the games' future follows from, as bytes.
    fn get_state<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyBytes>> {
        let engine = alone(slf)?;
        Ok(PyBytes::new(slf.py(), &saved_state::write(&engine.world)))
    }

    /// Goes on from bytes of :meth:`get_state`, of an engine with as many games.
    fn set_state(slf: &Bound<'_, Self>, state: &[u8]) -> PyResult<()> {
        let mut engine = alone(slf)?;
        engine.world = saved_state::read(state, &engine.world)
            .map_err(|error| refuse(format!("these bytes are not a saved state of a VecEnv: {error}")))?;
        engine.tell(slf.py())
    }
}

impl VecEngine {
    /// Writes what is to be seen into the arrays.
    fn tell(&mut self, py: Python<'_>) -> PyResult<()> {
        let VecEngine { world, buffers, threads, .. } = self;
        follow_fork(threads)?;
        // SAFETY: as in `step`.
        let mut told = unsafe { buffers.lend(py)? };
        py.detach(|| world.tell(threads, &mut told));
        Ok(())
    }
}

/// More games than anybody has memory for observations of.
const MOST_GAMES: i64 = 1 << 22;
const MOST_THREADS: i64 = 1024;
/// From so many games on, steps let other Python threads run. Fewer take less time than to let them.
const DETACH_FROM: usize = 64;

/// The engine, for this thread alone.
fn alone<'py>(engine: &Bound<'py, VecEngine>) -> PyResult<PyRefMut<'py, VecEngine>> {
    engine.try_borrow_mut().map_err(|_| {
        PyRuntimeError::new_err("this environment is at work in another thread; each thread needs an environment of its own")
    })
}

fn follow_fork(threads: &mut Threads) -> PyResult<()> {
    threads.follow_fork().map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

fn named<T: FromStr<Err = E>, E: ToString>(what: &str, name: &str) -> PyResult<T> {
    name.parse().map_err(|error: E| refuse(format!("{what}: {}", error.to_string())))
}

/// Actions as an array: the caller's, or a new one.
fn give<'py>(py: Python<'py>, actions: &[[u8; 4]], out: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out else { return Ok(PyArray1::from_slice(py, actions.as_flattened()).into_any()) };
    actions::write(&out, actions)?;
    Ok(out)
}

/// What steps return, and what resets do.
fn tuples(py: Python<'_>, buffers: &Buffers) -> PyResult<(Py<PyTuple>, Py<PyTuple>)> {
    let all = PyArray1::<bool>::zeros(py, buffers.alive.len(), false);
    all.call_method1("fill", (true,))?;
    all.getattr("flags")?.setattr("writeable", false)?;
    let ended = buffers.ended.array(py);
    let infos = PyDict::new(py);
    for (name, array) in [("action_mask", &buffers.action_mask), ("alive", &buffers.alive)] {
        infos.set_item(name, array.array(py))?;
        infos.set_item(format!("_{name}"), &all)?;
    }
    let last_words = PyDict::new(py);
    for (name, array) in [("final_score", buffers.final_score.array(py)), ("rank", buffers.rank.array(py))] {
        last_words.set_item(name, array)?;
        last_words.set_item(format!("_{name}"), ended)?;
    }
    infos.update(last_words.as_mapping())?;
    if let Some(last) = &buffers.final_observations {
        infos.set_item("final_obs", last.array(py))?;
        infos.set_item("_final_obs", ended)?;
        infos.set_item("final_info", &last_words)?;
        infos.set_item("_final_info", ended)?;
    }
    let observations = buffers.observations.array(py);
    let told = (observations, buffers.rewards.array(py), buffers.terminations.array(py), buffers.truncations.array(py), &infos);
    let seen = (observations, &infos);
    Ok((told.into_pyobject(py)?.unbind(), seen.into_pyobject(py)?.unbind()))
}
