//! The system calls that a jailed program may make, and with which arguments. A call that is not listed here does not exist
//! for it.
//!
//! The list has what runtimes need: files, memory, threads, processes of their own, time, signals, pipes and waiting. It has no
//! `setsid`: the kernel gives each session its share of the processors, and a bot shall have one share.
//! It has no sockets, not even pairs (data in them is charged to no process), no System V memory, message queues, keyrings,
//! io_uring, tracing, namespaces, mounts, real file locks, or other ways to change what other processes see.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
    sock_filter,
};

use crate::error::{SandboxPart, StepError};

/// Allowed whatever the arguments.
#[rustfmt::skip]
const FREE: &[i64] = &[
    // Files and folders.
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64, libc::SYS_pwrite64,
    libc::SYS_preadv, libc::SYS_pwritev, libc::SYS_preadv2, libc::SYS_pwritev2, libc::SYS_openat, libc::SYS_openat2,
    libc::SYS_close, libc::SYS_close_range, libc::SYS_lseek, libc::SYS_newfstatat, libc::SYS_fstat, libc::SYS_statx,
    libc::SYS_statfs, libc::SYS_fstatfs, libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_readlinkat,
    libc::SYS_getdents64, libc::SYS_getcwd, libc::SYS_chdir, libc::SYS_fchdir, libc::SYS_mkdirat, libc::SYS_unlinkat,
    libc::SYS_renameat2, libc::SYS_symlinkat, libc::SYS_linkat, libc::SYS_ftruncate, libc::SYS_fallocate,
    libc::SYS_readahead, libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_umask, libc::SYS_dup,
    libc::SYS_dup3, libc::SYS_pipe2, libc::SYS_copy_file_range, libc::SYS_sendfile, libc::SYS_splice, libc::SYS_tee,
    libc::SYS_getxattr, libc::SYS_lgetxattr, libc::SYS_fgetxattr, libc::SYS_listxattr,
    // Memory.
    libc::SYS_brk, libc::SYS_munmap, libc::SYS_mremap, libc::SYS_mprotect, libc::SYS_msync,
    libc::SYS_mincore, libc::SYS_mlock, libc::SYS_munlock, libc::SYS_membarrier, libc::SYS_pkey_alloc,
    libc::SYS_pkey_free, libc::SYS_pkey_mprotect, libc::SYS_get_mempolicy,
    // The program's own processes and threads.
    libc::SYS_execve, libc::SYS_execveat, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_wait4, libc::SYS_waitid,
    libc::SYS_getpid, libc::SYS_getppid, libc::SYS_gettid, libc::SYS_getpgid, libc::SYS_setpgid, libc::SYS_getsid,
    libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid, libc::SYS_getegid, libc::SYS_getresuid,
    libc::SYS_getresgid, libc::SYS_getgroups, libc::SYS_set_tid_address, libc::SYS_set_robust_list,
    libc::SYS_get_robust_list, libc::SYS_rseq, libc::SYS_futex, libc::SYS_sched_yield, libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam, libc::SYS_sched_getscheduler, libc::SYS_sched_getattr, libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min, libc::SYS_sched_rr_get_interval, libc::SYS_getpriority, libc::SYS_getrusage,
    libc::SYS_getcpu, libc::SYS_times, libc::SYS_capget, libc::SYS_uname, libc::SYS_sysinfo, libc::SYS_getrandom,
    libc::SYS_pidfd_open, libc::SYS_restart_syscall, FUTEX_WAITV,
    // Signals.
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend, libc::SYS_rt_sigtimedwait, libc::SYS_sigaltstack, libc::SYS_signalfd4,
    // Time. No POSIX timers: they could send a signal that lets a stopped process continue.
    libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_clock_nanosleep, libc::SYS_nanosleep,
    libc::SYS_gettimeofday, libc::SYS_getitimer, libc::SYS_setitimer, libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime, libc::SYS_timerfd_gettime,
    // Waiting.
    libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_create1, libc::SYS_epoll_ctl, libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2, libc::SYS_eventfd2,
];

