//! `pacman2 train`: trains sage's net by self-play.

use std::path::Path;
use std::process::ExitCode;

use crate::args::{TrainArgs, TrainVerb, warn_of_old_name};
use crate::jobs;

pub(crate) fn run(args: TrainArgs) -> anyhow::Result<ExitCode> {
    match &args.verb {
        Some(TrainVerb::Play(args)) => {
            warn_of_old_name("train play", "jobs play --nets DIR");
            jobs::play::play_training(args.nets.as_deref().unwrap_or(Path::new(".")), args)
        }
        None => pacman2_training_runs::run(&args.options()?),
    }
}
