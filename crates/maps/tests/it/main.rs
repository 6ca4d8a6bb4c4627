//! Tests of maps: validation of custom maps, their warnings, and generation from seeds.

mod custom;
mod seeds;
mod warnings;
