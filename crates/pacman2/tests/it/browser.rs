//! Tests of the pages in a real browser. Without Node.js and Chromium they print "not run: …" and pass, unless
//! `PACMAN2_BROWSER=must` is set.

mod machine;

mod arena;
mod viewer;
