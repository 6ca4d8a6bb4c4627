//! A local stand-in for Botzone's Local AI, which speaks its protocol and misbehaves on request.

#![allow(dead_code, reason = "the tests within the crate and those of the program each use a part of it")]

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pacman2_botzone::match_log::{LoggedPlayer, MatchLog};
use pacman2_botzone::response::{ParsedResponse, Verdict};
use pacman2_botzone::session::{Session, first_request};
use pacman2_botzone::{JsonText, action};
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{BySeat, ForfeitRuling, Ruleset, Seat};
use serde_json::{Value, json};

pub(crate) const USER: &str = "5f3a0000000000000000beef";
pub(crate) const SECRET: &str = "s3cret-of-the-tests";

/// The longest that a reply to a poll without news takes.
const POLL: Duration = Duration::from_millis(20);

/// What goes wrong with a poll.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// This status and body, before the answers are taken.
    Status(u16, String),
    /// This status, after the answers were taken.
    StatusAfter(u16),
    /// No reply.
    Hang,
    /// No reply, after the answers were taken.
    HangAfter,
    /// The connection ends without a reply.
    Close,
    /// The reply ends in the middle.
    Half,
    /// These bytes instead of a reply.
    Raw(Vec<u8>),
    /// A body without end.
    Endless,
    /// The answers are lost, and the requests come again.
    LoseAnswers,
    /// The requests come again although they were sent before.
    RepeatRequests,
}

/// A match on the site.
pub(crate) struct ServedMatch {
    pub(crate) id: String,
    pub(crate) seat: Seat,
    session: Session,
    requests: Vec<Value>,
    responses: Vec<Value>,
    logged: Vec<BySeat<Option<LoggedPlayer>>>,
    /// Whether the last request has been sent, and whether the end has been.
    is_sent: bool,
    is_end_sent: bool,
    pub(crate) is_aborted: bool,
}

impl ServedMatch {
    pub(crate) fn new(id: &str, seat: usize, map_seed: i32, turns: u32) -> ServedMatch {
        let ruleset = Ruleset { turn_limit: turns, ..Ruleset::default() }.with_forfeit_ruling(ForfeitRuling::Judge);
        let map = Map::generate(map_seed, MapSize::default(), ruleset).unwrap();
        let seat = Seat::ALL[seat];
        ServedMatch {
            id: id.to_owned(),
            seat,
            requests: vec![first_request(&map, seat)],
            session: Session::new(map),
            responses: Vec::new(),
            logged: Vec::new(),
            is_sent: false,
            is_end_sent: false,
            is_aborted: false,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_aborted || self.session.game().is_over()
    }

    pub(crate) fn turns(&self) -> usize {
        self.logged.len()
    }

    /// Plays a turn with our answer, and on to the next request. The others take one legal action after another.
    fn answer(&mut self, text: &str) {
        let ours: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(text.is_ascii() && !text.contains(['\n', '\r']), "{text}");
        self.responses.push(ours.clone());
        let mut ours = Some(ours);
        while !self.is_over() && (ours.is_some() || !self.session.game().state().alive.contains(self.seat)) {
            let (state, maze) = (*self.session.game().state(), self.session.game().maze().clone());
            let own = ours.take();
            let players = BySeat::from_fn(|seat| {
                if !state.alive.contains(seat) {
                    return None;
                }
                let legal = state.legal_actions(&maze, seat);
                let other = json!({ "action": action::to_number(legal[(self.logged.len() + seat.index()) % legal.len()]) });
                let response = own.clone().filter(|_| seat == self.seat).unwrap_or(other);
                let parsed = ParsedResponse::from_response(&response, Verdict::Ok);
                Some(LoggedPlayer {
                    verdict: Verdict::Ok,
                    response: response.into(),
                    parsed,
                    debug: None,
                    time_ms: Some(7),
                    memory_mb: Some(3),
                })
            });
            let responses = BySeat::from_fn(|seat| players[seat].as_ref().map(|player| player.parsed.clone()));
            let turn = self.session.play(&responses).unwrap();
            self.logged.push(players);
            self.requests.push(turn.request());
            self.is_sent = false;
        }
    }

    fn awaits_answer(&self) -> bool {
        !self.is_over() && self.session.game().state().alive.contains(self.seat)
    }

    fn request(&self, in_envelope: bool) -> String {
        let last = self.requests.last().unwrap();
        if in_envelope { json!({ "requests": self.requests, "responses": self.responses }).to_string() } else { last.to_string() }
    }

    fn end(&self) -> String {
        if self.is_aborted {
            return format!("{} {} 0", self.id, self.seat);
        }
        let scores = pacman2_rules::scores(&self.session.game().state().strength);
        let scores: Vec<String> = scores.0.iter().map(|score| score.points().to_string()).collect();
        format!("{} {} 4 {}", self.id, self.seat, scores.join(" "))
    }

    /// The log in the light form.
    fn log(&self) -> Value {
        let names = BySeat::from_fn(|_| None);
        let log = MatchLog { id: None, map: self.session.map().clone(), names, turns: self.logged.clone(), difference: None };
        json!({ "logs": log.write()["log"] })
    }
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) matches: Vec<ServedMatch>,
    /// What goes wrong with the next polls.
    pub(crate) faults: VecDeque<Fault>,
    /// The same for `runmatch`: status and body.
    pub(crate) run_match: VecDeque<(u16, String)>,
    /// A line of requests or ends that comes with the next reply: requests, ends.
    pub(crate) extra: (Vec<String>, Vec<String>),
    pub(crate) in_envelopes: bool,
    pub(crate) has_logs: bool,
    pub(crate) asked: Vec<Asked>,
    /// Connections that are never answered.
    hanging: Vec<TcpStream>,
}

