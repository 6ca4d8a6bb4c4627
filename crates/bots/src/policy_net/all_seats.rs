//! The quick twin of [`PolicyPosition::rows`] and [`super::PolicyNet::probabilities`], for the search: the actions of all seats at once.
//! It finds the same rows, and adds them up as whole numbers.

use pacman2_rules::{Action, BySeat, Cell, Direction, Maze, Seat, State};

use super::bounds::{self, bin};
use super::first_row;
use super::inputs::{SHARES, rivals};
use super::joined::{
    BOOST, DEAD_END, FOLLOWING, LATENESS, LEAD, LIGHT, NEAR_FOOD, SHOT_CHANCE, SHOT_TARGET, SPAWN, STRENGTH, STRONGEST, TURNS,
};
use super::lanes::{self, Lanes};
use super::place_tables::{CANNOT_MISS, COMES, FixedPlaces, IS_CAUGHT, IS_TARGET, LIGHTS, PlaceNumbers, PlaceTables, SHUTS};
use super::quantised::{WholePlayer, WholeRows, WholeSum};
use super::shot::ShotBins;
use crate::choice::action_number;
use crate::dispatch::Computation;
use crate::distance_tables::DistanceTables;

/// The first rows of what is found at the place after an action, in the order of [`PlaceBins`].
const PLACE_ROWS: [u16; 11] = [
    SPAWN,
    LATENESS,
    NEAR_FOOD,
    DEAD_END,
    LIGHT,
    STRONGEST,
    first_row(8),
    first_row(9),
    first_row(10),
    first_row(14),
    first_row(15),
];
/// Where fruit within two steps and the food less than at the best place is among them.
const OF_NEAR_FOOD: usize = 2;

/// Which row after each of [`PLACE_ROWS`], by seat and place.
type PlaceBins = [Lanes; PLACE_ROWS.len()];

/// A set of actions: the bits of their places in [`Action::ALL`].
pub(crate) type ActionSet = u16;

/// The probabilities of some actions of all seats, in the order of [`Action::ALL`].
pub(crate) struct AllSeats<'a> {
    pub(crate) rows: &'a WholeRows,
    pub(crate) places: &'a PlaceTables,
    pub(crate) tables: &'a DistanceTables,
    pub(crate) maze: &'a Maze,
    pub(crate) state: &'a State,
    /// What the players did in the turn before.
    pub(crate) last: BySeat<Action>,
    /// Of each seat; none of a seat that does not matter.
    pub(crate) actions: [ActionSet; 4],
    pub(crate) players: &'a [WholePlayer; 4],
}

impl Computation for AllSeats<'_> {
    type Output = [[f32; 9]; 4];

    #[inline(always)]
    fn compute(self) -> [[f32; 9]; 4] {
        let AllSeats { rows, maze, state, actions, players, .. } = self;
        let seen = self.see();
        let bins = self.bins(&seen);
        let best_food: [u32; 4] = std::array::from_fn(|seat| best_food(&seen.food, seat, actions[seat]));
        let common = self.common(&seen, &best_food);
        let nearest = self.nearest(&seen);
        let mut likely = [[0.0; 9]; 4];
        for seat in Seat::ALL.into_iter().filter(|seat| actions[seat.index()] != 0) {
            let index = seat.index();
            let (actions, player, last) = (actions[index], &players[index], action_number(self.last[seat]));
            let here = state.cells[seat];
            let less_food = less_food(&seen.food, index, best_food[index]);
            let common = rows.sum(player.start(), player, common[index]);
            let start = PlaceStart { bins: &bins, less_food: &less_food, seat: index, common, player };
            let (following, quick) = (&rows.following[last], self.quick(&seen, index, nearest[index]));
            let following =
                |action: usize| usize::from(FOLLOWING) + 2 * usize::from(following[action]) + usize::from(action == quick);

            let mut logits = [i32::MIN; 9];
            let mut count = 0;
            let here_sum = self.at(&start, 0);
            if actions & 1 != 0 {
                logits[0] = player.logit(&rows.sum(here_sum, player, [following(0)]));
                count = 1;
            }
            for direction in directions(actions >> 1) {
                // A move around a maze of one row or column ends where it began.
                let is_elsewhere = maze.neighbour(here, direction) != here;
                let sum = self.at(&start, if is_elsewhere { 1 + direction.index() } else { 0 });
                logits[count % 9] = player.logit(&rows.sum(sum, player, [following(1 + direction.index())]));
                count += 1;
            }
            for direction in directions(actions >> 5) {
                let [target, chance] = self.shot_rows(seat, direction);
                logits[count % 9] = player.logit(&rows.sum(here_sum, player, [following(5 + direction.index()), target, chance]));
                count += 1;
            }
            likely[index] = player.softmax(&logits, count);
        }
        likely
    }
}

