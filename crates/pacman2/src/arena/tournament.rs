//! `pacman2 arena tournament`: from a folder of submissions to grades.

mod config;
mod door;
mod grades;
mod notes;
mod submissions;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use config::{Config, Schedule};
use grades::{Graded, Opponent, Participant, Refusal, Stage};
use notes::{Case, Incident};
use pacman2_match::referee::AskMode;
use pacman2_rules::{ForfeitRuling, Seat};
use pacman2_runner::{Language, Launch};
use pacman2_tournament::schedule::{self, Plan};
use pacman2_tournament::store::{ArenaSettings, DATABASE, Filter};
use pacman2_tournament::{Block, BotId, BotVersion, GameResult, Store};
use serde_json::{Value, json};
use submissions::{InBoth, Submission};

use super::args::TournamentArgs;
use super::entry::{Candidate, Entry};
use super::progress::Progress;
use super::run::{Hall, Pace};
use super::{export, hall, list, stand_guard, take_turn};
use crate::args::SandboxArgs;
use crate::board::{fit_exactly, harmless};
use crate::failure::{BadInput, bad_input};
use crate::play::{INTERRUPTED, stop_on_interrupt};
use crate::sandbox::Guard;
use crate::seats::find_in_path;
use crate::{compile, files};

/// As many digits of a game's id as tell it from others.
const GAME_DIGITS: usize = 12;

pub(crate) fn run(args: &TournamentArgs) -> anyhow::Result<ExitCode> {
    if !args.file.is_file() {
        return Err(bad_input(format!("{}: there is no such file; a tournament's TOML file is wanted", args.file.display())));
    }
    let config = config::parse(&args.file, &files::read(&args.file)?)?;
    let names: Vec<&str> = config.references.iter().map(|reference| reference.name.as_str()).collect();
    let submissions = submissions::find(&config.submissions, &names)?;
    if submissions.is_empty() {
        return Err(bad_input(format!("{}: there is nothing in this folder", config.submissions.display())));
    }
    check_tools(&config, &submissions)?;
    if let Some(code) = stand_guard(true)? {
        return Ok(code);
    }
    let guard = guard(&config, args)?;
    let folders = Folders::make(&config.output)?;
    let mut store = open_store(&folders.arena, &config)?;
    let _turn = take_turn(&store)?;
    let stop = stop_on_interrupt()?;
    let mut course = Course { config: &config, folders: &folders, guard: &guard, args, typed: BTreeMap::new() };

    let opponents = course.enter_references(&mut store)?;
    let Some(participants) = course.enter_all(&mut store, &submissions, &stop)? else { return course.stopped() };
    let field: Vec<BotId> = participants.iter().filter_map(|participant| participant.entered.clone().ok()).collect();
    retire_others(&mut store, &opponents, &field)?;
    let is_whole = course.play(&mut store, &opponents, &field, &stop);
    pacman2_runner::sweep();
    if !is_whole? {
        return course.stopped();
    }
    course.conclude(&store, &opponents, &participants, &submissions)?;
    Ok(ExitCode::SUCCESS)
}

/// Without a language's tool all its submissions would fail, and none of them could help it.
fn check_tools(config: &Config, submissions: &[Submission]) -> anyhow::Result<()> {
    let bots = submissions.iter().filter_map(|submission| submission.bot.as_deref().ok());
    for bot in bots.chain(config.references.iter().map(|reference| Path::new(&reference.typed))) {
        let tools = tools_for(bot);
        let is_there = tools.is_empty() || tools.iter().any(|tool| find_in_path(OsStr::new(tool)).is_some());
        if !is_there {
            let (bot, tools) = (harmless(&bot.display().to_string()), tools.join(" or "));
            return Err(bad_input(format!("{bot} needs {tools}, which this machine has not; nothing was played")));
        }
    }
    Ok(())
}

fn tools_for(bot: &Path) -> &'static [&'static str] {
    match Language::of_file(bot).map(Language::launch) {
        Some(Launch::Compiler(compiler)) if compile::chosen(compiler).is_some() => &[],
        Some(launch) => launch.tools(),
        None => &[],
    }
}

