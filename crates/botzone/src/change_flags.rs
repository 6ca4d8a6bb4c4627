//! What happened to a player in a turn, in the bits of Botzone's log.

use pacman2_rules::{BySeat, Cause, Event, Fruit, Report, Seat};

/// What happened to a player in a turn: a set of the bits that Botzone's log calls `change`.
///
/// ```
/// use pacman2_botzone::ChangeFlags;
/// use pacman2_rules::{Action, BySeat, Direction, Game, Seat, picture};
///
/// let (maze, start) = picture::read("
///     +---+---+---+
///     | 0   .   1 |
///     +---+---+---+
/// ").unwrap();
/// let actions = BySeat([Action::Move(Direction::Right), Action::Stay, Action::Stay, Action::Stay]);
/// let report = Game::new(maze, start).play(&actions).unwrap();
/// assert_eq!(ChangeFlags::from_report(&report)[Seat::S0], ChangeFlags::ATE_SMALL);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ChangeFlags(u8);

impl ChangeFlags {
    /// The player ate small fruit.
    pub const ATE_SMALL: ChangeFlags = ChangeFlags(1);
    /// The player ate large fruit.
    pub const ATE_LARGE: ChangeFlags = ChangeFlags(2);
    /// The player's boost has one turn less.
    pub const BOOST_COUNTED: ChangeFlags = ChangeFlags(4);
    /// The player died, but not of an illegal action.
    pub const DIED: ChangeFlags = ChangeFlags(8);
    /// The player forfeited by an illegal action.
    pub const ILLEGAL: ChangeFlags = ChangeFlags(16);

    /// Returns what happened to each player in a turn.
    #[must_use]
    pub fn from_report(report: &Report) -> BySeat<ChangeFlags> {
        let mut flags = BySeat::<ChangeFlags>::default();
        for &event in &report.events {
            if let Some((seat, flag)) = flag_of(event) {
                flags[seat].0 |= flag.0;
            }
        }
        flags
    }

    /// Returns the bits as Botzone's log has them.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

/// Returns the flag that an event sets, and whose it is.
fn flag_of(event: Event) -> Option<(Seat, ChangeFlags)> {
    match event {
        Event::Ate { seat, fruit: Fruit::Small, .. } => Some((seat, ChangeFlags::ATE_SMALL)),
        Event::Ate { seat, fruit: Fruit::Large, .. } => Some((seat, ChangeFlags::ATE_LARGE)),
        Event::BoostCounted { seat, .. } => Some((seat, ChangeFlags::BOOST_COUNTED)),
        Event::Died { seat, cause: Cause::IllegalAction { .. }, .. } => Some((seat, ChangeFlags::ILLEGAL)),
        Event::Died { seat, .. } => Some((seat, ChangeFlags::DIED)),
        _ => None,
    }
}
