//! Starting a match: the headers of `runmatch`, and its reply.

use pacman2_rules::{BySeat, Seat};
use serde_json::Value;

use super::{MatchId, MatchIdError, ascii, excerpt};

/// The name of the game on Botzone.
const GAME: &str = "Pacman2";
/// The word for the Local AI among the players.
const ME: &str = "me";

/// A player of a match to start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchPlayer {
    /// The Local AI.
    Me,
    /// A bot on Botzone.
    Bot(MatchId),
}

/// A match to start. The Local AI has exactly one seat.
#[derive(Clone, PartialEq, Debug)]
pub struct NewMatch {
    players: BySeat<MatchPlayer>,
    init_data: Option<Value>,
    time_limit_s: Option<u32>,
}

/// Why a match cannot be asked for, or a reply is not that of a started match.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NewMatchError {
    /// Not exactly one player is the Local AI.
    #[error("expected \"me\" exactly once among the players, got it {0} times")]
    Me(usize),
    /// The reply has no match id.
    #[error("expected the id of the new match, got {0:?}")]
    NoId(String),
}

impl MatchPlayer {
    /// Reads a player: `me`, or the id of a bot.
    ///
    /// # Errors
    /// Fails if the text is no id.
    pub fn parse(text: &str) -> Result<MatchPlayer, MatchIdError> {
        if text == ME { Ok(MatchPlayer::Me) } else { text.parse().map(MatchPlayer::Bot) }
    }
}

impl NewMatch {
    /// Returns a match between these players, on a map of Botzone's choice.
    ///
    /// # Errors
    /// Fails if the Local AI does not have exactly one seat.
    ///
    /// ```
    /// use pacman2_botzone::local_ai::{MatchPlayer, NewMatch};
    /// use pacman2_rules::BySeat;
    ///
    /// let bot = || MatchPlayer::parse("5f3a").unwrap();
    /// let new = NewMatch::new(BySeat([bot(), MatchPlayer::Me, bot(), bot()]))?;
    /// assert!(new.headers().contains(&("X-Player-1".to_owned(), "me".to_owned())));
    /// assert!(NewMatch::new(BySeat([bot(), bot(), bot(), bot()])).is_err());
    /// # Ok::<(), pacman2_botzone::local_ai::NewMatchError>(())
    /// ```
    pub fn new(players: BySeat<MatchPlayer>) -> Result<NewMatch, NewMatchError> {
        let mine = players.0.iter().filter(|player| **player == MatchPlayer::Me).count();
        if mine == 1 { Ok(NewMatch { players, init_data: None, time_limit_s: None }) } else { Err(NewMatchError::Me(mine)) }
    }

    /// Plays it with this init data.
    #[must_use]
    pub fn with_init_data(self, init_data: Option<Value>) -> NewMatch {
        NewMatch { init_data, ..self }
    }

    /// Gives the Local AI this many seconds for a turn.
    #[must_use]
    pub fn with_time_limit(self, seconds: Option<u32>) -> NewMatch {
        NewMatch { time_limit_s: seconds, ..self }
    }

    /// Returns the headers, names and values, of `runmatch`.
    #[must_use]
    pub fn headers(&self) -> Vec<(String, String)> {
        let mut headers = vec![("X-Game".to_owned(), GAME.to_owned())];
        headers.extend(Seat::ALL.into_iter().map(|seat| {
            let player = match &self.players[seat] {
                MatchPlayer::Me => ME.to_owned(),
                MatchPlayer::Bot(id) => id.to_string(),
            };
            (format!("X-Player-{seat}"), player)
        }));
        // Where a game has simplified interaction, Local AI prefers it.
        headers.push(("X-UseSimpleIO".to_owned(), "false".to_owned()));
        headers.extend(self.init_data.as_ref().map(|data| ("X-Initdata".to_owned(), ascii(&data.to_string()))));
        headers.extend(self.time_limit_s.map(|seconds| ("X-Timelimit".to_owned(), seconds.to_string())));
        headers
    }
}

/// Reads the reply to `runmatch`: the match id as it is, or in JSON.
///
/// # Errors
/// Fails if there is no id in it.
///
/// ```
/// use pacman2_botzone::local_ai::parse_new_match;
///
/// for reply in ["5f3a\n", "\"5f3a\"", r#"{"matchid": "5f3a"}"#] {
///     assert_eq!(parse_new_match(reply).unwrap().as_str(), "5f3a");
/// }
/// assert!(parse_new_match("<html>").is_err());
/// ```
pub fn parse_new_match(body: &str) -> Result<MatchId, NewMatchError> {
    let body = body.trim();
    let in_json = || {
        let value: Value = serde_json::from_str(body).ok()?;
        let keys = ["matchid", "matchId", "matchID", "match_id", "match", "id", "_id"];
        let text = value.as_str().or_else(|| keys.iter().find_map(|key| value[*key].as_str()))?;
        text.parse().ok()
    };
    body.parse().ok().or_else(in_json).ok_or_else(|| NewMatchError::NoId(excerpt(body)))
}
