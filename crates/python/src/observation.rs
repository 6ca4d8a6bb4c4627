//! Formats of observations: their content, and the numbers that it becomes.
//!
//! The content is a [`View`], or the inputs of one of `sage`'s nets. A view arrives as the bytes that `pacman2_batch` writes. It leaves as it
//! is, with a larger window, as floats, or followed by the last actions.

use std::fmt;

use numpy::PyArrayDyn;
use numpy::ndarray::ArrayD;
use pacman2_batch::observe::{self, ACTIONS, MIDDLE, PLANES, PLAYER, PLAYER_PLANES, PLAYERS, View};
use pacman2_bots::net::{INPUTS, NetInputs};
use pacman2_rules::{Action, BySeat, Game, MAX_CELLS, MAX_SIDE, Maze, Seat, SeatSet, State};
use pyo3::prelude::*;

use crate::action_features::{self, FEATURES};
use crate::convert::{self, NO_ACTION, wrong_value};
use crate::known_mazes::KnownMaze;
use crate::numbers::{Number, Numbers};
use crate::options::{impl_named, named};

/// What the numbers of a player in a compact view are divided by to become floats. Powers of two, so that nothing is rounded.
const PLAYER_DIVISORS: [f32; PLAYER] = [16.0, 16.0, 1.0, 32.0, 16.0];
/// What the numbers after the players are divided by.
const REST_DIVISORS: [f32; NUMBERS - 4 * PLAYER] = [128.0, 32.0, 16.0, 16.0, 4.0, 32.0, 16.0, 16.0, 8.0];
/// What the numbers of each plane are divided by.
const PLANE_DIVISORS: [f32; PLANES] = {
    let mut divisors = [1.0; PLANES];
    let mut plane = PLAYER_PLANES;
    while plane < observe::TURNS_LEFT_PLANE {
        divisors[plane] = PLAYER_DIVISORS[observe::STRENGTH];
        divisors[plane + 1] = PLAYER_DIVISORS[observe::BOOST_TURNS_LEFT];
        plane += 2;
    }
    divisors[observe::TURNS_LEFT_PLANE] = REST_DIVISORS[0];
    divisors[observe::TURNS_UNTIL_SPAWN_PLANE] = REST_DIVISORS[1];
    divisors
};
/// The plane of the cells that belong to the board.
const FIELD_PLANE: usize = observe::FIELD.ilog2() as usize;
/// The bits of a cell in a compact view.
const BITS: usize = 8;
/// The numbers after the cells of a compact view.
const NUMBERS: usize = observe::COMPACT - PLAYERS;
const SIDE: usize = MAX_SIDE as usize;
const MAX_WINDOW: i64 = 63;
const MAX_HISTORY: i64 = 64;

/// The format of an observation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ObservationFormat {
    pub(crate) content: Content,
    pub(crate) dtype: Dtype,
    /// The number of turns whose actions follow.
    pub(crate) history: usize,
    /// The rows and columns of cells.
    pub(crate) window: usize,
}

/// What an observation shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    View(View),
    /// The inputs of `sage`'s net for each player.
    Features,
    /// The inputs of `sage`'s policy net for each action of the player.
    ActionFeatures,
}

/// The type of the numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dtype {
    Uint8,
    Float32,
}

