//! Random games from one position, as a search needs them.
//!
//! Four blocks of 64 lanes take turns. When a game ends, the next one begins in its lane, so that lanes stay full. Game `n` of
//! a run is the same wherever and beside whatever it is played: its random numbers come from [`seed_of_game`]. A tally consists
//! of sums of integers, so that the order of games does not matter.

use std::iter::Sum;
use std::mem;
use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use pacman2_rules::{BySeat, Maze, Seat, State};
use rayon::prelude::*;

use crate::arch::{self, Work};
use crate::instruction_set::InstructionSet;
use crate::lanes::{Bytes, Column, LANES, Lanes, lanes_of};
use crate::maze_tables::shared::SharedMaze;
use crate::maze_tables::{MazeTables, action_byte, draw_actions};
use crate::rng::{GameRng, LaneRngs, seed_of_game};
use crate::soa_states::{Numbering, PackedState, SoaStates};
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
        let shared = in_lanes.then(|| SharedMaze::new(maze)).flatten().map(Box::new);
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
        self.tally(start, seed, games)
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
        (0..threads).into_par_iter().map(|_| self.tally(start, seed, queue.numbers())).sum()
    }

    fn tally(&self, start: &State, seed: u64, games: impl Iterator<Item = u64>) -> Tally {
        let mut sums = Sums::new();
        if !start.is_over(&self.maze) {
            self.play_each(start, seed, games, |finished| sums.count(&finished));
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
            self.play_each(start, seed, games, |finished| {
                let weight = finished.number.wrapping_mul(2).wrapping_add(1);
                signature = signature.wrapping_add(finished.state().fingerprint().wrapping_mul(weight));
            });
        }
        signature
    }

    /// Plays the games and reports the end of each, in any order.
    fn play_each(
        &self,
        start: &State,
        seed: u64,
        mut games: impl Iterator<Item = u64>,
        mut on_end: impl FnMut(FinishedGame<'_>),
    ) {
        // The loops below are long. With trait objects they are compiled once for all callers.
        let games: &mut dyn Iterator<Item = u64> = &mut games;
        let on_end: &mut dyn FnMut(FinishedGame<'_>) = &mut on_end;
        let numbering = Numbering::of(&self.maze);
        match (&self.shared, PackedState::new(self.maze.rows(), self.maze.ruleset(), start, numbering)) {
            (Some(shared), Some(packed)) => {
                let start = RunStart::new(&self.maze, start, packed, seed);
                arch::dispatch(self.instruction_set, Run { maze: &self.maze, shared, start, numbering, games, on_end });
            }
            _ => play_scalar(&self.maze, start, seed, games, on_end),
        }
    }
}

/// Numbers of games from which several threads take theirs. They finish at about the same time, and only then are lanes empty.
struct NumberQueue {
    next: AtomicU64,
    end: u64,
}

impl NumberQueue {
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let portion = move |first: u64| first..first.saturating_add(LANES as u64).min(self.end);
        let take = move |first: u64| (first < self.end).then(|| portion(first).end);
        std::iter::from_fn(move || self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()).flat_map(portion)
    }
}

/// Plays games that lanes cannot hold, one after another, with `pacman2_rules`.
fn play_scalar(
    maze: &Maze,
    start: &State,
    seed: u64,
    games: &mut dyn Iterator<Item = u64>,
    on_end: &mut dyn FnMut(FinishedGame<'_>),
) {
    for number in games {
        let mut rng = GameRng::new(seed_of_game(seed, number));
        let first_actions = rng.clone().actions(maze, start).map(action_byte).0;
        let mut state = *start;
        state.play_out(maze, || rng.turn());
        let (turns, strength, position) = (state.turn - start.turn, state.strength, FinalPosition::State(&state));
        on_end(FinishedGame { number, first_actions, turns, strength, position });
    }
}

/// A game that has ended.
struct FinishedGame<'a> {
    number: u64,
    /// The first actions, as indices.
    first_actions: [u8; 4],
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
        maze: &'a Maze,
        numbering: Numbering,
    },
    State(&'a State),
}

