//! `pacman2 bundle`: a bot and what it includes or imports as one file.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{RunResult, TestDir, has, start};

/// Limits that no bot exceeds on a busy machine.
const PATIENT: &str = "--time-limit 60000 --memory-limit 2048";

/// A folder with these files, whose folders are made.
pub(crate) fn dir_with(files: &[(&str, &str)]) -> TestDir {
    let dir = TestDir::new();
    for (name, text) in files {
        fs::create_dir_all(dir.path(name).parent().unwrap()).unwrap();
        dir.write(name, text);
    }
    dir
}

/// Bundles without a compiler.
fn joined(dir: &TestDir, options: &str) -> String {
    dir.run(&format!("bundle bot.cpp -o upload.cpp --no-check {options}")).succeeded();
    dir.read("upload.cpp")
}

/// Returns what a compiler sees of a source after the preprocessor, without line ends and blanks.
fn preprocessed(dir: &TestDir, file: &str) -> String {
    let output =
        Command::new("g++").args(["-E", "-P", "-std=c++17", "-iquote", ".", file]).current_dir(dir.path("")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().split_whitespace().collect()
}

/// Returns the actions that a bot answers to the questions of a match.
fn actions(dir: &TestDir, bot: &str) -> Value {
    let rerun = dir.run(&format!("rerun played.json --seat 1 {bot} --simulations 1 --json {PATIENT}")).succeeded().json();
    rerun["turns"].as_array().unwrap().iter().map(|turn| turn["action"].clone()).collect()
}

pub(crate) const ANSWER: &str = r#"#include <iostream>
int main() {
    std::string line;
    std::getline(std::cin, line);
    std::cout << "{\"response\":{\"action\":" << choose() << "}}" << std::endl;
}
"#;

#[test]
fn a_condition_that_asks_for_a_header_of_the_bot_finds_it() {
    let source =
        "#if defined(__has_include) && __has_include ( \"own.h\" ) && !__has_include(\"none.h\")\n#include \"own.h\"\n#endif\n";
    let dir = dir_with(&[("own.h", "int own;\n"), ("bot.cpp", source)]);
    let text = joined(&dir, "");
    assert!(text.contains("#if defined(__has_include) && 1 && !__has_include(\"none.h\")\n"), "{text}");
    assert!(text.contains("int own;"), "{text}");
}

#[test]
fn a_cpp_bot_and_its_headers_become_one_file() {
    if !has("g++", "a bundled C++ bot") {
        return;
    }
    let bot = format!("#include <string>\n#include \"a.hpp\"\n#include \"sub/b.hpp\"\n{ANSWER}");
    let dir = dir_with(&[
        ("bot.cpp", &bot),
        ("a.hpp", "#pragma once\n#include \"sub/b.hpp\"\ninline int choose() { return stay(); }\n"),
        ("sub/b.hpp", "#ifndef B\n#define B\n#include \"../a.hpp\"\n#include \"c.inc\"\n#endif // B\n"),
        ("sub/c.inc", "// 不动\ninline int stay() { return -1; }"),
        ("other.hpp", "not included"),
    ]);
    let result = dir.run(&format!("bundle bot.cpp -o upload.cpp {PATIENT}")).succeeded();
    let upload = dir.read("upload.cpp");
    let size = format!("upload.cpp: {} bytes, from bot.cpp, a.hpp, sub/b.hpp, sub/c.inc\n", upload.len());
    assert!(result.stdout.starts_with(&size) && result.stdout.contains(": no faults found; slowest answer "), "{result:?}");
    assert!(upload.starts_with("// pacman2 bundle: bot.cpp, ") && !upload.contains("#include \""), "{upload}");
    // It is found again as a file that may be replaced, and it plays alone.
    let report = dir.run(&format!("bundle bot.cpp -o upload.cpp --json {PATIENT}")).succeeded().json();
    assert_eq!(
        (&report["bytes"], &report["files"][3], &report["check"]["fine"]),
        (&json!(upload.len()), &json!("sub/c.inc"), &json!(true))
    );
    dir.play("greedy greedy random greedy --seed 5 --turns 6");
    let of_source = actions(&dir, "bot.cpp");
    fs::create_dir(dir.path("alone")).unwrap();
    fs::rename(dir.path("upload.cpp"), dir.path("alone/upload.cpp")).unwrap();
    assert_eq!(actions(&dir, "alone/upload.cpp"), of_source);
}

#[test]
fn a_compiler_sees_the_same() {
    if !has("g++", "a compiler sees the same of a bundle") {
        return;
    }
    for files in [
        // A file without a guard takes effect each time.
        &[
            (
                "bot.cpp",
                "#define X(a) int a;\n#include \"x.def\"\n#undef X\n#define X(a) +a\nint all = 0\n#include \"x.def\"\n;\n",
            ),
            ("x.def", "X(one)\nX(two)"),
        ][..],
        // What is included within a condition that does not hold has to come later.
        &[
            ("bot.cpp", "#ifdef NO\n#include \"a.h\"\n#endif\n#include \"a.h\"\n#include \"a.h\"\n"),
            ("a.h", "#pragma once\nint a;\n"),
        ],
        &[("bot.cpp", "#if 1\n#include \"a.h\"\n#endif\n#include \"a.h\"\n"), ("a.h", "#pragma once\nint a;\n")],
        &[
            ("bot.cpp", "#ifdef NO\n#include \"a.h\"\n#endif\n#include \"a.h\"\n"),
            ("a.h", "#ifndef A\n#define A\n#ifdef B\n#endif\nint a;\n#endif\n"),
        ],
        // A circle.
        &[
            ("bot.cpp", "#include \"a.h\"\nint last;\n"),
            ("a.h", "#pragma once\n#include \"b.h\"\nint a;"),
            ("b.h", "#pragma once\n#include \"a.h\"\nint b;"),
        ],
        // What looks like an include is none, and the other way round.
        &[
            (
                "bot.cpp",
                "/*\n#include \"no.h\"\n*/ auto s = R\"(\n#include \"no.h\"\n)\";\n // \\\n#include \"no.h\"\n # /* x */ include\\\n \"a.h\"\n",
            ),
            ("a.h", "int a = 1'000;\n"),
        ],
        // Each file is searched for beside the one that includes it, then beside the source.
        &[
            ("bot.cpp", "#include \"sub/a.h\"\n"),
            ("sub/a.h", "#include \"b.h\"\n#include \"c.h\"\n"),
            ("sub/b.h", "int sub_b;\n"),
            ("b.h", "int b;\n"),
            ("c.h", "int c;\n"),
        ],
        // A mark of the byte order, and line ends of Windows.
        &[("bot.cpp", "#include \"a.h\"\r\nint last;\r\n"), ("a.h", "\u{feff}#pragma once\r\nint a;\r\n")],
    ] {
        let dir = dir_with(files);
        for options in ["", "--strip-comments"] {
            let upload = joined(&dir, options);
            assert_eq!(preprocessed(&dir, "upload.cpp"), preprocessed(&dir, "bot.cpp"), "{upload}");
        }
    }
}

#[test]
fn comments_may_be_left_out_but_not_licences() {
    let dir = dir_with(&[
        (
            "bot.cpp",
            "// About.\n// Copyright 2026 A. Author\nint a; // one\n/* two */\n#include \"a.h\"\nconst char* s = \"// three\";\n",
        ),
        ("a.h", "/* SPDX-License-Identifier: MIT */\n#pragma once\n// four\nint b;\n"),
    ]);
    let stripped = joined(&dir, "--strip-comments");
    assert_eq!(
        stripped,
        "// pacman2 bundle: bot.cpp, a.h\n// Copyright 2026 A. Author\nint a;\n/* SPDX-License-Identifier: MIT */\nint b;\nconst char* s = \"// three\";\n"
    );
    assert!(joined(&dir, "").contains("// four\n"));
}

/// The bytes of a source need not be UTF-8.
#[test]
fn comments_in_another_encoding_stay() {
    let dir = dir_with(&[("a.h", "#pragma once\nint a;\n")]);
    let source = b"// \xc4\xe3\xba\xc3\n#include \"a.h\"\nint main() {}\n";
    fs::write(dir.path("bot.cpp"), source).unwrap();
    dir.run("bundle bot.cpp -o upload.cpp --no-check").succeeded();
    assert!(fs::read(dir.path("upload.cpp")).unwrap().windows(7).any(|part| part == &source[..7]));
}

/// The header of this project.
#[test]
fn of_the_header_the_sections_stay_that_the_bot_uses() {
    if !has("g++", "a bot with the header pacman2.hpp, bundled") {
        return;
    }
    let header = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../cpp/pacman2.hpp")).unwrap();
    let bot = "#include \"pacman2.hpp\"\nint main() {\n    // Pacman and search are in a comment only.\n    return pacman2::json::Value::parse(\"{}\").size();\n}\n";
    let dir = dir_with(&[("pacman2.hpp", &header), ("bot.cpp", bot)]);
    let report = dir.run("bundle bot.cpp -o upload.cpp --no-check --strip-comments --json").succeeded().json();
    assert_eq!(report["sections"], json!(["base", "json"]));
    let upload = dir.read("upload.cpp");
    assert!(upload.contains("SPDX-License-Identifier") && !upload.contains("namespace Pacman") && !upload.contains("[pacman2:"));
    assert!(upload.len() * 3 < header.len(), "{} bytes of {}", upload.len(), header.len());
    let compile = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "upload.cpp"];
    let result = Command::new("g++").args(compile).current_dir(dir.path("")).output().unwrap();
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
}

