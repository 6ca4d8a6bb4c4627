//! Reading what a bot wrote without building a tree.
//!
//! A tree of [`Value`]s can take a hundred times the memory of its text, and the text is a stranger's.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::json::Json;
use crate::json_text::JsonText;
use crate::{action, javascript};

/// Bytes of a taunt that are kept (ruling *taunt-cut*).
pub const TAUNT_BYTES: usize = 40;
/// Bytes of `data`, and of `globaldata`, that are kept.
pub const DATA_BYTES: usize = 100 * 1024;
/// Bytes of a value in a file that are kept as they are.
const KEPT_BYTES: usize = 16 << 20;

/// What the judge reads in a response.
#[derive(Default)]
pub(crate) struct ResponseParts {
    pub(crate) number: Option<i32>,
    pub(crate) taunt: Option<String>,
}

impl ResponseParts {
    /// Reads a response that is an object.
    pub(crate) fn from_object(response: Json<'_>) -> ResponseParts {
        let [number, taunt] = response.get_all(["action", "tauntText"]);
        ResponseParts {
            number: number.and_then(|number| action::integer(&number.scalar())),
            taunt: taunt.and_then(Json::string).map(|taunt| start_of(&taunt, TAUNT_BYTES)),
        }
    }

    /// Reads a response that is a string which holds an object.
    fn from_text(text: &str) -> ResponseParts {
        let read = |text: &str| {
            let mut parts = ResponseParts::default();
            read_to_end(text, &mut TextWriter::new(0), Capture::Parts(&mut parts))?;
            Ok(parts)
        };
        javascript::parse_with(text, read).unwrap_or_default()
    }
}

/// The values of the keys that a bot may write. A value that is `null` is `None`.
#[derive(Default)]
pub(crate) struct OutputFields {
    pub(crate) response: Option<Field>,
    pub(crate) content: Option<Field>,
    pub(crate) debug: Option<Field>,
    pub(crate) data: Option<Field>,
    pub(crate) globaldata: Option<Field>,
}

/// One of these values.
#[derive(Default)]
pub(crate) struct Field {
    /// Its text, or the start of it if it is longer than [`DATA_BYTES`].
    text: String,
    is_whole: bool,
    /// If the value is a string, its first [`DATA_BYTES`].
    string: Option<String>,
    /// Whether that string is longer.
    is_string_cut: bool,
    /// What the judge reads in it if it is a response.
    pub(crate) parts: ResponseParts,
}

impl OutputFields {
    /// Reads the output of a bot.
    pub(crate) fn read(output: &str) -> serde_json::Result<OutputFields> {
        let read = |text: &str| {
            let mut fields = OutputFields::default();
            read_to_end(text, &mut TextWriter::new(0), Capture::Fields(&mut fields))?;
            Ok(fields)
        };
        javascript::parse_with(output, read)
    }

    fn slot(&mut self, key: Key) -> Option<&mut Option<Field>> {
        Some(match key {
            Key::Response => &mut self.response,
            Key::Content => &mut self.content,
            Key::Debug => &mut self.debug,
            Key::Data => &mut self.data,
            Key::Globaldata => &mut self.globaldata,
            Key::Action | Key::Taunt | Key::Other => return None,
        })
    }
}

impl Field {
    /// Returns the value, or `None` if its text is longer than [`DATA_BYTES`].
    pub(crate) fn json(&self) -> Option<JsonText> {
        self.is_whole.then(|| JsonText::from_text(&self.text))
    }

    /// Returns the string that the value is, or else its text; in both cases at most [`DATA_BYTES`] of it.
    pub(crate) fn into_text(self) -> String {
        self.string.unwrap_or_else(|| start_of(&self.text, DATA_BYTES))
    }

    /// Returns the value as far as it is kept for the bot: a string, or what is too long, is cut to [`DATA_BYTES`].
    pub(crate) fn into_data(self) -> JsonText {
        let whole = self.json().filter(|_| !self.is_string());
        whole.unwrap_or_else(|| Value::from(self.into_text()).into())
    }

    /// Returns whether the value is longer than what is kept for the bot.
    pub(crate) fn is_cut(&self) -> bool {
        if self.is_string() { self.is_string_cut } else { !self.is_whole }
    }

    /// Returns whether the value is a string.
    pub(crate) fn is_string(&self) -> bool {
        self.string.is_some()
    }
}

/// Returns the start of the text: at most `bytes` bytes, cut between two characters.
pub(crate) fn start_of(text: &str, bytes: usize) -> String {
    text[..text.floor_char_boundary(bytes)].to_owned()
}

/// Returns the text of JSON, in one line and with sorted keys. If it is longer than [`KEPT_BYTES`], a string with its start.
pub(crate) fn written(text: &str) -> JsonText {
    deserialized(&mut serde_json::Deserializer::from_str(text)).expect("the text has been checked")
}

