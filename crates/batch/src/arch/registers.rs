//! Lanes in registers of 16 or 32 bytes, whatever the instruction set: the steps are made of the operations of a [`Register`],
//! which each instruction set has in a file of its own.
//!
//! A turn is played in one register after another, because the numbers of 16 or 32 games fit into the registers of a CPU and
//! those of 64 games do not. Observations use all lanes at once, for the cells of one game.
//!
//! # Safety
//!
//! A [`Register::Proof`] proves that the CPU has the instruction set: it is made only where this is known. Only the methods of
//! [`Registers`] and of registers make registers, from a proof. So a register is a proof, too.

use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Range, Sub};

use super::register::Register;
use crate::lanes::{self, CellSets, Column, Eaten, LANES, LINES, Lanes, Pod, SET_INDEX, Table, Walls, lanes_of};

/// The token of `N` registers of 64 lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers<R: Register, const N: usize> {
    proof: R::Proof,
    /// The place of the first register among those of all lanes.
    first: usize,
}

impl<R: Register, const N: usize> Registers<R, N> {
    /// Makes the token of all lanes.
    pub(crate) fn all(proof: R::Proof) -> Registers<R, N> {
        const { assert!(N * size_of::<R>() == LANES) }
        Registers { proof, first: 0 }
    }
}

/// The number of registers of all lanes.
const fn count<R>() -> usize {
    LANES / size_of::<R>()
}

// The loops below are short, and the compiler unrolls them. They are not closures, because those would not be compiled for the
// instruction set of their caller.

/// Evaluates an expression for each register. `$zero` is what the result is made from.
macro_rules! by_register {
    ($register:ident in $zero:expr => $value:expr) => {{
        let mut registers = $zero;
        let mut $register = 0;
        while $register < N {
            registers[$register] = $value;
            $register += 1;
        }
        registers
    }};
}

impl<R: Register, const N: usize> Lanes for Registers<R, N> {
    type Mask = Mask<R, N>;
    type Bytes = Bytes<R, N>;
    type Words = Words<R, N>;
    type Part = Registers<R, 1>;

    const MAX_SCALAR_GAMES: usize = R::MAX_SCALAR_GAMES;

    #[inline(always)]
    fn parts(self) -> impl Iterator<Item = Registers<R, 1>> {
        (0..N).map(move |register| Registers { proof: self.proof, first: self.first + register })
    }

    #[inline(always)]
    fn range(self) -> Range<usize> {
        size_of::<R>() * self.first..size_of::<R>() * (self.first + N)
    }

    #[inline(always)]
    fn splat(self, value: u8) -> Bytes<R, N> {
        Bytes([R::splat(self.proof, value); N])
    }

    #[inline(always)]
    fn load(self, column: &Column<u8>) -> Bytes<R, N> {
        Bytes(by_register!(register in self.zeros() => self.load_register(column, self.first + register)))
    }

    #[inline(always)]
    fn store(self, bytes: Bytes<R, N>, column: &mut Column<u8>) {
        for register in 0..N {
            store_register(column, self.first + register, bytes.0[register]);
        }
    }

    #[inline(always)]
    fn load_words(self, column: &Column<u32>, quarter: usize) -> Words<R, N> {
        let first = count::<R>() * quarter + self.first;
        Words(by_register!(register in self.zeros() => self.load_register(column, first + register)))
    }

    #[inline(always)]
    fn store_words(self, words: Words<R, N>, column: &mut Column<u32>, quarter: usize) {
        for register in 0..N {
            store_register(column, count::<R>() * quarter + self.first + register, words.0[register]);
        }
    }

    #[inline(always)]
    fn mask(self, bits: u64) -> Mask<R, N> {
        Mask(by_register!(register in self.zeros() =>
            R::of_bits(self.proof, (bits >> (size_of::<R>() * (self.first + register))) as u32)))
    }

    #[inline(always)]
    fn none(self) -> Mask<R, N> {
        Mask(self.zeros())
    }

    #[inline(always)]
    fn bits(self, mask: Mask<R, N>) -> u64 {
        let mut bits = 0;
        for register in 0..N {
            bits |= u64::from(mask.0[register].bits()) << (size_of::<R>() * (self.first + register));
        }
        bits
    }

