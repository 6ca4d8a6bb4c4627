//! The blocks that compare two bots, the test that decides, and the sentences that say so.

use pacman2_botzone::response::Verdict;
use pacman2_rules::{BySeat, Seat};
use pacman2_tournament::compare::*;
use pacman2_tournament::standings::Interval;
use pacman2_tournament::{Block, BotId, Fault, GameResult, Job, SeatResult};

use super::results::result;

const NEW: BotId = BotId(1);
const OLD: BotId = BotId(2);

/// Returns results in which the seats of each game get `points(seats, seat)`; a seat with 0 points timed out.
fn played(block: &Block, points: impl Fn([i64; 4], usize) -> i64) -> Vec<GameResult> {
    let seat_result = |job: &Job, seat: Seat| {
        let points = points(job.seats.0.map(|bot| bot.0), seat.index());
        let fault = (points == 0).then_some(Fault { kind: Verdict::Tle, turn: 1 });
        SeatResult { bot: job.seats[seat], hundredths: 100 * points, place: 1, strength: 1, fault, slowest_us: 0 }
    };
    let of_job = |job: &Job| result(job.seed, BySeat::from_fn(|seat| seat_result(job, seat)));
    block.jobs.iter().map(of_job).collect()
}

fn comparison(observations: impl IntoIterator<Item = f64>) -> Comparison {
    let mut comparison = Comparison::new(ComparisonConfig::default()).unwrap();
    observations.into_iter().for_each(|points| comparison.observe(points));
    comparison
}

/// Returns a comparison of blocks half of which are above and half below the mean by `spread`.
fn spread(blocks: usize, mean: f64, spread: f64) -> Comparison {
    comparison((0..blocks).map(|number| if number % 2 == 0 { mean - spread } else { mean + spread }))
}

#[test]
fn new_and_old_have_each_seat_once_against_the_same_opponents() {
    let block = block(7, NEW, OLD, ComparedAgainst::Others([3, 4, 5].map(BotId)));
    let seats: Vec<_> = block.jobs.iter().map(|job| job.seats.0.map(|bot| bot.0)).collect();
    let of_new = [[1, 3, 4, 5], [3, 1, 4, 5], [3, 4, 1, 5], [3, 4, 5, 1]];
    assert_eq!(seats[..4], of_new);
    assert_eq!(seats[4..], of_new.map(|seats| seats.map(|bot| if bot == 1 { 2 } else { bot })));
    assert!(block.jobs.iter().all(|job| job.seed == 7 && job.repeat == 0));
}

#[test]
fn no_game_is_played_twice() {
    let games = |opponents: [BotId; 3]| {
        let block = block(7, NEW, OLD, ComparedAgainst::Others(opponents));
        let mut seats: Vec<_> = block.jobs.iter().map(|job| job.seats.0).collect();
        seats.sort_unstable();
        seats.dedup();
        assert_eq!(seats.len(), block.jobs.len(), "{opponents:?}");
        block.jobs.len()
    };
    assert_eq!(games([OLD; 3]), 5);
    assert_eq!(games([OLD, NEW, OLD]), 5);
    assert_eq!(games([OLD, OLD, BotId(3)]), 6);
    assert_eq!(block(7, NEW, OLD, ComparedAgainst::OldBots).jobs.len(), 4);
}

#[test]
fn a_lead_over_copies_of_the_old_bot() {
    let block = block(7, NEW, OLD, ComparedAgainst::OldBots);
    // NEW has 80 points and the others 30, 40 and 50, except that they time out on seat 0.
    let mut results = played(&block, |seats, seat| {
        if seats[seat] == 1 {
            80
        } else if seat == 0 {
            0
        } else {
            30 + 10 * (seat as i64 % 3)
        }
    });
    let mean_of_others = [40.0 + 50.0 + 30.0, 0.0 + 50.0 + 30.0, 0.0 + 40.0 + 30.0, 0.0 + 40.0 + 50.0].iter().sum::<f64>() / 12.0;
    let observed = observation(NEW, OLD, ComparedAgainst::OldBots, &results).unwrap();
    assert_eq!(observed.points, 0.75 * (80.0 - mean_of_others));
    let count = |count, seats| TimeOutCount { count, seats };
    assert_eq!(observed.time_outs, TimeOuts { old: count(3, 12), new: count(0, 4) });
    results.reverse();
    assert_eq!(observation(NEW, OLD, ComparedAgainst::OldBots, &results), Some(observed));
    assert_eq!(observation(OLD, NEW, ComparedAgainst::OldBots, &results), None);
    assert_eq!(observation(NEW, OLD, ComparedAgainst::OldBots, &results[1..]), None);
}

