//! A running program and all its descendants, on Linux.
//!
//! The program leads a session of its own. Its descendants are found by parentage. Those whose parents have ended are adopted
//! by this process, which is a child subreaper, and are recognised by their session. A process that left the session *and*
//! lost its parents is an orphan: nothing says which program it belonged to, and every sweep kills it.
//!
//! Children belong to a process as a whole, so the whole process must know which of them are programs: hence the globals.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};

pub(super) use super::procfs::own_ready_wait;
use super::procfs::{self, ProcessMemory, Unknown, WorkTime};
use super::usage::{ThreadTime, Usage, cpu_of};

/// The unit of `ru_maxrss` is a kilobyte.
pub(crate) const MAXRSS_UNIT_BYTES: u64 = 1024;

/// How many processes of one program are measured.
pub(crate) const MAX_MEASURED: usize = 512;
/// How much CPU time measuring one program may take; a few processes take a fraction of a millisecond.
pub(crate) const MAX_MEASURE_TIME: Duration = Duration::from_millis(15);
/// How long to wait for what the processes share, or for what the kernel keeps for them. Too short, and on a busy machine memory
/// would be charged to a program that it does not have; too long, and a program could use what it likes meanwhile.
const MAX_ANSWER_WAIT: Duration = Duration::from_millis(100);
/// How much CPU time one round of looking for processes to stop may take.
const MAX_STOP_TIME: Duration = Duration::from_secs(1);
/// An answer that is not there after so much work of the kernel is late because of the process; otherwise the machine may be busy.
const MAX_ANSWER_WORK: Duration = Duration::from_millis(50);
/// Of how many processes the shared memory is determined.
const MAX_SHARES: usize = 16;
/// From how many processes on it counts what the kernel keeps for them.
const MANY_PROCESSES: usize = 4;
/// From how many open files on it counts for fewer processes, too. All tables of files have room for these.
const FEW_FILES: u64 = 64;
/// How long examining these may take.
const MAX_KERNEL_TIME: Duration = Duration::from_millis(10);
/// How many processes of a fork bomb are stopped at a time.
const MAX_BOMB: usize = 8192;
/// Rounds of looking for processes that were forked while the others were being stopped.
const STOP_ROUNDS: usize = 32;
/// When a sweep gives up: a process may hang in the kernel where no signal reaches it.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

/// Held for reading while a program is started, which for a moment is an unknown child in a session of its own; held for
/// writing by a sweep, which kills such children.
static STARTING: RwLock<()> = RwLock::new(());
/// The children that were there before the first program; they may be in any session. Unset until the first program.
static OLDER_CHILDREN: OnceLock<Vec<i32>> = OnceLock::new();
static LEADERS: Mutex<BTreeMap<i32, LeaderState>> = Mutex::new(BTreeMap::new());

/// What a sweep may do to a session.
#[derive(PartialEq)]
enum LeaderState {
    /// Leave the session alone.
    Running,
    /// Sweep the session, but leave the leader itself to its owner, who needs the exit status.
    Ending,
}

/// The first process of a running program, leader of its session and process group, with its descendants.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    leader: i32,
    /// Our own peak memory in bytes. The child began as a copy of us, and its `ru_maxrss` still shows that.
    our_peak_bytes: u64,
}

impl ProcessTree {
    /// Starts `command`, which must make itself the leader of a new session.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, ProcessTree)> {
        adopt_orphans();
        let starting = STARTING.read().unwrap_or_else(PoisonError::into_inner);
        let child = command.spawn()?;
        let leader = child.id() as i32;
        leaders().insert(leader, LeaderState::Running);
        drop(starting);

