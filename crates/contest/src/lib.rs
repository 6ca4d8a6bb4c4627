//! The ladder of a class: people, their versions, and games without end, on one server.

#![forbid(unsafe_code)]

pub mod database;
pub mod people;
