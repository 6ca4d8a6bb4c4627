//! Finds the exception that ended a program in its standard error, and where it was thrown.

use std::borrow::Cow;

/// An exception that nothing caught.
pub(super) struct Exception<'a> {
    /// Its name and message, in one line.
    pub(super) line: Cow<'a, str>,
    /// The file and the line of the program's own code where it was thrown.
    pub(super) place: Option<(&'a str, u32)>,
    /// All that was written of it.
    pub(super) report: &'a str,
}

impl<'a> Exception<'a> {
    /// Finds the last one.
    pub(super) fn find(stderr: &'a str) -> Option<Exception<'a>> {
        let others = || java(stderr).or_else(|| cpp(stderr)).or_else(|| node(stderr));
        // Node has errors of this name, too.
        python(stderr).or_else(others).or_else(|| python_encoding(stderr))
    }
}

/// Python: after a traceback, the first line that is not indented. A syntax error has no traceback, but a place.
fn python(stderr: &str) -> Option<Exception<'_>> {
    const FILE: &str = "  File \"";
    let start = stderr.rfind("Traceback (most recent call last):").or_else(|| stderr.find(FILE))?;
    let report = &stderr[start..];
    let after = report.rfind(FILE)?;
    let is_error = |line: &&str| !line.is_empty() && !line.starts_with([' ', '\t']);
    let line = report[after..].lines().find(is_error)?.into();
    let mut places = report.lines().filter_map(|line| {
        let (path, rest) = line.strip_prefix(FILE)?.split_once("\", line ")?;
        Some((path, leading_number(rest)?))
    });
    let is_library = |path: &str| path.starts_with('<') || ["/lib/python", "-packages/"].iter().any(|part| path.contains(part));
    let place = places.rfind(|(path, _)| !is_library(path)).map(|(path, number)| (file_name(path), number));
    Some(Exception { line, place, report })
}

/// Python: a source in another encoding, of which it names the place in the message only.
fn python_encoding(stderr: &str) -> Option<Exception<'_>> {
    let line = stderr.lines().rfind(|line| line.starts_with("SyntaxError: "))?;
    Some(Exception { line: line.into(), place: None, report: line })
}

/// Java: the exception that ended the main thread, or its first cause.
fn java(stderr: &str) -> Option<Exception<'_>> {
    const CAUSE: &str = "Caused by: ";
    let report = &stderr[stderr.rfind("Exception in thread \"")?..];
    let (_, thrown) = report.split_once("\" ")?;
    let thrown = thrown.rfind(CAUSE).map_or(thrown, |start| &thrown[start + CAUSE.len()..]);
    // A cause lists its own frames only as far as they differ from those of what it caused.
    let frames = thrown.lines().skip(1).chain(report.lines()).filter_map(|line| line.trim_start().strip_prefix("at "));
    let is_library = |frame: &str| ["java.", "javax.", "jdk.", "sun."].iter().any(|package| frame.starts_with(package));
    let place = frames.filter(|frame| !is_library(frame)).find_map(|frame| {
        let (file, number) = frame.split_once('(')?.1.split_once(':')?;
        Some((file, leading_number(number)?))
    });
    Some(Exception { line: thrown.lines().next()?.into(), place, report })
}

/// C++: what the runtime says when it gives up.
fn cpp(stderr: &str) -> Option<Exception<'_>> {
    if let Some((start, kind)) = stderr.rmatch_indices("uncaught exception of type ").next() {
        let line = stderr[start + kind.len()..].lines().next()?.into();
        return Some(Exception { line, place: None, report: &stderr[start..] });
    }
    let report = &stderr[stderr.rfind("terminate called")?..];
    let mut lines = report.lines();
    let first = lines.next()?;
    let kind = first.strip_prefix("terminate called after throwing an instance of ").map(|kind| kind.trim_matches('\''));
    let what = lines.next().and_then(|line| line.trim_start().strip_prefix("what():"));
    let line = kind.zip(what).map_or(first.into(), |(kind, what)| format!("{kind}: {}", what.trim()).into());
    Some(Exception { line, place: None, report })
}

