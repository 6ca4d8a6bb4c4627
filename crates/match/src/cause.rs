//! What is behind a faulty answer, where its output, its standard error or its file shows it.

use std::fmt;
use std::io::Read;
use std::path::Path;

use pacman2_botzone::problem::Problem;
use pacman2_botzone::response::Verdict;
use pacman2_runner::{Exit, Outcome, RunResult, open_input_file};
use serde_json::Value;

/// A known cause of a fault. Each was seen in what the bot wrote, or in its file.
///
/// ```
/// use pacman2_match::cause::Cause;
///
/// assert_eq!(Cause::Nul.to_string(), "its output has NUL bytes; write only the text of the answer, in UTF-8");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The output begins with a byte order mark.
    ByteOrderMark,
    /// The output begins with another character that does not show.
    Invisible,
    /// The output has NUL bytes.
    Nul,
    /// The output has a number that JSON lacks.
    NotANumber,
    /// A bot that keeps running wrote its answer in several lines.
    Indented,
    /// The answer is a bare response.
    BareResponse,
    /// The response is null.
    NullResponse,
    /// The first line of a script ends with a carriage return.
    CarriageReturn,
    /// Python 3 was given a program in Python 2.
    Python2,
    /// Threads could not be started.
    Threads,
    /// A file could not be written because there is no room.
    NoSpace,
    /// A file could not be written where the bot may only read.
    ReadOnly,
}

impl Cause {
    /// All causes.
    pub const ALL: [Cause; 12] = [
        Cause::ByteOrderMark,
        Cause::Invisible,
        Cause::Nul,
        Cause::NotANumber,
        Cause::Indented,
        Cause::BareResponse,
        Cause::NullResponse,
        Cause::CarriageReturn,
        Cause::Python2,
        Cause::Threads,
        Cause::NoSpace,
        Cause::ReadOnly,
    ];

    /// Returns what was seen.
    #[must_use]
    pub fn evidence(self) -> &'static str {
        match self {
            Cause::ByteOrderMark => "its output begins with a byte order mark",
            Cause::Invisible => "its output begins with a character that does not show, such as a zero-width space or ESC",
            Cause::Nul => "its output has NUL bytes",
            Cause::NotANumber => "its output has NaN or Infinity, which JSON lacks",
            Cause::Indented => "it keeps running, and its answer has line breaks",
            Cause::BareResponse => "its \"action\" is not in a \"response\"",
            Cause::NullResponse => "its \"response\" is null",
            Cause::CarriageReturn => {
                "the first line of its file ends with CR LF, so the system looks for an interpreter with CR in its name"
            }
            Cause::Python2 => "Python 3 runs it, and it is written in Python 2",
            Cause::Threads => "it could not start its threads",
            Cause::NoSpace => "there is no space left for a file that it writes",
            Cause::ReadOnly => "it wrote where it may only read",
        }
    }

    /// Returns what to do.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Cause::ByteOrderMark => "write UTF-8 without one",
            Cause::Invisible | Cause::Nul => "write only the text of the answer, in UTF-8",
            Cause::NotANumber => "write null or a number in its place",
            Cause::Indented => "write each answer in one line, without indentation",
            Cause::BareResponse | Cause::NullResponse => "write {\"response\": {\"action\": …}}",
            Cause::CarriageReturn => "save the file with LF as line ends, as \"sed -i 's/\\r$//' FILE\" does",
            Cause::Python2 => "translate it, or give a command line that starts Python 2",
            Cause::Threads => {
                "it has one core, and the stacks of its threads count as memory: start one, for numpy with OPENBLAS_NUM_THREADS=1 and OMP_NUM_THREADS=1 before the import"
            }
            Cause::NoSpace => "/data holds 64 MB in 1,000 files, and /tmp 16 MB",
            Cause::ReadOnly => {
                "it may write in /tmp and, in the sandbox of tier A, in /data if its folder data holds at most 64 MB in 1,000 files"
            }
        }
    }

    /// Returns the cause as a code that pages word.
    #[must_use]
    pub fn problem(self) -> Problem {
        match self {
            Cause::ByteOrderMark => Problem::new("cause-byte-order-mark"),
            Cause::Invisible => Problem::new("cause-invisible"),
            Cause::Nul => Problem::new("cause-nul"),
            Cause::NotANumber => Problem::new("cause-not-a-number"),
            Cause::Indented => Problem::new("cause-indented"),
            Cause::BareResponse => Problem::new("cause-bare-response"),
            Cause::NullResponse => Problem::new("cause-null-response"),
            Cause::CarriageReturn => Problem::new("cause-carriage-return"),
            Cause::Python2 => Problem::new("cause-python-2"),
            Cause::Threads => Problem::new("cause-threads"),
            Cause::NoSpace => Problem::new("cause-no-space"),
            Cause::ReadOnly => Problem::new("cause-read-only"),
        }
    }

    /// Finds the cause of a fault. `program` is what was started, and `was_running` whether it had kept running before.
    pub(crate) fn find(verdict: Verdict, run: &RunResult, program: &Path, was_running: bool) -> Option<Cause> {
        let output = String::from_utf8_lossy(&run.output);
        match verdict {
            Verdict::Nj => of_output(&output, was_running),
            Verdict::Ok => of_answer(&output),
            Verdict::Re if may_lack_interpreter(run) && ends_with_carriage_return(program) => Some(Cause::CarriageReturn),
            Verdict::Re | Verdict::Tle => of_stderr(&String::from_utf8_lossy(&run.stderr)),
            _ => None,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.evidence(), self.advice())
    }
}

