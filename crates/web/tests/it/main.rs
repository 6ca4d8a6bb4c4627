//! The server over real sockets: its requests about an arena, with a store of invented games; clients that only occupy it; and
//! reports.

mod arena_fixture;
mod clients;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pacman2_botzone::words::{Locale, catalogue};
use pacman2_match::complaint::Complaint;
use pacman2_replay::Problem;
use pacman2_rules::Direction;
use pacman2_tournament::Store;
use pacman2_tournament::standings::standings;
use pacman2_tournament::store::Filter;
use pacman2_web::arena;
use pacman2_web::server::{AnalysisRequest, Backend, BackendError, MatchOptions, SeatedBot, Server, StopSignal, Timeouts};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A running server, with an arena or without. It stops when it is dropped.
struct Served {
    port: u16,
    stop: StopSignal,
    running: Option<JoinHandle<()>>,
    folder: TempDir,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

/// A backend without bots.
struct NoBots;

impl Backend for NoBots {
    fn seat_bot(&self, _: &str, _: &[String; 4], _: &MatchOptions) -> Result<SeatedBot, BackendError> {
        Err("no bot can play here".into())
    }

    fn built_in_bots(&self) -> Vec<&'static str> {
        Vec::new()
    }

    fn save_replay(&self, _: &str) -> Result<String, BackendError> {
        Err("replays are not saved here".into())
    }

    fn analyse(&self, _: &AnalysisRequest<'_>, _: &dyn Fn() -> bool) -> Value {
        Value::Null
    }

    fn decide(&self, _: serde_json::Map<String, Value>) -> Result<Value, BackendError> {
        Ok(Value::Null)
    }
}

/// Starts a server with an arena of `blocks` blocks of games.
fn serve(blocks: i32) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let store = arena_fixture::store(&folder.path().join("arena"), blocks);
    start(folder, Some(store))
}

fn start(folder: TempDir, store: Option<Store>) -> Served {
    start_with(folder, store, Timeouts::default())
}

fn start_with(folder: TempDir, store: Option<Store>, timeouts: Timeouts) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::new(listener, folder.path(), "token".to_owned()).unwrap().with_timeouts(timeouts);
    let server = if let Some(store) = store { server.with_arena(store) } else { server };
    let stop = StopSignal::default();
    let signal = stop.clone();
    let running = std::thread::spawn(move || server.run(NoBots, &signal).unwrap());
    Served { port, stop, running: Some(running), folder }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.request();
        let ended = self.running.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))));
    }
}

impl Served {
    fn request(&self, line: &str, headers: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "{line} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path}"), &format!("Host: 127.0.0.1:{}\r\n", self.port))
    }

    #[track_caller]
    fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
        serde_json::from_str(&answer.body).unwrap()
    }

    /// Returns the ids of the games for a query, and whether there are more.
    #[track_caller]
    fn games(&self, query: &str) -> (Vec<String>, bool) {
        let answer = self.json(&format!("/api/arena/games?{query}"));
        let ids = answer["games"].as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap().to_owned());
        (ids.collect(), answer["more"].as_bool().unwrap())
    }

    fn store(&self) -> Store {
        Store::open(&self.folder.path().join("arena")).unwrap()
    }
}

impl Answer {
    /// Asserts an error response: one sentence that contains `words`.
    #[track_caller]
    fn assert_error(&self, status: u16, words: &str) {
        assert_eq!(self.status, status, "{}", self.body);
        let body: Value = serde_json::from_str(&self.body).unwrap();
        let error = body["error"].as_str().unwrap();
        assert!(error.contains(words) && !error.contains('\n'), "\"{words}\" is not in: {error}");
    }
}

#[test]
fn standings_are_those_of_the_store_without_private_data() {
    let served = serve(24);
    let answer = served.json("/api/arena/standings");
    let store = served.store();
    let (bots, games) = (store.bots().unwrap(), store.games(&Filter::default()).unwrap());
    let expected = standings(&bots, &games, arena::BOOTSTRAP_SEED);
    assert_eq!((answer["games"].as_u64(), answer["blocks"].as_u64()), (Some(96), Some(24)));
    assert_eq!(answer["bots"].as_array().unwrap().len(), 9);
    for (line, expected) in answer["bots"].as_array().unwrap().iter().zip(&expected.bots) {
        assert_eq!(line["bot"]["name"], expected.bot.name);
        assert!((line["rating"]["value"].as_f64().unwrap() - expected.rating.value).abs() < 0.001);
        assert!((line["points"]["low"].as_f64().unwrap() - expected.points.interval.unwrap().low).abs() < 0.001);
    }
    for path in ["/api/arena/standings", "/api/arena/bots", "/api/arena/games"] {
        let body = served.get(path).body;
        assert!(!body.contains("secret") && !body.contains("command"), "{path} contains a bot's command");
    }
    let names: Vec<Value> = served.json("/api/arena/bots").as_array().unwrap().iter().map(|bot| bot["name"].clone()).collect();
    assert_eq!((names.len(), &names[4]), (9, &json!(arena_fixture::MARKUP)));
}

