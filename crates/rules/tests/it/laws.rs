//! Laws that hold in every game, checked on random games: any size, walls, settings and position, with legal and illegal
//! actions. Each run checks the same thousand games for each law; `PROPTEST_CASES` sets another number.

use pacman2_rules::{
    Action, BySeat, Cell, CellSet, Direction, Event, ForfeitRuling, Fruit, Game, MAX_SIDE, Maze, MazeSpec, Report, Ruleset, Seat,
    Square, State, Walls, picture,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::common::symmetry::Mirror;
use crate::common::traces::change_bits;

/// Bits of a player's change in Botzone's log.
const DIED: u8 = 8;
const ILLEGAL: u8 = 16;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(1000),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_161_012),
        ..ProptestConfig::default()
    })]

    /// Undo restores every earlier position exactly (ruling *exact-undo*).
    #[test]
    fn undo_restores(start in starts(), choices in choices()) {
        let (maze, state) = start;
        let mut game = Game::new(maze, state);
        let mut earlier = Vec::new();
        for choice in choices {
            earlier.push(*game.state());
            let actions = choose(game.maze(), game.state(), choice);
            if game.play(&actions).is_none() {
                prop_assert!(game.is_over());
                earlier.pop();
                break;
            }
        }
        while let Some(state) = earlier.pop() {
            prop_assert!(game.undo());
            prop_assert_eq!(*game.state(), state);
        }
        prop_assert!(!game.undo());
    }

    /// The rules are symmetric: a game on a mirrored, rotated or shifted maze is the image of the game.
    #[test]
    fn mirrored_games_mirror(start in starts(), choices in choices(), mirror in mirrors()) {
        let (maze, mut state) = start;
        let other_maze = mirror.maze(&maze);
        let mut other = mirror.state(&maze, &other_maze, &state);
        for choice in choices {
            if state.is_over(&maze) {
                break;
            }
            let actions = choose(&maze, &state, choice);
            let (mut report, mut other_report) = (Report::new(&maze), Report::new(&other_maze));
            let goes_on = state.play(&maze, &actions, &mut report);
            let other_goes_on = other.play(&other_maze, &actions.map(|action| mirror.action(action)), &mut other_report);
            prop_assert_eq!(goes_on, other_goes_on);
            prop_assert_eq!(other, mirror.state(&maze, &other_maze, &state));
            prop_assert_eq!(change_bits(&other_report), change_bits(&report));
            prop_assert_eq!(other_report.strength_delta, report.strength_delta);
            prop_assert_eq!(other_report.actions, report.actions.map(|action| action.map(|action| mirror.action(action))));
            prop_assert_eq!(other_report.events.len(), report.events.len());
        }
    }

    /// Observers do not change a turn.
    #[test]
    fn observers_change_nothing(start in starts(), choices in choices()) {
        let (maze, mut watched) = start;
        let mut unwatched = watched;
        for choice in choices {
            if watched.is_over(&maze) {
                break;
            }
            let actions = choose(&maze, &watched, choice);
            let goes_on = watched.play(&maze, &actions, &mut Report::new(&maze));
            prop_assert_eq!(unwatched.play(&maze, &actions, &mut ()), goes_on);
            prop_assert_eq!(watched, unwatched);
        }
    }

    /// Reports are complete: their events lead from a position to the next.
    #[test]
    fn reports_are_complete(start in starts(), choices in choices()) {
        for (maze, before, report, after) in turns(start, choices) {
            prop_assert_eq!(apply_events(&maze, &before, &report), after);
        }
    }

    /// The listed actions, and only those, are legal and do not forfeit.
    #[test]
    fn legal_actions_do_not_forfeit(start in starts()) {
        let (maze, state) = start;
        prop_assume!(!state.is_over(&maze));
        for seat in Seat::ALL {
            let legal = state.legal_actions(&maze, seat);
            if !state.alive.contains(seat) {
                prop_assert!(legal.is_empty());
                continue;
            }
            let listed: Vec<Action> = Action::ALL.into_iter().filter(|&action| state.is_legal(&maze, seat, action)).collect();
            prop_assert_eq!(legal, &listed[..]);
            for action in Action::ALL.into_iter().chain([Action::Invalid]) {
                let mut actions = BySeat::default();
                actions[seat] = action;
                let mut report = Report::new(&maze);
                state.clone().play(&maze, &actions, &mut report);
                let forfeited = change_bits(&report)[seat] & ILLEGAL != 0;
                prop_assert_eq!(forfeited, !legal.contains(&action), "{} plays {}", seat, action);
            }
        }
    }

    /// With an even skill cost, a report's strength deltas are the differences of strength. With an odd one, each hit can put
    /// them one off.
    #[test]
    fn strength_deltas_add_up(start in starts(), choices in choices()) {
        for (maze, before, report, after) in turns(start, choices) {
            for seat in Seat::ALL {
                let gained = after.strength[seat] - before.strength[seat];
                let hits = report.events.iter().filter(|event| match event {
                    Event::Hit { shooter, victim, .. } => [shooter, victim].contains(&&seat),
                    _ => false,
                });
                let most = if maze.ruleset().skill_cost % 2 == 0 { 0 } else { hits.count() };
                let off = (report.strength_delta[seat] - gained).unsigned_abs() as usize;
                prop_assert!(off <= most, "{}: {} booked, {} gained", seat, report.strength_delta[seat], gained);
            }
        }
    }

    /// The dead do not move, gain, lose or come back.
    #[test]
    fn the_dead_do_not_change(start in starts(), choices in choices()) {
        for (_, before, report, after) in turns(start, choices) {
            for seat in (!before.alive).iter() {
                prop_assert_eq!(after.player(seat), before.player(seat));
                prop_assert_eq!(report.actions[seat], None);
                prop_assert_eq!((change_bits(&report)[seat], report.strength_delta[seat]), (0, 0));
            }
        }
    }

    /// The living have strength. The players that died this turn, and only those, are reported dead.
    #[test]
    fn the_living_have_strength(start in starts(), choices in choices()) {
        for (_, before, report, after) in turns(start, choices) {
            for seat in before.alive.iter() {
                let lives = after.alive.contains(seat);
                prop_assert!(!lives || after.strength[seat] > 0);
                prop_assert_eq!(change_bits(&report)[seat] & (DIED | ILLEGAL) == 0, lives);
            }
        }
    }

    /// `play` and `is_over` agree.
    #[test]
    fn is_over_agrees_with_play(start in starts(), choices in choices()) {
        let (maze, mut state) = start;
        for choice in choices {
            if state.is_over(&maze) {
                break;
            }
            let actions = choose(&maze, &state, choice);
            let goes_on = state.play(&maze, &actions, &mut ());
            prop_assert_eq!(goes_on, !state.is_over(&maze));
        }
    }

    /// Positions of a game, and slight changes of them, have equal fingerprints only if they are equal.
    #[test]
    fn fingerprints_distinguish_positions(start in starts(), choices in choices(), seat in seats()) {
        let mut seen = Vec::new();
        for (_, _, _, after) in turns(start, choices) {
            let changes: [fn(&mut State, Seat); 8] = [
                |state, _| state.turn += 1,
                |state, _| state.generator_turns_left += 1,
                |state, seat| state.alive.remove(seat),
                |state, seat| state.cells.0.swap(0, seat.index()),
                |state, seat| state.strength[seat] += 1,
                |state, seat| state.boost_turns_left[seat] += 1,
                |state, seat| state.small_fruits = CellSet::of(state.cells[seat]),
                |state, seat| state.large_fruits = CellSet::of(state.cells[seat]),
            ];
            seen.push(after);
            for change in changes {
                let mut changed = after;
                change(&mut changed, seat);
                seen.push(changed);
            }
        }
        for one in &seen {
            for other in &seen {
                prop_assert_eq!(one.fingerprint() == other.fingerprint(), one == other);
            }
        }
    }

    /// Pictures survive a round trip.
    #[test]
    fn pictures_survive_a_round_trip(start in starts(), numbers in any::<[i32; 4]>(), counts in any::<[u32; 6]>()) {
        let (maze, mut state) = start;
        let picture = picture::write(&maze, &state);
        prop_assert_eq!(&picture::read(&picture), &Ok((maze.clone(), state)), "\n{}", picture);
        let indented: String = picture.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect();
        prop_assert_eq!(&picture::read(&indented), &Ok((maze.clone(), state)), "\n{}", indented);

        // With any numbers.
        state.strength = BySeat(numbers);
        let [turn, generator_turns_left, boosts @ ..] = counts;
        (state.turn, state.generator_turns_left, state.boost_turns_left) = (turn, generator_turns_left, BySeat(boosts));
        let picture = picture::write(&maze, &state);
        let (read_maze, read_state) = picture::read(&picture).expect("what was written can be read");
        prop_assert_eq!(picture::write(&read_maze, &read_state), picture);
        prop_assert_eq!((read_maze, read_state), (maze, state));
    }

    /// Every position has a debug print: a headline, four players, the column numbers, two lines for each row, and one more.
    #[test]
    fn debug_print_never_fails(start in starts()) {
        let (maze, state) = start;
        let lines = picture::debug_print(&maze, &state).lines().count();
        prop_assert_eq!(lines, 1 + 4 + 1 + 2 * usize::from(maze.height()) + 1);
    }

    /// A ray consists of the cells that a walk in its direction passes.
    #[test]
    fn rays_end_at_a_wall_or_go_round(maze in mazes()) {
        for from in maze.cells() {
            for direction in Direction::ALL {
                let ray = maze.ray(from, direction);
                let mut walked = CellSet::EMPTY;
                let mut cell = from;
                while maze.is_open(cell, direction) && maze.neighbour(cell, direction) != from {
                    cell = maze.neighbour(cell, direction);
                    walked.insert(cell);
                }
                prop_assert_eq!(ray, walked);
                for target in maze.cells() {
                    prop_assert_eq!(maze.is_lit(from, direction, target), ray.contains(target));
                }
            }
        }
    }

    /// The functions of a maze agree with each other, and neighbours are mutual.
    #[test]
    fn mazes_are_consistent(maze in mazes()) {
        prop_assert_eq!(&Maze::new(&maze.spec()), &Ok(maze.clone()));
        for (index, cell) in maze.cells().enumerate() {
            prop_assert_eq!(cell.index(), index);
            prop_assert_eq!(maze.cell(maze.row(cell).into(), maze.col(cell).into()), Some(cell));
            for direction in Direction::ALL {
                let open = maze.is_open(cell, direction);
                prop_assert_eq!(open, !maze.walls(cell).contains(direction));
                prop_assert_eq!(open, maze.open_sides(cell) >> direction.index() & 1 != 0);
                let (rows, cols) = direction.delta();
                let row = (maze.row(cell) + maze.height()).wrapping_add_signed(rows) % maze.height();
                let col = (maze.col(cell) + maze.width()).wrapping_add_signed(cols) % maze.width();
                prop_assert_eq!(Some(maze.neighbour(cell, direction)), maze.cell(row.into(), col.into()));
                prop_assert_eq!(maze.neighbour(maze.neighbour(cell, direction), direction.opposite()), cell);
            }
        }
        prop_assert_eq!(maze.cell(maze.height().into(), 0), None);
        prop_assert_eq!(maze.cell(0, maze.width().into()), None);
        prop_assert!((maze.spawn_cells() & maze.generators()).is_empty());
    }
}

