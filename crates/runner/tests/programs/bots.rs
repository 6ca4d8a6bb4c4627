//! A bot under test: asks its program, and looks for its processes.

use std::ffi::OsString;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pacman2_runner::{Clock, Limits, Outcome, Program, Question, RunResult};
use tempfile::TempDir;

/// The line with which the bots ask to keep running.
pub(crate) const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

pub(crate) const WALL: Outcome = Outcome::TimeOut(Clock::Wall);

/// Long enough for a bot that behaves well, on the busiest machine.
pub(crate) const PATIENT: Limits = limits(20_000);
/// For bots that exceed their time.
pub(crate) const BRIEF: Limits = limits(400);
/// When a brief run is over at the latest, on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(8);

pub(crate) const fn limits(wall_ms: u64) -> Limits {
    Limits {
        wall: Some(Duration::from_millis(wall_ms)),
        cpu: None,
        memory_bytes: Some(256 * 1024 * 1024),
        output_bytes: Some(1024 * 1024),
        tasks: Some(256),
    }
}

/// Returns the source of a bot: what follows the line `=== NAME` in `bots.txt`.
fn source(name: &str) -> &'static str {
    let row = include_str!("bots.txt").split("=== ").find_map(|row| row.strip_prefix(name)?.strip_prefix('\n'));
    row.unwrap_or_else(|| panic!("no bot {name} in bots.txt"))
}

/// A program in a directory of its own, with an argument of its own, by which its processes are recognised.
pub(crate) struct Bot {
    program: Option<Program>,
    directory: TempDir,
    mark: String,
}

impl Bot {
    pub(crate) fn new(script: &str, limits: Limits) -> Bot {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        // Bots use it as a number of seconds to sleep.
        let mark = format!("97.{}{:03}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bot.sh");
        fs::write(&path, source(script)).unwrap();
        let command: [OsString; 3] = ["/bin/sh".into(), path.into(), (&mark).into()];
        let mut program = Program::new(command.into(), limits);
        program.directory = Some(directory.path().to_owned());
        program.keep_running = Some(KEEP_RUNNING.to_owned());
        Bot { program: Some(program), directory, mark }
    }

    pub(crate) fn program(&mut self) -> &mut Program {
        self.program.as_mut().unwrap()
    }

    pub(crate) fn ask(&mut self) -> RunResult {
        self.ask_with(r#"{"fresh":1}"#)
    }

    pub(crate) fn ask_with(&mut self, fresh: &str) -> RunResult {
        let question = Question { fresh, running: r#"{"running":1}"# };
        let begin = Instant::now();
        let wall = self.program().limits.wall;
        let run = self.program().ask(question, &AtomicBool::new(false));
        if wall == BRIEF.wall {
            assert!(begin.elapsed() < SOON, "it took {:?}: {run:?}", begin.elapsed());
        }
        assert_eq!(run.kept_running, self.program().keeps_running());
        run
    }

    /// Returns the processes that carry the mark or run in the directory.
    fn survivors(&self) -> Vec<String> {
        let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
        processes
            .flatten()
            .filter_map(|process| {
                let command = fs::read_to_string(process.path().join("cmdline")).ok()?.replace('\0', " ");
                let is_inside = fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == self.directory.path());
                (is_inside || command.contains(&self.mark)).then_some(command)
            })
            .collect()
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        drop(self.program.take());
        let survivors = self.survivors();
        if !thread::panicking() {
            assert_eq!(survivors, [""; 0], "survivors");
        }
    }
}

/// Asks a new bot once.
#[track_caller]
pub(crate) fn check(script: &str, limits: Limits, expected: Outcome) -> RunResult {
    let mut bot = Bot::new(script, limits);
    let run = bot.ask();
    assert_eq!(run.outcome, expected, "{script}: {run:?}");
    assert!(!run.kept_running);
    assert_eq!(bot.survivors(), [""; 0], "survivors of the run, before the program is dropped");
    run
}

/// Starts a bot that answers its first question and keeps running.
#[track_caller]
pub(crate) fn kept(script: &str, limits: Limits) -> Bot {
    let mut bot = Bot::new(script, limits);
    let run = bot.ask();
    assert_eq!(run.outcome, Outcome::Answered, "{script}: {run:?}");
    assert!(run.kept_running, "{script}: {run:?}");
    bot
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap().trim()
}
