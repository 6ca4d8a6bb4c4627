//! Runs of arenas whose games are played elsewhere.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use serde_json::{Value, json as value};

use super::arena::{end, games};
use super::jobs::{comparable, play, quick_arena, replays};
use crate::common::{TestDir, json};
use crate::line_process::{LineProcess, connect};

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