/// What a program may say about its own memory.
#[rustfmt::skip]
const ADVICE: [i32; 16] = [
    libc::MADV_NORMAL, libc::MADV_RANDOM, libc::MADV_SEQUENTIAL, libc::MADV_WILLNEED, libc::MADV_DONTNEED, libc::MADV_FREE,
    libc::MADV_HUGEPAGE, libc::MADV_NOHUGEPAGE, libc::MADV_DONTFORK, libc::MADV_DOFORK, libc::MADV_WIPEONFORK,
    libc::MADV_KEEPONFORK, libc::MADV_DONTDUMP, libc::MADV_DODUMP, libc::MADV_POPULATE_READ, libc::MADV_POPULATE_WRITE,
];

/// Not yet named on every architecture; it has the same number on all.
const FUTEX_WAITV: i64 = 449;
const FCHMODAT2: i64 = 452;

/// Older forms of some of these, which only older architectures have.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const LEGACY: &[i64] = &[
    libc::SYS_open, libc::SYS_creat, libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_readlink,
    libc::SYS_getdents, libc::SYS_mkdir, libc::SYS_rmdir, libc::SYS_unlink, libc::SYS_rename, libc::SYS_renameat,
    libc::SYS_symlink, libc::SYS_link, libc::SYS_dup2, libc::SYS_pipe, libc::SYS_poll, libc::SYS_select,
    libc::SYS_epoll_create, libc::SYS_epoll_wait, libc::SYS_eventfd, libc::SYS_signalfd, libc::SYS_getpgrp,
    libc::SYS_pause, libc::SYS_alarm, libc::SYS_time, libc::SYS_arch_prctl, libc::SYS_getrlimit,
];
#[cfg(target_arch = "aarch64")]
const LEGACY: &[i64] = &[libc::SYS_renameat];

/// Ownership, permissions and times of files. Landlock does not control these, so they are allowed only where nothing is
/// visible but what the program owns.
#[rustfmt::skip]
const METADATA: &[i64] = &[
    libc::SYS_truncate, libc::SYS_fchmod, libc::SYS_fchmodat, FCHMODAT2, libc::SYS_fchown, libc::SYS_fchownat,
    libc::SYS_utimensat,
];
#[cfg(target_arch = "x86_64")]
const LEGACY_METADATA: &[i64] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const LEGACY_METADATA: &[i64] = &[];

/// Older ways to start a process.
#[cfg(target_arch = "x86_64")]
const FORKS: &[i64] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const FORKS: &[i64] = &[];

/// Signals to other processes.
const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

/// What a supervisor does, and programs must not do, or not in every way. Processes may also be started by the calls of
/// [`FORKS`].
#[rustfmt::skip]
const OF_SUPERVISOR: &[i64] = &[
    libc::SYS_recvmsg, libc::SYS_sendmsg, libc::SYS_mount, libc::SYS_umount2, libc::SYS_clone3, libc::SYS_clone,
    libc::SYS_setsid, libc::SYS_setgroups, libc::SYS_setresgid, libc::SYS_setresuid, libc::SYS_capset, libc::SYS_prctl,
    libc::SYS_landlock_create_ruleset, libc::SYS_landlock_add_rule, libc::SYS_landlock_restrict_self, libc::SYS_seccomp,
];

/// What happens to a system call.
#[derive(Clone, Copy)]
enum Verdict {
    Allow,
    /// It succeeds without doing anything.
    Pretend,
    /// As if the kernel did not have it.
    Unknown,
}

impl From<Verdict> for SeccompAction {
    fn from(verdict: Verdict) -> SeccompAction {
        match verdict {
            Verdict::Allow => SeccompAction::Allow,
            Verdict::Pretend => SeccompAction::Errno(0),
            Verdict::Unknown => SeccompAction::Errno(libc::ENOSYS as u32),
        }
    }
}

/// What decides about a system call that is listed.
enum Rule {
    /// Nothing.
    Always(Verdict),
    /// The value of this argument, as 32 bits. With other values than these the call is unknown.
    Argument(u8, BTreeMap<u32, Verdict>),
    /// Whether one of these holds. Otherwise the call is unknown.
    AnyOf(Vec<SeccompRule>),
}

type Rules = BTreeMap<i64, Rule>;

