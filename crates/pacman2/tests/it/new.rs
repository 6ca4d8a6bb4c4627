//! `pacman2 new`: each template plays whole matches, and tracks what happens in them.

use std::process::Command;

use crate::common::{TestDir, diagnostics, has, runs, turns, verdicts};
use pacman2_replay::Replay;
use pacman2_rules::{Seat, State};

const PATIENT: &str = "--time-limit 60000 --memory-limit 1024";

/// Creates a simple bot from a template, and returns its folder and its BOT argument; `None` if this machine lacks a tool.
fn create(language: &str, program: &str) -> Option<(TestDir, &'static str)> {
    create_with("simple", language, program)
}

/// Creates a bot of this kind.
fn create_with(kind: &str, language: &str, program: &str) -> Option<(TestDir, &'static str)> {
    if !has(program, &format!("the template in {language} plays")) {
        return None;
    }
    let dir = TestDir::new();
    dir.run(&format!("new mybot --lang {language} --with {kind}")).succeeded();
    Some((
        dir,
        match language {
            "python" => "mybot/bot.py",
            "javascript" => "mybot/bot.js",
            "cpp" => "mybot/bot.cpp",
            _ => "mybot/target/release/bot",
        },
    ))
}

/// Returns the position before each turn, and the position that the bot on the seat has tracked.
fn tracked(dir: &TestDir, seat: usize) -> Vec<(State, String)> {
    let replay = Replay::read(&dir.read("played.json")).unwrap();
    let (map, turns) = (&replay.public.map, replay.verify().unwrap());
    let states = std::iter::once(map.start).chain(turns.iter().map(|turn| turn.state));
    let value = dir.replay("played.json");
    let debug: Vec<String> = diagnostics(&value, seat).iter().map(|entry| entry["debug"].as_str().unwrap().to_owned()).collect();
    states.zip(debug).collect()
}

/// Plays on several maps, including the narrowest and the widest, with bots that walk, shoot, share cells and die.
#[track_caller]
fn check_plays(dir: &TestDir, bot: &str) {
    let tables = [
        ("--seed 1 --size 6x11", "random random greedy", 0),
        ("--seed 2 --size 11x6", "greedy random greedy", 3),
        ("--seed 5", "random random random", 1),
        ("--seed 8", "greedy greedy greedy", 2),
    ];
    let (mut deaths, mut lights, mut longest) = (0, 0, 0);
    for (options, others, seat) in tables {
        let mut bots: Vec<&str> = others.split(' ').collect();
        bots.insert(seat, bot);
        let replay = dir.play(&format!("{} {options} {PATIENT}", bots.join(" ")));
        assert!(verdicts(&replay, seat).iter().all(|verdict| *verdict == "OK"), "{options}: {}", replay["private"]);
        let believed = tracked(dir, seat);
        longest = longest.max(believed.len());
        for (state, debug) in &believed {
            let cells: Vec<usize> = Seat::ALL.iter().map(|&seat| state.cells[seat].index()).collect();
            assert_eq!(debug, &format!("strengths {:?} cells {cells:?}", state.strength.0), "{options}, turn {}", state.turn);
            deaths = deaths.max(4 - state.alive.len());
        }
        let actions = turns(&replay).iter().flat_map(|turn| turn["actions"].as_array().unwrap().clone());
        lights += actions.filter(|action| action.as_i64().is_some_and(|action| action >= 4)).count();
    }
    // Otherwise the bot was not asked often enough.
    assert!(deaths > 0 && lights > 0 && longest == 100, "{deaths} {lights} {longest}");
}

/// Plays against three `random`, from two seats of each map.
#[track_caller]
fn check_beats_random(dir: &TestDir, bot: &str) {
    let mut first = 0;
    for seed in 11..15 {
        for seat in [0, 2] {
            let mut bots = vec!["random"; 3];
            bots.insert(seat, bot);
            dir.play(&format!("{} --seed {seed} {PATIENT}", bots.join(" ")));
            let replay = Replay::read(&dir.read("played.json")).unwrap();
            let scores = replay.verify().unwrap().last().unwrap().scores.unwrap();
            let best = scores.0.iter().map(|score| score.hundredths).max().unwrap();
            first += usize::from(scores.0[seat].hundredths == best);
        }
    }
    assert!(first >= 7, "{first} first places of 8");
}

#[track_caller]
fn check_is_fine(dir: &TestDir, bot: &str) {
    let report = dir.run(&format!("check {bot} --json {PATIENT}")).succeeded().json();
    assert_eq!((&report["fine"], &report["keeps_running"]), (&true.into(), &true.into()), "{report}");
    // This includes that it answers the same when it keeps running, and when asked again.
    assert_eq!(report["notes"].as_array().unwrap().len(), 0, "{report}");
}

/// Builds a bot whose language matches do not compile.
#[track_caller]
fn build(dir: &TestDir, language: &str) {
    if language == "rust" {
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--release", "--offline", "--quiet"]).current_dir(dir.path("mybot"));
        cargo.env_remove("CARGO_TARGET_DIR").env("RUSTFLAGS", "-D warnings");
        assert!(cargo.status().unwrap().success());
    }
}

