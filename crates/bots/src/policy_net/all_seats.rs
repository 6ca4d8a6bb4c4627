//! The quick twin of [`PolicyPosition::rows`] and [`super::PolicyNet::probabilities`], for the search: the actions of all seats at once.
//! It finds the same rows, and adds them up as whole numbers.

use pacman2_rules::{Action, Cell, Seat};

use super::inputs::{FOOD_VALUES, PolicyPosition, SeatView, bin, following};
use super::lanes::{self, Lanes};
use super::place_tables::{CANNOT_MISS, COMES, FixedPlaces, IS_CAUGHT, IS_TARGET, LIGHTS, PlaceTables, SHUTS};
use super::quantised::{WholePlayer, WholeRows};
use super::{ROWS, first_row};
use crate::dispatch::Computation;
use crate::distance_tables::DistanceTables;

/// Properties of the place after an action, by their places in [`super::PROPERTIES`], in the order of [`PlaceBins`].
const OF_PLACE: [usize; 19] = [4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 35];
/// The first rows of these properties.
const PLACE_ROWS: [u16; OF_PLACE.len()] = {
    let mut rows = [0; OF_PLACE.len()];
    let mut index = 0;
    while index < rows.len() {
        rows[index] = first_row(OF_PLACE[index]);
        index += 1;
    }
    rows
};
/// Where the food less than at the best place is among them.
const LESS_FOOD: usize = 7;

/// The bins of each of [`OF_PLACE`], by seat and place.
type PlaceBins = [Lanes; OF_PLACE.len()];

/// The probabilities of some actions of all seats.
pub(crate) struct AllSeats<'a> {
    pub(crate) rows: &'a WholeRows,
    pub(crate) places: &'a PlaceTables,
    pub(crate) position: &'a PolicyPosition<'a>,
    /// Of each seat; none of a seat that does not matter.
    pub(crate) actions: [&'a [Action]; 4],
    pub(crate) players: &'a [WholePlayer; 4],
}

impl Computation for AllSeats<'_> {
    type Output = [[f32; 9]; 4];

    #[inline(always)]
    fn compute(self) -> [[f32; 9]; 4] {
        let AllSeats { rows, position, actions, players, .. } = self;
        let (bins, food) = self.bins();
        let mut likely = [[0.0; 9]; 4];
        for seat in Seat::ALL.into_iter().filter(|seat| !actions[seat.index()].is_empty()) {
            let (actions, player) = (actions[seat.index()], &players[seat.index()]);
            let here = position.state.cells[seat];
            let place_of = |action| match action {
                Action::Move(direction) if position.maze.neighbour(here, direction) != here => 1 + direction.index(),
                _ => 0,
            };
            let food: &[u32; 8] = food[8 * seat.index()..].first_chunk().expect("each seat has eight lanes");
            let most_food = actions.iter().fold(food[0], |most, &action| most.max(food[place_of(action)]));

            let view = SeatView::new(position, seat, || self.nearest(seat));
            let mut common = [0; 10];
            common[..5].copy_from_slice(&[
                first_row(1) + view.turns_left as u16,
                first_row(2) + view.boost_turns as u16,
                first_row(3) + view.until_spawn as u16,
                first_row(12) + bin(most_food as i32 / 1000, &[1, 5, 10, 20, 35]) as u16,
                first_row(19) + view.strongest_here as u16,
            ]);
            let [a, b, c, d, _, e, _] = view.after_shot;
            common[5..].copy_from_slice(&[a, b, c, d, e]);
            let common = rows.sum(player.start(), player, &common);

            let mut sums = [common; 5];
            let mut has_sum = [false; 5];
            let mut logits = [i32::MIN; 9];
            for (logit, &action) in logits.iter_mut().zip(actions) {
                let place = place_of(action);
                let lane = 8 * seat.index() + place;
                if !has_sum[place] {
                    has_sum[place] = true;
                    let mut of_place: [u16; OF_PLACE.len()] =
                        std::array::from_fn(|property| PLACE_ROWS[property] + u16::from(bins[property][lane]));
                    of_place[LESS_FOOD] += bin((most_food - food[place]) as i32 / 100, &[0, 10, 25, 50, 100, 200]) as u16;
                    sums[place] = rows.sum(common, player, &of_place);
                }
                let kind = match action {
                    Action::Move(_) => 1,
                    Action::Shoot(_) => 2,
                    Action::Stay | Action::Invalid => 0,
                };
                let quick = FIRST_QUICK + u16::from(action == view.quick);
                let mut sum = rows.sum(sums[place], player, &[kind, quick]);
                if let Action::Shoot(direction) = action {
                    sum = rows.sum(sum, player, &view.shot_rows(here, direction));
                }
                if let Some(last) = position.last {
                    sum = rows.sum(sum, player, &[(ROWS + following(action, last[seat])) as u16]);
                }
                *logit = player.logit(&sum);
            }
            likely[seat.index()] = player.softmax(&logits, actions.len());
        }
        likely
    }
}

