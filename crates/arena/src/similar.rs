//! Bots that have more in common than an idea: copies, and pairs.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use pacman2_bot_source::archive::Unpacked;
use pacman2_bot_source::bot_folder;
use pacman2_bot_source::source::BotSource;
use pacman2_console::text::sanitize;
use pacman2_runner::{Language, open_input_file};
use pacman2_templates::TEMPLATES;
use pacman2_tournament::similarity::{CommentStyle, Fingerprints, SameResults, same_results};
use pacman2_tournament::{BotId, BotVersion, GameResult, Store};
use serde_json::{Value, json};

use super::candidate::stored;

/// The largest source that is compared.
const MAX_SOURCE_BYTES: u64 = 1024 * 1024;
/// The fewest games that say something.
const MIN_GAMES: usize = 4;

/// Bots, and what they have in common: all copies of one program, or one bot of each of two programs.
pub struct SimilarBots<'a> {
    bots: Vec<&'a BotVersion>,
    is_same_program: bool,
    /// The share of common fingerprints; `None` if there are no sources, or they are too short.
    tokens: Option<f64>,
    games: SameResults,
}

/// Returns the groups of copies, and the pairs of programs that have at least this share of tokens or games in common, the most similar
/// first. Copies are the same program, or have the same tokens. Code that is `given` to all authors, or in our own templates, does not
/// count.
pub fn find<'a>(
    store: &Store,
    bots: &'a [BotVersion],
    games: &[GameResult],
    given: &[Fingerprints],
    at_least: f64,
) -> Vec<SimilarBots<'a>> {
    let ours = TEMPLATES.iter().flat_map(|template| template.search.iter().chain(template.simple).chain(template.net));
    let ours = ours.map(|(file, text)| Fingerprints::from_source(text, comments_of(Path::new(file))));
    let given: Vec<Fingerprints> = ours.chain(given.iter().cloned()).collect();
    let sources: Vec<Option<Fingerprints>> = bots.iter().map(|bot| fingerprints(store, bot, &given)).collect();
    let results = same_results(games);
    let tokens = |one: usize, other: usize| sources[one].as_ref()?.similarity(sources[other].as_ref()?);
    let compared = |members: Vec<usize>, pairs: &[(usize, usize)]| SimilarBots {
        bots: members.iter().map(|&at| &bots[at]).collect(),
        is_same_program: members.iter().all(|&at| bots[at].is_same_program(&bots[members[0]])),
        tokens: tokens(members[0], members[1]),
        games: common_games(&results, pairs.iter().map(|&(one, other)| [bots[one].id, bots[other].id])),
    };
    // Sources too short to compare have no share.
    let are_same_sources = |one: usize, other: usize| sources[one] == sources[other] && tokens(one, other).is_some();
    let groups = groups(bots.len(), |one, other| bots[one].is_same_program(&bots[other]) || are_same_sources(one, other));
    let mut found = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let inner = different(bots, group, group);
        if !inner.is_empty() {
            found.push(compared(group.clone(), &inner));
        }
        for other in &groups[at + 1..] {
            let pairs = different(bots, group, other);
            let Some(&(first, second)) = pairs.first() else { continue };
            found.push(compared(vec![first, second], &pairs));
        }
    }
    found.retain(|found| found.is_same_program || found.share() >= at_least);
    let rank = |found: &SimilarBots<'_>| (found.is_same_program, found.share());
    found.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
    found
}

/// Groups the numbers below `count` by a relation that is transitive.
fn groups(count: usize, are_copies: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..count {
        match groups.iter_mut().find(|group| are_copies(group[0], at)) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// Returns the pairs of bots of two groups, or of one group, that are not versions of one bot.
fn different(bots: &[BotVersion], one: &[usize], other: &[usize]) -> Vec<(usize, usize)> {
    let pairs = one.iter().flat_map(|&a| other.iter().map(move |&b| (a, b)));
    pairs.filter(|&(a, b)| a < b || one[0] != other[0]).filter(|&(a, b)| bots[a].name != bots[b].name).collect()
}

/// Returns the sum of the results of pairs of bots.
fn common_games(results: &BTreeMap<[BotId; 2], SameResults>, pairs: impl Iterator<Item = [BotId; 2]>) -> SameResults {
    pairs.fold(SameResults::default(), |sum, mut ids| {
        ids.sort_unstable();
        let SameResults { same, of } = results.get(&ids).copied().unwrap_or_default();
        SameResults { same: sum.same + same, of: sum.of + of }
    })
}

impl SimilarBots<'_> {
    /// Returns the larger one of the shares of tokens and games.
    fn share(&self) -> f64 {
        let SameResults { same, of } = self.games;
        let games = if of < MIN_GAMES { 0.0 } else { same as f64 / of as f64 };
        self.tokens.unwrap_or(0.0).max(games)
    }

    /// Returns the bots as JSON.
    pub fn json(&self) -> Value {
        json!({
            "bots": self.bots.iter().map(|bot| bot.label()).collect::<Vec<_>>(),
            "same_program": self.is_same_program,
            "tokens": self.tokens,
            "games": { "same": self.games.same, "of": self.games.of },
        })
    }
}

impl std::fmt::Display for SimilarBots<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let program = if self.is_same_program { "same" } else { "–" };
        let tokens = self.tokens.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share));
        let games = format!("{} of {}", self.games.same, self.games.of);
        let bots: Vec<String> = self.bots.iter().map(|bot| sanitize(&bot.label())).collect();
        write!(f, "{program:<7} {tokens:>7} {games:>13}  {}", bots.join(", "))
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