/// What the sums of all places of a seat begin with.
struct PlaceStart<'a> {
    bins: &'a PlaceBins,
    less_food: &'a [u8; 8],
    seat: usize,
    common: WholeSum,
    player: &'a WholePlayer,
}

/// Iterates over the directions in the last four bits.
#[inline(always)]
fn directions(bits: ActionSet) -> impl Iterator<Item = Direction> {
    let mut rest = bits & 15;
    std::iter::from_fn(move || {
        let direction = *Direction::ALL.get(rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(direction)
    })
}

/// Returns the most food of any place to which these actions lead, the cell of the player included.
#[inline(always)]
fn best_food(food: &[u32; 32], seat: usize, actions: ActionSet) -> u32 {
    let mut most = food[8 * seat];
    for place in 1..5 {
        most = most.max(if actions >> place & 1 != 0 { food[8 * seat + place] } else { 0 });
    }
    most
}

/// Returns the bins of how much less food there is at each place than at the best one.
#[inline(always)]
fn less_food(food: &[u32; 32], seat: usize, most: u32) -> [u8; 8] {
    let food: &[u32; 8] = food[8 * seat..].first_chunk().expect("each seat has eight lanes");
    let mut bins = [0; 8];
    for (less, &food) in bins.iter_mut().zip(food) {
        *less = bin(most.wrapping_sub(food).cast_signed(), &bounds::LESS_FOOD) as u8;
    }
    bins
}

impl AllSeats<'_> {
    /// Returns the sum of the rows of a place.
    #[inline(always)]
    fn at(&self, start: &PlaceStart, place: usize) -> WholeSum {
        let mut rows = [0; PLACE_ROWS.len()];
        for (kind, row) in rows.iter_mut().enumerate() {
            *row = usize::from(PLACE_ROWS[kind]) + usize::from(start.bins[kind][8 * start.seat + place]);
        }
        rows[OF_NEAR_FOOD] += usize::from(start.less_food[place]);
        self.rows.sum(start.common, start.player, rows)
    }

    /// Returns what each place sees.
    #[inline(always)]
    fn see(&self) -> Seen {
        let &AllSeats { places, maze, state, .. } = self;
        let cells = Seat::ALL.map(|seat| state.cells[seat]);
        let steps = cells.map(|cell| places.steps_from(cell));
        let discounts = cells.map(|cell| places.discounts(cell));
        let relations = cells.map(|cell| places.relations(cell));

        let mut seen = Seen::NOTHING;
        for other in state.alive.iter() {
            let cell = state.cells[other].index();
            let to = lanes::of_words(steps.map(|steps| steps[cell]));
            let relation = lanes::of_words(relations.map(|relations| relations[cell]));
            let lead = Seat::ALL.map(|seat| state.strength[other] - state.strength[seat]);
            let is_stronger = others_mask(other, lead.map(|lead| lead > 0));
            let is_equal = others_mask(other, lead.map(|lead| lead == 0));
            let is_weaker = others_mask(other, lead.map(|lead| lead < 0));
            let shoots = others_mask(other, [state.strength[other] > maze.ruleset().skill_cost; 4]);
            seen.add_player(&to, &relation, [is_stronger, is_equal, is_weaker, shoots]);
        }
        let unless_alive = Seat::ALL.map(|seat| if state.alive.contains(seat) { 0 } else { FAR });
        for cell in (state.small_fruits & !state.large_fruits).iter() {
            let rivals = seen.add_nearest(cell, self.tables.steps_from(cell), &cells, &unless_alive);
            let to = lanes::of_words(steps.map(|steps| steps[cell.index()]));
            seen.add_small_fruit(&to, &lanes::by_seat(rivals));
            add_food(&mut seen.food, discounts.map(|discounts| discounts[cell.index()]), &seen.share);
        }
        for cell in state.large_fruits.iter() {
            let rivals = seen.add_nearest(cell, self.tables.steps_from(cell), &cells, &unless_alive);
            let to = lanes::of_words(steps.map(|steps| steps[cell.index()]));
            seen.add_large_fruit(&to, &lanes::by_seat(rivals));
            add_food(&mut seen.food, discounts.map(|discounts| discounts[cell.index()]), &seen.share);
        }
        seen
    }

    /// Returns which rows the places have.
    #[inline(always)]
    fn bins(&self, seen: &Seen) -> PlaceBins {
        let &AllSeats { places, maze, state, .. } = self;
        let fixed = Seat::ALL.map(|seat| places.fixed(state.cells[seat]));
        let can_shoot = lanes::mask(Seat::ALL.map(|seat| state.strength[seat] > maze.ruleset().skill_cost));
        seen.bins(fixed, can_shoot, state.generator_turns_left)
    }

    /// Returns the rows that all actions of a seat have.
    #[inline(always)]
    fn common(&self, seen: &Seen, best_food: &[u32; 4]) -> [[usize; 4]; 4] {
        let &AllSeats { maze, state, .. } = self;
        let settings = maze.ruleset();
        let (strength, boosts) = (state.strength.0, state.boost_turns_left.0);
        let mut stronger = [0; 4];
        let mut most = [i32::MIN; 4];
        let mut ends = [0; 4];
        for other in state.alive.iter().map(Seat::index) {
            let leads = strength.map(|own| strength[other].wrapping_sub(own));
            let of_boost = if boosts[other] > 0 { settings.large_fruit_enhancement } else { 0 };
            for seat in 0..4 {
                let (lead, is_another) = (leads[seat], seat != other);
                stronger[seat] += i32::from(is_another & (lead > 0));
                ends[seat] |= i32::from(is_another & (lead > 0) & (lead < of_boost));
                most[seat] = most[seat].max(if is_another { lead } else { i32::MIN });
            }
        }
        let turns_left = bin((settings.turn_limit - state.turn) as i32, &bounds::TURNS_LEFT);
        let until_spawn = bin(state.generator_turns_left as i32, &bounds::UNTIL_SPAWN);
        let living = state.alive.len().clamp(2, 4) as i32 - 2;
        let mut rows = [[0; 4]; 4];
        for (seat, rows) in rows.iter_mut().enumerate() {
            let boost = bin(boosts[seat] as i32, &bounds::BOOST_TURNS);
            let strongest_here = i32::from(seen.strongest[8 * seat]);
            let own = bin(strength[seat], &bounds::STRENGTH);
            let lead = if most[seat] == i32::MIN { strength[seat] } else { -most[seat] };
            let lead = bin(lead, &bounds::LEAD);
            let food = bin(best_food[seat].cast_signed(), &bounds::MOST_FOOD);
            *rows = [
                usize::from(TURNS) + (7 * turns_left + until_spawn) as u8 as usize,
                usize::from(BOOST) + (2 * (4 * boost + strongest_here) + ends[seat]) as u8 as usize,
                usize::from(STRENGTH) + (3 * (4 * own + stronger[seat]) + living) as u8 as usize,
                usize::from(LEAD) + (6 * lead + food) as u8 as usize,
            ];
        }
        rows
    }

    /// Returns the action of [`crate::policy::quick_action`], by its place in [`Action::ALL`], given the index of the nearest fruit.
    ///
    /// A step towards the goal out of danger is the way out of danger that is nearest to the goal, so one formula is enough for both.
    #[inline(always)]
    fn quick(&self, seen: &Seen, seat: usize, nearest: usize) -> usize {
        let &AllSeats { places, tables, maze, state, .. } = self;
        let (strength, cells) = (state.strength.0, state.cells.0);
        let here = cells[seat];
        let (steps, relations) = (places.steps_from(here), places.relations(here));
        let (mut lit, mut goal) = (0, nearest);
        for other in state.alive.iter().map(Seat::index) {
            let there = cells[other];
            let is_caught = relations[there.index()] as u8 & IS_CAUGHT != 0;
            let is_prey = (strength[other] < strength[seat]) & is_caught & (steps[there.index()] as u8 <= 6);
            goal = if is_prey { there.index() } else { goal };
            lit |= u8::from((other != seat) & tables.sure_light(here, there).is_some()) << other;
        }
        if lit != 0 && strength[seat] > maze.ruleset().skill_cost {
            let target = cells[lit.trailing_zeros() as usize % 4];
            return 5 + tables.sure_light(here, target).map_or(0, Direction::index);
        }
        let (goal, open) = (steps[goal].to_le_bytes(), 1 | maze.open_sides(here) << 1);
        let mut best = u32::MAX;
        for (place, &steps) in goal[..5].iter().enumerate() {
            let danger = u32::from(seen.stronger_come[8 * seat + place] != 0);
            let way = danger << 16 | u32::from(steps) << 8 | place as u32;
            best = best.min(if open >> place & 1 != 0 { way } else { u32::MAX });
        }
        best as usize % 256
    }

    /// Returns the index of each seat's nearest fruit, or of the nearest cell where fruit will spawn, or of its own cell if there is none.
    #[inline(always)]
    fn nearest(&self, seen: &Seen) -> [usize; 4] {
        let &AllSeats { tables, maze, state, .. } = self;
        if state.small_fruits.is_empty() && state.large_fruits.is_empty() {
            return Seat::ALL.map(|seat| {
                let here = state.cells[seat];
                let steps = tables.steps_from(here);
                maze.spawn_cells().iter().min_by_key(|cell| steps[cell.index()]).unwrap_or(here).index()
            });
        }
        seen.nearest.map(|nearest| nearest as usize % 128)
    }

    /// Returns the rows of a shot.
    #[inline(always)]
    fn shot_rows(&self, seat: Seat, direction: Direction) -> [usize; 2] {
        let ShotBins { sure, chance, chances, steps, target } =
            ShotBins::new(self.tables, self.maze, self.state, seat, direction);
        [
            usize::from(SHOT_TARGET) + (3 * (5 * sure + steps) + target) as u8 as usize,
            usize::from(SHOT_CHANCE) + (4 * chance + chances) as u8 as usize,
        ]
    }
}

