//! Built-in bots with options: in every BOT argument, and with the same actions however they run.

use crate::common::{TestDir, built_in, json, turns, verdicts};
use pacman2_bots::net::{Net, WEIGHTS};
use pacman2_bots::style::{STYLES, Style};
use serde_json::Value;

const SAGE: &str = "'sage --simulations 50'";

#[test]
fn sage_plays_the_same_however_it_runs() {
    let dir = TestDir::new();
    let summary = |name: &str| {
        let line = format!("match {SAGE} greedy greedy greedy --seed 5 --json --replay {name}");
        let mut output = dir.run(&line).succeeded().json();
        for key in ["seats", "replay"] {
            output[key].take();
        }
        output
    };
    assert_eq!(summary("one.json"), summary("two.json"));
    let within = dir.replay("one.json");
    assert_eq!(turns(&within), turns(&dir.replay("two.json")));
    assert_eq!(within["public"]["seats"][0]["name"], "sage --simulations 50");

    let few = "greedy greedy greedy --seed 5 --turns 12 --time-limit 60000";
    let within = dir.play(&format!("{SAGE} {few}"));
    assert_eq!(turns(&within), turns(&dir.play(&format!("{SAGE} {few} --as-process"))));
    let kept = built_in("sage --simulations 50 --keep-running");
    assert_eq!(turns(&within), turns(&dir.play(&format!("{kept} {few}"))));
    // With other options the match must differ, or the comparisons would prove nothing.
    assert_ne!(turns(&within), turns(&dir.play(&format!("'sage --simulations 2' {few}"))));
}

#[test]
fn sample_plays_the_same_however_it_runs() {
    let dir = TestDir::new();
    let line = "'sample --simulations 20' greedy greedy random --seed 3 --turns 8 --time-limit 60000";
    let within = dir.play(line);
    assert_eq!(turns(&within), turns(&dir.play(&format!("{line} --as-process"))));
    let kept = built_in("sample --simulations 20 --keep-running");
    assert_eq!(turns(&within), turns(&dir.play(&line.replace("'sample --simulations 20'", &kept))));
}

#[test]
fn styles_play_the_same_however_they_run() {
    let dir = TestDir::new();
    let line = "'style sniper' 'style points-2' greedy 'style greedy-10' --seed 3 --turns 12 --time-limit 60000";
    let within = dir.play(line);
    assert_eq!(within["public"]["seats"][0]["name"], "style sniper");
    assert_eq!(turns(&within), turns(&dir.play(&format!("{line} --as-process"))));
    assert_ne!(turns(&within), turns(&dir.play(&line.replace("sniper", "coward"))));
}

#[test]
fn a_style_needs_its_name() {
    let dir = TestDir::new();
    dir.run("match style greedy greedy greedy").refused(&["\"style\": expected the name of a style"]);
    dir.run("match 'style snipper' greedy greedy greedy").refused(&["unknown style \"snipper\"; did you mean sniper?"]);
    dir.run("bot style").refused(&["expected the name of a style"]);
    dir.run("bot style snipper").refused(&["did you mean sniper?"]);
    dir.run("bot greedy sniper").refused(&["greedy has no styles"]);
}

#[test]
fn the_documentation_lists_the_styles() {
    let [english, chinese] = [include_str!("../../../../docs/BOTS.md"), include_str!("../../../../docs/BOTS.zh.md")];
    for Style { name, description, .. } in &STYLES {
        assert!(english.contains(&format!("| `{name}` | {description} |")), "{name}");
        assert!(chinese.contains(&format!("| `{name}` | ")), "{name}");
    }
    let number = format!(" {} ", STYLES.len());
    assert!(english.contains(&format!("one of{number}simple")) && chinese.contains(&number));
}

#[test]
fn bots_with_a_time_option_answer_in_time() {
    let dir = TestDir::new();
    for bot in ["sage --time 20", "sample --time 20"] {
        let kept = built_in(&format!("{bot} --keep-running"));
        let line = format!("'{bot}' greedy {kept} random --seed 1 --turns 5 --as-process --time-limit 20000");
        let replay = dir.play(&line);
        for seat in 0..4 {
            let output = verdicts(&replay, seat);
            assert!(!output.is_empty() && output.iter().all(|verdict| *verdict == "OK"), "{bot}: {output:?}");
        }
    }
}

#[test]
fn a_replay_distinguishes_options() {
    let dir = TestDir::new();
    let bots = "greedy 'sage --time 3' 'sage --time=3' 'sage --simulations 3'";
    let output = dir.run(&format!("match {bots} --turns 1 --no-replay --json")).succeeded().json();
    let [greedy, timed, too, counted] = [0, 1, 2, 3].map(|seat| output["seats"][seat]["program"].as_str().unwrap());
    assert_eq!((greedy, timed), (&*format!("built-in {}", env!("CARGO_PKG_VERSION")), &*format!("{greedy} sage --time 3")));
    assert_eq!(timed, too);
    assert_ne!(timed, counted);
    assert_eq!(output["seats"][2]["name"], "sage --time=3");
}

