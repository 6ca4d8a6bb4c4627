//! Jails on Linux.

mod cgroup;
mod jail;
mod namespaces;
mod restrict;
mod supervisor;
mod syscalls;
mod wire;

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{Mounts, lexically_normal};
use crate::Tier;
use crate::error::{ControlGroupError, SandboxError, StartError};
use crate::limits::Limits;
use crate::program::{Outcome, Program, Question};
use cgroup::Cgroups;
pub(crate) use jail::{Jail, JailedProcess};
pub use supervisor::supervisor_main;
use wire::JailSpec;

/// How large a file may get in `/tmp`, which holds no more in all.
const FILE_BYTES: u64 = 16 * 1024 * 1024;
/// How large a file may get that a compiler writes.
const COMPILED_BYTES: u64 = 256 * 1024 * 1024;
/// What a control group may use beyond the limit before the kernel steps in: tables and buffers of its own count there, too.
const GROUP_SLACK_BYTES: u64 = 32 * 1024 * 1024;
/// What runtimes ask for beyond what they use, at least.
const UNUSED_BYTES: u64 = 256 * 1024 * 1024;

/// The sandbox of this machine: found out once, used for every program.
#[derive(Clone, Debug)]
pub struct Sandbox {
    tier: Tier,
    supervisor: Vec<OsString>,
    cgroups: Option<Arc<Cgroups>>,
}

impl Sandbox {
    /// Returns tier C: no sandbox.
    pub fn none() -> Sandbox {
        Sandbox { tier: Tier::C, supervisor: Vec::new(), cgroups: None }
    }

    /// Returns the strongest sandbox that works on this machine, found by trying.
    ///
    /// `supervisor` is the command that becomes the supervisor of a jail: a program that does nothing but call
    /// [`supervisor_main`], usually this one with a hidden argument.
    ///
    /// ```no_run
    /// use pacman2_runner::{Limits, Mounts, Program, Sandbox, supervisor_main};
    ///
    /// // A program that supervises its own jails.
    /// if std::env::args().nth(1).as_deref() == Some("jail") {
    ///     supervisor_main();
    ///     return;
    /// }
    /// let sandbox = Sandbox::best(vec!["/proc/self/exe".into(), "jail".into()]);
    /// println!("tier {}", sandbox.tier());
    /// let mut program = Program::new(vec!["./untrusted".into()], Limits::default());
    /// program.confine(&sandbox, Mounts { readable: vec!["untrusted".into()], ..Mounts::default() }).unwrap();
    /// ```
    pub fn best(supervisor: Vec<OsString>) -> Sandbox {
        let cgroups = Cgroups::open().ok();
        let tries = [(Tier::A, cgroups.clone()), (Tier::A, None), (Tier::B, cgroups), (Tier::B, None)];
        let mut sandboxes = tries.into_iter().map(|(tier, cgroups)| Sandbox { tier, supervisor: supervisor.clone(), cgroups });
        sandboxes.find(|sandbox| sandbox.try_out().is_ok()).unwrap_or_else(Sandbox::none)
    }

    /// Returns a sandbox of this tier, with control groups or without. For `supervisor`, see [`Sandbox::best`].
    ///
    /// # Errors
    ///
    /// Fails if this machine has no such sandbox.
    ///
    /// ```
    /// use pacman2_runner::{Sandbox, Tier};
    ///
    /// assert_eq!(Sandbox::exactly(Tier::C, false, Vec::new())?.tier(), Tier::C);
    /// let error = Sandbox::exactly(Tier::A, false, Vec::new()).unwrap_err();
    /// assert_eq!(error.to_string(), "no command for the sandbox's supervisor was given");
    /// # Ok::<(), pacman2_runner::SandboxError>(())
    /// ```
    pub fn exactly(tier: Tier, control_groups: bool, supervisor: Vec<OsString>) -> Result<Sandbox, SandboxError> {
        if tier == Tier::C {
            return Ok(Sandbox::none());
        }
        let cgroups = control_groups.then(Cgroups::open).transpose()?;
        let sandbox = Sandbox { tier, supervisor, cgroups };
        sandbox.try_out().map(|()| sandbox)
    }

    /// Returns its tier.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Returns the controllers by which control groups limit programs; `None` if there are no groups.
    pub fn control_groups(&self) -> Option<&[&'static str]> {
        self.cgroups.as_ref().map(|cgroups| cgroups.controllers.as_slice())
    }

    /// Runs a program that does nothing.
    fn try_out(&self) -> Result<(), SandboxError> {
        let limits = Limits { wall: Some(Duration::from_secs(10)), cpu: None, ..Limits::default() };
        let mut nothing = Program::new(["/bin/sh", "-c", ":"].map(OsString::from).to_vec(), limits);
        // The current directory must not matter.
        nothing.directory = Some("/".into());
        nothing.confine(self, Mounts::default())?;
        match nothing.ask(Question::once(""), &AtomicBool::new(false)).outcome {
            Outcome::Answered => Ok(()),
            Outcome::NotStarted(StartError::Sandbox(error)) => Err(error),
            Outcome::NotStarted(StartError::InSandbox(error)) => Err(error.into()),
            outcome => Err(SandboxError::Trial { outcome: Box::new(outcome) }),
        }
    }

    /// Builds a jail for this command.
    pub(crate) fn jail(
        &self,
        command: &[OsString],
        directory: Option<&Path>,
        mounts: &Mounts,
        limits: &Limits,
    ) -> Result<Jail, SandboxError> {
        let here = match directory {
            Some(directory) if directory.is_absolute() => directory.to_owned(),
            _ => env::current_dir()
                .map_err(|error| SandboxError::CurrentDirectory(error.into()))?
                .join(directory.unwrap_or(Path::new(""))),
        };
        let path = env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        let mut environment = vec![("PATH".into(), path), ("HOME".into(), "/tmp".into()), ("LANG".into(), "C.UTF-8".into())];
        environment.extend(mounts.environment.iter().cloned());
        let absolute = |path: &Path| OsString::from(lexically_normal(&here.join(path)));
        let spec = JailSpec {
            namespaces: self.tier == Tier::A,
            command: command.to_vec(),
            directory: absolute(&here),
            environment,
            readable: mounts.readable.iter().map(|path| absolute(path)).collect(),
            scratch: mounts.scratch.as_deref().map(absolute),
            tasks: limits.tasks,
            file_bytes: if mounts.scratch.is_some() { COMPILED_BYTES } else { FILE_BYTES },
            data_bytes: limits.memory_bytes.map(|bytes| bytes + UNUSED_BYTES.max(installed_bytes() / 16)),
            cgroup: None,
        };
        let group = |cgroups: &Arc<Cgroups>| -> Result<_, ControlGroupError> {
            cgroups.group(limits.memory_bytes.map(|bytes| bytes + GROUP_SLACK_BYTES), limits.tasks)
        };
        Jail::start(&self.supervisor, &spec, self.cgroups.as_ref().map(group).transpose()?)
    }
}

fn installed_bytes() -> u64 {
    let info = rustix::system::sysinfo();
    info.totalram as u64 * u64::from(info.mem_unit)
}
