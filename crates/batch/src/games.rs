//! Many games, each on its own maze.
//!
//! Games are in lanes, 64 to a block. Games that lanes cannot hold, because some number is too large for a byte, are played by
//! `pacman2_rules` instead. The results are the same.

#[cfg(feature = "observe")]
mod observations;
#[cfg(feature = "observe")]
mod sampling;
mod slots;
mod starts;
mod turns;

use std::mem;
use std::sync::Arc;

use pacman2_rules::{Action, BySeat, Maze, Seat, State};

#[cfg(feature = "observe")]
pub use self::observations::{PlayerRows, ShownPlanes};
pub use self::slots::SlotState;
pub use self::starts::{StartPosition, StartSource};
use crate::arch::{self, Work};
use crate::instruction_set::InstructionSet;
use crate::lanes::{Bytes, Column, LANES, Lanes, by_column, by_game, lanes_of};
use crate::maze_tables::{INVALID, LaneMazes, action_byte, draw_actions};
use crate::rng::{GameRng, LaneRngs, seed_of_game};
use crate::soa_states::SoaStates;
use crate::turn::{TurnOutcome, play};

/// Many games side by side.
///
/// Each game is in a numbered slot. When it ends, the next game of the slot begins, from a seed of its own: slot `g` has the
/// seed [`seed_of_game`]`(seed, g)`, and the `n`-th game in the slot, counted from 0, has the `n`-th seed of that seed. So what
/// happens in a slot depends neither on the number of games, nor on threads, nor on the instruction set.
///
/// A clone goes on like the original: use it to return to an earlier moment.
///
/// ```
/// use std::sync::Arc;
///
/// use pacman2_batch::{Games, InstructionSet, StartPosition};
/// use pacman2_rules::picture;
///
/// let (maze, state) = picture::read("
///     turn 98/100
///     +---+---+---+---+---+
///     | 0   .   .   .   1 |
///     +---+---+---+---+---+
/// ").unwrap();
/// let starts = vec![Arc::new(StartPosition::new(maze, state))];
/// let mut games = Games::new(InstructionSet::best(), 100, 1, Arc::new(starts));
///
/// // Seat 0 moves to the right (action 2 in `Action::ALL`), and eats a fruit. The others stay.
/// let (actions, mut rewards) = ([[2, 0, 0, 0]; 100], [[0; 4]; 100]);
/// games.step(&actions, &mut rewards);
/// assert_eq!(rewards, [[1, 0, 0, 0]; 100]);
/// games.step(&actions, &mut rewards);
/// assert_eq!(games.ended().count(), 100);
/// ```
#[derive(Clone)]
pub struct Games {
    instruction_set: InstructionSet,
    blocks: Vec<Block>,
    count: usize,
    source: Option<Arc<dyn StartSource>>,
    keep_ended: bool,
}

/// A game that ended in the last step.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EndedGame {
    /// The number of its slot.
    pub game: usize,
    /// Its maze.
    pub maze: Arc<Maze>,
    /// Its final position.
    pub state: State,
}

impl Games {
    /// Begins `count` games of that seed, from the positions that `source` returns. When a game ends, the next one begins at
    /// once.
    ///
    /// # Panics
    ///
    /// If this CPU does not have the instruction set.
    pub fn new(instruction_set: InstructionSet, count: usize, seed: u64, source: Arc<dyn StartSource>) -> Games {
        instruction_set.assert_available();
        let max_scalar_games = arch::dispatch(instruction_set, MaxScalarGames);
        let mut blocks = Vec::new();
        for number in 0..count.div_ceil(LANES) {
            let lanes = LANES.min(count - number * LANES);
            blocks.push(Block::new(number, lanes, lanes <= max_scalar_games, seed, &*source));
        }
        Games { instruction_set, blocks, count, source: Some(source), keep_ended: false }
    }

    /// Returns the same games, but without new ones: a game that is over stays as it is, and actions for it have no effect.
    #[must_use = "the games are returned"]
    pub fn without_new_games(self) -> Games {
        Games { source: None, ..self }
    }

