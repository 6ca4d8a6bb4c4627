//! From what was typed as a BOT to a bot of the arena, and from that to one that can sit down.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use pacman2_maps::{Map, MapSize};
use pacman2_match::referee::{self, AskMode, Players};
use pacman2_replay::SeatInfo;
use pacman2_rules::{BySeat, Seat};
use pacman2_tournament::store::NewBot;
use pacman2_tournament::{BotId, BotVersion, Store};
use sha2::{Digest, Sha256};

use super::terms::Terms;
use crate::failure::bad_input;
use crate::sandbox::Guard;
use crate::seats::{self, Manner};
use crate::{board, built_in, map};

/// The seed of the map on which a new bot plays itself.
const SMOKE_SEED: i32 = 1;

/// How a bot is to be added.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry<'a> {
    /// What was typed.
    pub(crate) text: &'a str,
    /// What it is called; after its file if not given.
    pub(crate) name: Option<&'a str>,
    /// Which of the bots of that name.
    pub(crate) version: Option<&'a str>,
    /// Whether it is run where it lies, and not copied.
    pub(crate) in_place: bool,
}

/// Adds a bot to the arena: finds it, compiles it, has it play itself once, and keeps a copy of its program.
pub(crate) fn add(store: &mut Store, guard: &Guard, entry: &Entry<'_>) -> anyhow::Result<BotVersion> {
    let candidate = Candidate::find(store, guard, entry)?;
    if let Some(bot) = &candidate.known {
        return Err(bad_input(format!("{}: {} is this very program", entry.text, bot.label())));
    }
    candidate.admit(store, guard)
}

/// The same, or the bot that is this very program under this name already.
pub(crate) fn add_or_find(store: &mut Store, guard: &Guard, entry: &Entry<'_>) -> anyhow::Result<BotVersion> {
    Candidate::find(store, guard, entry)?.admit(store, guard)
}

/// A bot on its way into the arena, for who has to know how far it got.
pub(crate) struct Candidate<'a> {
    entry: Entry<'a>,
    name: String,
    program: String,
    found: seats::Bot,
    /// The bot that is this very program under this name already.
    known: Option<BotVersion>,
}

impl<'a> Candidate<'a> {
    /// Finds and compiles it.
    pub(crate) fn find(store: &Store, guard: &Guard, entry: &Entry<'a>) -> anyhow::Result<Candidate<'a>> {
        let name = entry.name.map_or_else(|| name_of(entry.text), str::to_owned);
        check_name(&name, entry.version)?;
        let found = seats::Bot::find(entry.text, guard)?;
        let program = program_of(entry.text, &found)?;
        let known = store.bots()?.into_iter().find(|bot| bot.name == name && bot.program == program);
        Ok(Candidate { entry: *entry, name, program, found, known })
    }

    fn admit(self, store: &mut Store, guard: &Guard) -> anyhow::Result<BotVersion> {
        self.try_out(store, guard).with_context(|| format!("{} was not added", board::harmless(&self.name)))?;
        self.keep(store)
    }

    /// Has it play itself once, if it is new.
    pub(crate) fn try_out(&self, store: &Store, guard: &Guard) -> anyhow::Result<()> {
        if self.known.is_some() { Ok(()) } else { try_out(&self.found, guard, &Terms::of(store)?) }
    }

    /// Keeps a copy of its program, if it is new.
    pub(crate) fn keep(self, store: &mut Store) -> anyhow::Result<BotVersion> {
        let Candidate { entry, name, program, known, .. } = self;
        if let Some(bot) = known {
            return Ok(bot);
        }
        let command = if entry.in_place { absolute(entry.text)? } else { copied(store, entry.text, &program)? };
        let version = entry.version.map(str::to_owned);
        store.add_bot(&NewBot { name, version, program, command }).map_err(bad_input)
    }
}

/// The bots of the arena that are to play, ready to sit down.
pub(crate) fn ready<'a>(
    store: &Store,
    guard: &Guard,
    bots: impl IntoIterator<Item = &'a BotVersion>,
) -> anyhow::Result<BTreeMap<BotId, seats::Bot>> {
    bots.into_iter().map(|bot| Ok((bot.id, find(store, guard, bot)?))).collect()
}

fn find(store: &Store, guard: &Guard, bot: &BotVersion) -> anyhow::Result<seats::Bot> {
    let copy = store.folder().join(&bot.command);
    let text = if !built_in::is_meant(&bot.command) && copy.is_file() {
        copy.to_string_lossy().into_owned()
    } else {
        bot.command.clone()
    };
    let label = board::harmless(&bot.label());
    let gone = || format!("{label} cannot play: its program is gone or broken; add it again as a new version");
    let mut found = seats::Bot::find(&text, guard).with_context(gone)?;
    if program_of(&bot.command, &found)? != bot.program {
        return Err(bad_input(format!(
            "{label} cannot play: its program has changed since it was added; add it again as a new version"
        )));
    }
    found.name = bot.label();
    Ok(found)
}

