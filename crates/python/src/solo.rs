//! The core of `pacman2.SoloEnv`: one learner against three built-in bots.

use std::sync::{Mutex, PoisonError};

use numpy::PyArray1;
use pacman2_batch::observe::{ACTIONS, action_mask};
use pacman2_bots::{Agent, BotConfig};
use pacman2_rules::{Action, BySeat, Seat};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::bot_spec::LoadedBot;
use crate::convert::{self, refuse};
use crate::game::Game;
use crate::known_mazes::KnownMaze;
use crate::maze_source::MazeSource;
use crate::observation::{self, Content, ObservationFormat, Position};
use crate::options::{self, Named};
use crate::rules::RuleKeywords;
use crate::saved_game;
use crate::vec::reward::{GameEnd, Reward, shares};

/// A game of one learner against three built-in bots.
#[pyclass(module = "pacman2._engine")]
pub(crate) struct Solo {
    format: ObservationFormat,
    reward: Reward,
    opponents: [BotConfig; 3],
    maze_source: MazeSource,
    episode: Option<Episode>,
}

/// A game that has started.
struct Episode {
    /// The seed of the map and of the bots.
    seed: i32,
    game: pacman2_rules::Game,
    known: KnownMaze,
    seat: Seat,
    agents: Mutex<Opponents>,
    /// Whether the episode is over for the learner.
    is_done: bool,
}

/// The bots by seat; `None` for the learner's seat.
type Opponents = BySeat<Option<Agent>>;

/// The result of a turn: the reward, whether the episode is over, and the points and rank if the game is over.
type StepResult = (f32, bool, Option<(f64, u32)>);

#[pymethods]
impl Solo {
    #[new]
    #[pyo3(signature = (
        opponents, *, observation = "compact", dtype = None, history = None, window = None, reward = "share", size = None,
        init_data = None, **rules,
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        opponents: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::observation)] observation: &str,
        dtype: Option<&Bound<'_, PyAny>>,
        history: Option<&Bound<'_, PyAny>>,
        window: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::reward)] reward: &str,
        size: Option<&Bound<'_, PyAny>>,
        init_data: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Solo> {
        let own =
            ["opponents", "seat", "observation", "dtype", "history", "window", "reward", "render_mode", "size", "init_data"];
        let rules = RuleKeywords::read("SoloEnv", &own, rules)?;
        let opponents: [String; 3] = convert::texts("opponents", opponents)?;
        let [next, opposite, last] = opponents.each_ref().map(|typed| opponent(typed));
        Ok(Solo {
            format: ObservationFormat::from_python(Content::of(observation), dtype, history, window)?,
            reward: Reward::of(reward),
            opponents: [next?, opposite?, last?],
            maze_source: MazeSource::from_python(py, size, init_data, rules)?,
            episode: None,
        })
    }

    /// The shape of an observation.
    #[getter]
    fn observation_shape(&self) -> Vec<usize> {
        self.format.shape()
    }

    /// The type of an observation's numbers.
    #[getter]
    fn observation_dtype(&self) -> &'static str {
        self.format.dtype.name()
    }

    /// The least and the greatest numbers of an observation: two arrays of its shape.
    #[getter]
    fn observation_bounds<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, Bound<'py, PyAny>) {
        observation::bounds(py, &self.format)
    }

    /// Starts a game on the map of `seed`, with the learner at `seat`.
    fn begin(&mut self, seed: &Bound<'_, PyAny>, seat: &Bound<'_, PyAny>) -> PyResult<()> {
        let map = self.maze_source.map(convert::seed("seed", seed)? as i32);
        let game = pacman2_rules::Game::new(map.maze, map.start);
        self.episode = Some(Episode::new(map.seed, game, convert::seat(seat)?, &self.opponents));
        Ok(())
    }

    /// Plays one turn. Other Python threads can run while the bots choose their actions.
    fn step(&mut self, py: Python<'_>, action: &Bound<'_, PyAny>) -> PyResult<StepResult> {
        let reward = self.reward;
        let episode = self.episode.as_mut().ok_or_else(no_game)?;
        let action = convert::whole_number("action", action, 0..=8)?;
        if episode.is_done {
            return Err(PyRuntimeError::new_err("the episode is over; call reset() for the next one"));
        }
        Ok(py.detach(|| episode.step(Action::ALL[action as usize], reward)))
    }

    /// Returns the learner's observation in a new array.
    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Episode { game, known, seat, .. } = self.episode()?;
        let past = observation::past_of(game, self.format.history);
        let position = Position { maze: game.maze(), state: game.state(), known, past: &past };
        Ok(position.array(py, &self.format, *seat))
    }

    /// Returns which actions are legal for the learner, `int8` of shape (9,).
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let episode = self.episode()?;
        let mask: [u8; ACTIONS] = action_mask(episode.game.maze(), episode.game.state(), episode.seat);
        Ok(PyArray1::from_slice(py, &mask.map(|allowed| allowed as i8)))
    }

    /// The learner's seat.
    #[getter]
    fn seat(&self) -> PyResult<usize> {
        Ok(self.episode()?.seat.index())
    }

    /// A copy of the game with its history.
    #[getter]
    fn game(&self) -> PyResult<Game> {
        let episode = self.episode()?;
        Ok(Game::with_turns(episode.seed, episode.game.clone()))
    }

    /// Returns the complete state of the environment as bytes.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut bytes = vec![VERSION];
        if let Some(episode) = &self.episode {
            bytes.extend([episode.seat.index() as u8, u8::from(episode.is_done)]);
            bytes.extend(saved_game::write(episode.seed, &episode.game));
        }
        PyBytes::new(py, &bytes)
    }

    /// Restores the state of an environment with the same options. The bots learn from the turns played so far, as if they had
    /// played from the start.
    #[pyo3(signature = (data, /))]
    fn restore(&mut self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let episode = match &convert::bytes("data", data)?[..] {
            [VERSION] => None,
            [VERSION, seat @ 0..4, is_done @ 0..2, game @ ..] => {
                let (seed, game) = saved_game::read(game).map_err(refuse)?;
                let mut episode = Episode::new(seed, game, Seat::ALL[usize::from(*seat)], &self.opponents);
                episode.is_done = *is_done == 1;
                Some(episode)
            }
            _ => return Err(refuse("expected a saved environment of this version, got other bytes")),
        };
        self.episode = episode;
        Ok(())
    }
}

