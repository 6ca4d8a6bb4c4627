//! The learned evaluation: a small net that corrects the hand-made one.
//!
//! The same encoder maps [`INPUTS`] numbers of each seat to one output. The hand-made points of a seat are multiplied by e to the
//! power of its output and rescaled, so that their sum stays the same. A net of zeros therefore equals the hand-made evaluation.

use pacman2_rules::{Maze, Seat, State};

use crate::arithmetic::{exp_of_negative, relu};
use crate::distance_tables::DistanceTables;
use crate::evaluation::{Evaluation, EvaluationContext, arrivals, exact};
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

/// The weights of a net by layer, indexed by input and then by neuron; the biases come last.
#[derive(Clone, PartialEq, Debug)]
pub struct Net {
    /// The first hidden layer.
    pub first: [[f32; HIDDEN_1]; INPUTS + 1],
    /// The second hidden layer.
    pub second: [[f32; HIDDEN_2]; HIDDEN_1 + 1],
    /// The output.
    pub last: [f32; HIDDEN_2 + 1],
}

/// The neurons of a net for the inputs of one seat.
#[derive(Clone, Copy, Debug)]
pub struct Activations {
    /// The first hidden layer.
    pub first: [f32; HIDDEN_1],
    /// The second hidden layer.
    pub second: [f32; HIDDEN_2],
    /// The output.
    pub output: f32,
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

    /// A net whose weights are all 0: it evaluates as the hand-made evaluation does.
    pub const ZEROS: Net = Net { first: [[0.0; _]; _], second: [[0.0; _]; _], last: [0.0; _] };

    /// Creates a net from its weights: for each input those of all neurons of the first layer, then its biases; then the other layers
    /// in the same way.
    #[must_use]
    pub fn from_weights(weights: &[f32; WEIGHTS]) -> Net {
        let mut net = Net::ZEROS;
        net.weights_mut().zip(weights).for_each(|(weight, &given)| *weight = given);
        net
    }

    /// Returns the weights in the order of [`Net::from_weights`].
    #[must_use]
    pub fn weights(&self) -> [f32; WEIGHTS] {
        let mut all = self.first.as_flattened().iter().chain(self.second.as_flattened()).chain(&self.last).copied();
        std::array::from_fn(|_| all.next().unwrap_or_default())
    }

    /// Iterates mutably over the weights in the order of [`Net::from_weights`].
    pub fn weights_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.first.as_flattened_mut().iter_mut().chain(self.second.as_flattened_mut()).chain(&mut self.last)
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
        self.points(&NetInputs::new(tables, maze, state))
    }

    /// Estimates the official points of each seat from the inputs.
    #[must_use]
    pub fn points(&self, inputs: &NetInputs) -> [f32; 4] {
        corrected(&inputs.points, &inputs.seats.each_ref().map(|inputs| self.activations(inputs).output))
    }

    /// Returns the neurons for the inputs of a seat.
    #[must_use]
    #[inline]
    pub fn activations(&self, inputs: &[f32; INPUTS]) -> Activations {
        let first = layer(&self.first, inputs);
        let second = layer(&self.second, &first);
        let weighted = second.iter().zip(&self.last).map(|(neuron, weight)| weight * neuron);
        let output = weighted.fold(self.last[HIDDEN_2], |sum, weighted| sum + weighted);
        Activations { first, second, output }
    }
}

/// Multiplies the points of each seat by e to the power of its output, and rescales them.
#[inline(always)]
fn corrected(points: &[f32; 4], outputs: &[f32; 4]) -> [f32; 4] {
    let most = outputs.iter().copied().fold(f32::MIN, f32::max);
    let total: f32 = points.iter().sum();
    let weighed: [f32; 4] = std::array::from_fn(|seat| points[seat] * exp_of_negative(outputs[seat] - most));
    let scale = total / weighed.iter().sum::<f32>();
    let corrected = weighed.map(|weighed| weighed * scale);
    // A NaN would silently lose every comparison.
    assert!(corrected.iter().all(|points| points.is_finite()), "{corrected:?} of {points:?} and {outputs:?}");
    corrected
}

