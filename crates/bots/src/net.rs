//! The learned judgement: a small net that corrects the hand-made one.
//!
//! Every seat is looked at by the same encoder, [`INPUTS`] numbers in, one out. The hand-made points of a seat are
//! multiplied by e to the power of that number, and scaled so that all four together keep their sum: a net of zeros judges
//! as the hand-made evaluation does.

#[cfg_attr(not(target_arch = "x86_64"), path = "net/plain.rs")]
mod wide;

use std::fmt;

use pacman2_rules::{CellSet, Maze, Seat, State};

use crate::arithmetic::exp_of_negative;
use crate::distance_tables::DistanceTables;
use crate::evaluation::{Judgement, Prospects, exact};

/// Numbers that the net sees of each seat.
pub const INPUTS: usize = 32;
/// Neurons of the first hidden layer.
pub const HIDDEN_1: usize = 32;
/// Neurons of the second hidden layer.
pub const HIDDEN_2: usize = 16;
/// Numbers that a net consists of.
pub const WEIGHTS: usize = HIDDEN_1 * (INPUTS + 1) + HIDDEN_2 * (HIDDEN_1 + 1) + HIDDEN_2 + 1;

/// How a weights file begins: what it is, the version of the inputs, and the shape.
const HEADER: &str = "pacman2 net, version 1, 32-32-16-1";

/// The weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Net {
    /// By input, then by neuron; the biases come last.
    first: [[f32; HIDDEN_1]; INPUTS + 1],
    second: [[f32; HIDDEN_2]; HIDDEN_1 + 1],
    last: [f32; HIDDEN_2 + 1],
}

/// What the net sees of a position: numbers around 1 for each seat, and the hand-made points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NetInputs {
    /// By seat.
    pub seats: [[f32; INPUTS]; 4],
    /// The hand-made points of each seat.
    pub points: [f32; 4],
}

/// Why a weights file is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetError {
    /// It does not begin as a net of this version and shape does.
    Header,
    /// It has so many bytes of numbers instead of `4 * WEIGHTS`.
    Length(usize),
    /// The number at this place is infinite or none.
    NotFinite(usize),
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetError::Header => write!(f, "not a net that this program can use: one begins with \"{HEADER}\""),
            NetError::Length(bytes) => write!(f, "{bytes} bytes of weights; {} are wanted", 4 * WEIGHTS),
            NetError::NotFinite(place) => write!(f, "weight {place} of {WEIGHTS} is not a finite number"),
        }
    }
}

impl std::error::Error for NetError {}

impl Net {
    /// The net that comes along; its second line tells the command that made it.
    pub fn built_in() -> Net {
        Net::read(include_bytes!("../nets/sage.net")).expect("a test reads this file")
    }

    /// The net of these numbers: for each input the weights of all neurons of the first layer, then its biases, and so on.
    pub fn from_weights(weights: &[f32; WEIGHTS]) -> Net {
        let mut rest = weights.iter().copied();
        let mut next = || rest.next().unwrap_or_default();
        let first = std::array::from_fn(|_| std::array::from_fn(|_| next()));
        let second = std::array::from_fn(|_| std::array::from_fn(|_| next()));
        Net { first, second, last: std::array::from_fn(|_| next()) }
    }

    /// The numbers of the net, in the order of [`Net::from_weights`].
    pub fn weights(&self) -> [f32; WEIGHTS] {
        let mut all = self.first.as_flattened().iter().chain(self.second.as_flattened()).chain(&self.last).copied();
        std::array::from_fn(|_| all.next().unwrap_or_default())
    }

    /// Reads a weights file: a line that tells version and shape, a line about where it comes from, then the numbers as
    /// little-endian 32-bit floats.
    pub fn read(bytes: &[u8]) -> Result<Net, NetError> {
        let rest = bytes.strip_prefix(HEADER.as_bytes()).and_then(|rest| rest.strip_prefix(b"\n")).ok_or(NetError::Header)?;
        let line = rest.iter().position(|&byte| byte == b'\n').ok_or(NetError::Header)?;
        let numbers = &rest[line + 1..];
        if numbers.len() != 4 * WEIGHTS {
            return Err(NetError::Length(numbers.len()));
        }
        let mut weights = [0.0; WEIGHTS];
        for (weight, bytes) in weights.iter_mut().zip(numbers.as_chunks().0) {
            *weight = f32::from_le_bytes(*bytes);
        }
        match weights.iter().position(|weight| !weight.is_finite()) {
            Some(place) => Err(NetError::NotFinite(place)),
            None => Ok(Net::from_weights(&weights)),
        }
    }

