//! Which bots of a tournament meet: each submission and the references, and the submissions among themselves.

use pacman2_tournament::schedule::{Plan, Schedule};
use pacman2_tournament::{Block, BotId};

use crate::error::bad_input;

/// Returns the blocks of every submission against the references. All have the same number of blocks and take turns, so that
/// an interrupted run is nearly balanced.
pub(super) fn against_references(references: &[BotId], submissions: &[BotId], seeds: &[i32]) -> anyhow::Result<Vec<Block>> {
    let mut lists = Vec::new();
    for &bot in submissions {
        let plan = Plan::new(Schedule::Gauntlet { bot }, references.to_vec(), seeds.to_vec()).map_err(bad_input)?;
        lists.push(blocks(&plan).into_iter());
    }
    let mut interleaved = Vec::new();
    while !lists.is_empty() {
        interleaved.extend(lists.iter_mut().filter_map(Iterator::next));
        lists.retain(|list| list.len() > 0);
    }
    Ok(interleaved)
}

/// Returns all blocks of a plan that does not depend on results.
fn blocks(plan: &Plan) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut earlier = Vec::new();
    while let Some(stage) = plan.stage(&earlier) {
        blocks.extend(stage);
        earlier.push(Vec::new());
    }
    blocks
}

/// Returns the games of the submissions among themselves, if the tournament has any. It takes four submissions.
pub(super) fn among_submissions(
    schedule: Option<Schedule>,
    submissions: &[BotId],
    seeds: &[i32],
) -> anyhow::Result<Option<Plan>> {
    match schedule.filter(|_| submissions.len() >= 4) {
        Some(schedule) => Ok(Some(Plan::new(schedule, submissions.to_vec(), seeds.to_vec()).map_err(bad_input)?)),
        None => Ok(None),
    }
}
