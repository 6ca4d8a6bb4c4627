//! The folder of submissions: whose they are, and which file of each is the bot.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use pacman2_runner::Language;

use crate::failure::bad_input;

/// What somebody has handed in.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Submission {
    /// The participant: what the entry is called, made such that it can be a bot's name and a file's.
    pub(crate) name: String,
    /// The bot, or why there is none.
    pub(crate) bot: Result<PathBuf, InBoth>,
}

/// The same in both languages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct InBoth {
    pub(crate) zh: String,
    pub(crate) en: String,
}

impl InBoth {
    pub(crate) fn new(zh: impl Into<String>, en: impl Into<String>) -> InBoth {
        InBoth { zh: zh.into(), en: en.into() }
    }
}

/// What the bot is called where it has helpers.
const MAIN: [&str; 2] = ["main", "bot"];
/// The largest bot: each is read and copied.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
const MOST_LETTERS: usize = 60;

/// What lies in the folder, by name. None of them is called as one of `taken`, be it in other letters.
pub(crate) fn find(folder: &Path, taken: &[&str]) -> anyhow::Result<Vec<Submission>> {
    let unreadable = |error| bad_input(format!("{}: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(|path| !is_hidden(path)).collect();
    paths.sort();
    let mut taken: BTreeSet<String> = taken.iter().map(|name| name.to_lowercase()).collect();
    let mut submissions: Vec<Submission> =
        paths.iter().map(|path| Submission { name: free_name(path, &mut taken), bot: bot_at(path) }).collect();
    submissions.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(submissions)
}

/// What systems leave in a folder without being asked.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || ["__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini"].contains(&name.as_ref())
}

/// The name without its ending, with it if that is taken, else with a number.
fn free_name(path: &Path, taken: &mut BTreeSet<String>) -> String {
    let whole = fit(path.file_name().unwrap_or_default());
    let short = if path.is_dir() { whole.clone() } else { fit(path.file_stem().unwrap_or_default()) };
    let numbered = (2..).map(|number| format!("{whole} {number}"));
    let mut names = [short, whole.clone()].into_iter().chain(numbered);
    // There is always another number.
    names.find(|name| taken.insert(name.to_lowercase())).unwrap_or(whole)
}

fn fit(name: &OsStr) -> String {
    let fits = |c: char| if c.is_control() || "@/\\:*?\"<>|".contains(c) { '_' } else { c };
    let name: String = name.to_string_lossy().trim().chars().map(fits).take(MOST_LETTERS).collect();
    let name = name.trim();
    if name.is_empty() { "_".to_owned() } else { name.to_owned() }
}

fn bot_at(path: &Path) -> Result<PathBuf, InBoth> {
    let kind = |path: &Path| fs::symlink_metadata(path).map(|metadata| metadata.file_type());
    let unreadable = |error| InBoth::new(format!("无法读取：{error}"), format!("it cannot be read: {error}"));
    let bot = if kind(path).map_err(unreadable)?.is_dir() { bot_in(path)? } else { path.to_owned() };
    let metadata = fs::symlink_metadata(&bot).map_err(unreadable)?;
    let name = bot.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !metadata.is_file() {
        // A link could lead to anybody's file, and a pipe has no end.
        return Err(InBoth::new(
            format!("{name} 不是普通文件（链接、管道等一律不收）"),
            format!("{name} is no plain file; links, pipes and the like are not taken"),
        ));
    }
    if metadata.len() > MOST_BYTES {
        return Err(InBoth::new(format!("{name} 大于 64 MB"), format!("{name} is larger than 64 MB")));
    }
    if bot.to_str().is_none() {
        return Err(InBoth::new("文件名不是 UTF-8", "its file name is not UTF-8"));
    }
    Ok(bot)
}

/// The bot among the files of a folder: the only one that can be one, or the one that is called so.
fn bot_in(folder: &Path) -> Result<PathBuf, InBoth> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> = entries.filter(|path| !path.is_dir() && !is_hidden(path)).collect();
    let ends_as_bot = |path: &&PathBuf| Language::of_file(path).is_some();
    let mut known: Vec<&PathBuf> = files.iter().filter(ends_as_bot).collect();
    if known.is_empty() {
        // A program has no ending.
        known = files.iter().filter(|path| path.extension().is_none()).collect();
    }
    let is_main = |path: &&&PathBuf| path.file_stem().is_some_and(|stem| MAIN.iter().any(|main| stem.eq_ignore_ascii_case(main)));
    let mains: Vec<&PathBuf> = known.iter().filter(is_main).copied().collect();
    match (known.as_slice(), mains.as_slice()) {
        ([bot], _) | (_, [bot]) => Ok((*bot).clone()),
        ([], _) => {
            let endings: Vec<&str> = Language::ALL.iter().flat_map(|language| language.extensions()).copied().collect();
            Err(InBoth::new(
                format!("文件夹里没有 Bot：需要一个以 .{} 结尾的文件，或一个可执行文件", endings.join("、.")),
                format!("there is no bot in the folder: a file that ends in .{} is wanted, or a program", endings.join(", .")),
            ))
        }
        _ => {
            let mut names: Vec<_> = known.iter().filter_map(|path| path.file_name()).map(OsStr::to_string_lossy).collect();
            names.sort();
            Err(InBoth::new(
                format!("文件夹里有不止一个 Bot：{}；只留一个，或把要用的那个命名为 main", names.join("、")),
                format!(
                    "there are several bots in the folder: {}; leave one, or call the one that counts main",
                    names.join(", ")
                ),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn folder(files: &[&str]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    /// For each submission its name, and the path of its bot in the folder or `None`.
    fn found(folder: &TempDir, taken: &[&str]) -> Vec<(String, Option<String>)> {
        let inside = |path: PathBuf| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().replace('\\', "/");
        let found = find(folder.path(), taken).unwrap();
        found.into_iter().map(|Submission { name, bot }| (name, bot.ok().map(inside))).collect()
    }

    #[track_caller]
    fn check(files: &[&str], expected: &[(&str, Option<&str>)]) {
        let found = found(&folder(files), &["greedy"]);
        let found: Vec<(&str, Option<&str>)> = found.iter().map(|(name, bot)| (name.as_str(), bot.as_deref())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn files_and_folders() {
        check(
            &["bob.py", "alice/bot.cpp", "alice/readme.txt", "alice/helper.h", ".DS_Store", "张三.js"],
            &[("alice", Some("alice/bot.cpp")), ("bob", Some("bob.py")), ("张三", Some("张三.js"))],
        );
    }

    #[test]
    fn a_bot_among_its_helpers() {
        check(&["a/main.py", "a/moves.py"], &[("a", Some("a/main.py"))]);
        check(&["a/program", "a/notes.md"], &[("a", Some("a/program"))]);
    }

    #[test]
    fn none_or_several() {
        check(&["a/x.py", "a/y.py", "b/notes.md"], &[("a", None), ("b", None)]);
        let folder = folder(&["a/x.py", "a/y.py"]);
        let why = find(folder.path(), &[]).unwrap().remove(0).bot.unwrap_err();
        assert!(why.en.contains("x.py, y.py") && why.zh.contains("x.py、y.py"), "{why:?}");
    }

    #[test]
    fn names_that_are_taken() {
        check(&["greedy.py"], &[("greedy.py", Some("greedy.py"))]);
        check(&["Greedy.py"], &[("Greedy.py", Some("Greedy.py"))]);
        check(&["a.cpp", "a.py", "a/bot.py"], &[("a", Some("a/bot.py")), ("a.cpp", Some("a.cpp")), ("a.py", Some("a.py"))]);
        check(&["greedy/bot.py"], &[("greedy 2", Some("greedy/bot.py"))]);
    }

    #[test]
    fn names_that_no_bot_can_have() {
        let long = format!("{}.py", "长".repeat(70));
        check(
            &["a@b.py", &long, " =1 .py"],
            &[("=1", Some(" =1 .py")), ("a_b", Some("a@b.py")), (&"长".repeat(60), Some(&long))],
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = folder(&["honest.py"]);
        let path = folder.path();
        std::os::unix::fs::symlink(path.join("honest.py"), path.join("thief.py")).unwrap();
        std::os::unix::fs::symlink(path, path.join("round")).unwrap();
        fs::create_dir(path.join("inside")).unwrap();
        std::os::unix::fs::symlink(path.join("honest.py"), path.join("inside").join("bot.py")).unwrap();
        let found = found(&folder, &[]);
        let bots: Vec<Option<&str>> = found.iter().map(|(_, bot)| bot.as_deref()).collect();
        assert_eq!(bots, [Some("honest.py"), None, None, None]);
    }
}
