//! The options of the arena's verbs, checked once: what clap cannot check is checked here.

use pacman2_tournament::compare::{Comparison, ComparisonConfig};
use pacman2_tournament::schedule::{Plan, Schedule};
use pacman2_tournament::{BotId, BotVersion};

use super::args::{AddArgs, CompareArgs, RunArgs, ScheduleName};
use super::candidate::BotSource;
use super::store::find_bot;
use crate::error::bad_input;

/// Returns the bots that are to be added.
pub(super) fn bots_to_add(args: &AddArgs) -> anyhow::Result<Vec<BotSource<'_>>> {
    if args.bots.len() > 1 && (args.name.is_some() || args.version.is_some()) {
        return Err(bad_input(format!("--name and --version apply to one bot, got {} bots", args.bots.len())));
    }
    let (name, version) = (args.name.as_deref(), args.version.as_deref());
    Ok(args.bots.iter().map(|text| BotSource { text, name, version, in_place: args.in_place }).collect())
}

/// The games of `arena run`.
pub(super) struct RunOptions {
    pub(super) plan: Plan,
    /// The bots that play.
    pub(super) players: Vec<BotVersion>,
}

impl RunOptions {
    /// Checks the arguments against the bots of the arena.
    pub(super) fn new(args: &RunArgs, all: &[BotVersion]) -> anyhow::Result<RunOptions> {
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
            ScheduleName::Swiss => Schedule::Swiss { rounds: args.rounds },
            ScheduleName::Matchmaking => Schedule::Matchmaking { blocks: args.blocks },
        };
        let players = all.iter().filter(|bot| ids.contains(&bot.id)).cloned().collect();
        let plan = Plan::new(schedule, ids, seeds(args)?).map_err(bad_input)?;
        Ok(RunOptions { plan, players })
    }
}

fn seeds(args: &RunArgs) -> anyhow::Result<Vec<i32>> {
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
pub(super) fn comparison(args: &CompareArgs) -> anyhow::Result<Comparison> {
    let config = ComparisonConfig { difference: args.difference, alpha: args.alpha, beta: args.beta };
    Comparison::new(config).map_err(bad_input)
}
