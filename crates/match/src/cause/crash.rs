//! Causes that show in how a program ended, and in its standard error.

use std::path::Path;

use pacman2_botzone::problem::Problem;
use pacman2_botzone::response::DATA_BYTES;
use pacman2_runner::{Exit, Outcome, RunResult, read_beginning};

use super::Cause;
use super::exception::Exception;

/// What is known of a program that threw an exception.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub(super) was_running: bool,
    pub(super) stored_was_cut: bool,
    /// Whether its output has an answer.
    pub(super) answered: bool,
}

/// Causes by what shows them: a part of a line. `{name}` stands for a text that becomes the cause's parameter.
const SIGNS: &[(&str, &[&str])] = &[
    (
        "cause-python-2",
        &[
            "Missing parentheses in call to 'print'",
            "Missing parentheses in call to 'exec'",
            "multiple exception types must be parenthesized",
            "name 'raw_input' is not defined",
            "name 'xrange' is not defined",
            "name 'unicode' is not defined",
            "object has no attribute 'has_key'",
            "object has no attribute 'iteritems'",
            "No module named 'Queue'",
            "No module named 'cPickle'",
            "No module named 'urllib2'",
        ],
    ),
    ("cause-own-name", &["partially initialized module '{name}'"]),
    ("cause-no-module", &["ModuleNotFoundError: No module named '{name}'", "ImportError: No module named {name}"]),
    ("cause-no-package", &["Error: Cannot find module '{name}'", "Cannot find package '{name}'"]),
    (
        "cause-no-main-class",
        &["Could not find or load main class", "no main manifest attribute", "Main method not found in class"],
    ),
    ("cause-no-class", &["java.lang.NoClassDefFoundError: {name}", "java.lang.ClassNotFoundException: {name}"]),
    ("cause-java-version", &["java.lang.UnsupportedClassVersionError"]),
    ("cause-threads", &["pthread_create", "can't start new thread", "Thread creation failed", "blas_thread_init"]),
    ("cause-no-space", &["No space left on device", "ENOSPC"]),
    ("cause-read-only", &["Read-only file system", "EROFS"]),
    (
        "cause-no-interpreter",
        &[
            "exec: {name}: not found",
            "env: '{name}': No such file",
            "env: ‘{name}’: No such file",
            ": {name}: not found",
            ": {name}: command not found",
        ],
    ),
    (
        "cause-no-file",
        &[
            "No such file or directory: '{name}'",
            "ENOENT: no such file or directory, open '{name}'",
            "java.io.FileNotFoundException: {name} (No such",
            "java.nio.file.NoSuchFileException: {name}",
            "can't open file '{name}'",
            "cannot open {name}: No such file",
            "Unable to access jarfile {name}",
            "{name}: No such file or directory",
        ],
    ),
    (
        "cause-no-network",
        &[
            "urlopen error",
            "Network is unreachable",
            "Name or service not known",
            "name resolution",
            "getaddrinfo",
            "java.net.UnknownHostException",
            "java.net.SocketException",
        ],
    ),
    ("cause-refused-call", &["Function not implemented", "ENOSYS"]),
    ("cause-recursion", &["RecursionError", "Maximum call stack size exceeded", "java.lang.StackOverflowError"]),
    ("cause-out-of-memory", &["MemoryError", "std::bad_alloc", "JavaScript heap out of memory", "java.lang.OutOfMemoryError"]),
    ("cause-end-of-input", &["EOFError: EOF when reading a line", "java.util.NoSuchElementException: No line found"]),
    (
        "cause-simple-input",
        &["invalid literal for int() with base 10: '{\"", "java.util.InputMismatchException", "For input string: \"{\""],
    ),
    ("cause-wiki-field", &["请不要再创建 GameField 对象"]),
    ("cause-assert", &["Assertion `", "Assertion failed: "]),
    (
        "cause-heap",
        &[
            "double free",
            "free(): invalid",
            "malloc(): ",
            "corrupted size",
            "corrupted double-linked",
            "munmap_chunk(): invalid",
            "stack smashing detected",
        ],
    ),
];

