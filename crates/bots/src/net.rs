//! The learned evaluation: a small net that corrects the hand-made one.
//!
//! The same encoder maps [`INPUTS`] numbers of each seat to one output. The hand-made points of a seat are multiplied by e to the
//! power of its output and rescaled, so that their sum stays the same. A net of zeros therefore equals the hand-made evaluation.

use pacman2_rules::{Maze, Seat, State};

use crate::arithmetic::{LANES, chunks, exp_of_negative, relu};
use crate::dispatch::{self, Computation};
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
        if state.is_over(maze) {
            return exact(state);
        }
        dispatch::run(PositionPoints { net: self, tables, maze, state })
    }

    /// Estimates the official points of each seat from the inputs.
    #[must_use]
    pub fn points(&self, inputs: &NetInputs) -> [f32; 4] {
        dispatch::run(InputPoints { net: self, inputs })
    }

    #[inline(always)]
    fn encode(&self, seats: &[[f32; INPUTS]; 4]) -> [f32; 4] {
        let mut neurons = [[0.0; HIDDEN_2]; 4];
        for (neurons, seats) in neurons.as_chunks_mut::<2>().0.iter_mut().zip(seats.as_chunks::<2>().0) {
            let first = layer::<INPUTS, HIDDEN_1, { HIDDEN_1 / LANES }>(&self.first, seats);
            *neurons = layer::<HIDDEN_1, HIDDEN_2, { HIDDEN_2 / LANES }>(&self.second, &first);
        }
        let mut outputs = [self.last[HIDDEN_2]; 4];
        for (neuron, weight) in self.last[..HIDDEN_2].iter().enumerate() {
            outputs = std::array::from_fn(|seat| outputs[seat] + weight * neurons[seat][neuron]);
        }
        outputs
    }
}

/// [`Net::evaluate`] in a game that is not over.
struct PositionPoints<'a> {
    net: &'a Net,
    tables: &'a DistanceTables,
    maze: &'a Maze,
    state: &'a State,
}

impl Computation for PositionPoints<'_> {
    type Output = [f32; 4];

    #[inline(always)]
    fn compute(self) -> [f32; 4] {
        let inputs = NetInputs::of_position(self.tables, self.maze, self.state);
        InputPoints { net: self.net, inputs: &inputs }.compute()
    }
}

/// [`Net::points`].
struct InputPoints<'a> {
    net: &'a Net,
    inputs: &'a NetInputs,
}

impl Computation for InputPoints<'_> {
    type Output = [f32; 4];

    #[inline(always)]
    fn compute(self) -> [f32; 4] {
        let InputPoints { net, inputs } = self;
        let outputs = net.encode(&inputs.seats);
        let most = outputs.into_iter().fold(f32::MIN, f32::max);
        let total: f32 = inputs.points.iter().sum();
        let weighed: [f32; 4] = std::array::from_fn(|seat| inputs.points[seat] * exp_of_negative(outputs[seat] - most));
        let scale = total / weighed.iter().sum::<f32>();
        let points = weighed.map(|weighed| weighed * scale);
        // A NaN would silently lose every comparison.
        assert!(points.iter().all(|points| points.is_finite()), "{points:?} of {inputs:?}");
        points
    }
}

/// Computes a layer of two seats with ReLU activation: `OUT` neurons of each in `CHUNKS` registers, where they stay until all inputs are
/// added. An addition waits for the one before, but not for those of the other seat.
#[inline(always)]
fn layer<const IN: usize, const OUT: usize, const CHUNKS: usize>(
    weights: &[[f32; OUT]],
    [one, other]: &[[f32; IN]; 2],
) -> [[f32; OUT]; 2] {
    let mut of_one: [[f32; LANES]; CHUNKS] = chunks(&weights[IN]);
    let mut of_other = of_one;
    for ((weights, &one), &other) in weights.iter().zip(one).zip(other) {
        let weights: [[f32; LANES]; CHUNKS] = chunks(weights);
        of_one = std::array::from_fn(|chunk| std::array::from_fn(|lane| of_one[chunk][lane] + weights[chunk][lane] * one));
        of_other = std::array::from_fn(|chunk| std::array::from_fn(|lane| of_other[chunk][lane] + weights[chunk][lane] * other));
    }
    [activated(&of_one), activated(&of_other)]
}

#[inline(always)]
fn activated<const OUT: usize, const CHUNKS: usize>(sums: &[[f32; LANES]; CHUNKS]) -> [f32; OUT] {
    let mut neurons = [0.0; OUT];
    for (neuron, sum) in neurons.iter_mut().zip(sums.as_flattened()) {
        *neuron = relu(*sum);
    }
    neurons
}

impl NetInputs {
    /// Computes the inputs for a game that is not over. They are invariant under reflections, rotations and shifts of the map and
    /// under permutations of the seats.
    #[must_use]
    pub fn new(tables: &DistanceTables, maze: &Maze, state: &State) -> NetInputs {
        NetInputs::of_position(tables, maze, state)
    }

