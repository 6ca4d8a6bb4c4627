//! The table from which opponents are drawn, as JSON.

use pacman2_training::{GroupPlayers, LeaguePlayer, OpponentGroup, Opponents};
use serde::{Deserialize, Serialize};

/// A table of opponents: each group with its share.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct OpponentTable(Vec<(u32, Players)>);

/// The players of a group by name: a single one, or several with their weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Players {
    One(String),
    Drawn(Vec<(String, u32)>),
}

impl OpponentTable {
    pub(super) fn new(opponents: &Opponents) -> OpponentTable {
        let players = |players: &GroupPlayers| match players {
            GroupPlayers::One(player) => Players::One(player.to_string()),
            GroupPlayers::Drawn(players) => {
                Players::Drawn(players.iter().map(|(player, weight)| (player.to_string(), *weight)).collect())
            }
        };
        OpponentTable(opponents.groups().iter().map(|group| (group.share, players(&group.players))).collect())
    }

    /// Returns the table; `None` if it has an unknown player, or none to draw.
    pub(super) fn read(&self) -> Option<Opponents> {
        let named = |name: &String| name.parse::<LeaguePlayer>().ok();
        let players = |players: &Players| {
            Some(match players {
                Players::One(name) => GroupPlayers::One(named(name)?),
                Players::Drawn(players) => {
                    let weighed = players.iter().map(|(name, weight)| Some((named(name)?, *weight)));
                    GroupPlayers::Drawn(weighed.collect::<Option<_>>()?)
                }
            })
        };
        let group = |(share, of_group): &(u32, Players)| Some(OpponentGroup { share: *share, players: players(of_group)? });
        Opponents::new(self.0.iter().map(group).collect::<Option<_>>()?)
    }
}
