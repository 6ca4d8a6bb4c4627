//! Built-in bots as they are typed: a name, and its options behind it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches};
use pacman2_bots::net::Net;
use pacman2_bots::{BUILT_IN, BotConfig, BuiltIn, Effort};
use sha2::{Digest, Sha256};

use crate::args::BotOptions;
use crate::failure::bad_input;
use crate::seats::hexadecimal;

/// No weights file is larger.
const MOST_BYTES_OF_NET: u64 = 1 << 20;

/// A built-in bot that was typed.
pub(crate) struct Chosen {
    pub(crate) opponent: BotConfig,
    options: BotOptions,
    /// The hash of the file that its net is from.
    net_hash: Option<String>,
}

/// Whether a built-in bot is meant: what was typed is its name, or begins with it.
pub(crate) fn is_meant(text: &str) -> bool {
    meant(text).is_some()
}

/// The built-in bot that is meant, and the words behind its name.
fn meant(text: &str) -> Option<(BuiltIn, Vec<String>)> {
    let mut words = shlex::split(text)?.into_iter();
    let bot = BuiltIn::named(&words.next()?)?;
    Some((bot, words.collect()))
}

/// The built-in bot that was typed as a BOT, with its options; `None` if something else is meant.
pub(crate) fn read(text: &str) -> Option<anyhow::Result<Chosen>> {
    let (built_in, words) = meant(text)?;
    let chosen = options(words).and_then(|options| Chosen::new(built_in, options));
    Some(chosen.map_err(|why| bad_input(format!("\"{text}\": {why}"))))
}

/// The files of the built-in bot that was typed, without making sure that there is one.
pub(crate) fn files_of(text: &str) -> Vec<PathBuf> {
    let options = meant(text).and_then(|(_, words)| options(words).ok());
    options.and_then(|options| options.net).into_iter().collect()
}

/// The same bot, with the files that it reads named so that they are found from anywhere; `folder` is where they lie.
pub(crate) fn from_folder(text: &str, folder: &Path) -> String {
    let Some((built_in, words)) = meant(text) else { return text.to_owned() };
    let there = |file: &str| folder.join(file).to_string_lossy().into_owned();
    let mut is_file = false;
    let words = words.into_iter().map(|word| {
        let named = if std::mem::replace(&mut is_file, word == "--net") { Some(there(&word)) } else { None };
        named.or_else(|| word.strip_prefix("--net=").map(|file| format!("--net={}", there(file)))).unwrap_or(word)
    });
    let words: Vec<String> = words.collect();
    if !words.iter().any(|word| word.starts_with("--net")) {
        return text.to_owned();
    }
    let all = std::iter::once(built_in.name).chain(words.iter().map(String::as_str));
    shlex::try_join(all).unwrap_or_else(|_| text.to_owned())
}

/// The options in these words, or in a sentence why there are none.
fn options(words: Vec<String>) -> Result<BotOptions, String> {
    let command = BotOptions::augment_args(Command::new("bot")).no_binary_name(true).disable_help_flag(true);
    let matches = command.try_get_matches_from(words);
    matches.and_then(|matches| BotOptions::from_arg_matches(&matches)).map_err(|error| in_one_line(&error))
}

/// What is wrong and what was probably meant, without the lines on usage and help.
fn in_one_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let lines = rendered.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("; ").trim_start_matches("error: ").to_owned()
}

impl Chosen {
    /// A built-in bot with options, or in a sentence why it does not take them.
    pub(crate) fn new(built_in: BuiltIn, options: BotOptions) -> Result<Chosen, String> {
        let effort = match (options.simulations, options.time) {
            (Some(simulations), _) => Some(Effort::Simulations(simulations)),
            (None, time) => time.map(|ms| Effort::Time(Duration::from_millis(ms))),
        };
        let opponent = BotConfig::new(built_in);
        let fits = effort.into_iter().try_fold(opponent, BotConfig::with_effort);
        let fits = fits.and_then(|opponent| options.without.iter().copied().try_fold(opponent, BotConfig::without));
        let opponent = fits.map_err(|unfit| unfit.to_string())?;
        let Some(path) = &options.net else { return Ok(Chosen { opponent, options, net_hash: None }) };
        let (net, hash) = read_net(path).map_err(|why| format!("{}: {why}", path.display()))?;
        let opponent = opponent.with_net(Arc::new(net)).map_err(|unfit| unfit.to_string())?;
        Ok(Chosen { opponent, options, net_hash: Some(hash) })
    }

