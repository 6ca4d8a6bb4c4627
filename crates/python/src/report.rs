//! The report of a turn for Python. Events have the same names as in the viewer; cells are (row, column) and actions are numbers.

use pacman2_botzone::ChangeFlags;
use pacman2_rules::{Action, BySeat, Cause, Cell, CellSet, Event, Fruit, Game, Maze, Seat, SeatSet};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::convert;

type Four<T> = (T, T, T, T);

/// What happened in a turn. Events have the same names as in the viewer: "moved", "fought", "died" with its cause, and so on.
/// Cells are (row, column), seats are 0 to 3.
///
/// Examples:
///     >>> game = pacman2.Game(seed=42, size=(9, 7))
///     >>> _ = game.step([2, 0, 0, 0])
///     >>> game.report().events[0]
///     {'event': 'ordered', 'seat': 0, 'action': 2}
#[pyclass(module = "pacman2", frozen, get_all)]
pub(crate) struct Report {
    /// The number of the turn, 1 for the first.
    turn: u32,
    /// The actual action of each player, after fright; None for dead players and for players without an action.
    actions: Four<Option<u8>>,
    /// The events in order, one dict each.
    events: Py<PyList>,
    /// The change flags of each player, the same bits as in Botzone's log.
    change: Four<u8>,
    /// The change in strength of each player, as in Botzone's log.
    strength_delta: Four<i32>,
}

#[pymethods]
impl Report {
    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<pacman2.Report of turn {}, {} events>", self.turn, self.events.bind(py).len())
    }
}

/// Plays the last turn of a game again and returns its report; `None` before the first turn.
pub(crate) fn of_last_turn(py: Python<'_>, game: &Game) -> PyResult<Option<Report>> {
    let Some(last) = game.turns().last() else { return Ok(None) };
    let mut state = last.before;
    let mut report = pacman2_rules::Report::new(game.maze());
    state.play(game.maze(), &last.actions, &mut report);
    let writer = EventWriter { py, maze: game.maze() };
    let mut strength = last.before.strength;
    let events = PyList::empty(py);
    for &event in &report.events {
        events.append(writer.to_dict(event, &mut strength)?)?;
    }
    Ok(Some(Report {
        turn: state.turn,
        actions: four(report.actions.map(|action| action.and_then(given))),
        events: events.unbind(),
        change: four(ChangeFlags::from_report(&report).map(ChangeFlags::bits)),
        strength_delta: four(report.strength_delta),
    }))
}

/// Converts one value per seat into a tuple.
pub(crate) fn four<T>(values: BySeat<T>) -> Four<T> {
    let [a, b, c, d] = values.0;
    (a, b, c, d)
}

struct EventWriter<'a, 'py> {
    py: Python<'py>,
    maze: &'a Maze,
}

