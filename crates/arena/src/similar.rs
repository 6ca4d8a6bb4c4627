//! Pairs of bots that have more in common than an idea.

use std::io::Read;
use std::path::{Path, PathBuf};

use pacman2_bot_source::archive::Unpacked;
use pacman2_bot_source::bot_folder;
use pacman2_bot_source::source::BotSource;
use pacman2_console::text::sanitize;
use pacman2_runner::{Language, open_input_file};
use pacman2_templates::TEMPLATES;
use pacman2_tournament::similarity::{CommentStyle, Fingerprints, SameResults, same_results};
use pacman2_tournament::{BotVersion, GameResult, Store};
use serde_json::{Value, json};

use super::candidate::stored;

/// The largest source that is compared.
const MAX_SOURCE_BYTES: u64 = 1024 * 1024;
/// The fewest games that say something.
const MIN_GAMES: usize = 4;

/// Two bots, and what they have in common.
pub struct SimilarPair<'a> {
    bots: [&'a BotVersion; 2],
    is_same_program: bool,
    /// The share of common fingerprints; `None` if there are no sources, or they are too short.
    tokens: Option<f64>,
    games: SameResults,
}

/// Returns the pairs of different bots that are the same program, or have at least this share of tokens or games in common,
/// the most similar first. Code that is `given` to all authors, or in our own templates, does not count.
pub fn find<'a>(
    store: &Store,
    bots: &'a [BotVersion],
    games: &[GameResult],
    given: &[Fingerprints],
    at_least: f64,
) -> Vec<SimilarPair<'a>> {
    let ours = TEMPLATES.iter().flat_map(|template| template.search.iter().chain(template.simple).chain(template.net));
    let ours = ours.map(|(file, text)| Fingerprints::from_source(text, comments_of(Path::new(file))));
    let given: Vec<Fingerprints> = ours.chain(given.iter().cloned()).collect();
    let sources: Vec<Option<Fingerprints>> = bots.iter().map(|bot| fingerprints(store, bot, &given)).collect();
    let results = same_results(games);
    let mut pairs = Vec::new();
    for (one, first) in bots.iter().enumerate() {
        for (other, second) in bots.iter().enumerate().skip(one + 1).filter(|(_, second)| second.name != first.name) {
            let mut ids = [first.id, second.id];
            ids.sort_unstable();
            let pair = SimilarPair {
                bots: [first, second],
                is_same_program: first.is_same_program(second),
                tokens: sources[one].as_ref().zip(sources[other].as_ref()).and_then(|(one, other)| one.similarity(other)),
                games: results.get(&ids).copied().unwrap_or_default(),
            };
            if pair.is_same_program || pair.share() >= at_least {
                pairs.push(pair);
            }
        }
    }
    let rank = |pair: &SimilarPair<'_>| (pair.is_same_program, pair.share());
    pairs.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
    pairs
}

impl SimilarPair<'_> {
    /// Returns the larger one of the shares of tokens and games.
    fn share(&self) -> f64 {
        let SameResults { same, of } = self.games;
        let games = if of < MIN_GAMES { 0.0 } else { same as f64 / of as f64 };
        self.tokens.unwrap_or(0.0).max(games)
    }

    /// Returns the pair as JSON.
    pub fn json(&self) -> Value {
        json!({
            "bots": self.bots.map(BotVersion::label),
            "same_program": self.is_same_program,
            "tokens": self.tokens,
            "games": { "same": self.games.same, "of": self.games.of },
        })
    }
}

impl std::fmt::Display for SimilarPair<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let program = if self.is_same_program { "same" } else { "–" };
        let tokens = self.tokens.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share));
        let games = format!("{} of {}", self.games.same, self.games.of);
        let [one, other] = self.bots.map(|bot| sanitize(&bot.label()));
        write!(f, "{program:<7} {tokens:>7} {games:>13}  {one}, {other}")
    }
}

/// Returns the fingerprints of a bot's source without code that was given. `None` if there is no source.
fn fingerprints(store: &Store, bot: &BotVersion, given: &[Fingerprints]) -> Option<Fingerprints> {
    let argument = stored(store.folder(), &bot.command).ok().filter(|argument| !argument.is_built_in())?;
    let unpacked = Unpacked::from_source(&argument.source).ok()?;
    let sources = match (&argument.source, &unpacked.source) {
        (BotSource::Archive(_), BotSource::Folder(folder)) => bot_folder::sources_in(folder)?,
        (source, _) => {
            let files: Vec<PathBuf> = source.files().into_iter().filter(|path| path.is_file()).collect();
            (files.len() == 1).then_some(files)?
        }
    };
    let mut text = String::new();
    for source in &sources {
        // A program that was compiled elsewhere is no text.
        let left = MAX_SOURCE_BYTES.saturating_sub(text.len() as u64);
        open_input_file(source, u64::MAX).ok()?.take(left).read_to_string(&mut text).ok()?;
    }
    let mut found = Fingerprints::from_source(&text, comments_of(sources.first()?));
    given.iter().for_each(|given| found.remove(given));
    Some(found)
}

/// Returns how comments of a source begin, by its name.
pub fn comments_of(source: &Path) -> CommentStyle {
    // Scripts without an extension begin with the line that names their interpreter.
    let mark = Language::from_file(source).map_or("#", Language::line_comment);
    if mark == "//" { CommentStyle::Slashes } else { CommentStyle::Hash }
}
