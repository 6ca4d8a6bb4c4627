//! Helpers that all tests share: run the program as a person or a script does, each time in a fresh folder.

#![cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "some tests need Linux"))]

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use pacman2_maps::Map;
use pacman2_rules::picture;
use serde_json::Value;
use tempfile::TempDir;

/// The program under test.
pub(crate) const PACMAN2: &str = env!("CARGO_BIN_EXE_pacman2");

/// Copies the program under test. Another process writes the copy: a file that this one has open for writing cannot be run as
/// long as a process that another thread forks meanwhile holds it, too.
#[cfg(unix)]
pub(crate) fn copy_program(to: &Path) {
    assert!(Command::new("cp").arg(PACMAN2).arg(to).status().unwrap().success());
}

/// The longest that anything that works may take, on the busiest machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A maze without inner walls, with a small fruit on the cells of seats 0 and 3. Seat 0 can go neither up nor left.
pub(crate) const FIELD: &str = "
    +----+----+----+----+----+----+
    | 0.                       1  |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    | 2                        3. |
    +----+----+----+----+----+----+
";

/// A shell bot that stays in every turn.
pub(crate) const STAYS: &str = r#"read -r question; echo '{"response":{"action":-1}}'"#;

/// Converts a picture to init data.
pub(crate) fn init_data(drawn: &str) -> Value {
    let (maze, start) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}"));
    pacman2_botzone::init_data::write(&Map { seed: 7, maze, start })
}

/// A fresh folder in which the program runs and which holds the bots. Dropping it asserts that no process is left in it.
pub(crate) struct TestDir {
    folder: TempDir,
    /// A unique number of seconds. Bots sleep that long, which identifies their processes.
    pub(crate) mark: String,
}

impl TestDir {
    pub(crate) fn new() -> TestDir {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mark = format!("971.{}{:03}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        TestDir { folder: tempfile::tempdir().unwrap(), mark }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file in which `MARK` is replaced by the unique number.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text.replace("MARK", &self.mark)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Returns the sorted names of all files and folders in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Writes an executable file.
    pub(crate) fn write_executable(&self, name: &str, text: &str) {
        self.write(name, text);
        // Another process creates it. If this process wrote it, a child that another test forks at this moment could
        // inherit the open file, and starting it would fail with "text file busy".
        let copy = format!("cp '{name}' '{name}~' && mv '{name}~' '{name}' && chmod +x '{name}'");
        assert!(Command::new("sh").args(["-c", &copy]).current_dir(self.folder.path()).status().unwrap().success());
    }

    /// Writes a ZIP archive of these files.
    pub(crate) fn write_zip(&self, name: &str, files: &[(&str, impl AsRef<[u8]>)]) {
        let mut zip = zip::ZipWriter::new(fs::File::create(self.path(name)).unwrap());
        for (name, content) in files {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(content.as_ref()).unwrap();
        }
        zip.finish().unwrap();
    }

    /// Returns the program with this command line, split as a shell splits it, ready to run in this folder.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(PACMAN2);
        command.args(shlex::split(line).unwrap_or_else(|| panic!("{line} is no command line")));
        // Without a sandbox the tests trust their bots.
        let verbs = ["match ", "play ", "serve ", "check ", "botzone play ", "rerun ", "bundle "];
        let verbs_of_arena = ["add ", "run", "compare ", "tournament "];
        let is_of_arena = |line: &str| verbs_of_arena.iter().any(|verb| line.starts_with(verb));
        let plays_jobs = line.starts_with("jobs play") && !line.contains("--nets");
        let plays =
            plays_jobs || verbs.iter().any(|verb| line.starts_with(verb)) || line.strip_prefix("arena ").is_some_and(is_of_arena);
        if plays && !line.contains("--trust") && !line.contains("--require-tier") && !has_sandbox() {
            command.args(["--trust", "all"]);
        }
        self.isolate(&mut command);
        command
    }

    /// Sets the folder of a command, gives it an empty cache, and removes the environment settings of the user.
    pub(crate) fn isolate(&self, command: &mut Command) {
        command.current_dir(self.folder.path()).env("XDG_CACHE_HOME", self.path("cache"));
        for variable in ["CXX", "NO_COLOR", "LC_ALL", "LC_MESSAGES", "LANG", "PACMAN2_WATCHDOG", "PACMAN2_BOTZONE"] {
            command.env_remove(variable);
        }
    }

    /// Runs the program to its end without input.
    #[track_caller]
    pub(crate) fn run(&self, line: &str) -> RunResult {
        start(self.command(line), "").wait()
    }

    /// Runs the program to its end.
    #[track_caller]
    pub(crate) fn run_with(&self, line: &str, input: &str) -> RunResult {
        start(self.command(line), input).wait()
    }

    /// Plays a match that must succeed, and returns its replay.
    #[track_caller]
    pub(crate) fn play(&self, bots_and_options: &str) -> Value {
        self.run(&format!("match {bots_and_options} --replay played.json")).succeeded();
        self.replay("played.json")
    }

    #[track_caller]
    pub(crate) fn replay(&self, name: &str) -> Value {
        json(&self.read(name))
    }

    /// Returns the processes that run in the folder, name it, or carry the mark. Empty where there is no `/proc`.
    pub(crate) fn survivors(&self) -> Vec<String> {
        let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
        let folder = self.folder.path();
        let of_ours = |process: fs::DirEntry| {
            let command = fs::read_to_string(process.path().join("cmdline")).ok()?.replace('\0', " ");
            let is_here = fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder);
            let is_named = command.contains(&self.mark) || command.contains(folder.to_str()?);
            (is_here || is_named).then(|| format!("{}: {command}", process.file_name().display()))
        };
        processes.flatten().filter_map(of_ours).collect()
    }

