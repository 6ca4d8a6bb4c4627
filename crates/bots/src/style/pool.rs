//! The styles.

use super::definition::{Style, StyleMethod};
use super::planner::{Expectimax, Goal, Joint, Lookahead};
use super::rule_follower::RuleFollower;
use super::searcher::{Evolution, LeafValue, QuickGames, TreeSearch};

use Goal::{Lead, Points, Strength};

const PLAIN: RuleFollower = RuleFollower::PLAIN;

const fn style(name: &'static str, description: &'static str, method: StyleMethod) -> Style {
    Style { name, description, method, slip_percent: 0 }
}

const fn rules(name: &'static str, description: &'static str, rules: RuleFollower) -> Style {
    style(name, description, StyleMethod::RuleFollower(rules))
}

const fn lookahead(name: &'static str, description: &'static str, goal: Goal, turns: u32) -> Style {
    style(name, description, StyleMethod::Lookahead(Lookahead { goal, turns, noise: 0.02 }))
}

const fn joint(name: &'static str, description: &'static str, goal: Goal, clever_others: bool, caution: f32) -> Style {
    style(name, description, StyleMethod::Joint(Joint { goal, clever_others, caution, noise: 0.02 }))
}

const fn playouts(name: &'static str, description: &'static str, games: u32, turns: u32) -> Style {
    style(name, description, StyleMethod::Playouts { games, turns })
}

const fn expectimax(name: &'static str, description: &'static str, goal: Goal) -> Style {
    style(name, description, StyleMethod::Expectimax(Expectimax { goal, replies: 8 }))
}

const fn tree(name: &'static str, description: &'static str, leaf: LeafValue, simulations: u32) -> Style {
    style(name, description, StyleMethod::TreeSearch(TreeSearch { leaf, simulations }))
}

const fn slipping(percent: u32, name: &'static str, description: &'static str, style: Style) -> Style {
    Style { name, description, method: style.method, slip_percent: percent }
}

