//! Ratings of a Plackett–Luce model against their definition.

use pacman2_tournament::fit::*;

/// Elo points per factor `e` of strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Reads a game: bots in the order of their places, with `=` before a bot that ties with the previous one.
fn game(picture: &str) -> Ranking {
    let mut place = 0;
    let mut seats = Vec::new();
    for word in picture.split_whitespace() {
        let (sign, bot) = word.split_at(word.len() - 1);
        place += u8::from(sign != "=");
        seats.push(Placement { bot: usize::from(bot.as_bytes()[0] - b'a'), place });
    }
    Ranking { block: 0, seats }
}

fn times(count: usize, picture: &str) -> Vec<Ranking> {
    vec![game(picture); count]
}

/// Returns the probability of ending above a bot of average strength.
fn win_probability(log: f64) -> f64 {
    1.0 / (1.0 + (-log).exp())
}

/// Computes the log-likelihood by its definition, over all orders of tied bots.
fn plain_likelihood(rankings: &[Ranking], prior: f64, logs: &[f64]) -> f64 {
    let of_order = |order: &[Placement]| -> f64 {
        (0..order.len())
            .map(|first| logs[order[first].bot] - order[first..].iter().map(|seat| logs[seat.bot].exp()).sum::<f64>().ln())
            .sum()
    };
    let of_ranking = |ranking: &Ranking| {
        let orders = orders(&ranking.seats);
        let fitting = orders.iter().filter(|order| order.is_sorted_by_key(|seat| seat.place));
        let all: Vec<f64> = fitting.map(|order| of_order(order)).collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    let of_prior = |log: &f64| prior / 2.0 * (win_probability(*log).ln() + win_probability(-*log).ln());
    rankings.iter().map(of_ranking).sum::<f64>() + logs.iter().map(of_prior).sum::<f64>()
}

fn orders(seats: &[Placement]) -> Vec<Vec<Placement>> {
    if seats.is_empty() {
        return vec![Vec::new()];
    }
    let starting_with = |first: usize| {
        let mut rest = seats.to_vec();
        let head = rest.remove(first);
        orders(&rest).into_iter().map(move |tail| [vec![head], tail].concat())
    };
    (0..seats.len()).flat_map(starting_with).collect()
}

/// Maximises the likelihood by coordinate search with shrinking steps.
fn plain_fit(bots: usize, rankings: &[Ranking], prior: f64) -> Vec<f64> {
    let mut logs = vec![0.0; bots];
    let mut best = plain_likelihood(rankings, prior, &logs);
    let mut bit = 1.0;
    while bit > 1e-7 {
        let mut has_moved = false;
        for bot in 0..bots {
            for change in [bit, -bit] {
                logs[bot] += change;
                let height = plain_likelihood(rankings, prior, &logs);
                if height > best {
                    (best, has_moved) = (height, true);
                } else {
                    logs[bot] -= change;
                }
            }
        }
        bit /= if has_moved { 1.0 } else { 2.0 };
    }
    logs.iter().map(|log| MEAN_RATING + ELO * log).collect()
}

fn assert_close(ours: &[f64], theirs: &[f64], within: f64) {
    let agree = ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(one, other)| (one - other).abs() <= within);
    assert!(agree, "{ours:?} and {theirs:?} differ by more than {within}");
}

#[test]
fn two_bots_differ_by_the_logarithm_of_their_odds() {
    // 10 wins of 11 are 400 points, centred between the two.
    assert_close(&fit(2, &[times(10, "a b"), times(1, "b a")].concat(), 0.0), &[1700.0, 1300.0], 1e-6);
    // A tie is half a win: 2.5 to 7.5.
    let apart = 400.0 * 3_f64.log10();
    let ratings = fit(2, &[times(2, "a b"), times(7, "b a"), times(1, "a =b")].concat(), 0.0);
    assert_close(&ratings, &[1500.0 - apart / 2.0, 1500.0 + apart / 2.0], 1e-6);
    // One bot against two seats of another, equally often below, above and between them.
    assert_close(&fit(2, &[game("b b a"), game("a b b"), game("b a b")], 0.0), &[1500.0, 1500.0], 1e-6);
}

