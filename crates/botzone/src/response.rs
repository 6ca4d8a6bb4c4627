//! What a bot writes in a turn, and Botzone's verdicts.

use std::fmt;
use std::str::FromStr;

use pacman2_rules::Action;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::Json;
use crate::json_text::JsonText;
pub use crate::output_fields::{DATA_BYTES, TAUNT_BYTES};
use crate::output_fields::{Field, OutputFields, ResponseParts, start_of};
use crate::{action, javascript};

/// Bytes of `debug` that the log keeps.
pub const DEBUG_BYTES: usize = 1024;

/// Everything that a bot wrote in a turn.
#[derive(Clone, PartialEq, Debug)]
pub struct BotOutput {
    /// The response as the bot wrote it, or nothing but its action if its text is longer than [`DATA_BYTES`]. The bot
    /// receives it again among its `responses`.
    pub response: JsonText,
    /// The response as the judge understands it.
    pub parsed: ParsedResponse,
    /// Any JSON for the log, cut to [`DEBUG_BYTES`].
    pub debug: Option<JsonText>,
    /// What the bot receives as `data` in its next turn, any JSON; the empty string if it wrote none.
    pub data: JsonText,
    /// What the bot receives as `globaldata` in later matches; `None` leaves the old one in place.
    pub globaldata: Option<JsonText>,
    /// The key of these two whose value was longer than [`DATA_BYTES`] and was cut.
    pub cut: Option<&'static str>,
}

impl BotOutput {
    /// Reads the output of a bot. Bytes that are not UTF-8 become replacement characters, as on Botzone.
    ///
    /// Any JSON can be read: if it has no action, the response is [`ParsedResponse::Nothing`].
    ///
    /// # Errors
    /// Fails if the output is not JSON. Botzone's verdict is [`Verdict::Nj`] then.
    ///
    /// ```
    /// use pacman2_botzone::response::{BotOutput, ParsedResponse, Verdict};
    ///
    /// let output = BotOutput::read(br#"{"response": {"action": 2, "tauntText": "mine!"}, "data": "plan"}"#).unwrap();
    /// assert_eq!(output.parsed, ParsedResponse::Action { number: 2, taunt: Some("mine!".to_owned()) });
    /// assert_eq!(output.data.as_str(), "\"plan\"");
    ///
    /// assert_eq!(BotOutput::read(b"{}").unwrap().parsed, ParsedResponse::Nothing(Verdict::Ok));
    /// assert!(BotOutput::read(b"thinking...").is_err());
    /// ```
    pub fn read(output: &[u8]) -> Result<BotOutput, ParseOutputError> {
        let text = String::from_utf8_lossy(output);
        if text.trim().is_empty() {
            return Err(ParseOutputError::Empty);
        }
        let fields = OutputFields::read(&text).map_err(ParseOutputError::NotJson)?;
        let (json, parts) = match fields.response.or(fields.content) {
            Some(response) => (response.json(), response.parts),
            None => (Some(Value::Null.into()), ResponseParts::default()),
        };
        let parsed = ParsedResponse::judged(parts, Verdict::Ok);
        let stored = [("data", &fields.data), ("globaldata", &fields.globaldata)];
        let cut = stored.iter().find(|(_, field)| field.as_ref().is_some_and(Field::is_cut)).map(|(key, _)| *key);
        Ok(BotOutput {
            response: json.unwrap_or_else(|| parsed.without_more()),
            parsed,
            debug: fields.debug.map(cut_debug),
            data: fields.data.map(Field::into_data).unwrap_or_default(),
            globaldata: fields.globaldata.map(Field::into_data),
            cut,
        })
    }
}

/// Why a bot's output cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseOutputError {
    /// The output is empty or blank.
    #[error("not JSON: no answer")]
    Empty,
    /// The output is not JSON.
    #[error("not JSON: {0}")]
    NotJson(serde_json::Error),
}

/// A player's response as the judge understands it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParsedResponse {
    /// The player asks for an action. It can ask for any number; most are illegal.
    Action {
        /// Botzone's number of the action.
        number: i32,
        /// The taunt, cut to [`TAUNT_BYTES`].
        taunt: Option<String>,
    },
    /// The judge could not read an action.
    Nothing(Verdict),
}

