//! Chores of this project: `cargo xtask help`.

mod differential;
mod docs;
mod viewer;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of this project")]
struct Args {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Hold the rules against the wiki's sample program, turn by turn, on fresh random games
    Differential(differential::Args),
    /// Check the documentation and build a static site from it, with the API docs of Rust and Python
    Docs(docs::Args),
    /// Make the engine of the viewer's page; wants the target wasm32-unknown-unknown
    Viewer,
}

fn main() -> anyhow::Result<()> {
    match Args::parse().chore {
        Chore::Differential(args) => differential::run(&args),
        Chore::Docs(args) => docs::run(&args),
        Chore::Viewer => viewer::run(),
    }
}
