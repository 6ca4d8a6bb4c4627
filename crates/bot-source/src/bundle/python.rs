//! A Python program with the modules and packages of its folder, as one file.
//!
//! The modules become strings, which an importer at the top of the file finds: so packages, relative imports, circles and
//! `if __name__ == "__main__"` mean what they meant. Python itself reads the sources, in the sandbox.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pacman2_console::files::folder_of;
use pacman2_runner::{InputFileError, read_input_file};
use serde_json::Value;

use super::parts::{Bundle, BundleError, MARK, Place, data_file, name_in};
use crate::cpp_text::has_licence;

/// The program that reads the sources.
pub(super) const FACTS: &str = include_str!("facts.py");
const LOADER: &str = include_str!("loader.py");
/// The size limit of all sources together, and their number.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
const MAX_MODULES: usize = 1000;
/// A package that Botzone has.
const NUMPY: &str = "numpy";

/// How a bundle is made.
pub struct PythonOptions<'a> {
    /// Whether comments are left out.
    pub strip: bool,
    /// Files that sources may name, because the bot does not read them.
    pub ignored: &'a [String],
    /// Modules that Botzone has besides the standard library and numpy.
    pub allowed: &'a [String],
}

/// Puts a program and the modules that it imports from its folder into one text. `read` returns the facts about sources.
///
/// # Errors
///
/// If that is impossible: a module is missing, or the program reads other files; or if `read` fails.
pub(super) fn bundle(
    source: &Path,
    options: &PythonOptions<'_>,
    read: impl FnMut(&[&str]) -> anyhow::Result<Vec<Value>>,
) -> anyhow::Result<Bundle> {
    let folder = folder_of(source).to_owned();
    let real_folder = fs::canonicalize(&folder).map_err(|error| BundleError::unreadable(&folder, error.into()))?;
    let mut collection = Collection {
        folder,
        real_folder,
        options,
        modules: Vec::new(),
        known: BTreeSet::new(),
        bytes_left: MAX_BYTES,
        strings: Vec::new(),
        notes: Vec::new(),
    };
    collection.collect(source, read)?;
    Ok(collection.finish()?)
}

struct Collection<'a> {
    folder: PathBuf,
    real_folder: PathBuf,
    options: &'a PythonOptions<'a>,
    /// The program, and then the modules in the order in which they were found.
    modules: Vec<Module>,
    /// The full names of the modules.
    known: BTreeSet<String>,
    bytes_left: u64,
    /// The strings of all sources, which may name files, with the module that each is in.
    strings: Vec<(Place, usize, String)>,
    notes: Vec<String>,
}

/// A source that becomes part of the bundle.
struct Module {
    /// The full name; empty for the program itself.
    name: String,
    /// Its file; `None` for a folder that is a package without one.
    file: Option<PathBuf>,
    is_package: bool,
    source: String,
    /// Where the part ends that has to stay at the top, as a number of lines.
    head: usize,
    /// Where the comments begin: line from 1, and column in characters.
    comments: Vec<(usize, usize)>,
}

/// An import statement.
struct Import {
    place: Place,
    module: String,
    level: usize,
    names: Vec<String>,
    /// Whether its failure is caught.
    is_optional: bool,
    is_standard: bool,
}

