//! What a bot sees in its sandbox and what it does not, who may go without, and what is said of it. How the sandbox holds
//! against attacks, `hostile.rs` looks at.

#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use common::{Place, Ran, backstage, has_sandbox_for, verdicts};
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
fn place(what: &str) -> Option<Place> {
    let place = has_sandbox_for(what).then(Place::new)?;
    fs::create_dir_all(place.path("bots/alice/data")).unwrap();
    place.write("secret.txt", SECRET);
    Some(place)
}

/// Plays a turn and returns what the bot on seat 0 told.
#[track_caller]
fn told(place: &Place, bots_and_options: &str) -> Value {
    let replay = place.play(&format!("{bots_and_options} --seed 3 --turns 1 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["OK"], "{}", replay["private"]);
    backstage(&replay, 0)[0]["debug"].clone()
}

#[test]
fn it_sees_the_folder_that_is_its_own() {
    let Some(place) = place("a bot sees its own folder") else { return };
    place.write("bots/alice/word.txt", "hello");
    place.write("bots/alice/bot.sh", &tells("cat \"${0%/*}/word.txt\""));
    assert_eq!(told(&place, "'sh bots/alice/bot.sh' greedy greedy greedy"), "hello");
    // Also by another name.
    symlink("bots/alice", place.path("short")).unwrap();
    assert_eq!(told(&place, "'sh short/bot.sh' greedy greedy greedy"), "hello");
}

#[test]
fn it_sees_no_folder_in_which_others_lie() {
    let Some(place) = place("a bot does not see another bot's files") else { return };
    place.write("bots/data", "no folder");
    for (seen, others) in [("", "'sh bots/bob.sh' greedy"), ("1", "greedy greedy"), ("", "'sh bots/alice/carol.sh' greedy")] {
        place.write("bots/alice.sh", &tells("[ -e bots/bob.sh ] && echo 1"));
        place.write("bots/bob.sh", &tells("echo"));
        place.write("bots/alice/carol.sh", &tells("echo"));
        assert_eq!(told(&place, &format!("'sh bots/alice.sh' {others} greedy")), seen, "{others}");
    }
}

#[test]
fn it_sees_data_and_nothing_else_of_the_folder_where_you_are() {
    let Some(place) = place("a bot sees its data") else { return };
    fs::create_dir(place.path("data")).unwrap();
    place.write("data/net.txt", "weights");
    place.write("bot.sh", &tells("cat secret.txt data/net.txt; ls"));
    assert_eq!(told(&place, "'sh bot.sh' greedy greedy greedy"), "weightsbot.shdata");
}

#[test]
fn a_bot_that_misses_its_other_files_is_explained() {
    let Some(place) = place("a bot that misses files is explained") else { return };
    place.write("bot.sh", ". ./other.sh");
    place.write("other.sh", &tells("echo"));
    let ran = place.run(&format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT}")).succeeded();
    assert!(ran.stderr.contains("sh bot.sh saw nothing of its folder but its own file"), "{ran:?}");
    place.write("bots/alice/bot.sh", "exit 1");
    let ran = place.run(&format!("match 'sh bots/alice/bot.sh' greedy greedy greedy --turns 1 {PATIENT}")).succeeded();
    assert!(!ran.stderr.contains("saw nothing"), "{ran:?}");
}

#[test]
fn its_data_may_be_no_link() {
    let Some(place) = place("data that is a link is not shown") else { return };
    fs::create_dir(place.path("private")).unwrap();
    place.write("private/secret.txt", SECRET);
    symlink(place.path("private"), place.path("data")).unwrap();
    place.write("bot.sh", &tells("cat data/secret.txt private/secret.txt"));
    assert_eq!(told(&place, "'sh bot.sh' greedy greedy greedy"), "");
}

#[test]
fn it_may_be_no_link_to_elsewhere() {
    let Some(place) = place("a bot that is a link is refused") else { return };
    place.write("elsewhere.sh", &tells("echo"));
    symlink(place.path("elsewhere.sh"), place.path("bots/alice/bot.sh")).unwrap();
    let line = format!("match 'sh bots/alice/bot.sh' greedy greedy greedy --turns 1 {PATIENT}");
    place.run(&line).refused(&["bots/alice/bot.sh is a link to another folder; name the file itself"]);
    symlink("real.sh", place.path("bots/alice/link.sh")).unwrap();
    place.write("bots/alice/real.sh", &tells("echo it works"));
    assert_eq!(told(&place, "'sh bots/alice/link.sh' greedy greedy greedy"), "it works");
}

/// The bot's author writes the first line of a script, and shall not choose with it what the bot sees.
#[test]
fn its_first_line_shows_it_nothing() {
    let Some(place) = place("a script's first line shows nothing") else { return };
    let secret = place.path("secret.txt").display().to_string();
    for line in ["/usr/../bin/sh", "/bin/sh", "/usr/bin/env sh", &format!("/usr/bin/env -S -u {secret} sh")] {
        place.write_executable("bots/alice/bot", &format!("#!{line}\n{}", tells(&format!("cat '{secret}'"))));
        assert_eq!(told(&place, "./bots/alice/bot greedy greedy greedy"), "", "{line}");
    }
    fs::set_permissions(place.path("secret.txt"), PermissionsExt::from_mode(0o755)).unwrap();
    place.write_executable("bots/alice/bot", &format!("#!{secret}\n"));
    let replay = place.play(&format!("./bots/alice/bot greedy greedy greedy --turns 1 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["RE"]);
}

/// Whoever packs a bot can pack links, too, and a "runtime" that is full of them.
#[test]
fn a_runtime_that_was_packed_shows_nothing() {
    let Some(place) = place("a packed runtime shows nothing") else { return };
    fs::create_dir_all(place.path("private")).unwrap();
    place.write("private/secret.txt", SECRET);
    for folder in ["pack/.local/bin", "pack/real/sub", "pack/real/d/bin", "pack/bot"] {
        fs::create_dir_all(place.path(folder)).unwrap();
    }
    for (target, link) in [
        ("../x/../d/bin/sh", "pack/.local/bin/sh"),
        ("../real/sub", "pack/.local/x"),
        ("/bin/sh", "pack/real/d/bin/sh"),
        ("../../private", "pack/.local/d"),
    ] {
        symlink(target, place.path(link)).unwrap();
    }
    let paths = ["pack/.local/d/secret.txt", "private/secret.txt"].map(|path| place.path(path).display().to_string());
    place.write("pack/bot/bot.sh", &tells(&format!("cat {}", paths.join(" "))));
    for runtime in ["pack/.local/bin/sh", "pack/real/d/bin/sh"] {
        let replay = place.play(&format!("'{runtime} pack/bot/bot.sh' greedy greedy greedy --turns 1 {PATIENT}"));
        assert!(!replay.to_string().contains(SECRET), "{runtime}: {}", replay["private"]);
    }
}

/// What PATH leads to is shown with what belongs to it, but not if that is the folder where you are.
#[test]
fn a_program_in_path_does_not_show_the_folder_where_you_are() {
    let Some(place) = place("a program in PATH shows no folder of yours") else { return };
    fs::create_dir(place.path("bin")).unwrap();
    place.write_executable("bin/mybot", &format!("#!/bin/sh\n{}", tells("cat secret.txt")));
    let mut command = place.command(&format!("match mybot greedy greedy greedy --turns 1 {PATIENT} --replay r.json"));
    command.env("PATH", format!("{}:/usr/bin:/bin", place.path("bin").display()));
    common::start(command, "").wait().succeeded();
    assert_eq!(backstage(&place.replay("r.json"), 0)[0]["debug"], "");
}

#[test]
fn a_folder_for_all_kinds_of_things_is_nobodys_own() {
    let Some(place) = place("Downloads is no bot's own folder") else { return };
    for (folder, seen) in [("Downloads", ""), ("下载", ""), ("mybot", SECRET)] {
        fs::create_dir(place.path(folder)).unwrap();
        place.write(&format!("{folder}/secret.txt"), SECRET);
        place.write(&format!("{folder}/bot.sh"), &tells(&format!("cat {folder}/secret.txt")));
        let line = format!("match 'sh {folder}/bot.sh' greedy greedy greedy --turns 1 {PATIENT} --replay r.json");
        let mut command = place.command(&line);
        command.env("HOME", place.path("."));
        common::start(command, "").wait().succeeded();
        assert_eq!(backstage(&place.replay("r.json"), 0)[0]["debug"], seen, "{folder}");
    }
}

#[test]
fn a_current_folder_that_is_gone_is_no_reason_to_trust() {
    if !has_sandbox_for("a current folder that is gone is told") {
        return;
    }
    let place = Place::new();
    let line = format!(
        "mkdir gone && cd gone && rmdir ../gone && exec '{}' match cat greedy greedy greedy --no-replay",
        common::PACMAN2
    );
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &line]);
    place.at_home(&mut command);
    let ran = common::start(command, "").wait();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("the current folder: No such file") && !ran.stderr.contains("--trust"), "{ran:?}");
}

#[test]
fn its_source_can_include_nothing_from_elsewhere() {
    let Some(place) = place("a C++ source includes nothing from elsewhere") else { return };
    let Some(_) = std::process::Command::new("g++").arg("--version").output().ok().filter(|ran| ran.status.success()) else {
        return eprintln!("not run: a C++ source includes nothing from elsewhere (g++ is missing)");
    };
    place.write("bots/bob.cpp", "const char *word = \"bob's\";");
    place.write("secret.h", "const char *word = \"secret\";");
    let secret = place.path("secret.h").display().to_string();
    let sources = [secret.as_str(), "../../secret.h", "../bob.cpp"].map(|name| {
        // Whether it is compiled or not, a line shall make nothing visible.
        format!("#include \"{name}\"\n#include <cstdio>\nint main() {{ puts(word); }}\n")
    });
    let incbin = format!("#if 0\n#include \"{secret}\"\n#endif\nasm(\".incbin \\\"{secret}\\\"\");\nint main() {{}}\n");
    for source in sources.into_iter().chain([incbin]) {
        place.write("bots/alice/bot.cpp", &source);
        let ran = place.run("match bots/alice/bot.cpp greedy greedy greedy --turns 1");
        assert_eq!(ran.code, Some(2), "{source}: {ran:?}");
        assert!(ran.stderr.contains("bots/alice/bot.cpp does not compile"), "{source}: {ran:?}");
    }
}

#[test]
fn its_environment_is_almost_empty() {
    let Some(place) = place("a bot's environment is almost empty") else { return };
    // What the shell adds by itself is left out.
    place.write("bots/alice/bot.sh", &tells("env | cut -d= -f1 | grep -vE '^(PWD|OLDPWD|SHLVL|_)$' | sort | tr '\\n' ' '"));
    let mut command =
        place.command(&format!("match 'sh bots/alice/bot.sh' greedy greedy greedy --turns 1 {PATIENT} --replay r.json"));
    command.env("PACMAN2_TEST_PASSWORD", SECRET);
    common::start(command, "").wait().succeeded();
    assert_eq!(backstage(&place.replay("r.json"), 0)[0]["debug"], "HOME LANG PATH ");
}

/// Each start has a `/tmp` of its own; nothing is carried from turn to turn but what the protocol has for that.
#[test]
fn it_keeps_nothing_from_turn_to_turn() {
    let Some(place) = place("a bot keeps nothing in /tmp") else { return };
    place.write("bots/alice/bot.sh", &tells("cat /tmp/kept; echo 1 >/tmp/kept"));
    let replay = place.play(&format!("'sh bots/alice/bot.sh' greedy greedy greedy --turns 3 {PATIENT}"));
    let told: Vec<Value> = backstage(&replay, 0).iter().map(|said| said["debug"].clone()).collect();
    assert_eq!(told, ["", "", ""]);
}

#[test]
fn the_record_names_the_tier_of_every_process() {
    let Some(place) = place("the record names tiers") else { return };
    let best = place.run("doctor --json").json()["tier"].clone();
    place.write("bot.sh", &tells("echo"));
    let replay = place.play(&format!("'sh bot.sh' greedy 'sh bot.sh ' greedy --turns 1 {PATIENT} --trust 'sh bot.sh '"));
    assert_eq!(replay["private"]["sandbox"], json!([best, null, "C", null]));
    let line = format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT} --no-replay --json");
    let seats = place.run(&line).succeeded().json()["seats"].clone();
    assert_eq!([&seats[0]["sandbox"], &seats[1]["sandbox"]], [&best, &Value::Null]);
    let replay = place.play(&format!("greedy greedy greedy greedy --turns 1 --as-process {PATIENT}"));
    assert_eq!(replay["private"]["sandbox"], json!([best, best, best, best]));
}

