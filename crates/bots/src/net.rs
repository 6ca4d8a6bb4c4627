//! The learned evaluation: a small net that corrects the hand-made one.
//!
//! The same encoder maps [`INPUTS`] numbers of each seat to one output. The hand-made points of a seat are multiplied by e to the
//! power of its output and rescaled, so that their sum stays the same. A net of zeros therefore equals the hand-made evaluation.

use pacman2_rules::{CellSet, Maze, Seat, State};

use crate::arithmetic::exp_of_negative;
use crate::dispatch;
use crate::distance_tables::DistanceTables;
use crate::evaluation::{Evaluation, EvaluationContext, exact};
use crate::weights_file;
pub use crate::weights_file::NetError;

/// Inputs of the net for each seat.
pub const INPUTS: usize = 32;
/// Neurons of the first hidden layer.
pub const HIDDEN_1: usize = 32;
/// Neurons of the second hidden layer.
pub const HIDDEN_2: usize = 16;
/// The number of weights of a net, biases included.
pub const WEIGHTS: usize = HIDDEN_1 * (INPUTS + 1) + HIDDEN_2 * (HIDDEN_1 + 1) + HIDDEN_2 + 1;

/// The first line of a weights file: its type, the version of the inputs, and the shape.
const HEADER: &str = "pacman2 net, version 1, 32-32-16-1";

/// The weights of a net.
#[derive(Clone, PartialEq, Debug)]
pub struct Net {
    /// Indexed by input, then by neuron; the biases come last.
    first: [[f32; HIDDEN_1]; INPUTS + 1],
    second: [[f32; HIDDEN_2]; HIDDEN_1 + 1],
    last: [f32; HIDDEN_2 + 1],
}

/// The inputs of the net for a position: numbers of magnitude 1 for each seat, and the hand-made points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NetInputs {
    /// The inputs of each seat.
    pub seats: [[f32; INPUTS]; 4],
    /// The hand-made points of each seat.
    pub points: [f32; 4],
}

impl Net {
    /// Returns the net in this crate. The second line of its file is the command that made it.
    ///
    /// ```
    /// use pacman2_bots::net::Net;
    ///
    /// let net = Net::built_in();
    /// assert_eq!(Net::read(&net.write("a copy"))?, net);
    /// # Ok::<(), pacman2_bots::net::NetError>(())
    /// ```
    #[must_use]
    pub fn built_in() -> Net {
        Net::read(include_bytes!("../nets/sage.net")).expect("a test reads this file")
    }

    /// Creates a net from its weights: for each input those of all neurons of the first layer, then its biases; then the other layers
    /// in the same way.
    #[must_use]
    pub fn from_weights(weights: &[f32; WEIGHTS]) -> Net {
        let mut rest = weights.iter().copied();
        let mut next = || rest.next().unwrap_or_default();
        let first = std::array::from_fn(|_| std::array::from_fn(|_| next()));
        let second = std::array::from_fn(|_| std::array::from_fn(|_| next()));
        Net { first, second, last: std::array::from_fn(|_| next()) }
    }

    /// Returns the weights in the order of [`Net::from_weights`].
    #[must_use]
    pub fn weights(&self) -> [f32; WEIGHTS] {
        let mut all = self.first.as_flattened().iter().chain(self.second.as_flattened()).chain(&self.last).copied();
        std::array::from_fn(|_| all.next().unwrap_or_default())
    }

    /// Reads a weights file: a line with version and shape, a line about its origin, then the weights as little-endian 32-bit floats.
    ///
    /// # Errors
    ///
    /// If the header, the length or a weight is invalid.
    pub fn read(bytes: &[u8]) -> Result<Net, NetError> {
        let read = weights_file::read(bytes, HEADER, WEIGHTS)?;
        let mut weights = [0.0; WEIGHTS];
        weights.copy_from_slice(&read);
        Ok(Net::from_weights(&weights))
    }

    /// Returns the weights file of this net. `origin` is its second line.
    #[must_use]
    pub fn write(&self, origin: &str) -> Vec<u8> {
        weights_file::write(HEADER, origin, self.weights().into_iter())
    }

    /// Estimates the official points of each seat. Once the game is over, they are the scores.
    #[must_use]
    pub fn evaluate(&self, tables: &DistanceTables, maze: &Maze, state: &State) -> [f32; 4] {
        if state.is_over(maze) { exact(state) } else { self.points(&NetInputs::new(tables, maze, state)) }
    }

