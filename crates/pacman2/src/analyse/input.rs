//! The input of an analysis: a match, or a map.

use std::path::Path;

use pacman2_console::error::bad_input;
use pacman2_console::text::sanitize;
use pacman2_maps::Map;
use pacman2_replay::games::GameForm;
use pacman2_replay::{Playback, Replay, ReplayDifference};
use pacman2_rules::{Game, Seat};

use crate::games;

/// A match as far as it was played.
pub(super) struct Input {
    pub(super) seed: i32,
    /// `None` for a map.
    pub(super) names: Option<[String; 4]>,
    /// The actions of each turn as Botzone's numbers; `None` for dead players.
    pub(super) given: Vec<[Option<i32>; 4]>,
    /// The game after the last turn, which knows the turns before.
    pub(super) last: Game,
}

impl Input {
    /// Reads the game that a user names; a map is one without turns.
    ///
    /// # Errors
    ///
    /// If the match differs from the rules, or the file is no game.
    pub(super) fn read(file: &Path) -> anyhow::Result<Input> {
        let (game, name) = games::read(file, None)?;
        if game.form == GameForm::InitData {
            return Ok(Input::from_map(game.replay.public.map));
        }
        Input::from_replay(&game.replay).map_err(|difference| bad_input(format!("{name}: {difference}")))
    }

    fn from_replay(replay: &Replay) -> Result<Input, ReplayDifference> {
        let Playback { session, difference, .. } = replay.play_back();
        if let Some(difference) = difference {
            return Err(difference);
        }
        let names = replay.public.seats.each_ref().map(|seat| sanitize(&seat.name));
        let given = replay.public.turns.iter().map(|turn| turn.actions).collect();
        Ok(Input { seed: session.map().seed, names: Some(names), given, last: session.game().clone() })
    }

    fn from_map(map: Map) -> Input {
        Input { seed: map.seed, names: None, given: Vec::new(), last: Game::new(map.maze, map.start) }
    }

    /// Names a seat by its number, and by its bot in a match.
    pub(super) fn label(&self, seat: Seat) -> String {
        let name = self.names.as_ref().map(|names| format!(" ({})", names[seat.index()]));
        format!("seat {seat}{}", name.unwrap_or_default())
    }
}
