//! The last steps of a process before it becomes the jailed program: it gives up everything that the program must not have.

use std::fs::File;
use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets, Gid, Uid};

use super::namespaces::{self, JAILED_ID};
use super::syscalls::{self, FilterOptions};
use super::wire::{JailSpec, StorageSpec};
use crate::Tier;
use crate::error::{SandboxPart, StepError};

/// How many files a program may have open. Java opens dozens.
const OPEN_FILES: u64 = 256;
/// How many signals with data may wait for a program; without namespaces, for all of the user. Runtimes send one to each thread.
const PENDING_SIGNALS: u64 = 256;

/// The newest version that is used; an older kernel uses its own.
const LANDLOCK: ABI = ABI::V7;

/// Gives up everything that the program must not have. `to_join` is the way into the control group, if this process is not in
/// it yet. Call it in a process with a single thread.
pub(super) fn give_up_everything(spec: &JailSpec, has_own_user: bool, to_join: Option<&File>) -> Result<(), StepError> {
    rustix::process::setsid().map_err(StepError::at(SandboxPart::Rights, "session"))?;
    if let Some(mut procs) = to_join {
        io::Write::write_all(&mut procs, b"0").map_err(StepError::at(SandboxPart::ControlGroups, "control group"))?;
    }
    if spec.tier == Tier::C {
        return die_with_the_supervisor();
    }
    limit_processes(spec)?;
    drop_rights(has_own_user).map_err(StepError::at(SandboxPart::Rights, "rights"))?;
    // The kernel may show the memory of a process that becomes another user, and here it is a copy of the supervisor's.
    hide_memory()?;
    // A process that becomes another user forgets this, so it comes after.
    die_with_the_supervisor()?;
    if spec.tier.has_landlock() {
        restrict_files(spec)?;
    }
    close_all_but_the_first_three()?;
    syscalls::restrict(filter_options(spec, has_own_user))
}

fn filter_options(spec: &JailSpec, has_own_user: bool) -> FilterOptions {
    let scratch = spec.scratch.is_some();
    // A fork bomb outruns whoever counts its processes, so the kernel has to: in a group, or by the quota of a user that is
    // the jail's alone, which does not hold root. A compiler has to start others, and runs no code of a stranger.
    let namespaces = spec.tier.has_namespaces();
    let has_quota = namespaces && (has_own_user || !rustix::process::geteuid().is_root());
    let processes = spec.group_limits_tasks || has_quota || scratch;
    FilterOptions { namespaces, scratch, processes, pid: std::process::id() }
}

/// Keeps jailed programs from looking into this process.
pub(super) fn hide_memory() -> Result<(), StepError> {
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(StepError::at(SandboxPart::Supervisor, "the supervisor's memory cannot be hidden"))
}

fn die_with_the_supervisor() -> Result<(), StepError> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(StepError::at(SandboxPart::Rights, "the supervisor's death"))
}

/// Limits what this process and those that it starts may have open, write and lock.
pub(super) fn set_limits(spec: &JailSpec) -> Result<(), StepError> {
    let limits = [
        // A core dump may go to a program that writes it whatever its size, unless the limit is a single byte.
        (Resource::Core, Some(1)),
        (Resource::Nofile, Some(OPEN_FILES)),
        (Resource::Fsize, Some(spec.file_bytes)),
        (Resource::Memlock, Some(0)),
        (Resource::Msgqueue, Some(0)),
        (Resource::Sigpending, Some(PENDING_SIGNALS)),
        (Resource::Rtprio, Some(0)),
        (Resource::Nice, Some(0)),
        (Resource::Data, spec.data_bytes),
    ];
    limits
        .into_iter()
        .filter_map(|(resource, limit)| Some((resource, limit?)))
        .try_for_each(|(resource, limit)| set_limit(resource, limit))
}

/// Limits how many processes this process may start. Without namespaces that would count whatever else the user runs.
fn limit_processes(spec: &JailSpec) -> Result<(), StepError> {
    spec.tasks.filter(|_| spec.tier.has_namespaces()).map_or(Ok(()), |tasks| set_limit(Resource::Nproc, tasks))
}

