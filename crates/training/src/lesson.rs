//! A lesson: from samples to a net.

use pacman2_bots::net::{HIDDEN_1, INPUTS, Net, WEIGHTS};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::adam::Adam;
use crate::gradient::{Gradient, Layers, divergence};
use crate::sample::Sample;
use crate::{below, chance};

/// So many samples go into one step.
const BATCH: usize = 256;
/// The length of the first step; each is a little shorter than the one before, and the last next to nothing.
const RATE: f32 = 2e-3;

/// What is learned, and from what.
#[derive(Clone, Copy, Debug)]
pub struct Lesson<'a> {
    /// What is learned from.
    pub samples: &'a [Sample],
    /// What it is tested with; of these nothing is learned.
    pub held_out: &'a [Sample],
    /// How often all samples are gone through.
    pub epochs: u32,
    /// The seed of their order.
    pub seed: u32,
}

/// How far a lesson is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Epoch {
    /// How often the samples were gone through.
    pub number: u32,
    /// The mean loss of the samples while they were; before the first time, that of the net at the start.
    pub training: f64,
    /// The mean loss of those held out, after it.
    pub held_out: f64,
}

/// What came of a lesson.
#[derive(Clone, PartialEq, Debug)]
pub struct Learned {
    /// The best of the nets after each epoch, and of the one at the start.
    pub net: Net,
    /// After which epoch.
    pub best: Epoch,
}

/// The mean loss of a net: how far the shares of the points that it gives are from the targets, as a divergence in nats.
pub fn loss(net: &Net, samples: &[Sample]) -> f64 {
    let of_sample = |sample: &Sample| {
        let points = net.judge(&sample.inputs);
        let total: f32 = points.iter().sum();
        divergence(&sample.target, &points.map(|points| points / total))
    };
    samples.iter().map(of_sample).sum::<f64>() / samples.len().max(1) as f64
}

impl Lesson<'_> {
    /// A net to begin with: it judges as the hand-made evaluation does, and can learn.
    pub fn first_net(seed: u32) -> Net {
        let mut random = chance(seed, u32::MAX);
        let mut layers = Layers::from_weights(&[0.0; WEIGHTS]);
        layers.first[..INPUTS].as_flattened_mut().iter_mut().for_each(|weight| *weight = spread(&mut random, INPUTS));
        layers.second[..HIDDEN_1].as_flattened_mut().iter_mut().for_each(|weight| *weight = spread(&mut random, HIDDEN_1));
        layers.net()
    }

    /// Learns, and tells after each epoch; `None` if `told` wants no more.
    pub fn learn(&self, start: &Net, mut told: impl FnMut(Epoch) -> bool) -> Option<Learned> {
        let first = Epoch { number: 0, training: loss(start, self.samples), held_out: loss(start, self.held_out) };
        let mut learned = Learned { net: start.clone(), best: first };
        let mut layers = Layers::of(start);
        let mut adam = Adam::new();
        let mut order: Vec<usize> = (0..self.samples.len()).collect();
        let mut random = chance(self.seed, u32::MAX - 1);
        let steps = self.epochs as usize * self.samples.len().div_ceil(BATCH);
        let mut step = 0;
        for number in 1..=self.epochs {
            shuffle(&mut order, &mut random);
            let mut sum = 0.0;
            for batch in order.chunks(BATCH) {
                let gradient = Gradient::over(&layers, batch.iter().map(|&sample| &self.samples[sample]));
                sum += gradient.loss;
                let rate = RATE * (1.0 - step as f32 / steps as f32);
                adam.step(&mut layers, &gradient.slopes, 1.0 / batch.len() as f32, rate);
                step += 1;
            }
            let net = layers.net();
            let training = sum / self.samples.len().max(1) as f64;
            let epoch = Epoch { number, training, held_out: loss(&net, self.held_out) };
            if epoch.held_out < learned.best.held_out {
                learned = Learned { net, best: epoch };
            }
            if !told(epoch) {
                return None;
            }
        }
        Some(learned)
    }
}

/// A weight of a neuron with so many inputs, so that it says about as much as they do (He et al. 2015).
fn spread(random: &mut Xoshiro256PlusPlus, inputs: usize) -> f32 {
    let even = below(random, 1 << 24) as f32 / (1 << 23) as f32 - 1.0;
    even * (6.0 / inputs as f32).sqrt()
}

fn shuffle(order: &mut [usize], random: &mut Xoshiro256PlusPlus) {
    for end in (2..=order.len()).rev() {
        order.swap(end - 1, below(random, end as u32) as usize);
    }
}
