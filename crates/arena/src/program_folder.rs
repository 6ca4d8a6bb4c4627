//! The programs that jobs need: found in a folder, checked by their hashes, and compiled once.
//!
//! Jobs may be a stranger's, so nothing else that they name is looked at.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pacman2_bot_source::hash;
use pacman2_bot_source::resolve;
use pacman2_bot_source::sandbox::{ALL, SandboxPolicy};
use pacman2_bot_source::source::BotArgument;
use pacman2_bots::BotSpec;
use pacman2_jobs::lines::Reason;
use pacman2_runner::Tier;
use pacman2_tournament::Store;
use sha2::{Digest, Sha256};

use super::candidate::{LoadError, load_program};
use super::wire::{ProgramLine, SeatLine};

/// The programs of jobs.
pub(super) struct ProgramFolder<'a> {
    folder: PathBuf,
    policy: &'a SandboxPolicy,
    /// The hashes of the commands that may run, or [`ALL`].
    allowed: &'a [String],
    programs: HashMap<SeatLine, JobProgram>,
}

/// A program, loaded when the first job needs it.
struct JobProgram {
    line: ProgramLine,
    /// What its command means, if that is a built-in bot.
    built_in: Option<BotSpec>,
    loaded: Option<Result<Arc<resolve::Bot>, Reason>>,
}

impl<'a> ProgramFolder<'a> {
    pub(super) fn new(folder: &Path, policy: &'a SandboxPolicy, allowed: &'a [String]) -> ProgramFolder<'a> {
        ProgramFolder { folder: folder.to_owned(), policy, allowed, programs: HashMap::new() }
    }

    /// Takes note of a program.
    pub(super) fn add(&mut self, line: ProgramLine) {
        let seat = SeatLine { name: line.name.clone(), program: line.program.clone() };
        let built_in = line.command.parse().ok();
        self.programs.entry(seat).or_insert(JobProgram { line, built_in, loaded: None });
    }

    /// Returns the program of a bot. It is looked for once; `required` is the tier that programs need.
    pub(super) fn load(&mut self, seat: &SeatLine, required: Option<Tier>) -> Result<Arc<resolve::Bot>, Reason> {
        let Some(JobProgram { line, built_in, loaded }) = self.programs.get_mut(seat) else {
            let message = format!("no line before the job describes the program of {}", seat.name);
            return Err(Reason::new("missing-program", message));
        };
        if built_in.is_none() {
            check_tier(self.policy, line, required)?;
        }
        let load = || {
            check_command(self.allowed, line, built_in.as_ref())?;
            find(&self.folder, self.policy, line, built_in.as_ref()).map(Arc::new)
        };
        loaded.get_or_insert_with(load).clone()
    }
}

fn label(line: &ProgramLine) -> String {
    format!("{}@{}", line.name, line.version)
}

/// Checks that a program may run in the sandbox of this machine.
fn check_tier(policy: &SandboxPolicy, line: &ProgramLine, required: Option<Tier>) -> Result<(), Reason> {
    let label = label(line);
    let sandbox = policy.sandbox_for(&line.program, false);
    let sandbox = sandbox.map_err(|error| Reason::new("tier", format!("{label}: {error:#}")))?;
    match required.filter(|&required| sandbox.tier() > required) {
        Some(required) => {
            let got = sandbox.tier();
            let message = format!("{label} needs a sandbox of tier {required}, but would run in tier {got} on this machine");
            Err(Reason::new("tier", message))
        }
        None => Ok(()),
    }
}

/// Checks that a command which is neither a program in the folder nor a built-in bot was allowed: it may read files.
fn check_command(allowed: &[String], line: &ProgramLine, built_in: Option<&BotSpec>) -> Result<(), Reason> {
    let ProgramLine { program, command, file, .. } = line;
    if file.is_some() || built_in.is_some_and(|spec| spec.net.is_none()) {
        return Ok(());
    }
    let hash = hash::hexadecimal(&Sha256::digest(format!("{program} {command}")));
    if allowed.iter().any(|allowed| *allowed == hash || allowed == ALL) {
        return Ok(());
    }
    let message = format!("{} runs the command {command}; to allow it here, add --allow-command {hash}", label(line));
    Err(Reason::new("command", message))
}

/// Returns whether a file is where an arena keeps the program with this hash, or where a node of a cluster does.
fn is_in_place(file: &Path, line: &ProgramLine) -> bool {
    let digest = line.net.as_ref().or(line.content.as_ref()).unwrap_or(&line.program);
    let is_place =
        |place: &Path| place == Store::place_of_program(&line.program) || hash::is_hash(digest) && place == Path::new(digest);
    file.file_name().is_some() && file.parent().is_some_and(is_place)
}

fn find(folder: &Path, policy: &SandboxPolicy, line: &ProgramLine, built_in: Option<&BotSpec>) -> Result<resolve::Bot, Reason> {
    let label = label(line);
    let argument = match &line.file {
        Some(file) => {
            let path = folder.join(file);
            if !is_in_place(Path::new(file), line) || !path.is_file() {
                let message = format!("the program of {label} is missing: expected {file} in {}", folder.display());
                return Err(Reason::new("missing-program", message));
            }
            // The file of a built-in bot is its net.
            Ok(match built_in.filter(|_| line.net.is_some()) {
                Some(spec) => BotArgument::from_spec(BotSpec { net: Some(path), ..spec.clone() }),
                None => BotArgument::from_file(path),
            })
        }
        None => line.command.parse(),
    };
    let loaded = load_program(argument, &line.program, label.clone(), policy);
    let mut bot = loaded.map_err(|error| match error {
        LoadError::Changed => {
            let message = format!("the program of {label} is another one here: expected the hash {}", line.program);
            Reason::new("changed-program", message)
        }
        LoadError::Broken(error) if line.file.is_none() => {
            Reason::new("missing-program", format!("the program of {label} cannot be started here: {error:#}"))
        }
        LoadError::Broken(error) => {
            Reason::new("broken-program", format!("the program of {label} cannot be started here: {error:#}"))
        }
    })?;
    bot.trust_name.clone_from(&line.program);
    Ok(bot)
}
