//! The arguments of `pacman2 arena`, as clap parses them.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use pacman2_arena::runner::PlayOptions;
use pacman2_course::TournamentOptions;
use pacman2_rules::ForfeitRuling;
use pacman2_tournament::store::FaultFilter;

use super::jobs::{PlanArgs, PlayJobsArgs, RecordArgs};
use super::values::{SandboxArgs, SourceArgs, fault, milliseconds, ruling, seed, whole};

#[derive(Args)]
pub(crate) struct ArenaArgs {
    #[command(subcommand)]
    pub(crate) verb: ArenaVerb,
    /// The folder of the arena [default: arena]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) arena: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum ArenaVerb {
    /// Create an arena: a folder that keeps bots and games
    Init(InitArgs),
    /// Add bots: compile each one, play a trial game against itself, and keep a copy
    Add(AddArgs),
    /// Retire bots: they play no more games, and their games are kept
    Retire(RetireArgs),
    /// Reinstate retired bots
    Reinstate(ReinstateArgs),
    /// Play the games of a schedule that have not been played yet
    Run(RunArgs),
    /// Show the table: ratings and points with confidence intervals
    Table(TableArgs),
    /// List games
    Games(GamesArgs),
    /// Show a game, or open it in the viewer
    Show(ShowGameArgs),
    /// Decide whether a bot is better than another, with as few games as possible
    Compare(CompareArgs),
    /// The old name of "compare --all-tables"
    #[command(hide = true)]
    Gate(CompareArgs),
    /// List pairs of bots with the same program, similar sources or the same play
    Similar(SimilarArgs),
    /// Write the table, all games and all replays to a folder, or a page with the table, plots and games
    Export(ExportArenaArgs),
    /// The old name of "export --html"
    #[command(hide = true)]
    Report(ReportArgs),
    /// Run the tournament of a class from a file: check, compile, play, grade
    Tournament(TournamentArgs),
    /// The old name of "pacman2 jobs plan"
    #[command(hide = true)]
    Plan(PlanArgs),
    /// The old name of "pacman2 jobs play"
    #[command(hide = true)]
    Play(PlayJobsArgs),
    /// The old name of "pacman2 jobs record"
    #[command(hide = true)]
    Record(RecordArgs),
}

#[derive(Args)]
#[command(after_help = "\
These limits hold for all games of the arena and cannot be changed later. For other limits, create another arena.

Examples:
  pacman2 arena init
  pacman2 arena init --arena fast --time-limit 100")]
pub(crate) struct InitArgs {
    /// Time limit per turn in milliseconds, before the factor of the language
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = milliseconds(1..=3_600_000))]
    pub(crate) time_limit: u64,
    /// Memory limit in megabytes
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = whole::<u64>(1..=1_000_000))]
    pub(crate) memory_limit: u64,
    /// End games after this many turns
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<u32>(1..=10_000))]
    pub(crate) turns: u32,
    /// Whether light hits a player that forfeits this turn
    #[arg(long, value_name = "NAME", default_value = "sample", value_parser = ruling())]
    pub(crate) ruling: ForfeitRuling,
}

#[derive(Args)]
#[command(after_help = "\
BOT is the same as for \"pacman2 play\": a built-in bot, a program, a script or source, or a command line in quotes.
The arena keeps a copy of a single file. When you change the file and add it again, it becomes the next version, which
plays in place of the previous one.

Examples:
  pacman2 arena add greedy sample random
  pacman2 arena add bot.cpp --name mybot
  pacman2 arena add \"python3 -u bot/main.py\" --name mybot --version try-3")]
