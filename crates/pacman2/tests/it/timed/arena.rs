//! `pacman2 arena`: no game is lost or played twice, whatever ends a run.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::common::{RunResult, STAYS, TestDir, copy_program, json, start, wait_until};
use pacman2_tournament::Store;
use pacman2_tournament::store::NewBot;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::server::{TOKEN, serve_by};

/// Creates an arena with built-in bots, and with a time limit that no bot exceeds on a busy machine.
fn arena(dir: &TestDir, bots: &str) {
    dir.run("arena init --time-limit 20000").succeeded();
    dir.run(&format!("arena add {bots}")).succeeded();
}

/// The same with short games, in which bots that are started in each turn take little time.
fn short_arena(dir: &TestDir, bots: &str) {
    dir.run("arena init --time-limit 20000 --turns 25").succeeded();
    dir.run(&format!("arena add {bots}")).succeeded();
}

/// Returns all games, without the fields that depend on time.
pub(super) fn games(dir: &TestDir) -> Vec<Value> {
    let listed = dir.run("arena games --limit 100000 --json").succeeded();
    let mut games: Vec<Value> = listed.stdout.lines().map(json).collect();
    for game in &mut games {
        for what in ["finished_ms", "time_ms", "replayed"] {
            assert!(game.as_object_mut().unwrap().remove(what).is_some(), "{game}");
        }
        for seat in game["seats"].as_array_mut().unwrap() {
            seat.as_object_mut().unwrap().remove("slowest_ms").unwrap();
        }
    }
    games.sort_by_key(|game| game["id"].as_str().unwrap().to_owned());
    games
}

/// Returns the last event of a run.
pub(super) fn end(stdout: &str) -> Value {
    json(stdout.lines().last().expect("a run says how it ended"))
}

#[test]
fn a_run_and_its_results() {
    let dir = TestDir::new();
    arena(&dir, "greedy sample random");
    dir.run("arena add greedy --name twin").succeeded();
    let result = dir.run("arena run --maps 2").succeeded();
    assert!(result.stdout.contains("8 games played, 0 already known"), "{}", result.stdout);
    assert!(result.stdout.lines().nth(1).unwrap().starts_with("  1  "), "{}", result.stdout);

    let games = games(&dir);
    assert_eq!(games.len(), 8);
    let seat_of = |game: &Value, label: &str| game["seats"].as_array().unwrap().iter().position(|seat| seat["label"] == label);
    for seed in [1, 2] {
        let mut seats: Vec<_> =
            games.iter().filter(|game| game["seed"] == seed).map(|game| seat_of(game, "sample@1").unwrap()).collect();
        seats.sort_unstable();
        assert_eq!(seats, [0, 1, 2, 3], "each bot sits on each seat of each map");
    }
    let table = dir.run("arena table --json").succeeded().json();
    assert_eq!((&table["games"], &table["blocks"]), (&8.into(), &2.into()));
    let names: Vec<&str> = table["bots"].as_array().unwrap().iter().map(|bot| bot["bot"]["name"].as_str().unwrap()).collect();
    assert_eq!(names[2..], ["sample", "random"], "{table}");

    // `pacman2 play` with the seed and the seats of a game plays the same match.
    let game = &games[0];
    let id = game["id"].as_str().unwrap();
    dir.run(&format!("arena show {} --replay shown.json --html shown.html", &id[..10])).succeeded();
    dir.run("replay verify shown.json").succeeded();
    assert!(dir.read("shown.html").contains("<html"));
    let bots: Vec<&str> = game["seats"].as_array().unwrap().iter().map(|seat| seat["label"].as_str().unwrap()).collect();
    let bots = bots.join(" ").replace("@1", "").replace("twin", "greedy");
    let played = dir.play(&format!("{bots} --seed {}", game["seed"]));
    let shown = dir.replay("shown.json");
    assert_eq!(played["public"]["turns"], shown["public"]["turns"]);
    assert_eq!(played["public"]["scores"], shown["public"]["scores"]);

    dir.run("arena export out --public").succeeded();
    assert_eq!(fs::read_dir(dir.path("out/replays")).unwrap().count(), 8);
    assert_eq!(dir.read("out/games.jsonl").lines().count(), 8);
    let exported = dir.replay(&format!("out/replays/{id}.json"));
    assert_eq!((&exported["public"], &exported["private"]["turns"]), (&shown["public"], &json("[]")));
    dir.run(&format!("replay verify out/replays/{id}.json")).succeeded();
}

