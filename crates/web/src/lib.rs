//! The viewer: one page for three homes, and the server that is one of them.

#[cfg(feature = "server")]
pub mod arena;
#[cfg(feature = "server")]
pub mod human;
pub mod page;
#[cfg(feature = "server")]
pub mod server;