/// A bot with a JSON library beside it, whose header includes its source, as many public bots have it. `INCLUDE` is how.
fn dir_with_library(include: &str) -> TestDir {
    let bot = format!("#include \"jsoncpp/json.h\"\nint choose() {{ return Json::stay(); }}\n{ANSWER}");
    let header = format!("#ifndef JSON_H\n#define JSON_H\nnamespace Json {{ int stay(); }}\n{include}\n#endif\n");
    let source = "#include \"jsoncpp/json.h\"\n#ifndef JSON_CPP\n#define JSON_CPP\nint Json::stay() { return -1; }\n#endif\n";
    dir_with(&[("bot/main.cpp", &bot), ("bot/jsoncpp/json.h", &header), ("bot/jsoncpp.cpp", source)])
}

#[test]
fn a_bot_with_a_json_library_beside_it() {
    if !has("g++", "a C++ bot with a JSON library beside it") {
        return;
    }
    let dir = dir_with_library("#include \"../jsoncpp.cpp\"");
    for bot in ["bot/main.cpp", "bot"] {
        dir.run(&format!("check {bot} {PATIENT}")).succeeded();
    }
    dir.run(&format!("bundle bot -o upload.cpp {PATIENT}")).succeeded();
    assert_eq!(preprocessed(&dir, "upload.cpp").matches("Json::stay(){").count(), 1);
    dir.run("arena init --turns 2 --time-limit 60000").succeeded();
    dir.run("arena add bot bot/main.cpp").succeeded();
    // The source is included first, and its header includes it again.
    dir.write("bot/main.cpp", &dir.read("bot/main.cpp").replace("jsoncpp/json.h", "jsoncpp.cpp"));
    dir.run(&format!("bundle bot/main.cpp -o upload.cpp {PATIENT}")).succeeded();
    // A name in angle brackets is found, too.
    dir.write("bot/main.cpp", &dir.read("bot/main.cpp").replace("\"jsoncpp.cpp\"", "<jsoncpp/json.h>"));
    dir.run(&format!("bundle bot/main.cpp -o upload.cpp {PATIENT}")).succeeded();
    // A macro has the name.
    let include = "#define LIBRARY \"jsoncpp/json.h\"\n#include LIBRARY";
    dir.write("bot/main.cpp", &dir.read("bot/main.cpp").replace("#include <jsoncpp/json.h>", include));
    dir.run(&format!("check bot/main.cpp {PATIENT}")).succeeded();
    // The header leaves its source to Botzone, which has the library.
    let dir = dir_with_library("#ifndef _BOTZONE_ONLINE\n#include \"../jsoncpp.cpp\"\n#endif");
    dir.run(&format!("check bot {PATIENT}")).succeeded();
}

