//! `pacman2 simulate --against`: compares another engine with the rules, turn by turn.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pacman2_bots::BotConfig;
use pacman2_botzone::{action, init_data};
use pacman2_console::error::bad_input;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::map_source;
use pacman2_console::stdout::stdout;
use pacman2_console::text::counted;
use pacman2_maps::{Map, MapSize};
use pacman2_rules::{Action, BySeat, CellSet, Game, Maze, Report, Ruleset, Seat, SeatSet, State, picture};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::{SimulateOptions, describe};
use crate::own_command::{OwnCommand, excerpt};

/// How long the engine may take for a game, and how much it may print.
const TIME: Duration = Duration::from_secs(20);
const MEGABYTES: u64 = 16;
/// The players of the games: some that eat and fight, and one that does anything.
const BOTS: [&str; 3] = ["random", "greedy", "hunter"];
/// One of this many actions is illegal.
const ILLEGAL_ONE_IN: u64 = 400;
/// What each player's list in `players` has.
const PLAYER_FIELDS: [&str; 5] = ["row", "column", "strength", "turns left of the boost", "dead"];

pub(super) fn run(options: &SimulateOptions, command: &str) -> anyhow::Result<ExitCode> {
    let stop = stop_on_interrupt()?;
    let last = options.seed.checked_add_unsigned(options.games - 1);
    let last =
        last.ok_or_else(|| bad_input(format!("--seed {}: expected a seed that leaves room for all games", options.seed)))?;
    let mut engine = OwnCommand::new("--against", command, TIME, MEGABYTES)?;
    let ruleset = Ruleset::default().with_forfeit_ruling(options.ruling);
    let (mut turns, mut compared) = (0, Vec::new());
    for seed in options.seed..=last {
        let game = RecordedGame::play(map_source::generate(seed, MapSize::default(), ruleset)?)?;
        match compare(&mut engine, &game, &stop)? {
            None => return Ok(INTERRUPTED.into()),
            Some(Comparison::Differs(text)) => {
                write!(stdout(), "{text}")?;
                return Ok(ExitCode::FAILURE);
            }
            Some(Comparison::Same(keys)) => compared = keys,
        }
        turns += game.turns();
    }
    let (games, keys) = (counted(options.games as usize, "game"), compared.join(", "));
    writeln!(stdout(), "No difference in {games} with {}; compared: {keys}", counted(turns, "turn"))?;
    Ok(ExitCode::SUCCESS)
}

/// A game that was played by the rules.
struct RecordedGame {
    map: Map,
    actions: Vec<BySeat<Option<Action>>>,
    states: Vec<State>,
    /// What `pacman2 simulate` answers, before the first turn and after each.
    answers: Vec<Value>,
}

impl RecordedGame {
    /// Plays a game of built-in bots that also choose an illegal action now and then.
    fn play(map: Map) -> anyhow::Result<RecordedGame> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(map.seed as u64);
        let mut game = Game::new(map.maze.clone(), map.start);
        let mut agents = Vec::new();
        for _ in Seat::ALL {
            let name = BOTS[random.next_u64() as usize % BOTS.len()];
            agents.push(BotConfig::new(name.parse()?).start());
        }
        let answers = vec![describe(game.maze(), game.state(), &Report::default())];
        let mut recorded = RecordedGame { actions: Vec::new(), states: vec![*game.state()], answers, map };
        while !game.is_over() {
            let alive = game.state().alive;
            let actions = BySeat::from_fn(|seat| {
                let is_illegal = random.next_u64().is_multiple_of(ILLEGAL_ONE_IN);
                let mut decide = || agents[seat.index()](&game, seat, recorded.map.seed);
                alive.contains(seat).then(|| if is_illegal { Action::Invalid } else { decide() })
            });
            let Some(report) = game.play(&actions.map(|action| action.unwrap_or(Action::Stay))) else { break };
            recorded.actions.push(actions);
            recorded.states.push(*game.state());
            recorded.answers.push(describe(game.maze(), game.state(), &report));
        }
        Ok(recorded)
    }

    fn turns(&self) -> usize {
        self.actions.len()
    }

    /// Returns the lines for the engine: init data, and the actions of each turn.
    fn input(&self) -> String {
        let mut lines = format!("{}\n", init_data::write(&self.map));
        for actions in &self.actions {
            let numbers = actions.0.map(|action| action.map(number));
            let _ = writeln!(lines, "{}", json!({ "actions": numbers }));
        }
        lines
    }
}

/// Returns Botzone's number of an action, and one that it lacks for an illegal one.
fn number(action: Action) -> i32 {
    if action == Action::Invalid { 8 } else { action::to_number(action) }
}

