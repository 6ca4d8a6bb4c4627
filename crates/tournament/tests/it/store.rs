//! The store: what is stored can be read, and errors are one sentence.

use std::fs;
use std::path::Path;

use pacman2_botzone::response::Verdict;
use pacman2_rules::{BySeat, ForfeitRuling};
use pacman2_tournament::store::{ArenaSettings, DATABASE, FaultFilter, Filter, NewBot};
use pacman2_tournament::{BotId, BotVersion, Fault, GameResult, Job, SeatResult, Store};

fn settings() -> ArenaSettings {
    ArenaSettings { time_ms: 1000, memory_mb: 256, turns: 100, ruling: ForfeitRuling::Sample }
}

fn new_bot(name: &str, program: &str) -> NewBot {
    NewBot { name: name.to_owned(), version: None, program: program.to_owned(), command: name.to_owned() }
}

fn store_of_four(folder: &Path) -> (Store, Vec<BotVersion>) {
    let mut store = Store::create(folder, &settings()).unwrap();
    let bots = ["a", "b", "c", "d"].map(|name| store.add_bot(&new_bot(name, &format!("program of {name}"))).unwrap());
    (store, bots.to_vec())
}

fn game(id: &str, seed: i32, bots: &[BotVersion], fault: Option<Verdict>) -> GameResult {
    let seat = |seat: pacman2_rules::Seat| SeatResult {
        bot: bots[seat.index()].id,
        hundredths: 1000 * (4 - seat.index() as i64),
        place: 1 + seat.index() as u8,
        strength: -(seat.index() as i32),
        fault: fault.filter(|_| seat.index() == 3).map(|kind| Fault { kind, turn: 7 }),
        slowest_us: 1234,
    };
    GameResult {
        id: id.to_owned(),
        block: "block".to_owned(),
        seed,
        width: 6,
        height: 11,
        turns: 100,
        seats: BySeat::from_fn(seat),
        finished: 1_700_000_000,
        seconds: 0.25,
        replayed: 1,
        node: None,
    }
}

#[test]
fn stored_games_survive_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, bots) = store_of_four(folder.path());
    let (first, second) = (game("1a", 3, &bots, None), game("2b", 4, &bots, Some(Verdict::Tle)));
    store.put_game(&first, r#"{"who":1}"#, r#"{"turns":["mine"]}"#).unwrap();
    store.put_game(&second, r#"{"who":2}"#, r#"{"turns":[]}"#).unwrap();
    drop(store);

    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.settings().unwrap(), settings());
    assert_eq!(store.bots().unwrap(), bots);
    assert_eq!(store.games(&Filter::default()).unwrap(), [first.clone(), second.clone()]);
    assert_eq!((store.game("1a").unwrap(), store.game("1").unwrap()), (Some(first), None));
    assert_eq!(store.count().unwrap(), 2);
    assert_eq!(store.ids_like("2").unwrap(), ["2b"]);
    assert_eq!(store.ids_like("").unwrap(), ["1a", "2b"]);
    let whole = store.replay("1a", true).unwrap().unwrap();
    assert_eq!(whole, r#"{"format":"pacman2 replay","version":1,"public":{"who":1},"private":{"turns":["mine"]}}"#);
    assert!(!store.replay("1a", false).unwrap().unwrap().contains("mine"));
    assert_eq!(store.replay("3c", true).unwrap(), None);
    store.check().unwrap();
}

#[test]
fn a_game_is_stored_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, bots) = store_of_four(folder.path());
    let first = game("1a", 3, &bots, None);
    assert!(store.put_game(&first, "1", "1").unwrap());
    assert!(!store.put_game(&game("1a", 99, &bots, Some(Verdict::Re)), "2", "2").unwrap());
    assert_eq!(store.games(&Filter::default()).unwrap(), [first]);
    assert!(store.replay("1a", true).unwrap().unwrap().contains(r#""public":1"#));
}

#[test]
fn a_database_of_version_1_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, bots) = store_of_four(folder.path());
    let old = game("1a", 3, &bots, None);
    store.put_game(&old, "1", "1").unwrap();
    drop(store);
    let database = rusqlite::Connection::open(folder.path().join(DATABASE)).unwrap();
    database.execute_batch("ALTER TABLE games DROP COLUMN node; PRAGMA user_version = 1").unwrap();
    drop(database);

    let mut store = Store::open(folder.path()).unwrap();
    let new = GameResult { node: Some("worker-7".to_owned()), ..game("2b", 4, &bots, None) };
    store.put_game(&new, "2", "2").unwrap();
    drop(store);
    assert_eq!(Store::open_to_read(folder.path()).unwrap().games(&Filter::default()).unwrap(), [old, new]);
    let database = rusqlite::Connection::open(folder.path().join(DATABASE)).unwrap();
    let version: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 2);
}

