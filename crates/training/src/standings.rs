//! How well players do against the newest net, which decides how often they are its opponents.

use crate::league_player::LeaguePlayer;
use crate::record::{GameRecord, RecordError};

/// What is assumed of a player at first: that it won half of this many comparisons.
const ASSUMED: u64 = 4;

/// How often each player scored more than the newest net in the same game.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Standings {
    of: Vec<(LeaguePlayer, Standing)>,
}

/// The comparisons of a player's scores with the newest net's.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Twice the number of comparisons that the player won; a tie counts as half a win.
    pub doubled_wins: u64,
    /// The number of comparisons.
    pub comparisons: u64,
}

impl Standing {
    /// Returns the part of its comparisons that the player won, with what is assumed at first, in thousandths.
    #[must_use]
    pub fn thousandths(self) -> u32 {
        (1000 * (self.doubled_wins + ASSUMED) / (2 * (self.comparisons + ASSUMED))) as u32
    }
}

impl Standings {
    /// Adds a game in which `newest` was the newest net: each of its seats is compared with each seat of another player.
    ///
    /// # Errors
    ///
    /// If the record does not describe a game.
    pub fn add(&mut self, record: &GameRecord, newest: LeaguePlayer) -> Result<(), RecordError> {
        let scores = record.scores()?;
        let seats = || record.players.0.iter().zip(scores.0);
        for (_, of_newest) in seats().filter(|&(&player, _)| player == newest) {
            for (&player, score) in seats().filter(|&(&player, _)| player != newest) {
                let doubled_wins = match score.cmp(&of_newest) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Greater => 2,
                };
                self.add_standing(player, Standing { doubled_wins, comparisons: 1 });
            }
        }
        Ok(())
    }

    /// Adds the comparisons of other games.
    pub fn add_all(&mut self, others: &Standings) {
        others.of.iter().for_each(|&(player, standing)| self.add_standing(player, standing));
    }

    /// Returns how a player stands.
    #[must_use]
    pub fn standing(&self, player: LeaguePlayer) -> Standing {
        self.of.iter().find(|(known, _)| *known == player).map_or(Standing::default(), |&(_, standing)| standing)
    }

    /// Returns the weight of a player in a draw: the square of the part that it won, as in the prioritised fictitious self-play of
    /// AlphaStar (Vinyals et al. 2019).
    pub(crate) fn weight(&self, player: LeaguePlayer) -> u32 {
        self.standing(player).thousandths().pow(2).max(1)
    }

    fn add_standing(&mut self, player: LeaguePlayer, more: Standing) {
        let known = self.of.iter().position(|(known, _)| *known == player);
        let index = known.unwrap_or_else(|| {
            self.of.push((player, Standing::default()));
            self.of.len() - 1
        });
        let standing = &mut self.of[index].1;
        standing.doubled_wins += more.doubled_wins;
        standing.comparisons += more.comparisons;
    }
}
