//! Bots in the supported languages, each a few lines long.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::common::{
    RunResult, TestDir, diagnostics, exists, has, has_jsoncpp, report_skipped, runs, start, verdicts, wait_until,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const PATIENT: &str = "--time-limit 60000 --memory-limit 1024";

/// Plays three turns with a bot that must get OK in all of them and count its requests in `debug`.
#[track_caller]
fn check_plays(dir: &TestDir, bot: &str) {
    let replay = dir.play(&format!("'{bot}' greedy greedy greedy --seed 3 --turns 3 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["OK"; 3], "{}", replay["private"]);
    let output: Vec<&Value> = diagnostics(&replay, 0).into_iter().map(|entry| &entry["debug"]).collect();
    assert_eq!(output, [&json!(1), &json!(2), &json!(3)]);
}

// Python.

const READS_A_LINE: &str = "\
import json, sys
message = json.loads(sys.stdin.readline())
print(json.dumps({'response': {'action': -1}, 'debug': len(message['requests'])}))
";

#[test]
fn python_that_reads_a_line() {
    if has("python3", "a Python bot plays a match") {
        let dir = TestDir::new();
        dir.write("bot.py", READS_A_LINE);
        check_plays(&dir, "bot.py");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn python_that_reads_to_the_end_of_its_input() {
    if has("python3", "a Python bot that reads to the end of its input plays a match") {
        let dir = TestDir::new();
        dir.write("bot.py", &READS_A_LINE.replace("readline()", "read()"));
        check_plays(&dir, "bot.py");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn python_that_answers_line_by_line_and_does_not_ask_to_keep_running() {
    if has("python3", "a Python bot that loops over its input plays a match") {
        let dir = TestDir::new();
        let bot = "\
import json, sys
for line in sys.stdin:
    print(json.dumps({'response': {'action': -1}, 'debug': len(json.loads(line)['requests'])}), flush=True)
";
        dir.write("bot.py", bot);
        check_plays(&dir, "bot.py");
    }
}

#[test]
fn python_that_keeps_running() {
    if has("python3", "a Python bot that keeps running plays a match") {
        let dir = TestDir::new();
        let bot = "\
import json, sys
requests = 0
for line in sys.stdin:
    message = json.loads(line)
    assert ('requests' in message) == (requests == 0)
    requests += 1
    print(json.dumps({'response': {'action': -1}, 'debug': requests}))
    print('>>>BOTZONE_REQUEST_KEEP_RUNNING<<<', flush=True)
";
        dir.write("bot.py", bot);
        check_plays(&dir, "bot.py");
    }
}

#[test]
fn a_quoted_command_line() {
    if has("python3", "a quoted command line plays a match") {
        let dir = TestDir::new();
        let bot = READS_A_LINE.replace("import json, sys", "import json, sys\nassert sys.argv[1:] == ['--fast', 'two words']");
        dir.write("a bot.py", &bot);
        check_plays(&dir, r#"python3 -u "a bot.py" --fast "two words""#);
    }
}

#[test]
fn python_finds_the_files_beside_it() {
    if has("python3", "a Python bot of two files plays a match") {
        let dir = TestDir::new();
        fs::create_dir(dir.path("my bots")).unwrap();
        dir.write("my bots/helper.py", "def length(values):\n    return len(values)\n");
        let bot = READS_A_LINE.replace("import json", "import helper, json").replace("len(", "helper.length(");
        dir.write("my bots/bot.py", &bot);
        check_plays(&dir, "my bots");
    }
}

// JavaScript.

#[test]
fn javascript_that_reads_lines() {
    if has("node", "a JavaScript bot plays a match") {
        let dir = TestDir::new();
        let bot = r#"
            let requests = 0;
            require("readline").createInterface({ input: process.stdin }).on("line", line => {
                if (("requests" in JSON.parse(line)) !== (requests === 0)) process.exit(1);
                console.log(JSON.stringify({ response: { action: -1 }, debug: ++requests }));
                console.log(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
            });
        "#;
        dir.write("bot.js", bot);
        check_plays(&dir, "bot.js");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn javascript_that_reads_to_the_end_of_its_input() {
    if has("node", "a JavaScript bot that reads to the end of its input plays a match") {
        let dir = TestDir::new();
        let bot = r#"
            const message = JSON.parse(require("fs").readFileSync(0));
            console.log(JSON.stringify({ response: { action: -1 }, debug: message.requests.length }));
        "#;
        dir.write("bot.js", bot);
        check_plays(&dir, "bot.js");
    }
}

// Java.

#[test]
fn a_jar() {
    let what = "a Java bot plays a match";
    if !["javac", "jar", "java"].into_iter().all(|program| has(program, what)) {
        return;
    }
    let dir = TestDir::new();
    let bot = r#"
        class Bot {
            public static void main(String[] arguments) throws java.io.IOException {
                var input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
                int requests = 0;
                for (String line; (line = input.readLine()) != null; ) {
                    if (line.startsWith("{\"requests\"") != (requests == 0)) System.exit(1);
                    System.out.println("{\"response\":{\"action\":-1},\"debug\":" + ++requests + "}");
                    System.out.println(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
                }
            }
        }
    "#;
    dir.write("Bot.java", bot);
    for line in ["javac -d classes Bot.java", "jar --create --file bot.jar --main-class Bot -C classes ."] {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        dir.isolate(&mut command);
        start(command, "").wait().succeeded();
    }
    check_plays(&dir, "bot.jar");
}

// Sources of one file.

/// Plays with a source, and checks that its copy with a fault is rejected with the words of the compiler.
#[track_caller]
fn check_source(tools: &[&str], file: &str, source: &str, [right, wrong]: [&str; 2], says: &str) {
    // They have no option in common that all of them understand.
    let is_there = |tool: &&&str| runs("sh", ["-c", &format!("command -v {tool}")]);
    if let Some(missing) = tools.iter().find(|tool| !is_there(tool)) {
        return report_skipped(&format!("the source {file} plays a match"), missing);
    }
    let dir = TestDir::new();
    dir.write(file, source);
    check_plays(&dir, file);
    let again = dir.run(&format!("match '{file}' greedy greedy greedy --turns 1 --no-replay {PATIENT}")).succeeded();
    assert!(!again.stderr.contains("compiling"), "{again:?}");
    assert!(source.contains(right));
    dir.write(file, &source.replace(right, wrong));
    check_does_not_compile(&dir, file, says);
    let left = names_of_cache(&dir).into_iter().filter(|name| name.len() < 64);
    assert_eq!(left.collect::<Vec<_>>(), ["lock"]);
}

#[track_caller]
fn check_does_not_compile(dir: &TestDir, file: &str, says: &str) {
    let rejected = dir.run(&format!("match '{file}' greedy greedy greedy"));
    assert_eq!((rejected.code, rejected.stdout.as_str()), (Some(2), ""), "{rejected:?}");
    for words in [&format!("{file} does not compile:\n"), says] {
        assert!(rejected.stderr.contains(words), "\"{words}\" is not in: {}", rejected.stderr);
    }
}

/// The file of a public class has another name than the class, as on Botzone.
const JAVA: &str = r#"
    import java.util.*;
    public class Main {
        public static void main(String[] arguments) {
            Scanner input = new Scanner(System.in);
            for (int requests = 1; input.hasNextLine(); requests++) {
                input.nextLine();
                System.out.println("{\"response\":{\"action\":-1},\"debug\":" + requests + "}");
                System.out.println(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
            }
        }
    }
"#;

#[test]
fn java() {
    check_source(
        &["javac", "java"],
        "my bot.java",
        JAVA,
        ["nextLine();", "nextLin();"],
        "my bot.java:7: error: cannot find symbol",
    );
}

#[test]
fn java_whose_class_botzone_would_not_find() {
    if !["javac", "java"].into_iter().all(|tool| has(tool, "a Java bot without a class Main is rejected")) {
        return;
    }
    let dir = TestDir::new();
    let other_class = JAVA.replace("Main", "Bot");
    for source in [&other_class, &other_class.replace("public class", "class"), &format!("package bots;{JAVA}")] {
        dir.write("bot.java", source);
        let hint =
            "Botzone starts the class Main and has no packages: call the class with main so, and leave out any package line";
        check_does_not_compile(&dir, "bot.java", hint);
    }
}

#[test]
fn java_with_the_library_of_botzone() {
    if !["javac", "java"].into_iter().all(|tool| has(tool, "a Java bot with JSON.simple plays a match")) {
        return;
    }
    let dir = TestDir::new();
    let counts = r#"((Map) org.json.simple.JSONValue.parse("{\"a\":1}")).size()"#;
    dir.write("bot.java", &JAVA.replace("requests = 1", &format!("requests = {counts}")));
    if exists("/usr/share/java/json-simple.jar".as_ref()) {
        check_plays(&dir, "bot.java");
    } else {
        let hint = "org.json.simple seems to be missing (Debian and Ubuntu: apt-get install libjson-simple-java)";
        check_does_not_compile(&dir, "bot.java", hint);
    }
}

const C: &str = r#"
    #include <math.h>
    #include <stdio.h>
    static char line[1 << 20];
    int main(void) {
        for (double requests = 1; fgets(line, sizeof line, stdin); requests = sqrt(requests * requests) + 1) {
            printf("{\"response\":{\"action\":-1},\"debug\":%.0f}\n", requests);
            puts(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
            fflush(stdout);
        }
    }
"#;

#[test]
fn c() {
    check_source(&["gcc"], "bot.c", C, ["fgets(line", "fgets(lin"], "bot.c:6:");
}

#[test]
fn c_with_a_header() {
    if has("gcc", "a C bot with a header plays a match") {
        let dir = TestDir::new();
        dir.write("bot.c", &format!("#include \"size.h\"\n{}", C.replace("[1 << 20]", "[SIZE]")));
        dir.write("size.h", "#define SIZE (1 << 20)\n");
        check_plays(&dir, "bot.c");
        dir.run("bundle bot.c -o upload.c --no-check").succeeded();
        assert!(dir.read("upload.c").contains("#define SIZE"));
    }
}

#[test]
fn c_sharp() {
    let bot = r#"
        using System;
        class Program {
            static void Main() {
                for (int requests = 1; Console.ReadLine() != null; requests++) {
                    Console.WriteLine("{\"response\":{\"action\":-1},\"debug\":" + requests + "}");
                    Console.WriteLine(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
                }
            }
        }
    "#;
    check_source(&["mcs", "mono"], "bot.cs", bot, ["ReadLine()", "ReadLin()"], "bot.cs(5,48): error");
}

#[test]
fn pascal() {
    let bot = r#"
        program AnotherName;
        var requests: integer; line: ansistring;
        begin
            requests := 0;
            while not eof do begin
                readln(line);
                requests := requests + 1;
                writeln('{"response":{"action":-1},"debug":', requests, '}');
                writeln('>>>BOTZONE_REQUEST_KEEP_RUNNING<<<');
                flush(output);
            end;
        end.
    "#;
    check_source(&["fpc"], "bot.pas", bot, ["readln(line)", "readln(lin)"], "bot.pas(7,24) Error: Identifier not found \"lin\"");
}

#[test]
fn go() {
    let bot = r#"
        package main
        import ("bufio"; "fmt"; "os")
        func main() {
            input := bufio.NewReader(os.Stdin)
            for requests := 1; ; requests++ {
                if _, err := input.ReadString('\n'); err != nil { return }
                fmt.Printf("{\"response\":{\"action\":-1},\"debug\":%d}\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n", requests)
            }
        }
    "#;
    check_source(&["go"], "bot.go", bot, ["os.Stdin", "os.Stdi"], "bot.go:5:41: undefined: os.Stdi");
}

const RUST: &str = r#"
    fn main() {
        for (requests, _) in std::io::stdin().lines().enumerate() {
            println!("{{\"response\":{{\"action\":-1}},\"debug\":{}}}", requests + 1);
            println!(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
        }
    }
"#;

#[test]
fn rust() {
    check_source(&["rustc", "cc"], "1st bot.rs", RUST, ["_) in", "_) is"], "--> 1st bot.rs:3:");
}

/// The folder above the commands of rustup may hold the user's keys for registries.
#[test]
#[cfg(target_os = "linux")]
fn rust_does_not_see_what_lies_beside_its_command() {
    let found = Command::new("sh").args(["-c", "command -v rustc"]).output().unwrap();
    let command = Path::new(str::from_utf8(&found.stdout).unwrap().trim_end());
    let Some(beside) = command.ancestors().nth(2).map(|folder| folder.join("env")).filter(|path| path.is_file()) else {
        return report_skipped("a Rust source is compiled without the user's files", "rustup");
    };
    let dir = TestDir::new();
    dir.write("bot.rs", &format!("const _: &str = include_str!({beside:?});\n{RUST}"));
    check_does_not_compile(&dir, "bot.rs", "couldn't read");
}

// C++.

/// A C++ bot that needs no library and compiles quickly. It counts its requests by the responses between them.
const CPP: &str = r#"
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
fn names_of_cache(dir: &TestDir) -> Vec<String> {
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
fn python_of_several_files() {
    if !has("python3", "a Python bot of several files plays a match") {
        return;
    }
    let dir = TestDir::new();
    fs::create_dir(dir.path("bot")).unwrap();
    dir.write(
        "bot/__main__.py",
        &READS_A_LINE.replace("import json, sys", "import json, sys\nfrom helper import STAY").replace("-1", "STAY"),
    );
    dir.write("bot/helper.py", "STAY = -1\n");
    let [main, helper] = ["__main__.py", "helper.py"].map(|name| (name, dir.read(&format!("bot/{name}"))));
    dir.write_zip("bot.zip", &[(main.0, &main.1), (helper.0, &helper.1)]);
    fs::copy(dir.path("bot.zip"), dir.path("bot.pyz")).unwrap();
    let program = |bot: &str| {
        check_plays(&dir, bot);
        dir.play(&format!("{bot} random random random --turns 1 {PATIENT}"))["public"]["seats"][0].clone()
    };
    let seats = ["bot", "bot.zip", "bot.pyz"].map(program);
    assert!(seats.iter().all(|seat| seat["time_factor"] == 3 && seat["program"] == seats[0]["program"]), "{seats:?}");
    dir.run("bundle bot.zip -o upload.py --no-check").succeeded();
    dir.run("arena init --turns 1 --time-limit 60000").succeeded();
    dir.run("arena add bot.zip").succeeded();
    dir.run("arena add bot.zip --in-place --name original").succeeded();
    dir.run("arena add random greedy").succeeded();
    let games = dir.run("arena run --maps 1").succeeded();
    assert!(!games.stdout.contains("RE"), "{games:?}");
    dir.write("bot/helper.py", "STAY = 0 - 1\n");
    assert_ne!(program("bot")["program"], seats[0]["program"]);
    dir.write("broken.zip", "no archive");
    dir.run("match broken.zip random random random").refused(&["broken.zip: expected a ZIP archive: "]);
    dir.write_zip("several.zip", &[("a.py", ""), ("b.py", "")]);
    dir.run("match several.zip random random random")
        .refused(&["pacman2: several.zip: expected one bot in this folder, got a.py, b.py"]);
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

// Programs.

const SHELL: &str = r#"#!/bin/sh
read -r question
requests=$(printf '%s' "$question" | sed 's/.*"responses":\[//; s/\].*//' | grep -o action | wc -l)
echo "{\"response\":{\"action\":-1},\"debug\":$((requests + 1))}"
"#;

#[test]
fn an_executable() {
    let dir = TestDir::new();
    dir.write_executable("bot", SHELL);
    for typed in ["bot".to_owned(), "./bot".to_owned(), dir.path("bot").display().to_string()] {
        check_plays(&dir, &typed);
    }
}

/// Downloads lose the permission to run.
#[test]
#[cfg(target_os = "linux")]
fn a_downloaded_program() {
    if !has("g++", "a downloaded program plays a match") {
        return;
    }
    let dir = TestDir::new();
    dir.write("bot.cpp", CPP);
    let made = Command::new("g++").args(["bot.cpp", "-o", "5c1d.elfbin"]).current_dir(dir.path("")).status().unwrap();
    assert!(made.success());
    assert!(Command::new("chmod").args(["644", "5c1d.elfbin"]).current_dir(dir.path("")).status().unwrap().success());
    check_plays(&dir, "5c1d.elfbin");
}

#[test]
fn an_executable_with_arguments() {
    let dir = TestDir::new();
    dir.write_executable("bot", &SHELL.replace("read", "[ \"$1\" = --fast ] || exit 1\nread"));
    check_plays(&dir, "./bot --fast");
}

#[test]
fn a_program_is_identified_by_its_hash() {
    let dir = TestDir::new();
    dir.write_executable("bot", SHELL);
    dir.write_executable("other", &format!("{SHELL}\n"));
    let replay = dir.play(&format!("./bot ./bot ./other greedy --turns 1 {PATIENT}"));
    let hashes = [0, 1, 2].map(|seat| replay["public"]["seats"][seat]["program"].as_str().unwrap());
    assert_eq!((hashes[0].len(), hashes[0]), (64, hashes[1]));
    assert_ne!(hashes[0], hashes[2]);
}

#[test]
fn a_file_has_the_same_hash_however_it_runs() {
    if has("g++", "a C++ bot is known by its source's hash") {
        let dir = TestDir::new();
        dir.write("bot.cpp", CPP);
        dir.write("bot.sh", SHELL);
        let replay = dir.play(&format!("bot.cpp \"/bin/sh bot.sh\" \"sh bot.sh\" greedy --turns 1 {PATIENT}"));
        let hash = |text: &str| Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let output = [0, 1, 2].map(|seat| replay["public"]["seats"][seat]["program"].as_str().unwrap().to_owned());
        assert_eq!(output, [hash(CPP), hash(SHELL), hash(SHELL)]);
    }
}
