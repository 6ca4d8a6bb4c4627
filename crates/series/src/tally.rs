//! Sums over many games.

use std::collections::BTreeMap;

use pacman2_rules::{BySeat, Game, Seat};

use super::rotation;

/// The number of worst games that are kept.
const WORST: usize = 5;

/// What is counted of games, in whole numbers: the sum does not depend on the order of the games.
#[derive(Default)]
pub(super) struct SeriesTally {
    pub(super) games: u32,
    pub(super) turns: u64,
    pub(super) seats: BySeat<SeatTally>,
    pub(super) checksum: u64,
    /// The result of each bot if the seats rotate.
    pub(super) rotated: Vec<rotation::MatchResult>,
    /// The faults of each bot, in the order in which they were typed, by their kinds.
    pub(super) faults: BTreeMap<(usize, &'static str), FaultTally>,
    /// The games in which the first bot had its lowest scores, the lowest first.
    pub(super) worst: Vec<WorstGame>,
}

/// The first fault of a bot in a match.
pub(super) struct Fault {
    /// The verdict for people.
    pub(super) kind: &'static str,
    pub(super) turn: usize,
    pub(super) complaint: String,
}

/// The faults of a bot of one kind: in how many matches, and the first of them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FaultTally {
    pub(super) games: u32,
    /// The number of the match, counted from 0.
    pub(super) number: u32,
    pub(super) turn: usize,
    pub(super) complaint: String,
}

/// A game, by the score of the first bot in hundredths and by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct WorstGame {
    pub(super) hundredths: i64,
    pub(super) number: u32,
    pub(super) seat: Seat,
}

/// The sums over a seat's games.
#[derive(Clone, Copy, Default)]
pub(super) struct SeatTally {
    /// Scores, and their squares.
    hundredths: i128,
    hundredths_squared: i128,
    /// Places; 1 is the best.
    pub(super) places: u64,
    /// Games in which no player was stronger in the end. Several players may share the first place.
    pub(super) firsts: u32,
    pub(super) strength: i64,
}

impl SeriesTally {
    /// Adds a game that is over. `later` games come after it: the checksum rotates each fingerprint as often as if all had
    /// been folded in order.
    pub(super) fn count(&mut self, game: &Game, later: u32) {
        let state = game.state();
        for (seat, score) in game.scores().iter() {
            let hundredths = i128::from(score.hundredths);
            let strength = state.strength[seat];
            let stronger = state.strength.0.iter().filter(|&&other| other > strength).count();
            self.seats[seat].add(&SeatTally {
                hundredths,
                hundredths_squared: hundredths * hundredths,
                places: 1 + stronger as u64,
                firsts: (stronger == 0).into(),
                strength: strength.into(),
            });
        }
        self.games += 1;
        self.turns += u64::from(state.turn);
        self.checksum ^= state.fingerprint().rotate_left(later % u64::BITS);
    }

    /// Adds the faults of a match. `places` are the bots by their seats.
    pub(super) fn count_faults(&mut self, number: u32, places: BySeat<usize>, faults: BySeat<Option<Fault>>) {
        for (seat, fault) in faults.0.into_iter().enumerate().filter_map(|(seat, fault)| Some((Seat::ALL[seat], fault?))) {
            let Fault { kind, turn, complaint } = fault;
            self.add_faults((places[seat], kind), FaultTally { games: 1, number, turn, complaint });
        }
    }

    fn add_faults(&mut self, key: (usize, &'static str), other: FaultTally) {
        match self.faults.get_mut(&key) {
            None => drop(self.faults.insert(key, other)),
            Some(known) => {
                let games = known.games + other.games;
                if other.number < known.number {
                    *known = other;
                }
                known.games = games;
            }
        }
    }

    /// Keeps a game if the first bot, which had this seat, did worse in few others.
    pub(super) fn keep_worst(&mut self, game: WorstGame) {
        self.worst.push(game);
        self.worst.sort_unstable();
        self.worst.truncate(WORST);
    }

    pub(super) fn add(&mut self, other: &SeriesTally) {
        other.faults.iter().for_each(|(&key, faults)| self.add_faults(key, faults.clone()));
        other.worst.iter().for_each(|&game| self.keep_worst(game));
        self.games += other.games;
        self.turns += other.turns;
        self.checksum ^= other.checksum;
        self.rotated.extend(&other.rotated);
        for seat in Seat::ALL {
            self.seats[seat].add(&other.seats[seat]);
        }
    }
}

impl SeatTally {
    fn add(&mut self, other: &SeatTally) {
        self.hundredths += other.hundredths;
        self.hundredths_squared += other.hundredths_squared;
        self.places += other.places;
        self.firsts += other.firsts;
        self.strength += other.strength;
    }

    /// The mean score in points.
    pub(super) fn mean_score(&self, games: u32) -> f64 {
        mean(self.hundredths as f64 / 100.0, games)
    }

