//! Many games, each on its own map: what learning and tournaments of built-in bots want.
//!
//! Game by game they are in lanes, 64 to a block. What lanes cannot hold, because some number is too large for a byte, the
//! rules themselves play on; nobody sees a difference.

mod observing;
mod places;
mod sampling;

use std::mem;
use std::sync::Arc;

pub use places::SlotState;

use pacman2_rules::{Action, BySeat, Maze, Seat, State};

use crate::arch::{self, Work};
use crate::columns::{Columns, Numbering, Row};
use crate::ground::own::{Own, OwnMap};
use crate::ground::{self, Ground, INVALID, draw};
use crate::instruction_set::InstructionSet;
use crate::lanes::{Bytes, Column, LANES, Lanes, Mask, lanes_of};
use crate::observe::lanes::Scene;
use crate::rng::{Chance, GameRng, seed_of_game};
use crate::turn::{After, Given, play};

/// A map and the position on it with which games begin, made ready for lanes.
#[derive(Clone, Debug)]
pub struct StartPosition {
    maze: Arc<Maze>,
    state: State,
    map: OwnMap,
    scene: Scene,
    /// `None` if lanes cannot hold it.
    row: Option<Row>,
}

impl StartPosition {
    /// Games begin with this position.
    pub fn new(maze: impl Into<Arc<Maze>>, state: State) -> StartPosition {
        let maze = maze.into();
        StartPosition {
            map: OwnMap::new(&maze),
            scene: Scene::new(&maze),
            row: Row::new(&maze, &state, Numbering::WIDEST),
            maze,
            state,
        }
    }

    /// The map.
    pub fn maze(&self) -> &Arc<Maze> {
        &self.maze
    }

    /// The position.
    pub fn state(&self) -> &State {
        &self.state
    }
}

/// Where new games come from.
pub trait StartSource: Send + Sync {
    /// What the game of that seed begins with: the same for the same seed. A game that is over before its first turn stays as
    /// it is, and [`Games::ended`] does not tell of it.
    ///
    /// If this panics, so does what asked, and the games mean nothing afterwards.
    fn start(&self, seed: u64) -> Arc<StartPosition>;
}

impl<F: Fn(u64) -> Arc<StartPosition> + Send + Sync> StartSource for F {
    fn start(&self, seed: u64) -> Arc<StartPosition> {
        self(seed)
    }
}

/// Starts of which each game begins with one, all as likely.
impl StartSource for Vec<Arc<StartPosition>> {
    /// # Panics
    ///
    /// If there are none.
    fn start(&self, seed: u64) -> Arc<StartPosition> {
        assert!(!self.is_empty(), "games have nothing to begin with: the list of starts is empty");
        // The upper half of the product: a whole part below the length.
        let place = ((u128::from(seed) * self.len() as u128) >> 64) as usize;
        Arc::clone(&self[place])
    }
}

/// A game that has ended in the last step.
#[derive(Clone, Debug)]
pub struct EndedGame {
    /// Which game.
    pub game: usize,
    /// Its map.
    pub maze: Arc<Maze>,
    /// Its last position.
    pub state: State,
}

/// Many games side by side.
///
/// Game `g` of games of seed `s` has a seed of its own, [`seed_of_game`]`(s, g)`; and the `n`-th game in that place, counted
/// from 0, has that seed's `n`-th. So what happens in a place depends neither on how many games there are, nor on threads,
/// nor on the instruction set. A clone is a way back: it goes on like the original.
#[derive(Clone)]
pub struct Games {
    instruction_set: InstructionSet,
    blocks: Vec<Block>,
    count: usize,
    source: Option<Arc<dyn StartSource>>,
    keeps_ended: bool,
}

#[derive(Clone)]
struct Block {
    columns: Columns,
    ground: Own,
    chance: Chance,
    places: Vec<Place>,
    /// Lanes that hold their games.
    held: u64,
    ended: Vec<Last>,
    number: usize,
}

/// A game that has ended, as it was left.
#[derive(Clone)]
struct Last {
    lane: usize,
    start: Arc<StartPosition>,
    position: LastPosition,
}

#[derive(Clone)]
enum LastPosition {
    InLane { row: Row, strength: BySeat<i32> },
    Beside(Box<State>),
}

impl Last {
    fn state(&self) -> State {
        match &self.position {
            LastPosition::InLane { row, strength } => {
                State { strength: *strength, ..row.state(&self.start.maze, Numbering::WIDEST) }
            }
            LastPosition::Beside(state) => **state,
        }
    }
}