/// The American League's eastern division of 1987, 13 games a pair: Agresti, "Categorical Data Analysis", 1990. The fitted
/// logarithms, Baltimore's being 0, are those that R's BradleyTerry2 prints for its data set `baseball`.
#[test]
fn the_baseball_teams_of_1987_match_published_ratings() {
    let wins = [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ];
    let published = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0];
    let mut games = Vec::new();
    for (one, row) in wins.iter().enumerate() {
        for (other, &count) in row.iter().enumerate() {
            let seats = vec![Placement { bot: one, place: 1 }, Placement { bot: other, place: 2 }];
            games.extend(vec![Ranking { block: 0, seats }; count]);
        }
    }
    let ratings = fit(7, &games, 0.0);
    let logs: Vec<f64> = ratings.iter().map(|rating| (rating - ratings[6]) / ELO).collect();
    assert_close(&logs, &published, 0.00006);
}

#[test]
fn the_fit_equals_a_coordinate_search() {
    let games = [
        times(3, "a b c d"),
        times(2, "b a d c"),
        times(1, "d =c a b"),
        times(2, "a =b =c d"),
        times(1, "e a =b =d"),
        times(1, "d =e =c =a"),
        times(2, "c e a =d"),
        times(1, "e e a b"),
        times(2, "a e =e b"),
        times(1, "b =e b =e"),
    ]
    .concat();
    assert_close(&fit(5, &games, 1.0), &plain_fit(5, &games, 1.0), 0.01);
}

#[test]
fn games_of_a_bot_against_itself_change_nothing() {
    let games = [times(3, "a b c d"), times(2, "d b c a"), times(1, "c d b a")].concat();
    let mut more = games.clone();
    more.extend([game("a a a a"), game("b =b b =b"), game("c =c =c c")]);
    assert_close(&fit(4, &games, 1.0), &fit(4, &more, 1.0), 1e-6);
}

#[test]
fn a_bot_that_always_wins_has_a_finite_rating() {
    let ratings = fit(4, &times(1000, "a b c d"), 1.0);
    assert!(ratings.is_sorted_by(|one, next| one > &(next + 300.0)) && ratings[0] < 4000.0, "{ratings:?}");
    let lone = fit(4, &times(1, "a b c d"), 1.0);
    assert!(lone.is_sorted_by(|one, next| one > next) && lone[0] - lone[3] < 600.0, "{lone:?}");
    // Without a prior there is no maximum, but the search still ends.
    assert!(fit(4, &times(10, "a b c d"), 0.0).iter().all(|rating| rating.is_finite()));
}

#[test]
fn a_bot_without_games_is_at_the_centre() {
    assert_eq!(fit(2, &[], 1.0), [MEAN_RATING; 2]);
    assert_eq!(fit(0, &[], 1.0), [0.0; 0]);
    assert_close(&fit(3, &times(3, "a c"), 1.0)[1..2], &[MEAN_RATING], 0.0);
    assert_eq!(fit(1, &times(3, "a a =a =a"), 1.0), [MEAN_RATING]);
}

#[test]
fn a_weight_counts_as_that_many_games() {
    let mut games = [times(1, "a b c d"), times(1, "d =b c a"), times(1, "c a b =d")].concat();
    for (block, game) in games.iter_mut().enumerate() {
        game.block = block;
    }
    let evidence = Evidence::new(4, &games);
    let mut weights = evidence.equal_weights(1.0);
    weights.blocks = vec![3.0, 0.0, 2.0];
    let weighted = evidence.fit(&weights, &[1400.0, 1500.0, 1600.0, 1700.0], 0.001);
    assert_close(&weighted, &fit(4, &[times(3, "a b c d"), times(2, "c a b =d")].concat(), 1.0), 1e-6);
}