/// The first row of whether the action is the quick policy's.
const FIRST_QUICK: u16 = first_row(33);

impl AllSeats<'_> {
    /// Returns the bins of places, and the discounted fruit around each.
    #[inline(always)]
    fn bins(&self) -> (PlaceBins, [u32; 32]) {
        let &AllSeats { places, position, .. } = self;
        let &PolicyPosition { maze, state, .. } = position;
        let cells = Seat::ALL.map(|seat| state.cells[seat]);
        let steps = cells.map(|cell| places.steps_from(cell));
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
        let mut food = [0; 32];
        let (small_fruits, large_fruits) = position.fruits[..position.fruit_count].split_at(position.small_count);
        for fruit in small_fruits {
            let to = lanes::of_words(steps.map(|steps| steps[fruit.cell.index()]));
            seen.add_small_fruit(&to, &lanes::by_seat(fruit.rivals));
            add_food(&mut food, &FOOD_VALUES[0], &seen.value_index);
        }
        for fruit in large_fruits {
            let to = lanes::of_words(steps.map(|steps| steps[fruit.cell.index()]));
            seen.add_large_fruit(&to, &lanes::by_seat(fruit.rivals));
            add_food(&mut food, &FOOD_VALUES[1], &seen.value_index);
        }
        let fixed = cells.map(|cell| places.fixed(cell));
        let can_shoot = lanes::mask(Seat::ALL.map(|seat| state.strength[seat] > maze.ruleset().skill_cost));
        (seen.bins(fixed, can_shoot, state.generator_turns_left), food)
    }

    /// Returns a living seat's nearest fruit, or the nearest cell where fruit will spawn.
    #[inline(always)]
    fn nearest(&self, seat: Seat) -> Option<Cell> {
        let position = self.position;
        if position.fruit_count > 0 {
            return position.fruits.get(position.nearest[seat.index()] as usize % 256).map(|fruit| fruit.cell);
        }
        let steps = position.tables.steps_from(position.state.cells[seat]);
        position.maze.spawn_cells().iter().min_by_key(|cell| steps[cell.index()])
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
    /// Where the value of the last fruit is in [`FOOD_VALUES`].
    value_index: Lanes,
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
        value_index: [0; 32],
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

    /// Adds a small fruit, with the steps to it and those from the nearest other player to it.
    #[inline(always)]
    fn add_small_fruit(&mut self, to: &Lanes, rival: &Lanes) {
        for lane in 0..32 {
            let (to, rival) = (to[lane], rival[lane]);
            self.small[lane] = self.small[lane].min(to);
            self.first[lane] = self.first[lane].min(if to > rival { FAR } else { to });
            self.near[lane] += u8::from(to <= 2);
            self.value_index[lane] = value_index(to, rival);
        }
    }

    /// Adds a large fruit.
    #[inline(always)]
    fn add_large_fruit(&mut self, to: &Lanes, rival: &Lanes) {
        for lane in 0..32 {
            let (to, rival) = (to[lane], rival[lane]);
            self.large[lane] = self.large[lane].min(to);
            self.near[lane] += u8::from(to <= 2);
            self.value_index[lane] = value_index(to, rival);
        }
    }

    /// Returns the bins.
    #[inline(always)]
    fn bins(&self, fixed: [&FixedPlaces; 4], can_shoot: &Lanes, until_spawn: u32) -> PlaceBins {
        let to_spawn = lanes::of_words(fixed.map(|fixed| fixed.to_spawn));
        let dead_end = lanes::of_words(fixed.map(|fixed| fixed.dead_end));
        let open_sides = lanes::of_words(fixed.map(|fixed| fixed.open_sides));
        let lit_here = lanes::first_of_seat(&self.lit);
        let mut light = [[0; 32]; 3];
        for lane in 0..32 {
            light[0][lane] = 2 * (self.lit[lane] / LIGHTS).min(2) + (lit_here[lane] / LIGHTS).min(1);
            light[1][lane] = self.cannot_miss[lane] / CANNOT_MISS;
            light[2][lane] = (self.targets[lane] / IS_TARGET).min(2) + (can_shoot[lane] & 3);
        }
        let mut there = [[0; 32]; 6];
        for lane in 0..32 {
            let fruit = (u8::from(self.large[lane] == 0) * 6).max(u8::from(self.small[lane] == 0) * 3);
            there[0][lane] = fruit + (2 * self.stronger_come[lane].min(1)).max(self.come[lane]);
            there[1][lane] = self.stronger_come[lane].min(2);
            there[2][lane] = self.near[lane].min(4);
            there[3][lane] = dead_end[lane] + self.shut[lane] / SHUTS;
            there[4][lane] = self.strongest[lane] & IS_ELSEWHERE[lane];
            there[5][lane] = self.caught[lane] / IS_CAUGHT;
        }
        [
            spawn_distances(&to_spawn),
            lateness(&to_spawn, until_spawn),
            there[0],
            there[1],
            changes(&self.small),
            changes(&self.large),
            changes(&self.first),
            [0; 32],
            there[2],
            changes(&self.stronger),
            changes(&self.weaker),
            distance_bins(&self.equal),
            there[3],
            open_sides,
            there[4],
            light[0],
            light[1],
            light[2],
            there[5],
        ]
    }
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
        bins[lane] = 3 * distance_bin(to[lane]) + change;
    }
    bins
}

