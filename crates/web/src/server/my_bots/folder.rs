//! The folder of the user's own bots: plain files, which other programs may change at any time.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use pacman2_bot_source::bot_folder;
use pacman2_bot_source::mounts::DATA;
use pacman2_bot_source::resolve::is_program;
use pacman2_bot_source::source::BotSource;
use pacman2_bot_source::{archive, bot_name, hash};
use pacman2_console::files;
use pacman2_console::replay_folder::REPLAYS;
use pacman2_replay::games;
use pacman2_runner::{Language, read_input_file};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::history::{History, ShownVersion};
use super::work::TaskBot;
use crate::server::error::ApiError;

/// How many bots are listed.
const MAX_BOTS: usize = 500;
/// The limits of a bot that is edited or uploaded: its files, and their bytes.
pub(super) const MAX_FILES: usize = 500;
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The largest source that is edited.
const MAX_SOURCE_BYTES: u64 = 1024 * 1024;

/// The folder.
pub(super) struct BotsFolder {
    path: PathBuf,
    /// Held while a bot is changed or added.
    changing: Mutex<()>,
}

/// What a bot is in the folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    File,
    Folder,
    Archive,
}

/// A bot of the folder as it is, or a version of it.
pub(super) struct OwnBot {
    /// The name of its entry in the folder.
    pub(super) name: String,
    version: Option<u32>,
    /// Where it is.
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

/// A file of a bot.
#[derive(Serialize)]
struct BotFile {
    /// Its path inside the bot.
    path: String,
    bytes: u64,
    editable: bool,
}

/// A bot as the list shows it.
#[derive(Serialize)]
pub(super) struct ListedBot {
    name: String,
    kind: Kind,
    language: Option<&'static str>,
    /// The file that is the bot, if there is exactly one.
    main: Option<String>,
    modified_ms: u64,
    versions: usize,
    check: Option<ShownCheck>,
}

/// What the last check of a bot has found.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct LastCheck {
    fine: bool,
    faults: usize,
    at_ms: u64,
    /// When the bot had changed last.
    modified_ms: u64,
}

/// The same as pages see it.
#[derive(Serialize)]
struct ShownCheck {
    fine: bool,
    faults: usize,
    at_ms: u64,
    /// Whether the bot is the same as then.
    current: bool,
}

/// A bot with its files and versions.
#[derive(Serialize)]
pub(super) struct ShownBot {
    #[serde(flatten)]
    listed: ListedBot,
    files: Vec<BotFile>,
    history: Vec<ShownVersion>,
}

/// A source as it was read.
#[derive(Serialize)]
pub(super) struct ReadSource {
    file: String,
    text: String,
    hash: String,
    version: Option<u32>,
}

/// The body of a request to save a source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SaveBody {
    file: Option<String>,
    text: String,
    /// The hash of what was read; `None` for a new file.
    base: Option<String>,
}

/// What saving did.
#[derive(Serialize)]
pub(super) struct Saved {
    hash: String,
    /// The version that keeps the former content; `None` if nothing was written.
    version: Option<u32>,
}

