//! The paths of the viewer's shapes and of digits.

/// A step of a path, in absolute coordinates.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Start([f32; 2]),
    Line([f32; 2]),
    /// Two control points and the end point of a cubic Bézier curve.
    Curve([f32; 6]),
    Close,
}

/// The players' shapes, distinguishable without colours: disc, square, triangle, rhombus.
pub(super) const FIGURES: [&str; 4] = [
    "M0 -27C15 -27 27 -15 27 0C27 15 15 27 0 27C-15 27 -27 15 -27 0C-27 -15 -15 -27 0 -27Z",
    "M-22 -22L22 -22L22 22L-22 22Z",
    "M0 -33L30 19L-30 19Z",
    "M0 -33L33 0L0 33L-33 0Z",
];
pub(super) const SEED: &str = "M0 -12C6.6 -12 12 -6.6 12 0C12 6.6 6.6 12 0 12C-6.6 12 -12 6.6 -12 0C-12 -6.6 -6.6 -12 0 -12Z";
pub(super) const PEACH: &str = "M0 -18C12 -28 30 -18 28 2C26 18 10 26 0 31C-10 26 -26 18 -28 2C-30 -18 -12 -28 0 -18Z";
pub(super) const LEAF: &str = "M0 -17C2 -30 12 -36 25 -33C23 -22 12 -16 0 -17Z";
pub(super) const TREE: &str = "M0 -26L13 -6L6 -6L19 14L4 14L4 26L-4 26L-4 14L-19 14L-6 -6L-13 -6Z";
pub(super) const TOWER: &str = "M0 -44L27 -22L18 -22L18 -11L37 4L27 4L27 40L-27 40L-27 4L-37 4L-18 -11L-18 -22L-27 -22Z";
pub(super) const CROSS: &str = "M-40 -40L40 40M40 -40L-40 40";

/// Digits and signs, 10 wide and 16 high, around 0 0.
const SIGNS: [(char, &str); 12] = [
    ('0', "M0 -8C4 -8 5 -4 5 0C5 4 4 8 0 8C-4 8 -5 4 -5 0C-5 -4 -4 -8 0 -8Z"),
    ('1', "M-3.5 -4.5L0.5 -8L0.5 8"),
    ('2', "M-4.5 -4C-4.5 -7 -2.5 -8 0 -8C3 -8 4.5 -6 4.5 -4C4.5 -1 1 1 -5 8L5 8"),
    ('3', "M-4.5 -8L4.5 -8L-0.5 -2C3 -2 5 0 5 3C5 6 3 8 0 8C-2.5 8 -4.5 7 -5 4.5"),
    ('4', "M2.5 8L2.5 -8L-5 3.5L5 3.5"),
    ('5', "M4 -8L-3.5 -8L-4.5 -1C-3 -2.2 -1.5 -2.5 0 -2.5C3 -2.5 5 -0.5 5 2.7C5 6 3 8 0 8C-2.5 8 -4.3 7 -5 5"),
    ('6', "M3.5 -8C-2 -6 -5 -2 -5 3C-5 6 -3 8 0 8C3 8 5 6 5 3C5 0 3 -2 0 -2C-3 -2 -4.7 0 -5 2.5"),
    ('7', "M-5 -8L5 -8L-1.5 8"),
    (
        '8',
        "M0 -0.8C-3 -0.8 -4.3 -2.5 -4.3 -4.4C-4.3 -6.5 -2.5 -8 0 -8C2.5 -8 4.3 -6.5 4.3 -4.4C4.3 -2.5 3 -0.8 0 -0.8\
         C3.3 -0.8 5 1 5 3.5C5 6.2 3 8 0 8C-3 8 -5 6.2 -5 3.5C-5 1 -3.3 -0.8 0 -0.8Z",
    ),
    ('9', "M-3.5 8C2 6 5 2 5 -3C5 -6 3 -8 0 -8C-3 -8 -5 -6 -5 -3C-5 0 -3 2 0 2C3 2 4.7 0 5 -2.5"),
    ('-', "M-4 0L4 0"),
    ('/', "M-4 8L4 -8"),
];
/// The distance between the middles of two signs of height 16.
const ADVANCE: f32 = 15.0;

/// Returns a shape moved and scaled. It may use the commands `M`, `L`, `C` and `Z` only.
pub(super) fn at(shape: &str, middle: [f32; 2], scale: f32) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = shape;
    while let Some(command) = rest.chars().next() {
        let end = rest[1..].find(['M', 'L', 'C', 'Z']).map_or(rest.len(), |before| before + 1);
        let mut numbers = rest[1..end].split(' ').filter_map(|number| number.parse::<f32>().ok()).zip([0, 1].into_iter().cycle());
        let mut next = || numbers.next().map_or(0.0, |(number, axis)| middle[axis] + number * scale);
        steps.push(match command {
            'M' => Step::Start([next(), next()]),
            'L' => Step::Line([next(), next()]),
            'C' => Step::Curve([next(), next(), next(), next(), next(), next()]),
            _ => Step::Close,
        });
        rest = &rest[end..];
    }
    steps
}

/// Returns a rectangle by its upper left corner.
pub(super) fn rectangle(corner: [f32; 2], size: [f32; 2]) -> Vec<Step> {
    let [x, y] = corner;
    let (right, bottom) = (x + size[0], y + size[1]);
    vec![Step::Start(corner), Step::Line([right, y]), Step::Line([right, bottom]), Step::Line([x, bottom]), Step::Close]
}

/// Returns a straight line.
pub(super) fn line(from: [f32; 2], to: [f32; 2]) -> [Step; 2] {
    [Step::Start(from), Step::Line(to)]
}

/// Returns digits centred on a point, as lines to stroke.
pub(super) fn digits(text: &str, middle: [f32; 2], height: f32) -> Vec<Step> {
    let scale = height / 16.0;
    let first = middle[0] - (text.chars().count() as f32 - 1.0) / 2.0 * ADVANCE * scale;
    let place = |index: usize| [first + index as f32 * ADVANCE * scale, middle[1]];
    let sign = |char| SIGNS.iter().find(|(sign, _)| *sign == char).map_or("", |(_, shape)| shape);
    text.chars().enumerate().flat_map(|(index, char)| at(sign(char), place(index), scale)).collect()
}

/// Returns the width of digits.
pub(super) fn width_of_digits(text: &str, height: f32) -> f32 {
    text.chars().count() as f32 * ADVANCE * height / 16.0
}
