//! The core of the PettingZoo environment: a game whose `step` returns five dicts.

use std::sync::Arc;

use numpy::PyArray1;
use pacman2_batch::observe::{COMPACT, ObservationTables, View, observe};
use pacman2_batch::seed_of_game;
use pacman2_maps::Map;
use pacman2_rules::{Action, BySeat, Maze, Seat, SeatSet, State, scores};
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::convert::{self, refuse};
use crate::dict_pool::{DictPool, Names, ObservationForm, ResetOutput, StepOutput, TurnOutcome};
use crate::game::Game;
use crate::known_mazes::KnownMaze;
use crate::maze_source::MazeSource;
use crate::observation::{self, Content, ObservationFormat, Position};
use crate::options::{self, Named};
use crate::render_mode;
use crate::rules::RuleKeywords;
use crate::saved_game;
use crate::vec::reward::{GameEnd, Reward, shares};

/// A game for four learners, with dicts keyed by agent name: the core of `pacman2.parallel_env()`.
#[pyclass(module = "pacman2._engine", subclass)]
pub(crate) struct Table {
    names: Names,
    config: Config,
    #[pyo3(get)]
    render_mode: Option<&'static str>,
    max_cycles: Option<u32>,
    source: MazeSource,
    seeds: Seeds,
    episode: Option<Episode>,
    pools: Vec<DictPool>,
    /// The pool to try first for the next turn.
    next_pool: usize,
}

/// The options that no reset changes.
#[derive(Clone, Copy)]
struct Config {
    form: ObservationForm,
    reward: Reward,
    black_death: bool,
    copy: bool,
}

/// Where the masks of legal actions are.
#[derive(Clone, Copy)]
pub(crate) enum MaskPlace {
    Observation,
    Info,
}

impl MaskPlace {
    pub(crate) const ALL: [MaskPlace; 2] = [MaskPlace::Observation, MaskPlace::Info];

    /// Returns the name in Python.
    pub(crate) fn name(self) -> &'static str {
        match self {
            MaskPlace::Observation => "observation",
            MaskPlace::Info => "info",
        }
    }
}

/// The seeds of games: the seed of the last seeded reset, and those derived from it.
struct Seeds {
    given: u64,
    drawn: u64,
}

/// A game that has started.
struct Episode {
    seed: i32,
    maze: Arc<Maze>,
    sight: ObservationTables,
    known: KnownMaze,
    start: State,
    state: State,
    turns: Vec<BySeat<Action>>,
    /// The last turns, as observed.
    past: Vec<[u8; 4]>,
    /// Turns since the reset.
    cycles: u32,
    /// The players with a row in the next turn; empty after the last turn.
    agents: SeatSet,
}

/// The number of pools. A caller that drops each turn when the next one arrives needs two.
const MAX_POOLS: usize = 3;

