//! Tests of the workspace as a whole.

#[cfg(target_os = "linux")]
mod dist;
mod imports;