/// The sandbox that the file demands, or none if it trusts everybody.
fn guard(config: &Config, args: &TournamentArgs) -> anyhow::Result<Guard> {
    let mut sandbox: SandboxArgs = args.play.sandbox.clone();
    sandbox.require_tier = sandbox.require_tier.or(config.sandbox);
    if sandbox.require_tier.is_none() {
        sandbox.trust.push("all".to_owned());
    }
    let guard = Guard::new(&sandbox);
    guard.sandbox_for("submissions", false).map_err(|why| {
        bad_input(format!("{}: the submissions cannot be shut in as limits.sandbox wants: {why:#}", args.file.display()))
    })?;
    Ok(guard)
}

/// What is written.
struct Folders {
    arena: PathBuf,
    /// Copies of the submissions: what is judged stays what it is while somebody hands in again.
    entries: PathBuf,
    notes: PathBuf,
    report: PathBuf,
    csv: PathBuf,
}

impl Folders {
    fn make(output: &Path) -> anyhow::Result<Folders> {
        let folders = Folders {
            arena: output.join("arena"),
            entries: output.join("entries"),
            notes: output.join("notes"),
            report: output.join("report.html"),
            csv: output.join("grades.csv"),
        };
        for folder in [&folders.entries, &folders.notes] {
            fs::create_dir_all(folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        }
        for file in [&folders.report, &folders.csv] {
            files::check_writable(file)?;
        }
        Ok(folders)
    }
}

/// The arena of the tournament: a new one, or that of an earlier run on the same terms.
fn open_store(folder: &Path, config: &Config) -> anyhow::Result<Store> {
    let pacman2_rules::Ruleset { turn_limit: turns, .. } = pacman2_rules::Ruleset::default();
    let ruling = ForfeitRuling::Sample.name().to_owned();
    let wanted = ArenaSettings { time_ms: config.time_ms, memory_mb: config.memory_mb, turns, ruling };
    if !folder.join(DATABASE).exists() {
        return Store::create(folder, &wanted).map_err(bad_input);
    }
    let store = super::open(folder)?;
    let kept = store.settings()?;
    if kept == wanted {
        return Ok(store);
    }
    let terms = |settings: &ArenaSettings| format!("{} ms and {} MB", settings.time_ms, settings.memory_mb);
    Err(bad_input(format!(
        "{}: games were played here with {}, and limits are {} now; name another output folder",
        folder.display(),
        terms(&kept),
        terms(&wanted)
    )))
}

/// The tournament, as far as it is known before it is played.
struct Course<'a> {
    config: &'a Config,
    folders: &'a Folders,
    guard: &'a Guard,
    args: &'a TournamentArgs,
    /// How each bot would be typed to play it again.
    typed: BTreeMap<BotId, String>,
}

