//! `pacman2 botzone`: plays on Botzone with a bot on this machine, and fetches match logs.
//!
//! The protocol, without a network, is `pacman2_botzone::local_ai`; the connection and the loop are `pacman2_local_ai`.

mod fetch;
mod play;
mod start;

use std::process::ExitCode;

use crate::args::BotzoneVerb;

pub(crate) fn run(verb: BotzoneVerb) -> anyhow::Result<ExitCode> {
    match verb {
        BotzoneVerb::Play(args) => play::run(args),
        BotzoneVerb::Start(args) => start::start(args),
        BotzoneVerb::Abort(args) => start::abort(&args),
        BotzoneVerb::Fetch(args) => fetch::run(&args),
    }
}
