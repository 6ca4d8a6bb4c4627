//! Programs in every sandbox that this machine has, and in those of a virtual machine.
//!
//! This test has a process of its own, without the usual harness, because it is also the supervisor of its jails, which must
//! have a single thread, and the first process of the virtual machine.

#[cfg(target_os = "linux")]
mod guest;

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some(SUPERVISOR) => return pacman2_runner::supervisor_main(),
        #[cfg(target_os = "linux")]
        Some(HOARDER) => linux::hoard(),
        #[cfg(target_os = "linux")]
        Some(HEADLESS_HOARDER) => linux::hoard_without_first_thread(),
        #[cfg(target_os = "linux")]
        Some(WITHOUT_CLONE3) => linux::run_without_clone3(),
        #[cfg(target_os = "linux")]
        Some(KILLED) => linux::ask_and_be_killed(),
        #[cfg(target_os = "linux")]
        Some(guest::TESTS) => guest::tests(),
        #[cfg(target_os = "linux")]
        _ if std::process::id() == 1 => guest::init(),
        #[cfg(target_os = "linux")]
        _ => {
            if linux::run() {
                linux::run_again_without_clone3();
            } else {
                println!("not run: this machine has no sandbox");
            }
            guest::boot();
        }
        #[cfg(not(target_os = "linux"))]
        _ => {}
    }
    ExitCode::SUCCESS
}

