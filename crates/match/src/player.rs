//! Players as the referee knows them: asked once a turn, each gives a response that has used some resources.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_botzone::response::{BotOutput, ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, SessionTurn, first_request, limits};
use pacman2_botzone::{JsonText, KEEP_RUNNING, action, response};
use pacman2_replay::LimitsInfo;
use pacman2_rules::Seat;
use pacman2_runner::{MAX_STDERR_BYTES, Program, Question, RunResult, SandboxError};
use serde_json::{Value, json};

use crate::cause::{Cause, FaultyRun};
use crate::complaint::{Complaint, judge};
use crate::excerpt::TextBudget;
use crate::record::limits_info;

/// Bytes of a bot's responses that it sees again in the rest of a match. Later ones are remembered by their action alone.
pub const HISTORY_BYTES: usize = 384 * 1024;

/// A player of a match.
///
/// ```
/// use pacman2_botzone::response::{ParsedResponse, Verdict};
/// use pacman2_match::complaint::Complaint;
/// use pacman2_match::player::{Player, Request, ResourceUsage, Response};
///
/// /// A player that never answers in time.
/// struct Sleepy;
///
/// impl Player for Sleepy {
///     fn ask(&mut self, _request: &Request<'_>) -> Response {
///         let complaint = Some(Complaint::Other("it fell asleep".to_owned()));
///         Response { complaint, ..Response::new(ParsedResponse::Nothing(Verdict::Tle), ResourceUsage::default()) }
///     }
/// }
/// ```
pub trait Player: Send {
    /// Asks for this turn's response.
    fn ask(&mut self, request: &Request<'_>) -> Response;

    /// Remembers a turn in which this response was given in its place. Players that see the game in each request need not.
    fn recall(&mut self, _request: &Request<'_>, _response: &JsonText) {}

    /// Remembers another response in place of its last one, because the game went on with that. Players that see the game in each
    /// request need not.
    fn overrule(&mut self, _response: &JsonText) {}

    /// Starts afresh with the next request, if it keeps running.
    fn restart(&mut self) {}

    /// Returns whether it answers so fast that a thread of its own would take longer than its answer.
    fn answers_at_once(&self) -> bool {
        false
    }

    /// Returns whether a human answers, who needs no processor.
    fn is_human(&self) -> bool {
        false
    }

    /// Returns what it has stored for later matches.
    fn globaldata(&self) -> JsonText {
        JsonText::default()
    }

    /// Returns what it has stored for its next turn.
    fn data(&self) -> JsonText {
        JsonText::default()
    }

    /// Copies the files that it wrote in its storage to where they are kept. Returns whether there is such a place.
    ///
    /// # Errors
    /// Fails if they cannot be copied.
    fn keep_storage(&mut self) -> Result<bool, SandboxError> {
        Ok(false)
    }

    /// Gives it what it had stored for its next turn before it was started again. Players that store nothing need it not.
    fn restore_data(&mut self, _data: JsonText) {}
}

/// What a player is asked with.
pub struct Request<'a> {
    /// The match so far.
    pub session: &'a Session,
    /// The player's seat.
    pub seat: Seat,
    /// The previous turn, if there was one.
    pub last: Option<&'a SessionTurn>,
    /// Set when the match is abandoned.
    pub stop: &'a AtomicBool,
}

/// A player's response, and what it took.
#[derive(Clone, PartialEq, Debug)]
pub struct Response {
    /// What the referee understands.
    pub parsed: ParsedResponse,
    /// What was wrong, if anything was.
    pub complaint: Option<Complaint>,
    /// What its author should know of it although it counts.
    pub warning: Option<Cause>,
    /// The response as the bot will see it in later turns; `None` if it sees none.
    pub response: Option<JsonText>,
    /// What the bot stored for its next turn, as far as it was kept.
    pub data: JsonText,
    /// What the bot reports for its author, as far as it was kept.
    pub debug: Option<JsonText>,
    /// The bot's standard error, as far as it was kept.
    pub stderr: String,
    /// The bot's standard output, as far as it was kept.
    pub output: String,
    /// The resources that it used.
    pub usage: ResourceUsage,
    /// Why the machine failed to run the bot. Then this is no response, and nothing of it may count.
    pub fault_of_machine: Option<String>,
}

impl Response {
    /// Returns a response that is nothing but this.
    pub fn new(parsed: ParsedResponse, usage: ResourceUsage) -> Response {
        Response {
            parsed,
            complaint: None,
            warning: None,
            response: None,
            data: JsonText::default(),
            debug: None,
            stderr: String::new(),
            output: String::new(),
            usage,
            fault_of_machine: None,
        }
    }

