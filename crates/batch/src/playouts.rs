//! One position, many random games: what a search wants to know.
//!
//! Four blocks of 64 lanes take turns. A lane whose game ends gets the next one, so that lanes stay full. Game number `n` of
//! a run is the same wherever and beside whatever it is played: its chance comes from [`seed_of_game`]. The tally is made of
//! sums of whole numbers, in which the order of games does not matter.

use std::iter::Sum;
use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use pacman2_rules::{BySeat, Maze, Seat, State};
use rayon::prelude::*;

use crate::arch::{self, Work};
use crate::columns::{Columns, Numbering, Row};
use crate::ground::shared::Shared;
use crate::ground::{Ground, draw, place};
use crate::instruction_set::InstructionSet;
use crate::lanes::{Bytes, LANES, Lanes, Mask, lanes_of};
use crate::rng::{Chance, GameRng, part, seed_of_game};
use crate::turn::{After, Legal, play};

/// Random games on one map.
#[derive(Clone, Debug)]
pub struct Playouts {
    maze: Maze,
    instruction_set: InstructionSet,
    /// The map for lanes; `None` if the rules play.
    shared: Option<Box<Shared>>,
}

/// What came of random games from one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games played.
    pub games: u64,
    /// Turns played in all of them.
    pub turns: u64,
    /// For each seat, by the place of its first order in [`Order::ALL`](pacman2_rules::Order::ALL), what it got in the games that it
    /// began with it. For who was dead from the beginning all games are with the first order, to stay.
    pub by_first_action: BySeat<[PlayerTotals; 9]>,
}

/// What one player got in some games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlayerTotals {
    /// How many games.
    pub games: u64,
    /// The sum of its official scores, in hundredths.
    pub hundredths: i64,
    /// The sum of its strengths in the end.
    pub strength: i64,
}

impl Playouts {
    /// Random games on the map of that arena.
    ///
    /// # Panics
    ///
    /// If this machine does not have the instruction set.
    pub fn new(maze: &Maze, instruction_set: InstructionSet) -> Playouts {
        assert!(instruction_set.is_available(), "this machine does not have {instruction_set}");
        // Portable lanes are slower than the rules: these look only at those to whom something happens.
        let in_lanes = instruction_set != InstructionSet::Portable;
        let shared = in_lanes.then(|| Shared::new(maze)).flatten().map(Box::new);
        Playouts { maze: maze.clone(), instruction_set, shared }
    }

    /// Plays the games of these numbers in the run of that seed, from `start` to their ends, on one thread.
    ///
    /// All orders are legal, and each is as likely as any other to within one in 7281. Of a game that is over nothing is
    /// played, and the tally is empty.
    pub fn play(&self, start: &State, seed: u64, games: Range<u64>) -> Tally {
        self.tally(start, seed, games)
    }

    /// The same on all threads of rayon's pool.
    pub fn play_in_parallel(&self, start: &State, seed: u64, games: Range<u64>) -> Tally {
        // So few that to wake a thread for them would not pay.
        const FEW: u64 = 4096;
        let count = games.end.saturating_sub(games.start);
        let threads = count.div_ceil(FEW).min(rayon::current_num_threads() as u64);
        let supply = Supply(AtomicU64::new(games.start), games.end);
        (0..threads).into_par_iter().map(|_| self.tally(start, seed, supply.numbers())).sum()
    }

    fn tally(&self, start: &State, seed: u64, games: impl Iterator<Item = u64>) -> Tally {
        let mut tally = Tally::default();
        if !start.is_over(&self.maze) {
            self.play_each(start, seed, games, |end| tally.count(&end));
        }
        tally
    }

    /// A number that changes when any of these games ends in another way: the sum of their ends' fingerprints, each
    /// multiplied by one more than twice the game's number, so that it matters which game ended how.
    pub fn signature(&self, start: &State, seed: u64, games: Range<u64>) -> u64 {
        let mut signature = 0u64;
        if !start.is_over(&self.maze) {
            self.play_each(start, seed, games, |end| {
                let weight = end.number.wrapping_mul(2).wrapping_add(1);
                signature = signature.wrapping_add(end.state().fingerprint().wrapping_mul(weight));
            });
        }
        signature
    }

