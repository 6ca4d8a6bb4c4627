//! What compilers say of the lines of a source, for editors.

use serde_json::{Value, json};

/// How many messages are kept, and how long each may be, in characters.
const MAX: usize = 100;
const MAX_LENGTH: usize = 500;

/// What is said of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The file, as the compiler calls it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if it is known.
    pub column: Option<u32>,
    /// Whether it is no error.
    pub is_warning: bool,
    /// What is said.
    pub message: String,
}

impl Diagnostic {
    fn new((file, line, column): Place<'_>, is_warning: bool, message: &str) -> Diagnostic {
        let message = message.trim().chars().take(MAX_LENGTH).collect();
        Diagnostic { file: file.to_owned(), line, column, is_warning, message }
    }

    /// Returns it as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let Diagnostic { file, line, column, is_warning, message } = self;
        let severity = if *is_warning { "warning" } else { "error" };
        json!({ "file": file, "line": line, "column": column, "severity": severity, "message": message })
    }
}

/// A file, a line and a column.
type Place<'a> = (&'a str, u32, Option<u32>);

/// Finds what is said of lines in the output of GCC, Clang, javac, Go, Free Pascal, Mono and rustc. Notes on other messages are left
/// out.
#[must_use]
pub fn find(output: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    // rustc gives the place after the message.
    let mut before = None;
    for line in output.lines() {
        if let Some(place) = line.trim_start().strip_prefix("--> ") {
            let place = format!("{place}:");
            let said = before.take().zip(before_message(&place));
            found.extend(said.map(|((is_warning, message), (place, _))| Diagnostic::new(place, is_warning, message)));
        } else if !line.starts_with([' ', '\t']) {
            before = worded(line);
            found.extend(from_line(line));
        }
    }
    found.truncate(MAX);
    found
}

fn from_line(line: &str) -> Option<Diagnostic> {
    let (place, rest) = before_message(line).or_else(|| in_brackets(line))?;
    if let Some((is_warning, message)) = worded(rest.trim_start()) {
        return Some(Diagnostic::new(place, is_warning, message));
    }
    // Go has no word for an error. GCC indents what belongs to the message before.
    let is_error = place.2.is_some() && rest.starts_with(' ') && !rest.starts_with("  ") && !rest.starts_with(" note: ");
    is_error.then(|| Diagnostic::new(place, false, rest))
}

/// Splits a message that begins with a word for how bad it is, such as `error: ` or `warning CS0168: `.
fn worded(text: &str) -> Option<(bool, &str)> {
    let (word, message) = text.split_once(": ")?;
    let word = word.strip_prefix("fatal ").unwrap_or(word).split(['[', ' ']).next()?;
    match word.to_ascii_lowercase().as_str() {
        "error" | "fatal" => Some((false, message)),
        "warning" => Some((true, message)),
        _ => None,
    }
}

/// Splits `FILE:LINE:` or `FILE:LINE:COLUMN:` from a line.
fn before_message(line: &str) -> Option<(Place<'_>, &str)> {
    line.match_indices(':').find_map(|(end, _)| {
        let (number, rest) = number_before(&line[end + 1..], ':')?;
        let (column, rest) = number_before(rest, ':').map_or((None, rest), |(column, rest)| (Some(column), rest));
        Some(((&line[..end], number, column), rest))
    })
}

/// Splits `FILE(LINE,COLUMN)` from a line.
fn in_brackets(line: &str) -> Option<(Place<'_>, &str)> {
    line.match_indices('(').find_map(|(end, _)| {
        let (number, rest) = number_before(&line[end + 1..], ',')?;
        let (column, rest) = number_before(rest, ')')?;
        Some(((&line[..end], number, Some(column)), rest.strip_prefix(':').unwrap_or(rest)))
    })
}

/// Splits a number and the sign after it from a text.
fn number_before(text: &str, sign: char) -> Option<(u32, &str)> {
    let (number, rest) = text.split_once(sign)?;
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, expected: &[&str]) {
        let shown = |found: Diagnostic| {
            let Diagnostic { file, line, column, is_warning, message } = found;
            let column = column.map_or(String::new(), |column| format!(":{column}"));
            format!("{file}:{line}{column} {}: {message}", if is_warning { "warning" } else { "error" })
        };
        assert_eq!(find(output).into_iter().map(shown).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn messages_of_compilers() {
        check(
            "In file included from my bot.cpp:1:\nlib/a.hpp:2:10: fatal error: no.h: No such file or directory\n    2 | #include <no.h>\n      |  ^~\ncompilation terminated.\n",
            &["lib/a.hpp:2:10 error: no.h: No such file or directory"],
        );
        check(
            "bot.cpp: In function 'int main()':\nbot.cpp:3:7: error: 'x' was not declared in this scope\n    3 | case 1:2: x\nbot.cpp:3:7: note: suggested\n\
            bot.cpp:4:5:   required from here\nC:\\b.cpp:5:1: warning: unused [-Wall]\n",
            &["bot.cpp:3:7 error: 'x' was not declared in this scope", "C:\\b.cpp:5:1 warning: unused [-Wall]"],
        );
        check("Main.java:3: error: ';' expected\n        int x\n             ^\n1 error\n", &["Main.java:3 error: ';' expected"]);
        check("# command-line-arguments\n./bot.go:4:2: undefined: x\n", &["./bot.go:4:2 error: undefined: x"]);
        check(
            "bot.pas(3,5) Error: Identifier not found \"x\"\nbot.pas(9) Fatal: There were 1 errors\n",
            &["bot.pas:3:5 error: Identifier not found \"x\""],
        );
        check("bot.cs(3,9): error CS0103: The name `x' does not exist\n", &["bot.cs:3:9 error: The name `x' does not exist"]);
        check(
            "error[E0425]: cannot find value `x` in this scope\n --> bot.rs:2:13\n  |\n2 |     let y = x;\n\nwarning: unused variable: `y`\n  --> bot.rs:2:9\n\nerror: aborting due to 1 previous error\n",
            &["bot.rs:2:13 error: cannot find value `x` in this scope", "bot.rs:2:9 warning: unused variable: `y`"],
        );
        check("/usr/bin/ld: /tmp/a.o: in function `main':\nbot.cpp:(.text+0x5): undefined reference to `f()'\n", &[]);
    }
}
