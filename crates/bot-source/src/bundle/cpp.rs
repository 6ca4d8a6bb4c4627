//! A C++ source with the files that it includes in quotes, as one file.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use pacman2_console::files::folder_of;
use pacman2_console::text::sanitize;
use pacman2_runner::{InputFileError, lexically_normal, read_input_file};

use super::conditionals::Conditionals;
use super::header::Header;
use super::jsoncpp;
use super::parts::{Bundle, BundleError, MARK, Place, data_file, name_in};
use crate::compile::without_non_breaking_spaces;
use crate::cpp_text::{Condition, CppText, Directive, Include};
use crate::source_files::{Found, MainSource, SourceFile, SourceFiles, is_utf16};

/// The size limit of all files together, and of the result; their number; how deep includes may be nested, as in g++.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
const MAX_INCLUDES: usize = 10_000;
const MAX_DEPTH: usize = 200;
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
    /// Include Botzone's JsonCpp instead of a copy of it in the folder that is a release.
    pub for_botzone: bool,
}

/// Puts a source and all that it includes in quotes into one text.
///
/// A file is expanded once if it has an include guard or `#pragma once`, and otherwise wherever it is included, as by a compiler.
///
/// # Errors
///
/// If that is impossible: a file is missing or outside the bot's folder, or is data that the bot would read.
pub fn bundle(source: &MainSource<'_>, options: &CppOptions<'_>) -> Result<Bundle, BundleError> {
    let folder = folder_of(source.path);
    let unreadable = |error: io::Error| BundleError::unreadable(folder, error.into());
    let real_folder = fs::canonicalize(folder).map_err(unreadable)?;
    let whole_folder = source.real_folder().map_err(unreadable)?;
    let mut expansion = Expansion {
        source: *source,
        folder: folder.to_owned(),
        real_folder,
        whole_folder,
        parts: vec![Part::Text(Vec::new())],
        files: BTreeMap::new(),
        order: Vec::new(),
        stack: Vec::new(),
        expanded: BTreeMap::new(),
        conditionals: Conditionals::new(),
        bytes_left: MAX_BYTES,
        includes_left: MAX_INCLUDES,
        written_left: MAX_BYTES as usize,
        options: *options,
        identifiers: BTreeSet::new(),
        strings: Vec::new(),
        copy_of_jsoncpp: None,
        library: BTreeSet::new(),
        notes: Vec::new(),
    };
    let real = fs::canonicalize(source.path).map_err(|error| BundleError::unreadable(source.path, error.into()))?;
    expansion.expand(&SourceFile { named: source.path.to_owned(), real })?;
    if let Some(library) = expansion.left_out_library() {
        expansion.expand(&library)?;
    }
    expansion.finish()
}

struct Expansion<'a> {
    source: MainSource<'a>,
    /// The folder of the source as it was typed, and without links.
    folder: PathBuf,
    real_folder: PathBuf,
    /// The folder of which it may include files, without links.
    whole_folder: PathBuf,
    parts: Vec<Part>,
    /// The files that were read, by their real paths.
    files: BTreeMap<PathBuf, File>,
    /// Their names, in the order in which they were first expanded.
    order: Vec<String>,
    /// The files that are being expanded, the source first.
    stack: Vec<PathBuf>,
    /// Whether each file was expanded where no conditional could leave it out.
    expanded: BTreeMap<PathBuf, bool>,
    conditionals: Conditionals,
    bytes_left: u64,
    includes_left: usize,
    written_left: usize,
    options: CppOptions<'a>,
    /// The identifiers of the author's code.
    identifiers: BTreeSet<String>,
    /// The strings of the author's code, which may name files.
    strings: Vec<(Place, String)>,
    /// Where a copy of JsonCpp is included, for which Botzone's stands.
    copy_of_jsoncpp: Option<Place>,
    /// The files of that copy, without links.
    library: BTreeSet<PathBuf>,
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
    Macro(Vec<u8>),
}

