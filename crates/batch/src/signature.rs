//! The signature: one number over a fixed set of games, the same on every instruction set.

use pacman2_rules::{Fnv1a, Maze, State};

use crate::instruction_set::InstructionSet;
use crate::playouts::Playouts;

/// Random games from each start.
const GAMES: u64 = 1000;

/// One number over [so many](Playouts::signature) random games from each of these starts, those of the `n`-th, counted from
/// 0, of seed `n`. It changes when any of the games ends in another way.
///
/// # Panics
///
/// If this machine does not have the instruction set.
pub fn signature(instruction_set: InstructionSet, starts: &[(Maze, State)]) -> u64 {
    let parts =
        (0..).zip(starts).map(|(seed, (maze, start))| Playouts::new(maze, instruction_set).signature(start, seed, 0..GAMES));
    combined(parts)
}

/// One number for several, in whose order it matters: as FNV-1a takes bytes, so this takes them.
fn combined(parts: impl Iterator<Item = u64>) -> u64 {
    let mut hash = Fnv1a::new();
    parts.for_each(|part| hash.write_unit(part));
    hash.finish()
}
