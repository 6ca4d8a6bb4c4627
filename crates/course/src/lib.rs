//! The tournament of a class: from a folder of submissions to grades. `docs/CLASSES.md` describes its file.

#![deny(unsafe_code)]

#[macro_use(eprintln)]
extern crate pacman2_console;

mod admission;
mod config;
mod grades;
mod notes;
mod output;
mod pairings;
mod reasons;
mod rejections;
mod results;
pub mod single;
mod submissions;
mod toml_file;

use pacman2_console::stdout::stdout;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pacman2_arena::announce::PlannedRun;
use pacman2_arena::progress::EVENTS;
use pacman2_arena::runner::{PlayOptions, Runner};
use pacman2_arena::store::{lock_store, open_store, store_error};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::watchdog;
use pacman2_console::error::bad_input;
use pacman2_console::files;
use pacman2_console::interrupt::{INTERRUPTED, stop_on_interrupt};
use pacman2_console::json_output::labelled;
use pacman2_console::language::locale;
use pacman2_console::progress::Shown;
use pacman2_console::text::{fit_column, sanitize};
use pacman2_rules::Ruleset;
use pacman2_runner::Tier;
use pacman2_tournament::schedule::Plan;
use pacman2_tournament::store::{ArenaSettings, DATABASE};
use pacman2_tournament::{Block, BotId, BotVersion, Store};
use serde_json::json;

use admission::{Admission, Reports, Rules, check_tools};
use config::Config;
use grades::{AdmittedReference, Participant};
use output::OutputPaths;
use rejections::Rejections;
use results::Results;
use submissions::Submission;

/// The size limit of the file of a tournament.
const MAX_FILE_BYTES: u64 = 512 * 1024;

/// What a tournament is played with.
pub struct TournamentOptions {
    /// The TOML file of the tournament.
    pub file: PathBuf,
    /// Where games are played.
    pub play: PlayOptions,
    /// Whether to admit the submissions only, and to list what each was taken to be.
    pub check: bool,
    /// Whether submissions are tried again that an earlier run rejected.
    pub retry: bool,
    /// Whether to replace files that this program did not write.
    pub force: bool,
    /// Whether to print events as JSON.
    pub json: bool,
}

