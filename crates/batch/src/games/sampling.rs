//! Sampling actions from the logits of a policy, with action masks.

use pacman2_rules::{Maze, Seat, State};

use super::{Block, Games};
use crate::arch::{self, Work};
use crate::lanes::{LANES, Lanes};
use crate::observe::simd::legal_bits;
use crate::observe::{ACTIONS, action_mask};
use crate::soa_states::NumbersByGame;

/// The logits of the four players of a game.
type GameLogits = [f32; 4 * ACTIONS];

impl Games {
    /// Samples an action for each player from the softmax of its logits over the actions in its [mask](Games::action_masks).
    ///
    /// `logits` has nine values per seat, game by game and seat by seat. `actions` receives indices in
    /// [`Action::ALL`](pacman2_rules::Action::ALL), and `log_probabilities`, four per game, the natural logarithms of the
    /// probabilities of these actions.
    ///
    /// A NaN counts as -∞, and actions with -∞ are not drawn. If all actions in a mask have -∞, they are equally likely. If some
    /// have +∞, these are equally likely. Nothing outside the mask is ever drawn.
    ///
    /// Each call takes four words of a game's generator, one per seat, also for the dead. The drawn actions are the same with
    /// every instruction set.
    ///
    /// # Panics
    ///
    /// If the length of `logits`, `actions` or `log_probabilities` does not fit the number of games.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use pacman2_batch::{Games, InstructionSet, StartPosition};
    /// use pacman2_rules::picture;
    ///
    /// let (maze, state) = picture::read("
    ///     turn 98/100
    ///     +---+---+---+---+---+
    ///     | 0   .   .   .   1 |
    ///     +---+---+---+---+---+
    /// ").unwrap();
    /// let starts = vec![Arc::new(StartPosition::new(maze, state))];
    /// let mut games = Games::new(InstructionSet::best(), 1, 1, Arc::new(starts));
    /// // A policy that strongly prefers to move right (action 2).
    /// let mut logits = [0.0; 4 * 9];
    /// logits[2] = 50.0;
    /// let (mut actions, mut log_probabilities) = ([[0; 4]; 1], [0.0; 4]);
    /// games.sample(&logits, &mut actions, Some(&mut log_probabilities));
    /// assert_eq!(actions[0][0], 2);
    /// assert!(log_probabilities[0].abs() < 1e-6);
    /// ```
    pub fn sample(&mut self, logits: &[f32], actions: &mut [[u8; 4]], log_probabilities: Option<&mut [f32]>) {
        self.assert_count(actions.len(), "actions");
        let (given, expected) = (logits.len(), 4 * ACTIONS * self.count);
        assert!(given == expected, "expected {expected} logits for {} games, got {given}", self.count);
        if let Some(room) = log_probabilities.as_ref().map(|into| into.len()) {
            assert!(room == 4 * self.count, "expected room for {} log-probabilities, got {room}", 4 * self.count);
        }
        arch::dispatch(self.instruction_set, Sample { blocks: &mut self.blocks, logits, actions, log_probabilities });
    }
}

struct Sample<'a> {
    blocks: &'a mut [Block],
    logits: &'a [f32],
    actions: &'a mut [[u8; 4]],
    log_probabilities: Option<&'a mut [f32]>,
}

impl Work for Sample<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let (logits, _) = self.logits.as_chunks::<{ 4 * ACTIONS }>();
        let mut log_probabilities = self.log_probabilities.map(|into| into.as_chunks_mut::<4>().0.chunks_mut(LANES));
        let games = logits.chunks(LANES).zip(self.actions.chunks_mut(LANES));
        for (block, (logits, actions)) in self.blocks.iter_mut().zip(games) {
            let into = log_probabilities.as_mut().and_then(Iterator::next);
            block.sample(lanes, logits, actions, into.unwrap_or_default());
        }
    }
}

/// The rows that are sampled side by side: the four players of four games. The numbers of an action are side by side in
/// registers, so that everything below is done for all of them at once: 2.8 times as fast as row by row.
const ROWS: usize = 16;
const GAMES: usize = ROWS / 4;

/// A number for each action of each row.
type ByAction = [[f32; ROWS]; ACTIONS];

