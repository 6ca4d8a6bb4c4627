//! The rating of the published table: a fit to all games at once, so that their order does not matter.
//!
//! **The model** is Plackett and Luce's: a bot has a strength, and of those who are still to be placed each comes next with a
//! probability in proportion to its strength. Whoever else is at the table, bot `a` then ends above bot `b` with probability
//! `a / (a + b)`, so differences of ratings read as Elo's do: 400 points are ten to one.
//!
//! **Ties.** Of bots that share a place every order counts alike: the log likelihood is the mean over those orders. Between two
//! bots that is half a win for each, as in chess and in Weng and Lin's online rule (JMLR 12, 2011), and a rating goes on to
//! foretell the share of games in which a bot is stronger, ties half. The way of Davidson and Luce (Turner, van Etten, Firth and
//! Kosmidis, "Modelling rankings in R", Computational Statistics 35, 2020) models how often ties happen, at the cost of that
//! meaning and of a parameter for each size of tie.
//!
//! **A bot that meets itself** is on several seats with one strength. What happens between those seats does not depend on it
//! and so says nothing; what happens between them and others counts.
//!
//! **The prior**: each bot won and lost a little against a virtual bot in the middle, as in the same paper. So bots that always
//! win, and bots that never met, have finite ratings.
//!
//! **The middle**, 1500, is where a bot would be above as many of the field as below: its expected score against a bot drawn
//! from those that played is one half. It moves less than the mean does when a very weak bot enters.
//!
//! **The method** is Newton's with halved steps. The log likelihood is concave, and most games share what it needs to know of
//! them: how often each set of bots was to be chosen from. Those counts are summed once, and a bootstrap only weights them.

use std::collections::HashMap;

/// The rating in the middle, in Elo points.
pub const MEAN_RATING: f64 = 1500.0;

/// Elo points for a strength that is `e` times as large.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Of a column's first size, what is left of it when all of it was known from other columns.
const VANISHED: f64 = 1e-11;

/// A seat's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The number of its bot, counted from 0.
    pub bot: usize,
    /// Its place; smaller is better, equal is a tie, and only the order counts.
    pub place: u8,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// The number of its block, counted from 0. Games of a block are weighted together.
    pub block: usize,
    /// Who was there, in any order. Ties of many seats take long: their number doubles the work with each.
    pub seats: Vec<Placement>,
}

/// What a bot played against a virtual bot in the middle, in games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VirtualGames {
    /// Won by the bot.
    pub won: f64,
    /// Lost by it.
    pub lost: f64,
}

/// What counts how much in a fit.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// For each block, how often its games count.
    pub blocks: Vec<f64>,
    /// For each bot, its prior.
    pub prior: Vec<VirtualGames>,
}

/// The ratings of bots 0 to `bots - 1` in Elo points. `prior` is the number of virtual games of each bot, half of them won. A
/// bot without games is in the middle. Without a prior the ratings of bots that always win or lose are large and mean nothing.
pub fn fit(bots: usize, rankings: &[Ranking], prior: f64) -> Vec<f64> {
    let evidence = Evidence::new(bots, rankings);
    evidence.fit(&evidence.equal_weights(prior), &vec![MEAN_RATING; bots], 0.001)
}

/// What rankings say about strengths, ready to be weighted block by block.
///
/// The log likelihood is a sum of the logarithms of strengths, each as often as its bot has a *credit*, less the logarithms of
/// the sums of strengths of *choices*, the sets that somebody was chosen from.
#[derive(Clone, Debug)]
pub struct Evidence {
    bots: usize,
    has_played: Vec<bool>,
    /// Where the members of each choice begin, and where the last one's end.
    starts: Vec<usize>,
    members: Vec<Member>,
    blocks: Vec<BlockEvidence>,
}

/// A bot among those to be chosen from.
#[derive(Clone, Copy, Debug)]
struct Member {
    bot: usize,
    /// How many seats it has.
    seats: f64,
}

/// What a block says.
#[derive(Clone, Default, Debug)]
struct BlockEvidence {
    /// Bots and their credits.
    credits: Vec<(usize, f64)>,
    /// Choices, by number, and how often they were made.
    choices: Vec<(usize, f64)>,
}

