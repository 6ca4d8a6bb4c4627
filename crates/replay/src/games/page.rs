//! The match in a saved page. A page may have it as JSON, as JSON in a string of a script, or as either with HTML's escapes. Names of
//! variables do not matter.

use std::borrow::Cow;

use pacman2_botzone::{Json, checked_pasted};

use super::JsonForm;
use super::values::{Extent, Step};
use crate::format::FORMAT;

/// The most candidates of a page. Pages have their match once or twice.
const MAX_FOUND: usize = 4;
/// JSON of fewer bytes is no match.
const MIN_BYTES: usize = 40;
/// How many levels of JSON in strings of JSON are searched.
const MAX_LEVELS: u32 = 3;
/// How many objects deep a list of games is searched.
const MAX_OBJECTS: u32 = 3;
/// How many times as much as the length of JSON is looked at in search of a match within it.
const WITHIN_RATIO: usize = 16;

/// Returns what may be the match of a page, in order, as JSON. The time is linear in its length.
pub(super) fn matches(page: &str) -> Vec<String> {
    let found = Search::new(page).run();
    if !found.is_empty() || !["&quot;", "&#34;", "&#x22;"].into_iter().any(|quote| page.contains(quote)) {
        return found;
    }
    Search::new(&unescape_html(page)).run()
}

/// Returns the match that JSON of another form has in it.
pub(super) fn match_within(json: Json<'_>) -> Option<String> {
    Within { budget: WITHIN_RATIO * json.as_str().len() }.find(json, MAX_LEVELS)
}

/// Returns the games, separated by commas, of the list or the object that JSON is or that an object has in it.
pub(super) fn list_within(json: Json<'_>) -> Option<String> {
    find_list(json, MAX_OBJECTS)
}

fn find_list(json: Json<'_>, objects: u32) -> Option<String> {
    if JsonForm::from_json(json).is_some() {
        return None;
    }
    if is_list_of_games(json) {
        return Some(json.as_str()[1..].to_owned());
    }
    let texts: Option<Vec<_>> = json.items().map(Json::string).collect();
    if let Some(texts) = texts.filter(|texts| texts.len() > 1)
        && json.items().take(2).all(|text| match_within(text).is_some())
    {
        return Some(texts.join(","));
    }
    let values: Vec<Json<'_>> = json.members().map(|(_, value)| value).take_while(|value| JsonForm::is_match(*value)).collect();
    if values.len() > 1 && values.len() == json.members().count() {
        return Some(values.iter().map(|value| value.as_str()).collect::<Vec<_>>().join(","));
    }
    let deeper = objects.checked_sub(1)?;
    json.members().find_map(|(_, value)| find_list(value, deeper))
}

/// Returns whether this is a list of objects with a match among them, of which the others may be damaged, or with a match in each of
/// the first two.
fn is_list_of_games(json: Json<'_>) -> bool {
    if json.items().next().is_some_and(JsonForm::is_match) {
        return true;
    }
    let first: Vec<Json<'_>> = json.items().take(2).collect();
    json.items().all(Json::is_object)
        && (json.items().any(JsonForm::is_match)
            || first.len() == 2 && first.into_iter().all(|item| match_within(item).is_some()))
}

struct Within {
    /// How many bytes may still be looked at: at each level a value is read again, and a hostile one has a hundred levels.
    budget: usize,
}

impl Within {
    fn find(&mut self, json: Json<'_>, levels: u32) -> Option<String> {
        self.budget = self.budget.checked_sub(json.as_str().len())?;
        if JsonForm::is_match(json) {
            return Some(json.as_str().to_owned());
        }
        if let Some(text) = json.string() {
            let held = Some(text).filter(|text| levels > 0 && may_hold_match(text))?;
            return self.find(checked_pasted(&held).ok()?.0.json(), levels - 1);
        }
        json.items().find_map(|item| self.find(item, levels)).or_else(|| self.find_member(json, levels))
    }

    /// Finds the match of the first key in alphabetical order.
    fn find_member(&mut self, json: Json<'_>, levels: u32) -> Option<String> {
        let mut first: Option<(Cow<'_, str>, String)> = None;
        for (key, value) in json.members() {
            if first.as_ref().is_none_or(|(before, _)| key <= *before)
                && let Some(found) = self.find(value, levels)
            {
                first = Some((key, found));
            }
        }
        first.map(|(_, found)| found)
    }
}

/// Returns whether a text begins as JSON does and has a key that every match has.
fn may_hold_match(text: &str) -> bool {
    let keys = ["output", "requests", FORMAT];
    text.len() >= MIN_BYTES && text.trim_start().starts_with(['{', '[']) && keys.iter().any(|key| text.contains(key))
}

struct Search<'a> {
    page: &'a str,
    found: Vec<String>,
    /// How many bytes may still be looked at. Attempts that fail overlap, so a hostile page could make them quadratic.
    budget: usize,
}

