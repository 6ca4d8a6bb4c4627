//! The hostile programs, as they are written in the folder `hostile`.

use std::path::Path;

use include_dir::{Dir, include_dir};
use pacman2_runner::Tier;

/// All files, also those that the programs share.
static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/hostile");
/// What programs in Python share.
const SHARED: &str = "bot.py";

/// A hostile program.
pub(super) struct Hostile {
    pub(super) name: &'static str,
    /// The name of its file.
    pub(super) file: &'static str,
    pub(super) source: &'static str,
    /// It is written in Python, not in shell.
    pub(super) is_python: bool,
    /// What it tries, in a sentence.
    pub(super) trick: &'static str,
    /// The verdicts that it may get.
    pub(super) verdicts: Vec<&'static str>,
    /// The tiers that promise to hold it.
    pub(super) tiers: Vec<Tier>,
    /// It is an attack that succeeds in the open, and harms nothing.
    pub(super) escapes: bool,
    /// The same, but only if root tries.
    pub(super) escapes_as_root: bool,
    /// It is nothing without a second process.
    pub(super) forks: bool,
    /// It wants time between the turns.
    pub(super) slow_rival: bool,
}

/// All of them, by name.
pub(super) fn programs() -> Vec<Hostile> {
    let files = FOLDER.files().filter(|file| file.path() != Path::new(SHARED));
    let mut programs: Vec<Hostile> = files
        .filter_map(|file| {
            let name = file.path().to_str()?;
            let (_, ending) = name.rsplit_once('.')?;
            ["py", "sh"].contains(&ending).then_some(())?;
            Some(read(name, file.contents_utf8()?))
        })
        .collect();
    programs.sort_by_key(|program| program.name);
    programs
}

/// What programs in Python share: its name and its text.
pub(super) fn shared() -> (&'static str, &'static str) {
    (SHARED, FOLDER.get_file(SHARED).and_then(|file| file.contents_utf8()).unwrap_or_default())
}

/// A program with what its first lines say of it.
fn read(file: &'static str, source: &'static str) -> Hostile {
    let comments: Vec<&str> = source.lines().skip(1).map_while(|line| line.strip_prefix("# ")).collect();
    let line = |key: &str| comments.iter().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim();
    let says = |what: &str| comments.iter().any(|line| line.trim() == what);
    Hostile {
        name: file.rsplit_once('.').map_or(file, |(name, _)| name),
        file,
        source,
        is_python: file.ends_with(".py"),
        trick: comments.first().copied().unwrap_or_default(),
        verdicts: line("verdict:").split(" or ").collect(),
        tiers: line("tiers:")
            .split_whitespace()
            .filter_map(|name| [Tier::A, Tier::B, Tier::C].into_iter().find(|tier| tier.name() == name))
            .collect(),
        escapes: says("escapes"),
        escapes_as_root: says("escapes as root"),
        forks: says("forks"),
        slow_rival: says("slow rival"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_says_what_it_tries_and_what_is_to_come_of_it() {
        let programs = programs();
        assert!(programs.len() > 100);
        let verdicts = ["OK", "TLE", "MLE", "OLE", "NJ", "RE", "ILLEGAL"];
        for Hostile { name, trick, verdicts: expected, tiers, escapes, escapes_as_root, .. } in &programs {
            assert!(trick.ends_with('.') && trick.len() < 120, "{name}: {trick}");
            assert!(!expected.is_empty() && expected.iter().all(|verdict| verdicts.contains(verdict)), "{name}: {expected:?}");
            assert!(tiers.contains(&Tier::A), "{name}: {tiers:?}");
            let escapes = *escapes || *escapes_as_root;
            assert!(!escapes || !tiers.contains(&Tier::C), "{name}: what succeeds in the open is not held there");
        }
        let others = FOLDER.files().count() - programs.len();
        assert_eq!(others, 2, "the shared module and the README are no programs");
    }
}
