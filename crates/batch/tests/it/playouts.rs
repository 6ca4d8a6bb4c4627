//! Random playouts in lanes compared with the same games, played by `pacman2_rules` one after another.

use std::ops::Range;
use std::sync::Arc;

use crate::common::coverage::{Coverage, is_large, is_small};
use crate::common::positions::{self, GameKind, TestRng, WallKind};
use crate::common::{instruction_sets, number};
use pacman2_batch::{GameRng, Games, InstructionSet, PlayerTotals, Playouts, StartPosition, Tally, seed_of_game, signature};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, CellSet, Fnv1a, Maze, Ruleset, Seat, SeatSet, State, scores};

/// Returns the tally and the signature of games played by `pacman2_rules`.
fn by_reference(maze: &Maze, start: &State, seed: u64, games: Range<u64>, coverage: &mut Coverage) -> (Tally, u64) {
    let (mut tally, mut signature) = (Tally::default(), 0u64);
    for game in games {
        if start.is_over(maze) {
            continue;
        }
        let (mut rng, mut state) = (GameRng::new(seed_of_game(seed, game)), *start);
        let first = rng.clone().actions(maze, start);
        let mut outgrown = false;
        while {
            let (actions, before) = (rng.actions(maze, &state), state);
            outgrown |= is_small(maze, start) && is_large(maze, &state);
            // Every third game is observed, which takes longer than playing it.
            if game % 3 == 0 {
                state.play(maze, &actions, &mut coverage.watch(maze, &before))
            } else {
                state.play(maze, &actions, &mut ())
            }
        } {}
        coverage.count(if start.turn == 0 { "game from the beginning" } else { "game from its middle" });
        for (what, is) in
            [("game that lanes do not hold to the end", outgrown), ("game that lanes never hold", is_large(maze, start))]
        {
            coverage.add(what, is.into());
        }
        coverage.add("turn", u64::from(state.turn - start.turn));
        tally.games += 1;
        tally.turns += u64::from(state.turn - start.turn);
        let scores = scores(&state.strength);
        for seat in Seat::ALL {
            let PlayerTotals { games, hundredths, strength } = &mut tally.by_first_action[seat][usize::from(number(first[seat]))];
            *games += 1;
            *hundredths += scores[seat].hundredths;
            *strength += i64::from(state.strength[seat]);
        }
        signature = signature.wrapping_add(state.fingerprint().wrapping_mul(game.wrapping_mul(2).wrapping_add(1)));
    }
    (tally, signature)
}

/// Compares playouts with `pacman2_rules`, with every instruction set.
fn check(name: &str, maze: &Maze, start: &State, seed: u64, games: Range<u64>, coverage: &mut Coverage) {
    let (tally, signature) = by_reference(maze, start, seed, games.clone(), coverage);
    for set in instruction_sets() {
        let playouts = Playouts::new(maze, set);
        let at = || format!("{set}, {name}, seed {seed}\n{}", pacman2_rules::picture::write(maze, start));
        assert_eq!(playouts.play(start, seed, games.clone()), tally, "{}", at());
        assert_eq!(playouts.signature(start, seed, games.clone()), signature, "{}", at());
    }
}

fn botzone_map(seed: i32, width: u8, height: u8) -> (Maze, State) {
    let size = MapSize { width: Some(width), height: Some(height) };
    let Map { maze, start, .. } = Map::generate(seed, size, Ruleset::default()).expect("the size is possible");
    (maze, start)
}

#[test]
fn botzone_maps() {
    let mut coverage = Coverage::default();
    for (seed, (width, height)) in (1..).zip([(6, 6), (7, 6), (8, 9), (11, 11), (6, 11), (11, 6), (10, 7)]) {
        let (maze, start) = botzone_map(seed, width, height);
        check("Botzone's map", &maze, &start, seed as u64, 0..700, &mut coverage);
        // In the middle of a game, toward its end, and before its last turn.
        let (mut state, mut rng) = (start, GameRng::new(seed as u64));
        while !state.is_over(&maze) {
            if [5, 20, 60, 90, 99].contains(&state.turn) {
                check("in a game", &maze, &state, state.turn.into(), 0..300, &mut coverage);
            }
            let actions = rng.actions(&maze, &state);
            state.play(&maze, &actions, &mut ());
        }
        check("after a game", &maze, &state, 0, 0..300, &mut coverage);
    }
    coverage
        .assert_at_least(300, &["game from the beginning", "game from its middle", "frightened", "hit", "boost ended", "spawn"]);
    coverage.assert_at_least(100, &["sole survivor inherits", "death by light", "one strongest fights one"]);
}

