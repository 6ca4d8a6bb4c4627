//! The watchdog process and the sandbox of bots that are programs. Where only built-in bots play, neither is needed.

use std::process::ExitCode;

use pacman2_tournament::BotVersion;

use crate::args::SandboxArgs;
use crate::sandbox::SandboxPolicy;

/// Starts the watchdog of the bots' processes if there may be any. `Some` is the exit code of the process that played.
pub(super) fn start_watchdog(has_programs: bool) -> anyhow::Result<Option<ExitCode>> {
    #[cfg(target_os = "linux")]
    if has_programs {
        return crate::watchdog::start();
    }
    let _ = has_programs;
    Ok(None)
}

/// Returns the sandbox policy for bots, some of which may be programs.
pub(super) fn sandbox_policy(has_programs: bool, sandbox: &SandboxArgs) -> SandboxPolicy {
    if has_programs { SandboxPolicy::new(sandbox) } else { SandboxPolicy::without_programs() }
}

/// Replaces the names of trusted bots by the labels of their versions that play.
pub(super) fn trust_by_label(sandbox: &SandboxArgs, players: &[&BotVersion]) -> SandboxArgs {
    let label_of = |trusted: &String| players.iter().find(|bot| bot.name == *trusted).map_or(trusted.clone(), |bot| bot.label());
    SandboxArgs { trust: sandbox.trust.iter().map(label_of).collect(), ..sandbox.clone() }
}
