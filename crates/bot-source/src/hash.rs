//! SHA-256 of programs and nets, which identifies their versions.

use std::io::Read;
use std::path::{Path, PathBuf};

use pacman2_runner::{InputFileError, open_input_file};
use sha2::{Digest, Sha256};

use crate::bot_folder;

/// The size limit of a program. Bots have a lower one; this is for what is installed.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// How many files the folder of a program may have.
const MAX_FILES: usize = 10_000;
/// How much of a file is read at a time.
const BLOCK_BYTES: usize = 64 * 1024;

/// Returns bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns whether a text is a hash as these functions return it.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the hash of the contents of these files; `None` if there are no files or one cannot be read.
pub fn of_files(files: &[PathBuf]) -> Option<String> {
    let mut hash = Sha256::new();
    for file in files {
        add_file(&mut hash, file).ok()?;
    }
    (!files.is_empty()).then(|| hexadecimal(&hash.finalize()))
}

/// Returns the hash of all files in a folder with their paths, except those that the system, an editor or this program left; `None`
/// if it holds too many, or one cannot be read.
pub fn of_folder(folder: &Path) -> Option<String> {
    of_tree(folder, &bot_folder::own_files(folder, MAX_FILES)?)
}

/// Returns the hash of these files of a folder with their paths; `None` if one cannot be read.
pub fn of_tree(folder: &Path, files: &[PathBuf]) -> Option<String> {
    let mut hash = Sha256::new();
    for name in files {
        let (name, file) = (name.to_string_lossy().replace('\\', "/"), folder.join(name));
        hash.update(format!("{name}\0{}\0", file.metadata().ok()?.len()));
        add_file(&mut hash, &file).ok()?;
    }
    Some(hexadecimal(&hash.finalize()))
}

fn add_file(hash: &mut Sha256, path: &Path) -> Result<(), InputFileError> {
    let mut file = open_input_file(path, MAX_BYTES)?.take(MAX_BYTES);
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(()),
            length => hash.update(&block[..length]),
        }
    }
}
