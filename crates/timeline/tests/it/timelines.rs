//! Timelines against the rules, the queries of a page, and files that cannot be opened.

use std::io::Cursor;

use pacman2_maps::MapSize;
use pacman2_rules::{BySeat, Seat};
use pacman2_timeline::animation::Animation;
use pacman2_timeline::qr_code::QrPicture;
use pacman2_timeline::timelines::Timelines;
use pacman2_timeline::{TextForm, Timeline, TimelineSource};
use serde_json::{Value, json};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Plays a whole game of built-in bots, with an illegal action on some seeds.
fn played(seed: i32) -> Timeline {
    let mut timeline = Timeline::generate(seed, MapSize::default()).unwrap();
    while let Ok(frame) = timeline.frame(timeline.turns()) {
        if frame["over"] == true {
            break;
        }
        let bot = |seat: Seat| ["greedy", "random", "random", "greedy"][seat.index()];
        let blunders = |seat: Seat| timeline.turns() == 30 && seat.index() as i32 == seed % 7;
        timeline
            .play(BySeat::from_fn(|seat| {
                if blunders(seat) {
                    Some(99)
                } else {
                    timeline.decide(bot(seat), seat).ok().map(pacman2_botzone::action::to_number)
                }
            }))
            .unwrap();
    }
    timeline
}

fn frames(timeline: &Timeline) -> Vec<Value> {
    (0..=timeline.turns()).map(|turn| timeline.frame(turn).unwrap()).collect()
}

/// Returns the strength that a seat gained by the events of a turn.
fn gained(events: &Value, seat: usize) -> i64 {
    let is = |value: &Value| *value == seat;
    let among = |value: &Value| value.as_array().unwrap().iter().any(is);
    let mut sum = 0;
    for event in events.as_array().unwrap() {
        let number = |key: &str| event[key].as_i64().unwrap();
        match event["event"].as_str().unwrap() {
            "fought" if among(&event["winners"]) => sum += number("share"),
            "hit" if is(&event["shooter"]) => sum += number("gained"),
            "hit" if is(&event["victim"]) => sum -= number("lost"),
            "fired" if is(&event["seat"]) => sum -= number("cost"),
            "looted" | "died" | "boost-ended" if is(&event["seat"]) => sum -= number("lost"),
            "ate" | "settled" if is(&event["seat"]) => sum += number("gained"),
            "inherited" if is(&event["seat"]) => sum += number("fruits"),
            _ => {}
        }
    }
    sum
}

#[test]
fn events_account_for_every_change_of_strength() {
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..40 {
        for pair in frames(&played(seed)).windows(2) {
            for event in pair[1]["events"].as_array().unwrap() {
                kinds.insert(event["event"].as_str().unwrap().to_owned());
            }
            for seat in 0..4 {
                let strength = |frame: &Value| frame["players"][seat]["strength"].as_i64().unwrap();
                let change = strength(&pair[1]) - strength(&pair[0]);
                assert_eq!(gained(&pair[1]["events"], seat), change, "seed {seed}, seat {seat}: {}", pair[1]);
                assert_eq!(pair[1]["delta"][seat], change, "the default cost of light is even");
            }
        }
    }
    for kind in ["frightened", "moved", "fought", "fired", "hit", "died", "spawned", "ate", "boost-ended"] {
        assert!(kinds.contains(kind), "no game had an event {kind}");
    }
}

#[test]
fn a_light_is_drawn_where_the_rules_have_it() {
    let timeline = played(3);
    let maze = &timeline.map().maze;
    for turn in 0..timeline.turns() {
        for light in timeline.inspect(turn).unwrap()["lights"].as_array().unwrap() {
            let seat = Seat::new(light["seat"].as_u64().unwrap() as usize).unwrap();
            let direction =
                pacman2_rules::Direction::ALL.into_iter().find(|d| light["direction"] == d.to_string().as_str()).unwrap();
            let from = timeline.state(turn).unwrap().cells[seat];
            let mut drawn: Vec<u64> = light["ray"].as_array().unwrap().iter().map(|cell| cell.as_u64().unwrap()).collect();
            drawn.sort_unstable();
            let way: Vec<u64> = maze.ray(from, direction).iter().map(|cell| cell.index() as u64).collect();
            assert_eq!(drawn, way);
        }
    }
}

