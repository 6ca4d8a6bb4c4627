//! A range coder: numbers in as few bytes as their probabilities allow. All arithmetic is on whole numbers, so every machine
//! writes and reads the same bytes.

/// Below this, the range is widened by a byte. Sums of weights must be far smaller.
const SMALLEST_RANGE: u32 = 1 << 24;

/// Writes numbers, or reads them back. Both go through the same functions, which return the number: a writer the given one, a
/// reader, which ignores what is given, the one that it reads. A description of what is written is thereby one of what is read.
pub(crate) struct RangeCoder<'a> {
    range: u32,
    side: Side<'a>,
}

enum Side<'a> {
    /// The lower end of the range, after the bytes that are fixed but for a carry.
    Writer { low: u32, bytes: Vec<u8> },
    /// How far above the lower end the bytes lie. After the last byte come zeros.
    Reader { offset: u32, bytes: std::slice::Iter<'a, u8> },
}

impl<'a> RangeCoder<'a> {
    /// Returns a coder that writes.
    pub(crate) fn writer() -> RangeCoder<'a> {
        RangeCoder { range: u32::MAX, side: Side::Writer { low: 0, bytes: Vec::new() } }
    }

    /// Returns a coder that reads. Any bytes can be read.
    pub(crate) fn reader(bytes: &'a [u8]) -> RangeCoder<'a> {
        let mut bytes = bytes.iter();
        let offset = (0..4).fold(0, |offset, _| offset << 8 | next(&mut bytes));
        RangeCoder { range: u32::MAX, side: Side::Reader { offset, bytes } }
    }

    /// Returns the bytes that were written; of a reader, none.
    pub(crate) fn finish(self) -> Vec<u8> {
        let Side::Writer { low, mut bytes } = self.side else { return Vec::new() };
        // The range spans a multiple of its smallest size, and zeros follow.
        let (end, carries) = low.overflowing_add(SMALLEST_RANGE - 1);
        if carries {
            carry(&mut bytes);
        }
        bytes.push((end >> 24) as u8);
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        bytes
    }

    /// Codes one of several numbers, from 0, with these weights. The weights are at least 1.
    pub(crate) fn weighted(&mut self, number: usize, weights: &[u32]) -> usize {
        let unit = self.range / weights.iter().sum::<u32>();
        let number = match &self.side {
            Side::Writer { .. } => number,
            Side::Reader { offset, .. } => {
                let mut rest = offset / unit;
                let is_last = |weight: &u32| {
                    let fits = rest < *weight;
                    rest = rest.saturating_sub(*weight);
                    fits
                };
                weights.iter().position(is_last).unwrap_or(weights.len() - 1)
            }
        };
        self.narrow(unit * weights[..number].iter().sum::<u32>(), unit * weights[number]);
        number
    }

    /// Codes a number from 0 to `count` − 1, all equally likely. `count` is from 1 to 65536.
    pub(crate) fn uniform(&mut self, number: u32, count: u32) -> u32 {
        let unit = self.range / count;
        let number = match &self.side {
            Side::Writer { .. } => number,
            Side::Reader { offset, .. } => (offset / unit).min(count - 1),
        };
        self.narrow(unit * number, unit);
        number
    }

    /// Codes a yes or no; a yes is 15 times as likely.
    pub(crate) fn usually(&mut self, yes: bool) -> bool {
        self.weighted(usize::from(!yes), &[15, 1]) == 0
    }

    /// Codes any number of 32 bits; small ones are short.
    pub(crate) fn integer(&mut self, number: i32) -> i32 {
        // 0, −1, 1, −2, …: the sign is the lowest bit.
        let folded = (number << 1 ^ number >> 31) as u32;
        let length = self.uniform(u32::BITS - folded.leading_zeros(), u32::BITS + 1);
        let below = length.saturating_sub(1);
        let (low, high) = (below.min(16), below.saturating_sub(16));
        let rest = folded & ((1 << below) - 1);
        let rest = self.uniform(rest & 0xffff, 1 << low) | self.uniform(rest >> 16, 1 << high) << 16;
        let folded = if length == 0 { 0 } else { 1 << below | rest };
        (folded >> 1) as i32 ^ -((folded & 1) as i32)
    }

    /// Narrows the range to `size` from `start`, and widens it again to enough bits.
    fn narrow(&mut self, start: u32, size: u32) {
        match &mut self.side {
            Side::Writer { low, bytes } => {
                let carries;
                (*low, carries) = low.overflowing_add(start);
                if carries {
                    carry(bytes);
                }
            }
            Side::Reader { offset, .. } => *offset -= start,
        }
        self.range = size;
        while self.range < SMALLEST_RANGE {
            self.range <<= 8;
            match &mut self.side {
                Side::Writer { low, bytes } => {
                    bytes.push((*low >> 24) as u8);
                    *low <<= 8;
                }
                Side::Reader { offset, bytes } => *offset = *offset << 8 | next(bytes),
            }
        }
    }
}

fn next(bytes: &mut std::slice::Iter<'_, u8>) -> u32 {
    bytes.next().copied().unwrap_or_default().into()
}

/// Adds one to the number that the bytes are.
fn carry(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let integers = [0, 1, -1, 2, 27, -300, 65_535, 65_536, 1 << 30, i32::MAX, i32::MIN];
        let weights = [1, 700, 3];
        let code = |coder: &mut RangeCoder<'_>, given: bool| {
            let mut read = Vec::new();
            for (index, integer) in integers.into_iter().cycle().take(500).enumerate() {
                let given = |value| if given { value } else { 0 };
                read.push(coder.integer(given(integer)));
                read.push(coder.weighted(given(index as i32 % 3) as usize, &weights) as i32);
                read.push(coder.uniform(given(index as i32 % 10_001) as u32, 10_001) as i32);
                read.push(i32::from(coder.usually(given(i32::from(index % 7 != 0)) == 1)));
            }
            read
        };
        let mut writer = RangeCoder::writer();
        let written = code(&mut writer, true);
        let bytes = writer.finish();
        assert_eq!(written[0..3], [0, 0, 0]);
        assert_eq!(code(&mut RangeCoder::reader(&bytes), false), written);
    }

    #[test]
    fn a_carry_reaches_the_bytes_before() {
        // The highest of many numbers, over and over, keeps the range just below a carry.
        let numbers = |coder: &mut RangeCoder<'_>, last: usize| {
            let mut numbers: Vec<usize> = (0..300).map(|_| coder.weighted(1, &[1, 65_000])).collect();
            numbers.push(coder.weighted(last, &[1, 1]));
            numbers
        };
        for last in [0, 1] {
            let mut writer = RangeCoder::writer();
            let written = numbers(&mut writer, last);
            assert_eq!(numbers(&mut RangeCoder::reader(&writer.finish()), 0), written);
        }
    }

    #[test]
    fn numbers_take_as_little_space_as_their_probabilities_allow() {
        let mut writer = RangeCoder::writer();
        for index in 0..1600 {
            writer.usually(index % 16 != 0);
        }
        // 4 bits for a hundred of them, and log₂(16/15) for all others.
        assert_eq!(writer.finish().len(), (400.0 + 1500.0 * (16.0f64 / 15.0).log2()) as usize / 8 + 1);
    }
}
