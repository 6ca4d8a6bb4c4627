//! From a BOT argument to a bot of the arena, and from a bot of the arena to one that can play.

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use pacman2_bot_source::archive::Unpacked;
use pacman2_bot_source::mounts::{Hidden, Surroundings};
use pacman2_bot_source::resolve::{self, BotMemory, PlayerConfig};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::{BotArgument, BotSource, with_standard};
use pacman2_bot_source::{built_in, hash};
use pacman2_bots::BotSpec;
use pacman2_botzone::response::Verdict;
use pacman2_botzone::words::Locale;
use pacman2_console::error::bad_input;
use pacman2_console::language::locale;
use pacman2_console::{map_source, text};
use pacman2_maps::{Map, MapSize};
use pacman2_match::complaint::Complaint;
use pacman2_match::referee::{self, AskMode, Players};
use pacman2_replay::SeatInfo;
use pacman2_rules::{BySeat, Seat};
use pacman2_runner::Language;
use pacman2_tournament::store::NewBot;
use pacman2_tournament::{BotId, BotVersion, Store};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::copied_data;
use super::game_limits::GameLimits;
use super::one_file::OneFile;
use super::store::store_error;

/// The seed of the map on which a new bot plays a game against itself.
const TRIAL_SEED: i32 = 1;
/// How many turns of its trial a bot plays that a user adds. Some interpreters start slowly, four times in each turn.
const TRIAL_TURNS: usize = 20;
/// The longest name or version of a bot, in characters.
const MAX_NAME_LENGTH: usize = 64;

/// A bot that is to be added.
#[derive(Clone, Copy)]
pub struct BotToAdd<'a> {
    /// What was typed.
    pub bot: &'a BotArgument,
    /// The name of the bot; by default the name of its file.
    pub name: Option<&'a str>,
    /// The version of the bot; by default the next number.
    pub version: Option<&'a str>,
    /// Run the bot where it is instead of copying it.
    pub in_place: bool,
    /// Whether it is one file already, as [`OneFile`] makes it.
    pub is_one_file: bool,
}

impl BotToAdd<'_> {
    /// Returns the bot as one that is copied and gets its own name and the next version.
    #[must_use]
    pub fn new(bot: &BotArgument) -> BotToAdd<'_> {
        BotToAdd { bot, name: None, version: None, in_place: false, is_one_file: false }
    }
}

/// How a bot forfeited its trial.
#[derive(Debug)]
pub struct TrialFault {
    /// Its verdict.
    pub kind: Verdict,
    /// The turn, from 1.
    pub turn: u32,
    complaint: Complaint,
    /// The last line of its standard error, unless the cause of the fault is known.
    stderr: Option<String>,
    /// What to do, if it lacked a file.
    advice: Option<String>,
}

impl TrialFault {
    /// Returns what happened, and why, as far as that is known.
    pub fn words(&self, locale: Locale) -> String {
        let TrialFault { kind, turn, complaint, stderr, .. } = self;
        let explanation = complaint.explanation(locale);
        let (turn, ends) = match locale {
            Locale::English => (format!("{kind} in turn {turn}: "), "; its standard error ends with: "),
            Locale::Chinese => (format!("第 {turn} 回合 {kind}："), "；标准错误的最后一行："),
        };
        let said = if complaint.cause().is_some() { explanation.to_string() } else { explanation.what };
        let stderr = stderr.as_ref().map_or_else(String::new, |line| format!("{ends}{line}"));
        turn + &said + &stderr
    }
}

impl fmt::Display for TrialFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in a game against itself it got {}", self.words(locale()))
    }
}

impl std::error::Error for TrialFault {}

/// Adds a bot to the arena: finds and compiles it, plays a trial game, and keeps a copy of its program.
///
/// # Errors
///
/// If the arena has a bot with this name and program already, or if the bot fails.
pub fn add_bot(store: &mut Store, policy: &SandboxPolicy, added: &BotToAdd<'_>) -> anyhow::Result<BotVersion> {
    let candidate = Candidate::find(store, policy, added)?;
    if let Some(bot) = &candidate.known {
        return Err(bad_input(format!("{}: this program is in the arena already, as {}", added.bot, bot.label())));
    }
    candidate.admit(store, policy)
}

