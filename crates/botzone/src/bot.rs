//! A library for bots in Rust. It speaks Botzone's protocol, keeps track of the position, and calls your function once
//! per turn.
//!
//! A complete bot, which moves to a small fruit next to it:
//!
//! ```no_run
//! use pacman2_botzone::bot::{self, BotReply, RunOptions};
//! use pacman2_rules::Action;
//!
//! fn main() -> Result<(), bot::BotError> {
//!     let options = RunOptions { keep_running: true, ..RunOptions::default() };
//!     bot::run(std::io::stdin().lock(), std::io::stdout(), options, |view| {
//!         let (maze, state) = (view.game.maze(), view.game.state());
//!         let mut actions = state.legal_actions(maze, view.seat).iter().copied();
//!         let to_fruit = |action: &Action| match action {
//!             Action::Move(direction) => state.small_fruits.contains(maze.neighbour(state.cells[view.seat], *direction)),
//!             _ => false,
//!         };
//!         BotReply::action(actions.find(to_fruit).unwrap_or(Action::Stay))
//!     })
//! }
//! ```
//!
//! The bot needs no code for JSON: [`run`] understands Botzone's JSON interaction, bots that keep running, and the
//! simplified interaction.

use std::io::{self, BufRead, Write};

use pacman2_maps::MapError;
use pacman2_rules::{Action, BySeat, Game, Ruleset, Seat};
use serde_json::{Value, json};

use crate::session::seat_of;
use crate::{JsonText, KEEP_RUNNING, action, init_data};

/// What a bot sees when it has to decide.
pub struct BotView<'a> {
    /// The game so far, with the maze and the position.
    pub game: &'a Game,
    /// The seed in the init data, 0 if it has none.
    pub seed: i32,
    /// The bot's own seat.
    pub seat: Seat,
    /// What the bot stored in its last turn; the text of JSON that is no string.
    pub data: &'a str,
    /// What the bot stored in an earlier match, likewise.
    pub globaldata: &'a str,
}

/// What a bot decides.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BotReply {
    /// The action of this turn.
    pub action: Action,
    /// A text that the viewer shows beside the player. Botzone keeps at most 40 bytes of it.
    pub taunt: String,
    /// Any JSON for the match log and the replay.
    pub debug: Option<Value>,
    /// The text to receive as [`BotView::data`] in the next turn.
    pub data: String,
    /// The text to receive as [`BotView::globaldata`] in later matches; `None` leaves the old one in place.
    pub globaldata: Option<String>,
}

impl BotReply {
    /// Returns a reply that has nothing but an action.
    ///
    /// ```
    /// use pacman2_botzone::bot::BotReply;
    /// use pacman2_rules::{Action, Direction};
    ///
    /// let reply = BotReply { taunt: "mine!".to_owned(), ..BotReply::action(Action::Move(Direction::Up)) };
    /// assert_eq!(reply.data, "");
    /// ```
    #[must_use]
    pub fn action(action: Action) -> BotReply {
        BotReply { action, ..BotReply::default() }
    }

    fn response(&self) -> Value {
        json!({ "action": action::to_number(self.action), "tauntText": self.taunt })
    }
}

/// How to run a bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunOptions {
    /// Whether the bot asks to keep running after its first answer. A bot that does not is started afresh for every turn.
    pub keep_running: bool,
    /// The rules that the input does not give: always the forfeit ruling, and settings that are missing in the init data.
    /// Botzone's judge follows [`Judge`](pacman2_rules::ForfeitRuling::Judge).
    pub ruleset: Ruleset,
}

/// Why a bot cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// The pipe to the judge broke.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The input is empty.
    #[error("no input; expected a request in one line of JSON")]
    NoInput,
    /// A request is not JSON.
    #[error("the request is not JSON: {0}")]
    NotJson(serde_json::Error),
    /// The first line is JSON, but has no list of requests.
    #[error("expected an object with a non-empty list of requests")]
    NoRequests,
    /// The first request is not a map that can be played.
    #[error("the init data of the first request cannot be played: {0}")]
    InitData(MapError),
    /// The first request does not name the bot's seat.
    #[error("the first request has no seat: expected an id from 0 to 3, got {0}")]
    NoSeat(Value),
    /// A later request has no player's action.
    #[error("a request has no actions; expected those of the last turn, by seat")]
    NoActions,
    /// There are more requests than the game has turns.
    #[error("a request came after the end of the game")]
    GameOver,
    /// Simplified interaction began with turn 0.
    #[error("expected a turn of 1 or more in simplified interaction, got 0")]
    TurnZero,
    /// The input ended within the history of simplified interaction.
    #[error("expected {expected} lines of history, got {lines}")]
    ShortHistory {
        /// Lines that there were.
        lines: usize,
        /// Lines that the number of the turn promised.
        expected: usize,
    },
}

