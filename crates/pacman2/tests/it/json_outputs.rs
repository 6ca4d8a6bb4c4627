//! Every output of `--json` is as its schema in docs/schema says.

mod schemas;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json as value};

use crate::botzone::{dir_for, play};
use crate::common::{STAYS, TestDir, has_sandbox_for, json};
use crate::stand_in::{ServedMatch, StandIn};
use schemas::{FOLDER, Schemas};

/// Commands, in this order in one folder, and the schema of what each prints.
const COMMANDS: &[(&str, &str)] = &[
    ("play greedy sample random hunter --seed 1 --replay m/match.json --html m/match.html", "play"),
    ("play ./faulty greedy greedy greedy --seed 1 --turns 3 --no-replay", "play"),
    ("play greedy sample random hunter --games 6 --seed 1", "play-games"),
    ("play ./faulty greedy greedy greedy --games 2 --seed 1 --turns 3 --lost lost", "play-games"),
    ("play greedy sample random hunter --games 8 --rotate --seed 1", "play-games"),
    ("check ./stays", "check"),
    ("check ./faulty", "check"),
    ("check ./faulty --positions positions.jsonl", "check-positions"),
    ("bundle bot.cpp -o upload.cpp --no-check", "bundle"),
    ("bundle bot.py -o upload.py", "bundle"),
    ("map --seed 5", "map"),
    ("replay verify m/match.json", "replay-verify"),
    ("replay verify pack.jsonl", "replay-verify"),
    ("replay show m/match.json", "replay-show"),
    ("analyse m/match.json --simulations 20", "analyse"),
    ("analyse m/match.json --turn 2 --simulations 20", "analyse-turn"),
    ("rerun m/match.json ./faulty --seat 0 --simulations 2", "rerun"),
    ("rerun lost greedy --simulations 2", "rerun-folder"),
    ("bench --seconds 0.2", "bench"),
    ("doctor", "doctor"),
    ("arena add greedy sample random hunter", "arena-add"),
    ("arena add ./stays", "arena-add"),
    ("arena run --maps 1", "arena-events"),
    ("arena compare greedy sample --most-blocks 2 --all-tables", "arena-events"),
    ("arena table", "arena-table"),
    ("arena games", "arena-games"),
    ("arena show GAME", "arena-show"),
    ("arena similar --at-least 1", "arena-similar"),
    ("arena tournament class.toml --check", "arena-events"),
    ("arena tournament class.toml", "arena-events"),
    ("jobs record results.jsonl", "arena-events"),
    ("train --out run --generations 1 --games 10 --simulations 1 --measure 1", "train"),
];

/// What tests of their own check.
const OTHERS: [(&str, &str); 4] = [
    ("serve", "serve"),
    ("botzone play", "botzone-play"),
    ("botzone play --start", "botzone-start"),
    ("doctor --hostile", "doctor-hostile"),
];

const CLASS: &str = r#"
submissions = "class"
references = ["random", "greedy", "sample"]
limits = { turns = 5, time_ms = 60000, sandbox = "none" }
games = { seeds = [1], schedule = "swiss", rounds = 1 }
"#;

/// Checks each line of an output.
#[track_caller]
fn check(schema: &str, output: &str, what: &str) {
    let (schemas, file) = (Schemas::read(), format!("{schema}.json"));
    assert!(!output.is_empty(), "{what}: no output");
    for line in output.lines() {
        assert_eq!(schemas.problems(&file, &json(line)), [""; 0], "{what}: {line}");
    }
}

