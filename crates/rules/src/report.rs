//! A whole turn, recorded.

use crate::action::Action;
use crate::event::{Event, Observer};
use crate::maze::Maze;
use crate::seat::{BySeat, Seat};

/// A record of one turn. It is an [`Observer`].
///
/// ```
/// use pacman2_rules::{Action, BySeat, Direction, Event, Fruit, Report, Seat, picture};
///
/// let (maze, mut state) = picture::read("
///     +---+---+---+
///     | 0   .   1 |
///     +---+---+---+
/// ").unwrap();
/// let actions = BySeat([Action::Move(Direction::Right), Action::Stay, Action::Stay, Action::Stay]);
/// let mut report = Report::new(&maze);
/// state.play(&maze, &actions, &mut report);
///
/// assert_eq!(report.strength_delta, BySeat([1, 0, 0, 0]));
/// let ate = |event: &Event| matches!(event, Event::Ate { seat: Seat::S0, fruit: Fruit::Small, .. });
/// assert!(report.events.iter().any(ate));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Report {
    /// All events, in order.
    pub events: Vec<Event>,
    /// The actions of the living as they were carried out: `Stay` for a player that stronger players frightened.
    pub actions: BySeat<Option<Action>>,
    /// How much strength each player gained: the sum of its gains as the sample program books them, each rounded
    /// separately. If the skill cost is odd, it can be one off the difference of strengths.
    pub strength_delta: BySeat<i32>,
    /// What one hit takes, in halves, to book hits as the sample program does.
    hit_in_halves: i32,
}

impl Report {
    /// Returns an empty report for one turn in this maze.
    #[must_use]
    pub fn new(maze: &Maze) -> Report {
        Report { hit_in_halves: 3 * maze.ruleset().skill_cost, ..Report::default() }
    }

    fn book(&mut self, seat: Seat, gain: i32) {
        self.strength_delta[seat] += gain;
    }
}

impl Observer for Report {
    fn on_event(&mut self, event: Event) {
        match event {
            Event::Acted { seat, action } => self.actions[seat] = Some(action),
            Event::Fought { winners, share, .. } => winners.iter().for_each(|seat| self.book(seat, share)),
            Event::Hit { shooter, victim, .. } => {
                let halves = self.hit_in_halves;
                self.strength_delta[victim] = plus_halves(self.strength_delta[victim], -halves);
                self.strength_delta[shooter] = plus_halves(self.strength_delta[shooter], halves);
            }
            Event::Fired { seat, cost: lost, .. }
            | Event::Looted { seat, lost }
            | Event::Died { seat, lost, .. }
            | Event::BoostEnded { seat, lost } => self.book(seat, -lost),
            Event::Ate { seat, gained, .. } | Event::StrengthReset { seat, gained } => self.book(seat, gained),
            Event::Inherited { seat, fruits } => self.book(seat, fruits),
            Event::Frightened { .. } | Event::Moved { .. } | Event::FruitSpawned { .. } | Event::BoostCounted { .. } => {}
        }
        self.events.push(event);
    }
}

/// Adds halves to a number and rounds towards zero: ruling *light-rounds-toward-zero*.
#[inline]
pub(crate) const fn plus_halves(number: i32, halves: i32) -> i32 {
    (2 * number + halves) / 2
}
