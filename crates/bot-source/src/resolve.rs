//! Finds bots, and starts them as players.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use pacman2_botzone::JsonText;
use pacman2_botzone::bot::{BotReply, BotView};
use pacman2_botzone::problem::Problem;
use pacman2_console::error::{bad_bot, coded, in_words, of_machine};
use pacman2_console::files::{self, folder_of};
use pacman2_console::replay_folder::REPLAYS;
use pacman2_console::text::sanitize;
use pacman2_match::cause::Cause;
use pacman2_match::complaint::Complaint;
use pacman2_match::player::{BotProgram, InProcess, Player, Request, Response};
use pacman2_match::problem::{self, BotProblem, from_sandbox};
use pacman2_match::referee::Players;
use pacman2_replay::SeatInfo;
use pacman2_replay::games::{PACKED_HEAD_BYTES, packed_as};
use pacman2_rules::{BySeat, Ruleset};
use pacman2_runner::{
    Compiler, CppStandard, InputFileError, Language, Limits, Mounts, Program, Sandbox, SandboxError, Tier, open_input_file,
    read_beginning,
};
use sha2::{Digest, Sha256};

use crate::archive::Unpacked;
use crate::bot_folder::{CARGO, PYTHON_MAIN};
use crate::built_in::{self, BuiltInBot};
use crate::compile::CompiledProgram;
use crate::executables::{find_in_path, how_to_install};
use crate::mounts::{DATA, Hidden, Surroundings};
use crate::program_cache::CachedProgram;
use crate::sandbox::SandboxPolicy;
use crate::source::{BotArgument, BotSource};
use crate::source_files::MainSource;
use crate::{bot_folder, compile, hash, mounts};

/// The name of the file that marks a folder as a bot's own: the bot can read all of it.
pub const FOLDER_MARK: &str = "pacman2-bot.txt";
/// What a program is taken to be whose language does not matter.
pub const PROGRAM: &str = "program";
/// The size limit of each file that a bot consists of.
pub const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// A bot that was found and can be started.
pub struct Bot {
    /// Its name: what was typed.
    pub name: String,
    /// What `--trust` calls it: what was typed, or the hash of its program if a stranger named it.
    pub trust_name: String,
    kind: Kind,
    /// The program's identity in replays.
    program: Option<String>,
    /// The files that it consists of.
    pub files: Vec<PathBuf>,
    /// What it can read besides these files.
    pub surroundings: Surroundings,
    /// The archive that it was in, for as long as it may be started.
    unpacked: Option<Unpacked>,
}

enum Kind {
    BuiltIn(Box<BuiltInBot>),
    Program(Command),
}

/// What starts a bot.
struct Command {
    words: Vec<OsString>,
    language: Language,
    /// The program in the cache that it runs, if it is a source or was not executable.
    cached: Option<Arc<CachedProgram>>,
    /// The version of C++ by which it was compiled, and whether it needed that one.
    standard: Option<(CppStandard, bool)>,
}

/// How the bots of a match are started.
pub struct PlayerConfig {
    /// What each bot may use, before the factor of its language.
    pub limits: Limits,
    /// Whether built-in bots run as processes, too.
    pub as_process: bool,
    /// The rules of the match. Bots read them from init data, except the forfeit ruling.
    pub ruleset: Ruleset,
    /// What the bots must not read.
    pub hidden: Hidden,
}

/// What a bot keeps from match to match.
#[derive(Clone, Default)]
pub struct BotMemory {
    /// Its `globaldata`.
    pub globaldata: JsonText,
    /// Where the files of its storage are kept; `None` drops them.
    pub storage: Option<KeptStorage>,
}

/// Where the files of a bot's storage are kept.
#[derive(Clone)]
pub struct KeptStorage {
    /// What it held after the last match, if there was one. Otherwise it begins as the bot's folder `data`.
    pub from: Option<PathBuf>,
    /// An empty folder for what it holds after this match.
    pub to: PathBuf,
}

/// A bot that was started.
pub struct StartedBot {
    /// The player.
    pub player: Box<dyn Player>,
    /// The tier of its sandbox; `None` if it runs in this process.
    pub tier: Option<Tier>,
}

