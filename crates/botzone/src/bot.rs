//! A bot's side: JSON interaction, keep running, and simplified interaction.
//!
//! ```no_run
//! use pacman2_botzone::bot::{self, Reply};
//!
//! // A bot that walks whenever it can.
//! bot::run(std::io::stdin().lock(), std::io::stdout(), bot::Wishes::default(), |seen| {
//!     let orders = seen.game.state().legal_orders(seen.game.arena(), seen.seat);
//!     Reply::order(orders[orders.len().min(2) - 1])
//! })
//! .unwrap();
//! ```

use std::fmt;
use std::io::{self, BufRead, Write};

use pacman2_rules::{Action, BySeat, Game, Ruleset, Seat};
use serde_json::{Value, json};

use crate::{KEEP_RUNNING, action, init_data};

/// What a bot sees when it has to decide.
pub struct BotView<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// The seed in the init data, 0 where there is none.
    pub seed: i32,
    /// Its own seat.
    pub seat: Seat,
    /// What it stored last turn.
    pub data: &'a str,
    /// What it stored in an earlier match.
    pub globaldata: &'a str,
}

/// What a bot decides.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BotReply {
    /// What its figure shall do.
    pub action: Action,
    /// What its figure shall shout; at most 40 bytes are kept.
    pub taunt: String,
    /// For the match log.
    pub debug: Option<Value>,
    /// To be told next turn.
    pub data: String,
    /// To be told in later matches; `None` leaves it as it was.
    pub globaldata: Option<String>,
}

impl BotReply {
    /// A reply that is nothing but an order.
    pub fn action(action: Action) -> BotReply {
        BotReply { action, ..BotReply::default() }
    }

    fn response(&self) -> Value {
        json!({ "action": action::to_number(self.action), "tauntText": self.taunt })
    }
}

/// How a bot wants to be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunOptions {
    /// It asks to be kept running after its first answer; else it is started afresh for every turn.
    pub keep_running: bool,
    /// The rules that the input does not give: the forfeit ruling always (Botzone's judge follows
    /// [`Judge`](pacman2_rules::ForfeitRuling::Judge)), and settings that are missing in init data.
    pub ruleset: Ruleset,
}

/// Why a bot cannot go on.
#[derive(Debug)]
pub enum BotError {
    /// The pipe to the judge broke.
    Io(io::Error),
    /// The judge said something that is not the protocol.
    Input(String),
}

impl fmt::Display for BotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BotError::Io(error) => error.fmt(f),
            BotError::Input(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for BotError {}

impl From<io::Error> for BotError {
    fn from(error: io::Error) -> BotError {
        BotError::Io(error)
    }
}

/// Speaks Botzone's protocol for a bot that decides with `decide`: one turn, or, kept running, until input ends.
///
/// The first line tells which interaction it is: a JSON object, or the number of the turn of simplified interaction.
pub fn run(
    mut input: impl BufRead,
    mut output: impl Write,
    wishes: RunOptions,
    mut decide: impl FnMut(&BotView) -> BotReply,
) -> Result<(), BotError> {
    let line =
        read_line(&mut input)?.ok_or_else(|| BotError::Input("no input; a request in one line of JSON is wanted".into()))?;
    if let Ok(turn) = line.trim().parse() {
        let bot = read_simplified(&mut input, turn, wishes)?;
        let reply = bot.decide(&mut decide);
        let debug = reply.debug.as_ref().map_or_else(String::new, one_line);
        let globaldata = reply.globaldata.as_ref().unwrap_or(&bot.globaldata);
        for line in [&reply.response().to_string(), &debug, &reply.data, globaldata] {
            writeln!(output, "{}", line.replace(['\r', '\n'], " "))?;
        }
        return Ok(output.flush()?);
    }
    let mut bot = Client::from_json(&parse(&line)?, wishes)?;
    loop {
        let reply = bot.decide(&mut decide);
        let mut answer = json!({ "response": reply.response(), "data": reply.data });
        if let Some(globaldata) = &reply.globaldata {
            answer["globaldata"] = globaldata.as_str().into();
        }
        if let Some(debug) = &reply.debug {
            answer["debug"] = debug.clone();
        }
        writeln!(output, "{answer}")?;
        if !wishes.keep_running {
            return Ok(output.flush()?);
        }
        writeln!(output, "{KEEP_RUNNING}")?;
        output.flush()?;
        bot.data = reply.data;
        match read_line(&mut input)? {
            Some(line) => bot.hear(&parse(&line)?)?,
            None => return Ok(()),
        }
    }
}

/// The next line that is not empty.
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
    serde_json::from_str(line).map_err(|error| BotError::Input(format!("the request is not JSON: {error}")))
}