#[test]
fn only_what_changed_is_played_again() {
    let dir = TestDir::new();
    short_arena(&dir, "greedy sample random");
    dir.write("stays.sh", STAYS);
    dir.run("arena add 'sh stays.sh' --name stays").succeeded();
    let first = dir.run("arena run --seeds 4,5 --json").succeeded();
    assert_eq!((&end(&first.stdout)["played"], &end(&first.stdout)["known"]), (&8.into(), &0.into()));
    assert_eq!(first.stdout.lines().count(), 10, "the plan, a line per game, and one at the end");
    let plan = json(first.stdout.lines().next().unwrap());
    assert_eq!((&plan["event"], &plan["games"], &plan["known"]), (&"plan".into(), &8.into(), &0.into()));
    assert!(plan["expected_ms"].is_null() && plan["most_ms"].as_f64().unwrap() > 1e6, "{plan}");
    let again = dir.run("arena run --seeds 4,5,6 --json").succeeded();
    assert_eq!((&end(&again.stdout)["played"], &end(&again.stdout)["known"]), (&4.into(), &8.into()));

    let plan = json(again.stdout.lines().next().unwrap());
    assert_eq!((&plan["games"], &plan["known"]), (&12.into(), &8.into()));
    assert!(plan["expected_ms"].as_f64().is_some_and(|time| time > 0.0), "{plan}");
    let rest = dir.run("arena run --seeds 4,5,6,7").succeeded();
    assert!(rest.stderr.contains("4 games to play of 16, the others are in the arena: about "), "{rest:#?}");

    // The same file with other content is another bot, whose games are missing.
    dir.write("stays.sh", &format!("{STAYS}\n# better"));
    dir.run("arena run --seeds 4").refused(&["stays@1 cannot play", "has changed since it was added"]);
    dir.run("arena add 'sh stays.sh' --name stays").succeeded();
    let changed = dir.run("arena run --seeds 4,5 --json").succeeded();
    assert_eq!((&end(&changed.stdout)["played"], &end(&changed.stdout)["known"]), (&8.into(), &0.into()));
    let table = dir.run("arena table --json").succeeded().json();
    assert!(table["bots"].as_array().unwrap().iter().all(|bot| bot["bot"]["version"] != "1" || bot["bot"]["name"] != "stays"));
    assert_eq!(dir.run("arena table --all --json").succeeded().json()["bots"].as_array().unwrap().len(), 5);
}

#[test]
fn a_copy_of_the_program_is_kept() {
    let dir = TestDir::new();
    short_arena(&dir, "greedy sample random");
    dir.write_executable("mine", &format!("#!/bin/sh\n{STAYS}"));
    dir.run("arena add mine").succeeded();
    dir.write_executable("mine", "#!/bin/sh\nexit 1");
    let result = dir.run("arena run --maps 1 --json").succeeded();
    assert_eq!(end(&result.stdout)["played"], 4);
    assert!(games(&dir).iter().all(|game| game["seats"].as_array().unwrap().iter().all(|seat| seat["fault"].is_null())));
    // If the copy is deleted, the run is rejected and nothing is lost.
    for entry in fs::read_dir(dir.path("arena/bots")).unwrap() {
        fs::remove_dir_all(entry.unwrap().path()).unwrap();
    }
    dir.run("arena run --maps 2").refused(&["mine@1 cannot play", "its program is missing"]);
    assert_eq!(games(&dir).len(), 4);
}

