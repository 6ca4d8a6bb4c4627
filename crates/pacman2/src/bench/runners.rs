//! What is measured. Each does the same again and again, and each time the outcome must be the one that it had first, played
//! with portable code.

use std::sync::Arc;
use std::time::{Duration, Instant};

use batch::{Games, InstructionSet, Playouts, Source, Start, Tally};
use bots::playout::play_out;
use maps::Map;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rules::Seat;

use super::meter::{Lap, Meter};

/// Games side by side whose actions are given.
pub(super) const GAMES: usize = 4096;

/// Maps that they have among them.
pub(super) const MAPS: i32 = 256;

/// Turns that they play: as many as a whole game has, so that all parts of games are in them.
const TURNS: usize = 100;

/// The seed of games in lanes.
const SEED: u64 = 1;

pub(super) trait Runner {
    /// Plays some games or turns.
    fn go(&mut self, meter: &mut Meter) -> Lap;
}

/// Whether one thread plays or all.
#[derive(Clone, Copy)]
pub(super) enum Threads {
    One,
    All,
}

/// Random games, played one after another by the rules.
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
    /// Games of one go: two or three thousandths of a second.
    const GAMES: u64 = 4096;

    pub(super) fn new(map: &'a Map) -> Scalar<'a> {
        Scalar { map, first: Scalar::play(map) }
    }

    fn play(map: &Map) -> ScalarSums {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut sums = ScalarSums::default();
        for _ in 0..Scalar::GAMES {
            let end = play_out(&map.arena, map.start, &mut random);
            sums.turns += u64::from(end.turn);
            sums.strength += i64::from(end.strength[Seat::S0]);
        }
        sums
    }
}

impl Runner for Scalar<'_> {
    fn go(&mut self, meter: &mut Meter) -> Lap {
        let (sums, lap) = meter.time(|| Scalar::play(self.map));
        assert_eq!(sums, self.first, "the rules play other games than before");
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
    /// The least number of games: so many that lanes are full nearly all the time.
    const GAMES: u64 = 16_384;
    /// One go takes about this long at most, so that somebody who wants to end it does not wait.
    const GO: Duration = Duration::from_millis(20);

    /// So many games on one thread that they take about that long, and the same on all threads.
    pub(super) fn on_one_and_all_threads(playouts: &'a Playouts, map: &'a Map, time: Duration) -> [RandomPlayouts<'a>; 2] {
        let begin = Instant::now();
        playouts.play(&map.start, SEED, 0..Self::GAMES);
        let share = time.min(Self::GO).as_secs_f64() / begin.elapsed().as_secs_f64();
        let games = (Self::GAMES as f64 * share.max(1.0)) as u64;
        let first = Playouts::new(&map.arena, InstructionSet::Portable).play(&map.start, SEED, 0..games);
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
        assert_eq!(tally, self.first, "playouts come to something else than with portable code on one thread");
        Lap { turns: tally.turns, games: tally.games, ..lap }
    }
}

/// Games side by side, with orders that are known before.
#[derive(Clone)]
pub(super) struct GivenActions {
    begin: Games,
    recording: Arc<Recording>,
    threads: Threads,
}

/// What games are given, and how they are then.
struct Recording {
    orders: Vec<Vec<[u8; 4]>>,
    ended: u64,
    outcome: u64,
}

impl GivenActions {
    /// Games on these maps, in which new ones begin where one ends: on one thread, and the same on all.
    pub(super) fn on_one_and_all_threads(instruction_set: InstructionSet, maps: &[Map]) -> [GivenActions; 2] {
        let starts: Vec<Arc<Start>> = maps.iter().map(|map| Arc::new(Start::new(map.arena.clone(), map.start))).collect();
        let starts: Arc<dyn Source> = Arc::new(starts);
        let games = |instruction_set| Games::new(instruction_set, GAMES, SEED, Arc::clone(&starts));
        let recording = Arc::new(Recording::of(games(InstructionSet::Portable)));
        let begin = games(instruction_set);
        [Threads::One, Threads::All].map(|threads| GivenActions {
            begin: begin.clone(),
            recording: Arc::clone(&recording),
            threads,
        })
    }
}