/// What became of a game.
enum Comparison {
    /// All turns agree in these keys.
    Same(Vec<&'static str>),
    /// The first turn that differs, as a text.
    Differs(String),
}

/// Lets the engine play a game. Returns `None` if it was interrupted.
fn compare(engine: &mut OwnCommand, game: &RecordedGame, stop: &AtomicBool) -> anyhow::Result<Option<Comparison>> {
    let Some(run) = engine.run(&game.input(), stop) else { return Ok(None) };
    let output = String::from_utf8_lossy(&run.output);
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    let at = |turn: usize| match turn {
        0 => format!("the start of the game with seed {}", game.map.seed),
        _ => format!("turn {turn} of the game with seed {}", game.map.seed),
    };
    let mut keys = Vec::new();
    for (turn, line) in lines.iter().take(game.answers.len()).enumerate() {
        let answer = Answer::read(line).map_err(|expected| {
            bad_input(format!("{}: {}: expected {expected}, got {}", engine.name, at(turn), excerpt(line)))
        })?;
        let expected = &game.answers[turn];
        keys = KEYS.into_iter().filter(|key| answer.0.get(key).is_some() && expected.get(key).is_some()).collect();
        let differences = answer.differences(expected, &game.map.maze);
        if !differences.is_empty() {
            let header = format!("The first difference is at {}.\n", at(turn));
            return Ok(Some(Comparison::Differs(header + &picture_of(game, turn, &answer, &differences))));
        }
    }
    if lines.len() == game.answers.len() {
        // The last answer of a game has the scores, too.
        return Ok(Some(Comparison::Same(keys)));
    }
    let errors = String::from_utf8_lossy(&run.stderr);
    let wrote = if errors.trim().is_empty() { String::new() } else { format!("; it wrote {}", excerpt(&errors)) };
    let why = engine.complaint(&run).unwrap_or_else(|| "it ended".to_owned());
    let [expected, got] = [game.answers.len(), lines.len()].map(|count| counted(count, "line"));
    Err(bad_input(format!(
        "{}: expected {expected} for the game with seed {}, one for each line of input, got {got}: {why}{wrote}",
        engine.name, game.map.seed
    )))
}

/// The keys of an answer that are compared, if it has them.
const KEYS: [&str; 10] = [
    "players",
    "content",
    "turn",
    "alive",
    "small_fruits",
    "generator_turns_left",
    "continues",
    "change",
    "strength_delta",
    "scores",
];

/// An answer of the engine. Its players are lists of five numbers.
struct Answer(Value);

impl Answer {
    /// Reads a line; the error is what was expected.
    fn read(line: &str) -> Result<Answer, &'static str> {
        let value: Value = serde_json::from_str(line).map_err(|_| "a line of JSON")?;
        let is_player = |player: &Value| {
            player.as_array().is_some_and(|fields| {
                fields.len() == PLAYER_FIELDS.len() && fields.iter().all(|field| as_number(field).is_some())
            })
        };
        let players = value.get("players").and_then(Value::as_array);
        let is_valid = players.is_some_and(|players| players.len() == 4 && players.iter().all(is_player));
        let expected = "\"players\" with four lists of row, column, strength, turns left of the boost, and 1 for the dead";
        if is_valid { Ok(Answer(value)) } else { Err(expected) }
    }

    /// Returns what differs, a line each.
    fn differences(&self, expected: &Value, maze: &Maze) -> Vec<String> {
        let mut lines = Vec::new();
        for key in KEYS {
            let (Some(theirs), Some(ours)) = (self.0.get(key), expected.get(key)) else { continue };
            if is_same(theirs, ours) {
                continue;
            }
            match key {
                "players" => lines.extend(player_differences(theirs, ours)),
                "content" => lines.extend(content_differences(theirs, ours, maze)),
                "change" | "strength_delta" | "scores" => lines.extend(list_differences(key, theirs, ours)),
                _ => lines.push(format!("{key}: expected {ours}, got {theirs}")),
            }
        }
        lines
    }

