//! BOT arguments: what was typed, and what it means.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pacman2_bots::BotSpec;
use pacman2_botzone::problem::Problem;
use pacman2_console::error::{bad_input, coded};
use pacman2_runner::CppStandard;

use crate::built_in;
use crate::resolve::{bot_in, files_in};

/// A bot as the user names it. It is parsed once, from its text.
#[derive(Clone)]
pub struct BotArgument {
    /// What was typed, which is the name of the bot in messages and replays.
    pub text: String,
    /// What it means.
    pub source: BotSource,
    /// The version of C++ that was chosen for it, with `--std` behind its file.
    pub standard: Option<CppStandard>,
}

/// Where a bot comes from.
#[derive(Clone)]
pub enum BotSource {
    /// A built-in bot with its options; `style` is one of them.
    BuiltIn(BotSpec),
    /// A file: a program, a script or a source.
    File(PathBuf),
    /// A folder with a bot in it.
    Folder(PathBuf),
    /// A ZIP archive of such a folder.
    Archive(PathBuf),
    /// A command line, as its words.
    CommandLine(Vec<String>),
}

impl BotArgument {
    /// Returns the bot in a file, which is called by its path.
    #[must_use]
    pub fn from_file(path: PathBuf) -> BotArgument {
        let text = path.to_string_lossy().into_owned();
        BotArgument { text, source: BotSource::in_file(path), standard: None }
    }

    /// Returns a built-in bot, which is called by its name and options.
    #[must_use]
    pub fn from_spec(spec: BotSpec) -> BotArgument {
        BotArgument { text: spec.to_string(), source: BotSource::BuiltIn(spec), standard: None }
    }

    /// Parses a BOT argument whose files are in this folder, unless they have a full path. Whether its files and programs can be used
    /// is found out later.
    ///
    /// # Errors
    ///
    /// If an option is wrong, or if it is no command line.
    pub fn in_folder(text: &str, folder: &Path) -> anyhow::Result<BotArgument> {
        let argument = |source, standard| BotArgument { text: text.to_owned(), source, standard };
        if let Some(spec) = built_in::parse(text) {
            return Ok(argument(BotSource::BuiltIn(built_in::in_folder(&spec?, folder)), None));
        }
        if let Some(source) = BotSource::at(&folder.join(text)) {
            return Ok(argument(source, None));
        }
        if let Some((file, standard)) = split_standard(text)
            && let Some(source) = BotSource::at(&folder.join(file))
        {
            let standard = standard.parse().map_err(|error| bad_input(format!("{text}: --std: {error}")))?;
            return Ok(argument(source, Some(standard)));
        }
        let words = shlex::split(text).filter(|words| !words.is_empty()).ok_or_else(|| {
            let reason = format!("\"{text}\": not a command line: it is empty or misses a quotation mark");
            coded(Problem::new("bot-no-command"), reason)
        })?;
        Ok(argument(BotSource::CommandLine(words), None))
    }

    /// Returns the bot with this version of C++, unless it has another one.
    #[must_use]
    pub fn with_standard(mut self, standard: Option<CppStandard>) -> BotArgument {
        self.standard = self.standard.or(standard);
        self
    }

    /// Whether it is a built-in bot, which needs no process of its own.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        matches!(self.source, BotSource::BuiltIn(_))
    }
}

impl FromStr for BotArgument {
    type Err = anyhow::Error;

    /// Parses a BOT argument whose files are in the current folder.
    fn from_str(text: &str) -> anyhow::Result<BotArgument> {
        BotArgument::in_folder(text, Path::new(""))
    }
}

impl fmt::Display for BotArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl BotSource {
    /// Returns the file or folder at a path; `None` if there is neither.
    #[must_use]
    pub fn at(path: &Path) -> Option<BotSource> {
        if path.is_dir() {
            return Some(BotSource::Folder(path.to_owned()));
        }
        // It may be no file either: reading a pipe or device may never end.
        path.exists().then(|| BotSource::in_file(path.to_owned()))
    }

    /// Returns the source in a file: an archive by its name, or the bot itself.
    #[must_use]
    pub fn in_file(path: PathBuf) -> BotSource {
        if is_archive(&path) { BotSource::Archive(path) } else { BotSource::File(path) }
    }