/// Reads JSON as [`written`] returns it.
pub(crate) fn deserialized<'de, D: Deserializer<'de>>(deserializer: D) -> Result<JsonText, D::Error> {
    let mut field = Field::default();
    let mut writer = TextWriter::new(KEPT_BYTES);
    Reader { writer: &mut writer, capture: Capture::Nothing }.deserialize(deserializer)?;
    (field.text, field.is_whole) = writer.finish();
    Ok(field.json().unwrap_or_else(|| Value::from(field.into_text()).into()))
}

/// Checks that a text is JSON, as a tree is read: serde's `IgnoredAny` accepts numbers and escapes that a tree does not.
pub(crate) fn check(text: &str) -> serde_json::Result<()> {
    read_to_end(text, &mut TextWriter::new(0), Capture::Nothing)
}

fn read_to_end(text: &str, writer: &mut TextWriter, capture: Capture<'_>) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Reader { writer, capture }.deserialize(&mut deserializer)?;
    deserializer.end()
}

/// Keeps the first bytes of what is written.
struct TextWriter {
    text: Vec<u8>,
    limit: usize,
    is_whole: bool,
}

impl TextWriter {
    fn new(limit: usize) -> TextWriter {
        TextWriter { text: Vec::new(), limit, is_whole: true }
    }

    fn push(&mut self, text: &[u8]) {
        let kept = text.len().min(self.limit - self.text.len());
        self.text.extend_from_slice(&text[..kept]);
        self.is_whole &= kept == text.len();
    }

    fn push_json(&mut self, value: &(impl Serialize + ?Sized)) {
        if self.is_whole {
            serde_json::to_writer(self, value).expect("writing to memory does not fail");
        }
    }

    /// Sorts the members of the object whose inside begins at `begin`; of members with equal keys only the last stays.
    fn sort(&mut self, begin: usize, mut members: Vec<Member>) {
        let key = |member: &Member| decoded(&self.text[member.begin as usize..member.key_end as usize]);
        if !self.is_whole || members.is_sorted_by(|a, b| key(a) < key(b)) {
            return;
        }
        members.sort_by(|a, b| key(a).cmp(&key(b)));
        let mut sorted = Vec::with_capacity(self.text.len() - begin);
        for (index, member) in members.iter().enumerate() {
            if members.get(index + 1).is_some_and(|next| key(next) == key(member)) {
                continue;
            }
            if !sorted.is_empty() {
                sorted.push(b',');
            }
            sorted.extend_from_slice(&self.text[member.begin as usize..member.end as usize]);
        }
        self.text.truncate(begin);
        self.text.extend_from_slice(&sorted);
    }

    /// Returns the text, cut between two characters, and whether it is all that was written.
    fn finish(mut self) -> (String, bool) {
        let valid = str::from_utf8(&self.text).map_or_else(|error| error.valid_up_to(), str::len);
        self.text.truncate(valid);
        (String::from_utf8(self.text).expect("it was cut to what is valid"), self.is_whole)
    }
}

impl Write for TextWriter {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.push(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where a member of an object is in the text, which is at most [`KEPT_BYTES`] long: an object may be nothing but members.
struct Member {
    begin: u32,
    key_end: u32,
    end: u32,
}

/// Returns the key that a JSON string stands for.
fn decoded(key: &[u8]) -> Option<Cow<'_, str>> {
    Json::from_checked(str::from_utf8(key).ok()?).string()
}

/// Reads a value: writes its text, and captures the parts of it that mean something.
struct Reader<'a> {
    writer: &'a mut TextWriter,
    capture: Capture<'a>,
}

