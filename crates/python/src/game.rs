//! `pacman2.Game`: a single game, for search.

use std::sync::Arc;

use numpy::ndarray::{Array2, Array3};
use numpy::{PyArray2, PyArray3};
use pacman2_batch::observe::{self, View};
use pacman2_maps::Map;
use pacman2_rules::{BySeat, Cell, Direction, Seat, picture};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::convert::{self, refuse};
use crate::drawing::picture::Picture;
use crate::drawing::raster::{self, Raster};
use crate::drawing::{layout, svg};
use crate::game_arguments::GameArguments;
use crate::known_mazes::KnownMaze;
use crate::observation::{self, ObservationFormat, Position};
use crate::options::named;
use crate::report::{self, Report, four};
use crate::rules::{self, RuleKeywords};
use crate::{saved_game, terminal, viewer_page};

/// Pixels per drawing unit in a notebook. The side of a cell is 100 units.
const SVG_SCALE: f32 = 0.4;
/// Pixels per drawing unit in `rgb_array` pictures.
const RASTER_SCALE: f32 = 0.4;

type Four<T> = (T, T, T, T);

/// A game that is played forward and back, for search.
///
/// Actions are 0 to 8: stay, move up, right, down, left, shoot up, right, down, left. Two games are equal if they have the same
/// position in the same maze, and the hash follows the position. Do not play on with a game that is a key of a dict; use its
/// `clone()` as the key.
///
/// Args:
///     seed: Botzone's map of this seed, -2147483648 to 4294967295; `s` and `s - 2³²` are the same. None draws one.
///     size: a side of the map, 6 to 11, or (width, height). None: chosen by the seed.
///     init_data: a map of its own, as Botzone's init data: a dict or JSON. It may also be settings alone, for the map of the seed.
///     turns: after how many turns the game ends, 1 to 10000; Botzone has 100. As with all settings, None keeps the value of
///         the map, or Botzone's default.
///     generator_interval: turns between spawns of fruit.
///     large_fruit_duration: turns that a boost lasts.
///     large_fruit_enhancement: the strength that a boost adds.
///     skill_cost: the strength that a light costs.
///     ruling: whether light hits a player that forfeits this turn: "sample", "judge" or "prose".
///
/// Raises:
///     TypeError: an argument has a wrong type, or a keyword is unknown.
///     ValueError: a value is out of range, or the map cannot be played. Oddities of init data are a UserWarning.
///
/// Examples:
///     >>> game = pacman2.Game(seed=42, size=(9, 7))
///     >>> game
///     <pacman2.Game seed 42, 9x7, turn 0/100, strength 1, 1, 1, 1>
///     >>> game.step([0, 2, 0, 0]), game.turn, game.alive
///     (True, 1, (True, False, True, True))
///     >>> game.undo(), game.turn
///     (True, 0)
#[pyclass(module = "pacman2")]
#[derive(Clone)]
pub(crate) struct Game {
    /// The seed of the map. It is only passed on.
    seed: i32,
    game: pacman2_rules::Game,
    /// Shared by all copies, which have the same maze.
    known: Arc<KnownMaze>,
}

impl Game {
    /// Returns the game of the rules crate.
    pub(crate) fn rules(&self) -> &pacman2_rules::Game {
        &self.game
    }

    /// Creates a game that starts from a position.
    pub(crate) fn from_position(maze: Arc<pacman2_rules::Maze>, state: pacman2_rules::State) -> Game {
        Game::with_turns(0, pacman2_rules::Game::new(maze, state))
    }

    /// Wraps a game with its history, on the map of that seed.
    pub(crate) fn with_turns(seed: i32, game: pacman2_rules::Game) -> Game {
        Game { seed, game, known: Arc::default() }
    }

    /// Returns the initial map.
    pub(crate) fn map(&self) -> Map {
        let start = self.game.turns().first().map_or(self.game.state(), |first| &first.before);
        Map { seed: self.seed, maze: (**self.game.maze()).clone(), start: *start }
    }

    /// Checks that the game starts at the start of its map.
    fn check_beginning(&self) -> PyResult<()> {
        if saved_game::begins_with_its_map(&self.game) {
            return Ok(());
        }
        Err(refuse("expected a game from the start of its map, got one from a later position, without init data and replay"))
    }

