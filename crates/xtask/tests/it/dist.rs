//! What `cargo xtask dist` makes of the program of this build. Compiling for a release takes too long for a test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use serde_json::Value;

const TARGET: &str = if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-musl" } else { "x86_64-unknown-linux-musl" };
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn an_archive_has_the_same_bytes_each_time_and_all_files_are_roots_and_of_the_commits_time() {
    if lacks("archives", &["about"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (program, first, second) = (stand_in(folder.path()), folder.path().join("first"), folder.path().join("second"));
    for out in [&first, &second] {
        succeeds(&dist(&program, out, &["archive"]));
    }
    let name = format!("pacman2-{VERSION}-{TARGET}");
    let file = format!("{name}.tar.gz");
    assert!(fs::read(first.join(&file)).unwrap() == fs::read(second.join(&file)).unwrap(), "two archives differ");
    assert_eq!(fs::read(first.join("SHA256SUMS")).unwrap(), fs::read(second.join("SHA256SUMS")).unwrap());
    succeeds(&Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&first).output().unwrap());

    let time = printed(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()));
    let time: u64 = time.trim().parse().unwrap();
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(first.join(&file)).unwrap()));
    let mut files = BTreeMap::new();
    let mut order = vec![];
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let header = entry.header();
        let fields = (header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap(), header.mode().unwrap());
        let mode = if path == format!("{name}/pacman2") { 0o755 } else { 0o644 };
        assert_eq!(fields, (0, 0, time, mode), "{path}");
        let mut bytes = vec![];
        entry.read_to_end(&mut bytes).unwrap();
        order.push(path.clone());
        files.insert(path, bytes);
    }
    assert!(order.is_sorted(), "{order:?}");
    assert!(files[&format!("{name}/pacman2")] == fs::read(&program).unwrap(), "the program is another one");
    for (shell, file) in [("bash", "pacman2.bash"), ("zsh", "_pacman2"), ("fish", "pacman2.fish"), ("powershell", "_pacman2.ps1")]
    {
        let script = Command::new(&program).args(["completions", shell]).output().unwrap().stdout;
        assert!(files[&format!("{name}/completions/{file}")] == script, "{shell}");
    }
    let pages: Vec<&String> = order.iter().filter(|path| path.contains("/man/man1/")).collect();
    assert!(pages.contains(&&format!("{name}/man/man1/pacman2-play.1")), "{pages:?}");
    for file in [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "CHANGELOG.md",
        "README.zh.md",
        "docs/GUIDE.md",
        "docs/GUIDE.zh.md",
        "cpp/pacman2.hpp",
        "examples/lessons/1-playouts.cpp",
        "examples/class/submissions/hanmeimei/main.cpp",
    ] {
        assert_eq!(files[&format!("{name}/{file}")], fs::read(root().join(file)).unwrap(), "{file}");
    }
    let notices = String::from_utf8(files[&format!("{name}/THIRD-PARTY-LICENSES.txt")].clone()).unwrap();
    for text in ["  serde_json 1.", "  pyo3 0.", "Permission is hereby granted", "Apache License", "musl"] {
        assert!(notices.contains(text), "{text}");
    }
}

#[test]
fn a_debian_package_has_its_files_in_debians_places() {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return eprintln!("NOT RUN: Debian packages; this needs dpkg-deb, `apt-get install dpkg`");
    }
    if lacks("Debian packages", &["about", "deb"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = stand_in(folder.path());
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let [package, again] = ["first", "second"].map(|name| {
        let out = folder.path().join(name);
        succeeds(&dist(&program, &out, &["deb"]));
        out.join(format!("pacman2_{VERSION}-1_{architecture}.deb"))
    });
    assert!(fs::read(&package).unwrap() == fs::read(&again).unwrap(), "two packages differ");
    let field = |name: &str| printed(Command::new("dpkg-deb").arg("--field").arg(&package).arg(name)).trim().to_owned();
    assert_eq!(field("Package"), "pacman2");
    assert_eq!(field("Version"), format!("{VERSION}-1"));
    assert_eq!(field("Architecture"), architecture);
    assert!(field("Maintainer").contains('@'));

    let listing = printed(Command::new("dpkg-deb").arg("--contents").arg(&package));
    // The numbers of root and its group, without their names.
    assert!(listing.lines().all(|line| line.split_whitespace().nth(1) == Some("0/0")), "{listing}");
    let modes: BTreeMap<&str, &str> =
        listing.lines().map(|line| (line.rsplit(' ').next().unwrap(), line.split(' ').next().unwrap())).collect();
    for path in [
        "usr/share/bash-completion/completions/pacman2",
        "usr/share/zsh/vendor-completions/_pacman2",
        "usr/share/fish/vendor_completions.d/pacman2.fish",
        "usr/share/man/man1/pacman2.1.gz",
        "usr/share/man/man1/pacman2-play.1.gz",
        "usr/share/doc/pacman2/copyright",
        "usr/share/doc/pacman2/changelog.gz",
        "usr/share/doc/pacman2/changelog.Debian.gz",
        "usr/share/doc/pacman2/THIRD-PARTY-LICENSES.gz",
        "usr/share/doc/pacman2/docs/GUIDE.md",
        "usr/share/doc/pacman2/docs/GUIDE.zh.md",
        "usr/share/doc/pacman2/cpp/pacman2.hpp",
        "usr/share/doc/pacman2/examples/lessons/1-playouts.cpp",
        "usr/share/doc/pacman2/examples/class/submissions/hanmeimei/main.cpp",
    ] {
        assert_eq!(modes.get(format!("./{path}").as_str()), Some(&"-rw-r--r--"), "{path} in\n{listing}");
    }
    assert_eq!(modes["./usr/bin/pacman2"], "-rwxr-xr-x");
    assert_eq!(modes["./usr/bin/"], "drwxr-xr-x");

    let installed = folder.path().join("root");
    succeeds(&Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&installed).output().unwrap());
    assert_eq!(printed(Command::new(installed.join("usr/bin/pacman2")).arg("--version")).trim(), format!("pacman2 {VERSION}"));
    let page = fs::read(installed.join("usr/share/man/man1/pacman2.1.gz")).unwrap();
    // No name, no time, and the mark of the strongest compression.
    assert_eq!(page[3..9], [0, 0, 0, 0, 0, 2]);
}

