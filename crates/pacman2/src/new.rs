//! `pacman2 new`: creates a folder with a small bot.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_console::error::bad_input;
use pacman2_console::language::stdout;
use pacman2_templates::BotKind;

use crate::args::NewArgs;

/// The length limit of a name.
const MAX_NAME_CHARS: usize = 60;

pub(crate) fn run(args: &NewArgs) -> anyhow::Result<ExitCode> {
    check_name(&args.name)?;
    let template = args.lang;
    let kind = args.with.unwrap_or(template.usual);
    if kind == BotKind::Net && template.net.is_empty() {
        return Err(bad_input(format!(
            "--with net: expected --lang cpp, got {}; nets that you trained with PyTorch become bots by pacman2.export of the Python package",
            template.name
        )));
    }
    let folder = Path::new(&args.name);
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => bad_input(format!("{} already exists; {} is free", args.name, free_name(&args.name))),
        _ => anyhow::Error::new(error).context(format!("cannot create the folder {}", args.name)),
    })?;
    if let Err(error) = template.write(kind, folder, &args.name) {
        // We have just created it, so it contains only our files.
        let _ = fs::remove_dir_all(folder);
        return Err(error);
    }
    stdout().write_all(template.next_steps(&args.name).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Checks that a name is safe in command lines and on all file systems.
fn check_name(name: &str) -> anyhow::Result<()> {
    let is_fine = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let begins = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if begins && !name.ends_with('.') && name.chars().all(is_fine) && name.chars().count() <= MAX_NAME_CHARS {
        return Ok(());
    }
    let suggested: String = name.chars().map(|c| if is_fine(c) { c } else { '-' }).take(MAX_NAME_CHARS).collect();
    let suggested = suggested.trim_start_matches(['-', '.']).trim_end_matches(['-', '.']);
    let suggested = if suggested.is_empty() { "mybot" } else { suggested };
    Err(bad_input(format!(
        "\"{name}\": expected up to {MAX_NAME_CHARS} letters, digits, \"-\", \"_\" and \".\" as the bot's name, starting with a letter or digit, such as {suggested}"
    )))
}

/// Returns a similar name that is free here.
fn free_name(name: &str) -> String {
    let mut names = (2..).map(|number: u64| format!("{name}{number}"));
    names.find(|name| !Path::new(name).exists()).unwrap_or_default()
}