#[test]
fn every_verb_rejects_bad_options() {
    let dir = TestDir::new();
    let simulates = "hunter does not simulate: it takes neither a number of simulations nor a time";
    dir.run("bot hunter --time 5").refused(&[simulates]);
    dir.run("bot sample --without net")
        .refused(&["sample does not search: it has no components to leave out, no net and no threads"]);
    dir.run("bot sage --time 0").misused(&["a whole number from 1 to 60000"]);
    dir.run("bot sage --time 5 --simulations 5").misused(&["cannot be used with"]);
    dir.run("bot sage --without nett").misused(&["net, others, last-turn"]);
    dir.run("arena init").succeeded();
    for (bot, words) in [
        ("hunter --time 5", simulates),
        (
            "sage --tmie 5",
            "\"sage --tmie 5\": unknown option \"--tmie\"; expected --simulations, --time, --threads, --without, --net",
        ),
        ("sage --time 60001", "--time: expected a whole number from 1 to 60000, got \"60001\""),
        ("sage --net nowhere.net", "nowhere.net: "),
    ] {
        dir.run(&format!("match greedy '{bot}' greedy greedy")).refused(&[words]);
        dir.run(&format!("match greedy '{bot}' greedy greedy --games 2")).refused(&[words]);
        dir.run(&format!("arena add '{bot}'")).refused(&[words]);
        dir.run(&format!("arena compare '{bot}' greedy")).refused(&[words]);
        dir.run(&format!("check '{bot}'")).refused(&[words]);
    }
    assert_eq!(dir.names(), ["arena"]);
}

#[test]
fn an_arena_distinguishes_options() {
    let dir = TestDir::new();
    dir.run("arena init --time-limit 20000 --turns 10").succeeded();
    dir.run("arena add 'sage --simulations 5' 'sage --simulations 40' greedy random").succeeded();
    dir.run("arena add 'sage --simulations=5' --name 'sage --simulations 5'").refused(&["this program is in the arena already"]);
    let bots = |output: &str| output.lines().map(json).collect::<Vec<Value>>();
    let second = dir.run("arena add 'sage --simulations 6' --name 'sage --simulations 5' --json").succeeded();
    assert_eq!(bots(&second.stdout)[0]["bot"]["version"], "2");
    let result = dir.run("arena run --maps 1 --json").succeeded();
    assert_eq!(json(result.stdout.lines().last().unwrap())["finished"], true, "{result:?}");
    let table = dir.run("arena table --all --json").succeeded().json();
    let mut programs: Vec<&str> =
        table["bots"].as_array().unwrap().iter().map(|bot| bot["bot"]["program"].as_str().unwrap()).collect();
    programs.sort_unstable();
    let version = format!("built-in {}", env!("CARGO_PKG_VERSION"));
    let with = |simulations: u32| format!("{version} sage --simulations {simulations}");
    assert_eq!(programs, [version.clone(), version.clone(), with(40), with(5), with(6)]);
    let compared = dir.run("arena compare 'sage --simulations 40' 'sage --simulations 7' --most-blocks 1 --pool greedy --json");
    assert!(compared.succeeded().stdout.contains("sage --simulations 7"));
}

#[test]
fn a_net_from_a_file() {
    let dir = TestDir::new();
    let (zeros, ones) = (Net::from_weights(&[0.0; WEIGHTS]), Net::from_weights(&[0.3; WEIGHTS]));
    std::fs::create_dir(dir.path("nets")).unwrap();
    std::fs::write(dir.path("nets/mine.net"), zeros.write("a test")).unwrap();
    let bot = "'sage --simulations 20 --net nets/mine.net'";
    let few = "greedy greedy greedy --seed 5 --turns 4 --time-limit 60000";
    let within = dir.play(&format!("{bot} {few}"));
    assert_eq!(turns(&within), turns(&dir.play(&format!("{bot} {few} --as-process"))));

    // The arena finds the net from another folder, and notices that its copy has changed.
    dir.run("arena init --time-limit 20000 --turns 4").succeeded();
    dir.run(&format!("arena add {bot} --name mine")).succeeded();
    dir.run("arena add greedy random sample").succeeded();
    std::fs::create_dir(dir.path("elsewhere")).unwrap();
    let arena_run = |first_seed: u32| {
        let mut command = dir.command(&format!("arena --arena ../arena run --maps 1 --first-seed {first_seed}"));
        command.current_dir(dir.path("elsewhere"));
        crate::common::start(command, "").wait()
    };
    arena_run(1).succeeded();
    // It has a copy of its own.
    std::fs::remove_file(dir.path("nets/mine.net")).unwrap();
    arena_run(2).succeeded();
    let folder = std::fs::read_dir(dir.path("arena/bots")).unwrap().next().unwrap().unwrap().path();
    let copy = folder.join("mine.net");
    std::fs::write(&copy, ones.write("a test")).unwrap();
    arena_run(3).refused(&["mine@1 cannot play: its program has changed since it was added"]);
    std::fs::remove_file(&copy).unwrap();
    arena_run(3).refused(&["mine@1 cannot play: its program is missing or broken", "mine.net: "]);
}