    /// Returns the number of games.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the maze of a game.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn maze(&self, game: usize) -> &Arc<Maze> {
        self.slot_at(game).start.maze()
    }

    /// Returns the position of a game.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn state(&self, game: usize) -> State {
        let (block, slot) = (&self.blocks[game / LANES], self.slot_at(game));
        match &slot.scalar_fallback {
            Some(state) => **state,
            None => slot.start.unpack(&block.states.packed(game % LANES)),
        }
    }

    /// Replaces the position of a game, and its maze. Its random numbers go on. If the position is over, it stays as it is, and
    /// [`Games::ended`] does not report it.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn put(&mut self, game: usize, start: Arc<StartPosition>) {
        self.assert_game(game);
        let (block, lane) = (&mut self.blocks[game / LANES], game % LANES);
        block.slots[lane].start = start;
        block.fill(lane);
    }

    /// Returns the games that ended in the last step, with their final positions.
    pub fn ended(&self) -> impl Iterator<Item = EndedGame> {
        self.blocks.iter().flat_map(|block| {
            block.ended.iter().map(|ended| EndedGame {
                game: block.game(ended.lane),
                maze: Arc::clone(ended.start.maze()),
                state: ended.state,
            })
        })
    }

    /// Returns the numbers of the games that ended in the last step.
    pub fn games_ended(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().flat_map(|block| block.ended.iter().map(|ended| block.game(ended.lane)))
    }

    /// Returns the strengths in a game.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn strength(&self, game: usize) -> BySeat<i32> {
        match &self.slot_at(game).scalar_fallback {
            Some(state) => state.strength,
            None => self.blocks[game / LANES].states.strength(game % LANES),
        }
    }

    fn slot_at(&self, game: usize) -> &Slot {
        self.assert_game(game);
        &self.blocks[game / LANES].slots[game % LANES]
    }

    fn assert_game(&self, game: usize) {
        assert!(game < self.count, "game {game} is out of range; there are {} games", self.count);
    }

    fn assert_count(&self, given: usize, what: &str) {
        assert!(given == self.count, "expected {} {what}, one per game, got {given}", self.count);
    }
}

/// Returns [`Lanes::MAX_SCALAR_GAMES`].
struct MaxScalarGames;

impl Work for MaxScalarGames {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> usize {
        L::MAX_SCALAR_GAMES
    }
}

/// 64 games, or fewer in the last block.
#[derive(Clone)]
struct Block {
    states: SoaStates,
    mazes: LaneMazes,
    rngs: LaneRngs,
    /// The lanes whose generator has not been made, as bits: their game has begun, and nothing has been drawn in it.
    unseeded: u64,
    slots: Vec<Slot>,
    /// The lanes that hold their game, as bits.
    held: u64,
    /// Whether the block has so few games that no lane holds one. A `VecEnv` of one game takes 27 % of the time then.
    is_scalar: bool,
    /// The games that ended in the last step.
    ended: Vec<Ended>,
    number: usize,
}

/// What is kept of a game beside its lane.
#[derive(Clone)]
struct Slot {
    start: Arc<StartPosition>,
    seed: u64,
    /// Games that have begun in this slot.
    games_begun: u64,
    /// The position, if the lane does not hold it: its numbers are too large, or the game is over.
    scalar_fallback: Option<Box<State>>,
}

/// A game that has ended.
#[derive(Clone)]
struct Ended {
    lane: usize,
    start: Arc<StartPosition>,
    state: State,
}

impl Block {
    fn new(number: usize, lanes: usize, is_scalar: bool, seed: u64, source: &dyn StartSource) -> Block {
        let mut block = Block {
            states: SoaStates::empty(),
            mazes: LaneMazes::new(),
            rngs: LaneRngs::new(),
            unseeded: 0,
            slots: Vec::with_capacity(lanes),
            held: 0,
            is_scalar,
            ended: Vec::new(),
            number,
        };
        for lane in 0..lanes {
            let seed = seed_of_game(seed, (number * LANES + lane) as u64);
            let start = source.start(seed_of_game(seed, 0));
            block.slots.push(Slot { start, seed, games_begun: 1, scalar_fallback: None });
            block.unseeded |= 1 << lane;
            block.fill(lane);
        }
        block
    }

    /// Returns the number of the game in a lane.
    fn game(&self, lane: usize) -> usize {
        self.number * LANES + lane
    }

    /// Puts the start of a slot into its lane, or into the slot if the lane cannot hold it.
    fn fill(&mut self, lane: usize) {
        let slot = &mut self.slots[lane];
        match &slot.start.packed {
            Some(packed) if !self.is_scalar => {
                self.states.put(lane, packed);
                self.mazes.put(lane, &slot.start.lane_maze);
                self.held |= 1 << lane;
                slot.scalar_fallback = None;
            }
            _ => {
                let state = slot.start.state;
                self.put_in_fallback(lane, state);
            }
        }
    }

