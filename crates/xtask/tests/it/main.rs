//! Tests of the workspace as a whole.

mod cpp;
#[cfg(target_os = "linux")]
mod dist;
mod gallery;
mod layers;