#[test]
fn games_are_paged_and_filtered() {
    let served = serve(30);
    let store = served.store();
    let mut all: Vec<String> = store.games(&Filter::default()).unwrap().into_iter().map(|game| game.id).collect();
    all.reverse();
    let (mut paged, mut more) = served.games("limit=50");
    assert_eq!((paged.len(), more), (50, true));
    while more {
        let (some, still) = served.games(&format!("limit=50&before={}", paged.last().unwrap()));
        (paged, more) = ([paged, some].concat(), still);
    }
    assert_eq!(paged, all);
    assert_eq!(served.games("").0, all[..50], "50 by default, newest first");

    let matching = |predicate: &dyn Fn(&pacman2_tournament::GameResult) -> bool| -> Vec<String> {
        let games = store.games(&Filter::default()).unwrap();
        let mut ids: Vec<String> = games.into_iter().filter(|game| predicate(game)).map(|game| game.id).collect();
        ids.reverse();
        ids
    };
    assert_eq!(served.games("seed=7").0, matching(&|game| game.seed == 7));
    let dolphins = matching(&|game| game.seats.iter().any(|(_, seat)| [1, 9].contains(&seat.bot.0)));
    assert_eq!(served.games("limit=500&bot=%E6%B5%B7%E8%B1%9A").0, dolphins, "all versions");
    let first = matching(&|game| game.seats.iter().any(|(_, seat)| seat.bot.0 == 1));
    assert!(!first.is_empty() && first.len() < dolphins.len());
    assert_eq!(served.games("limit=500&bot=%E6%B5%B7%E8%B1%9A%401").0, first, "one version");
    let failed = matching(&|game| game.seats.iter().any(|(_, seat)| seat.fault.is_some()));
    assert!(failed.len() > 5);
    assert_eq!(served.games("limit=500&fault=any").0, failed);
    // With a filter by bot and fault, the fault must be that bot's, and each page is still full.
    let own = matching(&|game| game.seats.iter().any(|(_, seat)| seat.bot.0 == 5 && seat.fault.is_some()));
    let any_fault = matching(&|game| {
        game.seats.iter().any(|(_, seat)| seat.bot.0 == 5) && game.seats.iter().any(|(_, seat)| seat.fault.is_some())
    });
    assert!(own.len() > 1 && own.len() < any_fault.len(), "{own:?} {any_fault:?}");
    let name = "bot=%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E";
    assert_eq!(served.games(&format!("{name}&fault=ILLEGAL&limit=500")), (own.clone(), false));
    assert_eq!(served.games(&format!("{name}&fault=any&limit=1")), (own[..1].to_vec(), true));
    assert_eq!(served.games(&format!("{name}&fault=any&limit=500&before={}", own[0])), (own[1..].to_vec(), false));
    assert_eq!(served.games(&format!("{name}&fault=TLE")), (Vec::new(), false));
    for (result, is_won) in [("won", true), ("lost", false)] {
        let those = matching(&|game| game.seats.iter().any(|(_, seat)| seat.bot.0 == 1 && (seat.place == 1) == is_won));
        assert!(!those.is_empty() && those.len() < first.len());
        assert_eq!(served.games(&format!("limit=500&bot=%E6%B5%B7%E8%B1%9A%401&result={result}")).0, those);
    }
    let ends: Vec<i64> = store.games(&Filter::default()).unwrap().into_iter().map(|game| game.finished).collect();
    let (since, until) = (ends[ends.len() / 4], ends[ends.len() / 2]);
    let those = matching(&|game| (since..until).contains(&game.finished));
    assert!(!those.is_empty() && those.len() < all.len());
    assert_eq!(served.games(&format!("limit=500&since={since}&until={until}")).0, those);
}

#[test]
fn games_contain_only_their_public_part() {
    let served = serve(2);
    let (ids, _) = served.games("limit=1");
    let replay = served.json(&format!("/api/arena/games/{}/replay", ids[0]));
    assert_eq!(replay["private"], json!({ "turns": [] }));
    assert_eq!(replay["public"]["seats"].as_array().unwrap().len(), 4);
    let page = served.get(&format!("/arena/games/{}", ids[0]));
    assert_eq!(page.status, 303);
    assert!(page.head.contains(&format!("location: /#game={}", ids[0])), "{}", page.head);
    for path in ["/api/arena/games/nothing/replay", "/arena/games/nothing", "/api/arena/games/..%2f..%2farena.sqlite/replay"] {
        served.get(path).assert_error(404, "no such game");
    }
    for path in
        ["/arena/arena.sqlite", "/arena/bots", "/api/arena", "/api/arena/bots/1", "/arena.sqlite", "/api/replays/arena.sqlite"]
    {
        assert_eq!(served.get(path).status, 404, "{path}");
    }
}

