//! `tournament.toml`: what a course wants to be played.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use pacman2_bots::BUILT_IN;

use super::door::{Document, Field, Section, hint};
use crate::args::RequiredTier;
use crate::built_in;

/// A tournament, as its file describes it. Paths that were relative to the file are not any more.
#[derive(Debug)]
pub(crate) struct Config {
    /// What the course calls it.
    pub(crate) name: String,
    /// What the course speaks first.
    pub(crate) language: Language,
    /// The folder in which submissions lie.
    pub(crate) submissions: PathBuf,
    /// The folder into which everything is written.
    pub(crate) output: PathBuf,
    /// Whom submissions are measured against.
    pub(crate) references: Vec<Reference>,
    /// What is played.
    pub(crate) games: Games,
    /// Milliseconds for an answer, which a bot's language multiplies.
    pub(crate) time_ms: u64,
    /// Megabytes for a bot.
    pub(crate) memory_mb: u64,
    /// The weakest sandbox that will do; `None` if every submission is trusted.
    pub(crate) sandbox: Option<RequiredTier>,
    /// From points to grades.
    pub(crate) grading: Grading,
}

/// One of the two languages in which all is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    Chinese,
    English,
}

/// A bot that the course brings along.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Reference {
    /// What it is called in tables.
    pub(crate) name: String,
    /// How it would be typed: a built-in bot or a path.
    pub(crate) typed: String,
}

/// What is played.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Games {
    /// Who meets whom beside the references.
    pub(crate) schedule: Schedule,
    /// The maps.
    pub(crate) seeds: Vec<i32>,
}

/// Who meets whom. Every submission meets the references in any case, for its grade comes from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Schedule {
    /// Nobody else.
    Gauntlet,
    /// Submissions of about the same strength meet, in so many rounds.
    Swiss { rounds: u32 },
    /// All fours of submissions meet.
    RoundRobin,
}

/// From points to grades.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Grading {
    /// What is held against a threshold.
    pub(crate) measure: Measure,
    /// The grade of a bot that plays and reaches no threshold.
    pub(crate) otherwise: f64,
    /// The thresholds, the highest grade first.
    pub(crate) thresholds: Vec<Threshold>,
}

/// What is held against a threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    /// The mean itself.
    Estimate,
    /// The lower end of its 95 % interval: in doubt there is no grade.
    Low,
}

/// What it takes to get a grade.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Threshold {
    /// The name of the reference.
    pub(crate) reference: String,
    /// How many points more than it, in the mean of the games in which both sat; fewer if negative.
    pub(crate) at_least: f64,
    /// The grade.
    pub(crate) grade: f64,
}

const SECTIONS: [&str; 8] = ["name", "language", "submissions", "output", "references", "games", "limits", "grades"];
const MOST_SEEDS: i64 = 100_000;
const POINTS: RangeInclusive<f64> = -200.0..=200.0;
const GRADES: RangeInclusive<f64> = 0.0..=1_000_000.0;

/// Reads the text of the file at that path.
pub(crate) fn parse(path: &Path, text: &str) -> anyhow::Result<Config> {
    let document = Document::read(path, text)?;
    let file = document.section(&SECTIONS)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let language = file.get("language").map(|field| field.one_of(&[("zh", Language::Chinese), ("en", Language::English)]));
    let output = file.get("output").map(|field| field.text("a folder to write to")).transpose()?;
    let submissions = existing_folder(&file.require("submissions", "the folder in which they lie")?, folder)?;
    let output = folder.join(output.unwrap_or("results"));
    if output.starts_with(&submissions) {
        let why = format!("{} lies in the folder of submissions, and would be one of them", output.display());
        return Err(file.require("submissions", "a folder")?.refuse(&why));
    }
    let (references, typed) = references(&file, folder)?;
    Ok(Config {
        name: file.get("name").map_or(Ok("Pacman2"), |field| field.text("what the course is called"))?.to_owned(),
        language: language.unwrap_or(Ok(Language::Chinese))?,
        submissions,
        output,
        games: games(&file)?,
        time_ms: limit(&file, "time_ms", 1..=600_000)?.unwrap_or(1000),
        memory_mb: limit(&file, "memory_mb", 1..=1_000_000)?.unwrap_or(256),
        sandbox: sandbox(&file)?,
        grading: grading(&file, &references, &typed)?,
        references,
    })
}

fn existing_folder(field: &Field<'_>, folder: &Path) -> anyhow::Result<PathBuf> {
    let path = folder.join(field.text("a folder")?);
    if path.is_dir() { Ok(path) } else { Err(field.refuse(&format!("there is no folder {}", path.display()))) }
}

