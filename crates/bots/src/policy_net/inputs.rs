//! What the policy net sees of an action: the rows of its first layer that are added up.
//!
//! Each property of an action falls into one of a few bins, and each bin has a row. Rotations, reflections and shifts of the map and
//! permutations of the seats change nothing but whether the action is that of the quick policy, which prefers directions.

use std::cmp::{Ordering, Reverse};

use pacman2_rules::{Action, BySeat, Cell, CellSet, Direction, Game, MAX_CELLS, Maze, Seat, State};

use super::PROPERTIES;
use crate::distance_tables::{DeadEnd, DistanceTables};
use crate::policy::quick_action;

/// The number of rows of properties.
pub const ROWS: usize = 279;
/// The number of rows of an action that follows another one of the same player ([`PolicyPosition::after`]).
pub const FOLLOWING_ROWS: usize = 11;
/// The number of all rows. Those of an action that follows another one come last.
pub const ALL_ROWS: usize = ROWS + FOLLOWING_ROWS;

/// The rows of an action, one for each property that applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionRows {
    rows: [u16; PROPERTIES.len() + 1],
    count: u8,
    /// The first row of the next property.
    next: u16,
}

impl ActionRows {
    const EMPTY: ActionRows = ActionRows { rows: [0; PROPERTIES.len() + 1], count: 0, next: 0 };

    /// Adds a property that falls into a bin of `bins`.
    #[inline]
    fn add(&mut self, bins: u16, bin: usize) {
        debug_assert!(bin < usize::from(bins), "bin {bin} of {bins}");
        debug_assert!(is_property(self.next, bins), "no property has the rows from {} on and {bins} bins", self.next);
        self.push(bins, bin);
    }

    #[inline]
    fn push(&mut self, bins: u16, bin: usize) {
        self.rows[usize::from(self.count)] = self.next + bin as u16;
        self.count += 1;
        self.next += bins;
    }

    /// Leaves out a property of `bins` bins.
    #[inline]
    fn skip(&mut self, bins: u16) {
        self.next += bins;
    }

    /// Returns the rows.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[u16] {
        &self.rows[..usize::from(self.count)]
    }
}

/// Whether a property has this first row and this number of bins.
fn is_property(first: u16, bins: u16) -> bool {
    let mut start = 0;
    PROPERTIES.iter().any(|property| {
        let is_here = start == usize::from(first) && property.bins.len() == usize::from(bins);
        start += property.bins.len();
        is_here
    })
}

/// The number of the first bin whose upper bound is at least the value; the bin after the last bound if there is none.
#[inline]
fn bin(value: i32, bounds: &[i32]) -> usize {
    bounds.iter().filter(|&&bound| value > bound).count()
}

/// The value of a fruit by the steps to it, in thousandths.
const DISCOUNT: [u32; 32] = {
    let mut powers = [0; 32];
    let mut power = 1000.0;
    let mut index = 0;
    while index < 32 {
        powers[index] = (power + 0.5) as u32;
        power *= 0.8;
        index += 1;
    }
    powers
};

/// Returns what the players did in the last turn of a game; at its beginning, all stayed.
pub(crate) fn last_actions(game: &Game) -> BySeat<Action> {
    game.turns().last().map_or(BySeat([Action::Stay; 4]), |turn| turn.actions)
}

/// Returns how an action follows the last one of the same player.
#[inline]
fn following(action: Action, last: Action) -> usize {
    match (action, last) {
        (Action::Move(direction), Action::Move(last)) if direction == last => 0,
        (Action::Move(direction), Action::Move(last)) if direction == last.opposite() => 1,
        (Action::Move(_), Action::Move(_)) => 2,
        (Action::Move(_), Action::Shoot(_)) => 3,
        (Action::Move(_), _) => 4,
        (Action::Shoot(direction), Action::Shoot(last)) => 5 + usize::from(direction != last),
        (Action::Shoot(_), _) => 7,
        (_, Action::Move(_)) => 8,
        (_, Action::Shoot(_)) => 9,
        _ => 10,
    }
}

/// A position from which the rows of all seats' actions are made.
pub struct PolicyPosition<'a> {
    tables: &'a DistanceTables,
    maze: &'a Maze,
    state: &'a State,
    last: Option<BySeat<Action>>,
}

impl<'a> PolicyPosition<'a> {
    /// Creates the view of a position, without what was played before.
    #[must_use]
    pub fn new(tables: &'a DistanceTables, maze: &'a Maze, state: &'a State) -> PolicyPosition<'a> {
        PolicyPosition { tables, maze, state, last: None }
    }

    /// Creates the view of the current position of a game. At its beginning, all players count as if they had stayed before.
    #[must_use]
    pub fn of_game(tables: &'a DistanceTables, game: &'a Game) -> PolicyPosition<'a> {
        PolicyPosition::new(tables, game.maze(), game.state()).after(last_actions(game))
    }

