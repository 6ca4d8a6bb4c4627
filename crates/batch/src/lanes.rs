//! The operations on 64 lanes, one game in each, that the twelve steps are written in.
//!
//! [`Lanes`] is implemented once per instruction set, each in a file of `arch`; nothing else in this crate depends on
//! instruction sets. Most operations know nothing of the game. [`Lanes::contains`] looks up cells in sets of cells, and
//! [`Lanes::steps_to_wall`] looks along lines with walls.

use std::array;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Range, Sub};

/// Games side by side.
pub(crate) const LANES: usize = 64;

/// One instruction set, as a token: a value of such a type proves that the processor has the instructions. It stands for all
/// lanes, or for a part of them: what is loaded, stored and looked up is then that of these lanes.
///
/// All values are made from a token, directly or through other values. Operations on values therefore need no token.
pub(crate) trait Lanes: Copy + Send + Sync + 'static {
    /// A yes or no for each lane.
    type Mask: Mask;
    /// A byte for each lane.
    type Bytes: Bytes<Mask = Self::Mask>;
    /// A word of 32 bits for every fourth lane.
    type Words: Words<Fractions = <Self::Bytes as Bytes>::Fractions>;
    /// As many lanes as a turn is played in at a time: those whose numbers fit into the registers of the CPU.
    type Part: Lanes<Part = Self::Part>;

    /// The most games that `pacman2_rules` plays and observes one by one as fast as 64 lanes side by side.
    const MAX_SCALAR_GAMES: usize;

    /// Returns the parts of these lanes.
    fn parts(self) -> impl Iterator<Item = Self::Part>;
    /// Returns which lanes these are.
    fn range(self) -> Range<usize>;
    /// Returns whether any of these lanes is among the lanes of some bits.
    #[inline(always)]
    fn any_of(self, bits: u64) -> bool {
        let Range { start, end } = self.range();
        bits >> start << (LANES - (end - start)) != 0
    }

    /// Returns the same byte in each lane.
    fn splat(self, value: u8) -> Self::Bytes;
    /// Loads the bytes of these lanes from a column.
    fn load(self, column: &Column<u8>) -> Self::Bytes;
    /// Stores the bytes of these lanes.
    fn store(self, bytes: Self::Bytes, column: &mut Column<u8>);
    /// Loads the words of the lanes that are this number modulo four. A column has words in the order of [`word_index`].
    fn load_words(self, column: &Column<u32>, quarter: usize) -> Self::Words;
    /// Stores the words of the lanes that are this number modulo four.
    fn store_words(self, words: Self::Words, column: &mut Column<u32>, quarter: usize);
    /// Returns the mask of these bits; lane 0 is the lowest bit. Those of other lanes are ignored.
    fn mask(self, bits: u64) -> Self::Mask;
    /// Returns the mask as bits; lane 0 is the lowest bit, and those of other lanes are clear.
    fn bits(self, mask: Self::Mask) -> u64;

    /// Returns the mask without any lane.
    #[inline(always)]
    fn none(self) -> Self::Mask {
        self.mask(0)
    }

    /// Returns the quotients and the remainders of cells below 128 divided by eleven; the highest bit is ignored.
    #[inline(always)]
    fn divided_by_eleven(self, cells: Self::Bytes) -> [Self::Bytes; 2] {
        let cells = cells & self.splat(0x7f);
        // The fraction is a little more than an eleventh: too little to matter below 128.
        let quotients = cells.mul_hi(&self.fraction(0x1746));
        [quotients, cells - quotients.look_up_16(&TIMES_ELEVEN)]
    }

    /// Multiplies numbers of rows or columns by 22.
    #[inline(always)]
    fn times_22(self, lines: Self::Bytes) -> Self::Bytes {
        lines.look_up_16(&TIMES_22)
    }

    /// Returns 22 times the row of cells plus their column, and 22 times their column plus their row; the highest bit is ignored.
    #[inline(always)]
    fn coordinates(self, cells: Self::Bytes) -> [Self::Bytes; 2] {
        let [row, col] = self.divided_by_eleven(cells);
        // Twice a cell is twice eleven times the row, plus twice the column.
        [cells + cells - col, self.times_22(col) + row]
    }

    /// Returns the same fraction in each lane.
    fn fraction(self, value: u16) -> <Self::Bytes as Bytes>::Fractions;

    /// Returns, for each seat, where the set of a lane contains the seat's cell. Cells are below 128.
    fn contains(self, sets: &CellSets, cells: &[Self::Bytes; 4]) -> [Self::Mask; 4];

    /// Takes the fruit on these cells from its sets: the small one if there are both. Cells are below 128, and no two of a lane
    /// are equal, except for [`NEVER_FRUIT`].
    #[inline(always)]
    fn take_fruit(self, small: &mut CellSets, large: &mut CellSets, cells: &[Self::Bytes; 4]) -> [Eaten<Self::Mask>; 4] {
        let all = [0, 1].map(|word| Column(array::from_fn(|index| small[word].0[index] | large[word].0[index])));
        let found = self.contains(&all, cells);
        by_seat!(seat => take_fruit(self, small, large, cells[seat], found[seat]))
    }

    /// Counts, for each seat, the steps from a position on a line to the next wall, wrapping around.
    ///
    /// Without a wall on the line the result is at least the line's length and at most 31. For positions beyond the end of the
    /// line it is unspecified.
    #[inline(always)]
    fn steps_to_wall(
        self,
        walls: &[Walls; LANES],
        lines: [Self::Bytes; 4],
        positions: [Self::Bytes; 4],
        lengths: [Self::Bytes; 4],
    ) -> [Self::Bytes; 4] {
        by_seat!(seat => steps_to_wall(self, walls, lines[seat], positions[seat], lengths[seat]))
    }
}

