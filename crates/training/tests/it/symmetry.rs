//! The inputs of the nets are invariant under the symmetries of the board.

#[path = "../../../rules/tests/common/symmetry.rs"]
mod board;

use pacman2_bots::distance_tables::DistanceTables;
use pacman2_bots::net::NetInputs;
use pacman2_bots::policy_net::PolicyPosition;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Ruleset, Seat, SeatSet, State};
use pacman2_training::{League, SelfPlay};

use board::Mirror;

const MIRRORS: [Mirror; 5] =
    [Mirror::LeftAndRight, Mirror::UpAndDown, Mirror::Diagonal, Mirror::Moved(3, 0), Mirror::Moved(1, 4)];
/// Permutations of the seats.
const SEATS: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0]];

/// Returns the position with the players on permuted seats.
fn seated(state: &State, seats: [usize; 4]) -> State {
    let from = |seat: Seat| Seat::ALL[seats[seat.index()]];
    State {
        cells: BySeat::from_fn(|seat| state.cells[from(seat)]),
        strength: BySeat::from_fn(|seat| state.strength[from(seat)]),
        boost_turns_left: BySeat::from_fn(|seat| state.boost_turns_left[from(seat)]),
        alive: SeatSet::from_fn(|seat| state.alive.contains(from(seat))),
        ..*state
    }
}

#[track_caller]
fn check(expected: &NetInputs, actual: &NetInputs, seats: [usize; 4], what: &str) {
    let near = |one: f32, other: f32| (one - other).abs() <= 1e-4 * (1.0 + one.abs());
    for (seat, from) in seats.into_iter().enumerate() {
        assert!(near(expected.points[from], actual.points[seat]), "{what}: {:?} {:?}", expected.points, actual.points);
        for (number, (&one, &other)) in expected.seats[from].iter().zip(&actual.seats[seat]).enumerate() {
            assert!(near(one, other), "{what}: input {number} of seat {from} is {one}, of its image on seat {seat} {other}");
        }
    }
}

/// Returns the rows of each living seat's actions, without the one that says whether the action is that of the quick policy, which
/// prefers directions.
fn rows(position: &PolicyPosition, seat: Seat, actions: &[Action]) -> Vec<Vec<u16>> {
    let rows = position.rows(seat, actions);
    let rows = rows[..actions.len()].iter().map(|rows| {
        let mut rows = rows.as_slice().to_vec();
        rows.remove(rows.len() - 4);
        rows
    });
    rows.collect()
}

#[test]
fn inputs_are_the_same_in_every_mirror_image_and_from_every_seat() {
    let mut positions = 0;
    for map in 0..6 {
        let league = League::new(Vec::new());
        let play = SelfPlay { league: &league, simulations: 8, seed: 1 };
        let record = play.play(map, || true).expect("Botzone makes a map of every seed").expect("not interrupted");
        let Map { maze, start, .. } =
            Map::generate(map, MapSize::default(), Ruleset::default()).expect("the game was played on it");
        let tables = DistanceTables::new(&maze);
        for mirror in MIRRORS {
            let other_maze = mirror.maze(&maze);
            let other_tables = DistanceTables::new(&other_maze);
            let (mut state, mut last) = (start, BySeat([Action::Stay; 4]));
            for turn in &record.turns {
                let expected = NetInputs::new(&tables, &maze, &state);
                for seats in SEATS {
                    let other = seated(&mirror.state(&maze, &other_maze, &state), seats);
                    let actual = NetInputs::new(&other_tables, &other_maze, &other);
                    check(&expected, &actual, seats, &format!("map {map}, turn {}, {mirror:?}", state.turn));
                    let other_last = BySeat::from_fn(|seat| mirror.action(last[Seat::ALL[seats[seat.index()]]]));
                    let position = PolicyPosition::new(&tables, &maze, &state).after(last);
                    let other_position = PolicyPosition::new(&other_tables, &other_maze, &other).after(other_last);
                    for seat in other.alive.iter() {
                        let from = Seat::ALL[seats[seat.index()]];
                        let legal = state.legal_actions(&maze, from);
                        let images: Vec<Action> = legal.iter().map(|&action| mirror.action(action)).collect();
                        let actual = rows(&other_position, seat, &images);
                        assert_eq!(actual, rows(&position, from, legal), "map {map}, {state:?}, {mirror:?}, {seat:?}");
                    }
                    positions += 1;
                }
                state.play(&maze, &turn.actions, &mut ());
                last = turn.actions;
            }
        }
    }
    assert!(positions > 5000, "{positions}");
}