    /// Adds what the players did in the turn before. Each action then has one row more, which says how it follows the last action of its
    /// player: whether the player goes on, turns back, or shoots again.
    #[must_use]
    pub fn after(self, last: BySeat<Action>) -> PolicyPosition<'a> {
        PolicyPosition { last: Some(last), ..self }
    }

    /// Returns the rows of each of a living seat's actions.
    #[must_use]
    pub fn rows(&self, seat: Seat, actions: &[Action]) -> [ActionRows; 9] {
        let here = self.state.cells[seat];
        let at = |action: Action| match action {
            Action::Move(direction) => self.maze.neighbour(here, direction),
            _ => here,
        };
        let mut view = SeatView::new(self, seat);
        let mut places = [view.here; 9];
        for (place, &action) in places.iter_mut().zip(actions) {
            if at(action) != here {
                *place = view.place(at(action));
            }
        }
        view.most_food = places[..actions.len()].iter().map(|place| place.food).fold(view.here.food, u32::max);
        let mut rows = [ActionRows::EMPTY; 9];
        for ((rows, &action), place) in rows.iter_mut().zip(actions).zip(&places) {
            *rows = view.rows(action, place);
            if let Some(last) = self.last {
                rows.push(FOLLOWING_ROWS as u16, following(action, last[seat]));
            }
        }
        rows
    }
}

/// A fruit, and the steps to it from the nearest other player.
#[derive(Clone, Copy)]
struct Fruit {
    cell: Cell,
    rival: u8,
    is_large: bool,
}

/// Another living player, seen from a seat.
#[derive(Clone, Copy)]
struct Other {
    cell: Cell,
    /// How much stronger it is.
    lead: i32,
    has_boost: bool,
    reach: CellSet,
    /// The cells that it can light.
    lights: CellSet,
    end: DeadEnd,
}

/// What a seat finds on a cell that it may be on after the turn.
#[derive(Clone, Copy)]
struct Place {
    cell: Cell,
    /// Steps to the nearest small fruit, the nearest large one, and the nearest small one that no other player is nearer to.
    small: u8,
    large: u8,
    first: u8,
    /// The discounted fruit around, in ten-thousandths of a small one. In whole numbers, the order of the fruit changes nothing.
    food: u32,
    /// Fruit within two steps.
    near: u32,
    /// Steps to the nearest stronger, equal and weaker player.
    stronger: u8,
    equal: u8,
    weaker: u8,
}

impl Place {
    /// A cell from which nothing can be reached.
    fn lonely(cell: Cell) -> Place {
        let far = DistanceTables::UNREACHABLE;
        Place { cell, small: far, large: far, first: far, food: 0, near: 0, stronger: far, equal: far, weaker: far }
    }
}

/// Everything about a seat that is the same for all its actions.
struct SeatView<'a> {
    position: &'a PolicyPosition<'a>,
    seat: Seat,
    own: i32,
    can_shoot: bool,
    others: [Other; 3],
    other_count: usize,
    fruits: [Fruit; MAX_CELLS],
    fruit_count: usize,
    here: Place,
    /// The most food on any cell that the seat can reach in this turn.
    most_food: u32,
    quick: Action,
}

