//! Init data: it is rejected, or the map can be written, read again and played.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_botzone::init_data;
use pacman2_rules::{Action, BySeat, ForfeitRuling, Ruleset};

fuzz_target!(|text: &str| {
    let rules = Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge);
    let Ok(value) = serde_json::from_str(text) else { return };
    let Ok((map, _)) = init_data::read(&value, 1, rules) else { return };
    let (again, _) = init_data::read(&init_data::write(&map), 1, rules).expect("written init data can be read");
    assert_eq!(map, again);
    let mut state = map.start;
    while state.play(&map.maze, &BySeat([Action::Stay; 4]), &mut ()) {}
});
