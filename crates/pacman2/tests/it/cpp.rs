//! Bots in C++: how they are compiled, and what the cache of programs keeps.

use std::fs::{self, File, TryLockError};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::common::{RunResult, TestDir, diagnostics, exists, has, has_jsoncpp, start, verdicts, wait_until};
use crate::languages::{PATIENT, SHELL, check_plays};
use serde_json::{Value, json};

/// A C++ bot that needs no library and compiles quickly. It counts its requests by the responses between them.
pub(crate) const CPP: &str = r#"
    #include <cstdio>
    #include <cstring>
    static char line[1 << 20];
    int main() {
        int requests = 1;
        fgets(line, sizeof line, stdin);
        for (char *at = strstr(line, "\"responses\""); (at = strstr(at, "\"action\"")); at++) requests++;
        printf("{\"response\":{\"action\":-1},\"debug\":%d}\n", requests);
    }
"#;

/// Returns a C++ bot that prints a word in `debug`.
fn prints(word: &str) -> String {
    format!("#include <cstdio>\nint main() {{ puts(\"{{\\\"response\\\":{{\\\"action\\\":-1}},\\\"debug\\\":{word}}}\"); }}\n")
}

/// Returns a folder with its own compiler.
fn dir_with_compiler() -> TestDir {
    let dir = TestDir::new();
    dir.write_executable("compiler", "#!/bin/sh\nexec g++ \"$@\"\n");
    dir
}

/// Plays a turn with `bot.cpp`. Returns its `debug`, and whether it was compiled.
#[track_caller]
fn compile_and_play(dir: &TestDir) -> (Value, bool) {
    let mut command = dir.command(&format!("match bot.cpp greedy greedy greedy --turns 1 --replay r.json {PATIENT}"));
    command.env("CXX", dir.path("compiler"));
    let result = start(command, "").wait().succeeded();
    let replay = dir.replay("r.json");
    assert_eq!(verdicts(&replay, 0), ["OK"], "{result:?}");
    (diagnostics(&replay, 0)[0]["debug"].clone(), result.stderr.contains("compiling bot.cpp"))
}

#[test]
fn cpp() {
    if has("g++", "a C++ bot plays a match") {
        let dir = TestDir::new();
        dir.write("bot.cpp", CPP);
        check_plays(&dir, "bot.cpp");
    }
}

#[test]
fn cpp_has_the_macro_of_botzone() {
    if has("g++", "a C++ bot is compiled for Botzone") {
        let dir = TestDir::new();
        dir.write(
            "bot.cpp",
            &format!("#ifndef _BOTZONE_ONLINE\n#error offline\n#endif\n#ifndef __OPTIMIZE__\n#error slow\n#endif\n{CPP}"),
        );
        check_plays(&dir, "bot.cpp");
    }
}

#[test]
fn cpp_is_compiled_once_for_each_content() {
    if has("g++", "a C++ bot is compiled once") {
        let dir = dir_with_compiler();
        dir.write("bot.cpp", &prints("1"));
        assert_eq!(compile_and_play(&dir), (json!(1), true));
        assert_eq!(compile_and_play(&dir), (json!(1), false));
        dir.write("bot.cpp", &prints("2"));
        assert_eq!(compile_and_play(&dir), (json!(2), true));
        dir.write("bot.cpp", &prints("1"));
        assert_eq!(compile_and_play(&dir), (json!(1), false));
    }
}

