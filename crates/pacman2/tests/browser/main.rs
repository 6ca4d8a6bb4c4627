//! Tests of the pages in a real browser. Without Node.js and Chromium they print "not run: …" and pass, unless
//! `PACMAN2_BROWSER=must` is set.
//!
//! They are a binary of their own because a browser takes the whole machine, and each scene has its own time limit.

#![cfg(unix)]

#[path = "../../../web/tests/it/arena_fixture.rs"]
mod arena_fixture;
#[path = "../common/mod.rs"]
mod common;
mod machine;

mod arena;
mod viewer;