    /// Puts a position into a slot whose lane cannot hold it.
    fn put_in_fallback(&mut self, lane: usize, state: State) {
        self.states.clear(lane);
        self.held &= !(1 << lane);
        match &mut self.slots[lane].scalar_fallback {
            Some(kept) => **kept = state,
            empty => *empty = Some(Box::new(state)),
        }
    }

    /// Replaces the start of a slot with that of its next game, and returns it. The lane is not filled.
    fn next_start(&mut self, lane: usize, source: &dyn StartSource) -> Arc<StartPosition> {
        let slot = &mut self.slots[lane];
        let start = source.start(seed_of_game(slot.seed, slot.games_begun));
        slot.games_begun = slot.games_begun.wrapping_add(1);
        self.unseeded |= 1 << lane;
        mem::replace(&mut slot.start, start)
    }

    /// Returns the generator of the current game, if nothing has been drawn in it.
    fn fresh_rng(&self, lane: usize) -> GameRng {
        let slot = &self.slots[lane];
        GameRng::new(seed_of_game(slot.seed, slot.games_begun.wrapping_sub(1)))
    }

    /// Makes the generators that have not been made.
    fn seed_rngs(&mut self) {
        for lane in lanes_of(mem::take(&mut self.unseeded)) {
            self.rngs.put(lane, &self.fresh_rng(lane));
        }
    }

    /// Plays a turn.
    #[inline(always)]
    fn step<L: Lanes>(&mut self, lanes: L, actions: &[[u8; 4]], rewards: &mut [[i32; 4]], source: Option<&dyn StartSource>) {
        self.ended.clear();
        let (held, all) = (self.held, bits_below(self.slots.len()));
        let [staying, goes_on] = if held == 0 { [0; 2] } else { self.play_in_lanes(lanes, actions, rewards) };
        for lane in lanes_of(all & !held) {
            rewards[lane] = self.play_in_fallback(lane, actions[lane], source);
        }
        for lane in lanes_of(held & !staying & goes_on) {
            self.leave(lane);
        }
        for lane in lanes_of(held & !goes_on) {
            self.end_in_lane(lane, &mut rewards[lane], source);
        }
    }

    /// Plays a turn of the games that their lanes hold. Returns the lanes that can hold their game for another turn, and those
    /// whose game goes on.
    #[inline(always)]
    fn play_in_lanes<L: Lanes>(&mut self, lanes: L, actions: &[[u8; 4]], rewards: &mut [[i32; 4]]) -> [u64; 2] {
        let given_actions = columns_of(actions);
        let mut gains = [Column([0; LANES]); 4];
        let (mut staying, mut going_on) = (0, 0);
        let held = self.held;
        for part in lanes.parts().filter(|part| part.any_of(held)) {
            let before = by_seat!(seat => part.load(&self.states.strength[seat]));
            let TurnOutcome { goes_on, fits } = self.play_in_part(part, &given_actions);
            staying |= part.bits(fits);
            going_on |= part.bits(goes_on);
            // A difference fits a byte, too: no player can lose more in a turn than `max_total_strength` allows for.
            each_seat!(seat { part.store(part.load(&self.states.strength[seat]) - before[seat], &mut gains[seat]); });
        }
        write_gains(&gains, rewards);
        [staying, going_on]
    }

    /// Plays a turn of the games in a part of the lanes.
    #[inline(always)]
    fn play_in_part<L: Lanes>(&mut self, lanes: L, actions: &[Column<u8>; 4]) -> TurnOutcome<L::Mask> {
        let actions_of_living = by_seat!(seat => {
            let (cells, given, invalid) = (lanes.load(&self.states.cells[seat]), lanes.load(&actions[seat]), lanes.splat(INVALID));
            L::Bytes::select(given.lt_u8(invalid), given, invalid).masked(!cells.sign_mask())
        });
        play(lanes, &mut self.states, &self.mazes, actions_of_living)
    }

