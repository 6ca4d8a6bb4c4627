//! Helpers of several test modules.

pub(crate) mod coverage;
pub(crate) mod positions;
pub(crate) mod reference;

use std::sync::Arc;

use pacman2_batch::{InstructionSet, StartPosition};
use pacman2_rules::{Action, Maze, State, picture};
use positions::TestRng;

/// Returns the instruction sets of this CPU, and prints which are skipped.
pub(crate) fn instruction_sets() -> Vec<InstructionSet> {
    for set in InstructionSet::ALL.into_iter().filter(|set| !set.is_available()) {
        eprintln!("skipped: {set} is not available on this CPU");
    }
    InstructionSet::available().collect()
}

/// Returns `count` start positions of all kinds.
pub(crate) fn pool(seed: u64, count: usize) -> Vec<Arc<StartPosition>> {
    let mut rng = TestRng::new(seed);
    let mut start = || {
        let (maze, state) = positions::start(&mut rng);
        Arc::new(StartPosition::new(maze, state))
    };
    (0..count).map(|_| start()).collect()
}

/// Returns the action of a number as [`Games::step`](pacman2_batch::Games::step) reads it.
pub(crate) fn action(number: u8) -> Action {
    Action::ALL.get(usize::from(number)).copied().unwrap_or(Action::Invalid)
}

/// Returns the number of an action.
pub(crate) fn number(action: Action) -> u8 {
    action.index().map_or(9, |index| index as u8)
}

/// Shows two positions that should be equal.
pub(crate) fn difference(maze: &Maze, expected: &State, found: &State) -> String {
    let [expected, found] = [expected, found].map(|state| picture::write(maze, state));
    format!("by the rules\n{expected}\nin lanes\n{found}")
}
