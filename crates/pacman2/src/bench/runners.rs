//! The measured work. Each runner repeats the same games, and their outcome must always equal that of portable code.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pacman2_batch::{Games, InstructionSet, Playouts, StartPosition, Tally};
use pacman2_bots::playout::play_out;
use pacman2_maps::{Map, MapDraft, MapSize};
use pacman2_rules::{Ruleset, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::lap::Lap;
use super::meter::{Meter, Runner};

/// The number of games side by side with given actions.
pub(super) const GAMES: usize = 4096;

/// The number of their maps.
pub(super) const MAPS: i32 = 256;

/// The number of their turns: as many as a whole game has, so that every phase of a game is measured.
const TURNS: usize = 100;

/// How often each thread plays them in one run at most: less often if there is little time.
const PASSES: usize = 8;

/// About how long it takes to play them once.
const PASS: Duration = Duration::from_millis(10);

/// The seed of the games.
const SEED: u64 = 1;

/// How many threads play.
#[derive(Clone, Copy)]
pub(super) enum Threads {
    One,
    All,
}

/// Random games, played one after another by the crate rules.
pub(super) struct Scalar<'a> {
    map: &'a Map,
    first: ScalarSums,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct ScalarSums {
    turns: u64,
    strength: i64,
}

impl<'a> Scalar<'a> {
    /// Games in one run: two or three milliseconds.
    const GAMES: u64 = 4096;

    pub(super) fn new(map: &'a Map) -> Scalar<'a> {
        Scalar { map, first: Scalar::play(map) }
    }

    fn play(map: &Map) -> ScalarSums {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut sums = ScalarSums::default();
        for _ in 0..Scalar::GAMES {
            let end = play_out(&map.maze, map.start, &mut random);
            sums.turns += u64::from(end.turn);
            sums.strength += i64::from(end.strength[Seat::S0]);
        }
        sums
    }
}

impl Runner for Scalar<'_> {
    fn go(&mut self, meter: &mut Meter) -> Lap {
        let (sums, lap) = meter.time(|| Scalar::play(self.map));
        assert_eq!(sums, self.first, "the rules played different games than before");
        Lap { turns: sums.turns, games: Scalar::GAMES, ..lap }
    }
}

/// Random games from one position, many at once.
#[derive(Clone, Copy)]
pub(super) struct RandomPlayouts<'a> {
    playouts: &'a Playouts,
    map: &'a Map,
    games: u64,
    first: Tally,
    threads: Threads,
}

impl<'a> RandomPlayouts<'a> {
    /// The least number of games, so that lanes are full nearly all the time.
    const GAMES: u64 = 16_384;
    /// The longest time of a run, so that Ctrl-C is prompt.
    const GO: Duration = Duration::from_millis(50);

    /// Makes playouts that take about this long on one thread, and the same for all threads.
    pub(super) fn on_one_and_all_threads(playouts: &'a Playouts, map: &'a Map, time: Duration) -> [RandomPlayouts<'a>; 2] {
        let begin = Instant::now();
        playouts.play(&map.start, SEED, 0..Self::GAMES);
        let share = time.min(Self::GO).as_secs_f64() / begin.elapsed().as_secs_f64();
        let games = (Self::GAMES as f64 * share.max(1.0)) as u64;
        let first = Playouts::new(&map.maze, InstructionSet::Portable).play(&map.start, SEED, 0..games);
        [Threads::One, Threads::All].map(|threads| RandomPlayouts { playouts, map, games, first, threads })
    }
}

impl Runner for RandomPlayouts<'_> {
    fn go(&mut self, meter: &mut Meter) -> Lap {
        let (start, games) = (&self.map.start, 0..self.games);
        let (tally, lap) = meter.time(|| match self.threads {
            Threads::One => self.playouts.play(start, SEED, games),
            Threads::All => self.playouts.play_in_parallel(start, SEED, games),
        });
        assert_eq!(tally, self.first, "playouts differ from portable code on one thread");
        Lap { turns: tally.turns, games: tally.games, ..lap }
    }
}

/// Maps of one size.
#[derive(Clone, Copy)]
struct Drafts {
    size: MapSize,
    ruleset: Ruleset,
}

impl Drafts {
    fn like(map: &Map) -> Drafts {
        let size = MapSize { width: Some(map.maze.width()), height: Some(map.maze.height()) };
        Drafts { size, ruleset: *map.maze.ruleset() }
    }

    fn make(&self, seed: i32) -> MapDraft {
        MapDraft::generate(seed, self.size, self.ruleset).expect("a map of this size and these rules exists")
    }
}

/// Maps, generated and prepared for games one after another.
pub(super) struct FreshMaps {
    drafts: Drafts,
    /// Whether their mazes get all tables, and not only what games in lanes need.
    with_tables: bool,
}