impl Evidence {
    /// What these rankings of bots 0 to `bots - 1` say.
    pub fn new(bots: usize, rankings: &[Ranking]) -> Evidence {
        let blocks = rankings.iter().map(|ranking| ranking.block + 1).max().unwrap_or(0);
        let mut evidence = Evidence {
            bots,
            has_played: vec![false; bots],
            starts: vec![0],
            members: Vec::new(),
            blocks: vec![BlockEvidence::default(); blocks],
        };
        let mut numbers = HashMap::new();
        for ranking in rankings {
            evidence.add(ranking, &mut numbers);
        }
        for block in &mut evidence.blocks {
            merge(&mut block.credits);
            merge(&mut block.choices);
        }
        evidence
    }

    /// Every block once, and `prior` virtual games for each bot, half of them won.
    pub fn equal_weights(&self, prior: f64) -> Weights {
        let half = VirtualGames { won: prior / 2.0, lost: prior / 2.0 };
        Weights { blocks: vec![1.0; self.blocks.len()], prior: vec![half; self.bots] }
    }

    /// The ratings in Elo points, looked for from the ratings `start`. The last step moves no rating by more than `last_step`
    /// Elo points; what is left to go after it is of the order of its square in units of 174 points.
    pub fn fit(&self, weights: &Weights, start: &[f64], last_step: f64) -> Vec<f64> {
        let counts = self.count(weights);
        let start = start.iter().map(|rating| (rating - MEAN_RATING) / ELO).collect();
        let mut logs = counts.climb(start, last_step / ELO);
        self.centre(&mut logs);
        logs.iter().map(|log| MEAN_RATING + ELO * log).collect()
    }

    fn add(&mut self, ranking: &Ranking, numbers: &mut HashMap<Vec<usize>, usize>) {
        let mut seats = ranking.seats.clone();
        seats.sort_unstable_by_key(|seat| (seat.place, seat.bot));
        for seat in &seats {
            self.has_played[seat.bot] = true;
            self.blocks[ranking.block].credits.push((seat.bot, 1.0));
        }
        let mut rest = &seats[..];
        while let Some(best) = rest.first() {
            let (tied, below) = rest.split_at(rest.partition_point(|seat| seat.place == best.place));
            // Somebody was chosen from the tied that were left, whichever they were, and all below.
            for left in 1..1_usize << tied.len() {
                let picked = (0..tied.len()).filter(|place| left >> place & 1 == 1).map(|place| &tied[place]);
                let mut choice: Vec<usize> = picked.chain(below).map(|seat| seat.bot).collect();
                choice.sort_unstable();
                let share = 1.0 / ways(tied.len(), left.count_ones() as usize);
                self.add_choice(ranking.block, choice, share, numbers);
            }
            rest = below;
        }
    }

    /// `choice` has a bot for each seat, in order.
    fn add_choice(&mut self, block: usize, choice: Vec<usize>, share: f64, numbers: &mut HashMap<Vec<usize>, usize>) {
        if choice.first() == choice.last() {
            // The sum of one bot's strengths is a multiple of its strength: one credit less.
            self.blocks[block].credits.push((choice[0], -share));
            return;
        }
        let number = match numbers.get(&choice) {
            Some(&number) => number,
            None => {
                let members = choice.chunk_by(|one, next| one == next);
                self.members.extend(members.map(|seats| Member { bot: seats[0], seats: seats.len() as f64 }));
                self.starts.push(self.members.len());
                numbers.insert(choice, self.starts.len() - 2);
                self.starts.len() - 2
            }
        };
        self.blocks[block].choices.push((number, share));
    }

    fn count<'a>(&'a self, weights: &'a Weights) -> Counts<'a> {
        let mut credits = vec![0.0; self.bots];
        let mut choices = vec![0.0; self.starts.len() - 1];
        for (block, &weight) in self.blocks.iter().zip(&weights.blocks) {
            for &(bot, credit) in &block.credits {
                credits[bot] += weight * credit;
            }
            for &(choice, times) in &block.choices {
                choices[choice] += weight * times;
            }
        }
        Counts { evidence: self, prior: &weights.prior, credits, choices }
    }

