//! The grammar of a built-in bot with options: `sage --time 300`.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::sage::{Component, Sage, UnknownComponentError};
use crate::style::{STYLES, Style};
use crate::{BUILT_IN, BotConfig, BotConfigError, BuiltIn, Effort, Method};

/// A built-in bot with options, as it is typed: its name, for `style` that of a [`Style`], then `--simulations N`, `--time MS`,
/// `--threads N`, `--without PART` or `--net FILE`.
///
/// The file of a net is only named here. The caller reads it and adds the net with [`BotConfig::with_net`].
///
/// ```
/// use pacman2_bots::BotSpec;
///
/// let spec: BotSpec = "sage --time=300 --without net".parse()?;
/// assert_eq!((spec.built_in.name, spec.time_ms), ("sage", Some(300)));
/// assert_eq!(spec.to_string(), "sage --time 300 --without net");
///
/// let error = "sage --time 0".parse::<BotSpec>().err().expect("rejected");
/// assert_eq!(error.to_string(), "--time: expected a whole number from 1 to 60000, got \"0\"");
/// # Ok::<(), pacman2_bots::ParseBotError>(())
/// ```
#[derive(Clone)]
pub struct BotSpec {
    /// The bot.
    pub built_in: BuiltIn,
    /// The style of the bot `style`.
    pub style: Option<&'static Style>,
    /// The number of simulations per turn.
    pub simulations: Option<u32>,
    /// The time per turn in milliseconds.
    pub time_ms: Option<u64>,
    /// The number of threads of the search.
    pub threads: Option<usize>,
    /// The components of the search that are disabled.
    pub without: Vec<Component>,
    /// The weights file of the net.
    pub net: Option<PathBuf>,
}

/// An error in a built-in bot with options.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseBotError {
    /// A quotation mark is missing.
    #[error("a quotation mark is missing")]
    Quotes,
    /// There is no bot of this name.
    #[error("unknown built-in bot \"{0}\"; expected {names}", names = BUILT_IN.map(|bot| bot.name).join(", "))]
    UnknownBot(String),
    /// There is no style of this name.
    #[error("unknown style \"{0}\"; {names}", names = style_names(.0))]
    UnknownStyle(String),
    /// There is no option of this name.
    #[error("unknown option \"{0}\"; expected {options}", options = OPTIONS.join(", "))]
    UnknownOption(String),
    /// The option has no value.
    #[error("{0}: expected a value")]
    MissingValue(&'static str),
    /// The value of the option is not possible.
    #[error("{option}: expected {expected}, got \"{found}\"")]
    InvalidValue {
        /// The option.
        option: &'static str,
        /// The values that are possible.
        expected: OptionValues,
        /// The value that was found.
        found: String,
    },
    /// The option is given twice.
    #[error("{0} is given more than once")]
    Repeated(&'static str),
    /// Two options exclude each other.
    #[error("{0} cannot be combined with {1}")]
    Conflict(&'static str, &'static str),
    /// The bot does not have the option.
    #[error(transparent)]
    Unsupported(#[from] BotConfigError),
}

/// The values that an option of a built-in bot may have.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OptionValues {
    /// A whole number in this range.
    Number(RangeInclusive<u64>),
    /// One of these words.
    OneOf(Vec<&'static str>),
}

impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValues::Number(range) => write!(f, "a whole number from {} to {}", range.start(), range.end()),
            OptionValues::OneOf(words) => f.write_str(&words.join(", ")),
        }
    }
}

/// Returns the names of all styles, after one that is similar to `name`, if there is one.
fn style_names(name: &str) -> String {
    let similarity = |style: &Style| strsim::jaro_winkler(style.name, name);
    let similar = STYLES.iter().max_by(|one, other| similarity(one).total_cmp(&similarity(other)));
    let similar = similar.filter(|style| similarity(style) > 0.75);
    let guess = similar.map_or_else(String::new, |style| format!("did you mean {}? ", style.name));
    let names: Vec<&str> = STYLES.iter().map(|style| style.name).collect();
    format!("{guess}expected one of {}", names.join(", "))
}

const SIMULATIONS: &str = "--simulations";
const TIME: &str = "--time";
const WITHOUT: &str = "--without";
const NET: &str = "--net";
const THREADS: &str = "--threads";
const OPTIONS: [&str; 5] = [SIMULATIONS, TIME, THREADS, WITHOUT, NET];

