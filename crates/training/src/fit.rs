//! Fits a net to training samples.

use pacman2_bots::net::{HIDDEN_1, INPUTS, Net, WEIGHTS};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::adam::Adam;
use crate::gradient::{Gradient, divergence};
use crate::sample::Sample;
use crate::{below, part_rng, shuffle};

/// Samples per gradient step.
const BATCH: usize = 256;
/// The learning rate of the first step. It falls linearly to almost zero.
const RATE: f32 = 2e-3;

/// The data and settings of one training run.
#[derive(Clone, Copy, Debug)]
pub struct Fit<'a> {
    /// The samples to learn from.
    pub samples: &'a [Sample],
    /// The samples to test with. The net does not learn from them.
    pub held_out: &'a [Sample],
    /// The number of passes over all samples.
    pub epochs: u32,
    /// The seed of the order in which the samples are visited.
    pub seed: u32,
}

/// The state of training after a pass over all samples.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Epoch {
    /// The number of passes so far.
    pub number: u32,
    /// The mean loss of the training samples during the pass, in nats; before the first pass, that of the initial net.
    pub training: f64,
    /// The mean loss of the held-out samples after the pass, in nats.
    pub held_out: f64,
}

/// The result of training.
#[derive(Clone, PartialEq, Debug)]
pub struct FitResult {
    /// The net with the lowest held-out loss among the initial net and the nets after each epoch.
    pub net: Net,
    /// The epoch after which it was reached.
    pub best: Epoch,
}

/// Returns a net's mean loss in nats: the Kullback-Leibler divergence of its shares of points from the targets.
#[must_use]
pub fn loss(net: &Net, samples: &[Sample]) -> f64 {
    let of_sample = |sample: &Sample| {
        let points = net.points(&sample.inputs);
        let total: f32 = points.iter().sum();
        divergence(&sample.target, &points.map(|points| points / total))
    };
    samples.iter().map(of_sample).sum::<f64>() / samples.len().max(1) as f64
}

impl Fit<'_> {
    /// Creates an initial net. It evaluates as the hand-made evaluation does, and its gradients are not zero.
    ///
    /// ```
    /// use pacman2_training::Fit;
    ///
    /// assert_eq!(Fit::first_net(1), Fit::first_net(1));
    /// assert_ne!(Fit::first_net(1), Fit::first_net(2));
    /// ```
    #[must_use]
    pub fn first_net(seed: u32) -> Net {
        let mut rng = part_rng(seed, u32::MAX);
        let mut net = Net::ZEROS;
        net.first[..INPUTS].as_flattened_mut().iter_mut().for_each(|weight| *weight = spread(&mut rng, INPUTS));
        net.second[..HIDDEN_1].as_flattened_mut().iter_mut().for_each(|weight| *weight = spread(&mut rng, HIDDEN_1));
        net
    }

    /// Trains the net `start` and calls `on_epoch` after each epoch.
    ///
    /// Returns `None` if `on_epoch` returned false.
    pub fn learn(&self, start: &Net, mut on_epoch: impl FnMut(Epoch) -> bool) -> Option<FitResult> {
        let first = Epoch { number: 0, training: loss(start, self.samples), held_out: loss(start, self.held_out) };
        let mut learned = FitResult { net: start.clone(), best: first };
        let mut net = start.clone();
        let mut adam = Adam::new(WEIGHTS);
        let mut order: Vec<usize> = (0..self.samples.len()).collect();
        let mut rng = part_rng(self.seed, u32::MAX - 1);
        let steps = self.epochs as usize * self.samples.len().div_ceil(BATCH);
        let mut step = 0;
        for number in 1..=self.epochs {
            shuffle(&mut order, &mut rng);
            let mut sum = 0.0;
            for batch in order.chunks(BATCH) {
                let gradient = Gradient::over(&net, batch.iter().map(|&sample| &self.samples[sample]));
                sum += gradient.loss;
                let rate = RATE * (1.0 - step as f32 / steps as f32);
                adam.step(net.weights_mut(), gradient.slopes.weights().into_iter(), 1.0 / batch.len() as f32, rate);
                step += 1;
            }
            let training = sum / self.samples.len().max(1) as f64;
            let epoch = Epoch { number, training, held_out: loss(&net, self.held_out) };
            if epoch.held_out < learned.best.held_out {
                learned = FitResult { net: net.clone(), best: epoch };
            }
            if !on_epoch(epoch) {
                return None;
            }
        }
        Some(learned)
    }
}

/// Draws a weight for a neuron with this many inputs (He et al. 2015).
fn spread(rng: &mut Xoshiro256PlusPlus, inputs: usize) -> f32 {
    let even = below(rng, 1 << 24) as f32 / (1 << 23) as f32 - 1.0;
    even * (6.0 / inputs as f32).sqrt()
}