impl Block {
    /// Samples the actions of all games of this block. `log_probabilities` may be empty.
    #[inline(always)]
    fn sample<L: Lanes>(&mut self, lanes: L, logits: &[GameLogits], actions: &mut [[u8; 4]], log_probabilities: &mut [[f32; 4]]) {
        let legal = self.legal_bits();
        self.seed_rngs();
        let words = if self.is_scalar { self.words_one_by_one() } else { self.rngs.four_words(lanes) };
        for first in (0..actions.len()).step_by(GAMES) {
            let last = actions.len().min(first + GAMES);
            let mut filled = [[0.0; 4 * ACTIONS]; GAMES];
            let logits = logits[first..].first_chunk().unwrap_or_else(|| {
                // The last group is not full.
                filled[..last - first].copy_from_slice(&logits[first..last]);
                &filled
            });
            let (chosen, logarithms) = sample_rows(logits, &legal[first..], &words[first..]);
            actions[first..last].copy_from_slice(&chosen[..last - first]);
            if !log_probabilities.is_empty() {
                log_probabilities[first..last].copy_from_slice(&logarithms[..last - first]);
            }
        }
    }

    /// Returns four words of the generator of each game.
    fn words_one_by_one(&mut self) -> [[u32; 4]; LANES] {
        let mut words = [[0; 4]; LANES];
        for (lane, words) in words.iter_mut().enumerate().take(self.slots.len()) {
            let mut rng = self.rngs.get(lane);
            *words = [(); 4].map(|()| rng.word());
            self.rngs.put(lane, &rng);
        }
        words
    }

    /// Returns the legal actions of all players, as bits.
    #[inline(always)]
    fn legal_bits(&self) -> [[u32; 4]; LANES] {
        let mut legal = [[1; 4]; LANES];
        let by_game = if self.is_scalar { NumbersByGame::ZEROS } else { self.states.by_game() };
        for ((lane, slot), legal) in self.slots.iter().enumerate().zip(&mut legal) {
            *legal = match &slot.scalar_fallback {
                None => legal_bits(&slot.start.view_tables, &by_game, lane),
                Some(state) => bits_of_fallback(slot.start.maze(), state),
            };
        }
        legal
    }
}

fn bits_of_fallback(maze: &Maze, state: &State) -> [u32; 4] {
    Seat::ALL.map(|seat| {
        let mask = action_mask(maze, state, seat);
        mask.iter().rev().fold(0, |bits, &allowed| bits << 1 | u32::from(allowed))
    })
}

/// Samples an action for each player of four games, and returns them with their log-probabilities.
#[inline(always)]
fn sample_rows(logits: &[GameLogits; GAMES], legal: &[[u32; 4]], words: &[[u32; 4]]) -> ([[u8; 4]; GAMES], [[f32; 4]; GAMES]) {
    let (mut bits, mut drawn) = ([0; ROWS], [0; ROWS]);
    bits.copy_from_slice(legal[..GAMES].as_flattened());
    drawn.copy_from_slice(words[..GAMES].as_flattened());
    // Arrays of this size are written in place, because results are copied.
    let (mut differences, mut sums) = ([[0.0; ROWS]; ACTIONS], [[0.0; ROWS]; ACTIONS]);
    weigh(logits, &bits, &mut differences, &mut sums);

    let mut sum = [0.0; ROWS];
    for sums in &mut sums {
        for (sum, weight) in sum.iter_mut().zip(sums) {
            *sum += *weight;
            *weight = *sum;
        }
    }
    let mut threshold = [0.0; ROWS];
    for row in 0..ROWS {
        // As many bits as a float has. Where the product is rounded up to the sum itself, the last action with a weight is drawn.
        let product = (drawn[row] >> 8) as i32 as f32 / (1 << 24) as f32 * sum[row];
        // The sum is positive, so this is the float before it.
        let below_sum = f32::from_bits(sum[row].to_bits() - 1);
        threshold[row] = if product < below_sum { product } else { below_sum };
    }
    let (mut chosen, mut difference) = ([0_u32; ROWS], [0_u32; ROWS]);
    for sums in &sums {
        for row in 0..ROWS {
            chosen[row] += u32::from(sums[row] <= threshold[row]);
        }
    }
    for (action, differences) in differences.iter().enumerate() {
        for row in 0..ROWS {
            // With a mask: the compiler makes a condition a branch.
            let mask = u32::from(chosen[row] == action as u32).wrapping_neg();
            difference[row] |= differences[row].to_bits() & mask;
        }
    }
    let (mut actions, mut logarithms) = ([[0; 4]; GAMES], [[0.0; 4]; GAMES]);
    for row in 0..ROWS {
        actions.as_flattened_mut()[row] = chosen[row] as u8;
        logarithms.as_flattened_mut()[row] = f32::from_bits(difference[row]) - logarithm(sum[row]);
    }
    (actions, logarithms)
}

