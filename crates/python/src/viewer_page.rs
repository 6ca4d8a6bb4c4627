//! A game so far as a replay, and as the viewer's page.

use pacman2_botzone::action;
use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::Map;
use pacman2_replay::{LimitsInfo, PrivatePart, Replay, SeatInfo};
use pacman2_rules::{BySeat, Game};

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
    pacman2_web::page::html(pacman2_web::page::Host::File, Some(replay)).html
}
