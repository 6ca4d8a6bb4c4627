//! Submissions of several files, archives and odd names in a tournament.

use std::fs;

use serde_json::Value;

use crate::bundle::{ANSWER, dir_with, reads_weights};
use crate::common::{RunResult, TestDir, has};

/// Plays a short tournament of `class/submissions`. Returns the result, and what finds a submission's line of the grades.
fn play_tournament(dir: &TestDir) -> (RunResult, impl Fn(&str) -> String) {
    let sandbox = if crate::common::has_sandbox() { "B" } else { "none" };
    let toml = format!(
        "submissions = \"submissions\"\nreferences = [\"random\", \"greedy\", \"sample\"]\ngames = {{ seeds = [1], schedule = \"swiss\", rounds = 1 }}\nlimits = {{ time_ms = 60000, turns = 20, sandbox = \"{sandbox}\" }}\n"
    );
    dir.write("class/tournament.toml", &toml);
    let result = dir.run("arena tournament class/tournament.toml --json");
    let (grades, played) = (dir.read("class/results/grades.csv"), format!("{result:?}"));
    let row = move |name: &str| {
        grades.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {played} {grades}")).to_owned()
    };
    (result, row)
}

/// In a folder of its own: files beside a single file are those of others.
#[test]
fn a_tournament_takes_a_submission_with_headers() {
    if !has("g++", "a submission with headers in a tournament") {
        return;
    }
    let bot = format!("#include <string>\n#include \"a.hpp\"\n{ANSWER}");
    let header = "inline int choose() { return -1; }\n";
    let dir = dir_with(&[
        ("class/submissions/alice/bot.cpp", &bot),
        ("class/submissions/alice/a.hpp", header),
        ("class/submissions/bob/bot.cpp", "#include \"../alice/a.hpp\"\n#include \"a.hpp\"\nint main() {}\n"),
        ("class/submissions/bob/a.hpp", ""),
        ("class/submissions/carol.cpp", &bot),
        ("class/submissions/dave/bot.cpp", &format!("#include <string>\n#define HEADER \"a.hpp\"\n#include HEADER\n{ANSWER}")),
        ("class/submissions/dave/a.hpp", header),
    ]);
    let (_, row) = play_tournament(&dir);
    assert!(row("dave").contains("已参赛"), "what cannot be joined plays from its folder: {}", row("dave"));
    assert!(!row("alice").contains("does not compile"), "{}", row("alice"));
    for name in ["bob", "carol"] {
        assert!(row(name).contains("编译"), "{}", row(name));
    }
    assert!(row("bob").contains("../alice/a.hpp\"\" 在 Bot 的文件夹之外"), "{}", row("bob"));
    let compiled = "\"alice/bot.cpp (C++17)\",\"cd entries/1 && g++ ";
    assert!(row("alice").contains(compiled), "{}", row("alice"));
}

/// Whatever file of a submission is mended.
#[test]
fn a_tournament_tries_a_submission_again_when_a_header_changes() {
    if !has("g++", "a mended header in a tournament") {
        return;
    }
    let bot = format!("#include <string>\n#include \"a.hpp\"\n{ANSWER}");
    let dir = dir_with(&[("class/submissions/alice/bot.cpp", &bot), ("class/submissions/alice/a.hpp", "")]);
    let (_, row) = play_tournament(&dir);
    assert!(row("alice").contains("编译失败"), "{}", row("alice"));
    dir.write("class/submissions/alice/a.hpp", "inline int choose() { return -1; }\n");
    let (_, row) = play_tournament(&dir);
    assert!(row("alice").contains("已参赛"), "{}", row("alice"));
}

/// A submission may be a folder with a package; what it imports is part of what is played.
#[test]
fn a_tournament_takes_a_python_submission_of_several_modules() {
    if !has("python3", "a submission of several modules in a tournament") {
        return;
    }
    // It keeps running, because a start in each turn would take most of the test's time.
    let bot = "import json, sys
from brain.choice import choose
for line in sys.stdin:
    print(json.dumps({\"response\": {\"action\": choose()}}))
    print(\">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\", flush=True)
";
    let dir = dir_with(&[
        ("class/submissions/alice/main.py", bot),
        ("class/submissions/alice/brain/__init__.py", ""),
        ("class/submissions/alice/brain/choice.py", "def choose():\n    return -1\n"),
        ("class/submissions/bob/bot.py", &reads_weights()),
        ("class/submissions/bob/lib/helper.py", "number = int"),
        ("class/submissions/bob/weights.txt", "-1"),
        // Modules beside a single file are those of others.
        ("class/submissions/carol.py", bot),
    ]);
    let (result, row) = play_tournament(&dir);
    let result = result.succeeded();
    // It stays in every turn of four games, and its module is found in each.
    assert!(row("alice").starts_with("\"alice\",\"0\",\"已参赛\""), "{}", row("alice"));
    let end = result.stdout.lines().find(|line| line.contains("\"event\":\"end\"")).unwrap();
    let end: Value = serde_json::from_str(end).unwrap();
    assert_eq!(end["grades"][0]["note_en"], "It never forfeited.", "{end}");
    assert!(row("bob").contains("已参赛"), "{}", row("bob"));
    assert!(row("carol").contains("试赛失败"), "{}", row("carol"));
}

/// Folders in folders, archives, and names with blanks, brackets and Chinese.
#[test]
fn a_tournament_takes_what_course_systems_hand_out() {
    if !has("python3", "submissions as course systems hand them out") {
        return;
    }
    let stay = |action: &str| {
        format!(
            "import sys\nfor line in sys.stdin:\n    print('{{\"response\":{{\"action\":{action}}}}}\\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<', flush=True)\n"
        )
    };
    let dir = dir_with(&[
        ("class/submissions/张三_2020111_file_/proj/main.py", &stay("-1")),
        ("class/submissions/孙 七 (1).py", &stay("-1 ")),
        ("class/submissions/zhaoliu.py3", &stay(" -1")),
        ("class/submissions/O'Brien hw.py", &stay("  -1")),
        ("class/submissions/empty/.gitkeep", ""),
        ("class/submissions/broken.zip", "no archive"),
    ]);
    dir.write_zip("class/inner.zip", &[("y/main.py", &stay("-1  "))]);
    let inner = fs::read(dir.path("class/inner.zip")).unwrap();
    fs::remove_file(dir.path("class/inner.zip")).unwrap();
    dir.write_zip("class/submissions/zipped.zip", &[("x/hand in.zip", &inner)]);
    dir.write_zip("class/submissions/lisi.zip", &[("作业/__main__.py", "import helper\n"), ("作业/helper.py", &*stay(" -1 "))]);
    let (result, row) = play_tournament(&dir);
    let entry = |name: &str| {
        result.stdout.lines().any(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            event["name"] == name && event["status"] == "no-bot"
        })
    };
    assert!(entry("empty") && entry("broken"), "{result:?}");
    for (name, taken) in [
        ("张三", "张三_2020111_file_/proj/main.py (Python)"),
        ("孙 七 (1)", "孙 七 (1).py (Python)"),
        ("zhaoliu", "zhaoliu.py3 (Python)"),
        ("O'Brien hw", "O'Brien hw.py (Python)"),
        ("lisi", "lisi.zip/作业/__main__.py (Python)"),
        ("zipped", "zipped.zip/y/main.py (Python)"),
    ] {
        assert!(row(name).contains("已参赛") && row(name).contains(taken), "{}", row(name));
    }
    assert!(row("broken").contains("需要 ZIP 压缩包，实际是别的文件；请压缩成 ZIP"), "{}", row("broken"));
}
