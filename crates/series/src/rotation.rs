//! `--rotate`: matches on the same map with the bots one seat further each time, and the result of each bot over all seats.
//!
//! The four matches of a map are correlated, so a map is one observation: confidence intervals come from the means of maps, of five or more.

use std::io::{self, Write};

use pacman2_analysis::position::rounded;
use pacman2_console::text::fit_column;
use pacman2_rules::{BySeat, Game, Seat};
use pacman2_tournament::standings::margin;
use serde_json::{Value, json};

/// The number of matches on each map.
pub(crate) const MATCHES: u32 = 4;

/// Returns the bots by their seats in a match, as places in the list that was typed.
pub(crate) fn places(number: u32) -> BySeat<usize> {
    BySeat::from_fn(|seat| (seat.index() + (MATCHES - number % MATCHES) as usize) % 4)
}

/// The results of the bots in a match, in the order in which they were typed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct MatchResult {
    number: u32,
    points: [f64; 4],
    /// Whether no player was stronger in the end.
    is_first: [bool; 4],
}

impl MatchResult {
    /// Returns the results of the match with this number.
    pub(crate) fn from_game(game: &Game, number: u32) -> MatchResult {
        let mut outcome = MatchResult { number, points: [0.0; 4], is_first: [false; 4] };
        let most = game.state().strength.0.into_iter().max();
        for seat in Seat::ALL {
            let bot = places(number)[seat];
            outcome.points[bot] = game.scores()[seat].points();
            outcome.is_first[bot] = Some(game.state().strength[seat]) == most;
        }
        outcome
    }
}

/// A mean over maps, and its standard error, which a single map does not have.
#[derive(Clone, Copy, PartialEq, Debug)]
struct MeanOfMaps {
    mean: f64,
    error: Option<f64>,
}

impl MeanOfMaps {
    fn from_maps(maps: &[f64]) -> MeanOfMaps {
        let count = maps.len() as f64;
        let mean = maps.iter().sum::<f64>() / count.max(1.0);
        let variance = maps.iter().map(|map| (map - mean).powi(2)).sum::<f64>() / (count - 1.0);
        MeanOfMaps { mean, error: (maps.len() > 1).then(|| (variance / count).sqrt()) }
    }

    fn json(self) -> Value {
        json!({ "mean": rounded(self.mean, 6), "standard_error": self.error.map(|error| rounded(error, 6)) })
    }

    /// Returns half the width of its 95 % interval from this many maps, times `scale`.
    fn margin(self, maps: usize, scale: f64, decimals: usize) -> Option<String> {
        Some(format!("{:.decimals$}", scale * margin(self.error?, maps)?))
    }
}

/// The bots of one name, which count as one.
#[derive(Clone, PartialEq, Debug)]
struct Row<'a> {
    name: &'a str,
    /// How many of the four seats it has.
    seats: usize,
    points: MeanOfMaps,
    /// The share of its games, by seat, in which no player was stronger in the end.
    firsts: MeanOfMaps,
    /// The difference to the bot that was typed first.
    more: MeanOfMaps,
}

/// The results of all matches.
pub(crate) struct Summary<'a> {
    rows: Vec<Row<'a>>,
    maps: usize,
}

impl<'a> Summary<'a> {
    /// Summarizes matches in any order. Maps with missing matches do not count.
    pub(crate) fn new(names: &'a [String], outcomes: &[MatchResult]) -> Summary<'a> {
        let mut maps: std::collections::BTreeMap<u32, Vec<MatchResult>> = Default::default();
        outcomes.iter().for_each(|outcome| maps.entry(outcome.number / MATCHES).or_default().push(*outcome));
        let maps: Vec<Vec<MatchResult>> = maps.into_values().filter(|map| map.len() == MATCHES as usize).collect();
        let mut distinct: Vec<&str> = Vec::new();
        for name in names {
            if !distinct.contains(&name.as_str()) {
                distinct.push(name);
            }
        }
        let bots = |name: &str| (0..4).filter(|&bot| names[bot] == name).collect::<Vec<usize>>();
        let means = |name: &str| maps.iter().map(|map| mean_points(map, &bots(name))).collect::<Vec<f64>>();
        let first = distinct.first().map(|name| means(name)).unwrap_or_default();
        let row = |name: &'a str| {
            let (bots, means) = (bots(name), means(name));
            let won = |map: &Vec<MatchResult>| {
                let won = map.iter().flat_map(|match_| bots.iter().filter(|&&bot| match_.is_first[bot])).count();
                won as f64 / (bots.len() * map.len()) as f64
            };
            let more: Vec<f64> = means.iter().zip(&first).map(|(mean, first)| mean - first).collect();
            Row {
                name,
                seats: bots.len(),
                points: MeanOfMaps::from_maps(&means),
                firsts: MeanOfMaps::from_maps(&maps.iter().map(won).collect::<Vec<f64>>()),
                more: MeanOfMaps::from_maps(&more),
            }
        };
        Summary { rows: distinct.iter().map(|name| row(name)).collect(), maps: maps.len() }
    }

