//! What another action than the played one would have been worth.

use pacman2_botzone::action;
use pacman2_rules::{Game, Seat};

use crate::position::{Analyst, DECIMALS, ScoreEstimate, rounded};

/// What the action that a seat played and another one are worth in the same position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// The action that was played; `None` if the search never tried it.
    pub played: Option<ScoreEstimate>,
    /// The other one, likewise.
    pub other: Option<ScoreEstimate>,
}

impl Analyst {
    /// Compares the action that a living seat played in a turn with another one. All actions are Botzone's numbers, legal or not.
    ///
    /// ```
    /// use pacman2_analysis::position::Analyst;
    /// use pacman2_bots::Effort;
    /// use pacman2_rules::{Game, Seat, picture};
    ///
    /// let (maze, state) = picture::read("
    ///     turn 99/100
    ///     +---+---+---+---+
    ///     | 0   . | 1 | 2 |
    ///     +---+---+---+---+
    ///     3: 0 dead at 0,0
    /// ")?;
    /// let game = Game::new(maze, state);
    /// let stayed = [Some(-1), Some(-1), Some(-1), None];
    /// let fruit = Analyst::new(Effort::Simulations(1000)).compare(&game, 100, stayed, Seat::S0, 1, || true);
    /// assert!(fruit.points() > Some(0.0) && fruit.is_significant());
    /// # Ok::<(), picture::PictureError>(())
    /// ```
    pub fn compare(
        &mut self,
        game: &Game,
        turn: u32,
        given: [Option<i32>; 4],
        seat: Seat,
        other: i32,
        mut goes_on: impl FnMut() -> bool,
    ) -> Comparison {
        let analysis = self.analyse(game, turn, &mut goes_on);
        let mut estimate = |number: i32| {
            let action = action::from_number(number);
            match analysis.seats[seat].iter().find(|option| option.action == action) {
                Some(option) => option.estimate,
                None => {
                    let mut given = given;
                    given[seat.index()] = Some(number);
                    Some(self.after_forfeit(game, turn, given, seat, &mut goes_on))
                }
            }
        };
        Comparison { played: given[seat.index()].and_then(&mut estimate), other: estimate(other) }
    }
}

impl Comparison {
    /// Returns how many points more the other action is worth; negative if it is worth less. `None` if either was never tried.
    #[must_use]
    pub fn points(self) -> Option<f64> {
        Some(rounded(self.other?.points - self.played?.points, DECIMALS))
    }

    /// Returns the standard error of [`points`](Self::points).
    #[must_use]
    pub fn error(self) -> Option<f64> {
        Some(rounded(self.other?.error_of_difference(self.played?), DECIMALS))
    }

    /// Returns whether chance does not explain the difference.
    #[must_use]
    pub fn is_significant(self) -> bool {
        let (Some(played), Some(other)) = (self.played, self.other) else { return false };
        other.is_significantly_above(played) || played.is_significantly_above(other)
    }
}
