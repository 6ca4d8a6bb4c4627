//! Makes the engine of the page: crate `film` as WebAssembly, packed, beside the page's other files.
//!
//! Wants the target wasm32-unknown-unknown (`rustup target add`) and `wasm-opt` (package binaryen). What it makes is
//! committed, so that who builds the program needs none of this. A fingerprint of the sources lies beside it, by which a test
//! tells when it has fallen behind them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use sha2::{Digest, Sha256};

const TARGET: &str = "wasm32-unknown-unknown";
/// The crates of this workspace that the engine is made of.
const CRATES: [&str; 7] = ["rules", "maps", "botzone", "bots", "runner", "replay", "timeline"];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = root();
    let target_dir = root.join("target/viewer");
    let cargo_home = home::cargo_home().context("the folder of cargo cannot be found")?;
    // No path of the machine that made it goes into the module. Nor do the places of panics and the derived `Debug`s: they
    // are never seen, and without them it is a twentieth smaller. The switches for that are not stable yet, which is why the
    // compiler is told to let them pass.
    let remapped = [(root.as_path(), "pacman2"), (&cargo_home.join("registry/src"), "crates")]
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let switches = [&remapped[0], &remapped[1], "-Zlocation-detail=none", "-Zfmt-debug=none"].join("\u{1f}");
    let status = Command::new(env!("CARGO"))
        .args([
            "rustc",
            "--package",
            "pacman2-timeline",
            "--crate-type",
            "cdylib",
            "--target",
            TARGET,
            "--profile",
            "viewer",
            "--locked",
        ])
        .arg("--target-dir")
        .arg(&target_dir)
        .env("CARGO_ENCODED_RUSTFLAGS", switches)
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(&root)
        .status()?;
    ensure!(status.success(), "the engine cannot be built; `rustup target add {TARGET}` may be missing");
    let built = target_dir.join(TARGET).join("viewer/pacman2_timeline.wasm");
    let small = target_dir.join("timeline.wasm");
    // Makes it a twelfth smaller. The features are those that rustc's own target takes for granted.
    let features = ["bulk-memory", "mutable-globals", "nontrapping-float-to-int", "sign-ext"];
    let status = Command::new("wasm-opt")
        .args(["-Oz", "--converge", "--strip-producers"])
        .args(features.map(|feature| format!("--enable-{feature}")))
        .arg(built)
        .arg("-o")
        .arg(&small)
        .status()
        .context("wasm-opt cannot be run; it is in the package binaryen")?;
    ensure!(status.success(), "wasm-opt refused the engine");
    let module = fs::read(small)?;
    let mut packed = Vec::new();
    zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, module.as_slice(), &mut packed)?;
    fs::write(engine(&root), &packed)?;
    fs::write(beside(&root), fingerprint(&root)? + "\n")?;
    println!("{}: {} bytes, {} packed", engine(&root).display(), module.len(), packed.len());
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace lies above this crate")
}

fn engine(root: &Path) -> PathBuf {
    root.join("crates/web/viewer/timeline.wasm.gz")
}

fn beside(root: &Path) -> PathBuf {
    root.join("crates/web/viewer/timeline.wasm.sources")
}

/// SHA-256 over all that the engine is made of, line ends as on Unix.
fn fingerprint(root: &Path) -> anyhow::Result<String> {
    let mut files = vec![];
    for name in CRATES {
        let folder = root.join("crates").join(name);
        files.push(folder.join("Cargo.toml"));
        collect(&folder.join("src"), &mut files)?;
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

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_engine_is_made_of_these_sources() {
        let root = root();
        let made_of = fs::read_to_string(beside(&root)).unwrap();
        assert_eq!(made_of.trim(), fingerprint(&root).unwrap(), "the engine has fallen behind: run `cargo xtask viewer`");
    }
}
