//! The watchdog process and the sandbox of bots that are programs. Where only built-in bots play, neither is needed.

use std::process::ExitCode;

use pacman2_bot_source::sandbox::SandboxOptions;
use pacman2_bot_source::watchdog;
use pacman2_tournament::BotVersion;

/// Starts the watchdog of the bots' processes if there may be any. `Some` is the exit code of the process that played.
pub(super) fn start_watchdog(has_programs: bool) -> anyhow::Result<Option<ExitCode>> {
    if has_programs { watchdog::start() } else { Ok(None) }
}

/// Replaces the names of trusted bots by the labels of their versions that play.
pub(super) fn trust_by_label(sandbox: SandboxOptions, players: &[&BotVersion]) -> SandboxOptions {
    let label_of = |trusted: &String| players.iter().find(|bot| bot.name == *trusted).map_or(trusted.clone(), |bot| bot.label());
    SandboxOptions { trust: sandbox.trust.iter().map(label_of).collect(), ..sandbox }
}
