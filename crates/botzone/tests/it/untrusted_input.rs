//! Whatever the input, every reader returns a value or an error, and none panics.

use std::sync::LazyLock;

use crate::support::{CLOCK, Dialogue, RandomPlayers, item, random_map};
use pacman2_botzone::JsonText;
use pacman2_botzone::bot::{self, BotReply, RunOptions};
use pacman2_botzone::match_log::MatchLog;
use pacman2_botzone::response::{BotOutput, ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, first_request};
use pacman2_botzone::{init_data, judge};
use pacman2_rules::{ForfeitRuling, Ruleset, Seat};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_161_012),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_can_be_read(bytes in vec(any::<u8>(), 0..200)) {
        read_as_all(&bytes);
    }

    #[test]
    fn any_json_can_be_read(value in jsons()) {
        read_as_all(value.to_string().as_bytes());
    }

    #[test]
    fn documents_with_other_bytes_in_them_can_be_read(
        document in documents(),
        spoils in vec((any::<Index>(), vec(any::<u8>(), 0..4)), 1..4),
    ) {
        let mut bytes = document.to_string().into_bytes();
        for (at, other) in spoils {
            let from = at.index(bytes.len());
            let to = (from + other.len()).min(bytes.len());
            bytes.splice(from..to, other);
        }
        read_as_all(&bytes);
    }

    #[test]
    fn documents_with_an_end_missing_can_be_read(document in documents(), end: Index) {
        let bytes = document.to_string().into_bytes();
        read_as_all(&bytes[..end.index(bytes.len())]);
    }

    #[test]
    fn documents_with_other_json_in_them_can_be_read(
        mut document in documents(),
        spoils in vec((vec(any::<Index>(), 1..7), jsons()), 1..4),
    ) {
        for (path, other) in spoils {
            *place(&mut document, &path) = other;
        }
        read_as_all(document.to_string().as_bytes());
    }

    /// A log that was read can be written and read again.
    #[test]
    fn logs_with_other_json_in_them_come_back(path in vec(any::<Index>(), 3..7), other in jsons()) {
        let mut document = DOCUMENTS[1].clone();
        *place(&mut document, &path) = other;
        if let Ok(log) = MatchLog::read(&document, Ruleset::default()) {
            let back = MatchLog::read(&log.write(), Ruleset::default()).map(|back| back.turns);
            prop_assert_eq!(back, Ok(log.turns));
        }
    }

    /// A response is kept as the text of what it says, and its action is found without a tree of it.
    #[test]
    fn responses_are_kept_as_their_text(response in jsons()) {
        let output = serde_json::to_string_pretty(&json!({ "response": response })).unwrap();
        let response = serde_json::from_str::<Value>(&output).unwrap()["response"].take();
        let answer = BotOutput::read(output.as_bytes()).expect("the output is JSON");
        prop_assert_eq!(answer.response, response.clone());
        prop_assert_eq!(answer.parsed, ParsedResponse::from_response(&response, Verdict::Ok));
    }

    /// Whatever a bot replies, its answer can be read.
    #[test]
    fn what_bots_reply_can_be_read(taunt: String, data: String, globaldata: Option<String>, debug in jsons()) {
        let input = json!({ "requests": [first_request(&random_map(1), Seat::S0)] }).to_string();
        let reply = BotReply { taunt, data, globaldata, debug: Some(debug), ..BotReply::default() };
        let mut output = Vec::new();
        bot::run(input.as_bytes(), &mut output, RunOptions::default(), |_| reply.clone()).expect("the request is sound");
        let answer = BotOutput::read(&output).expect("the output is JSON");
        prop_assert_eq!(answer.parsed.action(), reply.action);
        prop_assert_eq!((answer.data.into_text(), answer.globaldata.map(JsonText::into_text)), (reply.data, reply.globaldata));
    }
}

