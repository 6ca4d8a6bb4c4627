//! Self-play games, records and duels.

use std::cell::Cell;
use std::sync::Arc;

use pacman2_bots::style::STYLES;
use pacman2_rules::{Action, BySeat};
use pacman2_training::{DuelBlock, DuelEstimate, Fit, GameRecord, League, LeaguePlayer, RecordError, SelfPlay};

const MAP: i32 = 1_234_567;

fn league(nets: u32) -> League {
    League::new((0..nets).map(|seed| Arc::new(Fit::first_net(seed))).collect())
}

fn played(league: &League, map: i32) -> GameRecord {
    let play = SelfPlay { league, simulations: 8, seed: 1 };
    play.play(map, || true).expect("Botzone makes a map of every seed").expect("not interrupted")
}

#[test]
fn a_game_depends_only_on_its_map_and_the_options() {
    let league = league(2);
    let record = played(&league, MAP);
    assert_eq!(played(&league, MAP), record);
    assert_ne!(played(&league, MAP + 1).turns, record.turns);
    let other_seed = SelfPlay { league: &league, simulations: 8, seed: 2 }.play(MAP, || true).unwrap().unwrap();
    assert_ne!(other_seed.turns, record.turns);
}

#[test]
fn every_turn_becomes_a_sample() {
    for map in MAP..MAP + 4 {
        let record = played(&league(1), map);
        let samples = record.samples(0.7).unwrap();
        assert_eq!(samples.len(), record.turns.len());
        for sample in &samples {
            assert!((sample.target.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{:?}", sample.target);
            assert!(sample.inputs.seats.as_flattened().iter().all(|input| input.is_finite()), "{:?}", sample.inputs);
        }
        assert!(samples.iter().any(|sample| sample.inputs != samples[0].inputs), "all positions look alike");
    }
}

#[test]
fn a_record_that_describes_no_game_is_rejected() {
    let record = played(&league(0), MAP);
    let mut short = record.clone();
    short.turns.pop();
    assert_eq!(short.samples(0.7), Err(RecordError::Length));
    let mut long = record.clone();
    long.turns.extend_from_within(..1);
    assert_eq!(long.samples(0.7), Err(RecordError::Length));
    let mut other = record.clone();
    other.end ^= 1;
    assert_eq!(other.samples(0.7), Err(RecordError::End));
    let mut still = record.clone();
    still.turns.iter_mut().for_each(|turn| turn.actions = BySeat([Action::Stay; 4]));
    assert!(still.samples(0.7).is_err(), "other actions lead to the same game");
}

#[test]
fn a_game_stops_on_request() {
    let league = league(0);
    let calls = Cell::new(0);
    let goes_on = || {
        calls.set(calls.get() + 1);
        calls.get() < 20
    };
    assert_eq!(SelfPlay { league: &league, simulations: 8, seed: 1 }.play(MAP, goes_on), Ok(None));
    calls.set(0);
    assert_eq!(DuelBlock::play(&league, [LeaguePlayer::HandMade, LeaguePlayer::Greedy], 8, MAP, goes_on), Ok(None));
}

#[test]
fn the_newest_has_at_least_one_seat_and_every_player_takes_part() {
    for nets in 0..4 {
        let league = league(nets);
        let newest = if nets == 0 { LeaguePlayer::HandMade } else { LeaguePlayer::Net(nets) };
        assert_eq!(league.newest(), newest);
        let mut seen: Vec<LeaguePlayer> = Vec::new();
        let mut firsts = 0;
        for map in 0..2000 {
            let players = SelfPlay { league: &league, simulations: 1, seed: 5 }.seating(map);
            assert!(players.0.iter().filter(|&&player| player == newest).count() >= 1, "{players:?}");
            firsts += usize::from(players.0[0] != newest);
            seen.extend(players.0);
        }
        let mut expected = vec![LeaguePlayer::HandMade, LeaguePlayer::Hunter, LeaguePlayer::Greedy];
        expected.extend((1..=nets).map(LeaguePlayer::Net));
        expected.extend(STYLES.iter().map(LeaguePlayer::Style));
        assert!(expected.iter().all(|player| seen.contains(player)), "{nets} nets: {expected:?}");
        assert!(seen.iter().all(|player| expected.contains(player)), "{nets} nets: {expected:?}");
        assert!((600..1300).contains(&firsts), "opponents have the first seat in {firsts} of 2,000 games");
    }
}

#[test]
fn player_names_round_trip() {
    let unstyled =
        [LeaguePlayer::Net(1), LeaguePlayer::Net(12), LeaguePlayer::HandMade, LeaguePlayer::Hunter, LeaguePlayer::Greedy];
    for player in unstyled.into_iter().chain(STYLES.iter().map(LeaguePlayer::Style)) {
        assert_eq!(player.to_string().parse(), Ok(player));
    }
    for name in ["", "net", "net x", "net -1", "sage", "Hunter", "style", "style x"] {
        assert!(name.parse::<LeaguePlayer>().is_err(), "{name}");
    }
}

#[test]
fn the_better_player_wins_a_duel_and_a_player_ties_with_itself() {
    let league = league(0);
    let blocks: Vec<DuelBlock> = (0..4)
        .map(|map| DuelBlock::play(&league, [LeaguePlayer::Hunter, LeaguePlayer::Greedy], 1, map, || true).unwrap().unwrap())
        .collect();
    assert!(DuelEstimate::of(&blocks).mean > 5.0, "{blocks:?}");
    let swapped: Vec<DuelBlock> = (0..4)
        .map(|map| DuelBlock::play(&league, [LeaguePlayer::Greedy, LeaguePlayer::Hunter], 1, map, || true).unwrap().unwrap())
        .collect();
    assert_eq!(DuelEstimate::of(&swapped).mean, -DuelEstimate::of(&blocks).mean);
    let itself = DuelBlock::play(&league, [LeaguePlayer::Greedy, LeaguePlayer::Greedy], 1, 7, || true).unwrap().unwrap();
    assert_eq!(DuelEstimate::of(&[itself]).mean, 0.0);
}

#[test]
fn an_estimate_has_a_student_interval() {
    // Differences of 1, 2, 3, 4 and 5 points: mean 3, standard error √0.5, t quantile 2.776.
    let blocks: Vec<DuelBlock> = (1..=5).map(|points| DuelBlock { map: 0, doubled: [200 * points; 4] }).collect();
    let estimate = DuelEstimate::of(&blocks);
    assert_eq!(estimate.mean, 3.0);
    let margin = estimate.margin.unwrap();
    assert!((margin / (2.776 * 0.5_f64.sqrt()) - 1.0).abs() < 0.02, "{margin}");
    assert_eq!(DuelEstimate::of(&blocks[..1]).margin, None);
}
