//! The options of `pacman2 bench`, as they are given and checked.

use std::path::PathBuf;
use std::time::Duration;

use pacman2_batch::InstructionSet;
use pacman2_console::error::bad_input;
use pacman2_console::map_source::{self, Seed};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::Ruleset;

use super::baseline::Baseline;

/// What to measure, and for how long.
pub struct BenchOptions {
    /// The file with the map; `None` for the map of seed 1.
    pub map: Option<PathBuf>,
    /// The size of the map of seed 1; `None` if the seed decides.
    pub size: Option<MapSize>,
    /// The time of all measurements together, except the baseline.
    pub time: Duration,
    /// For games side by side; `None` for the best one.
    pub instruction_set: Option<InstructionSet>,
    /// A command to compare with.
    pub baseline: Option<String>,
    /// Whether the result is JSON.
    pub json: bool,
}

/// What is measured.
pub(super) struct Setup {
    pub(super) map: Map,
    /// Whether the map is from a file. Otherwise games are also measured on other maps of its size.
    pub(super) is_map_given: bool,
    pub(super) instruction_set: InstructionSet,
    pub(super) baseline: Option<Baseline>,
    pub(super) time: Duration,
}

impl Setup {
    /// Checks that this machine has the instruction set and the program of the baseline, and reads or makes the map.
    pub(super) fn new(options: &BenchOptions) -> anyhow::Result<Setup> {
        let instruction_set = choose(options.instruction_set)?;
        let map = match &options.map {
            Some(file) => map_source::read(file, Seed { given: None, default: 1 }, Ruleset::default())?,
            None => map_source::generate(1, options.size.unwrap_or_default(), Ruleset::default())?,
        };
        let baseline = options.baseline.as_deref().map(|command| Baseline::new(command, &map)).transpose()?;
        Ok(Setup { map, is_map_given: options.map.is_some(), instruction_set, baseline, time: options.time })
    }
}

/// Returns the requested instruction set if this machine has it; the best one if none is requested.
fn choose(requested: Option<InstructionSet>) -> anyhow::Result<InstructionSet> {
    match requested {
        Some(set) if !set.is_available() => Err(bad_input(unavailable(set, InstructionSet::available()))),
        requested => Ok(requested.unwrap_or_else(InstructionSet::best)),
    }
}

fn unavailable(requested: InstructionSet, available: impl Iterator<Item = InstructionSet>) -> String {
    let available: Vec<&str> = available.map(InstructionSet::name).collect();
    format!("--instruction-set {requested}: not available on this machine; expected one of {}", available.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unavailable_instruction_set_is_rejected_with_the_available_ones() {
        let has = [InstructionSet::Portable, InstructionSet::Avx2];
        assert_eq!(
            unavailable(InstructionSet::Neon, has.into_iter()),
            "--instruction-set neon: not available on this machine; expected one of portable, avx2"
        );
    }

    #[test]
    fn available_instruction_sets_are_accepted() {
        for set in InstructionSet::ALL {
            assert_eq!(choose(Some(set)).ok(), set.is_available().then_some(set));
        }
        assert_eq!(choose(None).unwrap(), InstructionSet::best());
    }
}