const VERSION: u8 = 1;

impl Solo {
    fn episode(&self) -> PyResult<&Episode> {
        self.episode.as_ref().ok_or_else(no_game)
    }
}

impl Episode {
    fn new(seed: i32, game: pacman2_rules::Game, seat: Seat, opponents: &[BotConfig; 3]) -> Episode {
        let start = |other: Seat| match (other.index() + 4 - seat.index()) % 4 {
            0 => None,
            after => Some(opponents[after - 1].start()),
        };
        Episode { seed, game, known: KnownMaze::default(), seat, agents: Mutex::new(BySeat::from_fn(start)), is_done: false }
    }

    fn step(&mut self, action: Action, reward: Reward) -> StepResult {
        let before = self.game.state().strength;
        self.turn(action);
        let after = self.game.state().strength;
        let lives = self.game.state().alive.contains(self.seat);
        let of_turn = match reward {
            Reward::Share => shares(&after.0)[self.seat.index()] - shares(&before.0)[self.seat.index()],
            Reward::Score | Reward::Rank | Reward::ZeroSum => 0.0,
        };
        // The share is rewarded every turn, and dead players gain nothing more. All other rewards are known at the end of the game.
        while !lives && reward != Reward::Share && !self.game.is_over() {
            self.turn(Action::Stay);
        }
        self.is_done = !lives || self.game.is_over();
        if !self.game.is_over() {
            return (of_turn, self.is_done, None);
        }
        let last = reward.at_end(&GameEnd::of(self.game.state().strength.0))[self.seat.index()];
        let score = self.game.scores()[self.seat];
        (of_turn + last, true, Some((score.points(), score.rank)))
    }

    fn turn(&mut self, action: Action) {
        let Episode { seed, game, agents, .. } = self;
        let agents = agents.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut actions = BySeat([Action::Stay; 4]);
        for other in game.state().alive.iter() {
            actions[other] = match &mut agents[other] {
                Some(agent) => agent(game, other, *seed),
                None => action,
            };
        }
        game.play_with(&actions, &mut ());
    }
}

/// Loads a built-in bot with options, as on the command line.
fn opponent(typed: &str) -> PyResult<BotConfig> {
    let bot = LoadedBot::parse(typed).map_err(|error| {
        convert::wrong_value("opponents", "built-in bots as on the command line", format!("\"{typed}\": {error}"))
    })?;
    Ok(bot.config)
}

#[cold]
fn no_game() -> PyErr {
    PyRuntimeError::new_err("no game has started; call reset() first")
}
