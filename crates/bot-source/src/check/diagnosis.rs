//! Explains a faulty answer, and what the bot's author can do about it.

use std::borrow::Cow;

use pacman2_botzone::JsonText;
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_console::text::excerpt;
use pacman2_match::cause::was_refused_a_file;
use pacman2_match::complaint::Complaint;
use pacman2_match::player::Response;
use pacman2_rules::Action;
use serde_json::Value;

use super::attempt::Mode;

/// A fault of an answer.
pub(super) struct Diagnosis {
    pub(super) what: String,
    /// What can be done. Faults with the same hint are of one kind.
    pub(super) hint: Cow<'static, str>,
}

/// How much of an answer is quoted.
const EXCERPT_CHARS: usize = 80;

const EXAMPLE: &str = r#"An answer is one JSON object, such as {"response": {"action": 0}}."#;
const STDOUT: &str = "Write nothing but the answer to standard output; use standard error for everything else.";
const ONE_ANSWER: &str =
    "Write one answer per turn; a bot that keeps running has to read the next line before it writes the next answer.";
const WAITS: &str = "Does it wait for more input, or not flush? Its input is one line: read that line, answer, flush the output.";
const WAITS_RUNNING: &str = "It asked to keep running. Each later turn is one more line of input with that turn's request only; flush the output after each answer.";
const NO_END: &str = "After its answer it has to exit, or to ask to keep running and flush. Later answers end with a line break.";
const SLOW: &str = "The time includes the start of its process. Watch the clock, and leave a margin.";
const NO_RESPONSE: &str =
    "\"response\" holds an object with \"action\", an integer: -1 stays, 0 to 3 move, 4 to 7 shoot, each up, right, down, left.";
const WALL: &str = "Bits 1, 2, 4, 8 of \"static\" are walls above, right, below, left of a cell. If it reads them correctly, it may be wrong about its position: a player that would move onto a stronger one stays.";
const LIGHT: &str = "It may be wrong about strengths: a boost adds strength for some turns only, each shot costs strength, and a player eats fruit only if it is alone on the cell.";
const NUMBER: &str = "-1 stays, 0 to 3 move and 4 to 7 shoot, each up, right, down, left.";
const CRASH: &str = "Its standard error is below.";
const REFUSED: &str = "Its standard error is below: a file was missing or refused. If it works outside the sandbox, see docs/SECURITY.md: it can read no files but its own and those in data, and has no network.";
const TOO_MUCH: &str = "The peak of all its processes counts, including its runtime.";

/// Returns the fault of an answer; `None` if it has none.
pub(super) fn of(response: &Response, mode: Mode) -> Option<Diagnosis> {
    let reason = response.complaint.as_ref()?;
    let complaint = reason.to_string();
    let is_silent = response.output.trim().is_empty();
    let fault = |what: String, hint: &'static str| Some(Diagnosis { what, hint: hint.into() });
    if let Complaint::Explained { complaint, cause } = reason {
        return Some(Diagnosis { what: format!("{complaint}: {}", cause.evidence()), hint: sentence(cause.advice()).into() });
    }
    match response.verdict() {
        Verdict::Tle if matches!(reason, Complaint::CpuTime { .. }) => fault(complaint, SLOW),
        Verdict::Tle if used_its_time(response) => fault(complaint, SLOW),
        Verdict::Tle if is_silent && mode == Mode::KeptRunning => fault(format!("{complaint}: it wrote nothing"), WAITS_RUNNING),
        Verdict::Tle if is_silent => fault(format!("{complaint}: it wrote nothing"), WAITS),
        Verdict::Tle => fault(format!("{complaint}: its output does not end"), NO_END),
        Verdict::Mle | Verdict::Ole => fault(complaint, TOO_MUCH),
        Verdict::Re if was_refused_a_file(&response.stderr) => fault(complaint, REFUSED),
        Verdict::Re => fault(complaint, CRASH),
        Verdict::Nj => Some(of_text(&response.output, reason)),
        Verdict::Ok | Verdict::Illegal => Some(of_action(response, complaint)),
    }
}

/// Returns a clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Returns whether it computed and did not only wait. A bot on a busy machine gets a part of the time, but more than a runtime
/// needs to start.
fn used_its_time(response: &Response) -> bool {
    response.usage.cpu.is_some_and(|cpu| cpu > response.usage.wall / 5)
}

