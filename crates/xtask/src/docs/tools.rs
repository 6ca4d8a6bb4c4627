//! The programs that make the site.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, ensure};

use super::cargo::{self, Metadata};

/// The version of mdBook that is built where none is installed.
const MDBOOK: &str = "0.5.4";
/// How the versions begin that read the same book.toml.
const MDBOOK_SERIES: &str = "0.5.";

/// Finds mdBook on PATH or among the tools built earlier, or builds it.
pub(super) fn mdbook(root: &Path, metadata: &Metadata) -> anyhow::Result<PathBuf> {
    let tools = metadata.target_directory.join("tools");
    let built = tools.join("bin").join(format!("mdbook{}", env::consts::EXE_SUFFIX));
    let is_suitable = |program: &PathBuf| {
        let version = output(Command::new(program).arg("--version")).map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&version).trim().trim_start_matches("mdbook v").starts_with(MDBOOK_SERIES)
    };
    if let Some(program) = [PathBuf::from("mdbook"), built.clone()].into_iter().find(is_suitable) {
        return Ok(program);
    }
    println!("mdBook {MDBOOK_SERIES}x is not installed; building {MDBOOK}, which takes a few minutes");
    let status = cargo::command(root)
        .args(["install", "mdbook", "--version", MDBOOK, "--locked", "--force"])
        // Without its server and its watcher, which take as long again to build.
        .args(["--no-default-features", "--features", "search", "--root"])
        .arg(&tools)
        .status()?;
    ensure!(
        status.success(),
        "cannot build mdBook {MDBOOK}; fix the error that cargo printed above, or put mdbook {MDBOOK_SERIES}x on PATH"
    );
    Ok(built)
}

/// Runs a program without input to its end.
pub(super) fn output(command: &mut Command) -> anyhow::Result<Output> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {name}"))
}

/// The last line that a program printed, which is where most programs name the error.
pub(super) fn last_line(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat();
    text.trim().lines().next_back().unwrap_or("no output").trim().to_owned()
}