/// Writes the differences of logits to the largest legal one of their row, and their exponentials, the weights. The weights of
/// illegal actions are 0. At least one action of each row has a weight of 1.
#[inline(always)]
fn weigh(logits: &[GameLogits; GAMES], legal: &[u32; ROWS], differences: &mut ByAction, weights: &mut ByAction) {
    let (rows, _) = logits.as_flattened().as_chunks::<ACTIONS>();
    let rows: &[[f32; ACTIONS]; ROWS] = rows.first_chunk().expect("four games have sixteen rows");
    // The logits of illegal actions become -∞, and so does NaN.
    for action in 0..ACTIONS {
        for row in 0..ROWS {
            let logit = rows[row][action];
            let is_known = (legal[row] >> action & 1 != 0) & (logit > f32::NEG_INFINITY);
            differences[action][row] = if is_known { logit } else { f32::NEG_INFINITY };
        }
    }
    let mut max = differences[0];
    for logits in &differences[1..] {
        for row in 0..ROWS {
            max[row] = if logits[row] > max[row] { logits[row] } else { max[row] };
        }
    }
    let mut any_infinite = false;
    for max in max {
        any_infinite |= max.is_infinite();
    }
    if any_infinite {
        make_finite(legal, differences, &mut max);
    }
    for action in 0..ACTIONS {
        for row in 0..ROWS {
            differences[action][row] -= max[row];
            weights[action][row] = exponential(differences[action][row]);
        }
    }
}

/// Where the largest logit of a row is infinite, sets those that equal it to 0 and the others to -∞.
#[cold]
fn make_finite(legal: &[u32; ROWS], logits: &mut ByAction, max: &mut [f32; ROWS]) {
    for (row, max) in max.iter_mut().enumerate().filter(|(_, max)| max.is_infinite()) {
        for (action, logits) in logits.iter_mut().enumerate() {
            let is_largest = legal[row] >> action & 1 != 0 && logits[row] == *max;
            logits[row] = if is_largest { 0.0 } else { f32::NEG_INFINITY };
        }
        *max = 0.0;
    }
}

/// Returns the exponential of a number that is at most 0, with a relative error of about 10⁻⁷, and 0 below -87, where the
/// result would be subnormal.
///
/// The result of the standard library differs between systems, and sampled actions must not. The method is that of Moshier's
/// Cephes: a power of two, times a polynomial for the remainder.
#[inline(always)]
fn exponential(number: f32) -> f32 {
    let is_normal = number > -87.0;
    let number = if is_normal { number } else { 0.0 };
    // Floats from 2²³ on are integers, so this sum rounds to one, and the integer is in its lower bits.
    const ROUNDING: f32 = 12_582_912.0;
    let sum = number * std::f32::consts::LOG2_E + ROUNDING;
    let twos = sum - ROUNDING;
    // The logarithm of 2 in two parts. The first has so few digits that its product is exact.
    let rest = number - twos * LN_2_HIGH - twos * LN_2_LOW;
    let polynomial = [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let mut power = 1.987_569_2e-4;
    for coefficient in polynomial {
        power = power * rest + coefficient;
    }
    let power = power * rest * rest + rest + 1.0;
    let scale = f32::from_bits(sum.to_bits().wrapping_sub(ROUNDING.to_bits()).wrapping_add(127) << 23);
    if is_normal { power * scale } else { 0.0 }
}

/// Returns the natural logarithm of a normal number, with a relative error of about 10⁻⁷. The method is that of Cephes, too.
#[inline(always)]
fn logarithm(number: f32) -> f32 {
    // The number is a power of two, times a factor from √½ to √2.
    let twos = (number.to_bits().wrapping_sub(std::f32::consts::FRAC_1_SQRT_2.to_bits()) as i32) >> 23;
    let rest = f32::from_bits(number.to_bits().wrapping_sub((twos << 23) as u32)) - 1.0;
    let polynomial = [
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_5e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ];
    let mut sum = 7.037_683_6e-2;
    for coefficient in polynomial {
        sum = sum * rest + coefficient;
    }
    let (square, twos) = (rest * rest, twos as f32);
    let small = sum * rest * square + twos * LN_2_LOW - 0.5 * square;
    rest + small + twos * LN_2_HIGH
}

const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
