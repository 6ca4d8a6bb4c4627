//! Lanes in AVX2: 64 bytes are two registers, and so is a mask, whose bytes are 0 or 255.
//!
//! # Safety
//!
//! Only [`Avx2::detect`] makes an [`Avx2`], and only if the CPU has every feature listed in [`Avx2::run`]. Only the methods of
//! an `Avx2`, of a [`Mask`], of [`Bytes`] and of [`Words`] make values of the last three types, whose fields are private to this
//! file. So a value of any of the four proves that the CPU has AVX2, and this is what "proves AVX2" means below.
//!
//! These methods are `#[inline(always)]` and have no target features of their own: they are inlined into [`Avx2::run`], which
//! has.

#![allow(unsafe_code, reason = "calls vector instructions; see Safety above")]

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

use super::Work;
use crate::lanes::{self, CellSets, CellTable, Column, Eaten, LANES, Lanes, Pod, Table};

/// A proof that the CPU has AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Returns the proof if the CPU has AVX2 and what has come with it since 2013.
    pub(crate) fn detect() -> Option<Avx2> {
        let detected = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        detected.then_some(Avx2(()))
    }

    /// Runs `work` in a function that is compiled for AVX2.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run_with_features<W: Work>(avx2: Avx2, work: W) -> W::Output {
            // A local variable whose alignment exceeds that of a register makes the compiler align the stack. Otherwise half
            // of the registers that it spills there would cross a cache line.
            std::hint::black_box(&mut Column([0_u8; LANES]));
            work.run(avx2)
        }
        // SAFETY: `detect` has found these features.
        unsafe { run_with_features(self, work) }
    }
}

impl Lanes for Avx2 {
    type Mask = Mask;
    type Bytes = Bytes;
    type Words = Words;

    const MAX_SCALAR_GAMES: usize = 8;

    #[inline(always)]
    fn splat(self, value: u8) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let register = _mm256_set1_epi8(value as i8);
            Bytes(register, register)
        }
    }

    #[inline(always)]
    fn load(self, column: &Column<u8>) -> Bytes {
        Bytes(self.load_register(column, 0), self.load_register(column, 1))
    }

    #[inline(always)]
    fn load_words(self, column: &Column<u32>) -> Words {
        let word = |register| self.load_register(column, register);
        Words([word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)])
    }

    #[inline(always)]
    fn mask(self, bits: u64) -> Mask {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let half = |bits: u32| {
                let bits = _mm256_set1_epi32(bits as i32);
                let bytes = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
                let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
                _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(bits, bytes), bit), bit)
            };
            Mask(half(bits as u32), half((bits >> 32) as u32))
        }
    }

    #[inline(always)]
    fn none(self) -> Mask {
        // SAFETY: `self` proves AVX2.
        unsafe { Mask(_mm256_setzero_si256(), _mm256_setzero_si256()) }
    }

    #[cfg(feature = "observe")]
    #[inline(always)]
    fn prefetch<T>(self, data: &T) {
        super::prefetch::prefetch(data);
    }

    #[inline(always)]
    fn look_up_cells(self, table: &CellTable, sixteens: usize, cells: &[Bytes; 4]) -> [Bytes; 4] {
        let [a, b, c, d] = *cells;
        let [e, f, g, h] = self.look_up_cells_in_half(table, sixteens, [a.0, b.0, c.0, d.0]);
        let [i, j, k, l] = self.look_up_cells_in_half(table, sixteens, [a.1, b.1, c.1, d.1]);
        [Bytes(e, i), Bytes(f, j), Bytes(g, k), Bytes(h, l)]
    }

    #[inline(always)]
    fn look_up_cells_twice(self, tables: [&CellTable; 2], sixteens: usize, cells: &[Bytes; 4]) -> [[Bytes; 4]; 2] {
        let [a, b, c, d] = *cells;
        let [low, other_low] = self.look_up_cells_twice_in_half(tables, sixteens, [a.0, b.0, c.0, d.0]);
        let [high, other_high] = self.look_up_cells_twice_in_half(tables, sixteens, [a.1, b.1, c.1, d.1]);
        [by_seat!(seat => Bytes(low[seat], high[seat])), by_seat!(seat => Bytes(other_low[seat], other_high[seat]))]
    }

    #[inline(always)]
    fn fraction(self, value: u16) -> [[__m256i; 2]; 2] {
        // SAFETY: `self` proves AVX2.
        unsafe { [[_mm256_set1_epi16(value as i16); 2]; 2] }
    }

    #[inline(always)]
    fn contains(self, sets: &CellSets, cells: &[Bytes; 4]) -> [Mask; 4] {
        let [a, b, c, d] = *cells;
        let [e, f, g, h] = self.contains_in_half(sets, 0, [a.0, b.0, c.0, d.0]);
        let [i, j, k, l] = self.contains_in_half(sets, 1, [a.1, b.1, c.1, d.1]);
        [Mask(e, i), Mask(f, j), Mask(g, k), Mask(h, l)]
    }

    type Found = [Mask; 4];

    #[inline(always)]
    fn find_fruit(self, small: &mut CellSets, large: &mut CellSets, cells: &[Bytes; 4]) -> [Mask; 4] {
        lanes::find_fruit(self, small, large, cells)
    }

    #[inline(always)]
    fn take_fruit(
        self,
        small: &mut CellSets,
        large: &mut CellSets,
        cells: &[Bytes; 4],
        found: &[Mask; 4],
        seat: usize,
    ) -> Eaten<Mask> {
        lanes::take_fruit(self, small, large, cells[seat], found[seat])
    }
}

