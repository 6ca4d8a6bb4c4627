//! Sampling actions from the logits of a policy, with action masks.

use super::{Block, Games};
use crate::arch::{self, Work};
use crate::lanes::{LANES, Lanes};
use crate::observe::ACTIONS;

/// The logits of the four players of a game, or the weights made from them.
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
    fn run<L: Lanes>(mut self, _: L) {
        let (logits, _) = self.logits.as_chunks();
        for (game, (logits, actions)) in logits.iter().zip(self.actions).enumerate() {
            let samples = self.blocks[game / LANES].sample(game % LANES, logits);
            *actions = samples.map(|sample| sample.action as u8);
            if let Some(into) = &mut self.log_probabilities {
                into[4 * game..4 * game + 4].copy_from_slice(&samples.map(|sample| sample.probability.ln()));
            }
        }
    }
}

#[derive(Clone, Copy)]
struct SampledAction {
    action: usize,
    probability: f32,
}

impl Block {
    #[inline(always)]
    fn sample(&mut self, lane: usize, logits: &GameLogits) -> [SampledAction; 4] {
        let masks = self.action_masks(lane);
        let weights = weights(logits, masks.as_flattened().as_chunks().0.first().expect("a game has four masks"));
        let (weights, _) = weights.as_chunks();
        let mut rng = self.rngs.get(lane);
        let samples = [0, 1, 2, 3].map(|seat| draw_weighted(&weights[seat], rng.word()));
        self.rngs.put(lane, &rng);
        samples
    }
}

/// Returns the weight of each action among those of its seat. At least one action of each seat has a weight above 0.
#[inline(always)]
fn weights(logits: &GameLogits, masks: &[u8; 4 * ACTIONS]) -> GameLogits {
    let mut known = *logits;
    for (logit, &mask) in known.iter_mut().zip(masks) {
        // This makes NaN count as -∞, too.
        *logit = if mask != 0 && *logit > f32::NEG_INFINITY { *logit } else { f32::NEG_INFINITY };
    }
    let max: [f32; 4] = std::array::from_fn(|seat| {
        let of_seat = &known[ACTIONS * seat..ACTIONS * (seat + 1)];
        of_seat.iter().fold(f32::NEG_INFINITY, |max, &logit| if logit > max { logit } else { max })
    });
    let mut weights = [0.0; 4 * ACTIONS];
    for (index, weight) in weights.iter_mut().enumerate() {
        *weight = exponential(known[index] - max[index / ACTIONS]);
    }
    for seat in (0..4).filter(|&seat| max[seat].is_infinite()) {
        for index in ACTIONS * seat..ACTIONS * (seat + 1) {
            weights[index] = f32::from(u8::from(masks[index] != 0 && known[index] == max[seat]));
        }
    }
    weights
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
    // Floats from 2²³ on are integers, so this sum rounds to one.
    const ROUNDING: f32 = 12_582_912.0;
    let twos = (number * std::f32::consts::LOG2_E + ROUNDING) - ROUNDING;
    // The logarithm of 2 in two parts. The first has so few digits that its product is exact.
    let rest = number - twos * 0.693_359_4 - twos * -2.121_944_4e-4;
    let polynomial = [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let power = polynomial.iter().fold(1.987_569_2e-4, |sum, coefficient| sum * rest + coefficient);
    let power = power * rest * rest + rest + 1.0;
    let scale = f32::from_bits(((twos as i32 + 127) as u32) << 23);
    if is_normal { power * scale } else { 0.0 }
}

/// Draws an action by these weights with a word of a generator.
#[inline(always)]
fn draw_weighted(weights: &[f32; ACTIONS], word: u32) -> SampledAction {
    let mut sum = 0.0;
    let sums = weights.map(|weight| {
        sum += weight;
        sum
    });
    // As many bits as a float has. Where the product is rounded up to the sum itself, the last action with a weight is drawn.
    let threshold = ((word >> 8) as f32 / (1 << 24) as f32 * sum).min(sum.next_down());
    let action = sums.iter().filter(|&&sum| sum <= threshold).count() % ACTIONS;
    SampledAction { action, probability: weights[action] / sum }
}
