//! The reply to a poll: new requests, and matches that ended.

use std::str::Lines;

use serde_json::Value;

use super::{MatchId, MatchIdError, excerpt};
use crate::JsonText;

/// The most requests, and the most matches that ended, in one reply.
const MAX_ENTRIES: usize = 1000;

/// The reply to a poll.
#[derive(Debug)]
pub struct Poll {
    /// The new requests by match. An error is a request that is not JSON, which matches of other games may have.
    pub requests: Vec<(MatchId, Result<Message, serde_json::Error>)>,
    /// The matches that ended.
    pub ended: Vec<MatchEnd>,
}

/// A match that ended.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchEnd {
    /// The match.
    pub id: MatchId,
    /// The number of our own player.
    pub seat: usize,
    /// The scores by player; empty if the match was aborted.
    pub scores: Vec<f64>,
}

/// A request as Botzone may send it.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// The request of this turn alone.
    Turn(Value),
    /// The whole input of a bot that is started afresh.
    Envelope(Envelope),
}

/// The input of a bot that is started afresh: the match so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Envelope {
    /// The requests, oldest first.
    pub requests: Vec<Value>,
    /// The bot's earlier responses.
    pub responses: Vec<Value>,
    /// What the bot stored in its last turn.
    pub data: JsonText,
}

/// Why a reply to a poll cannot be read. Such a reply acknowledges nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PollError {
    /// The first line does not have two numbers.
    #[error("expected a first line with the numbers of requests and of matches that ended, got {0:?}")]
    FirstLine(String),
    /// The reply promises more than any server would send.
    #[error("expected at most {MAX_ENTRIES} requests and ended matches, got {0}", MAX_ENTRIES = MAX_ENTRIES)]
    TooMany(u64),
    /// The reply ends before all that it promises.
    #[error("the reply is cut off after {0} lines")]
    CutOff(usize),
    /// A match has an odd id.
    #[error("line {line}: {error}")]
    Id {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        error: MatchIdError,
    },
    /// The line of a match that ended is not one.
    #[error("line {line}: expected a match id, a player's number, a count and as many scores, got {got:?}")]
    End {
        /// The line, counted from 1.
        line: usize,
        /// The line's text, or its beginning.
        got: String,
    },
}

impl Poll {
    /// Reads the body of a reply.
    ///
    /// # Errors
    /// Fails if the body is not of the form that Botzone's wiki describes, or ends too early.
    ///
    /// ```
    /// use pacman2_botzone::local_ai::Poll;
    ///
    /// let poll = Poll::parse("0 2\n5f3a 1 4 140 42.5 30 20\n5f3b 0 0\n").unwrap();
    /// assert_eq!((poll.ended[0].seat, &poll.ended[0].scores[..2]), (1, &[140.0, 42.5][..]));
    /// assert!(poll.ended[1].scores.is_empty(), "it was aborted");
    ///
    /// assert_eq!(Poll::parse("1 0\n5f3a\n").unwrap_err().to_string(), "the reply is cut off after 2 lines");
    /// ```
    pub fn parse(body: &str) -> Result<Poll, PollError> {
        let mut reader = Reader { lines: body.lines(), read: 0 };
        let first = reader.next()?;
        let mut counts = first.split_whitespace().map(|count| count.parse::<u64>().ok());
        let (Some(Some(requests)), Some(Some(ended)), None) = (counts.next(), counts.next(), counts.next()) else {
            return Err(PollError::FirstLine(excerpt(first)));
        };
        if let Some(&count) = [requests, ended].iter().find(|&&count| count > MAX_ENTRIES as u64) {
            return Err(PollError::TooMany(count));
        }
        let requests = (0..requests).map(|_| reader.request()).collect::<Result<_, _>>()?;
        let ended = (0..ended).map(|_| reader.end()).collect::<Result<_, _>>()?;
        Ok(Poll { requests, ended })
    }
}

struct Reader<'a> {
    lines: Lines<'a>,
    read: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<&'a str, PollError> {
        let line = self.lines.next().ok_or(PollError::CutOff(self.read))?;
        self.read += 1;
        Ok(line.trim())
    }

    fn id(&self, text: &str) -> Result<MatchId, PollError> {
        text.parse().map_err(|error| PollError::Id { line: self.read, error })
    }

    fn request(&mut self) -> Result<(MatchId, Result<Message, serde_json::Error>), PollError> {
        let line = self.next()?;
        let id = self.id(line)?;
        match Message::parse(self.next()?) {
            Err(error) if error.is_eof() => Err(PollError::CutOff(self.read)),
            message => Ok((id, message)),
        }
    }

    fn end(&mut self) -> Result<MatchEnd, PollError> {
        let line = self.next()?;
        let error = || PollError::End { line: self.read, got: excerpt(line) };
        let mut words = line.split_whitespace();
        let id = self.id(words.next().unwrap_or_default())?;
        let seat = words.next().and_then(|seat| seat.parse().ok()).ok_or_else(error)?;
        let count: usize = words.next().and_then(|count| count.parse().ok()).ok_or_else(error)?;
        let score = |word: &str| word.parse::<f64>().ok().filter(|score| score.is_finite());
        let scores = words.map(score).collect::<Option<Vec<f64>>>().filter(|scores| scores.len() == count).ok_or_else(error)?;
        Ok(MatchEnd { id, seat, scores })
    }
}

impl Message {
    /// Reads a request: a bare one, or a whole envelope, either of them perhaps as the JSON text in a JSON string.
    ///
    /// # Errors
    /// Fails if the text is not JSON.
    ///
    /// ```
    /// use pacman2_botzone::local_ai::Message;
    /// use serde_json::json;
    ///
    /// let bare = Message::parse(r#"{"0":{"action":1}}"#).unwrap();
    /// assert_eq!(bare, Message::Turn(json!({ "0": { "action": 1 } })));
    /// let whole = Message::parse(r#"{"requests":[{"id":0},{"0":{"action":1}}],"responses":[{"action":1}]}"#).unwrap();
    /// let Message::Envelope(envelope) = whole else { panic!("it is the whole match") };
    /// assert_eq!(envelope.requests.len(), 2);
    /// ```
    pub fn parse(text: &str) -> Result<Message, serde_json::Error> {
        let mut value: Value = serde_json::from_str(text)?;
        if let Value::String(inner) = &value {
            value = serde_json::from_str(inner)?;
        }
        let list = |value: &mut Value| match value.take() {
            Value::Array(items) => Some(items),
            _ => None,
        };
        let Some(requests) = value.get_mut("requests").and_then(list) else { return Ok(Message::Turn(value)) };
        // Clients of bots that keep running may wrap a bare request in the same object.
        if let [request] = &requests[..]
            && !is_first_request(request)
        {
            return Ok(Message::Turn(request.clone()));
        }
        let responses = value.get_mut("responses").and_then(list).unwrap_or_default();
        let data = JsonText::stored(&value["data"]);
        Ok(Message::Envelope(Envelope { requests, responses, data }))
    }
}

/// Returns whether a request is the first of a match: it says which player the bot is.
pub(super) fn is_first_request(request: &Value) -> bool {
    request.get("id").is_some()
}
