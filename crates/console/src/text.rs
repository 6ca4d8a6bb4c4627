//! Text on a terminal: sanitizes untrusted text, fits text to a width, and formats large numbers.

use unicode_width::UnicodeWidthStr;

use crate::language::translated;

/// Replaces control characters and marks of text direction, so that untrusted text cannot control the terminal.
pub fn sanitize(text: &str) -> String {
    let changes_direction = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || changes_direction(c) { '\u{fffd}' } else { c }).collect()
}

/// Shortens a name or path to this width by dropping its middle: names differ at either end.
pub fn truncate_middle(name: &str, width: usize) -> String {
    if name.width() <= width {
        return name.to_owned();
    }
    let kept = width.saturating_sub(1);
    let start = name.char_indices().rev().map(|(at, _)| &name[..at]).find(|start| start.width() <= kept.div_ceil(2));
    let start = start.unwrap_or_default();
    let end = name.char_indices().map(|(at, _)| &name[at..]).find(|end| end.width() <= kept - start.width());
    format!("{start}…{}", end.unwrap_or_default())
}

/// Shortens a name like [`truncate_middle`], or pads it with blanks to this width.
pub fn fit_column(name: &str, width: usize) -> String {
    let name = truncate_middle(name, width);
    let blanks = " ".repeat(width.saturating_sub(name.width()));
    name + &blanks
}

/// Returns a text of the program in its language as a column of a table, at the left of it.
pub fn label(text: &str, width: usize) -> String {
    fit_column(&translated(text), width)
}

/// Returns a text of the program in its language as a column of a table, at the right of it.
pub fn label_right(text: &str, width: usize) -> String {
    let text = translated(text);
    " ".repeat(width.saturating_sub(text.width())) + &text
}

/// Shortens a line to this width by dropping its end.
pub fn truncate_end(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let beginnings = line.char_indices().rev().map(|(at, _)| &line[..at]);
    format!("{}…", beginnings.into_iter().find(|beginning| beginning.width() < width).unwrap_or_default())
}

/// Shortens a text to this many characters.
pub fn excerpt(text: &str, chars: usize) -> String {
    let short: String = text.chars().take(chars).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

/// How many lines of a bot's output are shown, and how many characters of a line.
pub const MAX_LINES: usize = 10;
const MAX_CHARS: usize = 200;

/// Returns the first lines of a bot's output, shortened and sanitized.
pub fn first_lines(output: &str) -> impl Iterator<Item = String> {
    output.lines().take(MAX_LINES).map(shown_line)
}

/// Returns the last lines of a bot's output in the same way: of standard error, they say what failed. `None` stands for what is left
/// out before them.
pub fn last_lines(output: &str) -> impl Iterator<Item = Option<String>> {
    let lines: Vec<&str> = output.lines().collect();
    let first = lines.len().saturating_sub(MAX_LINES);
    (first > 0).then_some(None).into_iter().chain(lines.into_iter().skip(first).map(|line| Some(shown_line(line))))
}

fn shown_line(line: &str) -> String {
    sanitize(&excerpt(line, MAX_CHARS))
}

/// Returns `1 turn`, `2 turns`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Formats a large number with a comma after every three digits.
pub fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    digits.char_indices().flat_map(|(at, digit)| comma(at).then_some(',').into_iter().chain([digit])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas() {
        let numbers = [0, 999, 1000, 123_456, 156_849_000];
        assert_eq!(numbers.map(with_commas), ["0", "999", "1,000", "123,456", "156,849,000"]);
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(truncate_middle("greedy", 6), "greedy");
        assert_eq!(truncate_middle("Li Lei_4711_assignsubmission_file_", 16), "Li Lei_4…n_file_");
        assert_eq!(truncate_middle("张三丰的程序/bot.py", 11), "张三…bot.py");
        assert_eq!(truncate_middle("greedy", 1), "…");
        assert_eq!(fit_column("张三丰的程序", 8), "张三…序 ");
    }
}
