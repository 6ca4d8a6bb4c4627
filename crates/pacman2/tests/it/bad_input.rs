//! Bad input: every verb rejects it in the same way, with one sentence on stderr, nothing on stdout, exit code 2, and nothing
//! written. What is particular to a verb is tested with that verb.

use std::fs;

use crate::common::{FIELD, TestDir, init_data};
use serde_json::json;

#[test]
fn no_verb() {
    let result = TestDir::new().run("");
    assert_eq!((result.code, result.stdout.as_str()), (Some(2), ""), "{result:?}");
    for verb in ["play", "map", "replay", "judge", "bot", "simulate", "bench"] {
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
fn help_succeeds() {
    let dir = TestDir::new();
    for verb in
        ["", "match", "map", "replay", "replay verify", "replay show", "replay convert", "judge", "bot", "simulate", "bench"]
    {
        let result = dir.run(&format!("{verb} --help")).succeeded();
        assert!(result.stdout.contains("Usage: ") && result.stderr.is_empty(), "{result:?}");
    }
    assert!(dir.run("--version").succeeded().stdout.starts_with("pacman2 "));
}

#[test]
fn an_unknown_verdict() {
    TestDir::new().run("arena games --fault late").misused(&["'late'", "expected one of TLE, MLE, OLE, NJ, RE, ILLEGAL"]);
}

#[test]
fn an_old_name_works_and_says_the_new_one() {
    let dir = TestDir::new();
    dir.run("arena init --turns 2").succeeded();
    dir.run("arena add greedy random").succeeded();
    for (old, new) in [
        ("arena retire --back greedy", "\"arena retire --back\" is now \"arena reinstate\""),
        ("arena report", "\"arena report\" is now \"arena export --html FILE\""),
        ("arena gate greedy random --most-blocks 1 --pool sample", "\"arena gate\" is now \"arena compare --all-tables\""),
        ("replay open no-file", "\"replay open\" is now \"open\""),
        ("arena plan", "\"arena plan\" is now \"jobs plan\""),
        ("arena play no-file", "\"arena play\" is now \"jobs play\""),
        ("arena record no-file", "\"arena record\" is now \"jobs record\""),
        ("train play no-file", "\"train play\" is now \"jobs play --nets DIR\""),
    ] {
        let result = dir.run(old);
        assert_eq!(result.stderr.lines().filter(|line| line.contains(new)).count(), 1, "{result:?}");
    }
    let result = dir.run("match greedy --seed 1 --turns 1");
    assert!(!result.stderr.contains(" is now "), "{result:?}");
}

#[test]
fn a_time_may_have_a_unit() {
    let dir = TestDir::new();
    for time in ["500", "500ms", "2s"] {
        dir.run(&format!("match greedy --seed 1 --turns 1 --time-limit {time}")).succeeded();
    }
    for time in ["0s", "1.5s", "2m", "s"] {
        dir.run(&format!("match greedy --time-limit {time}")).misused(&["expected"]);
    }
    for time in ["0.05", "0.05s", "50ms"] {
        dir.run(&format!("bench --seconds {time} --size 6x6")).succeeded();
    }
    dir.run("bench --seconds 1ms").misused(&["expected"]);
    dir.run("botzone play --start a,me,b,c --site-time-limit 1500ms").misused(&["a whole number from 1 to 3600"]);
}

// match.

#[test]
fn too_few_or_too_many_bots() {
    let dir = TestDir::new();
    for bots in ["", "greedy greedy greedy greedy greedy"] {
        dir.run(&format!("match {bots}")).misused(&[]);
    }
    for (bots, count) in [("greedy sage", 2), ("greedy greedy greedy", 3)] {
        let words = format!("expected four bots, or one to play against three greedy, got {count}");
        dir.run(&format!("match {bots}")).refused(&[&words]);
    }
}

#[test]
fn an_unknown_bot() {
    let dir = TestDir::new();
    for (bot, words) in [
        (
            "greeedy",
            "unknown built-in bot \"greeedy\"; did you mean greedy? (built-in bots: random, sample, greedy, hunter, sage)",
        ),
        (
            "no-such-bot",
            "unknown built-in bot \"no-such-bot\" (built-in bots: random, sample, greedy, hunter, sage), and no file or program",
        ),
        (
            "./bot.py",
            "./bot.py: no such file; expected a built-in bot, a program, a script or source, or a command line in quotes",
        ),
        ("greedy.py", "greedy.py: no such file"),
        ("no-such-program --fast", "no program \"no-such-program\" found"),
        ("sgae --time 300", "\"sgae --time 300\": no program \"sgae\" found; did you mean sage?"),
        ("./no-such-program --fast", "no program \"./no-such-program\" found"),
        ("", "not a command line"),
        ("  ", "not a command line"),
        ("sh 'bot", "misses a quotation mark"),
    ] {
        dir.run(&format!("match greedy {} greedy greedy", shlex::try_quote(bot).unwrap())).refused(&[words]);
    }
    assert_eq!(dir.names(), [""; 0]);
}

#[test]
fn an_unknown_word_suggests_the_verb_that_does_what_it_means() {
    for (word, verb) in [
        ("watch", "'open'"),
        ("test", "'check'"),
        ("tournament", "'arena tournament'"),
        ("upload", "'bundle'"),
        ("version", "'--version'"),
        ("bot.py", "'play'"),
        ("arena class.toml", "'arena tournament'"),
        ("replay last.json", "'open'"),
    ] {
        let result = TestDir::new().run(word);
        assert!(result.code == Some(2) && result.stderr.contains(verb), "{result:#?}");
    }
}

#[test]
fn what_is_no_match_says_what_it_is() {
    let dir = TestDir::new();
    dir.write("bot.py", "print(1)\n");
    fs::create_dir(dir.path("bots")).unwrap();
    for (name, words) in [
        ("bot.py", "bot.py: expected a match, got a bot; play it with \"pacman2 play bot.py\""),
        ("bots", "bots: expected a regular file, got a folder; name a file in it"),
        ("https://www.botzone.org.cn/match/5f3a", "; \"pacman2 botzone fetch 5f3a\" fetches this match"),
    ] {
        dir.run(&format!("replay show {name}")).refused(&[words]);
    }
}

/// As in a shell, a program in the current folder is not found without `./`.
#[test]
#[cfg(unix)]
fn a_bot_that_is_here_but_not_in_path() {
    let dir = TestDir::new();
    dir.write_executable("my-bot", "#!/bin/sh\n");
    dir.run("match 'my-bot --fast' greedy greedy greedy")
        .refused(&["no program \"my-bot\" found; the file here is started as ./my-bot"]);
}

#[test]
fn a_file_that_cannot_be_run() {
    let dir = TestDir::new();
    dir.write("notes.txt", "");
    dir.run("match notes.txt greedy greedy greedy").refused(&[
        "notes.txt: not executable, and its extension is none of .py, .js, .jar, .java, .cpp, .c, .cs, .pas, .go, .rs",
    ]);
    std::fs::create_dir(dir.path("folder")).unwrap();
    dir.run("match ./folder greedy greedy greedy").refused(&["./folder: "]);
}

#[test]
fn numbers_out_of_range() {
    let dir = TestDir::new();
    for (option, words) in [
        ("--seed -2147483649", "-2147483649"),
        ("--seed 4294967296", "4294967296"),
        ("--seed x", "'x'"),
        ("--turns 0", "a whole number from 1 to 10000"),
        ("--turns 10001", "a whole number from 1 to 10000"),
        ("--time-limit 0", "'0'"),
        ("--memory-limit 0", "a whole number from 1 to 1000000"),
        ("--output-limit 0", "'0'"),
        ("--size 5x9", "expected columns x rows, 6 to 11 each, such as 9x8"),
        ("--ruling mercy", "sample, judge, prose"),
        ("--pace 60001", "a whole number from 0 to 60000"),
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
    let words = ["map.json: content must have 6 rows, as the height says, got 0"];
    dir.run("match greedy greedy greedy greedy --map map.json").refused(&words);
    dir.run("match greedy greedy greedy greedy --as-process --map map.json").refused(&words);
    dir.run("match greedy greedy greedy greedy --map nowhere.json").refused(&["nowhere.json: "]);
    assert_eq!(dir.names(), ["map.json"]);
}

#[test]
fn a_replay_path_that_cannot_be_written() {
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
    dir.run("bot greddy").refused(&["unknown built-in bot \"greddy\"; did you mean greedy?"]);
    dir.run("bot").misused(&["<NAME>"]);
    dir.run("bot greedy --seed x").misused(&["'x'", "--seed"]);
}

#[test]
fn an_invalid_request() {
    let dir = TestDir::new();
    let mut stranger = init_data(FIELD);
    stranger["id"] = json!(4);
    let requests = |request| json!({ "requests": [request] }).to_string();
    for (input, words) in [
        ("", "no input; expected a request in one line of JSON"),
        ("hello", "the request is not JSON: "),
        ("{}", "expected an object with a non-empty list of requests"),
        (r#"{"requests": []}"#, "expected an object with a non-empty list of requests"),
        (
            &requests(json!({ "id": 0, "width": 99 })),
            "the init data of the first request cannot be played: width must be a whole number between 6 and 11, got 99",
        ),
        (&requests(init_data(FIELD)), "the first request has no seat: expected an id from 0 to 3, got "),
        (&requests(stranger), "the first request has no seat: expected an id from 0 to 3, got "),
        ("0\n", "expected a turn of 1 or more in simplified interaction, got 0"),
        ("2\n", "expected 3 lines of history, got 0"),
    ] {
        dir.run_with("bot greedy", input).refused(&[words]);
    }
}
