//! Fits a policy net to players: the weights by gradient descent, and which style each player has by expectation maximisation.

use pacman2_bots::policy_net::{ActionRows, HIDDEN, Neurons, OWN_STYLE, POLICY_WEIGHTS, PolicyNet, ROWS, STYLES};

use crate::adam::Adam;
use crate::policy_games::{PolicyDecision, PolicyPlayer};
use crate::share::Shares;
use crate::{below, part_rng, shuffle};

/// Decisions per gradient step.
const BATCH: usize = 512;
/// The learning rate of the first step. It falls linearly to almost zero.
const RATE: f32 = 4e-3;
/// The part of each decision's log likelihood that counts for a player's style. The decisions of a game are not independent.
const EVIDENCE: f32 = 0.2;
/// The least share of a style, so that none dies out.
const LEAST_SHARE: f32 = 0.005;
/// Styles of smaller probability are not trained by a player.
const UNLIKELY: f32 = 0.01;

/// The probability that a player has each style.
type StyleChances = [f32; STYLES];

/// The data and settings of one training run.
#[derive(Clone, Copy, Debug)]
pub struct PolicyFit<'a> {
    /// The players to learn from.
    pub players: &'a [PolicyPlayer],
    /// The number of passes over all decisions.
    pub epochs: u32,
    /// The seed of the first net and of the order of the decisions.
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
        weights[POLICY_WEIGHTS - STYLES..].fill(1.0 / STYLES as f32);
        let mut chances: Vec<StyleChances> = self.players.iter().map(first_chances).collect();
        let mut order: Vec<(u32, u32)> = Vec::new();
        for (number, player) in self.players.iter().enumerate() {
            order.extend((0..player.decisions.len()).map(|decision| (number as u32, decision as u32)));
        }
        let mut adam = Adam::new(POLICY_WEIGHTS);
        let steps = self.epochs as usize * order.len().div_ceil(BATCH);
        let mut step = 0;
        for epoch in 1..=self.epochs {
            shuffle(&mut order, &mut rng);
            let mut loss = 0.0;
            for batch in order.chunks(BATCH) {
                let mut gradient = PolicyGradient::new(&weights);
                for &(player, decision) in batch {
                    let of_player = &self.players[player as usize];
                    let chances = chances[player as usize].map(|chance| chance * of_player.weight);
                    gradient.add(&of_player.decisions[decision as usize], &chances);
                }
                loss += gradient.loss;
                let rate = RATE * (1.0 - step as f32 / steps as f32);
                let slopes = gradient.slopes;
                adam.step(weights.iter_mut(), slopes.into_iter(), 1.0 / batch.len() as f32, rate);
                step += 1;
            }
            let net = PolicyNet::from_weights(&weights);
            // The first nets know little, so they must not decide about styles for good.
            let evidence = EVIDENCE * (epoch as f32 / (0.4 * self.epochs as f32)).min(1.0);
            for (chances, player) in chances.iter_mut().zip(self.players).filter(|(_, player)| !player.is_own) {
                *chances = style_chances(&net, player, evidence);
            }
            let shares = shares(self.players, &chances);
            weights[POLICY_WEIGHTS - STYLES..].copy_from_slice(&shares);
            on_epoch(epoch, loss / order.len().max(1) as f64);
        }
        PolicyNet::from_weights(&weights)
    }
}

/// Returns what is believed before training: players of one name have one style, drawn by the name.
fn first_chances(player: &PolicyPlayer) -> StyleChances {
    if player.is_own {
        return std::array::from_fn(|style| f32::from(u8::from(style == OWN_STYLE)));
    }
    let hash = player.name.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    let drawn = 1 + (hash >> 3) as usize % (STYLES - 1);
    std::array::from_fn(|style| if style == drawn { 0.7 } else { 0.3 / (STYLES - 1) as f32 })
}

/// Returns how likely it is that a player has each style.
fn style_chances(net: &PolicyNet, player: &PolicyPlayer, evidence: f32) -> StyleChances {
    let mut log = net.shares().map(f32::ln);
    for decision in &player.decisions {
        for (log, likely) in log.iter_mut().zip(net.likelihoods(&decision.actions, decision.taken)) {
            *log += evidence * likely.ln();
        }
    }
    let most = log.into_iter().fold(f32::MIN, f32::max);
    let chances = log.map(|log| (log - most).exp());
    let total: f32 = chances.iter().sum();
    chances.map(|chance| chance / total)
}

