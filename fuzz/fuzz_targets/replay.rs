//! Replays: one that is read is written the same again; one that verifies becomes a match log and comes back.

#![no_main]

use pacman2_botzone::match_log::MatchLog;
use libfuzzer_sys::fuzz_target;
use pacman2_replay::Replay;

fuzz_target!(|text: &str| {
    let Ok(replay) = Replay::read(text) else { return };
    assert_eq!(Replay::read(&replay.write()).expect("what was written can be read"), replay);
    let Ok(log) = replay.to_match_log() else { return };
    let ruling = log.map.maze.settings().forfeit_ruling;
    let log = MatchLog::read(&log.write(), ruling).expect("the match log can be read");
    assert_eq!(Replay::from_match_log(&log).public.turns, replay.public.turns);
});
