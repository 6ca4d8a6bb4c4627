//! The policy net in whole numbers, as the search uses it: their sums are the same on every machine, whatever the order.

use std::ops::Range;

use super::{ALL_ROWS, ActionRows, FOLLOWING_ROWS, FittedPlayer, HIDDEN, PROPERTIES, PolicyNet};
use crate::arithmetic::{exp_of_negative, whole};

/// Neurons as whole numbers, before ReLU.
type QuantisedNeurons = [i16; HIDDEN];

/// The largest sum of rows. What is left of 16 bits is for a style.
const MAX_SUM: i32 = 24_000;
/// The largest weighted sum of neurons.
const MAX_LOGIT: i64 = 1 << 29;

/// The rows of a policy net as whole numbers.
pub(crate) struct QuantisedNet {
    rows: Vec<QuantisedNeurons>,
    /// The largest sum of rows of each neuron.
    bounds: [i32; HIDDEN],
    /// The binary digits after the point.
    digits: u32,
}

/// A player in whole numbers.
#[derive(Clone)]
pub(crate) struct QuantisedPlayer {
    style: QuantisedNeurons,
    last: QuantisedNeurons,
    /// What each row adds to a logit.
    additions: [i32; ALL_ROWS],
    /// What logits are multiplied by.
    unit: f32,
}

impl QuantisedNet {
    /// Rounds the rows of a net, with as many digits as no sum of rows can leave 16 bits with.
    pub(crate) fn new(net: &PolicyNet) -> QuantisedNet {
        let rounded = |digits| net.rows.iter().map(|row| row.map(|weight| whole(weight, digits) as i16)).collect();
        let fits = |(_, _, bounds): &(_, _, [i32; HIDDEN])| bounds.iter().all(|&bound| bound <= MAX_SUM);
        let with_digits = |digits| {
            let rows: Vec<QuantisedNeurons> = rounded(digits);
            let bounds = largest_sums(&rows);
            (digits, rows, bounds)
        };
        let fitting = (0..=12).rev().map(with_digits).find(fits);
        let (digits, rows, bounds) = fitting.unwrap_or_else(|| (0, rounded(0), [MAX_SUM; HIDDEN]));
        QuantisedNet { rows, bounds, digits }
    }

    /// Rounds what is known about a player.
    pub(crate) fn player(&self, player: &FittedPlayer) -> QuantisedPlayer {
        let limits = self.bounds.map(|bound| i32::from(i16::MAX) - bound);
        let style: QuantisedNeurons =
            std::array::from_fn(|neuron| whole(player.style[neuron], self.digits).clamp(-limits[neuron], limits[neuron]) as i16);
        let fits = |(_, last): &(u32, QuantisedNeurons)| {
            let largest = self.bounds.iter().zip(style).map(|(bound, style)| i64::from(bound + i32::from(style).abs()));
            largest.zip(last).map(|(neuron, &last)| neuron * i64::from(last).abs()).sum::<i64>() <= MAX_LOGIT
        };
        let rounded = |digits: u32| (digits, player.last.map(|weight| whole(weight, digits) as i16));
        let (digits, last) = (0..=13).rev().map(rounded).find(fits).unwrap_or_else(|| rounded(0));
        let scale = (1_u32 << (digits + self.digits)) as f32;
        let additions = player.additions.map(|addition| (addition * scale).round() as i32);
        QuantisedPlayer { style, last, additions, unit: 1.0 / scale }
    }

    /// Returns the probability of each action, given its rows, for this player.
    pub(crate) fn probabilities(&self, actions: &[ActionRows], player: &QuantisedPlayer) -> [f32; 9] {
        let mut logits = [0; 9];
        for (logit, action) in logits.iter_mut().zip(actions) {
            *logit = self.logit(action, player);
        }
        let most = logits[..actions.len()].iter().copied().fold(i32::MIN, i32::max);
        let mut weights = [0.0; 9];
        for (weight, logit) in weights.iter_mut().zip(&logits[..actions.len()]) {
            *weight = exp_of_negative(logit.wrapping_sub(most).min(0) as f32 * player.unit);
        }
        let total: f32 = weights.iter().sum();
        weights.map(|weight| weight / total)
    }

    fn logit(&self, action: &ActionRows, player: &QuantisedPlayer) -> i32 {
        let mut neurons = player.style;
        let mut logit = 0_i32;
        for row in action.as_slice().iter().map(|&row| usize::from(row)) {
            let weights = &self.rows[row];
            neurons = std::array::from_fn(|neuron| neurons[neuron].wrapping_add(weights[neuron]));
            logit = logit.wrapping_add(player.additions[row]);
        }
        for (neuron, last) in neurons.into_iter().zip(player.last) {
            logit = logit.wrapping_add(i32::from(neuron.max(0)).wrapping_mul(i32::from(last)));
        }
        logit
    }
}

/// Returns for each neuron the largest sum of rows, of each property one.
fn largest_sums(rows: &[QuantisedNeurons]) -> [i32; HIDDEN] {
    let largest = |neuron: usize, bins: Range<usize>| rows[bins].iter().map(|row| i32::from(row[neuron]).abs()).max();
    std::array::from_fn(|neuron| properties().filter_map(|bins| largest(neuron, bins)).sum())
}

/// Iterates over the rows of each property. How an action follows the last one counts as a property, too.
fn properties() -> impl Iterator<Item = Range<usize>> {
    let counts = PROPERTIES.iter().map(|property| property.bins.len()).chain([FOLLOWING_ROWS]);
    counts.scan(0, |end, count| {
        let start = *end;
        *end += count;
        Some(start..*end)
    })
}

#[cfg(test)]
mod tests {
    use pacman2_rules::{Action, BySeat, Direction, Seat, picture};

    use super::*;
    use crate::distance_tables::DistanceTables;
    use crate::policy_net::{PolicyPosition, STYLES};

    #[test]
    fn probabilities_are_near_those_of_the_net() {
        // Without the tunnels, and with dead ends and a wall that stands on one side only.
        let drawn = "
            turn 0/100, fruit in 3/8
            +---+---+---+---+---+---+---+
            | 0   .       .   .       . |
            +   +---+   +   +   +---+   +
            | .   G   o     |     G   . |
            +   +   +---+   +---+   +   +
            |     2 | .   . | 1 |       |
            +   +   +---+   +   +   +   +
            | .       .   G   o       . |
            +   +---+   +   +   +---+   +
            | . | o   .   . | 3   .   . |
            +---+---+---+---+---+---+---+
            1: 7
            3: 4
        ";
        let (maze, state) = picture::read(drawn).expect("it is a picture");
        let last = BySeat([Action::Stay, Action::Shoot(Direction::Up), Action::Move(Direction::Left), Action::Stay]);
        let tables = DistanceTables::new(&maze);
        let position = PolicyPosition::new(&tables, &maze, &state).after(last);
        let net = PolicyNet::built_in();
        let quantised = QuantisedNet::new(&net);
        for style in 0..STYLES {
            let mut player = net.player(net.style(style));
            player.additions.iter_mut().enumerate().for_each(|(row, addition)| *addition = (row % 17) as f32 / 8.0 - 1.0);
            for seat in Seat::ALL {
                let legal = state.legal_actions(&maze, seat);
                let rows = &position.rows(seat, legal)[..legal.len()];
                let (exact, rounded) =
                    (net.probabilities(rows, &player), quantised.probabilities(rows, &quantised.player(&player)));
                assert!(
                    exact.iter().zip(rounded).all(|(exact, rounded)| (exact - rounded).abs() < 0.01),
                    "{exact:?} {rounded:?}"
                );
            }
        }
    }
}