#[test]
fn a_copy_of_botzones_library_is_not_bundled() {
    if !has("g++", "a C++ bot with a copy of JsonCpp") {
        return;
    }
    let dir = dir_with_library("");
    // It is a release, from headers that are installed, as `amalgamate.py` joins them.
    let Some(header) = amalgamated_header() else {
        eprintln!("not run: JsonCpp 1.9.5 or 1.9.6 is not installed");
        return;
    };
    let bundle = |header: &str| {
        dir.write("bot/jsoncpp/json.h", header);
        dir.run("bundle bot -o upload.cpp --force --json --no-check").succeeded().json()
    };
    fs::remove_file(dir.path("bot/jsoncpp.cpp")).unwrap();
    for header in [header.clone(), header.replace('\n', " \r\n").replace("\\ \r", "\\\r")] {
        let report = bundle(&header);
        let note = "jsoncpp/json.h is a copy of JsonCpp, which Botzone has: it is included there as jsoncpp/json.h";
        assert_eq!((&report["files"], &report["notes"]), (&json!(["main.cpp"]), &json!([note])));
        assert!(dir.read("upload.cpp").starts_with("// pacman2 bundle: main.cpp\n#include \"jsoncpp/json.h\"\n"));
    }
    let report = bundle(&header.replacen("nullValue = 0", "nullValue = 00", 1));
    assert_eq!(report["files"], json!(["main.cpp", "jsoncpp/json.h"]));
    // A release with a source that is none.
    dir.write("bot/jsoncpp.cpp", "/// Json-cpp amalgamated source\nint own;\n");
    assert_eq!(bundle(&header)["files"], json!(["main.cpp", "jsoncpp/json.h", "jsoncpp.cpp"]));
}

