//! Pictures: one that is read is drawn and read again as the same position.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_rules::picture;

fuzz_target!(|text: &str| {
    let Ok((maze, state)) = picture::read(text) else { return };
    let (arena_again, state_again) = picture::read(&picture::write(&maze, &state)).expect("what was drawn can be read");
    assert_eq!((maze, state), (arena_again, state_again));
});
