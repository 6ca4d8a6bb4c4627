//! Makes what a release consists of.
//!
//! For each target: an archive, on Linux a Debian package, and a wheel, all with the same program. Beside them a bill of
//! materials and the checksums of all files. The same commit gives the same bytes in every folder and at any time: times are
//! those of the commit, files are sorted and root's, and no path of the machine is compiled in. What has to be equal for that
//! are the compilers: Rust's, and Debian's.

mod archive;
mod contents;
mod deb;
mod pages;
mod program;
mod wheel;

use std::env::consts::OS;
use std::fs;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};
use archive::Entry;
use clap::ValueEnum;
use clap::error::ErrorKind;
use contents::Contents;
use pages::{Pages, Shell};
use program::Build;
use sha2::{Digest, Sha256};

use crate::cargo::{self, Metadata};
use crate::folder;
use crate::process::{output, stdout};
use crate::target::Target;

const EXAMPLES: &str = "\
Examples:
  cargo xtask dist
  cargo xtask dist --target x86_64-unknown-linux-musl --only archive --only deb
  cargo xtask dist --profile dev --only wheel --out /tmp/wheels

Everything for Linux is made on Debian, for both architectures, with the packages gcc-aarch64-linux-gnu,
gcc-x86-64-linux-gnu, musl-dev:amd64, musl-dev:arm64 and python3-venv, and with cargo-about, cargo-cyclonedx and cargo-deb.";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A target to build for; repeat for more [default: all of this operating system]
    #[arg(long, value_name = "TARGET")]
    target: Vec<Target>,
    /// Make this part only; repeat for more [default: all that the targets have]
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,
    /// The folder to write to, which is replaced as a whole [default: distrib in cargo's target folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The profile of cargo to build with; dev is quick
    #[arg(long, value_name = "PROFILE", default_value = "dist")]
    profile: String,
    /// Package this program instead of building one; requires one --target
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// pacman2-VERSION-TARGET.tar.gz: the program, completions, manual, documentation, examples and licences
    Archive,
    /// pacman2_VERSION_ARCHITECTURE.deb, on Linux
    Deb,
    /// pacman2-VERSION-….whl: the Python package, with the program
    Wheel,
    /// pacman2-VERSION.tar.gz, on Linux: the source distribution of the Python package, which is the whole repository
    Sdist,
    /// pacman2-VERSION.cdx.json: the bill of materials (CycloneDX)
    Sbom,
}

/// The files of the repository that an archive contains, as patterns of git.
const OF_REPOSITORY: [&str; 9] = [
    "CHANGELOG.md",
    "LICENSE-*",
    "README*.md",
    "docs/*.md",
    "docs/*.png",
    "cpp/pacman2.hpp",
    "cpp/sage.hpp",
    "examples/class",
    "examples/lessons",
];

const SUMS: &str = "SHA256SUMS";

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let start = Instant::now();
    let targets = if args.target.is_empty() { Target::of_this_system() } else { args.target.clone() };
    args.check(&targets);
    let root = cargo::root();
    let commit = Commit::read(&root)?;
    let metadata = Metadata::read(&root)?;
    let out = absolute(args.out.clone().unwrap_or_else(|| metadata.target_directory.join("distrib")))?;
    let part = folder::prepare(&out, |names| names.iter().all(|name| is_of_a_release(name)))?;
    let build = Build { root: &root, metadata: &metadata, profile: &args.profile, epoch: commit.epoch };
    // What is missing is found before the long builds.
    if args.needs_program() && args.program.is_none() {
        targets.iter().try_for_each(|target| target.compiler().map(|_| ()))?;
    }
    args.ensure_tools(&targets)?;
    let program = metadata.packages.iter().find(|package| package.name == "pacman2");
    let version = program.context("expected cargo to know pacman2, got other crates")?.version.clone();
    let contents = Contents::read(&root)?;
    let release = Release { build, version, commit, contents, folder: &part };
    if args.needs_program() {
        release.make_products(args, &targets)?;
    }
    // One of all systems is enough, and this one leaves the ends of lines as they are.
    if args.makes(Part::Sdist) && (OS == "linux" || !args.only.is_empty()) {
        wheel::make_sdist(&release.build, &release.version, &part)?;
    }
    if args.makes(Part::Sbom) {
        release.make_sbom(&part)?;
    }
    let sums = sums(&part)?;
    fs::write(part.join(SUMS), &sums)?;
    folder::replace(&part, &out)?;
    eprintln!("{}: made in {} s", out.display(), start.elapsed().as_secs());
    print!("{sums}");
    Ok(())
}

