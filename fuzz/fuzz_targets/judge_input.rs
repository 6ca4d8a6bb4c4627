//! The input of the judge: it is answered with a command, or rejected.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_botzone::judge;
use pacman2_rules::{ForfeitRuling, Ruleset};

fuzz_target!(|input: &str| {
    if let Ok(output) = judge::answer(input, Ruleset::BOTZONE.with_forfeit_ruling(ForfeitRuling::Judge), 1) {
        assert!(output["command"].is_string());
    }
});