/// What a filter depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilterOptions {
    /// The program has namespaces of its own, with nothing in them but what it may see.
    pub(super) namespaces: bool,
    /// The program writes files: it is a compiler.
    pub(super) scratch: bool,
    /// The program may start processes, because all of them can be found and killed at once.
    pub(super) processes: bool,
    /// The process that is filtered.
    pub(super) pid: u32,
}

impl FilterOptions {
    /// Returns whether the filters contain the number of the process: without a pid namespace, they must tell signals to others apart.
    pub(super) fn names_process(self) -> bool {
        !self.namespaces
    }
}

/// Returns the filter of a program in the kernel's form.
pub(super) fn filter(options: FilterOptions) -> Result<BpfProgram, StepError> {
    compile(rules(options), Verdict::Unknown)
}

/// Returns the same filter in two parts: one for the supervisor and all that it starts, and one for programs besides. The
/// kernel translates a filter whenever it is applied, and the second is small.
pub(super) fn filter_in_two(options: FilterOptions) -> Result<[BpfProgram; 2], StepError> {
    let (mut of_all, mut of_program) = (rules(options), Rules::new());
    for &number in OF_SUPERVISOR.iter().chain(FORKS) {
        let rule = of_all.insert(number, Rule::Always(Verdict::Allow));
        of_program.insert(number, rule.unwrap_or(Rule::Always(Verdict::Unknown)));
    }
    Ok([compile(of_all, Verdict::Unknown)?, compile(of_program, Verdict::Allow)?])
}

/// Compiles rules, and what happens to all other calls, to a program that finds the range of a system call's number by halving.
///
/// When a filter is applied, the kernel translates it, and runs it for each of its system calls. For a program that compares a number with
/// every one on the list, this would take a large part of a start.
fn compile(rules: Rules, others: Verdict) -> Result<BpfProgram, StepError> {
    let programs = rules.into_iter().map(|(number, rule)| {
        let program = match rule {
            Rule::Always(verdict) => give(verdict),
            Rule::Argument(argument, values) => {
                let at = std::mem::offset_of!(libc::seccomp_data, args) + size_of::<u64>() * usize::from(argument);
                let load = step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, at as u32);
                let values = values.into_iter().map(|(value, verdict)| (value, give(verdict)));
                [vec![load], choose(&ranges(values, Verdict::Unknown))].concat()
            }
            Rule::AnyOf(rules) => compile_list([(number, rules)].into(), Verdict::Allow)?,
        };
        Ok((u32::try_from(number).expect("numbers of system calls are small"), program))
    });
    let programs = programs.collect::<Result<Vec<_>, StepError>>()?;
    let head = &compile_list([(libc::SYS_read, Vec::new())].into(), Verdict::Allow)?[..HEAD];
    Ok([head, &choose(&ranges(programs, others))].concat())
}

/// With how many steps each program of `seccompiler` begins: they reject other architectures, and load the number.
const HEAD: usize = 4;

/// Returns what is done from which number on, if this is done with these numbers, which increase, and that with all others.
fn ranges(listed: impl IntoIterator<Item = (u32, BpfProgram)>, others: Verdict) -> Vec<(u32, BpfProgram)> {
    let mut ranges: Vec<(u32, BpfProgram)> = Vec::new();
    let mut add = |first, program| {
        if ranges.last().is_none_or(|(_, last)| *last != program) {
            ranges.push((first, program));
        }
    };
    let mut next = 0;
    for (number, program) in listed {
        if next < number {
            add(next, give(others));
        }
        add(number, program);
        next = number + 1;
    }
    add(next, give(others));
    ranges
}

/// Returns the steps that find the last range that begins at the loaded number or before it, and do what is done there.
fn choose(ranges: &[(u32, BpfProgram)]) -> BpfProgram {
    let mut choice = Choice { backwards: Vec::new(), programs: Vec::new() };
    choice.add(ranges);
    choice.backwards.reverse();
    choice.backwards
}

/// Steps that are put together from the last to the first, because they only jump forward. The place of a step is the number
/// of steps from it to the end.
struct Choice {
    backwards: BpfProgram,
    /// The programs of ranges that were added, and their places.
    programs: Vec<(BpfProgram, usize)>,
}

