//! Instruction sets, a file each, and [`dispatch`], the only place that chooses one.

mod available;
#[cfg_attr(target_arch = "x86_64", path = "arch/x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "arch/aarch64.rs")]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), path = "arch/portable_only.rs")]
mod machine;
pub(crate) mod portable;

pub(crate) use machine::dispatch;

use crate::lanes::Lanes;

/// Work that can be done with any instruction set.
pub(crate) trait Work {
    /// What the work results in.
    type Output;

    /// Does the work. Implementations are `#[inline(always)]`, so that they are compiled for the instruction set of `lanes`.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}
