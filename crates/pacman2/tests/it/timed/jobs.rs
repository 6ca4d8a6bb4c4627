//! Games that are played elsewhere: `jobs plan`, `play` and `record`, and runs with `--elsewhere`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use pacman2_bots::net::Net;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json as value};

use super::arena::{end, games};
use crate::common::{RunResult, STAYS, TestDir, has_sandbox_for, json, start, wait_until};
use crate::line_process::{LineProcess, connect};

/// Creates an arena with short games between built-in bots and a program.
fn mixed_arena(dir: &TestDir) {
    dir.run("arena init --time-limit 20000 --turns 8").succeeded();
    dir.run("arena add greedy sample random").succeeded();
    dir.write_executable("stays", &format!("#!/bin/sh\n{STAYS}"));
    dir.run("arena add stays").succeeded();
}

/// The same with built-in bots only, whose games take milliseconds.
fn quick_arena(dir: &TestDir) {
    dir.run("arena init --time-limit 20000 --turns 8").succeeded();
    dir.run("arena add greedy random hunter").succeeded();
    dir.run("arena add greedy --name twin").succeeded();
}

/// Returns all games without what depends on times and on the machine.
fn comparable(dir: &TestDir) -> Vec<Value> {
    let mut games = games(dir);
    for game in &mut games {
        game.as_object_mut().unwrap().remove("node").expect("a game has a node");
    }
    games
}

/// Returns the public part of the replay of each game.
fn replays(dir: &TestDir) -> BTreeMap<String, Value> {
    let listed = games(dir);
    let ids = listed.iter().map(|game| game["id"].as_str().unwrap().to_owned());
    let shown = |id: &str| dir.run(&format!("arena show {id} --json")).succeeded().json()["replay"]["public"].take();
    ids.map(|id| (id.clone(), shown(&id))).collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(json).collect()
}

#[test]
fn planned_played_and_recorded_games_are_those_of_a_run() {
    let local = TestDir::new();
    mixed_arena(&local);
    local.run("arena run --maps 1").succeeded();

    let dir = TestDir::new();
    mixed_arena(&dir);
    let plan = dir.run("jobs plan --maps 1").succeeded();
    assert!(plan.stderr.contains("4 games to play, 0 in the arena"), "{plan:#?}");
    let jobs = lines(&plan.stdout);
    assert_eq!((&jobs[0]["pacman2"], &jobs[0]["version"]), (&"arena jobs".into(), &1.into()));
    let first_job = jobs.iter().position(|line| line.get("job").is_some()).unwrap();
    let programs: Vec<&Value> = jobs.iter().filter(|line| line.get("program").is_some()).collect();
    assert_eq!((programs.len(), first_job), (4, 5), "each program comes once, before the first job that needs it");
    let copy = programs.iter().find(|program| program["name"] == "stays").unwrap();
    assert!(dir.path("arena").join(copy["file"].as_str().unwrap()).is_file(), "{copy}");
    assert!(programs.iter().all(|program| program["name"] == "stays" || program["file"].is_null()));

    // On another machine, there is only a copy of the programs.
    let other = TestDir::new();
    let copied = std::process::Command::new("cp").arg("-r").arg(dir.path("arena/bots")).arg(other.path("bots")).status();
    assert!(copied.unwrap().success());
    let played = other.run_with("jobs play --programs . --node other-machine", &plan.stdout).succeeded();
    let results = lines(&played.stdout);
    assert_eq!(results.len(), 5, "{played:#?}");
    assert_eq!((&results[0]["pacman2"], &results[0]["node"]), (&"arena results".into(), &"other-machine".into()));
    assert_eq!((&results[0]["engine"], &results[0]["signature"]), (&jobs[0]["engine"], &jobs[0]["signature"]));
    assert!(results[0]["calibration_ms"].as_f64().unwrap() > 0.0);
    assert!(results[1..].iter().all(|result| result["stalled_ms"].is_u64() && result["replay"]["private"].is_object()));

    // The order does not matter, nor do keys that are not known, nor how the JSON is written.
    let mut mixed: Vec<String> = results[1..].iter().map(|result| result.to_string().replace("\":", "\" : ")).collect();
    mixed.reverse();
    let mut header = results[0].clone();
    header["color"] = "blue".into();
    let text = format!("{header}\n\n{}\n", mixed.join("\n"));
    let recorded = dir.run_with("jobs record --json", &text).succeeded();
    let expected = value!({
        "format": "pacman2 arena events", "version": 1, "event": "end", "recorded": 4, "known": 0, "different": 0, "refused": 0, "bad_lines": 0 });
    assert_eq!(recorded.json(), expected);
    assert_eq!(comparable(&dir), comparable(&local));
    assert_eq!(replays(&dir), replays(&local));
    assert!(games(&dir).iter().all(|game| game["node"] == "other-machine"));
    assert!(games(&local).iter().all(|game| game["node"].is_null()));

    // The table lists nodes if there are several.
    let table = |arguments: &str| dir.run(&format!("arena table {arguments}")).succeeded();
    assert!(table("--json").json().get("nodes").is_none() && !table("").stdout.contains("chi-square"));

    // Nothing is recorded twice, and nothing is left to be played.
    let again = dir.run_with("jobs record", &text).succeeded();
    assert_eq!(again.stdout, "0 games recorded, 4 already known.\n");
    let nothing = dir.run("jobs plan --maps 1").succeeded();
    assert_eq!(lines(&nothing.stdout).len(), 1, "only the header: {nothing:#?}");
    let run = dir.run("arena run --maps 1 --json").succeeded();
    assert_eq!((&end(&run.stdout)["played"], &end(&run.stdout)["known"]), (&0.into(), &4.into()));
    dir.run("arena run --seeds 2").succeeded();
    let nodes = table("--json").json()["nodes"].take();
    let summary = |node: &Value| (node["node"].clone(), node["games"].clone(), node["time_outs"].clone());
    assert_eq!(
        nodes.as_array().unwrap().iter().map(summary).collect::<Vec<_>>(),
        [(Value::Null, 4.into(), 0.into()), ("other-machine".into(), 4.into(), 0.into())]
    );
    let printed = table("").stdout;
    assert!(
        printed.contains("chi-square") && printed.contains("     other-machine") && printed.contains("     (here)"),
        "{printed}"
    );
}