/// Returns the installed header of JsonCpp as one file, if it is of a release that is known.
fn amalgamated_header() -> Option<String> {
    const FILES: [&str; 9] =
        ["version", "allocator", "config", "forwards", "json_features", "value", "reader", "writer", "assertions"];
    let read = |name: &str| fs::read_to_string(format!("/usr/include/jsoncpp/json/{name}.h")).ok();
    let files = FILES.iter().map(|name| read(name)).collect::<Option<Vec<_>>>()?.join("\n");
    ["\"1.9.5\"", "\"1.9.6\""].iter().any(|version| files.contains(version)).then(|| {
        format!(
            "/// Json-cpp amalgamated header.\n#ifndef JSON_AMALGAMATED_H_INCLUDED\n# define JSON_AMALGAMATED_H_INCLUDED\n#define JSON_IS_AMALGAMATION\n{files}\n#endif\n"
        )
    })
}

#[test]
fn a_bot_cannot_include_another_one() {
    if !has("g++", "a C++ bot that includes another one") {
        return;
    }
    let dir = dir_with(&[
        ("bots/thief.cpp", "#define main other\n#include \"victim.cpp\"\n#undef main\nint main() { return other(); }\n"),
        ("bots/victim.cpp", "int main() { return 0; }\n"),
        ("outside.h", ""),
        ("bots/far.cpp", "#include \"../outside.h\"\nint main() {}\n"),
    ]);
    for (bot, words) in [
        ("thief", "only include headers and sources without main, and victim.cpp is a program of its own"),
        ("far", "only include files of its own folder, and ../outside.h is outside"),
    ] {
        let result = dir.run(&format!("match bots/{bot}.cpp"));
        assert!(result.code == Some(2) && result.stderr.contains(words), "{result:?}");
    }
}

#[test]
fn what_cannot_be_one_cpp_file_is_rejected_with_the_reason() {
    let dir = dir_with(&[
        ("outside.h", ""),
        ("bot/unguarded.h", "#include \"unguarded.h\"\n"),
        ("bot/weights.bin", "1 2 3"),
        ("bot/data/book.txt", "1 2 3"),
        ("bot/marks.hpp", "// [pacman2:section a needs: -; names: -]\n"),
    ]);
    let refused = |source: &str, words: &str| {
        dir.write("bot/bot.cpp", source);
        dir.run("bundle bot/bot.cpp -o upload.cpp --no-check").refused(&[words]);
        assert!(!dir.path("upload.cpp").exists());
    };
    refused("\n#include \"missing.h\"\n", "bot/bot.cpp:2: \"missing.h\" is not there; expected it beside");
    refused("#include \"../outside.h\"\n", "bot/bot.cpp:1: \"../outside.h\" is outside the folder of the bot");
    refused("#include \"unguarded.h\"\n", "bot/unguarded.h:1: \"unguarded.h\" includes itself; add #pragma once");
    refused("#define F \"a.h\"\n#include F\n", "bot/bot.cpp:2: expected a file name after #include, got the macro F");
    refused("#embed \"weights.bin\"\n", "bot/bot.cpp:1: #embed");
    refused("#if __has_include(\"../outside.h\")\n#endif\n", "bot/bot.cpp:1: __has_include asks for a file");
    refused(
        "\n\nauto f = open(\"weights.bin\");\n",
        "bot/bot.cpp:3: the bot reads the file \"weights.bin\", which would be missing on Botzone",
    );
    refused(
        "#include \"marks.hpp\"\n",
        "bot/marks.hpp:1: the section marks of this header are wrong: line 1: a section does not end",
    );

    dir.write("bot/bot.cpp", "auto f = open(\"weights.bin\"); // \"data/none.txt\"\nauto g = open(\"data/book.txt\");\n#ifdef LOCAL\n#include \"debug.h\"\n#endif\n#include \"jsoncpp/json.h\"\n#include \"cstdio\"\n");
    let report = dir.run("bundle bot -o upload.cpp --no-check --ignore-file weights.bin --json").succeeded().json();
    assert_eq!(report["data"], json!(["data/book.txt"]));
    assert!(
        report["notes"][0].as_str().unwrap().contains("bot/bot.cpp:4: \"debug.h\" is not there; the line was left as it is"),
        "{report}"
    );
    assert!(dir.read("upload.cpp").contains("#include \"jsoncpp/json.h\"\n#include \"cstdio\"\n"));
}

