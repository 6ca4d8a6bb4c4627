//! Clients of the server over real sockets: those that are slow, silent or gone, and those that accept compressed responses.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use flate2::read::GzDecoder;
use pacman2_web::server::Timeouts;
use serde_json::{Value, json};

use crate::{Served, start, start_with};

/// The longest that anything that works may take, on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// A time-out for tests that wait for it.
const SOON: Duration = Duration::from_millis(300);

/// Starts a server that waits only a moment where `shorten` says so.
fn impatient(shorten: impl FnOnce(&mut Timeouts)) -> Served {
    let mut timeouts = Timeouts::default();
    shorten(&mut timeouts);
    start_with(tempfile::tempdir().unwrap(), None, timeouts)
}

impl Served {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = self.connect();
        let head = format!("Authorization: Bearer token\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        write!(stream, "POST {path} HTTP/1.1\r\n{}{head}\r\n{body}", self.host()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Requests a response and returns its head in lower case, and its body.
    fn fetch(&self, line: &str, headers: &str) -> (String, Vec<u8>) {
        let mut stream = self.connect();
        write!(stream, "{line} HTTP/1.1\r\nConnection: close\r\n{}{headers}\r\n", self.host()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        (String::from_utf8(bytes[..end].to_ascii_lowercase()).unwrap(), bytes[end + 4..].to_vec())
    }

    /// Starts a match of four humans without a clock and returns its path.
    fn start_match(&self) -> String {
        let started = self.post("/api/matches", &json!({ "seats": ["human", "human", "human", "human"], "seed": 1 }));
        format!("/api/matches/{}", started["id"].as_str().unwrap())
    }

    /// Returns the match in the server's list.
    fn listed(&self, path: &str) -> Value {
        let matches = self.json("/api/matches");
        let is_it = |listed: &&Value| path.ends_with(listed["id"].as_str().unwrap());
        matches.as_array().unwrap().iter().find(is_it).unwrap().clone()
    }

    /// Opens an event stream and reads its beginning.
    fn listen(&self, path: &str) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nAccept-Encoding: gzip\r\n{}\r\n", self.host()).unwrap();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        while !line.starts_with(": connected") {
            line.clear();
            assert!(lines.read_line(&mut line).unwrap() > 0, "no stream");
            assert!(!line.to_ascii_lowercase().starts_with("content-encoding"), "a stream is compressed");
        }
        lines
    }
}

