//! Where the games of a [`VecEngine`](super::VecEngine) begin.

use std::sync::{Arc, OnceLock};

use pacman2_batch::{StartPosition, StartSource, seed_of_game};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;

/// The maps that games begin with.
#[derive(Clone)]
pub(super) struct MapSource {
    /// Asked of Botzone's generator.
    pub(super) size: MapSize,
    /// Of maps that Botzone's generator makes.
    pub(super) settings: Ruleset,
    pub(super) choice: MapChoice,
}

/// Which maps there are.
#[derive(Clone)]
pub(super) enum MapChoice {
    /// Every game has a map of its own.
    Fresh,
    /// So many of Botzone's maps, whose seeds follow from one.
    MapPool(MapPool),
    /// These.
    List(Vec<Arc<StartPosition>>),
}

/// Maps of Botzone's generator, each made when a game wants it first. All clones share what is made.
#[derive(Clone)]
pub(super) struct MapPool {
    pub(super) seed: u64,
    made: Arc<[OnceLock<Arc<StartPosition>>]>,
}

impl MapPool {
    /// A pool of that seed.
    pub(super) fn new(seed: u64, count: usize) -> MapPool {
        MapPool { seed, made: (0..count).map(|_| OnceLock::new()).collect() }
    }

    /// How many maps there are.
    pub(super) fn count(&self) -> usize {
        self.made.len()
    }
}

impl MapSource {
    /// How many maps a pool has if nobody says.
    pub(super) const POOL: usize = 1024;
    /// How many it may have.
    pub(super) const MOST: i64 = 1 << 24;

    /// The same, whose pool, if there is one, is that of another seed.
    pub(super) fn reseeded(&self, seed: u64) -> MapSource {
        let choice = match &self.choice {
            MapChoice::MapPool(pool) if pool.seed != seed => MapChoice::MapPool(MapPool::new(seed, pool.count())),
            other => other.clone(),
        };
        MapSource { choice, ..self.clone() }
    }

    /// The same maps; what `other` has made of the same pool is not made again.
    pub(super) fn sharing(self, other: &MapSource) -> MapSource {
        let is_same = match (&self.choice, &other.choice) {
            (MapChoice::MapPool(own), MapChoice::MapPool(others)) => own.seed == others.seed && own.count() == others.count(),
            _ => false,
        };
        if is_same && self.size == other.size && self.settings == other.settings { other.clone() } else { self }
    }

    /// The start on Botzone's map of that seed. Of a seed the generator takes 32 bits.
    fn generate(&self, seed: u64) -> Arc<StartPosition> {
        let map = Map::generate(seed as i32, self.size, self.settings).expect("size and settings were tried at the door");
        Arc::new(StartPosition::new(map.maze, map.start))
    }
}

impl StartSource for MapSource {
    fn start(&self, seed: u64) -> Arc<StartPosition> {
        match &self.choice {
            MapChoice::Fresh => self.generate(seed),
            MapChoice::MapPool(pool) => {
                let place = part(seed, pool.count());
                Arc::clone(pool.made[place].get_or_init(|| self.generate(seed_of_game(pool.seed, place as u64))))
            }
            MapChoice::List(starts) => Arc::clone(&starts[part(seed, starts.len())]),
        }
    }
}

/// Which of so many a seed draws: all as likely.
fn part(seed: u64, count: usize) -> usize {
    // The upper half of the product: a whole part below the count.
    ((u128::from(seed) * count as u128) >> 64) as usize
}
