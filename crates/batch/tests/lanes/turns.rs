//! Turns of playouts compared with `pacman2_rules` lane by lane, with each instruction set.
//!
//! The tests of playouts see only their results; here each turn is compared. `tests/it/games.rs` does the same for games with given
//! actions on separate mazes.

use pacman2_rules::{Action, BySeat, Cell, Direction, Maze, State, picture};

use crate::arch::{self, Work};
use crate::instruction_set::InstructionSet;
use crate::internals::rng::{GameRng, LaneRngs};
use crate::lanes::{Bytes, Column, LANES, Lanes, Words, word_index};
use crate::maze_tables::shared::SharedMaze;
use crate::maze_tables::{MazeTables, draw_actions};
use crate::positions::{self, GameKind, TestRng, WallKind};
use crate::soa_states::{Numbering, PackedState, SoaStates};
use crate::turn::{Legal, TurnOutcome, play};

/// The games in lanes, and the same games played by `pacman2_rules`.
struct Comparison {
    set: InstructionSet,
    maze: Maze,
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
    /// Begins games on one maze.
    fn new(set: InstructionSet, maze: Maze, numbering: Numbering, seed: u64) -> Comparison {
        let mut comparison = Comparison {
            set,
            maze,
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

    /// Begins a game in a lane from a position that the lane can hold.
    fn begin(&mut self, lane: usize) -> (State, GameRng) {
        let maze = &self.maze;
        loop {
            let kind = self.test_rng.of(&[GameKind::Lively, GameKind::Garden]);
            let state = positions::state(&mut self.test_rng, kind, maze);
            let rng = GameRng::new(self.test_rng.below(usize::MAX) as u64);
            if let Some(packed) = PackedState::new(maze.rows(), maze.ruleset(), &state, self.numbering) {
                self.states.put(lane, &packed);
                self.rngs.put(lane, &rng);
                return (state, rng);
            }
            self.counts.rejected += 1;
        }
    }

    /// Plays turns in lanes as playouts do, and compares each with `pacman2_rules`.
    #[inline(always)]
    fn turns<L: Lanes>(&mut self, lanes: L, shared: &SharedMaze, turns: u64) {
        for _ in 0..turns {
            let mut drawn = [Column([0; LANES]); 4];
            let (mut goes_on, mut fits) = (0, 0);
            for part in lanes.parts() {
                let outcome = turn(part, &mut self.states, &mut self.rngs, shared, &mut drawn);
                goes_on |= part.bits(outcome.goes_on);
                fits |= part.bits(outcome.fits);
            }
            for lane in 0..LANES {
                self.compare(lane, &drawn, goes_on >> lane & 1 != 0, fits >> lane & 1 != 0);
            }
        }
    }

    #[inline(never)]
    fn compare(&mut self, lane: usize, drawn: &[Column<u8>; 4], goes_on: bool, fits: bool) {
        let (before, rng) = &mut self.games[lane];
        let (before, maze) = (*before, &self.maze);
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
            let held = PackedState::new(maze.rows(), maze.ruleset(), &expected, self.numbering).is_some();
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
fn turn<L: Lanes>(
    lanes: L,
    states: &mut SoaStates,
    rngs: &mut LaneRngs,
    shared: &SharedMaze,
    drawn: &mut [Column<u8>; 4],
) -> TurnOutcome<L::Mask> {
    let fractions = rngs.draw(lanes);
    let cells = by_seat!(seat => lanes.load(&states.cells[seat]));
    let sides = shared.sides(lanes, &cells);
    let actions = by_seat!(seat => {
        let can_shoot = lanes.load(&states.strength[seat]).gt_i8(shared.ruleset(lanes).skill_cost);
        let actions = draw_actions(lanes, cells[seat], sides[seat] & lanes.splat(15), can_shoot, &fractions[seat]);
        lanes.store(actions, &mut drawn[seat]);
        actions
    });
    play::<L, _, Legal>(lanes, states, shared, actions, sides)
}

/// Turns to be compared.
struct Turns<'a> {
    comparison: &'a mut Comparison,
    turns: u64,
}

impl Work for Turns<'_> {
    /// Whether lights may return to their shooters, if the maze has tables for all lanes.
    type Output = Option<bool>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Option<bool> {
        let Turns { comparison, turns } = self;
        let shared = SharedMaze::new(&comparison.maze, comparison.numbering)?;
        comparison.turns(lanes, &shared, turns);
        Some(MazeTables::<L>::light_may_return(&shared))
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
fn turns_match_the_rules() {
    for set in InstructionSet::available() {
        let mut rng = TestRng::new(1);
        let (mut stopped, mut returning, mut not_shared, mut total) = (0, 0, 0, Counts::default());
        for seed in 0..240 {
            let maze = maze(&mut rng);
            let numbering = if seed % 2 == 0 { Numbering::of(&maze) } else { Numbering::WIDEST };
            let mut comparison = Comparison::new(set, maze, numbering, seed);
            match arch::dispatch(set, Turns { comparison: &mut comparison, turns: 80 }) {
                Some(true) => returning += 1,
                Some(false) => stopped += 1,
                None => not_shared += 1,
            }
            total.turns += comparison.counts.turns;
            total.ended += comparison.counts.ended;
            total.outgrown += comparison.counts.outgrown;
            total.rejected += comparison.counts.rejected;
        }
        assert!(stopped > 30 && returning > 30 && not_shared > 20, "{stopped}, {returning}, {not_shared}");
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
            let mut comparison = Comparison::new(set, maze, numbering, 4);
            let returns = arch::dispatch(set, Turns { comparison: &mut comparison, turns: 200 });
            assert_eq!(returns, Some(width.max(height) > 1), "{width} by {height}");
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
            let halves = L::Words::halves([0, 1, 2, 3].map(|quarter| lanes.load_words(&words, quarter)));
            for half in &halves {
                let mut drawn = Column([0; LANES]);
                let cells = lanes.splat(self.cell);
                let [sides, ..] = self.shared.sides(lanes, &[cells; 4]);
                lanes.store(draw_actions(lanes, cells, sides & lanes.splat(15), can_shoot, half), &mut drawn);
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
        let Some(shared) = SharedMaze::new(&maze, Numbering::of(&maze)) else { continue };
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
