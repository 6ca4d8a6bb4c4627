//! What can be typed after `pacman2 arena`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use pacman2_rules::ForfeitRuling;

use crate::args::{SandboxArgs, ruling};

/// Which arena
#[derive(Args)]
pub(crate) struct ArenaArgs {
    #[command(subcommand)]
    pub(crate) verb: ArenaVerb,
    /// The folder that the arena is kept in
    #[arg(long, value_name = "DIR", default_value = "arena", global = true)]
    pub(crate) arena: PathBuf,
}

#[derive(Subcommand)]
pub(crate) enum ArenaVerb {
    /// Make an arena: a folder that keeps bots and games
    Init(InitArgs),
    /// Add bots: each is compiled, plays itself once, and is kept as it is now
    Add(AddArgs),
    /// Let a bot play no more, or again
    Retire(RetireArgs),
    /// Play games, and go on where the last run ended
    Run(RunArgs),
    /// Show the table: ratings and points with their intervals
    Table(TableArgs),
    /// List games
    Games(GamesArgs),
    /// Show a game, or open it in the viewer
    Show(ShowArgs),
    /// Find out whether a bot is better than another, with as few games as that takes
    Compare(CompareArgs),
    /// Write all games and replays to a folder
    Export(ExportArgs),
    /// Write the table, plots and games as one page for browsers
    Report(ReportArgs),
    /// Play a class's tournament from a file: check, compile, play, grade
    Tournament(TournamentArgs),
}

#[derive(Args)]
#[command(after_help = "\
These terms hold for all games of the arena and cannot be changed later: other terms want another arena.

Examples:
  pacman2 arena init
  pacman2 arena init --arena fast --time-limit 100")]
pub(crate) struct InitArgs {
    /// Time for one answer in milliseconds, before a language's factor
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub(crate) time_limit: u64,
    /// Memory for a bot in megabytes
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) memory_limit: u64,
    /// End games after this many turns
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) turns: u32,
    /// Who is hit by light in the turn of an illegal order
    #[arg(long, value_name = "NAME", default_value = "sample", value_parser = ruling())]
    pub(crate) ruling: ForfeitRuling,
}

#[derive(Args)]
#[command(after_help = "\
A BOT is what \"pacman2 match\" takes: a built-in bot, a program, a script or source, or a command line in quotes.
Of a single file a copy is kept, so that it can be changed and added again as the next version, which then plays in its place.

Examples:
  pacman2 arena add greedy sample random
  pacman2 arena add bot.cpp --name mybot
  pacman2 arena add \"python3 -u bot/main.py\" --name mybot --version try-3")]
pub(crate) struct AddArgs {
    /// The bots
    #[arg(value_name = "BOT", required = true)]
    pub(crate) bots: Vec<String>,
    /// What the bot is called; after its file if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Which of the bots of that name; the next number if not given
    #[arg(long, value_name = "VERSION")]
    pub(crate) version: Option<String>,
    /// Run it where it lies, with the files beside it; it must not change then
    #[arg(long)]
    pub(crate) in_place: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Print one JSON object for each bot, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct RetireArgs {
    /// The bots, as NAME or NAME@VERSION
    #[arg(value_name = "BOT", required = true)]
    pub(crate) bots: Vec<String>,
    /// Let them play again
    #[arg(long)]
    pub(crate) back: bool,
}

/// Who plays whom
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleName {
    /// All fours on each map
    RoundRobin,
    /// One bot against the others
    Gauntlet,
    /// Rounds in which neighbours in the table meet
    Swiss,
    /// Those of whom least is known, with others of their rating
    Matchmaking,
}

#[derive(Args)]
#[command(after_help = "\
Games come in blocks of four on one map, in which each bot sits on each seat once. What is in the arena already is not played
again: after Ctrl-C, or when a bot was added, the same command plays what is missing.

Examples:
  pacman2 arena run                                   all fours of the bots on 10 maps
  pacman2 arena run --maps 50 --first-seed 1000
  pacman2 arena run --schedule gauntlet --bot mybot   mybot against all others
  pacman2 arena run --schedule matchmaking --blocks 200")]
pub(crate) struct RunArgs {
    /// Who plays whom
    #[arg(long, value_name = "NAME", default_value = "round-robin")]
    pub(crate) schedule: ScheduleName,
    /// The bot of a gauntlet, as NAME or NAME@VERSION
    #[arg(long, value_name = "BOT", required_if_eq("schedule", "gauntlet"))]
    pub(crate) bot: Option<String>,
    /// Only these bots play; all active ones if not given
    #[arg(long, value_name = "BOT", num_args = 1..)]
    pub(crate) bots: Vec<String>,
    /// How many maps; each has the seed after that of the one before
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) maps: u32,
    /// The seed of the first map
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i32).range(0..))]
    pub(crate) first_seed: i32,
    /// The seeds of the maps, instead of so many from the first on
    #[arg(
        long,
        value_name = "SEED",
        value_delimiter = ',',
        conflicts_with_all = ["maps", "first_seed"],
        value_parser = clap::value_parser!(i32).range(0..),
    )]
    pub(crate) seeds: Vec<i32>,
    /// Rounds of a Swiss tournament
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rounds: u32,
    /// Blocks that matchmaking plays
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) blocks: u32,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// Print JSON lines, one for each game and one in the end, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// How games are played
#[derive(Args)]
pub(crate) struct PlayArgs {
    /// Games at a time; as many as the cores allow if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) games_at_once: Option<u16>,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
}