impl Bot {
    /// Finds a bot, so that it can be started. Sources are compiled in the sandbox in which the bot will run.
    ///
    /// # Errors
    ///
    /// If it is not there, or cannot play.
    pub fn find(argument: &BotArgument, policy: &SandboxPolicy) -> anyhow::Result<Bot> {
        let BotArgument { text, source, .. } = argument;
        if let BotSource::BuiltIn(spec) = source {
            let bot = BuiltInBot::read(text, spec.clone())?;
            let (program, files) = (Some(bot.program()), bot.files());
            let kind = Kind::BuiltIn(Box::new(bot));
            let surroundings = Surroundings::Nothing;
            return Ok(Bot { name: text.clone(), trust_name: text.clone(), kind, program, files, surroundings, unpacked: None });
        }
        let unpacked = Unpacked::from_source(source)?;
        Bot::find_in(argument, &unpacked, policy).map_err(|error| unpacked.named(error))
    }

    fn find_in(argument: &BotArgument, unpacked: &Unpacked, policy: &SandboxPolicy) -> anyhow::Result<Bot> {
        let BotArgument { text, standard, .. } = argument;
        let source = &unpacked.source;
        let in_file = |file: PathBuf| -> anyhow::Result<(Command, Vec<PathBuf>)> {
            check_file(&file)?;
            let own = own_folder_of(unpacked, &file);
            let source = MainSource { path: &file, own_folder: own.as_deref() };
            Ok((from_file(&source, *standard, || policy.sandbox_for(text, false))?, vec![file]))
        };
        let (command, files) = match source {
            BotSource::CommandLine(words) => (from_command_line(text, words)?, files_in(words)),
            BotSource::Folder(folder) => in_file(bot_in(folder)?)?,
            BotSource::File(file) | BotSource::Archive(file) => in_file(file.clone())?,
            BotSource::BuiltIn(_) => unreachable!("built-in bots have no files"),
        };
        files.iter().filter(|file| file.is_file()).try_for_each(|file| check_file(file))?;
        let is_archive = matches!(argument.source, BotSource::Archive(_));
        let program = program_of(unpacked, is_archive, *standard, &command, &files)?;
        let surroundings = surroundings_of(source, &files);
        let kind = Kind::Program(command);
        let (name, trust_name) = (text.clone(), text.clone());
        Ok(Bot { name, trust_name, kind, program, files, surroundings, unpacked: Some(unpacked.clone()) })
    }

    /// Returns what its author should know of how it was compiled, if anything.
    pub fn remark(&self) -> Option<String> {
        match &self.kind {
            Kind::Program(Command { standard: Some((standard, true)), .. }) => Some(format!(
                "{}: it is not valid C++17 and was compiled as {standard}; choose that with --std {}, as on Botzone",
                sanitize(&self.name),
                standard.name()
            )),
            _ => None,
        }
    }

    /// Returns what it was taken to be, such as `C++11`.
    pub fn taken_as(&self) -> String {
        match &self.kind {
            Kind::BuiltIn(_) => "built-in".to_owned(),
            Kind::Program(Command { standard: Some((standard, _)), .. }) => standard.to_string(),
            Kind::Program(Command { language: Language::Cpp, .. }) => PROGRAM.to_owned(),
            Kind::Program(command) => command.language.name().to_owned(),
        }
    }

    /// Returns the command that repeats its compilation in the folder of the source, if it is one.
    pub fn compilation(&self) -> Option<String> {
        let (Kind::Program(Command { standard, .. }), [path]) = (&self.kind, &self.files[..]) else { return None };
        let standard = standard.map_or(CppStandard::Cpp17, |(standard, _)| standard);
        compile::shown_command(&MainSource { path, own_folder: None }, standard)
    }

    /// The factor on its time limit as a process.
    pub fn time_factor(&self) -> u32 {
        match &self.kind {
            Kind::BuiltIn(_) => Language::Cpp.time_factor(),
            Kind::Program(command) => command.language.time_factor(),
        }
    }

    /// What replays say of the bot.
    pub fn info(&self, as_process: bool) -> SeatInfo {
        let is_process = as_process || matches!(self.kind, Kind::Program(_));
        let time_factor = is_process.then(|| self.time_factor());
        SeatInfo { name: self.name.clone(), program: self.program.clone(), time_factor }
    }

