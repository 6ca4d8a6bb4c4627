//! The program `pacman2`, compiled so that the same commit gives the same bytes in every folder.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::cargo::{self, Metadata};
use crate::target::Target;

/// Where and how everything of a release is compiled.
pub(super) struct Build<'a> {
    pub(super) root: &'a Path,
    pub(super) metadata: &'a Metadata,
    pub(super) profile: &'a str,
    /// The time of all files, in seconds since 1970.
    pub(super) epoch: u64,
}

impl Build<'_> {
    /// Compiles the program for a target and returns its path.
    pub(super) fn program(&self, target: Target) -> anyhow::Result<PathBuf> {
        eprintln!("building pacman2 for {} with the profile {}", target.triple(), self.profile);
        let mut command = cargo::command(self.root);
        command
            .args(["build", "--locked", "--package", "pacman2", "--bin", "pacman2", "--target", target.triple()])
            .args(["--profile", self.profile, "--message-format", "json-render-diagnostics"])
            .envs(self.variables()?)
            .envs(target.compiler()?)
            .stdout(Stdio::piped());
        let mut running = command.spawn().context("cannot run cargo")?;
        let mut program = None;
        // Cargo is asked for the path, which depends on its settings.
        for line in BufReader::new(running.stdout.take().expect("it is piped")).lines() {
            program = serde_json::from_str::<Message>(&line?)?.executable.or(program);
        }
        ensure!(running.wait()?.success(), "pacman2 cannot be built for {}; fix the error above", target.triple());
        program.context("expected cargo to build a program, got none")
    }

    /// Returns variables that keep the paths and the time of this machine out of what is compiled.
    pub(super) fn variables(&self) -> anyhow::Result<[(&'static str, OsString); 2]> {
        let cargo_home = home::cargo_home().context("the folder of cargo cannot be found")?;
        // The last prefix that fits counts.
        let folders = [
            (self.root, "/pacman2"),
            (&self.metadata.target_directory, "/pacman2/target"),
            (&cargo_home.join("registry/src"), "/crates"),
        ];
        let flags = folders.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        Ok([("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}").into()), ("SOURCE_DATE_EPOCH", self.epoch.to_string().into())])
    }
}

#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}
