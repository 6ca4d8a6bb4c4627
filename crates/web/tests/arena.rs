//! The arena's page and what it asks: over real sockets, from a real store with games that nobody played.

mod made_up;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pacman2_tournament::Store;
use pacman2_tournament::standings::standings;
use pacman2_tournament::store::Filter;
use pacman2_web::arena;
use pacman2_web::server::{AnalysisRequest, Backend, MatchOptions, SeatedBot, Server, Stop};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server with an arena, or without.
struct Served {
    port: u16,
    stop: Stop,
    running: Option<JoinHandle<()>>,
    folder: TempDir,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

/// Nobody sits down here.
struct Nobody;

impl Backend for Nobody {
    fn sit(&self, _: &str, _: &[String; 4], _: &MatchOptions) -> Result<SeatedBot, String> {
        Err("nobody sits down here".to_owned())
    }

    fn built_in(&self) -> Vec<&'static str> {
        Vec::new()
    }

    fn keep(&self, _: &str) -> Result<String, String> {
        Err("nothing is kept here".to_owned())
    }

    fn analyse(&self, _: &AnalysisRequest<'_>, _: &dyn Fn() -> bool) -> Value {
        Value::Null
    }
}

/// A server with an arena of so many blocks.
fn serve(blocks: i32) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let store = made_up::store(&folder.path().join("arena"), blocks);
    start(folder, Some(store))
}

fn start(folder: TempDir, store: Option<Store>) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::new(listener, folder.path(), "token".to_owned()).unwrap();
    let server = if let Some(store) = store { server.with_arena(store) } else { server };
    let stop = Stop::default();
    let asked = stop.clone();
    let running = std::thread::spawn(move || server.run(Nobody, &asked).unwrap());
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
    fn ask(&self, line: &str, headers: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "{line} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &format!("Host: 127.0.0.1:{}\r\n", self.port))
    }

    #[track_caller]
    fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
        serde_json::from_str(&answer.body).unwrap()
    }

    /// The ids of some games.
    #[track_caller]
    fn games(&self, wanted: &str) -> (Vec<String>, bool) {
        let told = self.json(&format!("/api/arena/games?{wanted}"));
        let ids = told["games"].as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap().to_owned());
        (ids.collect(), told["more"].as_bool().unwrap())
    }

    fn store(&self) -> Store {
        Store::open(&self.folder.path().join("arena")).unwrap()
    }
}

impl Answer {
    /// Refused in one sentence that holds these words.
    #[track_caller]
    fn refused(&self, status: u16, words: &str) {
        assert_eq!(self.status, status, "{}", self.body);
        let told: Value = serde_json::from_str(&self.body).unwrap();
        let error = told["error"].as_str().unwrap();
        assert!(error.contains(words) && !error.contains('\n'), "\"{words}\" is not in: {error}");
    }
}

#[test]
fn the_table_is_that_of_the_store_without_what_belongs_to_owners() {
    let served = serve(24);
    let told = served.json("/api/arena/standings");
    let store = served.store();
    let (bots, games) = (store.bots().unwrap(), store.games(&Filter::default()).unwrap());
    let wanted = standings(&bots, &games, arena::BOOTSTRAP_SEED);
    assert_eq!((told["games"].as_u64(), told["blocks"].as_u64()), (Some(96), Some(24)));
    assert_eq!(told["bots"].as_array().unwrap().len(), 9);
    for (line, wanted) in told["bots"].as_array().unwrap().iter().zip(&wanted.bots) {
        assert_eq!(line["bot"]["name"], wanted.bot.name);
        assert!((line["rating"]["value"].as_f64().unwrap() - wanted.rating.value).abs() < 0.001);
        assert!((line["points"]["low"].as_f64().unwrap() - wanted.points.low).abs() < 0.001);
    }
    for path in ["/api/arena/standings", "/api/arena/bots", "/api/arena/games"] {
        let body = served.get(path).body;
        assert!(!body.contains("secret") && !body.contains("command"), "{path} tells how a bot is started");
    }
    let names: Vec<Value> = served.json("/api/arena/bots").as_array().unwrap().iter().map(|bot| bot["name"].clone()).collect();
    assert_eq!((names.len(), &names[4]), (9, &json!(made_up::MARKUP)));
}

