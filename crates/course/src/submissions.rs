//! The folder of submissions: the participants, and which file of each is the bot.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use pacman2_bot_source::archive::Unpacked;
use pacman2_bot_source::bot_folder::{self, is_hidden};
use pacman2_bot_source::hash;
use pacman2_bot_source::source::BotSource;
use pacman2_botzone::words::Bilingual;
use pacman2_console::error::{BadInput, bad_input};
use pacman2_console::language::in_both;
use pacman2_console::text::sanitize;
use pacman2_runner::Language;

/// The submission of a participant.
pub(crate) struct Submission {
    /// The name of the participant: that of the file or folder, changed so that bots and files can have it.
    pub(crate) name: String,
    /// The number in the order of names, from 1: the name of the folder with what is judged, as names are the participants' choice.
    pub(crate) number: usize,
    /// The file of the bot, or why there is none.
    pub(crate) bot: Result<PathBuf, Bilingual>,
    /// What was handed in: an entry of the folder of submissions.
    entry: PathBuf,
    /// The path of the bot in the folder of submissions, for people.
    pub(crate) place: String,
    /// The folder with the bot, and where archives were unpacked, for as long as it is read; `None` for a single file.
    folder: Option<Unpacked>,
}

impl Submission {
    /// Finds the bot of a submission. The folder is that of all submissions.
    ///
    /// # Errors
    ///
    /// As [`find`].
    pub(crate) fn at(path: &Path, folder: &Path, name: String, allow_archives: bool) -> anyhow::Result<Submission> {
        let (bot, unpacked) = match bot_at(path, allow_archives)? {
            Ok((file, unpacked)) => (Ok(file), unpacked),
            Err(why) => (Err(why), None),
        };
        let place = bot.as_ref().map_or_else(|_| path.to_owned(), |file| place_of(path, file, unpacked.as_ref()));
        let place = shown(place.strip_prefix(folder).unwrap_or(&place));
        Ok(Submission { name, number: 0, bot, entry: path.to_owned(), place, folder: unpacked })
    }

    /// Returns the folder that was handed in, whose other files are the participant's, too; `None` for a single file.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_ref()?.folder.as_deref()
    }

    /// Returns the BOT argument that plays it: the file of the bot, or the entry if the file was unpacked and will be gone.
    pub(crate) fn argument(&self) -> Option<&Path> {
        let bot = self.bot.as_ref().ok()?;
        let is_unpacked = self.folder.as_ref().is_some_and(|folder| !folder.folders.is_empty());
        Some(if is_unpacked { &self.entry } else { bot })
    }

    /// Returns the hash of all that the participant handed in; `None` if there is no bot, or a file cannot be read.
    pub(crate) fn hash(&self) -> Option<String> {
        let bot = self.bot.as_ref().ok()?;
        self.folder().map_or_else(|| hash::of_files(std::slice::from_ref(bot)), hash::of_folder)
    }
}

/// The largest file of a bot. Each is read and copied.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The longest name of a participant, in characters.
const MAX_NAME_LENGTH: usize = 60;

/// Finds the submissions in a folder, sorted by name. None has a name of `taken`, in upper or lower case. Archives are unpacked if
/// they are allowed.
///
/// # Errors
///
/// If something is wrong with this machine; a bad submission has the reason in place of its bot.
pub(crate) fn find(submissions: &Path, taken: &[&str], allow_archives: bool) -> anyhow::Result<Vec<Submission>> {
    let unreadable = |error| bad_input(format!("{}: {error}", submissions.display()));
    let entries = fs::read_dir(submissions).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(|path| !is_hidden(path)).collect();
    paths.sort();
    let mut taken: BTreeSet<String> = taken.iter().map(|name| name.to_lowercase()).collect();
    let mut submission = |path: &PathBuf| Submission::at(path, submissions, free_name(path, &mut taken), allow_archives);
    let mut found = paths.iter().map(&mut submission).collect::<anyhow::Result<Vec<_>>>()?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    (1..).zip(&mut found).for_each(|(number, submission)| submission.number = number);
    Ok(found)
}

