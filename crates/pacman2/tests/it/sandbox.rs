//! What a bot sees in its sandbox, which bots run without one, and how that is reported. Attacks are in `hostile.rs`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::common::{PACMAN2, RunResult, TestDir, copy_program, diagnostics, has, has_sandbox_for, start, verdicts};
use serde_json::{Value, json};

const SECRET: &str = "nobody but its owner knows this";
const PATIENT: &str = "--time-limit 60000";

/// Returns a shell bot whose `debug` is the output of a command.
fn prints(command: &str) -> String {
    format!(
        "read -r q\nfound=$({command} 2>/dev/null | tr -d '\\n')\necho '{{\"response\":{{\"action\":-1}},\"debug\":\"'\"$found\"'\"}}'\n"
    )
}

/// Returns a folder with a secret beside the bots. Without a sandbox on this machine, prints what is skipped.
fn dir_with_secret(what: &str) -> Option<TestDir> {
    let dir = has_sandbox_for(what).then(TestDir::new)?;
    fs::create_dir_all(dir.path("bots/alice/data")).unwrap();
    dir.write("secret.txt", SECRET);
    Some(dir)
}

/// Plays a turn and returns the `debug` of the bot on seat 0.
#[track_caller]
fn debug_output(dir: &TestDir, bots_and_options: &str) -> Value {
    let replay = dir.play(&format!("{bots_and_options} --seed 3 --turns 1 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["OK"], "{}", replay["private"]);
    diagnostics(&replay, 0)[0]["debug"].clone()
}

/// Writes a bot that prints what it can read of these files, which lie beside it.
fn write_reader(dir: &TestDir, name: &str, files: &str) {
    let files: Vec<String> = files.split(' ').map(|file| format!("\"${{0%/*}}/{file}\"")).collect();
    dir.write_executable(name, &format!("#!/bin/sh\n{}", prints(&format!("cat {}", files.join(" ")))));
}

#[test]
fn a_bot_sees_only_its_file_and_its_data() {
    let Some(dir) = dir_with_secret("a bot sees only its file and its data") else { return };
    fs::create_dir_all(dir.path("subs/data")).unwrap();
    dir.write("subs/data/net.txt", "weights");
    for name in ["bob.py", "grades.csv", "replays.json"] {
        dir.write(&format!("subs/{name}"), SECRET);
    }
    write_reader(&dir, "subs/alice", "bob.py grades.csv replays.json data/net.txt ../secret.txt");
    for bot in ["subs/alice", "'sh subs/alice'"] {
        assert_eq!(debug_output(&dir, &format!("{bot} greedy greedy greedy")), "weights", "{bot}");
    }
    // Only the bot of a folder can have it: anyone can put the mark into an archive that is unpacked among others.
    dir.write("subs/pacman2-bot.txt", "");
    assert_eq!(debug_output(&dir, "subs/alice greedy greedy greedy"), "weights");
}

#[test]
fn a_bot_sees_the_folder_that_the_user_names() {
    let Some(dir) = dir_with_secret("a bot sees the folder that the user names") else { return };
    dir.write("bots/alice/word.txt", "hello");
    write_reader(&dir, "bots/alice/bot", "word.txt ../../secret.txt");
    // Also through a link, or in a command line.
    symlink("bots/alice", dir.path("short")).unwrap();
    for bot in ["bots/alice", "bots/alice/", "short", "'sh bots/alice/bot bots/alice'"] {
        assert_eq!(debug_output(&dir, &format!("{bot} greedy greedy greedy")), "hello", "{bot}");
    }
    for bot in ["bots/alice/bot", "short/bot", "'sh bots/alice/bot'"] {
        assert_eq!(debug_output(&dir, &format!("{bot} greedy greedy greedy")), "", "{bot}");
    }
}

#[test]
fn a_bot_sees_a_folder_with_the_mark() {
    let Some(dir) = dir_with_secret("a bot sees a folder with the mark") else { return };
    dir.run("new mybot --lang python").succeeded();
    fs::remove_file(dir.path("mybot/bot.py")).unwrap();
    dir.write("mybot/word.txt", "hello");
    write_reader(&dir, "mybot/bot", "word.txt ../secret.txt");
    assert_eq!(debug_output(&dir, "mybot/bot greedy greedy greedy"), "hello");
    // The current folder may be the bot's, too.
    let line = format!("match ./bot greedy greedy greedy --turns 1 {PATIENT} --replay r.json");
    let mut command = dir.command(&line);
    command.current_dir(dir.path("mybot"));
    crate::common::start(command, "").wait().succeeded();
    assert_eq!(diagnostics(&dir.replay("mybot/r.json"), 0)[0]["debug"], "hello");
    fs::remove_file(dir.path("mybot/pacman2-bot.txt")).unwrap();
    assert_eq!(debug_output(&dir, "mybot/bot greedy greedy greedy"), "");
}

#[test]
fn results_in_a_bots_folder_stay_hidden() {
    let Some(dir) = dir_with_secret("results in a bot's folder stay hidden") else { return };
    for folder in ["gd", "replays", "lab/arena", "data/kept/replays"] {
        fs::create_dir_all(dir.path(&format!("bots/alice/{folder}"))).unwrap();
        dir.write(&format!("bots/alice/{folder}/secret.txt"), SECRET);
    }
    dir.write("bots/alice/lab/arena/arena.sqlite", "");
    dir.write("bots/alice/lab/word.txt", "hello ");
    dir.write("bots/alice/data/word.txt", "data ");
    for folder in ["", "/gd", "/data"] {
        dir.write(&format!("bots/alice{folder}/pacman2-globaldata.md"), "");
    }
    symlink("gd", dir.path("bots/alice/link")).unwrap();
    let secrets = "gd/secret.txt replays/secret.txt lab/arena/secret.txt data/kept/replays/secret.txt link/secret.txt";
    write_reader(&dir, "bots/alice/bot", &format!("{secrets} lab/word.txt data/word.txt"));
    for (bot, seen) in [("bots/alice", "hello data "), ("bots/alice/bot", "data ")] {
        assert_eq!(debug_output(&dir, &format!("{bot} greedy greedy greedy --globaldata bots/alice/gd")), seen);
    }
    assert_eq!(debug_output(&dir, "bots/alice greedy greedy greedy --globaldata bots/alice"), "");
    assert_eq!(debug_output(&dir, "bots/alice/bot greedy greedy greedy --globaldata bots/alice/data"), "");
}

#[test]
fn a_bot_sees_no_folder_with_other_bots() {
    let Some(dir) = dir_with_secret("a bot does not see another bot's files") else { return };
    for (seen, others) in [("", "'sh bots/bob.sh' greedy"), ("1", "greedy greedy"), ("", "'sh bots/alice/carol.sh' greedy")] {
        dir.write("bots/alice.sh", &prints("[ -e bots/bob.sh ] && echo 1"));
        dir.write("bots/bob.sh", &prints("echo"));
        dir.write("bots/alice/carol.sh", &prints("echo"));
        assert_eq!(debug_output(&dir, &format!("'sh bots/alice.sh bots' {others} greedy")), seen, "{others}");
    }
}

#[test]
fn a_bot_sees_only_data_in_the_current_folder() {
    let Some(dir) = dir_with_secret("a bot sees its data") else { return };
    fs::create_dir(dir.path("data")).unwrap();
    dir.write("data/net.txt", "weights");
    dir.write("bot.sh", &prints("cat secret.txt data/net.txt; ls"));
    assert_eq!(debug_output(&dir, "'sh bot.sh' greedy greedy greedy"), "weightsbot.shdata");
}

#[test]
fn missing_files_are_explained() {
    let Some(dir) = dir_with_secret("a bot that misses files is explained") else { return };
    dir.write("bot.sh", ". ./other.sh");
    dir.write("other.sh", &prints("echo"));
    let result = dir.run(&format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT}")).succeeded();
    let advice = "sh bot.sh can read its own file and the folder data beside it, but nothing else in its folder; if it needs more, \
                  put it into a folder of its own and give that folder as the bot, or move these files into data";
    assert!(result.stderr.contains(advice), "{result:?}");
    // Where the folder can be given, it is named.
    dir.write_executable("bots/alice/main", "#!/bin/sh\n. ${0%/*}/other.sh");
    fs::copy(dir.path("other.sh"), dir.path("bots/alice/other.sh")).unwrap();
    let result = dir.run(&format!("match bots/alice/main greedy greedy greedy --turns 1 {PATIENT}")).succeeded();
    assert!(result.stderr.contains("if it needs more, give the folder bots/alice as the bot, or move"), "{result:?}");
    let report = dir.run(&format!("check bots/alice/main --json {PATIENT}"));
    assert!(report.stdout.contains("give the folder bots/alice as the bot"), "{report:?}");
    let result = dir.run(&format!("match bots/alice greedy greedy greedy --turns 1 {PATIENT}")).succeeded();
    assert!(!result.stderr.contains("can read"), "{result:?}");
    // What it lacks is in its folder, but not where it starts.
    dir.write_executable("bots/alice/main", "#!/bin/sh\n. ./other.sh");
    let report = dir.run(&format!("check bots/alice {PATIENT}"));
    assert!(report.stdout.contains("bots/alice can read its folder, but starts in the folder of this command"), "{report:?}");
    // It crashes, but there is nothing that it lacks.
    fs::create_dir(dir.path("bots/bob")).unwrap();
    dir.write("bots/bob/bot.sh", "exit 1");
    let result = dir.run(&format!("match 'sh bots/bob/bot.sh' greedy greedy greedy --turns 1 {PATIENT}")).succeeded();
    assert!(!result.stderr.contains("can read"), "{result:?}");
}

/// The arena copies a file alone, so the trial shows what its games would.
#[test]
fn an_arena_tries_a_bot_as_it_will_play() {
    let Some(dir) = dir_with_secret("an arena tries a bot as it will play") else { return };
    dir.run("arena init --turns 2 --time-limit 60000").succeeded();
    dir.write_executable("bots/alice/main", "#!/bin/sh\n. ${0%/*}/other.sh");
    dir.write("bots/alice/other.sh", &prints("echo"));
    dir.write("bots/alice/data/word.txt", "");
    let result = dir.run("arena add bots/alice/main");
    assert_eq!(result.code, Some(2), "{result:?}");
    // Where it is, it could not read that file either.
    assert!(
        result.stderr.contains("give the folder bots/alice as the bot") && !result.stderr.contains("--in-place"),
        "{result:?}"
    );
    // All of a folder is copied.
    dir.run("arena add bots/alice --name whole").succeeded();
    dir.run("arena add bots/alice --in-place --name alice").succeeded();
    dir.run("arena add greedy random sample").succeeded();
    dir.run("arena run --maps 1").succeeded();
    let games = dir.run("arena games").succeeded().stdout;
    assert!(games.contains("alice") && !games.contains("RE"), "{games}");
}

#[test]
fn an_arena_copies_and_hashes_the_data_of_a_bot() {
    let Some(dir) = dir_with_secret("an arena copies the data of a bot") else { return };
    dir.run("arena init --turns 2 --time-limit 60000").succeeded();
    dir.write_executable("bots/alice/main", "#!/bin/sh\nread -r q; . ${0%/*}/data/answer.sh");
    for (version, answer) in [("1", "-1"), ("2", "0")] {
        dir.write("bots/alice/data/answer.sh", &format!("echo '{{\"response\":{{\"action\":{answer}}}}}'"));
        let added = dir.run("arena add bots/alice/main --name alice").succeeded();
        assert!(added.stdout.contains(&format!("alice@{version}")), "{added:?}");
    }
    fs::remove_dir_all(dir.path("bots")).unwrap();
    dir.run("arena add greedy random sample").succeeded();
    dir.run("arena run --maps 1").succeeded();
    let games = dir.run("arena games").succeeded().stdout;
    assert!(games.contains("alice") && !games.contains("RE"), "{games}");
}

#[test]
fn an_arena_joins_a_source_with_its_own_headers_only() {
    let Some(dir) = dir_with_secret("an arena joins a source with its headers") else { return };
    if !crate::common::has("g++", "an arena joins a source with its headers") {
        return;
    }
    dir.run("arena init").succeeded();
    dir.write("bots/alice/word.h", "");
    for secret in ["../../secret.txt", "../../secret.h", "link.h"] {
        dir.write("secret.h", SECRET);
        let _ = symlink(dir.path("secret.h"), dir.path("bots/alice/link.h"));
        dir.write("bots/alice/bot.cpp", &format!("#include \"word.h\"\n#include \"{secret}\"\nint main() {{}}\n"));
        let result = dir.run("arena add bots/alice/bot.cpp");
        assert_eq!(result.code, Some(2), "{result:?}");
        assert!(!result.stderr.contains(SECRET) && !result.stderr.contains("--in-place"), "{result:?}");
    }
}

#[test]
fn data_must_not_be_a_link() {
    let Some(dir) = dir_with_secret("data that is a link is not shown") else { return };
    fs::create_dir(dir.path("private")).unwrap();
    dir.write("private/secret.txt", SECRET);
    symlink(dir.path("private"), dir.path("data")).unwrap();
    dir.write("bot.sh", &prints("cat data/secret.txt private/secret.txt"));
    assert_eq!(debug_output(&dir, "'sh bot.sh' greedy greedy greedy"), "");
}

#[test]
fn a_bot_must_not_be_a_link_to_another_folder() {
    let Some(dir) = dir_with_secret("a bot that is a link is refused") else { return };
    dir.write("elsewhere.sh", &prints("echo"));
    symlink(dir.path("elsewhere.sh"), dir.path("bots/alice/bot.sh")).unwrap();
    let line = format!("match 'sh bots/alice/bot.sh' greedy greedy greedy --turns 1 {PATIENT}");
    dir.run(&line).refused(&["bots/alice/bot.sh is a link to another folder; give the file itself"]);
    symlink("real.sh", dir.path("bots/alice/link.sh")).unwrap();
    dir.write("bots/alice/real.sh", &prints("echo it works"));
    assert_eq!(debug_output(&dir, "'sh bots/alice/link.sh' greedy greedy greedy"), "it works");
}

/// The author of a bot writes the first line of a script, and must not choose with it what the bot sees.
#[test]
fn the_first_line_of_a_script_makes_nothing_visible() {
    let Some(dir) = dir_with_secret("a script's first line shows nothing") else { return };
    let secret = dir.path("secret.txt").display().to_string();
    for line in ["/usr/../bin/sh", "/bin/sh", "/usr/bin/env sh", &format!("/usr/bin/env -S -u {secret} sh")] {
        dir.write_executable("bots/alice/bot", &format!("#!{line}\n{}", prints(&format!("cat '{secret}'"))));
        assert_eq!(debug_output(&dir, "./bots/alice/bot greedy greedy greedy"), "", "{line}");
    }
    fs::set_permissions(dir.path("secret.txt"), PermissionsExt::from_mode(0o755)).unwrap();
    dir.write_executable("bots/alice/bot", &format!("#!{secret}\n"));
    let replay = dir.play(&format!("./bots/alice/bot greedy greedy greedy --turns 1 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["RE"]);
}

/// The author of a bot can pack links into it, and a "runtime" full of links.
#[test]
fn a_packed_runtime_makes_nothing_visible() {
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
    dir.write("pack/bot/bot.sh", &prints(&format!("cat {}", paths.join(" "))));
    for runtime in ["pack/.local/bin/sh", "pack/real/d/bin/sh"] {
        let replay = dir.play(&format!("'{runtime} pack/bot/bot.sh' greedy greedy greedy --turns 1 {PATIENT}"));
        assert!(!replay.to_string().contains(SECRET), "{runtime}: {}", replay["private"]);
    }
}

/// A bot sees the program from PATH and its files, but never the current folder because of PATH.
#[test]
fn a_program_in_path_does_not_make_the_current_folder_visible() {
    let Some(dir) = dir_with_secret("a program in PATH shows no folder of yours") else { return };
    fs::create_dir(dir.path("bin")).unwrap();
    dir.write_executable("bin/mybot", &format!("#!/bin/sh\n{}", prints("cat secret.txt")));
    let mut command = dir.command(&format!("match 'mybot now' greedy greedy greedy --turns 1 {PATIENT} --replay r.json"));
    command.env("PATH", format!("{}:/usr/bin:/bin", dir.path("bin").display()));
    crate::common::start(command, "").wait().succeeded();
    assert_eq!(diagnostics(&dir.replay("r.json"), 0)[0]["debug"], "");
}

#[test]
fn a_general_folder_such_as_downloads_is_not_visible() {
    let Some(dir) = dir_with_secret("Downloads is no bot's own folder") else { return };
    for (folder, seen) in [("Downloads", ""), ("下载", ""), ("mybot", SECRET)] {
        fs::create_dir(dir.path(folder)).unwrap();
        dir.write(&format!("{folder}/secret.txt"), SECRET);
        write_reader(&dir, &format!("{folder}/bot"), "secret.txt");
        let line = format!("match {folder} greedy greedy greedy --turns 1 {PATIENT} --replay r.json");
        let mut command = dir.command(&line);
        command.env("HOME", dir.path("."));
        crate::common::start(command, "").wait().succeeded();
        assert_eq!(diagnostics(&dir.replay("r.json"), 0)[0]["debug"], seen, "{folder}");
    }
}

#[test]
fn a_deleted_current_folder_is_an_error() {
    if !has_sandbox_for("a deleted current folder is reported") {
        return;
    }
    let dir = TestDir::new();
    let line = format!(
        "mkdir gone && cd gone && rmdir ../gone && exec '{}' match 'cat -' greedy greedy greedy --no-replay",
        crate::common::PACMAN2
    );
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &line]);
    dir.isolate(&mut command);
    let result = crate::common::start(command, "").wait();
    assert_eq!(result.code, Some(1), "{result:?}");
    assert!(
        result.stderr.contains("cannot find the current directory: No such file") && !result.stderr.contains("--trust"),
        "{result:?}"
    );
}

#[test]
fn a_source_includes_nothing_from_other_folders() {
    let Some(dir) = dir_with_secret("a C++ source includes nothing from elsewhere") else { return };
    let Some(_) = std::process::Command::new("g++").arg("--version").output().ok().filter(|result| result.status.success())
    else {
        return eprintln!("not run: a C++ source includes nothing from elsewhere (g++ is missing)");
    };
    dir.write("bots/bob.cpp", "const char *word = \"bob's\";");
    dir.write("secret.h", "const char *word = \"secret\";");
    let secret = dir.path("secret.h").display().to_string();
    let sources = [secret.as_str(), "../../secret.h", "../bob.cpp"].map(|name| {
        // Whether or not it compiles, an include must make nothing visible.
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

/// Files that other users may not read are copied for the bots of root; a pipe would never end.
#[test]
fn a_pipe_in_a_command_line_is_not_shown() {
    let Some(dir) = dir_with_secret("a pipe in a command line is not shown") else { return };
    assert!(std::process::Command::new("mkfifo").args(["-m", "600"]).arg(dir.path("pipe")).status().unwrap().success());
    dir.write("bot.sh", &prints("[ -e pipe ] || echo hidden"));
    assert_eq!(debug_output(&dir, "'sh bot.sh pipe' greedy greedy greedy"), "hidden");
}

#[test]
fn the_environment_is_almost_empty() {
    let Some(dir) = dir_with_secret("a bot's environment is almost empty") else { return };
    // Without the variables that the shell adds.
    dir.write("bots/alice/bot.sh", &prints("env | cut -d= -f1 | grep -vE '^(PWD|OLDPWD|SHLVL|_)$' | sort | tr '\\n' ' '"));
    let mut command =
        dir.command(&format!("match 'sh bots/alice/bot.sh' greedy greedy greedy --turns 1 {PATIENT} --replay r.json"));
    command.env("PACMAN2_TEST_PASSWORD", SECRET);
    crate::common::start(command, "").wait().succeeded();
    assert_eq!(diagnostics(&dir.replay("r.json"), 0)[0]["debug"], "HOME LANG PATH ");
}

/// Each start has its own `/tmp`, so nothing but the protocol's data lasts from turn to turn.
#[test]
fn no_bot_inherits_what_was_open_when_the_program_started() {
    let Some(dir) = dir_with_secret("no bot inherits open files") else { return };
    dir.write("bot.sh", &prints("cat <&5; cat <&9"));
    for options in ["", "--trust all"] {
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" \"$@\" 5<secret.txt 9<>secret.txt"]).arg(PACMAN2).current_dir(dir.path(""));
        let line = format!("match 'sh bot.sh' random random random --seed 3 --turns 1 --replay played.json {PATIENT} {options}");
        command.args(shlex::split(&line).unwrap());
        start(command, "").wait().succeeded();
        let replay = dir.replay("played.json");
        assert_eq!(diagnostics(&replay, 0)[0]["debug"], "", "{options}: {}", replay["private"]);
    }
}

#[test]
fn files_in_tmp_do_not_last_until_the_next_turn() {
    let Some(dir) = dir_with_secret("a bot keeps nothing in /tmp") else { return };
    dir.write("bots/alice/bot.sh", &prints("cat /tmp/kept; echo 1 >/tmp/kept"));
    let replay = dir.play(&format!("'sh bots/alice/bot.sh' greedy greedy greedy --turns 3 {PATIENT}"));
    let debug_output: Vec<Value> = diagnostics(&replay, 0).iter().map(|entry| entry["debug"].clone()).collect();
    assert_eq!(debug_output, ["", "", ""]);
}

#[test]
fn the_replay_records_the_tier_of_every_process() {
    let Some(dir) = dir_with_secret("the record names tiers") else { return };
    let best = dir.run("doctor --json").json()["tier"].clone();
    dir.write("bot.sh", &prints("echo"));
    let replay = dir.play(&format!("'sh bot.sh' greedy 'sh bot.sh ' greedy --turns 1 {PATIENT} --trust 'sh bot.sh '"));
    assert_eq!(replay["private"]["sandbox"], json!([best, null, "C", null]));
    let line = format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT} --no-replay --json");
    let seats = dir.run(&line).succeeded().json()["seats"].clone();
    assert_eq!([&seats[0]["sandbox"], &seats[1]["sandbox"]], [&best, &Value::Null]);
    let replay = dir.play(&format!("greedy greedy greedy greedy --turns 1 --as-process {PATIENT}"));
    assert_eq!(replay["private"]["sandbox"], json!([best, best, best, best]));
}

#[test]
fn trusted_bots_run_without_a_sandbox_and_with_a_warning() {
    let dir = TestDir::new();
    dir.write("secret.txt", SECRET);
    dir.write("bot.sh", &prints("cat secret.txt"));
    for trust in ["--trust 'sh bot.sh'", "--trust all"] {
        let line = format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT} --replay r.json {trust}");
        let result: RunResult = dir.run(&line).succeeded();
        let warnings: Vec<&str> = result.stderr.lines().filter(|line| line.contains("WARNING: NO SANDBOX")).collect();
        assert_eq!((warnings.len(), warnings[0].contains("sh bot.sh")), (1, true), "{result:?}");
        assert_eq!(diagnostics(&dir.replay("r.json"), 0)[0]["debug"], SECRET);
    }
    let line = "match 'sh bot.sh' greedy greedy greedy --trust bot.sh";
    dir.run(line).refused(&["--trust bot.sh: not a bot of this match; expected one of sh bot.sh, greedy"]);
}

#[test]
fn a_tier_can_be_required() {
    let dir = TestDir::new();
    dir.write("bot.sh", &prints("echo"));
    let tier = dir.run("doctor --json").json()["tier"].as_str().unwrap().to_owned();
    for required in ["A", "A-", "B"] {
        let line = format!("match 'sh bot.sh' greedy greedy greedy --turns 1 {PATIENT} --no-replay --require-tier {required}");
        let result = dir.run(&line);
        if tier.as_str() <= required {
            result.succeeded();
        } else {
            result.refused(&[&format!("--require-tier {required}: this machine only has tier {tier}")]);
        }
        dir.run(&format!("{line} --trust all")).refused(&["is trusted and would run outside the sandbox"]);
    }
    dir.run("match greedy greedy greedy greedy --require-tier D").misused(&["'D'", "A, A-, B"]);
}

/// Starts children, as many as it can, and keeps them.
const MULTIPLIES: &str = r#"import json, os, sys, time
for line in sys.stdin:
    try:
        while os.fork(): pass
        time.sleep(1000)
    except OSError: pass
    print(json.dumps({"response": {"action": -1}}))
    print(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<", flush=True)
"#;

const STARTS_A_THREAD: &str = r#"import json, sys, threading
thread = threading.Thread(target=sys.stdin.readline)
thread.start()
thread.join()
print(json.dumps({"response": {"action": -1}}))
"#;

/// Plays a match in which two bots take all processes that they can get, as a user who has no others and may have `tasks`.
fn match_of_a_limited_user(dir: &TestDir, tasks: u32) -> RunResult {
    let mut command = Command::new("prlimit");
    command.arg(format!("--nproc={tasks}")).arg(dir.path("pacman2"));
    command.args("match multiplies.py multiplies.py thread.py thread.py --at-once --turns 3 --seed 3".split(' '));
    command.args(PATIENT.split(' ')).args(["--memory-limit", "4096", "--replay", "played.json"]);
    dir.isolate(&mut command);
    // A Python in the home folder of root cannot be used.
    command.uid(54_321).gid(54_321).env("HOME", "/nonexistent").env("PATH", "/usr/bin:/bin");
    start(command, "").wait()
}

#[test]
fn bots_of_an_ordinary_user_do_not_take_processes_of_others() {
    let what = "bots of an ordinary user do not take processes of others";
    if !has_sandbox_for(what) || !has("prlimit", what) || !has("/usr/bin/python3", what) {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        return eprintln!("not run: {what} (only root can become another user)");
    }
    let dir = TestDir::new();
    fs::set_permissions(dir.path("."), PermissionsExt::from_mode(0o777)).unwrap();
    copy_program(&dir.path("pacman2"));
    dir.write("multiplies.py", MULTIPLIES);
    dir.write("thread.py", STARTS_A_THREAD);
    let result = match_of_a_limited_user(&dir, 320).succeeded();
    assert!(result.stderr.contains("so each bot may have 7"), "{result:#?}");
    let replay = dir.replay("played.json");
    for seat in [2, 3] {
        assert_eq!(verdicts(&replay, seat), ["OK"; 3], "{}", replay["private"]);
    }
    let result = match_of_a_limited_user(&dir, 200);
    assert!(
        result.stderr.contains("so each bot may have 64 instead of 256, and 4 bots at a time can take each other's"),
        "{result:#?}"
    );
}

/// Python runs such files at its start if it finds them among its packages.
#[test]
fn no_bot_runs_site_files_that_lie_about() {
    let what = "site files of Python";
    let Some(dir) = dir_with_secret(what).filter(|_| has("python3", what)) else { return };
    let report = "import builtins\nbuiltins.found = [*getattr(builtins, 'found', []), __name__]\n";
    for folder in ["", "bots/alice/", "bots/alice/data/"] {
        dir.write(&format!("{folder}sitecustomize.py"), report);
        dir.write(&format!("{folder}usercustomize.py"), report);
        dir.write(&format!("{folder}own.pth"), "import builtins; builtins.found = ['own.pth']");
    }
    let bot = "import builtins, json\ninput()\nprint(json.dumps({'response': {'action': -1}, 'debug': getattr(builtins, 'found', [])}))\n";
    dir.write("bots/alice/bot.py", bot);
    for bot in ["bots/alice/bot.py", "bots/alice"] {
        assert_eq!(debug_output(&dir, &format!("{bot} random random random")), json!([]), "{bot}");
    }
}

/// A `jar` may name others to load classes from.
#[test]
fn a_jar_reaches_no_other_jar() {
    let what = "a jar that names others";
    let Some(dir) = dir_with_secret(what).filter(|_| has("javac", what) && has("jar", what)) else { return };
    dir.write("Other.java", "public class Other {}");
    let print = r#"System.out.println("{\"response\":{\"action\":-1},\"debug\":\"" + found + "\"}");"#;
    let find = r#"String found = ""; try { found = Class.forName("Other").getName(); } catch (Throwable none) {}"#;
    dir.write("Bot.java", &format!("public class Bot {{ public static void main(String[] a) {{ {find} {print} }} }}"));
    dir.write("manifest", "Main-Class: Bot\nClass-Path: other.jar ../other.jar\n");
    let make = "javac Bot.java Other.java && jar --create --file other.jar Other.class && cp other.jar bots \
                && jar --create --file bots/bot.jar --manifest manifest Bot.class";
    assert!(Command::new("sh").args(["-c", make]).current_dir(dir.path("")).status().unwrap().success());
    assert!(
        Command::new("java")
            .args(["-jar", "bots/bot.jar"])
            .current_dir(dir.path(""))
            .output()
            .unwrap()
            .stdout
            .ends_with(b"\"Other\"}\n")
    );
    assert_eq!(debug_output(&dir, "bots/bot.jar random random random"), "");
}