/// How many steps a condition can skip.
const MAX_SKIPPED: usize = 255;

impl Choice {
    /// Adds the steps that choose among these ranges. Returns the place of the first.
    fn add(&mut self, ranges: &[(u32, BpfProgram)]) -> usize {
        if let [(_, program)] = ranges {
            return self.add_program(program);
        }
        let (low, high) = ranges.split_at(ranges.len() / 2);
        let first_of_high = high[0].0;
        let (high, low) = (self.add(high), self.add(low));
        let [high, low] = [high, low].map(|place| self.within_reach(place));
        let [if_true, if_false] = [high, low].map(|place| (self.backwards.len() - place) as u8);
        self.backwards.push(step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, if_true, if_false, first_of_high));
        self.backwards.len()
    }

    /// Adds a program if there is none like it near enough, which spares half of the steps. Returns its place.
    fn add_program(&mut self, program: &BpfProgram) -> usize {
        let near = self.backwards.len().saturating_sub(MAX_SKIPPED / 2);
        let known = self.programs.iter().rev().find(|(known, place)| known == program && *place >= near);
        if let Some((_, place)) = known {
            return *place;
        }
        self.backwards.extend(program.iter().rev().cloned());
        let place = self.backwards.len();
        self.programs.push((program.clone(), place));
        place
    }

    /// Returns a place from which this one is reached, and which the next condition can reach, even if another step follows.
    fn within_reach(&mut self, place: usize) -> usize {
        let skipped = self.backwards.len() - place;
        if skipped < MAX_SKIPPED {
            return place;
        }
        self.backwards.push(step(libc::BPF_JMP | libc::BPF_JA, 0, 0, skipped as u32));
        self.backwards.len()
    }
}

/// Returns the step that ends a program with this verdict.
fn give(verdict: Verdict) -> BpfProgram {
    vec![step(libc::BPF_RET | libc::BPF_K, 0, 0, SeccompAction::from(verdict).into())]
}

/// Returns a step of a program in the kernel's form.
fn step(code: u32, if_true: u8, if_false: u8, operand: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: if_true, jf: if_false, k: operand }
}

/// Compiles a list of calls with this verdict; all others are unknown.
fn compile_list(calls: BTreeMap<i64, Vec<SeccompRule>>, verdict: Verdict) -> Result<BpfProgram, StepError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(StepError::at(SandboxPart::SystemCalls, "seccomp"))?;
    let filter = SeccompFilter::new(calls, Verdict::Unknown.into(), verdict.into(), arch)
        .map_err(StepError::at(SandboxPart::SystemCalls, "seccomp"))?;
    filter.try_into().map_err(StepError::at::<seccompiler::BackendError>(SandboxPart::SystemCalls, "seccomp"))
}

/// What a program may ask about its own file descriptors, and change of them.
#[rustfmt::skip]
const OF_DESCRIPTOR: [i32; 8] = [
    libc::F_DUPFD, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_SETFL, libc::F_DUPFD_CLOEXEC, libc::F_GETPIPE_SZ,
    libc::F_GET_SEALS,
];

const LOCKS: [i32; 4] = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];