/// What each place sees of the other players and of fruit.
struct Seen {
    /// Steps to the nearest stronger, equal and weaker player.
    stronger: Lanes,
    equal: Lanes,
    weaker: Lanes,
    /// Numbers of players.
    come: Lanes,
    stronger_come: Lanes,
    shut: Lanes,
    caught: Lanes,
    lit: Lanes,
    cannot_miss: Lanes,
    targets: Lanes,
    /// The strongest player there: 1 if it is weaker, 2 if it is as strong, 3 if it is stronger.
    strongest: Lanes,
    /// Steps to the nearest fruit, and to the nearest small one that no other player is nearer to.
    small: Lanes,
    large: Lanes,
    first: Lanes,
    /// Fruit within two steps.
    near: Lanes,
    /// The share of the last fruit, in tenths of a small one.
    share: Lanes,
    /// The discounted fruit around.
    food: [u32; 32],
    /// By seat: the steps from the nearest fruit, of equally near ones that in the cell with the lowest index, and the index.
    nearest: [u32; 4],
}

const FAR: u8 = DistanceTables::UNREACHABLE;

impl Seen {
    const NOTHING: Seen = Seen {
        stronger: [FAR; 32],
        equal: [FAR; 32],
        weaker: [FAR; 32],
        come: [0; 32],
        stronger_come: [0; 32],
        shut: [0; 32],
        caught: [0; 32],
        lit: [0; 32],
        cannot_miss: [0; 32],
        targets: [0; 32],
        strongest: [0; 32],
        small: [FAR; 32],
        large: [FAR; 32],
        first: [FAR; 32],
        near: [0; 32],
        share: [0; 32],
        food: [0; 32],
        nearest: [u32::MAX; 4],
    };