#[test]
fn games_are_found_by_bot_fault_and_seed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, bots) = store_of_four(folder.path());
    let second_version = store.add_bot(&new_bot("a", "another program")).unwrap();
    let others = [vec![second_version], bots[1..].to_vec()].concat();
    for (number, fault) in [None, Some(Verdict::Tle), Some(Verdict::Re), None].into_iter().enumerate() {
        let bots = if number == 3 { &others } else { &bots };
        store.put_game(&game(&number.to_string(), number as i32, bots, fault), "", "").unwrap();
    }
    let found = |filter: Filter| store.games(&filter).unwrap().into_iter().map(|game| game.id).collect::<Vec<_>>();
    let bots = |names: &[&str]| Filter { bots: names.iter().map(|&name| name.to_owned()).collect(), ..Filter::default() };
    assert_eq!(found(bots(&["a"])), ["0", "1", "2", "3"]);
    assert_eq!(found(bots(&["a@1", "b"])), ["0", "1", "2"]);
    assert_eq!(found(bots(&["a@2"])), ["3"]);
    assert_eq!(found(bots(&["a@1", "a@2"])), Vec::<String>::new());
    assert_eq!(found(bots(&["a' OR 1 --"])), Vec::<String>::new());
    let faults = |fault: FaultFilter| Filter { fault: Some(fault), ..Filter::default() };
    assert_eq!(found(faults(FaultFilter::Any)), ["1", "2"]);
    assert_eq!(found(faults(FaultFilter::Kind(Verdict::Re))), ["2"]);
    assert_eq!(found(Filter { seed: Some(1), ..Filter::default() }), ["1"]);
    assert_eq!(found(Filter { limit: Some(2), ..Filter::default() }), ["3", "2"]);
    assert_eq!(found(Filter { limit: Some(2), before: Some("2".to_owned()), ..Filter::default() }), ["1", "0"]);
}

#[test]
fn an_unknown_fault_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, bots) = store_of_four(folder.path());
    store.put_game(&game("1", 1, &bots, Some(Verdict::Nj)), "", "").unwrap();
    let database = rusqlite::Connection::open(folder.path().join(DATABASE)).unwrap();
    database.execute("UPDATE seats SET fault = 'LATE' WHERE fault = 'NJ'", []).unwrap();
    let error = store.games(&Filter::default()).unwrap_err().to_string();
    assert!(error.contains("unknown fault \"LATE\""), "{error}");
}

#[test]
fn a_new_version_retires_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, _) = store_of_four(folder.path());
    let again = store.add_bot(&new_bot("a", "program of a")).unwrap_err();
    assert_eq!(again.to_string(), "a@1 is this very program");
    let second = store.add_bot(&new_bot("a", "another")).unwrap();
    assert_eq!((second.label(), second.is_active), ("a@2".to_owned(), true));
    let named = store.add_bot(&NewBot { version: Some("2".to_owned()), ..new_bot("a", "a third") }).unwrap_err();
    assert_eq!(named.to_string(), "a@2 is another program");
    let active: Vec<String> = store.bots().unwrap().iter().filter(|bot| bot.is_active).map(BotVersion::label).collect();
    assert_eq!(active, ["b@1", "c@1", "d@1", "a@2"]);
    store.set_active(second.id, false).unwrap();
    assert!(store.bots().unwrap().iter().all(|bot| bot.name != "a" || !bot.is_active));
}

