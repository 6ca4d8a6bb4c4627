//! Errors as codes with parameters, for pages that word them in their reader's language.

use pacman2_botzone::problem::{Problem, from_map};
use serde_json::json;

use crate::error::{LinkError, ReplayDifference, ReplayError, TurnMismatch, UnexpectedValue};
use crate::format::{VERSION, line};
use crate::games::GameError;

impl From<&ReplayError> for Problem {
    fn from(error: &ReplayError) -> Problem {
        match error {
            ReplayError::NotJson(error) => error.into(),
            ReplayError::Format => Problem::new("replay-format"),
            ReplayError::Version(got) => Problem::new("replay-version").with("expected", VERSION).with("got", got.to_string()),
            ReplayError::Missing { path } => Problem::new("value-missing").with("path", path.as_str()),
            ReplayError::Value { path, expected, got } => {
                let problem = Problem::new("value").with("path", path.as_str()).with("expected", json!(expected));
                match got {
                    UnexpectedValue::List(items) => problem.with("got", "list").with("items", *items),
                    UnexpectedValue::Object => problem.with("got", "object"),
                    UnexpectedValue::LongText => problem.with("got", "string"),
                    UnexpectedValue::Json(json) => problem.with("got", json.as_str()),
                }
            }
            ReplayError::Map(error) => Problem::new("replay-map").because(&from_map(error)),
        }
    }
}

impl From<&GameError> for Problem {
    fn from(error: &GameError) -> Problem {
        match error {
            GameError::Io(error) => Problem::new("game-io").with("reason", error.to_string()),
            GameError::TooLong => Problem::new("game-too-long"),
            GameError::Encoding => Problem::new("game-encoding"),
            GameError::NotJson(error) => error.into(),
            GameError::UnknownFormat => Problem::new("unknown-format"),
            GameError::EmptyPage => Problem::new("page-without-match"),
            GameError::Packed(kind) => Problem::new("game-packed").with("got", *kind),
            GameError::WebArchive => Problem::new("page-web-archive"),
            GameError::Zip(reason) => Problem::new("zip").with("reason", reason.as_str()),
            error @ GameError::ZipMethod => Problem::new("zip").with("reason", error.to_string()),
            GameError::TooManyFiles { got } => Problem::new("zip-too-many-files").with("got", *got),
            GameError::EmptyZip => Problem::new("zip-empty"),
            GameError::NestedZip => Problem::new("zip-nested"),
            GameError::TooManyBad => Problem::new("games-too-many-bad"),
            GameError::Replay(error) => error.into(),
            GameError::MatchLog(error) => error.into(),
            GameError::SavedInput(error) => error.into(),
            GameError::Link(error) => error.into(),
            GameError::Map(error) => Problem::new("map").because(&from_map(error)),
        }
    }
}

impl From<&ReplayDifference> for Problem {
    fn from(difference: &ReplayDifference) -> Problem {
        match difference {
            ReplayDifference::Turn { turn, mismatch } => Problem::from(mismatch).with("turn", *turn),
            ReplayDifference::MissingTurn { turn } => Problem::new("turn-missing").with("turn", *turn),
            ReplayDifference::Scores { expected, found } => {
                Problem::new("scores").with("expected", line(expected)).with("got", line(found))
            }
        }
    }
}

impl From<&TurnMismatch> for Problem {
    fn from(mismatch: &TurnMismatch) -> Problem {
        match mismatch {
            TurnMismatch::NoAction(seat) => Problem::new("turn-no-action").with("seat", seat.index()),
            TurnMismatch::ActionOfDead(seat) => Problem::new("turn-action-of-dead").with("seat", seat.index()),
            TurnMismatch::ActionAndVerdict(seat) => Problem::new("turn-action-and-verdict").with("seat", seat.index()),
            TurnMismatch::GameOver => Problem::new("turn-game-over"),
            TurnMismatch::Position { .. } => Problem::new("turn-position"),
            TurnMismatch::Verdicts { expected, found } => {
                Problem::new("turn-verdicts").with("expected", line(expected)).with("got", line(found))
            }
        }
    }
}

impl From<&LinkError> for Problem {
    fn from(error: &LinkError) -> Problem {
        match error {
            LinkError::NoGame => Problem::new("link-no-game"),
            LinkError::Version(got) => Problem::new("link-version").with("got", got.to_string()),
            LinkError::TooLong(got) => Problem::new("link-too-long").with("got", *got),
            LinkError::Character { position, character } => {
                Problem::new("link-character").with("position", *position).with("got", character.to_string())
            }
            LinkError::CutOff { expected, got } => Problem::new("link-cut-off").with("expected", *expected).with("got", *got),
            LinkError::TrailingBytes { expected, got } => {
                Problem::new("link-trailing").with("expected", *expected).with("got", *got)
            }
            LinkError::Checksum { .. } => Problem::new("link-checksum"),
            LinkError::Map(error) => Problem::new("link-map").because(&from_map(error)),
            LinkError::Content => Problem::new("link-content"),
            LinkError::GameOver { turn } => Problem::new("link-game-over").with("turn", *turn),
            LinkError::End { .. } => Problem::new("link-end"),
            LinkError::Difference(difference) => difference.into(),
            LinkError::Start => Problem::new("link-start"),
        }
    }
}
