//! Crates of this workspace as WebAssembly.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::cargo;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// The features that rustc enables by default for this target.
const FEATURES: [&str; 4] = ["bulk-memory", "mutable-globals", "nontrapping-float-to-int", "sign-ext"];

/// How a crate is compiled.
pub(crate) struct Build<'a> {
    pub(crate) package: &'a str,
    pub(crate) profile: &'a str,
    /// The name of a folder for what cargo builds; each set of options needs its own.
    pub(crate) folder: &'a str,
    /// Options for rustc besides those that keep the paths of the build machine out of the module.
    pub(crate) rustc: &'a [&'a str],
    /// The options of wasm-opt.
    pub(crate) wasm_opt: &'a [&'a str],
}

impl Build<'_> {
    /// Compiles the crate, and returns the optimised module.
    pub(crate) fn run(&self, root: &Path) -> anyhow::Result<Vec<u8>> {
        let Build { package, profile, folder, rustc, wasm_opt } = self;
        let target_dir = root.join("target").join(folder);
        let cargo_home = home::cargo_home().context("the folder of cargo cannot be found")?;
        let remapped = [(root, "pacman2"), (&cargo_home.join("registry/src"), "crates")]
            .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        let switches =
            [remapped.map(String::from).as_slice(), &rustc.iter().map(ToString::to_string).collect::<Vec<_>>()].concat();
        let status = cargo::command(root)
            .args(["rustc", "--package", package, "--crate-type", "cdylib", "--target", TARGET, "--profile", profile, "--locked"])
            .arg("--target-dir")
            .arg(&target_dir)
            .env("CARGO_ENCODED_RUSTFLAGS", switches.join("\u{1f}"))
            // Some of the options are not stable yet.
            .env("RUSTC_BOOTSTRAP", "1")
            .status()?;
        ensure!(status.success(), "{package} cannot be built; `rustup target add {TARGET}` may be missing");
        let built = target_dir.join(TARGET).join(profile).join(format!("{}.wasm", package.replace('-', "_")));
        let small = target_dir.join("optimised.wasm");
        let status = Command::new("wasm-opt")
            .args(*wasm_opt)
            .arg("--strip-producers")
            .args(FEATURES.map(|feature| format!("--enable-{feature}")))
            .arg(&built)
            .arg("-o")
            .arg(&small)
            .status()
            .context("wasm-opt cannot be run; it is in the package binaryen")?;
        ensure!(status.success(), "wasm-opt failed on {package}");
        Ok(fs::read(small)?)
    }
}
