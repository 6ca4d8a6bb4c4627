//! The traces, 250 games of the wiki's C++ sample program, in lanes.

#[path = "../../../rules/tests/common/traces.rs"]
mod reader;

use std::sync::Arc;

use crate::common::{difference, instruction_sets, number, pool};
use pacman2_batch::{Games, InstructionSet, StartPosition};
use pacman2_rules::{Report, Seat};
use reader::{BOTZONE_MAPS, Fixture, ODD_SETTINGS, Snapshot, Trace};

/// All games of both files side by side, each on its own maze.
#[test]
fn traces_side_by_side() {
    let traces: Vec<Trace> = [BOTZONE_MAPS, ODD_SETTINGS].iter().flat_map(Fixture::read).collect();
    let all: Vec<&Trace> = traces.iter().collect();
    for set in instruction_sets() {
        assert_eq!(replay(set, &all), 10_860 + 7_710);
    }
}

/// Each game in all lanes of a block.
#[test]
fn each_trace_in_all_lanes() {
    for trace in [BOTZONE_MAPS, ODD_SETTINGS].iter().flat_map(Fixture::read) {
        for set in instruction_sets() {
            assert_eq!(replay(set, &[&trace; 64]), 64 * trace.turns.len());
        }
    }
}

/// Plays the games side by side, compares each position with that of the trace and that of `pacman2_rules`, and returns the
/// number of turns.
fn replay(set: InstructionSet, traces: &[&Trace]) -> usize {
    let mut games = Games::new(set, traces.len(), 0, Arc::new(pool(1, 1))).without_new_games();
    let mut states = Vec::new();
    for (game, trace) in traces.iter().enumerate() {
        games.put(game, Arc::new(StartPosition::new(trace.maze.clone(), trace.start)));
        states.push(trace.start);
    }
    let (mut actions, mut rewards) = (vec![[0; 4]; traces.len()], vec![[0; 4]; traces.len()]);
    let mut turns = 0;
    for turn in 0..traces.iter().map(|trace| trace.turns.len()).max().unwrap_or(0) {
        let playing = || traces.iter().enumerate().filter_map(|(game, trace)| Some((game, *trace, trace.turns.get(turn)?)));
        for (game, _, (given, _)) in playing() {
            actions[game] = given.map(number).0;
        }
        games.step(&actions, &mut rewards);
        let ended: Vec<usize> = games.ended().map(|ended| ended.game).collect();
        let mut checked = None;
        for (game, trace, (given, expected)) in playing() {
            let at = || format!("{set}, {}, turn {}, {given:?}", trace.name, turn + 1);
            let found = games.state(game);
            // Many lanes may have the same position of the same game.
            if checked.replace((&trace.name, found)) != Some((&trace.name, found)) {
                Snapshot::take(&trace.maze, &found, &Report::default()).assert_is_position_of(expected, &at());
            }
            let before = states[game];
            let state = &mut states[game];
            let goes_on = state.play(&trace.maze, given, &mut ());
            assert!(found == *state, "{}\n{}", at(), difference(&trace.maze, state, &found));
            assert_eq!(rewards[game], Seat::ALL.map(|seat| state.strength[seat] - before.strength[seat]), "{}: rewards", at());
            assert_eq!(
                (goes_on, ended.contains(&game)),
                (expected.continues, !expected.continues),
                "{}: whether it goes on",
                at()
            );
            turns += 1;
        }
    }
    turns
}
