//! Lanes in AVX2: 64 bytes are two registers, and so is a mask, in which each byte is 0 or 255.
//!
//! SAFETY: nobody says a word of this file but through [`super::with`], which asks [`available`] first. They become the
//! machine's own instructions inside of [`Avx2::within`].

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

use crate::lanes::{self, Bits, Column, LANES, Lanes, Sets, Table};

/// Whether this machine has all that is wanted.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2;

/// Makes of an instruction a function that can be called wherever this file's words are said.
macro_rules! say {
    ($instruction:ident$(::<$constant:tt>)?($($argument:expr),*)) => {
        // SAFETY: the machine has the instruction; see above.
        unsafe { $instruction$(::<{ $constant }>)?($($argument),*) }
    };
}

/// One of the registers that a column fills.
#[inline(always)]
fn load<T: Bits>(column: &Column<T>, register: usize) -> __m256i {
    assert!(32 * (register + 1) <= size_of::<Column<T>>());
    // SAFETY: it lies within the column, which is aligned to more than the size of a register and has no padding.
    unsafe { _mm256_load_si256(std::ptr::from_ref(column).cast::<__m256i>().add(register)) }
}

#[inline(always)]
fn store<T: Bits>(column: &mut Column<T>, register: usize, value: __m256i) {
    assert!(32 * (register + 1) <= size_of::<Column<T>>());
    // SAFETY: as in `load`; and any bits are a number.
    unsafe { _mm256_store_si256(std::ptr::from_mut(column).cast::<__m256i>().add(register), value) }
}

/// Sixteen bytes, twice: what `vpshufb` looks up.
#[inline(always)]
fn twice(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: sixteen bytes are loaded from there, wherever they are.
    let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast::<__m128i>()) };
    say!(_mm256_broadcastsi128_si256(bytes))
}

impl Lanes for Avx2 {
    type Mask = Mask;
    type Bytes = Bytes;
    type Words = Words;

    #[inline(always)]
    fn within<R>(work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn with_features<R>(work: impl FnOnce() -> R) -> R {
            // Something on the stack that is aligned to more than a register makes the compiler align the stack, on which it
            // keeps what finds no room in registers; otherwise half of that would lie across two cache lines.
            std::hint::black_box(&mut Column([0_u8; LANES]));
            work()
        }
        // SAFETY: callers have made sure that it is available.
        unsafe { with_features(work) }
    }

    #[inline(always)]
    fn found(sets: &Sets, cells: &[Bytes; 4]) -> [Mask; 4] {
        let [a, b, c, d] = *cells;
        let [e, f, g, h] = found(sets, 0, [a.0, b.0, c.0, d.0]);
        let [i, j, k, l] = found(sets, 1, [a.1, b.1, c.1, d.1]);
        [Mask(e, i), Mask(f, j), Mask(g, k), Mask(h, l)]
    }
}