#[test]
fn the_old_bot_alone_among_new_ones() {
    let block = block(7, NEW, OLD, ComparedAgainst::NewBots);
    assert_eq!(block.jobs.len(), 4);
    // OLD has 20 points and times out on seat 3, and NEW has 60.
    let results = played(&block, |seats, seat| if seats[seat] == 1 { 60 } else { [20, 20, 20, 0][seat] });
    let observed = observation(NEW, OLD, ComparedAgainst::NewBots, &results).unwrap();
    assert_eq!(observed.points, 0.75 * (60.0 - 15.0));
    let count = |count, seats| TimeOutCount { count, seats };
    assert_eq!(observed.time_outs, TimeOuts { old: count(1, 4), new: count(0, 12) });
    assert_eq!(observation(NEW, OLD, ComparedAgainst::OldBots, &results), None);
}

#[test]
fn two_copies_of_each() {
    let block = block(7, NEW, OLD, ComparedAgainst::TwoEach);
    let mut seats: Vec<_> = block.jobs.iter().map(|job| job.seats.0.map(|bot| bot.0)).collect();
    assert!(seats.iter().all(|seats| seats.iter().filter(|&&bot| bot == 1).count() == 2), "{seats:?}");
    seats.sort_unstable();
    seats.dedup();
    assert_eq!(seats.len(), 6);
    // Seats are worth as much as they cost, since each bot has each of them three times.
    let results = played(&block, |seats, seat| 50 + 10 * seat as i64 + if seats[seat] == 1 { 7 } else { 0 });
    let observed = observation(NEW, OLD, ComparedAgainst::TwoEach, &results).unwrap();
    assert_eq!(observed.points, 7.0);
    assert_eq!((observed.time_outs.new.seats, observed.time_outs.old.seats), (12, 12));
    assert_eq!(observation(NEW, OLD, ComparedAgainst::TwoEach, &results[..5]), None);
}

#[test]
fn a_lead_against_others() {
    let against = ComparedAgainst::Others([OLD, OLD, BotId(3)]);
    let results = played(&block(7, NEW, OLD, against), |seats, seat| {
        if seats.contains(&1) { if seats[seat] == 1 { 40 } else { 1000 } } else { 10 + seat as i64 }
    });
    let observed = observation(NEW, OLD, against, &results).unwrap();
    assert_eq!(observed.points, 40.0 - 11.5);
}

#[test]
fn bots_that_do_the_same_are_decided() {
    let blocks = (0..).find(|&blocks| comparison(vec![0.0; blocks]).is_decided()).unwrap();
    assert_eq!(comparison(vec![0.0; blocks]).conclusion(), Conclusion::NotBetter);
    assert!((MIN_BLOCKS..=150).contains(&blocks), "{blocks}");
    assert_eq!(comparison(vec![0.0; 100_000]).conclusion(), Conclusion::NotBetter);
}

#[test]
fn few_blocks_decide_nothing() {
    assert_eq!(comparison([]).estimate(), None);
    for blocks in 0..MIN_BLOCKS {
        for points in [0.0, 60.0, -60.0] {
            let conclusion = comparison(vec![points; blocks]).conclusion();
            assert!(
                matches!(conclusion, Conclusion::Undecided { more_blocks } if more_blocks >= MIN_BLOCKS - blocks),
                "{blocks}: {conclusion:?}"
            );
        }
    }
    assert_eq!(comparison([60.0; MIN_BLOCKS]).conclusion(), Conclusion::Better);
    assert_eq!(comparison([-60.0; MIN_BLOCKS]).conclusion(), Conclusion::Worse);
}

#[test]
fn the_interval_never_contradicts_the_conclusion() {
    for blocks in (MIN_BLOCKS..400).step_by(3) {
        for deviation in [0.5, 5.0, 10.0, 30.0] {
            for tenths in -100..100 {
                let found = spread(blocks, f64::from(tenths) / 10.0, deviation);
                let (value, Interval { low, high }) = found.estimate().unwrap();
                assert!(low < value && value < high);
                let expected = match found.conclusion() {
                    Conclusion::Better => low >= -1e-9,
                    Conclusion::Worse => high < 0.0,
                    Conclusion::NotBetter => (0.0..=2.0 + 1e-9).contains(&high),
                    Conclusion::Undecided { .. } => low < 1e-9 && high > 2.0 - 1e-9,
                };
                assert!(expected, "{blocks} {deviation} {tenths}: {low} {high} {:?}", found.conclusion());
            }
        }
    }
}