/// One place for games.
#[derive(Clone)]
struct Place {
    start: Arc<StartPosition>,
    seed: u64,
    /// Games begun here.
    begun: u64,
    /// The position, if the lane does not hold it: its numbers are too large, or the game is over.
    beside: Option<Box<State>>,
}

impl Games {
    /// So many games of that seed, begun with what `source` has for them. A game that ends makes room for another at once.
    ///
    /// # Panics
    ///
    /// If this machine does not have the instruction set.
    pub fn new(instruction_set: InstructionSet, count: usize, seed: u64, source: Arc<dyn StartSource>) -> Games {
        assert!(instruction_set.is_available(), "this machine does not have {instruction_set}");
        let mut blocks = Vec::new();
        for number in 0..count.div_ceil(LANES) {
            let lanes = LANES.min(count - number * LANES);
            blocks.push(Block::new(number, lanes, seed, &*source));
        }
        Games { instruction_set, blocks, count, source: Some(source), keeps_ended: false }
    }

    /// The same games, of which each stays as it is when it is over, and further orders for it change nothing.
    pub fn without_new_games(self) -> Games {
        Games { source: None, ..self }
    }

    /// How many games there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The map of a game.
    ///
    /// # Panics
    ///
    /// If there is no such game, as all that is asked by a game's number.
    pub fn maze(&self, game: usize) -> &Arc<Maze> {
        &self.place_of(game).start.maze
    }

    /// The position of a game.
    pub fn state(&self, game: usize) -> State {
        let (block, place) = (&self.blocks[game / LANES], self.place_of(game));
        match &place.beside {
            Some(state) => **state,
            None => block.columns.row(game % LANES).state(&place.start.maze, Numbering::WIDEST),
        }
    }

    /// Puts another position, on another map or the same, in the place of a game. Its chance goes on. If the position is over,
    /// it stays as it is, and [`Games::ended`] does not tell of it.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn put(&mut self, game: usize, start: Arc<StartPosition>) {
        assert!(game < self.count, "there is no game {game}; there are {}", self.count);
        self.blocks[game / LANES].put(game % LANES, start);
    }

    /// Plays a turn of all games.
    ///
    /// `actions` are places in [`Order::ALL`], a game's four seats side by side; what is no such place is
    /// [`Order::Invalid`], and whoever gives it forfeits. Orders of the dead are not looked at. `rewards` become what each
    /// seat has gained in strength, or lost. Which games ended, [`Games::ended`] says.
    ///
    /// # Panics
    ///
    /// If there are not just as many orders and rewards as games, or if the [source](Source::start) does.
    pub fn step(&mut self, actions: &[[u8; 4]], rewards: &mut [[i32; 4]]) {
        self.check(actions.len(), "orders");
        self.check(rewards.len(), "rewards");
        let blocks = self.blocks.iter_mut().zip(actions.chunks(LANES)).zip(rewards.chunks_mut(LANES));
        arch::with(self.instruction_set, Step { blocks, source: succession(&self.source, self.keeps_ended) });
    }

    /// The same on this thread and the others of rayon's pool. To wake these takes some microseconds, the time of a thousand
    /// games: that pays with ten thousand games or more.
    pub fn step_in_parallel(&mut self, actions: &[[u8; 4]], rewards: &mut [[i32; 4]]) {
        self.check(actions.len(), "orders");
        self.check(rewards.len(), "rewards");
        let (instruction_set, source) = (self.instruction_set, succession(&self.source, self.keeps_ended));
        let blocks_each = self.blocks.len().div_ceil(rayon::current_num_threads()).max(1);
        let games_each = blocks_each * LANES;
        let parts = self.blocks.chunks_mut(blocks_each).zip(actions.chunks(games_each)).zip(rewards.chunks_mut(games_each));
        let mut steps = parts.map(|((blocks, actions), rewards)| {
            let blocks = blocks.iter_mut().zip(actions.chunks(LANES)).zip(rewards.chunks_mut(LANES));
            move || arch::with(instruction_set, Step { blocks, source })
        });
        let first = steps.next();
        rayon::in_place_scope(|scope| {
            steps.for_each(|step| scope.spawn(|_| step()));
            first.into_iter().for_each(|step| step());
        });
    }

    /// The games that ended in the last step, with the positions in which they did.
    pub fn ended(&self) -> impl Iterator<Item = EndedGame> {
        self.blocks.iter().flat_map(|block| {
            block.ended.iter().map(|last| EndedGame {
                game: block.number * LANES + last.lane,
                maze: Arc::clone(&last.start.maze),
                state: last.state(),
            })
        })
    }

    /// Which games ended in the last step.
    pub fn games_ended(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().flat_map(|block| block.ended.iter().map(|last| block.number * LANES + last.lane))
    }

    /// How strong everybody is in a game.
    pub fn strength(&self, game: usize) -> BySeat<i32> {
        match &self.place_of(game).beside {
            Some(state) => state.strength,
            None => self.blocks[game / LANES].columns.strength(game % LANES),
        }
    }

    /// Which orders are legal: for each seat bit `n` is set if the `n`-th of [`Order::ALL`] is. No bit is set for the dead.
    /// In a game that is over the living have theirs as if it were not.
    ///
    /// # Panics
    ///
    /// If there is not room for just as many games.
    pub fn legal_actions(&self, legal: &mut [[u16; 4]]) {
        self.check(legal.len(), "lists of legal orders");
        let blocks = self.blocks.iter().zip(legal.chunks_mut(LANES));
        arch::with(self.instruction_set, LegalActions { blocks });
    }

    /// Draws legal orders, each as likely as any other to within one in 7281, as places in [`Order::ALL`]; the dead stay.
    /// A game's chance is its own: it depends on nothing but its seed and how often this was asked since it began.
    ///
    /// # Panics
    ///
    /// If there is not room for just as many games.
    pub fn random_actions(&mut self, actions: &mut [[u8; 4]]) {
        self.check(actions.len(), "orders");
        let blocks = self.blocks.iter_mut().zip(actions.chunks_mut(LANES));
        arch::with(self.instruction_set, AtRandom { blocks });
    }

    fn place_of(&self, game: usize) -> &Place {
        assert!(game < self.count, "there is no game {game}; there are {}", self.count);
        &self.blocks[game / LANES].places[game % LANES]
    }

    fn check(&self, given: usize, what: &str) {
        assert!(given == self.count, "{given} {what} for {} games", self.count);
    }
}

