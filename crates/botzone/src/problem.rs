//! What is wrong, as a code with parameters, so that a page can word it in its reader's language.
//!
//! The words for the codes are in the catalogue of [`crate::words`], and those that only a page needs in
//! `crates/web/viewer/reasons.js`; a test compares both.

use pacman2_maps::{CellOddity, MapError, MapErrorReason, MapWarning, RawValue};
use pacman2_rules::{MAX_SIDE, MazeErrorReason};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::init_data::InitDataWarning;
use crate::match_log::MatchLogError;
use crate::response::ParseOutputError;
use crate::saved_input::SavedInputError;

/// What is wrong with something, for readers that word it in another language.
///
/// ```
/// use pacman2_botzone::problem::Problem;
///
/// let problem = Problem::new("row-count").with("expected", 6).with("got", 5);
/// assert_eq!(problem.params["got"], 5);
/// assert_eq!(serde_json::to_string(&problem).unwrap(), r#"{"code":"row-count","params":{"expected":6,"got":5}}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// What kind of problem it is, in kebab case.
    pub code: String,
    /// Numbers and texts that belong to it, by their names.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
}

impl Problem {
    /// Returns a problem without parameters.
    #[inline(never)]
    #[must_use]
    pub fn new(code: &str) -> Problem {
        Problem { code: code.to_owned(), params: Map::new() }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(self, name: &str, value: impl Into<Value>) -> Problem {
        self.with_value(name, value.into())
    }

    /// Adds the problems that caused this one.
    #[must_use]
    pub fn because(self, causes: &[Problem]) -> Problem {
        self.with("causes", causes.iter().map(Problem::to_json).collect::<Value>())
    }

    /// Returns the problem as an object in JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("code".to_owned(), self.code.as_str().into());
        object.insert("params".to_owned(), self.params.clone().into());
        object.into()
    }

    // Neither generic nor inlined, because copies would make the page's engine larger.
    #[inline(never)]
    fn with_value(mut self, name: &str, value: Value) -> Problem {
        self.params.insert(name.to_owned(), value);
        self
    }
}

/// Returns the reasons for which a map cannot be played.
///
/// ```
/// use pacman2_botzone::{init_data, problem};
/// use pacman2_rules::Ruleset;
///
/// let error = init_data::read(&serde_json::json!({ "width": 99 }), 0, Ruleset::default()).unwrap_err();
/// let [problem] = &problem::from_map(&error)[..] else { panic!("there is one reason") };
/// assert_eq!((problem.code.as_str(), &problem.params["name"], &problem.params["got"]), ("map-number", &"width".into(), &99.into()));
/// ```
#[must_use]
pub fn from_map(error: &MapError) -> Vec<Problem> {
    let mut problems: Vec<Problem> = error.reasons().iter().map(Problem::from).collect();
    if error.omitted() > 0 {
        problems.push(Problem::new("and-more").with("more", error.omitted()));
    }
    problems
}

impl From<&serde_json::Error> for Problem {
    fn from(error: &serde_json::Error) -> Problem {
        let problem = match error.classify() {
            Category::Eof => Problem::new("json-cut-off"),
            Category::Data => Problem::new("json-form"),
            Category::Syntax | Category::Io => Problem::new("json-syntax"),
        };
        problem.with("line", error.line()).with("column", error.column())
    }
}

impl From<&MapErrorReason> for Problem {
    fn from(reason: &MapErrorReason) -> Problem {
        use MapErrorReason as Reason;
        let number = |name: &str, least: i64, most: i64, got: Value| {
            Problem::new("map-number").with("name", name).with("min", least).with("max", most).with("got", got)
        };
        match reason {
            Reason::NotAnObject { got } => Problem::new("map-not-object").with("got", kind(got)),
            Reason::Number { name, range, got } => number(name, *range.start(), *range.end(), kind(got)),
            Reason::MissingSide { name } => Problem::new("map-side-missing").with("name", *name),
            Reason::NotAMatrix { matrix, got } => {
                Problem::new("map-matrix").with("matrix", matrix.to_string()).with("got", kind(got))
            }
            Reason::RowCount { matrix, expected, got } => {
                Problem::new("map-row-count").with("matrix", matrix.to_string()).with("expected", *expected).with("got", *got)
            }
            Reason::NotARow { matrix, row, got } => {
                Problem::new("map-row").with("matrix", matrix.to_string()).with("row", *row).with("got", kind(got))
            }
            Reason::RowLength { matrix, row, expected, got } => {
                let problem = Problem::new("map-row-length").with("matrix", matrix.to_string()).with("row", *row);
                problem.with("expected", *expected).with("got", *got)
            }
            Reason::Cell { matrix, row, col, got } => {
                let problem = Problem::new("map-cell").with("matrix", matrix.to_string()).with("row", *row).with("col", *col);
                problem.with("max", matrix.max()).with("got", kind(got))
            }
            Reason::TooManyGenerators(got) => Problem::new("map-generators").with("got", *got),
            Reason::PlayerCount { seat, got } => Problem::new("map-player").with("seat", seat.index()).with("got", *got),
            Reason::Maze(MazeErrorReason::Ruleset(error)) => {
                let range = error.setting.range();
                number(error.setting.json_key(), *range.start(), *range.end(), error.value.into())
            }
            Reason::Maze(MazeErrorReason::Width(got)) => number("width", 1, MAX_SIDE.into(), (*got).into()),
            Reason::Maze(MazeErrorReason::Height(got)) => number("height", 1, MAX_SIDE.into(), (*got).into()),
            Reason::Maze(MazeErrorReason::SquareCount { expected, got }) => {
                Problem::new("map-squares").with("expected", *expected).with("got", *got)
            }
            _ => Problem::new("map-maze"),
        }
    }
}

