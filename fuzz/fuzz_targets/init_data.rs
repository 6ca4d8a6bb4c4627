//! Init data that anybody may have written: it is refused, or what is let in can be played and written again.

#![no_main]

use pacman2_botzone::init_data;
use libfuzzer_sys::fuzz_target;
use pacman2_rules::{BySeat, LightOnTheForfeited, Order};

fuzz_target!(|text: &str| {
    let Ok(value) = serde_json::from_str(text) else { return };
    let Ok((map, _)) = init_data::read(&value, 1, LightOnTheForfeited::Judge) else { return };
    let (again, _) = init_data::read(&init_data::write(&map), 1, LightOnTheForfeited::Judge).expect("what was let in stays in");
    assert_eq!(map, again);
    let mut state = map.start;
    while state.play(&map.maze, &BySeat([Order::Stay; 4]), &mut ()) {}
});
