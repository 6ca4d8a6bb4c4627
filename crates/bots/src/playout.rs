//! Games that are played to their end: by players who decide, or uniformly at random, as the sample bot looks ahead.

use pacman2_rules::{Action, BySeat, Game, Maze, Seat, State};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// Plays a game to its end with what `decide` chooses for each living player, seat 0 first. `goes_on` is asked before each turn; returns
/// `false` if it ended the game.
///
/// ```
/// use pacman2_bots::playout::play_to_end;
/// use pacman2_rules::{Action, Game, picture};
///
/// let (maze, start) = picture::read("
///     turn 0/3
///     +---+---+---+
///     | 0   1     |
///     +---+---+---+
///     | 2   3     |
///     +---+---+---+
/// ").unwrap();
/// let mut game = Game::new(maze, start);
/// assert!(play_to_end(&mut game, |_, _| Action::Stay, || true) && game.is_over());
/// ```
pub fn play_to_end(game: &mut Game, mut decide: impl FnMut(&Game, Seat) -> Action, mut goes_on: impl FnMut() -> bool) -> bool {
    while !game.is_over() {
        if !goes_on() {
            return false;
        }
        let alive = game.state().alive;
        let actions = BySeat::from_fn(|seat| if alive.contains(seat) { decide(game, seat) } else { Action::Stay });
        game.play(&actions);
    }
    true
}

/// Plays uniformly random legal actions until the game is over.
pub fn play_out(maze: &Maze, mut state: State, rng: &mut Xoshiro256PlusPlus) -> State {
    let mut goes_on = !state.is_over(maze);
    while goes_on {
        let actions = state.random_actions(maze, rng.next_u64());
        goes_on = state.play(maze, &actions, &mut ());
    }
    state
}

/// Plays at most this many turns of uniformly random legal actions.
#[cfg(feature = "all")]
pub(crate) fn play_randomly(maze: &Maze, mut state: State, turns: u32, rng: &mut Xoshiro256PlusPlus) -> State {
    let mut left = turns;
    while left > 0 && state.play(maze, &random_actions(maze, &state, rng), &mut ()) {
        left -= 1;
    }
    state
}

/// Returns a uniformly random legal action of each seat; `Stay` for dead players.
pub(crate) fn random_actions(maze: &Maze, state: &State, rng: &mut Xoshiro256PlusPlus) -> BySeat<Action> {
    BySeat::from_fn(|seat| match state.legal_actions(maze, seat) {
        [] => Action::Stay,
        legal => pick_uniform(legal, rng),
    })
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
