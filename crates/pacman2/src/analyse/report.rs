//! Analyses as text.

use std::fmt::Write as _;

use pacman2_analysis::explanation::Explanation;
use pacman2_analysis::position::{Analysis, AssessedAction, PlayedTurn, ScoreEstimate, accuracy};
use pacman2_console::language::locale;
use pacman2_console::text::counted;
use pacman2_rules::{Action, Seat};

use super::input::Input;

/// The length of a printed continuation in turns.
const MAX_LINE: usize = 6;
/// The number of a seat's mistakes that are listed one by one.
const MAX_MISTAKES: usize = 5;

/// An action that was worth significantly less than another.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Mistake {
    pub(super) turn: u32,
    pub(super) seat: Seat,
    /// The action as Botzone's number, legal or not.
    pub(super) given: i32,
    pub(super) better: Action,
    pub(super) points: f64,
    pub(super) error: f64,
    pub(super) why: Explanation,
}

/// Returns all mistakes in these turns, the worst first.
pub(super) fn mistakes(turns: &[PlayedTurn]) -> Vec<Mistake> {
    let of_seat = |played: &PlayedTurn, seat: Seat| {
        let loss = played.losses[seat].filter(|loss| loss.points > 0.0)?;
        let given = played.given[seat.index()]?;
        let (turn, why) = (played.analysis.turn, played.why[seat].clone()?);
        Some(Mistake { turn, seat, given, better: loss.better, points: loss.points, error: loss.error, why })
    };
    let each = turns.iter().flat_map(|played| Seat::ALL.into_iter().filter_map(move |seat| of_seat(played, seat)));
    let mut mistakes: Vec<Mistake> = each.collect();
    mistakes.sort_by(|a, b| b.points.total_cmp(&a.points));
    mistakes
}

impl Mistake {
    fn sentence(&self) -> String {
        let Mistake { turn, seat, given, better, points, error, .. } = *self;
        let given = doing(pacman2_botzone::action::from_number(given));
        let better = doing(better);
        let sentence =
            format!("turn {turn}, seat {seat}: {better} was worth {points:.1} ± {error:.1} points more than {given}\n");
        let why = self.why.sentences().in_language(locale());
        if why.is_empty() { sentence } else { format!("{sentence}  {why}\n") }
    }
}

/// Describes how accurately each of these seats played, what it lost, and its worst actions.
pub(super) fn of_match(input: &Input, seats: &[Seat], turns: &[PlayedTurn], mistakes: &[Mistake]) -> String {
    let mut text = String::new();
    for &seat in seats {
        let own: Vec<&Mistake> = mistakes.iter().filter(|mistake| mistake.seat == seat).collect();
        let label = input.label(seat);
        let accuracy = accuracy(turns, seat).map(|accuracy| format!(", accuracy {accuracy:.1}")).unwrap_or_default();
        if own.is_empty() {
            let _ = writeln!(text, "{label} made no significant mistakes{accuracy}\n");
            continue;
        }
        let lost: f64 = own.iter().map(|mistake| mistake.points).sum();
        let _ = writeln!(text, "{label} lost {lost:.1} points by {}{accuracy}", counted(own.len(), "mistake"));
        text.extend(own.iter().take(MAX_MISTAKES).map(|mistake| mistake.sentence()));
        let rest: f64 = own.iter().skip(MAX_MISTAKES).map(|mistake| mistake.points).sum();
        if own.len() > MAX_MISTAKES {
            let _ = writeln!(text, "and {rest:.1} points by {}", counted(own.len() - MAX_MISTAKES, "other mistake"));
        }
        text.push('\n');
    }
    text
}

/// Lists all actions of these seats, the best first.
pub(super) fn of_turn(input: &Input, seats: &[Seat], analysis: &Analysis) -> String {
    let mut text = format!("turn {}, {}\n", analysis.turn, counted(analysis.simulations as usize, "simulation"));
    let played = input.given.get(analysis.turn as usize - 1);
    for &seat in seats {
        let label = input.label(seat);
        let options = &analysis.seats[seat];
        let Some(best) = options.first() else {
            let _ = writeln!(text, "\n{label} is dead");
            continue;
        };
        let _ = writeln!(text, "\n{label}: expected score {:.1}", analysis.points[seat]);
        let _ = writeln!(text, "  {:<12}  {:>13}  {:>8}  then", "action", "points", "visits");
        let given = played.and_then(|given| given[seat.index()]).map(pacman2_botzone::action::from_number);
        for action in options {
            text.push_str(&row(seat, action, given == Some(action.action)));
        }
        for other in Seat::ALL.into_iter().filter(|&other| other != seat) {
            let line = line_of(other, best, 0);
            if !line.is_empty() {
                let _ = writeln!(text, "  with {}, seat {other}: {line}", best.action);
            }
        }
        if given.is_some() {
            text.push_str("  * the action that was played\n");
        }
    }
    text
}

fn row(seat: Seat, action: &AssessedAction, is_given: bool) -> String {
    let points = action.estimate.map_or("?".to_owned(), |ScoreEstimate { points, error }| format!("{points:.1} ± {error:.1}"));
    let mark = if is_given { '*' } else { ' ' };
    let line = line_of(seat, action, 1);
    let row = format!("{mark} {:<12}  {points:>13}  {:>8}  {line}", action.action, action.visits);
    format!("{}\n", row.trim_end())
}

/// The expected actions of a seat, from this turn of the continuation on.
fn line_of(seat: Seat, action: &AssessedAction, from: usize) -> String {
    let actions = action.line.iter().take(MAX_LINE).skip(from).map_while(|actions| actions[seat]);
    actions.map(|action| action.to_string()).collect::<Vec<_>>().join(", ")
}

/// Names an action as an activity.
fn doing(action: Action) -> String {
    match action {
        Action::Stay => "staying".to_owned(),
        Action::Move(direction) => format!("moving {direction}"),
        Action::Shoot(direction) => format!("shooting {direction}"),
        Action::Invalid => "an illegal action".to_owned(),
    }
}
