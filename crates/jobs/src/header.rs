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
    /// The engine that the jobs are for.
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

/// The header of results. `T` is what else is known about the results.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultsHeader<T> {
    pacman2: String,
    version: u32,
    #[serde(flatten)]
    /// The engine that did the jobs.
    pub engine: Engine,
    #[serde(flatten)]
    /// What else is known.
    pub terms: T,
    /// The machine that did the jobs.
    pub node: String,
    /// How long it took for a fixed amount of work.
    calibration_ms: f64,
}

impl<T> ResultsHeader<T> {
    /// Returns the header of results of this machine, by default under its own name. It does the fixed amount of work.
    pub fn of_this_machine(kind: &str, engine: Engine, node: Option<&str>, terms: T) -> anyhow::Result<ResultsHeader<T>> {
        Ok(ResultsHeader {
            pacman2: kind.to_owned(),
            version: VERSION,
            engine,
            terms,
            node: node.map_or_else(host_name, str::to_owned),
            calibration_ms: engine::calibration_ms()?,
        })
    }
}
