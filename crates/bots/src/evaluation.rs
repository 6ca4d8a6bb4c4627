//! The hand-made evaluation: the expected official points of all four seats.

mod arrivals;

use pacman2_rules::{CellSet, Direction, Maze, Seat, State, scores};

use crate::distance_tables::DistanceTables;
pub(crate) use arrivals::Arrivals;
use arrivals::discount;

/// The value of a boost that will end, in strength: it deters others and eats trapped players.
const TEMPORARY_BOOST: f32 = 2.0;
/// The share of fruit spawned later that is eaten in the end.
const FUTURE_FRUIT_SHARE: f32 = 0.6;
/// The probability that a player is eaten if it cannot escape from a stronger one.
const TRAPPED_RISK: f32 = 0.5;
/// The probability that a player is eaten by a stronger one, by the steps between them.
const NEAR_RISK: [f32; 5] = [0.14, 0.08, 0.035, 0.014, 0.0];
/// The probability that a light is shot if it cannot miss.
const LIGHT_PROBABILITY: f32 = 0.4;

/// The expected share that remains to a player whose strength is only its boost.
const BOOST_ONLY_FACTOR: f32 = 0.3;

/// Estimates the official points of each seat. Once the game is over, they are the scores.
///
/// Only basic arithmetic and square roots are used, so every machine computes the same numbers.
///
/// ```
/// use pacman2_bots::distance_tables::DistanceTables;
/// use pacman2_bots::evaluation::evaluate;
/// use pacman2_rules::{Seat, picture};
///
/// let (maze, state) = picture::read(
///     "
///      +---+---+---+---+---+---+
///      | 0   .   .   .   .   1 |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      |                       |
///      +   +   +   +   +   +   +
///      | 2                   3 |
///      +---+---+---+---+---+---+",
/// )?;
/// let points = evaluate(&DistanceTables::new(&maze), &maze, &state);
/// assert!(points[0] > points[2], "player 0 is nearer to the fruit");
/// # Ok::<(), pacman2_rules::picture::PictureError>(())
/// ```
#[must_use]
pub fn evaluate(tables: &DistanceTables, maze: &Maze, state: &State) -> [f32; 4] {
    if state.is_over(maze) {
        return exact(state);
    }
    let arrivals = arrivals(tables, maze, state);
    Evaluation::new(&EvaluationContext::new(tables, maze, state, &arrivals)).points
}

/// Returns the scores of a game that is over.
pub(crate) fn exact(state: &State) -> [f32; 4] {
    scores(&state.strength).0.map(|score| score.points() as f32)
}

/// The evaluation step by step: each step starts from the strengths of the one before.
pub(crate) struct Evaluation {
    /// Strength without boosts that will end.
    pub(crate) lasting: [f32; 4],
    /// Plus the fruit that the seat may eat.
    pub(crate) with_income: [f32; 4],
    /// After lights that cannot miss.
    pub(crate) with_lights: [f32; 4],
    /// After hunts, and after the end of boosts that are a player's only strength.
    pub(crate) expected: [f32; 4],
    /// The points for these strengths.
    pub(crate) points: [f32; 4],
}

impl Evaluation {
    #[inline(always)]
    pub(crate) fn new(context: &EvaluationContext) -> Evaluation {
        let lasting = context.lasting_strength();
        let mut strength = lasting;
        context.add_income(&mut strength);
        let with_income = strength;
        context.add_lights(&mut strength);
        let with_lights = strength;
        context.add_hunts(&mut strength);
        context.discount_boost_only(&mut strength);
        let expected = strength.map(|strength| strength.max(0.0));
        Evaluation { lasting, with_income, with_lights, expected, points: points(expected, context.turns_left) }
    }
}

/// A position with frequently used values.
pub(crate) struct EvaluationContext<'a> {
    pub(crate) tables: &'a DistanceTables,
    pub(crate) maze: &'a Maze,
    pub(crate) state: &'a State,
    pub(crate) turns_left: u32,
    /// Each seat's steps to every cell; unreachable for dead players.
    steps: [&'a [u8; 128]; 4],
    /// A reference, since the compiler would copy all of them into this struct.
    arrivals: &'a Arrivals,
    pub(crate) small_fruits: SmallFruits,
}

/// What small fruit means for each seat, found in one loop over it.
pub(crate) struct SmallFruits {
    /// The seat's share of all.
    income: [f32; 4],
    /// For how many the seat is the nearest; ties are shared.
    pub(crate) nearest_first: [f32; 4],
    /// Steps to the nearest one.
    pub(crate) nearest: [u32; 4],
}

impl SmallFruits {
    #[inline(always)]
    fn new(cells: CellSet, steps: &[&[u8; 128]; 4], arrivals: &Arrivals) -> SmallFruits {
        let mut fruits =
            SmallFruits { income: [0.0; 4], nearest_first: [0.0; 4], nearest: [u32::from(DistanceTables::UNREACHABLE); 4] };
        for cell in cells.iter() {
            arrivals.share_fruit(&mut fruits.income, cell, 1.0);
            arrivals.add_firsts(&mut fruits.nearest_first, cell);
            // As wide as what else is in this loop, so that the compiler makes vectors.
            let to = steps.map(|steps| u32::from(steps[cell.index()]));
            fruits.nearest = std::array::from_fn(|seat| fruits.nearest[seat].min(to[seat]));
        }
        fruits
    }
}

