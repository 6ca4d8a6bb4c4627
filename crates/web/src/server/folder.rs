//! The folder of replays. Files come from anywhere and may be anything; a broken one is listed as such.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use pacman2_botzone::match_log::MatchLog;
use pacman2_rules::Seat;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::response::ApiError;

/// A larger file is not looked at.
const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// How many of the newest files are listed.
const LISTED_AT_MOST: usize = 5000;
/// The copy of the latest replay, which is in the folder under its own name too.
const LAST: &str = "last.json";

/// The folder, with what is known about its files.
pub(super) struct Folder {
    path: PathBuf,
    known: Mutex<HashMap<String, (Stamp, Outline)>>,
}

/// What tells a file from what it was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
}

/// A file as the list shows it.
#[derive(Serialize)]
pub(super) struct Listed {
    name: String,
    modified_ms: u64,
    size: u64,
    #[serde(flatten)]
    outline: Outline,
}

/// What is in a file.
#[derive(Clone, Serialize)]
#[serde(untagged)]
enum Outline {
    Match { turns: usize, seats: [String; 4], scores: Option<[f64; 4]>, finished: bool },
    Broken { error: String },
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Folder {
        Folder { path, known: Mutex::default() }
    }

    /// Names and stamps of the files, for who wants to know whether anything has changed.
    pub(super) fn stamps(&self) -> Result<Vec<(String, Stamp)>, ApiError> {
        let unreadable = |error: io::Error| ApiError::broken(format!("{} cannot be read: {error}", self.path.display()));
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // What has just gone is not there.
            let Ok(metadata) = fs::metadata(entry.path()) else { continue };
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_name(&name) && metadata.is_file() && (!is_link || self.is_inside(&entry.path())) {
                files.push((name, Stamp::of(&metadata)));
            }
        }
        if let Some(last) = files.iter().position(|(name, _)| name == LAST) {
            let size = files[last].1.size;
            if files.iter().any(|(name, stamp)| name != LAST && stamp.size == size) {
                files.swap_remove(last);
            }
        }
        files.sort_by(|(a, a_stamp), (b, b_stamp)| (b_stamp.modified, b).cmp(&(a_stamp.modified, a)));
        files.truncate(LISTED_AT_MOST);
        Ok(files)
    }

    /// The files, the newest first.
    pub(super) fn list(&self) -> Result<Vec<Listed>, ApiError> {
        let stamps = self.stamps()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut still_known = HashMap::new();
        let mut list = Vec::new();
        for (name, stamp) in stamps {
            let outline = match known.remove(&name) {
                Some((known, outline)) if known == stamp => outline,
                _ => self.outline(&name).unwrap_or_else(|error| Outline::Broken { error }),
            };
            still_known.insert(name.clone(), (stamp, outline.clone()));
            let modified = stamp.modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
            list.push(Listed { name, modified_ms: modified.as_millis() as u64, size: stamp.size, outline });
        }
        *known = still_known;
        Ok(list)
    }

    /// The text of a file.
    pub(super) fn read(&self, name: &str) -> Result<String, ApiError> {
        let path = self.path.join(name);
        if !is_name(name) || !path.is_file() || !self.is_inside(&path) {
            return Err(ApiError::not_found("there is no such replay"));
        }
        read(&path).map_err(ApiError::broken)
    }

    /// Whether a path leads to something in this folder, wherever its links go.
    fn is_inside(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        real(path).and_then(|path| Some(path.parent()?.to_owned())).is_some_and(|parent| Some(parent) == real(&self.path))
    }

    fn outline(&self, name: &str) -> Result<Outline, String> {
        outline(&read(&self.path.join(name))?)
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp { modified: metadata.modified().ok(), size: metadata.len() }
    }
}

/// Whether this is the name of a replay: one step, and a file that no temporary one is called like.
fn is_name(name: &str) -> bool {
    let path = Path::new(name);
    path.file_name() == Some(OsStr::new(name))
        && path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
        && !name.starts_with('.')
        && !name.contains(['/', '\\', ':', '\0'])
}

fn read(path: &Path) -> Result<String, String> {
    let unreadable = |error: io::Error| format!("it cannot be read: {error}");
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(format!("it is larger than {} MB", FILE_BYTES / (1024 * 1024)));
    }
    String::from_utf8(bytes).map_err(|_| "it is not a text in UTF-8".to_owned())
}

/// The part of a replay that a list shows; a fraction of the work of reading it whole.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u32>,
    public: Option<PublicHead>,
}

#[derive(Deserialize)]
struct PublicHead {
    seats: [SeatHead; 4],
    turns: Vec<IgnoredAny>,
    scores: Option<[f64; 4]>,
}

#[derive(Deserialize)]
struct SeatHead {
    name: String,
}

fn outline(text: &str) -> Result<Outline, String> {
    let head: Result<Head, _> = serde_json::from_str(text);
    match head {
        Ok(Head { format: Some(format), version: Some(version), public: Some(public) }) if format == pacman2_replay::FORMAT => {
            if version != pacman2_replay::VERSION {
                return Err(format!("the replay's version is {version}; version {} can be read", pacman2_replay::VERSION));
            }
            let PublicHead { seats, turns, scores } = public;
            let seats = seats.map(|seat| seat.name);
            Ok(Outline::Match { turns: turns.len(), seats, finished: scores.is_some(), scores })
        }
        _ => of_match_log(text),
    }
}

fn of_match_log(text: &str) -> Result<Outline, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    if !MatchLog::recognises(&value) {
        return Err("it is neither a replay nor a match log of Botzone's".to_owned());
    }
    let log = MatchLog::read_by_any_ruling(&value).map_err(|error| error.to_string())?;
    let scores = log.scores().map(|scores| scores.0.map(|score| score.hundredths as f64 / 100.0));
    Ok(Outline::Match { turns: log.turns.len(), seats: Seat::ALL.map(|seat| log.name(seat)), finished: scores.is_some(), scores })
}
