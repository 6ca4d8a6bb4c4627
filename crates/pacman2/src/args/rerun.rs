//! The arguments of `pacman2 rerun`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use pacman2_analysis::position::DEFAULT_SIMULATIONS;

use super::values::{LimitArgs, SandboxArgs, SourceArgs, whole};

#[derive(Args)]
#[command(after_help = "\
The bot is asked every question that the seat was asked in the match, with the history of the match:
whatever it answers, the match goes on as recorded. It runs as in \"pacman2 play\", which also says what
BOT can be, and keeps running if it asks to. The turns in which it answers otherwise are listed with
what the other action is worth by the search of sage: expected points more or fewer, with the
standard error. It gets its own data again from turn to turn; globaldata is empty.

Exit codes: 0 every question was asked, 1 the bot was too slow three times in a row, 2 bad input,
130 interrupted; partial results are printed all the same.

Examples:
  pacman2 rerun replays/last.json --seat 0 new.py
      what the new version would do
  pacman2 rerun botzone.json --seat 2 bot.cpp --open
      in a match from Botzone, shown in a browser
  pacman2 rerun input.txt new.py
      of the bot whose input was saved
  pacman2 rerun replays/last.json --seat 1 \"sage --time 500\" --json
  pacman2 rerun lost new.py
      in all matches that \"pacman2 play --lost\" kept")]
pub(crate) struct RerunArgs {
    /// A replay, a Botzone match log or its page, a bot's saved input, a match of a pack (PACK#ID), a link with a game, or a folder of
    /// replays; "-" reads stdin
    #[arg(value_name = "REPLAY")]
    pub(crate) file: PathBuf,
    /// The bot to ask
    #[arg(value_name = "BOT", value_hint = ValueHint::FilePath)]
    pub(crate) bot: String,
    /// The seat whose questions it is asked, 0 to 3 [default: that of a saved input, or of a match kept by "play --lost"]
    #[arg(long, value_name = "S", value_parser = whole::<u8>(0..=3))]
    pub(crate) seat: Option<u8>,
    /// Restart the bot for every question, even if it asks to keep running
    #[arg(long, alias = "afresh")]
    pub(crate) restart: bool,
    /// Run a built-in bot as a process, too
    #[arg(long)]
    pub(crate) as_process: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Run N simulations for each turn in which the answers differ
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SIMULATIONS, value_parser = whole::<u32>(1..))]
    pub(crate) simulations: u32,
    /// Write the replay with the answers to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Write a page with the viewer, the match and the answers to FILE; it works offline
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Replace the files of --replay and --html even if this program did not write them
    #[arg(long)]
    pub(crate) force: bool,
    /// Open the viewer with the match and the answers in a browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
