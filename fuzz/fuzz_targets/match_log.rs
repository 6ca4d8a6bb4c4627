//! Match logs: a log that was read can be written, read again, and converted to a replay that verifies.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_botzone::match_log::MatchLog;
use pacman2_replay::Replay;
use pacman2_rules::{ForfeitRuling, Ruleset};

fuzz_target!(|text: &str| {
    let rules = Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge);
    let Ok(value) = serde_json::from_str(text) else { return };
    let Ok(log) = MatchLog::read(&value, rules) else { return };
    let again = MatchLog::read(&log.write(), rules).expect("a written log can be read");
    assert_eq!(log.turns.len(), again.turns.len());
    Replay::from_match_log(&log).verify().expect("the replay of a log agrees with the rules");
});
