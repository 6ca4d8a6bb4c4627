//! Who is shut in, and how well.

use std::ffi::OsString;

use pacman2_runner::{Sandbox, Tier};

use crate::args::SandboxArgs;
use crate::failure::bad_input;

/// What trusts every bot.
const ALL: &str = "all";

/// The sandbox of this machine, and who is let out of it.
pub(crate) struct Guard {
    sandbox: Sandbox,
    trusted: Vec<String>,
    required: Option<Tier>,
}

/// The command that has this program keep a jail.
pub(crate) fn helper() -> Vec<OsString> {
    // Whatever has become of the file that we were started from.
    vec!["/proc/self/exe".into(), "jail".into()]
}

impl Guard {
    /// Nobody is there who would have to be shut in.
    pub(crate) fn idle() -> Guard {
        Guard { sandbox: Sandbox::none(), trusted: Vec::new(), required: None }
    }

    /// This sandbox, for everybody.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(sandbox: Sandbox) -> Guard {
        Guard { sandbox, trusted: Vec::new(), required: None }
    }

    /// No sandbox, for anybody.
    #[cfg(target_os = "linux")]
    pub(crate) fn open() -> Guard {
        Guard { sandbox: Sandbox::none(), trusted: vec![ALL.to_owned()], required: None }
    }

    /// The tier of those who are not trusted.
    #[cfg(target_os = "linux")]
    pub(crate) fn tier(&self) -> Tier {
        self.sandbox.tier()
    }

    /// Whether bots may have more than one process.
    #[cfg(target_os = "linux")]
    pub(crate) fn lets_fork(&self) -> bool {
        self.tier() != Tier::B || self.control_groups().is_some()
    }

    /// The controllers of its control groups, if it has groups.
    #[cfg(target_os = "linux")]
    pub(crate) fn control_groups(&self) -> Option<Vec<&'static str>> {
        self.sandbox.control_groups().map(<[_]>::to_vec)
    }

    /// Finds out what this machine has.
    pub(crate) fn new(args: &SandboxArgs) -> Guard {
        let trusted = args.trust.clone();
        let sandbox = if trusted.iter().any(|name| name == ALL) { Sandbox::none() } else { Sandbox::best(helper()) };
        Guard { sandbox, trusted, required: args.require_tier.map(Tier::from) }
    }

    /// Bots that are trusted have to be there.
    pub(crate) fn check_names(&self, bots: &[String]) -> anyhow::Result<()> {
        let unknown = self.trusted.iter().find(|name| *name != ALL && !bots.contains(name));
        unknown.map_or(Ok(()), |name| {
            let known = bots.join(", ");
            Err(bad_input(format!(
                "--trust {name}: no bot of this match is called that; they are {known}, and \"{ALL}\" is for all"
            )))
        })
    }

    /// The sandbox in which this bot is to run; `Ok` only if it may run at all.
    pub(crate) fn sandbox_for(&self, bot: &str, is_ours: bool) -> anyhow::Result<Sandbox> {
        let is_trusted = self.trusted.iter().any(|name| name == bot || name == ALL);
        if let Some(required) = self.required {
            if is_trusted {
                return Err(bad_input(format!(
                    "--require-tier {required}: {bot} is trusted, and would run outside of the sandbox"
                )));
            }
            if self.sandbox.tier() > required {
                return Err(bad_input(format!(
                    "--require-tier {required}: this machine has tier {} only; \"pacman2 doctor\" says what it takes",
                    self.sandbox.tier()
                )));
            }
        }
        if is_trusted {
            return Ok(Sandbox::none());
        }
        if self.sandbox.tier() == Tier::C && !is_ours {
            return Err(bad_input(format!(
                "{bot}: this machine has no sandbox (\"pacman2 doctor\" says why), so it would run with all your rights; if you trust it, add --trust {bot:?}"
            )));
        }
        Ok(self.sandbox.clone())
    }
}

/// One loud line about those who run outside.
pub(crate) fn warn_of<'a>(outside: impl Iterator<Item = &'a str>) {
    let mut names: Vec<&str> = outside.collect();
    names.dedup();
    if !names.is_empty() {
        eprintln!("pacman2: WARNING: NO SANDBOX (tier C) for {}: it can do on this machine whatever you can", names.join(", "));
    }
}
