//! What can be typed.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use pacman2_batch::InstructionSet;
use pacman2_bots::sage::Component;
use pacman2_maps::MapSize;
use pacman2_rules::{ForfeitRuling, Ruleset};
use pacman2_runner::Tier;

pub(crate) use crate::arena::ArenaArgs;

/// Play, judge, watch and measure Botzone's Pacman2 (吃豆人2) on your own machine
#[derive(Parser)]
#[command(version, max_term_width = 110, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  pacman2 match sample greedy greedy random      a match between built-in bots
  pacman2 match ./mybot bot.py bot.cpp greedy    your own programs against one of them
  pacman2 new mybot --lang python                a bot of your own to begin with
  pacman2 serve --open                           watch and play in a browser
  pacman2 map --seed 42                          look at Botzone's map of a seed
  pacman2 replay show replays/last.json          look at a match again
  pacman2 analyse replays/last.json              find out where its points were lost

Exit codes: 0 it worked, 1 it did not, 2 the input cannot be accepted, 130 it was interrupted.";

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Play a match between four bots
    Match(MatchArgs),
    /// Begin a bot of your own: a folder with a small one that plays sensibly
    New(NewArgs),
    /// Find out what is wrong with a bot
    Check(CheckArgs),
    /// Show the viewer in a browser: watch replays, play matches, take a seat yourself
    Serve(ServeArgs),
    /// Show the map that Botzone makes from a seed
    Map(MapArgs),
    /// Verify, show or convert the replay of a match
    #[command(subcommand)]
    Replay(ReplayVerb),
    /// Find out what each order was worth, and where the points of a match were lost
    #[command(visible_alias = "analyze")]
    Analyse(AnalyseArgs),
    /// Be Botzone's judge for one turn: its input on stdin, its output on stdout
    Judge(JudgeArgs),
    /// Be a built-in bot that speaks Botzone's JSON on stdin and stdout
    Bot(BotArgs),
    /// Play games turn by turn, JSON lines in and out, to hold another engine against this one
    Simulate(SimulateArgs),
    /// Measure how fast random games are played
    Bench(BenchArgs),
    /// Keep bots and games: tournaments, ratings, and whether a bot is better than another
    Arena(ArenaArgs),
    /// Learn sage's net by self-play
    Train(TrainArgs),
    /// Tell how well this machine can shut bots in, and what would make it better
    Doctor(DoctorArgs),
    /// Keep a jail: what the judge starts to build a bot's sandbox
    #[command(hide = true)]
    Jail,
}

/// Who is shut in
#[derive(Clone, ClapArgs)]
pub(crate) struct SandboxArgs {
    /// Run this bot, named as it is typed, outside of the sandbox with all your rights; "all" for all bots
    #[arg(long, value_name = "BOT")]
    pub(crate) trust: Vec<String>,
    /// Refuse to play where the sandbox is weaker than this
    #[arg(long, value_name = "TIER", ignore_case = true)]
    pub(crate) require_tier: Option<RequiredTier>,
}

/// A tier that can be required
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RequiredTier {
    /// Namespaces, Landlock and seccomp
    #[value(name = "A")]
    A,
    /// Landlock and seccomp
    #[value(name = "B")]
    B,
}

impl From<RequiredTier> for Tier {
    fn from(tier: RequiredTier) -> Tier {
        match tier {
            RequiredTier::A => Tier::A,
            RequiredTier::B => Tier::B,
        }
    }
}

/// Who is hit by light in the turn of an illegal order; see docs/RULINGS.md
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Ruling {
    /// Never, as in the wiki's sample program
    Sample,
    /// Where a living player stands too, as in Botzone's judge
    Judge,
    /// Always, as in the wiki's prose
    Prose,
}

impl Ruling {
    /// Botzone's rules with this forfeit ruling.
    pub(crate) fn ruleset(self) -> Ruleset {
        Ruleset::default().with_forfeit_ruling(self.into())
    }
}

