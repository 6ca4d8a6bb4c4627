//! What bundles in all languages share: the result, why there is none, and files that a bot reads.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use pacman2_console::files::Content;
use pacman2_console::text::sanitize;
use pacman2_runner::InputFileError;

use super::header::HeaderError;
use crate::mounts::DATA;

/// What follows the comment sign in the first line of a bundle.
pub(super) const MARK: &str = "pacman2 bundle: ";

/// A bundle as the content of a file.
pub const CONTENT: Content = Content {
    name: "bundle",
    is_ours: |head| ["// ", "# "].iter().any(|sign| head.strip_prefix(sign).is_some_and(|line| line.starts_with(MARK))),
};

/// A bot as one file.
#[derive(Debug)]
pub struct Bundle {
    /// The file.
    pub text: Vec<u8>,
    /// The files that it consists of, the source first.
    pub files: Vec<String>,
    /// The sections of the header that it needs.
    pub sections: Vec<String>,
    /// The files in the folder `data` that it names, which have to be in the author's storage on Botzone.
    pub data: Vec<String>,
    /// The files of a library that Botzone has in place of a copy.
    pub library: Vec<String>,
    /// What its author should know.
    pub notes: Vec<String>,
}

/// A line of a source.
#[derive(Clone, Debug)]
pub struct Place {
    pub file: PathBuf,
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", sanitize(&self.file.display().to_string()), self.line)
    }
}

/// Why a bot cannot be one file.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("{}: {error}", .file.display())]
    Unreadable { file: PathBuf, error: InputFileError },
    #[error("{}: expected a source in UTF-8", .0.display())]
    Encoding(PathBuf),
    #[error("{0}: the bot includes too much: expected at most 32 MB and 10000 files, nested at most 200 deep")]
    TooMuch(Place),
    #[error("{place}: \"{name}\" is not there; expected it beside the file that includes it, or beside the source")]
    Missing { place: Place, name: String },
    #[error("{place}: \"{name}\" is outside the folder of the bot, or a link that leads there; copy it into that folder")]
    Outside { place: Place, name: String },
    #[error("{place}: \"{name}\" is a program of its own, which a bot in a folder with other bots cannot include")]
    OtherBot { place: Place, name: String },
    #[error("{place}: \"{name}\" includes itself; add #pragma once to it")]
    Circle { place: Place, name: String },
    #[error("{place}: expected a file name after #include, got the macro {name}; write the name in quotes")]
    Computed { place: Place, name: String },
    #[error("{0}: #embed takes in a file, which would be missing on Botzone; write its bytes as an array")]
    Embed(Place),
    #[error("{0}: __has_include asks for a file, which would be missing on Botzone; include it without asking")]
    HasInclude(Place),
    #[error("{place}: the section marks of this header are wrong: {error}")]
    Header { place: Place, error: HeaderError },
    #[error(
        "{place}: the bot reads the file \"{name}\", which would be missing on Botzone; put it into the folder {DATA} and upload it to your storage there, write it into the source, or add --ignore-file \"{name}\" if the bot does not read it"
    )]
    Data { place: Place, name: String },
    #[error("{place}: {reason}")]
    Syntax { place: Place, reason: String },
    #[error(
        "{place}: import {name}: there is no such module in the folder of the bot, and it is neither in the standard library nor numpy; add --allow-import {top} if Botzone has it"
    )]
    UnknownModule { place: Place, name: String, top: String },
    #[error("{place}: imports a module by a name that is only known when it runs; write an import statement")]
    ComputedImport { place: Place },
    #[error("{place}: import {name}: it is compiled to machine code, which cannot be part of one file")]
    Compiled { place: Place, name: String },
}

impl BundleError {
    pub fn unreadable(file: &Path, error: InputFileError) -> BundleError {
        BundleError::Unreadable { file: file.to_owned(), error }
    }

    /// Returns whether only joining the files is in the way: a compiler may take them.
    pub fn is_of_joining(&self) -> bool {
        use BundleError::{Circle, Computed, Embed, Encoding, HasInclude};
        matches!(self, Circle { .. } | Computed { .. } | Embed(_) | Encoding(_) | HasInclude(_))
    }

    /// Returns whether the bot may play where it is, perhaps with all files of its folder.
    pub fn plays_in_place(&self, has_folder: bool) -> bool {
        match self {
            BundleError::Encoding(_) => false,
            BundleError::Data { .. } => has_folder,
            other => other.is_of_joining(),
        }
    }

    pub(crate) fn too_much(place: &Place) -> BundleError {
        BundleError::TooMuch(place.clone())
    }
}

/// A file that a bot names in a string.
pub(super) struct DataFile {
    /// Its path in the folder of the bot.
    pub name: String,
    /// Its path without links.
    pub real: PathBuf,
    /// Whether it is in the folder that stands for the author's storage on Botzone.
    pub(super) is_stored: bool,
}

/// Returns the file in the bot's folder that a string means, if there is one and it is not ignored.
pub(super) fn data_file(folder: &Path, real_folder: &Path, string: &str, ignored: &[String]) -> Option<DataFile> {
    let is_name = !string.is_empty() && string.len() < 200 && !string.contains(char::is_control);
    if !is_name || ignored.iter().any(|name| name == string) {
        return None;
    }
    let real = fs::canonicalize(folder.join(string)).ok().filter(|real| real.is_file())?;
    let inside = real.strip_prefix(real_folder).ok()?;
    let is_stored = inside.starts_with(DATA);
    Some(DataFile { name: name_in(real_folder, &real), is_stored, real })
}

/// Returns the path of a file in a folder with slashes, for people.
pub(super) fn name_in(folder: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(folder).unwrap_or(file);
    let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    sanitize(&parts.join("/"))
}
