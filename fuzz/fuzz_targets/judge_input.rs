//! The judge's input: an answer in JSON, or a sentence why there is none.

#![no_main]

use botzone::judge;
use libfuzzer_sys::fuzz_target;
use rules::LightOnTheForfeited;

fuzz_target!(|input: &str| {
    if let Ok(output) = judge::answer(input, LightOnTheForfeited::Judge, 1) {
        assert!(output["command"].is_string());
    }
});