    #[inline(always)]
    fn fraction(self, value: u16) -> [[R; N]; 2] {
        [[R::splat_pairs(self.proof, value); N]; 2]
    }

    #[inline(always)]
    fn contains(self, sets: &CellSets, cells: &[Bytes<R, N>; 4]) -> [Mask<R, N>; 4] {
        let mut found = [Mask(self.zeros()); 4];
        for register in 0..N {
            let in_register = self.contains_in_register([sets], register, by_seat!(seat => cells[seat].0[register]));
            each_seat!(seat { found[seat].0[register] = in_register[seat]; });
        }
        found
    }

    #[inline(always)]
    fn take_fruit(self, small: &mut CellSets, large: &mut CellSets, cells: &[Bytes<R, N>; 4]) -> [Eaten<Mask<R, N>>; 4] {
        let none = Mask(self.zeros());
        let mut eaten = [Eaten { small: none, large: none }; 4];
        for register in 0..N {
            let in_register = self.take_in_register(small, large, register, by_seat!(seat => cells[seat].0[register]));
            each_seat!(seat {
                eaten[seat].small.0[register] = in_register[seat].small;
                eaten[seat].large.0[register] = in_register[seat].large;
            });
        }
        eaten
    }

    #[inline(always)]
    fn steps_to_wall(
        self,
        walls: &[Walls; LANES],
        lines: [Bytes<R, N>; 4],
        positions: [Bytes<R, N>; 4],
        lengths: [Bytes<R, N>; 4],
    ) -> [Bytes<R, N>; 4] {
        let mut steps = [Bytes(self.zeros()); 4];
        for register in 0..N {
            let walls = self.walls_of_lines(walls, register, by_seat!(seat => lines[seat].0[register]));
            each_seat!(seat {
                let [low, high] = walls[seat];
                steps[seat].0[register] = steps_in_words(low, high, positions[seat].0[register], lengths[seat].0[register]);
            });
        }
        steps
    }
}

/// A mask: each byte is 0 or 255.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask<R, const N: usize>([R; N]);

/// 64 bytes, or those of a part of the lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<R, const N: usize>([R; N]);

/// The words of a quarter of the lanes, see [`Lanes::load_words`], or of a part of these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<R, const N: usize>([R; N]);

/// Implements operators register by register.
macro_rules! operators {
    ($type:ident: $($trait:ident $method:ident $operation:ident),+) => { $(
        impl<R: Register, const N: usize> $trait for $type<R, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                $type(by_register!(register in self.0 => self.0[register].$operation(other.0[register])))
            }
        }
    )+ };
}

operators!(Mask: BitAnd bitand and, BitOr bitor or);
operators!(Bytes: Add add add, Sub sub sub, BitAnd bitand and, BitOr bitor or, BitXor bitxor xor);
operators!(Words: Add add add_words, BitXor bitxor xor);

impl<R: Register, const N: usize> Not for Mask<R, N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Mask(by_register!(register in self.0 => self.0[register].not()))
    }
}

impl<R: Register, const N: usize> lanes::Mask for Mask<R, N> {
    #[inline(always)]
    fn any(self) -> bool {
        let mut any = self.0[0];
        for register in 1..N {
            any = any.or(self.0[register]);
        }
        any.any()
    }
}

impl<R: Register, const N: usize> Bytes<R, N> {
    /// Returns the same byte in each of these lanes.
    #[inline(always)]
    fn splat(self, value: u8) -> Bytes<R, N> {
        Bytes([R::splat(self.0[0].proof(), value); N])
    }
}

impl<R: Register, const N: usize> lanes::Bytes for Bytes<R, N> {
    type Mask = Mask<R, N>;
    /// The fractions of even lanes and those of odd lanes.
    type Fractions = [[R; N]; 2];

    #[inline(always)]
    fn select(mask: Mask<R, N>, if_set: Self, if_clear: Self) -> Self {
        Bytes(by_register!(register in if_set.0 => R::select(mask.0[register], if_set.0[register], if_clear.0[register])))
    }

    #[inline(always)]
    fn masked(self, mask: Mask<R, N>) -> Self {
        self & Bytes(mask.0)
    }