impl FinishedGame<'_> {
    fn state(&self) -> State {
        match self.position {
            FinalPosition::Lane { lane, states, maze, numbering } => {
                State { strength: self.strength, ..states.packed(lane).state(maze, numbering) }
            }
            FinalPosition::State(state) => *state,
        }
    }
}

/// A tally in the making.
struct Sums {
    tally: Tally,
    /// For each seat, what the last games added to its totals by first action, in one number: [`Sums::pack`].
    packed: [[u64; 16]; 4],
    /// The number of these games.
    packed_games: u32,
}

impl Sums {
    /// More games than that might not fit the numbers: at most 14,000 hundredths each need 26 bits, and strengths below 512 need
    /// 22.
    const MAX_PACKED: u32 = 4095;

    fn new() -> Sums {
        Sums { tally: Tally::default(), packed: [[0; 16]; 4], packed_games: 0 }
    }

    /// Counts a game.
    #[inline]
    fn count(&mut self, finished: &FinishedGame<'_>) {
        let BySeat(strength) = finished.strength;
        self.tally.turns += u64::from(finished.turns);
        let total: i32 = strength.iter().fold(0, |sum, &strength| sum.saturating_add(strength));
        match SHARES.get(total as usize) {
            Some(&share) if strength.iter().all(|&strength| strength >= 0) => {
                if self.packed_games == Sums::MAX_PACKED {
                    self.unpack();
                }
                self.packed_games += 1;
                let hundredths = small_hundredths(&strength, share);
                for seat in 0..4 {
                    let packed = &mut self.packed[seat][usize::from(finished.first_actions[seat] & 15)];
                    *packed += u64::from(hundredths[seat]) | (strength[seat] as u64) << 26 | 1 << 48;
                }
            }
            _ => self.tally.count(&BySeat(strength), finished.first_actions),
        }
    }

    /// Adds what is packed to the tally.
    #[cold]
    fn unpack(&mut self) {
        self.tally.games += u64::from(mem::take(&mut self.packed_games));
        for (seat, packed) in Seat::ALL.into_iter().zip(&mut self.packed) {
            for (totals, packed) in self.tally.by_first_action[seat].iter_mut().zip(packed) {
                let packed = mem::take(packed);
                totals.games += packed >> 48;
                totals.strength += (packed >> 26 & 0x3f_ffff) as i64;
                totals.hundredths += (packed & 0x3ff_ffff) as i64;
            }
        }
    }

    fn tally(mut self) -> Tally {
        self.unpack();
        self.tally
    }
}

/// The official scores in hundredths, from strengths that are not negative and the entry of [`SHARES`] for their sum.
#[inline]
fn small_hundredths(strength: &[i32; 4], share: u64) -> [u32; 4] {
    let [a, b, c, d] = *strength;
    let mut ranks = [1000; 4];
    for others in [[b, c, d, a], [c, d, a, b], [d, a, b, c]] {
        for seat in 0..4 {
            ranks[seat] += if others[seat] < strength[seat] { 1000 } else { 0 };
        }
    }
    std::array::from_fn(|seat| ranks[seat] + ((strength[seat] as u64 * share) >> 32) as u32)
}