/// The limit of the history's initial capacity, in turns.
const MAX_INITIAL_CAPACITY: u32 = 100;

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (
        *, observation = "compact", dtype = None, history = None, window = None, reward = "share", action_mask = "observation",
        max_cycles = None, black_death = None, copy = true, render_mode = None, size = None, init_data = None, **rules,
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = observation::observation)] observation: &str,
        dtype: Option<&Bound<'_, PyAny>>,
        history: Option<&Bound<'_, PyAny>>,
        window: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = crate::vec::reward::reward)] reward: &str,
        #[pyo3(from_py_with = action_mask)] action_mask: &str,
        max_cycles: Option<&Bound<'_, PyAny>>,
        black_death: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = copy)] copy: bool,
        render_mode: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
        init_data: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Table> {
        let rules = RuleKeywords::read("parallel_env", &OPTIONS, rules)?;
        let with_mask = matches!(MaskPlace::of(action_mask), MaskPlace::Observation);
        let format = ObservationFormat::from_python(Content::of(observation), dtype, history, window)?;
        let form = ObservationForm { format, with_mask };
        let reward = Reward::of(reward);
        let black_death = black_death.map(|given| convert::flag("black_death", given)).transpose()?;
        // All other rewards depend on the end of the game, which dead players have to be there for.
        let black_death = black_death.unwrap_or(reward != Reward::Share);
        let names = Names::new(py);
        Ok(Table {
            config: Config { form, reward, black_death, copy },
            render_mode: render_mode::checked_render_mode(render_mode)?,
            max_cycles: max_cycles.map(cycles).transpose()?,
            source: MazeSource::from_python(py, size, init_data, rules)?,
            seeds: Seeds { given: convert::random_seed()?.into(), drawn: 0 },
            episode: None,
            pools: Vec::with_capacity(MAX_POOLS),
            next_pool: 0,
            names,
        })
    }

    /// Starts a game on Botzone's map of `seed`. Without a seed, the next seed derived from the last given one is used.
    /// Returns observations and infos.
    #[pyo3(signature = (seed = None, options = None))]
    fn reset<'py>(
        &mut self,
        py: Python<'py>,
        seed: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<ResetOutput<'py>> {
        if let Some(options) = options {
            check_reset_options(options)?;
        }
        let seed = match seed {
            Some(given) => self.seeds.begin(convert::seed("seed", given)?),
            None => self.seeds.next(),
        };
        self.episode = Some(Episode::begin(self.source.map(seed), self.history()));
        let place = self.free_pool(py)?;
        self.fill(py, place, SeatSet::FULL)?;
        Ok(self.pools[place].reset_output(py))
    }

    /// Plays one turn. `actions` holds an action for each living player. Returns observations, rewards, terminations,
    /// truncations and infos of all players in `agents`.
    fn step<'py>(&mut self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<StepOutput<'py>> {
        let episode = self.episode.as_mut().ok_or_else(no_game)?;
        let actions = actions.cast::<PyDict>().map_err(|_| no_dict(actions))?;
        let rows = episode.agents;
        if rows.is_empty() {
            return empty_output(py, actions);
        }
        let actions = read_actions(py, &self.names, actions, episode)?;
        let turn = episode.turn(&actions, self.config, self.max_cycles);
        let place = self.free_pool(py)?;
        self.fill(py, place, rows)?;
        let dicts = &mut self.pools[place];
        dicts.set_outcome(py, &self.names, &turn)?;
        Ok(dicts.turn(py))
    }

    /// Returns the whole position: the compact observation of seat 0, `uint8` of shape (150,).
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let episode = self.episode()?;
        let mut seen = [0; COMPACT];
        observe(View::Compact, &episode.maze, &episode.state, Seat::S0, &mut seen);
        Ok(PyArray1::from_slice(py, &seen))
    }

    /// The shape of an observation.
    #[getter]
    fn observation_shape(&self) -> Vec<usize> {
        self.config.form.format.shape()
    }

    /// The type of an observation's numbers.
    #[getter]
    fn observation_dtype(&self) -> &'static str {
        self.config.form.format.dtype.name()
    }

    /// The least and the greatest numbers of an observation: two arrays of its shape.
    #[getter]
    fn observation_bounds<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, Bound<'py, PyAny>) {
        observation::bounds(py, &self.config.form.format)
    }

    /// Whether a game has started.
    #[getter]
    fn has_begun(&self) -> bool {
        self.episode.is_some()
    }

    /// The players with a row in the next turn.
    #[getter]
    fn agents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let agents = self.episode.as_ref().map_or(SeatSet::EMPTY, |episode| episode.agents);
        PyList::new(py, agents.iter().map(|seat| self.names.player(py, seat)).collect::<Vec<_>>())
    }

    /// After how many turns the game is cut short; None if only its own end ends it.
    #[getter]
    fn max_cycles(&self) -> Option<u32> {
        self.max_cycles
    }

    #[setter]
    fn set_max_cycles(&mut self, given: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        self.max_cycles = given.as_ref().map(cycles).transpose()?;
        Ok(())
    }

    /// A copy of the game as a `Game` with its history. Assigning a `Game` replaces the current one; the next turn continues
    /// from its position.
    #[getter]
    fn game(&self) -> PyResult<Game> {
        let episode = self.episode()?;
        Ok(Game::with_turns(episode.seed, episode.history()))
    }

    #[setter]
    fn set_game(&mut self, game: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(game) = game.cast::<Game>() else { return Err(convert::wrong_type("game", "a pacman2.Game", game)) };
        let game = game.try_borrow()?;
        let episode = Episode::goes_on(game.map_seed(), game.rules(), self.history());
        let agents = episode.agents_now(self.config);
        self.episode = Some(Episode { agents, ..episode });
        Ok(())
    }

    /// Returns which actions are legal for a player, `int8` of shape (9,). For dead players only stay is set.
    fn action_mask<'py>(&self, py: Python<'py>, agent: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let seat = Seat::ALL.into_iter().find(|&seat| agent.eq(self.names.player(py, seat)).unwrap_or(false));
        let seat =
            seat.ok_or_else(|| PyKeyError::new_err(format!("agent: expected {PLAYERS}, got {}", convert::shown(agent))))?;
        let episode = self.episode()?;
        let mask = episode.sight.action_masks(&episode.maze, &episode.state)[seat.index()];
        Ok(PyArray1::from_slice(py, &mask.map(|allowed| allowed as i8)))
    }

    /// Raises `TypeError` or `ValueError` unless `action` is a whole number from 0 to 8.
    #[staticmethod]
    fn check_action(agent: &str, action: &Bound<'_, PyAny>) -> PyResult<()> {
        match action.extract::<i64>() {
            Ok(0..9) => Ok(()),
            _ => Err(convert::refused_action(&format!("action of {agent}"), action)),
        }
    }

    /// Returns the complete state of the environment as bytes for `restore`.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut bytes = vec![VERSION];
        bytes.extend(self.seeds.given.to_le_bytes());
        bytes.extend(self.seeds.drawn.to_le_bytes());
        bytes.extend(self.max_cycles.unwrap_or(0).to_le_bytes());
        if let Some(episode) = &self.episode {
            bytes.extend(episode.cycles.to_le_bytes());
            bytes.push(u8::from(!episode.agents.is_empty()));
            bytes.extend(saved_game::write(episode.seed, &episode.history()));
        }
        PyBytes::new(py, &bytes)
    }

    /// Restores the state of an environment with the same options.
    #[pyo3(signature = (data, /))]
    fn restore(&mut self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let data = convert::bytes("data", data)?;
        let mut rest = &data[..];
        let mut take = |count: usize| {
            let (taken, others) = rest.split_at_checked(count).ok_or_else(not_saved)?;
            rest = others;
            Ok::<_, PyErr>(taken)
        };
        if take(1)? != [VERSION] {
            return Err(not_saved());
        }
        let mut numbers = [0; 3];
        for (number, size) in numbers.iter_mut().zip([8, 8, 4]) {
            *number = take(size)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        }
        let episode = if rest.is_empty() {
            None
        } else {
            let (head, game) = rest.split_first_chunk::<5>().ok_or_else(not_saved)?;
            let (seed, game) = saved_game::read(game).map_err(refuse)?;
            let mut episode = Episode::goes_on(seed, &game, self.history());
            episode.cycles = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
            episode.agents = if head[4] == 0 { SeatSet::EMPTY } else { episode.agents_now(self.config) };
            Some(episode)
        };
        self.episode = episode;
        self.seeds = Seeds { given: numbers[0], drawn: numbers[1] };
        self.max_cycles = Some(numbers[2] as u32).filter(|&cycles| cycles > 0);
        Ok(())
    }
}

