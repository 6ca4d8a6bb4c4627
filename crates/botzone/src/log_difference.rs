//! Where a log that can be played disagrees with the game all the same.

use pacman2_rules::{BySeat, Score, Seat};

use crate::json::Json;
use crate::judge::{PlayerItem, of_seats};
use crate::response::ParsedResponse;

/// What a log says otherwise than the rules or than its own display. Displays as a sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogDifference {
    /// An answer is not the action that the judge displayed. The displayed action counts.
    #[error("turn {turn}, player {seat}: expected an answer with the action {displayed} that the judge shows, got {answered}")]
    Answer {
        /// The turn, counted from 1.
        turn: usize,
        /// The player.
        seat: Seat,
        /// The number of the action in the display.
        displayed: i32,
        /// The action of the answer, or what stands in its place.
        answered: String,
    },
    /// The score of a player at the end is not that of the rules.
    #[error("turn {turn}, player {seat}: expected the score {expected} by the rules, got {logged} in \"{key}\" of the log")]
    Score {
        /// The last turn, counted from 1.
        turn: usize,
        /// The player.
        seat: Seat,
        /// The score by the rules.
        expected: Score,
        /// The score in the log, as JSON.
        logged: String,
        /// Where the log has it.
        key: &'static str,
    },
}

/// Returns the first answer of a turn that is not what the judge displayed. The light form of logs has no answers.
pub(crate) fn of_answers(
    turn: usize,
    items: &BySeat<Json<'_>>,
    read: &BySeat<Option<ParsedResponse>>,
    displayed: &BySeat<Option<ParsedResponse>>,
) -> Option<LogDifference> {
    if items.iter().all(|(_, item)| !item.is_object()) {
        return None;
    }
    Seat::ALL.into_iter().find_map(|seat| {
        let (read, displayed) = (read[seat].as_ref()?, displayed[seat].as_ref()?.number()?);
        if read.number() == Some(displayed) {
            return None;
        }
        let answered = match read.number() {
            Some(number) => number.to_string(),
            None if PlayerItem::from_json(items[seat]).response.is_null() => "null".to_owned(),
            None => "one without an action".to_owned(),
        };
        Some(LogDifference::Answer { turn, seat, displayed, answered })
    })
}

/// Returns the first score of a list, or of an object by seat, that is not that of the rules.
pub(crate) fn of_scores(turn: usize, logged: Json<'_>, scores: &BySeat<Score>, key: &'static str) -> Option<LogDifference> {
    let mut listed = logged.items();
    let by_seat = match (logged.is_list(), logged.is_object()) {
        (true, _) => BySeat::from_fn(|_| listed.next().unwrap_or(Json::NULL)),
        (_, true) => of_seats(logged),
        _ => return None,
    };
    let differs = |seat: &Seat| !is_same_score(by_seat[*seat], scores[*seat]);
    let seat = Seat::ALL.into_iter().find(differs)?;
    Some(LogDifference::Score { turn, seat, expected: scores[seat], logged: by_seat[seat].quoted().to_string(), key })
}

/// Compares scores in hundredths, because programs write floating-point numbers differently.
pub(crate) fn is_same_score(logged: Json<'_>, score: Score) -> bool {
    logged.scalar().as_f64().is_some_and(|points| (points * 100.0).round() == score.hundredths as f64)
}