fn rules(options: FilterOptions) -> Rules {
    let always_allowed =
        |numbers: &[i64]| numbers.iter().map(|&number| (number, Rule::Always(Verdict::Allow))).collect::<Vec<_>>();
    let mut rules = Rules::new();
    rules.extend([FREE, LEGACY].map(always_allowed).into_iter().flatten());
    if options.namespaces || options.scratch {
        rules.extend([METADATA, LEGACY_METADATA].map(always_allowed).into_iter().flatten());
    }
    if !options.names_process() {
        rules.extend(always_allowed(SIGNALS));
    } else {
        // To itself, and with `kill` to its own group.
        rules.insert(libc::SYS_kill, one_of(0, [0, options.pid]));
        rules.insert(libc::SYS_tgkill, one_of(0, [options.pid]));
    }

    // Processes may be started, but not in namespaces of their own, where they would have rights. The flags of `clone3` lie in
    // memory, which no filter can read; a program that finds no `clone3` uses `clone`.
    let namespaces = (libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWNET) as u64
        | (libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWCGROUP | libc::CLONE_PARENT) as u64;
    let thread = libc::CLONE_THREAD as u64;
    if options.processes {
        rules.insert(libc::SYS_clone, any_of([rule(&[masked(0, namespaces, 0)])]));
        rules.extend(always_allowed(FORKS));
    } else {
        rules.insert(libc::SYS_clone, any_of([rule(&[masked(0, namespaces | thread, thread)])]));
    }
    // Advice about the program's own memory; other advice would throw pages out that others use, too, or compare them.
    rules.insert(libc::SYS_madvise, one_of(2, ADVICE.map(|advice| advice as u32)));
    // Shared memory without a file stays when no process maps it any more, and no process is charged for it.
    let shared_without_file = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
    let kinds = [libc::MAP_PRIVATE, libc::MAP_SHARED, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS];
    let kinds = kinds.map(|kind| rule(&[masked(3, shared_without_file | libc::MAP_PRIVATE as u64, kind as u64)]));
    rules.insert(libc::SYS_mmap, any_of(kinds));
    // No leases, no signals to others, no large pipes. Runtimes lock files of their own, and fail without locks. Every process that has the
    // file open could see a real lock.
    let commands = OF_DESCRIPTOR.map(|command| (command as u32, Verdict::Allow)).into_iter();
    let commands = commands.chain(LOCKS.map(|command| (command as u32, Verdict::Pretend)));
    rules.insert(libc::SYS_fcntl, Rule::Argument(1, commands.collect()));
    rules.insert(libc::SYS_flock, Rule::Always(Verdict::Pretend));
    // Advice that a file is not needed would slow down every other process that needs it.
    rules.insert(libc::SYS_fadvise64, Rule::Always(Verdict::Pretend));

    // Of the many requests of `ioctl`, those that change nothing but the program's own descriptor.
    let requests =
        [libc::TCGETS, libc::TIOCGWINSZ, libc::TIOCGPGRP, libc::FIONREAD, libc::FIONBIO, libc::FIOCLEX, libc::FIONCLEX];
    #[allow(clippy::unnecessary_cast, reason = "the type of a request depends on the C library")]
    rules.insert(libc::SYS_ioctl, one_of(1, requests.map(|request| request as u32)));
    // No claims on whole processor cores, and no escape from the signal at the supervisor's death.
    let claims = [libc::PR_SCHED_CORE, libc::PR_SET_PDEATHSIG].map(|option| is_not(0, option as u64));
    rules.insert(libc::SYS_prctl, any_of([rule(&claims)]));

    // The program's own limits and priorities, and no core dumps.
    let core = libc::RLIMIT_CORE as u64;
    rules.insert(libc::SYS_prlimit64, any_of([rule(&[is(0, 0), is_not(1, core)]), rule(&[is(0, 0), null(2)])]));
    rules.insert(libc::SYS_setpriority, any_of([rule(&[is(0, libc::PRIO_PROCESS as u64), is(1, 0)])]));
    for number in [libc::SYS_sched_setaffinity, libc::SYS_sched_setscheduler, libc::SYS_sched_setparam, libc::SYS_sched_setattr] {
        rules.insert(number, one_of(0, [0]));
    }
    rules
}

/// Allowed with one of these values of an argument.
fn one_of<const COUNT: usize>(argument: u8, values: [u32; COUNT]) -> Rule {
    Rule::Argument(argument, values.map(|value| (value, Verdict::Allow)).into())
}

/// Allowed where one of these rules holds.
fn any_of<const COUNT: usize>(rules: [SeccompRule; COUNT]) -> Rule {
    Rule::AnyOf(rules.into())
}

fn rule(conditions: &[SeccompCondition]) -> SeccompRule {
    SeccompRule::new(conditions.to_vec()).expect("a rule has a condition")
}

fn condition(argument: u8, length: SeccompCmpArgLen, operator: SeccompCmpOp, value: u64) -> SeccompCondition {
    SeccompCondition::new(argument, length, operator, value).expect("the argument is one of six")
}

fn is(argument: u8, value: u64) -> SeccompCondition {
    condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> SeccompCondition {
    condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

fn masked(argument: u8, mask: u64, value: u64) -> SeccompCondition {
    condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), value)
}

