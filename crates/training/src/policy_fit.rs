//! Fits a policy net to players, in the way in which `sage` uses it.
//!
//! In a match, `sage` learns about each player after every decision ([`PlayerModel`]). So does training: it goes through a player's
//! game in order, and each decision is foreseen with what was learned from those before it. What counts is how well that succeeds. The
//! gradient takes what was learned as given (first-order meta-learning: Finn et al. 2017, Nichol et al. 2018).

use pacman2_bots::policy_net::{ALL_ROWS, FittedPlayer, HIDDEN, Neurons, OWN_STYLE, POLICY_WEIGHTS, PolicyNet, STYLES};
use pacman2_bots::sage::PlayerModel;

use crate::adam::Adam;
use crate::policy_games::{PolicyDecision, PolicyPlayer};
use crate::share::Shares;
use crate::{below, part_rng, shuffle};

/// Players per gradient step.
const BATCH: usize = 8;
/// The learning rate of the first step. It falls linearly to almost zero.
const RATE: f32 = 1e-2;
/// The least share of a style, so that none dies out.
const LEAST_SHARE: f32 = 0.005;

/// The data and settings of one training run.
#[derive(Clone, Copy, Debug)]
pub struct PolicyFit<'a> {
    /// The players to learn from.
    pub players: &'a [PolicyPlayer],
    /// The number of passes over all decisions.
    pub epochs: u32,
    /// The seed of the first net and of the order of the players.
    pub seed: u32,
}

impl PolicyFit<'_> {
    /// Trains a net from scratch. `on_epoch` gets the number of each epoch and its mean loss in nats, that is, the mean of -ln of the
    /// probability of what was to be learned.
    #[must_use]
    pub fn learn(&self, mut on_epoch: impl FnMut(u32, f64)) -> PolicyNet {
        let mut rng = part_rng(self.seed, u32::MAX);
        let mut weights: Vec<f32> =
            (0..POLICY_WEIGHTS).map(|_| 0.3 * (below(&mut rng, 1 << 24) as f32 / (1 << 23) as f32 - 1.0)).collect();
        weights[SHARES..RULE_FOLLOWERS].fill(1.0 / STYLES as f32);
        weights[RULE_FOLLOWERS..].fill(0.0);
        let mut order: Vec<&PolicyPlayer> = self.players.iter().filter(|player| !player.decisions.is_empty()).collect();
        let decisions: usize = order.iter().map(|player| player.decisions.len()).sum();
        let mut adam = Adam::new(POLICY_WEIGHTS);
        let steps = self.epochs as usize * order.len().div_ceil(BATCH);
        let mut step = 0;
        for epoch in 1..=self.epochs {
            shuffle(&mut order, &mut rng);
            let mut loss = 0.0;
            let [mut shares, mut rule_followers, mut known] = [[0.0; STYLES]; 3];
            for batch in order.chunks(BATCH) {
                let net = PolicyNet::from_weights(&weights);
                let mut gradient = PolicyGradient::new(&net);
                for player in batch {
                    let styles = gradient.add_player(player);
                    add_styles(&mut shares, &styles);
                    if let Some(follows_rule) = player.follows_rule {
                        add_styles(&mut known, &styles);
                        if follows_rule {
                            add_styles(&mut rule_followers, &styles);
                        }
                    }
                }
                loss += gradient.loss;
                let count: usize = batch.iter().map(|player| player.decisions.len()).sum();
                let rate = RATE * (1.0 - step as f32 / steps as f32);
                let slopes = gradient.slopes;
                adam.step(weights.iter_mut(), slopes.into_iter(), 1.0 / count as f32, rate);
                step += 1;
            }
            weights[SHARES..RULE_FOLLOWERS].copy_from_slice(&shares_of(shares));
            // A style that hardly any known player has is taken for one that looks ahead.
            weights[RULE_FOLLOWERS..]
                .copy_from_slice(&std::array::from_fn::<f32, STYLES, _>(|style| rule_followers[style] / (1.0 + known[style])));
            on_epoch(epoch, loss / decisions.max(1) as f64);
        }
        PolicyNet::from_weights(&weights)
    }
}

