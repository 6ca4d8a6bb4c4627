//! `pacman2 serve`: the viewer in a browser.

mod contest;
mod workshop;

use std::fs;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use anyhow::Context;
use pacman2_analysis::cache::AnalysisCache;
use pacman2_analysis::position::{Analyst, DEFAULT_SIMULATIONS};
use pacman2_analysis::queries::Engine;
use pacman2_arena::game_player::Concurrency;
use pacman2_bot_source::mounts::Hidden;
use pacman2_bot_source::resolve::{Bot, BotMemory, PlayerConfig};
use pacman2_bot_source::sandbox::{SandboxOptions, SandboxPolicy};
use pacman2_bot_source::source::BotArgument;
use pacman2_bot_source::watchdog;
use pacman2_bots::{Effort, sage};
use pacman2_console::error::{BadInput, bad_input, causes_of};
use pacman2_console::json_output::labelled;
use pacman2_console::replay_folder;
use pacman2_console::replay_folder::REPLAYS;
use pacman2_console::stdout::stdout;
use pacman2_match::problem::BotProblem;
use pacman2_rules::Seat;
use pacman2_tournament::Store;
use pacman2_web::server::{
    AnalysisEffort, AnalysisRequest, Backend, BackendError, MAX_RUNNING, MatchOptions, SeatedBot, Server, StopSignal, Timeouts,
};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::analysis_folder::AnalysisFolder;
use crate::args::ServeArgs;
use crate::viewer;
use workshop::{ComparisonFolder, LocalWorkshop};

/// The port if none is given, and how many ports above it are tried.
const PORT: u16 = 8770;
const PORTS_TRIED: u16 = 100;

/// The checked options of the server.
struct ServeOptions {
    listener: TcpListener,
    is_local: bool,
    folder: PathBuf,
    arena: Option<Store>,
    bots: Option<PathBuf>,
    token: String,
    sandbox: SandboxOptions,
    open: bool,
    json: bool,
}

pub(crate) fn run(args: ServeArgs) -> anyhow::Result<ExitCode> {
    if let Some(code) = watchdog::start()? {
        return Ok(code);
    }
    if let Some(folder) = &args.contest {
        return contest::run(folder, &args);
    }
    let ServeOptions { listener, is_local, folder, arena, bots, token, sandbox, open, json } = ServeOptions::new(args)?;
    let has_arena = arena.is_some();
    let hidden_folders = [folder.clone()].into_iter().chain(arena.as_ref().map(|arena| arena.folder().to_owned())).collect();
    let server = Server::new(listener, &folder, token.clone()).context("cannot start the server")?;
    let server = if let Some(arena) = arena { server.with_arena(arena) } else { server };
    let programs = Arc::new(Programs::new(sandbox, bots.is_some()));
    let comparison = ComparisonFolder::default();
    let server = server.with_workshop(LocalWorkshop::new(&programs, &comparison));
    let server = if let Some(bots) = bots { server.with_bots(bots) } else { server };
    let stop = StopSignal::default();
    let requested = stop.clone();
    ctrlc::set_handler(move || requested.request()).context("cannot install the handler for Ctrl-C")?;

    let new_address = || server.url().context("cannot draw a random code");
    let address = new_address()?;
    // The arena's page needs no code.
    let arena = address.split_once("/#").filter(|_| has_arena).map(|(server, _)| format!("{server}/arena"));
    if !is_local {
        eprintln!("pacman2: warning: anyone who can reach this machine can watch, and with the token start programs on it");
    }
    print_address(&address, arena.as_deref(), &token, json)?;
    // The file is removed when the server ends.
    let _redirect = match (open, &arena) {
        (false, _) => None,
        (true, Some(arena)) => open_browser(&folder, arena),
        // A code works once, so the printed address keeps its own.
        (true, None) => open_browser(&folder, &new_address()?),
    };
    let analyses = Arc::new(AnalysisFolder::beside(&folder));
    let backend = LocalBackend { folder, hidden_folders, programs, analyses, adding: Mutex::default() };
    let served = server.run(backend, &stop);
    pacman2_runner::sweep();
    // A comparison may still be in its trial, which cannot be stopped.
    drop(comparison.lock().unwrap_or_else(PoisonError::into_inner).take());
    served.context("the server failed")?;
    Ok(ExitCode::SUCCESS)
}

