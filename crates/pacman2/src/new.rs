//! `pacman2 new`: a folder with a small bot to begin with.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::args::{NewArgs, TemplateLanguage};
use crate::error::bad_input;
use crate::files;

const README: &str = include_str!("../templates/README.md");
/// Matches leave their replays beside the bot.
const IGNORED: &str = "replays/\n";
const IGNORED_IN_RUST: &str = "replays/\ntarget/\n";
/// How long a name may be.
const NAME_CHARS: usize = 60;

/// What a new folder begins with.
struct Template {
    /// The language, for people.
    language: &'static str,
    /// Its files, with the folders in which they lie.
    files: &'static [(&'static str, &'static str)],
    /// The file in which its author will begin.
    source: &'static str,
    /// What it is called as a BOT, and what has to be done for that first.
    bot: &'static str,
    build: &'static str,
    /// How it gets to Botzone, in English and in Chinese.
    upload: [&'static str; 2],
    ignored: &'static str,
}

const PASTED: [&str; 2] = ["On Botzone, paste the file as it is.", "在 Botzone 上直接粘贴这个文件即可。"];

// The manifest is kept under another name, for Cargo leaves folders with manifests out of packages.
static RUST: Template = Template {
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
    upload: ["Botzone has no Rust; this one plays here.", "Botzone 不支持 Rust，它只能在这里对局。"],
    ignored: IGNORED_IN_RUST,
};

static CPP: Template = Template {
    language: "C++",
    files: &[("bot.cpp", include_str!("../templates/cpp/bot.cpp"))],
    source: "bot.cpp",
    bot: "bot.cpp",
    build: "",
    upload: PASTED,
    ignored: IGNORED,
};

static PYTHON: Template = Template {
    language: "Python",
    files: &[("bot.py", include_str!("../templates/python/bot.py"))],
    source: "bot.py",
    bot: "bot.py",
    build: "",
    upload: PASTED,
    ignored: IGNORED,
};

static JAVASCRIPT: Template = Template {
    language: "JavaScript",
    files: &[("bot.js", include_str!("../templates/javascript/bot.js"))],
    source: "bot.js",
    bot: "bot.js",
    build: "",
    upload: PASTED,
    ignored: IGNORED,
};

pub(crate) fn run(args: &NewArgs) -> anyhow::Result<ExitCode> {
    check_name(&args.name)?;
    let template = match args.lang {
        TemplateLanguage::Rust => &RUST,
        TemplateLanguage::Cpp => &CPP,
        TemplateLanguage::Python => &PYTHON,
        TemplateLanguage::JavaScript => &JAVASCRIPT,
    };
    let folder = Path::new(&args.name);
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            bad_input(format!("{} is here already; {} would be free", args.name, free_name(&args.name)))
        }
        _ => bad_input(format!("the folder {} cannot be made: {error}", args.name)),
    })?;
    if let Err(error) = template.write(folder, &args.name) {
        // We have just made it, so that nobody else's things are in it.
        let _ = fs::remove_dir_all(folder);
        return Err(error);
    }
    io::stdout().write_all(template.next_steps(&args.name).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The name goes into command lines, and to file systems of all kinds.
fn check_name(name: &str) -> anyhow::Result<()> {
    let is_fine = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let begins = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if begins && !name.ends_with('.') && name.chars().all(is_fine) && name.chars().count() <= NAME_CHARS {
        return Ok(());
    }
    let suggested: String = name.chars().map(|c| if is_fine(c) { c } else { '-' }).take(NAME_CHARS).collect();
    let suggested = suggested.trim_start_matches(['-', '.']).trim_end_matches(['-', '.']);
    let suggested = if suggested.is_empty() { "mybot" } else { suggested };
    Err(bad_input(format!(
        "\"{name}\" is no name for the bot's folder: up to {NAME_CHARS} letters, digits, \"-\", \"_\" and \".\" are wanted, a letter or digit first, such as {suggested}"
    )))
}

/// A name like this one that nothing here has.
fn free_name(name: &str) -> String {
    let mut names = (2..).map(|number: u64| format!("{name}{number}"));
    names.find(|name| !Path::new(name).exists()).unwrap_or_default()
}

impl Template {
    fn write(&self, folder: &Path, name: &str) -> anyhow::Result<()> {
        for (file, text) in self.files {
            let path = folder.join(file);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            files::write(&path, text)?;
        }
        files::write(&folder.join("README.md"), &self.readme(name))?;
        files::write(&folder.join(".gitignore"), self.ignored)
    }

    fn readme(&self, name: &str) -> String {
        let [upload_en, upload_zh] = self.upload;
        let filled = [
            ("{name}", name),
            ("{language}", self.language),
            ("{source}", self.source),
            ("{build}", self.build),
            ("{bot}", self.bot),
            ("{upload_en}", upload_en),
            ("{upload_zh}", upload_zh),
        ];
        filled.into_iter().fold(README.to_owned(), |text, (mark, value)| text.replace(mark, value))
    }

    fn next_steps(&self, name: &str) -> String {
        let bot = self.bot;
        let mut text = format!("{name}: a bot in {}. What comes next:\n\n  cd {name}\n", self.language);
        for line in self.build.lines() {
            let _ = writeln!(text, "  {line}");
        }
        let _ = writeln!(text, "  pacman2 check {bot}\n  pacman2 match {bot} greedy greedy random");
        text
    }
}