/// Returns whether a bot's standard error says that a file or module was missing or must not be used.
///
/// ```
/// use pacman2_match::cause::was_refused_a_file;
///
/// assert!(was_refused_a_file("FileNotFoundError: [Errno 2] No such file or directory: 'net.bin'"));
/// assert!(!was_refused_a_file("ZeroDivisionError: division by zero"));
/// ```
#[must_use]
pub fn was_refused_a_file(stderr: &str) -> bool {
    const REFUSALS: [&str; 12] = [
        "no such file",
        "filenotfound",
        "nosuchfile",
        "enoent",
        "permission denied",
        "permissionerror",
        "eacces",
        "no module named",
        "cannot find module",
        "noclassdeffound",
        "cannot open",
        "can't open",
    ];
    let stderr = stderr.to_lowercase();
    REFUSALS.iter().any(|refusal| stderr.contains(refusal))
}

fn of_output(output: &str, was_running: bool) -> Option<Cause> {
    if output.trim_start().starts_with('\u{feff}') {
        return Some(Cause::ByteOrderMark);
    }
    if output.contains('\0') {
        return Some(Cause::Nul);
    }
    if output.trim_start().starts_with(is_invisible) {
        return Some(Cause::Invisible);
    }
    // Later answers are one line each, so that only the first line of this one was read.
    if was_running && matches!(output.trim(), "{" | "[") {
        return Some(Cause::Indented);
    }
    has_no_number(output).then_some(Cause::NotANumber)
}

/// Returns whether the output would be JSON if it had `null` in place of what is no number.
fn has_no_number(output: &str) -> bool {
    let outside = |(index, text): (usize, &str)| match index % 2 {
        0 => ["-Infinity", "Infinity", "NaN", "-nan", "nan", "-inf", "inf"]
            .iter()
            .fold(text.to_owned(), |text, word| text.replace(word, "null")),
        _ => text.to_owned(),
    };
    // An escaped quotation mark does not end a string.
    let masked = output.replace("\\\\", "").replace("\\\"", "");
    let replaced: Vec<String> = masked.split('"').enumerate().map(outside).collect();
    let replaced = replaced.join("\"");
    masked.trim_start().starts_with('{') && replaced != masked && serde_json::from_str::<serde::de::IgnoredAny>(&replaced).is_ok()
}

/// Returns whether nothing shows in place of a character: control characters, zero-width spaces, and marks of directions.
fn is_invisible(c: char) -> bool {
    c.is_control() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
}

/// Returns why an answer that is JSON has no action.
fn of_answer(output: &str) -> Option<Cause> {
    let object = serde_json::from_str::<Value>(output).ok()?;
    match object.get("response") {
        _ if ["response", "content"].iter().any(|key| !object[key].is_null()) => None,
        _ if object["action"].is_i64() => Some(Cause::BareResponse),
        response => response.map(|_| Cause::NullResponse),
    }
}

fn of_stderr(stderr: &str) -> Option<Cause> {
    const PYTHON_2: [&str; 3] =
        ["Missing parentheses in call to 'print'", "name 'raw_input' is not defined", "name 'xrange' is not defined"];
    const THREADS: [&str; 4] = ["pthread_create", "can't start new thread", "Thread creation failed", "blas_thread_init"];
    const REFUSED_THREAD: [&str; 3] = ["system_error", "fork", "thread"];
    let has = |texts: &[&str]| texts.iter().any(|text| stderr.contains(text));
    let lacks_tasks = stderr.contains("Resource temporarily unavailable") && has(&REFUSED_THREAD);
    match () {
        () if has(&PYTHON_2) => Some(Cause::Python2),
        () if has(&THREADS) || lacks_tasks => Some(Cause::Threads),
        () if has(&["No space left on device", "ENOSPC"]) => Some(Cause::NoSpace),
        () if has(&["Read-only file system", "EROFS"]) || is_data_refused(stderr) => Some(Cause::ReadOnly),
        () => None,
    }
}

