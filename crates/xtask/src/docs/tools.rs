//! The programs that make the site.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::ensure;

use crate::cargo::{self, Metadata};
use crate::process::output;

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
