//! Help and errors of the command line in Chinese: clap's text, translated line by line and wrapped again.

use std::ffi::OsString;
use std::process;

use clap::Error;
use pacman2_botzone::words::Locale;
use pacman2_console::language::{in_chinese, locale_of_system};
use pacman2_console::stdout::{shown_width, wrap_hanging};
use terminal_size::terminal_size;

/// The width without a terminal, and the largest one.
const WIDTHS: [usize; 2] = [100, 110];

/// Returns the language that the arguments choose, or else the system. The parser reads it again and rejects what is no language.
pub(crate) fn chosen_locale(arguments: impl Iterator<Item = OsString>) -> Locale {
    let words: Vec<_> = arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    let of_option = words.iter().find_map(|word| word.strip_prefix("--language="));
    let chosen = of_option.or_else(|| words.windows(2).find(|pair| pair[0] == "--language").map(|pair| pair[1].as_str()));
    match chosen {
        Some("zh") => Locale::Chinese,
        Some("en") => Locale::English,
        _ => locale_of_system(),
    }
}

/// Prints what clap wants to say in Chinese, and exits.
pub(crate) fn exit(error: &Error) -> ! {
    let width = terminal_size().map_or(WIDTHS[0], |(width, _)| usize::from(width.0)).min(WIDTHS[1]);
    let text: String = in_chinese(&error.render().to_string()).lines().map(|line| hanging(line, width) + "\n").collect();
    if error.use_stderr() {
        eprint!("{text}");
    } else {
        // There is no other place to report that the reader is gone.
        let _ = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
    }
    process::exit(error.exit_code());
}

