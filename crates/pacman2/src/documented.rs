//! Tests that the commands shown in the documentation are accepted by the command line.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::args::Args;

#[test]
fn commands_in_code_blocks_parse() {
    let (mut count, mut errors) = (0, vec![]);
    for page in pages() {
        for line in code(&page).lines {
            for words in commands(&line) {
                count += 1;
                errors.extend(parse_error(&words).map(|error| format!("{}: {line}\n{error}", page.display())));
            }
        }
    }
    assert!(errors.is_empty(), "fix these commands in the documentation, or the parser:\n{}", errors.join("\n"));
    assert!(count > 100, "expected more than 100 commands in the documentation, got {count}");
}

#[test]
fn commands_in_sentences_use_known_verbs_and_options() {
    let (mut count, mut errors) = (0, vec![]);
    for page in pages() {
        for span in code(&page).spans.iter().filter(|span| span.starts_with("pacman2 ")) {
            count += 1;
            errors.extend(unknown_word(span).map(|error| format!("{}: `{span}`: {error}", page.display())));
        }
    }
    assert!(errors.is_empty(), "fix these commands in the documentation:\n{}", errors.join("\n"));
    assert!(count > 20, "expected more than 20 commands in sentences, got {count}");
}

#[test]
fn commands_in_help_texts_parse() {
    fn collect(command: &Command, errors: &mut Vec<String>) {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines().filter(|line| line.starts_with("  pacman2 ")) {
            let error = commands(line).iter().find_map(|words| parse_error(words));
            let error = error.or_else(|| (line.chars().count() > 80).then(|| "longer than 80 characters".to_owned()));
            errors.extend(error.map(|error| format!("{line}\n{error}")));
        }
        command.get_subcommands().for_each(|command| collect(command, errors));
    }
    let (mut errors, mut all) = (vec![], Args::command());
    all.build();
    collect(&all, &mut errors);
    assert!(errors.is_empty(), "fix these examples in the help texts:\n{}", errors.join("\n"));
}

#[test]
fn commands_are_found_in_a_line() {
    #[track_caller]
    fn check(line: &str, expected: &[&[&str]]) {
        assert_eq!(commands(line), expected, "{line}");
    }
    check("pacman2 doctor --hostile     what this machine offers", &[&["pacman2", "doctor", "--hostile"]]);
    check("pacman2 map --json > map.json   # a map", &[&["pacman2", "map", "--json"]]);
    check("(pacman2 map; echo '{\"a\": |}') | pacman2 simulate", &[&["pacman2", "map"], &["pacman2", "simulate"]]);
    check(
        "pacman2 play \"a --b\" x && cargo run --release -- serve",
        &[&["pacman2", "play", "a --b", "x"], &["pacman2", "serve"]],
    );
    check("cargo run -p lab --bin compare_bots -- greedy greedy 5", &[]);
    check("systemd-run -p A=b -- pacman2 doctor", &[&["pacman2", "doctor"]]);
    check("pacman2 play --seed $seed", &[&["pacman2", "play", "--seed", "1"]]);
    check("cd pacman2", &[]);
}

/// Returns the error of a command that the parser rejects. Asking for help or the version is fine.
fn parse_error(words: &[String]) -> Option<String> {
    let error = Args::command().try_get_matches_from(words).err()?;
    let is_fine = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    (!is_fine).then(|| error.to_string())
}

/// Returns an error if a command, which may leave out arguments, uses a verb or an option that does not exist.
fn unknown_word(span: &str) -> Option<String> {
    let mut command = Args::command();
    command.build();
    let mut command = &command;
    for word in span.split_whitespace().skip(1) {
        let option = word.trim_start_matches('[').split(['=', ']']).next().unwrap_or_default();
        if let Some(verb) = command.find_subcommand(word) {
            command = verb;
        } else if let Some(option) = option.strip_prefix("--").filter(|option| !option.is_empty()) {
            if !command.get_arguments().any(|argument| argument.get_long() == Some(option)) {
                return Some(format!("expected an option of {}, got --{option}", command.get_name()));
            }
        } else if command.get_subcommands().next().is_some() && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            // Anything else, such as `…` or COMMAND, stands for a verb.
            return Some(format!("expected a verb of {}, got {word:?}", command.get_name()));
        }
    }
    None
}

/// Returns the pages written for users.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.clone(), root.join("docs")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("the documentation is readable"));
    let files = files.map(|file| file.expect("the documentation is readable").path());
    let mut pages: Vec<_> = files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    pages.sort();
    pages
}

/// The code on a page.
#[derive(Default)]
struct Code {
    /// The lines of code blocks that are indented or marked as shell
    lines: Vec<String>,
    /// Code within sentences
    spans: Vec<String>,
}

fn code(page: &Path) -> Code {
    let text = fs::read_to_string(page).expect("the documentation is readable");
    let (mut code, mut block) = (Code::default(), None);
    for event in Parser::new(&text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => block = Some(String::new()),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if ["sh", "console"].contains(&&*info) => {
                block = Some(String::new());
            }
            Event::Text(text) => block.iter_mut().for_each(|block| block.push_str(&text)),
            Event::End(TagEnd::CodeBlock) => {
                let block = block.take().unwrap_or_default().replace("\\\n", " ");
                code.lines.extend(block.lines().map(|line| line.trim_start().trim_start_matches("$ ").to_owned()));
            }
            Event::Code(span) => code.spans.push(span.into_string()),
            _ => {}
        }
    }
    code
}

/// Returns the words of each call of this program in a line for a shell. Text after two spaces is a remark.
fn commands(line: &str) -> Vec<Vec<String>> {
    let line = line.trim();
    let (mut parts, mut quote) = (vec![String::new()], None);
    for (at, c) in line.char_indices() {
        let part = parts.last_mut().expect("there is a first part");
        match (quote, c) {
            (None, ' ') if line[at..].starts_with("  ") => break,
            (None, '|' | ';' | '&' | '(' | ')') => parts.push(String::new()),
            (None, '<' | '>') => part.push_str(" > "),
            (None, '"' | '\'') => {
                quote = Some(c);
                part.push(c);
            }
            _ => {
                quote = quote.filter(|&open| open != c);
                part.push(c);
            }
        }
    }
    parts.iter().filter_map(|part| command(part)).collect()
}

fn command(text: &str) -> Option<Vec<String>> {
    let mut words = shlex::split(text)?;
    while let Some(at) = words.iter().position(|word| word == ">") {
        words.drain(at..words.len().min(at + 2));
    }
    // Variables of the shell stand for numbers.
    words.iter_mut().filter(|word| word.starts_with('$')).for_each(|word| *word = "1".to_owned());
    // Other programs start this one with what stands after `--`.
    if words.first()? != "pacman2" {
        let is_cargo_run =
            words.starts_with(&["cargo".to_owned(), "run".to_owned()]) && !words.iter().any(|word| word == "--bin");
        words.drain(..=words.iter().position(|word| word == "--")?);
        if is_cargo_run {
            words.insert(0, "pacman2".to_owned());
        }
    }
    (words.first()? == "pacman2").then_some(words)
}