impl ParsedResponse {
    fn judged(parts: ResponseParts, verdict: Verdict) -> ParsedResponse {
        match parts.number {
            Some(number) if verdict == Verdict::Ok => ParsedResponse::Action { number, taunt: parts.taunt },
            _ => ParsedResponse::Nothing(verdict),
        }
    }

    /// Returns the action to play: [`Action::Invalid`] if there is none of that number, or nothing could be read.
    ///
    /// ```
    /// use pacman2_botzone::response::{ParsedResponse, Verdict};
    /// use pacman2_rules::Action;
    ///
    /// assert_eq!(ParsedResponse::Action { number: -1, taunt: None }.action(), Action::Stay);
    /// assert_eq!(ParsedResponse::Nothing(Verdict::Tle).action(), Action::Invalid);
    /// ```
    #[must_use]
    pub fn action(&self) -> Action {
        match self {
            ParsedResponse::Action { number, .. } => action::from_number(*number),
            ParsedResponse::Nothing(_) => Action::Invalid,
        }
    }

    /// Reads a `response` as Botzone's judge does: an object, or a string that holds one, with a whole number as `action`.
    ///
    /// ```
    /// use pacman2_botzone::response::{ParsedResponse, Verdict};
    /// use serde_json::json;
    ///
    /// let read = |response| ParsedResponse::from_response(&response, Verdict::Ok);
    /// assert_eq!(read(json!({ "action": 1 })), ParsedResponse::Action { number: 1, taunt: None });
    /// assert_eq!(read(json!("{\"action\": 1}")), ParsedResponse::Action { number: 1, taunt: None });
    /// assert_eq!(read(json!({ "action": "1" })), ParsedResponse::Nothing(Verdict::Ok));
    /// ```
    #[must_use]
    pub fn from_response(response: &Value, verdict: Verdict) -> ParsedResponse {
        ParsedResponse::from_json(JsonText::from(response).json(), verdict)
    }

    /// Reads a `response` of a file.
    #[must_use]
    pub fn from_json(response: Json<'_>, verdict: Verdict) -> ParsedResponse {
        let parts = match response.string() {
            Some(text) => {
                let object = javascript::checked(&text);
                object
                    .map_or_else(|_| ResponseParts::default(), |text| ResponseParts::from_object(Json::from_checked(text.trim())))
            }
            None => ResponseParts::from_object(response),
        };
        ParsedResponse::judged(parts, verdict)
    }

    /// Returns the number of the action, legal or not, if there is one.
    #[must_use]
    pub fn number(&self) -> Option<i32> {
        match self {
            ParsedResponse::Action { number, .. } => Some(*number),
            ParsedResponse::Nothing(_) => None,
        }
    }

    /// Returns Botzone's verdict of the run: OK if there is an action.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self {
            ParsedResponse::Action { .. } => Verdict::Ok,
            ParsedResponse::Nothing(verdict) => *verdict,
        }
    }

    /// Reads a response as the judge shows it to others: an action, perhaps with a taunt, or the verdict on a response without one.
    pub(crate) fn from_echo(shown: Json<'_>) -> Option<ParsedResponse> {
        let [number, reason, taunt] = shown.get_all(["action", "reason", "tauntText"]);
        let number = action::integer(&number?.scalar())?;
        let reason = reason.and_then(Json::string);
        if let Some(verdict) = reason.as_ref().and_then(|reason| reason.strip_prefix("INVALID_INPUT_VERDICT_")) {
            return verdict.parse().ok().filter(Verdict::is_of_run).map(ParsedResponse::Nothing);
        }
        // Botzone's judge may have cut the taunt within a character. The replacement character makes it longer than 40 bytes.
        let taunt = taunt.and_then(Json::string).map(|taunt| start_of(&taunt, TAUNT_BYTES));
        Some(ParsedResponse::Action { number, taunt })
    }

    /// Returns a response that is nothing but the action and, if it is not empty, the taunt; `null` if there is no action.
    ///
    /// ```
    /// use pacman2_botzone::response::ParsedResponse;
    ///
    /// let parsed = ParsedResponse::Action { number: 3, taunt: Some("mine!".to_owned()) };
    /// assert_eq!(parsed.plain()["tauntText"], "mine!");
    /// let parsed = ParsedResponse::Action { number: 3, taunt: Some(String::new()) };
    /// assert_eq!(parsed.plain(), serde_json::json!({ "action": 3 }));
    /// ```
    #[must_use]
    pub fn plain(&self) -> Value {
        match self {
            ParsedResponse::Nothing(_) => Value::Null,
            ParsedResponse::Action { number, taunt: Some(taunt) } if !taunt.is_empty() => {
                json!({ "action": number, "tauntText": taunt })
            }
            ParsedResponse::Action { number, .. } => json!({ "action": number }),
        }
    }

    /// Returns a response that is nothing but the action; `null` if there is none.
    ///
    /// ```
    /// use pacman2_botzone::response::ParsedResponse;
    ///
    /// let parsed = ParsedResponse::Action { number: 3, taunt: Some("mine!".to_owned()) };
    /// assert_eq!(parsed.without_more().as_str(), r#"{"action":3}"#);
    /// ```
    #[must_use]
    pub fn without_more(&self) -> JsonText {
        match self {
            ParsedResponse::Action { number, .. } => json!({ "action": number }).into(),
            ParsedResponse::Nothing(_) => Value::Null.into(),
        }
    }
}

