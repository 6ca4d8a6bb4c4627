//! What bots have in common: parts of their sources, and results.
//!
//! **Sources** are compared by fingerprints. Names, numbers, texts, comments and white space do not count: what remains is a sequence of
//! tokens. Of all runs of [`RUN`] tokens, winnowing keeps the hash that is the smallest among [`WINDOW`] neighbours (Schleimer, Wilkerson
//! and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003). So two sources with a common passage of
//! `RUN + WINDOW - 1` tokens have a common fingerprint, wherever the passage is.
//!
//! **Results** are compared in pairs of games that differ only in one seat, which one bot has in the first game and the other bot in the
//! second. If bots choose the same actions there, all four strengths are the same in the end, and hardly otherwise.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pacman2_rules::Seat;

use crate::game::{BotId, GameResult};

/// The number of tokens in a run.
pub const RUN: usize = 12;

/// The number of runs of which one is kept.
pub const WINDOW: usize = 8;

/// The number of fingerprints below which a source is too short to be compared.
const MIN_FINGERPRINTS: usize = 8;

/// The words with a meaning of their own in C++, Python, JavaScript or Java.
const KEYWORDS: &str = "and as assert async auto await bool boolean break byte case catch char class const constexpr continue def default \
    del delete do double elif else enum except extends False final finally float for from function global if implements import in int \
    interface is lambda let long namespace new None nonlocal not null nullptr operator or package pass private protected public raise \
    return self short signed sizeof static struct super switch template this throw True true false try typedef typename undefined union \
    unsigned using var virtual void while with yield";

/// How comments begin in a language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommentStyle {
    /// `# to the end of the line`, as in Python.
    Hash,
    /// `// to the end of the line`, and `/* to here */`. Lines that begin with `#` are directives, which do not count.
    Slashes,
}

/// The fingerprints of a source.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Fingerprints(BTreeSet<u64>);

impl Fingerprints {
    /// Returns the fingerprints of a source.
    ///
    /// ```
    /// use pacman2_tournament::similarity::{CommentStyle, Fingerprints};
    ///
    /// let source: String = (0..50).map(|i| format!("for i in range({i}):\n    if a[i] > {i}: total += a[i]\n")).collect();
    /// let renamed = source.replace('a', "best").replace("total", "x").replace("    ", "\t# my own\n\t");
    /// let [one, other] = [source, renamed].map(|text| Fingerprints::from_source(&text, CommentStyle::Hash));
    /// assert!(one == other);
    /// ```
    #[must_use]
    pub fn from_source(source: &str, comments: CommentStyle) -> Fingerprints {
        let tokens = tokens(source, comments);
        let hashes: Vec<u64> =
            tokens.windows(RUN).map(|run| run.iter().fold(OFFSET, |hash, &token| mixed(hash, token))).collect();
        let smallest = |window: &[u64]| window.iter().copied().min();
        if hashes.len() < WINDOW {
            return Fingerprints(smallest(&hashes).into_iter().collect());
        }
        Fingerprints(hashes.windows(WINDOW).filter_map(smallest).collect())
    }

    /// Removes what is in a source that all authors were given.
    pub fn remove(&mut self, given: &Fingerprints) {
        self.0.retain(|fingerprint| !given.0.contains(fingerprint));
    }

    /// Returns the share of common fingerprints among all of both, from 0 to 1 (Jaccard's index), or `None` if one of the sources is too
    /// short.
    #[must_use]
    pub fn similarity(&self, other: &Fingerprints) -> Option<f64> {
        if self.0.len().min(other.0.len()) < MIN_FINGERPRINTS {
            return None;
        }
        let common = self.0.intersection(&other.0).count();
        Some(common as f64 / (self.0.len() + other.0.len() - common) as f64)
    }
}

/// The start and the factor of the FNV-1a hash.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

fn mixed(hash: u64, value: u64) -> u64 {
    // The high bits of the product are the good ones.
    ((hash ^ value).wrapping_mul(PRIME)).rotate_left(29)
}