    /// The weights file of this net; `origin` is a line about where it comes from.
    pub fn write(&self, origin: &str) -> Vec<u8> {
        let mut bytes = format!("{HEADER}\n{}\n", origin.replace('\n', " ")).into_bytes();
        bytes.extend(self.weights().iter().flat_map(|weight| weight.to_le_bytes()));
        bytes
    }

    /// The official points that each seat may expect. Once the game is over they are its scores.
    pub fn evaluate(&self, knowledge: &DistanceTables, maze: &Maze, state: &State) -> [f32; 4] {
        if state.is_over(maze) { exact(state) } else { self.judge(&NetInputs::new(knowledge, maze, state)) }
    }

    /// The official points that each seat may expect, by what the net sees.
    pub fn judge(&self, inputs: &NetInputs) -> [f32; 4] {
        let outputs = wide::encode(self, &inputs.seats);
        let most = outputs.into_iter().fold(f32::MIN, f32::max);
        let total: f32 = inputs.points.iter().sum();
        let weighed: [f32; 4] = std::array::from_fn(|seat| inputs.points[seat] * exp_of_negative(outputs[seat] - most));
        let scale = total / weighed.iter().sum::<f32>();
        let points = weighed.map(|weighed| weighed * scale);
        // A number that is none would lose every comparison in silence.
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

/// Neurons that are worked on at a time: as many as a register has room for.
const LANES: usize = 8;

/// A layer of neurons that are silent below 0.
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
    /// What the net sees of a game that is not over. Nothing in it depends on how the map is turned, mirrored or moved, nor on
    /// which seat is which: what is learned of a position is learned of all its mirror images.
    pub fn new(knowledge: &DistanceTables, maze: &Maze, state: &State) -> NetInputs {
        let prospects = Prospects::new(knowledge, maze, state);
        let judgement = Judgement::new(&prospects);
        let seen = Seen::new(&prospects, &judgement);
        NetInputs { seats: Seat::ALL.map(|seat| seen.of(seat)), points: judgement.points }
    }
}

/// What is the same for all four, and what is compared between them.
struct Seen<'a> {
    prospects: &'a Prospects<'a>,
    judgement: &'a Judgement,
    all: [f32; 4],
    nearest_first: [f32; 4],
    total: f32,
    total_expected: f32,
}