#[test]
fn a_bundle_that_does_not_compile_is_not_written() {
    if !has("g++", "a bundle that does not compile") {
        return;
    }
    let dir = dir_with(&[("bot.cpp", "#include \"a.h\"\nint main() { return b; }\n"), ("a.h", "int a;\n")]);
    let result = dir.run("bundle bot.cpp -o upload.cpp");
    assert!(
        result.code == Some(2) && result.stderr.contains("\npacman2: upload.cpp does not compile:\nupload.cpp: In function"),
        "{result:?}"
    );
    assert!(!dir.path("upload.cpp").exists());
    // One with faults is: they are the bot's own.
    dir.write("bot.cpp", "#include \"a.h\"\n#include <cstdio>\nint main() { puts(\"hello\"); return 0; }\n");
    let result = dir.run(&format!("bundle bot.cpp -o upload.cpp {PATIENT}"));
    assert_eq!(result.code, Some(1), "{result:?}");
    assert!(result.stdout.contains("WRONG: ") && result.stdout.contains("faults found, see above"), "{result:?}");
    assert!(dir.path("upload.cpp").exists());
}

// Python.

const PACKAGE: &[(&str, &str)] = &[
    (
        "bot.py",
        "#!/usr/bin/env python3\n\"\"\"A bot.\"\"\"\nfrom __future__ import annotations\nimport json, sys\nimport search\nfrom engine import Game, rules\nfrom engine.deep import *\ntry:\n    import nowhere\nexcept ImportError:\n    nowhere = None\n\n# Asked once.\nrequests = json.loads(sys.stdin.readline())[\"requests\"]\naction = search.choose(Game(requests)) if LEAF == 5 and nowhere is None else 99\nprint(json.dumps({\"response\": {\"action\": action}}))\n",
    ),
    (
        "search.py",
        "'''It's \\\\ \"quoted\".'''\nimport engine.cells as cells\nimport engine.rules\n\n\ndef choose(game):\n    assert __name__ == 'search' and __doc__ == 'It\\'s \\\\ \"quoted\".', __doc__\n    assert choose.__annotations__ == {} and cells.WIDTH == 7\n    return engine.rules.STAY # stay\n",
    ),
    (
        "engine/__init__.py",
        "from .cells import WIDTH\nfrom . import rules\n\n\nclass Game:\n    def __init__(self, requests: list):\n        self.requests = requests\n",
    ),
    ("engine/rules.py", "from . import cells\nSTAY = -1\n"),
    ("engine/cells.py", "WIDTH = 7\nfrom . import rules  # a circle\n"),
    ("engine/deep/__init__.py", "__all__ = ['LEAF']\nfrom .leaf import LEAF\n"),
    ("engine/deep/leaf.py", "from ..cells import WIDTH\nLEAF = WIDTH - 2"),
    ("unrelated.py", "broken("),
];

/// Runs a file with Python alone, and returns what it printed.
fn python(dir: &TestDir, file: &str) -> String {
    let mut command = Command::new("python3");
    dir.isolate(&mut command);
    let RunResult { stdout, .. } = crate::common::start(
        {
            command.args(["-I", file]);
            command
        },
        "{\"requests\":[{}]}\n",
    )
    .wait()
    .succeeded();
    stdout
}

