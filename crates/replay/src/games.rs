//! Reads games from whatever people keep them in. This is the only place that finds out what a text is.
//!
//! | kind | games |
//! |---|---|
//! | a replay, a match log of Botzone's in any form, init data, a bot's saved input, a link | one |
//! | a saved page, of Botzone's or of this program's | the one in it |
//! | what a bot that keeps running has read: its first input, and a request in each later line | one |
//! | a list of these, also within other JSON, or a pack with one in each line, or one after the other | each |
//! | a zip of such files | each of each file |
//!
//! The page's engine reads no zips, because the browser unpacks them. A text may have a byte order mark, line ends of any system, or be in UTF-16. Packs are read as a stream. All of it is bounded:
//! the bytes of a text, the files of a zip, and what they unpack to.

#[cfg_attr(target_family = "wasm", path = "games/no_archive.rs")]
mod archive;
mod page;
mod text;
mod values;

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Cursor, Read, Seek};

use pacman2_botzone::init_data::{self, InitDataWarning};
use pacman2_botzone::match_log::{LogDifference, MatchLog, MatchLogError};
use pacman2_botzone::saved_input::{self, SavedInput, SavedInputError};
use pacman2_botzone::{Json, JsonText, checked_pasted};
use pacman2_maps::MapError;
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset, Seat};
use serde_json::Value;

use crate::error::{LinkError, ReplayError};
use crate::format::FORMAT;
use crate::{GameLink, LimitsInfo, PrivatePart, Replay, SeatInfo};
use archive::Archive;
use text::{MAX_TEXT_BYTES, Text};
pub use text::{PACKED_HEAD_BYTES, decode, packed_as};

/// After this many games that cannot be read, the others are left out: a file may hold a billion lines of something else.
const MAX_BAD: usize = 10_000;

/// What a game is read from: a file, or bytes.
pub trait Input: Read + Seek + Send {}

impl<T: Read + Seek + Send> Input for T {}

/// What a game was written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameForm {
    /// A replay.
    Replay,
    /// A match log of Botzone's.
    MatchLog,
    /// The input of a bot on this seat, which ends with the last turn that the bot knew.
    SavedInput(Seat),
    /// A map on which nothing has been played yet.
    InitData,
    /// A link, perhaps to a turn.
    Link(Option<usize>),
}

/// A form that JSON can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JsonForm {
    /// A replay.
    Replay,
    /// A match log of Botzone's.
    MatchLog,
    /// The input of a bot.
    SavedInput,
    /// Init data.
    InitData,
}

impl JsonForm {
    /// Returns what this JSON looks like, if it looks like a game at all.
    ///
    /// ```
    /// use pacman2_botzone::Json;
    /// use pacman2_replay::games::JsonForm;
    ///
    /// let form = |text| JsonForm::from_json(Json::parse(text).unwrap());
    /// assert_eq!(form(r#"{"seed": 42}"#), Some(JsonForm::InitData));
    /// assert_eq!(form(r#"[{"output": {}}]"#), Some(JsonForm::MatchLog));
    /// assert_eq!(form(r#"{"hello": 1}"#), None);
    /// ```
    #[must_use]
    pub fn from_json(json: Json<'_>) -> Option<JsonForm> {
        match json {
            _ if MatchLog::recognises(json) => Some(JsonForm::MatchLog),
            _ if json.get("format").is_some() => Some(JsonForm::Replay),
            _ if SavedInput::recognises(json) => Some(JsonForm::SavedInput),
            _ if init_data::recognises(json) => Some(JsonForm::InitData),
            _ => None,
        }
    }

    /// Returns whether this JSON is a match, which a page or other JSON may hold.
    fn is_match(json: Json<'_>) -> bool {
        match JsonForm::from_json(json) {
            Some(JsonForm::Replay) => json.at("format").string().is_some_and(|format| format == FORMAT),
            form => matches!(form, Some(JsonForm::MatchLog | JsonForm::SavedInput)),
        }
    }
}

/// What was odd about a game that was read all the same. Displays as a sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Remark {
    /// A string of the JSON had raw line breaks or other control characters.
    #[error("a string has raw line breaks, which JSON does not allow; they are taken as they are")]
    RawLineBreaks,
    /// The init data are odd.
    #[error("{0}")]
    InitData(InitDataWarning),
    /// A match log disagrees with the rules or with itself.
    #[error("{0}")]
    Log(LogDifference),
}