impl Args {
    /// Ends the program if what is asked for is impossible.
    fn check(&self, targets: &[Target]) {
        let reason = if self.program.is_some() && self.target.len() != 1 {
            format!("expected one --target with --program, got {}", self.target.len())
        } else if let Some(target) = targets.iter().find(|target| target.os() != OS && self.program.is_none()) {
            format!("expected a target of {OS}, got {}; build that one on its own system", target.triple())
        } else if self.only == [Part::Deb] && targets.iter().all(|target| target.debian_architecture().is_none()) {
            "expected a target with Linux for --only deb, got none".to_owned()
        } else {
            return;
        };
        let command = clap::Command::new("dist").bin_name("cargo xtask dist");
        <Args as clap::Args>::augment_args(command).error(ErrorKind::ArgumentConflict, reason).exit()
    }

    fn makes(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    fn needs_program(&self) -> bool {
        self.needs_licences() || self.makes(Part::Wheel)
    }

    fn needs_licences(&self) -> bool {
        self.makes(Part::Archive) || self.makes(Part::Deb)
    }

    /// Checks that the commands of cargo are installed that make these parts.
    fn ensure_tools(&self, targets: &[Target]) -> anyhow::Result<()> {
        let has_deb = self.makes(Part::Deb) && targets.iter().any(|target| target.debian_architecture().is_some());
        let tools = [
            (has_deb, "deb", "cargo-deb@3.8.0"),
            (self.needs_licences(), "about", "cargo-about@0.9.3 --features cli"),
            (self.makes(Part::Sbom) || self.makes(Part::Wheel), "cyclonedx", "cargo-cyclonedx@0.5.9"),
        ];
        for (_, name, package) in tools.into_iter().filter(|(is_needed, ..)| *is_needed) {
            let runs = output(cargo::command(&cargo::root()).args([name, "--version"])).is_ok_and(|ran| ran.status.success());
            ensure!(runs, "cargo-{name} is not installed; run `cargo install --locked {package}`");
        }
        Ok(())
    }
}

/// The commit that is released.
struct Commit {
    epoch: u64,
    /// Its time as mail writes it.
    date: String,
    author: String,
}

impl Commit {
    fn read(root: &Path) -> anyhow::Result<Commit> {
        let git = |arguments: &[&str]| {
            let printed = stdout(Command::new("git").args(arguments).env("TZ", "UTC0").current_dir(root))?;
            anyhow::Ok(String::from_utf8(printed)?.trim().to_owned())
        };
        let changes = git(&["status", "--porcelain"]).context("dist takes the time of all files from git; run it in a clone")?;
        if !changes.is_empty() {
            eprintln!("note: there are changes that are not committed, so the same files cannot be made again");
        }
        let log =
            |date: &str, format: &str| git(&["log", "-1", &format!("--date=format-local:{date}"), &format!("--format={format}")]);
        Ok(Commit {
            epoch: log("", "%ct")?.parse()?,
            date: log("%a, %d %b %Y %H:%M:%S +0000", "%cd")?,
            author: log("", "%an <%ae>")?,
        })
    }
}

/// What all parts of a release have in common.
struct Release<'a> {
    build: Build<'a>,
    version: String,
    commit: Commit,
    contents: Contents,
    /// The folder in which the parts are made.
    folder: &'a Path,
}

