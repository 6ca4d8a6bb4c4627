//! Which bots run in the sandbox, and how strong it is.

use std::ffi::OsString;
use std::sync::{Once, OnceLock};

use pacman2_botzone::problem::Problem;
use pacman2_console::error::{bad_bot, bad_input, coded};
use pacman2_console::text::sanitize;
use pacman2_match::problem::BotProblem;
use pacman2_runner::{Limits, Sandbox, Tier, free_tasks, max_watches};

/// The name that trusts every bot.
pub const ALL: &str = "all";

/// How many processes and threads each bot must have: some runtimes start several for each processor.
const FEWEST_TASKS: u64 = 64;
/// How many files bots of one user must be able to watch with `epoll`, so that between two measurements none of them gets hold of all:
/// a core registers about a million in a second.
pub const ENOUGH_WATCHES: u64 = 20_000_000;
/// How many threads of this program serve one bot at a time.
const OUR_TASKS: u64 = 4;

/// Which bots run outside the sandbox, and what the sandbox of the others has to be.
#[derive(Clone, Default)]
pub struct SandboxOptions {
    /// The bots that are trusted, as they were typed; `all` trusts every bot.
    pub trust: Vec<String>,
    /// The weakest tier that is accepted.
    pub require_tier: Option<Tier>,
}

/// Which sandbox bots run in, which bots are trusted to run outside it, and which tier is required.
pub struct SandboxPolicy {
    sandbox: Sandbox,
    options: SandboxOptions,
    /// Done when it was said what the sandbox lacks. A server starts bots again and again.
    weakness_told: Once,
    /// How many processes and threads each bot may have, as divided before the first one was started.
    max_tasks: OnceLock<u64>,
}

/// Returns the command with which this program sets up a jail.
pub fn helper() -> Vec<OsString> {
    // Works even if our executable file was replaced or removed.
    vec!["/proc/self/exe".into(), "jail".into()]
}

/// Returns whether bots can take from each other, for a moment, what they need to watch files with `epoll`.
pub fn share_few_watches() -> bool {
    max_watches().is_some_and(|watches| watches < ENOUGH_WATCHES)
}

/// Returns whether control groups with these controllers limit both the memory and the processes of bots.
pub fn limit_bots(controllers: &[&str]) -> bool {
    ["memory", "pids"].iter().all(|needed| controllers.contains(needed))
}

impl SandboxPolicy {
    /// Returns the policy of matches without programs, which need no sandbox.
    pub fn without_programs() -> SandboxPolicy {
        SandboxPolicy::from_sandbox(Sandbox::none(), SandboxOptions::default())
    }

    fn from_sandbox(sandbox: Sandbox, options: SandboxOptions) -> SandboxPolicy {
        SandboxPolicy { sandbox, options, weakness_told: Once::new(), max_tasks: OnceLock::new() }
    }

    /// Returns the policy that runs every bot in this sandbox.
    pub fn for_all(sandbox: Sandbox) -> SandboxPolicy {
        SandboxPolicy::from_sandbox(sandbox, SandboxOptions::default())
    }

    /// Returns the policy that runs every bot outside the sandbox.
    pub fn trust_all() -> SandboxPolicy {
        let sandbox = Sandbox::best(helper()).without_confinement();
        SandboxPolicy::from_sandbox(sandbox, SandboxOptions { trust: vec![ALL.to_owned()], require_tier: None })
    }

    /// Returns the tier that is required, if any is.
    pub fn required(&self) -> Option<Tier> {
        self.options.require_tier
    }

    /// Returns the tier of bots that are not trusted.
    pub fn tier(&self) -> Tier {
        self.sandbox.tier()
    }

    /// Returns whether bots may have more than one process.
    pub fn allows_fork(&self) -> bool {
        self.tier() != Tier::B || self.control_groups().is_some_and(|controllers| controllers.contains(&"pids"))
    }

