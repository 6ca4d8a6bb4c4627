//! Every lane compared with `pacman2_rules` after every turn, with each instruction set, on shared and on separate mazes.
//!
//! The other tests see only the results of playouts. Here each turn is compared.

use pacman2_rules::{Action, BySeat, Cell, Direction, Maze, State, picture};

use crate::arch::{self, Work};
use crate::common::positions::{self, GameKind, TestRng, WallKind};
use crate::instruction_set::InstructionSet;
use crate::internals::rng::{GameRng, LaneRngs};
use crate::lanes::{Bytes, Column, LANES, Lanes, Mask, Words, word_index};
use crate::maze_tables::per_lane::{LaneMaze, LaneMazes};
use crate::maze_tables::shared::SharedMaze;
use crate::maze_tables::{MazeTables, action_byte, draw_actions};
use crate::soa_states::{Numbering, PackedState, SoaStates};
use crate::turn::{Given, Legal, TurnOutcome, play};

/// The games in lanes, and the same games played by `pacman2_rules`.
struct Comparison {
    set: InstructionSet,
    mazes: Vec<Maze>,
    numbering: Numbering,
    games: Vec<(State, GameRng)>,
    states: SoaStates,
    rngs: LaneRngs,
    test_rng: TestRng,
    counts: Counts,
}

/// What happened.
#[derive(Default, Debug)]
struct Counts {
    turns: u64,
    /// Games that ended.
    ended: u64,
    /// Games that a lane could not hold any more.
    outgrown: u64,
    /// Positions that lanes cannot hold.
    rejected: u64,
}

impl Comparison {
    /// Begins games. `mazes` has one maze per lane, or one for all.
    fn new(set: InstructionSet, mazes: Vec<Maze>, numbering: Numbering, seed: u64) -> Comparison {
        let mut comparison = Comparison {
            set,
            mazes,
            numbering,
            games: Vec::new(),
            states: SoaStates::empty(),
            rngs: LaneRngs::new(),
            test_rng: TestRng::new(seed),
            counts: Counts::default(),
        };
        for lane in 0..LANES {
            let game = comparison.begin(lane);
            comparison.games.push(game);
        }
        comparison
    }

    fn maze(&self, lane: usize) -> &Maze {
        &self.mazes[lane % self.mazes.len()]
    }

    /// Begins a game in a lane from a position that the lane can hold.
    fn begin(&mut self, lane: usize) -> (State, GameRng) {
        let maze = &self.mazes[lane % self.mazes.len()];
        loop {
            let kind = self.test_rng.of(&[GameKind::Lively, GameKind::Garden]);
            let state = positions::state(&mut self.test_rng, kind, maze);
            let rng = GameRng::new(self.test_rng.below(usize::MAX) as u64);
            if let Some(packed) = PackedState::new(maze, &state, self.numbering) {
                self.states.put(lane, &packed);
                self.rngs.put(lane, &rng);
                return (state, rng);
            }
            self.counts.rejected += 1;
        }
    }

    /// Plays turns in lanes as playouts do, and compares each with `pacman2_rules`.
    #[inline(always)]
    fn turns<L: Lanes, M: MazeTables<L>>(&mut self, lanes: L, mazes: &M, turns: u64) {
        for _ in 0..turns {
            let mut drawn = [Column([0; LANES]); 4];
            let TurnOutcome { goes_on, fits } = turn(lanes, &mut self.states, &mut self.rngs, mazes, &mut drawn);
            let (goes_on, fits) = (goes_on.bits(), fits.bits());
            for lane in 0..LANES {
                self.compare(lane, &drawn, goes_on >> lane & 1 != 0, fits >> lane & 1 != 0);
            }
        }
    }

