//! Random games to their ends, in as few instructions and hard-to-predict branches as possible.
//!
//! In most turns of a random game, all players walk or shoot past each other. Such a turn takes a handful of instructions for
//! each player here. When several are in a cell or light hits, steps 1 to 5 are those of [`Turn`]. Fruit is looked up by cell.
//!
//! Whether anybody shoots is hard to predict and known late. Whether anybody can is easier, and known early. If so, the turn is played as if
//! all shot, and otherwise the choices need not wait for strengths: up to a tenth faster.
//!
//! `tests/it/traces.rs` and `tests/it/laws.rs` compare it with games played turn by turn by [`State::play`].

use std::ops::{Add, Mul, Sub};

use super::Turn;
use super::lanes::{Aims, Places};
use super::random::RandomBits;
use crate::action::Action;
use crate::cell::{CELL_SETS, Cell, CellSet};
use crate::maze::Maze;
use crate::seat::{BySeat, Seat, SeatSet};
use crate::state::State;

/// A random game in progress. What changes in most turns is in few registers.
struct Playout<'a> {
    maze: &'a Maze,
    /// The position, except for the cells of the living, strengths, boosts and fruit.
    state: &'a mut State,
    /// Where the players are. The dead are nowhere.
    places: Places,
    /// Strengths, [raised](Quad::raise) so that the top bits are those of the players that can shoot.
    strength: Quad,
    /// Turns left, raised so that the top bits are those of the players with a boost.
    boosts: Quad,
    /// The top bits of the living.
    living: Quad,
    /// By how much strengths are raised.
    raise: Quad,
    /// The number of turns when the game ends, as far as is known.
    end: u32,
    /// A reference, so that the compiler need not keep everything else in memory, too.
    fruits: &'a mut FruitsByCell,
}

impl State {
    /// Plays to the end of the game with random actions. `random` returns 64 random bits for each turn.
    ///
    /// The actions are those of [`random_actions`](State::random_actions). `docs/PERFORMANCE.md` says how much faster it is than turn by turn.
    ///
    /// # Panics
    ///
    /// In debug builds, panics if a living player's cell is outside the maze.
    ///
    /// ```
    /// use pacman2_rules::picture;
    ///
    /// let (maze, mut state) = picture::read("
    ///     +---+---+---+
    ///     | 0   .   1 |
    ///     +   +   +   +
    ///     | 2   .   3 |
    ///     +---+---+---+
    /// ").unwrap();
    /// let mut bits = 42_u64;
    /// state.play_out(&maze, || {
    ///     bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
    ///     bits
    /// });
    /// assert!(state.is_over(&maze));
    /// ```
    #[inline]
    pub fn play_out(&mut self, maze: &Maze, mut random: impl FnMut() -> u64) {
        if self.is_over(maze) {
            return;
        }
        debug_assert_eq!(self.check_playable(maze), Ok(()), "`play_out` needs a position in its own maze");
        while !self.is_usual(maze) {
            if !self.play_randomly(maze, random()) {
                return;
            }
        }
        let mut fruits = FruitsByCell([0; 256]);
        fruits.fill(self, eights(maze));
        let mut playout = Playout::new(self, maze, &mut fruits);
        while playout.turn(RandomBits(random())) {}
        playout.finish();
    }
}

impl State {
    /// Returns whether the living have strength, as after any turn, all fruit is in the maze, and strengths and boosts stay small
    /// enough for a [`Quad`].
    #[inline(always)]
    fn is_usual(&self, maze: &Maze) -> bool {
        let rules = maze.ruleset();
        let [a, b, c, d] = self.strength.0;
        let [e, f, g, h] = self.boost_turns_left.0;
        // All strengths together are less than 4096 now. Until the end of the game, the players eat 4000 small fruits at most, 121
        // large ones, and gain from light what those that die of it do not have: at most nine times one and a half shots.
        (a | b | c | d) as u32 | e | f | g | h < 1024
            && SeatSet::from_fn(|seat| self.strength[seat] == 0).and(self.alive).is_empty()
            && (self.small_fruits | self.large_fruits).bits() >> maze.cells().len() == 0
            && rules.turn_limit <= 1000
            && rules.skill_cost <= 50
            && rules.large_fruit_enhancement <= 50
            && rules.large_fruit_duration <= 100
    }

    #[cold]
    #[inline(never)]
    fn play_randomly(&mut self, maze: &Maze, random: u64) -> bool {
        self.play(maze, &self.random_actions(maze, random), &mut ())
    }
}