impl Release<'_> {
    fn make_products(&self, args: &Args, targets: &[Target]) -> anyhow::Result<()> {
        let licences = if args.needs_licences() { self.contents.licences()? } else { String::new() };
        let temporary = tempfile::tempdir().context("cannot create a temporary folder")?;
        let python = if args.makes(Part::Wheel) {
            Some((wheel::prepare(&self.build, targets)?, self.make_sbom(temporary.path())?))
        } else {
            None
        };
        let programs = targets.iter().map(|&target| match &args.program {
            Some(program) => Ok((target, absolute(program)?)),
            None => Ok((target, self.build.program(target)?)),
        });
        let programs = programs.collect::<anyhow::Result<Vec<_>>>()?;
        let pages = self.pages(&programs)?;
        for (target, program) in &programs {
            if args.makes(Part::Archive) {
                self.make_archive(*target, program, &pages, &licences)?;
            }
            if args.makes(Part::Deb) && target.debian_architecture().is_some() {
                deb::make(self, *target, program, &pages, &licences)?;
            }
            if let Some((python, sbom)) = &python {
                wheel::make(&self.build, *target, python, program, sbom, self.folder)?;
            }
        }
        Ok(())
    }

    /// Returns what a program that runs here writes about itself. The programs for all targets write the same.
    fn pages(&self, programs: &[(Target, PathBuf)]) -> anyhow::Result<Pages> {
        if let Some((_, program)) = programs.iter().find(|(target, _)| target.runs_here()) {
            return Pages::from_program(program);
        }
        let here = Target::ALL.into_iter().find(|target| target.runs_here());
        let here = here.context("pacman2 is not released for this machine, so it cannot write its manual here")?;
        Pages::from_program(&Build { profile: "dev", ..self.build }.program(here)?)
    }

    fn make_archive(&self, target: Target, program: &Path, pages: &Pages, licences: &str) -> anyhow::Result<()> {
        let program = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
        let name = format!("pacman2-{}-{}", self.version, target.triple());
        let mut entries = vec![
            Entry::program(format!("{name}/pacman2{}", target.exe_suffix()), program),
            Entry::file(format!("{name}/THIRD-PARTY-LICENSES.txt"), licences),
        ];
        let mut list = Command::new("git");
        list.args(["ls-files", "-z", "--"]).args(OF_REPOSITORY).current_dir(self.build.root);
        for file in String::from_utf8(stdout(&mut list)?)?.split_terminator('\0') {
            let text = fs::read(self.build.root.join(file)).with_context(|| format!("cannot read {file}"))?;
            entries.push(Entry::file(format!("{name}/{file}"), text));
        }
        for (shell, script) in &pages.completions {
            // The names under which shells look for them.
            let file = match shell {
                Shell::Bash => "pacman2.bash",
                Shell::Zsh => "_pacman2",
                Shell::Fish => "pacman2.fish",
                Shell::Powershell => "_pacman2.ps1",
            };
            entries.push(Entry::file(format!("{name}/completions/{file}"), script.clone()));
        }
        for (page, text) in &pages.manual {
            entries.push(Entry::file(format!("{name}/man/man1/{page}"), text.clone()));
        }
        archive::write(&self.folder.join(format!("{name}.tar.gz")), entries, self.commit.epoch)
    }

    /// Writes the bill of materials to a folder and returns its path.
    fn make_sbom(&self, folder: &Path) -> anyhow::Result<PathBuf> {
        let path = folder.join(format!("pacman2-{}.cdx.json", self.version));
        fs::write(&path, self.contents.bill(&self.version, self.build.epoch)?)?;
        Ok(path)
    }
}

/// Returns whether a file has a name that this program gives.
fn is_of_a_release(name: &str) -> bool {
    let endings = [".tar.gz", ".deb", ".whl", ".cdx.json"];
    name == SUMS || (name.starts_with("pacman2") && endings.iter().any(|ending| name.ends_with(ending)))
}

/// Returns the checksums of all files in a folder, in the form that `sha256sum --check` reads.
fn sums(folder: &Path) -> anyhow::Result<String> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<anyhow::Result<Vec<_>>>()?;
    names.sort();
    let mut sums = String::new();
    for name in names {
        let sum: String = Sha256::digest(fs::read(folder.join(&name))?).iter().map(|byte| format!("{byte:02x}")).collect();
        sums += &format!("{sum}  {name}\n");
    }
    Ok(sums)
}
