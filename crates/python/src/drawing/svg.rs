//! Writes a drawing as SVG.

use std::fmt::Write;

use super::shapes::Step;
use super::{Drawing, Shape};

/// Returns an SVG document with `scale` pixels per unit. `label` is the text for screen readers.
pub(crate) fn write(drawing: &Drawing, label: &str, scale: f32) -> String {
    let (width, height) = drawing.size;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{}\" height=\"{}\" role=\"img\" \
         aria-label=\"{label}\" fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">",
        width * scale,
        height * scale,
    );
    for shape in drawing.shapes.iter().filter(|shape| !shape.path.is_empty()) {
        push(&mut text, shape);
    }
    text + "</svg>"
}

fn push(text: &mut String, shape: &Shape) {
    let [red, green, blue] = shape.colour;
    let (kind, colour) = (if shape.width.is_some() { "stroke" } else { "fill" }, format!("#{red:02x}{green:02x}{blue:02x}"));
    let _ = write!(text, "<path {kind}=\"{colour}\"");
    if let Some(width) = shape.width {
        let _ = write!(text, " stroke-width=\"{}\"", rounded(width));
    }
    if shape.opacity < 1.0 {
        let _ = write!(text, " opacity=\"{}\"", shape.opacity);
    }
    text.push_str(" d=\"");
    for &step in &shape.path {
        match step {
            Step::Start(to) => numbers(text, 'M', &to),
            Step::Line(to) => numbers(text, 'L', &to),
            Step::Curve(to) => numbers(text, 'C', &to),
            Step::Close => text.push('Z'),
        }
    }
    text.push_str("\"/>");
}

fn numbers(text: &mut String, command: char, numbers: &[f32]) {
    text.push(command);
    for (index, &number) in numbers.iter().enumerate() {
        let space = if index > 0 { " " } else { "" };
        let _ = write!(text, "{space}{}", rounded(number));
    }
}

/// Rounds to a tenth of a unit, which is invisible.
fn rounded(number: f32) -> f32 {
    (number * 10.0).round() / 10.0
}
