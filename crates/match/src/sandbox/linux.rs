//! Jails on Linux.

mod cgroup;
mod fence;
mod jail;
mod syscalls;
mod walls;
mod warden;
mod wire;

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{Mounts, Tier, lexically_normal};
use crate::limits::Limits;
use crate::program::{Outcome, Program, Question};
use cgroup::Cgroups;
pub(crate) use jail::{Inmate, Jail};
pub use warden::keep as keep_jail;
use wire::Plan;

/// How large a file may get in `/tmp`, which takes no more in all.
const FILE_BYTES: u64 = 16 * 1024 * 1024;
/// How large a file may get that a compiler writes.
const COMPILED_BYTES: u64 = 256 * 1024 * 1024;
/// What a group may use beyond the limit before the kernel steps in: tables and buffers of its own count there, too.
const GROUP_SLACK_BYTES: u64 = 32 * 1024 * 1024;
/// What runtimes ask for beyond what they use, at least.
const UNUSED_BYTES: u64 = 256 * 1024 * 1024;

/// How this machine shuts bots in: found out once, used for every bot.
#[derive(Clone, Debug)]
pub struct Sandbox {
    tier: Tier,
    /// The command that becomes a jail's warden: our own program, which then calls [`keep_jail`].
    helper: Vec<OsString>,
    cgroups: Option<Arc<Cgroups>>,
}

impl Sandbox {
    /// No sandbox.
    pub fn none() -> Sandbox {
        Sandbox { tier: Tier::C, helper: Vec::new(), cgroups: None }
    }

    /// The best that this machine has, found by trying.
    pub fn best(helper: Vec<OsString>) -> Sandbox {
        let cgroups = Cgroups::open().ok();
        let tries = [(Tier::A, cgroups.clone()), (Tier::A, None), (Tier::B, cgroups), (Tier::B, None)];
        let mut sandboxes = tries.into_iter().map(|(tier, cgroups)| Sandbox { tier, helper: helper.clone(), cgroups });
        sandboxes.find(|sandbox| sandbox.hold().is_ok()).unwrap_or_else(Sandbox::none)
    }

    /// A sandbox of this tier, with control groups or without, if one can be had; else why not.
    pub fn exactly(tier: Tier, control_groups: bool, helper: Vec<OsString>) -> Result<Sandbox, String> {
        if tier == Tier::C {
            return Ok(Sandbox::none());
        }
        let cgroups = control_groups.then(Cgroups::open).transpose()?;
        let sandbox = Sandbox { tier, helper, cgroups };
        sandbox.hold().map(|()| sandbox)
    }

    /// How well it shuts in.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// The controllers by which control groups limit bots; `None` if there are no groups.
    pub fn control_groups(&self) -> Option<&[&'static str]> {
        self.cgroups.as_ref().map(|cgroups| cgroups.controllers.as_slice())
    }

    /// Tries it with a program that does nothing.
    fn hold(&self) -> Result<(), String> {
        let limits = Limits { wall: Some(Duration::from_secs(10)), cpu: None, ..Limits::default() };
        let mut nothing = Program::new(["/bin/sh", "-c", ":"].map(OsString::from).to_vec(), limits);
        // Wherever we are, that shall not matter.
        nothing.directory = Some("/".into());
        nothing.confine(self, Mounts::default())?;
        let run = nothing.ask(Question { fresh: "", running: "" }, &AtomicBool::new(false));
        match run.outcome {
            Outcome::Answered => Ok(()),
            Outcome::NotStarted(reason) => Err(reason),
            other => Err(format!("a program that does nothing ended as {other:?}")),
        }
    }

    /// A jail for this command.
    pub(crate) fn jail(
        &self,
        command: &[OsString],
        directory: Option<&Path>,
        view: &Mounts,
        limits: &Limits,
    ) -> Result<Jail, String> {
        let here = match directory {
            Some(directory) if directory.is_absolute() => directory.to_owned(),
            _ => env::current_dir()
                .map_err(|error| format!("the current folder: {error}"))?
                .join(directory.unwrap_or(Path::new(""))),
        };
        let path = env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        let mut environment = vec![("PATH".into(), path), ("HOME".into(), "/tmp".into()), ("LANG".into(), "C.UTF-8".into())];
        environment.extend(view.environment.iter().cloned());
        let absolute = |path: &Path| OsString::from(lexically_normal(&here.join(path)));
        let plan = Plan {
            namespaces: self.tier == Tier::A,
            command: command.to_vec(),
            directory: absolute(&here),
            environment,
            readable: view.readable.iter().map(|path| absolute(path)).collect(),
            scratch: view.scratch.as_deref().map(absolute),
            tasks: limits.tasks,
            file_bytes: if view.scratch.is_some() { COMPILED_BYTES } else { FILE_BYTES },
            data_bytes: limits.memory_bytes.map(|bytes| bytes + UNUSED_BYTES.max(installed_bytes() / 16)),
            cgroup: None,
        };
        let group = |cgroups: &Arc<Cgroups>| {
            let memory_bytes = limits.memory_bytes.map(|bytes| bytes + GROUP_SLACK_BYTES);
            cgroups.group(memory_bytes, limits.tasks).map_err(|error| format!("control group: {error}"))
        };
        Jail::start(&self.helper, &plan, self.cgroups.as_ref().map(group).transpose()?)
    }
}

fn installed_bytes() -> u64 {
    let info = rustix::system::sysinfo();
    info.totalram as u64 * u64::from(info.mem_unit)
}
