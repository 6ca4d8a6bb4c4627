//! From a BOT argument to a bot of the arena, and from a bot of the arena to one that can play.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use pacman2_bot_source::bundle::{
    self,
    cpp::{self, CppOptions},
};
use pacman2_bot_source::mounts::{Hidden, Surroundings};
use pacman2_bot_source::resolve::{self, PlayerConfig};
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::{built_in, compile, hash};
use pacman2_botzone::response::Verdict;
use pacman2_console::error::bad_input;
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

use super::game_limits::GameLimits;

/// The seed of the map on which a new bot plays a game against itself.
const TRIAL_SEED: i32 = 1;
/// The longest name or version of a bot, in characters.
const MAX_NAME_LENGTH: usize = 64;

/// A bot that is to be added, as it was typed.
#[derive(Clone, Copy, Default)]
pub struct BotSource<'a> {
    /// The BOT argument.
    pub text: &'a str,
    /// The name of the bot; by default the name of its file.
    pub name: Option<&'a str>,
    /// The version of the bot; by default the next number.
    pub version: Option<&'a str>,
    /// Run the bot where it is instead of copying it.
    pub in_place: bool,
}

/// How a bot forfeited its trial.
#[derive(Debug, thiserror::Error)]
#[error("in a game against itself it got {} in turn {turn}: {complaint}{stderr}", .kind.name())]
pub struct TrialFault {
    /// Its verdict.
    pub kind: Verdict,
    /// The turn, from 1.
    pub turn: u32,
    complaint: Complaint,
    /// The end of what it wrote to standard error, as the end of a sentence.
    stderr: String,
}

/// Adds a bot to the arena: finds and compiles it, plays a trial game, and keeps a copy of its program.
///
/// # Errors
///
/// If the arena has a bot with this name and program already, or if the bot fails.
pub fn add_bot(store: &mut Store, policy: &SandboxPolicy, source: &BotSource<'_>) -> anyhow::Result<BotVersion> {
    let candidate = Candidate::find(store, policy, source)?;
    if let Some(bot) = &candidate.known {
        return Err(bad_input(format!("{}: this program is in the arena already, as {}", source.text, bot.label())));
    }
    candidate.admit(store, policy)
}

/// Like [`add_bot`], but returns the known bot if the arena has one with this name and program.
pub fn find_or_add_bot(store: &mut Store, policy: &SandboxPolicy, source: &BotSource<'_>) -> anyhow::Result<BotVersion> {
    Candidate::find(store, policy, source)?.admit(store, policy)
}

/// A bot on its way into the arena: found, then tried, then added.
pub struct Candidate<'a> {
    source: BotSource<'a>,
    /// The BOT argument, with the file in place of its folder if the file is copied.
    text: String,
    name: String,
    program: String,
    bot: resolve::Bot,
    /// The bot of the arena that has this name and program, if there is one.
    known: Option<BotVersion>,
    /// Where its source lies, if it was joined with its headers or modules.
    _bundle_folder: Option<TempDir>,
}

