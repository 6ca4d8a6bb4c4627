//! `pacman2 jobs plan`: lists the games that a schedule still needs, as jobs.

use std::path::Path;
use std::process::ExitCode;

use pacman2_arena::listing::{Listing, ListingOptions};
use pacman2_arena::runner::PlayOptions;
use pacman2_arena::series::{Series, SeriesRange};
use pacman2_arena::store::{find_bot, open_store_to_read};
use pacman2_bot_source::sandbox::SandboxOptions;
use pacman2_console::error::bad_input;
use pacman2_console::text::sanitize;
use pacman2_course::TournamentOptions;
use pacman2_runner::Tier;
use pacman2_tournament::Store;

use crate::arena::compare::pool;
use crate::arena::options::{self, ArenaRunOptions};
use crate::args::{PlanArgs, TestArgs};

/// How many games of a comparison are listed by default: it may be decided after few of them.
const COMPARED_GAMES: usize = 256;

pub(crate) fn run(folder: &Path, args: &PlanArgs) -> anyhow::Result<ExitCode> {
    if let Some(file) = &args.tournament {
        let sandbox = SandboxOptions { require_tier: args.require_tier, ..SandboxOptions::default() };
        let play = PlayOptions { games_at_once: None, elsewhere: true, sandbox };
        let tournament = TournamentOptions { file: file.clone(), play, check: false, retry: false, force: false, json: false };
        return pacman2_course::plan(&tournament, |store, tier, blocks, plan| {
            let mut listing = Listing::new(store, &listed(args, tier, usize::MAX))?;
            listing.list_all(blocks)?;
            if let Some(plan) = plan {
                listing.list_plan(plan)?;
            }
            listing.end().map(|()| ExitCode::SUCCESS)
        });
    }
    let store = open_store_to_read(folder)?;
    if let [new, old] = &args.compare[..] {
        compare(&store, args, [new, old])?;
    } else {
        let ArenaRunOptions { plan, .. } = ArenaRunOptions::new(&args.schedule, &store.bots()?)?;
        let mut listing = Listing::new(&store, &listed(args, args.require_tier, usize::MAX))?;
        listing.list_plan(&plan)?;
        listing.end()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns what is listed where.
fn listed(args: &PlanArgs, tier: Option<Tier>, default_limit: usize) -> ListingOptions<'_> {
    ListingOptions { tier, out: args.out.as_deref(), per_file: args.per_file, limit: args.limit.unwrap_or(default_limit) }
}

/// Lists the next blocks of a comparison.
fn compare(store: &Store, args: &PlanArgs, [new, old]: [&String; 2]) -> anyhow::Result<()> {
    let bots = store.bots()?;
    let [new, old] = [find_bot(&bots, new)?, find_bot(&bots, old)?];
    if new.is_same_program(&old) {
        let labels = [new, old].map(|bot| sanitize(&bot.label()));
        return Err(bad_input(format!("{} are the same program; there is nothing to play", labels.join(" and "))));
    }
    let TestArgs { pool: names, most_blocks, .. } = &args.test;
    let (pool, comparison) = (pool(&bots, names, &new, &old)?, options::comparison(&args.test)?);
    let range = SeriesRange { bots: [new.id, old.id], first_seed: args.schedule.first_seed, most_blocks: *most_blocks };
    let mut listing = Listing::new(store, &listed(args, args.require_tier, COMPARED_GAMES))?;
    for series in &mut Series::from_comparison(&pool, comparison, false) {
        let Some(blocks) = series.missing(&listing.games, store, range)? else { continue };
        for block in blocks {
            if listing.is_full() {
                break;
            }
            listing.list_block(&block?)?;
        }
        listing.is_followed = true;
        break;
    }
    listing.end()
}