    /// Moves the strengths of those that played so that the middle is at 0, and those of others there.
    fn centre(&self, logs: &mut [f64]) {
        let played: Vec<f64> = logs.iter().zip(&self.has_played).filter(|(_, played)| **played).map(|(&log, _)| log).collect();
        let mut low = played.iter().copied().fold(f64::INFINITY, f64::min);
        let mut high = played.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Halved until what is left is less than any table shows.
        while high - low > 1e-9 {
            let middle = (low + high) / 2.0;
            let score: f64 = played.iter().map(|log| chance(log - middle) - 0.5).sum();
            *(if score > 0.0 { &mut low } else { &mut high }) = middle;
        }
        for (log, &has_played) in logs.iter_mut().zip(&self.has_played) {
            *log = if has_played { *log - (low + high) / 2.0 } else { 0.0 };
        }
    }
}

/// Evidence, weighted.
struct Counts<'a> {
    evidence: &'a Evidence,
    prior: &'a [VirtualGames],
    credits: Vec<f64>,
    choices: Vec<f64>,
}

/// The log likelihood at a point, and how it goes on from there.
struct Slope {
    height: f64,
    gradient: Vec<f64>,
    /// The negative second derivatives, row by row; only what is on the diagonal or right of it.
    curvature: Vec<f64>,
}

impl Counts<'_> {
    /// The logarithms of the strengths with the greatest likelihood.
    fn climb(&self, start: Vec<f64>, last_step: f64) -> Vec<f64> {
        let mut here = start;
        let mut slope = self.slope(&here);
        for _ in 0..50 {
            let mut step = std::mem::take(&mut slope.gradient);
            solve(&mut slope.curvature, &mut step);
            let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
            if longest <= last_step {
                return moved(&here, &step, 1.0);
            }
            let lowest = slope.height - 1e-12 * slope.height.abs();
            // No part of a step grows a strength more than twentyfold: that far the second derivatives tell nothing.
            let mut share = (3.0 / longest).min(1.0);
            let mut next = moved(&here, &step, share);
            slope = self.slope(&next);
            while slope.height < lowest && share > 1e-6 {
                share /= 2.0;
                next = moved(&here, &step, share);
                slope = self.slope(&next);
            }
            here = next;
        }
        here
    }

    fn slope(&self, logs: &[f64]) -> Slope {
        let bots = logs.len();
        let strengths: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        let mut height = self.credits.iter().zip(logs).map(|(credit, log)| credit * log).sum();
        let mut gradient = self.credits.clone();
        let mut curvature = vec![0.0; bots * bots];
        for (range, &times) in self.evidence.starts.windows(2).zip(&self.choices) {
            let members = &self.evidence.members[range[0]..range[1]];
            let sum: f64 = members.iter().map(|member| member.seats * strengths[member.bot]).sum();
            height -= times * sum.ln();
            for (place, one) in members.iter().enumerate() {
                let share = one.seats * strengths[one.bot] / sum;
                gradient[one.bot] -= times * share;
                let row = &mut curvature[one.bot * bots..][..bots];
                row[one.bot] += times * share;
                for other in &members[place..] {
                    row[other.bot] -= times * share * (other.seats * strengths[other.bot] / sum);
                }
            }
        }
        for (bot, (&log, prior)) in logs.iter().zip(self.prior).enumerate() {
            let wins = chance(log);
            height += prior.won * wins.ln() + prior.lost * chance(-log).ln();
            gradient[bot] += prior.won * chance(-log) - prior.lost * wins;
            curvature[bot * bots + bot] += (prior.won + prior.lost) * wins * chance(-log);
        }
        Slope { height, gradient, curvature }
    }
}

/// The chance to be above a bot in the middle.
fn chance(log: f64) -> f64 {
    1.0 / (1.0 + (-log).exp())
}

fn moved(from: &[f64], step: &[f64], share: f64) -> Vec<f64> {
    from.iter().zip(step).map(|(from, step)| from + share * step).collect()
}

/// Solves `matrix * x = right` for a symmetric matrix without negative eigenvalues, of which only the upper half is read, and
/// puts `x` in the place of `right`. An unknown on which nothing depends, as the middle of all strengths without a prior, is 0.
fn solve(matrix: &mut [f64], right: &mut [f64]) {
    let size = right.len();
    let least: Vec<f64> = (0..size).map(|row| VANISHED * matrix[row * size + row]).collect();
    for row in 0..size {
        let (above, below) = matrix.split_at_mut((row + 1) * size);
        let upper = &above[row * size..];
        if upper[row] <= least[row] {
            continue;
        }
        for (lower, target) in below.chunks_exact_mut(size).zip(row + 1..) {
            let factor = upper[target] / upper[row];
            if factor == 0.0 {
                continue;
            }
            for (cell, &above) in lower[target..].iter_mut().zip(&upper[target..]) {
                *cell -= factor * above;
            }
            right[target] -= factor * right[row];
        }
    }
    for row in (0..size).rev() {
        let cells = &matrix[row * size..][..size];
        let known: f64 = (row + 1..size).map(|column| cells[column] * right[column]).sum();
        right[row] = if cells[row] <= least[row] { 0.0 } else { (right[row] - known) / cells[row] };
    }
}

