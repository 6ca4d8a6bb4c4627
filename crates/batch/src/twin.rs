//! The plain twin: every lane against the rules after every turn, on each kind of ground and each instruction set.
//!
//! The tests outside this crate see playouts only by what comes of them; here each turn is looked at.

#[path = "../tests/common/starts.rs"]
mod starts;

use pacman2_rules::{Action, BySeat, Maze, State, picture};
use starts::{Building, Chance as Draw, Game};

use crate::arch::{self, Work};
use crate::columns::{Columns, Numbering, Row};
use crate::ground::own::{Own, OwnMap};
use crate::ground::shared::Shared;
use crate::ground::{Ground, draw};
use crate::instruction_set::InstructionSet;
use crate::lanes::{Bytes, Column, LANES, Lanes, Mask, Words};
use crate::rng::{Chance, GameRng};
use crate::turn::{After, Legal, play};

/// The lanes' games and their twins.
struct Twins {
    set: InstructionSet,
    mazes: Vec<Maze>,
    numbering: Numbering,
    games: Vec<(State, GameRng)>,
    columns: Columns,
    chance: Chance,
    draw: Draw,
    seen: Seen,
}

/// What happened.
#[derive(Default, Debug)]
struct Seen {
    turns: u64,
    /// Games that ended.
    ended: u64,
    /// Games that a lane could not hold any more.
    outgrown: u64,
    /// Positions that lanes do not hold.
    refused: u64,
}

impl Twins {
    /// `mazes` are each lane's own, or one for all.
    fn new(set: InstructionSet, mazes: Vec<Maze>, numbering: Numbering, seed: u64) -> Twins {
        let (columns, chance) = (Columns::empty(), Chance::new());
        let mut twins =
            Twins { set, mazes, numbering, games: Vec::new(), columns, chance, draw: Draw::new(seed), seen: Seen::default() };
        for lane in 0..LANES {
            let game = twins.begin(lane);
            twins.games.push(game);
        }
        twins
    }

    fn maze(&self, lane: usize) -> &Maze {
        &self.mazes[lane % self.mazes.len()]
    }

    /// Begins a game in a lane from a position that the lane can hold.
    fn begin(&mut self, lane: usize) -> (State, GameRng) {
        let maze = &self.mazes[lane % self.mazes.len()];
        loop {
            let kind = self.draw.of(&[Game::Lively, Game::Garden]);
            let state = starts::state(&mut self.draw, kind, maze);
            let generator = GameRng::new(self.draw.below(usize::MAX) as u64);
            if let Some(row) = Row::new(maze, &state, self.numbering) {
                self.columns.put(lane, &row);
                self.chance.put(lane, &generator);
                return (state, generator);
            }
            self.seen.refused += 1;
        }
    }

    /// Plays turns in lanes as playouts do, and each by the rules.
    fn turns<L: Lanes, G: Ground<L>>(&mut self, ground: &G, turns: u64) {
        for _ in 0..turns {
            let mut drawn = [Column([0; LANES]); 4];
            let after = L::within(
                #[inline(always)]
                || turn::<L, G>(&mut self.columns, &mut self.chance, ground, &mut drawn),
            );
            let (goes_on, fits) = (after.goes_on.bits(), after.fits.bits());
            for lane in 0..LANES {
                self.compare(lane, &drawn, goes_on >> lane & 1 != 0, fits >> lane & 1 != 0);
            }
        }
    }

