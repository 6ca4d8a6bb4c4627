//! What a turn tells onlookers: each thing that happened, in order, with its cause.

use crate::action::Action;
use crate::field::{Cell, CellSet, Direction};
use crate::seat::{BySeat, Seat, SeatSet};

/// Watches a turn being played. `()` looks away, and then watching costs nothing.
pub trait Observer {
    /// Is told what happens, as it happens.
    fn on_event(&mut self, event: Event);

    /// Whether it looks at all. Who does not is not told of everything, so that turns can be played faster.
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
#[allow(missing_docs, reason = "the fields are told of with their event")]
pub enum Event {
    /// A living player's order as it will be carried out: as given, or `Stay` after a fright.
    Acted { seat: Seat, action: Action },
    /// Stronger players stand where it wanted to go, so it stays.
    Frightened { seat: Seat, direction: Direction, by: SeatSet },
    /// A player walked one cell.
    Moved { seat: Seat, from: Cell, to: Cell, direction: Direction },
    /// The strongest on a cell ate the others there, and each of them gained `share` of the `loot`.
    Fought { cell: Cell, winners: SeatSet, eaten: SeatSet, loot: i32, share: i32 },
    /// A player lost part of its strength to those who eat it. Its death follows.
    Looted { seat: Seat, lost: i32 },
    /// A player paid for a light and shot.
    Fired { seat: Seat, from: Cell, direction: Direction, cost: i32 },
    /// A light hit a player. Strengths are those after the hit; they go below zero while lights are resolved.
    Hit { shooter: Seat, victim: Seat, shooter_strength: i32, victim_strength: i32 },
    /// A player died with this strength, of which it lost `lost`: all of it, but nothing if it was eaten (what it lost
    /// then is in [`Event::Looted`]).
    Died { seat: Seat, cell: Cell, lost: i32, cause: Cause },
    /// Under the ruling `prose`, who had forfeited and was hit all the same is back at 0.
    Settled { seat: Seat, gained: i32 },
    /// Small fruit was born on these cells.
    FruitSpawned { cells: CellSet },
    /// A player ate, and gained that much strength at once.
    Ate { seat: Seat, cell: Cell, fruit: Fruit, gained: i32 },
    /// A player's boost has one turn less.
    BoostCounted { seat: Seat, turns_left: u32 },
    /// A player's boost ended and took that much strength along.
    BoostEnded { seat: Seat, lost: i32 },
    /// The sole survivor received all small fruit on the field.
    Inherited { seat: Seat, fruits: i32 },
}

/// Why a player died.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are told of with their cause")]
pub enum Cause {
    /// It gave an illegal order.
    IllegalAction { action: Action },
    /// The strongest on its cell ate it.
    Eaten { by: SeatSet },
    /// Lights took its last strength; these players hit it this turn.
    Light { by: SeatSet },
    /// Its boost ended, and nothing was left without it.
    BoostEnded,
}

/// The two kinds of fruit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fruit {
    /// One strength for good.
    Small,
    /// A boost.
    Large,
}

/// What happened to a player in a turn, in the bits of Botzone's log.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ChangeFlags(pub u8);

impl ChangeFlags {
    /// It ate a small fruit.
    pub const ATE_SMALL: u8 = 1;
    /// It ate a large fruit.
    pub const ATE_LARGE: u8 = 2;
    /// Its boost counter went down.
    pub const BOOST_COUNTED: u8 = 4;
    /// It died, but not of an illegal order.
    pub const DIED: u8 = 8;
    /// It gave an illegal order.
    pub const ILLEGAL: u8 = 16;
}

/// A whole turn, written down.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Report {
    /// All that happened, in order.
    pub events: Vec<Event>,
    /// The living players' orders as they were carried out, after fright.
    pub actions: BySeat<Option<Action>>,
    /// What happened to each player.
    pub change: BySeat<ChangeFlags>,
    /// How much strength each player gained. It is the sum of the gains as the sample program books them, each rounded
    /// by itself: at an odd cost of light it can be one off the difference of strengths.
    pub strength_delta: BySeat<i32>,
    /// What one hit takes, in halves; kept to book hits as the sample program does.
    hit_in_halves: i32,
}

impl Report {
    /// An empty report for a turn on this arena.
    pub fn new(maze: &crate::Maze) -> Report {
        Report { hit_in_halves: 3 * maze.ruleset().skill_cost, ..Report::default() }
    }

    fn book(&mut self, seat: Seat, gain: i32) {
        self.strength_delta[seat] += gain;
    }

    fn mark(&mut self, seat: Seat, bit: u8) {
        self.change[seat].0 |= bit;
    }
}

impl Observer for Report {
    fn on_event(&mut self, event: Event) {
        match event {
            Event::Acted { seat, action } => self.actions[seat] = Some(action),
            Event::Fought { winners, share, .. } => winners.iter().for_each(|seat| self.book(seat, share)),
            Event::Looted { seat, lost } => self.book(seat, -lost),
            Event::Fired { seat, cost, .. } => self.book(seat, -cost),
            Event::Hit { shooter, victim, .. } => {
                let halves = self.hit_in_halves;
                self.strength_delta[victim] = plus_halves(self.strength_delta[victim], -halves);
                self.strength_delta[shooter] = plus_halves(self.strength_delta[shooter], halves);
            }
            Event::Died { seat, lost, cause, .. } => {
                self.book(seat, -lost);
                self.mark(
                    seat,
                    if matches!(cause, Cause::IllegalAction { .. }) { ChangeFlags::ILLEGAL } else { ChangeFlags::DIED },
                );
            }
            Event::Ate { seat, fruit, gained, .. } => {
                self.book(seat, gained);
                self.mark(seat, if fruit == Fruit::Small { ChangeFlags::ATE_SMALL } else { ChangeFlags::ATE_LARGE });
            }
            Event::BoostCounted { seat, .. } => self.mark(seat, ChangeFlags::BOOST_COUNTED),
            Event::BoostEnded { seat, lost } => self.book(seat, -lost),
            Event::Settled { seat, gained } => self.book(seat, gained),
            Event::Inherited { seat, fruits } => self.book(seat, fruits),
            Event::Frightened { .. } | Event::Moved { .. } | Event::FruitSpawned { .. } => {}
        }
        self.events.push(event);
    }
}

/// A number plus so many halves, cut towards zero: ruling *light-rounds-toward-zero*.
#[inline]
pub(crate) const fn plus_halves(number: i32, halves: i32) -> i32 {
    (2 * number + halves) / 2
}