const VERSION: u8 = 1;
const PLAYERS: &str = "\"player_0\" to \"player_3\"";
/// The options of `parallel_env` besides the rules.
const OPTIONS: [&str; 12] = [
    "observation",
    "dtype",
    "history",
    "window",
    "reward",
    "action_mask",
    "max_cycles",
    "black_death",
    "copy",
    "render_mode",
    "size",
    "init_data",
];

impl Table {
    fn episode(&self) -> PyResult<&Episode> {
        self.episode.as_ref().ok_or_else(no_game)
    }

    /// Returns the number of turns whose actions are observed.
    fn history(&self) -> usize {
        self.config.form.format.history
    }

    /// Returns the index of a pool that may be overwritten.
    #[inline]
    fn free_pool(&mut self, py: Python<'_>) -> PyResult<usize> {
        let count = self.pools.len();
        if !self.config.copy && count > 0 {
            return Ok(0);
        }
        for tried in 0..count {
            let place = (self.next_pool + tried) % count;
            if self.pools[place].is_free(py, &self.names) {
                self.next_pool = (place + 1) % count;
                return Ok(place);
            }
        }
        let dicts = DictPool::new(py, &self.names, self.config.form)?;
        if count < MAX_POOLS {
            self.pools.push(dicts);
            return Ok(count);
        }
        // Python code that holds the old dicts keeps them.
        let place = self.next_pool;
        self.next_pool = (place + 1) % MAX_POOLS;
        self.pools[place] = dicts;
        Ok(place)
    }

