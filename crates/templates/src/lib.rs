//! The bots that `pacman2 new` writes to start from, the examples that it writes, and the sources of the bots that `pacman2 export`
//! writes. To add a language, add a template to [`TEMPLATES`].
//!
//! A file may have parts for some kind of bot only. A part begins after a line with the mark `[with KIND]`, and `[with all]` ends it.

#![deny(unsafe_code)]

pub mod examples;
pub mod export;
mod new;
pub mod weights;

/// The content of the file that marks a folder as a bot's own.
pub(crate) const FOLDER_MARK_TEXT: &str = include_str!("../files/pacman2-bot.txt");

/// All templates.
pub static TEMPLATES: [&Template; 4] = [&RUST, &CPP, &PYTHON, &JAVASCRIPT];

/// What a bot of a template does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BotKind {
    /// It plays on from the position many times and takes the best action.
    Search,
    /// It walks to the nearest fruit and avoids stronger players.
    Simple,
    /// It searches as `sage` does, with its nets.
    Net,
}

impl BotKind {
    /// All kinds.
    pub const ALL: [BotKind; 3] = [BotKind::Search, BotKind::Simple, BotKind::Net];

    /// Returns the name on the command line, and in marks.
    pub const fn name(self) -> &'static str {
        match self {
            BotKind::Search => "search",
            BotKind::Simple => "simple",
            BotKind::Net => "net",
        }
    }

    /// Returns the parts of a template's file that such a bot has.
    pub fn parts(self, text: &str) -> String {
        let mark_of = |line: &str| Some(line.split_once("[with ")?.1.split_once(']')?.0.to_owned());
        let mut part = None;
        let mut parts = String::new();
        for line in text.split_inclusive('\n') {
            if let Some(mark) = mark_of(line) {
                part = Some(mark).filter(|mark| mark != "all");
            } else if part.as_ref().is_none_or(|part| part == self.name()) {
                parts.push_str(line);
            }
        }
        parts
    }
}