#[test]
fn every_output_follows_its_schema() {
    let dir = TestDir::new();
    ["m", "class"].iter().for_each(|folder| fs::create_dir(dir.path(folder)).unwrap());
    dir.write_executable("faulty", "#!/bin/sh\necho sorry >&2; echo no\n");
    dir.write_executable("stays", &format!("#!/bin/sh\n{STAYS}"));
    dir.write("bot.cpp", "int main() {}\n");
    dir.write("bot.py", "import json\njson.loads(input())\nprint('{\"response\": {\"action\": -1}}')\n");
    dir.write("class/alice.py", &dir.read("bot.py"));
    dir.write("class/bob.sh", "");
    dir.write("class.toml", CLASS);
    dir.write("positions.jsonl", r#"{"replay": "m/match.json", "turn": 1, "seat": 0, "not": ["stay"]}"#);
    dir.write("results.jsonl", "{}\n");
    dir.run("arena init --turns 5 --time-limit 60000").succeeded();
    for (command, schema) in COMMANDS {
        let game = || json(dir.run("arena games --json --limit 1").stdout.trim())["id"].as_str().unwrap().to_owned();
        let line = if command.contains("GAME") { command.replace("GAME", &game()) } else { (*command).to_owned() };
        check(schema, &dir.run(&format!("{line} --json")).stdout, command);
        if dir.path("m/match.json").exists() && !dir.path("pack.jsonl").exists() {
            let right = dir.replay("m/match.json");
            let mut wrong = right.clone();
            wrong["public"]["scores"] = value!([1, 2, 3, 4]);
            dir.write("pack.jsonl", &format!("{right}\n{wrong}\n"));
        }
    }
}

#[test]
fn the_address_of_the_server() {
    let dir = TestDir::new();
    dir.run("arena init").succeeded();
    let mut child = dir.command("serve --port 0 --arena arena --json").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    dir.wait_until_deserted();
    check("serve", &line, "serve");
}

#[test]
fn events_of_play_on_botzone() {
    let site = StandIn::new(vec![ServedMatch::new("a1", 1, 3, 4)]);
    let dir = dir_for(&site);
    check("botzone-play", &play(&dir, "greedy --matches 1").wait().succeeded().stdout, "botzone play");
    site.state().run_match = [(200, "\"a1\"\n".to_owned())].into();
    let started = dir.run("botzone play --start 60b1,me,60b1,60b2 --secret-file address.txt --json").succeeded();
    check("botzone-start", &started.stdout, "botzone play --start");
}

#[cfg(target_os = "linux")]
#[test]
fn hostile_bots() {
    if has_sandbox_for("the JSON output of doctor --hostile") {
        let result = TestDir::new().run("doctor --hostile --only fork_bomb --json");
        check("doctor-hostile", &result.stdout, "doctor --hostile");
    }
}

#[test]
fn every_verb_with_json_and_every_schema_has_its_test() {
    let dir = TestDir::new();
    dir.run("man pages").succeeded();
    let rows = || COMMANDS.iter().chain(&OTHERS);
    for page in fs::read_dir(dir.path("pages")).unwrap().map(|page| page.unwrap().path()) {
        let verb = page.file_stem().unwrap().to_str().unwrap().replace('-', " ").replacen("pacman2 ", "", 1);
        let has_json = fs::read_to_string(&page).unwrap().contains(r"\-\-json\fR");
        let is_tested =
            rows().any(|(command, _)| command.strip_prefix(&verb).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')));
        assert!(is_tested || !has_json, "{verb} has --json, but no row above");
    }
    let tested: BTreeSet<String> = rows().map(|(_, schema)| format!("{schema}.json")).collect();
    assert_eq!(Schemas::read().0.into_keys().collect::<BTreeSet<_>>(), tested);
}

#[test]
fn schemas_are_strict_listed_and_describe_each_key() {
    let pages = ["JSON.md", "JSON.zh.md"].map(|page| fs::read_to_string(Path::new(FOLDER).parent().unwrap().join(page)).unwrap());
    for (file, schema) in Schemas::read().0 {
        assert!(pages.iter().all(|page| page.contains(&format!("(schema/{file})"))), "{file} is not in the pages");
        check_strict(&file, &schema);
        let names = schema["properties"]["format"]["const"].as_str().into_iter().chain(
            schema["oneOf"].as_array().into_iter().flatten().filter_map(|event| event["properties"]["format"]["const"].as_str()),
        );
        names.for_each(|name| assert_eq!(name.replacen("pacman2 ", "", 1).replace(' ', "-") + ".json", file));
    }
}

fn check_strict(file: &str, schema: &Value) {
    if let Some(properties) = schema["properties"].as_object() {
        assert_eq!(schema["additionalProperties"], false, "{file}: {schema}");
        assert!(schema["required"].is_array(), "{file}: {schema}");
        for (key, value) in properties {
            let is_known = ["description", "const", "$ref", "anyOf"].iter().any(|word| value.get(word).is_some());
            assert!(is_known || value["properties"].is_object(), "{file}: {key} has no description");
        }
    }
    let inner = schema.as_object().into_iter().flat_map(|object| object.values());
    inner.chain(schema.as_array().into_iter().flatten()).for_each(|value| check_strict(file, value));
}
