//! `pacman2 simulate`: compared with the rules, which are compared with the traces of the sample program.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;

use crate::common::{FIELD, PATIENCE, TestDir, init_data, json};
use pacman2_botzone::ChangeFlags;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, Direction, ForfeitRuling, Game, Report, Ruleset, Seat};
use serde_json::{Value, json};

/// Sends these lines to one process, which answers each with one line.
#[track_caller]
fn ask_all(options: &str, lines: &[String]) -> Vec<Value> {
    let result = TestDir::new().run_with(&format!("simulate {options}"), &(lines.join("\n") + "\n")).succeeded();
    let answers: Vec<Value> = result.stdout.lines().map(json).collect();
    assert_eq!((answers.len(), result.stderr.as_str()), (lines.len(), ""));
    answers
}

fn actions(actions: impl Into<Value>) -> String {
    json!({ "actions": actions.into() }).to_string()
}

/// Returns the expected answer in a position.
fn describe(game: &Game, report: &Report) -> Value {
    let (maze, state) = (game.maze(), game.state());
    let mut content = vec![vec![0; maze.width().into()]; maze.height().into()];
    let mut put = |cell, bits| content[usize::from(maze.row(cell))][usize::from(maze.col(cell))] |= bits;
    state.small_fruits.iter().for_each(|cell| put(cell, 16));
    state.large_fruits.iter().for_each(|cell| put(cell, 32));
    state.alive.iter().for_each(|seat| put(state.cells[seat], 1 << seat.index()));
    let players: Vec<[i32; 5]> = Seat::ALL
        .into_iter()
        .map(|seat| {
            let player = state.player(seat);
            let dir = [maze.row(player.cell), maze.col(player.cell)].map(i32::from);
            [dir[0], dir[1], player.strength, player.boost_turns_left as i32, i32::from(!player.alive)]
        })
        .collect();
    let mut answer = json!({
        "turn": state.turn,
        "alive": state.alive.iter().count(),
        "small_fruits": state.small_fruits.iter().count(),
        "generator_turns_left": state.generator_turns_left,
        "continues": !game.is_over(),
        "players": players,
        "content": content,
        "change": ChangeFlags::from_report(report).0.map(ChangeFlags::bits),
        "strength_delta": report.strength_delta.0,
    });
    if game.is_over() {
        answer["scores"] = json!(game.scores().0.map(|score| score.hundredths as f64 / 100.0));
    }
    answer
}

/// Reproducible pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Returns mostly legal and sometimes illegal actions; for dead players `null`, or an action that is ignored.
    fn action(&mut self, game: &Game, seat: Seat) -> (Value, Action) {
        let legal = game.state().legal_actions(game.maze(), seat);
        if legal.is_empty() {
            return ([json!(null), json!(3), json!("dead")][self.below(3)].clone(), Action::Invalid);
        }
        if self.below(60) == 0 {
            let illegal = [json!(8), json!(-2), json!(null), json!("1"), json!(1.5), json!([1]), json!(true), json!(1e99)];
            return (illegal[self.below(illegal.len())].clone(), Action::Invalid);
        }
        // Including illegal ones: walls, and lights that are too expensive.
        let action = if self.below(90) == 0 { Action::ALL[self.below(9)] } else { legal[self.below(legal.len())] };
        (number(action), action)
    }
}

fn number(action: Action) -> Value {
    let index = |direction| Direction::ALL.into_iter().position(|other| other == direction).unwrap();
    match action {
        Action::Stay => json!(-1),
        Action::Move(direction) => json!(index(direction)),
        Action::Shoot(direction) => json!(index(direction) + 4),
        Action::Invalid => unreachable!("it has no number"),
    }
}

/// Plays a random game to its end. Returns its lines, of which the first is init data, and the expected answers.
fn random_game(map: &Map, random: &mut Random) -> (Vec<String>, Vec<Value>) {
    let mut game = Game::new(map.maze.clone(), map.start);
    let mut lines = vec![pacman2_botzone::init_data::write(map).to_string()];
    let mut answers = vec![describe(&game, &Report::default())];
    while !game.is_over() {
        let chosen = BySeat::from_fn(|seat| random.action(&game, seat));
        lines.push(actions(chosen.0.clone().map(|(value, _)| value).to_vec()));
        let report = game.play(&chosen.map(|(_, action)| action)).unwrap();
        answers.push(describe(&game, &report));
    }
    (lines, answers)
}

#[track_caller]
fn assert_same(answers: &[Value], expected: &[Value], lines: &[String]) {
    assert_eq!(answers.len(), expected.len());
    for (number, (answer, expected)) in answers.iter().zip(expected).enumerate() {
        assert_eq!(answer, expected, "line {number}, after {}", lines[number]);
    }
}

