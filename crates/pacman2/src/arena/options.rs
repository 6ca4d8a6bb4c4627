//! The options of the arena's verbs, checked once: what clap cannot check is checked here.

use pacman2_arena::store::find_bot;
use pacman2_bot_source::source::BotArgument;
use pacman2_console::error::bad_input;
use pacman2_tournament::compare::{Comparison, ComparisonConfig};
use pacman2_tournament::schedule::{Plan, Schedule};
use pacman2_tournament::{BotId, BotVersion};

use crate::args::{AddArgs, ScheduleArgs, ScheduleName, TestArgs};

/// What a schedule plays by default.
const DEFAULT_ROUNDS: u32 = 8;
const DEFAULT_BLOCKS: u32 = 50;

/// Checks that bots can be added together, and with these options.
pub(super) fn check_bots_to_add(args: &AddArgs, bots: &[anyhow::Result<BotArgument>]) -> anyhow::Result<()> {
    if args.bots.len() > 1 && (args.name.is_some() || args.version.is_some()) {
        return Err(bad_input(format!("--name and --version apply to one bot, got {} bots", args.bots.len())));
    }
    if args.in_place
        && let Some(built_in) = bots.iter().flatten().find(|bot| bot.is_built_in())
    {
        return Err(bad_input(format!("--in-place has no effect on the built-in bot {built_in}; leave it out")));
    }
    Ok(())
}

/// The games of `arena run`.
pub(crate) struct ArenaRunOptions {
    pub(crate) plan: Plan,
    /// The bots that play.
    pub(super) players: Vec<BotVersion>,
}

impl ArenaRunOptions {
    /// Checks the arguments against the bots of the arena.
    pub(crate) fn new(args: &ScheduleArgs, all: &[BotVersion]) -> anyhow::Result<ArenaRunOptions> {
        check_schedule_options(args)?;
        let mut ids: Vec<BotId> = match &args.bots[..] {
            [] => all.iter().filter(|bot| bot.is_active).map(|bot| bot.id).collect(),
            names => names.iter().map(|name| Ok(find_bot(all, name)?.id)).collect::<anyhow::Result<_>>()?,
        };
        let schedule = match args.schedule {
            ScheduleName::RoundRobin => Schedule::RoundRobin,
            ScheduleName::Gauntlet => {
                let name = args.bot.as_deref().ok_or_else(|| bad_input("a gauntlet needs the bot that runs it: --bot NAME"))?;
                let bot = find_bot(all, name)?.id;
                if !ids.contains(&bot) {
                    ids.push(bot);
                }
                Schedule::Gauntlet { bot }
            }
            ScheduleName::Swiss => Schedule::Swiss { rounds: args.rounds.unwrap_or(DEFAULT_ROUNDS) },
            ScheduleName::Matchmaking => Schedule::Matchmaking { blocks: args.blocks.unwrap_or(DEFAULT_BLOCKS) },
        };
        let players = all.iter().filter(|bot| ids.contains(&bot.id)).cloned().collect();
        let plan = Plan::new(schedule, ids, seeds(args)?).map_err(bad_input)?;
        Ok(ArenaRunOptions { plan, players })
    }
}

/// Checks that no option belongs to another schedule.
fn check_schedule_options(args: &ScheduleArgs) -> anyhow::Result<()> {
    let options = [
        ("--bot", args.bot.is_some(), ScheduleName::Gauntlet, "gauntlet"),
        ("--rounds", args.rounds.is_some(), ScheduleName::Swiss, "swiss"),
        ("--blocks", args.blocks.is_some(), ScheduleName::Matchmaking, "matchmaking"),
    ];
    match options.into_iter().find(|&(_, is_given, schedule, _)| is_given && schedule != args.schedule) {
        Some((option, _, _, name)) => {
            Err(bad_input(format!("{option} only has an effect with --schedule {name}; leave it out or add that")))
        }
        None => Ok(()),
    }
}

fn seeds(args: &ScheduleArgs) -> anyhow::Result<Vec<i32>> {
    if !args.seeds.is_empty() {
        return Ok(args.seeds.clone());
    }
    let last = i64::from(args.first_seed) + i64::from(args.maps) - 1;
    match i32::try_from(last) {
        Ok(last) => Ok((args.first_seed..=last).collect()),
        Err(_) => Err(bad_input(format!(
            "{} maps from seed {} on exceed the largest seed {}; choose a smaller --first-seed",
            args.maps,
            args.first_seed,
            i32::MAX
        ))),
    }
}

/// Returns a comparison without observations.
pub(crate) fn comparison(args: &TestArgs) -> anyhow::Result<Comparison> {
    let TestArgs { points0, points1, alpha, beta, .. } = *args;
    Comparison::new(ComparisonConfig { points0, points1, alpha, beta }).map_err(bad_input)
}
