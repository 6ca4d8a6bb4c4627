//! The analyses of `pacman2 serve`: turns, hints, and their limits.

use std::io::{BufRead, BufReader, Write};

use crate::common::*;
use crate::server::*;
use serde_json::{Value, json};

/// Plays a match and returns the name of its replay.
#[track_caller]
fn played(server: &Server) -> String {
    server.start(json!({ "seats": ["greedy", "sample", "random", "random"], "seed": 42, "turns": 6 }));
    wait_until("the replay", || server.replays().iter().any(|replay| replay["finished"] == true));
    server.replays()[0]["name"].as_str().unwrap().to_owned()
}

/// Returns the turns of an analysis, in the order of the stream.
#[track_caller]
fn turns(response: &HttpResponse) -> Vec<Value> {
    assert_eq!(response.status, 200, "{response:?}");
    response.body.lines().filter_map(|line| line.strip_prefix("data: ")).map(json).collect()
}

#[test]
fn turns_are_analysed_in_the_requested_order() {
    let server = serve();
    let name = played(&server);
    let output = turns(&server.post("/api/analyse", &json!({ "replay": name, "turns": [5, 2, 5], "simulations": 64 })));
    assert_eq!(output.iter().map(|turn| turn["turn"].as_i64().unwrap()).collect::<Vec<_>>(), [5, 2]);
    let mut replay = server.get(&format!("/api/replays/{name}")).json();
    for turn in &output {
        let number = turn["turn"].as_u64().unwrap() as usize;
        assert_eq!(turn["given"], replay["public"]["turns"][number - 1]["actions"]);
        assert_eq!(turn["points"].as_array().unwrap().len(), 4);
        assert!(turn["seats"][0][0]["visits"].as_u64().unwrap() > 0, "{turn}");
        assert_eq!(turn["loss"].as_array().unwrap().len(), 4);
        assert_eq!(turn["accuracy"].as_array().unwrap().len(), 4);
    }
    replay.as_object_mut().unwrap().remove("private");
    let again = turns(&server.post("/api/analyse", &json!({ "film": replay, "turns": [5, 2], "simulations": 64 })));
    assert_eq!(again, output);
    let all = turns(&server.post("/api/analyse", &json!({ "replay": name, "simulations": 1 })));
    assert_eq!(all.len(), 6, "the game is over then");
}

const KEPT: &str = "replays/.pacman2-analyses";

/// The names of the analyses that the server keeps in its folder.
fn kept(server: &Server) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir(server.dir.path(KEPT)) else { return Vec::new() };
    let mut names: Vec<String> = folder.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn analyses_are_kept_in_the_folder_and_are_always_the_same() {
    let server = serve();
    let name = played(&server);
    let ask = |request: Value| turns(&server.post("/api/analyse", &request));
    // Without an effort, an analysis makes a fixed number of simulations.
    let output = ask(json!({ "replay": name, "turns": [2] }));
    assert_eq!(output[0]["simulations"], 20_000);
    assert_eq!(kept(&server).len(), 1);
    assert_eq!(ask(json!({ "replay": name, "turns": [2] })), output);
    // What is kept is complete: a request for one seat neither shows nor keeps less.
    let of_seat = ask(json!({ "replay": name, "turns": [2], "seat": 1 }));
    assert_eq!((&of_seat[0]["seats"][1], &of_seat[0]["seats"][0]), (&output[0]["seats"][1], &json!([])));
    assert_eq!((&of_seat[0]["accuracy"][1], &of_seat[0]["accuracy"][0]), (&output[0]["accuracy"][1], &Value::Null));
    assert_eq!(ask(json!({ "replay": name, "turns": [2] })), output);
    assert_eq!(kept(&server).len(), 1);
    let few = ask(json!({ "replay": name, "turns": [2], "simulations": 64 }));
    assert_eq!((&few[0]["simulations"], kept(&server).len()), (&json!(64), 2));
    ask(json!({ "replay": name, "turns": [3], "time_ms": 5 }));
    assert_eq!(kept(&server).len(), 2, "what depends on the clock is not kept");

    // Damaged files are ignored and replaced.
    for file in kept(&server) {
        std::fs::write(server.dir.path(KEPT).join(file), "{}").unwrap();
    }
    assert_eq!(ask(json!({ "replay": name, "turns": [2] })), output);
    // The list of replays does not show them, and they cannot be opened as replays.
    let listed: Vec<Value> = server.replays().iter().map(|replay| replay["name"].clone()).collect();
    assert_eq!(listed, [name.as_str()]);
    for file in kept(&server) {
        server.get(&format!("/api/replays/.pacman2-analyses%2F{file}")).refused(404, "no such replay");
        server.post("/api/analyse", &json!({ "replay": format!(".pacman2-analyses/{file}") })).refused(404, "no such replay");
    }
    // Without the token, nothing is written.
    let stranger = json!({ "replay": name, "turns": [4], "simulations": 64 }).to_string();
    server.ask("POST /api/analyse", &[], &stranger).refused(401, "the terminal shows");
    assert_eq!(kept(&server).len(), 2);
}

