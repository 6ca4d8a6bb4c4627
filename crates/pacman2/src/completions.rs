//! `pacman2 completions`: prints a script by which a shell asks this program how a command line goes on.

use std::env;
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::{CompleteEnv, Shells};
use pacman2_arena::store::open_store_to_read;
use pacman2_bots::BUILT_IN;
use pacman2_bots::style::STYLES;
use pacman2_tournament::BotVersion;

use crate::arena::FOLDER;
use crate::args::{Args, CompletionsArgs};

/// Its value is the shell that asks.
const VARIABLE: &str = "PACMAN2_COMPLETE";
/// Otherwise bash would take `mybot@2` as three words.
const BASH_WORDS: &str = "COMP_WORDBREAKS=${COMP_WORDBREAKS//@}\n";
/// Zsh loads the script when it first completes, and expects the completions then.
const ZSH_FIRST: &str = "[ \"$funcstack[1]\" = _pacman2 ] && _clap_dynamic_completer_pacman2\n";

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let shells = Shells::builtins();
    let shell = shells.completer(&args.shell.to_string()).expect("each shell has a script");
    let mut script = vec![];
    shell.write_registration(VARIABLE, "pacman2", "pacman2", "pacman2", &mut script)?;
    match args.shell {
        Shell::Bash => script.extend(BASH_WORDS.as_bytes()),
        Shell::Zsh => script.extend(ZSH_FIRST.as_bytes()),
        _ => {}
    }
    std::io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints how a command line goes on and exits, if a shell asks.
pub(crate) fn answer_shell() {
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// Returns the command line with all that is known of its values.
fn command() -> Command {
    let all = Args::command();
    let visible = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let with_bots = visible.map(|command| {
        let has_arena = command.get_name() == "arena";
        with_bots(command, has_arena)
    });
    Command::new("pacman2").version(env!("CARGO_PKG_VERSION")).args(all.get_arguments()).subcommands(with_bots)
}

/// Adds the names of bots and styles to the arguments that take one.
fn with_bots(command: Command, has_arena: bool) -> Command {
    if command.get_name() == "bot" {
        let names = BUILT_IN.iter().map(|bot| bot.name).chain(["style"]);
        let styles = STYLES.iter().map(|style| style.name);
        return command
            .mut_arg("name", |arg| arg.value_parser(PossibleValuesParser::new(names)))
            .mut_arg("style", |arg| arg.value_parser(PossibleValuesParser::new(styles)));
    }
    let with_names = |arg: Arg| {
        let is_file = arg.get_value_hint() == ValueHint::FilePath;
        match arg.get_value_names().map_or("", |names| names[0].as_str()) {
            "BOT" if is_file => arg.add(ArgValueCompleter::new(built_in_or_file)),
            "BOT" if has_arena => arg.add(ArgValueCompleter::new(of_arena)),
            "NEW" | "OLD" => arg.add(ArgValueCompleter::new(any_bot)),
            _ => arg,
        }
    };
    command.mut_args(with_names).mut_subcommands(|command| with_bots(command, has_arena))
}

fn built_in_or_file(begun: &OsStr) -> Vec<CompletionCandidate> {
    let names = BUILT_IN.iter().map(|bot| bot.name.to_owned());
    let files = PathCompleter::any().complete(begun);
    beginning_with(begun, names).chain(files).collect()
}

/// Returns the bots of the arena that the command line names.
fn of_arena(begun: &OsStr) -> Vec<CompletionCandidate> {
    let mut words = env::args_os().skip_while(|word| word != "--arena").skip(1);
    let folder = words.next().map_or_else(|| PathBuf::from(FOLDER), PathBuf::from);
    let bots = open_store_to_read(&folder).and_then(|store| Ok(store.bots()?)).unwrap_or_default();
    beginning_with(begun, bots.iter().map(BotVersion::label)).collect()
}

fn any_bot(begun: &OsStr) -> Vec<CompletionCandidate> {
    of_arena(begun).into_iter().chain(built_in_or_file(begun)).collect()
}

fn beginning_with(begun: &OsStr, names: impl Iterator<Item = String>) -> impl Iterator<Item = CompletionCandidate> {
    let begun = begun.to_string_lossy().into_owned();
    names.filter(move |name| name.starts_with(&begun)).map(CompletionCandidate::new)
}
