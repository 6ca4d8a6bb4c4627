//! `pacman2.Game`: one game, for search.

use std::sync::Arc;

use numpy::ndarray::{Array2, Array3, ArrayD};
use numpy::{PyArray2, PyArray3, PyArrayDyn};
use pacman2_batch::observe::{self, View};
use pacman2_maps::Map;
use pacman2_rules::{BySeat, Cell, Direction, Seat, picture};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::convert::{self, GameArguments, refuse};
use crate::drawing::raster::{self, Raster};
use crate::drawing::{Drawing, svg};
use crate::report::{self, Report, four};
use crate::rules::{self, RuleKeywords};
use crate::{saved_game, terminal, viewer_page};

/// Dots for each hundredth of a cell's side, in a notebook.
const SVG_SCALE: f32 = 0.4;
/// The same in pictures of dots.
const RASTER_SCALE: f32 = 0.4;

type Four<T> = (T, T, T, T);

/// A game that is played turn by turn and taken back turn by turn.
///
/// The map is Botzone's of `seed` (drawn by chance if None), `size` a side of 6 to 11 or (width, height); or the one in
/// `init_data`, Botzone's JSON as dict or str. The other keywords are the numbers of the game, where None leaves what the map
/// or Botzone says; `ruling` is whom light hits in the turn of an illegal order: "sample", "judge" or "prose". ValueError says
/// what cannot be played; what merely looks odd is a UserWarning.
///
/// Actions are 0 to 8: stay, walk up, right, down, left, shoot up, right, down, left. Games are equal in the same position of the
/// same arena, and hash by their position: one that is a key of a dict must not be played on; put its `clone()` there.
#[pyclass(module = "pacman2")]
#[derive(Clone)]
pub(crate) struct Game {
    /// The seed of its map, which is only told on.
    seed: i32,
    game: pacman2_rules::Game,
}

impl Game {
    /// The game itself.
    pub(crate) fn rules(&self) -> &pacman2_rules::Game {
        &self.game
    }

    /// A game that begins in the midst, with this position.
    pub(crate) fn of_position(maze: Arc<pacman2_rules::Maze>, state: pacman2_rules::State) -> Game {
        Game { seed: 0, game: pacman2_rules::Game::new(maze, state) }
    }

    /// A game with all its turns, on the map of that seed.
    pub(crate) fn with_turns(seed: i32, game: pacman2_rules::Game) -> Game {
        Game { seed, game }
    }

    /// The seed of its map.
    pub(crate) fn map_seed(&self) -> i32 {
        self.seed
    }

    /// The map it began with.
    pub(crate) fn map(&self) -> Map {
        let start = self.game.turns().first().map_or(self.game.state(), |first| &first.before);
        Map { seed: self.seed, maze: (**self.game.maze()).clone(), start: *start }
    }

    /// Refuses what can only be told of a game from its first turn on.
    fn check_beginning(&self) -> PyResult<()> {
        if saved_game::begins_with_its_map(&self.game) {
            return Ok(());
        }
        Err(refuse("this game was taken from the midst of another; it has no map to begin with and no replay"))
    }