/// Computes a layer with ReLU activation. The biases come after the weights of the inputs.
fn layer<const IN: usize, const OUT: usize>(weights: &[[f32; OUT]], inputs: &[f32; IN]) -> [f32; OUT] {
    let mut sums = weights[IN];
    for (weights, input) in weights.iter().zip(inputs) {
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight * input);
    }
    sums.map(relu)
}

impl NetInputs {
    /// Computes the inputs for a game that is not over. They are invariant under reflections, rotations and shifts of the map and
    /// under permutations of the seats.
    #[must_use]
    pub fn new(tables: &DistanceTables, maze: &Maze, state: &State) -> NetInputs {
        let arrivals = arrivals(tables, maze, state);
        let context = EvaluationContext::new(tables, maze, state, &arrivals);
        let evaluation = Evaluation::new(&context);
        let inputs = inputs(&context, &evaluation);
        NetInputs { seats: std::array::from_fn(|seat| inputs.map(|input| input[seat])), points: evaluation.points }
    }
}

/// Returns the inputs, each for all seats at once.
#[inline(always)]
fn inputs(context: &EvaluationContext, evaluation: &Evaluation) -> [[f32; 4]; INPUTS] {
    let (state, maze, tables) = (context.state, context.maze, context.tables);
    let settings = maze.ruleset();
    let Evaluation { lasting, with_income, with_lights, expected, points } = evaluation;
    let turns = context.turns_left as f32;
    let spread = 1.0 + 0.5 * turns.sqrt();
    let until_spawn = (state.generator_turns_left as f32 / (settings.generator_interval as f32).max(1.0)).min(1.0);
    let living = state.alive.len() as f32 / 4.0;
    let sum = |strength: &[f32; 4]| strength.iter().sum::<f32>().max(1.0);
    let (total, total_expected) = (sum(&lasting.map(|strength| strength.max(0.0))), sum(expected));

    let alive = Seat::ALL.map(|seat| state.alive.contains(seat));
    let strength = state.strength.0;
    let can_shoot = strength.map(|strength| strength > settings.skill_cost);
    let boosts = state.boost_turns_left.0;
    let (stronger, weaker) = nearest_others(context, &alive);
    let (lit, lights) = lit_by_others(context, &alive, &can_shoot);
    let strongest_other = strongest_others(&strength, &alive);
    let to_spawn = Seat::ALL.map(|seat| near(tables.steps_to_spawn(state.cells[seat])));
    let dead_end = Seat::ALL.map(|seat| f32::from(tables.dead_end(state.cells[seat]).depth));
    let to_large = context.nearest(state.large_fruits);
    let (above, below) = gaps(expected);
    let share = expected.map(|expected| 4.0 * expected / total_expected);
    let of_all = |number: f32| [number; 4];
    [
        of_all(turns / 100.0),
        of_all(until_spawn),
        of_all(state.small_fruits.len() as f32 / 16.0),
        of_all(living),
        alive.map(flag),
        lasting.map(|lasting| 4.0 * lasting / total),
        lasting.map(|lasting| lasting / 24.0),
        boosts.map(|boost| boost as f32 / 10.0),
        std::array::from_fn(|seat| flag(alive[seat] & context.is_kept(boosts[seat]) & (boosts[seat] > 0))),
        std::array::from_fn(|seat| clip((strength[seat] - strongest_other[seat]) as f32 / 10.0)),
        std::array::from_fn(|seat| (with_income[seat] - lasting[seat]) / 8.0),
        std::array::from_fn(|seat| clip((with_lights[seat] - with_income[seat]) / 4.0)),
        std::array::from_fn(|seat| clip((expected[seat] - with_lights[seat]) / 4.0)),
        context.small_fruits.nearest.map(|steps| near(steps as u8)),
        to_large.map(near),
        std::array::from_fn(|seat| if alive[seat] { to_spawn[seat] } else { 0.0 }),
        stronger.map(near),
        weaker.map(near),
        dead_end.map(|depth| (depth / 4.0).min(2.0)),
        context.small_fruits.nearest_first.map(|fruits| fruits / 8.0),
        std::array::from_fn(|seat| flag(alive[seat] & can_shoot[seat])),
        lit.map(|lit| lit as f32),
        std::array::from_fn(|seat| if can_shoot[seat] { lights[seat] as f32 } else { 0.0 }),
        share,
        points.map(|points| points / 50.0),
        above.map(|above| clip(above / 8.0)),
        below.map(|below| clip(below / 8.0)),
        above.map(|above| clip(above / spread)),
        below.map(|below| clip(below / spread)),
        strength.map(|strength| strength as f32 / 24.0),
        expected.map(|expected| turns / 100.0 * 4.0 * expected / total_expected),
        std::array::from_fn(|seat| (points[seat] - 10.0 - 100.0 * expected[seat] / total_expected) / 15.0),
    ]
}

