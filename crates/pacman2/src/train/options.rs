//! The checked options of a training run.

use std::path::PathBuf;

use crate::args::TrainArgs;
use crate::error::bad_input;
use crate::workers;

/// What a run does.
pub(super) struct TrainOptions {
    pub(super) folder: PathBuf,
    pub(super) generations: u32,
    pub(super) threads: usize,
    pub(super) json: bool,
    /// Whether the games are played elsewhere.
    pub(super) elsewhere: bool,
    pub(super) net: NetOptions,
}

/// The options that determine a run's nets. A run goes on only with the same ones.
#[derive(Clone, Copy)]
pub(super) struct NetOptions {
    pub(super) games: u32,
    pub(super) simulations: u32,
    pub(super) measure: u32,
    pub(super) seed: u32,
    pub(super) first_seed: i32,
}

impl TrainOptions {
    pub(super) fn new(args: TrainArgs) -> anyhow::Result<TrainOptions> {
        let TrainArgs { verb: _, out, generations, games, simulations, measure, seed, first_seed, threads, elsewhere, json } =
            args;
        Ok(TrainOptions {
            folder: out.ok_or_else(|| bad_input("a run needs a folder: --out DIR"))?,
            generations,
            threads: threads.map_or_else(workers::default_threads, usize::from),
            json,
            elsewhere,
            net: NetOptions { games, simulations, measure, seed, first_seed },
        })
    }
}

impl NetOptions {
    /// The options by their names.
    pub(super) fn by_name(&self) -> [(&'static str, i64); 5] {
        [
            ("games", self.games.into()),
            ("simulations", self.simulations.into()),
            ("measure", self.measure.into()),
            ("seed", self.seed.into()),
            ("first-seed", self.first_seed.into()),
        ]
    }

    /// The options as arguments of `pacman2 train`.
    pub(super) fn as_typed(&self) -> String {
        self.by_name().map(|(name, value)| format!("--{name} {value}")).join(" ")
    }
}
