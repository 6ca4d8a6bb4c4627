//! The vocabulary of lanes: all that the twelve steps need to say of 64 games at once.
//!
//! An instruction set is one file in `arch` that puts these few words into its own. Nothing else in this crate knows of
//! instruction sets. The words know little of the game: [`Lanes::found`] looks into sets of cells, [`Lanes::steps_to_wall`]
//! along lines with walls.

use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

/// Games side by side.
pub(crate) const LANES: usize = 64;

/// One value for each of 64 games, where they are kept between turns.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Column<T, const N: usize = LANES>(pub(crate) [T; N]);

/// What a register may be filled from, and written to.
///
/// # Safety
///
/// It has no padding, and any bits are a value.
pub(crate) unsafe trait Bits: Copy {}

// SAFETY: they are numbers, and numbers side by side.
unsafe impl Bits for u8 {}
// SAFETY: as above.
unsafe impl Bits for u32 {}
// SAFETY: as above.
unsafe impl Bits for u64 {}
// SAFETY: as above.
unsafe impl Bits for [u8; 4] {}
// SAFETY: as above.
unsafe impl Bits for [u16; 4] {}

/// A byte for each cell: what a lane looks up by its cell. Only the lower seven bits of an index count.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Table(pub(crate) [u8; 128]);

/// 64 sets of cells.
///
/// A set is two words, for cells below 64 and from 64 on, each in a column of its own. Within a column a lane's word is at
/// its [slot].
pub(crate) type Sets = [Column<u64>; 2];

/// Where in a column of [`Sets`] the word of a lane is: where AVX-512 has it when it puts the four seats of a game side by
/// side, so that nothing need be moved there.
pub(crate) const fn slot(lane: usize) -> usize {
    lane % 16 / 2 * 8 + lane / 16 * 2 + lane % 2
}

/// The [slot] of each lane, to be looked up where that is quicker than to compute it.
pub(crate) static SLOTS: Column<u8> = {
    let mut slots = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        slots[lane] = slot(lane) as u8;
        lane += 1;
    }
    Column(slots)
};

/// Where in a column of generators' words the word of a lane is: those of lanes that leave the same rest divided by four are
/// side by side, so that halves of words fall beside the bytes of their lanes.
pub(crate) const fn word_slot(lane: usize) -> usize {
    lane % 4 * 16 + lane / 4
}

/// The lanes of a mask, as bits.
#[inline(always)]
pub(crate) fn lanes_of(bits: u64) -> impl Iterator<Item = usize> {
    let mut rest = bits;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        let any = rest != 0;
        rest &= rest.wrapping_sub(1);
        any.then_some(lane % LANES)
    })
}

/// Room for the lines of a field along which somebody walks or shines in one direction, and in all four.
pub(crate) const LINES_ONE_WAY: u8 = 12;
pub(crate) const LINES: usize = 4 * LINES_ONE_WAY as usize;

/// The walls of 64 maps. For each line bit `p` is set if one stops whoever leaves position `p` of it.
pub(crate) type Walls = Column<[u16; LINES]>;

/// One instruction set.
pub(crate) trait Lanes: Copy + Send + Sync + 'static {
    /// Yes or no, 64 times.
    type Mask: Mask;
    /// 64 bytes.
    type Bytes: Bytes<Mask = Self::Mask>;
    /// 64 words of 32 bits.
    type Words: Words<Fractions = <Self::Bytes as Bytes>::Fractions>;

    /// Does some work with this instruction set's own instructions.
    fn within<R>(work: impl FnOnce() -> R) -> R;

    /// Whose cell is in its lane's set: an answer for each seat. Cells are below 128.
    fn found(sets: &Sets, cells: &[Self::Bytes; 4]) -> [Self::Mask; 4];

    /// For each seat how many steps it is from a position on a line to the next wall, round the field if need be; as many as
    /// the line is long or more, 31 at most, if there is no wall. Of positions beyond the line's end the answer means
    /// nothing.
    #[inline(always)]
    fn steps_to_wall(
        walls: &Walls,
        lines: [Self::Bytes; 4],
        positions: [Self::Bytes; 4],
        lengths: [Self::Bytes; 4],
    ) -> [Self::Bytes; 4] {
        by_seat!(seat => steps_to_wall(walls, lines[seat], positions[seat], lengths[seat]))
    }
}