impl Block {
    fn new(number: usize, lanes: usize, seed: u64, source: &dyn StartSource) -> Block {
        let mut block = Block {
            columns: Columns::empty(),
            ground: Own::new(),
            chance: Chance::new(),
            places: Vec::with_capacity(lanes),
            held: 0,
            ended: Vec::new(),
            number,
        };
        for lane in 0..lanes {
            let seed = seed_of_game(seed, (number * LANES + lane) as u64);
            let first = seed_of_game(seed, 0);
            let start = source.start(first);
            block.places.push(Place { start: Arc::clone(&start), seed, begun: 1, beside: None });
            block.chance.put(lane, &GameRng::new(first));
            block.put(lane, start);
        }
        block
    }

    /// Puts a game into a place, and returns what the one before began with.
    fn put(&mut self, lane: usize, start: Arc<StartPosition>) -> Arc<StartPosition> {
        match &start.row {
            Some(row) => {
                self.columns.put(lane, row);
                self.ground.put(lane, &start.map);
                self.held |= 1 << lane;
                self.places[lane].beside = None;
            }
            None => self.put_beside(lane, start.state),
        }
        mem::replace(&mut self.places[lane].start, start)
    }

    /// The position in that place is not held by its lane.
    fn put_beside(&mut self, lane: usize, state: State) {
        self.columns.clear(lane);
        self.held &= !(1 << lane);
        self.places[lane].beside = Some(Box::new(state));
    }

    /// Begins the next game in a place, and returns what the last one began with.
    fn begin(&mut self, lane: usize, source: &dyn StartSource) -> Arc<StartPosition> {
        let place = &mut self.places[lane];
        let seed = seed_of_game(place.seed, place.begun);
        place.begun = place.begun.wrapping_add(1);
        self.chance.put(lane, &GameRng::new(seed));
        self.put(lane, source.start(seed))
    }