/// The running stand-in.
pub(crate) struct StandIn {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
    server: Option<(Arc<AtomicBool>, JoinHandle<()>)>,
}

impl StandIn {
    pub(crate) fn new(matches: Vec<ServedMatch>) -> StandIn {
        let state = State { matches, has_logs: true, ..State::default() };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stand_in = StandIn { address: listener.local_addr().unwrap(), state: Arc::new(Mutex::new(state)), server: None };
        stand_in.serve(listener);
        stand_in
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/api/{USER}/{SECRET}/localai", self.address)
    }

    pub(crate) fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state().faults.extend(faults);
    }

    /// The polls so far.
    pub(crate) fn polls(&self) -> Vec<Asked> {
        self.state().asked.iter().filter(|asked| asked.path.ends_with("/localai")).cloned().collect()
    }

    /// Stops listening; everything else stays.
    pub(crate) fn stop(&mut self) {
        let Some((stop, server)) = self.server.take() else { return };
        stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        server.join().unwrap();
    }

    /// Listens again on the same port.
    pub(crate) fn restart(&mut self) {
        let listener = TcpListener::bind(self.address).unwrap();
        self.serve(listener);
    }

    fn serve(&mut self, listener: TcpListener) {
        let (stop, state) = (Arc::new(AtomicBool::new(false)), Arc::clone(&self.state));
        let stopped = Arc::clone(&stop);
        let server = thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (stream, state) = (stream.unwrap(), Arc::clone(&state));
                thread::spawn(move || answer(stream, &state));
            }
        });
        self.server = Some((stop, server));
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.stop();
    }
}

