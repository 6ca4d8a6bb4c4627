//! The analysis of one position for all seats, as values. The command line prints them; pages receive them as JSON.

use pacman2_bots::Effort;
use pacman2_bots::sage::{self, MonotonicClock, RootAction, Sage};
use pacman2_botzone::action;
use pacman2_rules::{Action, BySeat, Game, Seat, State};
use serde_json::{Value, json};

/// The length of a continuation in turns. More would rest on very few simulations.
const MAX_LINE: usize = 10;
/// The prior standard deviation of a simulation's outcome, in points. With it, an action that was tried once or twice has a large
/// error, not none.
const SPREAD: f64 = 20.0;
/// A loss counts from this many standard errors on: a replay has hundreds of actions, and none should be blamed by chance.
const SIGNIFICANT: f64 = 3.0;
/// The smallest loss that counts, in points.
const MIN_LOSS: f64 = 1.0;
/// Every analysis has the same seed, so that equal simulations give equal results.
const SEED: i32 = 0;

/// A seat's expected official score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreEstimate {
    /// The expected points.
    pub points: f64,
    /// The standard error of the points.
    pub error: f64,
}

/// A legal action, and what the search found for it.
#[derive(Clone, PartialEq, Debug)]
pub struct AssessedAction {
    /// The action.
    pub action: Action,
    /// The number of simulations in which it was played.
    pub visits: u32,
    /// `None` if it was never played.
    pub estimate: Option<ScoreEstimate>,
    /// The expected continuation, from this turn on; `None` for dead players.
    pub line: Vec<BySeat<Option<Action>>>,
}

/// Rounds to this number of decimals.
///
/// ```
/// assert_eq!(pacman2_analysis::position::rounded(53.333, 2), 53.33);
/// ```
#[must_use]
pub fn rounded(number: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (number * scale).round() / scale
}

/// What a search found in a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// The turn that comes next, counted from 1.
    pub turn: u32,
    /// The number of simulations.
    pub simulations: u32,
    /// The expected official score of each seat.
    pub points: BySeat<f64>,
    /// All legal actions of each seat, the best first; none for dead players.
    pub seats: BySeat<Vec<AssessedAction>>,
}

/// How much worse than the best action the played one was.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Loss {
    /// The best action.
    pub better: Action,
    /// In points; 0 if it is not significantly worse.
    pub points: f64,
    /// The standard error of the difference.
    pub error: f64,
}

/// A turn that was played: the analysis of the position before it, and the losses of its actions.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedTurn {
    /// The analysis of the position before the turn.
    pub analysis: Analysis,
    /// The actions as Botzone's numbers, legal or not; `None` for dead players.
    pub given: [Option<i32>; 4],
    /// `None` for dead players.
    pub losses: BySeat<Option<Loss>>,
}

/// Analyses positions. It keeps what it learned about the map.
pub struct Analyst {
    sage: Sage,
}

impl Analyst {
    /// Makes an analyst that spends this effort on each position.
    ///
    /// ```
    /// use pacman2_analysis::position::Analyst;
    /// use pacman2_bots::Effort;
    /// use pacman2_rules::{Action, Direction, Game, Seat, picture};
    ///
    /// let (maze, state) = picture::read("
    ///     turn 99/100
    ///     +---+---+---+---+
    ///     | 0   . | 1 | 2 |
    ///     +---+---+---+---+
    ///     3: 0 dead at 0,0
    /// ")?;
    /// let analysis = Analyst::new(Effort::Simulations(1000)).analyse(&Game::new(maze, state), 100, || true);
    /// assert_eq!(analysis.seats[Seat::S0][0].action, Action::Move(Direction::Right));
    /// # Ok::<(), picture::PictureError>(())
    /// ```
    #[must_use]
    pub fn new(effort: Effort) -> Analyst {
        Analyst::with_clock(effort, sage::system_clock())
    }

    /// Makes an analyst that measures its time by this clock.
    #[must_use]
    pub fn with_clock(effort: Effort, clock: MonotonicClock) -> Analyst {
        Analyst { sage: Sage::with_clock(effort, clock) }
    }