/// Puts the four seats of each game side by side.
#[inline(always)]
pub(crate) fn by_game([a, b, c, d]: &[Column<u8>; 4]) -> [[u8; 4]; LANES] {
    array::from_fn(|lane| {
        let [a, b, c, d] = [a, b, c, d].map(|column| u32::from(column.0[lane]));
        (a | b << 8 | c << 16 | d << 24).to_le_bytes()
    })
}

/// Separates the seats of each game into columns.
#[inline(always)]
pub(crate) fn by_column(games: &[[u8; 4]; LANES]) -> [Column<u8>; 4] {
    let mut columns = [Column([0; LANES]); 4];
    // Through 32-bit numbers, which the compiler vectorizes.
    each_seat!(seat {
        for (byte, game) in columns[seat].0.iter_mut().zip(games) {
            *byte = (u32::from_le_bytes(*game) >> (8 * seat)) as u8;
        }
    });
    columns
}

/// Where a player eats a small fruit, and where a large one.
#[derive(Clone, Copy)]
pub(crate) struct Eaten<M> {
    pub(crate) small: M,
    pub(crate) large: M,
}

/// A cell of no maze: it never has fruit.
pub(crate) const NEVER_FRUIT: u8 = 127;

/// Takes the fruit of a seat, lane by lane.
#[inline(always)]
fn take_fruit<L: Lanes>(lanes: L, small: &mut CellSets, large: &mut CellSets, cells: L::Bytes, found: L::Mask) -> Eaten<L::Mask> {
    let mut column = Column([0; LANES]);
    lanes.store(cells, &mut column);
    let mut eaters_of_large = 0;
    for lane in lanes_of(lanes.bits(found)) {
        let cell = column.0[lane];
        let (word, index, fruit) = (usize::from(cell >> 6 & 1), usize::from(SET_INDEX.0[lane]) % LANES, 1 << (cell & 63));
        let small = &mut small[word].0[index];
        // Ruling both-fruits: the small one first.
        let is_large = *small & fruit == 0;
        *small &= !fruit;
        large[word].0[index] &= !(fruit * u64::from(is_large));
        eaters_of_large |= u64::from(is_large) << lane;
    }
    let of_large = lanes.mask(eaters_of_large);
    Eaten { small: found & !of_large, large: of_large }
}

