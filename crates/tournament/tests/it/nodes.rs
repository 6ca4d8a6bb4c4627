//! What the table says of the machines that played.

use pacman2_botzone::response::Verdict;
use pacman2_rules::BySeat;
use pacman2_tournament::nodes::{NodeReport, node_reports};
use pacman2_tournament::{BotId, Fault, GameResult, SeatResult};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::results::result;

/// Returns a game of bots of equal strength. On this node, each runs out of time in this share of its games.
fn game(rng: &mut Xoshiro256PlusPlus, node: &str, late_percent: u64) -> GameResult {
    let strength = BySeat::from_fn(|_| (rng.next_u64() % 1000) as i32);
    let seats = BySeat::from_fn(|seat| {
        let is_late = rng.next_u64() % 100 < late_percent;
        SeatResult {
            bot: BotId(seat.index() as i64),
            hundredths: 0,
            place: 1 + strength.0.iter().filter(|&&other| other > strength[seat]).count() as u8,
            strength: strength[seat],
            fault: is_late.then_some(Fault { kind: Verdict::Tle, turn: 1 }),
            slowest_us: 1000 + seat.index() as u64,
        }
    });
    GameResult { node: Some(node.to_owned()), ..result(1, seats) }
}

fn p_values(reports: &[NodeReport]) -> Vec<f64> {
    reports.iter().map(|report| report.residual.expect("there are enough games").p_value).collect()
}

#[test]
fn one_machine_has_no_residuals() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let games: Vec<GameResult> = (0..50).map(|_| game(&mut rng, "a", 0)).collect();
    assert_eq!(node_reports(&games), []);
}

#[test]
fn machines_that_play_alike_are_rarely_suspected() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let (mut low, mut all) = (0, 0);
    for _ in 0..400 {
        let games: Vec<GameResult> = (0..300).map(|number| game(&mut rng, ["a", "b", "c"][number % 3], 1)).collect();
        let reports = node_reports(&games);
        assert_eq!(reports.iter().map(|report| report.games).collect::<Vec<_>>(), [100; 3]);
        for p in p_values(&reports) {
            all += 1;
            low += usize::from(p < 0.05);
        }
    }
    // The places of a game depend on each other, which makes the test a little too suspicious.
    let share = low as f64 / all as f64;
    assert!((0.03..0.10).contains(&share), "{share}");
}

#[test]
fn a_machine_that_is_too_slow_stands_out() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let nodes = [("quick", 0), ("quick too", 0), ("slow", 10)];
    let games: Vec<GameResult> = (0..900)
        .map(|number| {
            let (node, late_percent) = nodes[number % 3];
            game(&mut rng, node, late_percent)
        })
        .collect();
    let reports = node_reports(&games);
    let [quick, too, slow] = &reports[..] else { panic!("expected three machines, got {reports:?}") };
    assert_eq!((quick.time_outs, too.time_outs, quick.slowest_us), (0, 0, 1003));
    assert!(slow.time_outs > 80, "{slow:?}");
    let p = p_values(&reports);
    assert!(p[2] < 1e-6 && p[0] > p[2] && p[1] > p[2], "{p:?}");
}

/// Numbers from printed tables: 95 % quantiles of the chi-square distribution.
#[test]
fn p_values_are_those_of_tables() {
    // Two nodes with one bot and two outcomes have one degree of freedom: 60 of 100 against 40 of 100 is 8.
    let place = |node: &str, place: u8| {
        let seat = SeatResult { bot: BotId(1), hundredths: 0, place, strength: 0, fault: None, slowest_us: 0 };
        GameResult { node: Some(node.to_owned()), ..result(1, BySeat([seat.clone(), seat.clone(), seat.clone(), seat])) }
    };
    let counts = [("a", 1, 15), ("a", 2, 10), ("b", 1, 10), ("b", 2, 15)];
    let games: Vec<GameResult> = counts
        .iter()
        .flat_map(|&(node, at, count)| (0..count).map(move |_| (node, at)))
        .map(|(node, at)| place(node, at))
        .collect();
    let residual = node_reports(&games)[0].residual.unwrap();
    assert!((residual.chi_square - 8.0).abs() < 1e-9 && residual.degrees == 1, "{residual:?}");
    assert!((residual.p_value - 0.004_677_7).abs() < 1e-6, "{residual:?}");
}
