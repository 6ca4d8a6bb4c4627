//! `pacman2`: play, judge, watch and measure Botzone's Pacman2 (吃豆人2) on your own machine.
//!
//! [`run`] parses the command line to the structs of `args`; each verb has a module that checks them and does the work. The program
//! is this library and a `main` that calls it, because cargo compiles a library beside those that it uses, and a program only after
//! them.

#![deny(unsafe_code)]

#[macro_use(eprint, eprintln)]
extern crate pacman2_console;

mod analyse;
mod analysis_folder;
mod arena;
mod args;
mod board;
mod bot;
mod botzone;
mod bundle;
mod check;
mod chinese;
mod completions;
mod docs;
#[cfg(test)]
mod documented;
mod export;
mod games;
mod jobs;
mod judge;
mod man;
mod map;
mod match_;
mod new;
mod replay;
mod rerun;
mod serve;
mod train;
mod viewer;

use std::process::ExitCode;

use pacman2_console::error;

use args::{Args, Verb};

/// Runs the program with the arguments of this process and returns its exit code. Exits if they are wrong, or ask for help.
pub fn run() -> ExitCode {
    completions::answer_shell();
    let result = match Args::from_process().verb {
        Verb::Play(args) => match_::run(args),
        Verb::Open(args) => replay::open(&args),
        Verb::New(args) => new::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Bundle(args) => bundle::run(args),
        Verb::Export(args) => export::run(args),
        Verb::Serve(args) => serve::run(args),
        Verb::Map(args) => map::run(&args),
        Verb::Replay(args) => replay::run(args),
        Verb::Analyse(args) => analyse::run(&args),
        Verb::Rerun(args) => rerun::run(args),
        Verb::Judge(args) => judge::run(&args),
        Verb::Bot(args) => bot::run(args),
        Verb::Botzone(verb) => botzone::run(verb),
        Verb::Simulate(args) => pacman2_engines::simulate::run(&args.options()),
        Verb::Bench(args) => pacman2_engines::bench::run(&args.options()),
        Verb::Arena(args) => arena::run(&args),
        Verb::Train(args) => train::run(args),
        Verb::Jobs(args) => jobs::run(&args),
        Verb::Doctor(args) => pacman2_doctor::run(&args.options()),
        Verb::Docs(args) => docs::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
        Verb::Jail => Ok(pacman2_runner::supervisor_main()),
    };
    match result {
        Ok(code) => code,
        Err(error) => error::report(&error),
    }
}
