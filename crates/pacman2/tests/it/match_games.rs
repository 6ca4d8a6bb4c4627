//! `pacman2 play --games`: many matches, each the same as a single match.

#[cfg(target_os = "linux")]
use crate::common::interrupt;
use crate::common::{FIELD, STAYS, TestDir, init_data};
use pacman2_tournament::standings::margin;
use serde_json::{Value, json};

/// The checksum of the first thousand games of four `greedy`. It changes with the rules, the maps and the bot. It was computed
/// with a version of the bot that searched anew from every cell.
const CHECKSUM: &str = "796d52069a3686da";

impl TestDir {
    /// The fields of the summary in JSON.
    #[track_caller]
    fn matches(&self, line: &str) -> Value {
        let result = self.run(&format!("match {line} --json")).succeeded();
        assert_eq!(result.stdout.lines().count(), 1, "{result:?}");
        result.json()
    }
}

impl TestDir {
    /// The sorted names of the files in a folder.
    fn lost(&self, folder: &str) -> Vec<String> {
        let files = std::fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn numbers<'a>(summary: &'a Value, key: &str) -> Vec<&'a Value> {
    summary["seats"].as_array().unwrap().iter().map(|seat| &seat[key]).collect()
}

/// Compares the games of `line` from this seed on with single matches of the same seeds.
#[track_caller]
fn check_same_as_single(dir: &TestDir, line: &str, first_seed: i32) {
    let seeds = [0, 1, 2].map(|game| first_seed + game);
    let single = seeds.map(|seed| dir.matches(&format!("{line} --no-replay --seed {seed}")));
    for (seed, match_) in seeds.into_iter().zip(&single) {
        let many = dir.matches(&format!("{line} --games 1 --seed {seed}"));
        assert_eq!((&many["seed"], &many["turns"]), (&match_["seed"], &match_["turns"]), "{line} {seed}");
        for (of_many, of_single) in [("name", "name"), ("mean_score", "score")] {
            assert_eq!(numbers(&many, of_many), numbers(match_, of_single), "{line} {seed}");
        }
        let places: Vec<f64> = numbers(&many, "mean_place").into_iter().filter_map(Value::as_f64).collect();
        assert_eq!(places, numbers(match_, "place").into_iter().filter_map(Value::as_f64).collect::<Vec<_>>(), "{line} {seed}");
    }
    let many = dir.matches(&format!("{line} --games 3 --seed {first_seed}"));
    let turns: u64 = single.iter().filter_map(|match_| match_["turns"].as_u64()).sum();
    assert_eq!(many["turns"], turns, "{line}");
    for seat in 0..4 {
        let sum: f64 = single.iter().filter_map(|match_| match_["seats"][seat]["score"].as_f64()).sum();
        let mean = many["seats"][seat]["mean_score"].as_f64().unwrap();
        assert!((mean - sum / 3.0).abs() < 1e-5, "{line}: {mean} {sum}");
    }
}

#[test]
fn rotating_bots_take_every_seat_of_every_map() {
    let dir = TestDir::new();
    let summary = dir.matches("greedy random random random --games 8 --rotate --seed 3 --parallel 2");
    let mut scores = [0.0; 2];
    for seed in [3, 4] {
        for seat in 0..4 {
            let mut bots = ["random"; 4];
            bots[seat] = "greedy";
            let single = dir.matches(&format!("{} --no-replay --seed {seed}", bots.join(" ")));
            scores[seed - 3] += single["seats"][seat]["score"].as_f64().unwrap() / 4.0;
        }
    }
    let greedy = &summary["rotated"]["bots"][0];
    assert_eq!((&greedy["name"], &greedy["seats"], &summary["rotated"]["maps"]), (&json!("greedy"), &json!(1), &json!(2)));
    let close = |value: &Value, expected: f64| assert!((value.as_f64().unwrap() - expected).abs() < 1e-4, "{value} {expected}");
    close(&greedy["score"]["mean"], (scores[0] + scores[1]) / 2.0);
    close(&greedy["score"]["standard_error"], (scores[0] - scores[1]).abs() / 2.0);
    assert!(summary["rotated"]["bots"][1]["more_than_first"]["mean"].as_f64().unwrap() < -20.0, "{summary}");
    assert_eq!(summary["seats"], Value::Null);

    let table = dir.run("match greedy random random random --games 8 --rotate --seed 3").succeeded().stdout;
    assert!(table.contains("2 maps, four matches on each") && table.contains("    3  random "), "{table}");
    dir.run("match greedy random random random --games 6 --rotate").refused(&["--rotate", "6 is not a multiple of four"]);
}

#[test]
fn they_equal_single_matches() {
    let dir = TestDir::new();
    for (line, first_seed) in [
        ("greedy greedy greedy greedy", 1),
        ("greedy random greedy random", 2147483645),
        ("random random random random --size 6x11 --turns 130", 40),
        ("greedy random random greedy --ruling prose", 7),
        ("sample greedy random greedy --turns 3", 0),
        ("'sage --simulations 50' greedy greedy 'sage --simulations 20 --without others' --turns 12", 5),
    ] {
        check_same_as_single(&dir, line, first_seed);
    }
}

