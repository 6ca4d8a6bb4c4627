//! Which bots of a tournament meet: each submission and the references, and the submissions among themselves.

use pacman2_console::error::bad_input;
use pacman2_tournament::schedule::{Plan, Schedule};
use pacman2_tournament::{Block, BotId};

/// Returns the games of every submission against the references.
pub(super) fn against_references(references: &[BotId], submissions: &[BotId], seeds: &[i32]) -> anyhow::Result<Vec<Plan>> {
    let plan = |&bot| Plan::new(Schedule::Gauntlet { bot }, references.to_vec(), seeds.to_vec()).map_err(bad_input);
    submissions.iter().map(plan).collect()
}

/// Returns the blocks of plans of the same size, stage by stage. The plans take turns, so that an interrupted run is nearly
/// balanced.
pub(super) fn in_turns(plans: &[Plan]) -> impl Iterator<Item = Vec<Block>> {
    let mut stages: Vec<_> = plans.iter().map(Plan::stages_without_results).collect();
    std::iter::from_fn(move || {
        let mut lists: Vec<_> = stages.iter_mut().filter_map(|stages| Some(stages.next()?.into_iter())).collect();
        let mut blocks = Vec::new();
        while lists.iter().any(|list| list.len() > 0) {
            blocks.extend(lists.iter_mut().filter_map(Iterator::next));
        }
        Some(blocks).filter(|blocks| !blocks.is_empty())
    })
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