impl Expansion<'_> {
    /// Returns the source of a copy of JsonCpp that nothing includes, since compilers get it besides.
    fn left_out_library(&self) -> Option<SourceFile> {
        let named = SourceFiles::read(&self.source).ok()?.jsoncpp_source.filter(|_| self.copy_of_jsoncpp.is_none())?;
        let real = fs::canonicalize(&named).ok().filter(|real| !self.expanded.contains_key(real))?;
        Some(SourceFile { named, real })
    }

    /// Adds a file.
    fn expand(&mut self, file: &SourceFile) -> Result<(), BundleError> {
        let SourceFile { named, real } = file;
        let (text, guard) = self.read(named, real)?;
        let is_first = !self.expanded.contains_key(real);
        let is_certain = !self.conditionals.are_in_doubt();
        *self.expanded.entry(real.to_owned()).or_default() |= is_certain;
        if is_first {
            self.order.push(self.name(named));
        }
        if let Some(header) = str::from_utf8(&text.text).ok().filter(|text| Header::is_one(text)) {
            let place = Place { file: named.to_owned(), line: 1 };
            self.take(header.len(), &place)?;
            self.parts.push(Part::Header { place, text: header.to_owned() });
            self.parts.push(Part::Text(Vec::new()));
            if let Guard::Macro(name) = guard {
                self.conditionals.define(name);
            }
            return Ok(());
        }
        if is_first {
            self.note_words(named, &text);
        }
        self.stack.push(real.to_owned());
        // One that a condition may leave out can be followed by another, and only one may take effect.
        let is_only = is_first && is_certain;
        let number = self.order.iter().position(|name| *name == self.name(named)).unwrap_or_default();
        let wrapper = (guard == Guard::Pragma && !is_only).then(|| format!("PACMAN2_BUNDLE_{number}"));
        if let Some(name) = &wrapper {
            self.write(format!("#ifndef {name}\n#define {name}\n").as_bytes());
        }
        let is_source = self.stack.len() == 1;
        if !is_source {
            self.mark(&self.name(named));
        }
        self.expand_lines(file, &text)?;
        self.end_line();
        if wrapper.is_some() {
            self.write(b"#endif\n");
        }
        self.stack.pop();
        Ok(())
    }

    fn expand_lines(&mut self, file: &SourceFile, text: &CppText) -> Result<(), BundleError> {
        let lines = text.lines();
        let next_directive =
            |index: usize| lines[index + 1..].iter().find(|line| !text.is_blank(line)).map(|line| text.directive(line));
        for (index, line) in lines.iter().enumerate() {
            let place = || Place { file: file.named.clone(), line: text.line_number(line.start) };
            let directive = text.directive(line);
            let is_dead = self.conditionals.are_dead();
            if let Some(Directive::Include(include)) = &directive
                && !is_dead
                && self.include(file, include, &place())?
            {
                self.mark(&self.name(&file.named));
                continue;
            }
            match &directive {
                Some(Directive::IncludeComputed(name)) if !is_dead => {
                    return Err(BundleError::Computed { place: place(), name: String::from_utf8_lossy(name).into_owned() });
                }
                Some(Directive::Embed) if !is_dead => return Err(BundleError::Embed(place())),
                // In the source itself, it would be a warning.
                Some(Directive::PragmaOnce) => continue,
                Some(directive) => self.conditionals.see(directive, next_directive(index).flatten().as_ref()),
                None => {}
            }
            let mut bytes = Cow::from(&text.text[line.clone()]);
            if let Some(Directive::If(_) | Directive::ElseIf) = directive
                && !is_dead
            {
                bytes = self.with_found_files(file, bytes, &place())?;
            }
            self.take(bytes.len(), &place())?;
            self.write(&bytes);
        }
        Ok(())
    }

    /// Answers the questions of a condition for files that the bot has, since they are part of the result. A file that is not there is
    /// not there on Botzone either.
    fn with_found_files<'t>(
        &self,
        from: &SourceFile,
        condition: Cow<'t, [u8]>,
        place: &Place,
    ) -> Result<Cow<'t, [u8]>, BundleError> {
        let Ok(text) = str::from_utf8(&condition) else { return Ok(condition) };
        let mut questions = text.split("__has_include");
        let mut answered = questions.next().unwrap_or_default().to_owned();
        for question in questions {
            let name = question.trim_start().strip_prefix('(').and_then(|name| Include::at_start(name.trim_start().as_bytes()));
            let name = name.filter(|include| !is_standard(include));
            match (name.and_then(|include| self.source.find(&self.whole_folder, from, &include)), question.split_once(')')) {
                (Some(Found::Outside), _) => return Err(BundleError::HasInclude(place.clone())),
                (Some(Found::Inside(_)), Some((_, rest))) => answered += &format!("1{rest}"),
                _ => answered += &format!("__has_include{question}"),
            }
        }
        Ok(answered.into_bytes().into())
    }

    /// Expands an included file. Returns `false` if the directive has to stay, because it names a library.
    fn include(&mut self, from: &SourceFile, include: &Include, place: &Place) -> Result<bool, BundleError> {
        let shown = || String::from_utf8_lossy(&include.name).into_owned();
        self.includes_left = self.includes_left.checked_sub(1).ok_or_else(|| BundleError::too_much(place))?;
        let is_standard = is_standard(include);
        let found = if is_standard && !include.is_quoted { None } else { self.source.find(&self.whole_folder, from, include) };
        let file = match found {
            Some(Found::Inside(file)) => file,
            None if is_standard || !include.is_quoted || include.is_of_jsoncpp() => return Ok(false),
            missing if self.conditionals.are_in_doubt() => {
                let what = if missing.is_none() { "is not there" } else { "is outside the folder of the bot" };
                self.notes.push(format!(
                    "{place}: \"{}\" {what}; the line was left as it is, within its condition",
                    sanitize(&shown())
                ));
                return Ok(false);
            }
            None => return Err(BundleError::Missing { place: place.clone(), name: shown() }),
            Some(Found::Outside) => return Err(BundleError::Outside { place: place.clone(), name: shown() }),
        };
        let (text, guard) = self.read(&file.named, &file.real)?;
        if !self.source.may_include(&file.real, &text) {
            return Err(BundleError::OtherBot { place: place.clone(), name: shown() });
        }
        if self.options.for_botzone && jsoncpp::is_copy(&text) && self.can_leave_jsoncpp(&file, place)? {
            return Ok(true);
        }
        let is_in_effect = match &guard {
            Guard::None => false,
            Guard::Pragma => self.stack.contains(&file.real) || self.expanded.get(&file.real) == Some(&true),
            Guard::Macro(name) => self.conditionals.is_defined(name),
        };
        if is_in_effect {
            return Ok(true);
        }
        if self.stack.len() >= MAX_DEPTH {
            return Err(if self.stack.contains(&file.real) {
                BundleError::Circle { place: place.clone(), name: shown() }
            } else {
                BundleError::too_much(place)
            });
        }
        self.end_line();
        self.expand(&file)?;
        Ok(true)
    }

    /// Includes Botzone's JsonCpp in place of a copy of it. Returns `false` if the copy may differ from a release.
    fn can_leave_jsoncpp(&mut self, copy: &SourceFile, place: &Place) -> Result<bool, BundleError> {
        let (name, header) = (self.name(&copy.named), jsoncpp::HEADER);
        let library = self.release_of_jsoncpp(copy)?;
        let note = match &library {
            Some(_) => format!("{name} is a copy of JsonCpp, which Botzone has: it is included there as {header}"),
            None => {
                format!("{name} is a changed copy of JsonCpp, or of a version that is not known here, and is part of the file")
            }
        };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
        let Some(library) = library else { return Ok(false) };
        self.end_line();
        self.write(format!("#include \"{header}\"\n").as_bytes());
        self.copy_of_jsoncpp.get_or_insert_with(|| place.clone());
        self.library.extend(library);
        Ok(true)
    }

    /// Returns the files of a copy of JsonCpp without links, if each of them is of a release.
    fn release_of_jsoncpp(&mut self, copy: &SourceFile) -> Result<Option<BTreeSet<PathBuf>>, BundleError> {
        let mut files = BTreeSet::new();
        let source =
            self.source.jsoncpp_source().and_then(|named| Some(SourceFile { real: fs::canonicalize(&named).ok()?, named }));
        let mut open: Vec<SourceFile> = source.into_iter().chain([copy.clone()]).collect();
        while let Some(file) = open.pop() {
            if !files.insert(file.real.clone()) {
                continue;
            }
            let (text, _) = self.read(&file.named, &file.real)?;
            if !jsoncpp::is_of_release(&text) {
                return Ok(None);
            }
            open.extend(text.includes().iter().filter_map(|include| {
                match self.source.find(&self.whole_folder, &file, include)? {
                    Found::Inside(included) => Some(included),
                    Found::Outside => None,
                }
            }));
        }
        Ok(Some(files))
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
        if is_utf16(&bytes) {
            return Err(BundleError::Encoding(named.to_owned()));
        }
        if bytes.starts_with("\u{feff}".as_bytes()) {
            bytes.drain(..3);
        }
        if let Some(cleaned) = without_non_breaking_spaces(&bytes) {
            let place = Place { file: named.to_owned(), line: 1 };
            self.notes.push(format!("{place}: compilers reject its non-breaking spaces, which became blanks"));
            bytes = cleaned.into_bytes();
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
        let is_include = |line: &Range<usize>| matches!(text.directive(line), Some(Directive::Include(_)));
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
        let folder = self.source.own_folder.unwrap_or(&self.folder);
        name_in(&lexically_normal(folder), &lexically_normal(named))
    }

    fn finish(self) -> Result<Bundle, BundleError> {
        let in_folder = self.library.iter().filter(|path| path.starts_with(&self.real_folder));
        let library = in_folder.map(|path| name_in(&self.real_folder, path)).collect();
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
        Ok(Bundle { text, files: self.order, sections, data: data.into_iter().collect(), library, notes: self.notes })
    }
}