impl<'a> Seen<'a> {
    fn new(prospects: &'a Prospects<'a>, judgement: &'a Judgement) -> Seen<'a> {
        let state = prospects.state;
        let turns_left = prospects.turns_left as f32;
        let births = state.generator_turns_left as f32;
        let interval = prospects.maze.ruleset().generator_interval as f32;
        let fruit = state.small_fruits.len() as f32;
        let all = [turns_left / 100.0, (births / interval.max(1.0)).min(1.0), fruit / 16.0, state.alive.len() as f32 / 4.0];
        let sum = |strength: &[f32; 4]| strength.iter().sum::<f32>().max(1.0);
        Seen {
            prospects,
            judgement,
            all,
            nearest_first: firsts(&prospects.steps, state.small_fruits),
            total: sum(&judgement.lasting.map(|strength| strength.max(0.0))),
            total_expected: sum(&judgement.expected),
        }
    }

    fn of(&self, seat: Seat) -> [f32; INPUTS] {
        let (prospects, judgement, s) = (self.prospects, self.judgement, seat.index());
        let (state, maze, knowledge) = (prospects.state, prospects.maze, prospects.knowledge);
        let settings = maze.ruleset();
        let alive = state.alive.contains(seat);
        let here = state.cells[seat];
        let boost = state.boost_turns_left[seat];
        let near = |cells: CellSet| near(cells.iter().map(|cell| prospects.steps[s][cell.index()]).min());
        let others = || state.alive.iter().filter(move |&other| other != seat && alive);
        let steps_to = |of: &dyn Fn(Seat) -> bool| {
            self::near(others().filter(|&other| of(other)).map(|other| knowledge.steps(state.cells[other], here)).min())
        };
        let stronger = steps_to(&|other| state.strength[other] > state.strength[seat]);
        let weaker = steps_to(&|other| state.strength[other] < state.strength[seat]);
        let can_shoot = |seat: Seat| state.strength[seat] > settings.skill_cost;
        let lit = others().filter(|&other| can_shoot(other) && knowledge.lit_from(state.cells[other]).contains(here)).count();
        let lights = others().filter(|&other| knowledge.lit_from(here).contains(state.cells[other])).count();
        let rest = knowledge.dead_end(here).depth;
        let strongest_other = strongest(state, seat);
        let expected = judgement.expected[s];
        let (above, below) = gaps(&judgement.expected, s);
        let turns = prospects.turns_left as f32;
        [
            self.all[0],
            self.all[1],
            self.all[2],
            self.all[3],
            flag(alive),
            4.0 * judgement.lasting[s] / self.total,
            judgement.lasting[s] / 24.0,
            boost as f32 / 10.0,
            flag(alive && prospects.is_kept(boost) && boost > 0),
            clip((state.strength[seat] - strongest_other) as f32 / 10.0),
            (judgement.with_income[s] - judgement.lasting[s]) / 8.0,
            clip((judgement.with_lights[s] - judgement.with_income[s]) / 4.0),
            clip((expected - judgement.with_lights[s]) / 4.0),
            near(state.small_fruits),
            near(state.large_fruits),
            if alive { self::near(Some(knowledge.steps_to_births(here))) } else { 0.0 },
            stronger,
            weaker,
            (f32::from(rest) / 4.0).min(2.0),
            self.nearest_first[s] / 8.0,
            flag(alive && can_shoot(seat)),
            lit as f32,
            if can_shoot(seat) { lights as f32 } else { 0.0 },
            4.0 * expected / self.total_expected,
            judgement.points[s] / 50.0,
            clip(above / 8.0),
            clip(below / 8.0),
            clip(above / (1.0 + 0.5 * turns.sqrt())),
            clip(below / (1.0 + 0.5 * turns.sqrt())),
            state.strength[seat] as f32 / 24.0,
            self.all[0] * 4.0 * expected / self.total_expected,
            (judgement.points[s] - 10.0 - 100.0 * expected / self.total_expected) / 15.0,
        ]
    }
}

fn flag(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

/// Odd settings make great numbers.
fn clip(number: f32) -> f32 {
    number.clamp(-3.0, 3.0)
}

/// 1 for what is here, less the farther it is, 0 for what is nowhere.
fn near(steps: Option<u8>) -> f32 {
    match steps {
        None | Some(DistanceTables::NEVER) => 0.0,
        Some(steps) => 2.0 / (2.0 + f32::from(steps)),
    }
}

fn strongest(state: &State, seat: Seat) -> i32 {
    state.alive.iter().filter(|&other| other != seat).map(|other| state.strength[other]).max().unwrap_or(0)
}

/// Strengths that differ by less are equal: what is left is rounding.
const EQUAL: f32 = 1e-3;

/// How far the next stronger and the next weaker one are; a great number where there is none.
fn gaps(strength: &[f32; 4], own: usize) -> (f32, f32) {
    let (mut above, mut below) = (f32::MAX, f32::MAX);
    for other in (0..4).filter(|&other| other != own) {
        let lead = strength[own] - strength[other];
        // Who is equal but for rounding is neither above nor below for certain: both, then.
        if lead > -EQUAL {
            below = below.min(lead.max(0.0));
        }
        if lead < EQUAL {
            above = above.min((-lead).max(0.0));
        }
    }
    (above, below)
}

/// How much of these cells each is the first to reach; who are equally near share.
fn firsts(steps: &[&[u8; 128]; 4], cells: CellSet) -> [f32; 4] {
    let mut firsts = [0.0; 4];
    for cell in cells.iter() {
        let steps = steps.map(|steps| steps[cell.index()]);
        let least = steps[0].min(steps[1]).min(steps[2]).min(steps[3]);
        if least == DistanceTables::NEVER {
            continue;
        }
        let first = steps.map(|steps| if steps == least { 1.0 } else { 0.0 });
        let many: f32 = first.iter().sum();
        firsts.iter_mut().zip(first).for_each(|(sum, first)| *sum += first / many);
    }
    firsts
}