/// A mask: the bytes of lanes 0 to 31, and those of lanes 32 to 63.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask(__m256i, __m256i);

impl BitAnd for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitand(self, other: Mask) -> Mask {
        // SAFETY: `self` proves AVX2.
        unsafe { Mask(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
    }
}

impl BitOr for Mask {
    type Output = Mask;
    #[inline(always)]
    fn bitor(self, other: Mask) -> Mask {
        // SAFETY: `self` proves AVX2.
        unsafe { Mask(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1)) }
    }
}

impl Not for Mask {
    type Output = Mask;
    #[inline(always)]
    fn not(self) -> Mask {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let ones = _mm256_set1_epi8(-1);
            Mask(_mm256_xor_si256(self.0, ones), _mm256_xor_si256(self.1, ones))
        }
    }
}

impl lanes::Mask for Mask {
    #[inline(always)]
    fn bits(self) -> u64 {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let half = |bytes| u64::from(_mm256_movemask_epi8(bytes) as u32);
            half(self.0) | half(self.1) << 32
        }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let any = _mm256_or_si256(self.0, self.1);
            _mm256_testz_si256(any, any) == 0
        }
    }
}

/// 64 bytes: those of lanes 0 to 31, and those of lanes 32 to 63.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(__m256i, __m256i);

impl Add for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn add(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_add_epi8(self.0, other.0), _mm256_add_epi8(self.1, other.1)) }
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn sub(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_sub_epi8(self.0, other.0), _mm256_sub_epi8(self.1, other.1)) }
    }
}

impl BitAnd for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn bitand(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
    }
}

impl BitOr for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn bitor(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1)) }
    }
}

impl BitXor for Bytes {
    type Output = Bytes;
    #[inline(always)]
    fn bitxor(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_xor_si256(self.0, other.0), _mm256_xor_si256(self.1, other.1)) }
    }
}

impl Bytes {
    /// Returns the token from which these bytes were made.
    #[inline(always)]
    fn token(self) -> Avx2 {
        Avx2(())
    }

    #[inline(always)]
    fn splat(self, value: u8) -> Bytes {
        self.token().splat(value)
    }

    /// Shifts each pair of bytes: bits of the upper byte enter the lower one.
    #[inline(always)]
    fn shift_pairs_right<const BITS: i32>(self) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_srli_epi16::<BITS>(self.0), _mm256_srli_epi16::<BITS>(self.1)) }
    }
}

impl lanes::Bytes for Bytes {
    type Mask = Mask;
    /// For each register the fractions of even lanes and those of odd lanes.
    type Fractions = [[__m256i; 2]; 2];

    #[inline(always)]
    fn store(self, column: &mut Column<u8>) {
        self.token().store_register(column, 0, self.0);
        self.token().store_register(column, 1, self.1);
    }