fn hash_of(text: &str) -> u64 {
    text.bytes().fold(OFFSET, |hash, byte| mixed(hash, byte.into()))
}

/// Returns the hashes of the tokens of a source. All names that are not keywords have the same hash, as have all numbers and all
/// texts.
#[must_use]
pub fn tokens(source: &str, comments: CommentStyle) -> Vec<u64> {
    let keywords: BTreeSet<&str> = KEYWORDS.split_whitespace().collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut is_line_start = true;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            is_line_start |= first == '\n';
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let is_directive = first == '#' && (comments == CommentStyle::Hash || is_line_start);
        let length = if is_directive || comments == CommentStyle::Slashes && rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if comments == CommentStyle::Slashes && rest.starts_with("/*") {
            rest[2..].find("*/").map_or(rest.len(), |end| end + 4)
        } else if let '"' | '\'' | '`' = first {
            tokens.push(hash_of("\""));
            text_length(rest, first)
        } else if is_word(first) {
            let is_number = first.is_ascii_digit();
            let length = rest.find(|c: char| !(is_word(c) || is_number && c == '.')).unwrap_or(rest.len());
            let word = &rest[..length];
            tokens.push(hash_of(if is_number {
                "0"
            } else if keywords.contains(word) {
                word
            } else {
                "name"
            }));
            length
        } else {
            tokens.push(hash_of(&rest[..first.len_utf8()]));
            first.len_utf8()
        };
        rest = &rest[length..];
        is_line_start = false;
    }
    tokens
}

/// Returns the length of a text in quotes, which begins here.
fn text_length(rest: &str, quote: char) -> usize {
    let long = quote.to_string().repeat(3);
    if quote != '`' && rest.starts_with(&long) {
        return rest[3..].find(&long).map_or(rest.len(), |end| end + 6);
    }
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        // A text in simple quotes ends with its line at the latest, also where the quote was none.
        if c == quote && !is_escaped || c == '\n' && quote != '`' {
            return at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    rest.len()
}

/// In how many comparable games two bots had the same result.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SameResults {
    /// The pairs of games with the same result.
    pub same: usize,
    /// All pairs of games that differ only in the bot on one seat.
    pub of: usize,
}

/// A game without the bot on one seat: everything else that the game depends on.
#[derive(PartialEq, Eq, Hash)]
struct Surroundings {
    seed: i32,
    seat: Seat,
    others: Vec<BotId>,
}

/// Returns the comparable games of all pairs of bots that have any, the smaller number first.
#[must_use]
pub fn same_results(games: &[GameResult]) -> BTreeMap<[BotId; 2], SameResults> {
    let mut by_surroundings: HashMap<Surroundings, Vec<&GameResult>> = HashMap::new();
    for game in games {
        for seat in Seat::ALL {
            let others = Seat::ALL.into_iter().filter(|&other| other != seat).map(|other| game.seats[other].bot).collect();
            by_surroundings.entry(Surroundings { seed: game.seed, seat, others }).or_default().push(game);
        }
    }
    let mut results: BTreeMap<[BotId; 2], SameResults> = BTreeMap::new();
    for (Surroundings { seat, .. }, games) in by_surroundings {
        for (number, one) in games.iter().enumerate() {
            for other in &games[number + 1..] {
                let mut bots = [one, other].map(|game| game.seats[seat].bot);
                if bots[0] == bots[1] {
                    continue;
                }
                bots.sort_unstable();
                let results = results.entry(bots).or_default();
                results.of += 1;
                results.same += usize::from(is_same_result(one, other));
            }
        }
    }
    results
}

fn is_same_result(one: &GameResult, other: &GameResult) -> bool {
    let result = |game: &GameResult| {
        let of_seat = |seat: Seat| (game.seats[seat].strength, game.seats[seat].fault);
        (game.turns, Seat::ALL.map(of_seat))
    };
    result(one) == result(other)
}
