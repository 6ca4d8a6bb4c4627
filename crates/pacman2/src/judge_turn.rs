//! `pacman2 judge`: Botzone's judge for one turn.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::SystemTime;

use crate::args::JudgeArgs;
use crate::failure::bad_input;

pub(crate) fn run(args: &JudgeArgs) -> anyhow::Result<ExitCode> {
    let mut input = String::new();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| bad_input(format!("standard input: {error}")))?;
        if line.trim().is_empty() {
            break;
        }
        input.push_str(&line);
        input.push('\n');
    }
    let output = pacman2_botzone::judge::answer(&input, args.ruling.ruleset(), seed_of_the_clock()).map_err(bad_input)?;
    writeln!(io::stdout(), "{output}")?;
    Ok(ExitCode::SUCCESS)
}

/// A seed for who gave none.
pub(crate) fn seed_of_the_clock() -> i32 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (now.as_nanos() / 1000 % (1 << 31)) as i32
}
