//! What a position is worth to all four, by hand: the official points that each may expect.

use pacman2_rules::{CellSet, Direction, Maze, Seat, State, scores};

use crate::distance_tables::DistanceTables;

/// What fruit is worth that so many steps lie before.
const LATER: [f32; 32] = powers(0.83);
/// How much of a fruit falls to somebody who is so many steps later than the first.
const BEHIND: [f32; TOO_LATE + 1] = [1.0, 0.4, 0.2, 0.1, 0.06, 0.03, 0.02, 0.01, 0.0];
/// So many steps later than the first, one gets nothing.
const TOO_LATE: usize = 8;
/// What a boost is worth that will end, in strength: it frightens, and eats who cannot flee.
const BORROWED: f32 = 2.0;
/// How much of the fruit of later births somebody eats in the end.
const EATEN: f32 = 0.6;
/// How likely somebody who cannot flee from a stronger one is eaten.
const TRAPPED: f32 = 0.5;
/// How likely somebody is eaten by a stronger one so many steps away.
const NEAR: [f32; 4] = [0.14, 0.08, 0.035, 0.014];
/// How likely a light is shot that must hit.
const LIT: f32 = 0.4;

/// How much is left in the mean to somebody who has nothing but its boost.
const SAVED: f32 = 0.3;

const fn powers(base: f32) -> [f32; 32] {
    let mut powers = [1.0; 32];
    let mut index = 1;
    while index < 32 {
        powers[index] = powers[index - 1] * base;
        index += 1;
    }
    powers
}

/// The official points that each seat may expect. Once the game is over they are its scores.
///
/// Nothing but the four kinds of arithmetic and a square root is used, so that every machine finds the same.
pub fn evaluate(knowledge: &DistanceTables, maze: &Maze, state: &State) -> [f32; 4] {
    if state.is_over(maze) {
        return exact(state);
    }
    Judgement::new(&Prospects::new(knowledge, maze, state)).points
}

/// The scores of a game that is over.
pub(crate) fn exact(state: &State) -> [f32; 4] {
    scores(&state.strength).0.map(|score| score.hundredths as f32 / 100.0)
}

/// What is expected of each seat, step by step: every step begins with the strengths of the one before.
pub(crate) struct Judgement {
    /// Strength without what a boost only lends.
    pub(crate) lasting: [f32; 4],
    /// And with the fruit it may eat.
    pub(crate) with_income: [f32; 4],
    /// And after lights that must hit.
    pub(crate) with_lights: [f32; 4],
    /// And after hunts, and the end of boosts that somebody lives on.
    pub(crate) expected: [f32; 4],
    /// The points of these strengths.
    pub(crate) points: [f32; 4],
}

impl Judgement {
    pub(crate) fn new(prospects: &Prospects) -> Judgement {
        let lasting = prospects.strength_that_lasts();
        let mut strength = lasting;
        prospects.add_income(&mut strength);
        let with_income = strength;
        prospects.add_lights(&mut strength);
        let with_lights = strength;
        prospects.add_hunts(&mut strength);
        prospects.mind_the_doomed(&mut strength);
        let expected = strength.map(|strength| strength.max(0.0));
        Judgement { lasting, with_income, with_lights, expected, points: points(expected, prospects.turns_left) }
    }
}

/// A position, and what is asked of it again and again.
pub(crate) struct Prospects<'a> {
    pub(crate) knowledge: &'a DistanceTables,
    pub(crate) maze: &'a Maze,
    pub(crate) state: &'a State,
    pub(crate) turns_left: u32,
    /// Each seat's steps to every cell; the dead get nowhere.
    pub(crate) steps: [&'a [u8; 128]; 4],
}

/// Where the dead get.
static NOWHERE: [u8; 128] = [DistanceTables::NEVER; 128];

