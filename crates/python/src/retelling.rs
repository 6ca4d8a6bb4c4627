//! A game so far as a replay, and as the viewer's page.

use botzone::action;
use botzone::response::ParsedResponse;
use botzone::session::{Session, SessionTurn};
use maps::Map;
use replay::{LimitsInfo, PrivatePart, Replay, SeatInfo};
use rules::{BySeat, Game};
use serde_json::json;

/// The replay of a game, in the format of `docs/REPLAY.md`.
pub(crate) fn replay(map: Map, game: &Game, names: &BySeat<String>) -> String {
    let mut table = Session::new(map.clone());
    let heard = |action| Some(ParsedResponse::Action { number: action::to_number(action), taunt: None });
    let turns: Vec<SessionTurn> = game.turns().iter().filter_map(|turn| table.play(&turn.actions.map(heard))).collect();
    let seats = names.clone().map(SeatInfo::named);
    Replay::new(&map, seats, LimitsInfo::default(), turns.iter(), PrivatePart::default()).write()
}

/// The viewer with that replay, whole in one file.
pub(crate) fn page(replay: &str) -> String {
    let home = json!({ "home": "file", "version": env!("CARGO_PKG_VERSION") });
    web::page::html(&home, Some(replay)).html
}
