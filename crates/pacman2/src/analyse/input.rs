//! The input of an analysis: a match, or a map.

use std::path::Path;

use pacman2_botzone::init_data;
use pacman2_botzone::match_log::MatchLog;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_console::text::sanitize;
use pacman2_maps::Map;
use pacman2_replay::{Playback, Replay, ReplayDifference};
use pacman2_rules::{Game, Ruleset, Seat};
use serde_json::Value;

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
    /// Reads a replay, a Botzone match log, or init data; `-` is standard input.
    ///
    /// # Errors
    ///
    /// If the match differs from the rules, or the file is none of these.
    pub(super) fn read(file: &Path) -> anyhow::Result<Input> {
        let value = files::read_json(file)?;
        let in_file = |error: &dyn std::fmt::Display| bad_input(format!("{}: {error}", file.display()));
        if MatchLog::recognises(&value) {
            let log = MatchLog::read_by_any_ruling(&value).map_err(|error| in_file(&error))?;
            return Input::from_replay(&Replay::from_match_log(&log)).map_err(|error| in_file(&error));
        }
        if value.get("format").is_some() {
            let replay = Replay::from_json(&value).map_err(|error| in_file(&error))?;
            return Input::from_replay(&replay).map_err(|error| in_file(&error));
        }
        // A bot's input has the init data in its first request.
        let init = value["requests"].get(0).unwrap_or(&value);
        if !may_be_init_data(init) {
            return Err(in_file(&"expected a replay, a Botzone match log, or init data"));
        }
        let (map, warnings) = init_data::read(init, 0, Ruleset::default()).map_err(|refusal| in_file(&refusal))?;
        for warning in &warnings {
            eprintln!("pacman2: warning: {}: {}", file.display(), sanitize(&warning.to_string()));
        }
        Ok(Input::from_map(map))
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

fn may_be_init_data(value: &Value) -> bool {
    ["seed", "static", "width"].iter().any(|&key| value.get(key).is_some())
}
