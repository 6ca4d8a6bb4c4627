//! Random games from one position, as a search needs them.
//!
//! Four blocks of 64 lanes take turns. When a game ends, the next one begins in its lane, so that lanes stay full. Game `n` of
//! a run is the same wherever and beside whatever it is played: its random numbers come from [`seed_of_game`]. A tally consists
//! of sums of integers, so that the order of games does not matter.

use std::iter::{self, Sum};
use std::mem;
use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use pacman2_rules::{BySeat, Maze, Seat, State};
use rayon::prelude::*;

use crate::arch::{self, Work};
use crate::instruction_set::InstructionSet;
use crate::lanes::{Bytes, Column, LANES, Lanes, lanes_of};
use crate::maze_tables::shared::{FruitPlaces, SharedMaze};
use crate::maze_tables::{MazeTables, action_byte, draw_actions};
use crate::rng::{GameRng, LaneRngs, seed_of_game};
use crate::seats::others;
use crate::soa_states::{DEAD, Numbering, PackedState, SoaStates};
use crate::turn::{Legal, TurnOutcome, play};

/// Random games on one maze.
///
/// ```
/// use pacman2_batch::{InstructionSet, Playouts};
/// use pacman2_rules::{Seat, picture};
///
/// let (maze, state) = picture::read("
///     turn 98/100
///     +---+---+---+---+---+
///     | 0   .   .   .   1 |
///     +---+---+---+---+---+
/// ").unwrap();
/// let tally = Playouts::new(&maze, InstructionSet::best()).play(&state, 1, 0..100);
/// assert_eq!(tally.games, 100);
/// let by_action = &tally.by_first_action[Seat::S0];
/// assert_eq!(by_action.iter().map(|totals| totals.games).sum::<u64>(), 100);
/// ```
#[derive(Clone, Debug)]
pub struct Playouts {
    maze: Maze,
    instruction_set: InstructionSet,
    /// The maze for lanes; `None` if `pacman2_rules` plays.
    shared: Option<Box<SharedMaze>>,
}

/// The results of random games from one position. Tallies can be added.
///
/// ```
/// use pacman2_batch::{InstructionSet, Playouts};
/// use pacman2_rules::picture;
///
/// let (maze, state) = picture::read("
///     turn 98/100
///     +---+---+---+---+---+
///     | 0   .   .   .   1 |
///     +---+---+---+---+---+
/// ").unwrap();
/// let playouts = Playouts::new(&maze, InstructionSet::best());
/// let mut tally = playouts.play(&state, 1, 0..30);
/// tally += playouts.play(&state, 1, 30..100);
/// assert_eq!(tally, playouts.play(&state, 1, 0..100));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games played.
    pub games: u64,
    /// Turns played in all of them.
    pub turns: u64,
    /// For each seat, what it got in the games that it began with each action, by
    /// [`Action::index`](pacman2_rules::Action::index).
    /// For players that were dead from the beginning, all games count for the first action, to stay.
    pub by_first_action: BySeat<[PlayerTotals; 9]>,
}

/// What one player got in some games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlayerTotals {
    /// The number of games.
    pub games: u64,
    /// The sum of the official scores, in hundredths.
    pub hundredths: i64,
    /// The sum of the final strengths.
    pub strength: i64,
}

impl Playouts {
    /// Prepares random games on a maze.
    ///
    /// # Panics
    ///
    /// If this CPU does not have the instruction set.
    pub fn new(maze: &Maze, instruction_set: InstructionSet) -> Playouts {
        instruction_set.assert_available();
        // Portable lanes are slower than `pacman2_rules`, which skips the players that a step does not concern.
        let in_lanes = instruction_set != InstructionSet::Portable;
        let shared = in_lanes.then(|| SharedMaze::new(maze, Numbering::of(maze))).flatten().map(Box::new);
        Playouts { maze: maze.clone(), instruction_set, shared }
    }

    /// Plays games from `start` to their ends, on one thread: those of the numbers `games` in the run of that seed.
    ///
    /// All actions are legal and uniform (bias below 1/7281). If `start` is over, the tally is empty.
    ///
    /// # Panics
    ///
    /// In debug builds, if a living player of `start` is outside the maze.
    pub fn play(&self, start: &State, seed: u64, games: Range<u64>) -> Tally {
        self.tally(start, seed, iter::once(games))
    }

