//! The signature of fixed games, compared with the same games played by `pacman2_rules` one after another.

use std::sync::Arc;

use crate::common::instruction_sets;
use pacman2_batch::{GameRng, StartPosition, seed_of_game, signature};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Fnv1a, Ruleset};

/// The signature of this version. If it changes, games are played differently than before.
const SIGNATURE: u64 = 0x77c8_b720_678e_2965;

fn starts() -> Vec<Arc<StartPosition>> {
    let maps = [(6, 6), (8, 9), (11, 11)].into_iter().flat_map(|size| (1..=3).map(move |seed| (seed, size)));
    let start = |(seed, (width, height))| {
        let size = MapSize { width: Some(width), height: Some(height) };
        let map = Map::generate(seed, size, Ruleset::default()).expect("the size is possible");
        Arc::new(StartPosition::new(map.maze, map.start))
    };
    maps.map(start).collect()
}

/// Returns the sum of the fingerprints of a thousand ends, each times an odd number of its own.
fn by_the_rules(seed: u64, start: &StartPosition) -> u64 {
    let end = |game: u64| {
        let mut rng = GameRng::new(seed_of_game(seed_of_game(seed, game), 0));
        let mut state = *start.state();
        while {
            let actions = rng.actions(start.maze(), &state);
            state.play(start.maze(), &actions, &mut ())
        } {}
        state.fingerprint().wrapping_mul(2 * game + 1)
    };
    (0..1000).map(end).fold(0, u64::wrapping_add)
}

#[test]
fn the_signature_is_known() {
    let starts = starts();
    let mut hash = Fnv1a::new();
    (0..).zip(&starts).for_each(|(seed, start)| hash.write_unit(by_the_rules(seed, start)));
    let plain = hash.finish();
    assert_eq!(plain, SIGNATURE, "by the rules {plain:#018x}");
    for set in instruction_sets() {
        assert_eq!(signature(set, &starts), SIGNATURE, "{set}");
        assert_ne!(signature(set, &starts[1..]), SIGNATURE, "{set}");
    }
}
