//! The command line as clap parses it. Each verb checks its arguments and turns them into options of its own.

mod analyse;
mod arena;
mod bench;
mod bot;
mod botzone;
mod bundle;
mod check;
mod completions;
mod docs;
mod doctor;
mod export;
mod jobs;
mod judge;
mod man;
mod map;
mod match_;
mod new;
mod replay;
mod rerun;
mod serve;
mod simulate;
mod train;
mod values;

use std::env;
use std::path::Path;

pub(crate) use analyse::AnalyseArgs;
pub(crate) use arena::*;
pub(crate) use bench::BenchArgs;
pub(crate) use bot::{BotArgs, BotOptions};
pub(crate) use botzone::{BotzoneFetchArgs, BotzonePlayArgs, BotzoneVerb};
pub(crate) use bundle::BundleArgs;
pub(crate) use check::CheckArgs;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
pub(crate) use completions::CompletionsArgs;
pub(crate) use docs::DocsArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use export::ExportArgs;
pub(crate) use jobs::{JobsArgs, JobsVerb, PlanArgs, PlayJobsArgs, RecordArgs};
pub(crate) use judge::JudgeArgs;
pub(crate) use man::ManArgs;
pub(crate) use map::MapArgs;
pub(crate) use match_::MatchArgs;
pub(crate) use new::NewArgs;
pub(crate) use replay::{ConvertArgs, MatchFilter, OpenArgs, ReplayVerb, ShowArgs, VerifyArgs};
pub(crate) use rerun::RerunArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use simulate::SimulateArgs;
pub(crate) use train::{TrainArgs, TrainVerb};

use pacman2_bot_source::watchdog;
use pacman2_botzone::words::Locale;
use pacman2_console::language::set_locale;
use pacman2_runner::Language;

use crate::chinese::{self, chosen_locale};

/// Play, judge, watch and measure Botzone's Pacman2 (吃豆人2) on your own machine
#[derive(Parser)]
#[command(version, max_term_width = 110)]
pub(crate) struct Args {
    /// The language of the output; otherwise that of the system
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = ["zh", "en"])]
    language: Option<String>,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

impl Args {
    /// Parses the arguments of this process. Exits if they are wrong, or ask for help.
    pub(crate) fn from_process() -> Args {
        let locale = chosen_locale(env::args_os());
        set_locale(locale);
        let command = grouped(Args::all());
        // Without a width nothing is wrapped.
        let command = if locale == Locale::Chinese { command.term_width(0) } else { command };
        let matches = command.try_get_matches().unwrap_or_else(|mut error| {
            let unknown = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string);
            if let Some(verb) = unknown.and_then(|word| verb_for(&word)) {
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![verb.to_owned()]));
            }
            exit(&error, locale)
        });
        Args::from_arg_matches(&matches).unwrap_or_else(|error| exit(&error.format(&mut Args::command()), locale))
    }

    /// Returns all verbs, with their texts as terminals and manuals show them.
    pub(crate) fn all() -> Command {
        complete(Args::command())
    }
}

fn exit(error: &clap::Error, locale: Locale) -> ! {
    if locale == Locale::Chinese { chinese::exit(error) } else { error.exit() }
}

fn complete(command: Command) -> Command {
    let after_help = command.get_after_help().map(|text| joined(&text.to_string()));
    let command = match after_help {
        Some(text) => command.after_help(text),
        None => command,
    };
    // `-1` is a value everywhere, so that the option that rejects it can name its range.
    command.allow_negative_numbers(true).mut_subcommands(complete)
}

/// Joins the lines of each paragraph, which terminals break where they end. Indented lines stay.
fn joined(text: &str) -> String {
    let stays = |line: &str| line.is_empty() || line.starts_with(' ');
    let mut all = String::new();
    let mut before = "";
    for (number, line) in text.lines().enumerate() {
        let separator = if stays(before) || stays(line) { "\n" } else { " " };
        all.push_str(if number == 0 { "" } else { separator });
        all.push_str(line);
        before = line;
    }
    all
}

/// Returns the verb that does what a word means which is no verb.
fn verb_for(word: &str) -> Option<&'static str> {
    const MEANINGS: &[(&str, &[&str])] = &[
        ("play", &["run", "start", "fight", "game"]),
        ("check", &["test", "validate", "lint", "debug", "compile", "build"]),
        ("replay show", &["show", "print", "display", "cat"]),
        ("open", &["watch", "view", "viewer"]),
        ("replay verify", &["verify"]),
        ("replay convert", &["convert", "import"]),
        ("serve --open", &["server", "web", "gui", "ui", "browser"]),
        ("bundle", &["pack", "upload", "submit", "merge"]),
        ("botzone play", &["online", "connect", "local-ai", "localai", "login"]),
        ("botzone fetch", &["fetch", "download", "log"]),
        ("arena tournament", &["tournament", "class", "grade", "contest", "course"]),
        ("arena compare", &["compare", "versus"]),
        ("arena table", &["table", "rank", "ranking", "ratings", "ladder"]),
        ("new", &["create", "template", "sample"]),
        ("new --lessons", &["lesson", "lessons", "tutorial"]),
        ("docs", &["manual", "documentation", "guide", "rules"]),
        ("doctor", &["sandbox"]),
        ("--version", &["version"]),
        ("analyse", &["explain", "review"]),
        ("bench", &["benchmark", "speed"]),
        ("jobs", &["worker", "cluster", "distribute"]),
    ];
    let meant = MEANINGS.iter().find(|(_, words)| words.contains(&word)).map(|(verb, _)| *verb);
    meant.or_else(|| verb_for_file(Path::new(word)))
}

