//! `pacman2 botzone`: plays on Botzone with a bot on this machine, and fetches match logs.
//!
//! The protocol, without a network, is `pacman2_botzone::local_ai`. Here are the connection ([`http`]), the loop of polls and
//! answers ([`bridge`]), the matches with their players ([`active`]), and what is left of them ([`record`]).

mod account;
mod active;
mod bridge;
mod fetch;
mod http;
mod output;
mod play;
mod record;
mod retry;
mod start;
#[cfg(test)]
mod tests;
mod unfinished;

use std::process::ExitCode;

use crate::args::{BotzoneVerb, Later};

pub(crate) fn run(verb: BotzoneVerb) -> anyhow::Result<ExitCode> {
    match verb {
        BotzoneVerb::Play(Later(args)) => play::run(args),
        BotzoneVerb::Start(Later(args)) => start::start(args),
        BotzoneVerb::Abort(Later(args)) => start::abort(&args),
        BotzoneVerb::Fetch(Later(args)) => fetch::run(&args),
    }
}
