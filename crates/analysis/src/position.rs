//! The analysis of one position for all seats, as values. The command line prints them; pages receive them as JSON.

use std::sync::Arc;

use pacman2_bots::Effort;
use pacman2_bots::sage::{self, MonotonicClock, RootAction, Sage, SearchResult};
use pacman2_botzone::action;
use pacman2_rules::{Action, BySeat, Game, Seat, State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cache::{self, AnalysisCache};
use crate::explanation::{Explanation, explain};

/// The simulations of an analysed turn unless more or less is asked for. They take about 0.1 s.
pub const DEFAULT_SIMULATIONS: u32 = 20_000;
/// The number of searches among which the effort is divided, and the fewest simulations that make another one worthwhile.
///
/// The simulations of one search share a tree, so their spread says too little about its error: with 320,000 simulations, 8 % of the
/// first actions were significantly worse in another such search. Between four searches together and another four, it was 0.5 %.
/// Eight smaller ones judge worse, because each sees less far.
const MAX_SEARCHES: u32 = 4;
const SIMULATIONS_PER_SEARCH: u32 = 100;
/// The length of a continuation in turns. More would rest on very few simulations.
const MAX_LINE: usize = 10;
/// The prior standard deviation of a simulation's outcome, in points. With it, an action that was tried once or twice has a large
/// error, not none.
const SPREAD: f64 = 20.0;
/// A loss counts from this many standard errors on: a replay has hundreds of actions, and none should be blamed by chance.
const SIGNIFICANT: f64 = 3.0;
/// The smallest loss that counts, in points.
const MIN_LOSS: f64 = 1.0;
/// The loss that halves the accuracy of a turn, in points.
const HALVING_LOSS: f64 = 5.0;
/// All numbers of an analysis have this many decimals, so that losses follow from the numbers that are printed and kept.
pub(crate) const DECIMALS: i32 = 2;

/// A seat's expected official score, to two decimals.
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
    /// All legal actions of each seat, the best first: that with the highest [`ScoreEstimate::lower_bound`]. None for dead players.
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
    /// How good each action was, from 0 to 100; `None` for dead players and those without a choice.
    pub accuracies: BySeat<Option<f64>>,
    /// Why actions lost points; `None` for those that did not.
    pub why: BySeat<Option<Explanation>>,
}