    /// The standard error of the mean score in points; a single game has none.
    pub(super) fn standard_error(&self, games: u32) -> Option<f64> {
        let n = f64::from(games);
        let mean = self.hundredths as f64 / n;
        let variance = (self.hundredths_squared as f64 / n - mean * mean).max(0.0) * n / (n - 1.0);
        (games > 1).then(|| (variance / n).sqrt() / 100.0)
    }
}

/// Returns the share of games that were won, and Wilson's 95 % interval of it.
pub(super) fn win_rate(won: u32, games: u32) -> [f64; 3] {
    const Z: f64 = 1.96;
    let n = f64::from(games.max(1));
    let rate = f64::from(won) / n;
    let scale = 1.0 + Z * Z / n;
    let middle = (rate + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    [rate, (middle - half).max(0.0), (middle + half).min(1.0)]
}

/// A mean; 0 if there are no games.
pub(super) fn mean(sum: f64, games: u32) -> f64 {
    sum / f64::from(games.max(1))
}

#[cfg(test)]
mod tests {
    use pacman2_rules::State;

    use super::*;

    /// A game that ended with these strengths.
    fn ended(strength: [i32; 4]) -> Game {
        let (maze, state) = pacman2_rules::picture::read(
            "
            turn 100/100
            +---+---+
            | 0   1 |
            +---+---+
            | 2   3 |
            +---+---+
            ",
        )
        .unwrap();
        Game::new(maze, State { strength: BySeat(strength), ..state })
    }

    fn tally(games: &[Game]) -> SeriesTally {
        let mut tally = SeriesTally::default();
        for (game, later) in games.iter().zip((0..games.len() as u32).rev()) {
            tally.count(game, later);
        }
        tally
    }

    #[test]
    fn mean_score_and_standard_error() {
        // Seat 0 scores 40 and 20, seat 3 scores 10 and 70.
        let tally = tally(&[ended([1, 0, 9, 0]), ended([1, 1, 4, 4])]);
        let [first, .., last] = tally.seats.0;
        assert_eq!((first.mean_score(2), first.standard_error(2)), (30.0, Some(10.0)));
        assert_eq!((last.mean_score(2), last.standard_error(2)), (40.0, Some(30.0)));
    }

    #[test]
    fn the_interval_of_a_win_rate() {
        let percent = |won, games| win_rate(won, games).map(|share| (1000.0 * share).round() / 10.0);
        assert_eq!(percent(50, 100), [50.0, 40.4, 59.6]);
        assert_eq!(percent(0, 10), [0.0, 0.0, 27.8]);
        assert_eq!(percent(10, 10), [100.0, 72.2, 100.0]);
    }

    #[test]
    fn faults_and_worst_games_do_not_depend_on_the_order() {
        let game = |number: u32| {
            let mut tally = SeriesTally::default();
            tally.keep_worst(WorstGame { hundredths: i64::from(number % 4), number, seat: Seat::S0 });
            let fault = |turn| Some(Fault { kind: "TLE", turn, complaint: format!("in match {number}") });
            tally.count_faults(number, BySeat([2, 3, 0, 1]), BySeat([fault(7), None, None, None]));
            tally
        };
        let mut tally = SeriesTally::default();
        (0..12).rev().for_each(|number| tally.add(&game(number)));
        assert_eq!(tally.worst.iter().map(|game| game.number).collect::<Vec<_>>(), [0, 4, 8, 1, 5]);
        let faults = FaultTally { games: 12, number: 0, turn: 7, complaint: "in match 0".to_owned() };
        assert_eq!(tally.faults, BTreeMap::from([((2, "TLE"), faults)]));
    }

    #[test]
    fn one_game_has_no_standard_error() {
        assert_eq!(tally(&[ended([1, 2, 3, 4])]).seats[Seat::S0].standard_error(1), None);
    }

    #[test]
    fn equal_players_share_a_place() {
        let tally = tally(&[ended([5, 5, 1, 1])]);
        let seats = tally.seats.0.map(|seat| (seat.places, seat.firsts, seat.strength));
        assert_eq!(seats, [(1, 1, 5), (1, 1, 5), (3, 0, 1), (3, 0, 1)]);
    }

    #[test]
    fn sums_and_checksum_do_not_depend_on_the_order_of_adding() {
        let games: Vec<Game> = (0..70).map(|strength| ended([strength, 1, 1, 1])).collect();
        let in_order = games.iter().fold(0u64, |sum, game| sum.rotate_left(1) ^ game.state().fingerprint());
        let whole = tally(&games);
        assert_eq!(whole.checksum, in_order);

        let (mut odd, mut even) = (SeriesTally::default(), SeriesTally::default());
        for (number, game) in games.iter().enumerate().rev() {
            if number % 2 == 0 { &mut even } else { &mut odd }.count(game, 69 - number as u32);
        }
        odd.add(&even);
        assert_eq!((odd.games, odd.turns, odd.checksum), (70, 7000, in_order));
        assert_eq!(odd.seats[Seat::S0].hundredths_squared, whole.seats[Seat::S0].hundredths_squared);

        let mut swapped = games;
        swapped.swap(3, 4);
        assert_ne!(tally(&swapped).checksum, in_order);
    }
}
