//! A rerun of all matches in a folder.

use pacman2_console::stdout::stdout;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::Context;
use pacman2_bot_source::resolve::{Bot, print_remarks};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::json_output::labelled;
use pacman2_console::language::translated;
use pacman2_console::text::{counted, fit_column, sanitize};
use serde_json::{Value, json};

use super::options::RerunOptions;
use super::report::{Counts, Report};
use super::{ask, on_terminal};
use crate::args::RerunArgs;

pub(super) fn run(args: &RerunArgs, bot: &BotArgument, policy: &SandboxPolicy) -> anyhow::Result<ExitCode> {
    let folder = args.file.display();
    if let Some(option) = [("--replay", args.replay.is_some()), ("--html", args.html.is_some()), ("--open", args.open)]
        .into_iter()
        .find_map(|(option, is_given)| is_given.then_some(option))
    {
        return Err(bad_input(format!("{option}: {folder} is a folder; name one of its matches")));
    }
    let files = replays_in(&args.file)?;
    let matches = files.iter().map(|file| RerunOptions::new(args, file).with_context(|| file.display().to_string()));
    let matches = matches.collect::<anyhow::Result<Vec<_>>>()?;
    let bot = Bot::find(bot, policy)?;
    print_remarks([&bot]);
    let stop = stop_on_interrupt()?;
    let mut is_complete = true;
    let mut reports = Vec::new();
    for options in &matches {
        let report = ask(options, &bot, policy, &stop, &mut on_terminal())?;
        if stop.load(Ordering::Relaxed) {
            break;
        }
        is_complete &= report.asked.len() == options.questions();
        reports.push(report);
    }
    let text = if args.json {
        let of_match = |(report, file): (&Report<'_>, &PathBuf)| -> Value {
            let mut value = labelled("rerun", report.json());
            value["file"] = file.display().to_string().into();
            value
        };
        let matches: Vec<Value> = reports.iter().zip(&files).map(of_match).collect();
        format!("{}\n", labelled("rerun folder", json!({ "bot": bot.name, "matches": matches })))
    } else {
        table(&bot, &reports, matches.len())
    };
    stdout().write_all(text.as_bytes())?;
    Ok(match reports.len() {
        played if played < matches.len() => INTERRUPTED.into(),
        _ if is_complete => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Returns the replays in a folder, by their names.
fn replays_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let failed = || format!("cannot read the folder {}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "json") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(bad_input(format!("{}: expected a folder with replays, got none", folder.display())));
    }
    Ok(files)
}

/// A row for each match, and one for all.
fn table(bot: &Bot, reports: &[Report<'_>], matches: usize) -> String {
    let mut text = "match                   seat  questions  as recorded  better  worse  equal  faults\n".to_owned();
    let row = |name: &str, seat: &str, questions: usize, counts: Counts| {
        let Counts { recorded, better, worse, equal, faults, .. } = counts;
        let name = fit_column(name, 22);
        format!("{name}  {seat:>4}  {questions:>9}  {recorded:>11}  {better:>6}  {worse:>5}  {equal:>5}  {faults:>6}\n")
    };
    let mut all = (0, Counts::default());
    for report in reports {
        let counts = report.counts();
        let RerunOptions { name, seat, .. } = report.options;
        let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        text += &row(&sanitize(&file), &seat.to_string(), report.asked.len(), counts);
        all = (all.0 + report.asked.len(), all.1 + counts);
    }
    text += &row(&translated("all matches"), "", all.0, all.1);
    let interrupted = if reports.len() < matches { "Interrupted: " } else { "" };
    text + &format!("{interrupted}{} in {} of {}\n", sanitize(&bot.name), reports.len(), counted(matches, "game"))
}
