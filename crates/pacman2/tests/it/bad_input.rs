//! What cannot be accepted is refused by every verb in the same way: one clear sentence on stderr, nothing on stdout, exit
//! code 2, nothing written. What is particular to a verb is tested with it.

use crate::common::{FIELD, TestDir, init_data};
use serde_json::json;

#[test]
fn no_verb() {
    let result = TestDir::new().run("");
    assert_eq!((result.code, result.stdout.as_str()), (Some(2), ""), "{result:?}");
    for verb in ["match", "map", "replay", "judge", "bot", "simulate", "bench"] {
        assert!(result.stderr.contains(&format!("\n  {verb} ")), "{verb} is not in: {}", result.stderr);
    }
}

#[test]
fn an_unknown_verb() {
    let dir = TestDir::new();
    for (typed, meant) in [("mtach", "match"), ("replay verfy", "verify")] {
        let result = dir.run(typed);
        assert!(result.stderr.contains(&format!("'{meant}'")), "{result:?}");
        result.misused(&["unrecognized subcommand"]);
    }
}

#[test]
fn an_unknown_option() {
    let dir = TestDir::new();
    for verb in ["match greedy greedy greedy greedy", "map", "replay verify x", "judge", "bot greedy", "simulate", "bench"] {
        dir.run(&format!("{verb} --colour")).misused(&["'--colour'"]);
    }
}

#[test]
fn help_is_no_bad_input() {
    let dir = TestDir::new();
    for verb in
        ["", "match", "map", "replay", "replay verify", "replay show", "replay convert", "judge", "bot", "simulate", "bench"]
    {
        let result = dir.run(&format!("{verb} --help")).succeeded();
        assert!(result.stdout.contains("Usage: ") && result.stderr.is_empty(), "{result:?}");
    }
    assert!(dir.run("--version").succeeded().stdout.starts_with("pacman2 "));
}

// match.

#[test]
fn too_few_or_too_many_bots() {
    let dir = TestDir::new();
    for bots in ["", "greedy", "greedy greedy greedy", "greedy greedy greedy greedy greedy"] {
        dir.run(&format!("match {bots}")).misused(&[]);
    }
}

#[test]
fn a_bot_that_is_nothing() {
    let dir = TestDir::new();
    for (bot, words) in [
        (
            "greeedy",
            "there is no built-in bot \"greeedy\"; did you mean greedy? (built-in are random, sample, greedy, hunter, sage)",
        ),
        (
            "no-such-bot",
            "there is no built-in bot \"no-such-bot\" (built-in are random, sample, greedy, hunter, sage), and no file or program",
        ),
        (
            "./bot.py",
            "./bot.py: no such file; a bot is a built-in one, a program, a script or source, or a command line in quotes",
        ),
        ("no-such-program --fast", "there is no program \"no-such-program\""),
        ("sgae --time 300", "\"sgae --time 300\": there is no program \"sgae\"; did you mean sage?"),
        ("./no-such-program --fast", "there is no program \"./no-such-program\""),
        ("", "no command line"),
        ("  ", "no command line"),
        ("sh 'bot", "a quotation mark is missing"),
    ] {
        dir.run(&format!("match greedy {} greedy greedy", shlex::try_quote(bot).unwrap())).refused(&[words]);
    }
    assert_eq!(dir.names(), [""; 0]);
}

/// As in a shell, what lies here is not found without its `./`.
#[test]
#[cfg(unix)]
fn a_bot_that_lies_here_but_is_not_in_the_path() {
    let dir = TestDir::new();
    dir.write_executable("my-bot", "#!/bin/sh\n");
    dir.run("match 'my-bot --fast' greedy greedy greedy").refused(&["there is no program \"my-bot\""]);
}

#[test]
fn a_file_that_cannot_be_run() {
    let dir = TestDir::new();
    dir.write("notes.txt", "");
    dir.run("match notes.txt greedy greedy greedy")
        .refused(&["notes.txt: not executable, and its ending is none of .py, .js, .jar, .cpp"]);
    std::fs::create_dir(dir.path("folder")).unwrap();
    dir.run("match ./folder greedy greedy greedy").refused(&["./folder: "]);
}

#[test]
fn numbers_that_cannot_be() {
    let dir = TestDir::new();
    for (option, words) in [
        ("--seed -1", "'-1'"),
        ("--seed 2147483648", "2147483648"),
        ("--seed x", "'x'"),
        ("--turns 0", "1..=10000"),
        ("--turns 10001", "1..=10000"),
        ("--time-limit 0", "'0'"),
        ("--memory-limit 0", "1..=1000000"),
        ("--output-limit 0", "'0'"),
        ("--size 5x9", "columns x rows is wanted, 6 to 11 each, such as 9x8"),
        ("--ruling mercy", "sample, judge, prose"),
        ("--pace 60001", "0..=60000"),
    ] {
        let name = option.split(' ').next().unwrap();
        dir.run(&format!("match greedy greedy greedy greedy {option}")).misused(&[name, words]);
    }
    assert_eq!(dir.names(), [""; 0]);
}

#[test]
fn options_that_contradict_each_other() {
    let dir = TestDir::new();
    for options in ["--map m.json --size 6x6", "--no-limits --time-limit 5", "--no-replay --replay r.json"] {
        dir.run(&format!("match greedy greedy greedy greedy {options}")).misused(&["cannot be used with"]);
    }
}

#[test]
fn a_map_that_cannot_be_played() {
    let dir = TestDir::new();
    let mut map = init_data(FIELD);
    map["content"] = json!([]);
    dir.write("map.json", &map.to_string());
    let words = ["map.json: content has 0 rows; the height is 6"];
    dir.run("match greedy greedy greedy greedy --map map.json").refused(&words);
    dir.run("match greedy greedy greedy greedy --as-process --map map.json").refused(&words);
    dir.run("match greedy greedy greedy greedy --map nowhere.json").refused(&["nowhere.json: "]);
    assert_eq!(dir.names(), ["map.json"]);
}

#[test]
fn a_replay_that_has_no_place() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.path("folder")).unwrap();
    for path in ["no/such/replay.json", "folder", "-"] {
        dir.run(&format!("match greedy greedy greedy greedy --replay {path}")).refused(&[&format!("{path}: ")]);
    }
    assert_eq!(dir.names(), ["folder"]);
}

// bot.

#[test]
fn an_unknown_built_in_bot() {
    let dir = TestDir::new();
    dir.run("bot greddy").refused(&["there is no built-in bot \"greddy\"; did you mean greedy?"]);
    dir.run("bot").misused(&["<NAME>"]);
    dir.run("bot greedy --seed x").misused(&["'x'", "--seed"]);
}

#[test]
fn a_request_that_is_none() {
    let dir = TestDir::new();
    let mut stranger = init_data(FIELD);
    stranger["id"] = json!(4);
    let requests = |request| json!({ "requests": [request] }).to_string();
    for (input, words) in [
        ("", "no input; a request in one line of JSON is wanted"),
        ("hello", "the request is not JSON: "),
        ("{}", "the input has no list of requests"),
        (r#"{"requests": []}"#, "the input has no list of requests"),
        (&requests(json!({ "id": 0, "width": 99 })), "the first request is no init data: width is 99"),
        (&requests(init_data(FIELD)), "the first request has no id from 0 to 3"),
        (&requests(stranger), "the first request has no id from 0 to 3"),
        ("0\n", "turns count from 1"),
        ("2\n", "the input ends after 0 lines of history"),
    ] {
        dir.run_with("bot greedy", input).refused(&[words]);
    }
}
