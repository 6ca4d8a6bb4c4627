//! Compares what programs are charged for their answers with what they would have been charged alone, while others keep the
//! processors busy. It should be the same within 10 % and 20 ms, and no answer should be too late.
//!
//! ```text
//! cargo run --release -p lab --bin beside_hogs -- [ANSWERS [HOGS]]
//! ```
//!
//! Of a hundred answers 90 need 10 ms of CPU time, two 400 ms and two 700 ms in one thread, and two each 400 ms in four threads at
//! once, 400 ms in threads that follow one another, and 60 ms in two hundred threads before they sleep for 300 ms. The limit is 1 s.
//! Each answer is a new process in the best sandbox of this machine, and four are asked for at a time.

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::process::{Child, Command};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use pacman2_runner::{Limits, Mounts, Outcome, Program, Question, Sandbox, supervisor_main, sweep};

    const ASKED_AT_A_TIME: usize = 4;
    const REPORT_EVERY: u32 = 1000;

    /// How a program works.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Work {
        milliseconds: u64,
        threads: u64,
        at_once: bool,
        sleeps_ms: u64,
    }

    impl Work {
        const fn of_one_thread(milliseconds: u64) -> Work {
            Work { milliseconds, threads: 1, at_once: false, sleeps_ms: 0 }
        }

        /// Of the program with this number.
        fn numbered(number: u32) -> Work {
            match number % 100 {
                10 | 60 => Work::of_one_thread(400),
                20 | 70 => Work::of_one_thread(700),
                30 | 80 => Work { milliseconds: 400, threads: 4, at_once: true, sleeps_ms: 0 },
                40 | 90 => Work { milliseconds: 400, threads: 4, at_once: false, sleeps_ms: 0 },
                50 | 0 => Work { milliseconds: 60, threads: 200, at_once: true, sleeps_ms: 300 },
                _ => Work::of_one_thread(10),
            }
        }

        fn arguments(self) -> [String; 4] {
            [self.milliseconds, self.threads, self.at_once.into(), self.sleeps_ms].map(|number| number.to_string())
        }

        fn parse(arguments: &[&str]) -> Work {
            let number = |at: usize| arguments[at].parse::<u64>().expect("a number");
            Work { milliseconds: number(0), threads: number(1), at_once: number(2) != 0, sleeps_ms: number(3) }
        }

        /// What it takes on a machine with nothing else to do.
        fn alone(self, processors: u64) -> Duration {
            let at_once = if self.at_once { self.threads.min(processors) } else { 1 };
            Duration::from_micros(1000 * self.milliseconds / at_once + 1000 * self.sleeps_ms)
        }

        fn work(self) {
            let share = Duration::from_micros(1000 * self.milliseconds / self.threads);
            if self.threads == 1 {
                spin(share);
            } else {
                self.share(share);
            }
            thread::sleep(Duration::from_millis(self.sleeps_ms));
            println!("done");
        }

        fn share(self, share: Duration) {
            thread::scope(|scope| {
                for _ in 0..self.threads {
                    let thread = scope.spawn(|| spin(share));
                    if !self.at_once {
                        thread.join().expect("a thread that ends");
                    }
                }
            });
        }
    }

    /// Works until this thread has used so much CPU time.
    fn spin(need: Duration) {
        let used = || {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
        };
        while used() < need {
            std::hint::spin_loop();
        }
    }

    #[derive(Default)]
    struct Tally {
        answers: u32,
        wrong: Vec<String>,
        longest_wall: Duration,
        /// By the kind of work, how many were charged wrongly, and the least, the sum and the most that was charged.
        charged: BTreeMap<Work, (u32, u32, Duration, Duration, Duration)>,
    }

    pub(super) fn run() {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["jail"] => drop(supervisor_main()),
            ["hog"] => loop {
                std::hint::spin_loop();
            },
            ["bot", ref work @ ..] => Work::parse(work).work(),
            [] => measure(20_000, 4),
            [answers] => measure(answers.parse().expect("a number of answers"), 4),
            [answers, hogs] => measure(answers.parse().expect("a number of answers"), hogs.parse().expect("a number of hogs")),
            _ => eprintln!("expected at most a number of answers and one of hogs"),
        }
    }

    fn measure(answers: u32, hogs: usize) {
        let this = std::env::current_exe().expect("the path of this program");
        let sandbox = Sandbox::best(vec!["/proc/self/exe".into(), "jail".into()]);
        let mut hogs: Vec<Child> =
            (0..hogs).map(|_| Command::new("setsid").arg(&this).arg("hog").spawn().expect("setsid of util-linux")).collect();
        let processors = thread::available_parallelism().map_or(1, usize::from) as u64;
        println!("tier {}, {} hogs, {processors} processors", sandbox.tier(), hogs.len());
        let (next, tally, begin) = (AtomicU32::new(0), Mutex::new(Tally::default()), Instant::now());
        thread::scope(|scope| {
            for _ in 0..ASKED_AT_A_TIME {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= answers {
                            break;
                        }
                        let work = Work::numbered(number);
                        let mut command: Vec<OsString> = vec![this.clone().into(), "bot".into()];
                        command.extend(work.arguments().map(OsString::from));
                        let mut program = Program::new(command, Limits::default());
                        let mounts = Mounts { readable: vec![this.clone()], ..Mounts::default() };
                        program.confine(&sandbox, mounts).expect("a sandbox");
                        let result = program.ask(Question::once(""), &AtomicBool::new(false));
                        let charged = result.wall.saturating_sub(result.ready_wait);
                        let mut tally = tally.lock().unwrap();
                        tally.answers += 1;
                        tally.longest_wall = tally.longest_wall.max(result.wall);
                        let alone = work.alone(processors);
                        let is_right = charged.abs_diff(alone) <= alone / 10 + Duration::from_millis(20);
                        let (count, wrong, least, sum, most) =
                            tally.charged.entry(work).or_insert((0, 0, Duration::MAX, Duration::ZERO, Duration::ZERO));
                        (*count, *wrong) = (*count + 1, *wrong + u32::from(!is_right));
                        (*least, *sum, *most) = (charged.min(*least), *sum + charged, charged.max(*most));
                        if !is_right {
                            println!("  {work:?}: {result:?}");
                        }
                        if result.outcome != Outcome::Answered {
                            tally.wrong.push(format!("{work:?}: {result:?}"));
                        }
                        if tally.answers.is_multiple_of(REPORT_EVERY) || tally.answers == answers {
                            let Tally { answers, wrong, longest_wall, charged } = &*tally;
                            println!(
                                "{answers} answers, {} not in time; longest wall {longest_wall:.1?}; {:.0?}",
                                wrong.len(),
                                begin.elapsed()
                            );
                            for (work, (count, wrong, least, sum, most)) in charged {
                                let (alone, mean) = (work.alone(processors), *sum / *count);
                                println!("  {work:?}: {count}, alone {alone:.0?}, charged {least:.1?} to {most:.1?}, mean {mean:.1?}; {wrong} off");
                            }
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
