//! `pacman2`: play, judge, watch and measure Botzone's Pacman2 (吃豆人2) on your own machine.

mod analyse;
mod arena;
mod args;
mod bench;
mod board;
mod bot;
mod built_in;
mod check;
mod compile;
mod doctor;
#[cfg(test)]
mod documented;
mod failure;
mod files;
#[cfg(target_os = "linux")]
mod guardian;
mod judge_turn;
mod many;
mod map;
mod new;
mod play;
mod progress;
mod replay;
mod sandbox;
mod seats;
mod serve;
mod simulate;
mod train;
mod view;
mod viewer;

use std::process::ExitCode;

use args::{Args, Verb};
use clap::Parser;

fn main() -> ExitCode {
    let result = match Args::parse().verb {
        Verb::Match(args) => play::run(args),
        Verb::New(args) => new::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Serve(args) => serve::run(&args),
        Verb::Map(args) => map::run(&args),
        Verb::Replay(args) => replay::run(args),
        Verb::Analyse(args) => analyse::run(&args),
        Verb::Judge(args) => judge_turn::run(&args),
        Verb::Bot(args) => bot::run(&args),
        Verb::Simulate(args) => simulate::run(&args),
        Verb::Bench(args) => bench::run(&args),
        Verb::Arena(args) => arena::run(&args),
        Verb::Train(args) => train::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Jail => Ok(pacman2_runner::supervisor_main()),
    };
    match result {
        Ok(code) => code,
        Err(error) => failure::tell(&error),
    }
}
