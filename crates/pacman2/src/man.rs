//! `pacman2 man`: writes the manual pages, one for each command.

use std::fs;
use std::process::ExitCode;

use anyhow::Context;
use clap::Command;
use clap_mangen::Man;
use pacman2_console::files::{Content, OutputFile};

use crate::args::{Args, ManArgs};

/// A page of the manual as the content of a file.
const PAGE: Content =
    Content { name: "page of the manual", is_ours: |head| head.starts_with(".ie ") && head.contains("\n.TH pacman2") };

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let mut command = Args::all().disable_help_subcommand(true);
    command.build();
    fs::create_dir_all(&args.folder).with_context(|| format!("cannot create {}", args.folder.display()))?;
    let pages: Vec<(OutputFile, String)> = pages(command)?
        .into_iter()
        .map(|(name, text)| (OutputFile::new("", args.folder.join(name), PAGE, args.force), text))
        .collect();
    // All or nothing: no page is written if one of them must not be.
    pages.iter().try_for_each(|(file, _)| file.check())?;
    pages.iter().try_for_each(|(file, text)| file.write(text))?;
    Ok(ExitCode::SUCCESS)
}

/// Has indented lines, which are commands, printed as they are: they would be filled and justified as prose.
fn with_examples(page: &str) -> String {
    let mut text = String::new();
    let mut is_example = false;
    for line in page.lines() {
        if line.starts_with("  ") != is_example {
            is_example = !is_example;
            text.push_str(if is_example { ".nf\n" } else { ".fi\n" });
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Returns the file names and texts of the pages of a command and of those below it.
fn pages(command: Command) -> anyhow::Result<Vec<(String, String)>> {
    let below: Vec<Command> = command.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let page = Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    let mut all = vec![(page.get_filename(), with_examples(&String::from_utf8(text)?))];
    for command in below {
        all.extend(pages(command)?);
    }
    Ok(all)
}