/// Counts steps to walls, lane by lane.
#[inline(always)]
fn steps_to_wall<L: Lanes>(lanes: L, walls: &[Walls; LANES], line: L::Bytes, position: L::Bytes, length: L::Bytes) -> L::Bytes {
    let (mut lines, mut positions, mut lengths) = (Column([0; LANES]), Column([0; LANES]), Column([0; LANES]));
    lanes.store(line, &mut lines);
    lanes.store(position, &mut positions);
    lanes.store(length, &mut lengths);
    let mut steps = Column([0; LANES]);
    for lane in lanes.range() {
        let walls = u32::from(walls[lane].0[usize::from(lines.0[lane]) % LINES]);
        // The line twice, so that the walk may pass its end once.
        let walls = walls | walls << (lengths.0[lane] & 15) | 1 << 31;
        steps.0[lane] = (walls >> (positions.0[lane] & 15)).trailing_zeros() as u8;
    }
    lanes.load(&steps)
}

/// A yes or no for each lane.
pub(crate) trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Returns whether any lane is in the mask.
    fn any(self) -> bool;
}

/// A byte for each lane. Sums and differences wrap.
pub(crate) trait Bytes:
    Copy + Add<Output = Self> + Sub<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    type Mask: Mask;
    /// A fraction for each lane, in units of 2⁻¹⁶.
    type Fractions;
    /// Returns `if_set` in the lanes of the mask and `if_clear` in the others.
    fn select(mask: Self::Mask, if_set: Self, if_clear: Self) -> Self;
    /// Returns the bytes in the lanes of the mask and 0 in the others.
    fn masked(self, mask: Self::Mask) -> Self;
    /// Adds `other` in the lanes of the mask.
    fn masked_add(self, mask: Self::Mask, other: Self) -> Self;
    /// Subtracts `other` in the lanes of the mask.
    fn masked_sub(self, mask: Self::Mask, other: Self) -> Self;
    /// Returns the sum, or 255 if it is larger.
    fn saturating_add(self, other: Self) -> Self;
    /// Returns the difference, or 0 if `other` is larger.
    fn saturating_sub(self, other: Self) -> Self;
    /// Subtracts 1 in the lanes of the mask where the byte is not 0.
    fn masked_decrement(self, mask: Self::Mask) -> Self;
    /// Returns the smaller of the two unsigned bytes.
    #[inline(always)]
    fn min_u8(self, other: Self) -> Self {
        self - self.saturating_sub(other)
    }
    /// Returns the larger of the signed byte and 0.
    fn max_zero_i8(self) -> Self;
    fn equals(self, other: Self) -> Self::Mask;
    /// Returns where the unsigned byte is less than `other`.
    fn lt_u8(self, other: Self) -> Self::Mask;
    /// Returns where the signed byte is greater than `other`.
    fn gt_i8(self, other: Self) -> Self::Mask;
    /// Returns where the highest bit is set.
    fn sign_mask(self) -> Self::Mask;
    /// Looks up the bytes in a table; the highest bit is ignored.
    fn look_up(self, table: &Table) -> Self;
    /// Looks up the bytes, which are below 16, in a table.
    fn look_up_16(self, table: &[u8; 16]) -> Self;
    /// Halves numbers below 128, rounding down.
    fn halved(self) -> Self;
    /// Multiplies by fractions and returns the integer parts, which must be below 16.
    fn mul_hi(self, fractions: &Self::Fractions) -> Self;
}

/// A word of a random number generator for every fourth lane. Sums wrap.
pub(crate) trait Words: Copy + Add<Output = Self> + BitXor<Output = Self> {
    type Fractions;
    fn shift_left<const BITS: i32>(self) -> Self;
    fn rotate_left<const BITS: i32>(self) -> Self;
    /// Returns the lower and the upper halves of the words of all lanes, by the lane modulo four.
    fn halves(quarters: [Self; 4]) -> [Self::Fractions; 2];
}

/// One value for each of 64 games, in memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Column<T, const N: usize = LANES>(pub(crate) [T; N]);

/// Plain old data: what a register may be loaded from and stored to.
///
/// # Safety
///
/// The type has no padding, and all bit patterns are valid.
#[expect(unsafe_code, reason = "registers are loaded from this type")]
#[allow(dead_code, reason = "portable code loads no registers")]
pub(crate) unsafe trait Pod: Copy {}

