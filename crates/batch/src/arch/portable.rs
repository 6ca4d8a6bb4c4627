//! Lanes in plain Rust, for every CPU.
//!
//! Loops over 64 lanes without dependencies between lanes, which the compiler vectorizes as far as the target allows. Inlining
//! them into each turn makes turns 1.5 times faster and this crate three times slower to compile, so debug builds do not. The
//! longest ones are calls in all builds, which costs no speed.

use std::array;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Range, Sub};

use crate::lanes::{self, CellSets, Column, LANES, Lanes, Table};

/// The token of portable code, which runs on every CPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

/// Implements operators lane by lane.
macro_rules! lanewise {
    ($type:ty, $($trait:ident $method:ident $lane:expr),+) => { $(
        impl $trait for $type {
            type Output = Self;
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn $method(self, other: Self) -> Self {
                Self(array::from_fn(|lane| $lane(self.0[lane], other.0[lane])))
            }
        }
    )+ };
}

impl Lanes for Portable {
    type Mask = Mask;
    type Bytes = Bytes;
    type Words = Words;

    type Part = Portable;

    const MAX_SCALAR_GAMES: usize = 20;

    #[inline(always)]
    fn parts(self) -> impl Iterator<Item = Portable> {
        [self].into_iter()
    }

    #[inline(always)]
    fn range(self) -> Range<usize> {
        0..LANES
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn splat(self, value: u8) -> Bytes {
        Bytes([value; LANES])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load(self, column: &Column<u8>) -> Bytes {
        Bytes(column.0)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn store(self, bytes: Bytes, column: &mut Column<u8>) {
        column.0 = bytes.0;
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load_words(self, column: &Column<u32>, quarter: usize) -> Words {
        Words(column.0.as_chunks().0[quarter])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn store_words(self, words: Words, column: &mut Column<u32>, quarter: usize) {
        column.0.as_chunks_mut().0[quarter] = words.0;
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mask(self, bits: u64) -> Mask {
        Mask(array::from_fn(|lane| 0u8.wrapping_sub((bits >> lane & 1) as u8)))
    }

    #[inline(never)]
    fn bits(self, mask: Mask) -> u64 {
        let mut bits = 0;
        for (place, eight) in mask.0.as_chunks().0.iter().enumerate() {
            // The product moves the lowest bit of each byte to a bit of its own in the highest byte.
            let lowest = u64::from_le_bytes(*eight) & 0x0101_0101_0101_0101;
            bits |= lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * place);
        }
        bits
    }

    #[inline(always)]
    fn fraction(self, value: u16) -> [u16; LANES] {
        [value; LANES]
    }

    #[inline(never)]
    fn contains(self, sets: &CellSets, cells: &[Bytes; 4]) -> [Mask; 4] {
        let mut found = [[0; LANES]; 4];
        // In the order of set indices, so that the compiler knows all of them in advance.
        for eight in 0..8 {
            for place in 0..8 {
                let (lane, index) = (place / 2 * 16 + eight * 2 + place % 2, eight * 8 + place);
                for seat in 0..4 {
                    let cell = cells[seat].0[lane];
                    // This moves the bit of the cell to the lowest place.
                    found[seat][lane] = sets[usize::from(cell >> 6 & 1)].0[index].wrapping_shr(cell.into()) as u8;
                }
            }
        }
        [lowest_bit(&found[0]), lowest_bit(&found[1]), lowest_bit(&found[2]), lowest_bit(&found[3])]
    }
}

/// A mask: each byte is 0 or 255.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask([u8; LANES]);

lanewise!(Mask, BitAnd bitand |a: u8, b: u8| a & b, BitOr bitor |a: u8, b: u8| a | b);

impl Not for Mask {
    type Output = Mask;
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn not(self) -> Mask {
        Mask(self.0.map(|lane| !lane))
    }
}

impl lanes::Mask for Mask {
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn any(self) -> bool {
        self.0.iter().fold(0, |any, lane| any | lane) != 0
    }
}

/// 64 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes([u8; LANES]);

lanewise!(Bytes,
    Add add u8::wrapping_add,
    Sub sub u8::wrapping_sub,
    BitAnd bitand |a: u8, b: u8| a & b,
    BitOr bitor |a: u8, b: u8| a | b,
    BitXor bitxor |a: u8, b: u8| a ^ b);

/// Returns the mask of the lanes for which `is` holds.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn mask(is: impl Fn(usize) -> bool) -> Mask {
    Mask(array::from_fn(|lane| 0u8.wrapping_sub(u8::from(is(lane)))))
}

/// Returns where the lowest bit is set.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn lowest_bit(bytes: &[u8; LANES]) -> Mask {
    Mask(bytes.map(|byte| 0u8.wrapping_sub(byte & 1)))
}

impl lanes::Bytes for Bytes {
    type Mask = Mask;
    type Fractions = [u16; LANES];

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn select(mask: Mask, if_set: Bytes, if_clear: Bytes) -> Bytes {
        Bytes(array::from_fn(|lane| if_set.0[lane] & mask.0[lane] | if_clear.0[lane] & !mask.0[lane]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn masked(self, mask: Mask) -> Bytes {
        Bytes(array::from_fn(|lane| self.0[lane] & mask.0[lane]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn masked_add(self, mask: Mask, other: Bytes) -> Bytes {
        self + other.masked(mask)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn masked_sub(self, mask: Mask, other: Bytes) -> Bytes {
        self - other.masked(mask)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn saturating_add(self, other: Bytes) -> Bytes {
        Bytes(array::from_fn(|lane| self.0[lane].saturating_add(other.0[lane])))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn saturating_sub(self, other: Bytes) -> Bytes {
        Bytes(array::from_fn(|lane| self.0[lane].saturating_sub(other.0[lane])))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn min_u8(self, other: Bytes) -> Bytes {
        Bytes(array::from_fn(|lane| self.0[lane].min(other.0[lane])))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn masked_decrement(self, mask: Mask) -> Bytes {
        Bytes(array::from_fn(|lane| self.0[lane].saturating_sub(mask.0[lane] & 1)))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn max_zero_i8(self) -> Bytes {
        Bytes(array::from_fn(|lane| (self.0[lane] as i8).max(0) as u8))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn equals(self, other: Bytes) -> Mask {
        mask(|lane| self.0[lane] == other.0[lane])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lt_u8(self, other: Bytes) -> Mask {
        mask(|lane| self.0[lane] < other.0[lane])
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gt_i8(self, other: Bytes) -> Mask {
        mask(|lane| (self.0[lane] as i8) > other.0[lane] as i8)
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sign_mask(self) -> Mask {
        mask(|lane| self.0[lane] >= 0x80)
    }

    #[inline(never)]
    fn look_up(self, table: &Table) -> Bytes {
        let mut found = [0; LANES];
        for (found, indices) in found.as_chunks_mut::<8>().0.iter_mut().zip(self.0.as_chunks::<8>().0) {
            let indices = u64::from_le_bytes(*indices) & 0x7f7f_7f7f_7f7f_7f7f;
            for (place, found) in found.iter_mut().enumerate() {
                *found = table.0[usize::from((indices >> (8 * place)) as u8)];
            }
        }
        Bytes(found)
    }

    #[inline(never)]
    fn look_up_16(self, table: &[u8; 16]) -> Bytes {
        Bytes(self.0.map(|index| table[usize::from(index & 15)]))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn halved(self) -> Bytes {
        Bytes(self.0.map(|number| number >> 1))
    }

    #[inline(never)]
    fn mul_hi(self, fractions: &[u16; LANES]) -> Bytes {
        Bytes(array::from_fn(|lane| ((u32::from(self.0[lane]) * u32::from(fractions[lane])) >> 16) as u8))
    }
}

/// The words of every fourth lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words([u32; LANES / 4]);

lanewise!(Words, Add add u32::wrapping_add, BitXor bitxor |a: u32, b: u32| a ^ b);

impl lanes::Words for Words {
    type Fractions = [u16; LANES];

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shift_left<const BITS: i32>(self) -> Words {
        Words(self.0.map(|word| word << BITS))
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rotate_left<const BITS: i32>(self) -> Words {
        Words(self.0.map(|word| word.rotate_left(BITS as u32)))
    }

    #[inline(never)]
    fn halves(quarters: [Words; 4]) -> [[u16; LANES]; 2] {
        let mut halves = [[0; LANES]; 2];
        for four in 0..LANES / 4 {
            for (quarter, words) in quarters.iter().enumerate() {
                let word = words.0[four];
                halves[0][4 * four + quarter] = word as u16;
                halves[1][4 * four + quarter] = (word >> 16) as u16;
            }
        }
        halves
    }
}
