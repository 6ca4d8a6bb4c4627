//! Misbehaving programs ("bots"), each a real process with one trick. However a bot behaves, its outcome is right, its
//! deadline holds (with room for a busy machine), and no process of it is left.
//!
//! These tests have a process of their own: it adopts orphans, looks for leftover processes in all of `/proc`, and its memory
//! is compared with that of its children.

#![cfg(unix)]

mod bots;

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use pacman2_runner::{Exit, Limits, MAX_STDERR_BYTES, Outcome, Program, Question, StartError, sweep};

use bots::{BRIEF, Bot, PATIENT, SOON, WALL, check, kept, limits, text};

// Bots that behave well.

#[test]
fn it_answers() {
    let run = check("answers", PATIENT, Outcome::Answered);
    assert_eq!(text(&run.output), r#"{"response":{"fresh":1}}"#);
    assert_eq!(run.exit, Some(Exit::Code(0)));
    assert!(Duration::ZERO < run.wall && run.cpu.unwrap() > Duration::ZERO);
    assert!(run.memory_bytes.unwrap_or(1) > 0);
    assert_eq!((run.output_bytes, run.stderr_bytes), (run.output.len() as u64, 0));
}

#[test]
fn it_keeps_running() {
    let mut bot = kept("keeps_running", PATIENT);
    for _ in 0..3 {
        let run = bot.ask();
        assert_eq!((run.outcome, text(&run.output)), (Outcome::Answered, r#"{"running":1}"#));
        assert_eq!((run.kept_running, run.exit), (true, None));
    }
}

#[test]
fn it_answers_each_question_from_a_new_process() {
    let mut bot = Bot::new("answers", PATIENT);
    for _ in 0..3 {
        assert_eq!(text(&bot.ask().output), r#"{"response":{"fresh":1}}"#);
    }
}

#[test]
fn its_input_may_end() {
    let mut bot = Bot::new("reads_to_end", PATIENT);
    bot.program().stdin_ends = true;
    let question = "x".repeat(1_000_000);
    assert_eq!(text(&bot.ask_with(&question).output), question);
}

#[test]
#[cfg(target_os = "linux")]
fn it_reads_to_the_end_of_its_input() {
    let mut bot = Bot::new("waits_for_the_end", PATIENT);
    for question in ["first", "second"] {
        let run = bot.ask_with(question);
        assert_eq!((run.outcome, text(&run.output)), (Outcome::Answered, question));
    }
    assert!(bot.program().stdin_ends, "from the second run on its input ends at once");
}

#[test]
#[cfg(target_os = "linux")]
fn it_idles_and_then_asks_to_keep_running() {
    let mut bot = Bot::new("idles", PATIENT);
    for _ in 0..2 {
        let run = bot.ask();
        assert_eq!((run.outcome, text(&run.output), run.kept_running), (Outcome::Answered, "{}", false));
    }
}

#[test]
fn its_json_needs_no_line_end_if_it_exits() {
    assert_eq!(text(&check("no_line_end", PATIENT, Outcome::Answered).output), "{}");
}

#[test]
fn it_prints_nothing() {
    assert_eq!(check("says_nothing", PATIENT, Outcome::Answered).output, b"");
}

// Bots that cannot start or do not finish.

#[test]
fn a_missing_program_is_not_started() {
    let run = Program::new(vec!["/no/such/bot".into()], PATIENT).ask(Question::once(""), &AtomicBool::new(false));
    let Outcome::NotStarted(error) = run.outcome else { panic!("{run:?}") };
    assert!(matches!(error, StartError::System { .. }), "{error:?}");
    assert!(error.to_string().contains("/no/such/bot"), "{error}");
}

#[test]
fn a_missing_directory_is_reported() {
    let mut program = Program::new(vec!["/bin/sh".into()], PATIENT);
    program.directory = Some("/no/such/place".into());
    let run = program.ask(Question::once(""), &AtomicBool::new(false));
    let Outcome::NotStarted(error) = run.outcome else { panic!("{run:?}") };
    assert!(error.to_string().contains("/no/such/place is not a directory"), "{error}");
}

#[test]
fn it_exits_with_3() {
    assert_eq!(check("exits_3", PATIENT, Outcome::Crashed).exit, Some(Exit::Code(3)));
}

#[test]
fn it_crashes() {
    assert_eq!(check("crashes", PATIENT, Outcome::Crashed).exit, Some(Exit::Signal(11)));
}

/// The wall clock stands still while a program waits for a processor, but not while it sleeps.
#[test]
#[cfg(target_os = "linux")]
fn others_on_the_machine_do_not_make_it_late() {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 * thread::available_parallelism().unwrap().get() {
            // Each has a session of its own, for which the kernel reserves a share of the processors.
            scope.spawn(|| Bot::new("burns", limits(600_000)).program().ask(Question::once(""), &stop));
        }
        let computes = Bot::new("computes", BRIEF).ask();
        let sleeps = Bot::new("sleeps", BRIEF).ask();
        stop.store(true, Ordering::Relaxed);

        let limit = BRIEF.wall.unwrap();
        assert_eq!(computes.outcome, Outcome::Answered, "{computes:?}");
        assert!(computes.wall > limit, "the machine was not busy: {computes:?}");
        // It answered before its deadline, or this thread, which waits for a processor too, would have ended it. But this
        // thread may have seen the answer later than that.
        assert!(computes.wall - computes.ready_wait < 2 * limit, "{computes:?}");
        assert_eq!(sleeps.outcome, WALL, "{sleeps:?}");
        assert!(sleeps.wall - sleeps.ready_wait < 2 * limit, "{sleeps:?}");
    });
}

#[test]
fn it_sleeps() {
    let run = check("sleeps", BRIEF, WALL);
    assert!(run.wall >= BRIEF.wall.unwrap());
    assert_eq!(run.exit, None);
}

/// Processes that wait for one another make no time.
#[test]
#[cfg(target_os = "linux")]
fn it_sleeps_after_it_has_kept_itself_waiting() {
    let limit = Duration::from_secs(1);
    let run = check("crowds", limits(1000), WALL);
    // In sum, they wait for so long that the clock would stand still until the bound on wall time.
    assert!(run.wall < 8 * limit, "{run:?}");
}

#[test]
fn it_never_stops_computing() {
    check("burns", BRIEF, WALL);
}

#[test]
fn it_ignores_sigterm() {
    check("ignores_term", BRIEF, WALL);
}

#[test]
fn it_closes_its_output_and_lives_on() {
    check("closes_stdout", BRIEF, WALL);
}

#[test]
#[cfg(target_os = "linux")]
fn it_exceeds_its_cpu_time() {
    let limits = Limits { cpu: Some(Duration::from_millis(200)), ..PATIENT };
    for script in ["burns", "burns_in_child", "burns_in_children"] {
        let run = check(script, limits, Outcome::TimeOut(pacman2_runner::Clock::Cpu));
        assert!(run.cpu.unwrap() >= Duration::from_millis(200), "{run:?}");
        assert!(run.wall < SOON);
    }
}

#[test]
fn the_caller_stops_it() {
    let mut bot = Bot::new("ignores_term", Limits::NONE);
    let stop = AtomicBool::new(false);
    let run = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        bot.program().ask(Question { fresh: "{}", running: "{}" }, &stop)
    });
    assert_eq!(run.outcome, Outcome::Stopped);
    assert!(run.wall < SOON);
}