impl From<Ruling> for ForfeitRuling {
    fn from(ruling: Ruling) -> ForfeitRuling {
        match ruling {
            Ruling::Sample => ForfeitRuling::Sample,
            Ruling::Judge => ForfeitRuling::Judge,
            Ruling::Prose => ForfeitRuling::Prose,
        }
    }
}

#[derive(ClapArgs)]
#[command(
    override_usage = "pacman2 match [OPTIONS] BOT BOT BOT BOT",
    after_help = "\
A BOT is one of
  random, sample, greedy, hunter, sage
                               a built-in bot
  \"sage --time 300\"            the same with options, in quotes; \"pacman2 bot --help\" has them
  a path to an executable      run as it is
  bot.py, bot.js, bot.jar      run by python3, node, java
  bot.cpp                      compiled with -O2 -D_BOTZONE_ONLINE first, once for each content
  \"python3 -u bot.py --fast\"   a command line in quotes

Time limits are multiplied as on Botzone: C++ and everything else 1, JavaScript 2, Java and Python 3.

Examples:
  pacman2 match sample greedy greedy random
  pacman2 match bot.cpp greedy greedy greedy --seed 42 --size 9x9
  pacman2 match \"node bot.js\" old.py old.py old.py --one-by-one --json
  pacman2 match bot.py greedy greedy greedy --no-limits --map arena.json
  pacman2 match greedy random greedy random --games 10000 --seed 1
  pacman2 match \"sage --time 50\" hunter hunter hunter --games 40 --rotate"
)]
pub(crate) struct MatchArgs {
    /// The four bots, seat 0 first
    #[arg(value_name = "BOT", num_args = 4, required = true)]
    pub(crate) bots: Vec<String>,
    /// Play this many matches between built-in bots, each with the next seed, and tell only what came of them all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000_000), conflicts_with_all = [
        "one_by_one", "as_process", "time_limit", "memory_limit", "output_limit", "no_limits", "globaldata", "replay", "html",
        "open", "pace",
    ])]
    pub(crate) games: Option<u32>,
    /// Play four of them on each map, the bots one seat further each time, and tell how each bot did, with intervals from the maps
    #[arg(long, requires = "games")]
    pub(crate) rotate: bool,
    /// Threads that play them; as many as there are cores if not given
    #[arg(long, value_name = "N", requires = "games", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// The seed of map and built-in bots, 0 to 2147483647; drawn if it is not given
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(0..))]
    pub(crate) seed: Option<i32>,
    /// A file with init data: a whole map, or a seed and settings; "-" reads stdin
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    pub(crate) map: Option<PathBuf>,
    /// Columns and rows of the map, 6 to 11 each; drawn if not given
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub(crate) size: Option<MapSize>,
    /// End the game after this many turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) turns: Option<u32>,
    /// Who is hit by light in the turn of an illegal order
    #[arg(long, value_name = "NAME", default_value = "sample")]
    pub(crate) ruling: Ruling,
    /// Ask the bots one after another, not all at once: fair on few cores
    #[arg(long)]
    pub(crate) one_by_one: bool,
    /// Run built-in bots as programs too
    #[arg(long)]
    pub(crate) as_process: bool,
    /// Time for one answer in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) time_limit: u64,
    /// Memory for a bot in megabytes
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) memory_limit: u64,
    /// Output for one answer in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1_048_576, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) output_limit: u64,
    /// No limits at all, for a bot under a debugger
    #[arg(long, conflicts_with_all = ["time_limit", "memory_limit", "output_limit"])]
    pub(crate) no_limits: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Keep each bot's globaldata in this folder from match to match
    #[arg(long, value_name = "DIR")]
    pub(crate) globaldata: Option<PathBuf>,
    /// Where to write the replay; if not given, in the folder "replays" under a new name, and as last.json
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Write no replay
    #[arg(long, conflicts_with = "replay")]
    pub(crate) no_replay: bool,
    /// Write the viewer with this match to a file that a browser opens, offline too
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Open the viewer with this match in a browser
    #[arg(long)]
    pub(crate) open: bool,
    /// On a terminal, show each turn for at least this long
    #[arg(long, value_name = "MS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(..=60_000))]
    pub(crate) pace: u64,
    /// Print one JSON object, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  pacman2 new mybot --lang python
  pacman2 new mybot --lang cpp        one file without libraries, as Botzone compiles it