/// What is captured of a value.
enum Capture<'a> {
    Nothing,
    /// The value is the output of a bot.
    Fields(&'a mut OutputFields),
    /// The value belongs to a key that a bot may write.
    Field(&'a mut Field),
    /// The value is a response that was in a string.
    Parts(&'a mut ResponseParts),
    Number(&'a mut Option<i32>),
    Taunt(&'a mut Option<String>),
}

/// The keys that mean something.
#[derive(Clone, Copy)]
enum Key {
    Response,
    Content,
    Debug,
    Data,
    Globaldata,
    Action,
    Taunt,
    Other,
}

impl Reader<'_> {
    fn number(self, number: impl Into<Value> + Serialize) {
        self.writer.push_json(&number);
        if let Capture::Number(slot) = self.capture {
            *slot = action::integer(&number.into());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.writer.push(b"null");
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.writer.push_json(&value);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.number(number);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.number(number);
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.number(number);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.writer.push_json(text);
        match self.capture {
            Capture::Field(field) => {
                field.string = Some(start_of(text, DATA_BYTES));
                field.is_string_cut = text.len() > DATA_BYTES;
                field.parts = ResponseParts::from_text(text);
            }
            Capture::Taunt(slot) => *slot = Some(start_of(text, TAUNT_BYTES)),
            _ => {}
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.writer.push(b"[");
        let mut separator: &[u8] = b"";
        while items.next_element_seed(Item { writer: self.writer, separator })?.is_some() {
            separator = b",";
        }
        self.writer.push(b"]");
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Reader { writer, capture } = self;
        let (mut fields, mut parts) = match capture {
            Capture::Fields(fields) => (Some(fields), None),
            Capture::Field(field) => (None, Some(&mut field.parts)),
            Capture::Parts(parts) => (None, Some(parts)),
            _ => (None, None),
        };
        writer.push(b"{");
        let begin = writer.text.len();
        let mut members = Vec::new();
        let mut separator: &[u8] = b"";
        while let Some((key, start)) = map.next_key_seed(KeyReader { writer, separator })? {
            separator = b",";
            let key_end = writer.text.len();
            writer.push(b":");
            if let Some(slot) = fields.as_mut().and_then(|fields| fields.slot(key)) {
                *slot = map.next_value_seed(FieldReader)?;
                continue;
            }
            let inner = match (&mut parts, key) {
                (Some(parts), Key::Action) => {
                    parts.number = None;
                    Capture::Number(&mut parts.number)
                }
                (Some(parts), Key::Taunt) => {
                    parts.taunt = None;
                    Capture::Taunt(&mut parts.taunt)
                }
                _ => Capture::Nothing,
            };
            map.next_value_seed(Reader { writer: &mut *writer, capture: inner })?;
            if writer.is_whole {
                members.push(Member { begin: start as u32, key_end: key_end as u32, end: writer.text.len() as u32 });
            }
        }
        writer.sort(begin, members);
        writer.push(b"}");
        Ok(())
    }
}

/// Reads an item of a list.
struct Item<'a> {
    writer: &'a mut TextWriter,
    separator: &'static [u8],
}

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.writer.push(self.separator);
        Reader { writer: self.writer, capture: Capture::Nothing }.deserialize(deserializer)
    }
}

/// Reads a key. Returns it, and where it begins in the text.
struct KeyReader<'a> {
    writer: &'a mut TextWriter,
    separator: &'static [u8],
}

impl<'de> DeserializeSeed<'de> for KeyReader<'_> {
    type Value = (Key, usize);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(Key, usize), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyReader<'_> {
    type Value = (Key, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<(Key, usize), E> {
        self.writer.push(self.separator);
        let begin = self.writer.text.len();
        self.writer.push_json(key);
        let key = match key {
            "response" => Key::Response,
            "content" => Key::Content,
            "debug" => Key::Debug,
            "data" => Key::Data,
            "globaldata" => Key::Globaldata,
            "action" => Key::Action,
            "tauntText" => Key::Taunt,
            _ => Key::Other,
        };
        Ok((key, begin))
    }
}

/// Reads the value of a key that a bot may write; `None` if it is `null`.
struct FieldReader;

impl<'de> DeserializeSeed<'de> for FieldReader {
    type Value = Option<Field>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Field>, D::Error> {
        let mut field = Field::default();
        let mut writer = TextWriter::new(DATA_BYTES);
        Reader { writer: &mut writer, capture: Capture::Field(&mut field) }.deserialize(deserializer)?;
        (field.text, field.is_whole) = writer.finish();
        Ok((field.text != "null").then_some(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the text of a value is that of its tree.
    #[track_caller]
    fn check(text: &str) {
        let value: Value = javascript::parse_with(text, |text| serde_json::from_str(text)).unwrap();
        let output = format!("{{\"debug\":{text}}}");
        let field = OutputFields::read(&output).unwrap().debug;
        assert_eq!(field.and_then(|field| field.json()), Some(JsonText::from(value)).filter(|text| text.as_str() != "null"));
    }

    #[test]
    fn the_text_is_that_of_the_tree() {
        for text in [
            "0",
            "-0",
            "1.0",
            "-1.50",
            "1e5",
            "1E-7",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775808",
            "1e400",
            "true",
            "null",
            "\"\"",
            r#""\u0041\u00e9\/\b\n\u001f\"\\""#,
            r#""\ud83d""#,
            "[]",
            "{}",
            "[ 1 , [ ] , { } ]",
            r#"{"b":1,"a":2}"#,
            r#"{"b":1,"a":2,"b":{"z":0,"y":[{"q":1,"p":2}]}}"#,
            r#"{"a":1,"a":2,"a":3}"#,
            r#"{"a\"":1,"a!":2,"a":3,"a\n":4,"\u0061":5}"#,
            r#"{"é":1,"z":2,"":3}"#,
            r#"{"action":1,"tauntText":"x","action":"y"}"#,
        ] {
            check(text);
        }
    }

    #[test]
    fn what_is_too_long_keeps_its_start() {
        let text = format!("[{}0]", "1,".repeat(DATA_BYTES));
        let field = OutputFields::read(&format!("{{\"data\":{text}}}")).unwrap().data.unwrap();
        assert_eq!(field.json(), None);
        assert_eq!(field.into_text(), text[..DATA_BYTES]);
    }
}
