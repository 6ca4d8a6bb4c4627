//! Dispatch: the search's arithmetic is compiled for several instruction sets, and runs with the best that the processor has. The
//! arithmetic and its order are the same, so every machine computes the same numbers.

#[cfg_attr(target_arch = "x86_64", path = "dispatch/x86_64.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "dispatch/portable.rs")]
mod arch;

pub(crate) use arch::run;

/// A computation for [`run`].
///
/// It is a trait because an instruction set applies only to what is inlined into the function compiled for it. A method can be
/// `#[inline(always)]`, as every implementation has to be with what it calls; a closure cannot.
pub(crate) trait Computation {
    /// What it computes.
    type Output;

    /// Computes it.
    fn compute(self) -> Self::Output;
}