    #[inline(always)]
    fn masked_add(self, mask: Mask<R, N>, other: Self) -> Self {
        self + other.masked(mask)
    }

    #[inline(always)]
    fn masked_sub(self, mask: Mask<R, N>, other: Self) -> Self {
        self - other.masked(mask)
    }

    #[inline(always)]
    fn saturating_add(self, other: Self) -> Self {
        Bytes(by_register!(register in self.0 => self.0[register].saturating_add(other.0[register])))
    }

    #[inline(always)]
    fn saturating_sub(self, other: Self) -> Self {
        Bytes(by_register!(register in self.0 => self.0[register].saturating_sub(other.0[register])))
    }

    #[inline(always)]
    fn masked_decrement(self, mask: Mask<R, N>) -> Self {
        self.saturating_sub(self.splat(1).masked(mask))
    }

    #[inline(always)]
    fn max_zero_i8(self) -> Self {
        let zero = self.splat(0);
        Bytes(by_register!(register in self.0 => self.0[register].max_i8(zero.0[register])))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> Mask<R, N> {
        Mask(by_register!(register in self.0 => self.0[register].equals(other.0[register])))
    }

    #[inline(always)]
    fn lt_u8(self, other: Self) -> Mask<R, N> {
        Mask(by_register!(register in self.0 => self.0[register].lt_u8(other.0[register])))
    }

    #[inline(always)]
    fn gt_i8(self, other: Self) -> Mask<R, N> {
        Mask(by_register!(register in self.0 => self.0[register].gt_i8(other.0[register])))
    }

    #[inline(always)]
    fn sign_mask(self) -> Mask<R, N> {
        self.splat(0).gt_i8(self)
    }

    #[inline(always)]
    fn look_up(self, table: &Table) -> Self {
        let proof = self.0[0].proof();
        let mut sixteens = [R::splat(proof, 0); 8];
        for (sixteen, bytes) in sixteens.iter_mut().zip(table.0.as_chunks().0) {
            *sixteen = R::splat_sixteens(proof, bytes);
        }
        Bytes(by_register!(register in self.0 => self.0[register].look_up_128(sixteens)))
    }

    #[inline(always)]
    fn look_up_16(self, table: &[u8; 16]) -> Self {
        let table = R::splat_sixteens(self.0[0].proof(), table);
        Bytes(by_register!(register in self.0 => self.0[register].look_up_16(table)))
    }

    #[inline(always)]
    fn halved(self) -> Self {
        // The bit that enters from the byte above is the sign bit.
        Bytes(by_register!(register in self.0 => self.0[register].shift_pairs_right::<1>())) & self.splat(0x7f)
    }

    #[inline(always)]
    fn mul_hi(self, [of_even, of_odd]: &[[R; N]; 2]) -> Self {
        Bytes(by_register!(register in self.0 => mul_hi(self.0[register], of_even[register], of_odd[register])))
    }
}

impl<R: Register, const N: usize> lanes::Words for Words<R, N> {
    type Fractions = [[R; N]; 2];

    #[inline(always)]
    fn shift_left<const BITS: i32>(self) -> Self {
        Words(by_register!(register in self.0 => self.0[register].shift_words_left::<BITS>()))
    }

    #[inline(always)]
    fn rotate_left<const BITS: i32>(self) -> Self {
        Words(by_register!(register in self.0 => self.0[register].rotate_words_left::<BITS>()))
    }