    #[inline(always)]
    fn step<L: Lanes>(&mut self, actions: &[[u8; 4]], rewards: &mut [[i32; 4]], source: Option<&dyn StartSource>) {
        self.ended.clear();
        let given_actions = by_column(actions);
        let before = self.columns.strength;
        let actions_of_living = by_seat!(seat => {
            let (given, invalid) = (L::Bytes::load(&given_actions[seat]), L::Bytes::all(INVALID));
            let dead = L::Bytes::load(&self.columns.cells[seat]).topmost();
            L::Bytes::choose(given.below(invalid), given, invalid).only(!dead)
        });
        let After { goes_on, fits } = play::<L, _, Given>(&mut self.columns, &self.ground, actions_of_living);
        tell_gains(&before, &self.columns.strength, rewards);
        let (staying, goes_on) = ((goes_on & fits).bits(), goes_on.bits());
        let (held, all) = (self.held, bits_below(self.places.len()));
        for lane in lanes_of(all & !held) {
            rewards[lane] = self.play_beside(lane, actions[lane], source);
        }
        for lane in lanes_of(held & !staying) {
            self.leave(lane, goes_on >> lane & 1 == 0, &mut rewards[lane], source);
        }
    }

    /// Plays a turn of a game that its lane does not hold.
    #[cold]
    fn play_beside(&mut self, lane: usize, actions: [u8; 4], source: Option<&dyn StartSource>) -> [i32; 4] {
        let place = &mut self.places[lane];
        let Some(state) = &mut place.beside else { return [0; 4] };
        if state.is_over(&place.start.maze) {
            return [0; 4];
        }
        let before = state.strength;
        let actions = BySeat(actions.map(|action| Action::ALL.get(usize::from(action)).copied().unwrap_or(Action::Invalid)));
        let goes_on = state.play(&place.start.maze, &actions, &mut ());
        let state = **state;
        if !goes_on {
            self.end(lane, LastPosition::Beside(Box::new(state)), source);
        }
        Seat::ALL.map(|seat| state.strength[seat] - before[seat])
    }

    /// Takes a game out of its lane: it is over, or the lane cannot hold it any more.
    #[inline(never)]
    fn leave(&mut self, lane: usize, is_over: bool, rewards: &mut [i32; 4], source: Option<&dyn StartSource>) {
        let row = self.columns.row(lane);
        if !is_over {
            let state = row.state(&self.places[lane].start.maze, Numbering::WIDEST);
            return self.put_beside(lane, state);
        }
        // What a sole survivor receives is part of its reward.
        let (kept, strength) = (self.columns.strength(lane), self.columns.final_strength(lane));
        for (seat, reward) in Seat::ALL.into_iter().zip(rewards) {
            *reward += strength[seat] - kept[seat];
        }
        self.end(lane, LastPosition::InLane { row, strength }, source);
    }

    fn end(&mut self, lane: usize, position: LastPosition, source: Option<&dyn StartSource>) {
        let last = match source {
            Some(source) => Last { lane, start: self.begin(lane, source), position },
            None => {
                let last = Last { lane, start: Arc::clone(&self.places[lane].start), position };
                self.put_beside(lane, last.state());
                last
            }
        };
        self.ended.push(last);
    }

    #[inline(always)]
    fn legal_actions<L: Lanes>(&self, legal: &mut [[u16; 4]]) {
        let mut walks = [Column([0; LANES]); 4];
        let mut shoots = [0u64; 4];
        each_seat!(seat {
            let cells = L::Bytes::load(&self.columns.cells[seat]);
            let alive = !cells.topmost();
            let walk = Ground::<L>::open_sides(&self.ground, cells).halved().halved();
            (walk + L::Bytes::all(1)).only(alive).store(&mut walks[seat]);
            let strength = L::Bytes::load(&self.columns.strength[seat]);
            shoots[seat] = (strength.above(Ground::<L>::terms(&self.ground).skill_cost) & alive).bits();
        });
        for (lane, legal) in legal.iter_mut().enumerate() {
            *legal =
                [0, 1, 2, 3].map(|seat| u16::from(walks[seat].0[lane]) | if shoots[seat] >> lane & 1 != 0 { 0x1e0 } else { 0 });
        }
        for (place, legal) in self.places.iter().zip(legal) {
            if let Some(state) = &place.beside {
                *legal = Seat::ALL.map(|seat| {
                    let actions = state.legal_actions(&place.start.maze, seat);
                    (0..).zip(Action::ALL).filter(|(_, action)| actions.contains(action)).map(|(bit, _)| 1 << bit).sum()
                });
            }
        }
    }

