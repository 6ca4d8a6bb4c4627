//! `pacman2 serve`: the viewer in a browser.

use std::fs;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use anyhow::Context;
use pacman2_bots::Effort;
use pacman2_runner::Tier;
use pacman2_tournament::Store;
use pacman2_web::server::{AnalysisRequest, Backend, SeatedBot, Server, Stop};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::analyse::{analyse_played, analyse_position};
use crate::args::{SandboxArgs, ServeArgs};
use crate::failure::bad_input;
use crate::sandbox::{self, Guard};
use crate::seats::{self, Bot, Manner};
use crate::{play, viewer};

/// Where it listens if nobody said where, and how many ports after that one are tried.
const PORT: u16 = 8770;
const PORTS_TRIED: u16 = 100;

pub(crate) fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    #[cfg(target_os = "linux")]
    if let Some(code) = crate::guardian::stand_guard()? {
        return Ok(code);
    }
    if args.folder == Path::new(play::REPLAYS) {
        fs::create_dir_all(&args.folder).with_context(|| format!("the folder {} cannot be made", play::REPLAYS))?;
    }
    if !args.folder.is_dir() {
        return Err(bad_input(format!("--folder {}: there is no such folder", args.folder.display())));
    }
    let arena = args.arena.as_deref().map(open_arena).transpose()?;
    let listener = listen(args.bind, args.port)?;
    let token = args.token.clone().map_or_else(pacman2_web::server::new_token, Ok).context("no token can be drawn")?;
    let server = Server::new(listener, &args.folder, token.clone()).context("the server cannot be started")?;
    let server = if let Some(arena) = arena { server.with_arena(arena) } else { server };
    let stop = Stop::default();
    let asked = stop.clone();
    ctrlc::set_handler(move || asked.request()).context("Ctrl-C cannot be listened to")?;

    let address = server.address();
    // Who only looks needs no token.
    let arena = args.arena.as_ref().and_then(|_| address.split_once("/#")).map(|(house, _)| format!("{house}/arena"));
    tell(args, &address, arena.as_deref(), &token)?;
    // It is removed when the server ends.
    let _signpost = if args.open { open(&args.folder, arena.as_ref().unwrap_or(&address)) } else { None };
    let workshop = Workshop {
        folder: args.folder.clone(),
        sandbox: args.sandbox.clone(),
        guard: OnceLock::new(),
        keeping: Mutex::default(),
    };
    let served = server.run(workshop, &stop);
    pacman2_runner::sweep();
    served.context("the server cannot go on")?;
    Ok(ExitCode::SUCCESS)
}

fn open_arena(folder: &Path) -> anyhow::Result<Store> {
    Store::open(folder).map_err(|error| bad_input(format!("--arena {error}")))
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
            bad_input(format!("--port {}: another program listens there", ports.start()))
        }
        io::ErrorKind::AddrInUse => {
            bad_input(format!("other programs listen at all ports from {} to {}; give a --port", ports.start(), ports.end()))
        }
        _ => bad_input(format!("--bind {ip}: nobody can listen there: {error}")),
    })
}

fn tell(args: &ServeArgs, address: &str, arena: Option<&str>, token: &str) -> io::Result<()> {
    if !args.bind.is_loopback() {
        eprintln!("pacman2: warning: whoever reaches this machine can watch, and with the token start programs on it");
    }
    let mut out = io::stdout();
    if args.json {
        let mut told = json!({ "address": address, "token": token });
        if let Some(arena) = arena {
            told["arena"] = arena.into();
        }
        writeln!(out, "{told}")?;
    } else {
        let arena = arena.map(|arena| format!("The arena is at {arena}\n")).unwrap_or_default();
        writeln!(out, "The viewer is at {address}\n{arena}Ctrl-C ends it.")?;
    }
    out.flush()
}

/// Opens the address in a browser by way of a file that only we can read: other users of this machine can see what
/// programs are started with, and shall not see the token.
fn open(folder: &Path, address: &str) -> Option<NamedTempFile> {
    let page = format!("<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={address}\">\n");
    let signpost = || -> io::Result<NamedTempFile> {
        let mut file = tempfile::Builder::new().prefix(".pacman2-").suffix(".html").tempfile_in(fs::canonicalize(folder)?)?;
        file.write_all(page.as_bytes())?;
        Ok(file)
    };
    match signpost() {
        Ok(file) => {
            let path = file.path().to_owned();
            thread::spawn(move || viewer::open(path, "the address"));
            Some(file)
        }
        Err(error) => {
            eprintln!("pacman2: warning: {} cannot be written ({error}); open the address yourself", folder.display());
            None
        }
    }
}

/// Where the server's bots and replays come from and go to.
struct Workshop {
    folder: PathBuf,
    sandbox: SandboxArgs,
    /// Found when the first bot sits down.
    guard: OnceLock<Guard>,
    /// Held while a replay looks for a name.
    keeping: Mutex<()>,
}

impl Backend for Workshop {
    fn sit(&self, text: &str, table: &[String; 4], manner: &pacman2_web::server::MatchOptions) -> Result<SeatedBot, String> {
        let pacman2_web::server::MatchOptions { limits, ruleset } = *manner;
        let sit = || {
            let guard = self.guard.get_or_init(|| Guard::new(&self.sandbox));
            let bot = Bot::find(text, guard)?;
            let files = table.iter().flat_map(|bot| seats::files_of(bot)).collect();
            let manner = Manner { limits, as_process: false, ruleset, files };
            let seated = bot.sit(&manner, guard, String::new())?;
            sandbox::warn_of((seated.tier == Some(Tier::C)).then_some(text).into_iter());
            anyhow::Ok(SeatedBot { info: bot.info(false), player: seated.player, tier: seated.tier })
        };
        sit().map_err(|error| format!("{error:#}"))
    }

    fn built_in(&self) -> Vec<&'static str> {
        pacman2_bots::BUILT_IN.iter().map(|bot| bot.name).collect()
    }

    fn keep(&self, replay: &str) -> Result<String, String> {
        let _alone = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        let path = play::leave_replay(&self.folder, replay).map_err(|error| format!("{error:#}"))?;
        Ok(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }

    fn analyse(&self, question: &AnalysisRequest<'_>, goes_on: &dyn Fn() -> bool) -> Value {
        let &AnalysisRequest { game, turn, given, effort } = question;
        let effort = match effort {
            pacman2_web::server::AnalysisEffort::Time(time) => Effort::Time(time),
            pacman2_web::server::AnalysisEffort::Simulations(number) => Effort::Simulations(number),
        };
        match given {
            Some(given) => analyse_played(game, turn, given, effort, goes_on),
            None => analyse_position(game, turn, effort, goes_on),
        }
    }
}
