//! What the policy net sees of an action: the rows of its first layer that are added up.
//!
//! Each property of an action falls into one of a few bins, and each bin has a row. Rotations, reflections and shifts of the map and
//! permutations of the seats change nothing but whether the action is that of the quick policy, which prefers directions.

use std::cmp::Ordering;

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
        self.rows[usize::from(self.count)] = self.next + bin as u16;
        self.count += 1;
        self.next += bins;
    }

    /// Adds rows that were found elsewhere. No property can be added after it.
    #[inline]
    fn append<const COUNT: usize>(&mut self, rows: &[u16; COUNT]) {
        let start = usize::from(self.count);
        self.rows[start..start + COUNT].copy_from_slice(rows);
        self.count += COUNT as u8;
    }

    /// Replaces the bin of the first property.
    #[inline]
    fn set_kind(&mut self, bin: u16) {
        debug_assert!(bin < KINDS && self.count > 0);
        self.rows[0] = bin;
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

/// Returns how many of the bounds between bins a number is above: its bin.
#[inline]
fn bin<const COUNT: usize>(number: i32, bounds: &[i32; COUNT]) -> usize {
    bounds.iter().map(|&bound| usize::from(number > bound)).sum()
}

/// The value of a fruit by the steps to it, in thousandths.
const DISCOUNT: [u16; 32] = {
    let mut powers = [0; 32];
    let mut power = 1000.0;
    let mut index = 0;
    while index < 32 {
        powers[index] = (power + 0.5) as u16;
        power *= 0.8;
        index += 1;
    }
    powers
};

/// The share of a fruit in tenths, by whether another player is nearer, as near or not as near.
const SHARES: [u8; 3] = [3, 6, 10];

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
    /// Small fruit, except where there is a large one too, and then large fruit.
    fruits: [Fruit; MAX_CELLS],
    small_count: usize,
    fruit_count: usize,
}

/// A fruit, and for each seat the steps to it from the nearest other player.
#[derive(Clone, Copy)]
struct Fruit {
    cell: Cell,
    rivals: [u8; 4],
}

/// Returns for each seat the least steps of the others, given the steps of all.
#[inline]
fn rivals([a, b, c, d]: [u8; 4]) -> [u8; 4] {
    [b.min(c.min(d)), a.min(c.min(d)), d.min(a.min(b)), c.min(a.min(b))]
}

impl<'a> PolicyPosition<'a> {
    /// Creates the view of a position, without what was played before.
    #[must_use]
    #[inline]
    pub fn new(tables: &'a DistanceTables, maze: &'a Maze, state: &'a State) -> PolicyPosition<'a> {
        let fruits = [Fruit { cell: Cell::default(), rivals: [0; 4] }; MAX_CELLS];
        let mut position = PolicyPosition { tables, maze, state, last: None, fruits, small_count: 0, fruit_count: 0 };
        position.add_fruits(state.small_fruits & !state.large_fruits);
        position.small_count = position.fruit_count;
        position.add_fruits(state.large_fruits);
        position
    }

    /// Creates the view of the current position of a game. At its beginning, all players count as if they had stayed before.
    #[must_use]
    pub fn from_game(tables: &'a DistanceTables, game: &'a Game) -> PolicyPosition<'a> {
        PolicyPosition::new(tables, game.maze(), game.state()).after(last_actions(game))
    }

