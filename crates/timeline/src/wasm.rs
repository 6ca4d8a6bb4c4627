//! The functions that a page calls: queries, answers and pictures are bytes in this module's memory.
//!
//! A page allocates bytes with [`room`], writes to them, and passes their address and length to [`ask`] or another function,
//! which frees them. The functions return the address of a result, whose size is [`length`]. It is valid until the next call.

#![allow(unsafe_code, reason = "exchanges bytes with the page through pointers")]

use std::cell::RefCell;

use crate::animation::Animation;
use crate::timelines::Timelines;

/// The standard library's allocator would make the engine, packed, a thirtieth larger.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

#[derive(Default)]
struct Page {
    timelines: Timelines,
    animation: Option<Animation>,
    result: Vec<u8>,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

/// Allocates `length` bytes. The function that receives them frees them.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Takes back the bytes that a page allocated.
///
/// # Safety
/// [`room`] returned `start` for the same `length`, and it has been passed to no function yet.
unsafe fn take(start: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: by this function's contract; a boxed slice and a vector of the same capacity have the same layout.
    unsafe { Vec::from_raw_parts(start, length, length) }
}

fn result(make: impl FnOnce(&mut Page) -> Vec<u8>) -> *const u8 {
    PAGE.with_borrow_mut(|page| {
        page.result = make(page);
        page.result.as_ptr()
    })
}

/// Returns the number of bytes of the last result.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    PAGE.with_borrow(|page| page.result.len())
}

/// Answers a query of [`Timelines::ask`].
///
/// # Safety
/// [`room`] returned `start` for the same `length`, and it has been passed to no function yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ask(start: *mut u8, length: usize) -> *const u8 {
    // SAFETY: by this function's contract.
    let query = String::from_utf8(unsafe { take(start, length) }).unwrap_or_default();
    result(|page| page.timelines.ask(&query).into_bytes())
}

/// Answers a question of [`Timelines::games`] about a file.
///
/// # Safety
/// [`room`] returned `start` for the same `length`, and it has been passed to no function yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn games(start: *mut u8, length: usize, number: usize) -> *const u8 {
    // SAFETY: by this function's contract.
    let file = unsafe { take(start, length) };
    result(|page| page.timelines.games(&file, number).into_bytes())
}

/// Begins an animation and drops the one before.
#[unsafe(no_mangle)]
pub extern "C" fn gif(width: u16, height: u16) {
    PAGE.with_borrow_mut(|page| page.animation = Some(Animation::new(width, height)));
}

/// Takes the colours of a picture into the palette of the animation.
///
/// # Safety
/// [`room`] returned `start` for the same `length`, and it has been passed to no function yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gif_learn(start: *mut u8, length: usize) {
    // SAFETY: by this function's contract.
    let pixels = unsafe { take(start, length) };
    PAGE.with_borrow_mut(|page| page.animation.as_mut().map(|animation| animation.add_colours(&pixels)));
}

/// Adds a picture to the animation, shown for `hundredths` of a second.
///
/// # Safety
/// [`room`] returned `start` for the same `length`, and it has been passed to no function yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gif_add(start: *mut u8, length: usize, hundredths: u16) {
    // SAFETY: by this function's contract.
    let pixels = unsafe { take(start, length) };
    PAGE.with_borrow_mut(|page| page.animation.as_mut().map(|animation| animation.add_frame(&pixels, hundredths)));
}

/// Ends the animation and returns its file; the result is empty if none was begun.
#[unsafe(no_mangle)]
pub extern "C" fn gif_end() -> *const u8 {
    result(|page| page.animation.take().and_then(|animation| animation.finish().ok()).unwrap_or_default())
}
