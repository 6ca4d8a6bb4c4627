//! Orders and analyses in words.

use std::fmt::Write as _;

use pacman2_rules::{Action, Seat};

use super::opened::Opened;
use super::position::{Analysis, Assessed, Estimate, Judged};

/// So many turns of an expected continuation are told.
const TURNS_AHEAD: usize = 6;
/// So many mistakes of a seat are told one by one.
pub(crate) const MOST_MISTAKES: usize = 5;

/// An order that was worth clearly less than another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Mistake {
    pub(crate) turn: u32,
    pub(crate) seat: Seat,
    /// Botzone's number, whatever was given.
    pub(crate) given: i32,
    pub(crate) better: Action,
    pub(crate) points: f64,
    pub(crate) error: f64,
}

/// All mistakes in these turns, the worst first.
pub(crate) fn mistakes(turns: &[Judged]) -> Vec<Mistake> {
    let of_seat = |judged: &Judged, seat: Seat| {
        let loss = judged.losses[seat].filter(|loss| loss.points > 0.0)?;
        let given = judged.given[seat.index()]?;
        let turn = judged.analysis.turn;
        Some(Mistake { turn, seat, given, better: loss.better, points: loss.points, error: loss.error })
    };
    let each = turns.iter().flat_map(|judged| Seat::ALL.into_iter().filter_map(move |seat| of_seat(judged, seat)));
    let mut mistakes: Vec<Mistake> = each.collect();
    mistakes.sort_by(|a, b| b.points.total_cmp(&a.points));
    mistakes
}

impl Mistake {
    fn sentence(&self) -> String {
        let Mistake { turn, seat, given, better, points, error } = *self;
        let given = doing(pacman2_botzone::action::from_number(given));
        format!("turn {turn}, seat {seat}: {} was worth {points:.1} ± {error:.1} points more than {given}\n", doing(better))
    }
}

/// What each of these seats lost, and by which orders most.
pub(crate) fn of_match(opened: &Opened, seats: &[Seat], mistakes: &[Mistake]) -> String {
    let mut text = String::new();
    for &seat in seats {
        let own: Vec<&Mistake> = mistakes.iter().filter(|mistake| mistake.seat == seat).collect();
        let label = opened.label(seat);
        if own.is_empty() {
            let _ = writeln!(text, "{label} gave no order that was clearly worse than another\n");
            continue;
        }
        let lost: f64 = own.iter().map(|mistake| mistake.points).sum();
        let _ = writeln!(text, "{label} lost {lost:.1} points by {}", counted(own.len(), "order"));
        text.extend(own.iter().take(MOST_MISTAKES).map(|mistake| mistake.sentence()));
        let rest: f64 = own.iter().skip(MOST_MISTAKES).map(|mistake| mistake.points).sum();
        if own.len() > MOST_MISTAKES {
            let _ = writeln!(text, "and {rest:.1} points by {}", counted(own.len() - MOST_MISTAKES, "other order"));
        }
        text.push('\n');
    }
    text
}

/// Each order of these seats, the best first.
pub(crate) fn of_turn(opened: &Opened, seats: &[Seat], analysis: &Analysis) -> String {
    let mut text = format!("turn {}, {}\n", analysis.turn, counted(analysis.simulations as usize, "simulation"));
    let played = opened.given.get(analysis.turn as usize - 1);
    for &seat in seats {
        let label = opened.label(seat);
        let options = &analysis.seats[seat];
        let Some(best) = options.first() else {
            let _ = writeln!(text, "\n{label} is dead");
            continue;
        };
        let _ = writeln!(text, "\n{label} may expect {:.1} points", analysis.points[seat]);
        let _ = writeln!(text, "  {:<12}  {:>13}  {:>8}  then", "order", "points", "visits");
        let given = played.and_then(|given| given[seat.index()]).map(pacman2_botzone::action::from_number);
        for assessed in options {
            text.push_str(&row(seat, assessed, given == Some(assessed.action)));
        }
        for other in Seat::ALL.into_iter().filter(|&other| other != seat) {
            let line = line_of(other, best, 0);
            if !line.is_empty() {
                let _ = writeln!(text, "  with {}, seat {other}: {line}", best.action);
            }
        }
        if given.is_some() {
            text.push_str("  * as it was played\n");
        }
    }
    text
}

fn row(seat: Seat, assessed: &Assessed, is_given: bool) -> String {
    let points = assessed.estimate.map_or("?".to_owned(), |Estimate { points, error }| format!("{points:.1} ± {error:.1}"));
    let mark = if is_given { '*' } else { ' ' };
    let line = line_of(seat, assessed, 1);
    let row = format!("{mark} {:<12}  {points:>13}  {:>8}  {line}", assessed.action, assessed.visits);
    format!("{}\n", row.trim_end())
}

/// What a seat is expected to order, from so many turns ahead on.
fn line_of(seat: Seat, assessed: &Assessed, from: usize) -> String {
    let actions = assessed.line.iter().take(TURNS_AHEAD).skip(from).map_while(|actions| actions[seat]);
    actions.map(|action| action.to_string()).collect::<Vec<_>>().join(", ")
}

/// An order as something that is done.
pub(crate) fn doing(action: Action) -> String {
    match action {
        Action::Stay => "staying".to_owned(),
        Action::Move(direction) => format!("moving {direction}"),
        Action::Shoot(direction) => format!("shooting {direction}"),
        Action::Invalid => "an illegal order".to_owned(),
    }
}

/// `1 action`, `2 actions`.
pub(crate) fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
