//! Wheels: the Python package with the program in it, made by the package's own build backend. And its source distribution.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, ensure};

use super::program::Build;
use crate::process::{last_line, output};
use crate::python;
use crate::target::{self, Target};

/// What builds and checks wheels. Zig links for a glibc of 2014 on any machine.
const REQUIREMENTS: [&str; 4] = ["build==1.6.1", "maturin==1.16.0", "twine==7.0.0", "ziglang==0.17.1"];
/// The oldest glibc that the wheels for Linux run with.
const MANYLINUX: &str = "manylinux_2_17";

/// Checks that wheels for these targets can be made here, and returns the Python that makes them.
pub(super) fn prepare(build: &Build, targets: &[Target]) -> anyhow::Result<PathBuf> {
    targets.iter().try_for_each(|target| target::ensure_installed(target.triple_for_python()))?;
    tools(build)
}

/// Returns the Python that makes wheels and source distributions.
fn tools(build: &Build) -> anyhow::Result<PathBuf> {
    python::environment(&build.metadata.target_directory.join("tools/wheel"), &REQUIREMENTS)
}

/// Makes the source distribution of this version in a folder.
pub(super) fn make_sdist(build: &Build, version: &str, folder: &Path) -> anyhow::Result<()> {
    let python = tools(build)?;
    let mut command = python::command(&python);
    command.args(["-m", "build", "--sdist", "--no-isolation", "--outdir"]).arg(folder).arg(build.root);
    command.env("PATH", path(&python)?).envs(build.variables()?).stdin(Stdio::null()).stdout(io::stderr());
    ensure!(command.status()?.success(), "the source distribution cannot be built; fix the error above");
    check(&python, &folder.join(format!("pacman2-{version}.tar.gz")))
}

/// Makes the wheel with this program and this bill of materials in a folder.
pub(super) fn make(
    build: &Build,
    target: Target,
    python: &Path,
    program: &Path,
    sbom: &Path,
    folder: &Path,
) -> anyhow::Result<()> {
    eprintln!("building the wheel for {}", target.triple_for_python());
    let sbom = sbom.to_str().context("expected a path in UTF-8 to the temporary folder; choose another TMPDIR")?;
    let mut options = vec!["--locked", "--profile", build.profile, "--target", target.triple_for_python()];
    options.extend(["--sbom-include", sbom]);
    if target.os() == "linux" {
        options.extend(["--zig", "--compatibility", MANYLINUX]);
    }
    let made = tempfile::tempdir_in(folder).context("cannot create a temporary folder")?;
    let status = python::command(python)
        .args(["-m", "build", "--wheel", "--no-isolation", "--outdir"])
        .arg(made.path())
        .arg(build.root)
        .env("MATURIN_PEP517_ARGS", shlex::try_join(options)?)
        .env("PACMAN2_PROGRAM", program)
        .env("PATH", path(python)?)
        .envs(build.variables()?)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()?;
    ensure!(status.success(), "the wheel cannot be built; fix the error above");
    let wheel = fs::read_dir(made.path())?.next().context("expected a wheel, got none")??;
    let path = folder.join(wheel.file_name());
    fs::rename(wheel.path(), &path)?;
    check(python, &path)
}

/// Checks what an index would check.
fn check(python: &Path, path: &Path) -> anyhow::Result<()> {
    let checked = output(python::command(python).args(["-m", "twine", "check", "--strict"]).arg(path))?;
    ensure!(checked.status.success(), "twine rejects {}: {}", path.display(), last_line(&checked));
    Ok(())
}

/// Returns PATH with the programs of a virtual environment first, where the backend looks for Maturin.
fn path(python: &Path) -> anyhow::Result<OsString> {
    let own = python.parent().context("a program is in a folder")?.to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths(iter::once(own).chain(env::split_paths(&others)))?)
}