/// Returns the steps to each living seat from the nearest stronger player and from the nearest weaker one.
#[inline(always)]
fn nearest_others(context: &EvaluationContext, alive: &[bool; 4]) -> ([u8; 4], [u8; 4]) {
    let (cells, strength) = (&context.state.cells, &context.state.strength.0);
    let (mut stronger, mut weaker) = ([DistanceTables::UNREACHABLE; 4], [DistanceTables::UNREACHABLE; 4]);
    for other in 0..4 {
        let steps = context.tables.steps_from(cells.0[other]);
        // Without branches, which would often be mispredicted.
        let unless = |holds: bool| if holds { 0 } else { DistanceTables::UNREACHABLE };
        for seat in 0..4 {
            let steps = steps[cells.0[seat].index()];
            let both = alive[seat] & alive[other];
            stronger[seat] = stronger[seat].min(steps | unless(both & (strength[other] > strength[seat])));
            weaker[seat] = weaker[seat].min(steps | unless(both & (strength[other] < strength[seat])));
        }
    }
    (stronger, weaker)
}

/// Returns for each living seat how many others can light it, and how many it could light.
#[inline(always)]
fn lit_by_others(context: &EvaluationContext, alive: &[bool; 4], can_shoot: &[bool; 4]) -> ([i32; 4], [i32; 4]) {
    let cells = context.state.cells.0;
    let (mut lit, mut lights) = ([0; 4], [0; 4]);
    for shooter in 0..4 {
        let targets = context.tables.light_targets(cells[shooter]);
        for victim in 0..4 {
            let is_lit = alive[shooter] & alive[victim] & (shooter != victim) & targets.contains(cells[victim]);
            lit[victim] += i32::from(is_lit & can_shoot[shooter]);
            lights[shooter] += i32::from(is_lit);
        }
    }
    (lit, lights)
}

/// Returns for each seat the strength of the strongest other living player, and 0 if there is none.
#[inline(always)]
fn strongest_others(strength: &[i32; 4], alive: &[bool; 4]) -> [i32; 4] {
    let living: [i32; 4] = std::array::from_fn(|seat| if alive[seat] { strength[seat] } else { i32::MIN });
    let [a, b, c, d] = living;
    let (one, other) = (a.max(b), c.max(d));
    let strongest = [b.max(other), a.max(other), d.max(one), c.max(one)];
    strongest.map(|strongest| if strongest == i32::MIN { 0 } else { strongest })
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

/// Returns for each strength the distances to the next stronger and the next weaker one; a large number if there is none.
#[inline(always)]
fn gaps(strength: &[f32; 4]) -> ([f32; 4], [f32; 4]) {
    let (mut above, mut below) = ([f32::MAX; 4], [f32::MAX; 4]);
    for other in 0..4 {
        // Step by step, so that the compiler makes vectors and no jumps.
        let leads = strength.map(|own| own - strength[other]);
        let (ahead, behind) = (leads.map(relu), leads.map(|lead| relu(-lead)));
        // An equal strength counts on both sides, since rounding decides which one it is on.
        let counts = |seat: usize, counts: bool| counts & (seat != other);
        let ahead: [f32; 4] = std::array::from_fn(|seat| if counts(seat, leads[seat] > -EQUAL) { ahead[seat] } else { f32::MAX });
        let behind: [f32; 4] =
            std::array::from_fn(|seat| if counts(seat, leads[seat] < EQUAL) { behind[seat] } else { f32::MAX });
        below = std::array::from_fn(|seat| if ahead[seat] < below[seat] { ahead[seat] } else { below[seat] });
        above = std::array::from_fn(|seat| if behind[seat] < above[seat] { behind[seat] } else { above[seat] });
    }
    (above, below)
}
