//! A running `pacman2 serve`, and HTTP requests to it over real sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::*;

pub(crate) const TOKEN: &str = "a-token-of-the-tests";

/// A server in a fresh folder. Dropping it kills it.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) port: u16,
    /// The one-time code in the printed address.
    pub(crate) code: String,
    pub(crate) dir: TestDir,
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) fn serve() -> Server {
    serve_in(TestDir::new(), "")
}

pub(crate) fn serve_in(dir: TestDir, options: &str) -> Server {
    let command = dir.command(&format!("serve --json --port 0 --token {TOKEN} {options}"));
    serve_by(command, dir)
}

/// Starts a server by a command that makes it print its address and use our token.
pub(crate) fn serve_by(mut command: Command, dir: TestDir) -> Server {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let message = json(&line);
    assert_eq!(message["token"], TOKEN);
    let address = message["address"].as_str().unwrap();
    assert!(!address.contains(TOKEN), "{address}");
    let parts = address.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split_once("/#code="));
    let (port, code) = parts.unwrap_or_else(|| panic!("{address}"));
    Server { child, port: port.parse().unwrap(), code: code.to_owned(), dir }
}

impl Server {
    /// Sends a request and reads the response until the connection ends.
    #[track_caller]
    pub(crate) fn exchange(&self, request: &str, body: &[u8]) -> HttpResponse {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        // The server may reject the request before it has read the body.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{head}"));
        HttpResponse { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request with these header lines and the server's own `Host`.
    #[track_caller]
    pub(crate) fn ask(&self, line: &str, headers: &[&str], body: &str) -> HttpResponse {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        self.ask_as(&host, line, headers, body)
    }

    #[track_caller]
    pub(crate) fn ask_as(&self, host: &str, line: &str, headers: &[&str], body: &str) -> HttpResponse {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        let head = format!("{line} HTTP/1.1\r\n{host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n");
        self.exchange(&head, body.as_bytes())
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> HttpResponse {
        self.ask(&format!("GET {path}"), &[], "")
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: &Value) -> HttpResponse {
        let token = format!("Authorization: Bearer {TOKEN}");
        self.ask(&format!("POST {path}"), &[&token], &body.to_string())
    }

    /// Starts a match and returns its id.
    #[track_caller]
    pub(crate) fn start(&self, request: Value) -> String {
        let started = self.post("/api/matches", &request);
        assert_eq!(started.status, 201, "{started:?}");
        started.json()["id"].as_str().unwrap().to_owned()
    }

    /// Opens an event stream.
    pub(crate) fn listen(&self, path: &str) -> EventStream {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port).unwrap();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        while lines.read_line(&mut line).unwrap() > 2 {
            line.clear();
        }
        EventStream { lines }
    }

    /// Returns the entries of the replay folder as the server lists them.
    pub(crate) fn replays(&self) -> Vec<Value> {
        self.get("/api/replays").json().as_array().unwrap().clone()
    }

    /// Ends the server as Ctrl-C does, and asserts that it prints nothing but what this machine's sandbox lacks.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn end(mut self) -> TestDir {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        wait_until("the server to end", || self.child.try_wait().unwrap().is_some());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut message = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
        assert!(message.lines().all(|line| line.starts_with("pacman2: sandbox of tier ")), "{message}");
        std::mem::replace(&mut self.dir, TestDir::new())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.dir.wait_until_deserted();
    }
}

impl HttpResponse {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        json(&self.body)
    }

    /// Asserts this status and an error message that contains these words.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, words: &str) {
        assert_eq!(self.status, status, "{self:?}");
        let error = self.json()["error"].as_str().map(str::to_owned).unwrap_or_else(|| panic!("{self:?}"));
        assert!(error.contains(words), "\"{words}\" is not in: {error}");
    }
}

/// A stream of server-sent events.
pub(crate) struct EventStream {
    pub(crate) lines: BufReader<TcpStream>,
}

impl EventStream {
    /// Returns the kind and data of the next event, or `None` at the end of the stream.
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

    /// Returns the next "asked" event in which this many humans must act.
    #[track_caller]
    pub(crate) fn next_asked(&mut self, humans: usize) -> Value {
        loop {
            let asked = self.next_of("asked");
            if asked["seats"].as_array().is_some_and(|seats| seats.len() == humans) {
                return asked;
            }
        }
    }

    /// Returns the data of the next event of this kind.
    #[track_caller]
    pub(crate) fn next_of(&mut self, expected: &str) -> Value {
        loop {
            let (kind, data) = self.next().unwrap_or_else(|| panic!("the stream has ended before \"{expected}\""));
            if kind == expected {
                return json(&data);
            }
        }
    }
}
