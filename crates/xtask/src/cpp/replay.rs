//! Replays games on the header, in a process of its own.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::compiler::{self, Compiler};

/// The program `cpp/tests/replay.cpp`, running.
pub(crate) struct HeaderReplay {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

/// What the header says after a turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeaderTurn {
    /// The hash of all turns so far, by the drop-in layer, as `crates/rules/fixtures/make.py` computes it.
    pub(crate) hash: u64,
    /// The fingerprint of the position, by the fast layer.
    pub(crate) fingerprint: u64,
    /// The hand-made evaluation of each seat, in hundredths of a point.
    pub(super) hundredths: [i32; 4],
    /// The quick action of each seat, as Botzone's number.
    pub(super) quick: [i32; 4],
}

impl HeaderTurn {
    fn read(word: &str) -> Option<HeaderTurn> {
        let parts: Vec<&str> = word.split(':').collect();
        let [hash, fingerprint, hundredths, quick] = parts[..] else { return None };
        let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
        let four = |list: &str| list.split(',').map(|number| number.parse().ok()).collect::<Option<Vec<i32>>>()?.try_into().ok();
        Some(HeaderTurn {
            hash: number(hash)?,
            fingerprint: number(fingerprint)?,
            hundredths: four(hundredths)?,
            quick: four(quick)?,
        })
    }
}

impl HeaderReplay {
    /// Compiles the program.
    pub(crate) fn compile(compiler: &Compiler) -> anyhow::Result<PathBuf> {
        compiler.program(&compiler::folder().join("tests/replay.cpp"), &["-O1"], &[])
    }

    /// Starts the compiled program.
    pub(crate) fn start(program: &Path) -> anyhow::Result<HeaderReplay> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().context("the program has no standard output")?).lines();
        Ok(HeaderReplay { child, stdin, lines })
    }

    /// Plays a game, given the actions of every turn, and takes it back.
    ///
    /// # Errors
    /// If the game ends earlier or later, or is not taken back exactly.
    pub(crate) fn play(&mut self, init: &Value, actions: &[[Option<i32>; 4]]) -> anyhow::Result<Vec<HeaderTurn>> {
        let stdin = self.stdin.as_mut().context("the program has no standard input")?;
        writeln!(stdin, "{}", json!({ "init": init, "actions": actions }))?;
        let line = self.lines.next().context("the header's program stopped")??;
        let words: Vec<&str> = line.split(' ').collect();
        let (turns, rest) = words.split_at_checked(actions.len()).unwrap_or((&[], &words[words.len() - 1..]));
        ensure!(rest == ["undone"], "the header's game {}", rest.join(" "));
        turns
            .iter()
            .map(|word| HeaderTurn::read(word))
            .collect::<Option<_>>()
            .with_context(|| format!("the header's program printed {line}"))
    }
}

impl Drop for HeaderReplay {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.stdin = None;
        let _ = self.child.wait();
    }
}
