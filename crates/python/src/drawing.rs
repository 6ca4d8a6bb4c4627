//! Drawings: lists of shapes in the colours of the viewer's light theme. `layout` draws a position; `svg` writes a drawing as
//! text, `raster` as pixels.

mod board;
pub(crate) mod layout;
mod panel;
pub(crate) mod picture;
pub(crate) mod raster;
mod shapes;
pub(crate) mod svg;

use pacman2_rules::Seat;
use shapes::Step;

/// The side of a cell in drawing units.
const UNIT: f32 = 100.0;

/// A colour: red, green and blue.
type Colour = [u8; 3];

const PAPER: Colour = [0xf6, 0xf4, 0xec];
const SHEET: Colour = [0xff, 0xfe, 0xfa];
const INK: Colour = [0x1d, 0x2b, 0x26];
const SOFT: Colour = [0x55, 0x64, 0x5d];
const LINE: Colour = [0xd3, 0xd6, 0xc8];
const JADE: Colour = [0x0f, 0x6b, 0x52];
const GOLD: Colour = [0x8a, 0x5a, 0x00];
const GOLD_SOFT: Colour = [0xf6, 0xe7, 0xc1];
const LIGHT: Colour = [0xd9, 0x9a, 0x00];
const WALL: Colour = [0x2c, 0x51, 0x46];
const FLOOR: Colour = [0xfb, 0xfa, 0xf3];
const SEATS: [Colour; 4] = [[0x00, 0x72, 0xb2], [0xc2, 0x48, 0x0a], [0x00, 0x79, 0x5a], [0xa3, 0x40, 0x8a]];

/// A picture, independent of a file format.
pub(crate) struct Drawing {
    /// Width and height in drawing units.
    size: (f32, f32),
    /// The shapes, from bottom to top.
    shapes: Vec<Shape>,
}

/// A path that is filled or stroked.
struct Shape {
    path: Vec<Step>,
    colour: Colour,
    opacity: f32,
    /// The stroke width, with round ends and corners; `None` for a filled path.
    width: Option<f32>,
}

impl Drawing {
    fn fill(&mut self, colour: Colour, path: Vec<Step>) {
        self.shapes.push(Shape { path, colour, opacity: 1.0, width: None });
    }

    fn stroke(&mut self, colour: Colour, width: f32, path: Vec<Step>) {
        self.shapes.push(Shape { path, colour, opacity: 1.0, width: Some(width) });
    }

    /// Sets the opacity of the last shape.
    fn fade(&mut self, opacity: f32) {
        if let Some(shape) = self.shapes.last_mut() {
            shape.opacity = opacity;
        }
    }

    /// Draws digits around a point, with a halo that keeps them legible on any background.
    fn write(&mut self, colour: Colour, halo: Colour, text: &str, middle: [f32; 2], height: f32) {
        let path = shapes::digits(text, middle, height);
        self.stroke(halo, height * 0.17 + 8.0, path.clone());
        self.stroke(colour, height * 0.17, path);
    }

    /// Draws a player's figure with its number.
    fn figure(&mut self, seat: Seat, middle: [f32; 2], scale: f32) {
        let path = shapes::at(shapes::FIGURES[seat.index()], middle, scale);
        let colour = SEATS[seat.index()];
        self.stroke(FLOOR, 13.0 * scale, path.clone());
        self.stroke(colour, 3.0 * scale, path.clone());
        self.fill(colour, path);
        self.number(seat, SHEET, middle, scale);
    }

    /// Draws a dead player.
    fn fallen(&mut self, seat: Seat, middle: [f32; 2], scale: f32) {
        let colour = SEATS[seat.index()];
        let path = shapes::at(shapes::FIGURES[seat.index()], middle, scale);
        self.stroke(colour, 7.0 * scale, shapes::at(shapes::CROSS, middle, scale));
        self.fade(0.55);
        self.fill(FLOOR, path.clone());
        self.stroke(colour, 5.0 * scale, path);
        self.fade(0.8);
        self.number(seat, colour, middle, scale);
    }

    fn number(&mut self, seat: Seat, colour: Colour, middle: [f32; 2], scale: f32) {
        let path = shapes::digits(&seat.to_string(), middle, 23.0 * scale);
        self.stroke(colour, 4.5 * scale, path);
    }
}
