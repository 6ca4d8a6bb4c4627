//! A contest with bots in sandboxes, which is killed while it judges and plays.
//!
//! This test has a process of its own, without the usual harness, because it is also the supervisor of its jails, which must
//! have a single thread, and the process that is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pacman2_bot_source::sandbox::{SandboxOptions, SandboxPolicy};
use pacman2_contest::contest::Contest;
use pacman2_contest::people::PersonId;
use pacman2_contest::submissions::{State, SubmissionState, Upload};
use pacman2_runner::Tier;
use pacman2_tournament::Store;
use pacman2_tournament::store::Filter;
use rusqlite::Connection;

/// The argument that makes this program run a contest until it is killed.
const RUN: &str = "run";
/// How long something may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);
const SETTINGS: &str = "[limits]\nturns = 8\n[submissions]\nper_hour = 4\n[ladder]\ngames_per_version = 12\n";
const STAYS: &str = "import json\ninput()\nprint(json.dumps({'response': {'action': -1}}))\n";
/// Says nothing.
const SILENT: &str = "input()\n";

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some("jail") => return pacman2_runner::supervisor_main(),
        Some(RUN) => {
            let folder = env::args().nth(2).unwrap();
            open(Path::new(&folder)).run(&Arc::default()).unwrap();
        }
        _ if SandboxPolicy::new(SandboxOptions::default()).tier() == Tier::C => println!("not run: this machine has no sandbox"),
        _ => nothing_is_lost_or_doubled(),
    }
    ExitCode::SUCCESS
}

fn open(folder: &Path) -> Contest {
    Contest::open(folder, &SandboxOptions::default()).unwrap()
}

/// Adds people to a contest, as their list does.
fn add_people(folder: &Path, names: &[&str]) -> Vec<PersonId> {
    let database = Connection::open(folder.join("contest.sqlite")).unwrap();
    let add = "INSERT INTO people (name, number, class, role, added) VALUES (?1, ?1, '', 'student', 0) RETURNING id";
    let add = |name: &&str| database.query_row(add, [name], |row| row.get::<_, i64>(0)).unwrap();
    names.iter().map(add).map(|id| serde_json::from_value(id.into()).unwrap()).collect()
}

fn hand_in(contest: &Contest, person: PersonId, name: &str, text: &str) {
    let upload = Upload { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    contest.submissions().hand_in(person, upload).unwrap();
}

fn newest(contest: &Contest, person: PersonId) -> SubmissionState {
    contest.submissions().of_person(person).unwrap().remove(0)
}

#[track_caller]
fn wait_until(what: &str, mut is_done: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_done() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn nothing_is_lost_or_doubled() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    std::fs::write(folder.join("contest.toml"), SETTINGS).unwrap();
    let contest = open(folder);
    let people = add_people(folder, &["Ada", "greedy", "ADA", "Bob", "Eve"]);
    let [ada, greedy, other_ada, bob, eve] = people[..] else { unreachable!() };
    hand_in(&contest, ada, "bot.py", STAYS);
    hand_in(&contest, greedy, "C:\\bots\\bot.py", STAYS);
    hand_in(&contest, other_ada, "bot.py", STAYS);
    hand_in(&contest, bob, "bot.cpp", "int main() {\n    return missing;\n}\n");
    hand_in(&contest, eve, "bot.py", SILENT);
    assert!(Contest::open(folder, &SandboxOptions::default()).is_err(), "two processes open one contest");
    drop(contest);

    for kill in 1..=4 {
        let mut child = Command::new(env::current_exe().unwrap()).arg(RUN).arg(folder).spawn().unwrap();
        wait_until("games are played", || games(folder) >= 3 * kill);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    let contest = open(folder);
    let stop = Arc::new(AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| contest.run(&stop).unwrap());
        wait_until("all is judged", || people.iter().all(|&person| !is_waiting(&newest(&contest, person).state)));
        let [bob, eve] = [bob, eve].map(|person| newest(&contest, person));
        assert!(
            matches!(&bob.state, State::Refused { zh, en } if zh.starts_with("编译失败：") && en.contains("bot.cpp:2:")),
            "{bob:?}"
        );
        assert!(matches!(&eve.state, State::Refused { en, .. } if en.starts_with("fails the trial game: ")), "{eve:?}");
        // A bot that comes while the others play.
        hand_in(&contest, ada, "bot.py", &format!("{STAYS}# better\n"));
        wait_until("the second version has played enough", || enough(folder, "Ada@2"));
        wait_until("the others have played enough", || ["greedy 2@1", "ADA 2@1"].iter().all(|label| enough(folder, label)));
        stop.store(true, Ordering::Relaxed);
    });
    check_games(folder);
    let second = newest(&contest, ada);
    assert!(second.version == 2 && second.taken.as_ref().is_some_and(|taken| taken.file == "bot.py"), "{second:?}");
    let bots = Store::open_to_read(contest.arena()).unwrap().bots().unwrap();
    let active: BTreeSet<String> = bots.iter().filter(|bot| bot.is_active).map(|bot| bot.label()).collect();
    let expected = ["ADA 2@1", "Ada@2", "greedy 2@1", "greedy@1", "hunter@1", "random@1"];
    assert_eq!(active, expected.map(str::to_owned).into());
    println!("ok: nothing is lost or doubled");
}

fn is_waiting(state: &State) -> bool {
    matches!(state, State::Waiting | State::Judging)
}

fn store(folder: &Path) -> Option<Store> {
    Store::open_to_read(&folder.join("arena")).ok()
}

fn games(folder: &Path) -> usize {
    store(folder).and_then(|store| store.count().ok()).unwrap_or_default()
}

fn enough(folder: &Path, label: &str) -> bool {
    let filter = Filter { bots: vec![label.to_owned()], ..Filter::default() };
    store(folder).is_some_and(|store| store.games(&filter).unwrap().len() >= 12)
}

/// Checks that each block has its four games, and no bot has two seats in a game.
fn check_games(folder: &Path) {
    let games = store(folder).unwrap().games(&Filter::default()).unwrap();
    let mut blocks: BTreeMap<&str, BTreeSet<[i64; 4]>> = BTreeMap::new();
    for game in &games {
        blocks.entry(&game.block).or_default().insert(game.seats.0.each_ref().map(|seat| seat.bot.0));
    }
    let seeds: BTreeSet<i32> = games.iter().map(|game| game.seed).collect();
    assert_eq!(seeds.len(), blocks.len());
    let incomplete = blocks.values().filter(|seats| seats.len() != 4).count();
    // The block that is played when the contest is stopped.
    assert!(games.len() <= 4 * blocks.len() && incomplete <= 1, "{incomplete} blocks of {}", blocks.len());
}
