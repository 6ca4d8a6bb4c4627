//! A bot as one file, as Botzone takes it.

mod conditionals;
pub mod cpp;
mod header;
mod jsoncpp;
mod parts;
mod python;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pacman2_console::error::bad_input;
use pacman2_runner::{Language, Limits, Outcome, Program, Question, Tier};
use serde_json::{Value, json};

pub use self::parts::{Bundle, CONTENT};
pub use self::python::PythonOptions;
use crate::executables::{find_in_path, how_to_install};
use crate::mounts::{self, Hidden, Surroundings};
use crate::sandbox::SandboxPolicy;

/// The limits of the program that reads Python sources.
const READER_LIMITS: Limits = Limits {
    wall: Some(Duration::from_secs(60)),
    cpu: Some(Duration::from_secs(60)),
    memory_bytes: Some(1024 * 1024 * 1024),
    output_bytes: Some(32 * 1024 * 1024),
    tasks: Some(16),
};

/// Joins a Python program with its modules. `bot` is what the user typed.
///
/// # Errors
///
/// If they cannot be one file, with the reason.
pub fn of_python(
    source: &Path,
    bot: &str,
    policy: &SandboxPolicy,
    options: &PythonOptions<'_>,
    stop: &AtomicBool,
) -> anyhow::Result<Bundle> {
    let words = Language::Python.interpreter();
    if find_in_path(OsStr::new(words[0])).is_none() {
        let (program, package) = (words[0], Language::Python.package());
        return Err(bad_input(format!("{program} not found, which reads the sources; install it{}", how_to_install(package))));
    }
    let command: Vec<OsString> =
        words.iter().map(OsString::from).chain(["-I".into(), "-c".into(), python::FACTS.into()]).collect();
    let sandbox = policy.sandbox_for(bot, false)?;
    let mut program = Program::new(command, READER_LIMITS);
    // Modules that import each other in a chain are asked about one by one, and Python takes long to start.
    program.keep_running = Some("MORE".to_owned());
    if sandbox.tier() != Tier::C {
        let mounts =
            mounts::of_bot(&program.command, &[], &Surroundings::Nothing, &Hidden::default(), None).map_err(bad_input)?;
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
    let question = json!(sources).to_string();
    let run = program.ask(Question { fresh: &question, running: &question }, stop);
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