/// Runs a tournament: admits the submissions, plays the games, and writes grades, notes and a report.
///
/// # Errors
///
/// If something is wrong with the file or this machine; a bad submission is graded as such.
pub fn run(options: &TournamentOptions) -> anyhow::Result<ExitCode> {
    let reports = match shown(options).json {
        true => Reports::Events,
        false if options.check => Reports::Listed,
        false => Reports::Sentences,
    };
    with_admitted(options, reports, |admitted, store| {
        if options.check {
            pacman2_runner::sweep();
            admitted.list(reports)?;
            return Ok(ExitCode::SUCCESS);
        }
        let is_complete = admitted.play(store, options);
        pacman2_runner::sweep();
        if !is_complete? {
            return interrupted(reports);
        }
        let Admitted { config, paths, admission, references, participants, submissions, .. } = admitted;
        let results = Results { config, paths, commands: &admission.commands, json: shown(options).json };
        results.write(store, references, participants, submissions)?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Admits the submissions of a tournament, and gives `then` the tier that they need, the blocks of the games whose order is known,
/// and the plan of the others.
///
/// # Errors
///
/// As [`run`].
pub fn plan(
    options: &TournamentOptions,
    then: impl FnOnce(&Store, Option<Tier>, &mut dyn Iterator<Item = Block>, Option<&Plan>) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    with_admitted(options, Reports::OnStandardError, |admitted, store| {
        pacman2_runner::sweep();
        let (gauntlets, plan) = admitted.plans()?;
        then(store, admitted.policy.required(), &mut pairings::in_turns(&gauntlets).flatten(), plan.as_ref())
    })
}

/// Opens a tournament, and admits its submissions.
fn with_admitted(
    options: &TournamentOptions,
    reports: Reports,
    then: impl FnOnce(Admitted<'_>, &mut Store) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    if !options.file.is_file() {
        return Err(no_file(&options.file));
    }
    let config = config::parse(&options.file, &files::read_up_to(&options.file, MAX_FILE_BYTES)?)?;
    if config.output.to_str().is_none() {
        let output = config.output.display();
        return Err(bad_input(format!("{output}: expected a path in UTF-8 for the results; rename the folder")));
    }
    let names: Vec<&str> = config.references.iter().map(|reference| reference.name.as_str()).collect();
    let submissions = submissions::find(&config.submissions, &names, config.allow_archives)?;
    if submissions.is_empty() {
        return Err(bad_input(format!("{}: this folder contains no submissions", config.submissions.display())));
    }
    check_tools(&config, &submissions)?;
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    let policy = sandbox_policy(&config, options)?;
    let paths = OutputPaths::create(&config.output, &submissions, options.force)?;
    let mut store = open_or_create(&paths.arena, &config)?;
    let _lock = lock_store(&store)?;
    let stop = stop_on_interrupt()?;

    let mut rejections = Rejections::read(paths.rejections.clone(), policy.tier(), config.standard)?;
    if options.retry {
        rejections.clear();
    }
    let mut admission = Admission {
        rules: Rules { policy: &policy, standard: config.standard, entries: &paths.entries, stop: &stop },
        reports,
        commands: BTreeMap::new(),
        rejections,
        trial_times: Vec::new(),
    };
    let references = admission.admit_references(&mut store, &config)?;
    let Some(participants) = admission.admit_submissions(&mut store, &submissions)? else { return interrupted(reports) };

    let reference_bots: Vec<BotId> = references.iter().map(|reference| reference.bot).collect();
    let submitted_bots: Vec<BotId> =
        participants.iter().filter_map(|participant| participant.bot.as_ref().ok().copied()).collect();
    set_active(&mut store, &[&reference_bots[..], &submitted_bots].concat())?;
    let admitted = Admitted {
        config: &config,
        paths: &paths,
        policy: &policy,
        stop: &stop,
        admission: &admission,
        references: &references,
        participants: &participants,
        submissions: &submissions,
        players: [&reference_bots, &submitted_bots],
    };
    then(admitted, &mut store)
}

/// Returns why a path is not the file of a tournament. Of a folder, it names the file in it or beside it.
fn no_file(path: &Path) -> anyhow::Error {
    let shown = path.display();
    if !path.is_dir() {
        return bad_input(format!("{shown}: no such file; expected the TOML file of a tournament"));
    }
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    let files_in = |folder: &Path| folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let found = files_in(path).find(is_toml).or_else(|| files_in(files::folder_of(path)).find(is_toml));
    bad_input(match found {
        Some(file) => {
            format!(
                "{shown}: is a folder; expected the TOML file of a tournament; did you mean {}?",
                sanitize(&file.to_string_lossy())
            )
        }
        None => format!(
            "{shown}: is a folder; expected the TOML file of a tournament; \"pacman2 new NAME --class\" writes an example"
        ),
    })
}

/// Returns how the progress is shown.
fn shown(options: &TournamentOptions) -> Shown {
    Shown::from_options(options.json, options.play.elsewhere)
}

/// Returns the sandbox policy that the file requires: no sandbox if it trusts all submissions.
fn sandbox_policy(config: &Config, options: &TournamentOptions) -> anyhow::Result<SandboxPolicy> {
    let mut sandbox = options.play.sandbox.clone();
    sandbox.require_tier = sandbox.require_tier.or(config.sandbox);
    if sandbox.require_tier.is_none() {
        sandbox.trust.push("all".to_owned());
    }
    let policy = SandboxPolicy::new(sandbox);
    policy.sandbox_for("submissions", false).map_err(|error| {
        bad_input(format!("{}: cannot sandbox the submissions as limits.sandbox requires: {error:#}", options.file.display()))
    })?;
    Ok(policy)
}

/// Opens the arena of the tournament, or creates it on the first run.
///
/// # Errors
///
/// If an earlier run had other limits.
fn open_or_create(folder: &Path, config: &Config) -> anyhow::Result<Store> {
    let ruling = Ruleset::default().forfeit_ruling;
    let expected = ArenaSettings { time_ms: config.time_ms, memory_mb: config.memory_mb, turns: config.turns, ruling };
    if !folder.join(DATABASE).exists() {
        return Store::create(folder, &expected).map_err(store_error);
    }
    let store = open_store(folder)?;
    let stored = store.settings()?;
    if stored == expected {
        return Ok(store);
    }
    let limits =
        |settings: &ArenaSettings| format!("{} ms, {} MB and {} turns", settings.time_ms, settings.memory_mb, settings.turns);
    Err(bad_input(format!(
        "{}: its games were played with {}, but the limits are {} now; choose another output folder",
        folder.display(),
        limits(&stored),
        limits(&expected)
    )))
}

/// Retires all bots but these: former participants and older versions have no place in the table.
fn set_active(store: &mut Store, players: &[BotId]) -> anyhow::Result<()> {
    for bot in store.bots()? {
        let plays = players.contains(&bot.id);
        if bot.is_active != plays {
            store.set_active(bot.id, plays)?;
        }
    }
    Ok(())
}

/// A tournament whose submissions were admitted or rejected.
struct Admitted<'a> {
    config: &'a Config,
    paths: &'a OutputPaths,
    policy: &'a SandboxPolicy,
    stop: &'a Arc<AtomicBool>,
    admission: &'a Admission<'a>,
    references: &'a [AdmittedReference],
    participants: &'a [Participant],
    submissions: &'a [Submission],
    /// The references and the submissions that play.
    players: [&'a [BotId]; 2],
}

impl Admitted<'_> {
    /// Prints what each submission was taken to be, and whether it can play.
    fn list(&self, reports: Reports) -> io::Result<()> {
        let mut out = stdout();
        if reports == Reports::Events {
            return writeln!(out, "{}", labelled(EVENTS, json!({ "event": "end", "finished": true })));
        }
        for participant in self.participants {
            let (name, taken) = (fit_column(&sanitize(&participant.name), 24), sanitize(&participant.taken.words()));
            match &participant.bot {
                Ok(_) => writeln!(out, "{name}  {taken}: can play")?,
                Err(rejection) => {
                    let [what, evidence] =
                        [rejection.reason.words(), rejection.evidence()].map(|words| words.in_language(locale()));
                    writeln!(out, "{name}  {taken}: {what}; not admitted: {evidence}")?;
                }
            }
        }
        let [_, submissions] = self.players;
        writeln!(out, "{} of {} submissions can play; no games were played", submissions.len(), self.participants.len())
    }

    /// Returns the games of each submission against the references, and those of the submissions among themselves.
    fn plans(&self) -> anyhow::Result<(Vec<Plan>, Option<Plan>)> {
        let ([references, submissions], games) = (self.players, &self.config.games);
        let gauntlets = pairings::against_references(references, submissions, &games.seeds)?;
        Ok((gauntlets, pairings::among_submissions(games.schedule, submissions, &games.seeds)?))
    }

    /// Plays all games. Returns `false` if it was interrupted.
    fn play(&self, store: &mut Store, options: &TournamentOptions) -> anyhow::Result<bool> {
        let (gauntlets, plan) = self.plans()?;
        let bots = store.bots()?;
        let players: Vec<&BotVersion> = bots.iter().filter(|bot| bot.is_active).collect();
        let mut runner = Runner::new(store, self.policy, &players, &options.play, self.stop)?;
        let (shown, trials) = (shown(options), &self.admission.trial_times);
        let planned = PlannedRun { plans: gauntlets.iter().chain(&plan).collect(), trials, json: shown.json };
        planned.announce(&runner, store)?;
        let mut progress = planned.progress(&runner, store, shown)?;
        if !runner.run_all(store, pairings::in_turns(&gauntlets).flatten(), &mut progress)? {
            return Ok(false);
        }
        plan.map_or(Ok(true), |plan| runner.run_plan(store, &plan, &mut progress))
    }
}

fn interrupted(reports: Reports) -> anyhow::Result<ExitCode> {
    match reports {
        Reports::Events => writeln!(stdout(), "{}", labelled(EVENTS, json!({ "event": "end", "finished": false })))?,
        Reports::Sentences => writeln!(stdout(), "Interrupted, without grades; run the same command to continue.")?,
        Reports::OnStandardError | Reports::Listed => eprintln!("Interrupted; run the same command to continue."),
    }
    Ok(INTERRUPTED.into())
}