impl<'a> Candidate<'a> {
    /// Finds the bot, and compiles it if it is a source.
    pub fn find(store: &Store, policy: &SandboxPolicy, source: &BotSource<'a>) -> anyhow::Result<Candidate<'a>> {
        let name = source.name.map_or_else(|| default_name(source.text), str::to_owned);
        check_names(&name, source.version)?;
        let is_folder = Path::new(source.text).is_dir();
        let mut text = if is_folder && !source.in_place { file_in_folder(source.text)? } else { source.text.to_owned() };
        let is_copied = !source.in_place && is_copied(&text);
        let in_place = |error| bad_input(format!("{error:#}; a bot that cannot be one file can be added with --in-place"));
        let bundled = if is_copied { joined(Path::new(&text), policy).map_err(in_place)? } else { None };
        let mut bot = match &bundled {
            None => resolve::Bot::find(source.text, policy)?,
            Some((_, file)) => {
                file.clone_into(&mut text);
                let mut bot = resolve::Bot::find(file, policy)?;
                source.text.clone_into(&mut bot.name);
                bot
            }
        };
        if is_copied {
            // In its games it sees no more.
            bot.surroundings = Surroundings::Nothing;
        }
        let program = program_hash(&text, &bot)?;
        let known = store.bots()?.into_iter().find(|bot| bot.name == name && bot.program == program);
        let bundle_folder = bundled.map(|(folder, _)| folder);
        Ok(Candidate { source: *source, text, name, program, bot, known, _bundle_folder: bundle_folder })
    }

    fn admit(self, store: &mut Store, policy: &SandboxPolicy) -> anyhow::Result<BotVersion> {
        let failed = || format!("{} was not added", text::sanitize(&self.name));
        if let Err(fault) = self.play_trial(store, policy).with_context(failed)? {
            let advice = self.bot.advice_on_files(&Hidden::default()).filter(|_| fault.kind == Verdict::Re);
            let advice = advice.map_or_else(String::new, |advice| format!(" ({advice})"));
            return Err(bad_input(format!("{fault}{advice}")).context(failed()));
        }
        self.add_to(store)
    }

    /// Returns whether the arena has this bot already.
    pub fn is_known(&self) -> bool {
        self.known.is_some()
    }

    /// Plays a game of the bot against itself, unless the arena knows it already. Returns how it forfeited, if it did.
    pub fn play_trial(&self, store: &Store, policy: &SandboxPolicy) -> anyhow::Result<Result<(), TrialFault>> {
        if self.known.is_some() {
            return Ok(Ok(()));
        }
        let hidden = Hidden { bots: self.bot.files.clone(), folders: vec![store.folder().to_owned()] };
        play_trial(&self.bot, policy, hidden, &GameLimits::of(store)?)
    }

    /// Keeps a copy of the program, unless the arena knows it already.
    pub fn add_to(self, store: &mut Store) -> anyhow::Result<BotVersion> {
        let Candidate { source, text, name, program, known, .. } = self;
        if let Some(bot) = known {
            return Ok(bot);
        }
        let command = if source.in_place { absolute(&text)? } else { copied(store, &text, &program)? };
        let version = source.version.map(str::to_owned);
        store.add_bot(&NewBot { name, version, program, command }).map_err(bad_input)
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
    let copy = store.folder().join(&bot.command);
    let text = if built_in::is_meant(&bot.command) {
        built_in::from_folder(&bot.command, store.folder())
    } else if copy.is_file() {
        copy.to_string_lossy().into_owned()
    } else {
        bot.command.clone()
    };
    let label = text::sanitize(&bot.label());
    match load_program(&text, &bot.program, bot.label(), policy) {
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

/// Finds the program of a bot, compiles it if it is a source, and checks its hash.
pub(crate) fn load_program(text: &str, program: &str, label: String, policy: &SandboxPolicy) -> Result<resolve::Bot, LoadError> {
    let mut found = resolve::Bot::find(text, policy).map_err(LoadError::Broken)?;
    if program_hash(text, &found).map_err(LoadError::Broken)? != program {
        return Err(LoadError::Changed);
    }
    found.name = label;
    Ok(found)
}

/// Returns what the games of a bot depend on: the hash of its program, and of its command line if it has one.
fn program_hash(text: &str, bot: &resolve::Bot) -> anyhow::Result<String> {
    let SeatInfo { program, .. } = bot.info(false);
    let program = program.ok_or_else(|| bad_input(format!("{text}: its program cannot be read")))?;
    let words = shlex::split(text).unwrap_or_default();
    if bot.files.len() == 1 && words.len() <= 1 || built_in::is_meant(text) || Path::new(text).exists() {
        return Ok(program);
    }
    // It does not matter where the files are, but the other arguments matter.
    let words: Vec<&str> = words.iter().map(|word| if Path::new(word).exists() { "FILE" } else { word }).collect();
    Ok(hash::hexadecimal(&Sha256::digest(format!("{program} {}", words.join(" ")))))
}

/// Returns the name of a bot that was given none.
fn default_name(text: &str) -> String {
    if built_in::is_meant(text) {
        return text.to_owned();
    }
    if let Ok(folder) = fs::canonicalize(text)
        && folder.is_dir()
    {
        return short_name(&folder.file_name().unwrap_or_default().to_string_lossy());
    }
    let words = shlex::split(text).unwrap_or_default();
    let file = words.iter().rev().map(Path::new).find(|word| word.is_file()).unwrap_or(Path::new(text));
    short_name(&file.file_stem().unwrap_or_default().to_string_lossy())
}

/// Returns the part of a name that a bot can have.
fn short_name(name: &str) -> String {
    name.chars().filter(|&c| c != '@' && !c.is_control()).take(MAX_NAME_LENGTH).collect()
}

/// Joins a source with the headers that it includes, or a Python program with the modules that it imports, because the arena copies
/// one file. Returns a folder with the result, and its path; `None` if there is nothing to join.
pub fn joined(source: &Path, policy: &SandboxPolicy) -> anyhow::Result<Option<(TempDir, String)>> {
    let bundle = if Language::of_file(source) == Some(Language::Python) {
        bundle::with_modules(source, policy)?
    } else if compile::includes_headers(source)? {
        let options = CppOptions { only_headers: true, ..CppOptions::default() };
        Some(cpp::bundle(source, &options).map_err(bad_input)?)
    } else {
        None
    };
    let Some(bundle) = bundle else { return Ok(None) };
    let folder = tempfile::Builder::new().prefix("pacman2-").tempdir().context("cannot create a temporary folder")?;
    let file = folder.path().join(source.file_name().unwrap_or_default());
    fs::write(&file, bundle.text).with_context(|| format!("cannot write {}", file.display()))?;
    let text = file.to_str().context("the temporary folder has a name that is not UTF-8")?.to_owned();
    Ok(Some((folder, text)))
}

/// Returns the file of the bot in a folder; if the folder's name means a built-in bot, that name.
fn file_in_folder(folder: &str) -> anyhow::Result<String> {
    let file = if built_in::is_meant(folder) { None } else { resolve::file_of(folder)? };
    let file = file.unwrap_or_else(|| PathBuf::from(folder)).into_os_string();
    file.into_string().map_err(|file| bad_input(format!("{}: its file name is not UTF-8", file.display())))
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

/// Plays a game of a bot against itself. The players think one after another, so that they do not slow each other down.
fn play_trial(
    bot: &resolve::Bot,
    policy: &SandboxPolicy,
    hidden: Hidden,
    limits: &GameLimits,
) -> anyhow::Result<Result<(), TrialFault>> {
    let config = PlayerConfig { limits: limits.limits, as_process: false, ruleset: limits.ruleset, hidden };
    let map: Map = map_source::generate(TRIAL_SEED, MapSize::default(), limits.ruleset)?;
    let players: Vec<_> = (0..4).map(|_| Ok(bot.start(&config, policy, String::new())?.player)).collect::<anyhow::Result<_>>()?;
    let mut players: Players = BySeat(players.try_into().map_err(|_| bad_input("expected four bots"))?);
    let stop = AtomicBool::new(false);
    let turns = referee::play(map, &mut players, AskMode::OneByOne, &stop, |_, _| ());
    for (turn, played) in (1..).zip(&turns) {
        for seat in Seat::ALL {
            let Some(response) = &played.responses[seat] else { continue };
            let Some(complaint) = response.complaint.clone() else { continue };
            // A bot may choose illegal actions.
            if !response.verdict.is_fault() {
                continue;
            }
            let stderr = response.stderr.lines().last().map(|line| format!("; its standard error ends with: {line}"));
            return Ok(Err(TrialFault { kind: response.verdict, turn, complaint, stderr: stderr.unwrap_or_default() }));
        }
    }
    Ok(Ok(()))
}

/// Copies the file of a bot, or its net, into the store, and returns the command that runs the copy. Command lines, and programs that are
/// found in PATH, stay where they are.
fn copied(store: &Store, text: &str, program: &str) -> anyhow::Result<String> {
    let net = built_in::files_of(text).pop();
    if net.is_none() && !is_copied(text) {
        return absolute(text);
    }
    let source = net.as_deref().unwrap_or(Path::new(text));
    let folder = store.folder_of_program(program);
    let file = source.file_name().unwrap_or_default();
    let failed = || format!("cannot copy {} to {}", source.display(), folder.display());
    fs::create_dir_all(&folder).with_context(failed)?;
    let unfinished = folder.join(".unfinished");
    fs::copy(source, &unfinished).with_context(failed)?;
    fs::rename(&unfinished, folder.join(file)).with_context(failed)?;
    let command = folder.join(file);
    let command = command.strip_prefix(store.folder()).unwrap_or(&command);
    if net.is_some() {
        return Ok(built_in::with_net(text, command.to_owned()));
    }
    Ok(command.to_string_lossy().into_owned())
}

/// Whether the arena copies the bot: it is a file.
fn is_copied(text: &str) -> bool {
    !built_in::is_meant(text) && Path::new(text).is_file()
}

/// Returns a command line that means the same in every current folder.
fn absolute(text: &str) -> anyhow::Result<String> {
    if built_in::is_meant(text) {
        let here = env::current_dir().context("cannot find the current folder")?;
        return Ok(built_in::from_folder(text, &here));
    }
    let not_found = |path: &Path| format!("cannot find {}", path.display());
    if Path::new(text).exists() {
        let path = fs::canonicalize(text).with_context(|| not_found(Path::new(text)))?;
        return Ok(path.to_string_lossy().into_owned());
    }
    // Links are kept: Python finds the packages of a virtual environment by the link as which it is started.
    let absolute = |path: &Path| -> anyhow::Result<String> {
        fs::metadata(path).with_context(|| not_found(path))?;
        Ok(std::path::absolute(path).with_context(|| not_found(path))?.to_string_lossy().into_owned())
    };
    let words = shlex::split(text).unwrap_or_default();
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
        assert_eq!(absolute(&typed).unwrap(), typed);
    }
}
