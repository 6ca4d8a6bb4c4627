//! Games that are played elsewhere: `jobs plan`, `play` and `record`, and runs with `--elsewhere`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use pacman2_bots::net::Net;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json as value};

use super::arena::{end, games};
use crate::common::{RunResult, STAYS, TestDir, json, start, wait_until};

/// Creates an arena with short games between built-in bots and a program.
pub(super) fn mixed_arena(dir: &TestDir) {
    dir.run("arena init --time-limit 20000 --turns 8").succeeded();
    dir.run("arena add greedy sample random").succeeded();
    dir.write_executable("stays", &format!("#!/bin/sh\n{STAYS}"));
    dir.run("arena add stays").succeeded();
}

/// The same with built-in bots only, whose games take milliseconds.
pub(super) fn quick_arena(dir: &TestDir) {
    dir.run("arena init --time-limit 20000 --turns 8").succeeded();
    dir.run("arena add greedy random hunter").succeeded();
    dir.run("arena add greedy --name twin").succeeded();
}

/// Returns all games without what depends on times and on the machine.
pub(super) fn comparable(dir: &TestDir) -> Vec<Value> {
    let mut games = games(dir);
    for game in &mut games {
        game.as_object_mut().unwrap().remove("node").expect("a game has a node");
    }
    games
}

/// Returns the public part of the replay of each game.
pub(super) fn replays(dir: &TestDir) -> BTreeMap<String, Value> {
    let listed = games(dir);
    let ids = listed.iter().map(|game| game["id"].as_str().unwrap().to_owned());
    let shown = |id: &str| dir.run(&format!("arena show {id} --json")).succeeded().json()["replay"]["public"].take();
    ids.map(|id| (id.clone(), shown(&id))).collect()
}

pub(super) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(json).collect()
}

/// Returns the codes of the failures in the output of `play`.
pub(super) fn codes(result: &RunResult) -> Vec<String> {
    let failures = lines(&result.stdout).into_iter().filter(|line| line.get("failed").is_some());
    failures.map(|line| line["reason"]["code"].as_str().unwrap().to_owned()).collect()
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
pub(super) fn play(dir: &TestDir, jobs: &[String]) -> Vec<String> {
    let played = dir.run_with("jobs play --node here", &(jobs.join("\n") + "\n")).succeeded();
    played.stdout.lines().map(str::to_owned).collect()
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