/// Like [`add_bot`], but returns the known bot if the arena has one with this name and program.
pub fn find_or_add_bot(store: &mut Store, policy: &SandboxPolicy, source: &BotToAdd<'_>) -> anyhow::Result<BotVersion> {
    Candidate::find(store, policy, source)?.admit(store, policy)
}

/// A bot on its way into the arena: found, then tried, then added.
pub struct Candidate<'a> {
    added: BotToAdd<'a>,
    /// The bot, with its file in place of its folder if the file is copied.
    argument: BotArgument,
    name: String,
    program: String,
    bot: resolve::Bot,
    /// The bot of the arena that has this name and program, if there is one.
    known: Option<BotVersion>,
    /// The folder `data` that is copied with it.
    data: Option<PathBuf>,
    /// Where it lies, if it was unpacked or made one file.
    _kept: Vec<Arc<TempDir>>,
}

impl<'a> Candidate<'a> {
    /// Finds the bot, and compiles it if it is a source.
    ///
    /// # Errors
    ///
    /// If it is not there, or cannot play.
    pub fn find(store: &Store, policy: &SandboxPolicy, added: &BotToAdd<'a>) -> anyhow::Result<Candidate<'a>> {
        let mut argument = added.bot.clone();
        let name = added.name.map_or_else(|| default_name(&argument), str::to_owned);
        check_names(&name, added.version)?;
        let (mut kept, mut data, mut is_copied, mut has_folder) = (Vec::new(), None, false, added.is_one_file);
        if added.is_one_file {
            (data, is_copied) = (copied_file(&argument.source)?.and_then(|file| copied_data::beside(&file)), true);
        } else if !added.in_place {
            let unpacked = Unpacked::from_source(&argument.source)?;
            if let Some(file) = copied_file(&unpacked.source)? {
                let folder = resolve::own_folder(&unpacked, &file);
                has_folder = folder.is_some();
                let one = OneFile::from_bot(&file, folder.as_deref(), true)?;
                (argument.source, data, is_copied) = (BotSource::in_file(one.file), one.data, true);
                if let Some(folder) = one.folder {
                    copied_data::copy_into(data.as_deref(), folder.path())?;
                    kept.push(Arc::new(folder));
                }
            }
            kept.extend(unpacked.folders);
        }
        let mut bot = resolve::Bot::find(&argument, policy)?;
        resolve::print_remarks([&bot]);
        if is_copied {
            added.bot.text.clone_into(&mut bot.name);
        }
        if is_copied && !matches!(argument.source, BotSource::Archive(_)) {
            // In its games it sees no more. Where it is, it may see its folder, too, if that is its own.
            bot.surroundings = match (has_folder, data.is_some()) {
                (false, _) => Surroundings::Data,
                (true, true) => Surroundings::Copied,
                (true, false) => Surroundings::Nothing,
            };
        }
        let program = copied_data::hash_with(program_hash(&argument, &bot)?, data.as_deref())?;
        let known = store.bots()?.into_iter().find(|bot| bot.name == name && bot.program == program);
        Ok(Candidate { added: *added, argument, name, program, bot, known, data, _kept: kept })
    }

    fn admit(self, store: &mut Store, policy: &SandboxPolicy) -> anyhow::Result<BotVersion> {
        let failed = || format!("{} was not added", text::sanitize(&self.name));
        if let Err(fault) = self.play_turns(store, policy, TRIAL_TURNS, &AtomicBool::new(false)).with_context(failed)? {
            let advice = fault.advice.as_ref().map_or_else(String::new, |advice| format!(" ({advice})"));
            return Err(bad_input(format!("{fault}{advice}")).context(failed()));
        }
        self.add_to(store)
    }

    /// Returns the bot as it was found.
    pub fn bot(&self) -> &resolve::Bot {
        &self.bot
    }

    /// Returns whether the arena has this bot already.
    pub fn is_known(&self) -> bool {
        self.known.is_some()
    }

    /// Plays a game of the bot against itself, unless the arena knows it already. Returns how it forfeited, if it did. The game is
    /// not played to its end if `stop` is set.
    pub fn play_trial(&self, store: &Store, policy: &SandboxPolicy, stop: &AtomicBool) -> anyhow::Result<Result<(), TrialFault>> {
        self.play_turns(store, policy, usize::MAX, stop)
    }

    fn play_turns(
        &self,
        store: &Store,
        policy: &SandboxPolicy,
        turns: usize,
        stop: &AtomicBool,
    ) -> anyhow::Result<Result<(), TrialFault>> {
        if self.known.is_some() {
            return Ok(Ok(()));
        }
        let hidden = Hidden { bots: self.bot.files.clone(), folders: vec![store.folder().to_owned()] };
        let trial = play_trial(&self.bot, policy, hidden, &GameLimits::from_store(store)?, turns, stop)?;
        Ok(trial.map(|illegal| {
            if let Some((turn, complaint)) = illegal {
                eprintln!("pacman2: {}: illegal action in turn {turn} of its trial: {complaint}", text::sanitize(&self.name));
            }
        }))
    }

    /// Keeps a copy of the program, unless the arena knows it already.
    pub fn add_to(self, store: &mut Store) -> anyhow::Result<BotVersion> {
        let Candidate { added, argument, name, program, known, data, .. } = self;
        if let Some(bot) = known {
            return Ok(bot);
        }
        let command = if added.in_place { absolute(&argument)? } else { copied(store, &argument, &program)? };
        if data.is_some() {
            copied_data::copy_into(data.as_deref(), &store.folder_of_program(&program))?;
        }
        let version = added.version.map(str::to_owned);
        store.add_bot(&NewBot { name, version, program, command }).map_err(store_error)
    }
}

/// Loads bots of the arena that are to play.
///
/// # Errors
///
/// If a program is gone or has changed since its bot was added.
pub(crate) fn load_bots<'a>(
    store: &Store,
    policy: &SandboxPolicy,
    bots: impl IntoIterator<Item = &'a BotVersion>,
) -> anyhow::Result<BTreeMap<BotId, resolve::Bot>> {
    bots.into_iter().map(|bot| Ok((bot.id, load_bot(store, policy, bot)?))).collect()
}

