//! The judge's input: it gives an output in JSON or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_botzone::judge;
use pacman2_rules::{ForfeitRuling, Ruleset};

fuzz_target!(|input: &str| {
    let rules = Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge);
    if let Ok(output) = judge::answer(input, rules, 1) {
        assert!(output["command"].is_string());
    }
});
