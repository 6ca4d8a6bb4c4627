//! The arguments of `pacman2 new`.

use clap::Args;
use pacman2_templates::{BotKind, Template};

use super::values::{bot_kind, template};

#[derive(Args)]
#[command(after_help = "\
Examples:
  pacman2 new mybot --lang python
  pacman2 new mybot --lang python --with search
  pacman2 new mybot --lang cpp
      a search with the header pacman2.hpp
  pacman2 new mybot --lang cpp --with net
      the search of sage, with its nets or your own
  pacman2 new mybot --lang cpp --with simple
      one file without libraries, as Botzone compiles it

Then, in the new folder: pacman2 check bot.py, and pacman2 play bot.py greedy greedy random")]
pub(crate) struct NewArgs {
    /// Name of the new folder
    pub(crate) name: String,
    /// Language of the bot
    #[arg(long, value_name = "LANGUAGE", value_parser = template())]
    pub(crate) lang: &'static Template,
    /// What the bot does [default: search in C++, simple in other languages]
    #[arg(long, value_name = "KIND", value_parser = bot_kind())]
    pub(crate) with: Option<BotKind>,
}