/// Returns why a program, or the interpreter of a script, was not started.
pub(super) fn of_start(run: &RunResult, program: &Path) -> Option<Cause> {
    let reason = match &run.outcome {
        Outcome::NotStarted(error) => error.to_string(),
        // `env` did not find it.
        _ if run.exit == Some(Exit::Code(127)) => String::new(),
        _ => return None,
    };
    let line = first_line(program)?;
    let interpreter = line.strip_prefix("#!").map(str::trim);
    match interpreter {
        Some(_) if line.ends_with('\r') => Some(Cause::new("cause-carriage-return")),
        Some(words) if reason.contains("No such file") => {
            Some(Cause::new("cause-no-interpreter").with("name", words.split(' ').next().unwrap_or_default()))
        }
        // A shell takes what the system refuses for a script.
        None if reason.contains("Exec format error") || is_of_another_system(program) => Some(Cause::new("cause-format")),
        _ => None,
    }
}

/// Returns what is behind an exception, if one ended the program.
pub(super) fn of_exception(stderr: &str, state: State) -> Option<Cause> {
    let exception = Exception::find(stderr)?;
    let line = exception.line.as_ref();
    let place = exception.place;
    // In another file, it is a circle of modules.
    let is_own = |cause: &Cause| place.is_some_and(|(file, _)| cause.0.params["name"].as_str() == file.strip_suffix(".py"));
    let is_json = || ["JSON", "json", "Json"].iter().any(|name| exception.report.contains(name));
    let cause = match from_line(line) {
        _ if state.stored_was_cut && is_json() => Cause::new("cause-cut-data").with("limit", DATA_BYTES),
        _ if state.was_running && exception.report.contains("requests") => Cause::new("cause-later-request"),
        Some(cause) if cause.0.code == "cause-end-of-input" && state.answered => Cause::new("cause-no-marker"),
        Some(cause) if cause.0.code == "cause-own-name" && !is_own(&cause) => Cause::new("cause-exception"),
        known => known.unwrap_or_else(|| Cause::new("cause-exception")),
    };
    let place = place.map(|(file, number)| Problem::new("place").with("file", file).with("number", number).to_json());
    Some(place.into_iter().fold(cause.with_line(line), |cause, place| cause.with("place", place)))
}

/// Returns what the standard error of a program shows that threw no exception. Its last words count most.
pub(super) fn of_stderr(stderr: &str) -> Option<Cause> {
    let said = |line: &&str| !line.starts_with("Caused by: ");
    stderr.lines().rev().filter(said).find_map(|line| Some(from_line(line)?.with_line(line)))
}

/// Returns what standard error says of resources that the program did not get.
pub(super) fn of_resources(stderr: &str) -> Option<Cause> {
    of_stderr(stderr).filter(|cause| ["cause-threads", "cause-no-space", "cause-read-only"].contains(&cause.0.code.as_str()))
}

/// Returns what the signal or the code means with which a program ended.
pub(super) fn of_exit(exit: Exit, answered: bool) -> Option<Cause> {
    // A shell ends like this if a signal ended what it ran.
    let signal = match exit {
        Exit::Signal(signal) => signal,
        Exit::Code(code) => code - 128,
    };
    match (signal, exit) {
        (4, _) => Some(Cause::new("cause-illegal-instruction")),
        (6, _) => Some(Cause::new("cause-abort")),
        (8, _) => Some(Cause::new("cause-fpe")),
        (9, _) => Some(Cause::new("cause-killed")),
        (11, _) => Some(Cause::new("cause-segv")),
        (_, Exit::Code(1..)) if answered => Some(Cause::new("cause-exit-after-answer")),
        _ => None,
    }
}

fn from_line(line: &str) -> Option<Cause> {
    const REFUSED_THREAD: [&str; 3] = ["system_error", "fork", "thread"];
    let lacks_tasks = line.contains("Resource temporarily unavailable") && REFUSED_THREAD.iter().any(|word| line.contains(word));
    if lacks_tasks {
        return Some(Cause::new("cause-threads"));
    }
    // The files of the folder `data` and beside the bot are shown to be read.
    let is_beside = || captured("Permission denied: '{name}'", line).is_some_and(|name| !name.starts_with('/'));
    if line.contains("Permission denied") && (line.contains("data/") || is_beside()) {
        return Some(Cause::new("cause-read-only"));
    }
    SIGNS.iter().find_map(|(code, signs)| {
        let name = signs.iter().find_map(|sign| captured(sign, line))?;
        let cause = Cause::new(code);
        Some(match (*code, name) {
            // A module that is given by its path is a file.
            ("cause-no-package", name) if name.starts_with(['.', '/']) => Cause::new("cause-no-file").with("name", name),
            ("cause-no-module", name) => cause.with("name", name.split('.').next().unwrap_or(name)),
            (_, "") => cause,
            (_, name) => cause.with("name", name),
        })
    })
}

