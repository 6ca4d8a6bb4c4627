//! Loading data into the cache early.

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// Loads data into the cache without waiting for it.
#[inline(always)]
#[allow(unsafe_code, reason = "calls an instruction; see below")]
pub(super) fn prefetch<T: ?Sized>(data: &T) {
    let first = std::ptr::from_ref(data).cast::<i8>();
    for line in (0..size_of_val(data)).step_by(64) {
        // SAFETY: every x86-64 CPU has this instruction, and it has no effect but on caches, for any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(line)) }
    }
}
