//! The signature: one number over a fixed set of games, which is the same with every instruction set.

use pacman2_rules::{Fnv1a, Maze, State};

use crate::instruction_set::InstructionSet;
use crate::playouts::Playouts;

/// Random games from each start.
const GAMES: u64 = 1000;

/// Returns one number over 1000 random games from each of these starts. It changes if any of the games ends differently.
///
/// The games from start `n`, counted from 0, are a run of seed `n`; see [`Playouts::signature`].
///
/// # Panics
///
/// If this CPU does not have the instruction set.
///
/// ```
/// use pacman2_batch::{InstructionSet, signature};
/// use pacman2_rules::picture;
///
/// let start = picture::read("
///     turn 97/100
///     +---+---+---+---+---+
///     | 0   .   .   .   1 |
///     +---+---+---+---+---+
/// ").unwrap();
/// let starts = [start];
/// let expected = signature(InstructionSet::Portable, &starts);
/// assert!(InstructionSet::available().all(|set| signature(set, &starts) == expected));
/// ```
pub fn signature(instruction_set: InstructionSet, starts: &[(Maze, State)]) -> u64 {
    let parts =
        (0..).zip(starts).map(|(seed, (maze, start))| Playouts::new(maze, instruction_set).signature(start, seed, 0..GAMES));
    combined(parts)
}

/// Combines numbers into one that depends on their order: FNV-1a over 64-bit words instead of bytes.
fn combined(parts: impl Iterator<Item = u64>) -> u64 {
    let mut hash = Fnv1a::new();
    parts.for_each(|part| hash.write_unit(part));
    hash.finish()
}