impl Course<'_> {
    fn enter_references(&mut self, store: &mut Store) -> anyhow::Result<Vec<Opponent>> {
        let mut opponents = Vec::new();
        for reference in &self.config.references {
            let entry = Entry { text: &reference.typed, name: Some(&reference.name), ..Entry::default() };
            let failed = || format!("the reference {} cannot play", reference.typed);
            let candidate = Candidate::find(store, self.guard, &entry).with_context(failed)?;
            candidate.try_out(store, self.guard).with_context(failed)?;
            let bot = candidate.keep(store)?;
            self.typed.insert(bot.id, reference.typed.clone());
            opponents.push(Opponent { name: reference.name.clone(), bot: bot.id });
        }
        Ok(opponents)
    }

    /// Checks, compiles and tries out every submission; `None` if it was stopped.
    fn enter_all(
        &mut self,
        store: &mut Store,
        submissions: &[Submission],
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Vec<Participant>>> {
        let mut participants = Vec::new();
        for submission in submissions {
            let entered = self.enter(store, submission)?;
            // What was interrupted proves nothing.
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            self.tell_entry(&submission.name, &entered)?;
            participants.push(Participant { name: submission.name.clone(), entered });
        }
        Ok(Some(participants))
    }

    /// Has a submission enter. What is wrong with it is its own affair; what is wrong with us is an error.
    fn enter(&mut self, store: &mut Store, submission: &Submission) -> anyhow::Result<Result<BotId, Refusal>> {
        let source = match &submission.bot {
            Ok(source) => source,
            Err(why) => return Ok(Err(Refusal { stage: Stage::NoBot, why: why.clone() })),
        };
        if let Err(error) = fs::File::open(source) {
            let why = InBoth::new(format!("无法读取：{error}"), format!("it cannot be read: {error}"));
            return Ok(Err(Refusal { stage: Stage::NoBot, why }));
        }
        let copy = self.copied(source, &submission.name)?;
        let text = copy.to_str().context("a submission's name is UTF-8")?;
        let entry = Entry { text, name: Some(&submission.name), ..Entry::default() };
        let is_source = matches!(Language::of_file(source).map(Language::launch), Some(Launch::Compiler(_)));
        let at_find = if is_source { Stage::DoesNotCompile } else { Stage::CannotRun };
        let refused = |stage, error: anyhow::Error| -> anyhow::Result<Result<BotId, Refusal>> {
            if error.downcast_ref::<BadInput>().is_none() {
                return Err(error.context(format!("{} cannot be entered", harmless(&submission.name))));
            }
            // Where it was copied to is of no use to its author.
            let folder = format!("{}{}", copy.parent().unwrap_or(Path::new("")).display(), std::path::MAIN_SEPARATOR);
            let why = format!("{error:#}").replace(&folder, "");
            Ok(Err(Refusal { stage, why: InBoth::new(why.clone(), why) }))
        };
        let candidate = match Candidate::find(store, self.guard, &entry) {
            Ok(candidate) => candidate,
            Err(error) => return refused(at_find, error),
        };
        // Nobody is refused for a moment in which this machine had no time: a second trial decides.
        let tried = candidate.try_out(store, self.guard).or_else(|_| candidate.try_out(store, self.guard));
        if let Err(error) = tried {
            return refused(Stage::FailsTrial, error);
        }
        let bot = candidate.keep(store)?;
        self.typed.insert(bot.id, source.to_string_lossy().into_owned());
        Ok(Ok(bot.id))
    }

    /// The bot alone, without the files beside it: it is played from a copy.
    fn copied(&self, source: &Path, name: &str) -> anyhow::Result<PathBuf> {
        let folder = self.folders.entries.join(name);
        let copy = folder.join(source.file_name().unwrap_or_default());
        let written = || format!("{} cannot be copied to {}", source.display(), copy.display());
        fs::create_dir_all(&folder).with_context(written)?;
        // An earlier copy may be write-protected, as a submission may be.
        if copy.exists() {
            fs::remove_file(&copy).with_context(written)?;
        }
        fs::copy(source, &copy).with_context(written)?;
        Ok(copy)
    }

    fn tell_entry(&self, name: &str, entered: &Result<BotId, Refusal>) -> io::Result<()> {
        if self.args.json {
            let status = entered.as_ref().err().map_or("ok", |refusal| refusal.stage.key());
            let event = json!({ "event": "entry", "name": name, "status": status });
            return writeln!(io::stdout(), "{event}");
        }
        match entered {
            Ok(_) => Ok(()),
            Err(refusal) => writeln!(io::stdout(), "{}: {}, so it does not play", harmless(name), refusal.stage.words().en),
        }
    }

    /// Plays all that the file asks for; `false` if it was stopped.
    fn play(&self, store: &mut Store, opponents: &[Opponent], field: &[BotId], stop: &Arc<AtomicBool>) -> anyhow::Result<bool> {
        let seeds = &self.config.games.seeds;
        let gauntlets = gauntlets(opponents, field, seeds)?;
        let among = among_themselves(self.config.games.schedule, field, seeds)?;
        let all = store.bots()?;
        let players: Vec<&BotVersion> = all.iter().filter(|bot| bot.is_active).collect();
        let hall: Hall<'_> = hall(store, self.guard, &players, self.args.play.games_at_once, stop)?;
        let games = 4 * gauntlets.len() + among.as_ref().map_or(0, Plan::games);
        let mut progress = Progress::new(&all, Some(games), self.args.json);
        if hall.play_blocks(store, &gauntlets, &mut progress)?.is_none() {
            return Ok(false);
        }
        among.map_or(Ok(true), |plan| hall.play_plan(store, &plan, &mut progress))
    }

    fn stopped(&self) -> anyhow::Result<ExitCode> {
        if self.args.json {
            writeln!(io::stdout(), "{}", json!({ "event": "end", "finished": false }))?;
        } else {
            writeln!(io::stdout(), "Stopped; the same command goes on. There are no grades yet.")?;
        }
        Ok(INTERRUPTED.into())
    }

    /// Grades, and writes everything.
    fn conclude(
        &self,
        store: &Store,
        opponents: &[Opponent],
        participants: &[Participant],
        submissions: &[Submission],
    ) -> anyhow::Result<()> {
        let Config { grading, language, .. } = self.config;
        let games = store.games(&Filter::default())?;
        let standings = list::standings_of(store, &games, false)?;
        let graded = grades::grade(participants, opponents, &standings, grading);
        let report = self.folders.report.display().to_string();
        let mut sentences = Vec::new();
        for (graded, submission) in graded.iter().zip(submissions) {
            let incident = self.first_forfeit(store, &games, graded)?;
            let try_it = self.trial(submission);
            let case = Case { graded, grading, incident: incident.as_ref(), try_it: &try_it, report: &report };
            let path = self.folders.notes.join(format!("{}.md", submission.name));
            files::write(&path, &notes::note(&case, *language))?;
            sentences.push(notes::sentence(&case));
        }
        let told = grades::for_page(&graded, &sentences);
        export::write_report(store, &self.folders.report, told.as_array().map_or(&[], Vec::as_slice))?;
        // The grades last: where they are, all else is.
        files::write(&self.folders.csv, &grades::csv(&graded, opponents, *language))?;
        if self.args.json { self.tell_end(&told) } else { self.print(&graded) }
    }

    fn tell_end(&self, grades: &Value) -> anyhow::Result<()> {
        let Folders { report, csv, notes, arena, .. } = self.folders;
        let end = json!({
            "event": "end", "finished": true, "grades": grades, "report": report, "csv": csv, "notes": notes, "arena": arena,
        });
        Ok(writeln!(io::stdout(), "{end}")?)
    }

    fn print(&self, graded: &[Graded<'_>]) -> anyhow::Result<()> {
        let mut out = io::stdout();
        writeln!(out, "{}\n grade  name                       points  status", harmless(&self.config.name))?;
        for graded in graded {
            let name = fit_exactly(&harmless(&graded.participant.name), 24);
            let points = graded.standing.map_or_else(String::new, |standing| format!("{:.2}", standing.points.value));
            let forfeits = match graded.forfeits() {
                0 => String::new(),
                count => format!(", forfeited {}", notes::times(count)),
            };
            let status = graded.status().en;
            writeln!(out, "{:>6}  {name} {points:>8}  {status}{forfeits}", grades::number(graded.grade))?;
        }
        let Folders { report, csv, notes, .. } = self.folders;
        writeln!(out, "report {}, grades {}, notes {}", report.display(), csv.display(), notes.display())?;
        Ok(())
    }

    /// The first game, by seed, in which a participant forfeited, and what it said then.
    fn first_forfeit(&self, store: &Store, games: &[GameResult], graded: &Graded<'_>) -> anyhow::Result<Option<Incident>> {
        let Ok(bot) = graded.participant.entered else { return Ok(None) };
        let faults = games.iter().flat_map(|game| {
            let of_seat = move |seat: Seat| Some((game, seat, game.seats[seat].fault.as_ref()?));
            Seat::ALL.into_iter().filter(move |&seat| game.seats[seat].bot == bot).filter_map(of_seat)
        });
        let Some((game, seat, fault)) = faults.min_by_key(|(game, seat, _)| (game.seed, &game.id, seat.index())) else {
            return Ok(None);
        };
        let replay = store.replay(&game.id, true)?.with_context(|| format!("game {} has no replay", game.id))?;
        let replay: Value =
            serde_json::from_str(&replay).with_context(|| format!("the replay of game {} is damaged", game.id))?;
        let said = &replay["private"]["turns"][fault.turn as usize - 1][seat.index()];
        // Where its copy is kept is of no use to its author.
        let copies = graded.standing.map(|standing| store.folder_of_program(&standing.bot.program));
        let copies = copies.and_then(|folder| fs::canonicalize(folder).ok()).map(|folder| format!("{}/", folder.display()));
        let text = |key: &str| {
            let text = said[key].as_str().unwrap_or_default();
            copies.as_ref().map_or_else(|| text.to_owned(), |folder| text.replace(folder, ""))
        };
        let id = game.id.chars().take(GAME_DIGITS).collect::<String>();
        let arena = quoted(&self.folders.arena.to_string_lossy());
        Ok(Some(Incident {
            seat: seat.index(),
            turn: fault.turn,
            kind: fault.kind.clone(),
            complaint: text("complaint"),
            stderr: text("stderr"),
            show: format!("pacman2 arena show {id} --open --arena {arena}"),
            again: self.again(game),
            game: id,
        }))
    }

    /// The command that plays a game again.
    fn again(&self, game: &GameResult) -> String {
        let bots = game.seats.0.iter().map(|seat| self.typed.get(&seat.bot).map_or_else(|| "?".to_owned(), |text| quoted(text)));
        format!("pacman2 match {} --seed {}{}", bots.collect::<Vec<_>>().join(" "), game.seed, self.manner())
    }

    /// The command with which somebody sees for itself whether a submission works.
    fn trial(&self, submission: &Submission) -> String {
        let bot = submission.bot.as_deref().unwrap_or(Path::new("bot.py"));
        format!("pacman2 match {} greedy greedy greedy --seed 1{}", quoted(&bot.to_string_lossy()), self.manner())
    }

    /// The options that a match needs to be played as here.
    fn manner(&self) -> String {
        let Config { time_ms, memory_mb, .. } = self.config;
        let one_by_one = if Pace::of_this_machine(None).thinking == AskMode::OneByOne { " --one-by-one" } else { "" };
        format!("{one_by_one} --time-limit {time_ms} --memory-limit {memory_mb}")
    }
}

/// Who is not of this tournament any more, or an older version, plays no part in the table.
fn retire_others(store: &mut Store, opponents: &[Opponent], field: &[BotId]) -> anyhow::Result<()> {
    for bot in store.bots()? {
        let plays = field.contains(&bot.id) || opponents.iter().any(|opponent| opponent.bot == bot.id);
        if bot.is_active != plays {
            store.set_active(bot.id, plays)?;
        }
    }
    Ok(())
}

/// Every submission against the references. All have the same number of blocks; they take turns, so that a run that is
/// stopped is nearly balanced.
fn gauntlets(opponents: &[Opponent], field: &[BotId], seeds: &[i32]) -> anyhow::Result<Vec<Block>> {
    let references: Vec<BotId> = opponents.iter().map(|opponent| opponent.bot).collect();
    let mut lists = Vec::new();
    for &bot in field {
        let plan = Plan::new(schedule::Schedule::Gauntlet { bot }, references.clone(), seeds.to_vec()).map_err(bad_input)?;
        lists.push(blocks(&plan).into_iter());
    }
    let mut taken = Vec::new();
    while !lists.is_empty() {
        taken.extend(lists.iter_mut().filter_map(Iterator::next));
        lists.retain(|list| list.len() > 0);
    }
    Ok(taken)
}

/// All blocks of a plan that heeds no results.
fn blocks(plan: &Plan) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut earlier = Vec::new();
    while let Some(stage) = plan.stage(&earlier) {
        blocks.extend(stage);
        earlier.push(Vec::new());
    }
    blocks
}

/// What submissions play among themselves. Fewer than four of them have only the references.
fn among_themselves(schedule: Schedule, field: &[BotId], seeds: &[i32]) -> anyhow::Result<Option<Plan>> {
    let schedule = match schedule {
        Schedule::Gauntlet => return Ok(None),
        _ if field.len() < 4 => return Ok(None),
        Schedule::Swiss { rounds } => schedule::Schedule::Swiss { rounds },
        Schedule::RoundRobin => schedule::Schedule::RoundRobin,
    };
    Ok(Some(Plan::new(schedule, field.to_vec(), seeds.to_vec()).map_err(bad_input)?))
}

fn quoted(text: &str) -> String {
    // A path holds no zero byte.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), |text| text.into_owned())
}
