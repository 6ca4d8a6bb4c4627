//! `pacman2 train`: a run is a folder, and gives the same net however often it is interrupted and on any number of threads.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use crate::common::{TestDir, json, start, wait_until};
use crate::line_process::{LineProcess, connect};
use pacman2_bots::net::{Net, WEIGHTS};
use serde_json::Value;

/// A run that takes seconds: two generations of twenty games.
const SMALL: &str = "--generations 2 --games 20 --simulations 2 --measure 1 --seed 5";

impl TestDir {
    #[track_caller]
    fn train(&self, folder: &str, options: &str) -> String {
        self.run(&format!("train --out {folder} {options}")).succeeded().stdout
    }

    /// Returns the contents of all complete files of a run.
    fn files(&self, folder: &str) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.path(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let name = entry.path().strip_prefix(self.path("")).unwrap().components().skip(1).collect::<PathBuf>();
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(entry.path()),
                    false if entry.file_name().to_str().unwrap().starts_with('.') => {}
                    false => files.push((name.to_str().unwrap().replace('\\', "/"), fs::read(entry.path()).unwrap())),
                }
            }
        }
        files.sort();
        files
    }

    fn check_same(&self, one: &str, other: &str) {
        check_same(&self.files(one), &self.files(other));
    }

    /// Checks that a run has the files of [`WHOLE`].
    fn check_whole(&self, folder: &str) {
        check_same(&WHOLE, &self.files(folder));
    }
}

/// The files of the run [`SMALL`] without an interruption, on one thread.
static WHOLE: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let dir = TestDir::new();
    dir.train("whole", &format!("{SMALL} --parallel 1"));
    dir.files("whole")
});

fn check_same(one: &[(String, Vec<u8>)], other: &[(String, Vec<u8>)]) {
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(one), names(other));
    for ((name, one), (_, other)) in one.iter().zip(other) {
        assert!(one == other, "{name} differs");
    }
}

#[test]
fn a_run_gives_the_same_net_on_one_thread_and_on_two() {
    let dir = TestDir::new();
    let output = dir.train("one", &format!("{SMALL} --parallel 2"));
    dir.check_whole("one");
    let other = dir.train("other", "--generations 1 --games 20 --simulations 2 --measure 5 --seed 6");
    let net = |folder: &str| fs::read(dir.path(folder).join("sage.net")).unwrap();
    assert_ne!(Net::read(&net("one/generation-1")), Net::read(&net("other")));

    let bytes = net("one");
    let weights = Net::read(&bytes).unwrap().weights();
    assert!(weights.iter().any(|&weight| weight != 0.0));
    let origin = bytes.split(|&byte| byte == b'\n').nth(1).map(String::from_utf8_lossy).unwrap();
    let expected = "train --generations 2 --games 20 --simulations 2 --measure 1 --seed 5 --first-seed 1000000";
    assert!(origin.starts_with("pacman2 ") && origin.ends_with(expected), "{origin}");

    let curve = dir.replay("one/curve.json");
    let generations = curve["generations"].as_array().unwrap();
    assert_eq!(generations.len(), 2);
    assert!(generations[1]["samples"].as_u64() > generations[0]["samples"].as_u64(), "{curve}");
    let against: Vec<&Value> =
        generations.iter().flat_map(|point| point["duels"].as_array().unwrap()).map(|duel| &duel["against"]).collect();
    assert_eq!(against, ["hand-made", "hand-made", "net 1"]);
    // Few maps have no interval.
    let [of_one, of_five] = [&output, &other].map(|output| output.lines().skip(1).filter(|line| line.contains('±')).count());
    assert_eq!((of_one, of_five), (0, 1), "{output}{other}");
    assert!(output.contains(&format!("{:>10} {:>8}", 1, generations[0]["samples"].as_u64().unwrap())), "{output}");
}

