//! What the tests share: maps drawn as pictures, and matches whose judge is started afresh for every turn, as on Botzone.

#![allow(dead_code, reason = "each test program uses some of this")]

use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::{init_data, judge};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, ForfeitRuling, Game, Ruleset, picture};
use serde_json::{Value, json};

/// A field on which little happens unless somebody makes it happen.
pub(crate) const FIELD: &str = "
    +----+----+----+----+----+----+
    | 0.                       1  |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    |                             |
    +    +    +    +    +    +    +
    | 2                        3. |
    +----+----+----+----+----+----+
";

/// The seed that the judge takes for want of another, in all tests.
pub(crate) const CLOCK: i32 = 3;

pub(crate) fn map(drawn: &str) -> Map {
    let (maze, start) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}"));
    Map { seed: 7, maze, start }
}

pub(crate) fn random_map(seed: i32) -> Map {
    Map::generate(seed, MapSize::default(), Ruleset::default()).expect("each seed is a map")
}

/// Asks the judge once.
#[track_caller]
pub(crate) fn judged(input: &Value) -> Value {
    judge::answer(&input.to_string(), Ruleset::default(), CLOCK).unwrap_or_else(|error| panic!("{error}"))
}

/// A match, asked of a fresh judge turn by turn.
#[derive(Clone)]
pub(crate) struct Match {
    initdata: Value,
    ruling: ForfeitRuling,
    log: Vec<Value>,
}

impl Match {
    pub(crate) fn on(drawn: &str) -> Match {
        Match::with(init_data::write(&map(drawn)), ForfeitRuling::Sample)
    }

    pub(crate) fn with(initdata: Value, ruling: ForfeitRuling) -> Match {
        let mut begun = Match { initdata, ruling, log: Vec::new() };
        begun.judge();
        begun
    }

    /// Takes in a log item of the players, and returns what the judge says next.
    #[track_caller]
    pub(crate) fn hears(&mut self, answers: Value) -> Value {
        self.log.push(answers);
        self.judge()
    }

    /// The same where everyone gives a number; those of the dead must not matter.
    #[track_caller]
    pub(crate) fn acts(&mut self, actions: [i32; 4]) -> Value {
        self.hears(actions_item(actions))
    }

    /// What the judge said last.
    pub(crate) fn output(&self) -> &Value {
        &self.log[self.log.len() - 1]["output"]
    }

    pub(crate) fn log(&self) -> &[Value] {
        &self.log
    }

    /// What the judge is given next.
    pub(crate) fn input(&self) -> Value {
        json!({ "log": self.log, "initdata": self.initdata })
    }

    #[track_caller]
    fn judge(&mut self) -> Value {
        let output = judge::answer(&self.input().to_string(), Ruleset::default().with_forfeit_ruling(self.ruling), CLOCK)
            .unwrap_or_else(|error| panic!("{error}"));
        self.log.push(json!({ "memory": 3, "time": 5, "verdict": "OK", "output": output }));
        output
    }
}

/// What a log says of a player whose program gave this response.
pub(crate) fn says(response: Value) -> Value {
    json!({ "memory": 2, "time": 11, "verdict": "OK", "response": response })
}

pub(crate) fn actions_item(actions: [i32; 4]) -> Value {
    let [a, b, c, d] = actions.map(|action| says(json!({ "action": action })));
    json!({ "0": a, "1": b, "2": c, "3": d })
}

/// A log item in which this is what seat 0 gives to the log, and the others stay.
pub(crate) fn seat_0(item: Value) -> Value {
    let mut items = actions_item([-1; 4]);
    items["0"] = item;
    items
}

/// Players who think of something different each turn, mostly legal, and the same in each run.
pub(crate) struct Whims(u64);

impl Whims {
    pub(crate) fn new(seed: u64) -> Whims {
        Whims(seed)
    }

    /// What the players of this game say; now and then it is nonsense.
    pub(crate) fn hear(&mut self, game: &Game) -> BySeat<Option<ParsedResponse>> {
        BySeat::from_fn(|seat| {
            let legal = game.state().legal_actions(game.maze(), seat);
            let action = *legal.get(self.below(legal.len().max(1)))?;
            let number = if self.below(60) == 0 { 9 } else { pacman2_botzone::action::to_number(action) };
            let taunt = (self.below(4) == 0).then(|| "哈哈 haha".to_owned());
            Some(ParsedResponse::Action { number, taunt })
        })
    }

    fn below(&mut self, most: usize) -> usize {
        // Knuth's MMIX generator; its high bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// What was heard as a log item.
pub(crate) fn item(heard: &BySeat<Option<ParsedResponse>>) -> Value {
    let mut items = json!({});
    for (seat, heard) in heard.iter() {
        match heard {
            Some(ParsedResponse::Action { number, taunt: Some(taunt) }) => {
                items[seat.to_string()] = says(json!({ "action": number, "tauntText": taunt }));
            }
            Some(ParsedResponse::Action { number, taunt: None }) => items[seat.to_string()] = says(json!({ "action": number })),
            Some(ParsedResponse::Nothing(verdict)) => {
                items[seat.to_string()] = json!({ "memory": 0, "time": 0, "verdict": verdict.name(), "response": null });
            }
            None => {}
        }
    }
    items
}

pub(crate) fn action(number: i32) -> Action {
    pacman2_botzone::action::from_number(number)
}
