//! The command line as clap parses it. Each verb checks its arguments and turns them into options of its own.

mod analyse;
mod arena;
mod bench;
mod bot;
mod botzone;
mod bundle;
mod check;
mod completions;
mod doctor;
mod export;
mod judge;
mod man;
mod map;
mod match_;
mod new;
mod replay;
mod rerun;
mod serve;
mod simulate;
mod train;
mod values;

pub(crate) use analyse::AnalyseArgs;
pub(crate) use arena::*;
pub(crate) use bench::BenchArgs;
pub(crate) use bot::{BotArgs, BotOptions};
pub(crate) use botzone::{BotzoneAbortArgs, BotzoneFetchArgs, BotzonePlayArgs, BotzoneStartArgs, BotzoneVerb};
pub(crate) use bundle::BundleArgs;
pub(crate) use check::CheckArgs;
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
pub(crate) use completions::CompletionsArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use export::ExportArgs;
pub(crate) use judge::JudgeArgs;
pub(crate) use man::ManArgs;
pub(crate) use map::MapArgs;
pub(crate) use match_::MatchArgs;
pub(crate) use new::NewArgs;
pub(crate) use replay::{ConvertArgs, MatchFilter, OpenArgs, ReplayVerb, ShowArgs, VerifyArgs};
pub(crate) use rerun::RerunArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use simulate::SimulateArgs;
pub(crate) use train::{TrainArgs, TrainPlayArgs, TrainVerb};

/// Play, judge, watch and measure Botzone's Pacman2 (吃豆人2) on your own machine
#[derive(Parser)]
#[command(version, max_term_width = 110, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

impl Args {
    /// Parses the arguments of this process. Exits if they are wrong, or ask for help.
    pub(crate) fn from_process() -> Args {
        let matches = accept_negative_numbers(Args::command()).get_matches();
        Args::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut Args::command()).exit())
    }
}

/// Makes `-1` a value everywhere, so that the option that rejects it can name its range.
fn accept_negative_numbers(command: Command) -> Command {
    command.allow_negative_numbers(true).mut_subcommands(accept_negative_numbers)
}

const EXAMPLES: &str = "\
Examples:
  pacman2 match sample greedy greedy random      play a match between built-in bots
  pacman2 match ./mybot bot.py bot.cpp greedy    play your own programs against one of them
  pacman2 new mybot --lang python                create a bot to start from
  pacman2 serve --open                           watch and play in a browser
  pacman2 map --seed 42                          show Botzone's map of a seed
  pacman2 replay show replays/last.json          show the last match again
  pacman2 analyse replays/last.json              find out where it was lost
  pacman2 rerun replays/last.json --seat 0 new.py   find out what another version would do in it

Exit codes: 0 success, 1 failure, 2 bad input, 130 interrupted.";

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Play a match between four bots
    Match(MatchArgs),
    /// Create a folder with a small bot to start from
    New(NewArgs),
    /// Check a bot for faults
    Check(CheckArgs),
    /// Put a bot and the files that it includes or imports into one file, as Botzone takes it
    Bundle(BundleArgs),
    /// Write a built-in bot as one file, as Botzone takes it
    Export(ExportArgs),
    /// Serve the viewer: watch replays and play matches in a browser
    Serve(ServeArgs),
    /// Show Botzone's map of a seed
    Map(MapArgs),
    /// Verify, show, open or convert a replay
    #[command(subcommand)]
    Replay(ReplayVerb),
    /// Analyse a match: what each action was worth, and where points were lost
    #[command(visible_alias = "analyze")]
    Analyse(AnalyseArgs),
    /// Ask a bot the questions of a recorded match again
    Rerun(RerunArgs),
    /// Act as Botzone's judge for one turn, from stdin to stdout
    Judge(JudgeArgs),
    /// Act as a built-in bot that speaks Botzone's JSON on stdin and stdout
    Bot(BotArgs),
    /// Play on Botzone with a bot on this machine, and fetch match logs
    #[command(subcommand)]
    Botzone(BotzoneVerb),
    /// Simulate games turn by turn with JSON lines, to compare another engine with this one
    Simulate(SimulateArgs),
    /// Measure the speed of random games
    Bench(BenchArgs),
    /// Keep bots and games: tournaments, ratings and comparisons
    Arena(ArenaArgs),
    /// Train sage's net by self-play
    Train(TrainArgs),
    /// Report how well this machine can sandbox bots
    Doctor(DoctorArgs),
    /// Print a script that completes the command line in a shell
    Completions(CompletionsArgs),
    /// Write the manual pages to a folder
    Man(ManArgs),
    /// Set up a sandbox for a bot; for internal use
    #[command(hide = true)]
    Jail,
}