impl<'a> Playout<'a> {
    #[inline(always)]
    fn new(state: &'a mut State, maze: &'a Maze, fruits: &'a mut FruitsByCell) -> Playout<'a> {
        let raise = Quad::raise(maze.ruleset().skill_cost as u16);
        let places = Places::new(state.cells).only(state.alive);
        Playout {
            places,
            strength: raise + Quad::new(state.strength.map(|strength| strength as u16)),
            boosts: Quad::raise(0) + Quad::new(state.boost_turns_left.map(|turns| turns as u16)),
            living: Quad::top_bits_of(state.alive),
            raise,
            end: maze.ruleset().turn_limit,
            maze,
            state,
            fruits,
        }
    }

    /// Plays one turn and returns whether the game goes on.
    #[inline(always)]
    fn turn(&mut self, random: RandomBits) -> bool {
        let eaters = match self.pass_by(random) {
            Ok(cells) => cells,
            Err(choices) => self.play_to_deaths(choices),
        };
        self.spawn_fruit();
        self.eat_fruit(eaters);
        self.expire_boosts();
        self.state.turn += 1;
        self.state.turn != self.end
    }

    /// Plays steps 1 to 5 and returns the cells of the players, or their choices if several are in a cell or light hits.
    #[inline(always)]
    fn pass_by(&mut self, random: RandomBits) -> Result<BySeat<usize>, Quad> {
        let can_shoot = self.strength.and(self.living);
        if can_shoot.0 == 0 {
            let cells = self.draw(random, Quad(0)).map(|choice| usize::from(choice[0]));
            let (places, cells) = self.walk(cells).ok_or_else(|| Quad::new(cells.map(|cell| cell as u16)))?;
            self.places = places;
            return Ok(cells);
        }
        let each = self.draw(random, can_shoot).map(|choice| usize::from(u16::from_le_bytes(*choice)));
        let choices = Quad::new(each.map(|choice| choice as u16));
        let (places, cells) = self.walk(each.map(|choice| choice % 128)).ok_or(choices)?;
        let [a, b, c, d] = each.map(|choice| self.maze.lit_by(choice)).0;
        let [e, f, g, h] = cells.map(|cell| CELL_SETS[cell]).0;
        if !(a | b | c | d).is_disjoint(e | f | g | h) {
            return Err(choices);
        }
        // The choices beyond the cells are shots.
        let shooters = (choices + Quad::raise(127)).top_bits();
        self.strength = self.strength - shooters * self.maze.ruleset().skill_cost as u16;
        self.places = places;
        Ok(cells)
    }

    /// Plays steps 1 and 2 for players who are about to be in these cells. Returns where they are then, unless several are in one.
    #[inline(always)]
    fn walk(&self, cells: BySeat<usize>) -> Option<(Places, BySeat<usize>)> {
        let places = Places::new(cells.map(|cell| Cell::new(cell as u8)));
        if places.meeting(self.places) & self.state.alive.lanes() == 0 {
            return Some((places, cells));
        }
        let places = self.places.or(self.frightened(places), places);
        places.shared().and(self.state.alive).is_empty().then(|| (places, cells_at(places)))
    }

    /// Returns the players who are about to enter the cell of a stronger one.
    #[inline(always)]
    fn frightened(&self, places: Places) -> SeatSet {
        let strength = self.strength - self.raise;
        let [then, now] = [places, self.places].map(|places| Quad::new(places.by_seat().map(|cell| cell.byte().into())));
        // Each player and another one, whose number comes into its place.
        let [a, b, c] = [16, 32, 48].map(|by| {
            let visits = (then.0 ^ now.0.rotate_right(by) ^ (0x7fff * Quad::ONES.0)) + Quad::ONES.0;
            visits & ((strength.0.rotate_right(by) | Quad::ONES.0 << 15) - strength.0 - Quad::ONES.0)
        });
        Quad(a | b | c).and(self.living).top_bits().seats()
    }

    /// Draws what each player does, as one of its [choices](Maze::choices).
    #[inline(always)]
    fn draw(&self, random: RandomBits, can_shoot: Quad) -> BySeat<&[u8; 2]> {
        BySeat::from_fn(|seat| {
            let choices = self.maze.choices(self.places.at(seat));
            let count = usize::from(choices[15][0]) + 4 * usize::from(can_shoot.at(seat) >> 15);
            &choices[random.below(count, seat) % 16]
        })
    }

    /// Plays steps 1 to 5 like any turn. Returns where the players eat: not on cells that they share.
    #[inline(always)]
    fn play_to_deaths(&mut self, choices: Quad) -> BySeat<usize> {
        self.write_back();
        let places = play_to_deaths(self.state, self.maze, choices);
        self.places = places;
        self.strength = self.raise + Quad::new(self.state.strength.map(|strength| strength as u16));
        self.living = Quad::top_bits_of(self.state.alive);
        self.end_with_survivor();
        cells_at(places.only(!places.shared()))
    }

    /// 6.
    #[inline(always)]
    fn spawn_fruit(&mut self) {
        self.state.generator_turns_left = self.state.generator_turns_left.wrapping_sub(1);
        if self.state.generator_turns_left == 0 {
            self.state.generator_turns_left = self.maze.ruleset().generator_interval;
            self.fruits.spawn(self.maze.spawn_cells());
        }
    }

    /// 7.
    #[inline(always)]
    fn eat_fruit(&mut self, cells: BySeat<usize>) {
        let found = Quad::new(cells.map(|cell| self.fruits.0[cell].into()));
        for cell in cells.0 {
            self.fruits.0[cell] = 0;
        }
        if found.0 & (Quad::ONES.0 * u64::from(FruitsByCell::LARGE)) == 0 {
            self.strength = self.strength + found;
            return;
        }
        let ruleset = self.maze.ruleset();
        // Where there are both, the small fruit is eaten.
        let small = Quad(found.0 & Quad::ONES.0);
        let large = Quad(found.0 >> 1 & Quad::ONES.0 & !small.0);
        let new = Quad(large.0 & !self.boosts.top_bits().0);
        self.strength = self.strength + small + new * ruleset.large_fruit_enhancement as u16;
        self.boosts = self.boosts + large * ruleset.large_fruit_duration as u16;
        for (seat, &cell) in cells.iter() {
            let fruit = found.at(seat) as u8;
            self.fruits.0[cell] = fruit & fruit.wrapping_sub(1);
        }
    }

    /// 8 and 9.
    #[inline(always)]
    fn expire_boosts(&mut self) {
        let counting = self.boosts.and(self.living).0;
        self.boosts = self.boosts - Quad(counting >> 15);
        let ending = counting & !self.boosts.0;
        if ending == 0 {
            return;
        }
        let ending = Quad(ending >> 15);
        let enhancement = self.maze.ruleset().large_fruit_enhancement as u16;
        let survives = (self.strength - self.raise + Quad::raise(enhancement)).top_bits();
        let dead = Quad(ending.0 & !survives.0);
        self.strength = self.strength - Quad(ending.0 & !dead.0) * enhancement;
        if dead.0 != 0 {
            self.write_cells();
            self.living = self.living - dead * (1 << 15);
            self.state.alive = self.living.top_bits().seats();
            self.places = self.places.only(self.state.alive);
            self.strength = self.strength - Quad((self.strength - self.raise).0 & (dead.0 * 0xffff));
            self.end_with_survivor();
        }
    }

    /// Writes cells and strengths into the position.
    #[inline(always)]
    fn write_back(&mut self) {
        self.write_cells();
        self.state.strength = (self.strength - self.raise).by_seat().map(i32::from);
    }

    /// Writes cells into the position.
    #[inline(always)]
    fn write_cells(&mut self) {
        self.state.cells = self.places.or(self.state.alive, Places::new(self.state.cells)).by_seat();
    }

    /// 11: the game ends when at most one player lives.
    #[inline(always)]
    fn end_with_survivor(&mut self) {
        if !self.state.alive.is_several() {
            self.end = self.state.turn + 1;
        }
    }

    /// Completes the position. 11: a sole survivor receives all small fruit.
    #[inline(always)]
    fn finish(mut self) {
        if !self.state.alive.is_several() {
            self.strength = self.strength + self.living.top_bits() * self.fruits.count_small();
        }
        self.write_back();
        self.state.boost_turns_left = (self.boosts - Quad::raise(0)).by_seat().map(u32::from);
        [self.state.small_fruits, self.state.large_fruits] = self.fruits.sets(eights(self.maze));
    }
}

/// Plays steps 1 to 5. Returns the places of the living.
#[cold]
#[inline(never)]
fn play_to_deaths(state: &mut State, maze: &Maze, choices: Quad) -> Places {
    let aims = Aims::new(choices.by_seat().map(|choice| match choice.checked_sub(128) {
        None => choice as u8,
        Some(light) => Aims::LIGHT + (light / 128) as u8,
    }));
    let (unused, observer) = (BySeat([Action::Stay; 4]), &mut ());
    let mut turn = Turn::new(state, maze, &unused, aims, observer);
    turn.check_actions();
    turn.move_all();
    turn.fight();
    turn.fire_lights();
    turn.remove_dead_after_lights();
    turn.places
}

/// Returns where the players are.
#[inline(always)]
fn cells_at(places: Places) -> BySeat<usize> {
    places.by_seat().map(Cell::index)
}

/// A number below 2¹⁵ for each seat, 16 bits each, in one register.
#[derive(Clone, Copy)]
struct Quad(u64);

impl Quad {
    const ONES: Quad = Quad(0x0001_0001_0001_0001);