    #[inline]
    fn fill(&mut self, py: Python<'_>, place: usize, rows: SeatSet) -> PyResult<()> {
        let episode = self.episode.as_ref().ok_or_else(no_game)?;
        let format = self.config.form.format;
        self.pools[place].fill(py, &self.names, rows, |seen, masks| {
            episode.position().observe_all(&format, &episode.sight, seen);
            *masks = episode.sight.action_masks(&episode.maze, &episode.state);
        })
    }
}

impl Episode {
    fn begin(map: Map, history: usize) -> Episode {
        let Map { seed, maze, start } = map;
        let sight = ObservationTables::new(&maze);
        let turns = Vec::with_capacity(maze.ruleset().turn_limit.min(MAX_INITIAL_CAPACITY) as usize);
        let maze = Arc::new(maze);
        let (known, past) = (KnownMaze::default(), observation::no_past(history));
        Episode { seed, maze, sight, known, start, state: start, turns, past, cycles: 0, agents: SeatSet::FULL }
    }

    /// Continues a game. The caller sets the agents.
    fn goes_on(seed: i32, game: &pacman2_rules::Game, history: usize) -> Episode {
        Episode {
            seed,
            maze: Arc::clone(game.maze()),
            sight: ObservationTables::new(game.maze()),
            known: KnownMaze::default(),
            past: observation::past_of(game, history),
            start: game.turns().first().map_or(*game.state(), |first| first.before),
            state: *game.state(),
            turns: game.turns().iter().map(|turn| turn.actions).collect(),
            cycles: 0,
            agents: SeatSet::EMPTY,
        }
    }

    fn history(&self) -> pacman2_rules::Game {
        let mut game = pacman2_rules::Game::new(Arc::clone(&self.maze), self.start);
        for actions in &self.turns {
            game.play_with(actions, &mut ());
        }
        game
    }

    /// Returns the position to observe.
    #[inline]
    fn position(&self) -> Position<'_> {
        Position { maze: &self.maze, state: &self.state, known: &self.known, past: &self.past }
    }

    /// Returns the players with a row if the game continues from this position.
    fn agents_now(&self, config: Config) -> SeatSet {
        match (self.state.is_over(&self.maze), config.black_death) {
            (true, _) => SeatSet::EMPTY,
            (false, true) => SeatSet::FULL,
            (false, false) => self.state.alive,
        }
    }

    #[inline]
    fn turn(&mut self, actions: &BySeat<Action>, config: Config, max_cycles: Option<u32>) -> TurnOutcome {
        let before = self.state.strength;
        observation::record(&mut self.past, self.state.alive, actions);
        let goes_on = self.state.play(&self.maze, actions, &mut ());
        self.turns.push(*actions);
        self.cycles += 1;
        let rows = self.agents;
        let stay = if goes_on { self.agents_now(config) } else { SeatSet::EMPTY };
        let terminated = rows.and(!stay);
        let is_cut = goes_on && max_cycles.is_some_and(|most| self.cycles >= most);
        self.agents = if is_cut { SeatSet::EMPTY } else { stay };
        TurnOutcome {
            rewards: self.rewards(config.reward, &before, terminated),
            terminated,
            truncated: if is_cut { stay } else { SeatSet::EMPTY },
            end: (!goes_on).then(|| scores(&self.state.strength)),
        }
    }

    /// Returns the rewards of a turn. A terminated player gets its final reward from the current position.
    #[inline]
    fn rewards(&self, reward: Reward, before: &BySeat<i32>, terminated: SeatSet) -> BySeat<f32> {
        let after = self.state.strength;
        let mut rewards = BySeat([0.0; 4]);
        if reward == Reward::Share && *before != after {
            let (before, after) = (shares(&before.0), shares(&after.0));
            rewards = BySeat::from_fn(|seat| after[seat.index()] - before[seat.index()]);
        }
        if reward != Reward::Share && !terminated.is_empty() {
            let last = reward.at_end(&GameEnd::of(after.0));
            for seat in terminated.iter() {
                rewards[seat] = last[seat.index()];
            }
        }
        rewards
    }
}