    /// Returns the controllers of the sandbox's control groups, if it has groups.
    pub fn control_groups(&self) -> Option<Vec<&'static str>> {
        self.sandbox.control_groups().map(<[_]>::to_vec)
    }

    /// Returns the policy for bots, some of which may be programs.
    pub fn for_bots(has_programs: bool, options: SandboxOptions) -> SandboxPolicy {
        if has_programs { SandboxPolicy::new(options) } else { SandboxPolicy::without_programs() }
    }

    /// Finds the best sandbox of this machine.
    pub fn new(options: SandboxOptions) -> SandboxPolicy {
        SandboxPolicy::from_sandbox(Sandbox::best(helper()), options)
    }

    /// Checks that every trusted bot is one of these.
    pub fn check_names(&self, bots: &[String]) -> anyhow::Result<()> {
        let unknown = self.options.trust.iter().find(|name| *name != ALL && !bots.contains(name));
        unknown.map_or(Ok(()), |name| {
            let known = bots.join(", ");
            Err(bad_input(format!("--trust {name}: not a bot of this match; expected one of {known}, or \"{ALL}\"")))
        })
    }

    /// Returns the sandbox in which this bot runs.
    ///
    /// # Errors
    ///
    /// If the bot must not run: its sandbox would be weaker than required, or there is none and it is not trusted.
    pub fn sandbox_for(&self, bot: &str, is_ours: bool) -> anyhow::Result<Sandbox> {
        let is_trusted = self.options.trust.iter().any(|name| name == bot || name == ALL);
        if let Some(required) = self.options.require_tier {
            if is_trusted {
                let reason = format!("--require-tier {required}: {bot} is trusted and would run outside the sandbox");
                return Err(coded(Problem::new("bot-trusted").with("required", required.to_string()), reason));
            }
            if self.sandbox.tier() > required {
                let got = self.sandbox.tier();
                let reason = format!(
                    "--require-tier {required}: this machine only has tier {got}; run \"pacman2 doctor\" to find out why"
                );
                let problem = Problem::new("bot-tier").with("required", required.to_string()).with("got", got.to_string());
                return Err(coded(problem, reason));
            }
        }
        if is_trusted {
            return Ok(self.sandbox.without_confinement());
        }
        if self.sandbox.tier() == Tier::C && !is_ours {
            let reason = format!(
                "{bot}: this machine has no sandbox (run \"pacman2 doctor\" to find out why), so the bot would run with all your rights; if you trust it, add --trust {bot:?}"
            );
            return Err(bad_bot(BotProblem::NoSandbox, reason));
        }
        Ok(self.sandbox.clone())
    }

    /// Divides the processes and threads that the system allows among bots that run at the same time, so that none can take those of
    /// another. Says so if each gets fewer than usual, and if there are too few to divide. Later calls change nothing: bots that run
    /// have taken some of what is divided.
    pub fn share_tasks(&self, bots: usize) {
        self.max_tasks.get_or_init(|| {
            let (usual, free) = (Limits::default().tasks.unwrap_or(u64::MAX), free_tasks());
            let share = share_of_tasks(free, bots);
            if self.tier() == Tier::C || share >= usual {
                return u64::MAX;
            }
            let max = share.max(FEWEST_TASKS);
            let rivals = if share < max { format!(", and {bots} bots at a time can take each other's") } else { String::new() };
            eprintln!(
                "pacman2: the system allows {free} more processes and threads, so each bot may have {max} instead of {usual}{rivals} \
                 (ulimit -u, or pids.max of the control group)"
            );
            max
        });
    }

    /// Returns these limits with no more processes and threads than a bot's share.
    pub(crate) fn limits(&self, limits: Limits) -> Limits {
        let share = self.max_tasks.get().copied().unwrap_or(u64::MAX);
        Limits { tasks: limits.tasks.map(|tasks| tasks.min(share)), ..limits }
    }

    /// Prints warnings about bots that run outside the sandbox, and about a sandbox that could be better. The bots come with
    /// their tiers; those of this process have none.
    pub fn warn<'a>(&self, bots: impl IntoIterator<Item = (&'a str, Option<Tier>)>) {
        let (mut outside, mut has_sandboxed) = (Vec::new(), false);
        for (name, tier) in bots {
            match tier {
                Some(Tier::C) => outside.push(sanitize(name)),
                tier => has_sandboxed |= tier.is_some(),
            }
        }
        outside.dedup();
        if !outside.is_empty() {
            eprintln!(
                "pacman2: WARNING: NO SANDBOX (tier C) for {}: it can do anything that you can do on this machine",
                outside.join(", ")
            );
        }
        let weakness = self.weakness().unwrap_or_default();
        let shares = if share_few_watches() { ", in which bots share the quota of epoll watches" } else { "" };
        if has_sandboxed && !(weakness.is_empty() && shares.is_empty()) {
            let tier = self.sandbox.tier();
            self.weakness_told.call_once(|| {
                eprintln!("pacman2: sandbox of tier {tier}{weakness}{shares}; \"pacman2 doctor\" shows how to improve it");
            });
        }
    }

    /// Returns what the best sandbox has and this one lacks.
    fn weakness(&self) -> Option<&'static str> {
        match (self.sandbox.tier(), self.sandbox.control_groups()) {
            (Tier::A, None) => Some(" without control groups"),
            (Tier::A, Some(controllers)) if limit_bots(controllers) => None,
            (Tier::A, Some(_)) => Some(" with control groups that do not limit memory and processes"),
            (Tier::AMinus, _) => Some(", without Landlock"),
            (Tier::B | Tier::C, _) => Some(", without namespaces"),
        }
    }
}

fn share_of_tasks(free: u64, bots: usize) -> u64 {
    (free / bots.max(1) as u64).saturating_sub(OUR_TASKS)
}
