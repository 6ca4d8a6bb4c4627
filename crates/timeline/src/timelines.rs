//! The timelines that a page has open, behind one function: a query in JSON goes in, an answer in JSON comes out.
//!
//! A query is an object with the key `op`; the other keys depend on it. The answer is `{"ok": …}` or `{"error": "…"}`. If a
//! user can cause the error, the key `problem` has it as a code with parameters, for the page's own words.
//!
//! | `op` | with | answer |
//! |---|---|---|
//! | `open` | `text` | a timeline |
//! | `map` | `seed`, `width`, `height` (both or neither) | a timeline |
//! | `branch` | `timeline`, `turn`, `names` | a timeline |
//! | `push` | `timeline`, and a replay's public `turn` and its private part, `backstage` | the new frame |
//! | `play` | `timeline`, `actions` (a number, `null` for a dead player, or the verdict of a run without an answer), and perhaps the private part, `backstage` | the new frame |
//! | `decide` | `timeline`, `bot`, `seat` | an action |
//! | `inspect` | `timeline`, `turn` | distances, lights and legal actions |
//! | `text` | `timeline`, `turn`, `as`, `seat` | a text |
//! | `save` | `timeline` | a replay |
//! | `link` | `timeline` | the match as a link holds it, after `#g=` |
//! | `qr` | `text` | a QR code |
//! | `close` | `timeline` | `null` |
//! | `bots` | | the built-in bots |
//!
//! A timeline is `{"head": …, "frames": […]}`. The key `timeline` of its head is the number by which later queries name it. One that was
//! opened has `branches`, `rerun` and `notes` as its replay has them, or null. Files are no texts: [`Timelines::games`] takes their bytes.

use std::io::Cursor;

use pacman2_botzone::action;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_maps::{MapSize, seed_from};
use pacman2_replay::games::{self, BadGame, FoundGame, Games};
use pacman2_replay::{Problem, read_diagnostics};
use pacman2_rules::{BySeat, Seat};
use serde_json::{Value, json};

use crate::qr_code::QrPicture;
use crate::{TextForm, Timeline, TimelineError, json_view};

/// The timelines that a page has open.
///
/// ```
/// use pacman2_timeline::timelines::Timelines;
///
/// let mut timelines = Timelines::default();
/// let answer = timelines.ask(r#"{"op": "map", "seed": 42}"#);
/// assert!(answer.starts_with(r#"{"ok":"#));
/// assert_eq!(timelines.ask(r#"{"op": "dance"}"#), r#"{"error":"unknown query \"dance\""}"#);
/// ```
#[derive(Default)]
pub struct Timelines {
    /// By number; `None` for those that were closed.
    timelines: Vec<Option<Timeline>>,
}

impl Timelines {
    /// Answers a query.
    pub fn ask(&mut self, query: &str) -> String {
        answer_text(serde_json::from_str(query).map_err(QueryError::NotJson).and_then(|query| self.answer(&Query(query))))
    }

    /// Lists the games of a file if `number` is 0: each as an object with its `id` and the `names` of its players, or with an `error`
    /// and a `problem`. Otherwise opens the game of this number, counted from 1.
    pub fn games(&mut self, file: &[u8], number: usize) -> String {
        let mut games = Games::new(Cursor::new(file), None);
        answer_text(match number.checked_sub(1) {
            None => Ok(games.map(listed).collect()),
            Some(before) => {
                let game = games.nth(before).ok_or(QueryError::NoGame(number));
                game.and_then(|game| self.open(game.map_err(|bad| TimelineError::from(bad.error))?))
            }
        })
    }

    fn answer(&mut self, query: &Query) -> Result<Value, QueryError> {
        match query.text("op")? {
            "open" => self.open(games::read_first(query.text("text")?.as_bytes()).map_err(TimelineError::from)?),
            "map" => {
                let size = MapSize { width: query.number("width").ok(), height: query.number("height").ok() };
                let seed = seed_from(query.number("seed")?).ok_or_else(|| unexpected("seed", "a seed of 32 bits"))?;
                self.insert(Timeline::generate(seed, size)?)
            }
            "branch" => {
                let names = query.four("names", |name| name.as_str().map(str::to_owned))?;
                let branch = self.timeline(query)?.branch(query.number("turn")?, names)?;
                self.insert(branch)
            }
            "push" => {
                let timeline = self.timeline(query)?;
                timeline.push(&query.0["turn"], &query.0["backstage"])?;
                Ok(timeline.frame(timeline.turns())?)
            }
            "play" => {
                let responses = query.four("actions", |action| match action {
                    Value::Null => Some(None),
                    Value::String(verdict) => {
                        let verdict = verdict.parse().ok().filter(Verdict::is_of_run)?;
                        Some(Some(ParsedResponse::Nothing(verdict)))
                    }
                    number => action::integer(number).map(|number| Some(ParsedResponse::Action { number, taunt: None })),
                })?;
                let diagnostics = match &query.0["backstage"] {
                    Value::Null => [const { None }; 4],
                    diagnostics => read_diagnostics(diagnostics).map_err(TimelineError::from)?,
                };
                let timeline = self.timeline(query)?;
                timeline.play_responses(&responses, diagnostics)?;
                Ok(timeline.frame(timeline.turns())?)
            }
            "decide" => Ok(action::to_number(self.timeline(query)?.decide(query.text("bot")?, query.seat()?)?).into()),
            "inspect" => Ok(self.timeline(query)?.inspect(query.number("turn")?)?),
            "text" => {
                let form = match query.text("as")? {
                    "init" => TextForm::Init,
                    "picture" => TextForm::Picture,
                    "request" => TextForm::Request,
                    "input" => TextForm::Input,
                    other => return Err(QueryError::UnknownTextForm(other.to_owned())),
                };
                Ok(self.timeline(query)?.position_text(query.number("turn")?, form, query.seat()?)?.into())
            }
            "save" => Ok(self.timeline(query)?.to_replay().write().into()),
            "link" => Ok(self.timeline(query)?.to_link().map_err(TimelineError::from)?.into()),
            "qr" => {
                let QrPicture { modules, dark } = QrPicture::from_text(query.text("text")?)?;
                Ok(json!({ "modules": modules, "dark": dark }))
            }
            "close" => {
                self.timeline(query)?;
                self.timelines[query.number::<usize>("timeline")?] = None;
                Ok(Value::Null)
            }
            "bots" => Ok(json_view::built_in_bots()),
            other => Err(QueryError::UnknownQuery(other.to_owned())),
        }
    }

