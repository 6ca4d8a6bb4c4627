//! Tests the program for AArch64 on a machine of another architecture, with QEMU's emulation of a single process, and many games at
//! once as WebAssembly, in Node.
//!
//! What is tested does not need a kernel of that architecture: the rules, the maps, many games at once, and a match between
//! built-in bots, which are functions of the program. Programs in a sandbox are not tested: QEMU does not emulate namespaces,
//! Landlock and seccomp.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::cargo::{self, Metadata};
use crate::process::{output, stdout};
use crate::target::Target;
use crate::wasm;

const TARGET: Target = Target::LinuxAarch64;
/// Debian's package qemu-user-static has the first, qemu-user the second.
const EMULATORS: [&str; 2] = ["qemu-aarch64-static", "qemu-aarch64"];
const PACKAGES: [&str; 3] = ["pacman2-rules", "pacman2-maps", "pacman2-batch"];
/// Bots that think by simulations rather than by the clock, so that they play the same on every machine.
const BOTS: [&str; 4] = ["sage --simulations 200", "sample", "greedy", "random"];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = cargo::root();
    test_on_aarch64(&root)?;
    test_as_wasm(&root)
}

fn test_on_aarch64(root: &Path) -> anyhow::Result<()> {
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

/// Compiles the example `wasm` of `pacman2-batch` without SIMD and with it, and compares what both play with this machine's games.
fn test_as_wasm(root: &Path) -> anyhow::Result<()> {
    let build = |folder: &str, rustc: &str| {
        let folder = root.join("target").join(folder);
        let mut build = cargo::command(root);
        build.args(["build", "--locked", "--package", "pacman2-batch", "--example", "wasm", "--features", "wasm-example"]);
        build.args(["--target", wasm::TARGET, "--release", "--target-dir"]).arg(&folder);
        let status = build.env("CARGO_ENCODED_RUSTFLAGS", rustc).status()?;
        ensure!(status.success(), "the example cannot be built; `rustup target add {}` may be missing", wasm::TARGET);
        Ok(folder.join(wasm::TARGET).join("release/examples/wasm.wasm"))
    };
    // Each set of options needs its own folder.
    let modules = [build("batch-wasm", "")?, build("batch-wasm-simd", "-Ctarget-feature=+simd128")?];
    let script = root.join("crates/batch/examples/wasm.mjs");
    let found: Value = serde_json::from_slice(&stdout(Command::new("node").arg(script).args(&modules))?)?;
    let program = Metadata::read(root)?.target_directory.join("debug/pacman2");
    let here = stdout(Command::new(program).args(["bench", "--json", "--seconds", "0.01"]))?;
    let here: Value = serde_json::from_slice(&here)?;
    let signature = &here["batch"]["signature"];
    for (has_simd, module) in [false, true].into_iter().zip(found.as_array().context("expected a list of results")?) {
        ensure!(module["has_simd"] == has_simd, "expected SIMD in the second module alone, got {found}");
        ensure!(module["signature"] == *signature, "expected the signature {signature} as here, got {found}");
    }
    println!("random games as WebAssembly are those of this machine; nanoseconds a turn without SIMD, and with it:");
    for (map, plain) in found[0]["maps"].as_object().context("expected the speed on some maps")? {
        let simd = &found[1]["maps"][map];
        let [plain, with_simd, ratio] = [&plain["ns_per_turn"], &simd["ns_per_turn"], &simd["times_the_first"]]
            .map(|number| number.as_f64().unwrap_or_default());
        println!("{map}: {plain:.1}, {with_simd:.1}, {ratio:.2} times as fast");
    }
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