#[derive(Args)]
pub(crate) struct TableArgs {
    /// Show retired bots and old versions, too
    #[arg(long)]
    pub(crate) all: bool,
    /// Show points by seat and by size of the map, too, and who was better than whom
    #[arg(long)]
    pub(crate) full: bool,
    /// Print one JSON object, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 arena games --bot mybot --fault TLE
  pacman2 arena games --bot mybot --bot greedy --seed 7 --json")]
pub(crate) struct GamesArgs {
    /// Only games in which this bot sat, as NAME or NAME@VERSION; of several bots, games of all of them
    #[arg(long, value_name = "BOT")]
    pub(crate) bot: Vec<String>,
    /// Only games in which somebody forfeited, with this verdict if one is given
    #[arg(long, value_name = "VERDICT", num_args = 0..=1, default_missing_value = "", ignore_case = true)]
    pub(crate) fault: Option<String>,
    /// Only games on the map of this seed
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<i32>,
    /// At most so many, the newest
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// Print one JSON object for each game, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ShowArgs {
    /// The game's id, or as much of it as no other begins with
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Open it in the viewer
    #[arg(long)]
    pub(crate) open: bool,
    /// Write the viewer with it to a file that a browser opens, offline too
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write its replay to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Print one JSON object, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
A block of eight games is one observation: NEW on each seat, and OLD on the same seat against the same three on the same map.
It plays until it can tell, or until --most-blocks. Games are kept, so asking again goes on where it ended.

Examples:
  pacman2 arena compare mybot@2 mybot@1
  pacman2 arena compare new.cpp old.cpp --difference 3
  pacman2 arena compare mybot greedy --pool sample random hunter")]
pub(crate) struct CompareArgs {
    /// The bot that may be better: NAME, NAME@VERSION, or a bot that is to be added
    #[arg(value_name = "NEW")]
    pub(crate) new: String,
    /// The bot that it is compared with
    #[arg(value_name = "OLD")]
    pub(crate) old: String,
    /// The opponents of the second setting; all other active bots if not given
    #[arg(long, value_name = "BOT", num_args = 1..)]
    pub(crate) pool: Vec<String>,
    /// The difference in official points that should be found
    #[arg(long, value_name = "POINTS", default_value_t = 2.0)]
    pub(crate) difference: f64,
    /// How often a bot that is no better may be called so
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) alpha: f64,
    /// How often a bot that is better by the difference may be missed
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) beta: f64,
    /// Blocks after which it gives up, for each of the two settings
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) most_blocks: u32,
    /// The seed of the first map
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i32).range(0..))]
    pub(crate) first_seed: i32,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// Print one JSON object, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ExportArgs {
    /// The folder to write to: table.json, games.jsonl, and a folder with the replays
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Leave out what belongs to the bots' owners: debug, stderr, output and costs
    #[arg(long)]
    pub(crate) public: bool,
}

#[derive(Args)]
pub(crate) struct ReportArgs {
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(crate) out: PathBuf,
    /// Open it in a browser
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Args)]
#[command(after_help = "docs/CLASSES.md says what the file holds; examples/class has one.")]
pub(crate) struct TournamentArgs {
    /// The tournament's file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// Print JSON lines, for machines
    #[arg(long)]
    pub(crate) json: bool,
}
