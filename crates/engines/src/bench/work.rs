//! The measured work. Each run repeats the same games, and their outcome must always be the same, with portable code, too.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pacman2_batch::{Games, InstructionSet, StartPosition};
use pacman2_bots::Effort;
use pacman2_bots::playout::play_out;
use pacman2_bots::sage::Sage;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Game, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The number of games side by side.
pub(super) const GAMES: usize = 1024;

/// The number of their maps.
pub(super) const MAPS: i32 = 256;

/// The number of their turns: as many as a whole game has, so that every phase of a game is measured.
const TURNS: usize = 100;

/// The seed of the games.
const SEED: u64 = 1;

/// What a run did, and how long it took.
#[derive(Clone, Copy, Default)]
pub(super) struct Run {
    /// How many turns, simulations or maps.
    pub(super) count: u64,
    pub(super) time: Duration,
}

impl Run {
    /// Times some work, which returns its count.
    fn measure(work: impl FnOnce() -> u64) -> Run {
        let begin = Instant::now();
        let count = work();
        Run { count, time: begin.elapsed() }
    }

    pub(super) fn add(&mut self, other: Run) {
        self.count += other.count;
        self.time += other.time;
    }

    pub(super) fn per_second(self) -> f64 {
        self.count as f64 / self.time.as_secs_f64()
    }
}

/// Games side by side, and what random actions lead to in them.
pub(super) struct SideBySide {
    games: Games,
    actions: Vec<Vec<[u8; 4]>>,
    outcome: u64,
}

impl SideBySide {
    /// Makes games on these maps, each followed by a new one when it ends, and plays them with portable code.
    pub(super) fn new(instruction_set: InstructionSet, maps: &[Map]) -> SideBySide {
        let starts: Vec<_> = maps.iter().map(|map| Arc::new(StartPosition::new(map.maze.clone(), map.start))).collect();
        let starts = Arc::new(starts);
        let mut games = Games::new(InstructionSet::Portable, GAMES, SEED, starts.clone());
        let (mut actions, mut rewards) = (vec![vec![[0; 4]; GAMES]; TURNS], vec![[0; 4]; GAMES]);
        for actions in &mut actions {
            games.random_actions(actions);
            games.step(actions, &mut rewards);
        }
        SideBySide { games: Games::new(instruction_set, GAMES, SEED, starts), actions, outcome: outcome(&games, &rewards) }
    }

    /// Plays turns with the actions of the games played before.
    pub(super) fn given_actions(&self) -> Run {
        let mut actions = self.actions.iter();
        self.play(|games, rewards| games.step(actions.next().expect("there are actions for each turn"), rewards))
    }

    /// Plays turns with actions drawn at random.
    pub(super) fn random_actions(&self) -> Run {
        let mut actions = vec![[0; 4]; GAMES];
        self.play(|games, rewards| {
            games.random_actions(&mut actions);
            games.step(&actions, rewards);
        })
    }

    fn play(&self, mut turn: impl FnMut(&mut Games, &mut [[i32; 4]])) -> Run {
        let (mut games, mut rewards) = (self.games.clone(), vec![[0; 4]; GAMES]);
        let run = Run::measure(|| {
            (0..TURNS).for_each(|_| turn(&mut games, &mut rewards));
            // A new game follows each that ends, so every turn is a turn of all games.
            (TURNS * GAMES) as u64
        });
        assert_eq!(outcome(&games, &rewards), self.outcome, "the same actions led to different games than before");
        run
    }
}

/// Returns a hash of all games' positions and of the rewards of the last turn.
fn outcome(games: &Games, rewards: &[[i32; 4]]) -> u64 {
    let fold = |sum: u64, number: u64| sum.rotate_left(1) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let positions = (0..games.count()).map(|game| games.state(game).fingerprint());
    let rewards = rewards.as_flattened().iter().map(|&reward| reward as u64);
    positions.chain(rewards).fold(0, fold)
}

/// Plays random games one after another, by the crate `rules`: some milliseconds.
pub(super) fn one_by_one(map: &Map) -> Run {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    Run::measure(|| (0..1000).map(|_| u64::from(play_out(&map.maze, map.start, &mut random).turn)).sum())
}

/// Decides for the first turn by `sage`: some tens of milliseconds.
pub(super) fn search(map: &Map) -> Run {
    let game = Game::new(map.maze.clone(), map.start);
    let mut sage = Sage::new(Effort::Simulations(500));
    Run::measure(|| sage.search(&game, Some(Seat::S0), 1, || true).simulations.into())
}

/// Makes maps of this one's size: some milliseconds.
pub(super) fn make_maps(like: &Map) -> Run {
    let size = MapSize { width: Some(like.maze.width()), height: Some(like.maze.height()) };
    let make = |seed| Map::generate(seed, size, *like.maze.ruleset()).expect("a map of this size and these rules exists");
    Run::measure(|| (0..500).map(|seed| u64::from(make(seed).start.turn == 0)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pacman2_rules::Ruleset;

    fn maps() -> Vec<Map> {
        (1..=3).map(|seed| Map::generate(seed, MapSize::default(), Ruleset::default()).unwrap()).collect()
    }

    #[test]
    fn runs_count_what_they_do() {
        let maps = maps();
        for set in InstructionSet::available() {
            let games = SideBySide::new(set, &maps);
            for run in [games.given_actions(), games.random_actions()] {
                assert_eq!(run.count, (TURNS * GAMES) as u64);
                assert!(run.time > Duration::ZERO);
            }
        }
        let [games, turns] = [1000, one_by_one(&maps[0]).count];
        assert!((games..=games * 100).contains(&turns), "{turns}");
        assert_eq!(make_maps(&maps[0]).count, 500);
        assert!((1..=500).contains(&search(&maps[0]).count));
    }

    #[test]
    #[should_panic(expected = "different games than before")]
    fn a_different_outcome_panics() {
        let games = SideBySide::new(InstructionSet::Portable, &maps());
        SideBySide { outcome: games.outcome ^ 1, ..games }.given_actions();
    }
}