#[test]
fn bad_input_is_rejected() {
    let dir = TestDir::new();
    arena(&dir, "greedy sample random");
    dir.write("silent.sh", "read -r question");
    dir.run("arena add 'sh silent.sh'").refused(&["silent was not added", "in turn 1"]);
    dir.run("arena add nosuchbot").refused(&["nosuchbot"]);
    dir.run("arena add greedy").refused(&["already, as greedy@1"]);
    dir.run("arena add greedy --name a@b").refused(&["invalid name \"a@b\""]);
    dir.run("arena add greedy sample --name x").refused(&["--name and --version apply to one bot"]);
    dir.run("arena run --schedule gauntlet --bot gredy").refused(&["no bot \"gredy\"", "did you mean greedy"]);
    dir.run("arena show ffff").refused(&["no game \"ffff\""]);
    dir.run("arena run --bots greedy").refused(&["at least 2 bots"]);
    dir.run("arena init").refused(&["holds an arena already"]);
    dir.run("arena table --arena elsewhere")
        .refused(&["elsewhere: there is no arena here; \"pacman2 arena init --arena elsewhere\" creates one"]);
    let table = dir.run("arena table").succeeded();
    assert_eq!(table.stdout.lines().count(), 5, "{}", table.stdout);
}

#[test]
fn options_without_effect_are_refused() {
    let dir = TestDir::new();
    dir.run("arena init").succeeded();
    dir.run("arena run --bot greedy").refused(&["--bot only has an effect with --schedule gauntlet"]);
    dir.run("arena run --schedule gauntlet --bot greedy --rounds 8")
        .refused(&["--rounds only has an effect with --schedule swiss"]);
    dir.run("arena run --schedule swiss --blocks 9").refused(&["--blocks only has an effect with --schedule matchmaking"]);
    dir.run("arena add greedy --in-place").refused(&["--in-place has no effect on the built-in bot greedy"]);
    dir.run("arena tournament class.toml --arena here").refused(&["--arena has no effect on a tournament"]);
    dir.run("arena table --full --json").misused(&["--full", "--json"]);
}

#[test]
fn adding_goes_on_after_a_failure() {
    let dir = TestDir::new();
    dir.run("arena init --time-limit 20000").succeeded();
    dir.write("silent.sh", "read -r question");
    for options in ["", " --json"] {
        let result = dir.run(&format!("arena add sample nosuchbot 'sh silent.sh' greedy{options}"));
        assert_eq!(result.code, Some(1), "{result:#?}");
        let lines: Vec<&str> = result.stderr.lines().collect();
        let expected = if options.is_empty() {
            assert_eq!(result.stdout, "added sample@1\nadded greedy@1\n");
            ["unknown built-in bot \"nosuchbot\"", "silent was not added", "added 2 of 4 bots, without nosuchbot, sh silent.sh"]
                .to_vec()
        } else {
            assert_eq!(result.stdout, "");
            [
                "already, as sample@1",
                "nosuchbot",
                "silent",
                "already, as greedy@1",
                "added 0 of 4 bots, without sample, nosuchbot",
            ]
            .to_vec()
        };
        assert_eq!(lines.len(), expected.len(), "{result:#?}");
        for (line, words) in lines.iter().zip(expected) {
            assert!(line.contains(words), "{line}");
        }
    }
}

/// The user ID of an unprivileged user.
const NOBODY: u32 = 65534;

/// Returns a command in a folder that it cannot write: as another user if this one is root, for whom permissions mean nothing.
fn command_without_permission(dir: &TestDir, line: &str) -> Command {
    let program = dir.path("pacman2");
    if !program.exists() {
        copy_program(&program);
    }
    let mut command = Command::new(&program);
    command.args(shlex::split(line).unwrap());
    dir.isolate(&mut command);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY).env("HOME", "/nonexistent");
    }
    command
}

fn run_without_permission(dir: &TestDir, line: &str) -> RunResult {
    start(command_without_permission(dir, line), "").wait()
}

/// Sets the permissions of a folder and of the files in it.
fn set_modes(folder: &Path, of_folder: u32, of_files: u32) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        fs::set_permissions(entry.path(), PermissionsExt::from_mode(of_files)).unwrap();
    }
    fs::set_permissions(folder, PermissionsExt::from_mode(of_folder)).unwrap();
}