/// Analyses positions. It keeps what it learned about the map.
pub struct Analyst {
    sage: Sage,
    effort: Effort,
    cache: Option<Arc<dyn AnalysisCache>>,
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
        Analyst { sage: Sage::with_clock(effort, clock), effort, cache: None }
    }

    /// Keeps analyses here and takes them from here, as far as they are always the same: those by a number of simulations.
    #[must_use]
    pub fn with_cache(mut self, cache: Arc<dyn AnalysisCache>) -> Analyst {
        self.cache = Some(cache);
        self
    }

    /// Analyses the position before a turn, for as long as `goes_on` and the effort last. If the game is over, there are no actions.
    pub fn analyse(&mut self, game: &Game, turn: u32, goes_on: impl FnMut() -> bool) -> Analysis {
        if game.is_over() {
            let points = game.scores().map(|score| score.points());
            return Analysis { turn, simulations: 0, points, seats: BySeat::default() };
        }
        let (Some(cache), Effort::Simulations(simulations)) = (self.cache.clone(), self.effort) else {
            return self.search(game, turn, goes_on);
        };
        let key = cache::key(game, simulations);
        if let Some(kept) = cache.load(&key).and_then(|text| Analysis::read(&text, game, turn)) {
            return kept;
        }
        let analysis = self.search(game, turn, goes_on);
        // One that was stopped early is no result of the position.
        if analysis.simulations >= simulations {
            cache.store(&key, &analysis.json().to_string());
        }
        analysis
    }

    /// Analyses a position by several searches that differ in their seeds.
    fn search(&mut self, game: &Game, turn: u32, mut goes_on: impl FnMut() -> bool) -> Analysis {
        let searches = match self.effort {
            Effort::Simulations(all) => (all / SIMULATIONS_PER_SEARCH).clamp(1, MAX_SEARCHES),
            Effort::Time(_) => MAX_SEARCHES,
        };
        let results = (0..searches).map(|number| {
            self.sage.set_effort(match self.effort {
                Effort::Simulations(all) => Effort::Simulations(all / searches + u32::from(number < all % searches)),
                Effort::Time(time) => Effort::Time(time / searches),
            });
            self.sage.search(game, None, number as i32, &mut goes_on)
        });
        Analysis::from_results(&results.collect::<Vec<_>>(), game, turn)
    }

    /// Analyses the position before a turn that was played, and the losses of its actions. `game` is the match; what followed is found
    /// in its later turns, which may be missing.
    pub fn analyse_played(
        &mut self,
        game: &Game,
        turn: u32,
        given: [Option<i32>; 4],
        mut goes_on: impl FnMut() -> bool,
    ) -> PlayedTurn {
        let (game, whole) = (&game.before(turn as usize), game);
        let analysis = self.analyse(game, turn, &mut goes_on);
        let mut accuracies = BySeat::default();
        let losses = BySeat::from_fn(|seat| {
            let options = &analysis.seats[seat];
            let best = options.first()?;
            let action = action::from_number(given[seat.index()]?);
            let option = options.iter().find(|option| option.action == action);
            let estimate = match option {
                Some(option) => option.estimate,
                None => Some(self.after_forfeit(game, turn, given, seat, &mut goes_on)),
            };
            let loss = Loss::between(best, estimate);
            let has_choice = options.len() > 1 || option.is_none();
            accuracies[seat] = has_choice.then(|| loss.accuracy());
            Some(loss)
        });
        let why = BySeat::from_fn(|seat| {
            let loss = losses[seat].filter(|loss: &Loss| loss.points > 0.0)?;
            let best = analysis.seats[seat].iter().find(|option| option.action == loss.better)?;
            Some(explain(whole, turn as usize, &actions_of(given), seat, &best.line))
        });
        PlayedTurn { analysis, given, losses, accuracies, why }
    }

    /// The expected score of a seat whose action was illegal, so that it died.
    pub(crate) fn after_forfeit(
        &mut self,
        game: &Game,
        turn: u32,
        given: [Option<i32>; 4],
        seat: Seat,
        goes_on: impl FnMut() -> bool,
    ) -> ScoreEstimate {
        let mut game = game.clone();
        game.play(&actions_of(given));
        let after = self.analyse(&game, turn + 1, goes_on);
        // A dead player's score hardly changes: only the error of the best action counts.
        ScoreEstimate { points: after.points[seat], error: 0.0 }
    }
}

/// Returns the actions that Botzone's numbers mean; those of the dead have no meaning.
fn actions_of(given: [Option<i32>; 4]) -> BySeat<Action> {
    BySeat(given).map(|number| number.map_or(Action::Stay, action::from_number))
}

impl Analysis {
    /// Adds up what several searches of a position found.
    fn from_results(results: &[SearchResult], game: &Game, turn: u32) -> Analysis {
        let simulations = results.iter().map(|result| result.simulations).sum();
        let points = BySeat::from_fn(|seat| {
            let sum: f64 = results.iter().map(|result| f64::from(result.simulations) * f64::from(result.points[seat])).sum();
            rounded(sum / f64::from(simulations).max(1.0), DECIMALS)
        });
        let seats = BySeat::from_fn(|seat| {
            let actions = 0..results[0].options[seat].len();
            let of_each = |action: usize| results.iter().map(|result| &result.options[seat][action]).collect::<Vec<_>>();
            let mut assessed: Vec<_> = actions.map(|action| AssessedAction::from_found(&of_each(action), game)).collect();
            assessed.sort_by(|a, b| b.lower_bound().total_cmp(&a.lower_bound()).then(b.visits.cmp(&a.visits)));
            assessed
        });
        Analysis { turn, simulations, points, seats }
    }
}

