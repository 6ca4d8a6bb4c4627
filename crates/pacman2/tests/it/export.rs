//! `pacman2 export`: built-in bots as files. The Python tests compare the decisions of those without nets with those of the built-in bots.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use pacman2_bots::net::Net;
use pacman2_bots::sage::Sage;
use pacman2_bots::{Agent, BotSpec, Effort};
use pacman2_botzone::action::to_number;
use pacman2_botzone::init_data;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Game, Ruleset, Seat};
use serde_json::{Value, json};

use crate::common::{TestDir, has, runs, start, verdicts};

const PATIENT: &str = "--time-limit 60000 --memory-limit 2048";

#[test]
fn an_exported_bot_is_one_file_and_plays() {
    let dir = TestDir::new();
    for bot in ["greedy", "hunter", "sage"] {
        let result = dir.run(&format!("export {bot} --lang cpp -o {bot}.cpp")).succeeded();
        let text = dir.read(&format!("{bot}.cpp"));
        assert!(text.starts_with("// pacman2 bundle: ") && !text.contains("\n#include \"") && !text.contains("[seed]"), "{text}");
        assert!(result.stdout.contains(&format!("{bot}.cpp: {bot} in C++17, {} bytes", text.len())), "{}", result.stdout);
    }
    let text = dir.run("export greedy --lang cpp -o - --seed -7").succeeded().stdout;
    assert!(text.contains("constexpr std::int32_t seed = -7;"));
    // A file of this program is replaced.
    dir.run("export greedy --lang cpp -o hunter.cpp").succeeded();
    if has("g++", "an exported bot plays") {
        dir.run(&format!("match greedy.cpp random random random --seed 1 --replay played.json {PATIENT}")).succeeded();
        assert!(verdicts(&dir.replay("played.json"), 0).iter().all(|&verdict| verdict == "OK"));
    }
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let dir = TestDir::new();
    dir.write("mine.cpp", "int main() {}\n");
    dir.run("export random --lang cpp -o random.cpp").refused(&["random: expected greedy, hunter or sage"]);
    dir.run("export --lang cpp -o bot.cpp").refused(&["expected greedy, hunter or sage, or --net FILE"]);
    for (option, why) in [("--simulations 5", "hunter does not simulate"), ("--net mine.net", "hunter does not search")] {
        dir.run(&format!("export hunter --lang cpp -o bot.cpp {option}")).refused(&[why]);
    }
    dir.run("export hunter --lang cpp --only-weights -o w.hpp").refused(&["hunter does not search"]);
    dir.run("export sage --lang cpp --only-weights -o w.cpp").refused(&["--out w.cpp: expected a name that ends in .hpp"]);
    dir.run("export --net mine.cpp --lang cpp -o bot.cpp").refused(&["mine.cpp: not a net of this version"]);
    dir.run("export sage --lang cpp -o bot.cpp --time 0").misused(&["--time"]);
    dir.run("export sage --lang cpp -o bot.cpp --time 5 --simulations 5").misused(&["--simulations"]);
    dir.run("export greedy --lang cpp -o greedy.py").refused(&["--out greedy.py: expected a name that ends in .cpp"]);
    dir.run("export greedy --lang cpp -o mine.cpp").refused(&["mine.cpp", "choose another name or add --force"]);
    dir.run("export greedy --lang cpp -o mine.cpp --force").succeeded();
}

/// Simulations of a decision in the comparison.
const SIMULATIONS: u32 = 400;
/// Who plays the games of the comparison, one after the other on each seat.
const PLAYERS: [&str; 6] = ["greedy", "style sniper", "hunter", "random", "style all-round", "sage --simulations 30"];

/// Plays a game between bots of different strength.
fn play(number: usize, map: &Map) -> Game {
    let player = |seat: Seat| -> Agent {
        let spec: BotSpec = PLAYERS[(number + 2 * seat.index()) % PLAYERS.len()].parse().unwrap();
        spec.config().unwrap().start()
    };
    let mut players = Seat::ALL.map(player);
    let mut game = Game::new(map.maze.clone(), map.start);
    while !game.is_over() {
        let alive = game.state().alive;
        let actions = BySeat::from_fn(|seat| match alive.contains(seat) {
            true => players[seat.index()](&game, seat, number as i32),
            false => Action::Stay,
        });
        game.play(&actions);
    }
    game
}

/// Returns what Botzone sends a seat in the game, turn by turn, as long as it lives.
fn requests(map: &Map, game: &Game, seat: Seat) -> Vec<Value> {
    let mut first = init_data::write(map);
    first["id"] = seat.index().into();
    let turns = game.turns().iter().map(|turn| {
        let sent = Seat::ALL.map(|of| match turn.before.alive.contains(of) {
            true => (of.index().to_string(), json!({ "action": to_number(turn.actions[of]) })),
            false => (of.index().to_string(), Value::Null),
        });
        Value::from_iter(sent)
    });
    let lived = game.turns().iter().filter(|turn| turn.before.alive.contains(seat)).count();
    std::iter::once(first).chain(turns).take(lived).collect()
}

/// Asks a program for its actions: those of all requests if it keeps running, or only the last one.
fn ask(program: &std::path::Path, requests: &[Value], keeps_running: bool) -> Vec<i64> {
    let first = if keeps_running { &requests[..1] } else { requests };
    let mut input = json!({ "requests": first, "responses": [] }).to_string() + "\n";
    input.extend(requests[first.len()..].iter().map(|request| request.to_string() + "\n"));
    let output = start(Command::new(program), &input).wait().succeeded().stdout;
    let answers = output.lines().filter(|line| line.starts_with('{'));
    answers.map(|line| serde_json::from_str::<Value>(line).unwrap()["response"]["action"].as_i64().unwrap()).collect()
}