    fn compare(&mut self, lane: usize, drawn: &[Column<u8>; 4], goes_on: bool, fits: bool) {
        let (before, generator) = &mut self.games[lane];
        let (before, maze) = (*before, &self.mazes[lane % self.mazes.len()]);
        let actions = generator.actions(maze, &before);
        let tell = |what: &str| {
            let set = self.set;
            format!("{set}, lane {lane}: {what}; {actions:?} in this position\n{}", picture::write(maze, &before))
        };
        let found = BySeat(drawn.each_ref().map(|column| Action::ALL[usize::from(column.0[lane])]));
        assert_eq!(found, actions, "{}", tell("orders"));

        let mut expected = before;
        assert_eq!(goes_on, expected.play(maze, &actions, &mut ()), "{}", tell("whether the game goes on"));
        let mut state = self.columns.row(lane).state(maze, self.numbering);
        if !goes_on {
            state.strength = self.columns.final_strength(lane);
        }
        let pictures = || [&expected, &state].map(|state| picture::write(maze, state)).join("\nis, but in lanes\n");
        assert!(state == expected, "{}\n{}", tell("the position"), pictures());
        self.seen.turns += 1;
        if goes_on {
            let held = Row::new(maze, &expected, self.numbering).is_some();
            assert_eq!(fits, held, "{}\n{}", tell("whether the lane holds the game"), pictures());
        }
        self.games[lane].0 = expected;
        if !(goes_on && fits) {
            self.seen.ended += u64::from(!goes_on);
            self.seen.outgrown += u64::from(goes_on);
            self.games[lane] = self.begin(lane);
        }
    }
}

/// A turn as playouts play it, and the orders that were drawn.
#[inline(always)]
fn turn<L: Lanes, G: Ground<L>>(
    columns: &mut Columns,
    chance: &mut Chance,
    ground: &G,
    drawn: &mut [Column<u8>; 4],
) -> After<L::Mask> {
    let fractions = chance.draw::<L>();
    let actions = by_seat!(seat => {
        let cells = L::Bytes::load(&columns.cells[seat]);
        let can_shoot = L::Bytes::load(&columns.strength[seat]).above(ground.terms().skill_cost);
        let actions = draw::<L, G>(ground, cells, can_shoot, &fractions[seat]);
        actions.store(&mut drawn[seat]);
        actions
    });
    play::<L, G, Legal>(columns, ground, actions)
}

/// Turns on one map or on many, with an instruction set that is yet to be said.
struct Turns<'a> {
    twins: &'a mut Twins,
    /// All lanes have the same map, and its tables are shared.
    share: bool,
    turns: u64,
}

impl Work for Turns<'_> {
    /// Whether lights go all the way round, if a map was shared that can be.
    type Done = Option<bool>;

    fn with<L: Lanes>(self) -> Option<bool> {
        let Turns { twins, share, turns } = self;
        if share {
            let shared = Shared::new(twins.maze(0))?;
            twins.turns::<L, _>(&shared, turns);
            return Some(Ground::<L>::shines_home(&shared));
        }
        let mut own = Own::new();
        (0..LANES).for_each(|lane| own.put(lane, &OwnMap::new(twins.maze(lane))));
        twins.turns::<L, _>(&own, turns);
        None
    }
}

/// A map whose games lanes can hold, of settings odd and not.
fn maze(chance: &mut Draw) -> Maze {
    let game = chance.of(&[Game::Lively, Game::Lively, Game::Botzone, Game::Garden]);
    let maze = starts::maze(chance, game);
    let mut settings = *maze.ruleset();
    settings.skill_cost = chance.within(0..=14);
    settings.large_fruit_enhancement = chance.within(0..=if settings.skill_cost < 9 { 20 } else { 1 });
    maze.with_ruleset(settings).expect("the settings are possible")
}

#[test]
fn shared_ground() {
    for set in InstructionSet::available() {
        let mut chance = Draw::new(1);
        let (mut hindered, mut unhindered, mut crooked, mut turns) = (0, 0, 0, 0);
        for seed in 0..300 {
            let maze = maze(&mut chance);
            let numbering = Numbering::of(&maze);
            let mut twins = Twins::new(set, vec![maze], numbering, seed);
            match arch::with(set, Turns { twins: &mut twins, share: true, turns: 80 }) {
                Some(true) => unhindered += 1,
                Some(false) => hindered += 1,
                None => crooked += 1,
            }
            turns += twins.seen.turns;
        }
        assert!(hindered > 30 && unhindered > 30 && crooked > 20, "{hindered}, {unhindered}, {crooked}");
        assert!(turns > 1_000_000, "{turns}");
    }
}

