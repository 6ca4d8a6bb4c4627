//! The viewer as a file of its own, and the way to a browser.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

/// How long to watch whether a browser can be started.
const PATIENCE: Duration = Duration::from_secs(2);

/// The viewer with a match, whole in one file.
pub(crate) fn page(replay: &str) -> String {
    let home = json!({ "home": "file", "version": env!("CARGO_PKG_VERSION") });
    pacman2_web::page::html(&home, Some(replay)).html
}

/// A place for a page that nobody gave a place: a new file, which stays.
pub(crate) fn place_for_page() -> anyhow::Result<PathBuf> {
    let file = tempfile::Builder::new().prefix("pacman2-").suffix(".html").tempfile();
    let file = file.with_context(|| format!("no file for the page can be made in {}", env::temp_dir().display()))?;
    let (_, path) = file.keep().context("the file for the page cannot be kept")?;
    Ok(path)
}

/// Has the system open a page in the browser. Where it cannot, that is told with what to open by hand, but it is no failure:
/// the page is there.
pub(crate) fn open(page: impl AsRef<OsStr>, by_hand: impl fmt::Display) {
    let page = page.as_ref();
    if !open::commands(page).into_iter().any(starts) {
        eprintln!("pacman2: warning: no browser could be started; open {by_hand} yourself");
    }
}

/// Starts a command and watches for a while whether it fails.
fn starts(mut command: Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    apart(&mut command);
    let Ok(mut child) = command.spawn() else { return false };
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(None) => thread::sleep(Duration::from_millis(10)),
            Ok(Some(status)) => return status.success(),
            Err(_) => return false,
        }
    }
    thread::spawn(move || child.wait());
    true
}

/// Ctrl-C is not meant for the browser. A session of its own would be too much: those are swept, as bots have them.
#[cfg(unix)]
fn apart(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn apart(_: &mut Command) {}