#[test]
fn invalid_queries_are_rejected_in_one_sentence() {
    let served = serve(1);
    for (query, status, words) in [
        ("seed=x", 400, "seed must be a whole number between -2147483648 and 4294967295, got x"),
        ("seed=4294967296", 400, "got 4294967296"),
        ("fault=LATE", 400, "fault: unknown kind LATE; expected any, TLE"),
        ("limit=0", 400, "between 1 and 500"),
        ("limit=501", 400, "between 1 and 500"),
        ("limit=many", 400, "between 1 and 500"),
        ("colour=red", 400, "expected bot, fault, seed, result, since, until, before and limit"),
        ("result=drawn", 400, "result: expected won or lost, got drawn"),
        ("since=today", 400, "since: expected seconds since 1970, got today"),
        ("seed=1&seed=2", 400, "repeated"),
        ("bot=%FF", 404, "no bot "),
        ("bot=stranger", 404, "there is no bot stranger in this arena"),
        ("before=nothing", 404, "before: there is no such game"),
        ("bot='%20OR%201=1--", 404, "OR 1=1"),
    ] {
        served.get(&format!("/api/arena/games?{query}")).assert_error(status, words);
    }
    let host = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer token\r\nContent-Length: 0\r\n", served.port);
    served.request("POST /api/arena/games", &host).assert_error(405, "not allowed");
}

#[test]
fn arena_requests_pass_the_same_checks_as_others() {
    let served = serve(1);
    let own = format!("Host: 127.0.0.1:{}\r\n", served.port);
    let (ids, _) = served.games("limit=1");
    let (game, replay) = (format!("/arena/games/{}", ids[0]), format!("/api/arena/games/{}/replay", ids[0]));
    for path in ["/arena", "/api/arena/standings", "/api/arena/news", "/api/arena/bots", "/api/arena/games", &game, &replay] {
        let line = format!("GET {path}");
        // That of a game leads to the page of the server.
        let status = if path == game { 303 } else { 200 };
        assert_eq!(served.request(&line, &own).status, status, "{path}");
        served.request(&line, &format!("Host: evil.example:{}\r\n", served.port)).assert_error(403, "under that name");
        served.request(&line, &format!("{own}Origin: https://evil.example\r\n")).assert_error(403, "another origin");
        served.request(&line, &format!("{own}Sec-Fetch-Site: cross-site\r\n")).assert_error(403, "another origin");
        let head = served.request(&line, &own).head;
        for header in ["x-frame-options: deny", "nosniff", "cache-control: no-store", "frame-ancestors 'none'"] {
            assert!(head.contains(header), "{path} lacks {header}: {head}");
        }
        // Links from elsewhere may lead to a page, but not to the API.
        let visit = format!("{own}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n");
        assert_eq!(served.request(&line, &visit).status, if path.starts_with("/api") { 403 } else { status }, "{path}");
    }
}

#[test]
fn the_revision_changes_with_new_games_and_the_standings_follow() {
    let served = serve(4);
    let before = served.json("/api/arena/news");
    let first = served.get("/api/arena/standings");
    assert_eq!(before["games"], 16);
    assert!(first.head.contains(&format!("etag: \"{}\"", before["stamp"].as_str().unwrap())), "{}", first.head);
    assert_eq!(served.get("/api/arena/standings").body, first.body);
    arena_fixture::play_block(&mut served.store(), 99);
    let after = served.json("/api/arena/news");
    assert_eq!(after["games"], 20);
    assert_ne!(after["stamp"], before["stamp"]);
    // The server may reuse old standings for a while.
    let begin = Instant::now();
    while served.json("/api/arena/standings")["games"] != 20 {
        assert!(begin.elapsed() < Duration::from_secs(60), "the standings do not change");
    }
    let active = |is_active| served.store().set_active(pacman2_tournament::BotId(2), is_active).unwrap();
    active(false);
    assert_ne!(served.json("/api/arena/news")["stamp"], after["stamp"]);
}

#[test]
fn without_an_arena_its_requests_are_not_found() {
    let served = start(tempfile::tempdir().unwrap(), None);
    for path in
        ["/arena", "/arena/games/x", "/api/arena/standings", "/api/arena/games", "/api/arena/news", "/api/arena/games/x/replay"]
    {
        served.get(path).assert_error(404, "shows no arena");
    }
}

#[test]
fn an_arena_may_have_no_games() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("arena"), &arena_fixture::settings()).unwrap();
    let served = start(folder, Some(store));
    assert_eq!(served.json("/api/arena/standings")["games"], 0);
    assert_eq!(served.games(""), (Vec::new(), false));
    assert_eq!(served.json("/api/arena/bots"), json!([]));
}

