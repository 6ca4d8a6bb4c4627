//! Control groups (version 2): the kernel's own limits and accounts for a jail, where we may have some.
//!
//! Each jail has a group of its own in a directory of ours. Freezing, killing and CPU accounts work wherever a group can be
//! created; limits on memory and processes work only where these controllers are delegated to us.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::ControlGroupError;

/// How long a group may take to freeze, or to become empty.
const TIMEOUT: Duration = Duration::from_millis(500);
/// Without a weight of its own, each group gets an equal share of the processors.
const CONTROLLERS: [&str; 3] = ["cpu", "memory", "pids"];

/// The directory in which the groups of jails are created.
#[derive(Debug)]
pub(super) struct Cgroups {
    /// The group in which we were started.
    home: PathBuf,
    folder: PathBuf,
    /// Those of [`CONTROLLERS`] that limit jails.
    pub(super) controllers: Vec<&'static str>,
    /// Those that we have enabled in our own group.
    enabled: Vec<&'static str>,
    /// We had to leave our own group for the controllers.
    moved: bool,
    created: AtomicU32,
}

impl Cgroups {
    /// Creates the directory in the group of this process.
    pub(super) fn open() -> Result<Arc<Cgroups>, ControlGroupError> {
        let home = own_group()?;
        clear_up(&home);
        let folder = home.join(format!("pacman2-{}", std::process::id()));
        // The process that had our number before us is gone.
        remove(&folder);
        fs::create_dir(&folder).map_err(at(&folder))?;
        let mut groups = Cgroups {
            home,
            folder: folder.clone(),
            controllers: Vec::new(),
            enabled: Vec::new(),
            moved: false,
            created: AtomicU32::new(0),
        };
        groups.enable_controllers();
        // Killing has to be one step, or a fork bomb outruns it.
        if !folder.join("cgroup.kill").exists() || !folder.join("cgroup.freeze").exists() {
            return Err(ControlGroupError::NoKill);
        }
        Ok(Arc::new(groups))
    }

    /// Lets controllers limit jails, as far as this is possible.
    fn enable_controllers(&mut self) {
        let enable =
            |folder: &Path, controller: &str| write(&folder.join("cgroup.subtree_control"), &format!("+{controller}")).is_ok();
        for controller in CONTROLLERS {
            if !has(&self.home.join("cgroup.controllers"), controller) {
                continue;
            }
            if !has(&self.home.join("cgroup.subtree_control"), controller) {
                if !self.make_room() || !enable(&self.home, controller) {
                    continue;
                }
                self.enabled.push(controller);
            }
            if enable(&self.folder, controller) {
                self.controllers.push(controller);
            }
        }
    }

    /// Makes sure that our own group holds no process, so that it can pass controllers on to groups below. If it holds only us,
    /// we move down one level. With processes in it, it would accept some controllers, and then have threads instead of
    /// processes below it.
    fn make_room(&mut self) -> bool {
        // The root of all groups may hold processes. It alone has no type.
        let is_root = !self.home.join("cgroup.type").exists();
        if is_root || self.moved {
            return true;
        }
        self.moved = self.move_down();
        if fs::read_to_string(self.home.join("cgroup.procs")).is_ok_and(|others| others.is_empty()) {
            return true;
        }
        self.move_up();
        false
    }

    /// Moves this process, and the watchdog that started it, into a group below.
    fn move_down(&self) -> bool {
        let own = self.folder.join("judge");
        if fs::create_dir(&own).is_err() {
            return false;
        }
        let parent = rustix::process::getppid().map_or(0, rustix::process::Pid::as_raw_pid);
        let exe = |pid: &str| fs::read_link(format!("/proc/{pid}/exe")).ok();
        let has_watchdog = exe(&parent.to_string()).is_some_and(|theirs| Some(theirs) == exe("self"));
        let procs = own.join("cgroup.procs");
        write(&procs, "0").is_ok() && (!has_watchdog || write(&procs, &parent.to_string()).is_ok())
    }

    /// Moves what [`Cgroups::move_down`] has moved back.
    fn move_up(&mut self) {
        if std::mem::take(&mut self.moved) {
            for pid in fs::read_to_string(self.folder.join("judge/cgroup.procs")).unwrap_or_default().lines() {
                let _ = write(&self.home.join("cgroup.procs"), pid);
            }
        }
    }

