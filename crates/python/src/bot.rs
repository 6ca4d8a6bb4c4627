//! The built-in bots.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use numpy::PyArray1;
use pacman2_bots::sage::Sage;
use pacman2_bots::{Agent, BUILT_IN, BotConfig, BotSpec};
use pacman2_rules::{Action, Seat};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use rayon::ThreadPoolBuildError;

use crate::bot_spec::LoadedBot;
use crate::convert::{self, refuse, shown};
use crate::game::Game;
use crate::search_result::SearchResult;
use crate::vec::threads::Threads;

/// A built-in bot with what it has learned about the current game.
///
/// `name` is what the command line takes: one of `bot_names()` or "style NAME", then options as in "sage --simulations 200". The
/// options can also be keywords. The actions follow from the seed, the seat and the game, except with `time_ms`. A pickled copy
/// starts without what the bot has learned; it plays the same.
///
/// Args:
///     name: the bot, with or without options.
///     seed: the seed of the bot's random numbers, -2147483648 to 4294967295; 0 if None.
///     simulations: how many games `sample` and `sage` simulate per turn. By default, sage runs 2000.
///     time_ms: milliseconds per turn, instead of simulations.
///     threads: the number of threads with which `sage` searches, 1 to 64.
///     without: a component of the search of `sage` to leave out, or a list of them: "net", "others", "last-turn", "pruning" or
///         "promise".
///     net: the path of a weights file for `sage`.
///
/// Raises:
///     TypeError: an argument has a wrong type.
///     ValueError: the bot or an option is unknown, a number is out of range, the bot does not have an option, or the file is no
///         net.
///
/// Examples:
///     >>> bot = pacman2.Bot("sage", seed=1, simulations=100)
///     >>> bot
///     pacman2.Bot("sage --simulations 100", seed=1)
///     >>> bot.act(pacman2.Game(seed=42), 0) in range(9)
///     True
#[pyclass(module = "pacman2", frozen)]
pub(crate) struct Bot {
    bot: LoadedBot,
    /// The seed of the bot's random numbers.
    #[pyo3(get)]
    seed: u32,
    memory: Mutex<Memory>,
}

/// What the bot has learned: for each place in a list of games, about the game that was there last.
struct Memory {
    players: Vec<Player>,
    threads: Threads,
}

/// A bot that plays a game.
enum Player {
    /// It can also report what it finds.
    Searching(Box<Sage>),
    Other(Agent),
}

/// A decision to make.
struct Decision {
    game: pacman2_rules::Game,
    /// `None` to search for all seats.
    seat: Option<Seat>,
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

#[pymethods]
impl Bot {
    #[new]
    #[pyo3(signature = (name, seed = None, *, simulations = None, time_ms = None, threads = None, without = None, net = None))]
    fn new(
        name: &Bound<'_, PyAny>,
        seed: Option<&Bound<'_, PyAny>>,
        simulations: Option<&Bound<'_, PyAny>>,
        time_ms: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        without: Option<&Bound<'_, PyAny>>,
        net: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bot> {
        let name = convert::text("name", name)?;
        let seed = seed.map_or(Ok(0), |given| convert::seed("seed", given))?;
        let refused = |error: &dyn std::fmt::Display| {
            convert::wrong_value("name", "a built-in bot as on the command line", format!("\"{name}\": {error}"))
        };
        let mut words = shlex::split(&name).ok_or_else(|| refused(&"a quotation mark is missing"))?;
        for (keyword, option, number) in
            [("simulations", "--simulations", simulations), ("time_ms", "--time", time_ms), ("threads", "--threads", threads)]
        {
            if let Some(number) = number {
                let number = convert::whole_number(keyword, number, 1..=u32::MAX.into())?;
                words.extend([option.to_owned(), number.to_string()]);
            }
        }
        for component in without.map(components).transpose()?.unwrap_or_default() {
            words.extend(["--without".to_owned(), component]);
        }
        if let Some(net) = net {
            let path: PathBuf = net.extract().map_err(|_| convert::wrong_type("net", "the path of a file", net))?;
            let path = path.to_str().ok_or_else(|| convert::wrong_value("net", "a path in Unicode", shown(net)))?;
            words.extend(["--net".to_owned(), path.to_owned()]);
        }
        let spec = BotSpec::from_words(words).map_err(|error| refused(&error))?;
        let bot = LoadedBot::load(spec).map_err(|error| refused(&error))?;
        Ok(Bot { bot, seed, memory: Mutex::new(Memory { players: Vec::new(), threads: Threads::new(1).map_err(no_threads)? }) })
    }

    /// The name of the bot, without its options.
    #[getter]
    fn name(&self) -> &'static str {
        self.bot.spec.built_in.name
    }

