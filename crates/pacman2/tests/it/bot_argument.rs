//! What a BOT argument means: a folder, a name, a source, and a bot alone.

use std::fs;

use crate::common::{STAYS, TestDir, has, start, verdicts};

const PATIENT: &str = "--time-limit 60000 --memory-limit 1024";

/// Asserts that a match with this bot is refused with a message that contains these words.
#[track_caller]
fn check_refused(dir: &TestDir, bot: &str, words: &[&str]) {
    dir.run(&format!("match {bot} greedy greedy greedy")).refused(words);
}

fn folder_with(files: &[&str]) -> TestDir {
    let dir = TestDir::new();
    fs::create_dir(dir.path("mybot")).unwrap();
    files.iter().for_each(|file| dir.write(&format!("mybot/{file}"), ""));
    dir
}

// Folders.

#[test]
fn the_folder_of_a_new_bot_is_that_bot() {
    if !has("python3", "the folder of a new bot plays a match") {
        return;
    }
    let dir = TestDir::new();
    dir.run("new mybot --lang python").succeeded();
    for bot in ["mybot", "./mybot/"] {
        let replay = dir.play(&format!("{bot} greedy greedy greedy --seed 3 --turns 3 {PATIENT}"));
        assert_eq!(verdicts(&replay, 0), ["OK"; 3], "{}", replay["private"]);
        assert_eq!(replay["public"]["seats"][0]["name"], bot);
    }
    assert!(dir.run(&format!("check mybot {PATIENT}")).succeeded().stdout.contains("mybot"));
    dir.run("arena init --time-limit 60000 --memory-limit 1024 --turns 3").succeeded();
    assert_eq!(dir.run("arena add ./mybot/").succeeded().stdout, "added mybot@1\n");
    dir.run("arena add mybot/bot.py --name mybot").refused(&["this program is in the arena already, as mybot@1"]);
    dir.run("arena add greedy random sample").succeeded();
    // The arena keeps a copy of its file.
    fs::remove_dir_all(dir.path("mybot")).unwrap();
    dir.run("arena run --maps 1").succeeded();
}

#[test]
fn a_folder_without_exactly_one_bot() {
    check_refused(
        &folder_with(&["a.py", "b.js", "notes.md"]),
        "mybot",
        &["mybot: expected one bot in this folder, got a.py, b.js; give the file that is the bot, or name it main"],
    );
    let none = "mybot: no bot in this folder; expected one file with the extension .py, .js, .jar, .java, .cpp, .c, .cs, .pas, .go, .rs, or one executable, got";
    check_refused(&folder_with(&["notes.md"]), "mybot", &[none, "got notes.md"]);
    check_refused(&folder_with(&[]), "mybot", &[none, "got no files"]);
    check_refused(&folder_with(&["a.h", "b.h", "c.h", "d.h", "e.h", "f.h"]), "mybot", &[none, "d.h, e.h and 1 more"]);
    check_refused(&folder_with(&["Cargo.toml"]), "mybot", &["has not been built; run \"cargo build --release\" in it first"]);
}

#[test]
#[cfg(unix)]
fn a_folder_with_a_program() {
    let dir = folder_with(&["notes.md"]);
    dir.write_executable("mybot/program", &format!("#!/bin/sh\n{STAYS}\n"));
    let replay = dir.play(&format!("mybot greedy greedy greedy --seed 3 --turns 2 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["OK"; 2], "{}", replay["private"]);

    // What Cargo built plays, not a file of the project.
    let dir = folder_with(&["Cargo.toml", "README.md", "build.rs"]);
    fs::create_dir_all(dir.path("mybot/target/release")).unwrap();
    dir.write("mybot/target/release/bot.d", "");
    dir.write_executable("mybot/target/release/bot", &format!("#!/bin/sh\n{STAYS}\n"));
    let replay = dir.play(&format!("mybot greedy greedy greedy --seed 3 --turns 2 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["OK"; 2], "{}", replay["private"]);
}

// Names.

#[test]
#[cfg(unix)]
fn a_name_does_not_start_an_installed_program() {
    let dir = TestDir::new();
    check_refused(&dir, "cat", &["no file or folder of that name; to play the program /", "/cat, give this path"]);
    fs::create_dir(dir.path("cat")).unwrap();
    check_refused(&dir, "cat", &["cat: no bot in this folder"]);
    assert_eq!(dir.names(), ["cat"]);
}

// Sources and their tools.

#[test]
fn typescript_says_how_it_plays() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("bots")).unwrap();
    dir.write("bots/bot.ts", "");
    let words = "TypeScript plays as JavaScript; run \"tsc bot.ts\" in the folder of the file, then play bots/bot.js";
    check_refused(&dir, "bots/bot.ts", &[words]);
}

#[test]
fn missing_interpreters_and_compilers_are_found_before_the_match() {
    let dir = TestDir::new();
    let hints = [
        ("bot.py", "python3 not found; install it (Debian and Ubuntu: apt-get install python3)"),
        ("bot.js", "node not found; install it (Debian and Ubuntu: apt-get install nodejs)"),
        ("bot.jar", "java not found; install it (Debian and Ubuntu: apt-get install default-jre)"),
        ("bot.cpp", "install g++ or clang++ (Debian and Ubuntu: apt-get install g++), or set CXX"),
        ("bot.c", "C compiler gcc not found; install gcc or clang (Debian and Ubuntu: apt-get install gcc), or set CC"),
        ("bot.java", "java not found; install it (Debian and Ubuntu: apt-get install default-jre)"),
        ("bot.cs", "mono not found; install it (Debian and Ubuntu: apt-get install mono-runtime)"),
        ("bot.pas", "install fpc (Debian and Ubuntu: apt-get install fp-compiler), or set FPC"),
        ("bot.go", "install go (Debian and Ubuntu: apt-get install golang-go), or set GO"),
        ("bot.rs", "install rustc (Debian and Ubuntu: apt-get install rustc), or set RUSTC"),
    ];
    for (bot, words) in hints {
        dir.write(bot, "int main() {}");
        let mut command = dir.command(&format!("match greedy {bot} greedy greedy"));
        command.env("PATH", dir.path("nothing"));
        start(command, "").wait().refused(&[&format!("{bot}: "), words]);
    }
    // What a compiler needs besides is no fault of the source either.
    dir.write_executable("rustc", "");
    let mut command = dir.command("match greedy bot.rs greedy greedy");
    command.env("PATH", dir.path(""));
    start(command, "").wait().refused(&["bot.rs: cc not found, which the Rust compiler needs"]);
}

// A bot alone.

#[test]
fn a_single_bot_plays_against_three_greedy() {
    let dir = TestDir::new();
    let result = dir.run("match random --seed 3 --replay r.json").succeeded();
    assert_eq!(result.stderr, "pacman2: only one bot was given, so greedy plays on seats 1 to 3\n");
    let names =
        dir.replay("r.json")["public"]["seats"].as_array().unwrap().iter().map(|seat| seat["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names, ["random", "greedy", "greedy", "greedy"]);
    let result = dir.run("match sample --games 4 --json").succeeded();
    assert!(result.stderr.starts_with("pacman2: only one bot was given"), "{result:?}");
}
