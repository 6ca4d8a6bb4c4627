//! Joint actions: the candidates, the payoff of each combination, and how likely that makes each action.

use pacman2_rules::{Action, BySeat, CellSet, Direction, Maze, Seat, State};

use crate::arithmetic::softmax;
use crate::distance_tables::DistanceTables;
use crate::evaluation::may_hit;
use crate::policy::quick_action;
use crate::policy_net::ActionSet;

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
    /// The same as sets.
    sets: [ActionSet; 4],
}

impl Candidates {
    /// Returns the sensible actions of all four seats: those of which [`is_sensible`] holds.
    ///
    /// Actions are bits of a set, and lists of them come from a table: jumps would often be mispredicted.
    pub(crate) fn sensible(tables: &DistanceTables, maze: &Maze, state: &State) -> Candidates {
        let reaches =
            Seat::ALL.map(|seat| [CellSet::EMPTY, tables.reach(state.cells[seat])][usize::from(state.alive.contains(seat))]);
        let mut choices = Candidates { actions: [[Action::Stay; 9]; 4], counts: [0; 4], sets: [0; 4] };
        for seat in Seat::ALL {
            let here = state.cells[seat];
            let mut targets = CellSet::EMPTY;
            for other in 0..4 {
                targets |= [reaches[other], CellSet::EMPTY][usize::from(other == seat.index())];
            }
            const NOWHERE: u8 = u8::MAX;
            let stronger = Seat::ALL.map(|other| {
                let is_stronger = state.alive.contains(other) & (state.strength[other] > state.strength[seat]);
                if is_stronger { state.cells[other].index() as u8 } else { NOWHERE }
            });
            let (mut free, mut aims) = (0, 0);
            for direction in Direction::ALL {
                let next = maze.neighbour(here, direction).index() as u8;
                let is_free = stronger.iter().fold(true, |free, &cell| free & (cell != next));
                free |= usize::from(is_free) << direction.index();
                aims |= usize::from(!(targets & maze.ray(here, direction)).is_empty()) << direction.index();
            }
            let can_shoot = state.strength[seat] > maze.ruleset().skill_cost;
            let moves = usize::from(maze.open_sides(here)) & free;
            let of_living = 1 | moves << 1 | (aims & [0, 15][usize::from(can_shoot)]) << 5;
            let set = if state.alive.contains(seat) { of_living } else { 1 };
            let list = &LISTS[set % LISTS.len()];
            choices.sets[seat.index()] = set as ActionSet;
            choices.actions[seat.index()] = list.actions;
            choices.counts[seat.index()] = usize::from(list.count);
        }
        choices
    }

    /// Returns all legal actions of all four seats.
    pub(crate) fn legal(maze: &Maze, state: &State) -> Candidates {
        let mut choices = Candidates { actions: [[Action::Stay; 9]; 4], counts: [0; 4], sets: [0; 4] };
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
        self.sets[seat.index()] |= action.index().map_or(0, |index| 1 << index);
    }

    /// Returns the candidates of a seat; for dead players, `Stay`.
    pub(crate) fn of(&self, seat: Seat) -> &[Action] {
        &self.actions[seat.index()][..self.counts[seat.index()]]
    }

    /// Returns the candidates of a seat as a set.
    pub(crate) fn set_of(&self, seat: Seat) -> ActionSet {
        self.sets[seat.index()]
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
            self.sets[farthest.index()] = 0;
            self.add(farthest, quick_action(tables, maze, state, farthest));
        }
    }
}

/// Some actions of a seat.
#[derive(Clone, Copy)]
struct ActionList {
    actions: [Action; 9],
    count: u8,
}

/// The actions of each set, by their places in [`Action::ALL`] as bits.
static LISTS: [ActionList; 512] = {
    let mut lists = [ActionList { actions: [Action::Stay; 9], count: 0 }; 512];
    let mut set = 0;
    while set < lists.len() {
        let list = &mut lists[set];
        let mut action = 0;
        while action < 9 {
            if set >> action & 1 != 0 {
                list.actions[list.count as usize] = Action::ALL[action];
                list.count += 1;
            }
            action += 1;
        }
        set += 1;
    }
    lists
};

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

#[cfg(test)]
mod tests {
    use pacman2_rules::{Game, picture};

    use super::*;
    use crate::built_in::BuiltIn;

    const FIELD: &str = "
        turn 0/100, fruit in 3/8
        +---+---+---+---+---+
        | 0   .       .   1 |
        +   +---+   +   +---+
          .   G   o     |
        +   +   +   +   +   +
        | 2   .       .   3 |
        +---+---+---+---+---+
        1: 7
    ";

    #[test]
    fn the_sensible_actions_are_those_that_make_sense_one_by_one() {
        let (maze, start) = picture::read(FIELD).expect("it is a picture");
        let tables = DistanceTables::new(&maze);
        let [random, hunter] = ["random", "hunter"].map(|name| BuiltIn::named(name).expect("there is such a bot"));
        for seed in 1..=20 {
            let mut game = Game::new(maze.clone(), start);
            while !game.is_over() {
                let state = game.state();
                let choices = Candidates::sensible(&tables, &maze, state);
                for seat in Seat::ALL {
                    let legal = state.legal_actions(&maze, seat).iter().copied();
                    let mut expected: Vec<Action> =
                        legal.filter(|&action| is_sensible(&tables, &maze, state, seat, action)).collect();
                    if expected.is_empty() {
                        expected.push(Action::Stay);
                    }
                    assert_eq!(choices.of(seat), expected, "{seat:?} {state:?}");
                }
                let decide = |seat: Seat| match state.alive.contains(seat) {
                    true => ([random, hunter][seat.index() % 2].decide)(&game, seat, seed),
                    false => Action::Stay,
                };
                let actions = BySeat::from_fn(decide);
                game.play(&actions);
            }
        }
    }
}