/// Returns the fault of output that is not an answer.
fn of_text(output: &str, reason: &Complaint) -> Diagnosis {
    let is_answer = |line: &&str| serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object());
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let answers = lines.iter().filter(|line| is_answer(line)).count();
    let other = lines.iter().find(|line| !is_answer(line));
    match (answers, other) {
        _ if *reason == Complaint::Unasked => Diagnosis { what: reason.to_string(), hint: ONE_ANSWER.into() },
        (0, None) => Diagnosis { what: "it ended without an answer".to_owned(), hint: EXAMPLE.into() },
        (2.., _) => Diagnosis { what: format!("it wrote {answers} answers in one turn"), hint: ONE_ANSWER.into() },
        (1, Some(other)) => {
            Diagnosis { what: format!("besides its answer it wrote: {}", excerpt(other, EXCERPT_CHARS)), hint: STDOUT.into() }
        }
        _ => Diagnosis { what: reason.to_string(), hint: EXAMPLE.into() },
    }
}

/// Returns the fault of an answer in JSON whose action cannot be played.
fn of_action(response: &Response, complaint: String) -> Diagnosis {
    let what = match &response.parsed {
        ParsedResponse::Action { .. } => {
            let hint = match response.parsed.action() {
                Action::Move(_) => WALL,
                Action::Shoot(_) => LIGHT,
                _ => NUMBER,
            };
            return Diagnosis { what: complaint, hint: hint.into() };
        }
        ParsedResponse::Nothing(_) => match response.response.as_ref().map_or(Value::Null, JsonText::to_value) {
            Value::Null => "the answer has no \"response\"".to_owned(),
            value => match value.get("action") {
                None => format!("the response has no \"action\": {}", excerpt(&value.to_string(), EXCERPT_CHARS)),
                Some(action) => format!("expected an integer as \"action\", got {}", excerpt(&action.to_string(), EXCERPT_CHARS)),
            },
        },
    };
    Diagnosis { what, hint: NO_RESPONSE.into() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pacman2_botzone::problem::Problem;
    use pacman2_match::player::ResourceUsage;
    use serde_json::json;

    use super::*;

    fn faulty(verdict: Verdict, complaint: Complaint, output: &str, cpu_ms: u64) -> Response {
        let wall = Duration::from_millis(1000);
        let usage = ResourceUsage { wall, cpu: Some(Duration::from_millis(cpu_ms)), ..ResourceUsage::default() };
        let (complaint, output) = (Some(complaint), output.to_owned());
        Response { complaint, output, ..Response::new(ParsedResponse::Nothing(verdict), usage) }
    }

    #[track_caller]
    fn check(response: &Response, mode: Mode, what: &str, hint: &str) {
        let fault = of(response, mode).unwrap();
        assert!(fault.what.contains(what), "{}", fault.what);
        assert_eq!(fault.hint, hint);
    }

    #[test]
    fn a_time_out_has_one_of_four_reasons() {
        let late = |output, cpu_ms| faulty(Verdict::Tle, Complaint::Late { limit_ms: 1000 }, output, cpu_ms);
        check(&late("", 900), Mode::Afresh, "no answer within 1000 ms", SLOW);
        check(&late("", 300), Mode::KeptRunning, "no answer within 1000 ms", SLOW);
        check(&late("", 30), Mode::Afresh, "it wrote nothing", WAITS);
        check(&late("", 30), Mode::KeptRunning, "it wrote nothing", WAITS_RUNNING);
        check(&late("{}", 30), Mode::Afresh, "its output does not end", NO_END);
    }

    #[test]
    fn output_that_is_not_an_answer() {
        let not_json =
            || Complaint::NotJson { reason: "not JSON: expected value".to_owned(), causes: [Problem::new("answer-empty")] };
        let text = |output| faulty(Verdict::Nj, not_json(), output, 1);
        check(&text(" \n"), Mode::Afresh, "it ended without an answer", EXAMPLE);
        check(&text("hello\n"), Mode::Afresh, "not JSON", EXAMPLE);
        check(&text("hello\n{}\n"), Mode::Afresh, "besides its answer it wrote: hello", STDOUT);
        check(&text("{}\n{}\n"), Mode::Afresh, "it wrote 2 answers", ONE_ANSWER);
    }

    #[test]
    fn answers_without_an_action() {
        let answered =
            |value: Value| Response { response: Some(value.into()), ..faulty(Verdict::Ok, Complaint::NoAction, "", 1) };
        check(&answered(Value::Null), Mode::Afresh, "the answer has no \"response\"", NO_RESPONSE);
        check(&answered(json!({ "act": 1 })), Mode::Afresh, "the response has no \"action\": {\"act\":1}", NO_RESPONSE);
        check(&answered(json!({ "action": 1.5 })), Mode::Afresh, "expected an integer as \"action\", got 1.5", NO_RESPONSE);
    }
}