fn answer(mut stream: TcpStream, state: &Mutex<State>) {
    let Some(asked) = read(&mut stream) else { return };
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    lock().asked.push(asked.clone());
    let own = format!("/api/{USER}/{SECRET}/");
    let of_user = asked.path.strip_prefix("/api/").map(|_| asked.path.strip_prefix(own.as_str()));
    match of_user {
        Some(None) => reply(&mut stream, 401, &format!("secret of {} is wrong", asked.path)),
        Some(Some("localai")) => poll(stream, state, &asked),
        Some(Some("runmatch")) => {
            let (status, body) = lock().run_match.pop_front().unwrap_or((403, "busy".to_owned()));
            reply(&mut stream, status, &body);
        }
        Some(Some("abortmatch")) => {
            let mut state = lock();
            let found = state.matches.iter_mut().find(|game| Some(game.id.as_str()) == asked.header("X-Matchid"));
            let status = if found.map(|game| game.is_aborted = true).is_some() { 200 } else { 400 };
            reply(&mut stream, status, "");
        }
        _ => {
            let state = lock();
            let log = state.matches.iter().find(|game| asked.path == format!("/match/{}?lite=true", game.id));
            match log.filter(|_| state.has_logs) {
                Some(game) => reply(&mut stream, 200, &game.log().to_string()),
                None => reply(&mut stream, 404, "no such match"),
            }
        }
    }
}

fn poll(mut stream: TcpStream, state: &Mutex<State>, asked: &Asked) {
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let fault = lock().faults.pop_front();
    match &fault {
        Some(Fault::Status(status, body)) => return reply(&mut stream, *status, body),
        Some(Fault::Hang) => return lock().hanging.push(stream),
        Some(Fault::Close) => return,
        Some(Fault::Raw(bytes)) => return drop(stream.write_all(bytes)),
        Some(Fault::Endless) => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n1 0\n");
            while stream.write_all(&[b'x'; 4096]).is_ok() {}
            return;
        }
        _ => {}
    }
    let mut state = lock();
    let takes = !matches!(fault, Some(Fault::LoseAnswers));
    for (name, value) in &asked.headers {
        let Some(id) = name.to_ascii_lowercase().strip_prefix("x-match-").map(str::to_owned) else { continue };
        let Some(game) = state.matches.iter_mut().find(|game| game.id == id) else { continue };
        // Botzone cannot know that an answer belongs to an earlier request.
        if takes && game.awaits_answer() && game.is_sent {
            game.answer(value);
        }
    }
    match fault {
        Some(Fault::StatusAfter(status)) => return reply(&mut stream, status, ""),
        Some(Fault::HangAfter) => return state.hanging.push(stream),
        Some(Fault::LoseAnswers | Fault::RepeatRequests) => state.matches.iter_mut().for_each(|game| game.is_sent = false),
        _ => {}
    }
    let in_envelopes = state.in_envelopes;
    let (mut requests, mut ends) = std::mem::take(&mut state.extra);
    let has_half = matches!(fault, Some(Fault::Half));
    for game in &mut state.matches {
        if game.awaits_answer() && !game.is_sent {
            requests.push(format!("{}\n{}", game.id, game.request(in_envelopes)));
            game.is_sent = !has_half;
        }
        if game.is_over() && !game.is_end_sent {
            ends.push(game.end());
            game.is_end_sent = !has_half;
        }
    }
    drop(state);
    if requests.is_empty() && ends.is_empty() {
        thread::sleep(POLL);
    }
    let mut body = format!("{} {}\n", requests.len(), ends.len());
    for line in requests.iter().chain(&ends) {
        body += &format!("{line}\n");
    }
    if has_half {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.len(), &body[..body.len() / 2]);
        return;
    }
    reply(&mut stream, 200, &body);
}

fn reply(stream: &mut TcpStream, status: u16, body: &str) {
    let location = if status / 100 == 3 { "Location: http://127.0.0.1:1/elsewhere\r\n" } else { "" };
    let head = format!("HTTP/1.1 {status} X\r\n{location}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// Reads a request without a body.
fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        bytes.push(byte[0]);
    }
    let text = String::from_utf8(bytes).unwrap();
    let mut lines = text.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    Some(Asked { path, headers: lines.map_while(header).collect() })
}

/// The text of a request of a match, as a line for [`State::extra`].
pub(crate) fn request_line(id: &str, request: &Value) -> String {
    format!("{id}\n{}", JsonText::from(request))
}
