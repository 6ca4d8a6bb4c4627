//! The signature: one number over a fixed set of games, which is the same with every instruction set.

use std::sync::Arc;

use pacman2_rules::Fnv1a;

use crate::games::{Games, StartPosition};
use crate::instruction_set::InstructionSet;

/// Random games from each start.
const GAMES: usize = 1000;

/// Returns one number over 1000 random games from each of these starts. It changes if any of the games ends differently.
///
/// The games from start `n`, counted from 0, have the seed `n`.
///
/// # Panics
///
/// If this CPU does not have the instruction set.
///
/// ```
/// use std::sync::Arc;
///
/// use pacman2_batch::{InstructionSet, StartPosition, signature};
/// use pacman2_rules::picture;
///
/// let (maze, state) = picture::read("
///     turn 97/100
///     +---+---+---+---+---+
///     | 0   .   .   .   1 |
///     +---+---+---+---+---+
/// ").unwrap();
/// let starts = [Arc::new(StartPosition::new(maze, state))];
/// let expected = signature(InstructionSet::Portable, &starts);
/// assert!(InstructionSet::available().all(|set| signature(set, &starts) == expected));
/// ```
pub fn signature(instruction_set: InstructionSet, starts: &[Arc<StartPosition>]) -> u64 {
    let mut hash = Fnv1a::new();
    (0..).zip(starts).for_each(|(seed, start)| hash.write_unit(of_games(instruction_set, seed, start)));
    hash.finish()
}

/// Returns a number over the ends of the games from one start. Each counts with its number, so that it matters which game ended how.
fn of_games(instruction_set: InstructionSet, seed: u64, start: &Arc<StartPosition>) -> u64 {
    let mut games = Games::new(instruction_set, GAMES, seed, Arc::new(vec![Arc::clone(start)])).without_new_games();
    let (mut actions, mut rewards) = (vec![[0; 4]; GAMES], vec![[0; 4]; GAMES]);
    let (mut sum, mut left) = (0u64, if start.state().is_over(start.maze()) { 0 } else { GAMES });
    while left > 0 {
        games.random_actions(&mut actions);
        games.step(&actions, &mut rewards);
        for ended in games.ended() {
            sum = sum.wrapping_add(ended.state.fingerprint().wrapping_mul(2 * ended.game as u64 + 1));
            left -= 1;
        }
    }
    sum
}