    /// Adds what the players did in the turn before. Each action then has one row more, which says how it follows the last action of its
    /// player: whether the player goes on, turns back, or shoots again.
    #[must_use]
    #[inline]
    pub fn after(mut self, last: BySeat<Action>) -> PolicyPosition<'a> {
        self.last = Some(last);
        self
    }

    #[inline]
    fn add_fruits(&mut self, cells: CellSet) {
        let State { alive, cells: places, .. } = *self.state;
        let unless_alive = Seat::ALL.map(|seat| if alive.contains(seat) { 0 } else { DistanceTables::UNREACHABLE });
        for cell in cells.iter() {
            let steps = self.tables.steps_from(cell);
            let to = Seat::ALL.map(|seat| steps[places[seat].index()] | unless_alive[seat.index()]);
            self.fruits[self.fruit_count] = Fruit { cell, rivals: rivals(to) };
            self.fruit_count += 1;
        }
    }

    /// Returns the rows of each of a living seat's actions.
    #[must_use]
    pub fn rows(&self, seat: Seat, actions: &[Action]) -> [ActionRows; 9] {
        let here = self.state.cells[seat];
        // Where the player may be after its action: here, or one step in some direction.
        let mut cells = [Some(here), None, None, None, None];
        let place_of = |action| match action {
            Action::Move(direction) if self.maze.neighbour(here, direction) != here => 1 + direction.index(),
            _ => 0,
        };
        for &action in actions {
            if let Action::Move(direction) = action {
                cells[place_of(action)] = Some(self.maze.neighbour(here, direction));
            }
        }
        let mut view = SeatView::new(self, seat);
        let mut places = [Place::lonely(here); 5];
        for (place, cell) in places.iter_mut().zip(cells) {
            if let Some(cell) = cell {
                *place = view.place(cell);
                view.most_food = view.most_food.max(place.food);
            }
        }
        view.here = places[0];
        let mut of_places = [PlaceRows::EMPTY; 5];
        for (rows, place) in of_places.iter_mut().zip(&places).zip(cells).filter_map(|(place, cell)| cell.map(|_| place)) {
            *rows = view.place_rows(place);
        }
        let mut rows = [ActionRows::EMPTY; 9];
        for (rows, &action) in rows.iter_mut().zip(actions) {
            *rows = view.rows(action, &of_places[place_of(action)]);
            if let Some(last) = self.last {
                rows.append(&[(ROWS + following(action, last[seat])) as u16]);
            }
        }
        rows
    }
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

/// The rows of all actions after which a player is on a cell.
#[derive(Clone, Copy)]
struct PlaceRows {
    /// The rows before those of a shot. The first one, for the kind of the action, is that of staying.
    before_shot: ActionRows,
    /// Whether a weaker player is shut in a dead end.
    is_one_caught: bool,
}

impl PlaceRows {
    const EMPTY: PlaceRows = PlaceRows { before_shot: ActionRows::EMPTY, is_one_caught: false };
}

/// Everything about a seat that is the same for all its actions.
struct SeatView<'a> {
    position: &'a PolicyPosition<'a>,
    seat: Seat,
    others: [Other; 3],
    other_count: usize,
    here: Place,
    /// The most food on any cell that the seat can reach in this turn.
    most_food: u32,
    can_shoot: bool,
    quick: Action,
    /// Whether another player can light the cell where the seat is.
    is_lit: bool,
    /// The bins of properties.
    turns_left: usize,
    boost_turns: usize,
    until_spawn: usize,
    strongest_here: usize,
    /// The rows after those of a shot, if the action is not [`QUICK`] and no other player is [`CAUGHT`].
    after_shot: [u16; AFTER_SHOT],
}

