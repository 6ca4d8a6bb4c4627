//! Ratings that follow each game.

use pacman2_rules::BySeat;
use pacman2_tournament::online::*;
use pacman2_tournament::{BotId, GameResult, SeatResult};

use super::results::result;

fn game(bots: [i64; 4], places: [u8; 4]) -> GameResult {
    let seat = |index: usize| SeatResult {
        bot: BotId(bots[index]),
        hundredths: 0,
        place: places[index],
        strength: 0,
        fault: None,
        slowest_us: 0,
    };
    result(0, BySeat::from_fn(|at| seat(at.index())))
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