/// How many ways there are to pick `picked` of `all`.
fn ways(all: usize, picked: usize) -> f64 {
    (0..picked).map(|step| (all - step) as f64 / (step + 1) as f64).product()
}

/// Sums what belongs to the same number, in the order of the numbers.
fn merge(amounts: &mut Vec<(usize, f64)>) {
    amounts.sort_by_key(|&(number, _)| number);
    amounts.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0.0 };
        is_same
    });
    amounts.retain(|&(_, amount)| amount != 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One game: bots in the order of their places, `=` between those that share one.
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

    /// The log likelihood as it is defined: all orders of the tied, written out.
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
        let of_prior = |log: &f64| prior / 2.0 * (chance(*log).ln() + chance(-*log).ln());
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

    /// The greatest likelihood by trying: each strength a bit up, a bit down, and ever smaller bits.
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
        // 10 of 11 won: 400 points. The middle is between the two.
        assert_close(&fit(2, &[times(10, "a b"), times(1, "b a")].concat(), 0.0), &[1700.0, 1300.0], 1e-6);
        // A tie is half a win: 2.5 to 7.5.
        let apart = 400.0 * 3_f64.log10();
        let ratings = fit(2, &[times(2, "a b"), times(7, "b a"), times(1, "a =b")].concat(), 0.0);
        assert_close(&ratings, &[1500.0 - apart / 2.0, 1500.0 + apart / 2.0], 1e-6);
        // One bot against two of another that are first and second, second and third, or first and third equally often: as
        // often above as below.
        assert_close(&fit(2, &[game("b b a"), game("a b b"), game("b a b")], 0.0), &[1500.0, 1500.0], 1e-6);
    }

    /// The American League's eastern division of 1987, 13 games a pair: Agresti, "Categorical Data Analysis", 1990. The fitted
    /// logarithms, Baltimore's being 0, are those that R's BradleyTerry2 prints for its data set `baseball`.
    #[test]
    fn the_baseball_teams_of_1987_are_as_published() {
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
    fn it_finds_what_trying_finds() {
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
    fn a_bot_against_itself_says_nothing() {
        let games = [times(3, "a b c d"), times(2, "d b c a"), times(1, "c d b a")].concat();
        let mut more = games.clone();
        more.extend([game("a a a a"), game("b =b b =b"), game("c =c =c c")]);
        assert_close(&fit(4, &games, 1.0), &fit(4, &more, 1.0), 1e-6);
    }

    #[test]
    fn who_always_wins_is_far_above_and_finite() {
        let ratings = fit(4, &times(1000, "a b c d"), 1.0);
        assert!(ratings.is_sorted_by(|one, next| one > &(next + 300.0)) && ratings[0] < 4000.0, "{ratings:?}");
        let lone = fit(4, &times(1, "a b c d"), 1.0);
        assert!(lone.is_sorted_by(|one, next| one > next) && lone[0] - lone[3] < 600.0, "{lone:?}");
        // Without a prior there is no greatest likelihood; the search ends all the same.
        assert!(fit(4, &times(10, "a b c d"), 0.0).iter().all(|rating| rating.is_finite()));
    }

    #[test]
    fn a_bot_without_games_is_in_the_middle() {
        assert_eq!(fit(2, &[], 1.0), [MEAN_RATING; 2]);
        assert_eq!(fit(0, &[], 1.0), [0.0; 0]);
        assert_close(&fit(3, &times(3, "a c"), 1.0)[1..2], &[MEAN_RATING], 0.0);
        assert_eq!(fit(1, &times(3, "a a =a =a"), 1.0), [MEAN_RATING]);
    }

    #[test]
    fn a_weight_counts_as_so_many_games() {
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
}
