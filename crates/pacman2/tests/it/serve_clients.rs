//! `pacman2 serve` and its clients: how they get a token, and how many of them there may be.

use crate::common::*;
use crate::server::*;
use serde_json::{Value, json};

/// Exchanges a secret for a token, as a page does.
fn open_session(server: &Server, secret: &str) -> HttpResponse {
    server.ask("POST /api/session", &["Accept-Encoding: gzip"], &json!({ "secret": secret }).to_string())
}

#[track_caller]
fn token_of(response: &HttpResponse) -> String {
    assert_eq!(response.status, 201, "{response:?}");
    response.json()["token"].as_str().unwrap().to_owned()
}

/// Starts a match of built-in bots with a token.
fn start_with(server: &Server, token: &str) -> HttpResponse {
    let request = json!({ "seats": ["random", "random", "random", "random"], "turns": 1 });
    server.ask("POST /api/matches", &[&format!("Authorization: Bearer {token}")], &request.to_string())
}

#[test]
fn the_code_in_the_address_works_once() {
    let server = serve();
    start_with(&server, &server.code).refused(401, "token");
    let token = token_of(&open_session(&server, &server.code));
    assert!(token != TOKEN && token != server.code);
    assert_eq!(start_with(&server, &token).status, 201);
    for secret in [&*server.code, "wrong", "", &token] {
        let response = open_session(&server, secret);
        response.refused(403, "the code was used or has expired");
        assert_eq!(response.json()["code"], "wrong-secret");
    }
    assert_eq!(start_with(&server, &token).status, 201, "the session goes on");
}

#[test]
fn the_token_opens_any_number_of_sessions() {
    let server = serve();
    let tokens = [(); 3].map(|()| token_of(&open_session(&server, TOKEN)));
    assert!(tokens[0] != tokens[1] && tokens[1] != tokens[2]);
    assert_eq!(start_with(&server, &tokens[0]).status, 201);
    assert_eq!(start_with(&server, TOKEN).status, 201);
}

#[test]
fn a_request_for_a_session_passes_the_same_checks_as_others() {
    let server = serve();
    let body = json!({ "secret": server.code }).to_string();
    server.ask("POST /api/session", &["Origin: https://evil.example"], &body).refused(403, "another origin");
    server.ask("POST /api/session", &["Sec-Fetch-Site: cross-site"], &body).refused(403, "another origin");
    let host = format!("Host: evil.example:{}", server.port);
    server.ask_as(&host, "POST /api/session", &[], &body).refused(403, "under that name");
    server.get("/api/session").refused(405, "not allowed");
    server.ask("POST /api/session", &[], &json!({ "secret": "x".repeat(2000) }).to_string()).refused(413, "too large");
    token_of(&open_session(&server, &server.code));
}

#[test]
fn errors_have_a_code_with_parameters() {
    let server = serve();
    let random = ["random"; 4];
    for (request, code, params) in [
        (json!({ "seats": random, "turns": 0 }), "out-of-range", json!({ "name": "turns", "min": 1, "max": 10_000, "got": "0" })),
        (json!({ "seats": random, "width": 5 }), "map-size", json!({ "name": "width", "min": 6, "max": 11, "got": "5" })),
        (json!({ "seats": random, "map": {}, "width": 8 }), "map-with-size", json!({})),
    ] {
        let error = server.post("/api/matches", &request).json();
        assert_eq!((&error["code"], &error["params"]), (&json!(code), &params), "{error}");
        assert!(error["error"].is_string(), "{error}");
    }
    let unknown = server.post("/api/matches", &json!({ "seats": ["random", "gredy", "random", "random"] })).json();
    assert_eq!(
        (&unknown["code"], &unknown["params"]["seat"], &unknown["params"]["bot"]),
        (&json!("unknown-bot"), &json!(1), &json!("gredy"))
    );
    assert_eq!(server.get("/nothing").json()["params"], json!({ "path": "/nothing" }));
}

/// Starts a server that may open only some files.
#[cfg(unix)]
fn serve_with_files(files: u32) -> Server {
    let dir = TestDir::new();
    let plain = dir.command(&format!("serve --json --port 0 --token {TOKEN}"));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")]).arg(plain.get_program()).args(plain.get_args());
    dir.isolate(&mut command);
    serve_by(command, dir)
}

#[test]
#[cfg(unix)]
fn silent_connections_do_not_keep_others_out() {
    use std::io::Write;

    let server = serve_with_files(100);
    // A connection in use is kept.
    let mut news = server.listen("/api/events");
    let mut held = Vec::new();
    for number in 0..300 {
        let mut connection = server.connect();
        let head: &[u8] = if number % 2 == 0 { b"" } else { b"GET / HTTP/1.1\r\nHost: " };
        // The server may have replaced this connection already.
        let _ = connection.write_all(head);
        held.push(connection);
        if number % 100 == 99 {
            assert_eq!(server.get("/api/replays").status, 200);
        }
    }
    server.start(json!({ "seats": ["greedy", "random", "random", "random"], "turns": 3 }));
    news.next_of("matches");
    wait_until("the match to be saved", || server.replays().len() == 1);
    drop(held);
}

