//! Commands of the user, such as an engine of their own. They run with all the user's rights.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pacman2_bot_source::executables::find_in_path;
use pacman2_console::error::bad_input;
use pacman2_console::text::sanitize;
use pacman2_runner::{Exit, Limits, Outcome, Program, Question, RunResult};

/// How many characters of unexpected output are quoted.
const MAX_CHARS: usize = 200;
const MEGABYTE: u64 = 1024 * 1024;

/// A command that gets its whole input at once.
pub(crate) struct OwnCommand {
    /// The option and its value, as messages begin.
    pub(crate) name: String,
    program: Program,
    time: Duration,
}

impl OwnCommand {
    /// Reads the value of an option. A run may take this time and print this many megabytes.
    pub(crate) fn new(option: &str, text: &str, time: Duration, megabytes: u64) -> anyhow::Result<OwnCommand> {
        let name = format!("{option} \"{text}\"");
        let words = shlex::split(text).filter(|words| !words.is_empty());
        let words =
            words.ok_or_else(|| bad_input(format!("{name}: not a command line: it is empty or misses a quotation mark")))?;
        let program = Path::new(&words[0]);
        let is_there =
            if program.components().count() > 1 { program.is_file() } else { find_in_path(program.as_ref()).is_some() };
        if !is_there {
            return Err(bad_input(format!("{name}: no program \"{}\" found", words[0])));
        }
        let limits = Limits { wall: Some(time), output_bytes: Some(megabytes * MEGABYTE), ..Limits::NONE };
        let mut program = Program::new(words.into_iter().map(OsString::from).collect(), limits);
        program.stdin_ends = true;
        Ok(OwnCommand { name, program, time })
    }

    /// Runs it to its end. Returns `None` if `stop` was set.
    pub(crate) fn run(&mut self, input: &str, stop: &AtomicBool) -> Option<RunResult> {
        let run = self.program.ask(Question::once(input), stop);
        (run.outcome != Outcome::Stopped).then_some(run)
    }

    /// Returns what is wrong with a run that failed or was ended; `None` if it ended on its own.
    pub(crate) fn complaint(&self, run: &RunResult) -> Option<String> {
        Some(match (&run.outcome, &run.exit) {
            (Outcome::Answered, _) => return None,
            (Outcome::NotStarted(error), _) => error.to_string(),
            (Outcome::TimeOut(_), _) => format!("it did not end within {} s", self.time.as_secs_f64()),
            (Outcome::OutputOut, _) => {
                let megabytes = self.program.limits.output_bytes.unwrap_or_default() / MEGABYTE;
                format!("it printed more than {megabytes} MB")
            }
            (_, Some(Exit::Code(code))) => format!("it ended with exit code {code}"),
            (_, Some(Exit::Signal(signal))) => format!("signal {signal} ended it"),
            (_, None) => "it was ended".to_owned(),
        })
    }
}

/// Returns the beginning of the output on one line, in quotation marks.
pub(crate) fn excerpt(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return "nothing".to_owned();
    }
    let line = sanitize(&lines.join(" / ").replace('\t', " "));
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("\"{} …\"", &line[..end]),
        None => format!("\"{line}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excerpt_is_the_beginning_on_one_line() {
        assert_eq!(excerpt("one\n\n  two\u{1b}[31m\n"), "\"one / two\u{fffd}[31m\"");
        assert_eq!(excerpt(&"é".repeat(1000)), format!("\"{} …\"", "é".repeat(MAX_CHARS)));
        assert_eq!(excerpt(" \n"), "nothing");
    }
}
