//! `pacman2 jobs play`: plays jobs, which need nothing but this program and the programs or nets of the bots.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use pacman2_arena::game_player::Concurrency;
use pacman2_arena::play::JobPlayer;
use pacman2_bot_source::sandbox::{SandboxOptions, SandboxPolicy};
use pacman2_bot_source::watchdog;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::{files, workers};
use pacman2_jobs::hang_up::stop_on_hang_up;
use pacman2_training_runs::play::play_jobs;

use crate::args::PlayJobsArgs;

pub(crate) fn run(folder: &Path, args: &PlayJobsArgs) -> anyhow::Result<ExitCode> {
    if let Some(nets) = &args.nets {
        return play_training(nets, args);
    }
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let games_at_once = args.parallel.map(usize::from);
    play(args, |input, stop| {
        let player = JobPlayer {
            folder: args.programs.as_deref().unwrap_or(folder),
            policy: &SandboxPolicy::new(SandboxOptions { trust: args.trust.clone(), require_tier: args.require_tier }),
            allowed_commands: &args.allow_command,
            concurrency: match args.cores {
                Some(cores) => Concurrency::from_cores(cores.into(), games_at_once),
                None => Concurrency::from_machine(games_at_once),
            },
            node: args.node.as_deref(),
            stop,
        };
        let played = player.play(input);
        pacman2_runner::sweep();
        played
    })
}

/// Plays jobs of a training run.
pub(crate) fn play_training(nets: &Path, args: &PlayJobsArgs) -> anyhow::Result<ExitCode> {
    let threads = args.parallel.map_or_else(workers::default_threads, usize::from);
    play(args, |input, stop| play_jobs(input, nets, threads, args.node.as_deref(), stop))
}

/// Plays the jobs of a file until it ends, or the program is to end.
fn play(
    args: &PlayJobsArgs,
    jobs: impl FnOnce(Box<dyn Read + Send>, &AtomicBool) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let input = files::open_lines(args.file.as_deref())?;
    let stop = stop_on_interrupt()?;
    stop_on_hang_up(&stop);
    let played = jobs(input, &stop);
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED.into());
    }
    played.map(|()| ExitCode::SUCCESS)
}