#[test]
fn a_read_only_arena_can_be_read() {
    let dir = TestDir::new();
    fs::set_permissions(dir.path("."), PermissionsExt::from_mode(0o755)).unwrap();
    let folder = dir.path("read only? 100%");
    dir.run("arena init --time-limit 20000 --arena 'read only? 100%'").succeeded();
    dir.run("arena add greedy sample random hunter --arena 'read only? 100%'").succeeded();
    dir.run("arena run --maps 1 --arena 'read only? 100%'").succeeded();
    let listed = dir.run("arena games --json --arena 'read only? 100%'").succeeded().stdout;
    let id = json(listed.lines().next().unwrap())["id"].as_str().unwrap().to_owned();
    // The same as an earlier version of the program wrote it.
    let old = dir.path("old");
    assert!(Command::new("cp").arg("-r").args([&folder, &old]).status().unwrap().success());
    let database = rusqlite::Connection::open(old.join("arena.sqlite")).unwrap();
    database.execute_batch("ALTER TABLE games DROP COLUMN node; PRAGMA user_version = 1").unwrap();
    drop(database);
    set_modes(&folder, 0o555, 0o444);
    set_modes(&old, 0o555, 0o444);
    assert_eq!(run_without_permission(&dir, "arena games --json --arena old").succeeded().stdout, listed);

    assert_eq!(run_without_permission(&dir, "arena games --json --arena 'read only? 100%'").succeeded().stdout, listed);
    let table = run_without_permission(&dir, "arena table --arena 'read only? 100%'").succeeded();
    assert!(table.stdout.ends_with("4 games in 1 blocks on 1 maps\n"), "{table:#?}");
    let shown = run_without_permission(&dir, &format!("arena show {id} --arena 'read only? 100%'")).succeeded();
    assert!(shown.stdout.starts_with(&format!("game {id}")), "{shown:#?}");
    run_without_permission(&dir, "arena init --arena 'read only? 100%/new'").failed(&["cannot create", "Permission denied"]);
    run_without_permission(&dir, "arena run --arena 'read only? 100%'").failed(&["cannot write", "arena.sqlite"]);
    let serve = format!("serve --json --port 0 --token {TOKEN} --folder . --arena 'read only? 100%'");
    let server = serve_by(command_without_permission(&dir, &serve), dir);
    for path in ["standings", "games", "news"] {
        let response = server.get(&format!("/api/arena/{path}"));
        assert_eq!(response.status, 200, "{path}: {response:?}");
    }
    assert!(server.get("/api/arena/games").body.contains(&id));
    set_modes(&folder, 0o755, 0o644);
    set_modes(&old, 0o755, 0o644);
}

#[test]
fn a_read_only_arena_may_have_a_log() {
    let dir = TestDir::new();
    fs::set_permissions(dir.path("."), PermissionsExt::from_mode(0o755)).unwrap();
    dir.run("arena init").succeeded();
    let mut store = Store::open(&dir.path("arena")).unwrap();
    let new = |name: &str| NewBot { name: name.into(), version: None, program: name.into(), command: name.into() };
    store.add_bot(&new("greedy")).unwrap();
    // As after a run that was killed: what is new is in the log only.
    let copy_of = |files: &[&str], name: &str| {
        fs::create_dir(dir.path(name)).unwrap();
        for file in files {
            fs::copy(dir.path("arena").join(file), dir.path(name).join(file)).unwrap();
        }
        set_modes(&dir.path(name), 0o555, 0o444);
    };
    copy_of(&["arena.sqlite", "arena.sqlite-wal", "arena.sqlite-shm"], "whole");
    copy_of(&["arena.sqlite", "arena.sqlite-wal"], "partial");
    drop(store);
    let table = run_without_permission(&dir, "arena table --arena whole").succeeded();
    assert!(table.stdout.contains("greedy@1"), "{table:#?}");
    // Without its log, the arena would seem to have no bots.
    run_without_permission(&dir, "arena table --arena partial")
        .failed(&["is read-only and its last run was interrupted; copy the arena to a folder that you can write"]);
    for name in ["whole", "partial"] {
        set_modes(&dir.path(name), 0o755, 0o644);
    }
}

