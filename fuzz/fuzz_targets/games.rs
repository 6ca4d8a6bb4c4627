//! Whatever people bring: every game that is read can be written as a replay and read again, and what is no replay follows the rules.

#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use pacman2_replay::Replay;
use pacman2_replay::games::{GameForm, Games};

fuzz_target!(|bytes: &[u8]| {
    for game in Games::new(Cursor::new(bytes), None).flatten() {
        assert_eq!(Replay::read(&game.replay.write()).expect("a written replay can be read"), game.replay);
        if game.form != GameForm::Replay {
            game.replay.verify().expect("the game agrees with the rules");
        }
    }
});