    #[inline(always)]
    fn halves([a, b, c, d]: [Self; 4]) -> [[[R; N]; 2]; 2] {
        // Even lanes are 0 and 2 modulo 4.
        [
            [
                by_register!(register in a.0 => lower_halves(a.0[register], c.0[register])),
                by_register!(register in a.0 => lower_halves(b.0[register], d.0[register])),
            ],
            [
                by_register!(register in a.0 => upper_halves(a.0[register], c.0[register])),
                by_register!(register in a.0 => upper_halves(b.0[register], d.0[register])),
            ],
        ]
    }
}

/// Packs the lower halves of the words of even and of odd places.
#[inline(always)]
fn lower_halves<R: Register>(even: R, odd: R) -> R {
    even.with_odd_pairs(odd.shift_words_left::<16>())
}

/// Packs the upper halves of the words of even and of odd places.
#[inline(always)]
fn upper_halves<R: Register>(even: R, odd: R) -> R {
    even.shift_words_right::<16>().with_odd_pairs(odd)
}

/// [`lanes::Bytes::mul_hi`] for one register.
#[inline(always)]
fn mul_hi<R: Register>(bytes: R, of_even: R, of_odd: R) -> R {
    // Each pair holds the byte of an even lane, and above it the byte of an odd lane.
    let lower_bytes = R::splat_pairs(bytes.proof(), 0x00ff);
    let upper_bytes = R::splat_pairs(bytes.proof(), 0xff00);
    let even = bytes.and(lower_bytes).mul_hi_pairs(of_even);
    // 256 times the product has its integer part in the upper byte of the upper half.
    let odd = bytes.and(upper_bytes).mul_hi_pairs(of_odd);
    even.or(odd.and(upper_bytes))
}

/// What the methods above are made of, register by register.
impl<R: Register, const N: usize> Registers<R, N> {
    #[inline(always)]
    fn zeros(self) -> [R; N] {
        [R::splat(self.proof, 0); N]
    }

    /// Loads the register at a place of a column.
    #[allow(unsafe_code, reason = "loads a register from a column; see Safety above")]
    #[inline(always)]
    fn load_register<T: Pod, const L: usize>(self, column: &Column<T, L>, place: usize) -> R {
        assert!(size_of::<R>() * (place + 1) <= size_of::<Column<T, L>>());
        // SAFETY: `self.proof` proves the instruction set. The bytes lie within the column, as asserted above. It is aligned to
        // 64 bytes and has no padding, and any bits are a valid register, see `Register`.
        unsafe { std::ptr::from_ref(column).cast::<R>().add(place).read() }
    }

    /// Returns which of these cells are in the sets of their games, of which there may be several, register by register.
    ///
    /// A set is sixteen bytes. The bytes that hold the cells of the four seats are looked up for one game in each sixteen.
    #[inline(always)]
    fn contains_in_register<const K: usize>(self, sets: [&CellSets; K], register: usize, [a, b, c, d]: [R; 4]) -> [R; 4] {
        let place = self.first + register;
        let [e, f, g, h] = [byte_of(a), byte_of(b), byte_of(c), byte_of(d)];
        let (ab, cd) = (e.interleave_low(f), g.interleave_low(h));
        let first = self.bytes_of_four(sets, place, 0, ab.interleave_low_pairs(cd));
        let second = self.bytes_of_four(sets, place, 1, ab.interleave_high_pairs(cd));
        let (ab, cd) = (e.interleave_high(f), g.interleave_high(h));
        let third = self.bytes_of_four(sets, place, 2, ab.interleave_low_pairs(cd));
        let fourth = self.bytes_of_four(sets, place, 3, ab.interleave_high_pairs(cd));
        // Transpose back: from the seats of each game to the games of each seat.
        let (ab, cd) = (first.interleave_low_words(second), first.interleave_high_words(second));
        let (ef, gh) = (third.interleave_low_words(fourth), third.interleave_high_words(fourth));
        [
            has_bit(ab.interleave_low_eights(ef), a),
            has_bit(ab.interleave_high_eights(ef), b),
            has_bit(cd.interleave_low_eights(gh), c),
            has_bit(cd.interleave_high_eights(gh), d),
        ]
    }

    /// Looks up bytes in the sets of four games of each sixteen. `indices` has the four seats of a game side by side; the
    /// result has the games of a seat side by side.
    #[inline(always)]
    fn bytes_of_four<const K: usize>(self, sets: [&CellSets; K], place: usize, four: usize, indices: R) -> R {
        let [a, b] = self.bytes_of_two(sets, count::<R>() * 2 * four + place, indices);
        let [c, d] = self.bytes_of_two(sets, count::<R>() * (2 * four + 1) + place, indices);
        let bytes = a.with_odd_words(b).with_high_eights(c.with_odd_words(d));
        R::splat_sixteens(self.proof, &BY_SEAT).look_up_16(bytes)
    }