/// All styles.
pub static STYLES: [Style; 57] = [
    // Rule followers.
    rules("fruit-first", "goes to the nearest fruit, whoever is in the way", RuleFollower { fear: 0.0, company: 0.0, ..PLAIN }),
    rules("plain", "eats what is near and stays out of reach of stronger players", PLAIN),
    rules("hasty", "takes only what is very near", RuleFollower { patience: 0.5, ..PLAIN }),
    rules("far-sighted", "walks far for a large fruit", RuleFollower { patience: 0.95, large: 4.0, ..PLAIN }),
    rules("small-only", "leaves large fruit to others", RuleFollower { large: 0.0, ..PLAIN }),
    rules("large-only", "waits for large fruit", RuleFollower { small: 0.2, large: 4.0, patience: 0.9, ..PLAIN }),
    rules("sociable", "does not mind sharing a cell", RuleFollower { company: 0.0, contested: 1.0, ..PLAIN }),
    rules("shy", "leaves contested fruit to others", RuleFollower { contested: 0.1, company: 2.0, ..PLAIN }),
    rules("coward", "keeps far from stronger players", RuleFollower { fear: 6.0, fear_range: 5, dead_end: 1.0, ..PLAIN }),
    rules("hider", "avoids lines of fire", RuleFollower { exposure: 0.8, fear_range: 3, ..PLAIN }),
    rules("guard", "waits where fruit spawns", RuleFollower { spawn: 3.0, patience: 0.9, ..PLAIN }),
    rules(
        "patient-guard",
        "waits where fruit spawns and avoids lines of fire",
        RuleFollower { spawn: 3.0, patience: 0.93, exposure: 0.5, ..PLAIN },
    ),
    rules("chaser", "runs after weaker players", RuleFollower { hunt: 1.5, ..PLAIN }),
    rules(
        "boosted-hunter",
        "runs after weaker players while boosted",
        RuleFollower { hunt: 0.3, boosted_hunt: 8.0, large: 4.0, ..PLAIN },
    ),
    rules("bully", "runs after weaker players without fear", RuleFollower { hunt: 2.0, fear: 0.5, company: 0.0, ..PLAIN }),
    rules(
        "stalker",
        "stays near weaker players and eats on the way",
        RuleFollower { hunt: 0.7, patience: 0.7, fear_range: 3, ..PLAIN },
    ),
    rules("sniper", "shoots whenever a light cannot miss", RuleFollower { light: 3.0, aim: 1.0, ..PLAIN }),
    rules("gambler", "shoots at a fair chance", RuleFollower { light: 3.0, aim: 0.5, ..PLAIN }),
    rules("spendthrift", "shoots at the slightest chance", RuleFollower { light: 3.0, aim: 0.2, ..PLAIN }),
    rules("lurking-sniper", "looks for lines of fire", RuleFollower { light: 3.0, aim: 1.0, lurk: 0.6, ..PLAIN }),
    rules(
        "ambusher",
        "waits in lines of fire for weaker players to come",
        RuleFollower { light: 2.5, aim: 0.6, lurk: 1.0, hunt: 0.4, spawn: 1.5, ..PLAIN },
    ),
    rules(
        "hidden-sniper",
        "shoots and avoids lines of fire",
        RuleFollower { light: 3.0, aim: 1.0, exposure: 0.6, fear_range: 3, ..PLAIN },
    ),
    rules("hunting-sniper", "chases and shoots", RuleFollower { light: 3.0, aim: 0.8, hunt: 1.2, boosted_hunt: 2.0, ..PLAIN }),
    rules(
        "all-round",
        "a little of everything",
        RuleFollower {
            light: 3.0,
            aim: 0.9,
            hunt: 0.6,
            boosted_hunt: 3.0,
            exposure: 0.2,
            dead_end: 0.3,
            fear_range: 3,
            spawn: 1.0,
            ..PLAIN
        },
    ),
    rules("restless", "walks about half at random", RuleFollower { noise: 0.5, ..PLAIN }),
    rules("drunk-sniper", "walks about half at random and shoots", RuleFollower { noise: 0.5, light: 3.0, aim: 0.7, ..PLAIN }),
    // Its own plans against quick others.
    lookahead("points-1", "one turn of its own, by expected points", Points, 1),
    lookahead("points-2", "two turns of its own, by expected points", Points, 2),
    lookahead("points-3", "three turns of its own, by expected points", Points, 3),
    lookahead("strength-2", "two turns of its own, by its strength", Strength, 2),
    lookahead("strength-4", "four turns of its own, by its strength", Strength, 4),
    lookahead("lead-3", "three turns of its own, by its lead", Lead, 3),
    // All joint actions of a turn.
    joint("expect-points", "one turn against equally likely replies, by expected points", Points, false, 0.0),
    joint("expect-strength", "one turn against equally likely replies, by strength", Strength, false, 0.0),
    joint("careful-points", "one turn against the worst reply, by expected points", Points, false, 0.8),
    joint("careful-lead", "one turn against the worst reply, by its lead", Lead, false, 0.8),
    joint("clever-points", "one turn against clever replies, by expected points", Points, true, 0.0),
    joint("clever-lead", "one turn against clever replies, by its lead", Lead, true, 0.2),
    // Random games, as the wiki's sample plays them.
    playouts("playouts-30", "30 random games of 20 turns", 30, 20),
    playouts("playouts-200", "200 random games of 20 turns", 200, 20),
    playouts("playouts-1000", "1000 random games of 12 turns", 1000, 12),
    playouts("long-playouts-300", "300 random games to the end", 300, 100),
    // Searches.
    expectimax("expect-points-2", "two turns against equally likely replies, by expected points", Points),
    expectimax("expect-strength-2", "two turns against equally likely replies, by strength", Strength),
    style(
        "quick-games-20",
        "20 games of ten turns for each action, in which all mostly follow a quick policy, by its lead",
        StyleMethod::QuickGames(QuickGames { goal: Lead, games: 20, turns: 10 }),
    ),
    style(
        "evolver",
        "evolves plans of eight turns, by expected points",
        StyleMethod::Evolution(Evolution { goal: Points, turns: 8, trials: 200 }),
    ),
    tree("tree-strength-200", "a tree search with 200 simulations, by strength", LeafValue::Goal(Strength), 200),
    tree("tree-strength-1000", "a tree search with 1000 simulations, by strength", LeafValue::Goal(Strength), 1000),
    tree("tree-lead-200", "a tree search with 200 simulations, by the lead", LeafValue::Goal(Lead), 200),
    tree("tree-lead-1000", "a tree search with 1000 simulations, by the lead", LeafValue::Goal(Lead), 1000),
    tree("tree-points-200", "a tree search with 200 simulations, by expected points", LeafValue::Goal(Points), 200),
    tree("tree-points-1000", "a tree search with 1000 simulations, by expected points", LeafValue::Goal(Points), 1000),
    tree("tree-playouts-1000", "a tree search with 1000 random games of 12 turns", LeafValue::Playout(12), 1000),
    // Imperfect copies.
    slipping(10, "greedy-10", "greedy, with a tenth of its actions at random", style("", "", StyleMethod::Greedy)),
    slipping(30, "greedy-30", "greedy, with three tenths of its actions at random", style("", "", StyleMethod::Greedy)),
    slipping(10, "points-2-10", "points-2, with a tenth of its actions at random", lookahead("", "", Points, 2)),
    slipping(
        10,
        "sniper-10",
        "sniper, with a tenth of its actions at random",
        rules("", "", RuleFollower { light: 3.0, aim: 1.0, ..PLAIN }),
    ),
];
