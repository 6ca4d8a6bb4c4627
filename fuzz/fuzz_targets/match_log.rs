//! Match logs: one that is read can be written, read again and turned into a replay that verifies.

#![no_main]

use pacman2_botzone::match_log::MatchLog;
use libfuzzer_sys::fuzz_target;
use pacman2_replay::Replay;
use pacman2_rules::LightOnTheForfeited;

fuzz_target!(|text: &str| {
    let Ok(value) = serde_json::from_str(text) else { return };
    let Ok(log) = MatchLog::read(&value, LightOnTheForfeited::Judge) else { return };
    let again = MatchLog::read(&log.write(), LightOnTheForfeited::Judge).expect("what was written can be read");
    assert_eq!(log.turns.len(), again.turns.len());
    Replay::from_match_log(&log).verify().expect("the replay of a log follows the rules");
});