/// What a game shows to one player, before it is formatted.
pub(crate) enum Shown<'a> {
    /// The bytes of the player's view.
    View(&'a [u8]),
    /// The inputs of all seats.
    Inputs(&'a NetInputs),
}

/// The actions of the last turns, the latest first, as indices; [`NO_ACTION`] if there was none.
pub(crate) type Past = [[u8; 4]];

impl ObservationFormat {
    /// Reads the arguments that all environments share.
    pub(crate) fn from_python(
        content: Content,
        dtype: Option<&Bound<'_, PyAny>>,
        history: Option<&Bound<'_, PyAny>>,
        window: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ObservationFormat> {
        let dtype = match (content, dtype.map(|dtype| named("dtype", dtype)).transpose()?) {
            (Content::Features, Some(Dtype::Uint8)) => {
                return Err(wrong_value("dtype", "\"float32\" or None, since features are no whole numbers", "\"uint8\""));
            }
            (Content::Features, _) => Dtype::Float32,
            (Content::View(_) | Content::ActionFeatures, dtype) => dtype.unwrap_or(Dtype::Uint8),
        };
        let history = history.map_or(Ok(0), |history| convert::whole_number("history", history, 0..=MAX_HISTORY))? as usize;
        if history > 0 && content == Content::ActionFeatures {
            return Err(wrong_value("history", format!("0 with the observation \"{content}\""), history));
        }
        let window =
            window.map_or(Ok(SIDE as i64), |window| convert::whole_number("window", window, SIDE as i64..=MAX_WINDOW))?;
        let window = window as usize;
        if window.is_multiple_of(2) {
            return Err(wrong_value("window", "an odd number, so that there is a middle", window));
        }
        if window != SIDE && !matches!(content, Content::View(view) if view.is_centred()) {
            let expected = format!("11 or None with the observation \"{content}\", which is not centred");
            return Err(wrong_value("window", expected, window));
        }
        Ok(ObservationFormat { content, dtype, history, window })
    }

    /// Returns the format of the bytes of a view.
    pub(crate) const fn from_view(view: View) -> ObservationFormat {
        ObservationFormat { content: Content::View(view), dtype: Dtype::Uint8, history: 0, window: SIDE }
    }

    /// Returns the view if observations are its bytes.
    pub(crate) fn plain_view(&self) -> Option<View> {
        match self.content {
            Content::View(view) if self.dtype == Dtype::Uint8 && self.history == 0 && self.window == SIDE => Some(view),
            _ => None,
        }
    }

    /// Returns the shape of an observation.
    pub(crate) fn shape(&self) -> Vec<usize> {
        let acts = 4 * self.history;
        match (self.content, self.dtype) {
            (Content::Features, _) => vec![4 * INPUTS + ACTIONS * acts],
            (Content::ActionFeatures, _) => vec![ACTIONS, FEATURES],
            (Content::View(View::Planes | View::PlanesCentred), _) => vec![PLANES + ACTIONS * acts, self.window, self.window],
            (Content::View(_), Dtype::Uint8) => vec![observe::COMPACT + acts],
            (Content::View(_), Dtype::Float32) => vec![BITS * MAX_CELLS + NUMBERS + ACTIONS * acts],
        }
    }

    /// Returns the number of numbers of an observation.
    pub(crate) fn len(&self) -> usize {
        self.shape().iter().product()
    }

    /// Returns the least and the greatest number at each place of an observation.
    pub(crate) fn bounds(&self) -> [Vec<f32>; 2] {
        let mut high = vec![if self.content == Content::ActionFeatures { 1.0 } else { 255.0 }; self.len()];
        let mut low = vec![0.0; high.len()];
        if self.dtype == Dtype::Float32 {
            let numbers = match self.content {
                Content::Features => {
                    low[..4 * INPUTS].fill(f32::NEG_INFINITY);
                    high[..4 * INPUTS].fill(f32::INFINITY);
                    4 * INPUTS
                }
                Content::View(View::Planes | View::PlanesCentred) => {
                    let cells = self.window * self.window;
                    for (high, divisor) in high.chunks_mut(cells).zip(PLANE_DIVISORS) {
                        high.fill(highest(divisor));
                    }
                    PLANES * cells
                }
                Content::View(View::Compact) => {
                    high[..BITS * MAX_CELLS].fill(1.0);
                    let numbers = &mut high[BITS * MAX_CELLS..][..NUMBERS];
                    numbers.iter_mut().zip(divisors()).for_each(|(high, divisor)| *high /= divisor);
                    (0..4).for_each(|player| numbers[PLAYER * player + observe::ALIVE] = 1.0);
                    BITS * MAX_CELLS + NUMBERS
                }
                Content::ActionFeatures => 0,
            };
            high[numbers..].fill(1.0);
        }
        [low, high]
    }

    /// Writes the observation of one player. `sides` are the height and the width of its maze, and `past` the last `history` turns.
    pub(crate) fn write(&self, shown: &Shown<'_>, sides: [usize; 2], seat: Seat, past: &Past, into: Numbers<'_>) {
        match (shown, into) {
            (Shown::View(seen), Numbers::Bytes(into)) => self.write_view(seen, sides, seat, past, into),
            (Shown::View(seen), Numbers::Floats(into)) => self.write_view(seen, sides, seat, past, into),
            (Shown::Inputs(inputs), Numbers::Floats(into)) => {
                let (features, acts) = into.split_at_mut(4 * INPUTS);
                for (after, features) in features.as_chunks_mut::<INPUTS>().0.iter_mut().enumerate() {
                    *features = inputs.seats[(seat.index() + after) % 4];
                }
                write_one_hot(past, seat, acts);
            }
            (Shown::Inputs(_), Numbers::Bytes(_)) => unreachable!("features are floats"),
        }
    }

    fn write_view<N: Number>(&self, seen: &[u8], sides: [usize; 2], seat: Seat, past: &Past, into: &mut [N]) {
        if matches!(self.content, Content::View(View::Planes | View::PlanesCentred)) {
            return self.write_planes(seen, sides, seat, past, into);
        }
        let (cells, numbers) = seen.split_at(MAX_CELLS);
        if self.dtype == Dtype::Uint8 {
            let (shown, acts) = into.split_at_mut(seen.len());
            shown.iter_mut().zip(seen).for_each(|(into, &byte)| *into = N::divided(byte, 1.0));
            for (into, action) in acts.iter_mut().zip(from_seat(past, seat)) {
                // No action becomes 0.
                *into = N::divided(action.wrapping_add(1), 1.0);
            }
            return;
        }
        let (shown, rest) = into.split_at_mut(BITS * MAX_CELLS);
        for (bit, plane) in shown.chunks_mut(MAX_CELLS).enumerate() {
            plane.iter_mut().zip(cells).for_each(|(into, &byte)| *into = N::divided(byte >> bit & 1, 1.0));
        }
        let (shown, acts) = rest.split_at_mut(NUMBERS);
        for ((into, &byte), divisor) in shown.iter_mut().zip(numbers).zip(divisors()) {
            *into = N::divided(byte, divisor);
        }
        write_one_hot(past, seat, acts);
    }

    fn write_planes<N: Number>(&self, seen: &[u8], sides: [usize; 2], seat: Seat, past: &Past, into: &mut [N]) {
        if self.history > 0 {
            into.fill(N::default());
        }
        for ((plane, seen), divisor) in seen.chunks(MAX_CELLS).enumerate().zip(PLANE_DIVISORS) {
            self.write_plane(sides, seen, plane, into, |byte| N::divided(byte, divisor));
        }
        let board = &seen[FIELD_PLANE * MAX_CELLS..][..MAX_CELLS];
        for (index, action) in from_seat(past, seat).enumerate().filter(|(_, action)| *action != NO_ACTION) {
            let plane = PLANES + ACTIONS * index + usize::from(action);
            self.write_plane(sides, board, plane, into, |byte| N::divided(byte, 1.0));
        }
    }

    /// Writes the cells of a plane. All cells of a larger window are in 11 rows of 11, too, since the maze is repeated.
    #[inline]
    fn write_plane<N: Number>(
        &self,
        [height, width]: [usize; 2],
        seen: &[u8],
        plane: usize,
        into: &mut [N],
        number: impl Fn(u8) -> N,
    ) {
        let cells = self.window * self.window;
        let mut into = into[plane * cells..][..cells].iter_mut();
        if self.window == SIDE {
            return into.zip(seen).for_each(|(into, &byte)| *into = number(byte));
        }
        let middle = self.window / 2;
        // The middle of the view plus as many sides as the window may reach beyond it.
        let shown = |index: usize, side: usize| (usize::from(MIDDLE) + middle * side + index - middle) % side;
        for row in 0..self.window {
            let seen = &seen[shown(row, height) * SIDE..][..width];
            let row = seen.iter().cycle().skip(shown(0, width)).take(self.window);
            for (&byte, into) in row.zip(into.by_ref()) {
                *into = number(byte);
            }
        }
    }
}

/// Returns the greatest number of a plane of floats.
fn highest(divisor: f32) -> f32 {
    if divisor == 1.0 { 1.0 } else { 255.0 / divisor }
}

/// Returns what each number after the cells of a compact view is divided by.
fn divisors() -> impl Iterator<Item = f32> {
    [PLAYER_DIVISORS; 4].into_iter().flatten().chain(REST_DIVISORS)
}

/// Returns the actions of the past, turn by turn, those of `seat` first, then those of the next seats.
fn from_seat(past: &Past, seat: Seat) -> impl Iterator<Item = u8> {
    past.iter().flat_map(move |actions| (0..4).map(move |after| actions[(seat.index() + after) % 4]))
}

fn write_one_hot<N: Number>(past: &Past, seat: Seat, into: &mut [N]) {
    into.fill(N::default());
    for (into, action) in into.chunks_mut(ACTIONS).zip(from_seat(past, seat)) {
        if let Some(into) = into.get_mut(usize::from(action)) {
            *into = N::divided(1, 1.0);
        }
    }
}

/// A position with what a format needs to show it.
pub(crate) struct Position<'a> {
    pub(crate) maze: &'a Maze,
    pub(crate) state: &'a State,
    pub(crate) known: &'a KnownMaze,
    pub(crate) past: &'a Past,
}

impl Position<'_> {
    fn sides(&self) -> [usize; 2] {
        [self.maze.height().into(), self.maze.width().into()]
    }

    /// Writes the observation of one player.
    pub(crate) fn observe(&self, format: &ObservationFormat, seat: Seat, mut into: Numbers<'_>) {
        if let (Some(view), Numbers::Bytes(into)) = (format.plain_view(), &mut into) {
            return observe::observe(view, self.maze, self.state, seat, into);
        }
        match format.content {
            Content::View(view) => {
                let mut seen = [0; View::Planes.len()];
                let seen = &mut seen[..view.len()];
                observe::observe(view, self.maze, self.state, seat, seen);
                format.write(&Shown::View(seen), self.sides(), seat, self.past, into);
            }
            Content::Features => {
                let inputs = self.known.inputs(self.maze, self.state);
                format.write(&Shown::Inputs(&inputs), self.sides(), seat, self.past, into);
            }
            Content::ActionFeatures => action_features::write(self.known.tables(self.maze), self.maze, self.state, seat, into),
        }
    }

    /// Writes the observations of all players, seat by seat.
    pub(crate) fn observe_all(&self, format: &ObservationFormat, into: Numbers<'_>) {
        for (seat, into) in Seat::ALL.into_iter().zip(into.into_chunks(format.len())) {
            self.observe(format, seat, into);
        }
    }

    /// Returns the observation of one player as a new array.
    pub(crate) fn array<'py>(&self, py: Python<'py>, format: &ObservationFormat, seat: Seat) -> Bound<'py, PyAny> {
        fn filled<T: numpy::Element + Clone + Default>(shape: &[usize], fill: impl FnOnce(&mut [T])) -> ArrayD<T> {
            let mut array = ArrayD::from_elem(shape, T::default());
            fill(array.as_slice_mut().expect("a fresh array is contiguous"));
            array
        }
        let shape = format.shape();
        match format.dtype {
            Dtype::Uint8 => {
                let array = filled(&shape, |into| self.observe(format, seat, Numbers::Bytes(into)));
                PyArrayDyn::from_owned_array(py, array).into_any()
            }
            Dtype::Float32 => {
                let array = filled(&shape, |into| self.observe(format, seat, Numbers::Floats(into)));
                PyArrayDyn::from_owned_array(py, array).into_any()
            }
        }
    }
}