    /// Returns Botzone's verdict of the run.
    pub fn verdict(&self) -> Verdict {
        self.parsed.verdict()
    }

    /// Returns the verdict for people: Botzone calls an illegal action OK.
    pub fn verdict_for_people(&self) -> &'static str {
        match self.verdict() {
            Verdict::Ok if self.complaint.is_some() => "illegal action",
            verdict => verdict.name(),
        }
    }
}

/// The resources that a response used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ResourceUsage {
    /// Wall-clock time, as it counts towards the limit: without `ready_wait`.
    pub wall: Duration,
    /// The time in which a program waited for processors that others used.
    pub ready_wait: Duration,
    /// CPU time, if known.
    pub cpu: Option<Duration>,
    /// The part of `cpu` that was used between the player's turns.
    pub cpu_between_turns: Option<Duration>,
    /// Peak memory in bytes, if known.
    pub memory_bytes: Option<u64>,
    /// Bytes written to standard output.
    pub output_bytes: u64,
}

/// A bot in this process. It is trusted, so its time is measured but not limited.
///
/// ```
/// use pacman2_botzone::bot::{BotReply, BotView};
/// use pacman2_match::player::{InProcess, Player};
/// use pacman2_rules::Action;
///
/// let bot = InProcess::new(|_: &BotView<'_>| BotReply::action(Action::Stay), "memories".to_owned()).at_once();
/// assert!(bot.answers_at_once());
/// assert_eq!(bot.globaldata().into_text(), "memories");
/// ```
pub struct InProcess<F> {
    decide: F,
    globaldata: String,
    answers_at_once: bool,
}

impl<F: FnMut(&BotView) -> BotReply + Send> InProcess<F> {
    /// Returns a bot that decides with `decide` and begins with `globaldata`.
    pub fn new(decide: F, globaldata: String) -> InProcess<F> {
        InProcess { decide, globaldata, answers_at_once: false }
    }

    /// Returns the same bot, known to [answer at once](Player::answers_at_once).
    #[must_use]
    pub fn at_once(self) -> InProcess<F> {
        InProcess { answers_at_once: true, ..self }
    }
}

impl<F: FnMut(&BotView) -> BotReply + Send> Player for InProcess<F> {
    fn ask(&mut self, request: &Request<'_>) -> Response {
        let begin = Instant::now();
        let (game, seed) = (request.session.game(), request.session.map().seed);
        let view = BotView { game, seed, seat: request.seat, data: "", globaldata: &self.globaldata };
        let reply = (self.decide)(&view);
        let wall = begin.elapsed();
        let response = json!({ "action": action::to_number(reply.action), "tauntText": reply.taunt });
        if let Some(globaldata) = reply.globaldata {
            self.globaldata = globaldata;
        }
        let parsed = ParsedResponse::from_response(&response, Verdict::Ok);
        Response {
            debug: reply.debug.map(JsonText::from),
            ..Response::new(parsed, ResourceUsage { wall, ..ResourceUsage::default() })
        }
    }

    fn answers_at_once(&self) -> bool {
        self.answers_at_once
    }

    fn globaldata(&self) -> JsonText {
        Value::from(self.globaldata.as_str()).into()
    }
}

