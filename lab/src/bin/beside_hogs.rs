//! Counts answers that are taken to be too late while others keep the processors busy. There should be none: the clock of a
//! program stands still while it waits for a processor.
//!
//! ```text
//! cargo run --release -p lab --bin beside_hogs -- [ANSWERS [HOGS]]
//! ```
//!
//! Of fifty answers 48 need 10 ms of CPU time, one needs 450 ms and one needs 700 ms, with a limit of 1 s. Each answer is a new
//! process in the best sandbox of this machine, and two are asked for at a time.

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::process::{Child, Command};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use pacman2_runner::{Limits, Mounts, Outcome, Program, Question, Sandbox, supervisor_main, sweep};

    const ASKED_AT_A_TIME: usize = 2;
    const REPORT_EVERY: u32 = 1000;

    #[derive(Default)]
    struct Tally {
        answers: u32,
        wrong: Vec<String>,
        longest_wall: Duration,
        longest_wait: Duration,
    }

    pub(super) fn run() {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["jail"] => drop(supervisor_main()),
            ["hog"] => loop {
                std::hint::spin_loop();
            },
            ["bot", milliseconds] => bot(Duration::from_millis(milliseconds.parse().expect("milliseconds"))),
            [] => measure(20_000, 4),
            [answers] => measure(answers.parse().expect("a number of answers"), 4),
            [answers, hogs] => measure(answers.parse().expect("a number of answers"), hogs.parse().expect("a number of hogs")),
            _ => eprintln!("expected at most a number of answers and one of hogs"),
        }
    }

    /// Returns the CPU time that the program with this number needs.
    fn milliseconds_of(number: u32) -> u64 {
        match number % 50 {
            10 => 450,
            35 => 700,
            _ => 10,
        }
    }

    /// Answers after this CPU time.
    fn bot(need: Duration) {
        let used = || {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
            Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
        };
        while used() < need {
            std::hint::spin_loop();
        }
        println!("done");
    }

    fn measure(answers: u32, hogs: usize) {
        let this = std::env::current_exe().expect("the path of this program");
        let sandbox = Sandbox::best(vec!["/proc/self/exe".into(), "jail".into()]);
        let mut hogs: Vec<Child> =
            (0..hogs).map(|_| Command::new("setsid").arg(&this).arg("hog").spawn().expect("setsid of util-linux")).collect();
        println!(
            "tier {}, {} hogs, {} cores",
            sandbox.tier(),
            hogs.len(),
            thread::available_parallelism().map_or(0, usize::from)
        );
        let (next, tally, begin) = (AtomicU32::new(0), Mutex::new(Tally::default()), Instant::now());
        thread::scope(|scope| {
            for _ in 0..ASKED_AT_A_TIME {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= answers {
                            break;
                        }
                        let need = milliseconds_of(number);
                        let command: Vec<OsString> = vec![this.clone().into(), "bot".into(), need.to_string().into()];
                        let mut program = Program::new(command, Limits::default());
                        let mounts = Mounts { readable: vec![this.clone()], ..Mounts::default() };
                        program.confine(&sandbox, mounts).expect("a sandbox");
                        let result = program.ask(Question::once(""), &AtomicBool::new(false));
                        let mut tally = tally.lock().unwrap();
                        tally.answers += 1;
                        tally.longest_wall = tally.longest_wall.max(result.wall);
                        tally.longest_wait = tally.longest_wait.max(result.ready_wait);
                        if result.outcome != Outcome::Answered {
                            tally.wrong.push(format!("{need} ms: {result:?}"));
                        }
                        if tally.answers.is_multiple_of(REPORT_EVERY) || tally.answers == answers {
                            let Tally { answers, wrong, longest_wall, longest_wait } = &*tally;
                            println!(
                                "{answers} answers, {} wrong; longest wall {longest_wall:?}, wait {longest_wait:?}; {:?}",
                                wrong.len(),
                                begin.elapsed()
                            );
                        }
                    }
                });
            }
        });
        for hog in &mut hogs {
            let _ = hog.kill();
            let _ = hog.wait();
        }
        sweep();
        let wrong = tally.into_inner().unwrap().wrong;
        wrong.iter().for_each(|result| println!("{result}"));
        std::process::exit(i32::from(!wrong.is_empty()));
    }
}

fn main() {
    #[cfg(target_os = "linux")]
    linux::run();
    #[cfg(not(target_os = "linux"))]
    println!("not run: only Linux reports how long a program waits for a processor");
}
