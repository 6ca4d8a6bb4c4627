//! The traces: 250 games of the original C++ sample program, compared with the rules after every turn.

use crate::common::traces::{BOTZONE_MAPS, Fixture, ODD_SETTINGS, Snapshot, Trace};
use pacman2_rules::{Action, Game};

#[test]
fn botzone_maps() {
    replay_all(&BOTZONE_MAPS);
}

#[test]
fn odd_settings() {
    replay_all(&ODD_SETTINGS);
}

#[test]
fn random_actions_are_legal() {
    let traces = [BOTZONE_MAPS, ODD_SETTINGS].into_iter().flat_map(|fixture| fixture.read());
    for (number, Trace { name, maze, start, .. }) in (0..).zip(traces) {
        for seed in 0..20 {
            let mut state = start;
            while !state.is_over(&maze) {
                let actions = state.random_actions(&maze, scrambled(number << 32 | seed << 16 | u64::from(state.turn)));
                for (seat, &action) in actions.iter() {
                    let is_possible =
                        if state.alive.contains(seat) { state.is_legal(&maze, seat, action) } else { action == Action::Stay };
                    assert!(is_possible, "{name}, seed {seed}, {seat:?}: {actions:?}");
                }
                state.play(&maze, &actions, &mut ());
            }
        }
    }
}

/// Returns pseudorandom bits (SplitMix64).
fn scrambled(number: u64) -> u64 {
    let bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

fn replay_all(fixture: &Fixture) {
    for trace in fixture.read() {
        replay(&trace, fixture.file);
    }
}

/// Plays the game turn by turn without an observer and with a report, and takes it back.
fn replay(trace: &Trace, file: &str) {
    let mut unwatched = trace.start;
    let mut game = Game::new(trace.maze.clone(), trace.start);
    let mut passed = Vec::new();
    for (turn, (actions, expected)) in (1..).zip(&trace.turns) {
        let at = format!("{file}, {}, turn {turn}, {actions:?}", trace.name);
        passed.push(*game.state());
        let report = game.play(actions).unwrap_or_else(|| panic!("{at}: the game is over too early"));
        Snapshot::take(&trace.maze, game.state(), &report).assert_is(expected, &at);
        let goes_on = unwatched.play(&trace.maze, actions, &mut ());
        assert_eq!((unwatched, goes_on), (*game.state(), expected.continues), "{at}: played without an onlooker");
    }
    for (turns, earlier) in passed.iter().enumerate().rev() {
        assert!(game.undo() && game.state() == earlier, "{file}, {}: undo to after {turns} turns", trace.name);
    }
    assert!(!game.undo() && *game.state() == trace.start, "{file}, {}: undo of everything", trace.name);
}