impl BotSpec {
    /// The possible times per turn in milliseconds.
    pub const TIME_MS: RangeInclusive<u64> = 1..=60_000;

    /// Creates a bot without options.
    pub fn new(built_in: BuiltIn) -> BotSpec {
        BotSpec { built_in, style: None, simulations: None, time_ms: None, threads: None, without: Vec::new(), net: None }
    }

    /// Returns the words that parse to the same bot: its name, then its options.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![self.built_in.name.to_owned()];
        words.extend(self.style.map(|style| style.name.to_owned()));
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        self.simulations.iter().for_each(|number| add(SIMULATIONS, number.to_string()));
        self.time_ms.iter().for_each(|ms| add(TIME, ms.to_string()));
        self.threads.iter().for_each(|number| add(THREADS, number.to_string()));
        self.without.iter().for_each(|component| add(WITHOUT, component.to_string()));
        self.net.iter().for_each(|net| add(NET, net.to_string_lossy().into_owned()));
        words
    }

    /// Parses the words of a bot: its name, for `style` that of a style, then its options.
    ///
    /// ```
    /// use pacman2_bots::BotSpec;
    ///
    /// let words = ["sage", "--net", "my nets/a.net"].map(str::to_owned);
    /// assert_eq!(BotSpec::from_words(words)?.to_string(), "sage --net 'my nets/a.net'");
    /// # Ok::<(), pacman2_bots::ParseBotError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such bot, or if it does not have one of the options.
    pub fn from_words(words: impl IntoIterator<Item = String>) -> Result<BotSpec, ParseBotError> {
        let mut words = words.into_iter();
        let name = words.next().unwrap_or_default();
        let mut spec = BotSpec::new(name.parse().map_err(|_| ParseBotError::UnknownBot(name))?);
        if spec.built_in.method == Method::Style {
            let name = words.next().ok_or(BotConfigError::StyleMissing)?;
            spec.style = Some(name.parse().map_err(|_| ParseBotError::UnknownStyle(name))?);
        }
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let known = OPTIONS.into_iter().find(|known| *known == option);
            let option = known.ok_or_else(|| ParseBotError::UnknownOption(option.to_owned()))?;
            let value = value.or_else(|| words.next()).ok_or(ParseBotError::MissingValue(option))?;
            spec.set(option, &value)?;
        }
        if spec.simulations.is_some() && spec.time_ms.is_some() {
            return Err(ParseBotError::Conflict(SIMULATIONS, TIME));
        }
        spec.config()?;
        Ok(spec)
    }

    /// Returns the configuration of this bot, except its net.
    ///
    /// # Errors
    ///
    /// If the bot does not have one of the options, `--net` included.
    pub fn config(&self) -> Result<BotConfig, BotConfigError> {
        let effort = match (self.simulations, self.time_ms) {
            (Some(simulations), _) => Some(Effort::Simulations(simulations)),
            (None, time) => time.map(|ms| Effort::Time(Duration::from_millis(ms))),
        };
        let mut config = BotConfig::new(self.built_in);
        if let Some(style) = self.style {
            config = config.with_style(style)?;
        } else if self.built_in.method == Method::Style {
            return Err(BotConfigError::StyleMissing);
        }
        if let Some(effort) = effort {
            config = config.with_effort(effort)?;
        }
        if let Some(threads) = self.threads {
            config = config.with_threads(threads)?;
        }
        if self.net.is_some() {
            config.check_searches()?;
        }
        self.without.iter().try_fold(config, |config, &component| config.without(component))
    }

    fn set(&mut self, option: &'static str, value: &str) -> Result<(), ParseBotError> {
        let invalid = |expected| ParseBotError::InvalidValue { option, expected, found: value.to_owned() };
        let number_in = |range: RangeInclusive<u64>| {
            let number = value.parse().ok().filter(|number| range.contains(number));
            number.ok_or_else(|| invalid(OptionValues::Number(range)))
        };
        let is_repeated = match option {
            SIMULATIONS => self.simulations.replace(number_in(1..=u32::MAX.into())? as u32).is_some(),
            TIME => self.time_ms.replace(number_in(Self::TIME_MS)?).is_some(),
            THREADS => {
                let (least, most) = (*Sage::THREADS.start(), *Sage::THREADS.end());
                self.threads.replace(number_in(least as u64..=most as u64)? as usize).is_some()
            }
            WITHOUT => {
                let names = || OptionValues::OneOf(Component::ALL.map(Component::name).into());
                self.without.push(value.parse().map_err(|UnknownComponentError| invalid(names()))?);
                false
            }
            _ => self.net.replace(value.into()).is_some(),
        };
        if is_repeated { Err(ParseBotError::Repeated(option)) } else { Ok(()) }
    }
}

