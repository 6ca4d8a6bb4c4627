//! From what was typed as a BOT to somebody who can sit on a seat.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_match::player::{BotProgram, InProcess, Player};
use pacman2_replay::SeatInfo;
use pacman2_rules::Ruleset;
use pacman2_runner::{Language, Launch, Limits, Program, Sandbox, Tier};
use sha2::{Digest, Sha256};

use crate::built_in::{self, Chosen};
use crate::failure::bad_input;
use crate::sandbox::Guard;
use crate::{compile, view};

/// A bot, found and ready to be started.
pub(crate) struct Bot {
    /// What it was called on the command line.
    pub(crate) name: String,
    kind: Kind,
    /// What its program is to the replay.
    program: Option<String>,
    /// The files that it consists of.
    pub(crate) files: Vec<PathBuf>,
}

enum Kind {
    BuiltIn(Chosen),
    Program { command: Vec<OsString>, language: Language },
}

/// How bots are run.
pub(crate) struct Manner {
    pub(crate) limits: Limits,
    pub(crate) as_process: bool,
    /// The rules of the match. Bots read them from init data, except the forfeit ruling.
    pub(crate) ruleset: Ruleset,
    /// The files of all bots of the match.
    pub(crate) files: Vec<PathBuf>,
}

/// A bot that sat down.
pub(crate) struct Seated {
    pub(crate) player: Box<dyn Player>,
    /// How well it is shut in, if it is a process.
    pub(crate) tier: Option<Tier>,
}

impl Bot {
    /// Finds the bot that was typed: a built-in one, a file, or a command line. A source is compiled where its bot may run.
    pub(crate) fn find(text: &str, guard: &Guard) -> anyhow::Result<Bot> {
        let name = text.to_owned();
        if let Some(chosen) = built_in::read(text).transpose()? {
            let (program, files) = (Some(chosen.program()), chosen.files());
            return Ok(Bot { name, kind: Kind::BuiltIn(chosen), program, files });
        }
        let path = Path::new(text);
        let (command, language) =
            if path.is_file() { from_file(path, || guard.sandbox_for(text, false))? } else { from_command_line(text)? };
        // Of a source it is the source's hash: what a compiler makes of it differs from machine to machine.
        let files = if path.is_file() { vec![path.to_owned()] } else { files_in(&command) };
        let program = hash_of_command(&command, &files);
        Ok(Bot { name, kind: Kind::Program { command, language }, program, files })
    }

    /// How many times the limit of time it has as a process.
    pub(crate) fn time_factor(&self) -> u32 {
        match &self.kind {
            Kind::BuiltIn(_) => Language::Cpp.time_factor(),
            Kind::Program { language, .. } => language.time_factor(),
        }
    }

    /// The bot as the replay knows it.
    pub(crate) fn info(&self, as_process: bool) -> SeatInfo {
        let is_process = as_process || matches!(self.kind, Kind::Program { .. });
        let time_factor = is_process.then(|| self.time_factor());
        SeatInfo { name: self.name.clone(), program: self.program.clone(), time_factor }
    }

    /// Lets the bot sit down, in the sandbox if it has to.
    pub(crate) fn sit(&self, manner: &Manner, guard: &Guard, globaldata: String) -> anyhow::Result<Seated> {
        if let Kind::BuiltIn(chosen) = &self.kind
            && !manner.as_process
        {
            let mut mind = chosen.opponent.start();
            let decide = move |seen: &BotView| BotReply::action(mind(seen.game, seen.seat, seen.seed));
            let bot = InProcess::new(decide, globaldata);
            let at_once = chosen.opponent.built_in().at_once;
            let player: Box<dyn Player> = if at_once { Box::new(bot.at_once()) } else { Box::new(bot) };
            return Ok(Seated { player, tier: None });
        }
        let (program, tier) = self.program(manner, guard)?;
        Ok(Seated { player: Box::new(BotProgram::new(program, globaldata)), tier: Some(tier) })
    }

