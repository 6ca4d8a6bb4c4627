//! Backpropagation: the gradient of the loss.

use pacman2_bots::net::{HIDDEN_1, HIDDEN_2, INPUTS, Net, WEIGHTS};

use crate::sample::Sample;
use crate::share::Shares;

/// The weights of a net by layer, indexed by input and then by neuron; the biases come last.
#[derive(Clone, PartialEq, Debug)]
pub struct Layers {
    pub(crate) first: [[f32; HIDDEN_1]; INPUTS + 1],
    pub(crate) second: [[f32; HIDDEN_2]; HIDDEN_1 + 1],
    pub(crate) last: [f32; HIDDEN_2 + 1],
}

impl Layers {
    /// Returns the layers of a net.
    #[must_use]
    pub fn of(net: &Net) -> Layers {
        Layers::from_weights(&net.weights())
    }

    /// Splits weights in the order of [`Net::weights`] into layers.
    ///
    /// ```
    /// use pacman2_bots::net::WEIGHTS;
    /// use pacman2_training::Layers;
    ///
    /// let layers = Layers::from_weights(&[0.5; WEIGHTS]);
    /// assert_eq!(Layers::of(&layers.net()), layers);
    /// ```
    #[must_use]
    pub fn from_weights(weights: &[f32; WEIGHTS]) -> Layers {
        let mut layers =
            Layers { first: [[0.0; HIDDEN_1]; INPUTS + 1], second: [[0.0; HIDDEN_2]; HIDDEN_1 + 1], last: [0.0; HIDDEN_2 + 1] };
        layers.iter_mut_weights().zip(weights).for_each(|(number, &weight)| *number = weight);
        layers
    }

    /// Returns the net with these weights.
    #[must_use]
    pub fn net(&self) -> Net {
        let mut weights = [0.0; WEIGHTS];
        weights.iter_mut().zip(self.iter_weights()).for_each(|(weight, number)| *weight = number);
        Net::from_weights(&weights)
    }

    /// Iterates over all weights in the order of [`Net::weights`].
    pub fn iter_weights(&self) -> impl Iterator<Item = f32> {
        self.first.as_flattened().iter().chain(self.second.as_flattened()).chain(&self.last).copied()
    }

    /// Iterates mutably over all weights in the order of [`Net::weights`].
    pub fn iter_mut_weights(&mut self) -> impl Iterator<Item = &mut f32> {
        self.first.as_flattened_mut().iter_mut().chain(self.second.as_flattened_mut()).chain(&mut self.last)
    }
}

/// The activations for one seat.
#[derive(Clone, Copy)]
struct Neurons {
    first: [f32; HIDDEN_1],
    second: [f32; HIDDEN_2],
    output: f32,
}

/// The gradient of the loss, summed over samples.
pub struct Gradient {
    /// The derivative of the loss with respect to each weight.
    pub slopes: Layers,
    /// The sum of the losses, in nats.
    pub loss: f64,
}

impl Gradient {
    /// Computes the gradient over the samples.
    #[must_use]
    pub fn over<'a>(layers: &Layers, samples: impl Iterator<Item = &'a Sample>) -> Gradient {
        let mut gradient = Gradient { slopes: Layers::from_weights(&[0.0; WEIGHTS]), loss: 0.0 };
        // Transposed, so that the backward pass reads memory in order like the forward pass.
        let transposed: [[f32; HIDDEN_1]; HIDDEN_2] =
            std::array::from_fn(|to| std::array::from_fn(|from| layers.second[from][to]));
        for sample in samples {
            gradient.add(layers, &transposed, sample);
        }
        gradient
    }

    fn add(&mut self, layers: &Layers, transposed: &[[f32; HIDDEN_1]; HIDDEN_2], sample: &Sample) {
        let seats = sample.inputs.seats.each_ref().map(|inputs| forward(layers, inputs));
        let shares = Shares::new(sample.inputs.points, seats.map(|neurons| neurons.output));
        self.loss += divergence(&sample.target, &shares.shares);
        let slopes = shares.slopes(&sample.target);
        for ((inputs, neurons), slope) in sample.inputs.seats.iter().zip(&seats).zip(slopes) {
            self.backward(layers, transposed, inputs, neurons, slope);
        }
    }

    #[inline]
    fn backward(
        &mut self,
        layers: &Layers,
        transposed: &[[f32; HIDDEN_1]; HIDDEN_2],
        inputs: &[f32; INPUTS],
        neurons: &Neurons,
        slope: f32,
    ) {
        let slopes = &mut self.slopes;
        let second: [f32; HIDDEN_2] =
            std::array::from_fn(|to| if neurons.second[to] > 0.0 { slope * layers.last[to] } else { 0.0 });
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

#[inline]
fn forward(layers: &Layers, inputs: &[f32; INPUTS]) -> Neurons {
    let first = layer(&layers.first, inputs);
    let second = layer(&layers.second, &first);
    let mut output = layers.last[HIDDEN_2];
    for (weight, neuron) in layers.last.iter().zip(second) {
        output += weight * neuron;
    }
    Neurons { first, second, output }
}

#[inline(always)]
fn layer<const OUT: usize>(weights: &[[f32; OUT]], inputs: &[f32]) -> [f32; OUT] {
    let mut neurons = weights[inputs.len()];
    for (row, &input) in weights.iter().zip(inputs) {
        add_times(&mut neurons, row, input);
    }
    neurons.map(|neuron| neuron.max(0.0))
}

/// Returns the Kullback-Leibler divergence of the shares from the target, in nats.
pub(crate) fn divergence(target: &[f32; 4], shares: &[f32; 4]) -> f64 {
    let of_seat = |(&target, &share): (&f32, &f32)| match target > 0.0 {
        true => f64::from(target) * (f64::from(target) / f64::from(share.max(1e-9))).ln(),
        false => 0.0,
    };
    target.iter().zip(shares).map(of_seat).sum()
}