    /// Analyses the position before a turn, for as long as `goes_on` and the effort last. If the game is over, there are no actions.
    pub fn analyse(&mut self, game: &Game, turn: u32, goes_on: impl FnMut() -> bool) -> Analysis {
        if game.is_over() {
            let points = game.scores().map(|score| score.points());
            return Analysis { turn, simulations: 0, points, seats: BySeat::default() };
        }
        let result = self.sage.search(game, None, SEED, goes_on);
        let seats = result.options.map(|options| {
            let mut assessed: Vec<AssessedAction> = options.into_iter().map(|action| AssessedAction::of(action, game)).collect();
            assessed.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.points_or_none().total_cmp(&a.points_or_none())));
            assessed
        });
        Analysis { turn, simulations: result.simulations, points: result.points.map(f64::from), seats }
    }

    /// Analyses the position before a turn that was played, and the losses of its actions.
    pub fn analyse_played(
        &mut self,
        game: &Game,
        turn: u32,
        given: [Option<i32>; 4],
        mut goes_on: impl FnMut() -> bool,
    ) -> PlayedTurn {
        let analysis = self.analyse(game, turn, &mut goes_on);
        let losses = BySeat::from_fn(|seat| {
            let best = analysis.seats[seat].first()?;
            let action = action::from_number(given[seat.index()]?);
            let options = &analysis.seats[seat];
            let estimate = match options.iter().find(|option| option.action == action) {
                Some(option) => option.estimate,
                None => Some(self.after_forfeit(game, turn, given, seat, &mut goes_on)),
            };
            Some(Loss::between(best, estimate))
        });
        PlayedTurn { analysis, given, losses }
    }

    /// The expected score of a seat whose action was illegal, so that it died.
    fn after_forfeit(
        &mut self,
        game: &Game,
        turn: u32,
        given: [Option<i32>; 4],
        seat: Seat,
        goes_on: impl FnMut() -> bool,
    ) -> ScoreEstimate {
        let mut game = game.clone();
        game.play(&BySeat(given).map(|number| number.map_or(Action::Stay, action::from_number)));
        let after = self.analyse(&game, turn + 1, goes_on);
        // A dead player's score hardly changes: only the error of the best action counts.
        ScoreEstimate { points: after.points[seat], error: 0.0 }
    }
}

impl AssessedAction {
    fn of(action: RootAction, game: &Game) -> AssessedAction {
        let RootAction { action, visits, points, error, pv: line } = action;
        let estimate = (visits > 0).then(|| {
            let [visits, error] = [f64::from(visits), f64::from(error)];
            let variance = (error * error * visits * visits + SPREAD * SPREAD) / (visits + 1.0);
            ScoreEstimate { points: points.into(), error: (variance / visits).sqrt() }
        });
        AssessedAction { action, visits, estimate, line: of_living_players(&line, game) }
    }

    fn points_or_none(&self) -> f64 {
        self.estimate.map_or(f64::NEG_INFINITY, |estimate| estimate.points)
    }
}

/// Returns a continuation without the actions of dead players.
fn of_living_players(line: &[BySeat<Action>], game: &Game) -> Vec<BySeat<Option<Action>>> {
    let mut state: State = *game.state();
    let living = line.iter().take(MAX_LINE).map(|actions| {
        let alive = state.alive;
        state.play(game.maze(), actions, &mut ());
        BySeat::from_fn(|seat| Some(actions[seat]).filter(|_| alive.contains(seat)))
    });
    living.collect()
}

impl Loss {
    /// Returns the loss of an action with this estimate: 0 if it is not significant.
    fn between(best: &AssessedAction, given: Option<ScoreEstimate>) -> Loss {
        let (Some(highest), Some(given)) = (best.estimate, given) else {
            return Loss { better: best.action, points: 0.0, error: SPREAD };
        };
        let points = highest.points - given.points;
        let error = (highest.error * highest.error + given.error * given.error).sqrt();
        let is_significant = points >= MIN_LOSS && points >= SIGNIFICANT * error;
        Loss { better: best.action, points: if is_significant { points } else { 0.0 }, error }
    }
}

