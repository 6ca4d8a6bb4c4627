//! `hunter`: one turn ahead against every answer of the others, and from there by hand.
//!
//! All sensible orders of all four are played against each other by the rules. Each result is played on for a few turns by
//! a quick policy and then judged by hand. So every player has a table of what it may expect; from these it is worked out
//! how likely each order of each other player is, and which own order is best against that.

use rand_xoshiro::rand_core::Rng;
use rules::{Arena, BySeat, Game, Order, Seat, State};

use crate::evaluation::{evaluate, may_hit};
use crate::knowledge::Knowledge;
use crate::policy::{play_on, quick_order};
use crate::{BuiltIn, chance};

pub(crate) const HUNTER: BuiltIn = BuiltIn {
    name: "hunter",
    description: "one turn ahead against every answer, judged by hand: hunts, flees, shoots what must hit, minds the places",
    at_once: false,
    decide,
};

/// Turns that a quick policy plays on before a position is judged.
const PLAYED_ON: u32 = 4;
/// How much the position right after the turn counts against the one that the quick policy makes of it. Without the first
/// it puts everything off: what can be done now is done a few turns later in the quick policy's mind.
const AT_ONCE: f32 = 0.75;
/// At most so many joint orders are played; if there were more, the farthest players are expected to do the obvious.
const MOST_JOINT: usize = 1200;
/// Rounds in which everybody answers what the others are likely to do.
const ROUNDS: usize = 8;
/// So many points less make an order less likely by a factor e.
const TEMPERATURE: f32 = 1.4;
/// How much the worst likely answer counts against the mean.
const CAUTION: f32 = 0.05;
/// Chance decides between orders that are less than so many points apart, so that four of these do not move as in a mirror.
const HESITATION: f32 = 0.1;
/// The same for who shares a cell. Two of these would think the same there, go on together and never eat again.
const DISAGREEMENT: f32 = 2.0;
/// Orders less likely than this are not expected at all.
const UNLIKELY: f32 = 0.05;

fn decide(game: &Game, seat: Seat, seed: i32) -> Order {
    let (arena, state) = (game.arena(), game.state());
    let knowledge = Knowledge::new(arena);
    let choices = Choices::new(&knowledge, arena, state, seat);
    let own = choices.of(seat);
    if own.len() == 1 {
        return own[0];
    }
    let table = Table::new(&knowledge, arena, state, &choices);
    let likely = table.likely_orders();
    let values = table.values(seat, &likely, CAUTION);
    let mut random = chance(game, seat, seed);
    let most = if state.standing_on(state.cells[seat]).len() > 1 { DISAGREEMENT } else { HESITATION };
    let noise = own.iter().map(|_| (random.next_u64() >> 40) as f32 / (1 << 24) as f32 * most);
    let best = own.iter().zip(values).zip(noise).map(|((&order, value), noise)| (order, value + noise));
    best.max_by(|one, other| one.1.total_cmp(&other.1)).map_or(Order::Stay, |(order, _)| order)
}

/// The orders of each seat that are worth a thought.
struct Choices {
    orders: [[Order; 9]; 4],
    counts: [usize; 4],
}

impl Choices {
    fn new(knowledge: &Knowledge, arena: &Arena, state: &State, own: Seat) -> Choices {
        let mut choices = Choices { orders: [[Order::Stay; 9]; 4], counts: [0; 4] };
        for seat in Seat::ALL {
            for &order in state.legal_orders(arena, seat) {
                if is_sensible(knowledge, arena, state, seat, order) {
                    choices.add(seat, order);
                }
            }
            if !state.alive.contains(seat) {
                choices.add(seat, Order::Stay);
            }
        }
        choices.thin_out(knowledge, arena, state, own);
        choices
    }

    fn add(&mut self, seat: Seat, order: Order) {
        let count = &mut self.counts[seat.index()];
        self.orders[seat.index()][*count] = order;
        *count += 1;
    }

    fn of(&self, seat: Seat) -> &[Order] {
        &self.orders[seat.index()][..self.counts[seat.index()]]
    }

    fn joint(&self) -> usize {
        self.counts.iter().product()
    }

    /// Leaves the farthest players one order until few enough are left.
    fn thin_out(&mut self, knowledge: &Knowledge, arena: &Arena, state: &State, own: Seat) {
        let steps = |seat: Seat| knowledge.steps(state.cells[seat], state.cells[own]);
        while self.joint() > MOST_JOINT {
            let others = Seat::ALL.into_iter().filter(|&seat| seat != own && self.counts[seat.index()] > 1);
            let Some(farthest) = others.max_by_key(|&seat| steps(seat)) else { return };
            self.counts[farthest.index()] = 0;
            self.add(farthest, quick_order(knowledge, arena, state, farthest));
        }
    }
}