/// A bot that is a program of its own and uses Botzone's JSON.
///
/// ```
/// # #[cfg(unix)] {
/// use std::sync::atomic::AtomicBool;
/// use pacman2_botzone::JsonText;
/// use pacman2_botzone::response::Verdict;
/// use pacman2_botzone::session::Session;
/// use pacman2_maps::{Map, MapSize};
/// use pacman2_match::player::{BotProgram, Player, Request};
/// use pacman2_rules::{Ruleset, Seat};
/// use pacman2_runner::{Limits, Program};
///
/// let script = r#"read -r request; echo '{"response":{"action":-1}}'"#;
/// let program = Program::new(vec!["/bin/sh".into(), "-c".into(), script.into()], Limits::default());
/// let mut bot = BotProgram::new(program, JsonText::default());
///
/// let session = Session::new(Map::generate(1, MapSize::default(), Ruleset::default()).unwrap());
/// let stop = AtomicBool::new(false);
/// let response = bot.ask(&Request { session: &session, seat: Seat::S0, last: None, stop: &stop });
/// assert_eq!((response.verdict(), response.complaint), (Verdict::Ok, None));
/// # }
/// ```
pub struct BotProgram {
    program: Program,
    /// The requests so far, as the inside of a JSON list.
    requests: String,
    /// Its own responses so far, likewise.
    responses: String,
    /// Where the last of them begins.
    last_response: usize,
    data: JsonText,
    globaldata: JsonText,
    /// Whether one of them was cut.
    stored_was_cut: bool,
    kept: KeptTexts,
}

/// The room that is left for the texts of a bot that are only for people, of which a match keeps a part.
struct KeptTexts {
    stderr: TextBudget,
    output: TextBudget,
    debug: TextBudget,
    data: TextBudget,
}

impl KeptTexts {
    /// With [`HISTORY_BYTES`], four bots leave less than 4 MB in the replay of a hundred turns.
    const NEW: KeptTexts = KeptTexts {
        stderr: TextBudget::new(96 * 1024, 512),
        output: TextBudget::new(48 * 1024, 128),
        debug: TextBudget::new(112 * 1024, 128),
        data: TextBudget::new(192 * 1024, 128),
    };

    fn keep_stderr(&mut self, run: &RunResult) -> String {
        let left_out = run.stderr_bytes - run.stderr.len() as u64;
        if left_out == 0 {
            return self.stderr.keep(text_of(&run.stderr));
        }
        let (start, end) = run.stderr.split_at(MAX_STDERR_BYTES / 2);
        self.stderr.keep_ends(&text_of(start), &text_of(end), left_out)
    }
}

impl BotProgram {
    /// Returns a bot that runs as `program` and begins with `globaldata`. The program may keep running as on Botzone.
    pub fn new(mut program: Program, globaldata: JsonText) -> BotProgram {
        program.keep_running = Some(KEEP_RUNNING.to_owned());
        let [requests, responses] = [const { String::new() }; 2];
        let (data, stored_was_cut) = (JsonText::default(), false);
        BotProgram { program, requests, responses, last_response: 0, data, globaldata, stored_was_cut, kept: KeptTexts::NEW }
    }

    /// Returns whether it asked to keep running, and waits for its next turn.
    pub fn keeps_running(&self) -> bool {
        self.program.keeps_running()
    }

    /// Returns whether its input had to be closed before it ended.
    pub fn waited_for_end_of_input(&self) -> bool {
        self.program.stdin_ends
    }
}

impl Player for BotProgram {
    fn ask(&mut self, request: &Request<'_>) -> Response {
        let running = self.add_request(request);
        let was_running = self.program.keeps_running();
        // A process that keeps running does not get the history again.
        let fresh = if was_running { String::new() } else { self.history() };
        let run = self.program.ask(Question { fresh: &fresh, running: &running }, request.stop);
        let (verdict, complaint) = judge(&run, &self.program.limits);
        let usage = ResourceUsage {
            wall: run.wall.saturating_sub(run.ready_wait),
            ready_wait: run.ready_wait,
            cpu: run.cpu,
            cpu_between_turns: run.cpu_between_runs,
            memory_bytes: run.memory_bytes,
            output_bytes: run.output_bytes,
        };
        let mut answer = Response {
            complaint,
            warning: Cause::of_answered(&run),
            fault_of_machine: run.fault_of_machine(),
            stderr: self.kept.keep_stderr(&run),
            output: self.kept.output.keep(text_of(&run.output[..run.output.len().min(response::DEBUG_BYTES)])),
            ..Response::new(ParsedResponse::Nothing(verdict), usage)
        };
        let mut response = JsonText::from(Value::Null);
        if verdict == Verdict::Ok {
            match BotOutput::read(&run.output) {
                Ok(output) => response = self.accept(output, was_running, &mut answer),
                Err(error) => {
                    answer.parsed = ParsedResponse::Nothing(Verdict::Nj);
                    answer.complaint = Some(Complaint::NotJson { reason: error.to_string(), causes: [(&error).into()] });
                }
            }
        }
        answer.complaint = answer.complaint.take().map(|complaint| self.explain(complaint, answer.verdict(), &run, was_running));
        if self.responses.len() + response.as_str().len() > HISTORY_BYTES {
            response = answer.parsed.without_more();
        }
        self.remember(&response);
        answer.response = Some(response);
        answer.data = self.kept.data.keep_json(self.data.clone());
        answer
    }

