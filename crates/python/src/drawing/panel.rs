//! Draws the panel beside the field: the turn and the strengths.

use pacman2_rules::{Game, Seat};

use super::{Drawing, GOLD, INK, PAPER, SOFT, shapes};

/// The width of the panel.
pub(super) const WIDTH: f32 = 225.0;
/// The distance between two players.
const PITCH: f32 = 110.0;

/// Draws the panel with its upper left corner at `corner`.
pub(super) fn draw(drawing: &mut Drawing, game: &Game, corner: [f32; 2]) {
    let state = game.state();
    let [x, y] = corner;
    let turn = format!("{}/{}", state.turn, game.maze().ruleset().turn_limit);
    write_from(drawing, SOFT, &turn, [x, y + 32.0], 30.0);
    for seat in Seat::ALL {
        let player = state.player(seat);
        let middle = [x + 40.0, y + 130.0 + PITCH * seat.index() as f32];
        let strength = player.strength.to_string();
        let at = [x + 92.0, middle[1]];
        if !player.alive {
            drawing.fallen(seat, middle, 0.9);
            write_from(drawing, SOFT, &strength, at, 34.0);
            continue;
        }
        drawing.figure(seat, middle, 1.1);
        write_from(drawing, INK, &strength, at, 34.0);
        if player.boost_turns_left > 0 {
            let after = at[0] + shapes::width_of_digits(&strength, 34.0) + 12.0;
            write_from(drawing, GOLD, &player.boost_turns_left.to_string(), [after, middle[1] - 10.0], 20.0);
        }
    }
}

/// Draws digits that start at a point.
fn write_from(drawing: &mut Drawing, colour: super::Colour, text: &str, left: [f32; 2], height: f32) {
    let middle = [left[0] + shapes::width_of_digits(text, height) / 2.0, left[1]];
    drawing.write(colour, PAPER, text, middle, height);
}
