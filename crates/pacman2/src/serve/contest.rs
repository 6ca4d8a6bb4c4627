//! `pacman2 serve --contest`: the ladder of a class.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::Context;
use pacman2_console::stdout::stdout;
use pacman2_contest::contest::Contest;
use pacman2_contest::server::{ContestServer, first_link};
use pacman2_tournament::Store;
use pacman2_web::server::{StopSignal, url_of};

use super::listen;
use crate::args::ServeArgs;

pub(super) fn run(folder: &Path, args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let listener = listen(args.bind, args.port)?;
    let address = url_of(listener.local_addr().context("cannot read the server's address")?);
    let contest = Arc::new(Contest::open(folder, &args.sandbox.options())?);
    let arena = Store::open_to_read(contest.arena())?;
    let link = first_link(&contest)?;
    let (stop, stopped) = (StopSignal::default(), Arc::new(AtomicBool::new(false)));
    let (server_stop, games_stop) = (stop.clone(), Arc::clone(&stopped));
    ctrlc::set_handler(move || {
        games_stop.store(true, Ordering::Relaxed);
        server_stop.request();
    })
    .context("cannot install the handler for Ctrl-C")?;
    print_addresses(&address, link.as_deref())?;
    let (playing, ended) = (Arc::clone(&contest), stop.clone());
    let games_stop = Arc::clone(&stopped);
    let games = thread::spawn(move || {
        let played = playing.run(&games_stop);
        // Pages without games would look as if all were well.
        ended.request();
        played
    });
    let served = ContestServer::new(listener, contest, arena).run(&stop);
    stopped.store(true, Ordering::Relaxed);
    let played = games.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    pacman2_runner::sweep();
    played?;
    served.context("the server failed")?;
    Ok(ExitCode::SUCCESS)
}

fn print_addresses(address: &str, link: Option<&str>) -> std::io::Result<()> {
    let mut out = stdout();
    writeln!(out, "The ladder is at {address}/")?;
    if let Some(link) = link {
        writeln!(
            out,
            "The first teacher chooses a password at {address}{link}\nThis link works once; the next start prints another one."
        )?;
    }
    writeln!(out, "Press Ctrl-C to stop.")?;
    out.flush()
}