#[test]
fn a_python_package_becomes_one_file() {
    if !has("python3", "a bundled Python bot") {
        return;
    }
    let dir = dir_with(PACKAGE);
    let result = dir.run(&format!("bundle bot.py -o upload.py {PATIENT}")).succeeded();
    let files = "from bot.py, search.py, engine/__init__.py, engine/rules.py, engine/deep/__init__.py, engine/deep/leaf.py, engine/cells.py\n";
    assert!(result.stdout.contains(files) && result.stdout.contains("no faults found"), "{result:?}");
    assert!(result.stdout.contains("Note: bot.py:9: import nowhere is optional and was left as it is"), "{result:?}");
    dir.run("bundle bot.py -o short.py --strip-comments --no-check").succeeded();
    let short = dir.read("short.py");
    assert!(
        !short.contains("# a circle") && !short.contains("# Asked once") && dir.read("upload.py").contains("# Asked once"),
        "{short}"
    );
    for file in ["upload.py", "short.py"] {
        fs::create_dir_all(dir.path("alone")).unwrap();
        fs::rename(dir.path(file), dir.path("alone").join(file)).unwrap();
        assert_eq!(python(&dir, &format!("alone/{file}")), "{\"response\": {\"action\": -1}}\n");
    }
}

/// A traceback shows the lines of the modules, as those of files.
#[test]
fn an_error_in_a_bundled_module_shows_its_line() {
    if !has("python3", "an error in a bundled Python module") {
        return;
    }
    let dir = dir_with(&[("bot.py", "import sys\nimport deep\n"), ("deep.py", "\nx = 1 / 0  # here\n")]);
    dir.run("bundle bot.py -o upload.py --no-check").succeeded();
    let output = Command::new("python3").args(["-I", "upload.py"]).current_dir(dir.path("")).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("deep.py\", line 2, in <module>") && stderr.contains("x = 1 / 0"), "{stderr}");
}

#[test]
fn what_cannot_be_one_python_file_is_rejected_with_the_reason() {
    if !has("python3", "what cannot be one Python file") {
        return;
    }
    let dir = dir_with(&[
        ("bot/weights.npz", "1"),
        ("bot/data/book.txt", "1"),
        ("bot/fast.cpython-311-x86_64-linux-gnu.so", ""),
        ("bot/broken.py", "a = (\n"),
        ("bot/inside/__init__.py", "from .. import bot\n"),
    ]);
    let refused = |source: &str, words: &str| {
        dir.write("bot/bot.py", source);
        dir.run("bundle bot/bot.py -o upload.py --no-check").refused(&[words]);
        assert!(!dir.path("upload.py").exists());
    };
    refused("import sys\nimport torch.nn\n", "bot/bot.py:2: import torch.nn: there is no such module in the folder of the bot");
    refused(
        "import importlib\nimportlib.import_module('a' + 'b')\n",
        "bot/bot.py:2: imports a module by a name that is only known when it runs",
    );
    refused("import broken\n", "bot/broken.py:1: ");
    refused("import fast\n", "bot/bot.py:1: import fast: it is compiled to machine code");
    refused("import inside\n", "bot/inside/__init__.py:1: a relative import leads out of its package");
    refused("w = open('weights.npz')\n", "bot/bot.py:1: the bot reads the file \"weights.npz\"");
    refused("'''doc'''; import sys\n", "bot/bot.py:1: expected the first statement after the docstring");
    dir.write("bot/bot.py", "import numpy, torch, os.path\nw = open('data/book.txt')\n");
    let report = dir.run("bundle bot/bot.py -o upload.py --no-check --allow-import torch --json").succeeded().json();
    assert_eq!((&report["data"], &report["files"]), (&json!(["data/book.txt"]), &json!(["bot.py"])));
    fs::write(dir.path("bot/bot.py"), b"# \xff\n").unwrap();
    dir.run("bundle bot/bot.py -o upload.py --no-check").refused(&["bot/bot.py: expected a source in UTF-8"]);
}

// The command.