/// The references, and how each is called in the file.
fn references<'t>(file: &Section<'t>, folder: &Path) -> anyhow::Result<(Vec<Reference>, Vec<&'t str>)> {
    const WHAT: &str = "a list of built-in bots and files, such as [\"random\", \"greedy\", \"staff/bot.cpp\"]";
    let field = file.require("references", WHAT)?;
    let items = field.items(WHAT)?;
    if items.is_empty() {
        return Err(field.wanted(WHAT));
    }
    let mut references: Vec<Reference> = Vec::new();
    let mut typed = Vec::new();
    for item in items {
        let text = item.text("a built-in bot or a file")?;
        let reference = reference(text, folder).map_err(|why| item.refuse(&why))?;
        if references.iter().any(|other| other.name == reference.name) {
            return Err(item.refuse(&format!("there is a reference called {} already", reference.name)));
        }
        references.push(reference);
        typed.push(text);
    }
    Ok((references, typed))
}

fn reference(text: &str, folder: &Path) -> Result<Reference, String> {
    let typed = built_in::from_folder(text, folder);
    if let Some(chosen) = built_in::read(&typed) {
        chosen.map_err(|why| why.to_string())?;
        return Ok(Reference { name: text.to_owned(), typed });
    }
    let path = folder.join(text);
    if !path.is_file() {
        let hint = hint(text, &BUILT_IN.map(|bot| bot.name));
        return Err(format!("there is no file {}, and no built-in bot of that name{hint}", path.display()));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Reference { name, typed: path.to_string_lossy().into_owned() })
}

fn games(file: &Section<'_>) -> anyhow::Result<Games> {
    const WHAT: &str = "a table with schedule, rounds, seeds";
    let Some(field) = file.get("games") else {
        return Ok(Games { schedule: Schedule::Gauntlet, seeds: seeds(None)? });
    };
    let section = field.section(WHAT, &["schedule", "rounds", "seeds"])?;
    let rounds = section.get("rounds");
    let words =
        [("gauntlet", Schedule::Gauntlet), ("swiss", Schedule::Swiss { rounds: 5 }), ("round-robin", Schedule::RoundRobin)];
    let mut schedule = section.get("schedule").map_or(Ok(Schedule::Gauntlet), |field| field.one_of(&words))?;
    match (&mut schedule, rounds) {
        (Schedule::Swiss { rounds }, Some(field)) => *rounds = field.whole(1..=1000)? as u32,
        (_, Some(field)) => return Err(field.refuse("only the schedule \"swiss\" has rounds")),
        (_, None) => {}
    }
    Ok(Games { schedule, seeds: seeds(section.get("seeds"))? })
}

fn seeds(field: Option<Field<'_>>) -> anyhow::Result<Vec<i32>> {
    const WHAT: &str = "a list of seeds or { first = 1, count = 20 }";
    let Some(field) = field else { return Ok((1..=20).collect()) };
    if !field.is_list() {
        let section = field.section(WHAT, &["first", "count"])?;
        let first = section.get("first").map_or(Ok(1), |field| field.whole(0..=i64::from(i32::MAX) - MOST_SEEDS))?;
        let count = section.require("count", "how many seeds")?.whole(1..=MOST_SEEDS)?;
        return Ok((first..first + count).map(|seed| seed as i32).collect());
    }
    let mut seeds: Vec<i32> = Vec::new();
    for item in field.items(WHAT)? {
        let seed = item.whole(0..=i64::from(i32::MAX))? as i32;
        if seeds.contains(&seed) {
            return Err(item.refuse(&format!("the seed {seed} stands there twice, and its games would count once")));
        }
        seeds.push(seed);
    }
    if seeds.is_empty() { Err(field.wanted(WHAT)) } else { Ok(seeds) }
}

const LIMITS: &str = "a table with time_ms, memory_mb, sandbox";

fn limits_section<'t>(file: &Section<'t>) -> anyhow::Result<Option<Section<'t>>> {
    file.get("limits").map(|field| field.section(LIMITS, &["time_ms", "memory_mb", "sandbox"])).transpose()
}

fn limit(file: &Section<'_>, key: &str, range: RangeInclusive<i64>) -> anyhow::Result<Option<u64>> {
    let field = limits_section(file)?.and_then(|section| section.get(key));
    Ok(field.map(|field| field.whole(range)).transpose()?.map(i64::unsigned_abs))
}