/// Returns the past of a game before its first turn.
pub(crate) fn no_past(history: usize) -> Vec<[u8; 4]> {
    vec![[NO_ACTION; 4]; history]
}

/// Returns the last `history` turns of a game.
pub(crate) fn past_of(game: &Game, history: usize) -> Vec<[u8; 4]> {
    let mut past = no_past(history);
    let first = game.turns().len().saturating_sub(history);
    for turn in &game.turns()[first..] {
        record(&mut past, turn.before.alive, &turn.actions);
    }
    past
}

/// Adds the actions of a turn. The dead have none.
pub(crate) fn record(past: &mut Past, alive: SeatSet, actions: &BySeat<Action>) {
    if past.is_empty() {
        return;
    }
    past.rotate_right(1);
    past[0] = Seat::ALL.map(|seat| if alive.contains(seat) { convert::action_index(actions[seat]) } else { NO_ACTION });
}

/// Returns the least and the greatest numbers of an observation: two arrays of its shape.
pub(crate) fn bounds<'py>(py: Python<'py>, format: &ObservationFormat) -> (Bound<'py, PyAny>, Bound<'py, PyAny>) {
    let [low, high] = format.bounds().map(|numbers| {
        let numbers = ArrayD::from_shape_vec(format.shape(), numbers).expect("one number for each place");
        PyArrayDyn::from_owned_array(py, numbers).into_any()
    });
    (low, high)
}

impl Content {
    pub(crate) const ALL: [Content; 5] = [
        Content::View(View::Compact),
        Content::View(View::Planes),
        Content::View(View::PlanesCentred),
        Content::Features,
        Content::ActionFeatures,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Content::View(view) => view.name(),
            Content::Features => "features",
            Content::ActionFeatures => "action_features",
        }
    }
}

impl Dtype {
    pub(crate) const ALL: [Dtype; 2] = [Dtype::Uint8, Dtype::Float32];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Dtype::Uint8 => "uint8",
            Dtype::Float32 => "float32",
        }
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl_named!(Content, Dtype);

/// Converts the argument `observation`.
pub(crate) fn observation(given: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    named::<Content>("observation", given).map(Content::name)
}