fn one_line(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn read_simplified(input: &mut impl BufRead, turn: usize, wishes: RunOptions) -> Result<Client, BotError> {
    // Request, response, …, request: every second line is a request.
    let mut bot: Option<Client> = None;
    for number in 0..turn.saturating_mul(2).saturating_sub(1) {
        let line = read_line(input)?.ok_or_else(|| BotError::Input(format!("the input ends after {number} lines of history")))?;
        match &mut bot {
            None => bot = Some(Client::new(&parse(&line)?, wishes)?),
            Some(bot) if number % 2 == 0 => bot.hear(&parse(&line)?)?,
            Some(_) => {}
        }
    }
    let mut bot = bot.ok_or_else(|| BotError::Input("turn 0 of simplified interaction; turns count from 1".into()))?;
    for data in [&mut bot.data, &mut bot.globaldata] {
        input.read_line(data)?;
        data.truncate(data.trim_end_matches(['\r', '\n']).len());
    }
    Ok(bot)
}

/// What a bot remembers.
struct Client {
    game: Game,
    seed: i32,
    seat: Seat,
    data: String,
    globaldata: String,
}

impl Client {
    fn new(first_request: &Value, wishes: RunOptions) -> Result<Client, BotError> {
        let (map, _) = init_data::read(first_request, 0, wishes.ruleset)
            .map_err(|refusal| BotError::Input(format!("the first request is no init data: {refusal}")))?;
        let seat = first_request["id"].as_u64().and_then(|id| Seat::new(id as usize));
        let seat = seat.ok_or_else(|| BotError::Input("the first request has no id from 0 to 3".into()))?;
        let game = Game::new(map.maze, map.start);
        Ok(Client { game, seed: map.seed, seat, data: String::new(), globaldata: String::new() })
    }

    fn from_json(input: &Value, wishes: RunOptions) -> Result<Client, BotError> {
        let no_requests = || BotError::Input("the input has no list of requests".into());
        let requests = input["requests"].as_array().ok_or_else(no_requests)?;
        let (first, later) = requests.split_first().ok_or_else(no_requests)?;
        let mut bot = Client::new(first, wishes)?;
        for request in later {
            bot.hear(request)?;
        }
        bot.data = input["data"].as_str().unwrap_or_default().to_owned();
        bot.globaldata = input["globaldata"].as_str().unwrap_or_default().to_owned();
        Ok(bot)
    }

    /// Takes in what happened in a turn: a bare request, or an object with it as the last of its `requests`.
    fn hear(&mut self, request: &Value) -> Result<(), BotError> {
        let request = request["requests"].as_array().and_then(|requests| requests.last()).unwrap_or(request);
        if Seat::ALL.into_iter().all(|seat| request[seat.to_string()].is_null()) {
            return Err(BotError::Input("a request tells nobody's action; those of the last turn are wanted".into()));
        }
        let actions = BySeat::from_fn(|seat| {
            action::integer(&request[seat.to_string()]["action"]).map_or(Action::Invalid, action::from_number)
        });
        match self.game.play(&actions) {
            Some(_) => Ok(()),
            None => Err(BotError::Input("a request came after the end of the game".into())),
        }
    }

    fn decide(&self, decide: &mut impl FnMut(&BotView) -> BotReply) -> BotReply {
        decide(&BotView { game: &self.game, seed: self.seed, seat: self.seat, data: &self.data, globaldata: &self.globaldata })
    }
}
