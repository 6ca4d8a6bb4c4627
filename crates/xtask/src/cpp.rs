//! The C++ header `cpp/pacman2.hpp`: its tests, and comparisons with the wiki's sample program.

mod answers;
mod compiler;
mod fixtures;
mod sample_program;
mod traces;

use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// Replay the traces of the sample program on the header, and take them back
    Traces,
    /// Compare the header's decisions for 2,000 inputs with those of the sample program
    Answers {
        /// The sample program, or the text of the wiki's page; it decides anew, with its own engine and with the header
        #[arg(long)]
        sample: Option<PathBuf>,
        /// Keep the answers of `--sample` in the repository
        #[arg(long, requires = "sample")]
        write: bool,
    },
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.task {
        Task::Traces => traces::check(),
        Task::Answers { sample: None, .. } => answers::check(),
        Task::Answers { sample: Some(sample), write } => answers::ask_the_sample_program(sample, *write),
    }
}
