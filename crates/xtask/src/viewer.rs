//! Builds the engine of the page: the crate `pacman2-timeline` as WebAssembly, gzipped, beside the page's other files. Then it
//! bundles the page's scripts and styles.
//!
//! Requires the target wasm32-unknown-unknown (`rustup target add`), `wasm-opt` (package binaryen) and npm. The results are
//! committed, so building the program requires none of them. Fingerprints of the sources are stored beside them; tests compare
//! them with the sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use sha2::{Digest, Sha256};

use crate::wasm::Build;
use crate::{cargo, folder};

/// The crates of this workspace that are part of the engine.
const CRATES: [&str; 7] = ["rules", "maps", "botzone", "bots", "runner", "replay", "timeline"];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = cargo::root();
    let build = Build {
        package: "pacman2-timeline",
        profile: "viewer",
        folder: "viewer",
        // No locations of panics and no derived `Debug`s: they are never shown, and without them it is 5 % smaller.
        rustc: &["-Zlocation-detail=none", "-Zfmt-debug=none"],
        // Makes it 5 % smaller when packed, `-Oz --converge` 4 %. The stack lies below all data, so the lowest addresses are unused.
        wasm_opt: &["-O2", "--flatten", "--rereloop", "-O2", "--converge", "--low-memory-unused"],
    };
    let module = build.run(&root)?.1.context("wasm-opt cannot be run; it is in the package binaryen")?;
    let mut packed = Vec::new();
    zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, module.as_slice(), &mut packed)?;
    fs::write(engine(&root), &packed)?;
    fs::write(sources_file(&root), fingerprint(&root)? + "\n")?;
    println!("{}: {} bytes, {} packed", engine(&root).display(), module.len(), packed.len());
    bundle(&root.join("crates/web"))
}

/// Bundles the scripts and styles. After a change to them alone, `npm run build` in the folder is enough.
fn bundle(folder: &Path) -> anyhow::Result<()> {
    for arguments in [["ci", "--no-audit"], ["run", "build"]] {
        let status = Command::new("npm").args(arguments).current_dir(folder).status().context("npm cannot be run")?;
        ensure!(status.success(), "npm {} failed; fix the error above", arguments[0]);
    }
    Ok(())
}

fn engine(root: &Path) -> PathBuf {
    root.join("crates/web/viewer/timeline.wasm.gz")
}

fn sources_file(root: &Path) -> PathBuf {
    root.join("crates/web/viewer/timeline.wasm.sources")
}

/// Returns the SHA-256 of all sources of the engine, with the line ends of Unix.
fn fingerprint(root: &Path) -> anyhow::Result<String> {
    let mut files = vec![];
    for name in CRATES {
        let folder = root.join("crates").join(name);
        files.push(folder.join("Cargo.toml"));
        files.extend(folder::files(&folder.join("src"))?);
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        hash.update(file.strip_prefix(root)?.to_string_lossy().replace('\\', "/"));
        hash.update(text.replace("\r\n", "\n"));
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_engine_is_built_from_these_sources() {
        let root = cargo::root();
        let recorded = fs::read_to_string(sources_file(&root)).unwrap();
        assert_eq!(recorded.trim(), fingerprint(&root).unwrap(), "the engine is out of date: run `cargo xtask viewer`");
    }
}
