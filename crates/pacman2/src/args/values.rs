//! Values that several verbs take, and how they are parsed.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pacman2_batch::InstructionSet;
use pacman2_bot_source::hash::is_hash;
use pacman2_bot_source::sandbox::{ALL, SandboxOptions};
use pacman2_bots::sage::Component;
use pacman2_botzone::response::Verdict;
use pacman2_maps::MapSize;
use pacman2_rules::ForfeitRuling;
use pacman2_runner::{CppStandard, Limits, Tier};
use pacman2_templates::{BotKind, TEMPLATES, Template};
use pacman2_tournament::store::FaultFilter;

/// Which bots run in the sandbox
#[derive(Clone, Default, Args)]
pub(crate) struct SandboxArgs {
    /// Run this bot outside the sandbox, with all your rights; BOT as typed above, or "all"
    #[arg(long, value_name = "BOT")]
    pub(crate) trust: Vec<String>,
    /// Refuse to play if the sandbox is weaker than this tier
    #[arg(long, value_name = "TIER", ignore_case = true, value_parser = tier())]
    pub(crate) require_tier: Option<Tier>,
}

impl SandboxArgs {
    /// Returns the same as options of the sandbox.
    pub(crate) fn options(&self) -> SandboxOptions {
        SandboxOptions { trust: self.trust.clone(), require_tier: self.require_tier }
    }
}

/// How C++ sources are compiled
#[derive(Clone, Copy, Args)]
pub(crate) struct SourceArgs {
    /// Version of C++ of sources, c++11 or c++17 [default: c++17, then c++11]; for a single bot: "FILE --std c++11"
    #[arg(long = "std", value_name = "STD")]
    pub(crate) standard: Option<CppStandard>,
}

/// The limits of the bots of a match
#[derive(Clone, Args)]
pub(crate) struct LimitArgs {
    /// Time limit for a turn in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = milliseconds(1..))]
    pub(crate) time_limit: u64,
    /// Memory limit for a bot in megabytes
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = whole::<u64>(1..=1_000_000))]
    pub(crate) memory_limit: u64,
    /// Output limit for a turn in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1_048_576, value_parser = whole::<u64>(1..))]
    pub(crate) output_limit: u64,
    /// Disable all limits, for a bot under a debugger
    #[arg(long, conflicts_with_all = ["time_limit", "memory_limit", "output_limit"])]
    pub(crate) no_limits: bool,
}

impl LimitArgs {
    /// Returns the limits.
    pub(crate) fn limits(&self) -> Limits {
        if self.no_limits {
            // A fork bomb is no use under a debugger either.
            return Limits { tasks: Limits::default().tasks, ..Limits::NONE };
        }
        Limits { output_bytes: Some(self.output_limit), ..limits(self.time_limit, self.memory_limit) }
    }
}

/// The limits of one bot
#[derive(Args)]
pub(crate) struct BotLimitArgs {
    /// Time limit for a turn in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = milliseconds(1..))]
    time_limit: u64,
    /// Memory limit for the bot in megabytes
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = whole::<u64>(1..=1_000_000))]
    memory_limit: u64,
}

impl BotLimitArgs {
    /// Returns the limits.
    pub(crate) fn limits(&self) -> Limits {
        limits(self.time_limit, self.memory_limit)
    }
}

/// Returns the usual limits with this time in milliseconds and this memory in megabytes.
fn limits(time_ms: u64, memory_mb: u64) -> Limits {
    let time = Some(Duration::from_millis(time_ms));
    Limits { wall: time, cpu: time, memory_bytes: Some(memory_mb * 1024 * 1024), ..Limits::default() }
}

/// A parser that accepts one of these values, each with its name and help.
fn one_of<T: Copy + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (T, &'static str, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<(T, &'static str, &'static str)> = values.into_iter().collect();
    let described = |&(_, name, help): &(T, &'static str, &'static str)| {
        let value = PossibleValue::new(name);
        if help.is_empty() { value } else { value.help(help) }
    };
    let possible: Vec<PossibleValue> = values.iter().map(described).collect();
    PossibleValuesParser::new(possible).try_map(move |typed| {
        let value = values.iter().find(|(_, name, _)| name.eq_ignore_ascii_case(&typed)).map(|&(value, ..)| value);
        value.ok_or("not a possible value")
    })
}

