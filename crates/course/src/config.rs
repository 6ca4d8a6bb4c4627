//! The file of a tournament, `tournament.toml`.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use pacman2_bot_source::built_in::BuiltInBot;
use pacman2_bot_source::source::{BotArgument, BotSource, with_standard};
use pacman2_bots::BUILT_IN;
use pacman2_botzone::words::Locale;
use pacman2_console::error::bad_input;
use pacman2_maps::SEEDS;
use pacman2_rules::Ruleset;
use pacman2_runner::{CppStandard, Tier};
use pacman2_tournament::schedule::Schedule;
use pacman2_tournament::standings::MIN_MAPS;

use super::toml_file::{Document, Field, Section, hint};

/// A tournament. Paths are relative to the current folder, not to the file.
pub(crate) struct Config {
    /// The name of the tournament.
    pub(crate) name: String,
    /// The language of the table of grades, and the first language of the notes.
    pub(crate) language: Locale,
    /// The folder with the submissions.
    pub(crate) submissions: PathBuf,
    /// The folder for all results.
    pub(crate) output: PathBuf,
    /// The bots that submissions are measured against.
    pub(crate) references: Vec<Reference>,
    /// The games to play.
    pub(crate) games: Games,
    /// The time limit per turn in milliseconds, before the factor of the language.
    pub(crate) time_ms: u64,
    /// The memory limit in megabytes.
    pub(crate) memory_mb: u64,
    /// After how many turns games end.
    pub(crate) turns: u32,
    /// The version of C++ of sources whose name does not give it.
    pub(crate) standard: Option<CppStandard>,
    /// Whether submissions may be archives.
    pub(crate) allow_archives: bool,
    /// The weakest sandbox that is accepted; `None` if all submissions are trusted.
    pub(crate) sandbox: Option<Tier>,
    /// How points become grades.
    pub(crate) grading: Grading,
}

/// A bot that submissions are measured against.
pub(crate) struct Reference {
    /// The name in tables and thresholds.
    pub(crate) name: String,
    /// A built-in bot, or a file with its full path.
    pub(crate) bot: BotArgument,
}

/// The games to play. Every submission plays against the references, because its grade depends on that.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Games {
    /// How submissions play against each other, if they do: Swiss or round robin.
    pub(crate) schedule: Option<Schedule>,
    /// The seeds of the maps.
    pub(crate) seeds: Vec<i32>,
}

/// How points become grades.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Grading {
    /// Which number is compared with the thresholds.
    pub(crate) measure: Measure,
    /// The grade of a submission that finishes a game and reaches no threshold.
    pub(crate) otherwise: f64,
    /// The thresholds, highest grade first.
    pub(crate) thresholds: Vec<Threshold>,
}

/// Which number is compared with the thresholds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    /// The mean lead.
    Estimate,
    /// The lower end of its 95 % interval.
    Low,
}

impl Measure {
    pub(crate) const ALL: [Measure; 2] = [Measure::Estimate, Measure::Low];

    /// Returns the word in the file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Measure::Estimate => "estimate",
            Measure::Low => "low",
        }
    }
}

/// The condition for a grade.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Threshold {
    /// The name of the reference.
    pub(crate) reference: String,
    /// The mean lead over the reference in points, in games that both play. It may be negative.
    pub(crate) at_least: f64,
    /// The grade that a submission gets for it.
    pub(crate) grade: f64,
}

const SECTIONS: [&str; 8] = ["name", "language", "submissions", "output", "references", "games", "limits", "grades"];
const MAX_SEEDS: i64 = 100_000;
const POINTS: RangeInclusive<f64> = -200.0..=200.0;
const GRADES: RangeInclusive<f64> = 0.0..=1_000_000.0;