impl Collection<'_> {
    fn collect(&mut self, source: &Path, mut read: impl FnMut(&[&str]) -> anyhow::Result<Vec<Value>>) -> anyhow::Result<()> {
        self.add(String::new(), Some(source.to_owned()), false)?;
        let mut done = 0;
        while done < self.modules.len() {
            let level = done..self.modules.len();
            let sources: Vec<&str> = self.modules[level.clone()].iter().map(|module| module.source.as_str()).collect();
            let facts = read(&sources)?;
            done = level.end;
            for (index, facts) in level.zip(&facts) {
                for import in self.take_facts(index, facts)? {
                    self.resolve(index, &import)?;
                }
            }
        }
        Ok(())
    }

    /// Takes over what Python found in a source, and returns its imports.
    fn take_facts(&mut self, index: usize, facts: &Value) -> Result<Vec<Import>, BundleError> {
        let module = &mut self.modules[index];
        let file = module.file.clone().unwrap_or_else(|| self.folder.clone());
        let number = |value: &Value| value.as_u64().unwrap_or_default() as usize;
        let place = |line: &Value| Place { file: file.clone(), line: number(line) };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        if let Some(reason) = facts["error"].as_str() {
            return Err(BundleError::Syntax { place: place(&facts["line"]), reason: reason.to_owned() });
        }
        if let Some(line) = list(&facts["computed"]).first() {
            return Err(BundleError::ComputedImport { place: place(line) });
        }
        if facts["head"].is_null() && index == 0 {
            let reason = "expected the first statement after the docstring and imports from __future__ on a line of its own";
            return Err(BundleError::Syntax { place: Place { file, line: 1 }, reason: reason.to_owned() });
        }
        module.head = number(&facts["head"]);
        module.comments = list(&facts["comments"]).iter().map(|at| (number(&at[0]), number(&at[1]))).collect();
        let strings = list(&facts["strings"]);
        self.strings.extend(strings.iter().map(|string| (place(&string[0]), index, text(&string[1]))));
        let import = |import: &Value| Import {
            place: place(&import["line"]),
            module: text(&import["module"]),
            level: number(&import["level"]),
            names: list(&import["names"]).iter().map(text).collect(),
            is_optional: import["optional"] == true,
            is_standard: import["standard"] == true,
        };
        Ok(list(&facts["imports"]).iter().map(import).collect())
    }

    /// Adds the modules that an import statement means.
    fn resolve(&mut self, importer: usize, import: &Import) -> Result<(), BundleError> {
        let unknown = |name: &str| BundleError::UnknownModule {
            place: import.place.clone(),
            name: name.to_owned(),
            top: name.split('.').next().unwrap_or_default().to_owned(),
        };
        let full = match import.level {
            0 => import.module.clone(),
            level => {
                let module = &self.modules[importer];
                let up = level - usize::from(module.is_package);
                let mut package: Vec<&str> = module.name.split('.').filter(|part| !part.is_empty()).collect();
                if package.len() <= up {
                    let reason = "a relative import leads out of its package".to_owned();
                    return Err(BundleError::Syntax { place: import.place.clone(), reason });
                }
                package.truncate(package.len() - up);
                let parts = package.into_iter().chain(Some(import.module.as_str())).filter(|part| !part.is_empty());
                parts.collect::<Vec<_>>().join(".")
            }
        };
        let top = full.split('.').next().unwrap_or_default();
        let is_elsewhere = import.is_standard || top == NUMPY || self.options.allowed.iter().any(|name| name == top);
        if import.level == 0 {
            match self.find(top, &import.place)? {
                // A folder without __init__.py counts only if there is no such module anywhere else.
                Some((None, _)) if is_elsewhere => return Ok(()),
                Some(_) => {}
                None if is_elsewhere => return Ok(()),
                None if import.is_optional => {
                    self.notes.push(format!("{}: import {full} is optional and was left as it is", import.place));
                    return Ok(());
                }
                None => return Err(unknown(&full)),
            }
        }
        let mut name = String::new();
        for part in full.split('.').filter(|part| !part.is_empty()) {
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(part);
            if self.known.contains(&name) {
                continue;
            }
            match self.find(&name, &import.place)? {
                Some((file, is_package)) => self.add(name.clone(), file, is_package)?,
                None if import.is_optional => return Ok(()),
                None => return Err(unknown(&full)),
            }
        }
        // What is imported from a package may be a module of it.
        for imported in &import.names {
            let wanted = if imported == "*" { self.modules_in(&full) } else { vec![format!("{full}.{imported}")] };
            for name in wanted {
                if !self.known.contains(&name)
                    && let Some((file, is_package)) = self.find(&name, &import.place)?
                {
                    self.add(name, file, is_package)?;
                }
            }
        }
        Ok(())
    }

    /// Finds a module of the folder: its file, `None` for a package without one, and whether it is a package.
    fn find(&self, name: &str, place: &Place) -> Result<Option<(Option<PathBuf>, bool)>, BundleError> {
        let path = self.folder.join(name.replace('.', "/"));
        let inside = |file: &Path| match fs::canonicalize(file) {
            Ok(real) if real.starts_with(&self.real_folder) => Ok(()),
            _ => Err(BundleError::Outside { place: place.clone(), name: name_in(&self.folder, file) }),
        };
        let file = path.with_file_name(format!("{}.py", path.file_name().unwrap_or_default().to_string_lossy()));
        for (file, is_package) in [(path.join("__init__.py"), true), (file, false)] {
            if file.is_file() {
                inside(&file)?;
                return Ok(Some((Some(file), is_package)));
            }
        }
        let stem = format!("{}.", path.file_name().unwrap_or_default().to_string_lossy());
        let is_compiled = |entry: fs::DirEntry| {
            let file = entry.file_name().to_string_lossy().into_owned();
            file.starts_with(&stem) && (file.ends_with(".so") || file.ends_with(".pyd"))
        };
        if fs::read_dir(folder_of(&path)).into_iter().flatten().flatten().any(is_compiled) {
            return Err(BundleError::Compiled { place: place.clone(), name: name.to_owned() });
        }
        if path.is_dir() {
            inside(&path)?;
            return Ok(Some((None, true)));
        }
        Ok(None)
    }

    /// Returns the full names of the modules directly in a package.
    fn modules_in(&self, package: &str) -> Vec<String> {
        let entries = fs::read_dir(self.folder.join(package.replace('.', "/"))).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let module = name.strip_suffix(".py").filter(|name| *name != "__init__")?;
            Some(format!("{package}.{module}"))
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn add(&mut self, name: String, file: Option<PathBuf>, is_package: bool) -> Result<(), BundleError> {
        let source = match &file {
            None => String::new(),
            Some(file) => {
                let place = || Place { file: file.clone(), line: 1 };
                if self.modules.len() >= MAX_MODULES {
                    return Err(BundleError::too_much(&place()));
                }
                let bytes = read_input_file(file, self.bytes_left).map_err(|error| match error {
                    InputFileError::TooLarge { .. } => BundleError::too_much(&place()),
                    error => BundleError::unreadable(file, error),
                })?;
                self.bytes_left -= bytes.len() as u64;
                let text = String::from_utf8(bytes).map_err(|_| BundleError::Encoding(file.clone()))?;
                text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n")
            }
        };
        self.known.insert(name.clone());
        self.modules.push(Module { name, file, is_package, source, head: 0, comments: Vec::new() });
        Ok(())
    }

    fn finish(self) -> Result<Bundle, BundleError> {
        let data = self.data()?;
        let files =
            self.modules.iter().filter_map(|module| Some(name_in(&self.folder, module.file.as_ref()?))).collect::<Vec<_>>();
        let (program, modules) = self.modules.split_first().expect("the program is there");
        let strip = self.options.strip;
        let mut text = format!("# {MARK}{}\n", files.join(", "));
        let lines: Vec<&str> = program.source.split_inclusive('\n').collect();
        let (head, rest) = lines.split_at(program.head.min(lines.len()));
        let is_known_line = |line: &&&str| line.starts_with("#!") || line.starts_with('#') && line.contains("coding");
        let skipped = head.iter().chain(rest).take(2).take_while(is_known_line).count();
        let commented =
            |from: usize, to: usize| if strip { without_comments(program, from, to) } else { lines[from..to].concat() };
        text.push_str(&commented(skipped.min(head.len()), head.len()));
        end_line(&mut text);
        if !modules.is_empty() {
            text.push_str("# The modules of the folder: file, whether it is a package, and source.\n_pacman2_modules = {}\n");
            for module in modules {
                let source = if strip { without_comments(module, 0, usize::MAX) } else { module.source.clone() };
                let file = module.file.as_ref().map_or_else(|| module.name.replace('.', "/"), |file| name_in(&self.folder, file));
                let is_package = if module.is_package { "True" } else { "False" };
                let _ = writeln!(
                    text,
                    "_pacman2_modules[{}] = ({}, {is_package}, {})",
                    quoted(&module.name),
                    quoted(&file),
                    long_literal(&source)
                );
            }
            text.push_str(LOADER);
        }
        text.push_str(&commented(skipped.max(head.len()), lines.len()));
        end_line(&mut text);
        Ok(Bundle { text: text.into_bytes(), files, sections: Vec::new(), data, library: Vec::new(), notes: self.notes })
    }

    /// Returns the files that the program reads from its storage.
    fn data(&self) -> Result<Vec<String>, BundleError> {
        let real = |module: &Module| fs::canonicalize(module.file.as_ref()?).ok();
        let own: BTreeSet<PathBuf> = self.modules.iter().filter_map(real).collect();
        let mut data = BTreeSet::new();
        for (place, index, string) in &self.strings {
            let beside = self.modules[*index].file.as_deref().map_or(self.folder.as_path(), folder_of);
            let found = [self.folder.as_path(), beside]
                .iter()
                .find_map(|folder| data_file(folder, &self.real_folder, string, self.options.ignored));
            let Some(file) = found.filter(|file| !own.contains(&file.real)) else { continue };
            if !file.is_stored {
                return Err(BundleError::Data { place: place.clone(), name: string.clone() });
            }
            data.insert(file.name);
        }
        Ok(data.into_iter().collect())
    }
}