#[test]
fn after_kill_the_same_games_are_played() {
    const MAPS: usize = 32;
    let bots = "greedy random";
    let twins = |dir: &TestDir| {
        dir.run("arena add greedy --name twin").succeeded();
        dir.run("arena add random --name other-twin").succeeded();
    };
    let run = format!("arena run --maps {MAPS} --json");
    let whole = TestDir::new();
    arena(&whole, bots);
    twins(&whole);
    whole.run(&run).succeeded();
    let expected = games(&whole);
    assert_eq!(expected.len(), 4 * MAPS);

    let dir = TestDir::new();
    arena(&dir, bots);
    twins(&dir);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut killed = 0;
    for _ in 0..20 {
        let mut running = start(dir.command(&run), "");
        thread::sleep(Duration::from_micros(random.next_u64() % 30_000));
        running.child.kill().unwrap();
        killed += u32::from(running.child.wait().unwrap().signal() == Some(9));
        // Whenever it ended, the stored games are complete.
        let found = games(&dir);
        assert!(found.iter().all(|game| expected.contains(game)), "{found:#?}");
    }
    assert!(killed >= 5, "only {killed} runs were killed before their end");
    let rest = end(&dir.run(&run).succeeded().stdout);
    assert_eq!(rest["played"].as_u64().unwrap() + rest["known"].as_u64().unwrap(), 4 * MAPS as u64);
    assert_eq!(games(&dir), expected);
}

#[test]
fn a_run_continues_after_ctrl_c() {
    let dir = TestDir::new();
    short_arena(&dir, "greedy sample random");
    dir.write("slow.sh", &format!("sleep 0.05; {STAYS}"));
    dir.run("arena add 'sh slow.sh' --name slow").succeeded();
    let run = "arena run --maps 2 --parallel 1 --json";
    let running = start(dir.command(run), "");
    wait_until("a game to be stored", || !games(&dir).is_empty());
    // A second run at the same time is rejected.
    dir.run("arena run --maps 2").refused(&["another pacman2 is playing in this arena"]);
    kill_process(Pid::from_child(&running.child), Signal::INT).unwrap();
    let result = running.wait();
    assert_eq!(result.code, Some(130), "{result:#?}");
    assert_eq!(end(&result.stdout)["finished"], false);
    dir.wait_until_deserted();
    let before = games(&dir).len();
    assert!((1..8).contains(&before), "{before}");
    let rest = end(&dir.run(run).succeeded().stdout);
    assert_eq!((rest["known"].as_u64().unwrap() as usize, games(&dir).len()), (before, 8));
}

