//! Jobs and results as JSON lines, with which games are played elsewhere. `docs/SCALE.md` describes the format.

pub(crate) mod engine;
pub(crate) mod exchange;
pub(crate) mod hang_up;
pub(crate) mod header;
pub(crate) mod lines;
pub(crate) mod output;
pub(crate) mod threads;