    /// The bot with all its options, as on the command line.
    #[getter]
    fn spec(&self) -> String {
        self.bot.spec.to_string()
    }

    /// A one-sentence description of the bot.
    #[getter]
    fn description(&self) -> &'static str {
        self.bot.spec.style.map_or(self.bot.spec.built_in.description, |style| style.description)
    }

    /// The number of simulations per turn, if any.
    #[getter]
    fn simulations(&self) -> Option<u32> {
        self.bot.spec.simulations
    }

    /// The time per turn in milliseconds, if any.
    #[getter]
    fn time_ms(&self) -> Option<u64> {
        self.bot.spec.time_ms
    }

    /// Returns the action, 0 to 8, that the bot chooses for the player at `seat` of `game`. Other Python threads can run during
    /// the call.
    ///
    /// Raises:
    ///     TypeError: an argument has a wrong type.
    ///     ValueError: the game is over, the player is dead, or the seat is not 0 to 3.
    fn act(&self, py: Python<'_>, game: &Bound<'_, PyAny>, seat: &Bound<'_, PyAny>) -> PyResult<u8> {
        let decision = decision(&a_game("game", game)?, Some(convert::seat(seat)?)).map_err(refuse)?;
        let mut all = [decision];
        let actions = self.think(py, &mut all, None, |player, decision, seed| player.act(decision, seed))?;
        Ok(convert::action_index(actions[0]))
    }

    /// Returns the actions, uint8, that the bot chooses in many games, each for its own seat of `seats`, or all for the same seat.
    ///
    /// The bot learns for each place in the list about the game there, so pass the same `games` in the same order each turn. The
    /// actions do not depend on that or on `threads`, the number of games in which it computes at the same time.
    ///
    /// Raises:
    ///     TypeError: an argument has a wrong type.
    ///     ValueError: a game is over, a player is dead, a seat is not 0 to 3, or there is not a seat for each game.
    #[pyo3(signature = (games, seats, *, threads = 1))]
    fn act_all<'py>(
        &self,
        py: Python<'py>,
        games: &Bound<'py, PyAny>,
        seats: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = crate::vec::threads::threads)] threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let mut all = decisions(games, Some(seats))?;
        let actions = self.think(py, &mut all, Some(threads), |player, decision, seed| player.act(decision, seed))?;
        Ok(PyArray1::from_iter(py, actions.into_iter().map(convert::action_index)))
    }

    /// Searches a `game` and returns what is found: a `SearchResult`.
    ///
    /// With a `seat`, the search is the one by which the bot chooses its action. Without, it assumes that all four players search.
    ///
    /// Raises:
    ///     TypeError: an argument has a wrong type.
    ///     ValueError: the bot does not search, the game is over, the player is dead, or the seat is not 0 to 3.
    ///
    /// Examples:
    ///     >>> found = pacman2.Bot("sage", simulations=100).search(pacman2.Game(seed=42))
    ///     >>> found.simulations, found.visits.shape
    ///     (100, (4, 9))
    #[pyo3(signature = (game, seat = None))]
    fn search(&self, py: Python<'_>, game: &Bound<'_, PyAny>, seat: Option<&Bound<'_, PyAny>>) -> PyResult<SearchResult> {
        self.check_searches()?;
        let seat = seat.map(convert::seat).transpose()?;
        let mut all = [decision(&a_game("game", game)?, seat).map_err(refuse)?];
        let mut found = self.think(py, &mut all, None, |player, decision, seed| player.search(decision, seed))?;
        Ok(found.remove(0))
    }

    /// Searches many `games`: a list of what `search` returns. `seats` and `threads` are as for `act_all`; without seats, all
    /// players are assumed to search.
    #[pyo3(signature = (games, seats = None, *, threads = 1))]
    fn search_all(
        &self,
        py: Python<'_>,
        games: &Bound<'_, PyAny>,
        seats: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = crate::vec::threads::threads)] threads: usize,
    ) -> PyResult<Vec<SearchResult>> {
        self.check_searches()?;
        let mut all = decisions(games, seats)?;
        self.think(py, &mut all, Some(threads), |player, decision, seed| player.search(decision, seed))
    }

    /// Returns the constructor's arguments for pickle and copy. The copy has learned nothing yet.
    fn __getnewargs__(&self) -> (String, u32) {
        (self.spec(), self.seed)
    }

    fn __repr__(&self) -> String {
        format!("pacman2.Bot(\"{}\", seed={})", self.spec(), self.seed)
    }
}

