//! CPU time of programs that were started: known on Linux.

use std::time::Duration;

/// Returns the CPU time of everything that was started and has ended, with what that started in turn.
pub(super) fn of_ended() -> Option<Duration> {
    Some(pacman2_runner::cpu_of_ended_descendants())
}