        let our_peak_bytes = procfs::memory(our_pid()).map_or(u64::MAX, |memory| memory.peak_bytes);
        Ok((child, ProcessTree { leader, our_peak_bytes }))
    }

    /// Returns the leader.
    pub(super) fn leader(&self) -> Pid {
        to_pid(self.leader)
    }

    /// Returns a descriptor that becomes readable when the leader ends. Linux 5.3 and later.
    pub(super) fn exit_fd(&self) -> Option<OwnedFd> {
        rustix::process::pidfd_open(self.leader(), PidfdFlags::empty()).ok()
    }

    /// Returns CPU time since the start, memory and tasks of the whole tree.
    pub(super) fn usage(&self, memory_limit: Option<u64>, deadline: Option<Instant>) -> Usage {
        let time = WorkTime::start(MAX_MEASURE_TIME);
        usage_of(&self.members(&time), memory_limit, &time, deadline)
    }

    /// Returns what the threads of the tree have done.
    pub(super) fn thread_times(&self) -> Vec<ThreadTime> {
        let time = WorkTime::start(MAX_MEASURE_TIME);
        thread_times_of(&self.members(&time), &time)
    }

    /// Returns the peak memory that the kernel reports of the ended leader, unless it may be our own: a child also counts
    /// what it inherits from our memory until it becomes another program.
    pub(super) fn credible_peak(&self, maxrss_bytes: u64) -> Option<u64> {
        (maxrss_bytes > self.our_peak_bytes).then_some(maxrss_bytes)
    }

    /// Sends a signal that stops or continues the whole tree.
    pub(super) fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.leader(), signal);
        for pid in self.members(&WorkTime::start(MAX_STOP_TIME)).into_iter().map(to_pid) {
            if rustix::process::getpgid(Some(pid)).is_ok_and(|group| group != self.leader()) {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
    }

    /// Kills the leader with its group, which even a fork bomb does not survive: a process with a pending kill cannot fork.
    /// Processes outside the group are orphans once their parents are dead, and left to [`ProcessTree::clear`].
    pub(super) fn kill(&self) {
        let _ = rustix::process::kill_process_group(self.leader(), Signal::KILL);
    }

    /// Kills and reaps what the leader has left. The leader must be dead but not reaped, so that its number is not reused.
    pub(super) fn clear(&self) {
        leaders().insert(self.leader, LeaderState::Ending);
        self.kill();
        sweep();
    }

    /// Forgets the dead leader. `reap` runs while no program can be started that gets the same number.
    pub(super) fn release<T>(&self, reap: impl FnOnce(Pid) -> T) -> T {
        let mut leaders = leaders();
        let reaped = reap(self.leader());
        leaders.remove(&self.leader);
        reaped
    }

    /// The leader, its descendants, and those in its session that have lost their parents.
    fn members(&self, time: &WorkTime) -> Vec<i32> {
        let adopted = procfs::children(our_pid()).into_iter().filter(|&pid| session(pid) == Some(self.leader));
        let mut roots = vec![self.leader];
        roots.extend(adopted.filter(|&pid| pid != self.leader));
        procfs::trees(roots, MAX_MEASURED, time)
    }
}

/// Measures processes: what they have used since they started, and what they have now.
///
/// Memory is the sum of what they occupy, or some process's own peak if that is more, and what the kernel keeps for them. Shared
/// pages count once for each process, as long as the sum keeps to `memory_limit`. The exact share costs milliseconds, so it is
/// determined only until the sum keeps to the limit, and of the [`MAX_SHARES`] largest at most. When `time` is up, the result is
/// what was seen by then. Waiting for answers may take up to [`MAX_ANSWER_WAIT`], but past the deadline no longer than the
/// measurement itself.
pub(crate) fn usage_of(members: &[i32], memory_limit: Option<u64>, time: &WorkTime, deadline: Option<Instant>) -> Usage {
    let cpu = members.iter().take_while(|_| time.is_left()).filter_map(|&pid| procfs::cpu(pid)).sum();
    let read: Vec<_> = members.iter().take_while(|_| time.is_left()).map(|&pid| procfs::memory(pid)).collect();
    let mut is_hidden = read.iter().any(|memory| matches!(memory, Err(Unknown::Hidden)));
    let memories: Vec<_> = read.into_iter().flatten().collect();
    let peak = memories.iter().map(|memory| memory.peak_bytes).max();
    let tasks = memories.iter().map(|memory| memory.threads).sum();
    let holders = holders_of_kernel_memory(&memories);
    let sum = match memory_limit {
        Some(limit) => sum_of_shares(memories, limit, end_of_waiting(Instant::now(), deadline), procfs::proportional_bytes),
        None => memories.iter().map(|memory| memory.now_bytes).sum(),
    };
    let kernel = kernel_bytes(&holders, end_of_waiting(Instant::now(), deadline), procfs::kernel_bytes);
    is_hidden |= kernel == Err(Unknown::Hidden);
    let memory_bytes = peak.map(|peak| peak.max(sum) + kernel.unwrap_or_default());
    Usage { cpu: Some(cpu), memory_bytes, tasks: Some(tasks), memory_out: is_hidden && memory_limit.is_some() }
}

