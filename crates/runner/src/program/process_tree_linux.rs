//! A running bot and all that descends from it, on Linux.
//!
//! The bot leads a session of its own. Its descendants are found by parentage; those whose parents have ended are
//! adopted by us, since we are a child subreaper, and are known by their session. Who left the session *and* lost its
//! parents is an orphan: nobody can say whose it was, and every sweep kills it.
//!
//! Which children are bots has to be known to the whole process, as children belong to the process: hence the globals.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};

use super::Usage;
use super::procfs::{self, Resident};

/// `ru_maxrss` counts kilobytes.
pub(crate) const MAXRSS_UNIT_BYTES: u64 = 1024;

/// How many processes of one bot are looked at for its CPU time and memory.
pub(crate) const TREE_AT_MOST: usize = 512;
/// How long a bot is looked at, at most; a few processes take a fraction of a millisecond.
pub(crate) const LOOK_AT_MOST: Duration = Duration::from_millis(15);
/// How long it is waited for what its processes share. Too short, and on a busy machine memory would be held against a bot
/// that it does not have; too long, and a bot could have what it likes meanwhile.
const SHARES_WAIT_AT_MOST: Duration = Duration::from_millis(100);
/// How long processes are looked for that are to be stopped, in one round.
const STOPPING_AT_MOST: Duration = Duration::from_secs(1);
/// Of how many processes it is found out how much of their memory they share.
const SHARES_AT_MOST: usize = 16;
/// How many processes of a fork bomb are stopped at a time.
const BOMB_AT_MOST: usize = 8192;
/// Rounds of looking for processes that were forked while the others were being stopped.
const STOPPING_ROUNDS: usize = 32;
/// When a sweep gives up: a process may hang in the kernel where no signal reaches it.
const SWEEP_PATIENCE: Duration = Duration::from_secs(5);

/// Held for reading while a bot is started, which for a moment is a stranger in a session of its own; for writing by a
/// sweep, which kills such strangers.
static STARTING: RwLock<()> = RwLock::new(());
/// The children that we had before the first bot; they may be in any session. Unset as long as there was no bot.
static OLDER: OnceLock<Vec<i32>> = OnceLock::new();
static LEADERS: Mutex<BTreeMap<i32, Life>> = Mutex::new(BTreeMap::new());

#[derive(PartialEq)]
enum Life {
    /// Nobody touches the session.
    Running,
    /// Its session is to be swept, but the leader itself is left to its owner, who wants the exit status.
    Ending,
}

/// The first process of a running bot: leader of its session and process group.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    pid: i32,
    /// Our own peak memory in bytes. The child began as a copy of us and its `ru_maxrss` remembers that.
    our_peak_bytes: u64,
}

impl ProcessTree {
    /// Starts `command`, which must make itself the leader of a new session. The instant is when it began.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, ProcessTree, Instant)> {
        adopt_orphans();
        let starting = STARTING.read().unwrap_or_else(PoisonError::into_inner);
        let started = Instant::now();
        let child = command.spawn()?;
        let pid = child.id() as i32;
        leaders().insert(pid, Life::Running);
        drop(starting);

        let our_peak_bytes = procfs::resident(our_pid()).map_or(u64::MAX, |memory| memory.peak_bytes);
        Ok((child, ProcessTree { pid, our_peak_bytes }, started))
    }

    pub(super) fn pid(&self) -> Pid {
        to_pid(self.pid)
    }

    /// Becomes readable when the leader ends. Linux 5.3 and later.
    pub(super) fn death(&self) -> Option<OwnedFd> {
        rustix::process::pidfd_open(self.pid(), PidfdFlags::empty()).ok()
    }

    /// CPU time since the start, memory and tasks of the bot and its descendants.
    pub(super) fn usage(&self, memory_limit: Option<u64>, deadline: Option<Instant>) -> Usage {
        let until = Instant::now() + LOOK_AT_MOST;
        usage_of(&self.members(until), memory_limit, until, deadline)
    }

    /// The peak memory that the kernel reports of the ended leader, unless it may be our own: what a child inherits
    /// from our memory until it becomes another program counts, too.
    pub(super) fn credible_peak(&self, maxrss_bytes: u64) -> Option<u64> {
        (maxrss_bytes > self.our_peak_bytes).then_some(maxrss_bytes)
    }

    /// Stops or continues the bot and its descendants.
    pub(super) fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.pid(), signal);
        for pid in self.members(Instant::now() + STOPPING_AT_MOST).into_iter().map(to_pid) {
            if rustix::process::getpgid(Some(pid)).is_ok_and(|group| group != self.pid()) {
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
    }

    /// Kills the leader with its group, which even a fork bomb does not survive: the kernel lets nobody fork who is
    /// about to be killed. Others are orphans once their parents are dead, and left to [`ProcessTree::clear`].
    pub(super) fn kill(&self) {
        let _ = rustix::process::kill_process_group(self.pid(), Signal::KILL);
    }

    /// Kills and reaps what the leader has left. The leader is dead but not reaped, so that nobody else can have its
    /// number.
    pub(super) fn clear(&self) {
        leaders().insert(self.pid, Life::Ending);
        self.kill();
        sweep();
    }

    /// Lets the dead leader go. `reap` is called where nobody can start a bot that gets the same number.
    pub(super) fn let_go<T>(&self, reap: impl FnOnce(Pid) -> T) -> T {
        let mut leaders = leaders();
        let reaped = reap(self.pid());
        leaders.remove(&self.pid);
        reaped
    }

    /// The leader, its descendants, and those in its session that have lost their parents.
    fn members(&self, until: Instant) -> Vec<i32> {
        let adopted = procfs::children(our_pid()).into_iter().filter(|&pid| session(pid) == Some(self.pid));
        let mut roots = vec![self.pid];
        roots.extend(adopted.filter(|&pid| pid != self.pid));
        procfs::trees(roots, TREE_AT_MOST, until)
    }
}