impl<'a> SeatView<'a> {
    #[inline]
    fn new(position: &'a PolicyPosition<'a>, seat: Seat) -> SeatView<'a> {
        let &PolicyPosition { tables, maze, state, .. } = position;
        let settings = maze.ruleset();
        let (own, cost) = (state.strength[seat], settings.skill_cost);
        let cell = state.cells[seat];
        let absent =
            Other { cell, lead: 0, has_boost: false, reach: CellSet::EMPTY, lights: CellSet::EMPTY, end: DeadEnd::default() };
        let mut others = [absent; 3];
        let mut other_count = 0;
        for other in state.alive.iter().filter(|&other| other != seat) {
            let cell = state.cells[other];
            others[other_count] = Other {
                cell,
                lead: state.strength[other] - own,
                has_boost: state.boost_turns_left[other] > 0,
                reach: tables.reach(cell),
                lights: if state.strength[other] > cost { tables.light_targets(cell) } else { CellSet::EMPTY },
                end: tables.dead_end(cell),
            };
            other_count += 1;
        }
        let list = &others[..other_count];
        let most = list.iter().map(|other| other.lead).max();
        let boost = settings.large_fruit_enhancement;
        let mut after_shot = ActionRows { next: FIRST_AFTER_SHOT, ..ActionRows::EMPTY };
        after_shot.add(7, bin(own, &[4, 5, 7, 10, 15, 24]));
        after_shot.add(4, list.iter().filter(|other| other.lead > 0).count());
        after_shot.add(7, bin(most.map_or(own, |lead| -lead), &[-10, -4, -1, 0, 3, 9]));
        after_shot.add(3, state.alive.len().clamp(2, 4) - 2);
        after_shot.add(2, 0);
        let is_one_soon_weaker = list.iter().any(|other| other.lead > 0 && other.has_boost && other.lead < boost);
        after_shot.add(2, usize::from(is_one_soon_weaker));
        after_shot.add(2, 0);
        debug_assert_eq!((usize::from(after_shot.count), usize::from(after_shot.next)), (AFTER_SHOT, ROWS));
        SeatView {
            position,
            seat,
            here: Place::lonely(cell),
            most_food: 0,
            can_shoot: own > cost,
            quick: quick_action(tables, maze, state, seat),
            is_lit: list.iter().any(|other| other.lights.contains(cell)),
            turns_left: bin((settings.turn_limit - state.turn) as i32, &[1, 2, 3, 5, 8, 13, 20, 40, 70]),
            boost_turns: bin(state.boost_turns_left[seat] as i32, &[0, 1, 2, 3, 6]),
            until_spawn: bin(state.generator_turns_left as i32, &[1, 2, 3, 5, 8, 12]),
            strongest_here: strongest_on(list, cell),
            after_shot: std::array::from_fn(|property| after_shot.rows[property]),
            others,
            other_count,
        }
    }

    #[inline]
    fn others(&self) -> &[Other] {
        &self.others[..self.other_count]
    }

    #[inline]
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
        let (small, large) = self.position.fruits[..self.position.fruit_count].split_at(self.position.small_count);
        let mut add = |fruit: &Fruit, worth: u32| {
            let (to, rival) = (steps[fruit.cell.index()], fruit.rivals[self.seat.index()]);
            let share = usize::from(rival >= to) + usize::from(rival > to);
            place.food += worth * u32::from(SHARES[share]) * u32::from(DISCOUNT[usize::from(to.min(31))]);
            place.near += u32::from(to <= 2);
            (to, share)
        };
        let (mut to_small, mut to_first, mut to_large) = [DistanceTables::UNREACHABLE; 3].into();
        for fruit in small {
            let (to, share) = add(fruit, 1);
            to_small = to_small.min(to);
            to_first = to_first.min(if share > 0 { to } else { DistanceTables::UNREACHABLE });
        }
        for fruit in large {
            let (to, _) = add(fruit, 3);
            to_large = to_large.min(to);
        }
        (place.small, place.first, place.large) = (to_small, to_first, to_large);
        place
    }

    #[inline]
    fn place_rows(&self, place: &Place) -> PlaceRows {
        let &PolicyPosition { tables, maze, state, .. } = self.position;
        let (here, cell) = (self.here.cell, place.cell);
        let end = tables.dead_end(cell);
        let (steps, exit) = (tables.steps_from(cell), tables.steps_from(end.exit));
        let targets_there = tables.light_targets(cell);
        let (mut any_comes, mut stronger_come, mut is_shut) = (false, 0, false);
        let (mut lit, mut cannot_miss, mut targets, mut is_one_caught) = (0_usize, false, 0_usize, false);
        for other in self.others() {
            let comes = other.reach.contains(cell);
            any_comes |= comes;
            stronger_come += usize::from(comes & (other.lead > 0));
            is_shut |= (other.lead > 0) & (exit[other.cell.index()] <= end.depth + 1);
            lit += usize::from(other.lights.contains(cell));
            cannot_miss |= !other.lights.is_empty() & tables.sure_light(other.cell, cell).is_some();
            targets += usize::from(targets_there.contains(other.cell));
            is_one_caught |= (other.lead < 0) & (other.end.depth > 0) & (steps[other.end.exit.index()] <= other.end.depth);
        }
        is_shut &= end.depth > 0;

        let mut rows = ActionRows::EMPTY;
        rows.add(KINDS, 0);
        rows.add(10, self.turns_left);
        rows.add(6, self.boost_turns);
        rows.add(7, self.until_spawn);
        let to_spawn = i32::from(tables.steps_to_spawn(cell));
        rows.add(6, bin(to_spawn, &[0, 1, 2, 3, 5]));
        rows.add(7, bin(to_spawn - state.generator_turns_left as i32, &[-6, -3, -2, -1, 0, 1]));
        // What is on the cell, and who else may come.
        let fruit = usize::from(state.small_fruits.contains(cell)) + 2 * usize::from(state.large_fruits.contains(cell));
        let rivals = if stronger_come > 0 { 2 } else { usize::from(any_comes) };
        rows.add(9, 3 * fruit.min(2) + rivals);
        rows.add(3, stronger_come.min(2));
        rows.add(CHANGES, change(place.small, self.here.small));
        rows.add(CHANGES, change(place.large, self.here.large));
        rows.add(CHANGES, change(place.first, self.here.first));
        rows.add(7, bin((self.most_food - place.food) as i32, &[99, 1_099, 2_599, 5_099, 10_099, 20_099]));
        rows.add(6, bin(self.most_food as i32, &[1_999, 5_999, 10_999, 20_999, 35_999]));
        rows.add(5, (place.near as usize).min(4));
        // The others.
        rows.add(CHANGES, change(place.stronger, self.here.stronger));
        rows.add(CHANGES, change(place.weaker, self.here.weaker));
        rows.add(8, distance_bin(place.equal));
        rows.add(8, 2 * usize::from(end.depth.min(3)) + usize::from(is_shut));
        rows.add(4, (maze.open_sides(cell).count_ones() as usize).clamp(1, 4) - 1);
        rows.add(4, self.strongest_here);
        rows.add(4, if cell == here { 0 } else { strongest_on(self.others(), cell) });
        // Light.
        rows.add(6, 2 * lit.min(2) + usize::from(self.is_lit));
        rows.add(2, usize::from(cannot_miss));
        rows.add(6, 3 * usize::from(self.can_shoot) + targets.min(2));
        debug_assert_eq!(rows.next, FIRST_AFTER_SHOT - SHOT);
        PlaceRows { before_shot: rows, is_one_caught }
    }

    #[inline]
    fn rows(&self, action: Action, place: &PlaceRows) -> ActionRows {
        let mut rows = place.before_shot;
        match action {
            Action::Stay | Action::Invalid => {}
            Action::Move(_) => rows.set_kind(1),
            Action::Shoot(direction) => {
                rows.set_kind(2);
                rows.append(&self.shot_rows(direction));
            }
        }
        let mut after_shot = self.after_shot;
        after_shot[QUICK] += u16::from(action == self.quick);
        after_shot[CAUGHT] += u16::from(place.is_one_caught);
        rows.append(&after_shot);
        rows
    }

    #[inline]
    fn shot_rows(&self, direction: Direction) -> [u16; 5] {
        let &PolicyPosition { tables, maze, state, .. } = self.position;
        let here = state.cells[self.seat];
        let ray = maze.ray(here, direction);
        let (mut sure, mut chances) = (0, 0);
        let mut target = ShotTarget { chance: 0, nearness: 0, lead: 0 };
        for other in self.others() {
            let chance = 100 * (other.reach & ray).len() as i32 / other.reach.len() as i32;
            chances += chance;
            sure += usize::from(chance == 100);
            let nearness = DistanceTables::UNREACHABLE - tables.steps(here, other.cell);
            target = target.max(ShotTarget { chance, nearness, lead: other.lead.signum() });
        }
        let ShotTarget { chance, nearness, lead } = target;
        let mut shot = ActionRows { next: FIRST_AFTER_SHOT - SHOT, ..ActionRows::EMPTY };
        shot.add(3, sure.min(2));
        shot.add(6, bin(chance, &[19, 26, 40, 51, 99]));
        shot.add(4, bin(chances, &[30, 60, 100]));
        shot.add(5, bin((DistanceTables::UNREACHABLE - nearness).into(), &[1, 2, 4, 7]));
        shot.add(3, (1 + lead) as usize);
        debug_assert_eq!(shot.next, FIRST_AFTER_SHOT);
        std::array::from_fn(|property| shot.rows[property])
    }
}

