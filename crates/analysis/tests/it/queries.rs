//! Queries and answers, each as text.

use pacman2_analysis::position::Analyst;
use pacman2_analysis::queries::Engine;
use pacman2_bots::{BUILT_IN, Effort, sage};
use pacman2_botzone::action;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{BySeat, Game, Ruleset};
use serde_json::{Value, json};

fn ask(query: &Value) -> Value {
    serde_json::from_str(&Engine::new(sage::system_clock()).ask(&query.to_string())).expect("an answer is JSON")
}

fn refused(query: &Value, wanted: &str) {
    let answer = ask(query);
    assert_eq!(answer["error"], wanted, "{query}");
}

/// A game in which everybody stayed for three turns.
fn played(actions: [i32; 4]) -> Value {
    json!({ "init": { "seed": 42 }, "actions": [[-1, -1, -1, -1], [-1, -1, -1, -1], actions] })
}

fn natively(actions: [i32; 4]) -> Game {
    let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
    let mut game = Game::new(map.maze, map.start);
    for actions in [[-1; 4], [-1; 4], actions] {
        game.play(&BySeat(actions).map(action::from_number));
    }
    game
}

#[test]
fn every_built_in_bot_decides_as_it_does_in_a_match() {
    let game = natively([-1; 4]);
    for bot in BUILT_IN {
        let mut query = json!({ "op": "decide", "game": played([-1; 4]), "bot": bot.name, "seat": 2 });
        if bot.name == "sage" {
            query["simulations"] = 300.into();
        }
        let seat = pacman2_rules::Seat::S2;
        let wanted = match bot.name {
            "sage" => sage::Sage::new(Effort::Simulations(300)).decide(&game, seat, 42),
            _ => (bot.decide)(&game, seat, 42),
        };
        assert_eq!(ask(&query)["ok"], action::to_number(wanted), "{}", bot.name);
    }
}

#[test]
fn a_played_turn_is_analysed_with_its_losses() {
    let query = json!({ "op": "analyse", "game": played([-1, -1, 99, -1]), "turn": 3, "simulations": 500 });
    let before = natively([-1, -1, 99, -1]).before(3);
    let given = [Some(-1), Some(-1), Some(99), Some(-1)];
    let wanted = Analyst::new(Effort::Simulations(500)).analyse_played(&before, 3, given, || true).json();
    assert_eq!(ask(&query)["ok"], wanted);
    assert!(wanted["loss"][2].as_f64().unwrap() > 5.0, "a forfeit costs points: {wanted}");
}

#[test]
fn the_next_turn_is_analysed_without_losses() {
    let answer = ask(&json!({ "op": "analyse", "game": played([-1; 4]), "turn": 4, "simulations": 100 }));
    assert_eq!((&answer["ok"]["turn"], &answer["ok"]["simulations"]), (&json!(4), &json!(100)));
    assert_eq!(answer["ok"].get("loss"), None);
}

#[test]
fn time_is_measured_by_the_given_clock() {
    // Each look at this clock takes 10 ms.
    let looks = std::sync::atomic::AtomicU64::new(0);
    let clock = move || std::time::Duration::from_millis(10 * looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    let mut engine = Engine::new(std::sync::Arc::new(clock));
    let query = json!({ "op": "analyse", "game": played([-1; 4]), "turn": 4, "time_ms": 200 });
    let answer: Value = serde_json::from_str(&engine.ask(&query.to_string())).unwrap();
    // A look for the beginning, and one before every 32 simulations but the first.
    assert_eq!(answer["ok"]["simulations"], 20 * 32);
}

#[test]
fn the_forfeit_ruling_is_part_of_the_game() {
    let mut game = played([-1; 4]);
    game["ruling"] = "prose".into();
    let query = json!({ "op": "decide", "game": game, "bot": "greedy", "seat": 0 });
    assert!(ask(&query)["ok"].is_i64());
}

#[test]
fn what_cannot_be_answered_is_refused_in_a_sentence() {
    let decide = |change: &dyn Fn(&mut Value)| {
        let mut query = json!({ "op": "decide", "game": played([-1, -1, 99, -1]), "bot": "sage", "seat": 0, "simulations": 10 });
        change(&mut query);
        query
    };
    refused(&decide(&|query| query["bot"] = "gredy".into()), "unknown built-in bot \"gredy\"");
    refused(&decide(&|query| query["seat"] = 4.into()), "seat must be between 0 and 3, got 4");
    refused(&decide(&|query| query["seat"] = 2.into()), "player 2 has nothing to decide: it is dead, or the game is over");
    refused(&decide(&|query| query["simulations"] = 0.into()), "simulations must be between 1 and 10000000, got 0");
    refused(&decide(&|query| query["time_ms"] = 5.into()), "time_ms and simulations exclude each other; remove either");
    refused(&decide(&|query| query["game"]["ruling"] = "odd".into()), "unknown ruling \"odd\"; expected sample, judge or prose");
    let turn = json!({ "op": "analyse", "game": played([-1; 4]), "turn": 5, "simulations": 10 });
    refused(&turn, "turn must be between 1 and 4, got 5");
    let turn = json!({ "op": "analyse", "game": played([-1; 4]), "turn": 0, "simulations": 10 });
    refused(&turn, "turn must be between 1 and 4, got 0");
    let over = json!({ "op": "decide", "game": played([99; 4]), "bot": "greedy", "seat": 0 });
    refused(&over, "player 0 has nothing to decide: it is dead, or the game is over");
    let mut after = over.clone();
    after["game"]["actions"].as_array_mut().unwrap().push(json!([-1, -1, -1, -1]));
    refused(&after, "the game is over before turn 4");
    let map = json!({ "op": "decide", "game": { "init": { "width": 99 }, "actions": [] }, "bot": "greedy", "seat": 0 });
    refused(&map, "the map cannot be played: width must be a whole number between 6 and 11, got 99");
    for broken in ["", "{", "[]", r#"{"op": "dance"}"#, r#"{"op": "decide", "game": {"init": {}, "actions": [[1]]}}"#] {
        let answer: Value = serde_json::from_str(&Engine::new(sage::system_clock()).ask(broken)).unwrap();
        assert!(answer["error"].as_str().is_some_and(|why| why.starts_with("the query cannot be read: ")), "{broken}");
    }
}