#[test]
fn whole_games_follow_the_rules() {
    for ruling in ForfeitRuling::ALL {
        let (mut lines, mut expected) = (Vec::new(), Vec::new());
        let mut random = Random(2016);
        for seed in 1..=25 {
            let settings = Ruleset {
                forfeit_ruling: ruling,
                skill_cost: [4, 4, 1, 0, 3][seed as usize % 5],
                generator_interval: [20, 7, 1][seed as usize % 3],
                large_fruit_duration: [10, 1, 3, 0][seed as usize % 4],
                turn_limit: [100, 30][seed as usize % 2],
                ..Ruleset::default()
            };
            let map = Map::generate(seed, MapSize::default(), settings).unwrap();
            let (asked, output) = random_game(&map, &mut random);
            lines.extend(asked);
            expected.extend(output);
        }
        assert!(expected.iter().any(|answer| answer["change"].as_array().unwrap().contains(&json!(16))), "illegal actions");
        assert!(expected.len() > 500, "{} lines", expected.len());
        assert_same(&ask_all(&format!("--ruling {}", ruling.name()), &lines), &expected, &lines);
    }
}

#[test]
fn undo_gives_the_earlier_answer() {
    let map = Map::generate(7, MapSize::default(), Ruleset::default()).unwrap();
    let (lines, expected) = random_game(&map, &mut Random(7));
    let turns = expected.len() - 1;
    assert!(turns > 10);
    // Play to the end, undo to each position, and play on as before.
    let (mut asked, mut wanted) = (lines.clone(), expected.clone());
    for turn in (0..=turns).rev() {
        asked.push(json!({ "undo": turns - turn }).to_string());
        wanted.push(expected[turn].clone());
        for next in turn + 1..=turns {
            asked.push(lines[next].clone());
            wanted.push(expected[next].clone());
        }
    }
    assert_same(&ask_all("", &asked), &wanted, &asked);
}

#[test]
fn undo_of_no_turns_gives_the_same_answer() {
    let lines = [
        init_data(FIELD).to_string(),
        r#"{"undo": 0}"#.into(),
        actions([1, 1, 1, 1]),
        r#"{"undo": 0}"#.into(),
        r#"{"undo": 1}"#.into(),
    ];
    let output = ask_all("", &lines);
    assert_eq!((&output[0], &output[2], &output[0]), (&output[1], &output[3], &output[4]));
    assert_ne!(output[0], output[2]);
}

