//! What a bot sees in its sandbox: what is its own, and what its runtime consists of.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use pacman2_runner::{Mounts, lexically_normal};

use crate::seats::find_in_path;

/// The folder beside a bot's file in which Botzone keeps what its author has stored there.
const DATA: &str = "data";
/// How many links are followed from a program's name to the program.
const LINKS_AT_MOST: usize = 16;
/// How many parts a runtime may have before its scripts are followed no further.
const PARTS_AT_MOST: usize = 64;
/// How much of a script's first line is looked at.
const SHEBANG_BYTES: u64 = 256;

/// What a bot sees that runs `command` and consists of `files`, in a match with bots that consist of `others`; or why it
/// cannot be shown.
pub(crate) fn of_bot(command: &[OsString], files: &[PathBuf], others: &[PathBuf]) -> Result<Mounts, String> {
    let mut view = of_program(command, others);
    for file in files {
        let Some(folder) = folder_of(file) else { continue };
        if !fs::canonicalize(file).is_ok_and(|real| real.parent() == Some(&folder)) {
            // Who packed the bot may have made the link, to a file that is none of the bot's business.
            return Err(format!("{} is a link to another folder; name the file itself", file.display()));
        }
        view.readable.push(file.clone());
        let data = named_folder(file).join(DATA);
        if is_own(&folder, files, others) {
            // By the name that was typed: inside there is no link that would lead to the real one.
            view.readable.push(named_folder(file).to_owned());
        } else if fs::symlink_metadata(&data).is_ok_and(|data| data.is_dir()) {
            view.readable.push(data);
        }
    }
    Ok(view)
}

/// Whether a bot sees no more of its folder than its own file.
pub(crate) fn sees_only_files(files: &[PathBuf], others: &[PathBuf]) -> bool {
    files.iter().filter_map(|file| folder_of(file)).all(|folder| !is_own(&folder, files, others))
}

/// What a program sees that is run as `command`: the program and its runtime, nothing that is its own.
fn of_program(command: &[OsString], others: &[PathBuf]) -> Mounts {
    let mut view = Mounts::default();
    let Some(word) = command.first() else { return view };
    let typed = Path::new(word);
    if typed.components().count() == 1 {
        show_runtime(&mut view, find_in_path(word), others);
        return view;
    }
    // What was named by its path may be anything, and so may the first line of a script: of those the file alone is shown. But
    // an installed runtime wants what belongs to it, and a virtual environment's Python the environment, which says itself
    // that it is one.
    view.readable.extend(Some(typed.to_owned()).filter(|path| path.exists()));
    let environment = folder_of(typed).and_then(|bin| bin.parent().map(Path::to_owned));
    let environment = environment.filter(|folder| folder.join("pyvenv.cfg").is_file() && !holds_others(folder, others));
    if let Some(folder) = environment {
        view.readable.push(folder);
        view.readable.extend(typed.parent().and_then(Path::parent).map(Path::to_owned));
    }
    let installed = fs::canonicalize(typed).ok().filter(|real| is_installed(real));
    show_runtime(&mut view, installed.or_else(|| interpreter(typed)), others);
    view
}

/// What a compiler sees. Whoever started us has chosen it.
pub(crate) fn of_compiler(compiler: &OsStr) -> Mounts {
    let mut view = Mounts::default();
    let path = Path::new(compiler);
    let found = if path.components().count() == 1 { find_in_path(compiler) } else { Some(path.to_owned()) };
    show_runtime(&mut view, found, &[]);
    view
}

/// Whether a program is installed here: PATH leads to its folder, or it is a Python with its library beside it.
fn is_installed(program: &Path) -> bool {
    let found = program.file_name().and_then(find_in_path);
    let is_in_path = found.and_then(|found| fs::canonicalize(found).ok()).is_some_and(|found| found.parent() == program.parent());
    let prefix = program.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let mut libraries = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    is_in_path || libraries.any(|library| library.path().join("os.py").is_file())
}