    /// Looks up bytes in the sets of the two games whose words share a sixteen of the columns.
    #[inline(always)]
    fn bytes_of_two<const K: usize>(self, sets: [&CellSets; K], place: usize, indices: R) -> [R; 2] {
        let (mut low, mut high) = (self.load_register(&sets[0][0], place), self.load_register(&sets[0][1], place));
        for more in &sets[1..] {
            low = low.or(self.load_register(&more[0], place));
            high = high.or(self.load_register(&more[1], place));
        }
        [indices.look_up_16(low.interleave_low_eights(high)), indices.look_up_16(low.interleave_high_eights(high))]
    }

    /// [`Lanes::take_fruit`] in one register.
    #[inline(always)]
    fn take_in_register(self, small: &mut CellSets, large: &mut CellSets, register: usize, cells: [R; 4]) -> [Eaten<R>; 4] {
        let found = self.contains_in_register([&*small, &*large], register, cells);
        let mut columns = Column([[0_u8; LANES]; 2]);
        each_seat!(seat { store_register(&mut columns, seat, cells[seat]); });
        let first_lane = size_of::<R>() * (self.first + register);
        // All seats in one loop, or two: the end of each costs a mispredicted branch.
        let (seats_each, mut of_large) = (count::<R>(), [0; 2]);
        for (place, of_large) in of_large.iter_mut().enumerate().take(4 / seats_each) {
            let mut bits = 0;
            for seat in 0..seats_each {
                bits |= u64::from(found[seats_each * place + seat].bits()) << (size_of::<R>() * seat);
            }
            for bit in lanes_of(bits) {
                let (cell, lane) = (columns.0[place][bit], first_lane + bit % size_of::<R>());
                let (word, index, fruit) =
                    (usize::from(cell >> 6 & 1), usize::from(SET_INDEX.0[lane % LANES]) % LANES, 1 << (cell & 63));
                let small = &mut small[word].0[index];
                // Ruling both-fruits: the small one first.
                let is_large = *small & fruit == 0;
                *small &= !fruit;
                large[word].0[index] &= !(fruit * u64::from(is_large));
                *of_large |= u64::from(is_large) << bit;
            }
        }
        by_seat!(seat => {
            let bits = of_large[seat / seats_each] >> (size_of::<R>() * (seat % seats_each));
            let of_large = R::of_bits(self.proof, bits as u32);
            Eaten { small: found[seat].and(of_large.not()), large: of_large }
        })
    }

    /// Looks up the walls of a line for each seat and lane, lane by lane: pairs for the lower eight lanes of each sixteen, and
    /// for the higher eight.
    #[inline(always)]
    fn walls_of_lines(self, walls: &[Walls; LANES], register: usize, lines: [R; 4]) -> [[R; 2]; 4] {
        let mut columns = Column([[0_u8; LANES]; 2]);
        each_seat!(seat { store_register(&mut columns, seat, lines[seat]); });
        // Otherwise the compiler takes single bytes out of registers, two operations each, instead of loading them.
        let columns = std::hint::black_box(&columns);
        let (lines, _) = columns.0.as_flattened().as_chunks::<8>();
        by_seat!(seat => [
            self.walls_of_half(walls, register, lines, seat, 0),
            self.walls_of_half(walls, register, lines, seat, 1),
        ])
    }

