//! The testbed of a match: the hostile bot's own folder, and files, sockets and locks that it must not reach.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_runner::Limits;
use rustix::fs::FlockOperation;
use serde_json::json;
use tempfile::TempDir;

use super::suite::{self, HostileBot};

/// A bot that stays in every turn and keeps running. Its arguments are the seconds that it sleeps and those that it computes.
const RIVAL: &str = r#"import json, sys, time
for line in sys.stdin:
    time.sleep(float(sys.argv[1]))
    end = time.process_time() + float(sys.argv[2])
    while time.process_time() < end: pass
    print(json.dumps({"response": {"action": -1}}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
"#;
/// The seconds that it sleeps where there must be time between the turns.
const RIVAL_PAUSE: &str = "0.4";
/// The seconds that it computes where the processors are attacked.
const RIVAL_CPU: &str = "0.4";
/// The text of the files that the hostile bot must not read.
const SECRET: &str = "nobody but its owner knows this\n";

/// The testbed of one match.
pub(super) struct Testbed {
    folder: TempDir,
    program: PathBuf,
    /// The words before the hostile bot's file, and those before the rival's.
    interpreter: Vec<String>,
    python: Vec<String>,
    /// The seconds that the rival sleeps, and those that it computes.
    rival_seconds: [&'static str; 2],
    targets: String,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    abstract_unix: UnixListener,
    /// The state of all files before the match.
    before: BTreeMap<PathBuf, String>,
    /// Keeps the locks on the shared file.
    _locked: fs::File,
    _memory: SharedMemory,
}

impl Testbed {
    /// Creates the files, sockets, locks and shared memory. The hostile bot receives its `limits`.
    pub(super) fn set_up(hostile: &HostileBot, limits: Limits, python: &Path) -> anyhow::Result<Testbed> {
        // Installed packages are of no use here, and to look for them takes half of the time to start.
        let python = vec![python.to_string_lossy().into_owned(), "-S".to_owned()];
        let folder = tempfile::Builder::new().prefix("pacman2-hostile-").tempdir().context("cannot create a folder")?;
        let at = |name: &str| folder.path().join(name);
        for (name, text) in [
            ("bot/shared.txt", "seen by two\n"),
            ("bot/shared.txt.empty", ""),
            (&format!("bot/{}", hostile.file), hostile.source),
            (&format!("bot/{}", suite::shared_module().0), suite::shared_module().1),
            ("rival/bot.py", RIVAL),
            ("rival/secret.txt", SECRET),
            ("judge/notes.txt", SECRET),
            ("home/.secret", SECRET),
        ] {
            let path = at(name);
            create_folder(path.parent().unwrap_or(Path::new("/")))?;
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let shared = at("bot/shared.txt");
        fs::hard_link(&shared, at("rival/shared.txt")).context("cannot create a hard link")?;
        let locked = fs::OpenOptions::new().read(true).write(true).open(&shared)?;
        rustix::fs::flock(&locked, FlockOperation::NonBlockingLockExclusive)?;
        lock_by_fcntl(&locked)?;

        let memory = SharedMemory::new()?;
        let (tcp, udp) = (TcpListener::bind(("127.0.0.1", 0))?, UdpSocket::bind(("127.0.0.1", 0))?);
        let (socket, name) = (at("judge/socket"), format!("pacman2-{}", std::process::id()));
        let unix = UnixListener::bind(&socket)?;
        let abstract_unix = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        unix.set_nonblocking(true)?;
        abstract_unix.set_nonblocking(true)?;
        let targets = json!({
            "judge_pid": std::process::id(),
            "rival_folder": at("rival"),
            "judge_file": at("judge/notes.txt"),
            "home": at("home"),
            "rival_pids": [],
            "tcp_port": tcp.local_addr()?.port(),
            "udp_port": udp.local_addr()?.port(),
            "unix_socket": socket,
            "abstract_socket": name,
            "shared_file": shared,
            "shm_key": memory.key,
            "memory_limit": limits.memory_bytes,
            "time_limit_ms": limits.wall.unwrap_or_default().as_millis() as u64,
        });
        Ok(Testbed {
            program: at("bot").join(&hostile.file),
            interpreter: if hostile.is_python { python.clone() } else { vec!["sh".to_owned()] },
            python,
            rival_seconds: [if hostile.slow_rival { RIVAL_PAUSE } else { "0" }, if hostile.busy_rival { RIVAL_CPU } else { "0" }],
            targets: targets.to_string(),
            tcp,
            udp,
            unix,
            abstract_unix,
            before: snapshot(folder.path()),
            folder,
            _locked: locked,
            _memory: memory,
        })
    }

    /// Returns the command line of the hostile bot. It names the bot's folder, so that the bot can read what is in it.
    pub(super) fn hostile_command(&self) -> anyhow::Result<String> {
        let (program, folder) = (self.program.to_string_lossy(), self.folder.path().join("bot"));
        let words = self.interpreter.iter().map(String::as_str);
        Ok(shlex::try_join(words.chain([&*program, &self.targets, &*folder.to_string_lossy()]))?)
    }

    /// Returns the command line of its rival.
    pub(super) fn rival_command(&self) -> anyhow::Result<String> {
        let [pause, cpu] = self.rival_seconds;
        let (words, file) = (self.python.iter().map(String::as_str), self.folder.path().join("rival/bot.py"));
        Ok(shlex::try_join(words.chain([&*file.to_string_lossy(), pause, cpu]))?)
    }

    /// Returns what the hostile bot reached or left behind.
    pub(super) fn traces(&self) -> Vec<String> {
        let mut traces = Vec::new();
        let mut found = |what: &str, is_found: bool| traces.extend(is_found.then(|| what.to_owned()));
        found("it reached a TCP port", self.tcp.accept().is_ok());
        found("it reached a UDP port", self.udp.recv(&mut [0]).is_ok());
        found("it reached a socket with a name", self.unix.accept().is_ok());
        found("it reached a socket with an abstract name", self.abstract_unix.accept().is_ok());
        let after = snapshot(self.folder.path());
        let changed = self.before.iter().filter(|(path, state)| after.get(*path) != Some(state)).map(|(path, _)| path);
        let new = after.keys().filter(|path| !self.before.contains_key(*path));
        traces.extend(changed.chain(new).map(|path| format!("it changed {}", path.display())));
        let survivors = survivors(self.folder.path());
        traces.extend(survivors.first().map(|survivor| format!("it left {} processes: {survivor}", survivors.len())));
        traces
    }
}

impl Drop for Testbed {
    fn drop(&mut self) {
        // Without a sandbox, the bot may have removed our permission to delete the folder.
        let _ = fs::set_permissions(self.folder.path(), PermissionsExt::from_mode(0o700));
    }
}

/// Takes an open file description lock, which stays when this process opens and closes the file again.
#[expect(unsafe_code, reason = "rustix has no open file description locks")]
fn lock_by_fcntl(file: &fs::File) -> io::Result<()> {
    let whole = libc::flock { l_type: libc::F_WRLCK as i16, l_whence: libc::SEEK_SET as i16, l_start: 0, l_len: 0, l_pid: 0 };
    // SAFETY: the call reads `whole`, which outlives the call.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &whole) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Creates a folder that everyone may read; otherwise bots of root would run from copies.
fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    fs::set_permissions(path, PermissionsExt::from_mode(0o755))
}

/// Returns the state of all files and folders in a folder: mode, owner, time and content.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        let text = if metadata.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        let state = format!("{:o} {} {:?} {text:?}", metadata.mode(), metadata.uid(), metadata.modified().ok());
        found.insert(path, state);
    }
    found
}

/// Returns the children of this process, and all processes that run in the folder or name it.
fn survivors(folder: &Path) -> Vec<String> {
    let us = std::process::id().to_string();
    let mut survivors = Vec::new();
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let read = |name: &str| fs::read_to_string(process.path().join(name)).unwrap_or_default();
        // The second field, the name, may contain anything; after its last parenthesis come the state and the parent.
        let is_child = read("stat").rsplit_once(") ").is_some_and(|(_, rest)| rest.split(' ').nth(1) == Some(us.as_str()));
        let command = read("cmdline").replace('\0', " ");
        let is_inside = fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
        let is_ours = process.file_name().to_str() == Some(us.as_str());
        if !is_ours && (is_child || is_inside || command.contains(&*folder.to_string_lossy())) {
            survivors.push(format!("{}: {command}", process.file_name().display()));
        }
    }
    survivors
}

/// A segment of System V shared memory that everyone may open.
struct SharedMemory {
    key: i32,
    id: i32,
}

impl SharedMemory {
    #[expect(unsafe_code, reason = "rustix has no System V shared memory")]
    fn new() -> io::Result<SharedMemory> {
        let key = (std::process::id() & 0x7fff_ffff) as i32;
        // SAFETY: all arguments are numbers.
        let id = unsafe { libc::shmget(key, 4096, libc::IPC_CREAT | 0o666) };
        if id == -1 { Err(io::Error::last_os_error()) } else { Ok(SharedMemory { key, id }) }
    }
}

impl Drop for SharedMemory {
    #[expect(unsafe_code, reason = "rustix has no System V shared memory")]
    fn drop(&mut self) {
        // SAFETY: `IPC_RMID` ignores the pointer.
        unsafe { libc::shmctl(self.id, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}
