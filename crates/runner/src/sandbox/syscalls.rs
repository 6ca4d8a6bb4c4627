//! The system calls that a jailed program may make, and with which arguments. A call that is not listed here does not exist
//! for it.
//!
//! The list has what runtimes need: files, memory, threads, processes of their own, time, signals, pipes and waiting. It has no
//! `setsid`: the kernel gives each session its share of the processors, and a bot shall have one share.
//! It has no sockets, for bots not even pairs (data in them is charged to no process), no System V memory, message queues, keyrings,
//! io_uring, tracing, namespaces, mounts, real file locks, or other ways to change what other processes see.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
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

/// What a program may say about itself with `prctl`: names, and what runtimes ask. Other options take memory of the kernel that no
/// process is charged for (hashes of locks, filters), work for the program in threads of the kernel (merging of pages), claim
/// processor cores, hide the program from its judge, or let it escape the signal at the supervisor's death.
#[rustfmt::skip]
const OF_ITSELF: [i32; 14] = [
    libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_SET_VMA, libc::PR_GET_DUMPABLE, libc::PR_GET_SECCOMP,
    libc::PR_GET_NO_NEW_PRIVS, libc::PR_CAPBSET_READ, libc::PR_GET_TIMERSLACK, libc::PR_SET_TIMERSLACK,
    libc::PR_GET_THP_DISABLE, libc::PR_SET_THP_DISABLE, PR_GET_AUXV,
    // On AArch64, the length of vectors.
    PR_SVE_SET_VL, PR_SVE_GET_VL,
];

/// Not yet named by `libc`.
const PR_GET_AUXV: i32 = 0x4155_5856;
const PR_SVE_SET_VL: i32 = 50;
const PR_SVE_GET_VL: i32 = 51;

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

/// System calls with the rules for their arguments, one of which has to hold. Without rules all arguments will do.
type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// What the filters depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilterOptions {
    /// The program has namespaces of its own, with nothing in them but what it may see.
    pub(super) namespaces: bool,
    /// The program writes files: it is a compiler.
    pub(super) scratch: bool,
    /// The program may start processes, because all of them can be found and killed at once.
    pub(super) processes: bool,
    /// The process that is filtered. Without a pid namespace it may send signals to itself only.
    pub(super) pid: u32,
}

/// Restricts this process, and those that it starts, to the system calls that a program may make.
pub(super) fn restrict(options: FilterOptions) -> Result<(), StepError> {
    filters(options)?
        .iter()
        .try_for_each(|filter| seccompiler::apply_filter(filter))
        .map_err(StepError::at(SandboxPart::SystemCalls, "seccomp"))
}

/// Returns two filters. Of their two verdicts the kernel takes the stricter one, so a call that is pretended is on both lists.
fn filters(options: FilterOptions) -> Result<[BpfProgram; 2], StepError> {
    let pretended = pretended();
    let mut allowed = allowed(options);
    for (&number, rules) in &pretended {
        allowed.entry(number).or_default().extend(rules.iter().cloned());
    }
    let (succeed, unknown) = (SeccompAction::Errno(0), SeccompAction::Errno(libc::ENOSYS as u32));
    Ok([compile(pretended, succeed, SeccompAction::Allow)?, compile(allowed, SeccompAction::Allow, unknown)?])
}

fn compile(calls: Calls, listed: SeccompAction, others: SeccompAction) -> Result<BpfProgram, StepError> {
    let failed = || StepError::at::<BackendError>(SandboxPart::SystemCalls, "seccomp");
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(failed())?;
    SeccompFilter::new(calls, others, listed, arch).and_then(BpfProgram::try_from).map_err(failed())
}

/// Calls that succeed without doing anything.
fn pretended() -> Calls {
    [
        // Runtimes lock files of their own, and fail without locks. Every process that has the file open could see a real lock.
        (libc::SYS_fcntl, one_of(1, LOCKS.map(|command| command as u32))),
        (libc::SYS_flock, Vec::new()),
        // Advice that a file is not needed would slow down every other process that needs it.
        (libc::SYS_fadvise64, Vec::new()),
        // Mono gives each of its threads the policy that it has, and aborts if it cannot.
        (libc::SYS_sched_setscheduler, one_of(1, [libc::SCHED_OTHER as u32])),
    ]
    .into()
}

/// What a program may ask about its own file descriptors, and change of them.
#[rustfmt::skip]
const OF_DESCRIPTOR: [i32; 8] = [
    libc::F_DUPFD, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_SETFL, libc::F_DUPFD_CLOEXEC, libc::F_GETPIPE_SZ,
    libc::F_GET_SEALS,
];

const LOCKS: [i32; 4] = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];

