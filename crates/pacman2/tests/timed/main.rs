//! Tests in which bots must meet real deadlines, or in which the test itself relies on the clock.
//!
//! They are a binary of their own because the compilers, training runs and benchmarks of `it` would make such bots late.

#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../it/server.rs"]
mod server;

mod arena;
mod check;
mod misbehaviour;
mod serve;
mod tournament;
