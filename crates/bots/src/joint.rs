//! Joint actions: the candidates, the payoff of each combination, and how likely that makes each action.

use pacman2_rules::{Action, BySeat, Maze, Seat, State};

use crate::arithmetic::softmax;
use crate::distance_tables::DistanceTables;
use crate::evaluation::may_hit;
use crate::policy::quick_action;

/// Iterations of the quantal response.
const ROUNDS: usize = 8;
/// The loss in points that makes an action less likely by a factor e.
const TEMPERATURE: f32 = 1.4;
/// Actions less likely than this are ignored.
const UNLIKELY: f32 = 0.05;

/// The candidate actions of each seat.
pub(crate) struct Candidates {
    actions: [[Action; 9]; 4],
    counts: [usize; 4],
}

impl Candidates {
    /// Returns the sensible actions of all four seats: the legal ones of which [`is_sensible`] holds.
    pub(crate) fn sensible(tables: &DistanceTables, maze: &Maze, state: &State) -> Candidates {
        Candidates::legal_where(maze, state, |seat, action| is_sensible(tables, maze, state, seat, action))
    }

    /// Returns all legal actions of all four seats.
    pub(crate) fn legal(maze: &Maze, state: &State) -> Candidates {
        Candidates::legal_where(maze, state, |_, _| true)
    }

    fn legal_where(maze: &Maze, state: &State, is_candidate: impl Fn(Seat, Action) -> bool) -> Candidates {
        let mut choices = Candidates { actions: [[Action::Stay; 9]; 4], counts: [0; 4] };
        for seat in Seat::ALL {
            match state.legal_actions(maze, seat) {
                [] => choices.add(seat, Action::Stay),
                legal => legal.iter().filter(|&&action| is_candidate(seat, action)).for_each(|&action| choices.add(seat, action)),
            }
        }
        choices
    }

    fn add(&mut self, seat: Seat, action: Action) {
        let count = &mut self.counts[seat.index()];
        self.actions[seat.index()][*count] = action;
        *count += 1;
    }

    /// Returns the candidates of a seat; for dead players, `Stay`.
    pub(crate) fn of(&self, seat: Seat) -> &[Action] {
        &self.actions[seat.index()][..self.counts[seat.index()]]
    }

    fn joint_count(&self) -> usize {
        self.counts.iter().product()
    }

    /// Reduces the players farthest from `own` to one action each until at most `most` joint actions remain.
    pub(crate) fn thin_out(&mut self, tables: &DistanceTables, maze: &Maze, state: &State, own: Seat, most: usize) {
        let steps = |seat: Seat| tables.steps(state.cells[seat], state.cells[own]);
        while self.joint_count() > most {
            let others = Seat::ALL.into_iter().filter(|&seat| seat != own && self.counts[seat.index()] > 1);
            let Some(farthest) = others.max_by_key(|&seat| steps(seat)) else { return };
            self.counts[farthest.index()] = 0;
            self.add(farthest, quick_action(tables, maze, state, farthest));
        }
    }
}

/// Returns whether an action makes sense: a light must be able to hit someone, and a move must not be stopped by fright.
pub(crate) fn is_sensible(tables: &DistanceTables, maze: &Maze, state: &State, seat: Seat, action: Action) -> bool {
    match action {
        Action::Stay => true,
        Action::Shoot(direction) => may_hit(tables, maze, state, seat, direction),
        Action::Move(direction) => {
            let next = maze.neighbour(state.cells[seat], direction);
            !state.standing_on(next).iter().any(|other| state.strength[other] > state.strength[seat])
        }
        Action::Invalid => false,
    }
}

/// The points of each seat for each joint action.
pub(crate) struct PayoffTable {
    counts: [usize; 4],
    points: Vec<[f32; 4]>,
}

/// The probability of each action of each seat.
pub(crate) type Probabilities = [[f32; 9]; 4];

impl PayoffTable {
    /// Evaluates the position after each joint action.
    pub(crate) fn new(
        maze: &Maze,
        state: &State,
        choices: &Candidates,
        mut evaluate: impl FnMut(State) -> [f32; 4],
    ) -> PayoffTable {
        let mut points = Vec::with_capacity(choices.joint_count());
        for_each_joint(&choices.counts, |picks| {
            let actions = BySeat::from_fn(|seat| choices.actions[seat.index()][picks[seat.index()]]);
            let mut after = *state;
            after.play(maze, &actions, &mut ());
            points.push(evaluate(after));
        });
        PayoffTable { counts: choices.counts, points }
    }

    /// Returns equal probabilities of each seat's actions.
    pub(crate) fn uniform(&self) -> Probabilities {
        self.counts.map(|count| std::array::from_fn(|action| if action < count { 1.0 / count as f32 } else { 0.0 }))
    }

    /// Approximates the quantal response equilibrium: each seat prefers better actions against the others' preferences, imperfectly.
    pub(crate) fn quantal_response(&self) -> Probabilities {
        let mut likely = self.uniform();
        for _ in 0..ROUNDS {
            let responses = Seat::ALL.map(|seat| softmax(&self.means(seat, &likely), self.counts[seat.index()], TEMPERATURE));
            for (likely, response) in likely.iter_mut().zip(responses) {
                likely.iter_mut().zip(response).for_each(|(likely, response)| *likely = 0.5 * *likely + 0.5 * response);
            }
        }
        likely
    }

    /// Returns a seat's expected points for each action.
    fn means(&self, seat: Seat, likely: &Probabilities) -> [f32; 9] {
        let mut means = [0.0; 9];
        let mut points = self.points.iter();
        for_each_joint(&self.counts, |picks| {
            let Some(points) = points.next() else { return };
            means[picks[seat.index()]] += weight(likely, picks, seat) * points[seat.index()];
        });
        means
    }

    /// Returns the expected points of all four seats.
    pub(crate) fn expected(&self, likely: &Probabilities) -> [f32; 4] {
        Seat::ALL.map(|seat| {
            let means = self.means(seat, likely);
            means.iter().zip(likely[seat.index()]).map(|(mean, likely)| mean * likely).sum()
        })
    }

    /// Returns a seat's value of each action, with weight `caution` on the worst likely reply.
    pub(crate) fn values(&self, seat: Seat, likely: &Probabilities, caution: f32) -> [f32; 9] {
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

/// Returns the probability that the others choose these actions.
fn weight(likely: &Probabilities, picks: &[usize; 4], seat: Seat) -> f32 {
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
