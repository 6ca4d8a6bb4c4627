//! Debian packages, made by Debian's own dpkg-deb.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use super::archive::{Entry, gzip};
use super::pages::{Pages, Shell};
use crate::process::stdout;

/// What the fields of a package say.
pub(super) struct Package<'a> {
    /// The version of the release and a revision of Debian's, which is always the first: a release is packaged once.
    pub(super) version: String,
    pub(super) architecture: &'a str,
    /// A name and an address of mail.
    pub(super) maintainer: &'a str,
    pub(super) epoch: u64,
    /// The same time in words.
    pub(super) date: &'a str,
    pub(super) year: &'a str,
}

const DESCRIPTION: &str = "\
Description: four-player game Pacman2 of Botzone: matches, judge and viewer
 Plays matches of Pacman2 between bots in any language under the limits of
 Botzone, an online platform where bots play against each other, and leaves
 replays that can be watched in the browser. Bots of others run in a sandbox.
 .
 Contains built-in bots, tournaments with ratings, comparisons of two versions
 of a bot, and an analysis of where points were lost.
";

/// What Debian's checker would find but is meant.
const OVERRIDES: &str = "\
# The program is static, so that one package works on every version of Debian and what derives from it.
pacman2: shared-library-lacks-prerequisites [usr/bin/pacman2]
# The package is not in Debian.
pacman2: initial-upload-closes-no-bugs [usr/share/doc/pacman2/changelog.Debian.gz:1]
";

impl Package<'_> {
    /// Writes the package.
    pub(super) fn write(&self, path: &Path, root: &Path, program: &[u8], pages: &Pages, notices: &str) -> anyhow::Result<()> {
        let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
        let entries = self.entries(root, program, pages, notices)?;
        // In units of 1024 bytes; every folder counts as one.
        let size: usize = entries.iter().map(|entry| entry.bytes.len().div_ceil(1024)).sum::<usize>() + folders(&entries).len();
        for entry in entries.iter().chain([&Entry::file("DEBIAN/control", self.control(size))]) {
            let path = folder.path().join(&entry.path);
            fs::create_dir_all(path.parent().expect("it is in the folder"))?;
            fs::write(&path, &entry.bytes)?;
            set_mode(&path, entry.mode())?;
        }
        let mut made = folders(&entries).into_iter().chain(["", "DEBIAN"]);
        made.try_for_each(|made| set_mode(&folder.path().join(made), 0o755))?;
        let mut command = Command::new("dpkg-deb");
        // One thread: the bytes of xz depend on how the work is divided.
        command.args(["--root-owner-group", "-Zxz", "--threads-max=1", "--build"]).arg(folder.path()).arg(path);
        stdout(command.env("SOURCE_DATE_EPOCH", self.epoch.to_string()))?;
        Ok(())
    }

    fn entries(&self, root: &Path, program: &[u8], pages: &Pages, notices: &str) -> anyhow::Result<Vec<Entry>> {
        let mut entries = vec![Entry::program("usr/bin/pacman2", program.to_owned())];
        for (shell, script) in &pages.completions {
            let path = match shell {
                Shell::Bash => "usr/share/bash-completion/completions/pacman2",
                Shell::Zsh => "usr/share/zsh/vendor-completions/_pacman2",
                Shell::Fish => "usr/share/fish/vendor_completions.d/pacman2.fish",
                // Debian has no place for it.
                Shell::Powershell => continue,
            };
            entries.push(Entry::file(path, script.clone()));
        }
        for (name, page) in &pages.manual {
            entries.push(Entry::file(format!("usr/share/man/man1/{name}.gz"), gzip(page)));
        }
        let read = |name: &str| fs::read_to_string(root.join(name)).with_context(|| format!("cannot read {name}"));
        let documents = "usr/share/doc/pacman2";
        entries.push(Entry::file(format!("{documents}/copyright"), copyright(&read("LICENSE-MIT")?, self.year)));
        entries.push(Entry::file(format!("{documents}/THIRD-PARTY-LICENSES.gz"), gzip(notices.as_bytes())));
        entries.push(Entry::file(format!("{documents}/changelog.gz"), gzip(read("CHANGELOG.md")?.as_bytes())));
        entries.push(Entry::file(format!("{documents}/changelog.Debian.gz"), gzip(self.changelog().as_bytes())));
        entries.push(Entry::file("usr/share/lintian/overrides/pacman2", OVERRIDES));
        Ok(entries)
    }

    fn control(&self, size: usize) -> String {
        let (version, architecture, maintainer) = (&self.version, self.architecture, self.maintainer);
        format!(
            "Package: pacman2\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {maintainer}\n\
             Installed-Size: {size}\nSuggests: g++, libjsoncpp-dev, nodejs, python3\nSection: misc\nPriority: optional\n\
             {DESCRIPTION}"
        )
    }

    fn changelog(&self) -> String {
        let (version, maintainer, date) = (&self.version, self.maintainer, self.date);
        format!("pacman2 ({version}) unstable; urgency=medium\n\n  * New release.\n\n -- {maintainer}  {date}\n")
    }
}

/// Checks that packages can be made here.
pub(super) fn ensure_tool() -> anyhow::Result<()> {
    let runs = Command::new("dpkg-deb").arg("--version").output().is_ok_and(|output| output.status.success());
    ensure!(runs, "dpkg-deb is not installed; run `apt-get install dpkg`");
    Ok(())
}

/// Returns all folders of files.
fn folders(entries: &[Entry]) -> BTreeSet<&str> {
    let above = |entry: &'_ Entry| entry.path.match_indices('/').map(|(at, _)| at).collect::<Vec<_>>();
    entries.iter().flat_map(|entry| above(entry).into_iter().map(|at| &entry.path[..at])).collect()
}

/// Returns the file that says under which terms the package may be used, in the form that programs read.
fn copyright(mit: &str, year: &str) -> String {
    let mut lines = mit.trim().lines();
    let holder = lines.next().unwrap_or_default();
    let text: String = lines.map(|line| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") }).collect();
    let text = text.trim_start_matches(" .\n");
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: pacman2\n\
         Comment: The program contains libraries of others; their licences are in\n THIRD-PARTY-LICENSES.gz beside this file.\n\n\
         Files: *\nCopyright: {year} {}\nLicense: MIT or Apache-2.0\n\n\
         License: MIT\n{text}\n\
         License: Apache-2.0\n See /usr/share/common-licenses/Apache-2.0.\n",
        holder.trim_start_matches("Copyright (c) ")
    )
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

/// Debian packages are made on Linux.
#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> anyhow::Result<()> {
    Ok(())
}
