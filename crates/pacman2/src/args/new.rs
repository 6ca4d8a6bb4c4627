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
  pacman2 new lessons --lessons
  pacman2 new class --class

Then, in the new folder: pacman2 check bot.py, and pacman2 play bot.py greedy greedy random")]
pub(crate) struct NewArgs {
    /// Name of the new folder
    pub(crate) name: String,
    /// Language of the bot
    #[arg(long, value_name = "LANGUAGE", value_parser = template(), required_unless_present_any = ["lessons", "class"])]
    pub(crate) lang: Option<&'static Template>,
    /// What the bot does [default: search in C++, simple in other languages]
    #[arg(long, value_name = "KIND", value_parser = bot_kind(), requires = "lang")]
    pub(crate) with: Option<BotKind>,
    /// Write the bots of the six lessons instead, with the header that they need
    #[arg(long, conflicts_with_all = ["lang", "class"])]
    pub(crate) lessons: bool,
    /// Write an example of a class's tournament instead
    #[arg(long, conflicts_with = "lang")]
    pub(crate) class: bool,
}
