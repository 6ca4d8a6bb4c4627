//! The folder of replays. Its files may come from anywhere and contain anything; unreadable ones are listed with an error.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{Read, Take};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use pacman2_botzone::response::Verdict;
use pacman2_replay::games::{self, FoundGame, GameForm, Games};
use pacman2_replay::{PublicPart, Replay};
use pacman2_runner::{open_input_file, read_input_file};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::error::ApiError;

/// The endings of files that may hold matches. One with any of the last is often something else, and not listed if it has none.
const EXTENSIONS: [&str; 7] = ["json", "matches", "zip", "html", "htm", "txt", "log"];
const OFTEN_OTHERS: [&str; 4] = ["html", "htm", "txt", "log"];
/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// The largest file that is sent as a text in memory. A match of this program's has at most as much.
const MAX_TEXT_BYTES: u64 = 4 * 1024 * 1024;
/// How many of the newest files are listed.
const MAX_LISTED: usize = 5000;
/// The copy of the latest replay. The original is in the folder, too.
const LAST: &str = "last.json";

/// The folder, with a cache of its files' summaries.
pub(super) struct Folder {
    path: PathBuf,
    summaries: Mutex<HashMap<String, (Stamp, Option<Summary>)>>,
}

/// Changes when a file is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
}

/// What a file contains.
pub(super) enum Content {
    /// Its text, in UTF-8.
    Text(String),
    /// A file of more than 4 MB, which is sent in pieces as it is: many clients may want it at the same time.
    Large(Take<File>),
}

/// A file of the list.
#[derive(Serialize)]
pub(super) struct ListedFile {
    name: String,
    modified_ms: u64,
    size: u64,
    #[serde(flatten)]
    summary: Summary,
}

/// The content of a file as the list shows it.
#[derive(Clone, Serialize)]
#[serde(untagged)]
enum Summary {
    Match {
        turns: usize,
        seats: [String; 4],
        scores: Option<[f64; 4]>,
        finished: bool,
        /// Whether the file holds other matches, too: this is the first one.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        has_more: bool,
        seed: Option<i64>,
        /// The verdicts of which players died.
        faults: [Option<Verdict>; 4],
    },
    /// The error as an object.
    Unreadable(Value),
}

impl Summary {
    fn new(turns: Turns, seats: [String; 4], scores: Option<[f64; 4]>, seed: Option<i64>, has_more: bool) -> Summary {
        let Turns { count, faults } = turns;
        Summary::Match { turns: count, seats, finished: scores.is_some(), scores, has_more, seed, faults }
    }
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Folder {
        Folder { path, summaries: Mutex::default() }
    }

    /// Returns the names and stamps of the listed files, newest first.
    pub(super) fn stamps(&self) -> Result<Vec<(String, Stamp)>, ApiError> {
        let unreadable = |error| ApiError::folder_unreadable(&self.path, error);
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // The file may have been deleted meanwhile.
            let Ok(metadata) = fs::metadata(entry.path()) else { continue };
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_name(&name) && metadata.is_file() && (!is_link || self.is_inside(&entry.path())) {
                files.push((name, Stamp::from_metadata(&metadata)));
            }
        }
        let names: HashSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
        files.retain(|(name, _)| !has_replay(name, &names));
        if let Some(last) = files.iter().position(|(name, _)| name == LAST) {
            let size = files[last].1.size;
            if files.iter().any(|(name, stamp)| name != LAST && stamp.size == size) {
                files.swap_remove(last);
            }
        }
        files.sort_by(|(a, a_stamp), (b, b_stamp)| (b_stamp.modified, b).cmp(&(a_stamp.modified, a)));
        files.truncate(MAX_LISTED);
        Ok(files)
    }

    /// Returns the listed files, newest first.
    pub(super) fn list(&self) -> Result<Vec<ListedFile>, ApiError> {
        let stamps = self.stamps()?;
        let mut cached = self.summaries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut summaries = HashMap::new();
        let mut list = Vec::new();
        for (name, stamp) in stamps {
            let summary = match cached.remove(&name) {
                Some((cached, summary)) if cached == stamp => summary,
                _ => self.summarise(&name),
            };
            summaries.insert(name.clone(), (stamp, summary.clone()));
            let Some(summary) = summary else { continue };
            let modified = stamp.modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
            list.push(ListedFile { name, modified_ms: modified.as_millis() as u64, size: stamp.size, summary });
        }
        *cached = summaries;
        Ok(list)
    }

    /// Returns the first match in a file that can be read.
    pub(super) fn replay(&self, name: &str) -> Result<Replay, ApiError> {
        Ok(first_match(&self.find(name)?)?.0.replay)
    }

    /// Returns what a file contains, to be sent.
    pub(super) fn content(&self, name: &str) -> Result<Content, ApiError> {
        let path = self.find(name)?;
        let file = open_input_file(&path, MAX_FILE_BYTES)?;
        if !has_extension(&path, &["zip"]) && file.metadata().map_or(0, |metadata| metadata.len()) <= MAX_TEXT_BYTES {
            return read(&path).map(Content::Text);
        }
        Ok(Content::Large(file.take(MAX_FILE_BYTES)))
    }

    fn find(&self, name: &str) -> Result<PathBuf, ApiError> {
        let path = self.path.join(name);
        let is_there = is_name(name) && path.is_file() && self.is_inside(&path);
        is_there.then_some(path).ok_or(ApiError::NoSuchReplay {})
    }

    /// Returns whether a path leads to a file of this folder after all links are resolved.
    fn is_inside(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        real(path).and_then(|path| Some(path.parent()?.to_owned())).is_some_and(|parent| Some(parent) == real(&self.path))
    }

    /// Returns what the list shows of a file; `None` if it seems to be something else.
    fn summarise(&self, name: &str) -> Option<Summary> {
        let path = self.path.join(name);
        let summary = if has_extension(&path, &["json"]) { summarise(&path) } else { summarise_matches(&path) };
        match summary {
            Err(_) if has_extension(&path, &OFTEN_OTHERS) => None,
            summary => Some(summary.unwrap_or_else(|error| Summary::Unreadable(error.to_json()))),
        }
    }
}

