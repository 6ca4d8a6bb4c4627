//! What is wrong with a built-in bot, as codes that the viewer's page words.

use std::path::Path;

use pacman2_bots::net::NetError;
use pacman2_bots::{BotConfigError, OptionValues, ParseBotError};
use pacman2_botzone::problem::Problem;
use pacman2_match::problem::from_file;
use pacman2_runner::InputFileError;

/// Returns why a built-in bot cannot be configured; `None` if only the sentence says it. `net` is the weights file that it names.
pub(crate) fn from_built_in(error: &anyhow::Error, net: Option<&Path>) -> Option<Problem> {
    error.chain().find_map(|cause| {
        let in_file = |problem| {
            let file = net.unwrap_or(Path::new("")).to_string_lossy();
            Problem::new("bot-file").with("file", file).because(&[problem])
        };
        if let Some(error) = cause.downcast_ref() {
            from_spec(error)
        } else if let Some(error) = cause.downcast_ref() {
            from_config(error)
        } else if let Some(error) = cause.downcast_ref() {
            from_net(error).map(in_file)
        } else {
            cause.downcast_ref::<InputFileError>().map(|error| in_file(from_file(error)))
        }
    })
}

fn from_spec(error: &ParseBotError) -> Option<Problem> {
    Some(match error {
        ParseBotError::Quotes => Problem::new("bot-no-command"),
        ParseBotError::UnknownBot(bot) => Problem::new("unknown-built-in").with("bot", bot.as_str()),
        ParseBotError::UnknownStyle(got) => Problem::new("bot-style").with("got", got.as_str()),
        ParseBotError::UnknownOption(got) => Problem::new("bot-option").with("got", got.as_str()),
        ParseBotError::MissingValue(option) => Problem::new("bot-option-without-value").with("option", *option),
        ParseBotError::InvalidValue { option, expected: OptionValues::Number(range), found } => {
            let problem = Problem::new("bot-option-number").with("option", *option);
            problem.with("min", *range.start()).with("max", *range.end()).with("got", found.as_str())
        }
        ParseBotError::InvalidValue { option, expected, found } => {
            let problem = Problem::new("bot-option-word").with("option", *option);
            problem.with("expected", expected.to_string()).with("got", found.as_str())
        }
        ParseBotError::Repeated(option) => Problem::new("bot-option-repeated").with("option", *option),
        ParseBotError::Conflict(one, other) => Problem::new("bot-options-conflict").with("one", *one).with("other", *other),
        ParseBotError::Unsupported(error) => return from_config(error),
        _ => return None,
    })
}

fn from_config(error: &BotConfigError) -> Option<Problem> {
    Some(match *error {
        BotConfigError::DoesNotSimulate { name } => Problem::new("bot-does-not-simulate").with("bot", name),
        BotConfigError::DoesNotSearch { name } => Problem::new("bot-does-not-search").with("bot", name),
        BotConfigError::NoStyles { name } => Problem::new("bot-without-styles").with("bot", name),
        BotConfigError::StyleMissing => Problem::new("bot-style-missing"),
        _ => return None,
    })
}

fn from_net(error: &NetError) -> Option<Problem> {
    Some(match error {
        NetError::Header(expected) => Problem::new("net-header").with("expected", *expected),
        NetError::Length { expected, found } => Problem::new("net-length").with("expected", *expected).with("got", *found),
        NetError::NotFinite { index, weights } => Problem::new("net-weight").with("index", *index).with("weights", *weights),
        _ => return None,
    })
}