#[test]
fn games_are_paged_and_chosen() {
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
    assert_eq!(served.games("").0, all[..50], "the newest 50, if nobody says how many");

    let chosen = |is_meant: &dyn Fn(&pacman2_tournament::GameResult) -> bool| -> Vec<String> {
        let games = store.games(&Filter::default()).unwrap();
        let mut ids: Vec<String> = games.into_iter().filter(|game| is_meant(game)).map(|game| game.id).collect();
        ids.reverse();
        ids
    };
    assert_eq!(served.games("seed=7").0, chosen(&|game| game.seed == 7));
    let dolphins = chosen(&|game| game.seats.iter().any(|(_, seat)| [1, 9].contains(&seat.bot.0)));
    assert_eq!(served.games("limit=500&bot=%E6%B5%B7%E8%B1%9A").0, dolphins, "all versions");
    let first = chosen(&|game| game.seats.iter().any(|(_, seat)| seat.bot.0 == 1));
    assert!(!first.is_empty() && first.len() < dolphins.len());
    assert_eq!(served.games("limit=500&bot=%E6%B5%B7%E8%B1%9A%401").0, first, "one version");
    let failed = chosen(&|game| game.seats.iter().any(|(_, seat)| seat.fault.is_some()));
    assert!(failed.len() > 5);
    assert_eq!(served.games("limit=500&fault=any").0, failed);
    // Where a bot is asked for, a fault of another one at its table does not count; and that costs no game of a page.
    let own = chosen(&|game| game.seats.iter().any(|(_, seat)| seat.bot.0 == 5 && seat.fault.is_some()));
    let beside = chosen(&|game| {
        game.seats.iter().any(|(_, seat)| seat.bot.0 == 5) && game.seats.iter().any(|(_, seat)| seat.fault.is_some())
    });
    assert!(own.len() > 1 && own.len() < beside.len(), "{own:?} {beside:?}");
    let name = "bot=%3C%2Fscript%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E";
    assert_eq!(served.games(&format!("{name}&fault=ILLEGAL&limit=500")), (own.clone(), false));
    assert_eq!(served.games(&format!("{name}&fault=any&limit=1")), (own[..1].to_vec(), true));
    assert_eq!(served.games(&format!("{name}&fault=any&limit=500&before={}", own[0])), (own[1..].to_vec(), false));
    assert_eq!(served.games(&format!("{name}&fault=TLE")), (Vec::new(), false));
}

#[test]
fn of_a_game_only_what_is_public_is_told() {
    let served = serve(2);
    let (ids, _) = served.games("limit=1");
    let replay = served.json(&format!("/api/arena/games/{}/replay", ids[0]));
    assert_eq!(replay["private"], json!({ "turns": [] }));
    assert_eq!(replay["public"]["seats"].as_array().unwrap().len(), 4);
    let page = served.get(&format!("/arena/games/{}", ids[0]));
    assert_eq!(page.status, 200);
    assert!(page.head.contains("text/html") && page.head.contains("connect-src 'none'"), "{}", page.head);
    assert!(page.body.contains("pacman2 replay"));
    for path in ["/api/arena/games/nothing/replay", "/arena/games/nothing", "/api/arena/games/..%2f..%2farena.sqlite/replay"] {
        served.get(path).refused(404, "no such game");
    }
    for path in
        ["/arena/arena.sqlite", "/arena/bots", "/api/arena", "/api/arena/bots/1", "/arena.sqlite", "/api/replays/arena.sqlite"]
    {
        assert_eq!(served.get(path).status, 404, "{path}");
    }
}

#[test]
fn nonsense_is_refused_in_a_sentence() {
    let served = serve(1);
    for (wanted, status, words) in [
        ("seed=x", 400, "seed: x is none; 0 to 2147483647"),
        ("seed=-1", 400, "seed"),
        ("fault=LATE", 400, "fault: LATE is none; any, TLE"),
        ("limit=0", 400, "1 to 500"),
        ("limit=501", 400, "1 to 500"),
        ("limit=many", 400, "1 to 500"),
        ("colour=red", 400, "bot, fault, seed, before and limit"),
        ("seed=1&seed=2", 400, "each once"),
        ("bot=%FF", 404, "no "),
        ("bot=stranger", 404, "there is no stranger in this arena"),
        ("before=nothing", 404, "before: there is no such game"),
        ("bot='%20OR%201=1--", 404, "OR 1=1"),
    ] {
        served.get(&format!("/api/arena/games?{wanted}")).refused(status, words);
    }
    let host = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer token\r\nContent-Length: 0\r\n", served.port);
    served.ask("POST /api/arena/games", &host).refused(405, "cannot be done");
}

