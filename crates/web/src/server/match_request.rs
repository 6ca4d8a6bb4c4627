//! What a match is wished to be like.

use std::time::Duration;

use pacman2_botzone::init_data;
use pacman2_maps::{Map, MapSize};
use pacman2_match::referee::AskMode;
use pacman2_rules::Ruleset;
use pacman2_runner::Limits;
use serde::Deserialize;
use serde_json::Value;

use super::MatchOptions;

/// Who plays as a human: a word where bots have theirs.
pub(super) const HUMAN: &str = "human";
/// The longest game.
const TURNS_AT_MOST: u32 = 10_000;

/// A match as the page asks for it. What is missing is as on the command line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchRequest {
    /// `human`, or a bot as the command line takes it.
    pub(super) seats: [String; 4],
    seed: Option<i32>,
    width: Option<u8>,
    height: Option<u8>,
    /// Init data.
    map: Option<Value>,
    turns: Option<u32>,
    ruling: Option<String>,
    #[serde(default)]
    one_by_one: bool,
    /// How much time a human has for an order; none is no clock.
    clock_ms: Option<u64>,
    /// How much a bot has.
    time_limit_ms: Option<u64>,
}

impl MatchRequest {
    /// The map, with what is odd about it. `drawn` is the seed of who gave none.
    pub(super) fn map(&self, drawn: i32) -> Result<(Map, Vec<String>), String> {
        if let Some(seed) = self.seed.filter(|seed| *seed < 0) {
            return Err(format!("the seed is {seed}; 0 to {} is possible", i32::MAX));
        }
        let base = self.ruleset()?;
        let (mut map, warnings) = match &self.map {
            None => {
                let size = MapSize { width: self.width, height: self.height };
                let map = Map::generate(self.seed.unwrap_or(drawn), size, base);
                (map.map_err(|refusal| refusal.to_string())?, Vec::new())
            }
            Some(_) if self.width.or(self.height).is_some() => return Err("a map has its own size; give one of both".to_owned()),
            Some(given) => self.custom(given, drawn, base)?,
        };
        if let Some(turn_limit) = self.turns {
            if !(1..=TURNS_AT_MOST).contains(&turn_limit) {
                return Err(format!("{turn_limit} turns are wished for; 1 to {TURNS_AT_MOST} are possible"));
            }
            let settings = Ruleset { turn_limit, ..*map.maze.ruleset() };
            map.maze = map.maze.with_ruleset(settings).map_err(|error| error.to_string())?;
        }
        Ok((map, warnings))
    }

    /// A map in init data, or in a bot's input.
    fn custom(&self, given: &Value, drawn: i32, base: Ruleset) -> Result<(Map, Vec<String>), String> {
        let mut given = given["requests"].get(0).unwrap_or(given).clone();
        if let (Some(seed), Some(object)) = (self.seed, given.as_object_mut()) {
            object.insert("seed".to_owned(), seed.into());
        }
        init_data::read(&given, drawn, base).map_err(|refusal| format!("the map cannot be played: {refusal}"))
    }

    /// How bots are run.
    pub(super) fn manner(&self) -> Result<MatchOptions, String> {
        let time = self.time_limit_ms.map(positive).transpose()?;
        let limits = Limits { wall: time.or(Limits::default().wall), cpu: time.or(Limits::default().cpu), ..Limits::default() };
        Ok(MatchOptions { limits, ruleset: self.ruleset()? })
    }

    pub(super) fn thinking(&self) -> AskMode {
        if self.one_by_one { AskMode::OneByOne } else { AskMode::AtOnce }
    }

    /// How much time a human has for an order.
    pub(super) fn clock(&self) -> Result<Option<Duration>, String> {
        self.clock_ms.map(positive).transpose()
    }

    /// The rules, as far as no map gives them.
    fn ruleset(&self) -> Result<Ruleset, String> {
        let Some(name) = &self.ruling else { return Ok(Ruleset::default()) };
        let ruling = name.parse::<pacman2_rules::ForfeitRuling>().map_err(|error| error.to_string())?;
        Ok(Ruleset::default().with_forfeit_ruling(ruling))
    }
}

fn positive(ms: u64) -> Result<Duration, String> {
    if ms == 0 { Err("0 ms are too little for an answer".to_owned()) } else { Ok(Duration::from_millis(ms)) }
}