    /// Starts the bot as a player.
    pub fn start(&self, config: &PlayerConfig, policy: &SandboxPolicy, memory: BotMemory) -> anyhow::Result<StartedBot> {
        if let Kind::BuiltIn(bot) = &self.kind
            && !config.as_process
        {
            let mut agent = bot.config.start();
            let decide = move |view: &BotView| BotReply::action(agent(view.game, view.seat, view.seed));
            let player = InProcess::new(decide, memory.globaldata.into_text());
            let at_once = bot.config.built_in().at_once;
            let player: Box<dyn Player> = if at_once { Box::new(player.at_once()) } else { Box::new(player) };
            return Ok(StartedBot { player, tier: None });
        }
        let (program, tier) = self.program(config, policy, memory.storage.as_ref())?;
        let program = BotProgram::new(program, memory.globaldata);
        let player = Box::new(KeptPlayer { program, _cached: self.cached().cloned(), _unpacked: self.unpacked.clone() });
        Ok(StartedBot { player, tier: Some(tier) })
    }

    /// Starts the bot to be asked without a match, and says what its sandbox lacks.
    pub fn start_alone(
        &self,
        limits: Limits,
        as_process: bool,
        ruleset: Ruleset,
        policy: &SandboxPolicy,
    ) -> anyhow::Result<StartedBot> {
        let hidden = Hidden { bots: self.files.clone(), folders: Vec::new() };
        let started = self.start(&PlayerConfig { limits, as_process, ruleset, hidden }, policy, BotMemory::default())?;
        policy.warn([(self.name.as_str(), started.tier)]);
        Ok(started)
    }

    /// Returns the program in the cache that it starts, if there is one.
    fn cached(&self) -> Option<&Arc<CachedProgram>> {
        match &self.kind {
            Kind::Program(command) => command.cached.as_ref(),
            Kind::BuiltIn(_) => None,
        }
    }

    /// Returns the bot as a program, sandboxed unless it is trusted, and the tier of its sandbox.
    pub fn program(
        &self,
        config: &PlayerConfig,
        policy: &SandboxPolicy,
        kept: Option<&KeptStorage>,
    ) -> anyhow::Result<(Program, Tier)> {
        let (command, language, is_ours) = match &self.kind {
            Kind::BuiltIn(bot) => {
                let this = env::current_exe().context("cannot find this program to run it again")?;
                let ruling = config.ruleset.forfeit_ruling.name();
                let mut command = vec![this.into_os_string(), "bot".into()];
                command.extend(bot.arguments());
                command.extend(["--ruling".into(), ruling.into()]);
                (command, Language::Cpp, true)
            }
            Kind::Program(Command { words, language, .. }) => (words.clone(), *language, false),
        };
        let sandbox = policy.sandbox_for(&self.trust_name, is_ours)?;
        let mut program = Program::new(command, policy.limits(config.limits).times(language.time_factor()));
        if sandbox.has_supervisor() {
            let mut mounts = Mounts::default();
            if sandbox.tier() != Tier::C {
                mounts = mounts::of_bot(&program.command, &self.files, &self.surroundings, &config.hidden, kept)
                    .map_err(|error| coded(error.problem(), format!("{}: {error}", self.name)))?;
                mounts.readable.extend(self.cached().map(|program| program.path.clone()));
            }
            program
                .confine(&sandbox, mounts)
                .map_err(|error| of_machine(from_sandbox(&error), format!("{}: cannot build its sandbox: {error}", self.name)))?;
        }
        Ok((program, sandbox.tier()))
    }

