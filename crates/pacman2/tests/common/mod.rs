//! What the tests share: the program, run as a person or a script runs it, each time in a folder of its own.

#![allow(dead_code, reason = "each test program uses some of this")]

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

/// How long anything may take that works, on the busiest machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A field on which little happens unless somebody makes it happen. Nobody can go up or left from seat 0.
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

/// A bot in shell that does nothing.
pub(crate) const STAYS: &str = r#"read -r question; echo '{"response":{"action":-1}}'"#;

/// A picture as init data.
pub(crate) fn init_data(drawn: &str) -> Value {
    let (arena, start) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}"));
    pacman2_botzone::init_data::write(&Map { seed: 7, maze: arena, start })
}

/// A folder of its own, in which the program runs and bots lie. When it goes, no process may be left in it.
pub(crate) struct Place {
    folder: TempDir,
    /// A number like no other: bots sleep for so many seconds, which tells their processes from all others.
    pub(crate) mark: String,
}

impl Place {
    pub(crate) fn new() -> Place {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mark = format!("971.{}{:03}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Place { folder: tempfile::tempdir().unwrap(), mark }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file; `MARK` in it becomes the number like no other.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text.replace("MARK", &self.mark)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names of all files and folders in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Writes a file that can be run.
    pub(crate) fn write_executable(&self, name: &str, text: &str) {
        self.write(name, text);
        // Another process makes it. Had we written it ourselves, a child that another test starts at this moment could
        // have it open for a while, and then nobody may run it.
        let copy = format!("cp '{name}' '{name}~' && mv '{name}~' '{name}' && chmod +x '{name}'");
        assert!(Command::new("sh").args(["-c", &copy]).current_dir(self.folder.path()).status().unwrap().success());
    }

    /// The program with this command line, split as a shell does it, ready to run here.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(PACMAN2);
        command.args(shlex::split(line).unwrap_or_else(|| panic!("{line} is no command line")));
        // Where there is no such sandbox, bots are played with that are trusted.
        let plays = ["match ", "serve ", "check ", "arena add ", "arena run", "arena compare ", "arena tournament "]
            .iter()
            .any(|verb| line.starts_with(verb));
        if plays && !line.contains("--trust") && !line.contains("--require-tier") && !has_sandbox() {
            command.args(["--trust", "all"]);
        }
        self.at_home(&mut command);
        command
    }

    /// Has a command run here, with its own cache and away from the settings of whoever runs the tests.
    pub(crate) fn at_home(&self, command: &mut Command) {
        command.current_dir(self.folder.path()).env("XDG_CACHE_HOME", self.path("cache"));
        for variable in ["CXX", "NO_COLOR", "PACMAN2_GUARDIAN"] {
            command.env_remove(variable);
        }
    }

    /// Runs the program to its end, without input.
    #[track_caller]
    pub(crate) fn run(&self, line: &str) -> Ran {
        start(self.command(line), "").wait()
    }

    /// Runs the program to its end.
    #[track_caller]
    pub(crate) fn run_with(&self, line: &str, input: &str) -> Ran {
        start(self.command(line), input).wait()
    }

    /// Has a match played that must come to its end, and returns its replay.
    #[track_caller]
    pub(crate) fn play(&self, bots_and_options: &str) -> Value {
        self.run(&format!("match {bots_and_options} --replay played.json")).succeeded();
        self.replay("played.json")
    }

    #[track_caller]
    pub(crate) fn replay(&self, name: &str) -> Value {
        json(&self.read(name))
    }

    /// Processes that are in the folder, name it, or bear the mark. Only Linux can say.
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

    /// Waits until nobody is left, for a while.
    #[track_caller]
    pub(crate) fn is_soon_deserted(&self) {
        wait_until("no process to be left", || self.survivors().is_empty());
    }
}

/// Whether this machine has a sandbox in which bots in shell can run, which begin processes.
pub(crate) fn has_sandbox() -> bool {
    static HAS: LazyLock<bool> = LazyLock::new(|| {
        let told = Command::new(PACMAN2).args(["doctor", "--json"]).output().unwrap();
        let told = json(str::from_utf8(&told.stdout).unwrap());
        told["tier"] == "A" || told["tier"] == "B" && told["control_groups"].is_array()
    });
    *HAS
}

/// The same, for a test that is about the sandbox: it says what was not run if there is none.
pub(crate) fn has_sandbox_for(what: &str) -> bool {
    if !has_sandbox() {
        eprintln!("not run: {what} (this machine has no sandbox in which bots may begin processes)");
    }
    has_sandbox()
}

impl Drop for Place {
    fn drop(&mut self) {
        if !thread::panicking() {
            assert_eq!(self.survivors(), [""; 0], "survivors");
        }
    }
}

/// Waits until something is so, with patience but not for ever.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A program that runs.
pub(crate) struct Running {
    pub(crate) child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

/// Starts a program; its input ends after `input`.
#[track_caller]
pub(crate) fn start(command: Command, input: &str) -> Running {
    let mut running = start_with_open_input(command);
    // It may have seen enough before the end.
    let _ = running.child.stdin.take().unwrap().write_all(input.as_bytes());
    running
}

/// Starts a program whose input is not ended.
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
    /// Waits for the end of the program, and of all who can write to its outputs.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Ran {
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
        let text = |pipe: Receiver<String>| pipe.recv_timeout(PATIENCE).expect("somebody keeps the program's output open");
        Ran { code: status.code(), stdout: text(self.stdout), stderr: text(self.stderr) }
    }
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code, if no signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn succeeded(self) -> Ran {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    /// Its output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        json(&self.stdout)
    }