/// Submissions are strangers' programs: without a word on it, they are not run without a sandbox.
fn sandbox(file: &Section<'_>) -> anyhow::Result<Option<RequiredTier>> {
    let words = [("A", Some(RequiredTier::A)), ("B", Some(RequiredTier::B)), ("none", None)];
    let field = limits_section(file)?.and_then(|section| section.get("sandbox"));
    field.map_or(Ok(Some(RequiredTier::B)), |field| field.one_of(&words))
}

fn grading(file: &Section<'_>, references: &[Reference], typed: &[&str]) -> anyhow::Result<Grading> {
    const WHAT: &str = "a table with measure, otherwise, thresholds";
    let Some(field) = file.get("grades") else {
        return Ok(Grading { measure: Measure::Estimate, otherwise: 0.0, thresholds: Vec::new() });
    };
    let section = field.section(WHAT, &["measure", "otherwise", "thresholds"])?;
    let words = [("estimate", Measure::Estimate), ("low", Measure::Low)];
    let measure = section.get("measure").map_or(Ok(Measure::Estimate), |field| field.one_of(&words))?;
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
    let at = at.ok_or_else(|| bot.refuse(&format!("{text} is none of the references{}", hint(text, typed))))?;
    Ok(Threshold {
        reference: references[at].name.clone(),
        at_least: section.require("at_least", "how many points more than the reference")?.number(POINTS)?,
        grade: section.require("grade", "what it is worth")?.number(GRADES)?,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The file, in a folder in which there are submissions and a bot of the staff's.
    fn parsed(text: &str) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("submissions")).unwrap();
        fs::write(folder.path().join("staff.py"), "").unwrap();
        let path = folder.path().join("tournament.toml");
        let told = |error: anyhow::Error| error.to_string().replace(&format!("{}/", folder.path().display()), "");
        parse(&path, text).map_err(told)
    }

    #[track_caller]
    fn check_refused(text: &str, complaint: &str) {
        assert_eq!(parsed(text).unwrap_err(), format!("tournament.toml{complaint}"));
    }

    const LEAST: &str = "submissions = \"submissions\"\nreferences = [\"random\", \"greedy\", \"staff.py\"]\n";

    #[test]
    fn a_whole_file() {
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
            seeds = [3, 1]
            [limits]
            time_ms = 200
            memory_mb = 64
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
        assert_eq!((config.name.as_str(), config.language), ("程序设计 2026", Language::English));
        assert!(config.submissions.ends_with("submissions") && config.submissions.is_absolute());
        assert!(config.output.ends_with("out"));
        let names: Vec<&str> = config.references.iter().map(|reference| reference.name.as_str()).collect();
        assert_eq!(names, ["random", "staff"]);
        assert_eq!(config.references[0].typed, "random");
        assert!(Path::new(&config.references[1].typed).is_absolute());
        assert_eq!(config.games, Games { schedule: Schedule::Swiss { rounds: 7 }, seeds: vec![3, 1] });
        assert_eq!((config.time_ms, config.memory_mb), (200, 64));
        assert!(matches!(config.sandbox, Some(RequiredTier::A)));
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
        assert_eq!(config.references[1].typed, "sage --time 200");
        assert_eq!(config.grading.thresholds[0].reference, "sage --time 200");
    }

    #[test]
    fn what_is_left_out() {
        let config = parsed(LEAST).unwrap();
        assert_eq!(config.language, Language::Chinese);
        assert!(config.output.ends_with("results"));
        assert_eq!(config.games, Games { schedule: Schedule::Gauntlet, seeds: (1..=20).collect() });
        assert_eq!((config.time_ms, config.memory_mb), (1000, 256));
        assert!(matches!(config.sandbox, Some(RequiredTier::B)), "strangers are shut in");
        assert_eq!(config.grading, Grading { measure: Measure::Estimate, otherwise: 0.0, thresholds: Vec::new() });
    }

    #[test]
    fn seeds_from_a_first_one() {
        let config = parsed(&format!("{LEAST}[games]\nseeds = {{ first = 40, count = 3 }}")).unwrap();
        assert_eq!(config.games.seeds, [40, 41, 42]);
    }

    #[test]
    fn a_mistyped_name() {
        check_refused(
            &format!("{LEAST}[limits]\ntime_m = 5"),
            ", line 4: limits.time_m is no known name; did you mean time_ms? (known are time_ms, memory_mb, sandbox)",
        );
        check_refused(
            "submission = \"here\"",
            ", line 1: submission is no known name; did you mean submissions? (known are name, language, submissions, output, \
             references, games, limits, grades)",
        );
    }

    #[test]
    fn a_mistyped_word() {
        check_refused(
            &format!("{LEAST}[games]\n\nschedule = \"swis\""),
            ", line 5: games.schedule: one of \"gauntlet\", \"swiss\", \"round-robin\" is wanted, not \"swis\"",
        );
        check_refused(&format!("{LEAST}language = 5"), ", line 3: language: one of \"zh\", \"en\" is wanted, not 5");
    }

    #[test]
    fn what_is_missing() {
        check_refused("references = [\"random\"]", ": submissions is missing: the folder in which they lie");
        check_refused(
            &format!("{LEAST}[grades]\nthresholds = [\n{{ bot = \"greedy\", at_least = 1 }}]"),
            ", line 5: grades.thresholds[1].grade is missing: what it is worth",
        );
    }

    #[test]
    fn bots_that_are_not_there() {
        check_refused(
            "submissions = \"submissions\"\nreferences = [\"gredy\"]",
            ", line 2: references[1]: there is no file gredy, and no built-in bot of that name; did you mean greedy? \
             (known are random, sample, greedy, hunter, sage)",
        );
        check_refused(
            &format!("{LEAST}[grades]\nthresholds = [{{ bot = \"sample\", at_least = 1, grade = 60 }}]"),
            ", line 4: grades.thresholds[1].bot: sample is none of the references (known are random, greedy, staff.py)",
        );
        check_refused("submissions = \"nowhere\"", ", line 1: submissions: there is no folder nowhere");
        check_refused(
            "submissions = \"submissions\"\nreferences = [\"greedy\", \"greedy\"]",
            ", line 2: references[2]: there is a reference called greedy already",
        );
        check_refused(
            "submissions = \"submissions\"\nreferences = [\"greedy\", \"greedy --time 5\"]",
            ", line 2: references[2]: \"greedy --time 5\": greedy does not simulate: it takes neither --simulations nor --time",
        );
        check_refused(
            "submissions = \"submissions\"\nreferences = [\"sage --time 0\"]",
            ", line 2: references[1]: \"sage --time 0\": invalid value '0' for '--time <MS>': 0 is not in 1..=60000",
        );
    }

    #[test]
    fn numbers_out_of_range() {
        check_refused(
            &format!("{LEAST}[limits]\ntime_ms = 0"),
            ", line 4: limits.time_ms: a whole number from 1 to 600000 is wanted, not 0",
        );
        check_refused(
            &format!("{LEAST}[limits]\nmemory_mb = 1.5"),
            ", line 4: limits.memory_mb: a whole number from 1 to 1000000 is wanted, not 1.5",
        );
        check_refused(
            &format!("{LEAST}[grades]\notherwise = nan"),
            ", line 4: grades.otherwise: a number from 0 to 1000000 is wanted, not nan",
        );
        check_refused(
            &format!("{LEAST}[games]\nseeds = [1, 2147483648]"),
            ", line 4: games.seeds[2]: a whole number from 0 to 2147483647 is wanted, not 2147483648",
        );
        check_refused(
            &format!("{LEAST}[games]\nseeds = [7, 7]"),
            ", line 4: games.seeds[2]: the seed 7 stands there twice, and its games would count once",
        );
        check_refused(
            &format!("{LEAST}[games]\nseeds = []"),
            ", line 4: games.seeds: a list of seeds or { first = 1, count = 20 } is wanted, not an empty list",
        );
        check_refused(&format!("{LEAST}[games]\nrounds = 3"), ", line 4: games.rounds: only the schedule \"swiss\" has rounds");
    }

    #[test]
    fn results_among_the_submissions() {
        check_refused(
            "output = \"submissions/results\"\nsubmissions = \"submissions\"",
            ", line 2: submissions: submissions/results lies in the folder of submissions, and would be one of them",
        );
        assert!(parsed("submissions = \".\"").unwrap_err().contains("would be one of them"));
    }

    #[test]
    fn what_is_not_toml() {
        let told = parsed(&format!("{LEAST}name = \"half")).unwrap_err();
        assert!(told.starts_with("tournament.toml, line 3: this is not TOML: "), "{told}");
        assert_eq!(told.lines().count(), 1);
        let told = parsed("name = \"a\"\nname = \"b\"").unwrap_err();
        assert!(told.starts_with("tournament.toml, line 2: this is not TOML: ") && told.contains("duplicate"), "{told}");
    }
}
