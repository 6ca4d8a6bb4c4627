//! The arguments of `pacman2 jobs`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pacman2_runner::Tier;

use super::arena::{ScheduleArgs, TestArgs};
use super::values::{program_hash, tier, whole};

#[derive(Args)]
#[command(after_help = "\
\"pacman2 arena run\", \"arena compare\", \"arena tournament\" and \"train\" with --elsewhere write jobs and read results while they run.")]
pub(crate) struct JobsArgs {
    #[command(subcommand)]
    pub(crate) verb: JobsVerb,
    /// The folder of the arena [default: arena]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) arena: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum JobsVerb {
    /// List the games that a schedule still needs, as jobs
    Plan(PlanArgs),
    /// Play jobs from any arena or training run, and write the results
    Play(PlayJobsArgs),
    /// Record results in the arena
    Record(RecordArgs),
}

#[derive(Args)]
#[command(after_help = "\
The options are those of \"pacman2 arena run\", or those of \"compare\" with --compare. Of a schedule whose stages depend on results, the
jobs of the next stage are listed: play and record them, and list again.

Examples:
  pacman2 jobs plan --maps 50 | pacman2 jobs play | pacman2 jobs record
  pacman2 jobs plan --maps 500 --out jobs --per-file 50
      files for several machines
  pacman2 jobs plan --compare mybot@2 mybot@1 --limit 400")]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) schedule: ScheduleArgs,
    /// List the games of the next blocks of a comparison instead; both bots are in the arena
    #[arg(long, value_names = ["NEW", "OLD"], num_args = 2)]
    pub(crate) compare: Vec<String>,
    #[command(flatten)]
    pub(crate) test: TestArgs,
    /// List the games of the tournament in this file instead, after admitting its submissions
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    pub(crate) tournament: Option<PathBuf>,
    /// List at most N games [default: all; 256 with --compare]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..))]
    pub(crate) limit: Option<usize>,
    /// The tier that the sandbox of programs needs
    #[arg(long, value_name = "TIER", ignore_case = true, value_parser = tier())]
    pub(crate) require_tier: Option<Tier>,
    /// Write files to this folder, which is new or empty, instead of standard output
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Number of games in a file
    #[arg(long, value_name = "N", default_value_t = 100, requires = "out", value_parser = whole::<usize>(1..))]
    pub(crate) per_file: usize,
}

#[derive(Args)]
#[command(after_help = "\
docs/SCALE.md describes jobs and results, and shows how to play them with xargs, SSH and SLURM. Jobs may be a stranger's: each
program and net is checked by its hash before its first game. A job that cannot be played here gets a line with the reason.

Exit codes: 0 each job has a result or a reason, 1 failure, 2 bad input, 130 interrupted.

Examples:
  pacman2 jobs play jobs.jsonl > results.jsonl
  pacman2 jobs play --programs copy --node w7 < jobs.jsonl > results.jsonl
  pacman2 jobs play --nets copy-of-run < jobs.jsonl > results.jsonl")]
pub(crate) struct PlayJobsArgs {
    /// The jobs [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The folder with the programs of the arena [default: the folder of the arena]
    #[arg(long, value_name = "DIR")]
    pub(crate) programs: Option<PathBuf>,
    /// Play jobs of "pacman2 train" with the nets in this folder: that of the run, or a copy
    #[arg(long, value_name = "DIR", conflicts_with_all = ["programs", "cores", "allow_command", "trust", "require_tier"])]
    pub(crate) nets: Option<PathBuf>,
    /// Play N games at the same time [default: what the cores allow]
    #[arg(long, alias = "games-at-once", value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub(crate) parallel: Option<u16>,
    /// Number of cores to use: with fewer than four, the bots of a game think one after another [default: all]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub(crate) cores: Option<u16>,
    /// Name of this machine in the results [default: its host name]
    #[arg(long, value_name = "NAME")]
    pub(crate) node: Option<String>,
    /// Run this command of jobs; the reason for refusing it has the HASH; or "all"
    #[arg(long, value_name = "HASH", value_parser = program_hash)]
    pub(crate) allow_command: Vec<String>,
    /// Run the program with this hash outside the sandbox, with all your rights; or "all"
    #[arg(long, value_name = "HASH", value_parser = program_hash)]
    pub(crate) trust: Vec<String>,
    /// Refuse to play if the sandbox is weaker than this tier
    #[arg(long, value_name = "TIER", ignore_case = true, value_parser = tier())]
    pub(crate) require_tier: Option<Tier>,
}

#[derive(Args)]
#[command(after_help = "\
Each game is checked against the rules and stored in a transaction of its own. A game that the arena has already is
compared with the one that it has. Results of another version of pacman2 or with other settings are refused.

Exit codes: 0 each result is in the arena, 1 a result was refused or differs, 2 bad input.

Examples:
  pacman2 jobs record results.jsonl
  cat results/*.jsonl | pacman2 jobs record")]
pub(crate) struct RecordArgs {
    /// The results [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print JSON, one line per result that is refused or differs, and one at the end
    #[arg(long)]
    pub(crate) json: bool,
}