/// The argument that makes this program a supervisor.
const SUPERVISOR: &str = "supervise-a-jail";
/// The argument that makes this program take memory without end.
const HOARDER: &str = "hoard";
/// The argument that makes this program do so in its second thread, after the first has ended alone.
const HEADLESS_HOARDER: &str = "hoard-without-first-thread";
/// The argument that makes this program a judge that is killed between two questions.
#[cfg(target_os = "linux")]
const KILLED: &str = "be-killed";
/// The argument that makes this program test as on a system without `clone3`, as many containers are.
#[cfg(target_os = "linux")]
const WITHOUT_CLONE3: &str = "without-clone3";

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::ExitStatusExt;
    use std::path::PathBuf;
    use std::process::Command;
    use std::sync::atomic::AtomicBool;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::Pid;
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

    use pacman2_runner::{Limits, Mounts, Outcome, Program, Question, RunResult, Sandbox, StartError, Tier, sweep};

    const LIMITS: Limits = Limits {
        wall: Some(Duration::from_secs(20)),
        cpu: None,
        memory_bytes: Some(256 * 1024 * 1024),
        output_bytes: Some(1024 * 1024),
        tasks: Some(64),
    };

    fn supervisor() -> Vec<OsString> {
        ["/proc/self/exe", super::SUPERVISOR].map(OsString::from).to_vec()
    }

    /// An argument of the supervisors of this process alone.
    fn mark() -> String {
        format!("sandboxes-of-{}", std::process::id())
    }

    /// Tests every sandbox that there is. Returns whether there is any.
    pub(super) fn run() -> bool {
        test(&[true, false], 20)
    }

    /// Tests those with control groups, in an emulated machine, which is slow; the others do not depend on it.
    pub(super) fn run_with_control_groups() -> bool {
        test(&[true], 2)
    }

    fn test(control_groups: &[bool], judges: usize) -> bool {
        let supervisor = [supervisor(), vec![mark().into()]].concat();
        let best = Sandbox::best(supervisor.clone());
        println!("the best: tier {}, control groups {:?}", best.tier(), best.control_groups());
        if best.tier() == Tier::C {
            return false;
        }
        drop(best);
        for (tier, control_groups) in Tier::ALL.into_iter().flat_map(|tier| control_groups.iter().map(move |&with| (tier, with)))
        {
            match Sandbox::exactly(tier, control_groups, supervisor.clone()) {
                Ok(sandbox) => {
                    println!("tier {tier}, control groups {:?}", sandbox.control_groups());
                    if tier != Tier::C {
                        it_sees_what_is_mounted(&sandbox);
                        it_has_no_rights(&sandbox);
                        it_is_not_to_blame_for_its_sandbox(&sandbox);
                    }
                    if tier.has_namespaces() {
                        each_start_finds_tmp_empty(&sandbox);
                    }
                    it_keeps_running(&sandbox);
                    it_may_end_when_it_should_keep_running(&sandbox);
                    it_is_found_in_the_path(&sandbox);
                    a_missing_program_is_reported(&sandbox);
                    it_exceeds_its_time_and_is_started_again(&sandbox);
                    it_exceeds_its_memory(&sandbox);
                    its_control_group_has_limits(&sandbox);
                }
                Err(error) => println!("not run: tier {tier}, control groups: {control_groups}: {error}"),
            }
        }
        sweep();
        nothing_is_left_of_judges_that_are_killed(judges);
        true
    }

    /// A bot that ends when it should keep running is stopped with what is prepared for the next turn, or just not.
    fn nothing_is_left_of_judges_that_are_killed(judges: usize) {
        let this = std::env::current_exe().unwrap();
        for number in 0..judges {
            let mark = format!("judge-{}-{number}", std::process::id());
            let status = Command::new(&this).args([super::KILLED, &mark]).status().unwrap();
            assert_eq!(status.signal(), Some(libc::SIGKILL), "{status}");
            let give_up = Instant::now() + Duration::from_secs(10);
            while is_in_a_command_line(&mark) {
                assert!(Instant::now() < give_up, "judge {number} has left a process");
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    pub(super) fn ask_and_be_killed() {
        let supervisor = [supervisor(), std::env::args_os().skip(2).collect()].concat();
        let mut program = jailed(&Sandbox::best(supervisor), ENDS_INSTEAD, Mounts::default());
        for question in ["one", "two", "three"] {
            ask(&mut program, question);
        }
        let us = rustix::process::getpid();
        rustix::process::kill_process(us, rustix::process::Signal::KILL).unwrap();
    }

    fn is_in_a_command_line(word: &str) -> bool {
        processes_with(word).next().is_some()
    }

    fn processes_with(word: &str) -> impl Iterator<Item = Pid> {
        let has = |line: Vec<u8>| line.split(|&byte| byte == 0).any(|argument| argument == word.as_bytes());
        let processes = fs::read_dir("/proc").unwrap().flatten();
        processes.filter_map(move |process| {
            let has = fs::read(process.path().join("cmdline")).is_ok_and(has);
            Pid::from_raw(process.file_name().to_str()?.parse().ok()?).filter(|_| has)
        })
    }

    /// Its supervisor is killed between two questions, as the system does if memory runs out.
    fn it_is_not_to_blame_for_its_sandbox(sandbox: &Sandbox) {
        let script = format!("# {}\nwhile read -r x; do echo \"$x\"; echo MORE; done", mark());
        let mut program = jailed(sandbox, &script, Mounts::default());
        assert_eq!(ask(&mut program, "one").outcome, Outcome::Answered);
        for supervisor in processes_with(&mark()) {
            rustix::process::kill_process(supervisor, rustix::process::Signal::KILL).unwrap();
        }
        // The kernel then kills the program, which takes a moment.
        while is_in_a_command_line(&script) {
            thread::sleep(Duration::from_millis(1));
        }
        let result = ask(&mut program, "two");
        assert!(result.outcome == Outcome::BrokeDown && result.fault_of_machine().is_some(), "{result:?}");
    }

    /// It asks to keep running, and ends.
    const ENDS_INSTEAD: &str = "read -r x; echo \"$x\"; echo MORE";

    /// Tests every sandbox in a process to which the kernel seems to have no `clone3`.
    pub(super) fn run_again_without_clone3() {
        let this = std::env::current_exe().unwrap();
        assert!(Command::new(this).arg(super::WITHOUT_CLONE3).status().unwrap().success(), "without clone3");
    }

    pub(super) fn run_without_clone3() {
        let rules = [(libc::SYS_clone3, Vec::new())].into();
        let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
        let architecture = std::env::consts::ARCH.try_into().unwrap();
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, unknown, architecture).unwrap();
        seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
        println!("without clone3:");
        assert!(run(), "the sandboxes need clone3");
    }

    /// Takes memory without end.
    pub(super) fn hoard() {
        let mut taken = Vec::new();
        loop {
            taken.push(std::hint::black_box(vec![1_u8; 1024 * 1024]));
        }
    }

    /// Lets another thread take memory, and ends this one alone.
    #[expect(unsafe_code, reason = "rustix does not end a thread")]
    pub(super) fn hoard_without_first_thread() {
        thread::spawn(hoard);
        // SAFETY: the call takes a number. What this thread owns stays as it is.
        unsafe { libc::syscall(libc::SYS_exit, 0) };
    }

    fn jailed(sandbox: &Sandbox, script: &str, mounts: Mounts) -> Program {
        let mut program = Program::new(vec!["/bin/sh".into(), "-c".into(), script.into()], LIMITS);
        program.directory = Some("/".into());
        program.keep_running = Some("MORE".to_owned());
        program.confine(sandbox, mounts).unwrap_or_else(|error| panic!("{error}"));
        program
    }

    fn ask(program: &mut Program, question: &str) -> RunResult {
        program.ask(Question { fresh: question, running: question }, &AtomicBool::new(false))
    }

    fn it_sees_what_is_mounted(sandbox: &Sandbox) {
        let folder = tempfile::tempdir().unwrap();
        let (shown, hidden) = (folder.path().join("shown"), folder.path().join("hidden"));
        fs::write(&shown, "shown\n").unwrap();
        fs::write(&hidden, "hidden\n").unwrap();
        // Built-in commands only: tier B without control groups allows a single process.
        let script = format!(
            "read -r x < {shown}; echo $x; read -r x < {hidden} && echo $x; echo > {shown} || echo read-only",
            shown = shown.display(),
            hidden = hidden.display()
        );
        let mounts = Mounts { readable: vec![shown.clone()], ..Mounts::default() };
        let result = ask(&mut jailed(sandbox, &script, mounts), "");
        assert_eq!((&result.outcome, result.output.as_slice()), (&Outcome::Answered, &b"shown\nread-only\n"[..]), "{result:?}");
        assert_eq!(fs::read_to_string(&shown).unwrap(), "shown\n");
    }

    /// The kernel reports no rights. Only root can take capabilities out of the bounding set.
    fn it_has_no_rights(sandbox: &Sandbox) {
        let script = r#"while read -r name value; do echo "$name $value"; done < /proc/self/status"#;
        let result = ask(&mut jailed(sandbox, script, Mounts::default()), "");
        let status = String::from_utf8_lossy(&result.output);
        let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let is_root = fs::metadata("/proc/self").is_ok_and(|us| us.uid() == 0);
        for set in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"].into_iter().chain(is_root.then_some("CapBnd:")) {
            assert_eq!(value(set), Some("0000000000000000"), "{set} {result:?}");
        }
        assert_eq!([value("NoNewPrivs:"), value("Seccomp:")], [Some("1"), Some("2")], "{result:?}");
    }

    fn it_keeps_running(sandbox: &Sandbox) {
        let mut program = jailed(sandbox, "while read -r x; do echo \"$x\"; echo MORE; done", Mounts::default());
        for question in ["one", "two", "three"] {
            let result = ask(&mut program, question);
            assert_eq!((&result.outcome, result.kept_running), (&Outcome::Answered, true), "{result:?}");
            assert_eq!(result.output.trim_ascii(), question.as_bytes());
            assert!(result.memory_bytes.is_some() && result.cpu.is_some(), "{result:?}");
        }
    }

    fn each_start_finds_tmp_empty(sandbox: &Sandbox) {
        let folder = tempfile::tempdir().unwrap();
        let script = "read -r x; for f in /tmp/*; do echo \"$f\"; done; [ \"$x\" = leave ] && echo > /tmp/left";
        let mut program = jailed(sandbox, script, Mounts { readable: vec![folder.path().to_owned()], ..Mounts::default() });
        let at_first = ask(&mut program, "look").output;
        assert!(!at_first.ends_with(b"/left\n"), "{at_first:?}");
        for question in ["leave", "leave", "look", "look"] {
            assert_eq!(ask(&mut program, question).output, at_first, "{question}");
        }
    }

    /// It is asked to pause when it is dead already. The next start must not be paused.
    fn it_may_end_when_it_should_keep_running(sandbox: &Sandbox) {
        let mut program = jailed(sandbox, ENDS_INSTEAD, Mounts::default());
        let mut answers = 0;
        for question in 0..20 {
            match ask(&mut program, &question.to_string()).outcome {
                Outcome::Answered => answers += 1,
                // It asked to keep running, and had ended when the next question came.
                Outcome::Crashed => {}
                outcome => panic!("{question}: {outcome:?}"),
            }
        }
        assert!(answers >= 10, "{answers}");
    }

    fn it_is_found_in_the_path(sandbox: &Sandbox) {
        let mut program = Program::new(["sh", "-c", "echo found"].map(OsString::from).to_vec(), LIMITS);
        program.confine(sandbox, Mounts::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(ask(&mut program, "").output, b"found\n");
    }

    fn a_missing_program_is_reported(sandbox: &Sandbox) {
        let mut program = Program::new(vec!["/no/such/program".into()], LIMITS);
        program.directory = Some("/".into());
        program.confine(sandbox, Mounts::default()).unwrap_or_else(|error| panic!("{error}"));
        let Outcome::NotStarted(StartError::InSandbox(error)) = ask(&mut program, "").outcome else { panic!("it was started") };
        assert_eq!(error.to_string(), "cannot start /no/such/program: No such file or directory (os error 2)");
    }

    fn it_exceeds_its_time_and_is_started_again(sandbox: &Sandbox) {
        let mut program = jailed(sandbox, "read -r x; [ \"$x\" = stay ] && while :; do :; done; echo \"$x\"", Mounts::default());
        program.limits.wall = Some(Duration::from_millis(300));
        assert!(matches!(ask(&mut program, "stay").outcome, Outcome::TimeOut(_)));
        program.limits.wall = LIMITS.wall;
        let result = ask(&mut program, "go");
        assert_eq!((&result.outcome, result.output.as_slice()), (&Outcome::Answered, &b"go\n"[..]), "{result:?}");
    }

    fn it_exceeds_its_memory(sandbox: &Sandbox) {
        let this = std::env::current_exe().unwrap();
        for hoarder in [super::HOARDER, super::HEADLESS_HOARDER] {
            let limits = Limits { memory_bytes: Some(32 * 1024 * 1024), ..LIMITS };
            let mut program = Program::new(vec![this.clone().into(), hoarder.into()], limits);
            let mounts = Mounts { readable: vec![this.clone()], ..Mounts::default() };
            program.confine(sandbox, mounts).unwrap_or_else(|error| panic!("{error}"));
            let result = ask(&mut program, "");
            assert_eq!(result.outcome, Outcome::MemoryOut, "{hoarder}: {result:?}");
        }
    }

    /// The kernel enforces the limits of those controllers that are there.
    fn its_control_group_has_limits(sandbox: &Sandbox) {
        let Some(controllers) = sandbox.control_groups() else { return };
        let mut program = jailed(sandbox, "while read -r x; do echo \"$x\"; echo MORE; done", Mounts::default());
        assert_eq!(ask(&mut program, "one").outcome, Outcome::Answered);
        let groups = cgroups_below_ours();
        let read = |file: &str| -> Vec<String> {
            groups
                .iter()
                .filter_map(|group| fs::read_to_string(group.join(file)).ok())
                .map(|text| text.trim().to_owned())
                .collect()
        };
        // What runs in the group of the program is one shell.
        assert!(read("pids.current").iter().all(|tasks| tasks == "1") || !controllers.contains(&"pids"));
        let limit = LIMITS.memory_bytes.unwrap() + 32 * 1024 * 1024;
        assert_eq!(read("memory.max") == [limit.to_string()], controllers.contains(&"memory"), "{:?}", read("memory.max"));
        assert_eq!(read("pids.max") == ["64"], controllers.contains(&"pids"), "{:?}", read("pids.max"));
        assert_eq!(read("cpu.weight") == ["100"], controllers.contains(&"cpu"), "{:?}", read("cpu.weight"));
    }

    /// Returns the control groups of jails of this process.
    fn cgroups_below_ours() -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open: Vec<PathBuf> = vec!["/sys/fs/cgroup".into()];
        let ours = format!("pacman2-{}", std::process::id());
        while let Some(folder) = open.pop() {
            let folders = fs::read_dir(&folder).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir());
            if folder.file_name().is_some_and(|name| name == &*ours) {
                found.extend(folders.map(|entry| entry.path()).filter(|path| !path.ends_with("judge")));
            } else {
                open.extend(folders.map(|entry| entry.path()));
            }
        }
        found
    }
}