    /// Plays games like [`Playouts::play`], on all threads of rayon's pool.
    ///
    /// ```
    /// use pacman2_batch::{InstructionSet, Playouts};
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     turn 98/100
    ///     +---+---+---+---+---+
    ///     | 0   .   .   .   1 |
    ///     +---+---+---+---+---+
    /// ").unwrap();
    /// let playouts = Playouts::new(&maze, InstructionSet::best());
    /// assert_eq!(playouts.play_in_parallel(&state, 1, 0..9000), playouts.play(&state, 1, 0..9000));
    /// ```
    pub fn play_in_parallel(&self, start: &State, seed: u64, games: Range<u64>) -> Tally {
        // Waking a thread does not pay for fewer games.
        const GAMES_PER_THREAD: u64 = 4096;
        let count = games.end.saturating_sub(games.start);
        let threads = count.div_ceil(GAMES_PER_THREAD).min(rayon::current_num_threads() as u64);
        let queue = NumberQueue { next: AtomicU64::new(games.start), end: games.end };
        (0..threads).into_par_iter().map(|_| self.tally(start, seed, queue.portions())).sum()
    }

    fn tally(&self, start: &State, seed: u64, games: impl Iterator<Item = Range<u64>>) -> Tally {
        let mut sums = Sums::new();
        if !start.is_over(&self.maze) {
            self.play_each(start, seed, games, Ends::Count(&mut sums));
        }
        sums.tally()
    }

    /// Returns a number that changes if any of these games ends differently.
    ///
    /// It is the sum of the fingerprints of the final positions, each multiplied by twice the game's number plus one, so that
    /// it matters which game ended how.
    ///
    /// ```
    /// use pacman2_batch::{InstructionSet, Playouts};
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     turn 98/100
    ///     +---+---+---+---+---+
    ///     | 0   .   .   .   1 |
    ///     +---+---+---+---+---+
    /// ").unwrap();
    /// let portable = Playouts::new(&maze, InstructionSet::Portable);
    /// let best = Playouts::new(&maze, InstructionSet::best());
    /// assert_eq!(best.signature(&state, 1, 0..100), portable.signature(&state, 1, 0..100));
    /// ```
    #[must_use]
    pub fn signature(&self, start: &State, seed: u64, games: Range<u64>) -> u64 {
        let mut signature = 0u64;
        if !start.is_over(&self.maze) {
            let mut add = |finished: FinishedGame<'_>| {
                let weight = finished.number.wrapping_mul(2).wrapping_add(1);
                signature = signature.wrapping_add(finished.state().fingerprint().wrapping_mul(weight));
            };
            self.play_each(start, seed, iter::once(games), Ends::Report(&mut add));
        }
        signature
    }

    /// Plays the games of these numbers and counts or reports the end of each, in any order.
    fn play_each(&self, start: &State, seed: u64, mut games: impl Iterator<Item = Range<u64>>, ends: Ends<'_>) {
        // The loops below are long. With a trait object they are compiled once for all callers.
        let games: &mut dyn Iterator<Item = Range<u64>> = &mut games;
        let numbering = Numbering::of(&self.maze);
        match (&self.shared, PackedState::new(self.maze.rows(), self.maze.ruleset(), start, numbering)) {
            (Some(shared), Some(packed)) => {
                let unpacking = Unpacking { maze: &self.maze, numbering, fruit_places: None };
                arch::dispatch(
                    self.instruction_set,
                    Run { shared, start: packed, unpacking, games: NextGames::new(seed, games), ends },
                );
            }
            _ => play_scalar(&self.maze, start, seed, games, ends),
        }
    }
}

/// Numbers of games from which several threads take theirs. They finish at about the same time, and only then are lanes empty.
struct NumberQueue {
    next: AtomicU64,
    end: u64,
}

impl NumberQueue {
    fn portions(&self) -> impl Iterator<Item = Range<u64>> {
        let portion = move |first: u64| first..first.saturating_add(LANES as u64).min(self.end);
        let take = move |first: u64| (first < self.end).then(|| portion(first).end);
        iter::from_fn(move || self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()).map(portion)
    }
}

