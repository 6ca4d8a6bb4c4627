//! `pacman2 bundle`: a bot as one file, as Botzone takes it.

mod options;
mod report;

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use pacman2_bot_source::bundle::cpp::{self, CppOptions};
use pacman2_bot_source::bundle::{self, Bundle, PythonOptions};
use pacman2_bot_source::check::{self, Report};
use pacman2_bot_source::resolve::{self, Bot};
use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::source_files::MainSource;
use pacman2_bot_source::watchdog;
use pacman2_console::error::{BadInput, bad_input};
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_match::problem::BotProblem;
use pacman2_runner::Language;

use crate::args::BundleArgs;
use options::{BundleOptions, Target};

pub(crate) fn run(args: BundleArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let options = BundleOptions::new(args)?;
    let stop = stop_on_interrupt()?;
    let bundle = match options.language {
        Language::Python => {
            let python = PythonOptions { strip: options.strip, ignored: &options.ignored, allowed: &options.allowed };
            bundle::of_python(&options.source, &options.bot, &options.policy, &python, &stop)?
        }
        _ => {
            let cpp = CppOptions { strip: options.strip, ignored: &options.ignored, for_botzone: true };
            let source = MainSource { path: &options.source, own_folder: Some(&options.own_folder) };
            cpp::bundle(&source, &cpp).map_err(bad_input)?
        }
    };
    let report = if options.is_checked { try_out(&options, &bundle, &stop)? } else { None };
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED.into());
    }
    match &options.target {
        Target::File(file) => file.write_bytes(&bundle.text)?,
        Target::Stdout => io::stdout().write_all(&bundle.text)?,
    }
    report::print(&options, &bundle, report.as_ref())?;
    Ok(if report.is_none_or(|report| report.is_fine()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Compiles the bundle as Botzone does, and checks it where nothing of its folder is. Says so if that cannot be done here, because
/// there is no compiler, or no sandbox and the bot is not trusted.
fn try_out(options: &BundleOptions, bundle: &Bundle, stop: &AtomicBool) -> anyhow::Result<Option<Report>> {
    if let Err(error) = options.policy.sandbox_for(&options.bot, false) {
        let is_without_sandbox = error.downcast_ref::<BadInput>().is_some_and(|bad| bad.bot == BotProblem::NoSandbox);
        return if is_without_sandbox {
            eprintln!("pacman2: not checked: {error}");
            Ok(None)
        } else {
            Err(error)
        };
    }
    if let Err(error) = resolve::check_tools(&options.source) {
        eprintln!("pacman2: not checked: {error}");
        return Ok(None);
    }
    let folder = tempfile::Builder::new().prefix("pacman2-").tempdir().context("cannot create a temporary folder")?;
    let name = options.file_name();
    let file = folder.path().join(&name);
    fs::write(&file, &bundle.text)?;
    for beside in bundle.data.iter().chain(&bundle.library) {
        let to = folder.path().join(beside);
        fs::create_dir_all(to.parent().unwrap_or(folder.path()))?;
        fs::copy(options.folder().join(beside), to).with_context(|| format!("cannot copy {beside}"))?;
    }
    let text = file.to_string_lossy().into_owned();
    // The file is gone when its author reads this.
    let renamed = |error: anyhow::Error| bad_input(format!("{error:#}").replace(&text, &name));
    // The user may trust the bot as it was typed.
    let argument = BotArgument { text: options.bot.clone(), ..BotArgument::from_file(file) };
    let mut bot = Bot::find(&argument, &options.policy).map_err(renamed)?;
    bot.name = name.clone();
    resolve::print_remarks([&bot]);
    check::examine(&bot, options.limits, &options.policy, stop).map(Some).map_err(renamed)
}
