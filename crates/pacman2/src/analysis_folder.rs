//! The folder of kept analyses beside replays: a file for each position and effort.
//!
//! Its files may come from anywhere: one that is not exactly what this program wrote there is ignored. Names are hashes, links are
//! not followed, and the number and size of files are limited. A folder that cannot be used only means that nothing is kept.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use pacman2_analysis::cache::AnalysisCache;
use pacman2_bot_source::hash::{hexadecimal, is_hash};
use pacman2_console::files::TEMPORARY;
use pacman2_runner::read_input_file;
use sha2::{Digest, Sha256};

/// The name of the folder. It begins with a dot, so that no list of replays shows it.
const NAME: &str = ".pacman2-analyses";
/// The most files that are kept: a hundred matches. Then the oldest make room.
const MAX_FILES: usize = 10_000;
/// How many files are written before they are counted again. There can be this many more than [`MAX_FILES`].
const WRITES_BETWEEN_COUNTS: usize = 500;
/// The largest file. An analysis has at most 36 actions with ten turns each, a fraction of this.
const MAX_BYTES: u64 = 64 * 1024;

/// A folder of kept analyses.
#[derive(Debug)]
pub(crate) struct AnalysisFolder {
    path: PathBuf,
    max_files: usize,
    /// How many files may be written before they are counted again.
    writes_left: Mutex<usize>,
}

impl AnalysisFolder {
    /// Keeps analyses in a folder of its own inside a folder of replays. It is made with the first analysis.
    pub(crate) fn beside(replays: &Path) -> AnalysisFolder {
        AnalysisFolder { path: replays.join(NAME), max_files: MAX_FILES, writes_left: Mutex::new(0) }
    }

    fn write(&self, key: &str, analysis: &str) -> io::Result<()> {
        match fs::create_dir(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if !self.is_folder() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        self.make_room()?;
        let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(&self.path)?;
        write!(file, "{}\n{analysis}", head(key, analysis))?;
        file.persist(self.file(key))?;
        Ok(())
    }

    fn file(&self, key: &str) -> PathBuf {
        self.path.join(format!("{}.json", hexadecimal(&Sha256::digest(key))))
    }

    /// Returns whether the folder is one, and not a link to another.
    fn is_folder(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.is_dir())
    }

    /// Removes the oldest files if there are too many, now and then. Files that a killed program did not complete are among them.
    fn make_room(&self) -> io::Result<()> {
        let mut writes_left = self.writes_left.lock().unwrap_or_else(PoisonError::into_inner);
        if *writes_left == 0 {
            let mut files = self.files()?;
            files.sort();
            let surplus = files.len().saturating_sub(self.max_files);
            files.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))?;
            *writes_left = WRITES_BETWEEN_COUNTS;
        }
        *writes_left -= 1;
        Ok(())
    }

    /// Returns the files of this program with the times when they were written.
    fn files(&self) -> io::Result<Vec<(SystemTime, PathBuf)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let is_own = entry.file_name().to_str().is_some_and(is_name);
            // The file may have been removed meanwhile.
            let Ok(metadata) = entry.metadata() else { continue };
            if is_own && metadata.is_file() {
                files.push((metadata.modified()?, entry.path()));
            }
        }
        Ok(files)
    }
}

impl AnalysisCache for AnalysisFolder {
    fn load(&self, key: &str) -> Option<String> {
        let path = self.file(key);
        if !self.is_folder() || !fs::symlink_metadata(&path).ok()?.is_file() {
            return None;
        }
        let text = String::from_utf8(read_input_file(&path, MAX_BYTES).ok()?).ok()?;
        let (first_line, analysis) = text.split_once('\n')?;
        (first_line == head(key, analysis)).then(|| analysis.to_owned())
    }

    fn store(&self, key: &str, analysis: &str) {
        // What cannot be kept is analysed again.
        let _ = self.write(key, analysis);
    }
}

