//! The committed engine of the page against this crate, answer by answer.

use std::io::Read;

use pacman2_timeline::animation::Animation;
use pacman2_timeline::timelines::Timelines;
use serde_json::{Value, json};
use wasmi::{Engine, Instance, Linker, Memory, Module, Store, TypedFunc};

const PACKED: &[u8] = include_bytes!("../../../web/viewer/timeline.wasm.gz");

/// The module, called as the page calls it.
struct Page {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Page {
    fn new() -> Page {
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(PACKED).read_to_end(&mut bytes).unwrap();
        let engine = Engine::default();
        let module = Module::new(&engine, &bytes).unwrap();
        assert_eq!(module.imports().count(), 0, "the engine imports nothing");
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module).unwrap();
        let memory = instance.get_memory(&store, "memory").unwrap();
        Page { store, instance, memory }
    }

    fn call<P: wasmi::WasmParams, R: wasmi::WasmResults>(&mut self, name: &str, parameters: P) -> R {
        let function: TypedFunc<P, R> = self.instance.get_typed_func(&self.store, name).unwrap();
        function.call(&mut self.store, parameters).unwrap()
    }

    fn put(&mut self, bytes: &[u8]) -> (u32, u32) {
        let start: u32 = self.call("room", bytes.len() as u32);
        self.memory.write(&mut self.store, start as usize, bytes).unwrap();
        (start, bytes.len() as u32)
    }

    fn result(&mut self, start: u32) -> Vec<u8> {
        let length: u32 = self.call("length", ());
        let mut bytes = vec![0; length as usize];
        self.memory.read(&self.store, start as usize, &mut bytes).unwrap();
        bytes
    }

    fn ask(&mut self, query: &str) -> String {
        let bytes = self.put(query.as_bytes());
        let start = self.call("ask", bytes);
        String::from_utf8(self.result(start)).unwrap()
    }
}

#[test]
fn the_engine_in_the_page_answers_as_this_crate_does() {
    let (mut page, mut native) = (Page::new(), Timelines::default());
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
    let (mut page, mut native) = (Page::new(), Animation::new(20, 10));
    page.call::<_, ()>("gif", (20u32, 10u32));
    let picture_bytes = page.put(&picture(7));
    page.call::<_, ()>("gif_learn", picture_bytes);
    native.add_colours(&picture(7));
    for shift in [0, 3, 40] {
        let (start, length) = page.put(&picture(shift));
        page.call::<_, ()>("gif_add", (start, length, 25u32));
        native.add_frame(&picture(shift), 25).unwrap();
    }
    let start = page.call("gif_end", ());
    assert_eq!(page.result(start), native.finish().unwrap());
}
