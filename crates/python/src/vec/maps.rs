//! The maps of a [`VecEngine`](super::VecEngine).

use std::sync::{Arc, OnceLock};

use pacman2_batch::{StartPosition, StartSource, index_below, seed_of_game};
use pacman2_maps::{MapDraft, MapSize};
use pacman2_rules::Ruleset;

/// The source of initial maps.
#[derive(Clone)]
pub(super) struct MapSource {
    /// The size of generated maps.
    pub(super) size: MapSize,
    /// The settings of generated maps.
    pub(super) settings: Ruleset,
    pub(super) choice: MapChoice,
}

/// The set of maps.
#[derive(Clone)]
pub(super) enum MapChoice {
    /// Every game has its own generated map.
    Fresh,
    /// A fixed number of generated maps, whose seeds derive from one.
    MapPool(MapPool),
    /// Custom maps.
    List(Vec<Arc<StartPosition>>),
}

/// Maps of Botzone's generator, generated on first use. All clones share them.
#[derive(Clone)]
pub(super) struct MapPool {
    pub(super) seed: u64,
    made: Arc<[OnceLock<Arc<StartPosition>>]>,
}

impl MapPool {
    /// Creates a pool with `count` maps.
    pub(super) fn new(seed: u64, count: usize) -> MapPool {
        MapPool { seed, made: (0..count).map(|_| OnceLock::new()).collect() }
    }

    /// Returns the number of maps.
    pub(super) fn count(&self) -> usize {
        self.made.len()
    }
}

impl MapSource {
    /// The default number of maps in a pool.
    pub(super) const POOL: usize = 1024;
    /// The largest number of maps in a pool.
    pub(super) const MOST: i64 = 1 << 24;

    /// Returns a copy whose pool, if any, has another seed.
    pub(super) fn reseeded(&self, seed: u64) -> MapSource {
        let choice = match &self.choice {
            MapChoice::MapPool(pool) if pool.seed != seed => MapChoice::MapPool(MapPool::new(seed, pool.count())),
            other => other.clone(),
        };
        MapSource { choice, ..self.clone() }
    }

    /// Returns the same maps, sharing the generated maps of `other` if both have the same pool.
    pub(super) fn sharing(self, other: &MapSource) -> MapSource {
        let is_same = match (&self.choice, &other.choice) {
            (MapChoice::MapPool(own), MapChoice::MapPool(others)) => own.seed == others.seed && own.count() == others.count(),
            _ => false,
        };
        if is_same && self.size == other.size && self.settings == other.settings { other.clone() } else { self }
    }

    /// Generates the start position of a seed. The generator uses the low 32 bits.
    fn generate(&self, seed: u64) -> Arc<StartPosition> {
        let map = MapDraft::generate(seed as i32, self.size, self.settings).expect("size and settings were validated");
        Arc::new(StartPosition::on_lazy_maze(map.maze, map.start))
    }
}

impl StartSource for MapSource {
    fn start(&self, seed: u64) -> Arc<StartPosition> {
        match &self.choice {
            MapChoice::Fresh => self.generate(seed),
            MapChoice::MapPool(pool) => {
                let place = index_below(seed, pool.count());
                Arc::clone(pool.made[place].get_or_init(|| self.generate(seed_of_game(pool.seed, place as u64))))
            }
            MapChoice::List(starts) => starts.start(seed),
        }
    }
}
