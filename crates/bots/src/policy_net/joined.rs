//! Rows of several properties at once: for each combination of their bins, a row that is the sum of theirs. In whole numbers, a sum of
//! these is the same, and has half as many rows.

use pacman2_rules::Action;

use super::inputs::{ALL_ROWS, ROWS, following};
use super::{PROPERTIES, first_row};

/// The properties of each kind of joined row, by their places in [`PROPERTIES`]. In a kind's rows, the bin of the last property varies
/// fastest.
const JOINED: [&[usize]; 12] = [
    &[4, 6],
    &[5, 16],
    &[13, 11],
    &[17, 18, 35],
    &[21, 23, 22],
    &[20, 7],
    &[1, 3],
    &[2, 19, 34],
    &[29, 30, 32],
    &[31, 12],
    &[24, 27, 28],
    &[25, 26],
];

/// The first row of each kind: steps to a spawn cell and fruit there; its lateness and the nearest equal rival; fruit within two steps and
/// discounted fruit less than of the best action; depth in a dead end, open sides and a rival shut in another one; rivals that can light
/// the cell, rivals to light and whether one cannot miss; the strongest rival there and stronger ones that may come.
pub(super) const SPAWN: u16 = first_joined(0);
pub(super) const LATENESS: u16 = first_joined(1);
pub(super) const NEAR_FOOD: u16 = first_joined(2);
pub(super) const DEAD_END: u16 = first_joined(3);
pub(super) const LIGHT: u16 = first_joined(4);
pub(super) const STRONGEST: u16 = first_joined(5);
/// Turns left and until fruit spawns; own boost, the strongest rival here and whether a boost ends; own strength, stronger rivals and living
/// players; lead and the best action's fruit.
pub(super) const TURNS: u16 = first_joined(6);
pub(super) const BOOST: u16 = first_joined(7);
pub(super) const STRENGTH: u16 = first_joined(8);
pub(super) const LEAD: u16 = first_joined(9);
/// Of a shot: the rivals it cannot miss, steps to the target and its strength; the best chance and the sum of chances.
pub(super) const SHOT_TARGET: u16 = first_joined(10);
pub(super) const SHOT_CHANCE: u16 = first_joined(11);
/// By how the action follows the last one, which says of what kind it is, and by whether it is the quick policy's.
pub(super) const FOLLOWING: u16 = first_joined(JOINED.len());

/// The number of all rows, joined ones included.
pub(super) const WITH_JOINED: usize = FOLLOWING as usize + 2 * (ALL_ROWS - ROWS);

/// The kind of an action, and whether it is the quick policy's.
const KIND: usize = 0;
const QUICK: usize = 33;

/// Returns the first joined row of a kind.
const fn first_joined(kind: usize) -> u16 {
    let (mut row, mut before) = (ALL_ROWS, 0);
    while before < kind {
        row += row_count(JOINED[before]);
        before += 1;
    }
    row as u16
}

const fn row_count(properties: &[usize]) -> usize {
    let (mut count, mut index) = (1, 0);
    while index < properties.len() {
        count *= PROPERTIES[properties[index]].bins.len();
        index += 1;
    }
    count
}

/// Returns for each joined row the rows of which it is the sum.
pub(super) fn joined_rows() -> impl Iterator<Item = Vec<usize>> {
    let of_properties = JOINED.iter().flat_map(|properties| {
        (0..row_count(properties)).map(|combination| {
            let mut rest = combination;
            let rows = properties.iter().rev().map(|&property| {
                let bins = PROPERTIES[property].bins.len();
                let bin = rest % bins;
                rest /= bins;
                usize::from(first_row(property)) + bin
            });
            rows.collect()
        })
    });
    let of_following = (0..ALL_ROWS - ROWS).flat_map(|way| {
        let kind = following_kind(way);
        [0, 1].map(|quick| vec![usize::from(first_row(KIND)) + kind, usize::from(first_row(QUICK)) + quick, ROWS + way])
    });
    of_properties.chain(of_following)
}

/// Returns the bin of the kind of actions that follow the last one in this way.
fn following_kind(way: usize) -> usize {
    let action = Action::ALL.into_iter().find(|&action| Action::ALL.into_iter().any(|last| following(action, last) == way));
    match action {
        Some(Action::Move(_)) => 1,
        Some(Action::Shoot(_)) => 2,
        _ => 0,
    }
}

/// By the last action and the next one, in the order of [`Action::ALL`]: how it follows.
pub(super) type Following = [[u8; 9]; 9];

/// Returns the table.
pub(super) fn following_table() -> Following {
    Action::ALL.map(|last| Action::ALL.map(|action| following(action, last) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_rows_are_counted() {
        assert_eq!(joined_rows().count(), WITH_JOINED - ALL_ROWS);
        let most = joined_rows().flatten().max();
        assert_eq!(most, Some(ALL_ROWS - 1));
    }
}