    #[inline(always)]
    fn of_position(tables: &DistanceTables, maze: &Maze, state: &State) -> NetInputs {
        let context = EvaluationContext::new(tables, maze, state);
        let evaluation = Evaluation::new(&context);
        let seen = InputBuilder::new(&context, &evaluation);
        let mut seats = [[0.0; INPUTS]; 4];
        for seat in Seat::ALL {
            seats[seat.index()] = seen.of(seat);
        }
        NetInputs { seats, points: evaluation.points }
    }
}

/// Values common to all four seats, from which the inputs are made.
struct InputBuilder<'a> {
    context: &'a EvaluationContext<'a>,
    evaluation: &'a Evaluation,
    all: [f32; 4],
    nearest_first: [f32; 4],
    /// Steps from each seat to the nearest small and the nearest large fruit.
    to_small: [u8; 4],
    to_large: [u8; 4],
    total: f32,
    total_expected: f32,
}

impl<'a> InputBuilder<'a> {
    #[inline(always)]
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
            nearest_first: context.small_fruits.nearest_first,
            to_small: context.small_fruits.nearest,
            to_large: context.nearest(state.large_fruits),
            total: sum(&evaluation.lasting.map(|strength| strength.max(0.0))),
            total_expected: sum(&evaluation.expected),
        }
    }

    #[inline(always)]
    fn of(&self, seat: Seat) -> [f32; INPUTS] {
        let (context, evaluation, s) = (self.context, self.evaluation, seat.index());
        let (state, maze, tables) = (context.state, context.maze, context.tables);
        let settings = maze.ruleset();
        let alive = state.alive.contains(seat);
        let here = state.cells[seat];
        let boost = state.boost_turns_left[seat];
        let can_shoot = |seat: Seat| state.strength[seat] > settings.skill_cost;
        let targets = tables.light_targets(here);
        let (mut stronger, mut weaker) = (DistanceTables::UNREACHABLE, DistanceTables::UNREACHABLE);
        let (mut lit, mut lights, mut strongest_other) = (0, 0, i32::MIN);
        // Without branches, which would often be mispredicted.
        for other in Seat::ALL {
            let counts = (other != seat) & state.alive.contains(other);
            let cell = state.cells[other];
            let strength = state.strength[other];
            let steps = tables.steps(cell, here);
            strongest_other = strongest_other.max(if counts { strength } else { i32::MIN });
            let unless = |holds: bool| if counts & alive & holds { 0 } else { DistanceTables::UNREACHABLE };
            stronger = stronger.min(steps | unless(strength > state.strength[seat]));
            weaker = weaker.min(steps | unless(strength < state.strength[seat]));
            lit += i32::from(counts & alive & can_shoot(other) & tables.light_targets(cell).contains(here));
            lights += i32::from(counts & alive & targets.contains(cell));
        }
        let strongest_other = if strongest_other == i32::MIN { 0 } else { strongest_other };
        let rest = tables.dead_end(here).depth;
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
            near(self.to_small[s]),
            near(self.to_large[s]),
            if alive { near(tables.steps_to_spawn(here)) } else { 0.0 },
            near(stronger),
            near(weaker),
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
#[inline(always)]
fn near(steps: u8) -> f32 {
    if steps == DistanceTables::UNREACHABLE { 0.0 } else { 2.0 / (2.0 + f32::from(steps)) }
}

/// Strengths that differ by less count as equal, because of rounding.
const EQUAL: f32 = 1e-3;

/// Returns the distances to the next stronger and the next weaker strength; a large number if there is none.
#[inline(always)]
fn gaps(strength: &[f32; 4], own: usize) -> (f32, f32) {
    // Step by step, so that the compiler makes vectors and no jumps.
    let leads: [f32; 4] = std::array::from_fn(|other| strength[own] - strength[other]);
    let (ahead, behind) = (leads.map(relu), leads.map(|lead| relu(-lead)));
    // An equal strength counts on both sides, since rounding decides which one it is on.
    let ahead: [f32; 4] = std::array::from_fn(|other| if leads[other] > -EQUAL { ahead[other] } else { f32::MAX });
    let behind: [f32; 4] = std::array::from_fn(|other| if leads[other] < EQUAL { behind[other] } else { f32::MAX });
    let (mut above, mut below) = (f32::MAX, f32::MAX);
    for other in 0..4 {
        let (ahead, behind) = if other == own { (f32::MAX, f32::MAX) } else { (ahead[other], behind[other]) };
        below = if ahead < below { ahead } else { below };
        above = if behind < above { behind } else { above };
    }
    (above, below)
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
            let inputs = NetInputs { seats, points: std::array::from_fn(|seat| 20.0 + (round * seat) as f32) };
            let points = InputPoints { net: &net, inputs: &inputs }.compute();
            assert_eq!(net.points(&inputs).map(f32::to_bits), points.map(f32::to_bits));
        }
    }
}