/// Compares the decisions of an exported `sage` with those of this net, in games from these numbers on. Returns how many there were.
fn compare(program: &std::path::Path, net: &Arc<Net>, numbers: std::ops::Range<usize>) -> usize {
    let mut decisions = 0;
    for number in numbers {
        let seat = Seat::ALL[number % 4];
        let odd = Ruleset {
            skill_cost: 2,
            generator_interval: 7,
            large_fruit_duration: 4,
            large_fruit_enhancement: 6,
            ..Ruleset::default()
        };
        let ruleset = if number % 3 == 2 { odd } else { Ruleset::default() };
        let map = Map::generate(100 + number as i32, MapSize::default(), ruleset).unwrap();
        let game = play(number, &map);
        let requests = requests(&map, &game, seat);
        let mut sage = Sage::new(Effort::Simulations(SIMULATIONS)).with_net(Arc::clone(net));
        let expected: Vec<i64> =
            (1..=requests.len()).map(|turn| i64::from(to_number(sage.decide(&game.before(turn), seat, 0)))).collect();
        assert_eq!(ask(program, &requests, true), expected, "game {number}");
        for turn in (1..=requests.len()).step_by(11) {
            assert_eq!(ask(program, &requests[..turn], false), expected[turn - 1..turn], "game {number}, turn {turn}");
        }
        decisions += expected.len();
    }
    decisions
}

#[test]
fn an_exported_sage_decides_as_the_built_in_bot() {
    if !has("g++", "the decisions of an exported sage") {
        return;
    }
    let dir = TestDir::new();
    let compile = |source: &str, options: &[&str]| {
        let program = dir.path(source.trim_end_matches(".cpp"));
        let flags =
            ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-D_BOTZONE_ONLINE"].into_iter().chain(options.iter().copied());
        let flags = flags.map(std::ffi::OsString::from);
        assert!(runs("g++", flags.chain([dir.path(source).into(), "-o".into(), program.clone().into()])), "{source}");
        program
    };
    let built_in = Arc::new(Net::built_in());
    dir.run(&format!("export sage --lang cpp --simulations {SIMULATIONS} -o sage.cpp")).succeeded();
    let decisions = compare(&compile("sage.cpp", &[]), &built_in, 0..9);
    assert!(decisions >= 500, "{decisions}");

    // A net of one's own, without the vectors of the compiler.
    let mut weights = built_in.weights();
    weights.iter_mut().enumerate().for_each(|(index, weight)| *weight *= 0.5 + (index % 7) as f32 / 5.0);
    let own = Net::from_weights(&weights);
    fs::write(dir.path("own.net"), own.write("a test")).unwrap();
    dir.run(&format!("export --net own.net --lang cpp --simulations {SIMULATIONS} -o own.cpp")).succeeded();
    let decisions = compare(&compile("own.cpp", &["-DPACMAN2_PORTABLE"]), &Arc::new(own), 9..12);
    assert!(decisions >= 100, "{decisions}");
}

#[test]
fn an_exported_sage_is_checked_and_compared() {
    if !has("g++", "check, match and arena compare of an exported sage") {
        return;
    }
    let dir = TestDir::new();
    dir.run("export sage --lang cpp --simulations 200 -o sage.cpp").succeeded();
    let report = dir.run(&format!("check sage.cpp --json {PATIENT}")).succeeded().json();
    assert_eq!(
        (&report["fine"], &report["keeps_running"], &report["notes"]),
        (&true.into(), &true.into(), &json!([])),
        "{report}"
    );
    let replay = dir.play(&format!("sage.cpp random greedy random --seed 1 {PATIENT}"));
    assert!(verdicts(&replay, 0).iter().all(|&verdict| verdict == "OK"), "{}", replay["private"]);
    dir.run("arena init --turns 60 --time-limit 60000").succeeded();
    let compared = dir.run("arena compare sage.cpp random --most-blocks 2").succeeded();
    assert!(compared.stdout.contains("time-outs 0 of ") && compared.stdout.contains(": +"), "{}", compared.stdout);
}

/// Where the processor can multiply and add at once, the compiler must not.
#[test]
#[cfg(target_arch = "x86_64")]
fn an_exported_sage_does_without_fused_instructions() {
    if !has("g++", "the instructions of an exported sage") {
        return;
    }
    let dir = TestDir::new();
    dir.run("export sage --lang cpp -o sage.cpp").succeeded();
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O2", "-mfma", "-S", "-o", "-"]).arg(dir.path("sage.cpp"));
    let assembly = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(assembly.contains("vmulss") && !assembly.contains("vfmadd") && !assembly.contains("vfnmadd"));
}

#[test]
fn weights_are_a_header_for_a_new_bot() {
    let dir = TestDir::new();
    dir.run("new mybot --lang cpp --with net").succeeded();
    let given = dir.read("mybot/weights.hpp");
    let zeros = Net::from_weights(&[0.0; pacman2_bots::net::WEIGHTS]);
    fs::write(dir.path("zeros.net"), zeros.write("a test")).unwrap();
    let result = dir.run("export --net zeros.net --lang cpp --only-weights -o mybot/weights.hpp").succeeded();
    let own = dir.read("mybot/weights.hpp");
    assert_eq!(result.stdout, format!("mybot/weights.hpp: the weights of sage for sage.hpp in C++17, {} bytes\n", own.len()));
    assert!(own.contains("\"AAAAAAAA") && !given.contains("\"AAAAAAAA"));
    dir.run("export sage --lang cpp --only-weights -o mybot/weights.hpp").succeeded();
    assert_eq!(dir.read("mybot/weights.hpp"), given);
}