/// Returns the text in place of `{name}` in a line that contains the sign; empty if the sign has no `{name}`.
fn captured<'a>(sign: &str, line: &'a str) -> Option<&'a str> {
    let Some((before, after)) = sign.split_once("{name}") else { return line.contains(sign).then_some("") };
    let rest = line.split_once(before)?.1;
    let name = if after.is_empty() { rest } else { rest.split_once(after)?.0 };
    // Of several parts, as in the messages of shells, the last one is the name.
    Some(name.rsplit(": ").next().unwrap_or(name).trim())
}

/// How much of a program shows of what kind it is.
const START_BYTES: u64 = 256;

/// Returns whether a file is a program for Windows or macOS.
fn is_of_another_system(program: &Path) -> bool {
    const MAGICS: [&[u8]; 4] = [b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];
    read_beginning(program, START_BYTES).is_ok_and(|start| MAGICS.iter().any(|magic| start.starts_with(magic)))
}

/// Returns the first line of a file, if it is short.
fn first_line(program: &Path) -> Option<String> {
    let start = read_beginning(program, START_BYTES).ok()?;
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Some(String::from_utf8_lossy(line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_error_shows_why() {
        for (stderr, code, name) in [
            (
                "OpenBLAS blas_thread_init: pthread_create failed for thread 3 of 64: Resource temporarily unavailable",
                "threads",
                "",
            ),
            ("RuntimeError: can't start new thread", "threads", ""),
            ("std::system_error: Resource temporarily unavailable", "threads", ""),
            ("OSError: [Errno 28] No space left on device", "no-space", ""),
            ("OSError: [Errno 30] Read-only file system: 'data/x'", "read-only", ""),
            ("PermissionError: [Errno 13] Permission denied: 'data/x'", "read-only", ""),
            ("PermissionError: [Errno 13] Permission denied: 'learned.txt'", "read-only", ""),
            ("ModuleNotFoundError: No module named 'scipy.signal'", "no-module", "scipy"),
            ("Error: Cannot find module './helper.js'", "no-file", "./helper.js"),
            ("run.sh: line 3: node: command not found", "no-interpreter", "node"),
            ("env: ‘node’: No such file or directory", "no-interpreter", "node"),
            ("Error: Unable to access jarfile bot.jar", "no-file", "bot.jar"),
            ("bot.sh: 1: .: cannot open ./other.sh: No such file", "no-file", "./other.sh"),
            ("bot.sh: line 1: net.bin: No such file or directory", "no-file", "net.bin"),
            ("Error occurred\nEOFError: EOF when reading a line\n", "end-of-input", ""),
        ] {
            let cause = of_stderr(stderr).expect(stderr);
            let named = cause.problem().params.get("name").and_then(serde_json::Value::as_str).unwrap_or_default();
            assert_eq!((cause.problem().code.strip_prefix("cause-"), named), (Some(code), name), "{stderr}");
        }
        for stderr in [
            "BlockingIOError: [Errno 11] Resource temporarily unavailable",
            "PermissionError: 'x'",
            "PermissionError: [Errno 13] Permission denied: '/root/x'",
            "no such luck",
        ] {
            assert_eq!(of_stderr(stderr), None, "{stderr}");
        }
    }

    #[test]
    fn an_exception_is_explained_only_by_its_own_line() {
        let state = State { was_running: false, stored_was_cut: false, answered: false };
        let stderr = "No module named 'torch', so no net\nTraceback (most recent call last):\n  File \"bot.py\", line 9, in <module>\nKeyError: 'x'\n";
        let cause = of_exception(stderr, state).unwrap();
        assert_eq!(
            (cause.problem().code.as_str(), &cause.problem().params["line"]),
            ("cause-exception", &"KeyError: 'x'".into())
        );
    }

    #[test]
    fn shells_report_signals_as_codes() {
        let code = |exit| of_exit(exit, false).map(|cause| cause.problem().code.clone());
        assert_eq!(code(Exit::Code(139)), code(Exit::Signal(11)));
        assert_eq!(code(Exit::Code(1)), None);
    }
}
