//! The built-in bots.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pacman2_bots::{Agent, BUILT_IN, BotConfig, BuiltIn, Effort};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{self, refuse};
use crate::game::Game;

/// How much `sage` thinks where nothing is said: like everything here it does not depend on the clock.
const SIMULATIONS_OF_SAGE: u32 = 2000;

/// A built-in bot that sits down for a game and keeps what it learns in it.
///
/// `name` is one of `bot_names()`. What it does follows from `seed`, seat and game. `sample` and `sage` take `simulations`, or
/// `time_ms` to think by the clock; without both, sage makes 2000 simulations. A copy by pickle begins to learn anew.
#[pyclass(module = "pacman2", frozen)]
pub(crate) struct Bot {
    built_in: BuiltIn,
    #[pyo3(get)]
    seed: i32,
    #[pyo3(get)]
    simulations: Option<u32>,
    #[pyo3(get)]
    time_ms: Option<u64>,
    mind: Mutex<Agent>,
}

/// The names of the built-in bots, the weakest first.
#[pyfunction]
pub(crate) fn bot_names(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, BUILT_IN.map(|bot| bot.name))
}

/// The built-in bot of that name, thinking so much, or as much as it does by itself.
pub(crate) fn opponent(name: &str, effort: Option<Effort>) -> PyResult<BotConfig> {
    let names = || BUILT_IN.map(|bot| bot.name).join(", ");
    let built_in =
        BuiltIn::named(name).ok_or_else(|| refuse(format!("there is no built-in bot \"{name}\"; built-in are {}", names())))?;
    let effort = effort.or((name == "sage").then_some(Effort::Simulations(SIMULATIONS_OF_SAGE)));
    let opponent = effort.into_iter().try_fold(BotConfig::new(built_in), BotConfig::with_effort);
    opponent.map_err(|_| refuse(format!("{name} does not simulate; it takes neither simulations nor time_ms")))
}

#[pymethods]
impl Bot {
    #[new]
    #[pyo3(signature = (name, seed = None, *, simulations = None, time_ms = None))]
    fn new(
        name: &str,
        seed: Option<&Bound<'_, PyAny>>,
        simulations: Option<&Bound<'_, PyAny>>,
        time_ms: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bot> {
        let number = |name: &str, value: Option<&Bound<'_, PyAny>>| {
            value.map(|value| convert::whole_number(name, value, 1..=u32::MAX.into())).transpose()
        };
        let seed = seed.map_or(Ok(0), convert::seed)?;
        let simulations = number("simulations", simulations)?.map(|number| number as u32);
        let time_ms = number("time_ms", time_ms)?.map(|number| number as u64);
        let effort = match (simulations, time_ms) {
            (Some(_), Some(_)) => return Err(refuse("simulations and time_ms are both given; one of them is possible")),
            (Some(number), None) => Some(Effort::Simulations(number)),
            (None, Some(ms)) => Some(Effort::Time(Duration::from_millis(ms))),
            (None, None) => None,
        };
        let opponent = opponent(name, effort)?;
        Ok(Bot { built_in: opponent.built_in(), seed, simulations, time_ms, mind: Mutex::new(opponent.start()) })
    }

    /// What it is called.
    #[getter]
    fn name(&self) -> &'static str {
        self.built_in.name
    }

    /// What it does, in a sentence.
    #[getter]
    fn description(&self) -> &'static str {
        self.built_in.description
    }

    /// The action, 0 to 8, that it orders for a seat. Other threads of Python run meanwhile.
    ///
    /// ValueError if the game is over or the player is dead.
    fn act(&self, py: Python<'_>, game: &Bound<'_, Game>, seat: &Bound<'_, PyAny>) -> PyResult<u8> {
        let seat = convert::seat(seat)?;
        // A copy, for another thread may play on while this one thinks.
        let game = game.try_borrow()?.rules().clone();
        if game.is_over() {
            return Err(refuse(format!("the game is over after turn {}; nobody can order", game.state().turn)));
        }
        if !game.state().alive.contains(seat) {
            return Err(refuse(format!("player {seat} is dead and cannot order")));
        }
        let action = py.detach(|| {
            let mut mind = self.mind.lock().unwrap_or_else(PoisonError::into_inner);
            mind(&game, seat, self.seed)
        });
        Ok(convert::action_index(action))
    }

    /// For pickle and copy: another one like it, which has learned nothing yet.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&'static str, i32), Bound<'py, PyDict>)> {
        let options = PyDict::new(py);
        options.set_item("simulations", self.simulations)?;
        options.set_item("time_ms", self.time_ms)?;
        Ok(((self.built_in.name, self.seed), options))
    }

    fn __repr__(&self) -> String {
        let mut text = format!("pacman2.Bot(\"{}\", seed={}", self.built_in.name, self.seed);
        if let Some(number) = self.simulations {
            text += &format!(", simulations={number}");
        }
        if let Some(ms) = self.time_ms {
            text += &format!(", time_ms={ms}");
        }
        text + ")"
    }
}
