//! The flags of every turn of the traces, 250 games of the wiki's C++ sample program.

#[path = "../../../rules/tests/common/traces.rs"]
mod traces;

use pacman2_botzone::ChangeFlags;
use pacman2_rules::Game;
use traces::{BOTZONE_MAPS, Fixture, ODD_SETTINGS, Trace, change_bits};

#[test]
fn flags_are_those_of_the_sample_program() {
    for Trace { name, maze, start, turns, .. } in [BOTZONE_MAPS, ODD_SETTINGS].iter().flat_map(Fixture::read) {
        let mut game = Game::new(maze, start);
        for (turn, (actions, _)) in (1..).zip(&turns) {
            let report = game.play(actions).expect("the game goes on");
            // `change_bits` is compared with the traces themselves in the tests of the rules.
            assert_eq!(ChangeFlags::from_report(&report).map(ChangeFlags::bits), change_bits(&report), "{name}, turn {turn}");
        }
    }
}
