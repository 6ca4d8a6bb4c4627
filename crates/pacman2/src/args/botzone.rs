//! The arguments of `pacman2 botzone`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use pacman2_botzone::local_ai::{MatchId, MatchIdError, MatchPlayer};

use super::values::{BotLimitArgs, SandboxArgs, whole, whole_seconds};

#[derive(Subcommand)]
pub(crate) enum BotzoneVerb {
    /// Let a bot on this machine play on Botzone, by Local AI
    Play(BotzonePlayArgs),
    /// Fetch the log of a match and save it as a replay
    Fetch(BotzoneFetchArgs),
    /// The old name of "play --start"
    #[command(hide = true)]
    Start(BotzoneStartArgs),
    /// The old name of "play --abort"
    #[command(hide = true)]
    Abort(BotzoneAbortArgs),
}

/// Where the address of Local AI, with the secret in it, comes from
#[derive(Args)]
pub(crate) struct AccountArgs {
    /// Read the address of Local AI from FILE [default: the environment variable PACMAN2_BOTZONE, or else pacman2/botzone
    /// in the user's configuration folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "\
On the site, open \"Local AI\" in your settings and copy the address, https://…/api/USER/SECRET/localai, into a file that
only you can read. Anyone with it can play in your name, so it is never an argument, and never printed.

BOT is what \"pacman2 play\" takes: a file, a command line in quotes, or a built-in bot. It runs in the sandbox. Matches
that were going on when the program ended continue when it is started again. Ctrl-C ends it.

Without BOT, --start starts one match and prints its id, for a \"pacman2 botzone play\" that is running.

Examples:
  pacman2 botzone play mybot
      play the matches that you start on the site
  pacman2 botzone play bot.py --start me,BOT_ID,BOT_ID,BOT_ID --matches 10
  pacman2 botzone play --start BOT_ID,me,BOT_ID,BOT_ID --map map.json
  pacman2 botzone play --abort 594553a2630d4c0758e2b2b1
  pacman2 botzone play sage --secret-file address.txt")]
pub(crate) struct BotzonePlayArgs {
    /// The bot that plays
    #[arg(value_name = "BOT", required_unless_present_any = ["start", "abort"], value_hint = ValueHint::FilePath)]
    pub(crate) bot: Option<String>,
    /// Start matches, one after another, between these four players, seat 0 first: "me" once, and ids of bots
    #[arg(long, value_name = "PLAYER,…", value_delimiter = ',', value_parser = player)]
    pub(crate) start: Option<Vec<MatchPlayer>>,
    #[command(flatten)]
    pub(crate) terms: NewMatchArgs,
    /// Abort the match with this id, and end
    #[arg(long, value_name = "ID", value_parser = id, conflicts_with_all = ["bot", "start"])]
    pub(crate) abort: Option<MatchId>,
    /// End after N matches [default: 1 with --start, otherwise never]
    #[arg(long, value_name = "N", requires = "bot", value_parser = whole::<u32>(1..))]
    pub(crate) matches: Option<u32>,
    /// Play up to N matches at the same time; others wait
    #[arg(long, alias = "matches-at-once", value_name = "N", default_value_t = 4, value_parser = whole::<u16>(1..=8))]
    pub(crate) parallel: u16,
    /// Folder for the replays
    #[arg(long, value_name = "DIR", default_value = pacman2_console::replay_folder::REPLAYS)]
    pub(crate) folder: PathBuf,
    /// Do not fetch the log of a match that is over; its replay then ends with the last turn that the bot saw
    #[arg(long)]
    pub(crate) no_log: bool,
    #[command(flatten)]
    pub(crate) limits: BotLimitArgs,
    /// Seconds to wait for a reply of the site before asking again
    #[arg(long, value_name = "S", default_value_t = 100, value_parser = whole_seconds(1..=3600))]
    pub(crate) poll_timeout: u32,
    #[command(flatten)]
    pub(crate) account: AccountArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Print JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a match that is started is like
#[derive(Args)]
pub(crate) struct NewMatchArgs {
    /// Start matches with the init data in FILE: a whole map, or a seed and settings; "-" reads stdin
    #[arg(long, value_name = "FILE", requires = "start")]
    pub(crate) map: Option<PathBuf>,
    /// Seconds that the site gives the Local AI for a turn of these matches
    #[arg(long, value_name = "S", requires = "start", value_parser = whole_seconds(1..=3600))]
    pub(crate) site_time_limit: Option<u32>,
}

#[derive(Args)]
pub(crate) struct BotzoneStartArgs {
    #[arg(value_name = "PLAYER", num_args = 4, required = true, value_parser = player)]
    pub(crate) players: Vec<MatchPlayer>,
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    #[arg(long, value_name = "S", value_parser = whole_seconds(1..=3600))]
    pub(crate) time_limit: Option<u32>,
    #[command(flatten)]
    pub(crate) account: AccountArgs,
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct BotzoneAbortArgs {
    #[arg(value_name = "ID", value_parser = id)]
    pub(crate) id: MatchId,
    #[command(flatten)]
    pub(crate) account: AccountArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 botzone fetch 594553a2630d4c0758e2b2b1
  pacman2 botzone fetch 594553a2630d4c0758e2b2b1 match.json --log")]
pub(crate) struct BotzoneFetchArgs {
    /// The match: the address of its page, or the last part of that
    #[arg(value_name = "ID", value_parser = id)]
    pub(crate) id: MatchId,
    /// File to write; \"-\" writes stdout [default: a new file in replays]
    #[arg(value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
    /// Save the log as the site sent it, instead of a replay
    #[arg(long)]
    pub(crate) log: bool,
    /// Replace the file even if this program did not write it
    #[arg(long, requires = "to")]
    pub(crate) force: bool,
    /// The site
    #[arg(long, value_name = "URL", default_value = "https://www.botzone.org.cn")]
    pub(crate) site: String,
}

fn player(text: &str) -> Result<MatchPlayer, MatchIdError> {
    MatchPlayer::parse(text)
}

/// Takes an id, or the address of a match.
fn id(text: &str) -> Result<MatchId, MatchIdError> {
    text.rsplit_once("/match/").map_or(text, |(_, id)| id).parse()
}
