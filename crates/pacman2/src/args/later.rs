//! Verbs whose arguments are defined when they are used.

use clap::{ArgMatches, Command, FromArgMatches};

/// The arguments of a verb, defined when it is used. To define those of all verbs would take half of the start of the program.
pub(crate) struct Later<T>(pub(crate) T);

impl<T: clap::Args> clap::Args for Later<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args_for_update))
    }
}

/// Defines arguments, and keeps the description of the verb, which the comments on shared arguments would replace.
fn described(command: Command, augment: fn(Command) -> Command) -> Command {
    let about = command.get_about().cloned().unwrap_or_default();
    accept_negative_numbers(augment(command)).about(about)
}

impl<T: FromArgMatches> FromArgMatches for Later<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Later)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Makes `-1` a value everywhere, so that the option that rejects it can name its range.
pub(super) fn accept_negative_numbers(command: Command) -> Command {
    command.allow_negative_numbers(true).mut_subcommands(accept_negative_numbers)
}
