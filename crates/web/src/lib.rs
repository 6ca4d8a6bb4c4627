//! The viewer: one page for three homes, and the server that is one of them.

pub mod arena;
pub mod human;
pub mod page;
pub mod server;