    /// Returns the file that is the bot, if it is in a file or folder; of an archive, the archive.
    ///
    /// # Errors
    ///
    /// If the folder does not contain exactly one bot.
    pub fn file(&self) -> anyhow::Result<Option<PathBuf>> {
        match self {
            BotSource::File(path) | BotSource::Archive(path) => Ok(Some(path.clone())),
            BotSource::Folder(folder) => bot_in(folder).map(Some),
            BotSource::BuiltIn(_) | BotSource::CommandLine(_) => Ok(None),
        }
    }

    /// Returns the files of the bot, without a check that it exists.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            BotSource::BuiltIn(spec) => spec.net.iter().cloned().collect(),
            BotSource::CommandLine(words) => files_in(words),
            BotSource::File(_) | BotSource::Folder(_) | BotSource::Archive(_) => self.file().ok().flatten().into_iter().collect(),
        }
    }
}

/// Splits a BOT argument of the form `FILE --std STANDARD`, where the file may be in quotes; `None` if it has another one.
fn split_standard(text: &str) -> Option<(String, String)> {
    let (file, standard) = text.rsplit_once(" --std ")?;
    // Without quotes, a path is as it stands: on Windows it has backslashes.
    let words = shlex::split(file).filter(|_| file.contains(['\'', '"']));
    let file = words.and_then(|words| <[String; 1]>::try_from(words).ok()).map_or_else(|| file.to_owned(), |[file]| file);
    Some((file, standard.trim().to_owned()))
}

/// Returns the BOT argument of a file with a version of C++, if one was chosen.
#[must_use]
pub fn with_standard(file: &Path, standard: Option<CppStandard>) -> String {
    let file = file.to_string_lossy();
    let joined = standard.and_then(|standard| shlex::try_join([&file, "--std", standard.name()]).ok());
    joined.unwrap_or_else(|| file.into_owned())
}

/// Returns whether a file is an archive of a folder with a bot, by its name.
pub(crate) fn is_archive(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["zip", "pyz"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, is_it: fn(&BotSource) -> bool) {
        let argument: BotArgument = text.parse().unwrap();
        assert!(is_it(&argument.source) && argument.to_string() == text, "{text}");
    }

    #[test]
    fn a_text_means_one_of_these() {
        check("sage --time 5", |source| matches!(source, BotSource::BuiltIn(spec) if spec.time_ms == Some(5)));
        check("style sniper", |source| matches!(source, BotSource::BuiltIn(spec) if spec.style.is_some()));
        check("src/lib.rs", |source| matches!(source, BotSource::File(_)));
        check("src", |source| matches!(source, BotSource::Folder(_)));
        check("./no-such-file", |source| matches!(source, BotSource::CommandLine(words) if words.len() == 1));
        check("python3 'my bot.py'", |source| matches!(source, BotSource::CommandLine(words) if words[1] == "my bot.py"));
        let built: BotArgument = "src/lib.rs --std c++11".parse().unwrap();
        assert!(matches!(built.source, BotSource::File(_)) && built.standard == Some(CppStandard::Cpp11));
        for file in ["my bot.cpp", "it's \"mine\".cpp", "staff\\bot.cpp"] {
            let split = split_standard(&with_standard(Path::new(file), built.standard));
            assert_eq!(split, Some((file.to_owned(), "c++11".to_owned())));
        }
        assert_eq!(split_standard("my bot.cpp --std c++11").unwrap().0, "my bot.cpp");
        assert_eq!(
            "".parse::<BotArgument>().err().unwrap().to_string(),
            "\"\": not a command line: it is empty or misses a quotation mark"
        );
        assert!("sage --time 0".parse::<BotArgument>().err().unwrap().to_string().starts_with("\"sage --time 0\": --time: "));
    }

    #[test]
    fn a_bot_has_its_files() {
        let files = |text: &str| text.parse::<BotArgument>().unwrap().source.files();
        assert_eq!(files("sage --net x.net"), [Path::new("x.net")]);
        assert_eq!(files("cat src/lib.rs --fast"), [Path::new("src/lib.rs")]);
        assert_eq!(files("sage --time 5"), [""; 0].map(Path::new));
    }
}
