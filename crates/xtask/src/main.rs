//! Tasks for contributors: `cargo xtask help`.

#![forbid(unsafe_code)]

mod differential;
mod docs;
mod viewer;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks for contributors")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compare the rules with the wiki's sample program, turn by turn, in random games
    Differential(differential::Args),
    /// Check the documentation and build a static site from it, with the API docs of Rust and Python
    Docs(docs::Args),
    /// Build the engine of the viewer's page; requires the target wasm32-unknown-unknown
    Viewer,
}

fn main() -> anyhow::Result<()> {
    match Args::parse().task {
        Task::Differential(args) => differential::run(&args),
        Task::Docs(args) => docs::run(&args),
        Task::Viewer => viewer::run(),
    }
}
