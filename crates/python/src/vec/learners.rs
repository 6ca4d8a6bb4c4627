//! `pacman2._engine.LearnerEngine`: an engine that shows the learners' rows alone, while opponents play the other seats.
//!
//! It plays in an engine with all four seats and copies the learners' rows. Each game is also kept with its history, from which
//! bots learn.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::ndarray::Array2;
use numpy::prelude::*;
use numpy::{PyArray1, PyArray2};
use pacman2_batch::observe;
use pacman2_rules::{Action, Game as RulesGame, Seat};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use super::buffers::Buffers;
use super::opponents::{LearnerGame, Lineup, Opponent, SeatChoice, ask_policies};
use super::reward::Reward;
use super::rows::Rows;
use super::state::Autoreset;
use super::{VecEngine, actions, arguments, borrow_engine, follow_fork, saved_learners, to_array, tuples};
use crate::convert::{self, refuse, wrong_type, wrong_value};
use crate::game::Game;
use crate::observation::{self, Position};
use crate::options::Named;

/// The arrays about the turn that was played, which is possibly the last one of a game.
const OF_TURN: [&str; 6] = ["rewards", "terminations", "truncations", "ended", "final_score", "rank"];
/// The arrays about the current position.
const OF_POSITION: [&str; 3] = ["observations", "action_mask", "alive"];

/// A batch of games with rows for the learners' seats only: row ``learners * game`` and those that follow it.
///
/// It takes an engine of all four seats with autoreset mode ``"Disabled"``, which must not be used otherwise. A game is over for
/// the learners when all of them are dead. With the reward ``"share"`` it then ends; otherwise the opponents finish it at once.
#[pyclass(module = "pacman2._engine")]
pub(crate) struct LearnerEngine {
    engine: Py<VecEngine>,
    pub(super) lineup: Lineup,
    seat: SeatChoice,
    autoreset: Autoreset,
    rows: Rows,
    pub(super) games: Mutex<Vec<LearnerGame>>,
    given: Vec<u8>,
    buffers: Buffers,
    /// Pairs of an array of all four seats and the learners' one, which has the same dtype here.
    of_turn: Vec<ArrayPair>,
    of_position: Vec<ArrayPair>,
    /// The rows of learners among those of all seats.
    places: Py<PyArray1<i64>>,
    /// The learner's seat and the opponents' indices in the game whose turn was played.
    seats: Py<PyArray1<u8>>,
    opponents: Py<PyArray2<i32>>,
    num_ended: usize,
    step_output: Py<PyTuple>,
    reset_output: Py<PyTuple>,
}

struct ArrayPair {
    all: Py<PyAny>,
    learners: Py<PyAny>,
}

