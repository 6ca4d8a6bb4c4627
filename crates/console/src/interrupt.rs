//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// The exit code after Ctrl-C, as shells return it.
pub const INTERRUPTED: u8 = 130;

/// Installs a handler for Ctrl-C and requests to terminate. Returns the flag that it sets.
pub fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("cannot install the handler for Ctrl-C")?;
    Ok(stop)
}
