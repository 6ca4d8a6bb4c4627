//! Which games a schedule plays, and in which order.

use std::collections::HashSet;

use pacman2_rules::BySeat;
use pacman2_tournament::schedule::*;
use pacman2_tournament::{Block, BotId, GameResult, Job, SeatResult};

use super::results::result;

fn plan(schedule: Schedule, bots: i64, seeds: &[i32]) -> Plan {
    Plan::new(schedule, (1..=bots).map(BotId).collect(), seeds.to_vec()).unwrap()
}

/// Returns results in which each bot gets `points`.
fn played(blocks: &[Block], points: impl Fn(BotId) -> i64) -> Vec<GameResult> {
    let seat_result = |bot, job: &Job| SeatResult {
        bot,
        hundredths: 100 * points(bot),
        place: 1 + job.seats.0.iter().filter(|other| points(**other) > points(bot)).count() as u8,
        strength: 1,
        fault: None,
        slowest_us: 0,
    };
    let of_job = |job: &Job| result(job.seed, BySeat(job.seats.0.map(|bot| seat_result(bot, job))));
    blocks.iter().flat_map(|block| &block.jobs).map(of_job).collect()
}

/// Returns all stages of a plan and checks that they are reproducible.
fn stages(plan: &Plan, points: impl Fn(BotId) -> i64) -> Vec<Vec<Block>> {
    let mut stages = Vec::new();
    let mut earlier = Vec::new();
    while let Some(blocks) = plan.stage(&earlier) {
        assert_eq!(plan.stage(&earlier), Some(blocks.clone()));
        earlier.push(played(&blocks, &points));
        stages.push(blocks);
    }
    let jobs: Vec<Job> = stages.iter().flatten().flat_map(|block| block.jobs.clone()).collect();
    assert_eq!(jobs.len(), plan.games());
    assert_eq!(jobs.iter().collect::<HashSet<_>>().len(), jobs.len(), "a game appears twice");
    for block in stages.iter().flatten() {
        let times = |seat: usize, bot| block.jobs.iter().filter(|job| job.seats.0[seat] == bot).count();
        let four = block.jobs[0].seats.0;
        assert!(four.iter().all(|&bot| (1..4).all(|seat| times(seat, bot) == times(0, bot))), "{block:?}");
    }
    stages
}

/// Returns the bots of a block, sorted.
fn table(block: &Block) -> [i64; 4] {
    let mut four = block.jobs[0].seats.0.map(|bot| bot.0);
    four.sort_unstable();
    four
}

fn tables(blocks: &[Block]) -> Vec<[i64; 4]> {
    blocks.iter().map(table).collect()
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list
}

#[test]
fn a_round_robin_plays_each_combination_once_per_seed() {
    let plan = plan(Schedule::RoundRobin, 7, &[5, 3, -2]);
    let blocks = stages(&plan, |_| 0).concat();
    assert_eq!(plan.games(), 3 * 35 * 4);
    for (seed, of_seed) in [5, 3, -2].into_iter().zip(blocks.chunks(35)) {
        assert!(of_seed.iter().flat_map(|block| &block.jobs).all(|job| job.seed == seed));
        let fours: HashSet<_> = tables(of_seed).into_iter().collect();
        assert_eq!(fours.len(), 35);
        assert!(fours.iter().all(|four| four.windows(2).all(|pair| pair[0] < pair[1])));
    }
}

#[test]
fn two_and_three_bots_fill_the_seats_in_every_way() {
    let of = |bots| sorted(tables(&stages(&plan(Schedule::RoundRobin, bots, &[1]), |_| 0).concat()));
    assert_eq!(of(2), [[1, 1, 1, 2], [1, 1, 2, 2], [1, 2, 2, 2]]);
    assert_eq!(of(3), [[1, 1, 2, 3], [1, 2, 2, 3], [1, 2, 3, 3]]);
    assert_eq!(of(4), [[1, 2, 3, 4]]);
}

