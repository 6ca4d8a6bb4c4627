//! What was wrong with an answer, in plain words, and what its author can do about it.

use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_match::player::Response;
use pacman2_rules::Action;
use serde_json::Value;

use super::Mode;

/// What was wrong.
pub(crate) struct Fault {
    pub(crate) what: String,
    /// What can be done; faults with the same hint are one kind.
    pub(crate) hint: &'static str,
}

/// What an answer may look like.
const EXAMPLE: &str = r#"An answer is one object of JSON, such as {"response": {"action": 0}}."#;
const STDOUT: &str = "Nothing but the answer may go to standard output; standard error is free.";
const ONE_ANSWER: &str =
    "One answer a turn; who keeps running waits for the next line before it writes the next one, and has read each line once.";
const WAITS: &str =
    "Does it wait for more input, or not flush? All that it gets is one line: read that, answer, flush the output.";
const WAITS_RUNNING: &str = "It asked to keep running. Each later turn is one more line of input, that turn's request alone; after each answer the output has to be flushed.";
const NO_END: &str = "After its answer it has to exit, or to ask to keep running and flush. A later answer ends with its line.";
const SLOW: &str = "Time counts from before its process starts. Decide by the clock, and keep something in hand.";
const NO_RESPONSE: &str =
    "\"response\" holds an object with \"action\", a whole number: -1 stays, 0 to 3 walk, 4 to 7 shoot; up, right, down, left.";
const WALL: &str = "Bits 1, 2, 4, 8 of \"static\" are walls above, right, below, left of a cell. If it knows them, it may be wrong about where it stands: players who would walk to somebody stronger stay.";
const LIGHT: &str = "It may be wrong about strengths: a boost lends strength for some turns only, each light costs, and fruit is eaten only by who stands on it alone.";
const NUMBER: &str = "-1 stays, 0 to 3 walk and 4 to 7 shoot, each up, right, down, left.";
const CRASH: &str = "What it wrote to standard error is below. If it runs outside of the sandbox only, see docs/SECURITY.md: it sees no files but its own, and no network.";
const TOO_MUCH: &str = "All its processes count together, at their highest; so does what its runtime takes.";

/// What was wrong with what a bot said, if anything was.
pub(crate) fn of(said: &Response, mode: Mode) -> Option<Fault> {
    let complaint = said.complaint.clone()?;
    let is_silent = said.output.trim().is_empty();
    let fault = |what: String, hint| Some(Fault { what, hint });
    match said.verdict {
        Verdict::Tle if complaint.contains("CPU") => fault(complaint, SLOW),
        Verdict::Tle if used_its_time(said) => fault(complaint, SLOW),
        Verdict::Tle if is_silent && mode == Mode::KeptRunning => fault(format!("{complaint}: it wrote nothing"), WAITS_RUNNING),
        Verdict::Tle if is_silent => fault(format!("{complaint}: it wrote nothing"), WAITS),
        Verdict::Tle => fault(format!("{complaint}: what it wrote does not come to its end"), NO_END),
        Verdict::Mle | Verdict::Ole => fault(complaint, TOO_MUCH),
        Verdict::Re => fault(complaint, CRASH),
        Verdict::Nj => Some(of_text(&said.output, complaint)),
        Verdict::Ok => Some(of_action(said, complaint)),
    }
}

/// Whether it computed instead of waiting for something. On a busy machine it gets only a part of the time, but a runtime
/// that does no more than start uses less.
fn used_its_time(said: &Response) -> bool {
    said.cost.cpu.is_some_and(|cpu| cpu > said.cost.wall / 5)
}

/// Of output that is no answer.
fn of_text(output: &str, complaint: String) -> Fault {
    let is_answer = |line: &&str| serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object());
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let answers = lines.iter().filter(|line| is_answer(line)).count();
    let other = lines.iter().find(|line| !is_answer(line));
    match (answers, other) {
        _ if complaint.contains("more than one answer") => Fault { what: complaint, hint: ONE_ANSWER },
        (0, None) => Fault { what: "it ended without an answer".to_owned(), hint: EXAMPLE },
        (2.., _) => Fault { what: format!("it wrote {answers} answers in one turn"), hint: ONE_ANSWER },
        (1, Some(other)) => Fault { what: format!("besides its answer it wrote: {}", excerpt(other)), hint: STDOUT },
        _ => Fault { what: complaint, hint: EXAMPLE },
    }
}