/// Plays games that lanes cannot hold, one after another, with `pacman2_rules`.
fn play_scalar(maze: &Maze, start: &State, seed: u64, games: &mut dyn Iterator<Item = Range<u64>>, mut ends: Ends<'_>) {
    for number in games.flatten() {
        let mut rng = GameRng::new(seed_of_game(seed, number));
        let first_actions = rng.clone().actions(maze, start).map(action_byte).0;
        let mut state = *start;
        state.play_out(maze, || rng.turn());
        let (turns, strength, position) = (state.turn - start.turn, state.strength, FinalPosition::State(&state));
        ends.report(FinishedGame { number, first_actions, turns, strength, position });
    }
}

/// What is done with games that have ended.
enum Ends<'a> {
    Count(&'a mut Sums),
    Report(&'a mut dyn FnMut(FinishedGame<'_>)),
}

impl Ends<'_> {
    fn report(&mut self, finished: FinishedGame<'_>) {
        match self {
            Ends::Count(sums) => sums.count(&finished),
            Ends::Report(report) => report(finished),
        }
    }
}

/// A game that has ended.
struct FinishedGame<'a> {
    number: u64,
    /// The first actions, as indices.
    first_actions: [u8; 4],
    /// The turns that it was played outside lanes.
    turns: u32,
    strength: BySeat<i32>,
    position: FinalPosition<'a>,
}

/// Where the final position is. It is not copied: most often, only the strengths count.
enum FinalPosition<'a> {
    /// In a lane, which does not have what a sole survivor received.
    Lane {
        lane: usize,
        states: &'a SoaStates,
        unpacking: &'a Unpacking<'a>,
    },
    State(&'a State),
}

impl FinishedGame<'_> {
    fn state(&self) -> State {
        match self.position {
            FinalPosition::Lane { lane, states, unpacking } => State { strength: self.strength, ..unpacking.state(states, lane) },
            FinalPosition::State(state) => *state,
        }
    }
}

/// A tally in the making.
struct Sums {
    tally: Tally,
    /// For each seat, what the last games added to its totals by first action.
    packed: [[PackedTotals; 9]; 4],
    /// The number of these games.
    packed_games: usize,
    /// Games that have yet to be counted: many at once take less time.
    pending: Pending,
}

/// Totals in the making: sixteen sums, which are added up later. So games are added sixteen at a time, without a step from one to the
/// next that waits for memory.
#[derive(Clone, Copy)]
struct PackedTotals {
    hundredths: [u32; 16],
    /// The strength, and from bit 20 on how many games.
    strength_and_games: [u32; 16],
}

impl PackedTotals {
    const ZERO: PackedTotals = PackedTotals { hundredths: [0; 16], strength_and_games: [0; 16] };
}

/// Games that have ended, in columns. Nobody has forfeited, so strengths are not negative.
struct Pending {
    count: usize,
    /// With [`DEAD`] for the dead.
    cells: [[u8; Pending::MAX]; 4],
    /// Without what a sole survivor receives.
    strength: [[u8; Pending::MAX]; 4],
    /// The number of small fruits.
    fruits: [u8; Pending::MAX],
    first_actions: [[u8; Pending::MAX]; 4],
}

/// The first action where there is no game.
const NO_ACTION: u8 = 0xff;

impl Pending {
    const MAX: usize = 64;

    /// Returns the final strengths.
    #[inline(always)]
    fn final_strength(&self) -> [[u8; Pending::MAX]; 4] {
        let mut strength = self.strength;
        let [a, b, c, d] = &self.cells;
        for index in 0..Pending::MAX {
            let dead = (a[index] >> 7) + (b[index] >> 7) + (c[index] >> 7) + (d[index] >> 7);
            let received = if dead == 3 { self.fruits[index] } else { 0 };
            each_seat!(seat {
                strength[seat][index] += if self.cells[seat][index] < DEAD { received } else { 0 };
            });
        }
        strength
    }
}

impl Sums {
    /// More games than that might not fit the numbers. Of 64 games, at most four are added to the same sum: 4,092 strengths below 256
    /// need 20 bits.
    const MAX_PACKED: usize = 1023 * Pending::MAX;

