//! The first lines of jobs and of results, which those of arenas and of training share.

use serde::{Deserialize, Serialize};

use super::engine::{self, Engine};
use super::lines::VERSION;
use super::output::host_name;

/// The header of jobs. `T` is what results depend on besides the jobs and the engine.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobsHeader<T> {
    pacman2: String,
    version: u32,
    #[serde(flatten)]
    /// The engine that the jobs are for, or that did them.
    pub engine: Engine,
    #[serde(flatten)]
    /// What else results depend on.
    pub terms: T,
}

impl<T> JobsHeader<T> {
    /// `kind` says of what kind the jobs are.
    pub fn new(kind: &str, engine: Engine, terms: T) -> JobsHeader<T> {
        JobsHeader { pacman2: kind.to_owned(), version: VERSION, engine, terms }
    }
}

/// The header of results: that of jobs, with what is known of the machine that did them.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultsHeader<T> {
    #[serde(flatten)]
    /// What jobs and results have in common.
    pub jobs: JobsHeader<T>,
    /// The machine that did the jobs.
    pub node: String,
    /// How long it took for a fixed amount of work.
    calibration_ms: f64,
}

impl<T> ResultsHeader<T> {
    /// Returns the header of results of this machine, by default under its own name. It does the fixed amount of work.
    pub fn from_this_machine(kind: &str, engine: Engine, node: Option<&str>, terms: T) -> anyhow::Result<ResultsHeader<T>> {
        Ok(ResultsHeader {
            jobs: JobsHeader::new(kind, engine, terms),
            node: node.map_or_else(host_name, str::to_owned),
            calibration_ms: engine::calibration_ms()?,
        })
    }
}