/// Checks a bot that searches, with few attempts and without its clock, which a busy machine may let run out.
#[track_caller]
fn check_search(language: &str, program: &str, source: &str, changes: &[(&str, &str)]) {
    let readme = check_searches("search", language, program, source, changes);
    assert!(readme.is_none_or(|readme| readme.contains("plays on from the position many times")));
}

/// Checks a bot of this kind, and returns its README; `None` if this machine lacks a tool.
#[track_caller]
fn check_searches(kind: &str, language: &str, program: &str, source: &str, changes: &[(&str, &str)]) -> Option<String> {
    let (dir, bot) = create_with(kind, language, program)?;
    let mut text = dir.read(source);
    for (from, to) in changes {
        assert!(text.contains(from), "{from} is not in {source}");
        text = text.replace(from, to);
    }
    assert!(!text.contains("[with "), "{text}");
    dir.write(source, &text);
    build(&dir, language);
    check_is_fine(&dir, bot);
    // It tracks what happens, and chooses only legal actions.
    let replay = dir.play(&format!("{bot} greedy random hunter --seed 4 --turns 40 {PATIENT}"));
    assert!(verdicts(&replay, 0).iter().all(|verdict| *verdict == "OK"), "{}", replay["private"]);
    let believed = tracked(&dir, 0);
    assert!(!believed.is_empty());
    for (state, debug) in believed {
        let cells: Vec<usize> = Seat::ALL.iter().map(|&seat| state.cells[seat].index()).collect();
        assert_eq!(debug, format!("strengths {:?} cells {cells:?}", state.strength.0), "turn {}", state.turn);
    }
    let readme = dir.read("mybot/README.md");
    assert!(!readme.contains(['{', '}', '<']), "{readme}");
    Some(readme)
}

#[test]
fn a_search_in_python() {
    check_search("python", "python3", "mybot/bot.py", &[("ATTEMPTS = 40", "ATTEMPTS = 2"), ("SECONDS = 2.0", "SECONDS = 60")]);
}

#[test]
fn a_search_in_javascript() {
    check_search("javascript", "node", "mybot/bot.js", &[("ATTEMPTS = 100", "ATTEMPTS = 2"), ("SECONDS = 1.2", "SECONDS = 60")]);
}

#[test]
fn a_search_in_rust() {
    let changes = [("ATTEMPTS: usize = 300", "ATTEMPTS: usize = 2"), ("from_millis(700)", "from_millis(60_000)")];
    check_search("rust", "cargo", "mybot/src/search.rs", &changes);
}

/// With the header, which lies beside it.
#[test]
fn a_search_in_cpp() {
    check_search(
        "cpp",
        "g++",
        "mybot/bot.cpp",
        &[("SIMULATIONS = 20000", "SIMULATIONS = 200"), ("SECONDS = 0.7", "SECONDS = 60")],
    );
}

/// With the search of `sage` and its nets, which lie beside it.
#[test]
fn a_net_in_cpp() {
    let changes = [("SIMULATIONS = 20000", "SIMULATIONS = 200"), ("SECONDS = 0.7", "SECONDS = 60")];
    let readme = check_searches("net", "cpp", "g++", "mybot/bot.cpp", &changes);
    assert!(readme.is_none_or(|readme| readme.contains("--only-weights -o weights.hpp") && readme.contains("训练自己的网络")));
}