/// A game that was read.
#[derive(Clone, Debug)]
pub struct FoundGame {
    /// Where it was.
    pub place: Place,
    /// The id that Botzone gave the match.
    pub id: Option<String>,
    /// What it was written as.
    pub form: GameForm,
    /// The game. [`Replay::verify`] compares a replay with the rules; the other forms have been compared.
    pub replay: Replay,
    /// What was odd about it.
    pub remarks: Vec<Remark>,
}

/// What a game was written as, and the id that Botzone gave the match.
type IdentifiedGame = (GameForm, Option<String>, Replay);

/// Where in an input a game is. Displays as `1-99.matches, line 7`; empty for an input that is nothing but the game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The name of the file in a zip, as the zip has it: a stranger's text.
    pub entry: Option<String>,
    /// The line of a pack, counted from 1.
    pub line: Option<u32>,
    /// The place in a list, counted from 1.
    pub item: Option<u32>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbered = |what: &str, number: Option<u32>| number.map(|number| format!("{what} {number}"));
        let parts = [self.entry.clone(), numbered("line", self.line), numbered("item", self.item)];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// A game that cannot be read, and where it is.
#[derive(Debug, thiserror::Error)]
#[error("{}{error}", prefix(.place))]
pub struct BadGame {
    /// Where it is.
    pub place: Place,
    /// Why it cannot be read.
    #[source]
    pub error: GameError,
}

fn prefix(place: &Place) -> String {
    if *place == Place::default() { String::new() } else { format!("{place}: ") }
}