    fn new() -> Sums {
        let zeros = [[0; Pending::MAX]; 4];
        let pending = Pending { count: 0, cells: zeros, strength: zeros, fruits: [0; Pending::MAX], first_actions: zeros };
        Sums { tally: Tally::default(), packed: [[PackedTotals::ZERO; 9]; 4], packed_games: 0, pending }
    }

    /// Counts a game.
    fn count(&mut self, finished: &FinishedGame<'_>) {
        self.tally.turns += u64::from(finished.turns);
        self.tally.count(&finished.strength, finished.first_actions);
    }

    /// Counts the game that has ended in a lane.
    #[inline(always)]
    fn count_lane(&mut self, block: &Block, lane: usize) {
        let (pending, states) = (&mut self.pending, &block.states);
        let index = pending.count % Pending::MAX;
        each_seat!(seat {
            pending.cells[seat][index] = states.cells[seat].0[lane];
            pending.strength[seat][index] = states.strength[seat].0[lane];
            pending.first_actions[seat][index] = block.first_actions[seat].0[lane];
        });
        pending.fruits[index] = states.small_fruits_in(lane);
        pending.count = index + 1;
        if pending.count == Pending::MAX {
            self.count_pending();
        }
    }

    /// Counts the games that have yet to be counted. It is inlined so that it is compiled for the instruction set: the compiler makes
    /// vectors of nearly all of its loops.
    #[inline(always)]
    fn count_pending(&mut self) {
        let count = mem::take(&mut self.pending.count);
        if self.packed_games + count > Sums::MAX_PACKED {
            self.unpack();
        }
        self.packed_games += count;
        let strength = self.pending.final_strength();
        let [a, b, c, d] = &strength;
        let mut shares = [0; Pending::MAX];
        for index in 0..Pending::MAX {
            let sum = u16::from(a[index]) + u16::from(b[index]) + u16::from(c[index]) + u16::from(d[index]);
            shares[index] = SHARES[usize::from(sum) % SHARES.len()];
        }
        each_seat!(seat {
            let mut weaker = [0; Pending::MAX];
            each_other!(other of seat {
                for index in 0..Pending::MAX {
                    weaker[index] += u8::from(strength[other][index] < strength[seat][index]);
                }
            });
            let (mut hundredths, mut strength_and_game) = ([0; Pending::MAX], [0; Pending::MAX]);
            for index in 0..Pending::MAX {
                let own = u32::from(strength[seat][index]);
                hundredths[index] = 1000 + 1000 * u32::from(weaker[index]) + ((own * shares[index]) >> 18);
                strength_and_game[index] = own | 1 << 20;
            }
            let first_actions = &self.pending.first_actions[seat];
            for (action, packed) in (0..).zip(&mut self.packed[seat]) {
                let mut any = false;
                for first_action in first_actions {
                    any |= *first_action == action;
                }
                // Nearly always, some of so many games begin with each legal action, so this jump is predicted well.
                if any {
                    for column in 0..16 {
                        // Without these variables, the compiler makes no vectors of this loop.
                        let (mut of_hundredths, mut of_strength_and_games) = (0, 0);
                        each_of!(row in [0, 16, 32, 48] {
                            let counts = u32::from(first_actions[row + column] == action).wrapping_neg();
                            of_hundredths += hundredths[row + column] & counts;
                            of_strength_and_games += strength_and_game[row + column] & counts;
                        });
                        packed.hundredths[column] += of_hundredths;
                        packed.strength_and_games[column] += of_strength_and_games;
                    }
                }
            }
        });
    }

    /// Adds what is packed to the tally.
    #[cold]
    fn unpack(&mut self) {
        self.tally.games += mem::take(&mut self.packed_games) as u64;
        for (seat, packed) in Seat::ALL.into_iter().zip(&mut self.packed) {
            for (totals, packed) in self.tally.by_first_action[seat].iter_mut().zip(packed) {
                let PackedTotals { hundredths, strength_and_games } = mem::replace(packed, PackedTotals::ZERO);
                for (hundredths, strength_and_games) in hundredths.into_iter().zip(strength_and_games) {
                    totals.games += u64::from(strength_and_games >> 20);
                    totals.strength += i64::from(strength_and_games & 0xf_ffff);
                    totals.hundredths += i64::from(hundredths);
                }
            }
        }
    }

