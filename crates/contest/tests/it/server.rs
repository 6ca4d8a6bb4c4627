//! The server over real sockets: who may make which request, and the way from a link to a version.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use pacman2_bot_source::sandbox::SandboxOptions;
use pacman2_contest::contest::Contest;
use pacman2_contest::server::{ContestServer, first_link};
use pacman2_tournament::Store;
use pacman2_web::server::StopSignal;
use serde_json::{Value, json};
use tempfile::TempDir;

const PASSWORD: &str = "correct horse";

/// A running server of a contest. It stops when it is dropped.
struct Served {
    port: u16,
    contest: Arc<Contest>,
    stop: StopSignal,
    running: Option<JoinHandle<()>>,
    _folder: TempDir,
}

struct Answer {
    status: u16,
    head: String,
    body: Value,
}

fn serve() -> Served {
    let folder = tempfile::tempdir().unwrap();
    // Nothing is judged or played here, so no sandbox is needed.
    let contest =
        Arc::new(Contest::open(folder.path(), &SandboxOptions { trust: vec!["all".to_owned()], require_tier: None }).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = ContestServer::new(listener, Arc::clone(&contest), Store::open_to_read(contest.arena()).unwrap());
    let stop = StopSignal::default();
    let signal = stop.clone();
    let running = std::thread::spawn(move || server.run(&signal).unwrap());
    Served { port, contest, stop, running: Some(running), _folder: folder }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.request();
        let ended = self.running.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))));
    }
}

impl Served {
    fn request(&self, line: &str, headers: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let (port, length) = (self.port, body.len());
        write!(
            stream,
            "{line} HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_owned(), body: serde_json::from_str(body).unwrap_or_default() }
    }

    /// What a page of this server sends from a browser with this cookie.
    fn post(&self, path: &str, cookie: &str, body: &Value) -> Answer {
        let headers = format!("Origin: http://127.0.0.1:{}\r\nCookie: {cookie}\r\n", self.port);
        self.request(&format!("POST {path}"), &headers, &body.to_string())
    }

    fn get(&self, path: &str, cookie: &str) -> Answer {
        self.request(&format!("GET {path}"), &format!("Cookie: {cookie}\r\n"), "")
    }

    /// Uses a link, and returns the cookie of the browser that is signed in then.
    fn accept(&self, link: &str) -> String {
        let accepted = self.post("/api/contest/invitation/accept", "", &json!({ "secret": secret(link), "password": PASSWORD }));
        assert_eq!(accepted.status, 200, "{}", accepted.body);
        accepted.cookie()
    }

    /// Returns the cookies of a teacher, an assistant and a student.
    fn people(&self) -> [String; 3] {
        let teacher = self.accept(&first_link(&self.contest).unwrap().unwrap());
        let csv = "name,number,group,role\nAda,1,A,\nBob,2,,assistant\n";
        assert_eq!(self.post("/api/contest/people", &teacher, &json!({ "csv": csv })).status, 200);
        let links = self.post("/api/contest/links", &teacher, &json!({ "people": [3, 2] }));
        let cookie = |place: usize| self.accept(links.body[place]["link"].as_str().unwrap());
        let (assistant, student) = (cookie(0), cookie(1));
        [teacher, assistant, student]
    }

    fn sign_in(&self, number: &str, password: &str) -> Answer {
        self.post("/api/contest/sign-in", "", &json!({ "number": number, "password": password }))
    }
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.head.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim_start_matches(": ")
    }

    fn cookie(&self) -> String {
        self.header("set-cookie").split(';').next().unwrap().to_owned()
    }

    fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

fn secret(link: &str) -> &str {
    link.strip_prefix("/#invitation=").unwrap()
}

#[test]
fn each_request_has_those_who_may_make_it() {
    let served = serve();
    let [teacher, assistant, student] = served.people();
    let list = json!({ "csv": "name,number\nEve,9\n" }).to_string();
    let (of_student, of_staff) = (r#"{"people":[2]}"#, r#"{"people":[1]}"#);
    // What nobody, a student, an assistant and a teacher get.
    let table: [(&str, &str, [u16; 4]); 16] = [
        ("GET /", "", [200; 4]),
        ("GET /api/contest/me", "", [200; 4]),
        ("GET /api/contest/versions", "", [401, 200, 200, 200]),
        ("POST /api/contest/versions?file=bot.py", "print()", [401, 201, 201, 201]),
        ("POST /api/contest/versions", "print()", [401, 400, 400, 400]),
        ("GET /api/contest/people", "", [401, 403, 200, 200]),
        ("POST /api/contest/people", &list, [401, 403, 403, 200]),
        ("POST /api/contest/links", of_student, [401, 403, 201, 201]),
        ("POST /api/contest/links", of_staff, [401, 403, 403, 201]),
        ("GET /api/contest/log", "", [401, 403, 200, 200]),
        ("GET /arena", "", [303, 200, 200, 200]),
        ("GET /arena/games/x", "", [303, 404, 404, 404]),
        ("GET /api/arena/standings", "", [401, 200, 200, 200]),
        ("GET /api/arena/games/x/replay", "", [401, 404, 404, 404]),
        ("POST /api/contest/token", "{}", [401, 201, 201, 201]),
        ("POST /api/contest/sign-out", "{}", [401, 200, 200, 200]),
    ];
    for (line, body, expected) in table {
        for (cookie, expected) in ["", &student, &assistant, &teacher].into_iter().zip(expected) {
            let headers = format!("Origin: http://127.0.0.1:{}\r\nCookie: {cookie}\r\n", served.port);
            let answer = served.request(line, &headers, body);
            assert_eq!(answer.status, expected, "{line} with \"{cookie}\": {}", answer.body);
        }
    }
}

#[test]
fn a_link_leads_to_a_version() {
    let served = serve();
    let link = first_link(&served.contest).unwrap().unwrap();
    let shown = served.post("/api/contest/invitation", "", &json!({ "secret": secret(&link) }));
    assert_eq!((shown.status, &shown.body["number"]), (200, &json!("teacher")));
    let short = served.post("/api/contest/invitation/accept", "", &json!({ "secret": secret(&link), "password": "short" }));
    assert_eq!((short.status, short.code()), (400, "password-length"));
    served.accept(&link);
    let again = served.post("/api/contest/invitation/accept", "", &json!({ "secret": secret(&link), "password": PASSWORD }));
    assert_eq!((again.status, again.code()), (403, "wrong-invitation"));
    assert_eq!(first_link(&served.contest).unwrap(), None);

    let signed = served.sign_in("teacher", PASSWORD);
    let attributes = signed.header("set-cookie").to_owned();
    assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite=Strict"), "{attributes}");
    let cookie = signed.cookie();
    let uploaded = served.post("/api/contest/versions?file=bot.py", &cookie, &json!({}));
    assert_eq!(uploaded.status, 201, "{}", uploaded.body);
    let versions = served.get("/api/contest/versions", &cookie).body;
    assert_eq!((&versions[0]["file"], &versions[0]["state"]), (&json!("bot.py"), &json!("waiting")));
    assert_eq!(served.post("/api/contest/sign-out", &cookie, &json!({})).status, 200);
    assert_eq!(served.get("/api/contest/versions", &cookie).status, 401);
    assert_eq!(served.get("/api/contest/me", &cookie).body, Value::Null);
}

#[test]
fn the_cookie_serves_no_other_page_and_a_token_is_no_cookie() {
    let served = serve();
    let [teacher, ..] = served.people();
    let token = served.post("/api/contest/token", &teacher, &json!({})).body["token"].as_str().unwrap().to_owned();
    let hand_in = |headers: &str| served.request("POST /api/contest/versions?file=bot.py", headers, "print()");
    for headers in ["Origin: http://evil.example\r\n", "Sec-Fetch-Site: same-site\r\n", "Sec-Fetch-Site: cross-site\r\n"] {
        assert_eq!(hand_in(&format!("Cookie: {teacher}\r\n{headers}")).code(), "foreign-origin", "{headers}");
    }
    assert_eq!(hand_in(&format!("Cookie: {teacher}\r\n")).code(), "origin-needed");
    assert_eq!(hand_in(&format!("Authorization: Bearer {token}\r\n")).status, 201);
    assert_eq!(hand_in(&format!("Cookie: pacman2-contest={token}\r\nSec-Fetch-Site: same-origin\r\n")).status, 401);
    let read = |path: &str| served.request(&format!("GET {path}"), &format!("Authorization: Bearer {token}\r\n"), "").status;
    assert_eq!([read("/api/contest/versions"), read("/api/contest/people"), read("/api/arena/bots")], [200, 401, 401]);
    let cookie = teacher.split('=').nth(1).unwrap();
    assert_eq!(hand_in(&format!("Authorization: Bearer {cookie}\r\n")).status, 401);
}

#[test]
fn passwords_and_links_cannot_be_guessed() {
    let served = serve();
    served.people();
    let [unknown, wrong] = [served.sign_in("7", PASSWORD), served.sign_in("1", "wrong horse")];
    assert_eq!((unknown.status, &unknown.body), (wrong.status, &wrong.body), "nobody learns which numbers there are");
    let codes: Vec<String> = (0..10).map(|_| served.sign_in("1", "wrong horse").code().to_owned()).collect();
    assert_eq!((&*codes[8], &*codes[9]), ("wrong-password", "too-many-guesses"));
    assert_eq!(served.sign_in("1", PASSWORD).code(), "too-many-guesses", "also with the right one");
    assert_eq!(served.sign_in("2", PASSWORD).status, 200, "others are not affected");
    let guess = || served.post("/api/contest/invitation", "", &json!({ "secret": "0" })).code().to_owned();
    assert!((0..300).any(|_| guess() == "too-many-guesses"));
}

#[test]
fn the_page_words_every_error_in_chinese() {
    let read = |path: &str| std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let page = read("../web/contest/errors.js");
    let mut count = 0;
    for path in ["src/server/error.rs", "src/people.rs"] {
        let text = read(path);
        let variants = text
            .split("#[error(\"")
            .skip(1)
            .filter_map(|rest| rest.split_once("\")]\n")?.1.lines().find(|line| line.contains('{')));
        for name in variants.map(|line| line.trim().split(' ').next().unwrap()) {
            let kebab: String = name.char_indices().fold(String::new(), |text, (place, c)| {
                let dash = if place > 0 && c.is_uppercase() { "-" } else { "" };
                text + dash + &c.to_lowercase().to_string()
            });
            assert!(page.contains(&format!("\n  \"{kebab}\": ")), "{kebab} has no Chinese words");
            count += 1;
        }
    }
    assert!(count > 15, "only {count} errors were found");
}
