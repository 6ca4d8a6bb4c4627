//! Recorded games, one JSON object per line: `seed` (of a map of Botzone), `seats` (four names), `actions` (a list per turn: Botzone's
//! numbers, null for the dead) and `split`, the part of the data that the game belongs to. Games of `sage` may also have `visits`: a
//! list per turn, of each seat how often a search tried its legal actions, or an empty list.

use std::error::Error;
use std::io::BufRead;

use pacman2_botzone::action;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Game, Ruleset, Seat};
use pacman2_training::{PolicyGame, PolicyTurn};
use serde_json::{Value, json};

/// A recorded game.
pub struct RecordedGame {
    /// The part of the data that the game belongs to, such as `test`.
    pub split: String,
    /// The map, the players and their actions.
    pub game: PolicyGame,
}

impl RecordedGame {
    /// Reads all games.
    pub fn read_all(input: impl BufRead) -> Result<Vec<RecordedGame>, Box<dyn Error>> {
        let game = |line: std::io::Result<String>| {
            let recorded: Value = serde_json::from_str(&line?)?;
            RecordedGame::new(&recorded).ok_or_else(|| format!("not a recorded game: {recorded}").into())
        };
        input.lines().map(game).collect()
    }

    fn new(recorded: &Value) -> Option<RecordedGame> {
        let name = |seat: Seat| recorded["seats"][seat.index()].as_str().map(str::to_owned);
        let names: Vec<String> = Seat::ALL.into_iter().map(name).collect::<Option<_>>()?;
        let turn = |(number, turn): (usize, &Value)| {
            let actions = BySeat::from_fn(|seat| {
                let number = turn[seat.index()].as_i64();
                number.map_or(Action::Stay, |number| action::from_number(number as i32))
            });
            let visits = BySeat::from_fn(|seat| {
                let visits = recorded["visits"][number][seat.index()].as_array();
                visits.into_iter().flatten().map(|visits| visits.as_u64().unwrap_or(0) as u32).collect()
            });
            PolicyTurn { actions, visits }
        };
        let turns = recorded["actions"].as_array()?.iter().enumerate().map(turn).collect();
        let game = PolicyGame { map: recorded["seed"].as_i64()? as i32, names: names.try_into().ok()?, turns };
        Some(RecordedGame { split: recorded["split"].as_str()?.to_owned(), game })
    }

    /// Returns the line of this game.
    pub fn line(&self) -> String {
        let PolicyGame { map, names, turns } = &self.game;
        let actions: Vec<_> = turns.iter().map(|turn| turn.actions.0.map(action::to_number)).collect();
        let visits: Vec<_> = turns.iter().map(|turn| &turn.visits.0).collect();
        json!({ "seed": map, "seats": names, "split": self.split, "actions": actions, "visits": visits }).to_string()
    }

    /// Plays the game again and calls `see` for each decision of a living player, before its turn.
    pub fn decisions(&self, mut see: impl FnMut(&Game, Seat, Action)) -> Result<(), Box<dyn Error>> {
        let map = Map::generate(self.game.map, MapSize::default(), Ruleset::default())?;
        let mut game = Game::new(map.maze, map.start);
        for PolicyTurn { actions, .. } in &self.game.turns {
            for seat in game.state().alive.iter() {
                see(&game, seat, actions[seat]);
            }
            game.play(actions);
        }
        Ok(())
    }
}