fn set_limit(resource: Resource, limit: u64) -> Result<(), StepError> {
    let max = rustix::process::getrlimit(resource).maximum.map_or(limit, |max| max.min(limit));
    rustix::process::setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) })
        .map_err(StepError::at(SandboxPart::Rights, "limits"))
}

/// Sees to it that no program that is run later, by this process or by those that it starts, gets any capability. This process keeps its own.
pub(super) fn bound_capabilities() {
    for capability in CapabilitySet::all().iter() {
        // The kernel may know fewer than we do, or not allow this; a capability that we do not have need not be dropped.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
}

/// Drops all capabilities. The supervisor has called [`bound_capabilities`], so that they stay away.
fn drop_rights(has_own_user: bool) -> rustix::io::Result<()> {
    if has_own_user {
        let (user, group) = (Uid::from_raw(JAILED_ID), Gid::from_raw(JAILED_ID));
        rustix::thread::set_thread_groups(&[])?;
        rustix::thread::set_thread_res_gid(group, group, group)?;
        rustix::thread::set_thread_res_uid(user, user, user)?;
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    rustix::thread::set_no_new_privs(true)
}

/// Returns what Landlock lets a program read and write, and that signals and abstract sockets stay inside.
fn ruleset(spec: &JailSpec) -> Result<RulesetCreated, StepError> {
    let (all, read) = (AccessFs::from_all(LANDLOCK), AccessFs::from_read(LANDLOCK));
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.create())
        .map_err(StepError::at(SandboxPart::Landlock, "Landlock"))?;
    let ruleset = if spec.tier.has_namespaces() {
        let storage = matches!(spec.storage, Some(StorageSpec::Writable { .. })).then(|| namespaces::storage_of(spec));
        let writable = spec.scratch.iter().map(Path::new).chain(storage).chain([Path::new("/tmp")]);
        ruleset
            .add_rules(path_beneath_rules(["/"], read))
            .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(writable, all)))
    } else {
        let own = spec.readable.iter().map(|path| Path::new(path).to_owned());
        let readable = namespaces::system().into_iter().chain(own).chain(["/proc/self".into()]);
        ruleset
            .add_rules(path_beneath_rules(readable, read))
            .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(spec.scratch.iter().map(Path::new), all)))
    };
    ruleset
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(namespaces::DEVICES, AccessFs::ReadFile | AccessFs::WriteFile)))
        .map_err(StepError::at(SandboxPart::Landlock, "Landlock"))
}

fn restrict_files(spec: &JailSpec) -> Result<(), StepError> {
    let status = ruleset(spec)?.restrict_self().map_err(StepError::at(SandboxPart::Landlock, "Landlock"))?;
    match status.landlock {
        _ if status.ruleset == RulesetStatus::NotEnforced => {
            Err(StepError::new(SandboxPart::Landlock, "Landlock", "this kernel does not have it, or has it switched off"))
        }
        // Before its third version a file that may be read can be truncated, which matters where only Landlock protects it.
        LandlockStatus::Available { effective_abi, .. } if effective_abi < ABI::V3 && !spec.tier.has_namespaces() => {
            Err(StepError::new(
                SandboxPart::Landlock,
                "Landlock",
                "this kernel's version cannot keep files from being truncated; Linux 6.2 can",
            ))
        }
        _ => Ok(()),
    }
}

/// Closes whatever the process that started us has left open, except the first three and `keep`. A table of open files has room for
/// the highest number in it, and programs that were forked with a large one could hold more than others.
#[expect(unsafe_code, reason = "rustix has no close_range")]
pub(super) fn close_inherited(keep: u32) -> Result<(), StepError> {
    for (first, last) in [(3, keep - 1), (keep + 1, libc::c_uint::MAX)] {
        // SAFETY: the call takes numbers. This process was just started, and has opened nothing but `keep`.
        if first <= last && unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } != 0 {
            return Err(StepError::last_os_error(SandboxPart::Rights, "inherited files"));
        }
    }
    Ok(())
}

/// Closes on exec whatever the process that started us has left open. Our own files close anyway.
#[expect(unsafe_code, reason = "rustix has no close_range")]
fn close_all_but_the_first_three() -> Result<(), StepError> {
    // SAFETY: the call takes numbers and changes flags of descriptors; it closes none.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if result == 0 { Ok(()) } else { Err(StepError::last_os_error(SandboxPart::Rights, "open files")) }
}