impl<'a> Prospects<'a> {
    pub(crate) fn new(knowledge: &'a DistanceTables, maze: &'a Maze, state: &'a State) -> Prospects<'a> {
        let steps = Seat::ALL.map(|seat| match state.alive.contains(seat) {
            true => knowledge.steps_from(state.cells[seat]),
            false => &NOWHERE,
        });
        Prospects { knowledge, maze, state, turns_left: maze.ruleset().turn_limit - state.turn, steps }
    }

    /// Whether a boost of so many turns is still there at the end, and so for ever.
    pub(crate) fn is_kept(&self, boost_turns_left: u32) -> bool {
        boost_turns_left > self.turns_left
    }

    fn strength_that_lasts(&self) -> [f32; 4] {
        Seat::ALL.map(|seat| {
            let boost = self.state.boost_turns_left[seat];
            let ends = self.state.alive.contains(seat) && boost > 0 && !self.is_kept(boost);
            let lent = if ends { self.maze.ruleset().large_fruit_enhancement } else { 0 };
            (self.state.strength[seat] - lent) as f32
        })
    }

    /// Who has nothing but its boost dies with 0 when that ends, unless it eats enough before.
    fn mind_the_doomed(&self, strength: &mut [f32; 4]) {
        for (seat, lasting) in Seat::ALL.into_iter().zip(self.strength_that_lasts()) {
            if lasting <= 0.0 {
                strength[seat.index()] *= SAVED;
            }
        }
    }

    /// Fruit falls mostly to whom it is nearest, sooner rather than later; nobody eats more than there are turns.
    fn add_income(&self, strength: &mut [f32; 4]) {
        let state = self.state;
        let mut income = [0.0; 4];
        for cell in state.small_fruits.iter() {
            self.share_out(&mut income, cell.index(), 0, 1.0);
        }
        let coming = state.generator_turns_left;
        let births = self.maze.spawn_cells() & !(state.small_fruits | state.large_fruits);
        let most = (self.turns_left + self.maze.ruleset().large_fruit_enhancement as u32) as f32;
        if coming <= self.turns_left {
            let mut born = [0.0; 4];
            for cell in births.iter() {
                self.share_out(&mut born, cell.index(), coming, 1.0);
            }
            let most_born = (self.turns_left - coming + 1) as f32;
            let living = state.alive.len() as f32;
            let later = (self.turns_left - coming) / self.maze.ruleset().generator_interval;
            let of_later_births = later as f32 * self.maze.spawn_cells().len() as f32 * EATEN / living;
            for seat in state.alive.iter() {
                income[seat.index()] += born[seat.index()].min(most_born) + of_later_births;
            }
        }
        for cell in state.large_fruits.iter() {
            self.share_out(&mut income, cell.index(), 0, self.worth_of_large_fruit());
        }
        for seat in state.alive.iter() {
            strength[seat.index()] += income[seat.index()].min(most);
        }
    }

    /// A large fruit is worth most where its boost outlasts the game; until then one may wait for that beside it.
    fn worth_of_large_fruit(&self) -> f32 {
        let settings = self.maze.ruleset();
        let waiting = (self.turns_left + 2).saturating_sub(settings.large_fruit_duration).min(31) as usize;
        let kept = settings.large_fruit_enhancement as f32 * LATER[waiting] * LATER[waiting];
        kept.max(BORROWED)
    }

    #[inline]
    fn share_out(&self, income: &mut [f32; 4], cell: usize, not_before: u32, worth: f32) {
        let not_before = not_before.min(250) as u8;
        let arrivals = self.steps.map(|steps| steps[cell].max(not_before));
        let first = arrivals[0].min(arrivals[1]).min(arrivals[2]).min(arrivals[3]);
        if first == DistanceTables::NEVER || u32::from(first) > self.turns_left {
            return;
        }
        let shares = arrivals.map(|arrival| BEHIND[usize::from(arrival - first).min(TOO_LATE)]);
        let part = worth * LATER[usize::from(first).min(31)] / (shares[0] + shares[1] + shares[2] + shares[3]);
        income.iter_mut().zip(shares).for_each(|(income, share)| *income += part * share);
    }

    /// Who can be hit whatever it does loses, and who can hit it gains. All of it happens at once, so that no seat comes first.
    fn add_lights(&self, strength: &mut [f32; 4]) {
        let state = self.state;
        let cost = self.maze.ruleset().skill_cost;
        let (taken, gained) = ((cost * 3 / 2) as f32, (cost * 3 / 2 - cost) as f32);
        let mut gains = [0.0; 4];
        for victim in state.alive.iter() {
            let expected = &mut strength[victim.index()];
            for shooter in state.alive.iter().filter(|&shooter| shooter != victim && state.strength[shooter] > cost) {
                if self.knowledge.sure_light(state.cells[shooter], state.cells[victim]).is_none() {
                    continue;
                }
                gains[shooter.index()] += LIT * gained;
                let rest = if state.strength[victim] <= cost * 3 / 2 { 0.0 } else { *expected - taken };
                *expected += LIT * (rest - *expected);
            }
        }
        strength.iter_mut().zip(gains).for_each(|(strength, gain)| *strength += gain);
    }

    /// The weaker lose half of what they have, and all that they might have had, if a stronger one gets them. All of it happens
    /// at once, so that no seat comes first.
    fn add_hunts(&self, strength: &mut [f32; 4]) {
        let state = self.state;
        let mut gains = [0.0; 4];
        for victim in state.alive.iter() {
            let mut escapes = 1.0;
            for hunter in state.alive.iter().filter(|&hunter| state.strength[hunter] > state.strength[victim]) {
                let risk = self.risk(hunter, victim);
                escapes *= 1.0 - risk;
                gains[hunter.index()] += risk * (state.strength[victim] / 2) as f32;
            }
            let half = (state.strength[victim] - state.strength[victim] / 2) as f32;
            let expected = &mut strength[victim.index()];
            *expected = half + escapes * (*expected - half);
        }
        strength.iter_mut().zip(gains).for_each(|(strength, gain)| *strength += gain);
    }

    fn risk(&self, hunter: Seat, victim: Seat) -> f32 {
        let (state, knowledge) = (self.state, self.knowledge);
        let (from, at) = (state.cells[hunter], state.cells[victim]);
        let steps = knowledge.steps(from, at);
        if u32::from(steps) > self.turns_left.min(self.turns_of_superiority(hunter, victim)) {
            return 0.0;
        }
        let end = knowledge.dead_end(at);
        if end.depth > 0 && knowledge.steps(from, end.exit) <= end.depth {
            return TRAPPED;
        }
        NEAR.get(usize::from(steps)).copied().unwrap_or(0.0)
    }

    /// For how many turns a stronger player stays stronger, as far as boosts tell.
    fn turns_of_superiority(&self, hunter: Seat, victim: Seat) -> u32 {
        let state = self.state;
        let without_boost = match state.boost_turns_left[hunter] {
            0 => state.strength[hunter],
            _ => state.strength[hunter] - self.maze.ruleset().large_fruit_enhancement,
        };
        if without_boost > state.strength[victim] { u32::MAX } else { state.boost_turns_left[hunter] }
    }
}

/// The points of these strengths at the end, if until then each may still change as much as such games do.
fn points(strength: [f32; 4], turns_left: u32) -> [f32; 4] {
    let total = strength.iter().sum::<f32>().max(1.0);
    let spread = 0.4 + 0.5 * (turns_left as f32).sqrt();
    let mut points = strength.map(|strength| 10.0 + 100.0 * strength / total);
    for one in 0..4 {
        for other in 0..one {
            let lead = (strength[one] - strength[other]) / spread;
            let wins = 5.0 + 5.0 * lead / (1.0 + lead.abs());
            points[one] += wins;
            points[other] += 10.0 - wins;
        }
    }
    // A number that is none would lose every comparison in silence.
    assert!(points.iter().all(|points| points.is_finite()), "{points:?} of {strength:?}");
    points
}

/// Whether a light from a cell in that direction could hit anybody of the others, wherever they step.
pub(crate) fn may_hit(knowledge: &DistanceTables, maze: &Maze, state: &State, shooter: Seat, direction: Direction) -> bool {
    let way = maze.ray(state.cells[shooter], direction);
    let others = state.alive.iter().filter(|&other| other != shooter);
    !(others.fold(CellSet::EMPTY, |all, other| all | knowledge.reach(state.cells[other])) & way).is_empty()
}