    /// Plays a turn of a game that its lane does not hold.
    fn play_in_fallback(&mut self, lane: usize, actions: [u8; 4], source: Option<&dyn StartSource>) -> [i32; 4] {
        let slot = &mut self.slots[lane];
        let maze = slot.start.maze();
        let Some(state) = &mut slot.scalar_fallback else { return [0; 4] };
        if state.is_over(maze) {
            return [0; 4];
        }
        let before = state.strength;
        let actions = BySeat(actions.map(|action| Action::ALL.get(usize::from(action)).copied().unwrap_or(Action::Invalid)));
        let goes_on = state.play(maze, &actions, &mut ());
        let state = **state;
        if !goes_on {
            self.end(lane, state, source);
        }
        Seat::ALL.map(|seat| state.strength[seat] - before[seat])
    }

    /// Takes a game out of its lane that cannot hold it any more.
    #[cold]
    fn leave(&mut self, lane: usize) {
        let state = self.slots[lane].start.unpack(&self.states.packed(lane));
        self.put_in_fallback(lane, state);
    }

    /// Ends the game that a lane holds, after its last turn. A sole survivor receives the small fruit.
    fn end_in_lane(&mut self, lane: usize, rewards: &mut [i32; 4], source: Option<&dyn StartSource>) {
        let packed = self.states.packed(lane);
        let mut state = self.slots[lane].start.unpack(&packed);
        for (seat, received) in packed.received().into_iter().enumerate() {
            state.strength.0[seat] += received;
            rewards[seat] += received;
        }
        self.end(lane, state, source);
    }

    /// Ends a game with this position, and begins the next one.
    fn end(&mut self, lane: usize, state: State, source: Option<&dyn StartSource>) {
        let start = match source {
            Some(source) => {
                let start = self.next_start(lane, source);
                self.fill(lane);
                start
            }
            None => {
                self.put_in_fallback(lane, state);
                Arc::clone(&self.slots[lane].start)
            }
        };
        self.ended.push(Ended { lane, start, state });
    }

    #[inline(always)]
    fn random_actions<L: Lanes>(&mut self, lanes: L, actions: &mut [[u8; 4]]) {
        self.seed_rngs();
        for (lane, slot) in self.slots.iter().enumerate() {
            if let Some(state) = &slot.scalar_fallback {
                let mut rng = self.rngs.get(lane);
                actions[lane] = rng.actions(slot.start.maze(), state).0.map(action_byte);
                if self.is_scalar {
                    self.rngs.put(lane, &rng);
                }
            }
        }
        if self.is_scalar {
            return;
        }
        let fractions = self.rngs.draw(lanes);
        let mut drawn = [Column([0; LANES]); 4];
        let cells = by_seat!(seat => lanes.load(&self.states.cells[seat]));
        each_seat!(seat {
            let can_shoot = lanes.load(&self.states.strength[seat]).gt_i8(self.mazes.ruleset(lanes).skill_cost);
            let open_sides = self.mazes.open_sides(lanes, cells[seat]);
            lanes.store(draw_actions(lanes, cells[seat], open_sides, can_shoot, &fractions[seat]), &mut drawn[seat]);
        });
        for (lane, actions) in actions.iter_mut().enumerate().filter(|(lane, _)| self.held >> lane & 1 != 0) {
            *actions = [0, 1, 2, 3].map(|seat| drawn[seat].0[lane]);
        }
    }
}

/// Returns the source of games that begin automatically, if any do.
fn automatic_source(source: &Option<Arc<dyn StartSource>>, keep_ended: bool) -> Option<&dyn StartSource> {
    source.as_deref().filter(|_| !keep_ended)
}

/// Separates the seats of each game into columns.
#[inline(always)]
fn columns_of(games: &[[u8; 4]]) -> [Column<u8>; 4] {
    if let Ok(games) = games.try_into() {
        return by_column(games);
    }
    let mut all = [[0; 4]; LANES];
    all[..games.len()].copy_from_slice(games);
    by_column(&all)
}

/// Writes these signed bytes as numbers, with the four seats of each game side by side.
#[inline(always)]
fn write_gains(gains: &[Column<u8>; 4], rewards: &mut [[i32; 4]]) {
    for (reward, &gain) in rewards.as_flattened_mut().iter_mut().zip(by_game(gains).as_flattened()) {
        *reward = i32::from(gain as i8);
    }
}

/// A game takes at most 256 bytes, without its maze and walls.
const _: () =
    assert!(size_of::<SoaStates>() + size_of::<LaneRngs>() + LANES * size_of::<Slot>() + size_of::<LaneMazes>() <= LANES * 256);

fn bits_below(count: usize) -> u64 {
    if count == LANES { !0 } else { (1 << count) - 1 }
}
