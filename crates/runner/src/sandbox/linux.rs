//! Jails on Linux.

mod cgroup;
mod jail;
mod namespaces;
mod quotas;
mod restrict;
mod supervisor;
mod syscalls;
mod trial;
mod wire;

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::{Mounts, STORAGE_BYTES, Storage, lexically_normal};
use crate::Tier;
use crate::error::ControlGroupError;
use crate::limits::Limits;
use crate::outcome::SandboxError;
use cgroup::Cgroups;
pub(crate) use jail::{Jail, JailedProcess};
pub use quotas::{free_tasks, max_watches};
pub use supervisor::supervisor_main;
use wire::{JailSpec, StorageSpec};

/// How large a file may get in `/data`, which holds no more in all.
const FILE_BYTES: u64 = STORAGE_BYTES;
/// How large a file may get that a compiler writes.
const COMPILED_BYTES: u64 = 256 * 1024 * 1024;
/// What a control group may use beyond the limit before the kernel steps in, without storage.
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
    /// Returns tier C: no sandbox, and no supervisor either.
    pub fn none() -> Sandbox {
        Sandbox { tier: Tier::C, supervisor: Vec::new(), cgroups: None }
    }

    /// Returns its tier.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Returns the controllers by which control groups limit programs; `None` if there are no groups.
    pub fn control_groups(&self) -> Option<&[&'static str]> {
        self.cgroups.as_ref().map(|cgroups| cgroups.controllers.as_slice())
    }

    /// Returns whether programs get a supervisor. In tier C it confines nothing, but ends what a program leaves behind, even if
    /// the process that started the program is killed.
    pub fn has_supervisor(&self) -> bool {
        !self.supervisor.is_empty()
    }

    /// Returns tier C with the supervisor of this sandbox.
    #[must_use]
    pub fn without_confinement(&self) -> Sandbox {
        Sandbox { tier: Tier::C, ..self.clone() }
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
        let mut environment: Vec<(OsString, OsString)> = if self.tier == Tier::C {
            env::vars_os().collect()
        } else {
            let path = env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
            vec![("PATH".into(), path), ("HOME".into(), "/tmp".into()), ("LANG".into(), "C.UTF-8".into())]
        };
        environment.extend(mounts.environment.iter().cloned());
        let absolute = |path: &Path| OsString::from(lexically_normal(&here.join(path)));
        let storage = mounts.storage.as_ref().filter(|_| self.tier.has_namespaces()).map(|storage| match storage {
            Storage::Writable { from, at, keep } => {
                let [from, at, keep] = [from, at, keep].map(|path| path.as_deref().map(absolute));
                StorageSpec::Writable { from, at, keep }
            }
            Storage::ReadOnly(path) => StorageSpec::ReadOnly(absolute(path)),
        });
        // Tables and buffers of the kernel count for a group, too, and so does what is written to its storage.
        let slack = GROUP_SLACK_BYTES + if storage.is_some() { STORAGE_BYTES } else { 0 };
        let spec = JailSpec {
            tier: self.tier,
            group_limits_tasks: self.cgroups.as_ref().is_some_and(|cgroups| cgroups.controllers.contains(&"pids")),
            command: command.to_vec(),
            directory: absolute(&here),
            environment,
            readable: mounts.readable.iter().map(|path| absolute(path)).collect(),
            scratch: mounts.scratch.as_deref().map(absolute),
            storage,
            tasks: limits.tasks,
            file_bytes: if mounts.scratch.is_some() { COMPILED_BYTES } else { FILE_BYTES },
            data_bytes: limits.memory_bytes.map(|bytes| bytes + UNUSED_BYTES.max(installed_bytes() / 16)),
            cgroup: None,
        };
        let group = |cgroups: &Arc<Cgroups>| -> Result<_, ControlGroupError> {
            cgroups.group(limits.memory_bytes.map(|bytes| bytes + slack), limits.tasks)
        };
        Jail::start(&self.supervisor, &spec, self.cgroups.as_ref().map(group).transpose()?)
    }
}

fn installed_bytes() -> u64 {
    let info = rustix::system::sysinfo();
    info.totalram as u64 * u64::from(info.mem_unit)
}