impl Analysis {
    /// Removes the actions of other seats.
    pub fn keep_only(&mut self, seat: Seat) {
        self.seats = BySeat::from_fn(|other| if other == seat { std::mem::take(&mut self.seats[seat]) } else { Vec::new() });
    }

    /// Returns the analysis as JSON; see docs/ANALYSE.md.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "turn": self.turn,
            "simulations": self.simulations,
            "points": self.points.0.map(|points| rounded(points, 2)),
            "seats": self.seats.0.each_ref().map(|options| options.iter().map(AssessedAction::json).collect::<Vec<_>>()),
        })
    }
}

impl AssessedAction {
    fn json(&self) -> Value {
        let line: Vec<_> = self.line.iter().map(|actions| actions.0.map(|action| action.map(action::to_number))).collect();
        json!({
            "action": action::to_number(self.action),
            "visits": self.visits,
            "points": self.estimate.map(|estimate| rounded(estimate.points, 2)),
            "error": self.estimate.map(|estimate| rounded(estimate.error, 2)),
            "line": line,
        })
    }
}

impl PlayedTurn {
    /// Removes what concerns other seats.
    pub fn keep_only(&mut self, seat: Seat) {
        self.analysis.keep_only(seat);
        self.losses = BySeat::from_fn(|other| self.losses[other].filter(|_| other == seat));
    }

    /// Returns the analysis as JSON, with the actions and their losses.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut value = self.analysis.json();
        value["given"] = json!(self.given);
        value["loss"] = json!(self.losses.0.map(|loss| loss.map(|loss| rounded(loss.points, 2))));
        value
    }
}

/// Analyses the position before a turn, for the server.
pub fn analyse_position(game: &Game, turn: u32, effort: Effort, goes_on: impl FnMut() -> bool) -> Value {
    Analyst::new(effort).analyse(game, turn, goes_on).json()
}

/// Analyses the position before a turn that was played with these actions, for the server.
pub fn analyse_played(game: &Game, turn: u32, given: [Option<i32>; 4], effort: Effort, goes_on: impl FnMut() -> bool) -> Value {
    Analyst::new(effort).analyse_played(game, turn, given, goes_on).json()
}

#[cfg(test)]
mod tests {
    use pacman2_rules::{Direction, picture};

    use super::*;

    const RIGHT: Action = Action::Move(Direction::Right);

    /// Only seat 0 can do anything, and only one thing is worth doing. Seat 3 has been dead for long.
    fn game(turn: u32) -> Game {
        let drawn = format!(
            "
            turn {turn}/100
            +---+---+---+---+
            | 0   . | 1 | 2 |
            +---+---+---+---+
            3: 0 dead at 0,0
            "
        );
        let (maze, state) = picture::read(&drawn).unwrap_or_else(|error| panic!("{error}"));
        Game::new(maze, state)
    }

    fn judged(turn: u32, given: [Option<i32>; 4]) -> PlayedTurn {
        Analyst::new(Effort::Simulations(5000)).analyse_played(&game(turn), turn + 1, given, || true)
    }

    fn loss(judged: &PlayedTurn, seat: Seat) -> Loss {
        judged.losses[seat].expect("it is alive")
    }

    #[test]
    fn every_legal_action_has_its_exact_value_in_the_last_turn() {
        let analysis = judged(99, [Some(1), Some(-1), Some(-1), None]).analysis;
        let points_of = |seat: Seat| -> Vec<(Action, f64)> {
            analysis.seats[seat].iter().map(|action| (action.action, rounded(action.estimate.unwrap().points, 2))).collect()
        };
        // Strengths of 2, 1, 1 and 0 after the fruit, of 1, 1, 1 and 0 without it.
        assert_eq!(points_of(Seat::S0), [(RIGHT, 90.0), (Action::Stay, 53.33)]);
        assert_eq!(analysis.seats[Seat::S1].len(), 1);
        assert!(points_of(Seat::S3).is_empty());
        assert_eq!((analysis.turn, analysis.simulations), (100, 5000));
        let line = &analysis.seats[Seat::S0][0].line;
        assert_eq!(line[..], [BySeat([Some(RIGHT), Some(Action::Stay), Some(Action::Stay), None])]);
    }

