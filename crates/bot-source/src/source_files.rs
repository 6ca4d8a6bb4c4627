//! A source and, in C and C++, the files of its folder that it includes, found as `g++ -I FOLDER` finds them.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pacman2_console::error::{coded, in_words};
use pacman2_console::files::{self, folder_of};
use pacman2_runner::{Compiler, InputFileError, lexically_normal, read_input_file};

use crate::compile::about;
use crate::cpp_text::{CppText, Include};

/// The limits of a source with the files that it includes: their size, their number, how many names they include, and how
/// deep includes are nested, which is also the limit of g++.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
const MAX_FILES: usize = 1000;
const MAX_INCLUDES: usize = 10_000;
const MAX_DEPTH: usize = 200;
/// The extensions of headers. Some libraries have headers without one.
const HEADERS: [&str; 12] = ["", "h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp", "def"];
/// Where the source of JsonCpp lies beside its header.
const JSONCPP_SOURCES: [&str; 3] = ["jsoncpp.cpp", "jsoncpp/jsoncpp.cpp", "json/jsoncpp.cpp"];

/// The source of a program, and what it may include.
#[derive(Clone, Copy, Debug)]
pub struct MainSource<'a> {
    /// The file.
    pub path: &'a Path,
    /// The folder whose files are all the bot's own: that of the file, or one around it. Without one, it may only include headers of
    /// the file's folder, and sources that are no programs: it would copy another bot.
    pub own_folder: Option<&'a Path>,
}

/// A source or header: the path by which the compiler finds it, and the same without links.
#[derive(Clone)]
pub(crate) struct SourceFile {
    pub(crate) named: PathBuf,
    pub(crate) real: PathBuf,
}

/// An included file that the bot has.
pub(crate) enum Found {
    Inside(SourceFile),
    /// It is outside the folder of the bot, which the sandbox hides.
    Outside,
}

/// Why a source cannot include a file.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    /// It is outside the folder of the bot.
    Outside,
    /// It is a link that leads there.
    Link,
    /// It is a program of its own, in a folder with other bots.
    OtherBot,
}

impl MainSource<'_> {
    /// Returns the folder of which it may include files, without links.
    pub(crate) fn real_folder(&self) -> io::Result<PathBuf> {
        fs::canonicalize(self.own_folder.unwrap_or_else(|| folder_of(self.path)))
    }

    /// Returns the source of a copy of JsonCpp beside the source.
    pub(crate) fn jsoncpp_source(&self) -> Option<PathBuf> {
        JSONCPP_SOURCES.iter().map(|name| folder_of(self.path).join(name)).find(|path| path.is_file())
    }

    /// Returns whether the source may include a file.
    pub(crate) fn may_include(&self, file: &Path, text: &CppText) -> bool {
        let extension = file.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        let is_part = || has_includes(file) && !text.defines_main();
        self.own_folder.is_some() || HEADERS.contains(&extension.as_str()) || is_part()
    }

    /// Finds an included file as compilers do: if its name is in quotes, beside the file that includes it, then beside the source.
    /// `folder` is the one of which files may be included, without links.
    pub(crate) fn find(&self, folder: &Path, from: &SourceFile, include: &Include) -> Option<Found> {
        let name = str::from_utf8(&include.name).ok()?.replace('\\', "/");
        let folders = [folder_of(&from.named), folder_of(&from.real), folder_of(self.path)];
        let folders = if include.is_quoted { &folders[..] } else { &folders[2..] };
        folders.iter().find_map(|beside| {
            let named = beside.join(&name);
            let real = fs::canonicalize(&named).ok().filter(|real| real.is_file())?;
            Some(if real.starts_with(folder) { Found::Inside(SourceFile { named, real }) } else { Found::Outside })
        })
    }
}

