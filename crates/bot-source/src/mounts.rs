//! The files that a bot can read in its sandbox: its own, and those of its runtime.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use pacman2_botzone::problem::Problem;
use pacman2_console::files::folder_of;
use pacman2_console::replay_folder::REPLAYS;
use pacman2_runner::{Mounts, STORAGE_BYTES, STORAGE_FILES, Storage, lexically_normal, open_input_file};

use crate::executables::find_in_path;
use crate::program_cache;
use crate::resolve::KeptStorage;

/// The folder beside a bot's file that stands for the author's storage on Botzone.
pub const DATA: &str = "data";
/// The file that makes a folder an arena.
pub(crate) const ARENA: &str = "arena.sqlite";
/// How many links are followed from a program's name to its file.
const MAX_LINKS: usize = 16;
/// How many parts a runtime may have. Interpreters of scripts are not followed beyond it.
const MAX_PARTS: usize = 64;
/// How much of a script's first line is read.
const SHEBANG_BYTES: u64 = 256;
/// How many files and folders of a bot's folder are examined for those that must stay hidden.
const MAX_ENTRIES: usize = 50_000;

/// What a bot can read besides the files that it consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Surroundings {
    /// Nothing.
    Nothing,
    /// The folder `data` beside each of its files.
    Data,
    /// The same, where nothing else of its folder was copied with it.
    Copied,
    /// This folder, which the user named or marked as the bot's own.
    Folder(PathBuf),
}

/// What the bots of a match must not read.
#[derive(Clone, Default)]
pub struct Hidden {
    /// The files of all bots of the match. Each bot reads its own.
    pub bots: Vec<PathBuf>,
    /// Folders with results: an arena, replays, globaldata.
    pub folders: Vec<PathBuf>,
}

/// A file or folder of a bot that cannot be mounted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MountError {
    #[error("{} is a link to another folder; give the file itself", .0.display())]
    LinkToElsewhere(PathBuf),
    #[error(
        "{}: expected at most {MAX_ENTRIES} files in the folder of a bot, got more; move the bot to a folder with only what it needs",
        .0.display()
    )]
    TooManyFiles(PathBuf),
}

impl MountError {
    /// Returns the error as a code that the viewer's page words.
    pub(crate) fn problem(&self) -> Problem {
        match self {
            MountError::LinkToElsewhere(file) => Problem::new("bot-link").with("file", file.to_string_lossy()),
            MountError::TooManyFiles(folder) => {
                Problem::new("bot-folder-too-large").with("folder", folder.to_string_lossy()).with("max", MAX_ENTRIES)
            }
        }
    }
}

/// Returns the mounts of a bot that runs `command` and consists of `files`.
pub(crate) fn of_bot(
    command: &[OsString],
    files: &[PathBuf],
    surroundings: &Surroundings,
    hidden: &Hidden,
    kept: Option<&KeptStorage>,
) -> Result<Mounts, MountError> {
    let mut mounts = of_program(command, &hidden.bots);
    let foreign = foreign(files, hidden);
    mounts.storage = Some(storage_of(files, surroundings, &foreign, kept));
    for file in files {
        // The user named this folder in a command line.
        if file.is_dir() {
            if is_own(file, files, hidden) {
                add_folder(&mut mounts, file, &foreign)?;
            }
            continue;
        }
        // A pipe would keep the sandbox waiting for someone who writes to it.
        let Some(folder) = real_folder_of(file).filter(|_| file.is_file()) else { continue };
        if !fs::canonicalize(file).is_ok_and(|real| real.parent() == Some(&folder)) {
            // The link may be part of a package and lead to a file that the bot must not read.
            return Err(MountError::LinkToElsewhere(file.clone()));
        }
        mounts.readable.push(file.clone());
        let data = folder_of(file).join(DATA);
        if *surroundings != Surroundings::Nothing && fs::symlink_metadata(&data).is_ok_and(|data| data.is_dir()) {
            add_folder(&mut mounts, &data, &foreign)?;
        }
    }
    if let Surroundings::Folder(folder) = surroundings
        && is_own(folder, files, hidden)
    {
        add_folder(&mut mounts, folder, &foreign)?;
    }
    Ok(mounts)
}

