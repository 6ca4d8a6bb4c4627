//! The body of a request that starts a match, and its validation.

use std::time::Duration;

use pacman2_botzone::init_data::{self, InitDataWarning};
use pacman2_maps::{Map, MapError, MapSize, SEEDS, seed_from};
use pacman2_match::referee::AskMode;
use pacman2_replay::games;
use pacman2_replay::{Playback, Replay};
use pacman2_rules::{ParseForfeitRulingError, Ruleset};
use pacman2_runner::Limits;
use serde::Deserialize;
use serde_json::Value;

use super::backend::MatchOptions;
use super::error::{self, ApiError};
use super::folder::Folder;
use super::my_bots::MyBots;

/// The word for a human where other seats name a bot.
pub(super) const HUMAN: &str = "human";
/// The longest game.
const MAX_TURNS: u32 = 10_000;

/// A match as the page asks for it. Missing values have the defaults of the command line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchRequest {
    seats: [SeatRequest; 4],
    seed: Option<i64>,
    width: Option<u8>,
    height: Option<u8>,
    /// Init data.
    map: Option<Value>,
    turns: Option<u32>,
    ruling: Option<String>,
    #[serde(default)]
    one_by_one: bool,
    /// The time limit for an action of a human; no limit if missing.
    clock_ms: Option<u64>,
    /// The first turn with that limit; 1 if missing.
    pub(super) clock_from: Option<u32>,
    /// The time limit for an answer of a bot.
    time_limit_ms: Option<u64>,
    /// A match to play on from.
    from: Option<PastRequest>,
}

/// Who plays in a seat.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, or an object with mine")]
pub(super) enum SeatRequest {
    /// `human`, or a bot as the command line takes it.
    Text(String),
    /// One of the user's own bots.
    Mine(MineRequest),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MineRequest {
    /// Its name in the folder of bots.
    pub(super) mine: String,
    pub(super) version: Option<u32>,
}

/// The four players of a match.
pub(super) struct Lineup {
    /// `human`, or a bot as the command line takes it.
    pub(super) texts: [String; 4],
    /// What the user's own bots are called.
    pub(super) labels: [Option<String>; 4],
}

/// A match to play on from. The players remember its turns as their own.
#[derive(Deserialize)]
struct PastRequest {
    #[serde(flatten)]
    source: PastSource,
    /// How many of its turns have been played.
    turn: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PastSource {
    /// The name of a replay or a match log in the folder.
    Replay(String),
    /// A replay or a match log.
    Film(Value),
}

impl PastSource {
    pub(super) fn read(&self, folder: &Folder) -> Result<Replay, ApiError> {
        match self {
            PastSource::Replay(name) => folder.replay(name),
            PastSource::Film(film) => Ok(games::from_json(film)?),
        }
    }
}

impl MatchRequest {
    /// Finds the user's own bots among the players.
    pub(super) fn lineup(&self, own: Option<&MyBots>) -> Result<Lineup, ApiError> {
        let mut lineup = Lineup { texts: Default::default(), labels: Default::default() };
        for ((seat, text), label) in self.seats.iter().zip(&mut lineup.texts).zip(&mut lineup.labels) {
            match seat {
                SeatRequest::Text(given) => text.clone_from(given),
                SeatRequest::Mine(MineRequest { mine, version }) => {
                    let bot = own.ok_or(ApiError::NoBotsFolder {})?.find(mine, *version)?;
                    (*text, *label) = (bot.text, Some(bot.label));
                }
            }
        }
        Ok(lineup)
    }

    /// Returns the match to play on from, cut after its last turn that counts.
    pub(super) fn past(&self, folder: &Folder) -> Result<Option<Replay>, ApiError> {
        let Some(PastRequest { source, turn }) = &self.from else { return Ok(None) };
        let settings = [self.seed.is_some(), self.map.is_some(), self.turns.is_some(), self.ruling.is_some()];
        if settings.contains(&true) || self.width.or(self.height).is_some() {
            return Err(ApiError::PastWithMap {});
        }
        let mut replay = source.read(folder)?;
        let Playback { session, turns, .. } = replay.play_back();
        let max = turns.len() - usize::from(session.game().is_over());
        if *turn > max {
            return Err(ApiError::PastTooLong { max, got: *turn });
        }
        replay.public.turns.truncate(*turn);
        replay.private.turns.truncate(*turn);
        replay.public.scores = None;
        Ok(Some(replay))
    }

