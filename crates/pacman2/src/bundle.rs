//! `pacman2 bundle`: a bot as one file, as Botzone takes it.

pub(crate) mod cpp;
mod cpp_text;
mod header;
mod options;
mod parts;
mod python;
mod report;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use pacman2_runner::{Language, Launch, Limits, Outcome, Program, Question, Tier};
use serde_json::{Value, json};

use crate::args::BundleArgs;
use crate::check::{self, Report};
use crate::error::bad_input;
use crate::executables::find_in_path;
use crate::interrupt::{INTERRUPTED, stop_on_interrupt};
use crate::mounts::{self, Hidden, Surroundings};
use crate::resolve::Bot;
use crate::sandbox::SandboxPolicy;
use cpp::CppOptions;
use options::{BundleOptions, Target};
pub(crate) use parts::Bundle;
use python::PythonOptions;

/// The limits of the program that reads Python sources.
const READER_LIMITS: Limits = Limits {
    wall: Some(Duration::from_secs(60)),
    cpu: Some(Duration::from_secs(60)),
    memory_bytes: Some(1024 * 1024 * 1024),
    output_bytes: Some(32 * 1024 * 1024),
    tasks: Some(16),
};

pub(crate) fn run(args: BundleArgs) -> anyhow::Result<ExitCode> {
    #[cfg(target_os = "linux")]
    if let Some(code) = crate::watchdog::start()? {
        return Ok(code);
    }
    let options = BundleOptions::new(args)?;
    let stop = stop_on_interrupt()?;
    let bundle = match options.language {
        Language::Python => {
            let python =
                PythonOptions { strip: options.strip, ignored: &options.ignored, allowed: &options.allowed, only_modules: false };
            of_python(&options.source, &options.bot, &options.policy, &python, &stop)?
        }
        _ => {
            let cpp = CppOptions { strip: options.strip, ignored: &options.ignored, only_headers: false };
            cpp::bundle(&options.source, &cpp).map_err(bad_input)?
        }
    };
    let report = if options.is_checked { Some(try_out(&options, &bundle, &stop)?) } else { None };
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

/// Compiles the bundle as Botzone does, and checks it where nothing of its folder is.
fn try_out(options: &BundleOptions, bundle: &Bundle, stop: &AtomicBool) -> anyhow::Result<Report> {
    let folder = tempfile::Builder::new().prefix("pacman2-").tempdir().context("cannot create a temporary folder")?;
    let name = options.file_name();
    let file = folder.path().join(&name);
    fs::write(&file, &bundle.text)?;
    for data in &bundle.data {
        let to = folder.path().join(data);
        fs::create_dir_all(to.parent().unwrap_or(folder.path()))?;
        fs::copy(options.folder().join(data), to).with_context(|| format!("cannot copy {data}"))?;
    }
    let text = file.to_string_lossy().into_owned();
    // The file is gone when its author reads this.
    let renamed = |error: anyhow::Error| bad_input(format!("{error:#}").replace(&text, &name));
    let mut bot = Bot::find(&text, &options.policy).map_err(renamed)?;
    bot.name = name.clone();
    check::examine(&bot, options.limits, &options.policy, stop).map_err(renamed)
}

/// Joins a Python program with the modules beside it that it imports. What else it needs is left to it. Returns `None` if it imports
/// none.
///
/// # Errors
/// If they cannot be one file, with the reason.
pub(crate) fn with_modules(source: &Path, policy: &SandboxPolicy) -> anyhow::Result<Option<Bundle>> {
    if !python::may_import_modules(source) {
        return Ok(None);
    }
    let options = PythonOptions { strip: false, ignored: &[], allowed: &[], only_modules: true };
    let bundle = of_python(source, &source.to_string_lossy(), policy, &options, &AtomicBool::new(false))?;
    Ok(Some(bundle).filter(|bundle| bundle.files.len() > 1))
}

/// Joins a Python program with its modules. `bot` is what the user typed.
fn of_python(
    source: &Path,
    bot: &str,
    policy: &SandboxPolicy,
    options: &PythonOptions<'_>,
    stop: &AtomicBool,
) -> anyhow::Result<Bundle> {
    let Launch::Interpreter(words) = Language::Python.launch() else { unreachable!("Python has an interpreter") };
    if find_in_path(OsStr::new(words[0])).is_none() {
        let (program, package) = (words[0], Language::Python.package());
        return Err(bad_input(format!(
            "{program} not found, which reads the sources; install it (Debian and Ubuntu: apt-get install {package})"
        )));
    }
    let command: Vec<OsString> =
        words.iter().map(OsString::from).chain(["-I".into(), "-c".into(), python::FACTS.into()]).collect();
    let sandbox = policy.sandbox_for(bot, false)?;
    let mut program = Program::new(command, READER_LIMITS);
    if sandbox.tier() != Tier::C {
        let mounts = mounts::of_bot(&program.command, &[], &Surroundings::Nothing, &Hidden::default()).map_err(bad_input)?;
        program.confine(&sandbox, mounts).map_err(|reason| bad_input(format!("{bot}: {reason}")))?;
    }
    let read = |sources: &[&str]| facts(&mut program, sources, stop);
    python::bundle(source, options, read).map_err(|error| match error.downcast::<parts::BundleError>() {
        Ok(error) => bad_input(error),
        Err(error) => error,
    })
}

/// Asks Python what these sources import and which strings they have.
fn facts(program: &mut Program, sources: &[&str], stop: &AtomicBool) -> anyhow::Result<Vec<Value>> {
    let run = program.ask(Question::once(&json!(sources).to_string()), stop);
    let facts = match run.outcome {
        Outcome::Answered => serde_json::from_slice(&run.output).ok(),
        Outcome::Stopped => anyhow::bail!("interrupted"),
        _ => None,
    };
    facts.ok_or_else(|| {
        let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
        let reason = stderr.lines().last().map_or_else(|| format!("{:?}", run.outcome), str::to_owned);
        anyhow::anyhow!("{} cannot read the sources: {reason}", Path::new(&program.command[0]).display())
    })
}
