//! The ladder of a class: people, their versions, and games without end, on one server.

#![forbid(unsafe_code)]

pub mod database;
mod invitations;
pub mod log;
pub mod people;
mod secret;
mod sessions;