    fn tally(mut self) -> Tally {
        for first_actions in &mut self.pending.first_actions {
            first_actions[self.pending.count..].fill(NO_ACTION);
        }
        self.count_pending();
        self.unpack();
        self.tally
    }
}

/// For each sum of strengths, 10,000 divided by it, in units of 2⁻¹⁸ and rounded up.
///
/// A product with a strength exceeds the exact quotient by less than the strength in these units, and a quotient that is not an integer
/// is at least the inverse of the sum below the next one. The former is less than the latter, because the product of a byte and a
/// sum of four is less than 2¹⁸. So the integer part of the product is that of the quotient. Products fit 32 bits.
static SHARES: [u32; 1024] = {
    let mut shares = [0; 1024];
    let mut sum = 1;
    while sum < 1024 {
        shares[sum] = (10_000_u32 << 18).div_ceil(sum as u32);
        sum += 1;
    }
    shares
};

impl Tally {
    /// Counts a game.
    fn count(&mut self, strength: &BySeat<i32>, first_actions: [u8; 4]) {
        let hundredths = hundredths(strength);
        self.games += 1;
        for seat in Seat::ALL {
            let totals = &mut self.by_first_action[seat][usize::from(first_actions[seat.index()])];
            totals.games += 1;
            totals.hundredths += hundredths[seat];
            totals.strength += i64::from(strength[seat]);
        }
    }
}

/// Returns the official scores in hundredths, as [`pacman2_rules::scores`] does.
///
/// Floating-point quotients, rounded to 53 bits, are truncated to the right integer: the sum of four 32-bit numbers has 34 bits,
/// so no quotient that is not an integer comes closer to one than 2⁻³⁴.
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
            for (totals, others) in self.by_first_action[seat].iter_mut().zip(other.by_first_action[seat]) {
                totals.games += others.games;
                totals.hundredths += others.hundredths;
                totals.strength += others.strength;
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

/// The games that begin next.
struct NextGames<'a> {
    seed: u64,
    /// The numbers of further games.
    portions: &'a mut dyn Iterator<Item = Range<u64>>,
    portion: Range<u64>,
    /// The numbers of the games that begin first.
    prepared: Range<u64>,
    /// The words of their generators, in columns: those of the last game at the end.
    words: [[u32; LANES]; 4],
}

impl<'a> NextGames<'a> {
    fn new(seed: u64, portions: &'a mut dyn Iterator<Item = Range<u64>>) -> NextGames<'a> {
        NextGames { seed, portions, portion: 0..0, prepared: 0..0, words: [[0; LANES]; 4] }
    }

    /// Returns the number of a game and its generator.
    #[inline(always)]
    fn next<L: Lanes>(&mut self) -> Option<(u64, GameRng)> {
        if self.prepared.is_empty() && !self.prepare::<L>() {
            return None;
        }
        let number = self.prepared.start;
        self.prepared.start += 1;
        let rng = if L::MULTIPLIES_LONG_WORDS {
            let after = (self.prepared.end - self.prepared.start) as usize % LANES;
            GameRng::from_words(by_seat!(word => self.words[word][LANES - 1 - after]))
        } else {
            GameRng::new(seed_of_game(self.seed, number))
        };
        Some((number, rng))
    }

    /// Takes up to 64 games, and makes their generators if that takes less time for many at once. Returns whether there are any.
    ///
    /// It is inlined so that it is compiled for the instruction set: the compiler makes vectors of its loop.
    #[inline(always)]
    fn prepare<L: Lanes>(&mut self) -> bool {
        if !self.take() {
            return false;
        }
        if L::MULTIPLIES_LONG_WORDS {
            let first = self.prepared.end.wrapping_sub(LANES as u64);
            let [a, b, c, d] = &mut self.words;
            for index in 0..LANES {
                let seed = seed_of_game(self.seed, first.wrapping_add(index as u64));
                [a[index], b[index], c[index], d[index]] = GameRng::new(seed).words();
            }
        }
        true
    }

    /// Takes the numbers of up to 64 games. Returns whether there are any.
    #[cold]
    fn take(&mut self) -> bool {
        while self.portion.is_empty() {
            let Some(portion) = self.portions.next() else { return false };
            self.portion = portion;
        }
        let (start, end) = (self.portion.start, self.portion.end);
        self.portion.start = end.min(start.saturating_add(LANES as u64));
        self.prepared = start..self.portion.start;
        true
    }
}

/// Blocks that take turns, so that writes to single lanes have completed before their column is loaded again.
const BLOCKS: usize = 4;

/// 64 games of a run.
struct Block {
    states: SoaStates,
    rngs: LaneRngs,
    numbers: [u64; LANES],
    first_actions: [Column<u8>; 4],
    /// The lanes whose game begins with the next turn, as bits.
    beginning: u64,
    /// The lanes with a game in them, as bits.
    busy: u64,
    /// The lanes whose game has ended or has to leave them, as bits.
    ending: u64,
    /// The lanes whose game goes on after the last turn, as bits.
    going_on: u64,
}

impl Block {
    fn empty() -> Block {
        let (states, rngs) = (SoaStates::empty(), LaneRngs::new());
        let first_actions = [Column([0; LANES]); 4];
        Block { states, rngs, numbers: [0; LANES], first_actions, beginning: 0, busy: 0, ending: 0, going_on: 0 }
    }

