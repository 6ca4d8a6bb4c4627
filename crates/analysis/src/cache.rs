//! What keeps analyses, so that a position is not analysed twice.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use pacman2_bots::net::Net;
use pacman2_bots::policy_net::PolicyNet;
use pacman2_rules::Game;

/// Increased when an analysis gives other results than before. A test notices it.
const VERSION: u32 = 3;

/// A place that keeps analyses by keys, both as text. It may lose any of them at any time.
pub trait AnalysisCache: Send + Sync {
    /// Returns what was kept under a key.
    fn load(&self, key: &str) -> Option<String>;

    /// Keeps an analysis under a key, if it can.
    fn store(&self, key: &str, analysis: &str);
}

/// Returns a text of everything that determines an analysis: the engine, its effort, the maze with the rules, the position, and the
/// actions before it.
///
/// It may change with any version of the program or of its compiler. Then the analysis is made anew.
pub(crate) fn key(game: &Game, simulations: u32) -> String {
    static NETS: LazyLock<u64> = LazyLock::new(|| {
        let mut hasher = DefaultHasher::new();
        Net::built_in().write("").hash(&mut hasher);
        PolicyNet::built_in().write("").hash(&mut hasher);
        hasher.finish()
    });
    let (spec, state, last) = (game.maze().spec(), game.state(), game.turns().last().map(|turn| turn.actions));
    format!("version {VERSION}, nets {:x}, simulations {simulations}, {spec:?}, {state:?}, {last:?}", *NETS)
}