/// Lights that can hit nobody and steps that fright forbids are not worth a thought.
fn is_sensible(knowledge: &Knowledge, arena: &Arena, state: &State, seat: Seat, order: Order) -> bool {
    match order {
        Order::Stay => true,
        Order::Shoot(direction) => may_hit(knowledge, arena, state, seat, direction),
        Order::Move(direction) => {
            let next = arena.neighbour(state.cells[seat], direction);
            !state.standing_on(next).iter().any(|other| state.strength[other] > state.strength[seat])
        }
        Order::Invalid => false,
    }
}

/// What each seat may expect of each joint order.
struct Table {
    counts: [usize; 4],
    points: Vec<[f32; 4]>,
}

/// How likely each order of each seat is.
type Likely = [[f32; 9]; 4];

impl Table {
    fn new(knowledge: &Knowledge, arena: &Arena, state: &State, choices: &Choices) -> Table {
        let mut points = Vec::with_capacity(choices.joint());
        for_each_joint(&choices.counts, |picks| {
            let orders = BySeat::from_fn(|seat| choices.orders[seat.index()][picks[seat.index()]]);
            let mut after = *state;
            after.play(arena, &orders, &mut ());
            let now = evaluate(knowledge, arena, &after);
            play_on(knowledge, arena, &mut after, PLAYED_ON);
            let then = evaluate(knowledge, arena, &after);
            points.push(std::array::from_fn(|seat| AT_ONCE * now[seat] + (1.0 - AT_ONCE) * then[seat]));
        });
        Table { counts: choices.counts, points }
    }

    /// Everybody prefers what is better for it against what the others prefer, and none of them is perfect.
    fn likely_orders(&self) -> Likely {
        let mut likely =
            self.counts.map(|count| std::array::from_fn(|order| if order < count { 1.0 / count as f32 } else { 0.0 }));
        for _ in 0..ROUNDS {
            let answers = Seat::ALL.map(|seat| softmax(&self.means(seat, &likely), self.counts[seat.index()]));
            for (likely, answer) in likely.iter_mut().zip(answers) {
                likely.iter_mut().zip(answer).for_each(|(likely, answer)| *likely = 0.5 * *likely + 0.5 * answer);
            }
        }
        likely
    }

    /// What a seat may expect of each order in the mean.
    fn means(&self, seat: Seat, likely: &Likely) -> [f32; 9] {
        let mut means = [0.0; 9];
        let mut points = self.points.iter();
        for_each_joint(&self.counts, |picks| {
            let Some(points) = points.next() else { return };
            means[picks[seat.index()]] += weight(likely, picks, seat) * points[seat.index()];
        });
        means
    }

    /// The same, with some weight on the worst of the likely answers.
    fn values(&self, seat: Seat, likely: &Likely, caution: f32) -> [f32; 9] {
        let means = self.means(seat, likely);
        let mut worst = means;
        let mut points = self.points.iter();
        for_each_joint(&self.counts, |picks| {
            let Some(points) = points.next() else { return };
            let is_likely = |other: Seat| other == seat || likely[other.index()][picks[other.index()]] >= UNLIKELY;
            if Seat::ALL.into_iter().all(is_likely) {
                let worst = &mut worst[picks[seat.index()]];
                *worst = worst.min(points[seat.index()]);
            }
        });
        std::array::from_fn(|order| means[order] + caution * (worst[order] - means[order]))
    }
}

/// How likely it is that the others give these orders.
fn weight(likely: &Likely, picks: &[usize; 4], seat: Seat) -> f32 {
    Seat::ALL.into_iter().filter(|&other| other != seat).map(|other| likely[other.index()][picks[other.index()]]).product()
}

fn for_each_joint(counts: &[usize; 4], mut visit: impl FnMut(&[usize; 4])) {
    for first in 0..counts[0] {
        for second in 0..counts[1] {
            for third in 0..counts[2] {
                for fourth in 0..counts[3] {
                    visit(&[first, second, third, fourth]);
                }
            }
        }
    }
}

fn softmax(values: &[f32; 9], count: usize) -> [f32; 9] {
    let most = values[..count].iter().copied().fold(f32::MIN, f32::max);
    let weights = std::array::from_fn(|order| if order < count { exp((values[order] - most) / TEMPERATURE) } else { 0.0 });
    let total: f32 = weights.iter().sum();
    weights.map(|weight| weight / total)
}

/// About e to the power of a number that is not positive. It is plain arithmetic, so that every machine finds the same.
fn exp(power: f32) -> f32 {
    let mut value = (1.0 + power / 256.0).max(0.0);
    for _ in 0..8 {
        value *= value;
    }
    value
}