    /// Plays the games and shows how each ends, in any order.
    fn play_each(&self, start: &State, seed: u64, mut games: impl Iterator<Item = u64>, mut ended: impl FnMut(End<'_>)) {
        // One machine code for all games and for all that may be done with an end: these loops are long.
        let games: &mut dyn Iterator<Item = u64> = &mut games;
        let ended: &mut dyn FnMut(End<'_>) = &mut ended;
        let numbering = Numbering::of(&self.maze);
        match (&self.shared, Row::new(&self.maze, start, numbering)) {
            (Some(shared), Some(row)) => {
                let start = Start::new(&self.maze, start, row, seed);
                arch::with(self.instruction_set, Run { maze: &self.maze, shared, start, numbering, games, ended });
            }
            // What lanes cannot hold, the rules play.
            _ => play_plainly(&self.maze, start, seed, games, ended),
        }
    }
}

/// Numbers of games, up to an end, of which several threads take theirs: so they end at the same time, and lanes are empty
/// only then.
struct Supply(AtomicU64, u64);

impl Supply {
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let Supply(next, end) = self;
        let some = move |first: u64| first..first.saturating_add(LANES as u64).min(*end);
        let take = move |first: u64| (first < *end).then(|| some(first).end);
        std::iter::from_fn(move || next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()).flat_map(some)
    }
}

/// Plays the games one after another.
fn play_plainly(maze: &Maze, start: &State, seed: u64, games: &mut dyn Iterator<Item = u64>, ended: &mut dyn FnMut(End<'_>)) {
    for number in games {
        let mut generator = GameRng::new(seed_of_game(seed, number));
        let first = generator.clone().actions(maze, start).map(place).0;
        let mut state = *start;
        state.play_out(maze, || generator.turn());
        ended(End { number, first, turns: state.turn - start.turn, at: At::State(state) });
    }
}

/// How a game ended.
struct End<'a> {
    number: u64,
    /// The places of first orders in [`Order::ALL`](pacman2_rules::Order::ALL).
    first: [u8; 4],
    turns: u32,
    at: At<'a>,
}

enum At<'a> {
    Lane { lane: usize, columns: &'a Columns, maze: &'a Maze, numbering: Numbering },
    State(State),
}

impl End<'_> {
    #[inline]
    fn strength(&self) -> BySeat<i32> {
        match &self.at {
            At::Lane { lane, columns, .. } => columns.final_strength(*lane),
            At::State(state) => state.strength,
        }
    }

    fn state(&self) -> State {
        match &self.at {
            At::Lane { lane, columns, maze, numbering } => {
                State { strength: columns.final_strength(*lane), ..columns.row(*lane).state(maze, *numbering) }
            }
            At::State(state) => *state,
        }
    }
}

impl Tally {
    #[inline]
    fn count(&mut self, end: &End<'_>) {
        let strength = end.strength();
        let hundredths = hundredths(&strength);
        self.games += 1;
        self.turns += u64::from(end.turns);
        for seat in Seat::ALL {
            let sums = &mut self.by_first_action[seat][usize::from(end.first[seat.index()])];
            sums.games += 1;
            sums.hundredths += hundredths[seat];
            sums.strength += i64::from(strength[seat]);
        }
    }
}

/// The official scores in hundredths, as [`pacman2_rules::scores`] has them.
///
/// Quotients of whole numbers, rounded to a binary fraction of 53 bits, are cut to the right whole number: a sum of four
/// numbers of 32 bits has 34, so none that is not whole comes nearer to a whole one than a 2³⁴th. Four divisions of this kind
/// take the time of one of the other.
fn hundredths(strength: &BySeat<i32>) -> BySeat<i64> {
    let total: i64 = strength.0.iter().map(|&strength| i64::from(strength)).sum();
    let total = if total == 0 { 1.0 } else { total as f64 };
    let shares = strength.map(|own| (10_000.0 * f64::from(own) / total) as i64);
    BySeat::from_fn(|seat| {
        let rank = 1 + strength.0.iter().map(|&other| i64::from(other < strength[seat])).sum::<i64>();
        1000 * rank + shares[seat]
    })
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.games += other.games;
        self.turns += other.turns;
        for seat in Seat::ALL {
            for (sums, others) in self.by_first_action[seat].iter_mut().zip(other.by_first_action[seat]) {
                sums.games += others.games;
                sums.hundredths += others.hundredths;
                sums.strength += others.strength;
            }
        }
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Tally>>(tallies: I) -> Tally {
        tallies.fold(Tally::default(), |mut sum, tally| {
            sum += tally;
            sum
        })
    }
}

/// What all games of a run begin with.
struct Start {
    row: Row,
    seed: u64,
    turns_left: u32,
    /// For each seat the places of its legal orders in [`Order::ALL`](pacman2_rules::Order::ALL), and how many they are.
    legal: [([u8; 9], usize); 4],
}

