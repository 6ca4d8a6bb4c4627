//! The committed engine of the page against this crate, answer by answer. Node.js runs it.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::prelude::{BASE64_STANDARD, Engine};
use pacman2_timeline::animation::Animation;
use pacman2_timeline::timelines::Timelines;
use serde_json::{Value, json};

/// The module, called as the page calls it.
struct Page {
    node: Child,
    calls: Option<ChildStdin>,
    results: BufReader<ChildStdout>,
}

impl Page {
    /// Starts the engine, or says that it is not tested for want of Node.js.
    fn start() -> Option<Page> {
        let mut command = Command::new("node");
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        command.arg(here.join("tests/it/engine.mjs")).arg(here.join("../web/viewer/timeline.wasm.gz"));
        let Ok(mut node) = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
            // Past the test runner, which captures the output of tests that pass.
            let _ = writeln!(io::stderr(), "not run: the committed engine of the page (this machine lacks node)");
            return None;
        };
        let (calls, results) = (node.stdin.take(), BufReader::new(node.stdout.take().unwrap()));
        Some(Page { node, calls, results })
    }

    /// Calls a function of the module with an array of bytes, if any, and numbers. Returns the bytes of the result.
    fn call(&mut self, name: &str, bytes: Option<&[u8]>, numbers: &[usize]) -> Vec<u8> {
        let bytes = bytes.map(|bytes| BASE64_STANDARD.encode(bytes));
        writeln!(self.calls.as_ref().unwrap(), "{}", json!({ "name": name, "bytes": bytes, "numbers": numbers })).unwrap();
        let mut line = String::new();
        self.results.read_line(&mut line).unwrap();
        BASE64_STANDARD.decode(line.strip_suffix('\n').expect("Node.js answers each call")).unwrap()
    }

    fn ask(&mut self, query: &str) -> String {
        String::from_utf8(self.call("ask", Some(query.as_bytes()), &[])).unwrap()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Node.js exits at the end of its input.
        self.calls = None;
        let _ = self.node.wait();
    }
}

#[test]
fn the_engine_in_the_page_answers_as_this_crate_does() {
    let Some(mut page) = Page::start() else { return };
    let mut native = Timelines::default();
    let mut ask = |query: Value| {
        let query = query.to_string();
        let answer = native.ask(&query);
        assert_eq!(page.ask(&query), answer, "{query:.300}");
        serde_json::from_str::<Value>(&answer).unwrap()
    };
    for seed in [1, 42, 20_000] {
        let timeline = ask(json!({ "op": "map", "seed": seed, "width": null, "height": null }))["ok"]["head"]["timeline"].clone();
        for turn in 0..100 {
            let legal = ask(json!({ "op": "inspect", "timeline": timeline, "turn": turn }))["ok"]["legal"].clone();
            if legal == json!([[], [], [], []]) {
                break;
            }
            let bots = ["greedy", "random", "random", if turn < 2 { "sample" } else { "greedy" }];
            let decide = |seat: usize| json!({ "op": "decide", "timeline": timeline, "bot": bots[seat], "seat": seat });
            let actions = [0, 1, 2, 3].map(|seat| ask(decide(seat))["ok"].clone());
            ask(json!({ "op": "play", "timeline": timeline, "actions": actions }));
        }
        let replay = ask(json!({ "op": "save", "timeline": timeline }))["ok"].clone();
        let boxed = replay.as_str().unwrap().replacen("\"private\":{", "\"private\":{\"sandbox\":[\"A\",\"B\",\"C\",null],", 1);
        let opened = ask(json!({ "op": "open", "text": boxed }));
        assert_eq!(opened["ok"]["head"]["seats"][2]["tier"], "C");
        assert_eq!(ask(json!({ "op": "save", "timeline": opened["ok"]["head"]["timeline"] }))["ok"], boxed);
        assert!(opened["ok"]["frames"].as_array().unwrap().len() > 20);
        let link = ask(json!({ "op": "link", "timeline": timeline }))["ok"].as_str().unwrap().to_owned();
        let linked = ask(json!({ "op": "open", "text": format!("#g={link}") }));
        assert_eq!(linked["ok"]["head"]["source"], "link");
        ask(json!({ "op": "open", "text": format!("#g={}", &link[..50]) }));
        ask(json!({ "op": "qr", "text": link }));
        ask(json!({ "op": "close", "timeline": opened["ok"]["head"]["timeline"] }));
        for form in ["init", "picture", "request", "input"] {
            ask(json!({ "op": "text", "timeline": timeline, "turn": 12, "as": form, "seat": 0 }));
        }
    }
    for broken in ["", "{", "[1e999]", r#"{"log": [{"output": {"display": {"seed": 7}}}, {}]}"#, r#"{"seed": "x"}"#] {
        ask(json!({ "op": "open", "text": broken }));
    }
}

#[test]
fn the_engine_in_the_page_animates_as_this_crate_does() {
    let picture = |shift: usize| {
        (0..20 * 10).flat_map(|at| [(at * 7 + shift) as u8, (at / 20 * 20) as u8, shift as u8, 255]).collect::<Vec<u8>>()
    };
    let Some(mut page) = Page::start() else { return };
    let mut native = Animation::new(20, 10);
    page.call("gif", None, &[20, 10]);
    page.call("gif_learn", Some(&picture(7)), &[]);
    native.add_colours(&picture(7));
    for shift in [0, 3, 40] {
        page.call("gif_add", Some(&picture(shift)), &[25]);
        native.add_frame(&picture(shift), 25).unwrap();
    }
    assert_eq!(page.call("gif_end", None, &[]), native.finish().unwrap());
}