    #[test]
    fn the_best_action_costs_nothing_and_another_the_difference() {
        let good = judged(99, [Some(1), Some(-1), Some(-1), None]);
        assert_eq!((loss(&good, Seat::S0).points, loss(&good, Seat::S1).points), (0.0, 0.0));
        let bad = judged(99, [Some(-1), Some(-1), Some(-1), None]);
        let Loss { better, points, error } = loss(&bad, Seat::S0);
        assert_eq!((better, rounded(points, 2)), (RIGHT, 36.67));
        assert!(error > 0.0 && error < points / SIGNIFICANT, "{error}");
        assert_eq!(bad.losses[Seat::S3], None);
        assert_eq!(bad.json()["loss"], json!([36.67, 0.0, 0.0, null]));
        assert_eq!(bad.json()["given"], json!([-1, -1, -1, null]));
    }

    #[test]
    fn an_illegal_action_costs_what_a_life_is_worth() {
        for number in [action::UNREADABLE, 99, 0, 5] {
            let last = judged(99, [Some(number), Some(-1), Some(-1), None]);
            // Who has no strength is in the last place.
            assert_eq!(rounded(loss(&last, Seat::S0).points, 2), 80.0, "{number}");
            let earlier = judged(20, [Some(number), Some(-1), Some(-1), None]);
            assert!(loss(&earlier, Seat::S0).points > 20.0, "{number}: {earlier:?}");
            assert_eq!(loss(&earlier, Seat::S1).points, 0.0);
        }
    }

    #[test]
    fn an_uncertain_difference_is_no_loss() {
        let assessed = |points: f64, error: f64| AssessedAction {
            action: RIGHT,
            visits: 100,
            estimate: Some(ScoreEstimate { points, error }),
            line: Vec::new(),
        };
        let given = |points, error| Some(ScoreEstimate { points, error });
        let points = |best: &AssessedAction, given| Loss::between(best, given).points;
        assert_eq!(points(&assessed(50.0, 0.3), given(45.0, 0.4)), 5.0);
        assert_eq!(points(&assessed(50.0, 0.3), given(45.0, 2.0)), 0.0, "the error is too large");
        assert_eq!(points(&assessed(50.0, 0.0), given(49.5, 0.0)), 0.0, "it is too little");
        assert_eq!(points(&assessed(50.0, 0.3), given(60.0, 0.3)), 0.0, "it seems better than the best");
        assert_eq!(points(&assessed(50.0, 0.3), None), 0.0, "it was never tried");
    }

    #[test]
    fn who_was_tried_once_has_a_large_error() {
        let weighed = |visits, error| RootAction { action: RIGHT, visits, points: 40.0, error, pv: Vec::new() };
        let error = |visits, error| AssessedAction::of(weighed(visits, error), &game(0)).estimate.map(|estimate| estimate.error);
        assert_eq!(error(0, 0.0), None);
        assert!(error(1, 0.0) > Some(10.0));
        assert!(error(10_000, 0.5).is_some_and(|error| (0.49..0.51).contains(&error)));
    }

    #[test]
    fn a_search_that_is_stopped_at_once_has_tried_nothing() {
        let analysis = analyse_position(&game(20), 21, Effort::Simulations(100), || false);
        assert_eq!((&analysis["simulations"], &analysis["seats"][0][0]["points"]), (&json!(0), &Value::Null));
    }

    #[test]
    fn there_are_no_actions_when_the_game_is_over() {
        let analysis = analyse_played(&game(100), 101, [None; 4], Effort::Simulations(100), || true);
        assert_eq!(
            analysis,
            json!({
                "turn": 101,
                "simulations": 0,
                "points": [53.33, 53.33, 53.33, 10.0],
                "seats": [[], [], [], []],
                "given": [null, null, null, null],
                "loss": [null, null, null, null],
            })
        );
    }
}
