//! The games of the sample program in `crates/rules/fixtures`: how they begin, and the actions.
//!
//! `make.py` in that folder describes the format. The positions are not read; each game ends with a hash of them.

use std::fs;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::cargo;

/// The files, and how many games each has.
const FILES: [(&str, usize); 2] = [("botzone-maps", 150), ("odd-settings", 100)];

/// A game of the sample program.
pub(super) struct Game {
    /// The file and the number of the game in it.
    pub(super) name: String,
    pub(super) init: Value,
    /// By turn and seat; nothing for the dead.
    pub(super) actions: Vec<[Option<i32>; 4]>,
    /// The hash of all turns.
    pub(super) hash: u64,
}

/// Reads all games.
pub(super) fn read() -> anyhow::Result<Vec<Game>> {
    let folder = cargo::root().join("crates/rules/fixtures");
    let mut games = Vec::new();
    for (file, count) in FILES {
        let path = folder.join(file).with_extension("txt");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let lines: Vec<&str> = text.lines().collect();
        let before = games.len();
        for lines in lines.split_inclusive(|line| line.starts_with("end ")) {
            games.push(game(file, lines).with_context(|| format!("{}: a damaged game: {:?}", path.display(), lines.first()))?);
        }
        ensure!(games.len() - before == count, "{}: expected {count} games, got {}", path.display(), games.len() - before);
    }
    Ok(games)
}

fn game(file: &str, lines: &[&str]) -> Option<Game> {
    let [head, walls, content, turns @ .., end] = lines else { return None };
    let (name, numbers) = head.split_once(": ")?;
    let (size, settings) = numbers.split_once(' ')?;
    let (width, height) = size.split_once('x')?;
    let [_, cost, _, interval, _, duration, _, boost] = settings.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let number = |text: &str| text.parse::<i64>().ok();
    let init = json!({
        "seed": 0,
        "width": number(width)?,
        "height": number(height)?,
        "GENERATOR_INTERVAL": number(interval)?,
        "LARGE_FRUIT_DURATION": number(duration)?,
        "LARGE_FRUIT_ENHANCEMENT": number(boost)?,
        "SKILL_COST": number(cost)?,
        "static": matrix(walls)?,
        "content": matrix(content)?,
    });
    let actions = turns.iter().map(|line| actions(line)).collect::<Option<_>>()?;
    Some(Game { name: format!("{file} {name}"), init, actions, hash: u64::from_str_radix(end.strip_prefix("end ")?, 16).ok()? })
}

fn matrix(rows: &str) -> Option<Vec<Vec<usize>>> {
    const DIGITS: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    rows.split(' ').map(|row| row.chars().map(|digit| DIGITS.find(digit)).collect()).collect()
}

/// The first word of a turn's line.
fn actions(line: &str) -> Option<[Option<i32>; 4]> {
    let action = |symbol: char| match symbol {
        '.' => Some(None),
        '-' => Some(Some(-1)),
        '<' => Some(Some(-2)),
        _ => symbol.to_digit(10).map(|digit| Some(digit as i32)),
    };
    line.split(' ').next()?.chars().map(action).collect::<Option<Vec<_>>>()?.try_into().ok()
}
