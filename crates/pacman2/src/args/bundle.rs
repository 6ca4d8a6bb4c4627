//! The arguments of `pacman2 bundle`.

use std::path::PathBuf;

use clap::Args;

use super::values::{LimitArgs, SandboxArgs};

#[derive(Args)]
#[command(after_help = "\
A C++ source is joined with the files of its folder that it includes; of the header pacman2.hpp, only
the sections stay that the bot uses. Other includes stay. A Python program is joined
with the modules and packages that it imports from its folder; Python 3 reads the sources.
What cannot be one file is rejected with the reason: a file that is missing or outside the folder, a
package that Botzone does not have, or a file that the bot reads. Files in the folder \"data\" stand for
the author's storage on Botzone.
The result is compiled with Botzone's options and checked as by \"pacman2 check\".

Exit codes: 0 success, 1 the check has found faults (the file is written all the same), 2 bad input,
130 interrupted.

Examples:
  pacman2 bundle bot.cpp -o upload.cpp
  pacman2 bundle mybot -o upload.py --strip-comments
  pacman2 bundle bot.py -o - --no-check")]
pub(crate) struct BundleArgs {
    /// The source of the bot, or its folder
    #[arg(value_name = "BOT")]
    pub(crate) bot: PathBuf,
    /// File to write; "-" writes stdout
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Leave out comments, except licences
    #[arg(long)]
    pub(crate) strip_comments: bool,
    /// Accept that the source names this file, because the bot does not read it
    #[arg(long, value_name = "NAME")]
    pub(crate) ignore_file: Vec<String>,
    /// Accept imports of this package, because Botzone has it
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_import: Vec<String>,
    /// Neither compile the result nor check it
    #[arg(long)]
    pub(crate) no_check: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Replace the file even if this program did not write it
    #[arg(long)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
