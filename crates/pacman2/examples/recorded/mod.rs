//! Recorded games of other players, one JSON object per line: `seed` (of a map of Botzone), `seats` (four names), `actions` (a list
//! per turn: Botzone's numbers, null for the dead) and `split`, the part of the data that the game belongs to.

use std::error::Error;
use std::io::BufRead;

use pacman2_botzone::action;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Game, Ruleset, Seat};
use serde_json::Value;

/// A recorded game.
pub(crate) struct RecordedGame {
    pub(crate) split: String,
    pub(crate) names: [String; 4],
    map: Map,
    turns: Vec<BySeat<Action>>,
}

impl RecordedGame {
    /// Reads all games.
    pub(crate) fn read_all(input: impl BufRead) -> Result<Vec<RecordedGame>, Box<dyn Error>> {
        let game = |line: std::io::Result<String>| {
            let recorded: Value = serde_json::from_str(&line?)?;
            RecordedGame::new(&recorded).ok_or_else(|| format!("not a recorded game: {recorded}").into())
        };
        input.lines().map(game).collect()
    }

    fn new(recorded: &Value) -> Option<RecordedGame> {
        let map = Map::generate(recorded["seed"].as_i64()? as i32, MapSize::default(), Ruleset::default()).ok()?;
        let name = |seat: Seat| recorded["seats"][seat.index()].as_str().map(str::to_owned);
        let names: Vec<String> = Seat::ALL.into_iter().map(name).collect::<Option<_>>()?;
        let turn = |turn: &Value| {
            BySeat::from_fn(|seat| {
                let number = turn[seat.index()].as_i64();
                number.map_or(Action::Stay, |number| action::from_number(number as i32))
            })
        };
        let turns = recorded["actions"].as_array()?.iter().map(turn).collect();
        Some(RecordedGame { split: recorded["split"].as_str()?.to_owned(), names: names.try_into().ok()?, map, turns })
    }

    /// Plays the game again and calls `see` for each decision of a living player, before its turn.
    pub(crate) fn decisions(&self, mut see: impl FnMut(&Game, Seat, Action)) {
        let mut game = Game::new(self.map.maze.clone(), self.map.start);
        for actions in &self.turns {
            for seat in game.state().alive.iter() {
                see(&game, seat, actions[seat]);
            }
            game.play(actions);
        }
    }
}
