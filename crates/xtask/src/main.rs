//! Tasks for contributors: `cargo xtask help`.

#![forbid(unsafe_code)]

mod cargo;
mod cpp;
mod cross_test;
mod differential;
mod dist;
mod docs;
mod folder;
mod process;
mod python;
mod site;
mod target;
mod viewer;
mod wasm;
mod wine_test;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks for contributors")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Test the C++ header, and compare it with the wiki's sample program; requires a C++ compiler
    Cpp(cpp::Args),
    /// Compare the rules with the wiki's sample program, turn by turn, in random games
    Differential(differential::Args),
    /// Run the tests of the rules, the maps and many games at once on an emulated AArch64 machine
    CrossTest,
    /// Compile the program for Windows and run it under Wine; requires the target x86_64-pc-windows-gnu, MinGW and Wine
    WineTest,
    /// Make what a release consists of: archives, Debian packages, wheels, a bill of materials, checksums
    Dist(dist::Args),
    /// Check the documentation and build a static site from it; requires Python and a network
    Docs(docs::Args),
    /// Build the static site: the page with the strong engine, the gallery and the documentation, for any web host; requires
    /// the target wasm32-unknown-unknown
    Site(site::Args),
    /// Build the engine of the viewer's page and bundle its scripts; requires the target wasm32-unknown-unknown and npm
    Viewer,
}

fn main() -> anyhow::Result<()> {
    match Args::parse().task {
        Task::Cpp(args) => cpp::run(&args),
        Task::Differential(args) => differential::run(&args),
        Task::CrossTest => cross_test::run(),
        Task::WineTest => wine_test::run(),
        Task::Dist(args) => dist::run(&args),
        Task::Docs(args) => docs::run(&args),
        Task::Site(args) => site::run(&args),
        Task::Viewer => viewer::run(),
    }
}
