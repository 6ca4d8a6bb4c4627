//! What makes two programs play the same games: their version, and a signature over a fixed set of games. And how fast this
//! machine is at present.

use std::sync::Arc;
use std::time::Instant;

use pacman2_batch::{InstructionSet, StartPosition};
use pacman2_bots::BotSpec;
use pacman2_bots::playout::{play_out, play_to_end};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Fnv1a, Game, Ruleset};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

use super::lines::Reason;

/// The bots of the signature's games. None of them uses a clock.
const BOTS: [&str; 4] = ["sage --simulations 20", "hunter", "sample --simulations 20", "greedy"];
/// The seeds of the maps of these games.
const SEEDS: [i32; 2] = [1, 2];
/// The sizes of the maps of the signature's games, with three seeds each.
const SIGNED_SIZES: [(u8, u8); 3] = [(6, 6), (8, 9), (11, 11)];
/// The random games of the calibration.
const CALIBRATION_GAMES: u32 = 20_000;

/// What results depend on besides programs and settings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Engine {
    /// The version of the program.
    pub engine: String,
    /// The signature of a fixed set of games.
    pub signature: String,
}

impl Engine {
    /// Returns the engine of this program. It plays some games, which takes a moment.
    pub fn from_this_program() -> anyhow::Result<Engine> {
        let mut hash = Fnv1a::new();
        hash.write_unit(signature(InstructionSet::best())?);
        for seed in SEEDS {
            hash.write_unit(play_out_bots(seed)?);
        }
        let engine = concat!("pacman2 ", env!("CARGO_PKG_VERSION")).to_owned();
        Ok(Engine { engine, signature: format!("{:016x}", hash.finish()) })
    }

    /// Checks that lines with `found` come from a program that plays as this one.
    pub fn check(&self, found: &Engine) -> Result<(), Reason> {
        let (code, what, expected, got) = if self.engine != found.engine {
            ("engine", "engine", &self.engine, &found.engine)
        } else if self.signature != found.signature {
            ("signature", "signature of games", &self.signature, &found.signature)
        } else {
            return Ok(());
        };
        Err(Reason::new(code, format!("expected the {what} {expected}, got {got}; use the same build of pacman2 everywhere")))
    }
}

/// Returns the signature of a fixed set of games: the same on every machine and instruction set.
///
/// # Errors
///
/// Never, as long as there are maps of all sizes.
pub fn signature(instruction_set: InstructionSet) -> anyhow::Result<u64> {
    let maps = SIGNED_SIZES.into_iter().flat_map(|size| (1..=3).map(move |seed| (seed, size)));
    let starts = maps.map(|(seed, (width, height))| {
        let size = MapSize { width: Some(width), height: Some(height) };
        Map::generate(seed, size, Ruleset::default()).map(|map| Arc::new(StartPosition::new(map.maze, map.start)))
    });
    Ok(pacman2_batch::signature(instruction_set, &starts.collect::<Result<Vec<_>, _>>()?))
}

/// Plays a game of built-in bots, and returns the fingerprint of its end.
fn play_out_bots(seed: i32) -> anyhow::Result<u64> {
    let map = Map::generate(seed, MapSize::default(), Ruleset::default())?;
    let mut agents = Vec::new();
    for bot in BOTS {
        agents.push(bot.parse::<BotSpec>()?.config()?.start());
    }
    let mut game = Game::new(map.maze, map.start);
    play_to_end(&mut game, |game, seat| agents[seat.index()](game, seat, seed), || true);
    Ok(game.state().fingerprint())
}

/// Returns how long this machine takes for a fixed amount of work on one thread, in milliseconds.
pub(crate) fn calibration_ms() -> anyhow::Result<f64> {
    let map = Map::generate(1, MapSize::default(), Ruleset::default())?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let begin = Instant::now();
    let sum = (0..CALIBRATION_GAMES).fold(0u64, |sum, _| sum ^ play_out(&map.maze, map.start, &mut rng).fingerprint());
    std::hint::black_box(sum);
    Ok((begin.elapsed().as_secs_f64() * 1e5).round() / 100.0)
}