#[cfg(unix)]
#[test]
fn analyses_are_not_written_behind_a_link() {
    let server = serve();
    let name = played(&server);
    let elsewhere = TestDir::new();
    std::os::unix::fs::symlink(elsewhere.path("."), server.dir.path(KEPT)).unwrap();
    let request = json!({ "replay": name, "turns": [2], "simulations": 64 });
    let output = turns(&server.post("/api/analyse", &request));
    assert_eq!(turns(&server.post("/api/analyse", &request)), output, "the analysis works all the same");
    assert_eq!(std::fs::read_dir(elsewhere.path(".")).unwrap().count(), 0);
}

#[test]
fn bad_input_is_rejected() {
    let server = serve();
    let name = played(&server);
    let request = json!({ "replay": name }).to_string();
    server.ask("POST /api/analyse", &[], &request).refused(401, "the terminal shows");
    server.ask("POST /api/analyse", &["Authorization: Bearer wrong"], &request).refused(401, "the terminal shows");
    for (request, status, words) in [
        (json!({ "replay": name, "turns": [7] }), 400, "turns must be between 1 and 6, got 7"),
        (json!({ "replay": name, "turns": [0] }), 400, "turns must be between 1 and 6, got 0"),
        (json!({ "replay": name, "turns": [-1] }), 400, "invalid request"),
        (json!({ "replay": name, "time_ms": 0 }), 400, "time_ms must be between 1 and 10000, got 0"),
        (json!({ "replay": name, "time_ms": 10001 }), 400, "time_ms must be between 1 and 10000, got 10001"),
        (json!({ "replay": name, "simulations": 0 }), 400, "simulations must be between 1 and 10000000, got 0"),
        (json!({ "replay": name, "simulations": 1, "time_ms": 1 }), 400, "exclude each other"),
        (json!({ "replay": name, "seat": 4 }), 400, "seat must be between 0 and 3, got 4"),
        (json!({ "replay": name, "match": "x" }), 400, "exactly one of film, replay and match"),
        (json!({}), 400, "exactly one of film, replay and match"),
        (json!({ "film": {} }), 400, "neither a replay nor"),
        (json!({ "replay": "../x.json" }), 404, "no such replay"),
        (json!({ "match": "x", "seat": 0 }), 404, "no such match"),
    ] {
        server.post("/api/analyse", &request).refused(status, words);
    }
}

#[test]
fn a_hint_is_for_one_human_and_reveals_nothing_of_the_others() {
    let server = serve();
    let id = server.start(json!({ "seats": ["human", "human", "random", "random"], "seed": 42, "turns": 3 }));
    let mut stream = server.listen(&format!("/api/matches/{id}/events"));
    assert_eq!(stream.next_asked(2)["turn"], 1);
    let hint = |seat: usize| server.post("/api/analyse", &json!({ "match": id, "seat": seat, "simulations": 64 }));
    let before = turns(&hint(1));
    assert_eq!((before.len(), &before[0]["turn"]), (1, &json!(1)));
    for seat in [0, 2, 3] {
        assert_eq!(before[0]["seats"][seat], json!([]), "it is for seat 1 alone");
    }
    assert!(before[0]["seats"][1][0]["visits"].as_u64().unwrap() > 0);
    assert_eq!(server.post(&format!("/api/matches/{id}/seats/0"), &json!({ "turn": 1, "action": -1 })).status, 200);
    assert_eq!(turns(&hint(1)), before, "the action of another player changes nothing");
    hint(0).refused(409, "not waiting for an action of player 0");
    hint(2).refused(409, "player 2");
    let request = json!({ "match": id, "turns": [1], "seat": 1 });
    server.post("/api/analyse", &request).refused(400, "a hint is for the current turn only");
    server.post("/api/analyse", &json!({ "match": id })).refused(400, "seat is missing");
}

#[test]
fn the_number_of_analyses_is_limited_and_they_end_with_the_connection() {
    let server = serve();
    let name = played(&server);
    let long = json!({ "replay": name, "time_ms": 10_000 }).to_string();
    let head = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {}", server.port, long.len());
    let cores = std::thread::available_parallelism().unwrap().get();
    let busy = (0..cores).map(|_| {
        let mut stream = server.connect();
        write!(stream, "POST /api/analyse HTTP/1.1\r\n{head}\r\n\r\n{long}").unwrap();
        let mut status = String::new();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut status).unwrap();
        assert!(status.contains("200"), "{status}");
        stream
    });
    let busy: Vec<_> = busy.collect();
    let short = json!({ "replay": name, "turns": [1], "simulations": 1 });
    server.post("/api/analyse", &short).refused(429, "analysis limit reached");
    drop(busy);
    // If they had continued, no analysis could start for another minute.
    assert_eq!(turns(&server.post("/api/analyse", &short)).len(), 1);
}
