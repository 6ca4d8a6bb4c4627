//! A real server, asked over real sockets as browsers ask it.

#![allow(dead_code, reason = "each test program uses some of this")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::common::*;

pub(crate) const TOKEN: &str = "a-token-of-the-tests";

/// A server in a folder of its own.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) port: u16,
    pub(crate) place: Place,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) fn serve() -> Served {
    serve_in(Place::new(), "")
}

pub(crate) fn serve_in(place: Place, options: &str) -> Served {
    let mut command = place.command(&format!("serve --json --port 0 --token {TOKEN} {options}"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let told = json(&line);
    assert_eq!(told["token"], TOKEN);
    let address = told["address"].as_str().unwrap();
    let port = address.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix(&format!("/#token={TOKEN}")));
    let port = port.unwrap_or_else(|| panic!("{address}")).parse().unwrap();
    Served { child, port, place }
}

impl Served {
    /// Sends this and reads all that comes until the connection ends.
    #[track_caller]
    pub(crate) fn exchange(&self, request: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        // Who refuses does not read to the end.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{head}"));
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A request with these lines in its head, but for `Host`.
    #[track_caller]
    pub(crate) fn ask(&self, line: &str, headers: &[&str], body: &str) -> Answer {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        self.ask_as(&host, line, headers, body)
    }

    #[track_caller]
    pub(crate) fn ask_as(&self, host: &str, line: &str, headers: &[&str], body: &str) -> Answer {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        let head = format!("{line} HTTP/1.1\r\n{host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n");
        self.exchange(&head, body.as_bytes())
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &[], "")
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let token = format!("Authorization: Bearer {TOKEN}");
        self.ask(&format!("POST {path}"), &[&token], &body.to_string())
    }

    /// Starts a match and returns its id.
    #[track_caller]
    pub(crate) fn start(&self, wish: Value) -> String {
        let started = self.post("/api/matches", &wish);
        assert_eq!(started.status, 201, "{started:?}");
        started.json()["id"].as_str().unwrap().to_owned()
    }

    /// Listens to a stream.
    pub(crate) fn listen(&self, path: &str) -> Listener {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port).unwrap();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap() > 2 {
            line.clear();
        }
        Listener { lines }
    }

    /// The names in its folder, as the list has them.
    pub(crate) fn replays(&self) -> Vec<Value> {
        self.get("/api/replays").json().as_array().unwrap().clone()
    }

    /// Asks it to end, as Ctrl-C does; it does, and says nothing.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn end(mut self) -> Place {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        wait_until("the server to end", || self.child.try_wait().unwrap().is_some());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut told = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(told, "");
        std::mem::replace(&mut self.place, Place::new())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.place.is_soon_deserted();
    }
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        json(&self.body)
    }

    /// Refused in one sentence that holds these words.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, words: &str) {
        assert_eq!(self.status, status, "{self:?}");
        let error = self.json()["error"].as_str().map(str::to_owned).unwrap_or_else(|| panic!("{self:?}"));
        assert!(error.contains(words), "\"{words}\" is not in: {error}");
    }
}

/// Who listens to a stream of news.
pub(crate) struct Listener {
    pub(crate) lines: BufReader<TcpStream>,
}

impl Listener {
    /// The next piece of news; `None` when the stream has ended.
    pub(crate) fn next(&mut self) -> Option<(String, String)> {
        let (mut kind, mut data) = (String::new(), Vec::new());
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            match line.trim_end_matches('\n') {
                "" if !kind.is_empty() => return Some((kind, data.join("\n"))),
                line => {
                    if let Some(value) = line.strip_prefix("event: ") {
                        value.clone_into(&mut kind);
                    } else if let Some(value) = line.strip_prefix("data: ").or(line.strip_prefix("data:")) {
                        data.push(value.to_owned());
                    }
                }
            }
        }
    }

    /// The next news that so many humans are waited for.
    #[track_caller]
    pub(crate) fn next_asked(&mut self, humans: usize) -> Value {
        loop {
            let asked = self.next_of("asked");
            if asked["seats"].as_array().is_some_and(|seats| seats.len() == humans) {
                return asked;
            }
        }
    }

    /// The next piece of news of this kind.
    #[track_caller]
    pub(crate) fn next_of(&mut self, wanted: &str) -> Value {
        loop {
            let (kind, data) = self.next().unwrap_or_else(|| panic!("the stream has ended before \"{wanted}\""));
            if kind == wanted {
                return json(&data);
            }
        }
    }
}
