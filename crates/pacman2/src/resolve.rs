//! Resolves BOT arguments: from what was typed to a player on a seat.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_match::player::{BotProgram, InProcess, Player};
use pacman2_replay::SeatInfo;
use pacman2_rules::Ruleset;
use pacman2_runner::{Language, Launch, Limits, Program, Sandbox, Tier};

use crate::built_in::{self, BuiltInBot};
use crate::error::bad_input;
use crate::executables::find_in_path;
use crate::sandbox::Guard;
use crate::{compile, hash, mounts};

/// A bot that was found and can be started.
pub(crate) struct Bot {
    /// Its name: what was typed.
    pub(crate) name: String,
    kind: Kind,
    /// The program's identity in replays.
    program: Option<String>,
    /// The files that it consists of.
    pub(crate) files: Vec<PathBuf>,
}

enum Kind {
    BuiltIn(Box<BuiltInBot>),
    Program { command: Vec<OsString>, language: Language },
}

/// How bots are run.
pub(crate) struct Manner {
    pub(crate) limits: Limits,
    /// Whether built-in bots run as processes, too.
    pub(crate) as_process: bool,
    /// The rules of the match. Bots read them from init data, except the forfeit ruling.
    pub(crate) ruleset: Ruleset,
    /// The files of all bots of the match.
    pub(crate) files: Vec<PathBuf>,
}

/// A bot that was started.
pub(crate) struct Seated {
    pub(crate) player: Box<dyn Player>,
    /// The tier of its sandbox; `None` if it runs in this process.
    pub(crate) tier: Option<Tier>,
}

impl Bot {
    /// Finds a built-in bot, a file, or a command line. Sources are compiled in the sandbox in which the bot will run.
    pub(crate) fn find(text: &str, guard: &Guard) -> anyhow::Result<Bot> {
        let name = text.to_owned();
        if let Some(bot) = built_in::read(text).transpose()? {
            let (program, files) = (Some(bot.program()), bot.files());
            return Ok(Bot { name, kind: Kind::BuiltIn(Box::new(bot)), program, files });
        }
        let path = Path::new(text);
        let (command, language) =
            if path.is_file() { from_file(path, || guard.sandbox_for(text, false))? } else { from_command_line(text)? };
        // A source counts by its own hash: compilers make different programs of it on different machines.
        let files = if path.is_file() { vec![path.to_owned()] } else { files_in(&command) };
        let program = hash_of_command(&command, &files);
        Ok(Bot { name, kind: Kind::Program { command, language }, program, files })
    }

    /// The factor on its time limit as a process.
    pub(crate) fn time_factor(&self) -> u32 {
        match &self.kind {
            Kind::BuiltIn(_) => Language::Cpp.time_factor(),
            Kind::Program { language, .. } => language.time_factor(),
        }
    }

    /// What replays say of the bot.
    pub(crate) fn info(&self, as_process: bool) -> SeatInfo {
        let is_process = as_process || matches!(self.kind, Kind::Program { .. });
        let time_factor = is_process.then(|| self.time_factor());
        SeatInfo { name: self.name.clone(), program: self.program.clone(), time_factor }
    }

    /// Makes the bot a player.
    pub(crate) fn sit(&self, manner: &Manner, guard: &Guard, globaldata: String) -> anyhow::Result<Seated> {
        if let Kind::BuiltIn(bot) = &self.kind
            && !manner.as_process
        {
            let mut agent = bot.config.start();
            let decide = move |view: &BotView| BotReply::action(agent(view.game, view.seat, view.seed));
            let player = InProcess::new(decide, globaldata);
            let at_once = bot.config.built_in().at_once;
            let player: Box<dyn Player> = if at_once { Box::new(player.at_once()) } else { Box::new(player) };
            return Ok(Seated { player, tier: None });
        }
        let (program, tier) = self.program(manner, guard)?;
        Ok(Seated { player: Box::new(BotProgram::new(program, globaldata)), tier: Some(tier) })
    }