pub(crate) struct AddArgs {
    /// The bots to add
    #[arg(value_name = "BOT", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) bots: Vec<String>,
    /// Name of the bot [default: the name of its file]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Version of the bot [default: the next number]
    #[arg(long, value_name = "VERSION")]
    pub(crate) version: Option<String>,
    /// Run the bot where it is, with its folder or the data beside it, instead of copying it; it must not change afterwards
    #[arg(long)]
    pub(crate) in_place: bool,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Print JSON, one line per bot
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct RetireArgs {
    /// The bots to retire, as NAME or NAME@VERSION
    #[arg(value_name = "BOT", required = true)]
    pub(crate) bots: Vec<String>,
    /// The old name of "reinstate"
    #[arg(long, hide = true)]
    pub(crate) back: bool,
}

#[derive(Args)]
pub(crate) struct ReinstateArgs {
    /// The bots to reinstate, as NAME or NAME@VERSION
    #[arg(value_name = "BOT", required = true)]
    pub(crate) bots: Vec<String>,
}

/// Which bots meet
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleName {
    /// All groups of four bots, on each map
    RoundRobin,
    /// One bot against all others
    Gauntlet,
    /// Rounds in which neighbours in the table meet
    Swiss,
    /// The bots with the least certain ratings, against bots of similar rating
    Matchmaking,
}

#[derive(Args)]
#[command(after_help = "\
Games are played in blocks of four on one map, in which each bot takes each seat once. Games that are in the arena already
are not played again: after Ctrl-C, or after you add a bot, the same command plays the missing games.

Examples:
  pacman2 arena run
      all groups of four bots on 10 maps
  pacman2 arena run --maps 50 --first-seed 1000
  pacman2 arena run --schedule gauntlet --bot mybot
      mybot against all others
  pacman2 arena run --schedule matchmaking --blocks 200")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) schedule: ScheduleArgs,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// Print JSON, one line per game and one at the end
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options that determine which bots meet on which maps
#[derive(Args)]
pub(crate) struct ScheduleArgs {
    /// Which bots meet
    #[arg(long, value_name = "NAME", default_value = "round-robin")]
    pub(crate) schedule: ScheduleName,
    /// The bot that runs the gauntlet, as NAME or NAME@VERSION
    #[arg(long, value_name = "BOT", required_if_eq("schedule", "gauntlet"))]
    pub(crate) bot: Option<String>,
    /// The bots that play [default: all active bots]
    #[arg(long, value_name = "BOT", num_args = 1..)]
    pub(crate) bots: Vec<String>,
    /// Number of maps; their seeds are consecutive
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) maps: u32,
    /// Seed of the first map
    #[arg(long, alias = "seed", value_name = "N", default_value_t = 1, value_parser = seed, allow_negative_numbers = true)]
    pub(crate) first_seed: i32,
    /// Seeds of the maps, instead of --maps and --first-seed
    #[arg(
        long,
        value_name = "SEED",
        value_delimiter = ',',
        conflicts_with_all = ["maps", "first_seed"],
        value_parser = seed,
        allow_hyphen_values = true,
    )]
    pub(crate) seeds: Vec<i32>,
    /// Number of rounds of a Swiss tournament [default: 8]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=100_000))]
    pub(crate) rounds: Option<u32>,
    /// Number of blocks that matchmaking plays [default: 50]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) blocks: Option<u32>,
}

/// Options of all verbs that play games
#[derive(Clone, Args)]
pub(crate) struct PlayArgs {
    /// Play N games at the same time [default: what the cores allow]
    #[arg(long, alias = "games-at-once", value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub(crate) parallel: Option<u16>,
    /// Have the games played elsewhere: write jobs to standard output, and read results from standard input
    #[arg(long, conflicts_with = "parallel")]
    pub(crate) elsewhere: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
}

impl PlayArgs {
    /// Returns the same as options of a run.
    pub(crate) fn options(&self) -> PlayOptions {
        let games_at_once = self.parallel.map(usize::from);
        PlayOptions { games_at_once, elsewhere: self.elsewhere, sandbox: self.sandbox.options() }
    }
}

#[derive(Args)]
pub(crate) struct TableArgs {
    /// Include retired bots and old versions
    #[arg(long)]
    pub(crate) all: bool,
    /// Add the points by seat and by map size, and the results of each pair of bots
    #[arg(long, conflicts_with = "json")]
    pub(crate) full: bool,
    /// Print JSON, which has all of this
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 arena games --bot mybot --fault TLE
  pacman2 arena games --bot mybot --bot greedy --seed 7 --json")]
pub(crate) struct GamesArgs {
    /// Only games with this bot, as NAME or NAME@VERSION; repeat the option for games with several bots
    #[arg(long, value_name = "BOT")]
    pub(crate) bot: Vec<String>,
    /// Only games in which a bot forfeited, with this verdict if one is given
    #[arg(long, value_name = "VERDICT", num_args = 0..=1, default_missing_value = "", value_parser = fault)]
    pub(crate) fault: Option<FaultFilter>,
    /// Only games on the map with this seed
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: Option<i32>,
    /// List at most N games, the newest ones
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole::<usize>(0..))]
    pub(crate) limit: usize,
    /// Print JSON, one line per game
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ShowGameArgs {
    /// The id of the game, or its first digits if they are unique
    #[arg(value_name = "GAME")]
    pub(crate) game: String,
    /// Open the game in the viewer
    #[arg(long)]
    pub(crate) open: bool,
    /// Write the viewer with the game to an HTML file, which works offline
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the replay of the game to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Replace these files even if this program did not write them
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "\
One observation is a block of games on one map. Against three copies of OLD, NEW plays on each seat: four games. Against
the pool, NEW plays on each seat, and OLD on the same seats against the same three opponents: eight games.

After each block, a sequential test decides between two true leads of NEW, --points0 and --points1, or goes on, up to
--most-blocks. The result has an estimate and an interval in any case. All games are kept, so the same command continues
where it ended.

With --all-tables, the tables are NEW against three OLD, three NEW against one OLD, two of each, and NEW and OLD in turn with
three of the pool. By default, the pool has \"greedy\", \"hunter\" and all styles, which are added to the arena as retired
bots. Each is such a test. A bot that passes is better at some tables and worse at none.

Examples:
  pacman2 arena compare mybot@2 mybot@1
  pacman2 arena compare new.cpp old.cpp --points1 5
      find large differences with few games
  pacman2 arena compare new.cpp old.cpp --points0=-2 --points1 0
      is the simpler bot at least not worse?
  pacman2 arena compare mybot greedy --pool sample random hunter
  pacman2 arena compare \"sage --net new.net\" sage --all-tables")]