#[pymethods]
impl LearnerEngine {
    #[new]
    #[pyo3(signature = (
        engine, opponents, *, opponents_mode = "seats", opponent_weights = None, seat = None, autoreset_mode = "NextStep",
        buffers = None,
    ))]
    #[allow(clippy::too_many_arguments, reason = "these are Python's keywords")]
    fn new(
        py: Python<'_>,
        engine: Py<VecEngine>,
        opponents: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = crate::vec::opponents::opponents_mode)] opponents_mode: &str,
        opponent_weights: Option<&Bound<'_, PyAny>>,
        seat: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = crate::vec::state::autoreset_mode)] autoreset_mode: &str,
        buffers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<LearnerEngine> {
        let lineup = Lineup::from_python(opponents, opponents_mode, opponent_weights)?;
        let seat = seat.map_or(Ok(SeatChoice::Fixed(Seat::S0)), SeatChoice::from_python)?;
        let autoreset = Autoreset::from_name(autoreset_mode);
        let all = borrow_engine(engine.bind(py))?;
        if all.world.config.autoreset != Autoreset::Disabled {
            let mode = all.world.config.autoreset.name();
            return Err(wrong_value("engine", "one with autoreset_mode=\"Disabled\"", format!("\"{mode}\"")));
        }
        let rows = Rows { games: all.world.games.count(), seats: lineup.learners() };
        let buffers = Buffers::new(py, rows.count(), &all.world.config.format, autoreset, buffers)?;
        let [of_turn, of_position] = [&OF_TURN[..], &OF_POSITION[..]].map(|names| pairs(py, names, &all.buffers, &buffers));
        let (of_turn, of_position) = (of_turn?, of_position?);
        let (step_output, reset_output) = tuples(py, &buffers, buffers.terminations.array(py))?;
        let seats = PyArray1::<u8>::zeros(py, rows.count(), false);
        let opponents = PyArray2::<i32>::zeros(py, [rows.count(), 3], false);
        let infos = reset_output.bind(py).get_item(1)?;
        let is_there = infos.get_item("_alive")?;
        for (name, array) in [("seat", seats.as_any()), ("opponents", opponents.as_any())] {
            infos.set_item(name, array)?;
            infos.set_item(format!("_{name}"), &is_there)?;
        }
        drop(all);
        let mut made = LearnerEngine {
            engine,
            lineup,
            seat,
            autoreset,
            rows,
            games: Mutex::new(Vec::new()),
            given: vec![0; rows.count()],
            buffers,
            of_turn,
            of_position,
            places: PyArray1::<i64>::zeros(py, rows.count(), false).unbind(),
            seats: seats.unbind(),
            opponents: opponents.unbind(),
            num_ended: 0,
            step_output,
            reset_output,
        };
        let all = made.engine.clone_ref(py);
        let mut all = borrow_engine(all.bind(py))?;
        let games = (0..rows.games).map(|place| made.next_game(&all, place)).collect();
        made.games = Mutex::new(games);
        made.write_outputs(py, &mut all)?;
        Ok(made)
    }

    /// The number of games.
    #[getter]
    fn num_games(&self) -> usize {
        self.rows.games
    }

    /// The number of rows of each game.
    #[getter]
    fn num_learners(&self) -> usize {
        self.rows.seats
    }

    /// The arrays by name: a new dict of the same arrays each time.
    #[getter]
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.buffers.dict(py)
    }

    /// The learner's seat in the current game of each row, in a new array of ``uint8``.
    #[getter]
    fn seats<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let mut own = borrow_engine(slf)?;
        let seats: Vec<u8> = own.places_of_learners().into_iter().map(|place| (place % 4) as u8).collect();
        Ok(PyArray1::from_vec(slf.py(), seats))
    }

    /// The infos of steps and resets: the same dict of the same arrays each time.
    #[getter]
    fn infos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.reset_output.bind(py).get_item(1)
    }

    /// The number of games that ended for the learners in the last step.
    #[getter]
    fn num_ended(&self) -> usize {
        self.num_ended
    }

    /// The Python functions among the opponents: those of the current list, then others that still play.
    #[getter]
    fn policies(slf: &Bound<'_, Self>) -> PyResult<Vec<Py<PyAny>>> {
        let mut own = borrow_engine(slf)?;
        let LearnerEngine { lineup, games, .. } = &mut *own;
        let all = saved_learners::everyone(lineup, games.get_mut().unwrap_or_else(PoisonError::into_inner));
        let policy = |entry: &Arc<Opponent>| match &**entry {
            Opponent::Policy(policy) => Some(policy.clone_ref(slf.py())),
            _ => None,
        };
        Ok(all.iter().filter_map(policy).collect())
    }

    /// Plays one turn of all games and returns ``(observations, rewards, terminations, truncations, infos)``: the same tuple
    /// of the same arrays each time.
    #[expect(unsafe_code, reason = "lends the arrays of all seats")]
    fn step(slf: &Bound<'_, Self>, actions: &Bound<'_, PyAny>) -> PyResult<Py<PyTuple>> {
        let py = slf.py();
        let mut own = borrow_engine(slf)?;
        let all = own.engine.clone_ref(py);
        let mut all = borrow_engine(all.bind(py))?;
        let rows = own.rows;
        actions::read(actions, rows, &mut own.given)?;
        let waiting: Vec<usize> = (0..rows.games).filter(|&place| own.games_mut()[place].is_over).collect();
        let ended = own.play(py, &mut all)?;
        all.play(py)?;

        own.write_players(py)?;
        let begins = own.autoreset != Autoreset::Disabled;
        let (begun, held): (Vec<usize>, Vec<usize>) = if begins { (waiting, Vec::new()) } else { (Vec::new(), waiting) };
        {
            let games = own.games_mut();
            let VecEngine { world, buffers, threads, .. } = &mut *all;
            // SAFETY: both engines are borrowed mutably. The documentation of this class forbids other uses of the arrays.
            let mut outputs = unsafe { buffers.lend(py)? };
            // The engine of all seats plays on in a game that the learners have left.
            let held: Vec<usize> = held.into_iter().filter(|&place| !games[place].game.is_over()).collect();
            held.iter().for_each(|&place| world.hold(place, &games[place].game, &mut outputs));
            let is_finished = |place: &usize| games[*place].game.is_over() && !world.over.contains(place);
            let finished: Vec<usize> = ended.iter().copied().filter(is_finished).collect();
            finished.iter().for_each(|&place| world.finish(place, &games[place].game, &mut outputs));
            ended.iter().for_each(|&place| outputs.terminations[4 * place..][..4].fill(1));
            begun.iter().for_each(|&place| world.begin_next(place, &mut outputs));
            if !(held.is_empty() && finished.is_empty() && begun.is_empty()) {
                world.observe(threads, &mut outputs);
            }
        }
        if !begun.is_empty() {
            for &place in &begun {
                let next = own.next_game(&all, place);
                own.games_mut()[place] = next;
            }
            own.write_players(py)?;
        }
        own.num_ended = ended.len();
        copy_rows(py, &own.of_turn, &own.places)?;
        if own.autoreset == Autoreset::SameStep && !ended.is_empty() {
            own.begin_ended(py, &mut all, &ended)?;
        }
        copy_rows(py, &own.of_position, &own.places)?;
        Ok(own.step_output.clone_ref(py))
    }

    /// Resets games as ``VecEngine.reset`` does; ``mask`` has a bool for each game or each row.
    #[pyo3(signature = (seed = None, mask = None))]
    fn reset(slf: &Bound<'_, Self>, seed: Option<&Bound<'_, PyAny>>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyTuple>> {
        let py = slf.py();
        let mut own = borrow_engine(slf)?;
        let all = own.engine.clone_ref(py);
        let mut all = borrow_engine(all.bind(py))?;
        let seeds = arguments::seeds(seed, own.rows.games)?;
        let mask = mask.map(|mask| arguments::mask(mask, own.rows)).transpose()?;
        all.world.reset(&seeds, mask.as_deref());
        for place in (0..own.rows.games).filter(|&place| mask.as_ref().is_none_or(|mask| mask[place])) {
            let next = own.next_game(&all, place);
            own.games_mut()[place] = next;
        }
        own.write_outputs(py, &mut all)?;
        Ok(own.reset_output.clone_ref(py))
    }

    /// Replaces the opponents of games that begin from now on.
    #[pyo3(signature = (opponents, *, opponents_mode = "seats", opponent_weights = None))]
    fn set_opponents(
        &mut self,
        opponents: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = crate::vec::opponents::opponents_mode)] opponents_mode: &str,
        opponent_weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut lineup = Lineup::from_python(opponents, opponents_mode, opponent_weights)?;
        if lineup.learners() != self.rows.seats {
            let (found, expected) = (lineup.learners() - 1, self.rows.seats - 1);
            return Err(wrong_value("opponents", format!("{expected} of them to be None, the learner, as before"), found));
        }
        // Games that are played keep their opponents, which may be in the new list, too.
        let games = self.games.get_mut().unwrap_or_else(PoisonError::into_inner);
        let known = saved_learners::everyone(&self.lineup, games);
        for entry in &mut lineup.entries {
            if let Some(same) = known.iter().find(|known| known.is_same(entry)) {
                *entry = Arc::clone(same);
            }
        }
        self.lineup = lineup;
        Ok(())
    }

    /// Draws a uniformly random legal action for each row. See ``VecEngine.random_actions``.
    #[pyo3(signature = (out = None))]
    fn random_actions<'py>(slf: &Bound<'py, Self>, out: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let mut own = borrow_engine(slf)?;
        out.as_ref().map(|out| actions::out(out, own.rows)).transpose()?;
        let all = own.engine.clone_ref(py);
        let VecEngine { world, actions, .. } = &mut *borrow_engine(all.bind(py))?;
        world.random_actions(actions);
        let drawn = own.of_learners(actions);
        to_array(py, own.rows, &drawn, out)
    }

    /// Samples an action for each row from the masked softmax of its logits. See ``VecEngine.sample``.
    #[pyo3(signature = (logits, out = None, log_prob = None))]
    fn sample<'py>(
        slf: &Bound<'py, Self>,
        logits: &Bound<'py, PyAny>,
        out: Option<Bound<'py, PyAny>>,
        log_prob: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let mut own = borrow_engine(slf)?;
        let rows = own.rows;
        let logits = arguments::logits(logits, rows)?;
        let (log_prob, mut log_prob_view) = arguments::log_prob(py, log_prob, rows)?;
        out.as_ref().map(|out| actions::out(out, rows)).transpose()?;
        let all = own.engine.clone_ref(py);
        let VecEngine { world, actions, .. } = &mut *borrow_engine(all.bind(py))?;
        let places = own.places_of_learners();
        let mut of_all = vec![[0.0; 9]; 4 * rows.games];
        places.iter().zip(logits.as_slice()?.as_chunks().0).for_each(|(&place, row)| of_all[place] = *row);
        let mut log_probs = vec![0.0; 4 * rows.games];
        world.games.sample(of_all.as_flattened(), actions, Some(&mut log_probs));
        let into = log_prob_view.as_slice_mut()?;
        into.iter_mut().zip(&places).for_each(|(log_prob, &place)| *log_prob = log_probs[place]);
        drop(log_prob_view);
        let drawn = own.of_learners(actions);
        Ok((to_array(py, rows, &drawn, out)?, log_prob))
    }

    /// Returns a copy of a game with all its turns. Its seed is that of the bots.
    fn game(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<Game> {
        let mut own = borrow_engine(slf)?;
        let place = arguments::game(index, own.rows.games)?;
        let LearnerGame { game, players, .. } = &own.games_mut()[place];
        Ok(Game::with_turns(players.seed, game.clone()))
    }

    /// Replaces a game by a ``Game`` with its turns. Seats and opponents stay, and bots learn from the turns.
    fn put(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>, game: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(game) = game.cast::<Game>() else { return Err(wrong_type("game", "a pacman2.Game", game)) };
        let game = game.try_borrow()?;
        let py = slf.py();
        let mut own = borrow_engine(slf)?;
        let all = own.engine.clone_ref(py);
        let mut all = borrow_engine(all.bind(py))?;
        let place = arguments::game(index, own.rows.games)?;
        let game = game.rules().clone();
        all.world.put(place, &game);
        let slot = &mut own.games_mut()[place];
        *slot = LearnerGame::new(game, slot.players.clone());
        own.write_outputs(py, &mut all)
    }

    /// Returns the complete state of all games as bytes, such that the same actions lead to the same future.
    fn get_state<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyBytes>> {
        let py = slf.py();
        let mut own = borrow_engine(slf)?;
        let all = own.engine.clone_ref(py);
        let all = borrow_engine(all.bind(py))?;
        let LearnerEngine { lineup, games, .. } = &mut *own;
        let games = games.get_mut().unwrap_or_else(PoisonError::into_inner);
        Ok(PyBytes::new(py, &saved_learners::write(&all.world, lineup, games)))
    }

    /// Restores the bytes of :meth:`get_state` from an engine with the same number of games and of learners. ``policies`` stand
    /// for the functions of that engine, in its order; by default they are those of this one.
    #[pyo3(signature = (state, policies = None))]
    fn set_state(slf: &Bound<'_, Self>, state: &Bound<'_, PyAny>, policies: Option<Vec<Py<PyAny>>>) -> PyResult<()> {
        let state = &convert::bytes("state", state)?;
        let py = slf.py();
        let policies = policies.map_or_else(|| LearnerEngine::policies(slf), Ok)?;
        let mut own = borrow_engine(slf)?;
        let all = own.engine.clone_ref(py);
        let mut all = borrow_engine(all.bind(py))?;
        let rows = own.rows;
        let LearnerEngine { lineup, games, .. } = &mut *own;
        let known = saved_learners::everyone(lineup, games.get_mut().unwrap_or_else(PoisonError::into_inner));
        let (world, lineup, games) = saved_learners::read(py, state, &all.world, rows, &known, policies)
            .map_err(|error| refuse(format!("expected a saved state of this VecEnv with opponents, got other bytes: {error}")))?;
        all.world = world;
        (own.lineup, own.games) = (lineup, Mutex::new(games));
        own.write_outputs(py, &mut all)
    }
}

