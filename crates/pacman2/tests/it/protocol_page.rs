//! The bots of docs/PROTOCOL.md play as they are printed there.

use crate::common::{TestDir, has, has_jsoncpp, turns, verdicts};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

const PAGES: [&str; 2] = [include_str!("../../../../docs/PROTOCOL.md"), include_str!("../../../../docs/PROTOCOL.zh.md")];

/// Returns the code block of the page in this language. It is the same on both pages.
#[track_caller]
fn block(language: &str) -> String {
    let [english, chinese] = PAGES.map(|page| {
        let is_start =
            |event: &Event| matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if **info == *language);
        let mut events = Parser::new(page).skip_while(|event| !is_start(event)).skip(1);
        let Some(Event::Text(text)) = events.next() else { panic!("expected a code block in {language}, got none") };
        text.into_string()
    });
    assert_eq!(english, chinese, "expected the same code in both languages");
    english
}

/// Plays three turns with a bot: it must walk in the first and be correct in all.
#[track_caller]
fn check_walks(dir: &TestDir, bot: &str) {
    let replay = dir.play(&format!("{bot} random random random --seed 3 --turns 3 --time-limit 60000 --memory-limit 1024"));
    assert_eq!(verdicts(&replay, 0), ["OK"; 3], "{}", replay["private"]);
    let action = &turns(&replay)[0]["actions"][0];
    assert!((0..4).contains(&action.as_i64().unwrap_or(-1)), "expected a move, got {action}");
}

#[test]
fn cpp() {
    let what = "the C++ bot of docs/PROTOCOL.md plays a match";
    if has("g++", what) && has_jsoncpp(what) {
        let dir = TestDir::new();
        dir.write("bot.cpp", &block("cpp"));
        check_walks(&dir, "bot.cpp");
    }
}

#[test]
fn python() {
    if has("python3", "the Python bot of docs/PROTOCOL.md plays a match") {
        let dir = TestDir::new();
        dir.write("bot.py", &block("python"));
        check_walks(&dir, "bot.py");
    }
}

#[test]
fn javascript() {
    if has("node", "the JavaScript bot of docs/PROTOCOL.md plays a match") {
        let dir = TestDir::new();
        dir.write("bot.js", &block("js"));
        check_walks(&dir, "bot.js");
    }
}

#[test]
fn java() {
    let what = "the Java bot of docs/PROTOCOL.md plays a match";
    if ["javac", "java"].into_iter().all(|program| has(program, what)) {
        let dir = TestDir::new();
        dir.write("bot.java", &block("java"));
        check_walks(&dir, "bot.java");
    }
}