impl FreshMaps {
    /// Maps in one run: about a millisecond.
    const MAPS: i32 = 500;

    /// Makes maps like this one: without and with all tables.
    pub(super) fn without_and_with_tables(like: &Map) -> [FreshMaps; 2] {
        [false, true].map(|with_tables| FreshMaps { drafts: Drafts::like(like), with_tables })
    }
}

impl Runner for FreshMaps {
    fn go(&mut self, meter: &mut Meter) -> Lap {
        let (made, lap) = meter.time(|| {
            let make = |seed| {
                let draft = self.drafts.make(seed);
                let start = StartPosition::on_lazy_maze(draft.maze, draft.start);
                if self.with_tables {
                    start.maze();
                }
                Arc::new(start)
            };
            // Dropping a map is part of it.
            (0..FreshMaps::MAPS).map(make).filter(|start| start.state().turn == 0).count()
        });
        Lap { games: made as u64, ..lap }
    }
}

/// Games side by side, with actions that were recorded before.
#[derive(Clone)]
pub(super) struct GivenActions {
    /// Games and maps for each thread, as training has them: a barrier after every turn would take longer than the turn, and
    /// shared maps would contend for their reference counts.
    workers: Vec<Games>,
    passes: usize,
    recording: Arc<Recording>,
}

/// The recorded actions, and the outcome of the games.
struct Recording {
    actions: Vec<Vec<[u8; 4]>>,
    ended: u64,
    outcome: u64,
}

impl GivenActions {
    /// Makes games on these maps, each followed by a new one when it ends: for one thread, and for all threads, with runs of about
    /// this time.
    pub(super) fn on_one_and_all_threads(instruction_set: InstructionSet, maps: &[Map], time: Duration) -> [GivenActions; 2] {
        let games = |instruction_set| {
            let starts: Vec<_> = maps.iter().map(|map| Arc::new(StartPosition::new(map.maze.clone(), map.start))).collect();
            Games::new(instruction_set, GAMES, SEED, Arc::new(starts))
        };
        let recording = Arc::new(Recording::of(games(InstructionSet::Portable)));
        [1, rayon::current_num_threads()].map(|threads| GivenActions {
            workers: (0..threads).map(|_| games(instruction_set)).collect(),
            passes: ((time.as_secs_f64() / PASS.as_secs_f64()) as usize).clamp(1, PASSES),
            recording: Arc::clone(&recording),
        })
    }

    /// Makes games for one thread, each on a new map of this map's size.
    pub(super) fn on_fresh_maps(instruction_set: InstructionSet, like: &Map) -> GivenActions {
        let drafts = Drafts::like(like);
        let games = |instruction_set| {
            let start = move |seed: u64| {
                let draft = drafts.make(seed as i32);
                Arc::new(StartPosition::on_lazy_maze(draft.maze, draft.start))
            };
            Games::new(instruction_set, GAMES, SEED, Arc::new(start))
        };
        let recording = Arc::new(Recording::of(games(InstructionSet::Portable)));
        GivenActions { workers: vec![games(instruction_set)], passes: 1, recording }
    }
}

impl Recording {
    /// Plays with random actions and records them.
    fn of(mut games: Games) -> Recording {
        let mut rewards = vec![[0; 4]; GAMES];
        let mut recording = Recording { actions: Vec::new(), ended: 0, outcome: 0 };
        for _ in 0..TURNS {
            let mut actions = vec![[0; 4]; GAMES];
            games.random_actions(&mut actions);
            games.step(&actions, &mut rewards);
            recording.ended += games.ended().count() as u64;
            recording.actions.push(actions);
        }
        recording.outcome = outcome(&games, &rewards);
        recording
    }

    /// Plays the recorded actions. Returns the rewards of the last turn.
    fn play(&self, games: &mut Games) -> Vec<[i32; 4]> {
        let mut rewards = vec![[0; 4]; GAMES];
        self.actions.iter().for_each(|actions| games.step(actions, &mut rewards));
        rewards
    }
}

/// Returns a hash of all games' positions and of the rewards of the last turn.
fn outcome(games: &Games, rewards: &[[i32; 4]]) -> u64 {
    let fold = |sum: u64, number: u64| sum.rotate_left(1) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let positions = (0..games.count()).map(|game| games.state(game).fingerprint());
    let rewards = rewards.as_flattened().iter().map(|&reward| reward as u64);
    positions.chain(rewards).fold(0, fold)
}

