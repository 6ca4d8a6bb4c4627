//! Tests of the pages in a real browser: of what most visitors do, and with `PACMAN2_BROWSER=must` of everything. Without Node.js
//! and Chromium they print "not run: …" and pass, but fail with `PACMAN2_BROWSER=must`.

mod machine;

mod arena;
mod viewer;