#[test]
#[cfg(unix)]
fn bodies_that_do_not_arrive_do_not_keep_others_out() {
    use std::io::Write;

    let server = serve_with_files(100);
    let mut held = Vec::new();
    for number in 0..200 {
        let mut connection = server.connect();
        let head = format!("POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 40\r\n\r\n{{", server.port);
        // The server may have replaced this connection already.
        let _ = connection.write_all(head.as_bytes());
        held.push(connection);
        if number % 50 == 49 {
            assert_eq!(server.get("/api/replays").status, 200);
        }
    }
    assert_eq!(open_session(&server, TOKEN).status, 201);
}

/// Makes a request and returns what the server sends until the connection ends, which may be at once.
fn raw(server: &Server, line: &str, headers: &str) -> String {
    use std::io::{Read, Write};

    let mut connection = server.connect();
    let _ = write!(connection, "{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n{headers}\r\n", server.port);
    let mut sent = Vec::new();
    let _ = connection.read_to_end(&mut sent);
    String::from_utf8_lossy(&sent).into_owned()
}

/// A file in pieces costs no memory, and a client that does not read loses its connection to one that does.
#[test]
#[cfg(target_os = "linux")]
fn clients_that_do_not_read_cost_little() {
    use std::io::Write;

    const MB: usize = 1 << 20;
    let server = serve_with_files(100);
    server.dir.write("replays/large.json", &format!("[{}0]", "0,".repeat(16 * MB)));
    server.dir.write("replays/small.json", &format!("[{}0]", "0,".repeat(MB)));
    let mut held = Vec::new();
    for number in 0..200 {
        let mut connection = server.connect();
        let name = if number % 2 == 0 { "large" } else { "small" };
        let head = format!("GET /api/replays/{name}.json HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
        let _ = connection.write_all(head.as_bytes());
        held.push(connection);
    }
    wait_until("a slow client to make room", || raw(&server, "GET /api/matches", "").starts_with("HTTP/1.1 200"));
    let peak_kb = crate::memory::peak_so_far_kb(&server.child).unwrap();
    assert!(peak_kb < 200 << 10, "{peak_kb} kB");
    drop(held);
    // The server may not have noticed yet that the others are gone.
    wait_until("the whole file", || {
        let all = raw(&server, "GET /api/replays/large.json", "");
        // The last piece, and the end of the pieces.
        all.contains("0]\r\n0\r\n") && all.len() > 32 * MB
    });
}

#[test]
fn odd_requests_get_errors_with_codes() {
    let server = serve();
    assert_eq!(server.get("/api/replays/%ff.json").json()["code"], "nothing-there");
    assert!(raw(&server, "GET /api/matches", &format!("X: {}\r\n", "x".repeat(8_000))).starts_with("HTTP/1.1 200"));
    assert!(!raw(&server, "GET /api/matches", &format!("X: {}\r\n", "x".repeat(100_000))).contains(" 200 "));
}

#[test]
#[cfg(unix)]
fn listeners_do_not_keep_others_out() {
    // 32 connections, of which 16 may be streams, and 8 those of one client.
    let server = serve_with_files(64);
    let _listeners: Vec<EventStream> = (0..8).map(|_| server.listen("/api/events")).collect();
    for _ in 0..40 {
        server.get("/api/events").refused(429, "8 pages");
    }
    assert_eq!(server.get("/api/replays").status, 200);
}

#[test]
fn the_listeners_of_one_client_are_limited() {
    let server = serve();
    let mut listeners: Vec<EventStream> = (0..32).map(|_| server.listen("/api/events")).collect();
    let refused = server.get("/api/events");
    refused.refused(429, "32 pages");
    assert_eq!(refused.json()["code"], "too-many-listeners-of-client");
    let id = server.start(json!({ "seats": ["human", "random", "random", "random"] }));
    server.get(&format!("/api/matches/{id}/events")).refused(429, "32 pages");
    assert_eq!(server.get("/api/matches").json()[0]["running"], true, "other requests are answered");
    listeners.pop();
    let is_free = || {
        let mut stream = server.listen(&format!("/api/matches/{id}/events"));
        stream.next().is_some_and(|(kind, _)| kind == "film")
    };
    wait_until("a listener to be forgotten", is_free);
    assert_eq!(server.replays(), [Value::Null; 0]);
}