/// The target of a shot: the player that it hits most likely, of those the nearest, of those the strongest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ShotTarget {
    /// In percent.
    chance: i32,
    /// How much nearer it is than what is unreachable.
    nearness: u8,
    /// Whether it is weaker (-1), as strong or stronger (1).
    lead: i32,
}

/// Returns the bin of the strongest of these players on a cell: none, weaker, equal or stronger than the seat.
#[inline]
fn strongest_on(others: &[Other], cell: Cell) -> usize {
    let there = others.iter().filter(|other| other.cell == cell).map(|other| other.lead);
    there.max().map_or(0, |lead| 2 + lead.signum()) as usize
}

/// The bins of the kind of an action, which is the first property.
const KINDS: u16 = 3;

/// The bins of a light.
const SHOT: u16 = 3 + 6 + 4 + 5 + 3;

/// The number of properties after those of a shot, and the first of their rows.
const AFTER_SHOT: usize = 7;
const FIRST_AFTER_SHOT: u16 = ROWS as u16 - (7 + 4 + 7 + 3 + 2 + 2 + 2);
/// The places among them of the properties that depend on the action: whether it is the quick policy's, and whether after it a weaker
/// player is shut in a dead end.
const QUICK: usize = 4;
const CAUGHT: usize = 6;

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
