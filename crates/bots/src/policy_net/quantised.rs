//! The policy net in whole numbers, as the search uses it: sums of whole numbers are the same in any order, so rows that several actions
//! have in common are added up once.

use super::joined::{Following, WITH_JOINED, following_table, joined_rows};
use super::{ALL_ROWS, FittedPlayer, HIDDEN, PolicyNet, is_first_row};
use crate::arithmetic::{exp_of_negative, whole};

/// Neurons as whole numbers, before ReLU.
pub(super) type WholeNeurons = [i16; HIDDEN];

/// The length of tables by row. A byte after any row is within them, so that no index needs a bounds check.
pub(super) const TABLE: usize = WITH_JOINED + 256;

/// The largest sum of rows. What is left of 16 bits is for a style.
const MAX_SUM: i32 = 24_000;
/// The largest weighted sum of neurons.
const MAX_LOGIT: i64 = 1 << 29;

/// The rows of a policy net as whole numbers.
pub(crate) struct WholeRows {
    rows: Box<[WholeNeurons; TABLE]>,
    /// The largest sum of rows of each neuron.
    bounds: [i32; HIDDEN],
    /// The binary digits after the point.
    digits: u32,
    /// For each joined row the rows of which it is the sum.
    joined: Vec<Vec<usize>>,
    /// How actions follow others.
    pub(super) following: Following,
}

/// A player in whole numbers.
#[derive(Clone)]
pub(crate) struct WholePlayer {
    pub(super) style: WholeNeurons,
    last: WholeNeurons,
    /// What each row adds to a logit.
    additions: [i32; TABLE],
    /// What logits are multiplied by.
    unit: f32,
}

impl WholeRows {
    /// Rounds the rows of a net, with as many digits as no sum of rows can leave 16 bits with.
    pub(crate) fn new(net: &PolicyNet) -> WholeRows {
        let bounds_with = |digits: u32| {
            let mut bounds = [0; HIDDEN];
            let mut most = [0; HIDDEN];
            for (index, row) in net.rows.iter().enumerate() {
                if is_first_row(index) {
                    bounds.iter_mut().zip(&mut most).for_each(|(bound, most)| *bound += std::mem::take(most));
                }
                most.iter_mut().zip(row).for_each(|(most, &weight)| *most = whole(weight, digits).abs().max(*most));
            }
            bounds.iter_mut().zip(most).for_each(|(bound, most)| *bound += most);
            bounds
        };
        let fitting = (0..=12).rev().map(|digits| (digits, bounds_with(digits)));
        let (digits, bounds) = fitting
            .into_iter()
            .find(|(_, bounds)| bounds.iter().all(|&bound| bound <= MAX_SUM))
            .unwrap_or((0, [MAX_SUM; HIDDEN]));
        let mut rows = Box::new([[0; HIDDEN]; TABLE]);
        for (row, weights) in rows.iter_mut().zip(&net.rows) {
            *row = weights.map(|weight| whole(weight, digits) as i16);
        }
        let joined: Vec<Vec<usize>> = joined_rows().collect();
        for (place, parts) in (ALL_ROWS..).zip(&joined) {
            for &part in parts {
                rows[place] = std::array::from_fn(|neuron| rows[place][neuron].wrapping_add(rows[part][neuron]));
            }
        }
        WholeRows { rows, bounds, digits, joined, following: following_table() }
    }

    /// Rounds what is known about a player.
    pub(crate) fn player(&self, player: &FittedPlayer) -> WholePlayer {
        let limits = self.bounds.map(|bound| i32::from(i16::MAX) - bound);
        let style: WholeNeurons =
            std::array::from_fn(|neuron| whole(player.style[neuron], self.digits).clamp(-limits[neuron], limits[neuron]) as i16);
        let fits = |last: &WholeNeurons| {
            let largest = self.bounds.iter().zip(style).map(|(bound, style)| i64::from(bound + i32::from(style).abs()));
            largest.zip(last).map(|(neuron, &last)| neuron * i64::from(last).abs()).sum::<i64>() <= MAX_LOGIT
        };
        let rounded = |digits: u32| (digits, player.last.map(|weight| whole(weight, digits) as i16));
        let (digits, last) = (0..=13).rev().map(rounded).find(|(_, last)| fits(last)).unwrap_or_else(|| rounded(0));
        let digits = digits + self.digits;
        let mut additions = [0; TABLE];
        for (addition, of_row) in additions.iter_mut().zip(player.additions) {
            *addition = (of_row * (1_u32 << digits) as f32).round() as i32;
        }
        for (place, parts) in (ALL_ROWS..).zip(&self.joined) {
            additions[place] = parts.iter().fold(0, |sum: i32, &part| sum.wrapping_add(additions[part]));
        }
        WholePlayer { style, last, additions, unit: 1.0 / (1_u32 << digits) as f32 }
    }

    /// Adds rows to a sum, and what they add to the logit.
    #[inline(always)]
    pub(super) fn sum<const COUNT: usize>(&self, sum: WholeSum, player: &WholePlayer, rows: [usize; COUNT]) -> WholeSum {
        let WholeSum { mut neurons, mut added } = sum;
        for row in rows {
            let weights = &self.rows[row];
            neurons = std::array::from_fn(|neuron| neurons[neuron].wrapping_add(weights[neuron]));
            added = added.wrapping_add(player.additions[row]);
        }
        WholeSum { neurons, added }
    }
}

/// A sum of rows, and what they add to a logit.
#[derive(Clone, Copy)]
pub(super) struct WholeSum {
    neurons: WholeNeurons,
    added: i32,
}

impl WholePlayer {
    /// Returns the sum to begin with.
    #[inline(always)]
    pub(super) fn start(&self) -> WholeSum {
        WholeSum { neurons: self.style, added: 0 }
    }

    /// Returns the logit for a sum of all rows.
    #[inline(always)]
    pub(super) fn logit(&self, sum: &WholeSum) -> i32 {
        let mut logit = 0_i32;
        for (&neuron, &last) in sum.neurons.iter().zip(&self.last) {
            logit = logit.wrapping_add(i32::from(neuron.max(0)).wrapping_mul(i32::from(last)));
        }
        logit.wrapping_add(sum.added)
    }

    /// Returns the probabilities of the first `count` actions, given the logits; those of the others are `i32::MIN`.
    #[inline(always)]
    pub(super) fn softmax(&self, logits: &[i32; 9], count: usize) -> [f32; 9] {
        let most = logits.iter().copied().fold(i32::MIN, i32::max);
        // Two registers of eight.
        let mut weights = [0.0; 16];
        for (index, weight) in weights[..9].iter_mut().enumerate() {
            let power = logits[index].wrapping_sub(most).min(0) as f32 * self.unit;
            *weight = if index < count { exp_of_negative(power) } else { 0.0 };
        }
        let mut total = 0.0;
        for weight in &weights[..9] {
            total += weight;
        }
        std::array::from_fn(|index| weights[index] / total)
    }
}
