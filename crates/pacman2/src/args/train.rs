//! The arguments of `pacman2 train`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pacman2_console::error::bad_input;
use pacman2_console::workers;
use pacman2_training::OpponentShares;
use pacman2_training_runs::given::GivenNet;
use pacman2_training_runs::options::{NetOptions, TrainOptions};

use super::jobs::PlayJobsArgs;
use super::values::whole;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
A generation plays games of self-play, learns from them and from those of the two generations before
(--window), and measures the gain. Everything is kept in the folder of the run: after an interruption, the
same command continues. Raise --generations to continue a finished run. The same options give the same net on any
number of threads.

Exit codes: 0 success, 1 failure, 2 bad input, 130 interrupted.

Examples:
  pacman2 train --out run
  pacman2 train --out run --generations 5        two more generations
  pacman2 train --out small --games 50 --simulations 100 --measure 4
  pacman2 train --out on --from built-in --prioritise
                                                 go on from today's net
  pacman2 train --out beat --from run/sage.net --against run/sage.net
                                                 a net that only learns to beat another one")]
pub(crate) struct TrainArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<TrainVerb>,
    /// Folder of the run; the net is written to sage.net in it
    #[arg(short, long, value_name = "DIR", required = true)]
    pub(crate) out: Option<PathBuf>,
    /// Number of generations: play, learn, measure
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u32>(1..=100))]
    pub(crate) generations: u32,
    /// Games of self-play per generation
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = whole::<u32>(10..=100_000))]
    pub(crate) games: u32,
    /// Simulations per turn
    #[arg(long, value_name = "N", default_value_t = 800, value_parser = whole::<u32>(1..=1_000_000))]
    pub(crate) simulations: u32,
    /// Maps to measure each new net on, with four games against the previous net and four against the hand-made evaluation, or
    /// else the net of --against or --from
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = whole::<u32>(0..=10_000))]
    pub(crate) measure: u32,
    /// Seed of everything random but the maps
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u32>(0..))]
    pub(crate) seed: u32,
    /// Seed of the first game's map; the maps of measurements begin 100000000 later
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = whole::<i32>(0..=2_000_000_000))]
    pub(crate) first_seed: i32,
    /// Start from this net instead of the hand-made evaluation: a file that this command made, or "built-in"
    #[arg(long, value_name = "NET")]
    pub(crate) from: Option<PathBuf>,
    /// Learn to beat this net, which does not change: a file that this command made, or "built-in"
    #[arg(long, value_name = "NET")]
    pub(crate) against: Option<PathBuf>,
    /// How often each kind of player is an opponent in the games of self-play: KIND=SHARE,…; docs/TRAINING.md lists the kinds
    /// [default: newest=28,past=10,hand-made=6,hunter=10,greedy=4,strong-styles=20,styles=22; with --against newest=25,frozen=75]
    #[arg(long, value_name = "SHARES")]
    pub(crate) opponents: Option<OpponentShares>,
    /// Draw earlier nets and styles more often, the more often they score more than the newest net
    #[arg(long)]
    pub(crate) prioritise: bool,
    /// Percentage of the search's expectation in what the net learns; the rest is the result of the game
    #[arg(long, value_name = "PERCENT", default_value_t = 70, value_parser = whole::<u32>(0..=100))]
    pub(crate) search_share: u32,
    /// Number of generations whose games are learned from: the newest one and those before it
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u32>(1..=100))]
    pub(crate) window: u32,
    /// Play N games at the same time, and learn with N threads [default: one per core]
    #[arg(long, alias = "threads", value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub(crate) parallel: Option<u16>,
    /// Have the games played elsewhere: write jobs to standard output, and read results from standard input
    #[arg(long, conflicts_with = "parallel")]
    pub(crate) elsewhere: bool,
    /// Print each event as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl TrainArgs {
    /// Checks the arguments, and reads the nets that they name.
    pub(crate) fn options(self) -> anyhow::Result<TrainOptions> {
        let folder = self.out.ok_or_else(|| bad_input("a run needs a folder: --out DIR"))?;
        let given = |option, typed: Option<PathBuf>| typed.map(|typed| GivenNet::read(option, &typed)).transpose();
        let (from, against) = (given("--from", self.from)?, given("--against", self.against)?);
        let by_default = if against.is_some() { OpponentShares::EXPLOITER } else { OpponentShares::default() };
        let net = NetOptions {
            games: self.games,
            simulations: self.simulations,
            measure: self.measure,
            seed: self.seed,
            first_seed: self.first_seed,
            from,
            against,
            opponents: self.opponents.unwrap_or(by_default),
            prioritise: self.prioritise,
            search_share: self.search_share,
            window: self.window,
        };
        net.check()?;
        let threads = self.parallel.map_or_else(workers::default_threads, usize::from);
        Ok(TrainOptions { folder, generations: self.generations, threads, json: self.json, elsewhere: self.elsewhere, net })
    }
}

#[derive(Subcommand)]
pub(crate) enum TrainVerb {
    /// The old name of "pacman2 jobs play --nets"
    #[command(hide = true)]
    Play(PlayJobsArgs),
}
