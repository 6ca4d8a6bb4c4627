//! The built-in bots.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pacman2_bots::{Agent, BUILT_IN, BotConfig, BuiltIn, Effort, Method};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{self, refuse};
use crate::game::Game;

/// The default effort of `sage`. Like all defaults here, it does not depend on the clock.
pub(crate) const SIMULATIONS_OF_SAGE: u32 = 2000;

/// A built-in bot for one game, with what it has learned during that game.
///
/// The actions follow from the seed, the seat and the game, except with `time_ms`. A pickled copy starts without what the bot has
/// learned.
///
/// Args:
///     name: one of `bot_names()`.
///     seed: the seed of the bot's random numbers, 0 to 4294967295; 0 if None.
///     simulations: how many games `sample` and `sage` simulate per turn. By default, sage runs 2000.
///     time_ms: milliseconds per turn, instead of simulations.
///
/// Raises:
///     TypeError: an argument has a wrong type.
///     ValueError: the name is unknown, a number is out of range, or the bot does not simulate.
///
/// Examples:
///     >>> bot = pacman2.Bot("sage", seed=1, simulations=100)
///     >>> bot
///     pacman2.Bot("sage", seed=1, simulations=100)
///     >>> bot.act(pacman2.Game(seed=42), 0) in range(9)
///     True
#[pyclass(module = "pacman2", frozen)]
pub(crate) struct Bot {
    built_in: BuiltIn,
    /// The seed of the bot's random numbers.
    #[pyo3(get)]
    seed: u32,
    /// The number of simulations per turn, if it was given.
    #[pyo3(get)]
    simulations: Option<u32>,
    /// The time per turn in milliseconds, if it was given.
    #[pyo3(get)]
    time_ms: Option<u64>,
    agent: Mutex<Agent>,
}

/// Returns the names of the built-in bots, the weakest first.
///
/// Examples:
///     >>> pacman2.bot_names()
///     ('random', 'sample', 'greedy', 'hunter', 'sage')
#[pyfunction]
pub(crate) fn bot_names(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, BUILT_IN.map(|bot| bot.name))
}

/// Returns the built-in bot of that name, with this effort or its default effort.
pub(crate) fn bot_config(name: &str, effort: Option<Effort>) -> PyResult<BotConfig> {
    let names = || BUILT_IN.map(|bot| bot.name).join(", ");
    let built_in = BuiltIn::named(name).filter(|bot| bot.method != Method::Style);
    let built_in = built_in.ok_or_else(|| convert::wrong_value("name", format!("one of {}", names()), format!("\"{name}\"")))?;
    let effort = effort.or((built_in.method == Method::Search).then_some(Effort::Simulations(SIMULATIONS_OF_SAGE)));
    let config = effort.into_iter().try_fold(BotConfig::new(built_in), BotConfig::with_effort);
    config.map_err(|_| {
        refuse(format!("expected neither simulations nor time_ms for {name}, which does not simulate, got one of them"))
    })
}

#[pymethods]
impl Bot {
    #[new]
    #[pyo3(signature = (name, seed = None, *, simulations = None, time_ms = None))]
    fn new(
        name: &Bound<'_, PyAny>,
        seed: Option<&Bound<'_, PyAny>>,
        simulations: Option<&Bound<'_, PyAny>>,
        time_ms: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bot> {
        let number = |name: &str, value: Option<&Bound<'_, PyAny>>| {
            value.map(|value| convert::whole_number(name, value, 1..=u32::MAX.into())).transpose()
        };
        let seed = seed.map_or(Ok(0), |given| convert::seed("seed", given))?;
        let simulations = number("simulations", simulations)?.map(|number| number as u32);
        let time_ms = number("time_ms", time_ms)?.map(|number| number as u64);
        let effort = match (simulations, time_ms) {
            (Some(_), Some(_)) => return Err(refuse("expected simulations or time_ms, got both")),
            (Some(number), None) => Some(Effort::Simulations(number)),
            (None, Some(ms)) => Some(Effort::Time(Duration::from_millis(ms))),
            (None, None) => None,
        };
        let config = bot_config(&convert::text("name", name)?, effort)?;
        Ok(Bot { built_in: config.built_in(), seed, simulations, time_ms, agent: Mutex::new(config.start()) })
    }

    /// The name of the bot.
    #[getter]
    fn name(&self) -> &'static str {
        self.built_in.name
    }

    /// A one-sentence description of the bot.
    #[getter]
    fn description(&self) -> &'static str {
        self.built_in.description
    }

    /// Returns the action, 0 to 8, that the bot chooses for the player at `seat` of `game`. Other Python threads can run during
    /// the call.
    ///
    /// Raises:
    ///     TypeError: an argument has a wrong type.
    ///     ValueError: the game is over, the player is dead, or the seat is not 0 to 3.
    fn act(&self, py: Python<'_>, game: &Bound<'_, PyAny>, seat: &Bound<'_, PyAny>) -> PyResult<u8> {
        let game = game.cast::<Game>().map_err(|_| convert::wrong_type("game", "a pacman2.Game", game))?;
        let seat = convert::seat(seat)?;
        // A copy, because another thread may play the game while this one searches.
        let game = game.try_borrow()?.rules().clone();
        if game.is_over() {
            return Err(refuse(format!(
                "expected a game that is not over, got one that is over after turn {}",
                game.state().turn
            )));
        }
        if !game.state().alive.contains(seat) {
            return Err(convert::wrong_value("seat", "a player that is alive", format!("player {seat}, which is dead")));
        }
        let action = py.detach(|| {
            let mut agent = self.agent.lock().unwrap_or_else(PoisonError::into_inner);
            agent(&game, seat, self.seed as i32)
        });
        Ok(convert::action_index(action))
    }

    /// Returns the constructor's arguments for pickle and copy. The copy has learned nothing yet.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&'static str, u32), Bound<'py, PyDict>)> {
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