impl<'py> EventWriter<'_, 'py> {
    /// Converts one event into a dict. Tracks `strength`, because a hit holds the remaining strength but its dict shows the change.
    fn to_dict(&self, event: Event, strength: &mut BySeat<i32>) -> PyResult<Bound<'py, PyDict>> {
        let dict = match event {
            Event::Acted { seat, action } => self.of(seat, "ordered")?.with("action", given(action)),
            Event::Frightened { seat, direction, by } => {
                self.of(seat, "frightened")?.with("direction", direction.to_string())?.with("by", seats(by))
            }
            Event::Moved { seat, from, to, direction } => {
                let dict = self.of(seat, "moved")?.with("from", self.place(from))?.with("to", self.place(to))?;
                dict.with("direction", direction.to_string())
            }
            Event::Fought { cell, winners, eaten, loot, share } => {
                winners.iter().for_each(|seat| strength[seat] += share);
                let dict = self.event("fought")?.with("cell", self.place(cell))?.with("winners", seats(winners))?;
                dict.with("eaten", seats(eaten))?.with("loot", loot)?.with("share", share)
            }
            Event::Looted { seat, lost } => {
                strength[seat] -= lost;
                self.of(seat, "looted")?.with("lost", lost)
            }
            Event::Fired { seat, from, direction, cost } => {
                strength[seat] -= cost;
                let dict = self.of(seat, "fired")?.with("from", self.place(from))?;
                let dict = dict.with("direction", direction.to_string())?.with("cost", cost)?;
                dict.with("way", self.places(self.maze.ray(from, direction)))
            }
            Event::Hit { shooter, victim, shooter_strength, victim_strength } => {
                let gained = shooter_strength - std::mem::replace(&mut strength[shooter], shooter_strength);
                let lost = std::mem::replace(&mut strength[victim], victim_strength) - victim_strength;
                let dict = self.event("hit")?.with("shooter", shooter.index())?.with("victim", victim.index())?;
                dict.with("gained", gained)?.with("lost", lost)
            }
            Event::Died { seat, cell, lost, cause } => {
                strength[seat] -= lost;
                let dict = self.of(seat, "died")?.with("cell", self.place(cell))?.with("lost", lost)?;
                dict.with("cause", self.cause(cause)?)
            }
            Event::StrengthReset { seat, gained } => self.of(seat, "settled")?.with("gained", gained),
            Event::FruitSpawned { cells } => self.event("born")?.with("cells", self.places(cells)),
            Event::Ate { seat, cell, fruit, gained } => {
                let fruit = match fruit {
                    Fruit::Small => "small",
                    Fruit::Large => "large",
                };
                self.of(seat, "ate")?.with("cell", self.place(cell))?.with("fruit", fruit)?.with("gained", gained)
            }
            Event::BoostCounted { seat, turns_left } => self.of(seat, "boost-counted")?.with("turns_left", turns_left),
            Event::BoostEnded { seat, lost } => self.of(seat, "boost-ended")?.with("lost", lost),
            Event::Inherited { seat, fruits } => self.of(seat, "inherited")?.with("fruits", fruits),
        };
        Ok(dict?.0)
    }

    fn cause(&self, cause: Cause) -> PyResult<Bound<'py, PyDict>> {
        let dict = EventDict(PyDict::new(self.py));
        let dict = match cause {
            Cause::IllegalAction { action } => dict.with("cause", "illegal")?.with("action", given(action)),
            Cause::Eaten { by } => dict.with("cause", "eaten")?.with("by", seats(by)),
            Cause::Light { by } => dict.with("cause", "light")?.with("by", seats(by)),
            Cause::BoostEnded => dict.with("cause", "boost-ended"),
        };
        Ok(dict?.0)
    }

    fn event(&self, name: &str) -> PyResult<EventDict<'py>> {
        EventDict(PyDict::new(self.py)).with("event", name)
    }

    fn of(&self, seat: Seat, name: &str) -> PyResult<EventDict<'py>> {
        self.event(name)?.with("seat", seat.index())
    }

    fn place(&self, cell: Cell) -> (u8, u8) {
        place(self.maze, cell)
    }

    fn places(&self, cells: CellSet) -> Vec<(u8, u8)> {
        cells.iter().map(|cell| self.place(cell)).collect()
    }
}

/// Returns the number of an action, or `None` for no action.
fn given(action: Action) -> Option<u8> {
    Some(convert::action_index(action)).filter(|&action| action != convert::NO_ACTION)
}

/// Returns the row and column of a cell.
pub(crate) fn place(maze: &Maze, cell: Cell) -> (u8, u8) {
    (maze.row(cell), maze.col(cell))
}

fn seats(set: SeatSet) -> Vec<usize> {
    set.iter().map(Seat::index).collect()
}

/// A dict under construction.
struct EventDict<'py>(Bound<'py, PyDict>);

impl<'py> EventDict<'py> {
    fn with(self, key: &str, value: impl IntoPyObject<'py>) -> PyResult<EventDict<'py>> {
        self.0.set_item(key, value)?;
        Ok(self)
    }
}
