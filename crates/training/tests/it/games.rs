//! Self-play games, records and duels.

use std::cell::Cell;
use std::sync::Arc;

use pacman2_bots::style::STYLES;
use pacman2_rules::{Action, BySeat};
use pacman2_training::{
    DuelBlock, DuelEstimate, Fit, GameRecord, GroupPlayers, League, LeaguePlayer, OpponentGroup, OpponentKind, OpponentShares,
    Opponents, RecordError, SelfPlay, SharesError, Standing, Standings,
};

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
        let of_result = record.samples(0.0).unwrap();
        let total: i64 = record.scores().unwrap().0.iter().sum();
        let first = record.scores().unwrap().0[0] as f32 / total as f32;
        assert!((of_result[0].target[0] - first).abs() < 1e-5, "the result alone");
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
        expected.extend(STYLES.iter().filter(|style| !style.searches()).map(LeaguePlayer::Style));
        assert!(expected.iter().all(|player| seen.contains(player)), "{nets} nets: {expected:?}");
        assert!(seen.iter().all(|player| expected.contains(player)), "{nets} nets: {expected:?}");
        assert!((600..1300).contains(&firsts), "opponents have the first seat in {firsts} of 2,000 games");
    }
}

/// Returns how often each player is an opponent in 2,000 games.
fn opponents_of(league: &League) -> impl Fn(LeaguePlayer) -> usize + use<> {
    let play = SelfPlay { league, simulations: 1, seed: 5 };
    let players: Vec<LeaguePlayer> = (0..2000).flat_map(|map| play.seating(map).0).collect();
    move |player| players.iter().filter(|&&other| other == player).count()
}

#[test]
fn given_nets_take_part() {
    let net = |seed| Arc::new(Fit::first_net(seed));
    let started = League::new(Vec::new()).with_start(net(7)).with_frozen(net(8));
    assert_eq!(started.newest(), LeaguePlayer::Net(0));
    assert!(started.has(LeaguePlayer::Net(0)) && started.has(LeaguePlayer::Frozen) && !started.has(LeaguePlayer::Net(1)));
    assert!(started.plays_alike(LeaguePlayer::Hunter, LeaguePlayer::Hunter));
    assert!(!started.plays_alike(LeaguePlayer::Net(0), LeaguePlayer::Frozen));
    assert!(started.clone().with_frozen(net(7)).plays_alike(LeaguePlayer::Net(0), LeaguePlayer::Frozen));
    assert_eq!(opponents_of(&started)(LeaguePlayer::Frozen), 0, "not by default");

    let exploiter = started.clone().with_opponents(started.opponents(&OpponentShares::EXPLOITER, None));
    let count = opponents_of(&exploiter);
    assert_eq!(count(LeaguePlayer::Net(0)) + count(LeaguePlayer::Frozen), 8000);
    assert!((4300..4700).contains(&count(LeaguePlayer::Frozen)), "{}", count(LeaguePlayer::Frozen));
    assert!(exploiter.special_opponents().is_some() && started.special_opponents().is_none());

    let later = League::new(vec![net(1), net(2)]).with_start(net(7));
    let shares: OpponentShares = "past=1".parse().unwrap();
    let count = opponents_of(&later.clone().with_opponents(later.opponents(&shares, None)));
    assert_eq!(count(LeaguePlayer::Net(2)), 2000);
    assert!([0, 1].map(LeaguePlayer::Net).into_iter().all(|past| (2800..3200).contains(&count(past))));
}

#[test]
fn who_scores_more_than_the_newest_net_comes_more_often() {
    let league = league(3);
    let record = played(&league, MAP);
    let scores = record.scores().unwrap();
    let mut standings = Standings::default();
    standings.add(&record, LeaguePlayer::Net(3)).unwrap();
    for player in record.players.0.into_iter().filter(|&player| player != LeaguePlayer::Net(3)) {
        let seats = |player| record.players.0.iter().zip(scores.0).filter(move |&(&other, _)| other == player);
        let pairs = || seats(player).flat_map(|(_, score)| seats(LeaguePlayer::Net(3)).map(move |(_, newest)| (score, newest)));
        let doubled_wins = pairs().map(|(score, newest)| 1 + (score - newest).signum()).sum::<i64>() as u64;
        assert_eq!(standings.standing(player), Standing { doubled_wins, comparisons: pairs().count() as u64 });
    }
    assert_eq!(standings.standing(LeaguePlayer::Net(3)), Standing::default());
    let other = GameRecord { end: record.end ^ 1, ..record.clone() };
    assert_eq!(standings.add(&other, LeaguePlayer::Net(3)), Err(RecordError::End));

    // Half of nothing; half of 4 and all of 4; a fifth of 40 and half of 4.
    let thousandths = |doubled_wins, comparisons| Standing { doubled_wins, comparisons }.thousandths();
    assert_eq!([thousandths(0, 0), thousandths(8, 4), thousandths(16, 40)], [500, 750, 227]);

    // Games that net 1 won and net 2 lost, as if each had played them with the newest.
    let mut known = Standings::default();
    let mut won = record;
    let best = (0..4).max_by_key(|&seat| scores.0[seat]).unwrap();
    let worst = (0..4).min_by_key(|&seat| scores.0[seat]).unwrap();
    won.players = BySeat([LeaguePlayer::Net(3); 4]);
    (won.players.0[best], won.players.0[worst]) = (LeaguePlayer::Net(1), LeaguePlayer::Net(2));
    known.add(&won, LeaguePlayer::Net(3)).unwrap();
    let comparisons = |standings: &Standings| standings.standing(LeaguePlayer::Net(1)).comparisons;
    let before = comparisons(&standings);
    standings.add_all(&known);
    assert_eq!(comparisons(&standings), before + 2);
    let shares: OpponentShares = "past=1".parse().unwrap();
    let count = opponents_of(&league.clone().with_opponents(league.opponents(&shares, Some(&known))));
    let (more, less) = (count(LeaguePlayer::Net(1)), count(LeaguePlayer::Net(2)));
    assert!(more > 3 * less && less > 0, "{more} and {less}");
}