fn load_bot(store: &Store, policy: &SandboxPolicy, bot: &BotVersion) -> anyhow::Result<resolve::Bot> {
    let label = text::sanitize(&bot.label());
    match load_program(stored(store.folder(), &bot.command), &bot.program, bot.label(), policy) {
        Ok(bot) => Ok(bot),
        Err(LoadError::Broken(error)) => {
            let broken = format!("{label} cannot play: its program is missing or broken; add it again as a new version");
            Err(error.context(broken))
        }
        Err(LoadError::Changed) => Err(bad_input(format!(
            "{label} cannot play: its program has changed since it was added; add it again as a new version"
        ))),
    }
}

/// Why a program cannot play.
pub(crate) enum LoadError {
    /// It is missing, does not compile or cannot be read.
    Broken(anyhow::Error),
    /// Its hash is another one.
    Changed,
}

/// Returns the bot that an arena in this folder keeps under this command.
pub(crate) fn stored(folder: &Path, command: &str) -> anyhow::Result<BotArgument> {
    let copy = folder.join(command);
    match command.parse() {
        Ok(BotArgument { source: BotSource::BuiltIn(spec), .. }) => {
            Ok(BotArgument::from_spec(built_in::in_folder(&spec, folder)))
        }
        // The name of a file need not be a command line: it may have a quotation mark.
        _ if copy.is_file() => Ok(BotArgument::from_file(copy)),
        argument => argument,
    }
}

/// Finds the program of a bot, compiles it if it is a source, and checks its hash.
pub(crate) fn load_program(
    argument: anyhow::Result<BotArgument>,
    program: &str,
    label: String,
    policy: &SandboxPolicy,
) -> Result<resolve::Bot, LoadError> {
    let find = || {
        let argument = argument?;
        let found = resolve::Bot::find(&argument, policy)?;
        let hash = program_hash(&argument, &found)?;
        // A copy may have been hashed with the folder beside it.
        let data = argument.source.file()?.as_deref().and_then(copied_data::beside).filter(|_| hash != program);
        Ok((copied_data::hash_with(hash, data.as_deref())?, found))
    };
    let (hash, mut found) = find().map_err(LoadError::Broken)?;
    if hash != program {
        return Err(LoadError::Changed);
    }
    found.name.clone_from(&label);
    found.trust_name = label;
    Ok(found)
}