impl ScoreEstimate {
    /// Returns the mean of what the searches found that played an action. `None` if none of them did.
    ///
    /// The error is the larger of two: that of the simulations, as if they were independent, and that of the searches, which are.
    fn from_found(found: &[&RootAction]) -> Option<ScoreEstimate> {
        let tried: Vec<[f64; 3]> = found
            .iter()
            .filter(|action| action.visits > 0)
            .map(|action| [action.visits.into(), action.points.into(), action.error.into()])
            .collect();
        if tried.is_empty() {
            return None;
        }
        let searches = tried.len() as f64;
        let points = tried.iter().map(|[_, mean, _]| mean).sum::<f64>() / searches;
        let visits: f64 = tried.iter().map(|[visits, ..]| visits).sum();
        let squares: f64 =
            tried.iter().map(|[visits, mean, error]| visits * (visits * error * error + (mean - points).powi(2))).sum();
        let of_simulations = (squares + SPREAD * SPREAD) / (visits + 1.0) / visits;
        let deviations: f64 = tried.iter().map(|[_, mean, _]| (mean - points).powi(2)).sum();
        let of_searches = deviations / (searches - 1.0).max(1.0) / searches;
        let error = of_simulations.max(of_searches).sqrt();
        Some(ScoreEstimate { points: rounded(points, DECIMALS), error: rounded(error, DECIMALS) })
    }

    /// Returns the value that the seat can expect at least, with some confidence: one standard error below the mean.
    ///
    /// No action is significantly better than that with the highest bound. If the points of another exceed it by `d`, then `d` is at
    /// most the other's error minus its own, and a significant difference is at least three times the other's error.
    #[must_use]
    pub fn lower_bound(self) -> f64 {
        self.points - self.error
    }

    /// Returns whether this is so much more than `other` that chance does not explain it.
    #[must_use]
    pub fn is_significantly_above(self, other: ScoreEstimate) -> bool {
        let points = self.points - other.points;
        points >= MIN_LOSS && points >= SIGNIFICANT * self.error_of_difference(other)
    }

    pub(crate) fn error_of_difference(self, other: ScoreEstimate) -> f64 {
        (self.error * self.error + other.error * other.error).sqrt()
    }
}

impl AssessedAction {
    /// Adds up what several searches found for an action.
    fn from_found(found: &[&RootAction], game: &Game) -> AssessedAction {
        let most_tried = found.iter().max_by_key(|action| action.visits).expect("there is a search");
        AssessedAction {
            action: most_tried.action,
            visits: found.iter().map(|action| action.visits).sum(),
            estimate: ScoreEstimate::from_found(found),
            line: of_living_players(&most_tried.pv, game),
        }
    }

    fn lower_bound(&self) -> f64 {
        self.estimate.map_or(f64::NEG_INFINITY, ScoreEstimate::lower_bound)
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
        let points = if highest.is_significantly_above(given) { highest.points - given.points } else { 0.0 };
        let error = highest.error_of_difference(given);
        Loss { better: best.action, points: rounded(points, DECIMALS), error: rounded(error, DECIMALS) }
    }

    /// Returns how good the action was: 100 without a loss, 50 if it lost [`HALVING_LOSS`] points, and never 0.
    fn accuracy(self) -> f64 {
        rounded(100.0 * HALVING_LOSS / (HALVING_LOSS + self.points), DECIMALS)
    }
}

