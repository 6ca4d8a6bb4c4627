//! The policy net: how likely a player is to choose each of its actions, given its style.
//!
//! The first layer has a row for each bin of each property of an action ([`ActionRows`]), one for each way in which it can follow the
//! player's last action, and one for each style. The rows that apply are added up; after ReLU, a weighted sum of the neurons is the
//! action's logit. The styles were not chosen by hand: training found them, as those that together explain many players best.

mod difference;
mod inputs;
mod properties;
mod quantised;

use std::sync::{Arc, LazyLock};

pub(crate) use difference::{Decision, Difference};
pub(crate) use inputs::last_actions;
pub use inputs::{ALL_ROWS, ActionRows, FOLLOWING_ROWS, PolicyPosition, ROWS};
pub use properties::{PROPERTIES, Property};
pub(crate) use quantised::{QuantisedNet, QuantisedPlayer};

use crate::arithmetic::{relu, softmax};
use crate::weights_file::{self, NetError};

/// Neurons of the hidden layer.
pub const HIDDEN: usize = 32;
/// The number of styles.
pub const STYLES: usize = 16;
/// The style of `sage` itself.
pub const OWN_STYLE: usize = 0;
/// The number of weights of a net.
pub const POLICY_WEIGHTS: usize = (ALL_ROWS + STYLES + 1) * HIDDEN + 2 * STYLES;

/// The first line of a weights file.
const HEADER: &str = "pacman2 policy net, version 2, 290-32-1, 16 styles";

/// The neurons of the hidden layer: sums of rows.
pub type Neurons = [f32; HIDDEN];

/// A player: a style, and how the player differs from what the net says for it.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedPlayer {
    style: Neurons,
    /// The weights of the neurons in a logit.
    last: Neurons,
    /// What each row adds to a logit.
    additions: [f32; ALL_ROWS],
}

impl FittedPlayer {
    /// Returns the row of its style, with its difference.
    #[must_use]
    pub fn style(&self) -> &Neurons {
        &self.style
    }

    /// Returns the weights of the neurons in a logit.
    #[must_use]
    pub fn last(&self) -> &Neurons {
        &self.last
    }

    /// Returns the logit of an action, given its [neurons](PolicyNet::neurons).
    #[must_use]
    #[inline]
    pub fn logit(&self, action: &ActionRows, neurons: &Neurons) -> f32 {
        let addition: f32 = action.as_slice().iter().map(|&row| self.additions[usize::from(row)]).sum();
        logit(neurons, &self.last) + addition
    }
}

/// The weights of a policy net.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyNet {
    rows: Vec<Neurons>,
    styles: [Neurons; STYLES],
    last: Neurons,
    shares: [f32; STYLES],
    rule_followers: [f32; STYLES],
}

impl PolicyNet {
    /// Returns the net in this crate. The second line of its file says how it was made.
    #[must_use]
    pub fn built_in() -> Arc<PolicyNet> {
        static NET: LazyLock<Arc<PolicyNet>> =
            LazyLock::new(|| Arc::new(PolicyNet::read(include_bytes!("../nets/policy.net")).expect("a test reads this file")));
        Arc::clone(&NET)
    }

    /// Creates a net from its weights: the rows of actions, those of the styles, the weights of the neurons in a logit, how common each
    /// style is, and which share of its players are [rule followers](PolicyNet::rule_followers).
    ///
    /// # Panics
    ///
    /// If there are not [`POLICY_WEIGHTS`] weights.
    #[must_use]
    pub fn from_weights(weights: &[f32]) -> PolicyNet {
        assert_eq!(weights.len(), POLICY_WEIGHTS);
        let (neurons, of_styles) = weights.split_at(POLICY_WEIGHTS - 2 * STYLES);
        let (neurons, _) = neurons.as_chunks::<HIDDEN>();
        PolicyNet {
            rows: neurons[..ALL_ROWS].to_vec(),
            styles: std::array::from_fn(|style| neurons[ALL_ROWS + style]),
            last: neurons[ALL_ROWS + STYLES],
            shares: std::array::from_fn(|style| of_styles[style]),
            rule_followers: std::array::from_fn(|style| of_styles[STYLES + style]),
        }
    }

    /// Iterates over the weights in the order of [`PolicyNet::from_weights`].
    pub fn weights(&self) -> impl Iterator<Item = f32> {
        let neurons = self.rows.as_flattened().iter().chain(self.styles.as_flattened()).chain(&self.last);
        neurons.chain(&self.shares).chain(&self.rule_followers).copied()
    }