/// A small bot in some language.
pub struct Template {
    /// The name on the command line.
    pub name: &'static str,
    /// Other names that are accepted there.
    pub aliases: &'static [&'static str],
    /// The description on the command line.
    pub help: &'static str,
    /// The display name of the language.
    pub language: &'static str,
    /// The kind of bot unless the user chooses one.
    pub usual: BotKind,
    /// The files of a bot that searches: their paths and texts.
    pub search: &'static [(&'static str, &'static str)],
    /// The same of a simple bot.
    pub simple: &'static [(&'static str, &'static str)],
    /// The same, beside a file with weights; nothing if the language has no such bot.
    pub net: &'static [(&'static str, &'static str)],
    /// The file to start editing.
    pub source: &'static str,
    /// Where to begin with a bot that searches, in English and in Chinese.
    pub start: [&'static str; 2],
    /// The BOT argument.
    pub bot: &'static str,
    /// The commands that build it.
    pub build: &'static str,
    /// How to upload it to Botzone, in English and in Chinese, for each kind.
    pub upload: [[&'static str; 2]; 3],
    /// The text of `.gitignore`.
    pub ignored: &'static str,
}

/// Matches leave their replays beside the bot.
const IGNORED: &str = "replays/\n";
const IGNORED_IN_RUST: &str = "replays/\ntarget/\n";
const PASTED: [&str; 2] = ["Paste the file on Botzone as it is.", "把这个文件的内容直接粘贴到 Botzone 即可。"];
const BUNDLED: [&str; 2] = [
    "To upload it, run `pacman2 bundle bot.cpp -o upload.cpp` and paste `upload.cpp` on Botzone.",
    "上传时运行 `pacman2 bundle bot.cpp -o upload.cpp`，把 `upload.cpp` 的内容粘贴到 Botzone。",
];
const NOT_OFFERED: [&str; 2] =
    ["Botzone does not support Rust; this bot can only play locally.", "Botzone 不支持 Rust，这个 bot 只能在本地对局。"];

// The manifest has another name here, because Cargo excludes folders with manifests from packages.
static RUST: Template = Template {
    name: "rust",
    aliases: &["rs"],
    help: "A Cargo project without dependencies",
    language: "Rust",
    usual: BotKind::Simple,
    search: &[
        ("Cargo.toml", include_str!("../files/rust/Cargo.toml.txt")),
        ("src/main.rs", include_str!("../files/rust/src/main.rs")),
        ("src/game.rs", include_str!("../files/rust/src/game.rs")),
        ("src/json.rs", include_str!("../files/rust/src/json.rs")),
        ("src/search.rs", include_str!("../files/rust/src/search.rs")),
    ],
    simple: &[
        ("Cargo.toml", include_str!("../files/rust/Cargo.toml.txt")),
        ("src/main.rs", include_str!("../files/rust/src/main.rs")),
        ("src/game.rs", include_str!("../files/rust/src/game.rs")),
        ("src/json.rs", include_str!("../files/rust/src/json.rs")),
    ],
    net: &[],
    source: "src/main.rs",
    start: ["`value` in `src/search.rs`", " `src/search.rs` 里的 `value`"],
    bot: if cfg!(windows) { "target/release/bot.exe" } else { "target/release/bot" },
    build: "cargo build --release\n",
    upload: [NOT_OFFERED; 3],
    ignored: IGNORED_IN_RUST,
};

static CPP: Template = Template {
    name: "cpp",
    aliases: &["c++", "cc", "cxx"],
    help: "One file beside the header pacman2.hpp, or one file without libraries",
    language: "C++",
    usual: BotKind::Search,
    search: &[
        ("bot.cpp", include_str!("../files/cpp/search/bot.cpp")),
        ("pacman2.hpp", include_str!("../../../cpp/pacman2.hpp")),
    ],
    simple: &[("bot.cpp", include_str!("../files/cpp/bot.cpp"))],
    net: &[
        ("bot.cpp", include_str!("../files/cpp/net/bot.cpp")),
        ("pacman2.hpp", include_str!("../../../cpp/pacman2.hpp")),
        ("sage.hpp", weights::SEARCH),
    ],
    source: "bot.cpp",
    start: ["`Evaluation` in `bot.cpp`", " `bot.cpp` 里的 `Evaluation`"],
    bot: "bot.cpp",
    build: "",
    upload: [BUNDLED, PASTED, BUNDLED],
    ignored: IGNORED,
};

static PYTHON: Template = Template {
    name: "python",
    aliases: &["py", "python3"],
    help: "One file without packages",
    language: "Python",
    usual: BotKind::Simple,
    search: &[("bot.py", include_str!("../files/python/bot.py"))],
    simple: &[("bot.py", include_str!("../files/python/bot.py"))],
    net: &[],
    source: "bot.py",
    start: ["`value` in `bot.py`", " `bot.py` 里的 `value`"],
    bot: "bot.py",
    build: "",
    upload: [PASTED; 3],
    ignored: IGNORED,
};

static JAVASCRIPT: Template = Template {
    name: "javascript",
    aliases: &["js", "node"],
    help: "One file for Node without packages",
    language: "JavaScript",
    usual: BotKind::Simple,
    search: &[("bot.js", include_str!("../files/javascript/bot.js"))],
    simple: &[("bot.js", include_str!("../files/javascript/bot.js"))],
    net: &[],
    source: "bot.js",
    start: ["`value` in `bot.js`", " `bot.js` 里的 `value`"],
    bot: "bot.js",
    build: "",
    upload: [PASTED; 3],
    ignored: IGNORED,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_its_own_parts_and_those_of_all() {
        let text = "a\n// [with search]\nb\n// [with simple]\nc\n// [with all]\nd";
        assert_eq!(BotKind::ALL.map(|kind| kind.parts(text)), ["a\nb\nd", "a\nc\nd", "a\nd"]);
    }
}
