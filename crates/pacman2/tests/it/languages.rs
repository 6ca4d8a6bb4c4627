//! Bots in the supported languages, each a few lines long.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{TestDir, diagnostics, exists, has, report_skipped, runs, start, verdicts};
use crate::cpp::{CPP, names_of_cache};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) const PATIENT: &str = "--time-limit 60000 --memory-limit 1024";

/// Plays three turns with a bot that must get OK in all of them and count its requests in `debug`.
#[track_caller]
pub(crate) fn check_plays(dir: &TestDir, bot: &str) {
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
    dir.run("match broken.zip random random random")
        .refused(&["broken.zip: expected a ZIP archive, got something else; make a ZIP archive"]);
    dir.write_zip("several.zip", &[("a.py", ""), ("b.py", "")]);
    dir.run("match several.zip random random random")
        .refused(&["pacman2: several.zip: expected one bot in this folder, got a.py, b.py"]);
}

// Programs.

pub(crate) const SHELL: &str = r#"#!/bin/sh
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