/// Any maze, half of them small, since more happens on those.
fn mazes() -> impl Strategy<Value = Maze> {
    let side = || prop_oneof![1..=4_u8, 1..=MAX_SIDE];
    let square = (proptest::array::uniform4(proptest::bool::weighted(0.2)), proptest::bool::weighted(0.1));
    (side(), side(), rulesets()).prop_flat_map(move |(width, height, ruleset)| {
        vec(square, usize::from(width) * usize::from(height)).prop_map(move |squares| {
            let squares = squares.into_iter().map(|(walls, generator)| Square { walls: build(walls), generator }).collect();
            Maze::new(&MazeSpec { width, height, squares, ruleset }).expect("the description is valid")
        })
    })
}

/// Any rules by which something happens soon.
fn rulesets() -> impl Strategy<Value = Ruleset> {
    let ruling = proptest::sample::select(ForfeitRuling::ALL.to_vec());
    (1..=6_u32, 0..=5_u32, 0..=12_i32, 0..=6_i32, 1..=30_u32, ruling).prop_map(
        |(generator_interval, large_fruit_duration, large_fruit_enhancement, skill_cost, turn_limit, forfeit_ruling)| Ruleset {
            generator_interval,
            large_fruit_duration,
            large_fruit_enhancement,
            skill_cost,
            turn_limit,
            forfeit_ruling,
        },
    )
}