    #[inline(never)]
    fn compare(&mut self, lane: usize, drawn: &[Column<u8>; 4], goes_on: bool, fits: bool) {
        let (before, rng) = &mut self.games[lane];
        let (before, maze) = (*before, &self.mazes[lane % self.mazes.len()]);
        let actions = rng.actions(maze, &before);
        let context = |what: &str| {
            let set = self.set;
            format!("{set}, lane {lane}: {what}; {actions:?} in this position\n{}", picture::write(maze, &before))
        };
        let found = BySeat(drawn.each_ref().map(|column| Action::ALL[usize::from(column.0[lane])]));
        assert_eq!(found, actions, "{}", context("actions"));

        let mut expected = before;
        assert_eq!(goes_on, expected.play(maze, &actions, &mut ()), "{}", context("whether the game goes on"));
        let mut state = self.states.packed(lane).state(maze, self.numbering);
        if !goes_on {
            state.strength = self.states.final_strength(lane);
        }
        let pictures = || [&expected, &state].map(|state| picture::write(maze, state)).join("\nexpected above, in lanes\n");
        assert!(state == expected, "{}\n{}", context("the position"), pictures());
        self.counts.turns += 1;
        if goes_on {
            let held = PackedState::new(maze, &expected, self.numbering).is_some();
            assert_eq!(fits, held, "{}\n{}", context("whether the lane holds the game"), pictures());
        }
        self.games[lane].0 = expected;
        if !(goes_on && fits) {
            self.counts.ended += u64::from(!goes_on);
            self.counts.outgrown += u64::from(goes_on);
            self.games[lane] = self.begin(lane);
        }
    }
}

/// Plays a turn as playouts do, and stores the actions that were drawn.
#[inline(always)]
fn turn<L: Lanes, M: MazeTables<L>>(
    lanes: L,
    states: &mut SoaStates,
    rngs: &mut LaneRngs,
    mazes: &M,
    drawn: &mut [Column<u8>; 4],
) -> TurnOutcome<L::Mask> {
    let fractions = rngs.draw(lanes);
    let actions = by_seat!(seat => {
        let cells = lanes.load(&states.cells[seat]);
        let can_shoot = lanes.load(&states.strength[seat]).gt_i8(mazes.ruleset(lanes).skill_cost);
        let actions = draw_actions(lanes, mazes, cells, can_shoot, &fractions[seat]);
        actions.store(&mut drawn[seat]);
        actions
    });
    play::<L, M, Legal>(lanes, states, mazes, actions)
}

/// Turns to be compared, on one maze or on many.
struct Turns<'a> {
    comparison: &'a mut Comparison,
    /// All lanes have the same maze, and share its tables.
    share: bool,
    turns: u64,
}

impl Work for Turns<'_> {
    /// Whether lights may return to their shooters, if the maze could be shared.
    type Output = Option<bool>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Option<bool> {
        let Turns { comparison, share, turns } = self;
        if share {
            let shared = SharedMaze::new(comparison.maze(0))?;
            comparison.turns(lanes, &shared, turns);
            return Some(MazeTables::<L>::light_may_return(&shared));
        }
        let mut mazes = LaneMazes::new();
        (0..LANES).for_each(|lane| mazes.put(lane, &LaneMaze::new(comparison.maze(lane))));
        comparison.turns(lanes, &mazes, turns);
        None
    }
}

/// Draws a maze whose games lanes can hold, with usual and unusual rulesets.
fn maze(rng: &mut TestRng) -> Maze {
    let kind = rng.of(&[GameKind::Lively, GameKind::Lively, GameKind::Botzone, GameKind::Garden]);
    let maze = positions::maze(rng, kind);
    let mut ruleset = *maze.ruleset();
    ruleset.skill_cost = rng.within(0..=14);
    ruleset.large_fruit_enhancement = rng.within(0..=if ruleset.skill_cost < 9 { 20 } else { 1 });
    maze.with_ruleset(ruleset).expect("the ruleset is valid")
}