#[test]
fn own_ground() {
    for set in InstructionSet::available() {
        let mut chance = Draw::new(2);
        let mut seen = Seen::default();
        for seed in 0..50 {
            let mazes = (0..LANES).map(|_| maze(&mut chance)).collect();
            let mut twins = Twins::new(set, mazes, Numbering::WIDEST, seed);
            arch::with(set, Turns { twins: &mut twins, share: false, turns: 350 });
            seen.turns += twins.seen.turns;
            seen.ended += twins.seen.ended;
            seen.outgrown += twins.seen.outgrown;
            seen.refused += twins.seen.refused;
        }
        let Seen { turns, ended, outgrown, refused } = seen;
        assert!(turns > 1_000_000 && ended > 10_000 && outgrown > 100 && refused > 1000, "{seen:?}");
    }
}

/// The map without walls, on which a light comes home unless it is told not to.
#[test]
fn no_walls() {
    for set in InstructionSet::available() {
        for (width, height) in [(1, 1), (1, 11), (11, 1), (2, 2), (3, 5), (11, 11)] {
            let maze = starts::arena_of_size(&mut Draw::new(3), Game::Lively, Building::Bare, width, height);
            let numbering = Numbering::of(&maze);
            let mut twins = Twins::new(set, vec![maze], numbering, 4);
            let goes_round = arch::with(set, Turns { twins: &mut twins, share: true, turns: 200 });
            assert_eq!(goes_round, Some(width.max(height) > 2), "{width} by {height}");
        }
    }
}

/// Draws orders for all halves of words there are, 64 at a time, in a cell with that many open sides.
struct AllHalves<'a> {
    shared: &'a Shared,
    cell: u8,
    can_shoot: bool,
}

impl Work for AllHalves<'_> {
    /// The order drawn with each half.
    type Done = Vec<u8>;

    fn with<L: Lanes>(self) -> Vec<u8> {
        let mut actions = Vec::new();
        let shoot = if self.can_shoot { !L::Mask::none() } else { L::Mask::none() };
        for first in (0..65_536).step_by(LANES) {
            let mut words = Column([0; LANES]);
            for lane in 0..LANES {
                let half = (first + lane) as u32;
                words.0[crate::lanes::word_slot(lane)] = half | (65_535 - half) << 16;
            }
            let [mut low, mut high] = [Column([0; LANES]); 2];
            L::within(
                #[inline(always)]
                || {
                    let halves = L::Words::load(&words).halves();
                    draw::<L, _>(self.shared, L::Bytes::all(self.cell), shoot, &halves[0]).store(&mut low);
                    draw::<L, _>(self.shared, L::Bytes::all(self.cell), shoot, &halves[1]).store(&mut high);
                },
            );
            actions.extend(low.0);
            actions.extend(high.0);
        }
        actions
    }
}

/// Counted out: of all halves of words as many give each legal order as any other, to within one.
#[test]
fn orders_are_drawn_evenly() {
    let mut chance = Draw::new(5);
    let mut counted = [false; 10];
    while counted[1..] != [true; 9] {
        let maze = starts::arena_of_size(&mut chance, Game::Botzone, Building::TwoSided, 3, 3);
        let Some(shared) = Shared::new(&maze) else { continue };
        for cell in maze.cells() {
            for can_shoot in [false, true] {
                let legal = legal(&maze, cell, can_shoot);
                if std::mem::replace(&mut counted[legal.len()], true) {
                    continue;
                }
                for set in InstructionSet::available() {
                    let work = AllHalves { shared: &shared, cell: cell.index() as u8, can_shoot };
                    let drawn = arch::with(set, work);
                    for action in 0..9 {
                        // Each half was both a lower and an upper one.
                        let times = drawn.iter().filter(|&&drawn| drawn == action).count() / 2;
                        let even = 65_536 / legal.len();
                        let expected = if legal.contains(&action) { even..=even + 1 } else { 0..=0 };
                        assert!(expected.contains(&times), "{set}: {action} of {legal:?} comes {times} times");
                    }
                }
            }
        }
    }
}