/// Gives the bytes to every reader.
fn read_as_all(bytes: &[u8]) {
    let _ = BotOutput::read(bytes);
    for keep_running in [false, true] {
        let options = RunOptions { keep_running, ..RunOptions::default() };
        let _ = bot::run(bytes, std::io::sink(), options, |_| BotReply::default());
        let _ = bot::run([b"2\n", bytes].concat().as_slice(), std::io::sink(), options, |_| BotReply::default());
    }
    let text = String::from_utf8_lossy(bytes);
    for ruling in ForfeitRuling::ALL {
        let _ = judge::answer(&text, Ruleset::default().with_forfeit_ruling(ruling), CLOCK);
    }
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return };
    let _ = init_data::read(&value, CLOCK, Ruleset::default());
    let _ = MatchLog::recognises(JsonText::from(&value).json());
    if let Ok(log) = MatchLog::read(&value, Ruleset::default().with_forfeit_ruling(ForfeitRuling::Judge)) {
        let _ = log.write();
        let _ = log.scores();
    }
}

/// Returns a value within a document. Each step of the path chooses an entry of a list or an object, until the path or the
/// document ends.
fn place<'a>(value: &'a mut Value, path: &[Index]) -> &'a mut Value {
    let entries = match value {
        Value::Array(values) => values.len(),
        Value::Object(object) => object.len(),
        _ => 0,
    };
    let Some((step, rest)) = path.split_first().filter(|_| entries > 0) else { return value };
    let at = step.index(entries);
    match value {
        Value::Array(values) => place(&mut values[at], rest),
        Value::Object(object) => place(object.values_mut().nth(at).expect("the index is within the object"), rest),
        end => end,
    }
}

/// A document for each reader: input for a judge, a log, a light log, init data, input for a bot, a bot's output.
static DOCUMENTS: LazyLock<[Value; 6]> = LazyLock::new(|| {
    let map = random_map(5);
    let mut dialogue = Dialogue::with(json!({ "seed": 5 }), ForfeitRuling::Sample);
    let mut session = Session::new(map.clone());
    let mut players = RandomPlayers::new(5);
    let mut requests = vec![first_request(&map, Seat::S1)];
    for _ in 0..4 {
        let responses = players.responses(session.game());
        requests.push(session.play(&responses).expect("the game goes on").request());
        dialogue.respond(item(&responses));
    }
    let input = dialogue.input();
    let light = |item: &Value| match item.get("output") {
        Some(output) => json!({ "output": { "display": output["display"] } }),
        None => item.clone(),
    };
    [
        json!({ "log": dialogue.log()[..8], "initdata": "{\"seed\":5}" }),
        json!({ "_id": "5f0c", "players": [{ "bot": "a" }, { "bot": { "name": "b" } }], "log": input["log"] }),
        json!({ "logs": dialogue.log().iter().map(light).collect::<Vec<_>>() }),
        init_data::write(&map),
        json!({ "requests": requests, "responses": [], "data": "", "globaldata": "" }),
        json!({ "response": { "action": 1, "tauntText": "ha" }, "debug": [1], "data": "", "globaldata": "" }),
    ]
});

fn documents() -> impl Strategy<Value = Value> {
    (0..DOCUMENTS.len()).prop_map(|number| DOCUMENTS[number].clone())
}

/// Any JSON, mostly with the keys and values of the protocol.
fn jsons() -> impl Strategy<Value = Value> {
    let words = select(vec![
        "0",
        "1",
        "2",
        "3",
        "OK",
        "SKILL_COST",
        "TLE",
        "Timeout",
        "_id",
        "action",
        "actions",
        "bot",
        "command",
        "content",
        "data",
        "debug",
        "display",
        "error",
        "globaldata",
        "height",
        "id",
        "initdata",
        "log",
        "logs",
        "name",
        "output",
        "players",
        "reason",
        "requests",
        "response",
        "seed",
        "static",
        "strengthDelta",
        "tauntText",
        "trace",
        "verdict",
        "width",
        "INVALID_INPUT_VERDICT_RE",
        "{\"action\":1}",
        "{}",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-12..70_i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 8, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            btree_map(words.clone(), inner, 0..8)
                .prop_map(|entries| entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Value>()),
        ]
    })
}