/// Returns whether a file of the folder `data` was refused, which Landlock does if it is written in tier B.
fn is_data_refused(stderr: &str) -> bool {
    stderr.lines().any(|line| line.contains("Permission denied") && line.contains("data/"))
}

/// Returns whether the system, or `env`, may not have found an interpreter.
fn may_lack_interpreter(run: &RunResult) -> bool {
    matches!(run.outcome, Outcome::NotStarted(_)) || run.exit == Some(Exit::Code(127))
}

/// Returns whether a file begins with a line that names its interpreter and ends with a carriage return.
fn ends_with_carriage_return(program: &Path) -> bool {
    const LINE_BYTES: u64 = 256;
    let mut start = Vec::new();
    let read = open_input_file(program, u64::MAX).is_ok_and(|file| file.take(LINE_BYTES).read_to_end(&mut start).is_ok());
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    read && line.len() < start.len() && line.starts_with(b"#!") && line.ends_with(b"\r")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_output(output: &str, was_running: bool, expected: Option<Cause>) {
        assert_eq!(of_output(output, was_running), expected, "{output:?}");
    }

    #[test]
    fn output_that_is_no_json_shows_why() {
        check_output("\u{feff}{\"response\":{\"action\":0}}\r\n", false, Some(Cause::ByteOrderMark));
        check_output("{\"response\":{\"action\":0}}\n\0\0", false, Some(Cause::Nul));
        check_output(" \u{200b}{\"response\":{\"action\":0}}", false, Some(Cause::Invisible));
        check_output("\u{1b}[0m{\"response\":{\"action\":0}}", true, Some(Cause::Invisible));
        check_output(r#"{"response": {"action": 0}, "debug": [NaN, -Infinity]}"#, false, Some(Cause::NotANumber));
        check_output(r#"{"debug": -nan, "a \" b": "\\"}"#, false, Some(Cause::NotANumber));
        check_output("{", true, Some(Cause::Indented));
    }

    #[test]
    fn other_output_shows_nothing() {
        for output in
            ["", "nan", "{", "NaN is not a number", r#"{"response": "NaN"} x"#, r#"{"debug": "Infinity", "response": oops}"#]
        {
            check_output(output, false, None);
        }
        check_output("{\"action\": 1", true, None);
    }

    #[test]
    fn a_bare_response_has_an_action_and_nothing_around_it() {
        for (answer, cause) in [
            (r#"{"action": -1}"#, Some(Cause::BareResponse)),
            (r#"{"response": null, "action": 3}"#, Some(Cause::BareResponse)),
            (r#"{"response": null, "debug": "x"}"#, Some(Cause::NullResponse)),
            (r#"{"response": null, "content": {}}"#, None),
            (r#"{"response": {}, "action": 3}"#, None),
            (r#"{"action": "up"}"#, None),
            ("3", None),
        ] {
            assert_eq!(of_answer(answer), cause, "{answer}");
        }
    }

    #[test]
    fn standard_error_shows_why() {
        for (stderr, cause) in [
            ("SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?", Cause::Python2),
            ("NameError: name 'raw_input' is not defined", Cause::Python2),
            (
                "OpenBLAS blas_thread_init: pthread_create failed for thread 3 of 64: Resource temporarily unavailable",
                Cause::Threads,
            ),
            ("RuntimeError: can't start new thread", Cause::Threads),
            (
                "terminate called after throwing an instance of 'std::system_error'\n  what():  Resource temporarily unavailable",
                Cause::Threads,
            ),
            ("OSError: [Errno 28] No space left on device", Cause::NoSpace),
            ("OSError: [Errno 30] Read-only file system: 'data/x'", Cause::ReadOnly),
            ("PermissionError: [Errno 13] Permission denied: 'data/x'", Cause::ReadOnly),
        ] {
            assert_eq!(of_stderr(stderr), Some(cause), "{stderr}");
        }
        assert_eq!(of_stderr("BlockingIOError: [Errno 11] Resource temporarily unavailable"), None);
    }
}