    /// Exit code 2, one line on stderr that holds these words, and nothing on stdout.
    #[track_caller]
    pub(crate) fn refused(self, words: &[&str]) {
        assert!((self.code, self.stdout.as_str()) == (Some(2), ""), "{self:#?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:#?}");
        for words in words {
            assert!(self.stderr.contains(words), "\"{words}\" is not in: {}", self.stderr);
        }
    }

    /// The same where the arguments themselves are refused: then a hint follows the line.
    #[track_caller]
    pub(crate) fn misused(self, words: &[&str]) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{self:#?}");
        let told = self.stderr.split("\n\n").next().unwrap();
        for words in words {
            assert!(told.contains(words), "\"{words}\" is not in: {told}");
        }
    }
}

#[track_caller]
pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The part of a replay's text that must be the same on every machine.
#[track_caller]
pub(crate) fn public_part(replay: &str) -> &str {
    let (_, rest) = replay.split_once("\"public\":").expect("a replay has a public part");
    rest.split_once("\"private\":").expect("a replay has a private part").0
}

/// What was asked for on a seat, turn by turn, verdicts likewise.
pub(crate) fn verdicts(replay: &Value, seat: usize) -> Vec<&str> {
    turns(replay).iter().filter_map(|turn| turn["verdicts"][seat].as_str()).collect()
}

/// The public turns of a replay.
pub(crate) fn turns(replay: &Value) -> &[Value] {
    replay["public"]["turns"].as_array().expect("a replay has turns")
}

/// What the replay keeps for a bot's author, turn by turn.
pub(crate) fn backstage(replay: &Value, seat: usize) -> Vec<&Value> {
    let turns = replay["private"]["turns"].as_array().expect("a replay has private turns");
    turns.iter().map(|turn| &turn[seat]).filter(|said| !said.is_null()).collect()
}

/// Whether this machine has a program; if not, says that something was not tested.
pub(crate) fn has(program: &str, untested: &str) -> bool {
    let found = runs(program, ["--version"]);
    if !found {
        not_run(untested, program);
    }
    found
}

pub(crate) fn runs<I: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = I>) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Says that something was not tested, past the test runner, which would keep it to itself.
pub(crate) fn not_run(untested: &str, lacking: &str) {
    let _ = writeln!(io::stderr(), "not run: {untested} (no {lacking} here)");
}

/// A built-in bot as a program, quoted for a command line.
pub(crate) fn built_in(words: &str) -> String {
    format!("\"'{PACMAN2}' bot {words}\"")
}

pub(crate) fn exists(path: &Path) -> bool {
    path.try_exists().unwrap()
}

/// Whether this machine has the library that C++ bots read JSON with; if not, says that something was not tested.
pub(crate) fn has_jsoncpp(untested: &str) -> bool {
    let found = runs("pkg-config", ["--exists", "jsoncpp"]) || exists(Path::new("/usr/include/jsoncpp/json/json.h"));
    if !found {
        not_run(untested, "jsoncpp");
    }
    found
}

/// Runs the program on a terminal of this size, which Python provides, and returns all that it wrote there.
#[cfg(unix)]
#[track_caller]
pub(crate) fn on_terminal(place: &Place, rows: u16, cols: u16, line: &str) -> Option<String> {
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
    place.at_home(&mut command);
    command.env("TERM", "xterm");
    Some(start(command, "").wait().succeeded().stdout)
}
