//! Builds the engines of the pages as WebAssembly, gzipped, beside the page's other files. Then it bundles the page's scripts and
//! styles.
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

/// A crate that becomes an engine of the pages.
struct Engine {
    /// Its name, and that of the engine's file.
    name: &'static str,
    /// The crates of this workspace that are part of it.
    crates: &'static [&'static str],
    profile: &'static str,
    rustc: &'static [&'static str],
    wasm_opt: &'static [&'static str],
}

const ENGINES: [Engine; 2] = [
    // In every page: small before fast.
    Engine {
        name: "timeline",
        crates: &["rules", "maps", "botzone", "bots", "runner", "replay", "timeline"],
        profile: "viewer",
        // No locations of panics and no derived `Debug`s: they are never shown, and without them it is 5 % smaller.
        rustc: &["-Zlocation-detail=none", "-Zfmt-debug=none"],
        // Makes it 5 % smaller when packed, `-Oz --converge` 4 %. The stack lies below all data, so the lowest addresses are unused.
        wasm_opt: &["-O2", "--flatten", "--rereloop", "-O2", "--converge", "--low-memory-unused"],
    },
    // Of the strong bots, in reports and beside the static page: it searches, so it is fast.
    Engine {
        name: "analysis",
        crates: &["rules", "maps", "botzone", "bots", "analysis"],
        profile: "dist",
        rustc: &[],
        wasm_opt: &["-O3", "--strip-debug"],
    },
];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = cargo::root();
    for engine in &ENGINES {
        engine.build(&root)?;
    }
    bundle(&root.join("crates/web"))
}

impl Engine {
    fn build(&self, root: &Path) -> anyhow::Result<()> {
        let Engine { name, profile, rustc, wasm_opt, .. } = self;
        let module = Build { package: &format!("pacman2-{name}"), profile, folder: name, rustc, wasm_opt }.run(root)?;
        let mut packed = Vec::new();
        zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, module.as_slice(), &mut packed)?;
        fs::write(self.file(root, "gz"), &packed)?;
        fs::write(self.file(root, "sources"), self.fingerprint(root)? + "\n")?;
        println!("{}: {} bytes, {} packed", self.file(root, "gz").display(), module.len(), packed.len());
        Ok(())
    }

    fn file(&self, root: &Path, extension: &str) -> PathBuf {
        root.join(format!("crates/web/viewer/{}.wasm.{extension}", self.name))
    }

    /// Returns the SHA-256 of all sources of the engine, texts with the line ends of Unix.
    fn fingerprint(&self, root: &Path) -> anyhow::Result<String> {
        let mut files = vec![];
        for name in self.crates {
            let folder = root.join("crates").join(name);
            files.push(folder.join("Cargo.toml"));
            for part in ["src", "nets", "words"].map(|part| folder.join(part)).iter().filter(|part| part.is_dir()) {
                files.extend(folder::files(part)?);
            }
        }
        files.sort();
        let mut hash = Sha256::new();
        for file in files {
            let content = fs::read(&file).with_context(|| file.display().to_string())?;
            hash.update(file.strip_prefix(root)?.to_string_lossy().replace('\\', "/"));
            match str::from_utf8(&content) {
                Ok(text) => hash.update(text.replace("\r\n", "\n")),
                Err(_) => hash.update(&content),
            }
        }
        Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Bundles the scripts and styles. After a change to them alone, `npm run build` in the folder is enough.
fn bundle(folder: &Path) -> anyhow::Result<()> {
    for arguments in [["ci", "--no-audit"], ["run", "build"]] {
        let status = Command::new("npm").args(arguments).current_dir(folder).status().context("npm cannot be run")?;
        ensure!(status.success(), "npm {} failed; fix the error above", arguments[0]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_engines_are_built_from_these_sources() {
        let root = cargo::root();
        for engine in &ENGINES {
            let recorded = fs::read_to_string(engine.file(&root, "sources")).unwrap();
            let sources = engine.fingerprint(&root).unwrap();
            assert_eq!(recorded.trim(), sources, "the engine {} is out of date: run `cargo xtask viewer`", engine.name);
        }
    }
}