    fn seen<'py>(&self, py: Python<'py>, view: View, seat: Seat) -> Bound<'py, PyArrayDyn<u8>> {
        let mut seen = ArrayD::zeros(view.shape());
        let numbers = seen.as_slice_mut().expect("a fresh array is contiguous");
        observe::observe(view, self.game.maze(), self.game.state(), seat, numbers);
        PyArrayDyn::from_owned_array(py, seen)
    }

    fn dots<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray3<u8>> {
        let Raster { width, height, bytes } = py.detach(|| raster::paint(&Drawing::of(&self.game), RASTER_SCALE));
        PyArray3::from_owned_array(py, Array3::from_shape_vec((height, width, 3), bytes).expect("three bytes a dot"))
    }

    /// A value for each cell, as rows of columns.
    fn cells_of<'py, T: numpy::Element>(&self, py: Python<'py>, value: impl Fn(Cell) -> T) -> Bound<'py, PyArray2<T>> {
        let maze = self.game.maze();
        let values: Vec<T> = maze.cells().map(value).collect();
        let shape = (maze.height().into(), maze.width().into());
        PyArray2::from_owned_array(py, Array2::from_shape_vec(shape, values).expect("a value for each cell"))
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
        let rules = RuleKeywords::read("Game", rules)?;
        let Map { seed, maze, start } = GameArguments { seed, size, init_data, rules }.map(py)?;
        Ok(Game { seed, game: pacman2_rules::Game::new(maze, start) })
    }

    /// Plays a turn and returns whether the game goes on.
    ///
    /// `actions` are four whole numbers from 0 to 8, seat 0 first; None is no action, which is illegal. Illegal actions kill, and
    /// those of the dead do not count. ValueError and TypeError leave the game as it was; ValueError also if it is over.
    #[pyo3(signature = (actions, /))]
    fn step(&mut self, actions: &Bound<'_, PyAny>) -> PyResult<bool> {
        let actions = convert::actions(actions)?;
        if self.game.play_with(&actions, &mut ()) {
            return Ok(!self.game.is_over());
        }
        Err(refuse(format!("the game is over after turn {}; no turn can be played", self.game.state().turn)))
    }

    /// Takes the last turn back; returns whether there was one.
    fn undo(&mut self) -> bool {
        self.game.undo()
    }

    /// The actions that a player may choose, ascending; none for the dead and when the game is over.
    fn legal_actions(&self, seat: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
        let seat = convert::seat(seat)?;
        let state = self.game.state();
        let legal = if self.game.is_over() { &[][..] } else { state.legal_actions(self.game.maze(), seat) };
        // Not bytes: of those Python would make an object of its own kind.
        Ok(legal.iter().map(|&action| convert::action_index(action).into()).collect())
    }

    /// Which actions are legal, bool (4, 9); of the dead, and of all when the game is over, only to stay is set.
    fn action_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let (maze, state) = (self.game.maze(), self.game.state());
        let masks = Seat::ALL.map(|seat| observe::action_mask(maze, state, seat).map(|legal| legal != 0));
        PyArray2::from_owned_array(py, Array2::from(masks.to_vec()))
    }

    /// What a seat sees, uint8: "compact" or "compact_centred", (150,); "planes" or "planes_centred", (18, 11, 11).
    fn observe<'py>(&self, py: Python<'py>, view: &str, seat: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let view: View = view.parse().map_err(refuse)?;
        Ok(self.seen(py, view, convert::seat(seat)?))
    }

    /// All of the position in absolute order, uint8 (150,): what seat 0 sees in "compact".
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<u8>> {
        self.seen(py, View::Compact, Seat::S0)
    }

    /// A copy with its history, which can be played on by itself.
    fn clone(&self) -> Game {
        Clone::clone(self)
    }

    fn __copy__(&self) -> Game {
        Clone::clone(self)
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Game {
        Clone::clone(self)
    }

    /// The game with its whole history; `from_bytes` takes it back, also in later versions of this package.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &saved_game::write(self.seed, &self.game))
    }

    /// The game that `to_bytes` wrote. ValueError if these are no such bytes.
    #[classmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(_class: &Bound<'_, PyType>, data: &[u8]) -> PyResult<Game> {
        let (seed, game) = saved_game::read(data).map_err(refuse)?;
        Ok(Game { seed, game })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Game>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }

    /// The same position of the same arena; how it came about does not count.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Game>().map(Bound::borrow) else { return false };
        let (own, others) = (self.game.maze(), other.game.maze());
        self.game.state() == other.game.state() && (Arc::ptr_eq(own, others) || own == others)
    }

    fn __hash__(&self) -> u64 {
        self.fingerprint()
    }

    /// A number of 64 bits that tells positions of one arena apart, the same in every process and version.
    fn fingerprint(&self) -> u64 {
        self.game.state().fingerprint()
    }

    /// What happened in the last turn; None before the first.
    fn report(&self, py: Python<'_>) -> PyResult<Option<Report>> {
        report::of_last_turn(py, &self.game)
    }

    /// The actions of all turns so far as they were given, uint8 (turns, 4); 255 for none.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u8>> {
        let turns = self.game.turns();
        let actions = turns.iter().flat_map(|turn| turn.actions.0.map(convert::action_index)).collect();
        PyArray2::from_owned_array(py, Array2::from_shape_vec((turns.len(), 4), actions).expect("four actions a turn"))
    }

    /// The map that the game began with, as Botzone's init data.
    fn init_data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.check_beginning()?;
        let text = pacman2_botzone::init_data::write(&self.map()).to_string();
        py.import("json")?.getattr("loads")?.call1((text,))
    }

    /// The seed of the map; of a map from elsewhere just a number.
    #[getter]
    fn seed(&self) -> i32 {
        self.seed
    }

    /// Columns.
    #[getter]
    fn width(&self) -> u8 {
        self.game.maze().width()
    }

    /// Rows.
    #[getter]
    fn height(&self) -> u8 {
        self.game.maze().height()
    }

    /// The numbers of the game, under the names that the constructor takes.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        rules::to_dict(py, self.game.maze().ruleset())
    }

    /// Turns played.
    #[getter]
    fn turn(&self) -> u32 {
        self.game.state().turn
    }

    /// Whether the game has ended: at most one player lives, or all turns are played.
    #[getter]
    fn is_over(&self) -> bool {
        self.game.is_over()
    }

    /// Turns until fruit is born, the coming one included.
    #[getter]
    fn generator_turns_left(&self) -> u32 {
        self.game.state().generator_turns_left
    }

    /// Who lives.
    #[getter]
    fn alive(&self) -> Four<bool> {
        let alive = self.game.state().alive;
        four(BySeat::from_fn(|seat| alive.contains(seat)))
    }

    /// The strength of each player, what a boost lends included; the dead keep theirs.
    #[getter]
    fn strength(&self) -> Four<i32> {
        four(self.game.state().strength)
    }

    /// For how many more turns each player's boost lasts; 0 without one.
    #[getter]
    fn boost_turns_left(&self) -> Four<u32> {
        four(self.game.state().boost_turns_left)
    }

    /// Row and column of each player; of the dead where they last stood.
    #[getter]
    fn cells(&self) -> Four<(u8, u8)> {
        let maze = self.game.maze();
        four(self.game.state().cells.map(|cell| report::place(maze, cell)))
    }

    /// What each player scores if the game ends now, in points.
    #[getter]
    fn scores(&self) -> Four<f64> {
        four(self.game.scores().map(|score| score.points()))
    }

    /// The places counted from the bottom, 4 the best; who is equally strong shares the lower one.
    #[getter]
    fn ranks(&self) -> Four<u32> {
        four(self.game.scores().map(|score| score.rank))
    }

    /// The walls of each cell as seen from it, uint8 (height, width): bits 1, 2, 4, 8 for up, right, down, left.
    #[getter]
    fn walls<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u8>> {
        let maze = self.game.maze();
        let bit = |cell, side: Direction| u8::from(maze.walls(cell).stands(side)) << side.index();
        self.cells_of(py, |cell| Direction::ALL.map(|side| bit(cell, side)).iter().sum())
    }

    /// Where generators stand, bool (height, width).
    #[getter]
    fn generators<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let generators = self.game.maze().generators();
        self.cells_of(py, |cell| generators.contains(cell))
    }

    /// Where small fruit lies, bool (height, width).
    #[getter]
    fn small_fruits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let fruits = self.game.state().small_fruits;
        self.cells_of(py, |cell| fruits.contains(cell))
    }

    /// Where large fruit lies, bool (height, width).
    #[getter]
    fn large_fruits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let fruits = self.game.state().large_fruits;
        self.cells_of(py, |cell| fruits.contains(cell))
    }

    /// The game so far as a replay, JSON that `pacman2 view` opens; `names` are the four players'.
    #[pyo3(signature = (names = None))]
    fn replay(&self, py: Python<'_>, names: Option<[String; 4]>) -> PyResult<String> {
        self.check_beginning()?;
        let names = names.map_or_else(|| BySeat::from_fn(|seat| format!("player_{seat}")), BySeat);
        Ok(py.detach(|| viewer_page::replay(self.map(), &self.game, &names)))
    }

    /// A picture: "ansi", coloured text; "rgb_array", dots as uint8 (height, width, 3); "html", the viewer's page with the game
    /// so far, a str to be written into a file.
    fn render<'py>(&self, py: Python<'py>, mode: &str) -> PyResult<Bound<'py, PyAny>> {
        match mode {
            "ansi" => terminal::write(&self.game).into_bound_py_any(py),
            "rgb_array" => Ok(self.dots(py).into_any()),
            "html" => viewer_page::page(&self.replay(py, None)?).into_bound_py_any(py),
            _ => Err(refuse(format!("mode is \"{mode}\"; \"ansi\", \"rgb_array\" or \"html\" is possible"))),
        }
    }

    fn _repr_svg_(&self) -> String {
        let state = self.game.state();
        let strength = state.strength.0.map(|strength| strength.to_string()).join(", ");
        let label = format!("Pacman2 after turn {}; strength {strength}", state.turn);
        svg::write(&Drawing::of(&self.game), &label, SVG_SCALE)
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
