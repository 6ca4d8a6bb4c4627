//! A C++ source with the files that it includes in quotes, as one file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use pacman2_console::files::folder_of;
use pacman2_console::text::sanitize;
use pacman2_runner::{InputFileError, read_input_file};

use super::cpp_text::{CppText, Directive};
use super::header::Header;
use super::parts::{Bundle, BundleError, MARK, Place, data_file, name_in};
use crate::compile;

/// The size limit of all files together, and of the result; their number; how deep includes may be nested, as in g++.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
const MAX_INCLUDES: usize = 10_000;
const MAX_DEPTH: usize = 200;
/// What authors include in quotes although it is a library that Botzone has.
const LIBRARIES: [&str; 2] = ["jsoncpp/json.h", "json/json.h"];
/// Headers of the standard library, which are found in quotes, too.
const STANDARD: &str = " algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes \
    ciso646 climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdalign cstdarg \
    cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque exception execution filesystem \
    format forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits \
    list locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex \
    scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string \
    string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set \
    utility valarray variant vector version assert.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h \
    setjmp.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h time.h unistd.h wchar.h bits/stdc++.h ";

/// How a bundle is made.
#[derive(Clone, Copy, Default)]
pub struct CppOptions<'a> {
    /// Leave out comments, except licences.
    pub strip: bool,
    /// Names in strings that are no files for the bot.
    pub ignored: &'a [String],
    /// Include only what compilers see in the sandbox: headers, and not the source of another bot in the same folder.
    pub only_headers: bool,
}

/// Puts a source and all that it includes in quotes into one text.
///
/// A file is expanded once if it has an include guard or `#pragma once`, and otherwise wherever it is included, as by a compiler.
///
/// # Errors
///
/// If that is impossible: a file is missing or outside the source's folder, or is data that the bot would read.
pub fn bundle(source: &Path, options: &CppOptions<'_>) -> Result<Bundle, BundleError> {
    let folder = folder_of(source);
    let real_folder = fs::canonicalize(folder).map_err(|error| BundleError::unreadable(folder, error.into()))?;
    let mut expansion = Expansion {
        folder: folder.to_owned(),
        real_folder,
        parts: vec![Part::Text(Vec::new())],
        files: BTreeMap::new(),
        order: Vec::new(),
        stack: Vec::new(),
        expanded: BTreeMap::new(),
        bytes_left: MAX_BYTES,
        includes_left: MAX_INCLUDES,
        written_left: MAX_BYTES as usize,
        options: *options,
        identifiers: BTreeSet::new(),
        strings: Vec::new(),
        notes: Vec::new(),
    };
    let real = fs::canonicalize(source).map_err(|error| BundleError::unreadable(source, error.into()))?;
    expansion.expand(source, &real, 0)?;
    expansion.finish()
}

struct Expansion<'a> {
    /// The folder of the source as it was typed, and without links.
    folder: PathBuf,
    real_folder: PathBuf,
    parts: Vec<Part>,
    /// The files that were read, by their real paths.
    files: BTreeMap<PathBuf, File>,
    /// Their names, in the order in which they were first expanded.
    order: Vec<String>,
    /// The files that are being expanded, the source first.
    stack: Vec<PathBuf>,
    /// Whether each file was expanded where no conditional could leave it out.
    expanded: BTreeMap<PathBuf, bool>,
    bytes_left: u64,
    includes_left: usize,
    written_left: usize,
    options: CppOptions<'a>,
    /// The identifiers of the author's code.
    identifiers: BTreeSet<String>,
    /// The strings of the author's code, which may name files.
    strings: Vec<(Place, String)>,
    notes: Vec<String>,
}

/// A part of the result.
enum Part {
    Text(Vec<u8>),
    /// A header with sections, which are chosen when all code is known.
    Header {
        place: Place,
        text: String,
    },
}

/// A file that was read.
struct File {
    text: Rc<CppText>,
    guard: Guard,
}

/// What keeps a file from taking effect twice.
#[derive(Clone, PartialEq, Eq)]
enum Guard {
    None,
    /// `#pragma once`.
    Pragma,
    /// `#ifndef NAME`, `#define NAME`, and `#endif` around all of it.
    Macro,
}

