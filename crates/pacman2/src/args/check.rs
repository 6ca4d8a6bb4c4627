//! The arguments of `pacman2 check`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values::{BotLimitArgs, SandboxArgs, SourceArgs};

#[derive(Args)]
#[command(after_help = "\
BOT is what \"pacman2 play\" takes: a file, a command line in quotes, or a built-in bot. The check
asks it in positions from games between built-in bots, in a new process for each, and then plays
some turns of a game. Botzone's limits and the sandbox apply, as in a match.

With --positions, it is asked in positions of your own matches instead. Each line of the file is one:
  {\"replay\": \"lost/17.json\", \"turn\": 34, \"seat\": 0, \"not\": [\"left\", \"shoot up\"]}
\"only\" in place of \"not\" lists the right actions, and \"name\" names the position. Paths are relative
to the file.

Exit codes: 0 no faults, 1 faults found, 2 bad input, 130 interrupted.

Examples:
  pacman2 check bot.py
  pacman2 check \"node bot.js\" --json
  pacman2 check ./mybot --time-limit 3000
  pacman2 check bot.cpp --positions mistakes.jsonl")]
pub(crate) struct CheckArgs {
    /// The bot to check
    #[arg(value_name = "BOT", value_hint = ValueHint::FilePath)]
    pub(crate) bot: String,
    /// Ask it in the positions of FILE, in which it must do something or must not
    #[arg(long, value_name = "FILE")]
    pub(crate) positions: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: BotLimitArgs,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