// Bots that print too much, too little, or to the wrong place.

#[test]
fn it_prints_an_endless_line() {
    let run = check("endless_line", PATIENT, Outcome::OutputOut);
    assert_eq!(run.output.len(), 1024 * 1024 + 1);
    assert!(run.wall < SOON);
}

#[test]
fn it_prints_ten_million_lines() {
    check("short_lines", PATIENT, Outcome::OutputOut);
    // A higher output limit does not extend its time.
    check("short_lines", Limits { output_bytes: Some(u64::MAX), ..limits(20) }, WALL);
}

#[test]
fn it_prints_more_than_it_may_and_exits() {
    check("talks_too_much", PATIENT, Outcome::OutputOut);
}

#[test]
fn it_prints_byte_by_byte() {
    let run = check("byte_by_byte", BRIEF, WALL);
    assert!(run.output.starts_with(b"aa"));
}

#[test]
fn it_fills_its_standard_error() {
    let run = check("babbles", PATIENT, Outcome::Answered);
    assert_eq!(text(&run.output), "{}");
    assert_eq!((run.stderr.len(), run.stderr_bytes), (MAX_STDERR_BYTES, 1_000_000));
}

#[test]
fn it_never_reads() {
    let long = "x".repeat(5_000_000);
    let mut bot = Bot::new("sleeps", BRIEF);
    assert_eq!(bot.ask_with(&long).outcome, WALL);

    let mut bot = Bot::new("answers_unheard", PATIENT);
    let run = bot.ask_with(&long);
    assert_eq!((run.outcome, text(&run.output)), (Outcome::Answered, "{}"));
}

