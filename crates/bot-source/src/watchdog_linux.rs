//! The watchdog of a match, on Linux: a process that only outlives the one that plays. It ends all bots even if the playing
//! process is killed without warning.

use std::env;
use std::io;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use anyhow::Context;
use rustix::process::{Pid, Signal, getppid, kill_process, set_parent_process_death_signal};

/// The environment variable that holds the watchdog's process id in the process that plays.
const WATCHDOG: &str = "PACMAN2_WATCHDOG";

/// Splits into a watchdog and a process that plays.
///
/// In the process that was started, this runs the same command line in a child, waits for it, and returns how to exit. In
/// that child it returns `None`, and the child is asked to end when the watchdog dies.
pub fn start() -> anyhow::Result<Option<ExitCode>> {
    if is_watched() {
        set_parent_process_death_signal(Some(Signal::TERM)).context("cannot ask for a signal at the watchdog's end")?;
        return Ok(None);
    }
    pacman2_runner::adopt_orphans();
    let child = Arc::new(AtomicI32::new(0));
    let of_handler = Arc::clone(&child);
    // Ctrl-C reaches both processes, other requests to end only this one; asking twice does no harm.
    ctrlc::set_handler(move || {
        if let Some(pid) = Pid::from_raw(of_handler.load(Ordering::Relaxed)) {
            let _ = kill_process(pid, Signal::TERM);
        }
    })
    .context("cannot install the handler for Ctrl-C")?;
    let status = play(&child);
    pacman2_runner::sweep();
    status.map(|status| Some(exit_code(status))).context("cannot run this program again to play the match")
}

/// Returns whether this process is the child of [`start`], which has the same command line.
pub fn is_watched() -> bool {
    let watchdog = env::var(WATCHDOG).ok().and_then(|pid| pid.parse().ok());
    watchdog.is_some() && watchdog == getppid().map(Pid::as_raw_pid)
}

fn play(child: &AtomicI32) -> io::Result<ExitStatus> {
    let mut command = Command::new(env::current_exe()?);
    command.args(env::args_os().skip(1)).env(WATCHDOG, std::process::id().to_string());
    let mut playing = command.spawn()?;
    child.store(playing.id() as i32, Ordering::Relaxed);
    playing.wait()
}

fn exit_code(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    if let Some(signal) = status.signal() {
        eprintln!("pacman2: signal {signal} ended the match; its bots were ended too");
    }
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}
