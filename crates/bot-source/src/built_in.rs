//! Built-in bots as the command line starts them: with their nets read from files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use pacman2_bots::net::Net;
use pacman2_bots::{BUILT_IN, BotConfig, BotSpec, Method, ParseBotError};
use pacman2_console::error::{bad_input, coded};
use pacman2_runner::read_input_file;
use sha2::{Digest, Sha256};

use crate::bot_problem::from_built_in;
use crate::hash::hexadecimal;

/// The size limit of weights files.
pub const MAX_NET_BYTES: u64 = 1 << 20;

/// What the programs of built-in bots begin with.
const PROGRAM: &str = "built-in ";

/// A built-in bot, ready to be started.
pub struct BuiltInBot {
    /// How it plays.
    pub config: BotConfig,
    spec: BotSpec,
    /// The hash of its net's file.
    net_hash: Option<String>,
}

/// Whether a built-in bot decides by nothing but the game: not by a clock, nor by the order of threads.
#[must_use]
pub fn is_deterministic(spec: &BotSpec) -> bool {
    match spec.built_in.method {
        Method::Search => spec.simulations.is_some() && spec.threads.unwrap_or(1) == 1,
        _ => spec.time_ms.is_none(),
    }
}

/// Parses a BOT argument; `None` if it does not mean a built-in bot.
pub(crate) fn parse(text: &str) -> Option<anyhow::Result<BotSpec>> {
    match text.parse::<BotSpec>() {
        Err(ParseBotError::UnknownBot(_) | ParseBotError::Quotes) => None,
        spec => Some(spec.map_err(|error| rejected(text, &error.into(), None))),
    }
}

/// Returns the error for a built-in bot that cannot play.
fn rejected(text: &str, error: &anyhow::Error, net: Option<&Path>) -> anyhow::Error {
    let reason = format!("\"{text}\": {error:#}");
    from_built_in(error, net).map_or_else(|| bad_input(&reason), |problem| coded(problem, &reason))
}

/// Returns the same bot with its net named by its place in `folder`, so that it is found from anywhere.
#[must_use]
pub fn in_folder(spec: &BotSpec, folder: &Path) -> BotSpec {
    BotSpec { net: spec.net.as_ref().map(|net| folder.join(net)), ..spec.clone() }
}

/// Returns the hash of the net of a bot with this [program](BuiltInBot::program), if it has one.
pub fn net_hash_of(program: &str) -> Option<String> {
    let (_, spec) = program.strip_prefix(PROGRAM)?.split_once(' ')?;
    spec.parse::<BotSpec>().ok()?.net?.into_os_string().into_string().ok()
}

impl BuiltInBot {
    /// Configures the bot that was typed as `text`, and reads its net.
    pub fn read(text: &str, spec: BotSpec) -> anyhow::Result<BuiltInBot> {
        let net = spec.net.clone();
        BuiltInBot::load(spec).map_err(|error| rejected(text, &error, net.as_deref()))
    }

    /// Configures the bot and reads its net.
    pub fn load(spec: BotSpec) -> anyhow::Result<BuiltInBot> {
        let config = spec.config()?;
        let Some(path) = &spec.net else { return Ok(BuiltInBot { config, spec, net_hash: None }) };
        let (net, hash) = read_net(path).with_context(|| path.display().to_string())?;
        Ok(BuiltInBot { config: config.with_net(Arc::new(net))?, spec, net_hash: Some(hash) })
    }

    /// The files that it reads.
    pub fn files(&self) -> Vec<PathBuf> {
        self.spec.net.iter().cloned().collect()
    }

    /// The arguments of `pacman2 bot` that start the same bot.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        self.spec.words().into_iter().map(OsString::from).collect()
    }

    /// What replays call its program: the version, and what differs from the bot without options. A net counts by its
    /// content.
    pub fn program(&self) -> String {
        let version = format!("{PROGRAM}{}", env!("CARGO_PKG_VERSION"));
        let spec = BotSpec { net: self.net_hash.as_ref().map(PathBuf::from), ..self.spec.clone() }.to_string();
        if spec == self.spec.built_in.name { version } else { format!("{version} {spec}") }
    }
}

/// Reads a weights file. Returns the net and the file's hash.
pub fn read_net(path: &Path) -> anyhow::Result<(Net, String)> {
    let bytes = read_input_file(path, MAX_NET_BYTES)?;
    Ok((Net::read(&bytes)?, hexadecimal(&Sha256::digest(&bytes))))
}

/// Returns the message that there is no such built-in bot, with the names that exist.
pub fn unknown(name: &str) -> String {
    let names = BUILT_IN.map(|bot| bot.name).join(", ");
    format!("unknown built-in bot \"{name}\"{} (built-in bots: {names})", guess(name))
}