fn add_styles(sums: &mut [f32; STYLES], styles: &[f32; STYLES]) {
    sums.iter_mut().zip(styles).for_each(|(sum, style)| *sum += style);
}

/// Returns how common each style is, given the sums of its weights over players.
fn shares_of(sums: [f32; STYLES]) -> [f32; STYLES] {
    let players: f32 = sums.iter().sum::<f32>().max(1.0);
    let shares = sums.map(|sum| sum / players + LEAST_SHARE);
    let total: f32 = shares.iter().sum();
    shares.map(|share| share / total)
}

/// The gradient of the loss, summed over decisions.
pub struct PolicyGradient<'a> {
    net: &'a PolicyNet,
    /// The derivative of the loss with respect to each weight, in the order of the net's weights. What is known of whole styles has none.
    pub slopes: Vec<f32>,
    /// The sum of the losses, in nats.
    pub loss: f64,
}

/// Where the weights of the neurons in a logit begin, how common the styles are, and which share of their players follow a fixed rule.
const LAST: usize = (ALL_ROWS + STYLES) * HIDDEN;
const SHARES: usize = LAST + HIDDEN;
const RULE_FOLLOWERS: usize = SHARES + STYLES;

impl PolicyGradient<'_> {
    /// Creates an empty gradient of this net.
    #[must_use]
    pub fn new(net: &PolicyNet) -> PolicyGradient<'_> {
        PolicyGradient { net, slopes: vec![0.0; POLICY_WEIGHTS], loss: 0.0 }
    }

    /// Adds a player's game, and returns what its styles are at the end of it: zeros for `sage` itself, whose style is known.
    pub fn add_player(&mut self, player: &PolicyPlayer) -> [f32; STYLES] {
        if player.is_own {
            let own = self.net.player(self.net.style(OWN_STYLE));
            let styles = std::array::from_fn(|style| f32::from(u8::from(style == OWN_STYLE)));
            player.decisions.iter().for_each(|decision| self.add(decision, &own, &styles, player.weight));
            return [0.0; STYLES];
        }
        let mut model = PlayerModel::new(self.net);
        for decision in &player.decisions {
            self.add(decision, &model.player(self.net), model.styles(), player.weight);
            model.learn(self.net, &decision.actions, decision.taken);
        }
        *model.styles()
    }

    /// Adds a decision of a player whose row is a mixture of the styles with these weights, and a difference that is given.
    pub fn add(&mut self, decision: &PolicyDecision, player: &FittedPlayer, styles: &[f32; STYLES], weight: f32) {
        // Actions that do not exist have no part and no output.
        let (mut parts, mut logits) = ([0.0; 9], [f32::MIN; 9]);
        let neurons = self.net.neurons(&decision.actions, player);
        for (index, action) in decision.actions.iter().enumerate() {
            (parts[index], logits[index]) = (1.0, player.logit(action, &neurons[index]));
        }
        let likely = Shares::new(parts, logits);
        for (target, likely) in decision.target.iter().zip(likely.shares) {
            self.loss -= f64::from(weight * target) * f64::from(likely.max(1e-9)).ln();
        }
        let slopes = likely.slopes(&decision.target).map(|slope| weight * slope);
        let mut of_style = [0.0; HIDDEN];
        for ((action, neurons), slope) in decision.actions.iter().zip(&neurons).zip(slopes) {
            let mut of_sums = [0.0; HIDDEN];
            for (neuron, &value) in neurons.iter().enumerate() {
                if value > 0.0 {
                    self.slopes[LAST + neuron] += slope * value;
                    of_sums[neuron] = slope * player.last()[neuron];
                }
            }
            for &row in action.as_slice() {
                add(neurons_mut(&mut self.slopes, usize::from(row)), &of_sums, 1.0);
            }
            add(&mut of_style, &of_sums, 1.0);
        }
        for (style, &share) in styles.iter().enumerate() {
            add(neurons_mut(&mut self.slopes, ALL_ROWS + style), &of_style, share);
        }
    }
}

fn neurons_mut(weights: &mut [f32], row: usize) -> &mut Neurons {
    &mut weights.as_chunks_mut::<HIDDEN>().0[row]
}

fn add(sums: &mut Neurons, row: &Neurons, times: f32) {
    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += times * number);
}