/// The verdict on a player's turn: Botzone's verdict on the run of its program, or that the action is illegal, for which
/// Botzone's own verdict is `OK`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// The program ran and wrote JSON.
    Ok,
    /// It exceeded the time limit.
    Tle,
    /// It exceeded the memory limit.
    Mle,
    /// It exceeded the output limit.
    Ole,
    /// Its output is not JSON.
    Nj,
    /// It crashed.
    Re,
    /// It ran, but the action is not legal.
    Illegal,
}

impl Verdict {
    /// Botzone's verdicts on a run.
    pub const OF_RUNS: [Verdict; 6] = [Verdict::Ok, Verdict::Tle, Verdict::Mle, Verdict::Ole, Verdict::Nj, Verdict::Re];
    /// The verdicts with which a player forfeits.
    pub const FAULTS: [Verdict; 6] = [Verdict::Tle, Verdict::Mle, Verdict::Ole, Verdict::Nj, Verdict::Re, Verdict::Illegal];

    /// Returns the name in logs, replays, stores and JSON: `OK`, `TLE`, `MLE`, `OLE`, `NJ`, `RE` or `ILLEGAL`.
    ///
    /// ```
    /// use pacman2_botzone::response::Verdict;
    ///
    /// assert_eq!(Verdict::Tle.name(), "TLE");
    /// assert_eq!("TLE".parse(), Ok(Verdict::Tle));
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Ok => "OK",
            Verdict::Tle => "TLE",
            Verdict::Mle => "MLE",
            Verdict::Ole => "OLE",
            Verdict::Nj => "NJ",
            Verdict::Re => "RE",
            Verdict::Illegal => "ILLEGAL",
        }
    }

    /// Returns whether it is on a run, as Botzone's are.
    #[must_use]
    pub fn is_of_run(&self) -> bool {
        *self != Verdict::Illegal
    }

    /// Returns whether the player forfeits.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        *self != Verdict::Ok
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Verdict {
    type Err = ParseVerdictError;

    fn from_str(name: &str) -> Result<Verdict, ParseVerdictError> {
        let named = |verdict: &Verdict| verdict.name() == name;
        [Verdict::Ok].into_iter().chain(Verdict::FAULTS).find(named).ok_or_else(|| ParseVerdictError(name.to_owned()))
    }
}

/// A text that names no [`Verdict`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown verdict \"{0}\"; expected OK, TLE, MLE, OLE, NJ, RE or ILLEGAL")]
pub struct ParseVerdictError(String);

fn cut_debug(debug: Field) -> JsonText {
    let json = debug.json().filter(|json| !debug.is_string() && json.as_str().len() <= DEBUG_BYTES);
    json.unwrap_or_else(|| Value::from(start_of(&debug.into_text(), DEBUG_BYTES)).into())
}