/// `sample`, `judge` or `prose`; see docs/RULINGS.md.
pub(crate) fn ruling() -> impl TypedValueParser<Value = ForfeitRuling> {
    one_of(ForfeitRuling::ALL.map(|ruling| {
        let help = match ruling {
            ForfeitRuling::Sample => "Never, as in the wiki's sample program",
            ForfeitRuling::Judge => "Only where a living player stands too, as in Botzone's judge",
            ForfeitRuling::Prose => "Always, as in the wiki's text",
        };
        (ruling, ruling.name(), help)
    }))
}

/// A tier that can be required: any but `C`.
pub(crate) fn tier() -> impl TypedValueParser<Value = Tier> {
    one_of([
        (Tier::A, Tier::A.name(), "Namespaces, Landlock and seccomp"),
        (Tier::AMinus, Tier::AMinus.name(), "Namespaces and seccomp"),
        (Tier::B, Tier::B.name(), "Landlock and seccomp"),
    ])
}

/// `portable`, `neon` or `avx2`.
pub(crate) fn instruction_set() -> impl TypedValueParser<Value = InstructionSet> {
    one_of(InstructionSet::ALL.map(|set| {
        let help = match set {
            InstructionSet::Portable => "Runs on every machine",
            InstructionSet::Neon => "NEON: all AArch64 machines",
            InstructionSet::Avx2 => "AVX2: most x86-64 machines since 2013",
        };
        (set, set.name(), help)
    }))
}

/// A component of sage's search.
pub(crate) fn component() -> impl TypedValueParser<Value = Component> {
    one_of(Component::ALL.map(|component| (component, component.name(), "")))
}

/// `search` or `simple`.
pub(crate) fn bot_kind() -> impl TypedValueParser<Value = BotKind> {
    one_of(BotKind::ALL.map(|kind| {
        let help = match kind {
            BotKind::Search => "Plays on from the position many times and takes the best action",
            BotKind::Simple => "Walks to the nearest fruit and avoids stronger players",
            BotKind::Net => "Searches as sage does, with its learned nets or your own; only in C++",
        };
        (kind, kind.name(), help)
    }))
}

/// The name of a template's language, or one of its aliases.
pub(crate) fn template() -> impl TypedValueParser<Value = &'static Template> {
    let value = |template: &&'static Template| {
        PossibleValue::new(template.name).aliases(template.aliases.iter().copied()).help(template.help)
    };
    PossibleValuesParser::new(TEMPLATES.iter().map(value)).try_map(|typed| {
        let is_named = |template: &&'static Template| template.name == typed || template.aliases.contains(&typed.as_str());
        TEMPLATES.into_iter().find(is_named).ok_or("not a possible value")
    })
}

/// A whole number in this range.
pub(crate) fn whole<T>(range: impl RangeBounds<T> + Clone + Send + Sync + 'static) -> impl TypedValueParser<Value = T>
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    whole_of(range, |text| text.parse().ok())
}

fn whole_of<T>(
    range: impl RangeBounds<T> + Clone + Send + Sync + 'static,
    read: impl Fn(&str) -> Option<T> + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T>
where
    T: PartialOrd + Display + Clone + Send + Sync + 'static,
{
    let bound = |bound: Bound<&T>| match bound {
        Bound::Included(number) | Bound::Excluded(number) => Some(number.to_string()),
        Bound::Unbounded => None,
    };
    let least = bound(range.start_bound()).unwrap_or_else(|| "0".to_owned());
    let most = bound(range.end_bound());
    let expected = most.map_or_else(|| format!("of at least {least}"), |most| format!("from {least} to {most}"));
    move |text: &str| {
        let number = read(text);
        number.filter(|number| range.contains(number)).ok_or_else(|| ValueError::Whole { expected: expected.clone() })
    }
}

/// A time in milliseconds in this range: `500`, `500ms` or `2s`.
pub(crate) fn milliseconds(range: impl RangeBounds<u64> + Clone + Send + Sync + 'static) -> impl TypedValueParser<Value = u64> {
    whole_of(range, |text| match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => number.parse().ok(),
        (None, Some(number)) => number.parse::<u64>().ok()?.checked_mul(1000),
        (None, None) => text.parse().ok(),
    })
}