/// Wraps a line. What follows begins below the last column of the line.
fn hanging(line: &str, width: usize) -> String {
    let indent = line.len() - line.trim_start().len();
    let column = line[indent..].rfind("  ").map_or(indent, |at| indent + at + 2);
    wrap_hanging(line, width, shown_width(&line[..column]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use clap::Command;
    use pacman2_botzone::words::catalogue;
    use pacman2_console::language::{entries, entry};
    use proc_macro2::{Delimiter, TokenStream, TokenTree};

    use super::*;
    use crate::args::Args;

    /// The crates whose texts reach the terminal.
    const CRATES: [&str; 23] = [
        "analysis",
        "arena",
        "bot-source",
        "bots",
        "botzone",
        "console",
        "contest",
        "course",
        "doctor",
        "engines",
        "jobs",
        "local-ai",
        "maps",
        "match",
        "pacman2",
        "replay",
        "rules",
        "runner",
        "series",
        "templates",
        "tournament",
        "training",
        "training-runs",
    ];
    /// The texts in them that are for programs or files, by file or by text.
    const OTHERS: &str = include_str!("../tests/texts-for-programs.txt");

    /// What the catalogue has for clap, the operating system, SQLite and parsers of JSON.
    const OF_LIBRARIES: [&str; 18] = [
        "error: ",
        "tip: ",
        "[",
        "Possible values:",
        "For more information",
        "Usage: ",
        "Options:",
        "Arguments:",
        "Commands:",
        " column {}",
        "os error",
        "address",
        "in name resolution",
        "nor servname",
        "No such host",
        "Name or service",
        "database",
        "output: {}",
    ];

    #[test]
    fn all_texts_of_the_terminal_exist_in_chinese() {
        let known: BTreeSet<String> = catalogue(Locale::English).values().map(|sentence| anonymous(sentence)).collect();
        let all = all_texts();
        let needed = all.iter().filter(|text| is_sentence(text) && !OTHERS.lines().any(|other| other == **text));
        let missing: Vec<_> = needed.filter(|text| entry(text).is_none() && !known.contains(*text)).collect();
        let entry_of = |text: &&String| format!("  {}: \"\"", serde_json::to_string(text).unwrap());
        let list = missing.iter().map(entry_of).collect::<Vec<_>>().join(",\n");
        assert!(missing.is_empty(), "add to console/words/zh.json, or to texts-for-programs.txt:\n{list}");
        // Nouns are counted: "2 turns".
        let is_counted =
            |text: &str| text.strip_prefix("{} ").is_some_and(|noun| all.contains(noun.strip_suffix('s').unwrap_or(noun)));
        let is_part = |text: &str| all.iter().any(|whole| whole.contains(text));
        let is_used = |text: &str| is_part(text) || is_counted(text) || OF_LIBRARIES.iter().any(|part| text.contains(part));
        let unused: Vec<_> = entries().filter(|text| !is_used(text)).collect();
        assert!(unused.is_empty(), "remove from console/words/zh.json:\n{}", unused.join("\n"));
    }

    #[test]
    fn a_wrapped_line_continues_below_its_last_column() {
        assert_eq!(hanging("  源文件  只编译一次", 16), "  源文件  只编译\n          一次");
    }

    #[test]
    fn chinese_texts_have_the_parts_of_the_english_ones() {
        for english in entries() {
            let (count, chinese) = (english.matches("{}").count(), entry(english).unwrap());
            for number in 1..=9 {
                let is_used = [format!("{{{number}}}"), format!("{{{number}=}}")].iter().any(|part| chinese.contains(part));
                assert!(number <= count || !is_used, "{english}: {chinese}");
            }
            assert!(!chinese.is_ascii() || chinese.chars().all(|c| !c.is_alphabetic()), "{english}: {chinese}");
        }
    }

    fn all_texts() -> BTreeSet<String> {
        let mut command = Args::all();
        command.build();
        let mut texts = BTreeSet::new();
        collect_help(&command, &mut texts);
        // What each hostile bot does is in the first line of its comment.
        for bot in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../doctor/hostile")).unwrap() {
            let path = bot.unwrap().path();
            let source = fs::read_to_string(&path).unwrap();
            let bots = source.split("#!").filter(|_| !path.ends_with("README.md"));
            let bots = bots.filter_map(|bot| bot.lines().nth(1)?.strip_prefix("# "));
            texts.extend(bots.map(str::to_owned));
        }
        for name in CRATES {
            sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src"), &mut texts);
        }
        texts
    }

    /// Collects what a verb's help says, a line each; of an example, what is behind the command.
    fn collect_help(command: &Command, texts: &mut BTreeSet<String>) {
        let help = [command.get_about(), command.get_long_about(), command.get_after_help()];
        let of_arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
        let of_arguments: Vec<_> = of_arguments.collect();
        let of_values =
            of_arguments.iter().flat_map(|argument| argument.get_possible_values()).filter_map(|value| value.get_help().cloned());
        let all = of_arguments
            .iter()
            .flat_map(|argument| [argument.get_help(), argument.get_long_help()])
            .chain(help)
            .flatten()
            .cloned();
        for text in all.chain(of_values) {
            for line in text.to_string().lines() {
                let shown = line.trim_start();
                let sentence =
                    if shown.starts_with("pacman2 ") { shown.split_once("  ").map_or("", |(_, text)| text) } else { shown };
                texts.insert(sentence.trim_start().to_owned());
            }
        }
        command.get_subcommands().for_each(|command| collect_help(command, texts));
    }

    /// Collects the texts of the sources in a folder.
    fn sources(folder: &Path, texts: &mut BTreeSet<String>) {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let is_other = OTHERS.lines().any(|other| path.ends_with(other));
            if path.is_dir() {
                sources(&path, texts);
            } else if !is_other && !path.ends_with("tests.rs") && path.extension().is_some_and(|extension| extension == "rs") {
                literals(fs::read_to_string(&path).unwrap().parse().unwrap(), texts);
            }
        }
    }

    /// Collects the strings in tokens, without those in attributes other than `error`, in tests, and in what cannot fail.
    fn literals(tokens: TokenStream, texts: &mut BTreeSet<String>) {
        const UNSEEN: [&str; 12] = [
            "expect",
            "assert",
            "assert_eq",
            "assert_ne",
            "debug_assert",
            "debug_assert_eq",
            "unreachable",
            "panic",
            "doc",
            "cfg",
            "allow",
            "args",
        ];
        let mut before = String::new();
        let mut is_of_tests = false;
        for token in tokens {
            match token {
                TokenTree::Group(group) if before == "#" => {
                    let text = group.stream().to_string();
                    is_of_tests = text.starts_with("cfg (test") || (is_of_tests && !text.is_empty());
                    if text.starts_with("error") {
                        literals(group.stream(), texts);
                    }
                    before.clear();
                }
                TokenTree::Group(group) => {
                    let is_body = group.delimiter() == Delimiter::Brace;
                    let is_seen = !UNSEEN.contains(&before.as_str());
                    if is_seen && !(is_of_tests && is_body) {
                        literals(group.stream(), texts);
                    }
                    is_of_tests &= !is_body;
                    before.clear();
                }
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if let Ok(text) = serde_json::from_str::<String>(&joined(&text)) {
                        collect(&text, texts);
                    }
                }
                TokenTree::Punct(mark) if mark.as_char() == '!' => {}
                TokenTree::Punct(mark) => before = mark.to_string(),
                TokenTree::Ident(name) => before = name.to_string(),
            }
        }
    }

    /// Joins a literal that is continued in the next line, and makes escapes those of JSON.
    fn joined(literal: &str) -> String {
        let mut lines = literal.split("\\\n");
        let first = lines.next().unwrap_or_default().to_owned();
        lines
            .fold(first, |all, line| all + line.trim_start())
            .replace('\n', "\\n")
            .replace("\\u{", "\\\\u{")
            .replace("\\x", "\\\\x")
    }

    fn collect(text: &str, texts: &mut BTreeSet<String>) {
        for line in text.lines() {
            let line = line.trim_start();
            let line = line.strip_prefix("pacman2: ").unwrap_or(line);
            texts.insert(anonymous(line));
        }
    }

    /// Whether it has words, not only names.
    fn is_sentence(text: &str) -> bool {
        let is_word = |word: &str| {
            let word = word.trim_matches(|c: char| ",;:.\"()".contains(c));
            word.len() > 1
                && word.bytes().all(|byte| byte.is_ascii_alphabetic())
                && word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
        };
        let is_chinese = text.chars().filter(|c| ('\u{4e00}'..'\u{a000}').contains(c)).count() > 4;
        text.trim().contains(' ') && text.split_whitespace().any(is_word) && !is_chinese
    }

    /// Returns a text with `{}` in place of each placeholder.
    fn anonymous(text: &str) -> String {
        let mut all = String::new();
        let mut rest = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
        while let Some((before, after)) = rest.split_once('{') {
            let end = after.find('}').map_or(after.len(), |at| at + 1);
            all = all + before + "{}";
            rest = after[end..].to_owned();
        }
        (all + &rest).replace('\u{1}', "{").replace('\u{2}', "}")
    }
}
