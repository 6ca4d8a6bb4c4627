//! The bots of docs/LESSONS.md compile without warnings and play legal matches. The page has their commands and their gains.

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

/// A folder with the lessons beside the header, as the page asks for.
fn dir_with_lessons() -> TestDir {
    let dir = TestDir::new();
    fs::copy(repository().join("cpp/pacman2.hpp"), dir.path("pacman2.hpp")).unwrap();
    for lesson in LESSONS {
        fs::copy(repository().join("examples/lessons").join(lesson), dir.path(lesson)).unwrap();
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
fn the_lessons_play_legal_matches() {
    if !has("g++", "the bots of the lessons in matches") {
        return;
    }
    let dir = dir_with_lessons();
    for four in [&LESSONS[..4], &LESSONS[2..]] {
        let options = "--seed 3 --turns 12 --time-limit 60000 --memory-limit 1024";
        let replay = dir.play(&format!("{} {options}", four.join(" ")));
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