#[test]
fn turns_on_a_shared_maze_match_the_rules() {
    for set in InstructionSet::available() {
        let mut rng = TestRng::new(1);
        let (mut stopped, mut returning, mut not_shared, mut turns) = (0, 0, 0, 0);
        for seed in 0..300 {
            let maze = maze(&mut rng);
            let numbering = Numbering::of(&maze);
            let mut comparison = Comparison::new(set, vec![maze], numbering, seed);
            match arch::dispatch(set, Turns { comparison: &mut comparison, share: true, turns: 80 }) {
                Some(true) => returning += 1,
                Some(false) => stopped += 1,
                None => not_shared += 1,
            }
            turns += comparison.counts.turns;
        }
        assert!(stopped > 30 && returning > 30 && not_shared > 20, "{stopped}, {returning}, {not_shared}");
        assert!(turns > 1_000_000, "{turns}");
    }
}

#[test]
fn turns_on_separate_mazes_match_the_rules() {
    for set in InstructionSet::available() {
        let mut rng = TestRng::new(2);
        let mut total = Counts::default();
        for seed in 0..50 {
            let mazes = (0..LANES).map(|_| maze(&mut rng)).collect();
            let mut comparison = Comparison::new(set, mazes, Numbering::WIDEST, seed);
            arch::dispatch(set, Turns { comparison: &mut comparison, share: false, turns: 350 });
            total.turns += comparison.counts.turns;
            total.ended += comparison.counts.ended;
            total.outgrown += comparison.counts.outgrown;
            total.rejected += comparison.counts.rejected;
        }
        let Counts { turns, ended, outgrown, rejected } = total;
        assert!(turns > 1_000_000 && ended > 10_000 && outgrown > 100 && rejected > 1000, "{total:?}");
    }
}

/// Without walls, a light would reach the shooter's own cell if it were not excluded.
#[test]
fn turns_without_walls_match_the_rules() {
    for set in InstructionSet::available() {
        for (width, height) in [(1, 1), (1, 11), (11, 1), (2, 2), (3, 5), (11, 11)] {
            let maze = positions::maze_of_size(&mut TestRng::new(3), GameKind::Lively, WallKind::Absent, width, height);
            let numbering = Numbering::of(&maze);
            let mut comparison = Comparison::new(set, vec![maze], numbering, 4);
            let returns = arch::dispatch(set, Turns { comparison: &mut comparison, share: true, turns: 200 });
            assert_eq!(returns, Some(width.max(height) > 2), "{width} by {height}");
        }
    }
}

/// Draws actions with all halves of words, 64 at a time, in one cell.
struct AllHalves<'a> {
    shared: &'a SharedMaze,
    cell: u8,
    can_shoot: bool,
}

impl Work for AllHalves<'_> {
    /// The action drawn with each half.
    type Output = Vec<u8>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Vec<u8> {
        let mut actions = Vec::new();
        let can_shoot = if self.can_shoot { !lanes.none() } else { lanes.none() };
        for first in (0..65_536).step_by(LANES) {
            let mut words = Column([0; LANES]);
            for lane in 0..LANES {
                let half = (first + lane) as u32;
                words.0[word_index(lane)] = half | (65_535 - half) << 16;
            }
            let halves = lanes.load_words(&words).halves();
            for half in &halves {
                let mut drawn = Column([0; LANES]);
                draw_actions(lanes, self.shared, lanes.splat(self.cell), can_shoot, half).store(&mut drawn);
                actions.extend(drawn.0);
            }
        }
        actions
    }
}

/// Counted exhaustively: each legal action is drawn by the same number of halves of words, up to one.
#[test]
fn actions_are_uniform_over_all_halves_of_words() {
    let mut rng = TestRng::new(5);
    let mut counted = [false; 10];
    while counted[1..] != [true; 9] {
        let maze = positions::maze_of_size(&mut rng, GameKind::Botzone, WallKind::TwoSided, 3, 3);
        let Some(shared) = SharedMaze::new(&maze) else { continue };
        for cell in maze.cells() {
            for can_shoot in [false, true] {
                let legal = legal(&maze, cell, can_shoot);
                if std::mem::replace(&mut counted[legal.len()], true) {
                    continue;
                }
                for set in InstructionSet::available() {
                    let work = AllHalves { shared: &shared, cell: cell.index() as u8, can_shoot };
                    let drawn = arch::dispatch(set, work);
                    for action in 0..9 {
                        // Each half was used both as a lower and as an upper one.
                        let times = drawn.iter().filter(|&&drawn| drawn == action).count() / 2;
                        let even = 65_536 / legal.len();
                        let expected = if legal.contains(&action) { even..=even + 1 } else { 0..=0 };
                        assert!(expected.contains(&times), "{set}: {action} of {legal:?} is drawn {times} times");
                    }
                }
            }
        }
    }
}