    /// Begins a game in a lane, except for what [`Block::put_bytes`] puts there, or leaves the lane without a game.
    #[inline]
    fn begin(&mut self, lane: usize, game: Option<(u64, GameRng)>, start: &PackedState) {
        let Some((number, rng)) = game else {
            self.states.clear(lane);
            self.busy &= !(1 << lane);
            return;
        };
        self.states.put_beside_bytes(lane, start);
        self.rngs.put(lane, &rng);
        self.numbers[lane] = number;
        self.beginning |= 1 << lane;
        self.busy |= 1 << lane;
    }

    /// Puts the bytes of the position in all lanes whose game begins.
    #[inline(always)]
    fn put_bytes<L: Lanes>(&mut self, lanes: L, start: &PackedState) {
        if lanes.parts().count() == 1 {
            self.states.put_bytes_at_once(lanes, self.beginning, start);
        } else {
            for lane in lanes_of(self.beginning) {
                self.states.put_bytes(lane, start);
            }
        }
    }

    /// Plays one turn with random actions in all lanes.
    #[inline(always)]
    fn turn<L: Lanes>(&mut self, lanes: L, shared: &SharedMaze) {
        let (mut staying, mut going_on) = (0, 0);
        for part in lanes.parts() {
            let TurnOutcome { goes_on, fits } = self.turn_in_part(part, shared);
            staying |= part.bits(goes_on & fits);
            going_on |= part.bits(goes_on);
        }
        self.beginning = 0;
        (self.ending, self.going_on) = (self.busy & !staying, going_on);
    }

    /// Plays one turn in a part of the lanes.
    #[inline(always)]
    fn turn_in_part<L: Lanes>(&mut self, lanes: L, shared: &SharedMaze) -> TurnOutcome<L::Mask> {
        let fractions = self.rngs.draw(lanes);
        let cells = by_seat!(seat => lanes.load(&self.states.cells[seat]));
        let sides = shared.sides(lanes, &cells);
        let actions = by_seat!(seat => {
            let can_shoot = lanes.load(&self.states.strength[seat]).gt_i8(shared.ruleset(lanes).skill_cost);
            draw_actions(lanes, cells[seat], sides[seat] & lanes.splat(15), can_shoot, &fractions[seat])
        });
        if self.beginning != 0 {
            let beginning = lanes.mask(self.beginning);
            each_seat!(seat {
                let column = &mut self.first_actions[seat];
                let first_actions = L::Bytes::select(beginning, actions[seat], lanes.load(column));
                lanes.store(first_actions, column);
            });
        }
        play::<L, _, Legal>(lanes, &mut self.states, shared, actions, sides)
    }
}

/// How positions in lanes become states again.
struct Unpacking<'a> {
    maze: &'a Maze,
    numbering: Numbering,
    /// How sets of fruit are numbered, if not as the cells.
    fruit_places: Option<FruitPlaces>,
}