impl Bot {
    /// Makes decisions, each with the player of its place.
    fn think<T: Send>(
        &self,
        py: Python<'_>,
        decisions: &mut [Decision],
        threads: Option<usize>,
        decide: impl Fn(&mut Player, &Decision, i32) -> T + Send + Sync,
    ) -> PyResult<Vec<T>> {
        let found = py.detach(|| {
            let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
            let Memory { players, threads: pool } = &mut *memory;
            // A pool takes longer to start than many a decision, so it is kept.
            match threads.filter(|&count| count != pool.count()) {
                Some(count) => *pool = Threads::new(count)?,
                None => pool.follow_fork()?,
            }
            while players.len() < decisions.len() {
                players.push(Player::start(&self.bot.config));
            }
            let mut pairs: Vec<_> =
                players.iter_mut().zip(decisions).map(|(player, decision)| (player, decision, None)).collect();
            pool.for_each(&mut pairs, |(player, decision, found)| *found = Some(decide(player, decision, self.seed as i32)));
            Ok::<_, ThreadPoolBuildError>(
                pairs.into_iter().map(|(_, _, found)| found.expect("every decision was made")).collect(),
            )
        });
        found.map_err(no_threads)
    }

    fn check_searches(&self) -> PyResult<()> {
        match self.bot.config.start_search() {
            Some(_) => Ok(()),
            None => {
                Err(refuse(format!("expected a bot that searches, such as sage, got {}, which finds no values", self.name())))
            }
        }
    }
}

impl Player {
    fn start(config: &BotConfig) -> Player {
        match config.start_search() {
            Some(sage) => Player::Searching(Box::new(sage)),
            None => Player::Other(config.start()),
        }
    }

    fn act(&mut self, decision: &Decision, seed: i32) -> Action {
        let seat = decision.seat.expect("an action is chosen for a seat");
        match self {
            Player::Searching(sage) => sage.decide(&decision.game, seat, seed),
            Player::Other(agent) => agent(&decision.game, seat, seed),
        }
    }

    fn search(&mut self, decision: &Decision, seed: i32) -> SearchResult {
        match self {
            Player::Searching(sage) => {
                SearchResult::new(decision.seat, sage.search(&decision.game, decision.seat, seed, || true))
            }
            Player::Other(_) => unreachable!("it was checked that the bot searches"),
        }
    }
}

/// Copies a game, because another thread may play it while this one searches. Returns an error if nothing can be decided there.
fn decision(game: &Bound<'_, Game>, seat: Option<Seat>) -> Result<Decision, String> {
    let game = game.try_borrow().map_err(|error| error.to_string())?.rules().clone();
    if game.is_over() {
        return Err(format!("expected a game that is not over, got one that is over after turn {}", game.state().turn));
    }
    match seat {
        Some(seat) if !game.state().alive.contains(seat) => {
            Err(format!("seat: expected a player that is alive, got player {seat}, which is dead"))
        }
        _ => Ok(Decision { game, seat }),
    }
}

/// Converts a list of games.
pub(crate) fn games<'py>(given: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Game>>> {
    let is_sequence = given.len().is_ok() && !given.is_instance_of::<PyString>() && !given.is_instance_of::<PyDict>();
    let Some(each) = given.try_iter().ok().filter(|_| is_sequence) else {
        return Err(convert::wrong_type("games", "a list of pacman2.Game", given));
    };
    each.enumerate().map(|(place, game)| a_game(&format!("games[{place}]"), &game?)).collect()
}

/// Converts a game.
fn a_game<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Game>> {
    given.cast::<Game>().cloned().map_err(|_| convert::wrong_type(name, "a pacman2.Game", given))
}

/// Copies games with a seat for all of them, a seat for each, or none.
fn decisions(games: &Bound<'_, PyAny>, seats: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Decision>> {
    let games = self::games(games)?;
    let seats = match seats {
        None => vec![None; games.len()],
        Some(one) if one.call_method0("__index__").is_ok() => vec![Some(convert::seat(one)?); games.len()],
        Some(each) => {
            let expected = || convert::wrong_type("seats", "a seat or a list of seats", each);
            if each.is_instance_of::<PyString>() || each.is_instance_of::<PyDict>() {
                return Err(expected());
            }
            let each = each.try_iter().map_err(|_| expected())?;
            each.map(|seat| convert::seat(&seat?).map(Some)).collect::<PyResult<Vec<_>>>()?
        }
    };
    if seats.len() != games.len() {
        return Err(convert::wrong_value("seats", format!("{} seats, one for each game", games.len()), seats.len()));
    }
    let pairs = games.iter().zip(seats).enumerate();
    pairs.map(|(place, (game, seat))| decision(game, seat).map_err(|error| refuse(format!("games[{place}]: {error}")))).collect()
}

/// Converts the name of a component, or a list of names.
fn components(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(one) = given.extract::<String>() {
        return Ok(vec![one]);
    }
    given.extract::<Vec<String>>().map_err(|_| convert::wrong_type("without", "the name of a component or a list of them", given))
}

fn no_threads(error: ThreadPoolBuildError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