    /// Returns the bot as a program, sandboxed unless it is trusted, and the tier of its sandbox.
    pub(crate) fn program(&self, manner: &Manner, guard: &Guard) -> anyhow::Result<(Program, Tier)> {
        let (command, language, is_ours) = match &self.kind {
            Kind::BuiltIn(bot) => {
                let this = env::current_exe().context("cannot find this program to run it again")?;
                let ruling = manner.ruleset.forfeit_ruling.name();
                let mut command = vec![this.into_os_string(), "bot".into()];
                command.extend(bot.arguments());
                command.extend(["--ruling".into(), ruling.into()]);
                (command, Language::Cpp, true)
            }
            Kind::Program { command, language } => (command.clone(), *language, false),
        };
        let sandbox = guard.sandbox_for(&self.name, is_ours)?;
        let mut program = Program::new(command, manner.limits.times(language.time_factor()));
        if sandbox.tier() != Tier::C {
            let mounts = mounts::of_bot(&program.command, &self.files, &manner.files);
            let mounts = mounts.map_err(|error| bad_input(format!("{}: {error}", self.name)))?;
            program
                .confine(&sandbox, mounts)
                .map_err(|reason| bad_input(format!("{}: cannot build its sandbox: {reason}", self.name)))?;
        }
        Ok((program, sandbox.tier()))
    }
}

/// Returns the files of a BOT argument, without a check that the bot exists.
pub(crate) fn files_of(text: &str) -> Vec<PathBuf> {
    let path = Path::new(text);
    if built_in::is_meant(text) {
        return built_in::files_of(text);
    }
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let words: Vec<OsString> = shlex::split(text).unwrap_or_default().into_iter().map(OsString::from).collect();
    files_in(&words)
}

fn from_file(path: &Path, sandbox: impl FnOnce() -> anyhow::Result<Sandbox>) -> anyhow::Result<(Vec<OsString>, Language)> {
    // A bare name would be searched for in PATH, not here.
    let here = if path.components().count() == 1 { Path::new(".").join(path) } else { path.to_owned() };
    let Some(language) = Language::of_file(path) else {
        if is_executable(path) {
            return Ok((vec![here.into()], Language::Cpp));
        }
        let extensions = Language::ALL.into_iter().filter_map(|language| language.extensions().first());
        return Err(bad_input(format!(
            "{}: not executable, and its extension is none of {}; make it executable or give a command line in quotes",
            path.display(),
            extensions.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
        )));
    };
    let command = match language.launch() {
        Launch::Interpreter(words) => words.iter().map(OsString::from).chain([here.into()]).collect(),
        Launch::Compiler(compiler) => vec![compile::cpp(path, compiler, &sandbox()?)?.into()],
    };
    Ok((command, language))
}

fn from_command_line(text: &str) -> anyhow::Result<(Vec<OsString>, Language)> {
    let words = shlex::split(text).filter(|words| !words.is_empty());
    let words =
        words.ok_or_else(|| bad_input(format!("\"{text}\": not a command line: it is empty or misses a quotation mark")))?;
    let program = Path::new(&words[0]);
    let is_path = program.components().count() > 1;
    // As in a shell, a program in the current folder needs its "./".
    let is_there = if is_path { words.len() > 1 && program.is_file() } else { find_in_path(program.as_os_str()).is_some() };
    if !is_there {
        return Err(bad_input(match (words.len(), is_path) {
            (1, true) => {
                format!(
                    "{text}: no such file; expected a built-in bot, a program, a script or source, or a command line in quotes"
                )
            }
            (1, false) => format!("{}, and no file or program of that name", built_in::unknown(text)),
            _ => format!("\"{text}\": no program \"{}\" found{}", words[0], built_in::guess(&words[0])),
        }));
    }
    let language = Language::of_command(program).unwrap_or(Language::Cpp);
    Ok((words.into_iter().map(OsString::from).collect(), language))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exe") || ending.eq_ignore_ascii_case("bat"))
}

/// Returns the files and folders among the arguments of a command line; if there are none, its program if that is a path.
fn files_in(command: &[OsString]) -> Vec<PathBuf> {
    let Some((program, arguments)) = command.split_first() else { return Vec::new() };
    let files: Vec<PathBuf> = arguments.iter().map(PathBuf::from).filter(|path| path.exists()).collect();
    let program = PathBuf::from(program);
    if files.is_empty() && program.components().count() > 1 && program.is_file() { vec![program] } else { files }
}

/// Returns the hash of the files; if there are none, of the program that `PATH` leads to.
fn hash_of_command(command: &[OsString], files: &[PathBuf]) -> Option<String> {
    let files: Vec<PathBuf> = files.iter().filter(|path| path.is_file()).cloned().collect();
    if files.is_empty() { hash::of_files(&[find_in_path(command.first()?)?]) } else { hash::of_files(&files) }
}