#[test]
fn a_comparison_is_decided() {
    let dir = TestDir::new();
    short_arena(&dir, "greedy random");
    let output = end(&dir.run("arena compare greedy random --json").succeeded().stdout);
    assert_eq!((&output["new"], &output["finished"]), (&"greedy@1".into(), &true.into()));
    // There are no other opponents.
    assert_eq!(output["settings"].as_array().unwrap().len(), 1);
    let setting = &output["settings"][0];
    assert_eq!((&setting["setting"], &setting["verdict"]), (&"three_olds".into(), &"better".into()));
    let blocks = setting["blocks"].as_u64().unwrap();
    // The old bot among copies of itself need not play.
    assert!(blocks >= 24 && setting["games"] == 4 * blocks, "{setting}");
    assert!(setting["difference"]["low"].as_f64().unwrap() >= 0.0, "{setting}");
    assert!(setting["llr"]["value"].as_f64().unwrap() >= setting["llr"]["upper"].as_f64().unwrap(), "{setting}");
    assert_eq!(games(&dir).len() as u64, 4 * blocks);

    // The same comparison plays nothing; the reverse one plays against three copies of the other bot.
    let again = dir.run("arena compare greedy random").succeeded();
    assert!(again.stdout.contains("against three copies of the old bot: Better: +"), "{}", again.stdout);
    assert!(again.stdout.contains("; LLR ") && again.stdout.contains("; time-outs 0 of "), "{}", again.stdout);
    let worse = end(&dir.run("arena compare random greedy --json").succeeded().stdout);
    assert_eq!(worse["settings"][0]["verdict"], "worse");
    let shifted = end(&dir.run("arena compare random greedy --points0=-100 --points1=-90 --json").succeeded().stdout);
    assert_eq!((&shifted["settings"][0]["verdict"], &shifted["settings"][0]["points1"]), (&"better".into(), &(-90.0).into()));

    // Unknown bots are added; an undecided comparison has an estimate and an interval, too.
    dir.write("stays.sh", STAYS);
    dir.run("arena add sample").succeeded();
    let few = dir.run("arena compare 'sh stays.sh' random --pool greedy --most-blocks 2 --json").succeeded();
    let last = end(&few.stdout);
    assert_eq!((&last["new"], last["settings"].as_array().unwrap().len()), (&"stays@1".into(), 2));
    for setting in last["settings"].as_array().unwrap() {
        assert_eq!((&setting["verdict"], &setting["blocks"]), (&"undecided".into(), &2.into()), "{setting}");
        let [low, value, high] = ["low", "value", "high"].map(|end| setting["difference"][end].as_f64().unwrap());
        assert!(low < value && value < high, "{setting}");
        assert!(setting["sentence"]["en"].as_str().unwrap().starts_with("Undecided: "), "{setting}");
        assert!(setting["sentence"]["zh"].as_str().unwrap().contains('局'), "{setting}");
    }
    let blocks = few.stdout.lines().map(json).filter(|event| event["event"] == "block");
    assert_eq!(blocks.map(|block| block["blocks"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 1, 2]);

    dir.run("arena compare greedy greedy@1").refused(&["cannot compare greedy@1 with itself"]);
    dir.run("arena compare greedy gready").refused(&["no bot \"gready\"", "did you mean greedy"]);
    dir.run("arena compare greedy random --difference 0")
        .refused(&["expected points1 above points0", "got points0 0 and points1 0"]);
    dir.run("arena compare greedy random --alpha 0.7").refused(&["expected alpha between 0 and 0.5, got 0.7"]);
}

#[test]
fn a_gate_plays_at_all_kinds_of_tables() {
    let dir = TestDir::new();
    dir.run("arena init --turns 12").succeeded();
    let output = end(&dir.run("arena compare greedy random --all-tables --most-blocks 1 --json").succeeded().stdout);
    let series: Vec<(&str, u64)> = output["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|series| (series["setting"].as_str().unwrap(), series["games"].as_u64().unwrap()))
        .collect();
    assert_eq!(series, [("three_olds", 4), ("three_news", 4), ("two_each", 6), ("pool", 8)]);
    let table = dir.run("arena compare greedy random --all-tables --most-blocks 1").succeeded().stdout;
    let rows =
        ["against three copies of the old bot", "three copies against the old bot", "two copies of each", "against the pool"];
    assert!(rows.iter().all(|row| table.lines().any(|line| line.starts_with(row))), "{table}");
    // The styles are there, but only for gates.
    let bots = end(&dir.run("arena table --json").succeeded().stdout);
    assert!(!bots.to_string().contains("style sniper"), "{bots}");
    assert!(dir.run("arena table --all").succeeded().stdout.contains("style sniper@1"));
}

#[test]
fn copies_of_one_program_are_recognised() {
    let dir = TestDir::new();
    short_arena(&dir, "greedy random");
    dir.run("arena add greedy --name twin").succeeded();
    let same = dir.run("arena compare twin greedy").succeeded();
    assert_eq!(same.stdout, "twin@1 and greedy@1 are the same program; nothing was played.\n");
    let same = end(&dir.run("arena compare twin greedy --json").succeeded().stdout);
    assert_eq!((&same["same_program"], &same["settings"]), (&true.into(), &json("[]")));
    assert_eq!(games(&dir).len(), 0);
    // Both are built in, but not the same.
    let others = end(&dir.run("arena compare random greedy --most-blocks 1 --json").succeeded().stdout);
    assert_eq!(others["same_program"], false);

    let source = |verb: &str| {
        let operators = ["&&", "||", ";", "&"];
        let step = |i: usize, at: usize| format!("test $1 -gt {i} {} ", operators[(i * i + i / 4 * at) % 4]);
        let body = |i: usize| (0..2 + i % 7).map(|at| step(i, at)).collect::<String>();
        let function = |i: usize| format!("{verb}{i}() {{\n  {}true\n}}\n", body(i));
        format!("#!/bin/sh\n{}{STAYS}\n", (0..40).map(function).collect::<String>())
    };
    dir.write_executable("lilei", &source("step"));
    dir.write_executable("copy", &source("# my own work\nmove"));
    dir.run("arena add lilei copy").succeeded();
    for bot in ["lilei", "copy"] {
        dir.run(&format!("arena run --schedule gauntlet --bot {bot} --bots random --maps 1")).succeeded();
    }
    let pairs: Vec<Value> = dir.run("arena similar --json").succeeded().stdout.lines().map(json).collect();
    let bots: Vec<String> = pairs.iter().map(|pair| pair["bots"].to_string()).collect();
    assert_eq!(bots, [r#"["greedy@1","twin@1"]"#, r#"["lilei@1","copy@1"]"#]);
    assert_eq!((&pairs[0]["same_program"], &pairs[1]["same_program"]), (&true.into(), &false.into()));
    assert_eq!((pairs[1]["tokens"].as_f64(), &pairs[1]["games"]["same"]), (Some(1.0), &pairs[1]["games"]["of"]));
    assert_eq!(pairs[1]["games"]["of"], 4, "{pairs:?}");
    let text = dir.run("arena similar").succeeded().stdout;
    assert!(text.ends_with("A line in this list is a reason to look at its bots, not a verdict.\n"), "{text}");
    dir.run("arena similar --template lilei --at-least 100").succeeded();
    dir.write_executable("third", &source("# mine\nact"));
    dir.run("arena add third").succeeded();
    let text = dir.run("arena similar").succeeded().stdout;
    assert!(text.contains("  lilei@1, copy@1, third@1\n"), "copies are one line: {text}");
    let table = dir.run("arena table").succeeded().stdout;
    assert!(table.contains("greedy@1 and twin@1 are the same program; their games count together\n"), "{table}");
}

#[test]
fn a_hopeless_plan_is_announced() {
    let dir = TestDir::new();
    dir.run("arena init").succeeded();
    let mut store = Store::open(&dir.path("arena")).unwrap();
    for number in 0..100 {
        let program = format!("built-in {}", env!("CARGO_PKG_VERSION"));
        store.add_bot(&NewBot { name: format!("bot{number}"), version: None, program, command: "random".into() }).unwrap();
    }
    drop(store);
    let running = start(dir.command("arena run --maps 10"), "");
    wait_until("a game to be stored", || !games(&dir).is_empty());
    kill_process(Pid::from_child(&running.child), Signal::INT).unwrap();
    let result = running.wait();
    // The limits would allow thousands of times as long as these games take.
    assert!(!result.stderr.contains("at most"), "{result:#?}");
    for words in
        ["156,849,000 games to play", "may never end", "3,921,225 combinations", "\"swiss\" with 8 rounds plays 800 games"]
    {
        assert!(result.stderr.contains(words), "{words}: {result:#?}");
    }
}

/// After `kill -9` of the process that the user started, its child still ends the bots.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_can_be_repeated_at_once() {
    let dir = TestDir::new();
    short_arena(&dir, "greedy sample random");
    dir.write("slow.sh", &format!("sleep 0.05; {STAYS}"));
    dir.run("arena add 'sh slow.sh' --name slow").succeeded();
    let mut running = start(dir.command("arena run --maps 1 --parallel 1"), "");
    wait_until("a game to be stored", || !games(&dir).is_empty());
    running.child.kill().unwrap();
    let rest = end(&dir.run("arena run --maps 1 --json").succeeded().stdout);
    assert_eq!(rest["played"].as_u64().unwrap() + rest["known"].as_u64().unwrap(), 4);
    assert!(rest["known"].as_u64().unwrap() >= 1, "{rest}");
}

/// When the whole machine stalls, and the bots with it, none of them loses its game.
#[cfg(target_os = "linux")]
#[test]
fn a_game_in_which_the_machine_stalled_is_played_again() {
    let dir = TestDir::new();
    dir.run("arena init --turns 6 --time-limit 1500").succeeded();
    dir.run("arena add greedy sample random").succeeded();
    dir.write("slow.sh", &format!("sleep 0.3; {STAYS}"));
    dir.run("arena add 'sh slow.sh' --name slow").succeeded();
    let mut again = 0;
    // A stall between two answers harms no bot, and then no game is played again. So try several times.
    for map in 1..=5 {
        let running = start(dir.command(&format!("arena run --seeds {map} --parallel 1 --json")), "");
        thread::sleep(Duration::from_millis(1200));
        let tree = tree_of(running.child.id() as i32);
        let to_all = |signal| {
            for pid in tree.iter().filter_map(|&pid| Pid::from_raw(pid)) {
                // Some have ended in the meantime.
                let _ = kill_process(pid, signal);
            }
        };
        to_all(Signal::STOP);
        thread::sleep(Duration::from_millis(2500));
        to_all(Signal::CONT);
        let result = running.wait().succeeded();
        again += end(&result.stdout)["replayed"].as_u64().unwrap();
        if again > 0 {
            break;
        }
    }
    assert!(again > 0, "no game was played again");
    for game in games(&dir) {
        let faults: Vec<_> = game["seats"].as_array().unwrap().iter().filter(|seat| seat["fault"]["kind"] == "TLE").collect();
        assert!(faults.is_empty(), "{faults:?}");
    }
}

/// Returns a process and all its descendants.
#[cfg(target_os = "linux")]
fn tree_of(root: i32) -> Vec<i32> {
    let mut tree = vec![root];
    let mut next = 0;
    while next < tree.len() {
        let children = format!("/proc/{0}/task", tree[next]);
        for task in fs::read_dir(children).into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            tree.extend(children.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
        next += 1;
    }
    tree
}

/// On a full disk the stored games stay, and the run continues when there is space.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("disk")).unwrap();
    let Some(_disk) = crate::common::small_disk(&dir.path("disk"), "256k") else { return };
    dir.run("arena init --arena disk/arena").succeeded();
    dir.run("arena add greedy random --arena disk/arena").succeeded();
    dir.run("arena add greedy --name twin --arena disk/arena").succeeded();
    dir.run("arena add random --name other-twin --arena disk/arena").succeeded();
    let result = dir.run("arena run --maps 200 --arena disk/arena");
    assert_eq!(result.code, Some(1), "{result:#?}");
    assert!(result.stderr.contains("the disk is full"), "{result:#?}");
    let count = || dir.run("arena games --arena disk/arena --limit 100000 --json").stdout.lines().count();
    let remounted = std::process::Command::new("mount").args(["-o", "remount,size=64m"]).arg(dir.path("disk")).status().unwrap();
    assert!(remounted.success());
    let before = count();
    assert!(before > 0 && before < 800, "{before}");
    let rest = end(&dir.run("arena run --maps 20 --arena disk/arena --json").succeeded().stdout);
    assert_eq!(rest["known"].as_u64().unwrap() as usize, before.min(80));
}

/// A full disk is no fault of what was typed, of a bot or of its author.
#[cfg(target_os = "linux")]
#[test]
fn on_a_full_disk_no_arena_is_made_and_no_bot_added() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("disk")).unwrap();
    let Some(_disk) = crate::common::small_disk(&dir.path("disk"), "256k") else { return };
    let fill = || {
        while fs::OpenOptions::new().append(true).create(true).open(dir.path("disk/rest")).unwrap().write(&[0; 4096]).is_ok() {}
    };
    dir.run("arena init --arena disk/arena").succeeded();
    fill();
    for line in ["arena add greedy --arena disk/arena", "arena init --arena disk/other"] {
        dir.run(line).failed(&["disk is full"]);
    }
    fs::remove_file(dir.path("disk/rest")).unwrap();
    dir.run("arena add greedy --arena disk/arena").succeeded();
    dir.run("arena init --arena disk/other").succeeded();
}
