//! Why an action lost points: a position, the actions, and the sentences.

use pacman2_analysis::explanation::{Explanation, explain};
use pacman2_botzone::words::Bilingual;
use pacman2_rules::{Action, BySeat, Game, Seat, picture};

/// Plays turns, given as the actions of seats 0, 1, … such as `left, stay`, and explains what seat 0 did in the first one. `better` is
/// what it should have done: its actions in the expected line, in which the others stay.
fn explained(drawn: &str, turns: &[&str], better: &str) -> Explanation {
    let (maze, state) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}"));
    let mut game = Game::new(maze, state);
    let actions = |turn: &str| {
        let mut actions = turn.split(", ").map(|action| action.parse::<Action>().unwrap());
        BySeat::from_fn(|_| actions.next().unwrap_or(Action::Stay))
    };
    for turn in turns {
        assert!(game.play(&actions(turn)).is_some(), "the game is over before: {turn}");
    }
    let of_seat_0 = |action: &str| BySeat::from_fn(|seat| (seat == Seat::S0).then(|| action.parse().unwrap()));
    let line: Vec<_> = better.split(", ").map(of_seat_0).collect();
    explain(&game, 1, &actions(turns[0]), Seat::S0, &line)
}

/// Checks the code and the sentences in both languages.
#[track_caller]
fn check(drawn: &str, turns: &[&str], better: &str, code: &str, [en, zh]: [&str; 2]) {
    let explanation = explained(drawn, turns, better);
    assert_eq!((explanation.kind.code(), explanation.sentences()), (code, Bilingual::new(zh, en)), "{explanation:?}");
}

/// Player 1 is stronger. Walls separate the others.
const HUNTED: &str = "
    +---+---+---+---+---+---+---+
    |     0       1 | 2 |     3 |
    +---+---+---+---+---+---+---+
    0: 3
    1: 9
";

#[test]
fn walking_into_reach() {
    check(
        HUNTED,
        &["right, left"],
        "left",
        "walked-into-reach",
        [
            "It walked into reach of a stronger player. What followed: player 1 ate it in turn 1.",
            "走进了更强玩家够得到的地方。随后第 1 回合被 1 号玩家吃掉。",
        ],
    );
    let next = ["right, stay", "stay, left"];
    let explanation = explained(HUNTED, &next, "left");
    assert_eq!(explanation.json()["followed"], serde_json::json!([{ "event": "eaten", "turn": 2, "by": [1] }]));
}

#[test]
fn staying_within_reach() {
    check(
        HUNTED,
        &["stay, left", "stay, left"],
        "left",
        "stayed-in-reach",
        [
            "It stayed within reach of a stronger player. What followed: player 1 ate it in turn 2.",
            "留在了更强玩家够得到的地方。随后第 2 回合被 1 号玩家吃掉。",
        ],
    );
}

#[test]
fn an_illegal_action() {
    check(HUNTED, &["up, stay"], "left", "illegal-action", ["", ""]);
}

const SHOOTERS: &str = "
    +---+---+---+---+---+
    | 0           1 | 2 |
    +   +   +   +   +---+
    |               | 3 |
    +---+---+---+---+---+
    0: 20
    1: 15
";

#[test]
fn standing_in_the_light() {
    check(
        SHOOTERS,
        &["stay, shoot left"; 3],
        "down",
        "exposed-to-light",
        [
            "It was where light could hit it. What followed: the light of player 1 hit it in turn 1.",
            "停在了会被金光击中的地方。随后第 1 回合被 1 号玩家的金光击中。",
        ],
    );
    // The second of the three hits is no news, unless it is deadly.
    check(
        &SHOOTERS.replace("0: 20", "0: 12"),
        &["stay, shoot left"; 3],
        "down",
        "exposed-to-light",
        [
            "It was where light could hit it. What followed: the light of player 1 hit it in turn 1; the light of player 1 hit it in turn 2, \
             and it died.",
            "停在了会被金光击中的地方。随后第 1 回合被 1 号玩家的金光击中；第 2 回合被 1 号玩家的金光击中而死。",
        ],
    );
}

