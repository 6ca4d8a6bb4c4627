//! One position, thought over for all seats at once. What comes of it are values: the command line puts them into words,
//! and a server sends them on as JSON.

use std::time::Instant;

use pacman2_bots::Effort;
use pacman2_bots::sage::{RootAction, Sage};
use pacman2_botzone::action;
use pacman2_rules::{Action, BySeat, Game, Seat, State};
use serde_json::{Value, json};

/// So many turns of an expected continuation are told: what lies beyond rests on hardly any simulations.
const LONGEST_LINE: usize = 10;
/// How far the outcomes of single simulations lie apart where nothing is known of it yet, in points: who was tried once or
/// twice has a large error, not none.
const SPREAD: f64 = 20.0;
/// A loss is claimed from so many standard errors on: a replay has hundreds of orders, and none is to be blamed by chance.
const CLEARLY: f64 = 3.0;
/// Nor is anybody blamed for less than this, in points.
const LEAST_LOSS: f64 = 1.0;
/// Chance is the same in every analysis, so that the same simulations tell the same.
const SEED: i32 = 0;

/// What a seat may expect, in official points.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Estimate {
    pub(crate) points: f64,
    /// Its standard error.
    pub(crate) error: f64,
}

/// A legal order, and what came of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Assessed {
    pub(crate) action: Action,
    /// In how many simulations it was given.
    pub(crate) visits: u32,
    /// `None` if it was never given.
    pub(crate) estimate: Option<Estimate>,
    /// What is expected to be ordered if it is given, from this turn on; `None` for the dead.
    pub(crate) line: Vec<BySeat<Option<Action>>>,
}

/// What a search found in a position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Analysis {
    /// The turn that comes next, counted from 1.
    pub(crate) turn: u32,
    pub(crate) simulations: u32,
    /// The official points that each seat may expect.
    pub(crate) points: BySeat<f64>,
    /// All legal orders of each seat, the best first; none for the dead.
    pub(crate) seats: BySeat<Vec<Assessed>>,
}

/// By how much the order that was given is worse than the best.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Loss {
    pub(crate) better: Action,
    /// In points; 0 if it is not clearly worse.
    pub(crate) points: f64,
    /// The standard error of the difference.
    pub(crate) error: f64,
}

/// The position before a turn that was played, and what it was played with.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Judged {
    pub(crate) analysis: Analysis,
    /// Botzone's numbers, whatever was given; `None` for the dead.
    pub(crate) given: [Option<i32>; 4],
    /// `None` for the dead.
    pub(crate) losses: BySeat<Option<Loss>>,
}

/// Thinks positions over. One that lives on knows the map already.
pub(crate) struct Analyst {
    sage: Sage,
}

impl Analyst {
    /// It thinks so much about every position.
    pub(crate) fn new(effort: Effort) -> Analyst {
        Analyst { sage: Sage::new(effort) }
    }

    /// The position before a turn, for as long as `goes_on` and the effort last. Where the game is over nobody has an order.
    pub(crate) fn think_over(&mut self, game: &Game, turn: u32, goes_on: impl FnMut() -> bool) -> Analysis {
        if game.is_over() {
            let points = game.scores().map(|score| score.hundredths as f64 / 100.0);
            return Analysis { turn, simulations: 0, points, seats: BySeat::default() };
        }
        let thought = self.sage.search(game, None, SEED, Instant::now(), goes_on);
        let seats = thought.options.map(|options| {
            let mut assessed: Vec<Assessed> = options.into_iter().map(|weighed| Assessed::of(weighed, game)).collect();
            assessed.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.points_or_none().total_cmp(&a.points_or_none())));
            assessed
        });
        Analysis { turn, simulations: thought.simulations, points: thought.points.map(f64::from), seats }
    }

    /// The same, and what the orders that were given then cost those who gave them.
    pub(crate) fn judge(&mut self, game: &Game, turn: u32, given: [Option<i32>; 4], mut goes_on: impl FnMut() -> bool) -> Judged {
        let analysis = self.think_over(game, turn, &mut goes_on);
        let losses = BySeat::from_fn(|seat| {
            let best = analysis.seats[seat].first()?;
            let action = action::from_number(given[seat.index()]?);
            let options = &analysis.seats[seat];
            let estimate = match options.iter().find(|assessed| assessed.action == action) {
                Some(assessed) => assessed.estimate,
                None => Some(self.after_forfeit(game, turn, given, seat, &mut goes_on)),
            };
            Some(Loss::between(best, estimate))
        });
        Judged { analysis, given, losses }
    }

    /// What a seat may expect that gave an illegal order and died of it.
    fn after_forfeit(
        &mut self,
        game: &Game,
        turn: u32,
        given: [Option<i32>; 4],
        seat: Seat,
        goes_on: impl FnMut() -> bool,
    ) -> Estimate {
        let mut game = game.clone();
        game.play(&BySeat(given).map(|number| number.map_or(Action::Stay, action::from_number)));
        let after = self.think_over(&game, turn + 1, goes_on);
        // The dead have few points and can lose none: the best order's error is all that counts.
        Estimate { points: after.points[seat], error: 0.0 }
    }
}