    /// Returns the map, and what is unusual about it. `random_seed` is the seed of a request without one.
    pub(super) fn map(&self, random_seed: i32) -> Result<(Map, Vec<InitDataWarning>), ApiError> {
        let (min, max) = SEEDS.into_inner();
        let rejected = |got: i64| ApiError::MapSize { name: "seed", min, max, got: got.to_string() };
        let seed = self.seed.map(|seed| seed_from(seed).ok_or_else(|| rejected(seed))).transpose()?;
        let base = self.ruleset()?;
        let (mut map, warnings) = match &self.map {
            None => {
                let size = MapSize { width: self.width, height: self.height };
                let map = Map::generate(seed.unwrap_or(random_seed), size, base).map_err(error::map_size)?;
                (map, Vec::new())
            }
            Some(_) if self.width.or(self.height).is_some() => return Err(ApiError::MapWithSize {}),
            Some(init_data) => self.custom_map(init_data, random_seed, base)?,
        };
        if let Some(turn_limit) = self.turns {
            if !(1..=MAX_TURNS).contains(&turn_limit) {
                let (max, got) = (MAX_TURNS.into(), turn_limit.to_string());
                return Err(ApiError::OutOfRange { name: "turns", min: 1, max, got });
            }
            let ruleset = Ruleset { turn_limit, ..*map.maze.ruleset() };
            map.maze = map.maze.with_ruleset(ruleset).map_err(MapError::from)?;
        }
        Ok((map, warnings))
    }

    /// Reads a map from init data, or from the whole input of a bot. `base` are the rules that it may leave out.
    fn custom_map(&self, init_data: &Value, random_seed: i32, base: Ruleset) -> Result<(Map, Vec<InitDataWarning>), ApiError> {
        let mut init_data = init_data["requests"].get(0).unwrap_or(init_data).clone();
        if let (Some(seed), Some(object)) = (self.seed, init_data.as_object_mut()) {
            object.insert("seed".to_owned(), seed.into());
        }
        Ok(init_data::read(&init_data, random_seed, base)?)
    }

    /// Returns how the bots are run.
    pub(super) fn options(&self) -> Result<MatchOptions, ApiError> {
        let time = duration("time_limit_ms", self.time_limit_ms)?;
        let limits = Limits { wall: time.or(Limits::default().wall), cpu: time.or(Limits::default().cpu), ..Limits::default() };
        Ok(MatchOptions { limits, ruleset: self.ruleset()? })
    }

    pub(super) fn ask_mode(&self) -> AskMode {
        if self.one_by_one { AskMode::OneByOne } else { AskMode::from_this_machine() }
    }

    /// Returns the time limit for an action of a human.
    pub(super) fn clock(&self) -> Result<Option<Duration>, ApiError> {
        duration("clock_ms", self.clock_ms)
    }

    /// Returns the rules, as far as no map gives them.
    fn ruleset(&self) -> Result<Ruleset, ApiError> {
        let Some(name) = &self.ruling else { return Ok(Ruleset::default()) };
        let unknown = |error: ParseForfeitRulingError| ApiError::UnknownRuling { reason: error.to_string(), got: name.clone() };
        let ruling = name.parse().map_err(unknown)?;
        Ok(Ruleset::default().with_forfeit_ruling(ruling))
    }
}

fn duration(name: &'static str, ms: Option<u64>) -> Result<Option<Duration>, ApiError> {
    if ms == Some(0) { Err(ApiError::ZeroTime { name }) } else { Ok(ms.map(Duration::from_millis)) }
}
