//! The guardian of a match: a process that does nothing but outlive the one that plays, to see that no bot is left even if
//! that one is killed without warning. On Linux only.

use std::env;
use std::io;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use anyhow::Context;
use rustix::process::{Pid, Signal, getppid, kill_process, set_parent_process_death_signal};

/// Tells the process that plays whose child it is.
const GUARDIAN: &str = "PACMAN2_GUARDIAN";

/// In the process that was typed: has a second one play, and returns how to exit. In that second one: returns `None`, and
/// will be asked to end when the first one dies.
pub(crate) fn stand_guard() -> anyhow::Result<Option<ExitCode>> {
    if is_guarded() {
        set_parent_process_death_signal(Some(Signal::TERM)).context("the end of the guardian cannot be listened to")?;
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
    .context("Ctrl-C cannot be listened to")?;
    let status = play(&child);
    pacman2_runner::sweep();
    status.map(|status| Some(exit_code(status))).context("this program cannot be run again to play the match")
}

fn is_guarded() -> bool {
    let guardian = env::var(GUARDIAN).ok().and_then(|pid| pid.parse().ok());
    guardian.is_some() && guardian == getppid().map(Pid::as_raw_pid)
}

fn play(child: &AtomicI32) -> io::Result<ExitStatus> {
    let mut command = Command::new(env::current_exe()?);
    command.args(env::args_os().skip(1)).env(GUARDIAN, std::process::id().to_string());
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