/// Parses the text of the file at `path`.
///
/// # Errors
///
/// With the line of the first wrong key or value.
pub(crate) fn parse(path: &Path, text: &str) -> anyhow::Result<Config> {
    let document = Document::read(path, text)?;
    let file = document.root(&SECTIONS)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let language = file.get("language").map(|field| field.one_of(&[("zh", Locale::Chinese), ("en", Locale::English)]));
    let output = file.get("output").map(|field| field.text("a folder for the results")).transpose()?;
    let submissions = existing_folder(&file.require("submissions", "the folder with the submissions")?, folder)?;
    let output = folder.join(output.unwrap_or("results"));
    if output.starts_with(&submissions) {
        let message = format!("the output folder {} is in the folder of submissions; move it out", output.display());
        return Err(file.require("submissions", "a folder")?.error(&message));
    }
    let (references, typed) = references(&file, folder)?;
    let games = games(&file)?;
    Ok(Config {
        name: file.get("name").map_or(Ok("Pacman2"), |field| field.text("the name of the tournament"))?.to_owned(),
        language: language.unwrap_or(Ok(Locale::Chinese))?,
        submissions,
        output,
        time_ms: limit(&file, "time_ms", 1..=600_000)?.unwrap_or(1000),
        memory_mb: limit(&file, "memory_mb", 1..=1_000_000)?.unwrap_or(256),
        turns: limit(&file, "turns", 1..=10_000)?.map_or(Ruleset::default().turn_limit, |turns| turns as u32),
        standard: limits_field(&file, "std")?.map(|field| field.one_of(&standards())).transpose()?,
        allow_archives: limits_field(&file, "archives")?
            .map_or(Ok(true), |field| field.one_of(&[("accept", true), ("reject", false)]))?,
        sandbox: sandbox(&file)?,
        grading: grading(&file, &references, &typed, games.seeds.len())?,
        references,
        games,
    })
}

fn existing_folder(field: &Field<'_>, folder: &Path) -> anyhow::Result<PathBuf> {
    let path = folder.join(field.text("a folder")?);
    if path.is_dir() { Ok(path) } else { Err(field.error(&format!("no such folder: {}", path.display()))) }
}

/// Reads the references, and what each is called in the file.
fn references<'t>(file: &Section<'t>, folder: &Path) -> anyhow::Result<(Vec<Reference>, Vec<&'t str>)> {
    const WHAT: &str = "a list of built-in bots and files, such as [\"random\", \"greedy\", \"staff/bot.cpp\"]";
    let field = file.require("references", WHAT)?;
    let items = field.items(WHAT)?;
    if items.is_empty() {
        return Err(field.expected(WHAT));
    }
    let mut references: Vec<Reference> = Vec::new();
    let mut typed = Vec::new();
    for item in items {
        let text = item.text("a built-in bot or a file")?;
        let reference = reference(text, folder).map_err(|error| item.error(&error.to_string()))?;
        if references.iter().any(|other| other.name == reference.name) {
            return Err(item.error(&format!("there is another reference with the name {}", reference.name)));
        }
        references.push(reference);
        typed.push(text);
    }
    Ok((references, typed))
}

fn reference(text: &str, folder: &Path) -> anyhow::Result<Reference> {
    let bot = BotArgument::in_folder(text, folder)?;
    match bot.source.clone() {
        BotSource::BuiltIn(spec) => {
            BuiltInBot::read(&spec.to_string(), spec.clone())?;
            Ok(Reference { name: text.to_owned(), bot: BotArgument::from_spec(spec) })
        }
        BotSource::File(path) | BotSource::Archive(path) if path.is_file() => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Ok(Reference { name, bot: BotArgument { text: with_standard(&path, bot.standard), ..bot } })
        }
        _ => {
            let (path, hint) = (folder.join(text), hint(text, &BUILT_IN.map(|bot| bot.name)));
            Err(bad_input(format!("no such file, and no built-in bot with this name: {}{hint}", path.display())))
        }
    }
}

fn games(file: &Section<'_>) -> anyhow::Result<Games> {
    const WHAT: &str = "a table with schedule, rounds, seeds";
    let Some(field) = file.get("games") else {
        return Ok(Games { schedule: None, seeds: seeds(None)? });
    };
    let section = field.section(WHAT, &["schedule", "rounds", "seeds"])?;
    let rounds = section.get("rounds");
    let words = [("gauntlet", None), ("swiss", Some(Schedule::Swiss { rounds: 5 })), ("round-robin", Some(Schedule::RoundRobin))];
    let mut schedule = section.get("schedule").map_or(Ok(None), |field| field.one_of(&words))?;
    match (&mut schedule, rounds) {
        (Some(Schedule::Swiss { rounds }), Some(field)) => *rounds = field.whole(1..=1000)? as u32,
        (_, Some(field)) => return Err(field.error("only the schedule \"swiss\" has rounds")),
        (_, None) => {}
    }
    Ok(Games { schedule, seeds: seeds(section.get("seeds"))? })
}