/// Any maze with any position that a game can reach.
fn starts() -> impl Strategy<Value = (Maze, State)> {
    let player = (any::<u8>(), proptest::bool::weighted(0.9), 1..=40_i32, prop_oneof![Just(0), 0..=4_u32]);
    (mazes(), proptest::array::uniform4(player), any::<[u128; 3]>(), any::<[u8; 2]>()).prop_map(
        |(maze, players, fruits, [turn, left])| {
            let cells: Vec<Cell> = maze.cells().collect();
            let scatter = |bits: u128| cells.iter().copied().filter(|cell| bits >> cell.index() & 1 != 0).collect();
            let at = BySeat(players.map(|(cell, ..)| cells[usize::from(cell) % cells.len()]));
            // Small fruit on half of the cells, large fruit on a quarter.
            let mut state = State::start(&maze, at, scatter(fruits[0]), scatter(fruits[1] & fruits[2]));
            for (seat, &(_, alive, strength, boost)) in BySeat(players).iter() {
                state.boost_turns_left[seat] = boost;
                state.strength[seat] = strength;
                if !alive {
                    state.alive.remove(seat);
                    state.strength[seat] = strength - 10;
                }
            }
            state.turn = u32::from(turn) % maze.ruleset().turn_limit;
            state.generator_turns_left = 1 + u32::from(left) % maze.ruleset().generator_interval;
            (maze, state)
        },
    )
}

