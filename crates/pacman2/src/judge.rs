//! `pacman2 judge`: Botzone's judge for one turn.

use std::io::{self, Write};
use std::process::ExitCode;

use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_console::map_source::random_seed;
use pacman2_rules::Ruleset;

use crate::args::JudgeArgs;

pub(crate) fn run(args: &JudgeArgs) -> anyhow::Result<ExitCode> {
    let mut input = Vec::new();
    let mut end = 0;
    // An empty line ends the input.
    while files::read_line(&mut io::stdin().lock(), &mut input)? && !input[end..].trim_ascii().is_empty() {
        end = input.len();
    }
    let input = str::from_utf8(&input).map_err(|_| bad_input("standard input: expected text in UTF-8"))?;
    let input = files::without_byte_order_mark(input);
    let output = pacman2_botzone::judge::answer(input, Ruleset::default().with_forfeit_ruling(args.ruling), random_seed())
        .map_err(bad_input)?;
    writeln!(io::stdout(), "{output}")?;
    Ok(ExitCode::SUCCESS)
}
