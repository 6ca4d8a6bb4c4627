//! Files: errors name the file, and a file is written completely or not at all.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::Context;
use serde_json::Value;

use crate::error::bad_input;

/// The prefix of files that are not complete yet.
pub(crate) const TEMPORARY: &str = ".pacman2-";

/// Reads a text file; `-` is standard input.
pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().read_to_end(&mut bytes).map(drop)
    } else {
        fs::read(path).map(|read| bytes = read)
    };
    read.map_err(|error| bad_input(format!("{}: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|_| bad_input(format!("{}: expected text in UTF-8", path.display())))
}

/// Reads a file of JSON; `-` is standard input.
pub(crate) fn read_json(path: &Path) -> anyhow::Result<Value> {
    parse_json(path, &read(path)?)
}

/// Parses the text of a file as JSON.
pub(crate) fn parse_json(path: &Path, text: &str) -> anyhow::Result<Value> {
    serde_json::from_str(text).map_err(|error| bad_input(format!("{}: not JSON: {error}", path.display())))
}

/// Checks that a file can be written: its folder exists, and the path is not a folder or device.
pub(crate) fn check_writable(path: &Path) -> anyhow::Result<()> {
    let is_other = path.exists() && !path.is_file();
    if path == Path::new("-") || is_other || !folder_of(path).is_dir() {
        return Err(bad_input(format!("{}: expected a file name in an existing folder", path.display())));
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a text file under a temporary name and renames it, so that it is never seen half-written.
pub(crate) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes a binary file like [`write()`].
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    // A link is kept, and its target is written.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let path = real.as_path();
    check_writable(path)?;
    let write = || -> io::Result<()> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
        let mut file = builder.prefix(TEMPORARY).tempfile_in(folder_of(path))?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Makes a file executable.
#[cfg(unix)]
pub(crate) fn make_executable(file: &fs::File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

/// Makes a file executable: every file is on this system.
#[cfg(not(unix))]
pub(crate) fn make_executable(_file: &fs::File) -> io::Result<()> {
    Ok(())
}