#[test]
fn a_gauntlet_plays_one_against_every_three_others() {
    let of = |bots| {
        let plan = plan(Schedule::Gauntlet { bot: BotId(9) }, bots, &[1]);
        sorted(tables(&stages(&plan, |_| 0).concat()))
    };
    assert_eq!(of(1), [[1, 1, 1, 9]]);
    assert_eq!(of(2), [[1, 1, 2, 9], [1, 2, 2, 9]]);
    assert_eq!(of(4), [[1, 2, 3, 9], [1, 2, 4, 9], [1, 3, 4, 9], [2, 3, 4, 9]]);
    assert_eq!(plan(Schedule::Gauntlet { bot: BotId(31) }, 30, &[1, 2]).games(), 2 * 4060 * 4);
    assert_eq!(plan(Schedule::Gauntlet { bot: BotId(3) }, 5, &[1]).bots(), [1, 2, 4, 5].map(BotId));
}

#[test]
fn schedules_share_their_games() {
    let all: HashSet<Job> =
        stages(&plan(Schedule::RoundRobin, 6, &[1, 2, 3]), |_| 0).concat().into_iter().flat_map(|block| block.jobs).collect();
    let gauntlet = stages(&plan(Schedule::Gauntlet { bot: BotId(4) }, 6, &[3, 2]), |_| 0).concat();
    let fewer = stages(&plan(Schedule::RoundRobin, 5, &[2]), |_| 0).concat();
    assert!(gauntlet.iter().chain(&fewer).flat_map(|block| &block.jobs).all(|job| all.contains(job)));
}

#[test]
fn cyclic_orders_change_from_seed_to_seed() {
    let seeds: Vec<i32> = (-3..3).collect();
    let blocks = stages(&plan(Schedule::RoundRobin, 4, &seeds), |_| 0).concat();
    let rounds: HashSet<_> = blocks.iter().map(|block| block.jobs[0].seats).collect();
    assert_eq!(rounds.len(), 6);
}

#[test]
fn a_large_plan_has_many_stages() {
    let seeds: Vec<i32> = (1..=100).collect();
    let plan = plan(Schedule::RoundRobin, 30, &seeds);
    assert_eq!(plan.games(), 27_405 * 100 * 4);
    assert!(!plan.depends_on_results());
    let number_of_stages = (27_405_usize * 100).div_ceil(BLOCKS_PER_STAGE);
    let last = plan.stage(&vec![Vec::new(); number_of_stages - 1]).unwrap();
    assert_eq!(last.len(), 27_405 * 100 % BLOCKS_PER_STAGE);
    assert!(last[0].jobs.iter().all(|job| job.seed == 100));
    assert_eq!(plan.stage(&vec![Vec::new(); number_of_stages]), None);
}

#[test]
fn a_part_of_a_seed_is_nearly_balanced() {
    let blocks = plan(Schedule::RoundRobin, 30, &[1]).stage(&[]).unwrap();
    let times = |bot| tables(&blocks).iter().filter(|four| four.contains(&bot)).count();
    let even = BLOCKS_PER_STAGE * 4 / 30;
    for bot in 1..=30 {
        assert!((even * 7 / 10..=even * 13 / 10).contains(&times(bot)), "bot {bot}: {} of about {even}", times(bot));
    }
}

