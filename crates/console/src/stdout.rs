//! Standard output for people: in their language, and on a terminal with long lines broken between words.

use std::io::{self, IsTerminal, Write};

use pacman2_botzone::words::Locale;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::language::{in_chinese, locale, translated};

/// Lines with this indentation are code to be copied, and stay as they are.
const CODE: &str = "    ";
/// What opens and closes a part of a Chinese sentence: a line does not end before the latter, nor after the former.
const OPENING: &str = "“‘（《「『【";
const CLOSING: &str = "，。、；：？！”’）》」』】…";

/// Returns standard output. A line is translated as a whole, and broken to the width of a terminal. JSON stays as it is.
pub fn stdout() -> ForPeople<io::Stdout> {
    ForPeople { out: io::stdout(), locale: locale(), width: terminal_width(), line: Vec::new() }
}

/// Writes whole lines for people. The rest of a line is written when it is flushed or dropped.
pub struct ForPeople<W: Write> {
    out: W,
    locale: Locale,
    width: Option<usize>,
    line: Vec<u8>,
}

impl<W: Write> ForPeople<W> {
    fn write_lines(&mut self, end: usize) -> io::Result<()> {
        let rest = self.line.split_off(end);
        let lines = std::mem::replace(&mut self.line, rest);
        let Ok(text) = str::from_utf8(&lines) else { return self.out.write_all(&lines) };
        let text = if self.locale == Locale::Chinese { in_chinese(text) } else { text.to_owned() };
        self.out.write_all(self.width.map_or_else(|| text.clone(), |width| wrap(&text, width)).as_bytes())
    }
}

impl<W: Write> Write for ForPeople<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend(bytes);
        if let Some(end) = self.line.iter().rposition(|&byte| byte == b'\n') {
            self.write_lines(end + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_lines(self.line.len())?;
        self.out.flush()
    }
}

impl<W: Write> Drop for ForPeople<W> {
    fn drop(&mut self) {
        // A writer that wants to know of failures flushes.
        let _ = self.write_lines(self.line.len());
    }
}

/// Returns a text as it is written to standard error.
#[must_use]
pub fn for_stderr(text: &str) -> String {
    let text = translated(text);
    width_of(&io::stderr()).map_or_else(|| text.to_string(), |width| wrap(&text, width))
}

/// Returns the width of standard output in columns, if it is a terminal.
#[must_use]
pub fn terminal_width() -> Option<usize> {
    width_of(&io::stdout())
}

fn width_of(stream: &impl IsTerminal) -> Option<usize> {
    let (width, _) = stream.is_terminal().then(terminal_size::terminal_size)??;
    Some(width.0.into())
}

/// Breaks the lines of a text that are wider than this. What continues a line is indented as the line is.
#[must_use]
pub fn wrap(text: &str, width: usize) -> String {
    text.split_inclusive('\n').map(|line| wrap_line(line, width)).collect()
}

fn wrap_line(line: &str, width: usize) -> String {
    if shown_width(line.trim_end()) <= width || line.starts_with(CODE) || line.starts_with(['{', '[']) {
        return line.to_owned();
    }
    wrap_hanging(line, width, line.len() - line.trim_start_matches(' ').len())
}

/// Breaks a line that is wider than this. What continues it has its own indentation.
#[must_use]
pub fn wrap_hanging(line: &str, width: usize, indent: usize) -> String {
    let words = line.trim_start_matches(' ');
    let mut wrapped = line[..line.len() - words.len()].to_owned();
    let begin = wrapped.len();
    let mut column = begin;
    for word in parts(words) {
        if column + shown_width(word.trim_end()) > width && column > begin.max(indent) {
            wrapped.truncate(wrapped.trim_end().len());
            wrapped = wrapped + "\n" + &" ".repeat(indent);
            column = indent;
        }
        wrapped += word;
        column += shown_width(word);
    }
    wrapped
}

/// Returns the columns that a text takes. Sequences that set its colour take none.
#[must_use]
pub fn shown_width(text: &str) -> usize {
    let mut parts = text.split('\x1b');
    let first = parts.next().map_or(0, UnicodeWidthStr::width);
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, shown)| shown.width())).sum::<usize>()
}

/// Returns the parts between which a line may be broken: words with the blanks after them, Chinese characters, and what follows a mark.
fn parts(line: &str) -> Vec<&str> {
    let is_wide = |c: char| c.width() == Some(2);
    let mut parts = vec![];
    let mut begin = 0;
    for ((_, a), (at, b)) in line.char_indices().zip(line.char_indices().skip(1)) {
        let is_between_words = a == ' ' && b != ' ';
        let is_in_chinese =
            is_wide(a) && (is_wide(b) || CLOSING.contains(a)) && !OPENING.contains(a) && !CLOSING.contains(b) && b != ' ';
        if is_between_words || is_in_chinese {
            parts.push(&line[begin..at]);
            begin = at;
        }
    }
    parts.push(&line[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_translated_and_broken_when_it_is_whole() {
        let mut out = ForPeople { out: Vec::new(), locale: Locale::Chinese, width: Some(8), line: Vec::new() };
        write!(out, "cannot read ").unwrap();
        write!(out, "x").unwrap();
        assert_eq!(out.out, b"");
        write!(out, "\nTry it:").unwrap();
        assert_eq!(String::from_utf8_lossy(&out.out), "无法读取\nx\n");
        out.flush().unwrap();
        assert_eq!(String::from_utf8_lossy(&out.out), "无法读取\nx\nTry it:");
    }

    #[test]
    fn long_lines_are_broken_between_words_and_continue_with_their_indentation() {
        assert_eq!(wrap("short\n\n", 8), "short\n\n");
        assert_eq!(wrap("  Note: use --trust bot.py\n1 2\n", 13), "  Note: use\n  --trust\n  bot.py\n1 2\n");
        assert_eq!(wrap("\x1b[92mok\x1b[0m yes\n", 6), "\x1b[92mok\x1b[0m yes\n");
        assert_eq!(wrap("a-word-that-does-not-fit a\n", 8), "a-word-that-does-not-fit\na\n");
        assert_eq!(
            wrap("    sudo apt install fish\n{\"a\": 1, \"b\": 2}\n", 8),
            "    sudo apt install fish\n{\"a\": 1, \"b\": 2}\n"
        );
    }

    #[test]
    fn chinese_is_twice_as_wide_and_is_broken_anywhere_but_before_a_closing_mark() {
        assert_eq!(wrap("第一回合没有回答。\n", 8), "第一回合\n没有回\n答。\n");
        assert_eq!(wrap("它不会走（墙）的\n", 10), "它不会走\n（墙）的\n");
        assert_eq!(wrap("源文件.java、.cpp\n", 14), "源文件.java、\n.cpp\n");
    }
}