/// A time in whole seconds in this range: `10`, `10s` or `10000ms`.
pub(crate) fn whole_seconds(range: impl RangeBounds<u32> + Clone + Send + Sync + 'static) -> impl TypedValueParser<Value = u32> {
    whole_of(range, |text| match text.strip_suffix("ms") {
        Some(number) => number.parse().ok().filter(|ms: &u32| ms.is_multiple_of(1000)).map(|ms| ms / 1000),
        None => text.strip_suffix('s').unwrap_or(text).parse().ok(),
    })
}

/// A seed of 32 bits, as Botzone writes it with a sign or as the Python package writes it without.
pub(crate) fn seed(text: &str) -> Result<i32, ValueError> {
    let (least, most) = pacman2_maps::SEEDS.into_inner();
    let seed = text.parse().ok().and_then(pacman2_maps::seed_from);
    seed.ok_or_else(|| ValueError::Whole { expected: format!("from {least} to {most}") })
}

/// `WxH`, 6 to 11 each.
pub(crate) fn map_size(text: &str) -> Result<MapSize, ValueError> {
    let sides = text.split_once(['x', 'X', '×']);
    let sides = sides.and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match sides {
        Some((width, height)) if pacman2_maps::SIDES.contains(&width) && pacman2_maps::SIDES.contains(&height) => {
            Ok(MapSize { width: Some(width), height: Some(height) })
        }
        _ => Err(ValueError::MapSize),
    }
}

/// The verdict of a forfeit, in upper or lower case; nothing selects all.
pub(crate) fn fault(text: &str) -> Result<FaultFilter, ValueError> {
    if text.is_empty() {
        return Ok(FaultFilter::Any);
    }
    text.to_uppercase().parse().ok().filter(Verdict::is_fault).map(FaultFilter::Kind).ok_or(ValueError::Fault)
}

/// The hash of a program, or "all".
pub(crate) fn program_hash(text: &str) -> Result<String, ValueError> {
    (is_hash(text) || text == ALL).then(|| text.to_owned()).ok_or(ValueError::ProgramHash)
}

/// A time in seconds: `0.5`, `0.5s` or `500ms`.
pub(crate) fn seconds(text: &str) -> Result<f64, ValueError> {
    let seconds: Option<f64> = match text.strip_suffix("ms") {
        Some(number) => number.parse().ok().map(|ms: f64| ms / 1000.0),
        None => text.strip_suffix('s').unwrap_or(text).parse().ok(),
    };
    seconds.filter(|seconds| (0.01..=3600.0).contains(seconds)).ok_or(ValueError::Seconds)
}

/// A token for the server.
pub(crate) fn token(text: &str) -> Result<String, ValueError> {
    let is_safe = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    let is_token = is_safe && (8..=128).contains(&text.len());
    is_token.then(|| text.to_owned()).ok_or(ValueError::Token)
}

/// Why a value was rejected. clap adds the value and its option.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ValueError {
    #[error("expected a whole number {expected}")]
    Whole { expected: String },
    #[error("expected columns x rows, 6 to 11 each, such as 9x8")]
    MapSize,
    #[error("expected one of {}", Verdict::FAULTS.map(Verdict::name).join(", "))]
    Fault,
    #[error("expected a number from 0.01 to 3600")]
    Seconds,
    #[error("expected 8 to 128 letters, digits and -._~")]
    Token,
    #[error("expected the hash of a program, \"program\" in its line of the jobs, or \"all\"; jobs may give it any name")]
    ProgramHash,
}