    /// Opens a game, with what the viewer had added to its replay.
    fn open(&mut self, game: FoundGame) -> Result<Value, QueryError> {
        let replay = &game.replay;
        let added = [("branches", replay.branches.clone()), ("rerun", replay.rerun.clone()), ("notes", replay.notes.clone())];
        let mut answer = self.insert(Timeline::from_game(game))?;
        for (key, value) in added {
            answer[key] = value.map_or(Value::Null, |value| value.to_value());
        }
        Ok(answer)
    }

    fn insert(&mut self, timeline: Timeline) -> Result<Value, QueryError> {
        let mut head = timeline.head();
        head["timeline"] = self.timelines.len().into();
        let frames = (0..=timeline.turns()).map(|turn| timeline.frame(turn)).collect::<Result<Vec<_>, _>>()?;
        self.timelines.push(Some(timeline));
        Ok(json!({ "head": head, "frames": frames }))
    }

    fn timeline(&mut self, query: &Query) -> Result<&mut Timeline, QueryError> {
        let number: usize = query.number("timeline")?;
        self.timelines.get_mut(number).and_then(Option::as_mut).ok_or(QueryError::NoTimeline(number))
    }
}

fn answer_text(answer: Result<Value, QueryError>) -> String {
    match answer {
        Ok(value) => json!({ "ok": value }),
        Err(QueryError::Timeline(error)) => failure(&error),
        Err(error) => json!({ "error": error.to_string() }),
    }
    .to_string()
}

fn failure(error: &TimelineError) -> Value {
    json!({ "error": error.to_string(), "problem": Problem::from(error).to_json() })
}

fn listed(game: Result<FoundGame, BadGame>) -> Value {
    match game {
        Ok(FoundGame { id, replay, .. }) => {
            json!({ "id": id, "names": replay.public.seats.iter().map(|seat| seat.name.as_str()).collect::<Vec<_>>() })
        }
        Err(bad) => failure(&bad.error.into()),
    }
}

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
enum QueryError {
    #[error("the query is not JSON: {0}")]
    NotJson(serde_json::Error),
    #[error("{key}: expected {expected}")]
    Value { key: String, expected: &'static str },
    #[error("unknown query \"{0}\"")]
    UnknownQuery(String),
    #[error("unknown form of text \"{0}\"; expected init, picture, request or input")]
    UnknownTextForm(String),
    #[error("no timeline {0} is open")]
    NoTimeline(usize),
    #[error("the file has no game {0}")]
    NoGame(usize),
    #[error(transparent)]
    Timeline(#[from] TimelineError),
}

/// A query, read key by key, because a derived reader of all queries would be a quarter of the page's engine.
struct Query(Value);

impl Query {
    fn text(&self, key: &str) -> Result<&str, QueryError> {
        self.0[key].as_str().ok_or_else(|| unexpected(key, "a string"))
    }

    fn number<N: TryFrom<i64>>(&self, key: &str) -> Result<N, QueryError> {
        let number = self.0[key].as_i64().and_then(|number| N::try_from(number).ok());
        number.ok_or_else(|| unexpected(key, "a whole number"))
    }

    fn four<T>(&self, key: &str, read: impl Fn(&Value) -> Option<T>) -> Result<BySeat<T>, QueryError> {
        let items = self.0[key].as_array().and_then(|items| items.iter().map(read).collect::<Option<Vec<T>>>());
        let four = items.and_then(|items| items.try_into().ok());
        four.map(BySeat).ok_or_else(|| unexpected(key, "a list of four"))
    }

    fn seat(&self) -> Result<Seat, QueryError> {
        Seat::new(self.number("seat")?).ok_or_else(|| unexpected("seat", "a seat from 0 to 3"))
    }
}

fn unexpected(key: &str, expected: &'static str) -> QueryError {
    QueryError::Value { key: key.to_owned(), expected }
}
