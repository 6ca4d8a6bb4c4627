//! What a release contains that others wrote: the licences, by cargo-about, and the bill of materials, by cargo-cyclonedx.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cargo::{self, Metadata, Package};
use crate::process::stdout;
use crate::target::Target;

/// A package in a temporary folder that depends on the program and the engine of the Python package, and on nothing else.
///
/// In the workspace, cargo would add the features that tasks and tests need, and cargo-cyclonedx would write a file for each crate.
pub(super) struct Contents {
    folder: TempDir,
    root: PathBuf,
    packages: Vec<Package>,
}

impl Contents {
    /// Lets cargo find the crates, in the versions of Cargo.lock, and download what is missing.
    pub(super) fn read(root: &Path) -> anyhow::Result<Contents> {
        let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
        let crates = root.join("crates");
        let manifest = format!(
            "package = {{ name = 'release', license = 'MIT OR Apache-2.0' }}\nworkspace = {{}}\n\
             [dependencies]\npacman2.path = '{0}/pacman2'\npacman2-python.path = '{0}/python'\n",
            crates.display()
        );
        fs::create_dir(folder.path().join("src"))?;
        fs::write(folder.path().join("src/lib.rs"), "")?;
        fs::write(folder.path().join("Cargo.toml"), manifest)?;
        fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock"))?;
        let packages = Metadata::read_with_dependencies(folder.path())?.packages;
        Ok(Contents { folder, root: root.to_owned(), packages })
    }

    /// Returns the list of all crates of others, and the texts of their licences.
    pub(super) fn licences(&self) -> anyhow::Result<String> {
        let path = self.folder.path().join("licences.txt");
        let mut command = cargo::command(self.folder.path());
        command.args(["about", "generate", "--fail", "--frozen"]);
        for target in Target::ALL {
            command.args(["--target", target.triple(), "--target", target.triple_for_python()]);
        }
        command.arg("--config").arg(self.root.join("about.toml")).arg("--output-file").arg(&path);
        ensure!(command.arg(self.root.join("about.hbs")).status()?.success(), "cargo-about failed; fix the error above");
        Ok(fs::read_to_string(path)?)
    }

    /// Returns the bill of materials of a version from a time, as CycloneDX in JSON.
    pub(super) fn bill(&self, version: &str, epoch: u64) -> anyhow::Result<String> {
        let mut command = cargo::command(self.folder.path());
        command.args(["cyclonedx", "--quiet", "--all", "--no-build-deps", "--target", "all"]);
        command.args(["--format", "json", "--spec-version", "1.5", "--override-filename", "bill"]);
        stdout(command.env("SOURCE_DATE_EPOCH", epoch.to_string()))?;
        let text = fs::read_to_string(self.folder.path().join("bill.json")).context("cargo-cyclonedx wrote nothing")?;
        let root = self.package("pacman2")?.id.split("/crates/pacman2").next().unwrap_or_default();
        // The paths of this machine are part of references.
        let text = text.replace(&self.package("release")?.id, "release").replace(root, "path+file:///pacman2");
        let mut bill: Value = serde_json::from_str(&text).context("cannot read what cargo-cyclonedx wrote")?;
        bill["metadata"]["component"] = json!({
            "type": "application", "bom-ref": "release", "name": "pacman2", "version": version,
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        });
        let components = bill["components"].as_array_mut().context("expected components from cargo-cyclonedx, got none")?;
        for component in components.iter_mut().filter_map(Value::as_object_mut) {
            // So are they of the addresses of crates that no registry has.
            component.retain(|key, value| key != "purl" || !value.as_str().is_some_and(|purl| purl.contains("file:")));
        }
        let others = self.others()?;
        let references: Vec<Value> = others.iter().map(|other| other["bom-ref"].clone()).collect();
        components.extend(others);
        let dependencies = bill["dependencies"].as_array_mut().context("expected dependencies from cargo-cyclonedx, got none")?;
        let own = dependencies.iter_mut().find(|dependency| dependency["ref"] == "release");
        let own =
            own.and_then(|own| own["dependsOn"].as_array_mut()).context("expected what the release depends on, got nothing")?;
        own.extend(references);
        dependencies.sort_by_cached_key(|dependency| dependency["ref"].to_string());
        Ok(serde_json::to_string_pretty(&bill)? + "\n")
    }

    /// Returns the components that are no crates.
    fn others(&self) -> anyhow::Result<Vec<Value>> {
        let printed = String::from_utf8(stdout(Command::new("rustc").arg("--version"))?)?;
        let rust = printed.split(' ').nth(1).context("expected a version from rustc, got none")?;
        let header = self.package("libsqlite3-sys")?.folder().join("sqlite3/sqlite3.h");
        let text = fs::read_to_string(&header).with_context(|| format!("cannot read {}", header.display()))?;
        let sqlite =
            text.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION ")).map(|rest| rest.trim().trim_matches('"'));
        let sqlite = sqlite.with_context(|| format!("expected SQLITE_VERSION in {}, got none", header.display()))?;
        let mut others = vec![
            json!({
                "type": "library", "bom-ref": "rust-std", "name": "rust-std", "version": rust,
                "description": "Rust's standard library",
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            }),
            json!({
                "type": "library", "bom-ref": "musl", "name": "musl",
                "description": "the C library of programs for Linux, as Rust's standard library contains it",
                "licenses": [{ "expression": "MIT" }],
            }),
            json!({
                "type": "library", "bom-ref": "sqlite", "name": "sqlite", "version": sqlite,
                "description": "compiled from the sources in libsqlite3-sys",
                "purl": format!("pkg:generic/sqlite@{sqlite}"),
                "licenses": [{ "expression": "blessing" }],
            }),
        ];
        others.extend(bundled_packages(&fs::read_to_string(self.root.join("crates/web/package-lock.json"))?)?);
        Ok(others)
    }

    fn package(&self, name: &str) -> anyhow::Result<&Package> {
        let package = self.packages.iter().find(|package| package.name == name);
        package.with_context(|| format!("expected cargo to know {name}, got other crates"))
    }
}

/// Returns the components of npm that the scripts of the pages contain: all of a lock file that are not only tools.
fn bundled_packages(lock: &str) -> anyhow::Result<Vec<Value>> {
    let lock: Value = serde_json::from_str(lock).context("cannot read package-lock.json")?;
    let packages = lock["packages"].as_object().context("expected packages in package-lock.json, got none")?;
    let bundled = packages.iter().filter(|(_, package)| package["dev"] != true);
    let components = bundled.filter_map(|(path, package)| {
        let name = path.strip_prefix("node_modules/")?;
        let purl = format!("pkg:npm/{}@{}", name.replace('@', "%40"), package["version"].as_str()?);
        Some(json!({
            "type": "library", "bom-ref": purl, "name": name, "version": package["version"],
            "purl": purl,
            "licenses": [{ "expression": package["license"] }],
        }))
    });
    Ok(components.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_has_what_the_scripts_of_the_pages_contain() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/web/package-lock.json");
        let bundled = bundled_packages(&fs::read_to_string(root).unwrap()).unwrap();
        let view = bundled.iter().find(|component| component["name"] == "@codemirror/view").unwrap();
        assert!(view["purl"].as_str().unwrap().starts_with("pkg:npm/%40codemirror/view@6."));
        assert!(bundled.iter().all(|component| component["licenses"][0]["expression"] == "MIT"), "about.hbs says so");
        assert!(!bundled.iter().any(|component| component["name"] == "esbuild"), "a tool");
    }
}
