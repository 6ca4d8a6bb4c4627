//! Pictures: a picture that was read can be written and read again as the same position.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_rules::picture;

fuzz_target!(|text: &str| {
    let Ok((maze, state)) = picture::read(text) else { return };
    let again = picture::read(&picture::write(&maze, &state)).expect("a written picture can be read");
    assert_eq!((maze, state), again);
});
