//! What is kept of a bot's texts that are only for people to read: a limited number of bytes for each match.

use pacman2_botzone::JsonText;
use serde_json::Value;

/// The room that is left for one kind of text of a bot in a match.
///
/// Sizes are those in a replay, where a byte of text may take six.
pub(crate) struct TextBudget {
    left: usize,
    /// The room that each turn has in any case, so that the last words of a bot are kept.
    floor: usize,
}

impl TextBudget {
    pub(crate) const fn new(bytes: usize, floor: usize) -> TextBudget {
        TextBudget { left: bytes, floor }
    }

    /// Returns the text, or its start and its end if there is no room for all of it.
    pub(crate) fn keep(&mut self, text: String) -> String {
        let size = written_bytes(&text);
        let room = self.spend(size);
        if size <= room {
            return text;
        }
        let (start, end) = text.split_at(text.floor_char_boundary(text.len() / 2));
        excerpt(start, end, room, 0)
    }

    /// Returns the start and the end of a text of which `left_out` bytes in between were not kept before.
    pub(crate) fn keep_ends(&mut self, start: &str, end: &str, left_out: u64) -> String {
        let room = self.spend(written_bytes(start) + written_bytes(end));
        excerpt(start, end, room, left_out)
    }

    /// Returns how much room there was.
    fn spend(&mut self, bytes: usize) -> usize {
        let room = self.left.max(self.floor);
        self.left = self.left.saturating_sub(bytes);
        room
    }

    /// Returns the value, or a string with the start and the end of its text if there is no room for all of it.
    pub(crate) fn keep_json(&mut self, json: JsonText) -> JsonText {
        if json.as_str().len() <= self.left.max(self.floor) {
            self.left = self.left.saturating_sub(json.as_str().len());
            return json;
        }
        let text = match json.to_value() {
            Value::String(text) => text,
            other => other.to_string(),
        };
        Value::String(self.keep(text)).into()
    }
}

/// More bytes than a marker can take.
const MARKER_BYTES: usize = 64;

/// Returns as much of a start and of an end as there is room for, with a marker between them.
fn excerpt(start: &str, end: &str, room: usize, left_out: u64) -> String {
    let half = room.saturating_sub(MARKER_BYTES) / 2;
    let first = prefix(start.char_indices(), half).map_or(start.len(), |(index, _)| index);
    let last = prefix(end.char_indices().rev(), half).map_or(0, |(index, c)| index + c.len_utf8());
    let left_out = left_out + (start.len() - first + last) as u64;
    format!("{}{}{}", &start[..first], marker(left_out), &end[last..])
}

/// Returns the first character for which there is no room.
fn prefix(characters: impl Iterator<Item = (usize, char)>, mut room: usize) -> Option<(usize, char)> {
    for (index, c) in characters {
        let size = written_bytes_of(c);
        if size > room {
            return Some((index, c));
        }
        room -= size;
    }
    None
}

fn marker(bytes: u64) -> String {
    format!(" … {bytes} bytes left out … ")
}

/// Returns the bytes that a text takes in JSON.
fn written_bytes(text: &str) -> usize {
    text.chars().map(written_bytes_of).sum()
}

fn written_bytes_of(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        '\0'..' ' => 6,
        _ => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_that_fits_is_kept_whole() {
        let mut budget = TextBudget::new(1000, 100);
        for text in ["", "a\n", &"é".repeat(400)] {
            assert_eq!(budget.keep(text.to_owned()), text);
        }
    }

    #[test]
    fn of_a_longer_text_start_and_end_are_kept() {
        let text = format!("start{}end", "é\n".repeat(1000));
        let kept = TextBudget::new(200, 100).keep(text.clone());
        let (start, rest) = kept.split_once(" … ").unwrap();
        let (number, end) = rest.split_once(" bytes left out … ").unwrap();
        assert!(text.starts_with(start) && text.ends_with(end) && start.starts_with("start") && end.ends_with("end"), "{kept}");
        assert_eq!(number.parse(), Ok(text.len() - start.len() - end.len()));
        assert!((150..=200).contains(&written_bytes(&kept)), "{kept}");
    }

    #[test]
    fn what_was_left_out_before_is_counted() {
        assert_eq!(TextBudget::new(200, 100).keep_ends("abc", "xyz", 7), "abc … 7 bytes left out … xyz");
    }

    #[test]
    fn a_turn_has_some_room_when_the_budget_is_spent() {
        let mut budget = TextBudget::new(300, 100);
        let sizes = [(); 5].map(|()| written_bytes(&budget.keep("\u{1}".repeat(1000))));
        assert!((250..=300).contains(&sizes[0]) && sizes[1..].iter().all(|size| (60..=100).contains(size)), "{sizes:?}");
        assert_eq!(budget.keep("short".to_owned()), "short");
    }

    #[test]
    fn json_becomes_an_excerpt_of_its_text() {
        let mut budget = TextBudget::new(200, 100);
        assert_eq!(budget.keep_json(json!({ "a": 1 }).into()), json!({ "a": 1 }));
        let long = json!(vec![json!({ "a": 0 }); 100]);
        let Value::String(kept) = budget.keep_json(long.into()).to_value() else { panic!("no string") };
        assert!(kept.starts_with("[{\"a\":0},") && kept.ends_with(",{\"a\":0}]") && kept.contains(" bytes left out "), "{kept}");
    }
}