    /// Adds a player, with the steps to it, what holds for it, and masks of the seats than which it is stronger, as strong and weaker,
    /// and of those at which it can shoot.
    #[inline(always)]
    fn add_player(&mut self, to: &Lanes, relation: &Lanes, masks: [&Lanes; 4]) {
        let [is_stronger, is_equal, is_weaker, shoots] = masks;
        for lane in 0..32 {
            let (to, relation) = (to[lane], relation[lane]);
            let (is_stronger, is_equal, is_weaker) = (is_stronger[lane], is_equal[lane], is_weaker[lane]);
            let is_another = is_stronger | is_equal | is_weaker;
            let shoots = shoots[lane] & relation;
            self.stronger[lane] = self.stronger[lane].min(to | !is_stronger);
            self.equal[lane] = self.equal[lane].min(to | !is_equal);
            self.weaker[lane] = self.weaker[lane].min(to | !is_weaker);
            self.come[lane] |= relation & COMES & is_another;
            self.stronger_come[lane] += relation & COMES & is_stronger;
            self.shut[lane] |= relation & SHUTS & is_stronger;
            self.caught[lane] |= relation & IS_CAUGHT & is_weaker;
            self.targets[lane] += relation & IS_TARGET & is_another;
            self.lit[lane] += shoots & LIGHTS;
            self.cannot_miss[lane] |= shoots & CANNOT_MISS;
            let strength = is_weaker & 1 | is_equal & 2 | is_stronger & 3;
            self.strongest[lane] = self.strongest[lane].max(if to == 0 { strength } else { 0 });
        }
    }

