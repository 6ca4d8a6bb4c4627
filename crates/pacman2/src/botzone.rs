//! `pacman2 botzone`: plays on Botzone with a bot on this machine, and fetches match logs.
//!
//! The protocol, without a network, is `pacman2_botzone::local_ai`; the connection and the loop are `pacman2_local_ai`.

mod fetch;
mod play;
mod start;

use std::process::ExitCode;

use pacman2_local_ai::Account;

use crate::args::{BotzoneVerb, warn_of_old_name};

pub(crate) fn run(verb: BotzoneVerb) -> anyhow::Result<ExitCode> {
    match verb {
        BotzoneVerb::Play(args) => play::run(args),
        BotzoneVerb::Fetch(args) => fetch::run(&args),
        BotzoneVerb::Start(args) => {
            warn_of_old_name("botzone start", "botzone play --start");
            let account = Account::find(args.account.secret_file.as_deref())?;
            start::start(account, &start::new_match(args.players, args.map.as_deref(), args.time_limit)?, args.json)
        }
        BotzoneVerb::Abort(args) => {
            warn_of_old_name("botzone abort", "botzone play --abort");
            start::abort(Account::find(args.account.secret_file.as_deref())?, &args.id)
        }
    }
}