impl Stamp {
    fn from_metadata(metadata: &Metadata) -> Stamp {
        Stamp { modified: metadata.modified().ok(), size: metadata.len() }
    }
}

/// Returns whether a name can be that of a file with matches: a single path component, and not hidden as temporary files are.
fn is_name(name: &str) -> bool {
    let path = Path::new(name);
    path.file_name() == Some(OsStr::new(name))
        && has_extension(path, &EXTENSIONS)
        && !name.starts_with('.')
        && !name.contains(['/', '\\', ':', '\0'])
}

/// Returns whether a file is the page of a match that lies beside it as a replay.
fn has_replay(name: &str, names: &HashSet<String>) -> bool {
    let path = Path::new(name);
    has_extension(path, &["html"]) && path.with_extension("json").to_str().is_some_and(|replay| names.contains(replay))
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|extension| found.eq_ignore_ascii_case(extension)))
}

/// Returns the first match in a file that can be read, and whether there are more.
fn first_match(path: &Path) -> Result<(FoundGame, bool), ApiError> {
    let mut games = Games::new(open_input_file(path, MAX_FILE_BYTES)?, None);
    let mut first_error = None;
    while let Some(game) = games.next() {
        match game {
            Ok(game) => return Ok((game, games.next().is_some())),
            Err(bad) => {
                first_error.get_or_insert(bad.error);
            }
        }
    }
    Err(first_error.expect("an input without games is an error").into())
}

fn read(path: &Path) -> Result<String, ApiError> {
    Ok(games::decode(read_input_file(path, MAX_FILE_BYTES)?)?)
}

/// The part of a replay that the list shows. Reading it takes a fraction of the time for the whole replay.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u32>,
    public: Option<PublicHead>,
}

#[derive(Deserialize)]
struct PublicHead {
    #[serde(default)]
    init: InitHead,
    seats: [SeatHead; 4],
    turns: Turns,
    scores: Option<[f64; 4]>,
}

#[derive(Default, Deserialize)]
struct InitHead {
    seed: Option<i64>,
}

/// What the list shows of all turns. A file may have millions of them, so that none is kept.
#[derive(Default)]
struct Turns {
    count: usize,
    faults: [Option<Verdict>; 4],
}

#[derive(Deserialize)]
struct TurnHead {
    verdicts: Option<[Option<String>; 4]>,
}

impl Turns {
    fn add(&mut self, verdicts: [Option<Verdict>; 4]) {
        self.count += 1;
        for (fault, verdict) in self.faults.iter_mut().zip(verdicts) {
            *fault = verdict.filter(Verdict::is_fault).or(*fault);
        }
    }
}

impl<'de> Deserialize<'de> for Turns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Turns, D::Error> {
        struct OneByOne;

        impl<'de> Visitor<'de> for OneByOne {
            type Value = Turns;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of turns")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Turns, A::Error> {
                let mut turns = Turns::default();
                while let Some(TurnHead { verdicts }) = seq.next_element()? {
                    turns.add(verdicts.unwrap_or_default().map(|word| word?.parse().ok()));
                }
                Ok(turns)
            }
        }

        deserializer.deserialize_seq(OneByOne)
    }
}

#[derive(Deserialize)]
struct SeatHead {
    name: String,
}

fn summarise(path: &Path) -> Result<Summary, ApiError> {
    let head: Result<Head, _> = serde_json::from_str(&read(path)?);
    match head {
        Ok(Head { format: Some(format), version: Some(version), public: Some(public) }) if format == pacman2_replay::FORMAT => {
            if version != pacman2_replay::VERSION {
                return Err(ApiError::ReplayVersion { expected: pacman2_replay::VERSION, got: version });
            }
            let PublicHead { init, seats, turns, scores } = public;
            Ok(Summary::new(turns, seats.map(|seat| seat.name), scores, init.seed, false))
        }
        _ => summarise_matches(path),
    }
}

fn summarise_matches(path: &Path) -> Result<Summary, ApiError> {
    let (FoundGame { form, replay, .. }, has_more) = first_match(path)?;
    if form == GameForm::InitData {
        return Err(ApiError::UnknownFormat {});
    }
    let PublicPart { map, seats, turns, scores, .. } = replay.public;
    let mut of_turns = Turns::default();
    turns.iter().for_each(|turn| of_turns.add(turn.verdicts));
    Ok(Summary::new(of_turns, seats.map(|seat| seat.name), scores, Some(map.seed.into()), has_more))
}