    /// Waits until no process is left.
    #[track_caller]
    pub(crate) fn wait_until_deserted(&self) {
        wait_until("no process to be left", || self.survivors().is_empty());
    }
}

/// Returns whether this machine has a sandbox for bots that start processes, as shell scripts do.
pub(crate) fn has_sandbox() -> bool {
    static HAS: LazyLock<bool> = LazyLock::new(|| {
        let output = Command::new(PACMAN2).args(["doctor", "--json"]).output().unwrap();
        let report = json(str::from_utf8(&output.stdout).unwrap());
        report["tier"] == "A" || report["tier"] == "B" && report["control_groups"].is_array()
    });
    *HAS
}

/// Like [`has_sandbox`], for a test of the sandbox: prints what is skipped if there is none.
pub(crate) fn has_sandbox_for(what: &str) -> bool {
    if !has_sandbox() {
        eprintln!("not run: {what} (this machine has no sandbox for bots that start processes)");
    }
    has_sandbox()
}

impl Drop for TestDir {
    fn drop(&mut self) {
        if !thread::panicking() {
            assert_eq!(self.survivors(), [""; 0], "survivors");
        }
    }
}

/// Waits until a condition holds.
///
/// # Panics
///
/// If it does not hold within [`PATIENCE`].
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "timed out waiting for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A running program.
pub(crate) struct Running {
    pub(crate) child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

/// Interrupts the program when it has computed for a while, as `/proc` shows.
#[cfg(target_os = "linux")]
pub(crate) fn interrupt(dir: &TestDir, line: &str) -> RunResult {
    let running = start(dir.command(line), "");
    wait_until("the program to compute", || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", running.child.id())).unwrap_or_default();
        let ticks = stat.rsplit(") ").next().and_then(|stat| stat.split(' ').nth(11)?.parse::<u64>().ok());
        ticks > Some(20)
    });
    running.interrupt()
}

/// Starts a program whose input ends after `input`.
#[track_caller]
pub(crate) fn start(command: Command, input: &str) -> Running {
    let mut running = start_with_open_input(command);
    // The program may exit before it has read everything.
    let _ = running.child.stdin.take().unwrap().write_all(input.as_bytes());
    running
}

/// Starts a program whose input stays open.
#[track_caller]
pub(crate) fn start_with_open_input(mut command: Command) -> Running {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = read_in_background(child.stdout.take().unwrap());
    let stderr = read_in_background(child.stderr.take().unwrap());
    Running { child, stdout, stderr }
}

fn read_in_background(mut pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

impl Running {
    /// Sends the signal of Ctrl-C, and waits for the end.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn interrupt(self) -> RunResult {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap().success());
        self.wait()
    }

    /// Waits until the program and every process that holds its outputs have ended.
    #[track_caller]
    pub(crate) fn wait(mut self) -> RunResult {
        let begin = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if begin.elapsed() > PATIENCE => {
                    let _ = self.child.kill();
                    panic!("the program does not end");
                }
                None => thread::sleep(Duration::from_millis(2)),
            }
        };
        let text = |pipe: Receiver<String>| pipe.recv_timeout(PATIENCE).expect("a process keeps the program's output open");
        RunResult { code: status.code(), stdout: text(self.stdout), stderr: text(self.stderr) }
    }
}

/// The exit code and outputs of a run.
#[derive(Debug)]
pub(crate) struct RunResult {
    /// The exit code; `None` if a signal ended the program.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl RunResult {
    #[track_caller]
    pub(crate) fn succeeded(self) -> RunResult {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    /// Parses standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        json(&self.stdout)
    }

    /// Asserts exit code 2, one line on stderr that contains these words, and nothing on stdout.
    #[track_caller]
    pub(crate) fn refused(self, words: &[&str]) {
        self.failed_with(2, words);
    }

