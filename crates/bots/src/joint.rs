//! Joint orders: which are worth a thought, what each seat may expect of them, and how likely that makes each order.

use pacman2_rules::{Action, BySeat, Maze, Seat, State};

use crate::arithmetic::exp_of_negative;
use crate::distance_tables::DistanceTables;
use crate::evaluation::may_hit;
use crate::policy::quick_action;

/// Rounds in which everybody answers what the others are likely to do.
const ROUNDS: usize = 8;
/// So many points less make an order less likely by a factor e.
const TEMPERATURE: f32 = 1.4;
/// Orders less likely than this are not expected at all.
const UNLIKELY: f32 = 0.05;

/// The orders of each seat that are worth a thought.
pub(crate) struct Choices {
    actions: [[Action; 9]; 4],
    counts: [usize; 4],
}

impl Choices {
    /// The sensible orders of all four.
    pub(crate) fn sensible(knowledge: &DistanceTables, maze: &Maze, state: &State) -> Choices {
        let mut choices = Choices { actions: [[Action::Stay; 9]; 4], counts: [0; 4] };
        for seat in Seat::ALL {
            for &action in state.legal_actions(maze, seat) {
                if is_sensible(knowledge, maze, state, seat, action) {
                    choices.add(seat, action);
                }
            }
            if !state.alive.contains(seat) {
                choices.add(seat, Action::Stay);
            }
        }
        choices
    }

    /// All legal orders of all four.
    pub(crate) fn legal(maze: &Maze, state: &State) -> Choices {
        let mut choices = Choices { actions: [[Action::Stay; 9]; 4], counts: [0; 4] };
        for seat in Seat::ALL {
            match state.legal_actions(maze, seat) {
                [] => choices.add(seat, Action::Stay),
                legal => legal.iter().for_each(|&action| choices.add(seat, action)),
            }
        }
        choices
    }

    fn add(&mut self, seat: Seat, action: Action) {
        let count = &mut self.counts[seat.index()];
        self.actions[seat.index()][*count] = action;
        *count += 1;
    }

    /// Those of a seat; of the dead that they stay.
    pub(crate) fn of(&self, seat: Seat) -> &[Action] {
        &self.actions[seat.index()][..self.counts[seat.index()]]
    }

    fn joint(&self) -> usize {
        self.counts.iter().product()
    }

    /// Leaves the players farthest from a seat one order until at most so many joint orders are left.
    pub(crate) fn thin_out(&mut self, knowledge: &DistanceTables, maze: &Maze, state: &State, own: Seat, most: usize) {
        let steps = |seat: Seat| knowledge.steps(state.cells[seat], state.cells[own]);
        while self.joint() > most {
            let others = Seat::ALL.into_iter().filter(|&seat| seat != own && self.counts[seat.index()] > 1);
            let Some(farthest) = others.max_by_key(|&seat| steps(seat)) else { return };
            self.counts[farthest.index()] = 0;
            self.add(farthest, quick_action(knowledge, maze, state, farthest));
        }
    }
}

/// Lights that can hit nobody and steps that fright forbids are not worth a thought.
pub(crate) fn is_sensible(knowledge: &DistanceTables, maze: &Maze, state: &State, seat: Seat, action: Action) -> bool {
    match action {
        Action::Stay => true,
        Action::Shoot(direction) => may_hit(knowledge, maze, state, seat, direction),
        Action::Move(direction) => {
            let next = maze.neighbour(state.cells[seat], direction);
            !state.standing_on(next).iter().any(|other| state.strength[other] > state.strength[seat])
        }
        Action::Invalid => false,
    }
}

/// What each seat may expect of each joint order.
pub(crate) struct Table {
    counts: [usize; 4],
    points: Vec<[f32; 4]>,
}

/// How likely each order of each seat is.
pub(crate) type Likely = [[f32; 9]; 4];

impl Table {
    /// What `judge` makes of the position after each joint order.
    pub(crate) fn new(maze: &Maze, state: &State, choices: &Choices, mut judge: impl FnMut(State) -> [f32; 4]) -> Table {
        let mut points = Vec::with_capacity(choices.joint());
        for_each_joint(&choices.counts, |picks| {
            let actions = BySeat::from_fn(|seat| choices.actions[seat.index()][picks[seat.index()]]);
            let mut after = *state;
            after.play(maze, &actions, &mut ());
            points.push(judge(after));
        });
        Table { counts: choices.counts, points }
    }

    /// Everybody prefers what is better for it against what the others prefer, and none of them is perfect.
    pub(crate) fn likely_actions(&self) -> Likely {
        let mut likely =
            self.counts.map(|count| std::array::from_fn(|action| if action < count { 1.0 / count as f32 } else { 0.0 }));
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

    /// What all four may expect.
    pub(crate) fn expected(&self, likely: &Likely) -> [f32; 4] {
        Seat::ALL.map(|seat| {
            let means = self.means(seat, likely);
            means.iter().zip(likely[seat.index()]).map(|(mean, likely)| mean * likely).sum()
        })
    }

    /// The same, with some weight on the worst of the likely answers.
    pub(crate) fn values(&self, seat: Seat, likely: &Likely, caution: f32) -> [f32; 9] {
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
        std::array::from_fn(|action| means[action] + caution * (worst[action] - means[action]))
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
    let weights =
        std::array::from_fn(|action| if action < count { exp_of_negative((values[action] - most) / TEMPERATURE) } else { 0.0 });
    let total: f32 = weights.iter().sum();
    weights.map(|weight| weight / total)
}
