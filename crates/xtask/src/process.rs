//! Other programs that the tasks run.

use std::process::{Command, Output, Stdio};

use anyhow::{Context, ensure};

/// Runs a program without input to its end.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {name}"))
}

/// The last line that a program printed, which is where most programs name the error.
pub(crate) fn last_line(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat();
    text.trim().lines().next_back().unwrap_or("no output").trim().to_owned()
}

/// Runs a program without input to its end and returns what it printed to standard output.
///
/// # Errors
/// If it cannot be started or does not succeed.
pub(crate) fn stdout(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = output(command)?;
    ensure!(output.status.success(), "{name} failed: {}", last_line(&output));
    Ok(output.stdout)
}