    /// Estimates the official points of each seat from the inputs.
    #[must_use]
    pub fn points(&self, inputs: &NetInputs) -> [f32; 4] {
        let outputs = dispatch::call(Net::encode, self, &inputs.seats);
        let most = outputs.into_iter().fold(f32::MIN, f32::max);
        let total: f32 = inputs.points.iter().sum();
        let weighed: [f32; 4] = std::array::from_fn(|seat| inputs.points[seat] * exp_of_negative(outputs[seat] - most));
        let scale = total / weighed.iter().sum::<f32>();
        let points = weighed.map(|weighed| weighed * scale);
        // A NaN would silently lose every comparison.
        assert!(points.iter().all(|points| points.is_finite()), "{points:?} of {inputs:?}");
        points
    }

    #[inline(always)]
    fn encode(&self, seats: &[[f32; INPUTS]; 4]) -> [f32; 4] {
        let mut outputs = [self.last[HIDDEN_2]; 4];
        for (output, seat) in outputs.iter_mut().zip(seats) {
            let second = layer(&self.second, &layer(&self.first, seat));
            for (weight, neuron) in self.last.iter().zip(second) {
                *output += weight * neuron;
            }
        }
        outputs
    }
}

/// Neurons computed at a time: as many as fit a register.
const LANES: usize = 8;

/// Computes a layer with ReLU activation.
#[inline(always)]
fn layer<const IN: usize, const OUT: usize>(weights: &[[f32; OUT]], inputs: &[f32; IN]) -> [f32; OUT] {
    let mut neurons = weights[IN];
    for (weights, &input) in weights.iter().zip(inputs) {
        for (sums, weights) in neurons.as_chunks_mut::<LANES>().0.iter_mut().zip(weights.as_chunks::<LANES>().0) {
            *sums = std::array::from_fn(|lane| sums[lane] + weights[lane] * input);
        }
    }
    for neuron in &mut neurons {
        *neuron = neuron.max(0.0);
    }
    neurons
}

impl NetInputs {
    /// Computes the inputs for a game that is not over. They are invariant under reflections, rotations and shifts of the map and
    /// under permutations of the seats.
    #[must_use]
    pub fn new(tables: &DistanceTables, maze: &Maze, state: &State) -> NetInputs {
        let context = EvaluationContext::new(tables, maze, state);
        let evaluation = Evaluation::new(&context);
        let seen = InputBuilder::new(&context, &evaluation);
        NetInputs { seats: Seat::ALL.map(|seat| seen.of(seat)), points: evaluation.points }
    }
}

/// Values common to all four seats, from which the inputs are made.
struct InputBuilder<'a> {
    context: &'a EvaluationContext<'a>,
    evaluation: &'a Evaluation,
    all: [f32; 4],
    nearest_first: [f32; 4],
    total: f32,
    total_expected: f32,
}

