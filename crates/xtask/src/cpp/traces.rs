//! Replays the traces on the header, turn by turn, and takes them back.

use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::json;

use super::compiler::{self, Compiler};
use super::fixtures;

pub(super) fn check() -> anyhow::Result<()> {
    let games = fixtures::read()?;
    let compiler = Compiler::find()?;
    let program = compiler.program(&compiler::folder().join("tests/replay.cpp"), &["-O1"], &[])?;
    let input = games.iter().map(|game| format!("{}\n", json!({ "init": game.init, "actions": game.actions }))).collect();
    let output = compiler::run(&mut Command::new(program), input)?;
    let lines: Vec<&str> = output.lines().collect();
    ensure!(lines.len() == games.len(), "expected {} games, got {}", games.len(), lines.len());
    let mut turns = 0;
    for (game, line) in games.iter().zip(lines) {
        let words: Vec<&str> = line.split(' ').collect();
        let (hashes, undone) = words.split_at_checked(game.actions.len()).with_context(|| format!("{}: {line}", game.name))?;
        ensure!(undone == ["undone"], "{}: {}", game.name, undone.join(" "));
        let last = hashes.last().context("a game without turns")?;
        ensure!(*last == game.hash, "{}: expected the positions of hash {}, got {last}", game.name, game.hash);
        turns += hashes.len();
    }
    println!("the header plays {} games as the sample program does, {turns} turns, and takes them back exactly", games.len());
    Ok(())
}
