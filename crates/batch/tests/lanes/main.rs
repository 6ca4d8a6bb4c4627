//! Operations on lanes, which are private. The other tests compare whole games.

#[allow(dead_code, unreachable_pub, unused_macros, reason = "the library uses all of it")]
#[macro_use]
#[path = "../../src"]
mod internals {
    #[macro_use]
    pub(crate) mod seats;

    pub(crate) mod arch;
    pub(crate) mod instruction_set;
    pub(crate) mod lanes;
    pub(crate) mod maze_tables;
    pub(crate) mod soa_states;
}

mod operations;

use internals::{arch, instruction_set, lanes, maze_tables, soa_states};
