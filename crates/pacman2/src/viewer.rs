//! The viewer as a page in one file, and how a browser opens it.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// How long a browser's start is watched for failure.
const WATCH: Duration = Duration::from_secs(2);

/// Returns the page with the viewer and a match, complete in one file.
pub(crate) fn page(replay: &str) -> String {
    pacman2_web::page::html(pacman2_web::page::Host::File, Some(replay)).html
}

/// Creates a file in the temporary folder for a page. It is not removed.
pub(crate) fn place_for_page() -> anyhow::Result<PathBuf> {
    let file = tempfile::Builder::new().prefix("pacman2-").suffix(".html").tempfile();
    let file = file.with_context(|| format!("cannot create a file for the page in {}", env::temp_dir().display()))?;
    let (_, path) = file.keep().context("cannot keep the file for the page")?;
    Ok(path)
}

/// The characters of a path that an address contains as they are.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':');

/// Returns the address at which a page in a file opens at a place of it.
pub(crate) fn url_at(page: &Path, place: &str) -> String {
    let path = page.display().to_string().replace('\\', "/");
    format!("file:///{}#{place}", utf8_percent_encode(path.trim_start_matches('/'), IN_PATH))
}

/// Opens a page in the browser. If that fails, prints a warning with what to open by hand: the page exists, so it is no error.
pub(crate) fn open(page: impl AsRef<OsStr>, by_hand: impl fmt::Display) {
    let page = page.as_ref();
    if !open::commands(page).into_iter().any(starts) {
        eprintln!("pacman2: warning: cannot start a browser; open {by_hand} yourself");
    }
}

/// Starts a command. Returns `false` if it fails within a short time.
fn starts(mut command: Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    detach(&mut command);
    let Ok(mut child) = command.spawn() else { return false };
    let begin = Instant::now();
    while begin.elapsed() < WATCH {
        match child.try_wait() {
            Ok(None) => thread::sleep(Duration::from_millis(10)),
            Ok(Some(status)) => return status.success(),
            Err(_) => return false,
        }
    }
    thread::spawn(move || child.wait());
    true
}

/// Keeps Ctrl-C from the browser. A process group does; a session would be swept like those of bots.
#[cfg(unix)]
fn detach(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn detach(_: &mut Command) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_an_address() {
        assert_eq!(url_at(Path::new("/tmp/a b#1%.html"), "turn=7"), "file:///tmp/a%20b%231%25.html#turn=7");
        assert_eq!(url_at(Path::new("C:\\Temp\\match.html"), "turn=7"), "file:///C:/Temp/match.html#turn=7");
    }
}
