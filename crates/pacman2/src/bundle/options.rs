//! The checked options of a bundle.

use std::path::{Path, PathBuf};
use std::slice;

use pacman2_bot_source::archive::Unpacked;
use pacman2_bot_source::bundle;
use pacman2_bot_source::resolve;
use pacman2_bot_source::sandbox::SandboxPolicy;
use pacman2_bot_source::source::BotSource;
use pacman2_console::error::bad_input;
use pacman2_console::files::{self, OutputFile, folder_of};
use pacman2_runner::{Compiler, Language, Limits};

use crate::args::BundleArgs;

pub(super) struct BundleOptions {
    /// The BOT argument.
    pub(super) bot: String,
    pub(super) source: PathBuf,
    /// The archive that it was in, for as long as it is read.
    _unpacked: Unpacked,
    /// The folder whose files are all the bot's own.
    pub(super) own_folder: PathBuf,
    pub(super) language: Language,
    pub(super) target: Target,
    pub(super) strip: bool,
    pub(super) ignored: Vec<String>,
    pub(super) allowed: Vec<String>,
    /// Whether the result is compiled and checked.
    pub(super) is_checked: bool,
    pub(super) limits: Limits,
    pub(super) policy: SandboxPolicy,
    pub(super) json: bool,
}

/// Where the bundle goes.
pub(super) enum Target {
    File(OutputFile),
    Stdout,
}

impl BundleOptions {
    /// Finds the source, and checks that its language can be bundled and that the file may be written.
    pub(super) fn new(args: BundleArgs) -> anyhow::Result<BundleOptions> {
        let shown = args.bot.display();
        let bot = args.bot.to_str().ok_or_else(|| bad_input(format!("{shown}: expected a path in UTF-8")))?.to_owned();
        let source = BotSource::at(&args.bot).ok_or_else(|| bad_input(format!("{shown}: no such file or folder")))?;
        let unpacked = Unpacked::from_source(&source)?;
        let source = unpacked.source.file()?.ok_or_else(|| bad_input(format!("{shown}: no such file or folder")))?;
        let shown = source.display();
        let language = match Language::from_file(&source) {
            Some(language @ (Language::Cpp | Language::C | Language::Python)) => language,
            Some(language) if Compiler::from_file(&source).is_some() => {
                let name = language.name();
                return Err(bad_input(format!("{shown}: a bot in {name} is one file already; there is nothing to bundle")));
            }
            _ => {
                let reason = format!("{shown}: expected a C++ source or a Python program; others cannot be bundled");
                return Err(bad_input(reason));
            }
        };
        let policy = SandboxPolicy::new(args.sandbox.options());
        policy.check_names(slice::from_ref(&bot))?;
        let target = if args.output == Path::new("-") {
            if args.json {
                return Err(bad_input("--json: the bundle goes to standard output; name a file with --out"));
            }
            Target::Stdout
        } else {
            let path = args.output.display();
            if files::are_same(&source, &args.output) {
                return Err(bad_input(format!("--out {path}: that is the source itself; choose another name")));
            }
            if Language::from_file(&args.output) != Some(language) {
                let ending = source.extension().unwrap_or_default().display();
                return Err(bad_input(format!("--out {path}: expected a name that ends in .{ending}, as the source does")));
            }
            let file = OutputFile::new("--out", args.output, bundle::CONTENT, args.force);
            file.check()?;
            Target::File(file)
        };
        Ok(BundleOptions {
            bot,
            own_folder: resolve::own_folder(&unpacked, &source).unwrap_or_else(|| folder_of(&source).to_owned()),
            source,
            _unpacked: unpacked,
            language,
            target,
            strip: args.strip_comments,
            ignored: args.ignore_file,
            allowed: args.allow_import,
            is_checked: !args.no_check,
            limits: args.limits.limits(),
            policy,
            json: args.json,
        })
    }

    /// The folder of the source.
    pub(super) fn folder(&self) -> &Path {
        folder_of(&self.source)
    }

    /// The name of the file that is written, also for a result on standard output.
    pub(super) fn file_name(&self) -> String {
        let file = match &self.target {
            Target::File(file) => &file.path,
            Target::Stdout => &self.source,
        };
        file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}
