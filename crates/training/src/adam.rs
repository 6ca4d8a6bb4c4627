//! The Adam optimizer (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019).

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
    /// Creates an optimizer of this many weights.
    pub(crate) fn new(weights: usize) -> Adam {
        Adam { means: vec![0.0; weights], squares: vec![0.0; weights], mean_left: 1.0, square_left: 1.0 }
    }

    /// Makes one step with learning rate `rate` against the gradient `slopes` times `scale`.
    pub(crate) fn step<'a>(
        &mut self,
        weights: impl Iterator<Item = &'a mut f32>,
        slopes: impl Iterator<Item = f32>,
        scale: f32,
        rate: f32,
    ) {
        self.mean_left *= MEAN;
        self.square_left *= SQUARE;
        let (mean_seen, square_seen) = (1.0 - self.mean_left, 1.0 - self.square_left);
        let kept = self.means.iter_mut().zip(&mut self.squares);
        for ((weight, slope), (mean, square)) in weights.zip(slopes).zip(kept) {
            let slope = slope * scale;
            *mean = MEAN * *mean + (1.0 - MEAN) * slope;
            *square = SQUARE * *square + (1.0 - SQUARE) * slope * slope;
            let step = *mean / mean_seen / ((*square / square_seen).sqrt() + EPSILON);
            *weight -= rate * (step + DECAY * *weight);
        }
    }
}