    /// Returns the position as far as it can be drawn: our position, with their players and their fruit.
    fn state(&self, ours: &State, maze: &Maze) -> Option<State> {
        let number = |value: &Value, index: usize| value.get(index).and_then(as_number);
        let mut state = State { alive: SeatSet::EMPTY, ..*ours };
        for seat in Seat::ALL {
            let player = &self.0["players"][seat.index()];
            let index = |field: usize| number(player, field).filter(|&number| number >= 0.0).map(|number| number as usize);
            state.cells[seat] = maze.cell(index(0)?, index(1)?)?;
            state.strength[seat] = number(player, 2)? as i32;
            state.boost_turns_left[seat] = number(player, 3)? as u32;
            if number(player, 4)? == 0.0 {
                state.alive.insert(seat);
            }
        }
        if let Some(content) = self.0.get("content") {
            let with = |bit: u32| -> CellSet {
                let has =
                    |&cell: &_| bits(content, maze.row(cell).into(), maze.col(cell).into()).is_some_and(|bits| bits & bit != 0);
                maze.cells().filter(has).collect()
            };
            (state.small_fruits, state.large_fruits) = (with(16), with(32));
        }
        Some(state)
    }
}

/// Returns the number that a value is, with 0 and 1 for `false` and `true`.
fn as_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_bool().map(|value| f64::from(u8::from(value))))
}

/// Returns whether two values are the same numbers, whatever their JSON looks like.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        _ => as_number(a).zip(as_number(b)).map_or(a == b, |(a, b)| a == b),
    }
}

fn player_differences(theirs: &Value, ours: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for seat in Seat::ALL {
        for (index, field) in PLAYER_FIELDS.into_iter().enumerate() {
            let [theirs, ours] = [theirs, ours].map(|players| &players[seat.index()][index]);
            if !is_same(theirs, ours) {
                lines.push(format!("player {seat}, {field}: expected {ours}, got {theirs}"));
            }
        }
    }
    lines
}

fn list_differences(key: &str, theirs: &Value, ours: &Value) -> Vec<String> {
    let of_seat = |list: &Value, seat: Seat| list.get(seat.index()).cloned().unwrap_or_default();
    let each = Seat::ALL.into_iter().map(|seat| (seat, of_seat(theirs, seat), of_seat(ours, seat)));
    let differ = each.filter(|(_, theirs, ours)| !is_same(theirs, ours));
    differ.map(|(seat, theirs, ours)| format!("player {seat}, {key}: expected {ours}, got {theirs}")).collect()
}

fn content_differences(theirs: &Value, ours: &Value, maze: &Maze) -> Vec<String> {
    let mut lines = Vec::new();
    for cell in maze.cells() {
        let (row, col) = (maze.row(cell).into(), maze.col(cell).into());
        let [theirs, ours] = [theirs, ours].map(|content| bits(content, row, col));
        if theirs != ours {
            let [theirs, ours] = [theirs, ours].map(|bits| bits.map_or("no number".to_owned(), content_name));
            lines.push(format!("row {row}, column {col}: expected {ours}, got {theirs}"));
        }
    }
    if lines.is_empty() {
        lines.push(format!("content: expected {} rows of {} cells", maze.height(), maze.width()));
    }
    lines
}

/// Returns the bits of a cell in the matrix of an answer.
fn bits(content: &Value, row: usize, col: usize) -> Option<u32> {
    content.get(row)?.get(col).and_then(as_number).map(|bits| bits as u32)
}

/// Returns what the bits of a cell mean.
fn content_name(bits: u32) -> String {
    let names = ["player 0", "player 1", "player 2", "player 3", "small fruit", "large fruit"];
    let set: Vec<&str> = names.into_iter().enumerate().filter(|(bit, _)| bits & 1 << bit != 0).map(|(_, name)| name).collect();
    match set.is_empty() {
        true if bits == 0 => "nothing".to_owned(),
        true => bits.to_string(),
        false => set.join(" and "),
    }
}

/// Returns the board before the turn, its actions, both boards after it, and what differs.
fn picture_of(game: &RecordedGame, turn: usize, answer: &Answer, differences: &[String]) -> String {
    let maze = &game.map.maze;
    let mut text = String::new();
    if let Some(before) = turn.checked_sub(1) {
        let _ = write!(text, "\nBefore it:\n{}\nActions:\n", picture::write(maze, &game.states[before]));
        for (seat, action) in game.actions[before].iter() {
            let action = action.map_or("dead".to_owned(), |action| format!("{action} ({})", number(action)));
            let _ = writeln!(text, "{seat}: {action}");
        }
    }
    let ours = &game.states[turn];
    let theirs = answer.state(ours, maze).map(|state| picture::write(maze, &state));
    let theirs = theirs.unwrap_or_else(|| "(a player is outside the maze)\n".to_owned());
    let _ = write!(text, "\nBy the rules:\n{}\nBy the other program:\n{theirs}\nDifferences:\n", picture::write(maze, ours));
    for difference in differences {
        let _ = writeln!(text, "  {difference}");
    }
    text
}
