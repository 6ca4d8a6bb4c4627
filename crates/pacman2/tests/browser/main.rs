//! Tests of the pages in a real browser. Without Node.js and Chromium they print "not run: …" and pass, unless
//! `PACMAN2_BROWSER=must` is set.
//!
//! They are a binary of their own because a browser takes the whole machine, and each scene has its own time limit.

#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
mod machine;
#[path = "../../../web/tests/made_up/mod.rs"]
mod made_up;

mod arena;
mod viewer;