/// Random numbers for each turn, from which [`choose`] makes actions.
fn choices() -> impl Strategy<Value = Vec<[u8; 4]>> {
    vec(any::<[u8; 4]>(), 1..20)
}

/// Returns actions: mostly legal ones, sometimes any.
fn choose(maze: &Maze, state: &State, choice: [u8; 4]) -> BySeat<Action> {
    BySeat::from_fn(|seat| {
        let number = usize::from(choice[seat.index()]);
        let legal = state.legal_actions(maze, seat);
        match number {
            0..240 if !legal.is_empty() => legal[number % legal.len()],
            _ => Action::ALL.get(number % 10).copied().unwrap_or(Action::Invalid),
        }
    })
}

fn seats() -> impl Strategy<Value = Seat> {
    proptest::sample::select(Seat::ALL.to_vec())
}

fn build(sides: [bool; 4]) -> Walls {
    let mut walls = Walls::NONE;
    for direction in Direction::ALL.into_iter().filter(|direction| sides[direction.index()]) {
        walls.insert(direction);
    }
    walls
}

/// Returns the turns of a game: each with the position before, the report, and the position after.
fn turns(start: (Maze, State), choices: Vec<[u8; 4]>) -> impl Iterator<Item = (Maze, State, Report, State)> {
    let (maze, mut state) = start;
    choices.into_iter().map_while(move |choice| {
        if state.is_over(&maze) {
            return None;
        }
        let before = state;
        let mut report = Report::new(&maze);
        state.play(&maze, &choose(&maze, &before, choice), &mut report);
        Some((maze.clone(), before, report, state))
    })
}

/// Returns the position to which the events lead.
fn apply_events(maze: &Maze, before: &State, report: &Report) -> State {
    let mut state = *before;
    state.turn += 1;
    state.generator_turns_left -= 1;
    for event in &report.events {
        match *event {
            Event::Acted { .. } | Event::Frightened { .. } => {}
            Event::Moved { seat, to, .. } => state.cells[seat] = to,
            Event::Fought { winners, share, .. } => winners.iter().for_each(|seat| state.strength[seat] += share),
            Event::Looted { seat, lost } | Event::BoostEnded { seat, lost } => state.strength[seat] -= lost,
            Event::Fired { seat, cost, .. } => state.strength[seat] -= cost,
            Event::Hit { shooter, victim, shooter_strength, victim_strength } => {
                state.strength[shooter] = shooter_strength;
                state.strength[victim] = victim_strength;
            }
            Event::Died { seat, lost, .. } => {
                state.alive.remove(seat);
                state.strength[seat] -= lost;
            }
            Event::StrengthReset { seat, gained } => state.strength[seat] += gained,
            Event::FruitSpawned { cells } => {
                state.small_fruits |= cells;
                state.generator_turns_left = maze.ruleset().generator_interval;
            }
            Event::Ate { seat, cell, fruit, gained } => {
                state.strength[seat] += gained;
                match fruit {
                    Fruit::Small => state.small_fruits.remove(cell),
                    Fruit::Large => {
                        state.large_fruits.remove(cell);
                        state.boost_turns_left[seat] += maze.ruleset().large_fruit_duration;
                    }
                }
            }
            Event::BoostCounted { seat, turns_left } => state.boost_turns_left[seat] = turns_left,
            Event::Inherited { seat, fruits } => state.strength[seat] += fruits,
        }
    }
    state
}

fn mirrors() -> impl Strategy<Value = Mirror> {
    prop_oneof![
        Just(Mirror::LeftAndRight),
        Just(Mirror::UpAndDown),
        Just(Mirror::Diagonal),
        (0..11_usize, 0..11_usize).prop_map(|(rows, cols)| Mirror::Moved(rows, cols)),
    ]
}