/// Why a game cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// The input cannot be read, or unpacks to more than it may.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A text, or a line of a pack, is too long.
    #[error("expected at most {} MB of text for a game", MAX_TEXT_BYTES >> 20)]
    TooLong,
    /// The bytes are no text.
    #[error("expected text in UTF-8 or UTF-16")]
    Encoding,
    /// The text is not JSON.
    #[error("{}", not_json(.0))]
    NotJson(serde_json::Error),
    /// The JSON is nothing that can be read.
    #[error("expected a replay, a match log of Botzone's, a bot's input, init data, or a link with a game")]
    UnknownFormat,
    /// The page has no match in it.
    #[error("expected a page with a match in it, got one without; save the page of a match, or its log")]
    EmptyPage,
    /// Another program has packed the file, in this format.
    #[error("expected text or a zip, got a file packed as {0}; unpack it, or pack it as a zip")]
    Packed(&'static str),
    /// The page was saved as a web archive.
    #[error("expected a page in HTML, got a web archive (MHTML); save the page as \"HTML only\", or its log")]
    WebArchive,
    /// The zip is damaged.
    #[error("expected a whole zip, got a cut or damaged one ({0}); download or pack it again")]
    Zip(String),
    /// A file of the zip is packed in a way that is not supported.
    #[error("expected a zip whose files are deflated or stored and have no password; pack it again")]
    ZipMethod,
    /// The zip has too many files.
    #[error("expected a zip of at most {limit} files, got {got}", limit = archive::MAX_ENTRIES)]
    TooManyFiles {
        /// The number of files.
        got: usize,
    },
    /// The zip has no files.
    #[error("expected a zip with files of matches, got one without files")]
    EmptyZip,
    /// A file of the zip is a zip.
    #[error("expected matches, got a zip within the zip; unpack the outer one first")]
    NestedZip,
    /// So many games cannot be read that the rest is left.
    #[error("{MAX_BAD} matches cannot be read; the rest of the file is left out")]
    TooManyBad,
    /// The replay cannot be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The match log cannot be read.
    #[error(transparent)]
    MatchLog(#[from] MatchLogError),
    /// The bot's input cannot be read.
    #[error(transparent)]
    SavedInput(#[from] SavedInputError),
    /// The link cannot be read.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The map cannot be played.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// Returns what is wrong with a text that is no JSON.
fn not_json(error: &serde_json::Error) -> String {
    match error.is_eof() {
        true if error.column() == 0 && error.line() <= 1 => "expected a match, got an empty text".to_owned(),
        true => format!("expected a whole match, got a text that is cut off ({error}); download or copy it again"),
        false => format!("not JSON: {error}"),
    }
}

/// The games of an input, one after the other. A game that cannot be read does not end them.
///
/// ```
/// use std::io::Cursor;
/// use pacman2_replay::games::{GameForm, Games};
///
/// let pack = "{\"initdata\": {\"seed\": 1}, \"log\": [{\"output\": {}}]}\r\nhello\r\n{\"initdata\": {\"seed\": 2}, \"log\": [{\"output\": {}}]}\r\n";
/// let games: Vec<_> = Games::new(Cursor::new(pack), None).collect();
/// assert_eq!(games[0].as_ref().unwrap().form, GameForm::MatchLog);
/// assert_eq!(games[1].as_ref().unwrap_err().to_string(), "line 2: not JSON: expected value at line 1 column 1");
/// assert_eq!(games[2].as_ref().unwrap().replay.public.map.seed, 2);
/// ```
pub struct Games<'a> {
    /// How many could not be read.
    bad: usize,
    ruling: Option<ForfeitRuling>,
    /// What was read and not returned yet.
    found: VecDeque<Result<FoundGame, BadGame>>,
    /// The list of which games are read.
    list: Option<List>,
    source: Source<'a>,
}

/// A list of games in JSON, or several games in a line.
struct List {
    items: Text<'static>,
    place: Place,
    remarks: Vec<Remark>,
}

enum Source<'a> {
    Unopened(Box<dyn Input + 'a>),
    /// A file that is no zip.
    Text(Box<Text<'a>>),
    Zip(Box<Archive<'a>>),
    End,
}

impl<'a> Games<'a> {
    /// Returns the games of an input. `ruling` is that of match logs and saved inputs; `None` is the first that agrees with each.
    pub fn new(input: impl Input + 'a, ruling: Option<ForfeitRuling>) -> Games<'a> {
        Games { bad: 0, ruling, found: VecDeque::new(), list: None, source: Source::Unopened(Box::new(input)) }
    }

    /// Reads the next piece: a line of a pack, or a whole text. Returns `None` at the end.
    fn advance(&mut self) -> Option<()> {
        if let Some(list) = &mut self.list {
            match list.items.next_piece() {
                Some((Place { item, .. }, piece)) => {
                    let (place, remarks) = (Place { item, ..list.place.clone() }, list.remarks.clone());
                    self.read_piece(place, remarks, piece);
                }
                None => self.list = None,
            }
            return Some(());
        }
        match &mut self.source {
            Source::End => return None,
            Source::Unopened(_) => {
                let Source::Unopened(input) = std::mem::replace(&mut self.source, Source::End) else { return None };
                match open(input) {
                    Ok(source) => self.source = source,
                    Err(error) => self.fail(Place::default(), error),
                }
            }
            Source::Text(text) => match text.next_piece() {
                Some((place, piece)) => self.read_piece(place, Vec::new(), piece),
                None => self.source = Source::End,
            },
            Source::Zip(archive) => match archive.next_piece() {
                Some((place, piece)) => self.read_piece(place, Vec::new(), piece),
                None => self.source = Source::End,
            },
        }
        Some(())
    }

    fn read_piece(&mut self, place: Place, remarks: Vec<Remark>, piece: Result<String, GameError>) {
        match piece {
            Ok(text) => self.read_text(place, remarks, text),
            Err(error) => self.fail(place, error),
        }
    }

    /// Reads a text that is a game, a list of games, or a page.
    fn read_text(&mut self, place: Place, mut remarks: Vec<Remark>, text: String) {
        if let Some(link) = GameLink::find(&text).filter(|_| !text.trim().contains(char::is_whitespace)) {
            let replay = Replay::from_link(link.game).map_err(GameError::from);
            let game = replay.map(|replay| (GameForm::Link(link.turn), None, replay));
            return self.push(place, Vec::new(), game);
        }
        let held = match checked_pasted(&text) {
            Ok((held, has_line_breaks)) => {
                remarks.extend(has_line_breaks.then_some(Remark::RawLineBreaks));
                held
            }
            Err(_) if text.trim_start().starts_with('<') => return self.read_page(place, &text, GameError::EmptyPage),
            // As a page's script has it, or with words before it.
            Err(error) if !text.trim_start().starts_with(['{', '[']) => {
                return self.read_page(place, &text, GameError::NotJson(error));
            }
            Err(error) => {
                if let Some(input) = saved_input::joined(&text) {
                    return self.read_value(place, input.json(), Some(JsonForm::SavedInput), Vec::new());
                }
                return match Text::from_values(text).filter(|_| self.list.is_none()) {
                    Some(items) => self.list = Some(List { items, place, remarks }),
                    None => self.fail(place, GameError::NotJson(error)),
                };
            }
        };
        let json = held.json();
        let form = JsonForm::from_json(json);
        if form.is_some() {
            self.read_value(place, json, form, remarks);
        } else if let Some(list) = page::list_within(json).filter(|_| self.list.is_none()) {
            self.list = Some(List { items: Text::from_list(list), place, remarks });
        } else {
            match page::match_within(json).as_deref().map(Json::parse) {
                Some(Ok(game)) => self.read_value(place, game, JsonForm::from_json(game), remarks),
                _ => self.fail(place, GameError::UnknownFormat),
            }
        }
    }

    /// Reads the first match of a page that can be read. It is `rejected` if there is none.
    fn read_page(&mut self, place: Place, text: &str, rejected: GameError) {
        let before = self.found.len();
        for game in page::matches(text) {
            let Ok(game) = Json::parse(&game) else { continue };
            self.found.truncate(before);
            self.read_value(place.clone(), game, JsonForm::from_json(game), Vec::new());
            if self.found.back().is_some_and(Result::is_ok) {
                return;
            }
        }
        if self.found.len() == before {
            self.fail(place, rejected);
        }
    }

    fn read_value(&mut self, place: Place, json: Json<'_>, form: Option<JsonForm>, mut remarks: Vec<Remark>) {
        let game = read_json(json, form, self.ruling, &mut remarks);
        self.push(place, remarks, game);
    }

    fn push(&mut self, place: Place, remarks: Vec<Remark>, game: Result<IdentifiedGame, GameError>) {
        self.found.push_back(match game {
            Ok((form, id, replay)) => Ok(FoundGame { place, id, form, replay, remarks }),
            Err(error) => Err(BadGame { place, error }),
        });
    }

    fn fail(&mut self, place: Place, error: GameError) {
        self.found.push_back(Err(BadGame { place, error }));
    }
}

impl Iterator for Games<'_> {
    type Item = Result<FoundGame, BadGame>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.found.is_empty() {
            self.advance()?;
        }
        let next = self.found.pop_front()?;
        self.bad += usize::from(next.is_err());
        if self.bad == MAX_BAD {
            (self.list, self.source) = (None, Source::End);
            self.found = VecDeque::from([Err(BadGame { place: Place::default(), error: GameError::TooManyBad })]);
        }
        Some(next)
    }
}

/// Reads the first game of some bytes.
///
/// # Errors
/// Fails if the bytes are nothing that holds games, or if their first game cannot be read.
///
/// ```
/// use pacman2_replay::games::{self, GameForm};
///
/// assert_eq!(games::read_first(br#"{"seed": 42}"#).unwrap().form, GameForm::InitData);
/// assert!(games::read_first(b"hello").is_err());
/// ```
pub fn read_first(bytes: &[u8]) -> Result<FoundGame, GameError> {
    let first = Games::new(Cursor::new(bytes), None).next();
    first.expect("an input without games is an error").map_err(|bad| bad.error)
}

/// Reads a game that has been parsed as JSON.
///
/// # Errors
/// Fails if the value is no game, or one that cannot be read.
pub fn from_json(value: &Value) -> Result<Replay, GameError> {
    let text = JsonText::from(value);
    read_json(text.json(), JsonForm::from_json(text.json()), None, &mut Vec::new()).map(|(.., replay)| replay)
}

fn open<'a>(mut input: Box<dyn Input + 'a>) -> Result<Source<'a>, GameError> {
    Ok(if archive::is_zip(&mut input)? {
        Source::Zip(Box::new(Archive::open(input)?))
    } else {
        Source::Text(Box::new(Text::from_file(input)))
    })
}

fn read_json(
    json: Json<'_>,
    form: Option<JsonForm>,
    ruling: Option<ForfeitRuling>,
    remarks: &mut Vec<Remark>,
) -> Result<IdentifiedGame, GameError> {
    let base = Ruleset::default().with_forfeit_ruling(ruling.unwrap_or_default());
    Ok(match form.ok_or(GameError::UnknownFormat)? {
        JsonForm::Replay => (GameForm::Replay, None, Replay::from_json(json)?),
        JsonForm::MatchLog => {
            let log = MatchLog::read_json(json, ruling.map(|_| base))?;
            let replay = Replay::from_match_log(&log);
            remarks.extend(log.difference.map(Remark::Log));
            (GameForm::MatchLog, log.id, replay)
        }
        JsonForm::SavedInput => {
            let SavedInput { seat, log, data } = SavedInput::read(json, ruling.map(|_| base))?;
            let mut replay = Replay::from_match_log(&log);
            if let Some(last) = replay.private.turns.last_mut().and_then(|turn| turn[seat.index()].as_mut()) {
                last.data = data;
            }
            (GameForm::SavedInput(seat), None, replay)
        }
        JsonForm::InitData => {
            let (map, warnings) = init_data::read_json(json, 0, base)?;
            remarks.extend(warnings.into_iter().map(Remark::InitData));
            let seats = BySeat::from_fn(|seat| SeatInfo::named(format!("player {seat}")));
            (GameForm::InitData, None, Replay::new(&map, seats, LimitsInfo::default(), [].iter(), PrivatePart::default()))
        }
    })
}