Then, in its folder: pacman2 check bot.py, and pacman2 match bot.py greedy greedy random")]
pub(crate) struct NewArgs {
    /// The name of the folder that is made here
    pub(crate) name: String,
    /// The language of the bot
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: TemplateLanguage,
}

/// A language in which bots can begin
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum TemplateLanguage {
    /// A project for Cargo, without dependencies
    #[value(alias = "rs")]
    Rust,
    /// One file, without libraries
    #[value(alias = "c++", alias = "cc", alias = "cxx")]
    Cpp,
    /// One file, without packages
    #[value(alias = "py", alias = "python3")]
    Python,
    /// One file for Node, without packages
    #[value(name = "javascript", alias = "js", alias = "node")]
    JavaScript,
}

#[derive(ClapArgs)]
#[command(after_help = "\
A BOT is what a match takes: a file, a command line in quotes, or a built-in bot. It is asked in
positions of games between built-in bots, started afresh for each, and then plays some turns of a
game. It runs under Botzone's limits and in the sandbox, as in a match.

Exit codes: 0 nothing is wrong with it, 1 something is, 2 the input cannot be accepted,
130 it was interrupted.

Examples:
  pacman2 check bot.py
  pacman2 check \"node bot.js\" --json
  pacman2 check ./mybot --time-limit 3000")]
pub(crate) struct CheckArgs {
    /// The bot
    #[arg(value_name = "BOT")]
    pub(crate) bot: String,
    /// Time for one answer in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) time_limit: u64,
    /// Memory for the bot in megabytes
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) memory_limit: u64,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Print one JSON object, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
The address that is printed has a token in it: whoever knows it can start programs here.
Ctrl-C ends the server and all matches.

Examples:
  pacman2 serve --open
  pacman2 serve --port 8000 --folder replays")]
pub(crate) struct ServeArgs {
    /// The address to listen at: 127.0.0.1 is for this machine only, 0.0.0.0 for all that can reach it
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
    /// The port to listen at; if not given, 8770 or the next free one
    #[arg(long, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// The folder of replays that are shown, in which matches leave theirs
    #[arg(long, value_name = "DIR", default_value = crate::play::REPLAYS)]
    pub(crate) folder: PathBuf,
    /// Show the arena kept in this folder, at /arena
    #[arg(long, value_name = "DIR")]
    pub(crate) arena: Option<PathBuf>,
    /// Open the viewer, or the arena, in a browser
    #[arg(long)]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// The token to ask for; a new one that nobody can guess if not given
    #[arg(long, value_name = "TOKEN", value_parser = parse_token)]
    pub(crate) token: Option<String>,
    /// Print one JSON object with address and token, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(group(clap::ArgGroup::new("source").args(["seed", "map"]).required(true).multiple(true)), after_help = "\
Examples:
  pacman2 map --seed 42
  pacman2 map --seed 42 --size 8x9 --json > map.json
  pacman2 map --map map.json --picture")]
pub(crate) struct MapArgs {
    /// The seed, 0 to 2147483647
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(0..))]
    pub(crate) seed: Option<i32>,
    /// Columns and rows, 6 to 11 each; drawn from the seed if not given
    #[arg(long, value_name = "WxH", value_parser = parse_size, conflicts_with = "map")]
    pub(crate) size: Option<MapSize>,
    /// Check and show the init data in this file instead; "-" reads stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Print init data in one line of JSON
    #[arg(long, conflicts_with = "picture")]
    pub(crate) json: bool,
    /// Draw it as a text picture that can be read back, not as the sample program does
    #[arg(long)]
    pub(crate) picture: bool,
}