/// Node: a line with a mark below the source, then the error, then the stack.
fn node(stderr: &str) -> Option<Exception<'_>> {
    let is_of_node = ["\n    at ", "\nNode.js v", "(Use `node"].iter().any(|sign| stderr.contains(sign));
    let is_mark = |line: &str| line.contains('^') && line.trim().bytes().all(|byte| byte == b'^');
    let lines: Vec<&str> = stderr.lines().collect();
    let mark = lines.iter().rposition(|line| is_mark(line)).filter(|_| is_of_node)?;
    let error = mark + 1 + lines[mark + 1..].iter().position(|line| !line.trim().is_empty())?;
    // Above the mark stand the source and its place. A frame of the stack ends with line and column.
    let above = lines[..mark].iter().rev().nth(1).copied();
    let frames = lines[error..].iter().filter(|line| line.starts_with("    at ")).filter_map(|frame| {
        let place = frame.rsplit(['(', ' ']).next()?.trim_end_matches(')');
        place.rsplit_once(':').map(|(place, _)| place)
    });
    let is_own = |place: &str| place.contains('/') && !place.starts_with("node:") && !place.contains("node_modules");
    let place = frames.chain(above).filter(|place| is_own(place)).find_map(|place| {
        let (path, number) = place.rsplit_once(':')?;
        Some((file_name(path), number.parse().ok()?))
    });
    Some(Exception { line: lines[error].into(), place, report: stderr })
}

fn leading_number(text: &str) -> Option<u32> {
    text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())].parse().ok()
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stderr: &str, line: &str, place: Option<(&str, u32)>) {
        let exception = Exception::find(stderr).expect("there is an exception");
        assert_eq!((exception.line.as_ref(), exception.place), (line, place));
    }

    #[test]
    fn the_place_is_in_the_program_and_not_in_a_library() {
        let stderr = "Traceback (most recent call last):\n  File \"/home/me/bot.py\", line 3, in <module>\n    json.loads(\"\")\n  \
            File \"/usr/lib/python3.11/json/decoder.py\", line 355, in raw_decode\n    raise JSONDecodeError(\njson.decoder.JSONDecodeError: Expecting value\n";
        check(stderr, "json.decoder.JSONDecodeError: Expecting value", Some(("bot.py", 3)));
        let stderr = "/bots/bot.js:9\n  throw e;\n  ^\n\nError: no\n    at read (node:fs:1:2)\n    at new Bot (file:///bots/util.mjs:4:7)\n\nNode.js v20.1.0\n";
        check(stderr, "Error: no", Some(("util.mjs", 4)));
        let stderr = "Exception in thread \"main\" java.lang.ExceptionInInitializerError\n\tat Bot.main(Bot.java:2)\n\
            Caused by: java.util.NoSuchElementException\n\tat java.base/java.util.Scanner.next(Scanner.java:1)\n\tat Maze.<clinit>(Maze.java:8)\n\t... 1 more\n";
        check(stderr, "java.util.NoSuchElementException", Some(("Maze.java", 8)));
    }

    #[test]
    fn python_that_is_in_another_encoding() {
        let line = "SyntaxError: Non-UTF-8 code starting with '\\xca' in file bot.py on line 1, but no encoding declared";
        check(&format!("{line}\n"), line, None);
    }

    #[test]
    fn the_last_exception_counts() {
        let stderr = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 1\n\nDuring handling of the above exception, \
            another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nValueError: two\nlines\n";
        check(stderr, "ValueError: two", Some(("a.py", 3)));
    }

    #[test]
    fn what_the_runtime_of_cpp_says() {
        check("terminate called without an active exception\n", "terminate called without an active exception", None);
        check("libc++abi: terminating due to uncaught exception of type int\n", "int", None);
    }

    #[test]
    fn other_text_is_no_exception() {
        for stderr in ["", "thinking about KeyError: 1\n", "bot.cpp:1:2: error\n  x\n  ^\nno\n", "Error: no bread\n"] {
            assert!(Exception::find(stderr).is_none(), "{stderr}");
        }
    }
}