    fn seen<'py>(&self, py: Python<'py>, format: &ObservationFormat, seat: Seat) -> Bound<'py, PyAny> {
        let past = observation::past_of(&self.game, format.history);
        let position = Position { maze: self.game.maze(), state: self.game.state(), known: &self.known, past: &past };
        position.array(py, format, seat)
    }

    fn dots<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray3<u8>> {
        let Raster { width, height, bytes } = py.detach(|| raster::paint(&layout::draw(&self.game), RASTER_SCALE));
        PyArray3::from_owned_array(py, Array3::from_shape_vec((height, width, 3), bytes).expect("three bytes per pixel"))
    }

    /// Returns an array of one value per cell, indexed by row and column.
    fn cells_of<'py, T: numpy::Element>(&self, py: Python<'py>, value: impl Fn(Cell) -> T) -> Bound<'py, PyArray2<T>> {
        let maze = self.game.maze();
        let values: Vec<T> = maze.cells().map(value).collect();
        let shape = (maze.height().into(), maze.width().into());
        PyArray2::from_owned_array(py, Array2::from_shape_vec(shape, values).expect("one value per cell"))
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (
        seed = None, *, size = None, init_data = None, **rules,
    ))]
    fn new(
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
        init_data: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Game> {
        let rules = RuleKeywords::read("Game", &["seed", "size", "init_data"], rules)?;
        let Map { seed, maze, start } = GameArguments { seed, size, init_data, rules }.map(py)?;
        Ok(Game::with_turns(seed, pacman2_rules::Game::new(maze, start)))
    }

    /// Plays one turn and returns whether the game continues.
    ///
    /// Args:
    ///     actions: four whole numbers from 0 to 8, seat 0 first, as a tuple, a list, an array or a tensor. None stands for no
    ///         action, which is illegal. An illegal action kills the player. Actions of dead players are ignored.
    ///
    /// Raises:
    ///     TypeError: the actions are not a sequence of whole numbers.
    ///     ValueError: there are not four, one is out of range, or the game is over. The game is unchanged.
    #[pyo3(signature = (actions, /))]
    fn step(&mut self, actions: &Bound<'_, PyAny>) -> PyResult<bool> {
        let actions = convert::actions(actions)?;
        if self.game.play_with(&actions, &mut ()) {
            return Ok(!self.game.is_over());
        }
        Err(refuse(format!("expected a game that is not over, got one that is over after turn {}", self.game.state().turn)))
    }

    /// Undoes the last turn and returns whether there was one.
    fn undo(&mut self) -> bool {
        self.game.undo()
    }

    /// Returns the legal actions of the player at `seat`, 0 to 3, in ascending order. The list is empty if the player is dead or
    /// the game is over.
    ///
    /// Examples:
    ///     >>> pacman2.Game(seed=42, size=(9, 7)).legal_actions(0)
    ///     [0, 1, 2]
    fn legal_actions(&self, seat: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
        let seat = convert::seat(seat)?;
        let state = self.game.state();
        let legal = if self.game.is_over() { &[][..] } else { state.legal_actions(self.game.maze(), seat) };
        // Not `Vec<u8>`, which would become a bytes object.
        Ok(legal.iter().map(|&action| convert::action_index(action).into()).collect())
    }

    /// Returns which actions are legal, bool (4, 9). For dead players, and for all once the game is over, only stay is set.
    fn action_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let (maze, state) = (self.game.maze(), self.game.state());
        let masks = Seat::ALL.map(|seat| observe::action_mask(maze, state, seat).map(|legal| legal != 0));
        PyArray2::from_owned_array(py, Array2::from(masks.to_vec()))
    }

    /// Returns what the player at `seat` observes, dead or alive, as an environment with these options does.
    ///
    /// Args:
    ///     view: "compact", (150,); "planes" or "planes_centred", (18, 11, 11); "features", (128,); or "action_features", (9, 279).
    ///     seat: 0 to 3.
    ///     dtype: "uint8", or "float32" for scaled numbers; compact views are then unpacked. None means "uint8", and "float32"
    ///         for "features".
    ///     history: how many of the last turns' actions follow in the observation, 0 to 64; None means 0.
    ///     window: the side of "planes_centred", an odd number from 11 to 63; None means 11.
    ///
    /// Returns:
    ///     A new array of the dtype. The documentation lists the numbers; those of uint8 are clamped to 0 to 255.
    ///
    /// Raises:
    ///     TypeError: an argument has a wrong type.
    ///     ValueError: a name is unknown, a number is out of range, or the options do not fit the view.
    ///
    /// Examples:
    ///     >>> pacman2.Game(seed=42).observe("planes", 1).shape
    ///     (18, 11, 11)
    #[pyo3(signature = (view, seat, *, dtype = None, history = None, window = None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        view: &Bound<'_, PyAny>,
        seat: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        history: Option<&Bound<'_, PyAny>>,
        window: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let format = ObservationFormat::from_python(named("view", view)?, dtype, history, window)?;
        Ok(self.seen(py, &format, convert::seat(seat)?))
    }

    /// Returns the features of each player, float32 (4, 32): the inputs of the net of `sage`, in the same order.
    fn features<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        let inputs = self.known.inputs(self.game.maze(), self.game.state());
        PyArray2::from_owned_array(py, Array2::from(inputs.seats.to_vec()))
    }

    /// Returns the whole position, uint8 (150,): the "compact" observation of seat 0.
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.seen(py, &ObservationFormat::from_view(View::Compact), Seat::S0)
    }

    /// Returns an independent copy with its history.
    fn clone(&self) -> Game {
        Clone::clone(self)
    }

    fn __copy__(&self) -> Game {
        Clone::clone(self)
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Game {
        Clone::clone(self)
    }

    /// Returns the game with its history as bytes. Later versions of this package can read them with `from_bytes`.
    ///
    /// Examples:
    ///     >>> game = pacman2.Game(seed=42)
    ///     >>> pacman2.Game.from_bytes(game.to_bytes()) == game
    ///     True
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &saved_game::write(self.seed, &self.game))
    }

    /// Returns the game from `data`, the bytes of `to_bytes`.
    ///
    /// Raises:
    ///     TypeError: `data` is not bytes.
    ///     ValueError: the bytes are damaged or are not a saved game.
    #[classmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(_class: &Bound<'_, PyType>, data: &Bound<'_, PyAny>) -> PyResult<Game> {
        let (seed, game) = saved_game::read(&convert::bytes("data", data)?).map_err(refuse)?;
        Ok(Game::with_turns(seed, game))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Game>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }

    /// Returns whether both have the same position in the same maze. The history is not compared.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Game>().map(Bound::borrow) else { return false };
        let (own, others) = (self.game.maze(), other.game.maze());
        self.game.state() == other.game.state() && (Arc::ptr_eq(own, others) || own == others)
    }

    fn __hash__(&self) -> u64 {
        self.fingerprint()
    }

    /// Returns a 64-bit hash of the position in its maze, the same in every process and version.
    fn fingerprint(&self) -> u64 {
        self.game.state().fingerprint()
    }

    /// Returns the report of the last turn; None before the first turn.
    fn report(&self, py: Python<'_>) -> PyResult<Option<Report>> {
        report::of_last_turn(py, &self.game)
    }

    /// The actions of all turns so far as passed to `step`, uint8 (turns, 4); 255 for no action.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u8>> {
        let turns = self.game.turns();
        let actions = turns.iter().flat_map(|turn| turn.actions.0.map(convert::action_index)).collect();
        PyArray2::from_owned_array(py, Array2::from_shape_vec((turns.len(), 4), actions).expect("four actions per turn"))
    }

    /// Returns the initial map as Botzone's init data, a dict that `Game(init_data=…)` reads.
    ///
    /// Raises:
    ///     ValueError: the game does not start at the start of its map, as one from a `VecEnv`.
    fn init_data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.check_beginning()?;
        let text = pacman2_botzone::init_data::write(&self.map()).to_string();
        py.import("json")?.getattr("loads")?.call1((text,))
    }

    /// The seed of the map, 0 to 4294967295. It has no meaning for a map that Botzone did not generate.
    #[getter]
    fn seed(&self) -> u32 {
        self.seed as u32
    }

    /// The number of columns.
    #[getter]
    fn width(&self) -> u8 {
        self.game.maze().width()
    }

    /// The number of rows.
    #[getter]
    fn height(&self) -> u8 {
        self.game.maze().height()
    }

    /// The settings of the game, under the names of the constructor's keywords.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        rules::to_dict(py, self.game.maze().ruleset())
    }

    /// The number of turns played.
    #[getter]
    fn turn(&self) -> u32 {
        self.game.state().turn
    }

    /// Whether the game is over: at most one player is alive, or all turns are played.
    #[getter]
    fn is_over(&self) -> bool {
        self.game.is_over()
    }

    /// The number of turns until generators spawn fruit, including the next turn.
    #[getter]
    fn generator_turns_left(&self) -> u32 {
        self.game.state().generator_turns_left
    }

    /// Whether each player is alive.
    #[getter]
    fn alive(&self) -> Four<bool> {
        let alive = self.game.state().alive;
        four(BySeat::from_fn(|seat| alive.contains(seat)))
    }

    /// The strength of each player, including the boost. Dead players keep theirs.
    #[getter]
    fn strength(&self) -> Four<i32> {
        four(self.game.state().strength)
    }

    /// The number of turns left of each player's boost; 0 without a boost.
    #[getter]
    fn boost_turns_left(&self) -> Four<u32> {
        four(self.game.state().boost_turns_left)
    }

    /// The row and column of each player; the last cell of a dead player.
    #[getter]
    fn cells(&self) -> Four<(u8, u8)> {
        let maze = self.game.maze();
        four(self.game.state().cells.map(|cell| report::place(maze, cell)))
    }

    /// The score of each player in points, if the game ended now.
    #[getter]
    fn scores(&self) -> Four<f64> {
        four(self.game.scores().map(|score| score.points()))
    }

    /// The ranks, 1 (worst) to 4 (best). Players of equal strength share the lower rank.
    #[getter]
    fn ranks(&self) -> Four<u32> {
        four(self.game.scores().map(|score| score.rank))
    }

    /// The walls on the sides of each cell, uint8 (height, width): bits 1, 2, 4, 8 for up, right, down, left.
    #[getter]
    fn walls<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u8>> {
        let maze = self.game.maze();
        let bit = |cell, side: Direction| u8::from(maze.walls(cell).contains(side)) << side.index();
        self.cells_of(py, |cell| Direction::ALL.map(|side| bit(cell, side)).iter().sum())
    }

    /// The cells with a generator, bool (height, width).
    #[getter]
    fn generators<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let generators = self.game.maze().generators();
        self.cells_of(py, |cell| generators.contains(cell))
    }

    /// The cells with small fruit, bool (height, width).
    #[getter]
    fn small_fruits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let fruits = self.game.state().small_fruits;
        self.cells_of(py, |cell| fruits.contains(cell))
    }

    /// The cells with large fruit, bool (height, width).
    #[getter]
    fn large_fruits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let fruits = self.game.state().large_fruits;
        self.cells_of(py, |cell| fruits.contains(cell))
    }

    /// Returns the game so far as a replay: JSON that `pacman2 view` opens.
    ///
    /// Args:
    ///     names: the names of the four players; None: "player_0" to "player_3".
    ///
    /// Raises:
    ///     ValueError: the game does not start at the start of its map, or there are not four names.
    #[pyo3(signature = (names = None))]
    fn replay(&self, py: Python<'_>, names: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        self.check_beginning()?;
        let names = match names {
            Some(names) => BySeat(convert::texts("names", names)?),
            None => BySeat::from_fn(|seat| format!("player_{seat}")),
        };
        Ok(py.detach(|| viewer_page::replay(self.map(), &self.game, &names)))
    }

    /// Returns a picture of the position.
    ///
    /// Args:
    ///     mode: "ansi", coloured text as a str; "rgb_array", pixels as uint8 (height, width, 3); "html", the viewer's page with
    ///         the game so far, as a str to save to a file.
    ///
    /// Raises:
    ///     ValueError: the mode is unknown; or for "html", the game does not start at the start of its map.
    fn render<'py>(&self, py: Python<'py>, mode: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match named("mode", mode)? {
            Picture::Ansi => terminal::write(&self.game).into_bound_py_any(py),
            Picture::RgbArray => Ok(self.dots(py).into_any()),
            Picture::Html => viewer_page::page(&self.replay(py, None)?).into_bound_py_any(py),
        }
    }

    fn _repr_svg_(&self) -> String {
        let state = self.game.state();
        let strength = state.strength.0.map(|strength| strength.to_string()).join(", ");
        let label = format!("Pacman2 after turn {}; strength {strength}", state.turn);
        svg::write(&layout::draw(&self.game), &label, SVG_SCALE)
    }

    fn __str__(&self) -> String {
        picture::write(self.game.maze(), self.game.state())
    }

    fn __repr__(&self) -> String {
        let (maze, state) = (self.game.maze(), self.game.state());
        let limit = maze.ruleset().turn_limit;
        let strength = state.strength.0.map(|strength| strength.to_string()).join(", ");
        let (width, height) = (maze.width(), maze.height());
        format!("<pacman2.Game seed {}, {width}x{height}, turn {}/{limit}, strength {strength}>", self.seed, state.turn)
    }
}