#[derive(Subcommand)]
pub(crate) enum ReplayVerb {
    /// Play a replay again and name the first turn that differs from the rules
    Verify(VerifyArgs),
    /// Show the position after a turn
    Show(ShowArgs),
    /// Watch a replay, or a match log of Botzone's, in a browser
    Open(OpenArgs),
    /// Turn a replay into Botzone's match log, a match log into a replay, or either into a page with the viewer
    Convert(ConvertArgs),
}

#[derive(ClapArgs)]
#[command(after_help = "Example:\n  pacman2 replay verify replays/last.json")]
pub(crate) struct VerifyArgs {
    /// The replay; "-" reads stdin
    pub(crate) file: PathBuf,
    /// Print one JSON object, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "Example:\n  pacman2 replay open replays/last.json")]
pub(crate) struct OpenArgs {
    /// A replay or a match log of Botzone's; "-" reads stdin
    pub(crate) file: PathBuf,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  pacman2 replay show replays/last.json
  pacman2 replay show replays/last.json --turn 17")]
pub(crate) struct ShowArgs {
    /// The replay; "-" reads stdin
    pub(crate) file: PathBuf,
    /// After how many turns; 0 is the start, the end if not given
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<usize>,
    /// Draw it as a text picture that can be read back, not as the sample program does
    #[arg(long)]
    pub(crate) picture: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  pacman2 replay convert replays/last.json botzone.json     a replay becomes a match log
  pacman2 replay convert botzone.json replay.json           a match log becomes a replay
  pacman2 replay convert replays/last.json match.html       a page to watch it, in one file")]
pub(crate) struct ConvertArgs {
    /// A replay or a match log of Botzone's; "-" reads stdin
    pub(crate) from: PathBuf,
    /// Where to write the other form, or a page if it ends in .html; "-" writes stdout
    pub(crate) to: PathBuf,
    /// Who was hit by light in the turn of an illegal order, in a match log; the first that agrees with the log if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) ruling: Option<Ruling>,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Without --turn every turn of the match is analysed, on all cores, and the orders are told by
which each seat lost most. With it, all legal orders of that turn are told, the best first:
the official points that may be expected, with the standard error, and what is likely to
follow. Of a map it is always turn 1.
The same --simulations give the same output; a clock does not.

Exit codes: 0 it worked, 2 the input cannot be accepted, 130 it was interrupted; what was
found by then is told all the same.

Examples:
  pacman2 analyse replays/last.json                       where points were lost
  pacman2 analyse replays/last.json --seat 2 --time 1000  those of one seat, with more care
  pacman2 analyse replays/last.json --turn 37             every order of a turn
  pacman2 analyse map.json --simulations 20000 --json     the first turn on a map, for machines")]
pub(crate) struct AnalyseArgs {
    /// A replay, a match log of Botzone's, or a map as init data; "-" reads stdin
    #[arg(value_name = "REPLAY|INIT")]
    pub(crate) file: PathBuf,
    /// Analyse this turn, as it stood before its orders; 1 is the first
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<usize>,
    /// Tell of this seat only, 0 to 3
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) seat: Option<u8>,
    /// Time for each turn in milliseconds; if not given, 1000 with --turn or a map, and 100 for each turn of a whole match
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub(crate) time: Option<u64>,
    /// So many simulations for each turn instead
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) simulations: Option<u32>,
    /// Print one JSON object, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "Example:\n  echo '{\"log\": [], \"initdata\": {\"seed\": 42}}' | pacman2 judge")]
pub(crate) struct JudgeArgs {
    /// Who is hit by light in the turn of an illegal order
    #[arg(long, value_name = "NAME", default_value = "judge")]
    pub(crate) ruling: Ruling,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  pacman2 match \"pacman2 bot greedy --keep-running\" random random random
  pacman2 match \"pacman2 bot sage --time 300 --keep-running\" greedy greedy greedy")]
pub(crate) struct BotArgs {
    /// The built-in bot: random, sample, greedy, hunter or sage
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) options: BotOptions,
    /// Its seed; that of the map if not given
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<i32>,
    /// Ask to be kept running after the first turn
    #[arg(long)]
    pub(crate) keep_running: bool,
    /// Who is hit by light in the turn of an illegal order
    #[arg(long, value_name = "NAME", default_value = "sample")]
    pub(crate) ruling: Ruling,
}

/// How a built-in bot is wanted, behind its name wherever a BOT is typed
#[derive(Clone, ClapArgs)]
pub(crate) struct BotOptions {
    /// Play this many simulations a turn; for sage and sample
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) simulations: Option<u32>,
    /// Think for so many milliseconds a turn; for sage, by itself 800, and sample
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub(crate) time: Option<u64>,
    /// Leave out a part of the search, to see what it is worth; for sage, more than once for several parts
    #[arg(long, value_name = "PART", value_parser = part_parser())]
    pub(crate) without: Vec<Component>,
    /// Judge by the net in this weights file; for sage
    #[arg(long, value_name = "FILE")]
    pub(crate) net: Option<PathBuf>,
}

