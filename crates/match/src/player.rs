//! Players as the referee knows them: asked once a turn, they say something and it has cost something.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_botzone::response::{BotOutput, ParsedResponse, Verdict};
use pacman2_botzone::session::{SessionTurn, first_request};
use pacman2_botzone::{KEEP_RUNNING, action, response};
use pacman2_maps::Map;
use pacman2_rules::{Game, Seat};
use pacman2_runner::{Clock, Exit, Limits, Outcome, Program, Question, RunResult};
use serde_json::{Value, json};

/// Somebody who sits at the table.
pub trait Player: Send {
    /// Asks for this turn's answer.
    fn ask(&mut self, asked: &Request<'_>) -> Response;

    /// Whether it answers at once, so that asking it in a thread of its own would take longer than its answer.
    fn answers_at_once(&self) -> bool {
        false
    }

    /// What it wants to be told in later matches.
    fn globaldata(&self) -> &str {
        ""
    }
}

/// What a player is asked with.
pub struct Request<'a> {
    /// The map the match began with.
    pub map: &'a Map,
    /// The game so far.
    pub game: &'a Game,
    /// The player's seat.
    pub seat: Seat,
    /// The turn before, if there was one.
    pub last: Option<&'a SessionTurn>,
    /// Set when the match is abandoned.
    pub stop: &'a AtomicBool,
}

/// What a player said, and what that cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Response {
    /// What the judge hears.
    pub heard: ParsedResponse,
    /// Botzone's verdict of the run.
    pub verdict: Verdict,
    /// What was wrong, for a person; `None` if nothing was.
    pub complaint: Option<String>,
    /// The response as the bot was told of it in later turns; `None` of who was told of none.
    pub response: Option<Value>,
    /// What the bot stored for its next turn.
    pub data: String,
    /// What the bot says for its author.
    pub debug: Option<Value>,
    /// What the bot wrote to standard error, as far as it was kept.
    pub stderr: String,
    /// What the bot wrote, as far as it was kept.
    pub output: String,
    /// What it cost.
    pub cost: ResourceUsage,
}

/// What an answer cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ResourceUsage {
    /// Time on the clock.
    pub wall: Duration,
    /// CPU time, where it can be told.
    pub cpu: Option<Duration>,
    /// The part of it that was used while others thought.
    pub cpu_between_turns: Option<Duration>,
    /// Peak memory in bytes, where it can be told.
    pub memory_bytes: Option<u64>,
    /// Bytes written to standard output.
    pub output_bytes: u64,
}

/// A bot within this process. It is ours, so its time is measured but not limited.
pub struct InProcess<F> {
    decide: F,
    globaldata: String,
    answers_at_once: bool,
}

impl<F: FnMut(&BotView) -> BotReply + Send> InProcess<F> {
    /// A bot that decides with `decide`.
    pub fn new(decide: F, globaldata: String) -> InProcess<F> {
        InProcess { decide, globaldata, answers_at_once: false }
    }

    /// The same bot, of which it is known that it answers at once.
    pub fn at_once(self) -> InProcess<F> {
        InProcess { answers_at_once: true, ..self }
    }
}

impl<F: FnMut(&BotView) -> BotReply + Send> Player for InProcess<F> {
    fn ask(&mut self, asked: &Request<'_>) -> Response {
        let begin = Instant::now();
        let seen = BotView { game: asked.game, seed: asked.map.seed, seat: asked.seat, data: "", globaldata: &self.globaldata };
        let reply = (self.decide)(&seen);
        let wall = begin.elapsed();
        let response = json!({ "action": action::to_number(reply.action), "tauntText": reply.taunt });
        if let Some(globaldata) = reply.globaldata {
            self.globaldata = globaldata;
        }
        Response {
            heard: ParsedResponse::from_response(&response, Verdict::Ok),
            verdict: Verdict::Ok,
            complaint: None,
            response: None,
            data: String::new(),
            debug: reply.debug,
            stderr: String::new(),
            output: String::new(),
            cost: ResourceUsage { wall, ..ResourceUsage::default() },
        }
    }

    fn answers_at_once(&self) -> bool {
        self.answers_at_once
    }

    fn globaldata(&self) -> &str {
        &self.globaldata
    }
}

/// A bot that is a program of its own and speaks Botzone's JSON.
pub struct BotProgram {
    program: Program,
    /// The requests so far, as the inside of a JSON list.
    requests: String,
    /// Its own responses so far, likewise.
    responses: String,
    data: String,
    globaldata: String,
}

impl BotProgram {
    /// A bot that is run as `program`, and was told `globaldata` to remember.
    pub fn new(mut program: Program, globaldata: String) -> BotProgram {
        program.keep_running = Some(KEEP_RUNNING.to_owned());
        BotProgram { program, requests: String::new(), responses: String::new(), data: String::new(), globaldata }
    }

    /// Remembers a turn in which somebody else answered in its place: when it is next started afresh, it is told of that
    /// turn as if the response had been its own.
    pub fn recall(&mut self, asked: &Request<'_>, response: &Value) {
        self.hear(asked);
        push(&mut self.responses, &response.to_string());
    }

    /// Whether it asked to keep running, and waits for its next turn.
    pub fn keeps_running(&self) -> bool {
        self.program.keeps_running()
    }

    /// Whether its input had to be ended before it ended, too.
    pub fn waited_for_end_of_input(&self) -> bool {
        self.program.stdin_ends
    }
}

