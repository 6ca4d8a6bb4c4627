//! Uniformly random games, the sample bot's way of looking ahead.

use pacman2_rules::{Action, Maze, State};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// Plays on with uniformly random legal orders of the living until the game is over.
pub fn play_out(maze: &Maze, mut state: State, random: &mut Xoshiro256PlusPlus) -> State {
    state.play_out(maze, || random.next_u64());
    state
}

/// One of the orders, each as likely as any other to within 9 in 2³².
#[inline]
pub fn pick(actions: &[Action], random: &mut Xoshiro256PlusPlus) -> Action {
    let draw = random.next_u64() >> 32;
    actions[((draw * actions.len() as u64) >> 32) as usize]
}