/// Mazes with all kinds of walls: with a numbering for shared tables, and without.
#[test]
fn random_mazes() {
    let (mut rng, mut coverage) = (TestRng::new(1), Coverage::default());
    for round in 0..750_u64 {
        let (maze, start) = positions::start(&mut rng);
        // Half of the time more games than lanes, so that some lanes get another game.
        check("any map", &maze, &start, round, 0..if round % 2 == 0 { 350 } else { 80 }, &mut coverage);
    }
    coverage.assert_at_least(500, &["game that lanes do not hold to the end", "game that lanes never hold"]);
    let legal = Coverage::ALL.into_iter().filter(|what| !what.contains("forfeit"));
    coverage.assert_at_least(5, &legal.collect::<Vec<_>>());
    assert!(coverage.of("turn") >= 1_000_000);
}

/// Mazes of every size, without walls, with rings, and with one-sided walls.
#[test]
fn mazes_of_every_size() {
    let (mut rng, mut coverage) = (TestRng::new(2), Coverage::default());
    for width in 1..=11 {
        for height in 1..=11 {
            let wall_kind = WallKind::ALL[usize::from(width + height) % 5];
            let game = GameKind::ALL[usize::from(width + height / 3) % 4];
            let maze = positions::maze_of_size(&mut rng, game, wall_kind, width, height);
            let start = positions::state(&mut rng, game, &maze);
            check("any size", &maze, &start, u64::from(width), 0..260, &mut coverage);
        }
    }
    coverage.assert_at_least(1000, &["hit", "frightened", "large fruit eaten"]);
}

/// Some players are dead from the beginning. With one left, there is nothing to play.
#[test]
fn the_dead_stay_dead() {
    let (maze, start) = botzone_map(4, 6, 6);
    let mut coverage = Coverage::default();
    for dead in 0..16_usize {
        let is_dead = |seat: Seat| dead >> seat.index() & 1 != 0;
        let mut state = State { alive: SeatSet::from_fn(|seat| !is_dead(seat)), ..start };
        Seat::ALL.into_iter().filter(|&seat| is_dead(seat)).for_each(|seat| state.strength[seat] = 7 * seat.index() as i32);
        check("some are dead", &maze, &state, 5, 0..300, &mut coverage);
        let tally = Playouts::new(&maze, InstructionSet::best()).play(&state, 5, 0..300);
        let games = if state.is_over(&maze) { 0 } else { 300 };
        assert_eq!(tally.games, games);
        for seat in Seat::ALL.into_iter().filter(|&seat| is_dead(seat)) {
            assert_eq!(tally.by_first_action[seat][0].games, games);
        }
    }
    assert_eq!(
        Playouts::new(&maze, InstructionSet::best()).play(&State { alive: SeatSet::EMPTY, ..start }, 5, 0..9),
        Tally::default()
    );
}

/// A run is the sum of its parts, however it is split, and the same on any number of threads.
#[test]
fn tallies_of_parts_sum_up() {
    let (maze, start) = botzone_map(6, 6, 6);
    for set in instruction_sets() {
        let playouts = Playouts::new(&maze, set);
        for games in [0..0, 5..5, 0..1, 10..600, u64::MAX - 700..u64::MAX] {
            let whole = playouts.play(&start, 7, games.clone());
            assert_eq!(whole.games, games.end - games.start);
            for part in [1, 63, 64, 300] {
                let mut starts = games.clone().step_by(part);
                let parts =
                    std::iter::from_fn(|| starts.next().map(|first| first..games.end.min(first.saturating_add(part as u64))));
                assert_eq!(parts.map(|part| playouts.play(&start, 7, part)).sum::<Tally>(), whole, "{set}, {games:?} by {part}");
            }
        }
        let expected = playouts.play(&start, 8, 3..10_003);
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| playouts.play_in_parallel(&start, 8, 3..10_003));
            assert_eq!(found, expected, "{set}, {threads} threads");
            assert_eq!(pool.install(|| playouts.play_in_parallel(&start, 8, 7..7)), Tally::default());
        }
        let last = u64::MAX - 5000..u64::MAX;
        assert_eq!(playouts.play_in_parallel(&start, 8, last.clone()), playouts.play(&start, 8, last));
        // Another seed or other numbers give other games.
        let others = [playouts.play(&start, 9, 3..10_003), playouts.play(&start, 8, 4..10_004)];
        assert!(others.iter().all(|other| *other != expected));
    }
}

