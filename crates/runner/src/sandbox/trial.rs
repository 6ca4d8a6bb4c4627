//! Finds the sandboxes that work on this machine, by running a program in them.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::Sandbox;
use super::cgroup::Cgroups;
use crate::Tier;
use crate::limits::Limits;
use crate::outcome::{Outcome, SandboxError, StartError};
use crate::program::{Program, Question};
use crate::sandbox::Mounts;

impl Sandbox {
    /// Returns the strongest sandbox that works on this machine, found by trying. If none does, that is tier C with a
    /// [supervisor](Sandbox::has_supervisor).
    ///
    /// `supervisor` is the command that becomes the supervisor of a jail: a program that does nothing but call
    /// [`supervisor_main`](crate::supervisor_main), usually this one with a hidden argument.
    ///
    /// ```no_run
    /// use pacman2_runner::{Limits, Mounts, Program, Sandbox, supervisor_main};
    ///
    /// // A program that supervises its own jails.
    /// if std::env::args().nth(1).as_deref() == Some("jail") {
    ///     supervisor_main();
    ///     return;
    /// }
    /// let sandbox = Sandbox::best(vec!["/proc/self/exe".into(), "jail".into()]);
    /// println!("tier {}", sandbox.tier());
    /// let mut program = Program::new(vec!["./untrusted".into()], Limits::default());
    /// program.confine(&sandbox, Mounts { readable: vec!["untrusted".into()], ..Mounts::default() }).unwrap();
    /// ```
    pub fn best(supervisor: Vec<OsString>) -> Sandbox {
        let cgroups = Cgroups::open().ok();
        let tries = Tier::ALL.into_iter().flat_map(|tier| [(tier, cgroups.clone()), (tier, None)]);
        let mut sandboxes = tries.map(|(tier, cgroups)| Sandbox { tier, supervisor: supervisor.clone(), cgroups });
        sandboxes.find(|sandbox| sandbox.try_out().is_ok()).unwrap_or_else(Sandbox::none)
    }

    /// Returns a sandbox of this tier, with control groups or without. For `supervisor`, see [`Sandbox::best`]; tier C needs
    /// none.
    ///
    /// # Errors
    ///
    /// Fails if this machine has no such sandbox.
    ///
    /// ```
    /// use pacman2_runner::{Sandbox, Tier};
    ///
    /// assert_eq!(Sandbox::exactly(Tier::C, false, Vec::new())?.tier(), Tier::C);
    /// let error = Sandbox::exactly(Tier::A, false, Vec::new()).unwrap_err();
    /// assert_eq!(error.to_string(), "no command for the sandbox's supervisor was given");
    /// # Ok::<(), pacman2_runner::SandboxError>(())
    /// ```
    pub fn exactly(tier: Tier, control_groups: bool, supervisor: Vec<OsString>) -> Result<Sandbox, SandboxError> {
        if tier == Tier::C && supervisor.is_empty() {
            return Ok(Sandbox::none());
        }
        let cgroups = control_groups.then(Cgroups::open).transpose()?;
        let sandbox = Sandbox { tier, supervisor, cgroups };
        sandbox.try_out().map(|()| sandbox)
    }

    /// Runs a program that does nothing.
    fn try_out(&self) -> Result<(), SandboxError> {
        let limits = Limits { wall: Some(Duration::from_secs(10)), cpu: None, ..Limits::default() };
        let mut nothing = Program::new(["/bin/sh", "-c", ":"].map(OsString::from).to_vec(), limits);
        // The current directory must not matter.
        nothing.directory = Some("/".into());
        nothing.confine(self, Mounts::default())?;
        match nothing.ask(Question::once(""), &AtomicBool::new(false)).outcome {
            Outcome::Answered => Ok(()),
            Outcome::NotStarted(StartError::Sandbox(error)) => Err(error),
            Outcome::NotStarted(StartError::InSandbox(error)) => Err(error.into()),
            outcome => Err(SandboxError::Trial { outcome: Box::new(outcome) }),
        }
    }
}
