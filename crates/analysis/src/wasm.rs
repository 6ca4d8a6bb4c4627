//! The functions that a worker calls: queries and answers are bytes in one buffer of this module's memory.
//!
//! A worker makes [`room`] for a query, writes it there, and calls [`ask`]; then the buffer holds the answer, at [`answer`].

#![allow(unsafe_code, reason = "exports functions and imports a clock")]

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use crate::queries::Engine;

#[link(wasm_import_module = "worker")]
unsafe extern "C" {
    /// Returns the time in milliseconds since some moment in the past.
    safe fn now_ms() -> f64;
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::default();
    static ENGINE: RefCell<Engine> =
        RefCell::new(Engine::new(Arc::new(|| Duration::try_from_secs_f64(now_ms() / 1000.0).unwrap_or_default())));
}

/// Makes room for a query of this length and returns its address, valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Answers the query in the buffer, as [`Engine::ask`] does, and returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    BUFFER.with_borrow_mut(|buffer| {
        let query = String::from_utf8_lossy(buffer);
        *buffer = ENGINE.with_borrow_mut(|engine| engine.ask(&query)).into_bytes();
        buffer.len()
    })
}

/// Returns the address of the last answer, valid until the next call of [`room`] or [`ask`].
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    BUFFER.with_borrow(|buffer| buffer.as_ptr())
}