#[test]
fn a_saved_timeline_opens_as_it_was() {
    let timeline = played(5);
    let again = Timeline::open(&timeline.to_replay().write()).unwrap();
    assert_eq!(again.source, TimelineSource::Replay);
    assert_eq!(frames(&again), frames(&timeline));
    assert_eq!(again.head()["complaint"], Value::Null);
}

#[test]
fn the_head_has_the_sandbox_of_each_bot() {
    let timeline = played(5);
    let tiers = |timeline: &Timeline| json!([0, 1, 2, 3].map(|seat| timeline.head()["seats"][seat]["tier"].clone()));
    assert_eq!(tiers(&timeline), json!([null, null, null, null]));
    let mut replay: Value = serde_json::from_str(&timeline.to_replay().write()).unwrap();
    replay["private"]["sandbox"] = json!(["A", null, "C", "B"]);
    let sandboxed = Timeline::open(&replay.to_string()).unwrap();
    assert_eq!(tiers(&sandboxed), replay["private"]["sandbox"]);
    assert_eq!(tiers(&Timeline::open(&sandboxed.to_replay().write()).unwrap()), replay["private"]["sandbox"], "it is saved, too");
    let branch = sandboxed.branch(3, BySeat(NAMES.map(str::to_owned))).unwrap();
    assert_eq!(tiers(&branch), tiers(&timeline), "the players of a branch are no processes");
}

#[test]
fn a_match_log_opens_with_the_same_frames() {
    let timeline = played(11);
    let log = timeline.to_replay().to_match_log().unwrap().write().to_string();
    let again = Timeline::open(&log).unwrap();
    assert_eq!(again.source, TimelineSource::MatchLog);
    for (ours, drawn) in frames(&timeline).iter().zip(frames(&again)) {
        assert_eq!((&ours["players"], &ours["events"]), (&drawn["players"], &drawn["events"]));
    }
}

#[test]
fn a_false_replay_opens_up_to_the_first_difference() {
    let mut replay: Value = serde_json::from_str(&played(2).to_replay().write()).unwrap();
    replay["public"]["turns"][20]["position"] = "0123456789abcdef".into();
    let timeline = Timeline::open(&replay.to_string()).unwrap();
    assert_eq!(timeline.turns(), 20);
    let complaint = timeline.head()["complaint"].as_str().unwrap().to_owned();
    assert!(complaint.starts_with("turn 21 differs: the position is"), "{complaint}");
}

#[test]
fn a_branch_leaves_its_timeline_unchanged() {
    let timeline = played(4);
    let before = frames(&timeline);
    let mut branch = timeline.branch(10, BySeat(NAMES.map(str::to_owned))).unwrap();
    assert_eq!(frames(&branch), before[..=10]);
    branch.play(BySeat([Some(-1); 4])).unwrap();
    assert_eq!((branch.turns(), branch.source), (11, TimelineSource::WhatIf));
    assert_eq!(frames(&timeline), before);
    assert_eq!(
        timeline.branch(1000, BySeat(NAMES.map(str::to_owned))).unwrap_err().to_string(),
        format!("no turn 1000: the match has turns 0 to {}", timeline.turns())
    );
}

#[test]
fn a_position_can_be_written_in_every_form() {
    let timeline = played(6);
    let seat = Seat::ALL[1];
    let text = |turn, form| timeline.position_text(turn, form, seat);
    let init = text(7, TextForm::Init).unwrap();
    let opened = Timeline::open(&init).unwrap();
    assert_eq!(opened.state(0).unwrap().cells, timeline.state(7).unwrap().cells);
    let (_, drawn) = pacman2_rules::picture::read(&text(7, TextForm::Picture).unwrap()).unwrap();
    assert_eq!(drawn, *timeline.state(7).unwrap());
    let input: Value = serde_json::from_str(&text(7, TextForm::Input).unwrap()).unwrap();
    assert_eq!((input["requests"].as_array().unwrap().len(), input["responses"].as_array().unwrap().len()), (8, 7));
    assert_eq!(input["requests"][7].to_string(), text(7, TextForm::Request).unwrap());
    assert_eq!(input["requests"][0]["id"], 1);
    let end = timeline.turns();
    assert_eq!(text(end, TextForm::Request).unwrap_err().to_string(), format!("player 1 receives no request after turn {end}"));
    assert_eq!(
        text(end + 1, TextForm::Init).unwrap_err().to_string(),
        format!("no turn {}: the match has turns 0 to {end}", end + 1)
    );
}

