//! The hostile bots: the programs in the folder `hostile`, with their headers.

use std::path::Path;

use include_dir::{Dir, include_dir};
use pacman2_botzone::response::Verdict;
use pacman2_runner::Tier;

/// All files, including the shared module and the README.
static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/hostile");
/// The module that the Python programs share.
const SHARED: &str = "bot.py";
/// The shell scripts, each after a line `=== NAME`.
const SCRIPTS: &str = "shell.txt";

/// A hostile bot.
pub(super) struct HostileBot {
    pub(super) name: &'static str,
    /// The name of its file in a match.
    pub(super) file: String,
    pub(super) source: &'static str,
    /// Whether the program is in Python; otherwise it is a shell script.
    pub(super) is_python: bool,
    /// What the bot tries, in one sentence.
    pub(super) trick: &'static str,
    /// The verdicts that are expected.
    pub(super) verdicts: Vec<Verdict>,
    /// The tiers that must contain it.
    pub(super) tiers: Vec<Tier>,
    /// Whether the attack succeeds without a sandbox and does no harm.
    pub(super) escapes: bool,
    /// Whether the attack succeeds without a sandbox as root only.
    pub(super) escapes_as_root: bool,
    /// Whether the bot needs a second process.
    pub(super) forks: bool,
    /// Whether the rival must think, so that there is time between the turns.
    pub(super) slow_rival: bool,
    /// Its rival computes under the same limits.
    pub(super) busy_rival: bool,
    /// Whether the bot attacks by what piles up in the judge: it plays a whole match on all four seats.
    pub(super) piles_up: bool,
}

/// Returns all hostile bots, sorted by name.
pub(super) fn bots() -> Vec<HostileBot> {
    let files = FOLDER.files().filter(|file| file.path() != Path::new(SHARED));
    let python = files.filter_map(|file| Some((file.path().to_str()?.strip_suffix(".py")?, file.contents_utf8()?)));
    let scripts = text(SCRIPTS).split("=== ").filter_map(|script| script.split_once('\n'));
    let mut bots: Vec<HostileBot> = python
        .map(|(name, source)| read(name, source, true))
        .chain(scripts.map(|(name, source)| read(name, source, false)))
        .collect();
    bots.sort_by_key(|bot| bot.name);
    bots
}

/// Returns the name and the text of the module that the Python programs share.
pub(super) fn shared_module() -> (&'static str, &'static str) {
    (SHARED, text(SHARED))
}

fn text(file: &str) -> &'static str {
    FOLDER.get_file(file).and_then(|file| file.contents_utf8()).unwrap_or_default()
}

/// Reads the header of a program.
fn read(name: &'static str, source: &'static str, is_python: bool) -> HostileBot {
    let comments: Vec<&str> = source.lines().skip(1).map_while(|line| line.strip_prefix("# ")).collect();
    let value = |key: &str| comments.iter().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim();
    let has = |flag: &str| comments.iter().any(|line| line.trim() == flag);
    HostileBot {
        name,
        file: format!("{name}.{}", if is_python { "py" } else { "sh" }),
        source,
        is_python,
        trick: comments.first().copied().unwrap_or_default(),
        verdicts: value("verdict:").split(" or ").filter_map(|name| name.parse().ok()).collect(),
        tiers: value("tiers:")
            .split_whitespace()
            .filter_map(|name| name.parse().ok())
            // Namespaces alone have to contain it, too.
            .flat_map(|tier| if tier == Tier::A { vec![Tier::A, Tier::AMinus] } else { vec![tier] })
            .collect(),
        escapes: has("escapes"),
        escapes_as_root: has("escapes as root"),
        forks: has("forks"),
        slow_rival: has("slow rival"),
        busy_rival: has("busy rival"),
        piles_up: has("piles up"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_a_complete_header() {
        let bots = bots();
        assert!(bots.len() > 100);
        for HostileBot { name, source, trick, verdicts, tiers, escapes, escapes_as_root, .. } in &bots {
            assert!(trick.ends_with('.') && trick.len() < 120, "{name}: {trick}");
            let names: Vec<&str> = verdicts.iter().map(|verdict| verdict.name()).collect();
            assert!(source.contains(&format!("\n# verdict: {}\n", names.join(" or "))), "{name}: {names:?}");
            assert!(tiers.contains(&Tier::A), "{name}: {tiers:?}");
            let escapes = *escapes || *escapes_as_root;
            assert!(
                !escapes || !tiers.contains(&Tier::C),
                "{name}: an attack that succeeds without a sandbox is not contained in tier C"
            );
        }
        let others = FOLDER.files().count() - bots.iter().filter(|bot| bot.is_python).count();
        assert_eq!(others, 3, "the scripts, the shared module and the README");
    }
}
