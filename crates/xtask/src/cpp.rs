//! The C++ header `cpp/pacman2.hpp`: its tests, and comparisons with the wiki's sample program.

mod answers;
mod compiler;
mod examples;
mod fixtures;
mod replay;
mod sample_program;
mod sections;
mod speed;
mod traces;

pub(crate) use compiler::Compiler;
pub(crate) use replay::HeaderReplay;

use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// Replay the traces of the sample program on both layers of the header, and take them back
    Traces,
    /// Compile and run the examples in the header's comments
    Examples,
    /// Check the sections of the header, which `pacman2 bundle` leaves out one by one
    Sections,
    /// Compare the header's decisions for 2,000 inputs with those of the sample program
    Answers {
        /// The sample program, or the text of the wiki's page; it decides anew, with its own engine and with the header
        #[arg(long)]
        sample: Option<PathBuf>,
        /// Only every Nth input
        #[arg(long, value_name = "N", default_value = "1", conflicts_with = "sample")]
        every: NonZeroUsize,
        /// Keep the answers of `--sample` in the repository
        #[arg(long, requires = "sample")]
        write: bool,
    },
    /// Measure the header's random playouts against the sample program and the Rust crate
    Speed {
        /// The sample program, or the text of the wiki's page
        #[arg(long)]
        sample: PathBuf,
    },
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.task {
        Task::Traces => traces::check(),
        Task::Speed { sample } => speed::measure(sample),
        Task::Examples => examples::check(),
        Task::Sections => sections::check(),
        Task::Answers { sample: None, every, .. } => answers::check(every.get()),
        Task::Answers { sample: Some(sample), write, .. } => answers::ask_the_sample_program(sample, *write),
    }
}