impl ServeOptions {
    fn new(args: ServeArgs) -> anyhow::Result<ServeOptions> {
        let folder = args.folder;
        if folder == Path::new(REPLAYS) {
            fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder {REPLAYS}"))?;
        }
        if !folder.is_dir() {
            return Err(bad_input(format!("--folder {}: no such folder", folder.display())));
        }
        replay_folder::check_last(&folder)?;
        if let Some(bots) = &args.bots {
            fs::create_dir_all(bots)
                .map_err(|error| bad_input(format!("--bots {}: cannot create this folder: {error}", bots.display())))?;
        }
        let open_arena = |folder: PathBuf| Store::open_to_read(&folder).map_err(|error| bad_input(format!("--arena {error}")));
        Ok(ServeOptions {
            arena: args.arena.map(open_arena).transpose()?,
            bots: args.bots,
            listener: listen(args.bind, args.port)?,
            token: args.token.map_or_else(pacman2_web::server::new_token, Ok).context("cannot draw a random token")?,
            is_local: args.bind.is_loopback(),
            folder,
            sandbox: args.sandbox.options(),
            open: args.open,
            json: args.json,
        })
    }
}

fn listen(ip: IpAddr, port: Option<u16>) -> anyhow::Result<TcpListener> {
    let ports = port.map_or(PORT..=PORT + PORTS_TRIED, |port| port..=port);
    let mut result = Err(io::ErrorKind::AddrInUse.into());
    for port in ports.clone() {
        result = TcpListener::bind(SocketAddr::new(ip, port));
        if !matches!(&result, Err(error) if error.kind() == io::ErrorKind::AddrInUse) {
            break;
        }
    }
    result.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse if port.is_some() => {
            bad_input(format!("--port {}: another program listens on this port", ports.start()))
        }
        io::ErrorKind::AddrInUse => {
            bad_input(format!("other programs listen on all ports from {} to {}; choose a --port", ports.start(), ports.end()))
        }
        _ => bad_input(format!("--bind {ip}: cannot listen on this address: {error}")),
    })
}

fn print_address(address: &str, arena: Option<&str>, token: &str, json: bool) -> io::Result<()> {
    let mut out = stdout();
    if json {
        let mut line = json!({ "address": address, "token": token });
        if let Some(arena) = arena {
            line["arena"] = arena.into();
        }
        writeln!(out, "{}", labelled("serve", line))?;
    } else {
        let arena = arena.map(|arena| format!("The arena is at {arena}\n")).unwrap_or_default();
        writeln!(
            out,
            "The viewer is at {address}\n{arena}The address works once, within {} minutes; for more windows, the token is {token}\n\
             Press Ctrl-C to stop.",
            Timeouts::default().code.as_secs() / 60,
        )?;
    }
    out.flush()
}

/// Opens the address in a browser through a file that only we can read: other users of this machine can see the arguments of
/// programs, and must not see the code.
fn open_browser(folder: &Path, address: &str) -> Option<NamedTempFile> {
    let page = format!("<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={address}\">\n");
    let redirect = || -> io::Result<NamedTempFile> {
        let mut file = tempfile::Builder::new().prefix(".pacman2-").suffix(".html").tempfile_in(fs::canonicalize(folder)?)?;
        file.write_all(page.as_bytes())?;
        Ok(file)
    };
    match redirect() {
        Ok(file) => {
            let path = file.path().to_owned();
            thread::spawn(move || viewer::open(path, "the address"));
            Some(file)
        }
        Err(error) => {
            eprintln!("pacman2: warning: cannot write to {} ({error}); open the address yourself", folder.display());
            None
        }
    }
}

/// How programs of the server run: those in matches, and those of the user's own bots.
struct Programs {
    sandbox: SandboxOptions,
    /// Set when the first bot starts.
    policy: OnceLock<SandboxPolicy>,
    /// How many bots may run at the same time.
    at_once: usize,
}