impl BotsFolder {
    pub(super) fn new(path: PathBuf) -> BotsFolder {
        // The name of a relative path could be taken for something else, such as a built-in bot.
        BotsFolder { path: std::path::absolute(&path).unwrap_or(path), changing: Mutex::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until nothing else changes the folder.
    pub(super) fn lock(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all bots, those first that changed last.
    pub(super) fn list(&self) -> Result<Vec<ListedBot>, ApiError> {
        let unreadable = |error| ApiError::folder_unreadable(&self.path, error);
        let names =
            fs::read_dir(&self.path).map_err(unreadable)?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut bots: Vec<ListedBot> = names.filter_map(|name| Some(self.listed(&self.find(&name).ok()?))).collect();
        bots.sort_by(|a, b| (b.modified_ms, &a.name).cmp(&(a.modified_ms, &b.name)));
        bots.truncate(MAX_BOTS);
        Ok(bots)
    }

    /// Finds a bot by the name of its entry. A link is none: it may lead anywhere.
    pub(super) fn find(&self, name: &str) -> Result<OwnBot, ApiError> {
        let path = self.path.join(name);
        let is_name = path.file_name() == Some(OsStr::new(name)) && !name.contains(['/', '\\', ':', '\0']);
        let is_ours = [DATA, REPLAYS].contains(&name) || bot_folder::is_hidden(Path::new(name));
        let metadata = fs::symlink_metadata(&path).ok().filter(|_| is_name && !is_ours);
        let kind = match metadata {
            Some(metadata) if metadata.is_dir() => Some(Kind::Folder),
            Some(metadata) if metadata.is_file() => match BotSource::in_file(path.clone()) {
                BotSource::Archive(_) => Some(Kind::Archive),
                _ => (Language::from_file(&path).is_some() || is_program(&path)).then_some(Kind::File),
            },
            _ => None,
        };
        let missing = || ApiError::NoSuchOwnBot { bot: name.to_owned() };
        Ok(OwnBot { name: name.to_owned(), version: None, path, kind: kind.ok_or_else(missing)? })
    }

    /// Finds a version of a bot; without a number, the bot as it is.
    pub(super) fn find_version(&self, name: &str, version: Option<u32>) -> Result<OwnBot, ApiError> {
        let bot = self.find(name)?;
        let Some(number) = version else { return Ok(bot) };
        let missing = || ApiError::NoSuchVersion { bot: name.to_owned(), version: number };
        let path = self.history(&bot).find(number).ok_or_else(missing)?;
        Ok(OwnBot { path, version, ..bot })
    }

    pub(super) fn show(&self, name: &str) -> Result<ShownBot, ApiError> {
        let bot = self.find(name)?;
        let history = self.history(&bot).versions().into_iter().rev();
        Ok(ShownBot {
            listed: self.listed(&bot),
            files: bot.files(),
            history: history.filter_map(|version| version.shown(&bot)).collect(),
        })
    }

    fn listed(&self, bot: &OwnBot) -> ListedBot {
        let main = bot.main();
        let language = main.as_ref().and_then(|main| Language::from_file(Path::new(main)));
        ListedBot {
            name: bot.name.clone(),
            kind: bot.kind,
            language: language.map(Language::name),
            main,
            modified_ms: bot.modified_ms(),
            versions: self.history(bot).versions().len(),
            check: self.last_check(bot),
        }
    }

    fn last_check(&self, bot: &OwnBot) -> Option<ShownCheck> {
        let text = read_input_file(&self.history(bot).check_file(), MAX_SOURCE_BYTES).ok()?;
        let LastCheck { fine, faults, at_ms, modified_ms } = serde_json::from_slice(&text).ok()?;
        Some(ShownCheck { fine, faults, at_ms, current: modified_ms == bot.modified_ms() })
    }

    /// Remembers what a check has found of a bot that had changed last at this time; versions have no checks.
    pub(super) fn remember_check(&self, bot: &OwnBot, end: &Value, modified_ms: u64) -> Result<(), ApiError> {
        if bot.version.is_some() {
            return Ok(());
        }
        let count = |list: &Value| list.as_array().map_or(0, Vec::len);
        let faults = if end["result"].is_null() { count(&end["problems"]).max(1) } else { count(&end["faults"]) };
        let check = LastCheck { fine: faults == 0, faults, at_ms: millis(SystemTime::now()), modified_ms };
        let text = serde_json::to_string(&check).expect("plain data always has a JSON form");
        let file = self.history(bot).check_file();
        fs::create_dir_all(files::folder_of(&file)).map_err(not_written)?;
        files::write(&file, &text).map_err(|error| ApiError::internal(&error))
    }

    /// Returns the number of the last version, if there is one.
    pub(super) fn last_version(&self, bot: &OwnBot) -> Option<u32> {
        self.history(bot).versions().pop().map(|version| version.number)
    }

    fn history(&self, bot: &OwnBot) -> History {
        History::new(&self.path, &bot.name)
    }

    /// Reads a source of a bot, or of a version of it.
    pub(super) fn read(&self, name: &str, file: Option<&str>, version: Option<u32>) -> Result<ReadSource, ApiError> {
        let bot = self.find_version(name, version)?;
        let (file, path) = bot.source(file)?;
        let bytes = present(&path)?.ok_or_else(|| ApiError::NoSuchOwnFile { file: file.clone() })?;
        let hash = hash_of(&bytes);
        Ok(ReadSource { file, text: games::decode(bytes)?, hash, version })
    }

    /// Saves a source, unless it is another one by now than the one that was read. The bot as it was becomes a version.
    pub(super) fn save(&self, name: &str, body: SaveBody) -> Result<Saved, ApiError> {
        let SaveBody { file, text, base } = body;
        let _lock = self.lock();
        let bot = self.find(name)?;
        let (file, path) = bot.source(file.as_deref())?;
        let check = || -> Result<Option<Vec<u8>>, ApiError> {
            let found = present(&path)?;
            let hash = found.as_deref().map(hash_of);
            if hash == base { Ok(found) } else { Err(ApiError::SourceChanged { file: file.clone(), hash }) }
        };
        let hash = hash_of(text.as_bytes());
        if check()?.is_some_and(|former| former == text.as_bytes()) {
            return Ok(Saved { hash, version: None });
        }
        let version = self.history(&bot).keep(&bot)?;
        // Keeping the version took time.
        check()?;
        if !write(&path, &text)? {
            return Err(ApiError::SourceChanged { file, hash: present(&path)?.as_deref().map(hash_of) });
        }
        Ok(Saved { hash, version: Some(version) })
    }
}

impl OwnBot {
    /// Returns the bot as what works on it sees it.
    pub(super) fn to_task(&self) -> TaskBot {
        let label = self.version.map_or_else(|| self.name.clone(), |version| format!("{}@{version}", self.name));
        TaskBot { text: self.path.to_string_lossy().into_owned(), label }
    }

    /// Returns what a file is called inside the bot, given what a compiler or an interpreter calls it.
    pub(super) fn inner_name(&self, file: &str) -> String {
        let path = Path::new(file);
        let inside = path.strip_prefix(&self.path).ok().filter(|inside| *inside != Path::new(""));
        let has_name = |own: &BotFile| Path::new(&own.path).file_name() == path.file_name();
        match inside {
            Some(inside) => shown_path(inside),
            None if self.kind == Kind::File && path.file_name() == self.path.file_name() => self.name.clone(),
            None => {
                let own = self.files().into_iter().filter(has_name).map(|own| own.path);
                <[String; 1]>::try_from(own.collect::<Vec<_>>()).map_or_else(|_| shown_path(path), |[own]| own)
            }
        }
    }

    /// Returns the file that is the bot, as its path inside; `None` if there is not exactly one.
    pub(super) fn main(&self) -> Option<String> {
        match self.kind {
            Kind::File => Some(self.name.clone()),
            Kind::Archive => None,
            Kind::Folder => {
                let main = BotSource::Folder(self.path.clone()).file().ok().flatten()?;
                main.strip_prefix(&self.path).ok().map(shown_path)
            }
        }
    }

    /// Whether it has sources to edit.
    fn has_source(&self) -> bool {
        self.kind == Kind::Folder || self.kind == Kind::File && Language::from_file(&self.path).is_some()
    }

    fn files(&self) -> Vec<BotFile> {
        let size = |path: &Path| fs::symlink_metadata(path).map_or(0, |metadata| metadata.len());
        let file = |path: String, bytes| BotFile { path, bytes, editable: self.has_source() && bytes <= MAX_SOURCE_BYTES };
        if self.kind != Kind::Folder {
            return vec![file(self.name.clone(), size(&self.path))];
        }
        own_files(&self.path).iter().map(|path| file(shown_path(path), size(&self.path.join(path)))).collect()
    }

    /// Returns a source to read or write: its path inside the bot, and where it is.
    fn source(&self, file: Option<&str>) -> Result<(String, PathBuf), ApiError> {
        let read_only = || ApiError::BotReadOnly { bot: self.name.clone() };
        let file = match file {
            _ if !self.has_source() => return Err(read_only()),
            Some(file) => file.to_owned(),
            None => self.main().ok_or_else(read_only)?,
        };
        let path = match self.kind {
            Kind::File => (file == self.name).then(|| self.path.clone()),
            _ => inner_path(&file).map(|path| self.path.join(path)).filter(|path| !has_link(&self.path, path)),
        };
        let path = path.ok_or_else(|| ApiError::BotPath { path: file.clone() })?;
        Ok((file, path))
    }

    /// Returns when the bot changed last.
    pub(super) fn modified_ms(&self) -> u64 {
        let inner = match self.kind {
            Kind::Folder => own_files(&self.path),
            _ => Vec::new(),
        };
        let times = inner.iter().map(|file| self.path.join(file)).filter_map(|path| Some(modified_ms(&path.metadata().ok()?)));
        times.max().or_else(|| Some(modified_ms(&self.path.metadata().ok()?))).unwrap_or_default()
    }
}

/// Returns the files of a bot; none if there are too many to show.
pub(super) fn own_files(folder: &Path) -> Vec<PathBuf> {
    bot_folder::own_files(folder, MAX_FILES).unwrap_or_default()
}

/// Returns the files of a bot that is small enough to be kept in versions.
pub(super) fn small_files(folder: &Path) -> Result<Vec<PathBuf>, ApiError> {
    let files = bot_folder::own_files(folder, MAX_FILES).ok_or(TOO_LARGE)?;
    let bytes: u64 = files.iter().filter_map(|file| folder.join(file).metadata().ok()).map(|metadata| metadata.len()).sum();
    if bytes > MAX_BYTES { Err(TOO_LARGE) } else { Ok(files) }
}

pub(super) const TOO_LARGE: ApiError = ApiError::BotTooLarge { files: MAX_FILES, bytes: MAX_BYTES };

/// Returns the path of a file below its bot; `None` if it leads elsewhere, is hidden, or some system reserves it.
pub(super) fn inner_path(file: &str) -> Option<PathBuf> {
    let is_plain = |part: &OsStr| {
        let name = part.to_string_lossy();
        !bot_folder::is_hidden(Path::new(part)) && !bot_name::is_device(&name) && !name.ends_with(['.', ' '])
    };
    archive::inner_path(file).filter(|path| !file.ends_with(['/', '\\']) && path.iter().all(is_plain))
}

/// Returns whether there is a link on the way from a folder to a path in it.
fn has_link(folder: &Path, path: &Path) -> bool {
    let inside = path.ancestors().take_while(|path| *path != folder);
    inside.into_iter().any(|path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()))
}

/// Reads a source; `None` if there is no such file.
fn present(path: &Path) -> Result<Option<Vec<u8>>, ApiError> {
    if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    Ok(Some(read_input_file(path, MAX_SOURCE_BYTES)?))
}

/// Writes a source, which keeps its permissions. Returns `false` if it was to be new and another program has made it meanwhile.
fn write(path: &Path, text: &str) -> Result<bool, ApiError> {
    let Ok(metadata) = fs::metadata(path) else {
        fs::create_dir_all(files::folder_of(path)).map_err(not_written)?;
        return files::write_new(path, text).map_err(|error| ApiError::internal(&error));
    };
    files::write(path, text).map_err(|error| ApiError::internal(&error))?;
    fs::set_permissions(path, metadata.permissions()).map_err(not_written)?;
    Ok(true)
}

pub(super) fn not_written(error: io::Error) -> ApiError {
    ApiError::system("cannot write to the folder of bots", error)
}

pub(super) fn hash_of(bytes: &[u8]) -> String {
    hash::hexadecimal(&Sha256::digest(bytes))
}

/// Returns a path inside a bot as pages see it.
pub(super) fn shown_path(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

pub(super) fn modified_ms(metadata: &Metadata) -> u64 {
    metadata.modified().map_or(0, millis)
}

fn millis(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tempfile::TempDir;

    use super::*;

    /// Makes a folder of bots with these files.
    fn folder(files: &[(&str, &str)]) -> (TempDir, BotsFolder) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let bots = BotsFolder::new(dir.path().to_owned());
        (dir, bots)
    }

    fn save(bots: &BotsFolder, name: &str, file: Option<&str>, text: &str, base: Option<&str>) -> Result<Option<u32>, ApiError> {
        let base = base.map(|base| hash_of(base.as_bytes()));
        let body = SaveBody { file: file.map(str::to_owned), text: text.to_owned(), base };
        bots.save(name, body).map(|saved| saved.version)
    }

    fn text(bots: &BotsFolder, name: &str, file: Option<&str>, version: Option<u32>) -> String {
        bots.read(name, file, version).unwrap().text
    }

    #[test]
    fn bots_are_files_folders_and_archives() {
        let (_dir, bots) = folder(&[
            ("quick.py", ""),
            ("deep/main.cpp", ""),
            ("deep/lib/map.hpp", ""),
            ("empty/notes.md", ""),
            ("old.zip", ""),
            ("notes.md", ""),
            ("data/net.bin", ""),
            ("replays/last.json", ""),
            (".versions/quick.py/0001.py", ""),
        ]);
        let mut listed: Vec<_> =
            bots.list().unwrap().into_iter().map(|bot| (bot.name, bot.kind, bot.language, bot.main, bot.versions)).collect();
        listed.sort_by(|a, b| a.0.cmp(&b.0));
        let owned = |text: &str| Some(text.to_owned());
        let expected = [
            ("deep", Kind::Folder, Some("C++"), owned("main.cpp"), 0),
            ("empty", Kind::Folder, None, None, 0),
            ("old.zip", Kind::Archive, None, None, 0),
            ("quick.py", Kind::File, Some("Python"), owned("quick.py"), 1),
        ];
        assert_eq!(
            listed,
            expected.map(|(name, kind, language, main, versions)| (name.to_owned(), kind, language, main, versions))
        );
        let files: Vec<String> = bots.show("deep").unwrap().files.into_iter().map(|file| file.path).collect();
        assert_eq!(files, ["lib/map.hpp", "main.cpp"]);
    }

    #[test]
    fn each_save_keeps_the_former_content() {
        let (dir, bots) = folder(&[("quick.py", "one"), ("deep/main.py", "one"), ("deep/more.py", "more")]);
        for (name, file, of_version) in
            [("quick.py", "quick.py", ".versions/quick.py/0001.py"), ("deep", "main.py", ".versions/deep/0001/main.py")]
        {
            assert_eq!(save(&bots, name, None, "two", Some("one")), Ok(Some(1)));
            assert_eq!(save(&bots, name, None, "two", Some("two")), Ok(None), "it is the same text");
            assert_eq!(save(&bots, name, Some(file), "three", Some("two")), Ok(Some(2)));
            assert_eq!([None, Some(1), Some(2)].map(|version| text(&bots, name, None, version)), ["three", "one", "two"]);
            assert_eq!(fs::read_to_string(dir.path().join(of_version)).unwrap(), "one");
        }
        assert_eq!(text(&bots, "deep", Some("more.py"), Some(2)), "more");
        let history = bots.show("deep").unwrap().history;
        let shown = serde_json::to_value(&history[0]).unwrap();
        assert_eq!(
            (&shown["version"], &shown["files"], &shown["bytes"]),
            (&2.into(), &serde_json::json!(["main.py", "more.py"]), &7.into())
        );
    }

    #[test]
    fn what_another_program_has_changed_is_not_overwritten() {
        let (dir, bots) = folder(&[("quick.py", "one"), ("deep/main.py", "one")]);
        fs::write(dir.path().join("quick.py"), "by an editor").unwrap();
        let changed = |file: &str, hash: Option<&str>| {
            Err(ApiError::SourceChanged { file: file.to_owned(), hash: hash.map(|text| hash_of(text.as_bytes())) })
        };
        assert_eq!(save(&bots, "quick.py", None, "two", Some("one")), changed("quick.py", Some("by an editor")));
        assert_eq!(save(&bots, "deep", Some("gone.py"), "two", Some("one")), changed("gone.py", None));
        assert_eq!(save(&bots, "deep", Some("main.py"), "two", None), changed("main.py", Some("one")));
        assert_eq!(
            (text(&bots, "quick.py", None, None), text(&bots, "deep", None, None)),
            ("by an editor".to_owned(), "one".to_owned())
        );
        assert_eq!(save(&bots, "deep", Some("lib/new.py"), "new", None), Ok(Some(1)));
        assert_eq!(text(&bots, "deep", Some("lib/new.py"), None), "new");
    }

    #[test]
    fn paths_stay_inside_the_bot() {
        let (dir, bots) = folder(&[("deep/main.py", "one"), ("quick.py", "one"), ("secret.txt", "secret")]);
        for name in ["..", ".", "", ".versions", "deep/main.py", "secret.txt", "gone", "../deep", "data", "deep\0"] {
            assert!(matches!(bots.find(name).map(|bot| bot.name), Err(ApiError::NoSuchOwnBot { .. })), "{name:?}");
        }
        for file in
            ["../secret.txt", "/etc/passwd", "", ".", "..", "lib/", ".git/config", "lib/../../x", "con.py", "a.", "a/aux", "x:y"]
        {
            let refused = ApiError::BotPath { path: file.to_owned() };
            assert_eq!(save(&bots, "deep", Some(file), "two", None), Err(refused.clone()), "{file:?}");
            assert_eq!(bots.read("deep", Some(file), None).err(), Some(refused), "{file:?}");
        }
        assert!(bots.read("quick.py", Some("secret.txt"), None).is_err());
        assert_eq!(fs::read_dir(dir.path().join("deep")).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;

        let (dir, bots) = folder(&[("deep/main.py", "one"), ("other/bot.py", "other")]);
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("bot.py"), "secret").unwrap();
        let path = |path: &str| dir.path().join(path);
        symlink(elsewhere.path(), path("folder")).unwrap();
        symlink(elsewhere.path().join("bot.py"), path("file.py")).unwrap();
        symlink(elsewhere.path(), path("deep/lib")).unwrap();
        symlink(elsewhere.path().join("bot.py"), path("deep/link.py")).unwrap();
        let names: Vec<String> = bots.list().unwrap().into_iter().map(|bot| bot.name).collect();
        assert!(names.len() == 2 && !names.contains(&"folder".to_owned()), "{names:?}");
        assert_eq!(bots.show("deep").unwrap().files.len(), 1);
        for file in ["lib/bot.py", "link.py", "lib/new.py"] {
            assert!(matches!(bots.read("deep", Some(file), None), Err(ApiError::BotPath { .. })), "{file}");
            assert!(matches!(save(&bots, "deep", Some(file), "x", None), Err(ApiError::BotPath { .. })), "{file}");
        }
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_script_stays_executable() {
        use std::os::unix::fs::PermissionsExt;

        let (dir, bots) = folder(&[("quick.py", "one")]);
        let path = dir.path().join("quick.py");
        fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        save(&bots, "quick.py", None, "two", Some("one")).unwrap();
        assert_eq!(Path::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
    }

    #[test]
    fn what_is_too_large_for_versions_is_shown_but_not_saved() {
        let (_dir, bots) = folder(&[("deep/main.py", "one"), ("deep/net.bin", &"x".repeat(17 << 20)), ("old.zip", "")]);
        let files: Vec<_> = bots.show("deep").unwrap().files.into_iter().map(|file| (file.path, file.editable)).collect();
        assert_eq!(files, [("main.py".to_owned(), true), ("net.bin".to_owned(), false)]);
        assert_eq!(save(&bots, "deep", None, "two", Some("one")), Err(TOO_LARGE));
        assert_eq!(save(&bots, "old.zip", None, "two", None), Err(ApiError::BotReadOnly { bot: "old.zip".to_owned() }));
        assert_eq!(text(&bots, "deep", None, None), "one");
    }

    #[test]
    fn the_oldest_versions_are_forgotten() {
        let (_dir, bots) = folder(&[("quick.py", "0")]);
        for number in 0..104 {
            save(&bots, "quick.py", None, &(number + 1).to_string(), Some(&number.to_string())).unwrap();
        }
        let numbers: Vec<u32> =
            bots.history(&bots.find("quick.py").unwrap()).versions().iter().map(|version| version.number).collect();
        assert_eq!((numbers.len(), numbers.first(), numbers.last()), (100, Some(&5), Some(&104)));
        assert_eq!(
            bots.read("quick.py", None, Some(4)).err(),
            Some(ApiError::NoSuchVersion { bot: "quick.py".to_owned(), version: 4 })
        );
    }
}
