//! Tests the program for AArch64 on a machine of another architecture, with QEMU's emulation of a single process.
//!
//! What is tested does not need a kernel of that architecture: the rules, the maps, many games at once, and a match between
//! built-in bots, which are functions of the program. Programs in a sandbox are not tested: QEMU does not emulate namespaces,
//! Landlock and seccomp.

use std::fs;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::cargo::{self, Metadata};
use crate::process::{output, stdout};
use crate::target::Target;

const TARGET: Target = Target::LinuxAarch64;
/// Debian's package qemu-user-static has the first, qemu-user the second.
const EMULATORS: [&str; 2] = ["qemu-aarch64-static", "qemu-aarch64"];
const PACKAGES: [&str; 3] = ["pacman2-rules", "pacman2-maps", "pacman2-batch"];
/// Bots that think by simulations rather than by the clock, so that they play the same on every machine.
const BOTS: [&str; 4] = ["sage --simulations 200", "sample", "greedy", "random"];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = &*cargo::root();
    let emulator = EMULATORS.into_iter().find(|name| output(Command::new(name).arg("--version")).is_ok());
    let emulator = emulator.context("qemu-aarch64 is not installed; run `apt-get install qemu-user-static`")?;
    let compiler = TARGET.compiler()?;
    let mut tests = cargo::command(root);
    tests.args(["test", "--locked", "--lib", "--tests", "--features", "pacman2-batch/lane-tests", "--target", TARGET.triple()]);
    tests.args(PACKAGES.map(|package| format!("--package={package}"))).envs(compiler.iter().cloned());
    let runner = format!("CARGO_TARGET_{}_RUNNER", TARGET.triple().replace('-', "_").to_uppercase());
    ensure!(tests.env(runner, emulator).status()?.success(), "tests fail on AArch64; see the output above");
    let build = |target: &[&str]| {
        let mut build = cargo::command(root);
        build.args(["build", "--locked", "--package", "pacman2", "--bin", "pacman2"]).args(target);
        let status = build.envs(compiler.iter().cloned()).status()?;
        ensure!(status.success(), "pacman2 cannot be built; fix the error above");
        Ok(())
    };
    build(&[])?;
    build(&["--target", TARGET.triple()])?;
    let products = Metadata::read(root)?.target_directory;
    let here = play(&mut Command::new(products.join("debug/pacman2")))?;
    let there = play(Command::new(emulator).arg(products.join(TARGET.triple()).join("debug/pacman2")))?;
    ensure!(here == there, "expected the same match on AArch64 as here, got another one:\n{there}\nhere it is\n{here}");
    println!("the tests pass on AArch64, and a match of {} bots takes the same course there", BOTS.len());
    Ok(())
}

/// Plays a match and returns the public part of its replay, which is the course of the match.
fn play(program: &mut Command) -> anyhow::Result<Value> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let replay = folder.path().join("replay.json");
    stdout(program.arg("match").args(BOTS).args(["--seed", "42", "--json", "--replay"]).arg(&replay).current_dir(folder.path()))?;
    let mut replay: Value = serde_json::from_slice(&fs::read(&replay)?).context("cannot read the replay")?;
    Ok(replay["public"].take())
}