#[test]
fn the_id_of_a_game_depends_on_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let (_, bots) = store_of_four(folder.path());
    let job = Job { seed: 1, seats: BySeat([BotId(1), BotId(2), BotId(3), BotId(4)]), repeat: 0 };
    let id = |settings: &ArenaSettings, bots: &[BotVersion], job: Job| Store::id_of(settings, bots, &job);
    let same = id(&settings(), &bots, job);
    assert_eq!(same, "5a87d7d4d7775cb28da26470512f8800", "stored games are not found again");
    // The number of a bot and the time when it was added do not matter.
    let mut renumbered = bots.clone();
    for bot in &mut renumbered {
        (bot.id, bot.added, bot.version) = (BotId(bot.id.0 + 10), 0, "9".to_owned());
    }
    let moved = Job { seats: job.seats.map(|bot| BotId(bot.0 + 10)), ..job };
    assert_eq!(id(&settings(), &renumbered, moved), same);
    let mut changed = bots.clone();
    changed[2].program = "another".to_owned();
    let others = [
        id(&settings(), &changed, job),
        id(&ArenaSettings { time_ms: 1, ..settings() }, &bots, job),
        id(&settings(), &bots, Job { seed: 2, ..job }),
        id(&settings(), &bots, Job { repeat: 1, ..job }),
        id(&settings(), &bots, Job { seats: BySeat([BotId(2), BotId(1), BotId(3), BotId(4)]), ..job }),
    ];
    assert!(others.iter().all(|other| *other != same), "{same} {others:?}");
}

#[test]
fn one_process_plays_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = store_of_four(folder.path());
    let other = Store::open(folder.path()).unwrap();
    let lock = store.try_lock().unwrap();
    assert!(lock.is_some());
    assert!(other.try_lock().unwrap().is_none());
    drop(lock);
    assert!(other.try_lock().unwrap().is_some());
}

#[test]
fn errors_are_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let open_error = |folder: &Path| Store::open(folder).err().expect("an error").to_string();
    let message = open_error(folder.path());
    assert!(message.contains("there is no arena here"), "{message}");

    let (mut store, bots) = store_of_four(folder.path());
    for number in 0..50 {
        store.put_game(&game(&number.to_string(), number, &bots, None), &"x".repeat(5000), "").unwrap();
    }
    drop(store);
    let message = Store::create(folder.path(), &settings()).err().unwrap().to_string();
    assert!(message.ends_with("holds an arena already"), "{message}");
    let path = folder.path().join(DATABASE);
    let whole = fs::read(&path).unwrap();

    fs::write(&path, "not a database but a text that is longer than a header, so that it is examined".repeat(50)).unwrap();
    let message = open_error(folder.path());
    assert!(message.ends_with("is not an arena: expected an SQLite database"), "{message}");

    fs::write(&path, [&whole[..whole.len() / 3], &[0xff; 5000]].concat()).unwrap();
    let damage = |folder: &Path| {
        let store = Store::open(folder)?;
        store.check()?;
        store.games(&Filter::default())
    };
    let message = damage(folder.path()).unwrap_err().to_string();
    assert!(message.contains("is damaged: ") && message.lines().count() == 1, "{message}");

    // A rejected file is left unchanged.
    fs::write(&path, &whole).unwrap();
    let version = |version: u8| {
        let mut newer = whole.clone();
        // Bytes 60 to 63 of the header are the version.
        newer[63] = version;
        newer
    };
    fs::write(&path, version(200)).unwrap();
    let message = open_error(folder.path());
    assert!(message.contains("got version 200") && message.contains("a newer pacman2 can open it"), "{message}");
    assert_eq!(fs::read(&path).unwrap(), version(200));

    let mut foreign = whole.clone();
    // Bytes 68 to 71 are the application id.
    foreign[68..72].copy_from_slice(&[1, 2, 3, 4]);
    fs::write(&path, &foreign).unwrap();
    let message = open_error(folder.path());
    assert!(message.contains("the database belongs to another program"), "{message}");

    fs::write(&path, &whole).unwrap();
    assert_eq!(Store::open(folder.path()).unwrap().games(&Filter::default()).unwrap().len(), 50);
}
