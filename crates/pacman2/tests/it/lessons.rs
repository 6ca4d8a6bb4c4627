//! The bots of docs/LESSONS.md compile without warnings and play legal matches, and the page's commands do what it says. The page has
//! the gains.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{TestDir, diagnostics, has, turns, verdicts};

const PAGES: [&str; 2] = ["docs/LESSONS.md", "docs/LESSONS.zh.md"];
const LESSONS: [&str; 6] =
    ["1-playouts.cpp", "2-one-turn-ahead.cpp", "3-distances.cpp", "4-evaluation.cpp", "5-search.cpp", "6-opponents.cpp"];

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A folder with the lessons beside the header, as the program writes them.
fn dir_with_lessons() -> TestDir {
    let dir = TestDir::new();
    dir.run("new written --lessons").succeeded();
    for file in LESSONS.into_iter().chain(["pacman2.hpp"]) {
        fs::rename(dir.path("written").join(file), dir.path(file)).unwrap();
    }
    dir
}

#[test]
fn the_lessons_compile_without_warnings() {
    if !has("g++", "the bots of the lessons, with all warnings") {
        return;
    }
    let dir = dir_with_lessons();
    for lesson in LESSONS {
        let mut compiler = Command::new("g++");
        compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", lesson]).current_dir(dir.path(""));
        let output = compiler.output().unwrap();
        assert!(output.status.success(), "{lesson}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_commands_of_the_lessons_run_and_their_bots_play_legal_matches() {
    if !has("g++", "the bots of the lessons in matches") {
        return;
    }
    let dir = dir_with_lessons();
    let ran = run_commands(&dir);
    assert_eq!(ran, 14);
    // The arena has each lesson as one file, which is compiled already.
    let of_arena = |lesson: &&str| {
        let mut bots = fs::read_dir(dir.path("arena/bots")).unwrap();
        bots.find_map(|bot| Some(bot.unwrap().path().join(lesson)).filter(|source| source.is_file()))
            .unwrap()
            .display()
            .to_string()
    };
    for four in [&LESSONS[..4], &LESSONS[2..]] {
        let options = "--seed 3 --turns 12 --time-limit 60000 --memory-limit 1024";
        let bots = four.iter().map(of_arena).collect::<Vec<_>>().join(" ");
        let replay = dir.play(&format!("{bots} {options}"));
        for (seat, lesson) in four.iter().enumerate() {
            let verdicts = verdicts(&replay, seat);
            assert!(!verdicts.is_empty() && verdicts.iter().all(|&verdict| verdict == "OK"), "{lesson}: {verdicts:?}");
        }
        // A bot that only stays is legal, too.
        let moves = |seat: usize| {
            turns(&replay).iter().filter(|turn| (0..4).contains(&turn["actions"][seat].as_i64().unwrap_or(-1))).count()
        };
        assert!((0..four.len()).all(|seat| moves(seat) > 0), "{:?}", diagnostics(&replay, 0));
    }
}

/// The commands of a page, each with the lines that it prints there.
fn commands(page: &str) -> Vec<(String, Vec<String>)> {
    let page = fs::read_to_string(repository().join(page)).unwrap();
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for block in page.split("\n```").skip(1).step_by(2) {
        for line in block.lines().skip(1) {
            match line.strip_prefix("$ ").or(Some(line).filter(|_| block.starts_with("sh\n"))) {
                Some(command) => commands.extend(command.split(" && ").map(|command| (command.to_owned(), Vec::new()))),
                None if block.starts_with("text\n") => commands.last_mut().unwrap().1.push(line.to_owned()),
                None => {}
            }
        }
    }
    commands
}

/// Runs the commands of the page one after another, at small sizes, and returns their number.
fn run_commands(dir: &TestDir) -> usize {
    let [english, chinese] = PAGES.map(commands);
    assert_eq!(english, chinese);
    const PATIENT: &str = "--time-limit 60000 --memory-limit 1024";
    let mut ran = 0;
    for (command, prints) in &english {
        let Some(words) = command.strip_prefix("pacman2 ") else { continue };
        let words = words.replace("--open", if words.starts_with("rerun") { "--html rerun.html" } else { "" });
        let small = match words.split(' ').take(2).collect::<Vec<_>>()[..] {
            ["arena", "init"] => format!("--turns 2 {PATIENT}"),
            ["arena", "compare"] => "--most-blocks 1".to_owned(),
            ["play", _] => format!("--turns 3 {PATIENT}"),
            ["rerun", _] => format!("--simulations 1 {PATIENT}"),
            ["analyse", _] => "--simulations 4".to_owned(),
            ["check" | "bundle", _] => PATIENT.to_owned(),
            _ => String::new(),
        };
        let result = dir.run(&format!("{words} {small}")).succeeded();
        // Which bot is better is not decided by so few games; what is printed before that is as on the page.
        let heads = prints.iter().map(|line| line.split_once(": ").map_or(line.as_str(), |(head, _)| head));
        for head in heads {
            assert!(result.stdout.contains(head), "expected \"{head}\" of {command} in {}", result.stdout);
        }
        if words.starts_with("play") {
            fs::copy(dir.path("replays/last.json"), dir.path("lost.json")).unwrap();
        }
        ran += 1;
    }
    ran
}

#[test]
fn each_lesson_ends_with_its_comparison_in_both_languages() {
    for page in PAGES.map(|page| fs::read_to_string(repository().join(page)).unwrap()) {
        let sections: Vec<&str> = page.split("\n## ").collect();
        for (index, lesson) in LESSONS.iter().enumerate() {
            let section = sections.iter().find(|section| section.starts_with(&format!("{}. ", index + 1)));
            let section = section.unwrap_or_else(|| panic!("expected a section for lesson {}", index + 1));
            let old = if index == 0 { "random" } else { LESSONS[index - 1] };
            let command = format!("$ pacman2 arena compare {lesson} {old} ");
            let (_, result) = section.split_once(&command).unwrap_or_else(|| panic!("expected \"{command}\" in {section}"));
            // The last one gains against strangers, not among copies.
            let series = if lesson.starts_with('6') { "the pool" } else { "three copies of the old bot" };
            assert!(result.contains(&format!("against {series}: Better: +")), "{section}");
            assert!(section.lines().count() <= 60, "{lesson}: at most 60 lines");
        }
    }
}
