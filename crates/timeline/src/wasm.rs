//! The door for a page: questions and answers are UTF-8 in this module's memory.
//!
//! A page takes room for bytes by [`room`], writes them there, and calls [`ask`] or another function with where they are; the module
//! takes them back. It is answered with the address of a result of which [`length`] tells the size; it is good until the
//! next call.

/// The allocator of the standard library would make the engine, packed, a thirtieth larger.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

use std::cell::RefCell;

use crate::animation::Animation;
use crate::projector::Projector;

#[derive(Default)]
struct Page {
    projector: Projector,
    animation: Option<Animation>,
    result: Vec<u8>,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

/// Room for so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// The bytes that were written into a room, which ends with this.
///
/// # Safety
/// `start` is what [`room`] returned for the same `length`, and has not been given back.
unsafe fn take(start: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: the caller's promise; a boxed slice and a vector of the same capacity are freed alike.
    unsafe { Vec::from_raw_parts(start, length, length) }
}

fn answer(make: impl FnOnce(&mut Page) -> Vec<u8>) -> *const u8 {
    PAGE.with_borrow_mut(|page| {
        page.result = make(page);
        page.result.as_ptr()
    })
}

/// How many bytes the last result has.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    PAGE.with_borrow(|page| page.result.len())
}

/// Asks the projector.
///
/// # Safety
/// `start` and `length` are a [`room`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ask(start: *mut u8, length: usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let question = String::from_utf8(unsafe { take(start, length) }).unwrap_or_default();
    answer(|page| page.projector.ask(&question).into_bytes())
}

/// Begins an animation.
#[unsafe(no_mangle)]
pub extern "C" fn gif(width: u16, height: u16) {
    PAGE.with_borrow_mut(|page| page.animation = Some(Animation::new(width, height)));
}

/// Shows the animation a picture for its colours.
///
/// # Safety
/// `start` and `length` are a [`room`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gif_learn(start: *mut u8, length: usize) {
    // SAFETY: the caller's promise.
    let pixels = unsafe { take(start, length) };
    PAGE.with_borrow_mut(|page| page.animation.as_mut().map(|animation| animation.learn(&pixels)));
}

/// Adds a picture to the animation.
///
/// # Safety
/// `start` and `length` are a [`room`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gif_add(start: *mut u8, length: usize, hundredths: u16) {
    // SAFETY: the caller's promise.
    let pixels = unsafe { take(start, length) };
    PAGE.with_borrow_mut(|page| page.animation.as_mut().map(|animation| animation.add(&pixels, hundredths)));
}

/// The file of the animation, which is forgotten; nothing if none was begun.
#[unsafe(no_mangle)]
pub extern "C" fn gif_end() -> *const u8 {
    answer(|page| page.animation.take().and_then(|animation| animation.end().ok()).unwrap_or_default())
}
