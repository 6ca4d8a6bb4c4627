//! Where games begin: Botzone's random maps, reproduced from the seed, and custom maps, validated.
//!
//! ```
//! use pacman2_maps::{Map, MapSize};
//! use pacman2_rules::{Ruleset, picture};
//!
//! let size = MapSize { width: Some(6), height: Some(6) };
//! let map = Map::generate(5, size, Ruleset::default()).unwrap();
//! let drawn = picture::read("
//!     +---+---+   +   +---+---+
//!     | G | 0     |     1 | G |
//!     +---+---+   +   +---+---+
//!     | o | .           . | o |
//!     +   +---+   +   +---+   +
//!                 |
//!     +---+---+   +   +---+---+
//!                 |
//!     +   +---+   +   +---+   +
//!     | o | .           . | o |
//!     +---+---+   +   +---+---+
//!     | G | 2     |     3 | G |
//!     +---+---+   +   +---+---+
//! ").unwrap();
//! assert_eq!((map.maze, map.start), drawn);
//! ```

#![forbid(unsafe_code)]

// Its examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod bits;
mod custom;
mod error;
mod generate;
mod glibc;
mod map;
mod raw_value;
mod seed;
mod size;
mod warnings;

pub use bits::{content_bits, static_bits};
pub use custom::CustomMap;
pub use error::{MapError, MapErrorReason, Matrix};
pub use map::{Map, MapDraft};
pub use raw_value::RawValue;
pub use seed::{SEEDS, seed_from};
pub use size::{MapSize, SIDES};
pub use warnings::{CellOddity, MapWarning};