/// Returns the name without its extension; if that is taken, with it; if that is taken too, with a number.
fn free_name(path: &Path, taken: &mut BTreeSet<String>) -> String {
    let whole = sanitized(path.file_name().unwrap_or_default());
    let short = if path.is_dir() { whole.clone() } else { sanitized(path.file_stem().unwrap_or_default()) };
    let numbered = (2..).map(|number| format!("{whole} {number}"));
    let mut names = [short, whole.clone()].into_iter().chain(numbered);
    // There is always a free number.
    names.find(|name| taken.insert(name.to_lowercase())).unwrap_or(whole)
}

/// Replaces characters that names of bots or files cannot have.
pub(crate) fn sanitized(name: &OsStr) -> String {
    let allowed = |c: char| if c.is_control() || "@/\\:*?\"<>|".contains(c) { '_' } else { c };
    let name: String = name.to_string_lossy().trim().chars().map(allowed).take(MAX_NAME_LENGTH).collect();
    let name = name.trim();
    // Dots alone would be another folder.
    if name.chars().all(|c| c == '.') { "_".to_owned() } else { name.to_owned() }
}

/// Returns the path of a bot with that of its submission, also if it was unpacked elsewhere.
fn place_of(submission: &Path, bot: &Path, folder: Option<&Unpacked>) -> PathBuf {
    let unpacked = folder.into_iter().flat_map(|unpacked| &unpacked.folders);
    let inside = unpacked.filter_map(|folder| bot.strip_prefix(folder.path()).ok()).next_back();
    inside.map_or_else(|| bot.to_owned(), |inside| submission.join(inside.components().skip(1).collect::<PathBuf>()))
}

/// Returns a path for people.
fn shown(path: &Path) -> String {
    sanitize(&path.to_string_lossy().replace('\\', "/"))
}

/// Finds the bot of a submission, and its folder if it is not a single file; or why there is none.
fn bot_at(path: &Path, allow_archives: bool) -> anyhow::Result<Result<(PathBuf, Option<Unpacked>), Bilingual>> {
    let alone = || Ok(bot_file(path).map(|file| (file, None)));
    let is_file_or_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir() || metadata.is_file());
    let Some(source) = BotSource::at(path).filter(|_| is_file_or_folder) else { return alone() };
    // One in a folder counts, too.
    let refused = || Ok(Err(in_both("archives are not accepted; hand in a file or folder")));
    let unpacked = match Unpacked::from_source(&source) {
        Ok(unpacked) if !allow_archives && !unpacked.folders.is_empty() => return refused(),
        Ok(unpacked) => unpacked,
        Err(error) if !allow_archives && error.is::<BadInput>() => return refused(),
        Err(error) if error.is::<BadInput>() => {
            let reason = format!("{error:#}").replace(&format!("{}: ", path.display()), "");
            return Ok(Err(in_both(format!("the archive cannot be used: {reason}"))));
        }
        Err(error) => return Err(error),
    };
    let found = match &unpacked.source {
        BotSource::Folder(folder) => bot_in(folder).and_then(|file| bot_file(&file)),
        _ => return alone(),
    };
    Ok(found.map(|file| (file, Some(unpacked))))
}

/// Returns the file if it can be copied.
fn bot_file(bot: &Path) -> Result<PathBuf, Bilingual> {
    let unreadable = |error| in_both(format!("cannot read it: {error}"));
    let metadata = fs::symlink_metadata(bot).map_err(unreadable)?;
    let name = bot.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !metadata.is_file() {
        // A link could point to any file, and a pipe has no end.
        return Err(in_both(format!("{name} is not a regular file; links and pipes are not accepted")));
    }
    if metadata.len() > MAX_BYTES {
        return Err(in_both(format!("{name} is larger than 64 MB")));
    }
    if bot.to_str().is_none() {
        return Err(in_both("its file name is not UTF-8"));
    }
    Ok(bot.to_owned())
}