/// What games with a bot depend on: the hash of its program, and of the command line if it was one.
fn program_of(text: &str, bot: &seats::Bot) -> anyhow::Result<String> {
    let SeatInfo { program, .. } = bot.info(false);
    let program = program.ok_or_else(|| bad_input(format!("{text}: its program cannot be read")))?;
    let words = shlex::split(text).unwrap_or_default();
    if bot.files.len() == 1 && words.len() <= 1 || built_in::is_meant(text) || Path::new(text).is_file() {
        return Ok(program);
    }
    // Where the files lie does not matter, but what else was said does.
    let said: Vec<&str> = words.iter().map(|word| if Path::new(word).exists() { "FILE" } else { word }).collect();
    Ok(seats::hexadecimal(&Sha256::digest(format!("{program} {}", said.join(" ")))))
}

/// A name for who was given none.
fn name_of(text: &str) -> String {
    if built_in::is_meant(text) {
        return text.to_owned();
    }
    let words = shlex::split(text).unwrap_or_default();
    let file = words.iter().rev().map(Path::new).find(|word| word.is_file()).unwrap_or(Path::new(text));
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    name.chars().filter(|&c| c != '@' && !c.is_control()).take(MOST_LETTERS).collect()
}

const MOST_LETTERS: usize = 64;

fn check_name(name: &str, version: Option<&str>) -> anyhow::Result<()> {
    for (what, text) in [("name", Some(name)), ("version", version)] {
        let is_fine = |text: &str| {
            let letters = text.chars().count();
            (1..=MOST_LETTERS).contains(&letters) && text.trim() == text && !text.contains(|c: char| c == '@' || c.is_control())
        };
        if let Some(text) = text.filter(|text| !is_fine(text)) {
            return Err(bad_input(format!(
                "\"{}\" is no {what} for a bot: 1 to {MOST_LETTERS} letters without \"@\" are, with no space at either end",
                board::harmless(text)
            )));
        }
    }
    Ok(())
}

/// Has a bot play itself, one player after another, so that four of it do not starve each other.
fn try_out(bot: &seats::Bot, guard: &Guard, terms: &Terms) -> anyhow::Result<()> {
    let manner = Manner { limits: terms.limits, as_process: false, ruleset: terms.settings, files: bot.files.clone() };
    let map: Map = map::generate(SMOKE_SEED, MapSize::default(), terms.settings)?;
    let players: Vec<_> = (0..4).map(|_| Ok(bot.sit(&manner, guard, String::new())?.player)).collect::<anyhow::Result<_>>()?;
    let mut players: Players = BySeat(players.try_into().map_err(|_| bad_input("four bots are wanted"))?);
    let stop = AtomicBool::new(false);
    let turns = referee::play(map, &mut players, AskMode::OneByOne, &stop, |_, _| ());
    for (number, played) in (1..).zip(&turns) {
        for seat in Seat::ALL {
            let Some(said) = &played.said[seat] else { continue };
            let Some(complaint) = &said.complaint else { continue };
            // An illegal action is the bot's own business.
            if said.verdict == pacman2_botzone::response::Verdict::Ok {
                continue;
            }
            let stderr = said.stderr.lines().last().map(|line| format!("; it wrote: {line}")).unwrap_or_default();
            return Err(bad_input(format!(
                "playing itself, it got {} in turn {number}: {complaint}{stderr}",
                said.verdict.name()
            )));
        }
    }
    Ok(())
}

/// Keeps a copy of a bot's files in the store, and says how that is run. Commands that consist of folders, and programs that
/// are found by PATH, stay where they are.
fn copied(store: &Store, text: &str, program: &str) -> anyhow::Result<String> {
    if built_in::is_meant(text) || !Path::new(text).is_file() {
        return absolute(text);
    }
    let folder = store.folder_of_program(program);
    let file = Path::new(text).file_name().unwrap_or_default();
    let written = || format!("the program of {text} cannot be kept in {}", folder.display());
    fs::create_dir_all(&folder).with_context(written)?;
    let unfinished = folder.join(".unfinished");
    fs::copy(text, &unfinished).with_context(written)?;
    fs::rename(&unfinished, folder.join(file)).with_context(written)?;
    let command = folder.join(file);
    let command = command.strip_prefix(store.folder()).unwrap_or(&command);
    Ok(command.to_string_lossy().into_owned())
}

/// A command line that means the same wherever it is run from.
fn absolute(text: &str) -> anyhow::Result<String> {
    if built_in::is_meant(text) {
        let here = env::current_dir().context("the current folder cannot be found")?;
        return Ok(built_in::from_folder(text, &here));
    }
    let there = |path: &Path| -> anyhow::Result<String> {
        let path: PathBuf = fs::canonicalize(path).with_context(|| format!("{} cannot be found", path.display()))?;
        Ok(path.to_string_lossy().into_owned())
    };
    if Path::new(text).is_file() {
        return there(Path::new(text));
    }
    let words = shlex::split(text).unwrap_or_default();
    let words = words.iter().enumerate().map(|(number, word)| {
        let is_ours = if number == 0 { Path::new(word).components().count() > 1 } else { Path::new(word).exists() };
        if is_ours { there(Path::new(word)) } else { Ok(word.clone()) }
    });
    let words = words.collect::<anyhow::Result<Vec<_>>>()?;
    shlex::try_join(words.iter().map(String::as_str)).context("a command line cannot hold a zero byte")
}
