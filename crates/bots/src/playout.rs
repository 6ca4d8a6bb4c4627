//! Uniformly random games, which the sample bot uses to look ahead.

use pacman2_rules::{Action, Maze, State};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// Plays uniformly random legal actions until the game is over.
pub fn play_out(maze: &Maze, mut state: State, rng: &mut Xoshiro256PlusPlus) -> State {
    state.play_out(maze, || rng.next_u64());
    state
}

/// Returns one of the actions, uniform with a bias below 9/2³².
///
/// # Panics
///
/// If `actions` is empty.
#[inline]
pub fn pick_uniform(actions: &[Action], rng: &mut Xoshiro256PlusPlus) -> Action {
    let draw = rng.next_u64() >> 32;
    actions[((draw * actions.len() as u64) >> 32) as usize]
}
