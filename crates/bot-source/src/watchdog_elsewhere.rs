//! The watchdog of a match exists on Linux only.

use std::process::ExitCode;

/// Does nothing: this process plays without a watchdog.
///
/// # Errors
///
/// Never.
pub fn start() -> anyhow::Result<Option<ExitCode>> {
    Ok(None)
}

/// Returns `false`: no process starts itself again.
pub fn is_watched() -> bool {
    false
}