/// Returns the first line of a file: a hash of its key and the rest, by which a damaged or foreign file is recognised.
fn head(key: &str, analysis: &str) -> String {
    hexadecimal(&Sha256::digest(format!("{key}\n{analysis}")))
}

/// Returns whether a file's name is one that this program chooses.
fn is_name(name: &str) -> bool {
    let hash = name.strip_suffix(".json").unwrap_or_default();
    name.starts_with(TEMPORARY) || is_hash(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, AnalysisFolder) {
        let replays = tempfile::tempdir().unwrap();
        let folder = AnalysisFolder::beside(replays.path());
        (replays, folder)
    }

    #[test]
    fn what_is_kept_is_found_under_its_key_only() {
        let (_replays, folder) = folder();
        assert_eq!(folder.load("a"), None);
        assert!(!folder.path.exists(), "reading makes no folder");
        folder.store("a", "one");
        folder.store("b", "two\nlines");
        assert_eq!(["a", "b", "c"].map(|key| folder.load(key)), [Some("one".into()), Some("two\nlines".into()), None]);
        folder.store("a", "three");
        assert_eq!(folder.load("a"), Some("three".into()));
    }

    #[test]
    fn damaged_and_foreign_files_are_ignored_and_replaced() {
        let (_replays, folder) = folder();
        folder.store("a", "one");
        folder.store("b", "two");
        let right = fs::read(folder.file("a")).unwrap();
        let foreign = fs::read(folder.file("b")).unwrap();
        let long = [right.clone(), vec![b' '; MAX_BYTES as usize]].concat();
        let other_letter = [&right[..right.len() - 1], b"E"].concat();
        for wrong in [&b""[..], b"one", b"\n", b"\xff\n", &right[..right.len() - 1], &foreign, &long, &other_letter] {
            fs::write(folder.file("a"), wrong).unwrap();
            assert_eq!(folder.load("a"), None, "{}", String::from_utf8_lossy(wrong));
            folder.store("a", "one");
            assert_eq!(folder.load("a"), Some("one".into()));
        }
        fs::remove_file(folder.file("a")).unwrap();
        fs::create_dir(folder.file("a")).unwrap();
        folder.store("a", "one");
        assert_eq!(folder.load("a"), None);
    }

    #[test]
    fn the_oldest_files_make_room_and_others_stay() {
        let (_replays, folder) = folder();
        let folder = AnalysisFolder { max_files: 3, ..folder };
        for number in 0..5_u64 {
            folder.store(&number.to_string(), "kept");
            let file = fs::File::options().write(true).open(folder.file(&number.to_string())).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000 - number)).unwrap();
        }
        fs::write(folder.path.join("notes.json"), "of the user").unwrap();
        *folder.writes_left.lock().unwrap() = 0;
        folder.store("5", "kept");
        let left = (0..6).filter(|number| folder.load(&number.to_string()).is_some()).collect::<Vec<_>>();
        assert_eq!(left, [0, 1, 2, 5], "the last ones were written first");
        assert!(folder.path.join("notes.json").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let (replays, folder) = folder();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), &folder.path).unwrap();
        folder.store("a", "one");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "nothing is written behind a link");
        // Nor is anything read there.
        let other = AnalysisFolder::beside(elsewhere.path());
        other.store("a", "one");
        fs::remove_file(&folder.path).unwrap();
        symlink(&other.path, &folder.path).unwrap();
        assert_eq!(folder.load("a"), None);

        fs::remove_file(&folder.path).unwrap();
        fs::create_dir(&folder.path).unwrap();
        symlink(other.file("a"), folder.file("a")).unwrap();
        assert_eq!(folder.load("a"), None);
        let target = replays.path().join("target");
        fs::write(&target, "of the user").unwrap();
        fs::remove_file(folder.file("a")).unwrap();
        symlink(&target, folder.file("a")).unwrap();
        folder.store("a", "two");
        assert_eq!((folder.load("a"), fs::read_to_string(&target).unwrap()), (Some("two".into()), "of the user".into()));
    }
}