/// Returns what the games of a bot depend on: the hash of its program, and of its command line if it has one.
fn program_hash(argument: &BotArgument, bot: &resolve::Bot) -> anyhow::Result<String> {
    let SeatInfo { program, .. } = bot.info(false);
    let program = program.ok_or_else(|| bad_input(format!("{argument}: its program cannot be read")))?;
    match &argument.source {
        BotSource::CommandLine(words) if bot.files.len() != 1 || words.len() > 1 => {
            // It does not matter where the files are, but the other arguments matter.
            let words: Vec<&str> = words.iter().map(|word| if Path::new(word).exists() { "FILE" } else { word }).collect();
            Ok(hash::hexadecimal(&Sha256::digest(format!("{program} {}", words.join(" ")))))
        }
        _ => Ok(program),
    }
}

/// Returns the name of a bot that was given none.
fn default_name(argument: &BotArgument) -> String {
    let stem = |path: &Path| short_name(&path.file_stem().unwrap_or_default().to_string_lossy());
    match &argument.source {
        BotSource::BuiltIn(_) => argument.text.clone(),
        BotSource::Folder(folder) => {
            let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            short_name(&folder.file_name().unwrap_or_default().to_string_lossy())
        }
        BotSource::File(file) | BotSource::Archive(file) => stem(file),
        BotSource::CommandLine(words) => {
            let file = words.iter().rev().map(Path::new).find(|word| word.is_file());
            stem(file.unwrap_or(Path::new(&argument.text)))
        }
    }
}

/// Returns the part of a name that a bot can have.
fn short_name(name: &str) -> String {
    name.chars().filter(|&c| c != '@' && !c.is_control()).take(MAX_NAME_LENGTH).collect()
}

/// Returns the file of a bot that is one, which the arena copies.
fn copied_file(source: &BotSource) -> anyhow::Result<Option<PathBuf>> {
    let Some(file) = source.file()?.filter(|file| file.is_file()) else { return Ok(None) };
    if file.to_str().is_none() {
        return Err(bad_input(format!("{}: its file name is not UTF-8", file.display())));
    }
    Ok(Some(file))
}

fn check_names(name: &str, version: Option<&str>) -> anyhow::Result<()> {
    for (what, text) in [("name", Some(name)), ("version", version)] {
        let is_valid = |text: &str| {
            let length = text.chars().count();
            (1..=MAX_NAME_LENGTH).contains(&length) && text.trim() == text && !text.contains(|c: char| c == '@' || c.is_control())
        };
        if let Some(text) = text.filter(|text| !is_valid(text)) {
            return Err(bad_input(format!(
                "invalid {what} \"{}\"; expected 1 to {MAX_NAME_LENGTH} characters without \"@\", with no space at either end",
                text::sanitize(text)
            )));
        }
    }
    Ok(())
}

/// Plays a game of a bot against itself, up to this turn, or until `stop` is set. The players think one after another, so that they
/// do not slow each other down. Returns the first illegal action, with its turn, or how the bot forfeited.
fn play_trial(
    bot: &resolve::Bot,
    policy: &SandboxPolicy,
    hidden: Hidden,
    limits: &GameLimits,
    last_turn: usize,
    stop: &AtomicBool,
) -> anyhow::Result<Result<Option<(u32, Complaint)>, TrialFault>> {
    let config = PlayerConfig { limits: limits.limits, as_process: false, ruleset: limits.ruleset, hidden };
    let map: Map = map_source::generate(TRIAL_SEED, MapSize::default(), limits.ruleset)?;
    let players: Vec<_> =
        (0..4).map(|_| Ok(bot.start(&config, policy, BotMemory::default())?.player)).collect::<anyhow::Result<_>>()?;
    let mut players: Players = BySeat(players.try_into().map_err(|_| bad_input("expected four bots"))?);
    let ends = AtomicBool::new(false);
    let mut played = 0;
    let turns = referee::play(map, &mut players, AskMode::OneByOne, &ends, |_, _| {
        played += 1;
        ends.store(played == last_turn || stop.load(Ordering::Relaxed), Ordering::Relaxed);
    })?;
    let mut illegal = None;
    for (turn, played) in (1..).zip(&turns) {
        for seat in Seat::ALL {
            let Some(response) = &played.responses[seat] else { continue };
            let Some(complaint) = response.complaint.clone() else { continue };
            // A bot may choose illegal actions.
            if !response.verdict().is_fault() {
                illegal.get_or_insert((turn, complaint));
                continue;
            }
            let last = || response.stderr.lines().last().map(str::to_owned);
            let (kind, stderr) = (response.verdict(), if complaint.cause().is_none() { last() } else { None });
            let advice = bot.advice_on_files(&Hidden::default(), iter::once(response));
            return Ok(Err(TrialFault { kind, turn, complaint, stderr, advice }));
        }
    }
    Ok(Ok(illegal))
}

