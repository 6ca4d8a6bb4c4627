//! Match logs: a valid one can be written, read again, and converted to a replay that verifies.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_botzone::match_log::MatchLog;
use pacman2_replay::Replay;
use pacman2_rules::{ForfeitRuling, Ruleset};

const RULESET: Ruleset = Ruleset::BOTZONE.with_forfeit_ruling(ForfeitRuling::Judge);

fuzz_target!(|text: &str| {
    let Ok(value) = serde_json::from_str(text) else { return };
    let Ok(log) = MatchLog::read(&value, RULESET) else { return };
    let again = MatchLog::read(&log.write(), RULESET).expect("what was written can be read");
    assert_eq!(log.turns.len(), again.turns.len());
    Replay::from_match_log(&log).verify().expect("the replay of a log follows the rules");
});
