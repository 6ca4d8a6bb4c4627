//! Decisions of built-in bots and analyses behind one function: a query in JSON goes in, an answer in JSON comes out.
//!
//! A query is an object with the key `op`. The answer is `{"ok": …}` or `{"error": "…"}`, with the error as a code in the key
//! `problem`.
//!
//! | `op` | with | answer |
//! |---|---|---|
//! | `decide` | `game`, `bot`, `seat`, and an effort | the action of a built-in bot in the last position, as Botzone's number |
//! | `analyse` | `game`, `turn`, and an effort | the [analysis](crate::position) of the position before a turn |
//!
//! `game` is a match so far: `init` is its init data, `ruling` its forfeit ruling, and `actions` lists the four actions of each turn
//! as Botzone's numbers, with `null` for dead players. The effort is `time_ms` or `simulations`; bots other than `sage` take none. Without it, an
//! analysis makes [`DEFAULT_SIMULATIONS`], so that it is always the same.

use std::time::Duration;

use pacman2_bots::sage::{DEFAULT_TIME, MonotonicClock, Sage};
use pacman2_bots::{BuiltIn, Effort, Method};
use pacman2_botzone::problem::{Problem, from_map};
use pacman2_botzone::{action, init_data};
use pacman2_maps::MapError;
use pacman2_rules::{Action, BySeat, Game, ParseForfeitRulingError, Ruleset, Seat};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::position::{Analyst, DEFAULT_SIMULATIONS};

/// The longest time for one query.
const MAX_TIME_MS: u64 = 60_000;
/// The most simulations for one query.
const MAX_SIMULATIONS: u32 = 10_000_000;

/// Answers queries.
///
/// ```
/// use pacman2_analysis::queries::Engine;
/// use pacman2_bots::sage;
///
/// let mut engine = Engine::new(sage::system_clock());
/// let query = r#"{"op": "decide", "game": {"init": {"seed": 42}, "actions": []}, "bot": "sage", "seat": 0, "simulations": 100}"#;
/// assert!(engine.ask(query).starts_with(r#"{"ok":"#));
/// assert!(engine.ask("{}").starts_with(r#"{"error":"#));
/// ```
pub struct Engine {
    clock: MonotonicClock,
}

impl Engine {
    /// Creates an engine that measures time by this clock.
    #[must_use]
    pub fn new(clock: MonotonicClock) -> Engine {
        Engine { clock }
    }

    /// Answers a query.
    pub fn ask(&mut self, query: &str) -> String {
        let answer = serde_json::from_str(query).map_err(QueryError::Form).and_then(|query| self.answer(query));
        match answer {
            Ok(value) => json!({ "ok": value }),
            Err(error) => json!({ "error": error.to_string(), "problem": Problem::from(&error).to_json() }),
        }
        .to_string()
    }