    #[inline(always)]
    fn select(mask: Mask, if_set: Bytes, if_clear: Bytes) -> Bytes {
        // SAFETY: `mask` proves AVX2.
        unsafe { Bytes(_mm256_blendv_epi8(if_clear.0, if_set.0, mask.0), _mm256_blendv_epi8(if_clear.1, if_set.1, mask.1)) }
    }

    #[inline(always)]
    fn masked(self, mask: Mask) -> Bytes {
        self & Bytes(mask.0, mask.1)
    }

    #[inline(always)]
    fn masked_add(self, mask: Mask, other: Bytes) -> Bytes {
        self + other.masked(mask)
    }

    #[inline(always)]
    fn masked_sub(self, mask: Mask, other: Bytes) -> Bytes {
        self - other.masked(mask)
    }

    #[inline(always)]
    fn saturating_add(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_adds_epu8(self.0, other.0), _mm256_adds_epu8(self.1, other.1)) }
    }

    #[inline(always)]
    fn saturating_sub(self, other: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_subs_epu8(self.0, other.0), _mm256_subs_epu8(self.1, other.1)) }
    }

    #[inline(always)]
    fn masked_decrement(self, mask: Mask) -> Bytes {
        let one = self.splat(1).masked(mask);
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_subs_epu8(self.0, one.0), _mm256_subs_epu8(self.1, one.1)) }
    }

    #[inline(always)]
    fn max_zero_i8(self) -> Bytes {
        let zero = self.splat(0);
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_max_epi8(self.0, zero.0), _mm256_max_epi8(self.1, zero.1)) }
    }

    #[inline(always)]
    fn equals(self, other: Bytes) -> Mask {
        // SAFETY: `self` proves AVX2.
        unsafe { Mask(_mm256_cmpeq_epi8(self.0, other.0), _mm256_cmpeq_epi8(self.1, other.1)) }
    }

    #[inline(always)]
    fn lt_u8(self, other: Bytes) -> Mask {
        // AVX2 compares signed bytes only; with their sign bits flipped, unsigned bytes compare as signed ones.
        let sign_bit = self.splat(0x80);
        (other ^ sign_bit).gt_i8(self ^ sign_bit)
    }

    #[inline(always)]
    fn gt_i8(self, other: Bytes) -> Mask {
        // SAFETY: `self` proves AVX2.
        unsafe { Mask(_mm256_cmpgt_epi8(self.0, other.0), _mm256_cmpgt_epi8(self.1, other.1)) }
    }

    #[inline(always)]
    fn sign_mask(self) -> Mask {
        self.splat(0).gt_i8(self)
    }

    #[inline(always)]
    fn look_up(self, table: &Table) -> Bytes {
        let avx2 = self.token();
        Bytes(avx2.look_up_half(self.0, table), avx2.look_up_half(self.1, table))
    }

    #[inline(always)]
    fn look_up_16(self, table: &[u8; 16]) -> Bytes {
        let avx2 = self.token();
        avx2.shuffle(avx2.broadcast(table), self)
    }

    #[inline(always)]
    fn high_nibble(self) -> Bytes {
        self.shift_pairs_right::<4>() & self.splat(0x0f)
    }

    #[inline(always)]
    fn halved(self) -> Bytes {
        // The bit that enters from the byte above is the sign bit.
        self.shift_pairs_right::<1>() & self.splat(0x7f)
    }

    #[inline(always)]
    fn mul_hi(self, fractions: &[[__m256i; 2]; 2]) -> Bytes {
        let avx2 = self.token();
        Bytes(avx2.mul_hi_half(self.0, &fractions[0]), avx2.mul_hi_half(self.1, &fractions[1]))
    }
}

/// 64 words of 32 bits, in the order in which a column has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words([__m256i; 8]);

impl Words {
    /// Returns the token from which these words were made.
    #[inline(always)]
    fn token(self) -> Avx2 {
        Avx2(())
    }

    /// Combines two words register by register.
    #[inline(always)]
    fn zip_with(self, other: Words, combine: impl Fn(__m256i, __m256i) -> __m256i) -> Words {
        let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (self.0, other.0);
        Words([
            combine(a, i),
            combine(b, j),
            combine(c, k),
            combine(d, l),
            combine(e, m),
            combine(f, n),
            combine(g, o),
            combine(h, p),
        ])
    }
}

