//! The programs that jobs need: found in a folder, checked by their hashes, and compiled once.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use pacman2_bot_source::resolve;
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotArgument;
use pacman2_bots::BotSpec;
use pacman2_jobs::lines::Reason;
use pacman2_runner::Tier;

use super::candidate::{LoadError, load_program};
use super::store::is_program;
use super::wire::{ProgramLine, SeatLine};

/// The programs of jobs.
pub(super) struct ProgramFolder<'a> {
    folder: PathBuf,
    policy: &'a SandboxPolicy,
    programs: HashMap<SeatLine, JobProgram>,
}

/// A program, loaded when the first job needs it.
struct JobProgram {
    line: ProgramLine,
    loaded: Option<Result<Arc<resolve::Bot>, Reason>>,
}

impl<'a> ProgramFolder<'a> {
    pub(super) fn new(folder: &Path, policy: &'a SandboxPolicy) -> ProgramFolder<'a> {
        ProgramFolder { folder: folder.to_owned(), policy, programs: HashMap::new() }
    }

    /// Takes note of a program.
    pub(super) fn add(&mut self, line: ProgramLine) {
        let seat = SeatLine { name: line.name.clone(), program: line.program.clone() };
        self.programs.entry(seat).or_insert(JobProgram { line, loaded: None });
    }

    /// Returns the program of a bot. It is looked for once; `required` is the tier that programs need.
    pub(super) fn load(&mut self, seat: &SeatLine, required: Option<Tier>) -> Result<Arc<resolve::Bot>, Reason> {
        let Some(JobProgram { line, loaded }) = self.programs.get_mut(seat) else {
            let message = format!("no line before the job describes the program of {}", seat.name);
            return Err(Reason::new("missing-program", message));
        };
        if is_program(&line.command) {
            check_tier(self.policy, line, required)?;
        }
        let load = || find(&self.folder, self.policy, line).map(Arc::new);
        loaded.get_or_insert_with(load).clone()
    }
}

fn label(line: &ProgramLine) -> String {
    format!("{}@{}", line.name, line.version)
}

/// Checks that a program may run in the sandbox of this machine.
fn check_tier(policy: &SandboxPolicy, line: &ProgramLine, required: Option<Tier>) -> Result<(), Reason> {
    let label = label(line);
    let sandbox = policy.sandbox_for(&label, false).map_err(|error| Reason::new("tier", format!("{error:#}")))?;
    match required.filter(|&required| sandbox.tier() > required) {
        Some(required) => {
            let got = sandbox.tier();
            let message = format!("{label} needs a sandbox of tier {required}, but would run in tier {got} on this machine");
            Err(Reason::new("tier", message))
        }
        None => Ok(()),
    }
}

fn find(folder: &Path, policy: &SandboxPolicy, line: &ProgramLine) -> Result<resolve::Bot, Reason> {
    let label = label(line);
    let argument = match &line.file {
        Some(file) => {
            let path = folder.join(file);
            let is_inside = Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
            if !is_inside || !path.is_file() {
                let message = format!("the program of {label} is missing: expected {file} in {}", folder.display());
                return Err(Reason::new("missing-program", message));
            }
            if line.net.is_some() { with_net(&line.command, path) } else { Ok(BotArgument::from_file(path)) }
        }
        None => line.command.parse(),
    };
    load_program(argument, &line.program, label.clone(), policy).map_err(|error| match error {
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
    })
}

/// Returns a built-in bot with this net.
fn with_net(command: &str, net: PathBuf) -> anyhow::Result<BotArgument> {
    let spec: BotSpec = command.parse()?;
    BotSpec { net: Some(net), ..spec }.to_string().parse()
}