/// Returns the processes, each by a thread of it, for which the kernel may keep much. A few that have few files open cannot make it.
fn holders_of_kernel_memory(memories: &[ProcessMemory]) -> Vec<i32> {
    let are_many = memories.len() >= MANY_PROCESSES;
    memories.iter().filter(|memory| are_many || memory.room_for_files > FEW_FILES).map(|memory| memory.thread).collect()
}

/// Returns about how much memory the kernel needs for what processes have: each `fork` copies some of it, and no process is charged
/// for it. If there is not enough time to examine all of them, the others count like those examined, which are others at each time.
/// `bytes` returns that of one process; the answers are waited for until `until`.
fn kernel_bytes(holders: &[i32], until: Instant, bytes: Question) -> Result<u64, Unknown> {
    static TURN: AtomicUsize = AtomicUsize::new(0);

    if holders.is_empty() {
        return Ok(0);
    }
    let inquiry = Inquiry::begin(bytes).ok_or(Unknown::Failed)?;
    let enough = Instant::now() + MAX_KERNEL_TIME;
    let first = TURN.fetch_add(holders.len() / 2 + 1, Ordering::Relaxed) % holders.len();
    let (mut examined, mut sum) = (0, 0);
    for &thread in holders[first..].iter().chain(&holders[..first]).take_while(|_| Instant::now() < enough) {
        match inquiry.ask(thread, until) {
            Some(Ok(bytes)) => sum += bytes,
            Some(Err(Unknown::Hidden)) => return Err(Unknown::Hidden),
            Some(Err(Unknown::Ended | Unknown::Failed)) => {}
            None => break,
        }
        examined += 1;
    }
    Ok(sum / examined.max(1) * holders.len() as u64)
}

/// Returns what the threads of processes have done, as far as this is found in `time`.
pub(crate) fn thread_times_of(members: &[i32], time: &WorkTime) -> Vec<ThreadTime> {
    members.iter().take_while(|_| time.is_left()).flat_map(|&pid| procfs::thread_times(pid)).collect()
}

/// Until when to wait for shares of memory.
fn end_of_waiting(now: Instant, deadline: Option<Instant>) -> Instant {
    let patient = now + MAX_ANSWER_WAIT;
    deadline.map_or(patient, |deadline| deadline.min(patient)).max(now + MAX_MEASURE_TIME)
}

/// Returns how much memory processes occupy together. If that seems to be over the limit, the largest count with their
/// `share` of it, as far as that is known in time; a process that cannot be examined shares nothing.
fn sum_of_shares(mut memories: Vec<ProcessMemory>, limit: u64, until: Instant, share: Question) -> u64 {
    let mut sum: u64 = memories.iter().map(|memory| memory.now_bytes).sum();
    if memories.len() < 2 || sum <= limit {
        return sum;
    }
    memories.sort_by_key(|memory| Reverse(memory.now_bytes));
    let Some(inquiry) = Inquiry::begin(share) else { return sum };
    for memory in memories.iter().take(MAX_SHARES) {
        if sum <= limit {
            break;
        }
        let Some(share) = inquiry.ask(memory.thread, until) else { break };
        sum -= memory.now_bytes - share.unwrap_or(memory.now_bytes).min(memory.now_bytes);
    }
    sum
}

/// What the kernel is asked about a process, by the number of one of its threads.
type Question = fn(i32) -> Result<u64, Unknown>;

/// A thread that asks the kernel about processes and can be left behind.
///
/// The kernel answers some questions only while nothing changes the process's memory map. In a fork bomb that may take more than
/// a second: a process that forks holds the map, and waits for a processor, or for others that do. A thread that was left
/// behind ends when it gets its answer, at the latest when the process has ended. A check leaves one behind only after it has
/// waited for it, so during a turn there are few of them.
struct Inquiry {
    threads: Sender<i32>,
    answers: Receiver<Result<u64, Unknown>>,
    /// The number of the thread that asks, once it runs.
    asker: Arc<AtomicI32>,
}

