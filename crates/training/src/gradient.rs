//! Backpropagation: which way each weight should go.

use pacman2_bots::arithmetic::exp_of_negative;
use pacman2_bots::net::{HIDDEN_1, HIDDEN_2, INPUTS, Net, WEIGHTS};

use crate::sample::Sample;

/// The numbers of a net by layer, in its own order: by input, then by neuron, the biases last.
#[derive(Clone, PartialEq, Debug)]
pub struct Layers {
    pub(crate) first: [[f32; HIDDEN_1]; INPUTS + 1],
    pub(crate) second: [[f32; HIDDEN_2]; HIDDEN_1 + 1],
    pub(crate) last: [f32; HIDDEN_2 + 1],
}

impl Layers {
    /// The numbers of this net.
    pub fn of(net: &Net) -> Layers {
        Layers::from_weights(&net.weights())
    }

    /// The layers of these numbers.
    pub fn from_weights(weights: &[f32; WEIGHTS]) -> Layers {
        let mut layers =
            Layers { first: [[0.0; HIDDEN_1]; INPUTS + 1], second: [[0.0; HIDDEN_2]; HIDDEN_1 + 1], last: [0.0; HIDDEN_2 + 1] };
        layers.numbers_mut().zip(weights).for_each(|(number, &weight)| *number = weight);
        layers
    }

    /// The net of these numbers.
    pub fn net(&self) -> Net {
        let mut weights = [0.0; WEIGHTS];
        weights.iter_mut().zip(self.numbers()).for_each(|(weight, number)| *weight = number);
        Net::from_weights(&weights)
    }

    /// All numbers, in the order of [`Net::weights`].
    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        self.first.as_flattened().iter().chain(self.second.as_flattened()).chain(&self.last).copied()
    }

    /// The same, to be changed.
    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.first.as_flattened_mut().iter_mut().chain(self.second.as_flattened_mut()).chain(&mut self.last)
    }
}

/// What the neurons say of a seat.
#[derive(Clone, Copy)]
struct Neurons {
    first: [f32; HIDDEN_1],
    second: [f32; HIDDEN_2],
    output: f32,
}

/// The sum of the slopes of the loss over samples, for each weight.
pub struct Gradient {
    /// The slopes.
    pub slopes: Layers,
    /// The sum of the losses.
    pub loss: f64,
}

impl Gradient {
    /// The gradient over these samples.
    pub fn over<'a>(layers: &Layers, samples: impl Iterator<Item = &'a Sample>) -> Gradient {
        let mut gradient = Gradient { slopes: Layers::from_weights(&[0.0; WEIGHTS]), loss: 0.0 };
        // Its columns side by side, so that the way back is as quick as the way there.
        let turned: [[f32; HIDDEN_1]; HIDDEN_2] = std::array::from_fn(|to| std::array::from_fn(|from| layers.second[from][to]));
        for sample in samples {
            gradient.add(layers, &turned, sample);
        }
        gradient
    }

    fn add(&mut self, layers: &Layers, turned: &[[f32; HIDDEN_1]; HIDDEN_2], sample: &Sample) {
        let seats = sample.inputs.seats.each_ref().map(|inputs| forward(layers, inputs));
        let (shares, steepness, most) = shared(sample.inputs.points, seats.map(|neurons| neurons.output));
        self.loss += divergence(&sample.target, &shares);
        let mut slopes: [f32; 4] = std::array::from_fn(|seat| (shares[seat] - sample.target[seat]) * steepness[seat]);
        // All outputs are compared with the greatest: if that rises, all others fall.
        slopes[most] -= slopes.iter().sum::<f32>();
        for ((inputs, neurons), slope) in sample.inputs.seats.iter().zip(&seats).zip(slopes) {
            self.backward(layers, turned, inputs, neurons, slope);
        }
    }

    #[inline]
    fn backward(
        &mut self,
        layers: &Layers,
        turned: &[[f32; HIDDEN_1]; HIDDEN_2],
        inputs: &[f32; INPUTS],
        neurons: &Neurons,
        slope: f32,
    ) {
        let slopes = &mut self.slopes;
        let second: [f32; HIDDEN_2] =
            std::array::from_fn(|to| if neurons.second[to] > 0.0 { slope * layers.last[to] } else { 0.0 });
        let mut first = [0.0; HIDDEN_1];
        for (row, slope) in turned.iter().zip(second) {
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

/// How these outputs share points, how steeply each share's logarithm follows its output, and which output is the greatest.
fn shared(points: [f32; 4], outputs: [f32; 4]) -> ([f32; 4], [f32; 4], usize) {
    let most = (1..4).fold(0, |most, seat| if outputs[seat] > outputs[most] { seat } else { most });
    let below = outputs.map(|output| output - outputs[most]);
    let weighed: [f32; 4] = std::array::from_fn(|seat| points[seat] * exp_of_negative(below[seat]));
    let total: f32 = weighed.iter().sum();
    (weighed.map(|weighed| weighed / total), below.map(|below| if below > -256.0 { 256.0 / (256.0 + below) } else { 0.0 }), most)
}

/// How far these shares are from the target: 0 if they are the same.
pub(crate) fn divergence(target: &[f32; 4], shares: &[f32; 4]) -> f64 {
    let of_seat = |(&target, &share): (&f32, &f32)| match target > 0.0 {
        true => f64::from(target) * (f64::from(target) / f64::from(share.max(1e-9))).ln(),
        false => 0.0,
    };
    target.iter().zip(shares).map(of_seat).sum()
}
