//! The program in Chinese: help, results, notes and errors.

use crate::common::{RunResult, TestDir};

/// Runs the program in Chinese.
#[track_caller]
fn run(dir: &TestDir, line: &str) -> RunResult {
    dir.run(&format!("{line} --language zh"))
}

/// Returns the lines with English sentences: three words in lower case that follow each other. Commands have fewer.
fn english(text: &str) -> Vec<&str> {
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let has_sentence = |line: &&str| {
        let words: Vec<_> = line.split([' ', ',']).collect();
        let is_command = line.trim_start().starts_with("pacman2 ") || line.starts_with('{');
        !is_command && words.windows(3).any(|words| words.iter().all(|word| is_word(word)))
    };
    text.lines().filter(has_sentence).collect()
}

#[test]
fn help_is_chinese() {
    let dir = TestDir::new();
    let verbs = [
        "",
        "play",
        "open",
        "new",
        "check",
        "bundle",
        "export",
        "serve",
        "map",
        "replay",
        "replay show",
        "analyse",
        "rerun",
        "botzone",
        "botzone play",
        "arena",
        "arena compare",
        "arena tournament",
        "train",
        "doctor",
        "judge",
        "bot",
        "simulate",
        "bench",
        "man",
    ];
    for verb in verbs {
        for help in ["-h", "--help"] {
            let text = run(&dir, &format!("{verb} {help}")).succeeded().stdout;
            assert!(text.contains("用法：pacman2"), "{text}");
            // The names of built-in bots are no sentence.
            let left: Vec<_> = english(&text)
                .into_iter()
                .filter(|line| !["random, sample, greedy", "greedy greedy random"].iter().any(|bots| line.contains(bots)))
                .collect();
            assert!(left.is_empty(), "{verb} {help}:\n{}", left.join("\n"));
        }
    }
}

#[test]
fn the_language_is_that_of_the_system_unless_it_is_chosen() {
    let dir = TestDir::new();
    for (variables, options, is_chinese) in [
        (&[("LANG", "zh_CN.UTF-8")][..], "", true),
        (&[("LANG", "en_US.UTF-8"), ("LC_ALL", "zh_TW")], "", true),
        (&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")], "", false),
        (&[("LANG", "zh_CN.UTF-8"), ("LC_MESSAGES", "en_US.UTF-8")], "", false),
        (&[("LANG", "zh_CN.UTF-8")], " --language=en", false),
        (&[], " --language zh", true),
        (&[], "", false),
    ] {
        let output = dir.command(&format!("map --seed 1{options}")).envs(variables.iter().copied()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(if is_chinese { "回合 0/100" } else { "turn 0/100" }), "{variables:?}{options}: {text}");
    }
    run(&dir, "map --seed 1 --language fr").misused(&["--language"]);
}

#[test]
fn results_notes_and_errors_are_chinese() {
    let dir = TestDir::new();
    dir.write("bad.py", "import json\ninput()\nprint(json.dumps({}['x']))\n");
    dir.write("empty.py", "input()\n");
    dir.write("bad.cpp", "int main() { return x; }\n");
    dir.write("bad.json", "{\"version\": 1");
    for (line, expected) in [
        ("play greedy greedy random random --seed 3", "座位  Bot"),
        ("play greedy greedy random random --games 8", "号座位上的 greedy 在"),
        ("check bad.py", "（第一回合，11 列，重新启动，以及同类 11 处）"),
        ("check empty.py", "例如 {\"response\": {\"action\": 0}}。"),
        ("play bad.py greedy greedy random", "退出码为 1：KeyError"),
        ("play gredy greedy greedy random", "你要的是 greedy 吗"),
        ("play nofile.py", "没有这个文件"),
        ("play greedy greedy", "应为四个 Bot"),
        ("check bad.cpp", "编译失败"),
        ("replay verify replays/last.json", "都符合规则"),
        ("replay show bad.json", "对局的文本被截断"),
        ("replay show none.json", "没有这个文件或文件夹"),
        ("analyse replays/last.json --simulations 20", "回合"),
        ("rerun replays/last.json greedy --seat 3", "问题"),
        ("map --seed x", "应为从"),
        ("paly greedy", "没有命令“paly”"),
        ("arena bots", "没有命令“bots”"),
        ("docs paly", "botzone, bots, training"),
        ("judge", "值没有结束"),
        ("doctor", "级"),
        ("arena init", "建立竞技场"),
        ("arena add greedy random", "已加入 greedy@1"),
        ("arena run --maps 1", "已完成"),
        ("arena table", "等级分"),
        ("arena compare greedy random --most-blocks 2", "三个"),
        ("arena games", "种子"),
        ("bench --seconds 0.1", "给定动作的一个回合"),
        ("new mybot --lang python", "已建立 mybot"),
    ] {
        let RunResult { stdout, stderr, .. } = run(&dir, line);
        let text = stdout + &stderr;
        assert!(text.contains(expected), "{line}: expected {expected} in\n{text}");
        // What a compiler says stays as it is.
        let left: Vec<_> = english(&text).into_iter().filter(|line| !line.starts_with("bad.cpp:")).collect();
        assert!(left.is_empty(), "{line}:\n{}", left.join("\n"));
    }
}

#[test]
fn output_for_programs_is_the_same_in_both_languages() {
    let dir = TestDir::new();
    dir.run("play greedy greedy random random --seed 3 --replay played.json").succeeded();
    for line in ["map --seed 1 --json", "replay verify played.json --json", "replay convert played.json -", "completions bash"] {
        let [english, chinese] = [dir.run(line), run(&dir, line)].map(|result| result.succeeded().stdout);
        assert_eq!(english, chinese, "{line}");
    }
}
