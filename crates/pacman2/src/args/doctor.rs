//! The arguments of `pacman2 doctor`.

use clap::Args;
use pacman2_doctor::DoctorOptions;
use pacman2_runner::Tier;

use super::values::tier;

#[derive(Args)]
#[command(after_help = "\
Tiers: A has namespaces, Landlock and seccomp; B has Landlock and seccomp; C has nothing and runs only trusted
bots. docs/SECURITY.md says what each of them guarantees.

Examples:
  pacman2 doctor
  pacman2 doctor --hostile
      run hostile bots and print what each achieved
  pacman2 doctor --hostile --tier B --only fork_bomb")]
pub(crate) struct DoctorArgs {
    /// Play a match with each hostile bot
    #[arg(long)]
    pub(crate) hostile: bool,
    /// Use this tier [default: the best this machine has]
    #[arg(long, value_name = "TIER", ignore_case = true, value_parser = tier())]
    pub(crate) tier: Option<Tier>,
    /// Run the hostile bots without a sandbox, to show that the harmless attacks would succeed
    #[arg(long, requires = "hostile", conflicts_with_all = ["tier", "without_control_groups"])]
    pub(crate) in_the_open: bool,
    /// Act as if no control groups were delegated
    #[arg(long)]
    pub(crate) without_control_groups: bool,
    /// Run only the hostile bot of this name; may be repeated
    #[arg(long, value_name = "NAME", requires = "hostile")]
    pub(crate) only: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl DoctorArgs {
    /// Returns the same as options of the report.
    pub(crate) fn options(self) -> DoctorOptions {
        let DoctorArgs { hostile, tier, in_the_open, without_control_groups, only, json } = self;
        DoctorOptions { hostile, tier, in_the_open, without_control_groups, only, json }
    }
}
