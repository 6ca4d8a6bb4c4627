//! The decisions of the sample program for 2,000 inputs, byte for byte.
//!
//! The sample program is not in the repository. Its answers are, as `cpp/tests/sample-answers.txt`: a line for each input, with the
//! action, `!` if it taunts, and a hash of the whole output.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use pacman2_rules::Fnv1a;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::compiler::{self, Compiler};
use super::fixtures::{self, Game};
use super::sample_program::Programs;

const INPUTS: usize = 2000;
const FILE: &str = "tests/sample-answers.txt";

/// What bots store, with characters that JSON escapes.
const DATA: [&str; 4] = ["", "turn 7 \"a\\b\"\t/", "\u{1}é 你好 \u{1f600}\u{7f}\n", "{\"plan\":[1,2,3]}"];

/// Compares the header's decisions for one in `every` inputs with the answers in the repository.
pub(super) fn check(every: usize) -> anyhow::Result<()> {
    let path = compiler::folder().join(FILE);
    let expected = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let inputs = inputs()?;
    let compiler = Compiler::find()?;
    let program = compiler.program(&compiler::folder().join("tests/decide.cpp"), &["-O2"], &[])?;
    // The loop over the sample program's names takes longer, and is the same for every input.
    for (arguments, step) in [(&["helpers"][..], every), (&[], 4 * every)] {
        let inputs: Vec<&Input> = inputs.iter().step_by(step).collect();
        let text = inputs.iter().map(|input| input.text.as_str()).collect();
        let output = compiler::run(Command::new(&program).args(arguments), text)?;
        let outputs: Vec<&str> = output.split_inclusive("\n\n").collect();
        let got = table(&inputs, &outputs)?;
        for (input, (expected, got)) in inputs.iter().zip(expected.lines().step_by(step).zip(got.lines())) {
            ensure!(expected == got, "{}: expected the answer {expected}, got {got} (arguments {arguments:?})", input.name);
        }
        ensure!(got.lines().count() == expected.lines().step_by(step).count(), "{} has another number of lines", path.display());
    }
    println!("the header answers {} inputs as the sample program does, byte for byte", INPUTS.div_ceil(every));
    Ok(())
}

/// Compares the sample program with the same program on the header, a process for each input as on Botzone.
pub(super) fn ask_the_sample_program(sample: &Path, write: bool) -> anyhow::Result<()> {
    let inputs = inputs()?;
    let compiler = Compiler::find()?;
    let programs = Programs::compile(&compiler, sample)?;
    let ask = |program: &Path| -> anyhow::Result<Vec<String>> {
        inputs.par_iter().map(|input| compiler::run(&mut Command::new(program), input.text.clone())).collect()
    };
    let original = ask(&programs.original)?;
    for (program, helpers) in programs.on_header.iter().zip(["its own", "the header's"]) {
        for (input, (expected, got)) in inputs.iter().zip(original.iter().zip(&ask(program)?)) {
            ensure!(expected == got, "{}: the sample program answers {expected}, and with {helpers} Helpers {got}", input.name);
        }
        println!("on the header with {helpers} Helpers, the sample program answers {INPUTS} inputs as before, byte for byte");
    }
    if write {
        let path = compiler::folder().join(FILE);
        let part = path.with_extension("part");
        fs::write(&part, table(&inputs.iter().collect::<Vec<_>>(), &original)?)?;
        fs::rename(&part, &path)?;
        println!("{} is written", path.display());
    }
    Ok(())
}

struct Input {
    /// The game, the turn and the seat.
    name: String,
    /// One line.
    text: String,
}

/// Makes the inputs: several turns of each game that the sample program's own undo takes back rightly.
fn inputs() -> anyhow::Result<Vec<Input>> {
    let games = fixtures::read()?;
    // With an odd cost, the sample program comes back from its playouts with other strengths (ruling exact-undo).
    let games: Vec<&Game> =
        games.iter().filter(|game| game.init["SKILL_COST"].as_i64().is_some_and(|cost| cost % 2 == 0)).collect();
    let rounds = INPUTS.div_ceil(games.len());
    let inputs = (0..INPUTS).map(|number| {
        let (game, round) = (games[number % games.len()], number / games.len());
        let turn = game.actions.len() * (round + 1) / (rounds + 1);
        let living = |&seat: &usize| game.actions[turn][seat].is_some();
        let seat = (0..4).map(|step| (number + step) % 4).find(living).context("nobody lives")?;
        let mut first = game.init.clone();
        first["id"] = seat.into();
        let mut requests = vec![first];
        requests.extend(game.actions[..turn].iter().map(request));
        let responses: Vec<Value> = game.actions[..turn].iter().map(|actions| json!({ "action": actions[seat] })).collect();
        let (data, globaldata) = (DATA[number % 4], DATA[number / 4 % 4]);
        let text = json!({ "requests": requests, "responses": responses, "data": data, "globaldata": globaldata });
        Ok(Input { name: format!("{} turn {turn} seat {seat}", game.name), text: format!("{text}\n") })
    });
    inputs.collect()
}

/// Returns the actions of a turn as Botzone writes them.
fn request(actions: &[Option<i32>; 4]) -> Value {
    let item = |(seat, action): (usize, &Option<i32>)| {
        (seat.to_string(), action.map_or(Value::Null, |action| json!({ "action": action })))
    };
    actions.iter().enumerate().map(item).collect::<Map<_, _>>().into()
}

/// Returns the lines of the file.
fn table(inputs: &[&Input], outputs: &[impl AsRef<str>]) -> anyhow::Result<String> {
    ensure!(outputs.len() == inputs.len(), "expected {} answers, got {}", inputs.len(), outputs.len());
    let mut text = String::new();
    for (input, output) in inputs.iter().zip(outputs) {
        let output = output.as_ref();
        let answer: Value = serde_json::from_str(output).with_context(|| format!("{}: no JSON: {output}", input.name))?;
        let response = &answer["response"];
        let action = response["action"].as_i64().with_context(|| format!("{}: no action: {output}", input.name))?;
        let taunt = if response["tauntText"] == "" { "" } else { "!" };
        let mut hash = Fnv1a::new();
        hash.write(output.as_bytes());
        writeln!(text, "{action}{taunt} {:08x}", hash.finish() as u32)?;
    }
    Ok(text)
}
