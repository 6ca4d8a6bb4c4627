//! The arguments of `pacman2 serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::values::{SandboxArgs, token, whole};

#[derive(Args)]
#[command(after_help = "\
The printed address contains a code, which opens one window. For others, the page accepts the token. Anyone who has
either can start programs on this machine.
Ctrl-C ends the server and all matches.

Examples:
  pacman2 serve --open
  pacman2 serve --bots mybots --open
  pacman2 serve --port 8000 --folder replays
  pacman2 serve --contest ladder --bind 0.0.0.0")]
pub(crate) struct ServeArgs {
    /// Address to listen on: 127.0.0.1 accepts this machine only, 0.0.0.0 every machine that can reach it
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
    /// Port to listen on [default: 8770, or the next free one]
    #[arg(long, value_name = "N", value_parser = whole(0..=u16::MAX))]
    pub(crate) port: Option<u16>,
    /// Folder with the replays to show; new matches are added to it
    #[arg(long, value_name = "DIR", default_value = pacman2_console::replay_folder::REPLAYS)]
    pub(crate) folder: PathBuf,
    /// Show the arena in this folder at /arena
    #[arg(long, value_name = "DIR")]
    pub(crate) arena: Option<PathBuf>,
    /// Folder with your own bots, to edit, check and play them in the page; created if missing
    #[arg(long, value_name = "DIR")]
    pub(crate) bots: Option<PathBuf>,
    /// Run the ladder of a class in this folder, and show its pages instead of the viewer; created if missing
    #[arg(long, value_name = "DIR", conflicts_with_all = ["arena", "bots", "folder", "open", "token", "json"])]
    pub(crate) contest: Option<PathBuf>,
    /// Open the viewer, or the arena, in a browser
    #[arg(long)]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Token to require [default: random]
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    pub(crate) token: Option<String>,
    /// Print address and token as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