    /// Adds a fruit to the nearest ones, given the steps from it, and returns for each seat those to the nearest other player.
    #[inline(always)]
    fn add_nearest(&mut self, cell: Cell, steps: &[u8; 128], cells: &[Cell; 4], unless_alive: &[u8; 4]) -> [u8; 4] {
        let to: [u8; 4] = std::array::from_fn(|seat| steps[cells[seat].index()] | unless_alive[seat]);
        let keys = to.map(|steps| u32::from(steps) << 8 | cell.index() as u32);
        self.nearest = std::array::from_fn(|seat| self.nearest[seat].min(keys[seat]));
        rivals(to)
    }

    /// Adds a small fruit, with the steps to it and those from the nearest other player to it.
    #[inline(always)]
    fn add_small_fruit(&mut self, to: &Lanes, rival: &Lanes) {
        for lane in 0..32 {
            let (to, rival) = (to[lane], rival[lane]);
            self.small[lane] = self.small[lane].min(to);
            self.first[lane] = self.first[lane].min(if to > rival { FAR } else { to });
            self.near[lane] += u8::from(to <= 2);
            self.share[lane] = share(to, rival);
        }
    }

    /// Adds a large fruit.
    #[inline(always)]
    fn add_large_fruit(&mut self, to: &Lanes, rival: &Lanes) {
        for lane in 0..32 {
            let (to, rival) = (to[lane], rival[lane]);
            self.large[lane] = self.large[lane].min(to);
            self.near[lane] += u8::from(to <= 2);
            self.share[lane] = times_3(share(to, rival));
        }
    }

    /// Returns which rows the places have.
    #[inline(always)]
    fn bins(&self, fixed: [&FixedPlaces; 4], can_shoot: &Lanes, until_spawn: u32) -> PlaceBins {
        let to_spawn = lanes::of_words(fixed.map(|fixed| fixed.to_spawn));
        let dead_end = lanes::of_words(fixed.map(|fixed| fixed.dead_end));
        let open_sides = lanes::of_words(fixed.map(|fixed| fixed.open_sides));
        let lit_here = lanes::first_of_seat(&self.lit);
        let spawn = spawn_distances(&to_spawn);
        let mut late = lateness(&to_spawn, until_spawn);
        let equal = distance_bins(&self.equal);
        let mut light = [0; 32];
        for lane in 0..32 {
            let lit = 2 * (self.lit[lane] / LIGHTS).min(2) + (lit_here[lane] / LIGHTS).min(1);
            let targets = (self.targets[lane] / IS_TARGET).min(2) + (can_shoot[lane] & 3);
            light[lane] = 2 * (times_3(2 * lit) + targets) + self.cannot_miss[lane] / CANNOT_MISS;
        }
        let mut there = [[0; 32]; 4];
        for lane in 0..32 {
            let fruit = (u8::from(self.large[lane] == 0) * 6).max(u8::from(self.small[lane] == 0) * 3);
            let fruit = fruit + (2 * self.stronger_come[lane].min(1)).max(self.come[lane]);
            there[0][lane] = times_3(times_3(spawn[lane])) + fruit;
            let near = self.near[lane].min(4);
            there[1][lane] = 8 * near - near;
            let dead_end = dead_end[lane] + self.shut[lane] / SHUTS;
            there[2][lane] = 2 * (4 * dead_end + open_sides[lane]) + self.caught[lane] / IS_CAUGHT;
            there[3][lane] = times_3(self.strongest[lane] & IS_ELSEWHERE[lane]) + self.stronger_come[lane].min(2);
            late[lane] = 8 * late[lane] + equal[lane];
        }
        [
            there[0],
            late,
            there[1],
            there[2],
            light,
            there[3],
            changes(&self.small),
            changes(&self.large),
            changes(&self.first),
            changes(&self.stronger),
            changes(&self.weaker),
        ]
    }
}