impl<'a> SeatView<'a> {
    fn new(position: &'a PolicyPosition<'a>, seat: Seat) -> SeatView<'a> {
        let &PolicyPosition { tables, maze, state, .. } = position;
        let (own, cost) = (state.strength[seat], maze.ruleset().skill_cost);
        let cell = state.cells[seat];
        let absent =
            Other { cell, lead: 0, has_boost: false, reach: CellSet::EMPTY, lights: CellSet::EMPTY, end: DeadEnd::default() };
        let mut view = SeatView {
            position,
            seat,
            own,
            can_shoot: own > cost,
            others: [absent; 3],
            other_count: 0,
            fruits: [Fruit { cell, rival: 0, is_large: false }; MAX_CELLS],
            fruit_count: 0,
            here: Place::lonely(cell),
            most_food: 0,
            quick: quick_action(tables, maze, state, seat),
        };
        for other in state.alive.iter().filter(|&other| other != seat) {
            let cell = state.cells[other];
            view.others[view.other_count] = Other {
                cell,
                lead: state.strength[other] - own,
                has_boost: state.boost_turns_left[other] > 0,
                reach: tables.reach(cell),
                lights: if state.strength[other] > cost { tables.light_targets(cell) } else { CellSet::EMPTY },
                end: tables.dead_end(cell),
            };
            view.other_count += 1;
        }
        for cell in (state.small_fruits | state.large_fruits).iter() {
            let steps = tables.steps_from(cell);
            let rival = view.others().iter().map(|other| steps[other.cell.index()]).min();
            let rival = rival.unwrap_or(DistanceTables::UNREACHABLE);
            view.fruits[view.fruit_count] = Fruit { cell, rival, is_large: state.large_fruits.contains(cell) };
            view.fruit_count += 1;
        }
        view.here = view.place(cell);
        view
    }

    #[inline]
    fn others(&self) -> &[Other] {
        &self.others[..self.other_count]
    }

    fn place(&self, cell: Cell) -> Place {
        let steps = self.position.tables.steps_from(cell);
        let mut place = Place::lonely(cell);
        for other in self.others() {
            let nearest = match other.lead.cmp(&0) {
                Ordering::Greater => &mut place.stronger,
                Ordering::Equal => &mut place.equal,
                Ordering::Less => &mut place.weaker,
            };
            *nearest = (*nearest).min(steps[other.cell.index()]);
        }
        for fruit in &self.fruits[..self.fruit_count] {
            let to = steps[fruit.cell.index()];
            let share = match fruit.rival.cmp(&to) {
                Ordering::Less => 3,
                Ordering::Equal => 6,
                Ordering::Greater => 10,
            };
            let worth = if fruit.is_large { 3 } else { 1 };
            place.food += worth * share * DISCOUNT[usize::from(to).min(31)];
            place.near += u32::from(to <= 2);
            if fruit.is_large {
                place.large = place.large.min(to);
            } else {
                place.small = place.small.min(to);
                if to <= fruit.rival {
                    place.first = place.first.min(to);
                }
            }
        }
        place
    }

    fn rows(&self, action: Action, place: &Place) -> ActionRows {
        let &PolicyPosition { tables, maze, state, .. } = self.position;
        let (here, cell, own) = (self.here.cell, place.cell, self.own);
        let settings = maze.ruleset();
        let mut rows = ActionRows::EMPTY;

        let kind = match action {
            Action::Stay | Action::Invalid => 0,
            Action::Move(_) => 1,
            Action::Shoot(_) => 2,
        };
        rows.add(3, kind);
        rows.add(10, bin((settings.turn_limit - state.turn) as i32, &[1, 2, 3, 5, 8, 13, 20, 40, 70]));
        rows.add(6, bin(state.boost_turns_left[self.seat] as i32, &[0, 1, 2, 3, 6]));
        let coming = state.generator_turns_left as i32;
        rows.add(7, bin(coming, &[1, 2, 3, 5, 8, 12]));
        let to_spawn = i32::from(tables.steps_to_spawn(cell));
        rows.add(6, bin(to_spawn, &[0, 1, 2, 3, 5]));
        rows.add(7, bin(to_spawn - coming, &[-6, -3, -2, -1, 0, 1]));
        // What is on the cell, and who else may come.
        let fruit = usize::from(state.small_fruits.contains(cell)) + 2 * usize::from(state.large_fruits.contains(cell));
        let who_comes = || self.others().iter().filter(|other| other.reach.contains(cell));
        let stronger_come = who_comes().filter(|other| other.lead > 0).count();
        let rivals = if stronger_come > 0 { 2 } else { usize::from(who_comes().next().is_some()) };
        rows.add(9, 3 * fruit.min(2) + rivals);
        rows.add(3, stronger_come.min(2));
        rows.add(CHANGES, change(place.small, self.here.small));
        rows.add(CHANGES, change(place.large, self.here.large));
        rows.add(CHANGES, change(place.first, self.here.first));
        rows.add(7, bin((self.most_food - place.food) as i32 / 100, &[0, 10, 25, 50, 100, 200]));
        rows.add(6, bin(self.most_food as i32 / 1000, &[1, 5, 10, 20, 35]));
        rows.add(5, (place.near as usize).min(4));
        // The others.
        rows.add(CHANGES, change(place.stronger, self.here.stronger));
        rows.add(CHANGES, change(place.weaker, self.here.weaker));
        rows.add(8, distance_bin(place.equal));
        let end = tables.dead_end(cell);
        let is_shut = end.depth > 0 && {
            let exit = tables.steps_from(end.exit);
            self.others().iter().any(|other| other.lead > 0 && exit[other.cell.index()] <= end.depth + 1)
        };
        rows.add(8, 2 * usize::from(end.depth.min(3)) + usize::from(is_shut));
        rows.add(4, (maze.open_sides(cell).count_ones() as usize).clamp(1, 4) - 1);
        let strongest_on = |of: Cell| {
            let there = self.others().iter().filter(|other| other.cell == of).map(|other| other.lead);
            there.max().map_or(0, |lead| 2 + lead.signum()) as usize
        };
        rows.add(4, strongest_on(here));
        rows.add(4, if cell == here { 0 } else { strongest_on(cell) });
        // Light.
        let lit = |of: Cell| self.others().iter().filter(|other| other.lights.contains(of)).count();
        let (now, then) = (lit(here), lit(cell));
        rows.add(6, 2 * then.min(2) + usize::from(now > 0));
        let cannot_miss = |other: &Other| !other.lights.is_empty() && tables.sure_light(other.cell, cell).is_some();
        rows.add(2, usize::from(self.others().iter().any(cannot_miss)));
        let targets = tables.light_targets(cell);
        let targets = self.others().iter().filter(|other| targets.contains(other.cell)).count();
        rows.add(6, 3 * usize::from(self.can_shoot) + targets.min(2));
        match action {
            Action::Shoot(direction) => self.add_shot(&mut rows, direction),
            _ => rows.skip(SHOT),
        }
        // The seat.
        let leads = || self.others().iter().map(|other| other.lead);
        rows.add(7, bin(own, &[4, 5, 7, 10, 15, 24]));
        rows.add(4, leads().filter(|&lead| lead > 0).count());
        rows.add(7, bin(leads().max().map_or(own, |lead| -lead), &[-10, -4, -1, 0, 3, 9]));
        rows.add(3, state.alive.len().clamp(2, 4) - 2);
        rows.add(2, usize::from(action == self.quick));
        let boost = settings.large_fruit_enhancement;
        let soon_weaker = self.others().iter().any(|other| other.lead > 0 && other.has_boost && other.lead < boost);
        rows.add(2, usize::from(soon_weaker));
        let is_caught =
            |other: &Other| other.lead < 0 && other.end.depth > 0 && tables.steps(cell, other.end.exit) <= other.end.depth;
        rows.add(2, usize::from(self.others().iter().any(is_caught)));
        debug_assert_eq!(usize::from(rows.next), ROWS);
        rows
    }

    fn add_shot(&self, rows: &mut ActionRows, direction: Direction) {
        let &PolicyPosition { tables, maze, .. } = self.position;
        let ray = maze.ray(self.here.cell, direction);
        let (mut sure, mut chances) = (0, 0);
        // The likeliest target, of those the nearest, of those the strongest: its chance in percent, steps, who is stronger.
        let mut best = (0, Reverse(DistanceTables::UNREACHABLE), 0);
        for other in self.others() {
            let chance = 100 * (other.reach & ray).len() as i32 / other.reach.len() as i32;
            chances += chance;
            sure += usize::from(chance == 100);
            best = best.max((chance, Reverse(tables.steps(self.here.cell, other.cell)), other.lead.signum()));
        }
        let (chance, Reverse(steps), lead) = best;
        rows.add(3, sure.min(2));
        rows.add(6, bin(chance, &[19, 26, 40, 51, 99]));
        rows.add(4, bin(chances, &[30, 60, 100]));
        rows.add(5, bin(i32::from(steps), &[1, 2, 4, 7]));
        rows.add(3, (1 + lead) as usize);
    }
}