    /// Reads a weights file: a line with version and shape, a line about its origin, then the weights as little-endian 32-bit floats.
    ///
    /// # Errors
    ///
    /// If the header, the length or a weight is invalid.
    ///
    /// ```
    /// use pacman2_bots::policy_net::PolicyNet;
    ///
    /// let net = PolicyNet::built_in();
    /// assert_eq!(PolicyNet::read(&net.write("a copy")).as_ref(), Ok(&*net));
    /// ```
    pub fn read(bytes: &[u8]) -> Result<PolicyNet, NetError> {
        weights_file::read(bytes, HEADER, POLICY_WEIGHTS).map(|weights| PolicyNet::from_weights(&weights))
    }

    /// Returns the weights file of this net. `origin` is its second line.
    #[must_use]
    pub fn write(&self, origin: &str) -> Vec<u8> {
        weights_file::write(HEADER, origin, self.weights())
    }

    /// Returns the row of a style.
    #[must_use]
    pub fn style(&self, style: usize) -> &Neurons {
        &self.styles[style]
    }

    /// Returns how common each style is.
    #[must_use]
    pub fn shares(&self) -> &[f32; STYLES] {
        &self.shares
    }

    /// Returns which share of each style's players are rule followers: they follow a fixed rule and do not look ahead.
    #[must_use]
    pub fn rule_followers(&self) -> &[f32; STYLES] {
        &self.rule_followers
    }

    /// Returns a player that acts as the net says for this row of a style or mixture of styles.
    #[must_use]
    pub fn player(&self, style: &Neurons) -> FittedPlayer {
        FittedPlayer { style: *style, last: self.last, additions: [0.0; ALL_ROWS] }
    }

    /// Returns the probability of each action, given its rows, for this player.
    #[must_use]
    pub fn probabilities(&self, actions: &[ActionRows], player: &FittedPlayer) -> [f32; 9] {
        let mut logits = [f32::MIN; 9];
        for (logit, action) in logits.iter_mut().zip(actions) {
            *logit = player.logit(action, &self.sum(action, &player.style));
        }
        softmax(&logits, actions.len(), 1.0)
    }

    /// Returns the neurons of each action for this player, before ReLU.
    #[must_use]
    pub fn neurons(&self, actions: &[ActionRows], player: &FittedPlayer) -> [Neurons; 9] {
        let mut neurons = [[0.0; HIDDEN]; 9];
        for (neurons, action) in neurons.iter_mut().zip(actions) {
            *neurons = self.sum(action, &player.style);
        }
        neurons
    }

    /// Returns the probability of each action for each style.
    #[must_use]
    pub fn probabilities_by_style(&self, actions: &[ActionRows]) -> [[f32; 9]; STYLES] {
        let mut logits = [[f32::MIN; 9]; STYLES];
        for (index, action) in actions.iter().enumerate() {
            let sum = self.sum(action, &[0.0; HIDDEN]);
            for (logits, style) in logits.iter_mut().zip(&self.styles) {
                logits[index] = logit(&sums_with(&sum, style), &self.last);
            }
        }
        logits.map(|logits| softmax(&logits, actions.len(), 1.0))
    }

    /// Returns for each style how likely a player of it is to take one of these actions, slips included.
    #[must_use]
    pub fn likelihoods(&self, actions: &[ActionRows], taken: usize) -> [f32; STYLES] {
        self.probabilities_by_style(actions).map(|likely| with_slips(likely[taken], actions.len()))
    }

    /// Adds the rows of an action to another sum.
    fn sum(&self, action: &ActionRows, start: &Neurons) -> Neurons {
        action.as_slice().iter().fold(*start, |sum, &row| sums_with(&sum, &self.rows[usize::from(row)]))
    }
}

/// Adds two rows, or sums of rows.
fn sums_with(sums: &Neurons, row: &Neurons) -> Neurons {
    std::array::from_fn(|neuron| sums[neuron] + row[neuron])
}

/// Returns the logit for these sums of rows: the sum of eight partial sums, so that the compiler can compute these at once.
fn logit(sums: &Neurons, last: &Neurons) -> f32 {
    let mut partial = [0.0; 8];
    for (sums, last) in sums.as_chunks::<8>().0.iter().zip(last.as_chunks::<8>().0) {
        partial = std::array::from_fn(|place| partial[place] + relu(sums[place]) * last[place]);
    }
    partial.iter().sum()
}

/// The probability of an action that does not follow the style.
const SLIP: f32 = 0.05;

/// Returns the probability of one of `count` actions, given that without slips.
#[inline]
fn with_slips(likely: f32, count: usize) -> f32 {
    (1.0 - SLIP) * likely + SLIP / count as f32
}