impl LearnerEngine {
    fn games_mut(&mut self) -> &mut Vec<LearnerGame> {
        self.games.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the current game of a slot with new players.
    fn next_game(&self, all: &VecEngine, place: usize) -> LearnerGame {
        let (maze, state) = all.world.position(place);
        let players = self.lineup.players(all.world.games.slot(place), place, self.seat);
        LearnerGame::new(RulesGame::new(Arc::clone(maze), state), players)
    }

    /// Chooses all actions, plays the turn in the games with history, and finishes those that learners have left if the reward
    /// requires that. Returns the games that ended for the learners. After an error, no game has changed.
    fn play(&mut self, py: Python<'_>, all: &mut VecEngine) -> PyResult<Vec<usize>> {
        let (rows, reward) = (self.rows, all.world.config.reward);
        follow_fork(&mut all.threads)?;
        let LearnerEngine { given, games, .. } = self;
        let games = games.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (game, given) in games.iter_mut().zip(given.chunks(rows.seats)) {
            game.actions.0 = [Action::Stay; 4];
            for (seat, &action) in game.players.learners().zip(given) {
                game.actions[seat] = Action::ALL[usize::from(action)];
            }
        }
        let arrays = [all.buffers.observations.array(py).clone(), all.buffers.action_mask.array(py).clone()];
        let observe = |_: &[LearnerGame], seats: &[(usize, Seat)]| {
            let places = PyArray1::from_iter(py, seats.iter().map(|(game, seat)| (4 * game + seat.index()) as i64));
            let [observations, masks] = arrays.each_ref().map(|array| array.call_method1("take", (&places, 0)));
            Ok((observations?, masks?))
        };
        ask_policies(py, games, |_, game| !game.is_over, observe)?;
        let (threads, full) = (&all.threads, &mut all.actions);
        py.detach(|| {
            threads.for_each(games, |game| {
                if !game.is_over {
                    game.choose();
                }
            });
        });
        for (full, game) in full.iter_mut().zip(&*games) {
            *full = game.actions.0.map(crate::convert::action_index);
        }
        let turns: Vec<usize> = games.iter().map(|game| game.game.turns().len()).collect();
        let mut ended = Vec::new();
        for (place, game) in games.iter_mut().enumerate().filter(|(_, game)| !game.is_over) {
            game.play();
            if game.is_over_for_learners() {
                ended.push(place);
            }
        }
        if reward != Reward::Share {
            let is_left: Vec<bool> = (0..rows.games).map(|place| ended.binary_search(&place).is_ok()).collect();
            if let Err(error) = finish(py, games, &is_left, all) {
                for (game, turns) in games.iter_mut().zip(turns) {
                    while game.game.turns().len() > turns && game.game.undo() {}
                }
                return Err(error);
            }
        }
        ended.iter().for_each(|&place| games[place].is_over = true);
        Ok(ended)
    }

    /// Writes the last observations of the games that ended, and begins the next ones.
    #[expect(unsafe_code, reason = "lends the arrays of all seats")]
    fn begin_ended(&mut self, py: Python<'_>, all: &mut VecEngine, ended: &[usize]) -> PyResult<()> {
        let places = self.places_of_learners();
        let seats = self.rows.seats;
        let own_rows: Vec<i64> = ended.iter().flat_map(|&game| game * seats..(game + 1) * seats).map(|row| row as i64).collect();
        let all_rows = PyArray1::from_iter(py, own_rows.iter().map(|&row| places[row as usize] as i64));
        let last = all.buffers.observations.array(py).call_method1("take", (all_rows, 0))?;
        let into = self.buffers.final_observations.as_ref().expect("there is one with SameStep").array(py);
        into.set_item(PyArray1::from_vec(py, own_rows), last)?;
        let VecEngine { world, buffers, threads, .. } = all;
        // SAFETY: as in `step`.
        let mut outputs = unsafe { buffers.lend(py)? };
        ended.iter().for_each(|&place| world.begin_next(place, &mut outputs));
        world.observe(threads, &mut outputs);
        for &place in ended {
            let next = self.next_game(all, place);
            self.games_mut()[place] = next;
        }
        self.write_places(py)
    }

    /// Writes all arrays without a turn, as after a reset.
    fn write_outputs(&mut self, py: Python<'_>, all: &mut VecEngine) -> PyResult<()> {
        all.write_outputs(py)?;
        let terminations = all.buffers.terminations.array(py);
        for (place, _) in self.games_mut().iter().enumerate().filter(|(_, game)| game.is_over) {
            for row in 4 * place..4 * place + 4 {
                terminations.set_item(row, true)?;
            }
        }
        self.num_ended = 0;
        self.write_players(py)?;
        copy_rows(py, &self.of_turn, &self.places)?;
        copy_rows(py, &self.of_position, &self.places)
    }

    /// Writes the players of each game, and the rows of learners.
    fn write_players(&mut self, py: Python<'_>) -> PyResult<()> {
        self.write_places(py)?;
        let players = self.games_mut().iter().flat_map(|LearnerGame { players, .. }| {
            players.learners().map(|seat| (seat.index() as u8, players.indices_after(seat))).collect::<Vec<_>>()
        });
        let (seats, opponents): (Vec<u8>, Vec<[i32; 3]>) = players.unzip();
        self.seats.bind(py).try_readwrite()?.as_slice_mut()?.copy_from_slice(&seats);
        self.opponents.bind(py).try_readwrite()?.as_slice_mut()?.copy_from_slice(opponents.as_flattened());
        Ok(())
    }

    fn write_places(&mut self, py: Python<'_>) -> PyResult<()> {
        let places: Vec<i64> = self.places_of_learners().into_iter().map(|place| place as i64).collect();
        self.places.bind(py).try_readwrite()?.as_slice_mut()?.copy_from_slice(&places);
        Ok(())
    }

    /// Returns the rows of learners among those of all seats.
    fn places_of_learners(&mut self) -> Vec<usize> {
        let games = self.games_mut().iter().enumerate();
        let rows = |(place, game): (usize, &LearnerGame)| {
            game.players.learners().map(|seat| 4 * place + seat.index()).collect::<Vec<_>>()
        };
        games.flat_map(rows).collect()
    }

    fn of_learners(&mut self, actions: &[[u8; 4]]) -> Vec<u8> {
        self.places_of_learners().into_iter().map(|place| actions.as_flattened()[place]).collect()
    }
}

/// Plays games to their end after the learners' death.
fn finish(py: Python<'_>, games: &mut [LearnerGame], is_left: &[bool], all: &VecEngine) -> PyResult<()> {
    let format = &all.world.config.format;
    let observe = |games: &[LearnerGame], seats: &[(usize, Seat)]| {
        let mut masks = Array2::from_elem((seats.len(), 9), false);
        let seen = PyList::empty(py);
        for (&(place, seat), mut mask) in seats.iter().zip(masks.rows_mut()) {
            let LearnerGame { game, known, .. } = &games[place];
            let (maze, state) = (game.maze(), game.state());
            let position = Position { maze, state, known, past: &observation::past_of(game, format.history) };
            seen.append(position.array(py, format, seat))?;
            mask.iter_mut().zip(observe::action_mask(maze, state, seat)).for_each(|(mask, legal)| *mask = legal != 0);
        }
        let seen = py.import("numpy")?.call_method1("stack", (seen,))?;
        Ok((seen, PyArray2::from_owned_array(py, masks).into_any()))
    };
    let play_on = |games: &mut [LearnerGame], play: fn(&mut LearnerGame)| {
        let left = games.iter_mut().zip(is_left).filter(|(game, is_left)| **is_left && !game.game.is_over());
        let mut left: Vec<&mut LearnerGame> = left.map(|(game, _)| game).collect();
        py.detach(|| all.threads.for_each(&mut left, |game| play(game)));
        !left.iter().all(|game| game.game.is_over())
    };
    let mut goes_on = play_on(games, LearnerGame::play_without_policies);
    while goes_on {
        ask_policies(py, games, |place, game| is_left[place] && !game.game.is_over(), observe)?;
        goes_on = play_on(games, |game| {
            game.choose();
            game.play();
            game.play_without_policies();
        });
    }
    Ok(())
}

/// Pairs the arrays of these names, those of learners as the dtype of the others.
fn pairs(py: Python<'_>, names: &[&str], all: &Buffers, learners: &Buffers) -> PyResult<Vec<ArrayPair>> {
    let arrays = all.arrays(py).into_iter().zip(learners.arrays(py));
    let pair = |((_, all), (_, learners)): ((_, &Bound<'_, _>), (_, &Bound<'_, numpy::PyUntypedArray>))| {
        let all: &Bound<'_, numpy::PyUntypedArray> = all;
        let learners = learners.call_method1("view", (all.dtype(),))?;
        Ok(ArrayPair { all: all.clone().into_any().unbind(), learners: learners.unbind() })
    };
    arrays.filter(|((name, _), _)| names.contains(name)).map(pair).collect()
}

/// Copies the rows of learners.
fn copy_rows(py: Python<'_>, pairs: &[ArrayPair], places: &Py<PyArray1<i64>>) -> PyResult<()> {
    for ArrayPair { all, learners } in pairs {
        // With this mode, NumPy writes without a copy between.
        all.bind(py).call_method1("take", (places, 0, learners, "clip"))?;
    }
    Ok(())
}