/// The content of a source and of all that it includes.
pub(crate) struct SourceFiles {
    /// The content of each file, the source first.
    pub(crate) texts: Vec<Vec<u8>>,
    /// The paths by which the compiler finds the files. A file has several if it is included by several spellings.
    pub(crate) paths: Vec<PathBuf>,
    /// Whether a file of the folder is included by a name in angle brackets, for which compilers need `-I`.
    pub(crate) has_angled: bool,
    /// Whether JsonCpp is included, and there is no copy of it in the folder.
    pub(crate) needs_jsoncpp: bool,
    /// The source of the copy of JsonCpp in the folder, which some copies of its header include.
    pub(crate) jsoncpp_source: Option<PathBuf>,
    /// The names of files that the source includes by way of a folder, as in `sub/../a.h`, and the same without it: the sandbox hides
    /// a folder of which nothing is included.
    pub(crate) detours: BTreeMap<String, String>,
    /// The names of included files that are hidden, and why.
    pub(crate) refused: BTreeMap<String, Refusal>,
}

impl SourceFiles {
    /// Reads each file once, however often and by whatever spelling it is included: the walk takes place outside the sandbox.
    pub(crate) fn read(source: &MainSource<'_>) -> anyhow::Result<SourceFiles> {
        let real = fs::canonicalize(source.path).map_err(|error| files::unreadable(source.path, &error.into()))?;
        let mut walk = Walk {
            source: *source,
            folder: source.real_folder().map_err(|error| files::unreadable(folder_of(source.path), &error.into()))?,
            seen: BTreeSet::from([real.clone()]),
            spellings: Vec::new(),
            bytes_left: MAX_BYTES,
            includes_left: MAX_INCLUDES,
            files: SourceFiles {
                texts: Vec::new(),
                paths: Vec::new(),
                has_angled: false,
                needs_jsoncpp: false,
                jsoncpp_source: None,
                detours: BTreeMap::new(),
                refused: BTreeMap::new(),
            },
        };
        let mut level = vec![SourceFile { named: source.path.to_owned(), real }];
        for _ in 0..MAX_DEPTH {
            level = walk.read_level(level)?;
            if level.is_empty() {
                return walk.finish();
            }
        }
        Err(too_much(source.path, MAX_DEPTH as u64, "levels of includes"))
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(Vec::as_slice)
    }
}

struct Walk<'a> {
    source: MainSource<'a>,
    /// The folder of which files may be included, without links.
    folder: PathBuf,
    /// The files that were found, without links.
    seen: BTreeSet<PathBuf>,
    /// The included files with all their spellings.
    spellings: Vec<SourceFile>,
    bytes_left: u64,
    includes_left: usize,
    files: SourceFiles,
}

