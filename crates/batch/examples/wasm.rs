//! Random games as a WebAssembly module: whether they are the same as elsewhere, and how fast they are with SIMD and without.
//!
//! `cargo xtask wasm-test` compiles it twice and runs both modules in Node.

use pacman2_batch::{InstructionSet, Playouts, signature as signature_of};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;

fn map(seed: i32, width: u8, height: u8) -> Map {
    let size = MapSize { width: Some(width), height: Some(height) };
    Map::generate(seed, size, Ruleset::default()).expect("Botzone has maps of this size")
}

/// Returns whether the best instruction set is that of SIMD.
#[unsafe(no_mangle)]
pub extern "C" fn has_simd() -> bool {
    InstructionSet::best() == InstructionSet::Simd128
}

/// Returns the signature that `pacman2 bench` prints, with the best instruction set.
#[unsafe(no_mangle)]
pub extern "C" fn signature() -> u64 {
    let maps =
        [(6, 6), (8, 9), (11, 11)].into_iter().flat_map(|(width, height)| (1..=3).map(move |seed| map(seed, width, height)));
    let starts: Vec<_> = maps.map(|map| (map.maze, map.start)).collect();
    signature_of(InstructionSet::best(), &starts)
}

/// Plays random games on a map of Botzone with the best instruction set, and returns the number of turns.
#[unsafe(no_mangle)]
pub extern "C" fn play(width: u8, height: u8, seed: i32, games: u32) -> f64 {
    let map = map(seed, width, height);
    Playouts::new(&map.maze, InstructionSet::best()).play(&map.start, 1, 0..games.into()).turns as f64
}
