//! The arguments of `pacman2 new`.

use clap::{Args, ValueEnum};

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 new mybot --lang python
  pacman2 new mybot --lang cpp        one file without libraries, as Botzone compiles it

Then, in the new folder: pacman2 check bot.py, and pacman2 match bot.py greedy greedy random")]
pub(crate) struct NewArgs {
    /// Name of the new folder
    pub(crate) name: String,
    /// Language of the bot
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) lang: TemplateLanguage,
}

/// A language that has a template
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum TemplateLanguage {
    /// A Cargo project without dependencies
    #[value(alias = "rs")]
    Rust,
    /// One file without libraries
    #[value(alias = "c++", alias = "cc", alias = "cxx")]
    Cpp,
    /// One file without packages
    #[value(alias = "py", alias = "python3")]
    Python,
    /// One file for Node without packages
    #[value(name = "javascript", alias = "js", alias = "node")]
    JavaScript,
}
