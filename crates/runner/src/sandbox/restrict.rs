//! The last steps of a bot's process before it becomes the bot: everything that it must not have is given up.

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

use super::namespaces::{self, BOT};
use super::syscalls::{self, Place};
use super::wire::JailSpec;
use crate::error::StepError;

/// How many files a bot may have open. Java opens dozens.
const OPEN_FILES: u64 = 256;

/// The newest version that is used; of an older kernel, its own.
const LANDLOCK: ABI = ABI::V7;

/// Becomes the bot; returns only if that cannot be. `to_join` is the way into the control group, if it is not in there yet.
/// Called in a process with one thread.
pub(super) fn become_the_bot(spec: &JailSpec, has_bot: bool, to_join: Option<&File>, pipes: [Stdio; 3]) -> StepError {
    match give_up_everything(spec, has_bot, to_join) {
        Ok(()) => {}
        Err(failure) => return failure,
    }
    let Some((program, arguments)) = spec.command.split_first() else {
        return StepError::at("the command")("it is empty");
    };
    let [stdin, stdout, stderr] = pipes;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(spec.environment.iter().cloned()).current_dir(&spec.directory);
    let error = command.stdin(stdin).stdout(stdout).stderr(stderr).exec();
    StepError::at(format!("cannot start {}", program.display()))(error)
}

fn give_up_everything(spec: &JailSpec, has_bot: bool, to_join: Option<&File>) -> Result<(), StepError> {
    rustix::process::setsid().map_err(StepError::at("session"))?;
    if let Some(mut procs) = to_join {
        io::Write::write_all(&mut procs, b"0").map_err(StepError::at("control group"))?;
    }
    set_limits(spec)?;
    drop_rights(has_bot).map_err(StepError::at("rights"))?;
    // Whoever becomes another user forgets this, so it comes after.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(StepError::at("the warden's death"))?;
    landlock(spec).map_err(StepError::at("Landlock"))?;
    close_all_but_the_first_three()?;
    let scratch = spec.scratch.is_some();
    // Neither quotas nor signals to groups hold a fork bomb: it takes a pid namespace or a control group.
    let processes = spec.namespaces || spec.cgroup.is_some() || scratch;
    let place = Place { namespaces: spec.namespaces, scratch, processes, pid: std::process::id() };
    let [allowed, pretended] = syscalls::filters(place).map_err(StepError::at("seccomp"))?;
    let apply = |filter| seccompiler::apply_filter(filter).map_err(StepError::at("seccomp"));
    // In this order: the second filter knows nothing of what the first one takes away.
    apply(&pretended)?;
    apply(&allowed)
}

fn set_limits(spec: &JailSpec) -> Result<(), StepError> {
    let limits = [
        // A core dump may go to a program that writes it, whatever its size, unless a single byte is allowed.
        (Resource::Core, Some(1)),
        (Resource::Nofile, Some(OPEN_FILES)),
        (Resource::Fsize, Some(spec.file_bytes)),
        (Resource::Memlock, Some(0)),
        (Resource::Msgqueue, Some(0)),
        (Resource::Rtprio, Some(0)),
        (Resource::Nice, Some(0)),
        (Resource::Data, spec.data_bytes),
        // Elsewhere it would count whatever else the user runs.
        (Resource::Nproc, spec.tasks.filter(|_| spec.namespaces)),
    ];
    for (resource, limit) in limits {
        let Some(limit) = limit else { continue };
        let most = rustix::process::getrlimit(resource).maximum.map_or(limit, |most| most.min(limit));
        rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
            .map_err(StepError::at("limits"))?;
    }
    Ok(())
}

/// No capability is left, and none can be had by running another program.
fn drop_rights(has_bot: bool) -> rustix::io::Result<()> {
    for capability in CapabilitySet::all().iter() {
        // The kernel knows fewer than we do, or we may not; what we have not, we need not drop.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    if has_bot {
        let (user, group) = (Uid::from_raw(BOT), Gid::from_raw(BOT));
        rustix::thread::set_thread_groups(&[])?;
        rustix::thread::set_thread_res_gid(group, group, group)?;
        rustix::thread::set_thread_res_uid(user, user, user)?;
    }
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    rustix::thread::set_no_new_privs(true)
}

/// What may be read, what may be written, and that no signal and no abstract socket reaches further than this.
pub(super) fn landlock(spec: &JailSpec) -> Result<(), String> {
    let error = |error: &dyn std::error::Error| error.to_string();
    let (all, read) = (AccessFs::from_all(LANDLOCK), AccessFs::from_read(LANDLOCK));
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.create())
        .map_err(|refused| error(&refused))?;
    let ruleset = if spec.namespaces {
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
        .map_err(|refused| error(&refused))?;
    match status.landlock {
        _ if status.ruleset == RulesetStatus::NotEnforced => {
            Err("this kernel does not have it, or has it switched off".to_owned())
        }
        // Before the third version a file that may be read can be emptied. Where nothing but Landlock keeps it, that will not do.
        LandlockStatus::Available { effective_abi, .. } if effective_abi < ABI::V3 && !spec.namespaces => {
            Err("this kernel's version of it cannot keep files from being emptied; Linux 6.2 can".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whatever we were left open by who started us is not for the bot. Our own files close by themselves.
fn close_all_but_the_first_three() -> Result<(), StepError> {
    // SAFETY: the call takes numbers and changes flags of descriptors; it closes none.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if result == 0 { Ok(()) } else { Err(StepError::last_os_error("open files")) }
}