impl Player for BotProgram {
    fn ask(&mut self, asked: &Request<'_>) -> Response {
        let request = self.hear(asked);
        let was_running = self.program.keeps_running();
        // Who keeps running is not told the history again.
        let fresh = if was_running { String::new() } else { self.history() };
        let run = self.program.ask(Question { fresh: &fresh, running: &request }, asked.stop);
        let limits = self.program.limits;
        let (verdict, complaint) = judge(&run, &limits);
        let mut said = Response {
            heard: ParsedResponse::Nothing(verdict),
            verdict,
            complaint,
            response: None,
            data: String::new(),
            debug: None,
            stderr: String::from_utf8_lossy(&run.stderr).into_owned(),
            output: excerpt(&run.output),
            cost: ResourceUsage {
                wall: run.wall,
                cpu: run.cpu,
                cpu_between_turns: run.cpu_between_runs,
                memory_bytes: run.memory_bytes,
                output_bytes: run.output_bytes,
            },
        };
        let mut response = Value::Null;
        if verdict == Verdict::Ok {
            match BotOutput::read(&run.output) {
                Ok(answer) => response = self.take(answer, was_running, &mut said),
                Err(not_json) => {
                    said.verdict = Verdict::Nj;
                    said.heard = ParsedResponse::Nothing(Verdict::Nj);
                    said.complaint = Some(not_json.to_string());
                }
            }
        }
        push(&mut self.responses, &response.to_string());
        said.response = Some(response);
        said.data.clone_from(&self.data);
        said
    }

    fn globaldata(&self) -> &str {
        &self.globaldata
    }
}

impl BotProgram {
    /// Takes this turn's request into the history, and returns it.
    fn hear(&mut self, asked: &Request<'_>) -> String {
        let request = match asked.last {
            None => first_request(asked.map, asked.seat),
            Some(turn) => turn.request(),
        }
        .to_string();
        push(&mut self.requests, &request);
        request
    }

    /// All that the bot is told when it is started afresh.
    fn history(&self) -> String {
        format!(
            r#"{{"requests":[{}],"responses":[{}],"data":{},"globaldata":{}}}"#,
            self.requests,
            self.responses,
            Value::from(self.data.as_str()),
            Value::from(self.globaldata.as_str()),
        )
    }

    /// Takes in an answer, and returns the response as the bot will be shown it in later turns.
    fn take(&mut self, answer: BotOutput, was_running: bool, said: &mut Response) -> Value {
        if matches!(answer.parsed, ParsedResponse::Nothing(_)) {
            said.complaint = Some("the answer has no response with a whole number as action".to_owned());
        }
        // Botzone lets a bot that keeps running store nothing, for it can remember by itself.
        if !was_running {
            self.data = answer.data;
            if let Some(globaldata) = answer.globaldata {
                self.globaldata = globaldata;
            }
        }
        said.debug = answer.debug;
        said.heard = answer.parsed;
        // A bot that answers with megabytes shall not have us keep them turn by turn.
        match &said.heard {
            _ if answer.response.to_string().len() <= response::DATA_BYTES => answer.response,
            ParsedResponse::Action { number, .. } => json!({ "action": number }),
            ParsedResponse::Nothing(_) => Value::Null,
        }
    }
}

fn push(list: &mut String, item: &str) {
    if !list.is_empty() {
        list.push(',');
    }
    list.push_str(item);
}

/// The verdict of a run before its answer is read, and what was wrong.
fn judge(run: &RunResult, limits: &Limits) -> (Verdict, Option<String>) {
    let wrong = |verdict, complaint: String| (verdict, Some(complaint));
    let ms = |time: Option<Duration>| time.map_or(0, |time| time.as_millis());
    match &run.outcome {
        Outcome::Answered => (Verdict::Ok, None),
        Outcome::Unasked => wrong(Verdict::Nj, "it wrote more than one answer, or before it was asked".to_owned()),
        Outcome::NotStarted(error) => wrong(Verdict::Re, error.to_string()),
        Outcome::TimeOut(Clock::Wall) => wrong(Verdict::Tle, format!("no answer within {} ms", ms(limits.wall))),
        Outcome::TimeOut(Clock::Cpu) => wrong(Verdict::Tle, format!("more than {} ms of CPU time", ms(limits.cpu))),
        Outcome::MemoryOut => {
            let most = limits.memory_bytes.unwrap_or_default() / (1024 * 1024);
            wrong(Verdict::Mle, format!("more than {most} MB of memory"))
        }
        Outcome::TasksOut => wrong(Verdict::Re, format!("more than {} processes and threads", limits.tasks.unwrap_or_default())),
        Outcome::OutputOut => {
            wrong(Verdict::Ole, format!("more than {} bytes of output", limits.output_bytes.unwrap_or_default()))
        }
        Outcome::Crashed => wrong(Verdict::Re, describe(run.exit)),
        Outcome::Stopped => wrong(Verdict::Tle, "the match was abandoned".to_owned()),
    }
}

fn describe(exit: Option<Exit>) -> String {
    match exit {
        Some(Exit::Code(code)) => format!("it exited with code {code}"),
        Some(Exit::Signal(signal)) => format!("signal {signal} ended it"),
        None => "it ended before it answered".to_owned(),
    }
}

fn excerpt(output: &[u8]) -> String {
    String::from_utf8_lossy(&output[..output.len().min(response::DEBUG_BYTES)]).into_owned()
}
