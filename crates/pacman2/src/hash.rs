//! SHA-256 of programs and nets, which identifies their versions.

use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

/// Returns bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the hash of the contents of these files; `None` if there are no files or one cannot be read.
pub(crate) fn of_files(files: &[PathBuf]) -> Option<String> {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(fs::read(file).ok()?);
    }
    (!files.is_empty()).then(|| hexadecimal(&hash.finalize()))
}