#[test]
fn a_missed_hit_and_a_wasted_shot() {
    check(
        SHOOTERS,
        &["down, stay"],
        "shoot right",
        "missed-hit",
        ["It missed a hit: its light could have reached player 1.", "错过了击中的机会：金光本可以击中 1 号玩家。"],
    );
    check(SHOOTERS, &["shoot down, stay"], "stay", "wasted-shot", ["Its light hit no player.", "发出的金光没有击中任何人。"]);
}

#[test]
fn a_missed_catch() {
    let drawn = "
        +---+---+---+---+
        |     0   1 | 2 |
        +---+---+---+---+
        | 3             |
        +---+---+---+---+
        0: 20
    ";
    check(
        drawn,
        &["left, stay"],
        "right",
        "missed-catch",
        ["It missed a catch: it could have eaten player 1.", "错过了猎物：本可以吃掉 1 号玩家。"],
    );
}

#[test]
fn a_fruit_that_another_player_ate() {
    let drawn = "
        +---+---+---+---+---+
        |     0   o   1 | 2 |
        +---+---+---+---+---+
        | 3             | . |
        +---+---+---+---+---+
        0: 5
    ";
    check(
        drawn,
        &["left, stay", "stay, left"],
        "right",
        "missed-fruit",
        [
            "It left a large fruit that it could have eaten. What followed: player 1 ate that fruit in turn 2.",
            "错过了本可以吃到的大豆。随后第 2 回合这颗豆被 1 号玩家吃掉。",
        ],
    );
}

/// What the search expects after the better action, in later turns.
#[test]
fn a_chance_that_comes_later() {
    let drawn = "
        +---+---+---+---+---+
        |     0       o | 1 |
        +---+---+---+---+---+
        | 2             | 3 |
        +---+---+---+---+---+
        0: 5
    ";
    let sentences = ["It left a large fruit that it could have eaten in turn 2.", "错过了第 2 回合本可以吃到的大豆。"];
    check(drawn, &["left, stay", "stay, stay"], "right, right", "missed-fruit", sentences);
    // It was as fast on its own way.
    check(drawn, &["right, stay", "right, stay"], "stay, right, right", "other", ["", ""]);
    check(
        SHOOTERS,
        &["down, stay", "stay, stay"],
        "stay, shoot right",
        "missed-hit",
        [
            "It missed a hit: its light could have reached player 1 in turn 2.",
            "错过了击中的机会：第 2 回合金光本可以击中 1 号玩家。",
        ],
    );
}

#[test]
fn leaving_a_generator_before_it_bears() {
    let drawn = "
        turn 17/100, fruit in 3/20
        +---+---+---+---+---+---+
        |     0     | G | 1   . |
        +---+---+---+---+---+---+
        | 2             |     3 |
        +---+---+---+---+---+---+
    ";
    let away = ["left, stay", "stay, stay", "stay, stay"];
    let drawn_near = drawn.replace("|     0     | G |", "|         0 | G |");
    check(
        &drawn_near,
        &away,
        "stay",
        "left-generator",
        ["It left the generator 2 turns before it bore fruit.", "在产豆前 2 回合离开了豆子产生器。"],
    );
    // It was not there.
    check(drawn, &away, "stay", "other", ["", ""]);
}

/// What would have happened after the better action, too, did not follow from the mistake.
#[test]
fn a_hit_in_any_case() {
    let drawn = "
        +---+---+---+---+---+
        | 0           1 | 2 |
        +---+---+---+---+---+
        | 3             |   |
        +---+---+---+---+---+
        0: 20
        1: 15
    ";
    check(drawn, &["stay, shoot left"], "right", "other", ["", ""]);
}
