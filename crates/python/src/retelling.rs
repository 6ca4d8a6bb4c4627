//! A game so far as a replay, and as the viewer's page.

use botzone::action;
use botzone::answer::Heard;
use botzone::turn::{Table, Turn};
use maps::Map;
use replay::{LimitsInfo, Private, Replay, SeatInfo};
use rules::{BySeat, Game};
use serde_json::json;

/// The replay of a game, in the format of `docs/REPLAY.md`.
pub(crate) fn replay(map: Map, game: &Game, names: &BySeat<String>) -> String {
    let mut table = Table::new(map.clone());
    let heard = |order| Some(Heard::Action { number: action::number(order), taunt: None });
    let turns: Vec<Turn> = game.turns().iter().filter_map(|turn| table.play(&turn.orders.map(heard))).collect();
    let seats = names.clone().map(SeatInfo::named);
    Replay::new(&map, seats, LimitsInfo::default(), turns.iter(), Private::default()).write()
}

/// The viewer with that replay, whole in one file.
pub(crate) fn page(replay: &str) -> String {
    let home = json!({ "home": "file", "version": env!("CARGO_PKG_VERSION") });
    web::page::html(&home, Some(replay)).html
}
