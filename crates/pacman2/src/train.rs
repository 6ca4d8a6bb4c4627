//! `pacman2 train`: trains sage's net by self-play.

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::{files, workers};
use pacman2_jobs::hang_up::stop_on_hang_up;
use pacman2_training_runs::play::play_jobs;

use crate::args::{TrainArgs, TrainPlayArgs, TrainVerb};

pub(crate) fn run(args: TrainArgs) -> anyhow::Result<ExitCode> {
    match &args.verb {
        Some(TrainVerb::Play(args)) => play(args),
        None => pacman2_training_runs::run(&args.options()?),
    }
}

fn play(args: &TrainPlayArgs) -> anyhow::Result<ExitCode> {
    let input = files::open_lines(args.file.as_deref())?;
    let stop = stop_on_interrupt()?;
    stop_on_hang_up(&stop);
    let threads = args.threads.map_or_else(workers::default_threads, usize::from);
    let done = play_jobs(input, &args.nets, threads, args.node.as_deref(), &stop);
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED.into());
    }
    done.map(|()| ExitCode::SUCCESS)
}
