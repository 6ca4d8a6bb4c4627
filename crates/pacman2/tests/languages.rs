//! Bots in the languages in which people write them, each a few lines long.

#![cfg(unix)]

mod common;

use std::fs;
use std::process::Command;

use common::{Place, backstage, has, has_jsoncpp, start, turns, verdicts};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const PATIENT: &str = "--time-limit 60000 --memory-limit 1024";

/// Plays three turns with one bot. It must answer them all with OK, and tell in `debug` how many requests it has got.
#[track_caller]
fn check_plays(place: &Place, bot: &str) {
    let replay = place.play(&format!("'{bot}' greedy greedy greedy --seed 3 --turns 3 {PATIENT}"));
    assert_eq!(verdicts(&replay, 0), ["OK"; 3], "{}", replay["private"]);
    let told: Vec<&Value> = backstage(&replay, 0).into_iter().map(|said| &said["debug"]).collect();
    assert_eq!(told, [&json!(1), &json!(2), &json!(3)]);
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
        let place = Place::new();
        place.write("bot.py", READS_A_LINE);
        check_plays(&place, "bot.py");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn python_that_reads_to_the_end_of_its_input() {
    if has("python3", "a Python bot that reads to the end of its input plays a match") {
        let place = Place::new();
        place.write("bot.py", &READS_A_LINE.replace("readline()", "read()"));
        check_plays(&place, "bot.py");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn python_that_answers_line_by_line_and_does_not_ask_to_keep_running() {
    if has("python3", "a Python bot that loops over its input plays a match") {
        let place = Place::new();
        let bot = "\
import json, sys
for line in sys.stdin:
    print(json.dumps({'response': {'action': -1}, 'debug': len(json.loads(line)['requests'])}), flush=True)
";
        place.write("bot.py", bot);
        check_plays(&place, "bot.py");
    }
}

#[test]
fn python_that_keeps_running() {
    if has("python3", "a Python bot that keeps running plays a match") {
        let place = Place::new();
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
        place.write("bot.py", bot);
        check_plays(&place, "bot.py");
    }
}

#[test]
fn a_quoted_command_line() {
    if has("python3", "a quoted command line plays a match") {
        let place = Place::new();
        let bot = READS_A_LINE.replace("import json, sys", "import json, sys\nassert sys.argv[1:] == ['--fast', 'two words']");
        place.write("a bot.py", &bot);
        check_plays(&place, r#"python3 -u "a bot.py" --fast "two words""#);
    }
}

#[test]
fn python_finds_what_lies_beside_it() {
    if has("python3", "a Python bot of two files plays a match") {
        let place = Place::new();
        fs::create_dir(place.path("my bots")).unwrap();
        place.write("my bots/helper.py", "def length(values):\n    return len(values)\n");
        let bot = READS_A_LINE.replace("import json", "import helper, json").replace("len(", "helper.length(");
        place.write("my bots/bot.py", &bot);
        check_plays(&place, "my bots/bot.py");
    }
}

// JavaScript.

#[test]
fn javascript_that_reads_lines() {
    if has("node", "a JavaScript bot plays a match") {
        let place = Place::new();
        let bot = r#"
            let requests = 0;
            require("readline").createInterface({ input: process.stdin }).on("line", line => {
                if (("requests" in JSON.parse(line)) !== (requests === 0)) process.exit(1);
                console.log(JSON.stringify({ response: { action: -1 }, debug: ++requests }));
                console.log(">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
            });
        "#;
        place.write("bot.js", bot);
        check_plays(&place, "bot.js");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn javascript_that_reads_to_the_end_of_its_input() {
    if has("node", "a JavaScript bot that reads to the end of its input plays a match") {
        let place = Place::new();
        let bot = r#"
            const message = JSON.parse(require("fs").readFileSync(0));
            console.log(JSON.stringify({ response: { action: -1 }, debug: message.requests.length }));
        "#;
        place.write("bot.js", bot);
        check_plays(&place, "bot.js");
    }
}

// Java.

#[test]
fn a_jar() {
    let what = "a Java bot plays a match";
    if !["javac", "jar", "java"].into_iter().all(|program| has(program, what)) {
        return;
    }
    let place = Place::new();
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
    place.write("Bot.java", bot);
    for line in ["javac -d classes Bot.java", "jar --create --file bot.jar --main-class Bot -C classes ."] {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        place.at_home(&mut command);
        start(command, "").wait().succeeded();
    }
    check_plays(&place, "bot.jar");
}

// C++.

/// A C++ bot that needs no library and is quickly compiled. It counts its requests by the responses in between.
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

/// A C++ bot that tells a word.
fn tells(word: &str) -> String {
    format!("#include <cstdio>\nint main() {{ puts(\"{{\\\"response\\\":{{\\\"action\\\":-1}},\\\"debug\\\":{word}}}\"); }}\n")
}

/// A place with a compiler of its own.
fn place_with_compiler() -> Place {
    let place = Place::new();
    place.write_executable("compiler", "#!/bin/sh\nexec g++ \"$@\"\n");
    place
}

/// Plays a turn with `bot.cpp`. Returns its debug, and whether it was compiled for that.
#[track_caller]
fn compile_and_play(place: &Place) -> (Value, bool) {
    let mut command = place.command(&format!("match bot.cpp greedy greedy greedy --turns 1 --replay r.json {PATIENT}"));
    command.env("CXX", place.path("compiler"));
    let ran = start(command, "").wait().succeeded();
    let replay = place.replay("r.json");
    assert_eq!(verdicts(&replay, 0), ["OK"], "{ran:?}");
    (backstage(&replay, 0)[0]["debug"].clone(), ran.stderr.contains("compiling bot.cpp"))
}

#[test]
fn cpp() {
    if has("g++", "a C++ bot plays a match") {
        let place = Place::new();
        place.write("bot.cpp", CPP);
        check_plays(&place, "bot.cpp");
    }
}

#[test]
fn cpp_is_told_that_it_is_online() {
    if has("g++", "a C++ bot is compiled for Botzone") {
        let place = Place::new();
        place.write(
            "bot.cpp",
            &format!("#ifndef _BOTZONE_ONLINE\n#error offline\n#endif\n#ifndef __OPTIMIZE__\n#error slow\n#endif\n{CPP}"),
        );
        check_plays(&place, "bot.cpp");
    }
}

#[test]
fn cpp_is_compiled_once_for_each_content() {
    if has("g++", "a C++ bot is compiled once") {
        let place = place_with_compiler();
        place.write("bot.cpp", &tells("1"));
        assert_eq!(compile_and_play(&place), (json!(1), true));
        assert_eq!(compile_and_play(&place), (json!(1), false));
        place.write("bot.cpp", &tells("2"));
        assert_eq!(compile_and_play(&place), (json!(2), true));
        place.write("bot.cpp", &tells("1"));
        assert_eq!(compile_and_play(&place), (json!(1), false));
    }
}

#[test]
fn cpp_is_compiled_again_when_a_file_that_it_includes_changes() {
    if has("g++", "a C++ bot of several files is compiled again") {
        let place = place_with_compiler();
        fs::create_dir(place.path("lib")).unwrap();
        place.write("bot.cpp", &format!("#include \"lib/word.h\"\n{}", tells("").replace(":}", ":\" WORD \"}")));
        place.write("lib/word.h", "# include \"deeper.h\"\n#include \"beside_the_source.h\"\n#define WORD DEEPER BESIDE\n");
        place.write("lib/deeper.h", "#define DEEPER \"1\"\n");
        place.write("beside_the_source.h", "#define BESIDE \"1\"\n");
        assert_eq!(compile_and_play(&place), (json!(11), true));
        place.write("lib/deeper.h", "#define DEEPER \"2\"\n");
        assert_eq!(compile_and_play(&place), (json!(21), true));
        place.write("beside_the_source.h", "#define BESIDE \"2\"\n");
        assert_eq!(compile_and_play(&place), (json!(22), true));
        assert_eq!(compile_and_play(&place), (json!(22), false));
    }
}

#[test]
fn cpp_is_compiled_again_when_a_line_moves_to_another_file() {
    if has("g++", "a C++ bot of two files is compiled again") {
        let place = place_with_compiler();
        let main = format!("#include \"word.h\"\n{}", tells("").replace(":}", ":\" WORD \"}"));
        let (line, header) = ("#define WORD \"2\"\n", "#ifndef WORD\n#define WORD \"1\"\n#endif\n");
        place.write("bot.cpp", &format!("{main}{line}"));
        place.write("word.h", header);
        assert_eq!(compile_and_play(&place), (json!(1), true));
        place.write("bot.cpp", &main);
        place.write("word.h", &format!("{line}{header}"));
        assert_eq!(compile_and_play(&place), (json!(2), true));
    }
}

#[test]
fn cpp_with_jsoncpp_under_each_of_its_names() {
    let what = "C++ bots with jsoncpp play a match";
    if !has("g++", what) || !has_jsoncpp(what) {
        return;
    }
    let place = Place::new();
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
    place.write("botzone.cpp", &bot.replace("HEADER", "\"jsoncpp/json.h\""));
    place.write("plain.cpp", &bot.replace("HEADER", "<json/json.h>"));
    place.write("by_a_header.cpp", &bot.replace("HEADER", "\"by_a_header.h\""));
    place.write("by_a_header.h", "#include <jsoncpp/json.h>\n");
    let replay = place.play(&format!("botzone.cpp plain.cpp by_a_header.cpp greedy --seed 3 --turns 1 {PATIENT}"));
    for seat in 0..3 {
        assert_eq!((verdicts(&replay, seat), &backstage(&replay, seat)[0]["debug"]), (vec!["OK"], &json!(1)));
    }
}

#[test]
fn cpp_with_the_wikis_spaces() {
    if has("g++", "a C++ source with non-breaking spaces plays a match") {
        let place = Place::new();
        place.write("bot.cpp", &CPP.replace("    ", "\u{a0}\u{a0} \u{a0}"));
        check_plays(&place, "bot.cpp");
    }
}

#[test]
fn cpp_that_does_not_compile() {
    if !has("g++", "a C++ bot that does not compile is refused") {
        return;
    }
    let place = Place::new();
    // With such a space it is compiled from a copy, which nobody wants to hear of.
    for source in ["int main() {\n    return nothing;\n}\n", "int main() {\n\u{a0}   return nothing;\n}\n"] {
        place.write("my bot.cpp", source);
        // What did not compile is not remembered: it is told again.
        for _ in 0..2 {
            let ran = place.run("match 'my bot.cpp' greedy greedy greedy");
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:#?}");
            for words in ["my bot.cpp does not compile:", "my bot.cpp:2:", "nothing"] {
                assert!(ran.stderr.contains(words), "\"{words}\" is not in: {}", ran.stderr);
            }
            let other_paths = ran.stderr.matches(".cpp").count() - ran.stderr.matches("my bot.cpp").count();
            assert_eq!(other_paths, 0, "{}", ran.stderr);
        }
    }
    assert_eq!(place.names(), ["cache", "my bot.cpp"]);
    assert_eq!(fs::read_dir(place.path("cache/pacman2")).unwrap().count(), 0, "half a program is left");
}

#[test]
fn cpp_without_a_compiler() {
    let place = Place::new();
    place.write("bot.cpp", CPP);
    let mut command = place.command("match bot.cpp greedy greedy greedy");
    command.env("CXX", "no-such-compiler");
    let ran = start(command, "").wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:#?}");
    assert!(ran.stderr.contains("bot.cpp: no C++ compiler: no-such-compiler was not found; install g++"), "{ran:#?}");
}

// Programs.

const SHELL: &str = r#"#!/bin/sh
read -r question
requests=$(printf '%s' "$question" | sed 's/.*"responses":\[//; s/\].*//' | grep -o action | wc -l)
echo "{\"response\":{\"action\":-1},\"debug\":$((requests + 1))}"
"#;

#[test]
fn an_executable() {
    let place = Place::new();
    place.write_executable("bot", SHELL);
    for typed in ["bot".to_owned(), "./bot".to_owned(), place.path("bot").display().to_string()] {
        check_plays(&place, &typed);
    }
}

#[test]
fn an_executable_with_arguments() {
    let place = Place::new();
    place.write_executable("bot", &SHELL.replace("read", "[ \"$1\" = --fast ] || exit 1\nread"));
    check_plays(&place, "./bot --fast");
}

#[test]
fn its_program_is_known_by_its_hash() {
    let place = Place::new();
    place.write_executable("bot", SHELL);
    place.write_executable("other", &format!("{SHELL}\n"));
    let replay = place.play(&format!("./bot ./bot ./other greedy --turns 1 {PATIENT}"));
    let hashes = [0, 1, 2].map(|seat| replay["public"]["seats"][seat]["program"].as_str().unwrap());
    assert_eq!((hashes[0].len(), hashes[0]), (64, hashes[1]));
    assert_ne!(hashes[0], hashes[2]);
}

#[test]
fn a_file_is_known_by_its_own_hash_however_it_is_run() {
    if has("g++", "a C++ bot is known by its source's hash") {
        let place = Place::new();
        place.write("bot.cpp", CPP);
        place.write("bot.sh", SHELL);
        let replay = place.play(&format!("bot.cpp \"/bin/sh bot.sh\" \"sh bot.sh\" greedy --turns 1 {PATIENT}"));
        let hash = |text: &str| Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let told = [0, 1, 2].map(|seat| replay["public"]["seats"][seat]["program"].as_str().unwrap().to_owned());
        assert_eq!(told, [hash(CPP), hash(SHELL), hash(SHELL)]);
    }
}

/// A slower language is given more time. What a command line's language is, its first word tells.
#[test]
fn time_limits_are_multiplied() {
    let place = Place::new();
    let slow = r#"#!/bin/sh
        read -r question
        sleep 2.3
        echo '{"response":{"action":-1}}'
    "#;
    for name in ["python3", "node", "java", "plain"] {
        place.write_executable(name, slow);
    }
    let replay = place.play("'./python3 x' './node x' './java x' './plain x' --turns 1 --time-limit 2000");
    assert_eq!(turns(&replay)[0]["verdicts"], json!(["OK", "OK", "OK", "TLE"]));
}
