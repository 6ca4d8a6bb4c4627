//! The ratings of the published table: a fit to all games at once, so their order does not matter.
//!
//! **The model** is that of Plackett and Luce: each bot has a strength, and among the bots not yet placed, each comes next with a
//! probability proportional to its strength. Bot `a` then ends above bot `b` with probability `a / (a + b)`, whichever others play, so
//! differences of ratings mean the same as Elo's: 400 points are ten to one.
//!
//! **Ties.** All orders of tied bots count equally: the log-likelihood is their mean. Between two bots this is half a win for each, as
//! in chess and in the online update of Weng and Lin (JMLR 12, 2011), and ratings still predict the share of games in which a bot is
//! stronger, with ties as half. The Davidson-Luce model (Turner, van Etten, Firth and Kosmidis, "Modelling rankings in R",
//! Computational Statistics 35, 2020) also models the frequency of ties, but loses this meaning and needs a parameter per size of tie.
//!
//! **A bot that meets itself** has several seats with one strength. The order among those seats carries no information; their order
//! relative to others does.
//!
//! **The prior**: each bot has won and lost a few virtual games against a bot of average strength, as in the same paper. It keeps the
//! ratings of bots that always win, and of bots that never met, finite.
//!
//! **The centre**, 1500, is the rating whose expected score against a random bot of the field is one half. It moves less than the mean
//! when a very weak bot enters.
//!
//! **The method** is Newton's with step halving. The log-likelihood is concave and depends on the games only through counts of choice
//! sets. The counts are summed once, and a bootstrap only reweights them.

use std::collections::HashMap;

/// The rating at the centre of the field, in Elo points.
pub const MEAN_RATING: f64 = 1500.0;

/// Elo points per factor `e` of strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The fraction of a pivot below which it counts as zero.
const PIVOT_TOLERANCE: f64 = 1e-11;

/// The place of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The index of its bot, counted from 0.
    pub bot: usize,
    /// Its place. Smaller is better, equal places are ties, and only the order counts.
    pub place: u8,
}

/// The ranking of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// The index of its block, counted from 0. The games of a block share a weight.
    pub block: usize,
    /// The seats in any order. The work doubles with every further seat in a tie.
    pub seats: Vec<Placement>,
}

/// A bot's virtual games against a bot of average strength.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VirtualGames {
    /// Games won.
    pub won: f64,
    /// Games lost.
    pub lost: f64,
}

/// The weights in a fit.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// The weight of each block.
    pub blocks: Vec<f64>,
    /// The prior of each bot.
    pub prior: Vec<VirtualGames>,
}

/// Returns the ratings of bots 0 to `bots - 1` in Elo points.
///
/// `prior` is the number of virtual games of each bot, half of them won. A bot without games gets [`MEAN_RATING`]. Without a prior, the
/// ratings of bots that always win or lose are large and meaningless.
///
/// ```
/// use pacman2_tournament::fit::{Placement, Ranking, fit};
///
/// let won = |bot: usize, other: usize| Ranking {
///     block: 0,
///     seats: vec![Placement { bot, place: 1 }, Placement { bot: other, place: 2 }],
/// };
/// let mut games = vec![won(0, 1); 10];
/// games.push(won(1, 0));
/// let ratings = fit(2, &games, 0.0);
/// assert!((ratings[0] - ratings[1] - 400.0).abs() < 1e-3, "ten wins to one are 400 points");
/// ```
#[must_use]
pub fn fit(bots: usize, rankings: &[Ranking], prior: f64) -> Vec<f64> {
    let evidence = Evidence::new(bots, rankings);
    evidence.fit(&evidence.equal_weights(prior), &vec![MEAN_RATING; bots], 0.001)
}

/// The sufficient statistics of rankings, by block.
///
/// The log-likelihood is the sum of the log-strengths times *credits*, minus the logarithms of the total strengths of *choices*, the
/// sets from which a next bot was chosen.
#[derive(Clone, Debug)]
pub struct Evidence {
    bots: usize,
    has_played: Vec<bool>,
    /// The offsets of the members of each choice, and the end of the last one.
    starts: Vec<usize>,
    members: Vec<Member>,
    blocks: Vec<BlockEvidence>,
}

/// A member of a choice.
#[derive(Clone, Copy, Debug)]
struct Member {
    bot: usize,
    /// The number of its seats.
    seats: f64,
}

/// The statistics of a block.
#[derive(Clone, Default, Debug)]
struct BlockEvidence {
    /// Bots and their credits.
    credits: Vec<(usize, f64)>,
    /// Choices by index, and how often they were made.
    choices: Vec<(usize, f64)>,
}

impl Evidence {
    /// Collects the statistics of rankings of bots 0 to `bots - 1`.
    #[must_use]
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

    /// Returns weight 1 for every block, and `prior` virtual games for each bot, half of them won.
    #[must_use]
    pub fn equal_weights(&self, prior: f64) -> Weights {
        let half = VirtualGames { won: prior / 2.0, lost: prior / 2.0 };
        Weights { blocks: vec![1.0; self.blocks.len()], prior: vec![half; self.bots] }
    }

