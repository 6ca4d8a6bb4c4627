//! Tests of timelines, and of the committed engine that a page runs.

mod committed_engine;
mod timelines;