/// The places of legal orders in [`Order::ALL`].
fn legal(maze: &Maze, cell: pacman2_rules::Cell, can_shoot: bool) -> Vec<u8> {
    let walks = (1..).zip(pacman2_rules::Direction::ALL).filter(|&(_, direction)| maze.is_open(cell, direction));
    let lights = if can_shoot { 5..9 } else { 0..0 };
    [0].into_iter().chain(walks.map(|(place, _)| place)).chain(lights).collect()
}

/// A turn of orders that somebody gives, on one map for all lanes.
struct Given<'a> {
    columns: &'a mut Columns,
    shared: &'a Shared,
    actions: &'a [Column<u8>; 4],
}

impl Work for Given<'_> {
    /// Where the game goes on, and where it fits.
    type Done = (u64, u64);

    fn with<L: Lanes>(self) -> (u64, u64) {
        L::within(
            #[inline(always)]
            || {
                let actions = by_seat!(seat => L::Bytes::load(&self.actions[seat]));
                let After { goes_on, fits } = play::<L, _, crate::turn::Given>(self.columns, self.shared, actions);
                (goes_on.bits(), fits.bits())
            },
        )
    }
}

/// Nothing asks for it yet; but it is there, so it is right.
#[test]
fn given_orders_on_shared_ground() {
    for set in InstructionSet::available() {
        let mut chance = Draw::new(6);
        let (mut turns, mut forfeits) = (0, [0; 3]);
        for _ in 0..100 {
            let maze = maze(&mut chance);
            let Some(shared) = Shared::new(&maze) else { continue };
            let numbering = Numbering::of(&maze);
            let (mut columns, mut states) = (Columns::empty(), Vec::new());
            while states.len() < LANES {
                let state = starts::state(&mut chance, Game::Lively, &maze);
                let Some(row) = Row::new(&maze, &state, numbering) else { continue };
                columns.put(states.len(), &row);
                states.push(Some(state));
            }
            for _ in 0..20 {
                let mut places = [Column([0; LANES]); 4];
                for (lane, state) in states.iter_mut().enumerate() {
                    let Some(state) = state else { continue };
                    let alive = state.alive;
                    let actions = BySeat::from_fn(|seat| match state.legal_actions(&maze, seat) {
                        [] => Action::Stay,
                        _ if chance.one_in(60) => Action::Invalid,
                        _ if chance.one_in(60) => Action::ALL[chance.below(9)],
                        legal => legal[chance.below(legal.len())],
                    });
                    for (seat, &action) in actions.iter() {
                        let place = Action::ALL
                            .iter()
                            .position(|&other| other == action)
                            .map_or(crate::ground::INVALID, |place| place as u8);
                        places[seat.index()].0[lane] = place;
                        let illegal = alive.contains(seat) && !state.is_legal(&maze, seat, action);
                        forfeits[maze.ruleset().forfeit_ruling as usize] += u32::from(illegal);
                    }
                    state.play(&maze, &actions, &mut ());
                    turns += 1;
                }
                let (goes_on, fits) = arch::with(set, Given { columns: &mut columns, shared: &shared, actions: &places });
                for (lane, slot) in states.iter_mut().enumerate() {
                    let Some(state) = slot else { continue };
                    let mut found = columns.row(lane).state(&maze, numbering);
                    let over = goes_on >> lane & 1 == 0;
                    if over {
                        found.strength = columns.final_strength(lane);
                    }
                    assert_eq!((found, over), (*state, state.is_over(&maze)), "{set}, lane {lane}");
                    if over || fits >> lane & 1 == 0 {
                        columns.clear(lane);
                        *slot = None;
                    }
                }
            }
        }
        assert!(turns > 20_000 && forfeits.iter().all(|&count| count > 200), "{turns}, {forfeits:?}");
    }
}