/// Copies the file of a bot, or its net, into the store, and returns the command that runs the copy. Command lines, and programs that are
/// found in PATH, stay where they are.
fn copied(store: &Store, argument: &BotArgument, program: &str) -> anyhow::Result<String> {
    let file = match &argument.source {
        BotSource::BuiltIn(BotSpec { net: Some(net), .. }) => net,
        BotSource::File(file) | BotSource::Archive(file) if file.is_file() => file,
        _ => return absolute(argument),
    };
    let folder = store.folder_of_program(program);
    // The extension keeps the version of C++.
    let is_cpp = Language::from_file(file) == Some(Language::Cpp);
    let name = match argument.standard.filter(|_| is_cpp) {
        Some(standard) => file.with_extension(standard.extension()),
        None => file.clone(),
    };
    let name = name.file_name().unwrap_or_default();
    let failed = || format!("cannot copy {} to {}", file.display(), folder.display());
    fs::create_dir_all(&folder).with_context(failed)?;
    let unfinished = folder.join(".unfinished");
    fs::copy(file, &unfinished).with_context(failed)?;
    fs::rename(&unfinished, folder.join(name)).with_context(failed)?;
    let copy = folder.join(name);
    let copy = copy.strip_prefix(store.folder()).unwrap_or(&copy);
    Ok(match &argument.source {
        BotSource::BuiltIn(spec) => BotSpec { net: Some(copy.to_owned()), ..spec.clone() }.to_string(),
        _ => copy.to_string_lossy().into_owned(),
    })
}

/// Returns a command that means the same in every current folder.
fn absolute(argument: &BotArgument) -> anyhow::Result<String> {
    let not_found = |path: &Path| format!("cannot find {}", path.display());
    let words = match &argument.source {
        BotSource::BuiltIn(BotSpec { net: None, .. }) => return Ok(argument.text.clone()),
        BotSource::BuiltIn(spec) => {
            let here = env::current_dir().context("cannot find the current folder")?;
            return Ok(built_in::in_folder(spec, &here).to_string());
        }
        BotSource::File(path) | BotSource::Folder(path) | BotSource::Archive(path) => {
            let path = fs::canonicalize(path).with_context(|| not_found(path))?;
            return Ok(with_standard(&path, argument.standard));
        }
        BotSource::CommandLine(words) => words,
    };
    // Links are kept: Python finds the packages of a virtual environment by the link as which it is started.
    let absolute = |path: &Path| -> anyhow::Result<String> {
        fs::metadata(path).with_context(|| not_found(path))?;
        Ok(std::path::absolute(path).with_context(|| not_found(path))?.to_string_lossy().into_owned())
    };
    let words = words.iter().enumerate().map(|(number, word)| {
        let is_path = if number == 0 { Path::new(word).components().count() > 1 } else { Path::new(word).exists() };
        if is_path { absolute(Path::new(word)) } else { Ok(word.clone()) }
    });
    let words = words.collect::<anyhow::Result<Vec<_>>>()?;
    shlex::try_join(words.iter().map(String::as_str)).context("a command line cannot contain a zero byte")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_python_of_a_virtual_environment_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join("python");
        std::os::unix::fs::symlink("/bin/sh", &python).unwrap();
        let typed = format!("{} -c true", python.display());
        assert_eq!(absolute(&typed.parse().unwrap()).unwrap(), typed);
    }
}
