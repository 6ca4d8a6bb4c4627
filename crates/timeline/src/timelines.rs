//! Films behind one door: a page asks in JSON and is answered in JSON.
//!
//! A question is an object with the key `ask`; the others depend on it. The answer is `{"ok": …}` or `{"error": "…"}`.
//!
//! | `ask` | with | answer |
//! |---|---|---|
//! | `open` | `text` | a film |
//! | `map` | `seed`, `width`, `height` (both or neither) | a film |
//! | `branch` | `film`, `turn`, `names` | a film |
//! | `push` | `film`, and the texts of a replay's `turn` and its `backstage` | its new frame |
//! | `play` | `film`, `actions` | its new frame |
//! | `decide` | `film`, `bot`, `seat` | an action |
//! | `xray` | `film`, `turn` | what the position holds |
//! | `text` | `film`, `turn`, `as`, `seat` | text |
//! | `save` | `film` | a replay |
//! | `close` | `film` | `null` |
//! | `bots` | | the built-in bots |
//!
//! A film is `{"head": …, "frames": […]}`; its head has the key `film`, the number by which it is asked for later.

use pacman2_botzone::action;
use pacman2_maps::MapSize;
use pacman2_rules::{BySeat, Seat};
use serde_json::{Value, json};

use crate::{TextForm, Timeline, TimelineError, refuse, show};

/// The films that a page has open.
#[derive(Default)]
pub struct Timelines {
    /// By their numbers; `None` for those that were closed.
    films: Vec<Option<Timeline>>,
}

impl Timelines {
    /// Answers a question.
    pub fn ask(&mut self, question: &str) -> String {
        let answer = match serde_json::from_str(question) {
            Ok(question) => self.answer(&Question(question)),
            Err(error) => refuse(format!("this cannot be asked: {error}")),
        };
        match answer {
            Ok(value) => json!({ "ok": value }),
            Err(TimelineError(reason)) => json!({ "error": reason }),
        }
        .to_string()
    }

    fn answer(&mut self, question: &Question) -> Result<Value, TimelineError> {
        match question.text("ask")? {
            "open" => self.take_in(Timeline::open(question.text("text")?)?),
            "map" => {
                let size = MapSize { width: question.number("width").ok(), height: question.number("height").ok() };
                self.take_in(Timeline::generate(question.number("seed")?, size)?)
            }
            "branch" => {
                let names = question.four("names", |name| name.as_str().map(str::to_owned))?;
                let branch = self.film(question)?.branch(question.number("turn")?, names)?;
                self.take_in(branch)
            }
            "push" => {
                let film = self.film(question)?;
                film.push(&question.0["turn"], &question.0["backstage"])?;
                film.frame(film.turns())
            }
            "play" => {
                let actions = question.four("actions", |action| match action {
                    Value::Null => Some(None),
                    number => action::integer(number).map(Some),
                })?;
                let film = self.film(question)?;
                film.play(actions)?;
                film.frame(film.turns())
            }
            "decide" => Ok(action::to_number(self.film(question)?.decide(question.text("bot")?, question.seat()?)?).into()),
            "xray" => self.film(question)?.inspect(question.number("turn")?),
            "text" => {
                let telling = match question.text("as")? {
                    "init" => TextForm::Init,
                    "picture" => TextForm::Picture,
                    "request" => TextForm::Request,
                    "input" => TextForm::Input,
                    other => return refuse(format!("a position cannot be told as \"{other}\"")),
                };
                Ok(self.film(question)?.position_text(question.number("turn")?, telling, question.seat()?)?.into())
            }
            "save" => Ok(self.film(question)?.to_replay().write().into()),
            "close" => {
                self.film(question)?;
                self.films[question.number::<usize>("film")?] = None;
                Ok(Value::Null)
            }
            "bots" => Ok(show::built_in()),
            other => refuse(format!("\"{other}\" cannot be asked")),
        }
    }

    fn take_in(&mut self, film: Timeline) -> Result<Value, TimelineError> {
        let mut head = film.head();
        head["film"] = self.films.len().into();
        let frames = (0..=film.turns()).map(|turn| film.frame(turn)).collect::<Result<Vec<_>, _>>()?;
        self.films.push(Some(film));
        Ok(json!({ "head": head, "frames": frames }))
    }

    fn film(&mut self, question: &Question) -> Result<&mut Timeline, TimelineError> {
        let number: usize = question.number("film")?;
        let film = self.films.get_mut(number).and_then(Option::as_mut);
        film.ok_or_else(|| TimelineError(format!("there is no film {number}")))
    }
}

/// A question as it came: read key by key, for a derived reader of all its forms would be a quarter of the module.
struct Question(Value);

impl Question {
    fn text(&self, key: &str) -> Result<&str, TimelineError> {
        self.0[key].as_str().ok_or_else(|| self.wants(key, "a text"))
    }

    fn number<N: TryFrom<i64>>(&self, key: &str) -> Result<N, TimelineError> {
        let number = self.0[key].as_i64().and_then(|number| N::try_from(number).ok());
        number.ok_or_else(|| self.wants(key, "a whole number"))
    }

    fn four<T>(&self, key: &str, read: impl Fn(&Value) -> Option<T>) -> Result<BySeat<T>, TimelineError> {
        let items = self.0[key].as_array().and_then(|items| items.iter().map(read).collect::<Option<Vec<T>>>());
        let four = items.and_then(|items| items.try_into().ok());
        four.map(BySeat).ok_or_else(|| self.wants(key, "a list of four"))
    }

    fn seat(&self) -> Result<Seat, TimelineError> {
        Seat::new(self.number("seat")?).ok_or_else(|| self.wants("seat", "a seat from 0 to 3"))
    }

    fn wants(&self, key: &str, what: &str) -> TimelineError {
        TimelineError(format!("{key}: {what} is wanted"))
    }
}
