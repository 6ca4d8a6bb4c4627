//! The files that a bot can read in its sandbox: its own, and those of its runtime.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use pacman2_runner::{Mounts, lexically_normal};

use crate::executables::find_in_path;

/// The folder beside a bot's file that stands for the author's storage on Botzone.
const DATA: &str = "data";
/// How many links are followed from a program's name to its file.
const MAX_LINKS: usize = 16;
/// How many parts a runtime may have. Interpreters of scripts are not followed beyond it.
const MAX_PARTS: usize = 64;
/// How much of a script's first line is read.
const SHEBANG_BYTES: u64 = 256;

/// A file of a bot that cannot be mounted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MountError {
    #[error("{} is a link to another folder; give the file itself", .0.display())]
    LinkToElsewhere(PathBuf),
}

/// Returns the mounts of a bot that runs `command` and consists of `files`. `others` are the files of all bots of the match.
pub(crate) fn of_bot(command: &[OsString], files: &[PathBuf], others: &[PathBuf]) -> Result<Mounts, MountError> {
    let mut mounts = of_program(command, others);
    for file in files {
        let Some(folder) = folder_of(file) else { continue };
        if !fs::canonicalize(file).is_ok_and(|real| real.parent() == Some(&folder)) {
            // The link may be part of a package and lead to a file that the bot must not read.
            return Err(MountError::LinkToElsewhere(file.clone()));
        }
        mounts.readable.push(file.clone());
        let data = named_folder(file).join(DATA);
        if is_own(&folder, files, others) {
            // By the name that was typed: in the sandbox there are no links that would lead to the real one.
            mounts.readable.push(named_folder(file).to_owned());
        } else if fs::symlink_metadata(&data).is_ok_and(|data| data.is_dir()) {
            mounts.readable.push(data);
        }
    }
    Ok(mounts)
}

/// Whether a bot can read its own file only, and not its folder.
pub(crate) fn sees_only_files(files: &[PathBuf], others: &[PathBuf]) -> bool {
    files.iter().filter_map(|file| folder_of(file)).all(|folder| !is_own(&folder, files, others))
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
    let environment = folder_of(typed).and_then(|bin| bin.parent().map(Path::to_owned));
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

/// Returns the folder in a file's path.
fn named_folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the same folder without links.
fn folder_of(file: &Path) -> Option<PathBuf> {
    fs::canonicalize(named_folder(file)).ok()
}

/// Whether a folder is a bot's own: no files of other bots or of the user lie in it.
fn is_own(folder: &Path, files: &[PathBuf], others: &[PathBuf]) -> bool {
    let own: Vec<PathBuf> = files.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
    let foreign: Vec<PathBuf> =
        others.iter().filter(|other| fs::canonicalize(other).is_ok_and(|other| !own.contains(&other))).cloned().collect();
    let is_of_a_home = folder.parent().is_some_and(|parent| homes().iter().any(|home| home == parent));
    let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_a_users = is_of_a_home && USERS_FOLDERS.contains(&name);
    !holds_others(folder, &foreign) && !is_a_users && !SHARED_FOLDERS.iter().any(|shared| folder == Path::new(shared))
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
    let users = [env::current_dir().ok(), cache(), Some(env::temp_dir())].into_iter().flatten();
    let all = users.chain(homes()).chain(others.iter().cloned());
    all.filter_map(|path| fs::canonicalize(path).ok()).any(|path| path.starts_with(folder))
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

fn cache() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("pacman2"))
}

/// Returns the interpreter in a script's first line, if it is the one that `PATH` has under that name. A bot's author writes
/// that line, so it must not mount anything else.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut line = Vec::new();
    BufReader::new(fs::File::open(script).ok()?.take(SHEBANG_BYTES)).read_until(b'\n', &mut line).ok()?;
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
        let (Some(folder), Some(name)) = (folder_of(&path), path.file_name()) else { break };
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
