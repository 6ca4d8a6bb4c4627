//! The systems that releases are made for, and how programs are compiled for them.

use std::env::consts::{ARCH, OS};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::ensure;
use clap::ValueEnum;

use crate::process::stdout;

/// A system, by the name that Rust gives it.
///
/// On Linux, programs are linked statically with the C library musl: one program runs on every distribution, with glibc or
/// without, and needs nothing in a sandbox but itself. The compiler and the linker are Debian's for either architecture, with the
/// headers of Debian's musl; the library itself comes with Rust.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    #[value(name = "x86_64-unknown-linux-musl")]
    LinuxX86_64,
    #[value(name = "aarch64-unknown-linux-musl")]
    LinuxAarch64,
    #[value(name = "x86_64-apple-darwin")]
    MacX86_64,
    #[value(name = "aarch64-apple-darwin")]
    MacAarch64,
    #[value(name = "x86_64-pc-windows-msvc")]
    WindowsX86_64,
}

impl Target {
    pub(crate) const ALL: [Target; 5] =
        [Target::LinuxX86_64, Target::LinuxAarch64, Target::MacX86_64, Target::MacAarch64, Target::WindowsX86_64];

    /// Returns the targets of this operating system.
    pub(crate) fn of_this_system() -> Vec<Target> {
        Target::ALL.into_iter().filter(|target| target.os() == OS).collect()
    }

    /// Returns whether its programs run here.
    pub(crate) fn runs_here(self) -> bool {
        self.os() == OS && self.arch() == ARCH
    }

    pub(crate) fn triple(self) -> &'static str {
        match self {
            Target::LinuxX86_64 => "x86_64-unknown-linux-musl",
            Target::LinuxAarch64 => "aarch64-unknown-linux-musl",
            Target::MacX86_64 => "x86_64-apple-darwin",
            Target::MacAarch64 => "aarch64-apple-darwin",
            Target::WindowsX86_64 => "x86_64-pc-windows-msvc",
        }
    }

    /// Returns the target of modules that a Python of this system loads. On Linux, most Pythons are linked with glibc.
    pub(crate) fn triple_for_python(self) -> &'static str {
        match self {
            Target::LinuxX86_64 => "x86_64-unknown-linux-gnu",
            Target::LinuxAarch64 => "aarch64-unknown-linux-gnu",
            _ => self.triple(),
        }
    }

    /// Returns the operating system as `std::env::consts::OS` names it.
    pub(crate) fn os(self) -> &'static str {
        match self {
            Target::LinuxX86_64 | Target::LinuxAarch64 => "linux",
            Target::MacX86_64 | Target::MacAarch64 => "macos",
            Target::WindowsX86_64 => "windows",
        }
    }

    fn arch(self) -> &'static str {
        match self {
            Target::LinuxX86_64 | Target::MacX86_64 | Target::WindowsX86_64 => "x86_64",
            Target::LinuxAarch64 | Target::MacAarch64 => "aarch64",
        }
    }

    /// Returns what Debian calls the architecture.
    pub(crate) fn debian_architecture(self) -> Option<&'static str> {
        match self {
            Target::LinuxX86_64 => Some("amd64"),
            Target::LinuxAarch64 => Some("arm64"),
            _ => None,
        }
    }

    /// Returns the ending of its programs.
    pub(crate) fn exe_suffix(self) -> &'static str {
        if self == Target::WindowsX86_64 { ".exe" } else { "" }
    }

    /// Returns the variables that make cargo compile for it.
    ///
    /// # Errors
    /// If the compiler or the headers are not installed.
    pub(crate) fn compiler(self) -> anyhow::Result<Vec<(String, OsString)>> {
        ensure_installed(self.triple())?;
        let Some(debian) = self.debian_architecture() else { return Ok(vec![]) };
        let arch = self.arch();
        let gcc = format!("{arch}-linux-gnu-gcc");
        let runs = Command::new(&gcc).arg("--version").output().is_ok_and(|output| output.status.success());
        ensure!(runs, "{gcc} is not installed; run `apt-get install gcc-{}-linux-gnu`", arch.replace('_', "-"));
        let headers = PathBuf::from(format!("/usr/include/{arch}-linux-musl"));
        ensure!(
            headers.join("stdio.h").is_file(),
            "the headers of musl for {arch} are not installed; run `dpkg --add-architecture {debian}`, `apt-get update` and \
             `apt-get install musl-dev:{debian}`"
        );
        // The headers that belong to the compiler itself.
        let own = String::from_utf8(stdout(Command::new(&gcc).arg("-print-file-name=include"))?)?;
        let (lower, upper) = (self.triple().replace('-', "_"), self.triple().replace('-', "_").to_uppercase());
        let flags = format!("-nostdinc -isystem {} -isystem {}", headers.display(), own.trim());
        Ok(vec![
            (format!("CC_{lower}"), gcc.clone().into()),
            (format!("AR_{lower}"), format!("{arch}-linux-gnu-ar").into()),
            (format!("CFLAGS_{lower}"), flags.into()),
            (format!("CARGO_TARGET_{upper}_LINKER"), gcc.into()),
        ])
    }
}

/// Checks that Rust's standard library for a target is installed.
pub(crate) fn ensure_installed(triple: &str) -> anyhow::Result<()> {
    let folder = stdout(Command::new("rustc").args(["--print", "target-libdir", "--target", triple]))?;
    let is_installed = Path::new(String::from_utf8(folder)?.trim()).is_dir();
    ensure!(is_installed, "the Rust target {triple} is not installed; run `rustup target add {triple}`");
    Ok(())
}
