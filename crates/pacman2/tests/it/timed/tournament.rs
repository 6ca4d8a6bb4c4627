//! `pacman2 arena tournament`: from a folder of submissions to grades, whatever the submissions do and however often the run
//! is interrupted.

use std::fs;

use crate::common::{RunResult, TestDir, exists, has, has_sandbox, json, start, wait_until};
use crate::line_process::{LineProcess, connect};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A shell bot that stays in every turn, and keeps running.
const STILL: &str = r#"#!/bin/sh
while read -r question; do echo '{"response":{"action":-1}}'; echo '>>>BOTZONE_REQUEST_KEEP_RUNNING<<<'; done"#;

const RUN: &str = "arena tournament class/tournament.toml --json";

/// Returns a folder with the file of a tournament and submissions of these names, which stay in every turn.
fn class(seeds: &str, bots: &[&str]) -> TestDir {
    let dir = TestDir::new();
    fs::create_dir_all(dir.path("class/submissions")).unwrap();
    for bot in bots {
        dir.write_executable(&format!("class/submissions/{bot}"), STILL);
    }
    write_file(&dir, seeds, 2000);
    dir
}

fn write_file(dir: &TestDir, seeds: &str, time_ms: u32) {
    let sandbox = if has_sandbox() { "B" } else { "none" };
    dir.write(
        "class/tournament.toml",
        &format!(
            r#"
            name = "试一试"
            submissions = "submissions"
            references = ["random", "greedy"]
            games = {{ seeds = {seeds}, schedule = "swiss", rounds = 2 }}
            limits = {{ time_ms = {time_ms}, turns = 30, sandbox = "{sandbox}" }}
            [grades]
            otherwise = 10
            thresholds = [{{ bot = "random", at_least = -100, grade = 60 }}, {{ bot = "greedy", at_least = 100, grade = 90 }}]
            "#
        ),
    );
}

/// Returns the rows of the grades as lists of cells.
fn grades(dir: &TestDir) -> Vec<Vec<String>> {
    let csv = dir.read("class/results/grades.csv");
    let csv = csv.strip_prefix('\u{feff}').expect("the CSV file begins with a byte order mark");
    csv.split_terminator("\r\n").map(|line| line.trim_matches('"').split("\",\"").map(str::to_owned).collect()).collect()
}

/// Returns the last event of a run.
#[track_caller]
fn end(result: &RunResult) -> Value {
    json(result.stdout.lines().last().unwrap_or_else(|| panic!("{result:#?}")))
}