#[test]
fn cpp_is_compiled_once_by_matches_that_start_together() {
    if !has("g++", "a C++ bot of several matches is compiled once") {
        return;
    }
    let dir = TestDir::new();
    dir.write_executable("compiler", "#!/bin/sh\nsleep 0.3\nexec g++ \"$@\"\n");
    dir.write("bot.cpp", &prints("1"));
    let command = || {
        let mut command = dir.command(&format!("match bot.cpp greedy greedy greedy --turns 1 --no-replay {PATIENT}"));
        command.env("CXX", dir.path("compiler"));
        command
    };
    for _ in 0..3 {
        let matches: Vec<_> = (0..4).map(|_| start(command(), "")).collect();
        let results: Vec<RunResult> = matches.into_iter().map(|running| running.wait().succeeded()).collect();
        let compiled = results.iter().filter(|result| result.stderr.contains("compiling bot.cpp")).count();
        assert_eq!(compiled, 1, "{results:#?}");
        let names: Vec<String> = names_of_cache(&dir);
        assert_eq!(names.iter().filter(|name| name.len() == 64).count(), 1, "{names:?}");
        assert_eq!(names.len(), 3, "only the program, its hash and the lock stay: {names:?}");
        fs::remove_dir_all(dir.path("cache/pacman2")).unwrap();
    }

    // A match that is killed while it compiles keeps no other one waiting.
    let mut killed = start(command(), "");
    wait_until("the compiler to run", || names_of_cache(&dir).iter().any(|name| name.starts_with("compiling-")));
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    let others: Vec<_> = (0..2).map(|_| start(command(), "")).collect();
    let results: Vec<RunResult> = others.into_iter().map(|running| running.wait().succeeded()).collect();
    let compiled = results.iter().filter(|result| result.stderr.contains("compiling bot.cpp")).count();
    assert_eq!(compiled, 1, "{results:#?}");
}

/// Returns whether the cache has one program, which needs no library at its start.
#[cfg(target_os = "linux")]
fn is_one_static_program(dir: &TestDir) -> bool {
    let names: Vec<String> = names_of_cache(dir).into_iter().filter(|name| name.len() == 64).collect();
    let [name] = &names[..] else { panic!("expected one program, got {names:?}") };
    let program = fs::read(dir.path(&format!("cache/pacman2/{name}"))).unwrap();
    // The parts of a 64-bit ELF file; one of type 3 names what loads libraries.
    let number =
        |at: usize, bytes: usize| program[at..at + bytes].iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
    let (first, size, count) = (number(0x20, 8), number(0x36, 2), number(0x38, 2));
    (0..count).all(|part| number(first + part * size, 4) != 3)
}

#[cfg(target_os = "linux")]
#[test]
fn cpp_contains_its_libraries_where_that_is_possible() {
    if !has("g++", "a C++ bot is linked with its libraries") {
        return;
    }
    let dir = dir_with_compiler();
    dir.write("bot.cpp", &prints("1"));
    assert_eq!(compile_and_play(&dir), (json!(1), true));
    let library = Command::new("g++").arg("-print-file-name=libc.a").output().unwrap();
    assert_eq!(is_one_static_program(&dir), library.stdout.starts_with(b"/"));

    fs::remove_dir_all(dir.path("cache/pacman2")).unwrap();
    let fails = "case \"$*\" in *-static*) echo 'collect2: error: ld returned 1 exit status' >&2; exit 1;; esac";
    dir.write_executable("compiler", &format!("#!/bin/sh\n{fails}\nexec g++ \"$@\"\n"));
    assert_eq!(compile_and_play(&dir), (json!(1), true));
    assert!(!is_one_static_program(&dir));
}