/// Steps to walls, lane by lane.
#[inline(always)]
fn steps_to_wall<B: Bytes>(walls: &Walls, line: B, position: B, length: B) -> B {
    let (mut lines, mut positions, mut lengths) = (Column([0; LANES]), Column([0; LANES]), Column([0; LANES]));
    line.store(&mut lines);
    position.store(&mut positions);
    length.store(&mut lengths);
    let mut steps = Column([0; LANES]);
    for lane in 0..LANES {
        let walls = u32::from(walls.0[lane][usize::from(lines.0[lane]).min(LINES - 1)]);
        // Twice, once around the field.
        let walls = walls | walls << (lengths.0[lane] & 15) | 1 << 31;
        steps.0[lane] = (walls >> (positions.0[lane] & 15)).trailing_zeros() as u8;
    }
    B::load(&steps)
}

/// Yes or no for each lane.
pub(crate) trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// As bits, lane 0 the lowest.
    fn from_bits(bits: u64) -> Self;
    fn bits(self) -> u64;

    #[inline(always)]
    fn none() -> Self {
        Self::from_bits(0)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }
}

/// A byte for each lane. Sums and differences wrap.
pub(crate) trait Bytes:
    Copy + Add<Output = Self> + Sub<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    type Mask: Mask;
    /// A fraction for each lane, in parts of 2¹⁶.
    type Fractions;
    fn all(value: u8) -> Self;
    fn load(column: &Column<u8>) -> Self;
    fn store(self, column: &mut Column<u8>);
    /// Lanes in the mask have `these`, the others `those`.
    fn choose(mask: Self::Mask, these: Self, those: Self) -> Self;
    /// The same in the lanes of the mask, 0 elsewhere.
    fn only(self, mask: Self::Mask) -> Self;
    /// More by `other` in the lanes of the mask.
    fn plus(self, mask: Self::Mask, other: Self) -> Self;
    /// Less by `other` in the lanes of the mask.
    fn minus(self, mask: Self::Mask, other: Self) -> Self;
    /// The sum, or 255 if it is more.
    fn plus_at_most(self, other: Self) -> Self;
    /// Less by one in the lanes of the mask, where it is not 0.
    fn count_down(self, mask: Self::Mask) -> Self;
    /// With sign; 0 where it is negative.
    fn at_least_zero(self) -> Self;
    fn equals(self, other: Self) -> Self::Mask;
    /// Where this is less, both without sign.
    fn below(self, other: Self) -> Self::Mask;
    /// Where this is more, both with sign.
    fn above(self, other: Self) -> Self::Mask;
    /// Where the topmost bit is set.
    fn topmost(self) -> Self::Mask;
    /// The table's bytes at these indices, of which the topmost bit does not count.
    fn look_up(self, table: &Table) -> Self;
    /// From one of four tables: in each lane the one whose number `which` is, 0 where it is none of them.
    fn look_up_in(self, tables: &[Table; 4], which: Self) -> Self;
    /// How many bits are set.
    fn count_ones(self) -> Self;
    /// Halves of numbers below 128, rounded down.
    fn halved(self) -> Self;
    /// The upper four bits, as a number.
    fn sixteenth(self) -> Self;
    /// The whole part of this times a fraction, less than 16.
    fn part(self, fractions: &Self::Fractions) -> Self;
}

/// A word of a generator of chance for each lane, kept at its [slot](word_slot). Sums wrap.
pub(crate) trait Words: Copy + Add<Output = Self> + BitXor<Output = Self> {
    type Fractions;
    fn load(column: &Column<u32>) -> Self;
    fn store(self, column: &mut Column<u32>);
    fn shifted_left<const BITS: u32>(self) -> Self;
    fn rotated_left<const BITS: u32>(self) -> Self;
    /// The lower and the upper halves.
    fn halves(self) -> [Self::Fractions; 2];
}
