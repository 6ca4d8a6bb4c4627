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

use super::syscalls::{self, Place};
use super::walls::{self, BOT};
use super::wire::Plan;

/// How many files a bot may have open. Java opens dozens.
const OPEN_FILES: u64 = 256;

/// The newest version that is used; of an older kernel, its own.
const LANDLOCK: ABI = ABI::V7;

/// What was being done when it failed.
pub(super) type Failure = (String, Option<i32>);

pub(super) fn failed<E: Into<io::Error>>(step: &str) -> impl FnOnce(E) -> Failure {
    move |error| {
        let error = error.into();
        (step.to_owned(), error.raw_os_error())
    }
}

/// Becomes the bot; returns only if that cannot be. `to_join` is the way into the control group, if it is not in there yet.
/// Called in a process with one thread.
pub(super) fn become_the_bot(plan: &Plan, has_bot: bool, to_join: Option<&File>, pipes: [Stdio; 3]) -> Failure {
    match give_up_everything(plan, has_bot, to_join) {
        Ok(()) => {}
        Err(failure) => return failure,
    }
    let Some((program, arguments)) = plan.command.split_first() else {
        return ("no command was given".to_owned(), None);
    };
    let [stdin, stdout, stderr] = pipes;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(plan.environment.iter().cloned()).current_dir(&plan.directory);
    let error = command.stdin(stdin).stdout(stdout).stderr(stderr).exec();
    (format!("cannot start {}", program.display()), error.raw_os_error())
}

fn give_up_everything(plan: &Plan, has_bot: bool, to_join: Option<&File>) -> Result<(), Failure> {
    rustix::process::setsid().map_err(failed("session"))?;
    if let Some(mut procs) = to_join {
        io::Write::write_all(&mut procs, b"0").map_err(failed("control group"))?;
    }
    set_limits(plan)?;
    drop_rights(has_bot).map_err(failed("rights"))?;
    // Whoever becomes another user forgets this, so it comes after.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("the warden's death"))?;
    let unenforced = |what: &str, error: String| (format!("{what}: {error}"), None);
    landlock(plan).map_err(|error| unenforced("Landlock", error))?;
    close_all_but_the_first_three()?;
    let scratch = plan.scratch.is_some();
    // Neither quotas nor signals to groups hold a fork bomb: it takes a pid namespace or a control group.
    let processes = plan.namespaces || plan.cgroup.is_some() || scratch;
    let place = Place { namespaces: plan.namespaces, scratch, processes, pid: std::process::id() };
    let [allowed, pretended] = syscalls::filters(place).map_err(|error| unenforced("seccomp", error))?;
    let apply = |filter| seccompiler::apply_filter(filter).map_err(|error| unenforced("seccomp", error.to_string()));
    // In this order: the second filter knows nothing of what the first one takes away.
    apply(&pretended)?;
    apply(&allowed)
}

fn set_limits(plan: &Plan) -> Result<(), Failure> {
    let limits = [
        // A core dump may go to a program that writes it, whatever its size, unless a single byte is allowed.
        (Resource::Core, Some(1)),
        (Resource::Nofile, Some(OPEN_FILES)),
        (Resource::Fsize, Some(plan.file_bytes)),
        (Resource::Memlock, Some(0)),
        (Resource::Msgqueue, Some(0)),
        (Resource::Rtprio, Some(0)),
        (Resource::Nice, Some(0)),
        (Resource::Data, plan.data_bytes),
        // Elsewhere it would count whatever else the user runs.
        (Resource::Nproc, plan.tasks.filter(|_| plan.namespaces)),
    ];
    for (resource, limit) in limits {
        let Some(limit) = limit else { continue };
        let most = rustix::process::getrlimit(resource).maximum.map_or(limit, |most| most.min(limit));
        rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).map_err(failed("limits"))?;
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
pub(super) fn landlock(plan: &Plan) -> Result<(), String> {
    let error = |error: &dyn std::error::Error| error.to_string();
    let (all, read) = (AccessFs::from_all(LANDLOCK), AccessFs::from_read(LANDLOCK));
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.create())
        .map_err(|refused| error(&refused))?;
    let ruleset = if plan.namespaces {
        let writable = plan.scratch.iter().map(Path::new).chain([Path::new("/tmp")]);
        ruleset
            .add_rules(path_beneath_rules(["/"], read))
            .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(writable, all)))
    } else {
        let own = plan.readable.iter().map(|path| Path::new(path).to_owned());
        let readable = walls::system().into_iter().chain(own).chain(["/proc/self".into()]);
        ruleset
            .add_rules(path_beneath_rules(readable, read))
            .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(plan.scratch.iter().map(Path::new), all)))
    };
    let status = ruleset
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(walls::DEVICES, AccessFs::ReadFile | AccessFs::WriteFile)))
        .and_then(|ruleset| ruleset.restrict_self())
        .map_err(|refused| error(&refused))?;
    match status.landlock {
        _ if status.ruleset == RulesetStatus::NotEnforced => {
            Err("this kernel does not have it, or has it switched off".to_owned())
        }
        // Before the third version a file that may be read can be emptied. Where nothing but Landlock keeps it, that will not do.
        LandlockStatus::Available { effective_abi, .. } if effective_abi < ABI::V3 && !plan.namespaces => {
            Err("this kernel's version of it cannot keep files from being emptied; Linux 6.2 can".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whatever we were left open by who started us is not for the bot. Our own files close by themselves.
fn close_all_but_the_first_three() -> Result<(), Failure> {
    // SAFETY: the call takes numbers and changes flags of descriptors; it closes none.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if result == 0 { Ok(()) } else { Err(failed("open files")(io::Error::last_os_error())) }
}
