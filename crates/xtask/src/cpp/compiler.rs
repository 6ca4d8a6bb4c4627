//! Compiles C++ programs that use the header.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, bail, ensure};
use tempfile::TempDir;

use crate::cargo;
use crate::process::output;

/// How authors compile: Debian's and Botzone's compilers accept these.
const COMPILERS: [&str; 2] = ["g++", "clang++"];

/// A compiler, and a folder for the programs that it makes.
pub(crate) struct Compiler {
    name: &'static str,
    folder: TempDir,
}

impl Compiler {
    /// Finds a compiler.
    ///
    /// # Errors
    /// If none is installed.
    pub(crate) fn find() -> anyhow::Result<Compiler> {
        let found = COMPILERS.into_iter().find(|name| output(Command::new(name).arg("--version")).is_ok());
        let name = found.context("no C++ compiler is installed; run `apt-get install g++`")?;
        Ok(Compiler { name, folder: tempfile::tempdir().context("cannot create a temporary folder")? })
    }

    /// Returns the folder for programs and their sources, which is removed at the end.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Compiles one source, with warnings as errors, and returns the path of the program.
    ///
    /// # Errors
    /// If it does not compile; with what the compiler says.
    pub(super) fn program(&self, source: &Path, options: &[&str], libraries: &[&str]) -> anyhow::Result<PathBuf> {
        let program = self.folder().join(source.file_stem().context("the source has no name")?);
        let mut command = self.command(source, options);
        succeed(command.arg("-o").arg(&program).args(libraries), source)?;
        Ok(program)
    }

    /// Checks that one source compiles without warnings.
    ///
    /// # Errors
    /// If it does not compile; with what the compiler says.
    pub(super) fn check(&self, source: &Path, options: &[&str]) -> anyhow::Result<()> {
        succeed(self.command(source, options).arg("-fsyntax-only"), source)
    }

    fn command(&self, source: &Path, options: &[&str]) -> Command {
        let mut command = Command::new(self.name);
        command.args(["-std=c++17", "-Wall", "-Wextra", "-Werror"]).arg("-I").arg(folder());
        // Options can name another standard or allow warnings: the last of its kind counts.
        command.args(options).arg(source);
        command
    }
}

fn succeed(command: &mut Command, source: &Path) -> anyhow::Result<()> {
    let output = output(command)?;
    let says = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} does not compile:\n{says}", source.display());
    Ok(())
}

/// Returns the folder of the header.
pub(super) fn folder() -> PathBuf {
    cargo::root().join("cpp")
}

/// Runs a program with this input and returns its standard output.
///
/// # Errors
/// If it fails, or its output is not UTF-8.
pub(super) fn run(command: &mut Command, input: String) -> anyhow::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {name}"))?;
    let mut stdin = child.stdin.take().context("the program has no standard input")?;
    // A program that stops early closes the pipe; its exit code says more than the failed write.
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()).is_ok());
    let output = child.wait_with_output()?;
    let all_read = writer.join().is_ok_and(|written| written);
    ensure!(output.status.success(), "{name} failed: {}", output.status);
    if !all_read {
        bail!("{name} did not read its whole input");
    }
    String::from_utf8(output.stdout).with_context(|| format!("the output of {name} is not UTF-8"))
}