    /// Returns what to do if the bot crashed for lack of a file that its sandbox hides from it.
    pub fn advice_on_files<'a>(&self, hidden: &Hidden, mut responses: impl Iterator<Item = &'a Response>) -> Option<String> {
        let file = self.files.iter().find(|file| file.is_file()).filter(|_| matches!(self.kind, Kind::Program(_)))?;
        let (name, folder) = (sanitize(&self.name), folder_of(file));
        match &self.surroundings {
            _ if !responses.any(|response| lacked_a_file(response, folder, file)) => return None,
            Surroundings::Folder(own) if mounts::is_own(own, &self.files, hidden) => {
                let is_elsewhere = env::current_dir().is_ok_and(|here| !files::are_same(&here, own));
                return is_elsewhere.then(|| {
                    format!(
                        "{name} can read its folder, but starts in the folder of this command; name its files by the path of the bot, as Path(__file__).parent / \"net.bin\" does in Python"
                    )
                });
            }
            Surroundings::Nothing | Surroundings::Copied => {
                return Some(format!(
                    "{name} can only read its own file and the folder {DATA} beside it, because the arena copies nothing else; to play it where it is, add it with --in-place"
                ));
            }
            _ => {}
        }
        let is_only_bot = bot_in(folder).is_ok_and(|bot| files::are_same(&bot, file));
        let way = if is_only_bot && mounts::is_own(folder, &self.files, hidden) {
            format!("give the folder {} as the bot", folder.display())
        } else {
            "put it into a folder of its own and give that folder as the bot".to_owned()
        };
        let is_python = matches!(&self.kind, Kind::Program(Command { language: Language::Python, .. }));
        let bundle = if is_python { ", or make one file of its modules with \"pacman2 bundle\"" } else { "" };
        Some(format!(
            "{name} can read its own file and the folder {DATA} beside it, but nothing else in its folder; if it needs more, {way}, or move these files into {DATA}{bundle}"
        ))
    }
}