    pub(crate) fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "name": row.name,
                "seats": row.seats,
                "score": row.points.json(),
                "win_rate": row.firsts.json(),
                "more_than_first": row.more.json(),
            })
        };
        json!({ "maps": self.maps, "bots": self.rows.iter().map(row).collect::<Vec<_>>() })
    }

    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "seats  bot                     score   ± 95 %    firsts  than the first   ± 95 %")?;
        let margin = |mean: MeanOfMaps| mean.margin(self.maps, 1.0, 1).unwrap_or("–".to_owned());
        for (number, row) in self.rows.iter().enumerate() {
            let (name, score, margin_of_score) = (fit_column(row.name, 20), row.points.mean, margin(row.points));
            let more = if number == 0 { String::new() } else { format!("{:>+15.1} {:>8}", row.more.mean, margin(row.more)) };
            let firsts = row.firsts.margin(self.maps, 100.0, 0).map_or_else(String::new, |margin| format!(" ± {margin}"));
            let firsts = format!("{:.0}{firsts} %", 100.0 * row.firsts.mean);
            writeln!(out, "{:>5}  {name} {score:>8.1} {margin_of_score:>8} {firsts:>9}{more}", row.seats)?;
        }
        writeln!(out, "{} maps, four matches on each with rotated seats", self.maps)
    }
}

/// Returns the mean of these bots' points on a map.
fn mean_points(map: &[MatchResult], bots: &[usize]) -> f64 {
    let points = map.iter().flat_map(|outcome| bots.iter().map(|&bot| outcome.points[bot]));
    points.sum::<f64>() / (map.len() * bots.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(number: u32, points: [f64; 4]) -> MatchResult {
        let most = points.into_iter().fold(f64::MIN, f64::max);
        MatchResult { number, points, is_first: points.map(|points| points == most) }
    }

    #[test]
    fn every_bot_has_every_seat_once() {
        for bot in 0..4 {
            let mut seats: Vec<Option<Seat>> =
                (0..4).map(|number| Seat::ALL.into_iter().find(|&seat| places(number)[seat] == bot)).collect();
            seats.sort_by_key(|seat| seat.map(Seat::index));
            assert_eq!(seats, Seat::ALL.map(Some));
        }
        assert_eq!(places(0).0, [0, 1, 2, 3]);
        assert_eq!(places(5).0, [3, 0, 1, 2]);
    }

    #[test]
    fn a_map_is_one_observation() {
        let names = ["x", "y", "y", "x"].map(str::to_owned);
        // On the first map x has 10 more than y in every match, on the second 20 more.
        let mut outcomes: Vec<MatchResult> = (0..4).map(|number| outcome(number, [60.0, 50.0, 50.0, 60.0])).collect();
        outcomes.extend((4..8).rev().map(|number| outcome(number, [80.0, 40.0, 60.0, 60.0])));
        // A map with missing matches.
        outcomes.push(outcome(9, [0.0, 100.0, 100.0, 0.0]));
        let summary = Summary::new(&names, &outcomes);
        assert_eq!(summary.maps, 2);
        let [x, y] = &summary.rows[..] else { panic!("{:?}", summary.rows) };
        assert_eq!((x.name, x.seats, x.points, x.firsts.mean), ("x", 2, MeanOfMaps { mean: 65.0, error: Some(5.0) }, 0.75));
        assert_eq!((y.name, y.firsts), ("y", MeanOfMaps { mean: 0.0, error: Some(0.0) }));
        assert_eq!(y.more, MeanOfMaps { mean: -15.0, error: Some(5.0) });
        assert_eq!(x.more, MeanOfMaps { mean: 0.0, error: Some(0.0) });
    }

    #[test]
    fn one_map_has_no_error() {
        let names = ["x", "y", "y", "y"].map(str::to_owned);
        let outcomes: Vec<MatchResult> = (0..4).map(|number| outcome(number, [10.0, 20.0, 30.0, 40.0])).collect();
        let summary = Summary::new(&names, &outcomes);
        assert_eq!(summary.rows[1].more, MeanOfMaps { mean: 20.0, error: None });
        assert_eq!(summary.json()["bots"][1]["more_than_first"]["standard_error"], Value::Null);
    }
}