impl Assessed {
    fn of(weighed: RootAction, game: &Game) -> Assessed {
        let RootAction { action, visits, points, error, pv: line } = weighed;
        let estimate = (visits > 0).then(|| {
            let [visits, error] = [f64::from(visits), f64::from(error)];
            let variance = (error * error * visits * visits + SPREAD * SPREAD) / (visits + 1.0);
            Estimate { points: points.into(), error: (variance / visits).sqrt() }
        });
        Assessed { action, visits, estimate, line: of_the_living(&line, game) }
    }

    fn points_or_none(&self) -> f64 {
        self.estimate.map_or(f64::NEG_INFINITY, |estimate| estimate.points)
    }
}

/// A line without what is said for the dead.
fn of_the_living(line: &[BySeat<Action>], game: &Game) -> Vec<BySeat<Option<Action>>> {
    let mut state: State = *game.state();
    let living = line.iter().take(LONGEST_LINE).map(|actions| {
        let alive = state.alive;
        state.play(game.maze(), actions, &mut ());
        BySeat::from_fn(|seat| Some(actions[seat]).filter(|_| alive.contains(seat)))
    });
    living.collect()
}

impl Loss {
    /// The loss of who gave an order with this estimate; none is claimed that is not clear.
    fn between(best: &Assessed, given: Option<Estimate>) -> Loss {
        let (Some(highest), Some(given)) = (best.estimate, given) else {
            return Loss { better: best.action, points: 0.0, error: SPREAD };
        };
        let points = highest.points - given.points;
        let error = (highest.error * highest.error + given.error * given.error).sqrt();
        let is_clear = points >= LEAST_LOSS && points >= CLEARLY * error;
        Loss { better: best.action, points: if is_clear { points } else { 0.0 }, error }
    }
}

impl Analysis {
    /// Leaves only what it says of this seat's orders.
    pub(crate) fn keep_only(&mut self, seat: Seat) {
        self.seats = BySeat::from_fn(|other| if other == seat { std::mem::take(&mut self.seats[seat]) } else { Vec::new() });
    }

    /// As `docs/ANALYSE.md` describes it.
    pub(crate) fn json(&self) -> Value {
        json!({
            "turn": self.turn,
            "simulations": self.simulations,
            "points": self.points.0.map(rounded),
            "seats": self.seats.0.each_ref().map(|options| options.iter().map(Assessed::json).collect::<Vec<_>>()),
        })
    }
}

impl Assessed {
    fn json(&self) -> Value {
        let line: Vec<_> = self.line.iter().map(|actions| actions.0.map(|action| action.map(action::to_number))).collect();
        json!({
            "action": action::to_number(self.action),
            "visits": self.visits,
            "points": self.estimate.map(|estimate| rounded(estimate.points)),
            "error": self.estimate.map(|estimate| rounded(estimate.error)),
            "line": line,
        })
    }
}

impl Judged {
    /// Leaves only what it says of this seat.
    pub(crate) fn keep_only(&mut self, seat: Seat) {
        self.analysis.keep_only(seat);
        self.losses = BySeat::from_fn(|other| self.losses[other].filter(|_| other == seat));
    }

    /// The analysis with what was given, and what that cost.
    pub(crate) fn json(&self) -> Value {
        let mut told = self.analysis.json();
        told["given"] = json!(self.given);
        told["loss"] = json!(self.losses.0.map(|loss| loss.map(|loss| rounded(loss.points))));
        told
    }
}

/// As JSON has it: with two decimals.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// Analyses the position before a turn: what a server answers somebody who asks for a hint.
pub(crate) fn analyse_position(game: &Game, turn: u32, effort: Effort, goes_on: impl FnMut() -> bool) -> Value {
    Analyst::new(effort).think_over(game, turn, goes_on).json()
}

