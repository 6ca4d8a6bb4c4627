//! `pacman2 completions`: prints a script that completes the command line in a shell.

use std::io::Write;
use std::process::ExitCode;

use clap::{Command, CommandFactory};

use crate::args::{Args, CompletionsArgs};

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let all = Args::command();
    // The scripts would also complete what is hidden.
    let visible = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut command = Command::new("pacman2").version(env!("CARGO_PKG_VERSION")).subcommands(visible);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "pacman2", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
