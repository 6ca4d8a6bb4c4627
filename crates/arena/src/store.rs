//! Opening an arena, locking it for a run, and finding a bot in it by name.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use pacman2_console::error::bad_input;
use pacman2_console::text::sanitize;
use pacman2_tournament::store::{RunLock, StoreError};
use pacman2_tournament::{BotVersion, Store};

/// How long to wait for another process that plays, and how often to look.
const LOCK_PATIENCE: Duration = Duration::from_secs(3);
const LOCK_POLL: Duration = Duration::from_millis(20);
/// The least similarity of a name that is suggested in place of an unknown one.
const SIMILAR: f64 = 0.7;

/// Opens the arena in a folder.
pub fn open_store(folder: &Path) -> anyhow::Result<Store> {
    Store::open(folder).map_err(store_error)
}

/// Opens the arena in a folder to read it; both may be read-only.
pub fn open_store_to_read(folder: &Path) -> anyhow::Result<Store> {
    Store::open_to_read(folder).map_err(store_error)
}

/// Returns the error as one of the machine, or of the input.
pub fn store_error(error: StoreError) -> anyhow::Error {
    if error.is_of_machine() {
        return error.into();
    }
    let hint = match &error {
        StoreError::Missing(folder) => {
            let folder = folder.to_string_lossy();
            let folder = shlex::try_quote(&folder).unwrap_or("DIR".into());
            format!("; \"pacman2 arena init --arena {folder}\" creates one")
        }
        _ => String::new(),
    };
    bad_input(format!("{error}{hint}"))
}

/// Locks the arena, so that no other process plays in it at the same time.
///
/// Waits a moment for a process that is about to end: after `kill -9` of the process that the user started, its child still
/// ends the bots.
pub fn lock_store(store: &Store) -> anyhow::Result<RunLock> {
    let begin = Instant::now();
    loop {
        if let Some(lock) = store.try_lock()? {
            return Ok(lock);
        }
        if begin.elapsed() > LOCK_PATIENCE {
            let folder = store.folder().display();
            return Err(bad_input(format!("{folder}: another pacman2 is playing in this arena; wait until it ends, or stop it")));
        }
        thread::sleep(LOCK_POLL);
    }
}

/// Finds a bot by `NAME@VERSION`, or by `NAME`: then its newest active version, or the newest of all if none is active.
pub fn find_bot(bots: &[BotVersion], text: &str) -> anyhow::Result<BotVersion> {
    let of_name = || bots.iter().rev().filter(|bot| bot.name == text);
    let found = bots.iter().find(|bot| bot.label() == text);
    let found = found.or_else(|| of_name().find(|bot| bot.is_active)).or_else(|| of_name().next());
    found.cloned().ok_or_else(|| bad_input(format!("the arena has no bot \"{}\"{}", sanitize(text), hint(bots, text))))
}

fn hint(bots: &[BotVersion], text: &str) -> String {
    if bots.is_empty() {
        return "; add bots with \"pacman2 arena add\"".to_owned();
    }
    let labels: Vec<String> = bots.iter().map(BotVersion::label).collect();
    let similarity = |name: &&String| strsim::jaro_winkler(name, text);
    let names = labels.iter().chain(bots.iter().map(|bot| &bot.name));
    match names.max_by(|a, b| similarity(a).total_cmp(&similarity(b))).filter(|name| similarity(name) > SIMILAR) {
        Some(similar) => format!("; did you mean {}?", sanitize(similar)),
        None => format!("; it has {}", sanitize(&labels.join(", "))),
    }
}