impl Recording {
    /// Plays with random orders and keeps them.
    fn of(mut games: Games) -> Recording {
        let mut rewards = vec![[0; 4]; GAMES];
        let mut recording = Recording { orders: Vec::new(), ended: 0, outcome: 0 };
        for _ in 0..TURNS {
            let mut orders = vec![[0; 4]; GAMES];
            games.orders_at_random(&mut orders);
            games.step(&orders, &mut rewards);
            recording.ended += games.ended().count() as u64;
            recording.orders.push(orders);
        }
        recording.outcome = outcome(&games, &rewards);
        recording
    }
}

/// A number that changes with any game's position and with the rewards of the last turn.
fn outcome(games: &Games, rewards: &[[i32; 4]]) -> u64 {
    let fold = |sum: u64, number: u64| sum.rotate_left(1) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let positions = (0..games.count()).map(|game| games.state(game).fingerprint());
    let rewards = rewards.as_flattened().iter().map(|&reward| reward as u64);
    positions.chain(rewards).fold(0, fold)
}

impl Runner for GivenActions {
    fn go(&mut self, meter: &mut Meter) -> Lap {
        let workers = match self.threads {
            Threads::One => 1,
            Threads::All => rayon::current_num_threads(),
        };
        // Each thread has games of its own, as workers who learn have: to meet after every turn would take longer than it.
        let mut all = vec![(self.begin.clone(), vec![[0; 4]; GAMES]); workers];
        let Recording { orders, ended, outcome: expected } = &*self.recording;
        let play = |(games, rewards): &mut (Games, Vec<[i32; 4]>)| orders.iter().for_each(|orders| games.step(orders, rewards));
        let ((), lap) = meter.time(|| {
            rayon::in_place_scope(|scope| {
                let [first, others @ ..] = &mut all[..] else { return };
                others.iter_mut().for_each(|other| scope.spawn(|_| play(other)));
                play(first);
            });
        });
        for (games, rewards) in &all {
            assert_eq!(outcome(games, rewards), *expected, "given the same actions, games come to something else than before");
        }
        // A game that ends makes room for another at once, so each turn is one of all games.
        Lap { turns: (workers * orders.len() * GAMES) as u64, games: workers as u64 * *ended, ..lap }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maps::Size;
    use rules::Settings;

    fn maps() -> Vec<Map> {
        (1..=3).map(|seed| Map::generate(seed, Size::default(), Settings::default()).unwrap()).collect()
    }

    fn go(mut runner: impl Runner) -> (u64, u64) {
        let lap = runner.go(&mut Meter::new());
        assert!(lap.time > Duration::ZERO);
        (lap.turns, lap.games)
    }

    #[test]
    fn what_is_timed_is_counted() {
        let maps = maps();
        for set in InstructionSet::available() {
            let playouts = Playouts::new(&maps[0].arena, set);
            let [one, all] = RandomPlayouts::on_one_and_all_threads(&playouts, &maps[0], Duration::ZERO);
            let (turns, games) = go(one);
            assert_eq!((games, go(all)), (RandomPlayouts::GAMES, (turns, games)));
            assert!((games..=games * 100).contains(&turns), "{turns}");

            let [one, all] = GivenActions::on_one_and_all_threads(set, &maps);
            let (turns, games) = go(one);
            let threads = rayon::current_num_threads() as u64;
            assert_eq!((turns, go(all)), ((TURNS * GAMES) as u64, (threads * turns, threads * games)));
            // Each place has seen the end of a game at the latest after as many turns as a game can have.
            assert!((GAMES as u64..=turns).contains(&games), "{games}");
        }
    }

    #[test]
    fn scalar_games_are_as_long_as_those_of_lanes() {
        let maps = maps();
        let (turns, games) = go(Scalar::new(&maps[0]));
        let playouts = Playouts::new(&maps[0].arena, InstructionSet::Portable);
        let [one, _] = RandomPlayouts::on_one_and_all_threads(&playouts, &maps[0], Duration::ZERO);
        let (their_turns, their_games) = go(one);
        let (mean, their_mean) = (turns as f64 / games as f64, their_turns as f64 / their_games as f64);
        assert!((mean / their_mean - 1.0).abs() < 0.05, "{mean} and {their_mean}");
    }

    #[test]
    #[should_panic(expected = "come to something else")]
    fn another_outcome_is_not_timed() {
        let [mut one, _] = GivenActions::on_one_and_all_threads(InstructionSet::Portable, &maps());
        let Recording { orders, ended, outcome } = &*one.recording;
        one.recording = Arc::new(Recording { orders: orders.clone(), ended: *ended, outcome: outcome ^ 1 });
        go(one);
    }
}