fn seeds(field: Option<Field<'_>>) -> anyhow::Result<Vec<i32>> {
    const WHAT: &str = "a list of seeds or { first = 1, count = 20 }";
    let Some(field) = field else { return Ok((1..=20).collect()) };
    if !field.is_list() {
        let section = field.section(WHAT, &["first", "count"])?;
        let first = section.get("first").map_or(Ok(1), |field| field.whole(0..=i64::from(i32::MAX) - MAX_SEEDS))?;
        let count = section.require("count", "the number of seeds")?.whole(1..=MAX_SEEDS)?;
        return Ok((first..first + count).map(|seed| seed as i32).collect());
    }
    let mut seeds: Vec<i32> = Vec::new();
    for item in field.items(WHAT)? {
        let seed = item.whole(SEEDS)? as i32;
        if seeds.contains(&seed) {
            return Err(item.error(&format!("duplicate seed {seed}; its games count once")));
        }
        seeds.push(seed);
    }
    if seeds.is_empty() { Err(field.expected(WHAT)) } else { Ok(seeds) }
}

const LIMITS: &str = "a table with time_ms, memory_mb, turns, sandbox, std, archives";

fn limits_field<'t>(file: &Section<'t>, key: &str) -> anyhow::Result<Option<Field<'t>>> {
    let Some(field) = file.get("limits") else { return Ok(None) };
    Ok(field.section(LIMITS, &["time_ms", "memory_mb", "turns", "sandbox", "std", "archives"])?.get(key))
}

