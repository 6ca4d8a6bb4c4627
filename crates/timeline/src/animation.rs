//! Pictures that a page has drawn, as an animated GIF. One palette serves all of them, and after the first one only what
//! changed is kept.

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

/// Colours in the palette; one more entry means "as before".
const COLOURS: usize = 255;
const AS_BEFORE: u8 = 255;
/// How many colours are told apart: five bits of each of three components.
const SHADES: usize = 1 << 15;

/// An animation that is being made: first it is shown some of its pictures for their colours, then all of them in order.
/// Pixels are four bytes each, red, green, blue and opacity, row by row; opacity is not looked at.
pub struct Animation {
    width: u16,
    height: u16,
    shades: Vec<Shade>,
    reel: Option<Reel>,
}

/// Pixels of about one colour: how many, and the sums of their components.
#[derive(Clone, Copy, Default)]
struct Shade {
    pixels: u64,
    sums: [u64; 3],
}

/// What is written once the colours are known.
struct Reel {
    encoder: Encoder<Vec<u8>>,
    palette: Palette,
    before: Option<Vec<u8>>,
}

impl Animation {
    /// An animation that begins again at its end.
    pub fn new(width: u16, height: u16) -> Animation {
        Animation { width, height, shades: vec![Shade::default(); SHADES], reel: None }
    }

    /// Takes note of a picture's colours. Without effect once pictures have been added.
    pub fn learn(&mut self, pixels: &[u8]) {
        for pixel in pixels.chunks_exact(4) {
            let shade = &mut self.shades[shade_of(pixel)];
            shade.pixels += 1;
            for (sum, &part) in shade.sums.iter_mut().zip(pixel) {
                *sum += u64::from(part);
            }
        }
    }

    /// Adds a picture that is shown for so many hundredths of a second. One of another size is left out.
    pub fn add(&mut self, pixels: &[u8], hundredths: u16) -> Result<(), EncodingError> {
        let (width, height) = (self.width, self.height);
        if pixels.len() != 4 * usize::from(width) * usize::from(height) {
            return Ok(());
        }
        if self.reel.is_none() {
            self.learn(pixels);
            let palette = Palette::of(&self.shades);
            let mut encoder = Encoder::new(Vec::new(), width, height, palette.colours.as_flattened())?;
            encoder.set_repeat(Repeat::Infinite)?;
            self.reel = Some(Reel { encoder, palette, before: None });
        }
        let Some(Reel { encoder, palette, before }) = &mut self.reel else { return Ok(()) };
        let indices: Vec<u8> = pixels.chunks_exact(4).map(|pixel| palette.index(pixel)).collect();
        let frame = match before {
            None => Frame { width, height, buffer: indices.clone().into(), ..Frame::default() },
            Some(before) => difference(width.into(), before, &indices),
        };
        encoder.write_frame(&Frame { delay: hundredths, dispose: DisposalMethod::Keep, ..frame })?;
        *before = Some(indices);
        Ok(())
    }

    /// The file; empty if it has no picture.
    pub fn end(self) -> Result<Vec<u8>, EncodingError> {
        self.reel.map_or(Ok(Vec::new()), |reel| reel.encoder.into_inner())
    }
}

/// The smallest rectangle that holds all that changed, everything else in it left as before.
fn difference(width: usize, before: &[u8], after: &[u8]) -> Frame<'static> {
    let changed = |index: &usize| before[*index] != after[*index];
    let (mut left, mut top, mut right, mut bottom) = (usize::MAX, usize::MAX, 0, 0);
    for index in (0..after.len()).filter(changed) {
        let (row, col) = (index / width, index % width);
        (left, right) = (left.min(col), right.max(col));
        (top, bottom) = (top.min(row), bottom.max(row));
    }
    if left > right {
        // A picture that is shown longer: one pixel that stays as it was.
        (left, top, right, bottom) = (0, 0, 0, 0);
    }
    let kept = |index: usize| if changed(&index) { after[index] } else { AS_BEFORE };
    let buffer: Vec<u8> = (top..=bottom).flat_map(|row| (left..=right).map(move |col| row * width + col)).map(kept).collect();
    Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        transparent: Some(AS_BEFORE),
        buffer: buffer.into(),
        ..Frame::default()
    }
}

/// The most frequent shades. The pictures are flat: a player's colour covers little of them and yet far more than any blend at
/// its edges, which a palette that is learnt to fit all pixels on average would rather keep.
struct Palette {
    /// Red, green and blue of each entry.
    colours: [[u8; 3]; COLOURS + 1],
    /// The entry for each shade that was met.
    known: Vec<Option<u8>>,
}

impl Palette {
    fn of(shades: &[Shade]) -> Palette {
        let mut used: Vec<&Shade> = shades.iter().filter(|shade| shade.pixels > 0).collect();
        used.sort_unstable_by_key(|shade| std::cmp::Reverse(shade.pixels));
        let mut colours = [[0; 3]; COLOURS + 1];
        for (colour, shade) in colours.iter_mut().zip(used.into_iter().take(COLOURS)) {
            *colour = shade.sums.map(|sum| (sum / shade.pixels) as u8);
        }
        Palette { colours, known: vec![None; SHADES] }
    }

    fn index(&mut self, pixel: &[u8]) -> u8 {
        let colours = &self.colours;
        let distance =
            |colour: &[u8; 3]| -> u32 { colour.iter().zip(pixel).map(|(&a, &b)| u32::from(a.abs_diff(b)).pow(2)).sum() };
        let look_up = || (0..COLOURS as u8).min_by_key(|&entry| distance(&colours[usize::from(entry)])).unwrap_or_default();
        *self.known[shade_of(pixel)].get_or_insert_with(look_up)
    }
}

fn shade_of(pixel: &[u8]) -> usize {
    pixel[..3].iter().fold(0, |shade, part| shade << 5 | usize::from(part >> 3))
}
