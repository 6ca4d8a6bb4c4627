//! What a bot may write: it is an answer or it is not, and what is kept of it is bounded.

#![no_main]

use pacman2_botzone::answer::{Answer, DATA_BYTES, DEBUG_BYTES, Heard, TAUNT_BYTES};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|output: &[u8]| {
    let Ok(answer) = Answer::read(output) else { return };
    assert!(answer.data.len() <= DATA_BYTES);
    assert!(answer.globaldata.is_none_or(|data| data.len() <= DATA_BYTES));
    assert!(answer.debug.is_none_or(|debug| debug.as_str().map_or(debug.to_string().len(), str::len) <= DEBUG_BYTES));
    if let Heard::Action { taunt: Some(taunt), .. } = answer.heard {
        assert!(taunt.len() <= TAUNT_BYTES);
    }
});
