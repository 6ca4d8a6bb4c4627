//! Built-in bots with options: wherever a BOT is typed, and the same whichever way they are run.

mod common;

use common::{Place, built_in, json, turns, verdicts};
use pacman2_bots::net::{Net, WEIGHTS};
use serde_json::Value;

const SAGE: &str = "'sage --simulations 50'";

#[test]
fn a_sage_plays_the_same_twice_and_however_it_is_run() {
    let place = Place::new();
    let summary = |name: &str| {
        let line = format!("match {SAGE} greedy greedy greedy --seed 5 --json --replay {name}");
        let mut told = place.run(&line).succeeded().json();
        for key in ["seats", "replay"] {
            told[key].take();
        }
        told
    };
    assert_eq!(summary("one.json"), summary("two.json"));
    let within = place.replay("one.json");
    assert_eq!(turns(&within), turns(&place.replay("two.json")));
    assert_eq!(within["public"]["seats"][0]["name"], "sage --simulations 50");

    let few = "greedy greedy greedy --seed 5 --turns 12 --time-limit 60000";
    let within = place.play(&format!("{SAGE} {few}"));
    assert_eq!(turns(&within), turns(&place.play(&format!("{SAGE} {few} --as-process"))));
    let kept = built_in("sage --simulations 50 --keep-running");
    assert_eq!(turns(&within), turns(&place.play(&format!("{kept} {few}"))));
    // What would be the same with other options would say nothing.
    assert_ne!(turns(&within), turns(&place.play(&format!("'sage --simulations 2' {few}"))));
}

#[test]
fn sample_plays_the_same_however_it_is_run() {
    let place = Place::new();
    let line = "'sample --simulations 20' greedy greedy random --seed 3 --turns 8 --time-limit 60000";
    let within = place.play(line);
    assert_eq!(turns(&within), turns(&place.play(&format!("{line} --as-process"))));
    let kept = built_in("sample --simulations 20 --keep-running");
    assert_eq!(turns(&within), turns(&place.play(&line.replace("'sample --simulations 20'", &kept))));
}

#[test]
fn who_heeds_the_clock_answers_within_limits() {
    let place = Place::new();
    for bot in ["sage --time 20", "sample --time 20"] {
        let kept = built_in(&format!("{bot} --keep-running"));
        let line = format!("'{bot}' greedy {kept} random --seed 1 --turns 5 --as-process --time-limit 20000");
        let replay = place.play(&line);
        for seat in 0..4 {
            let told = verdicts(&replay, seat);
            assert!(!told.is_empty() && told.iter().all(|verdict| *verdict == "OK"), "{bot}: {told:?}");
        }
    }
}

#[test]
fn a_replay_tells_options_apart() {
    let place = Place::new();
    let bots = "greedy 'sage --time 3' 'sage --time=3' 'sage --simulations 3'";
    let told = place.run(&format!("match {bots} --turns 1 --no-replay --json")).succeeded().json();
    let [greedy, timed, too, counted] = [0, 1, 2, 3].map(|seat| told["seats"][seat]["program"].as_str().unwrap());
    assert_eq!((greedy, timed), (&*format!("built-in {}", env!("CARGO_PKG_VERSION")), &*format!("{greedy} sage --time 3")));
    assert_eq!(timed, too);
    assert_ne!(timed, counted);
    assert_eq!(told["seats"][2]["name"], "sage --time=3");
}