#[test]
fn the_source_distribution_has_the_same_bytes_each_time_and_contains_the_docs() {
    let has_python =
        Command::new("python3").args(["-c", "import venv, ensurepip"]).output().is_ok_and(|ran| ran.status.success());
    if std::env::var("PACMAN2_PYTHON").as_deref() != Ok("must") || !has_python {
        return eprintln!("NOT RUN: the source distribution; this needs Python and a network, and runs with PACMAN2_PYTHON=must");
    }
    let folder = tempfile::tempdir().unwrap();
    let outs = ["first", "second"].map(|name| folder.path().join(name));
    for out in &outs {
        succeeds(&xtask(&["dist", "--only", "sdist", "--out"]).arg(out).output().unwrap());
    }
    let [first, second] = outs.map(|out| fs::read(out.join(format!("pacman2-{VERSION}.tar.gz"))).unwrap());
    assert!(first == second, "two source distributions differ");
    let mut archive = tar::Archive::new(GzDecoder::new(&first[..]));
    let paths = archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().display().to_string());
    let paths: BTreeSet<String> = paths.collect();
    for file in ["PKG-INFO", "docs/PYTHON.md", "crates/python/README.md", "Cargo.lock"] {
        assert!(paths.contains(&format!("pacman2-{VERSION}/{file}")), "{file} is missing");
    }
}