#[test]
fn bad_submissions_cost_only_themselves() {
    let dir = class("[5]", &["still", "=formula"]);
    let submission = |name: &str, text: &str| dir.write_executable(&format!("class/submissions/{name}"), text);
    submission("hangs", "#!/bin/sh\nexec sleep MARK");
    submission("exits", "#!/bin/sh\nexit 3");
    submission("babbles", "#!/bin/sh\nread -r question; echo nonsense");
    submission("illegal", &STILL.replace("-1", "7"));
    submission("greedy", STILL);
    dir.write("class/submissions/notes.txt", "I will hand in later.");
    fs::create_dir(dir.path("class/submissions/empty")).unwrap();
    let has_compiler = has("g++", "a submission that does not compile");
    if has_compiler {
        dir.write("class/submissions/broken.cpp", "int main() { return nothing_of_that_name; }\n");
    }
    let result = dir.run(RUN).succeeded();

    let lines = grades(&dir);
    let line = |name: &str| lines.iter().find(|line| line[0] == name).unwrap_or_else(|| panic!("{name} is not in {lines:?}"));
    for (name, status, grade) in [
        ("still", "已参赛", "60"),
        ("'=formula", "已参赛", "60"),
        // A submission with the name of a reference gets a number.
        ("greedy 2", "已参赛", "60"),
        ("hangs", "试赛失败", "0"),
        ("exits", "试赛失败", "0"),
        ("babbles", "试赛失败", "0"),
        ("notes", "无法运行", "0"),
        // No threshold counts for it, though the leads reach one.
        ("illegal", "已参赛", "0"),
        ("empty", "没有 Bot", "0"),
    ] {
        assert_eq!((line(name)[2].as_str(), line(name)[1].as_str()), (status, grade), "{name}");
    }
    assert_eq!(lines.len(), 10 + usize::from(has_compiler));

    let note = |name: &str| dir.read(&format!("class/results/notes/{name}.md"));
    for (name, words) in [
        ("hangs", ["TLE in turn 1: ", "pacman2 play class/submissions/hangs greedy greedy greedy --seed 1"]),
        ("exits", ["RE in turn 1: it exited with code", "第 1 回合 RE：退出码为"]),
        ("babbles", ["NJ in turn 1: ", "It failed its trial"]),
        ("empty", ["文件夹里没有 Bot", "the folder contains no bot"]),
        ("still", ["从未出局", "It never forfeited"]),
    ] {
        for words in words {
            assert!(note(name).contains(words), "\"{words}\" is not in {}", note(name));
        }
    }
    assert!(!note("empty").contains("pacman2 play"), "there is nothing to try: {}", note("empty"));
    if has_compiler {
        assert_eq!(line("broken")[2], "编译失败");
        assert!(note("broken").contains("nothing_of_that_name"), "{}", note("broken"));
        assert!(!note("broken").contains("entries"), "{}", note("broken"));
    }
    let end = end(&result);
    assert_eq!((&end["finished"], end["grades"].as_array().unwrap().len()), (&true.into(), lines.len() - 1));
    let report = dir.read("class/results/report.html");
    assert!(report.contains("still") && report.contains("\"grades\":["), "the report has no grades");
    // The table for the staff has the cause, the page what happened.
    let csv = dir.read("class/results/grades.csv");
    assert!(csv.contains(",\"第 1 回合 RE：退出码为"), "{csv}");
    for (zh, en) in [
        ("第 1 回合 TLE：超时", "TLE in turn 1: it took too long"),
        ("第 1 回合 RE：程序崩溃或提前退出", "RE in turn 1: it crashed or exited too early"),
    ] {
        assert!(report.contains(&format!("试赛失败，未参赛。原因：{zh}。")), "{zh} is not in the report");
        assert!(report.contains(&format!("fails the trial game; it did not play. Cause: {en}.")), "{en} is not in the report");
    }
    dir.wait_until_deserted();
}

#[test]
fn a_check_judges_submissions_without_games() {
    let dir = class("[5]", &["still"]);
    dir.write_executable("class/submissions/exits", "#!/bin/sh\nexit 3");
    let listed = dir.run("arena tournament class/tournament.toml --check").succeeded();
    assert!(!listed.stderr.contains("exits"), "{listed:#?}");
    let lines: Vec<String> = listed.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let exits = "exits exits (program): fails the trial game; not admitted: RE in turn 1: it exited with code 3";
    assert_eq!(lines, [exits, "still still (program): can play", "1 of 2 submissions can play; no games were played"]);
    assert!(!exists(&dir.path("class/results/grades.csv")));
    dir.run("arena tournament class --check").refused(&["class: is a folder", "did you mean class/tournament.toml?"]);
    let events: Vec<Value> = dir.run(&format!("{RUN} --check")).succeeded().stdout.lines().map(json).collect();
    assert_eq!(
        (&events[0]["file"], &events[0]["status"], events.len()),
        (&"exits".into(), &"fails-trial".into(), 3),
        "{events:?}"
    );
}

