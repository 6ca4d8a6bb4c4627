//! Lanes in AVX-512: 64 bytes are one register, a mask is one mask register.
//!
//! It wants the extensions VBMI, whose `vpermi2b` looks up 64 cells at once in a table of 128 bytes, and BITALG, whose
//! `vpshufbitqmb` tests 64 bits of eight words at once: AMD since Zen 4, Intel since Ice Lake.
//!
//! SAFETY: nobody says a word of this file but through [`super::with`], which asks [`available`] first. They become the
//! machine's own instructions inside of [`Avx512::within`].

use std::arch::x86_64::*;
use std::hint;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

use crate::lanes::{self, Bits, Column, LANES, Lanes, SLOTS, Sets, Table, Walls};

/// Whether this machine has all that is wanted.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512bitalg")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512;

/// Makes of an instruction a function that can be called wherever this file's words are said.
macro_rules! say {
    ($instruction:ident$(::<$constant:tt>)?($($argument:expr),*)) => {
        // SAFETY: the machine has the instruction; see above.
        unsafe { $instruction$(::<{ $constant }>)?($($argument),*) }
    };
}

impl Lanes for Avx512 {
    type Mask = Mask;
    type Bytes = Bytes;
    type Words = Words;

    #[inline(always)]
    fn within<R>(work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi,avx512bitalg,bmi1,bmi2,popcnt")]
        fn with_features<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: callers have made sure that it is available.
        unsafe { with_features(work) }
    }

    #[inline(always)]
    fn found(sets: &Sets, cells: &[Bytes; 4]) -> [Mask; 4] {
        let by_game = twice(side_by_side(cells));
        let mut answers = Column([0; LANES]);
        for (eight, cells) in by_game.into_iter().enumerate() {
            answers.0[8 * eight..8 * (eight + 1)].copy_from_slice(&found_in_eight(sets, eight, cells).to_le_bytes());
        }
        by_seat(answers)
    }

    /// The walls of all lines of a lane are two registers, from which one instruction picks those of four.
    #[inline(always)]
    fn steps_to_wall(walls: &Walls, lines: [Bytes; 4], positions: [Bytes; 4], lengths: [Bytes; 4]) -> [Bytes; 4] {
        let (of_even, of_odd) = walls_of_lines(walls, &lines);
        let lower_bytes = say!(_mm512_set1_epi16(0xff));
        let even = |bytes: Bytes| say!(_mm512_and_si512(bytes.0, lower_bytes));
        let odd = |bytes: Bytes| say!(_mm512_srli_epi16::<8>(bytes.0));
        by_seat!(seat => {
            let even = steps_to_wall(of_even[seat], even(positions[seat]), even(lengths[seat]));
            let odd = steps_to_wall(of_odd[seat], odd(positions[seat]), odd(lengths[seat]));
            let odd = say!(_mm512_slli_epi16::<8>(odd));
            Bytes(even) | Bytes(odd)
        })
    }
}

/// The walls of a line for each seat and lane, sixteen bits each: those of even lanes, and those of odd ones.
#[inline(always)]
fn walls_of_lines(walls: &Walls, lines: &[Bytes; 4]) -> ([__m512i; 4], [__m512i; 4]) {
    // The numbers of lines, sixteen bits each, four to a lane. Register `r` has lanes 2r and 2r + 1 of each sixteen.
    let zero = say!(_mm512_setzero_si512());
    let [a, b, c, d] = side_by_side(lines);
    let mut found = [
        say!(_mm512_unpacklo_epi8(a, zero)),
        say!(_mm512_unpackhi_epi8(a, zero)),
        say!(_mm512_unpacklo_epi8(b, zero)),
        say!(_mm512_unpackhi_epi8(b, zero)),
        say!(_mm512_unpacklo_epi8(c, zero)),
        say!(_mm512_unpackhi_epi8(c, zero)),
        say!(_mm512_unpacklo_epi8(d, zero)),
        say!(_mm512_unpackhi_epi8(d, zero)),
    ];
    // Lane by lane its numbers become what is found in its walls, while the others stay as they are.
    for sixteen in 0..4 {
        for (register, found) in found.iter_mut().enumerate() {
            for odd in 0..2 {
                let walls: *const __m256i = std::ptr::from_ref(&walls.0[16 * sixteen + 2 * register + odd]).cast();
                // SAFETY: the walls of a lane are one and a half registers long.
                let (first, rest) = unsafe { (_mm512_loadu_si512(walls.cast()), _mm256_loadu_si256(walls.add(2))) };
                let rest = say!(_mm512_castsi256_si512(rest));
                let of_lane = 0xf << (8 * sixteen + 4 * odd);
                *found = say!(_mm512_mask2_permutex2var_epi16(first, *found, of_lane, rest));
            }
        }
    }
    turned(found)
}

