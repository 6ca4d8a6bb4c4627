//! Records of games as JSON.

use pacman2_botzone::action;
use pacman2_rules::{Action, BySeat};
use pacman2_training::{GameRecord, RecordedTurn};
use serde::{Deserialize, Serialize};

/// The record of a game.
#[derive(Serialize, Deserialize)]
pub(super) struct GameLine {
    /// The fingerprint of the final position, in hexadecimal.
    end: String,
    players: [String; 4],
    seed: i32,
    /// The actions by Botzone's numbers, and the expected points in hundredths.
    turns: Vec<([i32; 4], [u32; 4])>,
}

impl From<&GameRecord> for GameLine {
    fn from(record: &GameRecord) -> GameLine {
        let turn = |turn: &RecordedTurn| (turn.actions.0.map(action::to_number), turn.hundredths);
        GameLine {
            end: format!("{:016x}", record.end),
            players: record.players.0.map(|player| player.to_string()),
            seed: record.seed,
            turns: record.turns.iter().map(turn).collect(),
        }
    }
}

impl GameLine {
    /// Returns the record; `None` if a player, an action or the fingerprint is none.
    pub(super) fn record(&self) -> Option<GameRecord> {
        let players = self.players.iter().map(|player| player.parse().ok()).collect::<Option<Vec<_>>>()?;
        Some(GameRecord {
            seed: self.seed,
            players: BySeat(players.try_into().ok()?),
            end: u64::from_str_radix(&self.end, 16).ok()?,
            turns: self.turns.iter().map(turn).collect::<Option<_>>()?,
        })
    }
}

fn turn(&(numbers, hundredths): &([i32; 4], [u32; 4])) -> Option<RecordedTurn> {
    let actions = BySeat(numbers.map(action::from_number));
    (!actions.0.contains(&Action::Invalid)).then_some(RecordedTurn { actions, hundredths })
}