#[test]
fn the_note_shows_the_first_forfeit() {
    let dir = class("[5]", &[]);
    // It fails on seat 2 of a map that is not the map of its trial.
    let spoilt =
        STILL.replace("question; do", r#"question; do case $question in *'"id":2'*'"seed":5,'*) echo lost >&2; exit 7;; esac;"#);
    dir.write_executable("class/submissions/spoilt", &spoilt);
    dir.run(RUN).succeeded();
    let lines = grades(&dir);
    assert_eq!((lines[1][0].as_str(), lines[1][2].as_str(), lines[1][9].as_str()), ("spoilt", "已参赛", "2"), "{lines:?}");
    let note = dir.read("class/results/notes/spoilt.md");
    for words in ["座位 2，第 1 回合，**RE**", "seat 2, turn 1, **RE**", "\n    lost\n", "exited with code 7", "退出码为 7"]
    {
        assert!(note.contains(words), "\"{words}\" is not in {note}");
    }
    let command = |verb: &str| {
        let line = note.lines().find(|line| line.contains(verb)).unwrap_or_else(|| panic!("no {verb} in {note}"));
        line.trim().strip_prefix("pacman2 ").unwrap().to_owned()
    };
    let shown = dir.run(&command("arena show").replace("--open", "--json")).succeeded().json();
    let result = &shown["game"]["seats"][2];
    assert_eq!(
        (&result["label"], &result["fault"]["kind"], &result["fault"]["turn"]),
        (&"spoilt@1".into(), &"RE".into(), &1.into())
    );
    let again = dir.run(&format!("{} --json", command("pacman2 play"))).succeeded().json();
    for seat in 0..4 {
        let points = shown["game"]["seats"][seat]["score"].as_f64().unwrap();
        assert_eq!(again["seats"][seat]["score"].as_f64(), Some(points), "{again}");
    }
}

#[test]
fn after_an_interruption_the_grades_are_the_same() {
    const BOTS: [&str; 4] = ["a", "b", "c", "d"];
    let whole = class("[3]", &BOTS);
    let games = whole.run(RUN).succeeded().stdout.lines().filter(|line| line.contains("\"event\":\"game\"")).count();
    // Four bots against two references in two ways, on one map and four seats; two Swiss rounds of one group.
    assert_eq!(games, 4 * 2 * 4 + 2 * 4);

    let dir = class("[3]", &BOTS);
    let kept = || {
        let listed = dir.run("arena games --arena class/results/arena --limit 1000 --json");
        if listed.code == Some(0) { listed.stdout.lines().count() } else { 0 }
    };
    for (signal, enough) in [(Signal::INT, 1), (Signal::KILL, 20)] {
        let running = start(dir.command(RUN), "");
        wait_until("games to be stored", || kept() >= enough);
        kill_process(Pid::from_child(&running.child), signal).unwrap();
        let result = running.wait();
        assert!(!exists(&dir.path("class/results/grades.csv")), "half of the games give no grades: {result:#?}");
        if signal == Signal::INT {
            assert_eq!((result.code, &end(&result)["finished"]), (Some(130), &false.into()), "{result:#?}");
        }
        dir.wait_until_deserted();
    }
    let before = kept();
    let rest = dir.run(RUN).succeeded();
    assert!((1..games).contains(&before), "{before}");
    assert_eq!(rest.stdout.lines().filter(|line| line.contains("\"event\":\"game\"")).count(), games - before);
    assert_eq!(dir.read("class/results/grades.csv"), whole.read("class/results/grades.csv"));
    for bot in BOTS {
        let note = format!("class/results/notes/{bot}.md");
        assert_eq!(dir.read(&note), whole.read(&note));
    }
}

#[test]
fn games_that_are_played_elsewhere_give_the_same_grades() {
    const BOTS: [&str; 3] = ["a", "b", "c"];
    let whole = class("[3]", &BOTS);
    whole.run(RUN).succeeded();

    // The games of a tournament in steps: the rounds of submissions among themselves depend on results.
    let dir = class("[3]", &BOTS);
    let plan = || dir.run("jobs plan --tournament class/tournament.toml").succeeded();
    let mut steps = 0;
    loop {
        let planned = plan();
        if planned.stderr.contains(": 0 games to play") {
            break;
        }
        if has_sandbox() {
            let header = json(planned.stdout.lines().next().unwrap());
            assert_eq!(header["tier"], "B", "what the file of the tournament demands");
        }
        steps += 1;
        assert!(steps <= 3 && !exists(&dir.path("class/results/grades.csv")), "{planned:#?}");
        let play = "jobs play --programs class/results/arena --node there";
        let played = dir.run_with(play, &planned.stdout).succeeded();
        dir.run_with("jobs record --arena class/results/arena", &played.stdout).succeeded();
    }
    assert!(steps >= 1);
    let last = dir.run(RUN).succeeded();
    assert!(!last.stdout.contains("\"event\":\"game\""), "all games are known: {last:#?}");
    assert_eq!(dir.read("class/results/grades.csv"), whole.read("class/results/grades.csv"));

    // The same in one command.
    let dir = class("[3]", &BOTS);
    let mut run = LineProcess::start(&dir, "arena tournament class/tournament.toml --elsewhere");
    run.write(r#"{"slots":4}"#);
    let mut player = LineProcess::start(&dir, "jobs play --programs class/results/arena");
    let (event, results) = connect(&mut run, &mut player);
    assert!(results > 0, "{event}");
    assert_eq!((run.code(), player.code()), (Some(0), Some(0)));
    assert_eq!(dir.read("class/results/grades.csv"), whole.read("class/results/grades.csv"));
    for bot in BOTS {
        let note = format!("class/results/notes/{bot}.md");
        assert_eq!(dir.read(&note), whole.read(&note));
    }
}

#[test]
fn a_new_submission_is_played() {
    let dir = class("[5]", &["early", "late"]);
    dir.run(RUN).succeeded();
    dir.write_executable("class/submissions/late", "#!/bin/sh\nexit 1");
    fs::remove_file(dir.path("class/submissions/early")).unwrap();
    dir.write("class/results/notes/mine.md", "# mine\n");
    dir.write_executable("class/submissions/new", &format!("{STILL}\n# mine"));
    let result = dir.run(RUN).succeeded();
    let names: Vec<Vec<String>> = grades(&dir).into_iter().skip(1).map(|mut line| line.drain(..3).collect()).collect();
    assert_eq!(names, [["late", "0", "试赛失败"], ["new", "60", "已参赛"]]);
    assert!(!exists(&dir.path("class/results/notes/early.md")), "a removed submission has no note");
    assert!(exists(&dir.path("class/results/notes/mine.md")), "this program did not write it");
    let games: Vec<Value> = result.stdout.lines().map(json).filter(|event| event["event"] == "game").collect();
    assert_eq!(games.len(), 8, "only the games of the new submission");
    // The earlier submission again: nothing is left to play.
    dir.write_executable("class/submissions/late", STILL);
    let result = dir.run(RUN).succeeded();
    assert!(!result.stdout.contains("\"event\":\"game\""), "{}", result.stdout);
    assert_eq!(grades(&dir)[1][..3], ["late", "60", "已参赛"]);
}

#[test]
fn a_rejected_submission_is_not_tried_again() {
    let dir = class("[5]", &["still"]);
    write_file(&dir, "[5]", 800);
    dir.write_executable("class/submissions/hangs", "#!/bin/sh\nexec sleep MARK");
    dir.run(RUN).succeeded();
    let (first_grades, first_note) = (grades(&dir), dir.read("class/results/notes/hangs.md"));
    let rejected: Value = json(&dir.read("class/results/rejected.json"));
    assert_eq!(rejected["rejections"].as_object().unwrap().len(), 1, "{rejected}");
    // What is kept decides, as a changed reason shows.
    let changed = dir.read("class/results/rejected.json").replace("turn 1", "turn 99");
    dir.write("class/results/rejected.json", &changed);
    dir.run(RUN).succeeded();
    assert!(dir.read("class/results/notes/hangs.md").contains("turn 99"));
    assert_eq!(grades(&dir), first_grades, "also what it was taken to be");
    dir.run(&format!("{RUN} --retry")).succeeded();
    assert_eq!(dir.read("class/results/notes/hangs.md"), first_note);

    // Its number changes with the names, and its copy with the number.
    dir.write_executable("class/submissions/a", STILL);
    dir.run(&format!("{RUN} --check")).succeeded();
    assert!(exists(&dir.path("class/results/entries/2/hangs")));
    fs::remove_file(dir.path("class/submissions/a")).unwrap();

    // A changed submission is tried.
    dir.write_executable("class/submissions/hangs", &format!("{STILL}\n# better"));
    let result = dir.run(RUN).succeeded();
    assert_eq!(grades(&dir)[1][..3], ["hangs", "60", "已参赛"], "{result:#?}");
    // What this program did not write, or what a broken disk has left of it.
    let swelling = format!("{{\"format\":\"pacman2 rejections\",\"rejections\":[{}0]}}", "{\"\":0},".repeat(100_000));
    let wrong = changed.replace("\"turn\": 1", "\"turn\": -1").replace("99", "98");
    for kept in ["mine", "", &changed[..changed.len() / 2], &wrong, &swelling] {
        dir.write("class/results/rejected.json", kept);
        dir.run(RUN).refused(&["rejected.json: expected the rejections of an earlier run; delete the file"]);
        assert!(dir.read("class/results/rejected.json") == kept);
    }
    dir.wait_until_deserted();
}

#[test]
fn copies_and_chance_are_reported() {
    let dir = class("[5, 6]", &["one", "other"]);
    let result = dir.run(RUN).succeeded();
    let end = end(&result);
    assert_eq!(end["copies"], json(r#"[["one@1","other@1"]]"#), "{end}");
    assert_eq!(end["similar"][0]["same_program"], true, "{end}");
    let lines = grades(&dir);
    let figures = 1..lines[1].len() - 1;
    assert_eq!(lines[1][figures.clone()], lines[2][figures], "copies have the same grade, place and points");
    let plan = result.stdout.lines().map(json).find(|event| event["event"] == "plan").unwrap();
    assert_eq!((&plan["games"], &plan["known"]), (&(2 * 2 * 2 * 4).into(), &0.into()));
    assert!(plan["expected_ms"].as_f64().is_some(), "the trials show how long games take: {plan}");
    let text = dir.run("arena tournament class/tournament.toml").succeeded();
    assert!(text.stdout.contains("one@1 and other@1 are the same program"), "{text:#?}");
    assert!(text.stdout.contains("pacman2 arena similar --arena "), "{text:#?}");
}

#[test]
fn bad_input_is_rejected() {
    let dir = class("[5]", &[]);
    dir.run("arena tournament nowhere.toml").refused(&["nowhere.toml: no such file"]);
    dir.run("arena tournament class/tournament.toml").refused(&["class/submissions: this folder contains no submissions"]);
    dir.write("class/bad.toml", "submissions = \"submissions\"\nreferences = [\"greedy\"]\nlimit = 5\n");
    dir.run("arena tournament class/bad.toml").refused(&["class/bad.toml, line 3: unknown key limit", "did you mean limits?"]);
    // Without node all submissions in JavaScript would fail.
    dir.write("class/submissions/script.js", "");
    let mut command = dir.command(RUN);
    command.env("PATH", dir.path("class"));
    start(command, "").wait().refused(&["class/submissions/script.js: node not found; install it", "; nothing was played"]);
    assert!(!exists(&dir.path("class/results")));
    fs::remove_file(dir.path("class/submissions/script.js")).unwrap();
    dir.write_executable("class/submissions/still", STILL);
    dir.run(RUN).succeeded();
    write_file(&dir, "[5]", 400);
    dir.run(RUN).refused(&["its games were played with 2000 ms", "limits are 400 ms", "another output folder"]);
}

#[test]
fn the_example_of_the_documentation() {
    if !(has("python3", "the example of a class") && has("g++", "the example of a class") && has_sandbox()) {
        return;
    }
    let dir = TestDir::new();
    dir.run("new class --class").succeeded();
    dir.run(RUN).succeeded();
    let lines = grades(&dir);
    let rows: Vec<(&str, &str, &str)> = lines.iter().map(|line| (&*line[0], &*line[2], &*line[9])).skip(1).collect();
    assert_eq!(rows, [("hanmeimei", "已参赛", "0"), ("lilei", "已参赛", "0"), ("zhangsan", "已参赛", "2")]);
    assert!(dir.read("class/results/notes/zhangsan.md").contains("\n    IndexError: list index out of range\n"));
}