#[test]
fn swiss_rounds_separate_strong_from_weak() {
    let plan = plan(Schedule::Swiss { rounds: 3 }, 16, &[10, 20]);
    let stages = stages(&plan, |bot| 100 - bot.0 % 4);
    assert_eq!(stages.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 4]);
    assert_eq!(tables(&stages[0]), [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]);
    assert_eq!(tables(&stages[1]), [[4, 8, 12, 16], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]);
    let seeds: Vec<i32> = stages.concat().iter().map(|block| block.jobs[0].seed).collect();
    assert_eq!(seeds, [10, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
    for (number, round) in stages.iter().enumerate() {
        assert_eq!(sorted(tables(round).concat()), (1..=16).collect::<Vec<_>>(), "round {number}");
    }
    let third: HashSet<_> = tables(&stages[2]).into_iter().collect();
    assert!(third.is_disjoint(&tables(&stages[1]).into_iter().collect()), "a lineup appears twice: {third:?}");
}

#[test]
fn free_seats_rotate() {
    for bots in [5, 6, 7, 9, 10] {
        let rounds = stages(&plan(Schedule::Swiss { rounds: 20 }, bots, &[1]), |bot| bot.0).into_iter();
        let mut games = vec![0_usize; bots as usize];
        for round in rounds {
            let seated = tables(&round).concat();
            assert_eq!(seated.iter().collect::<HashSet<_>>().len(), bots as usize, "a bot is left out");
            assert!(tables(&round).iter().all(|four| four.windows(2).all(|pair| pair[0] < pair[1])), "a bot meets itself");
            seated.iter().for_each(|bot| games[*bot as usize - 1] += 1);
        }
        let (fewest, most) = (games.iter().min().unwrap(), games.iter().max().unwrap());
        assert!(most - fewest <= 2, "{bots} bots: {games:?}");
    }
}

#[test]
fn matchmaking_is_balanced_and_prefers_similar_bots() {
    let plan = plan(Schedule::Matchmaking { blocks: 300 }, 24, &[7]);
    let stages = stages(&plan, |bot| bot.0);
    assert_eq!((stages.len(), plan.games()), (300_usize.div_ceil(MIN_MATCHMAKING_BLOCKS), 1200));
    let fours = tables(&stages.concat());
    let times = |bot| fours.iter().filter(|four| four.contains(&bot)).count();
    assert!((1..=24).all(|bot| (35..=70).contains(&times(bot))), "{:?}", (1..=24).map(times).collect::<Vec<_>>());
    let together = |a, b| fours.iter().filter(|four| four.contains(&a) && four.contains(&b)).count();
    let at_distance =
        |apart: i64| (1..=24 - apart).map(|bot| together(bot, bot + apart)).sum::<usize>() as f64 / (24 - apart) as f64;
    assert!(at_distance(1) > 1.5 * at_distance(12), "{} {}", at_distance(1), at_distance(12));
    assert!(at_distance(20) > 0.0);
    assert!(fours.iter().all(|four| four.windows(2).all(|pair| pair[0] < pair[1])), "a bot meets itself");
}

#[test]
fn bots_that_played_least_play_first() {
    let plan = plan(Schedule::Matchmaking { blocks: 2 * MIN_MATCHMAKING_BLOCKS as u32 }, 9, &[1]);
    // Bots 5 to 9 have not played.
    let fours: Vec<Block> =
        (0..MIN_MATCHMAKING_BLOCKS as i32).map(|seed| Block::from_four(seed, [1, 2, 3, 4].map(BotId))).collect();
    let next = plan.stage(&[played(&fours, |bot| bot.0)]).unwrap();
    assert!(tables(&next)[..3].iter().all(|four| four.iter().any(|bot| *bot > 4)), "{:?}", tables(&next));
    assert!(tables(&next).iter().filter(|four| four.contains(&9)).count() >= 2);
}

#[test]
fn invalid_plans_are_rejected() {
    let error = |schedule, bots: &[i64], seeds: &[i32]| {
        Plan::new(schedule, bots.iter().copied().map(BotId).collect(), seeds.to_vec()).unwrap_err().to_string()
    };
    let swiss = |rounds| Schedule::Swiss { rounds };
    assert_eq!(error(Schedule::RoundRobin, &[1], &[1]), "expected at least 2 bots for a round robin, got 1");
    assert_eq!(error(swiss(3), &[1, 2, 3], &[1]), "expected at least 4 bots for a Swiss tournament, got 3");
    let alone = error(Schedule::Gauntlet { bot: BotId(1) }, &[1], &[1]);
    assert_eq!(alone, "expected at least 1 opponent for a gauntlet, got 0");
    let duplicate = error(Schedule::RoundRobin, &[2, 1, 2], &[1]);
    assert_eq!(duplicate, "expected each bot once, got number 2 twice");
    assert_eq!(error(Schedule::RoundRobin, &[1, 2], &[]), "expected at least one seed, got none");
    assert_eq!(error(Schedule::RoundRobin, &[1, 2], &[4, 5, 4]), "expected each seed once, got 4 twice");
    assert_eq!(error(swiss(0), &[1, 2, 3, 4], &[1]), "expected at least 1 round for a Swiss tournament, got 0");
    let matchmaking = error(Schedule::Matchmaking { blocks: 0 }, &[1, 2, 3, 4], &[1]);
    assert_eq!(matchmaking, "expected at least 1 block for matchmaking, got 0");
    let out = error(swiss(3), &[1, 2, 3, 4], &[i32::MAX - 1]);
    assert_eq!(out, "expected 3 seeds, one per block; those above the given ones end at 2147483647");
    assert!(Plan::new(swiss(2), (1..=4).map(BotId).collect(), vec![i32::MAX - 1]).is_ok());
}