/// Starts four bots as players, all at once: building a sandbox takes milliseconds, and most of them are waiting. Returns the
/// players and the tiers of their sandboxes.
pub fn start_all(
    bots: BySeat<&Bot>,
    memories: BySeat<BotMemory>,
    config: &PlayerConfig,
    policy: &SandboxPolicy,
) -> anyhow::Result<(Players, BySeat<Option<Tier>>)> {
    let started = thread::scope(|scope| {
        let threads: Vec<_> = (bots.0.into_iter().zip(memories.0))
            .map(|(bot, memory)| thread::Builder::new().spawn_scoped(scope, move || bot.start(config, policy, memory)))
            .collect();
        let results = threads.into_iter().map(|thread| {
            let thread = thread.context("cannot start a thread")?;
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        results.collect::<anyhow::Result<Vec<_>>>()
    });
    let (players, tiers): (Vec<_>, Vec<_>) = started?.into_iter().map(|StartedBot { player, tier }| (player, tier)).unzip();
    let four = "as many as there are bots";
    Ok((BySeat(players.try_into().ok().expect(four)), BySeat(tiers.try_into().expect(four))))
}

/// A bot as a program, whose files stay where they are during the match.
struct KeptPlayer {
    program: BotProgram,
    _cached: Option<Arc<CachedProgram>>,
    _unpacked: Option<Unpacked>,
}

impl Player for KeptPlayer {
    fn ask(&mut self, request: &Request<'_>) -> Response {
        self.program.ask(request)
    }

    fn recall(&mut self, request: &Request<'_>, response: &JsonText) {
        self.program.recall(request, response);
    }

    fn overrule(&mut self, response: &JsonText) {
        self.program.overrule(response);
    }

    fn restart(&mut self) {
        self.program.restart();
    }

    fn answers_at_once(&self) -> bool {
        self.program.answers_at_once()
    }

    fn globaldata(&self) -> JsonText {
        self.program.globaldata()
    }

    fn data(&self) -> JsonText {
        self.program.data()
    }

    fn keep_storage(&mut self) -> Result<bool, SandboxError> {
        self.program.keep_storage()
    }

    fn restore_data(&mut self, data: JsonText) {
        self.program.restore_data(data);
    }
}

/// Prints what the authors of these bots should know, once each.
pub fn print_remarks<'a>(bots: impl IntoIterator<Item = &'a Bot>) {
    let remarks: BTreeSet<String> = bots.into_iter().filter_map(Bot::remark).collect();
    for remark in remarks {
        eprintln!("pacman2: {remark}");
    }
}

/// Returns the identity of a program: what its games depend on.
fn program_of(
    unpacked: &Unpacked,
    is_archive: bool,
    standard: Option<CppStandard>,
    command: &Command,
    files: &[PathBuf],
) -> anyhow::Result<Option<String>> {
    let (file, folder) = match (&unpacked.source, files) {
        (BotSource::Folder(folder), [file]) => (file, Some(folder)),
        (BotSource::File(_), [file]) => (file, None),
        _ => return Ok(hash_of_command(&command.words, files)),
    };
    // All of an archive was handed in as the bot.
    let is_source = Compiler::from_file(file).is_some();
    let is_whole = (is_archive && !is_source) || file.file_name() == Some(OsStr::new(PYTHON_MAIN));
    if let Some(folder) = folder.filter(|_| is_whole) {
        return Ok(hash::of_folder(folder));
    }
    if !is_source {
        return Ok(hash_of_command(&command.words, files));
    }
    // A source counts by its own hash and that of its headers: compilers make different programs of it on different machines.
    let hash = compile::hash_of_source(&MainSource { path: file, own_folder: own_folder_of(unpacked, file).as_deref() })?;
    let standard = standard.filter(|_| command.language == Language::Cpp);
    Ok(match standard.or_else(|| CppStandard::from_file(file)) {
        Some(standard) => hash.map(|hash| hash::hexadecimal(&Sha256::digest(format!("{hash} {}", standard.name())))),
        None => hash,
    })
}

/// Returns the folder whose files are all a bot's own, because the user named or marked it.
pub fn own_folder(unpacked: &Unpacked, file: &Path) -> Option<PathBuf> {
    own_folder_of(unpacked, file).or_else(|| match surroundings_of(&unpacked.source, &[file.to_owned()]) {
        Surroundings::Folder(folder) => Some(folder),
        _ => None,
    })
}

/// Returns the folder that was handed in as the bot; of a general folder, only the part with the bot.
fn own_folder_of(unpacked: &Unpacked, file: &Path) -> Option<PathBuf> {
    let BotSource::Folder(inner) = &unpacked.source else { return None };
    let is_own = |folder: &&PathBuf| mounts::is_own(folder, &[file.to_owned()], &Hidden::default());
    Some(unpacked.folder.as_ref().filter(is_own).unwrap_or(inner).clone())
}

/// Returns what a bot can read besides its files: its folder only if the user named the folder or marked it.
fn surroundings_of(source: &BotSource, files: &[PathBuf]) -> Surroundings {
    if let BotSource::Folder(folder) = source {
        return Surroundings::Folder(folder.clone());
    }
    let is_marked = |folder: &&Path| fs::symlink_metadata(folder.join(FOLDER_MARK)).is_ok_and(|mark| mark.is_file());
    // Anyone can put a mark into an archive that is unpacked among others, so only the bot of the folder counts.
    let is_bot_of = |folder: &Path, file: &Path| bot_in(folder).is_ok_and(|bot| files::are_same(&bot, file));
    let mut folders = files.iter().filter(|file| file.is_file()).map(|file| (folder_of(file), file));
    let own = folders.find(|(folder, file)| is_marked(folder) && is_bot_of(folder, file));
    own.map_or(Surroundings::Data, |(folder, _)| Surroundings::Folder(folder.to_owned()))
}

/// Whether a bot crashed for lack of a file or module that lies beside it.
fn lacked_a_file(response: &Response, folder: &Path, bot: &Path) -> bool {
    let missing = response.complaint.as_ref().and_then(Complaint::cause).and_then(Cause::missing);
    let Some(name) = missing.and_then(|name| Path::new(name).file_name()) else { return false };
    // A module is named without its extension.
    let is_named = |path: &Path| path.file_name() == Some(name) || path.file_stem() == Some(name);
    let is_known =
        |path: &Path| [FOLDER_MARK, REPLAYS].iter().any(|known| path.ends_with(known)) || path.file_name() == bot.file_name();
    let is_other = |path: PathBuf| is_named(&path) && !is_known(&path) && !bot_folder::is_hidden(&path);
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| is_other(entry.path()))
}

/// Checks that a file of a bot is regular and not too large.
fn check_file(path: &Path) -> anyhow::Result<()> {
    open_input_file(path, MAX_FILE_BYTES).map(drop).or_else(|error| match error {
        // A program need not be readable to be run.
        InputFileError::Io(_) => Ok(()),
        error => {
            let problem = Problem::new("bot-file").with("file", path.to_string_lossy());
            Err(coded(problem.because(&[problem::from_file(&error)]), format!("{}: {error}", path.display())))
        }
    })
}

