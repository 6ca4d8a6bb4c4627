//! The judge's input: an answer in JSON, or a sentence why there is none.

#![no_main]

use pacman2_botzone::judge;
use libfuzzer_sys::fuzz_target;
use pacman2_rules::LightOnTheForfeited;

fuzz_target!(|input: &str| {
    if let Ok(output) = pacman2_match::answer(input, LightOnTheForfeited::Judge, 1) {
        assert!(output["command"].is_string());
    }
});