impl Unpacking<'_> {
    #[cold]
    fn state(&self, states: &SoaStates, lane: usize) -> State {
        let mut packed = states.packed(lane);
        if let Some(places) = self.fruit_places {
            packed.small_fruits = places.restored(packed.small_fruits);
            packed.large_fruits = places.restored(packed.large_fruits);
        }
        packed.state(self.maze, self.numbering)
    }
}

/// A run of games, to be played with any instruction set.
struct Run<'a, 'e> {
    shared: &'a SharedMaze,
    /// The position in which all games begin.
    start: PackedState,
    unpacking: Unpacking<'a>,
    games: NextGames<'a>,
    ends: Ends<'e>,
}

impl Work for Run<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        let renumbered = if L::TABLES_ARE_QUICK { self.renumber_fruit() } else { None };
        let shared = renumbered.as_ref().unwrap_or(self.shared);
        let mut blocks: Vec<Block> = (0..BLOCKS).map(|_| Block::empty()).collect();
        for lane in 0..LANES {
            for block in &mut blocks {
                block.begin(lane, self.games.next::<L>(), &self.start);
            }
        }
        for block in &mut blocks {
            block.put_bytes(lanes, &self.start);
        }
        let mut turns = 0;
        while blocks.iter().any(|block| block.busy != 0) {
            // How many games end is predicted wrongly most often. When the next block has played its turn, that is noticed at once;
            // right after their own turn, it would be noticed when nothing else is left to compute.
            let mut before = BLOCKS - 1;
            for index in 0..BLOCKS {
                turns += u64::from(blocks[index].busy.count_ones());
                blocks[index].turn(lanes, shared);
                self.replace_all(lanes, &mut blocks[before]);
                before = index;
            }
        }
        if let Ends::Count(sums) = self.ends {
            sums.tally.turns += turns;
        }
    }
}

impl Run<'_, '_> {
    /// Numbers only the cells that may have fruit, if that makes sets of fruit smaller. Returns the maze with these numbers.
    #[inline(never)]
    fn renumber_fruit(&mut self) -> Option<SharedMaze> {
        let PackedState { small_fruits, large_fruits, .. } = &mut self.start;
        let places = self.shared.fruit_places([0, 1].map(|word| small_fruits[word] | large_fruits[word]))?;
        *small_fruits = places.renumbered(*small_fruits);
        *large_fruits = places.renumbered(*large_fruits);
        self.unpacking.fruit_places = Some(places);
        Some(self.shared.with_fruit_places(places))
    }

    /// Ends the game in a lane, with `pacman2_rules` if it goes on.
    #[cold]
    fn report(&mut self, block: &Block, lane: usize, goes_on: bool) {
        let (number, states) = (block.numbers[lane], &block.states);
        let first_actions = by_seat!(seat => block.first_actions[seat].0[lane]);
        if goes_on {
            let mut state = self.unpacking.state(states, lane);
            let (turn, mut rng) = (state.turn, block.rngs.get(lane));
            state.play_out(self.unpacking.maze, || rng.turn());
            let (turns, strength, position) = (state.turn - turn, state.strength, FinalPosition::State(&state));
            self.ends.report(FinishedGame { number, first_actions, turns, strength, position });
        } else {
            let strength = states.final_strength(lane);
            let position = FinalPosition::Lane { lane, states, unpacking: &self.unpacking };
            self.ends.report(FinishedGame { number, first_actions, turns: 0, strength, position });
        }
    }

    /// Ends the games in lanes that cannot hold them any more, and begins others. `pacman2_rules` plays the rest of those that go on.
    ///
    /// It is inlined so that it is compiled for the instruction set, which has an instruction that counts the bits of a word.
    #[inline(always)]
    fn replace_all<L: Lanes>(&mut self, lanes: L, block: &mut Block) {
        let ending = mem::take(&mut block.ending);
        if ending == 0 {
            return;
        }
        for lane in lanes_of(ending) {
            let goes_on = block.going_on >> lane & 1 != 0;
            match &mut self.ends {
                Ends::Count(sums) if !goes_on => sums.count_lane(block, lane),
                _ => self.report(block, lane, goes_on),
            }
            block.begin(lane, self.games.next::<L>(), &self.start);
        }
        block.put_bytes(lanes, &self.start);
    }
}
