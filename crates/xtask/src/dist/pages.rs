//! What the program writes about itself: completions for shells, and the pages of the manual.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::stdout;

/// A shell that completes command lines.
#[derive(Clone, Copy)]
pub(super) enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

impl Shell {
    const ALL: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Powershell];

    /// Returns its name on the command line of pacman2.
    pub(super) fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
            Shell::Powershell => "powershell",
        }
    }
}

pub(super) struct Pages {
    /// The script for each shell.
    pub(super) completions: Vec<(Shell, Vec<u8>)>,
    /// The name of each page of the manual with its section, and the page.
    pub(super) manual: Vec<(String, Vec<u8>)>,
}

impl Pages {
    /// Asks a program that runs here.
    pub(super) fn from_program(program: &Path) -> anyhow::Result<Pages> {
        let script = |shell: Shell| stdout(Command::new(program).args(["completions", shell.name()]));
        let completions = Shell::ALL.into_iter().map(|shell| Ok((shell, script(shell)?)));
        let completions = completions.collect::<anyhow::Result<_>>()?;
        let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
        stdout(Command::new(program).arg("man").arg(folder.path()))?;
        let mut manual = vec![];
        for entry in fs::read_dir(folder.path())? {
            let entry = entry?;
            manual.push((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?));
        }
        manual.sort();
        ensure!(!manual.is_empty(), "expected {} to write pages of the manual, got none", program.display());
        Ok(Pages { completions, manual })
    }
}
