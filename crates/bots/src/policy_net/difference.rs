//! How a player differs from its style, fitted to its actions while it plays.

use super::{ALL_ROWS, ActionRows, FittedPlayer, HIDDEN, Neurons, PolicyNet, sums_with};

/// The learning rates, found by trying on recorded games.
const STYLE_RATE: f32 = 0.3;
const LAST_RATE: f32 = 0.05;
const ADDITION_RATE: f32 = 0.05;
/// How much smaller steps are for decisions that are remembered.
const REMEMBERED: f32 = 0.2;
/// What remains of a difference after an observation. Old ones fade.
const KEEP: f32 = 0.99;
/// The limit of each difference. Without it, a player that does the least likely every time could drive them beyond all numbers.
const LIMIT: f32 = 2.0;

/// A decision of a player: its legal actions, and the index of that taken.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) actions: Vec<ActionRows>,
    pub(crate) taken: usize,
}

/// What is added to the weights of the net for one player.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Difference {
    style: Neurons,
    last: Neurons,
    additions: [f32; ALL_ROWS],
}

impl Difference {
    /// No difference.
    pub(crate) const NONE: Difference = Difference { style: [0.0; HIDDEN], last: [0.0; HIDDEN], additions: [0.0; ALL_ROWS] };

    /// Returns the player that differs by this from a style.
    pub(crate) fn player(&self, net: &PolicyNet, style: &Neurons) -> FittedPlayer {
        FittedPlayer { style: sums_with(style, &self.style), last: sums_with(&net.last, &self.last), additions: self.additions }
    }

    /// Learns from a decision, and again from some earlier ones. One step for each would forget too soon what is rare.
    pub(crate) fn learn<'a>(
        &mut self,
        net: &PolicyNet,
        style: &Neurons,
        decision: &Decision,
        remembered: impl Iterator<Item = &'a Decision>,
    ) {
        self.step(net, style, decision, 1.0);
        remembered.for_each(|decision| self.step(net, style, decision, REMEMBERED));
        for weight in self.style.iter_mut().chain(&mut self.last).chain(&mut self.additions) {
            *weight = (KEEP * *weight).clamp(-LIMIT, LIMIT);
        }
    }

    /// Makes a step of gradient descent on -ln of the probability of the action that the player took.
    fn step(&mut self, net: &PolicyNet, style: &Neurons, Decision { actions, taken }: &Decision, size: f32) {
        let player = self.player(net, style);
        let likely = net.probabilities(actions, &player);
        for (index, action) in actions.iter().enumerate() {
            let slope = size * (likely[index] - if index == *taken { 1.0 } else { 0.0 });
            for (neuron, sum) in net.sum(action, &player.style).into_iter().enumerate() {
                if sum > 0.0 {
                    self.style[neuron] -= STYLE_RATE * slope * player.last[neuron];
                    self.last[neuron] -= LAST_RATE * slope * sum;
                }
            }
            for &row in action.as_slice() {
                self.additions[usize::from(row)] -= ADDITION_RATE * slope;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::array;

    use pacman2_rules::{Seat, picture};

    use super::*;
    use crate::distance_tables::DistanceTables;
    use crate::policy_net::{OWN_STYLE, PolicyPosition};

    /// Lets a player take the action that `choose` names, given what is expected, many times on one position.
    fn expected_after(choose: impl Fn(&[f32]) -> usize) -> (Vec<f32>, Vec<f32>, Difference) {
        let drawn = "
            +---+---+---+---+---+---+
            | 0   .           .   1 |
            +   +   +   +   +   +   +
            |         o             |
            +   +   +   +   +   +   +
            | 2   .           .   3 |
            +---+---+---+---+---+---+
        ";
        let (maze, start) = picture::read(drawn).expect("it is a picture");
        let legal = start.legal_actions(&maze, Seat::S0);
        let rows = PolicyPosition::new(&DistanceTables::new(&maze), &maze, &start).rows(Seat::S0, legal);
        let (net, rows) = (PolicyNet::built_in(), &rows[..legal.len()]);
        let style = net.style(OWN_STYLE);
        let expected = |difference: &Difference| net.probabilities(rows, &difference.player(&net, style))[..legal.len()].to_vec();
        let mut difference = Difference::NONE;
        let before = expected(&difference);
        for _ in 0..2000 {
            let taken = choose(&expected(&difference));
            difference.learn(&net, style, &Decision { actions: rows.to_vec(), taken }, std::iter::empty());
        }
        (before, expected(&difference), difference)
    }

    #[test]
    fn what_a_player_does_again_and_again_is_expected() {
        let (before, after, _) = expected_after(|_| 0);
        assert!(before[0] < 0.8 && after[0] > 0.95, "{before:?} {after:?}");
    }

    #[test]
    fn without_a_difference_a_player_follows_its_style() {
        let net = PolicyNet::built_in();
        let style = array::from_fn(|neuron| neuron as f32);
        assert_eq!(Difference::NONE.player(&net, &style), net.player(&style));
    }

    #[test]
    fn a_player_that_does_the_least_likely_every_time_breaks_nothing() {
        let least = |likely: &[f32]| (0..likely.len()).min_by(|&one, &other| likely[one].total_cmp(&likely[other])).unwrap_or(0);
        let (_, after, difference) = expected_after(least);
        assert!((after.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{after:?}");
        let Difference { style, last, additions } = difference;
        assert!(style.iter().chain(&last).chain(&additions).all(|weight| weight.abs() <= LIMIT));
    }
}
