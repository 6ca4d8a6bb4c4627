//! The arena page in a real browser: as a report from a file, and live from a server while games are added. The checks are in
//! `crates/web/browser/arena-page.js`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::machine::*;
use crate::arena_fixture;
use crate::common::*;
use pacman2_bots::slow_bots;
use pacman2_replay::Replay;
use pacman2_tournament::Store;
use pacman2_tournament::standings::standings;
use pacman2_tournament::store::Filter;
use pacman2_web::arena;

/// The number of blocks that were played before the page opens.
const BLOCKS: i32 = 60;

#[test]
fn arena_in_a_browser() {
    let untested = "the arena in a browser";
    let Some(node) = node(untested) else { return };
    let Some(browser) = browser(untested) else { return };
    if !modules_are_there(untested) {
        return;
    }
    let dir = TestDir::new();
    for folder in ["home", "tmp", "replays"] {
        fs::create_dir(dir.path(folder)).unwrap();
    }
    let mut store = arena_fixture::store(&dir.path("arena"), BLOCKS);
    write_report(&dir, &store);
    let (mut server, origin) = serve(&dir);
    let mut command = Command::new(node);
    command.args(["--test", "--test-reporter=spec", "browser/arena-page.js"]);
    dir.isolate(&mut command);
    leave_out_details(&mut command, "details of the arena in a browser");
    command.current_dir(web()).env("HOME", dir.path("home")).env("XDG_CONFIG_HOME", dir.path("home"));
    command.env("TMPDIR", dir.path("tmp")).env("PACMAN2", PACMAN2).env("CHROMIUM", browser);
    command.env("ARENA_REPORT", dir.path("report.html")).env("ARENA_SERVER", &origin).env("ARENA_MORE", dir.path("more"));
    let mut running = command.stdin(Stdio::null()).spawn().unwrap();
    let mut seed = BLOCKS;
    // Each scene has its own time limit.
    while running.try_wait().unwrap().is_none() {
        // A scene requests more games by creating a file.
        if fs::remove_file(dir.path("more")).is_ok() {
            seed += 1;
            arena_fixture::play_block(&mut store, seed);
        }
        thread::sleep(Duration::from_millis(20));
    }
    let ended = running.wait().unwrap();
    let _ = server.kill();
    let _ = server.wait();
    assert!(ended.success(), "the page fails in a browser: the expected output is above");
    dir.wait_until_deserted();
}

#[test]
fn a_folder_without_an_arena_is_rejected() {
    let dir = TestDir::new();
    dir.run("serve --port 0 --arena nowhere").refused(&["--arena nowhere: there is no arena here"]);
    dir.write("arena.sqlite", "this is no database");
    dir.run("serve --port 0 --arena .").refused(&["--arena", "expected an SQLite database"]);
}

/// Writes the arena as a report of a class in which the games of the first block can be watched.
fn write_report(dir: &TestDir, store: &Store) {
    let (bots, games) = (store.bots().unwrap(), store.games(&Filter::default()).unwrap());
    let table = standings(&bots, &games, arena::BOOTSTRAP_SEED);
    let estimate = serde_json::json!({ "value": 24.5, "low": 23.25, "high": 25.75 });
    let thresholds = serde_json::json!([
        { "reference": "greedy", "at_least": 0, "grade": 92, "lead": { "value": 1.5, "low": -0.5, "high": 3.5 }, "reached": true },
        { "reference": "random", "at_least": -2.5, "grade": 60, "lead": null, "reached": false },
    ]);
    let grades = serde_json::json!([
        { "name": "张三", "grade": 92, "bot": "greedy@1", "place": 1, "points": estimate, "thresholds": thresholds, "status": "ok",
          "note_zh": "全部达标。", "note_en": "All thresholds met." },
        { "name": arena_fixture::MARKUP, "grade": 0, "bot": null, "place": null, "points": null, "thresholds": thresholds,
          "status": "compile", "note_zh": "第 3 行编译不过。", "note_en": "Line 3 does not compile." },
        { "name": arena_fixture::LONG_ENGLISH, "grade": 0, "bot": null, "place": null, "points": null, "thresholds": thresholds,
          "status": "fails-trial", "note_zh": "试赛失败，未参赛。原因：第 1 回合 TLE：超时。",
          "note_en": "fails the trial game; it did not play. Cause: TLE in turn 1: it took too long." },
        { "name": arena_fixture::LONG_CHINESE, "grade": 60, "bot": null, "place": 2, "points": estimate, "thresholds": thresholds,
          "status": "ok", "note_zh": "从未出局。", "note_en": "It never forfeited." },
    ]);
    let class = serde_json::json!({ "name": format!("程序设计 {}", arena_fixture::MARKUP), "measure": "low", "otherwise": 10, "grades": grades });
    // The arena's games have no turns.
    let played = dir.play("hunter random random random --seed 1 --turns 8");
    let link = |game: &pacman2_tournament::GameResult| {
        let mut replay = (game.seed == 1).then(|| played.clone())?;
        for (seat, of_seat) in game.seats.iter() {
            let bot = bots.iter().find(|bot| bot.id == of_seat.bot).unwrap();
            replay["public"]["seats"][seat.index()]["name"] = bot.label().into();
        }
        Some(Replay::read(&replay.to_string()).unwrap().to_link().unwrap())
    };
    let report = arena::report(&table, &bots, &games, link, Some(class));
    fs::write(dir.path("report.html"), arena::report_page(&report, &slow_bots())).unwrap();
}

/// Starts a server with the arena, and returns its origin.
fn serve(dir: &TestDir) -> (Child, String) {
    let mut command = dir.command("serve --json --port 0 --arena arena");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = json(&line)["arena"].as_str().unwrap().to_owned();
    (child, address.strip_suffix("/arena").unwrap().to_owned())
}