impl Add for Words {
    type Output = Words;
    #[inline(always)]
    fn add(self, other: Words) -> Words {
        // SAFETY: `self` proves AVX2.
        self.zip_with(other, |a, b| unsafe { _mm256_add_epi32(a, b) })
    }
}

impl BitXor for Words {
    type Output = Words;
    #[inline(always)]
    fn bitxor(self, other: Words) -> Words {
        // SAFETY: `self` proves AVX2.
        self.zip_with(other, |a, b| unsafe { _mm256_xor_si256(a, b) })
    }
}

impl lanes::Words for Words {
    type Fractions = [[__m256i; 2]; 2];

    #[inline(always)]
    fn store(self, column: &mut Column<u32>) {
        for (register, words) in self.0.into_iter().enumerate() {
            self.token().store_register(column, register, words);
        }
    }

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Words {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let count = _mm_cvtsi32_si128(BITS as i32);
            self.zip_with(self, |words, _| _mm256_sll_epi32(words, count))
        }
    }

    #[inline(always)]
    fn rotate_left<const BITS: u32>(self) -> Words {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let (left, right) = (_mm_cvtsi32_si128(BITS as i32), _mm_cvtsi32_si128(32 - BITS as i32));
            self.zip_with(self, |words, _| _mm256_or_si256(_mm256_sll_epi32(words, left), _mm256_srl_epi32(words, right)))
        }
    }

    #[inline(always)]
    fn halves(self) -> [[[__m256i; 2]; 2]; 2] {
        // The words of lanes 0, 1, 2 and 3 modulo 4, each in two registers.
        let [a, e, b, f, c, g, d, h] = self.0;
        let avx2 = self.token();
        [
            [[avx2.lower_halves(a, c), avx2.lower_halves(b, d)], [avx2.lower_halves(e, g), avx2.lower_halves(f, h)]],
            [[avx2.upper_halves(a, c), avx2.upper_halves(b, d)], [avx2.upper_halves(e, g), avx2.upper_halves(f, h)]],
        ]
    }
}

/// What the methods above are made of, register by register.
impl Avx2 {
    /// Loads the `register`-th 32 bytes of a column.
    #[inline(always)]
    fn load_register<T: Pod>(self, column: &Column<T>, register: usize) -> __m256i {
        assert!(32 * (register + 1) <= size_of::<Column<T>>());
        // SAFETY: `self` proves AVX2. The bytes lie within the column, as asserted above. It is aligned to 64 bytes and has no
        // padding.
        unsafe { _mm256_load_si256(std::ptr::from_ref(column).cast::<__m256i>().add(register)) }
    }

    /// Stores the `register`-th 32 bytes of a column.
    #[inline(always)]
    fn store_register<T: Pod>(self, column: &mut Column<T>, register: usize, value: __m256i) {
        assert!(32 * (register + 1) <= size_of::<Column<T>>());
        // SAFETY: as in `load_register`; and any bits are a valid `T`, see `Pod`.
        unsafe { _mm256_store_si256(std::ptr::from_mut(column).cast::<__m256i>().add(register), value) }
    }

