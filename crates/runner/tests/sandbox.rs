//! Programs in the strongest sandbox that this machine has.
//!
//! This test has a process of its own, without the usual harness, because it is also the supervisor of its jails, which must
//! have a single thread.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    if env::args().nth(1).as_deref() == Some(SUPERVISOR) {
        return pacman2_runner::supervisor_main();
    }
    #[cfg(target_os = "linux")]
    linux::run();
    ExitCode::SUCCESS
}

/// The argument that makes this program a supervisor.
const SUPERVISOR: &str = "supervise-a-jail";

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::fs;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use pacman2_runner::{Limits, Mounts, Outcome, Program, Question, RunResult, Sandbox, StartError, Tier, sweep};

    const LIMITS: Limits = Limits {
        wall: Some(Duration::from_secs(20)),
        cpu: None,
        memory_bytes: Some(256 * 1024 * 1024),
        output_bytes: Some(1024 * 1024),
        tasks: Some(64),
    };

    pub(super) fn run() {
        let supervisor: Vec<OsString> = vec!["/proc/self/exe".into(), super::SUPERVISOR.into()];
        let best = Sandbox::best(supervisor.clone());
        if best.tier() == Tier::C {
            return eprintln!("not run: this machine has no sandbox");
        }
        for (tier, control_groups) in Tier::ALL.into_iter().flat_map(|tier| [(tier, true), (tier, false)]) {
            match Sandbox::exactly(tier, control_groups, supervisor.clone()) {
                Ok(sandbox) => {
                    println!("tier {tier}, control groups: {control_groups}");
                    if tier != Tier::C {
                        it_sees_what_is_mounted(&sandbox);
                    }
                    it_keeps_running(&sandbox);
                    a_missing_program_is_reported(&sandbox);
                    it_exceeds_its_time_and_is_started_again(&sandbox);
                }
                Err(error) => println!("not run: tier {tier}, control groups: {control_groups}: {error}"),
            }
        }
        sweep();
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

    fn it_keeps_running(sandbox: &Sandbox) {
        let mut program = jailed(sandbox, "while read -r x; do echo \"$x\"; echo MORE; done", Mounts::default());
        for question in ["one", "two", "three"] {
            let result = ask(&mut program, question);
            assert_eq!((&result.outcome, result.kept_running), (&Outcome::Answered, true), "{result:?}");
            assert_eq!(result.output.trim_ascii(), question.as_bytes());
            assert!(result.memory_bytes.is_some() && result.cpu.is_some(), "{result:?}");
        }
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
}
