//! The numbers of observations.

/// The numbers of one or more observations.
pub(crate) enum Numbers<'a> {
    Bytes(&'a mut [u8]),
    Floats(&'a mut [f32]),
}

/// A number of an observation.
pub(crate) trait Number: Copy + Default {
    /// Returns the number that stands for a byte. Bytes are not divided.
    fn divided(byte: u8, divisor: f32) -> Self;
}

impl Number for u8 {
    #[inline(always)]
    fn divided(byte: u8, _divisor: f32) -> u8 {
        byte
    }
}

impl Number for f32 {
    #[inline(always)]
    fn divided(byte: u8, divisor: f32) -> f32 {
        // Exact, since divisors are powers of two.
        f32::from(byte) * (1.0 / divisor)
    }
}

impl<'a> Numbers<'a> {
    /// Splits the numbers into parts of `len`.
    pub(crate) fn into_chunks(self, len: usize) -> impl Iterator<Item = Numbers<'a>> {
        let (bytes, floats) = match self {
            Numbers::Bytes(bytes) => (bytes, &mut [][..]),
            Numbers::Floats(floats) => (&mut [][..], floats),
        };
        bytes.chunks_mut(len).map(Numbers::Bytes).chain(floats.chunks_mut(len).map(Numbers::Floats))
    }

    /// Returns the part that begins at `first` and has `len` numbers.
    pub(crate) fn part(&mut self, first: usize, len: usize) -> Numbers<'_> {
        match self {
            Numbers::Bytes(bytes) => Numbers::Bytes(&mut bytes[first..][..len]),
            Numbers::Floats(floats) => Numbers::Floats(&mut floats[first..][..len]),
        }
    }
}
