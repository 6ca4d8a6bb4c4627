//! Dispatch for processors without a version of their own.

use super::Computation;

/// Runs a computation.
#[inline]
pub(crate) fn run<C: Computation>(computation: C) -> C::Output {
    computation.compute()
}
