//! The Adam optimizer (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019).

use pacman2_bots::net::WEIGHTS;

use crate::gradient::Layers;

const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// The weight decay per unit of learning rate.
const DECAY: f32 = 1e-3;

pub(crate) struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
    /// `MEAN` and `SQUARE` to the power of the number of steps, for the bias correction.
    mean_left: f32,
    square_left: f32,
}

impl Adam {
    pub(crate) fn new() -> Adam {
        Adam { means: vec![0.0; WEIGHTS], squares: vec![0.0; WEIGHTS], mean_left: 1.0, square_left: 1.0 }
    }

    /// Makes one step with learning rate `rate` against the gradient `slopes` times `scale`.
    pub(crate) fn step(&mut self, layers: &mut Layers, slopes: &Layers, scale: f32, rate: f32) {
        self.mean_left *= MEAN;
        self.square_left *= SQUARE;
        let (mean_seen, square_seen) = (1.0 - self.mean_left, 1.0 - self.square_left);
        let kept = self.means.iter_mut().zip(&mut self.squares);
        for ((weight, slope), (mean, square)) in layers.iter_mut_weights().zip(slopes.iter_weights()).zip(kept) {
            let slope = slope * scale;
            *mean = MEAN * *mean + (1.0 - MEAN) * slope;
            *square = SQUARE * *square + (1.0 - SQUARE) * slope * slope;
            let step = *mean / mean_seen / ((*square / square_seen).sqrt() + EPSILON);
            *weight -= rate * (step + DECAY * *weight);
        }
    }
}
