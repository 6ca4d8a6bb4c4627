//! Helpers of the tests: maps drawn as pictures, and dialogues with a judge that is started afresh for every turn.

use pacman2_botzone::response::ParsedResponse;
use pacman2_botzone::{init_data, judge};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, ForfeitRuling, Game, Ruleset, picture};
use serde_json::{Value, json};

/// A maze on which nothing happens unless a player makes it happen.
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

/// The seed of a match without one, in all tests.
pub(crate) const CLOCK: i32 = 3;

pub(crate) fn map(drawn: &str) -> Map {
    let (maze, start) = picture::read(drawn).unwrap_or_else(|error| panic!("{error}"));
    Map { seed: 7, maze, start }
}

pub(crate) fn random_map(seed: i32) -> Map {
    Map::generate(seed, MapSize::default(), Ruleset::default()).expect("each seed has a map")
}

/// Returns the judge's output for this input.
#[track_caller]
pub(crate) fn judged(input: &Value) -> Value {
    judge::answer(&input.to_string(), Ruleset::default(), CLOCK).unwrap_or_else(|error| panic!("{error}"))
}

/// A match with a judge that is started afresh for every turn.
#[derive(Clone)]
pub(crate) struct Dialogue {
    initdata: Value,
    ruling: ForfeitRuling,
    log: Vec<Value>,
}

impl Dialogue {
    pub(crate) fn on(drawn: &str) -> Dialogue {
        Dialogue::with(init_data::write(&map(drawn)), ForfeitRuling::Sample)
    }

    pub(crate) fn with(initdata: Value, ruling: ForfeitRuling) -> Dialogue {
        let mut dialogue = Dialogue { initdata, ruling, log: Vec::new() };
        dialogue.judge();
        dialogue
    }

    /// Adds a log item with the players' responses and returns the judge's next output.
    #[track_caller]
    pub(crate) fn respond(&mut self, item: Value) -> Value {
        self.log.push(item);
        self.judge()
    }

    /// As `respond`, with an action for each seat; those of dead players must not matter.
    #[track_caller]
    pub(crate) fn act(&mut self, actions: [i32; 4]) -> Value {
        self.respond(actions_item(actions))
    }

    /// Returns the judge's last output.
    pub(crate) fn output(&self) -> &Value {
        &self.log[self.log.len() - 1]["output"]
    }

    pub(crate) fn log(&self) -> &[Value] {
        &self.log
    }

    /// Returns the judge's next input.
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

/// Returns a player's part of a log item, for a run with this response.
pub(crate) fn ran(response: Value) -> Value {
    json!({ "memory": 2, "time": 11, "verdict": "OK", "response": response })
}

pub(crate) fn actions_item(actions: [i32; 4]) -> Value {
    let [a, b, c, d] = actions.map(|action| ran(json!({ "action": action })));
    json!({ "0": a, "1": b, "2": c, "3": d })
}

/// Returns a log item with this part of seat 0; the others stay.
pub(crate) fn only_seat_0(item: Value) -> Value {
    let mut items = actions_item([-1; 4]);
    items["0"] = item;
    items
}

/// Players with random actions, most of them legal, and the same in each run.
pub(crate) struct RandomPlayers(u64);

impl RandomPlayers {
    pub(crate) fn new(seed: u64) -> RandomPlayers {
        RandomPlayers(seed)
    }

    /// Returns a response for each living player; some are illegal.
    pub(crate) fn responses(&mut self, game: &Game) -> BySeat<Option<ParsedResponse>> {
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

/// Returns the responses as a log item.
pub(crate) fn item(responses: &BySeat<Option<ParsedResponse>>) -> Value {
    let mut items = json!({});
    for (seat, response) in responses.iter() {
        match response {
            Some(ParsedResponse::Action { number, taunt: Some(taunt) }) => {
                items[seat.to_string()] = ran(json!({ "action": number, "tauntText": taunt }));
            }
            Some(ParsedResponse::Action { number, taunt: None }) => items[seat.to_string()] = ran(json!({ "action": number })),
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
