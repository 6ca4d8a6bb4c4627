//! What cargo knows about this workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) target_directory: PathBuf,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    /// Its unique ID in cargo: where it comes from, its name and its version.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    manifest_path: PathBuf,
}

impl Metadata {
    /// Reads the packages of a workspace.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Metadata> {
        Metadata::ask(root, &["--no-deps"])
    }

    /// Reads the packages of a workspace and all that they depend on, and downloads those that are missing.
    pub(crate) fn read_with_dependencies(root: &Path) -> anyhow::Result<Metadata> {
        Metadata::ask(root, &[])
    }

    fn ask(root: &Path, options: &[&str]) -> anyhow::Result<Metadata> {
        let output = command(root).args(["metadata", "--format-version", "1"]).args(options).output()?;
        ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        serde_json::from_slice(&output.stdout).context("cannot read the output of cargo metadata")
    }
}

impl Package {
    /// Returns the folder of the package.
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }
}

/// Returns a command for the cargo that built this program.
pub(crate) fn command(root: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root);
    command
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is above this crate")
}