/// Returns these lines of a source without comments, and without the lines that become empty. Licences stay.
fn without_comments(module: &Module, from: usize, to: usize) -> String {
    let comments: BTreeMap<usize, usize> = module.comments.iter().copied().collect();
    let mut text = String::new();
    for (number, line) in (1..).zip(module.source.split_inclusive('\n')).skip(from).take(to.saturating_sub(from)) {
        let Some(column) = comments.get(&number) else {
            text.push_str(line);
            continue;
        };
        let at = line.char_indices().nth(*column).map_or(line.len(), |(at, _)| at);
        if has_licence(&line.as_bytes()[at..]) {
            text.push_str(line);
        } else if !line[..at].trim().is_empty() {
            text.push_str(line[..at].trim_end());
            text.push('\n');
        }
    }
    text
}

/// Returns a name or path as a Python string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns a source as a Python string that spans lines, as readable as possible.
fn long_literal(source: &str) -> String {
    if !source.contains("'''") && !source.ends_with(['\'', '\\']) {
        return format!("r'''{source}'''");
    }
    let mut text = source.replace('\\', "\\\\").replace("'''", "\\'\\'\\'");
    if text.ends_with('\'') && !text.ends_with("\\'") {
        text.truncate(text.len() - 1);
        text.push_str("\\'");
    }
    format!("'''{text}'''")
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}
