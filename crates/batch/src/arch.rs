//! Instruction sets, a file each, and the one place where it is decided which of them plays.

#[cfg_attr(target_arch = "x86_64", path = "arch/x86_64.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "arch/others.rs")]
mod machine;
pub(crate) mod portable;
#[cfg(test)]
mod tests;

pub(crate) use machine::{has, with};

use crate::lanes::Lanes;

/// Some work that can be done with any instruction set.
pub(crate) trait Work {
    type Done;
    fn with<L: Lanes>(self) -> Self::Done;
}