fn standards() -> [(&'static str, CppStandard); 2] {
    CppStandard::ALL.map(|standard| (standard.name(), standard))
}

fn limit(file: &Section<'_>, key: &str, range: RangeInclusive<i64>) -> anyhow::Result<Option<u64>> {
    let field = limits_field(file, key)?;
    Ok(field.map(|field| field.whole(range)).transpose()?.map(i64::unsigned_abs))
}

/// Reads the required sandbox. Submissions are untrusted programs, so by default they do not run without one.
fn sandbox(file: &Section<'_>) -> anyhow::Result<Option<Tier>> {
    let words = [("A", Some(Tier::A)), ("A-", Some(Tier::AMinus)), ("B", Some(Tier::B)), ("none", None)];
    let field = limits_field(file, "sandbox")?;
    field.map_or(Ok(Some(Tier::B)), |field| field.one_of(&words))
}

fn grading(file: &Section<'_>, references: &[Reference], typed: &[&str], maps: usize) -> anyhow::Result<Grading> {
    const WHAT: &str = "a table with measure, otherwise, thresholds";
    let Some(field) = file.get("grades") else {
        return Ok(Grading { measure: Measure::Estimate, otherwise: 0.0, thresholds: Vec::new() });
    };
    let section = field.section(WHAT, &["measure", "otherwise", "thresholds"])?;
    let words = Measure::ALL.map(|measure| (measure.name(), measure));
    let measure = section.get("measure").map_or(Ok(Measure::Estimate), |field| field.one_of(&words))?;
    if let (Measure::Low, Some(field), 0..MIN_MAPS) = (measure, section.get("measure"), maps) {
        return Err(
            field.error(&format!("\"low\" needs at least {MIN_MAPS} seeds, got {maps}; with fewer maps there are no intervals"))
        );
    }
    let otherwise = section.get("otherwise").map_or(Ok(0.0), |field| field.number(GRADES))?;
    let mut thresholds = Vec::new();
    for item in section.get("thresholds").map_or(Ok(Vec::new()), |field| field.items("a list of thresholds"))? {
        thresholds.push(threshold(&item, references, typed)?);
    }
    thresholds.sort_by(|a: &Threshold, b| b.grade.total_cmp(&a.grade));
    Ok(Grading { measure, otherwise, thresholds })
}

fn threshold(item: &Field<'_>, references: &[Reference], typed: &[&str]) -> anyhow::Result<Threshold> {
    let what = "a table such as { bot = \"greedy\", at_least = -5.0, grade = 60 }";
    let section = item.section(what, &["bot", "at_least", "grade"])?;
    let bot = section.require("bot", "one of the references")?;
    let text = bot.text("one of the references")?;
    let at = typed.iter().position(|typed| *typed == text);
    let at = at.ok_or_else(|| bot.error(&format!("{text} is not a reference{}", hint(text, typed))))?;
    Ok(Threshold {
        reference: references[at].name.clone(),
        at_least: section.require("at_least", "a lead over the reference in points")?.number(POINTS)?,
        grade: section.require("grade", "a number")?.number(GRADES)?,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Parses a file in a folder that contains submissions and a bot of the staff.
    fn parsed(text: &str) -> anyhow::Result<Config> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("submissions")).unwrap();
        fs::write(folder.path().join("staff.py"), "").unwrap();
        let path = folder.path().join("tournament.toml");
        let without_folder = |error: anyhow::Error| error.to_string().replace(&format!("{}/", folder.path().display()), "");
        parse(&path, text).map_err(|error| anyhow::anyhow!(without_folder(error)))
    }

    #[track_caller]
    fn check_error(text: &str, message: &str) {
        assert_eq!(parsed(text).err().unwrap().to_string(), format!("tournament.toml{message}"));
    }

    const MINIMAL: &str = "submissions = \"submissions\"\nreferences = [\"random\", \"greedy\", \"staff.py\"]\n";

    #[test]
    fn a_complete_file() {
        let config = parsed(
            r#"
            name = "程序设计 2026"
            language = "en"
            submissions = "submissions"
            output = "out"
            references = ["random", "staff.py"]
            [games]
            schedule = "swiss"
            rounds = 7
            seeds = [3, 1, 4, 15, 9]
            [limits]
            time_ms = 200
            memory_mb = 64
            turns = 30
            sandbox = "A"
            [grades]
            measure = "low"
            otherwise = 10
            thresholds = [
              { bot = "random", at_least = -5, grade = 60 },
              { bot = "staff.py", at_least = 2.5, grade = 100 },
            ]
            "#,
        )
        .unwrap();
        assert_eq!((config.name.as_str(), config.language), ("程序设计 2026", Locale::English));
        assert!(config.submissions.ends_with("submissions") && config.submissions.is_absolute());
        assert!(config.output.ends_with("out"));
        let names: Vec<&str> = config.references.iter().map(|reference| reference.name.as_str()).collect();
        assert_eq!(names, ["random", "staff"]);
        assert_eq!(config.references[0].bot.text, "random");
        assert!(Path::new(&config.references[1].bot.text).is_absolute());
        assert_eq!(config.games, Games { schedule: Some(Schedule::Swiss { rounds: 7 }), seeds: vec![3, 1, 4, 15, 9] });
        assert_eq!((config.time_ms, config.memory_mb, config.turns), (200, 64, 30));
        assert!(matches!(config.sandbox, Some(Tier::A)));
        let threshold = |reference: &str, at_least, grade| Threshold { reference: reference.to_owned(), at_least, grade };
        let thresholds = vec![threshold("staff", 2.5, 100.0), threshold("random", -5.0, 60.0)];
        assert_eq!(config.grading, Grading { measure: Measure::Low, otherwise: 10.0, thresholds });
    }

    #[test]
    fn built_in_bots_with_options() {
        let text = "submissions = \"submissions\"\nreferences = [\"sage --time 20\", \"sage --time 200\", \"sage\"]\n\
             [grades]\nthresholds = [{ bot = \"sage --time 200\", at_least = 0, grade = 90 }]";
        let config = parsed(text).unwrap();
        let names: Vec<&str> = config.references.iter().map(|reference| reference.name.as_str()).collect();
        assert_eq!(names, ["sage --time 20", "sage --time 200", "sage"]);
        assert_eq!(config.references[1].bot.text, "sage --time 200");
        assert_eq!(config.grading.thresholds[0].reference, "sage --time 200");
    }

    #[test]
    fn defaults() {
        let config = parsed(MINIMAL).unwrap();
        assert_eq!(config.language, Locale::Chinese);
        assert!(config.output.ends_with("results"));
        assert_eq!(config.games, Games { schedule: None, seeds: (1..=20).collect() });
        assert_eq!((config.time_ms, config.memory_mb, config.turns), (1000, 256, 100));
        assert!(matches!(config.sandbox, Some(Tier::B)), "submissions are sandboxed by default");
        assert_eq!(config.grading, Grading { measure: Measure::Estimate, otherwise: 0.0, thresholds: Vec::new() });
    }

    #[test]
    fn consecutive_seeds() {
        let config = parsed(&format!("{MINIMAL}[games]\nseeds = {{ first = 40, count = 3 }}")).unwrap();
        assert_eq!(config.games.seeds, [40, 41, 42]);
    }

    #[test]
    fn an_unknown_key() {
        check_error(
            &format!("{MINIMAL}[limits]\ntime_m = 5"),
            ", line 4: unknown key limits.time_m; did you mean time_ms? (known: time_ms, memory_mb, turns, sandbox, std, archives)",
        );
        check_error(
            "submission = \"here\"",
            ", line 1: unknown key submission; did you mean submissions? (known: name, language, submissions, output, \
             references, games, limits, grades)",
        );
    }

    #[test]
    fn an_unknown_word() {
        check_error(
            &format!("{MINIMAL}[games]\n\nschedule = \"swis\""),
            ", line 5: games.schedule: expected one of \"gauntlet\", \"swiss\", \"round-robin\", got \"swis\"",
        );
        check_error(&format!("{MINIMAL}language = 5"), ", line 3: language: expected one of \"zh\", \"en\", got 5");
    }

    #[test]
    fn a_missing_key() {
        check_error("references = [\"random\"]", ": missing key submissions; expected the folder with the submissions");
        check_error(
            &format!("{MINIMAL}[grades]\nthresholds = [\n{{ bot = \"greedy\", at_least = 1 }}]"),
            ", line 5: missing key grades.thresholds[1].grade; expected a number",
        );
    }

    #[test]
    fn unknown_references() {
        check_error(
            "submissions = \"submissions\"\nreferences = [\"gredy\"]",
            ", line 2: references[1]: no such file, and no built-in bot with this name: gredy; did you mean greedy? \
             (known: random, sample, greedy, hunter, sage)",
        );
        check_error(
            &format!("{MINIMAL}[grades]\nthresholds = [{{ bot = \"sample\", at_least = 1, grade = 60 }}]"),
            ", line 4: grades.thresholds[1].bot: sample is not a reference (known: random, greedy, staff.py)",
        );
        check_error("submissions = \"nowhere\"", ", line 1: submissions: no such folder: nowhere");
        check_error(
            "submissions = \"submissions\"\nreferences = [\"greedy\", \"greedy\"]",
            ", line 2: references[2]: there is another reference with the name greedy",
        );
        check_error(
            "submissions = \"submissions\"\nreferences = [\"greedy\", \"greedy --time 5\"]",
            ", line 2: references[2]: \"greedy --time 5\": greedy does not simulate: it takes neither a number of simulations nor a time",
        );
        check_error(
            "submissions = \"submissions\"\nreferences = [\"sage --time 0\"]",
            ", line 2: references[1]: \"sage --time 0\": --time: expected a whole number from 1 to 60000, got \"0\"",
        );
    }

    #[test]
    fn numbers_out_of_range() {
        check_error(
            &format!("{MINIMAL}[limits]\ntime_ms = 0"),
            ", line 4: limits.time_ms: expected a whole number from 1 to 600000, got 0",
        );
        check_error(
            &format!("{MINIMAL}[limits]\nmemory_mb = 1.5"),
            ", line 4: limits.memory_mb: expected a whole number from 1 to 1000000, got 1.5",
        );
        check_error(
            &format!("{MINIMAL}[grades]\notherwise = nan"),
            ", line 4: grades.otherwise: expected a number from 0 to 1000000, got nan",
        );
        check_error(
            &format!("{MINIMAL}[games]\nseeds = [1, 4294967296]"),
            ", line 4: games.seeds[2]: expected a whole number from -2147483648 to 4294967295, got 4294967296",
        );
        check_error(
            &format!("{MINIMAL}[games]\nseeds = [7, 7]"),
            ", line 4: games.seeds[2]: duplicate seed 7; its games count once",
        );
        check_error(
            &format!("{MINIMAL}[games]\nseeds = []"),
            ", line 4: games.seeds: expected a list of seeds or { first = 1, count = 20 }, got an empty list",
        );
        check_error(&format!("{MINIMAL}[games]\nrounds = 3"), ", line 4: games.rounds: only the schedule \"swiss\" has rounds");
    }

    #[test]
    fn an_output_folder_among_the_submissions() {
        check_error(
            "output = \"submissions/results\"\nsubmissions = \"submissions\"",
            ", line 2: submissions: the output folder submissions/results is in the folder of submissions; move it out",
        );
        assert!(parsed("submissions = \".\"").err().unwrap().to_string().contains("is in the folder of submissions"));
    }

    #[test]
    fn invalid_toml() {
        let message = parsed(&format!("{MINIMAL}name = \"half")).err().unwrap().to_string();
        assert!(message.starts_with("tournament.toml, line 3: invalid TOML: "), "{message}");
        assert_eq!(message.lines().count(), 1);
        let message = parsed("name = \"a\"\nname = \"b\"").err().unwrap().to_string();
        assert!(message.starts_with("tournament.toml, line 2: invalid TOML: ") && message.contains("duplicate"), "{message}");
    }
}