#[test]
fn a_report_has_one_line_per_game() {
    let folder = tempfile::tempdir().unwrap();
    let store = arena_fixture::store(folder.path(), 3);
    let (bots, games) = (store.bots().unwrap(), store.games(&Filter::default()).unwrap());
    let standings = standings(&bots, &games, arena::BOOTSTRAP_SEED);
    let file = |game: &pacman2_tournament::GameResult| (game.seed == 2).then(|| format!("games/{} a.html", game.id));
    let report = arena::report(&standings, &bots, &games, file, None);
    let lines: Vec<&str> = report["games"].as_str().unwrap().lines().collect();
    assert_eq!(lines.len(), 12);
    let game = &games[5];
    let parts: Vec<&str> = lines[5].splitn(12, ' ').collect();
    let seat = &game.seats.0[2];
    assert_eq!(parts[..2], [game.id.as_str(), "2"]);
    let fault = seat.fault.as_ref().map_or(",0".to_owned(), |fault| format!("{},{}", fault.kind, fault.turn));
    let expected = format!("{},{},{},{},{fault},{}", seat.bot.0, seat.hundredths, seat.place, seat.strength, seat.slowest_us);
    assert_eq!(parts[9], expected);
    assert_eq!(parts[11], format!("games/{} a.html", game.id));
    assert_eq!(lines[0].splitn(12, ' ').nth(11), Some(""));
    let html = arena::report_page(&report, &["sage"]);
    assert!(html.contains("connect-src 'none'") && !html.contains("<img"));
}

/// A complaint of each kind that has a code.
fn coded_complaints() -> Vec<Complaint> {
    let limit_ms = 1000;
    vec![
        Complaint::Unasked,
        Complaint::NotStarted { reason: "no command was given".to_owned(), causes: vec![Problem::new("start-no-command")] },
        Complaint::Late { limit_ms },
        Complaint::Unfinished { limit_ms },
        Complaint::CpuTime { limit_ms },
        Complaint::Memory { limit_mb: 1 },
        Complaint::Tasks { limit: 9 },
        Complaint::Output { limit_bytes: 9 },
        Complaint::ExitCode { exit_code: 1 },
        Complaint::Signal { signal: 9 },
        Complaint::Ended,
        Complaint::Abandoned,
        Complaint::NotJson { reason: "it is XML".to_owned(), causes: [Problem::new("answer-empty")] },
        Complaint::NoAction,
        Complaint::Wall { direction: Direction::Up },
        Complaint::TooWeak { cost: 4, strength: 1 },
        Complaint::UnknownAction { action: 9 },
        Complaint::Forgiven { limit_ms },
    ]
}

#[test]
fn every_code_of_a_complaint_is_documented() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = ["../../docs/REPLAY.md", "../../docs/REPLAY.zh.md"].map(|path| fs::read_to_string(folder.join(path)).unwrap());
    for complaint in coded_complaints() {
        let Problem { code, params } = complaint.problem().unwrap();
        for doc in &docs {
            assert!(doc.contains(&format!("`{code}`")), "{code} is not documented");
            assert!(params.keys().all(|name| doc.contains(&format!("`{name}`"))), "{code}: {params:?}");
        }
    }
}

/// The catalogue has words for each code that the sources use, and for no other.
#[test]
fn the_catalogue_has_the_codes_in_use() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders = ["botzone/src", "match/src", "match/src/cause", "bot-source/src"].map(|folder| crates.join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let sources: String = files.filter(|path| path.is_file()).map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut used: BTreeSet<String> = coded_complaints().iter().map(|complaint| complaint.problem().unwrap().code).collect();
    const LISTED: [&str; 10] = [
        "answer-",
        "bot-not-executable",
        "bot-other-kind",
        "cause-",
        "compiler-",
        "json-",
        "place",
        "program-too-large",
        "start-",
        "system-",
    ];
    let is_listed = |text: &str| LISTED.iter().any(|begin| text.starts_with(begin));
    let is_code = |text: &&str| {
        is_listed(text) && !text.ends_with('-') && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphanumeric())
    };
    used.extend(sources.split('"').filter(is_code).map(str::to_owned));
    used.extend((0..4).map(|action| format!("action-{action}")));
    for of_page in ["compiler-output", "compiler-without-program", "start-sandbox"] {
        used.remove(of_page);
    }
    let code = |key: &str| key.trim_end_matches("-advice").trim_end_matches("-because").to_owned();
    let worded: BTreeSet<String> = catalogue(Locale::English).keys().map(|key| code(key)).collect();
    assert_eq!(worded, used);
    used.iter().for_each(|code| assert!(catalogue(Locale::English).contains_key(code), "{code} has no words of its own"));
}
