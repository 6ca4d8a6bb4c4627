//! `pacman2 completions`: prints a script that completes the command line in a shell.

use std::io::Write;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use pacman2_bots::BUILT_IN;
use pacman2_bots::style::STYLES;

use crate::args::{Args, CompletionsArgs};

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let all = Args::command();
    // The scripts would also complete what is hidden.
    let visible = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut command = Command::new("pacman2").version(env!("CARGO_PKG_VERSION")).subcommands(visible.map(with_bots));
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "pacman2", &mut script);
    let mut script = String::from_utf8(script)?;
    if args.shell == Shell::Zsh {
        // Its scripts complete values or files; a bot can be either. The script of bash offers files where no value fits.
        let names = BUILT_IN.map(|bot| bot.name).join(" ");
        let either = format!(":{{_alternative \"bots\\:built-in bot\\:({names})\" \"files\\:file\\:_files\"}}'");
        script = script.replace(&format!(":({names})'"), &either);
    }
    std::io::stdout().write_all(script.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Adds the names of built-in bots and styles to the arguments that take one.
fn with_bots(command: Command) -> Command {
    let names = BUILT_IN.map(|bot| bot.name);
    if command.get_name() == "bot" {
        let styles = STYLES.iter().map(|style| style.name);
        let name = PossibleValuesParser::new(names.into_iter().chain(["style"]));
        return command
            .mut_arg("name", |arg| arg.value_parser(name))
            .mut_arg("style", |arg| arg.value_parser(PossibleValuesParser::new(styles)));
    }
    let is_bot = |arg: &Arg| arg.is_positional() && arg.get_value_hint() == ValueHint::FilePath;
    let with_names = |arg: Arg| if is_bot(&arg) { arg.value_parser(PossibleValuesParser::new(names)) } else { arg };
    command.mut_args(with_names).mut_subcommands(with_bots)
}