    /// The files that it reads.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.options.net.iter().cloned().collect()
    }

    /// What `pacman2 bot` takes to be the same.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words = self.words_but_net();
        if let Some(net) = &self.options.net {
            words.extend(["--net".into(), net.into()]);
        }
        words
    }

    fn words_but_net(&self) -> Vec<OsString> {
        let BotOptions { simulations, time, without, .. } = &self.options;
        let mut words: Vec<OsString> = vec![self.opponent.built_in().name.into()];
        let mut add = |option: &str, value: String| words.extend([option.into(), value.into()]);
        simulations.iter().for_each(|number| add("--simulations", number.to_string()));
        time.iter().for_each(|ms| add("--time", ms.to_string()));
        without.iter().for_each(|part| add("--without", part.to_string()));
        words
    }

    /// What its program is to a replay: another one with other options, or with another net.
    pub(crate) fn program(&self) -> String {
        let version = concat!("built-in ", env!("CARGO_PKG_VERSION"));
        let mut words = self.words_but_net();
        words.extend(self.net_hash.iter().flat_map(|hash| ["--net".into(), hash.into()]));
        match words.len() {
            1 => version.to_owned(),
            _ => format!("{version} {}", words.join(" ".as_ref()).display()),
        }
    }
}

/// The net in a weights file, and the file's hash.
fn read_net(path: &Path) -> Result<(Net, String), String> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MOST_BYTES_OF_NET).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|error| error.to_string())?;
    let net = Net::read(&bytes).map_err(|error| error.to_string())?;
    Ok((net, hexadecimal(&Sha256::digest(&bytes))))
}

/// That there is no such built-in bot, and which ones there are.
pub(crate) fn unknown(name: &str) -> String {
    format!("there is no built-in bot \"{name}\"{} (built-in are {})", guess(name), BUILT_IN.map(|bot| bot.name).join(", "))
}