impl Start {
    fn new(maze: &Maze, state: &State, row: Row, seed: u64) -> Start {
        let legal = Seat::ALL.map(|seat| {
            let actions = state.legal_actions(maze, seat);
            let mut places = [0; 9];
            for (at, &action) in places.iter_mut().zip(actions) {
                *at = place(action);
            }
            (places, actions.len())
        });
        Start { row, seed, turns_left: maze.ruleset().turn_limit - state.turn, legal }
    }

    /// The first orders that a generator gives.
    #[inline]
    fn first_actions(&self, mut generator: GameRng) -> [u8; 4] {
        let halves = generator.halves();
        by_seat!(seat => {
            let (places, count) = &self.legal[seat];
            places[part(halves[seat], *count)]
        })
    }
}

/// Blocks that take turns, so that what is written for one lane at a time has arrived when a whole column is read again.
const BLOCKS: usize = 4;

/// 64 games of a run.
struct Block {
    columns: Columns,
    chance: Chance,
    numbers: [u64; LANES],
    first: [[u8; 4]; LANES],
    /// Lanes with a game in them.
    busy: u64,
}

impl Block {
    fn empty() -> Block {
        let (columns, chance) = (Columns::empty(), Chance::new());
        Block { columns, chance, numbers: [0; LANES], first: [[0; 4]; LANES], busy: 0 }
    }

    /// Begins the game of that number in a lane, or leaves the lane without a game.
    #[inline]
    fn begin(&mut self, lane: usize, number: Option<u64>, start: &Start) {
        let Some(number) = number else {
            self.columns.clear(lane);
            self.busy &= !(1 << lane);
            return;
        };
        let generator = GameRng::new(seed_of_game(start.seed, number));
        self.columns.put(lane, &start.row);
        self.chance.put(lane, &generator);
        self.numbers[lane] = number;
        self.first[lane] = start.first_actions(generator);
        self.busy |= 1 << lane;
    }

    /// Plays a turn of random orders in all lanes.
    #[inline(always)]
    fn turn<L: Lanes>(&mut self, shared: &Shared) -> After<L::Mask> {
        let fractions = self.chance.draw::<L>();
        let actions = by_seat!(seat => {
            let cells = L::Bytes::load(&self.columns.cells[seat]);
            let can_shoot = L::Bytes::load(&self.columns.strength[seat]).above(Ground::<L>::terms(shared).skill_cost);
            draw::<L, _>(shared, cells, can_shoot, &fractions[seat])
        });
        play::<L, _, Legal>(&mut self.columns, shared, actions)
    }
}

/// A run of games, of which it is yet to be said with which instruction set it is played.
struct Run<'a> {
    maze: &'a Maze,
    shared: &'a Shared,
    start: Start,
    numbering: Numbering,
    games: &'a mut dyn Iterator<Item = u64>,
    ended: &'a mut dyn FnMut(End<'_>),
}

impl Work for Run<'_> {
    type Done = ();

    fn with<L: Lanes>(mut self) {
        let mut blocks: Vec<Block> = (0..BLOCKS).map(|_| Block::empty()).collect();
        for lane in 0..LANES {
            for block in &mut blocks {
                block.begin(lane, self.games.next(), &self.start);
            }
        }
        let shared = self.shared;
        L::within(
            #[inline(always)]
            || {
                while blocks.iter().any(|block| block.busy != 0) {
                    for block in &mut blocks {
                        let After { goes_on, fits } = block.turn::<L>(shared);
                        let (staying, goes_on) = ((goes_on & fits).bits(), goes_on.bits());
                        for lane in lanes_of(block.busy & !staying) {
                            self.leave(block, lane, goes_on >> lane & 1 != 0);
                        }
                    }
                }
            },
        );
    }
}

impl Run<'_> {
    /// Ends the game in a lane, which goes on only if the lane cannot hold it any more, and begins another.
    #[inline(never)]
    fn leave(&mut self, block: &mut Block, lane: usize, goes_on: bool) {
        let (maze, numbering) = (self.maze, self.numbering);
        let columns = &block.columns;
        let mut turns = self.start.turns_left - columns.turns_left(lane);
        let mut at = At::Lane { lane, columns, maze, numbering };
        if goes_on {
            let mut state = columns.row(lane).state(maze, numbering);
            let (turn, mut generator) = (state.turn, block.chance.generator(lane));
            state.play_out(maze, || generator.turn());
            turns += state.turn - turn;
            at = At::State(state);
        }
        (self.ended)(End { number: block.numbers[lane], first: block.first[lane], turns, at });
        block.begin(lane, self.games.next(), &self.start);
    }
}
