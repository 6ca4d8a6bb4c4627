//! The format's name and version, and how its values are written.

use serde::Serialize;

/// The name of the format, the first value in a replay.
pub const FORMAT: &str = "pacman2 replay";
/// The version of the format that is written, and the only one that is read.
pub const VERSION: u32 = 1;
/// The version of the games in links that is written, and the only one that is read. It is their first character.
pub(crate) const LINK_VERSION: char = '2';
/// The most characters of a game in a link. A game has at most 40,000 actions, and few that are not alike take more than a byte.
pub(crate) const MAX_LINK_CHARS: usize = 1 << 17;

/// Returns the value as JSON in one line.
pub(crate) fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data always has a JSON form")
}

/// Adds each value as JSON in a line of its own, with line ends around them all. One line at a time is in memory, because
/// together they may be megabytes.
pub(crate) fn push_lines(text: &mut String, values: &[impl Serialize]) {
    for (index, value) in values.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&line(value));
    }
    text.push_str(if values.is_empty() { "\n\n" } else { "\n" });
}

/// Returns whether no seat has a value; such lists are not written.
pub(crate) fn is_all_none<T>(seats: &[Option<T>; 4]) -> bool {
    seats.iter().all(Option::is_none)
}