/// Finds the bot in a folder: a script, a source, or a program; in a Cargo project, the program that Cargo built.
pub(crate) fn bot_in(folder: &Path) -> anyhow::Result<PathBuf> {
    bot_folder::find_bot(folder, is_program).or_else(|candidates| {
        let name = folder.display();
        if !candidates.is_empty() {
            let names = bot_folder::names_of(&candidates);
            return Err(coded(
                in_folder("bot-several", folder).with("names", names.as_str()),
                format!("{name}: expected one bot in this folder, got {names}; give the file that is the bot, or name it main"),
            ));
        }
        if folder.join(CARGO).is_file() {
            let built = folder.join("target").join("release");
            return bot_folder::find_bot(&built, is_program).map_err(|candidates| match &candidates[..] {
                [] => coded(
                    in_folder("bot-cargo", folder),
                    format!("{name}: the Rust bot in this folder has not been built; run \"cargo build --release\" in it first"),
                ),
                several => {
                    let names = bot_folder::names_of(several);
                    coded(
                        in_folder("bot-several", &built).with("names", names.as_str()),
                        format!("{}: expected one program, got {names}; give the one that is the bot", built.display()),
                    )
                }
            });
        }
        let names = bot_folder::content_of(folder);
        Err(coded(
            in_folder("bot-none", folder).with("extensions", extensions()),
            format!(
                "{name}: no bot in this folder; expected one file with the extension {}, or one executable, got {names}",
                extensions()
            ),
        ))
    })
}

/// Returns whether a file may be a program that was compiled elsewhere.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    path.is_file() && (extension == env::consts::EXE_EXTENSION && is_executable(path) || is_elf(path))
}

/// Returns whether a file is a program for Linux, whether or not it may be run: downloads and archives lose the permission.
fn is_elf(path: &Path) -> bool {
    const MAGIC: &[u8; 4] = b"\x7fELF";
    let extension = path.extension().unwrap_or_default();
    let is_like_one = extension.is_empty() || extension.eq_ignore_ascii_case("elfbin");
    is_like_one && beginning_of(path).is_some_and(|beginning| beginning.starts_with(MAGIC))
}

/// Returns a problem with what is in a folder.
fn in_folder(code: &str, folder: &Path) -> Problem {
    Problem::new(code).with("folder", folder.to_string_lossy())
}

/// Returns the extensions of scripts and sources.
fn extensions() -> String {
    let extensions = Language::all().flat_map(Language::usual_extensions);
    extensions.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
}

fn from_file(
    source: &MainSource<'_>,
    standard: Option<CppStandard>,
    sandbox: impl FnOnce() -> anyhow::Result<Sandbox>,
) -> anyhow::Result<Command> {
    let path = source.path;
    // A bare name would be searched for in PATH, not here.
    let here = if path.components().count() == 1 { Path::new(".").join(path) } else { path.to_owned() };
    let Some(language) = Language::from_file(path) else {
        if let Some(kind) = other_kind(path) {
            return Err(in_words(compile::about("bot-other-kind", path).with("kind", kind)));
        }
        if is_executable(path) {
            return Ok(Command::from_words(vec![here.into()], Language::Cpp));
        }
        if is_elf(path) {
            let program = compile::executable(path)?;
            let words = vec![program.path.clone().into()];
            return Ok(Command { cached: Some(Arc::new(program)), ..Command::from_words(words, Language::Cpp) });
        }
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ts")) {
            let (command, program) =
                (format!("tsc {}", path.file_name().unwrap_or_default().display()), path.with_extension("js"));
            let problem = Problem::new("bot-unbuilt").with("file", path.to_string_lossy()).with("command", command.as_str());
            let (path, program) = (path.display(), program.display());
            return Err(coded(
                problem.with("program", program.to_string()),
                format!(
                    "{path}: TypeScript plays as JavaScript; run \"{command}\" in the folder of the file, then play {program}"
                ),
            ));
        }
        return Err(in_words(compile::about("bot-not-executable", path).with("extensions", extensions())));
    };
    check_interpreter(path, language)?;
    let Some(compiler) = Compiler::from_file(path) else {
        let words = language.interpreter().iter().map(OsString::from).chain([here.into()]);
        return Ok(Command::from_words(words.collect(), language));
    };
    let CompiledProgram { program, standard } = compile::program(source, standard, language, compiler, &sandbox()?)?;
    let words = compile::run_command(compiler, &program.path);
    Ok(Command { words, language, cached: Some(Arc::new(program)), standard })
}