/// Returns when each seat arrives at each cell from now on.
#[inline(always)]
pub(crate) fn arrivals(tables: &DistanceTables, maze: &Maze, state: &State) -> Arrivals {
    Arrivals::new(&steps(tables, state), 0, maze.ruleset().turn_limit - state.turn)
}

#[inline(always)]
fn steps<'a>(tables: &'a DistanceTables, state: &State) -> [&'a [u8; 128]; 4] {
    Seat::ALL.map(|seat| match state.alive.contains(seat) {
        true => tables.steps_from(state.cells[seat]),
        false => &UNREACHABLE,
    })
}

/// The distances of a dead player.
static UNREACHABLE: [u8; 128] = [DistanceTables::UNREACHABLE; 128];

impl<'a> EvaluationContext<'a> {
    #[inline(always)]
    pub(crate) fn new(
        tables: &'a DistanceTables,
        maze: &'a Maze,
        state: &'a State,
        arrivals: &'a Arrivals,
    ) -> EvaluationContext<'a> {
        let steps = steps(tables, state);
        let turns_left = maze.ruleset().turn_limit - state.turn;
        let small_fruits = SmallFruits::new(state.small_fruits, &steps, arrivals);
        EvaluationContext { tables, maze, state, turns_left, steps, arrivals, small_fruits }
    }

    /// Returns the steps from each seat to the nearest of these cells.
    #[inline(always)]
    pub(crate) fn nearest(&self, cells: CellSet) -> [u8; 4] {
        let mut nearest = [DistanceTables::UNREACHABLE; 4];
        for cell in cells.iter() {
            nearest = std::array::from_fn(|seat| nearest[seat].min(self.steps[seat][cell.index()]));
        }
        nearest
    }

    /// Returns whether a boost with this many turns left outlasts the game, which makes it permanent.
    pub(crate) fn is_kept(&self, boost_turns_left: u32) -> bool {
        boost_turns_left > self.turns_left
    }

    #[inline(always)]
    fn lasting_strength(&self) -> [f32; 4] {
        Seat::ALL.map(|seat| {
            let boost = self.state.boost_turns_left[seat];
            let ends = self.state.alive.contains(seat) && boost > 0 && !self.is_kept(boost);
            let lent = if ends { self.maze.ruleset().large_fruit_enhancement } else { 0 };
            (self.state.strength[seat] - lent) as f32
        })
    }

    /// Discounts players whose strength is only a boost: they die with 0 when it ends, unless they eat enough before.
    #[inline(always)]
    fn discount_boost_only(&self, strength: &mut [f32; 4]) {
        for (seat, lasting) in Seat::ALL.into_iter().zip(self.lasting_strength()) {
            if lasting <= 0.0 {
                strength[seat.index()] *= BOOST_ONLY_FACTOR;
            }
        }
    }

    /// Adds the expected fruit: most of it goes to the nearest player, near fruit counts more, and a player eats at most one per turn.
    #[inline(always)]
    fn add_income(&self, strength: &mut [f32; 4]) {
        let state = self.state;
        let mut income = self.small_fruits.income;
        let coming = state.generator_turns_left;
        let spawns = self.maze.spawn_cells() & !(state.small_fruits | state.large_fruits);
        let most = (self.turns_left + self.maze.ruleset().large_fruit_enhancement as u32) as f32;
        if coming <= self.turns_left {
            let arrivals = Arrivals::new(&self.steps, coming, self.turns_left);
            let mut spawned = [0.0; 4];
            for cell in spawns.iter() {
                arrivals.share_fruit(&mut spawned, cell, 1.0);
            }
            let most_spawned = (self.turns_left - coming + 1) as f32;
            let living = state.alive.len() as f32;
            let later = (self.turns_left - coming) / self.maze.ruleset().generator_interval;
            let of_later_spawns = later as f32 * self.maze.spawn_cells().len() as f32 * FUTURE_FRUIT_SHARE / living;
            income = std::array::from_fn(|seat| income[seat] + (least(spawned[seat], most_spawned) + of_later_spawns));
        }
        let worth = self.worth_of_large_fruit();
        for cell in state.large_fruits.iter() {
            self.arrivals.share_fruit(&mut income, cell, worth);
        }
        // Without a loop over living players, whose number would often be mispredicted.
        let alive = Seat::ALL.map(|seat| state.alive.contains(seat));
        *strength = std::array::from_fn(|seat| strength[seat] + if alive[seat] { least(income[seat], most) } else { 0.0 });
    }

    /// Returns the value of a large fruit. It is highest if its boost outlasts the game; until then a player may wait next to it.
    #[inline(always)]
    fn worth_of_large_fruit(&self) -> f32 {
        let settings = self.maze.ruleset();
        let discount = discount((self.turns_left + 2).saturating_sub(settings.large_fruit_duration));
        let kept = settings.large_fruit_enhancement as f32 * discount * discount;
        kept.max(TEMPORARY_BOOST)
    }

    /// Accounts for lights that cannot miss. All happen at once, so the order of the seats does not matter.
    #[inline(always)]
    fn add_lights(&self, strength: &mut [f32; 4]) {
        let state = self.state;
        let cost = self.maze.ruleset().skill_cost;
        let (taken, gained) = ((cost * 3 / 2) as f32, (cost * 3 / 2 - cost) as f32);
        // By victim, then by shooter, as bits. There are few, and looking for them by jumps would often be mispredicted.
        let (mut lights, mut victims, mut shooters) = (0_u16, 0_u16, 0_u16);
        for victim in Seat::ALL {
            let alive = state.alive.contains(victim);
            victims |= [0, 15][usize::from(alive)] << (4 * victim.index());
            shooters |= [0, 0x1111][usize::from(alive & (state.strength[victim] > cost))] << victim.index();
            for shooter in Seat::ALL {
                let is_sure = self.tables.sure_light(state.cells[shooter], state.cells[victim]).is_some();
                lights |= u16::from(is_sure) << (4 * victim.index() + shooter.index());
            }
        }
        const OTHERS: u16 = !0x8421;
        let mut lights = lights & victims & shooters & OTHERS;
        let mut gains = [0.0; 4];
        while lights != 0 {
            let pair = lights.trailing_zeros() as usize;
            lights &= lights - 1;
            let (victim, shooter) = (pair / 4, pair % 4);
            let expected = &mut strength[victim];
            gains[shooter] += LIGHT_PROBABILITY * gained;
            let rest = if state.strength[Seat::ALL[victim]] <= cost * 3 / 2 { 0.0 } else { *expected - taken };
            *expected += LIGHT_PROBABILITY * (rest - *expected);
        }
        strength.iter_mut().zip(gains).for_each(|(strength, gain)| *strength += gain);
    }

    /// Accounts for stronger players catching weaker ones, who then lose half of their strength and their future. All happen at once, so
    /// the order of the seats does not matter.
    #[inline(always)]
    fn add_hunts(&self, strength: &mut [f32; 4]) {
        let state = self.state;
        let mut gains = [0.0; 4];
        for victim in state.alive.iter() {
            let mut escapes = 1.0;
            // Without branches, which would often be mispredicted: a risk of 0 changes nothing.
            for hunter in Seat::ALL {
                let hunts = state.alive.contains(hunter) & (state.strength[hunter] > state.strength[victim]);
                let risk = if hunts { self.risk(hunter, victim) } else { 0.0 };
                escapes *= 1.0 - risk;
                gains[hunter.index()] += risk * (state.strength[victim] / 2) as f32;
            }
            let half = (state.strength[victim] - state.strength[victim] / 2) as f32;
            let expected = &mut strength[victim.index()];
            *expected = half + escapes * (*expected - half);
        }
        strength.iter_mut().zip(gains).for_each(|(strength, gain)| *strength += gain);
    }

    #[inline(always)]
    fn risk(&self, hunter: Seat, victim: Seat) -> f32 {
        let (state, tables) = (self.state, self.tables);
        let (from, at) = (state.cells[hunter], state.cells[victim]);
        let steps = tables.steps(from, at);
        let end = tables.dead_end(at);
        let is_trapped = (end.depth > 0) & (tables.steps(from, end.exit) <= end.depth);
        let risk = if is_trapped { TRAPPED_RISK } else { NEAR_RISK[usize::from(steps.min(4))] };
        if u32::from(steps) > self.turns_left.min(self.turns_of_superiority(hunter, victim)) { 0.0 } else { risk }
    }

    /// Returns for how many turns a stronger player stays stronger, judging by boosts.
    #[inline(always)]
    fn turns_of_superiority(&self, hunter: Seat, victim: Seat) -> u32 {
        let state = self.state;
        let boost = if state.boost_turns_left[hunter] == 0 { 0 } else { self.maze.ruleset().large_fruit_enhancement };
        let without_boost = state.strength[hunter] - boost;
        if without_boost > state.strength[victim] { u32::MAX } else { state.boost_turns_left[hunter] }
    }
}

/// Returns the lesser number: one instruction, other than `f32::min`.
#[inline(always)]
fn least(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// Returns the expected points for these strengths, given how much strengths typically change in the remaining turns.
#[inline(always)]
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
    // A NaN would silently lose every comparison.
    assert!(points.iter().all(|points| points.is_finite()), "{points:?} of {strength:?}");
    points
}

/// Returns whether a light in this direction could hit another player, wherever it moves.
pub(crate) fn may_hit(tables: &DistanceTables, maze: &Maze, state: &State, shooter: Seat, direction: Direction) -> bool {
    let ray = maze.ray(state.cells[shooter], direction);
    let others = state.alive.iter().filter(|&other| other != shooter);
    !(others.fold(CellSet::EMPTY, |all, other| all | tables.reach(state.cells[other])) & ray).is_empty()
}
