//! Writes a game so far as a replay or as the viewer's page.

use pacman2_botzone::action;
use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_maps::Map;
use pacman2_replay::{LimitsInfo, PrivatePart, Replay, SeatInfo};
use pacman2_rules::{BySeat, Game};

/// Returns the replay of a game, in the format of `docs/REPLAY.md`.
pub(crate) fn replay(map: Map, game: &Game, names: &BySeat<String>) -> String {
    let mut session = Session::new(map.clone());
    let response = |action| Some(ParsedResponse::Action { number: action::to_number(action), taunt: None });
    let turns: Vec<SessionTurn> = game.turns().iter().filter_map(|turn| session.play(&turn.actions.map(response))).collect();
    let seats = names.clone().map(SeatInfo::named);
    Replay::new(&map, seats, LimitsInfo::default(), turns.iter(), PrivatePart::default()).write()
}

/// Returns the viewer with a replay as one self-contained HTML file.
pub(crate) fn page(replay: &str) -> String {
    pacman2_web::page::html(pacman2_web::page::Host::File, Some(replay)).html
}