/// Returns the indices of the legal actions.
fn legal(maze: &Maze, cell: Cell, can_shoot: bool) -> Vec<u8> {
    let moves = (1..).zip(Direction::ALL).filter(|&(_, direction)| maze.is_open(cell, direction));
    let shots = if can_shoot { 5..9 } else { 0..0 };
    [0].into_iter().chain(moves.map(|(index, _)| index)).chain(shots).collect()
}

/// A turn with given actions, on one maze for all lanes.
struct GivenTurn<'a> {
    states: &'a mut SoaStates,
    shared: &'a SharedMaze,
    actions: &'a [Column<u8>; 4],
}

impl Work for GivenTurn<'_> {
    /// Where the game goes on, and where it fits.
    type Output = (u64, u64);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (u64, u64) {
        let actions = by_seat!(seat => lanes.load(&self.actions[seat]));
        let TurnOutcome { goes_on, fits } = play::<L, _, Given>(lanes, self.states, self.shared, actions);
        (goes_on.bits(), fits.bits())
    }
}

/// Nothing outside of tests plays given actions on a shared maze, but it is possible, so it must be right.
#[test]
fn given_actions_on_a_shared_maze_match_the_rules() {
    for set in InstructionSet::available() {
        let mut rng = TestRng::new(6);
        let (mut turns, mut forfeits) = (0, [0; 3]);
        for _ in 0..100 {
            let maze = maze(&mut rng);
            let Some(shared) = SharedMaze::new(&maze) else { continue };
            let numbering = Numbering::of(&maze);
            let (mut in_lanes, mut expected) = (SoaStates::empty(), Vec::new());
            while expected.len() < LANES {
                let state = positions::state(&mut rng, GameKind::Lively, &maze);
                let Some(packed) = PackedState::new(&maze, &state, numbering) else { continue };
                in_lanes.put(expected.len(), &packed);
                expected.push(Some(state));
            }
            for _ in 0..20 {
                let mut given = [Column([0; LANES]); 4];
                for (lane, state) in expected.iter_mut().enumerate() {
                    let Some(state) = state else { continue };
                    let alive = state.alive;
                    let actions = BySeat::from_fn(|seat| match state.legal_actions(&maze, seat) {
                        [] => Action::Stay,
                        _ if rng.one_in(60) => Action::Invalid,
                        _ if rng.one_in(60) => Action::ALL[rng.below(9)],
                        legal => legal[rng.below(legal.len())],
                    });
                    for (seat, &action) in actions.iter() {
                        given[seat.index()].0[lane] = action_byte(action);
                        let illegal = alive.contains(seat) && !state.is_legal(&maze, seat, action);
                        forfeits[maze.ruleset().forfeit_ruling as usize] += u32::from(illegal);
                    }
                    state.play(&maze, &actions, &mut ());
                    turns += 1;
                }
                let work = GivenTurn { states: &mut in_lanes, shared: &shared, actions: &given };
                let (goes_on, fits) = arch::dispatch(set, work);
                for (lane, game) in expected.iter_mut().enumerate() {
                    let Some(state) = game else { continue };
                    let mut found = in_lanes.packed(lane).state(&maze, numbering);
                    let over = goes_on >> lane & 1 == 0;
                    if over {
                        found.strength = in_lanes.final_strength(lane);
                    }
                    assert_eq!((found, over), (*state, state.is_over(&maze)), "{set}, lane {lane}");
                    if over || fits >> lane & 1 == 0 {
                        in_lanes.clear(lane);
                        *game = None;
                    }
                }
            }
        }
        assert!(turns > 20_000 && forfeits.iter().all(|&count| count > 200), "{turns}, {forfeits:?}");
    }
}
