//! The core of `pacman2.SoloEnv`: one learner, and three built-in bots that decide while it waits.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use numpy::ndarray::ArrayD;
use numpy::{PyArray1, PyArrayDyn};
use pacman2_batch::observe::{ACTIONS, View, action_mask, observe};
use pacman2_bots::{Agent, BotConfig, Effort};
use pacman2_rules::{Action, BySeat, Seat};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::bot;
use crate::convert::{self, refuse};
use crate::game::Game;
use crate::maze_source::MazeSource;
use crate::parallel_env::named;
use crate::rules::RuleKeywords;
use crate::saved_game;
use crate::vec::reward::{GameEnd, Reward, shares};

/// A game of one learner against three built-in bots.
#[pyclass(module = "pacman2._engine")]
pub(crate) struct Solo {
    view: View,
    reward: Reward,
    opponents: [BotConfig; 3],
    ground: MazeSource,
    play: Option<Episode>,
}

/// A game that was begun.
struct Episode {
    /// The seed of its map, and of its bots' chance.
    seed: i32,
    game: pacman2_rules::Game,
    seat: Seat,
    minds: Mutex<Opponents>,
    /// Whether the learner has seen the last of it.
    is_done: bool,
}

/// The bots at their seats; nobody at the learner's.
type Opponents = BySeat<Option<Agent>>;

/// What a turn brought: the reward, whether it was the last, and then points and place, if the game is over.
type StepResult = (f32, bool, Option<(f64, u32)>);

#[pymethods]
impl Solo {
    #[new]
    #[pyo3(signature = (
        opponents, *, observation = "compact", reward = "share", size = None, init_data = None, **rules,
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        opponents: [String; 3],
        observation: &str,
        reward: &str,
        size: Option<&Bound<'_, PyAny>>,
        init_data: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Solo> {
        let rules = RuleKeywords::read("Solo", rules)?;
        let [next, opposite, last] = opponents.each_ref().map(|typed| opponent(typed));
        Ok(Solo {
            view: named("observation", observation)?,
            reward: named("reward", reward)?,
            opponents: [next?, opposite?, last?],
            ground: MazeSource::from_python(py, size, init_data, rules)?,
            play: None,
        })
    }

    /// The sides of an observation.
    #[getter]
    fn observation_shape(&self) -> Vec<usize> {
        self.view.shape().to_vec()
    }

    /// Begins a game on the map of that seed, with the learner at that seat.
    fn begin(&mut self, seed: &Bound<'_, PyAny>, seat: &Bound<'_, PyAny>) -> PyResult<()> {
        let map = self.ground.map(convert::seed(seed)?);
        let game = pacman2_rules::Game::new(map.maze, map.start);
        self.play = Some(Episode::new(map.seed, game, convert::seat(seat)?, &self.opponents));
        Ok(())
    }

    /// Plays a turn. Other threads of Python run while the bots think.
    fn step(&mut self, py: Python<'_>, action: &Bound<'_, PyAny>) -> PyResult<StepResult> {
        let reward = self.reward;
        let play = self.play.as_mut().ok_or_else(no_game)?;
        let action = convert::whole_number("action", action, 0..=8)?;
        if play.is_done {
            return Err(PyRuntimeError::new_err("the episode is over; call reset() for the next one"));
        }
        Ok(py.detach(|| play.step(Action::ALL[action as usize], reward)))
    }