#[test]
fn shifted_blocks_have_the_shifted_conclusion() {
    for shift in [-2.0, 5.0] {
        for mean in [-1.0, 0.0, 1.0, 2.0, 5.0] {
            let config = ComparisonConfig { points0: shift, points1: shift + 2.0, ..ComparisonConfig::default() };
            let mut shifted = Comparison::new(config).unwrap();
            (0..200).for_each(|number| shifted.observe(mean + shift + if number % 2 == 0 { 8.0 } else { -8.0 }));
            assert_eq!(shifted.conclusion(), spread(200, mean, 8.0).conclusion());
        }
    }
}

#[test]
fn invalid_configs_are_rejected() {
    let error = |points0, points1, alpha, beta| {
        Comparison::new(ComparisonConfig { points0, points1, alpha, beta }).unwrap_err().to_string()
    };
    let points = |got: &str| format!("expected points1 above points0, and both between -130 and 130, got {got}");
    assert_eq!(error(0.0, 0.0, 0.05, 0.05), points("points0 0 and points1 0"));
    assert_eq!(error(0.0, f64::NAN, 0.05, 0.05), points("points0 0 and points1 NaN"));
    assert_eq!(error(0.0, 1000.0, 0.05, 0.05), points("points0 0 and points1 1000"));
    assert_eq!(error(0.0, 2.0, 0.5, 0.05), "expected alpha between 0 and 0.5, got 0.5");
    assert_eq!(error(0.0, 2.0, 0.05, 0.0), "expected beta between 0 and 0.5, got 0");
}

fn say(comparison: &Comparison) -> String {
    let count = |count, seats| TimeOutCount { count, seats };
    let time_outs = TimeOuts { old: count(0, 12), new: count(2, 4) };
    sentence(comparison, 4 * comparison.blocks(), time_outs)
}

/// Returns the number of games that an undecided comparison still takes, and the number that the sentence says.
fn games_to_go(comparison: &Comparison) -> (usize, usize) {
    let Conclusion::Undecided { more_blocks } = comparison.conclusion() else { panic!("it is decided") };
    let text = say(comparison);
    let (_, rest) = text.split_once(", about ").expect("an undecided comparison says how long it takes");
    (4 * more_blocks, rest.split_once(" more games").expect("it counts games").0.parse().unwrap())
}

#[test]
fn sentences() {
    let better = spread(384, 6.0, 20.0);
    assert_eq!(
        say(&better),
        "Better: +6.0 points (95 % 3.3 to 8.7) in 384 blocks, 1536 games; LLR 9.39 (-3.22 to 3.22); time-outs 0 of 12 → 2 of 4"
    );
    assert!(say(&spread(384, -6.0, 20.0)).starts_with("Worse: -6.0 points (95 % -8.7 to -3.3)"));
    assert!(say(&comparison([0.0; 200])).starts_with("Not better: +0.0 points"));
    let open = spread(100, 1.0, 10.0);
    let (_, more) = games_to_go(&open);
    assert!(say(&open).starts_with("Undecided: +1.0 points (95 % -"), "{}", say(&open));
    assert!(say(&open).contains(&format!("LLR 0.00 (-3.22 to 3.22), about {more} more games; ")));
    let mut shifted = Comparison::new(ComparisonConfig { points0: -2.0, points1: 0.0, alpha: 0.01, beta: 0.025 }).unwrap();
    (0..200).for_each(|_| shifted.observe(0.0));
    let text = say(&shifted);
    assert!(text.starts_with("Not worse: +0.0 points (97.5 % ") && text.contains("(-3.91 to 4.83)"), "{text}");
}

#[test]
fn numbers_are_rounded_sensibly() {
    for deviation in [3.0, 10.0, 30.0, 100.0, 300.0] {
        let (exact, said) = games_to_go(&spread(100, 1.0, deviation));
        let unit = 10_usize.pow(exact.ilog10().saturating_sub(1));
        assert!(said % unit == 0 && (exact..exact + unit).contains(&said), "{exact} is said to be {said}");
    }
    // There is no negative zero.
    assert!(say(&spread(200, -0.04, 3.0)).contains(": +0.0 points ("));
}