/// Suggests a built-in bot of a similar name, as the end of a message.
pub fn guess(name: &str) -> String {
    let names = BUILT_IN.map(|bot| bot.name).into_iter();
    let similar = names.max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    let similar = similar.filter(|similar| strsim::jaro_winkler(similar, name) > 0.75);
    similar.map_or_else(String::new, |similar| format!("; did you mean {similar}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<BuiltInBot> {
        BuiltInBot::read(text, parse(text).expect("a built-in bot is meant")?)
    }

    /// The arguments of `pacman2 bot` for what was typed.
    fn arguments(text: &str) -> Result<String, String> {
        let arguments = read(text).map(|bot| bot.arguments());
        arguments.map(|words| words.join(" ".as_ref()).into_string().unwrap()).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn check_rejected(text: &str, why: &str) {
        let error = arguments(text).unwrap_err();
        assert!(error.starts_with(&format!("\"{text}\": ")) && error.contains(why), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }

    #[test]
    fn options_are_passed_on() {
        assert_eq!(arguments("greedy").unwrap(), "greedy");
        assert_eq!(arguments("sage  --time=300").unwrap(), "sage --time 300");
        check_rejected("hunter --time 5", "hunter does not simulate");
        check_rejected("sage --time 0", "--time: expected a whole number from 1 to 60000, got \"0\"");
    }

    #[test]
    fn other_commands_are_not_built_in_bots() {
        for text in ["", "sagey", "./sage", "python3 sage", "sage 'open", "--time 3", "bot sage"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn programs_differ_by_their_options() {
        let program = |text: &str| read(text).unwrap().program();
        let texts = ["sage", "sage --time 300", "sage --time 301", "sage --simulations 300", "sage --without net --time 300"];
        let programs: std::collections::BTreeSet<String> = texts.map(program).into();
        assert_eq!(programs.len(), texts.len(), "{programs:?}");
        assert_eq!(program("sage --time=300"), program("sage   --time 300"));
    }

    #[test]
    fn a_net_is_identified_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let zeros = Net::from_weights(&[0.0; pacman2_bots::net::WEIGHTS]).write("a test");
        let ones = Net::from_weights(&[1.0; pacman2_bots::net::WEIGHTS]).write("a test");
        let [one, same, other] = [("one net", &zeros), ("same", &zeros), ("other", &ones)].map(|(name, net)| write(name, net));
        let program = |net: &str| read(&format!("sage --net '{net}' --time 9")).unwrap().program();
        assert_eq!(program(&one), program(&same));
        assert_ne!(program(&one), program(&other));
        assert!(!program(&one).contains("one net"), "{}", program(&one));
        assert_eq!(net_hash_of(&program(&one)), Some(hexadecimal(&Sha256::digest(&zeros))));
        let without = |text: &str| net_hash_of(&read(text).unwrap().program());
        assert_eq!(["sage --time 5", "sage", "greedy"].map(without), [None, None, None]);

        assert_eq!(arguments(&format!("sage --net '{one}'")).unwrap(), format!("sage --net {one}"));
        check_rejected(
            &format!("hunter --net {same}"),
            "hunter does not search: it has no components to leave out, no net and no threads",
        );
        check_rejected("sage --net /nowhere", "/nowhere: ");
        check_rejected(&format!("sage --net {}", folder.path().display()), "expected a regular file, got a folder");
        let text = write("text", b"net");
        check_rejected(&format!("sage --net {text}"), &format!("{text}: not a net of this version"));
        let short = write("short", &zeros[..zeros.len() - 4]);
        check_rejected(
            &format!("sage --net {short}"),
            &format!("{short}: expected {} bytes of weights", 4 * pacman2_bots::net::WEIGHTS),
        );
    }

    #[test]
    fn bots_with_a_clock_are_not_deterministic() {
        let deterministic = |text: &str| is_deterministic(&text.parse().unwrap());
        let (with, without) = (
            ["sage", "sage --time 5", "sample --time 5", "sage --simulations 5 --threads 2"],
            ["greedy", "random", "sample", "sample --simulations 5", "sage --simulations 5", "style sniper"],
        );
        assert!(!with.into_iter().any(deterministic) && without.into_iter().all(deterministic));
    }

    #[test]
    fn files_are_found_from_elsewhere() {
        let check = |text: &str, expected: &str| {
            assert_eq!(in_folder(&text.parse().unwrap(), Path::new("/a b")).to_string(), expected);
        };
        check("sage --time 5", "sage --time 5");
        check("sage --net x.net --time 5", "sage --time 5 --net '/a b/x.net'");
        check("sage --time 5 --net=staff/x.net", "sage --time 5 --net '/a b/staff/x.net'");
        check("sage --net /c/x.net", "sage --net /c/x.net");
        check("greedy", "greedy");
    }

    #[test]
    fn a_misspelt_name_gets_a_suggestion() {
        let names = "(built-in bots: random, sample, greedy, hunter, sage)";
        assert_eq!(unknown("sgae"), format!("unknown built-in bot \"sgae\"; did you mean sage? {names}"));
        assert_eq!(unknown("xyz"), format!("unknown built-in bot \"xyz\" {names}"));
    }
}
