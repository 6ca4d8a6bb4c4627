//! The last steps of a process before it becomes the jailed program: it gives up everything that the program must not have.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets, Gid, Uid};
use seccompiler::BpfProgram;

use super::namespaces::{self, JAILED_ID};
use super::syscalls::{self, FilterOptions};
use super::wire::JailSpec;
use crate::Tier;
use crate::error::{SandboxPart, StepError};

/// How many files a program may have open. Java opens dozens.
const OPEN_FILES: u64 = 256;

/// The newest version that is used; an older kernel uses its own.
const LANDLOCK: ABI = ABI::V7;

/// Becomes the program; returns only if that fails. `to_join` is the way into the control group, if this process is not in
/// it yet. Call it in a process with a single thread.
pub(super) fn become_program(
    spec: &JailSpec,
    has_own_user: bool,
    filter: &Filter,
    to_join: Option<&File>,
    pipes: [Stdio; 3],
) -> StepError {
    match give_up_everything(spec, has_own_user, filter, to_join) {
        Ok(()) => {}
        Err(error) => return error,
    }
    let Some((program, arguments)) = spec.command.split_first() else {
        return StepError::new(SandboxPart::Program, "the command", "it is empty");
    };
    let [stdin, stdout, stderr] = pipes;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(spec.environment.iter().cloned()).current_dir(&spec.directory);
    let error = command.stdin(stdin).stdout(stdout).stderr(stderr).exec();
    StepError::at(SandboxPart::Program, format!("cannot start {}", program.display()))(error)
}

fn give_up_everything(spec: &JailSpec, has_own_user: bool, filter: &Filter, to_join: Option<&File>) -> Result<(), StepError> {
    rustix::process::setsid().map_err(StepError::at(SandboxPart::Rights, "session"))?;
    if let Some(mut procs) = to_join {
        io::Write::write_all(&mut procs, b"0").map_err(StepError::at(SandboxPart::ControlGroups, "control group"))?;
    }
    if spec.tier == Tier::C {
        return die_with_the_supervisor();
    }
    set_limits(spec)?;
    drop_rights(has_own_user).map_err(StepError::at(SandboxPart::Rights, "rights"))?;
    // A process that becomes another user forgets this, so it comes after.
    die_with_the_supervisor()?;
    if spec.tier.has_landlock() {
        restrict_files(spec)?;
    }
    close_all_but_the_first_three()?;
    let own;
    let filter = match filter {
        Filter::None => return Ok(()),
        Filter::OfAll(filter) => filter,
        Filter::OfEach => {
            own = syscalls::filter(filter_options(spec, has_own_user, std::process::id()))?;
            &own
        }
    };
    seccompiler::apply_filter(filter).map_err(StepError::at(SandboxPart::SystemCalls, "seccomp"))
}

/// The filter of system calls of the programs in a jail.
pub(super) enum Filter {
    None,
    /// Every start has the same, so it is compiled once.
    OfAll(BpfProgram),
    /// It names the process that it filters.
    OfEach,
}

impl Filter {
    /// Compiles what can be compiled before the first start.
    pub(super) fn new(spec: &JailSpec, has_own_user: bool) -> Result<Filter, StepError> {
        if spec.tier == Tier::C {
            return Ok(Filter::None);
        }
        let options = filter_options(spec, has_own_user, 0);
        if options.names_process() { Ok(Filter::OfEach) } else { Ok(Filter::OfAll(syscalls::filter(options)?)) }
    }
}

fn filter_options(spec: &JailSpec, has_own_user: bool, pid: u32) -> FilterOptions {
    let scratch = spec.scratch.is_some();
    // A fork bomb outruns whoever counts its processes, so the kernel has to: in a group, or by the quota of a user that is
    // the jail's alone, which does not hold root. A compiler has to start others, and runs no code of a stranger.
    let namespaces = spec.tier.has_namespaces();
    let has_quota = namespaces && (has_own_user || !rustix::process::geteuid().is_root());
    let processes = spec.group_limits_tasks || has_quota || scratch;
    FilterOptions { namespaces, scratch, processes, pid }
}

fn die_with_the_supervisor() -> Result<(), StepError> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(StepError::at(SandboxPart::Rights, "the supervisor's death"))
}

fn set_limits(spec: &JailSpec) -> Result<(), StepError> {
    let limits = [
        // A core dump may go to a program that writes it whatever its size, unless the limit is a single byte.
        (Resource::Core, Some(1)),
        (Resource::Nofile, Some(OPEN_FILES)),
        (Resource::Fsize, Some(spec.file_bytes)),
        (Resource::Memlock, Some(0)),
        (Resource::Msgqueue, Some(0)),
        (Resource::Rtprio, Some(0)),
        (Resource::Nice, Some(0)),
        (Resource::Data, spec.data_bytes),
        // Without namespaces it would count whatever else the user runs.
        (Resource::Nproc, spec.tasks.filter(|_| spec.tier.has_namespaces())),
    ];
    for (resource, limit) in limits {
        let Some(limit) = limit else { continue };
        let max = rustix::process::getrlimit(resource).maximum.map_or(limit, |max| max.min(limit));
        rustix::process::setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) })
            .map_err(StepError::at(SandboxPart::Rights, "limits"))?;
    }
    Ok(())
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

/// Uses Landlock to restrict what may be read and written, and keeps signals and abstract sockets inside.
fn restrict_files(spec: &JailSpec) -> Result<(), StepError> {
    let (all, read) = (AccessFs::from_all(LANDLOCK), AccessFs::from_read(LANDLOCK));
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.create())
        .map_err(StepError::at(SandboxPart::Landlock, "Landlock"))?;
    let ruleset = if spec.tier.has_namespaces() {
        let writable = spec.scratch.iter().map(Path::new).chain([Path::new("/tmp")]);
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
    let status = ruleset
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(namespaces::DEVICES, AccessFs::ReadFile | AccessFs::WriteFile)))
        .and_then(|ruleset| ruleset.restrict_self())
        .map_err(StepError::at(SandboxPart::Landlock, "Landlock"))?;
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

/// Closes on exec whatever the process that started us has left open. Our own files close anyway.
#[expect(unsafe_code, reason = "rustix has no close_range")]
fn close_all_but_the_first_three() -> Result<(), StepError> {
    // SAFETY: the call takes numbers and changes flags of descriptors; it closes none.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if result == 0 { Ok(()) } else { Err(StepError::last_os_error(SandboxPart::Rights, "open files")) }
}
