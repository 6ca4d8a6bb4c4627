//! Pictures that a page has drawn, as an animated GIF. One palette serves all of them, and after the first one only what
//! changed is kept.

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

/// Colours in the palette; one more entry means "as before".
const COLOURS: usize = 255;
const AS_BEFORE: u8 = 255;

/// An animation that is being made, picture by picture. Pixels are four bytes each, red, green, blue and opacity, row by row;
/// opacity is not looked at.
pub struct Animation {
    encoder: Encoder<Vec<u8>>,
    width: u16,
    height: u16,
    palette: Palette,
    before: Option<Vec<u8>>,
}

impl Animation {
    /// An animation that begins again at its end. Its colours are those of `sample`, any pixels from its pictures.
    pub fn new(width: u16, height: u16, sample: &[u8]) -> Result<Animation, EncodingError> {
        let palette = Palette::of(sample);
        let mut encoder = Encoder::new(Vec::new(), width, height, &palette.colours)?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Animation { encoder, width, height, palette, before: None })
    }

    /// Adds a picture that is shown for so many hundredths of a second. One of another size is left out.
    pub fn add(&mut self, pixels: &[u8], hundredths: u16) -> Result<(), EncodingError> {
        if pixels.len() != 4 * usize::from(self.width) * usize::from(self.height) {
            return Ok(());
        }
        let indices: Vec<u8> = pixels.chunks_exact(4).map(|pixel| self.palette.index(pixel)).collect();
        let frame = match &self.before {
            None => Frame { width: self.width, height: self.height, buffer: indices.clone().into(), ..Frame::default() },
            Some(before) => difference(self.width.into(), before, &indices),
        };
        self.encoder.write_frame(&Frame { delay: hundredths, dispose: DisposalMethod::Keep, ..frame })?;
        self.before = Some(indices);
        Ok(())
    }

    /// The file.
    pub fn end(self) -> Result<Vec<u8>, EncodingError> {
        self.encoder.into_inner()
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

struct Palette {
    quantiser: NeuQuant,
    /// Red, green and blue of each entry.
    colours: Vec<u8>,
    /// The entry of each colour met, by five bits of each of its components.
    known: Vec<Option<u8>>,
}

impl Palette {
    fn of(sample: &[u8]) -> Palette {
        // The first number is how many pixels are passed over for each that is learnt from.
        let quantiser = NeuQuant::new(10, COLOURS, sample);
        let mut colours = quantiser.color_map_rgb();
        colours.resize(3 * (COLOURS + 1), 0);
        Palette { quantiser, colours, known: vec![None; 1 << 15] }
    }

    fn index(&mut self, pixel: &[u8]) -> u8 {
        let key = pixel[..3].iter().fold(0, |key, part| key << 5 | usize::from(part >> 3));
        let look_up = || self.quantiser.index_of(&[pixel[0], pixel[1], pixel[2], 255]) as u8;
        *self.known[key].get_or_insert_with(look_up)
    }
}