/// What these processes have used since they started, and have now.
///
/// Memory is the sum of what they occupy, or some process's own peak if that is more. Pages that processes share count
/// once for each, as long as the sum keeps to `memory_limit`: the exact share costs milliseconds, and is asked for only
/// until the sum does, of the [`SHARES_AT_MOST`] largest at most. At the time `until` it is left at what was seen. To learn
/// the shares may take up to [`SHARES_WAIT_AT_MOST`], but beyond the deadline no longer than the look itself.
pub(crate) fn usage_of(members: &[i32], memory_limit: Option<u64>, until: Instant, deadline: Option<Instant>) -> Usage {
    let in_time = || Instant::now() < until;
    let cpu = members.iter().take_while(|_| in_time()).filter_map(|&pid| procfs::cpu(pid)).sum();
    let residents: Vec<_> = members.iter().take_while(|_| in_time()).filter_map(|&pid| procfs::resident(pid)).collect();
    let peak = residents.iter().map(|resident| resident.peak_bytes).max();
    let tasks = residents.iter().map(|resident| resident.threads).sum();
    let sum = match memory_limit {
        Some(limit) => sum_of_shares(residents, limit, end_of_waiting(Instant::now(), deadline), procfs::proportional_bytes),
        None => residents.iter().map(|resident| resident.now_bytes).sum(),
    };
    Usage { cpu: Some(cpu), memory_bytes: peak.map(|peak| peak.max(sum)), tasks: Some(tasks), memory_out: false }
}

/// Until when shares of memory are waited for.
fn end_of_waiting(now: Instant, deadline: Option<Instant>) -> Instant {
    let patient = now + SHARES_WAIT_AT_MOST;
    deadline.map_or(patient, |deadline| deadline.min(patient)).max(now + LOOK_AT_MOST)
}

/// How much memory processes occupy together. If that seems to be over the limit, the largest count with their `share` of
/// it, as far as that is told in time; who does not let himself be looked at shares nothing.
///
/// The system tells a share only when nobody changes the process's map of its memory. In a fork bomb that may take long:
/// whoever forks holds the map, and waits for a processor, or for others who do. So the shares are asked for by a thread
/// that can be left behind. It is gone once it has been told the share that it waits for, at the latest when the process
/// has ended; and it leaves the sum over the limit, so the bot is ended, and there is no second one.
fn sum_of_shares(mut residents: Vec<Resident>, limit: u64, until: Instant, share: fn(i32) -> Option<u64>) -> u64 {
    let mut sum: u64 = residents.iter().map(|resident| resident.now_bytes).sum();
    if residents.len() < 2 || sum <= limit {
        return sum;
    }
    residents.sort_by_key(|resident| Reverse(resident.now_bytes));
    let ((ask, asked), (tell, told)) = (mpsc::channel(), mpsc::channel());
    let answer_all = move || {
        for pid in asked {
            if tell.send(share(pid)).is_err() {
                return;
            }
        }
    };
    if thread::Builder::new().spawn(answer_all).is_err() {
        return sum;
    }
    for resident in residents.iter().take(SHARES_AT_MOST) {
        if sum <= limit || ask.send(resident.pid).is_err() {
            break;
        }
        let Ok(share) = told.recv_timeout(until.saturating_duration_since(Instant::now())) else { break };
        sum -= resident.now_bytes - share.unwrap_or(resident.now_bytes).min(resident.now_bytes);
    }
    sum
}

/// Stops all descendants of this process, or lets them go on.
pub(crate) fn signal_children(signal: Signal) {
    let children = procfs::children(our_pid());
    if signal == Signal::STOP {
        stop_trees(children);
        return;
    }
    for pid in procfs::trees(children, BOMB_AT_MOST, Instant::now() + STOPPING_AT_MOST) {
        let _ = rustix::process::kill_process(to_pid(pid), signal);
    }
}

