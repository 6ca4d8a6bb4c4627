//! Online ratings, updated game by game, for matchmaking. The published table does not use them, because they depend on the order of
//! the games and treat the games of a block as independent.

use std::collections::BTreeMap;

use pacman2_rules::BySeat;
use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use crate::game::{BotId, GameResult, SeatResult};

/// The current rating of a bot on the scale of Weng and Lin ("A Bayesian Approximation Method for Online Ranking", JMLR 12, 2011): a
/// new bot has 25, and a lead of about 4 wins two games of three.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OnlineRating {
    /// The estimate.
    pub rating: f64,
    /// The standard deviation of the estimate; 25 / 3 for a new bot.
    pub uncertainty: f64,
}

/// Ratings by Weng and Lin's update for multiplayer games. The same games in the same order give the same ratings.
#[derive(Clone, Default, Debug)]
pub struct OnlineRatings {
    ratings: BTreeMap<BotId, WengLinRating>,
}

impl OnlineRatings {
    /// Creates ratings without any games.
    ///
    /// ```
    /// use pacman2_tournament::BotId;
    /// use pacman2_tournament::online::OnlineRatings;
    ///
    /// assert_eq!(OnlineRatings::new().rating(BotId(1)).rating, 25.0);
    /// ```
    #[must_use]
    pub fn new() -> OnlineRatings {
        OnlineRatings::default()
    }

    /// Updates the ratings with a game. A bot on several seats counts once, by its mean place. A game of one bot changes nothing.
    pub fn observe(&mut self, game: &GameResult) {
        let places = mean_places(&game.seats);
        let before: Vec<[WengLinRating; 1]> = places.keys().map(|bot| [self.known(*bot)]).collect();
        let teams: Vec<_> = before.iter().map(|team| &team[..]).zip(places.values().copied()).collect();
        let after = weng_lin_multi_team(&teams, &WengLinConfig::new());
        for (&bot, team) in places.keys().zip(&after) {
            self.ratings.insert(bot, team[0]);
        }
    }

    /// Returns the rating of a bot, or that of a new bot if it has not played.
    #[must_use]
    pub fn rating(&self, bot: BotId) -> OnlineRating {
        let WengLinRating { rating, uncertainty } = self.known(bot);
        OnlineRating { rating, uncertainty }
    }

    fn known(&self, bot: BotId) -> WengLinRating {
        self.ratings.get(&bot).copied().unwrap_or_default()
    }
}

/// Returns the mean place of each bot in a game, in twelfths, so that it is an integer for one to four seats.
fn mean_places(seats: &BySeat<SeatResult>) -> BTreeMap<BotId, MultiTeamOutcome> {
    let mut places: BTreeMap<BotId, Vec<usize>> = BTreeMap::new();
    for (_, seat) in seats.iter() {
        places.entry(seat.bot).or_default().push(usize::from(seat.place));
    }
    let mean = |places: Vec<usize>| MultiTeamOutcome::new(places.iter().sum::<usize>() * 12 / places.len());
    places.into_iter().map(|(bot, places)| (bot, mean(places))).collect()
}
