//! What is analysed: a match that was played, or a map on which nothing was played yet.

use std::path::Path;

use pacman2_botzone::init_data;
use pacman2_botzone::match_log::MatchLog;
use pacman2_maps::Map;
use pacman2_replay::Replay;
use pacman2_rules::{Game, Ruleset, Seat};
use serde_json::Value;

use crate::board::harmless;
use crate::failure::bad_input;
use crate::files;

/// A match as far as it was played.
pub(crate) struct Opened {
    pub(crate) seed: i32,
    /// `None` for a map.
    pub(crate) names: Option<[String; 4]>,
    /// The actions of each turn, Botzone's numbers.
    pub(crate) given: Vec<[Option<i32>; 4]>,
    /// The position after them, and the way back.
    pub(crate) last: Game,
}

impl Opened {
    /// Reads a replay, a match log of Botzone's, or init data; `-` is standard input. What differs from the rules is refused.
    pub(crate) fn read(file: &Path) -> anyhow::Result<Opened> {
        let value = files::read_json(file)?;
        let in_file = |error: &dyn std::fmt::Display| bad_input(format!("{}: {error}", file.display()));
        if MatchLog::recognises(&value) {
            let log = MatchLog::read_by_any_ruling(&value).map_err(|error| in_file(&error))?;
            return Opened::of_replay(&Replay::from_match_log(&log)).map_err(|error| in_file(&error));
        }
        if value.get("format").is_some() {
            let replay = Replay::from_json(&value).map_err(|error| in_file(&error))?;
            return Opened::of_replay(&replay).map_err(|error| in_file(&error));
        }
        // A bot's input has the map in its first request.
        let init = value["requests"].get(0).unwrap_or(&value);
        if !may_be_init_data(init) {
            return Err(in_file(&"this is neither a replay nor a match log of Botzone's nor init data"));
        }
        let (map, warnings) = init_data::read(init, 0, Ruleset::default()).map_err(|refusal| in_file(&refusal))?;
        for warning in &warnings {
            eprintln!("pacman2: warning: {}: {}", file.display(), harmless(warning));
        }
        Ok(Opened::of_map(map))
    }

    fn of_replay(replay: &Replay) -> Result<Opened, pacman2_replay::ReplayError> {
        let (table, _, difference) = replay.follow()?;
        if let Some(difference) = difference {
            return Err(difference);
        }
        let names = replay.public.seats.each_ref().map(|seat| harmless(&seat.name));
        let given = replay.public.turns.iter().map(|turn| turn.actions).collect();
        Ok(Opened { seed: table.map().seed, names: Some(names), given, last: table.game().clone() })
    }

    fn of_map(map: Map) -> Opened {
        Opened { seed: map.seed, names: None, given: Vec::new(), last: Game::new(map.maze, map.start) }
    }

    /// How a seat is called: by its number, and by its bot's name where there is one.
    pub(crate) fn label(&self, seat: Seat) -> String {
        let name = self.names.as_ref().map(|names| format!(" ({})", names[seat.index()]));
        format!("seat {seat}{}", name.unwrap_or_default())
    }
}

fn may_be_init_data(value: &Value) -> bool {
    ["seed", "static", "width"].iter().any(|&key| value.get(key).is_some())
}
