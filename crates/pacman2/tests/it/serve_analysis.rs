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
    }
    replay.as_object_mut().unwrap().remove("private");
    let again = turns(&server.post("/api/analyse", &json!({ "film": replay, "turns": [5, 2], "simulations": 64 })));
    assert_eq!(again, output);
    let all = turns(&server.post("/api/analyse", &json!({ "replay": name, "simulations": 1 })));
    assert_eq!(all.len(), 6, "the game is over then");
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
        (json!({ "film": {} }), 400, "not a replay"),
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
