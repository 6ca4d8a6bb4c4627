//! The checked options of a training run.

use std::path::PathBuf;
use std::sync::Arc;

use pacman2_bots::net::Net;
use pacman2_console::error::bad_input;
use pacman2_training::{League, LeaguePlayer, OpponentKind, OpponentShares};
use serde_json::Value;

use super::given::GivenNet;

/// What runs have whose options do not name it: the percentage of the search's expectation in the targets, and the number of
/// generations whose games are learned from.
const SEARCH_SHARE: u32 = 70;
const WINDOW: u32 = 3;

/// The files of the given nets in the folder of a run.
pub(super) const FROM: &str = "from.net";
pub(super) const AGAINST: &str = "against.net";

/// What a run does.
pub struct TrainOptions {
    /// The folder of the run.
    pub folder: PathBuf,
    /// How often games are played and learned from.
    pub generations: u32,
    /// How many threads play.
    pub threads: usize,
    /// Whether events are printed as JSON.
    pub json: bool,
    /// Whether the games are played elsewhere.
    pub elsewhere: bool,
    /// What determines the nets.
    pub net: NetOptions,
}

/// The options that determine a run's nets. A run goes on only with the same ones.
pub struct NetOptions {
    /// The games of each generation.
    pub games: u32,
    /// The simulations of each turn.
    pub simulations: u32,
    /// The maps on which each net is measured.
    pub measure: u32,
    /// The seed of everything random but the maps.
    pub seed: u32,
    /// The seed of the first map.
    pub first_seed: i32,
    /// The net to start from.
    pub from: Option<GivenNet>,
    /// The net to train against.
    pub against: Option<GivenNet>,
    /// How often each kind of player is an opponent.
    pub opponents: OpponentShares,
    /// Whether opponents are drawn more often, the more often they win.
    pub prioritise: bool,
    /// The percentage of the search's expectation in the targets.
    pub search_share: u32,
    /// The number of generations whose games are learned from.
    pub window: u32,
}

/// An option that determines the nets, as it is kept: nothing for one that has its default and that first versions did not have.
pub(super) struct KeptOption {
    pub name: &'static str,
    pub value: Option<Value>,
}

impl NetOptions {
    /// Checks that the shares of opponents fit the nets that are given.
    ///
    /// # Errors
    ///
    /// If there is a share for a net to beat and no such net, or the other way round.
    pub fn check(&self) -> anyhow::Result<()> {
        let opponents = self.opponents;
        match (opponents.of(OpponentKind::Frozen), &self.against) {
            (1.., None) => Err(bad_input(format!(
                "--opponents {opponents}: expected a net for the kind frozen, got none; add --against NET"
            ))),
            (0, Some(_)) => Err(bad_input(format!(
                "--opponents {opponents}: expected a share for the net of --against, got none; add frozen=SHARE"
            ))),
            _ => Ok(()),
        }
    }

    /// The options by their names. Given nets count by their hashes.
    pub(crate) fn kept(&self) -> [KeptOption; 11] {
        let hash = |net: &Option<GivenNet>| net.as_ref().map(|net| net.hash.clone().into());
        let opponents = (self.opponents != OpponentShares::default()).then(|| self.opponents.to_string().into());
        [
            ("games", Some(self.games.into())),
            ("simulations", Some(self.simulations.into())),
            ("measure", Some(self.measure.into())),
            ("seed", Some(self.seed.into())),
            ("first-seed", Some(self.first_seed.into())),
            ("from", hash(&self.from)),
            ("against", hash(&self.against)),
            ("opponents", opponents),
            ("prioritise", self.prioritise.then_some(Value::Bool(true))),
            ("search-share", (self.search_share != SEARCH_SHARE).then(|| self.search_share.into())),
            ("window", (self.window != WINDOW).then(|| self.window.into())),
        ]
        .map(|(name, value)| KeptOption { name, value })
    }

    /// The options as arguments of `pacman2 train`, with hashes in place of files.
    pub(super) fn as_typed(&self) -> String {
        let typed = self.kept().into_iter().filter_map(|KeptOption { name, value }| Some(as_typed(name, &value?)));
        typed.collect::<Vec<_>>().join(" ")
    }

    /// The given nets, with the names of their copies in the folder of a run.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &GivenNet)> {
        [(FROM, &self.from), (AGAINST, &self.against)].into_iter().filter_map(|(file, net)| Some((file, net.as_ref()?)))
    }

    /// Whether the opponents are drawn in another way than by default.
    pub(super) fn has_special_opponents(&self) -> bool {
        self.prioritise || self.opponents != OpponentShares::default()
    }

    /// Returns a league of these nets and the given ones.
    pub(super) fn league(&self, nets: &[Arc<Net>]) -> League {
        let net = |given: &Option<GivenNet>| given.as_ref().map(|given| Arc::clone(&given.net));
        League::new(nets.to_vec()).with_start(net(&self.from)).with_frozen(net(&self.against))
    }

    /// Returns whom each net is measured against, beside the one before it: the net to beat, else the one at the start.
    pub fn reference(&self) -> LeaguePlayer {
        match (&self.against, &self.from) {
            (Some(_), _) => LeaguePlayer::Frozen,
            (None, Some(_)) => LeaguePlayer::Net(0),
            (None, None) => LeaguePlayer::HandMade,
        }
    }
}

/// Returns an option with its value as an argument.
pub(super) fn as_typed(name: &str, value: &Value) -> String {
    match value {
        Value::Bool(_) => format!("--{name}"),
        Value::String(text) => format!("--{name} {text}"),
        value => format!("--{name} {value}"),
    }
}
