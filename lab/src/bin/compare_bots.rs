//! Measures the sequential test of `pacman2 arena compare` on games of built-in bots: NEW plays on each seat of a map against three
//! copies of OLD, and the mean lead of the four games is one observation.
//!
//!     cargo run --release -p lab --bin compare_bots -- "sage --simulations 140" "sage --simulations 100" 1000
//!
//! The number is that of the maps. The table shows how often the test calls NEW better and how many games it takes if NEW's true lead
//! were as given: observations are drawn from those played, shifted to that lead. If NEW and OLD are the same bot, no lead needs to be
//! assumed. NEW then differs in its random numbers only, and the maps are also compared as they come, each once.

use std::error::Error;
use std::{env, iter};

use lab::bot;
use pacman2_bots::BotConfig;
use pacman2_bots::playout::play_to_end;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{BySeat, Game, Ruleset, Seat};
use pacman2_tournament::compare::{Comparison, ComparisonConfig, Conclusion};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

/// Games in an observation.
const GAMES: f64 = 4.0;
/// Comparisons of drawn observations for each lead.
const COMPARISONS: usize = 5_000;
/// NEW's random numbers come from the map's seed and this.
const NEW_SEED: i32 = 0x5eed;

fn main() -> Result<(), Box<dyn Error>> {
    let [new_text, old_text, maps] = env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|arguments: Vec<_>| format!("expected NEW, OLD and a number of maps, got {} arguments", arguments.len()))?;
    let [new, old] = [&new_text, &old_text].map(|text| bot::read(text));
    let (new, old) = (new?, old?);
    let maps: i32 = maps.parse()?;

    let leads = (0..maps).into_par_iter().map(|seed| lead(&new, &old, seed)).collect::<Result<Vec<f64>, _>>()?;
    let mean = leads.iter().sum::<f64>() / leads.len() as f64;
    let deviation = (leads.iter().map(|lead| (lead - mean).powi(2)).sum::<f64>() / (leads.len() - 1) as f64).sqrt();
    println!(
        "{maps} maps: NEW leads by {mean:.2} ± {:.2} points, standard deviation {deviation:.1}",
        deviation / f64::from(maps).sqrt()
    );
    println!("true lead           comparisons   better  not better   worse    games");

    if new_text == old_text {
        let mut leads = leads.iter().copied();
        Rates::from_comparisons(iter::from_fn(|| compare(&mut leads))).print("0, each map once");
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for truth in [0.0, 2.0, 3.0, 5.0, 20.0] {
        let mut drawn = iter::from_fn(|| Some(leads[(rng.next_u64() % leads.len() as u64) as usize] - mean + truth));
        Rates::from_comparisons(iter::from_fn(|| compare(&mut drawn)).take(COMPARISONS)).print(&format!("{truth}, drawn"));
    }
    Ok(())
}

/// Plays the games of a map and returns NEW's mean lead over the four players of its games.
fn lead(new: &BotConfig, old: &BotConfig, seed: i32) -> Result<f64, pacman2_maps::MapError> {
    let map = Map::generate(seed, MapSize::default(), Ruleset::default())?;
    let leads = Seat::ALL.map(|of_new| {
        let points = play(&map, |seat| if seat == of_new { (new, seed ^ NEW_SEED) } else { (old, seed) });
        points[of_new] - points.0.iter().sum::<f64>() / 4.0
    });
    Ok(leads.iter().sum::<f64>() / 4.0)
}

/// Plays a game of these bots with these seeds and returns the points.
fn play<'a>(map: &Map, bots: impl Fn(Seat) -> (&'a BotConfig, i32)) -> BySeat<f64> {
    let mut agents = BySeat::from_fn(|seat| bots(seat).0.start());
    let mut game = Game::new(map.maze.clone(), map.start);
    play_to_end(&mut game, |game, seat| agents[seat](game, seat, bots(seat).1), || true);
    let scores = game.scores();
    BySeat::from_fn(|seat| scores[seat].points())
}

/// Compares until the conclusion. Returns nothing if the observations end first.
fn compare(leads: &mut impl Iterator<Item = f64>) -> Option<Comparison> {
    let mut comparison = Comparison::new(ComparisonConfig::default()).expect("the default is valid");
    while !comparison.is_decided() {
        comparison.observe(leads.next()?);
    }
    Some(comparison)
}

/// How often comparisons came to which conclusion.
#[derive(Default)]
struct Rates {
    comparisons: f64,
    better: f64,
    not_better: f64,
    worse: f64,
    blocks: f64,
}

impl Rates {
    fn from_comparisons(comparisons: impl Iterator<Item = Comparison>) -> Rates {
        let mut rates = Rates::default();
        for comparison in comparisons {
            rates.comparisons += 1.0;
            rates.blocks += comparison.blocks() as f64;
            *match comparison.conclusion() {
                Conclusion::Better => &mut rates.better,
                Conclusion::NotBetter => &mut rates.not_better,
                _ => &mut rates.worse,
            } += 1.0;
        }
        rates
    }

    fn print(&self, name: &str) {
        if self.comparisons == 0.0 {
            println!("{name:<18}  {:>11}   more maps are needed", 0);
            return;
        }
        let percent = |count: f64| 100.0 * count / self.comparisons;
        println!(
            "{name:<18}  {:>11}   {:>5.1}%  {:>9.1}%  {:>5.1}%  {:>7.0}",
            self.comparisons,
            percent(self.better),
            percent(self.not_better),
            percent(self.worse),
            GAMES * self.blocks / self.comparisons
        );
    }
}
