//! What a bot sees in its sandbox: what is its own, and what its runtime consists of.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use judge::sandbox::{View, lexically_normal};

use crate::seats::find_in_path;

/// The folder beside a bot's file in which Botzone keeps what its author has stored there.
const DATA: &str = "data";
/// How many links are followed from a program's name to the program.
const LINKS_AT_MOST: usize = 16;
/// How much of a script's first line is looked at.
const SHEBANG_BYTES: u64 = 256;

/// What a bot sees that runs `command` and consists of `files`, in a match with bots that consist of `others`; or why it
/// cannot be shown.
pub(crate) fn of_bot(command: &[OsString], files: &[PathBuf], others: &[PathBuf]) -> Result<View, String> {
    let mut view = of_program(command);
    for file in files {
        let Some(folder) = folder_of(file) else { continue };
        if !fs::canonicalize(file).is_ok_and(|real| real.parent() == Some(&folder)) {
            // Who packed the bot may have made the link, to a file that is none of the bot's business.
            return Err(format!("{} is a link to another folder; name the file itself", file.display()));
        }
        view.readable.push(file.clone());
        let data = folder.join(DATA);
        if is_own(&folder, files, others) {
            view.readable.push(folder);
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

/// What any program sees that is run as `command`: the program and its runtime, nothing that is its own.
pub(crate) fn of_program(command: &[OsString]) -> View {
    let mut view = View::default();
    let Some(word) = command.first() else { return view };
    let typed = Path::new(word);
    // What was found by its name alone is installed here. What was named by its path may be anything, and so may the first
    // line of a script: of those the file alone is shown, unless it is the very runtime that its name leads to.
    let (own, installed) = if typed.components().count() > 1 {
        (Some(typed.to_owned()), if is_runtime(typed) { Some(typed.to_owned()) } else { interpreter(typed) })
    } else {
        (None, find_in_path(word))
    };
    view.readable.extend(own.filter(|path| path.exists()));
    let mut next = installed;
    while let Some(program) = next {
        if program.file_stem().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("python")) {
            show_packages(&mut view);
        }
        next = interpreter(&program).filter(|_| view.readable.len() < LINKS_AT_MOST);
        view.readable.extend(runtime(program));
    }
    view
}

/// The folder in which a file is named, as it really is.
fn folder_of(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::canonicalize(folder).ok()
}

/// A folder is a bot's own unless somebody else's things lie in it: another bot's, or the user's.
fn is_own(folder: &Path, files: &[PathBuf], others: &[PathBuf]) -> bool {
    let real = |path: &PathBuf| fs::canonicalize(path).ok();
    let own: Vec<PathBuf> = files.iter().filter_map(real).collect();
    let foreign = others.iter().filter_map(real).filter(|other| !own.contains(other));
    let users = [env::current_dir().ok(), home(), cache(), Some(env::temp_dir())];
    !users.into_iter().flatten().filter_map(|path| real(&path)).chain(foreign).any(|path| path.starts_with(folder))
}

fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}

fn cache() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("pacman2"))
}

/// What language runtimes are called. One of them may be named by its path: the Python of a virtual environment.
const RUNTIMES: [&str; 7] = ["python", "pypy", "node", "java", "mono", "dotnet", "deno"];

fn is_runtime(program: &Path) -> bool {
    let name = program.file_name().and_then(OsStr::to_str).unwrap_or_default();
    RUNTIMES.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
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

/// A program, and for each link that leads to it what was installed there together with it: the folder above its `bin`.
fn runtime(program: PathBuf) -> Vec<PathBuf> {
    let mut parts = Vec::new();
    let mut path = lexically_normal(&env::current_dir().unwrap_or_default().join(program));
    for _ in 0..LINKS_AT_MOST {
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let prefix = folder.parent().filter(|_| ["bin", "shims"].iter().any(|name| folder.ends_with(name)));
        let is_the_users = |prefix: &Path| prefix.parent().is_none() || home().is_some_and(|home| home.starts_with(prefix));
        let is_local = |prefix: &Path| prefix.ends_with(".local");
        match prefix.filter(|prefix| !is_the_users(prefix) && !is_local(prefix)) {
            Some(prefix) => parts.push(prefix.to_owned()),
            None => parts.push(path.clone()),
        }
        let Ok(target) = fs::read_link(&path) else { break };
        path = lexically_normal(&folder.join(target));
    }
    parts
}

/// Python packages that the user has installed for himself.
fn show_packages(view: &mut View) {
    let Some(base) = env::var_os("PYTHONUSERBASE").map(PathBuf::from).or_else(|| Some(home()?.join(".local"))) else { return };
    let libraries = fs::read_dir(base.join("lib")).into_iter().flatten().flatten();
    let packages: Vec<PathBuf> =
        libraries.map(|library| library.path().join("site-packages")).filter(|path| path.is_dir()).collect();
    if !packages.is_empty() {
        view.readable.extend(packages);
        view.environment.push(("PYTHONUSERBASE".into(), base.into()));
    }
}