// Bots that use too much memory, or leave processes behind.

#[test]
fn it_exceeds_its_memory() {
    let run = check("hoards", PATIENT, Outcome::MemoryOut);
    assert!(run.memory_bytes.unwrap() > PATIENT.memory_bytes.unwrap());
    check("hoards_in_child", PATIENT, Outcome::MemoryOut);
}

/// Memory that a bot inherits from a large parent does not count.
#[test]
#[cfg(target_os = "linux")]
fn memory_of_the_parent_does_not_count() {
    let ours = vec![1u8; 300_000_000];
    let run = check("answers", PATIENT, Outcome::Answered);
    assert!(run.memory_bytes.unwrap_or_default() < ours.len() as u64);
    assert_eq!(ours.last(), Some(&1));
}

#[test]
fn it_leaves_a_child_that_holds_its_output() {
    let run = check("leaves_child", PATIENT, Outcome::Answered);
    assert_eq!(text(&run.output), "{}");
    assert!(run.wall < SOON);
}

#[test]
#[cfg(target_os = "linux")]
fn it_leaves_a_daemon() {
    check("leaves_daemon", PATIENT, Outcome::Answered);
}

#[test]
#[cfg(target_os = "linux")]
fn it_leaves_a_daemon_that_keeps_forking() {
    check("breeds", PATIENT, Outcome::Answered);
}

// Bots that keep running, but break the rules for that.

#[test]
fn it_answers_twice() {
    let mut bot = kept("answers_twice", PATIENT);
    assert_eq!(bot.ask().outcome, Outcome::Answered);
    let run = bot.ask();
    assert_eq!((run.outcome, text(&run.output)), (Outcome::Unasked, r#"{"running":1}"#));
    assert!(!run.kept_running);
}

#[test]
fn it_exits_between_turns() {
    let mut bot = kept("exits_between_turns", PATIENT);
    let run = bot.ask();
    assert_eq!((run.outcome, run.exit), (Outcome::Crashed, Some(Exit::Code(7))));
    // The next process is a fresh one.
    assert_eq!(bot.ask().outcome, Outcome::Answered);
}

#[test]
fn its_json_needs_a_line_end_if_it_keeps_running() {
    let mut bot = kept("no_line_end_later", BRIEF);
    let run = bot.ask();
    assert_eq!((run.outcome, text(&run.output)), (WALL, "{}"));
}

#[test]
fn it_keeps_running_and_never_reads() {
    let mut bot = Bot::new("deafens", BRIEF);
    assert!(bot.ask_with(&"x".repeat(5_000_000)).kept_running);
    assert_eq!(bot.ask().outcome, WALL);
}

/// Between two runs it is stopped with all its children.
#[test]
#[cfg(target_os = "linux")]
fn it_is_paused_between_runs() {
    let mut bot = kept("ponders", PATIENT);
    thread::sleep(Duration::from_millis(600));
    let run = bot.ask();
    assert_eq!(run.outcome, Outcome::Answered);
    let between = run.cpu_between_runs.unwrap();
    assert!(between < Duration::from_millis(200), "{between:?}");
    assert!(between <= run.cpu.unwrap());
}

/// A helper without a parent is no orphan as long as the bot lives.
#[test]
#[cfg(target_os = "linux")]
fn its_helper_lives_as_long_as_it_does() {
    let mut bot = kept("has_helper", PATIENT);
    for _ in 0..3 {
        sweep();
        let run = bot.ask();
        assert_eq!((run.outcome, text(&run.output)), (Outcome::Answered, r#"{"running":1}"#));
    }
}

// Several at once.

/// The end of one bot affects no other, and no child that other code has started.
#[test]
fn bots_run_side_by_side() {
    thread::scope(|scope| {
        for script in ["answers", "leaves_daemon", "keeps_running", "keeps_running"] {
            scope.spawn(move || {
                let mut bot = Bot::new(script, PATIENT);
                for turn in 0..30 {
                    let run = bot.ask();
                    assert_eq!(run.outcome, Outcome::Answered, "{script}, turn {turn}: {run:?}");
                    assert_eq!(run.kept_running, script == "keeps_running", "{script}, turn {turn}: {run:?}");
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..30 {
                let mut child = Command::new("/bin/sh").args(["-c", "sleep 0.01; exit 5"]).spawn().unwrap();
                sweep();
                assert_eq!(child.wait().unwrap().code(), Some(5));
            }
        });
    });
}
