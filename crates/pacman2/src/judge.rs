//! `pacman2 judge`: Botzone's judge for one turn.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use pacman2_rules::Ruleset;

use crate::args::JudgeArgs;
use crate::error::bad_input;
use crate::files;
use crate::map_source::random_seed;

pub(crate) fn run(args: &JudgeArgs) -> anyhow::Result<ExitCode> {
    let mut input = String::new();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| bad_input(format!("standard input: {error}")))?;
        let line = files::without_byte_order_mark(&line);
        if line.trim().is_empty() {
            break;
        }
        input.push_str(line);
        input.push('\n');
    }
    let output = pacman2_botzone::judge::answer(&input, Ruleset::default().with_forfeit_ruling(args.ruling), random_seed())
        .map_err(bad_input)?;
    writeln!(io::stdout(), "{output}")?;
    Ok(ExitCode::SUCCESS)
}