/// The built-in bot that may have been meant, as the end of a sentence.
pub(crate) fn guess(name: &str) -> String {
    let names = BUILT_IN.map(|bot| bot.name).into_iter();
    let similar = names.max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    let similar = similar.filter(|similar| strsim::jaro_winkler(similar, name) > 0.75);
    similar.map_or_else(String::new, |similar| format!("; did you mean {similar}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was typed, as `pacman2 bot` would be given it.
    fn words(text: &str) -> Result<String, String> {
        let words = read(text).expect("a built-in bot is meant").map(|chosen| chosen.words());
        words.map(|words| words.join(" ".as_ref()).into_string().unwrap()).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        assert_eq!(words(text).as_deref(), Ok(wanted));
    }

    #[track_caller]
    fn check_refused(text: &str, why: &str) {
        let refusal = words(text).unwrap_err();
        assert!(refusal.starts_with(&format!("\"{text}\": ")) && refusal.contains(why), "{refusal}");
        assert!(!refusal.contains('\n') && !refusal.contains("Usage"), "{refusal}");
    }

    #[test]
    fn a_name_and_its_options() {
        check("greedy", "greedy");
        check("sage", "sage");
        check("sage --time 300", "sage --time 300");
        check("sage  --time=300", "sage --time 300");
        check("sage --without net --simulations 50 --without others", "sage --simulations 50 --without net --without others");
        check("sample --simulations 1", "sample --simulations 1");
        check("'sample' --time 60000", "sample --time 60000");
    }

    #[test]
    fn what_is_no_built_in_bot() {
        for text in ["", "sagey", "./sage", "python3 sage", "sage 'open", "--time 3", "bot sage"] {
            assert!(read(text).is_none() && !is_meant(text), "{text}");
        }
    }

    #[test]
    fn options_that_a_bot_does_not_take() {
        for name in ["random", "greedy", "hunter"] {
            let why = format!("{name} does not simulate: it takes neither --simulations nor --time");
            check_refused(&format!("{name} --time 5"), &why);
            check_refused(&format!("{name} --simulations 5"), &why);
        }
        for name in ["random", "sample", "greedy", "hunter"] {
            let why = format!("{name} does not search: only sage takes --without and --net");
            check_refused(&format!("{name} --without net"), &why);
        }
    }

    #[test]
    fn options_that_cannot_be() {
        for (options, why) in [
            ("--time 0", "invalid value '0' for '--time <MS>': 0 is not in 1..=60000"),
            ("--time 60001", "60001 is not in 1..=60000"),
            ("--time -1", "unexpected argument '-1' found"),
            ("--simulations 0", "invalid value '0' for '--simulations <N>'"),
            ("--simulations 4294967296", "4294967296"),
            ("--simulations many", "'many'"),
            ("--time 5 --simulations 5", "cannot be used with"),
            ("--time 5 --time 6", "'--time <MS>' cannot be used multiple times"),
            ("--time", "a value is required for '--time <MS>'"),
            ("--tmie 5", "unexpected argument '--tmie' found; tip: a similar argument exists: '--time'"),
            ("--without nett", "net, others, last-turn"),
            ("--without nett", "tip: a similar value exists: 'net'"),
            ("--keep-running", "unexpected argument '--keep-running'"),
            ("--help", "unexpected argument '--help'"),
            ("300", "unexpected argument '300'"),
        ] {
            check_refused(&format!("sage {options}"), why);
        }
    }

    #[test]
    fn programs_differ_by_their_options() {
        let program = |text: &str| read(text).unwrap().unwrap().program();
        let texts = ["sage", "sage --time 300", "sage --time 301", "sage --simulations 300", "sage --without net --time 300"];
        let programs: std::collections::BTreeSet<String> = texts.map(program).into();
        assert_eq!(programs.len(), texts.len(), "{programs:?}");
        assert_eq!(program("sage --time=300"), program("sage   --time 300"));
    }

    #[test]
    fn a_net_is_told_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let zeros = Net::from_weights(&[0.0; pacman2_bots::net::WEIGHTS]).write("a test");
        let ones = Net::from_weights(&[1.0; pacman2_bots::net::WEIGHTS]).write("a test");
        let [one, same, other] = [("one net", &zeros), ("same", &zeros), ("other", &ones)].map(|(name, net)| write(name, net));
        let program = |net: &str| read(&format!("sage --net '{net}' --time 9")).unwrap().unwrap().program();
        assert_eq!(program(&one), program(&same));
        assert_ne!(program(&one), program(&other));
        assert!(!program(&one).contains("one net"), "{}", program(&one));

        check(&format!("sage --net '{one}'"), &format!("sage --net {one}"));
        check_refused(&format!("hunter --net {same}"), "hunter does not search: only sage takes --without and --net");
        check_refused("sage --net /nowhere", "/nowhere: ");
        check_refused(&format!("sage --net {}", folder.path().display()), "irectory");
        check_refused(&format!("sage --net {}", write("text", b"net")), "not a net that this program can use");
        check_refused(&format!("sage --net {}", write("short", &zeros[..zeros.len() - 4])), "bytes of weights");
    }

    #[test]
    fn files_are_found_from_elsewhere() {
        let check = |text: &str, wanted: &str| assert_eq!(from_folder(text, Path::new("/a b")), wanted);
        check("sage --time 5", "sage --time 5");
        check("sage --net x.net --time 5", "sage --net '/a b/x.net' --time 5");
        check("sage --time 5 --net=staff/x.net", "sage --time 5 '--net=/a b/staff/x.net'");
        check("sage --net /c/x.net", "sage --net /c/x.net");
        check("greedy", "greedy");
        check("sh --net x.net", "sh --net x.net");
        assert_eq!(files_of("sage --net x.net"), [Path::new("x.net")]);
        assert_eq!(files_of("sage --time 5"), [""; 0].map(Path::new));
    }

    #[test]
    fn whoever_is_meant_by_mistake_is_named() {
        assert_eq!(
            unknown("sgae"),
            "there is no built-in bot \"sgae\"; did you mean sage? (built-in are random, sample, greedy, hunter, sage)"
        );
        assert_eq!(unknown("xyz"), "there is no built-in bot \"xyz\" (built-in are random, sample, greedy, hunter, sage)");
    }
}