/// Of an answer that was JSON, but asks for nothing that can be done.
fn of_action(said: &Response, complaint: String) -> Fault {
    let what = match &said.heard {
        ParsedResponse::Action { .. } => {
            let hint = match said.heard.action() {
                Action::Move(_) => WALL,
                Action::Shoot(_) => LIGHT,
                _ => NUMBER,
            };
            return Fault { what: complaint, hint };
        }
        ParsedResponse::Nothing(_) => match said.response.as_ref().unwrap_or(&Value::Null) {
            Value::Null => "the answer has no \"response\"".to_owned(),
            response => match response.get("action") {
                None => format!("the response has no \"action\": {}", excerpt(&response.to_string())),
                Some(action) => format!("the action is {}, which is no whole number", excerpt(&action.to_string())),
            },
        },
    };
    Fault { what, hint: NO_RESPONSE }
}

/// As much of a text as fits into a sentence.
pub(crate) fn excerpt(text: &str) -> String {
    const MOST_CHARS: usize = 80;
    let short: String = text.chars().take(MOST_CHARS).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pacman2_match::player::ResourceUsage;
    use serde_json::json;

    use super::*;

    fn said(verdict: Verdict, complaint: &str, output: &str, cpu_ms: u64) -> Response {
        let wall = Duration::from_millis(1000);
        Response {
            heard: ParsedResponse::Nothing(verdict),
            verdict,
            complaint: Some(complaint.to_owned()),
            response: None,
            data: String::new(),
            debug: None,
            stderr: String::new(),
            output: output.to_owned(),
            cost: ResourceUsage { wall, cpu: Some(Duration::from_millis(cpu_ms)), ..ResourceUsage::default() },
        }
    }

    #[track_caller]
    fn check(said: &Response, mode: Mode, what: &str, hint: &str) {
        let fault = of(said, mode).unwrap();
        assert!(fault.what.contains(what), "{}", fault.what);
        assert_eq!(fault.hint, hint);
    }

    #[test]
    fn too_late_is_slow_or_waits_or_has_not_ended() {
        let late = |output, cpu_ms| said(Verdict::Tle, "no answer within 1000 ms", output, cpu_ms);
        check(&late("", 900), Mode::Afresh, "no answer within 1000 ms", SLOW);
        check(&late("", 300), Mode::KeptRunning, "no answer within 1000 ms", SLOW);
        check(&late("", 30), Mode::Afresh, "it wrote nothing", WAITS);
        check(&late("", 30), Mode::KeptRunning, "it wrote nothing", WAITS_RUNNING);
        check(&late("{}", 30), Mode::Afresh, "does not come to its end", NO_END);
    }

    #[test]
    fn text_that_is_no_answer() {
        let text = |output| said(Verdict::Nj, "not JSON: expected value", output, 1);
        check(&text(" \n"), Mode::Afresh, "it ended without an answer", EXAMPLE);
        check(&text("hello\n"), Mode::Afresh, "not JSON", EXAMPLE);
        check(&text("hello\n{}\n"), Mode::Afresh, "besides its answer it wrote: hello", STDOUT);
        check(&text("{}\n{}\n"), Mode::Afresh, "it wrote 2 answers", ONE_ANSWER);
    }

    #[test]
    fn an_action_that_is_none() {
        let answered = |response: Value| Response { response: Some(response), ..said(Verdict::Ok, "no action", "", 1) };
        check(&answered(Value::Null), Mode::Afresh, "the answer has no \"response\"", NO_RESPONSE);
        check(&answered(json!({ "act": 1 })), Mode::Afresh, "the response has no \"action\": {\"act\":1}", NO_RESPONSE);
        check(&answered(json!({ "action": 1.5 })), Mode::Afresh, "the action is 1.5, which is no whole number", NO_RESPONSE);
    }
}
