//! Backpropagation: the gradient of the loss.

use pacman2_bots::net::{Activations, HIDDEN_1, HIDDEN_2, INPUTS, Net};

use crate::sample::Sample;
use crate::share::Shares;

/// The gradient of the loss, summed over samples.
pub struct Gradient {
    /// The derivative of the loss with respect to each weight.
    pub slopes: Net,
    /// The sum of the losses, in nats.
    pub loss: f64,
}

impl Gradient {
    /// Computes the gradient over the samples.
    #[must_use]
    pub fn over<'a>(net: &Net, samples: impl Iterator<Item = &'a Sample>) -> Gradient {
        let mut gradient = Gradient { slopes: Net::ZEROS, loss: 0.0 };
        // Transposed, so that the backward pass reads memory in order like the forward pass.
        let transposed: [[f32; HIDDEN_1]; HIDDEN_2] = std::array::from_fn(|to| std::array::from_fn(|from| net.second[from][to]));
        for sample in samples {
            gradient.add(net, &transposed, sample);
        }
        gradient
    }

    fn add(&mut self, net: &Net, transposed: &[[f32; HIDDEN_1]; HIDDEN_2], sample: &Sample) {
        let seats = sample.inputs.seats.each_ref().map(|inputs| net.activations(inputs));
        let shares = Shares::new(sample.inputs.points, seats.map(|neurons| neurons.output));
        self.loss += divergence(&sample.target, &shares.shares);
        let slopes = shares.slopes(&sample.target);
        for ((inputs, neurons), slope) in sample.inputs.seats.iter().zip(&seats).zip(slopes) {
            self.backward(net, transposed, inputs, neurons, slope);
        }
    }

    #[inline]
    fn backward(
        &mut self,
        net: &Net,
        transposed: &[[f32; HIDDEN_1]; HIDDEN_2],
        inputs: &[f32; INPUTS],
        neurons: &Activations,
        slope: f32,
    ) {
        let slopes = &mut self.slopes;
        let second: [f32; HIDDEN_2] = std::array::from_fn(|to| if neurons.second[to] > 0.0 { slope * net.last[to] } else { 0.0 });
        let mut first = [0.0; HIDDEN_1];
        for (row, slope) in transposed.iter().zip(second) {
            add_times(&mut first, row, slope);
        }
        for (slope, neuron) in first.iter_mut().zip(neurons.first) {
            *slope = if neuron > 0.0 { *slope } else { 0.0 };
        }
        for (row, &input) in slopes.first.iter_mut().zip(inputs.iter().chain(&[1.0])) {
            add_times(row, &first, input);
        }
        for (row, &neuron) in slopes.second.iter_mut().zip(neurons.first.iter().chain(&[1.0])) {
            add_times(row, &second, neuron);
        }
        for (sum, &neuron) in slopes.last.iter_mut().zip(neurons.second.iter().chain(&[1.0])) {
            *sum += slope * neuron;
        }
    }
}

#[inline(always)]
fn add_times<const N: usize>(sums: &mut [f32; N], row: &[f32; N], times: f32) {
    for (sum, number) in sums.iter_mut().zip(row) {
        *sum += number * times;
    }
}

/// Returns the Kullback-Leibler divergence of the shares from the target, in nats.
pub(crate) fn divergence(target: &[f32; 4], shares: &[f32; 4]) -> f64 {
    let of_seat = |(&target, &share): (&f32, &f32)| match target > 0.0 {
        true => f64::from(target) * (f64::from(target) / f64::from(share.max(1e-9))).ln(),
        false => 0.0,
    };
    target.iter().zip(shares).map(of_seat).sum()
}
