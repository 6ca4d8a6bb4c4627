//! Draws a position: the field with the panel beside it.

use pacman2_rules::Game;

use super::{Drawing, PAPER, UNIT, board, panel, shapes};

/// The margin around the field.
const MARGIN: f32 = 25.0;

/// Draws the position of a game and the light of its last turn.
pub(crate) fn draw(game: &Game) -> Drawing {
    let maze = game.maze();
    let (width, height) = (f32::from(maze.width()) * UNIT, f32::from(maze.height()) * UNIT);
    let size = (width + panel::WIDTH + 3.0 * MARGIN, height + 2.0 * MARGIN);
    let mut drawing = Drawing { size, shapes: Vec::new() };
    drawing.fill(PAPER, shapes::rectangle([0.0, 0.0], [size.0, size.1]));
    board::draw(&mut drawing, game, [MARGIN, MARGIN]);
    panel::draw(&mut drawing, game, [width + 2.0 * MARGIN, MARGIN]);
    drawing
}