/// Returns the verb that takes a file, by its extension.
fn verb_for_file(file: &Path) -> Option<&'static str> {
    match file.extension()?.to_str()? {
        "json" | "jsonl" | "matches" | "html" | "zip" => Some("open"),
        "toml" => Some("arena tournament"),
        _ => Language::from_file(file).map(|_| "play"),
    }
}

/// The verbs that are listed below the others.
const FOR_SCRIPTS: [&str; 7] = ["judge", "bot", "simulate", "bench", "jobs", "man", "completions"];

/// Says once that a name is an old one, which works for one release.
pub(crate) fn warn_of_old_name(old: &str, new: &str) {
    if watchdog::is_watched() {
        return;
    }
    eprintln!("pacman2: \"{old}\" is now \"{new}\"; the old name will go");
}

/// Lists what most people do not need below the rest.
fn grouped(command: Command) -> Command {
    let is_for_scripts = |command: &Command| FOR_SCRIPTS.contains(&command.get_name());
    let line = |command: &Command| format!("  {:<11}  {}\n", command.get_name(), command.get_about().unwrap_or_default());
    let list: String = command.get_subcommands().filter(|command| is_for_scripts(command)).map(line).collect();
    let command = command.after_help(format!("For scripts and researchers:\n{list}\n{EXAMPLES}"));
    command.mut_subcommands(|command| {
        let is_hidden = command.is_hide_set() || is_for_scripts(&command);
        command.hide(is_hidden)
    })
}

const EXAMPLES: &str = "\
Examples:
  pacman2 play sample greedy greedy random    play a match of built-in bots
  pacman2 play ./mybot bot.py greedy random   play your own programs
  pacman2 new mybot --lang python             create a bot to start from
  pacman2 docs                                read the documentation
  pacman2 serve --open                        watch and play in a browser
  pacman2 map --seed 42                       show Botzone's map of a seed
  pacman2 replay show replays/last.json       show the last match again
  pacman2 analyse replays/last.json           find out where it was lost
  pacman2 rerun replays/last.json new.py      see what new.py would have done

Exit codes: 0 success, 1 failure, 2 bad input, 130 interrupted.";

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Play a match between four bots
    #[command(visible_alias = "match")]
    Play(MatchArgs),
    /// Watch a replay, a Botzone match log or a link in a browser
    Open(OpenArgs),
    /// Create a folder with a small bot to start from, or with an example
    New(NewArgs),
    /// Check a bot for faults
    Check(CheckArgs),
    /// Put a bot and the files that it uses into one file, as Botzone takes it
    Bundle(BundleArgs),
    /// Write a built-in bot as one file, as Botzone takes it
    Export(ExportArgs),
    /// Serve the viewer: watch replays and play matches in a browser
    Serve(ServeArgs),
    /// Show Botzone's map of a seed
    Map(MapArgs),
    /// Verify, show or convert a replay
    #[command(subcommand)]
    Replay(ReplayVerb),
    /// Analyse a match: what each action was worth, and where points were lost
    #[command(visible_alias = "analyze")]
    Analyse(AnalyseArgs),
    /// See what another bot would have done in a recorded match
    Rerun(RerunArgs),
    /// Act as Botzone's judge for one turn, from stdin to stdout
    Judge(JudgeArgs),
    /// Act as a built-in bot that speaks Botzone's JSON on stdin and stdout
    Bot(BotArgs),
    /// Play on Botzone with a bot on this machine, and fetch match logs
    #[command(subcommand)]
    Botzone(BotzoneVerb),
    /// Simulate games turn by turn with JSON lines, to compare another engine with this one
    Simulate(SimulateArgs),
    /// Measure the speed of random games
    Bench(BenchArgs),
    /// Keep bots and games: tournaments, ratings and comparisons
    Arena(ArenaArgs),
    /// Train sage's net by self-play
    Train(TrainArgs),
    /// Play games of arenas and of training on other machines
    Jobs(JobsArgs),
    /// Report how well this machine can sandbox bots
    Doctor(DoctorArgs),
    /// Open the documentation in a browser
    Docs(DocsArgs),
    /// Print a script that completes the command line in a shell
    Completions(CompletionsArgs),
    /// Write the manual pages to a folder
    Man(ManArgs),
    /// Set up a sandbox for a bot; for internal use
    #[command(hide = true)]
    Jail,
}