impl Inquiry {
    /// Returns `None` if there can be no thread.
    fn begin(question: Question) -> Option<Inquiry> {
        let ((threads, asked), (reply, answers)) = (mpsc::channel(), mpsc::channel());
        let asker = Arc::new(AtomicI32::new(0));
        let its_number = Arc::clone(&asker);
        let answer_all = move || {
            its_number.store(procfs::own_thread(), Ordering::Relaxed);
            for thread in asked {
                if reply.send(question(thread)).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(answer_all).ok()?;
        Some(Inquiry { threads, answers, asker })
    }

    /// Returns the answer about a process, or `None` if it does not come in time. Then there is no point in asking again.
    fn ask(&self, thread: i32, until: Instant) -> Option<Result<u64, Unknown>> {
        let worked = || procfs::worked(self.asker.load(Ordering::Relaxed));
        let before = worked();
        self.threads.send(thread).ok()?;
        let answer = self.answers.recv_timeout(until.saturating_duration_since(Instant::now()));
        let is_hard = || worked().saturating_sub(before) > MAX_ANSWER_WORK;
        answer.ok().or_else(|| is_hard().then_some(Err(Unknown::Hidden)))
    }
}

/// Stops all descendants of this process, or lets them continue.
pub(crate) fn signal_children(signal: Signal) {
    let children = procfs::children(our_pid());
    if signal == Signal::STOP {
        stop_trees(children);
        return;
    }
    for pid in procfs::trees(children, MAX_BOMB, &WorkTime::start(MAX_STOP_TIME)) {
        let _ = rustix::process::kill_process(to_pid(pid), signal);
    }
}

/// See [`super::adopt_orphans`].
pub(crate) fn adopt_orphans() {
    OLDER_CHILDREN.get_or_init(|| {
        // Any pid means "on". Without it (Linux before 3.4) orphans go to init, out of reach.
        let _ = rustix::process::set_child_subreaper(Some(Pid::INIT));
        procfs::children(our_pid())
    });
}

/// Returns the CPU time of all descendants of this process that have ended and were waited for.
pub(crate) fn cpu_of_ended_descendants() -> Duration {
    cpu_of(&rusage(libc::RUSAGE_CHILDREN))
}

/// Returns what this process, or its ended children, have used.
#[expect(unsafe_code, reason = "rustix has no getrusage")]
pub(crate) fn rusage(of: libc::c_int) -> libc::rusage {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call only writes to the variable, which lives until it returns; all zeros are a valid value of it.
    unsafe {
        libc::getrusage(of, usage.as_mut_ptr());
        usage.assume_init()
    }
}

/// See [`super::sweep`].
pub(crate) fn sweep() {
    // Most sweeps find nothing, and need not wait until no program is being started.
    if orphans().is_empty() {
        return;
    }
    let _no_starts = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    let give_up = Instant::now() + SWEEP_TIMEOUT;
    loop {
        let orphans = orphans();
        if orphans.is_empty() || Instant::now() > give_up {
            return;
        }
        // First stop them all, so that none can fork while others are being killed. Their own children become ours when
        // they are dead, and are found in the next round.
        for pid in stop_trees(orphans.clone()) {
            let _ = rustix::process::kill_process(to_pid(pid), Signal::KILL);
        }
        for pid in orphans {
            reap(pid, give_up);
        }
    }
}

/// Our children that are neither programs nor older than the first of them, in sessions that are neither ours nor a running
/// program's.
fn orphans() -> Vec<i32> {
    let Some(older) = OLDER_CHILDREN.get() else { return Vec::new() };
    let ours = session(our_pid());
    let mut children = procfs::children(our_pid());
    let leaders = leaders();
    children.retain(|pid| {
        let session = session(*pid);
        let has_program = session.is_some_and(|session| leaders.get(&session) == Some(&LeaderState::Running));
        session.is_some() && session != ours && !has_program && !leaders.contains_key(pid) && !older.contains(pid)
    });
    children
}

/// Stops processes with their descendants, again and again until none is new, and returns them.
fn stop_trees(roots: Vec<i32>) -> BTreeSet<i32> {
    let mut stopped = BTreeSet::new();
    for _ in 0..STOP_ROUNDS {
        let before = stopped.len();
        for pid in procfs::trees(roots.clone(), MAX_BOMB, &WorkTime::start(MAX_STOP_TIME)) {
            if stopped.insert(pid) {
                let _ = rustix::process::kill_process(to_pid(pid), Signal::STOP);
            }
        }
        if stopped.len() == before {
            break;
        }
    }
    stopped
}

/// Waits until a killed child is dead and takes it off the process table.
fn reap(pid: i32, give_up: Instant) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    while let Ok(None) = rustix::process::waitid(WaitId::Pid(to_pid(pid)), options) {
        if Instant::now() > give_up {
            return;
        }
        thread::sleep(Duration::from_micros(200));
    }
}

fn leaders() -> MutexGuard<'static, BTreeMap<i32, LeaderState>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session of a process: 0 if it comes from outside our pid namespace, which `rustix` cannot represent.
#[expect(unsafe_code, reason = "rustix cannot represent session 0")]
fn session(pid: i32) -> Option<i32> {
    // SAFETY: the call takes and returns a number.
    let session = unsafe { libc::getsid(pid) };
    (session >= 0).then_some(session)
}

fn our_pid() -> i32 {
    std::process::id() as i32
}

fn to_pid(pid: i32) -> Pid {
    Pid::from_raw(pid).expect("no process has the number 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;
    const LIMIT: u64 = 256 * MB;

    fn program_of(sizes: &[u64]) -> Vec<ProcessMemory> {
        let memory = |(thread, &megabytes): (i32, &u64)| {
            let bytes = megabytes * MB;
            ProcessMemory { thread, now_bytes: bytes, peak_bytes: bytes, threads: 1, room_for_files: 64 }
        };
        (1..).zip(sizes).map(memory).collect()
    }

    fn sum_in_megabytes(sizes: &[u64], patience: Duration, share: Question) -> u64 {
        sum_of_shares(program_of(sizes), LIMIT, Instant::now() + patience, share) / MB
    }

    #[test]
    fn shared_memory_counts_once_if_the_sum_is_over_the_limit() {
        const PATIENCE: Duration = Duration::from_secs(60);
        assert_eq!(sum_in_megabytes(&[100, 100], PATIENCE, |_| Ok(0)), 200, "within the limit");
        assert_eq!(sum_in_megabytes(&[300], PATIENCE, |_| Ok(0)), 300, "a single process shares nothing");
        assert_eq!(sum_in_megabytes(&[90, 100, 110], PATIENCE, |_| Ok(10 * MB)), 200, "the largest is enough");
        assert_eq!(
            sum_in_megabytes(&[200, 200, 200], PATIENCE, |pid| if pid == 1 { Err(Unknown::Hidden) } else { Ok(20 * MB) }),
            240
        );
        assert_eq!(sum_in_megabytes(&[200, 200], PATIENCE, |_| Ok(150 * MB)), 300);
        assert_eq!(sum_in_megabytes(&[200, 200], PATIENCE, |_| Ok(900 * MB)), 400, "a share cannot exceed the whole");
    }

    #[test]
    fn a_share_that_comes_too_late_is_not_waited_for() {
        let begin = Instant::now();
        let late = |_| {
            thread::sleep(Duration::from_secs(60));
            Ok(0)
        };
        assert_eq!(sum_in_megabytes(&[200, 200], Duration::from_millis(5), late), 400);
        assert!(begin.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn what_the_kernel_keeps_counts_if_many_hold_it_or_much_may_be_held() {
        let holders = |processes: &[ProcessMemory]| holders_of_kernel_memory(processes).len();
        let mut few = program_of(&[1, 1, 1]);
        assert_eq!([holders(&few), holders(&program_of(&[1, 1, 1, 1]))], [0, 4]);
        few[1].room_for_files = 128;
        assert_eq!(holders(&few), 1);
    }

    #[test]
    fn what_the_kernel_keeps_is_not_waited_for_if_it_comes_too_late() {
        const PATIENCE: Duration = Duration::from_secs(60);
        let of_ten = |patience, bytes| kernel_bytes(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], Instant::now() + patience, bytes);
        assert_eq!(of_ten(PATIENCE, |_| Ok(3)), Ok(30));
        assert_eq!(of_ten(PATIENCE, |pid| if pid < 6 { Ok(30) } else { Err(Unknown::Ended) }), Ok(150));
        assert_eq!(of_ten(PATIENCE, |pid| if pid < 6 { Ok(30) } else { Err(Unknown::Hidden) }), Err(Unknown::Hidden));
        assert_eq!(kernel_bytes(&[], Instant::now(), |_| Ok(3)), Ok(0), "few processes");
        let begin = Instant::now();
        let late = |_| {
            thread::sleep(PATIENCE);
            Ok(3)
        };
        assert_eq!(of_ten(Duration::from_millis(5), late), Ok(0));
        assert!(begin.elapsed() < PATIENCE / 2);
    }

    #[test]
    fn answers_are_waited_for_until_the_deadline_at_most() {
        let now = Instant::now();
        let waited_for = |deadline_ms: Option<u64>| {
            let deadline = deadline_ms.map(|ms| now + Duration::from_millis(ms));
            (end_of_waiting(now, deadline) - now).as_millis()
        };
        assert_eq!(waited_for(None), 100);
        assert_eq!(waited_for(Some(500)), 100);
        assert_eq!(waited_for(Some(60)), 60);
        assert_eq!(waited_for(Some(0)), 15, "or shared pages would count for each process");
    }
}