impl Seeds {
    fn begin(&mut self, seed: u32) -> i32 {
        *self = Seeds { given: seed.into(), drawn: 0 };
        seed as i32
    }

    fn next(&mut self) -> i32 {
        self.drawn += 1;
        seed_of_game(self.given, self.drawn) as i32
    }
}

/// Rejects options of a reset, which has none. `{"options": 1}` is what the tests of PettingZoo pass to every environment.
#[cold]
fn check_reset_options(options: &Bound<'_, PyAny>) -> PyResult<()> {
    let expected = "None or an empty dict";
    let Ok(given) = options.cast::<PyDict>() else {
        return Err(convert::wrong_type("options", expected, options));
    };
    let is_of_the_tests = || {
        let value = given.get_item("options").ok().flatten().and_then(|value| value.extract::<i64>().ok());
        given.len() == 1 && value == Some(1)
    };
    if given.is_empty() || is_of_the_tests() {
        return Ok(());
    }
    Err(convert::wrong_value("options", expected, convert::shown(given)))
}

/// Reads the actions of a turn. Dead players need no action.
#[inline]
fn read_actions(py: Python<'_>, names: &Names, given: &Bound<'_, PyDict>, episode: &Episode) -> PyResult<BySeat<Action>> {
    let mut actions = BySeat([Action::Stay; 4]);
    let mut found = 0;
    for seat in Seat::ALL {
        let name = names.player(py, seat);
        match given.get_item(name)? {
            Some(action) => {
                found += 1;
                actions[seat] = match action.extract::<i64>() {
                    Ok(number @ 0..9) => Action::ALL[number as usize],
                    _ => return Err(convert::refused_action(&format!("action of {name}"), &action)),
                }
            }
            None if episode.state.alive.contains(seat) => return Err(missing(episode, names, py, given)),
            None => {}
        }
    }
    if found != given.len() {
        return Err(unknown(names, py, given));
    }
    Ok(actions)
}

#[cold]
fn missing(episode: &Episode, names: &Names, py: Python<'_>, actions: &Bound<'_, PyDict>) -> PyErr {
    let lacks = |seat: &Seat| !actions.contains(names.player(py, *seat)).unwrap_or(false);
    let missing: Vec<String> = episode.state.alive.iter().filter(lacks).map(|seat| format!("\"player_{seat}\"")).collect();
    convert::wrong_value("actions", "an action for every living player", format!("none for {}", missing.join(", ")))
}

#[cold]
fn unknown(names: &Names, py: Python<'_>, actions: &Bound<'_, PyDict>) -> PyErr {
    let known = |key: &Bound<'_, PyAny>| names.players.iter().any(|name| key.eq(name.bind(py)).unwrap_or(false));
    let unknown = actions.keys().iter().find(|key| !known(key));
    let unknown = unknown.map_or_else(|| "an unknown agent".to_owned(), |key| convert::shown(&key));
    convert::wrong_value("actions", format!("actions of {PLAYERS}"), format!("one of {unknown}"))
}

#[cold]
fn no_dict(actions: &Bound<'_, PyAny>) -> PyErr {
    convert::wrong_type("actions", "a dict with an action for every living player", actions)
}

#[cold]
fn no_game() -> PyErr {
    PyRuntimeError::new_err("no game has started; call reset() first")
}

#[cold]
fn not_saved() -> PyErr {
    refuse("expected a saved environment of this version, got other bytes")
}

/// Returns the output of a step after the end of the game, when no agent is left.
#[cold]
fn empty_output<'py>(py: Python<'py>, actions: &Bound<'py, PyDict>) -> PyResult<StepOutput<'py>> {
    if !actions.is_empty() {
        return Err(PyRuntimeError::new_err("the game is over; call reset() to start the next one"));
    }
    let empty = || PyDict::new(py);
    Ok((empty(), empty(), empty(), empty(), empty()))
}

fn cycles(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(convert::whole_number("max_cycles", given, 1..=u32::MAX.into())? as u32)
}

options::impl_named!(MaskPlace);

/// Converts the argument `action_mask`.
fn action_mask(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    options::named::<MaskPlace>("action_mask", given).map(MaskPlace::name)
}

/// Converts the argument `copy`.
fn copy(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    convert::flag("copy", given)
}
