//! `pacman2 arena play`: plays jobs, which need nothing but this program and the programs of the bots.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use pacman2_arena::game_player::Concurrency;
use pacman2_arena::play::JobPlayer;
use pacman2_bot_source::sandbox::{SandboxOptions, SandboxPolicy};
use pacman2_bot_source::watchdog;
use pacman2_console::files;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_jobs::hang_up::stop_on_hang_up;

use crate::args::PlayJobsArgs;

pub(super) fn run(folder: &Path, args: &PlayJobsArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let input = files::open_lines(args.file.as_deref())?;
    let stop = stop_on_interrupt()?;
    stop_on_hang_up(&stop);
    let games_at_once = args.games_at_once.map(usize::from);
    let player = JobPlayer {
        folder: args.programs.as_deref().unwrap_or(folder),
        policy: &SandboxPolicy::new(SandboxOptions { trust: args.trust.clone(), require_tier: args.require_tier }),
        allowed_commands: &args.allow_command,
        concurrency: match args.cores {
            Some(cores) => Concurrency::from_cores(cores.into(), games_at_once),
            None => Concurrency::from_machine(games_at_once),
        },
        node: args.node.as_deref(),
        stop: &stop,
    };
    let played = player.play(input);
    pacman2_runner::sweep();
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED.into());
    }
    played.map(|()| ExitCode::SUCCESS)
}