// SAFETY: integers have no padding and no invalid bit patterns.
#[expect(unsafe_code, reason = "registers are loaded from this type")]
unsafe impl Pod for u8 {}
// SAFETY: integers have no padding and no invalid bit patterns.
#[expect(unsafe_code, reason = "registers are loaded from this type")]
unsafe impl Pod for u16 {}
// SAFETY: integers have no padding and no invalid bit patterns.
#[expect(unsafe_code, reason = "registers are loaded from this type")]
unsafe impl Pod for u32 {}
// SAFETY: integers have no padding and no invalid bit patterns.
#[expect(unsafe_code, reason = "registers are loaded from this type")]
unsafe impl Pod for u64 {}
// SAFETY: an array has no padding beside that of its elements.
#[expect(unsafe_code, reason = "registers are loaded from this type")]
unsafe impl<T: Pod, const N: usize> Pod for [T; N] {}

/// A byte for each cell, indexed by the lower seven bits of a lane's byte.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Table(pub(crate) [u8; 128]);

/// The rows of cells, numbered as in the largest maze.
#[cfg(feature = "observe")]
pub(crate) static ROWS: Table = of_rows_and_columns(1, 0);
/// Their columns.
#[cfg(feature = "observe")]
pub(crate) static COLS: Table = of_rows_and_columns(0, 1);

/// Makes a table of multiples of the row and the column, added up.
#[cfg(feature = "observe")]
const fn of_rows_and_columns(row: u8, col: u8) -> Table {
    let mut table = [0; 128];
    let mut cell = 0;
    while cell < 128 {
        let number = cell as u8;
        table[cell] = (number / pacman2_rules::MAX_SIDE * row).wrapping_add(number % pacman2_rules::MAX_SIDE * col);
        cell += 1;
    }
    Table(table)
}

/// Multiples of eleven, the side of the largest maze.
pub(crate) static TIMES_ELEVEN: [u8; 16] = multiples(11);

/// Multiples of 22 up to 242; greater ones are no numbers of rows or columns.
static TIMES_22: [u8; 16] = multiples(22);

const fn multiples(factor: u8) -> [u8; 16] {
    let mut multiples = [0; 16];
    let mut number = 0;
    while number < 16 && number * factor as usize <= u8::MAX as usize {
        multiples[number] = factor * number as u8;
        number += 1;
    }
    multiples
}

/// A set of cells for each lane.
///
/// A set is two words, for the cells below 64 and for those from 64 on, each in a column of its own. Within a column the word
/// of a lane is at [`set_index`].
pub(crate) type CellSets = [Column<u64>; 2];

/// Returns the index of a lane's word in a column of [`CellSets`].
///
/// Registers hold sixteen lanes, or twice sixteen, and put the four seats of two games of each sixteen side by side. In this order
/// the words of these games are side by side, too.
pub(crate) const fn set_index(lane: usize) -> usize {
    lane % 16 / 2 * 8 + lane / 16 * 2 + lane % 2
}

/// The [`set_index`] of each lane, for where a lookup is faster than the computation.
pub(crate) static SET_INDEX: Column<u8> = {
    let mut indices = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        indices[lane] = set_index(lane) as u8;
        lane += 1;
    }
    Column(indices)
};

/// Returns the index of a lane's word in a column of generator words.
///
/// Lanes that are equal modulo 4 are side by side, so that halves of words end up in the place of their lane's byte.
pub(crate) const fn word_index(lane: usize) -> usize {
    lane % 4 * 16 + lane / 4
}

/// Returns the lanes of a mask given as bits.
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

/// Room for the lines of a maze that can be walked or lit along in one direction.
pub(crate) const LINES_PER_DIRECTION: u8 = 16;
/// Room for the lines in all four directions.
pub(crate) const LINES: usize = 4 * LINES_PER_DIRECTION as usize;

/// The walls of a maze: bit `p` of a line is set if one blocks the way from position `p` along that line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Walls(pub(crate) [u16; LINES]);