#[test]
fn bad_options_are_refused_at_every_door() {
    let place = Place::new();
    let simulates = "hunter does not simulate: it takes neither --simulations nor --time";
    place.run("bot hunter --time 5").refused(&[simulates]);
    place.run("bot sample --without net").refused(&["sample does not search: only sage takes --without and --net"]);
    place.run("bot sage --time 0").misused(&["1..=60000"]);
    place.run("bot sage --time 5 --simulations 5").misused(&["cannot be used with"]);
    place.run("bot sage --without nett").misused(&["net, others, last-turn"]);
    place.run("arena init").succeeded();
    for (bot, words) in [
        ("hunter --time 5", simulates),
        ("sage --tmie 5", "\"sage --tmie 5\": unexpected argument '--tmie' found; tip: a similar argument exists: '--time'"),
        ("sage --time 60001", "60001 is not in 1..=60000"),
        ("sage --net nowhere.net", "nowhere.net: "),
    ] {
        place.run(&format!("match greedy '{bot}' greedy greedy")).refused(&[words]);
        place.run(&format!("match greedy '{bot}' greedy greedy --games 2")).refused(&[words]);
        place.run(&format!("arena add '{bot}'")).refused(&[words]);
        place.run(&format!("arena compare '{bot}' greedy")).refused(&[words]);
        place.run(&format!("check '{bot}'")).refused(&[words]);
    }
    assert_eq!(place.names(), ["arena"]);
}

#[test]
fn an_arena_tells_options_apart() {
    let place = Place::new();
    place.run("arena init --time-limit 20000 --turns 10").succeeded();
    place.run("arena add 'sage --simulations 5' 'sage --simulations 40' greedy random").succeeded();
    place.run("arena add 'sage --simulations=5' --name 'sage --simulations 5'").refused(&["is this very program"]);
    let bots = |told: &str| told.lines().map(json).collect::<Vec<Value>>();
    let second = place.run("arena add 'sage --simulations 6' --name 'sage --simulations 5' --json").succeeded();
    assert_eq!(bots(&second.stdout)[0]["version"], "2");
    let ran = place.run("arena run --maps 1 --json").succeeded();
    assert_eq!(json(ran.stdout.lines().last().unwrap())["finished"], true, "{ran:?}");
    let table = place.run("arena table --all --json").succeeded().json();
    let mut programs: Vec<&str> =
        table["bots"].as_array().unwrap().iter().map(|bot| bot["bot"]["program"].as_str().unwrap()).collect();
    programs.sort_unstable();
    let version = format!("built-in {}", env!("CARGO_PKG_VERSION"));
    let with = |simulations: u32| format!("{version} sage --simulations {simulations}");
    assert_eq!(programs, [version.clone(), version.clone(), with(40), with(5), with(6)]);
    let compared = place.run("arena compare 'sage --simulations 40' 'sage --simulations 7' --most-blocks 1 --pool greedy --json");
    assert!(compared.succeeded().stdout.contains("sage --simulations 7"));
}

#[test]
fn a_net_of_ones_own_is_judged_by() {
    let place = Place::new();
    let (zeros, ones) = (Net::from_weights(&[0.0; WEIGHTS]), Net::from_weights(&[0.3; WEIGHTS]));
    std::fs::create_dir(place.path("nets")).unwrap();
    std::fs::write(place.path("nets/mine.net"), zeros.write("a test")).unwrap();
    let bot = "'sage --simulations 20 --net nets/mine.net'";
    let few = "greedy greedy greedy --seed 5 --turns 4 --time-limit 60000";
    let within = place.play(&format!("{bot} {few}"));
    assert_eq!(turns(&within), turns(&place.play(&format!("{bot} {few} --as-process"))));

    // The arena finds it from elsewhere, and sees that it has become another one.
    place.run("arena init --time-limit 20000 --turns 4").succeeded();
    place.run(&format!("arena add {bot} --name mine")).succeeded();
    place.run("arena add greedy random sample").succeeded();
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    let arena_run = |first_seed: u32| {
        let mut command = place.command(&format!("arena --arena ../arena run --maps 1 --first-seed {first_seed}"));
        command.current_dir(place.path("elsewhere"));
        common::start(command, "").wait()
    };
    arena_run(1).succeeded();
    std::fs::write(place.path("nets/mine.net"), ones.write("a test")).unwrap();
    arena_run(2).refused(&["mine@1 cannot play: its program has changed since it was added"]);
    std::fs::remove_file(place.path("nets/mine.net")).unwrap();
    arena_run(2).refused(&["mine@1 cannot play: its program is gone or broken", "mine.net: "]);
}