#[test]
fn the_door_is_the_same_for_the_arena() {
    let served = serve(1);
    let own = format!("Host: 127.0.0.1:{}\r\n", served.port);
    let (ids, _) = served.games("limit=1");
    let (game, replay) = (format!("/arena/games/{}", ids[0]), format!("/api/arena/games/{}/replay", ids[0]));
    for path in ["/arena", "/api/arena/standings", "/api/arena/news", "/api/arena/bots", "/api/arena/games", &game, &replay] {
        let line = format!("GET {path}");
        assert_eq!(served.ask(&line, &own).status, 200, "{path}");
        served.ask(&line, &format!("Host: evil.example:{}\r\n", served.port)).refused(403, "by that name");
        served.ask(&line, &format!("{own}Origin: https://evil.example\r\n")).refused(403, "from elsewhere");
        served.ask(&line, &format!("{own}Sec-Fetch-Site: cross-site\r\n")).refused(403, "from elsewhere");
        let head = served.ask(&line, &own).head;
        for header in ["x-frame-options: deny", "nosniff", "cache-control: no-store", "frame-ancestors 'none'"] {
            assert!(head.contains(header), "{path} lacks {header}: {head}");
        }
        // A person may follow a link to a page, and only to a page.
        let visit = format!("{own}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n");
        assert_eq!(served.ask(&line, &visit).status, if path.starts_with("/api") { 403 } else { 200 }, "{path}");
    }
}

#[test]
fn news_come_with_games_and_the_table_follows() {
    let served = serve(4);
    let before = served.json("/api/arena/news");
    let first = served.get("/api/arena/standings");
    assert_eq!(before["games"], 16);
    assert!(first.head.contains(&format!("etag: \"{}\"", before["stamp"].as_str().unwrap())), "{}", first.head);
    assert_eq!(served.get("/api/arena/standings").body, first.body);
    made_up::play_block(&mut served.store(), 99);
    let after = served.json("/api/arena/news");
    assert_eq!(after["games"], 20);
    assert_ne!(after["stamp"], before["stamp"]);
    // It may rest a while before it is made anew.
    let begin = Instant::now();
    while served.json("/api/arena/standings")["games"] != 20 {
        assert!(begin.elapsed() < Duration::from_secs(60), "the table does not follow");
    }
    let active = |is_active| served.store().set_active(pacman2_tournament::BotId(2), is_active).unwrap();
    active(false);
    assert_ne!(served.json("/api/arena/news")["stamp"], after["stamp"]);
}

#[test]
fn without_an_arena_there_is_none() {
    let served = start(tempfile::tempdir().unwrap(), None);
    for path in
        ["/arena", "/arena/games/x", "/api/arena/standings", "/api/arena/games", "/api/arena/news", "/api/arena/games/x/replay"]
    {
        served.get(path).refused(404, "--arena DIR");
    }
}

#[test]
fn an_arena_without_games_is_shown_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("arena"), &made_up::settings()).unwrap();
    let served = start(folder, Some(store));
    assert_eq!(served.json("/api/arena/standings")["games"], 0);
    assert_eq!(served.games(""), (Vec::new(), false));
    assert_eq!(served.json("/api/arena/bots"), json!([]));
}

#[test]
fn a_report_holds_each_game_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let store = made_up::store(folder.path(), 3);
    let (bots, games) = (store.bots().unwrap(), store.games(&Filter::default()).unwrap());
    let table = standings(&bots, &games, arena::BOOTSTRAP_SEED);
    let file = |game: &pacman2_tournament::GameResult| (game.seed == 2).then(|| format!("games/{} a.html", game.id));
    let report = arena::report(&table, &bots, &games, file, None);
    let lines: Vec<&str> = report["games"].as_str().unwrap().lines().collect();
    assert_eq!(lines.len(), 12);
    let game = &games[5];
    let parts: Vec<&str> = lines[5].splitn(12, ' ').collect();
    let seat = &game.seats.0[2];
    assert_eq!(parts[..2], [game.id.as_str(), "2"]);
    let fault = seat.fault.as_ref().map_or(",0".to_owned(), |fault| format!("{},{}", fault.kind, fault.turn));
    let wanted = format!("{},{},{},{},{fault},{}", seat.bot.0, seat.hundredths, seat.place, seat.strength, seat.slowest_us);
    assert_eq!(parts[9], wanted);
    assert_eq!(parts[11], format!("games/{} a.html", game.id));
    assert_eq!(lines[0].splitn(12, ' ').nth(11), Some(""));
    let html = arena::page(Some(&report));
    assert!(html.contains("connect-src 'none'") && !html.contains("<img"));
    assert!(arena::page(None).contains("connect-src 'self'"));
}