#[derive(ClapArgs)]
#[command(after_help = "\
Lines in:
  init data                    starts a game
  {\"actions\": [0, -1, 4, null]}  plays a turn; -1 to 7, anything else is an illegal order, null is for the dead
  {\"undo\": 3}                  takes three turns back
Each is answered by a line with the position, or by {\"error\": …}, after which the game goes on from where it was.

Example:
  (pacman2 map --seed 42 --json; echo '{\"actions\": [-1, -1, -1, -1]}') | pacman2 simulate")]
pub(crate) struct SimulateArgs {
    /// Who is hit by light in the turn of an illegal order
    #[arg(long, value_name = "NAME", default_value = "sample")]
    pub(crate) ruling: Ruling,
}

#[derive(ClapArgs)]
#[command(after_help = "\
'scalar' is the crate rules, which plays one game after another. Many games at once are played in two ways:
as playouts, from one position to their ends; and with given actions, 4096 games side by side, on 256 maps
of that size (with --map, all on that one) and with orders that were drawn before.
All outcomes are checked while they are timed.

The baseline is a command that plays random games on the same map, such as an engine of your own. It
runs with all your rights. On its standard input it gets the map as a bot does, in one line,
{\"requests\": [INIT], \"responses\": []}, and within 60 s it prints a line that has in it
  N turns … T s    how many turns it has played, and in how many seconds; or
  X Mturn/s        how many millions of turns a second.
It runs once in each of five rounds, by turns with what is measured; a ratio is the median of the
ratios in the five rounds.

Examples:
  pacman2 bench --json --seconds 5
  pacman2 bench --size 8x9 --baseline 'bin/playouts 20000'")]
pub(crate) struct BenchArgs {
    /// A file with init data; Botzone's map of seed 1 if not given
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    pub(crate) map: Option<PathBuf>,
    /// Columns and rows of the map of seed 1, 6 to 11 each; drawn from the seed if not given
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub(crate) size: Option<MapSize>,
    /// For how long to measure, the baseline apart
    #[arg(long, value_name = "S", default_value = "2", value_parser = parse_seconds)]
    pub(crate) seconds: f64,
    /// What many games at once are played with; the best that this machine has if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) instruction_set: Option<Lanes>,
    /// A command to compare with
    #[arg(long, value_name = "COMMAND")]
    pub(crate) baseline: Option<String>,
    /// Print one JSON object, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// An instruction set of which lanes are made
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Lanes {
    /// What every machine has
    Portable,
    /// AVX2, on most x86-64 machines since 2013
    Avx2,
    /// AVX-512 with VBMI and BITALG: AMD since Zen 4, Intel since Ice Lake
    Avx512,
}

impl From<Lanes> for InstructionSet {
    fn from(lanes: Lanes) -> InstructionSet {
        match lanes {
            Lanes::Portable => InstructionSet::Portable,
            Lanes::Avx2 => InstructionSet::Avx2,
            Lanes::Avx512 => InstructionSet::Avx512,
        }
    }
}

#[derive(ClapArgs)]
#[command(after_help = "\
Tiers: A has namespaces, Landlock and seccomp; B has Landlock and seccomp; C has nothing, and runs only bots that are
trusted. docs/SECURITY.md says what each of them promises.

Examples:
  pacman2 doctor
  pacman2 doctor --hostile                  hostile bots try what they can, and a table says what came of it
  pacman2 doctor --hostile --tier B --only fork_bomb")]
pub(crate) struct DoctorArgs {
    /// Play a match with each of the hostile bots
    #[arg(long)]
    pub(crate) hostile: bool,
    /// In this tier, not in the best there is
    #[arg(long, value_name = "TIER", ignore_case = true)]
    pub(crate) tier: Option<RequiredTier>,
    /// The other way round: show that the attacks would succeed without a sandbox, as far as they harm nothing
    #[arg(long, requires = "hostile", conflicts_with_all = ["tier", "without_control_groups"])]
    pub(crate) in_the_open: bool,
    /// As if no control groups were delegated
    #[arg(long)]
    pub(crate) without_control_groups: bool,
    /// Only the hostile bots of this name; may be given more than once
    #[arg(long, value_name = "NAME", requires = "hostile")]
    pub(crate) only: Vec<String>,
    /// Print one JSON object, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
#[command(after_help = "\
A generation plays games of self-play, learns from them and from those of the two generations before, and
measures what it gained. Everything is kept in the folder of the run; whatever stops a run, the same command
goes on where it was. More --generations go on with a run that is done. The same options give the same net
on every number of threads.

Exit codes: 0 it worked, 1 it did not, 2 the input cannot be accepted, 130 it was interrupted.

Examples:
  pacman2 train --out run
  pacman2 train --out run --generations 5        two more
  pacman2 train --out small --games 50 --simulations 100 --measure 4")]
pub(crate) struct TrainArgs {
    /// The folder of the run; the net will be sage.net in it
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// How many times to play, learn and measure
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) generations: u32,
    /// Games of self-play in a generation
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    pub(crate) games: u32,
    /// Simulations that each search plays in a turn
    #[arg(long, value_name = "N", default_value_t = 800, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) simulations: u32,
    /// Maps on which each new net is measured, four games each against the net before and the hand-made evaluation
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub(crate) measure: u32,
    /// The seed of all chance but the maps'
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u32,
    /// The seed of the first game's map; each game has the next, and measurements those from a hundred million on after it
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(i32).range(0..=2_000_000_000))]
    pub(crate) first_seed: i32,
    /// Threads that play; as many as there are cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object for each event, for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// The parts of the search by their names.
fn part_parser() -> impl TypedValueParser<Value = Component> {
    let part = |name: String| Component::ALL.into_iter().find(|part| part.name() == name).unwrap_or(Component::ALL[0]);
    PossibleValuesParser::new(Component::ALL.map(Component::name)).map(part)
}

fn parse_size(text: &str) -> Result<MapSize, String> {
    let sides = text.split_once(['x', 'X', '×']);
    let sides = sides.and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match sides {
        Some((width, height)) if pacman2_maps::SIDES.contains(&width) && pacman2_maps::SIDES.contains(&height) => {
            Ok(MapSize { width: Some(width), height: Some(height) })
        }
        _ => Err("columns x rows is wanted, 6 to 11 each, such as 9x8".to_owned()),
    }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok();
    seconds.filter(|seconds| (0.01..=3600.0).contains(seconds)).ok_or_else(|| "a number from 0.01 to 3600 is wanted".to_owned())
}

fn parse_token(text: &str) -> Result<String, String> {
    let is_safe = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    let is_token = is_safe && (8..=128).contains(&text.len());
    is_token.then(|| text.to_owned()).ok_or_else(|| "8 to 128 letters, digits and -._~ are wanted".to_owned())
}