/// Asserts that the server ends a connection, and returns what it sent before.
fn read_to_the_end(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // The end may be a reset.
    if let Err(error) = stream.read_to_end(&mut bytes) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn silent_and_idle_connections_are_ended() {
    let served = impatient(|timeouts| timeouts.head = SOON);
    let (mut silent, mut half, mut idle) = (served.connect(), served.connect(), served.connect());
    write!(half, "GET / HTTP/1.1\r\n{}", served.host()).unwrap();
    write!(idle, "GET /api/replays HTTP/1.1\r\n{}\r\n", served.host()).unwrap();
    assert!(read_to_the_end(&mut idle).ends_with("\r\n\r\n[]"), "answered, and then ended");
    assert!(!read_to_the_end(&mut silent).contains("200 OK"));
    assert!(!read_to_the_end(&mut half).contains("200 OK"));
    assert_eq!(served.get("/api/replays").status, 200);
}

#[test]
fn an_event_stream_outlives_the_time_limit_of_requests() {
    let served = impatient(|timeouts| (timeouts.head, timeouts.body) = (SOON, SOON));
    let mut stream = served.listen("/api/events");
    // This connection is younger, so the time of the stream's has passed, too.
    read_to_the_end(&mut served.connect());
    served.start_match();
    let mut line = String::new();
    while !line.starts_with("event: matches") {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream has ended");
    }
}

#[test]
fn a_body_that_trickles_is_rejected() {
    let served = impatient(|timeouts| timeouts.body = SOON);
    for path in ["/api/session", "/api/matches"] {
        let mut stream = served.connect();
        let head = "Authorization: Bearer token\r\nContent-Length: 100\r\n";
        write!(stream, "POST {path} HTTP/1.1\r\n{}{head}\r\n{{", served.host()).unwrap();
        let response = read_to_the_end(&mut stream);
        assert!(response.starts_with("HTTP/1.1 408 ") && response.contains(r#""code":"request-too-slow""#), "{response}");
    }
}

#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let served = impatient(|timeouts| timeouts.write = SOON);
    let size = 32 * 1024 * 1024;
    fs::write(served.folder.path().join("large.json"), "x".repeat(size)).unwrap();
    let received = |pause: u64| {
        let mut stream = served.connect();
        write!(stream, "GET /api/replays/large.json HTTP/1.1\r\nConnection: close\r\n{}\r\n", served.host()).unwrap();
        thread::sleep(Duration::from_secs(pause));
        read_to_the_end(&mut stream).len()
    };
    assert!(received(0) > size);
    // How soon the server sees that the time is up depends on the machine.
    assert!([1, 2, 4, 8, 16].into_iter().any(|pause| received(pause) < size), "the server waits for the client");
}

#[test]
fn a_match_without_its_human_is_abandoned() {
    let served = impatient(|timeouts| timeouts.unattended = SOON);
    let watched = served.start_match();
    let page = served.listen(&format!("{watched}/events"));
    let left = served.start_match();
    let wait_until_over = |path: &str| {
        let begin = std::time::Instant::now();
        while served.listed(path)["running"] == true {
            assert!(begin.elapsed() < PATIENCE, "the match goes on");
            thread::sleep(Duration::from_millis(20));
        }
    };
    wait_until_over(&left);
    let end = served.listed(&left);
    assert_eq!((&end["turns"], &end["scores"]), (&json!(0), &Value::Null));
    // It was started first, but a page shows it.
    assert_eq!(served.listed(&watched)["running"], true);
    for seat in 0..4 {
        served.post(&format!("{watched}/seats/{seat}"), &json!({ "turn": 1, "action": -1 }));
    }
    drop(page);
    wait_until_over(&watched);
    let end = served.listed(&watched);
    assert_eq!((&end["turns"], &end["scores"]), (&json!(1), &Value::Null));
    assert_eq!((&end["code"], &end["error"]), (&json!("replay-not-saved"), &json!("replays are not saved here")));
}

#[test]
fn texts_are_compressed_for_clients_that_accept_it() {
    let served = crate::serve(1);
    fs::write(served.folder.path().join("long.json"), format!("[{}1]", "1, ".repeat(2000))).unwrap();
    fs::write(served.folder.path().join("short.json"), "[1]").unwrap();
    for path in [
        "/",
        "/botzone-player.html",
        "/file.html",
        "/analysis.js",
        "/editor.js",
        "/arena",
        "/api/replays/long.json",
        "/api/arena/standings",
    ] {
        let (plain_head, plain) = served.fetch(&format!("GET {path}"), "");
        assert!(plain_head.contains("vary: accept-encoding") && !plain_head.contains("content-encoding"), "{path}: {plain_head}");
        for _ in 0..2 {
            let (head, body) = served.fetch(&format!("GET {path}"), "Accept-Encoding: br, gzip\r\n");
            assert!(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"), "{path}: {head}");
            assert!(head.contains(&format!("content-length: {}", body.len())), "{path}: {head}");
            assert!(head.contains("cache-control: no-store") && head.contains("nosniff"), "{path}: {head}");
            let mut text = Vec::new();
            GzDecoder::new(&*body).read_to_end(&mut text).unwrap();
            assert!(text == plain && body.len() < plain.len(), "{path}");
        }
        let (head, body) = served.fetch(&format!("GET {path}"), "Accept-Encoding: gzip;q=0\r\n");
        assert!(!head.contains("content-encoding") && body == plain, "{path}: {head}");
    }
    let (page_head, page) = served.fetch("GET /", "Accept-Encoding: gzip\r\n");
    assert!(page.len() < 246_500 && page_head.contains("content-security-policy: default-src"), "{page_head}");
}

#[test]
fn what_is_short_or_secret_or_a_stream_is_not_compressed() {
    let served = start(tempfile::tempdir().unwrap(), None);
    let gzip = "Accept-Encoding: gzip\r\n";
    for line in ["GET /api/replays", "GET /nothing", "HEAD /"] {
        assert!(!served.fetch(line, gzip).0.contains("content-encoding"), "{line}");
    }
    let secret = format!("{{\"secret\": \"token\", \"more\": \"{}\"}}", "x".repeat(900));
    let headers = format!("{gzip}Content-Length: {}\r\n", secret.len());
    let (head, body) = served.fetch("POST /api/session", &format!("{headers}\r\n{secret}"));
    assert!(head.starts_with("http/1.1 201") && !head.contains("content-encoding"), "{head}");
    assert!(serde_json::from_slice::<Value>(&body).unwrap()["token"].is_string());
    served.listen("/api/events");
}
