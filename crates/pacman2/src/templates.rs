//! The templates of `pacman2 new`. To add a language, add a template to [`TEMPLATES`].

/// The name and content of the file that marks a folder as a bot's own: the bot can read all of it.
pub(crate) const FOLDER_MARK: &str = "pacman2-bot.txt";
pub(crate) const FOLDER_MARK_TEXT: &str = include_str!("../templates/pacman2-bot.txt");

/// All templates.
pub(crate) static TEMPLATES: [&Template; 4] = [&RUST, &CPP, &PYTHON, &JAVASCRIPT];

/// A small bot in some language.
pub(crate) struct Template {
    /// The name on the command line, and other names that are accepted there.
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    /// The description on the command line.
    pub(crate) help: &'static str,
    /// The display name of the language.
    pub(crate) language: &'static str,
    /// The files: their paths and texts.
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// The file to start editing.
    pub(crate) source: &'static str,
    /// The BOT argument, and the commands that build it.
    pub(crate) bot: &'static str,
    pub(crate) build: &'static str,
    /// How to upload it to Botzone, in English and in Chinese.
    pub(crate) upload: [&'static str; 2],
    /// The text of `.gitignore`.
    pub(crate) ignored: &'static str,
}

/// Matches leave their replays beside the bot.
const IGNORED: &str = "replays/\n";
const IGNORED_IN_RUST: &str = "replays/\ntarget/\n";
const PASTED: [&str; 2] = ["Paste the file on Botzone as it is.", "把这个文件的内容直接粘贴到 Botzone 即可。"];

// The manifest has another name here, because Cargo excludes folders with manifests from packages.
static RUST: Template = Template {
    name: "rust",
    aliases: &["rs"],
    help: "A Cargo project without dependencies",
    language: "Rust",
    files: &[
        ("Cargo.toml", include_str!("../templates/rust/Cargo.toml.txt")),
        ("src/main.rs", include_str!("../templates/rust/src/main.rs")),
        ("src/game.rs", include_str!("../templates/rust/src/game.rs")),
        ("src/json.rs", include_str!("../templates/rust/src/json.rs")),
    ],
    source: "src/main.rs",
    bot: if cfg!(windows) { "target/release/bot.exe" } else { "target/release/bot" },
    build: "cargo build --release\n",
    upload: ["Botzone does not support Rust; this bot can only play locally.", "Botzone 不支持 Rust，这个 bot 只能在本地对局。"],
    ignored: IGNORED_IN_RUST,
};

static CPP: Template = Template {
    name: "cpp",
    aliases: &["c++", "cc", "cxx"],
    help: "One file without libraries",
    language: "C++",
    files: &[("bot.cpp", include_str!("../templates/cpp/bot.cpp"))],
    source: "bot.cpp",
    bot: "bot.cpp",
    build: "",
    upload: PASTED,
    ignored: IGNORED,
};

static PYTHON: Template = Template {
    name: "python",
    aliases: &["py", "python3"],
    help: "One file without packages",
    language: "Python",
    files: &[("bot.py", include_str!("../templates/python/bot.py"))],
    source: "bot.py",
    bot: "bot.py",
    build: "",
    upload: PASTED,
    ignored: IGNORED,
};

static JAVASCRIPT: Template = Template {
    name: "javascript",
    aliases: &["js", "node"],
    help: "One file for Node without packages",
    language: "JavaScript",
    files: &[("bot.js", include_str!("../templates/javascript/bot.js"))],
    source: "bot.js",
    bot: "bot.js",
    build: "",
    upload: PASTED,
    ignored: IGNORED,
};