/// Shows an installed program with what belongs to it; if it is a script, also what runs that.
fn show_runtime(view: &mut Mounts, program: Option<PathBuf>, others: &[PathBuf]) {
    let mut next = program;
    while let Some(program) = next {
        if program.file_stem().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("python")) {
            show_packages(view);
        }
        next = interpreter(&program).filter(|_| view.readable.len() < PARTS_AT_MOST);
        view.readable.extend(runtime(program, others));
    }
}

/// The folder in which a file is named.
fn named_folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The same folder, as it really is.
fn folder_of(file: &Path) -> Option<PathBuf> {
    fs::canonicalize(named_folder(file)).ok()
}

/// A folder is a bot's own unless somebody else's things lie in it: another bot's, or the user's.
fn is_own(folder: &Path, files: &[PathBuf], others: &[PathBuf]) -> bool {
    let own: Vec<PathBuf> = files.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
    let foreign: Vec<PathBuf> =
        others.iter().filter(|other| fs::canonicalize(other).is_ok_and(|other| !own.contains(&other))).cloned().collect();
    let is_of_a_home = folder.parent().is_some_and(|parent| homes().iter().any(|home| home == parent));
    let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_a_users = is_of_a_home && USERS_FOLDERS.contains(&name);
    !holds_others(folder, &foreign) && !is_a_users && !SHARED_FOLDERS.iter().any(|shared| folder == Path::new(shared))
}

/// Folders of a home in which all kinds of things lie.
#[rustfmt::skip]
const USERS_FOLDERS: [&str; 16] = [
    "Desktop", "Downloads", "Documents", "Music", "Pictures", "Public", "Templates", "Videos", "桌面", "下载", "文档", "音乐",
    "图片", "公共", "模板", "视频",
];
/// Folders in which everybody's things lie.
const SHARED_FOLDERS: [&str; 7] = ["/opt", "/srv", "/mnt", "/media", "/var/tmp", "/dev/shm", "/etc"];

/// Whether something lies in it that is none of a bot's business: other bots, the current folder, homes, our cache.
fn holds_others(folder: &Path, others: &[PathBuf]) -> bool {
    let users = [env::current_dir().ok(), cache(), Some(env::temp_dir())].into_iter().flatten();
    let all = users.chain(homes()).chain(others.iter().cloned());
    all.filter_map(|path| fs::canonicalize(path).ok()).any(|path| path.starts_with(folder))
}

/// The homes of everybody on this machine, as far as that can be told.
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

/// The program that runs a script, after its first line, if it is what PATH leads to by that name. The bot's author writes
/// that line, and it shall not show him anything else.
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

/// An installed program, and for each link that leads to it what was installed there together with it: the folder above its
/// `bin`. Each step is taken from where the last one really led.
fn runtime(program: PathBuf, others: &[PathBuf]) -> Vec<PathBuf> {
    let mut parts = vec![lexically_normal(&env::current_dir().unwrap_or_default().join(&program))];
    let mut path = program;
    for _ in 0..LINKS_AT_MOST {
        let (Some(folder), Some(name)) = (folder_of(&path), path.file_name()) else { break };
        path = folder.join(name);
        parts.push(path.clone());
        let prefix = folder.parent().filter(|_| ["bin", "shims"].iter().any(|name| folder.ends_with(name)));
        let prefix = prefix.filter(|prefix| prefix.parent().is_some() && !prefix.ends_with(".local"));
        parts.extend(prefix.filter(|prefix| !holds_others(prefix, others)).map(Path::to_owned));
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder.join(target);
    }
    // What PATH says with links and `..` may lead nowhere if read as a text.
    parts.retain(|part| part.exists());
    parts
}

/// Python packages that the user has installed for himself.
fn show_packages(view: &mut Mounts) {
    let Some(base) = env::var_os("PYTHONUSERBASE").map(PathBuf::from).or_else(|| Some(home()?.join(".local"))) else { return };
    let libraries = fs::read_dir(base.join("lib")).into_iter().flatten().flatten();
    let packages: Vec<PathBuf> =
        libraries.map(|library| library.path().join("site-packages")).filter(|path| path.is_dir()).collect();
    if !packages.is_empty() {
        view.readable.extend(packages);
        view.environment.push(("PYTHONUSERBASE".into(), base.into()));
    }
}