impl Programs {
    /// Prepares for programs in matches and, with `has_own`, for a task of the user's own bots beside them.
    fn new(sandbox: SandboxOptions, has_own: bool) -> Programs {
        let own = if has_own { Concurrency::from_machine(None).bots_at_once() } else { 0 };
        Programs { sandbox, policy: OnceLock::new(), at_once: Seat::ALL.len() * MAX_RUNNING + own }
    }

    fn policy(&self) -> &SandboxPolicy {
        let policy = self.policy.get_or_init(|| SandboxPolicy::new(self.sandbox.clone()));
        policy.share_tasks(self.at_once);
        policy
    }
}

/// The server's access to bots, replays and analysis on this machine.
struct LocalBackend {
    folder: PathBuf,
    /// The folders that bots do not see: replays, and the arena if there is one.
    hidden_folders: Vec<PathBuf>,
    programs: Arc<Programs>,
    /// The analyses that are kept in the folder.
    analyses: Arc<dyn AnalysisCache>,
    /// Held while a replay's name is chosen.
    adding: Mutex<()>,
}

impl Backend for LocalBackend {
    fn seat_bot(&self, text: &str, lineup: &[String; 4], options: &MatchOptions) -> Result<SeatedBot, BackendError> {
        let MatchOptions { limits, ruleset } = *options;
        let start = || {
            let policy = self.programs.policy();
            let bot = Bot::find(&text.parse()?, policy)?;
            let bots = lineup
                .iter()
                .flat_map(|bot| bot.parse().map_or_else(|_| Vec::new(), |bot: BotArgument| bot.source.files()))
                .collect();
            let hidden = Hidden { bots, folders: self.hidden_folders.clone() };
            let config = PlayerConfig { limits, as_process: false, ruleset, hidden };
            let started = bot.start(&config, policy, BotMemory::default())?;
            policy.warn([(text, started.tier)]);
            anyhow::Ok(SeatedBot { info: bot.info(false), player: started.player, tier: started.tier })
        };
        start().map_err(backend_error)
    }

    fn built_in_bots(&self) -> Vec<&'static str> {
        pacman2_bots::BUILT_IN.iter().map(|bot| bot.name).collect()
    }

    fn save_replay(&self, replay: &str) -> Result<String, BackendError> {
        let _lock = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let path = replay_folder::add(&self.folder, replay).map_err(backend_error)?;
        Ok(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    fn analyse(&self, request: &AnalysisRequest<'_>, keep_going: &dyn Fn() -> bool) -> Value {
        let &AnalysisRequest { game, turn, actions, effort } = request;
        let effort = match effort {
            Some(AnalysisEffort::Time(time)) => Effort::Time(time),
            Some(AnalysisEffort::Simulations(number)) => Effort::Simulations(number),
            None => Effort::Simulations(DEFAULT_SIMULATIONS),
        };
        let mut analyst = Analyst::new(effort).with_cache(Arc::clone(&self.analyses));
        match actions {
            Some(actions) => analyst.analyse_played(game, turn, actions, keep_going).json(),
            None => analyst.analyse(&game.before(turn as usize), turn, keep_going).json(),
        }
    }

    fn decide(&self, mut query: serde_json::Map<String, Value>) -> Result<Value, BackendError> {
        query.insert("op".to_owned(), "decide".into());
        let answer = Engine::new(sage::system_clock()).ask(&Value::from(query).to_string());
        let mut answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
        match answer["error"].as_str() {
            Some(error) => {
                let cause = serde_json::from_value(answer["problem"].clone()).ok();
                Err(BackendError { causes: cause.into_iter().collect(), ..error.into() })
            }
            None => Ok(answer["ok"].take()),
        }
    }
}

fn backend_error(error: anyhow::Error) -> BackendError {
    let bot = error.downcast_ref().map_or(BotProblem::Other, |BadInput { bot, .. }| *bot);
    BackendError { bot, reason: format!("{error:#}"), causes: causes_of(&error) }
}