    /// The same with exit code 1: the machine is at fault.
    #[track_caller]
    pub(crate) fn failed(self, words: &[&str]) {
        self.failed_with(1, words);
    }

    #[track_caller]
    fn failed_with(self, code: i32, words: &[&str]) {
        assert!((self.code, self.stdout.as_str()) == (Some(code), ""), "{self:#?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:#?}");
        for words in words {
            assert!(self.stderr.contains(words), "\"{words}\" is not in: {}", self.stderr);
        }
    }

    /// Like [`refused`](Self::refused), for arguments that clap rejects: usage hints may follow the message.
    #[track_caller]
    pub(crate) fn misused(self, words: &[&str]) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{self:#?}");
        let message = self.stderr.split("\n\n").next().unwrap();
        for words in words {
            assert!(message.contains(words), "\"{words}\" is not in: {message}");
        }
    }
}

#[track_caller]
pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns the part of a replay's text that must be the same on every machine.
#[track_caller]
pub(crate) fn public_part(replay: &str) -> &str {
    let (_, rest) = replay.split_once("\"public\":").expect("a replay has a public part");
    rest.split_once("\"private\":").expect("a replay has a private part").0
}

/// Returns the verdicts of a seat, turn by turn.
pub(crate) fn verdicts(replay: &Value, seat: usize) -> Vec<&str> {
    turns(replay).iter().filter_map(|turn| turn["verdicts"][seat].as_str()).collect()
}

/// Returns the public turns of a replay.
pub(crate) fn turns(replay: &Value) -> &[Value] {
    replay["public"]["turns"].as_array().expect("a replay has turns")
}

/// Returns the private diagnostics of a seat, turn by turn.
pub(crate) fn diagnostics(replay: &Value, seat: usize) -> Vec<&Value> {
    let turns = replay["private"]["turns"].as_array().expect("a replay has private turns");
    turns.iter().map(|turn| &turn[seat]).filter(|entry| !entry.is_null()).collect()
}

/// Returns whether this machine has a program; if not, prints that a test is skipped.
pub(crate) fn has(program: &str, untested: &str) -> bool {
    let found = runs(program, ["--version"]);
    if !found {
        report_skipped(untested, program);
    }
    found
}

pub(crate) fn runs<I: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = I>) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Prints that a test is skipped, past the test runner, which captures the output of tests that pass.
pub(crate) fn report_skipped(untested: &str, lacking: &str) {
    let _ = writeln!(io::stderr(), "not run: {untested} (no {lacking} here)");
}

/// Returns the command of a built-in bot as a process, quoted for a command line.
pub(crate) fn built_in(words: &str) -> String {
    format!("\"'{PACMAN2}' bot {words}\"")
}

pub(crate) fn exists(path: &Path) -> bool {
    path.try_exists().unwrap()
}

/// Returns whether this machine has the JSON library of C++ bots; if not, prints that a test is skipped.
pub(crate) fn has_jsoncpp(untested: &str) -> bool {
    let found = runs("pkg-config", ["--exists", "jsoncpp"]) || exists(Path::new("/usr/include/jsoncpp/json/json.h"));
    if !found {
        report_skipped(untested, "jsoncpp");
    }
    found
}

/// Runs the program on a terminal of this size, which Python provides, and returns everything it printed.
/// `None` if there is no Python.
#[cfg(unix)]
#[track_caller]
pub(crate) fn on_terminal(dir: &TestDir, rows: u16, cols: u16, line: &str) -> Option<String> {
    const TERMINAL: &str = "\
import fcntl, os, pty, struct, sys, termios
rows, cols, *command = sys.argv[1:]
pid, screen = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', int(rows), int(cols), 0, 0))
    os.execv(command[0], command)
while True:
    try:
        text = os.read(screen, 65536)
    except OSError:
        break
    if not text:
        break
    sys.stdout.buffer.write(text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
";
    if !has("python3", "a match on a terminal") {
        return None;
    }
    let mut command = Command::new("python3");
    command.args(["-c", TERMINAL, &rows.to_string(), &cols.to_string(), PACMAN2]).args(shlex::split(line).unwrap());
    dir.isolate(&mut command);
    command.env("TERM", "xterm");
    Some(start(command, "").wait().succeeded().stdout)
}

/// Mounts a disk of this size on a folder. Returns `None` where nothing can be mounted, and prints that the test is not run.
#[cfg(target_os = "linux")]
pub(crate) fn small_disk(folder: &Path, size: &str) -> Option<Mounted> {
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(folder).output();
    if mount.is_ok_and(|output| output.status.success()) {
        return Some(Mounted(folder.to_owned()));
    }
    eprintln!("not run: a full disk (nothing can be mounted here)");
    None
}

/// A disk that is mounted for a test.
#[cfg(target_os = "linux")]
pub(crate) struct Mounted(PathBuf);

#[cfg(target_os = "linux")]
impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
