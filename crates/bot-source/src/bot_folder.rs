//! Which file of a folder is the bot.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use pacman2_console::replay_folder::REPLAYS;
use pacman2_runner::{Language, read_input_file};

use crate::cpp_text::CppText;
use crate::mounts::ARENA;
use crate::source_files::has_includes;

/// The file that Python runs of a folder or archive.
pub(crate) const PYTHON_MAIN: &str = "__main__.py";
/// The file that makes a folder a Cargo project, and the program that prepares its build.
pub(crate) const CARGO: &str = "Cargo.toml";
const CARGO_SCRIPT: &str = "build.rs";
/// The names of the bot in a folder with several files.
const MAIN_NAMES: [&str; 2] = ["main", "bot"];
/// How many files or folders of a folder without a bot are listed.
const MAX_NAMES: usize = 5;
/// How many files a folder may have that is searched for sources.
const MAX_SOURCES: usize = 2000;
/// The size limit of C++ sources among which the program is looked for.
const MAX_SOURCE_BYTES: u64 = 4 * 1024 * 1024;

/// Finds the bot among the files of a folder: `__main__.py`, the only candidate, the one that is named `main` or `bot`, or the only
/// C or C++ source with a `main`. Candidates are scripts and sources in a supported language; if there are none, the files that
/// `is_program` accepts.
///
/// # Errors
///
/// Returns the sorted candidates if there is not exactly one bot.
pub fn find_bot(folder: &Path, is_program: impl Fn(&Path) -> bool) -> Result<PathBuf, Vec<PathBuf>> {
    let files = files_in(folder);
    let is_for_cargo = |path: &Path| path.ends_with(CARGO_SCRIPT) && folder.join(CARGO).is_file();
    let is_bot = |path: &&PathBuf| Language::from_file(path).is_some() && !is_for_cargo(path);
    let mut candidates: Vec<PathBuf> = files.iter().filter(is_bot).cloned().collect();
    if candidates.is_empty() {
        candidates = files.into_iter().filter(|path| is_program(path)).collect();
    }
    if let Some(main) = candidates.iter().find(|path| path.file_name() == Some(OsStr::new(PYTHON_MAIN))) {
        return Ok(main.clone());
    }
    let is_main =
        |path: &&PathBuf| path.file_stem().is_some_and(|stem| MAIN_NAMES.iter().any(|main| stem.eq_ignore_ascii_case(main)));
    let mains: Vec<&PathBuf> = candidates.iter().filter(is_main).collect();
    match (candidates.as_slice(), mains.as_slice()) {
        ([bot], _) => Ok(bot.clone()),
        (_, [bot]) => Ok((*bot).clone()),
        _ => {
            let programs: Vec<&PathBuf> = candidates.iter().filter(|path| !is_part_of_a_program(path)).collect();
            if let [bot] = programs[..] { Ok(bot.clone()) } else { Err(candidates) }
        }
    }
}

/// Returns whether a file is a C or C++ source that another one includes: it has no `main`.
fn is_part_of_a_program(path: &Path) -> bool {
    let is_part = |text| !CppText::new(text).defines_main();
    has_includes(path) && read_input_file(path, MAX_SOURCE_BYTES).is_ok_and(is_part)
}

/// Returns the C and C++ sources of a folder that have no `main`.
pub(crate) fn parts_in(folder: &Path) -> Vec<PathBuf> {
    files_in(folder).into_iter().filter(|path| is_part_of_a_program(path)).collect()
}

/// Returns the files of a folder without those that the system or an editor left, sorted.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| !path.is_dir() && !is_hidden(path)).collect();
    files.sort();
    files
}

/// Returns what is in a folder without a bot, as a message says it.
pub fn content_of(folder: &Path) -> String {
    let files = files_in(folder);
    match files.len() {
        0 => folders_in(folder).map_or_else(|| "no files".to_owned(), |names| format!("only folders: {names}")),
        count if count > MAX_NAMES => format!("{} and {} more", names_of(&files[..MAX_NAMES]), count - MAX_NAMES),
        _ => names_of(&files),
    }
}

/// Returns the names of the first folders in a folder, with commas; `None` if there are none.
fn folders_in(folder: &Path) -> Option<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir() && !is_hidden(path)).collect();
    folders.sort();
    folders.truncate(MAX_NAMES);
    Some(names_of(&folders)).filter(|names| !names.is_empty())
}

/// Returns the files in a folder and all folders in it that are wanted, as sorted paths from there; `None` if there are more than
/// `max`, or a folder cannot be read. A link is a file.
pub fn files_below(folder: &Path, max: usize, is_wanted: impl Fn(&DirEntry) -> bool) -> Option<Vec<PathBuf>> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).ok()?.flatten().filter(&is_wanted) {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            } else {
                files.push(entry.path().strip_prefix(folder).ok()?.to_owned());
            }
        }
        if files.len() + open.len() > max {
            return None;
        }
    }
    files.sort();
    Some(files)
}

/// Returns the files of a bot's folder that are its own, as sorted paths from there, without what the system, an editor or this program
/// left, and without links; `None` if there are more than `max`, or a folder cannot be read.
#[must_use]
pub fn own_files(folder: &Path, max: usize) -> Option<Vec<PathBuf>> {
    let is_ours = |entry: &DirEntry| entry.file_name() == REPLAYS || entry.path().join(ARENA).is_file();
    let mut files = files_below(folder, max, |entry| !is_hidden(&entry.path()) && !is_ours(entry))?;
    files.retain(|file| fs::symlink_metadata(folder.join(file)).is_ok_and(|metadata| metadata.is_file()));
    Some(files)
}

/// Returns the bot of a folder with all its other sources in the same language, sorted; `None` if there is no bot, or too much.
pub fn sources_in(folder: &Path) -> Option<Vec<PathBuf>> {
    let bot = find_bot(folder, |_| false).ok()?;
    let files = own_files(folder, MAX_SOURCES)?.into_iter().map(|file| folder.join(file));
    Some(files.filter(|file| file.extension() == bot.extension()).collect())
}

/// Returns whether a file was left by the system or an editor.
pub fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || ["__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini"].contains(&name.as_ref())
}

/// Returns the names of these files, with commas.
pub fn names_of(files: &[PathBuf]) -> String {
    let names: Vec<_> = files.iter().filter_map(|path| path.file_name()).map(OsStr::to_string_lossy).collect();
    names.join(", ")
}
