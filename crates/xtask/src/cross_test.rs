//! Tests for AArch64 on a machine of another architecture, with QEMU's emulation of a single process: the rules, the maps, and many
//! games at once, which need no kernel of that architecture.

use std::process::Command;

use anyhow::{Context, ensure};

use crate::cargo;
use crate::process::output;
use crate::target::Target;

const TARGET: Target = Target::LinuxAarch64;
/// Debian's package qemu-user-static has the first, qemu-user the second.
const EMULATORS: [&str; 2] = ["qemu-aarch64-static", "qemu-aarch64"];
const PACKAGES: [&str; 3] = ["pacman2-rules", "pacman2-maps", "pacman2-batch"];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = &*cargo::root();
    let emulator = EMULATORS.into_iter().find(|name| output(Command::new(name).arg("--version")).is_ok());
    let emulator = emulator.context("qemu-aarch64 is not installed; run `apt-get install qemu-user-static`")?;
    let compiler = TARGET.compiler()?;
    let mut tests = cargo::command(root);
    tests.args(["test", "--locked", "--lib", "--tests", "--target", TARGET.triple()]);
    tests.args(PACKAGES.map(|package| format!("--package={package}"))).envs(compiler.iter().cloned());
    let runner = format!("CARGO_TARGET_{}_RUNNER", TARGET.triple().replace('-', "_").to_uppercase());
    ensure!(tests.env(runner, emulator).status()?.success(), "tests fail on AArch64; see the output above");
    println!("the tests pass on AArch64");
    Ok(())
}
