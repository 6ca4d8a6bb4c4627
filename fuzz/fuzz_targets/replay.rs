//! Replays: a replay that was read can be written and read again; one that verifies can be converted to a match log and back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_botzone::match_log::MatchLog;
use pacman2_replay::Replay;

fuzz_target!(|text: &str| {
    let Ok(replay) = Replay::read(text) else { return };
    assert_eq!(Replay::read(&replay.write()).expect("a written replay can be read"), replay);
    let Ok(log) = replay.to_match_log() else { return };
    let log = MatchLog::read(&log.write(), *replay.public.map.maze.ruleset()).expect("a written log can be read");
    assert_eq!(Replay::from_match_log(&log).public.turns, replay.public.turns);
});