/// A null pointer.
fn null(argument: u8) -> SeccompCondition {
    condition(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a filter as the kernel does, and returns its verdict. `words` is what it sees, in 32-bit words.
    fn run(program: &[sock_filter], words: &[u32; 16]) -> u32 {
        let (mut accumulator, mut at) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            at += 1;
            let mut jump_if = |condition| at += usize::from(if condition { jt } else { jf });
            match u32::from(code) {
                code if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS => accumulator = words[k as usize / 4],
                code if code == libc::BPF_ALU | libc::BPF_AND | libc::BPF_K => accumulator &= k,
                code if code == libc::BPF_JMP | libc::BPF_JA => at += k as usize,
                code if code == libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K => jump_if(accumulator == k),
                code if code == libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K => jump_if(accumulator > k),
                code if code == libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K => jump_if(accumulator >= k),
                code if code == libc::BPF_RET | libc::BPF_K => return k,
                code => panic!("expected one of the steps above, got {code:#x}"),
            }
        }
    }

    /// Returns the rules as two programs of `seccompiler`: for all calls that are listed, and for those that are pretended.
    fn as_lists(rules: Rules) -> [BpfProgram; 2] {
        let mut lists = [Verdict::Allow, Verdict::Pretend].map(|verdict| (verdict, BTreeMap::new()));
        let [(_, listed), (_, pretended)] = &mut lists;
        for (number, rule_of_call) in rules {
            match rule_of_call {
                Rule::Always(verdict) => {
                    listed.insert(number, Vec::new());
                    if let Verdict::Pretend = verdict {
                        pretended.insert(number, Vec::new());
                    }
                }
                Rule::Argument(argument, values) => {
                    for (value, verdict) in values {
                        let rule = rule(&[is(argument, value.into())]);
                        listed.entry(number).or_default().push(rule.clone());
                        if let Verdict::Pretend = verdict {
                            pretended.entry(number).or_default().push(rule);
                        }
                    }
                }
                Rule::AnyOf(rules) => drop(listed.insert(number, rules)),
            }
        }
        lists.map(|(verdict, calls)| compile_list(calls, verdict).unwrap())
    }

    #[test]
    fn ranges_decide_as_lists() {
        for bits in 0..8 {
            let [namespaces, scratch, processes] = [1, 2, 4].map(|bit| bits & bit != 0);
            let options = FilterOptions { namespaces, scratch, processes, pid: 77 };
            let [listed, pretended] = as_lists(rules(options));
            let (filter, [of_all, of_program]) = (filter(options).unwrap(), filter_in_two(options).unwrap());
            assert!(filter.len() < 300 && of_program.len() < 80, "{}, {}", filter.len(), of_program.len());
            let (own, foreign) = (listed[1].k, !listed[1].k);
            let arguments = (0..70).chain([77, 1 << 17, 1 << 28, 0x3d0f00, 0x5401, 0x5413, 0x541b, 0x5450, 0x5451, u32::MAX]);
            // Commands of `fcntl` from 1024 on are Linux's own.
            for (argument, number) in arguments
                .chain(1020..1040)
                .flat_map(|argument| (0..600).chain([1 << 30, u32::MAX]).map(move |number| (argument, number)))
            {
                for (arch, high) in [(own, 0), (foreign, 0), (own, 1)] {
                    let mut words = [0; 16];
                    (words[0], words[1]) = (number, arch);
                    words[4..]
                        .iter_mut()
                        .enumerate()
                        .for_each(|(index, word)| *word = if index % 2 == 0 { argument } else { high });
                    let pretend = u32::from(SeccompAction::from(Verdict::Pretend));
                    let expected = if run(&pretended, &words) == pretend { pretend } else { run(&listed, &words) };
                    assert_eq!(run(&filter, &words), expected, "{number}, {argument:#x}, {arch:#x}");
                    // As the kernel does, which numbers verdicts by their strength.
                    let in_two = [&of_program, &of_all].map(|part| run(part, &words)).into_iter().min_by_key(|&part| part as i32);
                    assert_eq!(in_two, Some(expected), "{number}, {argument:#x}, {arch:#x}");
                }
            }
        }
    }
}