#[test]
fn a_killed_run_continues() {
    let dir = TestDir::new();
    // During the games of either generation, and during measurements.
    let stops =
        ["generation-1/games-00000.json", "generation-2/games-00000.json", "generation-2/against-hand-made-101000000.json"];
    for file in stops {
        let mut running = start(dir.command(&format!("train --out killed {SMALL} --parallel 1")), "");
        wait_until(file, || dir.path("killed").join(file).exists());
        running.child.kill().unwrap();
        running.wait();
    }
    // What a run had not completed when it was killed, some time ago and just now.
    let unfinished = ["killed/.pacman2-1", "killed/generation-1/.pacman2-2", "killed/.pacman2-3"];
    for (file, age) in unfinished.into_iter().zip([3600, 3600, 0]) {
        let file = fs::File::create(dir.path(file)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    dir.train("killed", SMALL);
    dir.check_whole("killed");
    assert_eq!(unfinished.map(|file| dir.path(file).exists()), [false, false, true]);
}

/// A run that begins with a net, and learns to beat another one and whoever else it does badly against.
const GIVEN: &str = "--generations 2 --games 10 --simulations 2 --measure 1 --from start.net --against built-in \
                     --opponents newest=1,past=3,styles=3,frozen=3 --prioritise --search-share 80 --window 1";

#[test]
fn a_run_with_given_nets_continues_and_gives_the_same_net_elsewhere() {
    let dir = TestDir::new();
    fs::write(dir.path("start.net"), Net::from_weights(&[0.01; WEIGHTS]).write("a test")).unwrap();
    let output = dir.train("whole", GIVEN);
    assert!(output.contains("previous net     frozen net\n"), "{output}");
    let options = dir.replay("whole/options.json");
    assert_eq!((&options["version"], &options["prioritise"], &options["search-share"]), (&2.into(), &true.into(), &80.into()));
    let copy = fs::read(dir.path("whole/from.net")).unwrap();
    assert_eq!(copy, fs::read(dir.path("start.net")).unwrap());
    let curve = dir.replay("whole/curve.json");
    let against = curve["generations"].as_array().unwrap().iter().flat_map(|point| point["duels"].as_array().unwrap());
    let against: Vec<&Value> = against.map(|duel| &duel["against"]).collect();
    assert_eq!(against, ["frozen net", "net 0", "frozen net", "net 1"]);
    let turns = |game: &Value| game["turns"].as_array().unwrap().len() as u64;
    let played: u64 = json(&dir.read("whole/generation-2/games-00000.json")).as_array().unwrap().iter().map(turns).sum();
    let learned = &curve["generations"][1];
    let of_one = learned["samples"].as_u64().unwrap() + learned["held_out_samples"].as_u64().unwrap();
    assert_eq!(of_one, played, "the window is one generation");
    let games = ["whole/generation-1/games-00000.json", "whole/generation-2/games-00000.json"].map(|file| dir.read(file));
    assert!(games.iter().all(|games| games.contains("\"frozen net\"") && games.contains("\"style ")), "{games:?}");
    assert!(games[1].contains("\"net 0\"") && games[1].contains("\"net 1\""), "{}", games[1]);

    let mut running = start(dir.command(&format!("train --out there {GIVEN}")), "");
    wait_until("a net", || dir.path("there/generation-1/lesson.json").exists());
    running.child.kill().unwrap();
    running.wait();
    fs::remove_file(dir.path("there/from.net")).unwrap();
    let mut run = LineProcess::start(&dir, &format!("train --out there --elsewhere {GIVEN}"));
    let mut play = LineProcess::start(&dir, "jobs play --nets there --node other");
    connect(&mut run, &mut play);
    assert_eq!((run.code(), play.code()), (Some(0), Some(0)));
    dir.check_same("there", "whole");

    let rejected = |old: &str, new: &str, parts: &[&str]| {
        dir.run(&format!("train --out whole {}", GIVEN.replace(old, new))).refused(parts);
    };
    rejected(
        "--from start.net",
        "--from built-in",
        &["--from ", "the run in whole has --from with the net that is whole/from.net"],
    );
    rejected("--from start.net", "", &["no --from: the run in whole has --from", "in a new folder"]);
    rejected("--prioritise", "", &["no --prioritise: the run in whole has --prioritise"]);
    rejected("past=3", "past=4", &["--opponents newest=1,past=4,", "whole has --opponents newest=1,past=3,"]);
    rejected("--search-share 80", "", &["no --search-share: ", "--search-share 80;"]);
}

#[test]
fn bad_nets_and_opponents_are_rejected() {
    let dir = TestDir::new();
    dir.write("text", "net");
    dir.run("train --out x --from text").refused(&["--from text: not a net of this version", "or built-in"]);
    dir.run("train --out x --against nowhere").refused(&["--against nowhere: ", "expected a net that pacman2 train made"]);
    dir.run("train --out x --opponents frozen=1").refused(&["expected a net for the kind frozen", "add --against NET"]);
    dir.run("train --out x --against built-in --opponents past=1").refused(&["expected a share for the net of --against"]);
    dir.run("train --out x --opponents sage=1").misused(&["expected KIND=SHARE", "got \"sage=1\""]);
    assert!(!dir.path("x").exists());
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_reports_it_and_continues() {
    let dir = TestDir::new();
    let running = start(dir.command(&format!("train --out stopped {SMALL} --parallel 1")), "");
    wait_until("games", || dir.path("stopped/generation-1/games-00000.json").exists());
    let result = running.interrupt();
    assert_eq!((result.code, result.stdout.as_str()), (Some(130), ""), "{result:?}");
    assert!(result.stderr.contains("Interrupted; the same command continues the run in stopped."), "{result:?}");
    assert!(!dir.path("stopped/sage.net").exists());
    dir.train("stopped", SMALL);
    dir.check_whole("stopped");
}

#[test]
fn more_generations_continue_a_run() {
    let dir = TestDir::new();
    dir.train("grown", &SMALL.replace("--generations 2", "--generations 1"));
    let first = fs::read(dir.path("grown/sage.net")).unwrap();
    dir.train("grown", SMALL);
    dir.check_whole("grown");
    assert_eq!(fs::read(dir.path("grown/generation-1/sage.net")).unwrap(), first);
}

#[test]
fn json_events() {
    let dir = TestDir::new();
    let output = dir.train("run", "--generations 1 --games 20 --simulations 2 --measure 2 --json");
    let events: Vec<Value> = output.lines().map(json).collect();
    let of = |event: &str| events.iter().filter(|output| output["event"] == event).collect::<Vec<_>>();
    assert_eq!(of("games").last().map(|event| (&event["done"], &event["games"])), Some((&20.into(), &20.into())));
    assert_eq!(of("epoch").len(), 15);
    assert_eq!(of("maps").last().map(|event| (&event["done"], &event["maps"])), Some((&2.into(), &2.into())));
    assert_eq!(of("generation").len(), 1);
    let end = events.last().unwrap();
    assert_eq!((&end["event"], &end["curve"]), (&"end".into(), &dir.replay("run/curve.json")));
    assert!(end["net"].as_str().unwrap().ends_with("sage.net"), "{end}");
}

#[test]
fn a_folder_with_other_files_is_rejected() {
    let dir = TestDir::new();
    dir.train("run", "--generations 1 --games 10 --simulations 1 --measure 0");
    let again = |options: &str| dir.run(&format!("train --out run --generations 1 {options}"));
    again("--games 11 --simulations 1 --measure 0").refused(&["--games 11: the run in run has --games 10", "new folder"]);
    again("--games 10 --simulations 2 --measure 0").refused(&["--simulations 2", "--simulations 1;"]);
    again("--games 10 --simulations 1 --measure 1").refused(&["--measure 1", "--measure 0"]);
    again("--games 10 --simulations 1 --measure 0 --seed 3").refused(&["--seed 3", "--seed 1"]);
    again("--games 10 --simulations 1 --measure 0 --prioritise").refused(&["--prioritise: the run in run has no --prioritise"]);
    again("--games 10 --simulations 1 --measure 0 --first-seed 3").refused(&["--first-seed 3", "--first-seed 1000000"]);

    fs::create_dir(dir.path("full")).unwrap();
    dir.write("full/something", "else");
    dir.run("train --out full").refused(&["full: contains other files"]);
    dir.run("train --out full/something").refused(&["full/something: ", "expected a folder"]);
    assert_eq!(dir.read("full/something"), "else");
    for line in ["train", "train --out x --games 9", "train --out x --generations 0", "train --out x --simulations 0"] {
        dir.run(line).misused(&["error: "]);
    }
    assert!(!dir.path("x").exists());
}

#[test]
fn a_damaged_file_is_named_and_recreated_after_deletion() {
    let dir = TestDir::new();
    let options = "--generations 1 --games 20 --simulations 2 --measure 1";
    dir.train("whole", options);
    dir.train("run", options);
    let again = || dir.run(&format!("train --out run {options}"));
    let made_again = "delete the file to have it made again";
    let games = dir.read("run/generation-1/games-00001.json");
    let damages = [
        ("generation-1/games-00001.json", games[..games.len() / 2].to_owned(), "not games of self-play: EOF"),
        ("generation-1/games-00001.json", "{}".to_owned(), "not games of self-play: invalid type: map"),
        (
            "generation-1/games-00001.json",
            games.replace("\"players\"", "\"people\""),
            "not games of self-play: missing field `players`",
        ),
        ("generation-1/games-00001.json", games.replace("\"seed\":1000012", "\"seed\":1000013"), "not the games of this chunk"),
        ("generation-1/games-00001.json", games.replacen("\"end\":\"", "\"end\":\"f", 1), ""),
        ("generation-1/lesson.json", "{\"epoch\":-1}".to_owned(), "not the losses of a training"),
        ("generation-1/sage.net", "net".to_owned(), "not a net of this version"),
        ("generation-1/against-hand-made-101000000.json", "{\"map\":5}".to_owned(), "not the games of a duel on this map"),
    ];
    for (name, text, why) in damages {
        let file = format!("run/{name}");
        let before = fs::read(dir.path(&file)).unwrap();
        dir.write(&file, &text);
        again().refused(&[name, why, made_again]);
        fs::write(dir.path(&file), before).unwrap();
    }
    dir.write("run/options.json", "[]");
    again().refused(&["options.json", "not the options of a run"]);
    fs::copy(dir.path("whole/options.json"), dir.path("run/options.json")).unwrap();

    fs::remove_file(dir.path("run/generation-1/games-00001.json")).unwrap();
    fs::remove_file(dir.path("run/generation-1/lesson.json")).unwrap();
    again().succeeded();
    dir.check_same("run", "whole");
}

#[test]
fn a_run_elsewhere_gives_the_same_net() {
    let dir = TestDir::new();
    let mut run = LineProcess::start(&dir, &format!("train --out there --elsewhere {SMALL}"));
    run.write(r#"{"slots":3}"#);
    let mut play = LineProcess::start(&dir, "jobs play --nets there --parallel 2 --node other");
    run.write(r#"{"note":"3 nodes"}"#);
    let (end, results) = connect(&mut run, &mut play);
    assert!(end["net"].as_str().unwrap().ends_with("sage.net"), "{end}");
    assert_eq!(results, 2 * 2 + 3, "two chunks of games in each generation, and the maps of three duels");
    let mut shown = run.child.stderr.take().unwrap();
    assert_eq!((run.code(), play.code()), (Some(0), Some(0)));
    let lines = io::read_to_string(&mut shown).unwrap();
    assert!(
        lines.contains("game 20 of 20") && lines.contains("positions, 3 nodes\n"),
        "the line shows where games are played: {lines}"
    );
    dir.check_whole("there");
}

#[test]
fn bad_results_of_training_are_refused() {
    let dir = TestDir::new();
    let mut run = LineProcess::start(&dir, &format!("train --out there --elsewhere {SMALL}"));
    run.write(r#"{"slots":1}"#);
    let header = run.read_until("pacman2");
    let job = run.read_until("job");
    let lines = format!("{header}\n{job}\n");
    let played = dir.run_with("jobs play --nets . --node other", &lines).succeeded();
    let [results, result] = &played.stdout.lines().map(json).collect::<Vec<Value>>()[..] else { panic!("{played:#?}") };
    let mut send = |header: &Value, result: &Value| {
        run.write(&header.to_string());
        run.write(&result.to_string());
        let answer = loop {
            let line = run.read().unwrap();
            if line.get("refused").is_some() || line.get("recorded").is_some() {
                break line;
            }
        };
        run.write(&serde_json::json!({ "again": result["result"] }).to_string());
        answer["reason"]["code"].as_str().unwrap_or("recorded").to_owned()
    };
    let changed = |key: &str, value: Value| {
        let mut result = result.clone();
        result["games"][0][key] = value;
        result
    };
    assert_eq!(send(results, &changed("end", "0123456789abcdef".into())), "result");
    assert_eq!(send(results, &changed("seed", 7.into())), "result");
    assert_eq!(send(results, &changed("turns", Value::Null)), "result");
    let mut other = results.clone();
    other["signature"] = "0".into();
    assert_eq!(send(&other, result), "signature");
    assert_eq!(send(results, result), "recorded");
    drop(run.input.take());
    assert_eq!(run.code(), Some(130));

    let code = |lines: &str| {
        let result = dir.run_with("jobs play --nets .", lines).succeeded();
        json(result.stdout.lines().nth(1).unwrap())["reason"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code(&lines.replace("\"games\":10", "\"games\":9")), "id");
    assert_eq!(code(&lines.replace("\"signature\":\"", "\"signature\":\"0")), "signature");
    let with_opponents = |opponents: &str| {
        let mut job = job.clone();
        job["opponents"] = json(opponents);
        format!("{header}\n{job}\n")
    };
    assert_eq!(code(&with_opponents(r#"[[1,"hunter"]]"#)), "id", "the id is that of another job");
    // It writes its header as soon as it has read that of the jobs.
    let refused = dir.run_with("jobs play --nets .", &format!("{header}\n{{}}\n"));
    assert_eq!((refused.code, refused.stdout.lines().count()), (Some(2), 1), "{refused:#?}");
    assert_eq!(refused.stderr, "pacman2: jobs, line 2: expected a header, a net or a job, got an empty object\n");
    dir.run("train").misused(&["--out"]);
}
