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

#[cfg(test)]
mod tests {
    use super::*;

    fn game(bots: [i64; 4], places: [u8; 4]) -> GameResult {
        let seat = |index: usize| SeatResult {
            bot: BotId(bots[index]),
            hundredths: 0,
            place: places[index],
            strength: 0,
            fault: None,
            slowest_us: 0,
        };
        GameResult {
            id: String::new(),
            block: String::new(),
            seed: 0,
            width: 5,
            height: 5,
            turns: 100,
            seats: BySeat::from_fn(|at| seat(at.index())),
            finished: 0,
            seconds: 0.0,
            replayed: 0,
        }
    }

    fn after(games: &[GameResult]) -> OnlineRatings {
        let mut online = OnlineRatings::new();
        games.iter().for_each(|game| online.observe(game));
        online
    }

    #[test]
    fn winners_rise_and_uncertainty_falls() {
        let online = after(&vec![game([7, 8, 9, 10], [2, 1, 4, 3]); 20]);
        let order = [8, 7, 10, 9].map(|bot| online.rating(BotId(bot)));
        assert!(order.is_sorted_by(|one, next| one.rating > next.rating + 1.0), "{order:?}");
        assert!(order.iter().all(|bot| bot.uncertainty < 5.0), "{order:?}");
        let new_bot = online.rating(BotId(1));
        assert_eq!((new_bot.rating, new_bot.uncertainty), (25.0, 25.0 / 3.0));
    }

    #[test]
    fn seats_of_the_same_bot_are_not_compared() {
        let alone = after(&[game([7; 4], [1, 2, 3, 4])]);
        assert_eq!(alone.rating(BotId(7)), OnlineRatings::new().rating(BotId(7)));
        // First and last is as good as second and third.
        let even = after(&[game([7, 8, 8, 7], [1, 2, 3, 4])]);
        assert_eq!(even.rating(BotId(7)), even.rating(BotId(8)));
        let better = after(&[game([7, 8, 8, 7], [1, 2, 4, 3])]);
        assert!(better.rating(BotId(7)).rating > better.rating(BotId(8)).rating + 1.0);
    }

    #[test]
    fn places_count_and_seats_do_not() {
        let one = after(&[game([1, 2, 3, 4], [1, 2, 2, 4])]);
        let other = after(&[game([3, 4, 1, 2], [2, 4, 1, 2])]);
        for bot in [1, 2, 3, 4].map(BotId) {
            assert_eq!(one.rating(bot), other.rating(bot));
        }
        assert_eq!(one.rating(BotId(2)), one.rating(BotId(3)));
    }
}
