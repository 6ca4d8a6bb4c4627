//! `pacman2 new`: creates a folder with a small bot, or with an example of the documentation.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use pacman2_bot_source::bot_name;
use pacman2_console::error::bad_input;
use pacman2_console::stdout::stdout;
use pacman2_templates::examples::{CLASS, LESSONS};
use pacman2_templates::{BotKind, Template};

use crate::args::NewArgs;

pub(crate) fn run(args: &NewArgs) -> anyhow::Result<ExitCode> {
    bot_name::check(&args.name).map_err(bad_input)?;
    let Some(template) = args.lang else {
        let example = if args.class { &CLASS } else { &LESSONS };
        return create(&args.name, |folder| example.write(folder), &example.next_steps(&args.name));
    };
    let kind = kind_of(template, args.with)?;
    create(&args.name, |folder| template.write(kind, folder, &args.name), &template.next_steps(&args.name))
}

/// Returns the kind of the bot, which its language has to have.
pub(crate) fn kind_of(template: &Template, kind: Option<BotKind>) -> anyhow::Result<BotKind> {
    let kind = kind.unwrap_or(template.usual);
    if kind == BotKind::Net && template.net.is_empty() {
        return Err(bad_input(format!(
            "--with net: expected --lang cpp, got {}; nets that you trained with PyTorch become bots by pacman2.export of the Python package",
            template.name
        )));
    }
    Ok(kind)
}

/// Creates a folder, writes its files, and prints the next steps.
fn create(name: &str, write: impl FnOnce(&Path) -> anyhow::Result<()>, next_steps: &str) -> anyhow::Result<ExitCode> {
    let folder = Path::new(name);
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            bad_input(format!("{name} already exists; {} is free", bot_name::free(name, |name| Path::new(name).exists())))
        }
        _ => anyhow::Error::new(error).context(format!("cannot create the folder {name}")),
    })?;
    if let Err(error) = write(folder) {
        // We have just created it, so it contains only our files.
        let _ = fs::remove_dir_all(folder);
        return Err(error);
    }
    stdout().write_all(next_steps.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