/// Returns how common each style is among players other than `sage` itself.
fn shares(players: &[PolicyPlayer], chances: &[StyleChances]) -> StyleChances {
    let mut shares = [LEAST_SHARE; STYLES];
    let others = players.iter().zip(chances).filter(|(player, _)| !player.is_own);
    let count = others.clone().count().max(1) as f32;
    for (_, chances) in others {
        shares.iter_mut().zip(chances).for_each(|(share, chance)| *share += chance / count);
    }
    let total: f32 = shares.iter().sum();
    shares.map(|share| share / total)
}

/// The gradient of the loss, summed over decisions.
pub struct PolicyGradient<'a> {
    /// The weights of the net, in its order.
    weights: &'a [f32],
    /// The derivative of the loss with respect to each weight. The shares of the styles have none.
    pub slopes: Vec<f32>,
    /// The sum of the losses, in nats.
    pub loss: f64,
}

/// Where the weights of the neurons in a logit begin.
const LAST: usize = (ROWS + STYLES) * HIDDEN;

impl PolicyGradient<'_> {
    /// Creates an empty gradient of the net with these weights.
    #[must_use]
    pub fn new(weights: &[f32]) -> PolicyGradient<'_> {
        PolicyGradient { weights, slopes: vec![0.0; POLICY_WEIGHTS], loss: 0.0 }
    }

    /// Adds a decision of a player who has each style with these weights.
    pub fn add(&mut self, decision: &PolicyDecision, styles: &StyleChances) {
        let count = decision.actions.len();
        let mut sums = [[0.0; HIDDEN]; 9];
        for (sum, action) in sums.iter_mut().zip(&decision.actions) {
            self.rows_of(action).for_each(|row| add(sum, row));
        }
        let mut of_sums = [[0.0; HIDDEN]; 9];
        for (style, &chance) in styles.iter().enumerate().filter(|(_, chance)| **chance >= UNLIKELY) {
            self.add_style(decision, (style, chance), &sums[..count], &mut of_sums);
        }
        for (slopes, action) in of_sums.iter().zip(&decision.actions) {
            for &row in action.as_slice() {
                add(neurons_mut(&mut self.slopes, usize::from(row)), slopes);
            }
        }
    }

    fn rows_of(&self, action: &ActionRows) -> impl Iterator<Item = &Neurons> {
        action.as_slice().iter().map(|&row| neurons(self.weights, usize::from(row)))
    }

    fn add_style(
        &mut self,
        decision: &PolicyDecision,
        (style, chance): (usize, f32),
        sums: &[Neurons],
        of_sums: &mut [Neurons; 9],
    ) {
        let row = neurons(self.weights, ROWS + style);
        let last = &self.weights[LAST..LAST + HIDDEN];
        let logit =
            |sum: &Neurons| -> f32 { sum.iter().zip(row).zip(last).map(|((sum, row), last)| (sum + row).max(0.0) * last).sum() };
        // Actions that do not exist have no part and no output.
        let (mut parts, mut logits) = ([0.0; 9], [f32::MIN; 9]);
        for ((part, to), sum) in parts.iter_mut().zip(&mut logits).zip(sums) {
            (*part, *to) = (1.0, logit(sum));
        }
        let likely = Shares::new(parts, logits);
        for (target, likely) in decision.target.iter().zip(likely.shares) {
            self.loss -= f64::from(chance * target) * f64::from(likely.max(1e-9)).ln();
        }
        let slopes = likely.slopes(&decision.target).map(|slope| chance * slope);
        for ((sum, slope), of_sum) in sums.iter().zip(slopes).zip(of_sums) {
            for neuron in 0..HIDDEN {
                let value = sum[neuron] + row[neuron];
                if value > 0.0 {
                    self.slopes[LAST + neuron] += slope * value;
                    let back = slope * last[neuron];
                    self.slopes[(ROWS + style) * HIDDEN + neuron] += back;
                    of_sum[neuron] += back;
                }
            }
        }
    }
}

fn neurons(weights: &[f32], row: usize) -> &Neurons {
    &weights.as_chunks::<HIDDEN>().0[row]
}

fn neurons_mut(weights: &mut [f32], row: usize) -> &mut Neurons {
    &mut weights.as_chunks_mut::<HIDDEN>().0[row]
}

fn add(sums: &mut Neurons, row: &Neurons) {
    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
}