#[test]
fn without_a_compiler_a_bundle_is_written_and_not_checked() {
    let dir = dir_with(&[
        ("bot.cpp", "#include \"turns.h\"\nint main() { return turns; }\n"),
        ("turns.h", "#pragma once\nint turns;\n"),
    ]);
    let mut command = dir.command("bundle bot.cpp -o upload.cpp --trust bot.cpp");
    command.env("PATH", dir.path("nothing"));
    let result = start(command, "").wait().succeeded();
    assert!(result.stderr.contains("not checked: ") && result.stderr.contains("g++ not found"), "{result:#?}");
    assert!(dir.read("upload.cpp").contains("int turns;"));
}

#[test]
fn bad_input_is_rejected() {
    let dir =
        dir_with(&[("bot.cpp", "int main() {}\n"), ("bot.js", ""), ("mine.cpp", "mine"), ("two/a.cpp", ""), ("two/b.cpp", "")]);
    for (line, words) in [
        ("nowhere.cpp -o upload.cpp", "nowhere.cpp: no such file or folder"),
        ("bot.js -o upload.js", "bot.js: expected a C++ source or a Python program"),
        ("two -o upload.cpp", "two: expected one bot in this folder, got a.cpp, b.cpp"),
        ("bot.cpp -o bot.cpp", "that is the source itself"),
        ("bot.cpp -o upload.py", "expected a name that ends in .cpp"),
        ("bot.cpp -o mine.cpp", "the file exists and is no bundle of this program"),
        ("bot.cpp -o none/upload.cpp", "expected a file name in an existing folder"),
        ("bot.cpp -o - --json", "name a file with --out"),
    ] {
        dir.run(&format!("bundle {line} --no-check")).refused(&[words]);
    }
    dir.run("bundle bot.cpp -o upload.cc --no-check").succeeded();
    dir.run("bundle bot.cpp").misused(&["--out <FILE>"]);
    assert_eq!(dir.read("mine.cpp"), "mine");
    dir.run("bundle bot.cpp -o mine.cpp --force --no-check").succeeded();
    let result = dir.run("bundle bot.cpp -o - --no-check").succeeded();
    assert_eq!(result.stdout, "// pacman2 bundle: bot.cpp\nint main() {}\n");
    assert!(result.stderr.contains("standard output: 41 bytes, from bot.cpp\n"), "{result:?}");
}