    /// What the learner sees, in an array of its own.
    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let play = self.play()?;
        let mut seen = ArrayD::zeros(self.view.shape());
        let numbers = seen.as_slice_mut().expect("a fresh array is contiguous");
        observe(self.view, play.game.maze(), play.game.state(), play.seat, numbers);
        Ok(PyArrayDyn::from_owned_array(py, seen))
    }

    /// Which actions it may choose, `int8` of 9.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let play = self.play()?;
        let mask: [u8; ACTIONS] = action_mask(play.game.maze(), play.game.state(), play.seat);
        Ok(PyArray1::from_slice(py, &mask.map(|allowed| allowed as i8)))
    }

    /// The learner's seat.
    #[getter]
    fn seat(&self) -> PyResult<usize> {
        Ok(self.play()?.seat.index())
    }

    /// The game, as one of its own.
    #[getter]
    fn game(&self) -> PyResult<Game> {
        let play = self.play()?;
        Ok(Game::with_turns(play.seed, play.game.clone()))
    }

    /// All that the future of the game follows from, as bytes.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut bytes = vec![VERSION];
        if let Some(play) = &self.play {
            bytes.extend([play.seat.index() as u8, u8::from(play.is_done)]);
            bytes.extend(saved_game::write(play.seed, &play.game));
        }
        PyBytes::new(py, &bytes)
    }

    /// Goes on where an environment with the same options was saved. The bots know what they would know had they sat there
    /// from the beginning: it follows from the turns that were played.
    #[pyo3(signature = (data, /))]
    fn restore(&mut self, data: &[u8]) -> PyResult<()> {
        let play = match data {
            [VERSION] => None,
            [VERSION, seat @ 0..4, is_done @ 0..2, game @ ..] => {
                let (seed, game) = saved_game::read(game).map_err(refuse)?;
                let mut play = Episode::new(seed, game, Seat::ALL[usize::from(*seat)], &self.opponents);
                play.is_done = *is_done == 1;
                Some(play)
            }
            _ => return Err(refuse("these bytes are not a saved environment of this version")),
        };
        self.play = play;
        Ok(())
    }
}

const VERSION: u8 = 1;

impl Solo {
    fn play(&self) -> PyResult<&Episode> {
        self.play.as_ref().ok_or_else(no_game)
    }
}

impl Episode {
    fn new(seed: i32, game: pacman2_rules::Game, seat: Seat, opponents: &[BotConfig; 3]) -> Episode {
        let sit = |other: Seat| match (other.index() + 4 - seat.index()) % 4 {
            0 => None,
            after => Some(opponents[after - 1].start()),
        };
        Episode { seed, game, seat, minds: Mutex::new(BySeat::from_fn(sit)), is_done: false }
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
        // A share is told turn by turn, and nothing more comes for the dead; all else is known when the game is over.
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
        let Episode { seed, game, minds, .. } = self;
        let minds = minds.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut actions = BySeat([Action::Stay; 4]);
        for other in game.state().alive.iter() {
            actions[other] = match &mut minds[other] {
                Some(mind) => mind(game, other, *seed),
                None => action,
            };
        }
        game.play_with(&actions, &mut ());
    }
}

/// A built-in bot as it is typed on the command line: a name, and `--simulations N` or `--time MS` behind it.
fn opponent(typed: &str) -> PyResult<BotConfig> {
    let wrong = |why: &str| refuse(format!("opponent \"{typed}\": {why}"));
    let mut words = typed.split_whitespace().flat_map(|word| word.splitn(2, '='));
    let name = words.next().ok_or_else(|| wrong("the name of a built-in bot is wanted"))?;
    let mut effort = None;
    while let Some(option) = words.next() {
        let value: Option<u32> = words.next().and_then(|value| value.parse().ok()).filter(|&value| value > 0);
        let thinking = match (option, value) {
            ("--simulations", Some(number)) => Effort::Simulations(number),
            ("--time", Some(ms)) => Effort::Time(Duration::from_millis(ms.into())),
            ("--simulations" | "--time", None) => return Err(wrong(&format!("{option} takes a whole number from 1 on"))),
            _ => return Err(wrong(&format!("{option} is not known; --simulations N or --time MS is possible"))),
        };
        if effort.replace(thinking).is_some() {
            return Err(wrong("one of --simulations and --time is possible, once"));
        }
    }
    bot::opponent(name, effort)
}

#[cold]
fn no_game() -> PyErr {
    PyRuntimeError::new_err("no game was begun; call reset() first")
}