/// Returns the accuracy of a seat in several turns: the mean of those in which it had a choice. `None` if there are none.
#[must_use]
pub fn accuracy(turns: &[PlayedTurn], seat: Seat) -> Option<f64> {
    let each: Vec<f64> = turns.iter().filter_map(|turn| turn.accuracies[seat]).collect();
    (!each.is_empty()).then(|| rounded(each.iter().sum::<f64>() / each.len() as f64, DECIMALS))
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
            "points": self.points.0,
            "seats": self.seats.0.each_ref().map(|options| options.iter().map(AssessedAction::json).collect::<Vec<_>>()),
        })
    }

    /// Reads the JSON of an analysis of this position. `None` if it is none.
    fn read(text: &str, game: &Game, turn: u32) -> Option<Analysis> {
        let KeptAnalysis { simulations, points, seats } = serde_json::from_str(text).ok()?;
        let mut seats = seats.into_iter();
        let mut of_seat = |seat| {
            let options: Option<Vec<_>> = seats.next()?.into_iter().map(KeptAction::assessed).collect();
            let legal = game.state().legal_actions(game.maze(), seat);
            let is_legal = |option: &AssessedAction| legal.contains(&option.action);
            options.filter(|options| options.len() == legal.len() && options.iter().all(is_legal))
        };
        let seats = BySeat([of_seat(Seat::S0)?, of_seat(Seat::S1)?, of_seat(Seat::S2)?, of_seat(Seat::S3)?]);
        Some(Analysis { turn, simulations, points: BySeat(points), seats })
    }
}

/// What [`Analysis::json`] writes. The turn is not read: the same position can come at another turn of another match.
#[derive(Deserialize)]
struct KeptAnalysis {
    simulations: u32,
    points: [f64; 4],
    seats: [Vec<KeptAction>; 4],
}

#[derive(Deserialize)]
struct KeptAction {
    action: i32,
    visits: u32,
    points: Option<f64>,
    error: Option<f64>,
    line: Vec<[Option<i32>; 4]>,
}

impl KeptAction {
    fn assessed(self) -> Option<AssessedAction> {
        let KeptAction { action, visits, points, error, line } = self;
        let read = |number| Some(action::from_number(number)).filter(|&action| action != Action::Invalid);
        Some(AssessedAction {
            action: read(action)?,
            visits,
            estimate: points.zip(error).map(|(points, error)| ScoreEstimate { points, error }),
            line: line.into_iter().map(|actions| BySeat(actions.map(|action| action.and_then(read)))).collect(),
        })
    }
}

impl AssessedAction {
    fn json(&self) -> Value {
        let line: Vec<_> = self.line.iter().map(|actions| actions.0.map(|action| action.map(action::to_number))).collect();
        json!({
            "action": action::to_number(self.action),
            "visits": self.visits,
            "points": self.estimate.map(|estimate| estimate.points),
            "error": self.estimate.map(|estimate| estimate.error),
            "line": line,
        })
    }
}

impl PlayedTurn {
    /// Removes what concerns other seats.
    pub fn keep_only(&mut self, seat: Seat) {
        self.analysis.keep_only(seat);
        self.losses = BySeat::from_fn(|other| self.losses[other].filter(|_| other == seat));
        self.accuracies = BySeat::from_fn(|other| self.accuracies[other].filter(|_| other == seat));
        self.why = BySeat::from_fn(|other| self.why[other].take().filter(|_| other == seat));
    }

