//! The arguments of `pacman2 play`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use pacman2_bot_source::source::BotArgument;
use pacman2_maps::MapSize;
use pacman2_match::referee::AskMode;
use pacman2_rules::ForfeitRuling;
use pacman2_runner::Language;
use pacman2_series::SeriesOptions;

use super::values::{LimitArgs, SandboxArgs, SourceArgs, map_size, milliseconds, ruling, seed, whole};

#[derive(Args)]
#[command(override_usage = "pacman2 play [OPTIONS] BOT [BOT BOT BOT]", after_help = help())]
pub(crate) struct MatchArgs {
    /// The four bots, seat 0 first; a single bot plays against three greedy
    #[arg(value_name = "BOT", num_args = 1..=4, required = true, value_hint = ValueHint::FilePath)]
    pub(crate) bots: Vec<String>,
    /// Play N matches, each with the next seed, and print a summary
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1_000_000_000), conflicts_with_all = [
        "globaldata", "data", "replay", "html", "open", "pace",
    ])]
    pub(crate) games: Option<u32>,
    /// Write the replays of the matches that the first bot loses to DIR, a new folder, for "pacman2 rerun"
    #[arg(long, value_name = "DIR", requires = "games")]
    pub(crate) lost: Option<PathBuf>,
    /// Play four matches on each map, rotating the seats, and print each bot's result with confidence intervals over maps
    #[arg(long, requires = "games")]
    pub(crate) rotate: bool,
    /// Play N matches at the same time [default: one per core; with programs, one for four cores]
    #[arg(long, alias = "threads", value_name = "N", requires = "games", value_parser = whole::<u16>(1..=1024))]
    pub(crate) parallel: Option<u16>,
    /// Seed of the map and of the built-in bots: 32 bits, with a sign or without [default: random]
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: Option<i32>,
    /// Read init data from FILE: a whole map, or a seed and settings; "-" reads stdin
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    pub(crate) map: Option<PathBuf>,
    /// Columns and rows of the map, 6 to 11 each [default: random]
    #[arg(long, value_name = "WxH", value_parser = map_size)]
    pub(crate) size: Option<MapSize>,
    /// End the game after N turns [default: 100, or as in the init data]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=10_000))]
    pub(crate) turns: Option<u32>,
    /// Whether light hits a player that forfeits this turn
    #[arg(long, value_name = "NAME", default_value = "sample", value_parser = ruling())]
    pub(crate) ruling: ForfeitRuling,
    /// Ask the bots one after another [default on one core; two at a time on two or three]
    #[arg(long)]
    pub(crate) one_by_one: bool,
    /// Ask all bots at once [default on four cores and more]
    #[arg(long, conflicts_with = "one_by_one")]
    pub(crate) at_once: bool,
    /// Run built-in bots as processes, too
    #[arg(long)]
    pub(crate) as_process: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Keep each bot's globaldata in DIR between matches
    #[arg(long, value_name = "DIR")]
    pub(crate) globaldata: Option<PathBuf>,
    /// Keep the files that each bot writes in /data in DIR between matches; they are dropped otherwise
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Write the replay to FILE [default: a new file in replays, and replays/last.json]
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Do not write a replay
    #[arg(long, conflicts_with = "replay")]
    pub(crate) no_replay: bool,
    /// Write a page with the viewer and this match to FILE; it works offline
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Replace the files of --replay and --html even if this program did not write them
    #[arg(long)]
    pub(crate) force: bool,
    /// Open the viewer with this match in a browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Show each turn for at least this long on a terminal
    #[arg(long, value_name = "MS", default_value_t = 60, value_parser = milliseconds(0..=60_000))]
    pub(crate) pace: u64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl MatchArgs {
    /// Returns how the bots are asked, if that was chosen.
    pub(crate) fn ask_mode(&self) -> Option<AskMode> {
        match (self.one_by_one, self.at_once) {
            (true, _) => Some(AskMode::OneByOne),
            (false, true) => Some(AskMode::AtOnce),
            (false, false) => None,
        }
    }

    /// Returns the options of a series of this many matches between `bots`.
    pub(crate) fn series(self, games: u32, bots: Vec<BotArgument>) -> SeriesOptions {
        let (ask_mode, of_single) = (self.ask_mode(), self.of_single());
        SeriesOptions {
            bots,
            as_process: self.as_process,
            games,
            rotate: self.rotate,
            parallel: self.parallel.map(usize::from),
            seed: self.seed,
            map: self.map,
            size: self.size,
            turns: self.turns,
            ruling: self.ruling,
            ask_mode,
            limits: self.limits.limits(),
            sandbox: self.sandbox.options(),
            lost: self.lost,
            of_single,
            json: self.json,
        }
    }

    /// Returns the options that a match without `--games` takes, too.
    fn of_single(&self) -> Vec<String> {
        let mut options = Vec::new();
        let mut add = |option: &str, value: Option<String>| {
            options.extend(value.map(|value| [option.to_owned(), value]).into_iter().flatten());
        };
        add("--map", self.map.as_ref().map(|file| file.display().to_string()));
        add(
            "--size",
            self.size.map(|MapSize { width, height }| {
                let [width, height] = [width, height].map(|side| side.map_or_else(String::new, |side| side.to_string()));
                format!("{width}x{height}")
            }),
        );
        add("--turns", self.turns.map(|turns| turns.to_string()));
        add("--ruling", Some(self.ruling).filter(|&ruling| ruling != Default::default()).map(|ruling| ruling.name().to_owned()));
        add("--std", self.sources.standard.map(|standard| standard.to_string()));
        self.sandbox.trust.iter().for_each(|bot| add("--trust", Some(bot.clone())));
        options
    }
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// Returns what follows the options: what a bot can be, and examples.
fn help() -> String {
    let interpreted = || Language::all().filter(|language| !language.interpreter().is_empty());
    let files = joined(interpreted().filter_map(|language| Some(format!("bot.{}", language.extensions().next()?))));
    let tools = joined(interpreted().map(|language| language.interpreter()[0].to_owned()));
    let compiled = Language::all().filter_map(Language::compiler);
    let sources = joined(compiled.map(|compiler| format!(".{}", compiler.extensions[0])));
    let slower = Language::all().filter(|language| language.time_factor() != 1);
    let factors = joined(slower.map(|language| format!("{} {}", language.name(), language.time_factor())));
    format!(
        "\
BOT is one of
  random, sample, greedy, hunter, sage
                               a built-in bot
  \"sage --time 300\"            a built-in bot with options, in quotes; see \"pacman2 bot --help\"
  a path to an executable      run as it is
  {files:<28} run by {tools}
  a source                     compiled once for each content: {sources}
  a folder                     the bot in it: __main__.py, its only script, source or program, or the one named main or bot;
                               it can read the whole folder, and a file given as the bot only \"data\" beside it
  bot.zip, bot.pyz             a ZIP archive of such a folder
  \"bot.cpp --std c++11\"        a C++ source of another standard than C++17
  \"python3 -u bot.py --fast\"   a command line in quotes

Time limits are multiplied by a factor for each language, as on Botzone:
{factors}, everything else 1.

Examples:
  pacman2 play sample greedy greedy random
  pacman2 play mybot                                  against three greedy
  pacman2 play bot.cpp greedy greedy greedy --seed 42 --size 9x9
  pacman2 play \"node bot.js\" old.py old.py old.py --one-by-one --json
  pacman2 play bot.py greedy greedy greedy --no-limits --map map.json
  pacman2 play greedy random greedy random --games 10000 --seed 1
  pacman2 play bot.cpp greedy greedy random --games 100 --lost lost
  pacman2 play \"sage --time 50\" hunter hunter hunter --games 40 --rotate"
    )
}