/// Runs a bot that decides with `decide`: for one turn, or, if it keeps running, until the input ends.
///
/// The first line of `input` shows which interaction the judge speaks: a JSON object, or the number of the turn for
/// simplified interaction. Each answer is flushed.
///
/// # Errors
/// Fails if `output` cannot be written, or if `input` cannot be read or does not follow the protocol.
///
/// ```
/// use pacman2_botzone::bot::{self, BotReply, RunOptions};
///
/// let input = r#"{"requests": [{"id": 2, "seed": 42}]}"#;
/// let mut output = Vec::new();
/// bot::run(input.as_bytes(), &mut output, RunOptions::default(), |view| {
///     assert_eq!((view.seat.index(), view.seed), (2, 42));
///     BotReply::default()
/// })?;
/// assert_eq!(output, b"{\"data\":\"\",\"response\":{\"action\":-1,\"tauntText\":\"\"}}\n");
/// # Ok::<(), bot::BotError>(())
/// ```
pub fn run(
    mut input: impl BufRead,
    mut output: impl Write,
    options: RunOptions,
    mut decide: impl FnMut(&BotView) -> BotReply,
) -> Result<(), BotError> {
    let line = read_line(&mut input)?.ok_or(BotError::NoInput)?;
    // Some editors on Windows put a byte order mark before the text of a file.
    let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
    if let Ok(turn) = line.trim().parse() {
        let client = read_simplified(&mut input, turn, options)?;
        let reply = client.decide(&mut decide);
        let debug = reply.debug.as_ref().map_or_else(String::new, text_of);
        let globaldata = reply.globaldata.as_ref().unwrap_or(&client.globaldata);
        for line in [&reply.response().to_string(), &debug, &reply.data, globaldata] {
            writeln!(output, "{}", line.replace(['\r', '\n'], " "))?;
        }
        return Ok(output.flush()?);
    }
    let mut client = Client::from_json(&parse(line)?, options)?;
    loop {
        let reply = client.decide(&mut decide);
        let mut answer = json!({ "response": reply.response(), "data": reply.data });
        if let Some(globaldata) = &reply.globaldata {
            answer["globaldata"] = globaldata.as_str().into();
        }
        if let Some(debug) = &reply.debug {
            answer["debug"] = debug.clone();
        }
        writeln!(output, "{answer}")?;
        if !options.keep_running {
            return Ok(output.flush()?);
        }
        writeln!(output, "{KEEP_RUNNING}")?;
        output.flush()?;
        client.data = reply.data;
        match read_line(&mut input)? {
            Some(line) => client.play_turn(&parse(&line)?)?,
            None => return Ok(()),
        }
    }
}

/// Returns the next line that is not blank, or `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> Result<Option<String>, BotError> {
    let mut line = String::new();
    while line.trim().is_empty() {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(line))
}

fn parse(line: &str) -> Result<Value, BotError> {
    serde_json::from_str(line).map_err(BotError::NotJson)
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn read_simplified(input: &mut impl BufRead, turn: usize, options: RunOptions) -> Result<Client, BotError> {
    // Request, response, …, request: every second line is a request.
    let expected = turn.saturating_mul(2).saturating_sub(1);
    let mut client: Option<Client> = None;
    for lines in 0..expected {
        let line = read_line(input)?.ok_or(BotError::ShortHistory { lines, expected })?;
        match &mut client {
            None => client = Some(Client::new(&parse(&line)?, options)?),
            Some(client) if lines % 2 == 0 => client.play_turn(&parse(&line)?)?,
            Some(_) => {}
        }
    }
    let mut client = client.ok_or(BotError::TurnZero)?;
    for data in [&mut client.data, &mut client.globaldata] {
        input.read_line(data)?;
        data.truncate(data.trim_end_matches(['\r', '\n']).len());
    }
    Ok(client)
}

/// What a bot remembers between its turns.
struct Client {
    game: Game,
    seed: i32,
    seat: Seat,
    data: String,
    globaldata: String,
}

impl Client {
    fn new(first_request: &Value, options: RunOptions) -> Result<Client, BotError> {
        let (map, _) = init_data::read(first_request, 0, options.ruleset).map_err(BotError::InitData)?;
        let seat = seat_of(&first_request["id"]).map_err(BotError::NoSeat)?;
        let game = Game::new(map.maze, map.start);
        Ok(Client { game, seed: map.seed, seat, data: String::new(), globaldata: String::new() })
    }

    fn from_json(input: &Value, options: RunOptions) -> Result<Client, BotError> {
        let requests = input["requests"].as_array().ok_or(BotError::NoRequests)?;
        let (first, later) = requests.split_first().ok_or(BotError::NoRequests)?;
        let mut client = Client::new(first, options)?;
        for request in later {
            client.play_turn(request)?;
        }
        [client.data, client.globaldata] = ["data", "globaldata"].map(|key| JsonText::stored(&input[key]).into_text());
        Ok(client)
    }

    /// Plays the turn that a request reports: a bare request, or an object with it as the last of its `requests`.
    fn play_turn(&mut self, request: &Value) -> Result<(), BotError> {
        let request = request["requests"].as_array().and_then(|requests| requests.last()).unwrap_or(request);
        if Seat::ALL.into_iter().all(|seat| request[seat.to_string()].is_null()) {
            return Err(BotError::NoActions);
        }
        let actions = BySeat::from_fn(|seat| {
            action::integer(&request[seat.to_string()]["action"]).map_or(Action::Invalid, action::from_number)
        });
        self.game.play(&actions).map(drop).ok_or(BotError::GameOver)
    }

    fn decide(&self, decide: &mut impl FnMut(&BotView) -> BotReply) -> BotReply {
        decide(&BotView { game: &self.game, seed: self.seed, seat: self.seat, data: &self.data, globaldata: &self.globaldata })
    }
}
