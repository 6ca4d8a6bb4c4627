//! Faulty bots, and what is said of each of them in both languages: the table of `diagnosis/bots.txt`.
//!
//! A row begins with `=== CODE: BOT`, followed by the two sentences, in which `*` stands for any text, and the source of the bot. Rows
//! with the code `program` are sources of several bots.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use pacman2_botzone::problem::Problem;
use pacman2_botzone::words::Locale;
use serde_json::from_value;

use crate::common::{FIELD, TestDir, diagnostics, has, has_sandbox, init_data, report_skipped};

/// How many bots are tried at the same time.
const AT_ONCE: usize = 4;
/// Enough time for everything that ends by itself, on the busiest machine.
const PATIENT: &str = "--time-limit 60000";

struct Row {
    code: &'static str,
    bot: &'static str,
    is_slow: bool,
    sentences: [&'static str; 2],
    source: &'static str,
}

/// Returns the rows of the table.
fn rows() -> Vec<Row> {
    let table = include_str!("diagnosis/bots.txt");
    let read = |row: &'static str| {
        let (head, mut source) = row.split_once('\n').expect("a row has lines");
        let (code, bot) = head.split_once(": ").expect("a row begins with a code and a bot");
        let sentences = ["en: ", "zh: "].map(|language| {
            let Some(text) = source.strip_prefix(language) else { return "" };
            let (sentence, rest) = text.split_once('\n').expect("a sentence is a line");
            source = rest;
            sentence
        });
        let is_slow = code.ends_with(", 300 ms");
        Row { code: code.trim_end_matches(", 300 ms"), bot, is_slow, sentences, source }
    };
    table.split("=== ").skip(1).map(read).collect()
}

impl Row {
    /// Returns whether this machine can run the bot.
    fn can_run(&self) -> bool {
        let program = match self.bot.rsplit(['.', ' ']).next().unwrap_or_default() {
            "py" => "python3",
            "js" | "mjs" => "node",
            "sh" => return true,
            _ if self.bot.starts_with("java") || self.bot.ends_with(".java") => "javac",
            _ => "g++",
        };
        if ["cause-no-network", "cause-read-only", "cause-refused-call"].contains(&self.code) && !has_sandbox() {
            report_skipped(self.bot, "sandbox");
            return false;
        }
        has(program, self.bot)
    }

    /// Plays a match with the bot. Returns what was wrong.
    fn problem(&self, dir: &TestDir, number: usize) -> Problem {
        let mut bot = self.bot.to_owned();
        if !self.source.is_empty() {
            fs::create_dir(dir.path(&number.to_string())).unwrap();
            dir.write(&format!("{number}/{bot}"), self.source);
            bot = format!("{number}/{bot}");
        }
        let shell = if bot.ends_with(".sh") { "sh " } else { "" };
        let limit = if self.is_slow { "--time-limit 300" } else { PATIENT };
        let options = format!("--map map.json --turns 3 --replay {number}.json {limit}");
        let result = dir.run(&format!("match '{shell}{bot}' greedy greedy greedy {options}"));
        if let Some(header) = self.source.split(['<', '"']).nth(1).filter(|_| self.bot.ends_with(".cpp")) {
            let problem = Problem::new(self.code).with("name", header.split('>').next().unwrap());
            let said = problem.explanation(Locale::English).unwrap().to_string();
            assert!(result.stderr.contains(&said), "{}: {result:?}", self.bot);
            return problem;
        }
        result.succeeded();
        let replay = dir.replay(&format!("{number}.json"));
        let mut problems: Vec<Problem> =
            diagnostics(&replay, 0).into_iter().filter_map(|turn| from_value(turn.get("problem")?.clone()).ok()).collect();
        // A warning may have come before.
        problems.sort_by_key(|problem| problem.code.starts_with("cause-"));
        problems.into_iter().next().unwrap_or_else(|| panic!("{}: nothing is said of it", self.bot))
    }

    /// Returns what differs from what is expected to be said.
    fn difference(&self, problem: &Problem) -> Option<String> {
        let cause = problem.params.get("cause").map_or(problem.code.as_str(), |cause| cause["code"].as_str().unwrap());
        let said = [Locale::English, Locale::Chinese].map(|locale| {
            let explanation = problem.explanation(locale).expect("its code has words");
            explanation.lines().take(1 + usize::from(explanation.line.is_some())).collect::<Vec<_>>().join(" | ")
        });
        let is_right = cause == self.code && said.iter().zip(self.sentences).all(|(said, expected)| is_like(said, expected));
        (!is_right).then(|| format!("=== {cause}: {}\nen: {}\nzh: {}\n", self.bot, said[0], said[1]))
    }
}

/// Returns whether a text is the expected one, in which `*` stands for any text.
fn is_like(text: &str, expected: &str) -> bool {
    let mut parts = expected.split('*');
    let Some(mut rest) = parts.next().and_then(|begin| text.strip_prefix(begin)) else { return false };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = if part.is_empty() { "" } else { after };
    }
    rest.is_empty()
}

#[test]
fn each_faulty_bot_is_explained() {
    let (programs, rows): (Vec<Row>, Vec<Row>) = rows().into_iter().filter(Row::can_run).partition(|row| row.code == "program");
    let dir = TestDir::new();
    dir.write("map.json", &init_data(FIELD).to_string());
    for program in programs {
        dir.write(program.bot, program.source);
        let build = match program.bot {
            "faults.cpp" => "g++ -o faults faults.cpp",
            _ => "javac -d classes Faults.java && jar --create --file Faults.jar --main-class Faults -C classes .",
        };
        let status = Command::new("sh").args(["-c", build]).current_dir(dir.path(".")).stdout(Stdio::null()).status();
        assert!(status.unwrap().success(), "{build}");
    }
    let left = Mutex::new(rows.iter().enumerate());
    let differences = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((number, row)) = { left.lock().unwrap().next() } {
                    let difference = row.difference(&row.problem(&dir, number));
                    differences.lock().unwrap().extend(difference);
                }
            });
        }
    });
    let differences = differences.into_inner().unwrap();
    assert!(differences.is_empty(), "expected other rows:\n{}", differences.concat());
}
