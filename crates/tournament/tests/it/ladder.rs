//! Which blocks a ladder plays.

use pacman2_rules::BySeat;
use pacman2_tournament::ladder::{Ladder, unfinished};
use pacman2_tournament::{Block, BotId, GameResult, SeatResult};

use super::results::result;

/// Returns the games of a block, in which the bot with the greater number wins.
fn played(block: &Block) -> Vec<GameResult> {
    let seat_result = |bot: BotId, others: &BySeat<BotId>| SeatResult {
        bot,
        hundredths: 100 * bot.0,
        place: 1 + others.0.iter().filter(|other| **other > bot).count() as u8,
        strength: 1,
        fault: None,
        slowest_us: 0,
    };
    let game = |(number, job): (usize, &pacman2_tournament::Job)| GameResult {
        id: format!("{}-{number}", job.seed),
        block: job.seed.to_string(),
        ..result(job.seed, BySeat(job.seats.0.map(|bot| seat_result(bot, &job.seats))))
    };
    block.jobs.iter().enumerate().map(game).collect()
}

/// Plays this many blocks one after another, and returns them.
fn play(ladder: &mut Ladder, first_seed: i32, count: i32, seeking: &[BotId], bots: &[BotId]) -> Vec<Block> {
    let next = |seed| {
        let block = ladder.next_blocks(seed, 1, seeking, bots).remove(0);
        played(&block).iter().for_each(|game| ladder.observe(game));
        block
    };
    (first_seed..first_seed + count).map(next).collect()
}

fn has(block: &Block, bot: BotId) -> bool {
    block.jobs[0].seats.0.contains(&bot)
}

#[test]
fn a_new_bot_plays_first_and_then_all_play_equally_often() {
    let bots: Vec<BotId> = (1..=12).map(BotId).collect();
    let mut ladder = Ladder::default();
    play(&mut ladder, 1, 60, &bots[..11], &bots[..11]);
    let before: Vec<u32> = bots[..11].iter().map(|&bot| ladder.games(bot)).collect();
    assert!(before.iter().max().unwrap() - before.iter().min().unwrap() <= 16, "{before:?}");
    let blocks = play(&mut ladder, 61, 4, &bots, &bots);
    assert!(blocks.iter().all(|block| has(block, BotId(12))), "{blocks:?}");
}

#[test]
fn opponents_are_close() {
    let bots: Vec<BotId> = (1..=20).map(BotId).collect();
    let mut ladder = Ladder::default();
    play(&mut ladder, 1, 400, &bots, &bots);
    let blocks = ladder.next_blocks(401, 20, &bots, &bots);
    let spread = |block: &Block| {
        let four = block.jobs[0].seats.0;
        four.iter().max().unwrap().0 - four.iter().min().unwrap().0
    };
    let mean = blocks.iter().map(spread).sum::<i64>() as f64 / blocks.len() as f64;
    // Four of twenty chosen at random are 12.6 apart.
    assert!(mean < 9.0, "{mean}");
}

#[test]
fn blocks_that_are_planned_together_are_for_different_bots() {
    let bots: Vec<BotId> = (1..=12).map(BotId).collect();
    let blocks = Ladder::default().next_blocks(1, 3, &bots, &bots);
    assert!(bots.iter().all(|&bot| blocks.iter().filter(|block| has(block, bot)).count() == 1), "{blocks:?}");
}

#[test]
fn marks_play_only_for_the_sake_of_others() {
    let bots: Vec<BotId> = (1..=4).map(BotId).collect();
    assert_eq!(Ladder::default().next_blocks(1, 2, &[], &bots), []);
    assert_eq!(Ladder::default().next_blocks(1, 2, &bots, &bots[..3]), []);
    assert_eq!(Ladder::default().next_blocks(1, 2, &bots[..1], &bots).len(), 2);
}

#[test]
fn a_block_that_was_interrupted_is_found_by_any_of_its_games() {
    let bots: Vec<BotId> = (1..=9).map(BotId).collect();
    let blocks = Ladder::default().next_blocks(1, 7, &bots, &bots);
    for block in &blocks {
        for game in played(block) {
            assert_eq!(unfinished(&[game]), std::slice::from_ref(block));
        }
        assert_eq!(unfinished(&played(block)), []);
    }
}
