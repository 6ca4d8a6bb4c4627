//! The checked options of a training run.

use std::path::PathBuf;
use std::sync::Arc;

use pacman2_bots::net::Net;
use pacman2_console::error::bad_input;
use pacman2_console::workers;
use pacman2_training::{League, LeaguePlayer, OpponentKind, OpponentShares};
use serde_json::Value;

use super::given::GivenNet;
use crate::args::TrainArgs;

/// What runs have whose options do not name it: the percentage of the search's expectation in the targets, and the number of
/// generations whose games are learned from.
const SEARCH_SHARE: u32 = 70;
const WINDOW: u32 = 3;

/// The files of the given nets in the folder of a run.
pub(super) const FROM: &str = "from.net";
pub(super) const AGAINST: &str = "against.net";

/// What a run does.
pub(super) struct TrainOptions {
    pub(super) folder: PathBuf,
    pub(super) generations: u32,
    pub(super) threads: usize,
    pub(super) json: bool,
    /// Whether the games are played elsewhere.
    pub(super) elsewhere: bool,
    pub(super) net: NetOptions,
}

/// The options that determine a run's nets. A run goes on only with the same ones.
pub(super) struct NetOptions {
    pub(super) games: u32,
    pub(super) simulations: u32,
    pub(super) measure: u32,
    pub(super) seed: u32,
    pub(super) first_seed: i32,
    /// The net to start from.
    pub(super) from: Option<GivenNet>,
    /// The net to train against.
    pub(super) against: Option<GivenNet>,
    pub(super) opponents: OpponentShares,
    pub(super) prioritise: bool,
    /// The percentage of the search's expectation in the targets.
    pub(super) search_share: u32,
    /// The number of generations whose games are learned from.
    pub(super) window: u32,
}

/// An option that determines the nets, as it is kept: nothing for one that has its default and that first versions did not have.
pub(super) struct KeptOption {
    pub(super) name: &'static str,
    pub(super) value: Option<Value>,
}

impl TrainOptions {
    pub(super) fn new(args: TrainArgs) -> anyhow::Result<TrainOptions> {
        let folder = args.out.ok_or_else(|| bad_input("a run needs a folder: --out DIR"))?;
        let given = |option, typed: Option<PathBuf>| typed.map(|typed| GivenNet::read(option, &typed)).transpose();
        let (from, against) = (given("--from", args.from)?, given("--against", args.against)?);
        let by_default = if against.is_some() { OpponentShares::EXPLOITER } else { OpponentShares::default() };
        let opponents = args.opponents.unwrap_or(by_default);
        match (opponents.of(OpponentKind::Frozen), &against) {
            (1.., None) => {
                return Err(bad_input(format!(
                    "--opponents {opponents}: expected a net for the kind frozen, got none; add --against NET"
                )));
            }
            (0, Some(_)) => {
                return Err(bad_input(format!(
                    "--opponents {opponents}: expected a share for the net of --against, got none; add frozen=SHARE"
                )));
            }
            _ => {}
        }
        Ok(TrainOptions {
            folder,
            generations: args.generations,
            threads: args.threads.map_or_else(workers::default_threads, usize::from),
            json: args.json,
            elsewhere: args.elsewhere,
            net: NetOptions {
                games: args.games,
                simulations: args.simulations,
                measure: args.measure,
                seed: args.seed,
                first_seed: args.first_seed,
                from,
                against,
                opponents,
                prioritise: args.prioritise,
                search_share: args.search_share,
                window: args.window,
            },
        })
    }
}

impl NetOptions {
    /// The options by their names. Given nets count by their hashes.
    pub(super) fn kept(&self) -> [KeptOption; 11] {
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
    pub(super) fn given(&self) -> impl Iterator<Item = (&'static str, &GivenNet)> {
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
    pub(super) fn reference(&self) -> LeaguePlayer {
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