    #[inline(always)]
    fn random_actions<L: Lanes>(&mut self, actions: &mut [[u8; 4]]) {
        for (lane, place) in self.places.iter().enumerate() {
            if let Some(state) = &place.beside {
                let drawn = self.chance.generator(lane).actions(&place.start.maze, state);
                actions[lane] = drawn.0.map(ground::place);
            }
        }
        let fractions = self.chance.draw::<L>();
        let mut columns = [Column([0; LANES]); 4];
        each_seat!(seat {
            let cells = L::Bytes::load(&self.columns.cells[seat]);
            let can_shoot = L::Bytes::load(&self.columns.strength[seat]).above(Ground::<L>::terms(&self.ground).skill_cost);
            draw::<L, _>(&self.ground, cells, can_shoot, &fractions[seat]).store(&mut columns[seat]);
        });
        for (lane, actions) in actions.iter_mut().enumerate().filter(|(lane, _)| self.held >> lane & 1 != 0) {
            *actions = [0, 1, 2, 3].map(|seat| columns[seat].0[lane]);
        }
    }
}

/// Where the games come from that take the place of others by themselves, if any do.
fn succession(source: &Option<Arc<dyn StartSource>>, keeps_ended: bool) -> Option<&dyn StartSource> {
    source.as_deref().filter(|_| !keeps_ended)
}

/// Orders seat by seat.
#[inline(always)]
fn by_column(actions: &[[u8; 4]]) -> [Column<u8>; 4] {
    let mut all = [[0; 4]; LANES];
    all[..actions.len()].copy_from_slice(actions);
    let mut columns = [Column([0; LANES]); 4];
    // As numbers of 32 bits, which compilers take apart side by side.
    each_seat!(seat {
        for (action, actions) in columns[seat].0.iter_mut().zip(&all) {
            *action = (u32::from_le_bytes(*actions) >> (8 * seat)) as u8;
        }
    });
    columns
}

/// The four of each game side by side.
#[inline(always)]
fn by_game([a, b, c, d]: &[Column<u8>; 4]) -> [[u8; 4]; LANES] {
    std::array::from_fn(|lane| {
        let [a, b, c, d] = [a, b, c, d].map(|column| u32::from(column.0[lane]));
        (a | b << 8 | c << 16 | d << 24).to_le_bytes()
    })
}

/// What each has more than before.
#[inline(always)]
fn tell_gains(before: &[Column<u8>; 4], after: &[Column<u8>; 4], gains: &mut [[i32; 4]]) {
    let (before, after) = (by_game(before), by_game(after));
    let pairs = after.as_flattened().iter().zip(before.as_flattened());
    for (gain, (&after, &before)) in gains.as_flattened_mut().iter_mut().zip(pairs) {
        *gain = i32::from(after as i8) - i32::from(before as i8);
    }
}

/// What is kept of 64 games beside their walls. A game may have 256 bytes and its map.
const _: () = assert!(size_of::<Columns>() + size_of::<Chance>() + LANES * size_of::<Place>() + size_of::<Own>() <= LANES * 256);

fn bits_below(count: usize) -> u64 {
    if count == LANES { !0 } else { (1 << count) - 1 }
}

struct Step<'a, B> {
    blocks: B,
    source: Option<&'a dyn StartSource>,
}

impl<'b, B: Iterator<Item = ((&'b mut Block, &'b [[u8; 4]]), &'b mut [[i32; 4]])>> Work for Step<'_, B> {
    type Done = ();

    #[inline(always)]
    fn with<L: Lanes>(self) {
        L::within(
            #[inline(always)]
            || {
                for ((block, actions), rewards) in self.blocks {
                    block.step::<L>(actions, rewards, self.source);
                }
            },
        );
    }
}

struct LegalActions<B> {
    blocks: B,
}

impl<'b, B: Iterator<Item = (&'b Block, &'b mut [[u16; 4]])>> Work for LegalActions<B> {
    type Done = ();

    #[inline(always)]
    fn with<L: Lanes>(self) {
        L::within(
            #[inline(always)]
            || {
                for (block, legal) in self.blocks {
                    block.legal_actions::<L>(legal);
                }
            },
        );
    }
}

struct AtRandom<B> {
    blocks: B,
}

impl<'b, B: Iterator<Item = (&'b mut Block, &'b mut [[u8; 4]])>> Work for AtRandom<B> {
    type Done = ();

    #[inline(always)]
    fn with<L: Lanes>(self) {
        L::within(
            #[inline(always)]
            || {
                for (block, actions) in self.blocks {
                    block.random_actions::<L>(actions);
                }
            },
        );
    }
}
