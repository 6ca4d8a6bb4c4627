//! Files that a page opens: replays, match logs and init data. Whatever opens can be shown, saved and opened again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pacman2_timeline::timelines::Timelines;
use serde_json::{Value, json};

fuzz_target!(|text: &str| {
    let mut timelines = Timelines::default();
    let mut ask =
        |query: Value| -> Value { serde_json::from_str(&timelines.ask(&query.to_string())).expect("an answer is JSON") };
    let opened = ask(json!({ "op": "open", "text": text }));
    let Some(frames) = opened["ok"]["frames"].as_array() else {
        assert!(opened["error"].as_str().is_some_and(|reason| !reason.is_empty()));
        return;
    };
    let last = frames.len() - 1;
    for turn in [0, last / 2, last] {
        assert!(ask(json!({ "op": "inspect", "timeline": 0, "turn": turn }))["ok"].is_object());
        for form in ["init", "picture"] {
            assert!(ask(json!({ "op": "text", "timeline": 0, "turn": turn, "as": form, "seat": 0 }))["ok"].is_string());
        }
        ask(json!({ "op": "text", "timeline": 0, "turn": turn, "as": "input", "seat": 3 }));
    }
    let saved = ask(json!({ "op": "save", "timeline": 0 }));
    let again = ask(json!({ "op": "open", "text": saved["ok"] }));
    assert_eq!(again["ok"]["frames"].as_array().map(Vec::len), Some(last + 1));
    assert_eq!(again["ok"]["head"]["complaint"], Value::Null);
});
