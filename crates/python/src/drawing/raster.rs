//! Renders a drawing as pixels.

use tiny_skia::{FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

use super::shapes::Step;
use super::{Drawing, Shape};

/// Pixels in rows, each red, green and blue.
pub(crate) struct Raster {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) bytes: Vec<u8>,
}

/// Renders a drawing with `scale` pixels per unit.
pub(crate) fn paint(drawing: &Drawing, scale: f32) -> Raster {
    let [width, height] = [drawing.size.0, drawing.size.1].map(|side| (side * scale).ceil().max(1.0) as u32);
    let mut canvas = Pixmap::new(width, height).expect("a board is neither empty nor huge");
    let transform = Transform::from_scale(scale, scale);
    for shape in &drawing.shapes {
        let Some(path) = path(&shape.path) else { continue };
        put(&mut canvas, shape, &path, transform);
    }
    // The background is opaque, so no pixel is transparent.
    let bytes = canvas.data().chunks_exact(4).flat_map(|dot| [dot[0], dot[1], dot[2]]).collect();
    Raster { width: width as usize, height: height as usize, bytes }
}

fn put(canvas: &mut Pixmap, shape: &Shape, path: &Path, transform: Transform) {
    let [red, green, blue] = shape.colour;
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (shape.opacity * 255.0) as u8);
    match shape.width {
        None => canvas.fill_path(path, &paint, FillRule::Winding, transform, None),
        Some(width) => {
            let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
            canvas.stroke_path(path, &paint, &stroke, transform, None);
        }
    }
}

fn path(steps: &[Step]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for &step in steps {
        match step {
            Step::Start([x, y]) => path.move_to(x, y),
            Step::Line([x, y]) => path.line_to(x, y),
            Step::Curve([a, b, c, d, x, y]) => path.cubic_to(a, b, c, d, x, y),
            Step::Close => path.close(),
        }
    }
    path.finish()
}