/// Analyses the position before a turn that was played with these actions: what a server answers who looks at a match again.
pub(crate) fn analyse_played(
    game: &Game,
    turn: u32,
    given: [Option<i32>; 4],
    effort: Effort,
    goes_on: impl FnMut() -> bool,
) -> Value {
    Analyst::new(effort).judge(game, turn, given, goes_on).json()
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
        let (arena, state) = picture::read(&drawn).unwrap_or_else(|error| panic!("{error}"));
        Game::new(arena, state)
    }

    fn judged(turn: u32, given: [Option<i32>; 4]) -> Judged {
        Analyst::new(Effort::Simulations(5000)).judge(&game(turn), turn + 1, given, || true)
    }

    fn loss(judged: &Judged, seat: Seat) -> Loss {
        judged.losses[seat].expect("it is alive")
    }

    #[test]
    fn every_legal_order_has_its_exact_value_in_the_last_turn() {
        let analysis = judged(99, [Some(1), Some(-1), Some(-1), None]).analysis;
        let told = |seat: Seat| -> Vec<(Action, f64)> {
            analysis.seats[seat].iter().map(|assessed| (assessed.action, rounded(assessed.estimate.unwrap().points))).collect()
        };
        // Strengths of 2, 1, 1 and 0 after the fruit, of 1, 1, 1 and 0 without it.
        assert_eq!(told(Seat::S0), [(RIGHT, 90.0), (Action::Stay, 53.33)]);
        assert_eq!(analysis.seats[Seat::S1].len(), 1);
        assert!(told(Seat::S3).is_empty());
        assert_eq!((analysis.turn, analysis.simulations), (100, 5000));
        let line = &analysis.seats[Seat::S0][0].line;
        assert_eq!(line[..], [BySeat([Some(RIGHT), Some(Action::Stay), Some(Action::Stay), None])]);
    }

    #[test]
    fn the_best_order_costs_nothing_and_another_the_difference() {
        let good = judged(99, [Some(1), Some(-1), Some(-1), None]);
        assert_eq!((loss(&good, Seat::S0).points, loss(&good, Seat::S1).points), (0.0, 0.0));
        let bad = judged(99, [Some(-1), Some(-1), Some(-1), None]);
        let Loss { better, points, error } = loss(&bad, Seat::S0);
        assert_eq!((better, rounded(points)), (RIGHT, 36.67));
        assert!(error > 0.0 && error < points / CLEARLY, "{error}");
        assert_eq!(bad.losses[Seat::S3], None);
        assert_eq!(bad.json()["loss"], json!([36.67, 0.0, 0.0, null]));
        assert_eq!(bad.json()["given"], json!([-1, -1, -1, null]));
    }

    #[test]
    fn an_illegal_order_costs_what_a_life_is_worth() {
        for number in [action::UNREADABLE, 99, 0, 5] {
            let last = judged(99, [Some(number), Some(-1), Some(-1), None]);
            // Who has no strength is in the last place.
            assert_eq!(rounded(loss(&last, Seat::S0).points), 80.0, "{number}");
            let earlier = judged(20, [Some(number), Some(-1), Some(-1), None]);
            assert!(loss(&earlier, Seat::S0).points > 20.0, "{number}: {earlier:?}");
            assert_eq!(loss(&earlier, Seat::S1).points, 0.0);
        }
    }

    #[test]
    fn what_is_not_clear_is_no_loss() {
        let assessed = |points: f64, error: f64| Assessed {
            action: RIGHT,
            visits: 100,
            estimate: Some(Estimate { points, error }),
            line: Vec::new(),
        };
        let given = |points, error| Some(Estimate { points, error });
        let points = |best: &Assessed, given| Loss::between(best, given).points;
        assert_eq!(points(&assessed(50.0, 0.3), given(45.0, 0.4)), 5.0);
        assert_eq!(points(&assessed(50.0, 0.3), given(45.0, 2.0)), 0.0, "the error is too large");
        assert_eq!(points(&assessed(50.0, 0.0), given(49.5, 0.0)), 0.0, "it is too little");
        assert_eq!(points(&assessed(50.0, 0.3), given(60.0, 0.3)), 0.0, "it seems better than the best");
        assert_eq!(points(&assessed(50.0, 0.3), None), 0.0, "nobody tried it");
    }

    #[test]
    fn who_was_tried_once_has_a_large_error() {
        let weighed = |visits, error| RootAction { action: RIGHT, visits, points: 40.0, error, pv: Vec::new() };
        let error = |visits, error| Assessed::of(weighed(visits, error), &game(0)).estimate.map(|estimate| estimate.error);
        assert_eq!(error(0, 0.0), None);
        assert!(error(1, 0.0) > Some(10.0));
        assert!(error(10_000, 0.5).is_some_and(|error| (0.49..0.51).contains(&error)));
    }

    #[test]
    fn a_search_that_is_stopped_at_once_has_tried_nothing() {
        let told = analyse_position(&game(20), 21, Effort::Simulations(100), || false);
        assert_eq!((&told["simulations"], &told["seats"][0][0]["points"]), (&json!(0), &Value::Null));
    }

    #[test]
    fn nobody_has_orders_when_the_game_is_over() {
        let told = analyse_played(&game(100), 101, [None; 4], Effort::Simulations(100), || true);
        assert_eq!(
            told,
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
