//! The integration tests: games in lanes compared with the same games played by `pacman2_rules`.

/// What `lane_operations` and `turns` test is private. As unit tests, they would need the whole library once more, which takes
/// longer to compile than any other crate of the workspace.
#[allow(dead_code, unreachable_pub, reason = "the library uses all of it")]
#[macro_use]
#[path = "../../src"]
mod internals {
    #[macro_use]
    pub(crate) mod seats;

    pub(crate) mod arch;
    pub(crate) mod instruction_set;
    pub(crate) mod lanes;
    pub(crate) mod maze_tables;
    pub(crate) mod rng;
    pub(crate) mod soa_states;
    pub(crate) mod turn;
}

mod common;
mod games;
mod lane_operations;
mod observe;
mod playouts;
mod rng;
mod sampling;
mod slots;
mod traces;
mod turns;

use internals::{arch, instruction_set, lanes, maze_tables, seats, soa_states, turn};