#[test]
fn on_a_map_from_a_file() {
    let dir = TestDir::new();
    dir.write("whole.json", &init_data(FIELD).to_string());
    dir.write("settings.json", r#"{"width": 7, "SKILL_COST": 2, "MAX_TURN": 60}"#);
    for file in ["whole", "settings"] {
        check_same_as_single(&dir, &format!("greedy random random greedy --map {file}.json"), 5);
        check_same_as_single(&dir, &format!("greedy random random greedy --map {file}.json --turns 9"), 5);
    }
    // By default the first game has the seed of the file.
    let bots = "random random random random --games 20";
    let with = |options: &str| dir.matches(&format!("{bots} --map whole.json {options}"));
    assert_eq!(with("")["seed"], 7);
    assert_eq!(with("")["checksum"], with("--seed 7")["checksum"]);
    assert_ne!(with("")["checksum"], with("--seed 8")["checksum"]);
}

#[test]
fn warnings_about_a_file_appear_once() {
    let dir = TestDir::new();
    dir.write("map.json", r#"{"seed": 1, "colour": 2}"#);
    let result = dir.run("match random random random random --games 30 --map map.json").succeeded();
    assert_eq!(result.stderr.matches("colour").count(), 1, "{result:?}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let dir = TestDir::new();
    let result = |threads: usize| {
        let mut summary = dir.matches(&format!("greedy random greedy random --games 301 --seed 9 --parallel {threads}"));
        assert_eq!(summary["parallel"], threads);
        for key in ["parallel", "time_ms", "games_per_second"] {
            assert!(summary[key].as_f64() > Some(0.0), "{summary}");
            summary[key] = Value::Null;
        }
        summary
    };
    let one = result(1);
    assert_eq!((&one["games"], &one["finished"]), (&json!(301), &json!(true)));
    for threads in [2, 3, 8] {
        assert_eq!(result(threads), one);
    }
    // No more than the number of games.
    assert_eq!(dir.matches("random random random random --games 2 --parallel 8")["parallel"], 2);
}

#[test]
fn the_decisions_of_greedy_do_not_change() {
    assert_eq!(TestDir::new().matches("greedy greedy greedy greedy --games 1000 --seed 0")["checksum"], CHECKSUM);
}

#[test]
fn text_output_is_a_table() {
    let dir = TestDir::new();
    let result = dir.run("match greedy random greedy random --games 200 --seed 1").succeeded();
    assert_eq!(result.stderr, "");
    let lines: Vec<&str> = result.stdout.lines().collect();
    let summary = dir.matches("greedy random greedy random --games 200 --seed 1");
    for (seat, line) in lines[1..5].iter().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let summary = &summary["seats"][seat];
        let rounded = |key: &str| format!("{:.2}", summary[key].as_f64().unwrap());
        let margin = margin(summary["standard_error"].as_f64().unwrap(), 200).unwrap();
        let margin = format!("{margin:.2}");
        assert_eq!(words[..2], [&seat.to_string(), summary["name"].as_str().unwrap()], "{line}");
        assert_eq!(words[2..4], [rounded("mean_score"), margin], "{line}");
        let firsts = (200.0 * summary["win_rate"]["value"].as_f64().unwrap()).round();
        assert_eq!(words[5..], [firsts.to_string(), rounded("mean_strength")], "{line}");
    }
    let checksum = summary["checksum"].as_str().unwrap();
    let [rate, low, high] = ["value", "low", "high"].map(|end| 100.0 * summary["seats"][0]["win_rate"][end].as_f64().unwrap());
    assert_eq!(lines[5], format!("greedy on seat 0 was first in {rate:.1} % of the games ({low:.1} to {high:.1} %)"));
    assert_eq!(lines[6], format!("games 200, seeds 1 to 200, turns {}, checksum {checksum}", summary["turns"]));
    assert!(lines[7].contains(" games per second, "), "{result:?}");
    assert_eq!(lines.len(), 8);
    // No replay is written.
    assert_eq!(dir.names(), [""; 0]);
}

#[test]
fn programs_play_the_matches_that_they_play_alone() {
    let dir = TestDir::new();
    dir.write("stays.sh", STAYS);
    check_same_as_single(&dir, "'sh stays.sh' greedy random greedy --turns 6", 3);
    check_same_as_single(&dir, "greedy random greedy random --as-process --turns 4", 3);
    dir.run("match greedy gredy greedy greedy --games 2").refused(&["did you mean greedy?"]);
}

#[test]
fn faults_and_lost_matches_of_a_program() {
    let dir = TestDir::new();
    // It answers nonsense from the second turn on.
    dir.write(
        "bad.sh",
        r#"read -r question; case $question in *responses\":[[]]*) echo '{"response":{"action":-1}}';; *) echo no;; esac"#,
    );
    let line = "match 'sh bad.sh' greedy greedy greedy --games 7 --turns 12 --seed 5 --lost lost";
    let summary = dir.run(&format!("{line} --json")).succeeded().json();
    let faults = summary["faults"].as_array().unwrap();
    let fault =
        json!({ "bot": "sh bad.sh", "kind": "NJ", "games": 7, "seed": 5, "turn": 2, "complaint": faults[0]["complaint"] });
    assert_eq!((faults.len(), &faults[0]), (1, &fault), "{summary}");
    let worst = summary["worst"].as_array().unwrap();
    let scores: Vec<f64> = worst.iter().map(|game| game["score"].as_f64().unwrap()).collect();
    assert!(worst.len() == 5 && scores.is_sorted(), "{summary}");
    assert_eq!(dir.lost("lost").len(), 7);
    for game in worst {
        let replay = game["replay"].as_str().unwrap();
        assert_eq!(replay, format!("lost/{}-seat0.json", game["seed"]));
        assert_eq!(dir.replay(replay)["public"]["init"]["seed"], game["seed"]);
        dir.run(&format!("replay verify {replay}")).succeeded();
    }
    dir.run(line).refused(&["--lost lost: expected a new or empty folder"]);

    let text = dir.run(&line.replace("--lost lost", "")).succeeded().stdout;
    for words in [
        "sh bad.sh on seat 0 was first in 0.0 % of the games (0.0 to 35.4 %)\n".to_owned(),
        "sh bad.sh: NJ in 7 games, such as with seed 5 in turn 2: not JSON".to_owned(),
        format!(
            "{:>8.2} points  pacman2 play 'sh bad.sh' greedy greedy greedy --turns 12 --seed {} --open\n",
            scores[0], worst[0]["seed"]
        ),
    ] {
        assert!(text.contains(&words), "{words}: {text}");
    }
    let text = dir.run(&line.replace("--lost lost", "--lost other")).succeeded().stdout;
    assert!(text.contains(&format!("points  pacman2 open other/{}-seat0.json\n", worst[0]["seed"])), "{text}");
}

#[test]
fn lost_matches_of_rotated_seats() {
    let dir = TestDir::new();
    let summary = dir.matches("random greedy greedy greedy --games 4 --rotate --turns 40 --seed 9 --lost lost");
    let lost = dir.lost("lost");
    let firsts = summary["rotated"]["bots"][0]["win_rate"]["mean"].as_f64().unwrap();
    assert_eq!(lost.len() as f64, 4.0 * (1.0 - firsts), "{lost:?} {summary}");
    for name in &lost {
        let seat: usize = name.strip_prefix("9-seat").and_then(|name| name.strip_suffix(".json")).unwrap().parse().unwrap();
        assert_eq!(dir.replay(&format!("lost/{name}"))["public"]["seats"][seat]["name"], "random");
    }
}

#[test]
fn options_of_single_matches_are_rejected() {
    let dir = TestDir::new();
    for option in ["--globaldata folder", "--replay file.json", "--html file.html", "--open", "--pace 5"] {
        let name = option.split(' ').next().unwrap();
        dir.run(&format!("match greedy greedy greedy greedy --games 2 {option}")).misused(&["'--games <N>'", name]);
    }
    assert_eq!(dir.names(), [""; 0]);
}

#[test]
fn numbers_of_games_and_threads_have_bounds() {
    let dir = TestDir::new();
    let bots = "greedy greedy greedy greedy";
    for (options, words) in [
        ("--games 0", "a whole number from 1 to 1000000000"),
        ("--games 1000000001", "a whole number from 1 to 1000000000"),
        ("--games 2 --parallel 0", "a whole number from 1 to 1024"),
        ("--games 2 --parallel 1025", "a whole number from 1 to 1024"),
        ("--threads 2", "--games <N>"),
    ] {
        dir.run(&format!("match {bots} {options}")).misused(&[words]);
    }
    dir.run(&format!("match {bots} --games 3 --seed 2147483646"))
        .refused(&["3 games from seed 2147483646 on", "a first seed of at most 2147483645"]);
    dir.write("last.json", r#"{"seed": 2147483647}"#);
    dir.run(&format!("match {bots} --games 2 --map last.json")).refused(&["a first seed of at most 2147483646"]);
    dir.run(&format!("match {bots} --games 2 --map nowhere.json")).refused(&["nowhere.json: "]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_reports_its_games() {
    let bots = "greedy greedy greedy greedy --games 1000000000 --parallel 3 --seed 1";
    let result = interrupt(&TestDir::new(), &format!("match {bots} --json"));
    assert_eq!(result.code, Some(130), "{result:?}");
    let summary = result.json();
    assert_eq!((&summary["finished"], &summary["checksum"]), (&json!(false), &Value::Null));
    assert!((1..1_000_000_000).contains(&summary["games"].as_u64().unwrap()), "{summary}");

    let result = interrupt(&TestDir::new(), &format!("match {bots}"));
    assert_eq!(result.code, Some(130), "{result:?}");
    assert!(result.stdout.contains("Interrupted: ") && !result.stdout.contains("checksum"), "{result:?}");
}
