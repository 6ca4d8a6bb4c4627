//! The programs that were compiled from sources, kept up to a total size. Those that were not used for longest go first. Beside each
//! lies its hash: one that a full disk or a loss of power cut off is made again.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use etcetera::BaseStrategy;
use pacman2_botzone::problem::Problem;
use pacman2_console::error::coded;
use pacman2_console::files;
use tempfile::{NamedTempFile, TempDir};

use crate::hash;

/// How large all programs together may be.
const MAX_TOTAL_BYTES: u64 = 512 * 1024 * 1024;
/// The file that is locked while programs are added, removed or taken into use.
const LOCK: &str = "lock";
/// The prefixes of the folders in which compilers work, of programs that are not complete, and of the files that are locked while
/// a program is made.
const SCRATCH: &str = "compiling-";
const UNFINISHED: &str = "unfinished-";
const MAKING: &str = "making-";
/// The age at which these count as abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);
/// How long the names of programs are: SHA-256 in hexadecimal digits.
const KEY_DIGITS: usize = 64;

/// The folder of compiled programs.
pub(crate) struct ProgramCache {
    folder: PathBuf,
}

/// A program in the cache. It is not removed while this value lives.
#[derive(Debug)]
pub(crate) struct CachedProgram {
    pub(crate) path: PathBuf,
    _lock: File,
}

impl ProgramCache {
    /// Opens the cache of the user, or creates it.
    pub(crate) fn open() -> anyhow::Result<ProgramCache> {
        let folder = folder()
            .ok_or_else(|| coded(Problem::new("no-home-folder"), "cannot find the home folder, where compiled bots are kept"))?;
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let cache = ProgramCache { folder };
        cache.remove_abandoned();
        Ok(cache)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates a folder for a compiler, which is removed at the end.
    pub(crate) fn scratch(&self) -> anyhow::Result<TempDir> {
        Ok(tempfile::Builder::new().prefix(SCRATCH).tempdir_in(&self.folder)?)
    }

    /// Creates the file for a program that will be added.
    pub(crate) fn unfinished(&self) -> anyhow::Result<NamedTempFile> {
        Ok(tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?)
    }

    /// Returns the program with this key. If there is none, `make` makes it, while other processes and threads that need it wait.
    pub(crate) fn find_or_make(
        &self,
        key: &str,
        make: impl FnOnce() -> anyhow::Result<NamedTempFile>,
    ) -> anyhow::Result<CachedProgram> {
        if let Some(program) = self.find(key)? {
            return Ok(program);
        }
        // The system gives the lock back even if its owner is killed. A process that waited for the file of another one that has
        // removed it finds the program, unless that one failed.
        let path = self.folder.join(format!("{MAKING}{key}"));
        let _lock = lock(&path)?;
        if let Some(program) = self.find(key)? {
            return Ok(program);
        }
        let made = make().and_then(|program| self.add(key, program));
        let _ = fs::remove_file(&path);
        made
    }

    /// Returns the program with this key, if there is one.
    pub(crate) fn find(&self, key: &str) -> anyhow::Result<Option<CachedProgram>> {
        let lock = lock(&self.folder.join(LOCK))?;
        let Ok(program) = hold(self.path_of(key)) else { return Ok(None) };
        // Nobody removes what is in use. To check it takes time, in which others need not wait.
        drop(lock);
        Ok(is_whole(&program.path).then_some(program))
    }

    /// Adds a complete program, and removes others if they are too large together.
    fn add(&self, key: &str, program: NamedTempFile) -> anyhow::Result<CachedProgram> {
        let path = self.path_of(key);
        let failed = || format!("cannot write {}", path.display());
        program.as_file().sync_all().with_context(failed)?;
        let hash = hash::of_files(&[program.path().to_owned()]).with_context(failed)?;
        let _lock = lock(&self.folder.join(LOCK))?;
        // Where there are no locks, another process may have added it. A sandbox that is being built would lose a program that
        // is replaced.
        if !is_whole(&path) {
            program.into_temp_path().persist(&path).with_context(failed)?;
            files::write(&hash_file(&path), &hash)?;
        }
        let added = hold(path)?;
        self.shrink();
        Ok(added)
    }

    fn path_of(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}{}", env::consts::EXE_SUFFIX))
    }

    /// Removes the programs that were not used for longest, until the others fit. Those in use stay.
    fn shrink(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let programs = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_program));
        let mut programs: Vec<(SystemTime, u64, PathBuf)> = programs
            .filter_map(|entry| {
                let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
                Some((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), entry.path()))
            })
            .collect();
        programs.sort();
        let mut total: u64 = programs.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in programs {
            if total <= MAX_TOTAL_BYTES {
                break;
            }
            if !is_in_use(&path) && fs::remove_file(&path).is_ok() {
                let _ = fs::remove_file(hash_file(&path));
                total -= size;
            }
        }
    }

    /// Removes what compilers left that were interrupted long ago.
    fn remove_abandoned(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_unfinished =
                name.to_str().is_some_and(|name| [SCRATCH, UNFINISHED, MAKING].iter().any(|begin| name.starts_with(begin)));
            let changed = entry.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|then| then.elapsed().ok());
            if is_unfinished && changed.is_some_and(|age| age > ABANDONED) {
                let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
            }
        }
    }
}

/// Returns the folder of the cache, which may not exist; `None` if the user has no home.
pub(crate) fn folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("pacman2"))
}

/// Creates the file if need be, and waits until it is locked.
fn lock(path: &Path) -> anyhow::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path);
    let file = file.with_context(|| format!("cannot write {}", path.display()))?;
    // Some network file systems have no locks. The cache works without them, but a program may be made twice or removed in use.
    let _ = file.lock();
    Ok(file)
}

/// Takes a program into use, which also counts as its latest use.
fn hold(path: PathBuf) -> anyhow::Result<CachedProgram> {
    let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let _ = file.lock_shared();
    let _ = file.set_modified(SystemTime::now());
    Ok(CachedProgram { path, _lock: file })
}

/// Returns the file with the hash of a program.
fn hash_file(program: &Path) -> PathBuf {
    program.with_extension("sha256")
}

/// Returns whether a program is there as it was made.
fn is_whole(program: &Path) -> bool {
    let known = fs::read_to_string(hash_file(program)).ok();
    known.is_some() && known == hash::of_files(&[program.to_owned()])
}

fn is_in_use(program: &Path) -> bool {
    File::open(program).is_ok_and(|file| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)))
}

/// Whether this is the name of a program. Other files in the folder are left alone.
fn is_program(name: &str) -> bool {
    let key = name.strip_suffix(env::consts::EXE_SUFFIX).unwrap_or_default();
    key.len() == KEY_DIGITS && key.bytes().all(|digit| digit.is_ascii_hexdigit())
}