    #[inline(always)]
    fn new(numbers: BySeat<u16>) -> Quad {
        let [a, b, c, d] = numbers.map(u64::from).0;
        Quad(a | b << 16 | c << 32 | d << 48)
    }

    /// Returns the top bits of these seats.
    #[inline(always)]
    fn top_bits_of(seats: SeatSet) -> Quad {
        let bits = u64::from(seats.lanes());
        let bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
        Quad((bits | bits << 8) << 8 & (Quad::ONES.0 << 15))
    }

    /// Returns the seats of the ones; the others must have 0.
    #[inline(always)]
    fn seats(self) -> SeatSet {
        // Each pair side by side, and then both pairs.
        let pairs = (self.0 | self.0 >> 8) & 0x0000_0101_0000_0101;
        SeatSet::from_lanes(((pairs | pairs >> 16) as u32) << 7)
    }

    #[inline(always)]
    fn at(self, seat: Seat) -> u16 {
        (self.0 >> (16 * seat.index())) as u16
    }

    #[inline(always)]
    fn by_seat(self) -> BySeat<u16> {
        BySeat::from_fn(|seat| self.at(seat))
    }

    /// Returns what must be added so that the top bits of the sums are those of the numbers that exceed `bound`.
    #[inline(always)]
    fn raise(bound: u16) -> Quad {
        Quad::ONES * (0x7fff - bound)
    }