impl Expansion<'_> {
    /// Adds a file. `depth` is the number of conditionals around the directive that includes it.
    fn expand(&mut self, named: &Path, real: &Path, depth: usize) -> Result<(), BundleError> {
        let (text, guard) = self.read(named, real)?;
        let is_first = !self.expanded.contains_key(real);
        *self.expanded.entry(real.to_owned()).or_default() |= depth == 0;
        if is_first {
            self.order.push(self.name(named));
        }
        if let Some(header) = str::from_utf8(&text.text).ok().filter(|text| Header::is_one(text)) {
            let place = Place { file: named.to_owned(), line: 1 };
            self.take(header.len(), &place)?;
            self.parts.push(Part::Header { place, text: header.to_owned() });
            self.parts.push(Part::Text(Vec::new()));
            return Ok(());
        }
        if is_first {
            self.note_words(named, &text);
        }
        self.stack.push(real.to_owned());
        // One that a condition may leave out can be followed by another, and only one may take effect.
        let is_only = is_first && depth == 0;
        let number = self.order.iter().position(|name| *name == self.name(named)).unwrap_or_default();
        let wrapper = (guard == Guard::Pragma && !is_only).then(|| format!("PACMAN2_BUNDLE_{number}"));
        if let Some(name) = &wrapper {
            self.write(format!("#ifndef {name}\n#define {name}\n").as_bytes());
        }
        let is_source = self.stack.len() == 1;
        if !is_source {
            self.mark(&self.name(named));
        }
        let own_depth = usize::from(guard == Guard::Macro);
        let mut open = 0_usize;
        for line in text.lines() {
            let place = || Place { file: named.to_owned(), line: text.line_number(line.start) };
            match text.directive(&line) {
                Some(Directive::IncludeQuoted(name)) => {
                    let inner = depth + open.saturating_sub(own_depth);
                    if self.include(named, &name, inner, &place())? {
                        self.mark(&self.name(named));
                        continue;
                    }
                }
                Some(Directive::IncludeComputed(name)) => {
                    return Err(BundleError::Computed { place: place(), name: String::from_utf8_lossy(&name).into_owned() });
                }
                Some(Directive::Embed) => return Err(BundleError::Embed(place())),
                // In the source itself, it would be a warning.
                Some(Directive::PragmaOnce) => continue,
                Some(Directive::If { .. }) => open += 1,
                Some(Directive::EndIf) => open = open.saturating_sub(1),
                _ => {}
            }
            let bytes = &text.text[line.clone()];
            self.take(bytes.len(), &place())?;
            self.write(bytes);
        }
        self.end_line();
        if wrapper.is_some() {
            self.write(b"#endif\n");
        }
        self.stack.pop();
        Ok(())
    }

    /// Expands an included file. Returns `false` if the directive has to stay, because it names a library.
    fn include(&mut self, from: &Path, name: &[u8], depth: usize, place: &Place) -> Result<bool, BundleError> {
        let shown = || String::from_utf8_lossy(name).into_owned();
        self.includes_left = self.includes_left.checked_sub(1).ok_or_else(|| BundleError::too_much(place))?;
        let Some((named, real)) = self.find(from, name, place)? else {
            let text = str::from_utf8(name).unwrap_or_default();
            let is_known = LIBRARIES.contains(&text) || !text.is_empty() && STANDARD.contains(&format!(" {text} "));
            if is_known {
                return Ok(false);
            }
            if depth > 0 {
                self.notes.push(format!(
                    "{place}: \"{}\" is not there; the line was left as it is, within its condition",
                    sanitize(&shown())
                ));
                return Ok(false);
            }
            return Err(BundleError::Missing { place: place.clone(), name: shown() });
        };
        let (_, guard) = self.read(&named, &real)?;
        if self.stack.contains(&real) {
            // It has already taken effect, as far as its guard lets it.
            return if guard == Guard::None {
                Err(BundleError::Circle { place: place.clone(), name: shown() })
            } else {
                Ok(true)
            };
        }
        if self.stack.len() >= MAX_DEPTH {
            return Err(BundleError::too_much(place));
        }
        let is_there = self.expanded.get(&real) == Some(&true);
        if guard == Guard::None || !is_there {
            self.end_line();
            self.expand(&named, &real, depth)?;
        }
        Ok(true)
    }

    /// Finds an included file as compilers do: beside the file that includes it, then beside the source. `None` if there is none.
    fn find(&self, from: &Path, name: &[u8], place: &Place) -> Result<Option<(PathBuf, PathBuf)>, BundleError> {
        let Ok(name) = str::from_utf8(name) else { return Ok(None) };
        for folder in [folder_of(from), &self.folder] {
            let named = folder.join(name.replace('\\', "/"));
            let Ok(real) = fs::canonicalize(&named) else { continue };
            if !real.is_file() || self.options.only_headers && !compile::is_header(&real) {
                continue;
            }
            if !real.starts_with(&self.real_folder) {
                return Err(BundleError::Outside { place: place.clone(), name: name.to_owned() });
            }
            return Ok(Some((named, real)));
        }
        Ok(None)
    }

    /// Reads a file, once.
    fn read(&mut self, named: &Path, real: &Path) -> Result<(Rc<CppText>, Guard), BundleError> {
        if let Some(file) = self.files.get(real) {
            return Ok((file.text.clone(), file.guard.clone()));
        }
        let mut bytes = read_input_file(real, self.bytes_left).map_err(|error| match error {
            InputFileError::TooLarge { .. } => BundleError::too_much(&Place { file: named.to_owned(), line: 1 }),
            error => BundleError::unreadable(named, error),
        })?;
        self.bytes_left -= bytes.len() as u64;
        if bytes.starts_with("\u{feff}".as_bytes()) {
            bytes.drain(..3);
        }
        let text = Rc::new(CppText::new(bytes));
        let guard = guard_of(&text);
        self.files.insert(real.to_owned(), File { text: text.clone(), guard: guard.clone() });
        Ok((text, guard))
    }

    /// Notes the identifiers and strings of the author's code.
    fn note_words(&mut self, named: &Path, text: &CppText) {
        let identifiers = &mut self.identifiers;
        text.each_identifier(|word| {
            if let Ok(word) = str::from_utf8(word)
                && !identifiers.contains(word)
            {
                identifiers.insert(word.to_owned());
            }
        });
        let is_include = |line: &Range<usize>| matches!(text.directive(line), Some(Directive::IncludeQuoted(_)));
        let includes: Vec<Range<usize>> = text.lines().into_iter().filter(is_include).collect();
        for (at, string) in text.strings() {
            if let Ok(string) = str::from_utf8(string)
                && !includes.iter().any(|line| line.contains(&at))
            {
                let place = Place { file: named.to_owned(), line: text.line_number(at) };
                self.strings.push((place, string.to_owned()));
            }
        }
    }

    /// Counts what is written, whose size is limited: files without guards may be included again and again.
    fn take(&mut self, bytes: usize, place: &Place) -> Result<(), BundleError> {
        self.written_left = self.written_left.checked_sub(bytes).ok_or_else(|| BundleError::too_much(place))?;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(Part::Text(text)) = self.parts.last_mut() {
            text.extend_from_slice(bytes);
        }
    }

    /// Writes a comment with the name of the file that follows.
    fn mark(&mut self, name: &str) {
        if !self.options.strip {
            self.write(format!("// ---- {name} ----\n").as_bytes());
        }
    }

    fn end_line(&mut self) {
        if let Some(Part::Text(text)) = self.parts.last_mut()
            && !text.is_empty()
            && !text.ends_with(b"\n")
        {
            text.push(b'\n');
        }
    }

    /// Returns the path of a file in the folder, for people.
    fn name(&self, named: &Path) -> String {
        name_in(&self.folder, named)
    }

    fn finish(self) -> Result<Bundle, BundleError> {
        let own: BTreeSet<&PathBuf> = self.files.keys().collect();
        let mut data = BTreeSet::new();
        for (place, string) in &self.strings {
            if let Some(file) = data_file(&self.folder, &self.real_folder, string, self.options.ignored)
                && !own.contains(&file.real)
            {
                if !file.is_stored {
                    return Err(BundleError::Data { place: place.clone(), name: string.clone() });
                }
                data.insert(file.name);
            }
        }
        let mut text = Vec::new();
        let _ = writeln!(text, "// {MARK}{}", self.order.join(", "));
        let mut sections = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(bytes) => text.extend_from_slice(bytes),
                Part::Header { place, text: header } => {
                    let wrong = |error| BundleError::Header { place: place.clone(), error };
                    let header = Header::read(header).map_err(wrong)?;
                    let needed = header.needed(|name| self.identifiers.contains(name));
                    text.extend_from_slice(header.with(&needed).as_bytes());
                    sections.extend(needed.into_iter().map(str::to_owned));
                }
            }
        }
        if self.options.strip {
            // The first line says what wrote the file.
            let end = text.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let rest = CppText::new(text.split_off(end)).without_comments();
            text.extend_from_slice(&rest);
        }
        Ok(Bundle { text, files: self.order, sections, data: data.into_iter().collect(), notes: self.notes })
    }
}

/// Finds out what keeps a file from taking effect twice.
fn guard_of(text: &CppText) -> Guard {
    let lines: Vec<_> = text.lines().into_iter().filter(|line| !text.is_blank(line)).collect();
    let directives: Vec<Option<Directive>> = lines.iter().map(|line| text.directive(line)).collect();
    let mut open = 0_usize;
    for directive in &directives {
        match directive {
            Some(Directive::PragmaOnce) if open == 0 => return Guard::Pragma,
            Some(Directive::If { .. }) => open += 1,
            Some(Directive::EndIf) => open = open.saturating_sub(1),
            _ => {}
        }
    }
    let [Some(Directive::If { unless: Some(name) }), Some(Directive::Define(defined)), .., Some(Directive::EndIf)] =
        &directives[..]
    else {
        return Guard::None;
    };
    // The first conditional has to end with the last line.
    let mut open = 0_usize;
    for (index, directive) in directives.iter().enumerate() {
        match directive {
            Some(Directive::If { .. }) => open += 1,
            Some(Directive::EndIf) => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            return if name == defined && index + 1 == directives.len() { Guard::Macro } else { Guard::None };
        }
    }
    Guard::None
}