/// Returns a bot's storage: a copy of its folder `data`, or this folder as it is if it cannot be copied.
fn storage_of(files: &[PathBuf], surroundings: &Surroundings, foreign: &[PathBuf], kept: Option<&KeptStorage>) -> Storage {
    let of_file = |file: &PathBuf| if file.is_dir() { file.join(DATA) } else { folder_of(file).join(DATA) };
    let at = files.first().map(of_file);
    let sees_data = *surroundings != Surroundings::Nothing;
    let own = at.clone().filter(|data| sees_data && fs::symlink_metadata(data).is_ok_and(|data| data.is_dir()));
    let from = kept.and_then(|kept| kept.from.clone());
    match own {
        Some(own) if from.is_none() && !can_be_copied(&own, foreign) => Storage::ReadOnly(own),
        own => Storage::Writable { from: from.or(own), at, keep: kept.map(|kept| kept.to.clone()) },
    }
}

/// Whether a folder fits into a storage, can be read, and has nothing that stays hidden.
fn can_be_copied(folder: &Path, foreign: &[PathBuf]) -> bool {
    let Ok(root) = fs::canonicalize(folder) else { return false };
    let is_own = || results_in(&root).is_some_and(|results| results.is_empty());
    !foreign.iter().any(|path| path.starts_with(&root)) && fits_into_storage(&root) && is_own()
}

/// Whether all files of a folder can be read and are not more than a storage holds.
pub fn fits_into_storage(folder: &Path) -> bool {
    let (mut files, mut bytes) = (0, 0);
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { return false };
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else { return false };
            files += 1;
            bytes += if metadata.is_file() { metadata.len() } else { 0 };
            if files > STORAGE_FILES || bytes > STORAGE_BYTES || metadata.is_file() && fs::File::open(entry.path()).is_err() {
                return false;
            }
            open.extend(metadata.is_dir().then(|| entry.path()));
        }
    }
    true
}

/// Returns the real paths of what a bot that consists of `files` must not read.
fn foreign(files: &[PathBuf], hidden: &Hidden) -> Vec<PathBuf> {
    let real = |paths: &[PathBuf]| paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect::<Vec<_>>();
    let own = real(files);
    let mut foreign = real(&hidden.bots);
    foreign.retain(|file| !own.contains(file));
    foreign.extend(real(&hidden.folders));
    foreign
}

/// Adds a folder, by the name that was typed: in the sandbox there are no links that would lead to the real one. What is
/// `foreign`, and the results of matches, stay hidden.
fn add_folder(mounts: &mut Mounts, folder: &Path, foreign: &[PathBuf]) -> Result<(), MountError> {
    let Ok(root) = fs::canonicalize(folder) else { return Ok(()) };
    let mut hidden = results_in(&root).ok_or_else(|| MountError::TooManyFiles(folder.to_owned()))?;
    hidden.extend_from_slice(foreign);
    add_parts(mounts, folder, &root, &root, &hidden);
    Ok(())
}

/// Adds a file or folder without the parts of it that are hidden. `real` is its path without links, in `root`.
fn add_parts(mounts: &mut Mounts, named: &Path, real: &Path, root: &Path, hidden: &[PathBuf]) {
    let is_hidden = hidden.iter().any(|hidden| real.starts_with(hidden));
    if is_hidden || !real.starts_with(root) {
        return;
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(real)) {
        mounts.readable.push(named.to_owned());
        return;
    }
    for entry in fs::read_dir(real).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(target) = fs::canonicalize(&path) else { continue };
        // A link to a folder with something hidden could lead in a circle.
        let is_circle = target != path && hidden.iter().any(|hidden| hidden.starts_with(&target));
        if (target.is_dir() || target.is_file()) && !is_circle {
            add_parts(mounts, &named.join(name), &target, root, hidden);
        }
    }
}

