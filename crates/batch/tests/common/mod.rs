//! What the tests of many games share.

#![allow(dead_code, reason = "each test program uses some of this")]

pub(crate) mod seen;
pub(crate) mod starts;
pub(crate) mod twins;

use std::sync::Arc;

use pacman2_batch::{InstructionSet, StartPosition};
use pacman2_rules::{Action, Maze, State, picture};
use starts::Chance;

/// The instruction sets that this machine has; says which it has not.
pub(crate) fn instruction_sets() -> Vec<InstructionSet> {
    for set in InstructionSet::ALL.into_iter().filter(|set| !set.is_available()) {
        eprintln!("not run: {set}, which this machine does not have");
    }
    InstructionSet::available().collect()
}

/// So many starts of all kinds.
pub(crate) fn pool(seed: u64, count: usize) -> Vec<Arc<StartPosition>> {
    let mut chance = Chance::new(seed);
    let mut start = || {
        let (maze, state) = starts::start(&mut chance);
        Arc::new(StartPosition::new(maze, state))
    };
    (0..count).map(|_| start()).collect()
}

/// The order of that number as the games understand it.
pub(crate) fn action(number: u8) -> Action {
    Action::ALL.get(usize::from(number)).copied().unwrap_or(Action::Invalid)
}

/// The number of an order.
pub(crate) fn number(action: Action) -> u8 {
    Action::ALL.iter().position(|&other| other == action).map_or(9, |place| place as u8)
}

/// Two positions that ought to be one.
pub(crate) fn difference(maze: &Maze, expected: &State, found: &State) -> String {
    let [expected, found] = [expected, found].map(|state| picture::write(maze, state));
    format!("by the rules\n{expected}\nin lanes\n{found}")
}