/// A folder with a bot and the header works wherever a bot is taken.
#[test]
fn the_cpp_search_is_bundled_and_added_to_an_arena() {
    let Some((dir, _)) = create_with("search", "cpp", "g++") else { return };
    let report = dir.run("bundle mybot -o upload.cpp --no-check --json").succeeded().json();
    let sections = report["sections"].as_array().unwrap();
    assert!(sections.contains(&"search".into()) && !sections.contains(&"compat".into()), "{report}");
    let upload = dir.path("upload.cpp");
    let flags = ["-O2", "-D_BOTZONE_ONLINE", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
    assert!(runs("g++", flags.map(std::ffi::OsString::from).into_iter().chain([upload.into_os_string()])));
    dir.run("arena init --turns 2 --time-limit 60000").succeeded();
    dir.run("arena add mybot").succeeded();
}

#[track_caller]
fn check_template(language: &str, program: &str) {
    let Some((dir, bot)) = create(language, program) else { return };
    build(&dir, language);
    check_plays(&dir, bot);
    // The others act like the one in C++, which `all_templates_answer_alike` checks.
    if matches!(language, "cpp" | "rust") {
        check_beats_random(&dir, bot);
    }
    check_is_fine(&dir, bot);
}

#[test]
fn python() {
    check_template("python", "python3");
}

#[test]
fn javascript() {
    check_template("javascript", "node");
}

#[test]
fn cpp() {
    check_template("cpp", "g++");
}

#[test]
fn rust() {
    check_template("rust", "cargo");
}

#[test]
fn all_templates_answer_alike() {
    let languages = [("python", "python3"), ("javascript", "node"), ("cpp", "g++")];
    let made: Vec<_> = languages.into_iter().filter_map(|(language, program)| create(language, program)).collect();
    let answers: Vec<Vec<_>> = made
        .iter()
        .map(|(dir, bot)| {
            let replay = dir.play(&format!("{bot} greedy random greedy --seed 3 {PATIENT}"));
            turns(&replay).iter().map(|turn| turn["actions"][0].clone()).collect()
        })
        .collect();
    for pair in answers.windows(2) {
        assert_eq!(pair[0], pair[1]);
    }
}

#[test]
fn the_cpp_template_compiles_without_warnings() {
    let Some((dir, bot)) = create("cpp", "g++") else { return };
    let source = dir.path(bot);
    let flags = ["-O2", "-D_BOTZONE_ONLINE", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
    assert!(runs("g++", flags.map(std::ffi::OsString::from).into_iter().chain([source.into_os_string()])));
}

#[test]
fn the_readme_is_in_both_languages() {
    let dir = TestDir::new();
    let output = dir.run("new 我的bot --lang js --with simple").succeeded().stdout;
    assert!(output.contains("cd 我的bot") && output.contains("pacman2 check bot.js"), "{output}");
    let readme = dir.read("我的bot/README.md");
    for words in ["# 我的bot\n", "pacman2 check bot.js", "pacman2 play bot.js greedy", "In this folder", "在本文件夹中"] {
        assert!(readme.contains(words), "{words} is not in: {readme}");
    }
    assert!(!readme.contains(['{', '}']), "{readme}");
    let mark = dir.read("我的bot/pacman2-bot.txt");
    assert!(mark.starts_with("This folder belongs to one bot") && mark.contains("这个文件夹属于一个 Bot"), "{mark}");
    assert!(dir.read("我的bot/.gitignore").contains("replays/"));
    dir.run("new crab --lang rust").succeeded();
    assert!(dir.read("crab/.gitignore").contains("target/"));
}

#[test]
fn a_cpp_bot_begins_with_the_header_and_others_without_a_search() {
    let dir = TestDir::new();
    dir.run("new crab --lang cpp").succeeded();
    assert!(
        dir.read("crab/bot.cpp").contains("#include \"pacman2.hpp\"")
            && dir.read("crab/pacman2.hpp").contains("namespace pacman2")
    );
    assert!(dir.read("crab/README.md").contains("pacman2 bundle bot.cpp -o upload.cpp"));
    for (language, source) in [("python", "bot.py"), ("javascript", "bot.js"), ("rust", "src/main.rs")] {
        dir.run(&format!("new {language} --lang {language}")).succeeded();
        let text = dir.read(&format!("{language}/{source}"));
        assert!(text.contains("walks to the nearest fruit") && !text.contains("[with ") && !text.contains("attempt"), "{text}");
    }
}

#[test]
fn bad_input_is_rejected() {
    let dir = TestDir::new();
    dir.write("taken", "");
    dir.write("taken2", "");
    dir.run("new taken --lang python").refused(&["taken already exists", "taken3 is free"]);
    assert_eq!(dir.read("taken"), "");
    dir.run("new a/b --lang python").refused(&["\"a/b\": expected ", "letters, digits", "such as a-b"]);
    dir.run("new .. --lang python").refused(&["\"..\": expected ", "such as mybot"]);
    dir.run("new '' --lang python").refused(&["as the bot's name"]);
    let mistyped = dir.run("new mine --lang pyton");
    assert!(mistyped.stderr.contains("a similar value exists: 'python'"), "{mistyped:#?}");
    mistyped.misused(&["'pyton'", "rust, cpp, python, javascript"]);
    dir.run("new mine").misused(&["--lang"]);
    dir.run("new mine --lang cpp --with nets").misused(&["'nets'", "search, simple, net"]);
    dir.run("new mine --lang python --with net").refused(&["--with net: expected --lang cpp, got python", "pacman2.export"]);
    assert_eq!(dir.names(), ["taken", "taken2"]);
}

#[test]
fn a_folder_with_an_example_says_what_to_do_next() {
    let dir = TestDir::new();
    let said = dir.run("new lessons --lessons").succeeded().stdout;
    assert_eq!(
        said,
        "Created lessons, the bots of the six lessons. Next steps:\n\n  cd lessons\n  pacman2 docs lessons\n  pacman2 arena init\n  \
         pacman2 play 1-playouts.cpp greedy sample random --open\n"
    );
    dir.run("new lessons --lessons").refused(&["lessons already exists; lessons2 is free"]);
    dir.run("new class --class").succeeded();
    for file in
        ["tournament.toml", ".gitignore", "submissions/hanmeimei/main.cpp", "submissions/lilei.py", "submissions/zhangsan.py"]
    {
        let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/class/");
        assert_eq!(dir.read(&format!("class/{file}")), std::fs::read_to_string(format!("{repository}{file}")).unwrap());
    }
    dir.run("new both --lessons --class").misused(&["cannot be used with"]);
    dir.run("new neither").misused(&["--lang <LANGUAGE>"]);
}