#[test]
fn the_bill_of_materials_lists_every_crate_that_is_linked() {
    if lacks("the bill of materials", &["cyclonedx"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (program, out) = (stripped_program(folder.path()), folder.path().join("out"));
    succeeds(&dist(&program, &out, &["sbom"]));
    let bill = fs::read_to_string(out.join(format!("pacman2-{VERSION}.cdx.json"))).unwrap();
    for path in [&root(), &std::env::temp_dir()] {
        assert!(!bill.contains(&format!("//{}/", path.display())), "it names {}", path.display());
    }
    let document: Value = serde_json::from_str(&bill).unwrap();
    let components = document["components"].as_array().unwrap();
    let text = |component: &Value, key: &str| component[key].as_str().unwrap_or_default().to_owned();
    let listed: BTreeSet<String> =
        components.iter().map(|component| format!("{}-{}", text(component, "name"), text(component, "version"))).collect();

    // Messages of panics name the files of the crates that a program contains.
    let bytes = fs::read(&program).unwrap();
    let linked = linked(&String::from_utf8_lossy(&bytes));
    assert!(linked.len() > 20, "{linked:?}");
    assert!(linked.is_subset(&listed), "not listed: {:?}", linked.difference(&listed));
    for name in ["pacman2", "pacman2-python", "pacman2-rules", "pyo3", "sqlite", "musl", "rust-std"] {
        assert!(components.iter().any(|component| component["name"] == name), "{name}");
    }
    // Compilers and what only tests use are not linked.
    for name in ["cc", "proptest", "xtask"] {
        assert!(components.iter().all(|component| component["name"] != name), "{name}");
    }

    let lock: toml::Table = toml::from_str(&fs::read_to_string(root().join("Cargo.lock")).unwrap()).unwrap();
    let packages = lock["package"].as_array().unwrap();
    for component in components.iter().filter(|component| component["hashes"].is_array()) {
        let is_it = |package: &&toml::Value| {
            package["name"].as_str() == component["name"].as_str() && package["version"].as_str() == component["version"].as_str()
        };
        let package = packages.iter().find(is_it).unwrap_or_else(|| panic!("Cargo.lock lacks {component}"));
        assert_eq!(component["hashes"][0]["content"].as_str(), package["checksum"].as_str());
    }
    let references: BTreeSet<String> = components.iter().map(|component| text(component, "bom-ref")).collect();
    assert_eq!(references.len(), components.len(), "two components have one reference");
    for dependency in document["dependencies"].as_array().unwrap() {
        let named = dependency["dependsOn"].as_array().into_iter().flatten().chain([&dependency["ref"]]);
        for reference in named.filter(|reference| *reference != "release") {
            assert!(references.contains(reference.as_str().unwrap()), "{reference} is no component");
        }
    }
}

#[test]
fn a_missing_tool_is_named_with_the_command_that_installs_the_version_of_releases() {
    let nothing = tempfile::tempdir().unwrap();
    let git = printed(Command::new("git").arg("--exec-path"));
    let workflow = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    for (part, tool) in [("archive", "cargo-about"), ("deb", "cargo-deb"), ("sbom", "cargo-cyclonedx")] {
        let mut dist = xtask(&["dist", "--target", TARGET, "--program", "none", "--only", part, "--out"]);
        dist.arg(nothing.path().join("out")).env("CARGO_HOME", nothing.path()).env("PATH", git.trim());
        let output = dist.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        let sentence = format!("{tool} is not installed; run `cargo install --locked ");
        let command = said.split_once(&sentence).unwrap_or_else(|| panic!("{said}")).1;
        let version = command.split([' ', '`']).next().unwrap();
        assert!(version.starts_with(tool) && workflow.contains(version), "{version}");
    }
}

#[test]
fn what_is_impossible_is_misuse_and_nothing_is_overwritten() {
    let out = tempfile::tempdir().unwrap();
    let other = if cfg!(target_os = "macos") { "x86_64-pc-windows-msvc" } else { "aarch64-apple-darwin" };
    let output = xtask(&["dist", "--target", other, "--out"]).arg(out.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("build that one on its own system"), "{output:?}");
    fs::write(out.path().join("thesis.tex"), "years of work").unwrap();
    fs::write(out.path().join("SHA256SUMS"), "").unwrap();
    let output = xtask(&["dist", "--only", "sbom", "--out"]).arg(out.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("choose another --out"), "{output:?}");
    assert_eq!(fs::read(out.path().join("thesis.tex")).unwrap(), b"years of work");
}

/// Returns whether a command of cargo is missing, and says what does not run then.
fn lacks(what: &str, commands: &[&str]) -> bool {
    let runs =
        |name: &&&str| Command::new(env!("CARGO")).args([name, "--version"]).output().is_ok_and(|ran| ran.status.success());
    let missing = commands.iter().find(|name| !runs(name));
    if let Some(name) = missing {
        eprintln!("NOT RUN: {what}; this needs cargo-{name}, which `cargo xtask dist` says how to install");
    }
    missing.is_some()
}

/// Runs `cargo xtask dist` for some parts.
fn dist(program: &Path, out: &Path, parts: &[&str]) -> Output {
    let mut command = xtask(&["dist", "--target", TARGET, "--program"]);
    command.arg(program).arg("--out").arg(out);
    for part in parts {
        command.args(["--only", part]);
    }
    command.output().unwrap()
}

fn xtask(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments);
    command
}

/// Returns a script that starts the program of this build. What it is packaged with is the same, and it takes no time to compress.
fn stand_in(folder: &Path) -> PathBuf {
    let (text, script) = (folder.join("text"), folder.join("pacman2"));
    fs::write(&text, format!("#!/bin/sh\nexec '{}' \"$@\"\n", program().display())).unwrap();
    // Another process writes it: a file that this one has open cannot be run while a child of another thread holds it, too.
    succeeds(&Command::new("install").args(["-m", "755"]).args([&text, &script]).output().unwrap());
    script
}

/// Returns the program of this build without its symbols, which name what is not linked.
fn stripped_program(folder: &Path) -> PathBuf {
    let stripped = folder.join("pacman2");
    succeeds(&Command::new("strip").arg("-o").arg(&stripped).arg(program()).output().unwrap());
    stripped
}

/// Builds the program.
fn program() -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    // With the same features as in `cargo test --workspace`, so that everything is built already: tests need more features.
    build.args(["build", "--workspace", "--bin", "pacman2", "--tests", "--locked", "--quiet"]).current_dir(root());
    // What cargo says about this package: build scripts that read it would run again, now and in the next build.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.to_string_lossy().starts_with(start)) {
            build.env_remove(name);
        }
    }
    succeeds(&build.output().unwrap());
    Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("pacman2")
}

/// Returns NAME-VERSION of all downloaded crates whose source files a program names.
fn linked(program: &str) -> BTreeSet<String> {
    let paths = program.split("/registry/src/").skip(1);
    paths.filter_map(|path| Some(path.split('/').nth(1).filter(|_| path.split('/').nth(2) == Some("src"))?.to_owned())).collect()
}

fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    succeeds(&output);
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