/// For each sum of strengths, 10,000 divided by it, in units of 2⁻³² and rounded up.
///
/// A product with a strength exceeds the exact quotient by less than 2⁻²³, and a quotient that is not an integer is at least 2⁻⁹
/// below the next one. So the integer part of the product is that of the quotient.
static SHARES: [u64; 512] = {
    let mut shares = [0; 512];
    let mut sum = 1;
    while sum < 512 {
        shares[sum] = (10_000_u64 << 32).div_ceil(sum as u64);
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

/// What all games of a run begin with.
struct RunStart {
    packed: PackedState,
    seed: u64,
    turns_left: u32,
}

impl RunStart {
    fn new(maze: &Maze, state: &State, packed: PackedState, seed: u64) -> RunStart {
        RunStart { packed, seed, turns_left: maze.ruleset().turn_limit - state.turn }
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
}

impl Block {
    fn empty() -> Block {
        let (states, rngs) = (SoaStates::empty(), LaneRngs::new());
        let first_actions = [Column([0; LANES]); 4];
        Block { states, rngs, numbers: [0; LANES], first_actions, beginning: 0, busy: 0 }
    }

    /// Begins the game of that number in a lane, or leaves the lane without a game.
    #[inline]
    fn begin(&mut self, lane: usize, number: Option<u64>, start: &RunStart) {
        let Some(number) = number else {
            self.states.clear(lane);
            self.busy &= !(1 << lane);
            return;
        };
        let rng = GameRng::new(seed_of_game(start.seed, number));
        self.states.put(lane, &start.packed);
        self.rngs.put(lane, &rng);
        self.numbers[lane] = number;
        self.beginning |= 1 << lane;
        self.busy |= 1 << lane;
    }

    /// Plays one turn with random actions in all lanes. Returns the lanes that can hold their game for another turn, and those whose
    /// game goes on, as bits.
    #[inline(always)]
    fn turn<L: Lanes>(&mut self, lanes: L, shared: &SharedMaze) -> [u64; 2] {
        let (mut staying, mut going_on) = (0, 0);
        for part in lanes.parts() {
            let TurnOutcome { goes_on, fits } = self.turn_in_part(part, shared);
            staying |= part.bits(goes_on & fits);
            going_on |= part.bits(goes_on);
        }
        self.beginning = 0;
        [staying, going_on]
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

/// A run of games, to be played with any instruction set.
struct Run<'a> {
    maze: &'a Maze,
    shared: &'a SharedMaze,
    start: RunStart,
    numbering: Numbering,
    games: &'a mut dyn Iterator<Item = u64>,
    on_end: &'a mut dyn FnMut(FinishedGame<'_>),
}

impl Work for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        let mut blocks: Vec<Block> = (0..BLOCKS).map(|_| Block::empty()).collect();
        for lane in 0..LANES {
            for block in &mut blocks {
                block.begin(lane, self.games.next(), &self.start);
            }
        }
        while blocks.iter().any(|block| block.busy != 0) {
            for block in &mut blocks {
                let [staying, goes_on] = block.turn(lanes, self.shared);
                for lane in lanes_of(block.busy & !staying) {
                    self.replace(block, lane, goes_on >> lane & 1 != 0);
                }
            }
        }
    }
}

impl Run<'_> {
    /// Ends the game in a lane and begins another. If the game goes on, the lane cannot hold it any more, and `pacman2_rules`
    /// plays the rest.
    ///
    /// It is inlined so that it is compiled for the instruction set, which has an instruction that counts the bits of a word.
    #[inline(always)]
    fn replace(&mut self, block: &mut Block, lane: usize, goes_on: bool) {
        let (maze, numbering) = (self.maze, self.numbering);
        let states = &block.states;
        let mut turns = self.start.turns_left - states.turns_left(lane);
        let played_out;
        let (strength, position) = if goes_on {
            let mut state = states.packed(lane).state(maze, numbering);
            let (turn, mut rng) = (state.turn, block.rngs.get(lane));
            state.play_out(maze, || rng.turn());
            turns += state.turn - turn;
            played_out = state;
            (played_out.strength, FinalPosition::State(&played_out))
        } else {
            (states.final_strength(lane), FinalPosition::Lane { lane, states, maze, numbering })
        };
        let (number, first_actions) = (block.numbers[lane], by_seat!(seat => block.first_actions[seat].0[lane]));
        (self.on_end)(FinishedGame { number, first_actions, turns, strength, position });
        block.begin(lane, self.games.next(), &self.start);
    }
}