/// After an error, the game continues from the same position.
#[test]
fn errors_keep_the_game() {
    let (stay, map) = (actions([-1; 4]), init_data(FIELD));
    let mut unplayable = map.clone();
    unplayable["height"] = json!(5);
    let errors = [
        ("no JSON".to_owned(), "not JSON: "),
        ("{}".to_owned(), "expected init data with \"seed\", or with \"static\" and \"content\""),
        ("[]".to_owned(), "expected init data with \"seed\", or with \"static\" and \"content\""),
        ("7".to_owned(), "expected init data with \"seed\", or with \"static\" and \"content\""),
        (actions([1, 2, 3]), "\"actions\": expected a list of four"),
        (actions([1, 2, 3, -1, 0]), "\"actions\": expected a list of four"),
        (actions("up"), "\"actions\": expected a list of four"),
        (actions(Value::Null), "\"actions\": expected a list of four"),
        (r#"{"undo": 2}"#.to_owned(), "\"undo\": expected a number of turns from 0 to 1"),
        (r#"{"undo": -1}"#.to_owned(), "\"undo\": expected a number of turns from 0 to 1"),
        (r#"{"undo": "all"}"#.to_owned(), "\"undo\": expected a number of turns from 0 to 1"),
        (unplayable.to_string(), "height must be a whole number between 6 and 11, got 5"),
    ];
    for (line, words) in errors {
        let output = ask_all("", &[map.to_string(), stay.clone(), line.clone(), r#"{"undo": 0}"#.into(), stay.clone()]);
        let error = output[2]["error"].as_str().unwrap_or_else(|| panic!("{line}: {}", output[2]));
        assert!(error.contains(words) && output[2].as_object().unwrap().len() == 1, "{line}: {error}");
        assert_eq!((&output[3], &output[4]["turn"]), (&output[1], &json!(2)), "{line}");
    }
}

#[test]
fn a_line_that_is_not_utf_8_is_an_error() {
    let mut input = init_data(FIELD).to_string().into_bytes();
    input.extend(b"\n\xff\xfe\n");
    input.extend(actions([-1; 4]).bytes());
    let dir = TestDir::new();
    let mut running = crate::common::start_with_open_input(dir.command("simulate"));
    running.child.stdin.take().unwrap().write_all(&input).unwrap();
    let output: Vec<Value> = running.wait().succeeded().stdout.lines().map(json).collect();
    assert!(output.len() == 3 && output[1]["error"].is_string() && output[2]["turn"] == 1, "{output:?}");
}

#[test]
fn actions_need_a_game() {
    let output = ask_all("", &[actions([-1; 4]), r#"{"undo": 0}"#.into()]);
    for answer in output {
        assert_eq!(answer, json!({ "error": "no game has started; start one with a line of init data" }));
    }
}

#[test]
fn the_end_of_the_game() {
    let output = ask_all(
        "",
        &[init_data(FIELD).to_string(), actions([-1, 9, 9, 9]), actions([-1; 4]), r#"{"undo": 1}"#.into(), actions([-1; 4])],
    );
    // The survivor gets the remaining fruit.
    assert_eq!((&output[1]["continues"], &output[1]["scores"]), (&json!(false), &json!([140.0, 10.0, 10.0, 10.0])));
    assert_eq!(output[2], json!({ "error": "the game is over; use undo or new init data" }));
    assert_eq!((&output[3], &output[4]["turn"]), (&output[0], &json!(1)));
    assert!(output[3].get("scores").is_none() && output[4].get("scores").is_none());
}

#[test]
fn other_keys_and_blank_lines_are_ignored() {
    let mut map = init_data(FIELD);
    map["colour"] = json!("red");
    let input = format!(" {map} \r\n\n   \n{}", r#"{"comment": "no line end", "actions": [1, null, 3.0, 7], "x": {}}"#);
    let result = TestDir::new().run_with("simulate", &input).succeeded();
    let output: Vec<Value> = result.stdout.lines().map(json).collect();
    assert_eq!((output.len(), result.stderr.as_str()), (2, ""));
    assert_eq!((&output[1]["change"], &output[1]["players"][0]), (&json!([0, 16, 16, 16]), &json!([0, 1, 3, 0, 0])));
}

#[test]
fn init_data_may_be_a_seed() {
    let output = ask_all("", &[r#"{"seed": 42}"#.into(), r#"{"seed": 42, "width": 11, "height": 6}"#.into()]);
    let map = Map::generate(42, MapSize::default(), Ruleset::default()).unwrap();
    assert_eq!(output[0], describe(&Game::new(map.maze, map.start), &Report::default()));
    assert_eq!((output[1]["content"].as_array().unwrap().len(), output[1]["content"][0].as_array().unwrap().len()), (6, 11));
}

#[test]
fn new_init_data_begins_a_new_game() {
    let map = init_data(FIELD).to_string();
    let output = ask_all("", &[map.clone(), actions([1, -1, -1, -1]), map, r#"{"undo": 1}"#.into()]);
    assert_eq!(output[0], output[2]);
    assert_eq!(output[3], json!({ "error": "\"undo\": expected a number of turns from 0 to 0" }));
}

/// Each line is answered before the next one is read, or no program could play against it.
#[test]
fn each_line_is_answered_at_once() {
    let dir = TestDir::new();
    let mut command = dir.command("simulate");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (sender, answers) = mpsc::channel();
    let reader = thread::spawn(move || BufReader::new(output).lines().try_for_each(|line| sender.send(line.unwrap())));
    for (turn, line) in [init_data(FIELD).to_string(), actions([-1; 4]), actions([1; 4])].into_iter().enumerate() {
        writeln!(input, "{line}").unwrap();
        assert_eq!(json(&answers.recv_timeout(PATIENCE).expect("an answer"))["turn"], turn);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    reader.join().unwrap().unwrap();
}

/// Player 0, boosted, shoots at player 1, which forfeits in that turn. Only by the wiki's prose is 1 still hit.
#[test]
fn the_ruling_can_be_chosen() {
    let map = init_data(
        "
        +----+----+----+----+----+----+
        | 0o   1                      |
        +----+----+----+----+----+----+
        |                             |
        +----+----+----+----+----+----+
        |                             |
        +----+----+----+----+----+----+
        |                             |
        +----+----+----+----+----+----+
        |                             |
        +----+----+----+----+----+----+
        | 2                        3  |
        +----+----+----+----+----+----+
        ",
    );
    let lines = [map.to_string(), actions([-1; 4]), actions([5, 9, -1, -1])];
    for (ruling, delta) in [("--ruling sample", -4), ("--ruling judge", -4), ("--ruling prose", 2), ("", -4)] {
        assert_eq!(ask_all(ruling, &lines)[2]["strength_delta"][0], delta, "{ruling}");
    }
}

#[test]
fn bad_arguments_are_rejected() {
    TestDir::new().run("simulate --ruling mercy").misused(&["'mercy'", "sample, judge, prose"]);
    TestDir::new().run("simulate file").misused(&["'file'"]);
}

/// Runs `simulate --against` with an engine that is `pacman2 simulate`, its output changed by a shell command.
#[cfg(unix)]
fn against(change: &str, options: &str) -> crate::common::RunResult {
    let dir = TestDir::new();
    dir.write("engine.sh", &format!("'{}' simulate | {change}", crate::common::PACMAN2));
    dir.run(&format!("simulate --against 'sh engine.sh' {options}"))
}

#[cfg(unix)]
#[test]
fn an_engine_without_faults() {
    let result = against("cat", "--games 3 --seed 5").succeeded();
    assert!(result.stdout.starts_with("No difference in 3 games with "), "{result:#?}");
    let keys = "players, content, turn, alive, small_fruits, generator_turns_left, continues, change, strength_delta, scores";
    assert!(result.stdout.ends_with(&format!("turns; compared: {keys}\n")), "{result:#?}");
    // An engine may print less, and 1.0 for 1.
    let only_players = r#"sed 's/.*"players":\(\[\[[^a-z]*\]\]\).*/{"players": \1}/; s/\([0-9]\),/\1.0,/g'"#;
    let result = against(only_players, "--games 2").succeeded();
    assert!(result.stdout.ends_with("turns; compared: players\n"), "{result:#?}");
}

#[cfg(unix)]
#[test]
fn the_first_difference_is_shown() {
    // In the answer after turn 7, player 0 has strength 77.
    let result = against(r#"sed '8s/"players":\[\[\([0-9]*\),\([0-9]*\),[-0-9]*/"players":[[\1,\2,77/'"#, "--seed 5");
    assert_eq!((result.code, result.stderr.as_str()), (Some(1), ""), "{result:#?}");
    let [before, after] = result.stdout.split("\nBy the rules:\n").collect::<Vec<_>>()[..] else { panic!("{result:#?}") };
    let [ours, theirs] = after.split("\nBy the other program:\n").collect::<Vec<_>>()[..] else { panic!("{result:#?}") };
    assert!(
        before.starts_with("The first difference is at turn 7 of the game with seed 5.\n\nBefore it:\nturn 6/100, "),
        "{before}"
    );
    assert!(before.contains("\nActions:\n0: "), "{before}");
    assert!(ours.starts_with("turn 7/100, ") && theirs.contains("\n0: 77\n"), "{after}");
    let differences = theirs.split("Differences:\n").nth(1).unwrap();
    assert!(differences.starts_with("  player 0, strength: expected ") && differences.ends_with(", got 77\n"), "{differences}");
    assert_eq!(differences.lines().count(), 1, "{differences}");
}

#[cfg(unix)]
#[test]
fn differences_name_cells_and_players() {
    let content = |bits: &str| format!(r#"sed '3s/"content":\[\[[0-9]*/"content":[[{bits}/'"#);
    let result = against(&content("56"), "");
    assert!(
        result.stdout.contains("  row 0, column 0: expected ")
            && result.stdout.contains("got player 3 and small fruit and large fruit\n"),
        "{result:#?}"
    );
    let outside = against(r#"sed '2s/"players":\[\[[0-9]*/"players":[[40/'"#, "");
    assert!(
        outside.stdout.contains("(a player is outside the maze)") && outside.stdout.contains("player 0, row: expected "),
        "{outside:#?}"
    );
    let start = against(r#"sed '1s/"generator_turns_left":20/"generator_turns_left":19/'"#, "");
    for words in [
        "The first difference is at the start of the game with seed 1.\n\nBy the rules:",
        "  generator_turns_left: expected 20, got 19\n",
    ] {
        assert!(start.stdout.contains(words), "{words}: {start:#?}");
    }
}

#[cfg(unix)]
#[test]
fn an_engine_that_does_not_answer() {
    against("sed 4q", "").refused(&["lines for the game with seed 1, one for each line of input, got 4 lines: it ended"]);
    against("(sed 1q; echo oh no >&2; exit 3)", "").refused(&["got 1 line: it ended with exit code 3; it wrote \"oh no\""]);
    against("sed 's/.*/Hello, \\o\\//'", "")
        .refused(&["the start of the game with seed 1: expected a line of JSON, got \"Hello"]);
    against("sed '3s/.*/{\"players\": [1, 2]}/'", "")
        .refused(&["turn 2 of the game with seed 1: expected \"players\" with four lists"]);
    let dir = TestDir::new();
    dir.run("simulate --against 'no-such-program x'")
        .refused(&["--against \"no-such-program x\": no program \"no-such-program\" found"]);
    dir.run("simulate --games 3").misused(&["--against"]);
}