impl<'a> InputBuilder<'a> {
    fn new(context: &'a EvaluationContext<'a>, evaluation: &'a Evaluation) -> InputBuilder<'a> {
        let state = context.state;
        let turns_left = context.turns_left as f32;
        let births = state.generator_turns_left as f32;
        let interval = context.maze.ruleset().generator_interval as f32;
        let fruit = state.small_fruits.len() as f32;
        let all = [turns_left / 100.0, (births / interval.max(1.0)).min(1.0), fruit / 16.0, state.alive.len() as f32 / 4.0];
        let sum = |strength: &[f32; 4]| strength.iter().sum::<f32>().max(1.0);
        InputBuilder {
            context,
            evaluation,
            all,
            nearest_first: firsts(&context.steps, state.small_fruits),
            total: sum(&evaluation.lasting.map(|strength| strength.max(0.0))),
            total_expected: sum(&evaluation.expected),
        }
    }

    fn of(&self, seat: Seat) -> [f32; INPUTS] {
        let (context, evaluation, s) = (self.context, self.evaluation, seat.index());
        let (state, maze, tables) = (context.state, context.maze, context.tables);
        let settings = maze.ruleset();
        let alive = state.alive.contains(seat);
        let here = state.cells[seat];
        let boost = state.boost_turns_left[seat];
        let near = |cells: CellSet| near(cells.iter().map(|cell| context.steps[s][cell.index()]).min());
        let others = || state.alive.iter().filter(move |&other| other != seat && alive);
        let steps_to = |of: &dyn Fn(Seat) -> bool| {
            self::near(others().filter(|&other| of(other)).map(|other| tables.steps(state.cells[other], here)).min())
        };
        let stronger = steps_to(&|other| state.strength[other] > state.strength[seat]);
        let weaker = steps_to(&|other| state.strength[other] < state.strength[seat]);
        let can_shoot = |seat: Seat| state.strength[seat] > settings.skill_cost;
        let lit = others().filter(|&other| can_shoot(other) && tables.light_targets(state.cells[other]).contains(here)).count();
        let lights = others().filter(|&other| tables.light_targets(here).contains(state.cells[other])).count();
        let rest = tables.dead_end(here).depth;
        let strongest_other = strongest(state, seat);
        let expected = evaluation.expected[s];
        let (above, below) = gaps(&evaluation.expected, s);
        let turns = context.turns_left as f32;
        [
            self.all[0],
            self.all[1],
            self.all[2],
            self.all[3],
            flag(alive),
            4.0 * evaluation.lasting[s] / self.total,
            evaluation.lasting[s] / 24.0,
            boost as f32 / 10.0,
            flag(alive && context.is_kept(boost) && boost > 0),
            clip((state.strength[seat] - strongest_other) as f32 / 10.0),
            (evaluation.with_income[s] - evaluation.lasting[s]) / 8.0,
            clip((evaluation.with_lights[s] - evaluation.with_income[s]) / 4.0),
            clip((expected - evaluation.with_lights[s]) / 4.0),
            near(state.small_fruits),
            near(state.large_fruits),
            if alive { self::near(Some(tables.steps_to_spawn(here))) } else { 0.0 },
            stronger,
            weaker,
            (f32::from(rest) / 4.0).min(2.0),
            self.nearest_first[s] / 8.0,
            flag(alive && can_shoot(seat)),
            lit as f32,
            if can_shoot(seat) { lights as f32 } else { 0.0 },
            4.0 * expected / self.total_expected,
            evaluation.points[s] / 50.0,
            clip(above / 8.0),
            clip(below / 8.0),
            clip(above / (1.0 + 0.5 * turns.sqrt())),
            clip(below / (1.0 + 0.5 * turns.sqrt())),
            state.strength[seat] as f32 / 24.0,
            self.all[0] * 4.0 * expected / self.total_expected,
            (evaluation.points[s] - 10.0 - 100.0 * expected / self.total_expected) / 15.0,
        ]
    }
}

fn flag(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

/// Limits an input, since unusual settings make large numbers.
fn clip(number: f32) -> f32 {
    number.clamp(-3.0, 3.0)
}

/// Maps a distance to a number: 1 at distance 0, less farther away, 0 if unreachable.
fn near(steps: Option<u8>) -> f32 {
    match steps {
        None | Some(DistanceTables::UNREACHABLE) => 0.0,
        Some(steps) => 2.0 / (2.0 + f32::from(steps)),
    }
}

fn strongest(state: &State, seat: Seat) -> i32 {
    state.alive.iter().filter(|&other| other != seat).map(|other| state.strength[other]).max().unwrap_or(0)
}

/// Strengths that differ by less count as equal, because of rounding.
const EQUAL: f32 = 1e-3;

/// Returns the distances to the next stronger and the next weaker strength; a large number if there is none.
fn gaps(strength: &[f32; 4], own: usize) -> (f32, f32) {
    let (mut above, mut below) = (f32::MAX, f32::MAX);
    for other in (0..4).filter(|&other| other != own) {
        let lead = strength[own] - strength[other];
        // An equal strength counts on both sides, since rounding decides which one it is on.
        if lead > -EQUAL {
            below = below.min(lead.max(0.0));
        }
        if lead < EQUAL {
            above = above.min((-lead).max(0.0));
        }
    }
    (above, below)
}

/// Returns for how many of these cells each seat is the nearest; ties are shared.
fn firsts(steps: &[&[u8; 128]; 4], cells: CellSet) -> [f32; 4] {
    let mut firsts = [0.0; 4];
    for cell in cells.iter() {
        let steps = steps.map(|steps| steps[cell.index()]);
        let least = steps[0].min(steps[1]).min(steps[2]).min(steps[3]);
        if least == DistanceTables::UNREACHABLE {
            continue;
        }
        let first = steps.map(|steps| if steps == least { 1.0 } else { 0.0 });
        let many: f32 = first.iter().sum();
        firsts.iter_mut().zip(first).for_each(|(sum, first)| *sum += first / many);
    }
    firsts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processors_instructions_change_no_bit() {
        let weights = std::array::from_fn(|place| ((place * 7919 % 1009) as f32 - 504.0) / 700.0);
        let net = Net::from_weights(&weights);
        assert_eq!(net.weights().len(), WEIGHTS);
        for round in 0..100 {
            let number = |seat: usize, input: usize| ((round * 31 + seat * 17 + input * 13) % 101) as f32 / 33.0 - 1.0;
            let seats = std::array::from_fn(|seat| std::array::from_fn(|input| number(seat, input)));
            let encoded = dispatch::call(Net::encode, &net, &seats);
            assert_eq!(encoded.map(f32::to_bits), net.encode(&seats).map(f32::to_bits));
        }
    }
}