/// Three times a byte: no instruction multiplies bytes.
#[inline(always)]
fn times_3(byte: u8) -> u8 {
    byte + byte + byte
}

/// Returns the bins of steps to a spawn cell.
#[inline(always)]
fn spawn_distances(to: &Lanes) -> Lanes {
    let mut bins = [0; 32];
    for lane in 0..32 {
        bins[lane] = at_or_beyond(to[lane], [1, 2, 3, 4, 6]);
    }
    bins
}

/// Returns the bins of steps to a spawn cell minus the turns until fruit spawns.
#[inline(always)]
fn lateness(to_spawn: &Lanes, until_spawn: u32) -> Lanes {
    // In each bin but the first, a player is at least this far away.
    let turns = until_spawn.min(1000) as i32;
    let [a, b, c, d, e, f] = [-5, -2, -1, 0, 1, 2].map(|late| (turns + late).clamp(0, 256));
    // What no distance in a byte reaches.
    let [a, b, c, d, e, f] = [a, b, c, d, e, f].map(|least| (least.min(255) as u8, u8::from(least < 256)));
    let mut bins = [0; 32];
    for lane in 0..32 {
        let to = to_spawn[lane];
        let one = |(least, is_possible): (u8, u8)| u8::from(to >= least) & is_possible;
        bins[lane] = one(a) + one(b) + one(c) + one(d) + one(e) + one(f);
    }
    bins
}

/// Returns the bins of distances.
#[inline(always)]
fn distance_bins(to: &Lanes) -> Lanes {
    let mut bins = [0; 32];
    for lane in 0..32 {
        bins[lane] = distance_bin(to[lane]);
    }
    bins
}

/// Returns the bins of distances and of how they change.
#[inline(always)]
fn changes(to: &Lanes) -> Lanes {
    let before = lanes::first_of_seat(to);
    let mut bins = [0; 32];
    for lane in 0..32 {
        let change = 1 + u8::from(to[lane] > before[lane]) - u8::from(to[lane] < before[lane]);
        bins[lane] = times_3(distance_bin(to[lane])) + change;
    }
    bins
}

/// Returns the share of a fruit, by the steps to it and those of the nearest other player.
#[inline(always)]
fn share(to: u8, rival: u8) -> u8 {
    let [nearer, equal, first] = SHARES;
    nearer + if rival >= to { equal - nearer } else { 0 } + if rival > to { first - equal } else { 0 }
}

/// Adds the value of a fruit for each place: at most 30,000.
#[inline(always)]
fn add_food(food: &mut [u32; 32], discounts: [PlaceNumbers; 4], shares: &Lanes) {
    for (lane, discount) in discounts.as_flattened().iter().enumerate() {
        food[lane] += u32::from(discount * u16::from(shares[lane]));
    }
}

/// Masks of all places but the cell itself.
static IS_ELSEWHERE: Lanes = {
    let mut lanes = [u8::MAX; 32];
    let mut seat = 0;
    while seat < 4 {
        lanes[8 * seat] = 0;
        seat += 1;
    }
    lanes
};

/// Returns how many of these numbers a byte is at least.
#[inline(always)]
fn at_or_beyond<const COUNT: usize>(byte: u8, numbers: [u8; COUNT]) -> u8 {
    let mut count = 0;
    for number in numbers {
        count += u8::from(byte >= number);
    }
    count
}

/// Returns the bin of a distance.
#[inline(always)]
fn distance_bin(to: u8) -> u8 {
    at_or_beyond(to, [1, 2, 3, 4, 5, 7, FAR])
}