/// Plays jobs, and returns the header and the results.
fn play(dir: &TestDir, jobs: &[String]) -> Vec<String> {
    let played = dir.run_with("jobs play --node here", &(jobs.join("\n") + "\n")).succeeded();
    played.stdout.lines().map(str::to_owned).collect()
}

/// The driver of this test reorders, repeats, drops and damages results.
#[test]
fn no_game_of_a_run_elsewhere_is_lost_or_recorded_twice() {
    let local = TestDir::new();
    quick_arena(&local);
    local.run("arena run --maps 4").succeeded();

    let dir = TestDir::new();
    quick_arena(&dir);
    let mut run = LineProcess::start(&dir, "arena run --maps 4 --elsewhere");
    run.write(r#"{"slots":6}"#);
    run.write(r#"{"note":"2 nodes"}"#);
    let (mut prefix, mut jobs, mut round, mut recorded) = (Vec::new(), VecDeque::new(), 0, BTreeSet::new());
    let mut refused = 0;
    let last = loop {
        let line = run.read().expect("a run ends with an event");
        if line.get("job").is_some() {
            jobs.push_back(line.to_string());
        } else if line.get("pacman2").is_some() || line.get("program").is_some() {
            prefix.push(line.to_string());
        } else if let Some(id) = line.get("recorded") {
            recorded.insert(id.as_str().unwrap().to_owned());
        } else if let Some(id) = line.get("refused") {
            refused += 1;
            if let Some(id) = id.as_str() {
                run.write(&value!({ "again": id }).to_string());
            }
        } else if line["event"] == "end" {
            break line;
        }
        let in_flight = jobs.len();
        assert!(in_flight <= 6, "{in_flight} jobs in flight");
        // All that remain are there, or as many as there are slots.
        if in_flight == 6 || in_flight > 0 && recorded.len() + in_flight == 16 {
            round += 1;
            let results = play(&dir, &[&prefix[..], jobs.make_contiguous()].concat());
            run.write(&results[0]);
            let mut results: Vec<String> = results[1..].to_vec();
            results.reverse();
            if round == 1 {
                let first = results.pop().unwrap();
                // Another score, a damaged line, and a result that never arrives.
                run.write(&first.replacen("\"hundredths\":", "\"hundredths\":1", 1));
                run.write(&first[..first.len() / 2]);
                let dropped = json(&results.pop().unwrap())["result"].clone();
                run.write(&value!({ "again": dropped }).to_string());
            }
            for result in &results {
                run.write(result);
                run.write(result);
            }
            // Those that were asked for again are written again.
            jobs.clear();
        }
    };
    assert_eq!((&last["finished"], &last["played"]), (&true.into(), &16.into()));
    assert!(refused >= 2, "the other score and the damaged line were refused");
    assert_eq!(recorded.len(), 16);
    assert_eq!(run.code(), Some(0));
    assert_eq!(comparable(&dir), comparable(&local));
    assert_eq!(replays(&dir), replays(&local));
}

#[test]
fn a_killed_coordinator_continues() {
    let dir = TestDir::new();
    quick_arena(&dir);
    let run = "arena run --maps 3 --elsewhere";
    let mut killed = LineProcess::start(&dir, run);
    killed.write(r#"{"slots":4}"#);
    let mut jobs = vec![killed.read_until("pacman2").to_string()];
    while jobs.iter().filter(|line| line.contains("\"job\"")).count() < 4 {
        jobs.push(killed.read().unwrap().to_string());
    }
    let results = play(&dir, &jobs);
    for result in &results[..3] {
        killed.write(result);
    }
    killed.read_until("recorded");
    killed.read_until("recorded");
    killed.child.kill().unwrap();
    assert_eq!(killed.code(), None);
    assert_eq!(games(&dir).len(), 2);

    // Results that come late are recorded, too; then the same command plays the others.
    let late = dir.run_with("jobs record", &results.join("\n")).succeeded();
    assert_eq!(late.stdout, "2 games recorded, 2 already known.\n");
    let mut rest = LineProcess::start(&dir, run);
    rest.write(r#"{"slots":8}"#);
    let mut jobs = vec![rest.read_until("pacman2").to_string()];
    while jobs.iter().filter(|line| line.contains("\"job\"")).count() < 8 {
        jobs.push(rest.read().unwrap().to_string());
    }
    for result in play(&dir, &jobs) {
        rest.write(&result);
    }
    let last = loop {
        let event = rest.read_until("event");
        if event["event"] == "end" {
            break event;
        }
    };
    assert_eq!((&last["played"], &last["known"]), (&8.into(), &4.into()));
    assert_eq!(rest.code(), Some(0));

    // The end of the input interrupts a run.
    let mut interrupted = LineProcess::start(&dir, "arena run --maps 4 --elsewhere");
    interrupted.read_until("job");
    drop(interrupted.input.take());
    let last = interrupted.read_until("played");
    assert_eq!((&last["event"], &last["finished"]), (&"end".into(), &false.into()));
    assert_eq!(interrupted.code(), Some(130));
}

#[test]
fn stages_that_depend_on_results_are_played_elsewhere() {
    let local = TestDir::new();
    quick_arena(&local);
    local.run("arena run --schedule swiss --rounds 3").succeeded();
    let decided = local.run("arena compare greedy random --json").succeeded();

    let dir = TestDir::new();
    quick_arena(&dir);
    for round in 1..=3 {
        let plan = dir.run("jobs plan --schedule swiss --rounds 3").succeeded();
        assert!(plan.stderr.contains("plan again for what follows"), "round {round}: {plan:#?}");
        let played = dir.run_with("jobs play", &plan.stdout).succeeded();
        dir.run_with("jobs record", &played.stdout).succeeded();
    }
    let plan = dir.run("jobs plan --schedule swiss --rounds 3").succeeded();
    assert_eq!(plan.stdout.lines().count(), 1, "{plan:#?}");
    assert_eq!(comparable(&dir).len(), 12);

    // A comparison keeps the slots busy, and its blocks count in their order whatever the order of results.
    let mut run = LineProcess::start(&dir, "arena compare greedy random --elsewhere");
    run.write(r#"{"slots":10}"#);
    let mut player = LineProcess::start(&dir, "jobs play --node here");
    let (mut results, mut obsolete) = (Vec::new(), 0);
    let last = loop {
        // Results come in another order than their jobs.
        results.extend(player.output.try_iter().map(|line| line.to_string()));
        if let Some(header) = results.iter().position(|line| line.contains("\"pacman2\"")) {
            run.write(&results.remove(header));
        }
        let line = run.output.recv_timeout(Duration::from_millis(5));
        if line.is_err() || results.len() >= 4 {
            results.drain(..).rev().for_each(|result: String| run.write(&result));
        }
        let Ok(line) = line else { continue };
        if ["pacman2", "program", "job"].iter().any(|key| line.get(key).is_some()) {
            player.write(&line.to_string());
        } else if let Some(ids) = line.get("obsolete") {
            obsolete += ids.as_array().unwrap().len();
        } else if line["event"] == "end" {
            break line;
        }
    };
    assert_eq!(player.code(), Some(0));
    assert_eq!(run.code(), Some(0));
    let expected = end(&decided.stdout);
    let settings = |event: &Value| {
        let settings = event["settings"].as_array().unwrap().iter();
        settings
            .map(|setting| (setting["verdict"].clone(), setting["blocks"].clone(), setting["llr"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(settings(&last), settings(&expected));
    assert!(last["wasted"].as_u64().unwrap() >= obsolete as u64 && obsolete <= 20, "{last}");
    // The comparison on this machine finds all games.
    let again = dir.run("arena compare greedy random --json").succeeded();
    assert_eq!(settings(&end(&again.stdout)), settings(&expected));
    let plan = dir.run("jobs plan --compare greedy random").succeeded();
    assert_eq!(plan.stdout.lines().count(), 1, "{plan:#?}");
}

#[test]
fn a_gate_is_decided_elsewhere_as_here() {
    let gate = "arena compare greedy random --all-tables --most-blocks 2";
    let settings = |event: &Value| {
        let settings = event["settings"].as_array().unwrap().iter();
        settings
            .map(|one| (one["setting"].clone(), one["verdict"].clone(), one["blocks"].clone(), one["lead"].clone()))
            .collect::<Vec<_>>()
    };
    let local = TestDir::new();
    local.run("arena init --turns 8").succeeded();
    let decided = end(&local.run(&format!("{gate} --json")).succeeded().stdout);

    let dir = TestDir::new();
    dir.run("arena init --turns 8").succeeded();
    let mut run = LineProcess::start(&dir, &format!("{gate} --elsewhere"));
    run.write(r#"{"slots":8}"#);
    let mut player = LineProcess::start(&dir, "jobs play --node there");
    let (last, results) = connect(&mut run, &mut player);
    assert_eq!((run.code(), player.code()), (Some(0), Some(0)));
    assert_eq!(settings(&last), settings(&decided));
    assert_eq!(last["settings"].as_array().unwrap().len(), 4);
    assert!(results > 0 && games(&dir).iter().all(|game| game["node"] == "there"));
    // Its table is that of a gate on one machine, which needs no other game.
    let [here, there] = [&local, &dir].map(|dir| dir.run(gate).succeeded().stdout);
    assert_eq!(here, there);
}

#[test]
fn a_net_is_copied_into_the_arena_and_sent_with_the_jobs() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.path("nets")).unwrap();
    let net = |weight: f32| Net::from_weights(&[weight; pacman2_bots::net::WEIGHTS]).write("a test");
    std::fs::write(dir.path("nets/small.net"), net(0.0)).unwrap();
    dir.run("arena init --turns 6").succeeded();
    dir.run("arena add greedy random hunter").succeeded();
    dir.run("arena add 'sage --simulations 4 --net nets/small.net' --name netted").succeeded();
    // The arena does not need the original.
    std::fs::remove_dir_all(dir.path("nets")).unwrap();
    dir.run("arena run --seeds 1").succeeded();
    let expected = comparable(&dir);
    let expected = expected.iter().filter(|game| game["seed"] == 1).collect::<Vec<_>>();

    let plan = dir.run("jobs plan --seeds 2").succeeded().stdout;
    let planned = lines(&plan);
    let program = planned.iter().find(|line| line["name"] == "netted" && line.get("program").is_some()).unwrap();
    let file = program["file"].as_str().unwrap();
    assert!(file.starts_with("bots/") && file.ends_with("/small.net") && dir.path("arena").join(file).is_file(), "{program}");
    assert!(program["program"].as_str().unwrap().contains(program["net"].as_str().unwrap()), "{program}");
    // Another machine has the net in another place.
    let other = TestDir::new();
    let place = program["net"].as_str().unwrap();
    std::fs::create_dir_all(other.path(&format!("programs/{place}"))).unwrap();
    std::fs::copy(dir.path("arena").join(file), other.path(&format!("programs/{place}/x.net"))).unwrap();
    let moved = plan.replace(&format!("\"file\":\"{file}\""), &format!("\"file\":\"{place}/x.net\""));
    let played = other.run_with("jobs play --programs programs --node other", &moved).succeeded();
    dir.run_with("jobs record", &played.stdout).succeeded();
    assert_eq!((expected.len(), games(&dir).len()), (4, 8));

    // A missing net, and another one in its place.
    let codes_of = |jobs: &str| codes(&other.run_with("jobs play --programs programs", jobs).succeeded());
    assert_eq!(codes_of(&plan), ["missing-program"; 4]);
    std::fs::write(other.path(&format!("programs/{place}/x.net")), net(1.0)).unwrap();
    assert_eq!(codes_of(&moved), ["changed-program"; 4]);
}

/// Their hash is not that of the file that is sent: it covers what an archive holds.
#[test]
fn archives_are_kept_by_the_hash_of_their_file() {
    if !crate::common::has("python3", "an archive with a bot, played elsewhere") {
        return;
    }
    let dir = TestDir::new();
    let bot = "print('{\"response\":{\"action\":-1}}')\n";
    dir.write_zip("bot.zip", &[("__main__.py", bot), ("helper.py", "")]);
    dir.run("arena init --turns 2").succeeded();
    dir.run("arena add greedy random hunter bot.zip").succeeded();
    let plan = dir.run("arena plan --seeds 1").succeeded().stdout;
    let programs = lines(&plan);
    let program = programs.iter().find(|line| line["name"] == "bot" && line.get("command").is_some()).unwrap();
    let (file, place) = (program["file"].as_str().unwrap(), program["content"].as_str().unwrap());
    let other = TestDir::new();
    std::fs::create_dir_all(other.path(&format!("programs/{place}"))).unwrap();
    std::fs::copy(dir.path("arena").join(file), other.path(&format!("programs/{place}/x.zip"))).unwrap();
    let moved = plan.replace(&format!("\"file\":\"{file}\""), &format!("\"file\":\"{place}/x.zip\""));
    let played = other.run_with("arena play --programs programs", &moved).succeeded();
    dir.run_with("arena record", &played.stdout).succeeded();
    assert_eq!(games(&dir).len(), 4);
}

/// Returns the jobs of one map.
fn jobs_of(dir: &TestDir) -> String {
    dir.run("jobs plan --maps 1").succeeded().stdout
}

/// Returns the codes of the failures in the output of `play`.
fn codes(result: &RunResult) -> Vec<String> {
    let failures = lines(&result.stdout).into_iter().filter(|line| line.get("failed").is_some());
    failures.map(|line| line["reason"]["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn jobs_that_cannot_be_played_get_a_reason() {
    let dir = TestDir::new();
    mixed_arena(&dir);
    let jobs = jobs_of(&dir);
    let play = |options: &str, jobs: &str| dir.run_with(&format!("jobs play {options}"), jobs).succeeded();

    let elsewhere = play("--programs nowhere", &jobs);
    assert_eq!(codes(&elsewhere), ["missing-program"; 4]);
    assert!(elsewhere.stdout.contains("the program of stays@1 is missing: expected bots/"), "{elsewhere:#?}");
    let header = json(elsewhere.stdout.lines().next().unwrap());
    assert_eq!(header["pacman2"], "arena results", "failures have a header, too");

    let file = lines(&jobs).iter().find_map(|line| Some(line.get("file")?.as_str()?.to_owned())).unwrap();
    let copy = format!("arena/{file}");
    let original = dir.read(&copy);
    dir.write_executable(&copy, &format!("{original}\n# changed"));
    assert_eq!(codes(&play("", &jobs)), ["changed-program"; 4]);
    dir.write_executable(&copy, &original);
    assert_eq!(
        codes(&play("", &jobs.replace(&format!("\"file\":\"{file}\""), "\"file\":\"../../etc/passwd\""))),
        ["missing-program"; 4]
    );

    assert_eq!(codes(&play("", &jobs.replace("\"engine\":\"pacman2 ", "\"engine\":\"pacman2 9"))), ["engine"; 4]);
    assert_eq!(codes(&play("", &jobs.replace("\"signature\":\"", "\"signature\":\"0"))), ["signature"; 4]);
    assert_eq!(codes(&play("", &jobs.replace("\"seed\":1", "\"seed\":2"))), ["id"; 4]);
    // A trusted program has no sandbox.
    let trusted = dir.run_with("jobs play --trust all", &jobs.replace("\"tier\":null", "\"tier\":\"B\"")).succeeded();
    assert_eq!(codes(&trusted), ["tier"; 4]);
    assert!(trusted.stdout.contains("stays@1 needs a sandbox of tier B, but would run in tier C"), "{trusted:#?}");
}

/// What jobs say is a stranger's word: they choose names, commands and paths.
#[test]
fn jobs_of_strangers_run_only_what_is_allowed_by_hash() {
    if !has_sandbox_for("jobs of strangers") {
        return;
    }
    let worker = TestDir::new();
    std::fs::create_dir_all(worker.path("programs/bots")).unwrap();
    std::fs::create_dir(worker.path("private")).unwrap();
    worker.write("private/diary.txt", "a secret");
    worker.write("programs/bots/notes.cpp", "another secret");
    // The stranger knows that this folder exists. A file on the command line shows its folder in the same way.
    let stranger = TestDir::new();
    std::fs::create_dir(stranger.path("empty")).unwrap();
    stranger.run("arena init --time-limit 20000 --turns 2").succeeded();
    stranger.run("arena add greedy sample random").succeeded();
    let empty = stranger.path("empty").display().to_string();
    let spy = shlex::try_join(["sh", "-c", &format!("cat \"$0\"/diary.txt >&2; {STAYS}"), &empty]).unwrap();
    stranger.run(&format!("arena add --name alice {}", shlex::try_quote(&spy).unwrap())).succeeded();
    let private = worker.path("private").display().to_string();
    let jobs = jobs_of(&stranger).replace(&empty, &private);
    let play = |options: &str, jobs: &str| worker.run_with(&format!("jobs play --programs programs {options}"), jobs).succeeded();

    let refused = play("", &jobs);
    assert!(!refused.stdout.contains("a secret"), "a job read a private folder: {}", refused.stdout);
    assert_eq!(codes(&refused), ["command"; 4]);
    let (_, hash) = refused.stdout.split_once("add --allow-command ").expect("the reason has the hash");
    let hash = &hash[..64];
    // The user may allow exactly this command.
    let allow = format!("--allow-command {hash}");
    assert!(play(&allow, &jobs).stdout.contains("a secret"));
    assert_eq!(codes(&play(&allow, &jobs.replace(&private, "/etc"))), ["command"; 4]);
    // No job reads any other file, not even in a message of the compiler.
    let built_in = "\"command\":\"greedy\",\"file\":null";
    let plan = jobs_of(&stranger);
    assert!(plan.contains(built_in), "{plan}");
    let compiled = play("", &plan.replace(built_in, "\"command\":\"x\",\"file\":\"bots/notes.cpp\""));
    assert!(!compiled.stdout.contains("another secret"), "{compiled:#?}");

    // Trust goes by hash, too: jobs may give their programs any name.
    let dir = TestDir::new();
    mixed_arena(&dir);
    let jobs = jobs_of(&dir);
    dir.run_with("jobs play --trust stays@1", &jobs).misused(&["--trust", "stays@1", "the hash of a program"]);
    let program = lines(&jobs).into_iter().find(|line| line["name"] == "stays").unwrap()["program"].clone();
    let program = program.as_str().unwrap();
    let tiers = |options: &str| {
        let played = dir.run_with(&format!("jobs play {options}"), &jobs).succeeded();
        played.stdout.matches("\"C\"").count()
    };
    assert_eq!((tiers(&format!("--trust {program}")), tiers(&format!("--trust {hash}"))), (4, 0));
}

#[test]
fn bad_lines_get_one_sentence() {
    let dir = TestDir::new();
    quick_arena(&dir);
    let jobs = jobs_of(&dir);
    let header = jobs.lines().next().unwrap();
    let refused = |jobs: &str, words: &[&str]| {
        let mut played = dir.run_with("jobs play", jobs);
        // The header of the results precedes the first game.
        if played.stdout.starts_with('{') && played.stdout.lines().count() == 1 && played.stdout.contains("\"arena results\"") {
            played.stdout.clear();
        }
        played.refused(words);
    };
    refused("{\"job\":1}\n", &["jobs, line 1: expected a header of arena jobs first"]);
    refused("hello\n", &["jobs, line 1: expected a JSON object"]);
    refused(&header.replace("jobs", "results"), &["expected a header of arena jobs, got one of \"arena results\""]);
    refused(&header.replace("arena jobs", "train jobs"), &["got jobs of training; name the folder of its nets with --nets"]);
    refused(&header.replace("\"version\":1", "\"version\":2"), &["expected version 1 of arena jobs, got 2"]);
    refused(&format!("{header}\n{{\"what\":1}}\n"), &["line 2: expected a header, a program or a job", "\"what\""]);
    refused(&format!("{header}\n{{\"job\":\"x\"}}\n"), &["line 2: not a job: missing field"]);
    refused(&header.replace("\"turns\":8", "\"turns\":0"), &["expected settings with at least"]);
    refused(&header.replace("\"turns\":8", "\"turns\":8,\"moon\":1"), &["not a header of jobs: unknown field `moon`"]);
    dir.run("jobs play nofile.jsonl").refused(&["nofile.jsonl"]);

    // A header alone is answered by a header: that is how a cluster checks a machine. With one core, bots think in turn.
    let checked = dir.run_with("jobs play --node here --cores 1", header).succeeded().json();
    assert_eq!((&checked["pacman2"], &checked["node"]), (&"arena results".into(), &"here".into()));
    assert!(
        ["engine", "signature", "settings", "tier", "calibration_ms"].iter().all(|key| !checked[*key].is_null()),
        "{checked}"
    );

    let results = dir.run_with("jobs play --node here", &jobs).succeeded().stdout;
    let mut results: Vec<&str> = results.lines().collect();
    let half = &results[4][..results[4].len() / 3];
    results[4] = half;
    let text = results.join("\n");
    let recorded = dir.run_with("jobs record", &text);
    assert_eq!(
        (recorded.code, recorded.stdout.as_str()),
        (Some(2), "3 games recorded, 0 already known, 1 lines not understood.\n")
    );
    assert!(recorded.stderr.starts_with("pacman2: line 5: expected a JSON object"), "{recorded:#?}");
    assert_eq!((recorded.stderr.lines().count(), games(&dir).len()), (1, 3));

    // Headers of others refuse what follows them.
    let record = |text: &str| dir.run_with("jobs record --json", text);
    for (from, to, code) in [
        ("\"engine\":\"pacman2 ", "\"engine\":\"pacman2 9", "engine"),
        ("\"signature\":\"", "\"signature\":\"0", "signature"),
        ("\"turns\":8", "\"turns\":9", "settings"),
        ("\"node\":\"here\"", "\"node\":\"\"", "node"),
    ] {
        let text = results[..4].join("\n").replacen(from, to, 1);
        let refused = record(&text);
        assert_eq!(refused.code, Some(1), "{code}: {refused:#?}");
        let codes: Vec<Value> = lines(&refused.stdout)[..3].iter().map(|line| line["reason"]["code"].clone()).collect();
        assert_eq!(codes, [code; 3]);
    }
    // What contradicts the rules or the id is refused, and what is larger than this program makes it.
    let large = format!("\"private\":{{\"debug\":\"{}\",", "x".repeat(5 << 20));
    for (from, to, code) in [
        ("\"seed\":1", "\"seed\":3", "id"),
        ("\"hundredths\":", "\"hundredths\":1", "scores"),
        ("\"position\":\"", "\"position\":\"0", "replay"),
        ("\"name\":\"greedy\"", "\"name\":\"greedier\"", "bot"),
        ("\"block\":\"", "\"block\":\"<b>", "block"),
        ("\"private\":{", &large, "replay"),
    ] {
        let text = format!("{}\n{}", results[0], results[1].replacen(from, to, 1));
        let refused = record(&text);
        assert_eq!((refused.code, &lines(&refused.stdout)[0]["reason"]["code"]), (Some(1), &code.into()), "{refused:#?}");
    }
    assert!(record(results[1]).stdout.contains("expected a header before the first result"));
    assert_eq!(games(&dir).len(), 3);
}

#[test]
fn a_game_that_took_another_course_is_reported() {
    let dir = TestDir::new();
    mixed_arena(&dir);
    let played = dir.run_with("jobs play --node first", &jobs_of(&dir)).succeeded().stdout;
    dir.run_with("jobs record", &played).succeeded();
    // The same games with another action of the program: its author may have used a clock.
    let other = TestDir::new();
    other.run("arena init --time-limit 20000 --turns 8").succeeded();
    other.run("arena add greedy sample random").succeeded();
    let illegal = STAYS.replace("-1", "9");
    other.write_executable("stays", &format!("#!/bin/sh\n{illegal}"));
    other.run("arena add stays").succeeded();
    let differing = other.run_with("jobs play --node second", &jobs_of(&other)).succeeded().stdout;
    let [kept, found] = [&played, &differing].map(|text| {
        let results = lines(text).into_iter().filter(|line| line.get("result").is_some());
        let mut results: Vec<Value> = results.collect();
        results.sort_by_key(|result| result["seats"][0]["name"].to_string());
        results
    });
    // Only what identifies the program is exchanged.
    let program = |result: &Value| {
        let seats = result["seats"].as_array().unwrap();
        seats.iter().find(|seat| seat["name"] == "stays").unwrap()["program"].as_str().unwrap().to_owned()
    };
    let ids = |result: &Value| (result["result"].as_str().unwrap().to_owned(), result["block"].as_str().unwrap().to_owned());
    let mut forged = found[0].to_string().replace(&program(&found[0]), &program(&kept[0]));
    forged = forged.replace(&ids(&found[0]).0, &ids(&kept[0]).0).replace(&ids(&found[0]).1, &ids(&kept[0]).1);
    let text = format!("{}\n{forged}\n", differing.lines().next().unwrap());
    let recorded = dir.run_with("jobs record --json", &text).succeeded();
    let events = lines(&recorded.stdout);
    assert_eq!(
        (&events[0]["event"], &events[0]["turn"], &events[0]["deterministic"]),
        (&"differs".into(), &1.into(), &false.into())
    );
    assert_eq!((&events[0]["kept"]["node"], &events[0]["found"]["node"]), (&"first".into(), &"second".into()));
    assert_ne!(events[0]["kept"]["scores"], events[0]["found"]["scores"]);
    assert_eq!((&events[1]["different"], &events[1]["recorded"]), (&1.into(), &0.into()));
    let said = dir.run_with("jobs record", &text).succeeded();
    assert!(said.stderr.contains("took another course from turn 1 on"), "{said:#?}");
    assert!(games(&dir).iter().all(|game| game["node"] == "first"));
}

#[test]
fn a_plan_in_files_is_complete_in_each() {
    let dir = TestDir::new();
    quick_arena(&dir);
    dir.run("jobs plan --maps 3 --out jobs --per-file 5").succeeded();
    let names: Vec<String> = (1..=3).map(|number| format!("jobs/{number:05}.jsonl")).collect();
    for name in &names {
        let played = dir.run(&format!("jobs play {name}")).succeeded();
        dir.run_with("jobs record", &played.stdout).succeeded();
    }
    assert_eq!(games(&dir).len(), 12);
    dir.run("jobs plan --maps 3 --out jobs").refused(&["jobs: expected a new or empty folder"]);
    dir.run("jobs plan --compare greedy nosuch").refused(&["no bot \"nosuch\""]);
    dir.run("jobs plan --compare greedy twin").refused(&["greedy@1 and twin@1 are the same program"]);
}

/// However a process ends, no bot of its games stays.
#[cfg(target_os = "linux")]
#[test]
fn no_bot_outlives_play() {
    let dir = TestDir::new();
    dir.run("arena init --time-limit 20000 --turns 8").succeeded();
    dir.run("arena add greedy sample random").succeeded();
    // It passes its trial, which is on another map.
    let sleeps = "read -r question; case $question in *seed*777*) sleep MARK;; esac; echo '{\"response\":{\"action\":-1}}'";
    dir.write_executable("sleeps", &format!("#!/bin/sh\n{sleeps}"));
    dir.run("arena add sleeps").succeeded();
    let jobs = dir.run("jobs plan --seeds 777").succeeded().stdout;
    dir.write("jobs.jsonl", &jobs);
    let begun = |dir: &TestDir| wait_until("a bot to run", || dir.survivors().iter().any(|process| process.contains(&dir.mark)));

    // A request to end.
    let running = start(dir.command("jobs play jobs.jsonl"), "");
    begun(&dir);
    kill_process(Pid::from_child(&running.child), Signal::INT).unwrap();
    assert_eq!(running.wait().code, Some(130));
    dir.wait_until_deserted();

    // Without a warning.
    let mut running = start(dir.command("jobs play jobs.jsonl"), "");
    begun(&dir);
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    dir.wait_until_deserted();

    // Nothing reads the results any more.
    let mut command = dir.command("jobs play jobs.jsonl");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    begun(&dir);
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    dir.wait_until_deserted();
}

/// Memory does not grow with the length of a plan.
#[cfg(target_os = "linux")]
#[test]
fn a_long_plan_needs_little_memory() {
    let dir = TestDir::new();
    quick_arena(&dir);
    let mut command = dir.command("jobs plan --maps 10000");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut peak_at = |jobs: usize| {
        let listed = lines.by_ref().map(Result::unwrap).filter(|line| line.contains("\"job\"")).take(jobs).count();
        assert_eq!(listed, jobs);
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    };
    let early = peak_at(1000);
    let late = peak_at(38_000);
    assert!(late < early + 3_000, "{early} kB after 1,000 games, {late} kB after 39,000 games");
    drop(lines);
    child.wait().unwrap();
}

/// The example of the documentation, as it stands there.
#[test]
fn the_example_with_xargs_plays_all_games() {
    let pages = [include_str!("../../../../../docs/SCALE.md"), include_str!("../../../../../docs/SCALE.zh.md")];
    let example = |page: &str| {
        let (_, rest) = page.split_once("## xargs").expect("the page has this heading");
        let (_, rest) = rest.split_once("```sh\n").expect("an example follows");
        rest.split_once("```").expect("the example ends").0.to_owned()
    };
    let script = example(pages[0]);
    assert!(script.contains("| xargs -P") && script == example(pages[1]), "{script}");
    let dir = TestDir::new();
    quick_arena(&dir);
    let program = std::path::Path::new(crate::common::PACMAN2).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = std::process::Command::new("sh");
    command.args(["-e", "-c", &script]).env("PATH", format!("{}:{path}", program.display()));
    dir.isolate(&mut command);
    let result = start(command, "").wait().succeeded();
    assert_eq!(result.stdout, "8 games recorded, 0 already known.\n");
    assert_eq!(dir.names().iter().filter(|name| name.as_str() == "jobs").count(), 1);
    assert_eq!(games(&dir).len(), 8);
}