pub(crate) struct CompareArgs {
    /// The bot that may be better: NAME, NAME@VERSION, or a BOT to add
    #[arg(value_name = "NEW")]
    pub(crate) new: String,
    /// The bot to compare it with
    #[arg(value_name = "OLD")]
    pub(crate) old: String,
    /// Compare at all kinds of tables
    #[arg(long)]
    pub(crate) all_tables: bool,
    #[command(flatten)]
    pub(crate) test: TestArgs,
    /// Seed of the first map
    #[arg(long, alias = "seed", value_name = "N", default_value_t = 1, value_parser = seed, allow_negative_numbers = true)]
    pub(crate) first_seed: i32,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of a sequential test
#[derive(Args)]
pub(crate) struct TestArgs {
    /// The opponents of the last series [default: all other active bots; with --all-tables, built-in bots and styles]
    #[arg(long, value_name = "BOT", num_args = 1..)]
    pub(crate) pool: Vec<String>,
    /// The lead in official points up to which NEW is not better
    #[arg(long, value_name = "POINTS", default_value_t = 0.0)]
    pub(crate) points0: f64,
    /// The lead in official points from which NEW is better
    #[arg(long, visible_alias = "difference", value_name = "POINTS", default_value_t = 2.0)]
    pub(crate) points1: f64,
    /// Probability of calling a bot better that leads by --points0
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) alpha: f64,
    /// Probability of missing a bot that leads by --points1
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) beta: f64,
    /// Maximal number of blocks in each series
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) most_blocks: u32,
}

#[derive(Args)]
#[command(after_help = "\
Copies of one program are one line, and so are those whose tokens are the same. Other lines are pairs of programs. Three things
are compared:
  program   whether the files are the same
  tokens    how much of the sources is the same, whatever names, numbers, comments and spaces are. Code that is in the
            templates of \"pacman2 new\" or in a --template does not count.
  games     in how many games the result is the same. Only pairs of games count in which one bot has the seat of the
            other, and everything else is the same.

A line in this list is a reason to look at its bots, not a verdict: short bots with one idea are alike, and so are two
copies of the same page of a book.

Examples:
  pacman2 arena similar
  pacman2 arena similar --arena class/results/arena --template staff/template.py
  pacman2 arena similar --at-least 90 --json")]
pub(crate) struct SimilarArgs {
    /// The smallest share of tokens or games, in percent, for which a pair is listed
    #[arg(long, value_name = "PERCENT", default_value_t = 50, value_parser = whole::<u8>(1..=100))]
    pub(crate) at_least: u8,
    /// Code that all authors were given
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) template: Vec<PathBuf>,
    /// Include retired bots and old versions
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON, one line per group of copies or pair of programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ExportArenaArgs {
    /// The folder to write to: table.json, games.jsonl, and the folder replays
    #[arg(value_name = "FOLDER", required_unless_present = "html")]
    pub(crate) folder: Option<PathBuf>,
    /// Write the table, plots and games to FILE, a page in Chinese and English
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Open the page in a browser
    #[arg(long, requires = "html")]
    pub(crate) open: bool,
    /// Omit the private data of the bots: debug, standard error, output and resource usage
    #[arg(long, requires = "folder")]
    pub(crate) public: bool,
    /// Replace files even if this program did not write them
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct ReportArgs {
    /// The HTML file to write
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(crate) out: PathBuf,
    /// Replace the file even if this program did not write it
    #[arg(long)]
    pub(crate) force: bool,
    /// Open the file in a browser
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Args)]
#[command(after_help = "\
`pacman2 docs classes` describes the file; `pacman2 new class --class` writes an example.

Examples:
  pacman2 arena tournament class/tournament.toml
  pacman2 arena tournament class/tournament.toml --check
  pacman2 arena tournament class/tournament.toml --retry
  pacman2 arena similar --arena class/results/arena
      who may have copied from whom")]
pub(crate) struct TournamentArgs {
    /// The TOML file of the tournament
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// Compile and try the submissions, and list what each was taken to be; play no games
    #[arg(long)]
    pub(crate) check: bool,
    /// Try submissions again that an earlier run rejected
    #[arg(long)]
    pub(crate) retry: bool,
    /// Replace files in the folder of the results even if this program did not write them
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON, one line per event
    #[arg(long)]
    pub(crate) json: bool,
}

impl TournamentArgs {
    /// Returns the same as options of a tournament.
    pub(crate) fn options(&self) -> TournamentOptions {
        let &TournamentArgs { ref file, ref play, check, retry, force, json } = self;
        TournamentOptions { file: file.clone(), play: play.options(), check, retry, force, json }
    }
}