impl Command {
    fn from_words(words: Vec<OsString>, language: Language) -> Command {
        Command { words, language, cached: None, standard: None }
    }
}

/// Checks that this machine has what a bot needs that is a file: its interpreter, and its compiler if it is a source.
///
/// # Errors
///
/// If something is missing. It can be installed.
pub fn check_tools(path: &Path) -> anyhow::Result<()> {
    let Some(language) = Language::from_file(path) else { return Ok(()) };
    check_interpreter(path, language)?;
    Compiler::from_file(path).map_or(Ok(()), |compiler| compile::check_compiler(path, language, compiler))
}

/// Checks that what runs a file of this language is installed.
fn check_interpreter(path: &Path, language: Language) -> anyhow::Result<()> {
    let words = Compiler::from_file(path).map_or(language.interpreter(), |compiler| compiler.run);
    if words[0] == "PROGRAM" || find_in_path(OsStr::new(words[0])).is_some() {
        return Ok(());
    }
    let (program, package) = (words[0], language.package());
    let problem = Problem::new("bot-no-interpreter").with("file", path.to_string_lossy());
    Err(coded(
        problem.with("program", program).with("package", package),
        format!("{}: {program} not found; install it{}", path.display(), how_to_install(package)),
    ))
}

/// Returns what a file is that people hand in instead of a bot, by how it begins.
fn other_kind(path: &Path) -> Option<&'static str> {
    let beginning = beginning_of(path)?;
    match &beginning[..] {
        [b'P', b'K', 3, 4, ..] => Some("ZIP or Office (.docx)"),
        [b'%', b'P', b'D', b'F', ..] => Some("PDF"),
        beginning => packed_as(beginning),
    }
}

/// Returns the first bytes of a file, as many as show what it is.
pub(crate) fn beginning_of(path: &Path) -> Option<Vec<u8>> {
    read_beginning(path, PACKED_HEAD_BYTES as u64).ok()
}

fn from_command_line(text: &str, words: &[String]) -> anyhow::Result<Command> {
    let program = Path::new(&words[0]);
    let is_path = program.components().count() > 1;
    // As in most shells, a program in the current folder needs its "./".
    let in_path = find_in_path(program.as_os_str()).filter(|_| !is_path);
    // A single word is a name, not a command: it must not start what `PATH` happens to have under it.
    if words.len() == 1
        && let Some(installed) = &in_path
    {
        return Err(coded(
            Problem::new("bot-installed").with("program", installed.to_string_lossy()),
            format!(
                "{}, and no file or folder of that name; to play the program {}, give this path",
                built_in::unknown(text),
                installed.display()
            ),
        ));
    }
    let is_there = if is_path { words.len() > 1 && program.is_file() } else { in_path.is_some() };
    if !is_there {
        // No built-in bot has a dot in its name.
        let looks_like_file = is_path || program.extension().is_some();
        let (problem, reason) = match (words.len(), looks_like_file) {
            (1, true) => (
                BotProblem::NoSuchProgram,
                format!(
                    "{text}: no such file; expected a built-in bot, a program, a script or source, or a command line in quotes"
                ),
            ),
            (1, false) => (BotProblem::Unknown, format!("{}, and no file or program of that name", built_in::unknown(text))),
            _ => {
                let hint = if program.is_file() {
                    format!("; the file here is started as {}", Path::new(".").join(program).display())
                } else {
                    built_in::guess(&words[0])
                };
                (BotProblem::NoSuchProgram, format!("\"{text}\": no program \"{}\" found{hint}", words[0]))
            }
        };
        return Err(bad_bot(problem, reason));
    }
    let language = Language::from_command(program).unwrap_or(Language::Cpp);
    Ok(Command::from_words(words.iter().map(OsString::from).collect(), language))
}

#[cfg(unix)]
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_executable(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exe") || ending.eq_ignore_ascii_case("bat"))
}

/// Returns the files and folders among the arguments of a command line; if there are none, its program if that is a path.
pub(crate) fn files_in(command: &[String]) -> Vec<PathBuf> {
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