    /// The bot as a program, in the sandbox if it has to, and the tier of that.
    pub(crate) fn program(&self, manner: &Manner, guard: &Guard) -> anyhow::Result<(Program, Tier)> {
        let (command, language, is_ours) = match &self.kind {
            Kind::BuiltIn(chosen) => {
                let this = env::current_exe().context("this program cannot be found to be run again")?;
                let ruling = manner.ruleset.forfeit_ruling.name();
                let mut command = vec![this.into_os_string(), "bot".into()];
                command.extend(chosen.words());
                command.extend(["--ruling".into(), ruling.into()]);
                (command, Language::Cpp, true)
            }
            Kind::Program { command, language } => (command.clone(), *language, false),
        };
        let sandbox = guard.sandbox_for(&self.name, is_ours)?;
        let mut program = Program::new(command, manner.limits.times(language.time_factor()));
        if sandbox.tier() != Tier::C {
            let command = &program.command;
            let view =
                view::of_bot(command, &self.files, &manner.files).map_err(|why| bad_input(format!("{}: {why}", self.name)))?;
            program
                .confine(&sandbox, view)
                .map_err(|reason| bad_input(format!("{}: its sandbox cannot be built: {reason}", self.name)))?;
        }
        Ok((program, sandbox.tier()))
    }
}

/// The files of the bot that was typed, without making sure that there is one.
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
    // A bare name would be looked for in PATH, not here.
    let here = if path.components().count() == 1 { Path::new(".").join(path) } else { path.to_owned() };
    let Some(language) = Language::of_file(path) else {
        if is_executable(path) {
            return Ok((vec![here.into()], Language::Cpp));
        }
        let endings = Language::ALL.into_iter().filter_map(|language| language.extensions().first());
        return Err(bad_input(format!(
            "{}: not executable, and its ending is none of {}; make it executable or give a command line in quotes",
            path.display(),
            endings.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
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
        words.ok_or_else(|| bad_input(format!("\"{text}\" is no command line; a quotation mark is missing, or all of it")))?;
    let program = Path::new(&words[0]);
    let is_path = program.components().count() > 1;
    // As in a shell: what lies here is not found without its "./".
    let is_there = if is_path { words.len() > 1 && program.is_file() } else { find_in_path(program.as_os_str()).is_some() };
    if !is_there {
        return Err(bad_input(match (words.len(), is_path) {
            (1, true) => {
                format!(
                    "{text}: no such file; a bot is a built-in one, a program, a script or source, or a command line in quotes"
                )
            }
            (1, false) => format!("{}, and no file or program of that name", built_in::unknown(text)),
            _ => format!("\"{text}\": there is no program \"{}\"{}", words[0], built_in::guess(&words[0])),
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

/// Where a program of that name is, if PATH leads to it.
pub(crate) fn find_in_path(name: &OsStr) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let file = format!("{}{}", name.to_str()?, env::consts::EXE_SUFFIX);
    env::split_paths(&folders).flat_map(|folder| [folder.join(name), folder.join(&file)]).find(|path| path.is_file())
}

/// What a command line consists of: the files and folders among its arguments, else the program if it is named by its path.
fn files_in(command: &[OsString]) -> Vec<PathBuf> {
    let Some((program, arguments)) = command.split_first() else { return Vec::new() };
    let files: Vec<PathBuf> = arguments.iter().map(PathBuf::from).filter(|path| path.exists()).collect();
    let program = PathBuf::from(program);
    if files.is_empty() && program.components().count() > 1 && program.is_file() { vec![program] } else { files }
}

/// The hash of what is run: of the files, else of the program that PATH leads to.
fn hash_of_command(command: &[OsString], files: &[PathBuf]) -> Option<String> {
    let files: Vec<PathBuf> = files.iter().filter(|path| path.is_file()).cloned().collect();
    if files.is_empty() { hash_of(&[find_in_path(command.first()?)?]) } else { hash_of(&files) }
}

fn hash_of(files: &[PathBuf]) -> Option<String> {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(fs::read(file).ok()?);
    }
    (!files.is_empty()).then(|| hexadecimal(&hash.finalize()))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
