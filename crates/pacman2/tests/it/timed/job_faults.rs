//! Jobs that cannot be played, or may not be, and results that cannot be recorded.

use serde_json::Value;

use super::arena::games;
use super::jobs::{codes, lines, mixed_arena, quick_arena};
use crate::common::{STAYS, TestDir, has_sandbox_for, json};

/// Returns the jobs of one map.
fn jobs_of(dir: &TestDir) -> String {
    dir.run("jobs plan --maps 1").succeeded().stdout
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
