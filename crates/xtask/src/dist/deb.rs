//! Debian packages, made by cargo-deb as `package.metadata.deb` in the manifest of the program says.

use std::fs;
use std::path::Path;

use anyhow::Context;

use super::Release;
use super::archive::gzip;
use super::pages::Pages;
use crate::cargo;
use crate::process::stdout;
use crate::target::Target;

/// Makes the package with this program in the folder of the release.
pub(super) fn make(release: &Release, target: Target, program: &Path, pages: &Pages, licences: &str) -> anyhow::Result<()> {
    let Release { build, version, commit, folder, .. } = release;
    let temporary = tempfile::tempdir().context("cannot create a temporary folder")?;
    // What the manifest calls target/release.
    let files = temporary.path().join(target.triple()).join("release");
    for folder in ["completions", "doc", "man"] {
        fs::create_dir_all(files.join(folder))?;
    }
    fs::copy(program, files.join("pacman2")).with_context(|| format!("cannot read {}", program.display()))?;
    for (shell, script) in &pages.completions {
        fs::write(files.join("completions").join(shell.name()), script)?;
    }
    for (name, page) in &pages.manual {
        fs::write(files.join(format!("man/{name}.gz")), gzip(page))?;
    }
    let (author, date) = (&commit.author, &commit.date);
    let changelog = format!("pacman2 ({version}-1) unstable; urgency=medium\n\n  * New release.\n\n -- {author}  {date}\n");
    fs::write(files.join("doc/changelog.Debian.gz"), gzip(changelog.as_bytes()))?;
    fs::write(files.join("doc/THIRD-PARTY-LICENSES.gz"), gzip(licences.as_bytes()))?;
    let mut command = cargo::command(build.root);
    command.args(["deb", "--quiet", "--locked", "--no-build", "--no-strip", "--package", "pacman2"]);
    command.args(["--target", target.triple(), "--maintainer", author, "--output"]).arg(folder);
    stdout(command.env("CARGO_TARGET_DIR", temporary.path()).env("SOURCE_DATE_EPOCH", build.epoch.to_string()))?;
    Ok(())
}