/// [`Lanes::found`] for the lanes of one register.
///
/// A set is sixteen bytes, of which `vpshufb` looks up those with the cells of the four seats, for two games at once.
#[inline(always)]
fn found(sets: &Sets, half: usize, [a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let [e, f, g, h] = [byte_of(a), byte_of(b), byte_of(c), byte_of(d)];
    let (ab, cd) = (say!(_mm256_unpacklo_epi8(e, f)), say!(_mm256_unpacklo_epi8(g, h)));
    let first = bytes_of_four(sets, half, 0, say!(_mm256_unpacklo_epi16(ab, cd)));
    let second = bytes_of_four(sets, half, 1, say!(_mm256_unpackhi_epi16(ab, cd)));
    let (ab, cd) = (say!(_mm256_unpackhi_epi8(e, f)), say!(_mm256_unpackhi_epi8(g, h)));
    let third = bytes_of_four(sets, half, 2, say!(_mm256_unpacklo_epi16(ab, cd)));
    let fourth = bytes_of_four(sets, half, 3, say!(_mm256_unpackhi_epi16(ab, cd)));
    // Seats beside games become games beside seats again.
    let (ab, cd) = (say!(_mm256_unpacklo_epi32(first, second)), say!(_mm256_unpackhi_epi32(first, second)));
    let (ef, gh) = (say!(_mm256_unpacklo_epi32(third, fourth)), say!(_mm256_unpackhi_epi32(third, fourth)));
    [
        has_bit(say!(_mm256_unpacklo_epi64(ab, ef)), a),
        has_bit(say!(_mm256_unpackhi_epi64(ab, ef)), b),
        has_bit(say!(_mm256_unpacklo_epi64(cd, gh)), c),
        has_bit(say!(_mm256_unpackhi_epi64(cd, gh)), d),
    ]
}

/// Which byte of a set has the bits of these cells.
#[inline(always)]
fn byte_of(cells: __m256i) -> __m256i {
    say!(_mm256_and_si256(_mm256_srli_epi16::<3>(cells), _mm256_set1_epi8(15)))
}

/// Whether bytes of sets have the bits of these cells.
#[inline(always)]
fn has_bit(bytes: __m256i, cells: __m256i) -> __m256i {
    let bits = twice(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
    let bit = say!(_mm256_shuffle_epi8(bits, cells));
    say!(_mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit))
}

/// Bytes of the sets of four games in each half of a register, of which the indices of four seats are side by side; those of
/// a seat are side by side in the answer.
#[inline(always)]
fn bytes_of_four(sets: &Sets, half: usize, four: usize, indices: __m256i) -> __m256i {
    let [a, b] = bytes_of_two(sets, 4 * four + half, indices);
    let [c, d] = bytes_of_two(sets, 4 * four + 2 + half, indices);
    let ab = say!(_mm256_blend_epi32::<0b1010_1010>(a, b));
    let cd = say!(_mm256_blend_epi32::<0b1010_1010>(c, d));
    let bytes = say!(_mm256_blend_epi32::<0b1100_1100>(ab, cd));
    let by_seat = twice(&[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]);
    say!(_mm256_shuffle_epi8(bytes, by_seat))
}

/// For each of the two games whose words are side by side in that register of columns, bytes of its set.
#[inline(always)]
fn bytes_of_two(sets: &Sets, register: usize, indices: __m256i) -> [__m256i; 2] {
    let (low, high) = (load(&sets[0], register), load(&sets[1], register));
    [
        say!(_mm256_shuffle_epi8(_mm256_unpacklo_epi64(low, high), indices)),
        say!(_mm256_shuffle_epi8(_mm256_unpackhi_epi64(low, high), indices)),
    ]
}

/// What it says of two registers, it does to each.
macro_rules! operators {
    ($type:ident, $($trait:ident $method:ident $instruction:ident),+) => { $(
        impl $trait for $type {
            type Output = $type;
            #[inline(always)]
            fn $method(self, other: $type) -> $type {
                $type(say!($instruction(self.0, other.0)), say!($instruction(self.1, other.1)))
            }
        }
    )+ };
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask(__m256i, __m256i);

operators!(Mask, BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256);

impl Not for Mask {
    type Output = Mask;
    #[inline(always)]
    fn not(self) -> Mask {
        let all = say!(_mm256_set1_epi8(-1));
        Mask(say!(_mm256_xor_si256(self.0, all)), say!(_mm256_xor_si256(self.1, all)))
    }
}

impl lanes::Mask for Mask {
    #[inline(always)]
    fn from_bits(bits: u64) -> Mask {
        let half = |bits: u32| {
            let bits = say!(_mm256_set1_epi32(bits as i32));
            let bytes = say!(_mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303));
            let bit = say!(_mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64));
            say!(_mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(bits, bytes), bit), bit))
        };
        Mask(half(bits as u32), half((bits >> 32) as u32))
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        let half = |bytes| u64::from(say!(_mm256_movemask_epi8(bytes)) as u32);
        half(self.0) | half(self.1) << 32
    }

    #[inline(always)]
    fn none() -> Mask {
        let none = say!(_mm256_setzero_si256());
        Mask(none, none)
    }

    #[inline(always)]
    fn any(self) -> bool {
        let any = say!(_mm256_or_si256(self.0, self.1));
        say!(_mm256_testz_si256(any, any)) == 0
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(__m256i, __m256i);

operators!(Bytes,
    Add add _mm256_add_epi8,
    Sub sub _mm256_sub_epi8,
    BitAnd bitand _mm256_and_si256,
    BitOr bitor _mm256_or_si256,
    BitXor bitxor _mm256_xor_si256);

#[inline(always)]
fn look_up(indices: __m256i, table: &Table) -> __m256i {
    let bytes = say!(_mm256_and_si256(indices, _mm256_set1_epi8(0x7f)));
    let answer = |eighth| say!(_mm256_shuffle_epi8(chunk(table, eighth), bytes));
    let [a, b, c, d] = [answer(0), answer(1), answer(2), answer(3)];
    let [e, f, g, h] = [answer(4), answer(5), answer(6), answer(7)];
    choose_eighth(indices, [a, b, c, d, e, f, g, h])
}

#[inline(always)]
fn look_up_in(indices: __m256i, tables: &[Table; 4], which: __m256i) -> __m256i {
    let bytes = say!(_mm256_and_si256(indices, _mm256_set1_epi8(0x7f)));
    let by_table = [only_in(bytes, which, 0), only_in(bytes, which, 1), only_in(bytes, which, 2), only_in(bytes, which, 3)];
    let answer = |eighth| look_up_eighth(by_table, tables, eighth);
    let [a, b, c, d] = [answer(0), answer(1), answer(2), answer(3)];
    let [e, f, g, h] = [answer(4), answer(5), answer(6), answer(7)];
    choose_eighth(indices, [a, b, c, d, e, f, g, h])
}

/// What an eighth of each table has at indices into that table, together.
#[inline(always)]
fn look_up_eighth(by_table: [__m256i; 4], tables: &[Table; 4], eighth: usize) -> __m256i {
    let answer = |table: usize| say!(_mm256_shuffle_epi8(chunk(&tables[table], eighth), by_table[table]));
    let (ab, cd) = (say!(_mm256_or_si256(answer(0), answer(1))), say!(_mm256_or_si256(answer(2), answer(3))));
    say!(_mm256_or_si256(ab, cd))
}

/// Of what each eighth of a table answers to these indices, the answer of the one they are in.
#[inline(always)]
fn choose_eighth(indices: __m256i, [a, b, c, d, e, f, g, h]: [__m256i; 8]) -> __m256i {
    // A choice is made by topmost bits alone.
    let (low, middle, high) =
        (say!(_mm256_slli_epi16::<3>(indices)), say!(_mm256_slli_epi16::<2>(indices)), say!(_mm256_slli_epi16::<1>(indices)));
    let low = |even, odd| say!(_mm256_blendv_epi8(even, odd, low));
    let middle = |even, odd| say!(_mm256_blendv_epi8(even, odd, middle));
    say!(_mm256_blendv_epi8(middle(low(a, b), low(c, d)), middle(low(e, f), low(g, h)), high))
}

/// Indices for which `vpshufb` answers 0 where `which` is not `number`: their topmost bit is set there.
#[inline(always)]
fn only_in(indices: __m256i, which: __m256i, number: i8) -> __m256i {
    let here = say!(_mm256_cmpeq_epi8(which, _mm256_set1_epi8(number)));
    say!(_mm256_or_si256(indices, _mm256_xor_si256(here, _mm256_set1_epi8(-1))))
}

impl lanes::Bytes for Bytes {
    type Mask = Mask;
    /// For each register those of even lanes and those of odd ones.
    type Fractions = [[__m256i; 2]; 2];

    #[inline(always)]
    fn all(value: u8) -> Bytes {
        let all = say!(_mm256_set1_epi8(value as i8));
        Bytes(all, all)
    }

    #[inline(always)]
    fn load(column: &Column<u8>) -> Bytes {
        Bytes(load(column, 0), load(column, 1))
    }

    #[inline(always)]
    fn store(self, column: &mut Column<u8>) {
        store(column, 0, self.0);
        store(column, 1, self.1);
    }

    #[inline(always)]
    fn choose(mask: Mask, these: Bytes, those: Bytes) -> Bytes {
        Bytes(say!(_mm256_blendv_epi8(those.0, these.0, mask.0)), say!(_mm256_blendv_epi8(those.1, these.1, mask.1)))
    }

    #[inline(always)]
    fn only(self, mask: Mask) -> Bytes {
        self & Bytes(mask.0, mask.1)
    }

    #[inline(always)]
    fn plus(self, mask: Mask, other: Bytes) -> Bytes {
        self + other.only(mask)
    }

    #[inline(always)]
    fn minus(self, mask: Mask, other: Bytes) -> Bytes {
        self - other.only(mask)
    }

    #[inline(always)]
    fn plus_at_most(self, other: Bytes) -> Bytes {
        Bytes(say!(_mm256_adds_epu8(self.0, other.0)), say!(_mm256_adds_epu8(self.1, other.1)))
    }

    #[inline(always)]
    fn count_down(self, mask: Mask) -> Bytes {
        let one = Bytes::all(1).only(mask);
        Bytes(say!(_mm256_subs_epu8(self.0, one.0)), say!(_mm256_subs_epu8(self.1, one.1)))
    }

    #[inline(always)]
    fn at_least_zero(self) -> Bytes {
        let zero = Bytes::all(0);
        Bytes(say!(_mm256_max_epi8(self.0, zero.0)), say!(_mm256_max_epi8(self.1, zero.1)))
    }

    #[inline(always)]
    fn equals(self, other: Bytes) -> Mask {
        Mask(say!(_mm256_cmpeq_epi8(self.0, other.0)), say!(_mm256_cmpeq_epi8(self.1, other.1)))
    }

    #[inline(always)]
    fn below(self, other: Bytes) -> Mask {
        // There is only a comparison with sign; the topmost bits turned around, it is one without.
        let top = Bytes::all(0x80);
        (other ^ top).above(self ^ top)
    }

    #[inline(always)]
    fn above(self, other: Bytes) -> Mask {
        Mask(say!(_mm256_cmpgt_epi8(self.0, other.0)), say!(_mm256_cmpgt_epi8(self.1, other.1)))
    }

    #[inline(always)]
    fn topmost(self) -> Mask {
        let zero = Bytes::all(0);
        zero.above(self)
    }

    #[inline(always)]
    fn look_up(self, table: &Table) -> Bytes {
        Bytes(look_up(self.0, table), look_up(self.1, table))
    }

    #[inline(always)]
    fn look_up_in(self, tables: &[Table; 4], which: Bytes) -> Bytes {
        Bytes(look_up_in(self.0, tables, which.0), look_up_in(self.1, tables, which.1))
    }

    #[inline(always)]
    fn count_ones(self) -> Bytes {
        let counts = twice(&[0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]);
        let low = Bytes::all(15);
        shuffle(counts, self & low) + shuffle(counts, self.shifted_right::<4>() & low)
    }

    #[inline(always)]
    fn sixteenth(self) -> Bytes {
        self.shifted_right::<4>() & Bytes::all(0x0f)
    }

    #[inline(always)]
    fn halved(self) -> Bytes {
        // What comes from the byte above falls on the topmost bit.
        self.shifted_right::<1>() & Bytes::all(0x7f)
    }

    #[inline(always)]
    fn part(self, fractions: &[[__m256i; 2]; 2]) -> Bytes {
        Bytes(part(self.0, &fractions[0]), part(self.1, &fractions[1]))
    }
}

#[inline(always)]
fn part(bytes: __m256i, [of_even, of_odd]: &[__m256i; 2]) -> __m256i {
    // Sixteen bits are an even lane's byte and above it an odd one's.
    let upper_bytes = say!(_mm256_set1_epi16(0xff00_u16 as i16));
    let even = say!(_mm256_andnot_si256(upper_bytes, bytes));
    let odd = say!(_mm256_and_si256(upper_bytes, bytes));
    let even = say!(_mm256_mulhi_epu16(even, *of_even));
    // The upper half of 256 times the product has the whole part in its upper byte.
    let odd = say!(_mm256_mulhi_epu16(odd, *of_odd));
    say!(_mm256_or_si256(even, _mm256_and_si256(odd, upper_bytes)))
}

impl Bytes {
    /// With bits from the byte above.
    #[inline(always)]
    fn shifted_right<const BITS: i32>(self) -> Bytes {
        Bytes(say!(_mm256_srli_epi16::<BITS>(self.0)), say!(_mm256_srli_epi16::<BITS>(self.1)))
    }
}

/// What there is at the indices in these sixteen bytes.
#[inline(always)]
fn shuffle(bytes: __m256i, indices: Bytes) -> Bytes {
    Bytes(say!(_mm256_shuffle_epi8(bytes, indices.0)), say!(_mm256_shuffle_epi8(bytes, indices.1)))
}

/// An eighth of a table.
#[inline(always)]
fn chunk(table: &Table, eighth: usize) -> __m256i {
    twice(table.0[16 * eighth..][..16].try_into().expect("sixteen bytes"))
}

/// In the order in which they are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words([__m256i; 8]);

impl Words {
    #[inline(always)]
    fn each(self, other: Words, sum: impl Fn(__m256i, __m256i) -> __m256i) -> Words {
        let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (self.0, other.0);
        Words([sum(a, i), sum(b, j), sum(c, k), sum(d, l), sum(e, m), sum(f, n), sum(g, o), sum(h, p)])
    }
}

impl Add for Words {
    type Output = Words;
    #[inline(always)]
    fn add(self, other: Words) -> Words {
        self.each(other, |a, b| say!(_mm256_add_epi32(a, b)))
    }
}

impl BitXor for Words {
    type Output = Words;
    #[inline(always)]
    fn bitxor(self, other: Words) -> Words {
        self.each(other, |a, b| say!(_mm256_xor_si256(a, b)))
    }
}

impl lanes::Words for Words {
    type Fractions = [[__m256i; 2]; 2];

    #[inline(always)]
    fn load(column: &Column<u32>) -> Words {
        let word = |register| load(column, register);
        Words([word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)])
    }

    #[inline(always)]
    fn store(self, column: &mut Column<u32>) {
        for (register, words) in self.0.into_iter().enumerate() {
            store(column, register, words);
        }
    }

    #[inline(always)]
    fn shifted_left<const BITS: u32>(self) -> Words {
        let count = say!(_mm_cvtsi32_si128(BITS as i32));
        self.each(self, |words, _| say!(_mm256_sll_epi32(words, count)))
    }

    #[inline(always)]
    fn rotated_left<const BITS: u32>(self) -> Words {
        let (left, right) = (say!(_mm_cvtsi32_si128(BITS as i32)), say!(_mm_cvtsi32_si128(32 - BITS as i32)));
        self.each(self, |words, _| say!(_mm256_or_si256(_mm256_sll_epi32(words, left), _mm256_srl_epi32(words, right))))
    }

    #[inline(always)]
    fn halves(self) -> [[[__m256i; 2]; 2]; 2] {
        // Lanes that leave 0, 1, 2 and 3 when divided by four; of each the lower and the upper ones.
        let [a, e, b, f, c, g, d, h] = self.0;
        [
            [[lower_halves(a, c), lower_halves(b, d)], [lower_halves(e, g), lower_halves(f, h)]],
            [[upper_halves(a, c), upper_halves(b, d)], [upper_halves(e, g), upper_halves(f, h)]],
        ]
    }
}

#[inline(always)]
fn lower_halves(even: __m256i, odd: __m256i) -> __m256i {
    say!(_mm256_blend_epi16::<0b1010_1010>(even, _mm256_slli_epi32::<16>(odd)))
}

#[inline(always)]
fn upper_halves(even: __m256i, odd: __m256i) -> __m256i {
    say!(_mm256_blend_epi16::<0b1010_1010>(_mm256_srli_epi32::<16>(even), odd))
}