    /// Loads sixteen bytes into both halves of a register: a table for `vpshufb`.
    #[inline(always)]
    fn broadcast(self, bytes: &[u8; 16]) -> __m256i {
        // SAFETY: `self` proves AVX2. The load reads the sixteen bytes of the array and needs no alignment.
        unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(bytes.as_ptr().cast::<__m128i>())) }
    }

    /// [`Lanes::contains`] for the lanes of one register.
    ///
    /// A set is sixteen bytes. `vpshufb` looks up the bytes that hold the cells of the four seats, for two games at once.
    #[inline(always)]
    fn contains_in_half(self, sets: &CellSets, half: usize, [a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let [e, f, g, h] = [self.byte_of(a), self.byte_of(b), self.byte_of(c), self.byte_of(d)];
            let (ab, cd) = (_mm256_unpacklo_epi8(e, f), _mm256_unpacklo_epi8(g, h));
            let first = self.bytes_of_four(sets, half, 0, _mm256_unpacklo_epi16(ab, cd));
            let second = self.bytes_of_four(sets, half, 1, _mm256_unpackhi_epi16(ab, cd));
            let (ab, cd) = (_mm256_unpackhi_epi8(e, f), _mm256_unpackhi_epi8(g, h));
            let third = self.bytes_of_four(sets, half, 2, _mm256_unpacklo_epi16(ab, cd));
            let fourth = self.bytes_of_four(sets, half, 3, _mm256_unpackhi_epi16(ab, cd));
            // Transpose back: from the seats of each game to the games of each seat.
            let (ab, cd) = (_mm256_unpacklo_epi32(first, second), _mm256_unpackhi_epi32(first, second));
            let (ef, gh) = (_mm256_unpacklo_epi32(third, fourth), _mm256_unpackhi_epi32(third, fourth));
            [
                self.has_bit(_mm256_unpacklo_epi64(ab, ef), a),
                self.has_bit(_mm256_unpackhi_epi64(ab, ef), b),
                self.has_bit(_mm256_unpacklo_epi64(cd, gh), c),
                self.has_bit(_mm256_unpackhi_epi64(cd, gh), d),
            ]
        }
    }

    /// Returns which byte of a set holds the bits of these cells.
    #[inline(always)]
    fn byte_of(self, cells: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_and_si256(_mm256_srli_epi16::<3>(cells), _mm256_set1_epi8(15)) }
    }

    /// Returns whether these bytes of sets have the bits of these cells set.
    #[inline(always)]
    fn has_bit(self, bytes: __m256i, cells: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let bits = self.broadcast(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
            let bit = _mm256_shuffle_epi8(bits, cells);
            _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)
        }
    }

    /// Looks up bytes in the sets of four games per half of a register. `indices` has the four seats of a game side by side;
    /// the result has the games of a seat side by side.
    #[inline(always)]
    fn bytes_of_four(self, sets: &CellSets, half: usize, four: usize, indices: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let [a, b] = self.bytes_of_two(sets, 4 * four + half, indices);
            let [c, d] = self.bytes_of_two(sets, 4 * four + 2 + half, indices);
            let ab = _mm256_blend_epi32::<0b1010_1010>(a, b);
            let cd = _mm256_blend_epi32::<0b1010_1010>(c, d);
            let bytes = _mm256_blend_epi32::<0b1100_1100>(ab, cd);
            let by_seat = self.broadcast(&[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]);
            _mm256_shuffle_epi8(bytes, by_seat)
        }
    }

    /// Looks up bytes in the sets of the two games whose words share a register of the columns.
    #[inline(always)]
    fn bytes_of_two(self, sets: &CellSets, register: usize, indices: __m256i) -> [__m256i; 2] {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let (low, high) = (self.load_register(&sets[0], register), self.load_register(&sets[1], register));
            [
                _mm256_shuffle_epi8(_mm256_unpacklo_epi64(low, high), indices),
                _mm256_shuffle_epi8(_mm256_unpackhi_epi64(low, high), indices),
            ]
        }
    }

    /// [`Lanes::look_up_cells`] for the lanes of one register.
    #[inline(always)]
    fn look_up_cells_in_half(self, table: &CellTable, sixteens: usize, mut cells: [__m256i; 4]) -> [__m256i; 4] {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let sixteen = _mm256_set1_epi8(16);
            let mut found = [_mm256_setzero_si256(); 4];
            for changes in table.changes.0.as_chunks().0.iter().take(sixteens) {
                let changes = self.broadcast(changes);
                each_seat!(seat {
                    // No change for cells before this sixteen: `vpshufb` yields 0 for negative numbers.
                    found[seat] = _mm256_xor_si256(found[seat], _mm256_shuffle_epi8(changes, cells[seat]));
                    cells[seat] = _mm256_subs_epi8(cells[seat], sixteen);
                });
            }
            found
        }
    }

    /// [`Lanes::look_up_cells_twice`] for the lanes of one register.
    #[inline(always)]
    fn look_up_cells_twice_in_half(
        self,
        [table, other]: [&CellTable; 2],
        sixteens: usize,
        mut cells: [__m256i; 4],
    ) -> [[__m256i; 4]; 2] {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let sixteen = _mm256_set1_epi8(16);
            let (mut found, mut found_other) = ([_mm256_setzero_si256(); 4], [_mm256_setzero_si256(); 4]);
            let changes = table.changes.0.as_chunks().0.iter().zip(other.changes.0.as_chunks().0);
            for (changes, other) in changes.take(sixteens) {
                let (changes, other) = (self.broadcast(changes), self.broadcast(other));
                each_seat!(seat {
                    found[seat] = _mm256_xor_si256(found[seat], _mm256_shuffle_epi8(changes, cells[seat]));
                    found_other[seat] = _mm256_xor_si256(found_other[seat], _mm256_shuffle_epi8(other, cells[seat]));
                    cells[seat] = _mm256_subs_epi8(cells[seat], sixteen);
                });
            }
            [found, found_other]
        }
    }

    /// [`lanes::Bytes::look_up`] for one register.
    #[inline(always)]
    fn look_up_half(self, indices: __m256i, table: &Table) -> __m256i {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let bytes = _mm256_and_si256(indices, _mm256_set1_epi8(0x7f));
            let answer = |eighth| _mm256_shuffle_epi8(self.chunk(table, eighth), bytes);
            let [a, b, c, d] = [answer(0), answer(1), answer(2), answer(3)];
            let [e, f, g, h] = [answer(4), answer(5), answer(6), answer(7)];
            self.select_eighth(indices, [a, b, c, d, e, f, g, h])
        }
    }

    /// Selects, of the results from each eighth of a table, the one from the eighth that the index falls in.
    #[inline(always)]
    fn select_eighth(self, indices: __m256i, [a, b, c, d, e, f, g, h]: [__m256i; 8]) -> __m256i {
        // SAFETY: `self` proves AVX2.
        unsafe {
            // The blend looks at sign bits only.
            let (low, middle, high) =
                (_mm256_slli_epi16::<3>(indices), _mm256_slli_epi16::<2>(indices), _mm256_slli_epi16::<1>(indices));
            let low = |even, odd| _mm256_blendv_epi8(even, odd, low);
            let middle = |even, odd| _mm256_blendv_epi8(even, odd, middle);
            _mm256_blendv_epi8(middle(low(a, b), low(c, d)), middle(low(e, f), low(g, h)), high)
        }
    }

    /// [`lanes::Bytes::mul_hi`] for one register.
    #[inline(always)]
    fn mul_hi_half(self, bytes: __m256i, [of_even, of_odd]: &[__m256i; 2]) -> __m256i {
        // SAFETY: `self` proves AVX2.
        unsafe {
            // Each sixteen bits hold the byte of an even lane, and above it the byte of an odd lane.
            let upper_bytes = _mm256_set1_epi16(0xff00_u16 as i16);
            let even = _mm256_andnot_si256(upper_bytes, bytes);
            let odd = _mm256_and_si256(upper_bytes, bytes);
            let even = _mm256_mulhi_epu16(even, *of_even);
            // 256 times the product has its integer part in the upper byte of the upper half.
            let odd = _mm256_mulhi_epu16(odd, *of_odd);
            _mm256_or_si256(even, _mm256_and_si256(odd, upper_bytes))
        }
    }

    /// Loads an eighth of a table.
    #[inline(always)]
    fn chunk(self, table: &Table, eighth: usize) -> __m256i {
        self.broadcast(table.0[16 * eighth..][..16].try_into().expect("an eighth of a table is sixteen bytes"))
    }

    /// Packs the lower halves of the words of even and of odd lanes.
    #[inline(always)]
    fn lower_halves(self, even: __m256i, odd: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_blend_epi16::<0b1010_1010>(even, _mm256_slli_epi32::<16>(odd)) }
    }

    /// Packs the upper halves of the words of even and of odd lanes.
    #[inline(always)]
    fn upper_halves(self, even: __m256i, odd: __m256i) -> __m256i {
        // SAFETY: `self` proves AVX2.
        unsafe { _mm256_blend_epi16::<0b1010_1010>(_mm256_srli_epi32::<16>(even), odd) }
    }

    /// Looks up bytes in a table of sixteen.
    #[inline(always)]
    fn shuffle(self, bytes: __m256i, indices: Bytes) -> Bytes {
        // SAFETY: `self` proves AVX2.
        unsafe { Bytes(_mm256_shuffle_epi8(bytes, indices.0), _mm256_shuffle_epi8(bytes, indices.1)) }
    }
}
