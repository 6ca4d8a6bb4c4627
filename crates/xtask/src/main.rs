//! Chores of this project: `cargo xtask help`.

mod differential;
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
    /// Make the engine of the viewer's page; wants the target wasm32-unknown-unknown
    Viewer,
}

fn main() -> anyhow::Result<()> {
    match Args::parse().chore {
        Chore::Differential(args) => differential::run(&args),
        Chore::Viewer => viewer::run(),
    }
}
