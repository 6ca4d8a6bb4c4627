//! Analyses of positions from games: what is listed first, repeated analyses, and the cache.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use pacman2_analysis::cache::AnalysisCache;
use pacman2_analysis::position::{Analyst, PlayedTurn};
use pacman2_bots::{BuiltIn, Effort};
use pacman2_botzone::action;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Game, Ruleset, Seat};

/// A position in which four players act, and their actions.
struct Position {
    game: Game,
    turn: usize,
    given: [Option<i32>; 4],
}

/// Plays a game of these four bots and returns every position.
fn positions(seed: i32, bots: [&str; 4]) -> Vec<Position> {
    let map = Map::generate(seed, MapSize::default(), Ruleset::default()).unwrap();
    let mut game = Game::new(map.maze, map.start);
    let mut positions = Vec::new();
    while !game.is_over() {
        let decide = |seat: Seat| (bots[seat.index()].parse::<BuiltIn>().unwrap().decide)(&game, seat, seed);
        let chosen = BySeat::from_fn(|seat| game.state().alive.contains(seat).then(|| decide(seat)));
        let given = chosen.0.map(|action| action.map(action::to_number));
        positions.push(Position { game: game.clone(), turn: positions.len() + 1, given });
        game.play(&chosen.map(|action| action.unwrap_or(Action::Stay)));
    }
    positions
}

fn analysed(position: &Position, analyst: &mut Analyst) -> PlayedTurn {
    analyst.analyse_played(&position.game, position.turn as u32, position.given, || true)
}

#[test]
fn the_first_action_is_never_significantly_worse_than_another() {
    let games = [["random"; 4], ["greedy", "sample", "hunter", "random"]];
    let positions = (1..=4).flat_map(|seed| games.into_iter().flat_map(move |bots| positions(seed, bots)));
    let (mut compared, mut analyst) = (0, Analyst::new(Effort::Simulations(500)));
    for position in positions.step_by(7) {
        let played = analysed(&position, &mut analyst);
        for options in &played.analysis.seats.0 {
            let estimates: Vec<_> = options.iter().filter_map(|option| option.estimate).collect();
            assert!(estimates.is_sorted_by(|a, b| a.lower_bound() >= b.lower_bound()), "{options:?}");
            compared += estimates.len();
            if let Some(&first) = estimates.first() {
                assert!(
                    !estimates.iter().any(|other| other.is_significantly_above(first)),
                    "turn {}: {options:?}",
                    position.turn
                );
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[derive(Default)]
struct MemoryCache {
    kept: Mutex<HashMap<String, String>>,
}

impl AnalysisCache for MemoryCache {
    fn load(&self, key: &str) -> Option<String> {
        self.kept.lock().unwrap().get(key).cloned()
    }

    fn store(&self, key: &str, analysis: &str) {
        self.kept.lock().unwrap().insert(key.to_owned(), analysis.to_owned());
    }
}

#[test]
fn a_kept_analysis_equals_a_new_one() {
    let cache = Arc::new(MemoryCache::default());
    let with_cache = |simulations| Analyst::new(Effort::Simulations(simulations)).with_cache(cache.clone());
    let mut positions = positions(5, ["greedy", "random", "hunter", "sample"]);
    // An illegal action has the position after it analysed, too.
    positions[20].given[0] = Some(action::UNREADABLE);
    for position in positions.iter().skip(18).step_by(2).take(6) {
        let new = analysed(position, &mut Analyst::new(Effort::Simulations(300)));
        assert_eq!(analysed(position, &mut with_cache(300)), new, "turn {}", position.turn);
        let count = cache.kept.lock().unwrap().len();
        assert_eq!(analysed(position, &mut with_cache(300)), new, "turn {}", position.turn);
        assert_eq!(cache.kept.lock().unwrap().len(), count, "it was not analysed again");
    }
    let count = cache.kept.lock().unwrap().len();
    assert_eq!(count, 7);
    // Another effort is another analysis.
    assert_eq!(analysed(&positions[18], &mut with_cache(301)).analysis.simulations, 301);
    assert_eq!(cache.kept.lock().unwrap().len(), count + 1);
    // What cannot be read, or belongs to another position, is not used.
    let right = analysed(&positions[18], &mut with_cache(300));
    let foreign = analysed(&positions[40], &mut Analyst::new(Effort::Simulations(300))).analysis.json().to_string();
    for wrong in ["", "{}", "null", r#"{"simulations": 1, "points": [0, 0, 0, 0], "seats": [[], [], [], []]}"#, &foreign] {
        cache.kept.lock().unwrap().values_mut().for_each(|kept| wrong.clone_into(kept));
        assert_eq!(analysed(&positions[18], &mut with_cache(300)), right, "{wrong}");
    }
}

#[test]
fn an_analysis_that_was_stopped_or_timed_is_not_kept() {
    let cache = Arc::new(MemoryCache::default());
    let position = &positions(5, ["random"; 4])[0];
    let mut calls = 0;
    let mut stopped = Analyst::new(Effort::Simulations(1000)).with_cache(cache.clone());
    let analysis = stopped.analyse(&position.game, 1, || {
        calls += 1;
        calls < 3
    });
    assert!((1..1000).contains(&analysis.simulations), "{}", analysis.simulations);
    let timed = Effort::Time(std::time::Duration::from_millis(5));
    analysed(position, &mut Analyst::new(timed).with_cache(cache.clone()));
    assert_eq!(*cache.kept.lock().unwrap(), HashMap::new());
}

/// If this fails, analyses give other results than before: increase `VERSION` in `cache.rs`, so that old ones are not used, and put
/// the new numbers here.
#[test]
fn analyses_are_those_of_this_version() {
    let position = &positions(42, ["random"; 4])[0];
    let analysis = Analyst::new(Effort::Simulations(1000)).analyse(&position.game, 1, || true);
    let first = BySeat(analysis.seats.0.each_ref().map(|options| {
        let best = &options[0];
        (action::to_number(best.action), best.visits, best.estimate.unwrap().points, best.estimate.unwrap().error)
    }));
    assert_eq!(first, BySeat([(2, 984, 49.98, 0.1), (2, 980, 50.34, 0.09), (0, 962, 50.22, 0.08), (0, 959, 50.15, 0.11)]));
}