/// The words of even lanes, a register for each seat, and those of odd ones, from registers that have lanes 0 and 1, 2 and 3
/// and so on of each sixteen.
#[inline(always)]
fn turned([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> ([__m512i; 4], [__m512i; 4]) {
    let even = [
        say!(_mm512_unpacklo_epi16(a, b)),
        say!(_mm512_unpacklo_epi16(c, d)),
        say!(_mm512_unpacklo_epi16(e, f)),
        say!(_mm512_unpacklo_epi16(g, h)),
    ];
    let odd = [
        say!(_mm512_unpackhi_epi16(a, b)),
        say!(_mm512_unpackhi_epi16(c, d)),
        say!(_mm512_unpackhi_epi16(e, f)),
        say!(_mm512_unpackhi_epi16(g, h)),
    ];
    (seats_of_pairs(even), seats_of_pairs(odd))
}

/// A register for each seat, from registers that have the seats of two lanes in turn.
#[inline(always)]
fn seats_of_pairs([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (first, last) = (say!(_mm512_unpacklo_epi32(a, b)), say!(_mm512_unpacklo_epi32(c, d)));
    let (next_first, next_last) = (say!(_mm512_unpackhi_epi32(a, b)), say!(_mm512_unpackhi_epi32(c, d)));
    [
        say!(_mm512_unpacklo_epi64(first, last)),
        say!(_mm512_unpackhi_epi64(first, last)),
        say!(_mm512_unpacklo_epi64(next_first, next_last)),
        say!(_mm512_unpackhi_epi64(next_first, next_last)),
    ]
}

/// Steps from these positions to the walls in these words, sixteen bits each.
#[inline(always)]
fn steps_to_wall(walls: __m512i, position: __m512i, length: __m512i) -> __m512i {
    let ahead = say!(_mm512_srlv_epi16(walls, position));
    let round = say!(_mm512_sub_epi16(length, position));
    let round = say!(_mm512_sllv_epi16(walls, round));
    let walls = say!(_mm512_or_si512(ahead, round));
    // The bits below the lowest one.
    let minus_one = say!(_mm512_set1_epi16(-1));
    let below = say!(_mm512_add_epi16(walls, minus_one));
    let below = say!(_mm512_andnot_si512(walls, below));
    say!(_mm512_popcnt_epi16(below))
}

/// Who of eight games is found in their sets: for each game a byte, in which each seat has a bit.
#[inline(always)]
fn found_in_eight(sets: &Sets, eight: usize, cells: __m512i) -> u64 {
    let (low, high) = (load(&sets[0], eight), load(&sets[1], eight));
    let high_cells = say!(_mm512_set1_epi8(64));
    let in_high = say!(_mm512_test_epi8_mask(cells, high_cells));
    let found_low = say!(_mm512_mask_bitshuffle_epi64_mask(!in_high, low, cells));
    let found_high = say!(_mm512_mask_bitshuffle_epi64_mask(in_high, high, cells));
    found_low | found_high
}

/// An answer for each seat, from answers that have a bit for each seat and are in the order of slots.
#[inline(always)]
fn by_seat(answers: Column<u8>) -> [Mask; 4] {
    // To read them back in one go waits for the writes, and yet is faster than what compilers do if they see through it.
    let answers = hint::black_box(answers);
    let answers = say!(_mm512_permutexvar_epi8(load(&SLOTS, 0), load(&answers, 0)));
    let has = |bit| {
        let bit = say!(_mm512_set1_epi8(bit));
        Mask(say!(_mm512_test_epi8_mask(answers, bit)))
    };
    [has(1), has(2), has(4), has(8)]
}

/// Four bytes of each game side by side, sixteen games in each register: of each sixteen lanes the first four are in the
/// first register, and so on.
#[inline(always)]
fn side_by_side(bytes: &[Bytes; 4]) -> [__m512i; 4] {
    let [Bytes(a), Bytes(b), Bytes(c), Bytes(d)] = *bytes;
    let (ab, cd) = (say!(_mm512_unpacklo_epi8(a, b)), say!(_mm512_unpacklo_epi8(c, d)));
    let (first, second) = (say!(_mm512_unpacklo_epi16(ab, cd)), say!(_mm512_unpackhi_epi16(ab, cd)));
    let (ab, cd) = (say!(_mm512_unpackhi_epi8(a, b)), say!(_mm512_unpackhi_epi8(c, d)));
    [first, second, say!(_mm512_unpacklo_epi16(ab, cd)), say!(_mm512_unpackhi_epi16(ab, cd))]
}

/// The same with each game's four bytes twice, so eight games in each register, in the order of their slots.
#[inline(always)]
fn twice(four: [__m512i; 4]) -> [__m512i; 8] {
    let [first, second, third, fourth] = four;
    let low = |four| say!(_mm512_unpacklo_epi32(four, four));
    let high = |four| say!(_mm512_unpackhi_epi32(four, four));
    [low(first), high(first), low(second), high(second), low(third), high(third), low(fourth), high(fourth)]
}

/// One of the registers that a column fills.
#[inline(always)]
fn load<T: Bits, const N: usize>(column: &Column<T, N>, register: usize) -> __m512i {
    assert!(64 * (register + 1) <= size_of::<Column<T, N>>());
    // SAFETY: it lies within the column, which is aligned to the size of a register and has no padding.
    unsafe { _mm512_load_si512(std::ptr::from_ref(column).cast::<__m512i>().add(register)) }
}

#[inline(always)]
fn store<T: Bits, const N: usize>(column: &mut Column<T, N>, register: usize, value: __m512i) {
    assert!(64 * (register + 1) <= size_of::<Column<T, N>>());
    // SAFETY: as in `load`; and any bits are a number.
    unsafe { _mm512_store_si512(std::ptr::from_mut(column).cast::<__m512i>().add(register), value) }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask(u64);

impl BitAnd for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitand(self, other: Mask) -> Mask {
        Mask(self.0 & other.0)
    }
}

impl BitOr for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitor(self, other: Mask) -> Mask {
        Mask(self.0 | other.0)
    }
}

impl Not for Mask {
    type Output = Mask;
    #[inline(always)]
    fn not(self) -> Mask {
        Mask(!self.0)
    }
}

impl lanes::Mask for Mask {
    #[inline(always)]
    fn from_bits(bits: u64) -> Mask {
        Mask(bits)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self.0
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(__m512i);

macro_rules! operators {
    ($type:ident, $($trait:ident $method:ident $instruction:ident),+) => { $(
        impl $trait for $type {
            type Output = $type;
            #[inline(always)]
            fn $method(self, other: $type) -> $type {
                $type(say!($instruction(self.0, other.0)))
            }
        }
    )+ };
}

operators!(Bytes,
    Add add _mm512_add_epi8,
    Sub sub _mm512_sub_epi8,
    BitAnd bitand _mm512_and_si512,
    BitOr bitor _mm512_or_si512,
    BitXor bitxor _mm512_xor_si512);

impl lanes::Bytes for Bytes {
    type Mask = Mask;
    /// Those of even lanes and those of odd ones.
    type Fractions = [__m512i; 2];

    #[inline(always)]
    fn all(value: u8) -> Bytes {
        Bytes(say!(_mm512_set1_epi8(value as i8)))
    }

    #[inline(always)]
    fn load(column: &Column<u8>) -> Bytes {
        Bytes(load(column, 0))
    }

    #[inline(always)]
    fn store(self, column: &mut Column<u8>) {
        store(column, 0, self.0);
    }

    #[inline(always)]
    fn choose(mask: Mask, these: Bytes, those: Bytes) -> Bytes {
        Bytes(say!(_mm512_mask_blend_epi8(mask.0, those.0, these.0)))
    }

    #[inline(always)]
    fn only(self, mask: Mask) -> Bytes {
        Bytes(say!(_mm512_maskz_mov_epi8(mask.0, self.0)))
    }

    #[inline(always)]
    fn plus(self, mask: Mask, other: Bytes) -> Bytes {
        Bytes(say!(_mm512_mask_add_epi8(self.0, mask.0, self.0, other.0)))
    }

    #[inline(always)]
    fn minus(self, mask: Mask, other: Bytes) -> Bytes {
        Bytes(say!(_mm512_mask_sub_epi8(self.0, mask.0, self.0, other.0)))
    }

    #[inline(always)]
    fn plus_at_most(self, other: Bytes) -> Bytes {
        Bytes(say!(_mm512_adds_epu8(self.0, other.0)))
    }

    #[inline(always)]
    fn count_down(self, mask: Mask) -> Bytes {
        let one = say!(_mm512_set1_epi8(1));
        Bytes(say!(_mm512_mask_subs_epu8(self.0, mask.0, self.0, one)))
    }

    #[inline(always)]
    fn at_least_zero(self) -> Bytes {
        let zero = say!(_mm512_setzero_si512());
        Bytes(say!(_mm512_max_epi8(self.0, zero)))
    }

    #[inline(always)]
    fn equals(self, other: Bytes) -> Mask {
        Mask(say!(_mm512_cmpeq_epi8_mask(self.0, other.0)))
    }

    #[inline(always)]
    fn below(self, other: Bytes) -> Mask {
        Mask(say!(_mm512_cmplt_epu8_mask(self.0, other.0)))
    }

    #[inline(always)]
    fn above(self, other: Bytes) -> Mask {
        Mask(say!(_mm512_cmpgt_epi8_mask(self.0, other.0)))
    }

    #[inline(always)]
    fn topmost(self) -> Mask {
        Mask(say!(_mm512_movepi8_mask(self.0)))
    }

    #[inline(always)]
    fn look_up(self, table: &Table) -> Bytes {
        let (first, second) = registers(table);
        Bytes(say!(_mm512_permutex2var_epi8(first, self.0, second)))
    }

    #[inline(always)]
    fn look_up_in(self, tables: &[Table; 4], which: Bytes) -> Bytes {
        let zero = Bytes(say!(_mm512_setzero_si512()));
        let found = self.look_up_where(&tables[0], which, 0, zero);
        let found = self.look_up_where(&tables[1], which, 1, found);
        let found = self.look_up_where(&tables[2], which, 2, found);
        self.look_up_where(&tables[3], which, 3, found)
    }

    #[inline(always)]
    fn count_ones(self) -> Bytes {
        Bytes(say!(_mm512_popcnt_epi8(self.0)))
    }

    #[inline(always)]
    fn sixteenth(self) -> Bytes {
        Bytes(say!(_mm512_srli_epi16::<4>(self.0))) & Bytes::all(0x0f)
    }

    #[inline(always)]
    fn halved(self) -> Bytes {
        // What comes from the byte above falls on the topmost bit.
        Bytes(say!(_mm512_srli_epi16::<1>(self.0))) & Bytes::all(0x7f)
    }

    #[inline(always)]
    fn part(self, [of_even, of_odd]: &[__m512i; 2]) -> Bytes {
        // Sixteen bits are an even lane's byte and above it an odd one's.
        let upper_bytes = say!(_mm512_set1_epi16(0xff00_u16 as i16));
        let even = say!(_mm512_andnot_si512(upper_bytes, self.0));
        let odd = say!(_mm512_and_si512(upper_bytes, self.0));
        let even = say!(_mm512_mulhi_epu16(even, *of_even));
        // The upper half of 256 times the product has the whole part in its upper byte.
        let odd = say!(_mm512_mulhi_epu16(odd, *of_odd));
        Bytes(even) | Bytes(odd) & Bytes(upper_bytes)
    }
}

impl Bytes {
    /// What the table has where `which` is `number`, and what was found before elsewhere.
    #[inline(always)]
    fn look_up_where(self, table: &Table, which: Bytes, number: u8, before: Bytes) -> Bytes {
        let here = lanes::Bytes::equals(which, lanes::Bytes::all(number));
        lanes::Bytes::choose(here, lanes::Bytes::look_up(self, table), before)
    }
}

#[inline(always)]
fn registers(table: &Table) -> (__m512i, __m512i) {
    let table = std::ptr::from_ref(table).cast::<__m512i>();
    // SAFETY: a table is two registers long and aligned to them.
    unsafe { (_mm512_load_si512(table), _mm512_load_si512(table.add(1))) }
}

/// In the order in which they are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words([__m512i; 4]);

impl Words {
    #[inline(always)]
    fn each(self, other: Words, sum: impl Fn(__m512i, __m512i) -> __m512i) -> Words {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Words([sum(a, e), sum(b, f), sum(c, g), sum(d, h)])
    }
}

impl Add for Words {
    type Output = Words;
    #[inline(always)]
    fn add(self, other: Words) -> Words {
        self.each(other, |a, b| say!(_mm512_add_epi32(a, b)))
    }
}

impl BitXor for Words {
    type Output = Words;
    #[inline(always)]
    fn bitxor(self, other: Words) -> Words {
        self.each(other, |a, b| say!(_mm512_xor_si512(a, b)))
    }
}

impl lanes::Words for Words {
    type Fractions = [__m512i; 2];

    #[inline(always)]
    fn load(column: &Column<u32>) -> Words {
        Words([load(column, 0), load(column, 1), load(column, 2), load(column, 3)])
    }

    #[inline(always)]
    fn store(self, column: &mut Column<u32>) {
        for (part, words) in self.0.into_iter().enumerate() {
            store(column, part, words);
        }
    }

    #[inline(always)]
    fn shifted_left<const BITS: u32>(self) -> Words {
        self.each(self, |words, _| say!(_mm512_slli_epi32::<BITS>(words)))
    }

    #[inline(always)]
    fn rotated_left<const BITS: u32>(self) -> Words {
        let count = say!(_mm512_set1_epi32(BITS as i32));
        self.each(self, |words, _| say!(_mm512_rolv_epi32(words, count)))
    }

    #[inline(always)]
    fn halves(self) -> [[__m512i; 2]; 2] {
        // Lanes that leave 0, 1, 2 and 3 when divided by four.
        let [a, b, c, d] = self.0;
        let upper = 0xaaaa_aaaa;
        let lower_halves = |even, odd| {
            let odd = say!(_mm512_slli_epi32::<16>(odd));
            say!(_mm512_mask_blend_epi16(upper, even, odd))
        };
        let upper_halves = |even, odd| {
            let even = say!(_mm512_srli_epi32::<16>(even));
            say!(_mm512_mask_blend_epi16(upper, even, odd))
        };
        [[lower_halves(a, c), lower_halves(b, d)], [upper_halves(a, c), upper_halves(b, d)]]
    }
}