/// See [`super::adopt_orphans`].
pub(crate) fn adopt_orphans() {
    OLDER.get_or_init(|| {
        // Any pid means "on". Without it (Linux before 3.4) orphans go to init and out of our reach.
        let _ = rustix::process::set_child_subreaper(Some(Pid::INIT));
        procfs::children(our_pid())
    });
}

/// See [`super::sweep`].
pub(crate) fn sweep() {
    // Most sweeps find nothing, and need not wait until nobody starts a bot.
    if orphans().is_empty() {
        return;
    }
    let _nobody_starts = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    let give_up = Instant::now() + SWEEP_PATIENCE;
    loop {
        let orphans = orphans();
        if orphans.is_empty() || Instant::now() > give_up {
            return;
        }
        // First stop them all, so that none can fork while others are being killed. Their own children become ours
        // when they are dead, and are found in the next round.
        for pid in stop_trees(orphans.clone()) {
            let _ = rustix::process::kill_process(to_pid(pid), Signal::KILL);
        }
        for pid in orphans {
            reap(pid, give_up);
        }
    }
}

/// Our children that are neither bots nor older than those, in sessions that are neither ours nor a running bot's.
fn orphans() -> Vec<i32> {
    let Some(older) = OLDER.get() else { return Vec::new() };
    let ours = session(our_pid());
    let mut children = procfs::children(our_pid());
    let leaders = leaders();
    children.retain(|pid| {
        let session = session(*pid);
        let belongs_to_a_bot = session.is_some_and(|session| leaders.get(&session) == Some(&Life::Running));
        session.is_some() && session != ours && !belongs_to_a_bot && !leaders.contains_key(pid) && !older.contains(pid)
    });
    children
}

/// Stops processes with their descendants, again and again until none is new, and returns them.
fn stop_trees(roots: Vec<i32>) -> BTreeSet<i32> {
    let mut stopped = BTreeSet::new();
    for _ in 0..STOPPING_ROUNDS {
        let before = stopped.len();
        for pid in procfs::trees(roots.clone(), BOMB_AT_MOST, Instant::now() + STOPPING_AT_MOST) {
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

fn leaders() -> MutexGuard<'static, BTreeMap<i32, Life>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session of a process: 0 if it comes from outside our pid namespace, where `rustix` would not know what to do.
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

    fn bot_of(sizes: &[u64]) -> Vec<Resident> {
        let resident = |(pid, &megabytes): (i32, &u64)| {
            let bytes = megabytes * MB;
            Resident { pid, now_bytes: bytes, peak_bytes: bytes, threads: 1 }
        };
        (1..).zip(sizes).map(resident).collect()
    }

    fn sum_in_megabytes(sizes: &[u64], patience: Duration, share: fn(i32) -> Option<u64>) -> u64 {
        sum_of_shares(bot_of(sizes), LIMIT, Instant::now() + patience, share) / MB
    }

    #[test]
    fn what_processes_share_counts_once_where_their_sum_is_over_the_limit() {
        const PATIENCE: Duration = Duration::from_secs(60);
        assert_eq!(sum_in_megabytes(&[100, 100], PATIENCE, |_| Some(0)), 200, "that keeps to the limit");
        assert_eq!(sum_in_megabytes(&[300], PATIENCE, |_| Some(0)), 300, "it shares with nobody");
        assert_eq!(sum_in_megabytes(&[90, 100, 110], PATIENCE, |_| Some(10 * MB)), 200, "the largest is enough");
        assert_eq!(sum_in_megabytes(&[200, 200, 200], PATIENCE, |pid| (pid != 1).then_some(20 * MB)), 240);
        assert_eq!(sum_in_megabytes(&[200, 200], PATIENCE, |_| Some(150 * MB)), 300);
        assert_eq!(sum_in_megabytes(&[200, 200], PATIENCE, |_| Some(900 * MB)), 400, "no share is more than all");
    }

    #[test]
    fn a_share_that_is_not_told_in_time_is_not_waited_for() {
        let begin = Instant::now();
        let untold = |_| {
            thread::sleep(Duration::from_secs(60));
            Some(0)
        };
        assert_eq!(sum_in_megabytes(&[200, 200], Duration::from_millis(5), untold), 400);
        assert!(begin.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn shares_are_waited_for_until_the_deadline_at_most() {
        let now = Instant::now();
        let waited_for = |deadline_ms: Option<u64>| {
            let deadline = deadline_ms.map(|ms| now + Duration::from_millis(ms));
            (end_of_waiting(now, deadline) - now).as_millis()
        };
        assert_eq!(waited_for(None), 100);
        assert_eq!(waited_for(Some(500)), 100);
        assert_eq!(waited_for(Some(60)), 60);
        assert_eq!(waited_for(Some(0)), 15, "or who is looked at just then would have all that others have");
    }
}