    fn answer(&self, query: Query) -> Result<Value, QueryError> {
        match query {
            Query::Decide(Decide { game, bot, seat, time_ms, simulations }) => {
                let bot: BuiltIn = bot.parse().map_err(|_| QueryError::UnknownBot(bot))?;
                let seat = Seat::new(seat).ok_or(QueryError::Seat(seat))?;
                let effort = effort(time_ms, simulations)?;
                let (game, seed) = game.play()?;
                if game.is_over() || !game.state().alive.contains(seat) {
                    return Err(QueryError::NothingToDecide(seat));
                }
                let action = match bot.method {
                    Method::Search => {
                        let effort = effort.unwrap_or(Effort::Time(DEFAULT_TIME));
                        Sage::with_clock(effort, self.clock.clone()).decide(&game, seat, seed)
                    }
                    _ => (bot.decide)(&game, seat, seed),
                };
                Ok(action::to_number(action).into())
            }
            Query::Analyse(Analyse { game, turn, time_ms, simulations }) => {
                let effort = effort(time_ms, simulations)?.unwrap_or(Effort::Simulations(DEFAULT_SIMULATIONS));
                let actions = game.actions.get(turn.wrapping_sub(1)).copied();
                let (game, _) = game.play()?;
                let last = game.last_turn();
                if !(1..=last).contains(&turn) {
                    return Err(QueryError::Turn { turn, last });
                }
                let mut analyst = Analyst::with_clock(effort, self.clock.clone());
                Ok(match actions {
                    Some(actions) => analyst.analyse_played(&game, turn as u32, actions, || true).json(),
                    None => analyst.analyse(&game.before(turn), turn as u32, || true).json(),
                })
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
enum Query {
    Decide(Decide),
    Analyse(Analyse),
}

#[derive(Deserialize)]
struct Decide {
    game: GameSoFar,
    bot: String,
    seat: usize,
    time_ms: Option<u64>,
    simulations: Option<u32>,
}

#[derive(Deserialize)]
struct Analyse {
    game: GameSoFar,
    turn: usize,
    time_ms: Option<u64>,
    simulations: Option<u32>,
}

/// A match so far, as a page sends it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameSoFar {
    init: Value,
    ruling: Option<String>,
    actions: Vec<[Option<i32>; 4]>,
}

impl GameSoFar {
    /// Plays the match, and returns it with its seed.
    fn play(&self) -> Result<(Game, i32), QueryError> {
        let ruling =
            self.ruling.as_ref().map(|name| name.parse().map_err(|error| QueryError::Ruling(error, name.clone()))).transpose()?;
        let base = ruling.map_or(Ruleset::default(), |ruling| Ruleset::default().with_forfeit_ruling(ruling));
        let (map, _) = init_data::read(&self.init, 0, base)?;
        let mut game = Game::new(map.maze, map.start);
        for (turn, actions) in (1..).zip(&self.actions) {
            let actions = BySeat(*actions).map(|number| number.map_or(Action::Stay, action::from_number));
            if !game.play_with(&actions, &mut ()) {
                return Err(QueryError::OverBefore(turn));
            }
        }
        Ok((game, map.seed))
    }
}

fn effort(time_ms: Option<u64>, simulations: Option<u32>) -> Result<Option<Effort>, QueryError> {
    match (time_ms, simulations) {
        (Some(_), Some(_)) => Err(QueryError::TwoEfforts),
        (Some(ms), None) if !(1..=MAX_TIME_MS).contains(&ms) => {
            Err(QueryError::Effort { key: "time_ms", max: MAX_TIME_MS, got: ms })
        }
        (None, Some(number)) if !(1..=MAX_SIMULATIONS).contains(&number) => {
            Err(QueryError::Effort { key: "simulations", max: MAX_SIMULATIONS.into(), got: number.into() })
        }
        (Some(ms), None) => Ok(Some(Effort::Time(Duration::from_millis(ms)))),
        (None, number) => Ok(number.map(Effort::Simulations)),
    }
}

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
enum QueryError {
    #[error("the query cannot be read: {0}")]
    Form(serde_json::Error),
    #[error("unknown built-in bot \"{0}\"")]
    UnknownBot(String),
    #[error("seat must be between 0 and 3, got {0}")]
    Seat(usize),
    #[error("player {0} has nothing to decide: it is dead, or the game is over")]
    NothingToDecide(Seat),
    #[error("turn must be between 1 and {last}, got {turn}")]
    Turn { turn: usize, last: usize },
    #[error("the game is over before turn {0}")]
    OverBefore(u32),
    #[error("time_ms and simulations exclude each other; remove either")]
    TwoEfforts,
    #[error("{key} must be between 1 and {max}, got {got}")]
    Effort { key: &'static str, max: u64, got: u64 },
    #[error("{0}")]
    Ruling(ParseForfeitRulingError, String),
    #[error("the map cannot be played: {0}")]
    Map(#[from] MapError),
}

impl From<&QueryError> for Problem {
    fn from(error: &QueryError) -> Problem {
        match error {
            QueryError::Form(error) => error.into(),
            QueryError::UnknownBot(bot) => Problem::new("unknown-built-in").with("bot", bot.as_str()),
            QueryError::Seat(got) => out_of_range("seat", 0, 3, *got as u64),
            QueryError::NothingToDecide(seat) => Problem::new("nothing-to-decide").with("seat", seat.index()),
            QueryError::Turn { turn, last } => out_of_range("turn", 1, *last as u64, *turn as u64),
            QueryError::OverBefore(turn) => Problem::new("turn-game-over").with("turn", *turn),
            QueryError::TwoEfforts => Problem::new("two-efforts"),
            QueryError::Effort { key, max, got } => out_of_range(key, 1, *max, *got),
            QueryError::Ruling(_, got) => Problem::new("query-ruling").with("got", got.as_str()),
            QueryError::Map(error) => Problem::new("map").because(&from_map(error)),
        }
    }
}

fn out_of_range(name: &str, min: u64, max: u64, got: u64) -> Problem {
    Problem::new("out-of-range").with("name", name).with("min", min).with("max", max).with("got", got)
}