impl Runner for GivenActions {
    fn go(&mut self, meter: &mut Meter) -> Lap {
        match &self.workers[..] {
            [alone] => {
                let mut games = alone.clone();
                let (rewards, lap) = meter.time(|| self.recording.play(&mut games));
                self.lap(&[outcome(&games, &rewards)], lap)
            }
            workers => {
                let ready = AtomicUsize::new(0);
                let passes = rayon::broadcast(|thread| {
                    let barrier = |pass| {
                        ready.fetch_add(1, Ordering::Relaxed);
                        while ready.load(Ordering::Relaxed) < pass * workers.len() {
                            thread::yield_now();
                        }
                    };
                    let pass = |pass| {
                        let mut games = workers[thread.index()].clone();
                        barrier(pass);
                        let begin = Instant::now();
                        let rewards = self.recording.play(&mut games);
                        (begin..Instant::now(), outcome(&games, &rewards))
                    };
                    // The system takes longer than a pass to spread the threads over the cores.
                    (1..=self.passes).map(pass).collect::<Vec<_>>()
                });
                let times = (0..self.passes).filter_map(|pass| {
                    let begin = passes.iter().map(|of_thread| of_thread[pass].0.start).min()?;
                    let end = passes.iter().map(|of_thread| of_thread[pass].0.end).max()?;
                    Some(end - begin)
                });
                let outcomes: Vec<u64> = passes.iter().flatten().map(|&(_, outcome)| outcome).collect();
                self.lap(&outcomes, Lap { time: times.sum(), ..Lap::default() })
            }
        }
    }
}

impl GivenActions {
    /// Returns the lap of passes with these outcomes.
    fn lap(&self, outcomes: &[u64], lap: Lap) -> Lap {
        let Recording { actions, ended, outcome } = &*self.recording;
        let expected = outcomes.iter().all(|found| found == outcome);
        assert!(expected, "the same actions led to different games than before");
        // A new game follows each that ends, so every turn is a turn of all games.
        let turns = (outcomes.len() * actions.len() * GAMES) as u64;
        Lap { turns, games: outcomes.len() as u64 * ended, ..lap }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn maps() -> Vec<Map> {
        (1..=3).map(|seed| Map::generate(seed, MapSize::default(), Ruleset::default()).unwrap()).collect()
    }

    fn go(mut runner: impl Runner) -> (u64, u64) {
        let lap = runner.go(&mut Meter::new());
        assert!(lap.time > Duration::ZERO);
        (lap.turns, lap.games)
    }

    #[test]
    fn laps_count_turns_and_games() {
        let maps = maps();
        for set in InstructionSet::available() {
            let playouts = Playouts::new(&maps[0].maze, set);
            let [one, all] = RandomPlayouts::on_one_and_all_threads(&playouts, &maps[0], Duration::ZERO);
            let (turns, games) = go(one);
            assert_eq!((games, go(all)), (RandomPlayouts::GAMES, (turns, games)));
            assert!((games..=games * 100).contains(&turns), "{turns}");

            for (time, passes) in [(Duration::ZERO, 1), (2 * PASS, 2), (100 * PASS, PASSES)] {
                let [one, all] = GivenActions::on_one_and_all_threads(set, &maps, time);
                let (turns, games) = go(one);
                let plays = if rayon::current_num_threads() == 1 { 1 } else { (passes * rayon::current_num_threads()) as u64 };
                assert_eq!((turns, go(all)), ((TURNS * GAMES) as u64, (plays * turns, plays * games)));
                // In each slot a game has ended after at most as many turns as a game can have.
                assert!((GAMES as u64..=turns).contains(&games), "{games}");
            }
        }
    }

    #[test]
    fn fresh_maps_are_counted_and_played() {
        let maps = maps();
        for runner in FreshMaps::without_and_with_tables(&maps[0]) {
            assert_eq!(go(runner), (0, FreshMaps::MAPS as u64));
        }
        for set in InstructionSet::available() {
            let (turns, games) = go(GivenActions::on_fresh_maps(set, &maps[0]));
            assert_eq!(turns, (TURNS * GAMES) as u64);
            assert!((GAMES as u64..=turns).contains(&games), "{games}");
        }
    }

    #[test]
    fn scalar_games_and_playouts_are_equally_long() {
        let maps = maps();
        let (turns, games) = go(Scalar::new(&maps[0]));
        let playouts = Playouts::new(&maps[0].maze, InstructionSet::Portable);
        let [one, _] = RandomPlayouts::on_one_and_all_threads(&playouts, &maps[0], Duration::ZERO);
        let (their_turns, their_games) = go(one);
        let (mean, their_mean) = (turns as f64 / games as f64, their_turns as f64 / their_games as f64);
        assert!((mean / their_mean - 1.0).abs() < 0.05, "{mean} and {their_mean}");
    }

    #[test]
    #[should_panic(expected = "different games than before")]
    fn a_different_outcome_panics() {
        let [_, mut all] = GivenActions::on_one_and_all_threads(InstructionSet::Portable, &maps(), Duration::ZERO);
        let Recording { actions, ended, outcome } = &*all.recording;
        all.recording = Arc::new(Recording { actions: actions.clone(), ended: *ended, outcome: outcome ^ 1 });
        go(all);
    }
}