/// All other calls that a program may make.
fn allowed(options: FilterOptions) -> Calls {
    let whatever_the_arguments = |numbers: &[i64]| numbers.iter().map(|&number| (number, Vec::new())).collect::<Calls>();
    let mut calls = whatever_the_arguments(&[FREE, LEGACY].concat());
    if options.namespaces || options.scratch {
        calls.extend(whatever_the_arguments(&[METADATA, LEGACY_METADATA].concat()));
    }
    if options.namespaces {
        calls.extend(whatever_the_arguments(SIGNALS));
    } else {
        // To itself, and with `kill` to its own group.
        calls.insert(libc::SYS_kill, one_of(0, [0, options.pid]));
        calls.insert(libc::SYS_tgkill, one_of(0, [options.pid]));
    }

    // Processes may be started, but not in namespaces of their own, where they would have rights. The flags of `clone3` lie in
    // memory, which no filter can read; a program that finds no `clone3` uses `clone`.
    let namespaces = (libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWNET) as u64
        | (libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWCGROUP | libc::CLONE_PARENT) as u64;
    // A thread shares the open files of its process, or each of them could have as many as a process.
    let kind_of_thread = (libc::CLONE_THREAD | libc::CLONE_FILES) as u64;
    let mut clones = vec![rule(&[masked(0, namespaces | kind_of_thread, kind_of_thread)])];
    if options.processes {
        clones.push(rule(&[masked(0, namespaces | libc::CLONE_THREAD as u64, 0)]));
        calls.extend(whatever_the_arguments(FORKS));
    }
    calls.insert(libc::SYS_clone, clones);
    // Advice about the program's own memory; other advice would throw pages out that others use, too, or compare them.
    calls.insert(libc::SYS_madvise, one_of(2, ADVICE.map(|advice| advice as u32)));
    // Shared memory without a file stays when no process maps it any more, and no process is charged for it.
    let shared_without_file = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
    let kinds = [libc::MAP_PRIVATE, libc::MAP_SHARED, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS];
    let kinds = kinds.map(|kind| rule(&[masked(3, shared_without_file | libc::MAP_PRIVATE as u64, kind as u64)]));
    calls.insert(libc::SYS_mmap, kinds.into());
    // No leases, no signals to others, no large pipes.
    calls.insert(libc::SYS_fcntl, one_of(1, OF_DESCRIPTOR.map(|command| command as u32)));

    // Of the many requests of `ioctl`, those that change nothing but the program's own descriptor.
    let requests =
        [libc::TCGETS, libc::TIOCGWINSZ, libc::TIOCGPGRP, libc::FIONREAD, libc::FIONBIO, libc::FIOCLEX, libc::FIONCLEX];
    #[allow(clippy::unnecessary_cast, reason = "the type of a request depends on the C library")]
    calls.insert(libc::SYS_ioctl, one_of(1, requests.map(|request| request as u32)));
    calls.insert(libc::SYS_prctl, one_of(0, OF_ITSELF.map(|option| option as u32)));

    // The program's own limits and priorities, and no core dumps.
    let core = libc::RLIMIT_CORE as u64;
    calls.insert(libc::SYS_prlimit64, vec![rule(&[is(0, 0), is_not(1, core)]), rule(&[is(0, 0), null(2)])]);
    calls.insert(libc::SYS_setpriority, vec![rule(&[is(0, libc::PRIO_PROCESS as u64), is(1, 0)])]);
    for number in [libc::SYS_sched_setaffinity, libc::SYS_sched_setscheduler, libc::SYS_sched_setparam, libc::SYS_sched_setattr] {
        calls.insert(number, one_of(0, [0]));
    }
    if options.scratch {
        // Java's and Rust's compilers do not work without. No stranger's code runs in them that could fill a pair.
        calls.insert(libc::SYS_socketpair, one_of(0, [libc::AF_UNIX as u32]));
        calls.extend(whatever_the_arguments(&[libc::SYS_recvfrom, libc::SYS_sendto]));
    }
    calls
}