/// Returns where the value of a fruit is, by the steps to it and those of the nearest other player.
#[inline(always)]
fn value_index(to: u8, rival: u8) -> u8 {
    let share = u8::from(rival >= to) + u8::from(rival > to);
    to.min(31) + 32 * share
}

/// Adds the values of a fruit for each place.
#[inline(always)]
fn add_food(food: &mut [u32; 32], values: &[u32; 128], indices: &Lanes) {
    for seat in 0..4 {
        for place in 0..5 {
            let lane = 8 * seat + place;
            food[lane] += values[usize::from(indices[lane] % 128)];
        }
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
    use pacman2_rules::{BySeat, Game, Maze, Ruleset, picture};

    use super::*;
    use crate::BuiltIn;
    use crate::dispatch;
    use crate::policy_net::{OWN_STYLE, PolicyNet, last_actions};

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
        let position = PolicyPosition::new(tables, &maze, state).after(last_actions(game));
        let legal = Seat::ALL.map(|seat| state.legal_actions(&maze, seat));
        // All legal actions, and only some.
        for skipped in 0..3 {
            let actions = legal.map(|legal| &legal[skipped.min(legal.len())..]);
            let likely = dispatch::run(AllSeats { rows: &rows, places, position: &position, actions, players: &players });
            for seat in Seat::ALL.into_iter().filter(|&seat| !actions[seat.index()].is_empty()) {
                let actions = actions[seat.index()];
                let mut logits = [i32::MIN; 9];
                for (logit, action) in logits.iter_mut().zip(&position.rows(seat, actions)[..actions.len()]) {
                    *logit = player.logit(&rows.sum(player.start(), &player, action.as_slice()));
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
