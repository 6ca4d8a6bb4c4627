//! What a bot sees in its sandbox and what it does not, who may go without, and what is said of it. How the sandbox holds
//! against attacks, `hostile.rs` looks at.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::common::{RunResult, TestDir, diagnostics, has_sandbox_for, verdicts};
use serde_json::{Value, json};

const SECRET: &str = "nobody but its owner knows this";
const PATIENT: &str = "--time-limit 60000";

/// A bot in shell that tells in `debug` what a command prints.
fn tells(command: &str) -> String {
    format!(
        "read -r q\nsaid=$({command} 2>/dev/null | tr -d '\\n')\necho '{{\"response\":{{\"action\":-1}},\"debug\":\"'\"$said\"'\"}}'\n"
    )
}

/// A folder with a secret beside it, if this machine has a sandbox; says what was not run if it has none.
fn dir_with_secret(what: &str) -> Option<TestDir> {
    let dir = has_sandbox_for(what).then(TestDir::new)?;
    fs::create_dir_all(dir.path("bots/alice/data")).unwrap();
    dir.write("secret.txt", SECRET);
    Some(dir)
}

/// Plays a turn and returns what the bot on seat 0 told.
#[track_caller]
fn debug_output(dir: &TestDir, bots_and_options: &str) -> Value {
    let replay = dir.play(&format!("{bots_and_options} --seed 3 --turns 1 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["OK"], "{}", replay["private"]);
    diagnostics(&replay, 0)[0]["debug"].clone()
}

#[test]
fn it_sees_the_folder_that_is_its_own() {
    let Some(dir) = dir_with_secret("a bot sees its own folder") else { return };
    dir.write("bots/alice/word.txt", "hello");
    dir.write("bots/alice/bot.sh", &tells("cat \"${0%/*}/word.txt\""));
    assert_eq!(debug_output(&dir, "'sh bots/alice/bot.sh' greedy greedy greedy"), "hello");
    // Also by another name.
    symlink("bots/alice", dir.path("short")).unwrap();
    assert_eq!(debug_output(&dir, "'sh short/bot.sh' greedy greedy greedy"), "hello");
}

#[test]
fn it_sees_no_folder_in_which_others_lie() {
    let Some(dir) = dir_with_secret("a bot does not see another bot's files") else { return };
    dir.write("bots/data", "no folder");
    for (seen, others) in [("", "'sh bots/bob.sh' greedy"), ("1", "greedy greedy"), ("", "'sh bots/alice/carol.sh' greedy")] {
        dir.write("bots/alice.sh", &tells("[ -e bots/bob.sh ] && echo 1"));
        dir.write("bots/bob.sh", &tells("echo"));
        dir.write("bots/alice/carol.sh", &tells("echo"));
        assert_eq!(debug_output(&dir, &format!("'sh bots/alice.sh' {others} greedy")), seen, "{others}");
    }
}

#[test]
fn it_sees_data_and_nothing_else_of_the_folder_where_you_are() {
    let Some(dir) = dir_with_secret("a bot sees its data") else { return };
    fs::create_dir(dir.path("data")).unwrap();
    dir.write("data/net.txt", "weights");
    dir.write("bot.sh", &tells("cat secret.txt data/net.txt; ls"));
    assert_eq!(debug_output(&dir, "'sh bot.sh' greedy greedy greedy"), "weightsbot.shdata");
}

#[test]
fn a_bot_that_misses_its_other_files_is_explained() {
    let Some(dir) = dir_with_secret("a bot that misses files is explained") else { return };
    dir.write("bot.sh", ". ./other.sh");
    dir.write("other.sh", &tells("echo"));
    let result = dir.run(&format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT}")).succeeded();
    assert!(result.stderr.contains("sh bot.sh saw nothing of its folder but its own file"), "{result:?}");
    dir.write("bots/alice/bot.sh", "exit 1");
    let result = dir.run(&format!("match 'sh bots/alice/bot.sh' greedy greedy greedy --turns 1 {PATIENT}")).succeeded();
    assert!(!result.stderr.contains("saw nothing"), "{result:?}");
}

#[test]
fn its_data_may_be_no_link() {
    let Some(dir) = dir_with_secret("data that is a link is not shown") else { return };
    fs::create_dir(dir.path("private")).unwrap();
    dir.write("private/secret.txt", SECRET);
    symlink(dir.path("private"), dir.path("data")).unwrap();
    dir.write("bot.sh", &tells("cat data/secret.txt private/secret.txt"));
    assert_eq!(debug_output(&dir, "'sh bot.sh' greedy greedy greedy"), "");
}

#[test]
fn it_may_be_no_link_to_elsewhere() {
    let Some(dir) = dir_with_secret("a bot that is a link is refused") else { return };
    dir.write("elsewhere.sh", &tells("echo"));
    symlink(dir.path("elsewhere.sh"), dir.path("bots/alice/bot.sh")).unwrap();
    let line = format!("match 'sh bots/alice/bot.sh' greedy greedy greedy --turns 1 {PATIENT}");
    dir.run(&line).refused(&["bots/alice/bot.sh is a link to another folder; name the file itself"]);
    symlink("real.sh", dir.path("bots/alice/link.sh")).unwrap();
    dir.write("bots/alice/real.sh", &tells("echo it works"));
    assert_eq!(debug_output(&dir, "'sh bots/alice/link.sh' greedy greedy greedy"), "it works");
}

/// The bot's author writes the first line of a script, and shall not choose with it what the bot sees.
#[test]
fn its_first_line_shows_it_nothing() {
    let Some(dir) = dir_with_secret("a script's first line shows nothing") else { return };
    let secret = dir.path("secret.txt").display().to_string();
    for line in ["/usr/../bin/sh", "/bin/sh", "/usr/bin/env sh", &format!("/usr/bin/env -S -u {secret} sh")] {
        dir.write_executable("bots/alice/bot", &format!("#!{line}\n{}", tells(&format!("cat '{secret}'"))));
        assert_eq!(debug_output(&dir, "./bots/alice/bot greedy greedy greedy"), "", "{line}");
    }
    fs::set_permissions(dir.path("secret.txt"), PermissionsExt::from_mode(0o755)).unwrap();
    dir.write_executable("bots/alice/bot", &format!("#!{secret}\n"));
    let replay = dir.play(&format!("./bots/alice/bot greedy greedy greedy --turns 1 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["RE"]);
}

/// Whoever packs a bot can pack links, too, and a "runtime" that is full of them.
#[test]
fn a_runtime_that_was_packed_shows_nothing() {
    let Some(dir) = dir_with_secret("a packed runtime shows nothing") else { return };
    fs::create_dir_all(dir.path("private")).unwrap();
    dir.write("private/secret.txt", SECRET);
    for folder in ["pack/.local/bin", "pack/real/sub", "pack/real/d/bin", "pack/bot"] {
        fs::create_dir_all(dir.path(folder)).unwrap();
    }
    for (target, link) in [
        ("../x/../d/bin/sh", "pack/.local/bin/sh"),
        ("../real/sub", "pack/.local/x"),
        ("/bin/sh", "pack/real/d/bin/sh"),
        ("../../private", "pack/.local/d"),
    ] {
        symlink(target, dir.path(link)).unwrap();
    }
    let paths = ["pack/.local/d/secret.txt", "private/secret.txt"].map(|path| dir.path(path).display().to_string());
    dir.write("pack/bot/bot.sh", &tells(&format!("cat {}", paths.join(" "))));
    for runtime in ["pack/.local/bin/sh", "pack/real/d/bin/sh"] {
        let replay = dir.play(&format!("'{runtime} pack/bot/bot.sh' greedy greedy greedy --turns 1 {PATIENT}"));
        assert!(!replay.to_string().contains(SECRET), "{runtime}: {}", replay["private"]);
    }
}

/// What PATH leads to is shown with what belongs to it, but not if that is the folder where you are.
#[test]
fn a_program_in_path_does_not_show_the_folder_where_you_are() {
    let Some(dir) = dir_with_secret("a program in PATH shows no folder of yours") else { return };
    fs::create_dir(dir.path("bin")).unwrap();
    dir.write_executable("bin/mybot", &format!("#!/bin/sh\n{}", tells("cat secret.txt")));
    let mut command = dir.command(&format!("match mybot greedy greedy greedy --turns 1 {PATIENT} --replay r.json"));
    command.env("PATH", format!("{}:/usr/bin:/bin", dir.path("bin").display()));
    crate::common::start(command, "").wait().succeeded();
    assert_eq!(diagnostics(&dir.replay("r.json"), 0)[0]["debug"], "");
}

#[test]
fn a_folder_for_all_kinds_of_things_is_nobodys_own() {
    let Some(dir) = dir_with_secret("Downloads is no bot's own folder") else { return };
    for (folder, seen) in [("Downloads", ""), ("下载", ""), ("mybot", SECRET)] {
        fs::create_dir(dir.path(folder)).unwrap();
        dir.write(&format!("{folder}/secret.txt"), SECRET);
        dir.write(&format!("{folder}/bot.sh"), &tells(&format!("cat {folder}/secret.txt")));
        let line = format!("match 'sh {folder}/bot.sh' greedy greedy greedy --turns 1 {PATIENT} --replay r.json");
        let mut command = dir.command(&line);
        command.env("HOME", dir.path("."));
        crate::common::start(command, "").wait().succeeded();
        assert_eq!(diagnostics(&dir.replay("r.json"), 0)[0]["debug"], seen, "{folder}");
    }
}

#[test]
fn a_current_folder_that_is_gone_is_no_reason_to_trust() {
    if !has_sandbox_for("a current folder that is gone is told") {
        return;
    }
    let dir = TestDir::new();
    let line = format!(
        "mkdir gone && cd gone && rmdir ../gone && exec '{}' match cat greedy greedy greedy --no-replay",
        crate::common::PACMAN2
    );
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &line]);
    dir.isolate(&mut command);
    let result = crate::common::start(command, "").wait();
    assert_eq!(result.code, Some(2), "{result:?}");
    assert!(result.stderr.contains("the current folder: No such file") && !result.stderr.contains("--trust"), "{result:?}");
}

#[test]
fn its_source_can_include_nothing_from_elsewhere() {
    let Some(dir) = dir_with_secret("a C++ source includes nothing from elsewhere") else { return };
    let Some(_) = std::process::Command::new("g++").arg("--version").output().ok().filter(|result| result.status.success())
    else {
        return eprintln!("not run: a C++ source includes nothing from elsewhere (g++ is missing)");
    };
    dir.write("bots/bob.cpp", "const char *word = \"bob's\";");
    dir.write("secret.h", "const char *word = \"secret\";");
    let secret = dir.path("secret.h").display().to_string();
    let sources = [secret.as_str(), "../../secret.h", "../bob.cpp"].map(|name| {
        // Whether it is compiled or not, a line shall make nothing visible.
        format!("#include \"{name}\"\n#include <cstdio>\nint main() {{ puts(word); }}\n")
    });
    let incbin = format!("#if 0\n#include \"{secret}\"\n#endif\nasm(\".incbin \\\"{secret}\\\"\");\nint main() {{}}\n");
    for source in sources.into_iter().chain([incbin]) {
        dir.write("bots/alice/bot.cpp", &source);
        let result = dir.run("match bots/alice/bot.cpp greedy greedy greedy --turns 1");
        assert_eq!(result.code, Some(2), "{source}: {result:?}");
        assert!(result.stderr.contains("bots/alice/bot.cpp does not compile"), "{source}: {result:?}");
    }
}

#[test]
fn its_environment_is_almost_empty() {
    let Some(dir) = dir_with_secret("a bot's environment is almost empty") else { return };
    // What the shell adds by itself is left out.
    dir.write("bots/alice/bot.sh", &tells("env | cut -d= -f1 | grep -vE '^(PWD|OLDPWD|SHLVL|_)$' | sort | tr '\\n' ' '"));
    let mut command =
        dir.command(&format!("match 'sh bots/alice/bot.sh' greedy greedy greedy --turns 1 {PATIENT} --replay r.json"));
    command.env("PACMAN2_TEST_PASSWORD", SECRET);
    crate::common::start(command, "").wait().succeeded();
    assert_eq!(diagnostics(&dir.replay("r.json"), 0)[0]["debug"], "HOME LANG PATH ");
}

/// Each start has a `/tmp` of its own; nothing is carried from turn to turn but what the protocol has for that.
#[test]
fn it_keeps_nothing_from_turn_to_turn() {
    let Some(dir) = dir_with_secret("a bot keeps nothing in /tmp") else { return };
    dir.write("bots/alice/bot.sh", &tells("cat /tmp/kept; echo 1 >/tmp/kept"));
    let replay = dir.play(&format!("'sh bots/alice/bot.sh' greedy greedy greedy --turns 3 {PATIENT}"));
    let debug_output: Vec<Value> = diagnostics(&replay, 0).iter().map(|said| said["debug"].clone()).collect();
    assert_eq!(debug_output, ["", "", ""]);
}

#[test]
fn the_record_names_the_tier_of_every_process() {
    let Some(dir) = dir_with_secret("the record names tiers") else { return };
    let best = dir.run("doctor --json").json()["tier"].clone();
    dir.write("bot.sh", &tells("echo"));
    let replay = dir.play(&format!("'sh bot.sh' greedy 'sh bot.sh ' greedy --turns 1 {PATIENT} --trust 'sh bot.sh '"));
    assert_eq!(replay["private"]["sandbox"], json!([best, null, "C", null]));
    let line = format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT} --no-replay --json");
    let seats = dir.run(&line).succeeded().json()["seats"].clone();
    assert_eq!([&seats[0]["sandbox"], &seats[1]["sandbox"]], [&best, &Value::Null]);
    let replay = dir.play(&format!("greedy greedy greedy greedy --turns 1 --as-process {PATIENT}"));
    assert_eq!(replay["private"]["sandbox"], json!([best, best, best, best]));
}

#[test]
fn who_is_trusted_goes_without_and_that_is_said_loudly() {
    let dir = TestDir::new();
    dir.write("secret.txt", SECRET);
    dir.write("bot.sh", &tells("cat secret.txt"));
    for trust in ["--trust 'sh bot.sh'", "--trust all"] {
        let line = format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT} --replay r.json {trust}");
        let result: RunResult = dir.run(&line).succeeded();
        let warnings: Vec<&str> = result.stderr.lines().filter(|line| line.contains("WARNING: NO SANDBOX")).collect();
        assert_eq!((warnings.len(), warnings[0].contains("sh bot.sh")), (1, true), "{result:?}");
        assert_eq!(diagnostics(&dir.replay("r.json"), 0)[0]["debug"], SECRET);
    }
    let line = "match 'sh bot.sh' greedy greedy greedy --trust bot.sh";
    dir.run(line).refused(&["--trust bot.sh: no bot of this match is called that; they are sh bot.sh, greedy"]);
}

#[test]
fn a_tier_can_be_required() {
    let dir = TestDir::new();
    dir.write("bot.sh", &tells("echo"));
    let tier = dir.run("doctor --json").json()["tier"].as_str().unwrap().to_owned();
    for required in ["A", "B"] {
        let line = format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT} --no-replay --require-tier {required}");
        let result = dir.run(&line);
        if tier.as_str() <= required {
            result.succeeded();
        } else {
            result.refused(&[&format!("--require-tier {required}: this machine has tier {tier} only")]);
        }
        dir.run(&format!("{line} --trust all")).refused(&["is trusted, and would run outside of the sandbox"]);
    }
    dir.run("match greedy greedy greedy greedy --require-tier D").misused(&["'D'", "A, B"]);
}