fn bot_in(folder: &Path) -> Result<PathBuf, Bilingual> {
    // Executables may have lost their permission on the way, but they have no extension, or that of Botzone's downloads.
    let is_program = |path: &Path| path.extension().is_none_or(|extension| extension.eq_ignore_ascii_case("elfbin"));
    bot_folder::find_bot(folder, is_program).map_err(|candidates| {
        if candidates.is_empty() {
            let extensions: Vec<&str> = Language::all().flat_map(Language::extensions).collect();
            let got = bot_folder::content_of(folder);
            return in_both(format!(
                "the folder contains no bot; expected a file with the extension .{}, or an executable, got {got}",
                extensions.join(", .")
            ));
        }
        let names = bot_folder::names_of(&candidates);
        in_both(format!("the folder contains several bots: {names}; keep one, or name the one that plays main"))
    })
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

    /// Returns the name of each submission, and the path of its bot in the folder.
    fn found(folder: &TempDir, taken: &[&str]) -> Vec<(String, Option<String>)> {
        let inside = |path: PathBuf| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().replace('\\', "/");
        let found = find(folder.path(), taken, true).unwrap();
        found.into_iter().map(|Submission { name, bot, .. }| (name, bot.ok().map(inside))).collect()
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
    fn a_bot_among_other_files() {
        check(&["a/main.py", "a/moves.py"], &[("a", Some("a/main.py"))]);
        check(&["a/program", "a/notes.md"], &[("a", Some("a/program"))]);
    }

    #[test]
    fn no_bot_or_several_bots() {
        check(&["a/x.py", "a/y.py", "b/notes.md"], &[("a", None), ("b", None)]);
        // It is compiled alone.
        check(&["a/main.rs", "a/Cargo.toml"], &[("a", Some("a/main.rs"))]);
        let without = folder(&["a/report.docx", "a/bot.exe"]);
        let why = find(without.path(), &[], true).unwrap().remove(0).bot.unwrap_err();
        assert!(why.en.ends_with("got bot.exe, report.docx") && why.zh.ends_with("bot.exe, report.docx"), "{why:?}");
        let folder = folder(&["a/x.py", "a/y.py"]);
        let why = find(folder.path(), &[], true).unwrap().remove(0).bot.unwrap_err();
        assert!(why.en.contains("x.py, y.py") && why.zh.contains("x.py, y.py"), "{why:?}");
    }

    #[test]
    fn archives_are_refused_in_folders_too() {
        let folder = folder(&["a.zip", "b/c.zip", "d/e.py"]);
        let found = find(folder.path(), &[], false).unwrap();
        let bots: Vec<Option<&str>> = found.iter().map(|found| found.bot.as_ref().err().map(|why| why.en.as_str())).collect();
        let refused = Some("archives are not accepted; hand in a file or folder");
        assert_eq!(bots, [refused, refused, None]);
    }

    #[test]
    fn unusable_archives_have_their_reason_in_both_languages() {
        let why = find(folder(&["a.zip"]).path(), &[], true).unwrap().remove(0).bot.unwrap_err();
        assert_eq!(why.en, "the archive cannot be used: expected an archive with a bot, got one without files");
        assert_eq!(why.zh, "压缩包无法使用：压缩包里没有文件");
    }

    #[test]
    fn names_that_are_taken() {
        check(&["greedy.py"], &[("greedy.py", Some("greedy.py"))]);
        check(&["Greedy.py"], &[("Greedy.py", Some("Greedy.py"))]);
        check(&["a.cpp", "a.py", "a/bot.py"], &[("a", Some("a/bot.py")), ("a.cpp", Some("a.cpp")), ("a.py", Some("a.py"))]);
        check(&["greedy/bot.py"], &[("greedy 2", Some("greedy/bot.py"))]);
    }

    #[test]
    fn names_that_bots_cannot_have() {
        let long = format!("{}.py", "长".repeat(70));
        check(
            &["a@b.py", &long, " =1 .py"],
            &[("=1", Some(" =1 .py")), ("a_b", Some("a@b.py")), (&"长".repeat(60), Some(&long))],
        );
        // Blanks around dots are removed.
        check(&[" ./bot.py", "\u{3000}../bot.py"], &[("_", Some(" ./bot.py")), ("_ 2", Some("\u{3000}../bot.py"))]);
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
