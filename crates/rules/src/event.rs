//! What happens in a turn: events in order, each with its cause, for observers of the turn.

use crate::action::Action;
use crate::cell::{Cell, CellSet, Direction};
use crate::seat::{Seat, SeatSet};

/// Observes a turn while it is played. `()` ignores all events at no cost.
///
/// ```
/// use pacman2_rules::{Action, BySeat, Direction, Event, Observer, picture};
///
/// struct Deaths(u32);
///
/// impl Observer for Deaths {
///     fn on_event(&mut self, event: Event) {
///         self.0 += u32::from(matches!(event, Event::Died { .. }));
///     }
/// }
///
/// let (maze, mut state) = picture::read("
///     +---+---+---+
///     | 0   1   2 |
///     +---+---+---+
/// ").unwrap();
/// let mut deaths = Deaths(0);
/// let into_the_wall = Action::Move(Direction::Up);
/// state.play(&maze, &BySeat([into_the_wall, Action::Stay, Action::Stay, Action::Stay]), &mut deaths);
/// assert_eq!(deaths.0, 1);
/// ```
pub trait Observer {
    /// Receives one event. Events come in the order in which they happen.
    fn on_event(&mut self, event: Event);

    /// Returns whether all events are needed. Without an active observer a turn skips some of them, which is faster.
    #[inline(always)]
    fn is_active(&self) -> bool {
        true
    }
}

impl Observer for () {
    #[inline(always)]
    fn on_event(&mut self, _: Event) {}

    #[inline(always)]
    fn is_active(&self) -> bool {
        false
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    #[inline(always)]
    fn on_event(&mut self, event: Event) {
        (**self).on_event(event);
    }

    #[inline(always)]
    fn is_active(&self) -> bool {
        (**self).is_active()
    }
}

/// One thing that happened in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Event {
    /// A living player's action as it is carried out: as given, or `Stay` if stronger players frightened it.
    Acted { seat: Seat, action: Action },
    /// A player stays because stronger players, `by`, stand on the cell ahead.
    Frightened { seat: Seat, direction: Direction, by: SeatSet },
    /// A player moved one cell.
    Moved { seat: Seat, from: Cell, to: Cell, direction: Direction },
    /// The strongest players on a cell, `winners`, ate the others, `eaten`. Each winner gained `share` of the `loot`.
    Fought { cell: Cell, winners: SeatSet, eaten: SeatSet, loot: i32, share: i32 },
    /// A player lost half of its strength to the players that eat it. Its death follows.
    Looted { seat: Seat, lost: i32 },
    /// A player paid the cost and shot.
    Fired { seat: Seat, from: Cell, direction: Direction, cost: i32 },
    /// Light hit a player. The strengths are those after the hit; they can be negative until all light is resolved.
    Hit { shooter: Seat, victim: Seat, shooter_strength: i32, victim_strength: i32 },
    /// A player died. It lost `lost` strength: all that it had, but nothing if it was eaten ([`Event::Looted`] has that
    /// loss).
    Died { seat: Seat, cell: Cell, lost: i32, cause: Cause },
    /// Under the ruling `prose`, a player that forfeited and was hit by light is back at strength 0.
    StrengthReset { seat: Seat, gained: i32 },
    /// Generators put small fruit on these cells.
    FruitSpawned { cells: CellSet },
    /// A player ate a fruit and gained that much strength at once.
    Ate { seat: Seat, cell: Cell, fruit: Fruit, gained: i32 },
    /// A player's boost has one turn less.
    BoostCounted { seat: Seat, turns_left: u32 },
    /// A player's boost ended and took that much strength with it.
    BoostEnded { seat: Seat, lost: i32 },
    /// The sole survivor received all small fruit in the maze.
    Inherited { seat: Seat, fruits: i32 },
}

/// Why a player died.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Cause {
    /// Its action was illegal.
    IllegalAction { action: Action },
    /// The strongest players on its cell ate it.
    Eaten { by: SeatSet },
    /// Light took its last strength; these players hit it this turn.
    Light { by: SeatSet },
    /// Its boost ended, and it has no strength without it.
    BoostEnded,
}

/// The two kinds of fruit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fruit {
    /// One strength, permanently.
    Small,
    /// A boost for some turns.
    Large,
}