    /// When the program is next started, its history contains that turn as if the response had been its own.
    fn recall(&mut self, request: &Request<'_>, response: &JsonText) {
        self.add_request(request);
        self.remember(response);
    }

    /// A process that keeps running sees the other response only in its next request.
    fn overrule(&mut self, response: &JsonText) {
        self.responses.truncate(self.last_response);
        self.remember(response);
    }

    fn restart(&mut self) {
        self.program.end();
    }

    fn globaldata(&self) -> JsonText {
        self.globaldata.clone()
    }

    fn data(&self) -> JsonText {
        self.data.clone()
    }

    fn keep_storage(&mut self) -> Result<bool, SandboxError> {
        self.program.keep_storage()
    }

    fn restore_data(&mut self, data: JsonText) {
        self.data = data;
    }
}

impl BotProgram {
    /// Adds this turn's request to the history, and returns it.
    fn add_request(&mut self, request: &Request<'_>) -> String {
        let text = match request.last {
            None => first_request(request.session.map(), request.seat),
            Some(turn) => turn.request(),
        }
        .to_string();
        push(&mut self.requests, &text);
        text
    }

    /// Adds a response to the history.
    fn remember(&mut self, response: &JsonText) {
        self.last_response = self.responses.len();
        push(&mut self.responses, response.as_str());
    }

    /// The input of a process that starts now.
    fn history(&self) -> String {
        let BotProgram { program, requests, responses, data, globaldata, .. } = self;
        let LimitsInfo { time_ms, memory_mb, .. } = limits_info(program.limits);
        let [time, memory] = limits(time_ms, memory_mb);
        format!(
            r#"{{"requests":[{requests}],"responses":[{responses}],"data":{data},"globaldata":{globaldata},"time_limit":{time},"memory_limit":{memory}}}"#
        )
    }

    /// Adds the cause of a complaint, if it can be seen.
    fn explain(&self, complaint: Complaint, verdict: Verdict, run: &RunResult, was_running: bool) -> Complaint {
        let program = self.program.command.first().map(Path::new).unwrap_or(Path::new(""));
        let faulty = FaultyRun { verdict, run, program, was_running, stored_was_cut: self.stored_was_cut };
        match faulty.cause() {
            Some(cause) => Complaint::Explained { complaint: Box::new(complaint), cause },
            None => complaint,
        }
    }

    /// Takes over what the bot has answered, and returns the response as the bot will see it in later turns.
    fn accept(&mut self, output: BotOutput, was_running: bool, answer: &mut Response) -> JsonText {
        if matches!(output.parsed, ParsedResponse::Nothing(_)) {
            answer.complaint = Some(Complaint::NoAction);
        }
        // Botzone lets a bot that keeps running store nothing, because it has memory of its own.
        if !was_running {
            self.stored_was_cut = output.cut.is_some();
            answer.warning = output.cut.map(Cause::of_long_data).or(answer.warning.take());
            self.data = output.data;
            if let Some(globaldata) = output.globaldata {
                self.globaldata = globaldata;
            }
        }
        answer.debug = output.debug.map(|debug| self.kept.debug.keep_json(debug));
        answer.parsed = output.parsed;
        output.response
    }
}

fn push(list: &mut String, item: &str) {
    if !list.is_empty() {
        list.push(',');
    }
    list.push_str(item);
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
