//! What cargo knows about this workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    pub(super) target_directory: PathBuf,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) description: Option<String>,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

impl Metadata {
    pub(super) fn read(root: &Path) -> anyhow::Result<Metadata> {
        let output = command(root).args(["metadata", "--no-deps", "--format-version", "1"]).output()?;
        ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        serde_json::from_slice(&output.stdout).context("cannot read the output of cargo metadata")
    }
}

impl Package {
    /// Returns the name that rustdoc uses and the root source file, of the library if there is one or else of the program.
    pub(super) fn documented(&self) -> Option<(String, &Path)> {
        let of_kind =
            |kinds: &[&str]| self.targets.iter().find(|target| target.kind.iter().any(|kind| kinds.contains(&kind.as_str())));
        let target = of_kind(&["lib", "rlib", "cdylib", "proc-macro"]).or_else(|| of_kind(&["bin"]))?;
        Some((target.name.replace('-', "_"), &target.src_path))
    }

    /// Returns the folder of the package.
    pub(super) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }
}

/// Returns a command for the cargo that built this program.
pub(super) fn command(root: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root);
    command
}