/// Finds out what keeps a file from taking effect twice.
fn guard_of(text: &CppText) -> Guard {
    let lines: Vec<_> = text.lines().into_iter().filter(|line| !text.is_blank(line)).collect();
    let directives: Vec<Option<Directive>> = lines.iter().map(|line| text.directive(line)).collect();
    // How many conditionals are open behind each line.
    let depths: Vec<i32> = directives
        .iter()
        .scan(0, |depth, directive| {
            *depth += match directive {
                Some(Directive::If(_)) => 1,
                Some(Directive::EndIf) => -1,
                _ => 0,
            };
            Some(*depth)
        })
        .collect();
    if directives.iter().zip(&depths).any(|(directive, depth)| *directive == Some(Directive::PragmaOnce) && *depth == 0) {
        return Guard::Pragma;
    }
    // The first conditional has to end with the last line.
    let is_around_all = depths.iter().position(|&depth| depth == 0).is_some_and(|end| end + 1 == depths.len());
    match &directives[..] {
        [Some(Directive::If(Condition::Undefined(name))), Some(Directive::Define(defined)), ..]
            if is_around_all && name == defined =>
        {
            Guard::Macro(name.clone())
        }
        _ => Guard::None,
    }
}

/// Returns whether it has the name of a header of the standard library.
fn is_standard(include: &Include) -> bool {
    str::from_utf8(&include.name).is_ok_and(|name| !name.is_empty() && STANDARD.contains(&format!(" {name} ")))
}
