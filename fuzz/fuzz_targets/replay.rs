//! Replays: a valid one survives a round trip; one that verifies also survives as a match log.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_botzone::match_log::MatchLog;
use pacman2_replay::Replay;

fuzz_target!(|text: &str| {
    let Ok(replay) = Replay::read(text) else { return };
    assert_eq!(Replay::read(&replay.write()).expect("what was written can be read"), replay);
    let Ok(log) = replay.to_match_log() else { return };
    let ruleset = *log.map.maze.ruleset();
    let log = MatchLog::read(&log.write(), ruleset).expect("the match log can be read");
    assert_eq!(Replay::from_match_log(&log).public.turns, replay.public.turns);
});
