//! Pictures that a page has drawn, as an animated GIF. All pictures share one palette, and after the first only what changed
//! is stored.

use std::collections::BinaryHeap;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

/// Colours in the palette.
const COLOURS: usize = 255;
/// The palette entry after the last colour: the pixel is as in the picture before.
const UNCHANGED: u8 = 255;
/// Colours that are distinguished: five bits of each of three components.
const SHADES: usize = 1 << 15;

/// An animated GIF that is being made. First [`Animation::add_colours`] takes some of the pictures for the palette, then
/// [`Animation::add_frame`] takes all of them in order.
///
/// Pixels are four bytes each, red, green, blue and opacity, row by row; opacity is ignored.
///
/// ```
/// use pacman2_timeline::animation::Animation;
///
/// let mut animation = Animation::new(2, 1);
/// animation.add_frame(&[255, 0, 0, 255, 0, 0, 255, 255], 50).unwrap();
/// assert!(animation.finish().unwrap().starts_with(b"GIF89a"));
/// ```
pub struct Animation {
    width: u16,
    height: u16,
    shades: Vec<Shade>,
    writer: Option<Writer>,
}

/// Pixels of about one colour: how many, and the sums of their components. Ordered by how many there are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Shade {
    pixels: u64,
    sums: [u64; 3],
}

/// Writes the frames, once the palette is known.
struct Writer {
    encoder: Encoder<Vec<u8>>,
    palette: Palette,
    /// The palette entries of the last picture.
    last: Option<Vec<u8>>,
}

impl Animation {
    /// Creates an animation of this size that repeats for ever.
    #[must_use]
    pub fn new(width: u16, height: u16) -> Animation {
        Animation { width, height, shades: vec![Shade::default(); SHADES], writer: None }
    }

    /// Takes the colours of a picture into the palette. Has no effect after the first frame.
    pub fn add_colours(&mut self, pixels: &[u8]) {
        for pixel in pixels.chunks_exact(4) {
            let shade = &mut self.shades[shade_of(pixel)];
            shade.pixels += 1;
            for (sum, &part) in shade.sums.iter_mut().zip(pixel) {
                *sum += u64::from(part);
            }
        }
    }

    /// Adds a picture that is shown for `hundredths` of a second. A picture of another size is skipped.
    ///
    /// # Errors
    /// Fails if the GIF cannot be encoded.
    pub fn add_frame(&mut self, pixels: &[u8], hundredths: u16) -> Result<(), EncodingError> {
        let (width, height) = (self.width, self.height);
        if pixels.len() != 4 * usize::from(width) * usize::from(height) {
            return Ok(());
        }
        if self.writer.is_none() {
            self.add_colours(pixels);
            let palette = Palette::from_shades(&self.shades);
            let mut encoder = Encoder::new(Vec::new(), width, height, palette.colours.as_flattened())?;
            encoder.set_repeat(Repeat::Infinite)?;
            self.writer = Some(Writer { encoder, palette, last: None });
        }
        let Some(Writer { encoder, palette, last }) = &mut self.writer else { return Ok(()) };
        let indices: Vec<u8> = pixels.chunks_exact(4).map(|pixel| palette.index(pixel)).collect();
        let frame = match last {
            None => Frame { width, height, buffer: indices.clone().into(), ..Frame::default() },
            Some(last) => difference(width.into(), last, &indices),
        };
        encoder.write_frame(&Frame { delay: hundredths, dispose: DisposalMethod::Keep, ..frame })?;
        *last = Some(indices);
        Ok(())
    }

    /// Returns the GIF file; it is empty if the animation has no frames.
    ///
    /// # Errors
    /// Fails if the GIF cannot be encoded.
    pub fn finish(self) -> Result<Vec<u8>, EncodingError> {
        self.writer.map_or(Ok(Vec::new()), |writer| writer.encoder.into_inner())
    }
}

/// Returns a frame with the smallest rectangle that holds every change.
fn difference(width: usize, before: &[u8], after: &[u8]) -> Frame<'static> {
    let changed = |index: &usize| before[*index] != after[*index];
    let (mut left, mut top, mut right, mut bottom) = (usize::MAX, usize::MAX, 0, 0);
    for index in (0..after.len()).filter(changed) {
        let (row, col) = (index / width, index % width);
        (left, right) = (left.min(col), right.max(col));
        (top, bottom) = (top.min(row), bottom.max(row));
    }
    if left > right {
        // The same picture again: one unchanged pixel.
        (left, top, right, bottom) = (0, 0, 0, 0);
    }
    let kept = |index: usize| if changed(&index) { after[index] } else { UNCHANGED };
    let buffer: Vec<u8> = (top..=bottom).flat_map(|row| (left..=right).map(move |col| row * width + col)).map(kept).collect();
    Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        transparent: Some(UNCHANGED),
        buffer: buffer.into(),
        ..Frame::default()
    }
}

/// The most frequent shades. The pictures are flat: a player's colour covers few pixels, but far more than any blend at its
/// edges. A palette that fits all pixels on average would keep the blends instead.
struct Palette {
    /// Red, green and blue of each entry.
    colours: [[u8; 3]; COLOURS + 1],
    /// The palette entry of each shade that has been looked up.
    known: Vec<Option<u8>>,
}

impl Palette {
    fn from_shades(shades: &[Shade]) -> Palette {
        // A sort instead of the heap would make the page's engine a thirty-fifth larger.
        let mut used: BinaryHeap<&Shade> = shades.iter().filter(|shade| shade.pixels > 0).collect();
        let mut colours = [[0; 3]; COLOURS + 1];
        for (colour, shade) in colours[..COLOURS].iter_mut().zip(std::iter::from_fn(|| used.pop())) {
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