    /// Returns the ratings in Elo points, starting the search from `start`.
    ///
    /// It stops after a step that moves no rating by more than `last_step` Elo points. The remaining error is of the order of the square
    /// of that step in units of 174 points.
    #[must_use]
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
            // The next bot was chosen from some subset of the tied ones, and all bots below.
            for left in 1..1_usize << tied.len() {
                let picked = (0..tied.len()).filter(|place| left >> place & 1 == 1).map(|place| &tied[place]);
                let mut choice: Vec<usize> = picked.chain(below).map(|seat| seat.bot).collect();
                choice.sort_unstable();
                let share = 1.0 / binomial(tied.len(), left.count_ones() as usize);
                self.add_choice(ranking.block, choice, share, numbers);
            }
            rest = below;
        }
    }

    /// Adds a choice, given as the sorted bots of its seats.
    fn add_choice(&mut self, block: usize, choice: Vec<usize>, share: f64, numbers: &mut HashMap<Vec<usize>, usize>) {
        if choice.first() == choice.last() {
            // The total strength of one bot's seats is a multiple of its strength: one credit less.
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

    /// Shifts the log-strengths so that the centre is 0, and puts bots without games there.
    fn centre(&self, logs: &mut [f64]) {
        let played: Vec<f64> = logs.iter().zip(&self.has_played).filter(|(_, played)| **played).map(|(&log, _)| log).collect();
        let mut low = played.iter().copied().fold(f64::INFINITY, f64::min);
        let mut high = played.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Bisection, beyond the precision of any table.
        while high - low > 1e-9 {
            let middle = (low + high) / 2.0;
            let score: f64 = played.iter().map(|log| win_probability(log - middle) - 0.5).sum();
            *(if score > 0.0 { &mut low } else { &mut high }) = middle;
        }
        for (log, &has_played) in logs.iter_mut().zip(&self.has_played) {
            *log = if has_played { *log - (low + high) / 2.0 } else { 0.0 };
        }
    }
}

/// Weighted statistics.
struct Counts<'a> {
    evidence: &'a Evidence,
    prior: &'a [VirtualGames],
    credits: Vec<f64>,
    choices: Vec<f64>,
}

/// The log-likelihood at a point with its derivatives.
struct Derivatives {
    height: f64,
    gradient: Vec<f64>,
    /// The negative Hessian, row by row; only the upper triangle.
    curvature: Vec<f64>,
}

impl Counts<'_> {
    /// Returns the log-strengths of maximum likelihood.
    fn climb(&self, start: Vec<f64>, last_step: f64) -> Vec<f64> {
        let mut here = start;
        let mut at = self.derivatives(&here);
        for _ in 0..50 {
            let mut step = std::mem::take(&mut at.gradient);
            solve(&mut at.curvature, &mut step);
            let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
            if longest <= last_step {
                return moved(&here, &step, 1.0);
            }
            let lowest = at.height - 1e-12 * at.height.abs();
            // No step changes a strength more than twentyfold: farther out the second derivatives are useless.
            let mut share = (3.0 / longest).min(1.0);
            let mut next = moved(&here, &step, share);
            at = self.derivatives(&next);
            while at.height < lowest && share > 1e-6 {
                share /= 2.0;
                next = moved(&here, &step, share);
                at = self.derivatives(&next);
            }
            here = next;
        }
        here
    }

    fn derivatives(&self, logs: &[f64]) -> Derivatives {
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
            let wins = win_probability(log);
            height += prior.won * wins.ln() + prior.lost * win_probability(-log).ln();
            gradient[bot] += prior.won * win_probability(-log) - prior.lost * wins;
            curvature[bot * bots + bot] += (prior.won + prior.lost) * wins * win_probability(-log);
        }
        Derivatives { height, gradient, curvature }
    }
}

/// Returns the probability of ending above a bot of average strength.
fn win_probability(log: f64) -> f64 {
    1.0 / (1.0 + (-log).exp())
}

fn moved(from: &[f64], step: &[f64], share: f64) -> Vec<f64> {
    from.iter().zip(step).map(|(from, step)| from + share * step).collect()
}

/// Solves `matrix * x = right` in place for a positive semidefinite matrix, of which only the upper triangle is read. Unknowns that are
/// not determined, such as the mean of all strengths without a prior, become 0.
fn solve(matrix: &mut [f64], right: &mut [f64]) {
    let size = right.len();
    let least: Vec<f64> = (0..size).map(|row| PIVOT_TOLERANCE * matrix[row * size + row]).collect();
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

/// Returns the binomial coefficient.
fn binomial(all: usize, picked: usize) -> f64 {
    (0..picked).map(|step| (all - step) as f64 / (step + 1) as f64).product()
}

/// Adds up the amounts of equal indices and sorts by index.
fn merge(amounts: &mut Vec<(usize, f64)>) {
    amounts.sort_by_key(|&(number, _)| number);
    amounts.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0.0 };
        is_same
    });
    amounts.retain(|&(_, amount)| amount != 0.0);
}