/// Returns masks of the seats other than this one for which this holds.
#[inline(always)]
fn others_mask(other: Seat, holds: [bool; 4]) -> &'static Lanes {
    lanes::mask(std::array::from_fn(|seat| holds[seat] & (seat != other.index())))
}

#[cfg(test)]
mod tests {
    use pacman2_rules::{Game, Ruleset, picture};

    use super::*;
    use crate::BuiltIn;
    use crate::dispatch;
    use crate::policy_net::{OWN_STYLE, PolicyNet, PolicyPosition, last_actions};

    /// Without the tunnels, and with dead ends, a wall that stands on one side only, and a cell that nobody leaves.
    const FIELD: &str = "
        turn 0/100, fruit in 3/8
        +---+---+---+---+---+---+---+
        | 0   .       .   .       . |
        +   +---+   +   +   +---+   +
        | .   G   o     |     G   . |
        +   +   +---+   +---+   +   +
        |     2 | .   . | 1 |       |
        +   +   +---+   +   +   +   +
        | .       .   G   o       . |
        +   +---+   +   +   +---+   +
        | . | o   .   . | 3   .   . |
        +---+---+---+---+---+---+---+
    ";

    fn check(maze: Maze, game: &Game, tables: &DistanceTables, places: &PlaceTables) {
        let (net, state) = (PolicyNet::built_in(), game.state());
        let rows = WholeRows::new(&net);
        let mut fitted = net.player(net.style(OWN_STYLE));
        fitted.additions.iter_mut().enumerate().for_each(|(row, addition)| *addition = (row % 17) as f32 / 8.0 - 1.0);
        let player = rows.player(&fitted);
        let players = std::array::from_fn(|_| player.clone());
        let last = last_actions(game);
        let position = PolicyPosition::new(tables, &maze, state).after(last);
        let legal = Seat::ALL.map(|seat| state.legal_actions(&maze, seat));
        // All legal actions, and only some.
        for skipped in 0..3 {
            let actions = legal.map(|legal| &legal[skipped.min(legal.len())..]);
            let set =
                |actions: &[Action]| actions.iter().filter_map(|action| action.index()).fold(0, |set, index| set | 1 << index);
            let (maze, players, actions_as_sets) = (&maze, &players, actions.map(set));
            let all = AllSeats { rows: &rows, places, tables, maze, state, last, actions: actions_as_sets, players };
            let likely = dispatch::run(all);
            for seat in Seat::ALL.into_iter().filter(|&seat| !actions[seat.index()].is_empty()) {
                let actions = actions[seat.index()];
                let mut logits = [i32::MIN; 9];
                for (logit, action) in logits.iter_mut().zip(&position.rows(seat, actions)[..actions.len()]) {
                    let add = |sum, &row| rows.sum(sum, &player, [usize::from(row)]);
                    *logit = player.logit(&action.as_slice().iter().fold(player.start(), add));
                }
                let expected = player.softmax(&logits, actions.len());
                assert_eq!(likely[seat.index()], expected, "{seat:?} {actions:?}\n{state:?}");
                let exact = net.probabilities(&position.rows(seat, actions)[..actions.len()], &fitted);
                assert!(exact.iter().zip(expected).all(|(exact, whole)| (exact - whole).abs() < 0.01), "{exact:?} {expected:?}");
            }
        }
    }

    #[test]
    fn the_twin_finds_the_same_rows() {
        let (maze, start) = picture::read(FIELD).expect("it is a picture");
        let odd = Ruleset { skill_cost: 1, generator_interval: 300, large_fruit_duration: 3, ..*maze.ruleset() };
        for (maze, seed) in [(maze.clone(), 1), (maze.clone(), 2), (maze.with_ruleset(odd).expect("it is possible"), 3)] {
            let tables = DistanceTables::new(&maze);
            let places = PlaceTables::new(&tables, &maze);
            let bots = ["random", "greedy", "hunter", "random"].map(|name| BuiltIn::named(name).expect("there is such a bot"));
            let mut game = Game::new(maze.clone(), start);
            while !game.is_over() {
                check(maze.clone(), &game, &tables, &places);
                let alive = game.state().alive;
                let decide =
                    |seat: Seat| if alive.contains(seat) { (bots[seat.index()].decide)(&game, seat, seed) } else { Action::Stay };
                let actions = BySeat::from_fn(decide);
                game.play(&actions);
            }
        }
    }
}