impl FromStr for BotSpec {
    type Err = ParseBotError;

    /// Parses a name and its options. Words are split and quoted as in a shell.
    fn from_str(text: &str) -> Result<BotSpec, ParseBotError> {
        BotSpec::from_words(shlex::split(text).ok_or(ParseBotError::Quotes)?)
    }
}

impl fmt::Display for BotSpec {
    /// Writes the text that parses to the same bot.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words();
        let joined = shlex::try_join(words.iter().map(String::as_str));
        f.write_str(&joined.unwrap_or_else(|_| words.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, String> {
        text.parse().map(|spec: BotSpec| spec.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_and_its_options() {
        for (text, expected) in [
            ("greedy", "greedy"),
            ("sage", "sage"),
            ("sage --time 300", "sage --time 300"),
            ("sage  --time=300", "sage --time 300"),
            ("sage --without net --simulations 50 --without others", "sage --simulations 50 --without net --without others"),
            ("sage --threads=2 --time 9", "sage --time 9 --threads 2"),
            ("sample --simulations 1", "sample --simulations 1"),
            ("'sample' --time 60000", "sample --time 60000"),
            ("sage --net 'a b.net'", "sage --net 'a b.net'"),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(expected));
            assert_eq!(parse(expected).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn texts_that_name_no_built_in_bot() {
        for text in ["", "sagey", "./sage", "python3 sage", "sage 'open", "--time 3", "bot sage"] {
            let error = text.parse::<BotSpec>().err().unwrap();
            assert!(matches!(error, ParseBotError::UnknownBot(_) | ParseBotError::Quotes), "{text}");
        }
    }

    #[test]
    fn options_that_a_bot_does_not_have() {
        for name in ["random", "greedy", "hunter"] {
            for option in ["--time", "--simulations"] {
                let error = format!("{name} {option} 5").parse::<BotSpec>().err();
                assert_eq!(error, Some(ParseBotError::Unsupported(BotConfigError::DoesNotSimulate { name })));
            }
        }
        for name in ["random", "sample", "greedy", "hunter"] {
            for option in ["--without net", "--net mine.net", "--threads 2"] {
                let error = format!("{name} {option}").parse::<BotSpec>().err();
                assert_eq!(error, Some(ParseBotError::Unsupported(BotConfigError::DoesNotSearch { name })));
            }
        }
    }

    #[test]
    fn options_that_are_rejected() {
        for (options, error) in [
            ("--time 0", "--time: expected a whole number from 1 to 60000, got \"0\""),
            ("--time 60001", "--time: expected a whole number from 1 to 60000, got \"60001\""),
            ("--time -1", "--time: expected a whole number from 1 to 60000, got \"-1\""),
            ("--simulations 0", "--simulations: expected a whole number from 1 to 4294967295, got \"0\""),
            ("--simulations 4294967296", "--simulations: expected a whole number from 1 to 4294967295, got \"4294967296\""),
            ("--simulations many", "--simulations: expected a whole number from 1 to 4294967295, got \"many\""),
            ("--time 5 --simulations 5", "--simulations cannot be combined with --time"),
            ("--threads 0", "--threads: expected a whole number from 1 to 64, got \"0\""),
            ("--threads 2 --threads 2", "--threads is given more than once"),
            ("--time 5 --time 6", "--time is given more than once"),
            ("--time", "--time: expected a value"),
            ("--tmie 5", "unknown option \"--tmie\"; expected --simulations, --time, --threads, --without, --net"),
            ("--without nett", "--without: expected net, others, last-turn, pruning, promise, got \"nett\""),
            ("--keep-running", "unknown option \"--keep-running\"; expected --simulations, --time, --threads, --without, --net"),
            ("--help", "unknown option \"--help\"; expected --simulations, --time, --threads, --without, --net"),
            ("300", "unknown option \"300\"; expected --simulations, --time, --threads, --without, --net"),
        ] {
            assert_eq!(parse(&format!("sage {options}")).unwrap_err(), error);
        }
    }
}