/// Returns the arenas in a folder and the folders of replays; `None` if the folder holds too much.
fn results_in(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut results = Vec::new();
    let mut left = MAX_ENTRIES;
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            left = left.checked_sub(1)?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match entry.file_name().to_str() {
                Some(REPLAYS) if is_folder => results.push(entry.path()),
                Some(ARENA) => results.push(folder.clone()),
                _ if is_folder => open.push(entry.path()),
                _ => {}
            }
        }
    }
    Some(results)
}

/// Returns the mounts of the program in `command`: the program itself and its runtime.
fn of_program(command: &[OsString], others: &[PathBuf]) -> Mounts {
    let mut mounts = Mounts::default();
    let Some(word) = command.first() else { return mounts };
    let typed = Path::new(word);
    if typed.components().count() == 1 {
        add_runtime(&mut mounts, find_in_path(word), others);
        return mounts;
    }
    // A path may lead to anything, and so may the first line of a script: only the file itself is mounted. But an installed
    // runtime needs its library, and a virtual environment's Python the environment, which `pyvenv.cfg` marks.
    mounts.readable.extend(Some(typed.to_owned()).filter(|path| path.exists()));
    let environment = real_folder_of(typed).and_then(|bin| bin.parent().map(Path::to_owned));
    let environment = environment.filter(|folder| folder.join("pyvenv.cfg").is_file() && !holds_others(folder, others));
    if let Some(folder) = environment {
        mounts.readable.push(folder);
        mounts.readable.extend(typed.parent().and_then(Path::parent).map(Path::to_owned));
    }
    let installed = fs::canonicalize(typed).ok().filter(|real| is_installed(real));
    add_runtime(&mut mounts, installed.or_else(|| interpreter(typed)), others);
    mounts
}

/// Returns the mounts of a compiler. It is trusted: the user chose it.
pub(crate) fn of_compiler(compiler: &OsStr) -> Mounts {
    let mut mounts = Mounts::default();
    let path = Path::new(compiler);
    let found = if path.components().count() == 1 { find_in_path(compiler) } else { Some(path.to_owned()) };
    add_runtime(&mut mounts, found, &[]);
    mounts
}

/// Whether a program is installed: its folder is in `PATH`, or it is a Python with its library beside it.
fn is_installed(program: &Path) -> bool {
    let found = program.file_name().and_then(find_in_path);
    let is_in_path = found.and_then(|found| fs::canonicalize(found).ok()).is_some_and(|found| found.parent() == program.parent());
    let prefix = program.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let mut libraries = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    is_in_path || libraries.any(|library| library.path().join("os.py").is_file())
}

/// Adds an installed program with its library; if it is a script, its interpreter, too.
fn add_runtime(mounts: &mut Mounts, program: Option<PathBuf>, others: &[PathBuf]) {
    let mut next = program;
    while let Some(program) = next {
        if program.file_stem().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("python")) {
            add_packages(mounts);
        }
        next = interpreter(&program).filter(|_| mounts.readable.len() < MAX_PARTS);
        mounts.readable.extend(runtime(program, others));
    }
}

/// Returns the folder of a file without links.
fn real_folder_of(file: &Path) -> Option<PathBuf> {
    fs::canonicalize(folder_of(file)).ok()
}

/// Whether a folder that the user named or marked can be a bot's own: no other bots lie in it, and it is no general folder.
pub fn is_own(folder: &Path, files: &[PathBuf], hidden: &Hidden) -> bool {
    let Ok(folder) = fs::canonicalize(folder) else { return false };
    let is_of_a_home = folder.parent().is_some_and(|parent| homes().iter().any(|home| home == parent));
    let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_a_users = is_of_a_home && USERS_FOLDERS.contains(&name);
    let others = foreign(files, &Hidden { bots: hidden.bots.clone(), folders: Vec::new() });
    !holds_users(&folder, &others) && !is_a_users && !SHARED_FOLDERS.iter().any(|shared| folder == Path::new(shared))
}