/// The bins of a light.
const SHOT: u16 = 3 + 6 + 4 + 5 + 3;

/// Bins of a distance and of how it changes: nearer, as near, farther.
const CHANGES: u16 = 24;

#[inline]
fn change(to: u8, before: u8) -> usize {
    3 * distance_bin(to) + 1 + usize::from(to > before) - usize::from(to < before)
}

#[inline]
fn distance_bin(to: u8) -> usize {
    match to {
        0..=4 => usize::from(to),
        5..=6 => 5,
        DistanceTables::UNREACHABLE => 7,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_follows_another_one_in_each_of_the_ways() {
        let (up, down, left) = (Direction::Up, Direction::Down, Direction::Left);
        let (go, shoot, stay) = (Action::Move, Action::Shoot, Action::Stay);
        let pairs = [
            (go(up), go(up)),
            (go(up), go(down)),
            (go(up), go(left)),
            (go(up), shoot(up)),
            (go(up), stay),
            (shoot(up), shoot(up)),
            (shoot(up), shoot(down)),
            (shoot(up), go(up)),
            (stay, go(up)),
            (stay, shoot(up)),
            (stay, stay),
        ];
        assert_eq!(pairs.map(|(action, last)| following(action, last)), std::array::from_fn(|way| way));
        assert_eq!(pairs.len(), FOLLOWING_ROWS);
    }
}