/// Returns a rejected value as a parameter: a whole number, or a few characters.
fn kind(got: &RawValue) -> Value {
    match got {
        RawValue::Integer(number) => (*number).into(),
        RawValue::Missing => "missing".into(),
        RawValue::List(_) | RawValue::LongList => "list".into(),
        RawValue::Text => "string".into(),
        RawValue::Object => "object".into(),
        other => other.to_string().into(),
    }
}

impl From<&InitDataWarning> for Problem {
    fn from(warning: &InitDataWarning) -> Problem {
        match warning {
            InitDataWarning::Map(warning) => warning.into(),
            InitDataWarning::UnknownKey(key) => Problem::new("unknown-key").with("key", key.as_str()),
        }
    }
}

impl From<&MapWarning> for Problem {
    fn from(warning: &MapWarning) -> Problem {
        let MapWarning::Cells { oddity, row, col, more } = warning else { return Problem::new("asymmetric") };
        let problem = match oddity {
            CellOddity::OneSidedWall => Problem::new("one-sided-wall"),
            CellOddity::UnwalledGenerator => Problem::new("unwalled-generator"),
            CellOddity::OutOfReach => Problem::new("out-of-reach"),
            CellOddity::SharedByPlayers => Problem::new("shared-by-players"),
            CellOddity::PlayerOnGenerator => Problem::new("player-on-generator"),
            CellOddity::FruitOnGenerator => Problem::new("fruit-on-generator"),
            CellOddity::BothFruits => Problem::new("both-fruits"),
        };
        problem.with("row", *row).with("col", *col).with("more", *more)
    }
}

impl From<&ParseOutputError> for Problem {
    fn from(error: &ParseOutputError) -> Problem {
        match error {
            ParseOutputError::Empty => Problem::new("answer-empty"),
            ParseOutputError::NotJson(error) => error.into(),
        }
    }
}

impl From<&MatchLogError> for Problem {
    fn from(error: &MatchLogError) -> Problem {
        match error {
            MatchLogError::NoItems => Problem::new("log-no-items"),
            MatchLogError::OtherGame(name) => Problem::new("log-other-game").with("got", name.as_str()),
            MatchLogError::NoMap => Problem::new("log-no-map"),
            MatchLogError::InitData(error) => Problem::new("log-map").because(&from_map(error)),
            MatchLogError::GameOver { turn } => Problem::new("turn-game-over").with("turn", *turn),
            MatchLogError::StrengthDelta { turn, logged, expected } => {
                let expected: Value = expected.iter().copied().collect();
                let problem = Problem::new("turn-strength").with("turn", *turn);
                problem.with("expected", expected.to_string()).with("got", logged.to_string())
            }
            MatchLogError::Scores { turn, logged, expected } => {
                let problem = Problem::new("turn-scores").with("turn", *turn);
                problem.with("expected", expected.to_string()).with("got", logged.to_string())
            }
        }
    }
}

impl From<&SavedInputError> for Problem {
    fn from(error: &SavedInputError) -> Problem {
        match error {
            SavedInputError::NoRequests => Problem::new("input-no-requests"),
            SavedInputError::InitData(error) => Problem::new("input-map").because(&from_map(error)),
            SavedInputError::NoSeat(got) => Problem::new("input-no-seat").with("got", got.to_string()),
            SavedInputError::NoAction { turn, seat } => {
                Problem::new("turn-no-action").with("turn", *turn).with("seat", seat.index())
            }
            SavedInputError::GameOver { turn } => Problem::new("turn-game-over").with("turn", *turn),
        }
    }
}