    /// Looks up the walls of a line for a seat and the lower or the higher eight lanes of each sixteen. `lines` has those of all seats.
    #[inline(always)]
    fn walls_of_half(self, walls: &[Walls; LANES], register: usize, lines: &[[u8; 8]], seat: usize, half: usize) -> R {
        let (walls, _) = walls.as_chunks::<8>();
        let (first_walls, first_lines) = (size_of::<R>() / 8 * (self.first + register), size_of::<R>() / 8 * seat);
        let first = walls_of_eight(&walls[first_walls + half], &lines[first_lines + half]);
        // A register of sixteen bytes has no second sixteen.
        let second = if size_of::<R>() > 16 {
            walls_of_eight(&walls[first_walls + 2 + half], &lines[first_lines + 2 + half])
        } else {
            [0; 8]
        };
        R::of_pairs(self.proof, first, second)
    }
}

/// Looks up the walls of a line for each of eight lanes.
#[inline(always)]
fn walls_of_eight(walls: &[Walls; 8], lines: &[u8; 8]) -> [u16; 8] {
    macro_rules! of_lane {
        ($($lane:literal)+) => { [$(walls[$lane].0[usize::from(lines[$lane]) % LINES]),+] };
    }
    of_lane!(0 1 2 3 4 5 6 7)
}

/// Counts the steps from these positions to the next wall: one of the walls in pairs, see [`Registers::walls_of_lines`].
#[inline(always)]
fn steps_in_words<R: Register>(low: R, high: R, positions: R, lengths: R) -> R {
    let proof = low.proof();
    let [ahead_low, ahead_high] = powers_of_two(R::splat(proof, 15).sub(positions));
    let [round_low, round_high] = powers_of_two(lengths.sub(positions));
    let (low, high) = (place_of_nearest(low, ahead_low, round_low), place_of_nearest(high, ahead_high, round_high));
    low.narrow_pairs(high).look_up_16(R::splat_sixteens(proof, &DE_BRUIJN_PLACES))
}

/// Returns two to the power of these bytes, which are below 16: pairs for the lower eight of each sixteen, and for the higher
/// eight.
#[inline(always)]
fn powers_of_two<R: Register>(exponents: R) -> [R; 2] {
    let low = exponents.look_up_16(R::splat_sixteens(exponents.proof(), &[1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0]));
    let high = exponents.look_up_16(R::splat_sixteens(exponents.proof(), &[0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128]));
    [low.interleave_low(high), low.interleave_high(high)]
}

/// Returns the places in [`DE_BRUIJN_PLACES`] of the nearest walls, in pairs. The walls are those of whole lines; the factors
/// are two to the power of fifteen minus the position, and of the length minus the position.
#[inline(always)]
fn place_of_nearest<R: Register>(walls: R, ahead: R, round: R) -> R {
    let proof = walls.proof();
    // Twice the walls have twelve bits, so that no sum of pairs reaches the next pair.
    let ahead = walls.add_words(walls).mul_hi_pairs(ahead);
    // One more wall, beyond the longest line.
    let walls = ahead.or(walls.mul_lo_pairs(round)).or(R::splat_pairs(proof, 0x8000));
    let nearest = walls.and(R::splat(proof, 0).sub_pairs(walls));
    nearest.mul_lo_pairs(R::splat_pairs(proof, DE_BRUIJN)).shift_pairs_right::<12>()
}

/// A number in which each four bits in a row, with zeros after the end, are others: multiplied by a power of two, its highest
/// four bits are the index of the exponent in [`DE_BRUIJN_PLACES`].
const DE_BRUIJN: u16 = 0x0f65;

const DE_BRUIJN_PLACES: [u8; 16] = {
    let mut places = [0; 16];
    let mut place = 0;
    while place < 16 {
        places[(DE_BRUIJN << place >> 12) as usize] = place;
        place += 1;
    }
    places
};

/// From four seats of four games to four games of four seats.
const BY_SEAT: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// Returns which byte of a set holds the bits of these cells.
#[inline(always)]
fn byte_of<R: Register>(cells: R) -> R {
    cells.shift_pairs_right::<3>().and(R::splat(cells.proof(), 15))
}

/// Returns whether these bytes of sets have the bits of these cells set.
#[inline(always)]
fn has_bit<R: Register>(bytes: R, cells: R) -> R {
    let bits = R::splat_sixteens(cells.proof(), &[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
    let bit = cells.look_up_16(bits);
    bytes.and(bit).equals(bit)
}

/// Stores the register at a place of a column.
#[allow(unsafe_code, reason = "stores a register to a column; see Safety above")]
#[inline(always)]
fn store_register<R: Register, T: Pod, const L: usize>(column: &mut Column<T, L>, place: usize, register: R) {
    assert!(size_of::<R>() * (place + 1) <= size_of::<Column<T, L>>());
    // SAFETY: `register` proves the instruction set. The bytes lie within the column, as asserted above. It is aligned to 64
    // bytes, and any bits are a valid `T`, see `Pod`.
    unsafe { std::ptr::from_mut(column).cast::<R>().add(place).write(register) }
}