/// Folders in a home that hold the user's files.
#[rustfmt::skip]
const USERS_FOLDERS: [&str; 16] = [
    "Desktop", "Downloads", "Documents", "Music", "Pictures", "Public", "Templates", "Videos", "桌面", "下载", "文档", "音乐",
    "图片", "公共", "模板", "视频",
];
/// Folders that all users share.
const SHARED_FOLDERS: [&str; 7] = ["/opt", "/srv", "/mnt", "/media", "/var/tmp", "/dev/shm", "/etc"];

/// Whether a folder contains files that a bot must not read: other bots, the current folder, homes, our cache.
fn holds_others(folder: &Path, others: &[PathBuf]) -> bool {
    env::current_dir().is_ok_and(|here| contains(folder, here)) || holds_users(folder, others)
}

/// The same, where the current folder may be the bot's.
fn holds_users(folder: &Path, others: &[PathBuf]) -> bool {
    let users = [program_cache::folder(), Some(env::temp_dir())].into_iter().flatten();
    users.chain(homes()).chain(others.iter().cloned()).any(|path| contains(folder, path))
}

fn contains(folder: &Path, path: PathBuf) -> bool {
    fs::canonicalize(path).is_ok_and(|path| path.starts_with(folder))
}

/// Returns the homes of all users of this machine, as far as they are known.
fn homes() -> Vec<PathBuf> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let homes = users.lines().filter_map(|line| line.split(':').nth(5)).filter(|home| home.len() > 1).map(PathBuf::from);
    home().into_iter().chain(homes).filter_map(|home| fs::canonicalize(home).ok()).collect()
}

fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}

/// Returns the interpreter in a script's first line, if it is the one that `PATH` has under that name. A bot's author writes
/// that line, so it must not mount anything else.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut line = Vec::new();
    BufReader::new(open_input_file(script, u64::MAX).ok()?.take(SHEBANG_BYTES)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8(line).ok()?;
    let words: Vec<&str> = line.strip_prefix("#!")?.split_whitespace().collect();
    let by_name = |name: &str| find_in_path(OsStr::new(name)).filter(|_| !name.contains('/'));
    match words.as_slice() {
        ["/usr/bin/env" | "/bin/env", "-S", name, ..] | ["/usr/bin/env" | "/bin/env", name] => by_name(name),
        [path, ..] => {
            let found = by_name(Path::new(path).file_name()?.to_str()?)?;
            (fs::canonicalize(path).ok()? == fs::canonicalize(&found).ok()?).then_some(found)
        }
        [] => None,
    }
}

/// Returns an installed program and, for each link on the way to it, the folder above its `bin`, where its library is.
fn runtime(program: PathBuf, others: &[PathBuf]) -> Vec<PathBuf> {
    let mut parts = vec![lexically_normal(&env::current_dir().unwrap_or_default().join(&program))];
    let mut path = program;
    for _ in 0..MAX_LINKS {
        let (Some(folder), Some(name)) = (real_folder_of(&path), path.file_name()) else { break };
        path = folder.join(name);
        parts.push(path.clone());
        let prefix = folder.parent().filter(|_| ["bin", "shims"].iter().any(|name| folder.ends_with(name)));
        let prefix = prefix.filter(|prefix| prefix.parent().is_some() && !prefix.ends_with(".local"));
        parts.extend(prefix.filter(|prefix| !holds_others(prefix, others)).map(Path::to_owned));
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder.join(target);
    }
    // A normalized path with links and `..` may lead nowhere.
    parts.retain(|part| part.exists());
    parts
}

/// Adds the Python packages in the user's home.
fn add_packages(mounts: &mut Mounts) {
    let Some(base) = env::var_os("PYTHONUSERBASE").map(PathBuf::from).or_else(|| Some(home()?.join(".local"))) else { return };
    let libraries = fs::read_dir(base.join("lib")).into_iter().flatten().flatten();
    let packages: Vec<PathBuf> =
        libraries.map(|library| library.path().join("site-packages")).filter(|path| path.is_dir()).collect();
    if !packages.is_empty() {
        mounts.readable.extend(packages);
        mounts.environment.push(("PYTHONUSERBASE".into(), base.into()));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn arenas_are_recognised() {
        assert_eq!(super::ARENA, pacman2_tournament::store::DATABASE);
    }
}
