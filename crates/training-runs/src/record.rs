//! Records of games as JSON.

use pacman2_botzone::action;
use pacman2_rules::{Action, BySeat};
use pacman2_training::{GameRecord, RecordedTurn};
use serde_json::{Value, json};

/// Returns the record of a game as JSON.
pub(super) fn to_json(record: &GameRecord) -> Value {
    let turn = |turn: &RecordedTurn| json!([turn.actions.0.map(action::to_number), turn.hundredths]);
    json!({
        "seed": record.seed,
        "players": record.players.0.map(|player| player.to_string()),
        "end": format!("{:016x}", record.end),
        "turns": record.turns.iter().map(turn).collect::<Vec<_>>(),
    })
}

/// Reads the record of a game.
pub(super) fn read(value: &Value) -> Option<GameRecord> {
    let players = numbers(&value["players"], |player| player.as_str()?.parse().ok())?;
    Some(GameRecord {
        seed: value["seed"].as_i64()?.try_into().ok()?,
        players: BySeat(players),
        end: u64::from_str_radix(value["end"].as_str()?, 16).ok()?,
        turns: value["turns"].as_array()?.iter().map(turn).collect::<Option<_>>()?,
    })
}

fn turn(value: &Value) -> Option<RecordedTurn> {
    let action = |value: &Value| action::integer(value).map(action::from_number).filter(|&action| action != Action::Invalid);
    let [actions, hundredths] = value.as_array()?.as_slice() else { return None };
    let hundredths = numbers(hundredths, |points| points.as_u64()?.try_into().ok())?;
    Some(RecordedTurn { actions: BySeat(numbers(actions, action)?), hundredths })
}

/// Reads a list of four.
pub(super) fn numbers<T>(value: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<[T; 4]> {
    value.as_array()?.iter().map(read).collect::<Option<Vec<T>>>()?.try_into().ok()
}