#[test]
fn shares_of_opponents() {
    let read = |text: &str| text.parse::<OpponentShares>();
    let default = OpponentShares::default().to_string();
    assert_eq!(default, "newest=28,past=10,hand-made=6,hunter=10,greedy=4,strong-styles=20,styles=22");
    assert_eq!(read(&default), Ok(OpponentShares::default()));
    assert_eq!(read("frozen=75,newest=25,greedy=0"), Ok(OpponentShares::EXPLOITER));
    for text in ["", "newest", "sage=3", "newest=1,", "newest =1"] {
        assert!(matches!(read(text), Err(SharesError::Kind { .. })), "{text}");
    }
    for share in ["", "-1", "1001", "x"] {
        assert_eq!(read(&format!("past={share}")), Err(SharesError::Share("past", share.to_owned())));
    }
    assert_eq!(read("past=1,past=1"), Err(SharesError::Twice("past")));
    assert_eq!(read("past=0"), Err(SharesError::Nothing));
    assert!(OpponentKind::ALL.into_iter().all(|kind| read(&format!("{}=5", kind.name())).unwrap().of(kind) == 5));

    let table = |share, players| Opponents::new(vec![OpponentGroup { share, players }]);
    assert!(table(1, GroupPlayers::One(LeaguePlayer::Hunter)).is_some());
    assert!(table(0, GroupPlayers::One(LeaguePlayer::Hunter)).is_none());
    assert!(table(1, GroupPlayers::Drawn(Vec::new())).is_none());
    assert!(table(1, GroupPlayers::Drawn(vec![(LeaguePlayer::Hunter, u32::MAX), (LeaguePlayer::Greedy, 1)])).is_none());
}

#[test]
fn styles_that_search_are_drawn_by_themselves() {
    let league = league(0);
    for (text, searches) in [("styles=1", false), ("searchers=1", true)] {
        let shares = text.parse().unwrap();
        let count = opponents_of(&league.clone().with_opponents(league.opponents(&shares, None)));
        for style in &STYLES {
            assert_eq!(count(LeaguePlayer::Style(style)) > 0, style.searches() == searches, "{text}, {}", style.name);
        }
    }
}

#[test]
fn player_names_round_trip() {
    let unstyled = [
        LeaguePlayer::Net(0),
        LeaguePlayer::Net(12),
        LeaguePlayer::Frozen,
        LeaguePlayer::HandMade,
        LeaguePlayer::Hunter,
        LeaguePlayer::Greedy,
    ];
    for player in unstyled.into_iter().chain(STYLES.iter().map(LeaguePlayer::Style)) {
        assert_eq!(player.to_string().parse(), Ok(player));
    }
    for name in ["", "net", "net x", "net -1", "frozen", "sage", "Hunter", "style", "style x"] {
        assert!(name.parse::<LeaguePlayer>().is_err(), "{name}");
    }
}

#[test]
fn the_better_player_wins_a_duel_and_a_player_ties_with_itself() {
    let league = league(0);
    let blocks: Vec<DuelBlock> = (0..4)
        .map(|map| DuelBlock::play(&league, [LeaguePlayer::Hunter, LeaguePlayer::Greedy], 1, map, || true).unwrap().unwrap())
        .collect();
    assert!(DuelEstimate::from_blocks(&blocks).mean > 5.0, "{blocks:?}");
    let swapped: Vec<DuelBlock> = (0..4)
        .map(|map| DuelBlock::play(&league, [LeaguePlayer::Greedy, LeaguePlayer::Hunter], 1, map, || true).unwrap().unwrap())
        .collect();
    assert_eq!(DuelEstimate::from_blocks(&swapped).mean, -DuelEstimate::from_blocks(&blocks).mean);
    let itself = DuelBlock::play(&league, [LeaguePlayer::Greedy, LeaguePlayer::Greedy], 1, 7, || true).unwrap().unwrap();
    assert_eq!(DuelEstimate::from_blocks(&[itself]).mean, 0.0);
}

#[test]
fn an_estimate_has_a_student_interval() {
    // Differences of 1, 2, 3, 4 and 5 points: mean 3, standard error √0.5, t quantile 2.776.
    let blocks: Vec<DuelBlock> = (1..=5).map(|points| DuelBlock { map: 0, doubled: [200 * points; 4] }).collect();
    let estimate = DuelEstimate::from_blocks(&blocks);
    assert_eq!(estimate.mean, 3.0);
    let margin = estimate.margin.unwrap();
    assert!((margin / (2.776 * 0.5_f64.sqrt()) - 1.0).abs() < 0.02, "{margin}");
    assert_eq!(DuelEstimate::from_blocks(&blocks[..4]).margin, None);
}
