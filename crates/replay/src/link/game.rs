//! What a link holds of a game: a text in JSON, compressed.

use std::borrow::Cow;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn};
use pacman2_botzone::{Json, action, init_data};
use pacman2_maps::Map;
use pacman2_rules::{BySeat, Ruleset, Seat, Setting};
use serde_json::{Value, json};

use crate::error::LinkError;

/// The most bytes of a name.
const NAME_BYTES: usize = 40;
/// What a longer name ends with.
const ELLIPSIS: &str = "…";
/// The level of compression with the shortest result.
const LEVEL: u8 = 9;
/// The most bytes of the text. A response takes at most 13 of them, and a game has at most 40,000 responses.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// The numbers of actions, in the order of the digits that stand for them.
const LEAST_ACTION: i32 = -1;
const ACTIONS: u8 = 9;

/// A game as a link holds it.
#[derive(Clone, Debug)]
pub(crate) struct LinkedGame {
    pub(crate) map: Map,
    pub(crate) names: BySeat<String>,
    pub(crate) turns: Vec<SessionTurn>,
}

impl LinkedGame {
    /// Returns the content of the link.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, LinkError> {
        let responses = |seat: Seat| self.turns.iter().filter_map(move |turn| turn.responses[seat].as_ref());
        // A list, because keys would take a quarter of the link.
        let text = json!([
            self.map.maze.ruleset().forfeit_ruling.name(),
            shortest_init(&self.map)?,
            self.names.0.each_ref().map(|name| shortened(name)),
            Seat::ALL.map(|seat| responses(seat).map(token).collect::<String>()),
            self.end(),
        ]);
        Ok(compress_to_vec(text.to_string().as_bytes(), LEVEL))
    }

    /// Reads the content of a link.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<LinkedGame, LinkError> {
        let text = decompress_to_vec_with_limit(bytes, MAX_TEXT_BYTES).map_err(|_| LinkError::Content)?;
        let text = String::from_utf8(text).map_err(|_| LinkError::Content)?;
        let mut parts = Json::parse(&text).map_err(|_| LinkError::Content)?.items();
        let [ruling, init, names, turns, end] = std::array::from_fn(|_| parts.next().unwrap_or(Json::NULL));
        let ruling = ruling.string().and_then(|name| name.parse().ok()).ok_or(LinkError::Content)?;
        let (map, _) = init_data::read_json(init, 0, Ruleset::default().with_forfeit_ruling(ruling))?;
        let names = BySeat(four_texts(names)?.map(|name| shortened(&name)));
        let turns = read_turns(&map, BySeat(four_texts(turns)?.each_ref().map(|turns| &**turns)))?;
        let game = LinkedGame { map, names, turns };
        let found = end.scalar().as_u64().and_then(|end| u32::try_from(end).ok()).ok_or(LinkError::Content)?;
        let expected = game.end();
        if found != expected {
            return Err(LinkError::End { expected, found });
        }
        Ok(game)
    }

    /// Returns the lower half of the fingerprint of the last position.
    fn end(&self) -> u32 {
        self.turns.last().map_or(&self.map.start, |turn| &turn.state).fingerprint() as u32
    }
}

fn four_texts(list: Json<'_>) -> Result<[Cow<'_, str>; 4], LinkError> {
    let texts = list.items().take(5).map_while(Json::string).collect::<Vec<_>>();
    texts.try_into().map_err(|_| LinkError::Content)
}

/// Returns the init data of a map without all that follows from the rest: of a generated map, little but the seed remains.
fn shortest_init(map: &Map) -> Result<Value, LinkError> {
    let base = Ruleset::default().with_forfeit_ruling(map.maze.ruleset().forfeit_ruling);
    let mut init = init_data::write(map);
    if init_data::read(&init, 0, base)?.0 != *map {
        return Err(LinkError::Start);
    }
    let settings = Setting::ALL.map(|setting| vec![setting.json_key()]);
    for keys in [vec!["static", "content"], vec!["width", "height"]].into_iter().chain(settings) {
        let mut shorter = init.clone();
        for key in keys {
            shorter.as_object_mut().and_then(|object| object.remove(key));
        }
        if init_data::read(&shorter, 0, base).is_ok_and(|(read, _)| read == *map) {
            init = shorter;
        }
    }
    Ok(init)
}

fn shortened(name: &str) -> String {
    if name.len() <= NAME_BYTES {
        return name.to_owned();
    }
    format!("{}{ELLIPSIS}", &name[..name.floor_char_boundary(NAME_BYTES - ELLIPSIS.len())])
}

/// Writes a response: a digit for an action; a letter for the verdict of an answer without one; else its number in brackets.
fn token(response: &ParsedResponse) -> String {
    let letter = |verdict: Verdict| {
        let index = Verdict::OF_RUNS.iter().take_while(|&&other| other != verdict).count();
        char::from(b'a' + index as u8).to_string()
    };
    match response {
        ParsedResponse::Nothing(verdict) => letter(*verdict),
        ParsedResponse::Action { number: action::UNREADABLE, .. } => letter(Verdict::Ok),
        ParsedResponse::Action { number, .. } => match u8::try_from(number.wrapping_sub(LEAST_ACTION)) {
            Ok(digit) if digit < ACTIONS => char::from(b'0' + digit).to_string(),
            _ => format!("({number})"),
        },
    }
}

/// Reads the first response and removes it from the text.
fn take_response(text: &mut &str) -> Option<ParsedResponse> {
    let (&first, rest) = text.as_bytes().split_first()?;
    let response = match first {
        b'0'..=b'8' => ParsedResponse::Action { number: i32::from(first - b'0') + LEAST_ACTION, taunt: None },
        b'(' => {
            let (number, after) = text[1..].split_once(')')?;
            *text = after;
            return Some(ParsedResponse::Action { number: number.parse().ok()?, taunt: None });
        }
        _ => ParsedResponse::Nothing(*Verdict::OF_RUNS.get(usize::from(first.checked_sub(b'a')?))?),
    };
    *text = &text[text.len() - rest.len()..];
    Some(response)
}

/// Plays the responses of each player, until none is left.
fn read_turns(map: &Map, mut texts: BySeat<&str>) -> Result<Vec<SessionTurn>, LinkError> {
    let mut session = Session::new(map.clone());
    let mut turns = Vec::new();
    while !texts.0.iter().all(|text| text.is_empty()) {
        if session.game().is_over() {
            return Err(LinkError::GameOver { turn: turns.len() + 1 });
        }
        let mut responses = BySeat::from_fn(|_| None);
        for seat in session.game().state().alive.iter() {
            responses[seat] = Some(take_response(&mut texts[seat]).ok_or(LinkError::Content)?);
        }
        turns.extend(session.play(&responses));
    }
    Ok(turns)
}