/// Returns the names of the files and folders in the cache.
pub(crate) fn names_of_cache(dir: &TestDir) -> Vec<String> {
    let entries = fs::read_dir(dir.path("cache/pacman2")).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

#[test]
fn cpp_is_compiled_again_when_a_file_that_it_includes_changes() {
    if has("g++", "a C++ bot of several files is compiled again") {
        let dir = dir_with_compiler();
        fs::create_dir(dir.path("lib")).unwrap();
        dir.write("bot.cpp", &format!("#include \"lib/word.h\"\n{}", prints("").replace(":}", ":\" WORD \"}")));
        dir.write("lib/word.h", "# include \"deeper.h\"\n#include \"beside_the_source.h\"\n#define WORD DEEPER BESIDE\n");
        dir.write("lib/deeper.h", "#define DEEPER \"1\"\n");
        dir.write("beside_the_source.h", "#define BESIDE \"1\"\n");
        assert_eq!(compile_and_play(&dir), (json!(11), true));
        dir.write("lib/deeper.h", "#define DEEPER \"2\"\n");
        assert_eq!(compile_and_play(&dir), (json!(21), true));
        dir.write("beside_the_source.h", "#define BESIDE \"2\"\n");
        assert_eq!(compile_and_play(&dir), (json!(22), true));
        assert_eq!(compile_and_play(&dir), (json!(22), false));
    }
}

#[test]
fn cpp_is_compiled_again_when_a_line_moves_to_another_file() {
    if has("g++", "a C++ bot of two files is compiled again") {
        let dir = dir_with_compiler();
        let main = format!("#include \"word.h\"\n{}", prints("").replace(":}", ":\" WORD \"}"));
        let (line, header) = ("#define WORD \"2\"\n", "#ifndef WORD\n#define WORD \"1\"\n#endif\n");
        dir.write("bot.cpp", &format!("{main}{line}"));
        dir.write("word.h", header);
        assert_eq!(compile_and_play(&dir), (json!(1), true));
        dir.write("bot.cpp", &main);
        dir.write("word.h", &format!("{line}{header}"));
        assert_eq!(compile_and_play(&dir), (json!(2), true));
    }
}

/// Forty headers that include each other by two spellings have 2^40 paths to the last one.
#[test]
fn cpp_whose_headers_include_each_other_by_many_spellings() {
    if has("g++", "a C++ bot with entangled headers plays a match") {
        let dir = TestDir::new();
        fs::create_dir_all(dir.path("bots/lib")).unwrap();
        let include = |number: usize| format!("#include \"h{number}.h\"\n#include \"../lib/h{number}.h\"\n");
        for number in 0..40 {
            let others: String = (0..40).map(include).collect();
            dir.write(&format!("bots/lib/h{number}.h"), &format!("#pragma once\n{others}#define WORD{number}\n"));
        }
        dir.write("bots/bot.cpp", &format!("#include \"lib/h0.h\"\n#ifndef WORD39\n#error lost\n#endif\n{CPP}"));
        check_plays(&dir, "bots/bot.cpp");
    }
}

/// The sandbox shows no folder of which nothing is included.
#[test]
fn cpp_includes_a_header_by_way_of_a_folder() {
    if has("g++", "a C++ bot that includes a header by way of a folder plays a match") {
        let dir = TestDir::new();
        fs::create_dir(dir.path("sub")).unwrap();
        dir.write("a.h", "#define WORD\n");
        dir.write("bot.cpp", &format!("#include \"./sub/../a.h\"\n#ifndef WORD\n#error lost\n#endif\n{CPP}"));
        check_plays(&dir, "bot.cpp");
    }
}

/// Sources and headers in folders beside each other, as a project or an archive of it has them.
#[test]
fn cpp_of_a_project_includes_headers_beside_the_folder_of_its_source() {
    if !has("g++", "a project with a C++ bot") {
        return;
    }
    let files = [
        ("src/main.cpp", format!("#include \"../include/word.h\"\n#ifndef DEEPER\n#error lost\n#endif\n{CPP}")),
        ("include/word.h", "#include \"deep/er.h\"\n".to_owned()),
        ("include/deep/er.h", "#define DEEPER\n".to_owned()),
    ];
    let dir = TestDir::new();
    for (name, text) in &files {
        let path = dir.path(&format!("project/{name}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir.run("arena init").succeeded();
    dir.write_zip("packed.zip", &files.each_ref().map(|(name, text)| (*name, text)));
    for bot in ["project", "packed.zip"] {
        check_plays(&dir, bot);
        dir.run(&format!("arena add {bot}")).succeeded();
    }
    let report = dir.run("bundle project -o upload.cpp --no-check --json").succeeded().json();
    assert_eq!(report["files"], json!(["src/main.cpp", "include/word.h", "include/deep/er.h"]));
    // Of a file alone, only the folder beside it counts. Links may not lead out of the folder either.
    let refused = |bot: &str, words: &str| {
        let result = dir.run(&format!("check {bot}"));
        assert!(result.code == Some(2) && result.stderr.contains(words), "{result:?}");
    };
    refused("project/src/main.cpp", "../include/word.h is outside; give the folder that holds both as the bot");
    std::os::unix::fs::symlink("deep/er.h", dir.path("project/include/inside.h")).unwrap();
    dir.write("project/include/word.h", "#include \"inside.h\"\n");
    check_plays(&dir, "project");
    dir.write("outside.h", "#define DEEPER\n");
    fs::remove_file(dir.path("project/include/inside.h")).unwrap();
    std::os::unix::fs::symlink("../../outside.h", dir.path("project/include/inside.h")).unwrap();
    refused("project", "inside.h is a link out of it; put the file itself there");
}

#[test]
fn cpp_finds_headers_through_a_link() {
    if has("g++", "a C++ bot behind a link plays a match") {
        let dir = TestDir::new();
        fs::create_dir_all(dir.path("bots/lib")).unwrap();
        std::os::unix::fs::symlink("bots", dir.path("short")).unwrap();
        dir.write("bots/lib/word.h", "#include \"deeper.h\"\n");
        dir.write("bots/lib/deeper.h", "#define DEEPER\n");
        dir.write("bots/bot.cpp", &format!("#include \"lib/word.h\"\n#ifndef DEEPER\n#error lost\n#endif\n{CPP}"));
        check_plays(&dir, "short/bot.cpp");
    }
}

#[test]
fn cpp_that_includes_too_much() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("many")).unwrap();
    let include = |number: usize| format!("#include \"many/h{number}.h\"\n");
    for number in 0..1001 {
        dir.write(&format!("many/h{number}.h"), &format!("#include \"h{}.h\"\n", number + 1));
    }
    let names: String = (0..10_001).map(|number| format!("#include \"none{number}.h\"\n")).collect();
    let broad: String = (0..1001).map(include).collect();
    for (source, limit) in [(broad, "1000 files"), (include(0), "200 levels of includes"), (names, "10000 includes")] {
        dir.write("bot.cpp", &format!("{source}int main() {{}}\n"));
        let words = format!("bot.cpp: expected at most {limit} with the headers that it includes, got more; include less");
        dir.run("match bot.cpp greedy greedy greedy").refused(&[&words]);
    }
}

/// Two sources in an encoding other than UTF-8 must not count as the same text.
#[test]
fn cpp_in_another_encoding() {
    if has("g++", "C++ bots in another encoding are told apart") {
        let dir = dir_with_compiler();
        let bot = |word: &[u8]| {
            let source = r#"#include <cstdio>
                int main() { printf("{\"response\":{\"action\":-1},\"debug\":%d}\n", (unsigned char)"WORD"[0] * 1000 + (unsigned char)"WORD"[1]); }
            "#;
            let (begin, middle, end) = (source.split("WORD").next(), source.split("WORD").nth(1), source.split("WORD").nth(2));
            [begin.unwrap().as_bytes(), word, middle.unwrap().as_bytes(), word, end.unwrap().as_bytes()].concat()
        };
        // Two characters in GBK; the second is a non-breaking space in UTF-8, so the third byte makes the text invalid.
        for (word, debug) in [(&b"\xc4\xe3"[..], 196_227), (b"\xba\xc3", 186_195), (b"\xc2\xa0\xc4", 194_160)] {
            fs::write(dir.path("bot.cpp"), bot(word)).unwrap();
            assert_eq!(compile_and_play(&dir), (json!(debug), true));
        }
    }
}

#[test]
fn cpp_in_utf_16_is_named() {
    if has("g++", "a C++ bot in UTF-16 is rejected") {
        let dir = TestDir::new();
        dir.write("bot.cpp", &format!("#include \"a.h\"\n{CPP}"));
        fs::write(dir.path("a.h"), "\u{feff}int a;\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()).unwrap();
        dir.run("check bot.cpp").refused(&["a.h: expected a source in UTF-8, got UTF-16; save it as UTF-8"]);
    }
}

#[test]
fn cpp_of_two_sources_of_which_one_is_not_included() {
    if has("g++", "the part that is left out is named") {
        let dir = dir_with_compiler();
        dir.write("bot.cpp", "int act();\nint main() { return act(); }\n");
        dir.write("tables.cpp", "int table[4];\n");
        dir.write("act.cpp", "int act() { return 0; }\n");
        let is_named = || {
            let result = dir.run("match bot.cpp greedy greedy greedy");
            assert_eq!(result.code, Some(2), "{result:?}");
            result.stderr.contains("act.cpp mentions act and is not included")
        };
        assert!(is_named());
        dir.write("act.cpp", "int other() { return 0; }\n");
        assert!(!is_named());
    }
}

/// Creates a program in the cache, which takes no room on the disk and was last used hours ago.
fn write_cached(dir: &TestDir, digit: char, megabytes: u64, hours: u64) -> File {
    let file = File::create(dir.path(&format!("cache/pacman2/{}", String::from(digit).repeat(64)))).unwrap();
    file.set_len(megabytes << 20).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600 * hours)).unwrap();
    file
}

#[test]
fn the_cache_of_compiled_programs_is_bounded() {
    if has("g++", "the cache of compiled programs is bounded") {
        let dir = dir_with_compiler();
        fs::create_dir_all(dir.path("cache/pacman2")).unwrap();
        let used = write_cached(&dir, 'a', 300, 9);
        used.lock_shared().unwrap();
        write_cached(&dir, 'b', 300, 8);
        write_cached(&dir, 'c', 200, 7);
        let other = dir.path("cache/pacman2/notes.txt");
        File::create(&other).unwrap().set_len(600 << 20).unwrap();
        dir.write("bot.cpp", &prints("1"));
        assert_eq!(compile_and_play(&dir), (json!(1), true));
        let is_cached = |digit: char| exists(&dir.path(&format!("cache/pacman2/{}", String::from(digit).repeat(64))));
        assert_eq!(['a', 'b', 'c'].map(is_cached), [true, false, true], "the one in use and the newest stay");
        assert!(exists(&other), "a file that is no program stays");
        // What was used last is removed last.
        assert_eq!(compile_and_play(&dir), (json!(1), false));
        write_cached(&dir, 'd', 300, 1);
        dir.write("bot.cpp", &prints("2"));
        assert_eq!(compile_and_play(&dir), (json!(2), true));
        assert_eq!(['a', 'c', 'd'].map(is_cached), [true, false, false]);
        dir.write("bot.cpp", &prints("1"));
        assert_eq!(compile_and_play(&dir), (json!(1), false));
    }
}

/// A full disk or a loss of power may have cut it off.
#[test]
fn a_program_that_is_not_whole_is_compiled_again() {
    if has("g++", "a program that is not whole is compiled again") {
        let dir = dir_with_compiler();
        dir.write("bot.cpp", &prints("1"));
        assert_eq!(compile_and_play(&dir), (json!(1), true));
        let name = names_of_cache(&dir).into_iter().find(|name| name.len() == 64).unwrap();
        let program = File::options().write(true).open(dir.path(&format!("cache/pacman2/{name}"))).unwrap();
        program.set_len(program.metadata().unwrap().len() / 2).unwrap();
        assert_eq!(compile_and_play(&dir), (json!(1), true));
        assert_eq!(compile_and_play(&dir), (json!(1), false));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_no_fault_of_a_source() {
    if !has("g++", "a compiler on a full disk") {
        return;
    }
    let dir = TestDir::new();
    fs::create_dir(dir.path("cache")).unwrap();
    let Some(_disk) = crate::common::small_disk(&dir.path("cache"), "64k") else { return };
    dir.write("bot.cpp", &prints("1"));
    let result = dir.run("match bot.cpp greedy greedy greedy --turns 1 --no-replay");
    assert_eq!(result.code, Some(1), "{result:?}");
    assert!(result.stderr.contains("expected 32 MB of free space for compilers"), "{result:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_program_of_a_running_match_stays_in_the_cache() {
    use rustix::process::{Pid, Signal, kill_process};

    if has("g++", "the program of a running match stays in the cache") {
        let dir = TestDir::new();
        dir.write("bot.cpp", "#include <unistd.h>\nint main() { sleep(900); }\n");
        let line = format!("match bot.cpp greedy greedy greedy --no-replay {PATIENT}");
        let running = crate::common::start_with_open_input(dir.command(&line));
        let is_held = || {
            let programs = fs::read_dir(dir.path("cache/pacman2")).into_iter().flatten().map(|entry| entry.unwrap().path());
            let mut programs = programs.filter(|path| path.file_name().is_some_and(|name| name.len() == 64));
            programs.next().is_some_and(|path| matches!(File::open(path).unwrap().try_lock(), Err(TryLockError::WouldBlock)))
        };
        wait_until("the program to be in use", is_held);
        kill_process(Pid::from_child(&running.child), Signal::INT).unwrap();
        running.wait();
        wait_until("the program to be free", || !is_held());
    }
}

#[test]
fn cpp_with_jsoncpp_under_each_of_its_names() {
    let what = "C++ bots with jsoncpp play a match";
    if !has("g++", what) || !has_jsoncpp(what) {
        return;
    }
    let dir = TestDir::new();
    let bot = r#"
        #include <iostream>
        #include HEADER
        int main() {
            Json::Value message, answer;
            Json::CharReaderBuilder reader;
            parseFromStream(reader, std::cin, &message, nullptr);
            answer["response"]["action"] = -1;
            answer["debug"] = message["requests"].size();
            std::cout << answer << std::endl;
        }
    "#;
    dir.write("botzone.cpp", &bot.replace("HEADER", "\"jsoncpp/json.h\""));
    dir.write("plain.cpp", &bot.replace("HEADER", "<json/json.h>"));
    dir.write("by_a_header.cpp", &bot.replace("HEADER", "\"by_a_header.h\""));
    dir.write("by_a_header.h", "#include <jsoncpp/json.h>\n");
    let replay = dir.play(&format!("botzone.cpp plain.cpp by_a_header.cpp greedy --seed 3 --turns 1 {PATIENT}"));
    for seat in 0..3 {
        assert_eq!((verdicts(&replay, seat), &diagnostics(&replay, seat)[0]["debug"]), (vec!["OK"], &json!(1)));
    }
}

#[test]
fn cpp_with_the_wikis_spaces() {
    if has("g++", "a C++ source with non-breaking spaces plays a match") {
        let dir = TestDir::new();
        dir.write("bot.cpp", &CPP.replace("    ", "\u{a0}\u{a0} \u{a0}"));
        check_plays(&dir, "bot.cpp");
    }
}

/// Valid C++11 and not valid C++17.
fn cpp_11() -> String {
    CPP.replace("int main() {", "void old() throw(int) {}\nint main() {\n    old();")
}

#[test]
fn cpp_of_another_standard() {
    if !has("g++", "a C++11 bot plays a match") {
        return;
    }
    let dir = TestDir::new();
    dir.write("bot.cpp", &cpp_11());
    let remark = "bot.cpp: it is not valid C++17 and was compiled as C++11; choose that with --std c++11, as on Botzone";
    let play = |bots: &str| dir.run(&format!("match {bots} --turns 1 --no-replay {PATIENT}"));
    // The second one finds it in the cache.
    for _ in 0..2 {
        assert_eq!(play("bot.cpp bot.cpp random random").succeeded().stderr.matches(remark).count(), 1);
    }
    for bots in ["bot.cpp --std c++11", "'bot.cpp --std c++11' random random random"] {
        assert!(!play(bots).succeeded().stderr.contains("C++17"));
    }
    let rejected = play("bot.cpp --std c++17");
    assert!(rejected.code == Some(2) && rejected.stderr.contains("bot.cpp does not compile:"), "{rejected:?}");
    play("'bot.cpp --std c++98' random random random")
        .refused(&["expected c++11 or c++17, the versions of Botzone, got \"c++98\""]);
    // The name of a download says it, and an arena remembers it.
    fs::rename(dir.path("bot.cpp"), dir.path("5c1d.cpp11")).unwrap();
    check_plays(&dir, "5c1d.cpp11");
    dir.write("bot.cpp", &cpp_11());
    dir.run("arena init --turns 1 --time-limit 60000").succeeded();
    dir.run("arena add bot.cpp --std c++11").succeeded();
    dir.run("arena add bot.cpp --std c++11 --in-place --name original").succeeded();
    // In a class the version is that of all sources in C++, and of nothing else.
    dir.write_executable("program", SHELL);
    dir.run("arena add program --std c++11").succeeded();
    dir.run("arena add greedy").succeeded();
    assert!(!dir.run("arena run --maps 1").succeeded().stderr.contains("C++17"));
}

#[test]
#[cfg(target_arch = "x86_64")]
fn cpp_with_vector_instructions() {
    let what = "a C++ bot with vector instructions plays a match";
    if has("g++", what) && is_x86_feature_detected!("avx") {
        let dir = TestDir::new();
        let vectors = "#include <immintrin.h>\n__m256 twice(__m256 lanes) { return _mm256_add_ps(lanes, lanes); }\n";
        dir.write("bot.cpp", &format!("{vectors}{CPP}"));
        check_plays(&dir, "bot.cpp");
    }
}

#[test]
fn cpp_that_does_not_compile() {
    if !has("g++", "a C++ bot that does not compile is refused") {
        return;
    }
    let dir = TestDir::new();
    // With such a space it is compiled from a copy, whose path must not appear.
    for source in ["int main() {\n    return nothing;\n}\n", "int main() {\n\u{a0}   return nothing;\n}\n"] {
        dir.write("my bot.cpp", source);
        // A failed compilation is not cached: the message appears again.
        for _ in 0..2 {
            let result = dir.run("match 'my bot.cpp' greedy greedy greedy");
            assert_eq!((result.code, result.stdout.as_str()), (Some(2), ""), "{result:#?}");
            for words in ["my bot.cpp does not compile:", "my bot.cpp:2:", "nothing"] {
                assert!(result.stderr.contains(words), "\"{words}\" is not in: {}", result.stderr);
            }
            let other_paths = result.stderr.matches(".cpp").count() - result.stderr.matches("my bot.cpp").count();
            assert_eq!(other_paths, 0, "{}", result.stderr);
        }
    }
    assert_eq!(dir.names(), ["cache", "my bot.cpp"]);
    let left = fs::read_dir(dir.path("cache/pacman2")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["lock"], "half a program is left");
}

#[test]
fn cpp_without_a_compiler() {
    let dir = TestDir::new();
    dir.write("bot.cpp", CPP);
    let mut command = dir.command("match bot.cpp greedy greedy greedy");
    command.env("CXX", "no-such-compiler");
    let result = start(command, "").wait();
    assert_eq!((result.code, result.stdout.as_str()), (Some(2), ""), "{result:#?}");
    assert!(result.stderr.contains("bot.cpp: C++ compiler no-such-compiler not found; install g++"), "{result:#?}");
}