/// The signature differs for other games, and when two games are exchanged.
#[test]
fn signatures_differ_between_games() {
    let (maze, start) = botzone_map(7, 6, 6);
    for set in instruction_sets() {
        let playouts = Playouts::new(&maze, set);
        let of = |games: Range<u64>| playouts.signature(&start, 1, games);
        assert_eq!(of(0..500).wrapping_add(of(500..900)), of(0..900), "{set}");
        let single: std::collections::HashSet<u64> = (0..900).map(|game| of(game..game + 1)).collect();
        assert_eq!(single.len(), 900, "{set}");
        assert_ne!(playouts.signature(&start, 2, 0..500), of(0..500), "{set}");
    }
}

/// The signature of this version. If it changes, games are played differently than before.
const SIGNATURE: u64 = 0x73cd_53ba_edd8_f1da;

#[test]
fn the_signature_is_known() {
    let sizes = [(6, 6), (8, 9), (11, 11)];
    let starts: Vec<(Maze, State)> =
        sizes.into_iter().flat_map(|(width, height)| (1..=3).map(move |seed| botzone_map(seed, width, height))).collect();
    let mut coverage = Coverage::default();
    // The games of each start have its index as their seed; FNV-1a over the signatures.
    let mut hash = Fnv1a::new();
    for (seed, (maze, start)) in (0..).zip(&starts) {
        hash.write_unit(by_reference(maze, start, seed, 0..1000, &mut coverage).1);
    }
    let plain = hash.finish();
    assert_eq!(plain, SIGNATURE, "by the rules {plain:#018x}");
    for set in instruction_sets() {
        assert_eq!(signature(set, &starts), SIGNATURE, "{set}");
        assert_ne!(signature(set, &starts[1..]), SIGNATURE, "{set}");
    }
}

/// Cells of the dead and fruits outside the maze, which positions built by hand may have.
#[test]
fn cells_outside_the_maze_match_the_rules() {
    let (maze, start) = botzone_map(6, 6, 6);
    let (larger, _) = botzone_map(6, 11, 11);
    let dead = State { alive: !SeatSet::of(Seat::S3), ..start };
    let mut elsewhere = dead;
    elsewhere.cells[Seat::S3] = larger.cell(10, 10).unwrap();
    let everywhere = State { small_fruits: !CellSet::EMPTY, ..dead };
    let large_everywhere = State { large_fruits: !CellSet::EMPTY, ..dead };
    for start in [dead, elsewhere, everywhere, large_everywhere] {
        let expected = by_reference(&maze, &start, 3, 0..300, &mut Coverage::default());
        for set in instruction_sets() {
            let playouts = Playouts::new(&maze, set);
            assert_eq!((playouts.play(&start, 3, 0..300), playouts.signature(&start, 3, 0..300)), expected, "{set}: {start:?}");
            let begin = Arc::new(StartPosition::new(maze.clone(), start));
            let mut games = Games::new(set, 3, 1, Arc::new(vec![begin]));
            let mut rewards = [[0; 4]; 3];
            let mut reference = start;
            reference.play(&maze, &BySeat([Action::Stay; 4]), &mut ());
            games.step(&[[0; 4]; 3], &mut rewards);
            assert_eq!(games.state(2), reference, "{set}");
            assert_eq!(rewards[2], Seat::ALL.map(|seat| reference.strength[seat] - start.strength[seat]), "{set}");
        }
    }
}