impl Walk<'_> {
    /// Reads these files, and returns those that they include and that were not seen before.
    fn read_level(&mut self, level: Vec<SourceFile>) -> anyhow::Result<Vec<SourceFile>> {
        let mut next = Vec::new();
        for file in level {
            let text = self.read_file(&file)?;
            let is_source = self.files.texts.is_empty();
            if !is_source && !self.source.may_include(&file.real, &text) {
                self.refuse(&file);
                continue;
            }
            let is_followed = has_includes(self.source.path);
            for include in text.includes().into_iter().filter(|_| is_followed) {
                self.includes_left =
                    self.includes_left.checked_sub(1).ok_or_else(|| self.too_much(MAX_INCLUDES as u64, "includes"))?;
                self.follow(&file, &include, &mut next)?;
            }
            self.files.texts.push(text.text);
        }
        Ok(next)
    }

    fn read_file(&mut self, file: &SourceFile) -> anyhow::Result<CppText> {
        let text = read_input_file(&file.real, self.bytes_left).map_err(|error| match error {
            InputFileError::TooLarge { .. } => self.too_much(MAX_BYTES / (1024 * 1024), "MB"),
            error => files::unreadable(&file.named, &error),
        })?;
        self.bytes_left -= text.len() as u64;
        if has_includes(self.source.path) && is_utf16(&text) {
            return Err(in_words(about("compiler-encoding", &file.named)));
        }
        Ok(CppText::new(text))
    }

    fn follow(&mut self, from: &SourceFile, include: &Include, next: &mut Vec<SourceFile>) -> anyhow::Result<()> {
        let name = || String::from_utf8_lossy(&include.name).into_owned();
        let file = match self.source.find(&self.folder, from, include) {
            Some(Found::Inside(file)) => file,
            Some(Found::Outside) => {
                // Only a link leads there from within.
                let is_link = !name().contains("..") && !Path::new(&name()).is_absolute();
                self.files.refused.insert(name(), if is_link { Refusal::Link } else { Refusal::Outside });
                return Ok(());
            }
            None => {
                self.files.needs_jsoncpp |= include.is_of_jsoncpp();
                return Ok(());
            }
        };
        let plain = lexically_normal(Path::new(&name()));
        // Behind a link, `..` leads elsewhere than it seems to.
        if self.files.texts.is_empty()
            && include.is_quoted
            && name().contains("/../")
            && fs::canonicalize(folder_of(self.source.path).join(&plain)).is_ok_and(|real| real == file.real)
        {
            self.files.detours.insert(name(), plain.display().to_string());
        }
        self.files.has_angled |= !include.is_quoted;
        if include.is_of_jsoncpp() {
            self.files.jsoncpp_source = self.source.jsoncpp_source();
        }
        if self.seen.insert(file.real.clone()) {
            next.push(file.clone());
        }
        self.spellings.push(file);
        if self.seen.len() > MAX_FILES || self.spellings.len() > MAX_INCLUDES {
            return Err(self.too_much(MAX_FILES as u64, "files"));
        }
        Ok(())
    }

    /// Leaves out a file, which stays hidden from the compiler.
    fn refuse(&mut self, file: &SourceFile) {
        let name = file.named.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.files.refused.insert(name, Refusal::OtherBot);
        self.spellings.retain(|other| other.real != file.real);
    }

    fn finish(mut self) -> anyhow::Result<SourceFiles> {
        let here = env::current_dir().unwrap_or_default();
        let mut paths = BTreeSet::new();
        for SourceFile { named, real } in self.spellings {
            // Behind a link, `..` leads elsewhere than it seems to.
            let named = lexically_normal(&here.join(named));
            if fs::canonicalize(&named).is_ok_and(|other| other == real) {
                paths.insert(named);
            }
            paths.insert(real);
        }
        if let Some(path) = &self.files.jsoncpp_source
            && !fs::canonicalize(path).is_ok_and(|real| self.seen.contains(&real))
        {
            let text = read_input_file(path, self.bytes_left).map_err(|error| files::unreadable(path, &error))?;
            self.files.texts.push(text);
        }
        self.files.paths = std::iter::once(self.source.path.to_owned()).chain(paths).collect();
        self.files.paths.extend(self.files.jsoncpp_source.clone());
        Ok(self.files)
    }

    fn too_much(&self, max: u64, unit: &str) -> anyhow::Error {
        too_much(self.source.path, max, unit)
    }
}

/// Returns whether a file is a source in a language whose sources include files.
pub(crate) fn has_includes(file: &Path) -> bool {
    Compiler::from_file(file).is_some_and(|compiler| compiler.has_includes)
}

/// Returns whether a text is in UTF-16, which compilers of C and C++ do not read.
pub(crate) fn is_utf16(text: &[u8]) -> bool {
    text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff")
}

/// Returns the error for a source that includes too much: more than a limit, counted in `unit`.
fn too_much(source: &Path, max: u64, unit: &str) -> anyhow::Error {
    let file = source.display();
    coded(
        about("source-too-large", source).with("max", max).with("unit", unit),
        format!("{file}: expected at most {max} {unit} with the headers that it includes, got more; include less"),
    )
}