#[test]
fn an_input_can_be_given_to_a_bot_again() {
    let timeline = played(8);
    let seat = Seat::ALL[0];
    let input = timeline.position_text(9, TextForm::Input, seat).unwrap() + "\n";
    let mut output = Vec::new();
    let options = pacman2_botzone::bot::RunOptions::default();
    pacman2_botzone::bot::run(Cursor::new(input), &mut output, options, |view| {
        assert_eq!(*view.game.state(), *timeline.state(9).unwrap());
        pacman2_botzone::bot::BotReply::default()
    })
    .unwrap();
    assert!(!output.is_empty());
}

#[test]
fn a_timeline_is_read_back_from_its_link() {
    for seed in [3, 5, 6] {
        let timeline = played(seed);
        let link = timeline.to_link().unwrap();
        for address in [format!("#g={link}"), format!("\n https://example.org/x/#turn=7&g={link} \n"), format!("g={link}&turn=3")]
        {
            let opened = Timeline::open(&address).unwrap();
            assert_eq!(opened.source, TimelineSource::Link);
            assert_eq!(frames(&opened), frames(&timeline), "{address}");
        }
        let branch = timeline.branch(9, BySeat(NAMES.map(str::to_owned))).unwrap();
        let opened = Timeline::open(&format!("#g={}", branch.to_link().unwrap())).unwrap();
        assert_eq!(frames(&opened), frames(&branch), "a game that is not over");
        let map =
            Timeline::open(&format!("#g={}", timeline.branch(0, BySeat(NAMES.map(str::to_owned))).unwrap().to_link().unwrap()));
        assert_eq!(map.unwrap().source, TimelineSource::Map, "a game without turns");
    }
}

#[test]
fn a_text_in_a_replay_is_no_link() {
    let timeline = played(3);
    let replay = timeline.to_replay().write().replacen("player 0", "x#g=2&y", 1);
    assert_eq!(Timeline::open(&replay).unwrap().source, TimelineSource::Replay);
}

#[test]
fn a_damaged_link_is_described_for_the_page() {
    let mut timelines = Timelines::default();
    let mut open = |text: &str| -> Value {
        serde_json::from_str(&timelines.ask(&json!({ "op": "open", "text": text }).to_string())).unwrap()
    };
    let link = format!("#g={}", played(3).to_link().unwrap());
    assert!(open(&link)["ok"].is_object());
    let cut = open(&link[..40]);
    assert!(cut["error"].as_str().unwrap().starts_with("the link is cut off: "), "{cut}");
    assert_eq!((&cut["problem"]["code"], &cut["problem"]["params"]["got"]), (&json!("link-cut-off"), &json!(27)));
    for (text, code, params) in [
        ("#g=", "link-no-game", json!({})),
        ("#g=1abc", "link-version", json!({ "got": "1" })),
        ("#g=2a*", "link-character", json!({ "position": 3, "got": "*" })),
        ("#g=2AAAAAAA", "link-checksum", json!({})),
        ("#g=2AAAAAAAA", "link-trailing", json!({ "expected": 5, "got": 6 })),
    ] {
        assert_eq!(open(text)["problem"], json!({ "code": code, "params": params }), "{text}");
    }
}