    /// Returns the top bits of the numbers as ones.
    #[inline(always)]
    fn top_bits(self) -> Quad {
        Quad(self.0 >> 15 & Quad::ONES.0)
    }

    /// Returns the common bits.
    #[inline(always)]
    fn and(self, other: Quad) -> Quad {
        Quad(self.0 & other.0)
    }
}

impl Add for Quad {
    type Output = Quad;
    #[inline(always)]
    fn add(self, other: Quad) -> Quad {
        Quad(self.0 + other.0)
    }
}

impl Sub for Quad {
    type Output = Quad;
    #[inline(always)]
    fn sub(self, other: Quad) -> Quad {
        Quad(self.0 - other.0)
    }
}

impl Mul<u16> for Quad {
    type Output = Quad;
    #[inline(always)]
    fn mul(self, factor: u16) -> Quad {
        Quad(self.0 * u64::from(factor))
    }
}

/// The fruit on each cell: 1 for small, plus 2 for large.
struct FruitsByCell([u8; 256]);

impl FruitsByCell {
    const LARGE: u8 = 2;

    /// Puts the fruit of a position where there is none, in place: a value returned would be copied.
    #[inline(always)]
    fn fill(&mut self, state: &State, eights: usize) {
        let [small, large] = [state.small_fruits, state.large_fruits].map(|set| set.bits().to_le_bytes());
        let sets = small[..eights].iter().zip(&large[..eights]);
        for (eight, (&small, &large)) in self.0.as_chunks_mut().0.iter_mut().zip(sets) {
            *eight = (EIGHT_BYTES[usize::from(small)] + 2 * EIGHT_BYTES[usize::from(large)]).to_le_bytes();
        }
    }

    /// Returns the cells with small and with large fruit.
    #[inline(always)]
    fn sets(&self, eights: usize) -> [CellSet; 2] {
        let mut sets = [[0; 16]; 2];
        let [small, large] = &mut sets;
        for (eight, (small, large)) in self.0.as_chunks().0[..eights].iter().zip(small.iter_mut().zip(large)) {
            let eight = u64::from_le_bytes(*eight);
            [*small, *large] = [eight_bits(eight), eight_bits(eight >> 1)];
        }
        sets.map(|set| CellSet::from_bits(u128::from_le_bytes(set)))
    }

    #[inline(never)]
    fn spawn(&mut self, cells: CellSet) {
        for (eight, cells) in self.0.as_chunks_mut().0.iter_mut().zip(cells.bits().to_le_bytes()) {
            let before = u64::from_le_bytes(*eight);
            *eight = (before | EIGHT_BYTES[usize::from(cells)] & !(before | before >> 1)).to_le_bytes();
        }
    }

    #[inline(never)]
    fn count_small(&self) -> u16 {
        let eights = self.0.as_chunks().0[..16].iter().map(|eight| u64::from_le_bytes(*eight) & ONES).sum::<u64>();
        eights.wrapping_mul(ONES).to_le_bytes()[7].into()
    }
}

/// How many times eight cells cover the maze.
#[inline(always)]
fn eights(maze: &Maze) -> usize {
    maze.cells().len().div_ceil(8)
}

/// The lowest bit of each of eight bytes.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns the lowest bits of eight bytes as bits.
#[inline(always)]
fn eight_bits(eight: u64) -> u8 {
    ((eight & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Eight bits as the lowest bits of eight bytes.
static EIGHT_BYTES: [u64; 256] = {
    let mut words = [0; 256];
    let mut number = 0;
    while number < 256 {
        let mut bit = 0;
        while bit < 8 {
            words[number] |= (number as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        number += 1;
    }
    words
};
