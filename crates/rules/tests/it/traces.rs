//! The traces: 250 games of the original C++ sample program, compared with the rules after every turn.

use crate::common::traces::{BOTZONE_MAPS, Fixture, ODD_SETTINGS, Snapshot, Trace};
use pacman2_rules::{Game, Seat};

#[test]
fn botzone_maps() {
    replay_all(&BOTZONE_MAPS);
}

#[test]
fn odd_settings() {
    replay_all(&ODD_SETTINGS);
}

/// Compares the fast random play, which builds no `Action`, with the plain one.
#[test]
fn play_out_plays_random_actions() {
    let traces = [BOTZONE_MAPS, ODD_SETTINGS].into_iter().flat_map(|fixture| fixture.read());
    for (number, Trace { name, maze, start, .. }) in (0..).zip(traces) {
        for seed in 0..20 {
            let chance = |turn: u64| scrambled(number << 32 | seed << 16 | turn);
            let mut played = start;
            while !played.is_over(&maze) {
                let actions = played.random_actions(&maze, chance(played.turn.into()));
                assert!(
                    Seat::ALL.iter().all(|&seat| played.is_legal(&maze, seat, actions[seat])),
                    "{name}, seed {seed}: {actions:?}"
                );
                played.play(&maze, &actions, &mut ());
            }
            let (mut played_out, mut turns) = (start, 0..);
            played_out.play_out(&maze, || chance(turns.next().unwrap()));
            assert_eq!(played_out, played, "{name}, seed {seed}");
            played_out.play_out(&maze, || panic!("a finished game needs no random bits"));
            assert_eq!(played_out, played, "{name}, seed {seed}: a game that is over");
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
