//! What is known about one player of a match: a mixture of the policy net's styles, weighted by how well they predict its actions so
//! far, and how the player differs from it.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::choice::unit;
use crate::policy_net::{ActionRows, Decision, Difference, FittedPlayer, HIDDEN, Neurons, OWN_STYLE, PolicyNet, STYLES};

/// The probability that a player changes its style in a turn. It makes old observations fade.
const CHANGE: f32 = 0.01;

/// After each turn of a player, its difference is learned again from this many of its earlier decisions.
const REMEMBERED: usize = 4;

/// The shares of a player's actions that may be uniformly random, of which one is right.
const RANDOM_SHARES: [f32; 7] = [0.01, 0.03, 0.06, 0.12, 0.25, 0.5, 0.9];
/// The probability that this share changes in a turn, so that one who leaves its style is trusted less soon.
const SHARE_CHANGE: f32 = 0.02;
/// The limits of the share that the search assumes.
const MIN_SHARE: f32 = 0.01;
const MAX_SHARE: f32 = 0.5;

/// What is known about a player.
///
/// ```
/// use pacman2_bots::policy_net::PolicyNet;
/// use pacman2_bots::sage::PlayerModel;
///
/// let net = PolicyNet::built_in();
/// assert_eq!(PlayerModel::new(&net).styles(), net.shares());
/// ```
pub struct PlayerModel {
    /// The weights of the styles.
    weights: [f32; STYLES],
    difference: Difference,
    /// How likely each of [`RANDOM_SHARES`] is.
    random_shares: [f32; RANDOM_SHARES.len()],
    /// Its decisions among several actions.
    decisions: Vec<Decision>,
}

impl PlayerModel {
    /// Creates the model of a player that has done nothing yet.
    #[must_use]
    pub fn new(net: &PolicyNet) -> PlayerModel {
        let alike = 1.0 / RANDOM_SHARES.len() as f32;
        PlayerModel {
            weights: *net.shares(),
            difference: Difference::NONE,
            random_shares: [alike; RANDOM_SHARES.len()],
            decisions: Vec::new(),
        }
    }

    /// Learns from a decision: the rows of the legal actions, and the index of that taken.
    pub fn learn(&mut self, net: &PolicyNet, actions: &[ActionRows], taken: usize) {
        let decision = Decision { actions: actions.to_vec(), taken };
        if actions.len() > 1 {
            // Before anything else is learned from the decision.
            self.learn_random_share(net, &decision);
        }
        self.learn_difference(net, decision);
        self.weights.iter_mut().zip(net.likelihoods(actions, taken)).for_each(|(weight, likely)| *weight *= likely);
        let total: f32 = self.weights.iter().sum();
        for (weight, beforehand) in self.weights.iter_mut().zip(net.shares()) {
            *weight = (1.0 - CHANGE) * *weight / total + CHANGE * beforehand;
        }
    }

    /// Returns the player as far as it is known.
    #[must_use]
    pub fn player(&self, net: &PolicyNet) -> FittedPlayer {
        self.difference.player(net, &self.mean_style(net))
    }

    /// Returns the weights of the styles. They add up to 1.
    #[must_use]
    pub fn styles(&self) -> &[f32; STYLES] {
        &self.weights
    }

    /// Returns how likely it follows a fixed rule, without looking ahead.
    pub(super) fn rule_follower_probability(&self, net: &PolicyNet) -> f32 {
        self.weights.iter().zip(net.rule_followers()).map(|(weight, share)| weight * share).sum()
    }

    /// Returns how likely it searches as `sage` does.
    pub(super) fn searcher_probability(&self) -> f32 {
        self.weights[OWN_STYLE]
    }

    /// Returns the expected share of its actions that are uniformly random, within limits.
    pub(super) fn random_share(&self) -> f32 {
        let shares = self.random_shares.iter().zip(RANDOM_SHARES);
        shares.map(|(likely, share)| likely * share).sum::<f32>().clamp(MIN_SHARE, MAX_SHARE)
    }

    /// Returns the mean row of the styles.
    fn mean_style(&self, net: &PolicyNet) -> Neurons {
        let mut mean = [0.0; HIDDEN];
        for (style, weight) in self.weights.iter().enumerate() {
            mean.iter_mut().zip(net.style(style)).for_each(|(mean, row)| *mean += weight * row);
        }
        mean
    }

    /// Learns how much of its play is random.
    fn learn_random_share(&mut self, net: &PolicyNet, Decision { actions, taken }: &Decision) {
        let foreseen = net.probabilities(actions, &self.player(net))[*taken];
        let uniform = 1.0 / actions.len() as f32;
        for (likely, share) in self.random_shares.iter_mut().zip(RANDOM_SHARES) {
            *likely *= (1.0 - share) * foreseen + share * uniform;
        }
        let total: f32 = self.random_shares.iter().sum();
        for likely in &mut self.random_shares {
            *likely = (1.0 - SHARE_CHANGE) * *likely / total + SHARE_CHANGE / RANDOM_SHARES.len() as f32;
        }
    }

    /// Learns how it differs from its style, from a decision and again from some earlier ones.
    fn learn_difference(&mut self, net: &PolicyNet, decision: Decision) {
        let style = self.mean_style(net);
        let count = self.decisions.len();
        // Seeded by their number, the same are drawn whether the bot keeps running or starts anew.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(count as u64);
        let drawn: [usize; REMEMBERED] = std::array::from_fn(|_| (unit(&mut random) * count as f32) as usize);
        let remembered = drawn.into_iter().filter_map(|index| self.decisions.get(index)).take(count);
        self.difference.learn(net, &style, &decision, remembered);
        if decision.actions.len() > 1 {
            self.decisions.push(decision);
        }
    }
}