#[test]
fn the_check_knows_the_bot_as_it_was_typed() {
    let dir = TestDir::new();
    dir.write("bot.cpp", "int main() {}\n");
    dir.run("bundle bot.cpp -o upload.cpp --trust bot.cpp --require-tier A").refused(&["--require-tier A: bot.cpp is trusted"]);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_during_the_check_writes_nothing() {
    if !has("python3", "Ctrl-C during the check of a bundle") {
        return;
    }
    let dir = dir_with(&[("bot.py", "import time\nimport slow\n"), ("slow.py", "import time\ntime.sleep(MARK)\n")]);
    let running = crate::common::start(dir.command("bundle bot.py -o upload.py --no-limits"), "");
    crate::common::wait_until("the bot to hang", || {
        dir.survivors().iter().any(|process| process.contains("upload.py") && process.contains("python3"))
    });
    let result = running.interrupt();
    assert_eq!(result.code, Some(130), "{result:?}");
    assert!(!dir.path("upload.py").exists());
    dir.wait_until_deserted();
}

// Bots with headers elsewhere.

#[test]
fn an_arena_takes_a_bot_with_headers() {
    if !has("g++", "a bot with headers in an arena") {
        return;
    }
    let bot = format!("#include <string>\n#include \"a.hpp\"\n{ANSWER}");
    let dir = dir_with(&[("bots/alice/bot.cpp", &bot), ("bots/alice/a.hpp", "inline int choose() { return -1; }\n")]);
    dir.run("arena init --turns 2 --time-limit 60000").succeeded();
    dir.run("arena add bots/alice").succeeded();
    let again = dir.run("arena add bots/alice");
    assert!(again.code == Some(2) && again.stderr.contains("this program is in the arena already"), "{again:?}");
    // The arena keeps all of it.
    fs::remove_dir_all(dir.path("bots/alice")).unwrap();
    dir.run("arena add greedy random sample").succeeded();
    dir.run("arena run --maps 1").succeeded();
    let games = dir.run("arena games").succeeded().stdout;
    assert!(games.contains("alice") && !games.contains("RE"), "{games}");
}

/// Its program is also what it includes.
#[test]
fn a_changed_header_is_a_changed_program() {
    if !has("g++", "a bot with a header in an arena, in its place") {
        return;
    }
    let bot = format!("#include \"a.hpp\"\n{ANSWER}");
    let dir = dir_with(&[("bot.cpp", &bot), ("a.hpp", "inline int choose() { return -1; }\n")]);
    dir.run("arena init --turns 2 --time-limit 60000").succeeded();
    dir.run("arena add bot.cpp --in-place --name alice").succeeded();
    let again = dir.run("arena add bot.cpp --in-place --name alice");
    assert!(again.code == Some(2) && again.stderr.contains("this program is in the arena already"), "{again:?}");
    dir.run("arena add greedy random sample").succeeded();
    dir.write("a.hpp", "inline int choose() { return 0; }\n");
    let result = dir.run("arena run --maps 1");
    assert!(result.code == Some(2) && result.stderr.contains("its program has changed since it was added"), "{result:?}");
}

/// A bot whose folder has a file that it reads, and modules that only Python finds.
pub(crate) fn reads_weights() -> String {
    let find = "import importlib, os, sys\nhere = os.path.dirname(os.path.abspath(__file__))\nsys.path.append(os.path.join(here, 'lib'))";
    let choose = "choice = importlib.import_module('hel' + 'per').number(open(os.path.join(here, 'weights.txt')).read())";
    let answer = "print('{\"response\":{\"action\":%d}}\\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<' % choice, flush=True)";
    format!("{find}\n{choose}\nfor line in sys.stdin:\n    {answer}\n")
}

#[test]
fn an_arena_takes_a_python_bot_of_several_modules() {
    let answer = "print(json.dumps({\"response\": {\"action\": choose(random.random())}}))\n";
    let bot = format!(
        "import json, random, importlib\nfrom brain.choice import choose\nname = \"os\"\nimportlib.import_module(name)\n{answer}"
    );
    let dir = dir_with(&[
        ("bots/alice/main.py", &bot),
        ("bots/alice/brain/__init__.py", ""),
        ("bots/alice/brain/choice.py", "def choose(number):\n    return -1 if number < 1 else 9\n"),
        // Another bot, not the module of the standard library.
        ("bots/alice/random.py", "raise SystemExit(1)\n"),
        ("bots/bob/__main__.py", &reads_weights()),
        ("bots/bob/lib/helper.py", "number = int"),
        ("bots/bob/weights.txt", "-1"),
    ]);
    dir.run("arena init --turns 2 --time-limit 60000").succeeded();
    // By itself it gets nothing of a folder that others may share.
    let result = dir.run("arena add bots/alice/main.py --name alice");
    assert!(result.code == Some(2) && result.stderr.contains("No module named 'brain'"), "{result:?}");
    dir.run("arena add bots/alice").succeeded();
    dir.run("arena add bots/bob").succeeded();
    // The arena keeps all of both.
    fs::remove_dir_all(dir.path("bots")).unwrap();
    dir.run("arena add greedy hunter").succeeded();
    dir.run("arena run --maps 1").succeeded();
    let games = dir.run("arena games").succeeded().stdout;
    assert!(games.contains("alice") && games.contains("bob") && !games.contains("RE"), "{games}");
}

/// In a match, a bot that was given by its file sees nothing of its folder.
#[cfg(unix)]
#[test]
fn a_match_says_how_a_python_bot_gets_its_modules() {
    if !crate::common::has_sandbox() {
        return;
    }
    let dir = dir_with(&[("bots/bot.py", "import brain\n"), ("bots/brain.py", "")]);
    let result = dir.run(&format!("match bots/bot.py greedy greedy greedy --turns 1 {PATIENT}"));
    assert!(result.stderr.contains("make one file of its modules with \"pacman2 bundle\""), "{result:?}");
}

/// Python is asked about them one after another, which took minutes when it was started anew each time.
#[test]
fn modules_that_import_each_other_in_a_long_chain_become_one_file() {
    if !has("python3", "a long chain of Python modules") {
        return;
    }
    let dir = TestDir::new();
    fs::create_dir(dir.path("chain")).unwrap();
    dir.write("chain/bot.py", "import a0\nprint(a0.x)\n");
    (0..998).for_each(|number| dir.write(&format!("chain/a{number}.py"), &format!("from a{} import x\n", number + 1)));
    dir.write("chain/a998.py", "x = 1\n");
    dir.run("bundle chain/bot.py -o upload.py --no-check").succeeded();
}
