//! The lines of jobs and results of a training run. `docs/SCALE.md` describes them.

use pacman2_bot_source::hash::hexadecimal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::task::Task;

/// The kinds of headers.
pub(super) const JOBS: &str = "train jobs";
pub(super) const RESULTS: &str = "train results";
/// The length of the id of a job.
const ID_LENGTH: usize = 32;

/// The header of jobs.
pub(super) type JobsHeader = pacman2_jobs::header::JobsHeader<JobTerms>;
/// The header of results.
pub(super) type ResultsHeader = pacman2_jobs::header::ResultsHeader<ResultTerms>;

/// What the header of jobs says.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JobTerms {
    /// Simulations per search.
    pub(super) simulations: u32,
    /// The seed of everything random except the maps.
    pub(super) seed: u32,
}

/// What the header of results says: nothing more than all headers.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ResultTerms {}

/// A net that jobs need.
#[derive(Serialize, Deserialize)]
pub(super) struct NetLine {
    /// The hash of its file.
    pub(super) net: String,
    /// The file in the folder of the run.
    pub(super) file: String,
}

/// A job: a task, and the nets of the league.
#[derive(Serialize, Deserialize)]
pub(super) struct JobLine {
    pub(super) job: String,
    #[serde(flatten)]
    pub(super) task: Task,
    #[serde(flatten)]
    pub(super) nets: JobNets,
}

/// The hashes of the nets of a league.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct JobNets {
    /// The net that the run started from, those of the generations in order, and the one that the run trains against.
    pub(super) nets: Vec<String>,
    /// Whether the run started from the first one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) start: bool,
    /// Whether the run trains against the last one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) frozen: bool,
}

impl JobLine {
    pub(super) fn new(task: Task, nets: &JobNets, header: &JobsHeader) -> JobLine {
        let JobTerms { simulations, seed } = header.terms;
        let JobNets { nets: hashes, start, frozen } = nets;
        let roles = if *start || *frozen { format!(", start {start}, frozen {frozen}") } else { String::new() };
        let text = format!("pacman2 train job 1, {simulations} simulations, seed {seed}, {}, {hashes:?}{roles}", json!(task));
        let mut job = hexadecimal(&Sha256::digest(text));
        job.truncate(ID_LENGTH);
        JobLine { job, task, nets: nets.clone() }
    }
}

/// The result of a job: records of games, or the leads in the games of a duel.
#[derive(Deserialize)]
pub(super) struct ResultLine {
    pub(super) result: String,
    #[serde(default)]
    pub(super) games: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) doubled_hundredths: Option<[i64; 4]>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