    /// Creates a group for one jail.
    pub(super) fn group(self: &Arc<Cgroups>, memory_bytes: Option<u64>, tasks: Option<u64>) -> Result<Cgroup, ControlGroupError> {
        let number = self.created.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("bot-{number}"));
        fs::create_dir(&path).map_err(at(&path))?;
        let group = Cgroup { path, groups: Arc::clone(self) };
        for (controller, file, limit) in [
            ("memory", "memory.max", memory_bytes),
            ("memory", "memory.swap.max", memory_bytes.map(|_| 0)),
            ("pids", "pids.max", tasks),
        ] {
            if let Some(limit) = limit.filter(|_| self.controllers.contains(&controller)) {
                let path = group.path.join(file);
                let set = write(&path, &limit.to_string()).map_err(at(&path));
                // A kernel without swap has none to forbid.
                set.or_else(|error| if file == "memory.swap.max" { Ok(()) } else { Err(error) })?;
            }
        }
        Ok(group)
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        for controller in &self.enabled {
            // The directory below got it from here.
            let _ = write(&self.folder.join("cgroup.subtree_control"), &format!("-{controller}"));
            let _ = write(&self.home.join("cgroup.subtree_control"), &format!("-{controller}"));
        }
        self.move_up();
        remove(&self.folder);
    }
}

/// The group of one jail. Dropping it kills what is in it.
#[derive(Debug)]
pub(super) struct Cgroup {
    path: PathBuf,
    groups: Arc<Cgroups>,
}

impl Cgroup {
    /// Returns its directory.
    pub(super) fn folder(&self) -> &Path {
        &self.path
    }

    fn read(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.path.join(file)).ok()
    }

    /// Returns the processes in it.
    pub(super) fn members(&self) -> Vec<i32> {
        self.read("cgroup.procs").unwrap_or_default().lines().filter_map(|pid| pid.parse().ok()).collect()
    }

    /// Returns the CPU time of all processes that were ever in it.
    pub(super) fn cpu(&self) -> Option<Duration> {
        Some(Duration::from_micros(field(&self.read("cpu.stat")?, "usage_usec")?))
    }

    /// Returns how many processes in it were ever killed for lack of memory.
    pub(super) fn killed_for_memory(&self) -> u64 {
        if !self.groups.controllers.contains(&"memory") {
            return 0; // only this controller counts them
        }
        self.read("memory.events").and_then(|events| field(&events, "oom_kill")).unwrap_or_default()
    }

    /// Stops all processes in it and waits until they stand still. If they do not, lets them continue and returns `false`.
    pub(super) fn freeze(&self) -> bool {
        let give_up = Instant::now() + TIMEOUT;
        if write(&self.path.join("cgroup.freeze"), "1").is_err() {
            return false;
        }
        while self.read("cgroup.events").and_then(|events| field(&events, "frozen")) != Some(1) {
            if Instant::now() > give_up {
                self.thaw();
                return false;
            }
            thread::sleep(Duration::from_micros(100));
        }
        true
    }

    /// Lets all processes continue.
    pub(super) fn thaw(&self) {
        let _ = write(&self.path.join("cgroup.freeze"), "0");
    }

    /// Kills all processes in it at once.
    pub(super) fn kill(&self) {
        let _ = write(&self.path.join("cgroup.kill"), "1");
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        self.kill();
        let give_up = Instant::now() + TIMEOUT;
        while fs::remove_dir(&self.path).is_err() && Instant::now() < give_up {
            thread::sleep(Duration::from_micros(200));
        }
    }
}

/// Removes what killed processes of this program have left.
fn clear_up(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix("pacman2-"));
        if owner.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            remove(&entry.path());
        }
    }
}

/// Removes such a directory, as far as its groups are empty.
fn remove(folder: &Path) {
    for group in fs::read_dir(folder).into_iter().flatten().flatten() {
        let _ = fs::remove_dir(group.path());
    }
    let _ = fs::remove_dir(folder);
}

/// Returns where the group of this process is mounted.
pub(super) fn own_group() -> Result<PathBuf, ControlGroupError> {
    let read = |path: &str| fs::read_to_string(path).map_err(at(Path::new(path)));
    let groups = read("/proc/self/cgroup")?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::")).ok_or(ControlGroupError::Unsupported)?;
    let mounts = read("/proc/self/mountinfo")?;
    let mounted = mounts.lines().filter(|line| line.contains(" - cgroup2 ")).find_map(|line| {
        let mut fields = line.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let below = if root == "/" { own } else { own.strip_prefix(root)? };
        Some(Path::new(point).join(below.trim_start_matches('/')))
    });
    mounted.ok_or(ControlGroupError::NotMounted)
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> ControlGroupError {
    move |error| ControlGroupError::System { path: path.to_owned(), error: error.into() }
}

fn has(file: &Path, word: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.split_whitespace().any(|other| other == word))
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// Writes a file that exists; one that does not exist must not be created.
fn write(file: &Path, text: &str) -> io::Result<()> {
    io::Write::write_all(&mut fs::OpenOptions::new().write(true).open(file)?, text.as_bytes())
}