/// Rules that allow each of these values of an argument.
fn one_of<const COUNT: usize>(argument: u8, values: [u32; COUNT]) -> Vec<SeccompRule> {
    values.map(|value| rule(&[is(argument, value.into())])).into()
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
    use seccompiler::sock_filter;

    const ALLOW: u32 = 0x7fff_0000;
    const SUCCEED: u32 = 0x0005_0000;
    const UNKNOWN: u32 = SUCCEED | libc::ENOSYS as u32;
    const KILL: u32 = 0x8000_0000;

    /// Not yet named by `libc`.
    const PR_SET_MEMORY_MERGE: u64 = 67;
    const PR_FUTEX_HASH: u64 = 78;

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
                code if code == libc::BPF_RET | libc::BPF_K => return k,
                code => panic!("expected one of the steps above, got {code:#x}"),
            }
        }
    }

    /// Returns what happens to a system call of this architecture.
    fn verdict(options: FilterOptions, number: i64, arguments: &[u64]) -> u32 {
        let filters = filters(options).unwrap();
        // The second step of a filter compares the architecture.
        verdict_for(&filters, filters[0][1].k, number, arguments)
    }

    fn verdict_for(filters: &[BpfProgram; 2], architecture: u32, number: i64, arguments: &[u64]) -> u32 {
        let mut words = [0; 16];
        (words[0], words[1]) = (number as u32, architecture);
        for (pair, &argument) in words[4..].chunks_mut(2).zip(arguments) {
            (pair[0], pair[1]) = (argument as u32, (argument >> 32) as u32);
        }
        // Verdicts are numbered by their strength.
        filters.each_ref().map(|filter| run(filter, &words)).into_iter().min_by_key(|&verdict| verdict as i32).unwrap()
    }

    const TIER_A: FilterOptions = FilterOptions { namespaces: true, scratch: false, processes: true, pid: 0 };
    const TIER_B: FilterOptions = FilterOptions { namespaces: false, scratch: false, processes: false, pid: 77 };
    const COMPILER: FilterOptions = FilterOptions { scratch: true, processes: true, ..TIER_B };

    #[track_caller]
    fn check(options: FilterOptions, number: i64, arguments: &[u64], expected: u32) {
        let found = verdict(options, number, arguments);
        assert_eq!(found, expected, "call {number} {arguments:x?} of {options:?}: {found:#x}");
    }

    #[test]
    fn what_is_not_listed_does_not_exist() {
        let refused = [
            libc::SYS_socket,
            libc::SYS_sendmsg,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_mount,
            libc::SYS_pivot_root,
            libc::SYS_chroot,
            libc::SYS_clone3,
            libc::SYS_setsid,
            libc::SYS_setresuid,
            libc::SYS_capset,
            libc::SYS_bpf,
            libc::SYS_seccomp,
            libc::SYS_io_uring_setup,
            libc::SYS_perf_event_open,
            libc::SYS_userfaultfd,
            libc::SYS_memfd_create,
            libc::SYS_shmget,
            libc::SYS_msgget,
            libc::SYS_keyctl,
            libc::SYS_timer_create,
            libc::SYS_inotify_init1,
            libc::SYS_mknodat,
            1000,
        ];
        for (options, number) in
            [TIER_A, TIER_B, COMPILER].into_iter().flat_map(|options| refused.map(|number| (options, number)))
        {
            check(options, number, &[], UNKNOWN);
        }
        #[cfg(target_arch = "x86_64")]
        for number in [libc::SYS_read, libc::SYS_openat] {
            // As a program for x32 would call it.
            check(TIER_A, number | 1 << 30, &[], UNKNOWN);
        }
    }

    #[test]
    fn calls_of_another_architecture_kill() {
        let filters = filters(TIER_A).unwrap();
        let foreign = !filters[0][1].k;
        assert_eq!(verdict_for(&filters, foreign, libc::SYS_read, &[]), KILL);
    }

    #[test]
    #[allow(clippy::unnecessary_cast, reason = "the type of a request depends on the C library")]
    fn arguments_decide() {
        let high = 1 << 32;
        let [uid, core, files] = [1000, libc::RLIMIT_CORE, libc::RLIMIT_NOFILE].map(u64::from);
        for options in [TIER_A, TIER_B, COMPILER] {
            for (number, arguments, expected) in [
                (libc::SYS_read, &[][..], ALLOW),
                (libc::SYS_flock, &[], SUCCEED),
                (libc::SYS_fadvise64, &[], SUCCEED),
                (libc::SYS_fcntl, &[3, libc::F_GETFD as u64], ALLOW),
                (libc::SYS_fcntl, &[3, libc::F_SETLK as u64], SUCCEED),
                (libc::SYS_fcntl, &[3, libc::F_OFD_SETLKW as u64], SUCCEED),
                (libc::SYS_fcntl, &[3, libc::F_SETOWN as u64], UNKNOWN),
                (libc::SYS_fcntl, &[3, libc::F_SETPIPE_SZ as u64], UNKNOWN),
                (libc::SYS_fcntl, &[3, libc::F_SETLEASE as u64], UNKNOWN),
                (libc::SYS_ioctl, &[0, libc::TCGETS as u64], ALLOW),
                (libc::SYS_ioctl, &[0, libc::TIOCSTI as u64], UNKNOWN),
                (libc::SYS_ioctl, &[0, libc::TIOCSTI as u64 | high], UNKNOWN),
                (libc::SYS_madvise, &[0, 0, libc::MADV_DONTNEED as u64], ALLOW),
                (libc::SYS_madvise, &[0, 0, libc::MADV_MERGEABLE as u64], UNKNOWN),
                (libc::SYS_madvise, &[0, 0, libc::MADV_PAGEOUT as u64], UNKNOWN),
                (libc::SYS_mmap, &[0, 0, 0, (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64], ALLOW),
                (libc::SYS_mmap, &[0, 0, 0, libc::MAP_SHARED as u64], ALLOW),
                (libc::SYS_mmap, &[0, 0, 0, (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64], UNKNOWN),
                (libc::SYS_mmap, &[0, 0, 0, (libc::MAP_SHARED_VALIDATE | libc::MAP_ANONYMOUS) as u64], UNKNOWN),
                (libc::SYS_clone, &[(libc::CLONE_THREAD | libc::CLONE_VM | libc::CLONE_FILES) as u64], ALLOW),
                (libc::SYS_clone, &[(libc::CLONE_THREAD | libc::CLONE_VM) as u64], UNKNOWN),
                (libc::SYS_clone, &[(libc::CLONE_THREAD | libc::CLONE_FILES | libc::CLONE_NEWUSER) as u64], UNKNOWN),
                (libc::SYS_clone, &[libc::CLONE_NEWNS as u64], UNKNOWN),
                (libc::SYS_clone, &[libc::CLONE_PARENT as u64], UNKNOWN),
                (libc::SYS_prctl, &[libc::PR_SET_NAME as u64], ALLOW),
                (libc::SYS_prctl, &[libc::PR_SET_PDEATHSIG as u64], UNKNOWN),
                (libc::SYS_prctl, &[libc::PR_SET_PDEATHSIG as u64 | high], UNKNOWN),
                (libc::SYS_prctl, &[libc::PR_SCHED_CORE as u64], UNKNOWN),
                (libc::SYS_prctl, &[libc::PR_SET_DUMPABLE as u64], UNKNOWN),
                (libc::SYS_prctl, &[libc::PR_SET_SECCOMP as u64], UNKNOWN),
                (libc::SYS_prctl, &[PR_SET_MEMORY_MERGE], UNKNOWN),
                (libc::SYS_prctl, &[PR_FUTEX_HASH], UNKNOWN),
                (libc::SYS_prlimit64, &[0, files, uid], ALLOW),
                (libc::SYS_prlimit64, &[0, core, 0], ALLOW),
                (libc::SYS_prlimit64, &[0, core, high], UNKNOWN),
                (libc::SYS_prlimit64, &[1, files, 0], UNKNOWN),
                (libc::SYS_setpriority, &[libc::PRIO_PROCESS as u64, 0], ALLOW),
                (libc::SYS_setpriority, &[libc::PRIO_USER as u64, 0], UNKNOWN),
                (libc::SYS_sched_setscheduler, &[5, libc::SCHED_OTHER as u64], SUCCEED),
                (libc::SYS_sched_setscheduler, &[5, libc::SCHED_FIFO as u64], UNKNOWN),
                (libc::SYS_sched_setaffinity, &[0], ALLOW),
                (libc::SYS_sched_setaffinity, &[5], UNKNOWN),
            ] {
                check(options, number, arguments, expected);
            }
        }
    }

    #[test]
    fn options_decide() {
        let (fork, signals) = (libc::SIGCHLD as u64, [libc::SYS_kill, libc::SYS_tgkill]);
        check(TIER_A, libc::SYS_clone, &[fork], ALLOW);
        check(COMPILER, libc::SYS_clone, &[fork], ALLOW);
        check(TIER_B, libc::SYS_clone, &[fork], UNKNOWN);
        for number in FORKS.iter().copied() {
            check(TIER_A, number, &[], ALLOW);
            check(TIER_B, number, &[], UNKNOWN);
        }
        for number in METADATA.iter().chain(LEGACY_METADATA).copied() {
            check(TIER_A, number, &[], ALLOW);
            check(COMPILER, number, &[], ALLOW);
            check(TIER_B, number, &[], UNKNOWN);
        }
        for number in signals {
            check(TIER_A, number, &[5, 9], ALLOW);
            check(TIER_B, number, &[5, 9], UNKNOWN);
            check(TIER_B, number, &[TIER_B.pid.into(), 9], ALLOW);
        }
        check(TIER_B, libc::SYS_kill, &[0, 9], ALLOW);
        check(TIER_B, libc::SYS_kill, &[u64::MAX, 9], UNKNOWN);
        for (options, verdict) in [(TIER_A, UNKNOWN), (TIER_B, UNKNOWN), (COMPILER, ALLOW)] {
            check(options, libc::SYS_socketpair, &[libc::AF_UNIX as u64], verdict);
            check(options, libc::SYS_socketpair, &[libc::AF_INET as u64], UNKNOWN);
        }
        for number in [libc::SYS_tkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo, libc::SYS_pidfd_send_signal] {
            check(TIER_A, number, &[5, 9], ALLOW);
            check(TIER_B, number, &[77, 9], UNKNOWN);
        }
    }
}