impl<'a> Search<'a> {
    fn new(page: &'a str) -> Search<'a> {
        Search { page, found: Vec::new(), budget: 16 * page.len() + (1 << 20) }
    }

    fn run(mut self) -> Vec<String> {
        let mut at = 0;
        while at < self.page.len() && self.found.len() < MAX_FOUND && self.budget > 0 {
            let end = match self.page.as_bytes()[at] {
                b'{' | b'[' => self.raw(at),
                b'"' | b'\'' | b'`' => self.literal(at),
                _ => None,
            };
            at = end.unwrap_or(at + 1);
        }
        self.found
    }

    /// Takes the JSON at this place if it holds a match. Returns where to go on.
    fn raw(&mut self, at: usize) -> Option<usize> {
        let (length, looked_at) = extent(&self.page.as_bytes()[at..]);
        self.budget = self.budget.saturating_sub(2 * looked_at);
        let end = at + length?;
        let text = &self.page[at..end];
        if may_hold_match(text) { self.take(text).map(|()| end) } else { Some(end) }
    }

    /// Takes the string of a script at this place if it holds a match. Returns its end.
    fn literal(&mut self, at: usize) -> Option<usize> {
        let bytes = &self.page.as_bytes()[at..];
        if !matches!(bytes[1..].iter().take(16).find(|byte| !byte.is_ascii_whitespace()), Some(b'{' | b'[')) {
            return None;
        }
        let length = literal_length(bytes);
        self.budget = self.budget.saturating_sub(2 * length.unwrap_or(bytes.len()));
        let length = length.filter(|&length| length >= MIN_BYTES)?;
        let text = unescape_script(&self.page[at + 1..at + length - 1]);
        self.take(Some(text.as_str()).filter(|text| may_hold_match(text))?)?;
        Some(at + length)
    }

    /// Takes the match that a text of JSON holds.
    fn take(&mut self, text: &str) -> Option<()> {
        self.budget = self.budget.saturating_sub(2 * text.len());
        self.found.push(match_within(checked_pasted(text).ok()?.0.json())?);
        Some(())
    }
}

/// Returns the length of the JSON that these bytes begin with, if they look like it, and how many were looked at.
fn extent(bytes: &[u8]) -> (Option<usize>, usize) {
    let mut extent = Extent::default();
    let stop = bytes.iter().map(|&byte| extent.step(byte)).enumerate().find(|(_, step)| *step != Step::Inside);
    stop.map_or((None, bytes.len()), |(at, step)| ((step == Step::End).then_some(at + 1), at + 1))
}

/// Returns the length of the string of a script that these bytes begin with, with its quotation marks.
fn literal_length(bytes: &[u8]) -> Option<usize> {
    let mut escaped = false;
    let is_end = |&byte: &u8| {
        let is_end = !escaped && byte == bytes[0];
        escaped = !escaped && byte == b'\\';
        is_end
    };
    Some(bytes[1..].iter().position(is_end)? + 2)
}

/// Returns what a string of a script stands for, without its quotation marks.
fn unescape_script(mut text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    while let Some((before, after)) = text.split_once('\\') {
        plain.push_str(before);
        let mut rest = after.chars();
        text = match rest.next() {
            Some('x') => push_code(&mut plain, after, 2),
            // A JSON string within may have half of a surrogate pair, so its escapes stay.
            Some('u') => push_code(&mut plain, after, 4),
            Some(c) => {
                match c {
                    'n' => plain.push('\n'),
                    'r' => plain.push('\r'),
                    't' => plain.push('\t'),
                    '\n' => {}
                    other => plain.push(other),
                }
                rest.as_str()
            }
            None => "",
        };
    }
    plain + text
}

/// Adds the character of an escape with this many hexadecimal digits after its letter; an escape as it is if it stands for none.
/// Returns the rest of the text.
fn push_code<'a>(plain: &mut String, escape: &'a str, digits: usize) -> &'a str {
    let Some((code, rest)) = escape.split_at_checked(1 + digits) else { return escape };
    match u32::from_str_radix(&code[1..], 16).ok().and_then(char::from_u32) {
        Some(c) => plain.push(c),
        None => *plain += &format!("\\{code}"),
    }
    rest
}

/// Replaces the escapes of HTML that pages need for JSON.
fn unescape_html(mut text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    while let Some((before, after)) = text.split_once('&') {
        plain.push_str(before);
        let escape = after.bytes().take(10).position(|byte| byte == b';').map(|end| (&after[..end], &after[end + 1..]));
        let replaced = escape.and_then(|(name, rest)| Some((named_character(name)?, rest)));
        text = match replaced {
            Some((c, rest)) => {
                plain.push(c);
                rest
            }
            None => {
                plain.push('&');
                after
            }
        };
    }
    plain + text
}

fn named_character(name: &str) -> Option<char> {
    match name {
        "quot" => Some('"'),
        "apos" => Some('\''),
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let hexadecimal = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
            char::from_u32(hexadecimal.unwrap_or_else(|| number.parse()).ok()?)
        }
    }
}
