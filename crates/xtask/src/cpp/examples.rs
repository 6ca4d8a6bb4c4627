//! Compiles and runs the examples in the comments of the headers, and the bot in their documentation.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::compiler::{self, Compiler};
use super::fixtures;
use crate::cargo;

/// The headers with examples.
const HEADERS: [&str; 2] = ["pacman2.hpp", "sage.hpp"];

pub(super) fn check() -> anyhow::Result<()> {
    let mut examples = Vec::new();
    for header in HEADERS {
        let path = compiler::folder().join(header);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let before = examples.len();
        examples.extend(examples_of(header, &text));
        ensure!(examples.len() > before, "{} has no examples", path.display());
    }
    let compiler = Compiler::find()?;
    let source = compiler.folder().join("examples.cpp");
    fs::write(&source, program(&examples))?;
    let include = format!("-I{}", compiler::folder().join("tests").display());
    let program = compiler.program(&source, &["-O0", &include], &[])?;
    compiler::run(&mut Command::new(program), String::new())?;
    println!("all {} examples in the headers hold", examples.len());
    check_bot(&compiler)
}

/// Lets the bot of the documentation decide, and checks that the documentation shows it.
fn check_bot(compiler: &Compiler) -> anyhow::Result<()> {
    let path = compiler::folder().join("tests/search_bot.cpp");
    let source = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let (_, code) = source.split_once("\n\n").context("expected a comment and the bot")?;
    for page in ["docs/CPP.md", "docs/CPP.zh.md"] {
        let text = fs::read_to_string(cargo::root().join(page)).with_context(|| format!("cannot read {page}"))?;
        ensure!(text.contains(&format!("```cpp\n{code}```\n")), "expected the bot of {} in {page}", path.display());
    }
    let game = fixtures::read()?.swap_remove(0);
    let mut first = game.init;
    first["id"] = 2.into();
    let program = compiler.program(&path, &["-O1"], &[])?;
    let output = compiler::run(&mut Command::new(program), format!("{}\n", json!({ "requests": [first], "responses": [] })))?;
    let answer: Value = serde_json::from_str(&output).with_context(|| format!("expected JSON from the bot, got {output}"))?;
    let action = answer["response"]["action"].as_i64();
    ensure!(action.is_some_and(|action| (-1..=3).contains(&action)), "expected an action for the first turn, got {output}");
    println!("the bot of the documentation decides");
    Ok(())
}

/// An example: the header and its line that it begins in, and its code.
struct Example {
    header: &'static str,
    line: usize,
    code: String,
}

/// Finds the examples: the indented lines of a comment after one that is `Example:`.
fn examples_of(header: &'static str, text: &str) -> Vec<Example> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = lines.iter().enumerate().filter(|(_, line)| line.trim() == "// Example:");
    let code = |from: usize| {
        let code = lines[from..].iter().map_while(|line| line.trim_start().strip_prefix("//     "));
        code.flat_map(|line| [line, "\n"]).collect()
    };
    begins.map(|(number, _)| Example { header, line: number + 2, code: code(number + 1) }).collect()
}

/// Returns a program with a function for each example, whose errors name the lines of the headers.
fn program(examples: &[Example]) -> String {
    let mut text = "#include \"examples.hpp\"\n".to_owned();
    let mut calls = String::new();
    for (number, Example { header, line, code }) in examples.iter().enumerate() {
        let _ = write!(text, "static void example{number}() {{\n#line {line} \"{header}\"\n{code}}}\n");
        let _ = writeln!(calls, "    example{number}();");
    }
    text + "int main() {\n" + &calls + "}\n"
}