#[test]
fn who_is_trusted_goes_without_and_that_is_said_loudly() {
    let place = Place::new();
    place.write("secret.txt", SECRET);
    place.write("bot.sh", &tells("cat secret.txt"));
    for trust in ["--trust 'sh bot.sh'", "--trust all"] {
        let line = format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT} --replay r.json {trust}");
        let ran: Ran = place.run(&line).succeeded();
        let warnings: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("WARNING: NO SANDBOX")).collect();
        assert_eq!((warnings.len(), warnings[0].contains("sh bot.sh")), (1, true), "{ran:?}");
        assert_eq!(backstage(&place.replay("r.json"), 0)[0]["debug"], SECRET);
    }
    let line = "match 'sh bot.sh' greedy greedy greedy --trust bot.sh";
    place.run(line).refused(&["--trust bot.sh: no bot of this match is called that; they are sh bot.sh, greedy"]);
}

#[test]
fn a_tier_can_be_required() {
    let place = Place::new();
    place.write("bot.sh", &tells("echo"));
    let tier = place.run("doctor --json").json()["tier"].as_str().unwrap().to_owned();
    for required in ["A", "B"] {
        let line = format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT} --no-replay --require-tier {required}");
        let ran = place.run(&line);
        if tier.as_str() <= required {
            ran.succeeded();
        } else {
            ran.refused(&[&format!("--require-tier {required}: this machine has tier {tier} only")]);
        }
        place.run(&format!("{line} --trust all")).refused(&["is trusted, and would run outside of the sandbox"]);
    }
    place.run("match greedy greedy greedy greedy --require-tier D").misused(&["'D'", "A, B"]);
}