#[test]
fn errors_of_files_have_codes() {
    let mut timelines = Timelines::default();
    let mut open = |text: &str| -> Value {
        serde_json::from_str::<Value>(&timelines.ask(&json!({ "op": "open", "text": text }).to_string())).unwrap()["problem"]
            .take()
    };
    let replay = played(3).to_replay().write();
    let turns: Value = serde_json::from_str(&replay).unwrap();
    let damaged = |pointer: &str, value: Value| {
        let mut replay = turns.clone();
        *replay.pointer_mut(pointer).unwrap() = value;
        replay.to_string()
    };
    for (text, code, params) in [
        ("hello".to_owned(), "json-syntax", json!({ "line": 1, "column": 1 })),
        ("{".to_owned(), "json-cut-off", json!({ "line": 1, "column": 1 })),
        ("[]".to_owned(), "unknown-format", json!({})),
        (damaged("/version", json!(99)), "replay-version", json!({ "expected": 1, "got": "99" })),
        (
            damaged("/public/turns/1/actions", json!([0])),
            "value",
            json!({ "path": "public.turns[1].actions", "expected": "four", "got": "list", "items": 1 }),
        ),
    ] {
        let problem = open(&text);
        assert_eq!((&problem["code"], &problem["params"]), (&json!(code), &params));
    }
    let map = open(r#"{"width": 99}"#);
    let cause = json!({ "code": "map-number", "params": { "name": "width", "min": 6, "max": 11, "got": 99 } });
    assert_eq!(map, json!({ "code": "map", "params": { "causes": [cause] } }));
}

/// Draws the squares of a path, as far as a QR code has any, and reads them as a phone does.
fn read_qr_code(picture: &QrPicture) -> String {
    const SCALE: usize = 3;
    const QUIET: usize = 4;
    let mut modules = vec![false; (picture.modules * picture.modules) as usize];
    for run in picture.dark.split_terminator('z') {
        let (place, length) = run.strip_prefix('M').and_then(|run| run.split_once('h')).unwrap();
        let (x, y) = place.split_once(' ').unwrap();
        let length: usize = length.split_once('v').unwrap().0.parse().unwrap();
        assert!(run.ends_with(&format!("h{length}v1h-{length}")), "{run}");
        let start = x.parse::<usize>().unwrap() + y.parse::<usize>().unwrap() * picture.modules as usize;
        modules[start..start + length].fill(true);
    }
    let side = (picture.modules as usize + 2 * QUIET) * SCALE;
    let is_dark = |x: usize, y: usize| {
        let [x, y] = [x, y].map(|at| (at / SCALE).checked_sub(QUIET).filter(|&at| at < picture.modules as usize));
        x.zip(y).is_some_and(|(x, y)| modules[x + y * picture.modules as usize])
    };
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(side, side, |x, y| if is_dark(x, y) { 0 } else { 255 });
    let grids = image.detect_grids();
    assert_eq!(grids.len(), 1);
    grids[0].decode().unwrap().1
}

#[test]
fn a_qr_code_can_be_read() {
    let link = format!("https://example.org/pacman2/#g={}&turn=57", played(3).to_link().unwrap());
    let (long, umlauts) = ("x".repeat(2500), "吃豆人2 é");
    for text in ["a", umlauts, &link, &long] {
        assert_eq!(read_qr_code(&QrPicture::from_text(text).unwrap()), text);
    }
    assert!(QrPicture::from_text(&link).unwrap().modules <= 65, "version 12 or below");
    let error = QrPicture::from_text(&"x".repeat(2954)).unwrap_err().to_string();
    assert_eq!(error, "too long for a QR code: expected at most 2953 bytes, got 2954");
}

#[test]
fn bad_files_are_rejected_in_a_sentence() {
    for (text, reason) in [
        ("", "expected a match, got an empty text"),
        ("hello", "not JSON: "),
        ("[]", "expected a replay, a match log of Botzone's, a bot's input, init data, or a link with a game"),
        ("{}", "expected a replay, "),
        (r#"{"format": "x"}"#, "not a replay: expected the key format"),
        (r#"{"format": "pacman2 replay", "version": 2}"#, "expected a replay of version 1, got 2"),
        (r#"{"format": "pacman2 replay", "version": 1, "public": 3}"#, "public.ruling is missing"),
        (r#"{"seed": 1, "width": 99}"#, "width must be a whole number between 6 and 11, got 99"),
        (r#"{"log": [{}]}"#, "expected a match log with the map of the match"),
    ] {
        let error = Timeline::open(text).unwrap_err().to_string();
        assert!(error.starts_with(reason), "{text:?}: {error}");
    }
}

#[test]
fn every_query_is_answered_and_others_are_rejected() {
    let mut timelines = Timelines::default();
    let mut ask = |query: Value| -> Value { serde_json::from_str(&timelines.ask(&query.to_string())).unwrap() };
    let timeline = ask(json!({ "op": "map", "seed": 9, "width": 7, "height": 8 }));
    assert_eq!((&timeline["ok"]["head"]["timeline"], &timeline["ok"]["head"]["width"]), (&json!(0), &json!(7)));
    assert_eq!(ask(json!({ "op": "play", "timeline": 0, "actions": [-1, -1, -1, 99] }))["ok"]["turn"], 1);
    assert_eq!(
        ask(json!({ "op": "inspect", "timeline": 0, "turn": 1 }))["ok"]["legal"][3],
        json!([]),
        "it gave an illegal action and is dead"
    );
    assert!(ask(json!({ "op": "decide", "timeline": 0, "bot": "sample", "seat": 0 }))["ok"].is_i64());
    let branch = ask(json!({ "op": "branch", "timeline": 0, "turn": 0, "names": NAMES }));
    assert_eq!(branch["ok"]["frames"].as_array().unwrap().len(), 1);
    let text = ask(json!({ "op": "text", "timeline": 0, "turn": 1, "as": "request", "seat": 0 }));
    assert!(text["ok"].as_str().unwrap().contains("INVALID") || text["ok"].as_str().unwrap().contains("action"));
    let replay: Value = serde_json::from_str(ask(json!({ "op": "save", "timeline": 0 }))["ok"].as_str().unwrap()).unwrap();
    let pushed =
        json!({ "op": "push", "timeline": 1, "turn": replay["public"]["turns"][0], "backstage": [null, null, null, null] });
    assert_eq!(ask(pushed.clone())["ok"]["turn"], 1);
    assert!(ask(pushed)["error"].as_str().unwrap().starts_with("turn 2 differs: "));
    assert_eq!(ask(json!({ "op": "bots" }))["ok"][0]["name"], "random");
    assert_eq!(ask(json!({ "op": "close", "timeline": 0 })), json!({ "ok": null }));
    for (query, reason) in [
        (json!({ "op": "inspect", "timeline": 0, "turn": 0 }), "no timeline 0 is open"),
        (json!({ "op": "dance" }), "unknown query \"dance\""),
        (json!([]), "op: expected a string"),
        (json!({ "op": "inspect", "timeline": -1 }), "timeline: expected a whole number"),
        (json!({ "op": "decide", "timeline": 1, "bot": "greedy", "seat": 4 }), "seat: expected a seat from 0 to 3"),
        (json!({ "op": "decide", "timeline": 1, "bot": "gredy", "seat": 0 }), "unknown built-in bot \"gredy\""),
        (json!({ "op": "play", "timeline": 1, "actions": [-1, null, -1, null] }), "player 1 is alive and has no action"),
        (json!({ "op": "play", "timeline": 1, "actions": [1, 2] }), "actions: expected a list of four"),
    ] {
        assert_eq!(ask(query)["error"], reason);
    }
    assert!(timelines.ask("{").contains("the query is not JSON: EOF"));
}

#[test]
fn an_animation_shows_each_picture_for_its_time() {
    let (width, height) = (6u16, 4u16);
    let picture = |lit: usize| -> Vec<u8> {
        (0..24).flat_map(|at| if at == lit { [217, 154, 0, 255] } else { [15, 107, 82, 255] }).collect()
    };
    let mut animation = Animation::new(width, height);
    animation.add_colours(&picture(3));
    for (lit, hundredths) in [(0, 10), (9, 20), (9, 30)] {
        animation.add_frame(&picture(lit), hundredths).unwrap();
    }
    animation.add_frame(&[0; 4], 40).unwrap();
    let bytes = animation.finish().unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes.as_slice()).unwrap();
    assert_eq!((decoder.width(), decoder.height(), decoder.repeat()), (6, 4, gif::Repeat::Infinite));
    let mut shown = [0u8; 24 * 4];
    let mut delays = Vec::new();
    let mut lit = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (at, pixel) in frame.buffer.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] != 0) {
            let (row, col) = (at / usize::from(frame.width), at % usize::from(frame.width));
            let start = 4 * ((row + usize::from(frame.top)) * 6 + col + usize::from(frame.left));
            shown[start..start + 4].copy_from_slice(pixel);
        }
        delays.push(frame.delay);
        lit.push(shown.chunks(4).map(|pixel| pixel[0] > 100).collect::<Vec<_>>());
    }
    assert_eq!(delays, [10, 20, 30]);
    for (lit, only) in lit.iter().zip([0, 9, 9]) {
        assert_eq!(*lit, (0..24).map(|at| at == only).collect::<Vec<_>>());
    }
}
