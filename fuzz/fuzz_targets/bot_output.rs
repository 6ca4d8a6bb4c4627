//! A bot's output: it is read or rejected, and what is kept of it is bounded.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_botzone::response::{BotOutput, DATA_BYTES, DEBUG_BYTES, ParsedResponse, TAUNT_BYTES};

fuzz_target!(|output: &[u8]| {
    let Ok(output) = BotOutput::read(output) else { return };
    assert!(output.data.into_text().len() <= DATA_BYTES);
    assert!(output.globaldata.is_none_or(|data| data.into_text().len() <= DATA_BYTES));
    assert!(output.debug.map(|debug| debug.to_value()).is_none_or(|debug| debug.as_str().map_or(debug.to_string().len(), str::len) <= DEBUG_BYTES));
    if let ParsedResponse::Action { taunt: Some(taunt), .. } = output.parsed {
        assert!(taunt.len() <= TAUNT_BYTES);
    }
});
