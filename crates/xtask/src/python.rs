//! Virtual environments of Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::{last_line, output};

/// The names that Python may have on PATH.
const PYTHONS: [&str; 2] = ["python3", "python"];
/// Prints the version of a Python that is new enough and can make virtual environments.
const PROBE: &str = "import sys, venv, ensurepip; assert sys.version_info >= (3, 10); print(sys.version)";

/// Returns the Python of a virtual environment with all requirements, which is made where it does not exist yet.
pub(crate) fn environment(venv: &Path, requirements: &[&str]) -> anyhow::Result<PathBuf> {
    let version = PYTHONS.into_iter().find_map(|python| {
        let output = output(Command::new(python).args(["-c", PROBE])).ok()?;
        output.status.success().then(|| (python, String::from_utf8_lossy(&output.stdout).into_owned()))
    });
    let (python, version) = version.context("expected Python 3.10 or newer with venv, got none; install it")?;
    let inside = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let (stamp, expected) = (venv.join("requirements.txt"), format!("{version}{}\n", requirements.join("\n")));
    if fs::read_to_string(&stamp).is_ok_and(|found| found == expected) {
        return Ok(inside);
    }
    if venv.exists() {
        fs::remove_dir_all(venv)?;
    }
    let made = output(Command::new(python).args(["-m", "venv"]).arg(venv))?;
    ensure!(made.status.success(), "python -m venv failed: {}", last_line(&made));
    let mut pip = command(&inside);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(requirements);
    let installed = output(&mut pip)?;
    ensure!(installed.status.success(), "pip install failed, which needs a network: {}", last_line(&installed));
    fs::write(stamp, expected)?;
    Ok(inside)
}

/// Returns a command for a Python of a virtual environment.
pub(crate) fn command(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.env_remove("PYTHONPATH").env_remove("PYTHONHOME");
    command
}