    /// Returns the analysis as JSON, with the actions, their losses and accuracies.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut value = self.analysis.json();
        value["given"] = json!(self.given);
        value["loss"] = json!(self.losses.0.map(|loss| loss.map(|loss| loss.points)));
        value["accuracy"] = json!(self.accuracies.0);
        value["why"] = json!(self.why.0.each_ref().map(|why| why.as_ref().map(Explanation::json)));
        value
    }
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
        let error = |visits, error| ScoreEstimate::from_found(&[&found(visits, 40.0, error)]).map(|estimate| estimate.error);
        assert_eq!(error(0, 0.0), None);
        assert!(error(1, 0.0) > Some(10.0));
        assert!(error(10_000, 0.5).is_some_and(|error| (0.49..0.51).contains(&error)));
    }

    fn found(visits: u32, points: f32, error: f32) -> RootAction {
        RootAction { action: RIGHT, visits, points, error, pv: Vec::new() }
    }

    #[test]
    fn searches_that_disagree_make_a_large_error() {
        let agreeing = [found(1000, 40.0, 0.1), found(1000, 40.0, 0.1)];
        let estimate = ScoreEstimate::from_found(&agreeing.each_ref()).unwrap();
        assert!(estimate.points == 40.0 && estimate.error < 0.1, "{estimate:?}");
        // Each counts once, however often it played the action, and one that never did does not count.
        let disagreeing = [found(1000, 42.0, 0.1), found(10, 38.0, 0.1), found(0, 0.0, 0.0)];
        let estimate = ScoreEstimate::from_found(&disagreeing.each_ref()).unwrap();
        assert_eq!((estimate.points, estimate.error), (40.0, 2.0));
    }

    #[test]
    fn no_action_is_significantly_above_that_with_the_highest_lower_bound() {
        // Means of 0 to 20 points and errors of 0 to 5, with two decimals, as estimates have them.
        let mut number = 1_u64;
        let mut draw = |below: u64| {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            rounded(((number >> 33) % below) as f64 / 100.0, DECIMALS)
        };
        for _ in 0..100_000 {
            let estimates: [ScoreEstimate; 5] = std::array::from_fn(|_| ScoreEstimate { points: draw(2000), error: draw(500) });
            let best = estimates.into_iter().max_by(|a, b| a.lower_bound().total_cmp(&b.lower_bound())).unwrap();
            assert!(!estimates.iter().any(|other| other.is_significantly_above(best)), "{best:?} {estimates:?}");
        }
    }

    #[test]
    fn accuracy_falls_with_the_loss() {
        let accuracy = |points| Loss { better: RIGHT, points, error: 0.0 }.accuracy();
        assert_eq!([0.0, 5.0, 15.0, 45.0].map(accuracy), [100.0, 50.0, 25.0, 10.0]);
        let [good, bad] = [1, -1].map(|number| judged(99, [Some(number), Some(-1), Some(-1), None]));
        // Seat 1 has no choice, and seat 3 is dead.
        assert_eq!(good.accuracies, BySeat([Some(100.0), None, None, None]));
        assert_eq!(bad.json()["accuracy"], json!([12.0, null, null, null]));
        assert_eq!(accuracy_of_match(&[good.clone(), bad.clone()]), BySeat([Some(56.0), None, None, None]));
        let forfeit = judged(99, [Some(1), Some(99), Some(-1), None]);
        assert!(forfeit.accuracies[Seat::S1] < Some(30.0), "an illegal action was a choice: {forfeit:?}");
        let mut of_one = bad;
        of_one.keep_only(Seat::S2);
        assert_eq!(of_one.accuracies, BySeat::default());
    }

    fn accuracy_of_match(turns: &[PlayedTurn]) -> BySeat<Option<f64>> {
        BySeat::from_fn(|seat| accuracy(turns, seat))
    }

    #[test]
    fn a_search_that_is_stopped_at_once_has_tried_nothing() {
        let analysis = Analyst::new(Effort::Simulations(1000)).analyse(&game(20), 21, || false);
        assert_eq!((analysis.simulations, analysis.seats[Seat::S0][0].estimate), (0, None));
    }

    #[test]
    fn there_are_no_actions_when_the_game_is_over() {
        let analysis = judged(100, [None; 4]);
        assert_eq!(
            analysis.json(),
            json!({
                "turn": 101,
                "simulations": 0,
                "points": [53.33, 53.33, 53.33, 10.0],
                "seats": [[], [], [], []],
                "given": [null, null, null, null],
                "loss": [null, null, null, null],
                "accuracy": [null, null, null, null],
                "why": [null, null, null, null],
            })
        );
    }
}
